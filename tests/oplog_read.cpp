// Reading rank op logs: what each member holds, how programs iterate over records, and how a reader goes on.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <wlfmt/oplog.hpp>
#include <wlfmt/oplog/operations.hpp>

#include "oplog_support.hpp"
#include "support.hpp"

namespace oplog = wlfmt::oplog;
using oplog::operation;
using oplog::shape;
using oplog::sub_operation;
using test::difference;
using wlfmt::number;

namespace {

constexpr std::string_view two_sub_operations =
    "rank:7:forward_step(stage_id=1,batch_id=2,mg_state=steady,duration=8.3,description=a, b (c) / d,group_kind=dp,"
    "input__shape=[3, 4],input__dtype=torch.float16,timestamp=3375746596.92,sub_operations=["
    "'trace_src_func=_reduce,duration=0.02,timestamp=4509233031.56,input__shape=[2048, 2],input__dtype=torch.float32,"
    "func_name=crossEntropy_fwd_1,group=tp,comm_func=allreduce', "
    "'trace_src_func=_broadcast,duration=5,timestamp=6,input__shape=[8],input__dtype=torch.int64,group=pp,"
    "comm_func=broadcast'])\n";

std::vector<std::int64_t> walked(const shape& s) {
    std::vector<std::int64_t> dims;
    for (const std::int64_t dim : s) dims.push_back(dim);
    return dims;
}

// The record of a text that holds exactly one record and no problem.
operation only_record(std::string_view text) {
    const auto read = oplog::read(text);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), text, wlfmt::in_file("only_record")));
    REQUIRE(read->operations.size() == 1);
    return read->operations[0];
}

shape shape_of(std::string_view text) { return shape(text); }

}  // namespace

TEST_CASE("every member of a record holds its own value") {
    const auto subs = test::reduce_and_broadcast(5, 6, "pp");
    operation expected;
    expected.rank = 7;
    expected.op = "forward_step";
    expected.stage_id = 1;
    expected.batch_id = 2;
    expected.mg_state = "steady";
    expected.duration = 8.3;
    expected.description = "a, b (c) / d";
    expected.group_kind = "dp";
    expected.input_shape = shape("[3, 4]");
    expected.input_dtype = "torch.float16";
    expected.timestamp = 3375746596.92;
    expected.sub_operations = {subs.data(), subs.size()};

    oplog::reader log(two_sub_operations);
    const operation* op = log.next();
    REQUIRE(op != nullptr);
    CHECK(difference(*op, expected) == "");
    CHECK(op->stage_id.is_integer());
    CHECK(op->duration.is_decimal());
    CHECK(op->attributes.empty());
    CHECK_FALSE(op->spaced);
    CHECK(log.next() == nullptr);
    CHECK(log.ok());
}

TEST_CASE("a record in another order holds the same and keeps the order") {
    const operation op = only_record(
        "rank:1:x(timestamp=9.5,input__dtype=int,input__shape=[1],group_kind=ep,description=d,duration=2.5,"
        "mg_state=help,batch_id=4,stage_id=3)\n");
    CHECK(op.timestamp == number(9.5));
    CHECK(op.input_dtype == "int");
    CHECK(walked(op.input_shape) == std::vector<std::int64_t>{1});
    CHECK(op.group_kind == "ep");
    CHECK(op.description == "d");
    CHECK(op.duration == number(2.5));
    CHECK(op.mg_state == "help");
    CHECK(op.batch_id == number(4));
    CHECK(op.stage_id == number(3));
    CHECK(op.sub_operations.is_missing());
    std::string keys;
    for (const auto& a : op.attributes) keys.append(a.key).append("=").append(a.value).append(";");
    CHECK(keys ==
          "timestamp=9.5;input__dtype=int;input__shape=[1];group_kind=ep;description=d;duration=2.5;mg_state=help;"
          "batch_id=4;stage_id=3;");
    CHECK(op.find("description") == "d");
    CHECK(wlfmt::is_missing(op.find("cmd_uid")));
}

TEST_CASE("the sample files hold the values that were counted in them") {
    SUBCASE("a simulated rank") {
        const std::string text = test::data("oplog_rank7_moe_simulation.txt");
        const auto log = oplog::read(text);
        REQUIRE(log.ok());
        REQUIRE(log->operations.size() == 4);
        const std::string_view ops[] = {"forward_step", "backward_step", "dp_allreduce", "optimizer_step"};
        const std::size_t subs[] = {6, 4, 0, 0};
        std::size_t dims = 0;
        double milliseconds = 0;
        std::size_t named = 0;
        for (std::size_t n = 0; n < 4; ++n) {
            const operation& op = log->operations[n];
            CHECK(op.origin == oplog::origin::rank);
            CHECK(op.rank == 7);
            CHECK(op.op == ops[n]);
            CHECK(op.stage_id == number(1));
            CHECK(op.batch_id == number(0));
            CHECK(wlfmt::is_none(op.mg_state));
            CHECK(op.description == "simulation");
            CHECK(op.sub_operations.size() == subs[n]);
            CHECK(op.sub_operations.empty() == (subs[n] == 0));
            CHECK(op.attributes.empty());
            for (const auto& sub : op.sub_operations) {
                milliseconds += sub.duration.value_or(0.0);
                named += wlfmt::is_missing(sub.func_name) ? 0U : 1U;
                CHECK(sub.group == "exp");
                for (const auto dim : sub.input_shape) dims += static_cast<std::size_t>(dim);
            }
        }
        CHECK(milliseconds == doctest::Approx(0.21));
        CHECK(named == 2);
        CHECK(dims == 41716);
        CHECK(log->operations[1].duration == number(8.0));
        CHECK(log->operations[2].duration == number(0));
        CHECK(log->operations[2].timestamp == number(0));
        CHECK(walked(log->operations[2].input_shape) == std::vector<std::int64_t>{788611072});
        CHECK(log->operations[2].group_kind == "dp");
        CHECK(log->operations[3].timestamp == number(3375746620.21));
    }
    SUBCASE("a measured rank") {
        const std::string text = test::data("oplog_rank7_pipeline_last_stage.txt");
        const auto log = oplog::read(text);
        REQUIRE(log.ok());
        REQUIRE(log->operations.size() == 9);
        const double durations[] = {629.77, 7.5, 604.58, 0.4, 1183.71, 2.9, 24.64, 1274.09, 105.32};
        const double timestamps[] = {4509232423.74, 4509232433.69, 4509233040.71, 4509233042.32, 4509234226.15,
                                     4509234231.5,  4509234258.59, 4509235535.19, 4509235645.35};
        const std::size_t subs[] = {0, 3, 23, 1, 21, 0, 0, 0, 0};
        double milliseconds = 0;
        std::int64_t dims = 0;
        for (std::size_t n = 0; n < 9; ++n) {
            const operation& op = log->operations[n];
            CHECK(op.duration == durations[n]);
            CHECK(op.timestamp == timestamps[n]);
            CHECK(op.sub_operations.size() == subs[n]);
            for (const auto& sub : op.sub_operations) {
                milliseconds += sub.duration.value_or(0.0);
                for (const auto dim : sub.input_shape) dims += dim;
            }
        }
        CHECK(milliseconds == doctest::Approx(278.11));
        CHECK(dims == 390160);
        CHECK(log->operations[3].description == "loss_func, calculate and DP allreduce for the last stage");
        CHECK(log->operations[6].description ==
              "model_chunk.finish_grad_sync(), All-reduce / reduce-scatter across DP replicas");
        CHECK(walked(log->operations[7].input_shape) == std::vector<std::int64_t>{25216, 5120});
    }
}

TEST_CASE("missing, None, empty and text are told apart") {
    const operation op = only_record("rank:0:x(stage_id=None,mg_state=None,description=,input__shape=None)\n");
    CHECK(op.stage_id.is_none());
    CHECK(op.batch_id.is_missing());
    CHECK(wlfmt::is_none(op.mg_state));
    CHECK_FALSE(wlfmt::is_missing(op.mg_state));
    CHECK(op.description.empty());
    CHECK_FALSE(wlfmt::is_missing(op.description));
    CHECK(wlfmt::is_missing(op.group_kind));
    CHECK_FALSE(wlfmt::is_none(op.group_kind));
    CHECK(op.input_shape.is_none());
    CHECK_FALSE(op.input_shape.is_missing());
    CHECK(op.sub_operations.is_missing());
    CHECK_FALSE(op.sub_operations.is_none());
    CHECK(op.sub_operations.empty());

    const operation none = only_record("rank:0:x(sub_operations=None)\n");
    CHECK(none.sub_operations.is_none());
    CHECK_FALSE(none.sub_operations.is_missing());
    CHECK(none.sub_operations.empty());
    CHECK(none.sub_operations.size() == 0);
    CHECK(none.input_shape.is_missing());
    CHECK_FALSE(none.input_shape.is_none());

    const operation empty = only_record("rank:0:x(sub_operations=[])\n");
    CHECK_FALSE(empty.sub_operations.is_none());
    CHECK_FALSE(empty.sub_operations.is_missing());
    CHECK(empty.sub_operations.empty());
}

TEST_CASE("an integer and a decimal of the same value are told apart") {
    const std::string text = test::data("oplog/numbers.txt");
    const auto log = oplog::read(text);
    REQUIRE_MESSAGE(log.ok(), wlfmt::explain(log.error(), text, wlfmt::in_file("numbers.txt")));
    const wlfmt::number expected[][2] = {
        {0, 0.0},
        {-0.0, -3},
        {1e-05, 1.5e+16},
        {std::nan(""), HUGE_VAL},
        {-HUGE_VAL, nullptr},
        {INT64_MAX, INT64_MIN},
        {0.1, 123456789.12345678},
        {8.3, 7},
        {1000.0, 2},
        {0.5, 5.0},
        {4503599627370497.5, 2.2250738585072014e-308},
    };
    REQUIRE(log->operations.size() == std::size(expected));
    for (std::size_t n = 0; n < std::size(expected); ++n) {
        CAPTURE(n);
        CHECK(log->operations[n].duration == expected[n][0]);
        CHECK(log->operations[n].timestamp == expected[n][1]);
    }
    CHECK_FALSE(log->operations[0].duration == log->operations[0].timestamp);
}

TEST_CASE("a dimension is asked for by its position, and one that is not there is missing") {
    const std::int64_t dims[] = {4, 5};
    for (const oplog::shape& s : {oplog::shape("[4, 5]"), oplog::shape(dims, 2), oplog::shape("torch.Size([4, 5])")}) {
        CHECK(s[0] == 4);
        CHECK(s[1] == 5);
        CHECK(s[2].is_missing());
        CHECK(s[static_cast<std::size_t>(-1)].is_missing());
    }
    CHECK(oplog::shape()[0].is_missing());
    CHECK(oplog::shape("None")[0].is_missing());
    CHECK(oplog::shape("[7, x]")[0] == 7);
    CHECK(oplog::shape("[7, x]")[1].is_missing());
}

