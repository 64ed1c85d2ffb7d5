// The dialects of rank op logs: each is read for what it says, and written as it was.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/oplog.hpp>

#include "oplog_support.hpp"
#include "support.hpp"

namespace oplog = wlfmt::oplog;
using oplog::operation;
using oplog::shape;
using oplog::sub_operation;
using test::difference;
using wlfmt::number;
using namespace std::string_view_literals;

namespace {

// A text, the document that it was read as without a problem, and the operations of that document.
class file {
public:
    explicit file(std::string text) : text_(std::move(text)), read_(oplog::read(text_)) {
        REQUIRE_MESSAGE(read_.ok(), wlfmt::explain(read_.error(), text_, wlfmt::in_file("text")));
    }
    static file of_data(std::string_view name) { return file(test::data(std::string("oplog/").append(name))); }
    const std::string& text() const { return text_; }
    std::size_t size() const { return read_->operations.size(); }
    const operation& operator[](std::size_t n) const {
        REQUIRE(n < size());
        return read_->operations[n];
    }
    std::string written() const { return test::written(*read_); }

private:
    std::string text_;
    wlfmt::result<oplog::document> read_;
};

std::vector<sub_operation> walked(const oplog::sub_operation_list& list) {
    std::vector<sub_operation> subs;
    for (const auto& sub : list) subs.push_back(sub);
    return subs;
}

std::string keys(const oplog::attribute_list& list) {
    std::string all;
    for (const auto& a : list) all.append(a.key).append(" ");
    return all;
}

std::string unescaped(std::string_view text) {
    std::string buffer(text.size(), '\0');
    return std::string(oplog::unescape(text, buffer.data()));
}

}  // namespace

TEST_CASE("the plain form") {
    const file log = file::of_data("plain.txt");
    REQUIRE(log.size() == 3);
    CHECK(log.written() == log.text());

    const auto subs = test::reduce_and_broadcast(0.03, 4509233032.25, "dp");
    operation expected = operation::traced(7, "forward_step");
    expected.stage_id = 1;
    expected.batch_id = 2;
    expected.mg_state = "steady";
    expected.duration = 8.3;
    expected.description = "simulation";
    expected.timestamp = 3375746596.92;
    expected.sub_operations = {subs.data(), 2};
    CHECK(difference(log[0], expected) == "");

    expected.op = "dp_allreduce";
    expected.duration = 0;
    expected.description = "model_chunk.finish_grad_sync(), All-reduce / reduce-scatter across DP replicas";
    expected.group_kind = "dp";
    expected.input_shape = shape("[788611072]");
    expected.input_dtype = "torch.float16";
    expected.timestamp = 0;
    expected.sub_operations = {subs.data(), 0};
    CHECK(difference(log[1], expected) == "");

    expected = operation::traced(7, "optimizer_step");
    expected.timestamp = 1.5e+16;
    CHECK(difference(log[2], expected) == "");
}

TEST_CASE("further keys may be anywhere and keep their places") {
    const file log = file::of_data("further_keys.txt");
    REQUIRE(log.size() == 4);
    CHECK(log.written() == log.text());

    CHECK(keys(log[0].attributes) ==
          "stage_id batch_id mg_state duration description group_kind cmd_uid op_semantics finalize_base_duration_ms "
          "input__shape input__dtype timestamp sub_operations ");
    CHECK(log[0].find("cmd_uid") == "fwd-0");
    CHECK(log[0].find("op_semantics") == "compute");
    CHECK(log[0].find("finalize_base_duration_ms") == "3.125");
    CHECK(log[0].find("duration").number() == number(4.25));
    CHECK(log[0].duration == number(4.25));
    CHECK(log[0].group_kind == "tp");
    CHECK(log[0].input_dtype == "torch.bfloat16");
    CHECK(log[0].timestamp == number(12.5));
    REQUIRE(log[0].sub_operations.size() == 1);
    CHECK(walked(log[0].sub_operations)[0].comm_func == "broadcast");

    // Further keys come before the first known key, and after the list.
    CHECK(keys(log[1].attributes) ==
          "cmd_uid stage_id batch_id mg_state duration sub_operations after.list timestamp ");
    CHECK(log[1].find("after.list") == "yes");
    CHECK(log[1].timestamp == number(18.5));
    CHECK(log[1].sub_operations.empty());
    CHECK_FALSE(log[1].sub_operations.is_missing());
    CHECK(wlfmt::is_missing(log[1].description));

    CHECK(keys(log[2].attributes) == "timestamp op_semantics duration stage_id ");
    CHECK(log[2].stage_id == number(0));
    CHECK(log[2].sub_operations.is_missing());

    const auto subs = walked(log[3].sub_operations);
    REQUIRE(subs.size() == 1);
    CHECK(keys(subs[0].attributes) == "trace_src_func stream duration comm_func peer.rank ");
    CHECK(subs[0].find("stream") == "9");
    CHECK(subs[0].find("peer.rank") == "4");
    CHECK(subs[0].trace_src_func == "_p2p");
    CHECK(subs[0].duration == number(0.5));
    CHECK(subs[0].timestamp.is_missing());
    CHECK(oplog::collective_of(subs[0].comm_func) == oplog::collective::other);
}

