// The answers that the op logs of a run give. tests/answers/ compares the command's answers with a computation in
// Python.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/answers/align.hpp"
#include "analysis/answers/answers.hpp"
#include "analysis/answers/rank.hpp"
#include "analysis/summary/state.hpp"

#include "answers_support.hpp"
#include "into.hpp"
#include "support.hpp"

namespace analysis = wlfmt::analysis;
namespace oplog = wlfmt::oplog;
using analysis::summary;

namespace {

// A log of a rank, in the tracer's own layout.
class rank_log {
public:
    rank_log(int rank, int stage) : rank_(rank), stage_(stage) {}
    rank_log& add(const std::string& op, double duration, double end, const std::string& nested = "",
                  const std::string& more = "") {
        text_ += "rank:" + std::to_string(rank_) + ":" + op + "(stage_id=" + std::to_string(stage_) +
                 ",batch_id=" + std::to_string(batch_) + ",mg_state=steady,duration=" + text(duration) + more +
                 ",timestamp=" + text(end) + ",sub_operations=[" + nested + "])\n";
        return *this;
    }
    rank_log& batch(int n) {
        batch_ = n;
        return *this;
    }
    static std::string call(const std::string& group, double duration, double end, int bytes = 8,
                            const std::string& function = "allreduce", const std::string& source = "f") {
        return "'trace_src_func=" + source + ",duration=" + text(duration) + ",timestamp=" + text(end) +
               ",input__shape=[" + std::to_string(bytes) + "],input__dtype=torch.uint8,group=" + group +
               ",comm_func=" + function + "'";
    }
    int rank() const { return rank_; }
    const std::string& text() const { return text_; }

private:
    static std::string text(double v) {
        std::string to;
        wlfmt::append_value(to, wlfmt::number(v));
        return to;
    }
    int rank_;
    int stage_;
    int batch_ = 0;
    std::string text_;
};

summary summary_of(const std::vector<rank_log>& logs, const std::string& sizes) {
    summary all(summary::keep::calls);
    for (const rank_log& log : logs) {
        all.begin_text("run/" + sizes + "_rank" + std::to_string(log.rank()) + "_20250101000000.txt");
        oplog::reader records(log.text());
        while (const auto* op = records.next()) all.add(*op);
        REQUIRE(records.ok());
    }
    return all;
}
analysis::run_answers answers(const std::vector<rank_log>& logs, const std::string& sizes) {
    return analysis::answers_of(summary_of(logs, sizes));
}
const analysis::group_answer& group(const std::vector<analysis::group_answer>& of, std::string_view name) {
    for (const auto& g : of)
        if (g.group == name) return g;
    static const analysis::group_answer none;
    FAIL("no group " << name);
    return none;
}

// Two ranks of a tensor parallel group meet twice; the second takes longer to come.
std::vector<rank_log> two_ranks(double skew = 0) {
    rank_log a(0, 0);
    rank_log b(1, 0);
    a.add("forward_step", 30, 1030, rank_log::call("tp", 6, 1015) + "," + rank_log::call("tp", 11, 1030));
    b.add("forward_step", 30, 1030 + skew,
          rank_log::call("tp", 1, 1015 + skew) + "," + rank_log::call("tp", 1, 1030 + skew));
    a.add("backward_step", 20, 1052);
    b.add("backward_step", 40, 1072 + skew);
    return {a, b};
}

}  // namespace

TEST_CASE("the member with the shortest call came last, and the others waited for it") {
    for (const double skew : {0.0, 500000.0}) {
        CAPTURE(skew);
        const auto a = answers(two_ranks(skew), "wd2_tp2_pp1");
        REQUIRE(a.ranks.size() == 2);
        CHECK(a.together);
        CHECK(a.same_clock == (skew == 0));
        CHECK(a.common_moment == (skew == 0));
        const auto& first = a.ranks[0];
        CHECK(first.account.span == 52);
        CHECK(first.account.work == 33);  // 30 - 17 + 20
        CHECK(first.account.transfer == 2);
        CHECK(first.account.stage_waiting == 15);
        CHECK(first.account.pipeline_waiting == 0);
        CHECK(first.account.gaps == 2);
        CHECK(first.caused == 0);
        CHECK(first.late == 0);
        CHECK(first.uneven == 15);
        CHECK(first.nested_calls == 2);
        CHECK(first.nested_bytes == 16);
        const auto& second = a.ranks[1];
        CHECK(second.account.work == 68);
        CHECK(second.caused == 15);
        CHECK(second.late == 2);
        const auto& tp = group(a.groups, "tp");
        CHECK(tp.calls == 4);
        CHECK(tp.bytes == 32);
        CHECK(tp.transfer == 4);
        CHECK(tp.waiting == 15);
        REQUIRE(a.slowest_rank);
        CHECK(a.slowest_rank->rank == 1);
        CHECK(a.slowest_rank->reason == analysis::slow_rank::cause::longer);
        CHECK(a.slowest_rank->excess == 35);
        CHECK(a.slowest_rank->similar == std::vector<std::int64_t>{1});
        CHECK_FALSE(a.slowest_stage);
        CHECK_FALSE(a.pipeline_time.is_known());
    }
}

TEST_CASE("clocks that differ by a millisecond are not one clock, though the spans share a moment") {
    const auto a = answers(two_ranks(5), "wd2_tp2_pp1");
    CHECK(a.common_moment);
    CHECK_FALSE(a.same_clock);
    CHECK(a.ranks[0].account.stage_waiting == 15);
    CHECK(answers(two_ranks(0.5), "wd2_tp2_pp1").same_clock);
}

TEST_CASE("without sizes transfer and waiting are one number, and a group of one rank sends nothing") {
    const auto unknown = answers(two_ranks(), "log");
    CHECK_FALSE(unknown.sizes);
    CHECK(unknown.ranks[0].account.work == 33);
    CHECK(is_no_less(unknown.ranks[0].account.transfer, 0));
    CHECK(unknown.ranks[0].account.unknown == 17);
    CHECK(is_no_less(unknown.ranks[0].account.stage_waiting, 0));
    CHECK(group(unknown.groups, "tp").unknown == 19);
    // Given by the program instead.
    const auto given = analysis::answers_of(summary_of(two_ranks(), "log"), analysis::run_sizes{2, 2, 1, 1});
    CHECK(given.ranks[0].account.stage_waiting == 15);
    // tp is 1, and dp is 2: what is called tp has a group of one.
    const auto alone = answers(two_ranks(), "wd2_tp1_pp1");
    CHECK(alone.alone == std::vector<std::string>{"tp"});
    CHECK(alone.ranks[0].account.work == 50);
    CHECK(alone.ranks[0].alone == 17);
    // Sizes that do not divide, and a rank beyond the world.
    CHECK_FALSE(answers(two_ranks(), "wd2_tp4_pp1").sizes);
    CHECK(answers(two_ranks(), "wd1_tp1_pp1").left_out == std::vector<std::int64_t>{1});
}

TEST_CASE("an asynchronous operation waits at most until the last member arrives") {
    const auto logs = [](double late) {
        std::vector<rank_log> all;
        for (int rank = 0; rank != 2; ++rank) {
            const double own = rank == 1 ? late : 0;
            rank_log log(rank, 0);
            log.add("forward_step", 10, 1010, rank_log::call("tp", 2, 1010));
            // Launched at 1015, later by the second; both end what they compute beside it at 1030.
            log.add("backward_step", 20, 1030,
                    rank_log::call("tp", 15 - own, 1030, 8, "allreduce", "linear_bwd_async"));
            log.add("forward_step", 10, 1040, rank_log::call("tp", 2, 1040));
            all.push_back(log);
        }
        return all;
    };
    const auto a = answers(logs(6), "wd2_tp2_pp1");
    CHECK(a.ranks[0].account.stage_waiting == 6);
    CHECK(a.ranks[1].account.stage_waiting == 0);
    CHECK(a.ranks[1].caused == 6);
    CHECK(group(a.groups, "tp").overlapped == 18);  // 15 + 9 - 6
    CHECK(group(a.groups, "tp").transfer == 8);
    CHECK(a.ranks[0].account.work == 30);  // 40 - 4 - 6
    const auto even = answers(logs(0), "wd2_tp2_pp1");
    CHECK(even.total.stage_waiting == 0);
    REQUIRE(even.slowest_rank);
    CHECK(even.slowest_rank->reason == analysis::slow_rank::cause::none);
    CHECK(even.slowest_rank->similar.empty());
    CHECK(group(even.groups, "tp").waiting_more == 0);
    // Both last 15 ms, and the second begins 3 ms later: the first may have waited for these 3 ms, or may not. Clocks
    // that differ by a day change nothing, as the blocking calls tell how far they are apart.
    for (const double skew : {0.0, 86400000.0}) {
        CAPTURE(skew);
        std::vector<rank_log> shifted;
        for (int rank = 0; rank != 2; ++rank) {
            const double clock = rank * skew;
            rank_log log(rank, 0);
            log.add("forward_step", 10, 1010 + clock, rank_log::call("tp", 2, 1010 + clock));
            log.add("backward_step", 20, 1033 + clock,
                    rank_log::call("tp", 15, 1030 + 3 * rank + clock, 8, "allreduce", "linear_bwd_async"));
            log.add("forward_step", 10, 1043 + clock, rank_log::call("tp", 2, 1043 + clock));
            shifted.push_back(log);
        }
        const auto later = answers(shifted, "wd2_tp2_pp1");
        const auto& tp = group(later.groups, "tp");
        CHECK(tp.waiting == 0);
        CHECK(tp.waiting_more == 3);
        CHECK(tp.overlapped == 30);
        CHECK(tp.late == 1);  // both came last in the blocking calls
        CHECK(later.ranks[1].late == 1);
        CHECK(later.same_clock == (skew == 0));
    }
}

