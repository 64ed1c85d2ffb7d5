// Writes integers, and decimals as Python prints them: with repr(), or with a fixed number of decimals.
#ifndef WLFMT_DETAIL_NUMBER_WRITE_HPP
#define WLFMT_DETAIL_NUMBER_WRITE_HPP

#include "../base/scan.hpp"
#include "digits.hpp"
#include "exact.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The number of bytes at `out` that a function may overwrite, however short its text is. It returns the text's end.
inline constexpr std::size_t max_integer_chars = 20;
inline constexpr std::size_t max_repr_chars = 32;

// write_eight() writes a number below 10^8 in eight characters, write_up_to_eight() in as few as it takes, but at least
// `Least`. Both store eight bytes.
WLFMT_INLINE char* write_eight(char* out, std::uint64_t v) noexcept {
    store_eight(out, split_digits(v) | every_byte('0'));
    return out + 8;
}
template <int Least = 1> WLFMT_INLINE char* write_up_to_eight(char* out, std::uint64_t v) noexcept {
    const std::uint64_t digits = split_digits(v);
    const unsigned leading = trailing_zeros(digits | std::uint64_t{1} << 8 * (8 - Least)) / 8;
    store_eight(out, (digits | every_byte('0')) >> 8 * leading);
    return out + 8 - leading;
}

#if defined(WLFMT_SSE2) && defined(__x86_64__)
// Writes a number of 9 to 16 digits, given as its first digits and its last eight, which are split side by side.
WLFMT_INLINE char* write_two_eights(char* out, std::uint64_t head, std::uint64_t tail) noexcept {
    const sse2::m128i halves = sse2::unpacklo_epi64(sse2::cvtsi64_si128(static_cast<long long>(head)),
                                                    sse2::cvtsi64_si128(static_cast<long long>(tail)));
    const sse2::m128i high = sse2::srli_epi64(sse2::mul_epu32(halves, sse2::set1_epi32(109951163)), 40);
    const sse2::m128i low = sse2::sub_epi32(halves, sse2::mul_epu32(high, sse2::set1_epi32(10000)));
    const sse2::m128i fours = sse2::or_si128(high, sse2::slli_epi64(low, 32));
    const sse2::m128i hundreds = sse2::srli_epi16(sse2::mulhi_epu16(fours, sse2::set1_epi16(5243)), 3);
    // The second product of each sum is 0, so this multiplies by 100, in a form that GCC does not take apart.
    const sse2::m128i rests = sse2::sub_epi16(fours, sse2::madd_epi16(hundreds, sse2::set1_epi32(100)));
    const sse2::m128i twos = sse2::or_si128(hundreds, sse2::slli_epi32(rests, 16));
    const sse2::m128i tens = sse2::mulhi_epu16(twos, sse2::set1_epi16(6554));
    sse2::m128i factor = sse2::set1_epi16((10 << 8) - 1);
#if defined(__GNUC__) && !defined(__clang__)
    __asm__("" : "+x"(factor));
#endif
    const sse2::m128i digits = sse2::sub_epi16(sse2::slli_epi16(twos, 8), sse2::mullo_epi16(tens, factor));
    const auto zeros = static_cast<unsigned>(sse2::movemask_epi8(sse2::cmpeq_epi8(digits, sse2::setzero_si128())));
    const unsigned leading = trailing_zeros(~zeros);
    const sse2::m128i text = sse2::or_si128(digits, sse2::set1_epi8('0'));
    store_eight(out, static_cast<std::uint64_t>(sse2::cvtsi128_si64(text)) >> 8 * leading);
    out += 8 - leading;
    sse2::storel_epi64(out, sse2::unpackhi_epi64(text, text));
    return out + 8;
}
#endif

// Writes a number of nine digits or more.
WLFMT_NOINLINE inline char* write_from_nine(char* out, std::uint64_t v) noexcept {
    constexpr std::uint64_t eight = 100000000;
    const std::uint64_t head = v / eight;
    const std::uint64_t tail = v - head * eight;
    if (WLFMT_LIKELY(head < eight)) {
#if defined(WLFMT_SSE2) && defined(__x86_64__)
        return write_two_eights(out, head, tail);
#else
        out = write_up_to_eight(out, head);
#endif
    } else {
        out = write_up_to_eight(out, head / eight);
        out = write_eight(out, head % eight);
    }
    return write_eight(out, tail);
}

WLFMT_COLD inline char* write_negative(char* out, std::uint64_t magnitude) noexcept {
    *out++ = '-';
    return magnitude < integer_powers_of_ten[8] ? write_up_to_eight(out, magnitude) : write_from_nine(out, magnitude);
}

