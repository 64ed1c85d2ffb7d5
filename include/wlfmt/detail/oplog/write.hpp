// Writing rank op logs, byte for byte as the tracer does, and checking whether they read back: attribute by attribute,
// for the records that a quick look at what was written does not prove good.
#ifndef WLFMT_DETAIL_OPLOG_WRITE_HPP
#define WLFMT_DETAIL_OPLOG_WRITE_HPP

#include "../../types/oplog.hpp"
#include "../base/escapes.hpp"
#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "find.hpp"
#include "paths.hpp"
#include "reader.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Checks the values of a record in the order in which they are written. Each check follows from how records are read.
template <class Build> class basic_value_check {
public:
    explicit basic_value_check(bool spaced) noexcept : kind_(spaced ? separator::comma_space : separator::comma) {}

    // A value may not hold a separator with a key after it. The first separator in a record decides which kind it has,
    // so the value before it may hold neither kind.
    bool reads_back(std::string_view v, numeric) noexcept {
        value_scan<no_known_key> scan(std::exchange(first_, false) ? separator::undecided : kind_);
        return v.empty() || scan.stop(v.data(), v.data() + v.size()) == v.data() + v.size();
    }
    bool reads_back(const oplog::shape& s, numeric holds) noexcept { return reads_back(s.text(), holds); }
    bool reads_back(const number& n, numeric holds) noexcept {
        first_ = false;
        if (n.is_text()) return holds == numeric::duration && n.text() == not_measured;
        return holds != numeric::index || !n.is_decimal();
    }
    // The list is skipped as a whole: only the separator after it can be the first one.
    bool reads_back(const oplog::sub_operation_list&, numeric) noexcept {
        first_ = false;
        return true;
    }

private:
    separator kind_;
    bool first_ = true;
};

