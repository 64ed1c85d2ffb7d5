// wlfmt/table.hpp: reading and writing profiler summary tables, prof.key_averages().table() of PyTorch (the records:
// types/table.hpp). The format and its dialects: docs/formats.md, section 3; where their facts come from: 7.2.
//
//     wlfmt::table::reader tables(text);
//     while (tables.next_table())
//         while (const auto* row = tables.next()) calls += row->find("# of Calls").value_or(0.0);
//     if (!tables.ok()) std::cerr << wlfmt::explain(tables.error(), text, wlfmt::in_file("profile.txt"));
#include "version.hpp"

#ifndef WLFMT_TABLE_HPP
#define WLFMT_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "number.hpp"
#include "types/list.hpp"
#include "types/table.hpp"

#include "detail/error/problems.hpp"
#include "detail/table/cell.hpp"
#include "detail/table/edit.hpp"
#include "detail/table/reader.hpp"
#include "detail/table/rows.hpp"
#include "detail/table/write.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace table {

// Pulls rows out of the tables of a text, one by one, in linear time overall. It is an object of 22 KB and allocates
// nothing. columns() and titles() are available after next_table(), totals() after the last row. The text must outlive
// the reader and every view that came from it. A row is valid until the next call; columns, titles and totals until the
// next table. Copies of them own what they show. A table that lacks a rule at its header is not read:
// error_kind::missing_rule (table/mend.hpp writes such rules). One without PyTorch's closing rule may have been cut:
// error_kind::unclosed_table, after its last row. A last row that was itself cut is error_kind::row_mismatch. Lines
// that were cut at their right edge are error_kind::cut_column, after the totals; the cells of the cut column, whose
// unit is unit::cut, are texts.
//
// With options::prefix, only the lines that begin with the prefix are read, without it; all others are skipped, even
// between a table's rows and with options::strict. With any_prefix, a table has the prefix of its first line, and ends
// where `max_lines_between` lines in a row lack it; tables that begin between the rows of another one are skipped.
class reader {
public:
    explicit reader(text_view text WLFMT_LIFETIMEBOUND, const options& options = {}) noexcept
        : state_(text, detail::prefixes::bom_size(text, options), options) {
        detail::table_reading::start(state_);
    }
    // Continues where the other reader was, which then has nothing left to read. A row from the other's next() stays
    // there: copy the row to keep it.
    reader(reader&&) noexcept = default;
    reader& operator=(reader&&) noexcept = default;

    // Goes to the next table, past all that is left of this one. False at the end of the text and after an error.
    bool next_table() noexcept { return detail::table_reading::next_table(state_); }
    // The next row of this table; null after its last row and after an error. If next_table() is never called, the rows
    // of all tables follow one another: each has its table's columns, and find() looks for one by its name.
    const row* next() & noexcept WLFMT_LIFETIMEBOUND { return detail::table_reading::next(state_); }
    const row* next() && = delete;

    // Range-for over the rows that are left: of this table, or of all if next_table() was never called. After the loop,
    // ok() says whether an error ended it.
    using iterator = detail::record_iterator<reader, row>;
    [[nodiscard]] iterator begin() & noexcept WLFMT_LIFETIMEBOUND {
        return iterator(*this, state_.problems_, state_.row_);
    }
    [[nodiscard]] iterator end() const noexcept { return {}; }

