// Writing rank op logs, byte for byte as the tracer does.
#ifndef WLFMT_DETAIL_OPLOG_WRITE_HPP
#define WLFMT_DETAIL_OPLOG_WRITE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "../../oplog.hpp"
#include "read.hpp"
#include "../core/out.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

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

// Calls visit(key, member) for each attribute of a record in the order in which it is written. Where the record has a
// list of its attributes that order rules: a known key takes the member's place in it, once, and members that the list
// does not name come before the nested list or last.
template <class Visitor>
void visit_member(const oplog::operation& r, op_key key, std::string_view name, Visitor& visit) {
    switch (key) {
    case op_key::stage_id: return visit(name, r.stage_id);
    case op_key::batch_id: return visit(name, r.batch_id);
    case op_key::mg_state: return visit(name, r.mg_state);
    case op_key::duration: return visit(name, r.duration);
    case op_key::description: return visit(name, r.description);
    case op_key::group_kind: return visit(name, r.group_kind);
    case op_key::input_shape: return visit(name, r.input_shape);
    case op_key::input_dtype: return visit(name, r.input_dtype);
    case op_key::timestamp: return visit(name, r.timestamp);
    case op_key::sub_operations: return visit(name, r.sub_operations);
    case op_key::further: return;
    }
}
template <class Visitor>
void visit_member(const oplog::sub_operation& s, sub_key key, std::string_view name, Visitor& visit) {
    switch (key) {
    case sub_key::trace_src_func: return visit(name, s.trace_src_func);
    case sub_key::duration: return visit(name, s.duration);
    case sub_key::timestamp: return visit(name, s.timestamp);
    case sub_key::input_shape: return visit(name, s.input_shape);
    case sub_key::input_dtype: return visit(name, s.input_dtype);
    case sub_key::func_name: return visit(name, s.func_name);
    case sub_key::group: return visit(name, s.group);
    case sub_key::comm_func: return visit(name, s.comm_func);
    case sub_key::further: return;
    }
}

inline constexpr std::string_view op_key_names[] = {"stage_id",    "batch_id",      "mg_state",     "duration",
                                                    "description", "group_kind",    "input__shape", "input__dtype",
                                                    "timestamp",   "sub_operations"};
inline constexpr std::string_view sub_key_names[] = {"trace_src_func", "duration",  "timestamp", "input__shape",
                                                     "input__dtype",   "func_name", "group",     "comm_func"};

// The key of that name, `further` where it is none of these.
template <class Key, std::size_t N>
Key key_among(const std::string_view (&names)[N], std::string_view name) noexcept {
    static_assert(static_cast<std::size_t>(Key::further) == N, "the names are those of the keys");
    std::size_t n = 0;
    while (n != N && names[n] != name) ++n;
    return static_cast<Key>(n);
}
inline op_key key_of(const oplog::operation&, std::string_view name) noexcept {
    if (is_other_name(name)) return name == "stage" ? op_key::mg_state : op_key::timestamp;
    return key_among<op_key>(op_key_names, name);
}
inline sub_key key_of(const oplog::sub_operation&, std::string_view name) noexcept {
    return key_among<sub_key>(sub_key_names, name);
}

template <class Record, class Key, std::size_t N, class Visitor>
void visit_attributes(const Record& r, const std::string_view (&key_names)[N], Key further, Visitor&& visit) {
    unsigned listed = 0;
    for (const oplog::attribute& a : r.attributes) {
        const Key key = key_of(r, a.key);
        if (key != further) listed |= 1U << static_cast<unsigned>(key);
    }
    const auto others = [&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n)
            if ((listed & (1U << n)) == 0) visit_member(r, static_cast<Key>(n), key_names[n], visit);
    };
    unsigned written = 0;
    bool others_written = false;
    for (const oplog::attribute& a : r.attributes) {
        const Key key = key_of(r, a.key);
        const unsigned bit = 1U << static_cast<unsigned>(key);
        if (key == further || (written & bit) != 0) {
            visit(a.key, a.value);
            continue;
        }
        if (key_names[static_cast<unsigned>(key)] == list_key) {
            others(0, N);
            others_written = true;
        }
        written |= bit;
        visit_member(r, key, a.key, visit);
    }
    if (!others_written) others(0, N);
}

