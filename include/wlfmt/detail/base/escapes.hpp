// Reads the escapes of Python string literals, one at a time.
#ifndef WLFMT_DETAIL_BASE_ESCAPES_HPP
#define WLFMT_DETAIL_BASE_ESCAPES_HPP

#include "../../types/text.hpp"
#include "scan.hpp"

#include "config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

enum class escape : std::uint8_t {
    character,  // the escape gives one code point
    nothing,    // a backslash before a line end, which stands for no character
    literal,    // Python does not know the escape, and leaves the backslash as it is
    bad         // Python refuses the escape: \x without two digits, a code point beyond U+10FFFF, \N{name}
};

inline int hex_digit(char c) noexcept {
    if (is_digit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

struct escapes {
    // Reads the escape whose backslash is at p. Advances p past it, or only past the backslash if it is literal or bad.
    static escape read(const char*& p, const char* end, std::uint32_t& code_point) noexcept {
        constexpr std::string_view letters = "\\'\"abfnrtv"sv;
        const char* at = ++p;
        if (at == end) return escape::literal;
        const char c = *at++;
        const int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (c == 'N' || end - at < digits) return escape::bad;
        if (digits != 0) {
            code_point = 0;
            for (const char* const stop = at + digits; at != stop; ++at) {
                const int d = hex_digit(*at);
                if (d < 0) return escape::bad;
                code_point = code_point * 16 + static_cast<std::uint32_t>(d);
            }
            if (code_point > 0x10FFFF) return escape::bad;
        } else if (c >= '0' && c <= '7') {
            code_point = static_cast<std::uint32_t>(c - '0');
            for (int n = 1; n < 3 && at != end && *at >= '0' && *at <= '7'; ++n)
                code_point = code_point * 8 + static_cast<std::uint32_t>(*at++ - '0');
        } else if (const std::size_t letter = letters.find(c); letter != std::string_view::npos) {
            code_point = static_cast<unsigned char>("\\'\"\a\b\f\n\r\t\v"[letter]);
        } else if (c != '\n') {
            return escape::literal;
        }
        p = at;
        return c == '\n' ? escape::nothing : escape::character;
    }

    // Writes a code point as UTF-8, a surrogate as three bytes: at most four bytes, and no more than its escape took.
    static char* write_utf8(char* out, std::uint32_t c) noexcept {
        const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static constexpr unsigned leads[] = {0, 0xC0, 0xE0, 0xF0};
        *out++ = static_cast<char>(leads[more] | c >> 6 * more);
        for (int n = more; n-- != 0;) *out++ = static_cast<char>(0x80 | (c >> 6 * n & 0x3F));
        return out;
    }

    // The first escape in [p, end) that Python refuses, or end.
    static const char* find_bad(const char* p, const char* end) noexcept {
        while ((p = find_any<'\\'>(p, end)) != end) {
            const char* backslash = p;
            std::uint32_t ignored = 0;
            if (read(p, end, ignored) == escape::bad) return backslash;
        }
        return end;
    }
};

// Hands out the bytes of a text one by one, with its escapes decoded if it is `escaped`.
class plain_bytes {
public:
    plain_bytes(std::string_view text, bool escaped) noexcept
        : at_(text.data()), end_(at_ + text.size()), escaped_(escaped) {}

    // The next byte; -1 at the end.
    int next() noexcept {
        if (decoded_ != decoded_end_) return static_cast<unsigned char>(*decoded_++);
        while (at_ != end_) {
            if (!escaped_ || *at_ != '\\') return static_cast<unsigned char>(*at_++);
            std::uint32_t code_point = 0;
            const escape e = escapes::read(at_, end_, code_point);
            if (e == escape::nothing) continue;
            if (e != escape::character) return '\\';
            decoded_ = bytes_;
            decoded_end_ = escapes::write_utf8(bytes_, code_point);
            return static_cast<unsigned char>(*decoded_++);
        }
        return -1;
    }

private:
    const char* at_;
    const char* end_;
    bool escaped_;
    char bytes_[4] = {};
    const char* decoded_ = bytes_;  // the bytes of the last code point that are still to be returned
    const char* decoded_end_ = bytes_;
};

// The text with its escapes decoded into `buffer`, which must have room for text.size() bytes; the text itself if it
// has no backslash.
inline std::string_view without_escapes(std::string_view text, char* buffer) noexcept {
    if (text.find('\\') == std::string_view::npos) return text;
    plain_bytes bytes(text, true);
    char* out = buffer;
    for (int byte = bytes.next(); byte >= 0; byte = bytes.next()) *out++ = static_cast<char>(byte);
    return view(buffer, out);
}

// Whether two texts, each of which may hold escapes, are the same bytes after decoding.
inline bool is_same_text(std::string_view a, bool a_escaped, std::string_view b, bool b_escaped) noexcept {
    if (a_escaped == b_escaped && a == b) return true;
    if (!a_escaped && !b_escaped) return false;
    plain_bytes a_bytes(a, a_escaped);
    plain_bytes b_bytes(b, b_escaped);
    for (;;) {
        const int byte = a_bytes.next();
        if (byte != b_bytes.next()) return false;
        if (byte < 0) return true;
    }
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
