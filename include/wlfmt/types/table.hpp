// wlfmt/types/table.hpp: the columns, rows and totals of profiler summary tables. wlfmt/table.hpp reads and writes
// them.
//
//     -----------------  ------------  ------------  ...
//                  Name    Self CPU %      Self CPU  ...
//     -----------------  ------------  ------------  ...
//         train_step-0         0.17%      13.980ms  ...
//     -----------------  ------------  ------------  ...
//     Self CPU time total: 8.303s
//
// The format and its dialects: docs/formats.md, section 3; where their facts come from: 7.2.
#include "../version.hpp"

#ifndef WLFMT_TYPES_TABLE_HPP
#define WLFMT_TYPES_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/base/walk.hpp"
#include "list.hpp"
#include "number.hpp"
#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {
struct cell_access;
template <class T>
using if_frames = std::enable_if_t<std::is_same_v<std::decay_t<T>, std::vector<std::string_view>>, int>;
}  // namespace detail

namespace table {

// What a column holds, as its name says.
enum class unit : std::uint8_t {
    text,          // Name, Overload Name, Input Shapes
    percent,       // as printed: 0.17 for 0.17%
    microseconds,  // times, whatever unit is printed
    bytes,         // memory, whatever unit is printed
    count,         // # of Calls, Node ID
    flops,         // Total FLOPs and its multiples, in the unit that the column's name says
    source,        // Source Location: the first frame; further ones are row::frames
    other,         // any other name: numbers, percents and times are read as such, anything else is text
    cut            // the column at the edge at which a table was cut: pieces of cells, as texts
};
[[nodiscard]] unit unit_of(std::string_view column_name) noexcept;
template <class S, detail::if_null_literal<S> = 0> unit unit_of(S&&) = delete;
// "text", "percent", "microseconds", "bytes", "count", "flops", "source", "other", "cut". Static storage.
std::string_view name_of(unit u) noexcept;

// What a column measures, whatever the version of PyTorch, or a fork of it, calls it.
enum class quantity : std::uint8_t {
    unknown,
    name,
    full_name,
    overload_name,
    input_shapes,
    source,
    node_id,
    calls,
    time,
    memory,
    flops,
    flops_rate  // FLOPs per second, which do not add up
};
// What the name of a column, or of a total, says. Columns with the same meaning have the same `name` in all versions
// and for all devices, so that tables of different versions can be compared.
struct column_meaning {
    table::quantity quantity = table::quantity::unknown;
    // "self_device_time_us", "calls", ...: docs/formats.md, 7.1, lists them. Empty if the quantity is unknown. Static
    // storage.
    text_view name = {};
    text_view device = {};  // "CPU", "CUDA": a part of the column's name; empty if it names no device
    bool self = false;      // `Self`: without what the operator calls
    bool average = false;   // the mean over the calls
    double scale = 1;       // turns a value into the unit that `name` says: 1e6 for `Total MFLOPs`
};

struct column {
    text_view name = {};
    table::unit unit = table::unit::other;
    std::uint32_t width = 0;    // the width of its dashes, in characters; 0: writing computes it as PyTorch does
    bool left_aligned = false;  // source locations, and other columns up to PyTorch 1.5

    constexpr column() noexcept = default;
    // A column as PyTorch makes it under that name.
    explicit column(text_view column_name WLFMT_LIFETIMEBOUND) noexcept;
};

// One cell: a text as printed, or a value that is yet to be printed. Writing takes what was assigned last:
//
//     c = 12.5;                    // printed as PyTorch prints it in its column, 12.500us, 12.50%, ..., unrounded
//     c = table::cell("12.5ms");   // as it is
//
// A value that comes with a text is what the text says, so that the two never disagree: no program can set both. A cell
// that a reader shows has both. A cell that a program makes from a text belongs to no column yet: its value is what the
// text says by itself, 12500 for `12.5ms`, and missing if it says no number. Looked up in its table, by cell_at(),
// find_cell(), row(), rows() or find_total(), it has the value that the text has in that column: none in a column of
// names, and the text itself if the column cannot hold it. Comparisons, CSV and JSON look it up in this way.
class cell {
public:
    constexpr cell() noexcept = default;  // empty
    explicit cell(text_view printed WLFMT_LIFETIMEBOUND) noexcept;
    // A number or what converts to one; nullptr is None, which is printed as `--`.
    template <class T, std::enable_if_t<std::is_convertible_v<const T&, number>, int> = 0>
    constexpr explicit cell(const T& v) noexcept : value_(v) {}
    constexpr cell(const cell&) noexcept = default;
    // Assigning to the copy that find_cell() and find_total() return does not compile: see edit_cell(), edit_total().
    constexpr cell& operator=(const cell&) & noexcept = default;
    template <class T, std::enable_if_t<std::is_convertible_v<const T&, number>, int> = 0>
    constexpr cell& operator=(const T& v) & noexcept {
        text_ = {};
        value_ = v;
        return *this;
    }