TEST_CASE("event lines") {
    const file log = file::of_data("events.txt");
    REQUIRE(log.size() == 2);
    CHECK(log.written() == log.text());
    CHECK(log[1].op == "ddp_grad_comm");
    CHECK(log[1].find("comm_uid") == "comm-2");
    CHECK(log[1].find("iter") == "7");
    CHECK(log[1].find("trigger_timestamp_ms") == "106.0");
    CHECK(log[1].batch_id.is_none());
    CHECK(log[1].duration == number(4.5));
    CHECK(log[1].description == "bucket 2 of 4");
    CHECK(log[1].timestamp == number(110.5));
    CHECK(log[1].input_shape.is_list());
    CHECK(log[1].sub_operations.empty());
}

TEST_CASE("short lines") {
    const file log = file::of_data("short.txt");
    REQUIRE(log.size() == 4);
    CHECK(log.written() == log.text());
    CHECK(log[0].duration == number(4.0));
    CHECK(log[0].timestamp == number(1.0));
    CHECK(log[0].find("cmd_uid") == "fwd-0");
    CHECK(wlfmt::is_missing(log[0].description));
    CHECK(log[0].sub_operations.is_missing());
    CHECK(log[1].find("trigger_cmd_uid") == "bwd-0");
    CHECK(log[2].duration.is_none());
    CHECK(log[2].group_kind == "pp");
    CHECK(oplog::pipeline_state_of(log[2].mg_state) == oplog::pipeline_state::warmup);
    CHECK(log[2].timestamp.is_missing());
    CHECK(log[2].attributes.empty());
    operation nothing;
    nothing.op = "barrier";
    CHECK(difference(log[3], nothing) == "");
}

TEST_CASE("scheduling plans") {
    const file log = file::of_data("plan.txt");
    REQUIRE(log.size() == 3);
    CHECK(log.written() == log.text());
    operation expected;
    expected.origin = oplog::origin::stage;
    expected.rank = 11;
    expected.op = "recv_forward";
    expected.batch_id = 0;
    expected.mg_state = "help";
    expected.duration = nullptr;
    expected.description = "None";
    expected.group_kind = "pp";
    expected.input_shape = shape("[2048, 2, 8192]");
    expected.input_dtype = "torch.float32";
    expected.spaced = true;
    CHECK(difference(log[0], expected) == "");
    expected.op = "dp_allreduce";
    expected.mg_state = "finalize";
    expected.description = "model_chunk.finish_grad_sync(), All-reduce / reduce-scatter across DP replicas";
    expected.group_kind = "dp";
    expected.input_shape = shape("None");
    expected.input_dtype = "None";
    CHECK(difference(log[1], expected) == "");
    expected.op = "ep_allreduce";
    expected.description = "_allreduce_embedding_grads, All-reduce embedding grads (for pipeline parallelism)";
    expected.group_kind = "ep";
    CHECK(difference(log[2], expected) == "");
}

TEST_CASE("other names for timestamp and mg_state") {
    const file clock = file::of_data("time_stamp.txt");
    CHECK(clock.written() == clock.text());
    CHECK(clock[0].timestamp == number(77.25));
    CHECK(keys(clock[0].attributes).find("time_stamp ") != std::string::npos);
    CHECK(keys(clock[0].attributes).find("timestamp ") == std::string::npos);
    // Either name finds the value.
    CHECK(clock[0].find("time_stamp").number() == number(77.25));
    CHECK(clock[0].find("timestamp").number() == number(77.25));

    const file stage = file::of_data("stage_key.txt");
    CHECK(stage.written() == stage.text());
    CHECK(stage[0].mg_state == "warmup");
    CHECK(stage[0].stage_id == number(1));
    CHECK(stage[0].timestamp == number(78.75));
    CHECK(stage[0].description == "after the clock, as one variant has it");
    CHECK(stage[0].sub_operations.size() == 1);
}

