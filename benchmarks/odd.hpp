// Random numbers, and the odd values that inputs have in place of what the writers usually write.
#ifndef WLFMT_BENCHMARKS_ODD_HPP
#define WLFMT_BENCHMARKS_ODD_HPP

#include <cstdint>
#include <string_view>

#include "inputs.hpp"

namespace bench {

// Draws numbers of random lengths: a reader that guesses a number's length, or has seen its line before, gains nothing.
class drawing {
public:
    // SplitMix64.
    std::uint64_t bits() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    int below(int n) noexcept { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
    std::int64_t of_digits(int digits) noexcept {
        std::int64_t least = 1;
        for (int n = 1; n < digits; ++n) least *= 10;
        return least + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(9 * least));
    }
    std::int64_t up_to_digits(int most) noexcept { return of_digits(1 + below(most)); }
    // As the tracer rounds: 629.77, 8.3, 15.0.
    double hundredths(int most_digits) noexcept { return static_cast<double>(up_to_digits(most_digits + 2)) / 100; }
    // A double with 52 random bits after the point: most of these need 16 or 17 digits.
    double any_fraction(int digits) noexcept {
        return static_cast<double>(of_digits(digits)) + static_cast<double>(bits() >> 12) * 0x1p-52;
    }

private:
    std::uint64_t state_ = 20240817;
};

enum odd : unsigned {
    negative = 1,
    exponent = 2,
    seventeen_digits = 4,
    key_order = 8,
    further_keys = 16,
    escapes = 32,
    blanks = 64,
    decimals = 128,
    policies = 256,
    no_value = 512,
    outgrown = 1024,
    memory = 2048,
    utf8 = 4096,
    stacks = 8192
};

struct odd_kind {
    std::string_view name;
    unsigned what;
};
inline constexpr odd_kind oplog_odd[] = {{"negative", negative},          {"exponent", exponent},
                                         {"17 digits", seventeen_digits}, {"key order", key_order},
                                         {"further keys", further_keys},  {"escapes", escapes}};
inline constexpr odd_kind workload_odd[] = {
    {"negative", negative}, {"exponent", exponent}, {"17 digits", seventeen_digits},
    {"decimals", decimals}, {"blanks", blanks},     {"policies", policies}};
inline constexpr odd_kind table_odd[] = {{"negative", negative},
                                         {"outgrown columns", outgrown},
                                         {"17 digits", seventeen_digits},
                                         {"no value", no_value},
                                         {"memory", memory},
                                         {"UTF-8 names", utf8},
                                         {"stacks", stacks}};

template <class Visit> void each_odd(format f, Visit&& visit) {
    if (f == format::oplog)
        for (const odd_kind& k : oplog_odd) visit(k);
    else if (f == format::workload)
        for (const odd_kind& k : workload_odd) visit(k);
    else
        for (const odd_kind& k : table_odd) visit(k);
}

inline unsigned odd_of(format f, std::string_view kind) {
    unsigned what = 0;
    each_odd(f, [&](const odd_kind& k) {
        if (kind == k.name || kind == "odd") what |= k.what;
    });
    return what;
}

// A value that is odd in one of the ways asked for, chosen at random; `plain` if no such way is about values.
inline double odd_value(drawing& draw, unsigned odd, double plain) {
    double values[4];
    int count = 0;
    if (odd & negative) values[count++] = -plain;
    if (odd & exponent) values[count++] = static_cast<double>(draw.of_digits(3)) * (draw.below(2) ? 1e-9 : 1e20);
    if (odd & seventeen_digits) values[count++] = draw.any_fraction(draw.below(2) ? 3 : 10);
    if (odd & decimals) values[count++] = plain / 2 + 0.5;
    return count == 0 ? plain : values[draw.below(count)];
}

}  // namespace bench

#endif
