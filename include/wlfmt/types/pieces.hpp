// wlfmt/types/pieces.hpp: parts of texts. wlfmt/oplog/pieces.hpp makes them, and wlfmt/oplog/stream.hpp reads them.
#include "../version.hpp"

#ifndef WLFMT_TYPES_PIECES_HPP
#define WLFMT_TYPES_PIECES_HPP

#include <cstdint>
#include <limits>

#include "error.hpp"
#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

// A part of a text that begins and ends between records: a view of the text.
struct piece {
    text_view text = {};
    std::uint64_t offset = 0;  // where the piece begins in the whole text
};

// The bytes [begin, end) of a text or a file, wherever they fall in its records, as distributed engines divide files.
struct byte_range {
    std::uint64_t begin = 0;
    std::uint64_t end = (std::numeric_limits<std::uint64_t>::max)();
};

namespace oplog {

// Joins what reader::lost() says of two parts of a text, of which the second follows the first, after so many lines of
// the text.
[[nodiscard]] inline problem join_lost(const problem& first, problem second, std::uint64_t lines) noexcept {
    if (!second) return first;
    second.expected += static_cast<std::int64_t>(lines);
    if (!first) return second;
    second.found += first.found;
    second.offset = first.offset;
    second.expected = first.expected;
    return second;
}

// A line that a stream holds in memory.
struct stream_line {
    text_view text = {};       // without its end
    std::uint64_t offset = 0;  // where the line begins
    std::uint64_t number = 0;  // the line's number, from 1; 0 if the line is not in memory
};

}  // namespace oplog
}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
