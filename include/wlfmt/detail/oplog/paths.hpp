// The two paths on which a record is read, with the same result: the fast one, and the slow one for records on which
// the fast one gives up.
#ifndef WLFMT_DETAIL_OPLOG_PATHS_HPP
#define WLFMT_DETAIL_OPLOG_PATHS_HPP

#include "../base/escapes.hpp"
#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../number/read.hpp"
#include "schema.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The fast path compares each key with the one that the tracer writes there, and gives up at the first that differs. It
// reads up to a bound (scan.hpp), which may be beyond the record's own end, and checks that end last. Each function
// reads a value up to the expected `,key=` and skips that key: no separator can have come before it, so the value's end
// is exact. If anything else follows, it returns false, and p is no longer valid.

// The greatest number of bytes that are read between two checks for the text's end: the keys, and a block for each
// value (scan.hpp).
inline constexpr std::size_t plain_operation_size =
    sizeof "stage_id=,batch_id=,mg_state=,duration=,description=,group_kind=,input__shape=,input__dtype=,timestamp=,"
           "sub_operations=" + 9 * 16;
inline constexpr std::size_t plain_sub_operation_size =
    sizeof "'trace_src_func=,duration=,timestamp=,input__shape=,input__dtype=,func_name=,group=,comm_func='" + 8 * 16;
static_assert(plain_operation_size + 32 <= padded::room && plain_sub_operation_size + 32 <= padded::room);

template <class Bound, std::size_t N>
WLFMT_INLINE bool skip_key(const char*& p, Bound bound, const char (&key)[N]) noexcept {
    if (WLFMT_UNLIKELY(!starts(p, bound, key))) return false;
    p += N - 1;
    return true;
}

template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_text(const char*& p, Bound bound, text_view& value, const char (&key)[N]) noexcept {
    const char* const begin = p;
    p = find_any<','>(p, bound);
    value = view(begin, p);
    return skip_key(p, bound, key);
}

// Reads any number, or None. It takes and returns copies, so that the caller's place stays in a register.
template <class Bound, std::size_t N>
WLFMT_NOINLINE const char* plain_other(const char* p, Bound bound, number& value, const char (&key)[N]) noexcept {
    if (!starts(p, bound, "None")) return read_number_before(p, bound, value, key);
    value = nullptr;
    return starts(p + 4, bound, key) ? p + 4 + (N - 1) : nullptr;
}
// `Kind` is the type of the numbers if they are all of one type and usually have few digits, else void.
template <class Kind = void, class Bound, std::size_t N>
WLFMT_INLINE bool plain_number(const char*& p, Bound bound, number& value, const char (&key)[N]) noexcept {
    const char* after = nullptr;
    if constexpr (std::is_void_v<Kind>) after = read_short_before(p, bound, value, key);
    else after = read_few_before<Kind>(p, bound, value, key);
    p = WLFMT_LIKELY(after != nullptr) ? after : plain_other(p, bound, value, key);
    return p != nullptr;
}
template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_integer(const char*& p, Bound bound, number& value, const char (&key)[N]) noexcept {
    return plain_number<std::int64_t>(p, bound, value, key) && !value.is_decimal();
}

// The bytes that end digits, commas and spaces in a row. hits() misses `-`, `.`, `/` and, perhaps, bytes beyond ASCII.
struct shape_stops {
    template <class Block> WLFMT_INLINE static auto hits(const Block& b) noexcept {
        return Block::either(b.above('9'), Block::without(b.up_to('+'), b.is(' ')));
    }
    WLFMT_INLINE static bool has(char c) noexcept { return !is_digit(c) && c != ' ' && c != ','; }
};
// Reads a list such as `[2048, 2]`, or None. Commas inside the brackets belong to the value.
template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_shape(const char*& p, Bound bound, oplog::shape& value, const char (&key)[N]) noexcept {
    const char* const begin = p;
    if (!skip_key(p, bound, "[")) {
        if (!skip_key(p, bound, "None")) return false;
        oplog_access::set_text(value, view(begin, p), false);
        return skip_key(p, bound, key);
    }
    p = find_first<shape_stops>(p, bound);
    if (!skip_key(p, bound, "]")) return false;
    oplog_access::set_text(value, view(begin, p), holds(bound, p, short_form_block));
    return skip_key(p, bound, key);
}

