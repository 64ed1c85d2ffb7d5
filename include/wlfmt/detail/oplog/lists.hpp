// The nested operations of a record as they are walked.
#ifndef WLFMT_DETAIL_OPLOG_LISTS_HPP
#define WLFMT_DETAIL_OPLOG_LISTS_HPP

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "../../types/oplog.hpp"
#include "fast.hpp"
#include "slow.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// Hands out the operations of a list, one by one. An input iterator: it holds what it hands out. It needs the list's
// text or array to live, but neither the list nor the reader: it shares the operations that a list owns.
template <fields Fields, class Build> class sub_operation_iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = sub_operation;
    using difference_type = std::ptrdiff_t;
    using pointer = const sub_operation*;
    using reference = const sub_operation&;

    sub_operation_iterator() noexcept = default;

    // Valid until the iterator is advanced or destroyed.
    const sub_operation& operator*() const& noexcept { return *shown(); }
    // A temporary iterator gives a copy, as the item that it holds dies with it.
    sub_operation operator*() const&& { return *shown(); }
    const sub_operation* operator->() const noexcept { return shown(); }
    WLFMT_INLINE sub_operation_iterator& operator++() noexcept {
        if (WLFMT_UNLIKELY(in_array_)) done_ = ++index_ >= count();
        else advance();
        return *this;
    }
    sub_operation_iterator operator++(int) noexcept {
        sub_operation_iterator before = *this;
        ++*this;
        return before;
    }
    // All iterators at their end are equal.
    friend WLFMT_INLINE bool operator==(const sub_operation_iterator& a, const sub_operation_iterator& b) noexcept {
        return a.done_ == b.done_ && (a.done_ || (a.at_ == b.at_ && a.index_ == b.index_));
    }
    friend WLFMT_INLINE bool operator!=(const sub_operation_iterator& a, const sub_operation_iterator& b) noexcept {
        return !(a == b);
    }

private:
    friend class sub_operation_list;
    template <fields> friend class chosen_sub_operations;

    WLFMT_INLINE sub_operation_iterator(std::string_view text, const sub_operation* items, std::size_t count,
                                        const detail::shared_items<sub_operation>& owned,
                                        detail::problems* reader) noexcept
        : at_(text.data()),
          end_(text.data() + text.size()),
          limit_(items == nullptr ? end_ + count : end_),
          done_(text.empty()),
          link_(reader, done_) {
        if (WLFMT_UNLIKELY(owned || items != nullptr)) {
            in_array_ = true;
            items_ = items;
            borrowed_ = count;
            owned_ = owned;
            done_ = this->count() == 0;
        } else if (!done_) {
            skip_blanks();
            read_next();
        }
    }

    std::size_t count() const noexcept { return owned_ ? owned_.items().size() : borrowed_; }
    const sub_operation* shown() const noexcept {
        if (WLFMT_LIKELY(!in_array_)) return &current_;
        // There is nothing to show at the end, in a list that was shortened during the walk, or in an iterator that was
        // moved from.
        if (index_ >= count()) return &current_;
        return owned_ ? &owned_.items()[index_] : items_ + index_;
    }

    WLFMT_INLINE void skip_blanks() noexcept {
        while (at_ != end_ && detail::is_blank(*at_)) ++at_;
    }

    WLFMT_INLINE void advance() noexcept {
        if (WLFMT_LIKELY(end_ - at_ > 2 && detail::difference<2>(at_, ", ") == 0 && is_quote(at_[2]))) {
            at_ += 2;
            read_string();
        } else if (separate()) {
            read_next();
        }
    }

    static bool is_quote(char c) noexcept { return c == '\'' || c == '"'; }

    void read_next() noexcept {
        if (at_ == end_) done_ = true;
        else if (is_quote(*at_)) read_string();
        else stop_at_junk(0);
    }

    WLFMT_INLINE void read_string() noexcept {
        // Expects each string to be like the one before it, because the fast path may give up only after much work.
        if (WLFMT_UNLIKELY(slow_) && !detail::oplog_slow<detail::build>::needs_slow_path(current_)) {
            current_ = sub_operation();
            slow_ = false;
        }
        const char* after = nullptr;
        if (WLFMT_LIKELY(detail::has_fast_paths && !slow_)) {
            const bool fits = detail::padded::fits(at_, limit_);
            if (WLFMT_LIKELY(fits))
                after = detail::read_plain_sub_operation<Fields>(at_, end_, detail::padded(limit_), current_);
            // Fields that are passed over are not checked, even if their values are long.
            if (WLFMT_UNLIKELY(after == nullptr && (!fits || !has(Fields, detail::middle_fields))))
                after = detail::read_late_sub_operation<Fields>(at_, end_, current_);
        }
        if (WLFMT_UNLIKELY(after == nullptr)) {
            slow_ = true;
            after = detail::oplog_slow<detail::build>::read_sub_operation(at_, end_, Fields, current_, link_.to());
            if (after == nullptr) return show_rest();
        }
        at_ = after;
    }

    // Python allows any blanks around the comma, and a comma after the last string. Returns false if anything else
    // comes here.
    WLFMT_COLD bool separate() noexcept {
        skip_blanks();
        if (at_ == end_) return true;
        if (*at_ != ',') {
            stop_at_junk(',');
            return false;
        }
        ++at_;
        skip_blanks();
        return true;
    }
    WLFMT_COLD void stop_at_junk(char expected) noexcept {
        if (detail::problems* const to = link_.to()) {
            const char* junk_end = detail::find_any<',', ']', '\'', '"'>(at_ + 1, end_);
            to->report(error_kind::bad_list, at_, static_cast<std::size_t>(junk_end - at_), detail::list_key, 0,
                       expected);
        }
        show_rest();
    }
    // The rest of the list cannot be read: the walk hands it out as its last item.
    void show_rest() noexcept {
        current_ = sub_operation();
        current_.text = current_.source = detail::view(at_, end_);
        current_.damaged = true;
        slow_ = true;
        at_ = end_;
    }

    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* limit_ = nullptr;  // the end of the text that holds the list
    bool done_ = true;
    bool slow_ = false;  // current_ came from the slow path
    bool in_array_ = false;
    detail::walk_link link_;
    const sub_operation* items_ = nullptr;
    std::size_t borrowed_ = 0;  // the number of items_
    std::size_t index_ = 0;     // in the array
    detail::shared_items<sub_operation> owned_;
    sub_operation current_;
};