// Has few branches, as lengths are unpredictable, and a wrong prediction costs more than the digits do. Most integers
// of a file are 0, so a single digit is written on its own.
WLFMT_INLINE char* write_integer(char* out, std::int64_t v) noexcept {
    const auto bits = static_cast<std::uint64_t>(v);
    if (WLFMT_UNLIKELY(bits >= integer_powers_of_ten[8]))
        return v < 0 ? write_negative(out, 0 - bits) : write_from_nine(out, bits);
    if (bits >= 10) return write_up_to_eight(out, bits);
    *out = static_cast<char>('0' + bits);
    return out + 1;
}

inline char* write_bytes(char* out, const char* text, std::size_t size) noexcept {
    std::memcpy(out, text, size);
    return out + size;
}

WLFMT_COLD inline char* write_not_finite(char* out, std::uint64_t bits) noexcept {
    if ((bits & ~sign_bit) != infinity_bits) return write_bytes(out, "nan", 3);
    return (bits & sign_bit) != 0 ? write_bytes(out, "-inf", 4) : write_bytes(out, "inf", 3);
}

// Whether a magnitude is the double nearest to an integer below 10^15 divided by `scale`; sets `multiple` to the
// integer. Then multiple / scale without trailing zeros is its repr: no two decimals of at most 15 digits share a
// double, so no other decimal of that length reads back. The multiplication is a guess that cannot miss such an
// integer, and the correctly rounded division proves it.
WLFMT_INLINE bool is_multiple(double magnitude, double scale, std::uint64_t& multiple) noexcept {
    if (!exact_arithmetic || bits_of(magnitude) >= bits_of(1e15 / scale)) return false;  // also for nan and infinity
    const auto nearest = static_cast<std::int64_t>(magnitude * scale + 0.5);
    multiple = static_cast<std::uint64_t>(nearest);
    return bits_of(static_cast<double>(nearest) / scale) == bits_of(magnitude);
}

// Writes the last `digits` digits, at least one, of a number below 10^8. Stores eight bytes.
WLFMT_INLINE char* write_fraction(char* out, std::uint64_t v, int digits) noexcept {
    store_eight(out, (split_digits(v) | every_byte('0')) >> 8 * (8 - digits));
    return out + digits;
}

// Writes the repr of a finite magnitude if it has at most `decimals` decimals, three or six. Otherwise, or if it is
// below 1e-4, where the repr has an exponent, returns null.
inline char* write_decimals(char* out, double magnitude, int decimals) noexcept {
    const std::uint64_t scale = integer_powers_of_ten[decimals];
    std::uint64_t digits = 0;
    if (magnitude < 1e-4 || !is_multiple(magnitude, static_cast<double>(scale), digits)) return nullptr;
    out = write_integer(out, static_cast<std::int64_t>(digits / scale));
    *out = '.';
    out = write_fraction(out + 1, digits % scale, decimals);
    while (out[-1] == '0') --out;
    return out;
}

// Writes the repr of a value that is not an exact multiple of a hundredth.
WLFMT_NOINLINE inline char* write_shortest(char* out, double v) noexcept {
    const std::uint64_t bits = bits_of(v);
    if ((bits & infinity_bits) == infinity_bits) return write_not_finite(out, bits);
    if ((bits & sign_bit) != 0) *out++ = '-';
    const std::uint64_t size = bits & ~sign_bit;
    const double magnitude = double_of(size);
    if (char* const stop = write_decimals(out, magnitude, 3)) return stop;
    if (char* const stop = write_decimals(out, magnitude, 6)) return stop;
    // Python writes an exponent below 1e-4 and from 1e16 on. Up to there, an integer's shortest text has all digits.
    const bool plain = size == 0 || (size >= bits_of(1e-4) && size < bits_of(1e16));
    char* const stop = write_digits(out, out + (max_repr_chars - 1), magnitude, !plain, shortest);
    return plain && view(out, stop).find('.') == std::string_view::npos ? write_bytes(stop, ".0", 2) : stop;
}

// Writes v / 100, v below 10^15, with two decimals, or one if the second is 0. Writes at least three digits and moves
// the last two by one place for the point, without a branch. Computes the end from the value: if it were read from the
// digits, what is written next would have to wait for them.
WLFMT_INLINE char* write_hundredths(char* out, std::uint64_t v) noexcept {
    out = WLFMT_UNLIKELY(v >= integer_powers_of_ten[8]) ? write_from_nine(out, v) : write_up_to_eight<3>(out, v);
    char fraction[2];
    std::memcpy(fraction, out - 2, 2);
    std::memcpy(out - 1, fraction, 2);
    out[-2] = '.';
    return out + (v % 10 != 0 ? 1 : 0);
}

