// How wlfmt reads and writes numbers: the only place that does.
//
// Reading and writing are correctly rounded, the same under every kernel, and independent of the locale.
#ifndef WLFMT_DETAIL_NUMBER_DECIMAL_HPP
#define WLFMT_DETAIL_NUMBER_DECIMAL_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

#include "../../number.hpp"
#include "../base/scan.hpp"

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

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// What a read function found. `invalid`: no number stands there. `overflow`: its type cannot hold the one that does.
enum class number_status : std::uint8_t { ok, invalid, overflow };

// The most that a write function writes to, whatever the length of its text.
inline constexpr std::size_t max_integer_chars = 20;
inline constexpr std::size_t max_repr_chars = 32;
inline constexpr std::size_t max_fixed_chars = 320;

// Eight characters or digits in a word: the first one lowest, whatever the machine's byte order.

inline constexpr std::uint64_t integer_powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                                          100000, 1000000, 10000000, 100000000};

constexpr std::uint64_t every_byte(unsigned char b) noexcept { return 0x0101010101010101u * b; }

template <class Kernel = kernel>
WLFMT_INLINE std::uint64_t in_text_order(std::uint64_t word) noexcept {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}
template <class Kernel = kernel>
WLFMT_INLINE std::uint64_t load_eight(const char* p) noexcept {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return in_text_order(word);
}
template <class Kernel = kernel>
WLFMT_INLINE void store_eight(char* p, std::uint64_t word) noexcept {
    word = in_text_order(word);
    std::memcpy(p, &word, sizeof word);
}

// The number that eight digits make; `word` holds their values, not their characters.
template <class Kernel = kernel>
WLFMT_INLINE std::uint64_t join_digits(std::uint64_t word) noexcept {
    constexpr std::uint64_t pairs = 0x000000ff000000ffu;
    word = word * 10 + (word >> 8);
    return ((word & pairs) * 0x000f424000000064u + (word >> 16 & pairs) * 0x0000271000000001u) >> 32;
}

// The way back: the values of the eight digits of a number below 10^8. Each step halves the parts, all at once. Its
// first multiplication is a division by 10000, 100 or 10, exact for what the parts can be; its second one takes the
// quotient times the divisor from the remainder's place and adds it in its own.
template <class Kernel = kernel>
WLFMT_INLINE std::uint64_t split_digits(std::uint64_t value) noexcept {
    const std::uint64_t head = value * 109951163 >> 40;
    std::uint64_t word = (value << 32) - head * ((std::uint64_t{10000} << 32) - 1);
    const std::uint64_t hundreds = (word * 10486 >> 20) & 0x0000007f0000007fu;
    word = (word << 16) - hundreds * ((100 << 16) - 1);
    const std::uint64_t tens = (word * 103 >> 10) & 0x000f000f000f000fu;
    std::uint64_t factor = (10 << 8) - 1;
#if defined(__GNUC__) && !defined(__clang__)
    // GCC, which knows the factor, would multiply by two shifts, an addition and a subtraction.
    __asm__("" : "+r"(factor));
#endif
    return (word << 8) - tens * factor;
}

// 0x80 in every byte of `word` that is not a digit's value.
template <class Kernel = kernel>
WLFMT_INLINE std::uint64_t not_digits(std::uint64_t word) noexcept {
    return (((word & every_byte(0x7f)) + every_byte(0x76)) | word) & every_byte(0x80);
}

// Writing integers: eight digits at once by arithmetic.

// A number below 10^8 in eight characters, and without its leading zeros. Both store eight bytes.
template <class Kernel = kernel>
WLFMT_INLINE char* write_eight(char* out, std::uint64_t v) noexcept {
    store_eight(out, split_digits(v) | every_byte('0'));
    return out + 8;
}
template <class Kernel = kernel>
WLFMT_INLINE char* write_up_to_eight(char* out, std::uint64_t v) noexcept {
    const std::uint64_t digits = split_digits(v);
    const unsigned leading = trailing_zeros(digits | std::uint64_t{1} << 56) / 8;
    store_eight(out, (digits | every_byte('0')) >> 8 * leading);
    return out + 8 - leading;
}

#if defined(WLFMT_SSE2) && defined(__x86_64__)
// A number of 9 to 16 digits, given as its first and its last eight: both are split side by side, as above.
WLFMT_INLINE char* write_two_eights(char* out, std::uint64_t head, std::uint64_t tail) noexcept {
    const __m128i halves = _mm_unpacklo_epi64(_mm_cvtsi64_si128(static_cast<long long>(head)),
                                              _mm_cvtsi64_si128(static_cast<long long>(tail)));
    const __m128i high = _mm_srli_epi64(_mm_mul_epu32(halves, _mm_set1_epi32(109951163)), 40);
    const __m128i low = _mm_sub_epi32(halves, _mm_mul_epu32(high, _mm_set1_epi32(10000)));
    const __m128i fours = _mm_or_si128(high, _mm_slli_epi64(low, 32));
    const __m128i hundreds = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi16(5243)), 3);
    // A sum of products whose other factor is 0 is a product, which GCC does not take apart.
    const __m128i rests = _mm_sub_epi16(fours, _mm_madd_epi16(hundreds, _mm_set1_epi32(100)));
    const __m128i twos = _mm_or_si128(hundreds, _mm_slli_epi32(rests, 16));
    const __m128i tens = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554));
    __m128i factor = _mm_set1_epi16((10 << 8) - 1);
#if defined(__GNUC__) && !defined(__clang__)
    __asm__("" : "+x"(factor));
