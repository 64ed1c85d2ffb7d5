// Splits the text of a record into its head and `key=value` pairs. Has the lists of attributes and shapes, and gives
// access to private members of lists.
#ifndef WLFMT_DETAIL_OPLOG_SPLIT_HPP
#define WLFMT_DETAIL_OPLOG_SPLIT_HPP

#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/prefix.hpp"
#include "../number/read.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail {

// `rank:N:name(` or `stage:N:name(`. A line that begins like this is a record.
struct record_head {
    oplog::origin origin = oplog::origin::rank;
    bool has_rank = false;  // `rank` has been read from the number
    std::int64_t rank = 0;
    std::string_view number;
    std::string_view op;
    bool is_joined = false;      // `op` is more than one identifier
    const char* body = nullptr;  // the place after the parenthesis
};

// The place after the `=` of the key that begins at p; null if none does. A key is a name that may hold dots.
WLFMT_INLINE const char* after_key(const char* p, const char* end) noexcept {
    if (p == end || !is_name_start(*p)) return nullptr;
    do ++p;
    while (p != end && (is_name(*p) || *p == '.'));
    return p != end && *p == '=' ? p + 1 : nullptr;
}

enum class separator : std::uint8_t { undecided, comma, comma_space };

// Finds the parts of a line that is a record, and the ends of strings and lists.
struct oplog_split {
    // The name of an operation may join identifiers with `::`, `.` or `-`, as profilers do: c10d::allreduce_
    WLFMT_COLD static const char* after_operation_name(const char* p, const char* end) noexcept {
        while (p != end && (is_name(*p) || bytes_of<':', '.', '-'>::has(*p))) ++p;
        return p;
    }

    // The place after `rank:N:` or `stage:N:`, else null. May read N if a block can be loaded there (`has_block`).
    WLFMT_INLINE static const char* read_origin(const char* p, const char* end, record_head& head,
                                                bool has_block = false) noexcept {
        if (starts(p, end, "rank:")) {
            head.origin = oplog::origin::rank;
            p += 5;
        } else if (starts(p, end, "stage:")) {
            head.origin = oplog::origin::stage;
            p += 6;
        } else {
            return nullptr;
        }
        const char* digits = p;
        head.has_rank = has_block && read_few(p, head.rank);
        while (p != end && is_digit(*p)) ++p;
        head.number = view(digits, p);
        return p == digits || p == end || *p != ':' ? nullptr : p + 1;
    }

    // Reads the head that begins at p. Returns false if the line is foreign text.
    WLFMT_INLINE static bool read_head(const char* p, const char* end, record_head& head,
                                       bool has_block = false) noexcept {
        p = read_origin(p, end, head, has_block);
        if (p == nullptr || p == end || !is_name_start(*p)) return false;
        const char* const op = p;
        p = after_name(p, end);
        if (WLFMT_UNLIKELY(p != end && *p != '(')) {
            p = after_operation_name(p, end);
            head.is_joined = true;
        }
        if (p == end || *p != '(') return false;
        head.op = view(op, p);
        head.body = p + 1;
        return true;
    }

    // The size of the word that begins a record's head and ends before this colon; 0 if none does.
    static std::size_t origin_size(std::string_view line, std::size_t colon) noexcept {
        for (const std::string_view word : {"rank"sv, "stage"sv})
            if (colon >= word.size() && line.substr(colon - word.size(), word.size()) == word) return word.size();
        return 0;
    }
    // For any_prefix: the size of the prefix before a record, or before what was meant to be a record. The prefix is a
    // launcher's, or at most 256 bytes that end as a prefix does; the first such place counts. In other lines, the size
    // of a launcher's prefix.
    static std::size_t record_prefix_size(std::string_view line) noexcept {
        constexpr std::size_t longest = 256;
        const char* const end = line.data() + line.size();
        record_head ignored;
        if (read_head(line.data(), end, ignored)) return 0;  // most lines are records without a prefix
        const std::size_t launcher = prefixes::launcher_size(line);
        const std::size_t last = launcher < longest ? longest : launcher;
        // Most lines of other texts have no colon, but many have an `r` or an `s`.
        for (std::size_t colon = line.find(':'); colon < last + 6; colon = line.find(':', colon + 1)) {
            const std::size_t word = origin_size(line, colon);
            if (word == 0) continue;
            const std::size_t at = colon - word;
            if (at != 0 && at != launcher && (at > longest || !prefixes::ends_as_prefix(line.substr(0, at)))) continue;
            if (read_head(line.data() + at, end, ignored) || begins_as_record(line.data() + at, end)) return at;
        }
        return launcher;
    }

