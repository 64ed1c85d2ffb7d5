// Shared by reading (read.hpp) and writing numbers (write.hpp). Both are correctly rounded, the same in every build,
// and independent of the locale; the numbers of the formats are read and written nowhere else.
#ifndef WLFMT_DETAIL_NUMBER_EXACT_HPP
#define WLFMT_DETAIL_NUMBER_EXACT_HPP

#include "../../types/number.hpp"
#include "../base/scan.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

inline constexpr std::uint64_t integer_powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                                          100000, 1000000, 10000000, 100000000};

constexpr std::uint64_t every_byte(unsigned char b) noexcept { return 0x0101010101010101u * b; }
// A word of eight characters or digits has the first one in its lowest byte, whatever the machine's byte order.
WLFMT_INLINE std::uint64_t in_text_order(std::uint64_t word) noexcept {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}
WLFMT_INLINE std::uint64_t load_eight(const char* p) noexcept {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return in_text_order(word);
}
WLFMT_INLINE void store_eight(char* p, std::uint64_t word) noexcept {
    word = in_text_order(word);
    std::memcpy(p, &word, sizeof word);
}

// The number that eight digits make; `word` holds their values, not their characters.
WLFMT_INLINE std::uint64_t join_digits(std::uint64_t word) noexcept {
    constexpr std::uint64_t pairs = 0x000000ff000000ffu;
    word = word * 10 + (word >> 8);
    return ((word & pairs) * 0x000f424000000064u + (word >> 16 & pairs) * 0x0000271000000001u) >> 32;
}

// The values of the eight digits of a number below 10^8. Each step splits all parts at once: its first multiplication
// divides them by 10000, 100 or 10, exactly for such parts; its second puts quotients and remainders in their places.
WLFMT_INLINE std::uint64_t split_digits(std::uint64_t value) noexcept {
    const std::uint64_t head = value * 109951163 >> 40;
    std::uint64_t word = (value << 32) - head * ((std::uint64_t{10000} << 32) - 1);
    const std::uint64_t hundreds = (word * 10486 >> 20) & 0x0000007f0000007fu;
    word = (word << 16) - hundreds * ((100 << 16) - 1);
    const std::uint64_t tens = (word * 103 >> 10) & 0x000f000f000f000fu;
    std::uint64_t factor = (10 << 8) - 1;
#if defined(__GNUC__) && !defined(__clang__)
    // If GCC knew the factor, it would replace the multiplication with two shifts, an addition and a subtraction.
    __asm__("" : "+r"(factor));
#endif
    return (word << 8) - tens * factor;
}

// 0x80 in each byte where `word` does not hold a digit's value, 0 in the others.
WLFMT_INLINE std::uint64_t not_digits(std::uint64_t word) noexcept {
    return (((word & every_byte(0x7f)) + every_byte(0x76)) | word) & every_byte(0x80);
}

// Doubles are compared by their bits: comparisons with nan and infinity are unreliable under -ffast-math.
inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
inline constexpr std::uint64_t infinity_bits = std::uint64_t{0x7ff} << 52;

WLFMT_INLINE std::uint64_t bits_of(double v) noexcept {
    std::uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}
WLFMT_INLINE double double_of(std::uint64_t bits) noexcept {
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
}

// Whether each operation on doubles is rounded once, to nearest (the default mode): not on the x87 or with -ffast-math.
inline constexpr bool exact_arithmetic = WLFMT_EXACT_ARITHMETIC;

