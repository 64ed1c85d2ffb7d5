// The units of columns, reading a cell of any form (rows.hpp reads the usual forms faster), and stack frames.
#ifndef WLFMT_DETAIL_TABLE_CELL_HPP
#define WLFMT_DETAIL_TABLE_CELL_HPP

#include "../base/scan.hpp"
#include "../io/prefix.hpp"
#include "../number/read.hpp"
#include "phrases.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail {

struct cell_access {
    static std::string_view& text(table::cell& c) noexcept { return c.text_; }

    // Sets a cell's text and value. `held`: a column of this unit can hold the text (in a column of texts: as a single
    // phrase). The value's mark then spares a writer the check; no program can change the text and keep it.
    static void set(table::cell& c, std::string_view text, const number& value, table::unit unit,
                    bool held = true) noexcept {
        c.text_ = text;
        c.value_ = value;
        if (held) number_access::mark(c.value_, mark_of(unit));
    }
    static constexpr std::uint32_t mark_of(table::unit unit) noexcept {
        return number_access::first_mark + static_cast<std::uint32_t>(unit);
    }
};

// What the text of a cell looks like, whatever its column.
enum class cell_form : std::uint8_t { missing, time, percent, memory, integer, decimal, overflow, text };

// The properties of a unit of columns. The rows are in the order of table::unit.
struct unit_row {
    std::string_view name;
    std::string_view base;     // what follows a number in the base unit
    std::string_view heading;  // what is appended to the name of a column of bare numbers
    std::string_view nothing;  // what PyTorch prints where there is no value
    char letter;               // the letter that tells message() the unit; 0 if there is none
    cell_form form;            // the form of cells with a value; `missing` if they are texts or have any form
};
inline constexpr unit_row unit_rows[] = {
    {"text"sv, ""sv, ""sv, ""sv, 0, cell_form::missing},                //
    {"percent"sv, "%"sv, ""sv, "NaN"sv, '%', cell_form::percent},       //
    {"microseconds"sv, "us"sv, " (us)"sv, ""sv, 's', cell_form::time},  //
    {"bytes"sv, " B"sv, " (bytes)"sv, ""sv, 'B', cell_form::memory},    //
    {"count"sv, ""sv, ""sv, ""sv, 0, cell_form::integer},               //
    {"flops"sv, ""sv, ""sv, "--"sv, 0, cell_form::decimal},             //
    {"source"sv, ""sv, ""sv, ""sv, 0, cell_form::missing},              //
    {"other"sv, ""sv, ""sv, ""sv, 0, cell_form::missing},               //
    {"cut"sv, ""sv, ""sv, ""sv, 0, cell_form::missing},                 //
};
// The row of `other` for a unit that is not an enumerator.
constexpr const unit_row& row_of(table::unit unit) noexcept {
    const auto n = static_cast<std::size_t>(unit);
    return unit_rows[n < std::size(unit_rows) ? n : static_cast<std::size_t>(table::unit::other)];
}
// Whether the cells of such a column are texts, even those that look like numbers.
constexpr bool holds_texts(table::unit unit) noexcept {
    return unit == table::unit::text || unit == table::unit::source || unit == table::unit::cut;
}

// A unit in which cells are printed. Reading, writing and pictures all use the lists below: a new unit is one more row.
// A size is a whole number, perhaps times a power of ten such as 1e-3; others do not compile. If it is not a power of
// two times one of ten (such as 6e7), or if the suffix exceeds three characters, cells take the slow paths.
struct printed_unit {
    double size;              // the unit in base units, which is also the least value that is printed in it
    std::string_view suffix;  // what follows the number, beginning with a blank for memory
    int decimals;             // the digits after the point; times always have three
    int power = 0;            // size == factor * 10^power
    double factor;            // a whole number
    // A value is its digits, read as an integer without the point, * times / over. If that integer is below `few` (0 on
    // the slow paths), only the division rounds, and the cell has at most twelve characters.
    double times = 1;
    double over = 1;
    double few = 0;
    char right[4] = {};  // the suffix, right-aligned

