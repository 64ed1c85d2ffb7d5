// diff.hpp: how two documents differ.
#include "analysis/diff/diff.hpp"
#include <wlfmt/wlfmt.hpp>
#include "analysis/diff/tables.hpp"

#include "into.hpp"
#include "support.hpp"

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace diff = wlfmt::analysis::diff;

std::string shown(const std::vector<wlfmt::analysis::diff::difference>& all) {
    std::string out;
    for (const auto& d : all) wlfmt::analysis::diff::write(test::into(out), d);
    return out;
}
std::string logs(std::string_view a, std::string_view b, double tolerance = 0) {
    return shown(wlfmt::analysis::diff::compare(*wlfmt::oplog::read(a), *wlfmt::oplog::read(b), tolerance));
}
std::string workloads(std::string_view a, std::string_view b, double tolerance = 0) {
    return shown(wlfmt::analysis::diff::compare(*wlfmt::workload::read(a), *wlfmt::workload::read(b), tolerance));
}

constexpr std::string_view before =
    "DATA ep: 4 mode: fast\n3\na -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 100 5\nb -1 40 NONE 0 50 NONE 0 60 NONE 0 5\n"
    "a -1 70 NONE 0 80 NONE 0 90 NONE 300 5\n";

}  // namespace

TEST_CASE("operations are compared by their number and time, the greatest effect first") {
    const std::string_view a =
        "rank:0:f(duration=100.0,timestamp=1.0,sub_operations=['duration=5.0,group=tp,comm_func=allreduce'])\n"
        "rank:0:f(duration=100.0,timestamp=2.0)\nrank:0:g(duration=10.0,timestamp=3.0)\n"
        "rank:0:h(duration=1.0,timestamp=4.0)\n";
    const std::string_view b =
        "rank:0:f(duration=112.0,timestamp=7.0,sub_operations=['duration=6.0,group=tp,comm_func=allreduce'])\n"
        "rank:0:f(duration=112.0,timestamp=8.0)\nrank:0:g(duration=10.1,timestamp=9.0)\n"
        "rank:0:k(duration=2.0,timestamp=9.5)\n";
    CHECK(logs(a, b) ==
          "changed  f  duration_ms  200.0 -> 224.0  +12.0 %\n"
          "added    k  duration_ms  nothing -> 2.0\n"
          "removed  h  duration_ms  1.0 -> nothing\n"
          "changed  g  duration_ms  10.0 -> 10.1  +1.0 %\n");
    CHECK(logs(a, b, 0.15) ==
          "added    k  duration_ms  nothing -> 2.0\nchanged  f: allreduce (tp)  duration_ms  5.0 -> 6.0  +20.0 %\n"
          "removed  h  duration_ms  1.0 -> nothing\n");
    CHECK(logs(a, a).empty());
    // The clock is another one, the layout too.
    CHECK(logs("rank:0:f(duration=8.0,timestamp=1.0)", "rank:0:f(timestamp=9.0,duration=8)\n").empty());
}

TEST_CASE("an exchange that the tracer wrote twice takes its time once") {
    const std::string send = "rank:0:send_forward(stage_id=0,duration=4.5,timestamp=100.0)\n";
    const std::string receive = "rank:0:recv_backward(stage_id=0,duration=4.5,timestamp=100.0)\n";
    const std::string later = "rank:0:recv_backward(stage_id=0,duration=4.5,timestamp=101.0)\n";
    CHECK(logs(send + receive, send + later) == "added    recv_backward  duration_ms  nothing -> 4.5\n");
    CHECK(logs(send, send + receive) == "added    recv_backward\n");
    CHECK(logs(later + send, send + receive) == "removed  recv_backward  duration_ms  4.5 -> nothing\n");
}

TEST_CASE("layers are compared field by field, the n-th of a name with the n-th") {
    CHECK(workloads(before, before).empty());
    CHECK(workloads(before,
                    "DATA ep: 8 mode: slow pp: 2\n3\na -1 10 NONE 0 20 NONE 0 30 ALLTOALL 100 5\n"
                    "b -1 40.0 NONE 0 50 NONE 0 66 NONE 0 5\na -1 70 NONE 0 80 NONE 0 90 NONE 310 5\n") ==
          "changed  header  ep  4 -> 8  +100.0 %\n"
          "changed  header  mode  fast -> slow\n"
          "added    header  pp  nothing -> 2\n"
          "changed  layer 0: a  weight_grad.comm  ALLREDUCE -> ALLTOALL\n"
          "changed  layer 2: a  weight_grad.bytes  300 -> 310  +3.3 %\n"
          "changed  layer 1: b  weight_grad.compute  60 -> 66  +10.0 %\n");
}

