// A number together with what is known about it: it is exact, a limit, or unknown.
//
//     const bounded work = answers.ranks[0].account.work;
//     std::cout << message(work, 2) << " ms\n";                   // `>= 12.50 ms` (answers.hpp)
//     if (work.at_least() > 100) std::cout << "surely too slow\n";  // true only if it is proven
//     if (const auto ms = work.exact()) sum += *ms;                 // nothing of a limit
//
// It does not convert to a double. What is computed from it carries the limit that follows, or is unknown.
#ifndef WLFMT_ANALYSIS_ANSWERS_BOUNDED_HPP
#define WLFMT_ANALYSIS_ANSWERS_BOUNDED_HPP

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace wlfmt::analysis {

// What a printed number says about the true one: it is the same (`exact`), the true one is no less (`least`, printed as
// >=), no more (`most`, <=) or only near (`either`, ~); or there is no number (`unknown`).
enum class limit : std::uint8_t { exact = 0, least = 1, most = 2, either = 3, unknown = 7 };
// "exact", "least", "most", "either" or "unknown"; "unknown" for a value that is not an enumerator.
[[nodiscard]] constexpr std::string_view name_of(limit kind) noexcept {
    return kind == limit::exact    ? "exact"
           : kind == limit::least  ? "least"
           : kind == limit::most   ? "most"
           : kind == limit::either ? "either"
                                   : "unknown";
}
// The sign in front of a number: "", ">= ", "<= " or "~ ".
[[nodiscard]] constexpr std::string_view sign_of(limit kind) noexcept {
    return kind == limit::least ? ">= " : kind == limit::most ? "<= " : kind == limit::either ? "~ " : "";
}
// The kind of limit that the sum or the median of two numbers is, if the numbers are of the kinds `a` and `b`.
[[nodiscard]] constexpr limit of_both(limit a, limit b) noexcept {
    return static_cast<limit>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
// The kind of limit that a difference or a quotient is, if the first number is of the kind `a` and the second of the
// kind `less`. Two limits that may both be lower ones, or both upper ones, say nothing about the difference.
[[nodiscard]] constexpr limit of_difference(limit a, limit less) noexcept {
    const limit turned = less == limit::least ? limit::most : less == limit::most ? limit::least : less;
    const limit both = of_both(a, turned);
    return both == limit::either && a != limit::exact && less != limit::exact ? limit::unknown : both;
}

class bounded {
public:
    constexpr bounded() noexcept = default;  // exactly 0
    explicit constexpr bounded(double number, limit kind = limit::exact) noexcept
        : number_(kind == limit::unknown ? 0 : number), what_(kind) {}
    [[nodiscard]] static constexpr bounded unknown() noexcept { return bounded(0, limit::unknown); }
    // A number between these two: the lower limit if that is above 0, else the upper one. `unlimited` and its negative
    // are not limits.
    [[nodiscard]] static constexpr bounded between(double low, double high) noexcept {
        return low == high        ? bounded(low)
               : low > 0          ? bounded(low, limit::least)
               : high < unlimited ? bounded(high, limit::most)
                                  : unknown();
    }
    static constexpr double unlimited = (std::numeric_limits<double>::max)();

    [[nodiscard]] constexpr limit what() const noexcept { return what_; }
    [[nodiscard]] constexpr bool is_exact() const noexcept { return what_ == limit::exact; }
    [[nodiscard]] constexpr bool is_known() const noexcept { return what_ != limit::unknown; }
    [[nodiscard]] constexpr std::optional<double> exact() const noexcept {
        return is_exact() ? std::optional<double>(number_) : std::nullopt;
    }
    // Limits between which the true number surely lies: -unlimited and unlimited if nothing is known.
    [[nodiscard]] constexpr double at_least() const noexcept {
        return what_ == limit::exact || what_ == limit::least ? number_ : -unlimited;
    }
    [[nodiscard]] constexpr double at_most() const noexcept {
        return what_ == limit::exact || what_ == limit::most ? number_ : unlimited;
    }
    // The number without its limit; 0 if it is unknown. Only for lengths drawn beside a number that message() prints.
    [[nodiscard]] constexpr double number() const noexcept { return number_; }

    // The same number, additionally marked as a limit of this kind.
    [[nodiscard]] constexpr bounded limited(limit more) const noexcept {
        return bounded(number_, of_both(what_, more));
    }
    constexpr void limit_to(limit more) noexcept { *this = limited(more); }
    // Adds an exact number. An unknown one stays unknown.
    constexpr void add(double more) noexcept { number_ += is_known() ? more : 0; }

    constexpr bounded& operator+=(const bounded& b) noexcept { return *this = *this + b; }
    constexpr bounded& operator-=(const bounded& b) noexcept { return *this = *this - b; }
    constexpr bounded& operator*=(double times) noexcept { return *this = *this * times; }

    friend constexpr bounded operator+(const bounded& a, const bounded& b) noexcept {
        return bounded(a.number_ + b.number_, of_both(a.what_, b.what_));
    }
    friend constexpr bounded operator-(const bounded& a, const bounded& b) noexcept {
        return bounded(a.number_ - b.number_, of_difference(a.what_, b.what_));
    }
    friend constexpr bounded operator*(const bounded& a, double times) noexcept {
        return bounded(a.number_ * times, times < 0 ? of_difference(limit::exact, a.what_) : a.what_);
    }
    // Divides numbers that are not below 0, of which the divisor is not 0: by no more than 5 gives no less than a
    // fifth. Unknown if the divisor's own number, exact or a limit, is 0.
    friend constexpr bounded operator/(const bounded& a, const bounded& b) noexcept {
        return b.number_ > 0 ? bounded(a.number_ / b.number_, of_difference(a.what_, b.what_)) : unknown();
    }
    friend constexpr bool operator==(const bounded& a, const bounded& b) noexcept {
        return a.what_ == b.what_ && a.number_ == b.number_;
    }
    friend constexpr bool operator!=(const bounded& a, const bounded& b) noexcept { return !(a == b); }
    // Whether it is exactly this number.
    friend constexpr bool operator==(const bounded& a, double b) noexcept { return a.is_exact() && a.number_ == b; }
    friend constexpr bool operator!=(const bounded& a, double b) noexcept { return !(a == b); }

private:
    double number_ = 0;
    limit what_ = limit::exact;
};

[[nodiscard]] constexpr bounded greater_of(const bounded& a, const bounded& b) noexcept {
    const double least = a.at_least() < b.at_least() ? b.at_least() : a.at_least();
    const double high = a.at_most() < b.at_most() ? b.at_most() : a.at_most();
    if (least == high) return bounded(least);
    const double number = a.number() < b.number() ? b.number() : a.number();
    if (!a.is_known() || !b.is_known()) return bounded::between(least, high);
    return high < bounded::unlimited ? bounded(high, limit::most)
           : number == least         ? bounded(least, limit::least)
                                     : bounded(number, limit::either);
}
// The order of rows: greater numbers come first, limits or not, and unknown ones last.
[[nodiscard]] constexpr bool comes_before(const bounded& a, const bounded& b) noexcept {
    return a.is_known() != b.is_known() ? a.is_known() : a.number() > b.number();
}

// The number as format(double) prints it, after the sign of its limit; or `unknown`. All numbers of answers are printed
// by this function.
template <class Format> [[nodiscard]] std::string message(const bounded& b, const Format& format) {
    if (!b.is_known()) return "unknown";
    return std::string(sign_of(b.what())).append(format(b.number()));
}

}  // namespace wlfmt::analysis

#endif