    // The text as printed, without padding; empty for an empty cell, and missing if a value was assigned.
    constexpr std::string_view text() const noexcept { return text_; }
    // Its value in the column's unit: missing if the cell is empty, `--` or NaN, and in columns of names, shapes and
    // source locations; number_kind::text if a cell of unit::other holds no number, and if options::lenient accepted a
    // cell that has none of its column's forms. Bytes, times and percents are decimals, a bare `0` is an integer.
    constexpr const number& value() const& noexcept WLFMT_LIFETIMEBOUND { return value_; }
    constexpr number value() const&& noexcept { return value_; }
    template <class T> constexpr double value_or(T otherwise) const noexcept { return value_.value_or(otherwise); }
    template <class T> constexpr std::optional<T> as() const noexcept { return value_.template as<T>(); }
    // True if there is neither a text nor a value: an empty cell, or what find() returns if there is no such column.
    constexpr bool is_missing() const noexcept { return text_.empty() && value_.is_missing(); }

private:
    friend struct detail::cell_access;

    std::string_view text_ = {};
    number value_ = {};
};

// The further stack frames of a row: lines that are split as they are iterated, or frames that the list owns. An
// iterator shares these and may outlive the list.
class frame_list {
public:
    class iterator;

    frame_list() noexcept = default;
    // `row.frames = {"a.py(1): f", "b.py(2): g"}`, or a vector. Braces never make a vector of string views: since C++20
    // two literals in them would be a pair of iterators.
    frame_list(std::initializer_list<text_view> frames) : own_(std::vector<text_view>(frames)) {}
    template <class Vector, detail::if_frames<Vector> = 0>
    explicit frame_list(Vector&& frames) : own_(std::vector<text_view>(frames.begin(), frames.end())) {}
    // Makes a frame of each line that begins with the prefix (options::prefix), without the prefix and the blanks
    // around the frame; blank lines are skipped.
    static frame_list from_text(text_view lines WLFMT_LIFETIMEBOUND, text_view prefix = {}) noexcept {
        frame_list list;
        list.lines_ = lines;
        list.prefix_ = prefix;
        return list;
    }

    bool empty() const noexcept;
    iterator begin() const noexcept;
    iterator end() const noexcept;
    // Linear.
    std::size_t size() const noexcept;

private:
    std::string_view lines_ = {};
    std::string_view prefix_ = {};
    detail::own_items<text_view> own_;
};

// One row: as many cells as the table has columns, each at the position of its column. (In tables with both stacks and
// FLOPs PyTorch prints these two under each other's names; here each is under its own.) A copy owns its cells and
// columns.
struct row {
    item_list<cell> cells;
    frame_list frames;          // the frames of Source Location after the first one, which is in its cell
    item_list<column> columns;  // the columns of its table
    text_view source = {};      // its line in the text that was read, without the line's end and any prefix

    // The cell at a position, and the cell of the first column of that name. An empty cell if there is none.
    const cell& operator[](std::size_t column) const& noexcept WLFMT_LIFETIMEBOUND { return cells[column]; }
    cell operator[](std::size_t column) const&& noexcept { return cells[column]; }
    cell find(std::string_view column_name) const noexcept;
    cell find(std::nullptr_t) const = delete;
    cell operator[](std::string_view column_name) const noexcept { return find(column_name); }
    template <class N, std::enable_if_t<std::is_same_v<N, std::nullptr_t>, int> = 0> cell operator[](N) const = delete;
};

// A line after the table: `Self CPU time total: 8.303s`.
struct total {
    text_view name = {};  // "Self CPU time total"
    cell value = {};      // microseconds
};

// Under any_prefix a table ends before this many lines in a row that do not have its prefix.
inline constexpr std::size_t max_lines_between = 256;
// What a reader holds at most. More columns in one table are error_kind::too_many_columns; further titles and totals
// are foreign text.
inline constexpr std::size_t max_columns = 128;
inline constexpr std::size_t max_titles = 2;
inline constexpr std::size_t max_totals = 8;
// Writing pads every line to the width of the table, so that one wide column and many short rows would make a text that
// is much longer than the one that was read. A table whose padding is beyond max_free_padding bytes plus max_padding
// times the size of its texts and its rule is error_kind::too_wide. (In what PyTorch prints the factor is at most ten,
// in tables with stacks.)
inline constexpr std::uint64_t max_padding = 64;
inline constexpr std::uint64_t max_free_padding = std::uint64_t{1} << 20;

// One table as a document holds it, to be edited and written. The rows are one array of cells, row by row, with one
// cell per column. All views point into the text that was read or to where the program pointed them, and none into this
// object: it can be copied and moved.
struct profile {
    class row_range;
    class row_iterator;

