// The work whose instructions check.sh counts: every kind of text that could make a reader look at a byte again and
// again, read, written and explained at a size and at four times that size.
//
// usage: work             measures all; prints a line for each call of measured(): CASE SIZE
//        work CASE SIZE   does one of them, CASE being `format text how options`, and prints the processor time it
//        takes
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include <wlfmt/csv.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/table/lost.hpp>
#include <wlfmt/wlfmt.hpp>
#include "../into.hpp"
#include "analysis/answers/answers.hpp"
#include "analysis/diff/diff.hpp"
#include "analysis/plot/plot.hpp"
#include "analysis/report/report.hpp"
#include "analysis/summary/summary.hpp"
#include "analysis/timeline/timeline.hpp"

namespace {

struct counter {
    std::size_t bytes = 0;
    void append(const char*, std::size_t size) { bytes += size; }
};

std::size_t pull_operations(std::string_view text, const wlfmt::options& how) {
    using wlfmt::oplog::fields;
    std::size_t seen = 0;
    wlfmt::oplog::reader log(text, how);
    do {
        while (const auto* op = log.next()) {
            seen += op->input_shape.size() + op->find("none").text().size() + where(*op, "none").size();
            for (const auto& sub : op->sub_operations)
                seen += sub.input_shape.size() + sub.find("x").text().size() + where(sub, "x").size();
            if (!log.ok()) break;
            seen += op->sub_operations.only<fields::duration | fields::comm_func>().size();
            if (!log.ok()) break;
        }
    } while (log.skip());
    return seen;
}
// In chunks that are much shorter than the longest lines.
std::size_t stream_operations(std::string_view text, const wlfmt::options& how) {
    std::size_t seen = 0;
    wlfmt::oplog::stream log({}, how);
    const auto pull = [&] {
        do {
            while (const auto op = log.next()) seen += op->op.size() + log.line_of(op->source).text.size();
        } while (!log.ok() && log.skip());
    };
    for (std::size_t at = 0; at < text.size(); at += 100) {
        log.feed(text.substr(at, 100));
        pull();
    }
    log.finish();
    pull();
    return seen;
}
std::size_t sum_up(std::string_view text, const wlfmt::options& how) {
    wlfmt::analysis::summary all;
    for (const wlfmt::piece& p : wlfmt::oplog::pieces(text, 4)) {
        wlfmt::analysis::summary one;
        one.begin_part("text", p.offset);
        wlfmt::oplog::reader log(p.text, how);
        do {
            while (const auto* op = log.next()) one.add(*op);
        } while (log.skip());
        one.end_part(p.offset + p.text.size());
        static_cast<void>(all.merge(one));
    }
    std::string line;
    wlfmt::analysis::write(test::into(line), all);
    return line.size() + wlfmt::analysis::read_summary(line).ok();
}
// The answers about a run, too, whose second rank lacks the second half: the names say how the ranks are grouped.
std::size_t conclude(std::string_view text, const wlfmt::options& how) {
    wlfmt::analysis::summary all(wlfmt::analysis::summary::keep::calls);
    for (const std::int64_t rank : {0, 1}) {
        all.begin_text(rank == 0 ? "wd2_tp1_pp1_rank0_20250101000000.txt" : "wd2_tp1_pp1_rank1_20250101000000.txt");
        wlfmt::oplog::reader log(text, how);
        while (const auto* op = log.next()) {
            if (rank == 1 && log.offset() > text.size() / 2) break;
            wlfmt::oplog::operation one = *op;
            one.rank = rank;
            one.stage_id = 0;
            one.op = "forward_step";
            all.add(one);
        }
        all.end_text();
    }
    const wlfmt::analysis::run_answers answers = wlfmt::analysis::answers_of(all);
    return answers.ranks.size() + static_cast<std::size_t>(answers.missing_call_count);
}
// The same about two ranks of a group, the second of which has none or one of the calls in each record.
std::size_t conclude_calls(std::string_view text, const wlfmt::options& how) {
    std::size_t missing = 0;
    for (const std::size_t kept : {0U, 1U}) {
        wlfmt::analysis::summary all(wlfmt::analysis::summary::keep::calls);
        for (const std::int64_t rank : {0, 1}) {
            all.begin_text(rank == 0 ? "wd2_tp2_pp1_rank0_20250101000000.txt" : "wd2_tp2_pp1_rank1_20250101000000.txt");
            wlfmt::oplog::reader log(text, how);
            while (const auto* op = log.next()) {
                wlfmt::oplog::operation one = *op;
                one.rank = rank;
                if (rank == 1) one.sub_operations.edit().resize(kept);
                all.add(one);
            }
            all.end_text();
        }
        missing += static_cast<std::size_t>(wlfmt::analysis::answers_of(all).missing_call_count);
    }
    return missing;
}
// The same about a group that has a member for each record, of whom every other one comes late.
std::size_t conclude_group(std::string_view text, const wlfmt::options& how) {
    const std::string world = std::to_string(std::count(text.begin(), text.end(), '\n'));
    wlfmt::analysis::summary all(wlfmt::analysis::summary::keep::calls);
    wlfmt::oplog::reader log(text, how);
    for (std::int64_t rank = 0; const auto* op = log.next(); ++rank) {
        all.begin_text("wd" + world + "_tp1_pp1_rank" + std::to_string(rank) + "_20250101000000.txt");
        wlfmt::oplog::operation one = *op;
        one.rank = rank;
        one.duration = rank % 2 == 0 ? 0.5 : 1.5;
        one.timestamp = 1000.0;
        all.add(one);
        all.end_text();
    }
    return wlfmt::analysis::answers_of(all).waits.size();
}
std::size_t pull_layers(std::string_view text, const wlfmt::options& how) {
    std::size_t seen = 0;
    wlfmt::workload::reader file(text, how);
    seen += file.header().find("none").text().size() + file.header().checkpoints().size();
    do {
        while (const auto* layer = file.next()) seen += layer->name.size();
    } while (file.skip());
    return seen;
}
std::size_t pull_rows(std::string_view text, const wlfmt::options& how) {
    std::size_t seen = 0;
    wlfmt::table::reader tables(text, how);
    do {
        while (tables.next_table()) {
            do {
                while (const auto* row = tables.next()) seen += row->frames.size();
            } while (tables.skip());
            seen += tables.totals().size();
        }
    } while (tables.skip());
    return seen;
}

template <class Document> std::size_t write_and_explain(const wlfmt::result<Document>& doc, std::string_view text) {
    counter count;
    static_cast<void>(write(count, *doc));
    std::string text_of_doc;
    static_cast<void>(write(text_of_doc, *doc));
    write_unchecked(count, *doc);
    static_cast<void>(wlfmt::json::write(count, *doc));
    count.bytes += explain(doc.error(), text, wlfmt::in_file("text")).size();
    return count.bytes + text_of_doc.size();
}
std::size_t keep_operations(std::string_view text, const wlfmt::options& how) {
    auto doc = wlfmt::oplog::read(text, how);
    std::size_t seen = write_and_explain(doc, text);
    for (auto& op : doc->operations) {
        seen += problem_of(op).field.size();
        seen += op.sub_operations.edit().size();
    }
    return seen + write_and_explain(doc, text);
}
std::size_t keep_layers(std::string_view text, const wlfmt::options& how) {
    const auto doc = wlfmt::workload::read(text, how);
    return write_and_explain(doc, text) + problem_of(*doc).field.size();
}
std::size_t keep_tables(std::string_view text, const wlfmt::options& how) {
    const auto doc = wlfmt::table::read(text, how);
    return write_and_explain(doc, text) + problem_of(*doc).field.size();
}

template <class Document> std::string json_of(const Document& doc) {
    std::string json;
    static_cast<void>(wlfmt::json::write(json, doc));
    return json;
}
std::size_t leave_operations(std::string_view text, const wlfmt::options& how) {
    const auto doc = wlfmt::oplog::read(text, how);
    wlfmt::analysis::output count;
    std::size_t seen = 0;
    static_cast<void>(wlfmt::csv::write(count, *doc));
    static_cast<void>(wlfmt::csv::write_sub_operations(count, *doc));
    wlfmt::analysis::timeline::run run;
    for (const auto& op : doc->operations) run.add(op);
    static_cast<void>(run.align(wlfmt::analysis::timeline::alignment::flows));
    wlfmt::analysis::timeline::writer timeline(count, run);
    wlfmt::analysis::summary sums({}, wlfmt::analysis::summary::keep::calls);
    sums.begin_text("rank0.txt");
    for (const auto& op : doc->operations) {
        timeline.add(op);
        sums.add(op);
    }
    timeline.finish();
    const wlfmt::analysis::run_answers answers = wlfmt::analysis::answers_of(sums);
    wlfmt::analysis::plot::write(count, answers);
    wlfmt::analysis::report::write(count, answers);
    seen += wlfmt::analysis::diff::compare(*doc, wlfmt::oplog::document()).size();
    seen += wlfmt::analysis::diff::compare(*doc, *doc).size();
    const std::string json = json_of(*doc);
    wlfmt::json::texts kept;
    const auto back = wlfmt::json::read_oplog(json, kept);
    return static_cast<std::size_t>(count.size()) + seen + back->operations.size();
}
std::size_t leave_layers(std::string_view text, const wlfmt::options& how) {
    const auto doc = wlfmt::workload::read(text, how);
    wlfmt::analysis::output count;
    std::size_t seen = 0;
    static_cast<void>(wlfmt::csv::write(count, *doc));
    wlfmt::analysis::timeline::write(count, *doc);
    wlfmt::analysis::plot::write(count, *doc);
    wlfmt::analysis::report::write(count, *doc);
    seen += wlfmt::analysis::diff::compare(*doc, wlfmt::workload::document()).size();
    seen += wlfmt::analysis::diff::compare(*doc, *doc).size();
    const std::string json = json_of(*doc);
    wlfmt::json::texts kept;
    const auto back = wlfmt::json::read_workload(json, kept);
    return static_cast<std::size_t>(count.size()) + seen + back->layers.size();
}
std::size_t leave_tables(std::string_view text, const wlfmt::options& how) {
    const auto doc = wlfmt::table::read(text, how);
    wlfmt::analysis::output count;
    std::size_t seen = 0;
    static_cast<void>(wlfmt::csv::write(count, *doc));
    for (const auto& one : doc->tables) wlfmt::analysis::plot::write(count, one);
    wlfmt::analysis::report::write(count, *doc);
    seen += wlfmt::analysis::diff::compare(*doc, wlfmt::table::document()).size();
    seen += wlfmt::analysis::diff::compare(*doc, *doc).size();
    wlfmt::analysis::diff::profile before;
    wlfmt::analysis::diff::profile folded(true);
    wlfmt::table::reader tables(text, how);
    before.add(tables);
    wlfmt::table::reader again(text, how);
    folded.add(again);
    seen += wlfmt::analysis::diff::compare(before, folded).lines.size();
    const std::string json = json_of(*doc);
    wlfmt::json::texts kept;
    const auto back = wlfmt::json::read_table(json, kept);
    return static_cast<std::size_t>(count.size()) + seen + back->tables.size();
}

template <class Reader> std::size_t pull_json(std::string_view text, const wlfmt::options& how) {
    std::size_t seen = 0;
    wlfmt::json::texts kept;
    Reader records(text, kept, how);
    do {
        while (records.next()) ++seen;
    } while (records.skip());
    return seen + records.tolerated();
}
std::size_t pull_all_json(std::string_view text, const wlfmt::options& how) {
    return pull_json<wlfmt::json::oplog_reader>(text, how) + pull_json<wlfmt::json::workload_reader>(text, how) +
           pull_json<wlfmt::json::table_reader>(text, how);
}

std::size_t look(std::string_view text, const wlfmt::options&) {
    std::string buffer(text.size(), ' ');
    counter count;
    wlfmt::oplog::write_quoted(count, wlfmt::oplog::unescape(text, buffer.data()));
    wlfmt::problem e;
    e.kind = wlfmt::error_kind::foreign_text;
    e.offset = text.size() - text.size() / 8;
    e.length = text.size();
    return count.bytes + static_cast<std::size_t>(wlfmt::detect(text)) +
           explain(e, text, wlfmt::in_file("text")).size();
}

// What readers pass over.
std::size_t find_lost(std::string_view text, const wlfmt::options& how) {
    wlfmt::options any = how;
    any.strict = false;
    any.prefix = wlfmt::any_prefix;
    wlfmt::oplog::reader log(text, any);
    while (log.next() != nullptr || log.skip()) continue;
    std::size_t found = static_cast<std::size_t>(log.lost().found);
    wlfmt::table::losses lost(text);
    lost.read("");
    lost.report([&](const wlfmt::problem&) { ++found; });
    return found;
}

struct format {
    const char* name;
    std::size_t (*pull)(std::string_view text, const wlfmt::options& how);
    std::size_t (*keep)(std::string_view text, const wlfmt::options& how);
    std::size_t (*leave)(std::string_view text, const wlfmt::options& how) = nullptr;
    std::size_t (*stream)(std::string_view text, const wlfmt::options& how) = nullptr;
    std::size_t (*sum_up)(std::string_view text, const wlfmt::options& how) = nullptr;
};
constexpr format formats[] = {
    {"oplog", pull_operations, keep_operations, leave_operations, stream_operations, sum_up},
    {"workload", pull_layers, keep_layers, leave_layers},
    {"table", pull_rows, keep_tables, leave_tables},
    {"run", nullptr, nullptr, conclude},
    {"calls", nullptr, nullptr, conclude_calls},
    {"group", nullptr, nullptr, conclude_group},
    {"json", pull_all_json, nullptr},
    {"any", look, look},
    {"lost", find_lost, nullptr},
};

// A text to read: a beginning, a piece n times, an end. The number of the repetition replaces each `%` in a piece.
struct text {
    const char* format;
    const char* name;
    std::string_view begin;
    std::string_view piece;
    std::string_view end;
    std::string_view second_piece = {};  // n times after the end
    std::string_view second_end = {};
    std::size_t least = 64;  // so many repetitions show what each of them costs

