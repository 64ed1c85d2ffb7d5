// Reads the rows of a table by splitting their lines into runs, finds the table's end, and reads the totals after it.
#ifndef WLFMT_DETAIL_TABLE_ROWS_HPP
#define WLFMT_DETAIL_TABLE_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../types/error.hpp"
#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "cell.hpp"
#include "frames.hpp"
#include "header.hpp"
#include "lines.hpp"
#include "place.hpp"
#include "plain.hpp"
#include "runs.hpp"
#include "schema.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

template <class Way>
struct table_rows {
    using state = table_state;
    using part = state::part;
    using unit = table::unit;
    using cell = table::cell;
    using cells = table_plain<kernel>;
    using lines = table_lines<kernel>;
    using own_lines = lines::own_lines;
    using header = table_header<kernel>;
    using placing = table_place<kernel>;

    // PyTorch prints the FLOPs under Source Location and the path under the FLOPs. If a FLOPs value is in its own
    // column, the table was corrected by hand, and nothing is swapped.
    static void unswap(state& r) noexcept {
        std::string_view& source = placing::text(r, r.column_count_ - 2);
        std::string_view& flops = placing::text(r, r.column_count_ - 1);
        const auto is_flops = [](std::string_view t) {
            return !t.empty() && table_cells::holds(unit::flops, table_cells::read_form(t, false));
        };
        if (is_flops(flops) && !source.empty() && !is_flops(source)) return;
        std::swap(source, flops);
    }

