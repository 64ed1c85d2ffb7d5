// Numbers: reading against the standard library's exact conversions, writing against Python's own texts.
#include <doctest/doctest.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <locale>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <wlfmt/detail/number/read.hpp>
#include <wlfmt/detail/number/write.hpp>
#include <wlfmt/number.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

namespace {

namespace detail = wlfmt::detail;
using detail::number_status;
using wlfmt::number;

// Correctly rounded by the C library; infinity where the decimal is too large. MinGW's rounds some decimals wrongly:
// the C++ library takes its place.
double reference(const std::string& text) {
#if defined(__MINGW32__)
    double value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc()) return value;
#endif
    return std::strtod(text.c_str(), nullptr);
}

bool identical(double a, double b) {
    if (a != a || b != b) return a != a && b != b;
    return std::memcmp(&a, &b, sizeof a) == 0;
}

// Counts the differences and keeps the first one: one CHECK per case would take longer than the cases themselves.
class comparison {
public:
    void expect(bool same, std::string_view text) {
        if (same) return;
        if (failures_++ == 0) first_ = text;
    }
    void report() const {
        INFO("the first that differs: ", first_);
        CHECK(failures_ == 0);
    }

private:
    std::uint64_t failures_ = 0;
    std::string first_;
};

// The expected value of a text that is not a number: no text is read as this one.
constexpr double not_read = -12345.678901234567;

struct reading {
    number_status status = number_status::invalid;
    std::ptrdiff_t size = 0;  // characters read
    number value;
};

reading read_number(std::string_view text) {
    reading r;
    const char* p = text.data();
    r.status = detail::read_number(p, text.data() + text.size(), r.value);
    r.size = p - text.data();
    return r;
}
// As tables read cells that they scale: words are refused, and integers are decimals.
reading read_scaled(std::string_view text, int shift10) {
    const detail::number_text t = detail::scan_number(text.data(), text.data() + text.size());
    if (t.end == nullptr) return {};
    const detail::read_result r = detail::as_decimal(t, shift10);
    return {r.status, r.end - text.data(), r.status == number_status::ok ? r.value : number()};
}
reading read_integer(std::string_view text) {
    reading r;
    const char* p = text.data();
    std::int64_t value = 0;
    r.status = detail::read_integer(p, text.data() + text.size(), value);
    if (r.status == number_status::ok) r.value = value;
    r.size = p - text.data();
    return r;
}

// Reads a number that has ",timestamp=" after it, which counts as part of the reading.
reading read_before_key(std::string_view text) {
    reading r;
    const char* const p = text.data();
    const char* const after = detail::read_number_before(p, text.data() + text.size(), r.value, ",timestamp=");
    if (after == nullptr) return r;
    r.status = number_status::ok;
    r.size = after - p;
    return r;
}
// The same in the midst of a text, where no end is asked for; `read` is one of the functions for that.
template <class Read> reading read_in_midst(std::string_view text, Read read) {
    char midst[600];
    std::memset(midst, '9', sizeof midst);
    std::memcpy(midst + 32, text.data(), text.size());
    reading r;
    const char* const p = midst + 32;
    const char* const after = read(p, detail::padded(midst + sizeof midst), r.value);
    if (after == nullptr) return r;
    r.status = number_status::ok;
    r.size = after - p;
    return r;
}

bool equal(const reading& a, const reading& b) {
    return a.status == b.status && a.size == b.size && a.value == b.value;
}

// Texts that may follow a number, long enough for the fast paths to be taken.
constexpr std::string_view followers[] = {
    ",timestamp=3375746596.92",
    ")\n                      ",
    "'                       ",
    " 12.5 12.5 12.5 12.5     ",
    "\t-1\t1000\tNONE\t0\t1000 ",
    "\n2048\n2048\n2048\n2048\n ",
    "]\"123456789012345678901",
    "%  99.99%  99.99%  99.99%",
    "us0123456789.0123456789  ",
    "/4/4/4/4/4/4/4/4/4/4/4/4",
    ".5.5.5.5.5.5.5.5.5.5.5.5",
    "-5-5-5-5-5-5-5-5-5-5-5-5",
    ".7,                       ",
    "\x80\xff\xb0\xb9\xae\x2f\x3a\x80\xff\xb0\xb9\xae\x2f\x3a\x80\xff\xb0\xb9\xae\x2f\x3a"};

// Every function that reads numbers reads this one alike, both alone at the edge of readable memory and with any text
// after it.
void compare_surroundings(const std::string& text, comparison& all) {
    const test::guarded_text ends(text, test::guard::after);
    const test::guarded_text begins(text, test::guard::before);
    const reading as_number = read_number(ends.view());
    const reading as_integer = read_integer(ends.view());
    const reading as_scaled = read_scaled(ends.view(), 3);
    const auto compare = [&](std::string_view in) {
        all.expect(equal(read_number(in), as_number), in);
        all.expect(equal(read_integer(in), as_integer), in);
        all.expect(equal(read_scaled(in, 3), as_scaled), in);
        constexpr std::string_view key = ",timestamp=";
        const bool number = as_number.status == number_status::ok;
        const bool before = number && in.substr(static_cast<std::size_t>(as_number.size), key.size()) == key;
        const auto size = as_number.size + static_cast<std::ptrdiff_t>(key.size());
        all.expect(equal(read_before_key(in), before ? reading{number_status::ok, size, as_number.value} : reading{}),
                   in);
    };
    compare(begins.view());
    for (const std::string_view follower : followers) {
        // A point would continue a number that has none.
        if (follower.front() == '.' && text.find_first_of(".eE") == std::string::npos) continue;
        const std::string longer = text + std::string(follower);
        for (std::size_t size = text.size() + 1; size <= longer.size(); ++size) compare({longer.data(), size});
    }
}

std::string digits_of(std::mt19937_64& random, std::size_t size) {
    std::string digits;
    for (; size != 0; --size) digits += static_cast<char>('0' + random() % 10);
    return digits;
}

// A decimal text with room after it, for the loops over many.
class decimal_text {
public:
    // `value` in `digits` digits, a point after the first `point` of them; point == digits + 1: no point.
    decimal_text(std::uint64_t value, std::size_t digits, std::size_t point) {
        size_ = digits + (point <= digits);
        std::size_t at = size_;
        for (std::size_t i = digits; i != 0; --i) {
            if (i == point) buffer_[--at] = '.';
            buffer_[--at] = static_cast<char>('0' + value % 10);
            value /= 10;
        }
        if (point == 0) buffer_[--at] = '.';
        std::memcpy(buffer_ + size_, ",timestamp=3375746596.92", 24);
    }
    std::string_view text() const { return {buffer_, size_}; }
    std::string_view with_room() const { return {buffer_, size_ + 24}; }
    double value() const { return reference(std::string(text())); }

private:
    char buffer_[64];
    std::size_t size_;
};

void compare_short_decimals(std::size_t most_digits) {
    comparison all;
    std::uint64_t end = 1;
    for (std::size_t digits = 1; digits <= most_digits; ++digits) {
        end *= 10;
        for (std::uint64_t value = 0; value < end; value += test::stride) {
            for (std::size_t point = 0; point <= digits + 1; ++point) {
                const decimal_text d(value, digits, point);
                const double expected = d.value();
                const auto size = static_cast<std::ptrdiff_t>(d.text().size());
                for (const std::string_view text : {d.text(), d.with_room()}) {
                    const reading r = read_number(text);
                    all.expect(r.status == number_status::ok && r.size == size &&
                                   r.value.is_integer() == (point == digits + 1) &&
                                   identical(r.value.value_or(not_read), expected),
                               text);
                }
                const reading before = read_before_key(d.with_room());
                all.expect(before.size == size + 11 && before.value.is_integer() == (point == digits + 1) &&
                               identical(before.value.value_or(not_read), expected),
                           d.text());
                const std::string_view in = d.with_room();
                all.expect(equal(read_in_midst(in,
                                               [](auto p, auto bound, number& v) {
                                                   return detail::read_number_before(p, bound, v, ",timestamp=");
                                               }),
                                 before),
                           in);
                // The readers of few digits may leave any number to the others, but these.
                const reading integer = read_in_midst(in, [](auto p, auto bound, number& v) {
                    return detail::read_few_before<std::int64_t>(p, bound, v, ",timestamp=");
                });
                const bool few = detail::exact_arithmetic && digits <= 5;
                const bool few_digits = few && point == digits + 1;
                all.expect(equal(integer, before) || (!few_digits && equal(integer, reading())), in);
                const reading decimal = read_in_midst(in, [](auto p, auto bound, number& v) {
                    return detail::read_few_before<double>(p, bound, v, ",timestamp=");
                });
                const bool few_decimals = few && point > 0 && point < digits && point + 3 >= digits;
                all.expect(equal(decimal, before) || (!few_decimals && equal(decimal, reading())), in);
            }
        }
    }
    all.report();
}

