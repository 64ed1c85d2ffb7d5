// Integers of 256 bits in two's complement, for sums that are the same in any order and that no input overflows.
#ifndef WLFMT_ANALYSIS_SUMMARY_WIDE_HPP
#define WLFMT_ANALYSIS_SUMMARY_WIDE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wlfmt::analysis {

// An unsigned number of 128 bits.
struct product {
    std::uint64_t low;
    std::uint64_t high;
};
inline product multiply(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t half = 0xffffffff;
    const std::uint64_t low = (a & half) * (b & half);
    const std::uint64_t cross = (a >> 32) * (b & half) + (low >> 32);
    const std::uint64_t other = (a & half) * (b >> 32) + (cross & half);
    return {other << 32 | (low & half), (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32)};
}
inline std::uint64_t magnitude(std::int64_t v) noexcept {
    return v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
}

inline product squared(std::int64_t v) noexcept { return multiply(magnitude(v), magnitude(v)); }

class wide {
public:
    wide() noexcept = default;
    explicit wide(std::int64_t v) noexcept {
        words_[0] = static_cast<std::uint64_t>(v);
        for (std::size_t n = 1; n != size; ++n) words_[n] = v < 0 ? ~std::uint64_t{0} : 0;
    }
    static wide of(std::uint64_t v) noexcept {
        wide value;
        value.words_[0] = v;
        return value;
    }
    static wide square_of(std::int64_t v) noexcept { return wide() += squared(v); }

    wide& operator+=(const wide& other) noexcept {
        bool carry = false;
        for (std::size_t n = 0; n != size; ++n) {
            const std::uint64_t sum = words_[n] + other.words_[n];
            const std::uint64_t with_carry = sum + (carry ? 1 : 0);
            carry = sum < words_[n] || with_carry < sum;
            words_[n] = with_carry;
        }
        return *this;
    }
    // Most sums grow by one machine word at a time, and the words above it hardly ever change.
    wide& operator+=(std::int64_t v) noexcept {
        words_[0] += static_cast<std::uint64_t>(v);
        const bool carry = words_[0] < static_cast<std::uint64_t>(v);
        if (carry == (v < 0)) return *this;
        for (std::size_t n = 1; n != size; ++n)
            if (carry ? ++words_[n] != 0 : words_[n]-- != 0) break;
        return *this;
    }
    wide& operator+=(const product& p) noexcept {
        words_[0] += p.low;
        const std::uint64_t high = p.high + (words_[0] < p.low ? 1 : 0);  // a product's high word has room for it
        words_[1] += high;
        if (words_[1] < high && ++words_[2] == 0) ++words_[3];
        return *this;
    }
    wide operator-() const noexcept {
        wide inverted;
        for (std::size_t n = 0; n != size; ++n) inverted.words_[n] = ~words_[n];
        return inverted += 1;
    }
    friend wide operator+(wide a, const wide& b) noexcept { return a += b; }
    friend wide operator*(const wide& a, const wide& b) noexcept {
        wide sum;
        for (std::size_t i = 0; i != size; ++i)
            for (std::size_t j = 0; i + j != size; ++j) {
                const product p = multiply(a.words_[i], b.words_[j]);
                wide part;
                part.words_[i + j] = p.low;
                if (i + j + 1 != size) part.words_[i + j + 1] = p.high;
                sum += part;
            }
        return sum;
    }
    friend bool operator==(const wide& a, const wide& b) noexcept {
        for (std::size_t n = 0; n != size; ++n)
            if (a.words_[n] != b.words_[n]) return false;
        return true;
    }
    friend bool operator!=(const wide& a, const wide& b) noexcept { return !(a == b); }
    bool is_negative() const noexcept { return words_[size - 1] >> 63 != 0; }

    // The low 64 bits, which are the value if it fits.
    std::int64_t low() const noexcept { return static_cast<std::int64_t>(words_[0]); }

    // The nearest double or a neighbour of it. All machines return the same for the same integer.
    double as_double() const noexcept {
        const wide magnitude = is_negative() ? -*this : *this;
        double v = 0;
        for (std::size_t n = size; n-- > 0;) v = v * 18446744073709551616.0 + static_cast<double>(magnitude.words_[n]);
        return is_negative() ? -v : v;
    }
    // The integer with a point before its last `decimals` digits, and no zeros at the end of the fraction: `12.5`.
    std::string text(std::size_t decimals) const {
        wide rest = is_negative() ? -*this : *this;
        char written[80];  // room for the 77 digits of 2^255, a sign and a point
        char* const end = written + sizeof written;
        char* at = end;
        for (std::size_t n = 0; n <= decimals || rest != wide(); ++n) {
            const char digit = static_cast<char>('0' + rest.divide_by_ten());
            if (n == decimals && at != end) *--at = '.';
            if (n >= decimals || at != end || digit != '0') *--at = digit;
        }
        if (is_negative()) *--at = '-';
        return std::string(at, end);
    }
    // Reads what text() writes. Returns the number of bytes read; 0 if the text does not begin with such a number.
    static std::size_t read(std::string_view from, std::size_t decimals, wide& value) noexcept {
        constexpr std::size_t max_digits = 76;
        const bool negative = !from.empty() && from[0] == '-';
        std::size_t at = negative ? 1 : 0;
        std::size_t digits = 0;
        std::size_t fraction = 0;
        bool point = false;
        // Digits are gathered in machine words, as multiplying wide integers takes long.
        wide head;  // the digits before those in `word`
        std::int64_t word = 0;
        std::int64_t word_scale = 1;  // ten to the number of digits in `word`
        const auto whole = [&] { return head == wide() ? wide(word) : head * wide(word_scale) + wide(word); };
        const auto add = [&](int digit) {
            if (word_scale == 1000000000000000000) {
                head = whole();
                word = 0;
                word_scale = 1;
            }
            word = word * 10 + digit;
            word_scale *= 10;
        };
        for (; at != from.size() && digits <= max_digits; ++at) {
            const auto digit = static_cast<unsigned char>(from[at] - '0');
            if (from[at] == '.' && !point && digits != 0) {
                point = true;
                continue;
            }
            if (digit >= 10) break;
            add(digit);
            ++digits;
            fraction += point ? 1 : 0;
        }
        if (digits == 0 || digits > max_digits || (point && fraction == 0) || fraction > decimals) return 0;
        for (; fraction != decimals; ++fraction) add(0);
        const wide v = whole();
        value = negative ? -v : v;
        return at;
    }

private:
    static constexpr std::size_t size = 4;

    // Returns the remainder.
    unsigned divide_by_ten() noexcept {
        std::uint64_t remainder = 0;
        if ((words_[1] | words_[2] | words_[3]) == 0) {
            remainder = words_[0] % 10;
            words_[0] /= 10;
            return static_cast<unsigned>(remainder);
        }
        for (std::size_t n = size; n-- > 0;) {
            const std::uint64_t high = remainder << 32 | words_[n] >> 32;
            const std::uint64_t low = (high % 10) << 32 | (words_[n] & 0xffffffff);
            words_[n] = (high / 10) << 32 | low / 10;
            remainder = low % 10;
        }
        return static_cast<unsigned>(remainder);
    }

    std::uint64_t words_[size] = {};
};

}  // namespace wlfmt::analysis

#endif
