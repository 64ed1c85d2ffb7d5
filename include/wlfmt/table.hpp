// wlfmt/table.hpp: profiler summary tables, prof.key_averages().table() of PyTorch.
//
//     -----------------  ------------  ------------  ...
//                  Name    Self CPU %      Self CPU  ...
//     -----------------  ------------  ------------  ...
//         train_step-0         0.17%      13.980ms  ...
//     -----------------  ------------  ------------  ...
//     Self CPU time total: 8.303s
//
// The format, its dialects and where their facts come from: docs/formats.md, section 3.
#ifndef WLFMT_TABLE_HPP
#define WLFMT_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.hpp"
#include "list.hpp"
#include "number.hpp"

#include "detail/core/problems.hpp"
#include "detail/core/records.hpp"
#include "detail/core/scan.hpp"
#include "detail/core/temporary.hpp"
#include "detail/table/runs.hpp"

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

namespace detail {
struct cell_access;
struct frames_access;
// Of a column in the rule, in characters from the line's start.
struct column_span {
    std::size_t begin;
    std::size_t end;
};
}  // namespace detail

namespace table {

// What a column holds, told by its name.
enum class unit : std::uint8_t {
    text,          // Name, Overload Name, Input Shapes
    percent,       // as printed: 0.17 for 0.17%
    microseconds,  // times of every printed unit
    bytes,         // memory of every printed unit
    count,         // # of Calls, Node ID
    flops,         // Total FLOPs and its multiples: in the unit of the column's name
    source,        // Source Location: the first frame; further ones are row::frames
    other          // any further name: a number, percent or time is read as such, anything else is text
};
unit unit_of(std::string_view column_name) noexcept;
// "text", "percent", "microseconds", "bytes", "count", "flops", "source", "other". Static storage.
std::string_view name_of(unit u) noexcept;

struct column {
    std::string_view name = {};
    table::unit unit = table::unit::other;
    std::uint32_t width = 0;    // of its span, in characters; 0: writing computes it as PyTorch does
    bool left_aligned = false;  // source locations, and other columns up to PyTorch 1.5

    constexpr column() noexcept = default;
    // As PyTorch has a column of that name.
    explicit column(std::string_view column_name) noexcept;
    template <class S, detail::if_temporary_text<S> = 0>
    explicit column(S&&) = delete;
};

// One cell: a text as printed, or a value that is yet to be printed. A cell that was read has both. What was assigned
// last is what is written:
//
//     c = 12.5;                     // printed as PyTorch prints it in its column: 12.500us, 12.50%, ...
//     c = table::cell("12.5 ms");   // as it stands
class cell {
public:
    constexpr cell() noexcept = default;  // empty
    // A text and what it says.
    constexpr cell(std::string_view printed, const number& v) noexcept
        : text_(printed), value_(detail::number_access::unmarked(v)) {}
    constexpr explicit cell(std::string_view printed) noexcept : text_(printed) {}
    template <class S, detail::if_temporary_text<S> = 0>
    explicit cell(S&&) = delete;
    template <class S, detail::if_temporary_text<S> = 0>
    cell(S&&, const number&) = delete;
    // A number or what converts to one; nullptr is None, which is printed as `--`.
    template <class T, std::enable_if_t<std::is_convertible_v<const T&, number>, int> = 0>
    constexpr explicit cell(const T& v) noexcept : value_(v) {}
    template <class T, std::enable_if_t<std::is_convertible_v<const T&, number>, int> = 0>
    constexpr cell& operator=(const T& v) noexcept {
        text_ = {};
        value_ = v;
        return *this;
    }

    // As printed, without its padding; empty where the cell is, and missing where a value was assigned.
    constexpr std::string_view text() const noexcept { return text_; }
    // What it says in the column's unit: missing where the cell is empty, `--` or NaN, and in columns of names, shapes
    // and source locations; number_kind::text where a cell of unit::other holds no number, and where options::lenient
    // let a cell pass that is none of its column's forms. Bytes, times and percents are decimals, a bare `0` is an
    // integer.
    constexpr const number& value() const noexcept { return value_; }
    constexpr double value_or(double otherwise) const noexcept { return value_.value_or(otherwise); }
    template <class T>
    constexpr std::optional<T> as() const noexcept {
        return value_.template as<T>();
    }
    // Whether there is neither text nor value: an empty cell, or what find() gives where there is no such column.
    constexpr bool is_missing() const noexcept { return text_.empty() && value_.is_missing(); }

private:
    friend struct detail::cell_access;

    std::string_view text_ = {};
    number value_ = {};
};

// The further stack frames of a row: lines that are split as they are walked, or a list of its own.
class frame_list {
public:
    class iterator;

