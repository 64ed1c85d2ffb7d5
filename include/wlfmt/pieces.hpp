// wlfmt/pieces.hpp: op logs and tables cut between records, for threads and machines that read parts of one text. Not
// included by wlfmt.hpp.
//
//     for (const wlfmt::piece& p : wlfmt::oplog::pieces(text, 8))
//         threads.emplace_back([&text, p] {
//             wlfmt::options how;
//             how.piece_at = p.offset;
//             wlfmt::oplog::reader log(p.text, how);
//             while (const auto* op = log.next()) use(*op);
//             if (!log.ok()) complain(wlfmt::explain(log.error(), text, wlfmt::in_file("rank7.txt")));
//         });
//
// The records of the pieces, one piece after the other, are those of the whole text, and so are the errors: with
// options::piece_at their offsets count from the start of the whole text, in which explain() and location_of() find
// their lines. (Without it a piece that holds no record is an error.)
//
// An op log can be cut between any two lines. A table is never cut, and neither is a workload file, which therefore has
// no pieces. Op logs that are not in memory as a whole are read by byte range with oplog::stream (stream.hpp).
#include "version.hpp"

#ifndef WLFMT_PIECES_HPP
#define WLFMT_PIECES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "detail/pieces/cut.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "table.hpp"
#include "types/pieces.hpp"
#include "types/text.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace oplog { inline namespace WLFMT_IMPL {

// The lines that begin in the range; the last line is whole, even if it ends after the range. If ranges cover a text
// without overlapping, so do their pieces. Takes as long as finding two line ends; allocates nothing.
[[nodiscard]] inline piece piece_of(std::string_view text, byte_range range) noexcept {
    return detail::piece_between(text, detail::line_cuts(text), range);
}
template <class S, detail::if_no_text<S> = 0> piece piece_of(S&&, byte_range) = delete;

// At most n pieces of about the same size, none of them empty, which together are the text.
[[nodiscard]] inline std::vector<piece> pieces(std::string_view text, std::size_t n) {
    return detail::equal_pieces(text, detail::line_cuts(text), n);
}
template <class S, detail::if_no_text<S> = 0> std::vector<piece> pieces(S&&, std::size_t) = delete;

}}  // namespace oplog::WLFMT_IMPL

namespace table { inline namespace WLFMT_IMPL {

// The tables whose first lines (of their titles, where they have any) begin in the range, each whole and with the text
// before it; what follows the last table of a text is in the range in which the text ends. Only reading a table tells
// where it ends, so this takes time linear in the text up to the end of the range. `how` is what the piece will be read
// with; only its prefix matters here. With any_prefix, a text in which a launcher's prefix comes before a rule is one
// unit, as the lines of its tables may interleave.
[[nodiscard]] inline piece piece_of(std::string_view text, byte_range range, const options& how = {}) noexcept {
    return detail::piece_between(text, detail::table_cuts(text, how), range);
}
template <class S, detail::if_no_text<S> = 0> piece piece_of(S&&, byte_range, const options& how = {}) = delete;

// At most n pieces of about the same size, none of them empty, which together are the text. Reads the whole text once,
// which pays only if the program does more with the rows than read them.
[[nodiscard]] inline std::vector<piece> pieces(std::string_view text, std::size_t n, const options& how = {}) {
    return detail::equal_pieces(text, detail::table_cuts(text, how), n);
}
template <class S, detail::if_no_text<S> = 0>
std::vector<piece> pieces(S&&, std::size_t, const options& how = {}) = delete;

}}  // namespace table::WLFMT_IMPL
}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