TEST_CASE("stages, the bubble, and what an exchange that is written twice waits") {
    const std::string pp = ",group_kind=pp,input__shape=[8],input__dtype=torch.int64";
    rank_log a(0, 0);
    a.batch(0).add("forward_step", 10, 1010).add("send_forward", 1, 1011, "", pp);
    a.batch(1).add("forward_step", 10, 1021);
    a.add("send_forward", 16, 1037, "", pp).batch(0).add("recv_backward", 16, 1037, "", pp);
    a.add("backward_step", 20, 1057).add("recv_backward", 21, 1078, "", pp).batch(1).add("backward_step", 20, 1098);
    a.add("optimizer_step", 12, 1110);
    rank_log b(1, 1);
    b.batch(0).add("recv_forward", 12, 1012, "", pp).add("forward_step", 5, 1017).add("backward_step", 18, 1035);
    b.add("send_backward", 1, 1036, "", pp).batch(1).add("recv_forward", 1, 1037, "", pp);
    b.add("forward_step", 5, 1042).add("backward_step", 35, 1077).add("send_backward", 1, 1078, "", pp);
    b.add("optimizer_step", 32, 1110);
    const auto r = answers({a, b}, "wd2_tp1_pp2");
    CHECK(r.together);
    CHECK(r.doubles == 1);
    CHECK(r.doubled == 16);
    CHECK(r.micro_batches == 2);
    CHECK(r.pipeline_time == 98);
    REQUIRE(r.stages.size() == 2);
    CHECK(r.stages[0].busy == 60);
    CHECK(r.stages[0].per_batch == 30);
    CHECK(r.stages[0].bubble == 38);
    CHECK(r.stages[1].busy == 63);
    CHECK(r.stages[1].fill == 12);
    CHECK(r.stages[1].drain == 21);
    CHECK(r.bubble_share == doctest::Approx((38 + 35) / 2.0 / 98));
    CHECK(r.equal_share == doctest::Approx(1 / 3.0));
    CHECK(r.least_time == 93);  // 30 + 2 * 31.5
    CHECK(r.least_time_even == 93);
    // The quickest message took 1 ms; the exchange is one of them.
    CHECK(group(r.ranks[0].groups, "pp").calls == 3);
    CHECK(group(r.ranks[0].groups, "pp").waiting == 35);
    CHECK(group(r.ranks[0].groups, "pp").transfer == 3);
    CHECK(group(r.ranks[0].groups, "pp").bytes == 3 * 64);
    std::vector<std::string> names;
    for (const auto& one : r.ranks[0].operations) names.push_back(one.operation);
    CHECK(std::find(names.begin(), names.end(), "forward_step") != names.end());
    // The optimizer waits for the other stage.
    // Only messages show how far the clocks of two stages are apart.
    CHECK(is_around(group(r.ranks[1].groups, "model").waiting, 20));
    CHECK(is_around(r.ranks[1].account.pipeline_waiting, 11 + 20));
    CHECK(is_around(r.ranks[1].account.work, 63 + 12));
    CHECK(r.ranks[0].account.gaps == 0);
    REQUIRE(r.slowest_stage);
    CHECK(r.slowest_stage->stage == 1);
    CHECK(r.slowest_stage->reason == analysis::slow_stage::cause::all_ranks);
    REQUIRE(r.slowest_rank);
    CHECK(r.slowest_rank->reason == analysis::slow_rank::cause::no_peer);
    // Without the first stage there is no time of the pipeline, and nothing that needs it.
    const auto last = answers({b}, "wd2_tp1_pp2");
    CHECK_FALSE(last.pipeline_time.is_known());
    CHECK_FALSE(last.bubble_share.is_known());
    CHECK_FALSE(last.slowest_stage);
    CHECK_FALSE(last.slowest_rank);
    CHECK(last.missing_members == 1);
}

TEST_CASE("ranks that were traced one after the other have no waiting") {
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 2; ++rank) {
        rank_log log(rank, 0);
        const double begin = 1000 + 5000 * rank;
        const double length = 10 + 4 * rank;
        log.add("forward_step", 3 * length, begin + 3 * length,
                rank_log::call("exp", 0.5, begin + length, 100 + 50 * rank, "all_to_all") + "," +
                    rank_log::call("exp", 0.25, begin + 2 * length, 80, "all_to_all"));
        logs.push_back(log);
    }
    const auto a = answers(logs, "wd2_tp1_pp1_exp2");
    CHECK_FALSE(a.together);
    CHECK_FALSE(a.same_clock);
    CHECK(a.extent == 14);
    CHECK(a.extent_spread == 4);
    CHECK(a.ranks[0].account.work == 29.25);
    CHECK(a.ranks[0].account.unknown == 0.75);
    CHECK_FALSE(a.ranks[0].account.transfer.is_known());
    CHECK_FALSE(a.total.stage_waiting.is_known());
    CHECK_FALSE(a.equal_share.is_known());
    // The calls that differ are found by their bytes all the same.
    REQUIRE(a.imbalance.size() == 1);
    CHECK(a.imbalance[0].greatest_rank == 1);
    CHECK(a.imbalance[0].bytes == std::vector<double>{100, 150});
    CHECK(a.imbalance[0].batch_bytes == std::vector<double>{100, 150});
    CHECK(a.imbalance[0].batches.size() == 1);
    CHECK(a.imbalance[0].ratio == 1.2);
    CHECK(a.imbalance[0].worst_call_ratio == 1.2);
    CHECK(a.imbalance[0].all_ratio == doctest::Approx(230 / 205.0));
    CHECK(a.imbalance[0].correlation == doctest::Approx(1));
    REQUIRE(a.slowest_rank);
    CHECK(a.slowest_rank->rank == 1);
    CHECK(a.slowest_rank->reason == analysis::slow_rank::cause::more_bytes);
}

TEST_CASE("which ranks share a group") {
    // 24 ranks in 2 stages of 12: tensor parallel 2, data parallel 6, expert parallel 3.
    const analysis::run_sizes sizes{24, 2, 2, 3};
    const auto members = [&](const std::string& kind, std::int64_t rank) {
        const auto own = analysis::place_of(kind, rank, sizes);
        REQUIRE(own);
        std::string text = std::to_string(own->size) + ":";
        for (std::int64_t other = 0; other != sizes.world; ++other) {
            const auto place = analysis::place_of(kind, other, sizes);
            if (place->first == own->first && place->second == own->second) text += " " + std::to_string(other);
        }
        return text;
    };
    CHECK(members("tp", 15) == "2: 14 15");
    CHECK(members("dp", 15) == "6: 13 15 17 19 21 23");
    CHECK(members("dp", 4) == "6: 0 2 4 6 8 10");
    CHECK(members("exp", 15) == "3: 13 15 17");
    CHECK(members("exp", 20) == "3: 18 20 22");
    CHECK(members("ep_dp", 15) == "2: 15 21");
    CHECK(members("exp_dp", 2) == "2: 2 8");
    CHECK(members("embedding", 15) == "2: 3 15");
    CHECK(members("model", 15) == "4: 2 3 14 15");
    CHECK_FALSE(analysis::place_of("cp", 0, sizes));
    CHECK(analysis::place_of("embedding", 1, {4, 2, 1, 1})->size == 1);
    CHECK(analysis::place_of("ep_dp", 1, {4, 1, 1, 8})->size == 1);
    for (const std::string kind : {"tp", "dp", "exp", "ep_dp", "exp_dp"})
        CHECK(wlfmt::oplog::operations::is_in_stage(kind));
    for (const std::string kind : {"embedding", "model", "pp", "ep", ""})
        CHECK_FALSE(wlfmt::oplog::operations::is_in_stage(kind));
    for (const std::string op : {"get_batch", "forward_step", "loss_func", "backward_step"})
        CHECK(wlfmt::oplog::operations::facts_of(op).is_pipeline_step());
    CHECK_FALSE(wlfmt::oplog::operations::facts_of("optimizer_step").is_pipeline_step());
    CHECK((analysis::run_sizes{8, 2, 2, 4}.are_possible()));
    CHECK((analysis::run_sizes{8, 2, 2, 1}.are_possible()));
    CHECK((analysis::run_sizes{1, 1, 1, 1}.are_possible()));
    for (const analysis::run_sizes& wrong : {analysis::run_sizes{0, 1, 1, 1},
                                             {8, 0, 1, 1},
                                             {8, 1, 0, 1},
                                             {8, 1, 1, 0},
                                             {8, 16, 1, 1},
                                             {8, 2, 8, 1},
                                             {8, 3, 1, 1},
                                             {12, 1, 2, 4},
                                             {8, 2, 1, 6}})
        CHECK_FALSE(wrong.are_possible());
}

TEST_CASE("a rank is compared with the others of its stage, and stages with and without the slowest rank") {
    // The work of the ranks of two stages, in milliseconds.
    const double work[] = {10, 12, 14, 20, 40, 80};
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 6; ++rank)
        logs.push_back(rank_log(rank, rank / 3).add("forward_step", work[rank], 1100));
    const auto a = answers(logs, "wd6_tp3_pp2");
    CHECK(a.together);
    REQUIRE(a.ranks.size() == 6);
    const double excess[] = {-2, 2, 4, -20, 20, 60};  // over the lower of the two others
    for (std::size_t n = 0; n != 6; ++n) {
        CAPTURE(n);
        CHECK(a.ranks[n].excess == excess[n]);
        CHECK(a.ranks[n].ratio == work[n] / (work[n] - excess[n]));
    }
    REQUIRE(a.slowest_rank);
    CHECK(a.slowest_rank->rank == 5);
    CHECK(a.slowest_rank->ratio == 4);
    REQUIRE(a.slowest_stage);
    CHECK(a.slowest_stage->stage == 1);
    CHECK(a.slowest_stage->rank == 5);
    CHECK(a.slowest_stage->others == 12);
    CHECK(a.slowest_stage->ratio == doctest::Approx(140.0 / 36));
    CHECK(a.slowest_stage->ratio_without == 2);  // 20 to 10
    CHECK(a.slowest_stage->reason == analysis::slow_stage::cause::one_rank);
}

TEST_CASE("a summary keeps all calls or, if there are more than it has room for, no call, whatever their order") {
    const auto logs = two_ranks();
    std::vector<std::string> lines;
    // The log of one member of the group is missing, so that the calls of the two others are kept.
    const std::string sizes = "wd3_tp3_pp1";
    for (const bool backwards : {false, true}) {
        summary all(summary::keep::calls);
        const_cast<analysis::summary_state&>(all.state()).max_steps = 5;
        const summary one = summary_of({logs[0]}, sizes);
        const summary other = summary_of({logs[1]}, sizes);
        CHECK(all.merge(backwards ? other : one));
        CHECK_FALSE(analysis::answers_of(all).too_many_calls);
        CHECK(all.merge(backwards ? one : other));
        const auto a = analysis::answers_of(all);
        CHECK(a.too_many_calls);
        CHECK(a.ranks.empty());
        CHECK(a.left_out == std::vector<std::int64_t>{0, 1});
        std::string line;
        analysis::write(test::into(line), all);
        CHECK(line.find("\"names\":[],\"too_many_steps\":1,\"ranks\"") != std::string::npos);
        const auto again = analysis::read_summary(line);
        REQUIRE(again);
        CHECK(analysis::answers_of(*again).too_many_calls);
        lines.push_back(line);
    }
    CHECK(lines[0] == lines[1]);
    summary added(summary::keep::calls);
    const_cast<analysis::summary_state&>(added.state()).max_steps = 5;
    for (const rank_log& log : logs) {
        added.begin_text(sizes + "_rank" + std::to_string(log.rank()) + "_20250101000000.txt");
        oplog::reader records(log.text());
        while (const auto* op = records.next()) added.add(*op);
    }
    std::string line;
    analysis::write(test::into(line), added);
    CHECK(line == lines[0]);
}

