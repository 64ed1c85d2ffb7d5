// The lines around the rows of a table: titles, the rule and the header, totals.
#ifndef WLFMT_DETAIL_TABLE_HEADER_HPP
#define WLFMT_DETAIL_TABLE_HEADER_HPP

#include "../base/characters.hpp"
#include "../base/scan.hpp"
#include "../io/prefix.hpp"
#include "cell.hpp"
#include "order.hpp"
#include "rows.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Whether a line holds only `=`, as lines above titles do.
inline bool is_title_rule(std::string_view line) noexcept {
    line = without_blanks(line);
    return line.size() >= 3 && line.find_first_not_of('=') == std::string_view::npos;
}

// Whether a name is [Self ]WORD time total, such as `Self CPU time total`.
inline bool is_total_name(std::string_view name) noexcept {
    constexpr std::string_view tail = " time total"sv;
    if (name.size() <= tail.size() || name.substr(name.size() - tail.size()) != tail) return false;
    std::string_view word = name.substr(0, name.size() - tail.size());
    if (word.substr(0, 5) == "Self ") word.remove_prefix(5);
    if (word.empty()) return false;
    for (std::size_t n = 0; n < word.size(); n += character_size(word, n)) {
        const char* p = word.data() + n;
        if (static_cast<unsigned char>(*p) < 0x80 ? !is_name(*p) : blank_size(p, word.data() + word.size()) != 0)
            return false;
    }
    return true;
}

inline bool has_blank(std::string_view s) noexcept {
    const char* const end = s.data() + s.size();
    for (const char* p = s.data(); p != end; ++p)
        if (blank_size(p, end) != 0) return true;
    return false;
}

// Reads these lines, and moves a reader from line to line.
struct table_header : table_rows {
    using table_rows::table_rows;

    // Splits `Self CPU time total: 8.303s` into a name and the one word after the colon.
    static bool split_total(std::string_view line, table::total& t) noexcept {
        line = without_blanks(line);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return false;
        const std::string_view value = without_blanks(line.substr(colon + 1));
        t.name = line.substr(0, colon);
        if (!is_total_name(t.name)) t.name = table_columns::spelled(t.name);
        cell_access::text(t.value) = value;
        return is_total_name(t.name) && !value.empty() && !has_blank(value);
    }

    WLFMT_COLD static bool is_total(std::string_view line) noexcept {
        table::total ignored;
        return split_total(line, ignored);
    }
    // Whether the only run of a line is a Markdown fence or heading, which no row is.
    WLFMT_COLD static bool is_markdown(std::string_view run) noexcept {
        const char mark = run.front();
        std::size_t marks = 1;
        while (marks != run.size() && run[marks] == mark) ++marks;
        const bool fence = marks > 2 && (mark == '`' || mark == '~');
        return fence || (marks > 1 && mark == '#' && (marks == run.size() || run[marks] == ' '));
    }

    // Whether a table may begin at p, going by its first bytes: with a rule, the `=` above a title, or a header.
    static bool may_begin(const char* p, const char* end) noexcept {
        return p != end && (*p == '-' || *p == '=' || view(p, end).substr(0, 4) == "Name");
    }

    // The size of the launcher's prefix before a line's rule, `=` or `Name`: 0 for blanks; no_prefix for anything else,
    // or if the line has none of these. At most one blank after a prefix is part of it; others indent the table.
    static std::size_t table_prefix_size(std::string_view line) noexcept {
        const char* const end = line.data() + line.size();
        const char* const first = after_blanks(line.data(), end);
        if (first == end) return no_prefix;
        if (may_begin(first, end)) return 0;
        const auto is_dash = [&](std::size_t n) { return line[n] == '-' || line[n] == '='; };
        std::size_t at = 0;
        while (line.size() - at > 2 && !(is_dash(at) && is_dash(at + 1) && is_dash(at + 2))) ++at;
        if (line.size() - at <= 2) at = line.size();
        if (const std::size_t name = line.find("Name "); name < at) at = name;
        if (at == line.size()) return no_prefix;
        std::size_t size = at;
        while (is_blank(line[size - 1])) --size;
        size += size != at ? 1 : 0;
        return prefixes::launcher_size(line) >= at || prefixes::ends_as_prefix(line.substr(0, size)) ? size : no_prefix;
    }