TEST_CASE("a shape is iterated over as integers where it is a list of them") {
    struct {
        std::string_view text;
        std::vector<std::int64_t> dims;
        bool is_list;
    } const cases[] = {
        {"[]", {}, true},
        {"[8]", {8}, true},
        {"[2048, 2, 5120]", {2048, 2, 5120}, true},
        {"[2,3]", {2, 3}, true},
        {"[ 4 , 5 ]", {4, 5}, true},
        {"[\t6]", {}, false},
        {"torch.Size([6, 7])", {6, 7}, true},
        {"torch.Size([])", {}, true},
        {"[-1, 9223372036854775807]", {-1, INT64_MAX}, true},
        {"[+5, 007]", {5, 7}, true},
        {"[1, 2,]", {1, 2}, false},
        {"[,]", {}, false},
        {"[, 1]", {}, false},
        {"[1,, 2]", {1}, false},
        // The iteration ends at the first item that is not an integer.
        {"[1, x]", {1}, false},
        {"[1.5, 2]", {}, false},
        {"[3, 1e3, 4]", {3}, false},
        {"[1 2]", {}, false},
        {"[7, 8a]", {7}, false},
        {"[[1, 2], [3]]", {}, false},
        {"[2, 9223372036854775808, 3]", {2}, false},
        {"[None]", {}, false},
        // No other text here is a list from its first byte to its last.
        {"", {}, false},
        {"None", {}, false},
        {"[", {}, false},
        {"]", {}, false},
        {"[1, 2", {}, false},
        {"1, 2]", {}, false},
        {"[3, 4]x", {}, false},
        {"(3, 4)", {}, false},
        {"torch.Size([8]", {}, false},
        {"torch.Size(8)", {}, false},
        {"torch.Size(", {}, false},
        {"torch.Size()", {}, false},
        {"Size([8])", {}, false},
        {"[8])", {}, false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const test::exact_buffer text(c.text);
        const shape s(text.view());
        CHECK(walked(s) == c.dims);
        CHECK(s.size() == c.dims.size());
        CHECK(s.is_list() == c.is_list);
        CHECK(s.text() == c.text);
        CHECK(s.dims() == nullptr);
        CHECK(s.is_none() == (c.text == "None"));
        CHECK_FALSE(s.is_missing());
    }

    const std::int64_t dims[] = {5, -6, 7};
    const shape own(dims, 3);
    CHECK(walked(own) == std::vector<std::int64_t>{5, -6, 7});
    CHECK(own.size() == 3);
    CHECK(own.is_list());
    CHECK_FALSE(own.is_missing());
    CHECK_FALSE(own.is_none());
    CHECK(own.dims() == dims);
    CHECK(wlfmt::is_missing(own.text()));
    const shape none_at_all(dims, 0);
    CHECK(none_at_all.is_list());
    CHECK(walked(none_at_all).empty());
    CHECK_FALSE(none_at_all.is_missing());

    const shape missing;
    CHECK(missing.is_missing());
    CHECK_FALSE(missing.is_list());
    CHECK(missing.size() == 0);
    CHECK(walked(missing).empty());
    CHECK(walked(shape_of("[1]")) == std::vector<std::int64_t>{1});
}

TEST_CASE("collectives, groups and states are known words, None or other") {
    using oplog::collective;
    using oplog::collective_of;
    CHECK(collective_of("allreduce") == collective::allreduce);
    CHECK(collective_of("all_to_all") == collective::all_to_all);
    CHECK(collective_of("allgather") == collective::allgather);
    CHECK(collective_of("reduce_scatter") == collective::reduce_scatter);
    CHECK(collective_of("broadcast") == collective::broadcast);
    CHECK(collective_of("None") == collective::none);
    CHECK(collective_of({}) == collective::none);
    CHECK(collective_of("") == collective::other);
    CHECK(collective_of("allreduce ") == collective::other);
    CHECK(collective_of("AllReduceX") == collective::other);

    using oplog::group;
    using oplog::group_of;
    CHECK(group_of("dp") == group::data_parallel);
    CHECK(group_of("tp") == group::tensor_parallel);
    CHECK(group_of("pp") == group::pipeline_parallel);
    CHECK(group_of("ep") == group::embedding);
    CHECK(group_of("exp") == group::expert_parallel);
    CHECK(group_of("ep_dp") == group::embedding_data_parallel);
    CHECK(group_of("exp_dp") == group::expert_data_parallel);
    CHECK(group_of("None") == group::none);
    CHECK(group_of({}) == group::none);
    CHECK(group_of("") == group::other);
    CHECK(group_of("cp") == group::other);

    using oplog::pipeline_state;
    using oplog::pipeline_state_of;
    CHECK(pipeline_state_of("warmup") == pipeline_state::warmup);
    CHECK(pipeline_state_of("steady") == pipeline_state::steady);
    CHECK(pipeline_state_of("cooldown") == pipeline_state::cooldown);
    CHECK(pipeline_state_of("finalize") == pipeline_state::finalize);
    CHECK(pipeline_state_of("help") == pipeline_state::help);
    CHECK(pipeline_state_of("forward") == pipeline_state::forward);
    CHECK(pipeline_state_of("backward") == pipeline_state::backward);
    CHECK(pipeline_state_of("None") == pipeline_state::none);
    CHECK(pipeline_state_of({}) == pipeline_state::none);
    CHECK(pipeline_state_of("") == pipeline_state::other);
    CHECK(pipeline_state_of("steady2") == pipeline_state::other);
}

namespace {

// What decoding only the given fields has to find: the records with every other field left out.
template <oplog::fields Fields> std::vector<std::string> chosen(const oplog::sub_operation_list& list) {
    using oplog::fields;
    std::vector<std::string> found;
    for (const sub_operation& s : list.only<Fields>()) {
        sub_operation kept;
        kept.text = s.text;
        if (has(Fields, fields::trace_src_func)) kept.trace_src_func = s.trace_src_func;
        if (has(Fields, fields::duration)) kept.duration = s.duration;
        if (has(Fields, fields::timestamp)) kept.timestamp = s.timestamp;
        if (has(Fields, fields::input_shape)) kept.input_shape = s.input_shape;
        if (has(Fields, fields::input_dtype)) kept.input_dtype = s.input_dtype;
        if (has(Fields, fields::func_name)) kept.func_name = s.func_name;
        if (has(Fields, fields::group)) kept.group = s.group;
        if (has(Fields, fields::comm_func)) kept.comm_func = s.comm_func;
        operation op;
        op.op = "x";
        op.sub_operations = {&kept, 1};
        found.push_back(test::written(op));
    }
    return found;
}

std::vector<std::string> lists(std::initializer_list<std::string_view> items) {
    std::vector<std::string> all;
    for (const std::string_view item : items) all.push_back("rank:0:x(sub_operations=['" + std::string(item) + "'])\n");
    return all;
}

}  // namespace

TEST_CASE("a walk decodes the fields it is asked for") {
    using oplog::fields;
    // The tracer's own order, without func_name, another order with a further key, and no key=value at all.
    const std::string text =
        "rank:0:x(sub_operations=['trace_src_func=a,duration=1,timestamp=2,input__shape=[3],input__dtype=b,func_name=c,"
        "group=d,comm_func=e', 'trace_src_func=f,duration=4,timestamp=5,input__shape=[6],input__dtype=g,group=h,"
        "comm_func=i', 'comm_func=j,group=k,further=l,duration=7,timestamp=8', 'sentence'])\n";
    const operation op = only_record(text);
    const auto& list = op.sub_operations;
    CHECK(list.size() == 4);
    CHECK(list.only<fields::none>().size() == 4);

    CHECK(chosen<fields::trace_src_func>(list) == lists({"trace_src_func=a", "trace_src_func=f", "", "sentence"}));
    CHECK(chosen<fields::duration>(list) == lists({"duration=1", "duration=4", "duration=7", "sentence"}));
    CHECK(chosen<fields::timestamp>(list) == lists({"timestamp=2", "timestamp=5", "timestamp=8", "sentence"}));
    CHECK(chosen<fields::input_shape>(list) == lists({"input__shape=[3]", "input__shape=[6]", "", "sentence"}));
    CHECK(chosen<fields::input_dtype>(list) == lists({"input__dtype=b", "input__dtype=g", "", "sentence"}));
    CHECK(chosen<fields::func_name>(list) == lists({"func_name=c", "", "", "sentence"}));
    CHECK(chosen<fields::group>(list) == lists({"group=d", "group=h", "group=k", "sentence"}));
    CHECK(chosen<fields::comm_func>(list) == lists({"comm_func=e", "comm_func=i", "comm_func=j", "sentence"}));
    CHECK(chosen<fields::duration | fields::comm_func>(list) ==
          lists({"duration=1,comm_func=e", "duration=4,comm_func=i", "duration=7,comm_func=j", "sentence"}));
    CHECK(chosen<fields::none>(list) == lists({"", "", "", "sentence"}));
    CHECK(list.only<fields::all>().size() == 4);

    // An array of the caller's own is handed out whole, whichever fields are asked for.
    const auto subs = test::reduce_and_broadcast(5, 6, "pp");
    const oplog::sub_operation_list own(subs.data(), subs.size());
    std::size_t n = 0;
    for (const sub_operation& s : own.only<fields::none>()) CHECK(difference(s, subs[n++]) == "");
    CHECK(n == 2);
    CHECK(own.only<fields::none>().size() == 2);
}

TEST_CASE("a selection finds a comm_func of any length") {
    for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 40u, 300u}) {
        const std::string name(size, 'c');
        const std::string line =
            "rank:0:f(sub_operations=['trace_src_func=g,duration=0.5,timestamp=1.0,input__shape=[2],"
            "input__dtype=x,group=tp,comm_func=" +
            name + "'])\n";
        oplog::reader log(line);
        const operation* op = log.next();
        REQUIRE(op != nullptr);
        for (const auto& s : op->sub_operations.only<oplog::fields::duration | oplog::fields::comm_func>()) {
            CHECK(s.duration == 0.5);
            CHECK(s.comm_func == name);
        }
    }
}

