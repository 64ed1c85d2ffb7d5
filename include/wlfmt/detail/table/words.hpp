// Whether a text is one run of a line, or part of a rule, looked at several bytes at a time.
#ifndef WLFMT_DETAIL_TABLE_WORDS_HPP
#define WLFMT_DETAIL_TABLE_WORDS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../base/characters.hpp"
#include "../base/scan.hpp"
#include "print.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Is a text one run of a line, so that a reader takes it for one cell: words joined by single spaces? `names`: by
// single blanks of any kind, as in a header.
inline bool is_any_run(std::string_view text, bool names) noexcept {
    const char* const end = text.data() + text.size();
    bool blank_before = true;
    for (const char* p = text.data(); p != end;) {
        const std::size_t blank = blank_size(p, end);
        if (blank != 0 && (blank_before || *p == '\n' || (*p != ' ' && !names))) return false;
        blank_before = blank != 0;
        p += blank != 0 ? blank : character_size(view(p, end), 0);
    }
    return !blank_before;
}

// Which bytes of a word are spaces: the highest bit of each.
WLFMT_INLINE std::uint64_t spaces_of(std::uint64_t word) noexcept {
    const std::uint64_t x = word ^ every_byte(' ');
    return ~(((x & every_byte(0x7F)) + every_byte(0x7F)) | x) & every_byte(0x80);
}
// Which bytes of a word are not printable ASCII. DEL counts as printable: tables take it for an ordinary character.
WLFMT_INLINE std::uint64_t others_of(std::uint64_t word) noexcept {
    return (~((word & every_byte(0x7F)) + every_byte(0x60)) | word) & every_byte(0x80);
}

// Of a text of 9 bytes or more: has it neither two spaces in a row nor anything but printable ASCII? Looks at each byte
// with the one after it.
#if defined(WLFMT_SSE2)
// As signed bytes the ones from 0x80 on are below the space, too.
WLFMT_INLINE sse2::m128i bytes_beside_words(sse2::m128i bytes, sse2::m128i next) noexcept {
    const sse2::m128i space = sse2::set1_epi8(' ');
    const sse2::m128i pairs = sse2::and_si128(sse2::cmpeq_epi8(bytes, space), sse2::cmpeq_epi8(next, space));
    return sse2::or_si128(pairs, sse2::cmplt_epi8(bytes, space));
}
WLFMT_INLINE bool has_plain_words(std::string_view text) noexcept {
    const char* p = text.data();
    const sse2::m128i space = sse2::set1_epi8(' ');
    if (text.size() < 17) {
        // The first eight pairs of neighbours and the last eight.
        const char* const last = p + text.size() - 9;
        const sse2::m128i bytes = load_eights(p, last);
        const sse2::m128i next = load_eights(p + 1, last + 1);
        const sse2::m128i found = bytes_beside_words(bytes, next);
        return sse2::movemask_epi8(sse2::or_si128(found, sse2::cmplt_epi8(next, space))) == 0;
    }
    const char* const last = p + text.size() - 17;
    const sse2::m128i end = load_sixteen(last + 1);
    const sse2::m128i before = load_sixteen(last);
    sse2::m128i found = sse2::or_si128(bytes_beside_words(before, end), sse2::cmplt_epi8(end, space));
    for (; p < last; p += 16) {
        const sse2::m128i bytes = load_sixteen(p);
        const sse2::m128i next = load_sixteen(p + 1);
        found = sse2::or_si128(found, bytes_beside_words(bytes, next));
    }
    return sse2::movemask_epi8(found) == 0;
}
#else
WLFMT_INLINE bool has_plain_words(std::string_view text) noexcept {
    const char* const last = text.data() + text.size() - 9;
    std::uint64_t found = others_of(load_eight(last)) | others_of(load_eight(last + 1)) |
                          (spaces_of(load_eight(last)) & spaces_of(load_eight(last + 1)));
    for (const char* p = text.data(); p < last; p += 8) {
        const std::uint64_t word = load_eight(p);
        found |= others_of(word) | (spaces_of(word) & spaces_of(load_eight(p + 1)));
    }
    return found == 0;
}
#endif

// The same as is_any_run() for a cell of a row, but several bytes at a time if the text is printable ASCII.
WLFMT_INLINE bool is_run(std::string_view text, std::size_t& characters) noexcept {
    characters = text.size();
    if (WLFMT_LIKELY(text.size() > 8)) {
        if (WLFMT_LIKELY(has_plain_words(text))) return text.front() != ' ' && text.back() != ' ';
    } else if (WLFMT_LIKELY(text.size() >= 4)) {
        // Two halves, which overlap where there are fewer than eight bytes.
        char halves[8];
        std::memcpy(halves, text.data(), 4);
        std::memcpy(halves + 4, text.data() + text.size() - 4, 4);
        const std::uint64_t word = load_eight(halves);
        const std::uint64_t spaces = spaces_of(word);
        const std::uint64_t ends = std::uint64_t{0x80} << 56 | 0x80;
        if (WLFMT_LIKELY((others_of(word) | (spaces & spaces >> 8) | (spaces & ends)) == 0)) return true;
    }
    characters = table_printing::width_of(text);
    return is_any_run(text, false);
}

// How many groups of three or more dashes a text consists of, as a rule does; 0 for any other text.
inline std::size_t count_dash_groups(std::string_view text) noexcept {
    const char* p = text.data();
    const char* const end = p + text.size();
    for (std::size_t groups = 0;; ++groups) {
        p = after_blanks(p, end);
        if (p == end) return groups;
        const char* const begin = p;
        while (p != end && (*p == '-' || *p == '=')) ++p;
        if (p - begin < 3 || (p != end && blank_size(p, end) == 0)) return 0;
    }
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
