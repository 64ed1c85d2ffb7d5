// Base classes of iterators that decode a list as they advance, functions over lists, and counted references to items
// that lists own.
#ifndef WLFMT_DETAIL_BASE_WALK_HPP
#define WLFMT_DETAIL_BASE_WALK_HPP

#include <cstdint>
#include <utility>
#include <vector>

#if !defined(__GNUC__)
#include <atomic>
#endif

#include "../../types/text.hpp"

#include "config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The member types that the standard library requires of an input iterator over items of type T.
template <class T> struct input_iterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
};

// A forward iterator that holds its current item and returns copies of it. `Self` has advance(), which sets current_,
// and position(), which differs for each item of a list and at the list's end equals that of a default-constructed
// iterator.
template <class Self, class T> class value_iterator {
public:
    using iterator_category = std::input_iterator_tag;  // in C++17 a forward iterator would have to return references
    using iterator_concept = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = T;
    using pointer = const T*;

    T operator*() const noexcept { return self().shown(); }
    // The item is a member of the iterator, so a temporary iterator has no `->`; (*i).key uses a copy.
    const T* operator->() const& noexcept WLFMT_LIFETIMEBOUND { return &self().shown(); }
    const T* operator->() const&& = delete;
    WLFMT_INLINE Self& operator++() noexcept {
        self().advance();
        return self();
    }
    Self operator++(int) noexcept {
        const Self before = self();
        self().advance();
        return before;
    }

    friend bool operator==(const Self& a, const Self& b) noexcept { return a.position() == b.position(); }
    friend bool operator!=(const Self& a, const Self& b) noexcept { return a.position() != b.position(); }

    const T& shown() const noexcept { return current_; }

protected:
    T current_ = {};

private:
    Self& self() noexcept { return static_cast<Self&>(*this); }
    const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

template <class Iterator> std::size_t count_items(Iterator i, Iterator end) noexcept {
    std::size_t n = 0;
    for (; i != end; ++i) ++n;
    return n;
}

// A list that is decoded from its text while it is iterated over. Iterators refer to the text and may outlive the list.
template <class Iterator> class decoded_list {
public:
    constexpr decoded_list() noexcept = default;  // a missing list
    constexpr explicit decoded_list(text_view text) noexcept : text_(text) {}

    constexpr bool is_missing() const noexcept { return text_.data() == nullptr; }
    Iterator begin() const noexcept { return Iterator(text_); }
    Iterator end() const noexcept { return {}; }
    bool empty() const noexcept { return begin() == end(); }
    std::size_t size() const noexcept { return count_items(begin(), end()); }  // takes linear time

private:
    std::string_view text_ = {};
};

// Insert, remove and copy items without std::vector's own functions, each of which takes long to compile for each type
// of item.
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
    for (const T& item : list) items.push_back(item);  // a copy even of a temporary item, as elsewhere
    return items;
}

struct equal_items {
    template <class T> bool operator()(const T& a, const T& b) const noexcept { return a == b; }
};
template <class List, class Same = equal_items> bool are_same(const List& a, const List& b, Same same = {}) {
    auto in_a = a.begin();
    auto in_b = b.begin();
    for (; in_a != a.end() && in_b != b.end(); ++in_a, ++in_b)
        if (!same(*in_a, *in_b)) return false;
    return in_a == a.end() && in_b == b.end();
}

// A count that threads share. std::atomic would do the same, but <atomic> takes long to compile.
#if defined(__GNUC__)
using shared_count = std::ptrdiff_t;
inline std::ptrdiff_t add_to(shared_count& n, std::ptrdiff_t more) noexcept {
    return __atomic_add_fetch(&n, more, __ATOMIC_ACQ_REL);
}
#else
using shared_count = std::atomic<std::ptrdiff_t>;
inline std::ptrdiff_t add_to(shared_count& n, std::ptrdiff_t more) noexcept { return n += more; }
#endif

// A counted reference to a block. The last one to be destroyed destroys the block.
class share {
public:
    share() noexcept = default;
    share(const share& other) noexcept : block_(other.block_) {
        if (block_ != nullptr) add_to(block_->holders, 1);
    }
    share(share&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
    share& operator=(share other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~share() {
        if (block_ != nullptr && add_to(block_->holders, -1) == 0) block_->destroy(block_);
    }

    explicit operator bool() const noexcept { return block_ != nullptr; }

protected:
    struct block {
        shared_count holders{1};
        // A pointer, so that programs whose lists own nothing do not compile the destruction of a vector.
        void (*destroy)(block*) noexcept = nullptr;
    };
    explicit share(block* b) noexcept : block_(b) {}
    block* block_ = nullptr;
};

// A share for objects that also hold pointers into the block. Moving it copies it, so that these pointers stay valid.
class lasting_share : public share {
public:
    lasting_share() noexcept = default;
    lasting_share(const share& other) noexcept : share(other) {}
    lasting_share(const lasting_share&) noexcept = default;
    lasting_share& operator=(const lasting_share&) noexcept = default;
    ~lasting_share() = default;
};

// Items that a list owns. Its iterators share the items, so that iterators may outlive the list.
template <class T> class shared_items : public share {
public:
    shared_items() noexcept = default;
    explicit shared_items(std::vector<T> items) : share(new list(std::move(items))) {}

    std::vector<T>& items() const noexcept { return static_cast<list*>(block_)->items; }
    T* data() const noexcept { return items().data(); }
    std::size_t size() const noexcept { return items().size(); }
    T& operator[](std::size_t n) const noexcept { return items()[n]; }
    shared_items copy() const { return block_ != nullptr ? shared_items(std::vector<T>(items())) : shared_items(); }

private:
    struct list : block {
        explicit list(std::vector<T> given) noexcept : items(std::move(given)) { destroy = &end; }
        static void end(block* b) noexcept { delete static_cast<list*>(b); }
        std::vector<T> items;
    };
};

// The items of one list. A copy of it has items of its own; iterators share them through shared().
template <class T> class own_items : public shared_items<T> {
public:
    own_items() noexcept = default;
    explicit own_items(std::vector<T> items) : shared_items<T>(std::move(items)) {}
    own_items(const own_items& other) : shared_items<T>(other.copy()) {}
    own_items(own_items&&) noexcept = default;
    own_items& operator=(const own_items& other) {
        if (this != &other) *this = own_items(other);
        return *this;
    }
    own_items& operator=(own_items&&) noexcept = default;
    ~own_items() = default;

    const shared_items<T>& shared() const noexcept { return *this; }
};

// The base of iterators over a list that either owns its items or decodes them one by one. `Self` has decode(), which
// sets current_ to the next item and returns a number that no other item has, or 0 at the end.
template <class Self, class T, class Owned = T> class list_iterator : public value_iterator<Self, T> {
public:
    std::uintptr_t position() const noexcept { return position_; }
    void advance() noexcept {
        if (!own_) {
            position_ = static_cast<Self&>(*this).decode();
        } else if (position_ < own_.size()) {
            this->current_ = own_[position_++];
        } else {
            own_ = {};
            position_ = 0;
        }
    }

protected:
    list_iterator() noexcept = default;
    explicit list_iterator(const shared_items<Owned>& own) noexcept : own_(own) {}

    shared_items<Owned> own_;
    std::uintptr_t position_ = 0;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
