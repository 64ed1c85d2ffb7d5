// wlfmt/detect.hpp: which format a text is, and what a launcher wrote before its lines.
//
//     if (wlfmt::detect(text) == wlfmt::file_format::oplog) ...
#include "version.hpp"

#ifndef WLFMT_DETECT_HPP
#define WLFMT_DETECT_HPP

#include <cstddef>
#include <string_view>
#include <vector>

#include "detail/base/build.hpp"
#include "detail/detect.hpp"
#include "types/format.hpp"
#include "types/text.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { inline namespace WLFMT_IMPL {

// Which format a text is. The first record or table decides about a log with other text around it, wherever it is: up
// to there the text is scanned. Records and tables after a launcher's prefix are found, too.
WLFMT_PER_BUILD [[nodiscard]] file_format detect(std::string_view text) noexcept {
    return detail::detection<Build>::find_first(text).format;
}
template <class S, detail::if_null_literal<S> = 0> file_format detect(S&&) = delete;

// Whether the text holds a unified diff in which the lines of two files are mixed. detect() takes a text for none of
// the formats if no record or table comes before such a diff; a program that gives detect() parts of a text asks here
// first. Takes time linear in the text.
[[nodiscard]] inline bool is_mixed_diff(std::string_view text) noexcept {
    return detail::is_mixed(detail::find_diff(text));
}
template <class S, detail::if_null_literal<S> = 0> bool is_mixed_diff(S&&) = delete;

// What a launcher wrote before the first record or table of a text, for options::prefix: `[rank0]: `. Empty if the
// first one has no prefix, and if the text holds neither. A view of the text.
WLFMT_PER_BUILD [[nodiscard]] std::string_view find_prefix(std::string_view text) noexcept {
    return detail::detection<Build>::find_first(text).prefix;
}
template <class S, detail::if_no_text<S> = 0> std::string_view find_prefix(S&&) = delete;

// All prefixes of a text in which the lines of several ranks interleave, in the order of their first occurrence: those
// of op-log records and of lines that could be a table's rule or header, with an empty prefix for those of these lines
// that have no prefix. Prefixes that differ only in the digits of times count as one. At most max_prefixes, so that the
// search is linear in the text.
//
//     wlfmt::options how;
//     for (const std::string_view prefix : wlfmt::find_prefixes(text)) {
//         how.prefix = prefix;
//         auto of_rank = wlfmt::table::read(text, how);
//     }
inline constexpr std::size_t max_prefixes = 1024;
WLFMT_PER_BUILD [[nodiscard]] std::vector<std::string_view> find_prefixes(std::string_view text) {
    return detail::detection<Build>::find_prefixes(text, max_prefixes);
}
template <class S, detail::if_no_text<S> = 0> std::vector<std::string_view> find_prefixes(S&&) = delete;

}}}  // namespace wlfmt::WLFMT_ABI::WLFMT_IMPL

#include "detail/base/config_end.hpp"
#endif
