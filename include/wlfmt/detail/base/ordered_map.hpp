// An ordered map with the part of std::map's interface that wlfmt uses. What does not depend on the key is compiled
// once for all maps: std::map takes more than twice as long to compile, and a program may have some forty maps.
#ifndef WLFMT_DETAIL_BASE_ORDERED_MAP_HPP
#define WLFMT_DETAIL_BASE_ORDERED_MAP_HPP

#include <cstddef>
#include <utility>

#include "config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct map_link {
    map_link* above = nullptr;
    map_link* below[2] = {nullptr, nullptr};  // its children, with smaller and with greater keys
    bool is_red = true;
};

struct map_place {
    map_link* at = nullptr;  // null after the last item
    friend bool operator==(map_place a, map_place b) noexcept { return a.at == b.at; }
    friend bool operator!=(map_place a, map_place b) noexcept { return a.at != b.at; }
};

// A red-black tree: no path from the root is more than twice as long as another.
class map_links {
public:
    map_links() = default;
    map_links(map_links&& other) noexcept { swap(other); }

    map_link* root() const noexcept { return root_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    map_place end() const noexcept { return {}; }
    void swap(map_links& other) noexcept {
        std::swap(root_, other.root_);
        std::swap(size_, other.size_);
    }

    // The last item if `greatest`, else the first; null if the map is empty.
    map_link* edge(bool greatest) const noexcept {
        map_link* n = root_;
        while (n != nullptr && n->below[greatest] != nullptr) n = n->below[greatest];
        return n;
    }
    static WLFMT_NOINLINE map_link* next(map_link* n) noexcept {
        if (n->below[1] == nullptr) {
            while (n->above != nullptr && n->above->below[1] == n) n = n->above;
            return n->above;
        }
        n = n->below[1];
        while (n->below[0] != nullptr) n = n->below[0];
        return n;
    }

    // Adds an item as a child of `above`, or as the root if `above` is null.
    WLFMT_NOINLINE void add(map_link* n, map_link* above, bool greater) noexcept {
        n->above = above;
        (above == nullptr ? root_ : above->below[greater]) = n;
        ++size_;
        while (n->above != nullptr && n->above->is_red) {
            map_link* parent = n->above;
            map_link* const upper = parent->above;  // not null: `parent` is red, and the root never is
            const bool side = upper->below[1] == parent;
            map_link* const other = upper->below[!side];
            if (other != nullptr && other->is_red) {
                parent->is_red = other->is_red = false;
                upper->is_red = true;
                n = upper;
                continue;
            }
            if (parent->below[!side] == n) {
                rotate(parent, side);
                std::swap(n, parent);
            }
            parent->is_red = false;
            upper->is_red = true;
            rotate(upper, !side);
        }
        root_->is_red = false;
    }

    // Removes all items, children before their parents.
    WLFMT_NOINLINE void clear(void (*remove)(map_link*)) noexcept {
        for (map_link* n = root_; n != nullptr;) {
            map_link*& below = n->below[n->below[0] == nullptr];
            if (below != nullptr) {
                n = std::exchange(below, nullptr);
            } else {
                map_link* const above = n->above;
                remove(n);
                n = above;
            }
        }
        root_ = nullptr;
        size_ = 0;
    }

private:
    // Puts the child of `n` that is not on `side` in the place of `n`, and `n` below that child, on `side`.
    void rotate(map_link* n, bool side) noexcept {
        map_link* const up = n->below[!side];
        n->below[!side] = up->below[side];
        if (up->below[side] != nullptr) up->below[side]->above = n;
        up->above = n->above;
        (n->above == nullptr ? root_ : n->above->below[n->above->below[1] == n]) = up;
        up->below[side] = n;
        n->above = up;
    }

    map_link* root_ = nullptr;
    std::size_t size_ = 0;
};

template <class Key, class Value> class ordered_map : map_links {
public:
    struct item {
        const Key first;
        Value second;
    };

private:
    struct node : map_link {
        item pair;
    };

    template <class Item> struct basic_iterator : map_place {
        Item& operator*() const noexcept { return static_cast<node*>(at)->pair; }
        Item* operator->() const noexcept { return &static_cast<node*>(at)->pair; }
        basic_iterator& operator++() noexcept {
            at = map_links::next(at);
            return *this;
        }
    };

public:
    using iterator = basic_iterator<item>;
    using const_iterator = basic_iterator<const item>;
    using map_links::empty;
    using map_links::end;
    using map_links::size;

    ordered_map() = default;
    ordered_map(ordered_map&&) noexcept = default;
    // Delegates, so that the destructor removes the items that were copied if an allocation fails.
    ordered_map(const ordered_map& other) : ordered_map() {
        for (const item& pair : other) add(new node{{}, pair}, edge(true), true);
    }
    ordered_map& operator=(ordered_map other) noexcept {
        swap(other);
        return *this;
    }
    ~ordered_map() { clear(); }

    iterator begin() noexcept { return {{edge(false)}}; }
    const_iterator begin() const noexcept { return {{edge(false)}}; }
    template <class Name> iterator find(const Name& key) { return {{place_of(key).found}}; }
    template <class Name> const_iterator find(const Name& key) const { return {{place_of(key).found}}; }
    template <class Name> std::size_t count(const Name& key) const { return place_of(key).found == nullptr ? 0 : 1; }

    // The map must have the key.
    template <class Name> const Value& at(const Name& key) const noexcept { return find(key)->second; }

    struct emplaced {
        iterator first;  // the key's item
        bool second;     // whether the item is new; the value is constructed only then
    };
    template <class Name = Key, class... Arguments> emplaced try_emplace(Name&& key, Arguments&&... value) {
        const place slot = place_of(key);
        if (slot.found != nullptr) return {{{slot.found}}, false};
        node* const made = new node{{}, {Key(std::forward<Name>(key)), Value(std::forward<Arguments>(value)...)}};
        add(made, slot.above, slot.greater);
        return {{{made}}, true};
    }
    template <class Name = Key> Value& operator[](Name&& key) {
        return try_emplace(std::forward<Name>(key)).first->second;
    }

    void clear() noexcept { map_links::clear(remove); }

private:
    static void remove(map_link* n) noexcept { delete static_cast<node*>(n); }
    struct place {
        map_link* found = nullptr;
        map_link* above = nullptr;  // a new item with that key goes below this one
        bool greater = false;
    };
    template <class Name> place place_of(const Name& key) const {
        place at;
        for (map_link* n = root(); n != nullptr; n = n->below[at.greater]) {
            const Key& item_key = static_cast<const node*>(n)->pair.first;
            at.above = n;
            at.greater = item_key < key;
            if (!at.greater && !(key < item_key)) {
                at.found = n;
                break;
            }
        }
        return at;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
