// Reading profiler summary tables. A row is read on one of two paths with the same answers: the planned path (rows.hpp)
// looks for cells where PyTorch's padding puts them; the slow path places the runs of the line into the columns.
#ifndef WLFMT_DETAIL_TABLE_READER_HPP
#define WLFMT_DETAIL_TABLE_READER_HPP

#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/prefix.hpp"
#include "cell.hpp"
#include "header.hpp"
#include "rows.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct table_reading : table_header {
    table_reading(std::string_view text, const options& how) noexcept
        : table_header(text, prefixes::bom_size(text, how), how) {
        go_on(at_);
    }

    bool next_table() noexcept {
        if (!problems_.ok()) return false;
        while (part_ == part::rows && next_row_line(true)) continue;
        if (part_ == part::totals) read_totals(true);
        if (part_ != part::before_any) part_ = part::after_totals;
        edge_ = {};
        column_count_ = 0;
        show_lists(0);
        forget_prefix();
        while (at_ != end_) {
            const char* const begin = at_;
            line_cursor cursor(view(begin, end_));
            const std::string_view line = cursor.next();
            const char* const end_line = line.data() + line.size();
            const std::size_t prefix = any_prefix_ ? table_prefix_size(line) : 0;
            const char* const first = after_blanks(begin + (prefix != no_prefix ? prefix : 0), end_line);
            if (prefix != no_prefix && may_begin(first, end_line)) {
                table_ = begin;
                if (any_prefix_) {
                    prefix_ = line.substr(0, prefix);
                    if (*first == 'N') give_back_blank();
                    table_ += prefix_.size();
                }
                // The closing rule of a table whose header was refused does not open a table with the lines after it.
                const bool closes = view(table_, end_line) == std::exchange(refused_rule_, {}) && !opens_table(table_);
                if (!closes && begin_titled_table(table_)) return true;
                if (!problems_.ok()) return false;
                const bool gone_on = at_ != begin;
                forget_prefix();
                if (gone_on) continue;
            }
            go_on(cursor.at());
            if (first == end_line || !problems_.how.strict) continue;
            const std::string_view foreign = without_blanks(line);
            if (!problems_.report(error_kind::foreign_text, foreign, "profiler table")) return false;
        }
        if (!any_table_ && !problems_.is_piece()) {
            any_table_ = true;
            problems_.refuse(error_kind::no_records, view(end_, end_), "profiler table");
        }
        return false;
    }

    WLFMT_INLINE const table::row* next() noexcept {
        if (WLFMT_UNLIKELY(!problems_.ok())) return nullptr;
        if (WLFMT_UNLIKELY(part_ == part::before_any) && !next_table()) return nullptr;
        if (WLFMT_LIKELY(planned_ && part_ == part::rows)) {
            const char* after = read_planned_row();
            if (WLFMT_LIKELY(after != nullptr)) {
                at_ = after;
                return &row_;
            }
        }
        while (part_ == part::rows && next_row_line()) {
            row_.source = runs_.line;
            bool only_name = false;
            const bool placed = place() && !(only_name = is_only_name());
            if (WLFMT_UNLIKELY(!placed || is_cut() || is_beyond_edge())) {
                cut_ = placed || (only_name && source_ == column_count_ && ends_open());
                orphans_ = true;
                if (placed) report_mismatch(runs_.count - 1, column_items_[column_count_ - 1].name);
                else report_row();
                if (!problems_.ok()) return nullptr;
                continue;
            }
            if (WLFMT_UNLIKELY(is_swapped())) unswap();
            orphans_ = true;
            if (WLFMT_UNLIKELY(!read_cells())) return nullptr;
            orphans_ = false;
            if (source_ != column_count_) {
                look_at_source();
                read_frames();
            }
            return &row_;
        }
        if (part_ == part::totals) read_totals(false);
        if (edge_.reached && !edge_.shortened) edge_.name = column_items_[source_].name;
        if (WLFMT_UNLIKELY(edge_.name.data() != nullptr) && problems_.ok()) report_edge();
        return nullptr;
    }

    bool skip() noexcept {
        if (problems_.ok()) return false;
        if ((any_prefix_ ? rest() : at_) == end_ && !is_open()) return false;  // a missing rule may have to be reported
        problems_.first = {};
        return true;
    }

    static result<table::document> read_all(std::string_view text, const options& how) {
        table_reading r(text, how);
        table::document doc;
        while (r.next_table()) {
            doc.tables.emplace_back();
            table::profile& one = doc.tables.back();
            one.titles.assign(r.titles_.begin(), r.titles_.end());
            one.columns.assign(r.row_.columns.begin(), r.row_.columns.end());
            while (const table::row* shown = r.next()) {
                if (!shown->frames.empty()) {
                    one.frames.resize(one.size());
                    one.frames.push_back(shown->frames);
                }
                one.cells.insert(one.cells.end(), shown->cells.begin(), shown->cells.end());
                one.sources.push_back(shown->source);
            }
            one.totals.assign(r.totals_.begin(), r.totals_.end());
        }
        return {std::move(doc), r.problems_.first};
    }

