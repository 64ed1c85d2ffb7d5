// Finds the next byte that matters, for all three formats. Each function returns the same with every instruction set
// (SSE2, NEON, portable), and reads no byte outside [p, end).
#ifndef WLFMT_DETAIL_BASE_SCAN_HPP
#define WLFMT_DETAIL_BASE_SCAN_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "sse2.hpp"

#include "config.hpp"
#if defined(WLFMT_NEON)
#include <arm_neon.h>
#endif

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The position of the lowest bit that is set; x is not 0.
WLFMT_INLINE std::size_t lowest_bit(std::uint64_t x) noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
    std::size_t n = 0;
    for (; (x & 1) == 0; x >>= 1) ++n;
    return n;
#elif defined(__GNUC__) && (!defined(__clang__) || __clang_major__ < 16) && defined(__x86_64__) && !defined(__BMI__)
    // The prefix turns bsf into tzcnt on processors that have it. Clang 15 emits bsf alone, which is several times as
    // slow on AMD's processors; GCC adds two instructions that clear and extend the result.
    std::uint64_t n = 0;
    __asm__("rep bsf{q %1, %0| %0, %1}" : "=r"(n) : "r"(x) : "cc");
    return n;
#else
    return static_cast<std::size_t>(__builtin_ctzll(x));
#endif
}

// The number of zero bits below the lowest bit that is set; x is not 0.
WLFMT_INLINE unsigned trailing_zeros(std::uint64_t x) noexcept { return static_cast<unsigned>(lowest_bit(x)); }

// The position of the highest bit that is set; x is not 0.
WLFMT_INLINE unsigned highest_bit(std::uint64_t x) noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned n = 63;
    for (; (x >> 63) == 0; x <<= 1) --n;
    return n;
#else
    return 63U - static_cast<unsigned>(__builtin_clzll(x));
#endif
}

// Loads N bytes, two or four, from a and N from b, and repeats them until eight bytes are full.
template <std::size_t N> WLFMT_INLINE std::uint64_t word_of_ends(const char* a, const char* b) noexcept {
    static_assert(N == 2 || N == 4);
    std::conditional_t<N == 2, std::uint16_t, std::uint32_t> head = 0;
    std::conditional_t<N == 2, std::uint16_t, std::uint32_t> tail = 0;
    std::memcpy(&head, a, N);
    std::memcpy(&tail, b, N);
    const std::uint64_t both = std::uint64_t{head} | std::uint64_t{tail} << 8 * N;
    return N == 2 ? both | both << 32 : both;
}

// Each instruction set's operations on a `vector` of sixteen bytes.
#if defined(WLFMT_SSE2)
WLFMT_INLINE sse2::m128i load_sixteen(const void* p) noexcept { return sse2::loadu_si128(p); }