    // Whether a line without a head was meant to be a record: `rank:N:` or `stage:N:`, then no blank, then a `(`, and a
    // `)` at the end of the line.
    WLFMT_COLD static bool begins_as_record(const char* p, const char* end) noexcept {
        record_head ignored;
        p = read_origin(p, end, ignored);
        if (p == nullptr) return false;
        while (end != p && is_blank(end[-1])) --end;
        return end - p >= 2 && !is_blank(*p) && end[-1] == ')' && find_any<'('>(p, end) != end;
    }

    // The place after the string whose opening quote is at p; null if it has no end. Sets `backslash` to its first.
    static const char* after_string(const char* p, const char* end, const char** backslash = nullptr) noexcept {
        const char quote = *p++;
        for (;;) {
            p = quote == '\'' ? find_any<'\'', '\\'>(p, end) : find_any<'"', '\\'>(p, end);
            if (p == end) return nullptr;
            if (*p == quote) return p + 1;
            if (backslash != nullptr) {
                *backslash = p;
                backslash = nullptr;
            }
            if (end - p < 2) return nullptr;
            p += 2;
        }
    }

    // The place after the `]` of the list whose `[` is at p. Brackets in quoted strings do not count. If the list, or a
    // string in it, has no end, returns null and reports that to `problems`, unless it is null.
    static const char* after_list(const char* p, const char* end, problems* problems = nullptr) noexcept {
        error_kind missing_end = error_kind::unterminated_list;
        for (++p; (p = find_any<']', '\'', '"'>(p, end)) != end;) {
            if (*p == ']') return p + 1;
            const char* const after = after_string(p, end);
            if (after == nullptr) {
                missing_end = error_kind::unterminated_string;
                break;
            }
            p = after;
        }
        if (problems != nullptr) problems->report(missing_end, view(p, end), list_key);
        return nullptr;
    }
};

// Whether the text ends as a list of strings does. Writers put the list last, so that its end can be found without
// reading it.
WLFMT_INLINE bool ends_as_list(const char* list, const char* end) noexcept {
    const std::ptrdiff_t size = end - list;
    return size >= 2 && end[-1] == ']' && (size == 2 || end[-2] == '\'' || end[-2] == '"');
}

// If a key begins at p, known or not, sets `key` and returns the place after its `=`; else returns null.
template <class Key> WLFMT_INLINE const char* after_key(const char* p, const char* end, Key& key) noexcept {
    if (p == end) return nullptr;
    if constexpr (!std::is_same_v<Key, no_known_key>)
        if (const char* value = oplog_schema::after_known(p, end, key); value != nullptr) return value;
    key = Key::extra;
    return after_key(p, end);
}

// Finds a value's end: the first separator with a key after it. A record's separators are all of the kind of its first.
template <class Key> class value_scan {
public:
    explicit value_scan(separator of_record) noexcept : kind(of_record) {}

    // Where the value ends: at the separator before the next key, or at `end` if no key follows.
    WLFMT_INLINE const char* stop(const char* p, const char* end) noexcept {
        for (; (p = find_any<','>(p, end)) != end; ++p) {
            const bool space = p + 1 != end && p[1] == ' ';
            const separator found = space ? separator::comma_space : separator::comma;
            if (kind != separator::undecided && kind != found) continue;
            next_key = p + (space ? 2 : 1);
            next_value = after_key(next_key, end, key);
            if (next_value == nullptr) continue;
            kind = found;
            return p;
        }
        next_value = nullptr;
        return end;
    }

    separator kind;
    const char* next_key = nullptr;
    const char* next_value = nullptr;
    Key key = Key::extra;
};

