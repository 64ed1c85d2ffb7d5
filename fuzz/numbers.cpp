// Reading and writing numbers, against slow references: arbitrary-precision arithmetic, fast_float and std::to_chars.
#include <charconv>
#include <cmath>
#include <limits>

#include <fast_float/fast_float.h>

#include <wlfmt/wlfmt.hpp>

#include "check.hpp"

namespace {

namespace detail = wlfmt::detail;
using detail::number_status;

// Natural numbers of any size.

class natural {
public:
    explicit natural(std::uint64_t v = 0) {
        for (; v != 0; v >>= 32) parts_.push_back(static_cast<std::uint32_t>(v));
    }
    void multiply_add(std::uint32_t factor, std::uint32_t summand) {
        std::uint64_t carry = summand;
        for (std::uint32_t& part : parts_) {
            carry += std::uint64_t{part} * factor;
            part = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) parts_.push_back(static_cast<std::uint32_t>(carry));
    }
    void multiply_by_power(std::uint32_t base, std::int64_t power) {
        for (; power > 0; --power) multiply_add(base, 0);
    }
    // -1, 0 or 1 if a is below, equal to or above b.
    static int compare(const natural& a, const natural& b) {
        if (a.parts_.size() != b.parts_.size()) return a.parts_.size() < b.parts_.size() ? -1 : 1;
        for (std::size_t n = a.parts_.size(); n-- > 0;)
            if (a.parts_[n] != b.parts_[n]) return a.parts_[n] < b.parts_[n] ? -1 : 1;
        return 0;
    }

private:
    std::vector<std::uint32_t> parts_;  // the lowest first, no zeros at the end
};

// The grammar of numbers, written out rule by rule.

struct parsed {
    std::size_t size = 0;  // 0: no number
    bool negative = false;
    bool decimal = false;
    std::string digits;         // without leading zeros
    std::int64_t exponent = 0;  // the value is digits * 10^exponent
    bool nan = false;
    bool infinite = false;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// [+-]?\d+, or with `decimals` [+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)? and nan, inf, -inf.
parsed parse(std::string_view t, bool decimals) {
    parsed n;
    std::size_t at = 0;
    const auto peek = [&](std::size_t k) { return k < t.size() ? t[k] : '\0'; };
    n.negative = peek(at) == '-';
    if (peek(at) == '-' || peek(at) == '+') ++at;
    std::size_t digits = 0;
    const auto take_digits = [&](bool fraction) {
        for (; is_digit(peek(at)); ++at, ++digits) {
            if (!n.digits.empty() || t[at] != '0') n.digits += t[at];
            n.exponent -= fraction;
        }
    };
    take_digits(false);
    if (decimals && peek(at) == '.' && (digits > 0 || is_digit(peek(at + 1)))) {
        ++at;
        n.decimal = true;
        take_digits(true);
    }
    if (digits == 0) {
        n.negative = false;
        if (!decimals) return n;
        if (t.substr(0, 3) == "nan") n.nan = true, n.size = 3;
        if (t.substr(0, 3) == "inf") n.infinite = true, n.size = 3;
        if (t.substr(0, 4) == "-inf") n.infinite = n.negative = true, n.size = 4;
        n.decimal = true;
        return n;
    }
    if (decimals && (peek(at) == 'e' || peek(at) == 'E')) {
        std::size_t e = at + 1;
        const bool negative = peek(e) == '-';
        if (peek(e) == '-' || peek(e) == '+') ++e;
        if (is_digit(peek(e))) {
            std::int64_t value = 0;
            for (; is_digit(peek(e)); ++e) value = value < 100000000 ? value * 10 + (t[e] - '0') : value;
            n.exponent += negative ? -value : value;
            n.decimal = true;
            at = e;
        }
    }
    n.size = at;
    return n;
}

// Whether `d` is the double nearest to digits * 10^exponent, of two equally near ones the even one.
bool is_nearest(const std::string& digits, std::int64_t exponent, double d) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &d, sizeof bits);
    const auto biased = static_cast<int>(bits >> 52 & 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    // The double is m * 2^e; the middles to its neighbours are (4m - 2 or 4m - 1) and 4m + 2, times 2^(e - 2).
    const std::uint64_t m = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const int e = (biased == 0 ? 1 : biased) - 1075;
    const bool even = (m & 1) == 0;
    const bool narrow_below = fraction == 0 && biased > 1;
    natural value;
    for (const char c : digits) value.multiply_add(10, static_cast<std::uint32_t>(c - '0'));
    if (exponent > 0) value.multiply_by_power(10, exponent);
    if (e < 2) value.multiply_by_power(2, 2 - e);
    const auto compare = [&](std::uint64_t quarters) {
        natural middle(quarters);
        if (exponent < 0) middle.multiply_by_power(10, -exponent);
        if (e > 2) middle.multiply_by_power(2, e - 2);
        return natural::compare(value, middle);
    };
    const int above = compare(4 * m + 2);
    if (above > 0 || (above == 0 && !even)) return false;
    if (m == 0) return true;
    const int below = compare(narrow_below ? 4 * m - 1 : 4 * m - 2);
    return below > 0 || (below == 0 && even);
}

// Checks that the parsed number times 10^shift is read as `d`, or as an overflow.
void check_decimal(const parsed& n, int shift, number_status status, double d, std::string_view text) {
    if (n.nan || n.infinite) {
        const bool right = n.nan ? d != d : d == (n.negative ? -1 : 1) * std::numeric_limits<double>::infinity();
        return fuzz::check(status == number_status::ok && right, "nan and inf are read", text);
    }
    const std::int64_t exponent = n.exponent + shift;
    const auto size = static_cast<std::int64_t>(n.digits.size());
    if (size == 0 || exponent + size < -400)
        return fuzz::check(status == number_status::ok && d == 0 && std::signbit(d) == n.negative, "zero is read",
                           text);
    if (exponent + size > 400) return fuzz::check(status == number_status::overflow, "infinity is no number", text);
    if (status == number_status::overflow) {
        // 2^1024 less half of the last place: from there on a double is infinite.
        constexpr double most = (std::numeric_limits<double>::max)();
        fuzz::check(!is_nearest(n.digits, exponent, most) && exponent + size > 300, "overflow is beyond the last",
                    text);
        return;
    }
    fuzz::check(status == number_status::ok && std::signbit(d) == n.negative, "a decimal is read", text);
    fuzz::check(is_nearest(n.digits, exponent, std::fabs(d)), "a decimal is read to the nearest double", text);
}

void check_fast_float(std::string_view t, double d) {
    if (t[0] == '+') t.remove_prefix(1);
    double other = 0;
    const auto got = fast_float::from_chars(t.data(), t.data() + t.size(), other);
    fuzz::check(got.ptr == t.data() + t.size(), "fast_float reads as far", t);
    if (got.ec == std::errc()) fuzz::check(d == other || (d != d && other != other), "fast_float reads the same", t);
}

void check_integer(const parsed& n, number_status status, std::int64_t value, std::string_view text) {
    static constexpr std::string_view limit = "9223372036854775807";
    static constexpr std::string_view lower = "9223372036854775808";
    const std::string_view most = n.negative ? lower : limit;
    const bool fits = n.digits.size() < most.size() || (n.digits.size() == most.size() && n.digits <= most);
    if (!fits) return fuzz::check(status == number_status::overflow, "an integer beyond 64 bits overflows", text);
    std::uint64_t magnitude = 0;
    for (const char c : n.digits) magnitude = magnitude * 10 + static_cast<std::uint64_t>(c - '0');
    const std::uint64_t expected = n.negative ? 0 - magnitude : magnitude;
    fuzz::check(status == number_status::ok && static_cast<std::uint64_t>(value) == expected, "an integer is read",
                text);
}

// Reads the number at the start of `text`; the library may look at the whole text.
void check_reading(std::string_view text, int shift) {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const parsed n = parse(text, true);
    const std::string_view numeral = text.substr(0, n.size);

    wlfmt::number value = std::int64_t{42};
    const char* p = begin;
    number_status status = detail::read_number(p, end, value);
    fuzz::check((status == number_status::invalid) == (n.size == 0), "a number is known as one", text);
    fuzz::check(p == begin + n.size, "a number ends where it does", text);
    if (status == number_status::ok) {
        fuzz::check(value.is_decimal() == n.decimal, "a decimal is known by point or exponent", numeral);
        if (n.decimal) {
            check_decimal(n, 0, status, value.value_or(0.0), numeral);
            check_fast_float(numeral, value.value_or(0.0));
        } else {
            check_integer(n, status, value.as<std::int64_t>().value_or(0), numeral);
        }
    } else if (n.size != 0) {
        fuzz::check(value == 42, "overflow leaves the value", numeral);
        if (n.decimal) check_decimal(n, 0, status, 0, numeral);
        else check_integer(n, status, 0, numeral);
    }

    // Tables read numbers in this way, as they scale them.
    const detail::number_text taken = detail::scan_number(begin, end);
    const bool digits = n.size != 0 && !n.nan && !n.infinite;
    fuzz::check((taken.end != nullptr) == digits, "a number of digits is known as one", text);
    if (digits) {
        const detail::read_result scaled = detail::as_decimal(taken, shift);
        fuzz::check(scaled.end == begin + n.size, "a scaled number ends where it does", text);
        check_decimal(n, shift, scaled.status, scaled.value.value_or(0.0), numeral);
    }

    // The text as a number from its first byte to its last.
    const wlfmt::number public_value = wlfmt::to_number(text);
    if (status == number_status::ok && n.size == text.size() && !text.empty())
        fuzz::check(public_value == value, "to_number() reads the same", text);
    else
        fuzz::check(public_value.is_none() ? text == "None" : public_value == wlfmt::number(text),
                    "to_number() keeps what is no number", text);

    const parsed whole = parse(text, false);
    p = begin;
    std::int64_t integer = 42;
    status = detail::read_integer(p, end, integer);
    fuzz::check((status == number_status::invalid) == (whole.size == 0), "an integer is known as one", text);
    fuzz::check(p == begin + whole.size, "an integer ends where it does", text);
    if (whole.size != 0) check_integer(whole, status, integer, text.substr(0, whole.size));
}

template <class Write> std::string written(std::size_t capacity, Write write) {
    std::string out(capacity, '\0');
    const char* const end = write(out.data());
    fuzz::check(end <= out.data() + capacity, "a number fits its room");
    out.resize(static_cast<std::size_t>(end - out.data()));
    return out;
}

// Python's repr, made from the shortest digits by the rules of its documentation.
std::string repr(double v) {
    if (v != v) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    char text[64];
    std::string digits(text, std::to_chars(text, text + sizeof text, std::fabs(v), std::chars_format::scientific).ptr);
    const std::string sign = std::signbit(v) ? "-" : "";
    const std::size_t mark = digits.find('e');
    const int exponent = std::stoi(digits.substr(mark + 1));
    if (exponent < -4 || exponent >= 16) return sign + digits;
    digits.resize(mark);
    digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
    if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
    return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

void check_writing(double v) {
    const std::string text = written(detail::max_repr_chars, [&](char* out) { return detail::write_repr(out, v); });
    fuzz::check_same(text, repr(v), "a decimal is written as Python's repr");
    wlfmt::number again;
    const char* p = text.data();
    const char* const end = p + text.size();
    fuzz::check(detail::read_number(p, end, again) == number_status::ok && p == end, "a repr is read", text);
    fuzz::check(again == wlfmt::number(v), "a repr reads back equal", text);
    std::string appended;
    wlfmt::append_value(appended, wlfmt::number(v));
    fuzz::check_same(appended, text, "append() writes the repr");

    for (int decimals = 0; decimals <= 6; ++decimals) {
        const std::string fixed =
            written(detail::max_fixed_chars, [&](char* out) { return detail::write_fixed(out, v, decimals); });
        char other[512];
        char* const stop = std::to_chars(other, other + sizeof other, v, std::chars_format::fixed, decimals).ptr;
        fuzz::check_same(fixed, v != v ? "nan" : std::string(other, stop),
                         "a fixed decimal is written as to_chars does");
    }
}
void check_writing(std::int64_t v) {
    const std::string text =
        written(detail::max_integer_chars, [&](char* out) { return detail::write_integer(out, v); });
    fuzz::check_same(text, std::to_string(v), "an integer is written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    fuzz::input in(data, size);
    const int shift = static_cast<int>(in.below(60)) - 30;
    const bool write = in.flag();
    if (write) {
        while (!in.empty()) {
            const std::uint64_t bits = in.bits();
            double any = 0;
            std::memcpy(&any, &bits, sizeof any);
            check_writing(any);
            check_writing(static_cast<std::int64_t>(bits));
            // Decimals of few digits, as most numbers in files are.
            const auto few = static_cast<double>(static_cast<std::int64_t>(bits >> 24));
            for (const double scale : {100.0, 1000.0, 1e6, 1e12}) check_writing(few / scale);
            check_writing(std::nextafter(few / 100, 0.0));
            check_writing(static_cast<std::int64_t>(bits >> (bits & 63)));
        }
        return 0;
    }
    const std::string text(in.rest());
    // At the end of the text, and with more text after it than any kernel looks at.
    const fuzz::block exact(text);
    check_reading(exact.view(), shift);
    for (const std::string_view after : {",", "ms", "e", ".5", "-1"}) {
        const fuzz::block longer(text + std::string(after) + "                ");
        check_reading(longer.view(), shift);
    }
    return 0;
}