struct vector_bytes {
    using vector = sse2::m128i;
    static constexpr unsigned bits_per_byte = 1;
    static constexpr std::uint64_t whole_mask = 0xffff;
    WLFMT_INLINE static vector load(const char* p) noexcept { return load_sixteen(p); }
    WLFMT_INLINE static vector load_eights(const void* a, const void* b) noexcept {
        return sse2::unpacklo_epi64(sse2::loadl_epi64(a), sse2::loadl_epi64(b));
    }
    WLFMT_INLINE static vector all(char c) noexcept { return sse2::set1_epi8(c); }
    WLFMT_INLINE static vector equal(vector a, vector b) noexcept { return sse2::cmpeq_epi8(a, b); }
    WLFMT_INLINE static vector least(vector a, vector b) noexcept { return sse2::min_epu8(a, b); }
    WLFMT_INLINE static vector at_most(vector a, vector b) noexcept { return equal(least(a, b), a); }
    WLFMT_INLINE static vector greater(vector a, vector b) noexcept { return sse2::cmpgt_epi8(a, b); }
    WLFMT_INLINE static vector either(vector a, vector b) noexcept { return sse2::or_si128(a, b); }
    WLFMT_INLINE static vector both(vector a, vector b) noexcept { return sse2::and_si128(a, b); }
    WLFMT_INLINE static vector without(vector a, vector b) noexcept { return sse2::andnot_si128(b, a); }
    WLFMT_INLINE static std::uint64_t mask(vector hits) noexcept {
        return static_cast<unsigned>(sse2::movemask_epi8(hits));
    }
};
#define WLFMT_BLOCK 1
#elif defined(WLFMT_NEON)
struct vector_bytes {
    using vector = uint8x16_t;
    static constexpr unsigned bits_per_byte = 4;
    static constexpr std::uint64_t whole_mask = ~std::uint64_t{0};
    WLFMT_INLINE static vector load(const void* p) noexcept { return vld1q_u8(static_cast<const std::uint8_t*>(p)); }
    WLFMT_INLINE static vector load_eights(const void* a, const void* b) noexcept {
        return vcombine_u8(vld1_u8(static_cast<const std::uint8_t*>(a)), vld1_u8(static_cast<const std::uint8_t*>(b)));
    }
    WLFMT_INLINE static vector all(char c) noexcept { return vdupq_n_u8(static_cast<std::uint8_t>(c)); }
    WLFMT_INLINE static vector equal(vector a, vector b) noexcept { return vceqq_u8(a, b); }
    WLFMT_INLINE static vector least(vector a, vector b) noexcept { return vminq_u8(a, b); }
    WLFMT_INLINE static vector at_most(vector a, vector b) noexcept { return vcleq_u8(a, b); }
    WLFMT_INLINE static vector greater(vector a, vector b) noexcept { return vcgtq_u8(a, b); }
    WLFMT_INLINE static vector either(vector a, vector b) noexcept { return vorrq_u8(a, b); }
    WLFMT_INLINE static vector both(vector a, vector b) noexcept { return vandq_u8(a, b); }
    WLFMT_INLINE static vector without(vector a, vector b) noexcept { return vbicq_u8(a, b); }
    WLFMT_INLINE static std::uint64_t mask(vector hits) noexcept {
        // NEON has no movemask: narrowing each pair of bytes by four bits leaves four bits for each byte.
        return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(hits), 4)), 0);
    }
};
#define WLFMT_BLOCK 1
#endif

#if defined(WLFMT_BLOCK)
// Sixteen bytes of text. Comparisons mark some of them in a vector, from which mask() makes `bits_per_byte` bits each.
struct block : vector_bytes {
    static constexpr std::size_t size = 16;
    vector bytes;
    WLFMT_INLINE explicit block(const char* p) noexcept : bytes(load(p)) {}
    WLFMT_INLINE explicit block(vector b) noexcept : bytes(b) {}
    WLFMT_INLINE static block of(char c) noexcept { return block(all(c)); }
    WLFMT_INLINE static block none() noexcept { return of('\0'); }
    // Loads N bytes from a and N from b, and repeats them until the block is full.
    template <std::size_t N> WLFMT_INLINE static block of_ends(const char* a, const char* b) noexcept {
        if constexpr (N == 8) {
            return block(load_eights(a, b));
        } else {
            const std::uint64_t word = word_of_ends<N>(a, b);
            return block(load_eights(&word, &word));
        }
    }
    WLFMT_INLINE vector is(char c) const noexcept { return equal(bytes, all(c)); }
    // Marks the bytes that are at most c, as unsigned numbers.
    WLFMT_INLINE vector up_to(char c) const noexcept { return at_most(bytes, all(c)); }
    // Marks the ASCII bytes above c. Bytes from 0x80 on are either all marked or all unmarked.
    WLFMT_INLINE vector above(char c) const noexcept { return greater(bytes, all(c)); }
    WLFMT_INLINE void keep_least(const block& other) noexcept { bytes = least(bytes, other.bytes); }
};
#endif

// A bound says how far a text may be read. It is a pointer to the text's end, against which each read is checked, or a
// `padded` if padded::fits() has found at least `room` bytes of text from a record's beginning on. With a `padded`,
// keys and short values need no check, but a value goes on after a whole block only if the place is not beyond `last`.
// So a place is beyond it by at most the keys and one block for each value. The reader of a record with K bytes of keys
// and V values must assert K + V * block::size + 2 * block::size <= room, as two blocks are read from one place.
// Reading a number also reads the block before its end, so a block of text must come before the first number.
struct padded {
    static constexpr std::ptrdiff_t room = 320;
    const char* last;

