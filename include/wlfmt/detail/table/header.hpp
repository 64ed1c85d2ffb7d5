// Reads the beginning of a table: titles, rules and header.
#ifndef WLFMT_DETAIL_TABLE_HEADER_HPP
#define WLFMT_DETAIL_TABLE_HEADER_HPP

#include "cell.hpp"
#include "edge.hpp"
#include "lines.hpp"
#include "names.hpp"
#include "phrases.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Reads the lines before the rows of a table.
struct table_header {
    using lines = table_lines;
    using rows = table_rows;
    using part = table_state::part;
    using unit = table::unit;
    using beginning = table_beginning;

    // Points the reader's lists to the columns that were read, the first `titles` titles, and no totals.
    static void show_lists(table_state& r, std::size_t titles) noexcept {
        list_access::show(r.row_.cells, r.cells_, r.column_count_);
        list_access::show(r.row_.columns, r.column_items_, r.column_count_);
        list_access::show(r.titles_, r.title_items_, titles);
        list_access::show(r.totals_, r.total_items_, 0);
    }

    // Takes the names of the columns from the header line. Returns false if they do not fit the rule.
    static bool read_names(table_state& r, std::string_view line, std::size_t& found) noexcept {
        found = r.phrases_.split_line(line, true);
        if (!r.phrases_.plain && found != r.column_count_) r.phrases_.split_characters(false);
        if (found != r.column_count_) {
            if (r.phrases_.count == 0 || is_collapsed(r.phrases_.count, r.phrases_[0])) return false;
            if (!rows::fill_cells(r, false)) return false;
        }

        label_sides sides;
        std::size_t phrase = 0;
        const std::size_t* at = r.phrases_.positions();
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const column_span s = r.spans_[n];
            const std::size_t width = s.end - s.begin;
            constexpr std::size_t limit = (std::numeric_limits<std::uint32_t>::max)();
            const std::string_view name = found == r.column_count_ ? r.phrases_[n] : r.cells_[n].text();
            table::column c(r.phrases_.plain ? name : table_columns::spelled(name));
            c.width = static_cast<std::uint32_t>(width < limit ? width : limit);
            if (!c.name.empty()) {
                sides.add_label(at[2 * phrase], at[2 * phrase + 1], s, c.left_aligned);
                ++phrase;
            }
            r.column_items_[n] = c;
        }
        return true;
    }

    // Whether a header with fewer names than columns is one whose blanks were collapsed: its first columns are one
    // name, which may lie within a wide first span.
    static bool is_collapsed(std::size_t names, std::string_view first) noexcept {
        return first.substr(0, 5) == "Name " || (names == 1 && first.find(' ') != std::string_view::npos);
    }
    // Finds a rule, a header and another rule. A known header may lack one of them or, if a row may be below it, both.
    static bool find_beginning(table_state& r, beginning& b) noexcept {
        if (lines::at_end(r, b.rows)) return false;
        b.names = lines::next_line(r, b.rows);
        b.groups = lines::count_dashes(b.names, r.spans_, &b.beyond, true);
        if (b.groups > 1) {
            if (lines::at_end(r, b.rows)) return false;
            b.rule = b.names;
            b.names = lines::next_line(r, b.rows);
        }
        if (lines::at_end(r, b.rows) || lines::holds_dashes(b.names)) return false;
        b.below = b.rows;
        const std::string_view second = lines::next_line(r, b.rows);
        const bool repeated = !b.rule.empty() && second == b.rule;
        if (repeated || lines::may_be_rule(second)) b.second = second;
        // A rule that is cut within its last group counts only if PyTorch's names are below it.
        if (!b.rule.empty() && !b.second.empty()) {
            const std::size_t last = b.groups - 1;
            const bool whole =
                last < table::max_columns ? r.spans_[last].end - r.spans_[last].begin > 2 : lines::is_rule(b.rule);
            if ((whole && (repeated || lines::is_rule(b.second))) || (repeated && begins_header(r, b.names)))
                return true;
        }
        const std::size_t names = r.phrases_.split_line(b.names, true);
        if (!lines::is_header(r.phrases_)) return false;
        if (!b.second.empty()) {
            b.lacks = b.rule.empty() ? lacking_rules::above : lacking_rules::none;
            return true;
        }
        b.lacks = b.rule.empty() ? lacking_rules::both : lacking_rules::below;
        r.phrases_.split_line(second);
        if (lines::is_header_line(r.phrases_)) return false;
        if (!b.rule.empty()) return r.phrases_.count > 1;
        // In a table that was abridged by hand, `----  ...  ----` may be what is left of a rule, and is no row.
        return r.phrases_.count == names && r.phrases_[0].find_first_not_of("-=") != std::string_view::npos;
    }

    // Whether a line begins with the first name of PyTorch's tables, which may be all that is left of a header.
    static bool begins_header(table_state& r, std::string_view names) noexcept {
        return r.phrases_.split_line(names, true) != 0 && r.phrases_[0] == column_order[0].printed;
    }

    // Reads the beginning of a table. Returns false if there is none here, or after reporting why it cannot be read.
    static bool begin_table(table_state& r, line_place lines, bool titled) noexcept {
        beginning b{lines};
        if (!find_beginning(r, b)) return false;
        if (b.lacks != lacking_rules::none) {
            if (titled) return false;
            r.any_table_ = true;
            // The only rule below the header may close the table, and begins no other one.
            r.refused_rule_ = b.lacks == lacking_rules::above ? b.second : b.rule;
            lines::go_to(r, b.lacks == lacking_rules::above ? b.rows : b.below);
            r.problems_.report(error_kind::missing_rule, without_blanks(b.names), {}, 0,
                               static_cast<std::int64_t>(b.lacks));
            return false;
        }
        const std::size_t groups = b.groups;
        std::size_t found = 0;
        const bool fits = groups <= table::max_columns;
        r.column_count_ = fits ? groups : 0;
        const bool begun = fits && read_names(r, b.names, found);
        if (!begun) r.column_count_ = 0;
        if (!begun && titled) return false;  // the titles are then foreign lines
        r.any_table_ = true;
        // A second rule that differs from the first one may itself begin a table.
        lines::go_to(r, begun || b.second == b.rule ? b.rows : b.below);
        if (!begun) {
            if (b.second == b.rule) r.refused_rule_ = b.rule;
            const std::string_view guilty = fits ? without_blanks(b.names) : b.beyond;
            r.problems_.report(fits ? error_kind::column_mismatch : error_kind::too_many_columns, guilty, {},
                               static_cast<std::int64_t>(fits ? found : groups),
                               static_cast<std::int64_t>(fits ? groups : table::max_columns));
            return false;
        }
        r.rule_ = b.rule;
        table_edges::find(r, b);
        r.source_ = find_column(r.column_items_, groups, "Source Location");
        if (r.source_ == groups && r.edge_.name.data() != nullptr && r.column_items_[groups - 1].unit == unit::source)
            r.source_ = groups - 1;
        r.measured_ = has_measures(r.column_items_, groups);
        r.orphans_ = r.planned_ = r.cut_ = false;
        r.ahead_ = nullptr;
        r.row_.frames = {};
        r.part_ = part::rows;
        if (r.prefix_.empty() && r.edge_.name.data() == nullptr) rows::plan(r);
        return true;
    }
    // The same as begin_table() for a table that may have titles above it: lines of text, each under a line of `=`.
    static bool begin_titled_table(table_state& r, const char* p) noexcept {
        line_place rest = lines::place_of(r, p);
        std::size_t titles = 0;
        for (;;) {
            const line_place before = rest;
            if (titles == table::max_titles || lines::at_end(r, rest) || !is_title_rule(lines::next_line(r, rest))) {
                if (!begin_table(r, before, titles != 0)) return false;
                show_lists(r, titles);
                return true;
            }
            if (lines::at_end(r, rest)) return false;
            const std::string_view text = without_blanks(lines::next_line(r, rest));
            if (text.empty() || is_title_rule(text) || lines::is_rule(text)) return false;
            r.title_items_[titles++] = text;
        }
    }

    // Whether this rule opens another table, as in logs, instead of closing this one. May split the line after it.
    static bool opens_table(table_state& r, const char* rule) noexcept {
        line_place rest = lines::place_of(r, rule);
        const std::string_view dashes = lines::next_line(r, rest);
        if (lines::at_end(r, rest)) return false;
        const std::string_view names = lines::next_line(r, rest);
        const std::size_t columns = lines::at_end(r, rest) ? 0 : r.phrases_.split_line(names, true);
        return columns > 1 && lines::is_rule(lines::next_line(r, rest)) && !lines::is_rule(names) &&
               columns == lines::count_dashes(dashes);
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