// Finds what keeps an operation from reading back: implements problem_of().
template <class Build> struct oplog_check {
    static bool is_key(std::string_view k) noexcept {
        if (k.empty() || !is_name_start(k[0])) return false;
        for (const char c : k)
            if (!is_name(c) && c != '.') return false;
        return true;
    }

    // Checks the attributes of a record one by one; `field` is the first that does not read back. `is_good(key, value)`
    // checks what only this kind of record asks for.
    template <class Record, class Check>
    static bool attributes_read_back(const Record& r, std::string_view& field, Check&& is_good) noexcept {
        basic_value_check<Build> values(r.spaced);
        key_order seen;
        bool good = true;
        visit_attributes(r, [&](std::string_view key, const auto& v) {
            if (!good) return;
            const auto known = key_of(r, key);
            const bool further = known == key_of_record<Record>::extra;
            // A known key may not come twice, not even after the key of a missing member.
            const bool once = further || seen.first_time(known);
            if (wlfmt::is_missing(v)) return;
            field = key;
            good = once && is_key(key) && values.reads_back(v, further ? numeric::time : row_of(r, known).holds) &&
                   is_good(key, v);
        });
        return good;
    }

    // Written with its escapes in place, the string must end where its quote says, and Python must be able to read it.
    // `open`: the text ends with an unpaired backslash.
    static bool is_closed(std::string_view escaped, char quote, bool& open) noexcept {
        open = false;
        if (escaped.find('\n') != std::string_view::npos) return false;
        for (std::size_t at = 0; at < escaped.size(); ++at) {
            if (escaped[at] == quote) return false;
            if (escaped[at] == '\\') open = ++at == escaped.size();
        }
        const char* end = escaped.data() + escaped.size() - static_cast<std::size_t>(open);
        return escapes::find_bad(escaped.data(), end) == end;
    }

    // Does a nested operation read back? If not, `field` is the first member that does not.
    static bool reads_back(const oplog::sub_operation& s, std::string_view& field) noexcept {
        field = "sub_operations";
        if (s.damaged) return false;
        field = "sub_operations.quote";
        if (s.quote != 0 && s.quote != '\'' && s.quote != '"') return false;
        // A plain text may hold any byte: it is escaped when it is written.
        bool open = false;
        const auto whole = [&](std::string_view v) { return s.quote == 0 || is_closed(v, s.quote, open); };
        field = "sub_operations.text";
        if (s.is_text())
            return after_key(s.text.data(), s.text.data() + s.text.size()) == nullptr && whole(s.text) && !open;
        bool any = false;
        const bool good = attributes_read_back(s, field, [&](std::string_view key, const auto& v) {
            any = true;
            // After that key a value that begins with `[` is read as a list, and this one may not have a list's end.
            const bool list = key == list_key && text_of(v).substr(0, 1) == "[";
            return !list && whole(text_of(v));
        });
        // A comma follows every attribute but the last.
        return any && good && !open;
    }

    // Do all nested operations read back? A list in which read() found no problem does.
    static bool reads_back(const oplog::sub_operation_list& list, std::string_view& field) noexcept {
        if (oplog_access<build>::is_text(list) && oplog_access<build>::is_checked(list)) return true;
        for (const oplog::sub_operation& s : list)
            if (!reads_back(s, field)) return false;
        return true;
    }

    // A rank that is not negative, and an operation's name.
    WLFMT_INLINE static bool has_good_head(const oplog::operation& op) noexcept {
        const std::string_view name = op.op;
        if (op.rank < 0 || name.empty() || !is_name_start(name[0])) return false;
        const char* const end = name.data() + name.size();
        const char* const p = after_name(name.data() + 1, end);
        return WLFMT_LIKELY(p == end) || oplog_split<build>::after_operation_name(p, end) == end;
    }

    static bool reads_back(const oplog::operation& op, std::string_view& field) noexcept {
        bool list = false;
        std::string_view after_list;
        const bool good = attributes_read_back(op, field, [&](std::string_view, const auto& v) {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>) {
                list = !v.is_none();
                return reads_back(v, field);
            } else {
                after_list = list ? text_of(v) : std::string_view();
                return text_of(v).find('\n') == std::string_view::npos;
            }
        });
        if (!good) return false;
        // If a line ends as a list of strings does, readers take that for the end of its sub-operations.
        field = list_key;
        const std::size_t size = after_list.size();
        return size < 2 || after_list[size - 1] != ']' || (after_list[size - 2] != '\'' && after_list[size - 2] != '"');
    }

    static error problem_of(const oplog::sub_operation& sub) noexcept {
        std::string_view field;
        return reads_back(sub, field) ? error() : unwritable(field);
    }
    static error problem_of(const oplog::operation& op) noexcept {
        if (op.rank < 0) return unwritable(name_of(op.origin));
        if (!has_good_head(op)) return unwritable("op");
        std::string_view field;
        return reads_back(op, field) ? error() : unwritable(field);
    }
    static error problem_of(const oplog::document& doc) noexcept {
        for (const oplog::operation& op : doc.operations) {
            const error e = problem_of(op);
            if (e) return in_document(e, static_cast<std::size_t>(&op - doc.operations.data()));
        }
        return {};
    }
};

