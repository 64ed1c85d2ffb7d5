// Writing profiler tables: tables built from the input's bytes, which no text ever held.
#include <deque>

#include <wlfmt/table.hpp>

#include "check.hpp"
#include "dump.hpp"

namespace {

namespace table = wlfmt::table;

constexpr std::string_view names[] = {"Name",
                                      "Overload Name",
                                      "Self CPU %",
                                      "Self CPU",
                                      "CPU total %",
                                      "CPU total",
                                      "CPU time avg",
                                      "CUDA time avg",
                                      "CPU Mem",
                                      "Self CUDA Mem",
                                      "# of Calls",
                                      "Node ID",
                                      "Input Shapes",
                                      "Source Location",
                                      "Total FLOPs",
                                      "Total MFLOPs",
                                      "Custom",
                                      "a  b",
                                      "",
                                      " x",
                                      "---"};
constexpr std::string_view words[] = {"aten::add",
                                      "void f<int, 4>(int*)",
                                      "train_step#1",
                                      "13.980ms",
                                      "0.17%",
                                      "3.81 Kb",
                                      "95",
                                      "0",
                                      "--",
                                      "NaN",
                                      "[[2, 3], []]",
                                      "a.py(1): f",
                                      "2360.000",
                                      "a  b",
                                      " x",
                                      "x ",
                                      "\n",
                                      "-------------",
                                      "====",
                                      "Self CPU time total: 1.000s",
                                      "\xC3\xA9",
                                      "\xFF",
                                      "\t",
                                      "Name",
                                      "a_name_that_is_longer_than_the_55_characters_that_a_column_of_names_has"};
constexpr std::string_view totals[] = {"Self CPU time total", "CUDA time total", "Self XPU time total", "x", ""};

class builder {
public:
    explicit builder(fuzz::input& in) : in_(in) {}

    table::summary summary() {
        table::summary one;
        for (std::size_t n = in_.below(8) / 5; n > 0; --n) one.titles.push_back(in_.text(words));
        for (std::size_t n = 1 + in_.below(6); n > 0; --n) one.columns.push_back(column());
        for (std::size_t n = in_.below(5); n > 0; --n) {
            for (std::size_t c = 0; c < one.columns.size(); ++c) one.cells.push_back(cell());
            if (in_.below(4) == 0) {
                one.frames.resize(one.size() - 1);
                one.frames.push_back(frames());
            }
        }
        for (std::size_t n = in_.below(12) / 4; n > 0; --n) one.totals.push_back({in_.text(totals), cell()});
        return one;
    }

private:
    table::column column() {
        table::column c(in_.text(names));
        if (in_.below(4) == 0) c.width = static_cast<std::uint32_t>(in_.below(40));
        if (in_.below(8) == 0) c.left_aligned = !c.left_aligned;
        if (in_.below(16) == 0) c.unit = static_cast<table::unit>(in_.below(8));
        return c;
    }
    table::cell cell() {
        switch (in_.below(8)) {
        case 0: return {};
        case 1: return table::cell(in_.integer());
        case 2: return table::cell(wlfmt::number(nullptr));
        case 3: return table::cell(wlfmt::number(in_.text(words)));
        case 4:
        case 5: return table::cell(in_.decimal());
        default: return table::cell(in_.text(words));
        }
    }
    table::frame_list frames() {
        frames_.emplace_back();
        for (std::size_t n = in_.below(4); n > 0; --n) frames_.back().push_back(in_.text(words));
        return {frames_.back().data(), frames_.back().size()};
    }

    fuzz::input& in_;
    std::deque<std::vector<std::string_view>> frames_;
};

// What a table says by its texts: of cells without one that they are printed.
void check_equal(const table::summary& built, const table::summary& read) {
    fuzz::check(built.titles == read.titles, "the titles read back");
    fuzz::check(built.columns.size() == read.columns.size() && built.size() == read.size(), "the rows read back");
    for (std::size_t n = 0; n < built.columns.size(); ++n)
        fuzz::check(built.columns[n].name == read.columns[n].name && built.columns[n].unit == read.columns[n].unit,
                    "the columns read back", built.columns[n].name);
    for (std::size_t n = 0; n < built.cells.size(); ++n) {
        const table::cell& c = built.cells[n];
        const table::column& column = built.columns[n % built.columns.size()];
        // A column that computes its width cuts longer texts.
        if (column.width != 0 && !c.text.empty())
            fuzz::check(c.text == read.cells[n].text, "a cell reads back", c.text);
    }
    for (std::size_t n = 0; n < built.size(); ++n)
        fuzz::check(built.row(n).frames.size() == read.row(n).frames.size(), "the frames read back");
    fuzz::check(built.totals.size() == read.totals.size(), "the totals read back");
    for (std::size_t n = 0; n < built.totals.size(); ++n)
        fuzz::check(built.totals[n].name == read.totals[n].name, "a total reads back", built.totals[n].name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    builder build(in);
    table::document doc;
    doc.tables.push_back(build.summary());
    while (!in.empty() && doc.tables.size() < 3) doc.tables.push_back(build.summary());

    std::string written;
    table::write(written, doc);
    fuzz::check(!written.empty() && written.back() == '\n', "what is written ends its line");
    if (problem_of(doc)) return 0;
    const auto again = table::read(written);
    fuzz::check(again.ok(), "what has no problem can be read", written);
    fuzz::check(again->tables.size() == doc.tables.size(), "every table reads back", written);
    for (std::size_t n = 0; n < doc.tables.size(); ++n) check_equal(doc.tables[n], again->tables[n]);
    std::string twice;
    table::write(twice, *again);
    fuzz::check_same(twice, written, "writing twice is writing once");
    return 0;
}
