// Summaries: exact, and the same bytes whatever the order in which they are added up.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/detail/base/order.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include "analysis/summary/summary.hpp"

#include "into.hpp"
#include "oplog_support.hpp"
#include "support.hpp"

namespace analysis = wlfmt::analysis;
namespace oplog = wlfmt::oplog;
using analysis::dimension;
using analysis::summary;

namespace {

std::string line_of(const summary& s) {
    std::string line;
    analysis::write(test::into(line), s);
    return line;
}

constexpr dimension every = dimension::operation | dimension::collective | dimension::group | dimension::stage |
                            dimension::state | dimension::rank;
summary empty_summary() {
    return summary({dimension::operation, dimension::collective | dimension::group, dimension::stage, every,
                    dimension::rank | dimension::state, dimension::none},
                   summary::keep::calls);
}

summary summary_of(std::string_view text, std::string_view file = "log") {
    summary s = empty_summary();
    s.begin_text(file);
    wlfmt::options how;
    how.lenient = true;
    oplog::reader log(text, how);
    while (const auto* op = log.next()) s.add(*op);
    return s;
}

// Every file of tests/data, one after the other.
std::string all_files() {
    std::string all;
    for (const std::string& name : test::oplog_files()) all += test::data(name) + "\n";
    return all;
}

// What a summary says of the sample of rank 7, in short.
constexpr std::string_view two_ranks =
    "rank:0:forward_step(stage_id=0,mg_state=warmup,duration=10.25,group_kind=None,timestamp=1010.25,sub_operations=["
    "'duration=1.5,input__shape=[3, 4],input__dtype=torch.float16,group=tp,comm_func=allreduce', "
    "'duration=0.25,group=tp,comm_func=allreduce', 'duration=2,group=exp,comm_func=all_to_all', 'a text'])\n"
    "rank:0:send_forward(stage_id=0,mg_state=warmup,duration=4,group_kind=pp,input__shape=[8],input__dtype=torch.int64,"
    "timestamp=1015.25,sub_operations=[])\n"
    "rank:1:forward_step(stage_id=1,mg_state=steady,duration=1.125,group_kind=None,timestamp=1020.0,sub_operations=["
    "'duration=2.125,group=tp,comm_func=allreduce'])\n"
    "rank:1:optimizer_step(stage_id=1,mg_state=None,duration=None,group_kind=None,timestamp=0,sub_operations=[])\n"
    "stage:3:get_batch(batch_id=0,mg_state=warmup,duration=None)\n";

}  // namespace

TEST_CASE("a summary says what the log says") {
    const summary s = summary_of(two_ranks);
    CHECK(s.operations() == 5);
    CHECK(s.nested() == 5);
    CHECK(s.nested_texts() == 1);
    CHECK(s.planned() == 1);
    CHECK(s.open_parts() == 0);

    const auto ops = s.rows(dimension::operation);
    REQUIRE(ops.size() == 4);
    CHECK(ops[0].operation == "forward_step");
    CHECK(ops[0].group == "");
    CHECK_FALSE(ops[0].stage);
    CHECK(ops[0].tally.records == 2);
    CHECK(ops[0].tally.duration.count() == 2);
    CHECK(ops[0].tally.duration.sum() == 11.375);
    CHECK(ops[0].tally.duration.sum_text() == "11.375");
    CHECK(ops[0].tally.duration.least() == 1.125);
    CHECK(ops[0].tally.duration.greatest() == 10.25);
    CHECK(ops[0].tally.duration.mean() == 5.6875);
    CHECK(ops[0].tally.duration.standard_deviation() == 4.5625);
    CHECK(ops[0].tally.duration.quantile(0.5) == doctest::Approx(1.125).epsilon(1 / 128.0));
    CHECK(ops[0].tally.communication() == 4.875);  // 1.5 + 0.25 + 2, and as much of the other operation as it lasts
    CHECK(ops[0].tally.computation() == 6.5);
    CHECK(ops[0].tally.overlap() == 1);
    CHECK(ops[0].tally.gap.count() == 0);
    CHECK(ops[1].operation == "get_batch");
    CHECK(ops[1].tally.unmeasured == 1);
    CHECK(ops[2].operation == "optimizer_step");
    CHECK(ops[2].tally.records == 1);
    CHECK(ops[2].tally.unmeasured == 1);
    CHECK(ops[3].operation == "send_forward");
    CHECK(ops[3].tally.communication() == 4);
    CHECK(ops[3].tally.gap.sum() == 1);
    CHECK(ops[3].tally.bytes.sum() == 64);

    const auto collectives = s.rows(dimension::collective | dimension::group);
    REQUIRE(collectives.size() == 3);
    CHECK(collectives[0].collective == "");  // the text
    CHECK(collectives[0].tally.unmeasured == 1);
    CHECK(collectives[1].collective == "all_to_all");
    CHECK(collectives[1].group == "exp");
    CHECK(collectives[2].collective == "allreduce");
    CHECK(collectives[2].group == "tp");
    CHECK(collectives[2].tally.duration.sum() == 3.875);
    CHECK(collectives[2].tally.bytes.count() == 1);
    CHECK(collectives[2].tally.bytes.sum() == 24);

    const auto stages = s.rows(dimension::stage);
    REQUIRE(stages.size() == 3);
    CHECK(stages[1].stage == 1);
    CHECK(stages[2].stage == 3);  // the stage of the plan

    const auto ranks = s.ranks();
    REQUIRE(ranks.size() == 2);
    CHECK(ranks[0].rank == 0);
    CHECK(ranks[0].stage == 0);
    CHECK(ranks[0].operations == 2);
    CHECK(ranks[0].nested == 4);
    CHECK(ranks[0].busy == 14.25);
    CHECK(ranks[0].communication == 7.75);
    CHECK(ranks[0].computation() == 6.5);
    CHECK(ranks[0].pipeline == 4);
    REQUIRE(ranks[0].span);
    CHECK(*ranks[0].span == 15.25);
    CHECK(ranks[0].idle() == 1);
    CHECK(*ranks[1].span == 1.125);
}