// Remembers which bytes are in the texts of a record that is being written: the bytes C and, with `Controls`, control
// characters; with `Equals` also equals signs, which are kept apart. Reads no byte outside the texts.
template <bool Controls, bool Equals, char... C> class text_marks {
public:
    // Looks at a text of Bytes to 2 * Bytes bytes.
    template <std::size_t Bytes> WLFMT_INLINE void add_ends(const char* text, std::size_t size) noexcept {
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
        const char* const tail = text + size - Bytes;
        if constexpr (Bytes > block::size) {
            for (std::size_t n = 0; n != Bytes; n += block::size) {
                add(block(text + n));
                add(block(tail + n));
            }
        } else if constexpr (Bytes == block::size) {
            add(block(text));
            add(block(tail));
        } else {
            add(block::of_ends<Bytes>(text, tail));
        }
#else
        add_text(text, size);
#endif
    }
    // Looks at a text that is not empty, byte by byte if it is shorter than a block.
    WLFMT_INLINE void add_text(const char* text, std::size_t size) noexcept {
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
        if (WLFMT_LIKELY(size > block::size)) {
            const char* const last = text + size - block::size;
            for (; text < last; text += block::size) add(block(text));
            return add(block(last));
        }
        for (const char* const end = text + size; text != end; ++text) add(block::of(*text));
#else
        for (const char* const end = text + size; text != end; ++text) {
            found_ = found_ || (Controls && static_cast<unsigned char>(*text) <= last_control) || ((*text == C) || ...);
            equals_ = equals_ || *text == '=';
        }
#endif
    }

#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
    WLFMT_INLINE bool found() const noexcept {
        return block::mask(Controls ? block::either(found_.bytes, least_.up_to(last_control)) : found_.bytes) != 0;
    }
    WLFMT_INLINE bool has_equals() const noexcept { return block::mask(equals_.bytes) != 0; }

private:
    WLFMT_INLINE void add(const block& b) noexcept {
        if constexpr (Controls) least_.keep_least(b);
        found_.bytes = block::either(found_.bytes, bytes_of<C...>::hits(b));
        if constexpr (Equals) equals_.bytes = block::either(equals_.bytes, b.is('='));
    }
    block least_ = block::of('\xff');
    block found_ = block::none();
    block equals_ = block::none();
#else
    bool found() const noexcept { return found_; }
    bool has_equals() const noexcept { return equals_; }

private:
    bool found_ = false;
    bool equals_ = false;
#endif
    static constexpr char last_control = 0x1F;
};

// Writes plain text between quotes of one kind, with the escapes that Python writes; unchanged if `quote` is 0.
template <class Sink> class escaped_text {
public:
    escaped_text(out<Sink>& to, char quote) noexcept : to_(to), quote_(quote) {}

    WLFMT_INLINE void text(std::string_view s) {
        if (quote_ == 0) return to_.text(s);
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
        constexpr std::string_view plain = "\n\r\t\\'\""sv;
        constexpr std::string_view escaped = "nrt\\'\""sv;
        const std::size_t at = plain.find(c);
        if (at != std::string_view::npos) return to_.put(escaped[at]);
        constexpr std::string_view digits = "0123456789abcdef"sv;
        const auto byte = static_cast<unsigned char>(c);
        to_.put('x');
        to_.put(digits[byte >> 4]);
        to_.put(digits[byte & 15]);
    }

    out<Sink>& to_;
    char quote_;
};

// The attributes of one record, each after its separator. `quote` is that of the string that they are in, or 0 if their
// texts are written as they are.
template <class Sink> class attribute_writer {
public:
    attribute_writer(out<Sink>& to, char quote, bool spaced) noexcept : to_(to), text_(to, quote), spaced_(spaced) {}

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
        to_.integers(v.dims(), v.size());
    }

private:
    out<Sink>& to_;
    escaped_text<Sink> text_;
    bool spaced_;
    bool first_ = true;
};

// Chooses the quotes as Python does: double quotes for a string that holds a single quote and no double quote.
template <class Build> class basic_quote_choice {
public:
    void add(std::string_view text) noexcept {
        for (const char c : text) {
            has_single_quote_ = has_single_quote_ || c == '\'';
            has_double_quote_ = has_double_quote_ || c == '"';
        }
    }
    char quote() const noexcept { return has_single_quote_ && !has_double_quote_ ? '"' : '\''; }

private:
    bool has_single_quote_ = false;
    bool has_double_quote_ = false;
};
using quote_choice = basic_quote_choice<build>;

template <class Build = build> inline char quote_for(const oplog::sub_operation& s) noexcept {
    quote_choice choice;
    if (s.is_text()) choice.add(s.text);
    else visit_attributes(s, [&](std::string_view, const auto& v) { choice.add(text_of(v)); });
    return choice.quote();
}

