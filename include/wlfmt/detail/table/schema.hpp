// The units of columns, and what the columns of a table tell about its rows.
#ifndef WLFMT_DETAIL_TABLE_SCHEMA_HPP
#define WLFMT_DETAIL_TABLE_SCHEMA_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/table.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Texts that depend on a column's unit, in the order of table::unit.
struct unit_row {
    std::string_view name;
    std::string_view base;     // after the number of a cell in the base unit
    std::string_view heading;  // after a column's name, if its cells are bare numbers
    std::string_view nothing;  // what PyTorch prints if there is no value
    char letter;               // tells message() what the column holds; 0: numbers
};
inline constexpr unit_row unit_rows[] = {
    {"text", "", "", "", 0},                   //
    {"percent", "%", "", "NaN", '%'},          //
    {"microseconds", "us", " (us)", "", 's'},  //
    {"bytes", " B", " (bytes)", "", 'B'},      //
    {"count", "", "", "", 0},                  //
    {"flops", "", "", "--", 0},                //
    {"source", "", "", "", 0},                 //
    {"other", "", "", "", 0},                  //
};
constexpr const unit_row& row_of(table::unit unit) noexcept { return unit_rows[static_cast<std::size_t>(unit)]; }

// The place of a column in the rule, in characters from the line's start.
struct column_span {
    std::size_t begin;
    std::size_t end;
};

// The position of the first column of that name; the number of columns if there is none.
inline std::size_t find_column(const table::column* columns, std::size_t count, std::string_view name) noexcept {
    std::size_t n = 0;
    while (n != count && columns[n].name != name) ++n;
    return n;
}

// Does PyTorch print the values of the last two columns under each other's names?
inline bool is_stack_and_flops(const table::column* columns, std::size_t n) noexcept {
    return n >= 2 && columns[n - 2].unit == table::unit::source && columns[n - 1].unit == table::unit::flops;
}

// Whether PyTorch prints a rule after the rows of a table with these columns. It did not up to 1.1, where the number of
// calls was called so.
inline bool has_closing_rule(const table::column* columns, std::size_t n) noexcept {
    return find_column(columns, n, "Calls") == n;
}

// Whether the rows of a table with these columns have values: PyTorch prints none with a name and nothing else, so that
// a line of that kind is text which another program printed into the table.
inline bool rows_have_values(const table::column* columns, std::size_t n) noexcept {
    if (n == 0 || columns[0].unit != table::unit::text) return false;
    for (std::size_t k = 1; k != n; ++k) {
        const table::unit u = columns[k].unit;
        if (u != table::unit::text && u != table::unit::source && u != table::unit::other) return true;
    }
    return false;
}

inline table::unit unit_by_words(std::string_view name) noexcept {
    using table::unit;
    const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (name == "Name" || name == "Overload Name" || name == "Input Shapes") return unit::text;
    if (name == "Source Location") return unit::source;
    if (has("Mem")) return unit::bytes;
    if (has("%")) return unit::percent;
    if (has("FLOP")) return unit::flops;
    if (has("Calls") || name == "Node ID") return unit::count;
    if (has("time") || has("total") || name.substr(0, 5) == "Self ") return unit::microseconds;
    return unit::other;
}

// The columns that most tables have. A comparison with each takes a fraction of what the searches for words take, which
// would be most of the time that checking a header takes.
struct usual_column {
    unsigned char size;
    char name[15];
    table::unit unit;
};
inline constexpr usual_column usual_columns[] = {
    {4, "Name", table::unit::text},
    {10, "Self CPU %", table::unit::percent},
    {8, "Self CPU", table::unit::microseconds},
    {11, "CPU total %", table::unit::percent},
    {9, "CPU total", table::unit::microseconds},
    {12, "CPU time avg", table::unit::microseconds},
    {10, "# of Calls", table::unit::count},
    {9, "Self CUDA", table::unit::microseconds},
    {11, "Self CUDA %", table::unit::percent},
    {10, "CUDA total", table::unit::microseconds},
    {13, "CUDA time avg", table::unit::microseconds},
};

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace table {

inline unit unit_of(std::string_view name) noexcept {
    for (const detail::usual_column& usual : detail::usual_columns)
        if (std::string_view(usual.name, usual.size) == name) return usual.unit;
    return detail::unit_by_words(name);
}

inline std::string_view name_of(unit u) noexcept {
    const auto n = static_cast<std::size_t>(u);
    return n < sizeof detail::unit_rows / sizeof *detail::unit_rows ? detail::unit_rows[n].name : "unknown";
}

inline column::column(std::string_view column_name) noexcept
    : name(column_name), unit(unit_of(column_name)), left_aligned(unit == table::unit::source) {}

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
