// Reads integers and decimals, correctly rounded: short forms on a fast path, and all others on a slow one.
#ifndef WLFMT_DETAIL_NUMBER_READ_HPP
#define WLFMT_DETAIL_NUMBER_READ_HPP

#include <limits>
#include <system_error>

#include "../base/scan.hpp"
#include "exact.hpp"
#include "write.hpp"

#include "../base/config.hpp"
#if defined(WLFMT_FAST_FLOAT)
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max
#include <fast_float/fast_float.h>
#pragma pop_macro("max")
#pragma pop_macro("min")
#elif !defined(__cpp_lib_to_chars)
#error "wlfmt needs fast_float on the include path: this standard library has no std::from_chars for double."
#endif

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The result of reading a number. `invalid`: there is no number. `overflow`: the number does not fit its type.
enum class number_status : std::uint8_t { ok, invalid, overflow };

// The parts of a number's text.
struct number_text {
    const char* first = nullptr;         // the place after the sign
    const char* mantissa_end = nullptr;  // the place after the digits and the point
    const char* end = nullptr;           // the place after the number; null if there is no number
    std::uint64_t mantissa = 0;          // the first 19 significant digits
    std::int64_t exponent = 0;           // the value is mantissa * 10^exponent, or a little more if digits follow
    std::int64_t marked_exponent = 0;    // the number after the `e`
    bool negative = false;
    bool decimal = false;  // has a point or an exponent
};
inline constexpr std::ptrdiff_t max_mantissa_digits = 19;

// Adds consecutive digits to the mantissa, modulo 2^64; returns where they end.
WLFMT_INLINE const char* add_digits(const char* p, const char* end, std::uint64_t& mantissa) noexcept {
    while (end - p >= 8) {
        const std::uint64_t word = load_eight(p) ^ every_byte('0');
        const std::uint64_t stops = not_digits(word);
        const unsigned size = stops == 0 ? 8 : trailing_zeros(stops) / 8;
        if (size == 0) return p;
        mantissa = mantissa * integer_powers_of_ten[size] + join_digits(word << 8 * (8 - size));
        p += size;
        if (size < 8) return p;
    }
    for (; p != end && is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<unsigned>(*p - '0');
    return p;
}

// Passes the first max_digits significant digits to `add` and returns the exponent of the number that they make. Sets
// `lost` if it leaves out a digit other than 0.
template <class Add>
std::int64_t add_first_digits(const number_text& t, std::ptrdiff_t max_digits, bool& lost, const Add& add) noexcept {
    std::int64_t exponent = t.marked_exponent;
    bool fraction = false;
    bool significant = false;
    for (const char* p = t.first; p != t.mantissa_end; ++p) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        significant = significant || *p != '0';
        const bool kept = max_digits != 0;
        exponent += (kept ? 0 : 1) - (fraction ? 1 : 0);
        lost = lost || (!kept && *p != '0');
        if (!kept || !significant) continue;
        --max_digits;
        add(static_cast<unsigned>(*p - '0'));
    }
    return exponent;
}

// Computes the mantissa again from the first 19 digits, if there are too many digits for 64 bits.
WLFMT_COLD inline void cut_mantissa(number_text& t) noexcept {
    bool lost = false;
    t.mantissa = 0;
    t.exponent =
        add_first_digits(t, max_mantissa_digits, lost, [&](unsigned digit) { t.mantissa = t.mantissa * 10 + digit; });
}

// Reads [eE][+-]?\d+ and returns its end; returns p if there is none.
inline const char* add_exponent(const char* p, const char* end, std::int64_t& exponent) noexcept {
    const char* q = p + 1;
    if (q == end) return p;
    // No branch for the sign: a file may have both signs in any order, so it would be unpredictable.
    const bool negative = *q == '-';
    q += negative | (*q == '+');
    if (q == end || !is_digit(*q)) return p;
    // Beyond the limit, a number is 0 or too large, whatever its mantissa. Sums of such exponents cannot overflow.
    constexpr std::int64_t limit = std::int64_t{1} << 60;
    std::int64_t value = 0;
    for (; q != end && is_digit(*q); ++q) {
        if (value < limit / 10) value = value * 10 + (*q - '0');
    }
    exponent = negative ? -value : value;
    return q;
}

