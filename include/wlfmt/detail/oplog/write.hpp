// Writes rank op logs byte for byte as the tracer does, and checks whether they read back.
#ifndef WLFMT_DETAIL_OPLOG_WRITE_HPP
#define WLFMT_DETAIL_OPLOG_WRITE_HPP

#include "../base/escapes.hpp"
#include "../io/out.hpp"
#include "find.hpp"
#include "paths.hpp"
#include "reader.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Finds what keeps an operation from reading back, for problem_of(). The checks mirror how records are read.
struct oplog_check {
    static bool is_key(std::string_view k) noexcept {
        if (k.empty() || !is_name_start(k[0])) return false;
        for (const char c : k)
            if (!is_name(c) && c != '.') return false;
        return true;
    }

    // Whether a value reads back whole: a number must be of the kind that its key holds, and a text must not have a
    // separator of this kind (of either, if undecided) before a key. Readers skip lists as a whole.
    template <class Member> static bool is_whole(const Member& v, numeric holds, separator kind) noexcept {
        if constexpr (std::is_same_v<Member, number>) {
            if (v.is_text()) return holds == numeric::duration && v.text() == not_measured;
            return holds != numeric::index || !v.is_decimal();
        } else if constexpr (std::is_same_v<Member, oplog::sub_operation_list>) {
            return true;
        } else {
            const std::string_view text = text_of(v);
            const char* const end = text.data() + text.size();
            return value_scan<no_known_key>(kind).stop(text.data(), end) == end;
        }
    }

    // Sets `field` to the first attribute that does not read back. is_good(key, value) checks this kind of record.
    template <class Record, class Check>
    static bool attributes_read_back(const Record& r, std::string_view& field, Check&& is_good) noexcept {
        key_order seen;
        separator kind = separator::undecided;
        bool good = true;
        visit_attributes(r, [&](std::string_view key, const auto& v) {
            if (!good) return;
            const auto known = key_of(r, key);
            const bool further = known == key_of_record<Record>::extra;
            // A known key must not occur twice, even if its member is missing.
            const bool once = seen.first_time(known);
            if (wlfmt::is_missing(v)) return;
            field = key.empty() ? "attributes"sv : key;
            const numeric holds = further ? numeric::time : row_of(r, known).holds;
            good = once && is_key(key) && is_whole(v, holds, kind) && is_good(key, v);
            kind = r.spaced ? separator::comma_space : separator::comma;
        });
        return good;
    }

    // Whether a text with escapes is one whole Python string between these quotes, apart from an unpaired backslash at
    // its end, for which this sets `ends_in_backslash`.
    static bool is_closed(std::string_view escaped, char quote, bool& ends_in_backslash) noexcept {
        ends_in_backslash = false;
        if (escaped.find('\n') != std::string_view::npos) return false;
        for (std::size_t at = 0; at < escaped.size(); ++at) {
            if (escaped[at] == quote) return false;
            if (escaped[at] != '\\') continue;
            ++at;
            ends_in_backslash = at == escaped.size();
        }
        const char* end = escaped.data() + escaped.size() - static_cast<std::size_t>(ends_in_backslash);
        return escapes::find_bad(escaped.data(), end) == end;
    }

    // Whether a nested operation reads back. If not, `field` is the first member that does not.
    static bool reads_back(const oplog::sub_operation& s, std::string_view& field) noexcept {
        field = "sub_operations";
        if (s.damaged) return false;
        field = "sub_operations.quote";
        if (s.quote != 0 && s.quote != '\'' && s.quote != '"') return false;
        // A text without escapes may hold any byte, as it is escaped when it is written.
        bool ends_in_backslash = false;
        const auto whole = [&](std::string_view v) { return s.quote == 0 || is_closed(v, s.quote, ends_in_backslash); };
        field = "sub_operations.text";
        if (s.is_text())
            return after_key(s.text.data(), s.text.data() + s.text.size()) == nullptr && whole(s.text) &&
                   !ends_in_backslash;
        bool any = false;
        const bool good = attributes_read_back(s, field, [&](std::string_view key, const auto& v) {
            any = true;
            // After that key a value that begins with `[` is read as a list, whose end this value may lack.
            return (key != list_key || text_of(v).substr(0, 1) != "[") && whole(text_of(v));
        });
        // Only in the last attribute is an unpaired backslash wrong: a comma follows it in the others.
        return any && good && !ends_in_backslash;
    }

