// The order of lists, by one sort for lists of all kinds: compiling another one takes an eighth to a quarter of a
// second.
#ifndef WLFMT_TOOLS_ORDER_HPP
#define WLFMT_TOOLS_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "callback.hpp"

namespace tool {

// The positions of so many items by their weights, the greatest first; items of the same weight keep their order.
inline std::vector<std::size_t> heaviest_first(std::size_t count, const callback<double(std::size_t n)>& weight) {
    std::vector<double> weights;
    for (std::size_t n = 0; n != count; ++n) weights.push_back(weight(n));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    return order;
}
// Puts the items from the position `first` on in the order of what `weight` says of each, the greatest first.
template <class Item, class Weight>
void sort_by_weight(std::vector<Item>& list, const Weight& weight, std::size_t first = 0) {
    std::vector<Item> sorted;
    sorted.reserve(list.size() - first);
    for (const std::size_t n :
         heaviest_first(list.size() - first, [&](std::size_t n) { return weight(list[first + n]); }))
        sorted.push_back(std::move(list[first + n]));
    for (Item& one : sorted) list[first++] = std::move(one);
}

// The lower one of the two values in the middle. There is at least one.
inline double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace tool

#endif
