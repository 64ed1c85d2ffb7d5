// The lines around the rows of a table: titles, the rule and the header, totals.
#ifndef WLFMT_DETAIL_TABLE_HEADER_HPP
#define WLFMT_DETAIL_TABLE_HEADER_HPP

#include "../base/characters.hpp"
#include "../base/scan.hpp"
#include "../io/prefix.hpp"
#include "cell.hpp"
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
    static std::size_t count_dashes(std::string_view line, column_span* spans = nullptr,
                                    std::string_view* beyond = nullptr) noexcept {
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
            if (size < 3) return 0;
            character += blanks;
            if (spans != nullptr && groups < table::max_columns) spans[groups] = {character, character + size};
            if (beyond != nullptr && groups == table::max_columns) *beyond = view(begin, p);
            character += size;
            ++groups;
        }
    }
    static bool is_rule(std::string_view line) noexcept { return count_dashes(line) > 1; }
    // As is_rule(), for the line that was just split.
    bool is_rule_here() const noexcept {
        if (runs_.count == 0 || (runs_[0].front() != '-' && runs_[0].front() != '=')) return false;
        return runs_.line == rule_ || is_rule(runs_.line);
    }

    // Takes the names of the columns from the header line. Returns false if they do not fit the rule, or if one is a
    // time or a percent: then the line is the only row of a table whose first rule was missed, since it is glued to
    // other text, as in `test_profiler ... -----  -----`.
    bool read_names(std::string_view line, std::size_t& found) noexcept {
        found = runs_.split_line(line, true);
        if (!runs_.plain && found != column_count_) runs_.split_characters(false);
        if (found != column_count_ && !place(false)) return false;

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
        b.groups = count_dashes(b.names, spans_, &b.beyond);
        if (b.groups > 1) {
            if (at_end(b.rows)) return false;
            b.rule = std::exchange(b.names, next_line(b.rows));
        }
        if (at_end(b.rows) || is_rule(b.names) || without_blanks(b.names).empty()) return false;
        b.below = b.rows;
        const std::string_view second = next_line(b.rows);
        if ((!b.rule.empty() && second == b.rule) || is_rule(second)) b.second = second;
        if (!b.rule.empty() && !b.second.empty()) return true;
        const std::size_t names = runs_.split_line(b.names, true);
        if (!is_header(runs_)) return false;
        if (!b.second.empty()) {
            b.rule = b.second;
            b.groups = count_dashes(b.rule, spans_, &b.beyond);
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
        source_ = find_column(column_items_, groups, "Source Location");
        measured_ = !counted_ && has_measures(column_items_, groups);
        orphans_ = planned_ = cut_ = false;
        ahead_ = nullptr;
        row_.frames = {};
        part_ = part::rows;
        if (prefix_.empty() && !counted_) plan();
        return true;
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