TEST_CASE("a walk does not check what it does not decode") {
    using oplog::fields;
    // The same bad number in the tracer's own order, and in a string with a further key.
    for (const std::string_view sub :
         {"trace_src_func=a,duration=soon,timestamp=2,input__shape=[3],input__dtype=b,group=d,comm_func=e",
          "further=1,duration=soon,comm_func=e", "comm_func=e,timestamp=soon,func_name=n"}) {
        const std::string text = "rank:0:x(stage_id=1,sub_operations=['" + std::string(sub) + "'])\n";
        CAPTURE(text);
        oplog::reader log(text);
        const operation* op = log.next();
        REQUIRE(op != nullptr);
        std::size_t n = 0;
        for (const auto& s : op->sub_operations.only<fields::comm_func>()) {
            CHECK(s.comm_func == "e");
            ++n;
        }
        CHECK(n == 1);
        CHECK(op->sub_operations.only<fields::none>().size() == 1);
        CHECK(log.ok());
        for (const auto& s : op->sub_operations)
            CHECK((s.duration.is_text() ? s.duration.text() : s.timestamp.text()) == "soon");
        CHECK(log.error().kind == wlfmt::error_kind::not_a_number);
        CHECK(log.error().offset == text.find("soon"));
    }
}

TEST_CASE("a walk of few fields finds what a walk of all finds") {
    using oplog::fields;
    // Strings on which a shortcut that expects the tracer's own order might fail.
    for (const std::string_view sub :
         {"'trace_src_func=a,duration=1,timestamp=2,input__shape=[3],input__dtype=b,func_name=c,group=d,comm_func=e'",
          "'trace_src_func=a,duration=1,comm_func=e'",
          "'trace_src_func=a,duration=1,comm_func=e,group=d'",
          "'trace_src_func=a,duration=1,comm_func=e,f'",
          "'trace_src_func=a,duration=1,comm_func=e=f'",
          "'trace_src_func=a,duration=1,xcomm_func=e'",
          "'trace_src_func=a, duration=1, comm_func=e'",
          "'trace_src_func=a,duration=1,func_name=it\\'s,comm_func=e'",
          "'trace_src_func=a,duration=1,comm_func=e\\\\'",
          "'trace_src_func=a,duration=1,comm_func=it\\'s'",
          "'trace_src_func=a,duration=1,x=\\\\,comm_func=e'",
          "\"trace_src_func=a,duration=1,func_name=it's,comm_func=e\"",
          "\"trace_src_func=it's,duration=1,comm_func='e'\"",
          "'trace_src_func=a,duration=1,timestamp=2'",
          "'trace_src_func=a,duration=1,comm_func='",
          "'trace_src_func=a,duration=None,comm_func=None'",
          "'trace_src_func=a\\\\,duration=1,comm_func=e'",
          "'trace_src_func=a,b,duration=1,comm_func=e'",
          "'trace_src_func=,duration=1,comm_func=e'",
          "'trace_src_func=a,duration=1'",
          "'comm_func=e,duration=1'",
          "'trace_src_func=a'",
          "'a'",
          "''"}) {
        CAPTURE(sub);
        const std::string text = "rank:0:x(sub_operations=[" + std::string(sub) + ", 'trace_src_func=z'])\n";
        const operation op = only_record(text);
        sub_operation all = *op.sub_operations.begin();
        const auto compare = [&](const auto& list, auto member) {
            CHECK(list.size() == 2);
            CHECK((*list.begin()).*member == all.*member);
            CHECK((*list.begin()).is_text() == all.is_text());
        };
        compare(op.sub_operations.only<fields::comm_func>(), &sub_operation::comm_func);
        compare(op.sub_operations.only<fields::trace_src_func>(), &sub_operation::trace_src_func);
        compare(op.sub_operations.only<fields::trace_src_func | fields::comm_func>(), &sub_operation::comm_func);
        compare(op.sub_operations.only<fields::duration | fields::comm_func>(), &sub_operation::comm_func);
        compare(op.sub_operations.only<fields::group | fields::comm_func>(), &sub_operation::comm_func);
        compare(op.sub_operations.only<fields::func_name>(), &sub_operation::func_name);
        const auto durations = op.sub_operations.only<fields::duration>();
        CHECK((*durations.begin()).duration == all.duration);
        CHECK(op.sub_operations.only<fields::none>().size() == 2);
    }
}

TEST_CASE("a list of nested operations may be iterated over any number of times") {
    oplog::reader log(two_sub_operations);
    const operation* op = log.next();
    REQUIRE(op != nullptr);
    const auto subs = test::reduce_and_broadcast(5, 6, "pp");
    for (int pass = 0; pass < 3; ++pass) {
        std::size_t n = 0;
        for (const auto& sub : op->sub_operations) {
            REQUIRE(n < 2);
            CHECK(difference(sub, subs[n++]) == "");
        }
        CHECK(n == 2);
    }
    auto i = op->sub_operations.begin();
    CHECK(i->trace_src_func == "_reduce");
    ++i;
    CHECK(i != op->sub_operations.end());
    CHECK((*i).trace_src_func == "_broadcast");
    ++i;
    CHECK(i == op->sub_operations.end());
    CHECK(op->sub_operations.text().front() == '\'');
    CHECK(op->sub_operations.text().back() == '\'');
    CHECK(log.next() == nullptr);
    CHECK(log.ok());
}

TEST_CASE("no value of a record is left over in the next one") {
    const std::string full(two_sub_operations);
    const std::string odd = "stage:3:odd(cmd_uid=1, mg_state=help, sub_operations=['x=1', 'func_name=a\\\\b'])\n";
    const std::string text = full + odd + full + "rank:1:nothing()\n" + full + "rank:2:bad(stage_id=x)\n" + full + odd;
    const test::reading got = test::read_on(text);
    const operation first = only_record(full);
    const operation second = only_record(odd);
    REQUIRE(got.records.size() == 7);
    CHECK(difference(got.records[0], first) == "");
    CHECK(difference(got.records[1], second) == "");
    CHECK(difference(got.records[2], first) == "");
    operation nothing;
    nothing.rank = 1;
    nothing.op = "nothing";
    CHECK(difference(got.records[3], nothing) == "");
    CHECK(difference(got.records[4], first) == "");
    CHECK(difference(got.records[5], first) == "");
    CHECK(difference(got.records[6], second) == "");

    // The same within a list: a string does not inherit func_name, further keys, text or escapes from the one before
    // it.
    const operation mixed = only_record(
        "rank:0:x(sub_operations=['trace_src_func=a,duration=1,timestamp=2,input__shape=[3],input__dtype=b,func_name=c,"
        "group=d,comm_func=e', 'k\\\\=1', 'z=1,func_name=\\\\', 'text', 'trace_src_func=f,duration=4,timestamp=5,"
        "input__shape=[6],input__dtype=g,group=h,comm_func=i'])\n");
    std::vector<sub_operation> subs;
    for (const auto& sub : mixed.sub_operations) subs.push_back(sub);
    REQUIRE(subs.size() == 5);
    CHECK(subs[0].func_name == "c");
    CHECK(subs[1].is_text());
    CHECK(subs[1].quote == '\'');
    CHECK(wlfmt::is_missing(subs[1].func_name));
    CHECK_FALSE(subs[2].is_text());
    CHECK_FALSE(subs[2].attributes.empty());
    CHECK(subs[3].text == "text");
    CHECK(subs[3].quote == 0);
    CHECK(subs[3].attributes.empty());
    CHECK_FALSE(subs[4].is_text());
    CHECK(wlfmt::is_missing(subs[4].func_name));
    CHECK(subs[4].attributes.empty());
    CHECK(subs[4].quote == 0);
}

TEST_CASE("foreign text is passed over and counted, or an error") {
    const std::string text = test::data("oplog/console.txt");
    oplog::reader log(text);
    std::vector<std::string> ops;
    while (const operation* op = log.next()) ops.emplace_back(op->op);
    CHECK(log.ok());
    CHECK(ops == std::vector<std::string>{"forward_step", "optimizer_step"});
    CHECK(log.foreign_lines() == 5);
    CHECK(log.tolerated() == 0);

    wlfmt::options strict;
    strict.strict = true;
    const test::reading got = test::read_on(text, strict);
    CHECK(got.records.size() == 2);
    REQUIRE(got.errors.size() == 5);
    CHECK(got.foreign_lines == 5);
    for (const auto& e : got.errors) CHECK(e.kind == wlfmt::error_kind::foreign_text);
    CHECK(got.errors[0].offset == 0);
    CHECK(got.errors[0].length == 38);
    const wlfmt::problem& last = got.errors.back();
    CHECK(text.substr(static_cast<std::size_t>(last.offset), static_cast<std::size_t>(last.length)) ==
          "rank:0: trace log has been written to txt...");

    strict.lenient = true;
    const test::reading tolerant = test::read_on(text, strict);
    CHECK(tolerant.records.size() == 2);
    CHECK(tolerant.tolerated == 5);
    CHECK(tolerant.errors.size() == 5);
}

TEST_CASE("a line is a record if it begins with the head of one") {
    for (const std::string_view line : {"",
                                        " ",
                                        "rank",
                                        "rank:",
                                        "rank:1",
                                        "rank:1:",
                                        "rank:1:x",
                                        "rank::x(",
                                        "rank:1::(",
                                        "rank:1:(",
                                        "rank:-1:x()",
                                        "rank: 1:x()",
                                        "rank:1: x()",
                                        "Rank:1:x()",
                                        " rank:1:x()",
                                        "stages:1:x()",
                                        "stage:",
                                        "stage:1",
                                        "stage:x:y()",
                                        "rank:1a:x()",
                                        "\xEF\xBB\xBFrank:1:x()"}) {
        CAPTURE(line);
        const std::string text = "rank:0:first()\n" + std::string(line) + "\nrank:0:last()";
        const test::exact_buffer exact(text);
        const test::reading got = test::read_on(exact.view());
        CHECK(got.errors.empty());
        REQUIRE(got.records.size() == 2);
        CHECK(got.records[1].op == "last");
        CHECK(got.foreign_lines == (line.find_first_not_of(' ') == std::string_view::npos ? 0U : 1U));
    }
    CHECK(only_record("rank:1:_x9()").op == "_x9");
    CHECK(only_record("stage:0:Y()").origin == oplog::origin::stage);
    CHECK(only_record("rank:9223372036854775807:x()").rank == INT64_MAX);
    CHECK(only_record("rank:007:x()").rank == 7);
}