void compare_random_decimals(std::uint64_t count) {
    std::mt19937_64 random(20240501);
    comparison all;
    for (std::uint64_t i = 0; i != count; ++i) {
        const std::uint64_t bits = random();
        const auto digits = static_cast<std::size_t>(1 + bits % 19);
        const auto point = static_cast<std::size_t>((bits >> 11) % (digits + 1));
        const decimal_text d(random() >> (bits >> 5 & 63), digits, point);
        const double expected = d.value();
        const auto size = static_cast<std::ptrdiff_t>(d.text().size());
        for (const std::string_view text : {d.text(), d.with_room()}) {
            const reading r = read_number(text);
            all.expect(
                r.status == number_status::ok && r.size == size && identical(r.value.value_or(not_read), expected),
                text);
        }
    }
    all.report();
}

// Each writes into a heap block of exactly the stated maximum, so that the address sanitizer sees a write beyond it.
template <class Write> std::string written(std::size_t room, Write write) {
    const std::unique_ptr<char[]> out(new char[room]);
    return std::string(out.get(), write(out.get()));
}
std::string repr(double v) {
    return written(detail::max_repr_chars, [v](char* out) { return detail::write_repr(out, v); });
}
std::string fixed(double v, int decimals) {
    return written(detail::max_fixed_chars, [=](char* out) { return detail::write_fixed(out, v, decimals); });
}
std::string integer(std::int64_t v) {
    return written(detail::max_integer_chars, [v](char* out) { return detail::write_integer(out, v); });
}
std::string text_of(const number& v) {
    return written(detail::max_repr_chars, [&v](char* out) { return detail::write_number(out, v); });
}

// The expected repr, made by the standard library alone: the shortest digits in Python's layout.
std::string searched_repr(double v) {
    char text[64];
    const std::string all(text, std::to_chars(text, text + sizeof text, v, std::chars_format::scientific).ptr);
    const std::size_t mark = all.find('e');
    const int exponent = std::stoi(all.substr(mark + 1));
    if (exponent < -4 || exponent >= 16) return all;
    const bool negative = all.front() == '-';
    std::string digits;
    for (const char c : all.substr(0, mark))
        if (c != '-' && c != '.') digits += c;
    if (exponent < 0) {
        digits.insert(0, "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0'));
    } else {
        const auto before = static_cast<std::size_t>(exponent + 1);
        if (digits.size() <= before) digits.append(before - digits.size() + 1, '0');
        digits.insert(before, ".");
    }
    return (negative ? "-" : "") + digits;
}
std::string searched_fixed(double v, int decimals) {
    char text[400];
    return std::string(text, std::to_chars(text, text + sizeof text, v, std::chars_format::fixed, decimals).ptr);
}

double from_bits(std::uint64_t bits) {
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
}

void compare_round_trips(std::uint64_t count) {
    std::mt19937_64 random(7);
    comparison all;
    for (std::uint64_t i = 0; i != count; ++i) {
        const double v = from_bits(random());
        char text[detail::max_repr_chars];
        const std::string_view written(text, static_cast<std::size_t>(detail::write_repr(text, v) - text));
        // Python has one nan, which loses the sign.
        const reading r = read_number(written);
        all.expect(r.status == number_status::ok && r.value.is_decimal() &&
                       r.size == static_cast<std::ptrdiff_t>(written.size()) &&
                       identical(r.value.value_or(not_read), v),
                   written);
    }
    all.report();
}

// Decimals of each size, and the doubles next to them, which need more digits.
void compare_short_reprs(std::uint64_t count) {
    std::mt19937_64 random(11);
    comparison all;
    for (std::uint64_t i = 0; i != count; ++i) {
        const std::uint64_t bits = random();
        constexpr double scales[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7};
        const double v = static_cast<double>((random() >> 1) >> (bits >> 3) % 63) / scales[bits % 8];
        for (const double near : {v, from_bits(detail::bits_of(v) + 1)}) {
            const std::string expected = searched_repr(near);
            all.expect(repr(near) == expected, expected);
            all.expect(repr(-near) == "-" + expected, expected);
        }
    }
    all.report();
}

// Values of ordinary size, those at the middle between two texts, and their neighbours.
void compare_fixed(std::uint64_t count) {
    std::mt19937_64 random(13);
    comparison all;
    for (std::uint64_t i = 0; i != count; ++i) {
        const int decimals = static_cast<int>(i % 7);
        const std::uint64_t bits = random();
        double scale = 2;
        for (int d = 0; d != decimals; ++d) scale *= 10;
        const double middle = static_cast<double>((random() >> 11) >> bits % 53) / scale;
        const double any = static_cast<double>(random() >> 11) * std::exp2(static_cast<int>(bits >> 8 & 127) - 117);
        for (const double v : {middle, -middle, from_bits(detail::bits_of(middle) + 1),
                               from_bits(detail::bits_of(middle + 1) - 1), any, from_bits(random())}) {
            // The library's nan has a sign.
            if (v != v) continue;
            const std::string expected = searched_fixed(v, decimals);
            all.expect(fixed(v, decimals) == expected, expected);
        }
    }
    all.report();
}

// The decimal digits of (2^54 - below) * 5^1075. Times 10^-1075 it is the middle between two doubles of the smallest
// exponent; no middle has more digits.
std::string middle_digits(unsigned below) {
    std::string digits = std::to_string((std::uint64_t{1} << 54) - below);
    for (int i = 0; i != 1075; ++i) {
        int carry = 0;
        for (std::size_t at = digits.size(); at-- != 0;) {
            const int product = (digits[at] - '0') * 5 + carry;
            digits[at] = static_cast<char>('0' + product % 10);
            carry = product / 10;
        }
        if (carry != 0) digits.insert(0, 1, static_cast<char>('0' + carry));
    }
    return digits;
}

}  // namespace

TEST_CASE("numbers: every decimal of up to five digits, the point in every place") { compare_short_decimals(5); }

TEST_CASE("numbers: random decimals of up to 19 digits") { compare_random_decimals(200000); }

TEST_CASE("numbers: random decimals of up to 30 digits with an exponent, scaled and not") {
    std::mt19937_64 random(3);
    comparison all;
    for (int i = 0; i != 60000; ++i) {
        const std::uint64_t bits = random();
        std::string mantissa = digits_of(random, static_cast<std::size_t>(1 + bits % 30));
        mantissa.insert(static_cast<std::size_t>((bits >> 8) % (mantissa.size() + 1)), ".");
        const int exponent = static_cast<int>((bits >> 16) % 700) - 350;
        const int shift10 = static_cast<int>((bits >> 32) % 60) - 30;
        const std::string sign = (bits >> 40 & 1) != 0 ? "-" : "";
        for (const bool marked : {true, false}) {
            const int own = marked ? exponent : 0;
            const std::string text = sign + mantissa + (marked ? "e" + std::to_string(own) : "");
            for (const int shift : {0, shift10}) {
                const double expected = reference(sign + mantissa + "e" + std::to_string(own + shift));
                const bool too_large = expected - expected != 0;
                for (const std::string& in : {text, text + ",                "}) {
                    const reading r = shift == 0 ? read_number(in) : read_scaled(in, shift);
                    all.expect(r.size == static_cast<std::ptrdiff_t>(text.size()), in);
                    all.expect(r.status == (too_large ? number_status::overflow : number_status::ok), in);
                    all.expect(too_large || identical(r.value.value_or(not_read), expected), in);
                }
            }
        }
    }
    all.report();
}

TEST_CASE("numbers: random doubles read back from their repr") { compare_round_trips(200000); }