TEST_CASE("the line of a summary is what the documentation says") {
    summary s({dimension::operation});
    s.begin_text("logs/wd8_rank1_20240923205004.txt");
    const std::string text(
        two_ranks.substr(two_ranks.find("rank:1:"), two_ranks.find("rank:1:opt") - two_ranks.find("rank:1:")));
    const auto doc = oplog::read(text);
    s.add(doc->operations[0]);
    CHECK(
        line_of(s) ==
        "{\"wlfmt_summary\":3,\"operations\":1,\"nested\":1,\"nested_texts\":0,\"planned\":0,\"beyond\":0,"
        "\"ranks\":[{\"rank\":1,\"stage\":1,\"operations\":1,\"nested\":1,\"unmeasured\":0,\"doubles\":0,"
        "\"texts\":1,\"run\":\"wd8\",\"time\":20240923205004,\"busy\":1.125,\"communication\":1.125,"
        "\"pipeline\":0,\"first\":1018.875,\"last\":1020}],"
        "\"breakdowns\":[{\"by\":[\"operation\"],\"tallies\":[{\"operation\":\"forward_step\",\"records\":1,"
        "\"unmeasured\":0,\"doubles\":0,\"communication\":1.125,\"overlap\":1,\"duration\":{\"count\":1,\"sum\":1.125,"
        "\"squares\":1.265625,\"min\":1.125,\"max\":1.125,\"sketch\":[964,1]}}]}],\"parts\":[]}\n");
}

