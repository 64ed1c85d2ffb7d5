// The exporters: CSV, timelines, pictures and comparisons. A small reader for each form checks that its rules are kept.
// The first byte chooses what is written and of which format, the rest is the text; for comparisons two texts, with a
// zero byte between them.
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include <simdjson.h>

#include <wlfmt/csv.hpp>
#include <wlfmt/wlfmt.hpp>
#include "analysis/answers/answers.hpp"
#include "analysis/diff/diff.hpp"
#include "analysis/plot/plot.hpp"
#include "analysis/report/report.hpp"
#include "analysis/summary/summary.hpp"
#include "analysis/timeline/timeline.hpp"

#include "../tests/into.hpp"
#include "check.hpp"

namespace {

using test::lenient;

// CSV according to RFC 4180: each line ends with CR LF.

struct field {
    std::string text;
    bool quoted = false;
};
using record = std::vector<field>;

std::vector<record> read_csv(std::string_view csv) {
    std::vector<record> records;
    for (std::size_t at = 0; at < csv.size();) {
        record& row = records.emplace_back();
        for (bool more = true; more;) {
            field& f = row.emplace_back();
            f.quoted = at < csv.size() && csv[at] == '"';
            if (f.quoted) {
                for (++at;; ++at) {
                    fuzz::check(at < csv.size(), "a quoted field is closed", csv);
                    if (csv[at] != '"') {
                        f.text += csv[at];
                    } else if (csv.substr(at, 2) == "\"\"") {
                        f.text += csv[at++];
                    } else {
                        break;
                    }
                }
                ++at;
            } else {
                const std::size_t end = csv.find_first_of(",\"\r\n", at);
                fuzz::check(end != std::string_view::npos && csv[end] != '"', "a bare field ends well", csv);
                f.text = csv.substr(at, end - at);
                at = end;
            }
            more = at < csv.size() && csv[at] == ',';
            if (more) ++at;
        }
        fuzz::check(csv.substr(at, 2) == "\r\n", "a line ends with CR LF", csv);
        at += 2;
        fuzz::check(row.size() == records[0].size(), "every row has as many cells as there are names", csv);
    }
    return records;
}

const field& cell(const std::vector<record>& all, std::size_t row, std::string_view name) {
    std::size_t column = 0;
    while (column < all[0].size() && all[0][column].text != name) ++column;
    fuzz::check(column < all[0].size() && row + 1 < all.size(), "a cell has its column and its row", name);
    return all[row + 1][column];
}
// A missing text and None are an empty field, an empty text is a pair of quotes.
void check_text(const field& f, std::string_view text) {
    const bool nothing = wlfmt::is_missing(text) || wlfmt::is_none(text);
    fuzz::check_same(f.text, nothing ? std::string() : std::string(text), "CSV gives back the text");
    fuzz::check(f.quoted || nothing || !text.empty(), "an empty text is not nothing", text);
}
void check_number(const field& f, const wlfmt::number& n) {
    if (n.is_text()) return check_text(f, n.text());
    if (!n.has_value()) return fuzz::check(f.text.empty() && !f.quoted, "a missing number is nothing", f.text);
    if (n.is_integer())
        return fuzz::check_same(f.text, std::to_string(n.as<std::int64_t>().value_or(0)), "CSV gives back the integer");
    const double v = std::strtod(f.text.c_str(), nullptr);
    const double want = n.value_or(0.0);
    fuzz::check(v == want || (v != v && want != want), "CSV gives back the decimal", f.text);
}

void operations_as_csv(std::string_view text) {
    const auto doc = wlfmt::oplog::read(text, lenient());
    std::string csv;
    fuzz::check(!wlfmt::csv::write(csv, *doc), "operations have their form in CSV", text);
    const auto all = read_csv(csv);
    fuzz::check(all.size() == doc->operations.size() + 1, "an operation is a row", csv);
    for (std::size_t n = 0; n != doc->operations.size(); ++n) {
        const wlfmt::oplog::operation& op = doc->operations[n];
        fuzz::check_same(cell(all, n, "record").text, std::to_string(n), "rows are in their order");
        fuzz::check_same(cell(all, n, "rank").text, std::to_string(op.rank), "CSV gives back the rank");
        check_text(cell(all, n, "op"), op.op);
        check_text(cell(all, n, "mg_state"), op.mg_state);
        check_text(cell(all, n, "description"), op.description);
        check_text(cell(all, n, "group_kind"), op.group_kind);
        check_text(cell(all, n, "input__shape"), op.input_shape.text());
        check_number(cell(all, n, "duration_ms"), op.duration);
        check_number(cell(all, n, "timestamp_ms"), op.timestamp);
    }
}
void nested_operations_as_csv(std::string_view text) {
    const auto doc = wlfmt::oplog::read(text, lenient());
    std::string csv;
    fuzz::check(!wlfmt::csv::write_sub_operations(csv, *doc), "nested operations have their form in CSV", text);
    const auto all = read_csv(csv);
    std::size_t row = 0;
    for (std::size_t n = 0; n != doc->operations.size(); ++n) {
        std::size_t index = 0;
        for (const auto& s : doc->operations[n].sub_operations) {
            if (s.damaged) continue;  // the rest of a broken list
            fuzz::check_same(cell(all, row, "record").text, std::to_string(n), "a row names its operation");
            fuzz::check_same(cell(all, row, "index").text, std::to_string(index++), "and its place in it");
            if (s.quote == 0) check_text(cell(all, row, "comm_func"), s.comm_func);
            ++row;
        }
    }
    fuzz::check(all.size() == row + 1, "a nested operation is a row", csv);
}
void layers_as_csv(std::string_view text) {
    const auto doc = wlfmt::workload::read(text, lenient());
    std::string csv;
    fuzz::check(!wlfmt::csv::write(csv, *doc), "layers have their form in CSV", text);
    const auto all = read_csv(csv);
    fuzz::check(all.size() == doc->layers.size() + 1, "a layer is a row", csv);
    for (std::size_t n = 0; n != doc->layers.size(); ++n) {
        const wlfmt::workload::layer& layer = doc->layers[n];
        fuzz::check_same(cell(all, n, "name").text, std::string(layer.name), "CSV gives back the name");
        fuzz::check_same(cell(all, n, "forward_comm").text, std::string(layer.forward.comm), "and the collective");
        fuzz::check_same(cell(all, n, "weight_grad_bytes").text,
                         std::to_string(layer.weight_grad.bytes.as<std::int64_t>().value_or(0)), "and the bytes");
        check_number(cell(all, n, "forward_compute"), layer.forward.compute);
        check_number(cell(all, n, "update"), layer.update);
    }
}
void rows_as_csv(std::string_view text) {
    const auto doc = wlfmt::table::read(text, lenient());
    std::string csv;
    const wlfmt::problem e = wlfmt::csv::write(csv, *doc);
    const auto all = read_csv(csv);
    std::size_t row = 1;
    for (const auto& profile : doc->tables) {
        if (e && static_cast<std::size_t>(e.found) == static_cast<std::size_t>(&profile - doc->tables.data())) return;
        const bool same_columns = profile.columns.size() == doc->tables[0].columns.size();
        for (std::size_t r = 0; r != profile.size(); ++r, ++row) {
            fuzz::check(row < all.size(), "a row is a row", csv);
            for (std::size_t c = 0; c != profile.columns.size() && same_columns; ++c) {
                if (profile.columns[c].name != doc->tables[0].columns[c].name) break;
                const field& f = all[row][c + 2];
                const wlfmt::table::cell cell = profile.cell_at(r, c);
                if (profile.columns[c].unit == wlfmt::table::unit::text)
                    fuzz::check_same(f.text, std::string(cell.text()), "CSV gives back the cell");
                else if (profile.columns[c].unit != wlfmt::table::unit::source && cell.value().has_value())
                    check_number(f, cell.value());
            }
        }
    }
    fuzz::check(e || doc->tables.empty() || row == all.size(), "every row is there", csv);
}

// JSON for simdjson's tree, which takes neither lone surrogates nor integers beyond 64 bits.
std::string for_simdjson(std::string_view json) {
    const std::string valid = fuzz::without_surrogates(json);
    std::string out;
    std::size_t digits = 0;
    for (const char c : valid) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        if (digits <= 18) out += c;
    }
    return out;
}

