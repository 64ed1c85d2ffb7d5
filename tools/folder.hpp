// Folders in the place of files, and files that are no text yet.
#ifndef WLFMT_TOOLS_FOLDER_HPP
#define WLFMT_TOOLS_FOLDER_HPP

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "output.hpp"

namespace tool {

// The files of a folder by name; those of folders in it are not looked for, which is told. Empty, and told, where it
// cannot be read.
inline std::vector<std::string> files_of_folder(const std::string& folder) {
    namespace fs = std::filesystem;
    std::vector<std::string> files;
    std::error_code failed;
    fs::directory_iterator entries(folder, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
        std::error_code ignored;
        const std::string path = entries->path().string();
        if (entries->is_directory(ignored))
            standard_error.append(path + ": warning: a folder in a folder is passed over\n");
        else
            files.push_back(path);
    }
    if (failed) standard_error.append(folder + ": error: cannot_read: " + failed.message() + "\n");
    std::sort(files.begin(), files.end());
    return files;
}
inline bool is_folder(const std::string& path) {
    std::error_code ignored;
    return path != "-" && std::filesystem::is_directory(path, ignored);
}

// The files that arguments name, folders as the files in them.
inline std::vector<std::string> with_folders(const std::vector<const char*>& paths) {
    std::vector<std::string> all;
    for (const std::string path : paths) {
        if (!is_folder(path)) {
            all.push_back(path);
            continue;
        }
        const std::vector<std::string> files = files_of_folder(path);
        if (files.empty()) standard_error.append(path + ": error: the folder holds no file\n");
        all.insert(all.end(), files.begin(), files.end());
    }
    return all;
}

// The program that prints what a compressed file holds, by the file's first bytes; empty where it is none.
inline std::string_view decompressor(std::string_view beginning) noexcept {
    struct kind {
        std::string_view bytes;
        std::string_view program;
    };
    constexpr kind kinds[] = {{"\x1F\x8B", "zcat"},
                              {"\x28\xB5\x2F\xFD", "zstdcat"},
                              {"\xFD\x37zXZ", "xzcat"},
                              {"BZh", "bzcat"},
                              {"\x04\x22\x4D\x18", "lz4cat"}};
    for (const kind& k : kinds)
        if (beginning.substr(0, k.bytes.size()) == k.bytes) return k.program;
    return {};
}

}  // namespace tool

#endif
