// report.hpp: pages. tests/report compares their numbers with the summary's, and has tidy and Chromium read them.
#include "analysis/report/report.hpp"
#include <wlfmt/wlfmt.hpp>

#include "into.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace wlfmt::analysis;
using namespace wlfmt::oplog;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
std::size_t count(const std::string& text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

// Two stages of two ranks and one forward step, in which rank 3 works 60 ms and its peer 20 ms before an all-to-all of
// 5 ms.
run_answers made_run() {
    run_answers a;
    a.names = {"", "forward_step", "exp", "all_to_all", "recv_forward"};
    a.sizes = run_sizes{4, 1, 2, 2};
    a.together = a.same_clock = a.common_moment = true;
    a.extent = bounded(900);
    a.extent_spread = bounded(0.25);
    a.clocks = 1;
    a.texts = 4;
    a.micro_batches = 1;
    for (std::int64_t rank = 0; rank != 4; ++rank) {
        rank_answer r;
        r.rank = rank;
        r.stage = rank / 2;
        r.begin = 5000;
        r.records = bounded(2);
        program_step message;
        message.what = program_step::kind::receive;
        message.operation = 4;
        message.bytes = 2048;
        message.duration = 7;
        message.waiting = bounded(6);
        message.late = rank - 2;
        program_step step;
        step.operation = 1;
        step.batch = 0;
        step.start = 8;
        step.work = bounded(rank == 3 ? 60 : 20);
        step.duration = 65;
        program_step call;
        call.what = program_step::kind::collective;
        call.nested = call.in_stage = true;
        call.operation = 1;
        call.group = 2;
        call.function = 3;
        call.batch = 0;
        call.bytes = 1048576;
        call.start = 8 + step.work.number();
        call.duration = 65 - step.work.number();
        call.waiting = bounded(call.duration - 5);
        call.late = rank == 3 ? -1 : 3;
        r.program = {message, step, call};
        r.account.span = bounded(73);
        r.account.work = step.work;
        r.account.transfer = bounded(6);
        r.account.stage_waiting = call.waiting;
        r.account.pipeline_waiting = bounded(6);
        r.account.gaps = bounded(1);
        for (const auto part : {&time_account::span, &time_account::work, &time_account::transfer,
                                &time_account::stage_waiting, &time_account::pipeline_waiting, &time_account::gaps})
            a.total.*part += r.account.*part;
        if (rank == 2) a.waits.push_back({3, 2, "exp", call.waiting});
        a.ranks.push_back(r);
    }
    a.ranks[3].caused = bounded(40);
    a.ranks[3].late = bounded(11);
    a.ranks[3].last_of = bounded(12);
    a.waits.push_back({0, 2, "pp", bounded(6)});
    for (std::int64_t stage = 0; stage != 2; ++stage) {
        stage_answer s;
        s.stage = stage;
        s.ranks = 2;
        s.busy = bounded(stage == 0 ? 30 : 60);
        a.stages.push_back(s);
    }
    a.pipeline_time = bounded(100);
    a.bubble_share = bounded(0.55);
    a.equal_share = bounded(0.5);
    slow_rank slow;
    slow.rank = 3;
    slow.stage = 1;
    slow.work = bounded(60);
    slow.peers = bounded(20);
    slow.excess = bounded(40);
    slow.ratio = bounded(3);
    slow.similar = {3};
    slow.reason = slow_rank::cause::longer;
    a.slowest_rank = slow;
    a.replay.reason = replay_answer::obstacle::none;
    a.replay.iteration = bounded(200);
    a.replay.replayed = bounded(199);
    a.replay.error = bounded(0.005);
    remedy peers;
    peers.rank = 3;
    peers.gain = bounded(33);
    remedy limit;
    limit.what = remedy::change::no_transfer;
    limit.is_limit = true;
    limit.gain = bounded(44);
    a.replay.remedies = {peers, limit};
    return a;
}

std::string page_of(const run_answers& a, const wlfmt::analysis::report::options& how = {}) {
    std::string page;
    wlfmt::analysis::report::write(test::into(page), a, how);
    return page;
}

}  // namespace

TEST_CASE("a page says what is slow, what idles and what would help, with numbers and what they are parts of") {
    const std::string page = page_of(made_run(), {"wd4_pp2"});
    // 168 ms of the ranks' 292 ms, of which 24 ms are transfer.
    CHECK(
        has(page,
            "Communication that nothing hides takes 57.5&nbsp;% of rank time, and 85.7&nbsp;% of that is waiting, not "
            "transfer"));
    for (const std::string_view part :
         {"<title>wd4_pp2</title>",
          "<h1>Rank 3 works 3.00&nbsp;times as long as its peers: 33.0&nbsp;ms, 16.5&nbsp;% of the iteration</h1>",
          "The longest rank takes <b>73.0&nbsp;ms</b>. Of the 292&nbsp;ms of all 4 ranks, <b><a "
          "href=\"#account\">41.1&nbsp;%</a></b> is work, 8.22&nbsp;% transfer, 41.1&nbsp;% waiting inside stages, "
          "8.22&nbsp;% waiting for the pipeline, 1.37&nbsp;% gaps between records.</li>",
          "<b>Rank 3</b> works 3.00&nbsp;times as long as the median of the others in its stage (60.0&nbsp;ms against "
          "20.0&nbsp;ms), with the same operations and bytes: look at the device, the host and its neighbours.</li>",
          "The pipeline idles <b><a href=\"#lanes\">55.0&nbsp;%</a></b> of 100&nbsp;ms; 50.0&nbsp;% is the least for 2 "
          "equal stages and 1 micro-batch, so that more micro-batches help more than balance.</li>",
          "Greatest gain: <a href=\"#whatif\">rank 3 working as its peers</a> would shorten the 200&nbsp;ms from the "
          "first "
          "record to the last by <b>33.0&nbsp;ms</b> (replayed; the replay of the run as it is: 199&nbsp;ms, measured "
          "200&nbsp;ms (0.50&nbsp;% less)).</li>",
          "<h2>Stage 1 is busy 60.0&nbsp;% of the pipeline's 100&nbsp;ms, the other 30.0&nbsp;%</h2>",
          "<h2>Rank 3 was the last that others waited for in 40.0&nbsp;ms of the 120&nbsp;ms waited inside stages "
          "(33.3&nbsp;%)</h2>",
          "Rank 3 came last in 11 of 12 calls.",
          "<h2>Rank 3 working as its peers would save 33.0&nbsp;ms, 16.5&nbsp;% of the iteration</h2>",
          "<h2>What the numbers rest on: all checks passed</h2>"})
        CHECK_MESSAGE(has(page, part), part);
    CHECK_FALSE(has(page, "unknown</b>"));
    CHECK_FALSE(has(page, "missing:"));
}