TEST_CASE("what takes less than a millisecond is compared by its time, too") {
    // One `k` of 0.03125 ms has less effect than 0.125 ms more of `f`.
    CHECK(logs("rank:0:g(duration=0.25,timestamp=1.0)\nrank:0:f(duration=0.25,timestamp=2.0)\n",
               "rank:0:g(duration=0.25,timestamp=1.0)\nrank:0:f(duration=0.25,timestamp=2.0)\n"
               "rank:0:f(duration=0.125,timestamp=3.0)\nrank:0:k(duration=0.03125,timestamp=4.0)\n") ==
          "changed  f  count  1 -> 2  +100.0 %\nchanged  f  duration_ms  0.25 -> 0.375  +50.0 %\n"
          "added    k  duration_ms  nothing -> 0.03125\n");
}

TEST_CASE("a number and a text differ by no share") {
    CHECK(workloads("DATA ep: 4\n0\n", "DATA ep: many\n0\n") == "changed  header  ep  4 -> many\n");
    CHECK(workloads("DATA ep: many\n0\n", "DATA ep: 4\n0\n") == "changed  header  ep  many -> 4\n");
}

TEST_CASE("where several fields have one name, the n-th is compared with the n-th") {
    const std::string twice = "DATA ep: 1 ep: 2 mode: fast\n0\n";
    CHECK(workloads(twice, twice).empty());
    CHECK(workloads(twice, "DATA mode: fast ep: 1 ep: 3\n0\n") == "changed  header  ep  2 -> 3  +50.0 %\n");
    CHECK(workloads(twice, "DATA ep: 1 mode: fast\n0\n") == "removed  header  ep  2 -> nothing\n");
    CHECK(workloads("DATA ep: 1 mode: fast\n0\n", twice) == "added    header  ep  nothing -> 2\n");
}

TEST_CASE("a value that is not finite differs as a whole, and does not change the effects of the others") {
    const auto log = [](const char* f, const char* g) {
        return std::string("rank:0:f(duration=") + f + ")\nrank:0:g(duration=" + g + ")\n";
    };
    const auto compared = [](const std::string& a, const std::string& b, double tolerance = 0) {
        const auto all = wlfmt::analysis::diff::compare(*wlfmt::oplog::read(a), *wlfmt::oplog::read(b), tolerance);
        std::string out;
        for (const auto& d : all) {
            wlfmt::analysis::diff::write(test::into(out), d);
            CHECK(d.effect >= 0);
            CHECK(d.effect < 1e9);
            out.insert(out.size() - 1, d.effect == 1 ? " (1)" : "");
        }
        return out;
    };
    CHECK(compared(log("nan", "4.0"), log("nan", "5.0")) == "changed  g  duration_ms  4.0 -> 5.0  +25.0 %\n");
    CHECK(compared(log("inf", "100.0"), log("1.0", "105.0"), 0.1) ==
          "changed  f  not_a_number  1 -> 0  -100.0 % (1)\nadded    f  duration_ms  nothing -> 1.0\n");
    CHECK(compared(log("1.0", "2.0"), log("inf", "2.0"), 0.1) ==
          "changed  f  not_a_number  0 -> 1 (1)\nremoved  f  duration_ms  1.0 -> nothing\n");
    CHECK(compared(log("1.5e+308", "2.0"), log("1.5e+308", "2.0")).empty());
    CHECK(compared(log("1.5e+300", "2.0"), log("1.5e+303", "2.0")) ==
          "changed  f  duration_ms  1.5e+300 -> 1.5e+303  +99900.0 %\n" + std::string());
}

TEST_CASE("a duration that was not measured is not one of 0, and nan is not a time") {
    const auto log = [](const char* first, const char* second) {
        return std::string("rank:0:f(") + first + ")\nrank:0:f(" + second + ")\n";
    };
    // A sum of nan and 2 is nan whatever else changes.
    CHECK(logs(log("duration=nan", "duration=2"), log("duration=nan", "duration=5000")) ==
          "changed  f  duration_ms  2.0 -> 5000.0  +249900.0 %\n");
    CHECK(logs(log("duration=None", "duration=2"), log("duration=0", "duration=2")) ==
          "changed  f  unmeasured  1 -> 0  -100.0 %\n");
    CHECK(logs(log("duration=None", "duration=2"), log("k=1", "duration=2")).empty());
    CHECK(logs(log("duration=None", "k=1"), log("duration=0", "duration=0.0")) ==
          "changed  f  unmeasured  2 -> 0  -100.0 %\nadded    f  duration_ms  nothing -> 0.0\n");
    CHECK(logs(log("duration=nan", "duration=2"), log("duration=None", "duration=2")) ==
          "changed  f  unmeasured  0 -> 1\nchanged  f  not_a_number  1 -> 0  -100.0 %\n");
    // The order of the records does not matter.
    std::string forth;
    std::string back;
    for (int n = 1; n != 400; ++n) {
        const std::string line =
            "rank:0:f(duration=" + std::to_string(n * n * 37 % 1009) + "." + std::to_string(n % 90 + 10) + ")\n";
        forth += line;
        back = line + back;
    }
    CHECK(logs(forth, back).empty());
}

