// timeline.hpp: timelines. tests/timeline reads them as JSON, as a viewer does.
#include "analysis/timeline/timeline.hpp"
#include <wlfmt/wlfmt.hpp>
#include "analysis/answers/answers.hpp"

#include "into.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace timeline = wlfmt::analysis::timeline;

// The events of a run, a line each, without the names of processes and threads.
std::string events_of(const std::vector<std::string>& files,
                      wlfmt::analysis::timeline::alignment how = wlfmt::analysis::timeline::alignment::none) {
    wlfmt::analysis::timeline::run run;
    for (const std::string& text : files) {
        wlfmt::oplog::reader log(text);
        for (const auto& op : log) run.add(op);
        CHECK(log.ok());
    }
    CHECK(run.align(how));
    std::string json;
    wlfmt::analysis::output to_json(json);
    wlfmt::analysis::timeline::writer to(to_json, run);
    for (const std::string& text : files) {
        wlfmt::oplog::reader log(text);
        for (const auto& op : log) to.add(op);
        to.flush();
    }
    to.finish();
    std::string events;
    for (std::size_t at = 0; at != json.size();) {
        const std::size_t end = json.find('\n', at) + 1;
        const std::string line = json.substr(at, end - at);
        if (line.find("\"ph\":\"M\"") == std::string::npos && line[0] == '{' && line[1] == '"' && line[2] == 'p')
            events += line.substr(0, line.rfind('}') + 1) + "\n";
        at = end;
    }
    return events;
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// An operation of rank 0 that has a time, and nothing else but nested operations.
std::string timed(const std::string& op, const char* duration, const char* timestamp, const char* nested = "") {
    return "rank:0:" + op + "(duration=" + duration + ",timestamp=" + timestamp + ",sub_operations=[" + nested + "])\n";
}
// The event of a slice, up to its name.
std::string slice(int thread, int begin, int duration, const std::string& name) {
    return "\"tid\":" + std::to_string(thread) + ",\"ts\":" + std::to_string(begin) +
           ",\"dur\":" + std::to_string(duration) + ",\"name\":\"" + name + "\"";
}

// A message from rank 0 in stage 0 to rank 1 in stage 1, whose clock is ahead by `skew` milliseconds, and one back.
std::vector<std::string> pair_of_ranks(int skew) {
    const auto at = [&](int ms) { return std::to_string(100000 + skew + ms) + ".0"; };
    return {
        "rank:0:send_forward(stage_id=0,batch_id=0,duration=1.0,group_kind=pp,timestamp=100001.0)\n"
        "rank:0:recv_backward(stage_id=0,batch_id=0,duration=6.0,group_kind=pp,timestamp=100008.0)\n",
        "rank:1:recv_forward(stage_id=1,batch_id=0,duration=1.0,group_kind=pp,timestamp=" + at(2) +
            ")\nrank:1:send_backward(stage_id=1,batch_id=0,duration=1.0,group_kind=pp,timestamp=" + at(7) + ")\n"};
}

wlfmt::analysis::timeline::run run_of(const std::vector<std::string>& files, std::string_view marker = {}) {
    wlfmt::analysis::timeline::run run(marker);
    for (const std::string& text : files)
        for (const auto& op : wlfmt::oplog::reader(text)) run.add(op);
    return run;
}
wlfmt::analysis::run_answers answers_of(const std::vector<std::string>& files,
                                        const std::optional<wlfmt::analysis::run_sizes>& sizes) {
    wlfmt::analysis::summary sums({}, wlfmt::analysis::summary::keep::calls);
    for (const std::string& text : files) {
        sums.begin_text();
        for (const auto& op : wlfmt::oplog::reader(text)) sums.add(op);
        sums.end_text();
    }
    return wlfmt::analysis::answers_of(sums, sizes);
}

}  // namespace

TEST_CASE("slices begin a duration before the timestamp, in microseconds after the run's first") {
    CHECK(events_of(
              {"rank:3:forward_step(stage_id=1,batch_id=0,duration=8.25,group_kind=None,input__shape=[2, 3],"
               "timestamp=4509231791.06,k=v)\n"
               "rank:3:send_forward(stage_id=1,batch_id=0,duration=0.5,group_kind=pp,timestamp=4509231791.57)\n"}) ==
          "{\"ph\":\"X\",\"pid\":3,\"tid\":1,\"ts\":0,\"dur\":8250,\"name\":\"forward_step\",\"cat\":\"computation\","
          "\"args\":{\"stage_id\":1,\"batch_id\":0,\"duration\":8.25,\"input__shape\":[2,3],\"k\":\"v\"}}\n"
          "{\"ph\":\"X\",\"pid\":3,\"tid\":2,\"ts\":8260,\"dur\":500,\"name\":\"send_forward\",\"cat\":\"pp\","
          "\"args\":{\"stage_id\":1,\"batch_id\":0,\"duration\":0.5,\"group_kind\":\"pp\"}}\n");
    CHECK(has(events_of({"rank:0:a(duration=0.001234,timestamp=5.5)\nrank:0:b(duration=1,timestamp=7.000001)\n"}),
              "\"ts\":501.2353515625,\"dur\":1000,"));
}

