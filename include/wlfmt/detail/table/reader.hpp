// Reading profiler summary tables. A row is read on one of two paths with the same results: the planned path (rows.hpp)
// looks for cells where PyTorch's padding puts them; the slow path places the phrases of the line into the columns.
#ifndef WLFMT_DETAIL_TABLE_READER_HPP
#define WLFMT_DETAIL_TABLE_READER_HPP

#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/prefix.hpp"
#include "cell.hpp"
#include "edge.hpp"
#include "header.hpp"
#include "lines.hpp"
#include "phrases.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct table_reading {
    using rows = table_rows;
    using header = table_header;
    using edges = table_edges;
    using lines = table_lines;
    using part = table_state::part;
    using unit = table::unit;
    using cell = table::cell;

    // Goes to the first line to read.
    static void start(table_state& r) noexcept { lines::go_on(r, r.at_); }

    static bool next_table(table_state& r) noexcept {
        r.by_table_ = true;
        return find_table(r);
    }
    // The next row: of this table, or of all tables if next_table() was never called.
    WLFMT_INLINE static const table::row* next(table_state& r) noexcept {
        const table::row* shown;
        do shown = next_in_table(r);
        while (WLFMT_UNLIKELY(shown == nullptr) && !r.by_table_ && find_table(r));
        return shown;
    }

    static bool find_table(table_state& r) noexcept {
        if (!r.problems_.ok()) return false;
        while (r.part_ == part::rows && next_row_line(r, true)) continue;
        if (r.part_ == part::totals) read_totals(r, true);
        if (r.part_ != part::before_any) r.part_ = part::after_totals;
        r.edge_ = {};
        r.column_count_ = 0;
        header::show_lists(r, 0);
        forget_prefix(r);
        while (r.at_ != r.end_) {
            const char* const begin = r.at_;
            line_cursor cursor(view(begin, r.end_));
            const std::string_view line = cursor.next();
            const char* const end_line = line.data() + line.size();
            const std::size_t prefix = r.any_prefix_ ? lines::table_prefix_size(line) : 0;
            const char* const first = after_blanks(begin + (prefix != no_prefix ? prefix : 0), end_line);
            if (prefix != no_prefix && lines::may_begin(first, end_line)) {
                r.table_ = begin;
                if (r.any_prefix_) {
                    r.prefix_ = line.substr(0, prefix);
                    r.table_ += r.prefix_.size();
                }
                // The closing rule of a table whose header was refused does not open a table with the lines after it.
                const bool closes = view(r.table_, end_line) == r.refused_rule_ && !header::opens_table(r, r.table_);
                r.refused_rule_ = {};
                if (!closes && header::begin_titled_table(r, r.table_)) return true;
                if (!r.problems_.ok()) return false;
                const bool gone_on = r.at_ != begin;
                forget_prefix(r);
                if (gone_on) continue;
            }
            lines::go_on(r, cursor.at());
            if (first == end_line) continue;
            if (!r.problems_.options.strict) continue;
            if (!r.problems_.report(error_kind::foreign_text, without_blanks(line), "profiler table")) return false;
        }
        if (!r.any_table_ && !r.problems_.is_piece()) {
            r.any_table_ = true;
            r.problems_.refuse(error_kind::no_records, view(r.end_, r.end_), "profiler table");
        }
        return false;
    }

    WLFMT_INLINE static const table::row* next_in_table(table_state& r) noexcept {
        if (WLFMT_UNLIKELY(!r.problems_.ok())) return nullptr;
        if (WLFMT_UNLIKELY(r.part_ == part::before_any) && !find_table(r)) return nullptr;
        if (WLFMT_LIKELY(r.planned_ && r.part_ == part::rows)) {
            const char* after = rows::read_planned_row(r);
            if (WLFMT_LIKELY(after != nullptr)) {
                r.at_ = after;
                return &r.row_;
            }
        }
        while (r.part_ == part::rows && next_row_line(r)) {
            r.row_.source = r.phrases_.line;
            const bool placed = rows::fill_cells(r);
            const bool cut = placed && is_cut(r);
            const bool whole = placed && !is_only_name(r);
            if (WLFMT_UNLIKELY(!whole || cut)) {
                r.cut_ = cut;
                r.orphans_ = true;
                if (cut) report_mismatch(r, r.phrases_.count - 1, r.column_items_[r.column_count_ - 1].name);
                else report_row(r);
                if (!r.problems_.ok()) return nullptr;
                continue;
            }
            if (WLFMT_UNLIKELY(is_swapped(r)))
                std::swap(rows::text(r, r.column_count_ - 2), rows::text(r, r.column_count_ - 1));
            r.orphans_ = true;
            if (WLFMT_UNLIKELY(!read_cells(r))) return nullptr;
            r.orphans_ = false;
            if (r.source_ != r.column_count_) {
                if (!rows::text(r, r.source_).empty()) edges::look_at_source(r, rows::text(r, r.source_), false);
                read_frames(r);
            }
            return &r.row_;
        }
        if (r.part_ == part::totals) read_totals(r, false);
        if (WLFMT_UNLIKELY(r.edge_.name.data() != nullptr)) edges::report(r);
        return nullptr;
    }

    // Completes a move from `left`: points the lists of `r` to its own items, and leaves nothing to read in `left`.
    static void take_over(table_state& r, table_state& left) noexcept {
        const std::size_t totals = r.totals_.size();
        header::show_lists(r, r.titles_.size());
        list_access::show(r.totals_, r.total_items_, totals);
        left.at_ = left.after_ = left.end_;
        left.part_ = part::after_totals;
        left.any_table_ = true;
        left.column_count_ = left.source_ = 0;
        left.edge_ = {};
    }

    static bool skip(table_state& r) noexcept {
        if (r.problems_.ok()) return false;
        if ((r.any_prefix_ ? rows::rest(r) : r.at_) == r.end_ && !is_open(r) && r.edge_.name.data() == nullptr)
            return false;  // else a missing rule or another edge has yet to be reported
        r.problems_.first = {};
        return true;
    }

    static result<table::document> read_all(std::string_view text, const options& options) {
        table_state r(text, prefixes::bom_size(text, options), options);
        start(r);
        table::document doc;
        while (next_table(r)) {
            doc.tables.emplace_back();
            table::profile& table = doc.tables.back();
            // Assigns new vectors, as elsewhere: assign() would be one more function for every includer to compile.
            table.titles = std::vector<text_view>(r.titles_.begin(), r.titles_.end());
            table.columns = std::vector<table::column>(r.row_.columns.begin(), r.row_.columns.end());
            while (const table::row* shown = next(r)) {
                if (!shown->frames.empty()) {
                    while (table.frames.size() != table.size()) table.frames.push_back(table::row().frames);
                    table.frames.push_back(shown->frames);
                }
                for (const table::cell& c : shown->cells) table.cells.push_back(c);
                table.sources.push_back(shown->source);
            }
            table.totals = std::vector<table::total>(r.totals_.begin(), r.totals_.end());
        }
        return {std::move(doc), r.problems_.first};
    }

