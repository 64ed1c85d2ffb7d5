// wlfmt/json/line.hpp: writes a program's own JSON, line by line, with values as json.hpp writes them.
//
//     wlfmt::json::line line(std::cout);
//     line.open('{');
//     line.key("op").string(op->op);
//     line.key("duration").value(op->duration);
//     line.end_object();
//     if (auto e = line.finish()) return fail(e);
#include "../version.hpp"

#ifndef WLFMT_JSON_LINE_HPP
#define WLFMT_JSON_LINE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "../characters.hpp"
#include "../detail/base/escapes.hpp"
#include "../detail/error/problems.hpp"
#include "../detail/io/out.hpp"
#include "../detail/number/read.hpp"
#include "../detail/number/write.hpp"
#include "../oplog.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {

// The characters that have a short escape, and what follows the backslash in it.
inline constexpr std::string_view json_escaped = "\"\\\n\r\t";
inline constexpr std::string_view json_letters = "\"\\nrt";

// Any sink (types/sink.hpp) as one type: code that writes to it is compiled once, not once for each kind of sink.
class any_sink {
public:
    template <class S, class = std::enable_if_t<!std::is_same_v<std::remove_const_t<S>, any_sink>>>
    explicit any_sink(S& sink) noexcept
        : sink_(const_cast<std::remove_const_t<S>*>(&sink)),
          append_([](void* target, const char* text, std::size_t size) {
              return append_to(*static_cast<S*>(target), text, size);
          }),
          failed_(!is_open(sink)) {}
    void write(const char* text, std::ptrdiff_t size) {
        failed_ = failed_ || !append_(sink_, text, static_cast<std::size_t>(size));
    }
    bool fail() const noexcept { return failed_; }

private:
    void* sink_;
    bool (*append_)(void*, const char*, std::size_t);
    bool failed_;
};

}  // namespace detail

namespace json {

// Puts a comma before every key and element except the first of its object or array. It is no template, so that all
// kinds of sinks share its code.
class line {
public:
    template <class Sink> explicit line(Sink& sink) noexcept : line(detail::any_sink(sink)) {}
    explicit line(detail::any_sink sink) noexcept : sink_(sink), out_(sink_) {}
    line(const line&) = delete;
    line& operator=(const line&) = delete;

    // Call it after the last line.
    [[nodiscard]] problem finish() { return out_.finish() ? problem() : detail::sink_error(); }

    void open(char bracket) {
        element();
        out_.put(bracket);
        first_ = true;
    }
    void close(char bracket) {
        out_.put(bracket);
        first_ = false;
    }
    void end_line() {
        out_.put('\n');
        first_ = true;
    }
    void end_object() {
        close('}');
        end_line();
    }
    // `quote` must not be 0 if the text contains Python escapes.
    line& key(std::string_view name, char quote = 0) & {
        string(name, quote);
        out_.put(':');
        first_ = true;
        return *this;
    }
    void key(std::nullptr_t, char = 0) = delete;
    // Writes a key that key() has already written elsewhere, with its quotes and its colon.
    void written_key(std::string_view json) {
        plain(json);
        first_ = true;
    }
    void written_key(std::nullptr_t) = delete;
    void null() {
        element();
        out_.literal("null");
    }
    void boolean(bool v) { plain(v ? "true" : "false"); }
    void integer(std::int64_t v) {
        element();
        out_.integer(v);
    }
    // Writes what is already JSON, such as a number's digits.
    void plain(std::string_view digits) {
        element();
        out_.text(digits);
    }
    void plain(std::nullptr_t) = delete;
    void decimal(double v) {
        const std::uint64_t bits = detail::bits_of(v);
        const std::uint64_t magnitude = bits & ~detail::sign_bit;
        if (magnitude >= detail::infinity_bits)
            return string(magnitude != detail::infinity_bits ? "nan" : (bits & detail::sign_bit) != 0 ? "-inf" : "inf");
        element();
        out_.repr(v);
    }
    void value(const number& v, char quote = 0) { return v.is_text() ? value(v.text(), quote) : typed(v); }

    void string(std::string_view s, char quote = 0) {
        element();
        out_.put('"');
        const char* end = s.data() + s.size();
        const char* unwritten = s.data();
        for (const char* p = unwritten; p != end;) {
            const auto c = static_cast<unsigned char>(*p);
            if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
                ++p;
                continue;
            }
            if (c >= 0x80) {
                const std::size_t size = utf8_size(detail::view(p, end), 0);
                if (size > 0) {
                    p += size;
                    continue;
                }
            }
            out_.text(detail::view(unwritten, p));
            if (c == '\\' && quote != 0) {
                python_escape(p, end);
            } else {
                if (c >= 0x80) unit(0xDC00U + c);
                else character(c);
                ++p;
            }
            unwritten = p;
        }
        out_.text(detail::view(unwritten, end));
        out_.put('"');
    }
    void string(std::nullptr_t, char = 0) = delete;

    // Writes a number that is not a text: an integer, a decimal, or null for None and a missing number.
    void typed(const number& v) {
        if (v.is_integer()) return integer(detail::number_access::integer(v));
        if (v.is_decimal()) return decimal(detail::number_access::decimal(v));
        null();
    }

