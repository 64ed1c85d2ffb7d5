// Writing the interchange form.
#ifndef WLFMT_DETAIL_JSON_WRITE_HPP
#define WLFMT_DETAIL_JSON_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../json.hpp"
#include "../base/characters.hpp"
#include "../base/escapes.hpp"
#include "../base/out.hpp"
#include "../error/problems.hpp"
#include "../number/decimal.hpp"
#include "../oplog/members.hpp"
#include "../workload/read.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// One line of JSON. Knows when a comma is due: before every key and element but the first of its object or array.
template <class Sink>
class json_line {
public:
    explicit json_line(out<Sink>& to) noexcept : to_(to) {}

    void open(char bracket) {
        element();
        to_.put(bracket);
        first_ = true;
    }
    void close(char bracket) {
        to_.put(bracket);
        first_ = false;
    }
    void end_line() {
        to_.put('\n');
        first_ = true;
    }
    // `quote` is not 0 where the text holds Python escapes.
    void key(std::string_view name, char quote = 0) {
        string(name, quote);
        to_.put(':');
        first_ = true;
    }
    // A key with its quotes and its colon, as key() has written it elsewhere.
    void written_key(std::string_view json) {
        element();
        to_.text(json);
        first_ = true;
    }
    void null() {
        element();
        to_.literal("null");
    }
    void boolean(bool v) {
        element();
        to_.text(v ? "true" : "false");
    }
    void integer(std::int64_t v) {
        element();
        to_.integer(v);
    }
    // A number as JSON writes it.
    void plain(std::string_view digits) {
        element();
        to_.text(digits);
    }
    void decimal(double v) {
        if (!is_finite(v)) {
            const std::uint64_t bits = bits_of(v);
            return string((bits & ~sign_bit) != infinity_bits ? "nan" : (bits & sign_bit) != 0 ? "-inf" : "inf");
        }
        element();
        to_.repr(v);
    }
    void value(const number& v, char quote = 0) { return v.is_text() ? value(v.text(), quote) : typed(v); }

    void string(std::string_view s, char quote = 0) {
        element();
        to_.put('"');
        const char* end = s.data() + s.size();
        const char* plain = s.data();
        for (const char* p = plain; p != end;) {
            const auto c = static_cast<unsigned char>(*p);
            if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
                ++p;
                continue;
            }
            if (c >= 0x80) {
                const std::size_t size = utf8_size(view(p, end), 0);
                if (size > 0) {
                    p += size;
                    continue;
                }
            }
            to_.text(view(plain, p));
            if (c == '\\' && quote != 0) {
                python_escape(p, end);
            } else {
                if (c >= 0x80)
                    unit(0xDC00U + c);
                else
                    character(c);
                ++p;
            }
            plain = p;
        }
        to_.text(view(plain, end));
        to_.put('"');
    }

    // A number that is not a text: an integer, a decimal, or None. A missing number is null, too.
    void typed(const number& v) {
        if (v.is_integer()) return integer(number_access::integer(v));
        if (v.is_decimal()) return decimal(number_access::decimal(v));
        null();
    }

    // A text that may be anything.
    void value(std::string_view s, char quote = 0) {
        if (s == "None") return null();
        if (s == "True" || s == "False") return boolean(s == "True");
        if (!s.empty()) {
            number n;
            const char* p = s.data();
            const char* end = p + s.size();
            const number_status status = read_number(p, end, n);
            if (p == end && status == number_status::ok) return typed(n);
            if (p == end && status == number_status::overflow && whole(s)) return digits(s);
            if (s.back() == ']' || s.back() == ')') {
                const oplog::shape shape(s);
                if (shape.is_list()) return list(shape);
            }
        }
        string(s, quote);
    }
    void value(const oplog::shape& s, char quote = 0) {
        if (s.dims() == nullptr) return value(s.text(), quote);
        list(s);
    }
    template <class List>
    void list(const List& items) {
        open('[');
        for (const auto item : items) integer(item);
        close(']');
    }

