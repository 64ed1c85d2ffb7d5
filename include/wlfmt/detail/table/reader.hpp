// Reading profiler summary tables.
//
// A row is read on one of two paths with the same answers. The planned path (rows.hpp) looks for each cell where
// PyTorch's padding puts it. The slow path splits the line into its runs and places these into the columns.
#ifndef WLFMT_DETAIL_TABLE_READER_HPP
#define WLFMT_DETAIL_TABLE_READER_HPP

#include "../../types/error.hpp"
#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "../io/prefix.hpp"
#include "cell.hpp"
#include "header.hpp"
#include "rows.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The operations of a reader on its state.
template <class Build> class table_reading {
    using state = table_state;
    using part = state::part;
    using unit = table::unit;
    using cell = table::cell;
    using header = table_header<build>;
    using own_lines = header::own_lines;
    using fast = table_fast<build>;
    using placing = table_place<build>;

public:
    static void start(state& r) noexcept { header::go_on(r, r.at_); }

    static bool next_table(state& r) noexcept {
        if (!r.problems_.ok()) return false;
        while (r.part_ == part::rows && next_row_line(r, true)) continue;
        if (r.part_ == part::totals) read_totals(r, true);
        if (r.part_ != part::before_any) r.part_ = part::after_totals;
        r.column_count_ = r.title_count_ = r.total_count_ = 0;
        header::show_lists(r);
        forget_prefix(r);
        while (r.at_ != r.end_) {
            const char* const begin = r.at_;
            line_cursor cursor(view(begin, r.end_));
            const std::string_view line = cursor.next();
            const char* const end_line = line.data() + line.size();
            const std::size_t prefix = r.any_prefix_ ? header::table_prefix_size(line) : 0;
            const char* const first = after_blanks(begin + (prefix != no_prefix ? prefix : 0), end_line);
            if (prefix != no_prefix && header::may_begin(first, end_line)) {
                r.table_ = begin;
                if (r.any_prefix_) {
                    r.prefix_ = line.substr(0, prefix);
                    if (*first == 'N') header::give_back_blank(r);
                    r.table_ += r.prefix_.size();
                }
                // The closing rule of a table whose header was refused does not open a table with the lines after it.
                const bool closes =
                    view(r.table_, end_line) == std::exchange(r.refused_rule_, {}) && !header::opens_table(r, r.table_);
                if (!closes && header::begin_titled_table(r, r.table_)) return true;
                if (!r.problems_.ok()) return false;
                const bool gone_on = r.at_ != begin;
                forget_prefix(r);
                if (gone_on) continue;
            }
            header::go_on(r, cursor.at());
            if (first == end_line || !r.problems_.how.strict) continue;
            const std::string_view foreign = without_blanks(line);
            if (!r.problems_.report(error_kind::foreign_text, foreign, "profiler table")) return false;
        }
        if (!r.any_table_ && !r.problems_.is_piece()) {
            r.any_table_ = true;
            r.problems_.refuse(error_kind::no_records, view(r.end_, r.end_), "profiler table");
        }
        return false;
    }

    WLFMT_INLINE static const table::row* next(state& r) noexcept {
        if (WLFMT_UNLIKELY(!r.problems_.ok())) return nullptr;
        if (WLFMT_UNLIKELY(r.part_ == part::before_any) && !next_table(r)) return nullptr;
        if (WLFMT_LIKELY(r.planned_ && r.part_ == part::rows)) {
            const char* after = fast::read_planned_row(r);
            if (WLFMT_LIKELY(after != nullptr)) {
                r.at_ = after;
                return &r.row_;
            }
        }
        while (r.part_ == part::rows && next_row_line(r)) {
            r.row_.source = r.runs_.line;
            bool only_name = false;
            const bool placed = placing::place(r) && !(only_name = is_only_name(r));
            if (WLFMT_UNLIKELY(!placed || is_cut(r))) {
                r.orphans_ = true;
                r.cut_ = placed || (only_name && r.source_ == r.column_count_ && ends_open(r));
                placed ? report_cut(r) : report_row(r);
                if (!r.problems_.ok()) return nullptr;
                continue;
            }
            if (WLFMT_UNLIKELY(r.stack_and_flops_)) unswap(r);
            r.orphans_ = true;
            if (WLFMT_UNLIKELY(!read_cells(r))) return nullptr;
            r.orphans_ = false;
            if (r.source_ != r.column_count_) read_frames(r);
            return &r.row_;
        }
        if (r.part_ == part::totals) read_totals(r, false);
        return nullptr;
    }

    static bool skip(state& r) noexcept {
        if (r.problems_.ok()) return false;
        // At the end, a missing rule may still have to be reported.
        if ((r.any_prefix_ ? r.rest() : r.at_) == r.end_ && !is_open(r)) return false;
        r.problems_.first = {};
        return true;
    }

    static result<table::document> read_all(std::string_view text, const options& how) {
        state r(build(), text, prefixes::bom_size(text, how), how);
        start(r);
        table::document doc;
        while (next_table(r)) {
            doc.tables.emplace_back();
            table::profile& one = doc.tables.back();
            one.titles.assign(r.titles_.begin(), r.titles_.end());
            one.columns.assign(r.row_.columns.begin(), r.row_.columns.end());
            while (const table::row* shown = next(r)) {
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

    // The prefix with which the first table of a text begins: empty if that table has no prefix, without data if there
    // is no table.
    static std::string_view find_prefix(std::string_view text) noexcept {
        options how;
        how.prefix = any_prefix;
        how.lenient = true;
        state r(build(), text, prefixes::bom_size(text, how), how);
        start(r);
        if (!next_table(r)) return {};
        return r.prefix_.data() != nullptr ? r.prefix_ : text.substr(0, 0);
    }

    static std::string_view where(const table::row& r, std::string_view column_name) noexcept {
        const std::string_view text = r.find(column_name).text();
        const auto place = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
        const bool inside = !text.empty() && place(r.source.data()) <= place(text.data()) &&
                            place(text.data() + text.size()) <= place(r.source.data() + r.source.size());
        return inside ? text : std::string_view();
    }

private:
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
                if (fast::read_plain_cell(u, end, inside, c)) continue;
                if (printed.front() == '-' && fast::read_negative_cell(u, end, inside, c)) continue;
            }
            const error_kind problem = table_cells::read_any_cell(u, c);
            if (WLFMT_UNLIKELY(problem != error_kind::none) &&
                !r.problems_.report(problem, printed, r.column_items_[n].name, 0, row_of(u).letter))
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
            header::go_on(r, next);
        }
        frames_access::set(r.row_.frames, view(begin, after), r.prefix_);
    }

    // Does the table go on after the blank lines that begin at at_? Only if its closing rule follows, or a row without
    // an empty cell; stacks have blank lines of their own.
    static bool goes_on(state& r) noexcept {
        const own_lines blank(r, r.at_);
        while (r.at_ != r.end_) {
            const char* next = r.runs_.split(r.at_, r.end_);
            if (r.runs_.count != 0) {
                if (r.source_ == r.column_count_ && header::is_rule_here(r)) {
                    if (header::opens_table(r, r.at_)) break;
                    return true;
                }
                r.ahead_ = next;
                if (r.source_ != r.column_count_ ||
                    (placing::place(r) && !has_empty_cell(r) && !header::is_header(r.runs_)))
                    return true;
                break;
            }
            header::go_on(r, next);
        }
        r.ahead_ = nullptr;
        blank.go_on(r);
        return false;
    }
    static bool has_empty_cell(const state& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n)
            if (r.cells_[n].text().empty()) return true;
        return false;
    }

    // Is the line that was placed a name and nothing else? PyTorch prints no such row: it is text that another program
    // printed into the table.
    static bool is_only_name(const state& r) noexcept {
        // A comment that a person left in place of what was omitted is kept, as a row.
        const std::string_view name = r.cells_[0].text();
        return r.measured_ && r.column_items_[0].unit == unit::text && r.runs_.count == 1 && !name.empty() &&
               name.front() != '#';
    }

    // Was the text cut within the row that was placed? Without a closing rule, it was if the last line lacks its last
    // cell, or if the text ends with that cell, before its column does. Both are asked in the same way of a piece of a
    // text: it ends where a table does, and has no line end there only if the text has none.
    static bool is_cut(state& r) noexcept {
        if (!r.measured_ || r.source_ != r.column_count_) return false;
        const std::size_t last = r.column_count_ - 1;
        if (WLFMT_UNLIKELY(r.cells_[last].text().empty())) return ends_open(r);
        const std::size_t end = r.runs_.bytes[2 * r.runs_.count - 1];
        return r.runs_.line.data() + end == r.end_ && !r.column_items_[last].left_aligned &&
               r.runs_.positions()[2 * r.runs_.count - 1] < r.spans_[last].end;
    }
    // Does the table end with the row that was placed, without a closing rule? Looks at the lines after the row as
    // next_row_line() does, and places the row again.
    WLFMT_COLD static bool ends_open(state& r) noexcept {
        const own_lines below(r, r.at_);
        bool ends = true;
        while (r.at_ != r.end_) {
            split(r);
            const bool blank = r.runs_.count == 0;
            if (blank && goes_on(r)) continue;
            ends = blank || (header::is_rule_here(r) ? header::opens_table(r, r.at_) : ends_here(r));
            break;
        }
        below.go_on(r);
        r.ahead_ = nullptr;
        r.runs_.split(r.row_.source.data(), r.end_);
        placing::place(r);
        return ends;
    }
    WLFMT_COLD static void report_cut(state& r) noexcept {
        const std::string_view last = r.runs_[r.runs_.count - 1];
        r.problems_.report(error_kind::row_mismatch, last, r.column_items_[r.column_count_ - 1].name,
                           static_cast<std::int64_t>(r.runs_.count), static_cast<std::int64_t>(r.column_count_));
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
        r.problems_.report(error_kind::row_mismatch, runs[run], field, static_cast<std::int64_t>(runs.count),
                           static_cast<std::int64_t>(r.column_count_));
    }

    // Is a closing rule to come? PyTorch prints one: without it, the table was cut after a whole row, or lost the rule
    // where it was copied. (A row that was cut has been reported already.)
    static bool is_open(const state& r) noexcept {
        return r.part_ == part::rows && !r.cut_ && !r.counted_ && has_closing_rule(r.column_items_, r.column_count_);
    }
    // Ends a table that has no closing rule. `quiet`: without a report, as nobody has looked at its rows.
    WLFMT_COLD static void end_open(state& r, bool quiet) noexcept {
        const bool open = is_open(r);
        r.part_ = part::after_totals;
        if (open && !quiet) r.problems_.report(error_kind::unclosed_table, view(r.rest(), r.rest()), {});
    }

    // Is the line that was split text after a table without a closing rule: the header of another table, a Markdown
    // fence or heading, or prose?
    WLFMT_COLD static bool ends_here(state& r) noexcept {
        if (r.runs_.count > 1) return header::is_header(r.runs_);
        if (r.runs_.count == 0 || is_frame(r)) return false;
        const std::string_view run = r.runs_[0];
        const char mark = run.front();
        std::size_t marks = 1;
        while (marks != run.size() && run[marks] == mark) ++marks;
        const bool fence = marks > 2 && (mark == '`' || mark == '~');
        const bool heading = marks > 1 && mark == '#' && (marks == run.size() || run[marks] == ' ');
        return fence || heading || is_prose(r);
    }
    WLFMT_COLD static bool is_total(std::string_view line) noexcept {
        table::total ignored;
        return header::split_total(line, ignored);
    }
    // Where no rule or a row without values could be among the rows: is the line that was split, which has one run,
    // prose, as the next line that is not blank has no more, either?
    WLFMT_COLD static bool is_prose(state& r) noexcept {
        if (r.source_ == r.column_count_ && !r.counted_) return false;
        own_lines rest(r, r.at_);
        std::string_view line = rest.next();
        if (is_total(line)) return false;
        do line = rest.done() ? std::string_view() : rest.next();
        while (!rest.done() && without_blanks(line).empty());
        r.runs_.split(line.data(), line.data() + line.size());
        const bool prose = r.runs_.count == 1 && !is_frame(r) && !is_total(line) && !header::is_rule(line);
        r.runs_.split(r.at_, r.end_);
        return prose;
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
                header::go_on(r, next);
                r.part_ = part::totals;
                return false;
            }
            // A header begins with `Name`.
            if (WLFMT_UNLIKELY(r.runs_.count == 1 || r.runs_.bytes[1] - r.runs_.bytes[0] == 4) && ends_here(r)) break;
            if (WLFMT_UNLIKELY(r.runs_.count == 1) && is_total(r.runs_.line)) {
                end_open(r, quiet);
                r.part_ = part::totals;
                return false;
            }
            header::go_on(r, next);
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
            if (!header::split_total(rest.next(), t)) break;
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
                !r.problems_.report(problem, printed, t.name, 0, row_of(unit::microseconds).letter))
                return false;
        }
        r.part_ = part::after_totals;
        return true;
    }

    // The next table may have another prefix.
    static void forget_prefix(state& r) noexcept {
        if (!r.any_prefix_) return;
        r.at_ = r.rest();
        r.prefix_ = {};
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
