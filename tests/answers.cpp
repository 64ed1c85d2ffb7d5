// The answers that the op logs of a run give. tests/answers/ compares the command's answers with a computation in
// Python.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/answers.hpp>

#include "support.hpp"

namespace oplog = wlfmt::oplog;
using oplog::summary;

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
        wlfmt::append(to, wlfmt::number(v));
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
oplog::run_answers answers(const std::vector<rank_log>& logs, const std::string& sizes) {
    return oplog::answers_of(summary_of(logs, sizes));
}
const oplog::group_answer& group(const std::vector<oplog::group_answer>& of, std::string_view name) {
    for (const auto& g : of)
        if (g.group == name) return g;
    static const oplog::group_answer none;
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
        CHECK(tp.waiting_least == 15);
        REQUIRE(a.slowest_rank);
        CHECK(a.slowest_rank->rank == 1);
        CHECK(a.slowest_rank->why == oplog::slow_rank::reason::longer);
        CHECK(a.slowest_rank->excess == 35);
        CHECK(a.slowest_rank->near == std::vector<std::int64_t>{1});
        CHECK_FALSE(a.slowest_stage);
        CHECK_FALSE(a.pipeline_time);
        CHECK(a.stages.at(0).uneven == 7.5);
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
    CHECK(unknown.ranks[0].account.transfer == 0);
    CHECK(unknown.ranks[0].account.undivided == 17);
    CHECK(unknown.ranks[0].account.stage_waiting == 0);
    CHECK(group(unknown.groups, "tp").undivided == 19);
    // Given by the program instead.
    const auto given = oplog::answers_of(summary_of(two_ranks(), "log"), oplog::run_sizes{2, 2, 1, 1});
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
    CHECK(even.slowest_rank->why == oplog::slow_rank::reason::none);
    CHECK(even.slowest_rank->near.empty());
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
        CHECK(tp.late == 3);
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
    CHECK(*r.bubble_share == doctest::Approx((38 + 35) / 2.0 / 98));
    CHECK(*r.equal_share == doctest::Approx(1 / 3.0));
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
    CHECK(group(r.ranks[1].groups, "model").waiting == 20);
    CHECK(r.ranks[1].account.pipeline_waiting == 11 + 20);
    CHECK(r.ranks[1].account.work == 63 + 12);
    CHECK(r.ranks[0].account.gaps == 0);
    REQUIRE(r.slowest_stage);
    CHECK(r.slowest_stage->stage == 1);
    CHECK(r.slowest_stage->why == oplog::slow_stage::reason::all_ranks);
    REQUIRE(r.slowest_rank);
    CHECK(r.slowest_rank->why == oplog::slow_rank::reason::none);
    // Without the first stage there is no time of the pipeline, and nothing that needs it.
    const auto last = answers({b}, "wd2_tp1_pp2");
    CHECK_FALSE(last.pipeline_time);
    CHECK_FALSE(last.bubble_share);
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
    CHECK(*a.extent == 14);
    CHECK(*a.extent_spread == 4);
    CHECK(a.ranks[0].account.work == 29.25);
    CHECK(a.ranks[0].account.undivided == 0.75);
    CHECK(a.ranks[0].account.transfer == 0);
    CHECK(a.total.stage_waiting == 0);
    CHECK_FALSE(a.equal_share);
    // The calls that differ are found by their bytes all the same.
    REQUIRE(a.imbalance.size() == 1);
    CHECK(a.imbalance[0].greatest_rank == 1);
    CHECK(a.imbalance[0].bytes == std::vector<double>{100, 150});
    CHECK(a.imbalance[0].ratio == 1.2);
    CHECK(a.imbalance[0].worst_call_ratio == 1.2);
    CHECK(a.imbalance[0].all_ratio == doctest::Approx(230 / 205.0));
    CHECK(a.imbalance[0].correlation == doctest::Approx(1));
    REQUIRE(a.slowest_rank);
    CHECK(a.slowest_rank->rank == 1);
    CHECK(a.slowest_rank->why == oplog::slow_rank::reason::more_bytes);
}