TEST_CASE("operations in any order, and merges in any order, give the same bytes") {
    const std::string text = all_files();
    const auto doc = oplog::read(text, [] {
        wlfmt::options how;
        how.lenient = true;
        return how;
    }());
    REQUIRE(doc->operations.size() > 100);
    std::vector<std::size_t> order(doc->operations.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    std::string expected;
    for (int round = 0; round < 20; ++round) {
        // Spread over several summaries, each operation as a text of its own, so that there are no gaps between them.
        std::vector<summary> parts(1 + static_cast<std::size_t>(round % 7), empty_summary());
        for (const std::size_t n : order) {
            summary& to = parts[random() % parts.size()];
            to.begin_text();
            to.add(doc->operations[n]);
        }
        while (parts.size() > 1) {
            const std::size_t at = random() % (parts.size() - 1);
            CHECK(parts[at].merge(parts.back()));
            parts.pop_back();
        }
        const std::string line = line_of(parts[0]);
        if (round == 0) expected = line;
        CHECK(line == expected);
        std::shuffle(order.begin(), order.end(), random);
    }
}

TEST_CASE("pieces of a text, summed up apart and merged in any order, give the text's bytes") {
    const std::string text = all_files();
    const std::string expected = line_of(summary_of(text));
    std::mt19937 random(2);
    for (const std::size_t n : {1U, 2U, 3U, 10U, 100U, 1000U}) {
        CAPTURE(n);
        std::vector<std::string> lines;
        for (const wlfmt::piece& p : oplog::pieces(text, n)) {
            summary s = empty_summary();
            const std::uint64_t end = p.offset + p.text.size();
            s.begin_part("log", p.offset);
            wlfmt::options how;
            how.lenient = true;
            how.piece_at = p.offset;
            oplog::reader log(p.text, how);
            while (const auto* op = log.next()) s.add(*op);
            s.end_part(end == text.size() ? wlfmt::byte_range().end : end);
            CHECK(s.open_parts() == (n == 1 ? 0 : 1));
            lines.push_back(line_of(s));
        }
        std::shuffle(lines.begin(), lines.end(), random);
        summary all = empty_summary();
        for (const std::string& line : lines) {
            const auto one = analysis::read_summary(line);
            CAPTURE(line.substr(one.error().offset > 300 ? one.error().offset - 300 : 0, 400));
            REQUIRE(one.ok());
            CHECK(all.merge(*one));
        }
        CHECK(all.open_parts() == 0);
        CHECK(line_of(all) == expected);
    }
}

TEST_CASE("a line reads back as the summary that it was written from") {
    for (const std::string& name : test::oplog_files()) {
        CAPTURE(name);
        const std::string line = line_of(summary_of(test::data(name)));
        const auto again = analysis::read_summary(line);
        CHECK(again.ok());
        CHECK(line_of(*again) == line);
        CHECK(analysis::read_summary(std::string_view(line).substr(0, line.size() - 1)).ok());
    }
    // Not only the same bytes: what is left out of the line would be in neither.
    const std::string line = line_of(summary_of(two_ranks));
    const auto read = analysis::read_summary(line);
    REQUIRE(read.ok());
    const auto sums = read->rows(dimension::operation);
    REQUIRE(sums.size() == 4);
    CHECK(sums[3].tally.gap.sum() == 1);
    CHECK(sums[3].tally.bytes.sum() == 64);
    CHECK(sums[0].tally.overlap() == 1);
    CHECK(sums[0].tally.communication() == 4.875);
    CHECK(line.find("\"steps\":[0,0,") != std::string::npos);
    summary odd({dimension::operation | dimension::group});
    oplog::operation op;
    op.op = "a";
    op.group_kind = "\"\\\n\r\t\x01\xC3\xA9\xFF";
    op.duration = 1.5;
    odd.add(op);
    op.duration = -1.5;
    odd.add(op);
    const auto again = analysis::read_summary(line_of(odd));
    REQUIRE(again.ok());
    CHECK(again->rows(dimension::operation | dimension::group).at(0).group == op.group_kind);
    CHECK(line_of(*again) == line_of(odd));
}

TEST_CASE("a text that is not the line of a summary is refused, at the byte where it differs") {
    const std::string line = line_of(summary_of(two_ranks));
    const std::string_view whole = std::string_view(line).substr(0, line.size() - 1);
    for (std::size_t n = 0; n < whole.size(); n += test::stride)
        CHECK_FALSE(analysis::read_summary(whole.substr(0, n)).ok());
    const auto refused = [](std::string text, std::string_view old, std::string_view with) {
        const std::size_t at = text.find(old);
        REQUIRE(at != std::string::npos);
        text.replace(at, old.size(), with);
        const auto got = analysis::read_summary(text);
        CHECK(got.error().kind == wlfmt::error_kind::bad_summary);
        CHECK(got->operations() == 0);
        CHECK(got.error().offset <= text.size());
    };
    refused(line, "{\"wlfmt_summary\":3", "{\"wlfmt_summary\":2");
    refused(line, "\"nested\"", "\"nestled\"");
    refused(line, "\"sketch\":[", "\"sketch\":[1,1,");
    refused(line, "\"count\":2", "\"count\":3");
    refused(line, "\"min\":1.125", "\"min\":2.5");
    refused(line, "\"rank\":1,", "\"rank\":0,");
    refused(line, "]}\n", "]} \n");
    refused(line, "\"busy\":14.25", "\"busy\":14.2500001");
    refused("x", "x", "");
    // A step of a record too far after one that is not the first.
    std::string far = line;
    const std::size_t second = far.find("1010.25,1,");
    REQUIRE(second != std::string::npos);
    far.replace(second, 10, "1010.25,9223372036854775807,");
    refused(far, "\"steps\":[0,", "\"steps\":[1,");
    // Escapes that a summary does not write: of what needs none, of other bytes, and what is no escape.
    summary odd({dimension::operation});
    oplog::operation op;
    op.op = "a\x01z";
    odd.add(op);
    for (const char* with : {"\\u0041", "\\u00e9", "\\udc7f", "\\udd00", "\\u001F", "\\u00g1", "\\u1", "\\x01"})
        refused(line_of(odd), "\\u0001", with);
    CHECK(wlfmt::message(analysis::read_summary("{\"wlfmt\":1}").error(), "{\"wlfmt\":1}") ==
          "`\"wlfmt\":1}` where a summary of this version has something else");
}

TEST_CASE("summaries with other breakdowns are not merged") {
    summary a({dimension::operation});
    const summary b({dimension::stage});
    oplog::operation op;
    op.op = "a";
    a.add(op);
    CHECK_FALSE(a.merge(b));
    CHECK(a.operations() == 1);
    CHECK(a.merge(summary(a)));
    CHECK(a.operations() == 2);
    CHECK(a.merge(a));
    CHECK(a.operations() == 4);
    CHECK(a.rows(dimension::stage).empty());
}

TEST_CASE("sums are exact, and the spread of values far from 0 is") {
    analysis::measure<6> m;
    // A million values about 10^12 ms, whose squares have more digits than a double.
    for (int n = 0; n < 1000000; ++n) CHECK_FALSE(!m.add(1000000000000000000 + n % 3 * 1000000));
    CHECK(m.sum_text() == "1000000000000999999");
    CHECK(m.standard_deviation() == doctest::Approx(std::sqrt(2.0 / 3)).epsilon(1e-6));
    CHECK_FALSE(m.add(std::int64_t{1} << 62));
    CHECK_FALSE(m.add(-(std::int64_t{1} << 62)));
    CHECK(m.count() == 1000000);
    // Sums that are above 2^64, and come back below 0.
    analysis::measure<0> large;
    const std::int64_t greatest = (std::int64_t{1} << 62) - 1;
    for (int n = 0; n < 9; ++n) CHECK(large.add(greatest));
    CHECK(large.sum_text() == "41505174165846491127");
    for (int n = 0; n < 10; ++n) CHECK(large.add(-greatest));
    CHECK(large.sum_text() == "-4611686018427387903");
    CHECK(large.standard_deviation() == doctest::Approx(static_cast<double>(greatest) * std::sqrt(1 - 1.0 / 361)));
    for (const auto& [read, written] :
         std::vector<std::pair<std::string, std::string>>{{"0.1", "0.1"},
                                                          {"629.77", "629.77"},
                                                          {"3375746596.92", "3375746596.92"},
                                                          {"0.001", "0.001"},
                                                          {"12345.678901", "12345.678901"},
                                                          {"1732291200123.457", "1732291200123.457"},
                                                          {"8589934593.0312", "8589934593.0312"},
                                                          {"9999999999.00001", "9999999999.00001"},
                                                          {"50000000000.12345", "50000000000.12345"},
                                                          {"0.0000004", "0"},
                                                          {"0.0000006", "0.000001"},
                                                          {"7", "7"},
                                                          {"1e3", "1000"}}) {
        const std::string text = read;
        CAPTURE(text);
        summary s({dimension::operation});
        oplog::operation op;
        op.op = "a";
        op.duration = wlfmt::to_number(text);
        s.add(op);
        CHECK(s.rows(dimension::operation).at(0).tally.duration.sum_text() == written);
    }
    for (const std::string_view text :
         {"nan", "inf", "-inf", "None", "Async operation, duration not measured", "1e300", "-8.3"}) {
        CAPTURE(text);
        summary s({dimension::operation});
        oplog::operation op;
        op.op = "a";
        op.duration = wlfmt::to_number(text);
        s.add(op);
        CHECK(s.rows(dimension::operation).at(0).tally.unmeasured == 1);
        CHECK(s.rows(dimension::operation).at(0).tally.duration.count() == 0);
    }
}

TEST_CASE("quantiles are within a 128th of the value at that place") {
    std::mt19937_64 random(3);
    for (int round = 0; round < 50; ++round) {
        analysis::measure<6> m;
        std::vector<std::int64_t> values;
        const int shift = round;
        for (int n = 0; n < 1000; ++n) {
            const auto v =
                static_cast<std::int64_t>(random() >> (63 - shift)) * (n % 5 == 0 && round % 2 == 0 ? -1 : 1);
            CHECK(m.add(v));
            values.push_back(v);
        }
        std::sort(values.begin(), values.end());
        for (const double part : {0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
            const auto place = static_cast<std::size_t>(std::max(1.0, std::ceil(part * 1000))) - 1;
            const double exact = static_cast<double>(values[place]) / 1e6;
            CHECK(std::abs(m.quantile(part) - exact) <= std::abs(exact) / 128);
        }
        const auto buckets = m.buckets();
        std::uint64_t before = 0;
        bool near = true;
        for (const auto& b : buckets)
            for (const std::uint64_t end = before + b.count; before != end; ++before) {
                const double exact = static_cast<double>(values[before]) / 1e6;
                near = near && std::abs(b.value - exact) <= std::abs(exact) / 128;
            }
        CHECK(near);
        CHECK(before == values.size());
        CHECK(m.quantile(0) == static_cast<double>(values.front()) / 1e6);
        CHECK(m.quantile(1) == static_cast<double>(values.back()) / 1e6);
    }
}

TEST_CASE("the sums of a rank are exact beyond 64 bits, and merging by moving is merging") {
    const auto of = [](std::string_view text) {
        summary sums;
        sums.begin_text();
        oplog::reader log(text);
        while (const auto* op = log.next()) sums.add(*op);
        return sums;
    };
    // Four of these durations are just below 2^63 millionths of a millisecond.
    const std::string line = "rank:3:send_forward(stage_id=2,duration=2305843009212.5,timestamp=7)\n";
    std::string text;
    for (int n = 0; n != 9; ++n) text += line;
    summary nine = of(text);
    const summary one = of(line);
    const summary other = of("rank:4:f(stage_id=2,duration=2305843009212.5,timestamp=7)\n");
    summary copied = nine;
    CHECK(copied.merge(one));
    CHECK(copied.merge(other));
    CHECK(nine.merge(summary(one)));
    CHECK(nine.merge(summary(other)));
    std::string written;
    analysis::write(test::into(written), nine);
    CHECK(written.find(R"({"rank":3,"stage":2,"operations":10,"nested":0,"unmeasured":0,"doubles":0,"texts":2,)"
                       R"("busy":23058430092125,"communication":23058430092125,)"
                       R"("pipeline":23058430092125,)") != std::string::npos);
    CHECK(written.find(R"({"rank":4,"stage":2,"operations":1,"nested":0,"unmeasured":0,"doubles":0,)"
                       R"("texts":1,"busy":2305843009212.5,)") != std::string::npos);
    std::string again;
    analysis::write(test::into(again), copied);
    CHECK(again == written);
    const auto read = analysis::read_summary(written);
    REQUIRE(read.ok());
    again.clear();
    analysis::write(test::into(again), *read);
    CHECK(again == written);

    // A summary that is moved into itself is doubled, as by copying.
    summary& same = copied;
    CHECK(copied.merge(std::move(same)));
    CHECK(copied.operations() == 22);
    CHECK(copied.ranks()[0].busy == 2 * 23058430092125.0);
    CHECK_FALSE(copied.merge(summary({analysis::dimension::rank})));
    CHECK(copied.operations() == 22);
}

namespace {

// A combined exchange is written as two records; the third message has a time of its own.
constexpr std::string_view exchange =
    "rank:0:forward_step(stage_id=0,batch_id=1,mg_state=steady,duration=10,timestamp=1010,sub_operations=[])\n"
    "rank:0:send_forward(stage_id=0,batch_id=1,mg_state=steady,duration=148.02,group_kind=pp,input__shape=[8],"
    "input__dtype=torch.int64,timestamp=1158.02,sub_operations=[])\n"
    "rank:0:recv_backward(stage_id=0,batch_id=0,mg_state=steady,duration=148.02,group_kind=pp,input__shape=[8],"
    "input__dtype=torch.int64,timestamp=1158.02,sub_operations=[])\n"
    "rank:0:send_forward(stage_id=0,batch_id=2,mg_state=steady,duration=2.5,group_kind=pp,timestamp=1160.52)\n";

}  // namespace

TEST_CASE("a span that is written as a send and as a receive is one span of time") {
    const summary s = summary_of(exchange);
    const auto ranks = s.ranks();
    REQUIRE(ranks.size() == 1);
    CHECK(ranks[0].operations == 4);
    CHECK(ranks[0].doubles == 1);
    CHECK(ranks[0].busy == 160.52);
    CHECK(ranks[0].pipeline == 150.52);
    CHECK(*ranks[0].span == 160.52);
    CHECK(ranks[0].idle() == 0);
    const auto rows = s.rows(dimension::operation);
    REQUIRE(rows.size() == 3);
    CHECK(rows[1].operation == "recv_backward");
    CHECK(rows[1].tally.records == 1);
    CHECK(rows[1].tally.doubles == 1);
    CHECK(rows[1].tally.unmeasured == 0);
    CHECK(rows[1].tally.duration.count() == 0);
    CHECK(rows[1].tally.communication() == 0);
    CHECK(rows[1].tally.bytes.sum() == 64);
    CHECK(rows[1].tally.gap.count() == 0);
    CHECK(rows[2].tally.duration.sum_text() == "150.52");
    CHECK(rows[2].tally.doubles == 0);

    // Only the two directions of one exchange, with equal times: not two sends, and not what another record parts.
    for (const auto& [old, with] : std::vector<std::pair<std::string, std::string>>{
             {"rank:0:recv_backward", "rank:0:recv_forward"},
             {"rank:0:recv_backward", "rank:0:send_forward"},
             {"rank:0:recv_backward", "rank:1:recv_backward"},
             {"timestamp=1158.02,sub_operations=[])\nrank:0:send", "timestamp=1158.03)\nrank:0:send"},
             {"duration=148.02,group_kind=pp,input__shape=[8],input__dtype=torch.int64,timestamp=1158.02,"
              "sub_operations=[])\nrank:0:send",
              "duration=148.01,timestamp=1158.02)\nrank:0:send"},
             {"rank:0:recv_backward", "rank:0:get_batch(duration=0,timestamp=1158.02)\nrank:0:recv_backward"}}) {
        std::string text(exchange);
        const std::size_t at = text.find(old);
        REQUIRE(at != std::string::npos);
        text.replace(at, old.size(), with);
        CAPTURE(text);
        std::uint64_t doubles = 0;
        summary_of(text).for_each_rank([&](const analysis::rank_total& r) { doubles += r.doubles; });
        CHECK(doubles == 0);
    }
    // The same for the exchange in the other direction, and with the receive written first.
    for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
             {"send_backward", "recv_forward"}, {"recv_backward", "send_forward"}}) {
        const std::string text =
            "rank:0:" + first + "(duration=4,timestamp=5)\nrank:0:" + second + "(duration=4,timestamp=5)\n";
        CHECK(summary_of(text).ranks()[0].busy == 4);
    }
}

