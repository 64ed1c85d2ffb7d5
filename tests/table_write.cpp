// Writing profiler tables: PyTorch's bytes, tables that were never read, and what would not read back.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/table.hpp>

#include "support.hpp"
#include "table_support.hpp"

namespace table = wlfmt::table;
using table::cell;
using table::frame_list;
using test::difference;
using test::lenient_tables;
using test::written;
using wlfmt::error_kind;
using wlfmt::number;

namespace {

std::string file(std::string_view name) { return test::data("table/" + std::string(name) + ".txt"); }

std::string repeated(std::string_view piece, std::size_t times) {
    std::string all;
    for (; times != 0; --times) all += piece;
    return all;
}

// A table of the named columns as PyTorch lays them out, with the cells given row by row.
table::profile made(const std::vector<std::string_view>& columns, std::vector<cell> cells) {
    table::profile one;
    for (const std::string_view name : columns) one.columns.emplace_back(name);
    one.cells = std::move(cells);
    return one;
}

// How a value is printed in a column of that name.
std::string printed(std::string_view column, const number& value) {
    const std::string text = written(made({"Name", column}, {cell("x"), cell(value)}));
    const std::size_t row = text.rfind("x  ");
    const std::string line = text.substr(row + 3, text.find('\n', row) - row - 3);
    const std::size_t begin = line.find_first_not_of(' ');
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(' ') + 1 - begin);
}

// What problem_of() says of a table or a document. Whoever writes what it refuses gets the same error and no text,
// whether the sink can be cut back, so that all is checked while it is written, or not.
template <class T> wlfmt::problem problem_of(const T& refused) {
    const wlfmt::problem problem = table::problem_of(refused);
    if (!problem) return problem;
    std::string text = "before";
    std::ostringstream stream;
    for (const wlfmt::problem& e : {table::write(text, refused), table::write(stream, refused)}) {
        CHECK(e.kind == problem.kind);
        CHECK(e.field == problem.field);
        CHECK(e.found == problem.found);
        CHECK(e.expected == problem.expected);
    }
    CHECK(text == "before");
    CHECK(stream.str().empty());
    return problem;
}

}  // namespace

TEST_CASE("files in PyTorch's own layout are written byte for byte") {
    for (const std::string name :
         {"devices", "flops",    "header_with_a_gap",  "memory",         "memory_upper",    "missing",     "no_rows",
          "node_id", "overflow", "overflow_and_empty", "overload_names", "plain",           "pytorch_1_3", "shapes",
          "small",   "stack",    "stack_flops",        "titles",         "unknown_columns", "utf8"}) {
        CAPTURE(name);
        const std::string text = file(name);
        const auto read = table::read(text);
        CHECK(read.ok());
        CHECK(written(*read) == text);
    }
    const std::string sample = test::data(test::table_samples[0]);
    CHECK(written(*table::read(sample)) == sample);
}

TEST_CASE("other layouts are written in PyTorch's") {
    const std::string small = file("small");
    for (const std::string name :
         {"banner", "bom", "crlf", "equals_rule", "error_foreign_text", "error_foreign_text_behind", "indented",
          "indented_and_stripped", "no_break_spaces", "no_final_newline", "prose_total", "stripped"}) {
        CAPTURE(name);
        const std::string text = file(name);
        CHECK(written(*table::read(text)) == small);
    }
    const std::string no_rule = file("no_closing_rule");
    CHECK(written(*table::read(no_rule)) == small.substr(0, small.find("Self CPU time")));
    const std::string old = file("pytorch_1_0");
    CHECK(written(*table::read(old)).find("conv2d                224.779us        281.568us                1  ") !=
          std::string::npos);
    const std::string totals = file("totals");
    const std::string out = written(*table::read(totals));
    CHECK(out.substr(out.find("Self CPU time")) ==
          "Self CPU time total: 2.000us\nSelf CUDA time total: NaN\nCUDA time total: 1.000s\n");
}

TEST_CASE("what is written reads back equal, and writing again changes nothing") {
    for (const std::string& name : test::table_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const auto read = table::read(text, lenient_tables());
        // What is left of a cut column is written as a whole one.
        if (read->tables.empty() || name == "table/error_cut_column.txt") continue;
        const std::string once = written(*read);
        const auto again = table::read(once, lenient_tables());
        CHECK(again.ok());
        CHECK(difference(*read, *again) == "");
        CHECK(written(*again) == once);
        if (name.find("error_") == std::string::npos) CHECK_FALSE(problem_of(*read));
    }
}

TEST_CASE("a document's tables have an empty line between them") {
    const std::string text = file("small");
    table::document doc = *table::read(text);
    CHECK(written(doc) == text);
    doc.tables.push_back(doc.tables[0]);
    CHECK(written(doc) == text + "\n" + text);
    CHECK(written(doc.tables[1]) == text);
    doc.tables.clear();
    CHECK(written(doc).empty());
    CHECK_FALSE(problem_of(doc));
}

TEST_CASE("a table, a document and any sink are given the same bytes, in few pieces") {
    const std::string text = test::data(test::table_samples[0]);
    const table::document doc = *table::read(text);
    test::counting_sink sink;
    CHECK_FALSE(table::write(sink, doc));
    CHECK(sink.text == text);
    CHECK(sink.appends < text.size() / 1000);
    test::counting_sink one;
    CHECK_FALSE(table::write(one, doc.tables[0]));
    CHECK(one.text == text);
    std::string after = "before\n";
    CHECK_FALSE(table::write(after, doc.tables[0]));
    CHECK(after == "before\n" + text);
}

TEST_CASE("tables are built by hand") {
    table::profile one = made({"Name", "Self CPU %", "Self CPU", "CPU Mem", "# of Calls"},
                              {cell("aten::mm"), cell(99.17), cell(13980.0), cell(3901.44), cell(12),  //
                               cell("relu"), cell(0.0), cell(0), cell(-4), cell(3)});
    one.titles = {"by time"};
    one.totals = {{"Self CPU time total", cell(13981.0)}, {"CUDA time total", cell("2.000s")}};
    const std::string text =
        "====================================================================\n"
        "by time\n"
        "------------  ------------  ------------  ------------  ------------  \n"
        "        Name    Self CPU %      Self CPU       CPU Mem    # of Calls  \n"
        "------------  ------------  ------------  ------------  ------------  \n"
        "    aten::mm        99.17%      13.980ms       3.81 KB            12  \n"
        "        relu         0.00%             0          -4 B             3  \n"
        "------------  ------------  ------------  ------------  ------------  \n"
        "Self CPU time total: 13.981ms\n"
        "CUDA time total: 2.000s\n";
    CHECK(written(one) == text);
    CHECK_FALSE(problem_of(one));
    const auto read = table::read(text);
    CHECK(written(*read) == text);
    // A text is written as it is, and a value that is assigned is printed: the last assignment counts.
    one.cells[2] = cell("14ms");
    CHECK(written(one).find("        14ms  ") != std::string::npos);
    one.cells[2] = 5.0;
    CHECK(written(one).find("     5.000us  ") != std::string::npos);
}