#endif
    const __m128i digits = _mm_sub_epi16(_mm_slli_epi16(twos, 8), _mm_mullo_epi16(tens, factor));
    const auto zeros = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_setzero_si128())));
    const unsigned leading = trailing_zeros(~zeros);
    const __m128i text = _mm_or_si128(digits, _mm_set1_epi8('0'));
    store_eight(out, static_cast<std::uint64_t>(_mm_cvtsi128_si64(text)) >> 8 * leading);
    out += 8 - leading;
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_unpackhi_epi64(text, text));
    return out + 8;
}
#endif

// A number of nine digits or more.
template <class Kernel = kernel>
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

// Few branches, as lengths come in no order: a wrong guess costs more than the digits do.
template <class Kernel = kernel>
inline char* write_unsigned(char* out, std::uint64_t v) noexcept {
    if (WLFMT_UNLIKELY(v >= integer_powers_of_ten[8])) return write_from_nine(out, v);
    if (v >= 10) return write_up_to_eight(out, v);
    *out = static_cast<char>('0' + v);
    return out + 1;
}

template <class Kernel = kernel>
inline char* write_integer(char* out, std::int64_t v) noexcept {
    const auto bits = static_cast<std::uint64_t>(v);
    if (v >= 0) return write_unsigned(out, bits);
    *out = '-';
    return write_unsigned(out + 1, 0 - bits);
}

// As bits: comparisons with nan and infinity are not to be relied on where a user compiles with -ffast-math.
inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
inline constexpr std::uint64_t infinity_bits = std::uint64_t{0x7ff} << 52;

template <class Kernel = kernel>
WLFMT_INLINE std::uint64_t bits_of(double v) noexcept {
    std::uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}
template <class Kernel = kernel>
WLFMT_INLINE double double_of(std::uint64_t bits) noexcept {
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
}

// Whether one multiplication or division of doubles is rounded once and to the nearest: not on the x87, which rounds
// twice, nor where the compiler was told that the last bit does not matter. (The rounding mode is the default one.)
#if defined(WLFMT_EXACT_ARITHMETIC)
inline constexpr bool exact_arithmetic = true;
#else
inline constexpr bool exact_arithmetic = false;
#endif

// The powers of ten that a double holds exactly.
inline constexpr int max_exact_power = 22;
inline constexpr double powers_of_ten[max_exact_power + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t max_exact_integer = std::uint64_t{1} << 53;

// mantissa * 10^exponent, correctly rounded: both factors are exact (mantissa <= 2^53, |exponent| <= 22), so the one
// operation is the only rounding. The other one is by 1, instead of a branch: exponents of both signs come in no order.
template <class Kernel = kernel>
WLFMT_INLINE double exact_scaled(std::uint64_t mantissa, int exponent) noexcept {
    const double m = static_cast<double>(static_cast<std::int64_t>(mantissa));
    return m * powers_of_ten[exponent > 0 ? exponent : 0] / powers_of_ten[exponent < 0 ? -exponent : 0];
}

// Reading the short form: at most 15 characters, digits with at most one point among them, and at most seven digits
// after it.
//
// These functions look at the sixteen bytes at p, which the caller knows to be there.

struct short_form {
    std::size_t size;   // characters, the point included; 0: none, or one that is left to the general path
    std::size_t point;  // where the point is; size where there is none
};
inline constexpr std::ptrdiff_t short_form_block = 16;

#if defined(WLFMT_SSE2)

// The values of the digits at p, and a bit for each byte that is not a digit.
struct digit_block {
    __m128i values;
    unsigned others;
    WLFMT_INLINE explicit digit_block(const char* p) noexcept
        : values(_mm_sub_epi8(load_sixteen(p), _mm_set1_epi8('0'))),
          others(static_cast<unsigned>(_mm_movemask_epi8(_mm_adds_epu8(values, _mm_set1_epi8(0x7f - 9))))) {}
};

template <class Kernel = kernel>
WLFMT_INLINE short_form find_short_form(const char* p) noexcept {
    const unsigned others = digit_block(p).others;
    if (WLFMT_UNLIKELY(others == 0)) return {0, 0};
    const std::size_t point = trailing_zeros(others);
    if (p[point] != '.') return {point, point};
    const unsigned after = others & (others - 1);
    if (WLFMT_UNLIKELY(after == 0)) return {0, 0};
    const std::size_t size = trailing_zeros(after);
    if (WLFMT_UNLIKELY(size == 1 || size - point > 8)) return {0, 0};
    return {size, point};
}

// What the last sixteen characters of a number weigh in the three steps that add neighbours up. The first eight are
// digits; the point, which weighs nothing, may be among the last eight: rows by the characters from it on.
struct character_weights {
    struct row {
        alignas(16) std::int16_t pairs[8] = {};  // of the last eight characters
        std::int16_t fours[8] = {100, 1, 100, 1};
        std::int16_t eights[8] = {10000, 1, 10000, 1};
        std::uint64_t head = 100000000;  // what the first eight weigh
    };
    row of[9] = {};
    constexpr character_weights() noexcept {
        constexpr std::int16_t four_digits[4] = {10, 1, 10, 1};
        constexpr std::int16_t three_digits[4][4] = {
            {0, 100, 10, 1}, {100, 0, 10, 1}, {100, 10, 0, 1}, {100, 10, 1, 0}};
        for (int tail = 0; tail != 9; ++tail) {
            row& r = of[tail];
            const int point = 8 - tail;
            for (int half = 0; half != 2; ++half) {
                const bool has_point = point / 4 == half;
                for (int n = 0; n != 4; ++n)
                    r.pairs[4 * half + n] = has_point ? three_digits[point % 4][n] : four_digits[n];
                r.fours[4 + 2 * half] = has_point ? 1 : 100;
                r.fours[5 + 2 * half] = 1;
            }
            if (tail != 0) r.head = 10000000;
            if (point / 4 == 1) r.eights[2] = 1000;
        }
    }
};
inline constexpr character_weights weights;

// The values of the characters of a number at the end of sixteen, with zeros before them. With `Within`, sixteen bytes
// can be read before the number's end.
template <bool Within>
WLFMT_INLINE __m128i align_characters(const char* p, std::size_t size) noexcept {
    if constexpr (Within) {
        alignas(32) static constexpr signed char kept[32] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                                             0,  0,  0,  0,  0,  -1, -1, -1, -1, -1, -1,
                                                             -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
        const __m128i all = _mm_sub_epi8(load_sixteen(p + size - 16), _mm_set1_epi8('0'));
        return _mm_and_si128(all, load_sixteen(kept + size));
    } else {
        // Up to the end of the register: `bits` in each half, and from the lower half into the upper one. A count that
        // is negative or above 63 gives 0, so the three terms need no branch.
        const __m128i values = digit_block(p).values;
        const int bits = 8 * (16 - static_cast<int>(size));
        const __m128i crossing = _mm_slli_si128(values, 8);
        return _mm_or_si128(_mm_sll_epi64(values, _mm_cvtsi32_si128(bits)),
                            _mm_or_si128(_mm_srl_epi64(crossing, _mm_cvtsi32_si128(64 - bits)),
                                         _mm_sll_epi64(crossing, _mm_cvtsi32_si128(bits - 64))));
    }
}

template <class Kernel = kernel>
WLFMT_INLINE __m128i join_pairs(__m128i digits) noexcept {
    // tens + 256 units, times 2561: the high byte of the product is 10 tens + units, which is below 256.
    __m128i factor = _mm_set1_epi16(10 << 8 | 1);
#if defined(__GNUC__) && !defined(__clang__)
    // GCC, which knows the factor, would multiply by three shifts and two additions.
    __asm__("" : "+x"(factor));
#endif
    return _mm_srli_epi16(_mm_mullo_epi16(digits, factor), 8);
}

// The number that the digits of a short form make, the point left out: below 10^15.
template <bool Within = false>
WLFMT_INLINE std::uint64_t short_form_digits(const char* p, short_form f) noexcept {
    const auto& weigh = weights.of[f.size - f.point];
    const auto by = [](const std::int16_t* row) { return _mm_load_si128(reinterpret_cast<const __m128i*>(row)); };
    const __m128i values = align_characters<Within>(p, f.size);
    const __m128i high = _mm_madd_epi16(_mm_unpacklo_epi8(values, _mm_setzero_si128()), _mm_set1_epi32(10 | 1 << 16));
    const __m128i low = _mm_madd_epi16(_mm_unpackhi_epi8(values, _mm_setzero_si128()), by(weigh.pairs));
    const __m128i fours = _mm_madd_epi16(_mm_packs_epi32(high, low), by(weigh.fours));
    const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), by(weigh.eights));
    std::uint64_t halves;
    _mm_storel_epi64(reinterpret_cast<__m128i*>(&halves), eights);
    return (halves & 0xffffffffu) * weigh.head + (halves >> 32);
}

