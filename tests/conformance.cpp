// The readers and json.hpp, held against the cases of conformance/: what they read leniently and by default, what they
// report, which format they find, and what they write.
#include "support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
#include <wlfmt/json.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/table/mend.hpp>
#include <wlfmt/wlfmt.hpp>

namespace {

// What a reader says of a text, in the words of a case.
struct reading {
    std::string_view text;
    std::string lines;
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> problems;
    wlfmt::problem ended_with = {};
    wlfmt::table::mended mended = {};

    // Mends the text, as the command does before it reads one.
    void mend(std::string_view prefix) {
        mended = wlfmt::table::mend(text, prefix.empty() ? wlfmt::any_prefix : prefix);
        if (!mended.done.empty()) text = mended.text;
    }
    wlfmt::table::text_place place_of(const wlfmt::problem& e) const {
        const wlfmt::location at = wlfmt::location_of(text, e.offset);
        return mended.place_of({at.line, at.column});
    }
    void add(const wlfmt::problem& e) {
        if (!e) return;
        problems.emplace_back(place_of(e).line, place_of(e).column, std::string(name_of(e.kind)));
    }
    // What was read is printed; a list of nested operations that was cut short has been reported.
    template <class T> void print(const T& what) {
        const wlfmt::problem e = wlfmt::json::write(lines, what);
        CHECK((!e || e.kind == wlfmt::error_kind::unwritable));
    }
    // What was read; an error that ends the reading is reported like the others.
    template <class Document> Document keep(wlfmt::result<Document>&& read) {
        ended_with = read.error();
        return std::move(*read);
    }
    wlfmt::options lenient() {
        wlfmt::options how;
        how.lenient = true;
        how.on_problem = [this](const wlfmt::problem& e) { add(e); };
        return how;
    }
};

// Each reads leniently all that is there, or else up to the first error, which it returns.
wlfmt::problem read_oplog(reading& r, wlfmt::options how, std::string_view prefix) {
    how.prefix = prefix.empty() ? wlfmt::any_prefix : prefix;
    wlfmt::oplog::document doc = r.keep(wlfmt::oplog::read(r.text, how));
    if (how.lenient)
        for (const wlfmt::oplog::operation& op : doc.operations) r.print(op);
    return r.ended_with;
}
wlfmt::problem read_workload(reading& r, wlfmt::options how, std::string_view) {
    const wlfmt::workload::document doc = r.keep(wlfmt::workload::read(r.text, how));
    if (how.lenient && r.ended_with.kind != wlfmt::error_kind::no_records) r.print(doc);
    return r.ended_with;
}
wlfmt::problem read_tables(reading& r, wlfmt::options how, std::string_view prefix) {
    if (!how.strict) r.mend(prefix);
    std::vector<std::string_view> prefixes = wlfmt::find_prefixes(r.text);
    if (!prefix.empty()) prefixes = {prefix};
    if (prefixes.empty()) prefixes.emplace_back();
    wlfmt::problem first;
    wlfmt::problem nothing;
    bool any = false;
    for (const std::string_view one : prefixes) {
        how.prefix = one;
        r.ended_with = {};
        const wlfmt::table::document doc = r.keep(wlfmt::table::read(r.text, how));
        if (r.ended_with.kind == wlfmt::error_kind::no_records) {
            nothing = r.ended_with;
        } else {
            any = true;
            if (!first) first = r.ended_with;
        }
        if (how.lenient) r.print(doc);
    }
    r.ended_with = any ? first : nothing;
    return r.ended_with;
}

std::string written(const std::string& format, const std::string& json, wlfmt::problem& e) {
    wlfmt::json::texts kept;
    std::string to;
    const auto write = [&](const auto& read, const auto& writer) { e = read.error() ? read.error() : writer(*read); };
    if (format == "oplog")
        write(wlfmt::json::read_oplog(json, kept), [&](const auto& doc) { return wlfmt::oplog::write(to, doc); });
    else if (format == "workload")
        write(wlfmt::json::read_workload(json, kept), [&](const auto& doc) { return wlfmt::workload::write(to, doc); });
    else write(wlfmt::json::read_table(json, kept), [&](const auto& doc) { return wlfmt::table::write(to, doc); });
    return to;
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

// The string whose first byte after the quote is the text's.
std::string string_at(std::string_view json) {
    std::string text;
    for (; json.front() != '"'; json.remove_prefix(1)) {
        if (json.front() == '\\') {
            json.remove_prefix(1);
            text += json.front() == 't' ? '\t' : json.front();
        } else {
            text += json.front();
        }
    }
    return text;
}

// The string that a member of a case holds; empty if there is none, or null.
std::string text_member(std::string_view json, std::string_view name) {
    std::string begin = "\n  \"";
    begin.append(name).append("\": \"");
    const std::size_t at = json.find(begin);
    return at == std::string_view::npos ? std::string() : string_at(json.substr(at + begin.size()));
}

std::string place_of(const reading& r, const wlfmt::problem& e) {
    if (!e) return {};
    const wlfmt::table::text_place at = r.place_of(e);
    return std::to_string(at.line) + ":" + std::to_string(at.column) + " " + std::string(name_of(e.kind));
}

// The problems of a case but for what is mended, which a reader does not see.
std::string without_mended(const std::string& problems) {
    std::string left;
    for (std::size_t at = 0; at < problems.size();) {
        const std::size_t end = (std::min)(problems.find(", ", at), problems.size());
        const std::string problem = problems.substr(at, end - at);
        if (problem.find(" mended_table") == problem.npos) left.append(left.empty() ? "" : ", ").append(problem);
        at = end + 2;
    }
    return left;
}

// Calls each(name, path without its ending, JSON) for the cases of a folder. Returns how many there are.
template <class Each> std::size_t for_each_case(const char* name, const Each& each) {
    const std::string folder = std::string("../../conformance/cases/") + name;
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::data_path(folder))) {
        if (entry.path().extension() != ".json") continue;
        const std::string path = folder + "/" + entry.path().stem().string();
        INFO(path);
        each(path, test::data(path + ".json"));
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("conformance: every case is read as it says") {
    struct {
        const char* format;
        wlfmt::problem (*read)(reading&, wlfmt::options, std::string_view);
    } const formats[] = {{"oplog", read_oplog}, {"workload", read_workload}, {"table", read_tables}};
    const auto check = [&](const std::string& path, const std::string& json, const std::string& name) {
        const auto* format =
            std::find_if(std::begin(formats), std::end(formats), [&](const auto& f) { return f.format == name; });
        const std::string text = test::data(path + ".txt");
        const std::string prefix = text_member(json, "prefix");
        std::string lines;
        std::string problems;
        expect(json, lines, problems);
        reading r;
        r.text = text;
        const wlfmt::problem e = format->read(r, r.lenient(), prefix);
        r.add(e);
        std::sort(r.problems.begin(), r.problems.end());
        std::string found;
        for (const auto& [line, column, kind] : r.problems)
            found += (found.empty() ? "" : ", ") + std::to_string(line) + ":" + std::to_string(column) + " " + kind;
        CHECK(found == without_mended(problems));
        CHECK(r.lines == lines);

        reading plain;
        plain.text = text;
        const std::string error = text_member(json, "error");
        const wlfmt::problem first = format->read(plain, wlfmt::options(), prefix);
        CHECK(place_of(plain, first) == error);
        CHECK(text_member(json, "status") == (error.empty()          ? "valid"
                                              : !e && !lines.empty() ? "tolerated"
                                                                     : "refused"));
        if (json.find("\n  \"strict\": ") == std::string::npos) return;
        wlfmt::options how;
        how.strict = true;
        reading strict;
        strict.text = text;
        const wlfmt::problem ended = format->read(strict, how, prefix);
        CHECK(place_of(strict, ended) == text_member(json, "strict"));
    };
    for (const auto& format : formats) {
        const std::size_t count = for_each_case(
            format.format, [&](const std::string& path, const std::string& json) { check(path, json, format.format); });
        CHECK(count >= 200);
    }
    CHECK(for_each_case("given", [&](const std::string& path, const std::string& json) {
              check(path, json, text_member(json, "format"));
          }) >= 14);
}

TEST_CASE("conformance: the format of a text is found as its case says") {
    CHECK(for_each_case("detect", [](const std::string& path, const std::string& json) {
              const std::string text = test::data(path + ".txt");
              const wlfmt::file_format format = wlfmt::detect(text);
              const bool is_unknown = format == wlfmt::file_format::unknown;
              CHECK((is_unknown ? "" : std::string(name_of(format))) == text_member(json, "format"));
          }) >= 40);
}

TEST_CASE("conformance: values are written as their case says") {
    CHECK(for_each_case("write", [](const std::string& path, const std::string& json) {
              std::string lines;
              for (std::string_view rest = member(json, "lines"); !rest.empty();) {
                  const std::size_t end = (std::min)(rest.find('\n'), rest.size());
                  std::string_view line = rest.substr(0, end);
                  rest.remove_prefix((std::min)(end + 1, rest.size()));
                  if (!line.empty() && line.back() == ',') line.remove_suffix(1);
                  // A line that is no object is there as a string.
                  const std::size_t begin = line.find_first_not_of(' ');
                  if (begin == std::string_view::npos) continue;
                  const bool is_string = line[begin] == '"';
                  lines.append(is_string ? string_at(line.substr(begin + 1)) : std::string(line)).append("\n");
              }
              wlfmt::problem e;
              const std::string text = written(text_member(json, "format"), lines, e);
              const std::string error = text_member(json, "error");
              CHECK((e ? std::string(name_of(e.kind)) : std::string()) == error);
              if (error.empty()) CHECK(text == test::data(path + ".txt"));
          }) >= 60);
}
