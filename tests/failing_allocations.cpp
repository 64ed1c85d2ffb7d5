// Every allocation may fail: each function that allocates passes std::bad_alloc on and leaks nothing.
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

namespace {

wlfmt::options lenient() {
    wlfmt::options how;
    how.lenient = true;
    return how;
}

// Calls visit(name, action) for everything that allocates, each action on real texts and on texts with errors.
template <class Visitor>
void visit_allocating(Visitor&& visit) {
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

    const std::string layers = test::data("workload_moe_128gpus.txt");
    const std::string bad_layers = test::data("workload/error_fewer_layers.txt");
    visit("workload::read", [&] { static_cast<void>(wlfmt::workload::read(layers)); });
    visit("workload::read, a bad count", [&] { static_cast<void>(wlfmt::workload::read(bad_layers)); });
    visit("workload::read, lenient", [&] { static_cast<void>(wlfmt::workload::read(bad_layers, lenient())); });
    const auto workload = wlfmt::workload::read(layers);
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
    const auto summaries = wlfmt::table::read(tables);
    visit("table::write", [&] {
        std::string out;
        static_cast<void>(wlfmt::table::write(out, *summaries));
    });
    visit("table::problem_of", [&] { static_cast<void>(wlfmt::table::problem_of(*summaries)); });
    visit("json::write of tables", [&] {
        std::string out;
        static_cast<void>(wlfmt::json::write(out, *summaries));
    });

    const wlfmt::error problem = wlfmt::oplog::read(bad_log).error();
    visit("message", [&] { static_cast<void>(wlfmt::message(problem, bad_log)); });
    visit("explain", [&] { static_cast<void>(wlfmt::explain(problem, bad_log, "rank7.txt")); });

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
    visit_allocating([](const std::string& what, const auto& action) {
        CAPTURE(what);
        const std::size_t before = test::live_allocations();
        action();
        CHECK(test::live_allocations() == before);
    });
}

#ifdef __cpp_exceptions
TEST_CASE("where any one allocation fails, the program gets std::bad_alloc and nothing is leaked") {
    visit_allocating([](const std::string& what, const auto& action) {
        CAPTURE(what);
        for (std::size_t n = 0;; ++n) {
            CAPTURE(n);
            const std::size_t before = test::live_allocations();
            bool failed = false;
            bool thrown = false;
            {
                const test::failing_allocations failing(n);
                try {
                    action();
                } catch (const std::bad_alloc&) {
                    thrown = true;
                }
                failed = failing.failed();
            }
            CHECK(thrown == failed);
            CHECK(test::live_allocations() == before);
            if (!failed) break;
        }
    });
}
#endif