TEST_CASE("a text without records is an error that skip() keeps") {
    for (const std::string_view text : {"", "\n", "some text", "some text\n", "\xEF\xBB\xBF", "\r\n \t\n"}) {
        CAPTURE(text);
        for (const bool lenient : {false, true}) {
            wlfmt::options how;
            how.lenient = lenient;
            oplog::reader log(text, how);
            CHECK(log.next() == nullptr);
            CHECK_FALSE(log.ok());
            CHECK(log.error().kind == wlfmt::error_kind::no_records);
            CHECK(log.error().offset == text.size());
            CHECK(log.error().length == 0);
            CHECK(log.error().field == "rank op-log record");
            CHECK(log.next() == nullptr);
            CHECK_FALSE(log.skip());
            CHECK_FALSE(log.ok());
            CHECK(log.error().kind == wlfmt::error_kind::no_records);
            CHECK(log.next() == nullptr);
            CHECK_FALSE(log.skip());
        }
    }
    oplog::reader nothing{std::string_view()};
    CHECK(nothing.offset() == 0);
    CHECK(nothing.next() == nullptr);
    CHECK(nothing.error().kind == wlfmt::error_kind::no_records);
    CHECK(nothing.offset() == 0);
    CHECK(oplog::read(std::string_view()).error().kind == wlfmt::error_kind::no_records);
}

TEST_CASE("an error stops the reader until it is skipped") {
    const std::string first = "rank:0:first(stage_id=1)\n";
    const std::string bad = "rank:0:bad(stage_id=x)\n";
    const std::string text = first + bad + bad + "rank:0:last(stage_id=2)\n";
    oplog::reader log(text);
    REQUIRE(log.next() != nullptr);
    CHECK(log.offset() == first.size());
    CHECK_FALSE(log.skip());
    CHECK(log.next() == nullptr);
    CHECK_FALSE(log.ok());
    CHECK(log.error().offset == first.size() + 20);
    CHECK(log.offset() == first.size() + bad.size());
    CHECK(log.next() == nullptr);
    CHECK(log.skip());
    CHECK(log.ok());
    CHECK(log.next() == nullptr);
    CHECK(log.error().offset == first.size() + bad.size() + 20);
    CHECK(log.skip());
    const operation* last = log.next();
    REQUIRE(last != nullptr);
    CHECK(last->op == "last");
    CHECK(log.offset() == text.size());
    CHECK(log.next() == nullptr);
    CHECK(log.ok());
    CHECK_FALSE(log.skip());

    // After an error in the last line there is nothing to go on with: the error stays, and a loop over skip() ends with
    // it.
    oplog::reader at_the_end(bad);
    CHECK(at_the_end.next() == nullptr);
    CHECK_FALSE(at_the_end.skip());
    CHECK_FALSE(at_the_end.ok());
    CHECK(at_the_end.error().offset == 20);
    CHECK(at_the_end.next() == nullptr);
    CHECK_FALSE(at_the_end.ok());

    const auto document = oplog::read(text);
    CHECK_FALSE(document.ok());
    CHECK(document.error().offset == first.size() + 20);
    REQUIRE(document->operations.size() == 1);
    CHECK(document->operations[0].op == "first");
}

TEST_CASE("a walk reports its first problem to the reader and goes on") {
    const std::string text =
        "rank:0:first(sub_operations=['a=1', 'b=2', 'duration=x', 'c=3', 'timestamp=y'])\n"
        "rank:0:last(sub_operations=['d=4'])\n";
    oplog::reader log(text);
    const operation* op = log.next();
    REQUIRE(op != nullptr);
    CHECK(log.ok());
    std::size_t n = 0;
    for (const auto& sub : op->sub_operations) n += sub.attributes.empty() ? 0U : 1U;
    CHECK(n == 3);
    CHECK_FALSE(log.ok());
    CHECK(log.error().kind == wlfmt::error_kind::not_a_number);
    CHECK(log.error().field == "sub_operations.duration");
    CHECK(log.error().offset == text.find("x'"));
    CHECK(log.next() == nullptr);
    CHECK(log.skip());
    op = log.next();
    REQUIRE(op != nullptr);
    CHECK(op->op == "last");
    CHECK(op->sub_operations.size() == 1);
    CHECK(log.ok());

    // Reading a document reads every list, so that this record is not among those before the error.
    const auto document = oplog::read(text);
    CHECK_FALSE(document.ok());
    CHECK(document.error().kind == wlfmt::error_kind::not_a_number);
    CHECK(document->operations.empty());
}

TEST_CASE("a lenient reader keeps what can be read and reports the rest") {
    const std::string text =
        "rank:0:a(stage_id=1.5,batch_id=x,duration=soon,timestamp=1e999,description=d)\n"
        "rank:0:b(stage_id=1,stage_id=2,mg_state=s,stage=t)\n"
        "rank:0:c(stage_id1,batch_id=3,mg_state=help)\n"
        "rank:0:d(stage_id=4,sub_operations=['x=1', 'duration=?', oops, 'y=2'])\n"
        "rank:0:e(stage_id=5,sub_operations=['x=1']) took 8 ms\n"
        "rank:0:f(cmd_uid=c,stage_id=6,sub_operations=['x=1']) (took 8 ms)\n"
        "rank:0:g(stage_id=7\n"
        "rank:0:h(stage_id=8)\n"
        "rank:99999999999999999999:i(stage_id=9)\n"
        "rank:0:j(sub_operations=['p=\\x1', 'p=1,p=2,group=a,group=b'])\n";
    wlfmt::options how;
    how.lenient = true;
    const test::reading got = test::read_on(text, how);
    std::string codes;
    for (const auto& e : got.errors) codes.append(name_of(e.kind)).append(":").append(e.field).append(" ");
    CHECK(codes ==
          "not_an_integer:stage_id not_an_integer:batch_id not_a_number:duration number_overflow:timestamp "
          "duplicate_key:stage_id duplicate_key:stage "
          "key_expected: "
          "not_a_number:sub_operations.duration bad_list:sub_operations "
          "text_after_record: text_after_record: "
          "unterminated_record: "
          "number_overflow:rank "
          "bad_escape:sub_operations duplicate_key:group ");
    CHECK(got.tolerated == got.errors.size());
    for (std::size_t n = 1; n < got.errors.size(); ++n) CHECK(got.errors[n - 1].offset < got.errors[n].offset);

    REQUIRE(got.records.size() == 8);
    const auto& a = got.records[0];
    CHECK(a.stage_id == number(1.5));
    CHECK(a.batch_id == number(std::string_view("x")));
    CHECK(a.duration == number(std::string_view("soon")));
    CHECK(a.timestamp == number(std::string_view("1e999")));
    CHECK(a.description == "d");
    // Of a key that is given twice, the first value is the record's and the second is a further attribute.
    const auto& b = got.records[1];
    CHECK(b.stage_id == number(1));
    CHECK(b.mg_state == "s");
    CHECK(test::written(b) == "rank:0:b(stage_id=1,stage_id=2,mg_state=s,stage=t)\n");
    // Text that is not key=value is passed over, and the rest of the record is read.
    const auto& c = got.records[2];
    CHECK(c.stage_id.is_missing());
    CHECK(c.batch_id == number(3));
    CHECK(c.mg_state == "help");
    const auto& d = got.records[3];
    REQUIRE(d.sub_operations.size() == 3);
    auto sub = d.sub_operations.begin();
    CHECK((++sub)->duration == number(std::string_view("?")));
    CHECK_FALSE(sub->damaged);
    CHECK((++sub)->damaged);
    CHECK(sub->text == "oops, 'y=2'");
    CHECK(test::written(got.records[4]) == "rank:0:e(stage_id=5,sub_operations=['x=1'])\n");
    const auto& f = got.records[5];
    CHECK(f.op == "f");
    CHECK(f.find("cmd_uid") == "c");
    CHECK(got.records[6].op == "h");
    CHECK(test::written(got.records[7]) == "rank:0:j(sub_operations=['p=\\x1', 'p=1,p=2,group=a,group=b'])\n");

    // The same as a document; without a callback the problems are counted all the same.
    const auto document = oplog::read(text, how);
    CHECK(document.ok());
    CHECK(difference(document->operations, got.records) == "");
    oplog::reader log(text, how);
    while (log.next() != nullptr) continue;
    CHECK(log.ok());
    CHECK(log.tolerated() == got.errors.size());
}

TEST_CASE("a lenient reader passes over what comes before the first key") {
    wlfmt::options how;
    how.lenient = true;
    const auto says = [&](std::string_view body) {
        const std::string text = "rank:0:x(" + std::string(body) + ")\n";
        const auto log = oplog::read(text, how);
        REQUIRE(log->operations.size() == 1);
        const std::string line = test::written(*log);
        return line.substr(9, line.size() - 11);
    };
    CHECK(says("stage_id1,batch_id=2,mg_state=s") == "batch_id=2,mg_state=s");
    CHECK(says(",batch_id=2,k=v") == "batch_id=2,k=v");
    CHECK(says("junk, more, batch_id=2, k=v") == "batch_id=2, k=v");
    CHECK(says("junk") == "");
    CHECK(says("it's [1] junk,a=1") == "a=1");
    // Inside a list of strings there is no telling where the next record might begin.
    CHECK(says("sub_operations:['a=1,b=2', 'c']") == "");
    CHECK(says("[\"a=1,b=2\"],c=3") == "");
}

TEST_CASE("a document keeps no tie to the reader that made it") {
    wlfmt::options how;
    how.lenient = true;
    std::size_t problems = 0;
    how.on_problem = [&](const wlfmt::problem&) { ++problems; };
    const auto document = oplog::read("rank:0:x(sub_operations=['a=1', oops])\n", how);
    REQUIRE(document.ok());
    CHECK(problems == 1);
    std::size_t n = 0;
    for (const auto& sub : document->operations[0].sub_operations) n += sub.damaged ? 10U : 1U;
    CHECK(n == 11);
    CHECK(problems == 1);
}

TEST_CASE("the size of a list comes from a walk, which reports what is wrong in the list") {
    const std::string text = "rank:0:x(sub_operations=['a=1', 'duration=soon'])\n";
    oplog::reader log(text);
    const operation* op = log.next();
    REQUIRE(op != nullptr);
    CHECK(op->sub_operations.size() == 2);
    CHECK(log.error().offset == text.find("soon"));
}

TEST_CASE("a record is cheap to copy, and a reader is not copied") {
    CHECK(std::is_nothrow_move_constructible_v<operation>);
    CHECK(std::is_nothrow_move_assignable_v<operation>);
    CHECK(std::is_nothrow_move_constructible_v<sub_operation>);
    CHECK_FALSE(std::is_copy_constructible_v<oplog::reader>);
    CHECK_FALSE(std::is_copy_assignable_v<oplog::reader>);
    CHECK_FALSE(std::is_constructible_v<oplog::reader, std::string>);
    CHECK(std::is_constructible_v<oplog::reader, std::string&>);
    CHECK(std::is_nothrow_constructible_v<oplog::reader, std::string_view>);
}

