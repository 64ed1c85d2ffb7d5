// Finds out whether the lines of a table were cut at their right edge: from its header, once, and from its sources.
#ifndef WLFMT_DETAIL_TABLE_EDGE_HPP
#define WLFMT_DETAIL_TABLE_EDGE_HPP

#include "cell.hpp"
#include "lines.hpp"
#include "names.hpp"
#include "order.hpp"
#include "phrases.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct table_edges {
    using lines = table_lines;
    using rows = table_rows;
    using unit = table::unit;

    // Finds out whether the lines of the table were cut at their right edge. Only PyTorch's own tables show that.
    static void find(table_state& r, const table_beginning& b) noexcept {
        r.edge_ = {};
        if (r.column_items_[0].name != column_order[0].printed) return;
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
    WLFMT_COLD static bool is_last_cut(table_state& r, const table_beginning& b) noexcept {
        const std::size_t last = r.column_count_ - 1;
        if (r.phrases_.count != r.column_count_) return false;
        const std::size_t* const at = r.phrases_.positions();
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
        // A line that was cut there has no blanks beyond it.
        if (count_shown(b.names) > label.edge) return false;
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
            r.phrases_.split_line(line);
            if (r.phrases_.count == 0 || lines::may_be_rule(line)) break;
            if (!rows::fill_cells(r, false)) continue;
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
        const std::size_t found = r.phrases_.split_line(names, true);
        if (!r.phrases_.plain && found != r.column_count_) r.phrases_.split_characters(false);
        return r.phrases_[r.phrases_.count - 1];
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
    // Notes what a source of the line that was split says about the edge of the lines. PyTorch leaves four characters
    // free after the longest source, or cuts the beginning of one that is wider than 75. FLOPs are printed before it.
    static void look_at_source(table_state& r, std::string_view source, bool is_frame) noexcept {
        if (!r.edge_.laid_out) return;
        const column_span s = r.spans_[r.source_];
        const std::size_t phrase = r.phrases_.count - 1;
        const std::size_t* const place = r.phrases_.positions() + 2 * phrase;
        const std::size_t after = r.phrases_.line.size() - r.phrases_.bytes[2 * phrase + 1];
        const bool shortened = source.substr(0, 3) == "...";
        bool cut = shortened && after == 0 && place[1] - place[0] < s.end - s.begin;
        if (r.source_ + 1 == r.column_count_) {
            const bool ends = after == 0 && r.edge_.width == s.end && place[1] == s.end;
            cut = cut || (ends && !shortened && s.end - s.begin != 75) || (!is_frame && table_cells::is_flops(source));
        } else {
            cut = cut || (r.source_ + 2 == r.column_count_ &&
                          r.edge_.width == r.spans_[r.source_ + 1].end + column_gap && after < column_gap);
        }
        if (cut) r.edge_.name = r.column_items_[r.source_].name;
    }
    WLFMT_COLD static void report(table_state& r) noexcept {
        const std::string_view place = r.edge_.name;
        r.edge_.name = {};
        r.problems_.report(error_kind::cut_column, place, place, static_cast<std::int64_t>(r.edge_.width));
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
