// wlfmt/table.hpp: reading and writing profiler summary tables, prof.key_averages().table() of PyTorch. The records
// themselves, what the lines hold: wlfmt/types/table.hpp.
//
//     wlfmt::table::reader tables(text);
//     while (tables.next_table())
//         while (const auto* row = tables.next()) calls += row->find("# of Calls").value_or(0);
//     if (!tables.ok()) std::cerr << wlfmt::explain(tables.error(), text, "profile.txt");
//
// The format, its dialects and where their facts come from: docs/formats.md, section 3.
#include "version.hpp"

#ifndef WLFMT_TABLE_HPP
#define WLFMT_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "error.hpp"
#include "list.hpp"
#include "types/table.hpp"

#include "detail/base/records.hpp"
#include "detail/table/state.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace table {

// Under any_prefix a table ends before this many lines in a row that do not have its prefix.
inline constexpr std::size_t max_lines_between = 256;

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
// next call; the columns, titles and totals are valid until the next table. Copies of them own what they show. The
// reader is an object of 24 KB and allocates nothing.
//
// options::prefix: tables are read from the lines that begin with the prefix, without it. All other lines are skipped,
// between the rows of a table and in strict reading too. any_prefix: each table has the prefix of its own first line,
// and ends where `max_lines_between` lines in a row do not have it. Tables that begin between the rows of another one
// are passed over with the lines that they are in.
class reader : private detail::table_state {
public:
    template <class Kernel = detail::kernel>
    explicit reader(std::string_view text, const options& how = {}) noexcept;
    // The text would be destroyed before the first row is read.
    template <class S, detail::if_temporary_text<S> = 0>
    explicit reader(S&& text, const options& how = {}) = delete;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    // Goes to the next table, past what is left of this one and the text between. Returns false at the end of the text
    // and after an error.
    template <class Kernel = detail::kernel>
    bool next_table() noexcept;
    // The next row of this table, or of the first table if next_table() was not called; null after its last row and
    // after an error.
    template <class Kernel = detail::kernel>
    const row* next() & noexcept;
    template <class Kernel = detail::kernel>
    const row* next() && = delete;

    // Range-for over the rows of this table.
    using iterator = detail::record_iterator<reader, row>;
    template <class Kernel = detail::kernel>
    iterator begin() & noexcept {
        return iterator(*this, problems_);
    }
    iterator end() const noexcept { return {}; }

    const list<column>& columns() const noexcept { return row_.columns; }
    // The position of the first column of that name; columns().size() if there is none, a position at which a row has
    // an empty cell. Linear.
    std::size_t find_column(std::string_view name) const noexcept;
    // Lines of text above the table that have a line of `=` above them: table(header=...), and what PyTorch says of
    // top-level events.
    const list<text>& titles() const noexcept { return titles_; }
    // Complete once next() has returned null. Of several totals of one name the last one counts.
    const list<total>& totals() const noexcept { return totals_; }
    // The total of that name; an empty cell if there is none.
    cell find_total(std::string_view name) const noexcept;
    // Where the first line of this table is, in bytes from the start of the text, after its prefix.
    std::uint64_t table_offset() const noexcept { return problems_.offset_of(table_); }
    // What the lines of this table begin with, if options::prefix asks for a prefix.
    std::string_view prefix() const noexcept { return prefix_; }

    [[nodiscard]] bool ok() const noexcept { return problems_.ok(); }
    [[nodiscard]] const struct error& error() const& noexcept { return problems_.first; }
    [[nodiscard]] struct error error() && noexcept { return problems_.first; }
    // After an error: forgets it, to continue with the line after it, in the same table if it was in one. A row that
    // cannot be read is skipped with its stack frames, a table with a bad header like foreign text. Returns false, and
    // keeps the error, if there is no further line.
    template <class Kernel = detail::kernel>
    [[nodiscard]] bool skip() noexcept;
    // Where the next line begins, in bytes from the start of the text.
    std::uint64_t offset() const noexcept { return problems_.offset_of(rest()); }
    // How many problems options::lenient has tolerated so far.
    std::uint64_t tolerated() const noexcept { return problems_.tolerated; }

private:
    friend struct detail::reader_access;
};

// Reads all tables. The document's views live as long as the text. Throws nothing but what std::vector throws when
// there is no memory.
template <class Kernel = detail::kernel>
[[nodiscard]] result<document> read(std::string_view text, const options& how = {});
template <class S, detail::if_temporary_text<S> = 0>
result<document> read(S&& text, const options& how = {}) = delete;

// The cell of that column name as it is in the text that was read. Without data if the row has no such cell, if the
// cell is empty or was assigned since, or if the row was built by hand.
template <class Kernel = detail::kernel>
[[nodiscard]] std::string_view where(const row& r, std::string_view column_name) noexcept;

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
// The same without a check. Names, shapes and frames beyond the limits above are cut as PyTorch cuts them.
template <class Sink>
void write_unchecked(Sink&& sink, const summary& one);
template <class Sink>
void write_unchecked(Sink&& sink, const document& doc);

}  // namespace WLFMT_IMPL

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/table/cell.hpp"
#include "detail/table/edit.hpp"
#include "detail/table/read.hpp"
#include "detail/table/write.hpp"

#include "detail/base/config_end.hpp"
#endif