// What the characters of a number of up to five digits weigh: of a decimal with the point at [point - 1] and so many
// digits after it at [digits]; of an integer, as if its point came after it.
struct few_weights {
    alignas(16) std::int16_t of[5][4][8] = {};
    constexpr few_weights() noexcept {
        for (int point = 1; point != 6; ++point)
            for (int after = 0; after != 4; ++after) {
                std::int16_t weight = 1;
                for (int at = point + after; at >= 0 && point + after <= 5; --at) {
                    if (at == point) continue;
                    of[point - 1][after][at] = weight;
                    weight = static_cast<std::int16_t>(weight == 10000 ? 0 : weight * 10);
                }
            }
    }
};
inline constexpr few_weights weights_of_few;

// The sum of the first eight values by their weights.
template <class Kernel = kernel>
WLFMT_INLINE int sum_of_few(const digit_block& b, const std::int16_t (&by)[8]) noexcept {
    const __m128i words = _mm_unpacklo_epi8(b.values, _mm_setzero_si128());
    __m128i sums = _mm_madd_epi16(words, _mm_load_si128(reinterpret_cast<const __m128i*>(by)));
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xb1)));
}

// Numbers that are usually short: integers of at most five digits, decimals of at most five with a digit before the
// point and one to three after it. Returns false, and leaves p and the value, where there is another number, or none.
template <class Kernel = kernel>
WLFMT_INLINE bool read_few(const char*& p, std::int64_t& value) noexcept {
    const digit_block b(p);
    const unsigned size = trailing_zeros(b.others | 1U << 6);
    if (WLFMT_UNLIKELY(size - 1 > 4)) return false;
    value = sum_of_few(b, weights_of_few.of[size - 1][0]);
    p += size;
    return true;
}
template <class Kernel = kernel>
WLFMT_INLINE bool read_few(const char*& p, double& value) noexcept {
    const digit_block b(p);
    const unsigned after = b.others & (b.others - 1);
    if (WLFMT_UNLIKELY(after == 0)) return false;
    const unsigned point = trailing_zeros(b.others);
    const unsigned size = trailing_zeros(after);
    const unsigned decimals = size - point - 1;
    if (WLFMT_UNLIKELY(p[point] != '.' || point == 0 || size > 6 || decimals - 1 > 2)) return false;
    value = sum_of_few(b, weights_of_few.of[point - 1][decimals]) / powers_of_ten[decimals];
    p += size;
    return true;
}