// Whether a member is there, and what it holds as text: nothing where it is a value.
inline bool is_missing(std::string_view v) noexcept { return oplog::missing(v); }
template <class Member>
bool is_missing(const Member& v) noexcept {
    return v.missing();
}
inline std::string_view text_of(std::string_view v) noexcept { return v; }
template <class Member>
std::string_view text_of(const Member& v) noexcept {
    return v.text();
}

// For records with a list of their attributes, and for whoever wants them one by one.
template <class Visitor>
void visit_attributes(const oplog::operation& r, Visitor&& visit) {
    visit_attributes(r, op_key_names, op_key::further, visit);
}
template <class Visitor>
void visit_attributes(const oplog::sub_operation& s, Visitor&& visit) {
    visit_attributes(s, sub_key_names, sub_key::further, visit);
}

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
    if (WLFMT_UNLIKELY(oplog::missing(v))) return at;
    std::memcpy(at, key, N - 1);
    return copy_text(at + (N - 1), v);
}
template <std::size_t N>
WLFMT_INLINE char* put_member(char* at, const char (&key)[N], const number& v) noexcept {
    if (WLFMT_UNLIKELY(v.missing())) return at;
    std::memcpy(at, key, N - 1);
    at += N - 1;
    if (WLFMT_LIKELY(v.is_decimal())) return write_repr(at, v);
    return v.is_text() ? copy_text(at, v.text()) : write_number(at, v);
}
template <std::size_t N>
WLFMT_INLINE char* put_member(char* at, const char (&key)[N], const oplog::shape& v) noexcept {
    if (v.dims() == nullptr) return put_member(at, key, v.text());
    std::memcpy(at, key, N - 1);
    at += N - 1;
    *at++ = '[';
    const std::int64_t* dim = v.dims();
    const std::int64_t* const end = dim + v.size();
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
    for (const oplog::sub_operation& s : list) {
        if (!first) to.literal(", ");
        first = false;
        write_sub_operation(to, s);
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
    if (!r.sub_operations.missing()) {
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
        if (!r.sub_operations.missing()) write_list(to, r.sub_operations);
    } else {
        to.put('(');
        write_attributes(attribute_writer(to, plain_text_to<Sink>(to), r.spaced), r,
                         [&](const oplog::sub_operation_list& list) { write_list(to, list); });
    }
    to.literal(")\n");
}

inline bool is_key(std::string_view k) noexcept {
    return !k.empty() && is_name_start(k[0]) &&
           std::all_of(k.begin(), k.end(), [](char c) { return is_name(c) || c == '.'; });
}

// Do the attributes of a record read back, in the order in which they are written? Each check has its reason in how
// records are read.
class writable {
public:
    explicit writable(bool spaced) noexcept : kind_(spaced ? separator::comma_space : separator::comma) {}

    // No known key a second time, be it that of a missing member.
    template <class Key>
    bool once(Key known) noexcept {
        return known == Key::further || seen_.first_time(known);
    }
    // No separator with a key behind it. The first attribute's separator decides for all, so its value may hold neither
    // of the two kinds.
    bool value(std::string_view v) noexcept {
        value_scan<any_key> scan(first_ ? separator::undecided : kind_);
        first_ = false;
        return v.empty() || scan.stop(v.data(), v.data() + v.size()) == v.data() + v.size();
    }
    bool value(const oplog::shape& s) noexcept { return value(s.text()); }
    bool value(const number& n, numeric what) noexcept {
        first_ = false;
        if (n.is_text()) return what == numeric::duration && n.text() == not_measured;
        return what != numeric::index || !n.is_decimal();
    }
    bool value(const number& n, op_key known) noexcept {
        const bool index = known == op_key::stage_id || known == op_key::batch_id;
        return value(n, index ? numeric::index : known == op_key::duration ? numeric::duration : numeric::time);
    }
    bool value(const number& n, sub_key known) noexcept {
        return value(n, known == sub_key::duration ? numeric::duration : numeric::time);
    }
    // What is no number, whatever its key.
    template <class Value, class Key>
    bool value(const Value& v, Key) noexcept {
        return value(v);
    }
    // The list of sub-operations, which is skipped as a whole: the separator that decides is the one behind it.
    void list() noexcept { first_ = false; }

private:
    separator kind_;
    bool first_ = true;
    key_order seen_;
};

// Written with its escapes in place, the string must end where its quote says, and Python must be able to read it.
// `open`: the text ends with a backslash that takes what follows it.
inline bool is_closed(std::string_view escaped, char quote, bool& open) noexcept {
    open = false;
    if (escaped.find('\n') != std::string_view::npos) return false;
    for (std::size_t at = 0; at < escaped.size(); ++at) {
        if (escaped[at] == quote) return false;
        if (escaped[at] == '\\') open = ++at == escaped.size();
    }
    const char* end = escaped.data() + escaped.size() - static_cast<std::size_t>(open);
    return find_bad_escape(escaped.data(), end) == end;
}

// Does a nested operation read back? Else `field` is the first that does not.
inline bool reads_back(const oplog::sub_operation& s, std::string_view& field) noexcept {
    field = "sub_operations.quote";
    if (s.quote != 0 && s.quote != '\'' && s.quote != '"') return false;
    // A plain text may hold any byte: it is escaped when it is written.
    bool open = false;
    const auto whole = [&](std::string_view v) { return s.quote == 0 || is_closed(v, s.quote, open); };
    field = "sub_operations.text";
    if (s.is_text())
        return behind_key(s.text.data(), s.text.data() + s.text.size()) == nullptr && whole(s.text) && !open;
    writable check(s.spaced);
    bool any = false;
    bool good = true;
    visit_attributes(s, [&](std::string_view key, const auto& v) {
        if (!good) return;
        const sub_key known = key_of(s, key);
        good = check.once(known);
        if (good && is_missing(v)) return;
        any = true;
        field = key;
        // A key of that name is read as a list, whose end this value need not have.
        const bool list = key == list_key && text_of(v).substr(0, 1) == "[";
        good = good && is_key(key) && !list && check.value(v, known) && whole(text_of(v));
    });
    // Behind all but the last a comma follows.
    return any && good && !open;
}

}  // namespace detail