// Scans [+-]?\d+ for an integer, else [+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?
WLFMT_INLINE number_text scan_number(const char* p, const char* end, bool integer = false) noexcept {
    number_text t;
    t.negative = p != end && *p == '-';
    t.first = t.negative || (p != end && *p == '+') ? p + 1 : p;
    const char* q = add_digits(t.first, end, t.mantissa);
    std::ptrdiff_t digits = q - t.first;
    if (!integer && q != end && *q == '.') {
        const char* const fraction = q + 1;
        q = add_digits(fraction, end, t.mantissa);
        t.exponent = fraction - q;
        t.decimal = true;
        digits += q - fraction;
    }
    if (digits == 0) return t;
    t.mantissa_end = t.end = q;
    if (!integer && q != end && is_exponent_mark(*q)) {
        t.end = add_exponent(q, end, t.marked_exponent);
        t.exponent += t.marked_exponent;
        t.decimal |= t.end != q;
    }
    if (WLFMT_UNLIKELY(digits > max_mantissa_digits)) cut_mantissa(t);
    return t;
}

// The nearest double to an unsigned decimal, from fast_float or the standard library.
inline std::errc nearest_double(const char* first, const char* last, double& value) noexcept {
#if defined(WLFMT_FAST_FLOAT)
    return fast_float::from_chars(first, last, value).ec;
#else
    return std::from_chars(first, last, value).ec;
#endif
}

// The nearest double to the number times 10^shift10. The libraries take no scale, so the text is written again with
// another exponent.
inline std::errc nearest_scaled(const number_text& t, int shift10, double& value) noexcept {
    // A number halfway between two doubles has at most 768 digits; one more digit stands for all that follow.
    constexpr std::ptrdiff_t max_digits = 768;
    char text[max_digits + 2 + max_integer_chars];
    std::size_t size = 0;
    bool lost = false;
    const auto add = [&](unsigned digit) { text[size++] = static_cast<char>('0' + digit); };
    std::int64_t exponent = shift10 + add_first_digits(t, max_digits, lost, add);
    if (lost) {
        text[size++] = '1';
        --exponent;
    }
    // For mantissas up to 2^53, libraries multiply doubles, a product that the x87 rounds twice. Zeros make the
    // mantissa greater than that.
    while (!exact_arithmetic && size < static_cast<std::size_t>(max_mantissa_digits)) {
        text[size++] = '0';
        --exponent;
    }
    text[size++] = 'e';
    constexpr std::int64_t limit = 99999;
    exponent = exponent > limit ? limit : exponent < -limit ? -limit : exponent;
    return nearest_double(text, write_integer(text + size, exponent), value);
}

struct read_result {
    number value;
    const char* end;  // the place after the number; the start of the text if there is no number
    number_status status;
};

// The number times 10^shift10 as a double.
inline read_result as_decimal(const number_text& t, int shift10) noexcept {
    const std::int64_t exponent = t.exponent + shift10;
    double magnitude = 0;
    // A mantissa that lacks digits has 19 of them, so it is too large for the exact path.
    if (exact_arithmetic && t.mantissa <= max_exact_integer && exponent >= -max_exact_power &&
        exponent <= max_exact_power) {
        magnitude = exact_scaled(t.mantissa, static_cast<int>(exponent));
    } else if (t.mantissa != 0) {
        const bool as_written = shift10 == 0 && exact_arithmetic;
        const std::errc e =
            as_written ? nearest_double(t.first, t.end, magnitude) : nearest_scaled(t, shift10, magnitude);
        // Libraries differ in how they report numbers that are too large or too small, and in the value that they set.
        if (e != std::errc() || bits_of(magnitude) == infinity_bits) {
            if (exponent > 0) return {number(), t.end, number_status::overflow};
            magnitude = 0;
        }
    }
    return {t.negative ? double_of(bits_of(magnitude) | sign_bit) : magnitude, t.end, number_status::ok};
}

// The value of a number with neither point nor exponent.
inline read_result as_integer(const number_text& t) noexcept {
    constexpr std::uint64_t greatest = (std::numeric_limits<std::int64_t>::max)();
    if (t.exponent != 0 || t.mantissa > greatest + t.negative) return {number(), t.end, number_status::overflow};
    return {static_cast<std::int64_t>(t.negative ? 0 - t.mantissa : t.mantissa), t.end, number_status::ok};
}

// Reads nan, inf and -inf, spelled as Python prints them and in no other way.
inline read_result read_word(const char* p, const char* end) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (starts(p, end, "nan")) return {std::numeric_limits<double>::quiet_NaN(), p + 3, number_status::ok};
    if (starts(p, end, "inf")) return {infinity, p + 3, number_status::ok};
    if (starts(p, end, "-inf")) return {-infinity, p + 4, number_status::ok};
    return {number(), p, number_status::invalid};
}

// These return the end of the number by value, as a pointer whose address escapes stays in memory. They are not marked
// cold, as nearly all numbers of a file may need them.
inline read_result read_any_number(const char* p, const char* end) noexcept {
    const number_text t = scan_number(p, end);
    if (WLFMT_UNLIKELY(t.end == nullptr)) return read_word(p, end);
    return t.decimal ? as_decimal(t, 0) : as_integer(t);
}
inline read_result read_any_integer(const char* p, const char* end) noexcept {
    const number_text t = scan_number(p, end, true);
    return t.end == nullptr ? read_result{number(), p, number_status::invalid} : as_integer(t);
}

