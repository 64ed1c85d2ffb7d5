// The slow path of op logs: `key=value` by the rule of the format, with keys in any order.
#ifndef WLFMT_DETAIL_OPLOG_SLOW_HPP
#define WLFMT_DETAIL_OPLOG_SLOW_HPP

#include <cstddef>
#include <string_view>

#include "../../types/oplog.hpp"
#include "../base/escapes.hpp"
#include "../error/problems.hpp"
#include "../number/read.hpp"
#include "schema.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Which keys a record has held so far, and whether they came in the tracer's order without other keys between them.
// Such a record needs no list of its attributes.
template <class Build> class basic_key_order {
public:
    template <class Key> bool first_time(Key key) noexcept {
        const unsigned n = static_cast<unsigned>(key);
        const unsigned bit = 1U << n;
        if ((seen_ & bit) != 0) return plain_ = false;
        plain_ = plain_ && seen_ < bit && key != Key::extra;
        seen_ |= bit;
        return true;
    }
    void not_plain() noexcept { plain_ = false; }
    bool plain() const noexcept { return plain_; }

private:
    unsigned seen_ = 0;
    bool plain_ = true;
};
using key_order = basic_key_order<build>;

// Each field of only() has the same position as the row of its key.
inline oplog::fields field_of(sub_key key) noexcept {
    return static_cast<oplog::fields>(1U << static_cast<unsigned>(key));
}