// The powers of ten that a double holds exactly.
inline constexpr int max_exact_power = 22;
inline constexpr double powers_of_ten[max_exact_power + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t max_exact_integer = std::uint64_t{1} << 53;

// mantissa * 10^exponent, rounded once, as both operands are exact (mantissa <= 2^53, |exponent| <= 22). Multiplies and
// divides, at least one of them by 1, rather than branching, as the sign of exponents is unpredictable.
WLFMT_INLINE double exact_scaled(std::uint64_t mantissa, int exponent) noexcept {
    const double m = static_cast<double>(static_cast<std::int64_t>(mantissa));
    return m * powers_of_ten[exponent > 0 ? exponent : 0] / powers_of_ten[exponent < 0 ? -exponent : 0];
}

// A number in its short form: at most 15 characters, digits and at most one point, with at most seven digits after it.
// The functions below read the sixteen bytes at p: check first that the text has them.
struct short_form {
    std::size_t size;   // characters, the point included; 0: no number, or one for the slow path
    std::size_t point;  // the point's position; `size` if there is no point
};
inline constexpr std::ptrdiff_t short_form_block = 16;

#if defined(WLFMT_SSE2)

// The values of the digits at p, and a bit for each byte that is not a digit.
struct digit_block {
    sse2::m128i values;
    unsigned others;
    WLFMT_INLINE explicit digit_block(const char* p) noexcept
        : values(sse2::sub_epi8(load_sixteen(p), sse2::set1_epi8('0'))),
          others(static_cast<unsigned>(sse2::movemask_epi8(sse2::adds_epu8(values, sse2::set1_epi8(0x7f - 9))))) {}
};

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

// The weights of the last sixteen characters of a number in the three steps that add up neighbours. The first eight are
// digits; the point, whose weight is 0, may be among the last eight. Row n is for a point that is the n-th character
// from the end; row 0 is for a number without a point.
struct character_weights {
    alignas(16) std::int16_t pairs[8];  // the weights of the last eight characters in the first step
    std::int16_t fours[8];
    std::int16_t eights[8];
    std::uint64_t head;  // the weight of the first eight characters' number
};
inline constexpr character_weights short_form_weights[] = {
    {{10, 1, 10, 1, 10, 1, 10, 1}, {100, 1, 100, 1, 100, 1, 100, 1}, {10000, 1, 10000, 1}, 100000000},
    {{10, 1, 10, 1, 100, 10, 1, 0}, {100, 1, 100, 1, 100, 1, 1, 1}, {10000, 1, 1000, 1}, 10000000},
    {{10, 1, 10, 1, 100, 10, 0, 1}, {100, 1, 100, 1, 100, 1, 1, 1}, {10000, 1, 1000, 1}, 10000000},
    {{10, 1, 10, 1, 100, 0, 10, 1}, {100, 1, 100, 1, 100, 1, 1, 1}, {10000, 1, 1000, 1}, 10000000},
    {{10, 1, 10, 1, 0, 100, 10, 1}, {100, 1, 100, 1, 100, 1, 1, 1}, {10000, 1, 1000, 1}, 10000000},
    {{100, 10, 1, 0, 10, 1, 10, 1}, {100, 1, 100, 1, 1, 1, 100, 1}, {10000, 1, 10000, 1}, 10000000},
    {{100, 10, 0, 1, 10, 1, 10, 1}, {100, 1, 100, 1, 1, 1, 100, 1}, {10000, 1, 10000, 1}, 10000000},
    {{100, 0, 10, 1, 10, 1, 10, 1}, {100, 1, 100, 1, 1, 1, 100, 1}, {10000, 1, 10000, 1}, 10000000},
    {{0, 100, 10, 1, 10, 1, 10, 1}, {100, 1, 100, 1, 1, 1, 100, 1}, {10000, 1, 10000, 1}, 10000000}};

// Right-aligns the values of a number's characters in sixteen bytes, after zeros. `Within` says that the sixteen bytes
// before the number's end can be read.
template <bool Within> WLFMT_INLINE sse2::m128i align_characters(const char* p, std::size_t size) noexcept {
    if constexpr (Within) {
        alignas(32) static constexpr signed char kept[32] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                                             0,  0,  0,  0,  0,  -1, -1, -1, -1, -1, -1,
                                                             -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
        const sse2::m128i before_end = sse2::sub_epi8(load_sixteen(p + size - 16), sse2::set1_epi8('0'));
        return sse2::and_si128(before_end, load_sixteen(kept + size));
    } else {
        // Shifts each half, and the lower one into the upper. A count below 0 or above 63 gives 0, without a branch.
        const sse2::m128i values = digit_block(p).values;
        const int bits = 8 * (16 - static_cast<int>(size));
        const sse2::m128i crossing = sse2::slli_si128<8>(values);
        return sse2::or_si128(sse2::sll_epi64(values, sse2::cvtsi32_si128(bits)),
                              sse2::or_si128(sse2::srl_epi64(crossing, sse2::cvtsi32_si128(64 - bits)),
                                             sse2::sll_epi64(crossing, sse2::cvtsi32_si128(bits - 64))));
    }
}

WLFMT_INLINE sse2::m128i join_pairs(sse2::m128i digits) noexcept {
    // tens + 256 units, times 2561: the high byte of the product is 10 tens + units, which is below 256.
    sse2::m128i factor = sse2::set1_epi16(10 << 8 | 1);
#if defined(__GNUC__) && !defined(__clang__)
    __asm__("" : "+x"(factor));  // as in split_digits()
#endif
    return sse2::srli_epi16(sse2::mullo_epi16(digits, factor), 8);
}

// The number that the digits of a short form make without the point. It is below 10^15.
template <bool Within = false> WLFMT_INLINE std::uint64_t short_form_digits(const char* p, short_form f) noexcept {
    const auto& weigh = short_form_weights[f.size - f.point];
    const auto by = [](const std::int16_t* row) { return sse2::load_si128(row); };
    const sse2::m128i values = align_characters<Within>(p, f.size);
    const sse2::m128i high =
        sse2::madd_epi16(sse2::unpacklo_epi8(values, sse2::setzero_si128()), sse2::set1_epi32(10 | 1 << 16));
    const sse2::m128i low = sse2::madd_epi16(sse2::unpackhi_epi8(values, sse2::setzero_si128()), by(weigh.pairs));
    const sse2::m128i fours = sse2::madd_epi16(sse2::packs_epi32(high, low), by(weigh.fours));
    const sse2::m128i eights = sse2::madd_epi16(sse2::packs_epi32(fours, fours), by(weigh.eights));
    std::uint64_t halves;
    sse2::storel_epi64(&halves, eights);
    return (halves & 0xffffffffu) * weigh.head + (halves >> 32);
}

// The weights of up to five digits: [position of the point - 1][number of digits after it]. The point of an integer is
// after its digits.
alignas(16) inline constexpr std::int16_t few_digit_weights[5][4][8] = {
    {{1}, {10, 0, 1}, {100, 0, 10, 1}, {1000, 0, 100, 10, 1}},
    {{10, 1}, {100, 10, 0, 1}, {1000, 100, 0, 10, 1}, {10000, 1000, 0, 100, 10, 1}},
    {{100, 10, 1}, {1000, 100, 10, 0, 1}, {10000, 1000, 100, 0, 10, 1}},
    {{1000, 100, 10, 1}, {10000, 1000, 100, 10, 0, 1}},
    {{10000, 1000, 100, 10, 1}}};

// The weighted sum of the first eight values.
WLFMT_INLINE int sum_of_few(const digit_block& b, const std::int16_t (&by)[8]) noexcept {
    const sse2::m128i words = sse2::unpacklo_epi8(b.values, sse2::setzero_si128());
    sse2::m128i sums = sse2::madd_epi16(words, sse2::load_si128(by));
    sums = sse2::add_epi32(sums, sse2::shuffle_epi32<0x4e>(sums));
    return sse2::cvtsi128_si32(sse2::add_epi32(sums, sse2::shuffle_epi32<0xb1>(sums)));
}

// Reads a short number: an integer of at most five digits, or a decimal of at most five digits, at least one of them
// before the point and one to three after it. Returns false, and changes nothing, if there is no such number.
WLFMT_INLINE bool read_few(const char*& p, std::int64_t& value) noexcept {
    const digit_block b(p);
    const unsigned size = trailing_zeros(b.others | 1U << 6);
    if (WLFMT_UNLIKELY(size - 1 > 4)) return false;
    value = sum_of_few(b, few_digit_weights[size - 1][0]);
    p += size;
    return true;
}
WLFMT_INLINE bool read_few(const char*& p, double& value) noexcept {
    const digit_block b(p);
    const unsigned after = b.others & (b.others - 1);
    if (WLFMT_UNLIKELY(after == 0)) return false;
    const unsigned point = trailing_zeros(b.others);
    const unsigned size = trailing_zeros(after);
    const unsigned decimals = size - point - 1;
    if (WLFMT_UNLIKELY(p[point] != '.' || point == 0 || size > 6 || decimals - 1 > 2)) return false;
    value = sum_of_few(b, few_digit_weights[point - 1][decimals]) / powers_of_ten[decimals];
    p += size;
    return true;
}

#else

WLFMT_INLINE short_form find_short_form(const char* p) noexcept {
    constexpr std::size_t none = 16;
    std::size_t point = none;
    for (std::size_t at = 0; at != 16; at += 8) {
        const std::uint64_t word = load_eight(p + at);
        // Flags the bytes outside '.'..'9'. The lowest flag is right; a borrow or carry may falsify those above.
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
        // The point's gap is closed within the last eight bytes; a longer fraction is left to the slow path.
        if (WLFMT_UNLIKELY(size == 1 || size - point > 8)) return {0, 0};
        return {size, point};
    }
    return {0, 0};
}

template <bool Within = false> WLFMT_INLINE std::uint64_t short_form_digits(const char* p, short_form f) noexcept {
    constexpr std::uint64_t zeros = every_byte('0');
    std::uint64_t tail = f.size < 8 ? (load_eight(p) ^ zeros) << 8 * (8 - f.size) : load_eight(p + f.size - 8) ^ zeros;
    std::uint64_t tail_scale = 100000000;
    if (f.point != f.size) {
        const std::uint64_t fraction_mask = ~(~std::uint64_t{0} >> 8 * (f.size - f.point - 1));
        tail = (tail & fraction_mask) | (tail << 8 & ~fraction_mask);
        tail_scale = 10000000;
    }
    if (f.size <= 8) return join_digits(tail);
    const std::uint64_t head = (load_eight(p) ^ zeros) << 8 * (16 - f.size);
    return join_digits(head) * tail_scale + join_digits(tail);
}

// Reads any number in its short form: an integer has no point, a decimal has one between digits.
WLFMT_INLINE bool read_few(const char*& p, std::int64_t& value) noexcept {
    const short_form f = find_short_form(p);
    if (WLFMT_UNLIKELY(f.size == 0 || f.point != f.size)) return false;
    value = static_cast<std::int64_t>(short_form_digits(p, f));
    p += f.size;
    return true;
}
WLFMT_INLINE bool read_few(const char*& p, double& value) noexcept {
    const short_form f = find_short_form(p);
    if (WLFMT_UNLIKELY(f.point == 0 || f.size - f.point < 2)) return false;
    value =
        static_cast<double>(static_cast<std::int64_t>(short_form_digits(p, f))) / powers_of_ten[f.size - f.point - 1];
    p += f.size;
    return true;
}

#endif

template <bool Within = false> WLFMT_INLINE number short_form_number(const char* p, short_form f) noexcept {
    // Signed, as processors have an instruction that converts signed integers to doubles.
    const auto digits = static_cast<std::int64_t>(short_form_digits<Within>(p, f));
    if (f.point == f.size) return digits;
    return static_cast<double>(digits) / powers_of_ten[f.size - f.point - 1];
}

WLFMT_INLINE bool is_exponent_mark(char c) noexcept { return (c | 0x20) == 'e'; }

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