TEST_CASE("a list that becomes unreadable ends with its rest as one item, in the reader's record and in every copy") {
    const struct {
        std::string_view list;
        std::vector<std::string_view> texts;
        wlfmt::error_kind kind;
        std::string_view guilty;
    } cases[] = {
        {"'a', oops, 'b'", {"a", "oops, 'b'"}, wlfmt::error_kind::bad_list, "oops"},
        {"'c' 'd', 'e'", {"c", "'d', 'e'"}, wlfmt::error_kind::bad_list, "'d"},
        {"'f', \"g'", {"f", "\"g'"}, wlfmt::error_kind::unterminated_string, "\"g'"},
        {"x, 'h'", {"x, 'h'"}, wlfmt::error_kind::bad_list, "x"},
        {"'i',, 'j'", {"i", ", 'j'"}, wlfmt::error_kind::bad_list, ", "},
    };
    for (const auto& c : cases) {
        CAPTURE(c.list);
        const std::string text = "rank:0:x(sub_operations=[" + std::string(c.list) + "])\nrank:0:y(stage_id=1)\n";
        const auto walked = [](const oplog::sub_operation_list& list) {
            std::vector<std::string_view> texts;
            std::size_t damaged = 0;
            for (const sub_operation& s : list) {
                CHECK(s.is_text());
                damaged += s.damaged ? 1U : 0U;
                texts.push_back(s.text);
            }
            CHECK(damaged == 1);
            CHECK(list.size() == texts.size());
            return texts;
        };
        oplog::reader log(text);
        const operation* op = log.next();
        REQUIRE(op != nullptr);
        const operation copy = *op;
        CHECK(walked(copy.sub_operations) == c.texts);
        CHECK(log.ok());
        CHECK(problem_of(copy).field == "sub_operations");
        std::string out;
        CHECK(write(out, copy).kind == wlfmt::error_kind::unwritable);
        CHECK(out.empty());

        CHECK(walked(op->sub_operations) == c.texts);
        CHECK(log.error().kind == c.kind);
        CHECK(text.substr(static_cast<std::size_t>(log.error().offset), static_cast<std::size_t>(log.error().length)) ==
              c.guilty);
        CHECK(log.skip());
        op = log.next();
        REQUIRE(op != nullptr);
        CHECK(op->op == "y");
        // A copy of an earlier record reports nothing to a reader that has gone on.
        CHECK(walked(copy.sub_operations) == c.texts);
        CHECK(log.ok());
    }
}

TEST_CASE("a malformed nested operation is marked as such, and the strings after it are handed out") {
    const std::string text =
        "rank:0:x(sub_operations=['duration=soon,timestamp=1e999', 'group=a,group=b', 'p=\\x1', 'comm_func=c'])\n";
    oplog::reader log(text);
    const operation op = *log.next();
    std::vector<sub_operation> subs;
    for (const auto& s : op.sub_operations) subs.push_back(s);
    REQUIRE(subs.size() == 4);
    CHECK(subs[0].duration == number(std::string_view("soon")));
    CHECK(subs[0].timestamp == number(std::string_view("1e999")));
    CHECK(subs[1].group == "a");
    std::string attributes;
    for (const auto& a : subs[1].attributes) attributes.append(a.key).append("=").append(a.value) += ';';
    CHECK(attributes == "group=a;group=b;");
    CHECK(subs[2].find("p") == "\\x1");
    CHECK(subs[3].comm_func == "c");
    CHECK(log.ok());
    CHECK(problem_of(op).field == "duration");
    CHECK(problem_of(subs[1]).field == "group");
    CHECK(problem_of(subs[2]).field == "p");
    CHECK_FALSE(problem_of(subs[3]));
}

TEST_CASE("a lenient reader reports each problem once, before it hands out the record") {
    wlfmt::options how;
    how.lenient = true;
    std::vector<wlfmt::problem> told;
    how.on_problem = [&](const wlfmt::problem& e) { told.push_back(e); };
    const std::string text = "rank:0:x(stage_id=a,sub_operations=['duration=b', 'timestamp=c', d])\n";
    oplog::reader log(text, how);
    const operation* op = log.next();
    REQUIRE(op != nullptr);
    std::string fields;
    for (const auto& e : told) fields.append(e.field) += ' ';
    CHECK(fields == "stage_id sub_operations.duration sub_operations.timestamp sub_operations ");
    CHECK(log.tolerated() == 4);
    const operation copy = *op;
    for (int n = 0; n < 2; ++n) {
        for (const auto& s : op->sub_operations) CHECK_FALSE(s.source.empty());
        CHECK(op->sub_operations.size() == 3);
        CHECK(op->sub_operations.only<oplog::fields::duration>().size() == 3);
        CHECK(problem_of(*op));
        std::string out;
        CHECK(write(out, copy));
    }
    CHECK(told.size() == 4);
    CHECK(log.tolerated() == 4);
    CHECK(log.next() == nullptr);
    CHECK(log.ok());
}

TEST_CASE("several walks of a record report to its reader once, and the first problem counts") {
    const std::string text = "rank:0:x(sub_operations=['duration=b', 'timestamp=c'])\nrank:0:y()\n";
    oplog::reader log(text);
    const operation* op = log.next();
    REQUIRE(op != nullptr);
    for (int n = 0; n < 3; ++n) {
        std::size_t subs = 0;
        for (const auto& s : op->sub_operations) subs += s.is_text() ? 10U : 1U;
        CHECK(subs == 2);
        CHECK(log.error().field == "sub_operations.duration");
        CHECK(log.error().offset == text.find("b'"));
        CHECK(log.tolerated() == 0);
    }
    // An iterator over the previous record reports nothing to the reader.
    CHECK(log.skip());
    auto at = op->sub_operations.begin();
    CHECK(log.error().field == "sub_operations.duration");
    CHECK(log.skip());
    REQUIRE(log.next() != nullptr);
    ++at;
    CHECK(at->timestamp == number(std::string_view("c")));
    CHECK(log.ok());
}

TEST_CASE("the sentence for an operation that was not measured is neither an error nor a number") {
    const operation op = only_record(
        "rank:0:x(duration=Async operation, duration not measured,timestamp=12.5,"
        "sub_operations=['duration=Async operation, duration not measured,comm_func=allreduce'])\n");
    const sub_operation sub = *op.sub_operations.begin();
    double ms = 0;
    for (const number& n : {op.duration, sub.duration}) {
        CHECK(n.is_text());
        CHECK_FALSE(n.is_missing());
        CHECK_FALSE(n.has_value());
        CHECK(n.text() == "Async operation, duration not measured");
        CHECK_FALSE(n.as<double>());
        CHECK(n.value_or(-1.0) == -1);
        ms += n.value_or(0.0);
    }
    CHECK(ms == 0);
    CHECK(op.timestamp.value_or(0.0) == 12.5);
    CHECK(sub.comm_func == "allreduce");
}

TEST_CASE("find() finds every key of a plain record and of any other") {
    const std::string other(
        "rank:7:forward_step(further=f,stage_id=1,batch_id=2,mg_state=steady,duration=8.3,description=a, b (c) / d,"
        "group_kind=dp,input__shape=[3, 4],input__dtype=torch.float16,timestamp=3375746596.92,sub_operations=["
        "'further=g,trace_src_func=_reduce,duration=0.02,timestamp=4509233031.56,input__shape=[2048, 2],"
        "input__dtype=torch.float32,func_name=crossEntropy_fwd_1,group=tp,comm_func=allreduce'])\n");
    for (const std::string_view text : {two_sub_operations, std::string_view(other)}) {
        const operation op = only_record(text);
        CHECK(op.find("stage_id").as<int>() == 1);
        CHECK(op.find("batch_id").as<unsigned char>() == 2);
        CHECK(op.find("mg_state") == "steady");
        CHECK(op.find("duration").number() == number(8.3));
        CHECK(op.find("description") == "a, b (c) / d");
        CHECK(op.find("group_kind") == "dp");
        CHECK(op.find("input__shape") == "[3, 4]");
        CHECK(op.find("input__dtype") == "torch.float16");
        CHECK(op.find("timestamp").value_or(0.0) == 3375746596.92);
        CHECK(op.find("sub_operations") == op.sub_operations.text());
        const sub_operation sub = *op.sub_operations.begin();
        CHECK(sub.find("trace_src_func") == "_reduce");
        CHECK(sub.find("duration").value_or(0.0) == 0.02);
        CHECK(sub.find("timestamp").number() == number(4509233031.56));
        CHECK(sub.find("input__shape") == "[2048, 2]");
        CHECK(sub.find("input__dtype") == "torch.float32");
        CHECK(sub.find("func_name") == "crossEntropy_fwd_1");
        CHECK(sub.find("group") == "tp");
        CHECK(sub.find("comm_func") == "allreduce");
        const bool plain = text == two_sub_operations;
        CHECK(op.find("further").text() == (plain ? "" : "f"));
        CHECK(sub.find("further").text() == (plain ? "" : "g"));
        for (const std::string_view nothing : {"input_shape", "cmd_uid", ""}) {
            CHECK(op.find(nothing).is_missing());
            CHECK_FALSE(op.find(nothing));
            CHECK(op.find(nothing).number().is_missing());
            CHECK(op.find(nothing).value_or(-7.0) == -7);
            CHECK(op.find(nothing) != "");
            CHECK(wlfmt::is_missing(sub.find(nothing)));
        }
    }
}

TEST_CASE("find() reads further keys as numbers, tells None from missing, and sees what was assigned") {
    operation op = only_record("rank:0:x(bytes=2621440.0,uid=a-1,peer=None,note=,peer=3,duration=None)\n");
    CHECK(op.find("bytes").as<std::int64_t>() == 2621440);
    CHECK(op.find("uid").number().is_text());
    CHECK(op.find("peer").is_none());
    CHECK_FALSE(op.find("peer").is_missing());
    CHECK(op.find("note") == "");
    CHECK_FALSE(op.find("note").is_missing());
    CHECK(op.find("duration").is_none());
    op.duration = 4;
    op.mg_state = "help";
    CHECK(op.find("duration").number() == number(4));
    CHECK(op.find("mg_state") == "help");
    CHECK(op.find("stage") == "help");
    const std::int64_t dims[] = {5};
    op.input_shape = {dims, 1};
    CHECK_FALSE(op.find("input__shape").is_missing());
    CHECK(op.find("sub_operations").is_missing());
    op.sub_operations.edit();
    CHECK_FALSE(op.find("sub_operations").is_missing());
}