    WLFMT_INLINE static bool fits(const char* p, const char* end) noexcept { return end - p >= room; }
    WLFMT_INLINE constexpr explicit padded(const char* end) noexcept : last(end - room) {}
};
// Whether n bytes can be read at p.
WLFMT_INLINE bool holds(const char* end, const char* p, std::ptrdiff_t n) noexcept { return end - p >= n; }
WLFMT_INLINE constexpr bool holds(padded, const char*, std::ptrdiff_t) noexcept { return true; }
// Whether the rest of a record may be read from p, after a value of any length.
WLFMT_INLINE constexpr bool goes_on(const char*, const char*) noexcept { return true; }
WLFMT_INLINE bool goes_on(padded bound, const char* p) noexcept { return p <= bound.last; }
WLFMT_INLINE const char* end_of(const char* end) noexcept { return end; }
WLFMT_INLINE const char* end_of(padded bound) noexcept { return bound.last + padded::room; }

// A set of bytes that may end a value. hits() marks the bytes of a block that are in the set; has() checks one byte.
template <char First, char... More> struct bytes_of {
    template <class Block> WLFMT_INLINE static auto hits(const Block& b) noexcept {
        auto found = b.is(First);
        ((found = Block::either(found, b.is(More))), ...);
        return found;
    }
    WLFMT_INLINE static bool has(char c) noexcept { return c == First || ((c == More) || ...); }
};
// The set of all bytes except C.
template <char... C> struct bytes_but {
    template <class Block> WLFMT_INLINE static auto hits(const Block& b) noexcept {
        return Block::without(b.up_to('\xff'), bytes_of<C...>::hits(b));
    }
    WLFMT_INLINE static bool has(char c) noexcept { return !bytes_of<C...>::has(c); }
};
// The backslash and all bytes up to the comma, which one comparison finds. Apart from quotes and commas, few of these
// occur in values.
struct value_stops {
    template <class Block> WLFMT_INLINE static auto hits(const Block& b) noexcept {
        return Block::either(b.up_to(','), b.is('\\'));
    }
    WLFMT_INLINE static bool has(char c) noexcept { return static_cast<unsigned char>(c) <= ',' || c == '\\'; }
};

// The first byte of `Set` from p on. If there is none before the bound, what is returned is the bound, or the place
// where it stopped the search: check the byte there.
template <class Set, class Bound> WLFMT_INLINE const char* find_first(const char* p, Bound bound) noexcept {
#if defined(WLFMT_BLOCK)
    while (WLFMT_LIKELY(holds(bound, p, block::size))) {
        const std::uint64_t hits = block::mask(Set::hits(block(p)));
        if (WLFMT_LIKELY(hits != 0)) return p + trailing_zeros(hits) / block::bits_per_byte;
        if (WLFMT_UNLIKELY(!goes_on(bound, p))) return p;
        p += block::size;
    }
#endif
    [[maybe_unused]] constexpr std::ptrdiff_t max_unchecked = 16;
    for (const char* const begin = p; holds(bound, p, 1) && !Set::has(*p); ++p)
        if (p - begin >= max_unchecked && !goes_on(bound, p)) break;
    return p;
}
// The first of the bytes C. Meant for values, which are short.
template <char... C, class Bound> WLFMT_INLINE const char* find_any(const char* p, Bound bound) noexcept {
    return find_first<bytes_of<C...>>(p, bound);
}

