// The decimal digits of doubles, for standard libraries whose std::to_chars knows integers alone, such as GCC 9's and
// 10's: with whole numbers of any size, exact and slow.
#ifndef WLFMT_DETAIL_NUMBER_DIGITS_HPP
#define WLFMT_DETAIL_NUMBER_DIGITS_HPP

#include <charconv>

#include "exact.hpp"

#include "../base/config.hpp"

// libc++ has the function since version 14, on Apple's systems only where the oldest one to run on has it, too. It
// defines the macro much later, when it has std::from_chars as well.
#if defined(__cpp_lib_to_chars) || (defined(_LIBCPP_VERSION) && _LIBCPP_VERSION >= 14000 && !defined(__APPLE__))
#define WLFMT_STD_TO_CHARS
#endif

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

#if defined(WLFMT_STD_TO_CHARS)

// The shortest decimal that reads back, from `out` on; null if it does not fit.
inline char* write_shortest_plain(char* out, char* end, double v) noexcept {
    const auto written = std::to_chars(out, end, v, std::chars_format::fixed);
    return written.ec == std::errc() ? written.ptr : nullptr;
}
inline char* write_shortest_scientific(char* out, char* end, double magnitude) noexcept {
    return std::to_chars(out, end, magnitude, std::chars_format::scientific).ptr;
}
// The decimal nearest to the value, ties to even.
inline char* write_nearest(char* out, char* end, double v, int decimals) noexcept {
    return std::to_chars(out, end, v, std::chars_format::fixed, decimals).ptr;
}

#else

// A whole number below 2^1184: all that the digits of a double need, which is less than 2^54 * 10^324 * 20.
class large_number {
public:
    explicit large_number(std::uint64_t v) noexcept
        : words_{static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(v >> 32)}, size_(2) {}