TEST_CASE("records inside a console log") {
    const file log = file::of_data("console.txt");
    REQUIRE(log.size() == 2);
    CHECK(log[0].op == "forward_step");
    CHECK(log[0].duration == number(132.6));
    CHECK(log[1].op == "optimizer_step");
    CHECK(log[1].origin == oplog::origin::stage);
    CHECK(log[1].duration.is_none());
    std::string records;
    for (const std::string_view line : test::lines_of(log.text()))
        if (line.substr(0, 11) == "rank:0:forw" || line.substr(0, 6) == "stage:") records += line;
    CHECK(log.written() == records.substr(0, records.size() - 4) + "\n");
}

TEST_CASE("sub-operations that are not key=value") {
    const file log = file::of_data("old_tracer.txt");
    REQUIRE(log.size() == 3);
    CHECK(log.written() == log.text());
    auto subs = walked(log[0].sub_operations);
    REQUIRE(subs.size() == 2);
    CHECK(subs[0].is_text());
    CHECK(subs[0].text == "allreduce: duration=0.17, attributes={'input_.shape': [1024, 128], 'group': 'tp'}");
    CHECK(subs[0].quote == 0);
    CHECK(subs[0].duration.is_missing());
    CHECK(subs[0].attributes.empty());
    CHECK(subs[1].text == "all_gather: duration=Async operation, duration not measured, attributes={'async_op': True}");

    // The sentence in place of a duration is not an error.
    CHECK(log[1].duration.is_text());
    CHECK(log[1].duration.text() == "Async operation, duration not measured");
    CHECK(log[1].group_kind == "pp");
    CHECK(log[1].input_shape.is_list());
    CHECK(log[1].input_shape.size() == 3);
    subs = walked(log[2].sub_operations);
    REQUIRE(subs.size() == 1);
    CHECK(subs[0].duration.text() == "Async operation, duration not measured");
    CHECK(subs[0].timestamp == number(60.5));
    CHECK(*subs[0].input_shape.begin() == 8);
    CHECK(subs[0].attributes.empty());
}

TEST_CASE("the first separator of a line decides") {
    const file log = file::of_data("comma_space.txt");
    REQUIRE(log.size() == 3);
    CHECK(log.written() == log.text());

    CHECK(log[0].spaced);
    CHECK(log[0].description == "a,b=c");
    CHECK(log[0].group_kind == "tp");
    CHECK(log[0].input_shape.size() == 2);
    CHECK(log[0].timestamp == number(9.5));
    CHECK(log[0].attributes.empty());
    // Each nested operation decides for itself.
    const auto subs = walked(log[0].sub_operations);
    REQUIRE(subs.size() == 2);
    CHECK(subs[0].spaced);
    CHECK(subs[0].trace_src_func == "_x");
    CHECK(subs[0].duration == number(0.5));
    CHECK(subs[0].comm_func == "allgather");
    CHECK_FALSE(subs[1].spaced);
    CHECK(subs[1].group == "dp");

    CHECK_FALSE(log[1].spaced);
    CHECK(log[1].description == "a, b=c");
    CHECK(log[1].group_kind == "dp");

    CHECK(log[2].spaced);
    CHECK(log[2].description == "model_chunk.finish_grad_sync(), All-reduce / reduce-scatter across DP replicas");
    CHECK(log[2].group_kind == "dp");
    CHECK(log[2].find("cmd_uid") == "x-1");
}