TEST_CASE("merging in any order is the same") {
    // Two groups of two ranks, and a call of a group of one.
    std::vector<rank_log> logs = two_ranks();
    for (int rank = 2; rank != 4; ++rank)
        logs.push_back(rank_log(rank, 1)
                           .add("forward_step", 30, 1030,
                                rank_log::call("tp", 4 + rank, 1015) + "," +
                                    rank_log::call("exp", 2, 1018, 10 * rank, "all_to_all") + "," +
                                    rank_log::call("tp", 3, 1030, 16, "allgather", "f_async"))
                           .add("optimizer_step", 10, 1060 + rank));
    const std::string sizes = "wd4_tp2_pp2_exp1";
    std::string expected;
    analysis::write(test::into(expected), summary_of(logs, sizes));
    std::vector<std::size_t> order{0, 1, 2, 3};
    do {
        summary left(summary::keep::calls);
        summary right(summary::keep::calls);
        for (const std::size_t n : order) {
            std::string line;
            analysis::write(test::into(line), summary_of({logs[n]}, sizes));
            auto one = analysis::read_summary(line);
            REQUIRE(one);
            // ((a + b) + c) + d, and a + (b + (c + d)).
            REQUIRE(left.merge(*one));
            summary all = *std::move(one);
            REQUIRE(all.merge(right));
            right = std::move(all);
        }
        for (const summary* all : {&left, &right}) {
            std::string line;
            analysis::write(test::into(line), *all);
            CHECK(line == expected);
        }
    } while (std::next_permutation(order.begin(), order.end()));
    const auto read = analysis::read_summary(expected);
    REQUIRE(read);
    const auto a = analysis::answers_of(*read);
    const auto b = analysis::answers_of(summary_of(logs, sizes));
    REQUIRE(a.ranks.size() == 4);
    for (std::size_t n = 0; n != 4; ++n) {
        CHECK(a.ranks[n].account.work == b.ranks[n].account.work);
        CHECK(a.ranks[n].account.stage_waiting == b.ranks[n].account.stage_waiting);
        CHECK(a.ranks[n].account.pipeline_waiting == b.ranks[n].account.pipeline_waiting);
    }
    CHECK(a.ranks[3].account.stage_waiting == 1);
    CHECK(a.ranks[2].caused == 1);
    CHECK(group(a.groups, "tp").overlapped == 6);
    CHECK(a.alone == std::vector<std::string>{"exp"});
    REQUIRE(a.leaving.size() == 1);
    CHECK(a.leaving[0].group == "tp");
    CHECK(a.leaving[0].calls == 3);
    CHECK(a.leaving[0].greatest == 0);
    CHECK(a.leaving[0].arrive_greatest == 10);
    CHECK(a.leaving[0].arrive_median == doctest::Approx(5).epsilon(1.0 / 128));
}

TEST_CASE("bytes of experts are known by micro-batch, of the calls that differ alone") {
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 2; ++rank) {
        rank_log log(rank, 0);
        for (int batch = 3; batch != 5; ++batch)
            log.batch(batch).add("forward_step", 30, 1000 + 40 * batch,
                                 rank_log::call("exp", 1, 980 + 40 * batch, rank == 0 ? 16 : 16 * batch, "all_to_all") +
                                     "," + rank_log::call("exp", 1, 990 + 40 * batch, 80, "all_to_all"));
        logs.push_back(log);
    }
    const auto a = answers(logs, "wd2_tp1_pp1_exp2");
    REQUIRE(a.imbalance.size() == 1);
    CHECK(a.imbalance[0].bytes == std::vector<double>{32, 112});
    CHECK(a.imbalance[0].batches == std::vector<std::int64_t>{3, 4});
    CHECK(a.imbalance[0].batch_bytes == std::vector<double>{16, 48, 16, 64});
}

TEST_CASE("how much more a rank works than its peers is a limit where the work of either is one") {
    auto logs = two_ranks();
    // What of the optimizer's step is work is not known without the other ranks of its group.
    logs[0].add("optimizer_step", 190, 1400);
    logs[1].add("optimizer_step", 200, 1400);
    const auto a = answers(logs, "wd4_tp2_pp2");
    CHECK(is_no_less(a.ranks[0].account.work, 33));
    CHECK(is_no_less(a.ranks[1].account.work, 68));
    // The one may work up to 33 + 190 ms, and the other at least 68: neither is proven to be slow.
    CHECK_FALSE(a.slowest_rank);
    // It waited for the other one, which arrived 10 ms later, at least.
    CHECK(is_no_more(a.ranks[1].excess, 258 - 33));
    CHECK(is_no_less(a.ranks[1].account.pipeline_waiting, 10));
    CHECK(a.ranks[1].account.unknown == 190);
    CHECK(a.ranks[0].account.unknown == 190);
    // Of a step of 20 ms no more than 20 ms are work.
    logs = two_ranks();
    logs[0].add("optimizer_step", 20, 1400);
    logs[1].add("optimizer_step", 200, 1400);
    const auto b = answers(logs, "wd4_tp2_pp2");
    REQUIRE(b.slowest_rank);
    CHECK(b.slowest_rank->rank == 1);
    CHECK(is_no_less(b.slowest_rank->work, 68));
    CHECK(is_no_less(b.slowest_rank->excess, 68 - 53));
    CHECK(b.slowest_rank->ratio.at_least() == doctest::Approx(68 / 53.0));
}

TEST_CASE("what a record that is lost would be in is a limit, or unknown, and check names the record") {
    const auto logs = [](int rank, const std::string& lost) {
        std::vector<rank_log> all;
        for (int r = 0; r != 4; ++r) {
            rank_log log(r, r / 2);
            const auto add = [&](const char* op, double duration, double end) {
                if (r != rank || op != lost) log.add(op, duration, end);
            };
            add("get_batch", 1, 1000 + (r < 2 ? 0 : 11));
            add("forward_step", r < 2 ? 10 : 14, r < 2 ? 1010 : 1025);
            add("backward_step", r == 1 ? 22 : r < 2 ? 20 : 31, r < 2 ? 1060 : 1057);
            add("optimizer_step", 4, 1070);
            all.push_back(log);
        }
        return all;
    };
    const auto lack_of = [&](int rank, const char* op) {
        analysis::run_check check;
        for (const rank_log& log : logs(rank, op)) {
            const std::string file = "wd4_tp2_pp2_rank" + std::to_string(log.rank()) + "_20250101000000.txt";
            check.begin_text(file);
            oplog::reader records(log.text());
            std::uint64_t line = 0;
            while (const auto* one = records.next()) check.add(*one, log.text(), ++line, [](const wlfmt::problem&) {});
        }
        std::string found;
        check.missing_calls([&](const analysis::missing_call& m, std::string_view file, std::uint64_t line) {
            found += std::string(file.substr(12, 5)) + ":" + std::to_string(line) + ": " + analysis::message(m);
        });
        return found;
    };
    using analysis::bounded;
    const auto whole = answers(logs(-1, ""), "wd4_tp2_pp2");
    CHECK(whole.lost == 0);
    CHECK(whole.pipeline_time == 61);
    CHECK(whole.stages[0].busy == 32);
    CHECK(whole.stages[0].drain == 0);
    CHECK(whole.ranks[1].account.gaps == 34);
    const auto back = answers(logs(1, "backward_step"), "wd4_tp2_pp2");
    CHECK(back.lost == 1);
    CHECK(back.ranks[1].lost == 1);
    CHECK(is_no_more(back.ranks[1].account.gaps, 56));
    CHECK(back.ranks[1].account.span.is_exact());
    CHECK_FALSE(back.ranks[1].account.work.is_exact());
    CHECK_FALSE(back.ranks[0].excess.is_exact());
    CHECK(is_no_less(back.pipeline_time, 61));  // the other rank might have ended last
    CHECK(is_no_less(back.stages[0].busy, 21));
    CHECK_FALSE(back.stages[0].bubble.is_exact());
    CHECK_FALSE(back.stages[0].drain.is_known());  // of a rank that has lost its only backward_step it is unknown
    CHECK(is_no_less(back.stages[1].bubble, 15));
    CHECK(back.stages[1].busy.is_exact());
    CHECK(back.replay.reason == analysis::replay_answer::obstacle::none);  // what was lost was in a known place
    CHECK_FALSE(back.slowest_stage);  // 21 and what was lost may be more than 46, or less
    const auto forward = answers(logs(1, "forward_step"), "wd4_tp2_pp2");
    CHECK(forward.pipeline_time.is_exact());
    CHECK(is_no_more(forward.stages[0].bubble, 34));
    CHECK_FALSE(forward.bubble_share.is_exact());
    CHECK_FALSE(forward.least_time.is_exact());
    CHECK_FALSE(forward.stages[0].fill.is_known());
    CHECK(forward.stages[1].bubble == 15);
    const auto first = answers(logs(0, "get_batch"), "wd4_tp2_pp2");
    CHECK(is_no_less(first.ranks[0].account.span, 70));
    CHECK(is_no_less(first.pipeline_time, 61));
    const char* const one_lacks = "rank1:3: rank 1 lacks the 1st backward_step of batch 0, which rank 0 has";
    CHECK(lack_of(1, "backward_step") == one_lacks);
    CHECK(lack_of(3, "optimizer_step") == "rank3:3: rank 3 lacks the 1st optimizer_step, which rank 2 has");
    CHECK(lack_of(2, "get_batch") == "rank2:1: rank 2 lacks the 1st get_batch of batch 0, which rank 3 has");
    CHECK(lack_of(-1, "").empty());
    // Stages differ: that the first one has no optimizer_step at all is nothing that a rank lacks.
    auto differing = logs(0, "optimizer_step");
    differing[1] = logs(1, "optimizer_step")[1];
    CHECK(answers(differing, "wd4_tp2_pp2").lost == 0);
    // The only rank of a stage is compared with the other stages.
    const auto alone = [&](int rank, const char* op) {
        const auto all = logs(rank, op);
        rank_log last(1, 1);
        last.add("forward_step", 3, 1030).add("backward_step", 3, 1040).add("optimizer_step", 4, 1070);
        return answers({all[0], last}, "wd2_tp1_pp2");
    };
    CHECK(alone(-1, "").lost == 0);
    CHECK(alone(0, "optimizer_step").lost == 1);
    CHECK(alone(0, "get_batch").lost == 0);
}

