// Reads the beginning of a table (titles, rules and header), and finds out where its lines were cut.
#ifndef WLFMT_DETAIL_TABLE_HEADER_HPP
#define WLFMT_DETAIL_TABLE_HEADER_HPP

#include "cell.hpp"
#include "lines.hpp"
#include "order.hpp"
#include "rows.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Reads the lines before the rows of a table.
struct table_header {
    using lines = table_lines;
    using rows = table_rows;
    using part = table_state::part;
    using unit = table::unit;

    // Points the reader's lists to the columns that were read, the first `titles` titles, and no totals.
    static void show_lists(table_state& r, std::size_t titles) noexcept {
        list_access::show(r.row_.cells, r.cells_, r.column_count_);
        list_access::show(r.row_.columns, r.column_items_, r.column_count_);
        list_access::show(r.titles_, r.title_items_, titles);
        list_access::show(r.totals_, r.total_items_, 0);
    }

    // Assigns the names of a known header to the first columns, if the header is no longer than the rule: labels that
    // overflow their columns push the last ones past the edge at which the lines were cut.
    WLFMT_COLD static bool place_first(table_state& r, std::string_view line, std::size_t found) noexcept {
        r.runs_.split_line(line, true);
        const std::size_t width = r.spans_[r.column_count_ - 1].end + column_gap;
        const bool shifted = found < r.column_count_ && found > 1 &&
                             r.runs_.positions()[2 * found - 1] > r.spans_[r.column_count_ - 1].begin;
        if (!shifted || !lines::is_header(r.runs_) || count_shown(line) > width) return false;
        for (std::size_t n = 0; n != r.column_count_; ++n)
            rows::text(r, n) = n < found ? r.runs_[n] : std::string_view();
        return true;
    }

