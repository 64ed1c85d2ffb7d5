// wlfmt/oplog/pieces.hpp: op logs and tables cut between records for threads and machines. Not included by wlfmt.hpp.
//
//     for (const wlfmt::piece& p : wlfmt::oplog::pieces(text, 8))
//         threads.emplace_back([&text, p] {
//             wlfmt::options options;
//             options.piece_at = p.offset;
//             wlfmt::oplog::reader log(p.text, options);
//             while (const auto* op = log.next()) use(*op);
//             if (!log.ok()) complain(wlfmt::explain(log.error(), text, wlfmt::in_file("rank7.txt")));
//         });
//
// The pieces, in order, give the records and the errors of the whole text. With options::piece_at, offsets count from
// the start of the whole text, so pass that to explain() and location_of(); without it, a piece without a record is an
// error. An op log can be cut between any two lines. A table is never cut, and neither is a workload file, which
// therefore has no pieces. Op logs that are not in memory are read by byte range (stream.hpp).
#include "../version.hpp"

#ifndef WLFMT_OPLOG_PIECES_HPP
#define WLFMT_OPLOG_PIECES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../detail/base/scan.hpp"
#include "../error.hpp"
#include "../oplog.hpp"
#include "../table.hpp"
#include "../types/pieces.hpp"
#include "../types/text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {

// Says where to cut an op log: at the first byte, from `at` on, that begins a line, or at the text's end.
inline auto line_cuts(std::string_view text) noexcept {
    return [text](std::uint64_t at) noexcept {
        if (at == 0 || at >= text.size()) return at == 0 ? 0 : text.size();
        const std::size_t line_end = text.find('\n', static_cast<std::size_t>(at) - 1);
        return line_end == std::string_view::npos ? text.size() : line_end + 1;
    };
}

// Says where to cut tables: after the last table that begins before `at`. Reads the text once if the places ascend.
class table_cuts {
public:
    table_cuts(std::string_view text, const options& options) noexcept
        : size_(text.size()),
          tables_(text, lenient(options)),
          may_interleave_(options.prefix == wlfmt::any_prefix && has_prefixed_rule(text)),
          is_in_table_(!may_interleave_ && tables_.next_table()) {}
    std::size_t operator()(std::uint64_t at) noexcept {
        if (at >= size_ || (may_interleave_ && at != 0)) return size_;
        while (is_in_table_ && tables_.table_offset() < at) {
            while (tables_.next() != nullptr) continue;
            end_ = static_cast<std::size_t>(tables_.offset());
            is_in_table_ = tables_.next_table();
        }
        return end_;
    }

private:
    // With these options an error does not end a table.
    static options lenient(const options& given) noexcept {
        options lenient;
        lenient.lenient = true;
        lenient.prefix = given.prefix;
        return lenient;
    }
    // Whether tables may interleave. Looks at all lines, as a reader that refuses the first table may skip the others.
    static bool has_prefixed_rule(std::string_view text) noexcept {
        for (line_cursor lines(text); !lines.done();) {
            const std::size_t size = table_lines::table_prefix_size(lines.next());
            if (size != 0 && size != no_prefix) return true;
        }
        return false;
    }

    std::size_t size_;
    table::reader tables_;
    bool may_interleave_;  // tables may interleave, so that the text is not cut
    bool is_in_table_;     // the reader is in a table that has not ended
    std::size_t end_ = 0;  // where the last table that was passed ends
};

template <class Cuts> piece piece_between(std::string_view text, Cuts&& cut, byte_range range) noexcept {
    const std::size_t begin = cut(range.begin);
    const std::size_t end = range.end <= range.begin ? begin : cut(range.end);
    return {text.substr(begin, end - begin), begin};
}

template <class Cuts> std::vector<piece> equal_pieces(std::string_view text, Cuts&& cut, std::size_t n) {
    std::vector<piece> pieces;
    if (text.empty()) return pieces;
    n = n == 0 ? 1 : n < text.size() ? n : text.size();
    const std::size_t share = text.size() / n;
    const std::size_t longer = text.size() % n;
    for (std::size_t part = 1, begin = 0; part <= n; ++part) {
        const std::size_t end = cut(part * share + (part < longer ? part : longer));
        if (end == begin) continue;
        pieces.push_back({text.substr(begin, end - begin), begin});
        begin = end;
    }
    return pieces;
}

}  // namespace detail

namespace oplog {

// The lines that begin in the range, the last one whole even if it ends after the range. If ranges cover a text
// without overlapping, so do their pieces. Takes as long as finding two line ends; allocates nothing.
[[nodiscard]] inline piece piece_of(text_view text WLFMT_LIFETIMEBOUND, byte_range range) noexcept {
    return detail::piece_between(text, detail::line_cuts(text), range);
}

// At most n pieces of about the same size, none of them empty, that together are the text.
[[nodiscard]] inline std::vector<piece> pieces(text_view text WLFMT_LIFETIMEBOUND, std::size_t n) {
    return detail::equal_pieces(text, detail::line_cuts(text), n);
}

}  // namespace oplog

namespace table {

// The tables that begin in the range (with their titles, if any), each whole and with the text before it; the text
// after the last table belongs to the range in which the whole text ends. Linear in the text up to the end of the
// range, as only reading a table shows where it ends. `options` are those for reading the piece; only the prefix
// matters here. With any_prefix, a text with a launcher's prefix before a rule is not cut: tables may interleave.
[[nodiscard]] inline piece piece_of(text_view text WLFMT_LIFETIMEBOUND, byte_range range,
                                    const options& options = {}) noexcept {
    return detail::piece_between(text, detail::table_cuts(text, options), range);
}

// The same for tables. Reads the whole text once, which pays off only if rows are not merely read but processed.
[[nodiscard]] inline std::vector<piece> pieces(text_view text WLFMT_LIFETIMEBOUND, std::size_t n,
                                               const options& options = {}) {
    return detail::equal_pieces(text, detail::table_cuts(text, options), n);
}

}  // namespace table
}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