// Python's repr(float): the shortest decimal that reads back, with `.0` if it would look like an integer.
inline char* write_repr(char* out, double v) noexcept {
    const std::uint64_t bits = bits_of(v);
    std::uint64_t hundredths = 0;
    if (WLFMT_UNLIKELY(!is_multiple(double_of(bits & ~sign_bit), 100, hundredths))) return write_shortest(out, v);
    if ((bits & sign_bit) != 0) *out++ = '-';
    return write_hundredths(out, hundredths);
}

// Whether a value of 0 or more is digits * unit / scale to its last bit, and digits < limit. With scale = 10^decimals,
// f"{v / unit:.{decimals}f}" then loses nothing. limit * unit must be exact as a double, so that the division is
// correctly rounded, as it is when the value is read.
WLFMT_INLINE bool few_exact_digits(double v, double unit, double scale, double limit, std::uint64_t& digits) noexcept {
    const double scaled = v / unit * scale;
    if (WLFMT_UNLIKELY(!exact_arithmetic || !(scaled < limit) || (bits_of(v) & sign_bit) != 0)) return false;
    const auto nearest = static_cast<std::int64_t>(scaled + 0.5);
    digits = static_cast<std::uint64_t>(nearest);
    return WLFMT_LIKELY(bits_of(static_cast<double>(nearest) * unit / scale) == bits_of(v));
}
// Writes the eight characters before `end`: blanks, then a number of at most seven digits with a point before its last
// `Decimals` digits, or one of at most eight digits without a point.
template <int Decimals> WLFMT_INLINE void write_right_aligned(char* end, std::uint64_t digits) noexcept {
    constexpr unsigned point_bit = 8 * (7 - Decimals);
    const std::uint64_t values = split_digits(digits);
    // Leading zeros become blanks, up to the digit before the point.
    const unsigned blank_bits = trailing_zeros(values | std::uint64_t{1} << point_bit) & ~7U;
    const std::uint64_t blank_mask = (std::uint64_t{1} << blank_bits) - 1;
    std::uint64_t text = (values | every_byte('0')) ^ (every_byte('0' ^ ' ') & blank_mask);
    if constexpr (Decimals != 0) {
        // The digits before the point move over the first character, a blank, and the point takes their last place.
        constexpr std::uint64_t head = (std::uint64_t{1} << point_bit) - 1;
        text = ((text >> 8) & head) | (std::uint64_t{'.'} << point_bit) | (text & (~head << 8));
    }
    store_eight(end - 8, text);
}

// Python's f"{v:.{decimals}f}", decimals from 0 to 6: correctly rounded, ties to even. Inlined for constant `decimals`.
WLFMT_INLINE char* write_fixed(char* out, double v, int decimals) noexcept {
    const std::uint64_t bits = bits_of(v);
    if (WLFMT_UNLIKELY((bits & infinity_bits) == infinity_bits)) return write_not_finite(out, bits);
    // Below 2^40 the product is within 2^-12 of the exact one, so the nearest integer is the same unless the product is
    // nearly halfway.
    constexpr double nearly_half = 0.499;
    const std::uint64_t scale = integer_powers_of_ten[decimals];
    const double scaled = double_of(bits & ~sign_bit) * static_cast<double>(scale);
    if (WLFMT_UNLIKELY(!(scaled < 0x1p40))) return write_digits(out, out + max_fixed_chars, v, false, decimals);
    const auto nearest = static_cast<std::int64_t>(scaled + 0.5);
    const double rest = scaled - static_cast<double>(nearest);
    if (WLFMT_UNLIKELY(!(rest < nearly_half && rest > -nearly_half)))
        return write_digits(out, out + max_fixed_chars, v, false, decimals);

    if ((bits & sign_bit) != 0) *out++ = '-';
    const auto digits = static_cast<std::uint64_t>(nearest);
    out = write_integer(out, static_cast<std::int64_t>(digits / scale));
    if (decimals == 0) return out;
    *out = '.';
    return write_fraction(out + 1, digits % scale, decimals);
}

// Writes a number as Python prints it, in at most max_repr_chars: `None`, an integer, a repr. Nothing for a missing
// number or a text.
inline char* write_number(char* out, const number& v) noexcept {
    if (v.is_integer()) return write_integer(out, number_access::integer(v));
    if (v.is_decimal()) return write_repr(out, number_access::decimal(v));
    return v.is_none() ? write_bytes(out, "None", 4) : out;
}

// Calls add(text) for each part of a list of integers as Python prints it: `[3, 4]`.
template <class Add> void write_integers(const std::int64_t* items, std::size_t count, Add&& add) {
    char digits[max_integer_chars];
    add("["sv);
    for (std::size_t n = 0; n != count; ++n) {
        if (n != 0) add(", "sv);
        add(view(digits, write_integer(digits, items[n])));
    }
    add("]"sv);
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