    void multiply(std::uint32_t factor) noexcept {
        std::uint64_t carry = 0;
        for (std::size_t n = 0; n != size_; ++n) {
            carry += std::uint64_t{words_[n]} * factor;
            words_[n] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0 && size_ != max_size) words_[size_++] = static_cast<std::uint32_t>(carry);
    }
    void multiply_by_power_of_ten(int exponent) noexcept {
        for (; exponent >= 9; exponent -= 9) multiply(1000000000);
        for (; exponent > 0; --exponent) multiply(10);
    }
    void shift_left(int bits) noexcept {
        for (; bits >= 31; bits -= 31) multiply(std::uint32_t{1} << 31);
        multiply(std::uint32_t{1} << bits);
    }
    void add(const large_number& other) noexcept {
        std::uint64_t carry = 0;
        for (std::size_t n = 0; n != max_size && (n < other.size_ || n < size_ || carry != 0); ++n) {
            if (n == size_) words_[size_++] = 0;
            carry += std::uint64_t{words_[n]} + other.word(n);
            words_[n] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    // Subtracts a number that is not larger.
    void subtract(const large_number& other) noexcept {
        std::uint64_t borrow = 0;
        for (std::size_t n = 0; n != size_; ++n) {
            const std::uint64_t taken = other.word(n) + borrow;
            borrow = words_[n] < taken ? 1 : 0;
            words_[n] = static_cast<std::uint32_t>(words_[n] - taken);
        }
    }
    // Below 0, 0 or above 0, as this number is smaller, equal or larger.
    int compare(const large_number& other) const noexcept {
        for (std::size_t n = size_ > other.size_ ? size_ : other.size_; n-- != 0;)
            if (word(n) != other.word(n)) return word(n) < other.word(n) ? -1 : 1;
        return 0;
    }

private:
    static constexpr std::size_t max_size = 37;
    std::uint32_t word(std::size_t n) const noexcept { return n < size_ ? words_[n] : 0; }

    std::uint32_t words_[max_size];
    std::size_t size_;
};

// 0.DIGITS * 10^exponent.
struct decimal_digits {
    static constexpr int shortest = -1;

    // The digits of a finite magnitude up to the last of `decimals` after the point, or the fewest that read back: of
    // the decimals of that length that do, the nearest to the magnitude.
    decimal_digits(double magnitude, int decimals) noexcept {
        const std::uint64_t bits = bits_of(magnitude);
        const std::uint64_t hidden_bit = std::uint64_t{1} << 52;
        const std::uint64_t fraction = bits & (hidden_bit - 1);
        const bool is_subnormal = bits < hidden_bit;
        const std::uint64_t mantissa = is_subnormal ? fraction : fraction | hidden_bit;
        const int power = (is_subnormal ? 1 : static_cast<int>(bits >> 52)) - 1075;
        if (mantissa == 0) return;

        // The magnitude is rest / scale. Decimals between rest - below and rest + above read as it: halfway to its
        // neighbours, of which the lower one of a power of two is nearer. Those halfway go to the even mantissa.
        const int closer = fraction == 0 && bits >> 52 > 1 ? 1 : 0;
        const bool is_even = mantissa % 2 == 0;
        const int left = power > 0 ? power : 0;
        large_number rest(mantissa);
        large_number scale(1);
        large_number above(1);
        large_number below(1);
        rest.shift_left(left + 1 + closer);
        scale.shift_left(left - power + 1 + closer);
        above.shift_left(left + closer);
        below.shift_left(left);

        // Too small at first, by at most 2: log10(2) = 78913 / 2^18, rounded down.
        int width = 0;
        while (mantissa >> width != 0) ++width;
        const int log2 = power + width - 1;
        exponent = (log2 * 78913 - (log2 < 0 ? (1 << 18) - 1 : 0)) / (1 << 18);
        scale.multiply_by_power_of_ten(exponent);
        for (large_number* const part : {&rest, &above, &below}) part->multiply_by_power_of_ten(-exponent);
        const auto is_reached = [&](const large_number& part, bool or_equal) {
            const int order = part.compare(scale);
            return order > 0 || (or_equal && order == 0);
        };
        const auto reaches_above = [&] {
            large_number sum = rest;
            sum.add(above);
            return is_reached(sum, is_even);
        };
        while (decimals == shortest ? reaches_above() : is_reached(rest, true)) {
            scale.multiply(10);
            ++exponent;
        }

        const auto rounds_up = [&](bool is_odd) {
            large_number twice = rest;
            twice.add(rest);
            return is_reached(twice, is_odd);
        };
        for (;;) {
            if (decimals != shortest && size >= exponent + decimals) {
                // A magnitude below half a unit of the last place is 0: nothing is rounded then.
                if (size == exponent + decimals && rounds_up(size != 0 && digits[size - 1] % 2 != 0)) add_unit();
                return;
            }
            for (large_number* const part : {&rest, &above, &below}) part->multiply(10);
            char digit = '0';
            for (; is_reached(rest, true); rest.subtract(scale)) ++digit;
            if (decimals == shortest) {
                const int order = rest.compare(below);
                const bool may_end = order < 0 || (is_even && order == 0);
                const bool may_go_up = reaches_above();
                if (may_go_up && (!may_end || rounds_up(digit % 2 != 0))) ++digit;
                if (may_end || may_go_up) {
                    digits[size++] = digit;
                    return;
                }
            }
            digits[size++] = digit;
        }
    }

    char digits[320];
    int size = 0;
    int exponent = 0;

private:
    void add_unit() noexcept {
        int n = size;
        for (; n != 0 && digits[n - 1] == '9'; --n) digits[n - 1] = '0';
        if (n != 0) {
            ++digits[n - 1];
            return;
        }
        // 999 becomes 1000.
        if (size != 0) digits[size] = '0';
        digits[0] = '1';
        ++size;
        ++exponent;
    }
};

// Without an exponent, and with `decimals` digits after the point if that is not decimal_digits::shortest; null if it
// does not fit.
inline char* write_plain_digits(char* out, char* end, const decimal_digits& d, int decimals) noexcept {
    const int before = d.exponent > 0 && d.size != 0 ? d.exponent : 0;
    const int after = decimals != decimal_digits::shortest ? decimals : d.size > d.exponent ? d.size - d.exponent : 0;
    if (end - out < (before != 0 ? before : 1) + (after != 0 ? 1 + after : 0)) return nullptr;
    const auto digit = [&](int n) { return n >= 0 && n < d.size ? d.digits[n] : '0'; };
    if (before == 0) *out++ = '0';
    for (int n = 0; n != before; ++n) *out++ = digit(n);
    if (after != 0) *out++ = '.';
    for (int n = 0; n != after; ++n) *out++ = digit(d.exponent + n);
    return out;
}

WLFMT_COLD inline char* write_nearest(char* out, char* end, double v, int decimals) noexcept {
    const std::uint64_t bits = bits_of(v);
    if ((bits & sign_bit) != 0) *out++ = '-';
    const decimal_digits d(double_of(bits & ~sign_bit), decimals);
    return write_plain_digits(out, end, d, decimals);
}
WLFMT_COLD inline char* write_shortest_plain(char* out, char* end, double v) noexcept {
    const std::uint64_t bits = bits_of(v);
    // Of a whole number, all digits are written.
    if ((bits & ~sign_bit) >= bits_of(0x1p53)) return write_nearest(out, end, v, 0);
    if ((bits & sign_bit) != 0) *out++ = '-';
    const decimal_digits d(double_of(bits & ~sign_bit), decimal_digits::shortest);
    return write_plain_digits(out, end, d, decimal_digits::shortest);
}
WLFMT_COLD inline char* write_shortest_scientific(char* out, char*, double magnitude) noexcept {
    const decimal_digits d(magnitude, decimal_digits::shortest);
    *out++ = d.digits[0];
    if (d.size > 1) *out++ = '.';
    for (int n = 1; n < d.size; ++n) *out++ = d.digits[n];
    int exponent = d.exponent - 1;
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent >= 100) *out++ = static_cast<char>('0' + exponent / 100);
    *out++ = static_cast<char>('0' + exponent / 10 % 10);
    *out++ = static_cast<char>('0' + exponent % 10);
    return out;
}

#endif

}}}  // namespace wlfmt::WLFMT_ABI::detail

#undef WLFMT_STD_TO_CHARS
#endif
