// Inserts, removes and copies items of vectors without std::vector's own functions, each of which takes long to compile
// for each type of item.
#ifndef WLFMT_DETAIL_BASE_VECTORS_HPP
#define WLFMT_DETAIL_BASE_VECTORS_HPP

#include <cstddef>
#include <utility>
#include <vector>

#include "config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

template <class T> void insert_at(std::vector<T>& list, std::size_t n, const T& item) {
    list.push_back(item);
    for (std::size_t at = list.size() - 1; at > n; --at) std::swap(list[at], list[at - 1]);
}
template <class T> void remove_at(std::vector<T>& list, std::size_t n, std::size_t count = 1) {
    for (std::size_t at = n; at + count < list.size(); ++at) list[at] = std::move(list[at + count]);
    for (; count != 0; --count) list.pop_back();
}
template <class T, class List> std::vector<T> copied_items(const List& list) {
    std::vector<T> items;
    for (auto i = list.begin(); i != list.end(); ++i) items.push_back(*i);
    return items;
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