    // Where the next line with the wanted prefix continues after it; the end of the text if no such line follows soon.
    WLFMT_COLD const char* find_own_line(const char* p) const noexcept {
        std::size_t left = any_prefix_ ? table::max_lines_between : static_cast<std::size_t>(-1);
        for (; p != end_ && left != 0; --left) {
            line_cursor lines(view(p, end_));
            const std::string_view line = lines.next();
            const std::size_t size = prefixes::size_of(line, prefix_);
            if (size != no_prefix) return line.data() + size;
            p = lines.at();
        }
        return end_;
    }
    // The first line to read from p on, where p is after the end of a line.
    line_place after_line(const char* p) const noexcept {
        return {WLFMT_LIKELY(prefix_.empty()) ? p : find_own_line(p), p};
    }
    // Returns the line at a place, without its end, and goes to the next one.
    std::string_view next_line(line_place& from) const noexcept {
        line_cursor lines(view(from.at, end_));
        const std::string_view line = lines.next();
        from = after_line(lines.at());
        return line;
    }
    bool at_end(line_place p) const noexcept { return p.at == end_; }
    line_place place_of(const char* line) const noexcept { return {line, after_}; }
    // Lets the reader continue at this place, or after the line that ends at p.
    void go_to(line_place p) noexcept {
        at_ = p.at;
        after_ = p.after;
    }
    WLFMT_INLINE void go_on(const char* p) noexcept { go_to(after_line(p)); }

    // Makes the reader show the columns that it has read, that many titles, and no totals.
    void show_lists(std::size_t titles) noexcept {
        list_access::show(row_.cells, cells_, column_count_);
        list_access::show(row_.columns, column_items_, column_count_);
        list_access::show(titles_, title_items_, titles);
        list_access::show(totals_, total_items_, 0);
    }

    // How many groups of three or more dashes a line consists of; 0 for any other line. Sets the spans of the columns,
    // up to table::max_columns; `beyond` is the first group after these.
    // `cut`: the last group may have fewer dashes, as the line may be cut within it.
    static std::size_t count_dashes(std::string_view line, column_span* spans = nullptr,
                                    std::string_view* beyond = nullptr, bool cut = false) noexcept {
        const char* p = line.data();
        const char* const end = p + line.size();
        std::size_t groups = 0;
        std::size_t character = 0;
        for (;;) {
            const char* const gap = p;
            while (p != end && *p == ' ') ++p;
            auto blanks = static_cast<std::size_t>(p - gap);
            for (std::size_t size; p != end && (size = blank_size(p, end)) != 0; p += size) ++blanks;
            if (p == end) return groups;
            if (groups != 0 && blanks == 0) return 0;
            const char* const begin = p;
            p = find_first<bytes_but<'-', '='>>(p, end);
            const auto size = static_cast<std::size_t>(p - begin);
            if (size < 3 && (!cut || size == 0 || groups == 0 || p != end)) return 0;
            character += blanks;
            if (spans != nullptr && groups < table::max_columns) spans[groups] = {character, character + size};
            if (beyond != nullptr && groups == table::max_columns) *beyond = view(begin, p);
            character += size;
            ++groups;
        }
    }
    static bool is_rule(std::string_view line) noexcept { return count_dashes(line) > 1; }
    // Whether the line is a rule that may be cut within its last group.
    static bool may_be_rule(std::string_view line) noexcept { return count_dashes(line, nullptr, nullptr, true) > 1; }
    // As is_rule(), for the line that was just split.
    bool is_rule_here() const noexcept {
        if (runs_.count == 0 || (runs_[0].front() != '-' && runs_[0].front() != '=')) return false;
        return runs_.line == rule_ || is_rule(runs_.line);
    }

    // Gives the names of a known header to the first columns, if the header is no longer than the rule: labels that
    // overflow their columns push the last ones beyond the edge at which a table is cut.
    WLFMT_COLD bool place_first(std::string_view line, std::size_t found) noexcept {
        const std::size_t width = spans_[column_count_ - 1].end + column_gap;
        if (found >= column_count_ || !is_header(runs_) || count_characters(line) > width) return false;
        for (std::size_t n = 0; n != column_count_; ++n) text(n) = n < found ? runs_[n] : std::string_view();
        return true;
    }