#else

template <class Kernel = kernel>
WLFMT_INLINE short_form find_short_form(const char* p) noexcept {
    constexpr std::size_t none = 16;
    std::size_t point = none;
    for (std::size_t at = 0; at != 16; at += 8) {
        const std::uint64_t word = load_eight(p + at);
        // Bytes outside '.'..'9'. The lowest flag is right; a borrow or carry may set or clear those above it.
        const std::uint64_t stops = ((word - every_byte('.')) | (word + every_byte(0x7f - '9'))) & every_byte(0x80);
        const std::uint64_t marks = not_digits(word ^ every_byte('0')) & (stops - 1) & ~stops;
        if (marks != 0) {
            const std::size_t mark = at + trailing_zeros(marks) / 8;
            if (WLFMT_UNLIKELY(point != none || (marks & (marks - 1)) != 0 || p[mark] != '.')) return {0, 0};
            point = mark;
        }
        if (stops == 0) continue;
        const std::size_t size = at + trailing_zeros(stops) / 8;
        if (point == none) return {size, size};
        // The gap of the point is closed within the last eight bytes; a longer fraction is left to the general path.
        if (WLFMT_UNLIKELY(size == 1 || size - point > 8)) return {0, 0};
        return {size, point};
    }
    return {0, 0};
}

// The number that the digits of a short form make, the point left out: below 10^15.
template <bool Within = false>
WLFMT_INLINE std::uint64_t short_form_digits(const char* p, short_form f) noexcept {
    constexpr std::uint64_t zeros = every_byte('0');
    std::uint64_t tail = f.size < 8 ? (load_eight(p) ^ zeros) << 8 * (8 - f.size) : load_eight(p + f.size - 8) ^ zeros;
    std::uint64_t tail_scale = 100000000;
    if (f.point != f.size) {
        const std::uint64_t fraction = ~(~std::uint64_t{0} >> 8 * (f.size - f.point - 1));
        tail = (tail & fraction) | (tail << 8 & ~fraction);
        tail_scale = 10000000;
    }
    if (f.size <= 8) return join_digits(tail);
    const std::uint64_t head = (load_eight(p) ^ zeros) << 8 * (16 - f.size);
    return join_digits(head) * tail_scale + join_digits(tail);
}

template <class Kernel = kernel>
WLFMT_INLINE bool read_few(const char*& p, std::int64_t& value) noexcept {
    const std::uint64_t word = load_eight(p) ^ every_byte('0');
    const std::uint64_t others = not_digits(word);
    if (WLFMT_UNLIKELY(others == 0)) return false;
    const unsigned size = trailing_zeros(others) / 8;
    if (WLFMT_UNLIKELY(size == 0)) return false;
    value = static_cast<std::int64_t>(join_digits(word << 8 << (56 - 8 * size)));
    p += size;
    return true;
}
template <class Kernel = kernel>
WLFMT_INLINE bool read_few(const char*& p, double& value) noexcept {
    const std::uint64_t word = load_eight(p) ^ every_byte('0');
    const std::uint64_t others = not_digits(word);
    const std::uint64_t after = others & (others - 1);
    if (WLFMT_UNLIKELY(after == 0)) return false;
    const unsigned point = trailing_zeros(others) / 8;
    const unsigned size = trailing_zeros(after) / 8;
    if (WLFMT_UNLIKELY(p[point] != '.' || point == 0 || size == point + 1)) return false;
    // The digits before the point move up by one, which closes its gap.
    const std::uint64_t unit = std::uint64_t{1} << 8 * point;
    const std::uint64_t head = word & (unit - 1);
    const std::uint64_t digits = word + (head << 8) - head - unit * ('.' ^ '0');
    value = static_cast<double>(static_cast<std::int64_t>(join_digits(digits << 8 * (8 - size)))) /
            powers_of_ten[size - point - 1];
    p += size;
    return true;
}

#endif

// The number that a short form is.
template <bool Within = false>
WLFMT_INLINE number short_form_number(const char* p, short_form f) noexcept {
    // A signed integer, as that is what processors turn into a double.
    const auto digits = static_cast<std::int64_t>(short_form_digits<Within>(p, f));
    if (f.point == f.size) return digits;
    return static_cast<double>(digits) / powers_of_ten[f.size - f.point - 1];
}

// Whether `c` after a number may begin its exponent.
template <class Kernel = kernel>
WLFMT_INLINE bool is_exponent_mark(char c) noexcept {
    return (c | 0x20) == 'e';
}

// Reading every form.

// A number's text taken apart.
struct number_text {
    const char* first = nullptr;         // after the sign
    const char* mantissa_end = nullptr;  // after digits and point
    const char* end = nullptr;           // after the number; null: there is none
    std::uint64_t mantissa = 0;          // the first 19 significant digits
    std::int64_t exponent = 0;           // the value is mantissa * 10^exponent, or a little more where digits follow
    std::int64_t marked_exponent = 0;    // what stands after the `e`
    bool negative = false;
    bool decimal = false;  // has a point or an exponent
};
inline constexpr std::ptrdiff_t max_mantissa_digits = 19;
inline constexpr std::uint64_t least_cut_mantissa = 1000000000000000000;  // of 19 digits

// Adds a run of digits to the mantissa, modulo 2^64; returns the run's end.
template <class Kernel = kernel>
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

