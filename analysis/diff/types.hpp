// Differences between documents. diff.hpp finds and prints them.
#ifndef WLFMT_ANALYSIS_DIFF_TYPES_HPP
#define WLFMT_ANALYSIS_DIFF_TYPES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/types/table.hpp>

#include "../answers/bounded.hpp"
#include "../profile/kinds.hpp"

namespace wlfmt::analysis::diff {

enum class change : std::uint8_t { added, removed, changed };
[[nodiscard]] inline std::string_view name_of(change c) noexcept {  // "added"
    return c == change::added ? "added" : c == change::removed ? "removed" : "changed";
}

// One difference. Owns its texts.
struct difference {
    diff::change change = change::changed;
    std::string item;    // "rank 7: forward_step", "layer 3: mlp", "header", "row aten::mm"
    std::string field;   // "duration_ms", "forward.bytes", "CUDA total (us)"; empty: the item as a whole
    std::string before;  // the value as text; empty if there is no such value
    std::string after;
    // Of changed numbers: after / before - 1, +0.12 for 12 % more; 0 if `before` is 0 or either is not finite.
    double ratio = 0;
    // The share of this difference in the sum over the larger of the two files, from 0 to 1; 1 if a value is not a
    // finite number.
    double effect = 0;
    // For op logs: the rank and the operation of the item's records, if ranks or operations distinguish the items.
    std::optional<std::int64_t> rank = {};
    std::string operation = {};
};

struct profile_options {
    // The columns to compare, by their canonical names (table::column_meaning) or as a table names them: times, calls,
    // memory and those that both profiles were made for. Lines are sorted by the first. If the list is empty: the self
    // time on the device if both have measured it, else on the CPU, else a total time; and then the memory of rows, of
    // which both have a column.
    std::vector<std::string> columns = {};
    double tolerance = 0;  // numbers that differ by no more than this part of the larger one are the same
    // Set if rows may be missing at the end of a file. Rows that were left out when a table was printed (row_limit) are
    // noticed without it.
    bool before_is_cut = false;
    bool after_is_cut = false;
};

// All rows of one kind and name. A name that only one profile has counts 0 in the other one. Where a cell was not read,
// or a row of the name may be missing, a sum is a lower limit, or unknown.
struct profile_line {
    row_kind kind = row_kind::operation;
    std::string name;
    std::string other_name;  // the name in the second profile, if one of the two is cut (`...`): all that begin so
    bool in_before = false;
    bool in_after = false;
    bool is_known = true;  // false if only one profile has it, and the other one may lack rows
    bounded before;        // the sums in the first of the columns
    bounded after;
    bounded calls_before;
    bounded calls_after;
    // The sums in the other columns, before and after.
    std::vector<std::pair<bounded, bounded>> further;
};
struct profile_total {
    bounded value;             // a limit if it is the sum of rows, and a row or a cell is missing
    bool is_named = false;     // the table names the total; else it is the sum of the rows
    bounded rows;              // the sum of the rows: times of kernels, or without these of operators; all else of both
    bool has_all_rows = true;  // false if the rows add up to less than any total that the tables name
    bool is_short = false;     // the rows add up to less than the total of this column that the tables name
};
struct profile_difference {
    std::vector<std::string> columns;  // their canonical names; empty if the profiles have no such column in common
    std::string unknown_column;        // one of profile_options::columns that neither has
    profile_total before;              // the first column's total
    profile_total after;
    std::vector<std::pair<profile_total, profile_total>> further;  // the other columns' totals
    std::vector<profile_line> lines;  // sorted by the difference in the first column, unknown ones last
    std::size_t same = 0;             // the number of names that do not differ
    std::size_t folded = 0;           // the number of rows whose names were folded
    std::size_t matched = 0;          // the number of cut names that were matched by how they begin
};

}  // namespace wlfmt::analysis::diff

#endif