    std::vector<text_view> titles;
    std::vector<column> columns;
    std::vector<cell> cells;
    std::vector<frame_list> frames;  // one per row; rows beyond its end have none
    std::vector<text_view> sources;  // row::source, one per row; rows beyond its end were not read
    std::vector<total> totals;

    std::size_t size() const noexcept { return columns.empty() ? 0 : cells.size() / columns.size(); }
    // A range of the rows that are there when it is made: `for (const table::row& r : profile.rows())`. The table must
    // outlive the range and its iterators, and may change meanwhile; the range of a temporary, or of
    // std::move(profile).rows(), takes the table itself. A row is valid until the next step; a copy of it stays valid.
    row_range rows() const& WLFMT_LIFETIMEBOUND;
    row_range rows() &&;
    row_range rows() const&& = delete;
    // The same rows: `for (const table::row& r : profile)`.
    row_iterator begin() const& WLFMT_LIFETIMEBOUND;
    row_iterator end() const& WLFMT_LIFETIMEBOUND;
    row_iterator begin() const&& = delete;
    row_iterator end() const&& = delete;
    // A copy of a row; an empty row if there is none at that position.
    table::row row(std::size_t n) const;

    // The position of the first column of that name; columns.size() if there is none, which every function that takes a
    // position accepts. Linear.
    std::size_t find_column(std::string_view name) const noexcept;
    std::size_t find_column(std::nullptr_t) const = delete;
    // A cell to change, valid until rows or columns are added or removed; null if there is none. If a program set the
    // cell's text, the cell gets the value that the text has in this column.
    cell* edit_cell(std::size_t row, std::string_view column_name) & noexcept WLFMT_LIFETIMEBOUND {
        return edit_cell_at(row, find_column(column_name));
    }
    cell* edit_cell(std::size_t row, std::nullptr_t) = delete;
    cell* edit_cell_at(std::size_t row, std::size_t column) & noexcept WLFMT_LIFETIMEBOUND;
    // A copy of a cell, with the value that its text has in that column; an empty cell if there is none.
    cell find_cell(std::size_t row, std::string_view column_name) const noexcept {
        return cell_at(row, find_column(column_name));
    }
    cell find_cell(std::size_t row, std::nullptr_t) const = delete;
    cell cell_at(std::size_t row, std::size_t column) const noexcept;
    // The last total of that name: to change, or null if there is none; and a copy, or an empty cell.
    cell* edit_total(std::string_view name) & noexcept WLFMT_LIFETIMEBOUND;
    cell* edit_total(std::nullptr_t) = delete;
    cell find_total(std::string_view name) const noexcept;
    cell find_total(std::nullptr_t) const = delete;

    // Rows and columns are inserted before the given position, or added at the end. The cells of a row that carries its
    // columns go to the columns of the same names, those of any other row to the columns at their positions; all other
    // cells are empty. Returns false, and changes nothing, if there is no column for a cell, or if the position is
    // beyond the end.
    [[nodiscard]] bool add_row(const table::row& r) { return insert_row(size(), r); }
    [[nodiscard]] bool add_row(std::initializer_list<cell> row_cells);
    [[nodiscard]] bool insert_row(std::size_t n, const table::row& r);
    [[nodiscard]] bool insert_column(std::size_t n, const column& c, const cell& of_every_row = {});
    // Return false if there is no row or column at that position.
    bool remove_row(std::size_t n);
    bool remove_column(std::size_t n);

private:
    // Makes `r`, which has its columns, show row n of this table, whose cells are copied into `shown`.
    void show(table::row& r, std::vector<cell>& shown, std::size_t n) const;
};

// All tables of a text, and a range of them.
struct document {
    std::vector<profile> tables;

    std::size_t size() const noexcept { return tables.size(); }
    bool empty() const noexcept { return tables.empty(); }
    auto begin() & noexcept WLFMT_LIFETIMEBOUND { return tables.begin(); }
    auto end() & noexcept WLFMT_LIFETIMEBOUND { return tables.end(); }
    auto begin() const& noexcept WLFMT_LIFETIMEBOUND { return tables.begin(); }
    auto end() const& noexcept WLFMT_LIFETIMEBOUND { return tables.end(); }
    void begin() const&& = delete;
    void end() const&& = delete;
};

}  // namespace table
}}  // namespace wlfmt::WLFMT_ABI

// An iterator holds what it iterates over, and may outlive its list.
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) > 201703L && defined(__cpp_lib_concepts)
template <> inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::table::frame_list> = true;
#endif

#include "../detail/base/config_end.hpp"
#endif