// Reading records in any order of their keys.
template <class Build> struct oplog_slow {
    // Reads a number, None, or a text that `problems` tolerates. Returns false if the record cannot be read on.
    // `limit`: the bytes after the text may be read up to there, and the first of them is one that no number holds.
    static bool read_value(std::string_view text, const char* limit, std::string_view field, numeric what,
                           problems* problems, number& value) {
        if (text == "None") {
            value = nullptr;
            return true;
        }
        const char* p = text.data();
        const char* end = p + text.size();
        const number_status status = read_number(p, limit, value);
        const bool whole = status == number_status::ok && p == end;
        error_kind wrong = what == numeric::index ? error_kind::not_an_integer : error_kind::not_a_number;
        if (whole && (value.is_integer() || what != numeric::index)) return true;
        if (status == number_status::overflow && p == end) wrong = error_kind::number_overflow;
        if (!whole) value = number(text);
        if (what == numeric::duration && text == not_measured) return true;
        return problems == nullptr || problems->report(wrong, text.data(), text.size(), field);
    }

    // The end of the list in the value of sub_operations; null if it cannot be read. Blanks may follow the list and, if
    // that is tolerated, the record's `)` and other text. `body_end` is the line's last `)`.
    static const char* list_end(std::string_view value, const char* body_end, problems* problems) {
        const char* p = value.data();
        const char* end = p + value.size();
        if (p == end || *p != '[') {
            problems->report(error_kind::bad_list, p, value.size(), list_key, 0, '[');
            return nullptr;
        }
        if (end == body_end && ends_as_list(p, end)) return end;
        // A list without an end goes on up to the line's.
        const char* stop = oplog_split<build>::after_list(p, body_end + 1, problems);
        if (stop == nullptr || trimmed(view(stop, end)).empty()) return stop;
        if (*stop == ')') {
            const std::string_view junk = trimmed(view(stop + 1, body_end + 1));
            return problems->report(error_kind::text_after_record, junk.data(), junk.size(), {}) ? stop : nullptr;
        }
        while (is_blank(*stop)) ++stop;
        problems->report(error_kind::bad_list, stop, static_cast<std::size_t>(end - stop), list_key, 0, ',');
        return nullptr;
    }

    // Passes over what comes before the first `key=` of a record, and reports it if `problems` is not null. Returns
    // false if the record cannot be read.
    static bool pass_junk(std::string_view& body, separator& kind, problems* problems) {
        const char* p = body.data();
        const char* end = p + body.size();
        if (p == end || after_key(p, end) != nullptr) return true;
        value_scan<op_key> scan(kind);
        const char* stop = scan.stop(p, end);
        kind = scan.kind;
        const std::string_view junk = view(p, stop == p ? p + 1 : stop);
        // After the beginning of a list of strings, the separator may be inside a string.
        constexpr std::size_t none = std::string_view::npos;
        if (stop == end || junk.find("['") != none || junk.find("[\"") != none) body = view(end, end);
        else body = view(scan.next_key, end);
        return problems == nullptr || problems->report(error_kind::key_expected, junk.data(), junk.size(), {});
    }

    // Reads the value of a known key that holds no list of strings. Returns false if the record cannot be read.
    template <class Record>
    WLFMT_INLINE static bool read_known(const key_row<Record>& row, std::string_view value, const char* limit,
                                        Record& r, problems* problems) {
        if (row.as_number != nullptr) return read_value(value, limit, row.place, row.holds, problems, r.*row.as_number);
        if (row.as_text != nullptr) r.*row.as_text = value;
        else r.*row.as_shape = oplog_access<build>::shape_in(value, limit);
        return true;
    }

    // Reads the value of sub_operations. Returns where the text after the list begins; null if the record cannot be
    // read.
    WLFMT_INLINE static const char* read_list(std::string_view value, const char* limit, oplog::operation& r,
                                              problems* problems) {
        if (value == "None") {
            oplog_access<build>::set_none(r.sub_operations);
            return value.data() + value.size();
        }
        const char* const end = list_end(value, limit, problems);
        if (end == nullptr) return nullptr;
        const std::string_view list = view(value.data() + 1, end - 1);
        const bool empty = trimmed(list).empty();
        oplog_access<build>::set_text(r.sub_operations, empty ? list.substr(0, 0) : list, limit, problems);
        return end;
    }

    // Reads the attributes of an operation in any order. Returns false if the record cannot be read.
    static bool read_attributes(std::string_view body, oplog::operation& r, problems* problems) {
        separator kind = separator::undecided;
        if (!pass_junk(body, kind, problems)) return false;
        attribute_splitter<op_key> split(body, kind);
        key_order order;
        oplog::attribute a;
        const char* const limit = body.data() + body.size();
        for (op_key key{}; split.next(a, key);) {
            if (key != op_key::extra && !order.first_time(key)) {
                if (!problems->report(error_kind::duplicate_key, a.key.data(), a.key.size(), a.key)) return false;
                key = op_key::extra;
            }
            if (key == op_key::extra || !row_of(r, key).has_name(a.key)) order.not_plain();
            if (key == op_key::extra) continue;
            if (key != op_key::sub_operations) {
                if (!read_known(row_of(r, key), a.value, limit, r, problems)) return false;
                continue;
            }
            const char* const end = read_list(a.value, limit, r, problems);
            if (end == nullptr) return false;
            // The record's `)` comes right after the list, and the text after it is tolerated: the record ends here.
            if (end != a.value.data() + a.value.size() && *end == ')') {
                body = view(body.data(), end);
                split = attribute_splitter<op_key>(view(end, end), split.kind());
            }
        }
        r.spaced = split.kind() == separator::comma_space;
        if (!order.plain()) r.attributes = oplog::attribute_list(body, r.spaced);
        return true;
    }

    // Reads any other string of the list. Returns the place after its closing quote, or null if it has none. Values
    // that are not in `fields` are not read. Problems go to `problems`, which may be null, and also show in the record.
    static const char* read_sub_operation(const char* p, const char* end, oplog::fields fields, oplog::sub_operation& s,
                                          problems* problems) {
        s = oplog::sub_operation();
        const auto report = [&](error_kind kind, const char* at, std::size_t length, std::string_view field) {
            if (problems != nullptr) problems->report(kind, at, length, field);
        };
        const char* backslash = nullptr;
        const char* close = oplog_split<build>::after_string(p, end, &backslash);
        if (close == nullptr) {
            report(error_kind::unterminated_string, p, static_cast<std::size_t>(end - p), list_key);
            return nullptr;
        }
        const std::string_view text = view(p + 1, close - 1);
        s.source = text;
        if (backslash != nullptr) {
            s.quote = *p;
            const char* bad = escapes::find_bad(backslash, close - 1);
            if (bad != close - 1) report(error_kind::bad_escape, bad, bad + 2 <= close - 1 ? 2 : 1, list_key);
        }
        attribute_splitter<sub_key> split(text, separator::undecided);
        key_order order;
        oplog::attribute a;
        sub_key key{};
        if (!split.next(a, key)) {
            s.text = text;
            return close;
        }
        do {
            if (key != sub_key::extra && !order.first_time(key)) {
                report(error_kind::duplicate_key, a.key.data(), a.key.size(), a.key);
                key = sub_key::extra;
            }
            if (key == sub_key::extra) order.not_plain();
            else if (WLFMT_LIKELY(has(fields, field_of(key)))) read_known(row_of(s, key), a.value, end, s, problems);
        } while (split.next(a, key));
        s.spaced = split.kind() == separator::comma_space;
        if (!order.plain()) s.attributes = oplog::attribute_list(text, s.spaced);
        return close;
    }

    // Does a record hold anything that only the slow path reads?
    static bool needs_slow_path(const oplog::operation& r) noexcept {
        return !r.attributes.empty() || r.spaced || r.sub_operations.is_missing() || has_variants_key(r);
    }

    static bool needs_slow_path(const oplog::sub_operation& s) noexcept {
        return !s.attributes.empty() || s.spaced || s.quote != 0 || s.is_text() || has_variants_key(s);
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
