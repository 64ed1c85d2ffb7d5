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

    // Takes the names of the columns from the header line. Returns false if they do not fit the rule.
    static bool read_names(table_state& r, std::string_view line, std::size_t& found) noexcept {
        found = r.runs_.split_line(line, true);
        if (!r.runs_.plain && found != r.column_count_) r.runs_.split_characters(false);
        if (found != r.column_count_) {
            if (r.runs_.count == 0 || is_collapsed(r.runs_.count, r.runs_[0])) return false;
            if (!rows::place(r, false) && !place_first(r, line, found)) return false;
        }

        label_sides sides;
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
        }
        return true;
    }

    // Whether a header with fewer names than columns is one whose blanks were collapsed: its first columns are one
    // name, which may lie within a wide first span.
    static bool is_collapsed(std::size_t names, std::string_view first) noexcept {
        return first.substr(0, 5) == "Name " || (names == 1 && first.find(' ') != std::string_view::npos);
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
        r.orphans_ = r.planned_ = r.cut_ = false;
        const std::size_t skipped = r.any_prefix_ ? r.prefix_.size() : 0;
        r.dashed_ = !b.dashes.empty() && skipped <= r.above_.size() && r.above_.substr(skipped) == b.dashes;
        r.ahead_ = nullptr;
        r.row_.frames = {};
        r.part_ = part::rows;
        if (r.prefix_.empty() && !r.counted_ && !r.spaced_ && r.edge_.name.data() == nullptr) rows::plan(r);
        return true;
    }
    // Finds out whether the lines of the table were cut at their right edge. Only PyTorch's own tables show that.
    static void find_edge(table_state& r, const beginning& b) noexcept {
        r.edge_ = {};
        if (r.counted_ || r.column_items_[0].name != column_order[0].printed) return;
        const std::size_t last = r.column_count_ - 1;
        std::size_t named = r.column_count_;
        while (named != 1 && r.column_items_[named - 1].name.empty()) --named;
        const header_order order = find_order(r.column_items_, named);
        r.edge_.width = count_shown(b.rule);
        if (named != r.column_count_) {
            const std::size_t whole = order.names + 1 == named && order.broken ? named - 1 : named;
            if (!are_known(r.column_items_, whole)) return;
            cut_columns(r, whole);
            const char* const end_names = b.names.data() + b.names.size();
            r.edge_.name = view(end_names, end_names);
        } else if (size_of(r, last) < 3 || is_last_cut(r, b)) {
            cut_columns(r, last);
            r.edge_.name = last_label(r, b.names);
        } else {
            const std::size_t width = common_width(r, r.column_count_);
            r.edge_.laid_out = order.names == named && (width == 12 || width == 15);
        }
    }
    // Whether the last column was cut: its name is what the edge leaves of a name that PyTorch prints there, or it is
    // narrower than the others, and its cells have lost their units.
    WLFMT_COLD static bool is_last_cut(table_state& r, const beginning& b) noexcept {
        const std::size_t last = r.column_count_ - 1;
        if (r.runs_.count != r.column_count_) return false;
        const std::size_t* const at = r.runs_.positions();
        label_place label{at[2 * last], at[2 * last + 1], 0, 0, at[2 * last - 1] + column_gap, true, false};
        std::size_t shift = 0;
        for (std::size_t n = 0; n != last; ++n) {
            label.left = label.left && at[2 * n] <= r.spans_[n].begin + shift;
            if (at[2 * n + 1] > r.spans_[n].end + shift) shift = at[2 * n + 1] - r.spans_[n].end;
        }
        const bool bare = r.edge_.width == r.spans_[last].end;
        // After a whole last span the edge can only have cut a label that reaches it.
        if (!bare && label.end < r.edge_.width) return false;
        label.edge = r.edge_.width > label.end ? r.edge_.width : label.end;
        label.span = r.spans_[last].begin + shift;
        const table::column& column = r.column_items_[last];
        const bool known = is_printed(column.name);
        const bool all_known = are_known(r.column_items_, last);
        const std::size_t width = common_width(r, last);
        const bool narrow = bare && size_of(r, last) < width;
        label.narrow = narrow && width != no_width;
        if (known && all_known && label.narrow && last > 2 && is_measured(column.unit) &&
            find_pieces(r, b.rows) == cell_pieces::some)
            return true;
        const header_order order = find_order(r.column_items_, last);
        if (order.names == last) {
            for (const std::uint8_t next : column_order[order.position].next) {
                if (next == 0 || is_rest(r, next, label) == rest_of_name::none) continue;
                if (last > 1 && !known) return true;
                if (last > 1 && narrow && (label.left || find_pieces(r, b.rows) != cell_pieces::none)) return true;
                if (is_text(next)) return column.name.size() > 1;
            }
        }
        // Columns that somebody has picked, or a name that may be a whole one.
        if (!all_known || !bare) return false;
        bool counts = false;
        bool within_word = false;
        for (std::size_t row = 1; row != std::size(column_order); ++row) {
            const rest_of_name rest = is_rest(r, row, label);
            within_word = within_word || rest == rest_of_name::within_word;
            counts = counts || (rest != rest_of_name::none && (last > 1 ? !is_text(row) : has_unit(row)));
        }
        if (within_word && !is_known(column.name) && column.name.size() > 1) return true;
        if (!counts) return false;
        const cell_pieces pieces = find_pieces(r, b.rows);
        return pieces == cell_pieces::some || (pieces == cell_pieces::no_cells && !known);
    }
    // Where the last label of a header is.
    struct label_place {
        std::size_t begin;
        std::size_t end;
        std::size_t edge;  // where the line was cut, if it was
        std::size_t span;  // where the label's span begins, moved by the labels before it that exceed theirs
        std::size_t gap;   // where it begins after the label before, if the header is indented by less than the rule
        bool left;         // no label before it is aligned on the right
        bool narrow;       // its span, which ends the rule, is narrower than those of measures, which are equal
    };
    // How the last name is what the edge leaves of one of PyTorch's.
    enum class rest_of_name : std::uint8_t { none, words, within_word };
    // Whether the last name is what the edge leaves of the one that PyTorch prints there for this row of the order. A
    // column of texts may have any width.
    static rest_of_name is_rest(const table_state& r, std::size_t row, const label_place& label) noexcept {
        const std::string_view name = r.column_items_[r.column_count_ - 1].name;
        const std::string_view printed = column_order[row].printed;
        const std::string_view own = own_device(r);
        rest_of_name rest = rest_of_name::none;
        const auto ends_at = [&](std::size_t width, std::size_t size) {
            const std::size_t wide = width > size ? width : size;
            return label.begin + size == label.span + wide || label.begin + size == label.gap + wide;
        };
        const auto try_fill = [&](std::string_view fill) {
            const filled_name whole{printed, printed.find_first_of("*+"), fill};
            if (!whole.is_left(name, label.edge - label.begin)) return;
            const bool within = whole[label.end - label.begin] != ' ';
            bool there = is_text(row) || (label.left && label.begin == label.span) || (within && label.narrow) ||
                         ends_at(12, whole.size()) || ends_at(15, whole.size());
            for (std::size_t n = 1; n + 1 < r.column_count_; ++n)
                there = there || (is_measured(r.column_items_[n].unit) && ends_at(size_of(r, n), whole.size()));
            if (!there) return;
            if (within || rest == rest_of_name::none) rest = within ? rest_of_name::within_word : rest_of_name::words;
        };
        if (printed.find('*') == printed.npos) {
            try_fill("");
            if (printed.find('+') != printed.npos)
                for (const column_scale& scale : table_columns::scales) try_fill(scale.prefix);
        } else if (!own.empty()) {
            try_fill(own);
        } else {
            for (const device_row& device : table_columns::devices)
                if (device.printed != "CPU") try_fill(device.printed);
        }
        return rest;
    }
    // Whether the cells of that column need a unit, without which they are pieces.
    static bool has_unit(std::size_t row) noexcept {
        const unit u = table::unit_of(column_order[row].printed);
        return u == unit::microseconds || u == unit::percent || u == unit::bytes;
    }
    static bool is_text(std::size_t row) noexcept { return holds_texts(table::unit_of(column_order[row].printed)); }
    // The device of the columns before the last; empty if there is none but the processor.
    static std::string_view own_device(const table_state& r) noexcept {
        for (std::size_t n = 1; n + 1 < r.column_count_; ++n) {
            const std::string_view device = table_columns::meaning_of(r.column_items_[n].name).device;
            if (!device.empty() && device != "CPU") return device;
        }
        return {};
    }
    // What the cells of the last column show: a piece is the beginning of a number without the unit that it needs.
    enum class cell_pieces : std::uint8_t { no_rows, no_cells, none, some };
    static cell_pieces find_pieces(table_state& r, line_place rest) noexcept {
        constexpr std::size_t max_lines = 32;
        const std::size_t last = r.column_count_ - 1;
        const unit u = r.column_items_[last].unit;
        cell_pieces found = cell_pieces::no_rows;
        for (std::size_t n = 0; n != max_lines && !lines::at_end(r, rest); ++n) {
            const std::string_view line = lines::next_line(r, rest);
            r.runs_.split_line(line);
            if (r.runs_.count == 0 || lines::may_be_rule(line)) break;
            if (!rows::place(r, false)) continue;
            if (found == cell_pieces::no_rows) found = cell_pieces::no_cells;
            const std::string_view cell = rows::text(r, last);
            if (cell.empty()) continue;
            const cell_reading read = table_cells::read_form(cell, u == unit::bytes);
            const bool bare = read.form == cell_form::integer || read.form == cell_form::decimal;
            const bool begun = is_digit(cell.front()) || cell.front() == '-';
            if (u == unit::other ? bare : begun && cell != "0" && !table_cells::holds(u, read))
                return cell_pieces::some;
            if (cell != "0") found = cell_pieces::none;
        }
        return found;
    }

    static bool is_measured(unit u) noexcept { return row_of(u).form != cell_form::missing; }
    static constexpr std::size_t no_width = static_cast<std::size_t>(-1);
    // The width of the columns of measures among the first `count` ones; 0 without any, no_width if they differ.
    static std::size_t common_width(const table_state& r, std::size_t count) noexcept {
        std::size_t width = 0;
        for (std::size_t n = 1; n < count; ++n) {
            if (!is_measured(r.column_items_[n].unit)) continue;
            if (width != 0 && size_of(r, n) != width) return no_width;
            width = size_of(r, n);
        }
        return width;
    }
    static bool is_known(std::string_view name) noexcept { return !table_columns::meaning_of(name).name.empty(); }
    // Whether a name is one of PyTorch's columns for one of its devices: others' names may be cut ones.
    static bool is_printed(std::string_view name) noexcept {
        const std::string_view device = table_columns::meaning_of(name).device;
        bool known = device.empty();
        for (const device_row& row : table_columns::devices) known = known || row.printed == device;
        return known && is_known(name);
    }
    // Whether the first `count` columns have names of PyTorch's columns.
    static bool are_known(const table::column* columns, std::size_t count) noexcept {
        std::size_t n = 0;
        while (n != count && is_known(columns[n].name)) ++n;
        return n == count;
    }
    // The last label of a header as it is in the text: the column's name may be spelled differently.
    static std::string_view last_label(table_state& r, std::string_view names) noexcept {
        const std::size_t found = r.runs_.split_line(names, true);
        if (!r.runs_.plain && found != r.column_count_) r.runs_.split_characters(false);
        return r.runs_[r.runs_.count - 1];
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
