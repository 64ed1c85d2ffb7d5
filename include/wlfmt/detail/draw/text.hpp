// Numbers and names as people read them in pictures and pages.
#ifndef WLFMT_DETAIL_DRAW_TEXT_HPP
#define WLFMT_DETAIL_DRAW_TEXT_HPP

#include <algorithm>
#include <cmath>

#include "../base/characters.hpp"
#include "../number/write.hpp"
#include "../table/cell.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

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
    return std::string(digits, static_cast<std::size_t>(write_fixed(digits, v, decimals) - digits));
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
    return to == "-0" ? "0" : to;
}
// `12,345.7`
inline std::string grouped_text(double v, int decimals) {
    std::string to = fixed_text(v, decimals);
    if (!std::isfinite(v)) return to;
    const std::size_t point = (std::min)(to.find('.'), to.size());
    const std::size_t first = to[0] == '-' ? 1 : 0;
    for (std::size_t at = point; at > first + 3; at -= 3) to.insert(at - 3, 1, ',');
    return to;
}
inline std::string count_text(std::uint64_t n) { return grouped_text(static_cast<double>(n), 0); }
// `1 rank`, `8 ranks`; `one` is a noun whose plural ends with `s`.
inline std::string counted_text(std::uint64_t n, std::string_view one) {
    return count_text(n).append(" ").append(one).append(n == 1 ? "" : "s");
}
// Milliseconds, to three digits or to whole numbers: a reader compares magnitudes.
inline std::string milliseconds_text(double ms) {
    const double size = std::fabs(ms);
    return grouped_text(ms, size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2);
}
inline std::string microseconds_text(double us) {
    const printed_unit& unit = unit_for(std::fabs(us), time_units<build>);
    return fixed_text(us / unit.size, 3).append(" ").append(unit.suffix);
}
// A number of bytes as a person reads it: `1.2 MiB`.
inline std::string bytes_text(double bytes) {
    constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t n = 0;
    while (bytes >= 1024 && std::isfinite(bytes) && n + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        ++n;
    }
    return joined({fixed_text(bytes, n == 0 ? 0 : 1), " ", units[n]});
}
inline std::string percent_text(double part, double whole, int decimals = 1) {
    return whole > 0 && std::isfinite(whole) ? fixed_text(100 * part / whole, decimals) + " %" : std::string("unknown");
}

// Whether the character turns the direction of the text after it, so that a name would change what its neighbours say.
inline bool turns_direction(std::string_view character) noexcept {
    const auto byte = [&](std::size_t n) -> unsigned { return static_cast<unsigned char>(character[n]); };
    if (character.size() != 3 || byte(0) != 0xE2) return false;
    // U+202A to U+202E, and U+2066 to U+2069
    return (byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
           (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
}
// A text in which a dot stands for every character that is not printable, or that turns directions.
inline std::string shown_text(std::string_view s) {
    std::string to;
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t size = utf8_size(s, at);
        const std::string_view one = s.substr(at, size == 0 ? 1 : size);
        at += one.size();
        const bool is_shown = one == "\n" || (size != 0 && is_printable(one) && !turns_direction(one));
        to.append(is_shown ? one : std::string_view("."));
    }
    return to;
}
// The same as a text of XML or HTML, between tags or as a value in double quotes.
inline std::string markup(std::string_view s) {
    std::string to;
    for (const char c : shown_text(s)) switch (c) {
        case '&': to += "&amp;"; break;
        case '<': to += "&lt;"; break;
        case '>': to += "&gt;"; break;
        case '"': to += "&quot;"; break;
        default: to += c;
        }
    return to;
}
// Cut in its middle, as names differ at their ends.
inline std::string shortened(std::string_view s, std::size_t most) {
    if (count_characters(s) <= most) return std::string(s);
    const std::size_t head = character_start(s, most / 2);
    const std::size_t tail = character_start(s, s.size() - (most / 2 - 1));
    return joined({s.substr(0, head), "..", s.substr(tail)});
}
// How wide a text is about, in pixels: fonts differ, and this is on the wide side.
inline double width_of(std::string_view s, double font_size) {
    const auto capitals = std::count_if(s.begin(), s.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    return font_size * (0.54 * static_cast<double>(count_characters(s)) + 0.23 * static_cast<double>(capitals));
}

// The step of an axis of about `steps` steps: 1, 2 or 5 times a power of ten.
inline double axis_step(double range, int steps) {
    if (!(range > 0)) return 1;
    const double raw = range / steps;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double times = raw / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}
// How many decimals the numbers of an axis need.
inline int axis_decimals(double step) { return step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9)); }

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