// The mantissa again, where there are too many digits for 64 bits.
template <class Kernel = kernel>
WLFMT_COLD inline void cut_mantissa(number_text& t) noexcept {
    t.mantissa = 0;
    t.exponent = t.marked_exponent;
    std::ptrdiff_t significant = 0;
    int fraction = 0;
    for (const char* p = t.first; p != t.mantissa_end; ++p) {
        if (*p == '.') {
            fraction = 1;
        } else if (significant == max_mantissa_digits) {
            t.exponent += 1 - fraction;
        } else {
            t.mantissa = t.mantissa * 10 + static_cast<unsigned>(*p - '0');
            t.exponent -= fraction;
            if (t.mantissa != 0) ++significant;
        }
    }
}

// [eE][+-]?\d+, or nothing.
template <class Kernel = kernel>
inline const char* add_exponent(const char* p, const char* end, std::int64_t& exponent) noexcept {
    const char* q = p + 1;
    if (q == end) return p;
    // No branch for the sign: a file may hold both, in no order.
    const bool negative = *q == '-';
    q += negative | (*q == '+');
    if (q == end || !is_digit(*q)) return p;
    // Beyond the limit the value is 0 or too large whatever the mantissa, and sums with it cannot overflow.
    constexpr std::int64_t limit = std::int64_t{1} << 60;
    std::int64_t value = 0;
    for (; q != end && is_digit(*q); ++q) {
        if (value < limit / 10) value = value * 10 + (*q - '0');
    }
    exponent = negative ? -value : value;
    return q;
}

template <class Kernel = kernel>
WLFMT_INLINE number_text scan_sign(const char* p, const char* end) noexcept {
    number_text t;
    t.negative = p != end && *p == '-';
    t.first = t.negative || (p != end && *p == '+') ? p + 1 : p;
    return t;
}

// [+-]?\d+
template <class Kernel = kernel>
WLFMT_INLINE number_text scan_integer(const char* p, const char* end) noexcept {
    number_text t = scan_sign(p, end);
    const char* const q = add_digits(t.first, end, t.mantissa);
    if (q == t.first) return t;
    t.mantissa_end = t.end = q;
    if (WLFMT_UNLIKELY(q - t.first > max_mantissa_digits)) cut_mantissa(t);
    return t;
}

// [+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?
template <class Kernel = kernel>
WLFMT_INLINE number_text scan_number(const char* p, const char* end) noexcept {
    number_text t = scan_sign(p, end);
    const char* q = add_digits(t.first, end, t.mantissa);
    std::ptrdiff_t digits = q - t.first;
    if (q != end && *q == '.') {
        const char* const fraction = q + 1;
        q = add_digits(fraction, end, t.mantissa);
        t.exponent = fraction - q;
        t.decimal = true;
        digits += q - fraction;
    }
    if (digits == 0) return t;
    t.mantissa_end = t.end = q;
    if (q != end && is_exponent_mark(*q)) {
        t.end = add_exponent(q, end, t.marked_exponent);
        t.exponent += t.marked_exponent;
        t.decimal |= t.end != q;
    }
    if (WLFMT_UNLIKELY(digits > max_mantissa_digits)) cut_mantissa(t);
    return t;
}

// The library's answer for an unsigned decimal.
template <class Kernel = kernel>
inline std::errc nearest_double(const char* first, const char* last, double& value) noexcept {
#if defined(WLFMT_FAST_FLOAT)
    return fast_float::from_chars(first, last, value).ec;
#else
    return std::from_chars(first, last, value).ec;
#endif
}

// The same for the decimal times 10^shift10: the library takes no scale, so the text is written out anew with another
// exponent.
template <class Kernel = kernel>
inline std::errc nearest_scaled(const number_text& t, int shift10, double& value) noexcept {
    // The middle between two doubles has at most 768 digits; one more stands for all that follow.
    constexpr std::size_t most = 768;
    char text[most + 2 + max_integer_chars];
    const bool whole = t.mantissa < least_cut_mantissa;
    std::size_t size = whole ? static_cast<std::size_t>(write_unsigned(text, t.mantissa) - text) : 0;
    std::int64_t exponent = (whole ? t.exponent : t.marked_exponent) + shift10;
    int fraction = 0;
    bool lost = false;
    for (const char* p = whole ? t.mantissa_end : t.first; p != t.mantissa_end; ++p) {
        if (*p == '.') {
            fraction = 1;
        } else if (size == most) {
            exponent += 1 - fraction;
            lost |= *p != '0';
        } else {
            exponent -= fraction;
            if (size != 0 || *p != '0') text[size++] = *p;
        }
    }
    if (lost) {
        text[size++] = '1';
        --exponent;
    }
    // The libraries multiply a mantissa that a double holds by a power of ten, which the x87 rounds twice: zeros after
    // it make it one that no double holds.
    while (!exact_arithmetic && size < static_cast<std::size_t>(max_mantissa_digits)) {
        text[size++] = '0';
        --exponent;
    }
    text[size++] = 'e';
    constexpr std::int64_t limit = 99999;
    exponent = exponent > limit ? limit : exponent < -limit ? -limit : exponent;
    return nearest_double(text, write_integer(text + size, exponent), value);
}

// The number times 10^shift10 as a double.
template <class Kernel = kernel>
inline number_status to_double(const number_text& t, int shift10, double& value) noexcept {
    const std::int64_t exponent = t.exponent + shift10;
    double magnitude = 0;
    // A mantissa that is not whole has 19 digits and is too large for the exact way.
    if (exact_arithmetic && t.mantissa <= max_exact_integer && exponent >= -max_exact_power &&
        exponent <= max_exact_power) {
        magnitude = exact_scaled(t.mantissa, static_cast<int>(exponent));
    } else if (t.mantissa != 0) {
        const bool as_it_stands = shift10 == 0 && exact_arithmetic;
        const std::errc e =
            as_it_stands ? nearest_double(t.first, t.end, magnitude) : nearest_scaled(t, shift10, magnitude);
        // Libraries differ in how they say that a number is too large or too small, and in the value they leave.
        if (e != std::errc() || bits_of(magnitude) == infinity_bits) {
            if (exponent > 0) return number_status::overflow;
            magnitude = 0;
        }
    }
    value = t.negative ? double_of(bits_of(magnitude) | sign_bit) : magnitude;
    return number_status::ok;
}

