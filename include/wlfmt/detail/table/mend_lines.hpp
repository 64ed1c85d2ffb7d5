// Edits of whole lines, and the way back from the lines of a mended text to those of the original.
#ifndef WLFMT_DETAIL_TABLE_MEND_LINES_HPP
#define WLFMT_DETAIL_TABLE_MEND_LINES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../types/mend.hpp"
#include "../../types/text.hpp"
#include "../base/scan.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Replaces the lines [begin, end) of a text.
struct line_edit {
    std::size_t begin;
    std::size_t end;
    std::string text;
    table::mend_step step;
    std::size_t header;  // where the names of the table's columns begin
};

// What each step does, in words.
struct step_words {
    table::mend_step step;
    std::string_view words;
};
inline constexpr step_words mend_words[] = {
    {table::mend_step::wrapped, "lines that a terminal wrapped are joined"sv},
    {table::mend_step::blank_after_each, "the blank line after each line is dropped"sv},
    {table::mend_step::dashes, "its dashes are drawn as rules"sv},
    {table::mend_step::abridged_rules, "its abridged rules are drawn anew"sv},
    {table::mend_step::rules, "the table has no rules, and is read with them"sv},
    {table::mend_step::rule_above, "the rule below the header is read above it, too"sv},
    {table::mend_step::rule_below, "the rule above the header is read below it, too"sv},
    {table::mend_step::blank_lines, "blank lines between its lines are dropped"sv},
};
inline std::string_view words_of_step(table::mend_step step) noexcept {
    return mend_words[static_cast<std::size_t>(step)].words;
}

// The line that holds the byte at p, with its end.
inline std::string_view line_around(std::string_view text, const char* p) noexcept {
    const auto at = static_cast<std::size_t>(p - text.data());
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
    const std::size_t end = text.find('\n', at);
    return text.substr(begin, end == text.npos ? end : end + 1 - begin);
}
inline std::string_view without_line_end(std::string_view line) noexcept {
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

// Makes the edits, and notes what was done: once for each step in a table.
inline void make_edits(table::mended& m, std::string_view text, std::vector<line_edit>& edits) {
    if (edits.empty()) return;
    std::stable_sort(edits.begin(), edits.end(),
                     [](const line_edit& a, const line_edit& b) { return a.begin < b.begin; });
    std::string out;
    out.reserve(text.size() + 1024);
    std::vector<table::text_part> parts;
    std::size_t at = 0;
    std::uint64_t here = 1;   // the number of the next line of the output
    std::uint64_t there = 1;  // and of the text
    const auto lines_of = [](std::string_view part) {
        return static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n'));
    };
    const line_edit* last = nullptr;
    for (const line_edit& e : edits) {
        // Lines that two tables claim are the first one's.
        if (e.begin < at) continue;
        const std::string_view kept = text.substr(at, e.begin - at);
        out += kept;
        here += lines_of(kept);
        there += lines_of(kept);
        const std::uint64_t line = m.line_of(there);
        if (last == nullptr || last->step != e.step || last->header != e.header) m.done.push_back({e.step, line, 1});
        else ++m.done.back().count;
        const std::uint64_t added = lines_of(e.text);
        for (std::uint64_t n = 0; n != added; ++n) parts.push_back({{here + n}, {there}});
        here += added;
        there += lines_of(text.substr(e.begin, e.end - e.begin));
        parts.push_back({{here}, {there}});
        out += e.text;
        at = e.end;
        last = &e;
    }
    out += text.substr(at);
    m.add_pass(std::move(out), std::move(parts));
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
