// The rule and the header of a table, and the titles above it.
#ifndef WLFMT_DETAIL_TABLE_HEADER_HPP
#define WLFMT_DETAIL_TABLE_HEADER_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "../../types/error.hpp"
#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "cell.hpp"
#include "frames.hpp"
#include "lines.hpp"
#include "place.hpp"
#include "planned.hpp"
#include "runs.hpp"
#include "schema.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

template <class Way>
struct table_header {
    using state = table_state;
    using part = state::part;
    using lines = table_lines<kernel>;
    using own_lines = lines::own_lines;
    using planned = table_planned<kernel>;
    using placing = table_place<kernel>;

    // Makes the reader show the columns, titles and totals that it has read.
    static void show_lists(state& r) noexcept {
        list_access::show(r.row_.cells, r.cells_, r.column_count_);
        list_access::show(r.row_.columns, r.column_items_, r.column_count_);
        list_access::show(r.titles_, r.title_items_, r.title_count_);
        list_access::show(r.totals_, r.total_items_, r.total_count_);
    }

    // Is this line a rule, that is, two or more groups of three or more dashes? The groups become the spans of the
    // columns, as many as there is room for. Returns how many groups there are, 0 if the line is not a rule.
    static std::size_t read_rule(std::string_view line, column_span* spans, std::string_view& beyond) noexcept {
        const char* p = line.data();
        const char* const end = p + line.size();
        std::size_t groups = 0;
        std::size_t character = 0;
        for (;;) {
            const char* const gap = p;
            while (p != end && *p == ' ') ++p;
            auto blanks = static_cast<std::size_t>(p - gap);
            for (std::size_t size; p != end && (size = blank_size(p, end)) != 0; p += size) ++blanks;
            if (p == end) return groups >= 2 ? groups : 0;
            if (groups != 0 && blanks == 0) return 0;
            const char* const begin = p;
            p = find_first<bytes_but<'-', '='>>(p, end);
            const auto size = static_cast<std::size_t>(p - begin);
            if (size < 3) return 0;
            character += blanks;
            if (spans != nullptr && groups < table::max_columns) spans[groups] = {character, character + size};
            if (groups == table::max_columns) beyond = view(begin, p);
            character += size;
            ++groups;
        }
    }
    static bool is_rule(std::string_view line) noexcept {
        std::string_view beyond;
        return read_rule(line, nullptr, beyond) != 0;
    }
    // The same for the line that was just split.
    static bool is_rule_here(const state& r) noexcept {
        if (r.runs_.count == 0 || (r.runs_[0].front() != '-' && r.runs_[0].front() != '=')) return false;
        return r.runs_.line == r.rule_ || is_rule(r.runs_.line);
    }

    // Splits a header line into its names.
    static std::size_t count_names(state& r, std::string_view line) noexcept {
        r.runs_.split(line.data(), line.data() + line.size());
        if (!r.runs_.plain) r.runs_.split_characters(true);
        return r.runs_.count;
    }