    WLFMT_INLINE static bool has_good_head(const oplog::operation& op) noexcept {
        const std::string_view name = op.op;
        if (op.rank < 0 || name.empty() || !is_name_start(name[0])) return false;
        const char* const end = name.data() + name.size();
        const char* const p = after_name(name.data() + 1, end);
        return WLFMT_LIKELY(p == end) || oplog_split::after_operation_name(p, end) == end;
    }

    static bool reads_back(const oplog::operation& op, std::string_view& field) noexcept {
        bool list = false;
        std::string_view after_list;
        const bool good = attributes_read_back(op, field, [&](std::string_view, const auto& v) {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>) {
                list = !v.is_none();
                if (oplog_access::is_checked(v)) return true;  // read() found no problem in it
                for (const oplog::sub_operation& s : v)
                    if (!reads_back(s, field)) return false;
                return true;
            } else {
                after_list = list ? text_of(v) : std::string_view();
                return text_of(v).find('\n') == std::string_view::npos;
            }
        });
        if (!good) return false;
        // If a line ends as a list of strings does, readers take its end for that of its sub-operations.
        field = list_key;
        const std::size_t size = after_list.size();
        return size < 2 || after_list[size - 1] != ']' || (after_list[size - 2] != '\'' && after_list[size - 2] != '"');
    }

    static problem problem_of(const oplog::sub_operation& sub) noexcept {
        std::string_view field;
        return reads_back(sub, field) ? problem() : unwritable(field);
    }
    static problem problem_of(const oplog::operation& op) noexcept {
        if (op.rank < 0) return unwritable(name_of(op.origin));
        if (!has_good_head(op)) return unwritable("op");
        std::string_view field;
        return reads_back(op, field) ? problem() : unwritable(field);
    }
    static problem problem_of(const oplog::document& doc) noexcept {
        for (const oplog::operation& op : doc.operations)
            if (const problem e = problem_of(op))
                return in_document(e, static_cast<std::size_t>(&op - doc.operations.data()));
        return {};
    }
};

// Notes whether the texts of a record that is being written hold certain bytes: control characters, with `Quoted` the
// others that Python escapes between single quotes, with `Equals` equals signs. Reads no byte outside the texts.
template <bool Quoted, bool Equals> class text_marks {
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
public:
    // Looks at a text of Bytes to 2 * Bytes bytes.
    template <std::size_t Bytes> WLFMT_INLINE void add_ends(const char* text, std::size_t size) noexcept {
        const char* const tail = text + size - Bytes;
        if constexpr (Bytes < block::size) {
            add(block::of_ends<Bytes>(text, tail));
        } else {
            for (std::size_t n = 0; n != Bytes; n += block::size) {
                add(block(text + n));
                add(block(tail + n));
            }
        }
    }
    // Looks at a text that is not empty, byte by byte if it is shorter than a block.
    WLFMT_INLINE void add_text(const char* text, std::size_t size) noexcept {
        if (WLFMT_LIKELY(size > block::size)) {
            const char* const last = text + size - block::size;
            for (; text < last; text += block::size) add(block(text));
            return add(block(last));
        }
        for (const char* const end = text + size; text != end; ++text) add(block::of(*text));
    }
    WLFMT_INLINE bool has_escaped() const noexcept {
        return block::mask(block::either(escaped_.bytes, least_.up_to(last_control))) != 0;
    }
    WLFMT_INLINE bool has_equals() const noexcept { return block::mask(equals_.bytes) != 0; }

private:
    WLFMT_INLINE void add(const block& b) noexcept {
        least_.keep_least(b);
        if constexpr (Quoted) escaped_.bytes = block::either(escaped_.bytes, bytes_of<'\'', '\\', '\x7F'>::hits(b));
        if constexpr (Equals) equals_.bytes = block::either(equals_.bytes, b.is('='));
    }

    block least_ = block::of('\xff');
    block escaped_ = block::none();
    block equals_ = block::none();
#else
public:
    template <std::size_t Bytes> void add_ends(const char* text, std::size_t size) noexcept { add_text(text, size); }
    void add_text(const char* text, std::size_t size) noexcept {
        for (const char c : std::string_view(text, size)) {
            const bool is_control = static_cast<unsigned char>(c) <= last_control;
            has_escaped_ = has_escaped_ || is_control || (Quoted && bytes_of<'\'', '\\', '\x7F'>::has(c));
            has_equals_ = has_equals_ || c == '=';
        }
    }
    bool has_escaped() const noexcept { return has_escaped_; }
    bool has_equals() const noexcept { return has_equals_; }

private:
    bool has_escaped_ = false;
    bool has_equals_ = false;
#endif
    static constexpr char last_control = 0x1F;
};