TEST_CASE("numbers: the edges of reading") {
    struct edge {
        const char* text;
        std::ptrdiff_t size;  // how many bytes are read as a number; 0: none
        bool decimal;
    };
    const edge edges[] = {
        {"0", 1, false},
        {"5", 1, false},
        {"+5", 2, false},
        {"-5", 2, false},
        {"-0", 2, false},
        {"007", 3, false},
        {"2048", 4, false},
        {"9007199254740992", 16, false},
        {"9007199254740993", 16, false},
        {"9223372036854775807", 19, false},
        {"-9223372036854775808", 20, false},
        {"00000000000000000000009223372036854775807", 41, false},
        {"-0.0", 4, true},
        {"+0.5", 4, true},
        {"-.5", 3, true},
        {".5", 2, true},
        {"5.", 2, true},
        {"-5.", 3, true},
        {"5.e3", 4, true},
        {".5e1", 4, true},
        {"0.12345678", 10, true},
        {"0.00000001", 10, true},
        {"3375746596.12345678", 19, true},
        {"1.5e+16", 7, true},
        {"1.5E+16", 7, true},
        {"1.5e16", 6, true},
        {"1e5", 3, true},
        {"1e-05", 5, true},
        {"12345678e-5", 11, true},
        {"123456789012345.", 16, true},
        {"12345678901234.5", 16, true},
        {"123456789012345.6", 17, true},
        {"0.123456789012345", 17, true},
        {"0.1234567890123456", 18, true},
        {"0.12345678901234567", 19, true},
        {"0.1234567890123456789", 21, true},
        {"0.12345678901234567890", 22, true},
        {"9007199254740992.0", 18, true},
        {"9007199254740993.0", 18, true},
        {"9007199254740993.00000000000000000000000000001", 46, true},
        {"18446744073709551615.0", 22, true},
        {"18446744073709551616.0", 22, true},
        {"0.000000000000000000000000000000000123456789", 44, true},
        {"123456789000000000000000000000000000000.0", 41, true},
        {"2.2250738585072011e-308", 23, true},
        {"2.2250738585072014e-308", 23, true},
        {"4.9406564584124654e-324", 23, true},
        {"2.4703282292062327e-324", 23, true},
        {"2.4703282292062328e-324", 23, true},
        {"1e-400", 6, true},
        {"-1e-400", 7, true},
        {"1.000000000000000000000000000000000000000000000000000000000001e-310", 67, true},
        {"1e-99999999999999999999", 23, true},
        {"0e400", 5, true},
        {"0.0e99999999999999999999", 24, true},
        {"1.7976931348623157e308", 22, true},
        {"1e22", 4, true},
        {"1e23", 4, true},
        {"9007199254740992e22", 19, true},
        {"1e", 1, false},
        {"1e+", 1, false},
        {"1e-", 1, false},
        {"1ex", 1, false},
        {"1.5e", 3, true},
        {"1.5e+", 3, true},
        {"1.2.3", 3, true},
        {"1..2", 2, true},
        {"1/2", 1, false},
        {"1-2", 1, false},
    };
    comparison all;
    for (const edge& e : edges) {
        const std::string text = e.text;
        CAPTURE(text);
        const std::string whole = text.substr(0, static_cast<std::size_t>(e.size));
        const reading r = read_number(text);
        CHECK(r.status == number_status::ok);
        CHECK(r.size == e.size);
        CHECK(r.value.is_decimal() == e.decimal);
        if (e.decimal) {
            CHECK(identical(r.value.value_or(not_read), reference(whole)));
        } else {
            CHECK(r.value.as<std::int64_t>() == std::strtoll(whole.c_str(), nullptr, 10));
        }
        CHECK(equal(read_scaled(text, 0), {number_status::ok, e.size, number(reference(whole))}));
        compare_surroundings(whole, all);
    }
    all.report();
}

TEST_CASE("numbers: an exponent after a few digits") {
    comparison all;
    for (const std::string mantissa : {"1", "9", "0", "12", "1.5", "0.1", "5.", ".5", "999.25", "123456789012345",
                                       "12345678.901234", "0.0000000000001", "-1", "-2.75", "+3.5"}) {
        for (int exponent = -30; exponent <= 30; ++exponent) {
            const std::string digits = std::to_string(exponent < 0 ? -exponent : exponent);
            for (const char* const mark : {"e", "E0", "e00"}) {
                for (const char* const sign : {"-", "+", ""}) {
                    if ((exponent < 0) != (*sign == '-')) continue;
                    const std::string text = mantissa + mark[0] + sign + (mark + 1) + digits;
                    const auto size = static_cast<std::ptrdiff_t>(text.size());
                    const reading expected{number_status::ok, size, number(reference(text))};
                    all.expect(equal(read_number(text + ",               "), expected), text);
                    all.expect(equal(read_scaled(text + ",               ", 0), expected), text);
                    if (exponent % 11 == 0) compare_surroundings(text, all);
                }
            }
        }
        for (const char* const no_exponent : {"e", "e+", "e-", "ex", "e+-1", "e 1", "E.1"}) {
            const std::string text = mantissa + no_exponent + "                ";
            all.expect(equal(read_number(text), read_number(mantissa)), text);
        }
    }
    all.report();
}

TEST_CASE("numbers: nothing but a number is read") {
    for (const char* text :
         {"",    "-",    "+",    ".",   "-.",  "+.",  "e",   "e5",   ".e5",   "-e5", "None", "NaN",
          "nAn", "-nan", "+nan", "na",  "n",   "Inf", "INF", "+inf", "--inf", "in",  "-in",  "-i",
          ",",   " 5",   "\t5",  "+-5", "--5", "- 5", "/5",  ":5",   "..5",   "x",   "\xb2", "\x80"}) {
        const std::string alone = text;
        for (const std::string& in : {alone, alone + ",                                 "}) {
            CAPTURE(in);
            const test::guarded_text ends(in, test::guard::after);
            CHECK(read_number(ends.view()).status == number_status::invalid);
            CHECK(read_number(ends.view()).size == 0);
            CHECK(read_number(ends.view()).value.is_missing());
            CHECK(read_scaled(ends.view(), 3).status == number_status::invalid);
            CHECK(read_integer(ends.view()).status == number_status::invalid);
            CHECK(read_integer(ends.view()).size == 0);
        }
    }
}

TEST_CASE("numbers: an integer ends where a decimal would go on") {
    for (const char* text : {"5.5", "5.", "5e3", "5.e3", "-5.5", "+5.5", "123456789012345.6", "1234567890123456.7"}) {
        const std::string alone = text;
        CAPTURE(alone);
        const auto end = static_cast<std::ptrdiff_t>(alone.find_first_of(".e"));
        for (const std::string& in : {alone, alone + ",                  "}) {
            const reading r = read_integer(in);
            CHECK(r.status == number_status::ok);
            CHECK(r.size == end);
            CHECK(r.value.as<std::int64_t>() == std::strtoll(text, nullptr, 10));
        }
    }
    CHECK(read_integer(".5").status == number_status::invalid);
    CHECK(read_integer(".5                 ").status == number_status::invalid);
    CHECK(read_integer("nan").status == number_status::invalid);
}

TEST_CASE("numbers: words are read as Python prints them") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const char* after : {"", ",", ",                    ", "o", "inity              "}) {
        const std::string tail = after;
        CAPTURE(tail);
        CHECK(equal(read_number("inf" + tail), {number_status::ok, 3, number(infinity)}));
        CHECK(equal(read_number("-inf" + tail), {number_status::ok, 4, number(-infinity)}));
        CHECK(
            equal(read_number("nan" + tail), {number_status::ok, 3, number(std::numeric_limits<double>::quiet_NaN())}));
        CHECK(equal(read_scaled("-inf" + tail, 6), reading{}));
    }
}

TEST_CASE("numbers: what is too large is an overflow, read to the end of its digits") {
    for (const char* text :
         {"9223372036854775808", "-9223372036854775809", "+9223372036854775808", "10000000000000000000",
          "18446744073709551616", "99999999999999999999", "-100000000000000000000000", "36893488147419103232"}) {
        const std::string alone = text;
        for (const std::string& in : {alone, alone + ",                        "}) {
            CAPTURE(in);
            const auto size = static_cast<std::ptrdiff_t>(alone.size());
            for (const reading& r : {read_number(in), read_integer(in)}) {
                CHECK(r.status == number_status::overflow);
                CHECK(r.size == size);
                CHECK(r.value.is_missing());
            }
            CHECK(equal(read_scaled(in, 0), {number_status::ok, size, number(reference(alone))}));
        }
    }
    const std::string many_digits = "1" + std::string(400, '0') + ".0";
    for (const std::string& text :
         {std::string("1e400"), std::string("-1e400"), std::string("1.8e308"), std::string("1.7976931348623159e308"),
          std::string("1e99999999999999999999"), many_digits}) {
        for (const std::string& in : {text, text + ",                        "}) {
            CAPTURE(in);
            for (const reading& r : {read_number(in), read_scaled(in, 0), read_scaled(in, 3)}) {
                CHECK(r.status == number_status::overflow);
                CHECK(r.size == static_cast<std::ptrdiff_t>(text.size()));
                CHECK(r.value.is_missing());
            }
        }
    }
    CHECK(read_scaled("1e300", 9).status == number_status::overflow);
    CHECK(read_scaled("1e400", -300).status == number_status::ok);
    CHECK(read_scaled("5", 400).status == number_status::overflow);
    CHECK(identical(read_scaled("-5", -400).value.value_or(not_read), -0.0));
}