TEST_CASE("where a value ends") {
    struct {
        std::string_view body;
        std::string_view split;  // key=value; key=value; ...
    } const cases[] = {
        {"a=1,b=2", "a=1;b=2;"},
        {"a=1, b=2", "a=1;b=2;"},
        {"a=1,b=2, c=3", "a=1;b=2, c=3;"},
        {"a=1, b=2,c=3", "a=1;b=2,c=3;"},
        {"a=1,", "a=1,;"},
        {"a=1, ", "a=1, ;"},
        {"a=1,,b=2", "a=1,;b=2;"},
        {"a=1,  b=2", "a=1,  b=2;"},
        {"a=1 ,b=2", "a=1 ;b=2;"},
        {"a==1,b==", "a==1;b==;"},
        {"a=,b=,c=", "a=;b=;c=;"},
        {"a=1,2b=2", "a=1,2b=2;"},
        {"a=1,b-c=2", "a=1,b-c=2;"},
        {"a=1,b =2", "a=1,b =2;"},
        {"a=1,_=2,b.c=3,D9=4", "a=1;_=2;b.c=3;D9=4;"},
        {"a=1,.b=2", "a=1,.b=2;"},
        {"a=f(x, y=1),b=2", "a=f(x;y=1),b=2;"},  // the first separator is inside: the format cannot tell
        {"a=0,b=f(x, y=1),c=2", "a=0;b=f(x, y=1);c=2;"},
        {"a={'k': 1, 'm=2'},b=2", "a={'k': 1, 'm=2'};b=2;"},
        {"a='x,b=2'", "a='x;b=2';"},
        {"a=)(,b=()", "a=)(;b=();"},
        {"sub_operations=['a,b=1'],c=2", "sub_operations=['a,b=1'];c=2;"},
        {"sub_operations=['a, b=1'], c=2", "sub_operations=['a, b=1'];c=2;"},
        {"sub_operations=[\"a',b=1\"],c=2", "sub_operations=[\"a',b=1\"];c=2;"},
        {"sub_operations=['a\\'],b=1'],c=2", "sub_operations=['a\\'],b=1'];c=2;"},
        {"sub_operations=None,c=2", "sub_operations=None;c=2;"},
        {"sub_operations.x=['a,b=1']", "sub_operations.x=['a;b=1'];"},
        {"caf\xC3\xA9=1", ""},
        {"", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.body);
        // A first key that is not known makes the record keep its list of attributes.
        const std::string text = "rank:0:x(" + std::string(c.body) + ")";
        const test::exact_buffer exact(text);
        wlfmt::options how;
        how.lenient = true;
        const auto log = oplog::read(exact.view(), how);
        REQUIRE(log->operations.size() == 1);
        std::string split;
        for (const auto& a : log->operations[0].attributes) split.append(a.key).append("=").append(a.value).append(";");
        if (c.body.substr(0, 15) == "sub_operations=" && c.body.find(",c=") == std::string_view::npos &&
            c.body.find(", c=") == std::string_view::npos)
            CHECK(split.empty());
        else CHECK(split == c.split);

        // The same between the quotes of a nested operation, where its own quotes are escaped.
        if (c.body.find_first_of("'\"\\") != std::string_view::npos) continue;
        const std::string nested = "rank:0:x(sub_operations=['" + std::string(c.body) + "'])";
        const auto outer = oplog::read(nested);
        REQUIRE(outer.ok());
        split.clear();
        const auto subs = walked(outer->operations[0].sub_operations);
        REQUIRE(subs.size() == 1);
        for (const auto& a : subs[0].attributes) split.append(a.key).append("=").append(a.value).append(";");
        CHECK(split == c.split);
        CHECK(subs[0].is_text() == c.split.empty());
    }
}

TEST_CASE("line ends, byte order mark and final newline") {
    SUBCASE("CRLF") {
        const file log = file::of_data("crlf.txt");
        REQUIRE(log.size() == 2);
        CHECK(log[0].sub_operations.size() == 1);
        CHECK(log[1].duration == number(16.5));
        CHECK(log.written().find('\r') == std::string::npos);
    }
    SUBCASE("a byte order mark") {
        const file log = file::of_data("bom.txt");
        REQUIRE(log.size() == 2);
        CHECK(log[0].duration == number(8.3));
        CHECK(log[1].duration == number(17.5));
        CHECK(log.written() == log.text().substr(3));
        oplog::reader reader(log.text());
        CHECK(reader.offset() == 3);
        CHECK(reader.next() != nullptr);
        CHECK(reader.foreign_lines() == 0);
        CHECK(reader.offset() == log.text().find('\n') + 1);
    }
    SUBCASE("no final newline") {
        const file log = file::of_data("no_final_newline.txt");
        REQUIRE(log.size() == 2);
        CHECK(log[1].duration == number(18.5));
        CHECK(log.written() == log.text() + "\n");
    }
    SUBCASE("blanks after a record") {
        for (const std::string_view end : {"", " ", "\t", "\r", " \t\r", "\v\f"}) {
            const file log("rank:0:x(a=1)" + std::string(end) + "\nrank:0:y(b=2)" + std::string(end));
            REQUIRE(log.size() == 2);
            CHECK(log[0].find("a") == "1");
            CHECK(log[1].find("b") == "2");
        }
    }
    SUBCASE("a return inside a line is text") {
        const file log("rank:0:x(mg_state=a\rb,description=c\r)\r\n");
        CHECK(log[0].mg_state == "a\rb");
        CHECK(log[0].description == "c\r");
        CHECK(log.written() == "rank:0:x(mg_state=a\rb,description=c\r)\n");
    }
}

