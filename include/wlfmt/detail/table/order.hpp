// The order in which PyTorch prints its columns, which shows whether a header was cut.
#ifndef WLFMT_DETAIL_TABLE_ORDER_HPP
#define WLFMT_DETAIL_TABLE_ORDER_HPP

#include "cell.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// A column, and the columns that PyTorch may print after it. In names, `*` is a device, and `+` the prefix of a unit.
struct ordered_column {
    std::string_view printed;
    std::uint8_t next[6];  // positions in this list, ended by 0: `Name` follows no column
};
inline constexpr ordered_column column_order[] = {
    {"Name"sv, {1, 2, 21, 24}},
    {"Overload Name"sv, {2}},
    {"Self CPU %"sv, {3}},
    {"Self CPU"sv, {4}},
    {"CPU total %"sv, {5}},
    {"CPU total"sv, {6}},
    {"CPU time avg"sv, {7, 23, 11, 15, 20}},
    {"Self *"sv, {8}},
    {"Self * %"sv, {9}},
    {"* total"sv, {10}},
    {"* time avg"sv, {11, 15, 20}},
    {"CPU Mem"sv, {12}},
    {"Self CPU Mem"sv, {13, 15}},
    {"* Mem"sv, {14}},
    {"Self * Mem"sv, {15}},
    {"# of Calls"sv, {16, 17, 18, 19}},
    {"Node ID"sv, {17, 18, 19}},
    {"Input Shapes"sv, {18, 19}},
    {"Source Location"sv, {19}},
    {"Total +FLOPs"sv, {}},
    // PyTorch 1.1 to 1.5.
    {"Number of Calls"sv, {17}},
    {"Self CPU total %"sv, {22}},
    {"Self CPU total"sv, {4}},
    {"* total %"sv, {9}},
    // Up to PyTorch 1.0.
    {"CPU time"sv, {25}},
    {"* time"sv, {26}},
    {"Calls"sv, {27}},
    {"CPU total"sv, {28}},
    {"* total"sv, {}},
};
inline constexpr std::size_t source_position = 18;
inline constexpr std::size_t calls_position = 15;
inline constexpr std::size_t older_position = 24;  // columns of PyTorch 1.0 begin here
// Whether a table may end with the column at this position: one of PyTorch's, or one that was written by hand, with
// only names or in the older layout.
constexpr bool may_be_last(std::size_t position) noexcept {
    return position < 2 || (position >= calls_position && position <= 20) || position == 26 || position == 28;
}

// How many of a header's names follow each other in the order in which PyTorch prints them.
struct header_order {
    std::size_t names = 0;     // how many names are in that order
    std::size_t position = 0;  // the place of the last of them in column_order
    bool broken = false;       // the next name is the beginning of one that PyTorch prints there
};
inline header_order find_order(const table::column* columns, std::size_t count, std::size_t first = 0) noexcept {
    header_order found;
    found.position = first;
    for (found.names = 1; found.names != count; ++found.names) {
        std::size_t whole = 0;
        found.broken = false;
        for (const std::uint8_t next : column_order[found.position].next) {
            if (next == 0 || whole != 0) break;
            const part_of_name part = compare_name(columns[found.names].name, column_order[next].printed);
            if (part == part_of_name::beginning) found.broken = true;
            if (part == part_of_name::whole) whole = next;
        }
        if (whole == 0) return found;
        found.broken = false;
        found.position = whole;
    }
    return found;
}

// Whether a text is the end of a column's name, or all of it.
inline bool is_end_of_name(std::string_view text, std::string_view printed) noexcept {
    for (std::size_t n = printed.size(); !text.empty();) {
        if (n-- == 0) return false;
        if (printed[n] == '*') {
            while (!text.empty() && text.back() != ' ') text.remove_suffix(1);
        } else {
            if (text.back() != printed[n]) return false;
            text.remove_suffix(1);
        }
    }
    return true;
}
// Whether a text shows by itself that it is the end of a column's name, and not a whole name.
WLFMT_COLD inline bool is_rest_of_name(std::string_view text) noexcept {
    if (text.find(' ') == std::string_view::npos) return text == "ame" || text == "me" || text == "e";
    bool rest = false;
    for (const ordered_column& column : column_order) rest = rest || is_end_of_name(text, column.printed);
    return rest && table_columns::meaning_of(text).name.empty();
}
// What is left of a header's names after a cut at the left edge of the lines.
struct left_cut {
    header_order order;  // the order of the names from the first one on; no names if it is unknown
    bool any = false;    // the lines were cut
    bool whole = false;  // the first name is whole
};
WLFMT_COLD inline left_cut find_left_cut(const table::column* columns, std::size_t count) noexcept {
    left_cut found;
    if (count < 3) return found;
    for (std::size_t first = 0; first != std::size(column_order); ++first) {
        const std::string_view printed = column_order[first].printed;
        if (!is_end_of_name(columns[0].name, printed)) continue;
        const header_order order = find_order(columns, count, first);
        const bool in_order = order.names == count || (order.names + 1 == count && order.broken);
        if (in_order && order.names > 2)
            return {order, true, compare_name(columns[0].name, printed) == part_of_name::whole};
    }
    found.any = is_rest_of_name(columns[0].name);
    for (std::size_t n = 1; n != count; ++n)
        found.any = found.any && !table_columns::meaning_of(columns[n].name).name.empty();
    return found;
}

// Whether a name is the beginning of the name of any column that PyTorch prints, and not a whole name.
inline bool is_broken_name(std::string_view name) noexcept {
    bool broken = false;
    for (const ordered_column& column : column_order) {
        const part_of_name part = compare_name(name, column.printed);
        if (part == part_of_name::whole) return false;
        broken = broken || (part == part_of_name::beginning && column.printed.front() != '*');
    }
    return broken;
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