private:
    void element() {
        if (!first_) to_.put(',');
        first_ = false;
    }
    void unit(std::uint32_t v) {
        constexpr std::string_view hex = "0123456789abcdef";
        to_.literal("\\u");
        for (unsigned shift = 16; shift > 0;) {
            shift -= 4;
            to_.put(hex[(v >> shift) & 15]);
        }
    }
    void character(std::uint32_t c) {
        switch (c) {
        case '"': return to_.literal("\\\"");
        case '\\': return to_.literal("\\\\");
        case '\n': return to_.literal("\\n");
        case '\r': return to_.literal("\\r");
        case '\t': return to_.literal("\\t");
        default: break;
        }
        if (c < 0x20 || (c >= 0xD800 && c < 0xE000)) return unit(c);
        char* at = to_.room(4);
        to_.take(write_utf8(at, c));
    }
    void python_escape(const char*& p, const char* end) {
        std::uint32_t c = 0;
        switch (read_escape(p, end, c)) {
        case escape::character: return character(c);
        case escape::nothing: return;
        default: return character('\\');
        }
    }
    // An integer of any size: its digits are a JSON number without the sign + and leading zeros.
    static bool whole(std::string_view s) noexcept {
        for (const char c : s.substr(s[0] == '-' || s[0] == '+' ? 1 : 0))
            if (!is_digit(c)) return false;
        return true;
    }
    void digits(std::string_view s) {
        element();
        if (s[0] == '-') to_.put('-');
        if (s[0] == '-' || s[0] == '+') s.remove_prefix(1);
        while (s.size() > 1 && s[0] == '0') s.remove_prefix(1);
        to_.text(s);
    }

    out<Sink>& to_;
    bool first_ = true;
};

// Each of these returns false if a part of the record has no form in JSON.

template <class Sink>
void write_json(json_line<Sink>& to, const oplog::sub_operation& s) {
    if (s.is_text()) return to.string(s.text, s.quote);
    to.open('{');
    visit_attributes(s, [&](std::string_view key, const auto& v) {
        if (is_missing(v)) return;
        to.key(key, s.quote);
        to.value(v, s.quote);
    });
    to.close('}');
}

template <class Sink>
bool write_json(json_line<Sink>& to, const oplog::operation& r) {
    bool whole = true;
    to.open('{');
    to.key(r.origin == oplog::origin::rank ? "rank" : "stage");
    to.integer(r.rank);
    to.key("op");
    to.string(r.op);
    visit_attributes(r, [&](std::string_view key, const auto& v) {
        if (is_missing(v)) return;
        to.key(key);
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>) {
            if (v.is_none()) return to.null();
            to.open('[');
            for (const oplog::sub_operation& s : v) {
                if (s.damaged)
                    whole = false;
                else
                    write_json(to, s);
            }
            to.close(']');
        } else {
            to.value(v);
        }
    });
    to.close('}');
    to.end_line();
    return whole;
}

// Is the value of an entry a count and that many indices? A list whose text is anything else, as `checkpoints: all`,
// stays a text.
inline bool is_index_list(const workload::entry& e) noexcept {
    if (e.key != "checkpoints" && e.key != "checkpoint_initiates") return false;
    const workload::words words(e.value);
    const auto first = words.begin();
    const auto count = static_cast<std::size_t>(std::distance(first, words.end()));
    return count != 0 && workload::index_list(e.value).size() == count - 1 && to_number(*first) == count - 1;
}

template <class Sink>
bool write_json(json_line<Sink>& to, const workload::header& head) {
    to.open('{');
    to.key("policy");
    to.string(head.policy);
    to.key("header");
    to.open('{');
    for (const workload::entry& e : head.entries) {
        // The bare number is an entry without key and colon; a lone colon is an entry with an empty key.
        const bool bare = e.key.empty() && !e.colon;
        to.key(bare ? last_bottom_layer : e.key);
        if (is_index_list(e)) {
            to.list(workload::index_list(e.value));
            continue;
        }
        const number n = to_number(e.value);
        if (n.is_integer() || (n.is_decimal() && is_finite(number_access::decimal(n))))
            to.typed(n);
        else
            to.string(e.value);
    }
    to.close('}');
    if (!head.declared_layers.is_missing()) {
        to.key("declared_layers");
        to.value(head.declared_layers);
    }
    to.close('}');
    to.end_line();
    return true;
}

template <class Sink>
void write_json(json_line<Sink>& to, std::string_view name, const workload::phase& p) {
    to.key(name);
    to.open('{');
    to.key("compute");
    to.value(p.compute);
    to.key("comm");
    to.string(p.comm);
    to.key("size");
    to.integer(p.bytes);
    to.close('}');
}

template <class Sink>
bool write_json(json_line<Sink>& to, const workload::layer& one) {
    to.open('{');
    to.key("name");
    to.string(one.name);
    to.key("dependency");
    to.integer(one.dependency);
    write_json(to, "forward", one.forward);
    write_json(to, "input_grad", one.input_grad);
    write_json(to, "weight_grad", one.weight_grad);
    to.key("update");
    to.value(one.update);
    if (!is_missing(one.policy)) {
        to.key("policy");
        to.string(one.policy);
    }
    if (!is_missing(one.further)) {
        to.key("further");
        to.open('[');
        for (const std::string_view word : workload::words(one.further)) to.string(word);
        to.close(']');
    }
    to.close('}');
    to.end_line();
    return true;
}