// Writes the members of a record one after the other, each after a comma, and notes what their texts hold.
template <bool Quoted, bool Checked> struct member_writer {
    char* const begin;
    char* at;
    text_marks<Quoted, Checked> marks;
    bool has_text_number = false;  // one of the numbers was a text

    explicit member_writer(char* out) noexcept : begin(out), at(out) {}

    template <std::size_t N> WLFMT_INLINE void put(const char (&key)[N], std::string_view v) noexcept {
        if (WLFMT_UNLIKELY(wlfmt::is_missing(v))) return;
        put_key(key);
        at = copy_text(at, v, marks);
    }
    template <std::size_t N> WLFMT_INLINE void put(const char (&key)[N], const number& v) noexcept {
        if (WLFMT_UNLIKELY(v.is_missing())) return;
        put_key(key);
        if (WLFMT_LIKELY(v.is_decimal())) {
            at = write_repr(at, number_access::decimal(v));
        } else if (v.is_text()) {
            has_text_number = true;
            at = copy_text(at, v.text(), marks);
        } else {
            at = write_number(at, v);
        }
    }
    template <std::size_t N> WLFMT_INLINE void put(const char (&key)[N], const oplog::shape& v) noexcept {
        if (v.dims() == nullptr) return put(key, v.text());
        put_key(key);
        *at++ = '[';
        const std::size_t count = oplog_access::dim_count(v);
        for (std::size_t n = 0; n != count; ++n) {
            if (n != 0) at = write_bytes(at, ", ", 2);
            at = write_integer(at, v.dims()[n]);
        }
        *at++ = ']';
    }

private:
    template <std::size_t N> WLFMT_INLINE void put_key(const char (&key)[N]) noexcept {
        std::memcpy(at, key, N - 1);
        at += N - 1;
    }
};
// Adds up the sizes of a record's texts.
struct text_size {
    std::size_t sum = 0;
    template <class Member> WLFMT_INLINE void put(const char*, const Member& v) noexcept { sum += text_of(v).size(); }
};
// Whether these are the rows of the tracer's own keys, in their order.
template <class Record, std::size_t N> constexpr bool are_tracers(const std::string_view (&keys)[N]) noexcept {
    std::size_t n = 0;
    for (const key_row<Record>& row : rows_of<Record>())
        if (row.is_tracers && (n == N || keys[n++] != row.name)) return false;
    return n == N;
}
constexpr bool has_tracers_keys(const oplog::operation*) noexcept {
    return are_tracers<oplog::operation>({"stage_id"sv, "batch_id"sv, "mg_state"sv, "duration"sv, "description"sv,
                                          "group_kind"sv, "input__shape"sv, "input__dtype"sv, "timestamp"sv, list_key});
}
constexpr bool has_tracers_keys(const oplog::sub_operation*) noexcept {
    return are_tracers<oplog::sub_operation>({"trace_src_func"sv, "duration"sv, "timestamp"sv, "input__shape"sv,
                                              "input__dtype"sv, "func_name"sv, "group"sv, "comm_func"sv});
}
// Calls out.put() for the members with the tracer's own keys in its order, without the nested list.
template <class To> WLFMT_INLINE void put_members(To& out, const oplog::operation& r) noexcept {
    out.put(",stage_id=", r.stage_id);
    out.put(",batch_id=", r.batch_id);
    out.put(",mg_state=", r.mg_state);
    out.put(",duration=", r.duration);
    out.put(",description=", r.description);
    out.put(",group_kind=", r.group_kind);
    out.put(",input__shape=", r.input_shape);
    out.put(",input__dtype=", r.input_dtype);
    out.put(",timestamp=", r.timestamp);
}
template <class To> WLFMT_INLINE void put_members(To& out, const oplog::sub_operation& s) noexcept {
    out.put(",trace_src_func=", s.trace_src_func);
    out.put(",duration=", s.duration);
    out.put(",timestamp=", s.timestamp);
    out.put(",input__shape=", s.input_shape);
    out.put(",input__dtype=", s.input_dtype);
    out.put(",func_name=", s.func_name);
    out.put(",group=", s.group);
    out.put(",comm_func=", s.comm_func);
}

