// The plain path of reading layers: lines of twelve well-formed fields with one tab between them, which end with a line
// feed or with a carriage return and a line feed.
//
// A field costs a few instructions and no branch that depends on its length: the separators are found for 64 bytes at
// once, and a time and a size are decoded together from the sixteen bytes that end with each of them.
#ifndef WLFMT_DETAIL_WORKLOAD_PLAIN_HPP
#define WLFMT_DETAIL_WORKLOAD_PLAIN_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../types/workload.hpp"
#include "../base/characters.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "state.hpp"
#include "words.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

inline constexpr std::ptrdiff_t window_size = 64;
inline constexpr std::ptrdiff_t max_plain_digits = 16;

// Which of the 64 bytes at p may separate fields: bit n for byte n. These are all blanks, line ends and other control
// characters, and, where it is cheaper so, bytes of characters beyond ASCII, whose lines are left to the general path.
WLFMT_INLINE std::uint64_t separator_bits(const char* p) noexcept {
#if defined(WLFMT_SSE2)
    // The difference has its top bit set for bytes up to the blank, and from 0xa1 on.
    const auto sixteen = [](const char* at) {
        return block::mask(sse2::sub_epi8(load_sixteen(at), sse2::set1_epi8(' ' + 1)));
    };
    return sixteen(p) | sixteen(p + 16) << 16 | sixteen(p + 32) << 32 | sixteen(p + 48) << 48;
#else
    std::uint64_t bits = 0;
    for (unsigned at = 0; at != window_size; at += 8) {
        const std::uint64_t bytes = load_eight(p + at);
        const std::uint64_t others = ((bytes & every_byte(0x7f)) + every_byte(0x7f - ' ')) | bytes;
        // The product gathers the top bits of eight bytes.
        bits |= ((~others & every_byte(0x80)) >> 7) * 0x0102040810204080u >> 56 << at;
    }
    return bits;
#endif
}

#if defined(WLFMT_SSE2)
// The last `size` bytes of the sixteen before `end` less '0', 1 <= size <= 16; the other bytes are 0.
WLFMT_INLINE sse2::m128i digits_before(const char* end, std::size_t size) noexcept {
    alignas(32) static constexpr signed char own[32] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                                        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const sse2::m128i text = sse2::sub_epi8(load_sixteen(end - max_plain_digits), sse2::set1_epi8('0'));
    return sse2::and_si128(text, load_sixteen(own + size));
}
#else
// Reads an integer of 1 to 16 digits.
WLFMT_INLINE bool digits_of(word w, std::size_t size, std::int64_t& value) noexcept {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    std::uint64_t low = load_eight(w.end - 8) ^ every_byte('0');
    std::uint64_t high = load_eight(w.end - 16) ^ every_byte('0');
    low &= size < 8 ? all << (64 - 8 * size) : all;
    high &= size > 8 ? all << (128 - 8 * size) : 0;
    if (WLFMT_UNLIKELY((not_digits(low) | not_digits(high)) != 0)) return false;
    value = static_cast<std::int64_t>(join_digits(high) * 100000000 + join_digits(low));
    return true;
}
#endif

// Reads two integers of 1 to 16 digits at once. Returns false if they are anything else. Loads the sixteen bytes before
// the end of each: the caller knows that the text begins at least that far before it.
WLFMT_INLINE bool read_two(word a, word b, std::int64_t& to_a, std::int64_t& to_b) noexcept {
    const auto size_a = static_cast<std::size_t>(a.end - a.begin);
    const auto size_b = static_cast<std::size_t>(b.end - b.begin);
    if (WLFMT_UNLIKELY(((size_a - 1) | (size_b - 1)) >= max_plain_digits)) return false;
#if defined(WLFMT_SSE2)
    const sse2::m128i digits_a = digits_before(a.end, size_a);
    const sse2::m128i digits_b = digits_before(b.end, size_b);
    // Above nine, the sum has its top bit set.
    const sse2::m128i most = sse2::adds_epu8(sse2::max_epu8(digits_a, digits_b), sse2::set1_epi8(0x7f - 9));
    if (WLFMT_UNLIKELY(sse2::movemask_epi8(most) != 0)) return false;
    const sse2::m128i fours =
        sse2::packs_epi32(sse2::madd_epi16(join_pairs(digits_a), sse2::set1_epi32(100 | 1 << 16)),
                          sse2::madd_epi16(join_pairs(digits_b), sse2::set1_epi32(100 | 1 << 16)));
    const sse2::m128i eights = sse2::madd_epi16(fours, sse2::set1_epi32(10000 | 1 << 16));
    const sse2::m128i both =
        sse2::add_epi64(sse2::mul_epu32(eights, sse2::set1_epi32(100000000)), sse2::srli_epi64(eights, 32));
    sse2::storel_epi64(&to_a, both);
    sse2::storel_epi64(&to_b, sse2::unpackhi_epi64(both, both));
    return true;
#else
    return digits_of(a, size_a, to_a) && digits_of(b, size_b, to_b);
#endif
}
// The same for one integer.
WLFMT_INLINE bool read_one(word w, std::int64_t& to) noexcept {
    const auto size = static_cast<std::size_t>(w.end - w.begin);
    if (WLFMT_UNLIKELY(size - 1 >= max_plain_digits)) return false;
#if defined(WLFMT_SSE2)
    const sse2::m128i digits = digits_before(w.end, size);
    if (WLFMT_UNLIKELY(sse2::movemask_epi8(sse2::adds_epu8(digits, sse2::set1_epi8(0x7f - 9))) != 0)) return false;
    const sse2::m128i fours = sse2::madd_epi16(join_pairs(digits), sse2::set1_epi32(100 | 1 << 16));
    const sse2::m128i eights = sse2::madd_epi16(sse2::packs_epi32(fours, fours), sse2::set1_epi32(10000 | 1 << 16));
    std::uint64_t halves;
    sse2::storel_epi64(&halves, eights);
    to = static_cast<std::int64_t>((halves & 0xffffffffu) * 100000000 + (halves >> 32));
    return true;
#else
    return digits_of(w, size, to);
#endif
}

