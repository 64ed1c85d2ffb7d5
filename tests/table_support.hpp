// What the table tests share: files, tables taken out of their reader, comparisons that name what differs.
#ifndef WLFMT_TESTS_TABLE_SUPPORT_HPP
#define WLFMT_TESTS_TABLE_SUPPORT_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/table.hpp>

#include "data_files.hpp"
#include "support.hpp"

namespace test {

inline std::vector<std::string> table_files() { return data_files("table", table_samples); }

// A cell as a reader should show it, with a text and a value that are given separately.
inline wlfmt::table::cell read_as(std::string_view text, const wlfmt::number& value) {
    wlfmt::table::cell c;
    wlfmt::detail::cell_access::set(c, text, value, {}, false);
    return c;
}

inline wlfmt::options lenient_tables() {
    wlfmt::options how;
    how.lenient = true;
    return how;
}

// A row's frames as an array that the program owns.
template <std::size_t N> wlfmt::table::frame_list stack_of(const std::string_view (&frames)[N]) {
    return wlfmt::table::frame_list(std::vector<std::string_view>(std::begin(frames), std::end(frames)));
}

inline std::vector<std::string> frames_of(const wlfmt::table::frame_list& frames) {
    std::vector<std::string> all;
    for (const std::string_view frame : frames) all.emplace_back(frame);
    return all;
}

// The first difference between two tables that were read, or an empty text. Widths are part of a table.
inline std::string difference(const wlfmt::table::profile& a, const wlfmt::table::profile& b) {
    if (a.titles != b.titles) return "titles";
    if (a.columns.size() != b.columns.size()) return "number of columns";
    for (std::size_t n = 0; n != a.columns.size(); ++n) {
        const wlfmt::table::column& x = a.columns[n];
        const wlfmt::table::column& y = b.columns[n];
        if (x.name != y.name || x.unit != y.unit || x.width != y.width || x.left_aligned != y.left_aligned)
            return "column " + std::to_string(n);
    }
    if (a.cells.size() != b.cells.size())
        return std::to_string(a.size()) + " and " + std::to_string(b.size()) + " rows";
    for (std::size_t n = 0; n != a.cells.size(); ++n)
        if (a.cells[n].text() != b.cells[n].text() || a.cells[n].value() != b.cells[n].value())
            return "cell " + std::to_string(n % a.columns.size()) + " of row " + std::to_string(n / a.columns.size());
    for (std::size_t n = 0; n != a.size(); ++n)
        if (frames_of(a.row(n).frames) != frames_of(b.row(n).frames)) return "frames of row " + std::to_string(n);
    if (a.totals.size() != b.totals.size()) return "number of totals";
    for (std::size_t n = 0; n != a.totals.size(); ++n) {
        const wlfmt::table::total& x = a.totals[n];
        const wlfmt::table::total& y = b.totals[n];
        if (x.name != y.name || x.value.text() != y.value.text() || x.value.value() != y.value.value())
            return "total " + std::to_string(n);
    }
    return "";
}

inline std::string difference(const wlfmt::table::document& a, const wlfmt::table::document& b) {
    if (a.tables.size() != b.tables.size())
        return std::to_string(a.tables.size()) + " and " + std::to_string(b.tables.size()) + " tables";
    for (std::size_t n = 0; n != a.tables.size(); ++n) {
        const std::string tables = difference(a.tables[n], b.tables[n]);
        if (!tables.empty()) return "table " + std::to_string(n) + ": " + tables;
    }
    return "";
}

// The tables that a pull reader yields, with bad lines skipped.
struct table_reading {
    wlfmt::table::document doc;
    std::vector<wlfmt::problem> errors;  // errors and tolerated problems, in the order of the text
    std::uint64_t tolerated = 0;
};

inline table_reading read_tables(std::string_view text, wlfmt::options how = {}) {
    table_reading got;
    how.on_problem = [&](const wlfmt::problem& e) { got.errors.push_back(e); };
    wlfmt::table::reader tables(text, how);
    // Whether reading can go on after an error, which stays at the end of the text.
    bool stopped = false;
    const auto skipped = [&] {
        if (tables.ok() || stopped) return false;
        got.errors.push_back(tables.error());
        stopped = !tables.skip();
        return !stopped;
    };
    do {
        while (tables.next_table()) {
            got.doc.tables.emplace_back();
            wlfmt::table::profile& one = got.doc.tables.back();
            one.titles.assign(tables.titles().begin(), tables.titles().end());
            one.columns.assign(tables.columns().begin(), tables.columns().end());
            do {
                while (const wlfmt::table::row* r = tables.next()) REQUIRE(one.add_row(*r));
            } while (skipped());
            one.totals.assign(tables.totals().begin(), tables.totals().end());
        }
    } while (skipped());
    got.tolerated = tables.tolerated();
    return got;
}

inline std::string written(const wlfmt::table::document& doc) {
    std::string out;
    wlfmt::table::write_unchecked(out, doc);
    return out;
}
inline std::string written(const wlfmt::table::profile& one) {
    std::string out;
    wlfmt::table::write_unchecked(out, one);
    return out;
}

// A table with a column of names and a column of the given name, each 16 wide, and one row.
inline std::string one_cell_table(std::string_view column, std::string_view cell) {
    const auto padded = [](std::string_view s) {
        return std::string(s.size() < 16 ? 16 - s.size() : 0, ' ').append(s).append("  ");
    };
    const std::string rule = "----------------  ----------------  \n";
    return rule + padded("Name") + padded(column) + "\n" + rule + padded("x") + padded(cell) + "\n" + rule;
}

}  // namespace test

#endif
