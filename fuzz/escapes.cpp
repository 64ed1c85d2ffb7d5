// Python's string escapes in both directions, against the rules of its reference, written down one by one.
#include <wlfmt/oplog.hpp>

#include "check.hpp"

namespace {

namespace oplog = wlfmt::oplog;

std::string utf8(std::uint32_t c) {
    std::string t;
    const auto put = [&](std::uint32_t byte) { t += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 + c / 64);
        put(0x80 + c % 64);
    } else if (c < 0x10000) {
        put(0xE0 + c / 4096);
        put(0x80 + c / 64 % 64);
        put(0x80 + c % 64);
    } else {
        put(0xF0 + c / 262144);
        put(0x80 + c / 4096 % 64);
        put(0x80 + c / 64 % 64);
        put(0x80 + c % 64);
    }
    return t;
}

struct unescaped {
    std::string text;
    std::size_t bad;  // the offset of the first escape that Python refuses
};

// The value of the digits in [at, at + count); false if there are fewer digits.
bool take_digits(std::string_view t, std::size_t at, std::size_t count, std::uint32_t& value) {
    static constexpr std::string_view hex = "0123456789abcdef";
    value = 0;
    if (t.size() - at < count) return false;
    for (const char c : t.substr(at, count)) {
        const std::size_t digit = hex.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
        if (digit == std::string_view::npos) return false;
        value = value * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
}

unescaped unescape_slowly(std::string_view t) {
    static constexpr std::string_view letters = "\\'\"abfnrtv";
    static constexpr std::string_view meanings = "\\'\"\a\b\f\n\r\t\v";
    unescaped u{{}, t.size()};
    for (std::size_t at = 0; at < t.size();) {
        if (t[at] != '\\' || at + 1 == t.size()) {
            u.text += t[at++];
            continue;
        }
        const char c = t[at + 1];
        if (c == '\n') {
            at += 2;
            continue;
        }
        if (const std::size_t n = letters.find(c); n != std::string_view::npos) {
            u.text += meanings[n];
            at += 2;
            continue;
        }
        if (c >= '0' && c <= '7') {
            std::uint32_t value = 0;
            std::size_t size = 1;
            for (; size < 4 && at + size < t.size() && t[at + size] >= '0' && t[at + size] <= '7'; ++size)
                value = value * 8 + static_cast<std::uint32_t>(t[at + size] - '0');
            u.text += utf8(value);
            at += size;
            continue;
        }
        const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        std::uint32_t value = 0;
        if (digits != 0 && take_digits(t, at + 2, digits, value) && value <= 0x10FFFF) {
            u.text += utf8(value);
            at += 2 + digits;
            continue;
        }
        if ((digits != 0 || c == 'N') && u.bad == t.size()) u.bad = at;
        u.text += t[at++];
    }
    return u;
}

// Python's repr(str), except that bytes from 0x80 on stay as they are.
std::string quoted_slowly(std::string_view t) {
    const bool twice = t.find('\'') != std::string_view::npos && t.find('"') == std::string_view::npos;
    const char quote = twice ? '"' : '\'';
    std::string q(1, quote);
    for (const char c : t) {
        const auto byte = static_cast<unsigned char>(c);
        char hex[8];
        if (c == '\n') q += "\\n";
        else if (c == '\r') q += "\\r";
        else if (c == '\t') q += "\\t";
        else if (c == '\\' || c == quote) q.append("\\").append(1, c);
        else if (byte < 0x20 || byte == 0x7F)
            q.append(hex, static_cast<std::size_t>(std::snprintf(hex, sizeof hex, "\\x%02x", byte)));
        else q += c;
    }
    return q + quote;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::block block({reinterpret_cast<const char*>(data), size});
    const std::string_view text = block.view();

    const auto buffer = std::make_unique<char[]>(text.size());
    const std::string_view got = oplog::unescape(text, buffer.get());
    const unescaped expected = unescape_slowly(text);
    fuzz::check_same(std::string(got), expected.text, "unescape() reads Python's escapes");
    const bool plain = text.find('\\') == std::string_view::npos;
    fuzz::check(!plain || got.data() == text.data(), "what has no backslash is not copied");
    const char* const bad = wlfmt::detail::escapes::find_bad(text.data(), text.data() + text.size());
    fuzz::check(bad == text.data() + expected.bad, "the first escape that Python refuses is found", text);

    std::string quoted;
    oplog::write_quoted(quoted, text);
    fuzz::check_same(quoted, quoted_slowly(text), "write_quoted() writes Python's repr");
    const fuzz::block inner(std::string_view(quoted).substr(1, quoted.size() - 2));
    const auto back = std::make_unique<char[]>(inner.view().size());
    fuzz::check(oplog::unescape(inner.view(), back.get()) == text, "what is quoted reads back", quoted);
    const char* const after = wlfmt::detail::oplog_split::after_string(quoted.data(), quoted.data() + quoted.size());
    fuzz::check(after == quoted.data() + quoted.size(), "a quoted text ends at its quote", quoted);
    return 0;
}