TEST_CASE("files that cannot be used are reported, and calls that differ are unknown") {
    auto logs = two_ranks();
    logs[0].add("forward_step", 9, 1090, rank_log::call("tp", 5, 1090));
    logs[1].add("forward_step", 9, 1090, rank_log::call("tp", 1, 1090, 8, "broadcast"));
    const auto a = answers(logs, "wd2_tp2_pp1");
    CHECK(a.differing_groups == 1);
    CHECK(is_no_less(a.total.stage_waiting, 15));
    CHECK(a.total.unknown == 6);
    CHECK(a.ranks[0].account.unknown == 5);
    CHECK_FALSE(a.ranks[0].account.transfer.is_exact());
    CHECK_FALSE(a.ranks[0].account.stage_waiting.is_exact());
    CHECK(a.ranks[0].account.pipeline_waiting.is_exact());
    CHECK(group(a.groups, "tp").unknown_calls == 2);
    // Each lacks the other's call.
    REQUIRE(a.missing_calls.size() == 2);
    CHECK(a.missing_calls[0].function != a.missing_calls[1].function);
    CHECK(a.missing_calls[0].record == 2);
    logs = two_ranks();
    // More nested calls than the others, in groups of one.
    logs[0].add("backward_step", 10, 1190);
    logs[1].add("backward_step", 90, 1190, rank_log::call("exp", 1, 1150));
    const auto more = answers(logs, "wd2_tp2_pp1");
    REQUIRE(more.slowest_rank);
    CHECK(more.slowest_rank->reason == analysis::slow_rank::cause::more_bytes);
    CHECK(more.slowest_rank->calls_ratio == 1.5);
    // A record of 0 ms at 0 did not run: it is only counted. Where a rank is in two files, there is no answer.
    logs = two_ranks();
    summary twice = summary_of({logs[0], logs[1], logs[0]}, "wd2_tp2_pp1");
    CHECK(analysis::answers_of(twice).left_out == std::vector<std::int64_t>{0, 1});
    CHECK(analysis::answers_of(twice).ranks.empty());
    CHECK(analysis::answers_of(twice).repeated_ranks);
    CHECK_FALSE(analysis::answers_of(summary_of(logs, "wd2_tp2_pp1")).repeated_ranks);
    rank_log untimed(0, 0);
    untimed.add("forward_step", 0, 0).add("forward_step", 4, 1004);
    const auto one = answers({untimed}, "wd1_tp1_pp1");
    CHECK(one.untimed == 1);
    CHECK(one.ranks[0].account.span == 4);
    CHECK(analysis::answers_of(summary()).ranks.empty());
}

TEST_CASE("a collective that is a record belongs to the group that the record names, ep to that of the embedding") {
    const auto of_kind = [](const std::string& kind) {
        return ",group_kind=" + kind + ",input__shape=[4],input__dtype=torch.int64";
    };
    std::vector<rank_log> logs = {rank_log(0, 0), rank_log(1, 0), rank_log(2, 1), rank_log(3, 1)};
    for (rank_log& log : logs) {
        const double late = log.rank() % 2;
        log.add("forward_step", 10 + late, 1010 + late);
        log.add("dp_allreduce", 7 - late, 1017, "", of_kind("dp"));
        log.add("word_embedding_allreduce", 3, 1020, "", of_kind("ep"));
    }
    const auto a = answers(logs, "wd4_tp1_pp2");
    CHECK(group(a.groups, "dp").calls == 4);
    CHECK(group(a.groups, "dp").bytes == 4 * 32);
    CHECK(group(a.groups, "dp").waiting == 2);
    CHECK(group(a.groups, "dp").transfer == 4 * 6);
    CHECK(group(a.groups, "embedding").calls == 4);
    CHECK(group(a.groups, "embedding").transfer == 4 * 3);
    CHECK(a.groups.size() == 2);
}

namespace {

// A run of two stages and two hosts, each with a clock of its own: ranks 0 and 1 are a tensor parallel group, as are 2
// and 3, and all four meet in optimizer_step. The nested calls of a step are alike, so that only times tell which of
// them is missing. `lost` is the number of a nested call, in the order of all logs, that is not written.
struct made_run {
    std::vector<rank_log> logs;
    struct call {
        std::size_t rank = 0;
        double duration = 0;
        double waiting = 0;  // the sum over its whole group
    };
    std::vector<call> calls;
};
made_run make_run(std::size_t lost = 1000) {
    made_run run;
    for (int stage = 0; stage != 2; ++stage) {
        rank_log of[2] = {{2 * stage, stage}, {2 * stage + 1, stage}};
        const double clock = stage * 86400000.0;
        double at = 1000;
        for (int batch = 0; batch != 3; ++batch)
            for (const bool forward : {true, false}) {
                std::string nested[2];
                double end = at;
                for (int k = 0; k != 5; ++k) {
                    // One of the two comes later by an amount that no other call has.
                    const double late = 0.5 + 0.375 * k + 0.75 * batch + (forward ? 0 : 0.25);
                    const int slow = (k + batch) % 2;
                    end += 6 + late + (k % 3);
                    for (int n = 0; n != 2; ++n) {
                        const bool beside = !forward && k == 4;
                        const double took = beside ? 5 - (n == slow ? late : 0) : 1.25 + (n == slow ? 0 : late);
                        const std::size_t number = run.calls.size();
                        run.calls.push_back({static_cast<std::size_t>(2 * stage + n), took, late});
                        if (number == lost) continue;
                        nested[n] += (nested[n].empty() ? "" : ",") +
                                     rank_log::call("tp", took, end + clock, 8, "allreduce", beside ? "b_async" : "f");
                    }
                }
                for (int n = 0; n != 2; ++n)
                    of[n].batch(batch).add(forward ? "forward_step" : "backward_step", end - at, end + clock,
                                           nested[n]);
                at = end + 0.5;
            }
        for (int n = 0; n != 2; ++n) {
            of[n].add("optimizer_step", 9 + stage, at + 9 + stage + clock);
            run.logs.push_back(of[n]);
        }
    }
    return run;
}

}  // namespace

TEST_CASE("one lost call changes nothing but itself") {
    const made_run whole = make_run();
    const std::string sizes = "wd4_tp2_pp2";
    const auto expected = answers(whole.logs, sizes);
    CHECK(expected.together);
    CHECK(expected.clocks == 2);
    CHECK(expected.total.unknown == 0);
    CHECK(expected.total.stage_waiting.at_least() > 0);
    REQUIRE(whole.calls.size() == 120);
    for (std::size_t lost = 0; lost != whole.calls.size(); ++lost) {
        CAPTURE(lost);
        const auto a = answers(make_run(lost).logs, sizes);
        CHECK(a.together);
        REQUIRE(a.missing_calls.size() == 1);
        CHECK(a.missing_calls[0].rank == static_cast<std::int64_t>(whole.calls[lost].rank));
        CHECK(a.missing_calls[0].ranks == std::vector<std::int64_t>{a.missing_calls[0].rank ^ 1});
        CHECK(a.missing_calls[0].number == lost / 2 % 5 + 1);
        REQUIRE(a.ranks.size() == 4);
        const double most = whole.calls[lost].duration + whole.calls[lost].waiting + 1e-9;
        for (std::size_t n = 0; n != 4; ++n) {
            const analysis::time_account& x = a.ranks[n].account;
            const analysis::time_account& y = expected.ranks[n].account;
            for (const analysis::bounded& change :
                 {x.work - y.work, x.transfer - y.transfer, x.stage_waiting - y.stage_waiting,
                  x.pipeline_waiting - y.pipeline_waiting, x.gaps - y.gaps}) {
                CHECK(change.at_least() <= 1e-9);
                CHECK(change.at_most() >= -1e-9);
            }
            CHECK(std::fabs(x.unknown.number() - y.unknown.number()) <= most);
            // Ranks of the other stage show nothing of it.
            if (n / 2 != whole.calls[lost].rank / 2) CHECK(x.work == y.work);
            if (n / 2 != whole.calls[lost].rank / 2) CHECK(x.stage_waiting == y.stage_waiting);
        }
    }
}

TEST_CASE("a lost record is missing beside those that the other ranks have, whichever rank lost it") {
    // Three ranks leave two calls together, the second without one of them. In the first, rank n has waited n ms.
    for (int lost = 0; lost != 3; ++lost) {
        CAPTURE(lost);
        std::vector<rank_log> logs;
        for (int rank = 0; rank != 3; ++rank) {
            rank_log log{rank, 0};
            for (int batch = 0; batch != 2; ++batch) {
                const double end = 1020.0 + 20 * batch;
                if (batch == 0 || rank != lost)
                    log.batch(batch).add("forward_step", 20, end,
                                         rank_log::call("tp", 1 + rank * (1 + batch), end, 8, "allreduce"));
            }
            logs.push_back(log);
        }
        const auto a = answers(logs, "wd3_tp3_pp1");
        REQUIRE(a.ranks.size() == 3);
        // Of the second, the two cannot tell whether the shorter call was waiting; what the longer took beyond it was.
        const double least = lost == 0 ? 3 : 1;
        for (int rank = 0; rank != 3; ++rank) {
            const analysis::time_account& account = a.ranks[static_cast<std::size_t>(rank)].account;
            CHECK(account.stage_waiting.at_least() ==
                  doctest::Approx(rank + (rank == lost ? 0 : 1 + 2 * rank - least)));
            CHECK_FALSE(account.stage_waiting.is_exact());
            CHECK(account.unknown == doctest::Approx(rank == lost ? 0 : least));
        }
        REQUIRE(a.missing_calls.size() == 1);
        CHECK(a.missing_calls[0].rank == lost);
        std::vector<std::int64_t> others{0, 1, 2};
        others.erase(others.begin() + lost);
        CHECK(a.missing_calls[0].ranks == others);
    }
}

TEST_CASE("a run is checked: calls that are lost, records that are repeated, operations that are not known") {
    const auto found_in = [](const std::vector<rank_log>& logs) {
        std::vector<std::string> found;
        analysis::run_check check;
        for (const rank_log& log : logs) {
            const std::string file = "wd4_tp2_pp2_rank" + std::to_string(log.rank()) + "_20250101000000.txt";
            check.begin_text(file);
            const std::string_view text = log.text();
            oplog::reader records(text);
            std::uint64_t line = 0;
            while (const auto* op = records.next())
                check.add(*op, text, ++line, [&](const wlfmt::problem& e) {
                    found.push_back(wlfmt::explain(e, text, wlfmt::in_file(file)));
                    found.back().resize(found.back().find(": error: ") + 9 + wlfmt::name_of(e.kind).size());
                });
        }
        const std::uint64_t count =
            check.missing_calls([&](const analysis::missing_call& m, std::string_view file, std::uint64_t line) {
                found.push_back(std::string(file) + ":" + std::to_string(line) + ": " + analysis::message(m));
            });
        found.push_back(std::to_string(count));
        return found;
    };
    CHECK(found_in(make_run().logs) == std::vector<std::string>{"0"});
    // Records that a program builds have no text by which they could be equal.
    analysis::run_check built;
    built.begin_text("wd4_tp2_pp2_rank0_20250101000000.txt");
    oplog::operation step;
    step.op = "forward_step";
    for (const double time : {100.0, 101.0}) {
        step.timestamp = time;
        built.add(step, "", 1, [](const wlfmt::problem&) { FAIL("nothing is wrong"); });
    }
    std::vector<rank_log> logs = make_run(7).logs;
    logs[2].batch(5).add("mystery", 1, 9000000).add("mystery", 1, 9000000).add("mystery", 1, 0).add("mystery", 1, 0);
    const std::vector<std::string> found = found_in(logs);
    REQUIRE(found.size() == 4);
    const std::string third = "wd4_tp2_pp2_rank2_20250101000000.txt:";
    const auto lines = static_cast<int>(std::count(logs[2].text().begin(), logs[2].text().end(), '\n'));
    CHECK(found[0] == third + std::to_string(lines - 3) + ":8: error: unknown_operation");
    CHECK(found[1] == third + std::to_string(lines - 2) + ":1: error: repeated_record");
    CHECK(
        found[2] ==
        "wd4_tp2_pp2_rank1_20250101000000.txt:1: rank 1 lacks the 4th allreduce of tp in forward_step, batch 0, which "
        "rank 0 has");
    CHECK(found[3] == "1");
}