struct trace_event {
    char phase = 0;
    std::int64_t process = 0;
    std::int64_t thread = 0;
    double begin = 0;  // microseconds
    double duration = 0;
    std::int64_t id = 0;
    std::string name;
};

// Sums of times are exact in doubles, as the times are multiples of 1/2048 microsecond.
double microseconds(std::string_view token) {
    const double us = std::strtod(std::string(token).c_str(), nullptr);
    fuzz::check(us >= 0, "a time is not below zero", token);
    fuzz::check(us * 2048 == std::floor(us * 2048), "a time is a multiple of 1/2048 microsecond", token);
    return us;
}

std::vector<trace_event> read_trace(const std::string& json) {
    const simdjson::padded_string padded(for_simdjson(json));
    static simdjson::dom::parser whole;
    simdjson::dom::element parsed;
    fuzz::check(whole.parse(padded).get(parsed) == simdjson::SUCCESS, "a timeline is JSON", json);
    static simdjson::ondemand::parser parser;
    std::vector<trace_event> all;
    simdjson::ondemand::document doc = parser.iterate(padded);
    for (auto item : doc["traceEvents"].get_array()) {
        trace_event e;
        for (auto member : item.get_object()) {
            const std::string_view key = member.unescaped_key();
            if (key == "ph") e.phase = std::string_view(member.value().get_string())[0];
            if (key == "pid") e.process = member.value().get_int64();
            if (key == "tid") e.thread = member.value().get_int64();
            if (key == "ts") e.begin = microseconds(member.value().raw_json_token());
            if (key == "dur") e.duration = microseconds(member.value().raw_json_token());
            if (key == "id") e.id = member.value().get_int64();
            if (key == "name") e.name = std::string_view(member.value().get_string());
        }
        all.push_back(std::move(e));
    }
    return all;
}