TEST_CASE("where() gives every field as it is written in the text") {
    const std::string text = "console\n" + std::string(two_sub_operations) +
                             "stage:4:y(time_stamp=1.50, cmd_uid=c, stage=help, sub_operations=None)\n";
    const auto log = oplog::read(text);
    REQUIRE(log.ok());
    REQUIRE(log->operations.size() == 2);
    const operation& op = log->operations[0];
    CHECK(op.source == two_sub_operations.substr(0, two_sub_operations.size() - 1));
    CHECK(op.source.data() == text.data() + 8);
    const auto at = [&](std::string_view place, std::string_view expected, std::string_view before) {
        CAPTURE(expected);
        CHECK(place == expected);
        REQUIRE(place.data() != nullptr);
        CHECK(place.data() == text.data() + text.find(before) + before.size());
    };
    at(where(op, "rank"), "7", "rank:");
    at(where(op, "op"), "forward_step", "rank:7:");
    at(where(op, "stage_id"), "1", "stage_id=");
    at(where(op, "batch_id"), "2", "batch_id=");
    at(where(op, "mg_state"), "steady", "mg_state=");
    at(where(op, "duration"), "8.3", "steady,duration=");
    at(where(op, "description"), "a, b (c) / d", "description=");
    at(where(op, "group_kind"), "dp", "group_kind=");
    at(where(op, "input__shape"), "[3, 4]", "dp,input__shape=");
    at(where(op, "input__dtype"), "torch.float16", "[3, 4],input__dtype=");
    at(where(op, "timestamp"), "3375746596.92", "float16,timestamp=");
    const std::string_view list = where(op, "sub_operations");
    CHECK(list.data() + 1 == op.sub_operations.text().data());
    CHECK(list.size() == op.sub_operations.text().size() + 2);
    CHECK(wlfmt::is_missing(where(op, "cmd_uid")));
    CHECK(wlfmt::is_missing(where(op, "")));
    CHECK(wlfmt::is_missing(where(op, "stage")) == false);  // the other name of mg_state

    const sub_operation sub = *op.sub_operations.begin();
    at(sub.source.substr(0, 8), "trace_sr", "['");
    at(where(sub, "trace_src_func"), "_reduce", "trace_src_func=");
    at(where(sub, "duration"), "0.02", "_reduce,duration=");
    at(where(sub, "sub_operations.duration"), "0.02", "_reduce,duration=");  // as error::field has it
    at(where(sub, "timestamp"), "4509233031.56", "0.02,timestamp=");
    at(where(sub, "input__shape"), "[2048, 2]", "56,input__shape=");
    at(where(sub, "input__dtype"), "torch.float32", "2],input__dtype=");
    at(where(sub, "func_name"), "crossEntropy_fwd_1", "func_name=");
    at(where(sub, "group"), "tp", ",group=");
    at(where(sub, "comm_func"), "allreduce", "comm_func=");
    CHECK(wlfmt::is_missing(where(sub, "text")));

    operation other = log->operations[1];
    at(where(other, "stage"), "4", "stage:");
    at(where(other, "time_stamp"), "1.50", "time_stamp=");
    at(where(other, "timestamp"), "1.50", "time_stamp=");
    at(where(other, "mg_state"), "help", "stage=");
    at(where(other, "cmd_uid"), "c", "cmd_uid=");
    at(where(other, "sub_operations"), "None", "help, sub_operations=");
    CHECK(wlfmt::is_missing(where(other, "rank")));
    // A value that was assigned has no place, as the text did not change.
    other.timestamp = 9;
    at(where(other, "timestamp"), "1.50", "time_stamp=");

    const operation by_hand = operation::traced(1, "x");
    CHECK(wlfmt::is_missing(where(by_hand, "op")));
    CHECK(wlfmt::is_missing(where(by_hand, "duration")));
    CHECK(wlfmt::is_missing(where(sub_operation(), "duration")));
}

TEST_CASE("where() finds the fields of what a lenient reader tolerated") {
    wlfmt::options how;
    how.lenient = true;
    const std::string text =
        "rank:0:a(junk, stage_id=1, duration=soon)\n"
        "rank:0:b(stage_id=2,sub_operations=['x=3']) took 8 ms, k=v\n"
        "rank:0:c(stage_id=4,stage_id=5,sub_operations=[ 'text', oops])\n";
    const auto log = oplog::read(text, how);
    REQUIRE(log.ok());
    REQUIRE(log->operations.size() == 3);
    CHECK(where(log->operations[0], "stage_id") == "1");
    CHECK(where(log->operations[0], "duration") == "soon");
    CHECK(where(log->operations[1], "stage_id") == "2");
    CHECK(where(log->operations[1], "sub_operations") == "['x=3']");
    CHECK(where(log->operations[2], "stage_id") == "4");
    CHECK(where(log->operations[2], "sub_operations") == "[ 'text', oops]");
    auto sub = log->operations[2].sub_operations.begin();
    CHECK(where(*sub, "text") == "text");
    ++sub;
    CHECK(where(*sub, "text") == "oops");
    CHECK(where(*sub, "text").data() == text.data() + text.find("oops"));
}

TEST_CASE("a loop over next() and skip() reports what its last line lost") {
    const auto read_all = [](std::string_view text, std::size_t& records) {
        oplog::reader log(text);
        records = 0;
        do {
            while (log.next() != nullptr) ++records;
        } while (log.skip());
        return log.ok();
    };
    std::size_t records = 0;
    CHECK(read_all("rank:0:a()\nrank:0:b(stage_id=x)\nrank:0:c()\n", records));
    CHECK(records == 2);
    CHECK_FALSE(read_all("rank:0:a()\nrank:0:b()\nrank:0:c(stage_id=x)\n", records));
    CHECK(records == 2);
    CHECK_FALSE(read_all("nothing\n", records));
    CHECK(records == 0);
}

TEST_CASE("a reader is a range") {
    const std::string text = "rank:1:a()\nnoise\nrank:2:b()\nrank:3:c(stage_id=x)\nrank:4:d()\n";
    oplog::reader log(text);
    std::string ops;
    for (const operation& op : log) ops.append(op.op) += std::to_string(op.rank);
    CHECK(ops == "a1b2");
    CHECK_FALSE(log.ok());
    CHECK(log.skip());
    for (const operation& op : log) ops.append(op.op) += std::to_string(op.rank);
    CHECK(ops == "a1b2d4");
    CHECK(log.ok());
    CHECK(log.begin() == log.end());
    CHECK(oplog::reader::iterator() == test::end_of_walk());
}

TEST_CASE("every enumerator has a name of its own") {
    const auto names = [](auto first, unsigned count) {
        std::string all;
        for (unsigned n = 0; n != count; ++n) all.append(name_of(static_cast<decltype(first)>(n))) += ' ';
        return all;
    };
    CHECK(names(oplog::collective(), 8) ==
          "none allreduce all_to_all allgather reduce_scatter broadcast other unknown ");
    CHECK(names(oplog::group(), 10) ==
          "none data_parallel tensor_parallel pipeline_parallel embedding expert_parallel embedding_data_parallel "
          "expert_data_parallel other unknown ");
    CHECK(names(oplog::pipeline_state(), 10) ==
          "none warmup steady cooldown finalize help forward backward other unknown ");
    CHECK(names(oplog::origin(), 2) == "rank stage ");
    using oplog::fields;
    CHECK(name_of(fields::none) == "none");
    CHECK(name_of(fields::all) == "all");
    CHECK(name_of(fields::duration | fields::group) == "several");
    std::string all;
    for (const fields f : {fields::trace_src_func, fields::duration, fields::timestamp, fields::input_shape,
                           fields::input_dtype, fields::func_name, fields::group, fields::comm_func})
        all.append(name_of(f)) += ' ';
    CHECK(all == "trace_src_func duration timestamp input__shape input__dtype func_name group comm_func ");
}

namespace {

template <class Iterator, class Value> void check_iterator() {
    using traits = std::iterator_traits<Iterator>;
    static_assert(std::is_same_v<typename traits::value_type, Value>);
    static_assert(std::is_same_v<typename traits::iterator_category, std::input_iterator_tag>);
    static_assert(std::is_same_v<typename traits::difference_type, std::ptrdiff_t>);
    static_assert(std::is_convertible_v<typename traits::reference, const Value&>);
    static_assert(std::is_default_constructible_v<Iterator> && std::is_copy_assignable_v<Iterator>);
    CHECK(Iterator() == test::end_of_walk());
    CHECK(test::end_of_walk() == Iterator());
    CHECK_FALSE(Iterator() != test::end_of_walk());
    CHECK_FALSE(test::end_of_walk() != Iterator());
}

}  // namespace

TEST_CASE("iterators and lists meet the requirements of the standard library") {
    using list_iterator = decltype(oplog::sub_operation_list().begin());
    using chosen_iterator = decltype(oplog::chosen_sub_operations<oplog::fields::group>().begin());
    using shape_iterator = decltype(shape().begin());
    using attribute_iterator = decltype(oplog::attribute_list().begin());
    check_iterator<oplog::reader::iterator, operation>();
    check_iterator<list_iterator, sub_operation>();
    check_iterator<chosen_iterator, sub_operation>();
    check_iterator<shape_iterator, std::int64_t>();
    check_iterator<attribute_iterator, oplog::attribute>();
    // i++ returns an iterator at the item that i was at.
    const shape dims("[7, 8, 9]");
    auto i = dims.begin();
    const auto first = i++;
    CHECK(*first == 7);
    CHECK(*i == 8);
    CHECK(first != i);
    CHECK(++dims.begin() == i);
    const operation both = only_record(two_sub_operations);
    auto sub = both.sub_operations.begin();
    const auto before = sub++;
    CHECK(before->comm_func == "allreduce");
    CHECK(sub->comm_func == "broadcast");
}

TEST_CASE("the error of a list that is still open at the end of its line points at that end") {
    for (const std::string_view line : {"rank:1:f(a=1,sub_operations=[)", "rank:1:f(a=1,sub_operations=['x', )",
                                        "rank:1:f(a=1,sub_operations=[", "rank:1:f(sub_operations=['x',b=2)  "}) {
        CAPTURE(line);
        const std::string text = "rank:0:e()\n" + std::string(line) + "\nrank:2:g()\n";
        const test::reading got = test::read_on(text);
        REQUIRE(got.errors.size() == 1);
        CHECK(got.errors[0].kind == wlfmt::error_kind::unterminated_list);
        CHECK(got.errors[0].offset == text.find_last_not_of(' ', text.find('\n', 12) - 1) + 1);
        CHECK(got.errors[0].length == 0);
        CHECK(got.records.size() == 2);
    }
    // An open string contains the closing parenthesis.
    const std::string text = "rank:1:f(a=1,sub_operations=['x)\n";
    const auto log = oplog::read(text);
    CHECK(log.error().kind == wlfmt::error_kind::unterminated_string);
    CHECK(log.error().offset == text.find('\''));
    CHECK(log.error().length == 3);
}

