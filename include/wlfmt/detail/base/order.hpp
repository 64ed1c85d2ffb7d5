// Sorting, medians, ranges and sets. All lists are sorted by one copy of the algorithm, as a copy for each type of item
// would take long to compile.
#ifndef WLFMT_DETAIL_BASE_ORDER_HPP
#define WLFMT_DETAIL_BASE_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The numbers 0, 1, ..., count - 1.
inline std::vector<std::size_t> positions_of(std::size_t count) {
    std::vector<std::size_t> positions(count);
    for (std::size_t n = 0; n != count; ++n) positions[n] = n;
    return positions;
}

// The positions of a list's items in sorted order; equal items keep their order.
WLFMT_NOINLINE inline std::vector<std::size_t> sorted_positions(std::size_t size, const void* list,
                                                                bool (*before)(const void*, std::size_t, std::size_t)) {
    std::vector<std::size_t> order = positions_of(size);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before(list, a, b); });
    return order;
}

// Sorts a list. Equal items keep their order.
template <class Item, class Before> void sort_list(std::vector<Item>& list, const Before& before) {
    const struct {
        const std::vector<Item>& items;
        const Before& before;
    } both{list, before};
    std::vector<std::size_t> order =
        sorted_positions(list.size(), &both, [](const void* context, std::size_t a, std::size_t b) {
            const auto& [items, is_before] = *static_cast<const decltype(both)*>(context);
            return static_cast<bool>(is_before(items[a], items[b]));
        });
    // Permutes the items in place, cycle by cycle.
    for (std::size_t first = 0; first != order.size(); ++first)
        for (std::size_t n = first; order[n] != n;) {
            const std::size_t from = std::exchange(order[n], n);
            if (from == first) break;
            std::swap(list[n], list[from]);
            n = from;
        }
}

// The lower median of one or more values. sort_to_low_median() partially sorts them.
template <class Number> Number sort_to_low_median(std::vector<Number>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}
template <class Number> Number low_median(std::vector<Number> values) { return sort_to_low_median(values); }

template <class Number> struct number_range {
    Number least = (std::numeric_limits<Number>::max)();
    Number greatest = std::numeric_limits<Number>::lowest();

    void add(Number v) noexcept {
        least = (std::min)(least, v);
        greatest = (std::max)(greatest, v);
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
        parents_[(std::max)(a, b)] = (std::min)(a, b);
    }

private:
    std::vector<std::size_t> parents_;
    std::size_t count_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