TEST_CASE("numbers: numbers of every length, with nothing after them and with anything") {
    std::mt19937_64 random(5);
    comparison all;
    for (std::size_t size = 1; size <= 24; ++size) {
        const std::string digits = digits_of(random, size);
        compare_surroundings(digits, all);
        compare_surroundings("-" + digits, all);
        for (std::size_t point = 0; point <= size; ++point) {
            compare_surroundings(std::string(digits).insert(point, "."), all);
        }
        compare_surroundings(digits + "e-7", all);
        compare_surroundings("0." + digits + "e12", all);
    }
    all.report();
}

TEST_CASE("numbers: long mantissas are rounded by their last digit") {
    // Halfway between two doubles, with a digit in the 800th place that decides.
    const std::string middle = "9007199254740993";
    for (const std::size_t zeros : {1u, 10u, 100u, 751u, 752u, 780u, 5000u}) {
        CAPTURE(zeros);
        const std::string tail(zeros, '0');
        CHECK(read_number(middle + "." + tail).value.value_or(not_read) == 9007199254740992.0);
        CHECK(read_number(middle + "." + tail + "1").value.value_or(not_read) == 9007199254740994.0);
        CHECK(read_scaled(middle + "." + tail, 3).value.value_or(not_read) == 9007199254740993000.0);
        CHECK(read_scaled("9.007199254740993" + tail, 15).value.value_or(not_read) == 9007199254740992.0);
        CHECK(read_scaled("9.007199254740993" + tail + "1", 15).value.value_or(not_read) == 9007199254740994.0);
        CHECK(read_scaled(middle + tail + "1", -static_cast<int>(zeros) - 1).value.value_or(not_read) ==
              9007199254740994.0);
    }
    // The exponent is smaller than the number of digits after the first 19.
    CHECK(identical(read_number("1." + std::string(800, '3') + "e-400").value.value_or(not_read), 0.0));
    CHECK(read_number("3" + std::string(800, '3') + "e-400").status == number_status::overflow);
    const std::string small = "0." + std::string(1000, '0') + "12345";
    CHECK(read_scaled(small, 1003).value.value_or(not_read) == 123.45);
    CHECK(read_number(small + "e1001").value.value_or(not_read) == 1.2345);
    CHECK(read_number("123" + std::string(500, '0') + "e-501").value.value_or(not_read) == 12.3);
}

TEST_CASE("numbers: the middle between two doubles, at its longest") {
    const double smallest = from_bits(1);
    for (const unsigned below : {1u, 3u}) {
        const std::string middle = middle_digits(below);
        CHECK(middle.size() == 768);
        const double lower = smallest * static_cast<double>((std::uint64_t{1} << 53) - (below + 1) / 2);
        const double upper = smallest * static_cast<double>((std::uint64_t{1} << 53) - (below - 1) / 2);
        const double even = below == 1 ? upper : lower;
        const std::string text = std::string(middle).insert(1, ".");
        std::string beneath = text;
        --beneath.back();
        CHECK(read_scaled(text, -308).value.value_or(not_read) == even);
        CHECK(read_scaled(text + "00", -308).value.value_or(not_read) == even);
        CHECK(read_scaled(text + "01", -308).value.value_or(not_read) == upper);
        CHECK(read_scaled(beneath + "99", -308).value.value_or(not_read) == lower);
        CHECK(read_number(text + "e-308").value.value_or(not_read) == even);
        CHECK(read_number(text + "01e-308").value.value_or(not_read) == upper);
        CHECK(read_number(beneath + "99e-308").value.value_or(not_read) == lower);
    }
}

TEST_CASE("numbers: a scaled decimal is rounded once") {
    CHECK(read_scaled("13.980", 3).value.value_or(not_read) == 13980.0);
    CHECK(read_scaled("13.980ms             ", 3).value.value_or(not_read) == 13980.0);
    CHECK(read_scaled("8.303s               ", 6).value.value_or(not_read) == 8303000.0);
    CHECK(read_scaled("3.916", 6).value.value_or(not_read) == 3916000.0);
    // 1.005 * 1000 in doubles is 1004.9999999999999.
    CHECK(read_scaled("1.005ms              ", 3).value.value_or(not_read) == 1005.0);
    comparison all;
    for (std::uint64_t value = 0; value != 100000; ++value) {
        const decimal_text d(value, 5, 2);
        for (const int shift : {-2, 3, 6}) {
            const double expected = reference(std::string(d.text()) + "e" + std::to_string(shift));
            all.expect(identical(read_scaled(d.with_room(), shift).value.value_or(not_read), expected), d.text());
            all.expect(identical(read_scaled(d.text(), shift).value.value_or(not_read), expected), d.text());
        }
    }
    all.report();
}

TEST_CASE("numbers: a decimal comma in the locale changes nothing") {
    const test::comma_locale comma;
    CHECK(read_number("1234.5").value.value_or(not_read) == 1234.5);
    CHECK(read_number("0.12345678901234567890").value.value_or(not_read) == 0.12345678901234568);
    CHECK(read_scaled("0.12345678901234567890", 3).value.value_or(not_read) == 123.45678901234568);
    CHECK(repr(0.1 + 0.2) == "0.30000000000000004");
    CHECK(repr(1234.5) == "1234.5");
    CHECK(fixed(1e300, 2).substr(301) == ".00");
    CHECK(fixed(1234.5, 2) == "1234.50");
}

TEST_CASE("numbers: integers are written as the library writes them") {
    std::mt19937_64 random(17);
    std::vector<std::uint64_t> values = {0, (std::numeric_limits<std::uint64_t>::max)()};
    for (std::uint64_t power = 1; power <= 1000000000000000000u; power *= 10) {
        for (const std::uint64_t factor : {1u, 9u}) values.insert(values.end(), {power * factor - 1, power * factor});
    }
    for (std::uint64_t v = 0; v != 20000; ++v) values.push_back(v);
    for (int i = 0; i != 50000; ++i) values.push_back(random() >> (random() & 63));
    comparison all;
    for (const std::uint64_t v : values) {
        const std::string expected = std::to_string(v);
        const auto positive = static_cast<std::int64_t>(v & INT64_MAX);
        all.expect(integer(positive) == std::to_string(positive), expected);
        all.expect(integer(-positive - 1) == std::to_string(-positive - 1), expected);
    }
    all.report();
    CHECK(integer((std::numeric_limits<std::int64_t>::min)()) == "-9223372036854775808");
    CHECK(integer((std::numeric_limits<std::int64_t>::max)()) == "9223372036854775807");
}