// What only() returns: a list of which a walk decodes some fields. It holds what the list owns.
template <fields Fields> class chosen_sub_operations {
public:
    chosen_sub_operations() noexcept = default;
    template <class Build = detail::build> [[nodiscard]] sub_operation_iterator<Fields, Build> begin() const noexcept {
        return sub_operation_iterator<Fields, Build>(text_, items_, count_, owned_, link_.to());
    }
    template <class Build = detail::build> [[nodiscard]] sub_operation_iterator<Fields, Build> end() const noexcept {
        return {};
    }
    template <class Build = detail::build> [[nodiscard]] std::size_t size() const noexcept {
        std::size_t n = 0;
        for (auto i = begin<Build>(); i != end<Build>(); ++i) ++n;
        return n;
    }

private:
    friend class sub_operation_list;
    explicit chosen_sub_operations(const sub_operation_list& list) noexcept
        : text_(list.text_),
          items_(list.items_),
          count_(list.count_),
          owned_(list.owned_),
          link_(list.reader_, text_.empty()) {}

    std::string_view text_ = {};
    const sub_operation* items_ = nullptr;
    std::size_t count_ = 0;
    detail::shared_items<sub_operation> owned_;
    detail::walk_link link_;
};

template <class Build> sub_operation_iterator<fields::all, Build> sub_operation_list::begin() const noexcept {
    return sub_operation_iterator<fields::all, Build>(text_, items_, count_, owned_, reader_);
}
template <class Build> sub_operation_iterator<fields::all, Build> sub_operation_list::end() const noexcept {
    return {};
}
template <fields Chosen> chosen_sub_operations<Chosen> sub_operation_list::only() const noexcept {
    return chosen_sub_operations<Chosen>(*this);
}
template <class Build> std::size_t sub_operation_list::size() const noexcept {
    if (owned_) return owned_.items().size();
    if (items_ != nullptr) return count_;
    std::size_t n = 0;
    for (auto i = only<fields::none>().template begin<Build>(); i != decltype(i)(); ++i) ++n;
    return n;
}
template <class Build> std::vector<sub_operation>& sub_operation_list::edit() & {
    if (!owned_) {
        std::vector<sub_operation> items;
        if (items_ == nullptr) items.reserve(size<Build>());
        for (auto i = begin<Build>(); i != end<Build>(); ++i) items.push_back(*i);
        *this = sub_operation_list(std::move(items));
    }
    return owned_.items();
}

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#endif