// A text with neither point nor exponent as an integer.
template <class Kernel = kernel>
inline number_status to_integer(const number_text& t, std::int64_t& value) noexcept {
    constexpr std::uint64_t most = (std::numeric_limits<std::int64_t>::max)();
    if (t.exponent != 0 || t.mantissa > most + t.negative) return number_status::overflow;
    value = static_cast<std::int64_t>(t.negative ? 0 - t.mantissa : t.mantissa);
    return number_status::ok;
}

struct read_result {
    number value;
    const char* end;  // after the number; where the text began where there is none
    number_status status;
};

// nan, inf, -inf: as Python prints them and no other way.
template <class Kernel = kernel>
inline read_result read_word(const char* p, const char* end) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (starts(p, end, "nan")) return {std::numeric_limits<double>::quiet_NaN(), p + 3, number_status::ok};
    if (starts(p, end, "inf")) return {infinity, p + 3, number_status::ok};
    if (starts(p, end, "-inf")) return {-infinity, p + 4, number_status::ok};
    return {number(), p, number_status::invalid};
}

template <class Kernel = kernel>
inline read_result as_decimal(const number_text& t, int shift10) noexcept {
    double value = 0;
    const number_status status = to_double(t, shift10, value);
    return {value, t.end, status};
}
template <class Kernel = kernel>
inline read_result as_integer(const number_text& t) noexcept {
    std::int64_t value = 0;
    const number_status status = to_integer(t, value);
    return {value, t.end, status};
}

// The general paths take and return everything by value: a pointer whose address escapes would live in memory in the
// caller's loop. Not marked cold, which would have them optimised for size: a file may hold little else.
template <class Kernel = kernel>
inline read_result read_any_number(const char* p, const char* end) noexcept {
    const number_text t = scan_number(p, end);
    if (WLFMT_UNLIKELY(t.end == nullptr)) return read_word(p, end);
    return t.decimal ? as_decimal(t, 0) : as_integer(t);
}
template <class Kernel = kernel>
inline read_result read_any_integer(const char* p, const char* end) noexcept {
    const number_text t = scan_integer(p, end);
    return t.end == nullptr ? read_result{number(), p, number_status::invalid} : as_integer(t);
}

// The number whose short form, with an exponent after it, stands at p; `invalid` where it takes the general path.
template <class Kernel = kernel>
WLFMT_NOINLINE inline read_result read_exponent_form(const char* p, const char* end, short_form f) noexcept {
    const char* const mark = p + f.size;
    std::int64_t exponent = 0;
    const char* const stop = add_exponent(mark, end, exponent);
    if (f.point != f.size) exponent -= static_cast<std::int64_t>(f.size - f.point - 1);
    if (stop == mark || exponent < -max_exact_power || exponent > max_exact_power)
        return {number(), p, number_status::invalid};
    return {exact_scaled(short_form_digits(p, f), static_cast<int>(exponent)), stop, number_status::ok};
}

// The interface for reading.
//
// [p, end) is all that is read. Pass the end of the whole text, not that of the field: with sixteen bytes to look at
// the fast path is taken. With `ok` the value is set and p is after the longest number that stands there (`1e` is `1`
// with `e` after it); whether what follows may follow is for the caller to check. With `invalid` p and the value are
// as they were; with `overflow` p is after the number and the value as it was.

// [+-]?\d+, of 64 signed bits.
template <class Kernel = kernel>
WLFMT_INLINE number_status read_integer(const char*& p, const char* end, std::int64_t& value) noexcept {
    if (WLFMT_LIKELY(end - p >= short_form_block)) {
        const short_form f = find_short_form(p);
        if (WLFMT_LIKELY(f.size != 0 && f.point == f.size)) {
            value = static_cast<std::int64_t>(short_form_digits(p, f));
            p += f.size;
            return number_status::ok;
        }
    }
    const read_result r = read_any_integer(p, end);
    if (r.status == number_status::ok) value = number_access::integer(r.value);
    p = r.end;
    return r.status;
}

// [+-]?\d+ is an integer. [+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)? with a point or an exponent is a decimal, correctly
// rounded; so are nan, inf and -inf.
template <class Kernel = kernel>
WLFMT_INLINE number_status read_number(const char*& p, const char* end, number& value) noexcept {
    read_result r{number(), p, number_status::invalid};
    if (WLFMT_LIKELY(exact_arithmetic && end - p >= short_form_block)) {
        const short_form f = find_short_form(p);
        if (WLFMT_LIKELY(f.size != 0)) {
            if (WLFMT_LIKELY(!is_exponent_mark(p[f.size]))) {
                value = short_form_number(p, f);
                p += f.size;
                return number_status::ok;
            }
            r = read_exponent_form(p, end, f);
        }
    }
    if (r.status != number_status::ok) r = read_any_number(p, end);
    if (r.status == number_status::ok) value = r.value;
    p = r.end;
    return r.status;
}

// Numbers with a literal after them, which is passed over: each function returns the place after it, or null where
// there is no such number, and leaves the value as it was. A bound (scan.hpp) says how far may be read.