// The quotes that Python's repr() chooses: double ones for a string that holds a single quote and no double quote.
inline char quote_for(const oplog::sub_operation& s) noexcept {
    bool has_single = false;
    bool has_double = false;
    const auto look_at = [&](std::string_view text) {
        has_single = has_single || text.find('\'') != std::string_view::npos;
        has_double = has_double || text.find('"') != std::string_view::npos;
    };
    if (s.is_text()) look_at(s.text);
    else visit_attributes(s, [&](std::string_view, const auto& v) { look_at(text_of(v)); });
    return has_single && !has_double ? '"' : '\'';
}

// Writes records with the tracer's own keys, in its order and without escapes, on a fast path, and others attribute by
// attribute, with the same result. With `Checked`, its functions return whether a record reads back, else true. On the
// fast path, it reads back if no text holds an equals sign, without which no value can end early, and all numbers are
// of their fields' kinds.
template <class Sink> class oplog_writer {
public:
    explicit oplog_writer(Sink& sink) noexcept : output_(sink) {}

    // If `Checked`, stops at the first operation that does not read back; the problem has its position.
    template <bool Checked> problem write(const oplog::operation* operations, std::size_t count) {
        for (std::size_t n = 0; n != count; ++n)
            if (WLFMT_UNLIKELY(!write_operation<Checked>(operations[n])))
                return in_document(oplog_check::problem_of(operations[n]), n);
        return output_.finish() ? problem() : sink_error();
    }
    // Writes a text between quotes, as Python's repr() does.
    void write_quoted(std::string_view text) {
        oplog::sub_operation s;
        s.text = text;
        write_slow(s);
        output_.finish();
    }

private:
    // none: the slow path must write the record. good: it has been written and reads back. to_check: it has been
    // written, and the exact check must find out whether it reads back.
    enum class fast_result : std::uint8_t { none, good, to_check };

    // Whether the fast path may try a record, which must have only the tracer's keys in their order, and members that
    // fit into the output's room.
    template <class Record> WLFMT_INLINE static bool is_usual(const Record& r) noexcept {
        // Here, where a program that only includes the header does not pay for it.
        static_assert(has_tracers_keys(static_cast<const Record*>(nullptr)),
                      "put_members() and paths.hpp have the tracer's own keys; the row of any other key is "
                      ".of_variants()");
        constexpr std::size_t max_text = 384;
        constexpr std::size_t max_dims = 16;
        constexpr std::size_t max_keys = 128;
        constexpr std::size_t max_numbers = 4;
        static_assert(max_text + max_dims * (max_integer_chars + 2) + max_keys + max_numbers * max_repr_chars <=
                      out<Sink>::max_room);
        text_size texts;
        put_members(texts, r);
        const bool few_dims = r.input_shape.dims() == nullptr || oplog_access::dim_count(r.input_shape) <= max_dims;
        return texts.sum <= max_text && few_dims && !oplog_slow::needs_slow_path(r);
    }

    template <bool Checked> WLFMT_INLINE fast_result write_fast(const oplog::sub_operation& s) {
        if (WLFMT_UNLIKELY(!is_usual(s))) return fast_result::none;
        member_writer<true, Checked> members(output_.room(out<Sink>::max_room));
        put_members(members, s);
        if (WLFMT_UNLIKELY(members.at == members.begin || members.marks.has_escaped())) return fast_result::none;
        const bool good = !Checked || (!members.marks.has_equals() && !members.has_text_number);
        *members.begin = '\'';  // overwrites the first comma
        *members.at++ = '\'';
        output_.take(members.at);
        return good ? fast_result::good : fast_result::to_check;
    }
    // Writes the members of an operation up to its list, and the parenthesis before them.
    template <bool Checked> WLFMT_INLINE fast_result write_fast(const oplog::operation& r) {
        if (WLFMT_UNLIKELY(!is_usual(r))) return fast_result::none;
        member_writer<false, Checked> members(output_.room(out<Sink>::max_room));
        put_members(members, r);
        // has_escaped() finds all control characters, line ends included, which would not read back.
        const bool good =
            !Checked || (!members.marks.has_escaped() && !members.marks.has_equals() && !members.has_text_number &&
                         !r.stage_id.is_decimal() && !r.batch_id.is_decimal());
        char* const begin = members.begin;
        members.put(",sub_operations=", ""sv);
        *begin = '(';  // overwrites the first comma
        output_.take(members.at);
        return good ? fast_result::good : fast_result::to_check;
    }

    // Writes a text with the escapes that Python writes between these quotes; unchanged if `quote` is 0.
    void write_text(std::string_view s, char quote) {
        const char* plain = s.data();
        const char* const end = plain + s.size();
        for (const char* p = plain; p != end && quote != 0; ++p) {
            if (WLFMT_LIKELY(static_cast<unsigned char>(*p) >= 0x20 && *p != '\\' && *p != quote && *p != 0x7F))
                continue;
            output_.text(view(plain, p));
            write_escape(*p);
            plain = p + 1;
        }
        output_.text(view(plain, end));
    }
    WLFMT_COLD void write_escape(char c) {
        output_.put('\\');
        constexpr std::string_view plain = "\n\r\t\\'\""sv;
        constexpr std::string_view escaped = "nrt\\'\""sv;
        const std::size_t at = plain.find(c);
        if (at != std::string_view::npos) return output_.put(escaped[at]);
        constexpr std::string_view digits = "0123456789abcdef"sv;
        const auto byte = static_cast<unsigned char>(c);
        output_.put('x');
        output_.put(digits[byte >> 4]);
        output_.put(digits[byte & 15]);
    }
    void write_value(const number& v, char quote) {
        if (v.is_text()) return write_text(v.text(), quote);
        output_.value(v);
    }
    void write_value(std::string_view v, char quote) { write_text(v, quote); }
    void write_value(const oplog::shape& v, char quote) {
        if (v.dims() == nullptr) return write_text(v.text(), quote);
        output_.integers(v.dims(), v.size());
    }
    void write_value(const oplog::sub_operation_list& list, char) { write_list<false>(list); }
    // Writes the attributes of a record, in any order, escaped for a string with this quote; unchanged if it is 0.
    template <class Record> void write_attributes(const Record& r, char quote) {
        bool first = true;
        visit_attributes(r, [&](std::string_view key, const auto& v) {
            if (is_missing(v)) return;
            if (!first) output_.text(r.spaced ? ", "sv : ","sv);
            first = false;
            write_text(key, quote);
            output_.put('=');
            write_value(v, quote);
        });
    }
    WLFMT_COLD void write_slow(const oplog::sub_operation& s) {
        if (s.damaged) return output_.text(s.text);
        const char quote = s.quote != 0 ? s.quote : quote_for(s);
        // The texts of a record with a quote hold their escapes already.
        const char escaped_for = s.quote != 0 ? '\0' : quote;
        output_.put(quote);
        if (s.is_text()) write_text(s.text, escaped_for);
        else write_attributes(s, escaped_for);
        output_.put(quote);
    }

    template <bool Checked> WLFMT_COLD bool finish_unusual(const oplog::sub_operation& s, fast_result fast) {
        if (fast == fast_result::none) write_slow(s);
        std::string_view field;
        return !Checked || oplog_check::reads_back(s, field);
    }
    template <bool Checked, class Iterator> WLFMT_INLINE bool write_items(Iterator at, Iterator end) {
        bool good = true;
        bool first = true;
        for (; at != end; ++at) {
            if (!first) output_.literal(", ");
            first = false;
            const oplog::sub_operation& s = *at;
            const fast_result fast = write_fast<Checked>(s);
            if (WLFMT_UNLIKELY(fast != fast_result::good) && !finish_unusual<Checked>(s, fast)) good = false;
        }
        return good;
    }
    template <bool Checked> WLFMT_INLINE bool write_list(const oplog::sub_operation_list& list) {
        using access = oplog_access;
        if (list.is_none()) {
            output_.literal("None");
            return true;
        }
        bool good = true;
        output_.put('[');
        if (!access::is_text(list)) {
            const oplog::sub_operation* const items = access::items(list);
            good = write_items<Checked>(items, items + access::count(list));
        } else if (Checked && !access::is_checked(list)) {
            good = write_items<Checked>(list.begin(), list.end());
        } else if (!list.empty()) {
            write_items<false>(list.begin(), list.end());
        }
        output_.put(']');
        return good;
    }

    template <bool Checked> bool write_operation(const oplog::operation& r) {
        if (r.origin == oplog::origin::rank) output_.literal("rank:");
        else output_.literal("stage:");
        output_.integer(r.rank);
        output_.put(':');
        output_.text(r.op);
        bool good = true;
        const fast_result fast = write_fast<Checked>(r);
        if (WLFMT_LIKELY(fast != fast_result::none)) {
            good = write_list<Checked>(r.sub_operations);
        } else {
            output_.put('(');
            write_attributes(r, '\0');
        }
        output_.literal(")\n");
        if (!Checked) return true;
        if (WLFMT_LIKELY(fast == fast_result::good)) return good && oplog_check::has_good_head(r);
        return good && !oplog_check::problem_of(r);
    }

    out<Sink> output_;
};

// Writes all operations, or none if one of them would not read back. Checking them while they are written takes far
// less time than checking them first. If one fails, a string is cut back to its former size; for any other sink, they
// are first written to a no_sink.
template <class Sink> problem write_checked(Sink& sink, const oplog::operation* operations, std::size_t count) {
    if constexpr (can_take_back<Sink>) {
        const std::size_t size = sink.size();
        const problem e = oplog_writer(sink).template write<true>(operations, count);
        if (WLFMT_UNLIKELY(e.kind == error_kind::unwritable)) sink.resize(size);
        return e;
    } else {
        no_sink nowhere;
        const problem e = oplog_writer(nowhere).template write<true>(operations, count);
        return e ? e : oplog_writer(sink).template write<false>(operations, count);
    }
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