// Is a column one whose cells are text whatever they look like?
inline bool is_prose(const table::column& c) noexcept {
    return c.name == "Name" || c.name == "Overload Name" || c.name == "Input Shapes";
}

// A value that was read in its column's unit, or assigned. A text without a value stays a text, even if it looks like a
// number: `316.074` whose unit was cut off is not 316.074 microseconds.
template <class Sink>
void write_json(json_line<Sink>& to, const table::cell& cell, bool prose) {
    const number& v = cell.value();
    const std::string_view t = cell.text();
    if (prose && !is_missing(t)) return to.string(t);
    if (v.is_text()) return to.string(v.text());
    if (v.has_value()) return to.typed(v);
    if (prose) return to.string({});
    if (!is_missing_cell(t)) return to.string(t);
    to.null();
}

template <class Sink>
bool write_json(json_line<Sink>& to, const table::summary& one) {
    to.open('{');
    to.key("columns");
    to.open('[');
    for (std::size_t n = 0; n != one.columns.size(); ++n) to.string(one.columns[n].name);
    to.close(']');
    to.key("totals");
    to.open('{');
    for (const table::total& t : one.totals) {
        to.key(t.name);
        write_json(to, t.value, false);
    }
    to.close('}');
    to.close('}');
    to.end_line();
    std::vector<std::string> keys(one.columns.size());
    for (std::size_t c = 0; c != keys.size(); ++c) {
        out<std::string> key(keys[c]);
        json_line<std::string>(key).key(one.columns[c].name);
        static_cast<void>(key.finish());
    }
    for (const table::row& row : one.rows()) {
        to.open('{');
        for (std::size_t c = 0; c != keys.size(); ++c) {
            const table::column& column = one.columns[c];
            to.written_key(keys[c]);
            if (column.unit != table::unit::source) {
                write_json(to, row[c], is_prose(column));
                continue;
            }
            to.open('[');
            if (!row[c].text().empty()) to.string(row[c].text());
            for (const std::string_view frame : row.frames) to.string(frame);
            to.close(']');
        }
        to.close('}');
        to.end_line();
    }
    return true;
}

template <class Sink>
error write_json_lines(Sink& sink, const oplog::document& doc) {
    out<Sink> to(sink);
    json_line<Sink> line(to);
    error e;
    for (std::size_t n = 0; n != doc.operations.size(); ++n)
        if (!write_json(line, doc.operations[n]) && !e) e = in_document(unwritable("sub_operations"), n);
    return to.finish() ? e : sink_error();
}
template <class Sink>
error write_json_lines(Sink& sink, const workload::document& doc) {
    out<Sink> to(sink);
    json_line<Sink> line(to);
    write_json(line, doc.header());
    for (const workload::layer& one : doc.layers) write_json(line, one);
    return to.finish() ? error() : sink_error();
}
template <class Sink>
error write_json_lines(Sink& sink, const table::document& doc) {
    out<Sink> to(sink);
    json_line<Sink> line(to);
    for (const table::summary& one : doc.tables) write_json(line, one);
    return to.finish() ? error() : sink_error();
}
template <class Sink, class Record>
error write_json_lines(Sink& sink, const Record& record) {
    out<Sink> to(sink);
    json_line<Sink> line(to);
    const bool whole = write_json(line, record);
    if (!to.finish()) return sink_error();
    return whole ? error() : unwritable("sub_operations");
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace json {
inline namespace WLFMT_IMPL {

template <class Sink>
error write(Sink&& sink, const oplog::operation& op) {
    return detail::write_json_lines(sink, op);
}
template <class Sink>
error write(Sink&& sink, const oplog::document& doc) {
    return detail::write_json_lines(sink, doc);
}
template <class Sink>
error write(Sink&& sink, const workload::header& head) {
    return detail::write_json_lines(sink, head);
}
template <class Sink>
error write(Sink&& sink, const workload::layer& one) {
    return detail::write_json_lines(sink, one);
}
template <class Sink>
error write(Sink&& sink, const workload::document& doc) {
    return detail::write_json_lines(sink, doc);
}
template <class Sink>
error write(Sink&& sink, const table::summary& one) {
    return detail::write_json_lines(sink, one);
}
template <class Sink>
error write(Sink&& sink, const table::document& doc) {
    return detail::write_json_lines(sink, doc);
}

}  // namespace WLFMT_IMPL
}  // namespace json
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
