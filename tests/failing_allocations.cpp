// Every allocation may fail: each function that allocates passes std::bad_alloc on and leaks nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <wlfmt/edit.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/wlfmt.hpp>
#include "analysis/summary/summary.hpp"

#include "into.hpp"
#include "support.hpp"

namespace {

using test::lenient;

// Calls visit(name, action) for everything that allocates, each action on real texts and on texts with errors.
template <class Visitor> void visit_allocating(Visitor&& visit) {
    const std::string log = test::data("oplog_rank7_moe_simulation.txt") + test::data("oplog/escapes.txt") +
                            test::data("oplog/further_keys.txt");
    const std::string bad_log = test::data("oplog/error_bad_list.txt");
    visit("oplog::read", [&] { static_cast<void>(wlfmt::oplog::read(log)); });
    visit("oplog::read, a bad line", [&] { static_cast<void>(wlfmt::oplog::read(bad_log)); });
    visit("oplog::read, lenient", [&] { static_cast<void>(wlfmt::oplog::read(bad_log, lenient())); });
    const auto operations = wlfmt::oplog::read(log);
    visit("oplog::document, copied and edited", [&] {
        auto doc = *operations;
        for (auto& op : doc.operations) static_cast<void>(op.sub_operations.edit());
        const auto copy = doc;
    });
    visit("find_prefixes", [&] { static_cast<void>(wlfmt::find_prefixes(log)); });
    visit("edits", [&] {
        wlfmt::edits edits;
        edits.replace(wlfmt::oplog::where((*operations).operations[0], "duration"), std::string(99, '7'));
        std::string out;
        static_cast<void>(edits.write(out, log));
    });
    visit("oplog::write", [&] {
        std::string out;
        static_cast<void>(wlfmt::oplog::write(out, *operations));
    });
    visit("oplog::write_quoted", [&] {
        std::string out;
        wlfmt::oplog::write_quoted(out, log);
    });
    visit("json::write of an op log", [&] {
        std::string out;
        static_cast<void>(wlfmt::json::write(out, *operations));
    });

    visit("oplog::pieces", [&] { static_cast<void>(wlfmt::oplog::pieces(log, 7)); });
    visit("oplog::stream, records kept", [&] {
        wlfmt::oplog::stream records;
        wlfmt::oplog::kept_operations kept;
        for (std::string_view rest = log; !rest.empty();
             rest.remove_prefix((std::min)(rest.size(), std::size_t{999}))) {
            records.feed(rest.substr(0, 999));
            while (const auto op = records.next()) kept.add(op);
        }
        records.finish();
        while (const auto op = records.next()) kept.add(op);
    });
    // In two parts of a text, with times whose sums are beyond 64 bits.
    const std::string long_log =
        "rank:5:f(stage_id=1,duration=2305843009212.5,timestamp=1.5)\n"
        "rank:5:send_forward(stage_id=1,duration=2305843009212.5,timestamp=2.5)\n"
        "rank:5:f(stage_id=1,duration=2305843009212.5,timestamp=3.5)\n"
        "rank:5:f(stage_id=1,duration=2305843009212.5,timestamp=4.5)\n"
        "rank:6:f(stage_id=1,duration=2305843009212.5,timestamp=5.5)\n" +
        log;
    const auto sums_of = [&](std::size_t begin, std::size_t end) {
        wlfmt::analysis::summary sums;
        sums.begin_part("log", begin);
        wlfmt::oplog::reader records(std::string_view(long_log).substr(begin, end - begin));
        while (const auto* op = records.next()) sums.add(*op);
        sums.end_part(end == long_log.size() ? wlfmt::byte_range().end : end);
        return sums;
    };
    const std::size_t cut = long_log.size() / 2 - long_log.size() / 2 % (long_log.find('\n') + 1);
    visit("analysis::summary", [&] { static_cast<void>(sums_of(0, cut)); });
    const wlfmt::analysis::summary first = sums_of(0, cut);
    const wlfmt::analysis::summary second = sums_of(cut, long_log.size());
    visit("analysis::summary, copied and merged", [&] {
        wlfmt::analysis::summary all = first;
        static_cast<void>(all.merge(second));
        static_cast<void>(all.merge(wlfmt::analysis::summary(first)));
        static_cast<void>(all.merge(all));
    });
    visit("analysis::summary, asked", [&] {
        static_cast<void>(first.ranks());
        for (const auto by : first.breakdowns()) static_cast<void>(first.rows(by));
    });
    std::string line;
    wlfmt::analysis::write(test::into(line), first);
    visit("write of a summary", [&] {
        std::string out;
        wlfmt::analysis::write(test::into(out), first);
    });
    visit("read_summary", [&] { static_cast<void>(wlfmt::analysis::read_summary(line)); });
    visit("read_summary, a bad line",
          [&] { static_cast<void>(wlfmt::analysis::read_summary(std::string_view(line).substr(0, line.size() / 2))); });
    const std::vector<std::string> names = {
        "runs/a/wd4_tp1_rank0_20250101000000.txt", "runs/a/wd4_tp1_rank0_20250102000000.txt",
        "runs/b/wd4_tp1_rank0_20250102000000.txt", "runs/a/wd4_tp2_rank2_20250102000000.txt",
        "runs/a/wd4_tp3_rank7_20250102000000.txt", "runs/a/wd4_tp1_rank0_20250101000000.txt"};
    visit("oplog::choose_files", [&] { static_cast<void>(wlfmt::oplog::choose_files(names)); });

    const std::string layers = test::data("workload_moe_128gpus.txt");
    const std::string bad_layers = test::data("workload/error_fewer_layers.txt");
    visit("workload::read", [&] { static_cast<void>(wlfmt::workload::read(layers)); });
    visit("workload::read, a bad count", [&] { static_cast<void>(wlfmt::workload::read(bad_layers)); });
    visit("workload::read, lenient", [&] { static_cast<void>(wlfmt::workload::read(bad_layers, lenient())); });
    const auto workload = wlfmt::workload::read(layers);
    visit("workload::document, edited", [&] {
        auto doc = *workload;
        static_cast<void>(doc.header.entries.edit());
    });
    visit("workload::write", [&] {
        std::string out;
        static_cast<void>(wlfmt::workload::write(out, *workload));
    });
    visit("json::write of a workload", [&] {
        std::string out;
        static_cast<void>(wlfmt::json::write(out, *workload));
    });

    const std::string tables = test::data("profiler_table_moe_train_step.txt") + test::data("table/stack_flops.txt") +
                               test::data("table/titles.txt");
    const std::string bad_table = test::data("table/error_row_mismatch.txt");
    visit("table::reader, rows and columns kept", [&] {
        wlfmt::table::reader reader(tables);
        std::vector<wlfmt::table::row> kept;
        while (reader.next_table())
            while (const auto* row = reader.next()) kept.push_back(*row);
    });
    visit("table::read", [&] { static_cast<void>(wlfmt::table::read(tables)); });
    visit("table::read, a bad row", [&] { static_cast<void>(wlfmt::table::read(bad_table)); });
    visit("table::read, lenient", [&] { static_cast<void>(wlfmt::table::read(bad_table, lenient())); });
    visit("table::pieces", [&] { static_cast<void>(wlfmt::table::pieces(tables, 2)); });
    const auto summaries = wlfmt::table::read(tables);
    visit("table::document, copied and edited", [&] {
        auto doc = *summaries;
        static_cast<void>(doc.tables[0].edit_cell(0, "Name"));
        const auto row = doc.tables[0].row(0);
    });
    visit("table::write", [&] {
        std::string out;
        static_cast<void>(wlfmt::table::write(out, *summaries));
    });
    visit("table::problem_of", [&] { static_cast<void>(wlfmt::table::problem_of(*summaries)); });
    visit("json::write of tables", [&] {
        std::string out;
        static_cast<void>(wlfmt::json::write(out, *summaries));
    });

    const wlfmt::problem problem = wlfmt::oplog::read(bad_log).error();
    visit("message", [&] { static_cast<void>(wlfmt::message(problem, bad_log)); });
    visit("explain", [&] { static_cast<void>(wlfmt::explain(problem, bad_log, wlfmt::in_file("rank7.txt"))); });

    const std::string path = test::data_path("workload_moe_128gpus.txt");
    visit("read_file", [&] {
        std::string text;
        static_cast<void>(wlfmt::read_file(path.c_str(), text));
    });
    visit("text_file", [&] {
        const wlfmt::text_file file(path);
        static_cast<void>(file.ok());
    });
}

}  // namespace