TEST_CASE(
    "what no operation fills of a span is unknown where operations have no duration, overlap, or are of two texts") {
    const std::string log = "rank:0:f(duration=2,timestamp=10)\nrank:0:f(duration=1,timestamp=13)\n";
    const auto idle_of = [](const summary& s) { return s.ranks().at(0).idle(); };
    CHECK(idle_of(summary_of(log)) == 2);
    CHECK_FALSE(idle_of(summary_of(log + "rank:0:f(duration=None,timestamp=12)\n")));
    CHECK_FALSE(idle_of(summary_of(log + "rank:0:f(duration=5,timestamp=13)\n")));
    CHECK_FALSE(idle_of(summary_of("rank:0:f(duration=2)\n")));
    summary twice = summary_of(log);
    REQUIRE(twice.merge(summary_of(log)));
    CHECK_FALSE(idle_of(twice));
}

TEST_CASE("a span that is written twice is one span where a part of the text ends between its records") {
    const std::string expected = line_of(summary_of(exchange));
    const std::size_t cut = exchange.find("rank:0:recv_backward");
    for (const bool backwards : {false, true}) {
        std::vector<std::string> lines;
        for (const std::size_t begin : {std::size_t{0}, cut}) {
            summary one = empty_summary();
            one.begin_part("log", begin);
            oplog::reader log(begin == 0 ? exchange.substr(0, cut) : exchange.substr(cut));
            while (const auto* op = log.next()) one.add(*op);
            one.end_part(begin == 0 ? cut : wlfmt::byte_range().end);
            lines.push_back(line_of(one));
        }
        if (backwards) std::swap(lines[0], lines[1]);
        auto all = analysis::read_summary(lines[0]);
        REQUIRE(all.ok());
        CHECK(all->open_parts() == 1);
        CHECK(all->merge(*analysis::read_summary(lines[1])));
        CHECK(line_of(*all) == expected);
    }
}

