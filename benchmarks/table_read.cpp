// Reading profiler summary tables: every cell of every row typed and added up.
#include <string_view>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"
#include "peers/script.hpp"
#include "peers/split.hpp"

namespace {

namespace table = wlfmt::table;
using bench::answer;

void add(answer& a, const table::row& r) {
    ++a.records;
    a.parts += r.cells.size();
    a.text += r[0].text().size();
    for (const table::cell& c : r.cells) a.decimals += c.value_or(0.0);
    for (const std::string_view frame : r.frames) a.text += frame.size();
}

answer read_wlfmt(std::string_view text) {
    answer a;
    table::reader tables(text);
    while (tables.next_table()) {
        for (const table::column& c : tables.columns()) a.text += c.name.size();
        while (const table::row* r = tables.next()) add(a, *r);
        for (const table::total& t : tables.totals()) a.decimals += t.value.value_or(0.0);
    }
    if (!tables.ok()) bench::fail(wlfmt::explain(tables.error(), text, wlfmt::in_file("input")));
    return a;
}

using bench::takes;
const bool added = bench::add({"table_read",
                               bench::format::table,
                               {bench::floor_way(),
                                {"wlfmt", bench::each_file<read_wlfmt>, 64 * bench::megabyte, takes::any_text},
                                bench::peers::split_way(bench::peers::split_table),
                                bench::peers::script_way("Python re.split", "table.py")}});

}  // namespace