TEST_CASE("slices nest and follow each other to the last bit in doubles, from wherever these are counted") {
    const auto ms = [](std::int64_t ns) {
        return std::to_string(ns / 1000000) + "." + std::to_string(1000000 + ns % 1000000).substr(1);
    };
    // Steps of microseconds, of seconds, of hours, and of so many years that a microsecond is what doubles hold.
    for (const std::int64_t scale : {1LL, 1000003LL, 20000000000LL, 4000000000000LL}) {
        CAPTURE(scale);
        std::string text;
        std::int64_t end = 1000000;
        constexpr int count = 60;
        for (int n = 0; n != count; ++n) {
            const std::int64_t size = (1000 + 7919 * n % 9973) * scale;
            end += size;
            std::string nested;
            for (const int part : {3, 7})
                nested += "'duration=" + ms(size / part) + ",timestamp=" + ms(end) + ",comm_func=x', ";
            text += timed("a", ms(size).c_str(), ms(end).c_str(), nested.substr(0, nested.size() - 2).c_str());
        }
        const std::string events = events_of({text});
        std::vector<double> begins, durations;
        for (std::size_t at = 0; (at = events.find("\"ts\":", at)) != std::string::npos; ++at) {
            begins.push_back(std::strtod(events.c_str() + at + 5, nullptr));
            durations.push_back(std::strtod(events.c_str() + events.find("\"dur\":", at) + 6, nullptr));
        }
        REQUIRE(begins.size() == 3 * count);
        bool nest = true, follow = true;
        for (std::size_t first = 0; first != begins.size(); first += 3) {
            const double zero = begins[first];
            double last = 0;
            for (std::size_t n = first; n != begins.size(); n += 3) {
                const double until = begins[n] - zero + durations[n];
                for (const std::size_t inner : {n + 1, n + 2})
                    nest = nest && begins[inner] > begins[n] && begins[inner] - zero + durations[inner] == until;
                follow = follow && (n == first || begins[n] - zero == last);
                last = until;
            }
        }
        CHECK(nest);
        CHECK(follow);
    }
}

TEST_CASE("nested operations are under their operation, those outside of its time on their group's track") {
    const std::string events = events_of({timed("forward_step", "10.0", "110.0",
                                                "'duration=2.0,timestamp=105.0,group=tp,comm_func=allreduce', "
                                                "'duration=4.0,timestamp=112.0,group=dp,comm_func=allgather', "
                                                "'duration=1.0,timestamp=104.5,group=tp,comm_func=broadcast'")});
    CHECK(has(events, slice(1, 3000, 2000, "allreduce") + ",\"cat\":\"tp\""));
    CHECK(has(events, slice(1, 3500, 1000, "broadcast") + ",\"cat\":\"tp\""));
    CHECK(has(events, slice(3, 8000, 4000, "allgather") + ",\"cat\":\"dp\""));
    // An overlap by the tracer's rounding is cut under what both are nested in, too.
    const std::string deeper = events_of({timed("forward_step", "10.0", "110.0",
                                                "'duration=8.0,timestamp=109.0,group=tp,comm_func=allreduce', "
                                                "'duration=2.5,timestamp=104.0,group=dp,comm_func=allgather', "
                                                "'duration=1.01,timestamp=105.0,group=dp,comm_func=broadcast'")});
    CHECK(has(deeper, slice(1, 1000, 8000, "allreduce")));
    CHECK(has(deeper, slice(1, 1500, 2500, "allgather")));
    CHECK(has(deeper, slice(1, 4000, 1000, "broadcast")));
}

TEST_CASE("operations that overlap are on separate tracks, but an overlap by the tracer's rounding is cut") {
    const std::string events = events_of({timed("a", "10.0", "110.0") + timed("b", "2.01", "112.0") +
                                          timed("c", "5.0", "114.0") + timed("d", "1.0", "115.5")});
    CHECK(has(events, slice(1, 0, 10000, "a")));
    CHECK(has(events, slice(1, 10000, 2000, "b")));
    CHECK(has(events, slice(65, 9000, 5000, "c")));
    CHECK(has(events, slice(1, 14500, 1000, "d")));
    // The first track that is free again is taken again.
    const std::string three =
        events_of({timed("a", "10.0", "110.0") + timed("b", "8.0", "109.0") + timed("c", "2.0", "104.0") +
                   timed("d", "3.0", "108.0") + timed("e", "1.0", "111.0")});
    CHECK(has(three, slice(1, 0, 10000, "a")));
    CHECK(has(three, slice(65, 1000, 8000, "b")));
    CHECK(has(three, slice(129, 2000, 2000, "c")));
    CHECK(has(three, slice(129, 5000, 3000, "d")));
    CHECK(has(three, slice(1, 10000, 1000, "e")));
}

TEST_CASE("the operations of several ranks may be in one file, in any order") {
    const std::string both =
        "rank:5:a(duration=1.0,timestamp=101.0)\nrank:2:b(duration=1.0,timestamp=102.0)\n"
        "rank:5:c(duration=1.0,timestamp=103.0)\nrank:2:d(duration=1.0,timestamp=104.0)\n";
    const std::string events = events_of({both});
    std::string order;
    for (std::size_t at = events.find("\"pid\":"); at != std::string::npos; at = events.find("\"pid\":", at + 1))
        order += events.substr(at + 6, 1) + events.substr(events.find("\"name\":", at) + 8, 1) + " ";
    CHECK(order == "2b 2d 5a 5c ");
    CHECK(has(events, "\"pid\":5," + slice(1, 0, 1000, "a")));
    CHECK(has(events, "\"pid\":2," + slice(1, 3000, 1000, "d")));
}

