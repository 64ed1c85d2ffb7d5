// Tables as PyTorch prints them, with their lines cut at every width: what differs from the whole table is reported.
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/table.hpp>
#include <wlfmt/table/mend.hpp>

#include "support.hpp"
#include "table_support.hpp"

namespace {

namespace table = wlfmt::table;
using wlfmt::error_kind;

// The width at which lines of a text were wrapped; 0 if none were.
std::size_t width_of(const table::mended& mended) {
    const bool any = !mended.done.empty() && mended.done[0].step == table::mend_step::wrapped;
    return any ? static_cast<std::size_t>(mended.done[0].count) : 0;
}

// Prints a table in PyTorch's layout: cells of several lengths for each column, by its name.
class printer {
public:
    explicit printer(std::initializer_list<std::string_view> columns, bool left_aligned = false)
        : columns_(columns), left_aligned_(left_aligned) {}

    std::vector<std::string> lines() const {
        std::string rule;
        for (const std::string_view column : columns_) rule.append(width(column), '-').append("  ");
        std::vector<std::string> all = {rule, {}, rule};
        for (const std::string_view column : columns_) put(all[1], column, column);
        for (std::size_t row = 0; row != 4; ++row) {
            all.emplace_back();
            for (const std::string_view column : columns_) put(all.back(), column, cell(column, row));
        }
        all.push_back(rule);
        all.emplace_back("Self CPU time total: 4.150s");
        return all;
    }

private:
    std::size_t width(std::string_view column) const {
        if (column == "Name") return 30;
        if (column == "Input Shapes") return 28;
        return left_aligned_ ? 15 : 12;
    }
    static std::string_view cell(std::string_view column, std::size_t row) {
        static constexpr std::string_view names[] = {"aten::conv2d", "cudaLaunchKernel", "ampere_sgemm_128x32_tn",
                                                     "void at::native::vectori..."};
        static constexpr std::string_view calls[] = {"10", "10000", "580", "3"};
        static constexpr std::string_view shapes[] = {"[[1, 3, 224, 224], []]", "[]", "[]", "[[10], [20, 30]]"};
        static constexpr std::string_view percents[] = {"0.34%", "100.00%", "0.00%", "12.93%"};
        static constexpr std::string_view sizes[] = {"3.81 Kb", "-4 b", "0 b", "-1.12 Gb"};
        static constexpr std::string_view times[] = {"13.980ms", "3.916s", "0.000us", "219.449us"};
        if (column == "Name") return names[row];
        if (column == "Input Shapes") return shapes[row];
        if (column.find("Calls") != std::string_view::npos || column == "Node ID") return calls[row];
        if (column.find('%') != std::string_view::npos) return percents[row];
        return column.find("Mem") != std::string_view::npos ? sizes[row] : times[row];
    }
    void put(std::string& line, std::string_view column, std::string_view text) const {
        const std::string blanks(text.size() < width(column) ? width(column) - text.size() : 0, ' ');
        if (left_aligned_) line.append(text).append(blanks).append("  ");
        else line.append(blanks).append(text).append("  ");
    }