namespace {

// The integers between the brackets of a list, by the standard library.
std::vector<std::int64_t> dims_of(std::string list) {
    std::vector<std::int64_t> dims;
    for (char& c : list)
        if (c == '[' || c == ']' || c == ',') c = ' ';
    std::istringstream items(list);
    for (std::int64_t dim = 0; items >> dim;) dims.push_back(dim);
    return dims;
}

// The values of a nested operation in the tracer's layout.
struct written_sub_operation {
    std::string function = "_reduce";
    std::string duration = "0.02";
    std::string timestamp = "4509233031.56";
    std::string dims = "[2048, 2]";
    std::string dtype = "torch.float32";
    std::string group = "tp";
    std::string collective = "allreduce";

    std::string text() const {
        return "'trace_src_func=" + function + ",duration=" + duration + ",timestamp=" + timestamp +
               ",input__shape=" + dims + ",input__dtype=" + dtype + ",group=" + group + ",comm_func=" + collective +
               "'";
    }
    bool is(const sub_operation& s) const {
        return s.trace_src_func == function && s.duration == std::strtod(duration.c_str(), nullptr) &&
               s.timestamp == std::strtod(timestamp.c_str(), nullptr) && s.input_shape.is_list() &&
               walked(s.input_shape) == dims_of(dims) && s.input_shape.text() == dims && s.input_dtype == dtype &&
               s.group == group && s.comm_func == collective && wlfmt::is_missing(s.func_name);
    }
};

}  // namespace

TEST_CASE("records read the same however near the end of the text they are") {
    using oplog::fields;
    const std::string many(400, '7');
    std::vector<written_sub_operation> subs(24);
    subs[0].dims = "[ 508]";
    subs[1].dims = "[508 ]";
    subs[2].dims = "[]";
    subs[3].dims = "[ 1 , 22,333,  4444 ]";
    subs[4].dims = "[123456789012345678, 5, 123456]";
    subs[5].duration = "0." + many;
    subs[6].timestamp = "0." + many;
    subs[7].function = many;
    subs[8].dtype = many;
    subs[9].group = many;
    subs[10].collective = many;
    subs[11].dims = "[-1, 2]";
    subs[12].duration = "12345.678";
    subs[13].duration = "1e-7";
    subs[14].duration = "12";
    subs[15].timestamp = "7";
    subs[16].timestamp = "123456789.1234567";
    subs[17].function = "a b\"c";
    subs[18].collective = "";
    subs[19].timestamp = "1.5";
    subs[20].duration = "99999.";
    subs[21].duration = ".5";
    subs[22].dims = "[1";
    while (subs[22].dims.size() < 400) subs[22].dims += ", 22";
    subs[22].dims += "]";
    for (std::size_t from = 0; from != subs.size(); ++from) {
        const std::size_t count = (std::min)(subs.size() - from, std::size_t{2});
        std::string line =
            "rank:12:f(stage_id=1,batch_id=2,mg_state=None,duration=8.25,description=a, b,group_kind=dp,"
            "input__shape=[3],input__dtype=half,timestamp=33.5,sub_operations=[";
        for (std::size_t n = from; n != from + count; ++n) line += (n == from ? "" : ", ") + subs[n].text();
        line += "])";
        for (std::size_t after = 0; after < 800; after += after < 40 ? 1 : 13) {
            const test::guarded_text text(line + std::string(after, '\n'), test::guard::after);
            CAPTURE(line);
            CAPTURE(after);
            oplog::reader log(text.view());
            const operation* op = log.next();
            REQUIRE(op != nullptr);
            CHECK(op->rank == 12);
            CHECK(op->stage_id == 1);
            CHECK(op->batch_id == 2);
            CHECK(op->mg_state == "None");
            CHECK(op->duration == 8.25);
            CHECK(op->description == "a, b");
            CHECK(walked(op->input_shape) == std::vector<std::int64_t>{3});
            CHECK(op->timestamp == 33.5);
            std::size_t n = from;
            for (const sub_operation& s : op->sub_operations) {
                REQUIRE(n < from + count);
                CHECK(subs[n++].is(s));
            }
            CHECK(n == from + count);
            n = from;
            for (const sub_operation& s : op->sub_operations.only<fields::duration | fields::comm_func>()) {
                REQUIRE(n < from + count);
                CHECK(s.duration == std::strtod(subs[n].duration.c_str(), nullptr));
                CHECK(s.comm_func == subs[n++].collective);
            }
            CHECK(log.next() == nullptr);
            CHECK(log.ok());
        }
    }
}

TEST_CASE("a selection takes the last comm_func of a string, near the end of the text and far from it") {
    using oplog::fields;
    const std::string line =
        "rank:1:f(sub_operations=['trace_src_func=a,duration=0.5,timestamp=2,input__shape=[3],input__dtype=b,group=d,"
        "comm_func=first,comm_func=last'])";
    for (const std::size_t after : {0u, 100u, 300u, 400u, 1000u}) {
        const std::string text = line + std::string(after, '\n');
        oplog::reader log(text);
        const operation* op = log.next();
        REQUIRE(op != nullptr);
        for (const sub_operation& s : op->sub_operations.only<fields::comm_func>()) CHECK(s.comm_func == "last");
        CHECK(log.ok());
        for (const sub_operation& s : op->sub_operations) CHECK(s.comm_func == "first");
        CHECK(log.error().kind == wlfmt::error_kind::duplicate_key);
    }
}

TEST_CASE("names that profilers join are names of operations") {
    for (const std::string_view name :
         {"c10d::allreduce_", "forward-step", "nccl:all_reduce", "aten.mm", "a:", "x::y.z-w_9"}) {
        const std::string line = "rank:7:" + std::string(name) + "(stage_id=1)\n";
        CAPTURE(line);
        const operation op = only_record(line);
        CHECK(op.op == name);
        CHECK(op.stage_id == 1);
        CHECK(oplog::where(op, "op") == name);
        std::string written;
        CHECK(!oplog::write(written, op));
        CHECK(written == line);
    }
    for (const std::string_view name : {"", "1a", ":a", "a b", "a(b", "a/b"}) {
        operation op;
        op.op = name;
        CHECK(oplog::problem_of(op).field == "op");
    }
}

TEST_CASE("any prefix reads records after words in colours") {
    const std::string text =
        "rank:0:a()\n"
        "\x1b[32mINFO\x1b[0m rank:3:b()\n"
        "\x1b[1;36m(Worker pid=9)\x1b[0;0m INFO 03-04 05:06:07 [worker.py:99] rank:4:c()\n"
        "\x1b[32mINFO\x1b[0m:root:rank:5:d()\n"
        "\x1b[32INFO rank:6:e()\n";
    wlfmt::options any;
    any.prefix = wlfmt::any_prefix;
    oplog::reader log(text, any);
    std::string ops;
    while (const operation* op = log.next()) ops += op->op;
    CHECK(log.ok());
    CHECK(ops == "abcd");
}

TEST_CASE("the end of a list shows where a record ends, whatever is before the list and after the record") {
    wlfmt::options how;
    how.lenient = true;
    const auto read = [&](std::string_view text) {
        const test::reading got = test::read_on(text, how);
        std::string all;
        for (const auto& e : got.errors)
            all.append(name_of(e.kind)).append("@").append(std::to_string(e.offset)).append(" ");
        for (const operation& op : got.records) all += test::written(op);
        return all;
    };
    // Text in place of the first key is passed over in looking for the list, too.
    CHECK(read("rank:0:f(x,sub_operations=['y']) z") ==
          "text_after_record@33 key_expected@9 rank:0:f(sub_operations=['y'])\n");
    CHECK(read("rank:0:f(x, a=1, sub_operations=['y'])  z") ==
          "text_after_record@40 key_expected@9 rank:0:f(a=1, sub_operations=['y'])\n");
    CHECK(read("rank:0:f(x['y',sub_operations=['y']) z") == "unterminated_record@38 ");
    // A list that is not the last attribute ends at its bracket, not at a later one that looks like a list's end.
    CHECK(read("rank:0:f(sub_operations=['x'])'],b=2)") == "text_after_record@30 rank:0:f(sub_operations=['x'])\n");
    CHECK(read("rank:0:f(sub_operations=['x']'],b=2)") == "bad_list@29 ");
    const test::reading joined = test::read_on("rank:0:f(sub_operations=['x'])'],b=2)", how);
    REQUIRE(joined.records.size() == 1);
    CHECK(oplog::where(joined.records[0], "sub_operations") == "['x']");
    CHECK(read("rank:0:f(sub_operations=['x'],b=2)") == "rank:0:f(sub_operations=['x'],b=2)\n");
}

TEST_CASE("of several heads in a line the first one that follows nothing or a prefix begins the record") {
    wlfmt::options any;
    any.prefix = wlfmt::any_prefix;
    const auto head_of = [&](std::string_view line) {
        oplog::reader log(line, any);
        const operation* op = log.next();
        if (op == nullptr) return std::string(name_of(log.error().kind));
        return (op->origin == oplog::origin::stage ? "stage " : "rank ") + std::to_string(op->rank) + " " +
               std::string(op->op);
    };
    for (const std::string_view prefix :
         {"", "> ", "worker-1  | ", "node01: ", "     3\t", "[x] ", "INFO ", "(a (b) "}) {
        CAPTURE(prefix);
        const auto with = [&](std::string_view record) { return head_of(std::string(prefix).append(record)); };
        CHECK(with("stage:3:f(a=b: rank:1:g(c=2))") == "stage 3 f");
        CHECK(with("rank:3:f(a=b: stage:1:g(c=2))") == "rank 3 f");
        CHECK(with("stage:3:f(a=1)rank:1:g(b=2)") == "stage 3 f");
        // What is meant to be a record is not the prefix of another.
        CHECK(with("rank:0:f o(a=1)rank:1:g(b=2)") == "foreign_text");
        CHECK(with("rank:0:f o(a=1)") == "foreign_text");
        // A rank and a blank may be what a launcher writes.
        CHECK(with("rank:0: stage:4:g(b=2)") == "stage 4 g");
    }
    CHECK(head_of("no prefix rank:0:f(a=1): rank:1:g(b=2)") == "rank 1 g");
    const std::string farthest = std::string(254, 'x') + "> rank:0:f(a=1)";
    CHECK(head_of(farthest) == "rank 0 f");
    CHECK(head_of("x" + farthest) == "no_records");
}

