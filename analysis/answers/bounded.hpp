// A number that is known to be between two others: an interval, and its arithmetic.
//
//     const bounded work = answers.ranks[0].account.work;
//     std::cout << message(work, 2) << " ms\n";                   // `421.00 to 497.20 ms` (answers.hpp)
//     if (work.at_least() > 100) std::cout << "surely too slow\n";  // true only if it is proven
//     if (const auto ms = work.exact()) sum += *ms;                 // nothing of an interval
//
// It does not convert to a double. What is computed from intervals encloses all that follows from numbers in them.
#ifndef WLFMT_ANALYSIS_ANSWERS_BOUNDED_HPP
#define WLFMT_ANALYSIS_ANSWERS_BOUNDED_HPP

#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace wlfmt::analysis {

class bounded {
public:
    // An end that is not known; below, it is -unlimited. A number with two such ends is unknown.
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    constexpr bounded() noexcept = default;  // exactly 0
    explicit constexpr bounded(double number) noexcept : least_(number), most_(number) {}
    [[nodiscard]] static constexpr bounded between(double least, double most) noexcept {
        bounded b(least);
        b.most_ = most;
        return b;
    }
    [[nodiscard]] static constexpr bounded no_less(double least) noexcept { return between(least, unlimited); }
    [[nodiscard]] static constexpr bounded no_more(double most) noexcept { return between(-unlimited, most); }
    [[nodiscard]] static constexpr bounded unknown() noexcept { return between(-unlimited, unlimited); }

    // The true number is between these two.
    [[nodiscard]] constexpr double at_least() const noexcept { return least_; }
    [[nodiscard]] constexpr double at_most() const noexcept { return most_; }
    [[nodiscard]] constexpr bool is_exact() const noexcept { return !(least_ < most_); }
    [[nodiscard]] constexpr bool is_known() const noexcept { return least_ > -unlimited || most_ < unlimited; }
    [[nodiscard]] constexpr bool has_least() const noexcept { return is_exact() || least_ > -unlimited; }
    [[nodiscard]] constexpr bool has_most() const noexcept { return is_exact() || most_ < unlimited; }
    [[nodiscard]] constexpr std::optional<double> exact() const noexcept {
        return is_exact() ? std::optional<double>(least_) : std::nullopt;
    }
    // How far the ends are apart.
    [[nodiscard]] constexpr double width() const noexcept { return is_exact() ? 0 : most_ - least_; }
    // One number of the interval: its least one or, if it has none, its greatest one; 0 if it is unknown. Only for the
    // order of rows, and for lengths drawn beside what message() prints.
    [[nodiscard]] constexpr double number() const noexcept { return has_least() ? least_ : has_most() ? most_ : 0; }

    // The interval if the number may also be as much less or more.
    [[nodiscard]] constexpr bounded widened(double less, double more) const noexcept {
        return between(least_ - less, most_ + more);
    }
    constexpr void widen(double less, double more) noexcept { *this = widened(less, more); }
    // Adds an exact number.
    constexpr void add(double more) noexcept { *this = *this + bounded(more); }

    constexpr bounded& operator+=(const bounded& b) noexcept { return *this = *this + b; }
    constexpr bounded& operator-=(const bounded& b) noexcept { return *this = *this - b; }
    constexpr bounded& operator*=(double times) noexcept { return *this = *this * times; }