TEST_CASE("numbers: repr is Python's") {
    // Made by Python: repr of zeros, powers, sums, short decimals of each size, extremes and random bit patterns.
    const char* const texts[] = {"0.0",
                                 "-0.0",
                                 "1.0",
                                 "-1.0",
                                 "0.1",
                                 "0.01",
                                 "0.001",
                                 "0.0001",
                                 "0.00012",
                                 "1e-05",
                                 "1.5e-05",
                                 "9.99e-05",
                                 "0.000123456",
                                 "0.03",
                                 "8.0",
                                 "8.3",
                                 "629.77",
                                 "3375746596.92",
                                 "3375746596.921",
                                 "3375746596.9212",
                                 "4509233031.56",
                                 "123456.789",
                                 "99999999.999999",
                                 "1e-06",
                                 "0.123456",
                                 "1234.000001",
                                 "9999999999999.99",
                                 "10000000000000.01",
                                 "99999999999999.98",
                                 "999999999999.999",
                                 "1000000000000.0",
                                 "10000000000000.0",
                                 "1000000000000000.0",
                                 "999999999999999.9",
                                 "9999999999999998.0",
                                 "1e+16",
                                 "1.5e+16",
                                 "1.2345678901234568e+16",
                                 "1e+17",
                                 "1.2345678901234568e+17",
                                 "1e+21",
                                 "1e+22",
                                 "1e+23",
                                 "1e+100",
                                 "-2.5e-08",
                                 "0.30000000000000004",
                                 "0.6666666666666666",
                                 "0.3333333333333333",
                                 "33.333333333333336",
                                 "3.141592653589793",
                                 "27182818284.59045",
                                 "9007199254740992.0",
                                 "9007199254740994.0",
                                 "5.684341886080802e-14",
                                 "9.223372036854776e+18",
                                 "1.8446744073709552e+19",
                                 "5e-324",
                                 "2.2250738585072014e-308",
                                 "2.225073858507201e-308",
                                 "1.7976931348623157e+308",
                                 "nan",
                                 "inf",
                                 "-inf",
                                 "4.35",
                                 "0.285",
                                 "1.005",
                                 "2.675",
                                 "70.37",
                                 "0.00030000000000000003",
                                 "0.0003",
                                 "5e-05",
                                 "1.23e-05",
                                 "9.5367431640625e-07",
                                 "1e-10",
                                 "-1.989032661366619e+244",
                                 "7.761117632285041e+178",
                                 "3.980498358697587e-249",
                                 "-1.5432835417340557e+88",
                                 "1.3647584518757569e-192",
                                 "-1.3701135617873088e-206",
                                 "-1.7160537630466207e+197",
                                 "6.294675241195386e-44",
                                 "149982633.7679395",
                                 "1734582734.6495435",
                                 "279421694.29847574",
                                 "362852053.3754602"};
    for (const std::string text : texts) CHECK(repr(reference(text)) == text);
    // Python does not print a nan's sign.
    CHECK(repr(-std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("numbers: repr of a short decimal is what the search for the shortest finds") { compare_short_reprs(100000); }

TEST_CASE("numbers: repr of every power of two") {
    comparison all;
    for (std::uint64_t exponent = 0; exponent != 0x7ff; ++exponent) {
        for (const std::uint64_t mantissa : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 52) - 1}) {
            const double v = from_bits(exponent << 52 | mantissa);
            all.expect(repr(v) == searched_repr(v), searched_repr(v));
            all.expect(identical(reference(repr(v)), v), searched_repr(v));
        }
    }
    all.report();
}

TEST_CASE("numbers: fixed decimals are Python's") {
    struct row {
        const char* value;
        const char* texts[7];  // Python's f"{value:.0f}" to f"{value:.6f}"
    };
    const row rows[] = {
        {"0.0", {"0", "0.0", "0.00", "0.000", "0.0000", "0.00000", "0.000000"}},
        {"-0.0", {"-0", "-0.0", "-0.00", "-0.000", "-0.0000", "-0.00000", "-0.000000"}},
        {"0.5", {"0", "0.5", "0.50", "0.500", "0.5000", "0.50000", "0.500000"}},
        {"1.5", {"2", "1.5", "1.50", "1.500", "1.5000", "1.50000", "1.500000"}},
        {"2.5", {"2", "2.5", "2.50", "2.500", "2.5000", "2.50000", "2.500000"}},
        {"-0.5", {"-0", "-0.5", "-0.50", "-0.500", "-0.5000", "-0.50000", "-0.500000"}},
        {"-0.4", {"-0", "-0.4", "-0.40", "-0.400", "-0.4000", "-0.40000", "-0.400000"}},
        {"0.49999999999999994", {"0", "0.5", "0.50", "0.500", "0.5000", "0.50000", "0.500000"}},
        {"0.125", {"0", "0.1", "0.12", "0.125", "0.1250", "0.12500", "0.125000"}},
        {"0.375", {"0", "0.4", "0.38", "0.375", "0.3750", "0.37500", "0.375000"}},
        {"0.625", {"1", "0.6", "0.62", "0.625", "0.6250", "0.62500", "0.625000"}},
        {"0.015", {"0", "0.0", "0.01", "0.015", "0.0150", "0.01500", "0.015000"}},
        {"2.675", {"3", "2.7", "2.67", "2.675", "2.6750", "2.67500", "2.675000"}},
        {"1.005", {"1", "1.0", "1.00", "1.005", "1.0050", "1.00500", "1.005000"}},
        {"0.045", {"0", "0.0", "0.04", "0.045", "0.0450", "0.04500", "0.045000"}},
        {"-2.675", {"-3", "-2.7", "-2.67", "-2.675", "-2.6750", "-2.67500", "-2.675000"}},
        {"8.125", {"8", "8.1", "8.12", "8.125", "8.1250", "8.12500", "8.125000"}},
        {"1024.5", {"1024", "1024.5", "1024.50", "1024.500", "1024.5000", "1024.50000", "1024.500000"}},
        {"-0.001", {"-0", "-0.0", "-0.00", "-0.001", "-0.0010", "-0.00100", "-0.001000"}},
        {"0.0005", {"0", "0.0", "0.00", "0.001", "0.0005", "0.00050", "0.000500"}},
        {"0.0015", {"0", "0.0", "0.00", "0.002", "0.0015", "0.00150", "0.001500"}},
        {"0.0025", {"0", "0.0", "0.00", "0.003", "0.0025", "0.00250", "0.002500"}},
        {"9.9995", {"10", "10.0", "10.00", "9.999", "9.9995", "9.99950", "9.999500"}},
        {"99.995", {"100", "100.0", "100.00", "99.995", "99.9950", "99.99500", "99.995000"}},
        {"0.9999999", {"1", "1.0", "1.00", "1.000", "1.0000", "1.00000", "1.000000"}},
        {"999999.9999995",
         {"1000000", "1000000.0", "1000000.00", "1000000.000", "1000000.0000", "1000000.00000", "999999.999999"}},
        {"13.98", {"14", "14.0", "13.98", "13.980", "13.9800", "13.98000", "13.980000"}},
        {"3375746596.92",
         {"3375746597", "3375746596.9", "3375746596.92", "3375746596.920", "3375746596.9200", "3375746596.92000",
          "3375746596.920000"}},
        {"-688540.0",
         {"-688540", "-688540.0", "-688540.00", "-688540.000", "-688540.0000", "-688540.00000", "-688540.000000"}},
        {"1e-07", {"0", "0.0", "0.00", "0.000", "0.0000", "0.00000", "0.000000"}},
        {"5e-324", {"0", "0.0", "0.00", "0.000", "0.0000", "0.00000", "0.000000"}},
        {"123456789.12345679",
         {"123456789", "123456789.1", "123456789.12", "123456789.123", "123456789.1235", "123456789.12346",
          "123456789.123457"}},
        {"4503599627370495.5",
         {"4503599627370496", "4503599627370495.5", "4503599627370495.50", "4503599627370495.500",
          "4503599627370495.5000", "4503599627370495.50000", "4503599627370495.500000"}},
        {"9007199254740993.0",
         {"9007199254740992", "9007199254740992.0", "9007199254740992.00", "9007199254740992.000",
          "9007199254740992.0000", "9007199254740992.00000", "9007199254740992.000000"}},
        {"9.2e+18",
         {"9200000000000000000", "9200000000000000000.0", "9200000000000000000.00", "9200000000000000000.000",
          "9200000000000000000.0000", "9200000000000000000.00000", "9200000000000000000.000000"}},
        {"9.223372036854776e+18",
         {"9223372036854775808", "9223372036854775808.0", "9223372036854775808.00", "9223372036854775808.000",
          "9223372036854775808.0000", "9223372036854775808.00000", "9223372036854775808.000000"}},
        {"1e+22",
         {"10000000000000000000000", "10000000000000000000000.0", "10000000000000000000000.00",
          "10000000000000000000000.000", "10000000000000000000000.0000", "10000000000000000000000.00000",
          "10000000000000000000000.000000"}},
        {"5e-07", {"0", "0.0", "0.00", "0.000", "0.0000", "0.00000", "0.000000"}},
        {"1.5e-06", {"0", "0.0", "0.00", "0.000", "0.0000", "0.00000", "0.000002"}},
        {"4.9999999999999999e-07", {"0", "0.0", "0.00", "0.000", "0.0000", "0.00000", "0.000000"}},
        {"2.5000000000000004", {"3", "2.5", "2.50", "2.500", "2.5000", "2.50000", "2.500000"}},
        {"123456789012.0625",
         {"123456789012", "123456789012.1", "123456789012.06", "123456789012.062", "123456789012.0625",
          "123456789012.06250", "123456789012.062500"}},
        {"0.015625", {"0", "0.0", "0.02", "0.016", "0.0156", "0.01562", "0.015625"}},
        {"0.0078125", {"0", "0.0", "0.01", "0.008", "0.0078", "0.00781", "0.007812"}},
        {"nan", {"nan", "nan", "nan", "nan", "nan", "nan", "nan"}},
        {"inf", {"inf", "inf", "inf", "inf", "inf", "inf", "inf"}},
        {"-inf", {"-inf", "-inf", "-inf", "-inf", "-inf", "-inf", "-inf"}},
    };
    for (const row& r : rows) {
        const std::string value = r.value;
        CAPTURE(value);
        for (int decimals = 0; decimals != 7; ++decimals) CHECK(fixed(reference(value), decimals) == r.texts[decimals]);
    }
    CHECK(fixed(-1e300, 6).size() == 309);
    CHECK(fixed(-(std::numeric_limits<double>::max)(), 6).size() == 317);
    CHECK(fixed(-std::numeric_limits<double>::quiet_NaN(), 2) == "nan");
}

TEST_CASE("numbers: fixed decimals are rounded as the library rounds") { compare_fixed(30000); }

TEST_CASE("numbers: a number is written by its kind") {
    CHECK(text_of(number()).empty());
    CHECK(text_of(nullptr) == "None");
    CHECK(text_of(0) == "0");
    CHECK(text_of(-12) == "-12");
    CHECK(text_of(0.0) == "0.0");
    CHECK(text_of(8.3) == "8.3");
    CHECK(text_of(8.0f) == "8.0");
    CHECK(text_of(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(text_of(number(std::string_view("Async operation"))).empty());
}

TEST_CASE("numbers: a number holds a text of any size in 16 bytes") {
    static_assert(sizeof(number) == 16);
    for (const std::size_t size : {0u, 1u, 255u, 256u, 65536u, 16777217u}) {
        const std::string text(size, 'x');
        const number n{std::string_view(text)};
        CHECK(n.is_text());
        CHECK(n.text().data() == text.data());
        CHECK(n.text().size() == size);
        CHECK(!n.has_value());
        CHECK(n == number(std::string_view(text)));
        CHECK(n != number());
    }
}

namespace {

// The limits of T as a number has them: what is beyond 64 signed bits is a decimal, the nearest one that T holds.
template <class T> void check_integers_at_limits() {
    using limits = std::numeric_limits<T>;
    constexpr bool is_wide = std::is_unsigned_v<T> && sizeof(T) == sizeof(std::uint64_t);
    CHECK(number(0).as<T>() == std::optional<T>(T{0}));
    CHECK(number(1).as<T>() == std::optional<T>(T{1}));
    CHECK(number(1.0).as<T>() == std::optional<T>(T{1}));
    CHECK(number(-0.0).as<T>() == std::optional<T>(T{0}));
    CHECK(number(0.5).as<T>() == std::nullopt);
    CHECK(number(1e300).as<T>() == std::nullopt);
    CHECK(number(-1e300).as<T>() == std::nullopt);
    CHECK(number(std::numeric_limits<double>::infinity()).as<T>() == std::nullopt);
    CHECK(number(-std::numeric_limits<double>::infinity()).as<T>() == std::nullopt);
    CHECK(number(std::numeric_limits<double>::quiet_NaN()).as<T>() == std::nullopt);
    CHECK(number(std::string_view("1")).as<T>() == std::nullopt);
    CHECK(number(nullptr).as<T>() == std::nullopt);
    CHECK(number().as<T>() == std::nullopt);
    if constexpr (std::is_unsigned_v<T>) {
        CHECK(number(-1).as<T>() == std::nullopt);
        CHECK(number(-1.0).as<T>() == std::nullopt);
    } else {
        CHECK(number(std::int64_t{limits::min()}).as<T>() == std::optional<T>(limits::min()));
        CHECK(number(static_cast<double>(limits::min())).as<T>() == std::optional<T>(limits::min()));
    }
    if constexpr (is_wide) {
        CHECK(number((std::numeric_limits<std::int64_t>::max)()).as<T>() == std::optional<T>(T{9223372036854775807u}));
        CHECK(number(9223372036854775808.0).as<T>() == std::optional<T>(T{9223372036854775808u}));
        CHECK(number(18446744073709549568.0).as<T>() == std::optional<T>(T{18446744073709549568u}));
        CHECK(number(18446744073709551616.0).as<T>() == std::nullopt);
    } else {
        CHECK(number(static_cast<std::int64_t>(limits::max())).as<T>() == std::optional<T>(limits::max()));
    }
    if constexpr (sizeof(T) < sizeof(std::int64_t)) {
        const auto most = static_cast<std::int64_t>(limits::max());
        const auto least = static_cast<std::int64_t>(limits::min());
        CHECK(number(static_cast<double>(most)).as<T>() == std::optional<T>(limits::max()));
        for (const number& beyond : {number(most + 1), number(least - 1), number(static_cast<double>(most + 1)),
                                     number(static_cast<double>(least - 1)), number(static_cast<double>(most) + 0.5)})
            CHECK(beyond.as<T>() == std::nullopt);
    } else if constexpr (std::is_signed_v<T>) {
        CHECK(number(9223372036854775808.0).as<T>() == std::nullopt);
        CHECK(number(9223372036854774784.0).as<T>() == std::optional<T>(T{9223372036854774784}));
        CHECK(number(-9223372036854777856.0).as<T>() == std::nullopt);
    }
}

std::string printed(const number& n) {
    std::string text;
    wlfmt::append_value(text, n);
    return text;
}

}  // namespace

TEST_CASE("numbers: no number converts by itself") {
    CHECK_FALSE(std::is_convertible_v<number, double>);
    CHECK_FALSE(std::is_convertible_v<number, float>);
    CHECK_FALSE(std::is_convertible_v<number, std::int64_t>);
    CHECK_FALSE(std::is_convertible_v<number, int>);
    CHECK_FALSE(std::is_convertible_v<number, std::string_view>);
    CHECK_FALSE(std::is_constructible_v<bool, number>);
    CHECK_FALSE(std::is_constructible_v<double, number>);
    CHECK_FALSE(std::is_constructible_v<int, number>);
    // Types that a number cannot hold, or would hold by accident only.
    CHECK_FALSE(std::is_constructible_v<number, bool>);
    CHECK_FALSE(std::is_constructible_v<number, std::string>);
    CHECK_FALSE(std::is_convertible_v<const char*, number>);
    CHECK_FALSE(std::is_convertible_v<std::string_view, number>);
    CHECK(std::is_trivially_copyable_v<number>);
}

TEST_CASE("numbers: value_or gives the value, or its argument where there is no value") {
    CHECK(number(8.3).value_or(-1.0) == 8.3);
    CHECK(number(7).value_or(-1.0) == 7);
    CHECK(number(0).value_or(-1.0) == 0);
    CHECK(number().value_or(-1.0) == -1);
    CHECK(number(nullptr).value_or(-1.0) == -1);
    CHECK(number(std::string_view("Async operation, duration not measured")).value_or(-1.0) == -1);
    CHECK(number(9007199254740993).value_or(-1.0) == 9007199254740992.0);
    CHECK(std::isnan(number(std::numeric_limits<double>::quiet_NaN()).value_or(-1.0)));
    constexpr number fixed = 2.5;
    static_assert(fixed.value_or(0.0) == 2.5);
    static_assert(number(7).as<int>() == 7);
}

TEST_CASE("numbers: as<T> takes every arithmetic type, up to its limits and no further") {
    check_integers_at_limits<bool>();
    check_integers_at_limits<char>();
    check_integers_at_limits<signed char>();
    check_integers_at_limits<unsigned char>();
    check_integers_at_limits<wchar_t>();
    check_integers_at_limits<char16_t>();
    check_integers_at_limits<char32_t>();
    check_integers_at_limits<short>();
    check_integers_at_limits<unsigned short>();
    check_integers_at_limits<int>();
    check_integers_at_limits<unsigned>();
    check_integers_at_limits<long>();
    check_integers_at_limits<unsigned long>();
    check_integers_at_limits<long long>();
    check_integers_at_limits<unsigned long long>();

    CHECK(number(2621440.0).as<int>() == 2621440);
    CHECK(number(2.5).as<int>() == std::nullopt);
    CHECK(number(std::int64_t{1} << 40).as<int>() == std::nullopt);
    CHECK(number(12802064384).as<std::uint32_t>() == std::nullopt);
    CHECK(number(12802064384).as<std::uint64_t>() == 12802064384u);
    // An integer is never rounded through a double on its way.
    CHECK(number(9007199254740993).as<std::uint64_t>() == 9007199254740993u);
}

TEST_CASE("numbers: as<T> of floating-point types") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr float most = (std::numeric_limits<float>::max)();
    CHECK(number(8.3).as<double>() == 8.3);
    CHECK(number(8.3).as<long double>() == static_cast<long double>(8.3));
    CHECK(number(8.3).as<float>() == 8.3f);
    CHECK(number(7).as<float>() == 7.0f);
    CHECK(number(-7).as<double>() == -7.0);
    CHECK(number(static_cast<double>(most)).as<float>() == most);
    CHECK(number(-static_cast<double>(most)).as<float>() == -most);
    CHECK(number(2 * static_cast<double>(most)).as<float>() == std::nullopt);
    CHECK(number(-1e300).as<float>() == std::nullopt);
    CHECK(number(1e-300).as<float>() == 0.0f);
    CHECK(number(infinity).as<float>() == std::numeric_limits<float>::infinity());
    CHECK(number(-infinity).as<double>() == -infinity);
    CHECK(std::isnan(number(std::numeric_limits<double>::quiet_NaN()).as<float>().value_or(0)));
    CHECK(number((std::numeric_limits<double>::max)()).as<double>() == (std::numeric_limits<double>::max)());
    CHECK(number().as<double>() == std::nullopt);
    CHECK(number(nullptr).as<double>() == std::nullopt);
    CHECK(number(std::string_view("8.3")).as<double>() == std::nullopt);
}

TEST_CASE("numbers: two numbers are equal if written alike, and equal to a program's number of the same value") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string text = "soon";
    const std::string same_text = "soon";
    const number all[] = {number(),
                          number(nullptr),
                          number(0),
                          number(0.0),
                          number(-0.0),
                          number(1),
                          number(1.0),
                          number(nan),
                          number(std::numeric_limits<double>::infinity()),
                          number(std::string_view(text)),
                          number(std::string_view("None")),
                          number(std::string_view())};
    for (const number& a : all)
        for (const number& b : all) {
            CAPTURE(&a - all);
            CAPTURE(&b - all);
            CHECK((a == b) == (&a == &b));
            CHECK((a != b) == (&a != &b));
        }
    CHECK(number(std::string_view(text)) == number(std::string_view(same_text)));
    CHECK(number(nan) == number(-nan));
    CHECK(number(nullptr) == nullptr);
    CHECK(number() != nullptr);
    CHECK(number(0) != nullptr);

    CHECK(number(0) == 0);
    CHECK(number(0.0) == 0);
    CHECK(number(-0.0) == 0);
    CHECK(0 == number(0.0));
    CHECK(number(2000) == 2000.0);
    CHECK(2000.0f == number(2000));
    CHECK(number(2000.0) == 2000u);
    CHECK(number(2.5) == 2.5);
    CHECK(number(2.5) != 2);
    CHECK(2 != number(2.5));
    CHECK(number(-1) != (std::numeric_limits<unsigned>::max)());
    CHECK(number(-1) != (std::numeric_limits<std::uint64_t>::max)());
    CHECK(number(256) != static_cast<unsigned char>(0));
    CHECK(number(9007199254740993) == 9007199254740993);
    CHECK(number(9007199254740993) != 9007199254740992.0);
    CHECK(number(18446744073709549568.0) == std::uint64_t{18446744073709549568u});
    CHECK(number(nan) != nan);
    CHECK(number() != 0);
    CHECK(number(nullptr) != 0);
    CHECK(number(std::string_view("0")) != 0);
}

TEST_CASE("numbers: an integer that is set, or scaled to a whole one, stays one") {
    number n = 1000;
    n *= 2;
    CHECK(n == number(2000));
    n *= 0.5;
    CHECK(n == number(1000));
    n *= -1.5;
    CHECK(n == number(-1500));
    n.set_rounded(2.5);
    CHECK(n == number(3));
    n.set_rounded(-2.5);
    CHECK(n == number(-3));
    n.set_rounded(0.49999999999999994);
    CHECK(n == number(0));
    n.set_rounded(-0.49999999999999994);
    CHECK(n == number(0));
    n.set_rounded(4503599627370497.0);
    CHECK(n == number(4503599627370497));
    n.set_rounded(9223372036854774784.0);
    CHECK(n == number(9223372036854774784));
    n.set_rounded(9223372036854775808.0);
    CHECK(n == number(9223372036854775808.0));

    // The product of two integers is exact.
    constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();
    constexpr std::int64_t least = (std::numeric_limits<std::int64_t>::min)();
    n = 9007199254740993;
    CHECK((n *= 3) == number(27021597764222979));
    n = most;
    CHECK((n *= -1) == number(-most));
    CHECK((n *= 2) == number(-18446744073709551616.0));
    n = least;
    CHECK((n *= 1) == number(least));
    CHECK((n *= -1) == number(9223372036854775808.0));
    n = least;
    CHECK((n *= 0) == number(0));
    n = 5;
    CHECK((n *= 1e300) == number(5e300));
    n = 5;
    n.set_rounded(std::numeric_limits<double>::quiet_NaN());
    CHECK(n == number(std::numeric_limits<double>::quiet_NaN()));

    // A decimal stays a decimal. Text, None and a missing number become a value when they are set, not when they are
    // scaled.
    n = 8.0;
    CHECK((n *= 2) == number(16.0));
    n.set_rounded(7);
    CHECK(n == number(7.0));
    for (const number& none : {number(), number(nullptr), number(std::string_view("soon"))}) {
        n = none;
        CHECK((n *= 2) == none);
        n.set_rounded(3);
        CHECK(n == number(3.0));
    }
}

TEST_CASE("numbers: a text is read as a number only in its whole length") {
    using wlfmt::to_number;
    CHECK(to_number("8.30") == number(8.3));
    CHECK(to_number("0") == number(0));
    CHECK(to_number("0.0") == number(0.0));
    CHECK(to_number("-0.0") == number(-0.0));
    CHECK(to_number("+007") == number(7));
    CHECK(to_number("1e-05") == number(1e-05));
    CHECK(to_number("3375746596.92") == number(3375746596.92));
    CHECK(to_number("-9223372036854775808") == number((std::numeric_limits<std::int64_t>::min)()));
    CHECK(to_number("None") == number(nullptr));
    CHECK(to_number("nan") == number(std::numeric_limits<double>::quiet_NaN()));
    CHECK(to_number("-inf") == number(-std::numeric_limits<double>::infinity()));
    CHECK(to_number(std::string_view()) == number());
    for (const std::string_view text : {"", " 8", "8 ", "8ms", "8,3", "0x10", "1_000", "soon", "none", "True", "1e999",
                                        "9223372036854775808", "-9223372036854775809", "1.2.3", "\xC2\xA0", "8\n"}) {
        CAPTURE(text);
        const number n = to_number(text);
        CHECK(n.is_text());
        CHECK(n.text().data() == text.data());
        CHECK(n.text().size() == text.size());
    }
    const std::string owned = "629.77";
    CHECK(to_number(owned) == number(629.77));
    // No byte after the text is read.
    const test::guarded_text ends("12345.67", test::guard::after);
    CHECK(to_number(ends.view()) == number(12345.67));
    CHECK(to_number(ends.view().substr(0, 7)) == number(12345.6));
}

TEST_CASE("numbers: all digits are written, to strings and to streams, under every locale") {
    CHECK(printed(number(3375746596.92)) == "3375746596.92");
    CHECK(printed(number(0.1 + 0.2)) == "0.30000000000000004");
    CHECK(printed(number(8.0)) == "8.0");
    CHECK(printed(number(0)) == "0");
    CHECK(printed(number(1234567)) == "1234567");
    CHECK(printed(number((std::numeric_limits<std::int64_t>::min)())) == "-9223372036854775808");
    CHECK(printed(number(nullptr)) == "None");
    CHECK(printed(number()) == "");
    CHECK(printed(number(std::string_view("Async operation, duration not measured"))) ==
          "Async operation, duration not measured");
    const std::string long_text = test::letters(10000);
    CHECK(printed(number(std::string_view(long_text))) == long_text);

    const test::comma_locale comma;
    std::ostringstream stream;
    stream.imbue(std::locale());
    stream.precision(2);
    stream << number(1234567.25) << ' ' << number(1234567) << ' ' << number(nullptr) << '[' << number() << ']';
    CHECK(stream.str() == "1234567.25 1234567 None[]");
    CHECK(printed(number(1234567.25)) == "1234567.25");
    CHECK(wlfmt::to_number("1234567.25") == number(1234567.25));
    CHECK(wlfmt::to_number("1234567,25").is_text());
}

TEST_CASE("numbers: the value of a key can be asked for its number and its text, even where it is missing") {
    const wlfmt::value missing;
    CHECK(missing.is_missing());
    CHECK_FALSE(missing);
    CHECK_FALSE(missing.is_none());
    CHECK(missing.text().is_missing());
    CHECK(missing.number() == number());
    CHECK(missing.value_or(4.0) == 4);
    CHECK(missing.as<int>() == std::nullopt);
    CHECK(missing != "");
    const wlfmt::value none("None", nullptr);
    CHECK(none);
    CHECK(none.is_none());
    CHECK(none == "None");
    CHECK(none.value_or(4.0) == 4);
    const wlfmt::value eight("8.0", number(8.0));
    CHECK(eight.value_or(4.0) == 8);
    CHECK(eight.as<int>() == 8);
    CHECK(eight == "8.0");
    CHECK(eight != "8");
    // Values of two records: by their numbers, else as they are written.
    const std::int64_t dims[] = {3, 4};
    const wlfmt::value list(dims, 2);
    const std::vector<wlfmt::value> kinds = {missing,
                                             none,
                                             eight,
                                             {"8.5", number(8.5)},
                                             {"", number(wlfmt::text_view(""))},
                                             {"x", number(wlfmt::text_view("x"))},
                                             list};
    for (std::size_t a = 0; a != kinds.size(); ++a)
        for (std::size_t b = 0; b != kinds.size(); ++b) {
            CHECK((kinds[a] == kinds[b]) == (a == b));
            CHECK((kinds[a] != kinds[b]) == (a != b));
        }
    CHECK(eight == wlfmt::value("8", number(8)));
    CHECK(wlfmt::value(number(8)) == eight);
    CHECK(wlfmt::value(number(nullptr)) == none);
    CHECK(wlfmt::value(number()) == missing);
    CHECK(list == wlfmt::value("[3, 4]", number(wlfmt::text_view("[3, 4]"))));
    CHECK(wlfmt::value("[3]", number(wlfmt::text_view("[3]"))) != list);
    CHECK(wlfmt::value(dims, 1) != list);
    CHECK(wlfmt::is_missing(missing));
    CHECK(wlfmt::is_missing(std::string_view()));
    CHECK_FALSE(wlfmt::is_missing(std::string_view("")));
    CHECK_FALSE(wlfmt::is_missing(eight));
    CHECK(wlfmt::is_none(none));
    CHECK(wlfmt::is_none(number(nullptr)));
    CHECK(wlfmt::is_none(std::string_view("None")));
    CHECK(name_of(wlfmt::number_kind::missing) == "missing");
    CHECK(name_of(wlfmt::number_kind::none) == "none");
    CHECK(name_of(wlfmt::number_kind::integer) == "integer");
    CHECK(name_of(wlfmt::number_kind::decimal) == "decimal");
    CHECK(name_of(wlfmt::number_kind::text) == "text");
    CHECK(name_of(static_cast<wlfmt::number_kind>(77)) == "unknown");
}

// These take minutes in an unoptimised build: they are done with --no-skip only.
TEST_SUITE("exhaustive" * doctest::skip()) {
    constexpr std::uint64_t many = 100000000;

    TEST_CASE("numbers: every decimal of up to seven digits, the point in every place") { compare_short_decimals(7); }
    TEST_CASE("numbers: 10^8 random decimals") { compare_random_decimals(many); }
    TEST_CASE("numbers: 10^8 random doubles read back from their repr") { compare_round_trips(many); }
    TEST_CASE("numbers: 10^7 short reprs") { compare_short_reprs(many / 10); }
    TEST_CASE("numbers: 10^7 fixed decimals") { compare_fixed(many / 10); }
}

TEST_CASE("numbers take unsigned values of 64 bits, sums and an order") {
    number bytes = std::vector<double>(6).size() * 4;
    CHECK((bytes.is_integer() && bytes == 24));
    CHECK(number(std::uint64_t{9223372036854775807U}).as<std::int64_t>() == 9223372036854775807);
    CHECK(number(std::uint64_t{9223372036854775808U}) == number(9223372036854775808.0));
    wlfmt::workload::document doc;
    doc.layers.resize(1);
    doc.header.policy = "X";
    doc.layers[0].name = "a";
    doc.layers[0].forward.bytes = std::uint64_t{9223372036854775808U};
    std::string out;
    CHECK(wlfmt::workload::write(out, doc).field == "forward.bytes");

    CHECK((bytes += 8U) == 32);
    CHECK((bytes -= 40) == number(-8));
    CHECK((bytes += 0.75) == number(-7.25));
    bytes = -8;
    CHECK((bytes += 2.0) == number(-6));
    number most = std::numeric_limits<std::int64_t>::max();
    CHECK((most += 1) == number(9223372036854775808.0));
    number least = std::numeric_limits<std::int64_t>::min();
    CHECK((least -= 1).is_decimal());
    CHECK(((least = 0) -= std::numeric_limits<std::int64_t>::min()) == number(9223372036854775808.0));
    number half = 0.5;
    CHECK((half += 1) == number(1.5));
    CHECK((half -= 2.25) == number(-0.75));
    number none = nullptr;
    CHECK((none += 1) == nullptr);

    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<number> sorted = {number(),
                                        nullptr,
                                        -1.5,
                                        -1,
                                        9007199254740992.0,
                                        9007199254740993,
                                        9223372036854775807,
                                        9223372036854775808.0,
                                        nan,
                                        number("a"),
                                        number("b")};
    for (std::size_t a = 0; a != sorted.size(); ++a) {
        for (std::size_t b = 0; b != sorted.size(); ++b) {
            INFO(a << ' ' << b);
            const int order = total_order(sorted[a], sorted[b]);
            CHECK(order == (a < b ? -1 : a > b ? 1 : 0));
            CHECK(wlfmt::total_order(sorted[a], sorted[b]) == order);
        }
    }
    CHECK((number(2) < 2.5 && 3 > number(2.5) && !(number(0) < 0.0) && !(number(0.0) < 0)));
    CHECK((number(5.0) <= 5 && number(5.0) >= 5 && 5 <= number(5.0) && 5 >= number(5.0) && number(5) <= 5.0));
}

#if defined(__cpp_lib_three_way_comparison)
// clang-format off
template <class A, class B> std::partial_ordering compared(const A& a, const B& b) { return a <=> b; }
// clang-format on
#endif

TEST_CASE("what has no value is neither less nor greater than any, and no value is added to it") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto never = [](const number& n, auto limit) {
        CHECK_FALSE((n < limit || n > limit || n <= limit || n >= limit || n == limit));
        CHECK_FALSE((limit < n || limit > n || limit <= n || limit >= n || limit == n));
        CHECK((n != limit && limit != n));
#if defined(__cpp_lib_three_way_comparison)
        CHECK(compared(n, limit) == std::partial_ordering::unordered);
        CHECK(compared(limit, n) == std::partial_ordering::unordered);
#endif
    };
    for (const number& n : {number(), number(nullptr), number("soon"), number(nan)}) {
        for (const double limit : {-1e300, -0.0, 0.1, 1000.0, nan}) never(n, limit);
        for (const int limit : {-1, 0, 7}) never(n, limit);
        never(n, std::uint64_t{1} << 63);
        never(n, std::numeric_limits<float>::infinity());
    }
    never(number(1), nan);
#if defined(__cpp_lib_three_way_comparison)
    CHECK(compared(number(1), 2) == std::partial_ordering::less);
    CHECK(compared(1.5, number(1)) == std::partial_ordering::greater);
    CHECK(compared(number(0.0), 0) == std::partial_ordering::equivalent);
#endif
    number total = 0;
    for (int n = 0; n != 10; ++n) total += 0.5;
    CHECK(total == number(5.0));
    total = 7;
    CHECK((total -= 0.25) == number(6.75));
    total = 1001;
    CHECK((total *= 0.5) == number(500.5));
    CHECK((total *= 2) == number(1001.0));
    total = 3;
    CHECK((total += nan) == number(nan));
    total = (std::int64_t{1} << 60) + 1;
    CHECK((total += 0.5).is_decimal());
    total = std::numeric_limits<std::int64_t>::min() + 1;
    CHECK((total *= 1.0000000000000002).is_decimal());
}

