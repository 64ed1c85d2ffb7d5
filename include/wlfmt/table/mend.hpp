// wlfmt/table/mend.hpp: the text of profiler tables that people, editors and terminals have damaged, mended. Not
// included by wlfmt.hpp.
//
//     const wlfmt::table::mended mended = wlfmt::table::mend(text);
//     for (const auto& one : mended.done) std::cerr << one.line << ": " << message(one) << '\n';
//     const auto tables = wlfmt::table::read(mended.done.empty() ? text : mended.text);
//     // A problem at line 7, column 3 of the mended text is told at mended.place_of({7, 3}) of the original one.
#include "../version.hpp"

#ifndef WLFMT_TABLE_MEND_HPP
#define WLFMT_TABLE_MEND_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../types/error.hpp"
#include "../types/mend.hpp"

#include "../detail/table/mend.hpp"
#include "../detail/table/wrapped.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace table {

// Mends the tables of a text that have PyTorch's header: joins wrapped lines, writes rules that are missing, and drops
// blank lines between rows. All other text stays as it is, and so do valid tables. `prefix`: that of the lines of
// tables, as in options::prefix. Looks at lines with `Name` and at the tables below them, and copies the text only if
// there is something to do. Throws only std::bad_alloc.
[[nodiscard]] inline mended mend(std::string_view text, std::string_view prefix = any_prefix) {
    mended result;
    text = detail::without_bom(text);
    const auto now = [&] { return result.done.empty() ? text : std::string_view(result.text); };
    // What was mended may show more; the number of rounds is limited, so that the time is. Lines are joined before
    // rules are written, as the blank lines with which rules are kept apart are no part of the text.
    constexpr std::size_t max_rounds = 4;
    const auto in_rounds = [&](auto&& step) {
        std::size_t done = 0;
        for (std::size_t round = 0; round != max_rounds && (round == 0 || done != result.done.size()); ++round) {
            done = result.done.size();
            step();
        }
    };
    in_rounds([&] {
        if (detail::may_be_wrapped(now())) detail::join_wrapped(result, now());
        std::vector<detail::line_edit> edits = detail::table_mender(now(), prefix).close_up();
        detail::make_edits(result, now(), edits);
    });
    in_rounds([&] {
        std::vector<detail::line_edit> edits = detail::table_mender(now(), prefix).rule();
        detail::make_edits(result, now(), edits);
    });
    std::stable_sort(result.done.begin(), result.done.end(),
                     [](const mending& a, const mending& b) { return a.line < b.line; });
    return result;
}
mended mend(std::nullptr_t, std::string_view = any_prefix) = delete;

// In the words of explain() for a problem of the mended text, puts the place in the original text in place of that in
// the mended one.
inline void move_place(std::string& explained, text_place from, text_place to) {
    const auto in_words = [](text_place p) {
        return ":" + std::to_string(p.line) + ":" + std::to_string(p.column) + ": ";
    };
    const std::string before = in_words(from);
    const std::size_t at = explained.find(before);
    if (at != explained.npos) explained.replace(at, before.size(), in_words(to));
}

// What was done, in words for a program to print.
[[nodiscard]] inline std::string message(const mending& one) {
    if (one.step == mend_step::wrapped)
        return "its table was wrapped at " + std::to_string(one.count) +
               " columns, and is read with its lines joined; a wider terminal prints it whole";
    std::string words(detail::words_of_step(one.step));
    if (one.count > 1) words.append(" (").append(std::to_string(one.count)).append(" lines)");
    return words;
}

}}}  // namespace wlfmt::WLFMT_ABI::table

#include "../detail/base/config_end.hpp"
#endif