    friend constexpr bounded operator+(const bounded& a, const bounded& b) noexcept {
        return between(a.least_ + b.least_, a.most_ + b.most_);
    }
    friend constexpr bounded operator-(const bounded& a, const bounded& b) noexcept { return a + -b; }
    friend constexpr bounded operator-(const bounded& a) noexcept { return between(-a.most_, -a.least_); }
    friend constexpr bounded operator*(const bounded& a, double times) noexcept {
        return times > 0   ? between(a.least_ * times, a.most_ * times)
               : times < 0 ? between(a.most_ * times, a.least_ * times)
                           : bounded();
    }
    friend constexpr bounded operator*(const bounded& a, const bounded& b) noexcept {
        const bounded x = a * b.least_;
        const bounded y = a * b.most_;
        return hull(x, y);
    }
    // The divisor is not 0. Unknown if it may be on either side of it, or is said to be 0; and where all that would be
    // known of the quotient is its sign.
    friend constexpr bounded operator/(const bounded& a, const bounded& b) noexcept {
        const bounded part = b.most_ < 0 ? -a : a;
        const bounded whole = b.most_ < 0 ? -b : b;
        if (!(whole.least_ >= 0) || whole.most_ == 0) return unknown();
        const auto quotient = [](double x, double y) { return x == 0 ? 0 : y == 0 ? x * unlimited : x / y; };
        const bounded found = between(quotient(part.least_, part.least_ < 0 ? whole.least_ : whole.most_),
                                      quotient(part.most_, part.most_ < 0 ? whole.most_ : whole.least_));
        return found == no_less(0) || found == no_more(0) ? unknown() : found;
    }
    friend constexpr bool operator==(const bounded& a, const bounded& b) noexcept {
        return a.least_ == b.least_ && a.most_ == b.most_;
    }
    friend constexpr bool operator!=(const bounded& a, const bounded& b) noexcept { return !(a == b); }
    // Whether it is exactly this number.
    friend constexpr bool operator==(const bounded& a, double b) noexcept { return a == bounded(b); }
    friend constexpr bool operator!=(const bounded& a, double b) noexcept { return !(a == b); }

    [[nodiscard]] friend constexpr bounded greater_of(const bounded& a, const bounded& b) noexcept {
        return between(a.least_ < b.least_ ? b.least_ : a.least_, a.most_ < b.most_ ? b.most_ : a.most_);
    }
    [[nodiscard]] friend constexpr bounded lesser_of(const bounded& a, const bounded& b) noexcept {
        return -greater_of(-a, -b);
    }
    // The interval that holds both.
    [[nodiscard]] friend constexpr bounded hull(const bounded& a, const bounded& b) noexcept {
        return between(a.least_ < b.least_ ? a.least_ : b.least_, a.most_ < b.most_ ? b.most_ : a.most_);
    }
    // What both say of one number. Where rounding has driven them apart, what is between them.
    [[nodiscard]] friend constexpr bounded common(const bounded& a, const bounded& b) noexcept {
        const double least = a.least_ < b.least_ ? b.least_ : a.least_;
        const double most = a.most_ < b.most_ ? a.most_ : b.most_;
        return least <= most ? between(least, most) : between(most, least);
    }
    // The share of a whole that a part of it is; 1 is the whole. Ends of both that cannot be true at once make it no
    // more.
    [[nodiscard]] friend constexpr bounded part_of(const bounded& part, const bounded& whole) noexcept {
        const bounded share = part / whole;
        const bool may_be_more = share.least_ <= 1 && share.most_ > 1 && share.has_most();
        return may_be_more ? common(share, between(0, 1)) : share;
    }
    // The size of a difference.
    [[nodiscard]] friend constexpr bounded size_of(const bounded& a) noexcept {
        return a.least_ >= 0 ? a : a.most_ <= 0 ? -a : between(0, -a.least_ < a.most_ ? a.most_ : -a.least_);
    }

private:
    double least_ = 0;
    double most_ = 0;
};

// The order of rows: greater numbers come first, and unknown ones last.
[[nodiscard]] constexpr bool comes_before(const bounded& a, const bounded& b) noexcept {
    return a.is_known() != b.is_known() ? a.is_known() : a.number() > b.number();
}

// The number as format(double) prints it; an interval as `421.00 to 497.20 ms`, `>= 421.00 ms` or, also from 0 on,
// `<= 497.20 ms`; or `unknown`. All numbers of answers are printed by this function.
template <class Format> [[nodiscard]] std::string message(const bounded& b, const Format& format) {
    if (!b.is_known()) return "unknown";
    if (!b.has_most()) return ">= " + std::string(format(b.at_least()));
    std::string most(format(b.at_most()));
    if (!b.has_least() || (b.at_least() == 0 && !b.is_exact())) return "<= " + most;
    std::string least(format(b.at_least()));
    // Ends that are printed alike are printed once.
    if (least == most) return most;
    // Both ends have one unit, which is printed after the second.
    const auto unit = [](const std::string& text) { return text.find_last_of("0123456789") + 1; };
    if (least.substr(unit(least)) == most.substr(unit(most))) least.erase(unit(least));
    return least + " to " + most;
}

}  // namespace wlfmt::analysis

#endif
