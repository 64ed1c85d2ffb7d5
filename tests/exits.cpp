// What all exporters guarantee: if there is no memory left, the program gets std::bad_alloc and nothing is leaked, and
// how much stack they take does not depend on the text. (tests/linear counts their instructions.)
#include <wlfmt/csv.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/wlfmt.hpp>
#include "analysis/answers/answers.hpp"
#include "analysis/diff/diff.hpp"
#include "analysis/plot/plot.hpp"
#include "analysis/report/report.hpp"
#include "analysis/timeline/timeline.hpp"

#include "into.hpp"
#include "stack_support.hpp"

#include <string>
#include <string_view>

namespace {

using test::lenient;

// Two ranks that exchange a message.
std::string run_text() {
    return "rank:0:forward_step(stage_id=0,batch_id=0,duration=2.5,group_kind=None,timestamp=100.5,sub_operations=["
           "'trace_src_func=_reduce,duration=1.0,timestamp=100.25,group=tp,comm_func=allreduce', 'it\\'s'])\n"
           "rank:0:send_forward(stage_id=0,batch_id=0,duration=1.25,group_kind=pp,timestamp=102.0,cmd_uid=a)\n"
           "rank:1:recv_forward(stage_id=1,batch_id=0,duration=1.5,group_kind=pp,timestamp=103.5)\n";
}

void write_timeline(const wlfmt::oplog::document& log, wlfmt::analysis::timeline::alignment how) {
    wlfmt::analysis::timeline::run run("optimizer_step");
    for (const auto& op : log.operations) run.add(op);
    static_cast<void>(run.align(how));
    std::string out;
    wlfmt::analysis::output to_out(out);
    wlfmt::analysis::timeline::writer to(to_out, run);
    for (const auto& op : log.operations) to.add(op);
    to.finish();
}
void draw_run(const wlfmt::oplog::document& log) {
    wlfmt::analysis::summary run({}, wlfmt::analysis::summary::keep::calls);
    run.begin_text("wd2_tp1_pp2_exp1_rank0_20240923205004.txt");
    for (const auto& op : log.operations) run.add(op);
    const wlfmt::analysis::run_answers answers = wlfmt::analysis::answers_of(run);
    std::string out;
    wlfmt::analysis::plot::write(test::into(out), answers);
    wlfmt::analysis::report::write(test::into(out), answers);
    wlfmt::analysis::report::write(test::into(out), answers, "a", answers, "b");
}
template <class Document> void compare(const Document& before, const Document& after) {
    std::string out;
    for (const auto& d : wlfmt::analysis::diff::compare(before, after)) {
        wlfmt::analysis::diff::write(test::into(out), d);
        wlfmt::analysis::diff::write_json(test::into(out), d);
    }
}

template <class Document> std::string json_of(const Document& doc) {
    std::string json;
    static_cast<void>(wlfmt::json::write(json, doc));
    return json;
}
// Reads on after each error.
template <class Reader> void pull(std::string_view json) {
    wlfmt::json::texts kept;
    Reader from(json, kept);
    do
        while (from.next() != nullptr) {
        }
    while (from.skip());
}

// Everything that is exported from a document of each format.

void leave(const wlfmt::oplog::document& log) {
    std::string out;
    static_cast<void>(wlfmt::csv::write(out, log));
    static_cast<void>(wlfmt::csv::write_sub_operations(out, log));
    for (const auto how : {wlfmt::analysis::timeline::alignment::none, wlfmt::analysis::timeline::alignment::flows})
        write_timeline(log, how);
    draw_run(log);
    compare(log, wlfmt::oplog::document());
    pull<wlfmt::json::oplog_reader>(json_of(log));
}
void leave(const wlfmt::workload::document& file) {
    std::string out;
    static_cast<void>(wlfmt::csv::write(out, file));
    wlfmt::analysis::timeline::write(test::into(out), file);
    wlfmt::analysis::plot::write(test::into(out), file);
    wlfmt::analysis::report::write(test::into(out), file);
    compare(file, wlfmt::workload::document());
    pull<wlfmt::json::workload_reader>(json_of(file));
}
void leave(const wlfmt::table::document& tables) {
    std::string out;
    static_cast<void>(wlfmt::csv::write(out, tables));
    for (const auto& one : tables.tables) wlfmt::analysis::plot::write(test::into(out), one);
    wlfmt::analysis::report::write(test::into(out), tables);
    compare(tables, wlfmt::table::document());
    pull<wlfmt::json::table_reader>(json_of(tables));
}

template <class Visitor> void visit_exits(Visitor&& visit) {
    const std::string text = run_text();
    const auto log = wlfmt::oplog::read(text);
    const auto slower = wlfmt::oplog::read(std::string_view(text).substr(text.find('\n') + 1));
    visit("csv of an op log", [&] {
        std::string out;
        static_cast<void>(wlfmt::csv::write(out, *log));
        static_cast<void>(wlfmt::csv::write_sub_operations(out, *log));
    });
    visit("a timeline", [&] { write_timeline(*log, wlfmt::analysis::timeline::alignment::flows); });
    visit("a picture and pages of a run", [&] { draw_run(*log); });
    visit("op logs compared", [&] { compare(*log, *slower); });
    const std::string log_json = json_of(*log) + "{\"rank\":1}\n{\"rank\":2,\"op\":\"a\"\n";
    visit("an op log from JSON", [&] { pull<wlfmt::json::oplog_reader>(log_json); });

    const std::string layers = test::data("workload/checkpoints.txt");
    const auto file = wlfmt::workload::read(layers);
    visit("csv of a workload", [&] {
        std::string out;
        static_cast<void>(wlfmt::csv::write(out, *file));
    });
    visit("a timeline of a workload", [&] {
        std::string out;
        wlfmt::analysis::timeline::write(test::into(out), *file);
    });
    visit("a picture of a workload", [&] {
        std::string out;
        wlfmt::analysis::plot::write(test::into(out), *file);
        wlfmt::analysis::report::write(test::into(out), *file);
    });
    visit("workloads compared", [&] { compare(*file, wlfmt::workload::document()); });
    const std::string layers_json = json_of(*file);
    visit("a workload from JSON", [&] { pull<wlfmt::json::workload_reader>(layers_json); });

    const std::string rows = test::data("table/stack.txt");
    const auto tables = wlfmt::table::read(rows);
    visit("csv of a table", [&] {
        std::string out;
        static_cast<void>(wlfmt::csv::write(out, *tables));
    });
    visit("a picture of a table", [&] {
        std::string out;
        wlfmt::analysis::plot::write(test::into(out), tables->tables[0]);
        wlfmt::analysis::report::write(test::into(out), *tables);
    });
    visit("tables compared", [&] { compare(*tables, wlfmt::table::document()); });
    const std::string rows_json = json_of(*tables);
    visit("tables from JSON", [&] {
        wlfmt::json::texts kept;
        std::string out;
        static_cast<void>(wlfmt::table::write(out, *wlfmt::json::read_table(rows_json, kept)));
    });
}

void leave_operations(std::string_view text) { leave(*wlfmt::oplog::read(text, lenient())); }
void leave_layers(std::string_view text) { leave(*wlfmt::workload::read(text, lenient())); }
void leave_tables(std::string_view text) { leave(*wlfmt::table::read(text, lenient())); }
template <class Reader> void pull_damaged(std::string_view text) { pull<Reader>(text); }

// JSON that nests as deep as n says, and is as long.
std::string hostile_json(std::size_t n) {
    std::string json = "{\"rank\":0,\"op\":\"a\",\"sub_operations\":[";
    for (std::size_t i = 0; i != n; ++i) json += "{\"k\":1},";
    json += "\"\"]}\n{\"rank\":0,\"op\":\"a\",\"k\":" + std::string(n, '[') + "\n";
    json += "{\"rank\":0,\"op\":\"" + std::string(n, '\\') + "\n";
    return json;
}

}  // namespace

TEST_CASE("the exporters leak no allocation") {
    // simdjson chooses its kernel at the first call, and remembers it.
    pull<wlfmt::json::oplog_reader>("{}");
    test::check_nothing_left([](const auto& visit) { visit_exits(visit); });
}

#ifdef __cpp_exceptions
TEST_CASE("where any allocation of the exporters fails, the program gets std::bad_alloc and nothing is leaked") {
    test::check_failing_allocations([](const auto& visit) { visit_exits(visit); });
}
#endif

TEST_CASE("the stack that the exporters take does not depend on the text") {
    constexpr test::stack_task tasks[] = {
        {"exits of op logs", leave_operations, test::hostile_operations},
        {"exits of workloads", leave_layers, test::hostile_layers},
        {"exits of tables", leave_tables, test::hostile_tables},
        {"json::oplog_reader", pull_damaged<wlfmt::json::oplog_reader>, hostile_json},
        {"json::table_reader", pull_damaged<wlfmt::json::table_reader>, hostile_json},
    };
    test::check_stack(tasks);
}