    std::vector<std::string_view> columns_;
    bool left_aligned_;
};

std::string joined(const std::vector<std::string>& lines, std::size_t width, bool stripped,
                   const std::string& prefix = {}) {
    std::string text;
    for (std::string line : lines) {
        line.resize(line.size() < width ? line.size() : width);
        while (stripped && !line.empty() && line.back() == ' ') line.pop_back();
        text.append(prefix).append(line).push_back('\n');
    }
    return text;
}

wlfmt::options after(const std::string& prefix) {
    wlfmt::options how;
    how.prefix = prefix;
    return how;
}

// Whether every number of the cut table is that of the whole one, in the column of the same place.
bool has_right_numbers(const table::profile& cut, const table::profile& whole) {
    if (cut.size() != whole.size() || cut.columns.size() > whole.columns.size()) return false;
    for (std::size_t r = 0; r != cut.size(); ++r)
        for (std::size_t c = 0; c != cut.columns.size(); ++c)
            if (cut.row(r)[c].value().has_value() && cut.row(r)[c].value() != whole.row(r)[c].value()) return false;
    return true;
}

const std::initializer_list<std::string_view> plain = {"Name",      "Self CPU %",   "Self CPU",  "CPU total %",
                                                       "CPU total", "CPU time avg", "# of Calls"};
const std::initializer_list<std::string_view> cuda = {"Name",       "Self CPU %",    "Self CPU",  "CPU total %",
                                                      "CPU total",  "CPU time avg",  "Self CUDA", "Self CUDA %",
                                                      "CUDA total", "CUDA time avg", "# of Calls"};
const std::initializer_list<std::string_view> memory = {
    "Name",      "Self CPU %",   "Self CPU", "CPU total %",  "CPU total", "CPU time avg", "Self XPU",   "Self XPU %",
    "XPU total", "XPU time avg", "CPU Mem",  "Self CPU Mem", "XPU Mem",   "Self XPU Mem", "# of Calls", "Node ID"};
const std::initializer_list<std::string_view> shapes = {"Name",       "Self CPU %",    "Self CPU",   "CPU total %",
                                                        "CPU total",  "CPU time avg",  "Self CUDA",  "Self CUDA %",
                                                        "CUDA total", "CUDA time avg", "# of Calls", "Input Shapes"};
const std::initializer_list<std::string_view> own_backend = {
    "Name",         "Self CPU %",       "Self CPU",           "CPU total %",       "CPU total",
    "CPU time avg", "Self PRIVATEUSE1", "Self PRIVATEUSE1 %", "PRIVATEUSE1 total", "PRIVATEUSE1 time avg",
    "# of Calls"};
const std::initializer_list<std::string_view> old = {
    "Name",         "Self CPU total %", "Self CPU total", "CPU total %",   "CPU total",
    "CPU time avg", "CUDA total %",     "CUDA total",     "CUDA time avg", "Number of Calls"};

TEST_CASE("what is missing of a table is written, and only that") {
    const std::string rule = "----  --------  ----------\n";
    const std::string names = "Name  Self CPU  # of Calls\n";
    const std::string rows = "  mm   1.000us           2\n add   2.000us           3\n";
    const std::string total = "Self CPU time total: 3.000us\n";
    const std::string whole = rule + names + rule + rows + rule + total;
    CHECK(table::mend(whole).done.empty());
    const auto mended = [](const std::string& text) {
        const table::mended m = table::mend(text);
        // Once is enough.
        CHECK(table::mend(m.text).done.empty());
        return m;
    };
    const table::mended above = mended("text\n" + names + rule + rows + rule + total);
    CHECK(above.text == "text\n" + whole);
    REQUIRE(above.done.size() == 1);
    CHECK(above.done[0].step == table::mend_step::rule_above);
    CHECK(above.done[0].line == 2);
    CHECK(message(above.done[0]) == "the rule below the header is read above it, too");
    CHECK(above.line_of(1) == 1);
    CHECK(above.line_of(2) == 2);  // the rule that was written
    CHECK(above.line_of(3) == 2);
    CHECK(above.line_of(7) == 6);
    CHECK(mended(rule + names + rows + rule + total).text == whole);
    const std::string space = rule.substr(0, rule.size() - 1) + "  \n";
    CHECK(mended(names + rows + total).text == space + names + space + rows + space + total);
    const table::mended blank = mended(rule + names + rule + "  mm   1.000us           2\n\n\n" +
                                       " add   2.000us           3\n" + rule + total);
    CHECK(blank.text == whole);
    CHECK(message(blank.done.at(0)) == "blank lines between its lines are dropped (2 lines)");
    CHECK(blank.line_of(5) == 7);
    // Each table is told of, and those that touch are parted.
    const table::mended two = mended(names + rows + names + rows);
    CHECK(two.text == space + names + space + rows + space + space + names + space + rows + space);
    REQUIRE(two.done.size() == 2);
    CHECK(two.done[0].line == 1);
    CHECK(two.done[1].line == 4);
    CHECK(two.done[1].count == 3);
    CHECK(two.line_of(10) == 5);
    // The rule above has the shorter one of two prefixes.
    CHECK(mended("[0]:----  --------\n[0]: Name  Self CPU\n[0]: a  1.000us\n").text ==
          "[0]:----  --------\n[0]: Name  Self CPU\n[0]:----  --------\n[0]: a  1.000us\n");
    std::string spaced;
    for (const char c : whole) spaced.append(c == '\n' ? 2U : 1U, c);
    CHECK(mended(spaced).text == whole);
    // The prefix of the header is that of what is written, and other tables and lines stay as they are.
    CHECK(mended("[rank0]: " + names + "[rank1]: x\n[rank0]: " + rule + "[rank0]: add   2.000us           3\n").text ==
          "[rank0]: " + rule + "[rank0]: " + names + "[rank1]: x\n[rank0]: " + rule +
              "[rank0]: add   2.000us           3\n");
    for (const std::string text : {"Name", "Name  ", "Name  Self CPU", "Name\nName  Self CPU\n", "\nName  Self CPU\n\n",
                                   "---  ---\nName  Self CPU\n", "Name is  Self CPU\n--- ---\n"})
        CHECK(table::mend(text).done.empty());
}

}  // namespace

