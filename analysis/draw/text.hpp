// Turns numbers into text for sentences, pictures and pages.
#ifndef WLFMT_ANALYSIS_DRAW_TEXT_HPP
#define WLFMT_ANALYSIS_DRAW_TEXT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include <wlfmt/number.hpp>

namespace wlfmt::analysis {

// A part of a text: another text, which must outlive it, or the digits of a whole number. A bool or a character does
// not compile.
class text_piece {
public:
    text_piece(std::string_view s) : text_(s) {}
    text_piece(const std::string& s) : text_(s) {}
    text_piece(const char* s) : text_(s) {}
    template <class Integer, std::enable_if_t<std::is_integral_v<Integer> && (sizeof(Integer) > 1), int> = 0>
    text_piece(Integer n) : digits_(std::to_string(n)), text_(digits_) {}
    text_piece(const text_piece&) = delete;  // text_ may be a view of digits_
    text_piece& operator=(const text_piece&) = delete;
    std::string_view text() const noexcept { return text_; }

private:
    std::string digits_;
    std::string_view text_;
};
inline void append(std::string& text, std::initializer_list<text_piece> pieces) {
    for (const text_piece& piece : pieces) text += piece.text();
}
inline std::string joined(std::initializer_list<text_piece> pieces) {
    std::string text;
    append(text, pieces);
    return text;
}

// A number with that many decimals. A sum may exceed what a double holds; a NaN that results is shown as unknown.
inline std::string fixed_text(double v, int decimals) {
    if (!std::isfinite(v)) return v > 0 ? "over 1.8e308" : v < 0 ? "below -1.8e308" : "unknown";
    std::string text;
    append_fixed(text, v, decimals);
    // A number that rounds to 0 has no sign.
    if (text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
    return text;
}
// The number with all digits that distinguish it from other numbers.
inline std::string exact_text(double v) {
    std::string text;
    append_value(text, v);
    return text;
}
// The number with at most six decimals and no trailing zeros; 0 if it is not finite.
inline std::string decimals_text(double v) {
    if (!std::isfinite(v)) return "0";
    std::string text = fixed_text(v, 6);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}
// `12,345.7`
inline std::string grouped_text(double v, int decimals) {
    std::string text = fixed_text(v, decimals);
    if (!std::isfinite(v)) return text;
    const std::size_t point = (std::min)(text.find('.'), text.size());
    const std::size_t first = text[0] == '-' ? 1 : 0;
    for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}
inline std::string count_text(std::uint64_t n) { return grouped_text(static_cast<double>(n), 0); }
// `1 rank`, `8 ranks`. The plural must end with `s`.
inline std::string counted_text(std::uint64_t n, std::string_view singular) {
    return count_text(n).append(" ").append(singular).append(n == 1 ? "" : "s");
}
// The number with three significant digits, or more if its whole part has more, so that readers can compare magnitudes:
// `1,154`, `12.0`, `3.27`, `0.25`. What is below a millionth is left by sums of doubles, and is 0.
inline std::string digits_text(double v) {
    const double size = std::fabs(v);
    if (size < 1e-6) return "0";
    int decimals = 0;
    double least = 99.95;
    while (size < least && decimals != 8) {
        least /= 10;
        ++decimals;
    }
    std::string text = grouped_text(v, decimals);
    for (; decimals > 2 && text.back() == '0'; --decimals) text.pop_back();
    return text;
}
inline std::string milliseconds_text(double ms) { return digits_text(ms); }
// `1.2 MiB`
inline std::string bytes_text(double bytes) {
    constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t n = 0;
    for (; std::fabs(bytes) >= 1024 && std::isfinite(bytes) && n + 1 < sizeof units / sizeof *units; ++n) bytes /= 1024;
    return joined({n == 0 ? fixed_text(bytes, 0) : digits_text(bytes), " ", units[n]});
}
// `12.3 %`. What is less or more than 100 % is not printed as such.
inline std::string percent_text(double percent) {
    std::string text = digits_text(percent);
    for (int decimals = 1; decimals != 6 && text.find_first_not_of("0.", 3) == text.npos &&
                           text.compare(0, 3, "100") == 0 && std::fabs(percent - 100) > 1e-6;
         ++decimals)
        text = fixed_text(percent, decimals);
    return text + " %";
}
inline std::string percent_text(double part, double whole) {
    return whole > 0 && std::isfinite(whole) ? percent_text(100 * part / whole) : std::string("unknown");
}

}  // namespace wlfmt::analysis

#endif
