// What remedies would gain, and how fast bytes move, in runs that are small enough to be computed by hand. Random runs
// are in tests/answers/.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answers/answers.hpp"
#include "analysis/answers/schedule.hpp"

#include "answers_support.hpp"
#include "support.hpp"

namespace analysis = wlfmt::analysis;
namespace oplog = wlfmt::oplog;

namespace {

using change = analysis::remedy::change;
using obstacle = analysis::replay_answer::obstacle;

std::string call(const std::string& duration, const std::string& end, const std::string& tensor,
                 const std::string& function = "allreduce") {
    return "'trace_src_func=f,duration=" + duration + ",timestamp=" + end + "," + tensor +
           "group=tp,comm_func=" + function + "'";
}
std::string record(const std::string& op, const std::string& duration, const std::string& end,
                   const std::string& nested = {}) {
    return op + "(stage_id=0,batch_id=0,duration=" + duration + ",timestamp=" + end + ",sub_operations=[" + nested +
           "])\n";
}
// The lines of each rank, without its number.
analysis::run_answers answers_of(const std::vector<std::vector<std::string>>& ranks, const std::string& sizes) {
    analysis::summary all(analysis::summary::keep::calls);
    for (std::size_t r = 0; r != ranks.size(); ++r) {
        std::string text;
        for (const std::string& line : ranks[r]) text += "rank:" + std::to_string(r) + ":" + line;
        all.begin_text(sizes + "_rank" + std::to_string(r) + "_20250101000000.txt");
        oplog::reader records(text);
        while (const auto* op = records.next()) all.add(*op);
        REQUIRE(records.ok());
        all.end_text();
    }
    return analysis::answers_of(all);
}
std::optional<double> gain(const analysis::run_answers& a, change what) {
    for (const analysis::remedy& one : a.replay.remedies)
        if (one.what == what) return one.gain.number();
    return std::nullopt;
}
const std::string bytes = "input__shape=[1000000],input__dtype=torch.uint8,";

// Two ranks that work for 10 and 20 ms, meet for 1 ms, and work for 5 ms. The first one may have begun 100 ms earlier,
// and have waited for as long.
std::vector<std::vector<std::string>> uneven(const std::string& first = {}) {
    std::vector<std::vector<std::string>> ranks{
        {record("forward_step", "26.0", "1026.0", call("11.0", "1021.0", bytes))},
        {record("forward_step", "26.0", "1026.0", call("1.0", "1021.0", bytes))}};
    if (!first.empty()) ranks[0] = {record("forward_step", first, "1026.0", call("111.0", "1021.0", bytes))};
    return ranks;
}

}  // namespace

TEST_CASE("a replay says what one change gains: the least pieces, their means, no gaps; limits are last") {
    const analysis::run_answers a = answers_of(uneven(), "wd2_tp2_pp1");
    REQUIRE(a.replay.reason == obstacle::none);
    CHECK(a.replay.iteration == doctest::Approx(26));
    CHECK(a.replay.replayed == doctest::Approx(26));
    CHECK(a.replay.error.at_most() < 1e-9);
    // 20 ms become 10; or 15 in both ranks.
    CHECK(gain(a, change::rank_as_peers) == doctest::Approx(10));
    CHECK(gain(a, change::even_work_in_stages) == doctest::Approx(5));
    CHECK(gain(a, change::no_gaps) == doctest::Approx(0));
    CHECK(gain(a, change::no_transfer) == doctest::Approx(1));
    CHECK_FALSE(gain(a, change::all_ranks_as_peers));
    CHECK_FALSE(gain(a, change::even_stages));
    CHECK_FALSE(gain(a, change::twice_the_micro_batches));
    REQUIRE(a.replay.remedies.size() == 4);
    CHECK(a.replay.remedies[0].rank == std::optional<std::int64_t>(1));
    CHECK(a.replay.remedies[3].is_limit);
    CHECK(message(a.replay.remedies[0]) == "rank 1 working as its peers");
    CHECK(message(a.replay.remedies[3]) == "transfers that take no time");
}