    // A temporary reader returns copies of its lists, as the lists are gone with it.
    [[nodiscard]] const item_list<column>& columns() const& noexcept WLFMT_LIFETIMEBOUND { return state_.row_.columns; }
    [[nodiscard]] item_list<column> columns() const&& { return state_.row_.columns; }
    // The position of the first column of that name; else columns().size(), where rows have an empty cell. Linear.
    [[nodiscard]] std::size_t find_column(std::string_view name) const noexcept {
        return detail::find_column(state_.column_items_, state_.column_count_, name);
    }
    std::size_t find_column(std::nullptr_t) const = delete;
    // The lines above the table, each under a line of `=`: the header of table(header=...), and PyTorch's remark that
    // only top-level events are shown.
    [[nodiscard]] const item_list<text_view>& titles() const& noexcept WLFMT_LIFETIMEBOUND { return state_.titles_; }
    [[nodiscard]] item_list<text_view> titles() const&& { return state_.titles_; }
    // Complete once next() has returned null. Of several totals of one name the last one counts.
    [[nodiscard]] const item_list<total>& totals() const& noexcept WLFMT_LIFETIMEBOUND { return state_.totals_; }
    [[nodiscard]] item_list<total> totals() const&& { return state_.totals_; }
    // The total of that name; an empty cell if there is none.
    [[nodiscard]] cell find_total(std::string_view name) const noexcept {
        for (const total& t : state_.totals_)
            if (t.name == name) return t.value;
        return {};
    }
    cell find_total(std::nullptr_t) const = delete;
    // The offset in the text at which the first line of this table begins, after its prefix.
    [[nodiscard]] std::uint64_t table_offset() const noexcept { return state_.problems_.offset_of(state_.table_); }
    // What the lines of this table begin with, if options::prefix asks for a prefix.
    [[nodiscard]] std::string_view prefix() const noexcept { return state_.prefix_; }

    [[nodiscard]] bool ok() const noexcept { return state_.problems_.ok(); }
    [[nodiscard]] const problem& error() const& noexcept WLFMT_LIFETIMEBOUND { return state_.problems_.first; }
    [[nodiscard]] problem error() const&& noexcept { return state_.problems_.first; }
    // Forgets an error, to go on with the next line, in the same table if it was in one. A row that cannot be read is
    // skipped with its stack frames; a table with a bad header is skipped as foreign text is. Returns false and keeps
    // the error if there is no further line and no closing rule to miss.
    [[nodiscard]] bool skip() noexcept { return detail::table_reading::skip(state_); }
    // Where the next line begins, in bytes from the start of the text.
    [[nodiscard]] std::uint64_t offset() const noexcept {
        return state_.problems_.offset_of(detail::table_rows::rest(state_));
    }
    // How many problems have been reported so far: warnings, and errors that options::lenient tolerated.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return state_.problems_.tolerated; }

private:
    detail::movable<detail::table_state, detail::table_reading> state_;
};

// Reads all tables. The document's views live as long as the text. Throws only std::bad_alloc.
[[nodiscard]] inline result<document> read(text_view text WLFMT_LIFETIMEBOUND, const options& options = {}) {
    return detail::table_reading::read_all(text, options);
}

// What a column measures: `# of Calls`, `Number of Calls` and `Calls` mean "calls". Knows the columns of PyTorch since
// 0.4, for every device, those of its forks, and the names of totals; allocates nothing.
//
//     for (const auto& column : tables.columns())
//         if (wlfmt::table::meaning_of(column.name).name == "self_device_time_us") ...   // Self CUDA, Self XPU, ...
[[nodiscard]] inline column_meaning meaning_of(text_view column_name WLFMT_LIFETIMEBOUND) noexcept {
    return detail::table_columns::meaning_of(column_name);
}
// The name of a column in CSV and other outputs: its meaning's, or its own with the unit of bare numbers after it.
[[nodiscard]] inline std::string heading_of(const column& c) { return detail::table_columns::heading(c); }
// Whether a cell's text stands for no value: it is empty, `--` or `nan`.
[[nodiscard]] inline bool is_missing_cell(text_view cell) noexcept { return detail::is_missing_cell(cell); }
// Makes a copy of the table with column names that are the same for all versions and devices. It is for CSV and other
// outputs, as it does not read back. FLOPs are scaled, columns without a meaning keep their names, and a last column
// `device` names the device of the times (`cuda`, or empty).
[[nodiscard]] inline profile canonical(const profile& table) { return detail::table_canonical::canonical(table); }

// Writes a cell to a stream: its text, or the number that was assigned.
template <class Stream>
auto operator<<(Stream& stream, const cell& c) -> decltype(stream << std::string_view(), stream.flags(), stream) {
    if (c.text().empty()) return stream << c.value();
    stream << c.text();
    return stream;
}