// Splits a text into `key=value` pairs. There are none if the text does not begin with a key.
template <class Key> class attribute_splitter {
public:
    attribute_splitter() noexcept : end_(nullptr), scan_(separator::undecided) {}
    attribute_splitter(std::string_view text, separator kind) noexcept : end_(text.data() + text.size()), scan_(kind) {
        scan_.next_key = text.data();
        scan_.next_value = after_key(text.data(), end_, scan_.key);
    }

    separator kind() const noexcept { return scan_.kind; }

    WLFMT_INLINE bool next(oplog::attribute& a, Key& key) noexcept {
        const char* value = scan_.next_value;
        if (value == nullptr) return false;
        key = scan_.key;
        a.key = view(scan_.next_key, value - 1);
        const char* from = value;
        if (value != end_ && *value == '[' && a.key == list_key) {
            const char* after = ends_as_list(value, end_) ? end_ : oplog_split::after_list(value, end_);
            from = after != nullptr ? after : end_;
        }
        a.value = view(value, scan_.stop(from, end_));
        return true;
    }

private:
    const char* end_;
    value_scan<Key> scan_;
};

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
        list.text_ = "[]"sv.substr(1, 0);
        list.content_ = content::list;
        return list;
    }
    static void set_checked(oplog::sub_operation_list& list) noexcept { list.checked_ = true; }
    static bool is_checked(const oplog::sub_operation_list& list) noexcept { return list.checked_; }
    static void detach(oplog::sub_operation_list& list) noexcept { list.reader_ = nullptr; }
    // The operations of a list that a program built from structs; null if the list is a text.
    static const oplog::sub_operation* items(const oplog::sub_operation_list& list) noexcept {
        return list.owned_ ? list.owned_.data() : list.items_;
    }
    static bool is_text(const oplog::sub_operation_list& list) noexcept {
        return !list.owned_ && list.items_ == nullptr;
    }
    static std::size_t count(const oplog::sub_operation_list& list) noexcept {
        return list.owned_ ? list.owned_.size() : list.count_;
    }
    static std::size_t dim_count(const oplog::shape& s) noexcept { return s.count_; }
    static const lasting_share& owned(const oplog::shape& s) noexcept { return s.own_; }
    // Sets the text of a shape without an array. `followed`: it is in brackets, and text of a block's size follows.
    WLFMT_INLINE static void set_text(oplog::shape& s, std::string_view text, bool followed) noexcept {
        s.text_ = text;
        s.count_ = followed ? 1 : 0;
    }
    // Parses `text` as a shape. Bytes up to `limit` may be read, as `text` is a part of a longer one.
    static oplog::shape shape_in(std::string_view text, const char* limit) noexcept {
        const bool brackets = text.size() >= 2 && text.front() == '[' && text.back() == ']';
        oplog::shape s;
        set_text(s, text, brackets && limit - text.data() >= static_cast<std::ptrdiff_t>(text.size() + 16));
        return s;
    }
};

}  // namespace detail

namespace oplog {

class shape::iterator : public detail::value_iterator<iterator, std::int64_t> {
public:
    iterator() noexcept = default;
    WLFMT_INLINE void advance() noexcept {
        const char* p = at_;
        if (p == end_) {
            at_ = end_ = nullptr;
        } else if (WLFMT_LIKELY(followed_ && detail::read_few(p, current_))) {
            at_ = p;
            // The list's bracket is at end_, and other text after it.
            if (p == end_) return;
            if (WLFMT_LIKELY(!detail::differs<2>(p, ", ") && detail::is_digit(p[2]))) at_ = p + 2;
            else take(separate(p, end_));
        } else if (in_array_) {
            std::memcpy(&current_, p, sizeof current_);
            at_ = p + sizeof current_;
        } else {
            const item next = read_item(p, end_);
            current_ = next.value;
            take(next);
        }
    }
    const void* position() const noexcept { return at_; }

private:
    friend class shape;
    // Functions return this by value: an iterator whose address a function took would be kept in memory.
    struct item {
        std::int64_t value;
        const char* next;  // null after the last item that can be read
        bool closed;
    };