WLFMT_INLINE bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
WLFMT_INLINE bool is_name_start(char c) noexcept {
    return static_cast<unsigned char>((c | 0x20) - 'a') < 26 || c == '_';
}
// Whether a name may contain this byte after its first one.
WLFMT_INLINE bool is_name(char c) noexcept { return is_name_start(c) || is_digit(c); }
WLFMT_INLINE bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The first byte of [p, end) that cannot be in a name, or end.
WLFMT_INLINE const char* after_name(const char* p, const char* end) noexcept {
#if defined(WLFMT_BLOCK)
    while (WLFMT_LIKELY(static_cast<std::size_t>(end - p) >= block::size)) {
        const block b(p);
        const auto among = [&b](char first, char last) {
            return block::without(b.up_to(last), b.up_to(static_cast<char>(first - 1)));
        };
        const auto letters = block::either(among('a', 'z'), among('A', 'Z'));
        const auto names = block::either(block::either(letters, among('0', '9')), b.is('_'));
        const std::uint64_t others = ~block::mask(names) & block::whole_mask;
        if (WLFMT_LIKELY(others != 0)) return p + trailing_zeros(others) / block::bits_per_byte;
        p += block::size;
    }
#endif
    while (p != end && is_name(*p)) ++p;
    return p;
}

// The last of the bytes C in [begin, p), or null. Meant for bytes a short way before p.
template <char... C> WLFMT_INLINE const char* find_last(const char* begin, const char* p) noexcept {
#if defined(WLFMT_BLOCK)
    if (WLFMT_LIKELY(p - begin >= static_cast<std::ptrdiff_t>(block::size))) {
        const std::uint64_t hits = block::mask(bytes_of<C...>::hits(block(p - block::size)));
        if (WLFMT_LIKELY(hits != 0)) return p - block::size + highest_bit(hits) / block::bits_per_byte;
        p -= block::size;
    }
#endif
    while (p != begin)
        if (--p, ((*p == C) || ...)) return p;
    return nullptr;
}

// The first c in [p, end), or end. Meant for lines, which are long: the library's memchr() is fastest for them.
WLFMT_INLINE const char* find_far(const char* p, const char* end, char c) noexcept {
    if (p == end) return end;
    const void* hit = std::memchr(p, c, static_cast<std::size_t>(end - p));
    return hit != nullptr ? static_cast<const char*>(hit) : end;
}

// Prefetches bytes where the next long line may be. That reads nothing, so they may be after the text's end.
WLFMT_INLINE void fetch_ahead(const char* p) noexcept {
#if defined(__GNUC__)
    const std::uintptr_t ahead = reinterpret_cast<std::uintptr_t>(p) + 4096;
    for (std::uintptr_t n = 0; n != 3; ++n) __builtin_prefetch(reinterpret_cast<const void*>(ahead + 64 * n));
#else
    static_cast<void>(p);
#endif
}

// Whether the N bytes at p differ from those of a literal. Compares words, which may overlap, as memcmp() may be a
// call.
template <std::size_t N> WLFMT_INLINE bool differs(const char* p, const char* literal) noexcept {
    constexpr std::size_t word = N >= 8 ? 8 : N >= 4 ? 4 : N;
    constexpr std::size_t next = N < 2 * word ? N - word : word;
    if constexpr (N == word) return std::memcmp(p, literal, N) != 0;
    else return differs<word>(p, literal) || differs<N - next>(p + next, literal + next);
}

template <class Bound, std::size_t N>
WLFMT_INLINE bool starts(const char* p, Bound bound, const char (&literal)[N]) noexcept {
    return holds(bound, p, N - 1) && !differs<N - 1>(p, literal);
}

WLFMT_INLINE std::string_view view(const char* begin, const char* end) noexcept {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

// The text without the byte order mark that some editors put before UTF-8.
inline std::string_view without_bom(std::string_view text) noexcept {
    return text.substr(text.size() >= 3 && text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0);
}

inline std::string_view trimmed(std::string_view s) noexcept {
    while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
    return s;
}

// Hands out the lines of a text, each without its end ('\n' or "\r\n"); the last one need not have an end.
class line_cursor {
public:
    line_cursor() noexcept = default;
    explicit line_cursor(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

    bool done() const noexcept { return at_ == end_; }
    const char* at() const noexcept { return at_; }
    const char* end() const noexcept { return end_; }

    WLFMT_INLINE std::string_view next() noexcept {
        const char* begin = at_;
        const char* stop = find_far(begin, end_, '\n');
        at_ = stop == end_ ? end_ : stop + 1;
        if (stop != begin && stop[-1] == '\r') --stop;
        return view(begin, stop);
    }

private:
    const char* at_ = nullptr;
    const char* end_ = nullptr;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#undef WLFMT_BLOCK

#endif
