// What reading and writing numbers share: eight digits as one word, and arithmetic on doubles that is exact.
//
// Reading (read.hpp) and writing (write.hpp) are correctly rounded, the same under every kernel, and independent of the
// locale. No other file reads or writes a number.
#ifndef WLFMT_DETAIL_NUMBER_EXACT_HPP
#define WLFMT_DETAIL_NUMBER_EXACT_HPP

#include <cstdint>
#include <cstring>

#include "../base/kernel.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Eight characters or digits in a word: the first one lowest, whatever the machine's byte order.

inline constexpr std::uint64_t integer_powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                                          100000, 1000000, 10000000, 100000000};

constexpr std::uint64_t every_byte(unsigned char b) noexcept { return 0x0101010101010101u * b; }

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

// The way back: the values of the eight digits of a number below 10^8. Each step halves the parts, all at once. Its
// first multiplication is a division by 10000, 100 or 10, exact for what the parts can be; its second one takes the
// quotient times the divisor from the remainder's place and adds it in its own.
WLFMT_INLINE std::uint64_t split_digits(std::uint64_t value) noexcept {
    const std::uint64_t head = value * 109951163 >> 40;
    std::uint64_t word = (value << 32) - head * ((std::uint64_t{10000} << 32) - 1);
    const std::uint64_t hundreds = (word * 10486 >> 20) & 0x0000007f0000007fu;
    word = (word << 16) - hundreds * ((100 << 16) - 1);
    const std::uint64_t tens = (word * 103 >> 10) & 0x000f000f000f000fu;
    std::uint64_t factor = (10 << 8) - 1;
#if defined(__GNUC__) && !defined(__clang__)
    // If GCC knew the factor, it would replace the multiplication by two shifts, an addition and a subtraction.
    __asm__("" : "+r"(factor));
#endif
    return (word << 8) - tens * factor;
}

// 0x80 in every byte of `word` that is not a digit's value.
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
// operation is the only rounding. The other factor is 1, which replaces a branch: positive and negative exponents come
// in no order.
WLFMT_INLINE double exact_scaled(std::uint64_t mantissa, int exponent) noexcept {
    const double m = static_cast<double>(static_cast<std::int64_t>(mantissa));
    return m * powers_of_ten[exponent > 0 ? exponent : 0] / powers_of_ten[exponent < 0 ? -exponent : 0];
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
