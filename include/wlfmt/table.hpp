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
#include <string_view>
#include <type_traits>
#include <vector>

#include "error.hpp"
#include "number.hpp"

#include "detail/core/problems.hpp"
#include "detail/table/runs.hpp"
#include "detail/core/scan.hpp"

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
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

struct column {
    std::string_view name = {};
    table::unit unit = table::unit::other;
    std::uint32_t width = 0;    // of its span, in characters; 0: writing computes it as PyTorch does
    bool left_aligned = false;  // source locations, and other columns up to PyTorch 1.5

    column() noexcept = default;
    // As PyTorch has a column of that name.
    explicit column(std::string_view column_name) noexcept;
};

// One cell. `text` is the cell as printed, without its padding; `value` what it says in the column's unit: missing
// where the cell is empty, `--` or NaN, and in columns of names, shapes and source locations; number::text where a
// cell of unit::other holds no number, and where options::lenient let one pass elsewhere. Bytes, times and percents
// are decimals, a bare `0` is an integer.
//
// A cell that is built by hand has no text and is printed from its value as PyTorch prints it. Where there is a text
// it is the text that is written: change a cell by assigning a new one, `c = cell(12.5)`.
struct cell {
    std::string_view text = {};
    number value = {};

    cell() noexcept = default;
    cell(std::string_view printed, const number& v) noexcept : text(printed), value(v) {}
    explicit cell(std::string_view printed) noexcept : text(printed) {}
    explicit cell(const number& v) noexcept : value(v) {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    explicit cell(T v) noexcept : value(v) {}
};

// Some items that stand side by side in memory owned by somebody else: the reader, a document, the caller.
template <class T>
struct list {
    const T* items = nullptr;
    std::size_t count = 0;

    const T* begin() const noexcept { return items; }
    const T* end() const noexcept { return items + count; }
    std::size_t size() const noexcept { return count; }
    bool empty() const noexcept { return count == 0; }
    const T& operator[](std::size_t n) const noexcept { return items[n]; }
};

// The position of the first column of that name; columns.size() where there is none. Linear.
std::size_t find(list<column> columns, std::string_view name) noexcept;

// The further stack frames of a row: lines that are split as they are walked, or the caller's own array.
class frame_list {
public:
    class iterator;
    constexpr frame_list() noexcept = default;
    constexpr frame_list(const std::string_view* items, std::size_t count) noexcept : items_(items), count_(count) {}
    // A frame a line, blanks around it and blank lines between.
    constexpr explicit frame_list(std::string_view lines) noexcept : lines_(lines) {}

    bool empty() const noexcept;
    iterator begin() const noexcept;
    sentinel end() const noexcept { return {}; }
    // Walks the list to count.
    std::size_t size() const noexcept;

private:
    std::string_view lines_ = {};
    const std::string_view* items_ = nullptr;
    std::size_t count_ = 0;
};

// One row: as many cells as the table has columns, each under the column it belongs to. (With stacks and FLOPs
// together PyTorch prints the two under each other's names; here they stand under their own.)
struct row {
    list<cell> cells = {};
    frame_list frames = {};  // of Source Location, behind the first one, which is its cell

    const cell& operator[](std::size_t column) const noexcept { return cells[column]; }
};

// A line behind the table: `Self CPU time total: 8.303s`.
struct total {
    std::string_view name = {};  // "Self CPU time total"
    cell value = {};             // microseconds
};

// More columns than this in one table are error_kind::too_many_columns: what a reader holds is bounded. More titles and
// totals than these are foreign text.
inline constexpr std::size_t max_columns = 128;
inline constexpr std::size_t max_titles = 2;
inline constexpr std::size_t max_totals = 8;

// Pulls rows out of the tables of a text, one by one, and allocates nothing. Linear in the text in all.
//
//     wlfmt::table::reader tables(text);
//     while (tables.next_table())                              // columns() and titles() are there
//         while (const auto* row = tables.next()) use(*row);   // behind the last row: totals()
//     if (!tables.ok()) std::cerr << wlfmt::explain(tables.error(), text, "profile.txt");
//
// The text must outlive the reader and every view that came out of it; a row itself is valid until the next call, the
// columns, titles and totals until the next table. The reader is an object of 23 KB, all of it inside.
class reader {
public:
    explicit reader(std::string_view text, const options& how = {}) noexcept;
    // The text would be gone before the first row is read.
    template <class S, detail::if_temporary_text<S> = 0>
    explicit reader(S&& text, const options& how = {}) = delete;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    // Goes to the next table, past what is left of this one; text before it is passed over. False at the end of the
    // text and after an error.
    bool next_table() noexcept;
    // The next row of this table (of the first one before any next_table()); null behind its last row and after an
    // error.
    const row* next() noexcept;

    list<column> columns() const noexcept { return {columns_, column_count_}; }
    // Lines of text above the table that have a line of `=` above them: table(header=...), and what PyTorch says of
    // top-level events.
    list<std::string_view> titles() const noexcept { return {titles_, title_count_}; }
    // There once next() returned null. Of totals of one name the last counts.
    list<total> totals() const noexcept { return {totals_, total_count_}; }