namespace oplog {

inline error problem_of(const operation& op) noexcept {
    error e;
    const auto unwritable = [&](std::string_view field) {
        e.what = error_kind::unwritable;
        e.field = field;
        return e;
    };
    if (op.rank < 0) return unwritable(op.origin == origin::rank ? "rank" : "stage");
    if (!detail::is_key(op.op) || op.op.find('.') != std::string_view::npos) return unwritable("op");

    detail::writable check(op.spaced);
    bool good = true;
    bool list = false;
    std::string_view behind_list;
    detail::visit_attributes(op, [&](std::string_view key, const auto& v) {
        using value = std::decay_t<decltype(v)>;
        if (!good) return;
        std::string_view field = key;
        const detail::op_key known = detail::key_of(op, key);
        good = check.once(known);
        if (good && detail::is_missing(v)) return;
        good = good && detail::is_key(key);
        if constexpr (std::is_same_v<value, sub_operation_list>) {
            check.list();
            list = !v.is_none();
            for (const sub_operation& s : v) good = good && detail::reads_back(s, field);
        } else {
            const std::string_view text = detail::text_of(v);
            behind_list = list ? text : std::string_view();
            good = good && text.find('\n') == std::string_view::npos;
            good = check.value(v, known) && good;
        }
        if (!good) unwritable(field);
    });
    // A line that ends as a list of strings does is taken to end with its sub-operations.
    if (good && behind_list.size() >= 2 && behind_list.back() == ']') {
        const char before = behind_list[behind_list.size() - 2];
        if (before == '\'' || before == '"') unwritable("sub_operations");
    }
    return e;
}

template <class Sink>
void write(Sink& sink, const operation& op) {
    detail::out<Sink> to(sink);
    detail::write_operation(to, op);
    to.finish();
}

template <class Sink>
void write(Sink& sink, const document& doc) {
    detail::out<Sink> to(sink);
    for (const operation& op : doc.operations) detail::write_operation(to, op);
    to.finish();
}

template <class Sink>
void write_quoted(Sink& sink, std::string_view text) {
    detail::quote_choice choice;
    choice.add(text);
    const char quote = choice.quote();
    detail::out<Sink> to(sink);
    to.put(quote);
    detail::quoted_text<Sink>(to, quote).text(text);
    to.put(quote);
    to.finish();
}

}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"
#endif