private:
    // Whether PyTorch printed the last two cells of a row in the wrong order, perhaps with the last one cut.
    static bool is_swapped(const table_state& r) noexcept {
        if (is_stack_and_flops(r.column_items_, r.column_count_)) return true;
        const std::size_t last = r.column_count_ - 1;
        return r.column_items_[last].unit == unit::cut && r.column_items_[last - 1].unit == unit::source;
    }
    // Reads the values of cells whose texts are set. Returns false after an error.
    WLFMT_INLINE static bool read_cells(table_state& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            cell& c = r.cells_[n];
            const unit u = r.column_items_[n].unit;
            const std::string_view printed = c.text();
            if (holds_texts(u) || printed.empty()) {
                cell_access::set(c, printed, number(), u);
                continue;
            }
            const char* const end = printed.data() + printed.size();
            if (printed.size() <= max_plain && rows::read_plain_cell(u, end, last_of_sixteen(printed.size()), c))
                continue;
            const error_kind problem = rows::read_odd_cell(u, printed, c);
            if (WLFMT_UNLIKELY(problem != error_kind::none) &&
                !r.problems_.report(problem, printed, r.column_items_[n].name, 0, row_of(u).letter))
                return false;
        }
        return true;
    }

    // Whether the line that was split is a stack frame below a row.
    static bool is_frame(const table_state& r) noexcept {
        const std::size_t* at = r.phrases_.positions();
        return r.source_ != r.column_count_ && r.phrases_.count == 1 && is_frame_at(at[0], at[1], r.spans_, r.source_);
    }

    // Splits the line at at_, unless looking ahead has already done so. Returns where the next line begins.
    WLFMT_INLINE static const char* split(table_state& r) noexcept {
        const char* next = r.ahead_;
        r.ahead_ = nullptr;
        return next != nullptr ? next : r.phrases_.split(r.at_, r.end_);
    }

    // Takes the stack below the row, with the blank lines around it, and looks ahead at the line after it.
    static void read_frames(table_state& r) noexcept {
        const char* const begin = rows::rest(r);
        const char* after = begin;
        while (r.at_ != r.end_) {
            const char* next = r.phrases_.split(r.at_, r.end_);
            if (r.phrases_.count != 0) {
                if (!is_frame(r) || lines::is_rule_here(r)) {
                    r.ahead_ = next;
                    break;
                }
                edges::look_at_source(r, r.phrases_[0], true);
                after = next;
            }
            lines::go_on(r, next);
        }
        r.row_.frames = table::frame_list::from_text(view(begin, after), r.prefix_);
    }

    // Whether the line that was placed is only a name. PyTorch prints no such row: another program printed this text.
    static bool is_only_name(const table_state& r) noexcept {
        return r.measured_ && r.column_items_[0].unit == unit::text && r.phrases_.count == 1 &&
               !r.cells_[0].text().empty();
    }

    // Whether the text was cut within the row that was placed. It was if the last line of a table without a closing
    // rule lacks its last cell, or if the text ends with that cell, before the end of its column. This holds for a
    // piece of a text, too: it ends where a table does, and lacks a line end only if the whole text does.
    static bool is_cut(table_state& r) noexcept {
        if (!r.measured_ || r.source_ != r.column_count_ || r.edge_.name.data() != nullptr) return false;
        const std::size_t last = r.column_count_ - 1;
        if (WLFMT_UNLIKELY(r.cells_[last].text().empty())) return ends_open(r);
        const std::size_t end = r.phrases_.bytes[2 * r.phrases_.count - 1];
        const char* const after = r.phrases_.line.data() + end;
        return after_colours(after, r.end_) == r.end_ && !r.column_items_[last].left_aligned &&
               r.phrases_.positions()[2 * r.phrases_.count - 1] < r.spans_[last].end;
    }
    // Whether the row that was placed ends the table without a closing rule. Looks ahead, then places this row again.
    WLFMT_COLD static bool ends_open(table_state& r) noexcept {
        const line_place below = lines::place_of(r, r.at_);
        next_row_line(r, true);
        const bool ends = r.part_ == part::after_totals;
        r.part_ = part::rows;
        lines::go_to(r, below);
        r.phrases_.split(r.row_.source.data(), r.end_);
        rows::fill_cells(r);
        return ends;
    }
    WLFMT_COLD static void report_mismatch(table_state& r, std::size_t phrase, std::string_view field) noexcept {
        r.problems_.report(error_kind::row_mismatch, r.phrases_[phrase], field,
                           static_cast<std::int64_t>(r.phrases_.count), static_cast<std::int64_t>(r.column_count_));
    }

    // Reports the first phrase that is not within a column of its own, and the column that it touches.
    WLFMT_COLD static void report_row(table_state& r) noexcept {
        std::size_t phrase_of[table::max_columns];
        const phrase_places row = rows::placing(r, phrase_of);
        const std::size_t last = row.phrases - 1;
        const std::size_t placed = row.place_by_spans();
        const std::size_t phrase = placed < last ? placed : last;
        std::size_t n = 0;
        while (n != r.column_count_ && r.spans_[n].end <= row.at[2 * phrase]) ++n;
        const bool touches = n != r.column_count_ && row.at[2 * phrase + 1] > r.spans_[n].begin;
        report_mismatch(r, phrase, touches ? r.column_items_[n].name : std::string_view());
    }

    // Whether the closing rule has yet to come. (Not after a row that was cut, which has been reported already.)
    static bool is_open(const table_state& r) noexcept {
        if (r.part_ != part::rows || r.cut_) return false;
        return r.source_ != r.column_count_ || has_closing_rule(r.column_items_, r.column_count_);
    }
    // Ends a table without a closing rule. `quiet`: does not report that it is missing, since nobody reads the rows.
    WLFMT_COLD static void end_open(table_state& r, bool quiet) noexcept {
        const bool open = is_open(r);
        r.part_ = part::after_totals;
        if (open && !quiet) r.problems_.report(error_kind::unclosed_table, view(rows::rest(r), rows::rest(r)), {});
    }

    // Whether the line that was split ends a table without a closing rule: another header, or a fence.
    WLFMT_COLD static bool ends_here(table_state& r) noexcept {
        if (r.phrases_.count > 1) return lines::is_header_line(r.phrases_);
        return r.phrases_.count == 1 && lines::is_fence(r.phrases_[0]) && !is_frame(r);
    }
    // Whether a table goes on after the blank line that was split. One with stacks does, and one whose lines were cut,
    // with rows, a rule or totals: PyTorch prints a line of blanks below each stack, whose column may be cut off. The
    // blank line before another table is not this one's: what is said of its end would point behind the blank.
    WLFMT_COLD static bool passes_blank(table_state& r) noexcept {
        if (r.source_ != r.column_count_) return true;
        const bool is_pad = r.edge_.width != 0 && r.phrases_.line.size() == r.edge_.width;
        if (is_pad && r.edge_.name.data() == nullptr) r.edge_.name = r.column_items_[r.column_count_ - 1].name;
        if (r.edge_.name.data() == nullptr) return false;
        std::string_view line = r.phrases_.line;
        for (line_place rest = lines::place_of(r, r.at_); is_blank_line(line) && !lines::at_end(r, rest);)
            line = lines::next_line(r, rest);
        if (lines::is_total(line)) return true;
        r.phrases_.split_line(line);
        if (r.phrases_.count <= (r.column_count_ == 2 ? 0U : 1U) || lines::is_header_line(r.phrases_)) return false;
        return !lines::is_rule_here(r) || !header::opens_table(r, line.data());
    }
    // Several blanks may come before a total's value, which is then a phrase of its own.
    static bool may_be_total(const table_phrases& phrases) noexcept {
        return phrases.count == 1 || (phrases.count == 2 && phrases[0].back() == ':');
    }
    // Splits the next line that is a row. Returns false at the table's end; at_ is then after the closing rule, if any.
    WLFMT_INLINE static bool next_row_line(table_state& r, bool quiet = false) noexcept {
        while (r.at_ != r.end_) {
            const char* next = split(r);
            if (WLFMT_UNLIKELY(r.phrases_.count == 0)) {
                if (!passes_blank(r)) break;
                lines::go_on(r, next);
                continue;
            }
            if (WLFMT_UNLIKELY(lines::is_rule_here(r))) {
                if (header::opens_table(r, r.at_)) break;
                lines::go_on(r, next);
                r.part_ = part::totals;
                return false;
            }
            // A header begins with `Name`, a phrase of 4 bytes.
            if (WLFMT_UNLIKELY(r.phrases_.count == 1 || r.phrases_.bytes[1] - r.phrases_.bytes[0] == 4) && ends_here(r))
                break;
            if (WLFMT_UNLIKELY(may_be_total(r.phrases_)) && lines::is_total(r.phrases_.line)) {
                end_open(r, quiet);
                r.part_ = part::totals;
                return false;
            }
            lines::go_on(r, next);
            if (WLFMT_UNLIKELY(r.orphans_)) {
                if (is_frame(r)) continue;
                r.orphans_ = false;
            }
            return true;
        }
        end_open(r, quiet);
        return false;
    }

    // Reads the lines of totals. `quiet`: problems in them are not reported.
    static void read_totals(table_state& r, bool quiet) noexcept {
        while (r.at_ != r.end_) {
            line_place rest = lines::place_of(r, r.at_);
            std::string_view line = lines::next_line(r, rest);
            while (is_blank_line(line) && !lines::at_end(r, rest)) line = lines::next_line(r, rest);
            table::total t;
            if (!lines::split_total(line, t)) break;
            std::size_t n = 0;
            while (n != r.totals_.size() && r.total_items_[n].name != t.name) ++n;
            if (n == table::max_totals) break;
            lines::go_to(r, rest);
            const error_kind problem = table_cells::read_any_cell(unit::microseconds, t.value);
            r.total_items_[n] = t;
            if (n == r.totals_.size()) list_access::show(r.totals_, r.total_items_, n + 1);
            if (problem != error_kind::none && !quiet &&
                !r.problems_.report(problem, t.value.text(), t.name, 0, row_of(unit::microseconds).letter))
                return;
        }
        r.part_ = part::after_totals;
    }

    static void forget_prefix(table_state& r) noexcept {
        if (!r.any_prefix_) return;
        r.at_ = rows::rest(r);
        r.prefix_ = {};
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