    frame_list() noexcept = default;
    template <class Kernel = detail::kernel>
    explicit frame_list(std::vector<std::string_view> frames) noexcept : items_(std::move(frames)) {}
    // A frame a line, with blanks around it and blank lines between. Lines that do not begin with the prefix are passed
    // over (options::prefix).
    explicit frame_list(std::string_view lines, std::string_view prefix = {}) noexcept
        : lines_(lines), prefix_(prefix) {}
    template <class S, detail::if_temporary_text<S> = 0>
    explicit frame_list(S&&, std::string_view = {}) = delete;

    template <class Kernel = detail::kernel>
    bool empty() const noexcept;
    template <class Kernel = detail::kernel>
    iterator begin() const noexcept;
    template <class Kernel = detail::kernel>
    iterator end() const noexcept;
    // Walks the list to count.
    template <class Kernel = detail::kernel>
    std::size_t size() const noexcept;

private:
    friend struct detail::frames_access;

    std::string_view lines_ = {};
    std::string_view prefix_ = {};
    list<std::string_view> items_;
};

// One row: as many cells as the table has columns, each under the column it belongs to. (With stacks and FLOPs
// together PyTorch prints the two under each other's names; here they are under their own.) A copy owns its cells and
// columns.
struct row {
    list<cell> cells;
    frame_list frames;             // of Source Location, after the first one, which is its cell
    list<column> columns;          // of its table
    std::string_view source = {};  // its line in the text that was read, without the line's end and any prefix

    // The cell at a position, and the first one of a column name. An empty cell where there is none.
    const cell& operator[](std::size_t column) const noexcept { return cells[column]; }
    cell find(std::string_view column_name) const noexcept;
};

// A line after the table: `Self CPU time total: 8.303s`.
struct total {
    std::string_view name = {};  // "Self CPU time total"
    cell value = {};             // microseconds
};

// More columns than this in one table are error_kind::too_many_columns: what a reader holds is bounded. More titles and
// totals than these are foreign text.
inline constexpr std::size_t max_columns = 128;
inline constexpr std::size_t max_titles = 2;
inline constexpr std::size_t max_totals = 8;
// Writing pads every line to the width of the table, so that one wide column and many short rows would make a text
// that is much longer than the one that was read. A table with more padding than this many times its texts and its
// rule, and `max_free_padding` bytes, is error_kind::too_wide. (What PyTorch prints has ten times, most of it where
// stacks are.)
inline constexpr std::uint64_t max_padding = 64;
inline constexpr std::uint64_t max_free_padding = std::uint64_t{1} << 20;

// One table as a document holds it, to be edited and written. The rows are one array of cells, row by row, as many
// each as there are columns. All views point into the text that was read or wherever the program's own do, none into
// this object: it can be copied and moved.
struct summary {
    template <class Kernel>
    class basic_row_range;
    using row_range = basic_row_range<detail::kernel>;

    std::vector<std::string_view> titles;
    std::vector<column> columns;
    std::vector<cell> cells;
    std::vector<frame_list> frames;         // one a row; may be shorter: the rows after these have none
    std::vector<std::string_view> sources;  // row::source, one a row; may be shorter: the rows after were not read
    std::vector<total> totals;

    // How many rows there are.
    std::size_t size() const noexcept { return columns.empty() ? 0 : cells.size() / columns.size(); }
    // Walks the rows: `for (const table::row& r : one.rows())`. A row is valid until the next step or until the table
    // changes, copies of it forever.
    row_range rows() const& noexcept;
    row_range rows() const&& = delete;
    // A copy of a row; an empty one where there is none.
    template <class Kernel = detail::kernel>
    table::row row(std::size_t n) const;

    // The position of the first column of that name, and columns.size() where there is none: every function that takes
    // a position takes that one too. Linear.
    std::size_t find_column(std::string_view name) const noexcept;
    // A cell to edit, valid until rows or columns are added or removed; null where there is none.
    cell* find(std::size_t row, std::string_view column_name) noexcept { return at(row, find_column(column_name)); }
    const cell* find(std::size_t row, std::string_view column_name) const noexcept {
        return at(row, find_column(column_name));
    }
    cell* at(std::size_t row, std::size_t column) noexcept {
        return row < size() && column < columns.size() ? &cells[row * columns.size() + column] : nullptr;
    }
    const cell* at(std::size_t row, std::size_t column) const noexcept {
        return row < size() && column < columns.size() ? &cells[row * columns.size() + column] : nullptr;
    }
    // The last total of that name; an empty cell where there is none.
    cell find_total(std::string_view name) const noexcept;

