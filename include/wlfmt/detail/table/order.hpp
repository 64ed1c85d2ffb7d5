// The order in which PyTorch prints its columns, which shows whether a header was cut.
#ifndef WLFMT_DETAIL_TABLE_ORDER_HPP
#define WLFMT_DETAIL_TABLE_ORDER_HPP

#include "cell.hpp"
#include "names.hpp"

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

// A name of the order with a device or the prefix of a unit in the place of its `*` or `+`.
struct filled_name {
    std::string_view printed;
    std::size_t hole;  // where that place is; npos if there is none
    std::string_view fill;

    std::size_t size() const noexcept { return printed.size() + (hole == printed.npos ? 0 : fill.size() - 1); }
    char operator[](std::size_t n) const noexcept {
        if (n < hole) return printed[n];
        return n - hole < fill.size() ? fill[n - hole] : printed[n - fill.size() + 1];
    }
    // Whether `name` is all that is seen of it in a place for so many characters, which is too narrow for it.
    bool is_left(std::string_view name, std::size_t room) const noexcept {
        if (room >= size()) return false;
        std::size_t n = 0;
        for (std::size_t at = 0; at != name.size(); ++n) {
            const bool joined = name.substr(at, 2) == no_break_space;
            if (n == room || (joined ? ' ' : name[at]) != (*this)[n]) return false;
            at += joined ? 2 : 1;
        }
        while (n != room && (*this)[n] == ' ') ++n;
        return n == room;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