    // Takes the names of the columns from the header line. Returns false if they do not fit the rule, or show that the
    // line is no header. A time or a percentage shows that the line is the only row of a table whose first rule was
    // missed, since it follows other text in its line, as in `test_profiler ... -----  -----`.
    static bool read_names(table_state& r, std::string_view line, std::size_t& found) noexcept {
        found = r.runs_.split_line(line, true);
        if (!r.runs_.plain && found != r.column_count_) r.runs_.split_characters(false);
        if (found != r.column_count_) {
            if (r.runs_.count == 0 || is_collapsed(r.runs_.count, r.runs_[0])) return false;
            if (!rows::place(r, false) && !place_first(r, line, found)) return false;
        }

        label_sides sides;
        bool is_row = false;
        bool is_other = false;
        std::size_t run = 0;
        const std::size_t* at = r.runs_.positions();
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const column_span s = r.spans_[n];
            const std::size_t width = s.end - s.begin;
            constexpr std::size_t limit = (std::numeric_limits<std::uint32_t>::max)();
            const std::string_view name = found == r.column_count_ ? r.runs_[n] : r.cells_[n].text();
            table::column c(r.runs_.plain ? name : table_columns::spelled(name));
            if (!r.counted_) c.width = static_cast<std::uint32_t>(width < limit ? width : limit);
            if (!c.name.empty()) {
                sides.add_label(at[2 * run], at[2 * run + 1], s, c.left_aligned);
                ++run;
            }
            r.column_items_[n] = c;
            is_row = is_row || table_cells::is_time_or_percent(c.name);
            is_other = is_other || is_of_other(c.name, n, r.column_items_[0].name);
        }
        if (is_row) found = 0;
        r.overflow_ = sides.shift;
        return !is_row && !is_other;
    }

    // Whether a header with fewer names than columns is one whose blanks were collapsed: its first columns are one
    // name, which may lie within a wide first span.
    static bool is_collapsed(std::size_t names, std::string_view first) noexcept {
        return first.substr(0, 5) == "Name " || (names == 1 && first.find(' ') != std::string_view::npos);
    }
    // Whether a column's name shows that the header is that of two tables side by side, or of a diff.
    static bool is_of_other(std::string_view name, std::size_t n, std::string_view first) noexcept {
        return n == 0 ? name == "-Name" : name == "Name" && first == "Name";
    }

    struct beginning {
        line_place rows;        // where the first row is; at first, where the table begins
        line_place below = {};  // where the line below the header is
        std::string_view names = {};
        std::string_view rule = {};    // the rule that the columns are taken from; empty if there is none
        std::string_view second = {};  // the rule below the header
        std::string_view dashes = {};  // the line of other dashes into which an editor turned the rule below the header
        lacking_rules lacks = lacking_rules::none;
        std::size_t groups = 0;        // how many groups of dashes the rule has; their spans are in the state
        std::string_view beyond = {};  // the first group after table::max_columns others
    };
    // Finds a rule, a header and another rule. A known header may lack one of them or, if a row may be below it, both.
    static bool find_beginning(table_state& r, beginning& b) noexcept {
        r.spaced_ = false;
        if (lines::at_end(r, b.rows)) return false;
        r.spaced_ = lines::is_spaced(r, b.rows);
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
            const bool whole = b.groups <= table::max_columns ? size_of(r, b.groups - 1) > 2 : lines::is_rule(b.rule);
            if ((whole && (repeated || lines::is_rule(b.second))) || (repeated && begins_header(r, b.names)))
                return true;
        }
        const std::size_t names = r.runs_.split_line(b.names, true);
        if (!lines::is_header(r.runs_)) return false;
        if (!b.second.empty()) {
            if (!b.rule.empty()) return true;
            b.rule = b.second;
            b.groups = lines::count_dashes(b.rule, r.spans_, &b.beyond, true);
            b.lacks = lacking_rules::above;
            return true;
        }
        b.rows = b.below;
        b.lacks = b.rule.empty() ? lacking_rules::both : lacking_rules::below;
        line_place below_dashes = b.below;
        lines::next_line(r, below_dashes);
        r.runs_.split_line(second);
        if (lines::is_header_line(r.runs_)) return false;
        if (lines::is_dashes(r.runs_)) {
            b.dashes = second;
            b.rows = below_dashes;
            return !lines::at_end(r, below_dashes);
        }
        if (!b.rule.empty()) return r.runs_.count > 1;
        // In a table that was abridged by hand, `----  ...  ----` may be what is left of a rule, and is no row.
        return r.runs_.count == names && r.runs_[0].find_first_not_of("-=") != std::string_view::npos;
    }

    // If the first rule does not fit PyTorch's names, takes the second one if that does, or neither if the rule has too
    // few groups and the first row has as many cells as there are names.
    WLFMT_COLD static void choose_rule(table_state& r, beginning& b) noexcept {
        const std::size_t names = r.runs_.split_line(b.names, true);
        if (names == b.groups || !lines::is_header(r.runs_)) return;
        if (lines::count_dashes(b.second, nullptr, nullptr, true) == names) {
            b.rule = b.second;
            b.groups = lines::count_dashes(b.rule, r.spans_, &b.beyond, true);
        } else if (names > b.groups && !lines::at_end(r, b.rows)) {
            line_place row = b.rows;
            const bool is_row =
                r.runs_.split_line(lines::next_line(r, row)) == names && !lines::is_header_line(r.runs_);
            if (is_row) b.lacks = lacking_rules::both;
        }
    }

    // Whether a line begins with the first name of PyTorch's tables, which may be all that is left of a header.
    static bool begins_header(table_state& r, std::string_view names) noexcept {
        return r.runs_.split_line(names, true) != 0 && r.runs_[0] == column_order[0].printed;
    }

    // Takes the last blank off the prefix if it belongs to the table. Line numbers can show that it does, and so can a
    // rule, row or total below the header.
    WLFMT_COLD static void give_back_blank(table_state& r, bool is_header) noexcept {
        const std::string_view prefix = r.prefix_;
        if (prefix.empty() || !is_blank(prefix.back())) return;
        r.prefix_.remove_suffix(1);
        beginning here{lines::place_of(r, prefix.data() + r.prefix_.size())};
        if (counts_lines(view(prefix.data(), r.end_), r.prefix_) && find_beginning(r, here)) return;
        if (!is_header) {
            r.prefix_ = prefix;
            return;
        }
        line_place below = lines::place_of(r, prefix.data() + r.prefix_.size());
        lines::next_line(r, below);
        const line_place rest = below;
        const std::string_view rule = lines::at_end(r, below) ? std::string_view() : lines::next_line(r, below);
        const bool decided = lines::may_be_rule(rule);
        if (decided ? is_blank(rule.front()) : !has_bare_rows(r, prefix.data() + prefix.size(), rest))
            r.prefix_ = prefix;
    }
    // Whether the number that ends the first line's prefix is a line number of `grep -n`, not a rank: the next two
    // lines have the next two numbers, and none of the lines soon after repeats it.
    WLFMT_COLD static bool counts_lines(std::string_view text, std::string_view prefix) noexcept {
        const line_number number = prefixes::line_number_in(prefix);
        if (number.end == 0 || number.end + 1 != prefix.size()) return false;
        const auto value_of = [&](std::string_view line, std::size_t end) {
            std::size_t value = 0;  // wraps around if it is too large
            for (std::size_t at = number.begin; at != end; ++at)
                value = 10 * value + static_cast<std::size_t>(line[at] - '0');
            return value;
        };
        line_cursor lines(text);
        std::size_t n = 0;
        for (; n <= table::max_lines_between && !lines.done(); ++n) {
            const std::string_view line = lines.next();
            const std::size_t size = n < 3 ? prefixes::size_of(line, prefix) : 1;
            if (size == no_prefix || (n != 0 && line.substr(0, prefix.size()) == prefix)) return false;
            if (n < 3 && value_of(line, size - 1) != value_of(prefix, number.end) + n) return false;
        }
        return n > 2;
    }
    // Whether a row or total below this header begins right after the prefix, which then has no blank at its end: a
    // name that fills its column has none before it.
    WLFMT_COLD static bool has_bare_rows(table_state& r, const char* header, line_place rest) noexcept {
        line_cursor names(view(header, r.end_));
        const std::size_t count = r.runs_.split_line(names.next(), true);
        for (std::size_t n = 0; n != table::max_lines_between && !lines::at_end(r, rest); ++n) {
            const std::string_view line = lines::next_line(r, rest);
            const std::size_t runs = r.runs_.split_line(line);
            if (runs == 0 || lines::is_rule(line)) break;
            if (is_blank(line.front())) {
                if (lines::is_header_line(r.runs_)) break;
            } else if (runs == count || lines::is_total(line)) {
                return true;
            }
        }
        return false;
    }

    // Reads the beginning of a table. Returns false if there is none here, or after reporting why it cannot be read.
    static bool begin_table(table_state& r, line_place lines, bool titled) noexcept {
        beginning b{lines};
        if (!find_beginning(r, b)) return false;
        if (b.lacks == lacking_rules::none) choose_rule(r, b);
        r.counted_ = b.lacks == lacking_rules::both;
        const std::size_t groups = r.counted_ ? span_names(r, b.names) : b.groups;
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
        if (b.lacks != lacking_rules::none) {
            const std::string_view names = without_blanks(b.names);
            r.problems_.warn(error_kind::missing_rule, names, {}, 0, static_cast<std::int64_t>(b.lacks));
        }
        r.rule_ = b.rule;
        find_edge(r, b);
        r.source_ = find_column(r.column_items_, groups, "Source Location");
        if (r.source_ == groups && r.edge_.name.data() != nullptr && r.column_items_[groups - 1].unit == unit::source)
            r.source_ = groups - 1;
        r.measured_ = !r.counted_ && has_measures(r.column_items_, groups);
        r.orphans_ = r.planned_ = r.cut_ = r.dropped_ = false;
        const std::size_t skipped = r.any_prefix_ ? r.prefix_.size() : 0;
        r.dashed_ = !b.dashes.empty() && skipped <= r.above_.size() && r.above_.substr(skipped) == b.dashes;
        r.ahead_ = nullptr;
        r.row_.frames = {};
        r.part_ = part::rows;
        if (r.prefix_.empty() && !r.counted_ && !r.spaced_ && r.edge_.name.data() == nullptr) rows::plan(r);
        return true;
    }
    // Whether no cell of the last column, in the lines below the header, is a number whose unit was cut off. If there
    // are no cells, whether the column's name is known.
    WLFMT_COLD static bool has_whole_cells(table_state& r, line_place rest) noexcept {
        constexpr std::size_t max_lines = 32;
        const std::size_t last = r.column_count_ - 1;
        const unit u = r.column_items_[last].unit;
        bool seen = !table_columns::meaning_of(r.column_items_[last].name).name.empty();
        for (std::size_t n = 0; n != max_lines && !lines::at_end(r, rest); ++n) {
            const std::string_view line = lines::next_line(r, rest);
            r.runs_.split_line(line);
            if (r.runs_.count == 0 || lines::may_be_rule(line)) break;
            if (!rows::place(r, false) || rows::text(r, last).empty()) continue;
            const cell_form form = table_cells::read_form(rows::text(r, last), u == unit::bytes).form;
            const bool bare = form == cell_form::integer || form == cell_form::decimal;
            const std::string_view cell = rows::text(r, last);
            const bool begun = (is_digit(cell.front()) || cell.front() == '-') && form != cell_form::missing;
            if (cell != "0" && (u == unit::other ? bare : begun && form != row_of(u).form)) return false;
            seen = true;
        }
        return seen;
    }

    // Whether the first `count` columns have widths that PyTorch could have printed.
    static bool has_usual_widths(const table_state& r, std::size_t count) noexcept {
        return has_usual_widths(r.column_items_, r.spans_, count);
    }
    static bool has_usual_widths(const table::column* columns, const column_span* spans, std::size_t count) noexcept {
        const std::size_t first = columns[1].unit == unit::text ? 2 : 1;
        const auto size = [spans](std::size_t n) { return spans[n].end - spans[n].begin; };
        for (std::size_t n = first; n < count; ++n)
            if ((size(n) != 12 && size(n) != 15) || size(n) != size(first)) return false;
        return true;
    }
    // Whether columns in PyTorch's order, after which others have to come, look cut because the last is narrower.
    static bool ends_narrow(const table::column* columns, const column_span* spans, std::size_t count,
                            const header_order& order) noexcept {
        const auto size = [spans](std::size_t n) { return spans[n].end - spans[n].begin; };
        return count > 2 && !may_be_last(order.position) && has_usual_widths(columns, spans, count - 1) &&
               size(count - 1) < size(count - 2);
    }

    // Finds out whether the lines of the table were cut: its columns do not begin or end where PyTorch's do.
    static void find_edge(table_state& r, const beginning& b) noexcept {
        r.edge_ = {};
        std::size_t named = r.column_count_;
        while (named != 1 && r.column_items_[named - 1].name.empty()) --named;
        const bool whole = r.column_items_[0].name == column_order[0].printed;
        const header_order order = whole ? find_order(r.column_items_, named) : find_left_edge(r, named);
        if (order.names == 0) return;
        if (whole && !r.counted_ && !r.column_items_[0].left_aligned && has_usual_measures(r)) {
            r.edge_.full_name = size_of(r, 0);
            r.edge_.full_names_left = order.names == named ? 1 : 2;
        }
        if (order.names != named && named == r.column_count_) {
            // In a header of two names, only a second name with a blank in it shows by itself that it was cut.
            const bool tells = named > 2 || r.column_items_[1].name.find(' ') != std::string_view::npos;
            const bool broken = tells ? may_be_broken(r, order, named) : order.broken;
            if (!broken && !(ends_in_one_blank(r, b.rule) && are_known(r, named))) return;
        }
        find_edge(r, b, named, order);
    }
    // Whether all columns of measures but FLOPs are equally wide, with a width that PyTorch prints.
    static bool has_usual_measures(const table_state& r) noexcept {
        std::size_t width = 0;
        for (std::size_t n = 1; n != r.column_count_; ++n) {
            if (row_of(r.column_items_[n].unit).form == cell_form::missing || r.column_items_[n].unit == unit::flops)
                continue;
            if (width == 0) width = size_of(r, n);
            if (size_of(r, n) != width) return false;
        }
        return width == 12 || width == 15;
    }
    // Finds out whether the lines of a table without `Name` were cut at their left edge. Returns the order of the names
    // that are left; it has no names if it is unknown or if the lines were not cut.
    WLFMT_COLD static header_order find_left_edge(table_state& r, std::size_t named) noexcept {
        const left_cut cut = find_left_cut(r.column_items_, named);
        if (!cut.any) return cut.order;
        table::column& c = r.column_items_[0];
        r.edge_.left = r.runs_[0];
        r.edge_.left_possible = cut.whole && size_of(r, 0) >= size_of(r, 1);
        if (!r.edge_.left_possible) c.unit = unit::cut;
        return cut.order;
    }
    // Whether the rule ends with one blank, although it has two between its columns.
    static bool ends_in_one_blank(const table_state& r, std::string_view rule) noexcept {
        return rule.size() > 1 && rule.back() == ' ' && is_among(rule[rule.size() - 2], "-=") &&
               r.spans_[1].begin == r.spans_[0].end + column_gap;
    }
    // Whether the first `count` columns have names of PyTorch's columns.
    static bool are_known(const table_state& r, std::size_t count) noexcept {
        return are_known(r.column_items_, count);
    }
    static bool are_known(const table::column* columns, std::size_t count) noexcept {
        std::size_t n = 0;
        while (n != count && !table_columns::meaning_of(columns[n].name).name.empty()) ++n;
        return n == count;
    }
    // The length in characters of a line of the table, including its prefix.
    static std::size_t length_with_prefix(const table_state& r, std::string_view line) noexcept {
        const char* begin = line.data();
        while (begin != r.problems_.text && begin[-1] != '\n') --begin;
        return count_characters(view(begin, line.data() + line.size()));
    }
    static bool may_be_broken(const table_state& r, const header_order& order, std::size_t named) noexcept {
        return (order.names + 1 == named && order.broken) || is_broken_name(r.column_items_[named - 1].name);
    }
    WLFMT_COLD static void find_edge(table_state& r, const beginning& b, std::size_t named,
                                     const header_order& order) noexcept {
        const std::size_t last = r.column_count_ - 1;
        const std::size_t header = count_shown(b.names);
        const std::size_t width = r.counted_ ? header : count_shown(b.rule);
        const bool ordered = order.names == named;
        const bool ends_blank = !b.names.empty() && is_blank(b.names.back());
        std::size_t whole = named;
        r.edge_.width = width;
        if (named != r.column_count_) {
            const bool known = ordered || (size_of(r, last) < 3 && are_known(r, named));
            if (!known && (order.names + 1 != named || !order.broken)) return;
            if (!known) --whole;
        } else if (!ordered) {
            // The labels of a whole header push the last one to the right by as much as they exceed their columns.
            const std::size_t* at = r.runs_.positions() + 2 * (r.runs_.count - 1);
            if (!r.counted_ && header > width && at[1] >= r.spans_[last].end + r.overflow_) return;
            const std::size_t indent = at[0] - r.spans_[last].begin;
            const bool indented = indent == 0 || indent == 2 || indent == 4 || indent == 7;
            const std::string_view second = r.column_items_[1].name;
            const bool tells = second.find(' ') != std::string_view::npos && is_broken_name(second);
            if (named == 2 && !r.counted_ && !indented && !tells) return;
            const bool narrow = !r.counted_ && last > 1 && size_of(r, last) < size_of(r, last - 1);
            const std::string_view name = r.column_items_[last].name;
            const bool in_order = order.names + 1 == named && order.broken;
            if (named > 2 && name.size() < 2 && name != "#" && !in_order &&
                !((r.counted_ || (narrow && has_usual_widths(r, last))) && are_known(r, last)))
                return;
            // After the times, a name that is the beginning of the next one in the order can only be that one.
            const bool decided = narrow || (order.names > 6 && in_order);
            if (is_known_name(name, named) && !decided && has_whole_cells(r, b.rows)) {
                if (!ends_in_one_blank(r, b.rule) || !are_known(r, named)) return;
                ++whole;
            }
            --whole;
        } else {
            const std::size_t gap = r.counted_ ? 0 : width - r.spans_[last].end;
            const bool even = header == width || header == width + r.overflow_ ||
                              (!r.prefix_.empty() && length_with_prefix(r, b.names) == length_with_prefix(r, b.rule));
            const std::size_t calls = find_unit(r, unit::count) < last ? find_unit(r, unit::count) : last;
            if (r.counted_ ? named < 3 || may_be_last(order.position) : !has_usual_widths(r, calls)) return;
            const bool narrow = last > 1 && size_of(r, calls) < size_of(r, calls - 1);
            r.edge_.laid_out = !r.counted_ && !narrow && has_usual_widths(r, calls + 1);
            if (r.counted_) {
                r.edge_.possible = true;
            } else if (!may_be_last(order.position)) {
                if (!narrow && !(even && r.edge_.laid_out)) return;
                // A program may have written only these columns, with final blanks or, like PyTorch 1.0, without.
                const bool older = order.position >= older_position && gap == 0;
                r.edge_.possible = !narrow && (gap > 1 || older) && (r.overflow_ == 0 || header != width);
                if (gap == 0 && !r.edge_.possible) --whole;
            } else {
                // A carriage return or a tab at the end is not one of the two spaces after a column.
                const char* const end = without_colour(b.rule.data(), b.rule.data() + b.rule.size());
                const bool ends = gap == 0   ? !(ends_blank && header == width)
                                  : gap == 1 ? end[-1] != ' '
                                             : r.overflow_ == 0 || header != width;
                const bool short_count = gap == 0 && r.column_items_[last].unit == unit::count &&
                                         size_of(r, last) < size_of(r, last - 1) && has_usual_widths(r, last);
                if (!short_count && (!r.edge_.laid_out || ends)) return;
                if (gap == 0) --whole;
            }
        }
        cut_columns(r, whole);
        const char* const end_names = b.names.data() + b.names.size();
        r.edge_.name = named == r.column_count_ ? last_label(r, b.names) : view(end_names, end_names);
    }
    // The last label of a header as it is in the text: the column's name may be spelled differently.
    static std::string_view last_label(table_state& r, std::string_view names) noexcept {
        const std::size_t found = r.runs_.split_line(names, true);
        if (!r.runs_.plain && found != r.column_count_) r.runs_.split_characters(false);
        return r.runs_[r.runs_.count - 1];
    }
    // Whether the last of these names may be taken for one that was cut. `narrow`: its column is narrower than the one
    // before, and the labels are in their places.
    static bool has_cut_name(const table::column* columns, const column_span* spans, std::size_t count,
                             const header_order& order, bool narrow) noexcept {
        const std::string_view name = columns[count - 1].name;
        const bool begun = order.names + 1 == count && order.broken;
        if (is_known_name(name, count) && !narrow && !(order.names > 6 && begun)) return false;
        const bool tells = name.size() > 1 || name == "#" ||
                           (narrow && has_usual_widths(columns, spans, count - 1) && are_known(columns, count - 1));
        return begun || (tells && is_broken_name(name));
    }
    // Whether a name may be whole although another one begins with it.
    static bool is_known_name(std::string_view name, std::size_t named) noexcept {
        const table::column_meaning m = table_columns::meaning_of(name);
        bool known = m.device.empty();
        for (const device_row& device : table_columns::devices) known = known || device.printed == m.device;
        return m.name.empty() ? named == 2 && name.size() < 4 : known;
    }
    static std::size_t size_of(const table_state& r, std::size_t column) noexcept {
        return r.spans_[column].end - r.spans_[column].begin;
    }
    // The position of the first column of that unit; the number of columns if there is none.
    static std::size_t find_unit(const table_state& r, unit u) noexcept {
        std::size_t n = 0;
        while (n != r.column_count_ && r.column_items_[n].unit != u) ++n;
        return n;
    }
    // Marks the columns from `first` on as cut. (Those of source locations and shapes hold texts anyway.)
    static void cut_columns(table_state& r, std::size_t first) noexcept {
        for (std::size_t n = first; n < r.column_count_; ++n) {
            table::column& c = r.column_items_[n];
            const bool source = compare_name(c.name, column_order[source_position].printed) != part_of_name::none;
            if (source && find_unit(r, unit::count) < n) c.unit = unit::source;
            else if (c.unit != unit::text) c.unit = unit::cut;
            c.left_aligned = true;
        }
    }

    // Sets the spans of a table without a rule to those of its names. Returns how many there are.
    static std::size_t span_names(table_state& r, std::string_view names) noexcept {
        const std::size_t count = r.runs_.split_line(names, true);
        const std::size_t* at = r.runs_.positions();
        for (std::size_t n = 0; n != count; ++n) r.spans_[n] = {at[2 * n], at[2 * n + 1]};
        return count;
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
        const std::size_t columns = lines::at_end(r, rest) ? 0 : r.runs_.split_line(names, true);
        return columns > 1 && lines::is_rule(lines::next_line(r, rest)) && !lines::is_rule(names) &&
               columns == lines::count_dashes(dashes);
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
