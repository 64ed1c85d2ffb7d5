// Writing rank op logs, byte for byte as the tracer does.
#ifndef WLFMT_DETAIL_OPLOG_WRITE_HPP
#define WLFMT_DETAIL_OPLOG_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "../../oplog.hpp"
#include "../core/out.hpp"
#include "check.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Writes plain text between quotes of one kind: as it is, but for what Python escapes.
template <class Sink>
class quoted_text {
public:
    quoted_text(out<Sink>& to, char quote) noexcept : to_(to), quote_(quote) {}

    WLFMT_INLINE void text(std::string_view s) {
        const char* p = s.data();
        const char* end = p + s.size();
        const char* plain = p;
        for (; p != end; ++p) {
            if (WLFMT_LIKELY(static_cast<unsigned char>(*p) >= 0x20 && *p != '\\' && *p != quote_ && *p != 0x7F))
                continue;
            to_.text(view(plain, p));
            escape(*p);
            plain = p + 1;
        }
        to_.text(view(plain, end));
    }

private:
    WLFMT_COLD void escape(char c) {
        to_.put('\\');
        switch (c) {
        case '\n': return to_.put('n');
        case '\r': return to_.put('r');
        case '\t': return to_.put('t');
        case '\\':
        case '\'':
        case '"': return to_.put(c);
        default: break;
        }
        constexpr std::string_view digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        to_.put('x');
        to_.put(digits[byte >> 4]);
        to_.put(digits[byte & 15]);
    }

    out<Sink>& to_;
    char quote_;
};

// Writes text as it is.
template <class Sink>
class plain_text_to {
public:
    explicit plain_text_to(out<Sink>& to) noexcept : to_(to) {}
    WLFMT_INLINE void text(std::string_view s) { to_.text(s); }

private:
    out<Sink>& to_;
};

// The attributes of one record, each behind its separator.
template <class Sink, class Text>
class attribute_writer {
public:
    attribute_writer(out<Sink>& to, Text text, bool spaced) noexcept : to_(to), text_(text), spaced_(spaced) {}

    void key(std::string_view key) {
        if (!first_) to_.put(',');
        if (!first_ && spaced_) to_.put(' ');
        first_ = false;
        text_.text(key);
        to_.put('=');
    }

    WLFMT_INLINE void value(const number& v) {
        if (WLFMT_UNLIKELY(v.is_text())) return text_.text(v.text());
        to_.value(v);
    }
    WLFMT_INLINE void value(std::string_view v) { text_.text(v); }
    WLFMT_INLINE void value(const oplog::shape& v) {
        if (v.dims() == nullptr) return text_.text(v.text());
        to_.put('[');
        bool first = true;
        for (const std::int64_t dim : v) {
            if (!first) to_.literal(", ");
            first = false;
            to_.integer(dim);
        }
        to_.put(']');
    }

private:
    out<Sink>& to_;
    Text text_;
    bool spaced_;
    bool first_ = true;
};

// The quotes that Python chooses for a string: double ones where it holds a single one and no double one.
class quote_choice {
public:
    void add(std::string_view text) noexcept {
        for (const char c : text) {
            single_ = single_ || c == '\'';
            twice_ = twice_ || c == '"';
        }
    }
    char quote() const noexcept { return single_ && !twice_ ? '"' : '\''; }

private:
    bool single_ = false;
    bool twice_ = false;
};

inline char quote_for(const oplog::sub_operation& s) noexcept {
    quote_choice choice;
    if (s.is_text()) {
        choice.add(s.text);
        return choice.quote();
    }
    visit_attributes(s, [&](std::string_view, const auto& v) { choice.add(text_of(v)); });
    return choice.quote();
}

// The attributes of a record whatever their order; `list` writes the nested one.
template <class Sink, class Text, class Record, class List>
void write_attributes(attribute_writer<Sink, Text> to, const Record& r, List&& list) {
    visit_attributes(r, [&](std::string_view key, const auto& v) {
        if (is_missing(v)) return;
        to.key(key);
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>)
            list(v);
        else
            to.value(v);
    });
}
template <class Sink, class Text>
void write_string(out<Sink>& to, Text text, const oplog::sub_operation& s) {
    if (s.is_text()) return text.text(s.text);
    write_attributes(attribute_writer(to, text, s.spaced), s, [](const auto&) {});
}