TEST_CASE("lists with blanks, a comma at the end and brackets in strings") {
    const file log = file::of_data("lists.txt");
    REQUIRE(log.size() == 10);
    const auto texts = [&](std::size_t n) {
        std::string all;
        for (const auto& sub : log[n].sub_operations) all.append(sub.text).append(";");
        return all;
    };
    CHECK(texts(0) == "x;");
    CHECK(texts(1) == "x;y;z;");
    CHECK(texts(2) == "");
    CHECK_FALSE(log[2].sub_operations.is_missing());
    CHECK(texts(3) == "");
    CHECK(log[3].sub_operations.empty());
    CHECK_FALSE(log[3].sub_operations.is_missing());
    CHECK(log[4].sub_operations.is_none());
    CHECK(texts(5) == ";a]b;[c;d);");
    CHECK(log[5].sub_operations.size() == 4);
    CHECK(texts(6) == "x;");
    CHECK(log[6].find("cmd_uid") == "after");
    REQUIRE(log[7].sub_operations.size() == 1);
    const auto subs = walked(log[7].sub_operations);
    CHECK(subs[0].spaced);
    CHECK(subs[0].find("y") == "2");
    CHECK(log[7].stage_id == number(8));
    CHECK(texts(8) == "x;");
    CHECK(log[9].sub_operations.empty());
    CHECK(log[9].stage_id == number(10));
    CHECK(log.written() ==
          "rank:8:a(stage_id=1,sub_operations=['x'])\n"
          "rank:8:b(stage_id=2,sub_operations=['x', 'y', 'z'])\n"
          "rank:8:c(stage_id=3,sub_operations=[])\n"
          "rank:8:d(stage_id=4,sub_operations=[])\n"
          "rank:8:e(stage_id=5,sub_operations=None)\n"
          "rank:8:f(stage_id=6,sub_operations=['', 'a]b', '[c', 'd)'])\n"
          "rank:8:g(stage_id=7,sub_operations=['x'],cmd_uid=after)\n"
          "rank:8:h(sub_operations=['x=1, y=2'],stage_id=8)\n"
          "rank:8:i(stage_id=9,sub_operations=['x'])\n"
          "rank:8:j(sub_operations=[],stage_id=10)\n");
}

TEST_CASE("a quote or an escape inside a shape is the string's, not the shape's") {
    const file log(
        "rank:0:x(sub_operations=['trace_src_func=a,duration=1,timestamp=2,input__shape=[8', "
        "'],input__dtype=b,group=c,comm_func=d', "
        "'trace_src_func=a,duration=1,timestamp=2,input__shape=[\\x38],input__dtype=b,group=c,comm_func=d', "
        "\"trace_src_func=a,duration=1,timestamp=2,input__shape=['8'],input__dtype=b,group=c,comm_func=d\"])\n");
    CHECK(log.written() == log.text());
    const auto subs = walked(log[0].sub_operations);
    REQUIRE(subs.size() == 4);
    CHECK(subs[0].input_shape.text() == "[8");
    CHECK(wlfmt::is_missing(subs[0].input_dtype));
    CHECK(subs[1].text == "],input__dtype=b,group=c,comm_func=d");
    CHECK(subs[2].quote == '\'');
    CHECK(subs[2].input_shape.text() == "[\\x38]");
    CHECK(subs[2].comm_func == "d");
    CHECK(subs[3].quote == 0);
    CHECK(subs[3].input_shape.text() == "['8']");
    CHECK(subs[3].comm_func == "d");
}

TEST_CASE("empty parentheses, values and strings") {
    const file log = file::of_data("empty_values.txt");
    REQUIRE(log.size() == 3);
    CHECK(log.written() == log.text());
    CHECK(log[0].mg_state.empty());
    CHECK_FALSE(wlfmt::is_missing(log[0].mg_state));
    CHECK(log[0].group_kind.empty());
    CHECK_FALSE(log[0].input_shape.is_missing());
    CHECK_FALSE(log[0].input_shape.is_list());
    auto subs = walked(log[0].sub_operations);
    REQUIRE(subs.size() == 1);
    CHECK(subs[0].is_text());
    CHECK(subs[0].text.empty());
    CHECK_FALSE(wlfmt::is_missing(log[1].find("cmd_uid")));
    CHECK(log[1].find("cmd_uid") == "");
    subs = walked(log[1].sub_operations);
    REQUIRE(subs.size() == 1);
    CHECK_FALSE(subs[0].is_text());
    CHECK_FALSE(wlfmt::is_missing(subs[0].func_name));
    CHECK(wlfmt::is_missing(subs[0].comm_func));
    CHECK(log[2].attributes.empty());
}

TEST_CASE("shapes as different writers print them") {
    const file log = file::of_data("shapes.txt");
    CHECK(log.written() == log.text());
    std::string lists;
    for (std::size_t n = 0; n < log.size(); ++n) {
        lists += log[n].input_shape.is_list() ? 'L' : log[n].input_shape.is_none() ? 'N' : '-';
        for (const auto dim : log[n].input_shape) lists += std::to_string(dim) + ',';
    }
    CHECK(lists == "NLL8,L2048,2,5120,L2,3,L4,5,L6,7,LL-1,9223372036854775807,---1,2,----1,----L5,");
}

