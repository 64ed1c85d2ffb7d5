// Writing profiler tables: tables built from the input's bytes, which no text ever held.
#include <string>
#include <utility>
#include <vector>

#include <wlfmt/table.hpp>

#include "check.hpp"
#include "table_dump.hpp"

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

    table::profile summary() {
        table::profile one;
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
        std::vector<std::string_view> all;
        for (std::size_t n = in_.below(4); n > 0; --n) all.push_back(in_.text(words));
        return table::frame_list(std::move(all));
    }

    fuzz::input& in_;
};

// A value as a column of that unit prints it.
std::string printed(const table::cell& c, table::unit unit) {
    char buffer[wlfmt::detail::max_value_chars];
    return std::string(wlfmt::detail::table_printing::printed_cell(c, unit, buffer));
}

// The first difference between a table and the table that its text is read as, or null. Texts are compared exactly,
// and numbers by their values, whether they are integers or decimals.
const char* difference(const table::profile& built, const table::profile& read) {
    if (built.titles != read.titles) return "titles";
    if (built != read) return "values";
    if (built.columns.size() != read.columns.size()) return "columns";
    for (std::size_t n = 0; n < built.columns.size(); ++n) {
        const table::column& a = built.columns[n];
        const table::column& b = read.columns[n];
        if (a.name != b.name || a.unit != b.unit || a.left_aligned != b.left_aligned) return "a column";
        if (a.width != 0 && a.width != b.width) return "a width";
    }
    if (built.size() != read.size() || built.cells.size() != read.cells.size()) return "rows";
    for (std::size_t n = 0; n < built.cells.size(); ++n) {
        const table::cell& a = built.cells[n];
        const table::cell& b = read.cells[n];
        const table::unit unit = built.columns[n % built.columns.size()].unit;
        if (b.text() != printed(a, unit)) return "a cell";
        if (!a.text().empty() || a.value().is_text()) continue;
        const double v = a.value().value_or(0.0);
        if (b.value().has_value() != (a.value().has_value() && v == v)) return "a value";
        if (!b.value().has_value()) continue;
        const bool same = a.value().is_integer() ? b.value() == a.as<std::int64_t>().value_or(-1) : b.value() == v;
        if (!same) return "a value's digits";
    }
    for (std::size_t n = 0; n < built.size(); ++n) {
        const table::row a = built.row(n);
        const table::row b = read.row(n);
        if (fuzz::dump(a).find(" frame") != std::string::npos || !b.frames.empty()) {
            const std::vector<std::string_view> one(a.frames.begin(), table::frame_list::iterator());
            const std::vector<std::string_view> other(b.frames.begin(), table::frame_list::iterator());
            if (one != other) return "frames";
        }
    }
    if (built.frames.size() > built.size()) return "frames without a row";
    if (built.totals.size() != read.totals.size()) return "totals";
    for (std::size_t n = 0; n < built.totals.size(); ++n) {
        const table::total& a = built.totals[n];
        const table::total& b = read.totals[n];
        if (a.name != b.name || b.value.text() != printed(a.value, table::unit::microseconds)) return "a total";
        if (!a.value.text().empty() || a.value.value().is_text()) continue;
        const double v = a.value.value().value_or(0.0);
        if (b.value.value().has_value() != (a.value.value().has_value() && v == v)) return "a total's value";
        if (v == v && b.value.value_or(-v) != v) return "a total's digits";
    }
    return nullptr;
}

// The first difference between a document and the document that its text is read as, or null.
const char* difference(const table::document& built, const std::string& text) {
    wlfmt::options options;
    options.strict = true;
    const auto read = table::read(text, options);
    if (!read.ok()) return "an error";
    if (read->tables.size() != built.tables.size()) return "tables";
    for (std::size_t n = 0; n < built.tables.size(); ++n)
        if (const char* what = difference(built.tables[n], read->tables[n])) return what;
    return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    builder build(in);
    table::document doc;
    doc.tables.push_back(build.summary());
    while (!in.empty() && doc.tables.size() < 3) doc.tables.push_back(build.summary());

    std::string unchecked;
    table::write_unchecked(unchecked, doc);
    const char* const differs = difference(doc, unchecked);
    std::string written;
    const wlfmt::problem e = table::write(written, doc);
    const wlfmt::problem problem = problem_of(doc);
    fuzz::check(e.kind == problem.kind && e.field == problem.field && e.found == problem.found,
                "write() says what problem_of() says");
    if (e) {
        fuzz::check(written.empty(), "what is refused is not written");
        fuzz::check(differs != nullptr, "what is refused would not read back", unchecked);
        fuzz::check(e.expected == 1 && e.found < static_cast<std::int64_t>(doc.tables.size()),
                    "the error has the position of the table");
        return 0;
    }
    fuzz::check_same(written, unchecked, "checking changes nothing");
    fuzz::check(differs == nullptr, differs == nullptr ? "" : differs, written);
    const auto again = table::read(written);
    std::string twice;
    table::write_unchecked(twice, *again);
    fuzz::check_same(twice, written, "writing twice is writing once");
    return 0;
}