    // Takes the names of the columns from the header line. Returns false if they do not fit the rule, or if one is a
    // time or a percent: then the line is the only row of a table whose first rule was missed, since it is glued to
    // other text, as in `test_profiler ... -----  -----`.
    bool read_names(std::string_view line, std::size_t& found) noexcept {
        found = runs_.split_line(line, true);
        if (!runs_.plain && found != column_count_) runs_.split_characters(false);
        if (found != column_count_ && !place(false) && !place_first(line, found)) return false;

        label_sides sides;
        bool is_row = false;
        std::size_t run = 0;
        const std::size_t* at = runs_.positions();
        for (std::size_t n = 0; n != column_count_; ++n) {
            const column_span s = spans_[n];
            const std::size_t width = s.end - s.begin;
            constexpr std::size_t most = (std::numeric_limits<std::uint32_t>::max)();
            const std::string_view name = found == column_count_ ? runs_[n] : cells_[n].text();
            table::column c(runs_.plain ? name : table_columns::spelled(name));
            if (!counted_) c.width = static_cast<std::uint32_t>(width < most ? width : most);
            if (!c.name.empty()) {
                sides.add_label(at[2 * run], at[2 * run + 1], s, c.left_aligned);
                ++run;
            }
            column_items_[n] = c;
            is_row = is_row || table_cells::is_time_or_percent(c.name);
        }
        if (is_row) found = 0;
        overflow_ = sides.shift;
        return !is_row;
    }

    // Whether these are names of a PyTorch table, a header even without rules: `Name`, and another known one.
    static bool is_header(const table_runs& runs) noexcept {
        if (runs.count < 2 || runs.count > table::max_columns || runs[0] != "Name") return false;
        using columns = table_columns;
        std::size_t n = 1;
        while (n != runs.count && columns::meaning_of(columns::spelled(runs[n])).name.empty()) ++n;
        return n != runs.count;
    }

    // The lines with which a table begins.
    struct beginning {
        line_place rows;        // the first row; before it is found, the first line
        line_place below = {};  // the line below the header
        std::string_view names = {};
        std::string_view rule = {};    // that of the columns; without data if there is none
        std::string_view second = {};  // the rule below the header
        lacking_rules lacks = lacking_rules::none;
        std::size_t groups = 0;        // of the rule, which are in the state's spans
        std::string_view beyond = {};  // the first of them for which there is no room
    };
    // Finds a rule, a header and another rule. A known header may lack either rule, or both if a row may be below it.
    bool find_beginning(beginning& b) noexcept {
        if (at_end(b.rows)) return false;
        b.names = next_line(b.rows);
        b.groups = count_dashes(b.names, spans_, &b.beyond, true);
        if (b.groups > 1) {
            if (at_end(b.rows)) return false;
            b.rule = std::exchange(b.names, next_line(b.rows));
        }
        if (at_end(b.rows) || is_rule(b.names) || without_blanks(b.names).empty()) return false;
        b.below = b.rows;
        const std::string_view second = next_line(b.rows);
        const bool below = may_be_rule(second);
        if ((!b.rule.empty() && second == b.rule) || below) b.second = second;
        // A rule that is cut within its last group is one if PyTorch's names are below it.
        if (!b.rule.empty() && !b.second.empty() &&
            ((is_rule(b.rule) && is_rule(b.second)) || (second == b.rule && begins_header(b.names))))
            return true;
        const std::size_t names = runs_.split_line(b.names, true);
        if (!is_header(runs_)) return false;
        if (!b.second.empty()) {
            b.rule = b.second;
            b.groups = count_dashes(b.rule, spans_, &b.beyond, true);
            b.lacks = lacking_rules::above;
            return true;
        }
        b.rows = b.below;
        b.lacks = b.rule.empty() ? lacking_rules::both : lacking_rules::below;
        runs_.split_line(second);
        if (is_header(runs_)) return false;
        if (!b.rule.empty()) return runs_.count > 1;
        // `----  ...  ----` remains of a rule in a table that was abridged by hand.
        return runs_.count == names && runs_[0].find_first_not_of("-=") != std::string_view::npos;
    }

    // Whether the first name of a line is that of PyTorch's tables, as it may be all that is left of a header.
    bool begins_header(std::string_view names) noexcept {
        return runs_.split_line(names, true) != 0 && runs_[0] == column_order[0].printed;
    }

    // The rule right below a header shows which of the blanks before it belong to its prefix.
    WLFMT_COLD void give_back_blank() noexcept {
        const std::string_view prefix = prefix_;
        if (prefix.empty() || !is_blank(prefix.back())) return;
        prefix_.remove_suffix(1);
        line_place below = place_of(prefix.data() + prefix_.size());
        next_line(below);
        const std::string_view rule = at_end(below) ? std::string_view() : next_line(below);
        if (rule.empty() || is_blank(rule.front()) || !is_rule(rule)) prefix_ = prefix;
    }

