// Hashes of texts, the same on machines of one byte order.
#ifndef WLFMT_DETAIL_BASE_HASH_HPP
#define WLFMT_DETAIL_BASE_HASH_HPP

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
inline std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) noexcept {
    std::uint64_t h = seed ^ text.size();
    while (text.size() >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), 8);
        h = mix(h, word);
        text.remove_prefix(8);
    }
    std::uint64_t word = 0;
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    return mix(h, word);
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