// The next byte that is a separator or another control character; null if no whole window is left to look for it in.
WLFMT_INLINE const char* next_separator(separators& at) noexcept {
    while (WLFMT_UNLIKELY(at.unseen == 0)) {
        if (WLFMT_UNLIKELY(at.last_window - at.window < window_size)) return nullptr;
        at.window += window_size;
        at.unseen = separator_bits(at.window);
    }
    const char* const found = at.window + lowest_bit(at.unseen);
    at.unseen &= at.unseen - 1;
    return found;
}
// The same; also null if this byte is not the one that is wanted.
WLFMT_INLINE const char* next_separator(separators& at, char wanted) noexcept {
    const char* const found = next_separator(at);
    return WLFMT_LIKELY(found != nullptr) && WLFMT_LIKELY(*found == wanted) ? found : nullptr;
}

template <class Way>
struct workload_plain {
    // Reads the layer whose line begins at p, which is at least 16 bytes after the start of the text. Returns the
    // line's end, or null if the general path has to read the line; `to` then holds nothing of use.
    WLFMT_INLINE static const char* read_layer(const char* p, separators& ahead, workload::layer& to) noexcept {
        separators at = ahead;
        const char* const name = next_separator(at);
        const char* tab = next_separator(at);
        // If the second tab is three bytes after the first, four bytes follow the name.
        if (WLFMT_UNLIKELY(tab == nullptr || tab - name != 3)) return nullptr;
        if (WLFMT_UNLIKELY(word_difference<std::uint32_t>(name, "\t-1\t") != 0 || name == p)) return nullptr;
        tab = read_phase(tab, at, to.forward);
        if (WLFMT_UNLIKELY(tab == nullptr)) return nullptr;
        tab = read_phase(tab, at, to.input_grad);
        if (WLFMT_UNLIKELY(tab == nullptr)) return nullptr;
        tab = read_phase(tab, at, to.weight_grad);
        if (WLFMT_UNLIKELY(tab == nullptr)) return nullptr;
        const char* const last = next_separator(at);
        if (WLFMT_UNLIKELY(last == nullptr)) return nullptr;
        const char* line_end = last;
        if (WLFMT_UNLIKELY(*last != '\n')) {
            if (*last == '\r') line_end = next_separator(at, '\n');
            if (line_end != last + 1) return nullptr;
        }
        std::int64_t update = 0;
        if (WLFMT_UNLIKELY(!read_one({tab + 1, last}, update))) return nullptr;
        to.update = number(update);
        to.name = view(p, name);
        to.dependency = -1;
        to.policy = {};
        to.further = {};
        to.source = view(p, last);
        ahead.window = at.window;
        ahead.unseen = at.unseen;
        return line_end;
    }

private:
    // Reads the three fields after the tab at `before`; returns the tab after them, or null.
    WLFMT_INLINE static const char* read_phase(const char* before, separators& at, workload::phase& to) noexcept {
        const char* const compute = next_separator(at, '\t');
        if (WLFMT_UNLIKELY(compute == nullptr)) return nullptr;
        const char* const comm = next_separator(at, '\t');
        if (WLFMT_UNLIKELY(comm == nullptr)) return nullptr;
        const char* const bytes = next_separator(at, '\t');
        // No number begins with a byte above the digits, and no word is empty that begins with one.
        if (WLFMT_UNLIKELY(bytes == nullptr || static_cast<unsigned char>(compute[1]) <= '9')) return nullptr;
        std::int64_t ticks = 0;
        std::int64_t moved = 0;
        if (WLFMT_UNLIKELY(!read_two({before + 1, compute}, {comm + 1, bytes}, ticks, moved))) return nullptr;
        to.compute = number(ticks);
        to.bytes = number(moved);
        to.comm = view(compute + 1, comm);
        return bytes;
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
