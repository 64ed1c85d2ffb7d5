// Finds out whether the blank at the end of a prefix belongs to the table whose header comes after it: detection and
// mending ask for that, where no rule above the header shows it.
#ifndef WLFMT_DETAIL_TABLE_BARE_HPP
#define WLFMT_DETAIL_TABLE_BARE_HPP

#include "lines.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct bare_tables {
    using lines = table_lines;

    // Takes the last blank off a prefix before a header if it belongs to the table, as a rule, row or total below
    // shows.
    WLFMT_COLD static void give_back_blank(table_state& r) noexcept {
        const std::string_view prefix = r.prefix_;
        if (prefix.empty() || !is_blank(prefix.back())) return;
        r.prefix_.remove_suffix(1);
        line_place below = lines::place_of(r, prefix.data() + r.prefix_.size());
        lines::next_line(r, below);
        const line_place rest = below;
        const std::string_view rule = lines::at_end(r, below) ? std::string_view() : lines::next_line(r, below);
        const bool decided = lines::may_be_rule(rule);
        if (decided ? is_blank(rule.front()) : !has_bare_rows(r, prefix.data() + prefix.size(), rest))
            r.prefix_ = prefix;
    }
    // Whether a row or total below this header begins right after the prefix, which then has no blank at its end: a
    // name that fills its column has none before it.
    WLFMT_COLD static bool has_bare_rows(table_state& r, const char* header, line_place rest) noexcept {
        line_cursor names(view(header, r.end_));
        const std::size_t count = r.phrases_.split_line(names.next(), true);
        for (std::size_t n = 0; n != table::max_lines_between && !lines::at_end(r, rest); ++n) {
            const std::string_view line = lines::next_line(r, rest);
            const std::size_t phrases = r.phrases_.split_line(line);
            if (phrases == 0 || lines::is_rule(line)) break;
            if (is_blank(line.front())) {
                if (lines::is_header_line(r.phrases_)) break;
            } else if (phrases == count || lines::is_total(line)) {
                return true;
            }
        }
        return false;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