    std::string of(std::size_t n) const {
        std::string out;
        out.reserve(begin.size() + end.size() + second_end.size() + n * (piece.size() + second_piece.size()));
        out += begin;
        for (std::size_t i = 0; i != n; ++i) add(out, piece, i);
        out += end;
        for (std::size_t i = 0; i != n; ++i) add(out, second_piece, i);
        out += second_end;
        return out;
    }

private:
    // The number has eight digits, so that all repetitions have one size. It counts down, so that in a list sorted by
    // it each new item goes before all others.
    static void add(std::string& out, std::string_view piece, std::size_t number) {
        for (std::size_t at = 0; (at = piece.find('%')) != piece.npos; piece.remove_prefix(at + 1)) {
            out += piece.substr(0, at);
            out += std::to_string(99999999 - number);
        }
        out += piece;
    }
};

#define PLAIN                                                                                                \
    "stage_id=0,batch_id=0,mg_state=None,duration=1.5,description=None,group_kind=None,input__shape=[4, 2]," \
    "input__dtype=t,timestamp=2.5,sub_operations="
#define SUB                                                                                                 \
    "'trace_src_func=f,duration=1.5,timestamp=2.5,input__shape=[4, 2],input__dtype=t,func_name=g,group=tp," \
    "comm_func=allreduce', "
#define LAYER "x\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n"
#define RULE "----------------  ----------------  ----------------  \n"
#define HEAD RULE "            Name        # of Calls   Source Location  \n" RULE
#define KERNELS                                                                          \
    "----------------------------------------  ------------  ------------  ----------\n" \
    "Name                                          Self CPU     Self CUDA  # of Calls\n" \
    "----------------------------------------  ------------  ------------  ----------\n"
#define ROW "               x                 1   frame.py(1): f   \n"
#define FRAME "                                      frame.py(2): g   \n"

#define CALL(OP, KIND)                                                 \
    "rank:0:" OP "_allreduce(stage_id=0,duration=0.5,group_kind=" KIND \
    ",input__shape=[4],input__dtype=torch."                            \
    "float32,timestamp=%.00,sub_operations=[])\n"

constexpr text texts[] = {
    {"oplog", "attributes", "rank:0:f(", "key=value,", "last=1)\n"},
    {"oplog", "attributes with a space", "rank:0:f(", "key=value, ", "last=1)\n"},
    {"oplog", "one key again and again", "rank:0:f(", "duration=1,", "last=1)\n"},
    {"oplog", "commas in a value", "rank:0:f(description=", ",a, b", ",duration=1)\n"},
    {"oplog", "names without a value", "rank:0:f(", "abc.def,", "duration=1)\n"},
    {"oplog", "no end", "rank:0:f(", "key=value,", "\n"},
    {"oplog", "sub-operations", "rank:0:f(" PLAIN "[", SUB, "'x'])\n"},
    {"oplog", "further sub-operations", "rank:0:f(" PLAIN "[", "'a=1,duration=2', ", "'x'])\n"},
    {"oplog", "text sub-operations", "rank:0:f(" PLAIN "[", "\"it's\", ", "'x'])\n"},
    {"oplog", "sub-operations, no end", "rank:0:f(" PLAIN "[", SUB, "'x\n"},
    {"oplog", "sub-operations, text behind", "rank:0:f(" PLAIN "[", SUB, "'x']) and text\n"},
    {"oplog", "lists of sub-operations", "rank:0:f(", "sub_operations=['x'],", "a=1)\n"},
    {"oplog", "open lists", "rank:0:f(", "sub_operations=[,", "a=1)\n"},
    {"oplog", "open strings", "rank:0:f(", "sub_operations=['],", "a=1)\n"},
    {"oplog", "open strings of both kinds", "rank:0:f(", "sub_operations=['\"],", "a=1\n"},
    {"oplog", "long string", "rank:0:f(" PLAIN "['", "plain text ", "'])\n"},
    {"oplog", "long escaped string", "rank:0:f(" PLAIN "['", "\\'\\x41\"\\N", "'])\n"},
    {"oplog", "long value in a string", "rank:0:f(" PLAIN "['trace_src_func=", "a+b(\"c\")", ",duration=1.5'])\n"},
    {"oplog", "attributes in a string", "rank:0:f(" PLAIN "['", "key=value,", "duration=1.5'])\n"},
    {"oplog", "open string", "rank:0:f(" PLAIN "['", "plain text ", "\n"},
    {"oplog", "deep brackets", "rank:0:f(input__shape=", "[", "", "]", ",sub_operations=[[[]]])\n"},
    {"oplog", "deep lists", "rank:0:f(sub_operations=", "[", "", "]", ")\n"},
    {"oplog", "long shape", "rank:0:f(input__shape=[", "1, ", "2],a=1)\n"},
    {"oplog", "parentheses", "rank:0:f(a=", ")", "\n"},
    {"oplog", "long number", "rank:0:f(duration=0.", "123456789", ",a=1)\n"},
    {"oplog", "long rank", "rank:", "1", ":f(a=1)\n"},
    {"oplog", "blanks", "rank:0:f(sub_operations=[", "    ", "'x'", "    ", "])\n"},
    {"oplog", "trailing blanks", "rank:0:f(a=1)", "    ", "\n", " \t", ""},
    {"oplog", "records", "", "rank:0:f(" PLAIN "[])\n", ""},
    {"oplog", "overlapping records", "", "rank:0:f(duration=9.5,timestamp=12.5)\n", ""},
    {"oplog", "messages", "rank:1:recv_forward(stage_id=1,batch_id=0,duration=1.5,timestamp=9.5)\n",
     "rank:0:send_forward(stage_id=0,batch_id=0,duration=1.5,timestamp=12.5)\n", ""},
    {"oplog", "malformed lines", "", "rank:0:f(duration=x)\nrank:0:f(sub_operations=['\nrank:0:f(a=1\n", ""},
    {"oplog", "foreign lines", "", "a line of a console log\n\n", "rank:0:f(a=1)\n"},
    {"workload", "entries", "HYBRID ", "key: 1 ", "\n1\n" LAYER},
    {"workload", "entries without values", "HYBRID ", "ga: ", "\n1\n" LAYER},
    {"workload", "lists without values", "HYBRID ", "checkpoints: ", "\n1\n" LAYER},
    {"workload", "short lists", "HYBRID ", "checkpoints: 9223372036854775807 1 ", "\n1\n" LAYER},
    {"workload", "long list", "HYBRID checkpoints: 1000000000 ", "1 ", "ga: 1\n1\n" LAYER},
    {"workload", "colons", "HYBRID ", ":", " 1\n1\n" LAYER},
    {"workload", "blanks in the header", "HYBRID checkpoints: 2 ", "  \t", "\n1\n" LAYER},
    {"workload", "layers", "HYBRID\n1000000000\n", LAYER, ""},
    {"workload", "malformed layers", "HYBRID\n1000000000\n" LAYER, "x\t-1\ty\tNONE\t0\nz\n1.5\t2\n", ""},
    {"workload", "layers of 13 fields", "HYBRID\n1000000000\n" LAYER, "x -1 1 NONE 0 1 NONE 0 1 NONE 0 1 y\n", ""},
    {"workload", "text behind the layers", "HYBRID\n1\n" LAYER, "text\n", ""},
    {"workload", "fields", "HYBRID\n2\n" LAYER, "field\t", "\n"},
    {"workload", "long word", "HYBRID\n2\n" LAYER, "word", "\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n"},
    {"workload", "long numbers", "HYBRID\n2\n" LAYER "x\t-1\t0.", "1", "\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n"},
    {"workload", "long count", "HYBRID\n", "9", "\n" LAYER},
    {"workload", "text behind the count", "HYBRID\n1 ", "text ", "\n" LAYER},
    {"workload", "blank lines", "HYBRID\n1\n" LAYER, " \n\n", LAYER, "\t\n", ""},
    {"workload", "byte order marks", "", "\xEF\xBB\xBF\n", "HYBRID\n1\n" LAYER},
    {"table", "columns", "", "---  ", "\n", "abc  ", "\n---  ---\n"},
    {"table", "columns under a rule of as many", "abc\n", "---  ", "\nx\n", "---  ", "\nx\n"},
    {"table", "words in a row", HEAD, "word  ", "\n" RULE},
    {"table", "words in a row, not plain", HEAD, "w\xC3\xB6rd  ", "\n" RULE},
    {"table", "rows", HEAD, ROW, RULE "Self CPU time total: 1.000us\n"},
    {"table", "names that are cut and folded", KERNELS, "void k%<...       0.000us       %.000us    %\n", "----"},
    {"table", "rows that do not fit", HEAD, "          x               x             \n", RULE},
    {"table", "rows with frames", HEAD, ROW FRAME FRAME "\n", RULE},
    {"table", "frames", HEAD ROW, FRAME, RULE},
    {"table", "blank lines in a stack", HEAD ROW FRAME, "\n", FRAME, " \n", RULE},
    {"table", "frames of no row", HEAD "x  x  x  x\n", FRAME, RULE},
    {"table", "titles", "", "====\ntitle\n", HEAD ROW RULE},
    {"table", "title lines", "", "====\n", HEAD ROW RULE},
    {"table", "rules", "", RULE, ROW},
    {"table", "rules and names", "", RULE "Name\n", ROW},
    {"table", "totals", HEAD ROW RULE, "Self CPU time total: 1.000us\n", ""},
    {"table", "bad totals", HEAD ROW RULE, "Self CPU time total: x\n", ""},
    {"table", "long total", HEAD ROW RULE "Self ", "CPU", " time total: 1.000us\n"},
    {"table", "long rule", "", "-----", "  -----\nName  # of Calls\n", "-----", "  -----\nx  1\n"},
    {"table", "long title", "===\n", "title  ", "\n" HEAD ROW RULE},
    {"table", "long cell", HEAD, "cell", "  1  f\n" RULE},
    {"table", "long cell, not plain", HEAD, "c\xC3\xA9ll", "  1  f\n" RULE},
    {"table", "long number", HEAD "x  ", "1234", "  f\n" RULE},
    {"table", "tables", "", HEAD ROW RULE "Self CPU time total: 1.000us\n\n", ""},
    {"table", "tables cut off", "", HEAD, ""},
    {"table", "headers that do not fit", "", RULE "Name  x\n" RULE ROW, ""},
    {"table", "blank lines", HEAD ROW, "\n", ROW RULE},
    {"table", "blank lines, no stack", "---  ----------\nabc  # of Calls\n---  ----------\n  x           1\n", "\n",
     "text\n", "\n \n", "text\n"},
    {"table", "foreign lines", "", "a line of a console log\n", HEAD ROW RULE},
    {"table", "kernels", KERNELS, "void at::native::elementwise_k...%       0.000us       1.000us    1\n", "----"},
    {"run", "calls of many kinds of groups", "", CALL("dp", "k%"), "", "", "", 1000},
    {"run", "calls of many operations", "", CALL("op%", "x"), "", "", "", 1000},
    {"run", "messages of many sizes", "",
     "rank:0:send_forward(duration=0.5,input__shape=[%],input__dtype=torch.float32,timestamp=%.00)\n", "", "", "",
     1000},
    {"calls", "calls that another rank lacks", "rank:0:forward_step(duration=9000.5,timestamp=99999.5,sub_operations=[",
     "'trace_src_func=f,duration=0.5,timestamp=%.5,group=tp,comm_func=allreduce', ", "])\n", "", "", 300},
    {"group", "members of whom half come last", "", CALL("dp", "dp"), "", "", "", 1500},
    {"json", "records", "", "{\"rank\":0,\"op\":\"f\"}\n", ""},
    {"json", "lines cut after a value", "", "{\"rank\":0,\"op\":\"f\"\n", ""},
    {"json", "lines cut in a string", "", "{\"rank\":0,\"op\":\"f\n", ""},
    {"json", "lines cut after a comma", "", "{\"rank\":0,\n", ""},
    {"json", "lines cut after a colon", "", "{\"rank\":0,\"op\":\n", ""},
    {"json", "lines cut in a list", "", "{\"rank\":0,\"op\":\"f\",\"sub_operations\":[{\n", ""},
    {"json", "lines of which every other one is cut", "", "{\"rank\":0,\"op\":\"f\"},\n{\"a\":1,\n", ""},
    {"json", "lines that are not UTF-8", "", "{\"rank\":0,\"op\":\"\xFF\"}\n{\"rank\":0,\"op\":\"f\"}\n", ""},
    {"json", "wrong brackets", "", "{\"a\":]\n", ""},
    {"json", "deep brackets", "", "{\"a\":[[[[[[[[[[\n", ""},
    {"json", "items of a list without an end", "{\"a\":[\n", "{},\n", ""},
    {"lost", "records after other text", "", "loss: 3.2 rank:0:f(a=1)\n", "rank:0:f(a=1)\n"},
    {"lost", "heads of no record", "x ", "rank:0:f(duration=x,", "a=1)\n"},
    {"lost", "heads of records with open lists", "x ", "rank:0:f(sub_operations=['", ")\n"},
    {"lost", "heads of records with a bad list", "x ", "rank:0:f(sub_operations=['a'", "b])\n"},
    {"lost", "origins without an operation", "x ", "rank:0:", " f(a=1)\n"},
    {"lost", "long ranks", "x ", "rank:00000000", "f(a=1)\n"},
    {"lost", "words of heads", "x ", "rank: stage: ", "f(a=1)\n"},
    {"lost", "rows", HEAD ROW RULE "text\n", ROW, ""},
    {"lost", "cells of a line", HEAD ROW RULE "text\n", "1  ", "\n"},
    {"lost", "tabs and blanks", HEAD ROW RULE "text\n", " \t x", "\n"},
    {"lost", "totals", HEAD ROW RULE "text\n", "Self CPU time total: 1.000us\n", ""},
    {"lost", "tables of many kinds", "", "----  ----\nName  a%\n----  ----\nx     1us\n----  ----\n", ""},
    {"any", "short lines", "", "line\n", ""},
    {"any", "one line", "", "w\xC3\xB6rd \\n ", ""},
};

#undef PLAIN
#undef SUB
#undef LAYER
#undef RULE
#undef HEAD
#undef KERNELS
#undef ROW
#undef FRAME
#undef CALL

struct manner {
    const char* name;
    bool strict;
    bool lenient;
};
// A reader that is neither differs from a strict one in texts without records alone.
constexpr manner manners[] = {{"lenient", false, true}, {"strict", true, false}};

}  // namespace

