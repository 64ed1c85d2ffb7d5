// wlfmt/pieces.hpp: op logs and tables cut between records, for threads and machines that read parts of one text. Not
// included by wlfmt.hpp.
//
//     for (const wlfmt::piece& p : wlfmt::oplog::pieces(text, 8))
//         threads.emplace_back([&text, p] {
//             wlfmt::options how;
//             how.piece_at = p.offset;
//             wlfmt::oplog::reader log(p.text, how);
//             while (const auto* op = log.next()) use(*op);
//             if (!log.ok()) complain(wlfmt::explain(log.error(), text, "rank7.txt"));
//         });
//
// The records of the pieces, one piece after the other, are those of the whole text, and so are the errors: with
// options::piece_at their offsets count from the start of the whole text, in which explain() and locate() find their
// lines. (Without it a piece that holds no record is an error.)
//
// An op log can be cut between any two lines. A table is never cut, and neither is a workload file, which therefore has
// no pieces. Op logs that are not in memory as a whole are read by byte range with oplog::stream (stream.hpp).
#include "version.hpp"

#ifndef WLFMT_PIECES_HPP
#define WLFMT_PIECES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "detail/base/temporary.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "table.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

// A part of a text that begins and ends between records: a view of the text.
struct piece {
    std::string_view text = {};
    std::uint64_t offset = 0;  // of its first byte in the text it is a part of
};

// The bytes [begin, end) of a text or a file, wherever they fall in its records: what engines hand out.
struct byte_range {
    std::uint64_t begin = 0;
    std::uint64_t end = (std::numeric_limits<std::uint64_t>::max)();
};

namespace oplog {
inline namespace WLFMT_IMPL {

// The lines that begin in the range: the last one whole, even if it ends after the range. Where ranges cover a text
// without overlapping, so do their pieces. Takes as long as finding two line ends; allocates nothing.
[[nodiscard]] piece piece_of(std::string_view text, byte_range range) noexcept;
template <class S, detail::if_temporary_text<S> = 0>
piece piece_of(S&&, byte_range) = delete;

// At most n pieces of about the same size, none of them empty, which together are the text.
[[nodiscard]] std::vector<piece> pieces(std::string_view text, std::size_t n);
template <class S, detail::if_temporary_text<S> = 0>
std::vector<piece> pieces(S&&, std::size_t) = delete;

}  // namespace WLFMT_IMPL
}  // namespace oplog

namespace table {
inline namespace WLFMT_IMPL {

// The tables whose first lines (of their titles, where they have any) begin in the range, each whole and with the text
// before it; what follows the last table of a text is in the range in which the text ends. Only reading a table tells
// where it ends, so this takes time linear in the text up to the end of the range. `how` is what the piece will be read
// with; only its prefix matters here. With any_prefix, a text in which a launcher's prefix comes before a rule is one
// unit, as the lines of its tables may interleave.
[[nodiscard]] piece piece_of(std::string_view text, byte_range range, const options& how = {}) noexcept;
template <class S, detail::if_temporary_text<S> = 0>
piece piece_of(S&&, byte_range, const options& how = {}) = delete;

// At most n pieces of about the same size, none of them empty, which together are the text. Reads the whole text once,
// which pays only if the program does more with the rows than read them.
[[nodiscard]] std::vector<piece> pieces(std::string_view text, std::size_t n, const options& how = {});
template <class S, detail::if_temporary_text<S> = 0>
std::vector<piece> pieces(S&&, std::size_t, const options& how = {}) = delete;

}  // namespace WLFMT_IMPL
}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/pieces/cut.hpp"

#include "detail/base/config_end.hpp"
#endif
