// What a reader of tables keeps between two rows, and how it places the runs of a line into the columns.
#ifndef WLFMT_DETAIL_TABLE_STATE_HPP
#define WLFMT_DETAIL_TABLE_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "cell.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

struct table_state {
    // What is at at_.
    enum class part : std::uint8_t { before_any, rows, totals, after_totals };
    // The bytes of a line in which a cell is expected.
    struct window {
        std::size_t end;       // of the column
        std::size_t begin;     // of the gap before it
        unsigned inside;       // of a number: which of the last 16 bytes are not before `begin`
        std::uint64_t blanks;  // of a text: the bytes before `end` that have to be blank
        std::uint64_t within;  // of a text: the bytes that belong to it
        table::unit unit;
    };

    // The first byte that belongs to no line read so far.
    const char* rest() const noexcept { return prefix_.empty() ? at_ : after_; }

    const char* at_;     // the next line, after its prefix
    const char* table_;  // the first line of this table, after its prefix
    const char* end_;
    const char* after_;  // the end of the line before it, where there are prefixes
    problems problems_;
    table::row row_;
    item_list<text_view> titles_;
    item_list<table::total> totals_;
    std::string_view prefix_ = {};        // of the lines to read; empty until a table is found, if any prefix will do
    std::string_view rule_ = {};          // the line above the header: the closing one is the same bytes as a rule
    std::string_view refused_rule_ = {};  // that of a table whose header was refused, until it is closed
    std::size_t column_count_ = 0;
    std::size_t title_count_ = 0;
    std::size_t total_count_ = 0;
    std::size_t source_ = 0;       // the column of source locations, or column_count_
    const char* ahead_ = nullptr;  // if runs_ already holds the line at at_: the line after it
    part part_ = part::before_any;
    bool any_prefix_;
    bool any_table_ = false;
    bool planned_ = false;          // windows_ are set: PyTorch's own layout
    bool orphans_ = false;          // stack frames that follow belong to a row that could not be read
    bool cut_ = false;              // the table's last row was cut, and that was reported
    bool stack_and_flops_ = false;  // the last two columns are swapped
    bool counted_ = false;          // no rule gives the columns: a row has as many runs as the header
    bool measured_ = false;         // a column but the first holds measures, and a rule gives the columns
    text_view title_items_[table::max_titles];
    table::total total_items_[table::max_totals];
    table::column column_items_[table::max_columns];
    column_span spans_[table::max_columns];
    window windows_[table::max_columns];
    table::cell cells_[table::max_columns];
    table_runs runs_;

    template <class Build>
    table_state(Build, std::string_view text, std::size_t mark_size, const options& how) noexcept
        : at_(text.data() + mark_size),
          table_(at_),
          end_(text.data() + text.size()),
          after_(at_),
          problems_(text, how),
          any_prefix_(how.prefix == any_prefix) {
        if (!any_prefix_) prefix_ = how.prefix;
    }
};

// Placing runs into columns. A `Row` is a line that was split into runs, with the columns of its table.

// The usual case: every run lies within a column of its own. The last column has no end.
template <class Row> WLFMT_INLINE bool place_by_spans(Row& row) noexcept {
    const std::size_t* at = row.positions();
    std::size_t run = 0;
    for (std::size_t n = 0; n != row.columns(); ++n) {
        const column_span s = row.span(n);
        if (run == row.runs() || at[2 * run] >= s.end) {
            row.take_nothing(n);
            continue;
        }
        if (at[2 * run] < s.begin || (at[2 * run + 1] > s.end && n + 1 != row.columns())) return false;
        row.take(n, run++);
    }
    return run == row.runs();
}

