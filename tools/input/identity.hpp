// Finds out which file a name leads to, so that no output overwrites an input.
#ifndef WLFMT_TOOLS_INPUT_IDENTITY_HPP
#define WLFMT_TOOLS_INPUT_IDENTITY_HPP

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

#include "../general/order.hpp"

namespace tool {

#if !defined(_WIN32)
// A file's device and inode, which all of its names and links share.
inline std::string identity_in(const struct stat& file) {
    return std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}
#endif

// Whether the name leads to the file that standard output is: `/dev/stdout`, or the file to which the shell redirects
// it.
inline bool is_standard_output(const char* path) {
#if defined(_WIN32)
    static_cast<void>(path);
    return false;
#else
    struct stat own = {};
    struct stat other = {};
    return fstat(fileno(stdout), &own) == 0 && stat(path, &other) == 0 && identity_in(own) == identity_in(other);
#endif
}
// Whether standard output is a regular file, which could be an input, too.
inline bool standard_output_is_file() {
#if defined(_WIN32)
    return false;
#else
    struct stat own = {};
    return fstat(fileno(stdout), &own) == 0 && S_ISREG(own.st_mode);
#endif
}

// The names of unfinished files begin with this: a file is written beside its place, and renamed when complete.
inline constexpr std::string_view unfinished_prefix = ".wlfmt-";
inline bool is_unfinished(std::string_view name) {
    return name.substr(0, unfinished_prefix.size()) == unfinished_prefix;
}

// The files that a command reads.
class input_files {
public:
    // Adds a file, or all files in a folder.
    void add(const std::string& path) {
        looked_up_ = false;
        std::error_code failed;
        if (!std::filesystem::is_directory(path, failed)) return paths_.push_back(path);
        const std::size_t first = paths_.size();
        for (std::filesystem::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
            paths_.push_back(at->path().string());
        sort_list(paths_, std::less<>(), first);
    }
    // The input that is the same file as `output`, whatever links lead to it; empty if there is no such input.
    std::string find(const std::string& output) {
        std::error_code failed;
        if (!std::filesystem::is_regular_file(output, failed)) return {};
#if defined(_WIN32)
        for (const std::string& path : paths_)
            if (std::filesystem::equivalent(path, output, failed)) return path;
        return {};
#else
        look_up();
        struct stat file = {};
        return stat(output.c_str(), &file) == 0 ? known_[identity_in(file)] : std::string();
#endif
    }

private:
    std::vector<std::string> paths_;
    bool looked_up_ = false;
#if !defined(_WIN32)
    void look_up() {
        if (std::exchange(looked_up_, true)) return;
        known_.clear();
        for (const std::string& path : paths_) {
            struct stat file = {};
            if (stat(path.c_str(), &file) != 0) continue;
            std::string& first = known_[identity_in(file)];
            if (first.empty()) first = path;
        }
    }
    keyed<std::string, std::string> known_;  // the first path of each file, by its identity
#endif
};

}  // namespace tool

#endif