TEST_CASE("a table whose lines are cut within a column is told to be cut, and its whole columns are right") {
    for (const bool left_aligned : {false, true}) {
        for (const auto& columns : {plain, cuda, memory, shapes, own_backend, old}) {
            if (left_aligned != (&*columns.begin() == &*old.begin())) continue;
            const std::vector<std::string> lines = printer(columns, left_aligned).lines();
            const std::string text = joined(lines, 1000, false);
            const auto whole = table::read(text);
            REQUIRE(whole.ok());
            REQUIRE(whole->tables.size() == 1);
            REQUIRE(whole->tables[0].columns.size() == columns.size());
            const std::string bare = joined(lines, 1000, true);
            REQUIRE(table::read(bare).ok());
            const std::size_t rule = lines[0].size() - 2;
            // Before the second column there is no table.
            for (std::size_t width = 33; width < rule; ++width) {
                for (const bool stripped : {false, true}) {
                    const std::string piece = joined(lines, width, stripped);
                    const auto cut = test::read_tables(piece, test::lenient_tables());
                    CHECK(cut.doc.tables.size() == 1);
                    if (cut.doc.tables.size() != 1) continue;
                    CHECK_MESSAGE(has_right_numbers(cut.doc.tables[0], whole->tables[0]), width, stripped);
                    if (!cut.errors.empty() && cut.errors.back().kind == error_kind::cut_column) continue;
                    // The last column is whole, and the same text could be a whole table.
                    const bool between = lines[0][width] == ' ' || lines[0][width - 1] == ' ';
                    // Only blanks may have been cut off a column that is left-aligned.
                    const std::size_t last = cut.doc.tables[0].columns.size() - 1;
                    const bool named = cut.doc.tables[0].columns[last].name == whole->tables[0].columns[last].name;
                    CHECK_MESSAGE((between || (left_aligned && named)), width, stripped);
                }
            }
        }
    }
}

TEST_CASE("the columns before the one at which a table was cut are read, and that one has texts") {
    const std::string text = joined(printer(cuda).lines(), 111, false);
    const auto cut = test::read_tables(text);
    REQUIRE(cut.doc.tables.size() == 1);
    const table::profile& one = cut.doc.tables[0];
    REQUIRE(one.columns.size() == 7);
    CHECK(one.columns[6].name == "Self C");
    CHECK(one.columns[6].unit == table::unit::cut);
    CHECK(one.row(1).find("CPU time avg").value() == 3916000.0);
    CHECK(one.row(1)[6].text() == "3.9");
    CHECK(one.row(1)[6].value().is_missing());
    CHECK(one.row(0).find("Self C").text() == "13.98");
    CHECK(one.row(0).find("Self C").value().is_missing());
    CHECK(one.find_total("Self CPU time total").value() == 4150000.0);
    REQUIRE(cut.errors.size() == 1);
    CHECK(cut.errors[0].kind == error_kind::cut_column);
    CHECK(cut.errors[0].field == "Self C");
    CHECK(cut.errors[0].found == 111);
    // The error comes after everything that is there.
    const auto read = table::read(text);
    CHECK(read.error().kind == error_kind::cut_column);
    CHECK(read->tables.at(0).size() == 4);
    std::string written;
    CHECK(table::write(written, one).kind == error_kind::unwritable);
}