TEST_CASE("a cell made from a text has the value that the text says in its column") {
    table::profile one = made({"Name", "Self CPU", "CPU Mem", "Kind", "# of Calls"},
                              {cell("12"), cell("1.000us"), cell("1.50 KB"), cell("1.50 KB"), cell("7"),  //
                               cell("b"), cell("316.074"), cell("--"), cell("3.5%"), cell(9)});
    one.totals = {{"Self CPU time total", cell("8.303s")}};
    const table::profile& seen = one;
    static_assert(!std::is_constructible_v<cell, std::string_view, double>);
    CHECK(cell("1.000ms") == cell("1000.000us"));
    CHECK(cell("1.000ms") == cell(1000.0));
    CHECK(cell("1.000ms") != cell("1.001ms"));
    CHECK(cell("nan") == cell("nan"));
    CHECK(cell("nan") != cell("--"));
    CHECK(cell("aten::mm") == cell("aten::mm"));
    CHECK(cell("aten::mm") != cell("aten::bmm"));
    CHECK(cell() == cell());
    CHECK(cell() != cell("0"));

    const auto has_values = [&](const table::row& first, const table::row& second) {
        CHECK(first[0].value().is_missing());
        CHECK(first[1].value() == 1.0);
        CHECK(first[2].value() == 1536.0);
        CHECK(first[3].value() == number("1.50 KB"));
        CHECK(first[4].value() == 7);
        CHECK(second[1].value() == number("316.074"));
        CHECK(second[1].value().is_text());
        CHECK(second[2].value().is_missing());
        CHECK(second[3].value() == 3.5);
        CHECK(second[4].value() == 9);
    };
    has_values(one.row(0), one.row(1));
    std::vector<table::row> rows;
    for (const table::row& r : one.rows()) rows.emplace_back(r);
    REQUIRE(rows.size() == 2);
    has_values(rows[0], rows[1]);
    CHECK(seen.find_cell(0, "Self CPU").value() == 1.0);
    CHECK(seen.cell_at(0, 2).value() == 1536.0);
    CHECK(seen.cell_at(2, 0).is_missing());
    CHECK(seen.find_total("Self CPU time total").value() == 8303000.0);
    CHECK(one.edit_total("?") == nullptr);
    const auto total_after = [&](const cell& c) {
        table::profile changed = one;
        *changed.edit_total("Self CPU time total") = c;
        CHECK(changed.totals[0].name == "Self CPU time total");
        return changed.find_total("Self CPU time total").value();
    };
    CHECK(total_after(cell("2.000ms")) == 2000.0);
    CHECK(total_after(cell(12.5)) == 12.5);
    CHECK(total_after(cell("3.5%")) == number("3.5%"));

    // Once more after an assignment, and for a cell that comes from a column of another unit.
    *one.edit_cell(0, "Self CPU") = cell("12.500ms");
    CHECK(seen.find_cell(0, "Self CPU").value() == 12500.0);
    CHECK(one.edit_cell(0, "Self CPU")->value() == 12500.0);
    CHECK(one.row(0).find("Self CPU").value() == 12500.0);
    *one.edit_cell(1, "Self CPU") = *one.edit_cell(1, "Kind");
    CHECK(one.find_cell(1, "Self CPU").value() == number("3.5%"));
    *one.edit_cell(1, "Self CPU") = cell("2.000s");

    // What is in memory is what reads back.
    const std::string text = written(one);
    const auto again = table::read(text);
    REQUIRE(again);
    for (std::size_t r = 0; r != 2; ++r)
        for (std::size_t c = 0; c != one.columns.size(); ++c)
            CHECK(again->tables[0].cell_at(r, c).value() == seen.cell_at(r, c).value());
}

TEST_CASE("a cell made from a text has a value before it is in a table") {
    for (const std::string_view text : {"12.500ms", "12.500 ms", "12500\xC2\xA0us"})
        CHECK(cell(text).value() == 12500.0);
    CHECK(cell("1.50 KB").value() == 1536.0);
    CHECK(cell("3.5%").value() == 3.5);
    CHECK(cell("7").as<int>() == 7);
    CHECK(cell("0").value() == 0);
    CHECK(cell("0").value().is_integer());
    for (const std::string_view text : {"aten::mm", "--", "NaN", "", "1e999", "5  us", "99999999999999999999"}) {
        CAPTURE(text);
        CHECK(cell(text).value().is_missing());
        CHECK(cell(text).text() == text);
    }
    // Assigned to a document's cell, and then a number.
    table::profile one = made({"Name", "Self CPU"}, {cell("a"), cell(1.0)});
    one.cells[1] = cell("12.500ms");
    CHECK(one.cells[1].value() == 12500.0);
    CHECK(one.cells[1].value_or(0.0) == one.edit_cell(0, "Self CPU")->value_or(1.0));
    one.cells[1] = 3.0;
    CHECK(one.cells[1].text().empty());
    CHECK(written(one).find("       3.000us  \n") != std::string::npos);
}

TEST_CASE("a document can be edited") {
    const std::string text = file("small");
    table::document doc = *table::read(text);
    table::profile& one = doc.tables[0];
    CHECK(one.size() == 2);
    *one.edit_cell_at(0, 1) = cell(27960.0);
    *one.edit_cell_at(1, 0) = cell("renamed");
    CHECK(one.add_row({cell("added"), cell(1.0), cell(7)}));
    CHECK(one.size() == 3);
    CHECK(one.frames.empty());
    CHECK(one.row(2)[2].value() == 7);
    const table::profile& seen = one;
    CHECK(seen.cell_at(2, 0).text() == "added");
    const std::string out = written(doc);
    const std::string rows = out.substr(out.find("       aten::mm"));
    CHECK(rows ==
          "       aten::mm      27.960ms            12  \n"
          "        renamed       0.250us             3  \n"
          "          added       1.000us             7  \n"
          "---------------  ------------  ------------  \n"
          "Self CPU time total: 13.981ms\n");
}

TEST_CASE("rows are appended with their frames") {
    table::profile one = made({"Name", "Source Location"}, {});
    CHECK(one.size() == 0);
    CHECK(table::profile().size() == 0);
    const std::string_view stack[] = {"b.py(2): g", "c.py(3): h"};
    table::row r;
    r.cells = wlfmt::item_list<cell>({cell("x"), cell("a.py(1): f")});
    CHECK(one.add_row(r));
    CHECK(one.frames.empty());
    r.frames = test::stack_of(stack);
    CHECK(one.add_row(r));
    CHECK(one.frames.size() == 2);
    r.frames = {};
    CHECK(one.add_row(r));
    CHECK(one.frames.size() == 2);
    CHECK(one.row(0).frames.empty());
    CHECK(one.row(1).frames.size() == 2);
    CHECK(one.row(2).frames.empty());
    CHECK_FALSE(problem_of(one));
    const std::string text =
        "-----  --------------  \n"
        " Name  Source Location  \n"
        "-----  --------------  \n"
        "    x  a.py(1): f      \n"
        "                       \n"
        "    x  a.py(1): f      \n"
        "       b.py(2): g      \n"
        "       c.py(3): h      \n"
        "                       \n"
        "    x  a.py(1): f      \n"
        "                       \n"
        "-----  --------------  \n";
    CHECK(written(one) == text);
    // The same with frames given as lines.
    one.frames[1] = frame_list::from_text("b.py(2): g\nc.py(3): h");
    CHECK(written(one) == text);
}

