// The layout that the interchange form carries where JSON leaves freedom: in the white space between its tokens, and in
// the spelling of numbers. The rules: docs/formats.md, 4.6.
#ifndef WLFMT_DETAIL_JSON_LAYOUT_HPP
#define WLFMT_DETAIL_JSON_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../table.hpp"
#include "../core/characters.hpp"
#include "../core/decimal.hpp"
#include "../table/cell.hpp"
#include "../table/write.hpp"

#include "../core/begin.hpp"

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

// Is the only entry the number of the last bottom layer, which has no key?
inline constexpr std::string_view dlrm_key = "DLRM_LAST_BOTTOM_LAYER";
template <class Entries>
bool is_dlrm(std::string_view policy, const Entries& entries) noexcept {
    return (policy == "HYBRID_DLRM" || policy == "HYBRID_DLRM_ENHANCED") && entries.size() == 1;
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

// A number of that many digits after the point, and at most 13 in all, as a text that ends in a unit has it.
template <class Kernel = kernel>
inline bool has_fixed_digits(std::string_view t, std::size_t decimals) noexcept {
    if (!t.empty() && t.front() == '-') t.remove_prefix(1);
    const std::size_t fraction = decimals == 0 ? 0 : decimals + 1;
    if (t.size() <= fraction || t.size() > 14) return false;
    const std::size_t whole = t.size() - fraction;
    if (t.front() == '0' && whole != 1) return false;
    for (std::size_t n = 0; n != t.size(); ++n)
        if (n == whole && fraction != 0 ? t[n] != '.' : !is_digit(t[n])) return false;
    return true;
}

// What comes after the digits where PyTorch prints a value in a column of that unit, and how many of these are after
// the point.
struct printed_form {
    std::size_t decimals;
    std::string_view unit;
};
template <class Kernel = kernel>
inline printed_form printed_form_of(table::unit unit, double v) noexcept {
    constexpr double kb = 1024;
    const double size = v < 0 ? -v : v;
    switch (unit) {
    case table::unit::percent: return {2, "%"};
    case table::unit::flops: return {3, ""};
    case table::unit::microseconds: return {3, v >= 1e6 ? "s" : v >= 1e3 ? "ms" : "us"};
    case table::unit::bytes:
        if (size < kb) return {0, " B"};
        return {2, size >= kb * kb * kb ? " GB" : size >= kb * kb ? " MB" : " KB"};
    default: return {0, ""};
    }
}

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
    if (is_json_number(digits) && is_digit(digits.back()) && digits.find_first_of("eE") == std::string_view::npos)
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

// Of a cell that has both a text and a value, in a column of that unit.
template <class Kernel = kernel>
inline cell_layout layout_of(std::string_view text, const number& v, table::unit unit) noexcept {
    if (v.is_decimal() || unit == table::unit::count) {
        const printed_form form = printed_form_of(unit, v.value_or(0));
        const std::size_t size = form.unit.size();
        if (unit != table::unit::other && text.size() > size) {
            const std::string_view printed_unit = text.substr(text.size() - size);
            const bool digits = has_fixed_digits(text.substr(0, text.size() - size), form.decimals);
            if (digits && printed_unit == form.unit) return cell_layout::usual;
            if (digits && unit == table::unit::bytes && printed_unit.back() == 'b' &&
                printed_unit.substr(0, size - 1) == form.unit.substr(0, size - 1))
                return cell_layout::old_memory;
        }
    }
    char printed[max_value_chars];
    if (view(printed, write_value(printed, unit, v)) == text) return cell_layout::usual;
    number said;
    const bool agrees = read_any_cell(unit, text, said) == error_kind::none && is_same_number(said, v);
    return agrees && !spelled_digits_of(text, unit).digits.empty() ? cell_layout::spelled : cell_layout::other;
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"
#endif