TEST_CASE("messages whose timestamp was not measured are two spans, in parts of a text as in the whole") {
    const std::string first = "rank:0:send_forward(duration=8.0,timestamp=0)\n";
    const std::string second = "rank:0:recv_backward(duration=8.0,timestamp=0)\n";
    const std::string third = "rank:0:forward_step(duration=5.0,timestamp=1000.0)\n";
    const auto line = [](const summary& s) {
        std::string to;
        wlfmt::analysis::write(test::into(to), s);
        return to;
    };
    summary whole(summary::keep::calls);
    whole.begin_text("log");
    const std::string text = first + second + third;
    for (const auto& op : wlfmt::oplog::reader(text)) whole.add(op);
    REQUIRE(whole.ranks().size() == 1);
    CHECK(whole.ranks()[0].doubles == 0);
    CHECK(whole.ranks()[0].busy == 21);
    summary parts(summary::keep::calls);
    parts.begin_part("log", first.size());
    const std::string rest = second + third;
    for (const auto& op : wlfmt::oplog::reader(rest)) parts.add(op);
    parts.end_part(wlfmt::byte_range().end);
    parts.begin_part("log", 0);
    for (const auto& op : wlfmt::oplog::reader(first)) parts.add(op);
    parts.end_part(first.size());
    CHECK(line(parts) == line(whole));
}