TEST_CASE("what a cut log lacks is told once, of its first record") {
    const auto answers_of = [](int third, int batches) {
        std::vector<rank_log> logs;
        for (int rank = 0; rank != 3; ++rank) {
            rank_log log{rank, 0};
            for (int batch = 0; batch != (rank == 2 ? third : batches); ++batch)
                log.batch(batch)
                    .add("forward_step", 5, 1010.0 + 20 * batch)
                    .add("backward_step", 5, 1020.0 + 20 * batch);
            logs.push_back(log);
        }
        return answers(logs, "wd3_tp1_pp1");
    };
    const auto cut = answers_of(4, 10);
    CHECK(cut.missing_call_count == 12);
    REQUIRE(cut.missing_calls.size() == 1);
    CHECK(cut.missing_calls[0].in_a_row == 12);
    CHECK(cut.missing_calls[0].before == 8);
    CHECK(analysis::message(cut.missing_calls[0]) ==
          "rank 2 lacks the 1st forward_step of batch 4 and 11 records after it, which ranks 0 and 1 have");
    CHECK(answers_of(10, 10).missing_calls.empty());
    // More than are listed one by one.
    CHECK(answers_of(1, 701).missing_calls.at(0).in_a_row == 1400);
}

TEST_CASE("messages between stages are matched: those without another end are told, with their lines") {
    struct file {
        const char* name;
        std::string text;
    };
    const auto record = [](int rank, const char* op, int stage, int batch) {
        return "rank:" + std::to_string(rank) + ":" + op + "(stage_id=" + std::to_string(stage) +
               ",batch_id=" + std::to_string(batch) + ")\n";
    };
    const std::vector<file> files = {
        {"x_rank0_7.txt",
         record(0, "send_forward", 0, 0) + record(0, "send_forward", 0, 1) + record(0, "recv_backward", 0, 1)},
        {"x_rank1_7.txt", record(1, "send_forward", 0, 0) + record(1, "send_forward", 0, 3)},
        {"x_rank2_7.txt", record(2, "recv_forward", 1, 0) + record(2, "send_backward", 1, 2)},
        {"x_rank3_7.txt", record(3, "recv_forward", 1, 0)},
        {"x_rank4_8.txt", record(4, "send_forward", 0, 5)}};
    const auto each_of = [&](std::size_t n, const auto& add) {
        oplog::reader log(files[n].text);
        for (std::uint64_t line = 1; const auto* op = log.next(); ++line) add(*op, line);
    };
    std::vector<std::string> told;
    std::vector<std::size_t> read;
    const auto find = [&](const analysis::message_check& sent, std::uint64_t most) {
        told.clear();
        read.clear();
        return sent.find(
            most,
            [&](std::size_t n, std::string_view name, const auto& add) {
                CHECK(name == files[n].name);
                read.push_back(n);
                each_of(n, add);
            },
            [&](const wlfmt::problem& e, std::string_view text, std::string_view name, std::uint64_t line) {
                told.push_back(wlfmt::explain(e, text, wlfmt::in_file(name), wlfmt::severity::warning, line));
                told.back().resize(told.back().find('\n'));
            });
    };
    const std::vector<std::string> expected = {
        "x_rank0_7.txt:2:8: warning: unmatched_message: send_forward: of micro-batch 1, sent to stage 1 and never "
        "received there",
        "x_rank2_7.txt:2:8: warning: unmatched_message: send_backward: of micro-batch 2, sent to stage 0 and never "
        "received there",
        "x_rank0_7.txt:3:8: warning: unmatched_message: recv_backward: of micro-batch 1, received from stage 1 and "
        "never sent there",
        "x_rank1_7.txt:2:8: warning: unmatched_message: send_forward: of micro-batch 3, sent to stage 1 and never "
        "received there"};
    for (const bool again : {true, false}) {
        analysis::message_check sent;
        for (std::size_t n = 0; n != files.size(); ++n) {
            sent.begin_text(files[n].name, again);
            each_of(n, [&](const oplog::operation& op, std::uint64_t line) { sent.add(op, line); });
        }
        const analysis::message_check& copy = sent;
        analysis::unmatched_messages found = find(copy, 0);
        CHECK(told == expected);
        CHECK(read == (again ? std::vector<std::size_t>{0, 2, 1, 3} : std::vector<std::size_t>{}));
        CHECK((found.reported == 4 && found.more == 0 && found.pairs == 0 && found.any()));
        // One pair of ranks lacks three messages; the other pair is not looked at any more.
        found = find(sent, 1);
        CHECK((found.reported == 1 && found.more == 2 && found.pairs == 1));
        CHECK(told == std::vector<std::string>{expected[0]});
        // Of one run, stage 0 has files of three ranks, and stage 1 of two.
        analysis::message_check one(true);
        for (std::size_t n = 0; n != files.size(); ++n) {
            one.begin_text(files[n].name, again);
            each_of(n, [&](const oplog::operation& op, std::uint64_t line) { one.add(op, line); });
        }
        CHECK_FALSE(find(one, 0).any());
    }
    analysis::message_check nothing_begun;
    each_of(0, [&](const oplog::operation& op, std::uint64_t line) { nothing_begun.add(op, line); });
    CHECK_FALSE(find(nothing_begun, 0).any());
}

TEST_CASE("the steps of a program add up to the account of its rank") {
    const auto logs = make_run(7).logs;
    const auto a = answers(logs, "wd4_tp2_pp2");
    for (const analysis::rank_answer& r : a.ranks) {
        CAPTURE(r.rank);
        double work = 0;
        double transfer = 0;
        double waiting[2] = {};
        double unknown = 0;
        std::uint64_t nested = 0;
        for (const analysis::program_step& step : r.program) {
            work += step.work.number();
            transfer += step.transfer().number();
            waiting[step.in_stage ? 0 : 1] += step.waiting.number();
            unknown += step.unknown();
            nested += step.nested;
            CHECK(step.nested == (step.position >= 0));
            if (step.in_stage && step.waiting.is_exact()) CHECK((step.late >= 0) == step.waits());
        }
        CHECK(work == doctest::Approx(r.account.work.number()));
        CHECK(transfer == doctest::Approx(r.account.transfer.number()));
        CHECK(waiting[0] == doctest::Approx(r.account.stage_waiting.number()));
        CHECK(waiting[1] == doctest::Approx(r.account.pipeline_waiting.number()));
        CHECK(unknown == doctest::Approx(r.account.unknown.number()));
        CHECK(r.nested_calls.number() == static_cast<double>(nested));
        CHECK(r.clock == static_cast<std::uint32_t>(r.rank / 2));
    }
    // Each call has its members, and each member its call.
    for (std::size_t n = 0; n != a.calls.size(); ++n)
        for (std::uint32_t k = 0; k != a.calls[n].members; ++k) {
            const analysis::call_member& m = a.members[a.calls[n].first_member + k];
            CHECK(a.ranks[m.rank].program[m.step].call == n);
        }
    double waited = 0;
    for (const analysis::wait_answer& w : a.waits) waited += w.time.number();
    CHECK(waited == doctest::Approx(a.total.stage_waiting.number()));
}

TEST_CASE("nobody waits in optimizer_step for a rank that comes later than one leaves") {
    // No collective joins them: the first had left when the second came.
    std::vector<rank_log> logs{{0, 0}, {1, 1}};
    logs[0].add("forward_step", 10, 1010).add("optimizer_step", 20, 1030).add("get_batch", 30, 1060);
    logs[1].add("forward_step", 40, 1040).add("optimizer_step", 5, 1045).add("get_batch", 15, 1060);
    const auto a = answers(logs, "wd2_tp1_pp2");
    CHECK(a.same_clock);
    CHECK(is_around(a.total.pipeline_waiting, 0));
    // Had the second come a moment before, the first would have waited for it.
    logs[1] = rank_log(1, 1);
    logs[1].add("forward_step", 25, 1025).add("optimizer_step", 5, 1030).add("get_batch", 30, 1060);
    const auto b = answers(logs, "wd2_tp1_pp2");
    CHECK(is_around(b.ranks[0].account.pipeline_waiting, 15));
}

TEST_CASE("members that come at the same time, as far as clocks tell, share the waiting of the others") {
    std::vector<rank_log> logs;
    const double took[] = {6, 1.05, 1, 3};
    for (int rank = 0; rank != 4; ++rank)
        logs.push_back(rank_log(rank, 0).add("forward_step", 10, 1010, rank_log::call("tp", took[rank], 1010)));
    const auto a = answers(logs, "wd4_tp4_pp1");
    CHECK(a.ranks[1].caused == doctest::Approx(3.5));
    CHECK(a.ranks[2].caused == doctest::Approx(3.55));
    CHECK(a.ranks[0].caused == 0);
    CHECK(a.ranks[1].late == 1);
    CHECK(a.ranks[2].late == 1);
    CHECK(a.ranks[3].late == 0);
    CHECK(a.ranks[3].last_of == 1);
}

TEST_CASE("two iterations, a missing rank and durations below 0 are told") {
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 3; ++rank) {
        rank_log log(rank, rank / 2);
        for (int iteration = 0; iteration != 2; ++iteration) {
            const double at = 1000 + 100 * iteration;
            log.batch(0).add("forward_step", 10 + rank + iteration, at + 20);
            log.batch(1).add("forward_step", 10, at + 40).add("optimizer_step", 5, at + 50);
        }
        if (rank == 1) log.add("mystery", -3, 1200);
        logs.push_back(log);
    }
    const auto a = answers(logs, "wd4_tp2_pp2");
    CHECK(a.iterations == 2);
    CHECK(a.micro_batches == 4);
    REQUIRE(a.by_iteration.size() == 2);
    CHECK(a.by_iteration[0].micro_batches == 2);
    // optimizer_step lacks rank 3, and the last record may have been in either iteration.
    CHECK(is_around(a.by_iteration[0].ranks[1].work, 21));
    CHECK(is_around(a.by_iteration[1].ranks[1].work, 22));
    CHECK(is_around(a.by_iteration[0].ranks[1].unknown, 5));
    CHECK(a.by_iteration[0].ranks[2].span + a.by_iteration[1].ranks[2].span ==
          doctest::Approx(a.ranks[2].account.span.number()));
    CHECK(a.missing_ranks == std::vector<std::int64_t>{3});
    REQUIRE(a.stages.size() == 2);
    CHECK(a.stages[0].missing.empty());
    CHECK(a.stages[1].missing == std::vector<std::int64_t>{3});
    CHECK(a.negative == 1);
    CHECK(a.ranks[1].untimed == 1);
    CHECK(a.ranks[1].account.span == 191);  // it ends where its timestamp says
    CHECK_FALSE(a.by_iteration[0].is_slowest_known);
}