// Slices of a track nest, times of a process do not go backwards, flows have two sides, each within a slice.
void check_trace(const std::string& json) {
    using track = std::pair<std::int64_t, std::int64_t>;
    std::map<track, std::vector<trace_event>> open;
    std::map<std::int64_t, double> last;
    std::map<std::int64_t, std::pair<int, int>> flows;
    for (const trace_event& e : read_trace(json)) {
        fuzz::check(std::string_view("MXisf").find(e.phase) != std::string_view::npos, "an event is of a known kind",
                    json);
        if (e.phase == 'M') continue;
        const auto before = last.emplace(e.process, e.begin).first;
        fuzz::check(before->second <= e.begin, "time does not run backwards", json);
        before->second = e.begin;
        std::vector<trace_event>& stack = open[{e.process, e.thread}];
        if (e.phase == 'X') {
            while (!stack.empty() && stack.back().begin + stack.back().duration <= e.begin) stack.pop_back();
            fuzz::check(stack.empty() || e.begin + e.duration <= stack.back().begin + stack.back().duration,
                        "slices of a track nest", json);
            stack.push_back(e);
        } else if (e.phase != 'i') {
            const bool sends = e.phase == 's';
            ++(sends ? flows[e.id].first : flows[e.id].second);
            bool within = false;
            for (const trace_event& s : stack)
                within = within || (s.begin <= e.begin && e.begin <= s.begin + s.duration &&
                                    s.name.rfind(sends ? "send_" : "recv_", 0) == 0);
            fuzz::check(within, "a flow begins and ends within a slice of its kind", json);
        }
    }
    for (const auto& [id, sides] : flows)
        fuzz::check(sides == std::pair(1, 1), "a flow has one beginning and one end", json);
}

