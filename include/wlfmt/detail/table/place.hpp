// Placing the runs of a line into the columns of a table.
#ifndef WLFMT_DETAIL_TABLE_PLACE_HPP
#define WLFMT_DETAIL_TABLE_PLACE_HPP

#include <cstddef>
#include <string_view>

#include "../base/scan.hpp"
#include "cell.hpp"
#include "schema.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Placing runs into columns. A `Row` is a line that was split into runs, with the columns of its table.

// The usual case: every run lies within a column of its own. The last column has no end.
template <class Row>
WLFMT_INLINE bool place_by_spans(Row& row) noexcept {
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
template <class Row>
bool place_by_shifted_spans(Row& row, bool aligned) noexcept {
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

// Gives each cell its text. Returns false if the runs do not fit the columns in either way.
template <class Row>
WLFMT_INLINE bool place_runs(Row& row, bool aligned) noexcept {
    if (WLFMT_LIKELY(place_by_spans(row))) return true;
    if (row.runs() != row.columns()) return place_by_shifted_spans(row, aligned);
    for (std::size_t n = 0; n != row.columns(); ++n) row.take(n, n);
    return true;
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
template <class Way>
struct table_place {
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
        return place_runs(row, aligned);
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
