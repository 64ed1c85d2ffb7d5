// Taking the text of a record apart: its head, and `key=value` pairs by the rule of the format.
#ifndef WLFMT_DETAIL_OPLOG_SPLIT_HPP
#define WLFMT_DETAIL_OPLOG_SPLIT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../types/oplog.hpp"
#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/prefix.hpp"
#include "../number/read.hpp"
#include "schema.hpp"
#include "words.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// The name of an operation is an identifier, or joins several by `::`, `.` or `-`, as profilers do: c10d::allreduce_.
inline bool is_operation_byte(char c) noexcept { return is_name(c) || c == ':' || c == '.' || c == '-'; }

// `rank:N:name(` or `stage:N:name(`, which makes a line a record.
struct record_head {
    oplog::origin origin = oplog::origin::rank;
    bool has_rank = false;  // `rank` is the number
    std::int64_t rank = 0;
    std::string_view number;
    std::string_view op;
    const char* body = nullptr;  // after the parenthesis
};

// If a key begins at p, the place after its `=`; else null. A key is a name that may hold dots.
WLFMT_INLINE const char* after_key(const char* p, const char* end) noexcept {
    if (p == end || !is_name_start(*p)) return nullptr;
    do ++p;
    while (p != end && (is_name(*p) || *p == '.'));
    return p != end && *p == '=' ? p + 1 : nullptr;
}

enum class separator : std::uint8_t { undecided, comma, comma_space };

// Finds the parts of a line that is a record, and the ends of strings and lists.
template <class Way>
struct oplog_split {
    WLFMT_COLD static const char* after_operation_name(const char* p, const char* end) noexcept {
        while (p != end && is_operation_byte(*p)) ++p;
        return p;
    }

    // Reads the head that begins at p. `near`: the text goes on for a block after the words. Returns false if the line
    // is foreign text.
    WLFMT_INLINE static bool read_head(const char* p, const char* end, record_head& head, bool near = false) noexcept {
        if (starts(p, end, "rank:")) {
            head.origin = oplog::origin::rank;
            p += 5;
        } else if (starts(p, end, "stage:")) {
            head.origin = oplog::origin::stage;
            p += 6;
        } else {
            return false;
        }
        const char* digits = p;
        head.has_rank = near && read_few(p, head.rank);
        while (p != end && is_digit(*p)) ++p;
        if (p == digits || p == end || *p != ':') return false;
        head.number = view(digits, p);
        const char* op = ++p;
        if (p == end || !is_name_start(*p)) return false;
        p = after_name(p, end);
        if (WLFMT_UNLIKELY(p != end && *p != '(')) p = after_operation_name(p, end);
        if (p == end || *p != '(') return false;
        head.op = view(op, p);
        head.body = p + 1;
        return true;
    }

    // The size of the prefix before a line's record under any_prefix: that of a launcher's prefix, or of at most 256
    // other bytes that end as a prefix does. For a line without a record: the size of its launcher's prefix.
    static std::size_t record_prefix_size(std::string_view line) noexcept {
        constexpr std::size_t longest = 256;
        const char* const end = line.data() + line.size();
        record_head ignored;
        // Most lines are records without a prefix.
        if (read_head(line.data(), end, ignored)) return 0;
        const std::size_t launcher = prefixes::launcher_size(line);
        if (read_head(line.data() + launcher, end, ignored)) return launcher;
        const std::string_view beginning = line.substr(0, longest);
        // Most lines of other texts have no colon, but many an `r` and `s`.
        for (const std::string_view word : {std::string_view("rank:"), std::string_view("stage:")})
            for (std::size_t colon = beginning.find(':'); colon != std::string_view::npos;
                 colon = beginning.find(':', colon + 1)) {
                if (colon + 1 < word.size()) continue;
                const std::size_t at = colon + 1 - word.size();
                if (beginning.substr(at, word.size()) != word) continue;
                if (prefixes::ends_as_prefix(line.substr(0, at)) && read_head(line.data() + at, end, ignored))
                    return at;
            }
        return launcher;
    }

    // Is a line that has no record's head meant to be a record? It begins with `rank:N:` or `stage:N:` and another byte
    // than a blank, and it has parentheses, of which one ends it.
    WLFMT_COLD static bool begins_as_record(const char* p, const char* end) noexcept {
        if (starts(p, end, "rank:"))
            p += 5;
        else if (starts(p, end, "stage:"))
            p += 6;
        else
            return false;
        const char* const digits = p;
        while (p != end && is_digit(*p)) ++p;
        if (p == digits || end - p < 3 || p[0] != ':' || is_blank(p[1]) || end[-1] != ')') return false;
        return find_any<'('>(p, end) != end;
    }

    // The place after the closing quote of the string whose opening quote is at p; null if the text ends before that
    // quote. Also gives the first backslash in the string, if there is one.
    static const char* after_string(const char* p, const char* end, const char** backslash = nullptr) noexcept {
        const char quote = *p++;
        for (;;) {
            p = quote == '\'' ? find_any<'\'', '\\'>(p, end) : find_any<'"', '\\'>(p, end);
            if (p == end) return nullptr;
            if (*p == quote) return p + 1;
            if (backslash != nullptr) *std::exchange(backslash, nullptr) = p;
            if (end - p < 2) return nullptr;
            p += 2;
        }
    }

    // The place after the `]` of the list whose `[` is at p; null if the text ends before that bracket. Brackets in
    // quoted strings do not count.
    static const char* after_list(const char* p, const char* end) noexcept {
        for (++p;;) {
            p = find_any<']', '\'', '"'>(p, end);
            if (p == end) return nullptr;
            if (*p == ']') return p + 1;
            p = after_string(p, end);
            if (p == nullptr) return nullptr;
        }
    }

    // The list whose `[` is at p has no end: reports that, or that one of its strings has no end.
    static void report_open_list(const char* p, const char* end, problems* problems) {
        for (++p;;) {
            p = find_any<'\'', '"'>(p, end);
            if (p == end) break;
            const char* quote = p;
            p = after_string(p, end);
            if (p == nullptr) {
                problems->report(error_kind::unterminated_string, quote, static_cast<std::size_t>(end - quote),
                                 list_key);
                return;
            }
        }
        problems->report(error_kind::unterminated_list, end, 0, list_key);
    }
};

// Does the text end as a list of strings does? The writers put the list last: its end is then the record's end, and
// is known without reading the list.
WLFMT_INLINE bool ends_as_list(const char* list, const char* end) noexcept {
    const std::ptrdiff_t size = end - list;
    return size >= 2 && end[-1] == ']' && (size == 2 || end[-2] == '\'' || end[-2] == '"');
}

// If a key begins at p, known or not, the place after its `=`, and which key it is; else null.
template <class Key>
WLFMT_INLINE const char* after_key(const char* p, const char* end, Key& key) noexcept {
    if (p == end) return nullptr;
    const char* value = oplog_schema<kernel>::after_known(p, end, key);
    if (value != nullptr) return value;
    key = Key::extra;
    return after_key(p, end);
}

// Finds the end of a value: the first separator with a key after it. The first separator of a record decides which of
// the two kinds it has.
template <class Key>
class value_scan {
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

// Splits a text into `key=value` pairs. There are none if the text does not begin with a key; every separator that ends
// a value is followed by one.
template <class Key>
class attribute_splitter {
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
            const char* after = ends_as_list(value, end_) ? end_ : oplog_split<kernel>::after_list(value, end_);
            from = after != nullptr ? after : end_;
        }
        a.value = view(value, scan_.stop(from, end_));
        return true;
    }

private:
    const char* end_;
    value_scan<Key> scan_;
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