// The members of a record, one behind the other, each behind a comma.
template <std::size_t N>
WLFMT_INLINE char* put_member(char* at, const char (&key)[N], std::string_view v) noexcept {
    if (WLFMT_UNLIKELY(wlfmt::is_missing(v))) return at;
    std::memcpy(at, key, N - 1);
    return copy_text(at + (N - 1), v);
}
template <std::size_t N>
WLFMT_INLINE char* put_member(char* at, const char (&key)[N], const number& v) noexcept {
    if (WLFMT_UNLIKELY(v.is_missing())) return at;
    std::memcpy(at, key, N - 1);
    at += N - 1;
    if (WLFMT_LIKELY(v.is_decimal())) return write_repr(at, number_access::decimal(v));
    return v.is_text() ? copy_text(at, v.text()) : write_number(at, v);
}
template <std::size_t N>
WLFMT_INLINE char* put_member(char* at, const char (&key)[N], const oplog::shape& v) noexcept {
    if (v.dims() == nullptr) return put_member(at, key, v.text());
    std::memcpy(at, key, N - 1);
    at += N - 1;
    *at++ = '[';
    const std::int64_t* dim = v.dims();
    const std::int64_t* const end = dim + v.size<kernel>();
    while (dim != end) {
        at = write_integer(at, *dim);
        if (++dim == end) break;
        *at++ = ',';
        *at++ = ' ';
    }
    *at++ = ']';
    return at;
}

// Whether a record's members, written one behind the other, fit into one room.
template <class Sink>
WLFMT_INLINE bool fits_room(std::size_t text, const oplog::shape& dims) noexcept {
    constexpr std::size_t most_text = 384;
    constexpr std::size_t most_dims = 16;
    constexpr std::size_t most_keys = 128;
    constexpr std::size_t most_numbers = 4;
    static_assert(most_text + most_dims * (max_integer_chars + 2) + most_keys + most_numbers * max_repr_chars <=
                  out<Sink>::most_room);
    return text <= most_text && (dims.dims() == nullptr || dims.size() <= most_dims);
}

// A sub-operation of the tracer's own keys whose texts need no escape, written first and looked at then. False, with
// nothing written, where it is another, or too long for that.
template <class Sink>
WLFMT_INLINE bool write_plain_sub_operation(out<Sink>& to, const oplog::sub_operation& s) {
    const std::size_t text = s.trace_src_func.size() + s.duration.text().size() + s.timestamp.text().size() +
                             s.input_shape.text().size() + s.input_dtype.size() + s.func_name.size() + s.group.size() +
                             s.comm_func.size();
    if (WLFMT_UNLIKELY(!fits_room<Sink>(text, s.input_shape) || is_odd(s))) return false;
    char* const begin = to.room(out<Sink>::most_room);
    char* at = begin;
    at = put_member(at, ",trace_src_func=", s.trace_src_func);
    at = put_member(at, ",duration=", s.duration);
    at = put_member(at, ",timestamp=", s.timestamp);
    at = put_member(at, ",input__shape=", s.input_shape);
    at = put_member(at, ",input__dtype=", s.input_dtype);
    at = put_member(at, ",func_name=", s.func_name);
    at = put_member(at, ",group=", s.group);
    at = put_member(at, ",comm_func=", s.comm_func);
    if (WLFMT_UNLIKELY(at == begin || needs_escapes(begin, at))) return false;
    *begin = '\'';  // in the place of the first comma
    *at++ = '\'';
    to.take(at);
    return true;
}

template <class Sink>
WLFMT_INLINE void write_sub_operation(out<Sink>& to, const oplog::sub_operation& s) {
    if (WLFMT_LIKELY(write_plain_sub_operation(to, s))) return;
    if (s.damaged) return to.text(s.text);
    const char quote = s.quote != 0 ? s.quote : quote_for(s);
    to.put(quote);
    if (s.quote != 0)
        write_string(to, plain_text_to<Sink>(to), s);
    else
        write_string(to, quoted_text<Sink>(to, quote), s);
    to.put(quote);
}