TEST_CASE("swapped ranks are a difference, and records are matched by what the program chooses") {
    using wlfmt::analysis::dimension;
    const auto run = [](const char* first, const char* second) {
        return std::string("rank:0:f(stage_id=0,duration=") + first + ")\nrank:1:f(stage_id=1,duration=" + second +
               ")\n";
    };
    const auto compared = [](dimension by, const std::string& a, const std::string& b, double tolerance = 0) {
        wlfmt::analysis::diff::log_sums was(by);
        wlfmt::analysis::diff::log_sums now(by);
        was.add(*wlfmt::oplog::read(a));
        now.add(*wlfmt::oplog::read(b));
        return shown(wlfmt::analysis::diff::compare(was, now, tolerance));
    };
    const std::string a = run("4.0", "6.0");
    const std::string b = run("6.0", "4.0");
    CHECK(
        logs(a, b) ==
        "changed  rank 0: f  duration_ms  4.0 -> 6.0  +50.0 %\nchanged  rank 1: f  duration_ms  6.0 -> 4.0  -33.3 %\n");
    for (const wlfmt::analysis::diff::difference& d :
         wlfmt::analysis::diff::compare(*wlfmt::oplog::read(a), *wlfmt::oplog::read(b))) {
        CHECK(d.item == "rank " + std::to_string(d.rank.value_or(-1)) + ": f");
        CHECK(d.operation == "f");
    }
    CHECK(compared(dimension::operation, a, b).empty());
    CHECK(compared(dimension::rank, a, b, 0.4) == "");
    CHECK(compared(dimension::stage | dimension::operation, a, b, 0.33) ==
          "changed  stage 0: f  duration_ms  4.0 -> 6.0  +50.0 %\nchanged  stage 1: f  duration_ms  6.0 -> 4.0  -33.3 "
          "%\n");
    CHECK(compared(dimension::rank | dimension::stage | dimension::operation, a, b, 0.34) == "");
    CHECK(compared(dimension::rank, a, a + "rank:1:g(duration=1.0)\n") ==
          "changed  rank 1  count  1 -> 2  +100.0 %\nchanged  rank 1  duration_ms  6.0 -> 7.0  +16.7 %\n");
    // Logs of one rank each are compared with each other, and that the ranks differ is shown.
    const std::string zero = "rank:0:f(duration=4.0)\n";
    const std::string seven = "rank:7:f(duration=5.0)\n";
    CHECK(logs(zero, seven) == "changed  rank  rank 0 -> rank 7\nchanged  f  duration_ms  4.0 -> 5.0  +25.0 %\n");
    CHECK(logs(zero, "stage:0:f(duration=4.0)\n") == "changed  rank  rank 0 -> plan of stage 0\n");
    CHECK(logs(zero, a) == "added    rank 1: f  duration_ms  nothing -> 6.0\n");
    CHECK(compared(dimension::rank, zero, seven) ==
          "changed  rank  rank 0 -> rank 7\nchanged  all operations  duration_ms  4.0 -> 5.0  +25.0 %\n");
    CHECK(compared(dimension::none, zero, seven) == "changed  all operations  duration_ms  4.0 -> 5.0  +25.0 %\n");
    CHECK(compared(dimension::rank | dimension::state | dimension::group, "rank:0:f(mg_state=warmup,duration=4.0)\n",
                   "rank:0:f(mg_state=warmup,group_kind=dp,duration=4.0)\n") ==
          "removed  warmup, no group  duration_ms  4.0 -> nothing\nadded    warmup, dp  duration_ms  nothing -> 4.0\n");
}

TEST_CASE("nested operations are named after what encloses them, whatever records are matched by") {
    using wlfmt::analysis::dimension;
    const auto compared = [](dimension by, const std::string& more) {
        const auto log = [&](const char* ms) {
            return std::string("rank:0:f(stage_id=3,duration=9.0,sub_operations=['duration=") + ms +
                   ",group=tp,comm_func=broadcast'])\n" + more;
        };
        wlfmt::analysis::diff::log_sums was(by);
        wlfmt::analysis::diff::log_sums now(by);
        const std::string earlier = log("2.0");
        const std::string after = log("3.0");
        was.add(*wlfmt::oplog::read(earlier));
        now.add(*wlfmt::oplog::read(after));
        return shown(wlfmt::analysis::diff::compare(was, now));
    };
    const std::string change = "broadcast (tp)  duration_ms  2.0 -> 3.0  +50.0 %\n";
    const std::string other = "rank:1:f(stage_id=4,duration=9.0)\n";
    CHECK(compared(dimension::rank, other) == "changed  rank 0: " + change);
    CHECK(compared(dimension::rank, "") == "changed  all operations: " + change);
    CHECK(compared(dimension::rank | dimension::stage, "") == "changed  stage 3: " + change);
    CHECK(compared(dimension::rank | dimension::operation, "") == "changed  f: " + change);
    CHECK(compared(dimension::rank | dimension::operation, other) == "changed  rank 0: f: " + change);
    CHECK(compared(dimension::stage | dimension::collective, other) == "changed  stage 3: " + change);
    CHECK(compared(dimension::collective, other) == "changed  all operations: " + change);
}