TEST_CASE("times and stages beyond those of clocks and pipelines are ignored") {
    // Up to 71 years of milliseconds are a time, more are not.
    CHECK(has(events_of({timed("a", "2048000000000.0", "1.0")}), "\"dur\":2048000000000000,\"name\":\"a\""));
    CHECK(has(events_of({timed("a", "1.0", "50.0") + timed("b", "1.0", "2250000000001.0")}),
              "{\"ph\":\"i\",\"pid\":0,\"tid\":1,\"ts\":1000,\"s\":\"t\",\"name\":\"b\""));
    // Skews that add up beyond what a clock holds cannot be aligned.
    std::vector<std::string> chain;
    for (int n = 0; n != 8; ++n) {
        const std::string head = "rank:" + std::to_string(n) + ":";
        const std::string stage = "(stage_id=" + std::to_string(n) + ",batch_id=0,duration=1.0,timestamp=";
        chain.push_back(head + "recv_forward" + stage + "5.0)\n" + head + "send_forward" + stage +
                        "2000000000000.0)\n");
    }
    wlfmt::analysis::timeline::run far = run_of(chain);
    CHECK_FALSE(far.align(wlfmt::analysis::timeline::alignment::flows));
    CHECK(far.flows() == 7);
    CHECK(far.find(7)->offset == 0);
    const std::string stage = "9223372036854775807";
    wlfmt::analysis::timeline::run run =
        run_of({"rank:0:recv_backward(stage_id=" + stage + ",batch_id=0,duration=1.0,timestamp=9.0)\n"});
    CHECK(run.align(wlfmt::analysis::timeline::alignment::flows));
    CHECK(run.flows() == 0);
}

TEST_CASE("without a duration an operation is an instant, without a timestamp one at the end of what came before it") {
    const std::string events =
        events_of({"rank:0:a(duration=10.0,timestamp=110.0)\nrank:0:b(duration=None,timestamp=111.5)\n"
                   "rank:0:c(duration=3.0,timestamp=0,k=1)\nrank:0:d(timestamp=112.0,duration=0.5,sub_operations=["
                   "'allreduce: duration=0.17, attributes={}', 'duration=None,timestamp=111.75,comm_func=x'])\n"});
    CHECK(has(events, "{\"ph\":\"i\",\"pid\":0,\"tid\":1,\"ts\":11500,\"s\":\"t\",\"name\":\"b\""));
    CHECK(has(events,
              "{\"ph\":\"i\",\"pid\":0,\"tid\":1,\"ts\":11500,\"s\":\"t\",\"name\":\"c\",\"cat\":\"computation\","
              "\"args\":{\"duration\":3.0,\"k\":1,\"no_timestamp\":true}}"));
    CHECK(has(events, "\"ts\":12000,\"s\":\"t\",\"name\":\"allreduce: duration=0.17, attributes={}\""));
    CHECK(has(events, "\"ts\":11750,\"s\":\"t\",\"name\":\"x\""));
}

TEST_CASE("flows join the sides of a message between stages, and nothing else") {
    const std::string events = events_of(pair_of_ranks(0));
    CHECK(has(events, "{\"ph\":\"s\",\"pid\":0,\"tid\":2,\"ts\":0,\"id\":1,\"name\":\"message\",\"cat\":\"pp\"}"));
    CHECK(has(events, "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":1999.9990234375,\"bp\":\"e\",\"id\":1,"));
    CHECK(has(events, "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":6000,\"id\":2,"));
    CHECK(has(events, "{\"ph\":\"f\",\"pid\":0,\"tid\":2,\"ts\":7999.9990234375,\"bp\":\"e\",\"id\":2,"));
    // One side of the run alone: half a message is not joined.
    CHECK_FALSE(has(events_of({pair_of_ranks(0)[0]}), "\"ph\":\"s\""));
    // Another micro-batch, and a stage that is not the next one.
    CHECK_FALSE(has(events_of({"rank:0:send_forward(stage_id=0,batch_id=0,duration=1.0,timestamp=9.0)\n",
                               "rank:1:recv_forward(stage_id=1,batch_id=1,duration=1.0,timestamp=9.0)\n"}),
                    "\"ph\":\"s\""));
    CHECK_FALSE(has(events_of({"rank:0:send_forward(stage_id=0,batch_id=0,duration=1.0,timestamp=9.0)\n",
                               "rank:1:recv_forward(stage_id=2,batch_id=0,duration=1.0,timestamp=9.0)\n"}),
                    "\"ph\":\"s\""));
}

