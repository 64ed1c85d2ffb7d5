// The layout that the interchange form carries where JSON leaves freedom: in the white space between its tokens, and in
// the spelling of numbers. The rules: docs/formats.md, 4.6.
#ifndef WLFMT_DETAIL_JSON_LAYOUT_HPP
#define WLFMT_DETAIL_JSON_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../table.hpp"
#include "../base/characters.hpp"
#include "../number/decimal.hpp"
#include "../table/cell.hpp"
#include "../table/write.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// One space says nothing, as many programs that write JSON put one after each colon and comma.
inline constexpr std::size_t layout_spaces = 2;
// A column has at least as many spaces as this if they are its width, and at most that many are written.
inline constexpr std::size_t least_layout_width = 3;
inline constexpr std::size_t most_layout_width = std::size_t{1} << 20;
// What PyTorch prints above a table of top-level events.
inline constexpr std::string_view top_level_title = "This report only display top-level ops statistics";

inline namespace WLFMT_IMPL {

template <class Kernel = kernel>
inline bool is_json_number(std::string_view t) noexcept {
    const char* p = t.data();
    const char* const end = p + t.size();
    const auto digits = [&] {
        const char* const begin = p;
        while (p != end && is_digit(*p)) ++p;
        return p != begin;
    };
    if (p != end && *p == '-') ++p;
    if (p != end && *p == '0')
        ++p;
    else if (!digits())
        return false;
    if (p != end && *p == '.' && (++p, !digits())) return false;
    if (p != end && (*p | 0x20) == 'e') {
        if (++p != end && (*p == '+' || *p == '-')) ++p;
        if (!digits()) return false;
    }
    return p == end;
}

// Can JSON have the text of a number as it is? Of decimals, only those of at most 17 digits, which are as many as a
// double takes: simdjson 3.0 reads some longer ones, such as 0.92233720368547758070, as another value.
template <class Kernel = kernel>
inline bool can_be_spelled(std::string_view t) noexcept {
    constexpr std::size_t most_digits = 17;
    if (!is_json_number(t)) return false;
    const std::string_view mantissa = t.substr(0, t.find_first_of("eE"));
    if (mantissa.size() == t.size() && t.find('.') == std::string_view::npos) return true;
    std::size_t count = 0;  // without leading zeros
    for (const char c : mantissa) count += is_digit(c) && (count != 0 || c != '0');
    return count <= most_digits;
}

// What PyTorch prints where there is no value.
inline std::string_view text_of_nothing(table::unit unit) noexcept {
    return unit == table::unit::percent ? "NaN" : unit == table::unit::flops ? "--" : "";
}

// How JSON tells the text of a cell that holds a value.
enum class cell_layout : std::uint8_t {
    usual,       // PyTorch prints that text for the value
    old_memory,  // PyTorch up to 2.6 does: `Kb`
    spelled,     // the number is spelled as the text is, with the unit's power of ten as the exponent
    other        // JSON has the value alone
};

// The digits of a cell's text that JSON can have as they are, and the power of ten of its unit as a digit; empty where
// there are none.
struct spelled_digits {
    std::string_view digits = {};
    char exponent = '0';
};
template <class Kernel = kernel>
inline spelled_digits spelled_digits_of(std::string_view text, table::unit unit) noexcept {
    spelled_digits s;
    std::size_t unit_size = 0;
    if (unit == table::unit::microseconds) {
        const char before = text.size() < 2 ? '\0' : text[text.size() - 2];
        s.exponent = before == 'u' ? '0' : before == 'm' ? '3' : '6';
        unit_size = before == 'u' || before == 'm' ? 2 : 1;
    } else if (unit == table::unit::percent) {
        unit_size = 1;
    }
    // Bare numbers, as a `0`, have no unit.
    if (!text.empty() && is_digit(text.back())) {
        s.exponent = '0';
        unit_size = 0;
    }
    if (text.size() <= unit_size) return s;
    const std::string_view digits = text.substr(0, text.size() - unit_size);
    if (can_be_spelled(digits) && is_digit(digits.back()) && digits.find_first_of("eE") == std::string_view::npos)
        s.digits = digits;
    return s;
}
// The other way round: the text of a cell whose number is spelled with such an exponent; its size, 0 where there is no
// such spelling. `to` has room for the number and two characters.
template <class Kernel = kernel>
inline std::size_t write_spelled(char* to, std::string_view spelling, table::unit unit) noexcept {
    if (spelling.size() < 3 || spelling[spelling.size() - 2] != 'e') return 0;
    const char exponent = spelling.back();
    const bool time = unit == table::unit::microseconds;
    if (exponent != '0' && !(time && (exponent == '3' || exponent == '6'))) return 0;
    char* const begin = to;
    to = write_bytes(to, spelling.data(), spelling.size() - 2);
    if (time && exponent != '6') *to++ = exponent == '0' ? 'u' : 'm';
    if (time) *to++ = 's';
    if (unit == table::unit::percent) *to++ = '%';
    return static_cast<std::size_t>(to - begin);
}

template <class Kernel = kernel>
inline bool is_same_number(const number& a, const number& b) noexcept {
    if (a.is_integer() || b.is_integer()) {
        return a.is_integer() && b.is_integer() && number_access::integer(a) == number_access::integer(b);
    }
    return a.is_decimal() && b.is_decimal() && bits_of(number_access::decimal(a)) == bits_of(number_access::decimal(b));
}

// Of a text that was read as a number and a unit: does the number have that many digits after its point, at most 13
// characters in all, and no sign or zero before it that is not printed? Its other characters are digits then.
template <class Kernel = kernel>
WLFMT_INLINE bool has_printed_digits(std::string_view text, std::size_t unit_size, std::size_t decimals) noexcept {
    const std::size_t after = unit_size + decimals + (decimals != 0 ? 1 : 0);
    const std::size_t sign = text.front() == '-' ? 1 : 0;
    if (text.size() <= sign + after || text.size() > 13 + unit_size) return false;
    if (decimals != 0 && text[text.size() - after] != '.') return false;
    return is_digit(text[sign]) && (text[sign] != '0' || text.size() == sign + 1 + after);
}

// The layout of memory that was read in its column; cell_layout::other if it is not a usual one.
template <class Kernel = kernel>
inline cell_layout layout_of_memory(std::string_view text, double bytes) noexcept {
    constexpr double kb = 1024;
    const double size = bytes < 0 ? -bytes : bytes;
    const std::string_view unit = size < kb ? " B" : size < kb * kb ? " KB" : size < kb * kb * kb ? " MB" : " GB";
    if (!has_printed_digits(text, unit.size(), size < kb ? 0 : 2)) return cell_layout::other;
    const std::string_view printed = text.substr(text.size() - unit.size());
    if (printed.substr(0, unit.size() - 1) != unit.substr(0, unit.size() - 1)) return cell_layout::other;
    return printed.back() == 'B' ? cell_layout::usual : cell_layout::old_memory;
}

// The layout of any cell with a text and a value, in a column of that unit.
template <class Kernel = kernel>
WLFMT_NOINLINE inline cell_layout layout_of_any(const table::cell& cell, table::unit unit) noexcept {
    const std::string_view text = cell.text();
    char buffer[max_value_chars];
    const std::string_view printed = view(buffer, write_value(buffer, unit, cell.value()));
    if (printed == text) return cell_layout::usual;
    const std::size_t size = text.size();
    const bool old =
        unit == table::unit::bytes && printed.size() == size && printed.back() == 'B' && text.back() == 'b';
    if (old && printed.substr(0, size - 1) == text.substr(0, size - 1)) return cell_layout::old_memory;
    number said;
    const bool agrees = read_any_cell(unit, text, said) == error_kind::none && is_same_number(said, cell.value());
    return agrees && !spelled_digits_of(text, unit).digits.empty() ? cell_layout::spelled : cell_layout::other;
}
// The same, faster for what PyTorch prints.
template <class Kernel = kernel>
WLFMT_INLINE cell_layout layout_of(const table::cell& cell, table::unit unit) noexcept {
    if (!cell_access::is_marked(cell, cell_access::mark_of(unit))) return layout_of_any(cell, unit);
    const std::string_view text = cell.text();
    bool usual = false;
    if (unit == table::unit::count) {
        usual = has_printed_digits(text, 0, 0);
    } else if (cell.value().is_decimal()) {
        const double v = number_access::decimal(cell.value());
        if (unit == table::unit::microseconds) {
            const char before = text[text.size() - 2];
            const bool fits = v >= 1e6 ? is_digit(before) : before == (v >= 1e3 ? 'm' : 'u');
            usual = fits && has_printed_digits(text, v >= 1e6 ? 1 : 2, 3);
        } else if (unit == table::unit::percent) {
            usual = has_printed_digits(text, 1, 2);
        } else if (unit == table::unit::bytes) {
            const cell_layout layout = layout_of_memory(text, v);
            if (layout != cell_layout::other) return layout;
        }
    }
    return WLFMT_LIKELY(usual) ? cell_layout::usual : layout_of_any(cell, unit);
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