TEST_CASE("all effects of op logs are in one unit, and what a listed operation contains is not listed again") {
    using wlfmt::analysis::dimension;
    const auto run = [](const char* count, const char* outer, const char* inner) {
        return std::string(count) + "rank:0:f(duration=" + outer + ",sub_operations=['duration=" + inner +
               ",group=dp,comm_func=allgather'])\nrank:0:g(duration=50.0)\n";
    };
    const auto all = [&](const std::string& a, const std::string& b, dimension by) {
        wlfmt::analysis::diff::log_sums was(by);
        wlfmt::analysis::diff::log_sums now(by);
        was.add(*wlfmt::oplog::read(a));
        now.add(*wlfmt::oplog::read(b));
        return wlfmt::analysis::diff::compare(was, now);
    };
    const std::string a = run("", "40.0", "20.0");
    // The nested one is ten of a hundred milliseconds, not half of the nested ones.
    auto found = all(a, run("", "40.0", "10.0"), dimension::operation);
    REQUIRE(found.size() == 1);
    CHECK(found[0].item == "f: allgather (dp)");
    CHECK(found[0].effect == doctest::Approx(10.0 / 90));
    found = all(a, run("", "30.0", "10.0"), dimension::operation);
    REQUIRE(found.size() == 1);
    CHECK(found[0].item == "f");
    CHECK(found[0].effect == doctest::Approx(10.0 / 90));
    found = all(a, run("", "30.0", "10.0"), dimension::operation | dimension::collective);
    REQUIRE(found.size() == 2);
    CHECK(found[1].item == "f: allgather (dp)");
    // An additional operation counts with its whole duration.
    found = all(a, run("rank:0:g(duration=0.0)\n", "40.0", "20.0"), dimension::operation);
    REQUIRE(found.size() == 1);
    CHECK(found[0].field == "count");
    CHECK(found[0].effect == doctest::Approx(50.0 / 90));
    // Where only one side has times, an operation counts with its whole duration there.
    found = all("rank:0:f(k=1)\nrank:0:f(k=1)\nrank:0:f(k=1)\nrank:0:f(k=1)\n", "rank:0:f(duration=1.0)\n",
                dimension::operation);
    REQUIRE(found.size() == 3);
    CHECK(found[0].field == "count");
    CHECK(found[0].effect == 1);
    // Plans have no times: there the number counts.
    found = all("stage:0:f(k=1)\nstage:0:g(k=1)\n", "stage:0:f(k=1)\nstage:0:g(k=1)\nstage:0:f(k=1)\n",
                dimension::operation);
    REQUIRE(found.size() == 2);
    CHECK(found[0].field == "count");
    CHECK(found[0].effect == doctest::Approx(1.0 / 3));
}

TEST_CASE("a cell without a value is not one of 0") {
    const auto table = [](std::string_view first, std::string_view second) {
        return "-----  ----------  -----------  \n Name    Self CPU  Total FLOPs  \n-----  ----------  -----------  \n "
               "  mm  " +
               std::string(10 - first.size(), ' ') + std::string(first) + "  " + std::string(11 - second.size(), ' ') +
               std::string(second) + "  \n-----  ----------  -----------  \n";
    };
    const auto compared = [](const std::string& a, const std::string& b) {
        return shown(wlfmt::analysis::diff::compare(*wlfmt::table::read(a), *wlfmt::table::read(b)));
    };
    CHECK(compared(table("1.000us", "--"), table("1.000us", "0.000")) ==
          "added    row mm  Total FLOPs  nothing -> 0.0\n");
    CHECK(compared(table("1.000us", "--"), table("1.000us", "NaN")).empty());
    CHECK(compared(table("1.000us", "3.000"), table("1.000us", "--")) ==
          "removed  row mm  Total FLOPs  3.0 -> nothing\n");
    CHECK(compared(table("0", "2.000"), table("--", "2.000")) == "removed  row mm  Self CPU (us)  0 -> nothing\n");
}