TEST_CASE("a sentence is only there if it is true") {
    run_answers a = made_run();
    a.slowest_rank->reason = slow_rank::cause::none;
    a.replay.remedies.clear();
    std::string page = page_of(a);
    CHECK(has(page, "<h1>41.1&nbsp;% of the time is work</h1>"));
    a.replay.remedies = made_run().replay.remedies;
    CHECK(has(page, "No rank works more than 5&nbsp;% longer than the median of the others in its stage."));
    a.slowest_rank->reason = slow_rank::cause::no_peer;
    CHECK_FALSE(has(page_of(a), "longer than the median"));
    a.slowest_rank->reason = slow_rank::cause::more_bytes;
    a.slowest_rank->bytes_ratio = bounded(2.5);
    a.slowest_rank->gaps_ratio = bounded(4);
    a.slowest_rank->similar = {1, 3};
    page = page_of(a);
    CHECK(has(page, "<h1>Rank 3 works 3.00&nbsp;times as long as its peers: "));
    CHECK(
        has(page,
            "<b>Ranks 1, 3</b> work up to 3.00&nbsp;times as long as the median of the others in their stage (rank 3: "
            "60.0&nbsp;ms against 20.0&nbsp;ms), with 2.50&nbsp;times the bytes; its gaps are 4.00&nbsp;times as long, "
            "too."));
    a.equal_share = bounded(0.2);
    a.slowest_stage = slow_stage{1, bounded(44), bounded(22), bounded(2), bounded(1), 3, slow_stage::cause::one_rank};
    CHECK(has(page_of(a), "of 100&nbsp;ms, 35.0 points more than with 2 equal stages and 1 micro-batch.</li>"));
    CHECK(has(page_of(a),
              "<b>Stage 1</b> takes a mean of 44.0&nbsp;ms a micro-batch, 2.00&nbsp;times that of the other stage "
              "(22.0&nbsp;ms): because of rank 3.</li>"));
    // Of stages that are alike none is named.
    a.stages[0].busy = bounded(59);
    CHECK(has(page_of(a), "<h2>The stages are busy 59.0&nbsp;to&nbsp;60.0&nbsp;% of the pipeline's 100&nbsp;ms</h2>"));
    // Twice as much is not done in less time, but each half of it is.
    a.replay.remedies[0].what = remedy::change::twice_the_micro_batches;
    CHECK(has(page_of(a),
              "Greatest gain: <a href=\"#whatif\">twice the micro-batches</a> would take <b>33.0&nbsp;ms</b> less "
              "for as many micro-batches as now run in the 200&nbsp;ms from the first record to the last"));
    a.replay.remedies[0].what = remedy::change::rank_as_peers;
    // A gain below half a per cent is none; nor is one that nobody can have.
    a.replay.remedies[0].gain = bounded(0.9);
    page = page_of(a);
    CHECK_FALSE(has(page, "Greatest gain"));
    CHECK(has(page, "<h2>No single change gains more than half a per cent of the iteration</h2>"));
    // Nor is one that is below the error of the replay.
    a.replay.remedies[0].gain = bounded(9);
    a.replay.error = bounded(0.05);
    page = page_of(a);
    CHECK_FALSE(has(page, "Greatest gain"));
    CHECK(has(page, "<h2>No single change gains more than the error of the replay, 5.00&nbsp;% of the iteration</h2>"));
    // Why other schedules are not in the list.
    a.replay.schedule = replay_answer::obstacle::inexact;
    CHECK(has(page_of(a), "would gain is unknown: the run, rebuilt in 1F1B order, differs from the replay"));
    const std::pair<replay_answer::obstacle, const char*> obstacles[] = {
        {replay_answer::obstacle::unknown_time, "needs the time and the size of all calls"},
        {replay_answer::obstacle::stuck, "contradicts itself"},
        {replay_answer::obstacle::inexact, "differs from it by more than 5&nbsp;%"}};
    for (const auto& one : obstacles) {
        a.replay.reason = one.first;
        page = page_of(a);
        CHECK_MESSAGE(has(page, one.second), one.second);
        CHECK(has(page, "What a remedy would gain is unknown: "));
        CHECK_FALSE(has(page, "id=\"whatif\""));
    }
    a.replay.reason = replay_answer::obstacle::not_tried;
    CHECK_FALSE(has(page_of(a), "What a remedy would gain"));
    // What a rank alone would gain is less than what others waited for it.
    a = made_run();
    a.replay.remedies[0].gain = bounded(7);
    CHECK(has(page_of(a), "<b>Alone it is worth 7.00&nbsp;ms, not 40.0&nbsp;ms</b>"));
}