// The attributes of a record whatever their order; `list` writes the nested one.
template <class Sink, class Record, class List>
void write_attributes(attribute_writer<Sink> to, const Record& r, List&& list) {
    visit_attributes(r, [&](std::string_view key, const auto& v) {
        if (is_missing(v)) return;
        to.key(key);
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>) list(v);
        else to.value(v);
    });
}

// Writes the members of a record one after the other, each after a comma, and looks at their texts.
template <class Marks> struct member_writer {
    char* const begin;
    char* at;
    Marks marks;
    bool has_text_number = false;  // in the place of a number

    explicit member_writer(char* to) noexcept : begin(to), at(to) {}

    template <std::size_t N> WLFMT_INLINE void put(const char (&key)[N], std::string_view v) noexcept {
        if (WLFMT_UNLIKELY(wlfmt::is_missing(v))) return;
        put_key(key);
        put_text(v);
    }
    template <std::size_t N> WLFMT_INLINE void put(const char (&key)[N], const number& v) noexcept {
        if (WLFMT_UNLIKELY(v.is_missing())) return;
        put_key(key);
        if (WLFMT_LIKELY(v.is_decimal())) at = write_repr(at, number_access::decimal(v));
        else if (v.is_text()) put_text_number(v.text());
        else at = write_number(at, v);
    }
    template <std::size_t N> WLFMT_INLINE void put(const char (&key)[N], const oplog::shape& v) noexcept {
        if (v.dims() == nullptr) return put(key, v.text());
        put_key(key);
        *at++ = '[';
        const std::int64_t* dim = v.dims();
        const std::int64_t* const end = dim + oplog_access<build>::dim_count(v);
        while (dim != end) {
            at = write_integer(at, *dim);
            if (++dim == end) break;
            *at++ = ',';
            *at++ = ' ';
        }
        *at++ = ']';
    }

private:
    template <std::size_t N> WLFMT_INLINE void put_key(const char (&key)[N]) noexcept {
        std::memcpy(at, key, N - 1);
        at += N - 1;
    }
    WLFMT_INLINE void put_text(std::string_view v) noexcept { at = copy_text(at, v, marks); }
    WLFMT_INLINE void put_text_number(std::string_view v) noexcept {
        has_text_number = true;
        put_text(v);
    }
};
// Whether a record's members, written one after the other, fit into one room.
template <class Sink> WLFMT_INLINE bool fits_room(std::size_t text, const oplog::shape& dims) noexcept {
    constexpr std::size_t most_text = 384;
    constexpr std::size_t most_dims = 16;
    constexpr std::size_t most_keys = 128;
    constexpr std::size_t most_numbers = 4;
    static_assert(most_text + most_dims * (max_integer_chars + 2) + most_keys + most_numbers * max_repr_chars <=
                  out<Sink>::most_room);
    return text <= most_text && (dims.dims() == nullptr || oplog_access<build>::dim_count(dims) <= most_dims);
}

// Checking while writing: a record with the tracer's own keys is written as a sequence of `,key=value`. When it is
// read, a value ends early only if it holds a `key=`, so the record reads back if its texts hold no equals sign and its
// numbers are of their fields' kinds.
//
// What the fast path did with a record. none: it wrote nothing, as the slow path must write this one; good: it
// wrote the record, which is known to read back; to_check: it wrote the record, which must still be checked.
enum class plain_writing : std::uint8_t { none, good, to_check };