    bool ok() const noexcept { return !problems_.first; }
    const struct error& error() const noexcept { return problems_.first; }
    // After an error: forgets it and goes on with the line behind it, in the same table where it stood in one. A row
    // that cannot be read is passed over with its stack frames, a table with a bad header as foreign text is. False
    // where there is none to go on with.
    bool skip() noexcept;
    // Where the next line begins, in bytes from the start of the text.
    std::uint64_t offset() const noexcept { return static_cast<std::uint64_t>(at_ - problems_.text); }
    // Problems that options::lenient tolerated so far.
    std::uint64_t tolerated() const noexcept { return problems_.tolerated; }

private:
    struct implementation;
    // What stands at at_.
    enum class part : std::uint8_t { before_any, rows, totals, behind_totals };
    // Of a column in the rule, in characters from the line's start.
    struct span {
        std::size_t begin;
        std::size_t end;
    };
    // Where a cell is expected to stand in the bytes of a line.
    struct window {
        std::size_t end;       // of the column
        std::size_t begin;     // of the gap before it
        std::size_t reach;     // how far before `end` a number may begin
        std::uint64_t blanks;  // the bytes that are blank, for a number from `begin` on, for a text up to `end`
        std::uint64_t within;  // the bytes of a text, up to `end`
        table::unit unit;
    };

    const char* at_;
    const char* end_;
    detail::problems problems_;
    row row_;
    std::string_view rule_ = {};  // the line above the header: the closing one is the same bytes as a rule
    std::size_t column_count_ = 0;
    std::size_t title_count_ = 0;
    std::size_t total_count_ = 0;
    std::size_t source_ = 0;       // the column of source locations, or column_count_
    const char* ahead_ = nullptr;  // where runs_ is the line at at_ already: the line behind it
    part part_ = part::before_any;
    bool any_table_ = false;
    bool planned_ = false;          // windows_ are set: PyTorch's own layout
    bool orphans_ = false;          // stack frames that follow belong to a row that could not be read
    bool stack_and_flops_ = false;  // the last two columns are swapped
    std::string_view titles_[max_titles];
    total totals_[max_totals];
    column columns_[max_columns];
    span spans_[max_columns];
    window windows_[max_columns];
    cell cells_[max_columns];
    detail::line_runs<max_columns> runs_;
};

// One table as a document holds it, to be edited and written. The rows are one array of cells, row by row, as many
// each as there are columns. All views point into the text that was read or wherever the caller's own do, none into
// this object: it can be copied and moved.
struct summary {
    std::vector<std::string_view> titles;
    std::vector<column> columns;
    std::vector<cell> cells;
    std::vector<frame_list> frames;  // one a row; may be shorter: the rows behind have none
    std::vector<total> totals;

    // How many rows there are.
    std::size_t size() const noexcept { return columns.empty() ? 0 : cells.size() / columns.size(); }
    // A row to look at, until cells or frames change; n < size().
    table::row row(std::size_t n) const noexcept;
    // The cells of a row to edit, until cells change; n < size().
    cell* operator[](std::size_t n) noexcept { return cells.data() + n * columns.size(); }
    const cell* operator[](std::size_t n) const noexcept { return cells.data() + n * columns.size(); }
    // Appends a row, which has as many cells as there are columns and is none of this table's own.
    void push_back(const table::row& r);
};

// All tables of a text.
struct document {
    std::vector<summary> tables;
};

// Reads all tables. The document's views live as long as the text. Throws nothing but what std::vector throws when
// there is no memory.
result<document> read(std::string_view text, const options& how = {});
template <class S, detail::if_temporary_text<S> = 0>
result<document> read(S&& text, const options& how = {}) = delete;

// Appends a table in PyTorch's layout (titles, rule, header, rule, rows, rule, totals; every cell padded to its width,
// two blanks behind it) to a std::string or to anything with append(const char*, std::size_t). A document's tables
// have a blank line between them. Widths of 0 become PyTorch's: the longest name and 4, at most 55; the longest shapes
// and 4, at most 80; the longest frame and 4, at most 75; 12 for numbers; what is longer than these limits is cut as
// PyTorch cuts it. Other texts are written whole, over their column's end where they are longer. Nothing is checked:
// problem_of() tells whether what was built by hand reads back as it is.
template <class Sink>
void write(Sink& sink, const summary& one);
template <class Sink>
void write(Sink& sink, const document& doc);

// The first thing that keeps a table from reading back as it is (two blanks in a name, a value that its column does
// not hold, a row without any text), or error_kind::none; values are compared by the digits that are printed. `error::field`
// names the column, or says "columns", "rows", "titles" or "totals". Writes the table to a string and
// reads it again: allocates.
error problem_of(const summary& one);
error problem_of(const document& doc);

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/core/end.hpp"

#include "detail/table/cell.hpp"
#endif