TEST_CASE("equal waits are listed in the order of ranks and records, whatever the standard library") {
    std::uint32_t random = 12;
    for (int turn = 0; turn != 10; ++turn) {
        run_answers a = made_run();
        std::vector<std::pair<double, std::int64_t>> waits;  // waits, and the micro-batches that tell rows apart
        for (rank_answer& r : a.ranks) {
            r.program.resize(11, r.program[2]);
            for (std::size_t n = 2; n != r.program.size(); ++n) {
                random = random * 1664525 + 1013904223;
                r.program[n].waiting = bounded(30 + (random >> 30));
                r.program[n].batch = static_cast<std::int64_t>(waits.size());
                waits.emplace_back(r.program[n].waiting.number(), waits.size());
            }
        }
        std::stable_sort(waits.begin(), waits.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
        const std::string page = page_of(a);
        std::size_t end = page.find("<tbody>", page.find("The longest waits"));
        for (std::size_t n = 0; n != 12; ++n) {
            end = page.find("</td></tr>", end + 1);
            const std::size_t begin = page.rfind('>', end) + 1;
            CHECK(page.substr(begin, end - begin) == std::to_string(waits[n].second));
        }
    }
}

TEST_CASE("what is unknown is said, and is nowhere shown as a number") {
    run_answers a = made_run();
    a.together = false;
    a.apart = true;
    a.common_moment = false;
    std::string page = page_of(a);
    CHECK(has(page,
              "<h1>Rank 3 works 3.00&nbsp;times as long as its peers; traced one by one: work is known, waiting is "
              "not</h1>"));
    CHECK(has(page,
              "The ranks were <b>traced separately</b> (<a href=\"#trust\">the extents of the same calls differ by "
              "0.25&nbsp;ms of 900&nbsp;ms</a>), so that waiting, exposed communication and the bubble are "
              "<b>unknown</b>."));
    for (const std::string_view part : {"id=\"waits\"", "id=\"whatif\"", "id=\"communication\"", "The longest waits",
                                        "pipeline idles", "others waited for it", "is busy"})
        CHECK_MESSAGE(!has(page, part), part);
    CHECK(has(page, "Each rank from its own first record"));
    CHECK(has(page, "<tr class=\"limits\"><th scope=\"row\">Traced together</th><td><b>no</b>: "));

    a = made_run();
    a.ranks[1].account.unknown = a.total.unknown = bounded(4);
    a.ranks[1].account.span += bounded(4);
    a.total.span += bounded(4);
    for (bounded* one : {&a.total.stage_waiting, &a.ranks[1].account.stage_waiting}) one->widen(0, bounded::unlimited);
    a.missing_ranks = {6, 8, 9, 10};
    a.missing_members = 2;
    a.untimed = 3;
    missing_call lacking;
    lacking.rank = 3;
    lacking.group = "exp";
    lacking.operation = "forward_step";
    lacking.function = "all_to_all";
    lacking.batch = 2;
    lacking.number = 7;
    lacking.record = 2;
    lacking.ranks = {1, 5};
    a.missing_calls = {lacking};
    a.missing_call_count = 5;
    a.differing_groups = 1;
    page = page_of(a);
    for (const std::string_view part :
         {"; <b>1.35&nbsp;%</b> is unknown.", "&ge;&nbsp;40.5&nbsp;% waiting inside stages",
          "4 of 4 ranks are missing</b></a>: what depends on them is unknown.", "missing: 6, 8 to 10",
          "2 groups without all members: time unknown", "3 without a time, in no sum",
          "rank 3 lacks the 7th all_to_all of exp in forward_step, batch 2, which ranks 1 and 5 have; 4 more",
          "What the numbers rest on: 5 of 10 checks limit them", "data-v=\"4\">4.00</td>",
          "40.0&nbsp;ms of the &ge;&nbsp;120&nbsp;ms waited"})
        CHECK_MESSAGE(has(page, part), part);
    CHECK(has(page,
              "takes 58.1&nbsp;% of rank time; 2.33&nbsp;% of that cannot be divided into transfer and waiting</h2>"));
    // Unknown time that may be work is in no limit of communication.
    a.total.work.widen(0, bounded::unlimited);
    a.total.gaps = bounded::unknown();
    CHECK(has(page_of(a), "takes &ge;&nbsp;56.8&nbsp;% of rank time; 1.35&nbsp;% of rank time is unknown</h2>"));
    // Nothing at all.
    page = page_of(run_answers());
    CHECK(has(page, "<h1>No rank has a record with a time</h1>"));
    CHECK_FALSE(has(page, "nan"));
}

TEST_CASE("names cannot leave their place, whatever they hold") {
    run_answers a = made_run();
    const std::string hostile = "</script><b onclick=\"x()\">'&amp;\xE2\x80\xAEgpj\xFF\x01";
    for (std::string& name : a.names) name = hostile;
    a.groups.emplace_back();
    a.groups[0].group = hostile;
    const std::string page = page_of(a, {hostile, "{\"name\":\"</script>\"}"});
    CHECK_FALSE(has(page, "<b onclick"));
    CHECK_FALSE(has(page, "\xE2\x80\xAE"));
    CHECK(has(page, "<title>&lt;/script&gt;&lt;b onclick=&quot;x()&quot;&gt;'&amp;amp;.gpj..</title>"));
    CHECK(has(page, "id=\"summary\">{\"name\":\"\\u003c/script>\"}</script>"));
    // Summary, steps, and the page's own.
    CHECK(count(page, "</script>") == 3);
    // Numbers that the answers cannot hold do not lead out of their lists.
    for (auto& r : a.ranks)
        for (auto& s : r.program) s.operation = s.group = s.function = 4000000000U;
    a.names.clear();
    CHECK(has(page_of(a), "</html>"));
}

TEST_CASE("lanes have every slice, with what hovering shows; of many ranks each row of pixels has the greatest class") {
    run_answers a = made_run();
    std::string page = page_of(a);
    // Rank 2: waits 6 and moves 1, a gap of 1, works 20, waits 40, moves 5. Hundredths of a millisecond.
    const std::string lane = page.substr(page.find("data-name=\"rank 2\" tabindex=\"0\""));
    for (const std::string_view path : {"d=\"M0 5h2800\" stroke-dasharray=\"0 800 2000\" class=\"work\"",
                                        "d=\"M0 5h7300\" stroke-dasharray=\"0 600 100 6100 500\" class=\"transfer\"",
                                        "d=\"M0 5h6800\" stroke-dasharray=\"0 2800 4000\" class=\"stage\"",
                                        "d=\"M0 5h600\" stroke-dasharray=\"0 0 600\" class=\"pipeline\"",
                                        // What the others leave of it is gaps.
                                        "d=\"M0 5h7300\" stroke-dasharray=\"0 0 7300\" class=\"gap\""})
        CHECK_MESSAGE(has(lane.substr(0, lane.find("</div>")), path), path);
    CHECK(has(lane, "aria-label=\"rank 2, stage 1, work 20.0 ms, transfer 6.00 ms, waiting in the stage 40.0 ms, "));
    CHECK(has(page, "\"forward_step, exp all_to_all, 1.00 MiB\""));
    // Kind, text, late rank; then what each lane has of them, and of micro-batches: two of none, three of number 0.
    CHECK(has(page, "\"labels\":[[6,0],[3,1],[1,1],[0,0],[2,2,3],[1,2],[3,1,0],[3,1,1]],"));
    CHECK(has(page, "\"rank 2\":[\"GCDEF\",[null,2,0,3]]"));
    CHECK(has(page, "\"rank 3, steps\":[\"A\",[0,1]]"));
    CHECK(
        has(page, "<svg class=\"texts\"><text x=\"11.26%\" y=\"12.00\" text-anchor=\"start\" class=\"on\">F0</text>"));
    // A clock that is ahead is set back.
    a.ranks[2].begin += 100000;
    a.ranks[2].clock_ahead = 100010;
    for (const std::size_t n : {0U, 1U, 3U}) a.ranks[n].clock_ahead = 20;
    page = page_of(a);
    CHECK(has(page.substr(page.find("data-name=\"rank 2\" tabindex=\"0\"")),
              "d=\"M0 5h3800\" stroke-dasharray=\"0 1800 2000\" class=\"work\""));

    while (a.ranks.size() <= 64) a.ranks.push_back(a.ranks[a.ranks.size() % 4]);
    for (std::size_t n = 0; n != a.ranks.size(); ++n) a.ranks[n].rank = static_cast<std::int64_t>(n);
    page = page_of(a);
    CHECK(count(page, "<picture>") == 2);
    CHECK(count(page, "data:image/png;base64,") == 4);
    CHECK(has(page, "data-name=\"rank 0, steps\""));
    CHECK_FALSE(has(page, "data-name=\"rank 0\""));
    // 33 ranks are 11 rows of 3, 32 are 16 of 2, in which a rank may wait for the other one of its row.
    CHECK(has(page, "summed over up to 3 ranks a row and column."));
    CHECK(has(page, "<th scope=\"row\" class=\"n\">2&ndash;3</th><td class=\"n stage10\" data-v=\"40\">40.0</td>"));
    CHECK(has(page, "<summary>The numbers of all 65 ranks</summary>"));
    CHECK(has(page, "<tr class=\"strong\" data-rank=\"3\">"));
    CHECK(has(page, "The ranks that others waited for longest"));
}

// Two stages of one rank, whose steps of two micro-batches are in the order that is given: 2 and 4 ms a step in the
// first stage, 3 and 6 ms in the second one.
run_answers made_pipeline(std::string_view first, std::string_view second) {
    run_answers a;
    a.names = {"", "forward_step", "backward_step"};
    a.sizes = run_sizes{2, 1, 2, 1};
    a.together = a.same_clock = a.common_moment = true;
    a.micro_batches = 2;
    a.pipeline_time = bounded(40);
    for (const std::string_view order : {first, second}) {
        const double unit = order.data() == first.data() ? 2 : 3;
        rank_answer r;
        r.rank = static_cast<std::int64_t>(a.ranks.size());
        r.stage = r.rank;
        r.account.span = a.total.span = bounded(40);
        std::int64_t batches[2] = {};
        for (const char c : order) {
            program_step s;
            s.operation = c == 'B' ? 2 : 1;
            s.batch = batches[c == 'B']++;
            s.start = r.program.empty() ? 5 : r.program.back().start + 8;
            s.duration = c == 'B' ? 2 * unit : unit;
            s.work = bounded(s.duration);
            r.program.push_back(s);
        }
        operation_answer back;
        back.operation = "backward_step";
        back.time = bounded(4 * unit);
        r.operations = {back};
        stage_answer s;
        s.stage = r.rank;
        s.ranks = 1;
        s.busy = bounded(6 * unit);
        s.per_batch = bounded(3 * unit);
        s.fill = bounded(7 + unit);
        a.stages.push_back(s);
        a.ranks.push_back(r);
    }
    return a;
}

TEST_CASE("the measured steps of a stage are beside those of a pipeline that waits for nothing else") {
    std::string page = page_of(made_pipeline("FFBB", "FBFB"));
    const auto lane = [&](const std::string& name) {
        const std::size_t at = page.find("data-name=\"" + name + "\"");
        return at == std::string::npos ? std::string() : page.substr(at, page.find("</div>", at) - at);
    };
    CHECK(has(lane("rank 0, steps"), "d=\"M0 5h1500\" stroke-dasharray=\"0 500 200 600 200\" class=\"step\""));
    // Forward at 0 and 2, 2 and 11; backward at 11 and 20, 5 and 14.
    CHECK(has(lane("stage 0, ideal"), "d=\"M0 5h400\" stroke-dasharray=\"0 0 200 0 200\" class=\"step\""));
    CHECK(has(lane("stage 0, ideal"), "d=\"M0 5h2400\" stroke-dasharray=\"0 1100 400 500 400\" class=\"back\""));
    CHECK(has(lane("stage 1, ideal"), "d=\"M0 5h1400\" stroke-dasharray=\"0 200 300 600 300\" class=\"step\""));
    CHECK(has(lane("stage 1, ideal"), "d=\"M0 5h2000\" stroke-dasharray=\"0 500 600 300 600\" class=\"back\""));
    CHECK(has(page, "\"stage 1, ideal\":[\"ABAB\",[0,2,1,2]]"));
    CHECK(has(page,
              "<th scope=\"row\" class=\"n\">1</th><td class=\"n\" data-v=\"18\">18.0</td><td class=\"n\" "
              "data-v=\"9\">9.00</td><td class=\"n\">unknown</td><td class=\"n\" data-v=\"10\">10.0</td>"));
    // Interleaved stages, a lost step and several iterations have no such ideal.
    for (const auto& [first, second] : {std::pair("FBFB", "FBFB"), {"FFBB", "FFBB"}, {"FFB", "FBFB"}}) {
        page = page_of(made_pipeline(first, second));
        CHECK(lane("rank 0, steps") != "");
        CHECK_FALSE(has(page, "ideal"));
    }
    run_answers twice = made_pipeline("FFBB", "FBFB");
    twice.iterations = 2;
    CHECK_FALSE(has(page_of(twice), "ideal"));
}

TEST_CASE("bytes of experts by micro-batch have a shade each, and their numbers as text") {
    run_answers a = made_run();
    imbalance_answer one;
    one.group = "exp";
    one.ranks = {2, 3};
    one.bytes = {30, 8};
    one.greatest_rank = 2;
    one.ratio = bounded(1.5);
    one.batches = {0, 1};
    one.batch_bytes = {10, 3, 20, 5};
    a.imbalance = {one};
    const std::string page = page_of(a);
    CHECK(has(page,
              "aria-label=\"rank 2: 10 B, 20 B\"><path d=\"M0 5h1\" class=\"heat5\"/>\n<path d=\"M1 5h1\" "
              "class=\"heat10\"/>"));
    CHECK(has(page,
              "aria-label=\"rank 3: 3 B, 5 B\"><path d=\"M0 5h1\" class=\"heat2\"/>\n<path d=\"M1 5h1\" "
              "class=\"heat3\"/>"));
    CHECK(has(page, "up to 20&nbsp;B of a rank."));
    // Bytes that are no shares of the greatest have no shade, and those of ranks that have none are not shown.
    a.imbalance[0].batch_bytes = {-10, 3, 20, 5};
    CHECK(has(page_of(a), "aria-label=\"rank 2: -10 B, 20 B\"><path d=\"M1 5h1\" class=\"heat10\"/>"));
    for (const std::vector<double>& bytes : {std::vector<double>(), {10, 3, 20}}) {
        a.imbalance[0].batch_bytes = bytes;
        CHECK(!has(page_of(a), "heat10\"/>"));
    }
    // Of ranks that do no work at all the axis of work has marks, too.
    for (rank_answer& r : a.ranks) r.account.work = bounded(0);
    CHECK(has(page_of(a), ">0.0000000010 ms of work</text>"));
}

TEST_CASE("a number that is a limit has its sign in sentences, too; unknown time is hatched") {
    run_answers a = made_run();
    a.slowest_rank->work.widen(bounded::unlimited, 0);
    a.slowest_rank->ratio = bounded::between(2.9, 3.1);
    std::string page = page_of(a);
    CHECK(has(page, "<h1>Rank 3 works 2.90 to 3.10&nbsp;times as long as its peers: "));
    CHECK(has(page,
              "works 2.90&nbsp;to&nbsp;3.10&nbsp;times as long as the median of the others in its stage "
              "(&le;&nbsp;60.0&nbsp;ms"));
    a.ranks[3].caused.widen(0, bounded::unlimited);
    CHECK(has(page_of(a), "data-v=\"40\">&ge;&nbsp;40.0</td>"));
    a.ranks[0].account.unknown = bounded(9);
    page = page_of(a);
    CHECK(has(page, "<pattern id=\"hatch\""));
    CHECK(has(page, "\n.unknown { fill: url(#hatch);"));
    CHECK(has(page, "height=\"14.00\" class=\"unknown\"/>"));
}

TEST_CASE("a page of two runs says what is different in the second, and what only one of them has") {
    run_answers before = made_run();
    run_answers after = made_run();
    for (run_answers* a : {&before, &after}) {
        operation_answer step;
        step.operation = "forward_step";
        step.work = bounded(a == &before ? 120 : 130);
        operation_answer only;
        only.operation = a == &before ? "loss_func" : "<new>";
        only.work = bounded(a == &before ? 1 : 3);
        a->operations = {step, only};
    }
    after.ranks[3].account.work = bounded(70);
    after.ranks[3].account.span = after.ranks[0].account.span = bounded(146);
    after.ranks[0].rank = 9;
    after.total.work += bounded(10);
    std::string page;
    wlfmt::analysis::report::write(test::into(page), before, "<old>", after, "new");
    for (const std::string_view part :
         {"<h1>The iteration takes 146&nbsp;ms, 73.0&nbsp;ms (100&nbsp;%) more than before: more work</h1>",
          "<b>&lt;old&gt;</b> &middot; B, after: <b>new</b>", "<h2>What differs most: work, +10.0&nbsp;ms</h2>",
          "<h2>What differs most: forward_step, +10.0&nbsp;ms</h2>", "&lt;new&gt; (only B)", "loss_func (only A)",
          "<th scope=\"row\">rank 3 (stage 1)</th><td class=\"n\" data-v=\"60\">60.0</td><td class=\"n\" "
          "data-v=\"70\">70.0</td><td class=\"n\" data-v=\"10\">+10.0</td><td class=\"n\" "
          "data-v=\"16.666667\">+16.7&nbsp;%</td>",
          "<th scope=\"row\">rank 0 (stage 0) (in A)</th>", "<th scope=\"row\">rank 9 (stage 0) (in B)</th>"})
        CHECK_MESSAGE(has(page, part), part);
    // A run that lacks a rank may have done there what its logs do not have.
    run_answers lacking = after;
    lacking.missing_ranks = {9};
    page.clear();
    wlfmt::analysis::report::write(test::into(page), before, "", lacking, "");
    CHECK(has(page,
              "<th scope=\"row\">loss_func (in A)</th><td class=\"n\" data-v=\"0\">0</td><td "
              "class=\"n\">unknown</td><td class=\"n\" data-v=\"1\">1.00</td><td "
              "class=\"n\">unknown</td><td class=\"n\">unknown</td>"));
    CHECK(has(page, "<li>B lacks the log of rank 9: what is compared is what is there.</li>"));
    // Where one run does not know what is waiting, waiting is not compared.
    after.together = false;
    page.clear();
    wlfmt::analysis::report::write(test::into(page), before, "", after, "");
    CHECK(has(page, "unknown in one of the runs, and not compared"));
    CHECK_FALSE(has(page, "waiting in the stage"));
    page.clear();
    wlfmt::analysis::report::write(test::into(page), before, "", before, "");
    CHECK(has(page, "as long as before, within 0.5&nbsp;%"));
    CHECK(has(page, "<h2>No rank's work differs</h2>"));
}

TEST_CASE("a page of two runs with different layouts compares roles, of which each is shown where a run has it") {
    run_answers before = made_run();
    for (stage_answer& s : before.stages) s.account.work = bounded(s.stage == 0 ? 20 : 40);
    run_answers after = made_run();
    after.sizes = run_sizes{4, 1, 1, 2};
    after.stages.resize(1);
    after.stages[0].account.work = bounded(30);
    std::string page;
    wlfmt::analysis::report::write(test::into(page), before, "", after, "");
    for (const std::string_view part :
         {"<li><b>The runs have different layouts</b>: A has 4 ranks (tp 1, pp 2, ep 2), 1 "
          "micro-batch, B has 4 ranks (tp 1, pp 1, ep 2), 1 micro-batch. No rank is compared with another; what is "
          "compared is the time of a rank for a micro-batch of the whole job, on average.</li>",
          "<th scope=\"row\">a rank holds</th><td>1/2 of the layers, 1/2 of the experts</td><td>1/2 of the "
          "experts</td>",
          "<h1>A micro-batch of the whole job takes 18.2&nbsp;ms, 18.2&nbsp;ms (50.0&nbsp;%) less than before (an "
          "iteration: 73.0&nbsp;ms of 2 micro-batches in A, 73.0&nbsp;ms of 4 in B)",
          "Time of a rank for a micro-batch of the whole job, on average; there are 4 in A, 4 in B.",
          "<th scope=\"row\">the only stage (in B)</th><td class=\"n\">&ndash;</td><td class=\"n\" data-v=\"7.5\">",
          "<th scope=\"row\">the last stage (in A)</th><td class=\"n\" data-v=\"20\">20.0</td><td "
          "class=\"n\">&ndash;</td><td class=\"n\">&ndash;</td>"})
        CHECK_MESSAGE(has(page, part), part);
    CHECK_FALSE(has(page, "the first stage</th>"));
    CHECK_FALSE(has(page, "class=\"n\">unknown<"));
    // The same job in another layout: the iteration is compared, whatever the micro-batches of a rank are.
    after.micro_batches = 1;
    before.micro_batches = 2;
    for (rank_answer& r : after.ranks) r.account.span = bounded(80);
    page.clear();
    wlfmt::analysis::report::write(test::into(page), before, "", after, "");
    CHECK(has(page, "<h1>The iteration takes 80.0&nbsp;ms, 7.00&nbsp;ms (9.59&nbsp;%) more than before"));
}

TEST_CASE("a rank whose work grew by what the run takes longer is the cause, however long the others wait for it") {
    run_answers before = made_run();
    run_answers after = before;
    const double by = 45;
    after.ranks[3].account.work += bounded(by);
    after.total.work += bounded(by);
    for (rank_answer& r : after.ranks) {
        r.account.span += bounded(by);
        after.total.pipeline_waiting += bounded(by);
    }
    std::string page;
    wlfmt::analysis::report::write(test::into(page), before, "", after, "");
    CHECK(has(page, "more than before: because of rank 3's work</h1>"));
    CHECK(has(page, "<li>Greatest changes of a rank: rank 3 (stage 1) works +45.0&nbsp;ms (+75.0&nbsp;%)"));
    page.clear();
    wlfmt::analysis::report::write(test::into(page), after, "", before, "");
    CHECK(has(page, "less than before: because of rank 3's work</h1>"));
}

TEST_CASE("sentences of what is not known: limits in the heading, who is surely slow, one rank alone") {
    run_answers a = made_run();
    a.slowest_rank.reset();
    a.replay.reason = replay_answer::obstacle::unknown_time;
    a.ranks[3].ratio = bounded::no_less(3);
    a.ranks[3].excess = bounded(40);
    std::string page = page_of(a);
    CHECK(has(page, "<h1>Rank 3 works &ge;&nbsp;3.00&nbsp;times as long as its peers; whether another one is slower "));
    CHECK(has(page,
              "<ol class=\"verdict\">\n<li><b>Rank 3</b> works &ge;&nbsp;3.00&nbsp;times as long as the median of "
              "the others in its stage: 60.0&nbsp;ms, 40.0&nbsp;ms more than they. Whether another rank is slower "
              "is not known.</li>"));
    CHECK(has(page, "calls of all ranks.</li>\n</ol>"));
    // Without sizes one log does not say who is missing, and has no members to compare.
    a.ranks.resize(1);
    a.sizes.reset();
    page = page_of(a);
    CHECK(has(page, "<tr class=\"limits\"><th scope=\"row\">Ranks</th><td>1; how many ran is not known</td>"));
    CHECK_FALSE(has(page, "in all members"));
    CHECK_FALSE(has(page, "all members are in the logs"));
    // The greatest gain may be that of another number of micro-batches.
    a = made_run();
    a.replay.remedies.push_back(a.replay.remedies[0]);
    a.replay.remedies[2].what = remedy::change::twice_the_micro_batches;
    a.replay.remedies[2].gain = bounded(34);
    CHECK(has(page_of(a), "<li>Greatest gain: <a href=\"#whatif\">twice the micro-batches</a> would take <b>34.0"));
    // What a warning says is not read limits no number.
    page = page_of(made_run(), {"", "", "file names: warning: 8 files are left out"});
    CHECK(has(page,
              "</h1>\n<div class=\"unread\"><b>Not all of the input was read</b>: what follows is what is there. "
              "file names: warning: 8 files are left out</div>"));
    CHECK(has(page, "all checks passed"));
    page = page_of(made_run(), {"", "", "a.txt:1:1: error: foreign_text: ..."});
    CHECK(has(page, "<h1>In what was read: Rank 3 works 3.00&nbsp;times"));
    CHECK(has(page, "1 of 10 checks limits them"));
}

TEST_CASE("a page of a workload: phases, bytes by collective and group, and what a rank sends") {
    const auto doc = wlfmt::workload::read(
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: "
        "0 "
        "checkpoint_initiates: 0\n5\n<a> -1 10 ALLREDUCE 2048 20 NONE 0 70 REDUCESCATTER 4096 5\n"
        "b1 -1 1 NONE 0 2 ALLGATHER 8192 3 NONE 0 5\nb2 -1 1 NONE 0 2 ALLGATHER 8192 3 NONE 0 5\n"
        "b3 -1 1 NONE 0 2 ALLGATHER 8192 3 NONE 0 5\nend -1 0 NONE 0 0 NONE 0 0 NONE 0 5\n");
    REQUIRE(doc.ok());
    std::string page;
    wlfmt::analysis::report::write(test::into(page), *doc, {"w.txt", "{}"});
    for (const std::string_view part :
         {"<h1>The weight gradient takes 66.9&nbsp;% of the compute; tensor parallel groups move 86.7&nbsp;% of the "
          "bytes</h1>",
          "<th scope=\"row\">all_gpus</th><td>4</td>", "data-v=\"79\">79</td><td class=\"n\">66.9&nbsp;%</td>",
          "<th scope=\"row\">&lt;a&gt;</th>", "<th scope=\"row\">b1 ...</th><td class=\"n\" data-v=\"3\">3</td>",
          "data-v=\"24576\">24.0&nbsp;KiB</td><td>ALLGATHER</td>",
          // 2048 of the all-reduce, half of 24,576 of the all-gathers, half of 4,096 of the reduce-scatter.
          "<h2>A rank sends 16.0&nbsp;KiB for these layers</h2>", "The highest layer computes 100 ticks."})
        CHECK_MESSAGE(has(page, part), part);
    // Groups of one rank are named, and the headline is about what is drawn. Facts come below it.
    page.clear();
    const std::string head =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: "
        "0 checkpoint_initiates: 0\n1\n";
    const std::string both = head + "a -1 10 ALLGATHER 8192 20 NONE 0 70 ALLREDUCE 4096 5\n";
    wlfmt::analysis::report::write(test::into(page), *wlfmt::workload::read(both),
                                   {"", "", "", "it holds <one>\n`b` is 2"});
    for (const std::string_view part :
         {"; data parallel groups move 100&nbsp;% of the bytes in groups of several ranks</h1>",
          "<li>It holds &lt;one&gt;.</li>\n<li><code>b</code> is 2.</li>",
          "<td>tensor parallel, one rank: sends nothing</td><td"})
        CHECK_MESSAGE(has(page, part), part);
    page.clear();
    const std::string alone = head + "a -1 10 ALLGATHER 8192 20 NONE 0 70 NONE 0 5\n";
    wlfmt::analysis::report::write(test::into(page), *wlfmt::workload::read(alone));
    CHECK(has(page, "; all collectives are in groups of one rank, which send nothing</h1>"));
    page.clear();
    const std::string thirds = head + "a -1 10 NONE 0 10 NONE 0 10 NONE 0 5\n";
    wlfmt::analysis::report::write(test::into(page), *wlfmt::workload::read(thirds));
    CHECK(has(page, "<h1>Each phase takes a third of the compute; no layer communicates any bytes</h1>"));
    // Without sizes nothing is said of them.
    page.clear();
    // A sum that no double holds.
    std::string large;
    wlfmt::analysis::report::write(test::into(large),
                                   *wlfmt::workload::read("DATA\n2\n"
                                                          "x -1 1e308 NONE 0 1e308 NONE 0 1 NONE 0 1\n"
                                                          "y -1 1e308 NONE 0 3 NONE 0 4 NONE 0 2\n"));
    CHECK(has(large, "<h1>The compute adds up to more than a double holds; no layer communicates any bytes</h1>"));
    CHECK(has(large, "over 1.8e308</td><td class=\"n\">unknown</td>"));
    CHECK(has(large, "The highest layer computes over 1.8e308 ticks."));
    CHECK_FALSE(has(large, ">inf<"));
    CHECK_FALSE(has(large, "nan&nbsp;%"));
    wlfmt::analysis::report::write(test::into(page), *wlfmt::workload::read("DATA\n0\n"));
    CHECK(has(page, "<h1>A workload without layers</h1>"));
    CHECK(has(page, "What a rank sends is unknown"));
}

TEST_CASE("a page of tables: each kind of row by itself, on the table's own total") {
    wlfmt::table::document doc;
    doc.tables.resize(1);
    auto& one = doc.tables[0];
    for (const char* name : {"Name", "Self CPU", "CPU total", "Self CUDA", "CUDA total"})
        one.columns.emplace_back(name);
    using wlfmt::table::cell;
    REQUIRE(one.add_row({cell("aten::<mm>"), cell(9000.0), cell(9000.0), cell(1.0), cell(2.0)}));
    REQUIRE(one.add_row({cell("gemm"), cell(0.0), cell(0.0), cell(500.0), cell(500.0)}));
    REQUIRE(one.add_row({cell("gemm"), cell(0.0), cell(0.0), cell(250.0), cell(250.0)}));
    one.totals.push_back({"Self CUDA time total", cell(1000.0)});
    std::string page;
    wlfmt::analysis::report::write(test::into(page), doc, {"t.txt"});
    for (const std::string_view part :
         {"<h1>gemm takes 75.0&nbsp;% of Self CUDA</h1>", "<h2>1 operator</h2>", "<h2>1 kernel</h2>",
          "a full bar is the table's own total, 1.000&nbsp;ms", "width=\"75.00%\" height=\"14.00\" class=\"self\"",
          "data-v=\"75\">75.0&nbsp;%</td>"})
        CHECK_MESSAGE(has(page, part), part);
    page.clear();
    wlfmt::analysis::report::write(test::into(page), wlfmt::table::document());
    CHECK(has(page, "<h1>A table without times</h1>"));
}

TEST_CASE("a page of two files of tables: the totals, and each name that differs") {
    wlfmt::analysis::diff::profile_difference d;
    d.columns = {"self_device_us"};
    using wlfmt::analysis::bounded;
    d.before = {bounded(2000), true, bounded(2000), true};
    d.after = {bounded(2500), true, bounded(1500), false};
    const auto line = [](const char* name, double before, double after) {
        wlfmt::analysis::diff::profile_line l;
        l.kind = wlfmt::analysis::row_kind::kernel;
        l.name = name;
        l.before = bounded(before);
        l.after = bounded(after);
        l.in_before = before > 0;
        l.in_after = after > 0;
        return l;
    };
    d.lines = {line("gemm<1>", 1000, 1400), line("new", 0, 350), line("gone", 250, 0)};
    d.lines[2].is_known = false;
    d.same = 7;
    std::string page;
    wlfmt::analysis::report::write(test::into(page), d, "a.txt", "<b>.txt");
    for (const std::string_view part :
         {"<h1>The total of self_device_us is 2.50&nbsp;ms, 0.50&nbsp;ms (25.0&nbsp;%) more than before</h1>",
          "A, before: <b>a.txt</b> &middot; B, after: <b>&lt;b&gt;.txt</b>",
          "<h2>What differs most: gemm&lt;1&gt;, +0.40&nbsp;ms</h2>",
          "<th scope=\"row\">gemm&lt;1&gt;</th><td class=\"n\" data-v=\"1000\">1.00</td><td class=\"n\" "
          "data-v=\"1400\">1.40</td><td class=\"n\" data-v=\"400\">+0.40</td><td "
          "class=\"n\" data-v=\"40\">+40.0&nbsp;%</td>",
          "<th scope=\"row\">new (only B)</th><td class=\"n\" data-v=\"0\">",
          "<th scope=\"row\">gone (in A)</th><td class=\"n\" data-v=\"250\">0.25</td><td "
          "class=\"n\">unknown</td><td class=\"n\">unknown</td>",
          "B has fewer rows than the totals that it names are made of", "7 names of both do not differ."})
        CHECK_MESSAGE(has(page, part), part);
    CHECK_FALSE(has(page, "A has fewer rows"));
    // The second one is cut, and nothing that is known differs.
    d.lines = {d.lines[2]};
    d.after = {};
    d.after.value = bounded::no_less(1500);
    d.same = 1;
    page.clear();
    wlfmt::analysis::report::write(test::into(page), d, "a.txt", "b.txt");
    for (const std::string_view part :
         {"in A, at least 1.50&nbsp;ms in B</h1>", "<h2>Whether any kernel differs is unknown</h2>",
          "B is cut, or a part of it cannot be read", "1 name of both does not differ."})
        CHECK_MESSAGE(has(page, part), part);
    page.clear();
    wlfmt::analysis::report::write(test::into(page), wlfmt::analysis::diff::profile_difference(), "", "");
    CHECK(has(page, "<h1>The tables have no times in common that could be compared</h1>"));
}
