// Iterates over the rows of a table in a document, and adds and removes its rows and columns.
#ifndef WLFMT_DETAIL_TABLE_EDIT_HPP
#define WLFMT_DETAIL_TABLE_EDIT_HPP

#include "../base/walk.hpp"
#include "cell.hpp"
#include "names.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace table {

inline cell row::find(std::string_view column_name) const noexcept {
    for (std::size_t n = 0; n != columns.size(); ++n)
        if (columns[n].name == column_name) return detail::table_cells::cell_in(columns[n].unit, cells[n]);
    return {};
}

// Iterates over the rows of a table, but over no more than it has at the start. An iterator holds its own copy of a
// row, which changes to the table do not affect. The range and iterators of a temporary table share its contents.
class profile::row_range {
public:
    using iterator = row_iterator;

    iterator begin() const;
    iterator end() const;
    std::size_t size() const noexcept { return table_->size(); }

private:
    friend struct profile;
    friend class profile::row_iterator;
    row_range() noexcept = default;
    explicit row_range(const profile* table) noexcept : table_(table) {}
    explicit row_range(profile&& table) {
        const detail::shared_items<profile> own(std::vector<profile>(1));
        own.items().front() = std::move(table);
        table_ = &own.items().front();
        own_ = own;
    }
    const profile* table_ = nullptr;
    detail::lasting_share own_;
};

class profile::row_iterator : public detail::input_iterator<table::row> {
public:
    row_iterator() noexcept = default;
    const table::row& operator*() const& noexcept WLFMT_LIFETIMEBOUND { return row_; }
    table::row operator*() const&& { return row_; }
    const table::row* operator->() const& noexcept WLFMT_LIFETIMEBOUND { return &row_; }
    const table::row* operator->() const&& = delete;
    row_iterator& operator++() {
        if (at_end()) return *this;
        ++at_;
        show();
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const row_iterator& a, const row_iterator& b) noexcept {
        return a.at_end() ? b.at_end() : !b.at_end() && a.at_ == b.at_;
    }
    friend bool operator!=(const row_iterator& a, const row_iterator& b) noexcept { return !(a == b); }

private:
    friend class row_range;
    explicit row_iterator(const row_range& rows) : rows_(rows), end_(rows.size()) {
        row_.columns = item_list<column>(rows_.table_->columns);
        show();
    }
    bool at_end() const noexcept { return at_ >= end_ || at_ >= rows_.size(); }
    void show() {
        if (!at_end()) rows_.table_->show(row_, cells_, at_);
    }

    row_range rows_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::vector<cell> cells_;  // the cells of row_
    table::row row_;
};
inline profile::row_iterator profile::row_range::begin() const { return iterator(*this); }
inline profile::row_iterator profile::row_range::end() const { return {}; }
inline profile::row_range profile::rows() const& WLFMT_LIFETIMEBOUND { return row_range(this); }
inline profile::row_range profile::rows() && { return row_range(std::move(*this)); }

inline profile::row_iterator profile::begin() const& WLFMT_LIFETIMEBOUND { return rows().begin(); }
inline profile::row_iterator profile::end() const& WLFMT_LIFETIMEBOUND { return {}; }

inline void profile::show(table::row& r, std::vector<cell>& shown, std::size_t n) const {
    shown.resize(r.columns.size());
    for (std::size_t k = 0; k != shown.size(); ++k) shown[k] = cell_at(n, k);
    detail::list_access::show(r.cells, shown.data(), shown.size());
    r.frames = {};
    if (n < frames.size()) r.frames = frames[n];
    r.source = n < sources.size() ? sources[n] : text_view();
}

inline row profile::row(std::size_t n) const {
    table::row copy;
    if (n >= size()) return copy;
    copy.columns = item_list<column>(columns);
    std::vector<cell> own;
    show(copy, own, n);
    copy.cells = item_list<cell>(std::move(own));
    return copy;
}