TEST_CASE("a gap that is longer than the rest of the run, or a record that is, is told and proves nothing") {
    using cause = analysis::doubtful_time::cause;
    // From its second record on, the clock of rank 1 is a day ahead.
    const double day = 86400000;
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 4; ++rank)
        logs.push_back(rank_log(rank, 0)
                           .add("forward_step", 10, 1010)
                           .add("backward_step", 20, 1031 + (rank == 1 ? day : 0))
                           .add("loss_func", 1, 1032 + (rank == 1 ? day : 0)));
    const auto jump = answers(logs, "wd4_tp4_pp1");
    REQUIRE(jump.doubtful_times.size() == 1);
    CHECK(jump.doubtful_times[0].rank == 1);
    CHECK(jump.doubtful_times[0].record == 1);
    CHECK(jump.doubtful_times[0].why == cause::gap);
    CHECK(message(jump.doubtful_times[0]) ==
          "record 2 of rank 1 begins 86,400,001 ms after the one before it, a gap longer than the rest of the run");
    CHECK_FALSE(jump.ranks[1].account.span.is_exact());
    CHECK_FALSE(jump.ranks[1].account.gaps.is_exact());
    CHECK(jump.ranks[1].account.work == 31);
    CHECK(jump.ranks[2].account.span == 32);
    CHECK(jump.replay.remedies.empty());
    // A pause that all ranks make is longer than the rest of the run, too.
    logs.clear();
    for (int rank = 0; rank != 2; ++rank)
        logs.push_back(rank_log(rank, 0).add("forward_step", 10, 1010).add("backward_step", 20, 1900));
    CHECK(answers(logs, "wd2_tp2_pp1").doubtful_times.size() == 2);
    // The first record of rank 1 takes longer than the run of the others.
    logs[1] = rank_log(1, 0).add("forward_step", 1e6, 1010).add("backward_step", 20, 1040);
    logs[0] = rank_log(0, 0).add("forward_step", 10, 1010).add("backward_step", 20, 1031);
    const auto first = answers(logs, "wd2_tp2_pp1");
    REQUIRE(first.doubtful_times.size() == 1);
    CHECK(first.doubtful_times[0].why == cause::too_long);
    CHECK(first.doubtful_times[0].time == 1e6);
    CHECK(is_no_less(first.ranks[1].account.work, 20));
    CHECK(first.ranks[1].account.unknown == 1e6);
    CHECK_FALSE(first.slowest_rank);
    CHECK(analysis::headline(first) == "Times contradict each other: who is slow is not known");
    // The clock of rank 1 is set back by 15 ms in its second record: the first two overlap.
    logs[1] = rank_log(1, 0).add("forward_step", 30, 1030).add("backward_step", 20, 1036).add("loss_func", 2, 1039);
    logs[0] = rank_log(0, 0).add("forward_step", 10, 1010).add("backward_step", 20, 1031).add("loss_func", 2, 1033);
    const auto back = answers(logs, "wd2_tp2_pp1");
    REQUIRE(back.doubtful_times.size() == 1);
    CHECK(message(back.doubtful_times[0]) == "record 2 of rank 1 begins 14.0 ms before the one before it ends");
    CHECK(back.contradictions == 2);
    CHECK(is_no_less(back.ranks[1].account.work, 2));
    CHECK(back.replay.remedies.empty());
}

TEST_CASE("a clock that was set, as blocking calls show, splits its log") {
    const auto logs_with = [](double by, int set_rank) {
        std::vector<rank_log> logs;
        for (int rank = 0; rank != 2; ++rank) {
            rank_log log(rank, 0);
            for (int n = 0; n != 6; ++n) {
                const double end = 1000 + 20 * (n + 1) + (rank == set_rank && n >= 3 ? by : 0);
                log.add("forward_step", 15, end, rank_log::call("tp", 2 + rank, end - 1));
            }
            logs.push_back(std::move(log));
        }
        return logs;
    };
    const auto whole = answers(logs_with(0, 0), "wd2_tp2_pp1");
    for (const double by : {86400000.0, 3.0, -3.0, -30.0, -900.0})
        for (const int rank : {0, 1}) {
            CAPTURE(by);
            CAPTURE(rank);
            const auto a = answers(logs_with(by, rank), "wd2_tp2_pp1");
            CHECK(a.together);
            CHECK(a.ranks[1].account.stage_waiting == whole.ranks[1].account.stage_waiting);
            CHECK(a.ranks[0].account.work == whole.ranks[0].account.work);
            // If it is less than the gaps, nothing shows which of the two was set.
            REQUIRE(a.doubtful_times.size() == (std::fabs(by) == 3 ? 2 : 1));
            CHECK(a.doubtful_times[0].is_mended() == (std::fabs(by) != 3));
            if (std::fabs(by) == 3) continue;
            CHECK(a.doubtful_times[0].rank == rank);
            CHECK(a.doubtful_times[0].record == 3);
            CHECK(a.doubtful_times[0].time == by);
            CHECK(is_around(a.ranks[static_cast<std::size_t>(rank)].account.span, 115));
            CHECK(a.ranks[static_cast<std::size_t>(rank)].account.span.width() < 0.2);
            CHECK(a.ranks[static_cast<std::size_t>(1 - rank)].account.span == 115);
        }
    CHECK(message(answers(logs_with(-30, 1), "wd2_tp2_pp1").doubtful_times[0]) ==
          "the clock of rank 1 was set back by 30.0 ms before its record 4");
}

TEST_CASE("records that were written out of order are taken in that of their times, if another rank has it") {
    const auto log_of = [](int rank, bool in_order) {
        rank_log log(rank, 0);
        log.add("get_batch", 1, 1001);
        if (in_order) log.add("forward_step", 10, 1012).add("backward_step", 20, 1033);
        else log.add("backward_step", 20, 1033).add("forward_step", 10, 1012);
        log.add("loss_func", 2, 1036);
        return log;
    };
    const auto a = answers({log_of(0, true), log_of(1, false)}, "wd2_tp2_pp1");
    CHECK(a.ranks[1].account.span == 36);
    CHECK(a.ranks[1].account.work == 33);
    CHECK(a.contradictions == 0);
    REQUIRE(a.doubtful_times.size() == 1);
    CHECK(message(a.doubtful_times[0]) ==
          "record 3 of rank 1 begins 31.0 ms before the one before it ends: its records are "
          "taken in the order of their times");
    // Without a rank that has this order, one of the times may be wrong.
    const auto b = answers({log_of(0, false), log_of(1, false)}, "wd2_tp2_pp1");
    CHECK_FALSE(b.doubtful_times[0].is_mended());
    CHECK_FALSE(b.ranks[1].account.span.is_exact());
}

TEST_CASE("where no log has the receiving ends of messages, nothing is lost") {
    std::vector<rank_log> logs;
    for (const int rank : {0, 1, 2, 3})
        logs.push_back(
            rank_log(rank, rank / 2).add("forward_step", 5, 1005).add("send_forward", 2, 1010, "", ",group_kind=pp"));
    const auto a = answers(logs, "wd4_tp2_pp2");
    CHECK(a.lost == 0);
    CHECK(a.ranks[0].account.work == 5);
}

TEST_CASE("half of an exchange with a wrong timestamp is perhaps no call of its own") {
    const auto rank_with = [](double end) {
        std::vector<rank_log> logs;
        for (const int rank : {0, 1})
            logs.push_back(rank_log(rank, 0)
                               .add("forward_step", 8, 1008)
                               .add("send_forward", 2, rank == 0 ? end : 1010, "", ",group_kind=pp")
                               .add("recv_backward", 2, 1010, "", ",group_kind=pp")
                               .add("backward_step", 10, 1020));
        return answers(logs, "wd4_tp2_pp2").ranks[0];
    };
    CHECK(group(rank_with(1010).groups, "pp").calls.at_most() == 1);
    for (const double end : {9000.0, 1012.0, 1009.0, 1006.0, 1.0}) {
        const analysis::rank_answer rank = rank_with(end);
        CHECK(group(rank.groups, "pp").calls.at_least() <= 1);
        CHECK(group(rank.groups, "pp").exposed.at_least() <= 2);
        CHECK(rank.account.span.at_least() <= 20);
    }
}

TEST_CASE("a call that ends before its record begins is doubtful, unless it has no timestamp") {
    const auto contradictions = [](double end) {
        const std::string call = rank_log::call("tp", 1, end);
        return answers({rank_log(0, 0).add("forward_step", 10, 1010, call).add("backward_step", 20, 1031),
                        rank_log(1, 0).add("forward_step", 10, 1010, call).add("backward_step", 20, 1031)},
                       "wd2_tp2_pp1")
            .contradictions;
    };
    CHECK(contradictions(1005) == 0);
    CHECK(contradictions(900) == 2);
    CHECK(contradictions(0) == 0);
}

TEST_CASE("a duration below 0 is in a gap, and more is not known of it") {
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 2; ++rank)
        logs.push_back(rank_log(rank, 0)
                           .add("forward_step", 10, 1010)
                           .add("mystery", rank == 1 ? -3 : 3, 1013)
                           .add("backward_step", 20, 1040));
    const auto a = answers(logs, "wd2_tp2_pp1");
    CHECK(is_no_more(a.ranks[1].account.gaps, 10));
    CHECK(is_no_less(a.ranks[1].account.work, 30));
    CHECK(a.ranks[1].account.span == 40);
    CHECK(a.replay.remedies.empty());
    CHECK_FALSE(a.slowest_rank);
}