TEST_CASE("a table that was wrapped at any width is joined again, and a whole one is left alone") {
    for (const auto& columns : {plain, cuda, memory, shapes}) {
        const std::vector<std::string> lines = printer(columns).lines();
        for (const std::string& prefix : {std::string(), std::string("[rank0]: ")}) {
            const std::string text = joined(lines, 1000, false, prefix);
            CHECK(table::mend(text).done.empty());
            for (const bool stripped : {false, true}) {
                for (std::size_t width = 36; width < lines[0].size(); width += 5) {
                    std::string wrapped;
                    for (const std::string& line : lines) {
                        for (std::size_t at = 0; at < line.size(); at += width)
                            wrapped += joined({line.substr(at, width)}, 1000, stripped, prefix);
                    }
                    const table::mended again = table::mend(wrapped);
                    // Where the second piece is blank, the table has a blank line after each line, and reads as it is.
                    const bool is_spaced = width + 2 >= lines[0].size();
                    const bool has_width = width_of(again) == width + prefix.size();
                    CHECK((is_spaced ? width_of(again) == 0 : has_width || (stripped && width_of(again) != 0)));
                    const auto read = table::read(again.done.empty() ? wrapped : again.text, after(prefix));
                    const auto whole = table::read(text, after(prefix));
                    CHECK_MESSAGE(*read == *whole, width);
                }
            }
        }
    }
    // Each piece has its place.
    const table::mended again = table::mend(
        "x\n----  ----\n----\nName  Self\n CPU\n----  ----\n----\n   a  1.00\n 0us\n"
        "----  ----\n----\n");
    REQUIRE(again.text == "x\n----  --------\nName  Self CPU\n----  --------\n   a  1.00 0us\n----  --------\n");
    const auto place = [&](std::uint64_t line, std::uint64_t column) {
        const table::text_place at = again.place_of({line, column});
        return std::to_string(at.line) + ":" + std::to_string(at.column);
    };
    CHECK(place(1, 1) == "1:1");
    CHECK(place(2, 10) == "2:10");
    CHECK(place(2, 11) == "3:1");
    CHECK(place(5, 4) == "8:4");
    CHECK(place(5, 13) == "9:3");
    CHECK(place(6, 1) == "10:1");
    CHECK(place(7, 1) == "12:1");
    std::string words = "a.txt:5:13: error: x";
    table::move_place(words, {5, 13}, again.place_of({5, 13}));
    CHECK(words == "a.txt:9:3: error: x");
    CHECK(message(table::mending{table::mend_step::wrapped, 1, 80}) ==
          "its table was wrapped at 80 columns, and is read with its lines joined; a wider terminal "
          "prints it whole");
}

TEST_CASE("totals that were wrapped, and lines without anything, come back with a wrapped table") {
    const std::string rule = "------------------  ------------  ------------------------------  ";
    const std::vector<std::string> stacks = {rule,
                                             "              Name    # of Calls  Source Location                 ",
                                             rule,
                                             "       aten::addmm             1  model.py(12): forward           ",
                                             "                                  train.py(40): <module>          ",
                                             "",
                                             "        aten::relu             3  model.py(13): forward",
                                             "",
                                             rule,
                                             "Self CPU time total: 4.150s",
                                             "Self CUDA time total: 2.500ms"};
    // A browser copies a table from a notebook like this.
    std::vector<std::string> spaced;
    for (const std::string& line : printer(plain).lines()) {
        spaced.push_back(line);
        spaced.emplace_back();
    }
    for (const auto& lines : {printer(plain).lines(), stacks, spaced}) {
        const std::string text = joined(lines, 1000, false);
        const table::mended close = table::mend(text);
        const auto whole = table::read(lines == spaced ? close.text : text);
        REQUIRE(whole.ok());
        REQUIRE(whole->tables.at(0).totals.size() == (lines == stacks ? 2U : 1U));
        for (std::size_t width = 19; width < 60; ++width) {
            // Two blank lines would come after the rule, which is refused.
            const std::size_t last_piece = lines[0].size() % width;
            if (lines == spaced && (last_piece == 1 || last_piece == 2)) continue;
            std::string wrapped;
            for (const std::string& line : lines) {
                std::size_t at = 0;
                do wrapped += joined({line.substr(at, width)}, 1000, false);
                while ((at += width) < line.size());
            }
            const table::mended again = table::mend(wrapped);
            CHECK(width_of(again) == width);
            CHECK_MESSAGE(*table::read(again.text) == *whole, width);
        }
    }
}