// The answers about the ranks below 4, as if they were a run of two stages.
wlfmt::analysis::run_answers answers_of(const wlfmt::oplog::document& doc) {
    wlfmt::analysis::summary sums({}, wlfmt::analysis::summary::keep::calls);
    sums.begin_text("log");
    for (const auto& op : doc.operations) sums.add(op);
    sums.end_text();
    return wlfmt::analysis::answers_of(sums, wlfmt::analysis::run_sizes{4, 2, 2, 1});
}
void run_as_trace(std::string_view text, wlfmt::analysis::timeline::alignment how) {
    const auto doc = wlfmt::oplog::read(text, lenient());
    wlfmt::analysis::timeline::run run("forward_step");
    for (const auto& op : doc->operations) run.add(op);
    const wlfmt::analysis::run_answers answers = answers_of(*doc);
    if (!run.align(how, &answers) && !run.align(wlfmt::analysis::timeline::alignment::none))
        fuzz::check(false, "clocks can stay as they are");
    std::string json;
    wlfmt::analysis::output to_json(json);
    wlfmt::analysis::timeline::writer to(to_json, run, &answers);
    for (const auto& op : doc->operations) to.add(op);
    to.finish();
    check_trace(json);
}
void workload_as_trace(std::string_view text) {
    const auto doc = wlfmt::workload::read(text, lenient());
    // Layers are recomputed from their checkpoints, so that the output need not be linear in the input.
    if (doc->layers.size() > 64) return;
    std::string json;
    wlfmt::analysis::timeline::write(test::into(json), *doc);
    check_trace(json);
}