TEST_CASE("clocks are aligned by flows, by the first record, by an operation") {
    // The clocks are 11 s apart, in either direction: they are moved by the least with which both messages arrive after
    // they are sent.
    for (const int skew : {-11000, 11000}) {
        wlfmt::analysis::timeline::run run = run_of(pair_of_ranks(skew));
        CHECK(run.align(wlfmt::analysis::timeline::alignment::none));
        CHECK(run.flows() == 2);
        CHECK(run.early() == 1);
        REQUIRE(run.align(wlfmt::analysis::timeline::alignment::flows));
        CHECK(run.early() == 0);
        const std::int64_t between = run.find(1)->offset - run.find(0)->offset;
        // Forward: not before 1 ms after the send began; backward: not after that.
        CHECK(between + std::int64_t{skew} * 1000000 >= -2000000);
        CHECK(between + std::int64_t{skew} * 1000000 <= 2000000);
        CHECK((run.find(0)->offset == 0 || run.find(1)->offset == 0));
    }
    wlfmt::analysis::timeline::run run = run_of(pair_of_ranks(250), "send_backward");
    REQUIRE(run.align(wlfmt::analysis::timeline::alignment::first));
    CHECK(run.find(1)->offset == -251000000);
    REQUIRE(run.align(wlfmt::analysis::timeline::alignment::operation));
    CHECK(run.find(1)->offset == 0);
    CHECK_FALSE(run_of(pair_of_ranks(0), "bake").align(wlfmt::analysis::timeline::alignment::operation));
}

TEST_CASE("clocks of several hosts are aligned by messages, and ranks traced one after the other begin together") {
    // One clock: nothing moves.
    wlfmt::analysis::timeline::run even = run_of(pair_of_ranks(0));
    CHECK(even.align(wlfmt::analysis::timeline::alignment::automatic));
    CHECK(even.aligned() == wlfmt::analysis::timeline::alignment::none);
    CHECK(even.clocks() == 1);
    CHECK(even.find(1)->offset == 0);
    // Two ranks that do not overlap: the second begins 250 ms after the first, messages or not.
    wlfmt::analysis::timeline::run sequential = run_of(pair_of_ranks(250));
    CHECK(sequential.align(wlfmt::analysis::timeline::alignment::automatic));
    CHECK(sequential.aligned() == wlfmt::analysis::timeline::alignment::first);
    CHECK(sequential.clocks() == 2);
    CHECK(sequential.apart() == 251000000);
    CHECK(sequential.find(1)->offset == -251000000);
    // Two hosts of two ranks each, a stage each, 604,781 s apart: both ranks of a host move alike, by the one message
    // that says most: rank 2 receives at 3 ms what is sent from 8 ms on.
    const auto op = [](int rank, const char* name, int stage, int batch, double end) {
        return "rank:" + std::to_string(rank) + ":" + name + "(stage_id=" + std::to_string(stage) +
               ",batch_id=" + std::to_string(batch) + ",duration=2.0,timestamp=" + std::to_string(end) + ")\n";
    };
    const double far = 604781000;
    const std::vector<std::string> files = {
        op(0, "send_forward", 0, 0, far + 10), op(1, "send_forward", 0, 0, far + 11),
        op(2, "recv_forward", 1, 0, 3) + op(2, "send_backward", 1, 0, 6), op(3, "recv_forward", 1, 0, 5)};
    wlfmt::analysis::timeline::run hosts = run_of(files);
    CHECK(hosts.align(wlfmt::analysis::timeline::alignment::automatic));
    CHECK(hosts.aligned() == wlfmt::analysis::timeline::alignment::flows);
    CHECK(hosts.clocks() == 2);
    CHECK(hosts.apart() == 604781007000000);
    CHECK(hosts.early() == 0);
    CHECK(hosts.find(0)->offset == 0);
    CHECK(hosts.find(1)->offset == 0);
    CHECK(hosts.find(2)->offset == 604781005020000);
    CHECK(hosts.find(3)->offset == 604781005020000);
    // No message joins them: they begin together, and the ranks of a host stay as they are to each other.
    wlfmt::analysis::timeline::run strangers =
        run_of({op(0, "a", 0, 0, far + 10), op(1, "a", 0, 0, far + 11), op(2, "a", 1, 0, 3), op(3, "a", 1, 0, 4.5)});
    CHECK(strangers.align(wlfmt::analysis::timeline::alignment::automatic));
    CHECK(strangers.aligned() == wlfmt::analysis::timeline::alignment::first);
    CHECK(strangers.find(2)->offset == 0);
    CHECK(strangers.find(3)->offset == 0);
    CHECK(strangers.find(0)->offset == -604781007000000);
    CHECK(strangers.find(1)->offset == -604781007000000);
}

namespace {

// Ends of calls in true time, in milliseconds, which each rank leaves `late` after that; the first three are blocking,
// the fourth goes on beside computation and is left anyhow.
struct host_rank {
    int rank;
    int stage;
    double clock;  // ahead of true time
    double late;
};
std::string log_of(const host_rank& r, const char* group, const std::string& more = "") {
    std::string to;
    const auto at = [&](double ms) { return std::to_string(r.clock + ms); };
    const std::string head = "rank:" + std::to_string(r.rank) + ":";
    const std::string stage = "(stage_id=" + std::to_string(r.stage) + ",";
    double end = 1000;
    for (const double wait : {0.5, 1.5, 0.0}) {
        end += 20;
        to += head + "forward_step" + stage + "duration=15.0,timestamp=" + at(end + 1) +
              ",sub_operations=['trace_src_func=_reduce,duration=" + std::to_string(2 + wait) +
              ",timestamp=" + at(end + r.late) + ",group=" + group + ",comm_func=allreduce'])\n";
    }
    to += head + "backward_step" + stage + "duration=15.0,timestamp=" + at(end + 40) +
          ",sub_operations=['trace_src_func=_reduce_async,duration=5.0,timestamp=" + at(end + 30 + 7 * r.late * 100) +
          ",group=" + group + ",comm_func=allreduce'])\n";
    return to + more;
}
std::string message_of(const host_rank& r, const char* op, double end) {
    return "rank:" + std::to_string(r.rank) + ":" + op + "(stage_id=" + std::to_string(r.stage) +
           ",batch_id=0,duration=2.0,timestamp=" + std::to_string(r.clock + end) + ")\n";
}
using sizes = wlfmt::analysis::run_sizes;

}  // namespace

