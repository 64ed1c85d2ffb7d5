// Finds out which file a name leads to, so that no output overwrites an input.
#ifndef WLFMT_TOOLS_INPUT_IDENTITY_HPP
#define WLFMT_TOOLS_INPUT_IDENTITY_HPP

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

#include "../general/order.hpp"

namespace tool {

// Whether the name leads to the file that standard output is: `/dev/stdout`, or the file to which the shell redirects
// it.
bool is_standard_output(const char* path);
// Whether standard output is a regular file, which could be an input, too.
bool standard_output_is_file();

// The names of unfinished files begin with this: a file is written beside its place, and renamed when complete.
inline constexpr std::string_view unfinished_prefix = ".wlfmt-";

// The files that a command reads.
class input_files {
public:
    // Adds a file, or all files in a folder.
    void add(const std::string& path);
    // The input that is the same file as `output`, whatever links lead to it; empty if there is no such input.
    std::string find(const std::string& output);

private:
    std::vector<std::string> paths_;
    bool looked_up_ = false;
#if !defined(_WIN32)
    void look_up();
    keyed<std::string, std::string> known_;  // the first path of each file, by its identity
#endif
};

}  // namespace tool

#endif