TEST_CASE("a key that is given twice is an error, and kept where it is tolerated") {
    const std::string text =
        "rank:0:x(duration=1,cmd_uid=a,duration=2,cmd_uid=b,time_stamp=3,timestamp=4)\n"
        "rank:0:y(sub_operations=['group=a,k=1,group=b,k=2'],sub_operations=[])\n";
    CHECK(oplog::read(text).error().kind == wlfmt::error_kind::duplicate_key);
    wlfmt::options how;
    how.lenient = true;
    const auto log = oplog::read(text, how);
    REQUIRE(log.ok());
    REQUIRE(log->operations.size() == 2);
    const operation& x = log->operations[0];
    CHECK(x.duration == number(1));
    CHECK(x.timestamp == number(3));
    CHECK(x.find("cmd_uid") == "a");
    CHECK(keys(x.attributes) == "duration cmd_uid duration cmd_uid time_stamp timestamp ");
    const auto subs = walked(log->operations[1].sub_operations);
    REQUIRE(subs.size() == 1);
    CHECK(subs[0].group == "a");
    CHECK(test::written(*log) == text);
    // A further key may be given any number of times.
    CHECK(oplog::read("rank:0:x(k=1,k=2,sub_operations=['m=1,m=2'])").ok());
}

TEST_CASE("escapes stay as they are written until they are asked for") {
    const file log = file::of_data("escapes.txt");
    REQUIRE(log.size() == 2);
    CHECK(log.written() == log.text());
    const auto subs = walked(log[0].sub_operations);
    REQUIRE(subs.size() == 10);
    const struct {
        char quote;
        std::string_view says;
    } texts[] = {{0, "it's"sv},
                 {0, "say \"x\""sv},
                 {'\'', "both ' and \""sv},
                 {'\'', "back\\slash"sv},
                 {'\'', "tab\tnewline\nreturn\r"sv},
                 {'\'', "bell\x07 del\x7f"sv},
                 {0, "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80"sv}};
    for (std::size_t n = 0; n < std::size(texts); ++n) {
        CAPTURE(n);
        CHECK(subs[n].is_text());
        CHECK(subs[n].quote == texts[n].quote);
        CHECK(unescaped(subs[n].text) == texts[n].says);
        CHECK((subs[n].quote == 0) == (subs[n].text.find('\\') == std::string_view::npos));
    }
    CHECK(subs[7].func_name == "it's");
    CHECK(subs[7].quote == 0);
    CHECK(subs[7].duration == number(0.5));
    CHECK(subs[8].func_name == "a\\\\b");
    CHECK(subs[8].quote == '\'');
    CHECK(unescaped(subs[8].func_name) == "a\\b");
    CHECK(subs[8].duration == number(0.25));
    CHECK(subs[8].group == "tp");
    CHECK(unescaped(subs[9].func_name) == "both ' and \"");
    CHECK(subs[9].comm_func == "allreduce");
    const auto further = walked(log[1].sub_operations);
    REQUIRE(further.size() == 2);
    CHECK(unescaped(further[0].text) ==
          "A\xc3\xa9\xf0\x9f\x98\x80"
          "A\0\a\b\f\v\\q"sv);
    CHECK(unescaped(further[1].func_name) == "A\xc3\xa9");
}

