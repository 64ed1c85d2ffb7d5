// The members of records: walks over shapes and attributes, and access to private members for the implementation.
#ifndef WLFMT_DETAIL_OPLOG_MEMBERS_HPP
#define WLFMT_DETAIL_OPLOG_MEMBERS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../types/oplog.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

namespace detail {

// Gives the implementation access to the private members of records.
template <class Way>
struct oplog_access {
    using content = oplog::sub_operation_list::content;

    // `limit`: the end of the text that holds the list.
    WLFMT_INLINE static void set_text(oplog::sub_operation_list& list, std::string_view text, const char* limit,
                                      problems* reader) noexcept {
        list.text_ = text;
        list.count_ = static_cast<std::size_t>(limit - (text.data() + text.size()));
        list.reader_ = reader;
        list.content_ = content::list;
    }
    static void set_none(oplog::sub_operation_list& list) noexcept {
        list = oplog::sub_operation_list();
        list.content_ = content::none;
    }
    static oplog::sub_operation_list empty_list() noexcept {
        oplog::sub_operation_list list;
        list.text_ = std::string_view("[]").substr(1, 0);
        list.content_ = content::list;
        return list;
    }
    // The values that traced() gives to members.
    static void set_nothing(text& t) noexcept { t = "None"; }
    static void set_nothing(number& n) noexcept { n = nullptr; }
    static void set_nothing(oplog::shape& s) noexcept { s = oplog::shape("None"); }
    static void set_nothing(oplog::sub_operation_list& list) noexcept { list = empty_list(); }
    static void set_checked(oplog::sub_operation_list& list) noexcept { list.checked_ = true; }
    static bool is_checked(const oplog::sub_operation_list& list) noexcept { return list.checked_; }
    static void detach(oplog::sub_operation_list& list) noexcept { list.reader_ = nullptr; }
    // The operations of a list that a program built from structs; null if the list is a text.
    static const oplog::sub_operation* items(const oplog::sub_operation_list& list) noexcept {
        return list.owned_ ? list.owned_.items().data() : list.items_;
    }
    static bool is_text(const oplog::sub_operation_list& list) noexcept {
        return !list.owned_ && list.items_ == nullptr;
    }
    static std::size_t count(const oplog::sub_operation_list& list) noexcept {
        return list.owned_ ? list.owned_.items().size() : list.count_;
    }
    static const shared_items<oplog::sub_operation>& owned(const oplog::sub_operation_list& list) noexcept {
        return list.owned_;
    }
    static problems* reader_of(const oplog::sub_operation_list& list) noexcept { return list.reader_; }

    static std::size_t dim_count(const oplog::shape& s) noexcept { return s.count_; }
    // An oplog::shape that is a text in brackets. `followed`: the text that holds it goes on after it for a block.
    WLFMT_INLINE static oplog::shape bracketed(std::string_view text, bool followed) noexcept {
        oplog::shape s(text);
        s.count_ = followed ? 1 : 0;
        return s;
    }
    // Any shape, in a text that goes on up to `limit`.
    static oplog::shape shape_in(std::string_view text, const char* limit) noexcept {
        const bool brackets = text.size() >= 2 && text.front() == '[' && text.back() == ']';
        return bracketed(text, brackets && limit - text.data() >= static_cast<std::ptrdiff_t>(text.size() + 16));
    }
};

}  // namespace detail

namespace oplog {

template <class Kernel>
class shape::basic_iterator : public detail::value_iterator<basic_iterator<Kernel>, std::int64_t> {
public:
    basic_iterator() noexcept = default;
    WLFMT_INLINE void advance() noexcept {
        const char* p = at_;
        if (p == end_) {
            at_ = end_ = nullptr;
        } else if (WLFMT_LIKELY(followed_ && detail::read_few(p, value_))) {
            at_ = p;
            // The list's bracket is at end_, and other text after it.
            if (p == end_) return;
            if (WLFMT_LIKELY(detail::difference<2>(p, ", ") == 0 && detail::is_digit(p[2])))
                at_ = p + 2;
            else
                take(separate(p, end_));
        } else if (in_array_) {
            std::memcpy(&value_, p, sizeof value_);
            at_ = p + sizeof value_;
        } else {
            const item next = read_item(p, end_);
            value_ = next.value;
            take(next);
        }
    }
    std::int64_t current() const noexcept { return value_; }
    const void* position() const noexcept { return at_; }

private:
    friend class shape;
    // An item, and where the next one begins; nowhere after the last one that can be read. By value: an iterator whose
    // address a function takes is kept in memory.
    struct item {
        std::int64_t value;
        const char* next;
        bool closed;
    };