TEST_CASE("source locations with FLOPs after them are written in PyTorch's order") {
    table::profile one = made({"Name", "Source Location", "Total MFLOPs"},
                              {cell("conv"), cell("a.py(1): f"), cell(2360.0), cell("add"), cell("b.py(2): g"),
                               cell(5.12), cell("t"), cell(), cell(number(nullptr))});
    const std::string_view stack[] = {"c.py(3): h"};
    one.frames = {test::stack_of(stack)};
    const std::string text =
        "--------  --------------  ------------  \n"
        "    Name  Source Location  Total MFLOPs  \n"
        "--------  --------------  ------------  \n"
        "    conv  2360.000          a.py(1): f  \n"
        "                            c.py(3): h  \n"
        "                                        \n"
        "     add     5.120          b.py(2): g  \n"
        "                                        \n"
        "       t  --                            \n"
        "                                        \n"
        "--------  --------------  ------------  \n";
    CHECK(written(one) == text);
    CHECK_FALSE(problem_of(one));
}

TEST_CASE("values are printed as PyTorch prints them") {
    for (const std::string_view column : {"Self CPU", "CPU total", "CPU time avg"}) {
        CHECK(printed(column, 0.0) == "0.000us");
        CHECK(printed(column, 0) == "0");
        CHECK(printed(column, 0.071) == "0.071us");
        CHECK(printed(column, 999.999) == "999.999us");
        CHECK(printed(column, 1000.0) == "1.000ms");
        CHECK(printed(column, 13980) == "13.980ms");
        CHECK(printed(column, 999999.0) == "999.999ms");
        CHECK(printed(column, 1000000.0) == "1.000s");
        CHECK(printed(column, 8303000.0) == "8.303s");
        CHECK(printed(column, -688540.0) == "-688540.000us");
        CHECK(printed(column, -0.5) == "-0.500us");
    }
    CHECK(printed("Self CPU %", 0.17) == "0.17%");
    CHECK(printed("Self CPU %", 649.29) == "649.29%");
    CHECK(printed("Self CPU %", -3.2) == "-3.20%");
    CHECK(printed("Self CPU %", 5) == "5.00%");
    CHECK(printed("Self CPU %", 0) == "0");
    CHECK(printed("Self CPU %", 0.0) == "0.00%");
    CHECK(printed("CPU Mem", 0) == "0 B");
    CHECK(printed("CPU Mem", 0.0) == "0 B");
    CHECK(printed("CPU Mem", -0.0) == "-0.0 B");
    CHECK(printed("CPU Mem", -4) == "-4 B");
    CHECK(printed("CPU Mem", 1023) == "1023 B");
    CHECK(printed("CPU Mem", 1024) == "1.00 KB");
    CHECK(printed("CPU Mem", -106352.64) == "-103.86 KB");
    CHECK(printed("CPU Mem", 1048575) == "1048575 B");
    CHECK(printed("CPU Mem", 1048576.0) == "1.00 MB");
    CHECK(printed("CPU Mem", 1073741824) == "1.00 GB");
    CHECK(printed("CPU Mem", 2199023255552) == "2048.00 GB");
    CHECK(printed("Total FLOPs", 2360) == "2360.000");
    CHECK(printed("Total FLOPs", 18135613440.0) == "18135613440.000");
    CHECK(printed("# of Calls", 95) == "95");
    CHECK(printed("# of Calls", (std::numeric_limits<std::int64_t>::min)()) == "-9223372036854775808");
    CHECK(printed("Load", 3) == "3");
    CHECK(printed("Load", 1.0) == "1.0");
    CHECK(printed("Load", 1e-5) == "1e-05");
    for (const std::string_view column : {"Self CPU", "Self CPU %", "CPU Mem", "# of Calls", "Total FLOPs", "Load"}) {
        CHECK(printed(column, nullptr) == "--");
        CHECK(printed(column, std::numeric_limits<double>::quiet_NaN()) == "NaN");
        CHECK(printed(column, number()) == "");
        CHECK(printed(column, number("a sentence")) == "a sentence");
    }
}

TEST_CASE("the values of each unit are written whole, however large") {
    for (const std::string_view column : {"Self CPU", "Self CPU %", "CPU Mem", "# of Calls", "Total FLOPs", "Load"}) {
        for (const double value : {1.7976931348623157e308, -1.7976931348623157e308, 5e-324, 123456789012345.0}) {
            const std::string text = printed(column, value);
            CHECK(text.size() >= 5);
            table::profile one = made({"Name", column}, {cell("x"), cell(value)});
            const std::string out = written(one);
            CHECK(out.find(text + "  \n") != std::string::npos);
        }
    }
}

TEST_CASE("columns without a width get PyTorch's") {
    const auto width_of = [](const table::profile& one, std::size_t n) {
        const std::string out = written(one);
        const auto read = table::read(out, lenient_tables());
        REQUIRE(read->tables.size() == 1);
        return read->tables[0].columns.at(n).width;
    };
    // Names: the longest and 4, at most 55. Characters count, not bytes.
    CHECK(width_of(made({"Name", "Calls"}, {cell("abc"), cell(1), cell("a"), cell(2)}), 0) == 7);
    CHECK(width_of(made({"Name", "Calls"}, {cell("\xC3\xA9\xE9\x9B\xAA"), cell(1)}), 0) == 6);
    CHECK(width_of(made({"Name", "Calls"}, {}), 0) == 4);
    CHECK(width_of(made({"Name", "Calls"}, {cell("abc"), cell(1)}), 1) == 12);
    const std::string long_name(51, 'n');
    CHECK(width_of(made({"Name", "Calls"}, {cell(long_name), cell(1)}), 0) == 55);
    // What is longer is cut.
    for (const std::size_t size : {52U, 55U, 56U, 200U}) {
        const std::string name(size, 'n');
        const table::profile one = made({"Name", "Calls"}, {cell(name), cell(1)});
        CHECK(width_of(one, 0) == 55);
        const std::string wanted = size <= 55 ? name : std::string(52, 'n') + "...";
        CHECK(written(one).find(std::string(55 - wanted.size(), ' ') + wanted + "             1  \n") !=
              std::string::npos);
        CHECK((problem_of(one).kind == error_kind::unwritable) == (size > 55));
    }
    const std::string accents = repeated("\xC3\xA9", 60);
    CHECK(written(made({"Name", "Calls"}, {cell(accents), cell(1)})).find(repeated("\xC3\xA9", 52) + "...  ") !=
          std::string::npos);
    // Shapes: the longest and 4, at most 80.
    CHECK(width_of(made({"Name", "Input Shapes"}, {cell("a"), cell("[[2, 3]]")}), 1) == 12);
    const std::string shapes = "[[" + repeated("12, ", 30) + "1]]";
    const table::profile shaped = made({"Name", "Input Shapes"}, {cell("a"), cell(shapes)});
    CHECK(width_of(shaped, 1) == 80);
    const std::string cut = shapes.substr(0, 80);
    const std::string kept = cut.substr(0, cut.find_last_not_of(' ') + 1);
    CHECK(written(shaped).find("  " + std::string(80 - kept.size(), ' ') + kept + "  \n") != std::string::npos);
    // Source locations: the longest frame and 4, at most 75; a longer one loses its front.
    const std::string_view stack[] = {"the longest frame", "short"};
    table::profile sources = made({"Name", "Source Location"}, {cell("a"), cell("x.py")});
    sources.frames = {test::stack_of(stack)};
    CHECK(width_of(sources, 1) == 21);
    const std::string path = "begin/" + std::string(66, 'p') + "/end.py(1): f";
    const std::string_view long_stack[] = {path};
    sources.frames = {test::stack_of(long_stack)};
    CHECK(width_of(sources, 1) == 75);
    CHECK(written(sources).find("       ..." + path.substr(path.size() - 72) + "  \n") != std::string::npos);
    // Everything else is 12 wide and written whole.
    const table::profile other = made({"Name", "Kind"}, {cell("a"), cell("a text that is longer than its column")});
    CHECK(width_of(other, 1) == 12);
    CHECK(written(other).find("    a  a text that is longer than its column  \n") != std::string::npos);
    // A width that the program sets is kept and cuts no text; below three it is three, as fewer dashes make no rule.
    table::profile own = made({"Name", "Calls"}, {cell(std::string_view(path)), cell(1)});
    own.columns[0].width = 20;
    own.columns[1].width = 1;
    CHECK(width_of(own, 0) == 20);
    CHECK(width_of(own, 1) == 3);
    CHECK(written(own).find("\n" + path + "    1  \n") != std::string::npos);
}