TEST_CASE("every field of a layer is compared, under its own name") {
    wlfmt::workload::document a;
    a.header.policy = "HYBRID_CUSTOMIZED";
    wlfmt::workload::layer one;
    one.name = "mlp";
    one.dependency = -1;
    one.forward = {1, "ALLREDUCE", 2};
    one.input_grad = {3, "ALLGATHER", 4};
    one.weight_grad = {5, "NONE", 6};
    one.update = 7;
    one.policy = "DATA";
    one.further = "x y";
    a.layers.push_back(one);
    const auto changed = [&](const auto& edit) {
        wlfmt::workload::document b = a;
        edit(b.layers[0]);
        const auto all = wlfmt::analysis::diff::compare(a, b);
        return all.size() == 1 ? all[0].field + " " + all[0].before + " " + all[0].after : std::to_string(all.size());
    };
    CHECK(changed([](auto& l) { l.dependency = 2; }) == "dependency -1 2");
    CHECK(changed([](auto& l) { l.forward.compute = 11; }) == "forward.compute 1 11");
    CHECK(changed([](auto& l) { l.forward.comm = "NONE"; }) == "forward.comm ALLREDUCE NONE");
    CHECK(changed([](auto& l) { l.forward.bytes = 12; }) == "forward.bytes 2 12");
    CHECK(changed([](auto& l) { l.input_grad.compute = 13; }) == "input_grad.compute 3 13");
    CHECK(changed([](auto& l) { l.input_grad.comm = "NONE"; }) == "input_grad.comm ALLGATHER NONE");
    CHECK(changed([](auto& l) { l.input_grad.bytes = 14; }) == "input_grad.bytes 4 14");
    CHECK(changed([](auto& l) { l.weight_grad.compute = 15; }) == "weight_grad.compute 5 15");
    CHECK(changed([](auto& l) { l.weight_grad.comm = "BROADCAST"; }) == "weight_grad.comm NONE BROADCAST");
    CHECK(changed([](auto& l) { l.weight_grad.bytes = 16; }) == "weight_grad.bytes 6 16");
    CHECK(changed([](auto& l) { l.update = 17; }) == "update 7 17");
    CHECK(changed([](auto& l) { l.policy = "MODEL"; }) == "policy DATA MODEL");
    CHECK(changed([](auto& l) { l.further = "x z"; }) == "further x y x z");
    CHECK(changed([](auto& l) { l.further = {}; }) == "further x y ");
    // And the header's entries, the policy among them.
    wlfmt::workload::document b = a;
    b.header.policy = "DATA";
    b.header.entries.edit() = {{"pp", "2", true}, {"mode", "slow", true}, {{}, "4", false}};
    CHECK(shown(wlfmt::analysis::diff::compare(a, b)) ==
          "changed  header  policy  HYBRID_CUSTOMIZED -> DATA\nadded    header  pp  nothing -> 2\n"
          "added    header  mode  nothing -> slow\nadded    header  DLRM_LAST_BOTTOM_LAYER  nothing -> 4\n");
}

TEST_CASE("layers that are new, gone, or in another order") {
    const std::string_view fewer =
        "DATA ep: 4 mode: fast\n2\na -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 100 5\na -1 70 NONE 0 80 NONE 0 90 NONE 300 "
        "5\n";
    CHECK(workloads(before, fewer) == "removed  layer 1: b\n");
    CHECK(workloads(fewer, before) == "added    layer 1: b\n");
    CHECK(workloads("DATA\n2\na -1 1 NONE 0 2 NONE 0 3 NONE 0 5\nb -1 1 NONE 0 2 NONE 0 3 NONE 0 5\n",
                    "DATA\n2\nb -1 1 NONE 0 2 NONE 0 3 NONE 0 5\na -1 1 NONE 0 2 NONE 0 3 NONE 0 5\n") ==
          "changed  order  layer 0: a -> layer 0: b\n");
}

TEST_CASE("rows are compared in one unit, the layout is not") {
    const auto table = [](std::string_view time, std::string_view calls, std::string_view name) {
        const std::string text =
            "--------  ----------  ----------  \n    Name    Self CPU  # of Calls  \n--------  ----------  ----------  "
            "\n"
            "      mm  " +
            std::string(10 - time.size(), ' ') + std::string(time) + "  " + std::string(10 - calls.size(), ' ') +
            std::string(calls) + "  \n" + std::string(8 - name.size(), ' ') + std::string(name) +
            "     1.000ms           1  \n--------  ----------  ----------  \nSelf CPU time total: 3.000ms\n";
        return text;
    };
    const std::string a = table("2.000ms", "7", "add");
    const std::string b = table("2000.0us", "9", "sub");
    const auto all = wlfmt::analysis::diff::compare(*wlfmt::table::read(a), *wlfmt::table::read(b));
    CHECK(shown(all) == "removed  row add\nadded    row sub\nchanged  row mm  # of Calls  7 -> 9  +28.6 %\n");
    CHECK(all[0].effect == doctest::Approx(1.0 / 3));
    CHECK(all[2].effect == doctest::Approx(0.2));
    CHECK(all[2].ratio == doctest::Approx(2.0 / 7));
}

