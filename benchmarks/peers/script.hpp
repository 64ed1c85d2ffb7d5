// Peers that are Python programs: each reads a file as users of its format do today, says what it found and how long
// that took.
#ifndef WLFMT_BENCHMARKS_PEERS_SCRIPT_HPP
#define WLFMT_BENCHMARKS_PEERS_SCRIPT_HPP

#include <string>
#include <string_view>

#include "../bench.hpp"

namespace bench::peers {

// A file that exists as long as this object.
class temporary_file {
public:
    explicit temporary_file(std::string_view content);
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file();
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

// A script of this folder. It needs Python, and is not for many small files.
way script_way(std::string name, std::string file_name);

// What a command prints, errors included; empty if it cannot be started or fails.
std::string output_of(const std::string& command);

}  // namespace bench::peers

#endif