// A sub-operation of the tracer's own keys whose texts need no escape, written first and looked at then.
template <bool Checked, class Sink>
WLFMT_INLINE plain_writing write_plain_sub_operation(out<Sink>& to, const oplog::sub_operation& s) {
    const std::size_t text = s.trace_src_func.size() + s.duration.text().size() + s.timestamp.text().size() +
                             s.input_shape.text().size() + s.input_dtype.size() + s.func_name.size() + s.group.size() +
                             s.comm_func.size();
    if (WLFMT_UNLIKELY(!fits_room<Sink>(text, s.input_shape) || oplog_slow<build>::needs_slow_path(s)))
        return plain_writing::none;
    // The bytes that Python escapes in a string between single quotes.
    member_writer<text_marks<true, Checked, '\'', '\\', '\x7F'>> members(to.room(out<Sink>::most_room));
    members.put(",trace_src_func=", s.trace_src_func);
    members.put(",duration=", s.duration);
    members.put(",timestamp=", s.timestamp);
    members.put(",input__shape=", s.input_shape);
    members.put(",input__dtype=", s.input_dtype);
    members.put(",func_name=", s.func_name);
    members.put(",group=", s.group);
    members.put(",comm_func=", s.comm_func);
    if (WLFMT_UNLIKELY(members.at == members.begin || members.marks.found())) return plain_writing::none;
    const bool good = !Checked || (!members.marks.has_equals() && !members.has_text_number);
    *members.begin = '\'';  // in the place of the first comma
    *members.at++ = '\'';
    to.take(members.at);
    return good ? plain_writing::good : plain_writing::to_check;
}

// Writes what the fast path has left. Returns true if the operation reads back, or is not to be checked.
template <bool Checked, class Sink>
WLFMT_COLD bool write_other_sub_operation(out<Sink>& to, const oplog::sub_operation& s, plain_writing plain) {
    if (plain == plain_writing::none) {
        if (s.damaged) {
            to.text(s.text);
        } else {
            const char quote = s.quote != 0 ? s.quote : quote_for(s);
            // The texts of a record that has a quote hold their escapes.
            const char escaped_for = s.quote != 0 ? '\0' : quote;
            to.put(quote);
            if (s.is_text()) escaped_text<Sink>(to, escaped_for).text(s.text);
            else write_attributes(attribute_writer<Sink>(to, escaped_for, s.spaced), s, [](const auto&) {});
            to.put(quote);
        }
    }
    std::string_view field;
    return !Checked || oplog_check<build>::reads_back(s, field);
}

// The operations of a list in a range, each after its separator.
template <bool Checked, class Sink, class Iterator, class End>
WLFMT_INLINE bool write_sub_operations(out<Sink>& to, Iterator at, End end) {
    bool good = true;
    bool first = true;
    for (; at != end; ++at) {
        if (!first) to.literal(", ");
        first = false;
        const oplog::sub_operation& s = *at;
        const plain_writing plain = write_plain_sub_operation<Checked>(to, s);
        if (WLFMT_UNLIKELY(plain != plain_writing::good) && !write_other_sub_operation<Checked>(to, s, plain))
            good = false;
    }
    return good;
}
template <bool Checked, class Sink> WLFMT_INLINE bool write_list(out<Sink>& to, const oplog::sub_operation_list& list) {
    using access = oplog_access<build>;
    if (list.is_none()) {
        to.literal("None");
        return true;
    }
    bool good = true;
    to.put('[');
    if (!access::is_text(list)) {
        const oplog::sub_operation* const items = access::items(list);
        good = write_sub_operations<Checked>(to, items, items + access::count(list));
    } else if (Checked && !access::is_checked(list)) {
        good = write_sub_operations<Checked>(to, list.begin<build>(), list.end<build>());
    } else if (!list.empty()) {
        write_sub_operations<false>(to, list.begin<build>(), list.end<build>());
    }
    to.put(']');
    return good;
}