    // Reads the beginning of a table. Returns false if there is none here, or, with ok() false, if it cannot be read.
    bool begin_table(line_place lines, bool titled) noexcept {
        beginning b{lines};
        if (!find_beginning(b)) return false;
        counted_ = b.lacks == lacking_rules::both;
        const std::size_t groups = counted_ ? span_names(b.names) : b.groups;
        std::size_t found = 0;
        const bool fits = groups <= table::max_columns;
        column_count_ = fits ? groups : 0;
        const bool begun = fits && read_names(b.names, found);
        if (!begun) column_count_ = 0;
        if (!begun && titled) return false;  // then the titles are foreign lines
        any_table_ = true;
        // A second rule that differs from the first one may itself begin a table.
        go_to(begun || b.second == b.rule ? b.rows : b.below);
        if (!begun) {
            if (b.second == b.rule) refused_rule_ = b.rule;
            const std::string_view guilty = fits ? without_blanks(b.names) : b.beyond;
            problems_.report(fits ? error_kind::column_mismatch : error_kind::too_many_columns, guilty, {},
                             static_cast<std::int64_t>(fits ? found : groups),
                             static_cast<std::int64_t>(fits ? groups : table::max_columns));
            return false;
        }
        if (b.lacks != lacking_rules::none) {
            const std::string_view names = without_blanks(b.names);
            problems_.warn(error_kind::missing_rule, names, {}, 0, static_cast<std::int64_t>(b.lacks));
        }
        rule_ = b.rule;
        find_edge(b);
        source_ = find_column(column_items_, groups, "Source Location");
        if (column_items_[groups - 1].unit == unit::source && edge_.name.data() != nullptr) source_ = groups - 1;
        measured_ = !counted_ && has_measures(column_items_, groups);
        orphans_ = planned_ = cut_ = false;
        ahead_ = nullptr;
        row_.frames = {};
        part_ = part::rows;
        if (prefix_.empty() && !counted_ && edge_.name.data() == nullptr) plan();
        return true;
    }
    // Whether all cells of the last column, as far as the lines below the header show some, are whole, with their unit.
    WLFMT_COLD bool has_whole_cells(line_place rest) noexcept {
        constexpr std::size_t most_lines = 32;
        const std::size_t last = column_count_ - 1;
        const unit u = column_items_[last].unit;
        bool seen = false;
        for (std::size_t n = 0; n != most_lines && !at_end(rest); ++n) {
            const std::string_view line = next_line(rest);
            runs_.split_line(line);
            if (runs_.count == 0 || may_be_rule(line)) break;
            if (!place(false) || text(last).empty()) continue;
            const cell_form form = table_cells::read_form(text(last), u == unit::bytes).form;
            const bool bare = form == cell_form::integer || form == cell_form::decimal;
            if (u == unit::other ? bare : form != row_of(u).form) return false;
            seen = true;
        }
        return seen;
    }

    // Whether PyTorch could have printed the columns as wide as they are.
    bool has_usual_widths(std::size_t count) const noexcept {
        const std::size_t first = column_items_[1].unit == unit::text ? 2 : 1;
        for (std::size_t n = first; n < count; ++n) {
            if ((size_of(n) != 12 && size_of(n) != 15) || size_of(n) != size_of(first)) return false;
        }
        return true;
    }

