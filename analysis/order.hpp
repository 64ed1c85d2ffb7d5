// Orders, medians, ranges and sets of numbers.
#ifndef WLFMT_ANALYSIS_ORDER_HPP
#define WLFMT_ANALYSIS_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace wlfmt::analysis {

// The numbers 0, 1, ..., count - 1.
inline std::vector<std::size_t> positions_of(std::size_t count) {
    std::vector<std::size_t> positions(count);
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    return positions;
}

// The lower median of one or more values. sort_to_low_median() partially sorts them.
template <class Number> Number sort_to_low_median(std::vector<Number>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}
template <class Number> Number low_median(std::vector<Number> values) { return sort_to_low_median(values); }

template <class Number> struct number_range {
    Number least = std::numeric_limits<Number>::max();
    Number greatest = std::numeric_limits<Number>::lowest();

    void add(Number v) noexcept {
        least = std::min(least, v);
        greatest = std::max(greatest, v);
    }
    Number width() const noexcept { return greatest - least; }
};

// Disjoint sets of the numbers below `count`. At first each number is a set.
class joined_sets {
public:
    explicit joined_sets(std::size_t count) : parents_(positions_of(count)), count_(count) {}
    // The number of sets.
    std::size_t count() const noexcept { return count_; }
    // The least number of the set that holds n.
    std::size_t least_of(std::size_t n) noexcept {
        for (; parents_[n] != n; n = parents_[n]) parents_[n] = parents_[parents_[n]];
        return n;
    }
    void join(std::size_t a, std::size_t b) noexcept {
        a = least_of(a);
        b = least_of(b);
        if (a != b) --count_;
        parents_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::size_t> parents_;
    std::size_t count_;
};

}  // namespace wlfmt::analysis

#endif
