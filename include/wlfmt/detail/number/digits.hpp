// Writes the digits of doubles with std::to_chars or, if the standard library has it only for integers, as in GCC 9 and
// 10, with exact but slow arithmetic on large integers.
#ifndef WLFMT_DETAIL_NUMBER_DIGITS_HPP
#define WLFMT_DETAIL_NUMBER_DIGITS_HPP

#include <charconv>
#include <system_error>

#include "exact.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The greatest number of characters that write_digits() writes for six decimals.
inline constexpr std::size_t max_fixed_chars = 320;
// Stands for as many decimals as the shortest text that reads back has; of several such texts, the nearest is written.
inline constexpr int shortest = -1;

// libc++ has had the function since version 14, but defines the macro only since it also has std::from_chars. On
// Apple's systems, the oldest system that is supported must have the function, too.
#if defined(__cpp_lib_to_chars) || (defined(_LIBCPP_VERSION) && _LIBCPP_VERSION >= 14000 && !defined(__APPLE__))

// Writes a finite number with or without an exponent, correctly rounded, ties to even. Returns null if it does not fit.
inline char* write_digits(char* out, char* end, double v, bool scientific, int decimals) noexcept {
    const auto form = scientific ? std::chars_format::scientific : std::chars_format::fixed;
    const auto written =
        decimals == shortest ? std::to_chars(out, end, v, form) : std::to_chars(out, end, v, form, decimals);
    return written.ec == std::errc() ? written.ptr : nullptr;
}

#else

// An integer below 2^1184. Writing a double takes integers below 2^54 * 10^324 * 20.
class large_number {
public:
    explicit large_number(std::uint64_t v) noexcept
        : words_{static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(v >> 32)} {}