    // Takes the names of the columns from the header line. Returns false if they do not fit the rule.
    static bool read_names(state& r, std::string_view line, std::size_t& found) noexcept {
        auto& runs = r.runs_;
        found = count_names(r, line);
        if (!runs.plain && found != r.column_count_) runs.split_characters(false);
        for (std::size_t n = 0; n != r.column_count_; ++n) r.column_items_[n] = table::column();
        if (found != r.column_count_ && !placing::place(r, false)) return false;

        label_sides sides;
        std::size_t run = 0;
        const std::size_t* at = runs.positions();
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const column_span s = r.spans_[n];
            const std::size_t width = s.end - s.begin;
            constexpr std::size_t most = (std::numeric_limits<std::uint32_t>::max)();
            table::column c(found == r.column_count_ ? runs[n] : r.cells_[n].text());
            c.width = static_cast<std::uint32_t>(width < most ? width : most);
            if (!c.name.empty()) {
                sides.add_label(at[2 * run], at[2 * run + 1], s, c.left_aligned);
                ++run;
            }
            r.column_items_[n] = c;
        }
        return true;
    }

    // Is one of the names a time or a percent? Then the line is no header but the only row of a table whose own first
    // rule was not found, as it is glued to other text: `test_profiler ... -----  -----`.
    static bool is_row(const state& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            if (table_cells::is_time_or_percent(r.column_items_[n].name)) return true;
        }
        return false;
    }

    // Reads a rule, a header and another rule, if they begin here. Returns false if they do not, or, with ok() false,
    // if the table cannot be read.
    static bool begin_table(state& r, own_lines rest, bool titled) noexcept {
        if (rest.done()) return false;
        const std::string_view rule = rest.next();
        std::string_view beyond;
        const std::size_t groups = read_rule(rule, r.spans_, beyond);
        if (groups == 0 || rest.done()) return false;
        const std::string_view names = rest.next();
        if (rest.done()) return false;
        const own_lines at_second_rule = rest;
        const std::string_view second_rule = rest.next();
        if ((second_rule != rule && !is_rule(second_rule)) || is_rule(names)) return false;

        std::size_t found = 0;
        const bool fits = groups <= table::max_columns;
        r.column_count_ = fits ? groups : 0;
        bool begun = fits && read_names(r, names, found);
        if (begun && is_row(r)) {
            begun = false;
            found = 0;
        }
        if (!begun) r.column_count_ = 0;
        // No table follows the titles then: they are foreign lines.
        if (!begun && titled) return false;
        r.any_table_ = true;
        // A second rule that differs from the first one may itself begin a table.
        (begun || second_rule == rule ? rest : at_second_rule).go_on(r);
        if (!begun) {
            if (second_rule == rule) r.refused_rule_ = rule;
            const std::string_view guilty = fits ? without_blanks(names) : beyond;
            r.problems_.report(fits ? error_kind::column_mismatch : error_kind::too_many_columns, guilty.data(),
                               guilty.size(), {}, static_cast<std::int64_t>(fits ? found : groups),
                               static_cast<std::int64_t>(fits ? groups : table::max_columns));
            return false;
        }
        r.rule_ = rule;
        r.source_ = find_column(r.column_items_, groups, "Source Location");
        r.stack_and_flops_ = is_stack_and_flops(r.column_items_, groups);
        r.needs_values_ = rows_have_values(r.column_items_, groups);
        r.orphans_ = r.planned_ = r.cut_ = false;
        r.ahead_ = nullptr;
        frames_access::set(r.row_.frames, {}, {});
        r.part_ = part::rows;
        if (r.prefix_.empty()) planned::plan(r);
        return true;
    }

    // The same for a table that may have titles above it: lines of text, each under a line of `=`.
    static bool begin_titled_table(state& r, const char* p) noexcept {
        own_lines rest(r, p);
        std::size_t titles = 0;
        while (titles != table::max_titles && !rest.done()) {
            const own_lines before = rest;
            if (!is_title_rule(rest.next())) {
                if (!begin_table(r, before, titles != 0)) return false;
                r.title_count_ = titles;
                show_lists(r);
                return true;
            }
            if (rest.done()) return false;
            const std::string_view text = without_blanks(rest.next());
            if (text.empty() || is_title_rule(text) || is_rule(text)) return false;
            r.title_items_[titles++] = text;
        }
        if (!begin_table(r, rest, titles != 0)) return false;
        r.title_count_ = titles;
        show_lists(r);
        return true;
    }

    // Does the rule at at_ open another table rather than close this one? In logs, tables without a closing rule may
    // follow one another. Splits the line after the rule.
    static bool opens_table(state& r, const char* rule) noexcept {
        own_lines rest(r, rule);
        std::string_view beyond;
        const std::size_t groups = read_rule(rest.next(), nullptr, beyond);
        if (rest.done()) return false;
        const std::string_view names = rest.next();
        return !rest.done() && is_rule(rest.next()) && !is_rule(names) && count_names(r, names) == groups;
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
