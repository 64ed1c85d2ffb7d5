// wlfmt/types/list.hpp: a list of a few items, such as the columns of a table or the cells of a row.
//
// The list that a reader shows has its items in the reader, so that showing it allocates nothing. A copy of a list owns
// its items: whatever a program stores, returns or lets outlive the reader stays what it was.
#include "../version.hpp"

#ifndef WLFMT_TYPES_LIST_HPP
#define WLFMT_TYPES_LIST_HPP

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {
struct list_access;
}

template <class T> class item_list {
public:
    using value_type = T;
    using size_type = std::size_t;
    using const_iterator = const T*;
    using iterator = const T*;

    item_list() noexcept = default;
    explicit item_list(std::vector<T> items) noexcept : own_(std::move(items)) { show_own(); }
    // Copying allocates: the copy owns its items.
    item_list(const item_list& other) : own_(other.begin(), other.end()) { show_own(); }
    item_list(item_list&& other) noexcept { *this = std::move(other); }
    item_list& operator=(const item_list& other) {
        if (this != &other) *this = item_list(other);
        return *this;
    }
    item_list& operator=(item_list&& other) noexcept {
        if (this == &other) return *this;
        items_ = other.items_;
        size_ = other.size_;
        own_ = std::move(other.own_);
        other.items_ = nullptr;
        other.size_ = 0;
        other.own_.clear();
        return *this;
    }
    ~item_list() = default;

    // Iterators and references are valid as long as this list lives and is not changed, as those of a vector. A
    // temporary list has none: its items are gone after the statement.
    const T* begin() const& noexcept WLFMT_LIFETIMEBOUND { return items_; }
    const T* end() const& noexcept WLFMT_LIFETIMEBOUND { return items_ + size_; }
    const T* data() const& noexcept WLFMT_LIFETIMEBOUND { return items_; }
    const T* begin() const&& = delete;
    const T* end() const&& = delete;
    const T* data() const&& = delete;
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    // The item at a position; an empty item if there is none, so that the result of an unsuccessful search is safe to
    // use.
    const T& operator[](std::size_t n) const& noexcept WLFMT_LIFETIMEBOUND { return n < size_ ? items_[n] : nothing(); }
    T operator[](std::size_t n) const&& { return n < size_ ? items_[n] : nothing(); }

private:
    friend struct detail::list_access;

    static const T& nothing() noexcept {
        static constexpr T item{};
        return item;
    }
    void show_own() noexcept {
        items_ = own_.data();
        size_ = own_.size();
    }

    const T* items_ = nullptr;
    std::size_t size_ = 0;
    std::vector<T> own_;
};

namespace detail {

struct list_access {
    // Makes a list show items that a reader holds.
    template <class T> static void show(item_list<T>& l, const T* items, std::size_t size) noexcept {
        l.items_ = items;
        l.size_ = size;
    }
};

}  // namespace detail

}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