TEST_CASE("clocks of several hosts are aligned by the collectives that their ranks leave together") {
    // Ranks 0 and 1 on one host, 2 and 3 on another one, whose clock is 604,781 s behind; data-parallel groups are
    // {0, 2} and {1, 3}. The differences of ends are those of the clocks but for 0.01 and 0.03 ms: the lower of the two
    // groups' medians. A message says less: that host need not be moved as far.
    const double behind = -604781000.25;
    const std::vector<std::string> files = {log_of({0, 0, 604800000, 0}, "dp"), log_of({1, 0, 604800000, 0}, "dp"),
                                            log_of({2, 0, 604800000 + behind, 0.01}, "dp"),
                                            log_of({3, 0, 604800000 + behind, 0.03}, "dp")};
    for (const auto how :
         {wlfmt::analysis::timeline::alignment::automatic, wlfmt::analysis::timeline::alignment::collectives}) {
        wlfmt::analysis::timeline::run run = run_of(files);
        const wlfmt::analysis::run_answers answers = answers_of(files, sizes{4, 2, 1, 1});
        REQUIRE(run.align(how, &answers));
        CHECK(run.aligned() == wlfmt::analysis::timeline::alignment::collectives);
        CHECK(run.find(0)->offset == 0);
        CHECK(run.find(1)->offset == 0);
        CHECK(run.find(2)->offset == 604781000240000);
        CHECK(run.find(3)->offset == 604781000240000);
        CHECK(run.fit().differences == 6);
        CHECK(run.fit().deviation == 0);
        CHECK(run.fit().apart == 604781000240000);
        CHECK(run.fit().sets == 1);
        CHECK_FALSE(run.fit().rest_begins_together);
        if (how == wlfmt::analysis::timeline::alignment::automatic) CHECK(run.clocks() == 2);
        REQUIRE(run.align(wlfmt::analysis::timeline::alignment::none));
        CHECK(run.find(2)->offset == 0);
        CHECK(run.fit().differences == 0);
    }
    // Without the sizes of the run, or with others, in which no group is on both hosts, nothing is known.
    for (const auto& other :
         {std::optional<sizes>(), std::optional<sizes>(sizes{4, 1, 4, 1}), std::optional<sizes>(sizes{3, 2, 1, 1})}) {
        wlfmt::analysis::timeline::run run = run_of(files);
        const wlfmt::analysis::run_answers answers = answers_of(files, other);
        CHECK_FALSE(run.align(wlfmt::analysis::timeline::alignment::collectives, &answers));
        CHECK(run.find(2)->offset == 0);
        CHECK(run.align(wlfmt::analysis::timeline::alignment::automatic, &answers));
        CHECK(run.aligned() == wlfmt::analysis::timeline::alignment::first);
        CHECK(run.find(0)->offset == -604781000250000);
    }
}

TEST_CASE("one rank a host is no run that was traced one rank after the other, if its collectives show it") {
    const std::vector<std::string> files = {log_of({0, 0, 5000, 0}, "tp"), log_of({1, 0, 905000, 0.02}, "tp")};
    wlfmt::analysis::timeline::run run = run_of(files);
    const auto answers_of_run = answers_of(files, sizes{2, 2, 1, 1});
    CHECK(run.align(wlfmt::analysis::timeline::alignment::automatic, &answers_of_run));
    CHECK(run.aligned() == wlfmt::analysis::timeline::alignment::collectives);
    CHECK(run.find(0)->offset - run.find(1)->offset == 900000020000);
    CHECK((run.find(0)->offset == 0 || run.find(1)->offset == 0));
    // Calls that take their time elsewhere in each rank are stand-ins.
    std::string stretched = files[1];
    const std::size_t at = stretched.find("timestamp=906020.02");
    REQUIRE(at != std::string::npos);
    stretched.replace(at, 19, "timestamp=906017.02");
    wlfmt::analysis::timeline::run separate = run_of({files[0], stretched});
    const auto answers_of_separate = answers_of({files[0], stretched}, sizes{2, 2, 1, 1});
    CHECK(separate.align(wlfmt::analysis::timeline::alignment::automatic, &answers_of_separate));
    CHECK(separate.aligned() == wlfmt::analysis::timeline::alignment::first);
}

TEST_CASE("messages of a virtual pipeline go around its stages, and none has an arrow where one of several is lost") {
    const auto log = [](int rank, const std::vector<std::string>& operations) {
        std::string text;
        int at = 1000 + 5 * rank;
        for (const std::string& op : operations)
            text += "rank:" + std::to_string(rank) + ":" + op + "(stage_id=" + std::to_string(rank) +
                    ",batch_id=0,duration=5,group_kind=pp,timestamp=" + std::to_string(at += 10) + ")\n";
        return text;
    };
    const std::string last =
        log(1, {"recv_forward", "send_forward", "recv_forward", "send_backward", "recv_backward", "send_backward"});
    const auto flows = [&](const std::string& first) {
        wlfmt::analysis::timeline::run run = run_of({first, last});
        const auto answers_of_run = answers_of({first, last}, sizes{2, 1, 2, 1});
        CHECK(answers_of_run.interleaved);
        CHECK(run.align(wlfmt::analysis::timeline::alignment::none, &answers_of_run));
        return run.flows();
    };
    CHECK(flows(log(0, {"send_forward", "recv_forward", "send_forward", "recv_backward", "send_backward",
                        "recv_backward"})) == 6);
    // The first stage lacks the second of two messages that it sends forward.
    CHECK(flows(log(0, {"send_forward", "recv_forward", "recv_backward", "send_backward", "recv_backward"})) == 4);
}