namespace {

// A table of kernels and operators: name, own time of the processor and of the device in microseconds, calls.
struct made_row {
    std::string name;
    int cpu;
    int device;
    int calls;
};
std::string table_of(const std::vector<made_row>& rows, const std::string& total = "", const std::string& host = "") {
    const std::string rule = std::string(40, '-') + "  ----------  ----------  ----------\n";
    const auto line = [](const std::string& a, const std::string& b, const std::string& c, const std::string& d) {
        const auto right = [](const std::string& s, std::size_t width) {
            return std::string(width - s.size(), ' ') + s;
        };
        return right(a, 40) + "  " + right(b, 10) + "  " + right(c, 10) + "  " + right(d, 10) + "\n";
    };
    std::string text = rule + line("Name", "Self CPU", "Self CUDA", "# of Calls") + rule;
    for (const made_row& r : rows)
        text += line(r.name, std::to_string(r.cpu) + ".000us", std::to_string(r.device) + ".000us",
                     std::to_string(r.calls));
    return text + rule + (host.empty() ? "" : "Self CPU time total: " + host + "\n") +
           (total.empty() ? "" : "Self CUDA time total: " + total + "\n");
}
wlfmt::analysis::diff::profile profile_of(const std::string& text, bool fold = false) {
    wlfmt::analysis::diff::profile to(fold);
    wlfmt::table::reader tables(text);
    to.add(tables);
    CHECK(tables.ok());
    return to;
}
// A line for each name: its kind, the name, its time and its calls before and after; `?` where one is not known.
std::string lines_of(const wlfmt::analysis::diff::profile_difference& all) {
    std::string to;
    for (const wlfmt::analysis::diff::profile_line& l : all.lines) {
        to.append(name_of(l.kind)).append(" ").append(l.name);
        if (!l.other_name.empty()) to.append("=").append(l.other_name);
        for (const wlfmt::analysis::bounded& sum : {l.before, l.after, l.calls_before, l.calls_after})
            to.append(" ").append(message(sum, [](double v) { return std::to_string(static_cast<int>(v)); }));
        to.append(l.is_known ? "\n" : " ?\n");
    }
    return to;
}

}  // namespace

TEST_CASE("profiles are compared by kind and name, the greatest difference first") {
    const std::string a = table_of({{"mm", 5, 60, 3},
                                    {"mm", 7, 20, 4},
                                    {"step", 9, 0, 1},
                                    {"step", 0, 80, 1},
                                    {"gemm", 0, 70, 7},
                                    {"copy", 0, 10, 2},
                                    {"same", 3, 0, 9}},
                                   "80.000us");
    const std::string b = table_of({{"mm", 6, 95, 8},
                                    {"step", 9, 0, 1},
                                    {"step", 0, 81, 1},
                                    {"gemm", 0, 75, 6},
                                    {"scan", 0, 20, 5},
                                    {"same", 3, 0, 9}},
                                   "95.000us");
    const wlfmt::analysis::diff::profile_difference all = compare(profile_of(a), profile_of(b));
    CHECK(all.columns == std::vector<std::string>{"self_device_time_us"});
    CHECK(all.before.value == 80);
    CHECK(all.before.rows == 80);
    CHECK(all.after.value == 95);
    CHECK(all.after.is_named);
    CHECK(all.same == 2);  // `same`, and `step` on the processor
    CHECK(lines_of(all) ==
          "device row scan 0 20 0 5\noperator mm 80 95 7 8\ndevice row copy 10 0 2 0\nkernel gemm 70 75 7 6\n"
          "annotation step 80 81 1 1\n");
    // By other columns: the first is the one that counts.
    wlfmt::analysis::diff::profile_options how;
    how.columns = {"# of Calls", "self_cpu_time_us"};
    const wlfmt::analysis::diff::profile_difference calls = compare(profile_of(a), profile_of(b), how);
    CHECK(calls.columns == std::vector<std::string>{"calls", "self_cpu_time_us"});
    CHECK(lines_of(calls) ==
          "device row scan 0 5 0 5\ndevice row copy 2 0 2 0\nkernel gemm 7 6 7 6\noperator mm 7 8 7 8\n");
    CHECK(calls.lines[3].further[0].first == 12);
    CHECK(calls.lines[3].further[0].second == 6);
    // Calls of operators and kernels: one side without kernels lacks theirs alone.
    const std::string host = table_of({{"mm", 12, 80, 7}}, "80.000us");
    const std::string launched = table_of({{"mm", 12, 80, 7}, {"gemm", 0, 80, 3}}, "80.000us");
    const wlfmt::analysis::diff::profile_difference fewer = compare(profile_of(launched), profile_of(host), how);
    CHECK(fewer.before.value == 10);
    CHECK(fewer.after.value == 7);
    CHECK(lines_of(fewer) == "kernel gemm 3 0 3 0\n");
    how.columns = {"calls", "Speed"};
    CHECK(compare(profile_of(a), profile_of(b), how).unknown_column == "Speed");
    // Within the tolerance.
    how.columns = {};
    how.tolerance = 0.2;
    CHECK(lines_of(compare(profile_of(a), profile_of(b), how)) ==
          "device row scan 0 20 0 5\ndevice row copy 10 0 2 0\n");
}

