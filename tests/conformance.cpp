// The readers and json.hpp, held against the cases of conformance/: what they read leniently, and what they report.
#include "support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

namespace {

// What a reader says of a text, in the words of a case.
struct reading {
    std::string_view text;
    std::string lines;
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> problems;

    void add(const wlfmt::error& e) {
        if (!e) return;
        const wlfmt::location at = wlfmt::location_of(text, e.offset);
        problems.emplace_back(at.line, at.column, std::string(name_of(e.kind)));
    }
    // What was read is printed; a list of nested operations that was cut short has been reported.
    template <class T> void print(const T& what) {
        const wlfmt::error e = wlfmt::json::write(lines, what);
        CHECK((!e || e.kind == wlfmt::error_kind::unwritable));
    }
    wlfmt::options lenient() {
        wlfmt::options how;
        how.lenient = true;
        how.context = this;
        how.on_problem = [](void* context, const wlfmt::error& e) { static_cast<reading*>(context)->add(e); };
        return how;
    }
};

void read_oplog(reading& r) {
    wlfmt::options how = r.lenient();
    how.prefix = wlfmt::any_prefix;
    wlfmt::oplog::reader log(r.text, how);
    while (const auto* const op = log.next()) r.print(*op);
    r.add(log.error());
}
void read_workload(reading& r) {
    const auto read = wlfmt::workload::read(r.text, r.lenient());
    r.add(read.error());
    if (read.error().kind != wlfmt::error_kind::no_records) r.print(*read);
}
void read_tables(reading& r) {
    std::vector<std::string_view> prefixes = wlfmt::find_prefixes(r.text);
    if (prefixes.empty()) prefixes.emplace_back();
    wlfmt::error nothing;
    for (const std::string_view prefix : prefixes) {
        wlfmt::options how = r.lenient();
        how.prefix = prefix;
        const auto read = wlfmt::table::read(r.text, how);
        if (read.error().kind == wlfmt::error_kind::no_records) nothing = read.error();
        else r.add(read.error());
        r.print(*read);
    }
    if (r.lines.empty()) r.add(nothing);
}

// The part of a case after `"NAME": [` up to the bracket.
std::string_view member(std::string_view json, std::string_view name) {
    std::string begin = "\"";
    begin.append(name).append("\": [");
    const std::size_t at = json.find(begin);
    REQUIRE(at != std::string_view::npos);
    json.remove_prefix(at + begin.size());
    return json.substr(0, name == "lines" ? json.rfind(']') : json.find(']'));
}

// The lines and problems that a case expects.
void expect(std::string_view json, std::string& lines, std::string& problems) {
    for (const char c : member(json, "problems"))
        if (c != '"') problems += c;
    for (std::string_view rest = member(json, "lines"); !rest.empty();) {
        const std::size_t end = (std::min)(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix((std::min)(end + 1, rest.size()));
        while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
        if (!line.empty() && line.back() == ',') line.remove_suffix(1);
        if (!line.empty()) lines.append(line).append("\n");
    }
}

}  // namespace

TEST_CASE("conformance: every case is read as it says") {
    struct {
        const char* format;
        void (*read)(reading&);
        std::size_t least;  // cases
    } const formats[] = {{"oplog", read_oplog, 200}, {"workload", read_workload, 100}, {"table", read_tables, 100}};
    for (const auto& format : formats) {
        const std::string folder = std::string("../../conformance/cases/") + format.format;
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(test::data_path(folder))) {
            if (entry.path().extension() != ".txt") continue;
            const std::string name = folder + "/" + entry.path().stem().string();
            const std::string text = test::data(name + ".txt");
            std::string lines;
            std::string problems;
            expect(test::data(name + ".json"), lines, problems);

            reading r{text, {}, {}};
            format.read(r);
            std::sort(r.problems.begin(), r.problems.end());
            std::string found;
            for (const auto& [line, column, kind] : r.problems)
                found += (found.empty() ? "" : ", ") + std::to_string(line) + ":" + std::to_string(column) + " " + kind;
            INFO(name);
            CHECK(found == problems);
            CHECK(r.lines == lines);
            ++count;
        }
        CHECK(count >= format.least);
    }
}