// Reads the text between an operation's parentheses, [p, end). If it returns false, the record may be half filled.
template <class Bound>
WLFMT_INLINE bool read_plain_attributes(const char* p, const char* end, Bound bound, oplog::operation& r,
                                        problems* problems) noexcept {
    if (!skip_key(p, bound, "stage_id=")) return false;
    if (!plain_integer(p, bound, r.stage_id, ",batch_id=")) return false;
    if (!plain_integer(p, bound, r.batch_id, ",mg_state=")) return false;
    if (!plain_text(p, bound, r.mg_state, ",duration=")) return false;
    if (!plain_number<double>(p, bound, r.duration, ",description=")) return false;
    const char* const description = p;
    while (!plain_text(p, bound, r.description, ",group_kind=")) {
        // A comma without a key after it belongs to the description.
        if (p >= end || *p != ',' || !goes_on(bound, p) || after_key(p + 1, end) != nullptr) return false;
        ++p;
    }
    r.description = view(description, r.description.data() + r.description.size());
    if (!plain_text(p, bound, r.group_kind, ",input__shape=")) return false;
    if (!plain_shape(p, bound, r.input_shape, ",input__dtype=")) return false;
    if (!plain_text(p, bound, r.input_dtype, ",timestamp=")) return false;
    if (!plain_number(p, bound, r.timestamp, ",sub_operations=")) return false;
    // Nothing above has checked where the record itself ends.
    if (p >= end || *p != '[' || !ends_as_list(p, end)) return false;
    oplog_access::set_text(r.sub_operations, view(p + 1, end - 1), end_of(bound), problems);
    return true;
}
inline WLFMT_NOINLINE bool read_late_attributes(const char* p, const char* end, const char* limit, oplog::operation& r,
                                                problems* problems) noexcept {
    return read_plain_attributes(p, end, limit, r, problems);
}

// Finds the end of a value in a string with this quote, from a byte that find_first<value_stops>() found: the comma
// after the value, the closing quote, a backslash (which the fast path does not read), or the text's end.
template <class Bound> WLFMT_COLD inline const char* quoted_value_end(const char* p, Bound bound, char quote) noexcept {
    const char* const end = end_of(bound);
    while (p < end && *p != ',' && *p != quote && *p != '\\') p = find_first<value_stops>(p + 1, end);
    return p;
}

template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_quoted_text(const char*& p, Bound bound, char quote, text_view& value,
                                    const char (&key)[N]) noexcept {
    const char* const begin = p;
    p = find_first<value_stops>(p, bound);
    if (WLFMT_UNLIKELY(!starts(p, bound, key))) {
        p = quoted_value_end(p, bound, quote);
        if (!goes_on(bound, p) || !starts(p, bound, key)) return false;
    }
    value = view(begin, p);
    p += N - 1;
    return true;
}

// The fields between the duration and the last one.
inline constexpr oplog::fields middle_fields = oplog::fields::timestamp | oplog::fields::input_shape |
                                               oplog::fields::input_dtype | oplog::fields::func_name |
                                               oplog::fields::group;

// Reads a sub-operation in the same way. Its opening quote is at p, and the list's bracket at `end`. Returns the place
// after the closing quote, or null at the first difference. Skips the values of fields that are not in `Fields`.
template <oplog::fields Fields, class Bound>
WLFMT_INLINE const char* read_plain_sub_operation(const char* p, const char* end, Bound bound,
                                                  oplog::sub_operation& s) noexcept {
    using oplog::fields;
    const char quote = *p++;
    const char* const begin = p;
    text_view passed;
    oplog::shape passed_shape;
    const auto wanted = [&](fields field, text_view& member) -> text_view& {
        return has(Fields, field) ? member : passed;
    };

    if (!skip_key(p, bound, "trace_src_func=")) return nullptr;
    text_view& function = wanted(fields::trace_src_func, s.trace_src_func);
    if (!plain_quoted_text(p, bound, quote, function, ",duration=")) return nullptr;
    [[maybe_unused]] const char* const duration = p;
    if (has(Fields, fields::duration) ? !plain_number<double>(p, bound, s.duration, ",timestamp=")
                                      : !plain_quoted_text(p, bound, quote, passed, ",timestamp="))
        return nullptr;

    if constexpr (!has(Fields, middle_fields)) {
        // Only the last attribute may be wanted, which is found from the string's end; strings with a backslash there
        // are left to the slow path. The duration holds no quote, so the search need not wait for its end.
        const char* const from = has(Fields, fields::duration) ? duration : p;
        fetch_ahead(from);
        if (WLFMT_UNLIKELY(p >= end)) return nullptr;
        const char* const close = find_far(from, end, quote);
        if (close == end || close[-1] == '\\') return nullptr;
        if (has(Fields, fields::comm_func)) {
            const char* equals = find_last<'=', '\\'>(p, close);
            if (equals == nullptr || equals - p < 10 || differs<11>(equals - 10, ",comm_func=")) return nullptr;
            s.comm_func = view(equals + 1, close);
        }
        s.source = view(begin, close);
        return close + 1;
    } else {
        if (has(Fields, fields::timestamp) ? !plain_number(p, bound, s.timestamp, ",input__shape=")
                                           : !plain_quoted_text(p, bound, quote, passed, ",input__shape="))
            return nullptr;
        if (!plain_shape(p, bound, has(Fields, fields::input_shape) ? s.input_shape : passed_shape, ",input__dtype="))
            return nullptr;
        const char* const dtype = p;
        p = find_first<value_stops>(p, bound);
        if (has(Fields, fields::input_dtype)) s.input_dtype = view(dtype, p);
        if (skip_key(p, bound, ",func_name=")) {
            if (!plain_quoted_text(p, bound, quote, wanted(fields::func_name, s.func_name), ",group=")) return nullptr;
        } else {
            s.func_name = {};
            if (!skip_key(p, bound, ",group=")) return nullptr;
        }
        if (!plain_quoted_text(p, bound, quote, wanted(fields::group, s.group), ",comm_func=")) return nullptr;
        const char* close = find_first<value_stops>(p, bound);
        if (WLFMT_UNLIKELY(*close != quote)) close = quoted_value_end(close, bound, quote);
        // Nothing above has checked where the list ends.
        if (WLFMT_UNLIKELY(close >= end || *close != quote)) return nullptr;
        if (has(Fields, fields::comm_func)) s.comm_func = view(p, close);
        s.source = view(begin, close);
        return close + 1;
    }
}
// Does the same near the end of the text, and for strings with a long value.
template <oplog::fields Fields>
WLFMT_NOINLINE const char* read_late_sub_operation(const char* p, const char* end, oplog::sub_operation& s) noexcept {
    return read_plain_sub_operation<Fields>(p, end, end, s);
}