TEST_CASE("a copy is the second record of an exchange that was written twice, not the record after a single one") {
    const auto copies = [](const std::string& exchange) {
        std::vector<std::string> files;
        for (const std::string rank : {"0", "1"}) {
            const std::string head = "rank:" + rank + ":", stage = "(stage_id=" + rank + ",batch_id=0,duration=";
            std::string text = head + "forward_step" + stage + "10.0,timestamp=1000.0)\n";
            for (std::size_t at = 0; at != exchange.size();) {
                const std::size_t end = exchange.find(' ', at);
                text += head + exchange.substr(at, end - at) + stage + "5.0,group_kind=pp,timestamp=1005.0)\n";
                at = end + 1;
            }
            files.push_back(text + head + "backward_step" + stage + "20.0,timestamp=1025.0)\n");
        }
        const wlfmt::analysis::run_answers answers = answers_of(files, wlfmt::analysis::run_sizes{2, 1, 2, 1});
        wlfmt::analysis::timeline::run run;
        for (const std::string& text : files)
            for (const auto& op : wlfmt::oplog::reader(text)) run.add(op);
        REQUIRE(run.align(wlfmt::analysis::timeline::alignment::none));
        std::string json;
        wlfmt::analysis::output to_json(json);
        wlfmt::analysis::timeline::writer to(to_json, run, &answers);
        for (const std::string& text : files)
            for (const auto& op : wlfmt::oplog::reader(text)) to.add(op);
        to.flush();
        to.finish();
        std::string names;
        for (std::size_t at = 0; (at = json.find("\"copy\":true", at)) != std::string::npos; ++at) {
            const std::size_t name = json.rfind("\"name\":\"", at) + 8;
            names += json.substr(name, json.find('"', name) - name) + " ";
        }
        return names;
    };
    CHECK(copies("send_forward recv_backward ") == "recv_backward recv_backward ");
    CHECK(copies("send_forward_recv_backward ") == "");
}

TEST_CASE("what no collective joins is aligned by messages, after collectives") {
    // Stages 0 and 2 share their embeddings across hosts; stage 1 is on a third host, which messages alone tell of.
    const host_rank first{0, 0, 9000000, 0};
    const host_rank middle{1, 1, 100, 0};
    const host_rank last{2, 2, 500000, 0.01};
    const auto embedding = [](const host_rank& r, double end) {
        return "rank:" + std::to_string(r.rank) + ":ep_allreduce(stage_id=" + std::to_string(r.stage) +
               ",group_kind=ep,duration=1.0,timestamp=" + std::to_string(r.clock + end + r.late) + ")\n";
    };
    const std::vector<std::string> files = {
        message_of(first, "send_forward", 1010) + embedding(first, 1040) + embedding(first, 1070),
        message_of(middle, "recv_forward", 1009) + message_of(middle, "send_forward", 1030),
        message_of(last, "recv_forward", 1031) + embedding(last, 1040) + embedding(last, 1070)};
    wlfmt::analysis::timeline::run run = run_of(files);
    const auto answers_of_run = answers_of(files, sizes{3, 1, 3, 1});
    REQUIRE(run.align(wlfmt::analysis::timeline::alignment::automatic, &answers_of_run));
    CHECK(run.aligned() == wlfmt::analysis::timeline::alignment::collectives);
    CHECK(run.fit().sets == 1);
    CHECK(run.clocks() == 3);
    CHECK(run.find(0)->offset == 0);
    CHECK(run.find(2)->offset == 8499999990000);
    // Rank 1 receives at 1,009 ms what is sent from 1,008 ms on, and sends from 1,028 ms on what is received at 1,031
    // ms: in the middle of that, with the noise of clocks.
    CHECK(run.find(1)->offset == 8999900995000);
    CHECK(run.early() == 0);
    // Without messages it begins when the first of the others does, and these stay as they are to each other.
    wlfmt::analysis::timeline::run without =
        run_of({files[0], "rank:1:a(stage_id=1,duration=2.0,timestamp=40.0)\n", files[2]});
    const auto answers_of_without =
        answers_of({files[0], "rank:1:a(stage_id=1,duration=2.0,timestamp=40.0)\n", files[2]}, sizes{3, 1, 3, 1});
    REQUIRE(without.align(wlfmt::analysis::timeline::alignment::automatic, &answers_of_without));
    CHECK(without.aligned() == wlfmt::analysis::timeline::alignment::collectives);
    CHECK(without.fit().rest_begins_together);
    CHECK(without.find(0)->offset - without.find(2)->offset == -8499999990000);
    CHECK(without.find(1)->begin + without.find(1)->offset == without.begin());
}