TEST_CASE("numbers in ordered and unordered containers are those that are equal") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<number> different = {number(), nullptr, 0, -0.0, 0.0, 1, 1.0, nan, number("0"), number("1")};
    const auto comes_before = [](const number& a, const number& b) { return total_order(a, b) < 0; };
    std::set<number, decltype(comes_before)> ordered(different.begin(), different.end(), comes_before);
    std::unordered_set<number> unordered(different.begin(), different.end());
    CHECK(ordered.size() == different.size());
    CHECK(unordered.size() == different.size());
    for (const number& a : different) {
        for (const number& b : different) CHECK((a == b) == (total_order(a, b) == 0));
        ordered.insert(a);
        unordered.insert(a);
    }
    unordered.insert(-nan);
    CHECK(ordered.size() == different.size());
    CHECK(unordered.size() == different.size());
    CHECK((wlfmt::total_order(1, 1.0) < 0 && wlfmt::total_order(-0.0, 0.0) < 0 && wlfmt::total_order(0, -0.0) < 0));
    CHECK(std::hash<number>()(number(7)) == std::hash<number>()(number(7)));
}

TEST_CASE("kinds of errors, cells and shapes are written to streams") {
    std::ostringstream out;
    const std::int64_t dims[] = {4, 5};
    out << wlfmt::error_kind::bad_list << ' ' << wlfmt::table::cell("1.5ms") << ' ' << wlfmt::table::cell(2.5) << ' '
        << wlfmt::oplog::shape("torch.Size([8])") << wlfmt::oplog::shape(dims, 2) << wlfmt::oplog::shape();
    CHECK(out.str() == "bad_list 1.5ms 2.5 torch.Size([8])[4, 5]");
}

TEST_CASE("a number is printed with 0 decimals if it is to have fewer") {
    std::string text;
    for (const int decimals : {-3, 0, 1, 9}) {
        wlfmt::append_fixed(text, 2.5, decimals);
        text += ' ';
    }
    CHECK(text == "2 2 2.5 2.500000000 ");
}