template <class Sink>
WLFMT_INLINE void write_list(out<Sink>& to, const oplog::sub_operation_list& list) {
    if (list.is_none()) return to.literal("None");
    to.put('[');
    bool first = true;
    const auto each = [&](const oplog::sub_operation& s) {
        if (!first) to.literal(", ");
        first = false;
        write_sub_operation(to, s);
    };
    if (oplog::access::is_text(list)) {
        for (const oplog::sub_operation& s : list) each(s);
    } else {
        const oplog::sub_operation* const items = oplog::access::items(list);
        const oplog::sub_operation* const end = items + oplog::access::count(list);
        for (const oplog::sub_operation* s = items; s != end; ++s) each(*s);
    }
    to.put(']');
}

// The members of an operation of the tracer's own keys up to its list, and the parenthesis before them. False, with
// nothing written, where it is another, or too long for that.
template <class Sink>
WLFMT_INLINE bool write_plain_members(out<Sink>& to, const oplog::operation& r) {
    const std::size_t text = r.stage_id.text().size() + r.batch_id.text().size() + r.mg_state.size() +
                             r.duration.text().size() + r.description.size() + r.group_kind.size() +
                             r.input_shape.text().size() + r.input_dtype.size() + r.timestamp.text().size();
    if (WLFMT_UNLIKELY(!fits_room<Sink>(text, r.input_shape) || r.spaced || !r.attributes.empty())) return false;
    char* const begin = to.room(out<Sink>::most_room);
    char* at = begin;
    at = put_member(at, ",stage_id=", r.stage_id);
    at = put_member(at, ",batch_id=", r.batch_id);
    at = put_member(at, ",mg_state=", r.mg_state);
    at = put_member(at, ",duration=", r.duration);
    at = put_member(at, ",description=", r.description);
    at = put_member(at, ",group_kind=", r.group_kind);
    at = put_member(at, ",input__shape=", r.input_shape);
    at = put_member(at, ",input__dtype=", r.input_dtype);
    at = put_member(at, ",timestamp=", r.timestamp);
    if (!r.sub_operations.is_missing()) {
        constexpr std::string_view list = ",sub_operations=";
        at = write_bytes(at, list.data(), list.size());
    }
    *begin = '(';  // in the place of the first comma, if there is one
    to.take(at == begin ? begin + 1 : at);
    return true;
}

template <class Sink>
void write_operation(out<Sink>& to, const oplog::operation& r) {
    if (r.origin == oplog::origin::rank)
        to.literal("rank:");
    else
        to.literal("stage:");
    to.integer(r.rank);
    to.put(':');
    to.text(r.op);
    if (WLFMT_LIKELY(write_plain_members(to, r))) {
        if (!r.sub_operations.is_missing()) write_list(to, r.sub_operations);
    } else {
        to.put('(');
        write_attributes(attribute_writer(to, plain_text_to<Sink>(to), r.spaced), r,
                         [&](const oplog::sub_operation_list& list) { write_list(to, list); });
    }
    to.literal(")\n");
}

// Writes the operations [first, last); the error is that of the sink.
template <class Sink>
error write_all(Sink& sink, const oplog::operation* first, const oplog::operation* last) {
    out<Sink> to(sink);
    for (; first != last; ++first) write_operation(to, *first);
    return to.finish() ? error() : sink_error();
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace oplog {
inline namespace WLFMT_IMPL {

template <class Sink>
void write_unchecked(Sink&& sink, const operation& op) {
    static_cast<void>(detail::write_all(sink, &op, &op + 1));
}
template <class Sink>
void write_unchecked(Sink&& sink, const document& doc) {
    static_cast<void>(detail::write_all(sink, doc.operations.data(), doc.operations.data() + doc.operations.size()));
}

template <class Sink>
error write(Sink&& sink, const operation& op) {
    const error e = problem_of(op);
    return e ? e : detail::write_all(sink, &op, &op + 1);
}
template <class Sink>
error write(Sink&& sink, const document& doc) {
    const error e = problem_of(doc);
    return e ? e : detail::write_all(sink, doc.operations.data(), doc.operations.data() + doc.operations.size());
}

template <class Sink>
void write_quoted(Sink&& sink, std::string_view text) {
    using sink_type = std::remove_reference_t<Sink>;
    detail::quote_choice choice;
    choice.add(text);
    const char quote = choice.quote();
    detail::out<sink_type> to(sink);
    to.put(quote);
    detail::quoted_text<sink_type>(to, quote).text(text);
    to.put(quote);
    to.finish();
}

}  // namespace WLFMT_IMPL
}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"
#endif