TEST_CASE("documents, texts and files leak no allocation") {
    test::check_nothing_left([](const auto& visit) { visit_allocating(visit); });
}

#ifdef __cpp_exceptions
TEST_CASE("where any one allocation fails, the program gets std::bad_alloc and nothing is leaked") {
    test::check_failing_allocations([](const auto& visit) { visit_allocating(visit); });
}

TEST_CASE("after an allocation has failed, a summary gives no two names one number") {
    const std::string text =
        "rank:5:a_name_that_needs_memory_of_its_own(duration=1)\n"
        "rank:5:another_name_that_needs_memory_of_its_own(duration=2)\n";
    const auto log = wlfmt::oplog::read(text);
    REQUIRE(log.ok());
    const auto& [first, second] = std::tie(log->operations[0], log->operations[1]);
    bool failed = true;
    for (std::size_t n = 0; failed; ++n) {
        wlfmt::analysis::summary all;
        failed = false;
        try {
            const test::failing_allocations fails(n);
            all.add(first);
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        all.add(second);
        all.add(first);
        for (const auto& row : all.rows(wlfmt::analysis::dimension::operation)) {
            CAPTURE(n);
            CHECK((row.operation == first.op || row.operation == second.op));
            if (row.operation == second.op) CHECK(row.tally.records == 1);
        }
    }
}
#endif
