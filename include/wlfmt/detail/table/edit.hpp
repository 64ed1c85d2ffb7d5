// Looking at the rows of a table that a document holds, and changing them.
#ifndef WLFMT_DETAIL_TABLE_EDIT_HPP
#define WLFMT_DETAIL_TABLE_EDIT_HPP

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "../../types/table.hpp"
#include "../base/walk.hpp"
#include "cell.hpp"
#include "frames.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace table {

template <class Kernel>
cell row::find(std::string_view column_name) const noexcept {
    for (std::size_t n = 0; n != columns.size(); ++n)
        if (columns[n].name == column_name) return detail::table_cells::cell_in(columns[n].unit, cells[n]);
    return {};
}

// The rows that a table has when the walk begins. The range and its iterators share a copy of the table, so that none
// of them reads the table after it was changed, moved or destroyed. Each iterator holds the row that it shows.
template <class Kernel>
class summary::basic_row_range {
public:
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = table::row;
        using difference_type = std::ptrdiff_t;
        using pointer = const table::row*;
        using reference = const table::row&;

        iterator() noexcept = default;
        const table::row& operator*() const noexcept { return row_; }
        const table::row* operator->() const noexcept { return &row_; }
        iterator& operator++() {
            if (at_end()) return *this;
            ++at_;
            show();
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const iterator& a, const iterator& b) noexcept {
            return a.at_end() ? b.at_end() : !b.at_end() && a.at_ == b.at_;
        }
        friend bool operator!=(const iterator& a, const iterator& b) noexcept { return !(a == b); }

    private:
        friend class basic_row_range;
        explicit iterator(const detail::shared_items<summary>& of) : of_(of) { show(); }
        bool at_end() const noexcept { return !of_ || at_ >= of_.items().front().size(); }
        void show() {
            if (!at_end()) of_.items().front().show(row_, at_);
        }

        detail::shared_items<summary> of_;
        std::size_t at_ = 0;
        table::row row_;
    };

    iterator begin() const { return iterator(of_); }
    iterator end() const { return {}; }
    std::size_t size() const noexcept { return of_.items().front().size(); }

private:
    friend struct summary;
    explicit basic_row_range(const summary& of) : of_(copy(of)) {}
    static std::vector<summary> copy(const summary& of) {
        std::vector<summary> copies(1, of);
        summary& one = copies.front();
        for (std::size_t r = 0; r != one.size(); ++r)
            for (std::size_t n = 0; n != one.columns.size(); ++n) one.at<Kernel>(r, n);
        return copies;
    }
    detail::shared_items<summary> of_;
};

template <class Kernel>
summary::row_range summary::rows() const& {
    return row_range(*this);
}

template <class Kernel>
void summary::show(table::row& r, std::size_t n) const {
    detail::list_access::show(r.cells, cells.data() + n * columns.size(), columns.size());
    detail::list_access::show(r.columns, columns.data(), columns.size());
    r.frames = n < frames.size() ? frames[n] : frame_list();
    r.source = n < sources.size() ? sources[n] : text();
}

template <class Kernel>
row summary::row(std::size_t n) const {
    table::row shown;
    if (n >= size()) return shown;
    show(shown, n);
    std::vector<cell> own(columns.size());
    for (std::size_t k = 0; k != own.size(); ++k) own[k] = at<Kernel>(n, k);
    detail::list_access::show(shown.cells, own.data(), own.size());
    return table::row(static_cast<const table::row&>(shown));
}

template <class Kernel>
cell* summary::at(std::size_t row, std::size_t column) noexcept {
    if (row >= size() || column >= columns.size()) return nullptr;
    cell& c = cells[row * columns.size() + column];
    c = detail::table_cells::cell_in(columns[column].unit, c);
    return &c;
}
template <class Kernel>
cell summary::at(std::size_t row, std::size_t column) const noexcept {
    if (row >= size() || column >= columns.size()) return {};
    return detail::table_cells::cell_in(columns[column].unit, cells[row * columns.size() + column]);
}

inline std::size_t summary::find_column(std::string_view name) const noexcept {
    return detail::find_column(columns.data(), columns.size(), name);
}

template <class Kernel>
cell summary::find_total(std::string_view name) const noexcept {
    for (std::size_t n = totals.size(); n != 0; --n)
        if (totals[n - 1].name == name) return detail::table_cells::cell_in(unit::microseconds, totals[n - 1].value);
    return {};
}

template <class Kernel>
bool summary::add_row(std::initializer_list<cell> row_cells) {
    table::row r;
    detail::list_access::show(r.cells, row_cells.begin(), row_cells.size());
    return insert_row(size(), r);
}

template <class Kernel>
bool summary::insert_row(std::size_t n, const table::row& r) {
    if (n > size() || columns.empty()) return false;
    // A copy of the cells: the row may be one of this table's own.
    std::vector<cell> added(columns.size());
    std::vector<bool> taken(columns.size());
    for (std::size_t k = 0; k != r.cells.size(); ++k) {
        std::size_t at = k;
        if (k < r.columns.size() && (k >= columns.size() || taken[k] || columns[k].name != r.columns[k].name)) {
            at = 0;
            while (at != columns.size() && (taken[at] || columns[at].name != r.columns[k].name)) ++at;
            if (at == columns.size() && r.cells[k].is_missing()) continue;
        }
        if (at >= columns.size() || taken[at]) return false;
        added[at] = r.cells[k];
        taken[at] = true;
    }
    const auto at = [](auto& list, std::size_t position) {
        return list.begin() + static_cast<std::ptrdiff_t>(position);
    };
    if (n < frames.size() || !r.frames.empty()) {
        frame_list stack = r.frames;
        if (frames.size() < n) frames.resize(n);
        frames.insert(at(frames, n), std::move(stack));
    }
    if (n < sources.size() || r.source.data() != nullptr) {
        const std::string_view source = r.source;
        if (sources.size() < n) sources.resize(n);
        sources.insert(at(sources, n), source);
    }
    cells.insert(at(cells, n * columns.size()), added.begin(), added.end());
    return true;
}

template <class Kernel>
bool summary::remove_row(std::size_t n) {
    if (n >= size()) return false;
    const auto at = [](auto& list, std::size_t position) {
        return list.begin() + static_cast<std::ptrdiff_t>(position);
    };
    cells.erase(at(cells, n * columns.size()), at(cells, (n + 1) * columns.size()));
    if (n < frames.size()) frames.erase(at(frames, n));
    if (n < sources.size()) sources.erase(at(sources, n));
    return true;
}

template <class Kernel>
bool summary::insert_column(std::size_t n, const column& c, const cell& of_every_row) {
    if (n > columns.size()) return false;
    const column added_column = c;
    const cell added_cell = of_every_row;
    const std::size_t count = size();
    std::vector<cell> widened;
    widened.reserve(cells.size() + count);
    std::size_t at = 0;
    for (std::size_t r = 0; r != count; ++r)
        for (std::size_t k = 0; k <= columns.size(); ++k) widened.push_back(k == n ? added_cell : cells[at++]);
    for (; at != cells.size(); ++at) widened.push_back(cells[at]);
    columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(n), added_column);
    cells = std::move(widened);
    return true;
}

template <class Kernel>
bool summary::remove_column(std::size_t n) {
    if (n >= columns.size()) return false;
    const std::size_t rows_end = size() * columns.size();
    std::size_t kept = 0;
    for (std::size_t at = 0; at != cells.size(); ++at)
        if (at >= rows_end || at % columns.size() != n) cells[kept++] = cells[at];
    cells.resize(kept);
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(n));
    return true;
}

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