TEST_CASE("unescape reads what Python reads") {
    // The expected values are Python's own: ast.literal_eval(), encoded with "surrogatepass".
    const struct {
        std::string_view literal;
        std::string_view says;
    } cases[] = {
        {"\\\\"sv, "\\"sv},
        {"\\'"sv, "'"sv},
        {"\\\""sv, "\""sv},
        {"\\a\\b\\f\\n\\r\\t\\v"sv, "\x07\x08\x0c\x0a\x0d\x09\x0b"sv},
        {"\\x41\\x7f\\x80\\xff"sv, "A\x7f\xc2\x80\xc3\xbf"sv},
        {"\\u0041\\u00e9\\u20ac\\uffff"sv, "A\xc3\xa9\xe2\x82\xac\xef\xbf\xbf"sv},
        {"\\U00000041\\U0001F600\\U0010FFFF"sv, "A\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"sv},
        {"\\0"sv, "\x00"sv},
        {"\\1\\12\\123\\1234"sv, "\x01\x0aSS4"sv},
        {"\\00\\07\\377\\400\\777"sv, "\x00\x07\xc3\xbf\xc4\x80\xc7\xbf"sv},
        {"\\8\\9"sv, "\\8\\9"sv},
        {"\\q\\z\\ \\-"sv, "\\q\\z\\ \\-"sv},
        {"\\x41BC"sv, "ABC"sv},
        {"a\\\\nb"sv, "a\\nb"sv},
        {"\\\\\\\\"sv, "\\\\"sv},
        {"\\\\\\'"sv, "\\'"sv},
        {"caf\\xe9"sv, "caf\xc3\xa9"sv},
        {"caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac"sv, "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac"sv},
        {"\xf0\x9f\x98\x80\\U0001f600"sv, "\xf0\x9f\x98\x80\xf0\x9f\x98\x80"sv},
        {"\\ud83d\\ude00"sv, "\xed\xa0\xbd\xed\xb8\x80"sv},
        {"\\ud800"sv, "\xed\xa0\x80"sv},
        {"\\udfff."sv, "\xed\xbf\xbf."sv},
        {"plain"sv, "plain"sv},
        {""sv, ""sv},
        {"tail\\\\"sv, "tail\\"sv},
        {"\\X41"sv, "\\X41"sv},
        {"\\xaF\\xFa"sv, "\xc2\xaf\xc3\xba"sv},
        {"\\u00Ab"sv, "\xc2\xab"sv},
    };
    for (const auto& c : cases) {
        CAPTURE(c.literal);
        const test::exact_buffer text(c.literal);
        const test::exact_buffer room(c.literal);
        char* const buffer = const_cast<char*>(room.view().data());
        const std::string_view says = oplog::unescape(text.view(), buffer);
        CHECK(says == c.says);
        // The result is a view of the text where there is no escape in it, else of the buffer.
        const bool plain = c.literal.find('\\') == std::string_view::npos;
        CHECK(says.data() == (plain ? text.view().data() : buffer));
    }
    // An escape that Python refuses stays as it is.
    for (const std::string_view bad : {"\\x", "\\x1", "\\x1g", "\\xg1", "\\u123", "\\u12 4", "\\U0011000",
                                       "\\U00110000", "\\UFFFFFFFF", "\\N{DASH}", "\\N", "\\"}) {
        CAPTURE(bad);
        CHECK(unescaped(bad) == bad);
        CHECK(unescaped("a" + std::string(bad) + "b\\n").substr(0, 1) == "a");
    }
    CHECK(unescaped("\\\n") == "");
    CHECK(unescaped("a\\\nb") == "ab");
    CHECK(unescaped("\\x1\\x41") ==
          "\\x1"
          "A");
}

namespace {

wlfmt::options with_prefix(std::string_view prefix) {
    wlfmt::options how;
    how.prefix = prefix;
    return how;
}

// Each line of a text after a prefix.
std::string prefixed(std::string_view text, std::string_view prefix) {
    std::string all;
    for (const std::string_view line : test::lines_of(text)) all.append(prefix).append(line);
    return all;
}

}  // namespace

TEST_CASE("records after a launcher's prefix are the records without it") {
    const std::string text = test::data("oplog_rank7_pipeline_last_stage.txt");
    const auto plain = oplog::read(text);
    REQUIRE(plain.ok());
    for (const std::string_view prefix :
         {"[rank0]: ", "[default0]:", "(pid=1234) ", "(RayTrainWorker pid=1234, ip=10.0.0.1) ",
          "2025-01-01 12:00:00,123 INFO ",
          "[1,0]<stdout>:", "3: ", "(EngineCore_DP0 pid=1234) INFO 11-05 12:00:00 [gpu_worker.py:55] "}) {
        CAPTURE(prefix);
        const std::string console = prefixed(text, prefix);
        for (const std::string_view asked : {prefix, wlfmt::any_prefix}) {
            CAPTURE(asked);
            const auto log = oplog::read(console, with_prefix(asked));
            REQUIRE(log.ok());
            CHECK(difference(log->operations, plain->operations) == "");
            CHECK(test::written(*log) == text);
            for (std::size_t n = 0; n != log->operations.size(); ++n)
                CHECK(log->operations[n].source == plain->operations[n].source);
        }
        // Without the option a prefix makes a line foreign text.
        CHECK(oplog::read(console).error().kind == wlfmt::error_kind::no_records);
        // Lines with another launcher's prefix are foreign text.
        CHECK(oplog::read(console, with_prefix("[rank7]: ")).error().kind == wlfmt::error_kind::no_records);
        // Of the two options only any_prefix reads lines without a prefix.
        CHECK(oplog::read(text, with_prefix(prefix)).error().kind == wlfmt::error_kind::no_records);
        CHECK(oplog::read(text, with_prefix(wlfmt::any_prefix)).ok());
    }
}