// The members of an operation of the tracer's own keys up to its list, and the parenthesis before them.
template <bool Checked, class Sink>
WLFMT_INLINE plain_writing write_plain_members(out<Sink>& to, const oplog::operation& r) {
    const std::size_t text = r.stage_id.text().size() + r.batch_id.text().size() + r.mg_state.size() +
                             r.duration.text().size() + r.description.size() + r.group_kind.size() +
                             r.input_shape.text().size() + r.input_dtype.size() + r.timestamp.text().size();
    if (WLFMT_UNLIKELY(!fits_room<Sink>(text, r.input_shape) || r.spaced || !r.attributes.empty() ||
                       has_variants_key(r)))
        return plain_writing::none;
    using marks = std::conditional_t<Checked, text_marks<false, true, '\n'>, no_marks>;
    member_writer<marks> members(to.room(out<Sink>::most_room));
    members.put(",stage_id=", r.stage_id);
    members.put(",batch_id=", r.batch_id);
    members.put(",mg_state=", r.mg_state);
    members.put(",duration=", r.duration);
    members.put(",description=", r.description);
    members.put(",group_kind=", r.group_kind);
    members.put(",input__shape=", r.input_shape);
    members.put(",input__dtype=", r.input_dtype);
    members.put(",timestamp=", r.timestamp);
    bool good = true;
    if constexpr (Checked)
        good = !members.marks.found() && !members.marks.has_equals() && !members.has_text_number &&
               !r.stage_id.is_decimal() && !r.batch_id.is_decimal();
    char* at = members.at;
    if (!r.sub_operations.is_missing()) {
        constexpr std::string_view list = ",sub_operations="sv;
        at = write_bytes(at, list.data(), list.size());
    }
    *members.begin = '(';  // in the place of the first comma, if there is one
    to.take(at == members.begin ? at + 1 : at);
    return good ? plain_writing::good : plain_writing::to_check;
}

// True where the operation reads back, or is not to be checked.
template <bool Checked, class Sink> bool write_operation(out<Sink>& to, const oplog::operation& r) {
    if (r.origin == oplog::origin::rank) to.literal("rank:");
    else to.literal("stage:");
    to.integer(r.rank);
    to.put(':');
    to.text(r.op);
    bool good = true;
    const plain_writing plain = write_plain_members<Checked>(to, r);
    if (WLFMT_LIKELY(plain != plain_writing::none)) {
        if (!r.sub_operations.is_missing()) good = write_list<Checked>(to, r.sub_operations);
    } else {
        to.put('(');
        write_attributes(attribute_writer<Sink>(to, '\0', r.spaced), r,
                         [&](const oplog::sub_operation_list& list) { write_list<false>(to, list); });
    }
    to.literal(")\n");
    if (!Checked) return true;
    if (WLFMT_LIKELY(plain == plain_writing::good)) return good && oplog_check<build>::has_good_head(r);
    return good && !oplog_check<build>::problem_of(r);
}

// Writes operations one after the other. If they are checked, the first that does not read back is the last that is
// written, and the error has its position.
template <bool Checked, class Sink>
error write_operations(Sink& sink, const oplog::operation* operations, std::size_t count) {
    out<Sink> to(sink);
    for (std::size_t n = 0; n != count; ++n)
        if (WLFMT_UNLIKELY(!(write_operation<Checked>(to, operations[n]))))
            return in_document(oplog_check<build>::problem_of(operations[n]), n);
    return to.finish() ? error() : sink_error();
}

// Writes all operations, or nothing if one of them would not read back. Operations are checked while they are written,
// which takes far less than to check them alone: from a string they are removed again, and for any other sink they are
// first written to nowhere.
template <class Sink> error write_checked(Sink& sink, const oplog::operation* operations, std::size_t count) {
    if constexpr (can_take_back<Sink>) {
        const std::size_t size = sink.size();
        const error e = write_operations<true>(sink, operations, count);
        if (WLFMT_UNLIKELY(e.kind == error_kind::unwritable)) sink.resize(size);
        return e;
    } else {
        no_sink nowhere;
        const error e = write_operations<true>(nowhere, operations, count);
        return e ? e : write_operations<false>(sink, operations, count);
    }
}

// Writes a text between quotes, as Python's repr() does.
template <class Sink> void put_quoted(Sink& sink, std::string_view text) {
    quote_choice choice;
    choice.add(text);
    const char quote = choice.quote();
    out<Sink> to(sink);
    to.put(quote);
    escaped_text<Sink>(to, quote).text(text);
    to.put(quote);
    to.finish();
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