// Pictures: tags nest, quotes are closed, and each `<` and `&` of a text is escaped.
void check_xml(std::string_view xml) {
    std::vector<std::string> open;
    bool any = false;
    for (std::size_t at = 0; at < xml.size();) {
        const auto c = static_cast<unsigned char>(xml[at]);
        fuzz::check(c >= 0x20 || c == '\n' || c == '\t' || c == '\r', "XML has no such character", xml);
        if (c == '&') {
            const std::size_t end = xml.find(';', at);
            const std::string_view name = end == std::string_view::npos ? "" : xml.substr(at + 1, end - at - 1);
            fuzz::check(name == "amp" || name == "lt" || name == "gt" || name == "quot" || name == "apos" ||
                            name.substr(0, 1) == "#",
                        "`&` begins an entity", xml);
            at = end;
        }
        if (c != '<') {
            fuzz::check(!open.empty() || c == '\n', "no text is outside the root", xml);
            ++at;
            continue;
        }
        char quote = 0;
        std::size_t end = at + 1;
        for (; end < xml.size() && (quote != 0 || xml[end] != '>'); ++end) {
            fuzz::check(xml[end] != '<', "`<` is not in a tag", xml);
            if (quote != 0 ? xml[end] == quote : (xml[end] == '"' || xml[end] == '\''))
                quote = quote != 0 ? '\0' : xml[end];
        }
        fuzz::check(end < xml.size(), "a tag is closed", xml);
        for (const std::string_view no_number : {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"})
            fuzz::check(xml.substr(at, end - at).find(no_number) == std::string_view::npos, "lengths are numbers", xml);
        const std::string_view tag = xml.substr(at + 1, end - at - 1);
        at = end + 1;
        if (tag[0] == '?' || tag[0] == '!') continue;
        if (tag[0] == '/') {
            fuzz::check(!open.empty() && open.back() == tag.substr(1), "tags nest", tag);
            open.pop_back();
            continue;
        }
        fuzz::check(!open.empty() || !any, "there is one root", xml);
        any = true;
        if (tag.back() != '/') open.emplace_back(tag.substr(0, tag.find_first_of(" \n")));
    }
    fuzz::check(any && open.empty(), "every tag is closed", xml);
    for (std::size_t at = 0; at < xml.size();) {
        const std::size_t size = wlfmt::utf8_size(xml, at);
        fuzz::check(size != 0, "a picture is UTF-8", xml.substr(at, 20));
        at += size;
    }
}

void run_as_picture(std::string_view text) {
    const auto doc = wlfmt::oplog::read(text, lenient());
    const wlfmt::analysis::run_answers answers = answers_of(*doc);
    std::string svg;
    wlfmt::analysis::plot::write(test::into(svg), answers);
    check_xml(svg);
    std::string page;
    wlfmt::analysis::report::write(test::into(page), answers);
    fuzz::check(page.find("nan") == std::string::npos || text.find("nan") != std::string_view::npos,
                "a page has numbers", text);
}
template <class Document> void as_picture(const Document& doc) {
    std::string svg;
    wlfmt::analysis::plot::write(test::into(svg), doc);
    check_xml(svg);
}
void as_page(const wlfmt::workload::document& doc) {
    std::string page;
    wlfmt::analysis::report::write(test::into(page), doc);
}

void check_shown(const std::vector<wlfmt::analysis::diff::difference>& all) {
    static simdjson::dom::parser parser;
    double effect = 0;
    for (const auto& d : all) {
        fuzz::check(d.effect >= 0 && std::isfinite(d.effect) && std::isfinite(d.ratio), "effects are numbers", d.item);
        fuzz::check(&d == all.data() || d.effect <= effect, "the greatest effect comes first", d.item);
        effect = d.effect;
        std::string line;
        wlfmt::analysis::diff::write(test::into(line), d);
        line.clear();
        wlfmt::analysis::diff::write_json(test::into(line), d);
        simdjson::dom::element parsed;
        const bool whole = parser.parse(simdjson::padded_string(for_simdjson(line))).get(parsed) == simdjson::SUCCESS;
        fuzz::check(whole, "and that is JSON", line);
    }
}

template <class Read> void compared(std::string_view text, Read read, double tolerance) {
    const std::size_t zero = (std::min)(text.find('\0'), text.size());
    const auto a = read(text.substr(0, zero));
    const auto b = read(text.substr((std::min)(zero + 1, text.size())));
    const auto same = wlfmt::analysis::diff::compare(*a, *a, tolerance);
    fuzz::check(same.empty(), "nothing differs from itself", same.empty() ? "" : same[0].item + ": " + same[0].field);
    const auto there = wlfmt::analysis::diff::compare(*a, *b, tolerance);
    const auto back = wlfmt::analysis::diff::compare(*b, *a, tolerance);
    check_shown(there);
    check_shown(back);
    const auto count = [](const auto& all, wlfmt::analysis::diff::change what) {
        return std::count_if(all.begin(), all.end(), [&](const auto& d) { return d.change == what; });
    };
    using wlfmt::analysis::diff::change;
    fuzz::check(count(there, change::changed) == count(back, change::changed) &&
                    count(there, change::added) == count(back, change::removed) &&
                    count(there, change::removed) == count(back, change::added),
                "what differs is the same seen from either side", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const fuzz::block block({reinterpret_cast<const char*>(data) + 1, size - 1});
    const std::string_view text = block.view();
    const auto log = [](std::string_view t) { return wlfmt::oplog::read(t, lenient()); };
    const auto file = [](std::string_view t) { return wlfmt::workload::read(t, lenient()); };
    const auto tables = [](std::string_view t) { return wlfmt::table::read(t, lenient()); };
    const double tolerance = (data[0] & 0x80) != 0 ? 0.05 : 0;
    switch (data[0] % 16) {
    case 0: operations_as_csv(text); break;
    case 1: nested_operations_as_csv(text); break;
    case 2: layers_as_csv(text); break;
    case 3: rows_as_csv(text); break;
    case 4: run_as_trace(text, wlfmt::analysis::timeline::alignment::none); break;
    case 5: run_as_trace(text, wlfmt::analysis::timeline::alignment::first); break;
    case 6: run_as_trace(text, wlfmt::analysis::timeline::alignment::operation); break;
    case 7: run_as_trace(text, wlfmt::analysis::timeline::alignment::flows); break;
    case 8: workload_as_trace(text); break;
    case 9: run_as_picture(text); break;
    case 10:
        as_picture(*file(text));
        as_page(*file(text));
        break;
    case 11: {
        const auto read = tables(text);
        for (const auto& profile : read->tables) as_picture(profile);
        break;
    }
    case 12: compared(text, log, tolerance); break;
    case 13: compared(text, file, tolerance); break;
    case 14: compared(text, tables, tolerance); break;
    default: break;
    }
    return 0;
}