TEST_CASE("a prefix picks one rank's log from those of several ranks") {
    const std::string text =
        "\xEF\xBB\xBF[rank0]: rank:0:a(stage_id=1)\n"
        "[rank1]: rank:1:b(stage_id=2)\n"
        "starting\n"
        "[rank1]:\n"
        "[rank0]: loss is 3.2\n"
        "[rank0]: \n"
        "[rank1]: rank:1:c(sub_operations=['x'])\r\n"
        "[rank0]: rank:0:d(stage_id=4)";
    const auto read = [&](std::string_view prefix) {
        std::string all;
        oplog::reader log(text, with_prefix(prefix));
        for (const operation& op : log) all.append(op.op) += std::to_string(op.rank);
        CHECK(log.ok());
        return all + " " + std::to_string(log.foreign_lines());
    };
    // A line that ends with its prefix is an empty line.
    CHECK(read("[rank0]: ") == "a0d0 5");
    CHECK(read("[rank1]: ") == "b1c1 5");
    CHECK(read(wlfmt::any_prefix) == "a0b1c1d0 2");

    wlfmt::options strict = with_prefix("[rank1]: ");
    strict.strict = true;
    const test::reading got = test::read_on(text, strict);
    CHECK(got.records.size() == 2);
    REQUIRE(got.errors.size() == 5);
    for (const auto& e : got.errors) CHECK(e.kind == wlfmt::error_kind::foreign_text);
    CHECK(got.errors[0].offset == 3);
    CHECK(got.errors[1].offset == text.find("starting"));
    CHECK(got.errors[2].offset == text.find("[rank0]: loss"));
    CHECK(got.errors[2].length == 20);
}

TEST_CASE("errors and places after a prefix are where they are in the text") {
    const std::string_view prefix = "(RayTrainWorker pid=1234, ip=10.0.0.1) ";
    const std::string text =
        prefixed("rank:0:a(stage_id=1)\nrank:0:b(stage_id=x)\nrank:0:c(sub_operations=['duration=y'])\n", prefix);
    oplog::reader log(text, with_prefix(prefix));
    const operation* op = log.next();
    REQUIRE(op != nullptr);
    CHECK(op->source.data() == text.data() + prefix.size());
    CHECK(where(*op, "stage_id").data() == text.data() + text.find("1)\n"));
    CHECK(log.offset() == text.find('\n') + 1);
    CHECK(log.next() == nullptr);
    CHECK(log.error().kind == wlfmt::error_kind::not_an_integer);
    CHECK(log.error().offset == text.find("x)\n"));
    const wlfmt::location place = wlfmt::location_of(text, log.error().offset);
    CHECK(place.line == 2);
    CHECK(place.column == prefix.size() + sizeof("rank:0:b(stage_id="));
    CHECK(log.skip());
    op = log.next();
    REQUIRE(op != nullptr);
    CHECK(op->sub_operations.size() == 1);
    for (const auto& sub : op->sub_operations) CHECK(where(sub, "duration").data() == text.data() + text.find("y']"));
    CHECK(log.error().offset == text.find("y']"));
    CHECK_FALSE(log.skip());
}

TEST_CASE("times in a prefix change from line to line, other digits do not") {
    const std::string text =
        "2025-01-01 12:00:00,123 INFO rank:0:a()\n"
        "2025-01-01 12:00:01,7 INFO rank:0:b()\n"
        "2025-12-31 9:59:59,001 WARNING rank:0:c()\n"
        "2025-12-31 23:59:59,001 INFO rank:0:d()\n"
        "2025-12-31 INFO rank:0:e()\n";
    const auto ops = [](std::string_view all, std::string_view prefix) {
        std::string names;
        const auto log = oplog::read(all, with_prefix(prefix));
        for (const operation& op : log->operations) names += op.op;
        return names;
    };
    CHECK(ops(text, "2025-01-01 12:00:00,123 INFO ") == "abd");
    CHECK(ops(text, "2025-12-31 23:59:59,001 WARNING ") == "c");
    CHECK(ops(text, "2024-02-29 INFO ") == "e");
    CHECK(ops(text, wlfmt::any_prefix) == "abcde");
    const std::string workers = "(pid=12, 12:00:01) rank:0:a()\n(pid=13, 12:00:02) rank:0:b()\n";
    CHECK(ops(workers, "(pid=12, 0:0:0) ") == "a");
    CHECK(ops(workers, "(pid=13, 99:9:9) ") == "b");
}