// Numbers that are usually few digits of one `Kind`, std::int64_t or double; null for the others, too.
template <class Kind, class Bound, std::size_t N>
WLFMT_INLINE const char* read_few_before(const char* p, Bound bound, number& value, const char (&literal)[N]) noexcept {
    if (WLFMT_UNLIKELY(!exact_arithmetic || !holds(bound, p, short_form_block))) return nullptr;
    Kind few{};
    if (WLFMT_UNLIKELY(!read_few(p, few) || !starts(p, bound, literal))) return nullptr;
    value = few;
    return p + (N - 1);
}
// Numbers in their short form; null for the others, too.
template <class Bound, std::size_t N>
WLFMT_INLINE const char* read_short_before(const char* p, Bound bound, number& value,
                                           const char (&literal)[N]) noexcept {
    if (WLFMT_UNLIKELY(!exact_arithmetic || !holds(bound, p, short_form_block))) return nullptr;
    const short_form f = find_short_form(p);
    if (WLFMT_UNLIKELY(f.size == 0 || !starts(p + f.size, bound, literal))) return nullptr;
    value = short_form_number<std::is_same_v<Bound, roomy>>(p, f);
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

// Writing decimals.

template <class Kernel = kernel>
inline char* write_bytes(char* out, const char* text, std::size_t size) noexcept {
    std::memcpy(out, text, size);
    return out + size;
}

// nan, inf, -inf.
template <class Kernel = kernel>
WLFMT_COLD inline char* write_not_finite(char* out, std::uint64_t bits) noexcept {
    if ((bits & ~sign_bit) != infinity_bits) return write_bytes(out, "nan", 3);
    return (bits & sign_bit) != 0 ? write_bytes(out, "-inf", 4) : write_bytes(out, "inf", 3);
}

// Whether a magnitude is the double nearest to some `multiple` / scale: then sets it.
//
// Then, if the multiple is below 10^15, multiple / scale without trailing zeros is the shortest decimal that reads back
// as the magnitude, and so its repr: no two decimals of at most 15 digits share a double, so no other one that short,
// nor a shorter one, reads back as the magnitude. The division is the proof, being correctly rounded; the
// multiplication is only a guess that it checks, though below 10^15 a guess that cannot miss.
template <class Kernel = kernel>
WLFMT_INLINE bool is_multiple(double magnitude, double scale, std::uint64_t& multiple) noexcept {
    if (!exact_arithmetic || !(magnitude < 1e15 / scale)) return false;
    const auto nearest = static_cast<std::int64_t>(magnitude * scale + 0.5);
    multiple = static_cast<std::uint64_t>(nearest);
    return bits_of(static_cast<double>(nearest) / scale) == bits_of(magnitude);
}

// Two digits, from a table.
template <class Kernel = kernel>
WLFMT_INLINE char* write_pair(char* out, std::uint64_t below_100) noexcept {
    static constexpr char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
        "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    std::memcpy(out, pairs + 2 * below_100, 2);
    return out + 2;
}

// The last `digits` digits of a number below 10^8, mostly two or three; may store eight bytes.
template <class Kernel = kernel>
WLFMT_INLINE char* write_fraction(char* out, std::uint64_t v, int digits) noexcept {
    if (digits == 2) return write_pair(out, v);
    if (digits == 3) {
        *out = static_cast<char>('0' + v / 100);
        return write_pair(out + 1, v % 100);
    }
    store_eight(out, (split_digits(v) | every_byte('0')) >> 8 * (8 - digits));
    return out + digits;
}

// Python's layout of d[.ddd]e[+-]dd, the shortest digits of a finite number: plain from 1e-4 up to 1e16.
template <class Kernel = kernel>
inline char* write_layout(char* out, const char* text, const char* end) noexcept {
    const char* mark = end - 1;
    while (*mark != 'e') --mark;
    int exponent = 0;
    for (const char* p = mark + 2; p != end; ++p) exponent = exponent * 10 + (*p - '0');
    if (mark[1] == '-') exponent = -exponent;
    if (exponent < -4 || exponent >= 16) return write_bytes(out, text, static_cast<std::size_t>(end - text));

    const char* const tail = text + 2;  // the digits after the first one
    const int further = mark > tail ? static_cast<int>(mark - tail) : 0;
    if (exponent < 0) {
        out = write_bytes(out, "0.000", static_cast<std::size_t>(1 - exponent));
        *out++ = *text;
        return write_bytes(out, tail, static_cast<std::size_t>(further));
    }
    *out++ = *text;
    for (int i = 0; i != exponent; ++i) *out++ = i < further ? tail[i] : '0';
    *out++ = '.';
    if (further > exponent) return write_bytes(out, tail + exponent, static_cast<std::size_t>(further - exponent));
    *out++ = '0';
    return out;
}

// The repr of a finite magnitude in three or six decimals, where that is exact; below 1e-4 it has an exponent.
template <class Kernel = kernel>
inline char* write_decimals(char* out, double magnitude, int decimals) noexcept {
    const std::uint64_t scale = integer_powers_of_ten[decimals];
    std::uint64_t digits = 0;
    if (magnitude < 1e-4 || !is_multiple(magnitude, static_cast<double>(scale), digits)) return nullptr;
    out = write_unsigned(out, digits / scale);
    *out = '.';
    out = write_fraction(out + 1, digits % scale, decimals);
    while (out[-1] == '0') --out;
    return out;
}

// The repr of a finite magnitude that is not an exact multiple of a hundredth.
template <class Kernel = kernel>
WLFMT_NOINLINE inline char* write_shortest(char* out, double magnitude) noexcept {
    if (char* const stop = write_decimals(out, magnitude, 3)) return stop;
    if (char* const stop = write_decimals(out, magnitude, 6)) return stop;
    char text[max_repr_chars];
    const auto found = std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific);
    return write_layout(out, text, found.ptr);
}