TEST_CASE("cells are aligned left or right as their columns say") {
    table::profile one = made({"Name", "Self CPU"}, {cell("\xC3\xA9"), cell(1.0)});
    one.columns[0].left_aligned = true;
    one.columns[0].width = 6;
    one.columns[1].width = 9;
    CHECK(written(one) ==
          "------  ---------  \n"
          "Name     Self CPU  \n"
          "------  ---------  \n"
          "\xC3\xA9         1.000us  \n"
          "------  ---------  \n");
    CHECK_FALSE(problem_of(one));
}

TEST_CASE("texts of any length are written whole") {
    for (std::size_t size = 1; size <= 700; size += size < 70 ? 1 : 37) {
        CAPTURE(size);
        const std::string text = test::letters(size);
        table::profile one = made({"Name", "Kind"}, {cell(text), cell(text)});
        one.columns[0].width = 30;
        one.columns[1].width = 300;
        one.totals = {{"Self CPU time total", cell(text)}};
        const auto padded = [&](std::size_t width) { return std::string(size < width ? width - size : 0, ' ') + text; };
        const std::string out = written(one);
        CHECK(out.find("\n" + padded(30) + "  " + padded(300) + "  \n") != std::string::npos);
        CHECK(out.find("total: " + text + "\n") == out.size() - size - 8);
    }
}

TEST_CASE("numbers are written the same under any locale") {
    const test::comma_locale comma;
    const table::profile one =
        made({"Name", "Self CPU", "CPU Mem", "Load"}, {cell("x"), cell(1235000.0), cell(1048576), cell(1234.5)});
    CHECK(written(one).find("        1.235s       1.00 MB        1234.5  \n") != std::string::npos);
    CHECK_FALSE(problem_of(one));
}

TEST_CASE("a header with an empty name is written if every other name reads back into its own column") {
    std::size_t good = 0;
    std::size_t bad = 0;
    for (unsigned empty = 1; empty != 15; ++empty) {
        for (std::uint32_t widths = 0; widths != 256; ++widths) {
            table::profile one = made({"Name", "Self CPU time total", "Node ID", "# of Calls"},
                                      {cell("x"), cell(1.5), cell(2), cell(1)});
            for (std::size_t n = 0; n != 4; ++n) {
                if ((empty >> n & 1) == 0) continue;
                one.columns[n] = table::column("");
                one.cells[n] = cell();
            }
            std::uint32_t rest = widths;
            for (table::column& c : one.columns) {
                c.width = 3 + 12 * (rest % 4);
                rest /= 4;
            }
            if (one.cells[0].text().empty()) one.cells[0] = cell("x");
            CAPTURE(written(one));
            std::string text;
            if (write(text, one)) {
                ++bad;
                CHECK(text.empty());
                continue;
            }
            ++good;
            const auto back = table::read(text);
            REQUIRE(back);
            for (std::size_t n = 0; n != 4; ++n) CHECK(back->tables[0].columns[n].name == one.columns[n].name);
            CHECK(written(back->tables[0]) == text);
        }
    }
    // A lone name that has a blank would be read as several whose blanks were collapsed.
    CHECK(good == 2048);
    CHECK(bad == 1536);
}