    constexpr printed_unit(double size_of, std::string_view after_number, int after_point = 3) noexcept
        : size(size_of), suffix(after_number), decimals(after_point), factor(size_of) {
        double scale = 1;
        for (; !is_whole(factor); --power) factor = size * (scale *= 10);
        for (; is_whole(factor / 10); ++power) factor /= 10;
        times = factor;
        for (int shift = power - decimals; shift > 0; --shift) times *= 10;
        for (int shift = power - decimals; shift < 0; ++shift) over *= 10;
        const auto whole = static_cast<std::uint64_t>(factor);
        if ((whole & (whole - 1)) != 0 || suffix.size() > 3) return;
        few = decimals != 0 ? 9e9 : 9e10;
        for (std::size_t n = 1; n < suffix.size(); ++n) few /= 10;
        for (std::size_t n = 0; n != sizeof right; ++n)
            right[n] = n + suffix.size() < sizeof right ? ' ' : suffix[n + suffix.size() - sizeof right];
    }

private:
    static constexpr bool is_whole(double v) noexcept {
        return v >= 1 && static_cast<double>(static_cast<std::uint64_t>(v)) == v;
    }
};
// In descending order of size; the last unit is also used for values below its size.
inline constexpr printed_unit time_units[] = {{1e6, "s"sv}, {1e3, "ms"sv}, {1, "us"sv}};
inline constexpr printed_unit memory_units[] = {
    {1 << 30, " GB"sv, 2}, {1 << 20, " MB"sv, 2}, {1 << 10, " KB"sv, 2}, {1, " B"sv, 0}  // PyTorch counts whole bytes
};
// Units that PyTorch itself does not print: cells in them are read, but none are written.
inline constexpr printed_unit other_time_units[] = {
    {6e7, "min"sv},
    {1, "\xC2\xB5s"sv},  // the micro sign
    {1, "\xCE\xBCs"sv},  // the Greek letter
    {1e-3, "ns"sv},
};
inline constexpr printed_unit other_memory_units[] = {{0x1p40, " TB"sv, 2}};
inline constexpr printed_unit percent_unit = {1, "%"sv, 2};
inline constexpr printed_unit flops_unit = {1, ""sv, 3};
template <std::size_t Count>
constexpr const printed_unit& unit_for(double value, const printed_unit (&units)[Count]) noexcept {
    std::size_t n = 0;
    while (n + 1 != Count && !(value >= units[n].size)) ++n;
    return units[n];
}

// Where a column is in a line, in characters.
struct column_span {
    std::size_t begin;
    std::size_t end;
};

inline constexpr std::string_view no_break_space = "\xC2\xA0"sv;
inline constexpr std::size_t column_gap = 2;  // the blanks after each column

// Returns the position of the first column of that name; the number of columns if there is none.
inline std::size_t find_column(const table::column* columns, std::size_t count, std::string_view name) noexcept {
    std::size_t n = 0;
    while (n != count && columns[n].name != name) ++n;
    return n;
}

// Whether PyTorch prints the values of the last two columns under each other's names.
inline bool is_stack_and_flops(const table::column* columns, std::size_t n) noexcept {
    return n >= 2 && columns[n - 2].unit == table::unit::source && columns[n - 1].unit == table::unit::flops;
}

// Whether PyTorch prints a rule after the rows. The older layout, which has a column `Calls`, lacks it.
inline bool has_closing_rule(const table::column* columns, std::size_t n) noexcept {
    return find_column(columns, n, "Calls") == n;
}