// The known keys that a record has had so far. A plain record has only the tracer's keys, in the tracer's order, and
// needs no list of attributes.
struct key_order {
    unsigned seen = 0;
    bool plain = true;

    // Returns false if the key is known and has come before.
    template <class Key> bool first_time(Key key) noexcept {
        const unsigned bit = 1U << static_cast<unsigned>(key);
        const bool first = (seen & bit) == 0 || key == Key::extra;
        plain = plain && seen < bit && key != Key::extra;
        seen |= bit;
        return first;
    }
};

// The field of a key, whose bit is at the position of the key's row. A key that only variants of the tracer write has
// no field of its own: it is read if any field is.
inline oplog::fields field_of(sub_key key) noexcept {
    const unsigned bit = 1U << static_cast<unsigned>(key);
    return bit > static_cast<unsigned>(oplog::fields::all) ? oplog::fields::all : static_cast<oplog::fields>(bit);
}

// The slow path: `key=value` with keys in any order. Functions return false or null if the record cannot be read.
struct oplog_slow {
    // Reads a number, None, or a tolerated text. The bytes after it up to `limit` may be read, too.
    static bool read_value(std::string_view text, const char* limit, std::string_view field, numeric expected,
                           problems* problems, number& value) {
        if (text == "None") {
            value = nullptr;
            return true;
        }
        const char* p = text.data();
        const char* end = p + text.size();
        const number_status status = read_number(p, limit, value);
        const bool whole = status == number_status::ok && p == end;
        error_kind wrong = expected == numeric::index ? error_kind::not_an_integer : error_kind::not_a_number;
        if (whole && (value.is_integer() || expected != numeric::index)) return true;
        if (status == number_status::overflow && p == end) wrong = error_kind::number_overflow;
        if (!whole) value = number(text);
        if (expected == numeric::duration && text == not_measured) return true;
        return problems == nullptr || problems->report(wrong, text, field);
    }

    // The end of the list in the value of sub_operations; null if the list cannot be read. Blanks may follow it and, if
    // that is tolerated, the record's `)` and other text. The line's last `)` is at `body_end`.
    static const char* list_end(std::string_view value, const char* body_end, problems* problems) {
        const char* p = value.data();
        const char* end = p + value.size();
        if (p == end || *p != '[') {
            problems->report(error_kind::bad_list, value, list_key, 0, '[');
            return nullptr;
        }
        if (end == body_end && ends_as_list(p, end)) return end;
        // Searches up to the end of the line, as a list without an end reaches that far.
        const char* stop = oplog_split::after_list(p, body_end + 1, problems);
        if (stop == nullptr || trimmed(view(stop, end)).empty()) return stop;
        if (*stop == ')') {
            const std::string_view junk = trimmed(view(stop + 1, body_end + 1));
            return problems->report(error_kind::text_after_record, junk, {}) ? stop : nullptr;
        }
        while (is_blank(*stop)) ++stop;
        problems->report(error_kind::bad_list, view(stop, end), list_key, 0, ',');
        return nullptr;
    }