TEST_CASE("a rank that the run cannot have does not hide the ranks that no log has") {
    const auto a = answers({rank_log(0, 0).add("forward_step", 5, 1005), rank_log(7, 0).add("forward_step", 5, 1005)},
                           "wd4_tp4_pp1");
    CHECK(a.left_out == std::vector<std::int64_t>{7});
    CHECK(a.missing_ranks == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("that no rank is slow is not known where a stage lacks one") {
    std::vector<rank_log> logs;
    for (const int rank : {0, 1, 2, 3}) logs.push_back(rank_log(rank, rank / 2).add("forward_step", 5, 1005));
    const auto whole = answers(logs, "wd4_tp2_pp2");
    REQUIRE(whole.slowest_rank);
    CHECK(whole.slowest_rank->reason == analysis::slow_rank::cause::none);
    logs.pop_back();
    CHECK_FALSE(answers(logs, "wd4_tp2_pp2").slowest_rank);
}

TEST_CASE("a slow rank is named where bounds prove it, though a record is lost") {
    // Rank 1 works 60 ms and its peers 20; rank 0 has lost a step that took no longer than the 5 ms of its gap.
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 3; ++rank) {
        rank_log log(rank, 0);
        const double own = rank == 1 ? 30 : 10;
        log.add("forward_step", own, 1030);
        if (rank != 0) log.add("loss_func", 2, 1034);
        log.add("backward_step", own, 1035 + own);
        log.add("optimizer_step", 1, 1070);
        logs.push_back(log);
    }
    const auto a = answers(logs, "wd3_tp3_pp1");
    CHECK(a.lost == 1);
    CHECK_FALSE(a.ranks[0].account.work.is_exact());
    REQUIRE(a.slowest_rank);
    CHECK(a.slowest_rank->rank == 1);
    CHECK(a.slowest_rank->ratio.at_least() > 2);
    CHECK(analysis::headline(a).find("Rank 1 works ") == 0);
    // Had the gap been 100 ms, rank 0 could be the slow one.
    logs[0] = rank_log(0, 0);
    logs[0].add("forward_step", 10, 1030).add("backward_step", 10, 1145).add("optimizer_step", 1, 1170);
    const auto b = answers(logs, "wd3_tp3_pp1");
    CHECK(b.lost == 1);
    CHECK_FALSE(b.slowest_rank);
}

TEST_CASE("what a log lost at its beginning takes from a verdict no more than it has to") {
    const std::string pp = ",group_kind=pp,input__shape=[8],input__dtype=torch.int64";
    const auto run = [&](int without) {
        std::vector<rank_log> logs;
        for (int rank = 0; rank != 4; ++rank) {
            rank_log log(rank, rank / 2);
            const double own = rank == 3 ? 30 : 10;
            if (rank != without) {
                if (rank < 2) log.add("get_batch", 2, 1002);
                else log.add("recv_forward", 1, 1013, "", pp);
            }
            log.add("forward_step", own, 1013 + own);
            if (rank < 2) log.add("send_forward", 1, 1014 + own, "", pp);
            log.add("backward_step", own, 1050 + own);
            logs.push_back(log);
        }
        return answers(logs, "wd4_tp2_pp2");
    };
    REQUIRE(run(-1).slowest_rank);
    CHECK(run(-1).slowest_rank->rank == 3);
    // A message is no work: the work of the rank that lost it is known.
    const auto a = run(2);
    CHECK(a.lost == 1);
    REQUIRE(a.slowest_rank);
    CHECK(a.slowest_rank->rank == 3);
    CHECK(a.slowest_rank->ratio == 3);
    // Rank 0 may have read its batch for any time. That does not change that rank 3 works longer than rank 2.
    const auto b = run(0);
    CHECK(b.lost == 1);
    CHECK_FALSE(b.slowest_rank);
    CHECK(analysis::headline(b) ==
          "Rank 3 works 3.00 times as long as its peers; whether another one is slower is not known");
}

TEST_CASE("a log that lost its beginning begins later than the rank did, whatever its exchanges look like") {
    const std::string pp = ",group_kind=pp,input__shape=[8],input__dtype=torch.int64";
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 2; ++rank) {
        rank_log log(rank, 0);
        if (rank == 1) log.batch(0).add("recv_forward", 3, 1003, "", pp).add("forward_step", 5, 1008);
        log.batch(0).add("backward_step", 9, 1018).add("send_backward", 2, 1020, "", pp);
        log.batch(1).add("recv_forward", 2, 1020, "", pp).add("forward_step", 5, 1026).add("backward_step", 9, 1036);
        logs.push_back(log);
    }
    // Of the first rank, the exchange of micro-batches 0 and 1 is not the half that it lacks.
    const auto a = answers(logs, "wd2_tp2_pp1");
    CHECK(a.lost == 2);
    CHECK(is_no_less(a.ranks[0].account.span, 27));
    CHECK_FALSE(a.ranks[0].account.gaps.is_exact());
    CHECK(a.ranks[1].account.span == 36);
}

TEST_CASE("what is lost at one of several places, as far as the records tell, may be lost at each of them") {
    const std::string pp = ",group_kind=pp,input__shape=[8],input__dtype=torch.int64";
    // Two chunks of a virtual pipeline: rank 0 lacks the first one, or what is between the steps of both.
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 2; ++rank) {
        rank_log log(rank, 0);
        if (rank == 1)
            log.add("recv_forward", 3, 1003, "", pp).add("forward_step", 5, 1008).add("send_forward", 1, 1009, "", pp);
        log.add("recv_forward", 2, 1012, "", pp).add("forward_step", 5, 1018).add("loss_func", 1, 1020);
        log.add("backward_step", 9, 1036);
        logs.push_back(log);
    }
    const auto a = answers(logs, "wd2_tp2_pp1");
    CHECK(a.lost == 3);
    CHECK(is_no_less(a.ranks[0].account.span, 26));
    CHECK_FALSE(a.ranks[0].account.gaps.is_exact());
    CHECK(is_no_less(a.ranks[0].pipeline_span, 26));
    CHECK_FALSE(a.ranks[0].first_forward.is_exact());
    CHECK(a.ranks[1].account.span == 36);
    // Of three iterations rank 0 lacks one, which may be the first, the second or the last.
    logs = {{0, 0}, {1, 0}};
    for (int k = 0; k != 3; ++k)
        for (rank_log& log : logs) {
            if (log.rank() == 0 && k == 1) continue;
            log.add("forward_step", 5, 1005 + 20 * k).add("optimizer_step", 5, 1010 + 20 * k);
        }
    const auto b = answers(logs, "wd2_tp2_pp1");
    CHECK(b.lost == 2);
    CHECK(is_no_less(b.ranks[0].account.span, 50));
    CHECK_FALSE(b.ranks[0].account.gaps.is_exact());
}

TEST_CASE("what records that could not be read may have changed is a limit, unless other ranks show what they were") {
    const auto unread_in = [](const std::vector<rank_log>& logs, std::vector<std::uint64_t> unread) {
        summary all(summary::keep::calls);
        for (std::size_t n = 0; n != logs.size(); ++n) {
            all.begin_text("run/wd2_tp2_pp1_rank" + std::to_string(n) + "_20250101000000.txt");
            all.add_unread(static_cast<std::int64_t>(n), 7);  // a rank without records has nothing to limit
            oplog::reader records(logs[n].text());
            while (const auto* op = records.next()) all.add(*op);
            all.add_unread(static_cast<std::int64_t>(n), unread[n]);
        }
        std::string line;
        wlfmt::analysis::write(test::into(line), all);
        const auto again = analysis::read_summary(line);
        REQUIRE(again.ok());
        CHECK(analysis::answers_of(*again).unread == analysis::answers_of(all).unread);
        return analysis::answers_of(all);
    };
    const auto log_of = [](int rank, bool has_loss) {
        rank_log log(rank, 0);
        log.add("forward_step", 5, 1005);
        if (has_loss) log.add("loss_func", 1, 1006);
        return log.add("backward_step", 8, 1015);
    };
    const std::vector<rank_log> whole = {log_of(0, true), log_of(1, true)};
    // Both have records that could not be read, and no file shows what these were.
    const auto both = unread_in(whole, {1, 2});
    CHECK(both.unread == 3);
    CHECK(both.ranks[1].lost == 2);
    CHECK(is_no_less(both.ranks[0].account.span, 15));
    CHECK(is_around(both.ranks[0].account.work, 14));
    CHECK_FALSE(both.ranks[0].account.gaps.is_exact());
    CHECK(is_no_less(both.ranks[0].records, 3));
    CHECK_FALSE(both.slowest_rank);
    // The other rank shows that the record of rank 0 is loss_func, between two records that were read.
    const auto one = unread_in({log_of(0, false), log_of(1, true)}, {1, 0});
    CHECK(one.unread == 1);
    CHECK(one.ranks[0].lost == 1);
    CHECK(one.ranks[0].account.span == 15);
    CHECK(one.ranks[1].account.work == 14);
    CHECK(unread_in(whole, {0, 0}).ranks[0].account.work == 14);
    // It may have the only asynchronous call of a group, or the only blocking one.
    for (const std::string source : {"f", "f_async"}) {
        std::vector<rank_log> logs = whole;
        for (rank_log& log : logs)
            log.add("backward_step", 8, 1025, rank_log::call("tp", 1, 1022, 8, "allreduce", source));
        for (const analysis::rank_answer& r : unread_in(logs, {1, 1}).ranks) {
            CHECK_FALSE(group(r.groups, "tp").overlapped.is_exact());
            CHECK_FALSE(group(r.groups, "tp").transfer.is_exact());
        }
        CHECK(group(unread_in(logs, {0, 0}).ranks[0].groups, "tp").overlapped.is_exact());
    }
}

TEST_CASE("what a clock says that does not fit is not trusted") {
    // Rank 2 has the log of a slower run: its second call is 15 ms after its first one, not 10.
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 4; ++rank) {
        const double by = rank == 2 ? 5 : 0;
        logs.push_back(rank_log(rank, 0)
                           .add("forward_step", 10, 1010, rank_log::call("tp", 2, 1010))
                           .add("forward_step", 10 + by, 1020 + by, rank_log::call("tp", 2, 1020 + by))
                           .add("forward_step", 10, 1030 + by, rank_log::call("tp", 2, 1030 + by)));
    }
    logs.push_back(rank_log(4, 0).add("forward_step", 30, 1030));
    logs.push_back(rank_log(5, 0).add("forward_step", 30, 1030));
    for (int rank : {4, 5})
        for (int k = 0; k != 2; ++k)
            logs[static_cast<std::size_t>(rank)].add("forward_step", 9, 1040 + 10 * k,
                                                     rank_log::call("tp", 2, 1040 + 10 * k));
    const auto a = answers(logs, "wd6_tp2_pp1");
    CHECK(a.together);
    CHECK(a.apart_groups == 1);
    CHECK(a.ranks[0].account.unknown.number() == 0);
    CHECK(a.ranks[2].account.unknown == 6);
    CHECK(is_no_less(a.ranks[2].account.transfer, 0));
    CHECK_FALSE(a.ranks[3].account.span.is_exact());
    CHECK(a.ranks[4].account.span == 50);
    // Two records that are in the wrong order.
    logs = two_ranks();
    logs[0] = rank_log(0, 0);
    logs[0].add("backward_step", 20, 1052).add("forward_step", 30, 1030).add("loss_func", 2, 1056);
    const auto b = answers(logs, "wd2_tp2_pp1");
    CHECK(b.overlaps.number() == 1);
    CHECK(is_around(b.ranks[0].account.span, 56));
    CHECK_FALSE(b.ranks[0].account.gaps.is_exact());
    CHECK(b.replay.remedies.empty());
    // A record that contains the one before it has a time that cannot be.
    logs[0] = rank_log(0, 0);
    logs[0].add("forward_step", 30, 1030).add("backward_step", 1e6, 1052).add("loss_func", 2, 1056);
    const auto c = answers(logs, "wd2_tp2_pp1");
    CHECK(c.contradictions == 1);
    CHECK_FALSE(c.ranks[0].account.work.is_exact());
    // Of a rank alone, nobody knows how much longer it works than its peers.
    CHECK_FALSE(answers({two_ranks()[0]}, "wd2_tp2_pp1").ranks[0].ratio.is_known());
    CHECK(answers({two_ranks()[0]}, "wd1").ranks[0].ratio == 1);
}

