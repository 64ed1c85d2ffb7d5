// The state of a list of nested operations.
#ifndef WLFMT_DETAIL_BASE_LIST_STATE_HPP
#define WLFMT_DETAIL_BASE_LIST_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "walk.hpp"

#include "config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

struct problems;

// The members of a list of sub-operations. A template, so that only programs that copy lists pay for the code that
// does.
template <class Item>
struct list_state {
    enum class content : std::uint8_t { missing, none, list };

    std::string_view text_ = {};
    const Item* items_ = nullptr;
    std::size_t count_ = 0;
    shared_items<Item> owned_;
    problems* reader_ = nullptr;  // set only in the reader's own record, never in a copy
    content content_ = content::missing;
    bool checked_ = false;  // read() found nothing wrong in the text

    list_state() noexcept = default;
    list_state(const list_state& other)
        : text_(other.text_),
          items_(other.items_),
          count_(other.count_),
          owned_(other.owned_.copy()),
          content_(other.content_),
          checked_(other.checked_) {}
    list_state(list_state&& other) noexcept { *this = std::move(other); }
    list_state& operator=(const list_state& other) {
        if (this != &other) *this = list_state(other);
        return *this;
    }
    list_state& operator=(list_state&& other) noexcept {
        if (this == &other) return *this;
        text_ = std::exchange(other.text_, {});
        items_ = std::exchange(other.items_, nullptr);
        count_ = std::exchange(other.count_, 0);
        owned_ = std::move(other.owned_);
        reader_ = other.reader_ = nullptr;
        content_ = std::exchange(other.content_, content::missing);
        checked_ = std::exchange(other.checked_, false);
        return *this;
    }
    ~list_state() = default;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
