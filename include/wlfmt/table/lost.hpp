// wlfmt/table/lost.hpp: what is lost of the profiler tables of a text although they can be read, as pasting, launchers
// and other programs have added, cut out or moved lines. Not included by wlfmt.hpp.
//
//     wlfmt::table::losses lost(text);
//     for (const auto& table : document.tables) lost.add(table);    // what was read of the text
//     lost.report([&](const wlfmt::problem& e) { std::cerr << wlfmt::explain(e, text, wlfmt::in_file("a.txt")); });
#include "../version.hpp"

#ifndef WLFMT_TABLE_LOST_HPP
#define WLFMT_TABLE_LOST_HPP

#include <cstddef>
#include <string_view>

#include "../table.hpp"
#include "../types/error.hpp"

#include "../detail/table/lost.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace table {

// Compares the lines of a text with what was read of it. A program adds all tables that were read, whatever their
// prefixes, and the problems that were reported meanwhile, each as it comes. The text must outlive this object. Keeps
// some bytes for each row, and takes linear time. Throws only std::bad_alloc.
class losses {
public:
    explicit losses(text_view text) : found_(text) {}

    void add(const profile& table) {
        found_.begin(table.columns);
        for (std::size_t n = 0; n < table.cells.size(); n += table.columns.size()) {
            std::size_t place = n;
            while (place + 1 != n + table.columns.size() && table.cells[place].text().empty()) ++place;
            found_.add_row(table.cells[place].text(), table.cells[n].text(), table.cells[n + found_.wide()].text());
        }
        found_.end(table.totals);
    }
    // The same for a table that is read row by row: call begin() after next_table(), add() for each row, and end()
    // after the last one.
    void begin(const reader& tables) { found_.begin(tables.columns()); }
    void add(const row& r) { found_.add_row(r.source, r[0].text(), r[found_.wide()].text()); }
    void end(const reader& tables) { found_.end(tables.totals()); }
    // A problem in a table: its line is known, and not lost without a word.
    void add(const problem& e) { found_.add(e); }
    // The tables that have this prefix, of a text whose reader did not hand them on.
    void read(std::string_view prefix) {
        options again;
        again.lenient = true;
        again.prefix = prefix;
        again.on_problem = [this](const problem& e) { add(e); };
        reader tables(found_.text(), again);
        while (tables.next_table()) {
            begin(tables);
            while (const row* const r = tables.next()) add(*r);
            end(tables);
        }
    }
    void read(std::nullptr_t) = delete;

    // Calls each(const problem&) for what was found, once everything was added:
    // - damaged_table: a column of another width than all others, and than its cells, two devices, the letters of a
    //   header, or the end of a total's name show that a part of the lines was cut out or changed;
    // - doubtful_name, a warning: a name that is missing or alone none of PyTorch's, or one in which a web page has
    //   escaped `<` or `>`;
    // - lost_lines, at most once: lines that are not in any table, and look like a header, or a row or a total of one
    //   of these tables. problem::found is their number, and the place is the first of them.
    // Without a table nothing is found.
    template <class Report> void report(Report&& each) { found_.report(each); }

private:
    detail::table_losses found_;
};

}}}  // namespace wlfmt::WLFMT_ABI::table

#include "../detail/base/config_end.hpp"
#endif