inline cell* profile::edit_cell_at(std::size_t row, std::size_t column) & noexcept WLFMT_LIFETIMEBOUND {
    if (row >= size() || column >= columns.size()) return nullptr;
    cell& c = cells[row * columns.size() + column];
    c = detail::table_cells::cell_in(columns[column].unit, c);
    return &c;
}
inline cell profile::cell_at(std::size_t row, std::size_t column) const noexcept {
    if (row >= size() || column >= columns.size()) return {};
    return detail::table_cells::cell_in(columns[column].unit, cells[row * columns.size() + column]);
}

inline std::size_t profile::find_column(std::string_view name) const noexcept {
    return detail::find_column(columns.data(), columns.size(), name);
}

inline cell* profile::edit_total(std::string_view name) & noexcept WLFMT_LIFETIMEBOUND {
    for (std::size_t n = totals.size(); n != 0; --n)
        if (cell& c = totals[n - 1].value; totals[n - 1].name == name)
            return &(c = detail::table_cells::cell_in(unit::microseconds, c));
    return nullptr;
}
inline cell profile::find_total(std::string_view name) const noexcept {
    for (std::size_t n = totals.size(); n != 0; --n)
        if (totals[n - 1].name == name) return detail::table_cells::cell_in(unit::microseconds, totals[n - 1].value);
    return {};
}

inline bool profile::add_row(std::initializer_list<cell> row_cells) {
    table::row r;
    detail::list_access::show(r.cells, row_cells.begin(), row_cells.size());
    return insert_row(size(), r);
}

inline bool profile::insert_row(std::size_t n, const table::row& r) {
    if (n > size() || columns.empty()) return false;
    // The cells are copied, as the row may be one of this table's own.
    std::vector<cell> added(columns.size());
    std::string taken(columns.size(), '\0');  // for each column: whether a cell of the row went into it
    for (std::size_t k = 0; k != r.cells.size(); ++k) {
        std::size_t at = k;
        if (k < r.columns.size() && (k >= columns.size() || taken[k] || columns[k].name != r.columns[k].name)) {
            at = 0;
            while (at != columns.size() && (taken[at] || columns[at].name != r.columns[k].name)) ++at;
            if (at == columns.size() && r.cells[k].is_missing()) continue;
        }
        if (at >= columns.size() || taken[at]) return false;
        added[at] = r.cells[k];
        taken[at] = '\1';
    }
    const auto insert = [n](auto& list, auto item, bool is_there) {
        if (n >= list.size() && !is_there) return;
        const decltype(item) none = {};
        while (list.size() < n) list.push_back(none);
        detail::insert_at(list, n, item);
    };
    insert(frames, r.frames, !r.frames.empty());
    insert(sources, r.source, r.source.data() != nullptr);
    const std::size_t begin = n * columns.size();
    for (const cell& c : added) cells.push_back(c);
    for (std::size_t at = cells.size(); at-- != begin + added.size();) cells[at] = cells[at - added.size()];
    for (std::size_t k = 0; k != added.size(); ++k) cells[begin + k] = added[k];
    return true;
}

inline bool profile::remove_row(std::size_t n) {
    if (n >= size()) return false;
    detail::remove_at(cells, n * columns.size(), columns.size());
    if (n < frames.size()) detail::remove_at(frames, n);
    if (n < sources.size()) detail::remove_at(sources, n);
    return true;
}

inline bool profile::insert_column(std::size_t n, const column& c, const cell& of_every_row) {
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
    detail::insert_at(columns, n, added_column);
    cells = std::move(widened);
    return true;
}

inline bool profile::remove_column(std::size_t n) {
    if (n >= columns.size()) return false;
    const std::size_t rows_end = size() * columns.size();
    std::size_t kept = 0;
    for (std::size_t at = 0; at != cells.size(); ++at)
        if (at >= rows_end || at % columns.size() != n) cells[kept++] = cells[at];
    while (cells.size() != kept) cells.pop_back();
    detail::remove_at(columns, n);
    return true;
}

}  // namespace table

namespace detail {

struct table_canonical {
    using columns = table_columns;