TEST_CASE("lines that an editor broke after blanks, and headers in more or fewer pieces than the rule, are joined") {
    // The pieces of a line, each with the last blank that the width has room for at its end, as `fold -s` leaves them.
    const auto broken = [](std::string_view line, std::size_t width) {
        std::string pieces;
        while (line.size() > width) {
            const std::size_t blank = line.substr(0, width).rfind(' ');
            const std::size_t size = blank == line.npos ? width : blank + 1;
            pieces.append(line.substr(0, size)).push_back('\n');
            line.remove_prefix(size);
        }
        return pieces.append(line).append("\n");
    };
    for (const auto& columns : {plain, cuda, memory, shapes}) {
        const std::vector<std::string> lines = printer(columns).lines();
        for (const std::string& prefix : {std::string(), std::string("[rank0]: ")}) {
            const std::string unbroken = joined(lines, 1000, false, prefix);
            const auto whole = table::read(unbroken, after(prefix));
            for (std::size_t width = 41; width + 4 < lines[0].size(); width += 7) {
                std::string text;
                for (const std::string& line : lines) text += broken(prefix + line, width);
                const table::mended again = table::mend(text);
                CHECK_MESSAGE(*table::read(again.text, after(prefix)) == *whole, text);
            }
        }
    }
    const auto wrapped = [](const std::vector<std::string>& lines, std::size_t width) {
        std::string text;
        for (const std::string& line : lines)
            for (std::size_t at = 0; at < line.size(); at += width) text += line.substr(at, width) + '\n';
        return table::mend(text).text;
    };
    // The rule fits, and the header does not: its second piece has no prefix.
    std::vector<std::string> marked = printer(own_backend).lines();
    for (std::string& line : marked) line.insert(0, "> ");
    const std::string longer = wrapped(marked, marked[0].size());
    const auto read = table::read(longer, after("> "));
    CHECK(read->tables.at(0).columns.back().name == "# of Calls");
    // The first piece of the header, and of rows with short names, is blank.
    const std::string blank_pieces = wrapped(printer(cuda).lines(), 24);
    const auto whole = table::read(blank_pieces);
    CHECK(whole->tables.at(0).columns.size() == cuda.size());
    CHECK(whole->tables.at(0).size() == 4);
    // Without the blanks at its end, the header may have fewer pieces than the rule.
    std::vector<std::string> bare = printer({"Name", "CPU time avg", "Number of Calls", "Node ID"}, true).lines();
    for (std::string& line : bare) line.erase(line.find_last_not_of(' ') + 1);
    for (std::size_t width = 30; width < bare[0].size(); ++width) {
        const std::string again = wrapped(bare, width);
        const auto short_header = table::read(again);
        CHECK_MESSAGE(short_header->tables.at(0).columns.back().name == "Node ID", width);
    }
}

