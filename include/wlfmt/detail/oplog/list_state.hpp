// What a list of nested operations holds.
#ifndef WLFMT_DETAIL_OPLOG_LIST_STATE_HPP
#define WLFMT_DETAIL_OPLOG_LIST_STATE_HPP

#include "../base/walk.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct problems;

// A list of sub-operations that owns nothing.
template <class Item> struct list_view {
    enum class content : std::uint8_t { missing, none, list };

    std::string_view text_ = {};
    const Item* items_ = nullptr;
    std::size_t count_ = 0;
    content content_ = content::missing;
    bool checked_ = false;  // read() found nothing wrong in the text
};
// A list of sub-operations that may own its items, and may belong to a reader. It is a template, so that only programs
// that copy lists compile the code that does.
template <class Item> struct list_state : list_view<Item> {
    shared_items<Item> owned_;
    problems* reader_ = nullptr;  // set only in the reader's own record, never in a copy

    list_state() noexcept = default;
    list_state(const list_state& other) : list_view<Item>(other), owned_(other.owned_.copy()) {}
    list_state(list_state&& other) noexcept { *this = std::move(other); }
    list_state& operator=(const list_state& other) {
        if (this != &other) *this = list_state(other);
        return *this;
    }
    list_state& operator=(list_state&& other) noexcept {
        if (this == &other) return *this;
        list_view<Item>& shown = other;
        list_view<Item>::operator=(shown);
        shown = {};
        owned_ = std::move(other.owned_);
        reader_ = other.reader_ = nullptr;
        return *this;
    }
    ~list_state() = default;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
