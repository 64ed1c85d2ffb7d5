// wlfmt/types/diff.hpp: differences between documents. wlfmt/diff.hpp finds and prints them.
#include "../version.hpp"

#ifndef WLFMT_TYPES_DIFF_HPP
#define WLFMT_TYPES_DIFF_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace diff {

enum class change : std::uint8_t { added, removed, changed };
[[nodiscard]] inline std::string_view name_of(change c) noexcept {  // "added"
    return c == change::added ? "added" : c == change::removed ? "removed" : "changed";
}

// One difference. Owns its texts.
struct difference {
    diff::change change = change::changed;
    std::string item;    // "rank 7: forward_step", "layer 3: mlp", "header", "row aten::mm"
    std::string field;   // "duration_ms", "forward.bytes", "CUDA total (us)"; empty: the item as a whole
    std::string before;  // as text; empty if there is no such value
    std::string after;
    // Of changed numbers: after / before - 1, +0.12 for 12 % more; 0 where `before` is 0 or either is not finite.
    double ratio = 0;
    // The share of this difference in the sum over the larger of the two files, from 0 to 1; 1 if a value is not a
    // finite number.
    double effect = 0;
};

// How two profiles are compared.
struct profile_options {
    // The columns, by their canonical names (table::column_meaning) or as a table has them: times, calls, and those
    // that both profiles were made for; lines are in the order of the first. Empty: the device's own time if both have
    // measured it, else the processor's own, else a whole time.
    std::vector<std::string> columns = {};
    double tolerance = 0;  // numbers that differ by no more than this part of the larger one are the same
    // Whether rows may be missing at the end of a file. That rows are missing from a table as it was printed
    // (row_limit) is found out.
    bool before_is_cut = false;
    bool after_is_cut = false;
};

// All rows of one kind and name. A name that is on one side only has 0 on the other one.
struct profile_line {
    table::row_kind kind = table::row_kind::operation;
    std::string name;
    std::string other_name;  // in the second profile, if it is cut (`...`) in one of them; else empty
    bool in_before = false;
    bool in_after = false;
    bool is_known = true;  // false if it is on one side only, and the other one may lack rows
    double before = 0;     // in the first of the columns
    double after = 0;
    double calls_before = 0;
    double calls_after = 0;
    std::vector<std::pair<double, double>> further;  // in the other columns, before and after
};
struct profile_total {
    double value = 0;
    bool is_named = false;     // by the table; else it is the sum of the rows
    bool is_least = false;     // the sum of rows of which some are missing
    double rows = 0;           // the sum of the rows: times of the kernels, else of the operators; else of both
    bool has_all_rows = true;  // false if the rows add up to less than the table names
};
struct profile_difference {
    std::vector<std::string> columns;  // by their canonical names; empty if there is nothing that both have
    std::string unknown_column;        // one of profile_options::columns that neither has
    profile_total before;
    profile_total after;
    std::vector<profile_line> lines;  // those that differ, by the difference in the first column; unknown ones last
    std::size_t same = 0;             // names that do not differ
    std::size_t folded = 0;           // rows whose names were folded
    std::size_t matched = 0;          // cut names that were matched by options they begin
};

}}}  // namespace wlfmt::WLFMT_ABI::diff

#include "../detail/base/config_end.hpp"
#endif
