// Counting lines.
#ifndef WLFMT_DETAIL_BASE_LINES_HPP
#define WLFMT_DETAIL_BASE_LINES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scan.hpp"

#include "config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// How many line ends a text holds.
inline std::uint64_t count_line_ends(std::string_view text) noexcept {
    const char* p = text.data();
    const char* const end = p + text.size();
    std::uint64_t count = 0;
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
    // A counter of a block holds 255.
    constexpr std::size_t most_blocks = 255;
    while (static_cast<std::size_t>(end - p) >= block::size) {
        const std::size_t blocks = static_cast<std::size_t>(end - p) / block::size;
        const char* const stop = p + (blocks < most_blocks ? blocks : most_blocks) * block::size;
        block counted = block::none();
        for (; p != stop; p += block::size) counted.count(block(p).is('\n'));
        count += counted.sum();
    }
#endif
    for (; p != end; ++p) count += *p == '\n';
    return count;
}

// The size of a text up to its last line end, which is included; 0 if the text has no line end.
inline std::size_t size_of_whole_lines(std::string_view text) noexcept {
    const char* const begin = text.data();
    const char* p = begin + text.size();
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
    while (static_cast<std::size_t>(p - begin) >= block::size) {
        const std::uint64_t hits = block::mask(block(p - block::size).is('\n'));
        if (hits != 0)
            return static_cast<std::size_t>(p - begin) - block::size + highest_bit(hits) / block::bits_per_byte + 1;
        p -= block::size;
    }
#endif
    while (p != begin && p[-1] != '\n') --p;
    return static_cast<std::size_t>(p - begin);
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