TEST_CASE("tables of one profile count once, different profiles are added up") {
    const std::vector<made_row> rows = {{"mm", 5, 60, 3}, {"add", 7, 20, 4}};
    const std::string one = table_of(rows, "80.000us");
    const std::string top = table_of({{"mm", 5, 60, 3}}, "80.000us");
    const std::string other = table_of(rows, "80.050us");
    CHECK(profile_of(one + "\n" + top).profiles() == 1);
    CHECK(profile_of(one + "\n" + top).tables() == 2);
    CHECK(compare(profile_of(one), profile_of(one + "\n" + top)).lines.empty());
    CHECK(compare(profile_of(top + "\n" + one), profile_of(one)).lines.empty());
    CHECK(profile_of(one + "\n" + other).profiles() == 2);
    CHECK(lines_of(compare(profile_of(one), profile_of(one + "\n" + other))) ==
          "operator mm 60 120 3 6\noperator add 20 40 4 8\n");
    // Without totals: a table that repeats the names of the one before it.
    const std::string bare = table_of({{"add", 7, 20, 4}});
    CHECK(profile_of(table_of(rows) + "\n" + bare).profiles() == 1);
    CHECK(profile_of(table_of(rows) + "\n" + table_of({{"add", 7, 21, 4}})).profiles() == 2);
}

TEST_CASE("what a table does not show is not known") {
    // The rows of the second table are less than the total that it names.
    const std::string all = table_of({{"mm", 5, 60, 3}, {"add", 7, 20, 4}}, "80.000us");
    const std::string top = table_of({{"mm", 5, 60, 3}}, "80.000us");
    const wlfmt::analysis::diff::profile_difference d = compare(profile_of(all), profile_of(top));
    CHECK_FALSE(d.after.has_all_rows);
    CHECK(lines_of(d) == "operator add 20 >= 0 4 >= 0 ?\n");
    CHECK(lines_of(compare(profile_of(all), profile_of(table_of({{"mm", 5, 60, 3}}, "60.000us")))) ==
          "operator add 20 0 4 0\n");
    wlfmt::analysis::diff::profile_options how;
    how.before_is_cut = true;
    const wlfmt::analysis::diff::profile_difference cut =
        compare(profile_of(table_of({{"mm", 5, 60, 3}})), profile_of(all), how);
    CHECK_FALSE(cut.before.value.has_most());
    CHECK(lines_of(cut) == "operator add >= 0 20 >= 0 4 ?\n");
}

TEST_CASE("rows that one total shows to be missing are missing from all sums") {
    const std::vector<made_row> rows = {{"mm", 50, 20, 10}, {"mm", 15, 0, 3}, {"add", 35, 0, 7}};
    const auto whole = [&] { return table_of(rows, "20.000us", "100.000us"); }();
    // A name with several rows may have another one among those that are missing; one row alone shows that names do.
    const auto limited = table_of({rows[0], rows[2]}, "20.000us", "100.000us");
    const auto repeating = table_of({rows[0], {"add", 20, 0, 4}, {"add", 10, 0, 1}}, "20.000us", "100.000us");
    wlfmt::analysis::diff::profile_options how;
    how.columns = {"self_cpu_time_us", "calls"};
    const wlfmt::analysis::diff::profile_difference d = compare(profile_of(whole), profile_of(repeating), how);
    CHECK_FALSE(d.after.has_all_rows);
    CHECK_FALSE(d.further[0].second.value.has_most());
    CHECK(lines_of(d) == "operator mm 65 >= 50 13 >= 10\noperator add 35 >= 30 7 >= 5\n");
    // The rows have all of the device's time, which says nothing of those without any.
    how.columns = {"calls"};
    const wlfmt::analysis::diff::profile_difference calls =
        compare(profile_of(whole), profile_of(table_of({rows[0]}, "20.000us", "100.000us")), how);
    CHECK(lines_of(calls) == "operator mm 13 10 13 10\noperator add 7 >= 0 7 >= 0 ?\n");
    CHECK(lines_of(compare(profile_of(limited), profile_of(limited), how)).empty());
    // A cut name may be that of several rows. A total below 0 is reached by rows that add up to it.
    const auto cut = table_of({{"a_long_n...", 50, 20, 10}}, "20.000us", "100.000us");
    const auto more = table_of({{"a_long_n...", 50, 20, 10}}, "20.000us", "110.000us");
    CHECK(lines_of(compare(profile_of(cut), profile_of(more), how)) ==
          "operator a_long_n... >= 10 >= 10 >= 10 >= 10\n");
    // Tables with the same totals and rows lack the same rows.
    CHECK(lines_of(compare(profile_of(cut), profile_of(cut), how)).empty());
    const auto below = table_of({{"mm", 5, -20, 10}}, "-20.000us");
    CHECK(compare(profile_of(below), profile_of(below)).before.has_all_rows);
}