TEST_CASE("a part between two others passes on what its own last record was") {
    // The send is the last record of the second part, its receive the first of the third; an empty part changes
    // nothing.
    const std::size_t first = exchange.find("rank:0:send_forward");
    const std::size_t second = exchange.find("rank:0:recv_backward");
    const std::vector<std::size_t> cuts = {0, first, first, second, exchange.size()};
    std::vector<summary> parts;
    for (std::size_t n = 0; n + 1 != cuts.size(); ++n) {
        parts.push_back(empty_summary());
        parts[n].begin_part("log", cuts[n]);
        oplog::reader log(exchange.substr(cuts[n], cuts[n + 1] - cuts[n]));
        while (const auto* op = log.next()) parts[n].add(*op);
        parts[n].end_part(n + 2 == cuts.size() ? wlfmt::byte_range().end : cuts[n + 1]);
        CHECK(parts[n].open_parts() == (cuts[n] == cuts[n + 1] ? 0 : 1));
    }
    const std::string expected = line_of(summary_of(exchange));
    for (const std::vector<std::size_t>& order :
         {std::vector<std::size_t>{0, 2, 1, 3}, std::vector<std::size_t>{3, 2, 1, 0},
          std::vector<std::size_t>{1, 3, 0, 2}}) {
        summary all = empty_summary();
        for (const std::size_t n : order) CHECK(all.merge(parts[n]));
        CHECK(all.open_parts() == 0);
        CHECK(line_of(all) == expected);
    }
}

