// Sorting. All lists are sorted by one copy of the algorithm, as a copy for each type of item
// would take long to compile.
#ifndef WLFMT_DETAIL_BASE_ORDER_HPP
#define WLFMT_DETAIL_BASE_ORDER_HPP

#include <algorithm>
#include <cstddef>
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

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