// Python's f"{v:.{decimals}f}" by the library: large numbers, and what lies halfway.
template <class Kernel = kernel>
WLFMT_NOINLINE inline char* write_any_fixed(char* out, double v, int decimals) noexcept {
    return std::to_chars(out, out + max_fixed_chars, v, std::chars_format::fixed, decimals).ptr;
}

// The interface for writing.
//
// write_integer and write_unsigned are above. `out` has room for max_integer_chars, max_repr_chars or max_fixed_chars,
// all of which may be written to. Each returns the end of its text; there is no terminator.

// Python's repr(float): the shortest decimal that reads back, with `.0` or an exponent where it looks like an integer.
template <class Kernel = kernel>
inline char* write_repr(char* out, double v) noexcept {
    const std::uint64_t bits = bits_of(v);
    if (WLFMT_UNLIKELY((bits & infinity_bits) == infinity_bits)) return write_not_finite(out, bits);
    if ((bits & sign_bit) != 0) *out++ = '-';
    const double magnitude = double_of(bits & ~sign_bit);
    std::uint64_t hundredths = 0;
    if (WLFMT_UNLIKELY(!is_multiple(magnitude, 100, hundredths))) return write_shortest(out, magnitude);
    out = write_unsigned(out, hundredths / 100);
    *out = '.';
    out = write_fraction(out + 1, hundredths % 100, 2);
    return hundredths % 10 == 0 ? out - 1 : out;
}

// The digits of f"{v:.{decimals}f}" without the point, scale being 10^decimals: of a value that is not negative, has at
// most seven of them, and is not about halfway between two such decimals. Returns false for any other value.
template <class Kernel = kernel>
WLFMT_INLINE bool few_fixed_digits(double v, double scale, std::uint64_t& digits) noexcept {
    constexpr double nearly_half = 0.499;
    const double scaled = v * scale;
    if (WLFMT_UNLIKELY(!(scaled < 9999999) || (bits_of(v) & sign_bit) != 0)) return false;
    const auto nearest = static_cast<std::int64_t>(scaled + 0.5);
    const double rest = scaled - static_cast<double>(nearest);
    digits = static_cast<std::uint64_t>(nearest);
    return WLFMT_LIKELY(rest < nearly_half && rest > -nearly_half);
}
// Writes the eight characters before `end`: blanks, then a number of at most seven digits with a point before its last
// `Decimals` digits, or one of at most eight digits without a point.
template <int Decimals>
WLFMT_INLINE void write_right_aligned(char* end, std::uint64_t digits) noexcept {
    constexpr unsigned point = 8 * (7 - Decimals);
    const std::uint64_t values = split_digits(digits);
    const unsigned blanks = trailing_zeros(values | std::uint64_t{1} << point) & ~7U;
    const std::uint64_t before = (std::uint64_t{1} << blanks) - 1;
    std::uint64_t text = (values | every_byte('0')) ^ (every_byte('0' ^ ' ') & before);
    if constexpr (Decimals != 0) {
        constexpr std::uint64_t head = (std::uint64_t{1} << point) - 1;
        text = (text >> 8 & head) | std::uint64_t{'.'} << point | (text & ~head << 8);
    }
    store_eight(end - 8, text);
}

// Python's f"{v:.{decimals}f}", decimals from 0 to 6: the value in binary rounded correctly, exact ties to even.
// Inlined, as `decimals` is a constant where it is called.
template <class Kernel = kernel>
WLFMT_INLINE char* write_fixed(char* out, double v, int decimals) noexcept {
    const std::uint64_t bits = bits_of(v);
    if (WLFMT_UNLIKELY((bits & infinity_bits) == infinity_bits)) return write_not_finite(out, bits);
    // Below 2^40 the product is less than 2^-12 from the exact one, so the integer next to it is next to that one too,
    // unless it lies about halfway between two.
    constexpr double nearly_half = 0.499;
    const std::uint64_t scale = integer_powers_of_ten[decimals];
    const double scaled = double_of(bits & ~sign_bit) * static_cast<double>(scale);
    if (WLFMT_UNLIKELY(!(scaled < 0x1p40))) return write_any_fixed(out, v, decimals);
    const auto nearest = static_cast<std::int64_t>(scaled + 0.5);
    const double rest = scaled - static_cast<double>(nearest);
    if (WLFMT_UNLIKELY(!(rest < nearly_half && rest > -nearly_half))) return write_any_fixed(out, v, decimals);

    if ((bits & sign_bit) != 0) *out++ = '-';
    const auto digits = static_cast<std::uint64_t>(nearest);
    out = write_unsigned(out, digits / scale);
    if (decimals == 0) return out;
    *out = '.';
    return write_fraction(out + 1, digits % scale, decimals);
}

// As Python prints it: `None`, an integer, the repr of a decimal; nothing where the number is missing. In
// max_repr_chars. A text has no such bound and is the caller's to write; here it gives nothing.
template <class Kernel = kernel>
inline char* write_number(char* out, const number& v) noexcept {
    switch (v.kind()) {
    case number_kind::none: return write_bytes(out, "None", 4);
    case number_kind::integer: return write_integer(out, number_access::integer(v));
    case number_kind::decimal: return write_repr(out, number_access::decimal(v));
    case number_kind::missing:
    case number_kind::text: break;
    }
    return out;
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