private:
    // Whether PyTorch printed the last two cells of a row in the wrong order, perhaps with the last one cut.
    bool is_swapped() const noexcept {
        if (is_stack_and_flops(column_items_, column_count_)) return true;
        const std::size_t last = column_count_ - 1;
        return column_items_[last].unit == unit::cut && column_items_[last - 1].unit == unit::source;
    }
    // PyTorch swaps these columns' values. Where FLOPs are in their own column, a person has swapped them back.
    void unswap() noexcept {
        std::string_view& source = text(column_count_ - 2);
        std::string_view& flops = text(column_count_ - 1);
        const auto is_flops = [](std::string_view t) {
            return !t.empty() && table_cells::holds(unit::flops, table_cells::read_form(t, false));
        };
        if (is_flops(flops) && !source.empty() && !is_flops(source)) return;
        std::swap(source, flops);
    }

    // Reads the values of cells whose texts are set. Returns false after an error.
    WLFMT_INLINE bool read_cells() noexcept {
        for (std::size_t n = 0; n != column_count_; ++n) {
            cell& c = cells_[n];
            const unit u = column_items_[n].unit;
            const std::string_view printed = c.text();
            if (holds_texts(u) || printed.empty()) {
                cell_access::set(c, printed, number(), u);
                continue;
            }
            const char* const end = printed.data() + printed.size();
            if (printed.size() <= most_plain && read_plain_cell(u, end, last_of_sixteen(printed.size()), c)) continue;
            const error_kind problem = read_odd_cell(u, printed, c);
            if (WLFMT_UNLIKELY(problem != error_kind::none) &&
                !problems_.report(problem, printed, column_items_[n].name, 0, row_of(u).letter))
                return false;
        }
        return true;
    }

    // Whether the line that was split is a stack frame below a row.
    bool is_frame() const noexcept {
        const std::size_t* at = runs_.positions();
        return source_ != column_count_ && runs_.count == 1 && is_frame_at(at[0], at[1], spans_, source_);
    }

    // Splits the line at at_, unless looking ahead has done so. Returns where the next line begins.
    WLFMT_INLINE const char* split() noexcept {
        const char* next = ahead_;
        ahead_ = nullptr;
        return next != nullptr ? next : runs_.split(at_, end_);
    }

    // Takes the stack below the row, with the blank lines around it, and looks ahead at the line after it.
    void read_frames() noexcept {
        const char* const begin = rest();
        const char* after = begin;
        while (at_ != end_) {
            const char* next = runs_.split(at_, end_);
            if (runs_.count != 0) {
                if (!is_frame() || is_rule_here()) {
                    ahead_ = next;
                    break;
                }
                look_at_frame();
                after = next;
            }
            go_on(next);
        }
        row_.frames = table::frame_list::from_text(view(begin, after), prefix_);
    }

    // Whether the table goes on after the blanks at at_: with stacks at any text, else at its closing rule or a full
    // row.
    bool goes_on() noexcept {
        const line_place blank = place_of(at_);
        while (at_ != end_) {
            const char* const next = runs_.split(at_, end_);
            // Below a call stack there is a line of blanks.
            if (runs_.count == 0 && edge_.laid_out && source_ == column_count_ && runs_.line.size() == edge_.width &&
                edge_.name.data() == nullptr)
                edge_.name = column_items_[column_count_ - 1].name;
            if (runs_.count != 0) {
                if (source_ != column_count_) return true;
                const bool rule = is_rule_here();
                if (rule && !opens_table(at_)) return true;
                const std::size_t least = edge_.name.data() == nullptr ? column_count_ : column_count_ == 2 ? 1 : 2;
                if (!rule && runs_.count >= least && place() && !is_header(runs_)) return true;
                break;
            }
            go_on(next);
        }
        if (source_ == column_count_) go_to(blank);
        return false;
    }

    // Whether the line that was placed is only a name. PyTorch prints no such row: another program printed this text.
    bool is_only_name() const noexcept {
        // A comment that a person left in place of omitted rows is kept, as a row.
        const std::string_view name = cells_[0].text();
        return measured_ && column_items_[0].unit == unit::text && runs_.count == 1 && !name.empty() &&
               name.front() != '#';
    }

    // Whether the text was cut within the row that was placed. Without a closing rule it was if the last line lacks its
    // last cell, or if the text ends with that cell before the column does. For a piece of a text this is the same: a
    // piece ends where a table does, with a line end unless the whole text has none there.
    bool is_cut() noexcept {
        if (!measured_ || source_ != column_count_ || edge_.name.data() != nullptr) return false;
        const std::size_t last = column_count_ - 1;
        if (WLFMT_UNLIKELY(cells_[last].text().empty())) return ends_open();
        const std::size_t end = runs_.bytes[2 * runs_.count - 1];
        return runs_.line.data() + end == end_ && !column_items_[last].left_aligned &&
               runs_.positions()[2 * runs_.count - 1] < spans_[last].end;
    }
    // Whether the row that was placed ends the table without a closing rule. Looks ahead, then places this row again.
    WLFMT_COLD bool ends_open() noexcept {
        const line_place below = place_of(at_);
        next_row_line(true);
        const bool ends = part_ == part::after_totals;
        part_ = part::rows;
        go_to(below);
        runs_.split(row_.source.data(), end_);
        place();
        return ends;
    }
    // Whether the last cell of the row that was placed is cut at the edge of the lines, or missing: wide values pushed
    // it beyond where the rule ends. Whole lines have blanks there, or go on.
    bool is_beyond_edge() noexcept {
        const std::size_t last = column_count_ - 1;
        if (WLFMT_LIKELY(!edge_.laid_out) || column_items_[last].unit == unit::cut) return false;
        const std::size_t end = runs_.positions()[2 * runs_.count - 1];
        if (column_items_[last].left_aligned) {
            look_at_shapes(end);
            return false;
        }
        if (text(last).empty()) return column_items_[last].unit == unit::count && is_pushed(end);
        if (!ends_bare()) return false;
        return (end == edge_.width && end > spans_[last].end) || is_pushed(end);
    }
    // Left-aligned columns of shapes are of versions that print them whole.
    void look_at_shapes(std::size_t end) noexcept {
        const std::size_t last = column_count_ - 1;
        if (column_items_[last].name != "Input Shapes" || end + 1 < spans_[last].end) return;
        std::ptrdiff_t open = 0;
        for (const char c : text(last)) open += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (open > 0) edge_.name = column_items_[last].name;
    }
    // Whether nothing, not even a blank, comes after the last run of the line that was split.
    bool ends_bare() const noexcept { return runs_.bytes[2 * runs_.count - 1] == runs_.line.size(); }

    // Whether values that are wider than their columns pushed those after them to the right, beyond that place.
    WLFMT_COLD bool is_pushed(std::size_t end) const noexcept {
        const std::size_t* at = runs_.positions();
        std::size_t run = 0;
        std::size_t shift = 0;
        for (std::size_t n = 0; n != column_count_ && run != runs_.count; ++n) {
            if (cells_[n].text().empty()) continue;
            const std::size_t end_run = at[2 * run + 1];
            if (end_run > spans_[n].end + shift) shift = end_run - spans_[n].end;
            ++run;
        }
        return shift != 0 && end < spans_[column_count_ - 1].end + shift;
    }
    // Notes what the source location of a row that was placed says about the edge of the lines.
    WLFMT_COLD void look_at_source() noexcept {
        const std::string_view printed = text(source_);
        if (!edge_.laid_out || printed.empty()) return;
        look_at_frame();
        if (source_ + 1 != column_count_ || edge_.name.data() != nullptr) return;
        const cell_form form = table_cells::read_form(printed, false).form;
        const bool flops = form == cell_form::decimal || form == cell_form::integer || printed == "--";
        if (flops) edge_.name = column_items_[source_].name;  // PyTorch prints FLOPs there, and the location after them
    }
    // PyTorch leaves four characters free after the longest location, or shortens locations to the column's width.
    void look_at_frame() noexcept {
        const column_span s = spans_[source_];
        if (!edge_.laid_out) return;
        // Where the rule has its blanks, a location after FLOPs has them, too.
        const bool spaced = source_ + 2 == column_count_ && edge_.width == spans_[source_ + 1].end + column_gap;
        if (spaced && runs_.line.size() < runs_.bytes[2 * runs_.count - 1] + column_gap) edge_.reached = true;
        if (!ends_bare()) return;
        if (source_ + 1 != column_count_ || edge_.width != s.end || s.end - s.begin == 75) return;
        if (runs_.positions()[2 * runs_.count - 1] != s.end) return;
        const std::string_view frame = runs_[runs_.count - 1];
        if (frame.substr(0, 3) != "...") edge_.reached = true;
        else if (frame.find("): ") != std::string_view::npos) edge_.shortened = true;
    }
    WLFMT_COLD void report_edge() noexcept {
        const table_edge edge = std::exchange(edge_, {});
        problems_.report(error_kind::cut_column, edge.name, edge.name, static_cast<std::int64_t>(edge.width));
    }

    WLFMT_COLD void report_mismatch(std::size_t run, std::string_view field) noexcept {
        problems_.report(error_kind::row_mismatch, runs_[run], field, static_cast<std::int64_t>(runs_.count),
                         static_cast<std::int64_t>(column_count_));
    }

    // Reports the first run that is not within a column of its own, and the column that it touches.
    WLFMT_COLD void report_row() noexcept {
        std::size_t run_of[table::max_columns];
        const run_places row = places(run_of);
        const std::size_t last = (row.runs <= table::max_columns ? row.runs : table::max_columns) - 1;
        const std::size_t placed = row.place_by_spans();
        const std::size_t run = placed < last ? placed : last;
        std::size_t n = 0;
        while (n != column_count_ && spans_[n].end <= row.at[2 * run]) ++n;
        const bool touches = n != column_count_ && row.at[2 * run + 1] > spans_[n].begin;
        report_mismatch(run, touches ? column_items_[n].name : std::string_view());
    }

    // Whether the closing rule has yet to come. (Not after a row that was cut, which has been reported already.)
    bool is_open() const noexcept {
        return part_ == part::rows && !cut_ && !counted_ && has_closing_rule(column_items_, column_count_);
    }
    // Ends a table without a closing rule. `quiet`: with no report, since nobody looks at its rows.
    WLFMT_COLD void end_open(bool quiet) noexcept {
        const bool open = is_open();
        part_ = part::after_totals;
        if (open && !quiet) problems_.report(error_kind::unclosed_table, view(rest(), rest()), {});
    }

    // Whether the line that was split ends a table without a closing rule: another header, Markdown, or prose.
    WLFMT_COLD bool ends_here() noexcept {
        if (runs_.count > 1) return is_header(runs_);
        if (runs_.count == 0 || is_frame()) return false;
        return is_markdown(runs_[0]) || is_prose();
    }
    // In a table with stacks or without rules: whether the line that was split, of one run, is prose, since the next
    // line that is not blank has only one run, too.
    WLFMT_COLD bool is_prose() noexcept {
        if (source_ == column_count_ && !counted_) return false;
        line_place rest = place_of(at_);
        std::string_view line = next_line(rest);
        if (is_total(line)) return false;
        do line = at_end(rest) ? std::string_view() : next_line(rest);
        while (!at_end(rest) && without_blanks(line).empty());
        runs_.split_line(line);
        const bool prose = runs_.count == 1 && !is_frame() && !is_total(line) && !is_rule(line);
        runs_.split(at_, end_);
        return prose;
    }

    // Splits the next line that is a row. Returns false at the table's end; at_ is then after the closing rule, if any.
    WLFMT_INLINE bool next_row_line(bool quiet = false) noexcept {
        while (at_ != end_) {
            const char* next = split();
            if (WLFMT_UNLIKELY(runs_.count == 0)) {
                if (goes_on()) continue;
                break;
            }
            if (WLFMT_UNLIKELY(is_rule_here())) {
                if (opens_table(at_)) break;
                go_on(next);
                part_ = part::totals;
                return false;
            }
            // A header begins with `Name`, a run of 4 bytes.
            if (WLFMT_UNLIKELY(runs_.count == 1 || runs_.bytes[1] - runs_.bytes[0] == 4) && ends_here()) break;
            if (WLFMT_UNLIKELY(runs_.count == 1) && is_total(runs_.line)) {
                end_open(quiet);
                part_ = part::totals;
                return false;
            }
            go_on(next);
            if (WLFMT_UNLIKELY(orphans_)) {
                if (is_frame()) continue;
                orphans_ = false;
            }
            return true;
        }
        end_open(quiet);
        return false;
    }

    // Reads the lines of totals. `quiet`: problems in them are not reported.
    void read_totals(bool quiet) noexcept {
        while (at_ != end_) {
            line_place rest = place_of(at_);
            table::total t;
            if (!split_total(next_line(rest), t)) break;
            std::size_t n = 0;
            while (n != totals_.size() && total_items_[n].name != t.name) ++n;
            if (n == table::max_totals) break;
            go_to(rest);
            const error_kind problem = table_cells::read_any_cell(unit::microseconds, t.value);
            total_items_[n] = t;
            if (n == totals_.size()) list_access::show(totals_, total_items_, n + 1);
            const std::string_view printed = t.value.text();
            if (problem != error_kind::none && !quiet &&
                !problems_.report(problem, printed, t.name, 0, row_of(unit::microseconds).letter))
                return;
        }
        part_ = part::after_totals;
    }

    void forget_prefix() noexcept {
        if (!any_prefix_) return;
        at_ = rest();
        prefix_ = {};
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
