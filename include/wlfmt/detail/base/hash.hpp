// Hashes of texts, the same on machines of one byte order.
#ifndef WLFMT_DETAIL_BASE_HASH_HPP
#define WLFMT_DETAIL_BASE_HASH_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

inline std::uint64_t mix(std::uint64_t h, std::uint64_t v) noexcept {
    h = (h ^ v) * 0x9e3779b97f4a7c15U;
    return h ^ h >> 29;
}
// Short texts are read in pieces that overlap, which takes fewer steps than a loop over their bytes.
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

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