// The functions that other files use. `end` is the end of the whole text, not of the field: the fast path needs sixteen
// bytes after p. With `ok`, p is after the longest number there (`1e` is `1` and an `e`), and the caller checks what
// follows. Otherwise the value is unchanged, and so is p, except that with `overflow` it is after the number.

// Reads [+-]?\d+ as a signed integer of 64 bits.
WLFMT_INLINE number_status read_integer(const char*& p, const char* end, std::int64_t& value) noexcept {
    if (WLFMT_LIKELY(end - p >= short_form_block && read_few(p, value))) return number_status::ok;
    const read_result r = read_any_integer(p, end);
    if (r.status == number_status::ok) value = number_access::integer(r.value);
    p = r.end;
    return r.status;
}

// Reads an integer or, with a point or an exponent, a decimal, correctly rounded (scan_number() has the syntax). Also
// reads nan, inf and -inf.
WLFMT_INLINE number_status read_number(const char*& p, const char* end, number& value) noexcept {
    if (WLFMT_LIKELY(exact_arithmetic && end - p >= short_form_block)) {
        const short_form f = find_short_form(p);
        if (WLFMT_LIKELY(f.size != 0 && !is_exponent_mark(p[f.size]))) {
            value = short_form_number(p, f);
            p += f.size;
            return number_status::ok;
        }
    }
    const read_result r = read_any_number(p, end);
    if (r.status == number_status::ok) value = r.value;
    p = r.end;
    return r.status;
}

// These read a number and the literal after it, up to a bound (scan.hpp), and return the place after both. They return
// null, and leave the value unchanged, if these are not there.

// Reads what read_few() reads: a number that usually has few digits and is of one `Kind`, std::int64_t or double. Also
// returns null for any other number.
template <class Kind, class Bound, std::size_t N>
WLFMT_INLINE const char* read_few_before(const char* p, Bound bound, number& value, const char (&literal)[N]) noexcept {
    if (WLFMT_UNLIKELY(!exact_arithmetic || !holds(bound, p, short_form_block))) return nullptr;
    Kind few{};
    if (WLFMT_UNLIKELY(!read_few(p, few) || !starts(p, bound, literal))) return nullptr;
    value = few;
    return p + (N - 1);
}
// Reads numbers in their short form. Also returns null for any other number.
template <class Bound, std::size_t N>
WLFMT_INLINE const char* read_short_before(const char* p, Bound bound, number& value,
                                           const char (&literal)[N]) noexcept {
    if (WLFMT_UNLIKELY(!exact_arithmetic || !holds(bound, p, short_form_block))) return nullptr;
    const short_form f = find_short_form(p);
    if (WLFMT_UNLIKELY(f.size == 0 || !starts(p + f.size, bound, literal))) return nullptr;
    value = short_form_number<std::is_same_v<Bound, padded>>(p, f);
    return p + f.size + (N - 1);
}
template <class Bound, std::size_t N>
WLFMT_INLINE const char* read_number_before(const char* p, Bound bound, number& value,
                                            const char (&literal)[N]) noexcept {
    if (const char* const after = read_short_before(p, bound, value, literal)) return after;
    const read_result r = read_any_number(p, end_of(bound));
    if (r.status != number_status::ok || !goes_on(bound, r.end) || !starts(r.end, bound, literal)) return nullptr;
    value = r.value;
    return r.end + (N - 1);
}

// Reads a whole number of 64 bits, written as an integer or as `2621440.0` or `2e6`, but none that would have to be
// rounded. Computes it from the digits, as a double cannot hold every integer beyond 2^53.
inline bool read_whole(const char* p, const char* end, std::int64_t& value) noexcept {
    number_text t = scan_number(p, end);
    if (t.end != end || p == end) return false;
    // A whole number of 64 bits has no more significant digits than this.
    bool lost = false;
    std::int64_t exponent = add_first_digits(t, max_mantissa_digits, lost, [](unsigned) {});
    for (; exponent < 0 && t.mantissa != 0; ++exponent, t.mantissa /= 10) lost = lost || t.mantissa % 10 != 0;
    for (; exponent > 0 && t.mantissa != 0 && !lost; --exponent, t.mantissa *= 10) lost = t.mantissa > UINT64_MAX / 10;
    t.exponent = 0;
    const read_result r = as_integer(t);
    if (lost || r.status != number_status::ok) return false;
    value = number_access::integer(r.value);
    return true;
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
