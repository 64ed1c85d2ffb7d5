// Several threads read many files, under ThreadSanitizer (sanitizers.sh): batches come in the order of the files, other
// threads hold and release them, and streams are destroyed at any time.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../parallel.hpp"

namespace {

using wlfmt_python::finding;
using wlfmt_python::parallel_stream;

constexpr int files = 24;
constexpr int records = 40;

// Writes into the current folder, which is the test's own.
std::vector<wlfmt::arrow::input> write_logs(int empty = -1) {
    std::vector<wlfmt::arrow::input> made;
    for (int n = 0; n != files; ++n) {
        made.push_back({"log" + std::to_string(n) + ".txt"});
        std::ofstream file(made.back().name, std::ios::binary | std::ios::trunc);
        for (int m = 0; m != records && n != empty; ++m) {
            file << "rank:" << n << ":forward_step(batch_id=" << m << ",duration=1.5,sub_operations=[])\n";
            if (m == records / 2 && n % 5 == 0) file << "rank:" << n << ":loss_func(duration=soon)\n";
        }
    }
    return made;
}
std::unique_ptr<parallel_stream> open(std::vector<wlfmt::arrow::input> from, std::size_t threads,
                                      std::size_t rows_per_batch = 7, std::size_t files_per_group = 1) {
    wlfmt_python::plan plan;
    for (std::size_t n = 0; n != from.size(); ++n) {
        if (n % files_per_group == 0) plan.parts.emplace_back();
        plan.parts.back().files.push_back(std::move(from[n]));
    }
    plan.what.columns = {"rank", "batch_id"};
    plan.what.lenient = true;
    plan.what.rows_per_batch = rows_per_batch;
    plan.threads = threads;
    return std::make_unique<parallel_stream>(std::make_shared<wlfmt_python::plan>(std::move(plan)));
}

struct rows {
    std::vector<std::int64_t> ranks;
    std::vector<std::string> problems;
    int code = 0;
    std::string words;

    bool operator==(const rows& other) const {
        return ranks == other.ranks && problems == other.problems && code == other.code && words == other.words;
    }
    void add(ArrowArray& batch) {
        const auto* const values = static_cast<const std::int64_t*>(batch.children[0]->buffers[1]);
        ranks.insert(ranks.end(), values, values + batch.length);
        batch.release(&batch);
    }
};
// Takes at most `most` batches.
rows take(parallel_stream& from, int most = 1 << 20) {
    rows all;
    for (; most != 0; --most) {
        ArrowArray batch;
        all.code = from.next(
            batch, [&](const finding& f) { all.problems.push_back(f.text); }, [] { return true; });
        if (batch.release == nullptr) break;
        std::thread([&] { all.add(batch); }).join();
    }
    all.words = from.words();
    return all;
}

}  // namespace

TEST_CASE("any number of threads reads what the consumer's own thread reads") {
    for (const int empty : {-1, 0, 11}) {
        const auto logs = write_logs(empty);
        const rows alone = take(*open(logs, 0));
        std::vector<std::int64_t> ranks;
        std::size_t problems = 0;
        for (int n = 0; n != files; ++n) {
            if (n == empty) {  // a problem, after which the next file is read
                ++problems;
                continue;
            }
            ranks.insert(ranks.end(), n % 5 == 0 ? records + 1 : records, n);
            problems += n % 5 == 0 ? 1 : 0;
        }
        CHECK(alone.ranks == ranks);
        CHECK(alone.problems.size() == problems);
        CHECK(alone.code == 0);
        for (const unsigned threads : {1U, 2U, 5U, 40U})
            for (int round = 0; round != 2; ++round) CHECK(take(*open(logs, threads)) == alone);
    }
    auto logs = write_logs();
    logs[7].name = "missing.txt";
    const rows alone = take(*open(logs, 0));
    CHECK(alone.code == ENOENT);
    CHECK(alone.words.find("missing.txt") != std::string::npos);
    CHECK(take(*open(logs, 3)) == alone);
    const auto ended = open(logs, 3, 7, 4);
    CHECK(take(*ended) == alone);
    const rows nothing = take(*ended->resume());
    CHECK(nothing.code == ENOENT);
    CHECK(nothing.words == alone.words);
    CHECK(nothing.ranks.empty());
}

