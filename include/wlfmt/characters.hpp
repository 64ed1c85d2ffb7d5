// wlfmt/characters.hpp: the characters of UTF-8 texts: where they begin and end, how many there are, and whether a
// terminal prints them.
#include "version.hpp"

#ifndef WLFMT_CHARACTERS_HPP
#define WLFMT_CHARACTERS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "types/text.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

// The size in bytes of the UTF-8 character that begins at s[at]; 0 if none begins there. Overlong forms, surrogates and
// code points beyond U+10FFFF are not characters.
[[nodiscard]] inline std::size_t utf8_size(text_view s, std::size_t at) noexcept {
    const auto byte = [&](std::size_t n) -> unsigned {
        return n < s.size() - at ? static_cast<unsigned char>(s[at + n]) : 0U;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    for (std::size_t n = 1; n != size; ++n)
        if ((byte(n) & 0xC0U) != 0x80U) return 0;
    const bool too_long = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return too_long || surrogate || beyond ? 0 : size;
}

// As utf8_size(), but a byte that begins no character counts as a character of one byte.
[[nodiscard]] inline std::size_t character_size(text_view s, std::size_t at) noexcept {
    const std::size_t size = utf8_size(s, at);
    return size == 0 ? 1 : size;
}

// Whether all of a text is UTF-8.
[[nodiscard]] inline bool is_utf8(text_view s) noexcept {
    std::size_t at = 0;
    while (at < s.size()) {
        const std::size_t size = utf8_size(s, at);
        if (size == 0) return false;
        at += size;
    }
    return true;
}

// The number of characters; a byte that is not UTF-8 counts as a character.
[[nodiscard]] inline std::size_t count_characters(text_view s) noexcept {
    std::size_t n = 0;
    for (std::size_t at = 0; at < s.size();) {
        // Eight bytes of ASCII are eight characters.
        std::uint64_t eight = ~std::uint64_t{0};
        if (s.size() - at >= sizeof eight) std::memcpy(&eight, s.data() + at, sizeof eight);
        const bool ascii = (eight & 0x8080808080808080U) == 0;
        at += ascii ? sizeof eight : character_size(s, at);
        n += ascii ? sizeof eight : 1;
    }
    return n;
}

// Where the character that contains s[at] begins, so that a text can be cut there; `at` itself if no character does.
[[nodiscard]] inline std::size_t character_start(text_view s, std::size_t at) noexcept {
    for (std::size_t back = 1; back < 4 && back <= at; ++back)
        if (character_size(s, at - back) > back) return at - back;
    return at;
}

// Whether a terminal prints a character, which must not be empty: not U+0000 to U+001F, U+007F to U+009F, or a byte
// that is not UTF-8.
[[nodiscard]] inline bool is_printable(text_view character) noexcept {
    const auto lead = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return lead >= 0x20 && lead < 0x7F;
    return lead != 0xC2 || static_cast<unsigned char>(character[1]) >= 0xA0;
}

namespace detail {

template <class String, class... Parts> void append_all(String& out, const Parts&... parts) { ((out += parts), ...); }

// Appends a text with a blank for each tab and a dot for every other character that is not printable.
template <class String> void append_printable(String& out, std::string_view s) {
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t size = character_size(s, at);
        if (is_printable(s.substr(at, size))) out.append(s.data() + at, size);
        else out += s[at] == '\t' ? ' ' : '.';
        at += size;
    }
}

}  // namespace detail

}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
