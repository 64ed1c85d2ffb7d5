// Sorting and maps with few instantiations of std::stable_sort and std::map, each of which takes an eighth to a quarter
// of a second to compile.
#ifndef WLFMT_TOOLS_GENERAL_ORDER_HPP
#define WLFMT_TOOLS_GENERAL_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/callback.hpp"

namespace tool {

using wlfmt::analysis::callback;

// Like std::map, but instantiated once per key type, whatever the type of the values. References to values stay valid
// until clear().
template <class Key, class Value> class keyed {
    using map = std::map<Key, void*>;

    struct item {
        const Key& first;
        Value& second;
    };

public:
    class iterator {
    public:
        explicit iterator(typename map::const_iterator at) noexcept : at_(at) {}
        item operator*() const noexcept { return {at_->first, *static_cast<Value*>(at_->second)}; }
        iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        friend bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }
        friend bool operator!=(iterator a, iterator b) noexcept { return a.at_ != b.at_; }

    private:
        typename map::const_iterator at_;
    };

    keyed() = default;
    keyed(const keyed&) = delete;
    keyed& operator=(const keyed&) = delete;
    ~keyed() { clear(); }

    // The value of a key; a new one if the key is new.
    Value& operator[](const Key& key) {
        void*& value = values_[key];
        if (value == nullptr) value = new Value();
        return *static_cast<Value*>(value);
    }
    bool has(const Key& key) const { return values_.count(key) != 0; }
    std::size_t size() const noexcept { return values_.size(); }
    bool empty() const noexcept { return values_.empty(); }
    iterator begin() const noexcept { return iterator(values_.begin()); }
    iterator end() const noexcept { return iterator(values_.end()); }
    void clear() noexcept {
        for (const auto& pair : values_) delete static_cast<Value*>(pair.second);
        values_.clear();
    }

private:
    map values_;
};

// Numbers texts in the order in which they are first met: 0, 1, 2, ...
class numbered_texts {
public:
    std::size_t number_of(const std::string& text);
    std::size_t size() const noexcept { return numbers_.size(); }

private:
    keyed<std::string, std::size_t> numbers_;  // each number plus 1, as a new key has the value 0
};

// The positions of `count` items in sorted order; equal items keep their order.
std::vector<std::size_t> sorted_positions(std::size_t count,
                                          const callback<bool(std::size_t a, std::size_t b)>& before);
// The positions of `count` items by their weights, the greatest first.
std::vector<std::size_t> heaviest_first(std::size_t count, const callback<double(std::size_t n)>& weight);
// The first `limit` positions of heaviest_first(). Takes about linear time if the weights are in random order, and
// never more than `limit` comparisons for an item.
std::vector<std::size_t> heaviest_of(std::size_t count, const callback<double(std::size_t n)>& weight,
                                     std::size_t limit);
// Sorts the items from the position `first` on.
template <class Item, class Before = std::less<>>
void sort_list(std::vector<Item>& list, const Before& before = {}, std::size_t first = 0) {
    std::vector<Item> sorted;
    sorted.reserve(list.size() - first);
    for (const std::size_t n : sorted_positions(list.size() - first, [&](std::size_t a, std::size_t b) {
             return before(list[first + a], list[first + b]);
         }))
        sorted.push_back(std::move(list[first + n]));
    for (Item& item : sorted) list[first++] = std::move(item);
}

}  // namespace tool

#endif