    WLFMT_INLINE explicit basic_iterator(const shape& s) noexcept {
        if (WLFMT_LIKELY(s.count_ != 0 && s.dims_ == nullptr)) {
            followed_ = true;
            at_ = s.text_.data() + 1;
            end_ = s.text_.data() + s.text_.size() - 1;
            if (WLFMT_UNLIKELY(*at_ == ' ')) at_ = skip_blanks(at_, end_);
        } else if (s.dims_ != nullptr) {
            in_array_ = true;
            at_ = reinterpret_cast<const char*>(s.dims_);
            end_ = reinterpret_cast<const char*>(s.dims_ + s.count_);
        } else {
            const std::string_view list = between_brackets(s.text_);
            closed_ = !wlfmt::is_missing(list);
            at_ = skip_blanks(list.data(), list.data() + list.size());
            end_ = list.data() + list.size();
        }
        advance();
    }
    WLFMT_INLINE void take(const item& next) noexcept {
        at_ = next.next;
        closed_ = next.closed;
        if (at_ == nullptr) end_ = nullptr;
    }

    // The text between the brackets of the list; missing if the text is not a list.
    static std::string_view between_brackets(std::string_view text) noexcept {
        constexpr std::string_view size = "torch.Size(";
        if (text.substr(0, size.size()) == size && text.back() == ')')
            text = text.substr(size.size(), text.size() - size.size() - 1);
        if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
        return text.substr(1, text.size() - 2);
    }
    // Only spaces: the writers escape every other blank in a string, and a list of integers holds no escapes.
    static const char* skip_blanks(const char* p, const char* end) noexcept {
        while (p != end && *p == ' ') ++p;
        return p;
    }
    WLFMT_COLD static item read_item(const char* p, const char* end) noexcept {
        std::int64_t value = 0;
        if (detail::read_integer(p, end, value) != detail::number_status::ok) return {value, nullptr, false};
        item next = separate(p, end);
        next.value = value;
        return next;
    }
    WLFMT_COLD static item separate(const char* p, const char* end) noexcept {
        p = skip_blanks(p, end);
        if (p == end) return {0, p, true};
        // After an integer only a comma may follow: `1.5` and `1 2` are not lists of integers, and the value just read
        // is not an item.
        if (*p != ',') return {0, nullptr, false};
        p = skip_blanks(p + 1, end);
        return {0, p, p != end};
    }

    const char* at_ = nullptr;  // the next item, in the text or in the array; null at the end
    const char* end_ = nullptr;
    std::int64_t value_ = 0;
    bool followed_ = false;  // a text in brackets, and sixteen bytes can be looked at from any of its items on
    bool in_array_ = false;
    bool closed_ = true;  // nothing but integers so far
};

template <class Kernel>
bool shape::is_list() const noexcept {
    if (dims_ != nullptr) return true;
    basic_iterator<Kernel> i(*this);
    while (i.at_ != nullptr) i.advance();
    return i.closed_;
}

template <class Kernel>
std::size_t shape::size() const noexcept {
    if (dims_ != nullptr) return count_;
    std::size_t n = 0;
    for (basic_iterator<Kernel> i(*this); i.at_ != nullptr; i.advance()) ++n;
    return n;
}

template <class Kernel>
class attribute_list::basic_iterator : public detail::value_iterator<basic_iterator<Kernel>, attribute> {
public:
    basic_iterator() noexcept = default;
    void advance() noexcept {
        if (items_ != end_items_)
            current_ = *items_++;
        else
            done_ = !text_.next(current_, key_);
    }
    attribute current() const noexcept { return current_; }
    const void* position() const noexcept {
        return done_ ? nullptr : items_ != nullptr ? static_cast<const void*>(items_) : current_.key.data();
    }

private:
    friend class attribute_list;
    explicit basic_iterator(const attribute_list& l) noexcept
        : items_(l.items_),
          end_items_(l.items_ + l.count_),
          text_(l.text_, l.spaced_ ? detail::separator::comma_space : detail::separator::comma),
          done_(false) {
        advance();
    }

    const attribute* items_ = nullptr;
    const attribute* end_items_ = nullptr;
    detail::attribute_splitter<detail::no_known_key> text_;
    detail::no_known_key key_ = detail::no_known_key::extra;
    attribute current_ = {};
    bool done_ = true;
};

template <class Kernel>
operation operation::traced(std::int64_t rank, std::string_view op) noexcept {
    operation r;
    r.rank = rank;
    r.op = op;
    detail::for_each_key(r, [](const auto& row, auto& member) {
        if (row.is_tracers) detail::oplog_access<detail::kernel>::set_nothing(member);
    });
    return r;
}

}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