TEST_CASE("which ranks share a group") {
    // 24 ranks in 2 stages of 12: tensor parallel 2, data parallel 6, expert parallel 3.
    const oplog::run_sizes sizes{24, 2, 2, 3};
    const auto members = [&](const std::string& kind, std::int64_t rank) {
        const auto own = wlfmt::detail::place_of(kind, rank, sizes);
        REQUIRE(own);
        std::string text = std::to_string(own->size) + ":";
        for (std::int64_t other = 0; other != sizes.world; ++other) {
            const auto place = wlfmt::detail::place_of(kind, other, sizes);
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
    CHECK_FALSE(wlfmt::detail::place_of("cp", 0, sizes));
    CHECK(wlfmt::detail::place_of("embedding", 1, {4, 2, 1, 1})->size == 1);
    CHECK(wlfmt::detail::place_of("ep_dp", 1, {4, 1, 1, 8})->size == 1);
    for (const std::string kind : {"tp", "dp", "exp", "ep_dp", "exp_dp"}) CHECK(wlfmt::detail::is_within_stage(kind));
    for (const std::string kind : {"embedding", "model", "pp", "ep", ""})
        CHECK_FALSE(wlfmt::detail::is_within_stage(kind));
    for (const std::string op : {"get_batch", "forward_step", "loss_func", "backward_step"})
        CHECK(wlfmt::detail::is_pipeline_step(op));
    CHECK_FALSE(wlfmt::detail::is_pipeline_step("optimizer_step"));
    CHECK((oplog::run_sizes{8, 2, 2, 4}.are_possible()));
    CHECK((oplog::run_sizes{8, 2, 2, 1}.are_possible()));
    CHECK((oplog::run_sizes{1, 1, 1, 1}.are_possible()));
    for (const oplog::run_sizes& wrong : {oplog::run_sizes{0, 1, 1, 1},
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
    CHECK(a.slowest_stage->why == oplog::slow_stage::reason::one_rank);
}

TEST_CASE("a summary keeps all calls or, if there are more than it has room for, no call, whatever their order") {
    const auto logs = two_ranks();
    std::vector<std::string> lines;
    // The log of one member of the group is missing, so that the calls of the two others are kept.
    const std::string sizes = "wd3_tp3_pp1";
    for (const bool backwards : {false, true}) {
        summary all(summary::keep::calls);
        wlfmt::detail::state_of(all).most_calls = 3;
        const summary one = summary_of({logs[0]}, sizes);
        const summary other = summary_of({logs[1]}, sizes);
        CHECK(all.merge(backwards ? other : one));
        CHECK_FALSE(oplog::answers_of(all).too_many_calls);
        CHECK(all.merge(backwards ? one : other));
        const auto a = oplog::answers_of(all);
        CHECK(a.too_many_calls);
        CHECK(a.ranks.empty());
        CHECK(a.left_out == std::vector<std::int64_t>{0, 1});
        std::string line;
        CHECK_FALSE(oplog::write(line, all));
        CHECK(line.find("\"shapes\":[],\"too_many_calls\":1,\"ranks\"") != std::string::npos);
        const auto again = oplog::read_summary(line);
        REQUIRE(again);
        CHECK(oplog::answers_of(*again).too_many_calls);
        lines.push_back(line);
    }
    CHECK(lines[0] == lines[1]);
    summary added(summary::keep::calls);
    wlfmt::detail::state_of(added).most_calls = 3;
    for (const rank_log& log : logs) {
        added.begin_text(sizes + "_rank" + std::to_string(log.rank()) + "_20250101000000.txt");
        oplog::reader records(log.text());
        while (const auto* op = records.next()) added.add(*op);
    }
    std::string line;
    CHECK_FALSE(oplog::write(line, added));
    CHECK(line == lines[0]);
}

TEST_CASE("calls are kept until all members of their group are known, and merging in any order is the same") {
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
    const auto kept = [](const summary& s) { return wlfmt::detail::state_of(s).call_count; };
    std::string expected;
    CHECK_FALSE(oplog::write(expected, summary_of(logs, sizes)));
    std::vector<std::size_t> order{0, 1, 2, 3};
    do {
        summary left(summary::keep::calls);
        summary right(summary::keep::calls);
        for (const std::size_t n : order) {
            std::string line;
            CHECK_FALSE(oplog::write(line, summary_of({logs[n]}, sizes)));
            auto one = oplog::read_summary(line);
            REQUIRE(one);
            // ((a + b) + c) + d, and a + (b + (c + d)).
            REQUIRE(left.merge(*one));
            summary all = *std::move(one);
            REQUIRE(all.merge(right));
            right = std::move(all);
        }
        for (const summary* all : {&left, &right}) {
            std::string line;
            CHECK_FALSE(oplog::write(line, *all));
            CHECK(line == expected);
        }
        summary partly = summary_of({logs[order[0]], logs[order[1]]}, sizes);
        partly.end_text();
        // Both of one group: the model's group of four lacks two, each with an optimizer_step if it is of stage 1.
        const bool is_pair = order[0] / 2 == order[1] / 2;
        if (is_pair) CHECK(kept(partly) == (order[0] < 2 ? 0 : 2));
    } while (std::next_permutation(order.begin(), order.end()));
    const auto read = oplog::read_summary(expected);
    REQUIRE(read);
    const auto a = oplog::answers_of(*read);
    const auto b = oplog::answers_of(summary_of(logs, sizes));
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
    // The ranks' texts have not ended as long as more is added to them.
    summary open(summary::keep::calls);
    for (std::size_t n = 0; n != 2; ++n) {
        open.begin_text(sizes + "_rank" + std::to_string(n) + ".txt");
        oplog::reader records(logs[n].text());
        while (const auto* op = records.next()) open.add(*op);
    }
    CHECK(kept(open) == 4);
    oplog::reader more(
        "rank:1:forward_step(stage_id=0,duration=1,timestamp=1100,sub_operations=['duration=1,timestamp="
        "1100,group=tp,comm_func=allreduce'])");
    open.add(*more.next());
    CHECK(kept(open) == 5);
    open.end_text();
    CHECK(kept(open) == 0);
    CHECK(oplog::answers_of(open).differing_groups == 1);
}

TEST_CASE("calls are compared up to the first that differs, and files that cannot be used are reported") {
    auto logs = two_ranks();
    logs[0].add("forward_step", 9, 1090, rank_log::call("tp", 5, 1090));
    logs[1].add("forward_step", 9, 1090, rank_log::call("tp", 1, 1090, 8, "broadcast"));
    const auto a = answers(logs, "wd2_tp2_pp1");
    CHECK(a.differing_groups == 1);
    CHECK(a.total.stage_waiting == 15);
    // More nested calls than the others.
    logs = two_ranks();
    logs[1].add("backward_step", 90, 1190, rank_log::call("tp", 1, 1150));
    const auto more = answers(logs, "wd2_tp2_pp1");
    REQUIRE(more.slowest_rank);
    CHECK(more.slowest_rank->why == oplog::slow_rank::reason::more_bytes);
    CHECK(more.slowest_rank->calls_ratio == 1.5);
    // A record without a duration is counted, and in nothing else; where a rank is in two files, there is no answer.
    logs = two_ranks();
    summary twice = summary_of({logs[0], logs[1], logs[0]}, "wd2_tp2_pp1");
    CHECK(oplog::answers_of(twice).left_out == std::vector<std::int64_t>{0, 1});
    CHECK(oplog::answers_of(twice).ranks.empty());
    CHECK(oplog::answers_of(twice).repeated_ranks);
    CHECK_FALSE(oplog::answers_of(summary_of(logs, "wd2_tp2_pp1")).repeated_ranks);
    rank_log untimed(0, 0);
    untimed.add("forward_step", 0, 0).add("forward_step", 4, 1004);
    const auto one = answers({untimed}, "wd1_tp1_pp1");
    CHECK(one.untimed == 1);
    CHECK(one.ranks[0].account.span == 4);
    CHECK(oplog::answers_of(summary()).ranks.empty());
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
