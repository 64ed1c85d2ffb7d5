// The escapes of Python string literals, one at a time.
#ifndef WLFMT_DETAIL_BASE_ESCAPES_HPP
#define WLFMT_DETAIL_BASE_ESCAPES_HPP

#include "scan.hpp"

#include "config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

enum class escape : std::uint8_t {
    character,  // stands for one code point
    nothing,    // a backslash before the end of a line: stands for nothing
    literal,    // unknown to Python, which leaves the backslash as it is
    bad         // Python refuses it: \x without two digits, a code point beyond U+10FFFF, \N{name}
};

inline int hex_digit(char c) noexcept {
    if (is_digit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Reads escapes, and writes the characters that they stand for.
template <class Build> struct basic_escapes {
    // Reads the escape whose backslash is at p, and advances p past it, or past the backslash alone if the escape is
    // literal or bad.
    static escape read(const char*& p, const char* end, std::uint32_t& code_point) noexcept {
        const char* at = ++p;
        if (at == end) return escape::literal;
        const char c = *at++;
        int digits = 0;
        switch (c) {
        case '\n': p = at; return escape::nothing;
        case '\\':
        case '\'':
        case '"': code_point = static_cast<unsigned char>(c); break;
        case 'a': code_point = 7; break;
        case 'b': code_point = 8; break;
        case 'f': code_point = 12; break;
        case 'n': code_point = 10; break;
        case 'r': code_point = 13; break;
        case 't': code_point = 9; break;
        case 'v': code_point = 11; break;
        case 'x': digits = 2; break;
        case 'u': digits = 4; break;
        case 'U': digits = 8; break;
        case 'N': return escape::bad;
        default:
            if (c < '0' || c > '7') return escape::literal;
            code_point = static_cast<std::uint32_t>(c - '0');
            for (int n = 1; n < 3 && at != end && *at >= '0' && *at <= '7'; ++n)
                code_point = code_point * 8 + static_cast<std::uint32_t>(*at++ - '0');
        }
        if (digits > 0) {
            if (end - at < digits) return escape::bad;
            code_point = 0;
            for (; digits > 0; --digits) {
                const int d = hex_digit(*at++);
                if (d < 0) return escape::bad;
                code_point = code_point * 16 + static_cast<std::uint32_t>(d);
            }
            if (code_point > 0x10FFFF) return escape::bad;
        }
        p = at;
        return escape::character;
    }

    // Writes a code point in UTF-8, a surrogate as the three bytes of its number: at most four bytes, and never more
    // than its escape has.
    static char* write_utf8(char* out, std::uint32_t c) noexcept {
        const auto byte = [](std::uint32_t b) { return static_cast<char>(static_cast<unsigned char>(b)); };
        if (c < 0x80) {
            *out++ = byte(c);
        } else if (c < 0x800) {
            *out++ = byte(0xC0 | (c >> 6));
            *out++ = byte(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            *out++ = byte(0xE0 | (c >> 12));
            *out++ = byte(0x80 | ((c >> 6) & 0x3F));
            *out++ = byte(0x80 | (c & 0x3F));
        } else {
            *out++ = byte(0xF0 | (c >> 18));
            *out++ = byte(0x80 | ((c >> 12) & 0x3F));
            *out++ = byte(0x80 | ((c >> 6) & 0x3F));
            *out++ = byte(0x80 | (c & 0x3F));
        }
        return out;
    }

    // The first escape of [p, end) that Python refuses, or end.
    static const char* find_bad(const char* p, const char* end) noexcept {
        while ((p = find_any<'\\'>(p, end)) != end) {
            const char* backslash = p;
            std::uint32_t ignored = 0;
            if (read(p, end, ignored) == escape::bad) return backslash;
        }
        return end;
    }

    // Decodes the escapes of a text into `buffer`, which has room for the size of the text, and returns the result;
    // returns the text itself if it holds no backslash.
    static std::string_view decode(std::string_view text, char* buffer) noexcept {
        const char* p = text.data();
        const char* end = p + text.size();
        const char* stop = find_any<'\\'>(p, end);
        if (stop == end) return text;
        char* to = buffer;
        for (;;) {
            const auto plain = static_cast<std::size_t>(stop - p);
            if (plain != 0) std::memmove(to, p, plain);
            to += plain;
            if (stop == end) return view(buffer, to);
            p = stop;
            std::uint32_t code_point = 0;
            switch (read(p, end, code_point)) {
            case escape::character: to = write_utf8(to, code_point); break;
            case escape::nothing: break;
            default: *to++ = '\\';
            }
            stop = find_any<'\\'>(p, end);
        }
    }
};
using escapes = basic_escapes<build>;

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