// The function whose instructions are counted; the profiler knows it by its name.
extern "C" std::size_t measured(std::size_t (*run)(std::string_view, const wlfmt::options&), std::string_view text,
                                const wlfmt::options& how);
extern "C" __attribute__((noinline)) std::size_t measured(std::size_t (*run)(std::string_view, const wlfmt::options&),
                                                          std::string_view text, const wlfmt::options& how) {
    return run(text, how);
}

int main(int count, char** arguments) {
    const std::string_view wanted = count == 3 ? arguments[1] : "";
    std::size_t seen = 0;
    bool found = false;
    for (const text& t : texts) {
        // Without arguments there are as many repetitions as make a text of some 2 KB, and four times as many.
        const std::size_t size = t.piece.size() + t.second_piece.size();
        const std::size_t n = wanted.empty() ? 2048 / size + t.least : std::strtoull(arguments[2], nullptr, 10);
        const std::string built[] = {t.of(n), t.of(wanted.empty() ? 4 * n : 0)};
        for (const format& f : formats) {
            if (std::string_view(f.name) != t.format) continue;
            const std::pair<const char*, std::size_t (*)(std::string_view, const wlfmt::options&)> all[] = {
                {"pull", f.pull}, {"keep", f.keep}, {"leave", f.leave}, {"stream", f.stream}, {"summary", f.sum_up}};
            for (const auto& [what, run] : all) {
                for (const manner& m : manners) {
                    // Exported is what a lenient reader keeps of the text.
                    if (run == nullptr || (run == f.leave && !m.lenient)) continue;
                    wlfmt::options how;
                    how.strict = m.strict;
                    how.lenient = m.lenient;
                    std::string name = t.format;
                    name.append(" ").append(t.name).append(" ").append(what).append(" ").append(m.name);
                    if (!wanted.empty() && wanted != name) continue;
                    found = true;
                    for (const std::string& sized : built) {
                        if (&sized != built && !wanted.empty()) break;
                        const std::clock_t start = std::clock();
                        seen += measured(run, sized, how);
                        const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
                        if (wanted.empty()) std::printf("%s %s\n", name.c_str(), &sized == built ? "n" : "4n");
                        else
                            std::printf("%s: %zu bytes in %.3f s of processor time\n", name.c_str(), sized.size(),
                                        took);
                    }
                }
            }
        }
    }
    // The result is used, so that no compiler leaves the work out.
    return found && seen != static_cast<std::size_t>(-1) ? 0 : 1;
}