    // Skips text before the first `key=` of a record, and reports it.
    static bool pass_junk(std::string_view& body, separator& kind, problems* problems) {
        const char* p = body.data();
        const char* end = p + body.size();
        if (p == end || after_key(p, end) != nullptr) return true;
        value_scan<op_key> scan(kind);
        const char* stop = scan.stop(p, end);
        kind = scan.kind;
        const std::string_view junk = view(p, stop == p ? p + 1 : stop);
        // If the text holds the beginning of a list of strings, the separator may be inside a string.
        constexpr std::size_t none = std::string_view::npos;
        if (stop == end || junk.find("['") != none || junk.find("[\"") != none) body = view(end, end);
        else body = view(scan.next_key, end);
        return problems == nullptr || problems->report(error_kind::key_expected, junk, {});
    }

    // Reads the value of a known key other than sub_operations.
    template <class Record>
    WLFMT_INLINE static bool read_known(const key_row<Record>& row, std::string_view value, const char* limit,
                                        Record& r, problems* problems) {
        if (row.as_number != nullptr) return read_value(value, limit, row.place, row.holds, problems, r.*row.as_number);
        if (row.as_text != nullptr) r.*row.as_text = value;
        else r.*row.as_shape = oplog_access::shape_in(value, limit);
        return true;
    }

    // Reads the value of sub_operations. Returns the end of the list.
    WLFMT_INLINE static const char* read_list(std::string_view value, const char* limit, oplog::operation& r,
                                              problems* problems) {
        if (value == "None") {
            oplog_access::set_none(r.sub_operations);
            return value.data() + value.size();
        }
        const char* const end = list_end(value, limit, problems);
        if (end == nullptr) return nullptr;
        const std::string_view list = view(value.data() + 1, end - 1);
        oplog_access::set_text(r.sub_operations, trimmed(list).empty() ? list.substr(0, 0) : list, limit, problems);
        return end;
    }

    static bool read_attributes(std::string_view body, oplog::operation& r, problems* problems) {
        separator kind = separator::undecided;
        if (!pass_junk(body, kind, problems)) return false;
        attribute_splitter<op_key> split(body, kind);
        key_order order;
        oplog::attribute a;
        const char* const limit = body.data() + body.size();
        for (op_key key{}; split.next(a, key);) {
            if (WLFMT_UNLIKELY(!order.first_time(key))) {
                if (!problems->report(error_kind::duplicate_key, a.key, a.key)) return false;
                key = op_key::extra;
            }
            if (key == op_key::extra) continue;
            if (!row_of(r, key).has_name(a.key)) order.plain = false;
            if (a.key != list_key) {
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
        if (!order.plain) r.attributes = oplog::attribute_list::from_text(body, r.spaced);
        return true;
    }

    // Reads any string of the list. Returns the place after its closing quote, or null if it has none. Does not read
    // values that are not in `fields`. Reports problems to `problems`, which may be null; the record shows them, too.
    static const char* read_sub_operation(const char* p, const char* end, oplog::fields fields, oplog::sub_operation& s,
                                          problems* problems) {
        s = oplog::sub_operation();
        const auto report = [&](error_kind kind, std::string_view place, std::string_view field) {
            if (problems != nullptr) problems->report(kind, place, field);
        };
        const char* backslash = nullptr;
        const char* close = oplog_split::after_string(p, end, &backslash);
        if (close == nullptr) {
            report(error_kind::unterminated_string, view(p, end), list_key);
            return nullptr;
        }
        const std::string_view text = view(p + 1, close - 1);
        s.source = text;
        if (backslash != nullptr) {
            s.quote = *p;
            const char* bad = escapes::find_bad(backslash, close - 1);
            if (bad != close - 1)
                report(error_kind::bad_escape, std::string_view(bad, bad + 2 <= close - 1 ? 2 : 1), list_key);
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
            if (WLFMT_UNLIKELY(!order.first_time(key))) {
                report(error_kind::duplicate_key, a.key, a.key);
                key = sub_key::extra;
            }
            if (key != sub_key::extra && has(fields, field_of(key)))
                read_known(row_of(s, key), a.value, end, s, problems);
        } while (split.next(a, key));
        s.spaced = split.kind() == separator::comma_space;
        if (!order.plain) s.attributes = oplog::attribute_list::from_text(text, s.spaced);
        return close;
    }

    static bool needs_slow_path(const oplog::operation& r) noexcept {
        return !r.attributes.empty() || r.spaced || r.sub_operations.is_missing() || has_variants_key(r);
    }

    static bool needs_slow_path(const oplog::sub_operation& s) noexcept {
        return !s.attributes.empty() || s.spaced || s.quote != 0 || s.damaged || s.is_text() || has_variants_key(s);
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