TEST_CASE("clocks that are a few milliseconds apart are different ones where collectives say so") {
    // Two hosts of two ranks each; tp groups {0, 1} and {2, 3}, dp groups {0, 2} and {1, 3}.
    const auto files = [](double apart) {
        std::vector<std::string> all;
        for (const int rank : {0, 1, 2, 3}) {
            const host_rank r{rank, 0, rank < 2 ? 5000.0 : 5000.0 + apart, 0};
            host_rank later = r;
            later.clock += 100;
            all.push_back(log_of(r, "tp") + log_of(later, "dp"));
        }
        return all;
    };
    wlfmt::analysis::timeline::run run = run_of(files(7.5));
    const auto answers_of_run = answers_of(files(7.5), sizes{4, 2, 1, 1});
    REQUIRE(run.align(wlfmt::analysis::timeline::alignment::automatic, &answers_of_run));
    CHECK(run.aligned() == wlfmt::analysis::timeline::alignment::collectives);
    CHECK(run.clocks() == 2);
    CHECK(run.apart() == 7500000);
    CHECK(run.find(0)->offset == 7500000);
    CHECK(run.find(1)->offset == 7500000);
    CHECK(run.find(2)->offset == 0);
    CHECK(run.find(3)->offset == 0);
    // Clocks that are less than a millisecond apart are one clock.
    wlfmt::analysis::timeline::run near = run_of(files(0.5));
    const auto answers_of_near = answers_of(files(0.5), sizes{4, 2, 1, 1});
    REQUIRE(near.align(wlfmt::analysis::timeline::alignment::automatic, &answers_of_near));
    CHECK(near.aligned() == wlfmt::analysis::timeline::alignment::none);
    CHECK(near.clocks() == 1);
    CHECK(near.find(0)->offset == 0);
    // Groups that contradict each other tell nothing: 0 and 2 have one clock, 1 and 3 do not, and 2 and 3 have one.
    std::vector<std::string> torn = files(0);
    torn[3] = log_of({3, 0, 5000, 0}, "tp") + log_of({3, 0, 5107.5, 0}, "dp");
    wlfmt::analysis::timeline::run contrary = run_of(torn);
    const auto answers_of_contrary = answers_of(torn, sizes{4, 2, 1, 1});
    REQUIRE(contrary.align(wlfmt::analysis::timeline::alignment::automatic, &answers_of_contrary));
    CHECK(contrary.aligned() == wlfmt::analysis::timeline::alignment::none);
    CHECK(contrary.clocks() == 1);
    CHECK(contrary.find(0)->offset == 0);
    // A rank that nothing joins with the others would lose its place among them: all stay.
    std::vector<std::string> more = files(7.5);
    more.push_back("rank:4:a(duration=200.0,timestamp=6200.0)\n");
    wlfmt::analysis::timeline::run unknown = run_of(more);
    const auto answers_of_unknown = answers_of(more, sizes{4, 2, 1, 1});
    REQUIRE(unknown.align(wlfmt::analysis::timeline::alignment::automatic, &answers_of_unknown));
    CHECK(unknown.aligned() == wlfmt::analysis::timeline::alignment::none);
    CHECK(unknown.find(0)->offset == 0);
}

TEST_CASE("processes and threads have their names before their events") {
    const std::string text = "rank:3:f(stage_id=1,group_kind=dp,duration=1.0,timestamp=9.0)\n";
    const wlfmt::analysis::timeline::run run = run_of({text});
    std::string json;
    wlfmt::analysis::output to_json(json);
    wlfmt::analysis::timeline::writer to(to_json, run);
    wlfmt::oplog::reader log(text);
    for (const auto& op : log) to.add(op);
    to.finish();
    const std::size_t process =
        json.find("\"pid\":3,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"rank 3 (stage 1)\"},");
    const std::size_t thread = json.find("\"pid\":3,\"tid\":3,\"name\":\"thread_name\",\"args\":{\"name\":\"dp\"},");
    CHECK(process < thread);
    CHECK(thread < json.find("\"name\":\"f\""));
    CHECK(has(json, "\"sort_index\":0},\"cat\":\"__metadata\"},\n"));
}

TEST_CASE("a run that is aligned again has the messages that it has") {
    wlfmt::analysis::timeline::run run = run_of(pair_of_ranks(-11000));
    for (int again = 0; again != 3; ++again) {
        CHECK(run.align(wlfmt::analysis::timeline::alignment::none));
        CHECK(run.flows() == 2);
        CHECK(run.early() == 1);
        CHECK(run.id_of(0, 0) != run.id_of(0, 1));
        CHECK(run.id_of(0, 2) == 0);
        for (const std::size_t beyond : {2U, 3U, 1000000U}) CHECK(run.id_of(1, beyond) == 0);
    }
}

TEST_CASE("messages that cross each other in time cannot be aligned") {
    const std::vector<std::string> files = {
        "rank:0:send_forward(stage_id=0,batch_id=0,duration=1.0,timestamp=1101.0)\n"
        "rank:0:recv_backward(stage_id=0,batch_id=0,duration=1.0,timestamp=1001.0)\n",
        "rank:1:recv_forward(stage_id=1,batch_id=0,duration=1.0,timestamp=1001.0)\n"
        "rank:1:send_backward(stage_id=1,batch_id=0,duration=1.0,timestamp=1101.0)\n"};
    wlfmt::analysis::timeline::run run = run_of(files);
    CHECK_FALSE(run.align(wlfmt::analysis::timeline::alignment::flows));
    CHECK(run.find(0)->offset == 0);
    CHECK(run.find(1)->offset == 0);
    CHECK(run.flows() == 2);
}

