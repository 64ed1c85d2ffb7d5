// Numbers texts in the order in which they first occur, and finds the number of a text.
#ifndef WLFMT_DETAIL_BASE_TEXT_SLOTS_HPP
#define WLFMT_DETAIL_BASE_TEXT_SLOTS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

inline std::uint64_t mix(std::uint64_t h, std::uint64_t v) noexcept {
    h = (h ^ v) * 0x9e3779b97f4a7c15U;
    return h ^ h >> 29;
}
// Short texts are read in words that overlap, which takes fewer steps than a loop over their bytes.
inline std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) noexcept {
    std::uint64_t h = seed ^ text.size();
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t word = 0;
    for (; left > 8; left -= 8, at += 8) {
        std::memcpy(&word, at, 8);
        h = mix(h, word);
    }
    if (text.size() >= 8) {
        std::memcpy(&word, at + left - 8, 8);
    } else if (left >= 4) {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, at, 4);
        std::memcpy(&last, at + left - 4, 4);
        word = first | std::uint64_t{last} << 32;
    } else if (left != 0) {
        const auto byte = [at](std::size_t n) { return std::uint64_t{static_cast<unsigned char>(at[n])}; };
        word = byte(0) | byte(left / 2) << 8 | byte(left - 1) << 16;
    }
    return mix(h, word);
}

// a == b. Most texts of a log are short, and a call to memcmp() would take longer than the comparison.
inline bool same_text(std::string_view a, std::string_view b) noexcept {
    const std::size_t size = a.size();
    if (size != b.size()) return false;
    if (size > 64) return std::memcmp(a.data(), b.data(), size) == 0;
    const auto differ = [&](auto word, std::size_t at) {
        auto other = word;
        std::memcpy(&word, a.data() + at, sizeof word);
        std::memcpy(&other, b.data() + at, sizeof other);
        return word != other;
    };
    // The last two words of a text overlap. The last one is compared first, as names that begin alike differ at their
    // ends.
    if (size >= 8) {
        if (differ(std::uint64_t{}, size - 8)) return false;
        for (std::size_t at = 0; at + 8 < size; at += 8)
            if (differ(std::uint64_t{}, at)) return false;
        return true;
    }
    if (size >= 4) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, size - 4);
    for (std::size_t n = 0; n != size; ++n)
        if (a[n] != b[n]) return false;
    return true;
}

// A hash table from texts to their numbers. The caller keeps the texts; text_of(n) returns the n-th one. The hash is
// seeded with an address, so that nobody can prepare texts that collide; if many collide nevertheless, the table gets
// another seed.
class text_slots {
public:
    // The number of a text; -1 if it was not added.
    template <class TextOf> std::int32_t find(std::string_view text, const TextOf& text_of) const noexcept {
        return slots_.empty() ? -1 : slots_[slot_of(text, hash(text), text_of)];
    }
    // As find(), but a text that was not added is added with the next number.
    template <class TextOf> std::int32_t find_or_add(std::string_view text, const TextOf& text_of) {
        if (WLFMT_UNLIKELY(slots_.size() < 2 * (hashes_.size() + 1)))
            place_all(slots_.empty() ? 64 : 4 * slots_.size(), slots_.empty(), text_of);
        const std::uint32_t h = hash(text);
        const std::size_t at = h & (slots_.size() - 1);
        return slots_[at] < 0 ? add_to(at, h) : search_or_add(text, h, text_of);
    }
    void clear() noexcept {
        slots_.clear();
        hashes_.clear();
    }

private:
    static constexpr std::size_t max_steps = 64;

    std::uint32_t hash(std::string_view text) const noexcept {
        return static_cast<std::uint32_t>(mix(seed_, hash_of(text, seed_)));
    }
    std::int32_t add_to(std::size_t slot, std::uint32_t h) {
        hashes_.push_back(h);
        return slots_[slot] = static_cast<std::int32_t>(hashes_.size() - 1);
    }
    // Out of line, so that adding a text whose slot is free needs few registers.
    template <class TextOf>
    WLFMT_NOINLINE std::int32_t search_or_add(std::string_view text, std::uint32_t h, const TextOf& text_of) {
        for (;; place_all(slots_.size(), true, text_of), h = hash(text)) {
            const std::size_t at = slot_of(text, h, text_of);
            if (slots_[at] >= 0) return slots_[at];
            if (((at - h) & (slots_.size() - 1)) < max_steps) return add_to(at, h);
        }
    }
    // The slot of a text or, if it was not added, the free slot for it.
    template <class TextOf>
    std::size_t slot_of(std::string_view text, std::uint32_t h, const TextOf& text_of) const noexcept {
        std::size_t at = h & (slots_.size() - 1);
        for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1)) {
            const auto n = static_cast<std::size_t>(slots_[at]);
            if (hashes_[n] == h && same_text(text_of(slots_[at]), text)) break;
        }
        return at;
    }
    // Places all texts in `size` slots, with another seed if `reseeds`. Doubles the size if searches are long.
    template <class TextOf> WLFMT_NOINLINE void place_all(std::size_t size, bool reseeds, const TextOf& text_of) {
        for (;; size *= 2, reseeds = true) {
            if (reseeds) {
                seed_ = mix(seed_ + 1, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this)));
                for (std::size_t n = 0; n != hashes_.size(); ++n)
                    hashes_[n] = hash(text_of(static_cast<std::int32_t>(n)));
            }
            slots_.assign(size, -1);
            std::size_t n = 0;
            while (n != hashes_.size() && place(n)) ++n;
            if (n == hashes_.size()) return;
        }
    }
    // Returns false if the search for a free slot takes too many steps.
    bool place(std::size_t n) noexcept {
        std::size_t at = hashes_[n] & (slots_.size() - 1);
        for (std::size_t steps = 0; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1))
            if (++steps == max_steps) return false;
        slots_[at] = static_cast<std::int32_t>(n);
        return true;
    }

    std::vector<std::int32_t> slots_;  // their number is a power of two; -1 is a free slot
    std::vector<std::uint32_t> hashes_;
    std::uint64_t seed_ = 0;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