TEST_CASE("a replay is not used where it is inexact, where ranks would wait for ever, or where something is unknown") {
    // The first rank began 100 ms before the second one, which the second one's log does not explain.
    const analysis::run_answers late = answers_of(uneven("126.0"), "wd2_tp2_pp1");
    CHECK(late.replay.reason == obstacle::inexact);
    CHECK(late.replay.iteration == doctest::Approx(126));
    CHECK(late.replay.error == doctest::Approx(100.0 / 126));
    CHECK(late.replay.remedies.empty());
    // Either side receives before it sends.
    const auto message = [](const char* op, const char* end, int stage = 0) {
        return std::string(op) + "(stage_id=" + std::to_string(stage) +
               ",batch_id=0,duration=2.0,input__shape=[8],input__dtype=torch.uint8,timestamp=" + end +
               ",sub_operations=[])\n";
    };
    const analysis::run_answers crossed =
        answers_of({{message("recv_backward", "1002.0"), message("send_forward", "1005.0")},
                    {message("recv_forward", "1002.0", 1), message("send_backward", "1005.0", 1)}},
                   "wd2_tp1_pp2");
    CHECK(crossed.replay.reason == obstacle::stuck);
    // A message that nobody sent; a rank without a log; more ranks than there is memory for.
    const analysis::run_answers unsent =
        answers_of({{message("send_forward", "1002.0")},
                    {message("recv_forward", "1002.0", 1), message("recv_forward", "1005.0", 1)}},
                   "wd2_tp1_pp2");
    CHECK(unsent.replay.reason == obstacle::unknown_time);
    // A backward_step that one rank lacks, or whose time it lacks, is no gap of its log.
    auto lost = uneven();
    for (auto& rank : lost) rank.push_back(record("backward_step", "4.0", "1030.0"));
    CHECK(answers_of(lost, "wd2_tp2_pp1").replay.reason == obstacle::none);
    lost[1].back() = record("optimizer_step", "4.0", "1030.0");
    CHECK(answers_of(lost, "wd2_tp2_pp1").replay.reason == obstacle::unknown_time);
    lost[1] = {uneven()[1][0], record("backward_step", "None", "1030.0")};
    CHECK(answers_of(lost, "wd2_tp2_pp1").replay.reason == obstacle::unknown_time);
    CHECK(answers_of(uneven(), "wd4_tp2_pp1").replay.reason == obstacle::unknown_time);
    CHECK(answers_of(uneven(), "wd4000000000000_tp2_pp2000000000000").replay.reason == obstacle::unknown_time);
    CHECK(answers_of({uneven()[0]}, "wd1_tp1_pp1").replay.reason == obstacle::not_tried);
}

// Two stages of one rank, which pass a micro-batch forward (10 ms a stage) and backward (20 ms) before the next begins.
// A message takes 1 ms.
std::vector<std::vector<std::string>> one_after_the_other(int batches) {
    std::vector<std::vector<std::string>> ranks(2);
    const auto add = [&](std::size_t stage, int batch, const char* op, int begin, int end) {
        ranks[stage].push_back(std::string(op) + "(stage_id=" + std::to_string(stage) +
                               ",batch_id=" + std::to_string(batch) + ",duration=" + std::to_string(end - begin) +
                               ",input__shape=[8],input__dtype=torch.uint8,timestamp=" + std::to_string(1000 + end) +
                               ",sub_operations=[])\n");
    };
    for (int n = 0; n != batches; ++n) {
        const int at = 62 * n;
        add(0, n, "forward_step", at, at + 10);
        add(0, n, "send_forward", at + 10, at + 11);
        add(0, n, "recv_backward", at + 11, at + 42);
        add(0, n, "backward_step", at + 42, at + 62);
        add(1, n, "recv_forward", n == 0 ? 0 : at - 20, at + 11);
        add(1, n, "forward_step", at + 11, at + 21);
        add(1, n, "backward_step", at + 21, at + 41);
        add(1, n, "send_backward", at + 41, at + 42);
    }
    return ranks;
}