    // Reads the values of cells whose texts are set. Returns false after an error.
    WLFMT_INLINE static bool read_cells(state& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            cell& c = r.cells_[n];
            const unit u = r.column_items_[n].unit;
            const std::string_view printed = c.text();
            if (u == unit::text || u == unit::source || printed.empty()) {
                cell_access::set(c, printed, number(), u);
                continue;
            }
            const char* const end = printed.data() + printed.size();
            if (printed.size() <= most_plain) {
                const unsigned inside = last_of_sixteen(printed.size());
                if (cells::read_plain_cell(u, end, inside, c)) continue;
                if (printed.front() == '-' && cells::read_negative_cell(u, end, inside, c)) continue;
            }
            const error_kind problem = table_cells::read_any_cell(u, c);
            if (WLFMT_UNLIKELY(problem != error_kind::none) &&
                !r.problems_.report(problem, printed.data(), printed.size(), r.column_items_[n].name, 0,
                                    row_of(u).letter))
                return false;
        }
        return true;
    }

    // Is the line that was split a stack frame below a row?
    static bool is_frame(const state& r) noexcept {
        const std::size_t* at = r.runs_.positions();
        return r.source_ != r.column_count_ && r.runs_.count == 1 && is_frame_at(at[0], at[1], r.spans_, r.source_);
    }

    // Splits the line at at_, unless looking ahead has done that already. Returns where the next line begins.
    WLFMT_INLINE static const char* split(state& r) noexcept {
        const char* next = r.ahead_;
        r.ahead_ = nullptr;
        return next != nullptr ? next : r.runs_.split(r.at_, r.end_);
    }

    // Takes the stack below the row, with the blank lines around it, and looks ahead at the line after it.
    static void read_frames(state& r) noexcept {
        const char* begin = r.prefix_.empty() ? r.at_ : r.after_;
        const char* after = begin;
        while (r.at_ != r.end_) {
            const char* next = r.runs_.split(r.at_, r.end_);
            if (r.runs_.count != 0) {
                if (!is_frame(r) || header::is_rule_here(r)) {
                    r.ahead_ = next;
                    break;
                }
                after = next;
            }
            lines::go_on(r, next);
        }
        frames_access::set(r.row_.frames, view(begin, after), r.prefix_);
    }

    // Does the table go on after the blank lines that begin at at_? Only if a rule follows, or a row without an empty
    // cell; stacks have blank lines of their own.
    static bool goes_on(state& r) noexcept {
        const char* const blank = r.at_;
        const char* const after_blank = r.after_;
        while (r.at_ != r.end_) {
            const char* next = r.runs_.split(r.at_, r.end_);
            if (r.runs_.count != 0) {
                r.ahead_ = next;
                if (r.source_ != r.column_count_ || header::is_rule_here(r) ||
                    (placing::place(r) && !has_empty_cell(r)))
                    return true;
                break;
            }
            lines::go_on(r, next);
        }
        r.ahead_ = nullptr;
        r.at_ = blank;
        r.after_ = after_blank;
        return false;
    }
    static bool has_empty_cell(const state& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n)
            if (r.cells_[n].text().empty()) return true;
        return false;
    }

    // Is the line that was placed a name and nothing else, where no row is?
    static bool is_only_name(const state& r) noexcept {
        // A comment that a person left in place of what was omitted is kept, as a row.
        const std::string_view name = r.cells_[0].text();
        return r.needs_values_ && r.runs_.count == 1 && !name.empty() && name.front() != '#';
    }

    // Was the text cut within the row that was placed? Without a closing rule, it was if the last line lacks its last
    // cell, or if it has no line end and a number there ends before its column does. Both are asked in the same way of
    // a piece of a text: it ends where a table does, and has no line end there only if the text has none.
    static bool is_cut(state& r) noexcept {
        if (!r.needs_values_ || r.source_ != r.column_count_) return false;
        const std::size_t last = r.column_count_ - 1;
        if (WLFMT_UNLIKELY(r.cells_[last].text().empty())) return ends_open(r);
        const std::string_view line = r.runs_.line;
        return line.data() + line.size() == r.end_ && r.runs_.plain && !r.column_items_[last].left_aligned &&
               r.runs_.positions()[2 * r.runs_.count - 1] < r.spans_[last].end;
    }
    // Does the table end with the row that was placed, without a closing rule? Looks at the lines after the row, and
    // places the row again.
    WLFMT_COLD static bool ends_open(state& r) noexcept {
        if (r.at_ == r.end_) return true;
        const char* const at = r.at_;
        const char* const after = r.after_;
        r.runs_.split(at, r.end_);
        const bool ends = r.runs_.count == 0 ? !goes_on(r) : header::is_rule_here(r) && header::opens_table(r, at);
        r.at_ = at;
        r.after_ = after;
        r.ahead_ = nullptr;
        r.runs_.split(r.row_.source.data(), r.end_);
        placing::place(r);
        return ends;
    }
    WLFMT_COLD static void report_cut(state& r) noexcept {
        const std::string_view last = r.runs_[r.runs_.count - 1];
        r.problems_.report(error_kind::row_mismatch, last.data(), last.size(),
                           r.column_items_[r.column_count_ - 1].name, static_cast<std::int64_t>(r.runs_.count),
                           static_cast<std::int64_t>(r.column_count_));
    }

    // Reports the first run that does not lie within a column of its own, with the column that it touches.
    WLFMT_COLD static void report_row(state& r) noexcept {
        const auto& runs = r.runs_;
        const std::size_t* at = runs.positions();
        const std::size_t last = (runs.count <= table::max_columns ? runs.count : table::max_columns) - 1;
        std::size_t n = 0;
        std::size_t taken = table::max_columns;
        std::string_view field;
        std::size_t run = 0;
        for (;; ++run) {
            const std::size_t begin = at[2 * run];
            const std::size_t end = at[2 * run + 1];
            while (n != r.column_count_ && r.spans_[n].end <= begin) ++n;
            const bool touches = n != r.column_count_ && end > r.spans_[n].begin;
            field = touches ? r.column_items_[n].name : std::string_view();
            // The last column has no end.
            const bool ends = touches && (end <= r.spans_[n].end || n + 1 == r.column_count_);
            if (!ends || begin < r.spans_[n].begin || n == taken || run == last) break;
            taken = n;
        }
        r.problems_.report(error_kind::row_mismatch, runs[run].data(), runs[run].size(), field,
                           static_cast<std::int64_t>(runs.count), static_cast<std::int64_t>(r.column_count_));
    }

    // Is a closing rule to come? PyTorch prints one: without it, the table was cut after a whole row, or lost the rule
    // where it was copied. (A row that was cut has been reported already.)
    static bool is_open(const state& r) noexcept {
        return r.part_ == part::rows && !r.cut_ && has_closing_rule(r.column_items_, r.column_count_);
    }
    // Ends a table that has no closing rule. `quiet`: without a report, as nobody has looked at its rows.
    WLFMT_COLD static void end_open(state& r, bool quiet) noexcept {
        const bool open = is_open(r);
        r.part_ = part::after_totals;
        if (open && !quiet) r.problems_.report(error_kind::unclosed_table, r.rest(), 0, {});
    }

    // Goes to the next line that is a row, and splits it. Returns false at the table's end; at_ is then after its rule.
    WLFMT_INLINE static bool next_row_line(state& r, bool quiet = false) noexcept {
        while (r.at_ != r.end_) {
            const char* next = split(r);
            if (WLFMT_UNLIKELY(r.runs_.count == 0)) {
                if (goes_on(r)) continue;
                break;
            }
            if (WLFMT_UNLIKELY(header::is_rule_here(r))) {
                if (header::opens_table(r, r.at_)) break;
                lines::go_on(r, next);
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

    // Reads the lines of totals. `quiet`: problems in them are not reported. Returns false after an error.
    static bool read_totals(state& r, bool quiet) noexcept {
        while (r.at_ != r.end_) {
            own_lines rest(r, r.at_);
            table::total t;
            if (!lines::split_total(rest.next(), t)) break;
            std::size_t n = 0;
            while (n != r.total_count_ && r.total_items_[n].name != t.name) ++n;
            if (n == table::max_totals) break;
            rest.go_on(r);
            const error_kind problem = table_cells::read_any_cell(unit::microseconds, t.value);
            r.total_items_[n] = t;
            if (n == r.total_count_) {
                ++r.total_count_;
                header::show_lists(r);
            }
            const std::string_view printed = t.value.text();
            if (problem != error_kind::none && !quiet &&
                !r.problems_.report(problem, printed.data(), printed.size(), t.name, 0,
                                    row_of(unit::microseconds).letter))
                return false;
        }
        r.part_ = part::after_totals;
        return true;
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
