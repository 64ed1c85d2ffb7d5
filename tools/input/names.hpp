// Names for files that the command line does not name.
#ifndef WLFMT_TOOLS_INPUT_NAMES_HPP
#define WLFMT_TOOLS_INPUT_NAMES_HPP

#include <filesystem>

#include <wlfmt/oplog/run.hpp>

#include "../command_line/settings.hpp"
#include "../output/output.hpp"

namespace tool {

// A name in the current folder, made from the name of the run's folder, from what the names of its logs have in common,
// or from the name of the file. If there is a second run or file, its name is appended.
inline std::string name_after(const settings& s, std::string_view ending) {
    const auto name_of = [](const char* path) {
        std::error_code failed;
        const std::filesystem::path whole = std::filesystem::absolute(path, failed).lexically_normal();
        if (failed || std::string_view(path) == "-") return std::string("stdin");
        if (std::filesystem::is_directory(whole, failed))
            return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
        return wlfmt::oplog::facts_of(path).rank ? wlfmt::oplog::run_name_of(path) : whole.stem().string();
    };
    std::string name = name_of(s.files[0]);
    if (s.files.size() == 2)
        if (const std::string other = name_of(s.files[1]); other != name) name += "-" + other;
    return (name.empty() ? std::string("wlfmt") : name).append(ending);
}
// Returns the name or, if there is such a file already, one like `run-2.html`.
inline std::string free_name(const std::string& name) {
    std::error_code failed;
    std::string unused = name;
    const std::size_t end = name.rfind('.');
    for (unsigned n = 2; std::filesystem::exists(std::filesystem::symlink_status(unused, failed)); ++n)
        unused = joined({name.substr(0, end), "-", n, name.substr(end)});
    return unused;
}
// The size of a file; 0 if it is not known, as for a pipe.
inline std::uint64_t size_of_file(const char* path) {
    std::error_code failed;
    const std::uintmax_t size =
        std::filesystem::is_regular_file(path, failed) ? std::filesystem::file_size(path, failed) : 0;
    return failed ? 0 : size;
}
inline bool is_file(const std::string& path) {
    std::error_code failed;
    return std::filesystem::is_regular_file(path, failed);
}

}  // namespace tool

#endif