TEST_CASE("files that are read in pieces are what they are as a whole") {
    const std::string folder = WLFMT_TEST_DATA "/";
    std::vector<std::pair<std::string, std::string>> texts = {
        {"short.txt", "rank:1:f(duration=1.5)\nrank:1:g(duration=soon)\n\nno record\nrank:1:h(x=1,x=2)"},
        {"unended.txt",
         "\xEF\xBB\xBFrank:1:f(duration=1.5)\r\n\xEF\xBB\xBFrank:2:g()\nrank:3:h(duration=2.5,sub_operations=["},
        {"nothing.txt", "no record is here\nnor here\n"},
        {"prefix.txt", "[rank3]: rank:3:f(duration=1)\n[rank3]: rank:3:g(duration=2\n[rank3]: rank:3:h()\n"},
        {"lines.txt", std::string(5000, '\n') + "rank:1:f()\n" + std::string(9000, 'x') + "\nrank:1:g()\n"}};
    for (const char* name : {"oplog_rank7_pipeline_last_stage.txt", "oplog_rank7_moe_simulation.txt"}) {
        std::ifstream file(folder + name, std::ios::binary);
        texts.emplace_back(name, std::string(std::istreambuf_iterator<char>(file), {}));
        REQUIRE(texts.back().second.size() > 2000);
    }
    std::vector<wlfmt::arrow::input> files;
    for (const auto& [name, text] : texts) {
        std::ofstream(name, std::ios::binary | std::ios::trunc) << text;
        files.push_back({name});
    }
    const auto all_of = [&](const std::vector<wlfmt::arrow::input>& of, std::uint64_t piece, std::size_t threads,
                            bool lenient, wlfmt::arrow::contents what, const std::vector<std::int64_t>& ranks) {
        wlfmt_python::plan plan;
        plan.parts = wlfmt_python::divide(of, 2, piece);
        plan.what.contents = what;
        plan.what.columns = {"record", "rank"};
        plan.what.lenient = lenient;
        plan.what.ranks = ranks;
        plan.what.rows_per_batch = 3;
        plan.threads = threads;
        parallel_stream stream(std::make_shared<wlfmt_python::plan>(std::move(plan)));
        rows got = take(stream);
        if (stream.failed()) got.problems.push_back(stream.failed()->text);
        return got;
    };
    std::vector<std::vector<wlfmt::arrow::input>> lists = {files};
    for (const auto& one : files) lists.push_back({one});
    for (const auto& list : lists)
        for (const bool lenient : {true, false})
            for (const auto what : {wlfmt::arrow::contents::operations, wlfmt::arrow::contents::sub_operations})
                for (const std::vector<std::int64_t>& ranks : {std::vector<std::int64_t>{}, {7, 2}}) {
                    const rows whole = all_of(list, 0, 0, lenient, what, ranks);
                    for (const std::uint64_t piece : {1U, 7U, 23U, 300U, 1000U}) {
                        const std::uint64_t size = wlfmt_python::size_of(list[0].name);
                        if (size / piece > 100 || (list.size() > 1 && piece < 1000)) continue;
                        CAPTURE(list[0].name);
                        CAPTURE(piece);
                        // Threads change nothing but who reads a piece: they are tried where there are many pieces.
                        CHECK(all_of(list, piece, size / piece > 10 ? 3 : 0, lenient, what, ranks) == whole);
                    }
                }
    // A stream that is resumed counts on.
    wlfmt_python::plan plan;
    plan.parts = wlfmt_python::divide({{"oplog_rank7_pipeline_last_stage.txt"}}, 2, 2000);
    CHECK(plan.parts.size() == 5);
    plan.what.columns = {"record"};
    plan.what.rows_per_batch = 1;
    auto stream = std::make_unique<parallel_stream>(std::make_shared<wlfmt_python::plan>(std::move(plan)));
    rows got = take(*stream, 5);
    stream = stream->resume();
    got.ranks.push_back(-1);
    const rows rest = take(*stream);
    got.ranks.insert(got.ranks.end(), rest.ranks.begin(), rest.ranks.end());
    CHECK(got.ranks == std::vector<std::int64_t>{0, 1, 2, 3, 4, -1, 5, 6, 7, 8});
}

TEST_CASE("a stream can be let go of at any time, and goes on elsewhere where it was") {
    const auto logs = write_logs();
    const rows alone = take(*open(logs, 0));
    std::mt19937 random(1);
    for (int round = 0; round != 30; ++round) {
        auto first = open(logs, 1 + random() % 6);
        rows got = take(*first, static_cast<int>(random() % 80));
        if (round % 2 == 0) continue;
        for (const int most : {0, static_cast<int>(random() % 8), 1 << 20}) {
            first = first->resume();
            const rows rest = take(*first, most);
            got.ranks.insert(got.ranks.end(), rest.ranks.begin(), rest.ranks.end());
            got.problems.insert(got.problems.end(), rest.problems.begin(), rest.problems.end());
        }
        CHECK(got.ranks == alone.ranks);
        CHECK(got.problems == alone.problems);
    }
}

TEST_CASE("a stream ends where the consumer wants it to") {
    const auto logs = write_logs();
    const auto stream = open(logs, 4);
    ArrowArray batch;
    CHECK(stream->next(
              batch, [](const finding&) {}, [] { return true; }) == 0);
    REQUIRE((batch.release != nullptr));
    batch.release(&batch);
    for (int n = 0; n != 2; ++n) {
        CHECK(stream->next(
                  batch, [](const finding&) {}, [] { return false; }) == ECANCELED);
        CHECK((batch.release == nullptr));
    }
}

TEST_CASE("threads do not run ahead of the consumer") {
    for (const unsigned threads : {1U, 3U}) {
        const auto logs = write_logs();
        const auto stream = open(logs, threads, 1000);
        rows first = take(*stream, 1);
        CHECK(first.ranks.size() == records + 1);
        // By now they would have read all files, which are small.
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        std::remove(logs[2 * threads].name.c_str());
        const rows rest = take(*stream);
        CHECK(rest.code == ENOENT);
        CHECK(rest.ranks.back() == static_cast<std::int64_t>(2 * threads) - 1);
    }
    // Nor in one file, which is mapped: what they have not reached can still change.
    const wlfmt::arrow::input large = {"large.txt"};
    {
        std::ofstream file(large.name, std::ios::binary | std::ios::trunc);
        for (int n = 0; n != 20000; ++n) file << "rank:1:forward_step(batch_id=1)\n";
    }
    const auto stream = open({large}, 2);
    take(*stream, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::fstream(large.name, std::ios::binary | std::ios::in | std::ios::out).seekp(32 * 5000) << "rank:2";
    CHECK(take(*stream).ranks[5000 - 7] == 2);
}
