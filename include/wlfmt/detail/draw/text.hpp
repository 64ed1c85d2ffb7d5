// How sentences, pictures and pages show numbers.
#ifndef WLFMT_DETAIL_DRAW_TEXT_HPP
#define WLFMT_DETAIL_DRAW_TEXT_HPP

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "../number/write.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// A part of a text: a text, which must outlive it, or a whole number in digits. A bool or a character is neither.
class text_piece {
public:
    text_piece(std::string_view s) : text_(s) {}
    text_piece(const std::string& s) : text_(s) {}
    text_piece(const char* s) : text_(s) {}
    template <class Integer, std::enable_if_t<std::is_integral_v<Integer> && (sizeof(Integer) > 1), int> = 0>
    text_piece(Integer n) : digits_(std::to_string(n)), text_(digits_) {}
    text_piece(const text_piece&) = delete;  // text_ may view digits_
    text_piece& operator=(const text_piece&) = delete;
    std::string_view text() const noexcept { return text_; }

private:
    std::string digits_;
    std::string_view text_;
};
inline void append(std::string& to, std::initializer_list<text_piece> pieces) {
    for (const text_piece& one : pieces) to += one.text();
}
inline std::string joined(std::initializer_list<text_piece> pieces) {
    std::string to;
    append(to, pieces);
    return to;
}

// A sum may be beyond what a double holds; what is computed from it is unknown then.
inline std::string fixed_text(double v, int decimals) {
    if (!std::isfinite(v)) return v > 0 ? "over 1.8e308" : v < 0 ? "below -1.8e308" : "unknown";
    char digits[max_fixed_chars];
    // The axis of numbers that are nearly 0 has more decimals than write_fixed() takes.
    const char* const end = decimals > 6 ? write_any_fixed(digits, v, decimals) : write_fixed(digits, v, decimals);
    std::string to(digits, static_cast<std::size_t>(end - digits));
    // What rounds to 0 has no sign.
    if (to[0] == '-' && to.find_first_not_of("-0.") == std::string::npos) to.erase(0, 1);
    return to;
}
// All digits that distinguish the number, as JSON has it.
inline std::string exact_text(double v) {
    char digits[max_repr_chars];
    return std::string(digits, static_cast<std::size_t>(write_repr(digits, v) - digits));
}
// A number as JSON has it: at most six decimals, and no zeros at their end.
inline std::string decimals_text(double v) {
    if (!std::isfinite(v)) return "0";
    std::string to = fixed_text(v, 6);
    to.erase(to.find_last_not_of('0') + 1);
    if (to.back() == '.') to.pop_back();
    return to;
}
inline std::string grouped_text(double v, int decimals) {  // `12,345.7`
    std::string to = fixed_text(v, decimals);
    if (!std::isfinite(v)) return to;
    const std::size_t point = (std::min)(to.find('.'), to.size());
    const std::size_t first = to[0] == '-' ? 1 : 0;
    for (std::size_t at = point; at > first + 3; at -= 3) to.insert(at - 3, 1, ',');
    return to;
}
inline std::string count_text(std::uint64_t n) { return grouped_text(static_cast<double>(n), 0); }
// `1 rank`, `8 ranks`; the plural of `one` ends with `s`.
inline std::string counted_text(std::uint64_t n, std::string_view one) {
    return count_text(n).append(" ").append(one).append(n == 1 ? "" : "s");
}
// Milliseconds, to three digits or to whole numbers: a reader compares magnitudes.
inline std::string milliseconds_text(double ms) {
    const double size = std::fabs(ms);
    return grouped_text(ms, size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2);
}
inline std::string bytes_text(double bytes) {  // `1.2 MiB`
    constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t n = 0;
    for (; bytes >= 1024 && std::isfinite(bytes) && n + 1 < sizeof units / sizeof *units; ++n) bytes /= 1024;
    return joined({fixed_text(bytes, n == 0 ? 0 : 1), " ", units[n]});
}
inline std::string percent_text(double part, double whole, int decimals = 1) {
    return whole > 0 && std::isfinite(whole) ? fixed_text(100 * part / whole, decimals) + " %" : std::string("unknown");
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