TEST_CASE("a text that begins with a message has no record before it that the message repeats") {
    const std::string_view text = exchange.substr(exchange.find("rank:0:send_forward"));
    const std::size_t cut = text.find('\n') + 1;
    summary all = empty_summary();
    for (const std::size_t begin : {std::size_t{0}, cut}) {
        all.begin_part("log", begin);
        oplog::reader log(begin == 0 ? text.substr(0, cut) : text.substr(cut));
        while (const auto* op = log.next()) all.add(*op);
        all.end_part(begin == 0 ? cut : wlfmt::byte_range().end);
    }
    CHECK(line_of(all) == line_of(summary_of(text)));
}

TEST_CASE("a summary says from which file of which run each rank is, and from how many") {
    const std::string_view first = "rank:3:f(duration=1,timestamp=5)\n";
    const summary older = summary_of(first, "a/wd8_tp2_rank3_20240101000000.txt");
    const summary newer = summary_of(first, "b/wd8_tp2_rank3_20250101000000.txt");
    CHECK(older.ranks()[0].source.texts == 1);
    CHECK(older.ranks()[0].source.run == "wd8_tp2");
    CHECK(older.ranks()[0].source.time == 20240101000000);
    for (const bool moved : {false, true}) {
        for (const summary* of : {&older, &newer}) {
            summary both = *of;
            const summary& other = of == &older ? newer : older;
            CHECK((moved ? both.merge(summary(other)) : both.merge(other)));
            CHECK(both.ranks()[0].source.texts == 2);
            CHECK(both.ranks()[0].source.time == 20250101000000);
        }
    }
    // The parts of a file are one text, each of two files is one.
    summary parts = empty_summary();
    parts.begin_part("wd8_rank3_20240101000000.txt", 0);
    parts.end_part(10);
    parts.begin_part("wd8_rank3_20240101000000.txt", 10);
    oplog::reader log(first);
    parts.add(*log.next());
    CHECK(parts.ranks()[0].source.texts == 0);
    parts.end_part(wlfmt::byte_range().end);
    CHECK(parts.ranks()[0].source.texts == 1);
    CHECK(parts.ranks()[0].source.run == "wd8");
    CHECK_FALSE(parts.merge(summary()));  // the other one keeps no calls
}