TEST_CASE("a table that would not read back as it is gets reported") {
    const auto told = [](const table::profile& bad, std::string_view field) {
        const wlfmt::problem e = problem_of(bad);
        CHECK(e.kind == error_kind::unwritable);
        CHECK(e.field == field);
        table::document doc;
        doc.tables = {made({"Name", "Calls"}, {cell("x"), cell(1)}), bad};
        CHECK(problem_of(doc).field == field);
    };
    const table::profile good =
        made({"Name", "Self CPU", "Calls"}, {cell("x"), cell(1.5), cell(1), cell("y"), cell(2.5), cell(2)});
    CHECK_FALSE(problem_of(good));
    table::profile bad;

    // Names are an open set: a time, a name twice, and what other names begin or end with.
    for (const std::string_view name : {"90s", "1.500ms", "Name", "Sel", "me"}) {
        CAPTURE(name);
        CHECK_FALSE(problem_of(made({"Name", name}, {cell("x"), cell("y")})));
    }
    CHECK_FALSE(problem_of(made({"ame", "Self CPU", "# of Calls"}, {cell("x"), cell(1.5), cell(2)})));
    // Columns: none, one, too many, cells that make no whole rows, names that are no names.
    told(table::profile(), "columns");
    told(made({"Name"}, {cell("x")}), "columns");
    told(made(std::vector<std::string_view>(table::max_columns + 1, "Name"), {}), "columns");
    bad = good;
    bad.cells.pop_back();
    told(bad, "columns");
    for (const std::string_view name : {"Self  CPU", "Self\nCPU", " Self", "Self ", "Self\r"}) {
        CAPTURE(name);
        bad = good;
        bad.columns[1].name = name;
        CHECK(problem_of(bad).kind == error_kind::unwritable);
    }
    bad = good;
    bad.columns[1].name = "Kind";
    told(bad, "Kind");  // the unit of another name
    bad = good;
    bad.columns[1].width = 2;
    told(bad, "Self CPU");
    bad = good;
    bad.columns[1].width = 8;
    bad.columns[1].left_aligned = true;
    told(bad, "Self CPU");  // a label that fills its column has no side
    bad.columns[1].left_aligned = false;
    CHECK_FALSE(problem_of(bad));

    // Cells: two blanks, other blanks, line ends, a value that the column does not hold.
    for (const std::string_view text : {"a  b", "a\tb", "a\nb", " a", "a ", "a\r\nb", "a\xC2\xA0 b"}) {
        CAPTURE(text);
        bad = good;
        *bad.edit_cell_at(1, 0) = cell(text);
        CHECK(problem_of(bad).kind == error_kind::unwritable);
    }
    for (const std::string_view text : {"1.5", "soon", "1.5%"}) {
        bad = good;
        *bad.edit_cell_at(0, 1) = cell(text);
        told(bad, "Self CPU");
        *bad.edit_cell_at(0, 1) = cell(number(text));
        told(bad, "Self CPU");
    }
    bad = good;
    *bad.edit_cell_at(1, 2) = cell(1.5);
    told(bad, "Calls");
    bad = good;
    *bad.edit_cell_at(1, 2) = cell("many");
    told(bad, "Calls");
    bad = good;
    *bad.edit_cell_at(0, 1) = cell(std::numeric_limits<double>::infinity());
    told(bad, "Self CPU");

    // Rows: without any text, and frames without a row.
    bad = good;
    *bad.edit_cell_at(1, 0) = *bad.edit_cell_at(1, 1) = *bad.edit_cell_at(1, 2) = cell();
    told(bad, "rows");
    const std::string_view stack[] = {"b.py(2): g"};
    bad = made({"Name", "Source Location"}, {cell("x"), cell("a.py(1): f")});
    bad.frames = {frame_list(), test::stack_of(stack)};
    told(bad, "rows");
    bad = good;
    *bad.edit_cell_at(1, 0) = cell("---  ---");
    told(bad, "Name");
    for (const std::string_view frame : {"a  b", "", " b.py(2)", "a\nb", "a\tb"}) {
        CAPTURE(frame);
        const std::string_view frames[] = {frame};
        bad = made({"Name", "Source Location"}, {cell("x"), cell("a.py(1): f")});
        bad.frames = {test::stack_of(frames)};
        told(bad, "Source Location");
    }
    bad = good;
    bad.frames = {test::stack_of(stack)};
    told(bad, "Source Location");  // no such column

    // Titles and totals.
    for (const std::string_view title : {"", " by time", "by\ntime", "===", "---  ---"}) {
        CAPTURE(title);
        bad = good;
        bad.titles = {title};
        told(bad, "titles");
    }
    bad = good;
    bad.titles = {"a", "b", "c"};
    told(bad, "titles");
    for (const std::string_view name : {"", "Self CPU", "Self CPU time", "a b time total", "Self CPU time total:"}) {
        CAPTURE(name);
        bad = good;
        bad.totals = {{name, cell(1.5)}};
        told(bad, "totals");
    }
    for (const cell& value : {cell("soon"), cell(), cell("1.5us (warm)"), cell("1.5"), cell("1%")}) {
        bad = good;
        bad.totals = {{"Self CPU time total", value}};
        told(bad, "totals");
    }
    bad = good;
    bad.totals = {{"CPU time total", cell(1.5)}, {"CPU time total", cell(2.5)}};
    told(bad, "totals");
    const std::string_view devices[] = {"A time total", "B time total", "C time total", "D time total", "E time total",
                                        "F time total", "G time total", "H time total", "I time total"};
    bad = good;
    for (const std::string_view name : devices) bad.totals.push_back({name, cell(1.5)});
    told(bad, "totals");
    bad.totals.pop_back();
    CHECK_FALSE(problem_of(bad));
}

TEST_CASE("a value that PyTorch's form would round is written with all of its digits, and reads back as it is") {
    CHECK(printed("Self CPU", 1234.5678) == "1234.5678us");
    CHECK(printed("Self CPU", -1234.5678) == "-1234.5678us");
    CHECK(printed("Self CPU", 999.9996) == "999.9996us");
    CHECK(printed("Self CPU", 1.0 / 3) == "0.3333333333333333us");
    CHECK(printed("Self CPU", 1e-5) == "0.00001us");
    CHECK(printed("Self CPU", 1234567) == "1234567us");
    CHECK(printed("Self CPU", 1234000) == "1.234s");
    CHECK(printed("Self CPU %", 99.175) == "99.175%");
    CHECK(printed("CPU Mem", 1537) == "1537 B");
    CHECK(printed("CPU Mem", 1537.0) == "1537.0 B");
    CHECK(printed("CPU Mem", 0.5) == "0.5 B");
    CHECK(printed("Total FLOPs", 0.0625) == "0.0625");
    // Beside PyTorch's own, in the widths of a table that was read and in those of a new one.
    const double values[] = {1234.5678, 1.0 / 3, 1.5, 12345678.9, 1e-7, 7e12 / 9, -0.1, 1e300, 9999999.0, 9.9999995};
    for (const std::uint32_t width : {0U, 12U, 20U}) {
        for (const double value : values) {
            CAPTURE(value);
            table::profile one = made({"Name", "Self CPU", "Self CPU %", "CPU Mem", "Total FLOPs"},
                                      {cell("x"), cell(value), cell(2.5), cell(value), cell(value), cell("y"),
                                       cell(1.5), cell(value), cell(2048.0), cell(0.25)});
            for (table::column& c : one.columns) c.width = width;
            std::string text;
            const wlfmt::problem e = table::write(text, one);
            CHECK(e.kind == problem_of(one).kind);
            if (e) {
                CHECK(width == 12);
                continue;
            }
            const auto read = table::read(text);
            REQUIRE(read);
            for (std::size_t row = 0; row != 2; ++row)
                for (std::size_t n = 1; n != 5; ++n)
                    CHECK(read->tables[0].cell_at(row, n).value_or(-1.0) == one.cell_at(row, n).value_or(-2.0));
        }
    }
    // What no form of the column holds is refused.
    for (const cell& c : {cell(5e-324), cell(std::int64_t{9007199254740993})}) {
        const table::profile one = made({"Name", "Self CPU"}, {cell("x"), c});
        CHECK(problem_of(one).field == "Self CPU");
    }
    table::profile one = made({"Name", "Self CPU"}, {cell("x"), cell(1.5)});
    one.totals = {{"Self CPU time total", cell(1234.5678)}};
    CHECK(written(one).find("Self CPU time total: 1234.5678us\n") != std::string::npos);
    CHECK_FALSE(problem_of(one));
}

TEST_CASE("what problem_of accepts reads back equal") {
    const std::string_view texts[] = {"",    "x",   "a b", "a  b", "--",     "0",     "1.5us",    "---",  "=== ===",
                                      "NaN", "a\t", " ",   ":",    "1.5 Kb", "12.5%", "\xC3\xA9", "\xFF", "\xC2\xA0"};
    std::size_t passed = 0;
    for (const std::string_view first : texts) {
        for (const std::string_view second : texts) {
            for (const std::string_view third : texts) {
                table::profile one = made({"Name", "Kind", "Input Shapes"}, {cell(first), cell(second), cell(third)});
                one.columns[0].width = 6;
                one.columns[1].width = one.columns[2].width = 14;
                if (problem_of(one)) continue;
                ++passed;
                const std::string out = written(one);
                const auto again = table::read(out);
                REQUIRE_MESSAGE(again.ok(), wlfmt::explain(again.error(), out, wlfmt::in_file("written")));
                REQUIRE(again->tables.size() == 1);
                REQUIRE(again->tables[0].size() == 1);
                for (std::size_t n = 0; n != 3; ++n)
                    REQUIRE(again->tables[0].cell_at(0, n).text() == one.cell_at(0, n).text());
                REQUIRE(written(*again) == out);
            }
        }
    }
    CHECK(passed > 2000);
}