TEST_CASE("pieces that say of themselves that they are cut are told, whatever columns a person left out") {
    // Columns that are 12 wide, but for the last one.
    const std::string short_name =
        "------------------  ------------  ----\n"
        "              Name      Self CPU     C\n"
        "------------------  ------------  ----\n"
        "         aten::add      13.980ms     1\n"
        "------------------  ------------  ----\n";
    const auto short_cut = test::read_tables(short_name, test::lenient_tables());
    REQUIRE(short_cut.doc.tables.size() == 1);
    CHECK(short_cut.doc.tables[0].row(0).find("Self CPU").value() == 13980.0);
    REQUIRE(short_cut.errors.size() == 1);
    CHECK(short_cut.errors[0].kind == error_kind::cut_column);
    // A location that was shortened fills its column, unless it lost its end.
    const auto stack_of = [](std::string_view location) {
        std::string rule = "------------------";
        std::string names = "              Name";
        std::string row = "         aten::add";
        for (const std::string_view name : plain) {
            if (name == "Name") continue;
            rule += "  ------------";
            names.append(14 - name.size(), ' ').append(name);
            row += name == "# of Calls" ? "             1" : name.back() == '%' ? "         0.17%" : "      13.980ms";
        }
        rule += "  --------------------  ------------\n";
        return rule + names + "  Source Location       Total MFLOPs\n" + rule + row + "  2360.000              " +
               std::string(location) + "\n" + rule;
    };
    const std::string whole = stack_of("...orch/conv.py(454)");
    CHECK(test::read_tables(whole, test::lenient_tables()).errors.empty());
    const std::string text = stack_of("...orch/conv.py(");
    const auto cut = test::read_tables(text, test::lenient_tables());
    REQUIRE(cut.errors.size() == 1);
    CHECK(cut.errors[0].kind == error_kind::cut_column);
    CHECK(cut.errors[0].field == "Source Location");
}

TEST_CASE("a table without rules with a blank line after each line is not taken for a wrapped one") {
    CHECK(width_of(table::mend("Name  Self CPU\n\n add  1us\n\n mul  2us\n\n")) == 0);
}

TEST_CASE("another line beside a header is no piece of it") {
    const std::string rule = "-----------------  ------------  ------------\n";
    const std::string header = "             Name    Self CPU %    # of Calls\n";
    const std::string row = "        aten::add         0.17%            95\n" + rule;
    CHECK(table::mend(rule + header + "2025-01-01 12:00:01 step\n" + rule + row).done.empty());
    CHECK(width_of(table::mend(rule + "\n" + header + rule + row)) == 0);
    const table::mended blank_below = table::mend(rule + header + " \n" + rule + row);
    CHECK(blank_below.text == rule + header + rule + row);
    REQUIRE(blank_below.done.size() == 1);
    CHECK(blank_below.done[0].step == table::mend_step::blank_lines);
    CHECK(blank_below.done[0].line == 3);

    // So a table that was cut is reported as cut.
    std::string cut;
    for (const std::string& line : {rule, header, std::string("\n"), rule, row.substr(0, row.find('\n') + 1), rule})
        cut += line.substr(0, (std::min)(line.size() - 1, std::size_t{44})) + "\n";
    const table::mended again = table::mend(cut);
    const auto read = test::read_tables(again.done.empty() ? cut : again.text, test::lenient_tables());
    REQUIRE(read.errors.size() == 1);
    CHECK(read.errors[0].kind == error_kind::cut_column);
    CHECK(read.errors[0].field == "# of Call");
}

TEST_CASE("a line without the prefix takes no row of a wrapped table with it") {
    std::string wrapped;
    for (const std::string line :
         {"----  --------  ----------", "Name  Self CPU  # of Calls", "----  --------  ----------",
          "   a   1.001ms           1", "   b    4.035s           2", "----  --------  ----------"}) {
        const std::string printed = "[rank0]: " + line;
        if (line.find(" b ") != line.npos) wrapped += "epoch 3\n";
        wrapped += printed.substr(0, 23) + "\n" + printed.substr(23) + "\n";
    }
    const std::string text = table::mend(wrapped).text;
    const auto read = table::read(text, after("[rank0]: "));
    REQUIRE(read);
    REQUIRE(read->tables.at(0).size() == 2);
    CHECK(read->tables[0].find_cell(1, "Self CPU").value() == 4035000.0);
}

TEST_CASE("a line of dashes is no header") {
    CHECK(table::read("-------  ----\n-------  -\n-------  ----\n").error().kind == error_kind::no_records);
}