TEST_CASE("a line that is meant to be a record and has no head is not passed over in silence") {
    const std::string good = "rank:1:f(stage_id=1)\n";
    for (const std::string_view line :
         {"rank:7:forward step(stage_id=1)", "rank:7:<lambda>(stage_id=1)", "stage:0:f[0](stage_id=1)",
          "rank:7:1f(stage_id=1)", "rank:7:(stage_id=1)", "rank:1:x ()", "rank:1:x=()"}) {
        CAPTURE(line);
        const std::string text = good + std::string(line) + " \r\n" + good;
        oplog::reader log(text);
        CHECK(log.next() != nullptr);
        CHECK(log.next() == nullptr);
        CHECK(log.error().kind == wlfmt::error_kind::foreign_text);
        CHECK(log.error().offset == good.size());
        CHECK(log.error().length == line.size());
        REQUIRE(log.skip());
        CHECK(log.next() != nullptr);
        CHECK(log.next() == nullptr);
        CHECK(log.ok());

        wlfmt::options lenient;
        lenient.lenient = true;
        oplog::reader tolerant(text, lenient);
        CHECK(tolerant.next() != nullptr);
        CHECK(tolerant.next() != nullptr);
        CHECK(tolerant.next() == nullptr);
        CHECK(tolerant.tolerated() == 1);
        CHECK(tolerant.foreign_lines() == 1);
    }
    // What consoles of the same tracer print besides.
    for (const std::string_view line :
         {"rank:1, fwd_subop num: 2, fwd_subop: ['trace_src_func=f']", "rank:1,cuda fwd time: 8.1",
          "rank:1: done (8 s)", "rank:1:done", "rank:x:f(a=1)", "rank:1:", "rank:1:)"}) {
        CAPTURE(line);
        const std::string text = good + std::string(line) + "\n" + good;
        oplog::reader log(text);
        CHECK(log.next() != nullptr);
        CHECK(log.next() != nullptr);
        CHECK(log.next() == nullptr);
        CHECK(log.ok());
        CHECK(log.foreign_lines() == 1);
    }
}

TEST_CASE("find() and where() know the same names") {
    const operation op = only_record(
        "rank:3:f(op=x,rank=4,stage_id=01,input__shape=[2, 3],cmd_uid=9,"
        "sub_operations=['group=tp,input__dtype=half', 'text'])\n");
    for (const std::string_view name : {"op", "rank", "stage_id", "input__shape", "cmd_uid", "stage", "nothing"}) {
        CAPTURE(name);
        CHECK(op.find(name).is_missing() == wlfmt::is_missing(oplog::where(op, name)));
        CHECK(op.find(name).text() == oplog::where(op, name));
    }
    CHECK(op.find("op") == "f");
    CHECK(op.find("rank") == 3);
    CHECK(op.find("rank") == "3");
    CHECK(op.find("stage_id") == "01");
    CHECK(op.find("stage_id") == 1);
    CHECK(operation::traced(5, "g").find("rank") == 5);
    for (const sub_operation& s : op.sub_operations)
        for (const std::string_view name :
             {name_of(oplog::fields::group), name_of(oplog::fields::input_dtype), std::string_view("text"),
              std::string_view("sub_operations.group"), name_of(oplog::fields::input_shape)}) {
            CAPTURE(name);
            CHECK(s.find(name).is_missing() == wlfmt::is_missing(oplog::where(s, name)));
            CHECK(s.find(name).text() == oplog::where(s, name));
        }
    CHECK((*op.sub_operations.begin()).find(name_of(oplog::fields::input_dtype)) == "half");
    CHECK(name_of(oplog::fields::input_shape) == "input__shape");
}

TEST_CASE("visit_keys() walks the keys of a record with the values that they have now") {
    const auto keys = [](const auto& record) {
        std::string all;
        oplog::visit_keys(record, [&](std::string_view key, const wlfmt::value& v) {
            const auto text = v.text();
            all += std::string(key) + '=' + std::string(std::string_view(text)) + ';';
        });
        return all;
    };
    operation op = only_record(two_sub_operations);
    CHECK(op.attributes.empty());
    const std::string list(op.sub_operations.text());
    CHECK(keys(op) ==
          "stage_id=1;batch_id=2;mg_state=steady;duration=8.3;description=a, b (c) / d;group_kind=dp;"
          "input__shape=[3, 4];input__dtype=torch.float16;timestamp=3375746596.92;sub_operations=" +
              list + ";");
    op.duration = 4.25;
    op.batch_id = nullptr;
    op.group_kind = {};
    CHECK(keys(op) ==
          "stage_id=1;batch_id=None;mg_state=steady;duration=4.25;description=a, b (c) / d;"
          "input__shape=[3, 4];input__dtype=torch.float16;timestamp=3375746596.92;sub_operations=" +
              list + ";");
    CHECK(keys(*op.sub_operations.begin()) ==
          "trace_src_func=_reduce;duration=0.02;timestamp=4509233031.56;input__shape=[2048, 2];"
          "input__dtype=torch.float32;func_name=crossEntropy_fwd_1;group=tp;comm_func=allreduce;");
    operation other = only_record("rank:0:f(cmd_uid=7,duration=1,stage_id=02)\n");
    other.duration = 2;
    other.batch_id = 3;
    CHECK(keys(other) == "cmd_uid=7;duration=2;stage_id=02;batch_id=3;");
    sub_operation text;
    text.text = "free";
    CHECK(keys(text) == "");
}

// Each key is the position of its row, under each of its names.
template <class Record> void check_rows() {
    using keys = wlfmt::detail::key_of_record<Record>;
    std::size_t n = 0;
    for (const auto& row : wlfmt::detail::rows_of<Record>()) {
        CAPTURE(row.name);
        CHECK(row.place.substr(row.place.size() - row.name.size()) == row.name);
        for (const std::string_view name : {row.name, row.other_name}) {
            if (name.empty()) continue;
            const std::string text = std::string(name) + "=1";
            keys found = keys::extra;
            const char* const end = text.data() + text.size();
            CHECK(wlfmt::detail::oplog_schema::after_known(text.data(), end, found) == end - 1);
            CHECK(found == static_cast<keys>(n));
            CHECK(wlfmt::detail::key_of(Record(), name) == found);
        }
        ++n;
    }
    CHECK(n == wlfmt::detail::key_count<Record>);
}

TEST_CASE("each key of op logs is found under the names of its row") {
    check_rows<operation>();
    check_rows<sub_operation>();
}

TEST_CASE("the rows of the tracer's keys are in its order, which the fast paths expect") {
    std::string keys;
    for (const auto& row : wlfmt::detail::rows_of<operation>())
        if (row.is_tracers) keys.append(row.name).append(" ");
    CHECK(keys ==
          "stage_id batch_id mg_state duration description group_kind input__shape input__dtype timestamp "
          "sub_operations ");
    keys.clear();
    for (const auto& row : wlfmt::detail::rows_of<sub_operation>())
        if (row.is_tracers) keys.append(row.place).append(" ");
    CHECK(keys ==
          "sub_operations.trace_src_func sub_operations.duration sub_operations.timestamp "
          "sub_operations.input__shape sub_operations.input__dtype sub_operations.func_name "
          "sub_operations.group sub_operations.comm_func ");
}

TEST_CASE("a collective is known by each name that programs give it") {
    using oplog::collective;
    using oplog::collective_of;
    const std::pair<const char*, collective> names[] = {
        {"all_reduce", collective::allreduce},
        {"AllReduce", collective::allreduce},
        {"c10d::allreduce_", collective::allreduce},
        {"nccl:all_reduce", collective::allreduce},
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", collective::allreduce},
        {"ncclKernel_AllGather_RING_LL", collective::allgather},
        {"all_gather", collective::allgather},
        {"all_gather_into_tensor", collective::allgather},
        {"_allgather_base_", collective::allgather},
        {"c10d::_reduce_scatter_base_", collective::reduce_scatter},
        {"reduce_scatter_tensor", collective::reduce_scatter},
        {"all_to_all_single", collective::all_to_all},
        {"alltoall_v", collective::all_to_all},
        {"nccl:broadcast", collective::broadcast},
        {"allreduce2", collective::other},
        {"my_allreduce", collective::other},
        {"reduce", collective::other},
        {"nccl:", collective::other},
        {"____", collective::other}};
    for (const auto& one : names) {
        CAPTURE(one.first);
        CHECK(collective_of(one.first) == one.second);
    }
}

TEST_CASE("what an operation is follows from its name in one way") {
    namespace operations = wlfmt::oplog::operations;
    using wlfmt::oplog::operation_kind;
    struct row {
        const char* name;
        operation_kind kind;
        const char* group;
    };
    const row rows[] = {{"forward_step", operation_kind::forward, ""},
                        {"optimizer_step", operation_kind::optimizer, ""},
                        {"send_forward", operation_kind::send, ""},
                        {"recv_anything", operation_kind::receive, ""},
                        {"send_backward_recv_forward", operation_kind::exchange, ""},
                        {"dp_allreduce", operation_kind::collective, "dp"},
                        {"dp_all_reduce", operation_kind::collective, "dp"},
                        {"dp_reduce_scatter", operation_kind::collective, "dp"},
                        {"dp_allgather", operation_kind::collective, "dp"},
                        {"exp_dp_allreduce", operation_kind::collective, "exp_dp"},
                        {"all_gather_tp", operation_kind::collective, "tp"},
                        {"word_embedding_allreduce", operation_kind::collective, "embedding"},
                        {"ddp_grad_comm", operation_kind::collective, ""},
                        {"commit", operation_kind::other, ""},
                        {"read_committed", operation_kind::other, ""},
                        {"", operation_kind::other, ""}};
    for (const row& r : rows) {
        CAPTURE(r.name);
        const auto facts = operations::facts_of(r.name);
        CHECK(facts.kind == r.kind);
        CHECK(facts.group == r.group);
    }
    CHECK(operations::facts_of("dp_reduce_scatter").collective == oplog::collective::reduce_scatter);
    CHECK(operations::facts_of("send_backward").backward);
    CHECK(operations::facts_of("recv_backward").is_to_next_stage());
    CHECK(operations::facts_of("send_forward").is_to_next_stage());
    CHECK_FALSE(operations::facts_of("recv_forward").is_to_next_stage());
    CHECK_FALSE(operations::facts_of("send_backward").is_to_next_stage());
    CHECK_FALSE(operations::facts_of("send_else").between_stages);
}
