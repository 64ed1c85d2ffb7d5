// Reading a cell of any form in its column's unit. (plain.hpp reads the usual forms faster.)
#ifndef WLFMT_DETAIL_TABLE_CELL_HPP
#define WLFMT_DETAIL_TABLE_CELL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/error.hpp"
#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Gives readers and writers access to the private members of a cell.
struct cell_access {
    static std::string_view& text(table::cell& c) noexcept { return c.text_; }

    // Sets a text that was read in a column of that unit (in a column of names, as one run), and its value. The value
    // is marked with the unit: if the text is written to such a column again, it need not be read again. No program can
    // give the value another text and keep the mark.
    static void set(table::cell& c, std::string_view text, const number& value, table::unit unit,
                    bool held = true) noexcept {
        c.text_ = text;
        c.value_ = value;
        if (held) number_access::mark(c.value_, mark_of(unit));
    }
    static constexpr std::uint32_t mark_of(table::unit unit) noexcept {
        return number_access::first_mark + static_cast<std::uint32_t>(unit);
    }
    static bool is_marked(const table::cell& c, std::uint32_t mark) noexcept {
        return number_access::is_marked(c.value_, mark);
    }
};

inline namespace WLFMT_IMPL {

// What the text of a cell looks like, whatever its column.
enum class cell_form : std::uint8_t { missing, time, percent, memory, integer, decimal, overflow, text };

struct cell_reading {
    number value;
    cell_form form;
};

inline bool is_missing_cell(std::string_view t) noexcept {
    return t.empty() || t == "--" || t == "NaN" || t == "nan" || t == "NaN%" || t == "nan%";
}

// The power of two of a unit of memory: `b`, `KB`, `Mb`, in any case, with or without one blank before it; -1 for any
// other text.
inline int memory_shift(std::string_view unit) noexcept {
    if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
    if (unit.empty() || unit.size() > 2 || (unit.back() | 0x20) != 'b') return -1;
    if (unit.size() == 1) return 0;
    switch (unit.front() | 0x20) {
    case 'k': return 10;
    case 'm': return 20;
    case 'g': return 30;
    case 't': return 40;
    default: return -1;
    }
}

// Reads the texts of cells.
template <class Way>
struct basic_table_cells {
    static cell_reading read_form(std::string_view t, bool memory) noexcept {
        const cell_reading as_text{number(t), cell_form::text};
        if (is_missing_cell(t)) return {number(), cell_form::missing};

        const char* const end = t.data() + t.size();
        const number_text n = scan_number(t.data(), end);
        if (n.end == nullptr) return as_text;

        const std::string_view suffix = view(n.mantissa_end, end);
        cell_form form = cell_form::decimal;
        int shift10 = 0;
        int shift2 = 0;
        if (suffix == "us" || suffix == "ms" || suffix == "s") {
            form = cell_form::time;
            shift10 = suffix == "us" ? 0 : suffix == "ms" ? 3 : 6;
        } else if (suffix == "%") {
            form = cell_form::percent;
        } else if (memory && memory_shift(suffix) >= 0) {
            form = cell_form::memory;
            shift2 = memory_shift(suffix);
        } else if (n.end != end) {
            return as_text;
        }
        // A unit follows a digit, and a point has digits on both sides.
        if (form != cell_form::decimal && (*n.first == '.' || n.mantissa_end[-1] == '.')) return as_text;

        if (!n.decimal && form == cell_form::decimal) {
            const read_result r = as_integer(n);
            if (r.status != number_status::ok) return {number(t), cell_form::overflow};
            return {r.value, cell_form::integer};
        }
        const read_result r = as_decimal(n, shift10);
        const double value = number_access::decimal(r.value) * static_cast<double>(std::int64_t{1} << shift2);
        // By the bits: with -ffast-math a comparison may not see an infinity.
        const bool finite = (bits_of(value) & ~sign_bit) < infinity_bits;
        if (r.status != number_status::ok || !finite) return {number(t), cell_form::overflow};
        return {value, form};
    }

    // The value of a text that is in no column.
    static number value_of_printed(std::string_view text) noexcept {
        if (text == "0") return 0;
        const number value = read_form(text, true).value;
        return value.is_text() ? number() : value;
    }

    // Whether a text is a cell of a row, so that a line that has it is no header.
    static bool is_time_or_percent(std::string_view text) noexcept {
        // A number begins with a digit, a sign or a point: these are all below the letters that names begin with.
        if (text.empty() || text.front() > '9') return false;
        const cell_form form = read_form(text, false).form;
        return form == cell_form::time || form == cell_form::percent;
    }

    // Whether a column of that unit can hold a cell of that form. (A bare zero, which every column can hold, is dealt
    // with before.)
    static bool holds(table::unit unit, const cell_reading& r) noexcept {
        if (r.form == cell_form::missing || unit == table::unit::other) return true;
        switch (unit) {
        case table::unit::percent: return r.form == cell_form::percent;
        case table::unit::microseconds: return r.form == cell_form::time;
        case table::unit::bytes: return r.form == cell_form::memory;
        case table::unit::count: return r.form == cell_form::integer;
        case table::unit::flops: return r.form == cell_form::integer || r.form == cell_form::decimal;
        default: return false;
        }
    }

    // Reads the text of a cell in a column of numbers. Returns error_kind::none if the column can hold it.
    static error_kind read_any_cell(table::unit unit, std::string_view text, number& value) noexcept {
        if (text == "0") {  // what PyTorch prints for asynchronous events
            value = 0;
            return error_kind::none;
        }
        const cell_reading r = read_form(text, unit == table::unit::bytes);
        const bool held = holds(unit, r);
        value = held ? r.value : number(text);
        if (held) return error_kind::none;
        if (r.form == cell_form::overflow) return error_kind::number_overflow;
        return unit == table::unit::count ? error_kind::not_an_integer : error_kind::not_a_number;
    }

    static error_kind read_any_cell(table::unit unit, table::cell& c) noexcept {
        number value;
        const error_kind problem = read_any_cell(unit, c.text(), value);
        cell_access::set(c, c.text(), value, unit, problem == error_kind::none && !value.is_text());
        return problem;
    }

    // A cell of a column of that unit, with the value that its text says there. A reader's cell has it already. A cell
    // that a program made from a text, or took from a column of another unit, has not; it stays without a mark, as
    // nobody has looked whether its text is a single run.
    static table::cell cell_in(table::unit unit, const table::cell& c) noexcept {
        const std::string_view text = c.text();
        if (text.empty() || cell_access::is_marked(c, cell_access::mark_of(unit))) return c;
        table::cell read;
        number value;
        if (unit != table::unit::text && unit != table::unit::source) read_any_cell(unit, text, value);
        cell_access::set(read, text, value, unit, false);
        return read;
    }
};
using table_cells = basic_table_cells<kernel>;

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace table {

template <class Kernel>
cell::cell(std::string_view printed) noexcept
    : text_(printed), value_(detail::table_cells::value_of_printed(printed)) {}

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
