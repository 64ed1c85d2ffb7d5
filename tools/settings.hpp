// What the command line asks for.
#ifndef WLFMT_TOOLS_SETTINGS_HPP
#define WLFMT_TOOLS_SETTINGS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/wlfmt.hpp>

#include "runs.hpp"

namespace tool {

enum exit_status : int { clean = 0, problems = 1, unusable = 2 };

// set: one `PATH=VALUE`.
struct assignment {
    std::string_view path;
    std::string_view value;
};

// csv: what a row of an op log is.
enum class rows_of { records, sub_operations };

struct settings {
    std::string_view command;
    wlfmt::file_format kind = wlfmt::file_format::unknown;
    bool strict = false;
    bool lenient = false;
    bool any_prefix = true;        // --prefix=auto
    std::string_view prefix = {};  // --prefix=TEXT
    std::uint64_t limit = 100;
    rows_of of = rows_of::records;  // --of
    std::string output;             // -o; empty: standard output
    std::string_view align;         // timeline: --align
    rank_set ranks;                 // timeline, plot: --ranks
    std::size_t ranks_per_file = 0;
    double tolerance = 0;  // diff: --tolerance
    std::string_view by;   // diff: --by
    bool json = false;     // diff: --json
    std::vector<const char*> files;
    std::vector<assignment> assignments;
};

}  // namespace tool

#endif