TEST_CASE("plans have no times, and are no ranks") {
    const wlfmt::analysis::timeline::run run = run_of({"stage:0:get_batch(batch_id=0, duration=None)\n"});
    CHECK(run.ranks().empty());
}

TEST_CASE("a workload: all layers forward, then back, where layers run again from their checkpoint") {
    const auto doc = wlfmt::workload::read(
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD ep: 1 checkpoints: 1 0 checkpoint_initiates: 1 1\n2\n"
        "a -1 1 ALLREDUCE 10 2 NONE 0 3 ALLGATHER 20 0\nb -1 4 ALLTOALL_EP 30 5 NONE 0 6 NONE 0 0\n");
    REQUIRE(doc.ok());
    std::string json;
    wlfmt::analysis::timeline::write(test::into(json), *doc);
    std::string order;
    for (std::size_t at = json.find("\"ph\":\"X\""); at != std::string::npos; at = json.find("\"ph\":\"X\"", at + 1)) {
        const std::size_t name = json.find("\"cat\":\"", at) + 7;
        order += json.substr(name, json.find('"', name) - name) + json[json.find("\"layer\":", at) + 8] + " ";
    }
    CHECK(order == "forward0 forward1 forward again0 input_grad1 weight_grad1 input_grad0 weight_grad0 ");
    CHECK(has(json,
              "{\"ph\":\"i\",\"pid\":1,\"tid\":4,\"s\":\"t\",\"ts\":0.00537109375,\"name\":\"ALLTOALL_EP\",\"cat\":"
              "\"communication\",\"args\":{\"layer\":1,"
              "\"name\":\"b\",\"bytes\":30,\"phase\":\"forward\"}}"));
    CHECK(has(json, "\"tid\":3,\"s\":\"t\",\"ts\":0.0224609375,\"name\":\"ALLGATHER\""));
    for (const std::string_view track :
         {"\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"computation\"}",
          "\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"tensor parallel\"}",
          "\"tid\":3,\"name\":\"thread_name\",\"args\":{\"name\":\"data parallel\"}",
          "\"tid\":4,\"name\":\"thread_name\",\"args\":{\"name\":\"expert parallel\"}",
          "\"tid\":5,\"name\":\"thread_name\",\"args\":{\"name\":\"expert data parallel\"}"})
        CHECK_MESSAGE(has(json, track), track);
}

TEST_CASE("a workload: no layer before the first checkpoint runs again, however many layers ask for it") {
    std::string initiates;
    std::string layers;
    for (int n = 0; n != 30000; ++n) {
        initiates += " " + std::to_string(n);
        layers += "a -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n";
    }
    const std::string text = "HYBRID_TRANSFORMER_FWD_IN_BCKWD checkpoints: 1 29999 checkpoint_initiates: 30000" +
                             initiates + "\n30000\n" + layers;
    std::string json;
    wlfmt::analysis::timeline::write(test::into(json), *wlfmt::workload::read(text));
    CHECK(has(json, "input_grad"));
    CHECK_FALSE(has(json, "forward again"));
}

TEST_CASE("slices of a workload have the names of their layers, and end where the next one begins, in doubles") {
    std::string layers;
    constexpr int count = 400;
    for (int n = 0; n != count; ++n)
        layers += "layer_" + std::to_string(n % 7) + " -1 " + std::to_string(565 + 7919 * n % 9973) +
                  " NONE 0 0 NONE 0 " + std::to_string(1 + 104729 * n % 99991) + " NONE 0 0\n";
    std::string json;
    const std::string text = "DATA\n" + std::to_string(count) + "\n" + layers;
    wlfmt::analysis::timeline::write(test::into(json), *wlfmt::workload::read(text));
    double last = 0;
    int slices = 0;
    bool even = true;
    const auto number_after = [&](const char* key, std::size_t at) {
        return std::strtod(json.c_str() + json.find(key, at) + std::strlen(key), nullptr);
    };
    for (std::size_t at = json.find("\"ph\":\"X\""); at != std::string::npos; at = json.find("\"ph\":\"X\"", at + 1)) {
        const double begin = number_after("\"ts\":", at);
        even = even && begin == last;
        last = begin + number_after("\"dur\":", at);
        ++slices;
    }
    CHECK(even);
    CHECK(slices == 2 * count);
    CHECK(has(json, "\"ts\":0,\"dur\":0.5654296875,\"name\":\"layer_0\",\"cat\":\"forward\",\"args\":{\"layer\":0,"));
}

TEST_CASE("a workload's clock stands still at its end") {
    std::string json;
    wlfmt::analysis::timeline::write(test::into(json),
                                     *wlfmt::workload::read("DATA\n2\na -1 8e18 NONE 0 8e18 NONE 0 8e18 NONE 0 0\n"
                                                            "b -1 7 NONE 0 7 NONE 0 7 NONE 0 0\n"));
    CHECK(has(json, "\"ts\":0,\"dur\":8000000000000000,\"name\":\"a\",\"cat\":\"forward\""));
    CHECK(has(json, "\"ts\":8000000000000001,\"dur\":999999999999999,\"name\":\"a\",\"cat\":\"weight_grad\""));
}