    // Writes the value of a key that has no type of its own. A text that looks like a number may be an identifier:
    // `84e7` and `007` would be written differently as numbers, so they stay texts.
    void value(std::string_view s, char quote = 0) {
        if (s == "None") return null();
        if (s == "True" || s == "False") return boolean(s == "True");
        if (!s.empty()) {
            number n;
            const char* p = s.data();
            const char* end = p + s.size();
            const detail::number_status status = detail::read_number(p, end, n);
            if (p == end && status == detail::number_status::ok && is_written_as(n, s)) return typed(n);
            if (p == end && status == detail::number_status::overflow && is_plain_integer(s)) return plain(s);
            if ((s.back() == ']' || s.back() == ')') && has_plain_integers(s)) {
                const oplog::shape shape(s);
                if (shape.is_list()) return list(shape);
            }
        }
        string(s, quote);
    }
    // Whether the number would be written as exactly this text.
    static bool is_written_as(const number& n, std::string_view s) noexcept {
        if (n.is_integer()) return is_plain_integer(s);
        char text[detail::max_repr_chars];
        return s == detail::view(text, detail::write_number(text, n));
    }
    // Whether an integer of any size is written in the usual way: without a plus sign, leading zeros or a sign before
    // zero.
    static bool is_plain_integer(std::string_view s) noexcept {
        if (s.empty() || s == "-0") return false;
        if (s[0] == '-') s.remove_prefix(1);
        if (s.empty() || (s[0] == '0' && s.size() > 1)) return false;
        return s.find_first_not_of("0123456789") == std::string_view::npos;
    }
    static bool is_plain_integer(std::nullptr_t) = delete;
    void value(std::nullptr_t, char = 0) = delete;
    void value(const oplog::shape& s, char quote = 0) {
        if (!s.is_list()) return value(s.text(), quote);
        list(s);
    }
    template <class List> void list(const List& items) {
        open('[');
        for (const auto item : items) integer(item);
        close(']');
    }

private:
    void element() {
        if (!first_) out_.put(',');
        first_ = false;
    }
    void unit(std::uint32_t v) {
        constexpr std::string_view hex = "0123456789abcdef";
        out_.literal("\\u");
        for (unsigned shift = 16; shift > 0;) {
            shift -= 4;
            out_.put(hex[(v >> shift) & 15]);
        }
    }
    void character(std::uint32_t c) {
        const std::size_t n = c < 0x80 ? detail::json_escaped.find(static_cast<char>(c)) : std::string_view::npos;
        if (n != std::string_view::npos) {
            out_.put('\\');
            return out_.put(detail::json_letters[n]);
        }
        if (c < 0x20) return unit(c);
        char bytes[4];
        const std::string_view text = detail::view(bytes, detail::escapes::write_utf8(bytes, c));
        // Two surrogates would be read as one character, and one as a byte.
        const bool is_surrogate = c >= 0xD800 && c < 0xE000;
        for (const char byte : text) is_surrogate ? unit(0xDC00U + static_cast<unsigned char>(byte)) : out_.put(byte);
    }
    void python_escape(const char*& p, const char* end) {
        std::uint32_t c = 0;
        const detail::escape found = detail::escapes::read(p, end, c);
        if (found != detail::escape::nothing) character(found == detail::escape::character ? c : '\\');
    }
    // Whether each integer in a text that may be a list is written in the usual way.
    static bool has_plain_integers(std::string_view s) noexcept {
        constexpr std::string_view digits = "+-0123456789";
        for (std::size_t at = s.find_first_of(digits); at != std::string_view::npos; at = s.find_first_of(digits, at)) {
            const std::size_t end = (std::min)(s.find_first_not_of(digits, at), s.size());
            if (!is_plain_integer(s.substr(at, end - at))) return false;
            at = end;
        }
        return true;
    }

    detail::any_sink sink_;
    detail::out<detail::any_sink> out_;
    bool first_ = true;
};

}  // namespace json

namespace detail {

// Writes a line that is an object; fill(line) writes its members.
template <class Fill> problem json_object(any_sink sink, const Fill& fill) {
    json::line line(sink);
    line.open('{');
    fill(line);
    line.end_object();
    return line.finish();
}
// Appends what fill(line) writes to a text.
template <class Fill> void append_json(std::string& text, const Fill& fill) {
    json::line line{any_sink(text)};
    fill(line);
    static_cast<void>(line.finish());
}
// Sets the text to an object whose members fill(line) writes; to an empty text if there are no members.
template <class Fill> void make_json_object(std::string& text, const Fill& fill) {
    text.clear();
    append_json(text, [&](json::line& line) {
        line.open('{');
        fill(line);
        line.close('}');
    });
    if (text == "{}") text.clear();
}
// Writes the attributes that have no column. key_of() returns `unknown` for their keys.
template <class Record, class Key> void json_further(json::line& line, const Record& r, Key unknown, char quote) {
    for (const oplog::attribute& a : r.attributes)
        if (key_of(r, a.key) == unknown) line.key(a.key, quote).value(a.value, quote);
}

}  // namespace detail
}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