TEST_CASE("passes that are not in turn have a remedy, which twice the micro-batches include") {
    const analysis::run_answers a = answers_of(one_after_the_other(2), "wd2_tp1_pp2");
    REQUIRE(a.replay.reason == obstacle::none);
    CHECK(a.replay.schedule == obstacle::none);
    CHECK(a.replay.replayed == doctest::Approx(124));
    // In turn, the first stage ends after 93 ms and, with four micro-batches, after 155 ms.
    CHECK(gain(a, change::passes_in_turn) == doctest::Approx(31));
    CHECK(gain(a, change::twice_the_micro_batches) == doctest::Approx(124 - 155 / 2.0));
    CHECK(message(a.replay.remedies[1]) == "forward and backward passes in turn (1F1B)");
    CHECK(headline(a) == "Twice the micro-batches (for the same work) would save 46.5 ms, 37.5 % of the iteration");
    // One micro-batch has no other order.
    const analysis::run_answers one = answers_of(one_after_the_other(1), "wd2_tp1_pp2");
    CHECK_FALSE(gain(one, change::passes_in_turn));
    CHECK(gain(one, change::twice_the_micro_batches) == doctest::Approx(62 - 93 / 2.0));
}

TEST_CASE("a micro-batch is that of a step of the pipeline, not what the tracer writes between micro-batches") {
    analysis::program_step s;
    s.batch = 0;
    const std::vector<std::string> names = {"", "forward_step", "recv_forward", "dp_allreduce", "optimizer_step"};
    for (s.operation = 1; s.operation != 3; ++s.operation) CHECK(analysis::batch_of(names, s) == 0);
    for (; s.operation != 5; ++s.operation) CHECK(analysis::batch_of(names, s) == analysis::program_step::no_batch);
}

TEST_CASE("bandwidth is by collective and bytes; bytes that the log does not have are not guessed") {
    const auto rank = [&](const std::string& odd, const std::string& own) {
        return std::vector<std::string>{record(
            "forward_step", "9.0", "1009.0",
            call("2.0", "1002.0", bytes) + ", " + call("4.0", "1006.0", bytes) + ", " + call("0.5", "1006.5", odd) +
                ", " + call("0.25", "1006.75", own, "all_to_all") + ", " + call("1.25", "1008.0", bytes, "barrier"))};
    };
    const analysis::run_answers a = answers_of({rank("", "input__shape=[300],input__dtype=torch.uint8,"),
                                                rank("", "input__shape=[500],input__dtype=torch.uint8,")},
                                               "wd2_tp2_pp1");
    REQUIRE(a.bandwidth.size() == 4);
    const auto row = [&](const char* function, std::int64_t size) {
        for (const analysis::bandwidth_answer& b : a.bandwidth)
            if (b.function == function && b.size == size) return b;
        FAIL("no such row");
        return analysis::bandwidth_answer();
    };
    const analysis::bandwidth_answer reduced = row("allreduce", 1000000);
    CHECK(reduced.group == "tp");
    CHECK(reduced.ranks == 2);
    CHECK(reduced.calls == 2);
    CHECK(reduced.bytes == 2e6);
    CHECK(reduced.transfer == doctest::Approx(6));
    CHECK(reduced.median_transfer == doctest::Approx(2));
    CHECK(reduced.least_transfer == doctest::Approx(2));
    CHECK(reduced.algorithm == doctest::Approx(2e6 / 6e-3 / 1e9));
    CHECK(reduced.bus == doctest::Approx(2e6 / 6e-3 / 1e9));
    const analysis::bandwidth_answer without_size = row("allreduce", analysis::bandwidth_answer::unknown_size);
    CHECK(without_size.calls == 1);
    CHECK_FALSE(without_size.bytes.is_known());
    CHECK_FALSE(without_size.algorithm.is_known());
    const analysis::bandwidth_answer differs = row("all_to_all", analysis::bandwidth_answer::differs);
    CHECK(differs.bytes == 400);
    CHECK(differs.bus == doctest::Approx(differs.algorithm.number() / 2));
    CHECK_FALSE(row("barrier", 1000000).bus.is_known());
}
