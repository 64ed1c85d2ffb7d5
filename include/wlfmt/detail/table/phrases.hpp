// The phrases of a line: words joined by single blanks, between two or more blanks. Each cell of a table is a phrase.
#ifndef WLFMT_DETAIL_TABLE_PHRASES_HPP
#define WLFMT_DETAIL_TABLE_PHRASES_HPP

#include "../../characters.hpp"
#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The size of the blank at p, or 0. Blanks are all that Python's \s matches, as editors and web pages replace spaces.
inline std::size_t blank_size(const char* p, const char* end) noexcept {
    const auto byte = [&](std::ptrdiff_t n) { return n < end - p ? static_cast<unsigned char>(p[n]) : 0U; };
    const unsigned first = byte(0);
    if (first < 0x80) return first == ' ' || (first >= '\t' && first <= '\r') || (first >= 0x1C && first <= 0x1F);
    if (first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
    if (first < 0xE1 || first > 0xE3) return 0;
    const unsigned c = first << 16 | byte(1) << 8 | byte(2);
    const bool wide = c == 0xE19A80 || (c >= 0xE28080 && c <= 0xE2808A) || c == 0xE280A8 || c == 0xE280A9 ||
                      c == 0xE280AF || c == 0xE2819F || c == 0xE38080;
    return wide ? 3 : 0;
}

// The size of the escape sequence at p that changes the colour (such as `\x1b[1;36m`) or clears the line, or of one
// that was cut off and has only blanks after it; 0 if there is none. Terminals show nothing in its place.
inline std::size_t colour_size(const char* p, const char* end) noexcept {
    if (p == end || *p != '\x1b') return 0;
    const char* q = p + 1;
    if (q != end && *q == '[') {
        do ++q;
        while (q != end && ((*q >= '0' && *q <= '9') || *q == ';'));
        if (q != end && (*q == 'm' || *q == 'K')) return static_cast<std::size_t>(q + 1 - p);
    }
    const char* after = q;
    while (const std::size_t blank = blank_size(after, end)) after += blank;
    return after == end ? static_cast<std::size_t>(q - p) : 0;
}

inline const char* after_colours(const char* p, const char* end) noexcept {
    while (const std::size_t size = colour_size(p, end)) p += size;
    return p;
}

// Whether a single blank at p joins words in a row: a space, or the no-break space that browsers make of it.
inline bool is_joining_blank(const char* p, const char* end) noexcept {
    return *p == ' ' || view(p, end).substr(0, 2) == "\xC2\xA0";
}

inline const char* after_blanks(const char* p, const char* end) noexcept {
    for (;;) {
        while (p != end && *p == ' ') ++p;
        if (p == end) break;
        std::size_t size = blank_size(p, end);
        if (size == 0) size = colour_size(p, end);
        if (size == 0) break;
        p += size;
    }
    return p;
}

inline bool is_blank_line(std::string_view line) noexcept {
    const char* const end = line.data() + line.size();
    return after_blanks(line.data(), end) == end;
}

// The end of a text without the colour at its end, if there is one.
inline const char* without_colour(const char* begin, const char* end) noexcept {
    constexpr std::ptrdiff_t longest = 24;
    for (const char* p = end; p != begin && end - p != longest;) {
        if (*--p != '\x1b') continue;
        return colour_size(p, end) == static_cast<std::size_t>(end - p) ? p : end;
    }
    return end;
}

// How many characters of a line a terminal shows: colours take no space.
inline std::size_t count_shown(std::string_view line) noexcept {
    const char* const end = line.data() + line.size();
    std::size_t characters = count_characters(line);
    for (std::size_t at = 0; (at = line.find('\x1b', at)) != std::string_view::npos;) {
        const std::size_t colour = colour_size(line.data() + at, end);
        characters -= colour;
        at += colour != 0 ? colour : 1;
    }
    return characters;
}

// Removes blanks, including those beyond ASCII, and colours from both ends of a text.
inline std::string_view without_blanks(std::string_view s) noexcept {
    const char* end = s.data() + s.size();
    const char* begin = after_blanks(s.data(), end);
    while (begin != end) {
        std::ptrdiff_t size = 1;
        while (size <= 3 && size <= end - begin && blank_size(end - size, end) != static_cast<std::size_t>(size))
            ++size;
        if (size > 3 || size > end - begin) {
            const char* const before = without_colour(begin, end);
            if (before == end) break;
            end = before;
            continue;
        }
        end -= size;
    }
    return view(begin, end);
}

// One bit for each of up to 64 bytes: which are spaces, and which are neither spaces nor printable ASCII.
struct byte_classes {
    std::uint64_t spaces;
    std::uint64_t others;
};

#if defined(WLFMT_SSE2)
WLFMT_INLINE byte_classes classify_sixteen(const char* p) noexcept {
    const sse2::m128i bytes = load_sixteen(p);
    const sse2::m128i space = sse2::set1_epi8(' ');
    const int spaces = sse2::movemask_epi8(sse2::cmpeq_epi8(bytes, space));
    // Bytes from 0x80 on are negative as signed bytes, and so also below the space.
    const int others = sse2::movemask_epi8(sse2::cmplt_epi8(bytes, space));
    return {static_cast<unsigned>(spaces), static_cast<unsigned>(others)};
}
#else
WLFMT_INLINE byte_classes classify_eight(std::uint64_t word) noexcept {
    // Gathers the highest bit of each byte of a word into eight neighbouring bits.
    const auto gather = [](std::uint64_t high) { return ((high >> 7) * 0x0102040810204080u) >> 56; };
    const std::uint64_t low = word & every_byte(0x7F);
    const std::uint64_t from_space = (low + every_byte(0x80 - ' ')) & ~word & every_byte(0x80);
    const std::uint64_t above_space = (low + every_byte(0x7F - ' ')) & ~word & every_byte(0x80);
    return {gather(from_space & ~above_space), gather(from_space ^ every_byte(0x80))};
}
WLFMT_INLINE byte_classes classify_sixteen(const char* p) noexcept {
    const byte_classes a = classify_eight(load_eight(p));
    const byte_classes b = classify_eight(load_eight(p + 8));
    return {a.spaces | b.spaces << 8, a.others | b.others << 8};
}
#endif

WLFMT_INLINE byte_classes classify(const char* p) noexcept {
    const byte_classes a = classify_sixteen(p);
    const byte_classes b = classify_sixteen(p + 16);
    const byte_classes c = classify_sixteen(p + 32);
    const byte_classes d = classify_sixteen(p + 48);
    return {a.spaces | b.spaces << 16 | c.spaces << 32 | d.spaces << 48,
            a.others | b.others << 16 | c.others << 32 | d.others << 48};
}

struct table_phrases {
    static constexpr std::size_t max_count = table::max_columns;

    std::string_view line = {};  // the line that was split, without its end
    std::size_t count = 0;       // the number of phrases; max_count + 1 if there are more
    bool plain = true;           // the line is all printable ASCII, so that a character is a byte

    // Phrase n is [bytes[2n], bytes[2n + 1]). A block of 64 bytes is taken whole, so there is room for the edges of one
    // more block after the last phrase.
    std::size_t bytes[2 * (max_count + 1) + 64];
    // The same in characters; set only if the line is not plain.
    std::size_t characters[2 * (max_count + 1)];

    const std::size_t* positions() const noexcept { return plain ? bytes : characters; }
    std::string_view operator[](std::size_t n) const noexcept {
        return view(line.data() + bytes[2 * n], line.data() + bytes[2 * n + 1]);
    }

    // Splits the line that begins at p; returns where the next one begins.
    WLFMT_INLINE const char* split(const char* p, const char* end) noexcept {
        std::size_t edges = 0;
        std::uint64_t space_before = 1;
        std::uint64_t pair_before = 1;
        for (const char* at = p;; at += 64) {
            byte_classes c = WLFMT_LIKELY(end - at >= 64) ? classify(at) : classify_last(at, end);
            const bool last = c.others != 0;
            const char* stop = at;
            if (last) {
                const unsigned n = trailing_zeros(c.others);
                stop += n;
                c.spaces |= ~std::uint64_t{0} << n;
            }
            // Phrases end and begin where two or more spaces in a row begin and end: at edges of the mask of pairs.
            const std::uint64_t pairs = c.spaces & (c.spaces << 1 | space_before);
            std::uint64_t edge = pairs ^ (pairs << 1 | pair_before);
            // The pair that ends a phrase is found at its second space, a byte after the phrase's end.
            const auto offset = static_cast<std::size_t>(at - p);
            for (; edge != 0; edge &= edge - 1, ++edges) bytes[edges] = offset + trailing_zeros(edge) - (edges & 1);
            if (last) {
                const char* next = stop;
                if (next != end && *next == '\r') ++next;
                if (WLFMT_UNLIKELY(next != end && *next++ != '\n')) return split_other(p, end);
                if (edges & 1) bytes[edges++] = static_cast<std::size_t>(stop - p);
                plain = true;
                line = view(p, stop);
                count = edges / 2 <= max_count ? edges / 2 : max_count + 1;
                return next;
            }
            if (WLFMT_UNLIKELY(edges > 2 * max_count + 1)) return split_other(p, end);
            space_before = c.spaces >> 63;
            pair_before = pairs >> 63;
        }
    }

    // Splits a line (`names`: a header line), unless it is the one that was split last. Returns the number of phrases.
    std::size_t split_line(std::string_view text, bool names = false) noexcept {
        const bool is_split = plain && text.data() == line.data() && text.size() == line.size();
        if (!is_split) split(text.data(), text.data() + text.size());
        if (names && !plain) split_characters(true);
        return count;
    }

    // Splits a line that is not plain. In rows, a single space or no-break space joins words and any other blank
    // separates them; in header lines (`names`) any single blank joins them.
    void split_characters(bool names) noexcept {
        const char* const begin = line.data();
        const char* const end = begin + line.size();
        plain = false;
        std::size_t edges = 0;
        std::size_t character = 0;
        bool space_before = false;       // a single blank after an open phrase, which may join it to the next word
        const char* end_phrase = begin;  // the end of the open phrase, without the colours after it
        for (const char* p = begin; p != end; ++character) {
            p = after_colours(p, end);
            if (p == end) break;
            const std::size_t blank = blank_size(p, end);
            const std::size_t size = blank != 0 ? blank : character_size(view(p, end), 0);
            const bool open = (edges & 1) != 0;
            if (blank == 0) {
                end_phrase = p + size;
                if (!open) {
                    if (edges > 2 * max_count) break;
                    set_edge(edges++, p, character);
                }
                space_before = false;
            } else if (open) {
                if (!space_before) {
                    set_edge(edges, end_phrase, character);
                    space_before = names || is_joining_blank(p, end);
                    edges += !space_before;
                } else {
                    space_before = false;
                    ++edges;
                }
            }
            p += size;
        }
        if ((edges & 1) != 0) {
            if (!space_before) set_edge(edges, end_phrase, character);
            ++edges;
        }
        count = edges / 2;
    }

private:
    void set_edge(std::size_t n, const char* p, std::size_t character) noexcept {
        bytes[n] = static_cast<std::size_t>(p - line.data());
        characters[n] = character;
    }

    // Classifies the last bytes of the text, as if a line end followed.
    static WLFMT_COLD byte_classes classify_last(const char* p, const char* end) noexcept {
        char copy[64];
        std::memset(copy, '\n', sizeof copy);
        if (p != end) std::memcpy(copy, p, static_cast<std::size_t>(end - p));
        return classify(copy);
    }

    // Splits a line that is not plain, or has too many phrases.
    WLFMT_COLD const char* split_other(const char* p, const char* end) noexcept {
        const char* const stop = find_far(p, end, '\n');
        line = view(p, stop != p && stop[-1] == '\r' ? stop - 1 : stop);
        split_characters(false);
        return stop == end ? end : stop + 1;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