TEST_CASE("a value that is assigned is what is written") {
    const std::string text = file("small");
    table::document doc = *table::read(text);
    table::profile& one = doc.tables[0];
    cell* c = one.edit_cell(0, "Self CPU");
    REQUIRE(c != nullptr);
    CHECK(c->text() == "13.980ms");
    *c = 99.0;
    CHECK(wlfmt::is_missing(c->text()));
    CHECK(c->value() == 99.0);
    *one.edit_cell(0, "# of Calls") = 5;
    *one.edit_cell(1, "Self CPU") = nullptr;
    *one.edit_cell(1, "# of Calls") = one.edit_cell(0, "# of Calls")->value();
    const std::string out = written(doc);
    CHECK(out.find("       aten::mm      99.000us             5  \n") != std::string::npos);
    CHECK(out.find("    aten::relu_            --             5  \n") != std::string::npos);
    CHECK_FALSE(problem_of(doc));
    constexpr cell built(2.5);
    static_assert(built.value() == 2.5 && built.text().empty());

    // A text that was assigned and would come back as a number; a cell made from a text is what its text says.
    for (const std::string_view printed : {"8.3", "8", "1.500ms", "8.3%", "--", "NaN"}) {
        table::profile other = made({"Name", "Kind"}, {cell("x"), cell(printed)});
        CHECK_FALSE(problem_of(other));
        *other.edit_cell(0, "Kind") = wlfmt::number(printed);
        CHECK(problem_of(other).kind == error_kind::unwritable);
        CHECK(problem_of(other).field == "Kind");
    }
    table::profile other = made({"Name", "Kind"}, {cell("x"), cell(1)});
    *other.edit_cell(0, "Kind") = wlfmt::number("8.3.1");
    CHECK_FALSE(problem_of(other));
}

TEST_CASE("what would not read back is not written, and nothing is appended") {
    table::document doc;
    doc.tables = {made({"Name", "Calls"}, {cell("x"), cell(1)}), made({"Name", "Calls"}, {cell("a\nb"), cell(1)})};
    std::string out = "before";
    const wlfmt::problem e = table::write(out, doc);
    CHECK(e.kind == error_kind::unwritable);
    CHECK(e.field == "Name");
    CHECK(e.found == 1);
    CHECK(e.expected == 1);
    CHECK(out == "before");
    CHECK(table::write(out, doc.tables[1]).kind == error_kind::unwritable);
    CHECK(out == "before");
    CHECK_FALSE(table::write(out, doc.tables[0]));
    CHECK(out.size() > 6);
    std::string unchecked;
    table::write_unchecked(unchecked, doc);
    CHECK(unchecked.find("a\nb") != std::string::npos);
}

TEST_CASE("what was written before the part that would not read back is taken back") {
    // A table of many rows reaches the sink in several pieces.
    std::vector<cell> cells;
    for (int n = 0; n != 400; ++n)
        for (const cell& c : {cell("aten::add"), cell(1.5 + n), cell(2.25), cell(n)}) cells.push_back(c);
    const table::profile good = made({"Name", "Self CPU", "CPU total %", "# of Calls"}, cells);
    REQUIRE_FALSE(problem_of(good));
    REQUIRE(written(good).size() > 4 * 4096);
    const auto refused = [&](auto change, std::string_view field, std::int64_t found) {
        CAPTURE(field);
        table::profile bad = good;
        change(bad);
        const wlfmt::problem e = problem_of(bad);
        CHECK(e.field == field);
        CHECK(e.found == found);
        table::document doc;
        doc.tables = {good, bad, good};
        CHECK(problem_of(doc).field == field);
        CHECK(problem_of(doc).found == 1);
    };
    // Cells that the writer checks on its fast path, and others, at every position.
    refused([](table::profile& t) { t.cells[4 * 399] = cell("two  phrases"); }, "Name", 399);
    refused(
        [](table::profile& t) {
            t.cells[4 * 398] = cell("---");
            t.cells[4 * 398 + 1] = t.cells[4 * 398 + 2] = cell();
            t.cells[4 * 398 + 3] = cell("---");
        },
        "# of Calls", 398);
    refused([](table::profile& t) { t.cells[4 * 397 + 1] = cell("12.5"); }, "Self CPU", 397);
    refused([](table::profile& t) { t.cells[4 * 396 + 2] = cell("1.000us"); }, "CPU total %", 396);
    refused([](table::profile& t) { t.cells[4 * 395 + 3] = cell(1.5); }, "# of Calls", 395);
    refused([](table::profile& t) { t.cells[4 * 394 + 3] = cell("7 "); }, "# of Calls", 394);
    refused([](table::profile& t) { t.cells[4 * 393 + 1] = cell((std::numeric_limits<double>::infinity)()); },
            "Self CPU", 393);
    refused(
        [](table::profile& t) {
            for (std::size_t n = 1; n != 4; ++n) t.cells[4 * 392 + n] = cell();
        },
        "rows", 392);
    // What comes after the rows.
    refused(
        [](table::profile& t) {
            t.frames.resize(300);
            t.frames[299] = frame_list{"a.py(1): f"};
        },
        "Source Location", 299);
    refused([](table::profile& t) { t.frames.resize(401); }, "rows", 0);
    refused([](table::profile& t) { t.totals = {{"Self CPU time total", cell("1.0  ms")}}; }, "totals", 0);
}

TEST_CASE("a name that is a number, too, is refused where writing would cut it") {
    const std::string name = "1." + repeated("0", 54);
    table::profile one = made({"Name", "Calls"}, {cell(std::string_view(name)), cell(1)});
    REQUIRE(one.cells[0].value() == 1);
    CHECK(problem_of(one).field == "Name");
    one.cells[0] = cell(std::string_view(name).substr(0, 55));
    CHECK_FALSE(problem_of(one));
}

TEST_CASE("the row that cannot be written is reported") {
    table::profile one = made({"Name", "Calls"}, {cell("x"), cell(1), cell("y"), cell(2), cell("z"), cell("many")});
    const wlfmt::problem e = problem_of(one);
    CHECK(e.field == "Calls");
    CHECK(e.found == 2);
}

TEST_CASE("a failing sink is reported") {
    struct failing {
        void write(const char*, std::ptrdiff_t) {}
        bool fail() const { return true; }
    };
    failing sink;
    CHECK(table::write(sink, made({"Name", "Calls"}, {cell("x"), cell(1)})).kind == error_kind::cannot_write);
    table::document doc;
    doc.tables = {made({"Name", "Calls"}, {cell("x"), cell(1)})};
    CHECK(table::write(sink, doc).kind == error_kind::cannot_write);
    std::FILE* const missing = nullptr;
    CHECK(table::write(missing, doc).kind == error_kind::cannot_write);
    test::refusing_sink refusing;
    CHECK(table::write(refusing, doc).kind == error_kind::cannot_write);
}