TEST_CASE("lines that contradict themselves are refused") {
    const std::string line = line_of(summary_of(two_ranks));
    const auto refused = [&](std::string_view old, std::string_view with) {
        std::string text = line;
        const std::size_t at = text.find(old);
        REQUIRE(at != std::string::npos);
        text.replace(at, old.size(), with);
        CAPTURE(std::string(with));
        CHECK(analysis::read_summary(text).error().kind == wlfmt::error_kind::bad_summary);
    };
    const std::size_t squares = line.find("\"squares\":106.328125");  // the squares of 10.25 and 1.125
    CHECK(squares != std::string::npos);
    refused("\"squares\":106.328125", "\"squares\":0");
    refused("\"squares\":106.328125", "\"squares\":105");         // less than the greatest
    refused("\"squares\":106.328125", "\"squares\":210.125001");  // more than the greatest twice
    refused("\"sum\":11.375", "\"sum\":2.249999");
    refused("\"sum\":11.375", "\"sum\":20.500001");
    refused("\"operations\":5", "\"operations\":6");
    refused("\"planned\":1", "\"planned\":0");
    refused("\"nested\":5", "\"nested\":4");
    refused("\"records\":2", "\"records\":3");
    refused("\"records\":2,\"unmeasured\":0,\"doubles\":0", "\"records\":2,\"unmeasured\":0,\"doubles\":1");
    refused("\"texts\":1", "\"texts\":2");  // and its calls
}

TEST_CASE("neither ranks nor names that share their hashes make a summary slow") {
    // These ranks are multiples of a prime number. In a table with so many buckets all would be in one, which took 100
    // s.
    constexpr std::int64_t count = 60000 / test::stride;
    summary s({dimension::rank, dimension::operation});
    std::vector<std::string> names;
    for (std::int64_t n = 0; n != count; ++n) names.push_back("f" + std::to_string(n * 64));
    for (std::int64_t n = 0; n != count; ++n) {
        oplog::operation op;
        op.op = names[static_cast<std::size_t>(n)];
        op.rank = n * 85229;
        op.duration = 1;
        s.add(op);
    }
    CHECK(s.ranks().size() == count);
    CHECK(s.ranks()[7].rank == 7 * 85229);
    CHECK(s.rows(dimension::operation).size() == count);
}

TEST_CASE("parts of many texts that never meet are merged in no more than a moment") {
    constexpr std::uint64_t count = 40000 / test::stride;
    summary all({dimension::operation});
    for (std::uint64_t n = 0; n != count; ++n) {
        summary one({dimension::operation});
        one.begin_part("log", 20 * (n * 7919 % count) + 1);
        oplog::operation op;
        op.op = "f";
        op.duration = 1;
        one.add(op);
        one.end_part(20 * (n * 7919 % count) + 11);
        CHECK(all.merge(one));
    }
    CHECK(all.open_parts() == count);
    CHECK(all.operations() == count);
}

TEST_CASE("copies are independent") {
    summary a = summary_of(two_ranks);
    const std::string line = line_of(a);
    const summary b = a;
    for (int n = 0; n < 200; ++n) {
        const std::string name = "name" + std::to_string(n);
        oplog::operation op;
        op.op = name;
        a.add(op);
    }
    CHECK(line_of(b) == line);
    CHECK(a.rows(dimension::operation).size() == 204);
}

TEST_CASE("a list is sorted by what is asked for, and equal items keep their order") {
    for (const std::size_t size : {0U, 1U, 2U, 3U, 50U, 999U}) {
        std::mt19937 random(static_cast<unsigned>(size));
        std::vector<std::pair<int, std::string>> list;
        for (std::size_t n = 0; n != size; ++n) list.emplace_back(random() % 20, std::to_string(n));
        auto expected = list;
        const auto before = [](const auto& a, const auto& b) { return a.first > b.first; };
        std::stable_sort(expected.begin(), expected.end(), before);
        wlfmt::detail::sort_list(list, before);
        CHECK(list == expected);
    }
}
