// Threads may read the same text, and look at the same document, at the same time. The preset `tsan` watches them.
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

namespace {

constexpr std::size_t threads = 4;
constexpr int rounds = 2;

// A document in its own format and as JSON, and its problems.
template <class Document> void append(std::string& all, const Document& doc) {
    write_unchecked(all, doc);
    all += name_of(problem_of(doc).kind);
    all += name_of(wlfmt::json::write(all, doc).kind);
}
template <class Document> void append(std::string& all, const wlfmt::result<Document>& read, std::string_view text) {
    append(all, *read);
    if (!read) all += explain(read.error(), text, wlfmt::in_file("text"));
}

void pull_operations(std::string& all, std::string_view text, const wlfmt::options& how) {
    wlfmt::oplog::reader log(text, how);
    do {
        while (const auto* op = log.next()) {
            all += op->op;
            for (const auto& sub : op->sub_operations) wlfmt::oplog::write_quoted(all, sub.comm_func);
            if (!log.ok()) break;
        }
    } while (log.skip());
}
void pull_layers(std::string& all, std::string_view text, const wlfmt::options& how) {
    wlfmt::workload::reader file(text, how);
    do
        while (const auto* layer = file.next()) write_unchecked(all, *layer);
    while (file.skip());
}
void pull_rows(std::string& all, std::string_view text, const wlfmt::options& how) {
    wlfmt::table::reader tables(text, how);
    do
        while (tables.next_table())
            while (const auto* row = tables.next())
                for (const auto& cell : row->cells) all += cell.text();
    while (tables.skip());
}

// Everything that can be read of a text in each format.
std::string reading(std::string_view text) {
    std::string all(name_of(wlfmt::detect(text)));
    for (const bool lenient : {false, true}) {
        wlfmt::options how;
        how.lenient = lenient;
        how.on_problem = [&](const wlfmt::problem& e) { all += name_of(e.kind); };
        pull_operations(all, text, how);
        pull_layers(all, text, how);
        pull_rows(all, text, how);
        append(all, wlfmt::oplog::read(text, how), text);
        append(all, wlfmt::workload::read(text, how), text);
        append(all, wlfmt::table::read(text, how), text);
    }
    return all;
}

// How many of the threads that work at the same time get another answer than `expected`.
template <class Work> std::size_t disagreements(const std::string& expected, const Work& work) {
    std::vector<std::size_t> wrong(threads);
    std::vector<std::thread> all;
    for (std::size_t n = 0; n != threads; ++n)
        all.emplace_back([&work, &expected, &count = wrong[n]] {
            for (int round = 0; round != rounds; ++round)
                if (work() != expected) ++count;
        });
    for (std::thread& one : all) one.join();
    std::size_t sum = 0;
    for (const std::size_t count : wrong) sum += count;
    return sum;
}

}  // namespace

TEST_CASE("threads that read the same text agree") {
    for (const std::string name :
         {"oplog_rank7_moe_simulation.txt", "workload_moe_128gpus.txt", "profiler_table_moe_train_step.txt",
          "oplog/error_bad_list.txt", "oplog/escapes.txt", "workload/error_fewer_layers.txt",
          "table/error_row_mismatch.txt", "table/stack.txt"}) {
        CAPTURE(name);
        const std::string text = test::data(name);
        CHECK(disagreements(reading(text), [&text] { return reading(text); }) == 0);
    }
}

TEST_CASE("threads that look at the same document agree") {
    const std::string log = test::data("oplog_rank7_moe_simulation.txt");
    const std::string layers = test::data("workload_dense_1024gpus.txt");
    const std::string rows = test::data("profiler_table_moe_train_step.txt");
    const auto operations = wlfmt::oplog::read(log);
    const auto workload = wlfmt::workload::read(layers);
    const auto tables = wlfmt::table::read(rows);
    REQUIRE(operations.ok());
    REQUIRE(workload.ok());
    REQUIRE(tables.ok());
    const auto look = [&] {
        std::string all;
        append(all, *operations);
        append(all, *workload);
        append(all, *tables);
        return all;
    };
    CHECK(disagreements(look(), look) == 0);
}