    // Finds out whether the lines of the table were cut at their right edge: its columns do not end where PyTorch's do.
    void find_edge(const beginning& b) noexcept {
        edge_ = {};
        if (column_items_[0].name != column_order[0].printed) return;
        std::size_t named = column_count_;
        while (column_items_[named - 1].name.empty()) --named;
        const header_order order = find_order(column_items_, named);
        if (order.names != named && named == column_count_ &&
            (named == 2 ? !order.broken : !may_be_broken(order, named)))
            return;
        find_edge(b, named, order);
    }
    bool may_be_broken(const header_order& order, std::size_t named) const noexcept {
        return (order.names + 1 == named && order.broken) || is_broken_name(column_items_[named - 1].name);
    }
    WLFMT_COLD void find_edge(const beginning& b, std::size_t named, const header_order& order) noexcept {
        const std::size_t last = column_count_ - 1;
        const std::size_t header = count_characters(b.names);
        const std::size_t width = counted_ ? header : count_characters(b.rule);
        const bool ordered = order.names == named;
        const bool ends_blank = !b.names.empty() && is_blank(b.names.back());
        std::size_t whole = named;
        edge_.width = width;
        if (named != column_count_) {
            if (!ordered && order.names + 1 == named && order.broken) --whole;
        } else if (!ordered) {
            // The labels of a whole header push the last one to the right by what they exceed their columns.
            const std::size_t* at = runs_.positions();
            if (!counted_ && header > width && at[2 * last + 1] >= spans_[last].end + overflow_) return;
            const std::size_t indent = at[2 * last] - spans_[last].begin;
            if (named == 2 && !counted_ && indent != 0 && indent != 2 && indent != 7) return;
            const bool narrow = !counted_ && last > 1 && size_of(last) < size_of(last - 1);
            if (is_known_name(column_items_[last].name, named) && !narrow && has_whole_cells(b.rows)) return;
            --whole;
        } else {
            const std::size_t gap = counted_ ? 0 : width - spans_[last].end;
            const bool even = header == width || header == width + overflow_;
            const std::size_t calls = find_unit(unit::count) < last ? find_unit(unit::count) : last;
            if (counted_ || !has_usual_widths(calls)) return;
            const bool narrow = last > 1 && size_of(calls) < size_of(calls - 1);
            edge_.laid_out = !narrow && has_usual_widths(calls + 1);
            if (!may_be_last(order.position)) {
                if (!narrow && !(even && edge_.laid_out)) return;
                if (gap == 0) --whole;
            } else if (!edge_.laid_out) {
                return;
            } else if (gap == 0 ? !(ends_blank && header == width) : gap > 1 && (overflow_ == 0 || header != width)) {
                return;
            } else if (gap == 0) {
                --whole;
            }
        }
        cut_columns(whole);
        const char* const end_names = b.names.data() + b.names.size();
        edge_.name = named == column_count_ ? std::string_view(column_items_[last].name) : view(end_names, end_names);
    }
    // Whether a name that is the beginning of another one may be whole, too.
    static bool is_known_name(std::string_view name, std::size_t named) noexcept {
        const table::column_meaning m = table_columns::meaning_of(name);
        bool known = m.device.empty();
        for (const device_row& device : table_columns::devices) known = known || device.printed == m.device;
        return m.name.empty() ? named == 2 && name.size() < 4 : known;
    }
    std::size_t size_of(std::size_t column) const noexcept { return spans_[column].end - spans_[column].begin; }
    // The position of the first column of that unit; the number of columns if there is none.
    std::size_t find_unit(unit u) const noexcept {
        std::size_t n = 0;
        while (n != column_count_ && column_items_[n].unit != u) ++n;
        return n;
    }
    // Makes the columns from this one on cut ones. (Source locations and shapes are texts as it is.)
    void cut_columns(std::size_t first) noexcept {
        for (std::size_t n = first; n < column_count_; ++n) {
            table::column& c = column_items_[n];
            const bool source = compare_name(c.name, column_order[source_position].printed) != part_of_name::none;
            if (source && find_unit(unit::count) < n) c.unit = unit::source;
            else if (c.unit != unit::text) c.unit = unit::cut;
            c.left_aligned = true;
        }
    }

    // Sets the spans of a table without a rule to those of its names. Returns how many there are.
    std::size_t span_names(std::string_view names) noexcept {
        const std::size_t count = runs_.split_line(names, true);
        const std::size_t* at = runs_.positions();
        for (std::size_t n = 0; n != count; ++n) spans_[n] = {at[2 * n], at[2 * n + 1]};
        return count;
    }

    // As begin_table(), for a table with or without titles above it: lines of text, each under a line of `=`.
    bool begin_titled_table(const char* p) noexcept {
        line_place rest = place_of(p);
        std::size_t titles = 0;
        for (;;) {
            const line_place before = rest;
            if (titles == table::max_titles || at_end(rest) || !is_title_rule(next_line(rest))) {
                if (!begin_table(before, titles != 0)) return false;
                show_lists(titles);
                return true;
            }
            if (at_end(rest)) return false;
            const std::string_view text = without_blanks(next_line(rest));
            if (text.empty() || is_title_rule(text) || is_rule(text)) return false;
            title_items_[titles++] = text;
        }
    }

    // Whether this rule opens another table rather than closes this one, as in logs. Splits the line after the rule.
    bool opens_table(const char* rule) noexcept {
        line_place rest = place_of(rule);
        const std::size_t groups = count_dashes(next_line(rest));
        if (at_end(rest)) return false;
        const std::string_view names = next_line(rest);
        return !at_end(rest) && is_rule(next_line(rest)) && !is_rule(names) && runs_.split_line(names, true) == groups;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