// Where the cell of that column is in the text that was read. Without data if there is no such cell, if it is empty or
// has been assigned, or if the row was built by hand.
[[nodiscard]] inline std::string_view where(const row& r, std::string_view column_name) noexcept {
    const std::string_view text = r.find(column_name).text();
    return !text.empty() && detail::is_view_of(text, r.source) ? text : std::string_view();
}
std::string_view where(const row&, std::nullptr_t) = delete;

// Cells are equal if they have the same value, however it is printed (`1.000ms` is `1000.000us`), or no value and the
// same text.
[[nodiscard]] inline bool operator==(const cell& a, const cell& b) noexcept {
    return detail::table_comparison::same(a, b);
}
[[nodiscard]] inline bool operator!=(const cell& a, const cell& b) noexcept { return !(a == b); }
// Rows, tables and documents are equal if they have the same values in columns of the same names, in order. Numbers
// compare as in diff.hpp (`1.000ms` is `1000.000us`); cells without a number are equal. Titles and widths do not
// matter.
[[nodiscard]] inline bool operator==(const row& a, const row& b) noexcept {
    return detail::table_comparison::same(a, b);
}
[[nodiscard]] inline bool operator!=(const row& a, const row& b) noexcept { return !(a == b); }
[[nodiscard]] inline bool operator==(const profile& a, const profile& b) noexcept {
    return detail::table_comparison::same(a, b);
}
[[nodiscard]] inline bool operator!=(const profile& a, const profile& b) noexcept { return !(a == b); }
[[nodiscard]] inline bool operator==(const document& a, const document& b) noexcept { return a.tables == b.tables; }
[[nodiscard]] inline bool operator!=(const document& a, const document& b) noexcept { return !(a == b); }

// The first thing that keeps a table from reading back: error_kind::unwritable (two blanks in a name, a value that its
// column cannot hold, a row without text, ...), too_wide (max_padding), or error_kind::none. problem::field is the
// column, "columns", "rows", "titles" or "totals"; `found` is the row's position, or in a document the table's.
// Allocates a few words for each column.
[[nodiscard]] inline problem problem_of(const profile& table) {
    return detail::table_check(table, detail::table_layout(table)).first_problem();
}
[[nodiscard]] inline problem problem_of(const document& doc) {
    for (std::size_t n = 0; n != doc.tables.size(); ++n)
        if (const problem e = problem_of(doc.tables[n])) return detail::in_document(e, n);
    return {};
}

// Appends a table to a sink (sink.hpp) in PyTorch's layout: titles, rule, header, rule, rows, rule, totals; every cell
// is padded to its width, and two blanks follow. A document's tables have a blank line between them. A width of 0
// becomes PyTorch's: the longest name, shapes or frame plus 4, at most 55, 80 or 75; 12 for numbers, or the longest
// one's. A text longer than its column is written whole, over its end; a value that PyTorch's form would round, with
// all digits in the base unit: `3821.335us`. What would not read back is refused: problem_of()'s error is returned, and
// nothing is appended.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const profile& table) {
    std::size_t bad = 0;
    return detail::put_checked_tables(sink, &table, 1, bad);
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const document& doc) {
    std::size_t bad = 0;
    const problem e = detail::put_checked_tables(sink, doc.tables.data(), doc.tables.size(), bad);
    return bad != doc.tables.size() ? detail::in_document(e, bad) : e;
}
// The same without a check. Names, shapes and frames beyond the limits above are cut as PyTorch cuts them.
template <class Sink, detail::unless_temporary_text<Sink> = 0> void write_unchecked(Sink&& sink, const profile& table) {
    std::size_t bad = 0;
    static_cast<void>(detail::put_tables<false>(sink, &table, 1, bad));
}
template <class Sink, detail::unless_temporary_text<Sink> = 0> void write_unchecked(Sink&& sink, const document& doc) {
    std::size_t bad = 0;
    static_cast<void>(detail::put_tables<false>(sink, doc.tables.data(), doc.tables.size(), bad));
}

}}}  // namespace wlfmt::WLFMT_ABI::table

#include "detail/base/config_end.hpp"
#endif