    // The column under its canonical name, if it has one.
    static table::column canonical(const table::column& c) noexcept {
        table::column renamed = c;
        if (const std::string_view name = columns::meaning_of(c.name).name; !name.empty()) renamed.name = name;
        renamed.width = 0;
        return renamed;
    }
    static table::profile canonical(const table::profile& table) {
        table::profile renamed = table;
        for (std::size_t n = 0; n != table.columns.size(); ++n) {
            const double scale = columns::meaning_of(table.columns[n].name).scale;
            renamed.columns[n] = canonical(table.columns[n]);
            for (std::size_t at = n; scale != 1 && at < renamed.cells.size(); at += renamed.columns.size())
                if (renamed.cells[at].value().has_value()) renamed.cells[at] = renamed.cells[at].value_or(0.0) * scale;
        }
        for (table::total& t : renamed.totals)
            if (const std::string_view name = columns::meaning_of(t.name).name; !name.empty()) t.name = name;
        table::column c;
        c.name = columns::device_heading;
        c.unit = table::unit::text;
        static_cast<void>(renamed.insert_column(renamed.columns.size(), c, table::cell(device_of(table.columns))));
        return renamed;
    }
    // The first device in the columns' names but the CPU, in lower case if it is known; empty if there is none.
    template <class Columns> static std::string_view device_of(const Columns& columns) noexcept {
        std::string_view device;
        for (auto c = columns.begin(); c != columns.end() && (device.empty() || device == "CPU"); ++c)
            device = columns::meaning_of(c->name).device;
        if (device == "PrivateUse1") device = "PRIVATEUSE1";
        for (const device_row& known : columns::devices)
            if (known.printed == device) return device == "CPU" ? std::string_view() : known.name;
        return device;
    }
};

struct table_comparison {
    // None and NaN count as no value.
    static number value_of(const table::cell& c) noexcept {
        return c.value().is_none() || table_cells::is_nan(c.value()) ? number() : c.value();
    }
    static bool same(const table::cell& a, const table::cell& b) noexcept {
        const number value = value_of(a);
        return is_same_value(value, value_of(b)) && (value.has_value() || a.text() == b.text());
    }
    // In a column of texts, cells are compared by their texts.
    static bool same(const table::cell& a, const table::cell& b, table::unit unit) noexcept {
        const auto value_in = [unit](const table::cell& c) -> number {
            if (!holds_texts(unit)) return value_of(table_cells::cell_in(unit, c));
            return c.text().empty() ? number(c.value().text()) : number(c.text());
        };
        return is_same_value(value_in(a), value_in(b));
    }
    static bool same(const table::frame_list& a, const table::frame_list& b) noexcept { return are_same(a, b); }
    static bool same(const table::row& a, const table::row& b) noexcept {
        if (a.cells.size() != b.cells.size() || a.columns.size() != b.columns.size()) return false;
        for (std::size_t n = 0; n != a.cells.size(); ++n)
            if (a.columns[n].name != b.columns[n].name || !same(a.cells[n], b.cells[n], a.columns[n].unit))
                return false;
        return same(a.frames, b.frames);
    }
    static bool same(const table::profile& a, const table::profile& b) noexcept {
        const std::size_t columns = a.columns.size();
        if (columns != b.columns.size() || a.cells.size() != b.cells.size() || a.totals.size() != b.totals.size())
            return false;
        for (std::size_t n = 0; n != columns; ++n)
            if (a.columns[n].name != b.columns[n].name) return false;
        for (std::size_t n = 0; n != a.cells.size() && columns != 0; ++n)
            if (!same(a.cells[n], b.cells[n], a.columns[n % columns].unit)) return false;
        const table::frame_list none;
        const auto frames_of = [&](const table::profile& table, std::size_t n) -> const table::frame_list& {
            return n < table.frames.size() ? table.frames[n] : none;
        };
        for (std::size_t n = 0; n < a.frames.size() || n < b.frames.size(); ++n)
            if (!same(frames_of(a, n), frames_of(b, n))) return false;
        for (std::size_t n = 0; n != a.totals.size(); ++n)
            if (a.totals[n].name != b.totals[n].name ||
                !same(a.totals[n].value, b.totals[n].value, table::unit::microseconds))
                return false;
        return true;
    }
};

}  // namespace detail
}}  // namespace wlfmt::WLFMT_ABI

#endif