    WLFMT_INLINE explicit iterator(const shape& s) noexcept {
        if (WLFMT_LIKELY(s.count_ != 0 && s.dims_ == nullptr)) {
            followed_ = true;
            at_ = s.text_.data() + 1;
            end_ = s.text_.data() + s.text_.size() - 1;
            if (WLFMT_UNLIKELY(*at_ == ' ')) at_ = skip_blanks(at_, end_);
        } else if (s.dims_ != nullptr) {
            in_array_ = true;
            own_ = s.own_;
            // The array is walked by its bytes, so that one pair of pointers does for texts, too.
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
        constexpr std::string_view torch = "torch.Size(";
        if (text.substr(0, torch.size()) == torch && text.back() == ')')
            text = text.substr(torch.size(), text.size() - torch.size() - 1);
        if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
        return text.substr(1, text.size() - 2);
    }
    // Skips only spaces: the writers escape every other blank in a string, and a list of integers holds no escapes.
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
        // Only a comma may follow an integer: in `1.5` and `1 2` the value that was read is not an item.
        if (*p != ',') return {0, nullptr, false};
        p = skip_blanks(p + 1, end);
        return {0, p, p != end};
    }

    const char* at_ = nullptr;  // the next item, in the text or in the array; null at the end
    const char* end_ = nullptr;
    bool followed_ = false;  // it is a text in brackets, and sixteen bytes can be loaded at each of its items
    bool in_array_ = false;
    bool closed_ = true;  // everything so far was an integer
    detail::lasting_share own_;
};

inline bool shape::is_list() const noexcept {
    if (dims_ != nullptr) return true;
    iterator i(*this);
    while (i.at_ != nullptr) i.advance();
    return i.closed_;
}

inline number shape::operator[](std::size_t n) const noexcept {
    for (iterator i = begin(); i != end(); ++i)
        if (n-- == 0) return *i;
    return {};
}
inline std::size_t shape::size() const noexcept {
    if (dims_ != nullptr) return count_;
    return detail::count_items(begin(), end());
}

class attribute_list::iterator : public detail::list_iterator<iterator, attribute> {
public:
    iterator() noexcept = default;
    std::uintptr_t decode() noexcept {
        if (items_ == nullptr) return text_.next(current_, key_) ? position_ + 1 : 0;
        if (position_ == count_) {
            items_ = nullptr;
            return 0;
        }
        current_ = items_[position_];
        return position_ + 1;
    }

private:
    friend class attribute_list;
    explicit iterator(const attribute_list& l) noexcept
        : list_iterator(l.own_.shared()),
          items_(l.items_),
          count_(l.count_),
          text_(l.text_, l.count_ != 0 ? detail::separator::comma_space : detail::separator::comma) {
        advance();
    }

    const attribute* items_ = nullptr;
    std::size_t count_ = 0;  // the number of items_
    detail::attribute_splitter<detail::no_known_key> text_;
    detail::no_known_key key_ = detail::no_known_key::extra;
};

WLFMT_INLINE shape::iterator shape::begin() const noexcept { return iterator(*this); }
WLFMT_INLINE shape::iterator shape::end() const noexcept { return {}; }
inline attribute_list::iterator attribute_list::begin() const noexcept { return iterator(*this); }
inline attribute_list::iterator attribute_list::end() const noexcept { return {}; }
inline std::vector<attribute>& attribute_list::edit() & WLFMT_LIFETIMEBOUND {
    if (!own_) *this = attribute_list(detail::copied_items<attribute>(*this));
    return own_.items();
}

}  // namespace oplog
}}  // namespace wlfmt::WLFMT_ABI

#endif