TEST_CASE("one wide rule and many short rows are not padded to a text that is thousands of times as long") {
    const std::string rule = std::string(48 * 1024, '-') + "  ------------\n";
    std::string text = rule + "  Name  Calls\n" + rule;
    for (int n = 0; n != 6000; ++n) text += "  x  1\n";
    const auto read = table::read(text);
    REQUIRE(read.ok());
    REQUIRE(read->tables.at(0).size() == 6000);
    CHECK(problem_of(*read).kind == error_kind::too_wide);
    std::string out;
    CHECK(table::write(out, *read).kind == error_kind::too_wide);
    CHECK(out.empty());
    // The bound: so many bytes of padding for each byte of the texts and the rule, and some more.
    table::profile one = made({"Name", "Calls"}, {});
    one.columns[0].width = 100000;
    const auto rows_of = [&](std::uint64_t lines) {
        one.cells.clear();
        for (std::uint64_t n = 0; n != lines; ++n) one.cells.insert(one.cells.end(), {cell("x"), cell(1)});
        return problem_of(one).kind;
    };
    CHECK(rows_of(74) == error_kind::none);
    CHECK(rows_of(75) == error_kind::too_wide);
}

TEST_CASE("widths of 32 bits are too wide, and room for them is not computed in 32") {
    table::profile one = made({"Name", "Calls", "Self CPU"}, {cell("x"), cell(1), cell(2.5)});
    for (table::column& c : one.columns) c.width = (std::numeric_limits<std::uint32_t>::max)();
    const auto kind = problem_of(one).kind;
    CHECK((kind == error_kind::too_wide) == (sizeof(std::size_t) == 4));
    // Padding that is longer than a piece of the buffer is written in several pieces.
    one.columns[0].width = 5000;
    one.columns[1].width = one.columns[2].width = 12;
    CHECK(written(one).find("\n" + std::string(4999, ' ') + "x  ") != std::string::npos);
}