TEST_CASE("times that contradict each other are told, and unknown") {
    auto logs = two_ranks();
    logs[0].add("forward_step", 9, 1100, rank_log::call("tp", 1000000, 1100));
    logs[1].add("forward_step", 9, 1100, rank_log::call("tp", 2, 1100));
    const auto a = answers(logs, "wd2_tp2_pp1");
    CHECK(a.contradictions == 1);
    CHECK(a.ranks[0].account.unknown == 9);
    CHECK(a.ranks[1].account.unknown == 2);
    for (const analysis::rank_answer& r : a.ranks)
        for (const analysis::bounded& part : {r.account.work, r.account.transfer, r.account.stage_waiting,
                                              r.account.pipeline_waiting, r.account.gaps, r.account.unknown})
            CHECK(part.number() >= 0);
    // A record that is there twice says nothing more.
    logs = two_ranks();
    const auto once = answers(logs, "wd2_tp2_pp1");
    logs[0].add("backward_step", 20, 1052);
    const auto twice = answers(logs, "wd2_tp2_pp1");
    CHECK(twice.contradictions == 1);
    CHECK(twice.ranks[0].account.work == once.ranks[0].account.work);
    CHECK(twice.ranks[0].account.gaps == once.ranks[0].account.gaps);
}

TEST_CASE("nothing is told of when the members of a group leave its calls if the times of all calls are doubtful") {
    const std::string in_group = ",description=None,group_kind=dp";
    const auto a = answers({rank_log(0, 0).add("forward_step", 1, 1028).add("dp_allreduce", 1e6, 1030, "", in_group),
                            rank_log(1, 0).add("dp_allreduce", 8, 1030, "", in_group)},
                           "wd2_tp1_pp1");
    CHECK(a.leaving.empty());
    CHECK(a.contradictions == 1);
    CHECK(a.ranks[1].account.unknown == 8);
}

TEST_CASE("a call that may be there without a time is not said to be lacking") {
    const std::string untimed = "'trace_src_func=x,duration=nan,timestamp=1060,group=tp,comm_func=allreduce'";
    auto logs = two_ranks();
    logs[0].add("forward_step", 9, 1100, rank_log::call("tp", 2, 1100));
    logs[1].add("forward_step", 9, 1100, untimed);
    const auto sentence_of = [](const std::vector<rank_log>& of) {
        const auto a = answers(of, "wd2_tp2_pp1");
        REQUIRE(a.missing_calls.size() == 1);
        return message(a.missing_calls[0]);
    };
    const std::string rest = " allreduce of tp in forward_step, batch 0, which rank 0 has";
    CHECK(sentence_of(logs) == "rank 1 lacks the time of the 1st" + rest);
    // Without a call that has no time, it is not there.
    logs = two_ranks();
    logs[0].add("forward_step", 9, 1100, rank_log::call("tp", 2, 1100));
    logs[1].add("forward_step", 9, 1100);
    CHECK(sentence_of(logs) == "rank 1 lacks the 1st" + rest);
}

TEST_CASE("a stage of one rank is slow only if it surely takes 5 % longer") {
    const auto stage = [](int rank, double forward, bool has_loss) {
        rank_log log(rank, rank);
        for (int batch = 0; batch != 3; ++batch) {
            const double at = 1000 + 100 * batch;
            log.batch(batch).add("forward_step", forward, at + forward);
            if (rank == 1 && (has_loss || batch != 1)) log.add("loss_func", 3, at + forward + 3);
            log.add("backward_step", 20, at + 60);
        }
        return log;
    };
    const auto slowest = [](const std::vector<rank_log>& logs) { return answers(logs, "wd2_tp1_pp2").slowest_stage; };
    const auto whole = slowest({stage(0, 20, true), stage(1, 22, true)});
    REQUIRE(whole);
    CHECK(whole->reason == analysis::slow_stage::cause::all_ranks);
    // Stage 1 needs 44 ms a micro-batch, or 45 if a record of it was lost, beside the 43 of stage 0: less than 5 %
    // more.
    CHECK_FALSE(slowest({stage(0, 23, true), stage(1, 22, false)}));
}

TEST_CASE("one call on two hosts does not show that ranks were traced apart") {
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 2; ++rank)
        logs.push_back(rank_log(rank, 0).add("forward_step", 10 + rank, 1010 + 86400000.0 * rank,
                                             rank_log::call("tp", 2 + rank, 1010 + 86400000.0 * rank)));
    const auto a = answers(logs, "wd2_tp2_pp1");
    CHECK_FALSE(a.together);
    CHECK_FALSE(a.apart);
    CHECK(analysis::headline(a) == "Whether the ranks ran together is not known: work is known, waiting is not");
}

TEST_CASE("a virtual pipeline is recognised by its last stage, which sends forward") {
    const std::string pp = ",group_kind=pp,input__shape=[8],input__dtype=torch.int64";
    rank_log first(0, 0);
    rank_log last(1, 1);
    first.add("forward_step", 5, 1005).add("send_forward", 1, 1006, "", pp);
    last.add("recv_forward", 6, 1006, "", pp).add("forward_step", 5, 1011).add("send_forward", 1, 1012, "", pp);
    first.add("recv_forward", 6, 1012, "", pp).add("forward_step", 5, 1017).add("send_forward", 1, 1018, "", pp);
    last.add("recv_forward", 6, 1018, "", pp).add("forward_step", 5, 1023).add("backward_step", 5, 1028);
    last.add("backward_step", 5, 1033);
    first.add("backward_step", 5, 1028).add("backward_step", 5, 1033);
    const auto a = answers({first, last}, "wd2_tp1_pp2");
    CHECK(a.interleaved);
    CHECK(a.chunks == 0);  // several micro-batches may have one number
    CHECK(a.micro_batches == 0);
    CHECK_FALSE(a.equal_share.is_known());
    CHECK_FALSE(a.least_time.is_known());
    CHECK(a.replay.reason == analysis::replay_answer::obstacle::none);
    CHECK_FALSE(answers(two_ranks(), "wd2_tp1_pp2").interleaved);
}

TEST_CASE("in a virtual pipeline, the loss follows one of the forward steps of a micro-batch") {
    const std::string pp = ",group_kind=pp,input__shape=[8],input__dtype=torch.int64";
    const auto lost = [&](int without) {
        rank_log first(0, 0);
        rank_log last(1, 1);
        for (int batch = 0; batch != 3; ++batch) {
            const double at = 1000 + 100 * batch;
            first.batch(batch).add("forward_step", 5, at + 5).add("send_forward", 1, at + 6, "", pp);
            last.batch(batch).add("recv_forward", 6, at + 6, "", pp).add("forward_step", 5, at + 11);
            last.add("send_forward", 1, at + 12, "", pp);
            first.add("recv_forward", 6, at + 12, "", pp).add("forward_step", 5, at + 17);
            first.add("send_forward", 1, at + 18, "", pp);
            last.add("recv_forward", 6, at + 18, "", pp).add("forward_step", 5, at + 23);
            if (batch != without) last.add("loss_func", 2, at + 25);
            last.add("backward_step", 5, at + 30);
            first.add("backward_step", 5, at + 35);
        }
        return answers({first, last}, "wd2_tp1_pp2").lost;
    };
    CHECK(lost(-1) == 0);
    CHECK(lost(1) == 1);
}

TEST_CASE("the optimizer between two iterations is no bubble, and the least time has a flush for each") {
    std::vector<rank_log> logs;
    for (int rank = 0; rank != 2; ++rank) {
        rank_log log(rank, rank);
        for (int iteration = 0; iteration != 2; ++iteration) {
            const double at = 1000 + 200 * iteration;
            log.batch(0).add("forward_step", 10, at + (rank == 0 ? 10 : 20));
            log.add("backward_step", 20, at + (rank == 0 ? 60 : 40)).add("optimizer_step", 100, at + 160);
        }
        logs.push_back(log);
    }
    const auto a = answers(logs, "wd2_tp1_pp2");
    CHECK(a.iterations == 2);
    CHECK(a.pipeline_time == 120);
    CHECK(a.stages[0].bubble == 60);
    CHECK(a.bubble_share == 0.5);
    CHECK(a.equal_share == 0.5);
    CHECK(a.least_time == 120);  // 2 * 30 before the second stage, and 2 * 30 in it
}

TEST_CASE("of several offsets between two clocks, the one that is by far nearest to 0 is likely") {
    using analysis::likely_offset;
    constexpr double ms = 1e6;
    CHECK(likely_offset({-100 * ms, -50 * ms, -10 * ms}) == -10 * ms);
    CHECK(likely_offset({10 * ms, 50 * ms, 100 * ms}) == 10 * ms);
    CHECK_FALSE(likely_offset({-163 * ms, -48 * ms, 14 * ms, 126 * ms, 191 * ms}));
    // Two that agree to within a millisecond outweigh one that is nearer.
    CHECK(likely_offset({2 * ms, -90.5 * ms, -90 * ms}) == -90.5 * ms);
    CHECK_FALSE(likely_offset({}));
}

TEST_CASE("a log that is not of the run is told and left out; a slow rank is not") {
    using cause = analysis::strange_log::cause;
    // Rank 3 takes that many times as long; rank 2 has that many micro-batches.
    const auto run_of = [](double slow, int batches) {
        std::vector<rank_log> logs;
        for (int rank = 0; rank != 4; ++rank) {
            rank_log log(rank, 0);
            const double factor = rank == 3 ? slow : 1;
            for (int batch = 0; batch != (rank == 2 ? batches : 2); ++batch)
                log.batch(batch)
                    .add("forward_step", 10 * factor, 1000 + 40000 * batch + 10 * factor)
                    .add("backward_step", 20 * factor, 1001 + 40000 * batch + 30 * factor);
            logs.push_back(log.add("optimizer_step", 5, 100000));
        }
        return answers(logs, "wd4_tp4_pp1");
    };
    for (const double slow : {1.0, 10.0, 100.0, 0.01}) {
        CHECK(run_of(slow, 2).strange_logs.empty());
        CHECK(run_of(slow, 2).left_out.empty());
    }
    const auto units = run_of(0.001, 2);
    REQUIRE(units.strange_logs.size() == 1);
    CHECK(units.strange_logs[0].why == cause::short_durations);
    CHECK(units.left_out == std::vector<std::int64_t>{3});
    CHECK(units.ranks.size() == 3);
    CHECK(message(units.strange_logs[0]) ==
          "the durations of rank 3 are in another unit: they are 1000 times as short "
          "as those of rank 1, in each of 2 operations");
    const auto batches = run_of(1, 4);
    REQUIRE(batches.strange_logs.size() == 1);
    CHECK(batches.left_out == std::vector<std::int64_t>{2});
    CHECK(message(batches.strange_logs[0]) ==
          "the log of rank 2 is not of this run: it has 4 micro-batches where that of rank 0 has 2");
    // Of two logs, none is known to be right.
    const std::vector<rank_log> two = {
        rank_log(0, 0).add("forward_step", 10, 1010).add("backward_step", 20, 1031).add("optimizer_step", 5, 1036),
        rank_log(1, 0).add("forward_step", 0.01, 1010).add("backward_step", 0.02, 1031).add("optimizer_step", 5, 1036)};
    const auto neither = answers(two, "wd2_tp2_pp1");
    CHECK(neither.left_out == std::vector<std::int64_t>{0, 1});
    CHECK(analysis::headline(neither) == "The logs are not of one run");
}