    // Rows and columns are added before the position that is given, or at the end. A row with fewer cells than there
    // are columns has empty ones at its end. False, and nothing is changed, where the row has more cells than there are
    // columns, or the position is beyond the end.
    template <class Kernel = detail::kernel>
    [[nodiscard]] bool add_row(const table::row& r) {
        return insert_row(size(), r);
    }
    template <class Kernel = detail::kernel>
    [[nodiscard]] bool add_row(std::initializer_list<cell> row_cells);
    template <class Kernel = detail::kernel>
    [[nodiscard]] bool insert_row(std::size_t n, const table::row& r);
    template <class Kernel = detail::kernel>
    [[nodiscard]] bool insert_column(std::size_t n, const column& c, const cell& of_every_row = {});
    // False where there is none at that position.
    template <class Kernel = detail::kernel>
    bool remove_row(std::size_t n);
    template <class Kernel = detail::kernel>
    bool remove_column(std::size_t n);

private:
    // Lets a row show one of this table's; n < size().
    template <class Kernel = detail::kernel>
    void show(table::row& r, std::size_t n) const;
};

// All tables of a text.
struct document {
    std::vector<summary> tables;
};

inline namespace WLFMT_IMPL {

// Pulls rows out of the tables of a text, one by one, and allocates nothing. Linear in the text in all.
//
//     wlfmt::table::reader tables(text);
//     while (tables.next_table())               // columns() and titles() are there
//         for (const auto& row : tables) {      // or: while (const auto* row = tables.next())
//             calls += row.find("# of Calls").value_or(0);
//         }                                     // after the last row: totals()
//     if (!tables.ok()) std::cerr << wlfmt::explain(tables.error(), text, "profile.txt");
//
// The text must outlive the reader and every view that came out of it. A row that the reader shows is valid until the
// next call, the columns, titles and totals until the next table; copies of them own what they show. The reader is an
// object of 24 KB, all of it inside.
//
// options::prefix: the tables are those of the lines that begin with the prefix, read without it; other lines are other
// text, also between the rows of a table and in strict reading. any_prefix: each table has the prefix of its own first
// line, and ends where `max_lines_between` lines in a row do not have it. Tables that begin between the rows of
// another one are passed over with the lines that they are in.
class reader {
public:
    template <class Kernel = detail::kernel>
    explicit reader(std::string_view text, const options& how = {}) noexcept;
    // The text would be gone before the first row is read.
    template <class S, detail::if_temporary_text<S> = 0>
    explicit reader(S&& text, const options& how = {}) = delete;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    // Goes to the next table, past what is left of this one; text before it is passed over. False at the end of the
    // text and after an error.
    template <class Kernel = detail::kernel>
    bool next_table() noexcept;
    // The next row of this table (of the first one before any next_table()); null after its last row and after an
    // error.
    template <class Kernel = detail::kernel>
    const row* next() noexcept;

    // Range-for over the rows of this table.
    using iterator = detail::record_iterator<reader, row>;
    template <class Kernel = detail::kernel>
    iterator begin() noexcept {
        return iterator(*this, problems_);
    }
    iterator end() const noexcept { return {}; }

    const list<column>& columns() const noexcept { return row_.columns; }
    // The position of the first column of that name; columns().size() where there is none, a position at which a row
    // has an empty cell. Linear.
    std::size_t find_column(std::string_view name) const noexcept;
    // Lines of text above the table that have a line of `=` above them: table(header=...), and what PyTorch says of
    // top-level events.
    const list<std::string_view>& titles() const noexcept { return titles_; }
    // There once next() returned null. Of totals of one name the last counts.
    const list<total>& totals() const noexcept { return totals_; }
    // The total of that name; an empty cell where there is none.
    cell find_total(std::string_view name) const noexcept;
    // Where the first line of this table is, in bytes from the start of the text, after its prefix.
    std::uint64_t table_offset() const noexcept { return problems_.offset_of(table_); }
    // What the lines of this table begin with, where options::prefix asks for a prefix.
    std::string_view prefix() const noexcept { return prefix_; }

    [[nodiscard]] bool ok() const noexcept { return problems_.ok(); }
    [[nodiscard]] const struct error& error() const noexcept { return problems_.first; }
    // After an error: forgets it and goes on with the line after it, in the same table where it was in one. A row that
    // cannot be read is passed over with its stack frames, a table with a bad header as foreign text is. False, and the
    // error stays, where there is no further line.
    template <class Kernel = detail::kernel>
    [[nodiscard]] bool skip() noexcept;
    // Where the next line begins, in bytes from the start of the text.
    std::uint64_t offset() const noexcept { return problems_.offset_of(rest()); }
    // Problems that options::lenient tolerated so far.
    std::uint64_t tolerated() const noexcept { return problems_.tolerated; }

private:
    template <class Kernel>
    struct basic_implementation;
    using implementation = basic_implementation<detail::kernel>;
    // What is at at_.
    enum class part : std::uint8_t { before_any, rows, totals, after_totals };
    // Where a cell is expected in the bytes of a line.
    struct window {
        std::size_t end;       // of the column
        std::size_t begin;     // of the gap before it
        std::size_t reach;     // how far before `end` a number may begin
        std::uint64_t blanks;  // the bytes that are blank, for a number from `begin` on, for a text up to `end`
        std::uint64_t within;  // the bytes of a text, up to `end`
        table::unit unit;
    };

    // The first byte that belongs to no line read so far.
    const char* rest() const noexcept { return prefix_.empty() ? at_ : after_; }

    const char* at_;     // the next line, after its prefix
    const char* table_;  // the first line of this table, after its prefix
    const char* end_;
    const char* after_;  // the end of the line before it, where there are prefixes
    detail::problems problems_;
    row row_;
    list<std::string_view> titles_;
    list<total> totals_;
    std::string_view prefix_ = {};        // of the lines to read; until a table is found, none where it can be any
    std::string_view rule_ = {};          // the line above the header: the closing one is the same bytes as a rule
    std::string_view refused_rule_ = {};  // that of a table whose header was refused, until it is closed
    std::size_t column_count_ = 0;
    std::size_t title_count_ = 0;
    std::size_t total_count_ = 0;
    std::size_t source_ = 0;       // the column of source locations, or column_count_
    const char* ahead_ = nullptr;  // where runs_ is the line at at_ already: the line after it
    part part_ = part::before_any;
    bool any_prefix_;
    bool any_table_ = false;
    bool planned_ = false;          // windows_ are set: PyTorch's own layout
    bool orphans_ = false;          // stack frames that follow belong to a row that could not be read
    bool stack_and_flops_ = false;  // the last two columns are swapped
    std::string_view title_items_[max_titles];
    total total_items_[max_totals];
    column column_items_[max_columns];
    detail::column_span spans_[max_columns];
    window windows_[max_columns];
    cell cells_[max_columns];
    detail::line_runs<max_columns> runs_;
};

// Under any_prefix a table ends where so many lines in a row do not have its prefix.
inline constexpr std::size_t max_lines_between = 256;

// Reads all tables. The document's views live as long as the text. Throws nothing but what std::vector throws when
// there is no memory.
template <class Kernel = detail::kernel>
result<document> read(std::string_view text, const options& how = {});
template <class S, detail::if_temporary_text<S> = 0>
result<document> read(S&& text, const options& how = {}) = delete;

// The cell of that column name as it stands in the text that was read; without data where the row has no such cell, it
// is empty or was assigned since, or the row was built by hand.
template <class Kernel = detail::kernel>
std::string_view where(const row& r, std::string_view column_name) noexcept;

// The first thing that keeps a table from reading back as it is, or error_kind::none. error_kind::unwritable: two
// blanks in a name, a value that its column does not hold, a row without any text, ...; values are compared by the
// digits that are printed. error_kind::too_wide: max_padding. `error::field` names the column, or says "columns",
// "rows", "titles" or "totals". `found` is the position of the row, or in a document of the table. Allocates a few
// words for each column.
template <class Kernel = detail::kernel>
[[nodiscard]] error problem_of(const summary& one);
template <class Kernel = detail::kernel>
[[nodiscard]] error problem_of(const document& doc);

// Appends a table in PyTorch's layout (titles, rule, header, rule, rows, rule, totals; every cell padded to its width,
// two blanks after it) to a sink (sink.hpp). A document's tables have a blank line between them. Widths of 0 become
// PyTorch's: the longest name and 4, at most 55; the longest shapes and 4, at most 80; the longest frame and 4, at most
// 75; 12 for numbers. A text that is longer than its column is written whole, over the column's end.
//
// What would not read back as it is (problem_of) is not written: its error is returned, and nothing is appended.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const summary& one);
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const document& doc);
// The same without looking first. Names, shapes and frames beyond the limits above are cut as PyTorch cuts them.
template <class Sink>
void write_unchecked(Sink&& sink, const summary& one);
template <class Sink>
void write_unchecked(Sink&& sink, const document& doc);

}  // namespace WLFMT_IMPL

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/table/cell.hpp"

#include "detail/core/end.hpp"
#endif
