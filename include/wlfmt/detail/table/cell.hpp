// The units of columns, reading a cell of any form in its column's unit (fast.hpp reads the usual forms faster), and
// further stack frames.
#ifndef WLFMT_DETAIL_TABLE_CELL_HPP
#define WLFMT_DETAIL_TABLE_CELL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/error.hpp"
#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "../io/prefix.hpp"
#include "../number/read.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail { inline namespace WLFMT_IMPL {

// Texts that depend on a column's unit, in the order of table::unit.
struct unit_row {
    std::string_view name;
    std::string_view base;     // after the number of a cell in the base unit
    std::string_view heading;  // after a column's name, if its cells are bare numbers
    std::string_view nothing;  // what PyTorch prints if there is no value
    char letter;               // tells message() what the column holds; 0: numbers
};
inline constexpr unit_row unit_rows[] = {
    {"text"sv, ""sv, ""sv, ""sv, 0},                   //
    {"percent"sv, "%"sv, ""sv, "NaN"sv, '%'},          //
    {"microseconds"sv, "us"sv, " (us)"sv, ""sv, 's'},  //
    {"bytes"sv, " B"sv, " (bytes)"sv, ""sv, 'B'},      //
    {"count"sv, ""sv, ""sv, ""sv, 0},                  //
    {"flops"sv, ""sv, ""sv, "--"sv, 0},                //
    {"source"sv, ""sv, ""sv, ""sv, 0},                 //
    {"other"sv, ""sv, ""sv, ""sv, 0},                  //
};
constexpr const unit_row& row_of(table::unit unit) noexcept { return unit_rows[static_cast<std::size_t>(unit)]; }

// The units of times and of memory, and from which value on each is printed; the last one is that of all others.
struct printed_unit {
    double size;
    std::string_view suffix;
};
inline constexpr printed_unit time_units[] = {{1e6, "s"sv}, {1e3, "ms"sv}, {1, "us"sv}};
inline constexpr printed_unit memory_units[] = {
    {1 << 30, " GB"sv}, {1 << 20, " MB"sv}, {1 << 10, " KB"sv}, {1, " B"sv}};
template <std::size_t Count>
constexpr const printed_unit& unit_for(double value, const printed_unit (&units)[Count]) noexcept {
    std::size_t n = 0;
    while (n + 1 != Count && !(value >= units[n].size)) ++n;
    return units[n];
}

// Which of the rules around a header a table lacks: the number that the message of missing_rule is about.
enum class lacking_rules : std::uint8_t { none, above, below, both };

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

// Whether any column but the first holds times, percents, sizes, counts or FLOPs, as those of PyTorch's tables do.
inline bool has_measures(const table::column* columns, std::size_t n) noexcept {
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

}}  // namespace detail::WLFMT_IMPL

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

inline bool is_nan_cell(std::string_view t) noexcept { return t == "NaN" || t == "nan" || t == "NaN%" || t == "nan%"; }

inline bool is_missing_cell(std::string_view t) noexcept { return t.empty() || t == "--" || is_nan_cell(t); }

// The power of two of a unit of memory: `b`, `KB`, `Mb`, in any case, with or without one space or no-break space
// before it; -1 for any other text.
inline int memory_shift(std::string_view unit) noexcept {
    if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
    else if (unit.substr(0, 2) == "\xC2\xA0") unit.remove_prefix(2);
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
template <class Build> struct basic_table_cells {
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
using table_cells = basic_table_cells<build>;

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace table {

template <class Build>
cell::cell(std::string_view printed) noexcept
    : text_(printed), value_(detail::table_cells::value_of_printed(printed)) {}

}  // namespace table

namespace detail {

// Lets a reader set the lines of a list of frames.
struct frames_access {
    static void set(table::frame_list& l, std::string_view lines, std::string_view prefix) noexcept {
        l.lines_ = lines;
        l.prefix_ = prefix;
    }
};

}  // namespace detail

namespace table {

// A forward iterator. A frame is a view of the text, so that it outlives the list.
class frame_list::iterator : public detail::value_iterator<frame_list::iterator, std::string_view> {
public:
    iterator() noexcept = default;

    std::string_view current() const noexcept { return current_; }
    std::uintptr_t position() const noexcept { return position_; }
    // Goes to the next frame. (A template over the build, since what it calls is one.)
    template <class Build = detail::build> void advance() noexcept {
        if (own_) {
            position_ = position_ < own_.items().size() ? position_ + 1 : 0;
            if (position_ != 0) current_ = own_.items()[position_ - 1];
            return;
        }
        while (!rest_.empty()) {
            detail::line_cursor lines(rest_);
            const std::string_view line = lines.next();
            rest_ = detail::view(lines.at(), lines.end());
            const std::size_t prefix = detail::prefixes::size_of(line, prefix_);
            if (prefix == detail::no_prefix) continue;
            current_ = detail::without_blanks(line.substr(prefix));
            position_ = reinterpret_cast<std::uintptr_t>(current_.data());
            if (!current_.empty()) return;
        }
        position_ = 0;
    }

private:
    friend class frame_list;

    detail::shared_items<std::string_view> own_;
    std::string_view rest_ = {};
    std::string_view prefix_ = {};
    std::string_view current_ = {};
    std::uintptr_t position_ = 0;  // of a frame that the list owns: from 1; of a line: its address; 0 at the end
};

template <class Build> bool frame_list::empty() const noexcept { return begin<Build>() == end(); }
template <class Build> frame_list::iterator frame_list::end() const noexcept { return {}; }
template <class Build> frame_list::iterator frame_list::begin() const noexcept {
    iterator i;
    i.own_ = own_.shared();
    i.rest_ = lines_;
    i.prefix_ = prefix_;
    i.template advance<Build>();
    return i;
}
template <class Build> std::size_t frame_list::size() const noexcept {
    std::size_t n = 0;
    for (iterator i = begin<Build>(); i != end(); i.template advance<Build>()) ++n;
    return n;
}

}  // namespace table
}}  // namespace wlfmt::WLFMT_ABI

#endif