TEST_CASE("names that are cut or numbered are matched where that is unambiguous") {
    const auto compared = [](const std::vector<made_row>& a, const std::vector<made_row>& b, bool fold = false) {
        const wlfmt::analysis::diff::profile_difference d =
            compare(profile_of(table_of(a), fold), profile_of(table_of(b), fold));
        return lines_of(d) + std::to_string(d.matched) + " " + std::to_string(d.folded);
    };
    CHECK(compared({{"vectorized_k...", 0, 5, 1}}, {{"vectorized_kernel", 0, 6, 1}}) ==
          "kernel vectorized_k...=vectorized_kernel 5 6 1 1\n1 0");
    CHECK(compared({{"vectorized_kernel", 0, 5, 1}}, {{"vectorized_k...", 0, 6, 1}}) ==
          "kernel vectorized_kernel=vectorized_k... 5 6 1 1\n1 0");
    // A cut name is all that begin so, and two cut ones that a whole one may be are neither.
    CHECK(compared({{"add_k...", 0, 5, 1}}, {{"add_kernel", 0, 6, 1}, {"add_kind", 0, 7, 1}}) ==
          "kernel add_k...=add_kernel + add_kind 5 13 1 2\n1 0");
    CHECK(compared({{"add_kernel", 0, 6, 1}, {"add_kind", 0, 7, 1}}, {{"add_k...", 0, 13, 2}}) == "1 0");
    CHECK(compared({{"add_k...", 0, 5, 1}, {"add_ke...", 0, 4, 1}}, {{"add_kernel", 0, 6, 1}}) ==
          "kernel add_kernel 0 6 0 1\ndevice row add_k... 5 0 1 0\ndevice row add_ke... 4 0 1 0\n0 0");
    CHECK(compared({{"fused_add_12", 0, 5, 1}, {"fused_add_3", 0, 5, 1}}, {{"fused_add_4", 0, 11, 2}}, true) ==
          "kernel fused_add_# 10 11 2 2\n0 3");
    // The whole name tells that it is a kernel's.
    CHECK(compared({{"add_k...", 0, 5, 1}}, {{"add_kernel", 0, 6, 1}}) == "kernel add_k...=add_kernel 5 6 1 1\n1 0");
    CHECK(compared({{"add_kernel", 0, 5, 1}}, {{"add_k...", 0, 6, 1}}) == "kernel add_kernel=add_k... 5 6 1 1\n1 0");
    for (const auto& [name, folded] : std::vector<std::pair<std::string, std::string>>{
             {"aten::mm", "aten::mm"},
             {"void k<float, 4>(int, char)", "void k<>"},
             {"void at::(anonymous namespace)::k<a<b>, c>::op<d>(e)", "void at::(anonymous namespace)::k<>::op<>"},
             {"copy.isra.0", "copy.isra_#"},
             {"fused_3_4", "fused_#"},
             {"k<(float)4>", "k<>"},
             {"gemm_128x64", "gemm_128x64"},
             {"operator>>", "operator>>"},
             {"void k<float, ...", "void k<"},
             {"Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)"},
             {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"},
             {"7", "7"},
             {"_7", "_7"}})
        CHECK(wlfmt::analysis::folded_name(name) == folded);
}

TEST_CASE("a difference as JSON") {
    wlfmt::analysis::diff::difference d;
    d.item = "layer 3: \"x\"";
    d.field = "forward.comm";
    d.before = "NONE";
    d.after = "12";
    d.effect = 1;
    std::string out;
    wlfmt::analysis::diff::write_json(test::into(out), d);
    CHECK(out ==
          "{\"change\":\"changed\",\"item\":\"layer 3: \\\"x\\\"\",\"field\":\"forward.comm\",\"before\":\"NONE\","
          "\"after\":12,\"ratio\":null,\"effect\":1.0}\n");
    out.clear();
    d.ratio = 0.25;
    wlfmt::analysis::diff::write_json(test::into(out), d, [](auto& line) { line.key("run").integer(7); });
    CHECK(out ==
          "{\"change\":\"changed\",\"item\":\"layer 3: \\\"x\\\"\",\"field\":\"forward.comm\",\"before\":\"NONE\","
          "\"after\":12,\"ratio\":0.25,\"effect\":1.0,\"run\":7}\n");
}

TEST_CASE("names of nested operations are compared without their escapes") {
    const auto log = [](const char* text) { return *wlfmt::oplog::read(text); };
    const auto escaped = log("rank:0:f(duration=9,sub_operations=['duration=1,group=t\\x70,comm_func=it\\'s'])\n");
    const auto plain = log("rank:0:f(duration=9,sub_operations=[\"duration=1,group=tp,comm_func=it's\"])\n");
    CHECK(wlfmt::analysis::diff::compare(escaped, plain).empty());
    CHECK(wlfmt::analysis::diff::compare(
              escaped, log("rank:0:f(duration=9,sub_operations=['duration=1,group=tp,comm_func=its'])\n"))
              .size() == 2);
}

TEST_CASE("every sample is the same as itself, and as itself in another layout") {
    const std::string log = test::data(test::oplog_samples[1]);
    CHECK(wlfmt::analysis::diff::compare(*wlfmt::oplog::read(log), *wlfmt::oplog::read(log)).empty());
    const std::string layers = test::data(test::workload_samples[0]);
    std::string spaced = layers;
    for (char& c : spaced)
        if (c == '\t') c = ' ';
    CHECK(wlfmt::analysis::diff::compare(*wlfmt::workload::read(layers), *wlfmt::workload::read(spaced)).empty());
    const std::string table = test::data(test::table_samples[0]);
    CHECK(wlfmt::analysis::diff::compare(*wlfmt::table::read(table), *wlfmt::table::read(table)).empty());
}