// Whether a column after the first holds times, percentages, sizes, counts or FLOPs, as in PyTorch's tables.
inline bool has_measures(const table::column* columns, std::size_t n) noexcept {
    for (std::size_t k = 1; k != n; ++k)
        if (row_of(columns[k].unit).form != cell_form::missing) return true;
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

// The columns that most tables have: comparing names with these is much faster than searching the names for words.
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

inline bool is_nan_cell(std::string_view t) noexcept { return t == "NaN" || t == "nan" || t == "NaN%" || t == "nan%"; }
inline bool is_missing_cell(std::string_view t) noexcept { return t.empty() || t == "--" || is_nan_cell(t); }

// Accepts `b`, `KB`, `Mb` and the like, in any case. `suffix` begins with a blank, and the text has none.
inline bool is_memory_suffix(std::string_view text, std::string_view suffix) noexcept {
    if (text.size() != suffix.size() - 1) return false;
    for (std::size_t n = 1; n != suffix.size(); ++n)
        if ((text[n - 1] | 0x20) != (suffix[n] | 0x20)) return false;
    return true;
}

struct cell_reading {
    number value;
    cell_form form;
};

struct table_cells {
    static cell_reading read_form(std::string_view t, bool memory) noexcept {
        const cell_reading as_text{number(t), cell_form::text};
        if (is_missing_cell(t)) return {number(), cell_form::missing};

        const char* const end = t.data() + t.size();
        const number_text n = scan_number(t.data(), end);
        if (n.end == nullptr) return as_text;

        // One space or no-break space may part a number from its unit.
        std::string_view suffix = view(n.mantissa_end, end);
        suffix.remove_prefix(suffix.substr(0, 1) == " " ? 1 : suffix.substr(0, 2) == no_break_space ? 2 : 0);
        cell_form form = suffix == "%" ? cell_form::percent : cell_form::decimal;
        const printed_unit* unit = nullptr;
        const auto take = [&](const printed_unit& known, cell_form form_of_unit) {
            unit = &known;
            form = form_of_unit;
        };
        const auto look_among = [&](const auto& times, const auto& sizes) {
            for (const printed_unit& known : times)
                if (known.suffix == suffix) take(known, cell_form::time);
            if (!memory) return;
            for (const printed_unit& known : sizes)
                if (is_memory_suffix(suffix, known.suffix)) take(known, cell_form::memory);
        };
        look_among(time_units, memory_units);
        if (unit == nullptr) look_among(other_time_units, other_memory_units);
        if (form == cell_form::decimal && n.end != end) return as_text;
        // A number that a unit follows neither begins nor ends with its point.
        if (form != cell_form::decimal && (*n.first == '.' || n.mantissa_end[-1] == '.')) return as_text;

        if (!n.decimal && form == cell_form::decimal) {
            const read_result r = as_integer(n);
            if (r.status != number_status::ok) return {number(t), cell_form::overflow};
            return {r.value, cell_form::integer};
        }
        const read_result r = as_decimal(n, unit != nullptr ? unit->power : 0);
        const double value = number_access::decimal(r.value) * (unit != nullptr ? unit->factor : 1);
        // Compares bits: with -ffast-math a comparison of values may miss an infinity.
        const bool finite = (bits_of(value) & ~sign_bit) < infinity_bits;
        if (r.status != number_status::ok || !finite) return {number(t), cell_form::overflow};
        return {value, form};
    }

    static bool is_nan(const number& v) noexcept {
        return v.is_decimal() && (bits_of(number_access::decimal(v)) & ~sign_bit) > infinity_bits;
    }

    // The value of a text that is not in a column.
    static number value_of_printed(std::string_view text) noexcept {
        if (text == "0") return 0;
        const number value = read_form(text, true).value;
        return value.is_text() ? number() : value;
    }

    // Whether a text can only be a cell of a row, so that its line is not a header.
    static bool is_time_or_percent(std::string_view text) noexcept {
        // A number begins with a digit, a sign or a point, which are all below the letters that names begin with.
        if (text.empty() || text.front() > '9') return false;
        const cell_form form = read_form(text, false).form;
        return form == cell_form::time || form == cell_form::percent;
    }

    // Whether such a column can hold a cell of that form. (The caller has handled a bare 0, which any can hold.)
    static bool holds(table::unit unit, const cell_reading& r) noexcept {
        if (r.form == cell_form::missing || unit == table::unit::other) return true;
        return r.form == row_of(unit).form || (unit == table::unit::flops && r.form == cell_form::integer);
    }

    // Whether a text that is not empty can be a cell of FLOPs.
    static bool is_flops(std::string_view text) noexcept {
        return !text.empty() && holds(table::unit::flops, read_form(text, false));
    }

    // Reads a cell in a column of numbers. Returns error_kind::none if the column can hold it.
    static error_kind read_any_cell(table::unit unit, std::string_view text, number& value) noexcept {
        if (text == "0") {  // what PyTorch prints for asynchronous events
            value = 0;
            return error_kind::none;
        }
        const cell_reading r = read_form(text, unit == table::unit::bytes);
        const bool held = holds(unit, r);
        value = held ? r.value : number(text);
        if (held) return error_kind::none;
        // Overflow counts whatever the unit: `1e999 KB` overflows even in a column of times.
        if (read_form(text, true).form == cell_form::overflow) return error_kind::number_overflow;
        return unit == table::unit::count ? error_kind::not_an_integer : error_kind::not_a_number;
    }

    static error_kind read_any_cell(table::unit unit, table::cell& c) noexcept {
        number value;
        const error_kind problem = read_any_cell(unit, c.text(), value);
        cell_access::set(c, c.text(), value, unit, problem == error_kind::none && !value.is_text());
        return problem;
    }

    // A cell with the value that its text has in a column of this unit. A reader's cell has that value already. A
    // cell that a program made stays unmarked: nothing has checked that its text has no two blanks in a row.
    static table::cell cell_in(table::unit unit, const table::cell& c) noexcept {
        const std::string_view text = c.text();
        if (text.empty() || number_access::is_marked(c.value(), cell_access::mark_of(unit))) return c;
        table::cell read;
        number value;
        if (!holds_texts(unit)) read_any_cell(unit, text, value);
        cell_access::set(read, text, value, unit, false);
        return read;
    }
};

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

inline column::column(text_view column_name WLFMT_LIFETIMEBOUND) noexcept
    : name(column_name), unit(unit_of(column_name)), left_aligned(unit == table::unit::source) {}

inline cell::cell(text_view printed WLFMT_LIFETIMEBOUND) noexcept
    : text_(printed), value_(detail::table_cells::value_of_printed(printed)) {}

// A forward iterator. Its frames are views of the text, so they outlive the list.
class frame_list::iterator : public detail::list_iterator<frame_list::iterator, std::string_view, text_view> {
public:
    iterator() noexcept = default;
    std::uintptr_t decode() noexcept {
        while (!rest_.empty()) {
            detail::line_cursor lines(rest_);
            const std::string_view line = lines.next();
            rest_ = detail::view(lines.at(), lines.end());
            const std::size_t prefix = detail::prefixes::size_of(line, prefix_);
            if (prefix == detail::no_prefix) continue;
            current_ = detail::without_blanks(line.substr(prefix));
            if (!current_.empty()) return reinterpret_cast<std::uintptr_t>(current_.data());
        }
        return 0;
    }

private:
    friend class frame_list;
    explicit iterator(const frame_list& list) noexcept
        : list_iterator(list.own_.shared()), rest_(list.lines_), prefix_(list.prefix_) {
        advance();
    }

    std::string_view rest_ = {};
    std::string_view prefix_ = {};
};

inline bool frame_list::empty() const noexcept { return begin() == end(); }
inline frame_list::iterator frame_list::begin() const noexcept { return iterator(*this); }
inline frame_list::iterator frame_list::end() const noexcept { return {}; }
inline std::size_t frame_list::size() const noexcept { return detail::count_items(begin(), end()); }

}  // namespace table
}}  // namespace wlfmt::WLFMT_ABI

#endif