TEST_CASE("a last name that is the beginning of another one reads back") {
    const std::vector<std::string_view> heads[] = {
        {"Name"},
        {"Name", "Kind"},
        {"Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total"},
        {"Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "Self CUDA", "Self CUDA %"}};
    const std::string_view names[] = {"Self CPU %",      "CPU time avg", "Self CUDA",       "CUDA total",
                                      "CUDA time avg",   "Self CPU Mem", "CUDA Mem",        "# of Calls",
                                      "Node ID",         "Input Shapes", "Source Location", "Total KFLOPs",
                                      "Number of Calls", "Overload Name"};
    for (const std::vector<std::string_view>& head : heads)
        for (const std::string_view name : names)
            for (std::size_t size = 1; size <= name.size(); ++size) {
                if (name[size - 1] == ' ') continue;
                std::vector<std::string_view> columns = head;
                columns.push_back(name.substr(0, size));
                std::vector<cell> cells(columns.size());
                cells[0] = cell("x");
                const table::unit unit = table::unit_of(columns.back());
                const bool texts =
                    unit == table::unit::text || unit == table::unit::source || unit == table::unit::other;
                cells.back() = texts ? cell("v") : unit == table::unit::count ? cell(1) : cell(2.0);
                const table::profile one = made(columns, cells);
                CHECK_FALSE(problem_of(one));
                const std::string text = written(one);
                CAPTURE(text);
                const auto again = table::read(text);
                REQUIRE(again.ok());
                REQUIRE(again->tables.size() == 1);
                CHECK(again->tables[0].columns.back().name == columns.back());
                CHECK(again->tables[0].columns.back().unit == unit);
            }
    CHECK_FALSE(problem_of(made({"Name", "Self CPU"}, {cell("x"), cell(2.0)})));
    CHECK_FALSE(problem_of(made({"Name", "Kind", "Calls"}, {cell("x"), cell("v"), cell(1)})));
}

TEST_CASE("a row that would be taken for a stack frame, a rule or another row is refused") {
    const auto kind_of = [](const table::profile& one) { return problem_of(one).kind; };
    // After the first row of a table with stacks, one that holds a single text in another column than the first.
    table::profile one =
        made({"Name", "Calls", "Source Location"}, {cell(), cell(1), cell(), cell("x"), cell(2), cell()});
    CHECK(kind_of(one) == error_kind::none);
    one.cells[3] = cell();
    CHECK(kind_of(one) == error_kind::unwritable);
    one.cells[3] = cell("y");
    CHECK(kind_of(one) == error_kind::none);
    one.cells[4] = cell();
    CHECK(kind_of(one) == error_kind::unwritable);
    CHECK(kind_of(made({"Name", "Kind"}, {cell("---"), cell("===")})) == error_kind::unwritable);
    CHECK(kind_of(made({"Name", "Kind"}, {cell("---"), cell("==")})) == error_kind::none);
    // A text over its column's end and an empty cell: read as it is where all else is where padding puts it.
    table::profile wide = made({"Overload Name", "Kind", "Calls"}, {cell("a text over its column"), cell(), cell(1)});
    wide.columns[0].width = 6;
    CHECK(kind_of(wide) == error_kind::none);
    wide.columns[0].left_aligned = true;
    CHECK(kind_of(wide) == error_kind::unwritable);
}

TEST_CASE("a row is refused whose only text ends a table where it is read") {
    const auto problem = [](cell first, cell second) {
        return problem_of(made({"im", "other"}, {cell("a"), cell("b"), first, second}));
    };
    for (const std::string_view text : {"Self CPU time total: 1.000s", "```", "~~~ text"}) {
        CAPTURE(text);
        for (const auto& e : {problem(cell(text), cell()), problem(cell(), cell(text))}) {
            CHECK(e.kind == error_kind::unwritable);
            CHECK(e.field == "rows");
            CHECK(e.found == 1);
        }
        CHECK(problem(cell(text), cell("b")).kind == error_kind::none);
    }
    for (const std::string_view text : {"CPU time total", "``", "# a comment", "## a heading"})
        CHECK(problem(cell(text), cell()).kind == error_kind::none);
    // The first row of a table with stacks may have a frame alone.
    const auto stacks = made({"Name", "Source Location"}, {cell(), cell("## a frame"), cell("x"), cell("y")});
    const std::string text = written(stacks);
    const auto back = table::read(text);
    CHECK(back->tables.at(0).size() == 2);
}

TEST_CASE("rows of one text each are rows where sources may be, too") {
    const auto rows = made({"# of Calls", "Source Location"}, {cell(number(25757)), cell(), cell(number(5)), cell()});
    CHECK(problem_of(rows).kind == error_kind::none);
    const std::string text = written(rows);
    const auto back = table::read(text);
    CHECK(back->tables.at(0).size() == 2);
    CHECK(written(back->tables[0]) == text);
}

TEST_CASE("rows and columns are inserted and removed, with their cells, frames and sources") {
    const std::string text = file("stack");
    table::document doc = *table::read(text);
    table::profile& one = doc.tables[0];
    const table::profile before = one;
    REQUIRE(one.size() >= 2);
    const table::row first = one.row(0);
    CHECK(one.insert_row(1, first));
    CHECK(one.size() == before.size() + 1);
    CHECK(one.row(1)[0].text() == first[0].text());
    CHECK(test::frames_of(one.row(1).frames) == test::frames_of(first.frames));
    CHECK(one.row(1).source == first.source);
    CHECK(test::frames_of(one.row(2).frames) == test::frames_of(before.row(1).frames));
    CHECK(one.row(2).source == before.row(1).source);
    CHECK(one.remove_row(1));
    CHECK(difference(one, before) == "");
    CHECK_FALSE(one.remove_row(one.size()));
    CHECK_FALSE(one.insert_row(one.size() + 1, first));
    // Lists of frames and sources may end before the rows do.
    table::profile shorter = before;
    shorter.frames.resize(1);
    shorter.sources.resize(1);
    CHECK(shorter.remove_row(1));
    CHECK(shorter.size() == before.size() - 1);
    CHECK(shorter.frames.size() == 1);
    CHECK(shorter.sources.size() == 1);
    CHECK(test::frames_of(shorter.row(0).frames) == test::frames_of(first.frames));
    CHECK(shorter.row(0).source == first.source);
    const std::size_t columns = one.columns.size();
    CHECK(one.insert_column(1, table::column("CPU Mem"), cell(8)));
    CHECK(one.columns.size() == columns + 1);
    CHECK(one.find_cell(1, "CPU Mem").value() == 8);
    CHECK(one.cell_at(1, 2).text() == before.cell_at(1, 1).text());
    CHECK(one.cell_at(1, 0).text() == before.cell_at(1, 0).text());
    CHECK(one.remove_column(1));
    CHECK(difference(one, before) == "");
    CHECK_FALSE(one.remove_column(columns));
    CHECK_FALSE(one.insert_column(columns + 1, table::column("x")));
    // Cells that a row lacks are empty; too many are refused.
    CHECK(one.add_row({cell("short")}));
    CHECK(one.cell_at(one.size() - 1, 0).text() == "short");
    CHECK(one.cell_at(one.size() - 1, columns - 1).is_missing());
    table::row longer;
    longer.cells = wlfmt::item_list<cell>(std::vector<cell>(columns + 1, cell(1)));
    CHECK_FALSE(one.add_row(longer));
    CHECK(one.size() == before.size() + 1);
}

TEST_CASE("a row's cells go to the columns of the names that it carries") {
    const std::string text = test::data("table/small.txt");
    auto doc = table::read(text);
    table::profile& one = doc->tables.at(0);
    table::row swapped = one.row(1);
    swapped.columns =
        wlfmt::item_list<table::column>(std::vector<table::column>{one.columns[2], one.columns[0], one.columns[1]});
    swapped.cells = wlfmt::item_list<cell>(std::vector<cell>{cell(41), cell("added"), cell(2.5)});
    REQUIRE(one.add_row(swapped));
    CHECK(one.find_cell(2, "Name").text() == "added");
    CHECK(one.find_cell(2, "Self CPU").value() == 2.5);
    CHECK(one.find_cell(2, "# of Calls").value() == 41);
    swapped.columns = wlfmt::item_list<table::column>(
        std::vector<table::column>{table::column("Node ID"), one.columns[0], one.columns[1]});
    CHECK_FALSE(one.add_row(swapped));
    CHECK(one.size() == 3);
}

TEST_CASE("a row with a name and nothing else does not read back and is not written") {
    const std::string text = test::data("table/small.txt");
    auto doc = table::read(text);
    table::profile& one = doc->tables.at(0);
    REQUIRE(one.add_row({cell("aten::alone")}));
    std::string out;
    const wlfmt::problem e = table::write(out, one);
    CHECK(e.kind == wlfmt::error_kind::unwritable);
    CHECK(e.field == "rows");
    CHECK(e.found == 2);
    CHECK(out.empty());
}

TEST_CASE("a numeric cell with a blank before its text does not read back and is not written") {
    const std::string text = test::data("table/small.txt");
    for (const std::string_view printed : {" 1.000us", "  5us", " 0", " --"}) {
        auto doc = table::read(text);
        table::profile& one = doc->tables.at(0);
        *one.edit_cell(1, "Self CPU") = cell(printed);
        std::string out;
        const wlfmt::problem e = table::write(out, one);
        CHECK_MESSAGE(e.kind == wlfmt::error_kind::unwritable, printed);
        CHECK(e.field == "Self CPU");
        CHECK(out.empty());
    }
}

TEST_CASE("rows, tables and documents are equal if their values are") {
    const table::profile one = made({"Name", "Self CPU", "CPU Mem", "Total FLOPs", "Kind"},
                                    {cell("a"), cell("1.000ms"), cell("1.50 KB"), cell("--"), cell("x"), cell("b"),
                                     cell(), cell(2), cell(0.5), cell(3)});
    table::profile same = one;
    same.titles = {"by time"};
    same.columns[1].width = 30;
    same.cells[1] = cell(1000);
    same.cells[2] = cell("1536 B");
    same.cells[3] = cell(std::numeric_limits<double>::quiet_NaN());
    same.cells[6] = cell(nullptr);
    same.cells[9] = cell("3.0");
    CHECK(same == one);
    CHECK(table::document{{one, same}} == table::document{{same, one}});
    CHECK(table::document{{one}} != table::document{{same, one}});
    CHECK(one.row(0) == same.row(0));
    CHECK(one.row(0) != one.row(1));
    const auto differs = [&](auto change) {
        table::profile other = one;
        change(other);
        CHECK(other != one);
        CHECK(one != other);
    };
    differs([](table::profile& t) { t.cells[0] = cell("c"); });
    differs([](table::profile& t) { t.cells[1] = cell(1001.0); });
    differs([](table::profile& t) { t.cells[1] = cell(); });
    differs([](table::profile& t) { t.cells[3] = cell(0); });
    differs([](table::profile& t) { t.cells[4] = cell("y"); });
    differs([](table::profile& t) { t.columns[1] = table::column("CPU total"); });
    differs([](table::profile& t) { t.totals = {{"CPU time total", cell(1.5)}}; });
    differs([](table::profile& t) { t.remove_row(1); });
    differs([](table::profile& t) { t.frames = {frame_list{"a.py(1): f"}}; });
    table::profile total = one;
    total.totals = {{"CPU time total", cell("1.500ms")}};
    same.totals = {{"CPU time total", cell(1500.0)}};
    CHECK(total == same);
    same.totals[0].value = cell(1501.0);
    CHECK(total != same);
    same.frames = {frame_list()};
    total.totals = same.totals;
    CHECK(total == same);
}

TEST_CASE("a column whose unit is no enumerator is refused by writers, and read as one of any form") {
    for (int unit = 9; unit <= 255; unit += 41) {
        table::profile p;
        for (const char* const name : {"Name", "Self CPU", "x"}) p.columns.emplace_back(name);
        p.columns[2].unit = static_cast<table::unit>(unit);
        REQUIRE(p.add_row({cell("a"), cell(1.5), cell(2.5)}));
        std::string out;
        const wlfmt::problem e = table::write(out, p);
        CHECK((e.kind == error_kind::unwritable && e.field == "x" && out.empty()));
        CHECK(name_of(p.columns[2].unit) == "unknown");
        CHECK(p.row(0).find("x").value() == 2.5);
        CHECK(p == p);
        p.columns[0].unit = static_cast<table::unit>(unit);
        CHECK(table::write(out, p).field == "Name");
    }
}