    void multiply(std::uint32_t factor, int times = 1) noexcept {
        for (; times > 0; --times) {
            std::uint64_t carry = 0;
            for (std::size_t n = 0; n != size_; ++n) {
                carry += std::uint64_t{words_[n]} * factor;
                words_[n] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            if (carry != 0) words_[size_++] = static_cast<std::uint32_t>(carry);
        }
    }
    void multiply_by_powers(int of_two, int of_ten) noexcept {
        multiply(std::uint32_t{1} << 16, of_two / 16);
        multiply(2, of_two % 16);
        multiply(1000000000, of_ten / 9);
        multiply(10, of_ten % 9);
    }
    void add(const large_number& other) noexcept {
        size_ = (size_ > other.size_ ? size_ : other.size_) + 1;
        std::uint64_t carry = 0;
        for (std::size_t n = 0; n != size_; ++n) {
            carry += std::uint64_t{words_[n]} + other.words_[n];
            words_[n] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    // Subtracts a number that is not larger.
    void subtract(const large_number& other) noexcept {
        std::uint64_t borrow = 0;
        for (std::size_t n = 0; n != size_; ++n) {
            const std::uint64_t taken = other.words_[n] + borrow;
            borrow = words_[n] < taken ? 1 : 0;
            words_[n] = static_cast<std::uint32_t>(words_[n] - taken);
        }
    }
    // Returns a number below 0, 0 or above 0 if this number is smaller, equal or larger.
    int compare(const large_number& other) const noexcept {
        for (std::size_t n = size_ > other.size_ ? size_ : other.size_; n-- != 0;)
            if (words_[n] != other.words_[n]) return words_[n] < other.words_[n] ? -1 : 1;
        return 0;
    }

private:
    std::uint32_t words_[37];  // the lowest first, zeros from size_ on
    std::size_t size_ = 2;
};

// The digits of a finite magnitude: 0.DIGITS * 10^exponent.
struct decimal_digits {
    decimal_digits(double magnitude, int decimals) noexcept {
        const std::uint64_t bits = bits_of(magnitude);
        constexpr std::uint64_t hidden_bit = std::uint64_t{1} << 52;
        const std::uint64_t fraction = bits % hidden_bit;
        const int biased = static_cast<int>(bits / hidden_bit);
        const std::uint64_t mantissa = biased == 0 ? fraction : fraction + hidden_bit;
        const int power = (biased == 0 ? 1 : biased) - 1075;
        if (mantissa == 0) return;

        // The magnitude is rest / scale. A decimal reads back if, times scale, it is between rest - below and rest +
        // above, which are halfway to the neighbouring doubles; the lower neighbour of a power of two is nearer than
        // the upper one. A decimal that is exactly halfway is read as the double with the even mantissa.
        const int closer = fraction == 0 && biased > 1 ? 1 : 0;
        const bool is_even = mantissa % 2 == 0;
        const int left = power > 0 ? power : 0;
        int log2 = power - 1;
        for (std::uint64_t n = mantissa; n != 0; n /= 2) ++log2;
        // log10(2) is 78913 / 2^18, rounded down: the exponent is too small by at most 2.
        exponent = (log2 * 78913 - (log2 < 0 ? (1 << 18) - 1 : 0)) / (1 << 18);
        large_number rest(mantissa);
        large_number scale(1);
        large_number above(1);
        large_number below(1);
        rest.multiply_by_powers(left + 1 + closer, -exponent);
        scale.multiply_by_powers(left - power + 1 + closer, exponent);
        above.multiply_by_powers(left + closer, -exponent);
        below.multiply_by_powers(left, -exponent);
        // Whether rest + more is greater than scale or, with `or_equal`, equal to it.
        const auto reaches = [&](const large_number& more, bool or_equal) {
            large_number sum = rest;
            sum.add(more);
            const int order = sum.compare(scale);
            return order > 0 || (or_equal && order == 0);
        };
        while (decimals == shortest ? reaches(above, is_even) : rest.compare(scale) >= 0) {
            scale.multiply(10);
            ++exponent;
        }
        for (bool ends = false; !ends && (decimals == shortest || size < exponent + decimals);) {
            for (large_number* const part : {&rest, &above, &below}) part->multiply(10);
            char digit = '0';
            for (; rest.compare(scale) >= 0; rest.subtract(scale)) ++digit;
            if (decimals == shortest) {
                const int order = rest.compare(below);
                const bool reads_back = order < 0 || (is_even && order == 0);
                const bool next_does = reaches(above, is_even);
                if (next_does && (!reads_back || reaches(rest, digit % 2 != 0))) ++digit;
                ends = reads_back || next_does;
            }
            digits[size++] = digit;
        }
        // A magnitude below half a unit of the last place has no digits.
        if (decimals == shortest || size != exponent + decimals) return;
        if (!reaches(rest, size != 0 && digits[size - 1] % 2 != 0)) return;
        int nines = 0;
        while (nines != size && digits[size - 1 - nines] == '9') digits[size - 1 - nines++] = '0';
        if (nines != size) {
            ++digits[size - 1 - nines];
            return;
        }
        digits[size++] = '0';
        digits[0] = '1';
        ++exponent;
    }
    char operator[](int n) const noexcept { return n >= 0 && n < size ? digits[n] : '0'; }

    char digits[max_fixed_chars];
    int size = 0;
    int exponent = 0;
};

WLFMT_COLD inline char* write_digits(char* out, char* end, double v, bool scientific, int decimals) noexcept {
    const std::uint64_t bits = bits_of(v);
    const double magnitude = double_of(bits & ~sign_bit);
    if ((bits & sign_bit) != 0) *out++ = '-';
    // A whole number is written with all its digits, not with zeros after the shortest ones.
    const bool is_whole = !scientific && magnitude >= 0x1p53;
    const decimal_digits digits(magnitude, decimals == shortest && is_whole ? 0 : decimals);
    const int point = scientific ? 1 : digits.size == 0 || digits.exponent < 0 ? 0 : digits.exponent;
    const int first = scientific ? 0 : digits.exponent - point;
    const int after = decimals != shortest ? decimals : digits.size - first - point;
    if (end - out < (point == 0 ? 1 : point) + (after > 0 ? 1 + after : 0) + (scientific ? 5 : 0)) return nullptr;
    if (point == 0) *out++ = '0';
    for (int n = 0; n != point; ++n) *out++ = digits[n];
    if (after > 0) *out++ = '.';
    for (int n = 0; n < after; ++n) *out++ = digits[first + point + n];
    if (!scientific) return out;
    const int exponent = digits.exponent > 0 ? digits.exponent - 1 : 1 - digits.exponent;
    *out++ = 'e';
    *out++ = digits.exponent > 0 ? '+' : '-';
    if (exponent >= 100) *out++ = static_cast<char>('0' + exponent / 100);
    *out++ = static_cast<char>('0' + exponent / 10 % 10);
    *out++ = static_cast<char>('0' + exponent % 10);
    return out;
}

#endif

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
