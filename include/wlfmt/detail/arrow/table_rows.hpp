// The columns of tables, and their rows.
#ifndef WLFMT_DETAIL_ARROW_TABLE_ROWS_HPP
#define WLFMT_DETAIL_ARROW_TABLE_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../../table.hpp"
#include "../../types/list.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Where the cells of a table go: the columns of a stream are those of all tables that it reads. If a table has
// several columns of the same name, its n-th goes to the stream's n-th column of that name.
class arrow_table_columns {
public:
    static constexpr std::size_t file = 0;
    static constexpr std::size_t table = 1;
    static constexpr std::size_t row = 2;
    static constexpr std::size_t first = 3;

    // Adds the columns of a table. A column's name in the stream includes the unit of its values.
    void add(const list<table::column>& columns) {
        place_all(columns, [this](const table::column& c) {
            columns_.push_back({std::string(c.name), c.unit, title(c), type(c.unit)});
            return columns_.size() - 1;
        });
    }
    // Prepares add_row() for the rows of a table whose columns were added.
    void choose(const list<table::column>& columns) {
        from_.assign(columns_.size(), none);
        std::size_t n = 0;
        place_all(columns, [](const table::column&) { return none; });
        for (const std::size_t place : placed_) {
            if (place != none) from_[place] = n;
            ++n;
        }
    }
    // The columns of a stream, `further` after those of the tables.
    std::vector<arrow_field> fields() const {
        std::vector<arrow_field> all = {
            {"file", arrow_type::word}, {"table", arrow_type::integer}, {"row", arrow_type::integer}};
        for (const column& c : columns_) all.push_back({c.title, c.type});
        all.push_back({"further", arrow_type::word});
        return all;
    }

    void add_row(arrow_rows& to, std::string_view file_name, std::int64_t table_position, std::int64_t row_position,
                 const table::row& r) {
        to.begin_record();
        to.lasting_word(file, file_name);
        to.integer(table, table_position);
        to.integer(row, row_position);
        for (std::size_t n = 0; n != columns_.size(); ++n) {
            if (from_[n] == none)
                to.null(first + n);
            else
                add_cell(to, first + n, columns_[n], r, from_[n]);
        }
        to.misfits(first + columns_.size());
        to.end_row();
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct column {
        std::string name;
        table::unit unit;
        std::string title;
        arrow_type type;
    };

    // In a schema names are C strings of UTF-8.
    static std::string title(const table::column& c) {
        std::string name = repaired_utf8(c.name);
        std::replace(name.begin(), name.end(), '\0', '?');
        return name.append(row_of(c.unit).heading);
    }
    static arrow_type type(table::unit u) noexcept {
        switch (u) {
        case table::unit::percent:
        case table::unit::microseconds:
        case table::unit::bytes:
        case table::unit::flops: return arrow_type::decimal;
        case table::unit::count: return arrow_type::integer;
        default: return arrow_type::word;
        }
    }
    // The place of each column of a table, in placed_; `otherwise` gives that of a column that is not known.
    template <class Otherwise>
    void place_all(const list<table::column>& columns, Otherwise&& otherwise) {
        placed_.clear();
        for (const table::column& c : columns) {
            std::size_t place = 0;
            while (place != columns_.size() && (columns_[place].name != c.name ||
                                                std::find(placed_.begin(), placed_.end(), place) != placed_.end()))
                ++place;
            placed_.push_back(place != columns_.size() ? place : otherwise(c));
        }
    }
    void add_cell(arrow_rows& to, std::size_t place, const column& c, const table::row& r, std::size_t from) {
        const table::cell& one = r[from];
        if (c.type != arrow_type::word) {
            // NaN is a value of its own; an empty cell and `--` are none.
            if (one.value().is_missing() && one.text() == "NaN")
                return c.type == arrow_type::decimal ? to.decimal(place, std::numeric_limits<double>::quiet_NaN())
                                                     : to.null(place);
            return to.value(place, c.title, one.value(), c.type);
        }
        if (one.text().empty()) return to.null(place);
        if (c.unit != table::unit::source || r.frames.empty()) return to.word(place, one.text());
        frames_.assign(one.text());
        for (const std::string_view frame : r.frames) frames_.append("\n").append(frame);
        to.word(place, frames_);
    }

    std::vector<column> columns_;
    std::vector<std::size_t> placed_;
    std::vector<std::size_t> from_;
    std::string frames_;
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
