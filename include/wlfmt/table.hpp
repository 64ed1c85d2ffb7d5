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

#include "detail/io/records.hpp"
#include "detail/table/check.hpp"
#include "detail/table/edit.hpp"
#include "detail/table/reader.hpp"
#include "detail/table/state.hpp"
#include "detail/table/write.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace table {

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
// reader is an object of 22 KB and allocates nothing.
//
// A table that ends without the closing rule that PyTorch prints may have been cut: error_kind::unclosed_table, after
// its last row. A last row that was itself cut is error_kind::row_mismatch.
//
// options::prefix: tables are read from the lines that begin with the prefix, which is left out. All other lines are
// skipped, also between the rows of a table and in strict reading. any_prefix: each table has the prefix of its own
// first line, and ends where `max_lines_between` lines in a row do not have it. Tables that begin between the rows of
// another one are passed over with the lines that they are in.
template <class Way>
class basic_reader {
public:
    explicit basic_reader(std::string_view text, const options& how = {}) noexcept
        : state_(Way(), text, detail::prefixes::bom_size(text, how), how) {
        detail::table_reading<Way>::start(state_);
    }
    // The text would be destroyed before the first row is read.
    template <class S, detail::if_temporary_text<S> = 0>
    explicit basic_reader(S&& text, const options& how = {}) = delete;
    basic_reader(const basic_reader&) = delete;
    basic_reader& operator=(const basic_reader&) = delete;

    // Goes to the next table, past what is left of this one and the text between. Returns false at the end of the text
    // and after an error.
    bool next_table() noexcept { return detail::table_reading<Way>::next_table(state_); }
    // The next row of this table, or of the first table if next_table() was not called; null after its last row and
    // after an error.
    const row* next() & noexcept { return detail::table_reading<Way>::next(state_); }
    const row* next() && = delete;

    // Range-for over the rows of this table.
    using iterator = detail::record_iterator<basic_reader, row>;
    [[nodiscard]] iterator begin() & noexcept { return iterator(*this, state_.problems_); }
    [[nodiscard]] iterator end() const noexcept { return {}; }

    [[nodiscard]] const list<column>& columns() const noexcept { return state_.row_.columns; }
    // The position of the first column of that name; columns().size() if there is none, a position at which a row has
    // an empty cell. Linear.
    [[nodiscard]] std::size_t find_column(std::string_view name) const noexcept {
        return detail::find_column(state_.column_items_, state_.column_count_, name);
    }
    // Lines of text above the table, each under a line of `=`: those of table(header=...), and PyTorch's remark on
    // top-level events.
    [[nodiscard]] const list<text>& titles() const noexcept { return state_.titles_; }
    // Complete once next() has returned null. Of several totals of one name the last one counts.
    [[nodiscard]] const list<total>& totals() const noexcept { return state_.totals_; }
    // The total of that name; an empty cell if there is none.
    [[nodiscard]] cell find_total(std::string_view name) const noexcept {
        for (const total& t : state_.totals_)
            if (t.name == name) return t.value;
        return {};
    }
    // Where the first line of this table is, in bytes from the start of the text, after its prefix.
    [[nodiscard]] std::uint64_t table_offset() const noexcept { return state_.problems_.offset_of(state_.table_); }
    // What the lines of this table begin with, if options::prefix asks for a prefix.
    [[nodiscard]] std::string_view prefix() const noexcept { return state_.prefix_; }

    [[nodiscard]] bool ok() const noexcept { return state_.problems_.ok(); }
    [[nodiscard]] const struct error& error() const& noexcept { return state_.problems_.first; }
    [[nodiscard]] struct error error() && noexcept { return state_.problems_.first; }
    // After an error: forgets it, to continue with the line after it, in the same table if it was in one. A row that
    // cannot be read is skipped with its stack frames, a table with a bad header like foreign text. Returns false, and
    // keeps the error, if there is no further line, and no rule whose absence is still to be reported.
    [[nodiscard]] bool skip() noexcept { return detail::table_reading<Way>::skip(state_); }
    // Where the next line begins, in bytes from the start of the text.
    [[nodiscard]] std::uint64_t offset() const noexcept { return state_.problems_.offset_of(state_.rest()); }
    // How many problems options::lenient has tolerated so far.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return state_.problems_.tolerated; }

private:
    friend struct detail::reader_access;
    detail::table_state state_;
};
using reader = basic_reader<detail::kernel>;

// Reads all tables. The document's views live as long as the text. Throws nothing but what std::vector throws when
// there is no memory.
template <class Kernel = detail::kernel>
[[nodiscard]] result<document> read(std::string_view text, const options& how = {}) {
    return detail::table_reading<Kernel>::read_all(text, how);
}
template <class S, detail::if_temporary_text<S> = 0>
result<document> read(S&& text, const options& how = {}) = delete;

// The cell of that column name as it is in the text that was read. Without data if the row has no such cell, if the
// cell is empty or was assigned since, or if the row was built by hand.
template <class Kernel = detail::kernel>
[[nodiscard]] std::string_view where(const row& r, std::string_view column_name) noexcept {
    return detail::table_reading<Kernel>::where(r, column_name);
}

// The first thing that keeps a table from reading back as it is, or error_kind::none. error_kind::unwritable: two
// blanks in a name, a value that its column does not hold, a row without any text, ...; values are compared by the
// digits that are printed. error_kind::too_wide: max_padding. `error::field` names the column, or says "columns",
// "rows", "titles" or "totals". `found` is the position of the row, or in a document of the table. Allocates a few
// words for each column.
template <class Kernel = detail::kernel>
[[nodiscard]] error problem_of(const summary& one) {
    return detail::basic_table_check<Kernel>(one, detail::table_layout(one)).problem();
}
template <class Kernel = detail::kernel>
[[nodiscard]] error problem_of(const document& doc) {
    for (std::size_t n = 0; n != doc.tables.size(); ++n)
        if (const error e = problem_of(doc.tables[n])) return detail::in_document(e, n);
    return {};
}

// Appends a table in PyTorch's layout (titles, rule, header, rule, rows, rule, totals; every cell padded to its width,
// two blanks after it) to a sink (sink.hpp). A document's tables have a blank line between them. Widths of 0 become
// PyTorch's: the longest name and 4, at most 55; the longest shapes and 4, at most 80; the longest frame and 4, at most
// 75; 12 for numbers. A text that is longer than its column is written whole, over the column's end.
//
// What would not read back as it is (problem_of) is not written: its error is returned, and nothing is appended.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const summary& one) {
    const summary* bad = nullptr;
    return detail::put_checked_tables(sink, &one, &one + 1, bad);
}
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const document& doc) {
    const summary* const first = doc.tables.data();
    const summary* const last = first + doc.tables.size();
    const summary* bad = nullptr;
    const error e = detail::put_checked_tables(sink, first, last, bad);
    return bad != last ? detail::in_document(e, static_cast<std::size_t>(bad - first)) : e;
}
// The same without a check. Names, shapes and frames beyond the limits above are cut as PyTorch cuts them.
template <class Sink>
void write_unchecked(Sink&& sink, const summary& one) {
    const summary* bad = nullptr;
    static_cast<void>(detail::put_tables<false>(sink, &one, &one + 1, bad));
}
template <class Sink>
void write_unchecked(Sink&& sink, const document& doc) {
    const summary* const first = doc.tables.data();
    const summary* bad = nullptr;
    static_cast<void>(detail::put_tables<false>(sink, first, first + doc.tables.size(), bad));
}

}  // namespace WLFMT_IMPL

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