// A line in which values that are wider than their columns have pushed the rest to the right, as PyTorch's padding
// does. `aligned`: each value must be exactly where the padding puts it, since foreign lines may look similar.
template <class Row> bool place_by_shifted_spans(Row& row, bool aligned) noexcept {
    if (row.runs() < 2) return false;
    const std::size_t* at = row.positions();
    std::size_t run = 0;
    std::size_t shift = 0;
    for (std::size_t n = 0; n != row.columns(); ++n) {
        const column_span s{row.span(n).begin + shift, row.span(n).end + shift};
        if (run == row.runs() || at[2 * run] >= s.end) {
            row.take_nothing(n);
            continue;
        }
        const std::size_t begin = at[2 * run];
        const std::size_t end = at[2 * run + 1];
        if (begin < s.begin) return false;
        if (end > s.end) {
            if (begin != s.begin) return false;
            shift += end - s.end;
        } else if (aligned && end != s.end && !row.is_left_aligned(n)) {
            return false;
        }
        row.take(n, run++);
    }
    return run == row.runs();
}

// A line with as many runs as columns.
template <class Row> bool place_by_count(Row& row) noexcept {
    if (row.runs() != row.columns()) return false;
    for (std::size_t n = 0; n != row.columns(); ++n) row.take(n, n);
    return true;
}

// Gives each cell its text. Returns false if the runs do not fit the columns in either way.
template <class Row> WLFMT_INLINE bool place_runs(Row& row, bool aligned) noexcept {
    if (WLFMT_LIKELY(place_by_spans(row))) return true;
    return place_by_count(row) || place_by_shifted_spans(row, aligned);
}

// Is a line whose only run is [begin, end) a stack frame below a row? It is if it lies in the column of the source
// location, not in the first column. A path wider than its column still begins after the columns before it.
inline bool is_frame_at(std::size_t begin, std::size_t end, const column_span* spans, std::size_t source) noexcept {
    if (begin < spans[1].begin) return false;
    if (begin >= spans[source].begin) return true;
    std::size_t n = 1;
    while (spans[n].end <= begin) ++n;
    return begin >= spans[n].begin && end <= spans[n].end;
}

// Finds out from the labels of a header, one after the other, to which side each column is aligned.
class label_sides {
public:
    // Takes the label at [begin, end) of the line, in the column with this span.
    void add_label(std::size_t begin, std::size_t end, column_span s, bool& left_aligned) noexcept {
        const bool ends_left = end < s.end + shift_;
        if (begin == s.begin + shift_ && ends_left) left_aligned = true;
        if (begin != s.begin + shift_ && end == s.end + shift_) left_aligned = false;
        if (end > s.end + shift_) shift_ = end - s.end;
    }

private:
    std::size_t shift_ = 0;
};

// The line that a reader has split.
template <class Build> struct table_place {
    using state = table_state;

    // The line that was split, and the columns that its runs are placed into.
    struct split_row {
        state& r;
        std::size_t columns() const noexcept { return r.column_count_; }
        std::size_t runs() const noexcept { return r.runs_.count; }
        const std::size_t* positions() const noexcept { return r.runs_.positions(); }
        column_span span(std::size_t n) const noexcept { return r.spans_[n]; }
        bool is_left_aligned(std::size_t n) const noexcept { return r.column_items_[n].left_aligned; }
        void take(std::size_t column, std::size_t run) const noexcept { text(r, column) = r.runs_[run]; }
        void take_nothing(std::size_t column) const noexcept { text(r, column) = {}; }
    };
    static std::string_view& text(state& r, std::size_t n) noexcept { return cell_access::text(r.cells_[n]); }
    WLFMT_INLINE static bool place(state& r, bool aligned = true) noexcept {
        split_row row{r};
        if (WLFMT_LIKELY(!r.counted_) && WLFMT_LIKELY(place_by_spans(row))) return true;
        if (is_changed(r)) return false;
        return place_by_count(row) || (!r.counted_ && place_by_shifted_spans(row, aligned));
    }
    // Is the line one that a diff takes out or puts in? Its mark comes before the table's indentation.
    WLFMT_COLD static bool is_changed(const state& r) noexcept {
        const char mark = r.runs_.line.empty() ? ' ' : r.runs_.line.front();
        return (mark == '-' || mark == '+') && r.spans_[0].begin != 0;
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
