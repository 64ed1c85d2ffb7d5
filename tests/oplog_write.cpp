// Writing rank op logs: the tracer's bytes, from records that were read and from records built by hand.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <wlfmt/oplog.hpp>

#include "oplog_support.hpp"
#include "stack_support.hpp"
#include "support.hpp"

namespace oplog = wlfmt::oplog;
using oplog::attribute;
using oplog::attribute_list;
using oplog::operation;
using oplog::shape;
using oplog::sub_operation;
using test::difference;
using test::written;
using wlfmt::number;
using namespace std::string_view_literals;

namespace {

// A sink of the program's own that remembers each piece it was given.
struct pieces {
    std::vector<std::string> all;
    void append(const char* text, std::size_t size) { all.emplace_back(text, size); }
    std::string joined() const {
        std::string text;
        for (const auto& piece : all) text += piece;
        return text;
    }
};

operation with(sub_operation& sub) {
    operation op;
    op.op = "x";
    op.sub_operations = {&sub, 1};
    return op;
}

// What is written between the brackets of a list that contains this string alone.
std::string in_quotes(std::string_view text) {
    sub_operation sub;
    sub.text = text;
    const std::string line = written(with(sub));
    constexpr std::size_t before = sizeof("rank:0:x(sub_operations=[") - 1;
    constexpr std::size_t after = sizeof("])\n") - 1;
    return line.substr(before, line.size() - before - after);
}

std::string unescaped(std::string_view text) {
    std::string buffer(text.size(), '\0');
    return std::string(oplog::unescape(text, buffer.data()));
}

}  // namespace

TEST_CASE("the samples are written byte for byte") {
    for (const std::string_view name : test::oplog_samples) {
        const std::string text = test::data(name);
        const auto lines = test::lines_of(text);
        oplog::reader log(text);
        std::size_t n = 0;
        while (const operation* op = log.next()) {
            REQUIRE(n < lines.size());
            CHECK(written(*op) == lines[n++]);
        }
        CHECK(log.ok());
        CHECK(n == lines.size());
        const auto document = oplog::read(text);
        REQUIRE(document.ok());
        CHECK(written(*document) == text);
    }
}

TEST_CASE("what is written of a log has at most forty times the bytes of its text") {
    std::vector<std::string> texts = {test::times(100, "rank:0:f()\n"), test::times(100, "rank:0:f(a)\n"),
                                      "rank:0:f(sub_operations=[" + test::times(100, "'',") + "])\n",
                                      "rank:0:f(sub_operations=[" + test::times(100, "'\\x01a',") + "])\n",
                                      "rank:0:f(duration=1e308,timestamp=1e-308)\n"};
    for (const std::string& name : test::oplog_files()) texts.push_back(test::data(name));
    for (const std::string& text : texts) {
        CAPTURE(text);
        const auto document = oplog::read(text, test::lenient());
        std::string out;
        oplog::write_unchecked(out, *document);
        CHECK(out.size() <= 40 * text.size());
    }
}

TEST_CASE("a record with the tracer's keys") {
    operation op = operation::traced(3, "forward_step");
    CHECK(written(op) ==
          "rank:3:forward_step(stage_id=None,batch_id=None,mg_state=None,duration=None,description=None,"
          "group_kind=None,input__shape=None,input__dtype=None,timestamp=None,sub_operations=[])\n");
    const std::int64_t dims[] = {2048, 2, 5120};
    sub_operation subs[2];
    subs[0].trace_src_func = "_reduce";
    subs[0].duration = 0.02;
    subs[0].timestamp = 4509233031.56;
    subs[0].input_shape = {dims, 2};
    subs[0].input_dtype = "torch.float32";
    subs[0].func_name = "f";
    subs[0].group = "tp";
    subs[0].comm_func = "allreduce";
    subs[1].comm_func = "broadcast";
    op.stage_id = 1;
    op.batch_id = -2;
    op.mg_state = "steady";
    op.duration = 8.0;
    op.description = "a, b";
    op.group_kind = "pp";
    op.input_shape = {dims, 3};
    op.input_dtype = "torch.float16";
    op.timestamp = 1e22;
    op.sub_operations = {subs, 2};
    CHECK(written(op) ==
          "rank:3:forward_step(stage_id=1,batch_id=-2,mg_state=steady,duration=8.0,description=a, b,group_kind=pp,"
          "input__shape=[2048, 2, 5120],input__dtype=torch.float16,timestamp=1e+22,sub_operations=["
          "'trace_src_func=_reduce,duration=0.02,timestamp=4509233031.56,input__shape=[2048, 2],"
          "input__dtype=torch.float32,func_name=f,group=tp,comm_func=allreduce', 'comm_func=broadcast'])\n");
    CHECK(oplog::problem_of(op).kind == wlfmt::error_kind::none);
    const std::string text = written(op);
    const auto back = oplog::read(text);
    REQUIRE(back.ok());
    CHECK(difference(back->operations.at(0), op) == "");
}

TEST_CASE("members that are missing are not written") {
    operation op;
    op.op = "x";
    CHECK(written(op) == "rank:0:x()\n");
    op.batch_id = 0;
    op.input_shape = shape("");
    op.sub_operations = {nullptr, 0};
    CHECK(written(op) == "rank:0:x(batch_id=0,input__shape=,sub_operations=[])\n");
    op.origin = oplog::origin::stage;
    op.rank = INT64_MAX;
    op.spaced = true;
    CHECK(written(op) == "stage:9223372036854775807:x(batch_id=0, input__shape=, sub_operations=[])\n");
}

TEST_CASE("texts and shapes of any length are written whole") {
    for (std::size_t size = 0; size <= 700; size += size < 70 ? 1 : 37) {
        CAPTURE(size);
        const std::string text = test::letters(size);
        const std::vector<std::int64_t> dims(size + 1, 10 + static_cast<std::int64_t>(size));
        std::string list;
        for (std::size_t n = 0; n != size; ++n) list += (n == 0 ? "" : ", ") + std::to_string(dims[n]);

        sub_operation sub;
        sub.trace_src_func = text;
        sub.input_shape = {dims.data(), size};
        sub.comm_func = text;
        operation op = with(sub);
        op.input_shape = sub.input_shape;
        op.input_dtype = text;
        CHECK(written(op) == "rank:0:x(input__shape=[" + list + "],input__dtype=" + text +
                                 ",sub_operations=['trace_src_func=" + text + ",input__shape=[" + list +
                                 "],comm_func=" + text + "'])\n");
    }
}

TEST_CASE("a scheduling plan") {
    operation op;
    op.origin = oplog::origin::stage;
    op.rank = 4;
    op.op = "dp_allreduce";
    op.batch_id = 0;
    op.mg_state = "finalize";
    op.duration = nullptr;
    op.description = "model_chunk.finish_grad_sync(), All-reduce / reduce-scatter across DP replicas";
    op.group_kind = "dp";
    op.input_shape = shape("None");
    op.input_dtype = "None";
    op.spaced = true;
    CHECK(written(op) ==
          "stage:4:dp_allreduce(batch_id=0, mg_state=finalize, duration=None, description=model_chunk."
          "finish_grad_sync(), All-reduce / reduce-scatter across DP replicas, group_kind=dp, input__shape=None, "
          "input__dtype=None)\n");
    CHECK(oplog::problem_of(op).kind == wlfmt::error_kind::none);
}

TEST_CASE("shapes given as integers") {
    operation op;
    op.op = "x";
    const std::int64_t dims[] = {INT64_MIN, 0, INT64_MAX};
    op.input_shape = {dims, 3};
    CHECK(written(op) == "rank:0:x(input__shape=[-9223372036854775808, 0, 9223372036854775807])\n");
    op.input_shape = {dims, 1};
    CHECK(written(op) == "rank:0:x(input__shape=[-9223372036854775808])\n");
    op.input_shape = {dims, 0};
    CHECK(written(op) == "rank:0:x(input__shape=[])\n");
    op.input_shape = shape("torch.Size([3])");
    CHECK(written(op) == "rank:0:x(input__shape=torch.Size([3]))\n");
    op.input_shape = shape();
    CHECK(written(op) == "rank:0:x()\n");
    const std::vector<std::int64_t> many(3000, 123456);
    op.input_shape = {many.data(), many.size()};
    const std::string text = written(op);
    CHECK(text.size() == sizeof("rank:0:x(input__shape=[])\n") - 1 + 3000 * 6 + 2999 * 2);
    const auto back = oplog::read(text);
    REQUIRE(back.ok());
    CHECK(back->operations[0].input_shape.size() == 3000);
    CHECK(back->operations[0].input_shape.is_list());
}

TEST_CASE("integers that a shape owns are written, found and compared as those of the caller's array are") {
    operation op;
    op.op = "x";
    op.input_shape = std::vector<std::int64_t>{2048, 2, -1};
    const operation first = op;
    CHECK(written(first) == "rank:0:x(input__shape=[2048, 2, -1])\n");
    CHECK(first.find("input__shape") == "[2048, 2, -1]");
    CHECK(first == (*wlfmt::oplog::read("rank:0:x(input__shape=[2048,2,-1])\n")).operations.at(0));
    op.input_shape = {7, 8};
    CHECK(written(op) == "rank:0:x(input__shape=[7, 8])\n");
    CHECK(op != first);
    op.input_shape = {0};
    CHECK(op.input_shape.size() == 1);
    op.input_shape = std::vector<int>{-5, 4};
    CHECK(op.input_shape.dims()[0] == -5);
    CHECK(op.input_shape.dims()[1] == 4);
    op.input_shape = std::vector<std::uint32_t>{4294967295U};
    CHECK(written(op) == "rank:0:x(input__shape=[4294967295])\n");
    op.input_shape = std::vector<std::int64_t>();
    CHECK(written(op) == "rank:0:x(input__shape=[])\n");
    CHECK(op.set("input__shape", "[9, 1]"));
    CHECK(op.input_shape.text() == "[9, 1]");
    CHECK(op.input_shape.size() == 2);
    op.input_shape = {};
    CHECK(op.input_shape.is_missing());
    sub_operation nested;
    nested.input_shape = std::vector<std::int64_t>(3000, 123456);
    const std::string text = written(with(nested));
    CHECK((*wlfmt::oplog::read(text)).operations.at(0) == with(nested));
}

TEST_CASE("shapes are equal whatever they are made of") {
    using oplog::shape;
    CHECK(shape("[1, 2]") == shape{1, 2});
    CHECK(shape("torch.Size([8])") == shape{8});
    CHECK(shape() == shape());
    CHECK(shape() != shape("None"));
    CHECK(shape("[1, 2]") != shape("[2, 1]"));
    CHECK(shape("a word") == shape("a word"));
    CHECK(shape("a word") != shape("[]"));
}

TEST_CASE("a key is set to a number where its member is one") {
    oplog::operation op = oplog::operation::traced(0, "f");
    CHECK(op.set("stage_id", 4));
    CHECK(op.set("duration", 8.25));
    CHECK(op.set("rank", 7));
    CHECK_FALSE(op.set("rank", 1.5));
    CHECK_FALSE(op.set("mg_state", 4));
    CHECK_FALSE(op.set("cmd_uid", 4));
    CHECK_FALSE(op.set("sub_operations", 4));
    CHECK_FALSE(op.set("input__shape", 4));
    CHECK(op.stage_id == 4);
    CHECK(op.duration == 8.25);
    CHECK(op.rank == 7);
    CHECK(op.attributes.empty());
    CHECK(op.set("stage_id", nullptr));
    CHECK(op.stage_id.is_none());
    oplog::sub_operation sub;
    CHECK(sub.set("timestamp", 3));
    CHECK(sub.timestamp == 3);
    CHECK_FALSE(sub.set("group", 3));
}

TEST_CASE("nested operations in braces") {
    oplog::sub_operation sub;
    sub.comm_func = "allreduce";
    oplog::operation op;
    op.sub_operations = {sub, oplog::sub_operation()};
    sub.comm_func = "broadcast";
    CHECK(op.sub_operations.size() == 2);
    CHECK((*op.sub_operations.begin()).comm_func == "allreduce");
    op.sub_operations = {};
    CHECK(op.sub_operations.is_missing());
    op.sub_operations = {sub};
    CHECK((*op.sub_operations.begin()).comm_func == "broadcast");
}

TEST_CASE("attributes in braces") {
    operation op;
    op.op = "x";
    op.attributes = {{"k", "v"}};
    CHECK(written(op) == "rank:0:x(k=v)\n");
    op.attributes = {{"b", "2"}, {"a", "1"}};
    CHECK(written(op) == "rank:0:x(b=2,a=1)\n");
    op.attributes = {};
    CHECK(op.attributes.empty());
}

TEST_CASE("a list of attributes rules the order") {
    operation op;
    op.op = "x";
    op.stage_id = 1;
    op.mg_state = "help";
    op.duration = 2.5;
    op.timestamp = 9;
    op.sub_operations = {nullptr, 0};

    SUBCASE("known keys take the member's value, further keys their own, what is not listed goes before the list") {
        const attribute order[] = {{"cmd_uid", "c-1"}, {"timestamp", "old"},      {"stage", "old"},
                                   {"note", ""},       {"sub_operations", "old"}, {"last", "l"}};
        op.attributes = {order, std::size(order)};
        CHECK(written(op) ==
              "rank:0:x(cmd_uid=c-1,timestamp=9,stage=help,note=,stage_id=1,duration=2.5,sub_operations=[],last=l)\n");
        op.spaced = true;
        CHECK(written(op) ==
              "rank:0:x(cmd_uid=c-1, timestamp=9, stage=help, note=, stage_id=1, duration=2.5, sub_operations=[], "
              "last=l)\n");
        op.sub_operations = {};
        CHECK(written(op) ==
              "rank:0:x(cmd_uid=c-1, timestamp=9, stage=help, note=, stage_id=1, duration=2.5, last=l)\n");
    }
    SUBCASE("what is not listed goes last where the list is not listed either") {
        const attribute order[] = {{"duration", ""}, {"k", "v"}};
        op.attributes = {order, std::size(order)};
        CHECK(written(op) == "rank:0:x(duration=2.5,k=v,stage_id=1,mg_state=help,timestamp=9,sub_operations=[])\n");
    }
    SUBCASE("a member that became missing loses its place") {
        const attribute order[] = {{"duration", "1"}, {"description", "d"}, {"k", "v"}};
        op.attributes = {order, std::size(order)};
        op.duration = {};
        CHECK(written(op) == "rank:0:x(k=v,stage_id=1,mg_state=help,timestamp=9,sub_operations=[])\n");
    }
    SUBCASE("a further attribute without data is not written") {
        const attribute order[] = {{"k", {}}, {"m", "v"}};
        op.attributes = {order, std::size(order)};
        CHECK(written(op) == "rank:0:x(m=v,stage_id=1,mg_state=help,duration=2.5,timestamp=9,sub_operations=[])\n");
    }
    SUBCASE("the attributes of a nested operation") {
        sub_operation sub;
        sub.comm_func = "allreduce";
        sub.duration = 1;
        sub.func_name = "it's";
        const attribute order[] = {{"stream", "7"}, {"comm_func", "\""}, {"peer", "\\"}};
        sub.attributes = {order, std::size(order)};
        // The text that the list has for a known key is ignored when the quotes are chosen, as the member's value is
        // written.
        CHECK(written(with(sub)) ==
              "rank:0:x(sub_operations=[\"stream=7,comm_func=allreduce,peer=\\\\,duration=1,func_name=it's\"])\n");
        sub.spaced = true;
        CHECK(written(with(sub)) ==
              "rank:0:x(sub_operations=[\"stream=7, comm_func=allreduce, peer=\\\\, duration=1, func_name=it's\"])\n");
    }
    SUBCASE("attributes given as one text") {
        op.attributes = attribute_list::from_text("k=v, w,duration=1,m=2");
        CHECK(written(op) ==
              "rank:0:x(k=v, w,duration=2.5,m=2,stage_id=1,mg_state=help,timestamp=9,sub_operations=[])\n");
        op.attributes = attribute_list::from_text("k=v,w=x, duration=1", true);
        op.spaced = true;
        CHECK(written(op) ==
              "rank:0:x(k=v,w=x, duration=2.5, stage_id=1, mg_state=help, timestamp=9, sub_operations=[])\n");
    }
}

TEST_CASE("a program iterates over an attribute list") {
    const attribute own[] = {{"a", "1"}, {"b", ""}, {"a", "2"}};
    const attribute_list list(own, 3);
    CHECK_FALSE(list.empty());
    std::string walked;
    for (auto i = list.begin(); i != list.end(); ++i) walked.append(i->key).append((*i).value);
    CHECK(walked == "a1ba2");
    CHECK(attribute_list().empty());
    CHECK(attribute_list().begin() == attribute_list().end());
    CHECK(attribute_list(own, 0).empty());
    oplog::operation named;
    named.attributes = {{"cmd_uid", "7"}};
    CHECK(named.find("cmd_uid") == "7");
    CHECK(attribute_list(own, 0).begin() == attribute_list().end());
    CHECK(attribute_list::from_text("").begin() == attribute_list().end());
    CHECK(attribute_list::from_text("no key").begin() == attribute_list().end());
    const auto split = [](std::string_view text, bool spaced) {
        std::string all;
        for (const attribute& a : attribute_list::from_text(text, spaced))
            all.append(a.key).append("=").append(a.value) += ';';
        return all;
    };
    CHECK(split("a=1,b=2, c=3", false) == "a=1;b=2, c=3;");
    CHECK(split("a=1,b=2, c=3", true) == "a=1,b=2;c=3;");
}

TEST_CASE("strings are quoted as Python quotes them") {
    // Python's own answers: repr().
    const struct {
        std::string_view text;
        std::string_view repr;
    } cases[] = {
        {""sv, "''"sv},
        {"plain"sv, "'plain'"sv},
        {"it's"sv, "\"it's\""sv},
        {"say \"x\""sv, "'say \"x\"'"sv},
        {"both ' and \""sv, "'both \\' and \"'"sv},
        {"\\"sv, "'\\\\'"sv},
        {"a\\b"sv, "'a\\\\b'"sv},
        {"\\'"sv, "\"\\\\'\""sv},
        {"\\\""sv, "'\\\\\"'"sv},
        {"'"sv, "\"'\""sv},
        {"\""sv, "'\"'"sv},
        {"''"sv, "\"''\""sv},
        {"'\\\""sv, "'\\'\\\\\"'"sv},
        {"\x0a"sv, "'\\n'"sv},
        {"\x0d\x0a\x09"sv, "'\\r\\n\\t'"sv},
        {"\x00"sv, "'\\x00'"sv},
        {"\x01\x08\x0b\x0c\x1b\x1f"sv, "'\\x01\\x08\\x0b\\x0c\\x1b\\x1f'"sv},
        {"\x7f"sv, "'\\x7f'"sv},
        {" ~"sv, "' ~'"sv},
        {"caf\xc3\xa9"sv, "'caf\xc3\xa9'"sv},
        {"\xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x98\x80"sv, "'\xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x98\x80'"sv},
        {"it's\x0a"
         "caf\xc3\xa9"sv,
         "\"it's\\ncaf\xc3\xa9\""sv},
        {"a,b=c"sv, "'a,b=c'"sv},
        {"[']"sv, "\"[']\""sv},
        {"\x00"
         "12"sv,
         "'\\x0012'"sv},
        {"tab\x09here 'q'"sv, "\"tab\\there 'q'\""sv},
    };
    for (const auto& c : cases) {
        CAPTURE(c.repr);
        std::string out = "before ";
        oplog::write_quoted(out, c.text);
        CHECK(out == "before " + std::string(c.repr));
        pieces sink;
        oplog::write_quoted(sink, c.text);
        CHECK(sink.joined() == c.repr);
        CHECK(in_quotes(c.text) == c.repr);

        // Read as a nested operation, it gives the string back.
        sub_operation sub;
        sub.text = c.text;
        const std::string line = written(with(sub));
        const auto back = oplog::read(line);
        REQUIRE(back.ok());
        REQUIRE(back->operations[0].sub_operations.size() == 1);
        const sub_operation read = *back->operations[0].sub_operations.begin();
        CHECK(read.is_text());
        CHECK(unescaped(read.text) == c.text);
        CHECK(written(*back) == line);
    }
    // Python escapes what it cannot print; here bytes from 0x80 on stay as they are.
    CHECK(in_quotes("\xc2\x85\xff\xed\xa0\x80") == "'\xc2\x85\xff\xed\xa0\x80'");
    const std::string very_long(10000, '\'');
    CHECK(in_quotes(very_long) == "\"" + very_long + "\"");
    std::string escaped;
    for (int n = 0; n < 10000; ++n) escaped += "\\n";
    CHECK(in_quotes(std::string(10000, '\n')) == "'" + escaped + "'");
}

TEST_CASE("a byte to escape is found wherever it is in a text of any length") {
    const struct {
        char byte;
        std::string_view escaped;
    } cases[] = {{'\\', "\\\\"}, {'\0', "\\x00"}, {'\x1f', "\\x1f"}, {'\x7f', "\\x7f"}, {' ', " "}, {'\x80', "\x80"}};
    for (std::size_t size = 1; size <= 150; size += size < 70 ? 1 : 19) {
        CAPTURE(size);
        const std::string plain = test::letters(size);
        // The vector has exactly the text's size, so that a sanitizer notices a read beyond it.
        std::vector<char> text(plain.begin(), plain.end());
        sub_operation sub;
        sub.group = std::string_view(text.data(), size);
        sub.comm_func = "c";
        for (std::size_t n = 0; n != size; ++n) {
            for (const auto& c : cases) {
                text[n] = c.byte;
                const std::string expected = "rank:0:x(sub_operations=['group=" + plain.substr(0, n) +
                                             std::string(c.escaped) + plain.substr(n + 1) + ",comm_func=c'])\n";
                std::string unchecked;
                oplog::write_unchecked(unchecked, with(sub));
                CHECK(written(with(sub)) == expected);
                CHECK(unchecked == expected);
            }
            text[n] = '\'';
            const std::string line = written(with(sub));
            const std::string expected =
                "rank:0:x(sub_operations=[\"group=" + std::string(text.begin(), text.end()) + ",comm_func=c\"])\n";
            CHECK(line == expected);
            text[n] = plain[n];
        }
    }
}

TEST_CASE("an operation's name is written if a reader takes it for one, whichever byte it holds") {
    for (const std::string_view good : {"x_9"sv, "all_reduce_16"sv, "forward_step_2_of_2"sv})
        for (std::size_t at = 0; at != good.size(); ++at)
            for (int byte = 0; byte != 256; ++byte) {
                std::string name(good);
                name[at] = static_cast<char>(byte);
                const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
                const bool later = (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == ':';
                const bool is_name = letter || (later && at != 0);
                CAPTURE(name);
                operation op;
                op.op = name;
                op.stage_id = 1;
                std::string out;
                CHECK(!oplog::write(out, op) == is_name);
                CHECK(out.empty() == !is_name);
            }
}

TEST_CASE("what a lenient reader passed over is not written, in the first record neither") {
    wlfmt::options lenient;
    lenient.lenient = true;
    const std::string good = "rank:0:x(stage_id=1,sub_operations=['duration=1.5'])\n";
    const std::string bad = "rank:0:x(stage_id=1,sub_operations=['duration=b'])\n";
    for (const std::string& text : {bad, bad + good, good + bad, bad + bad}) {
        CAPTURE(text);
        const auto doc = oplog::read(text, lenient);
        REQUIRE(doc.ok());
        const std::size_t first = text.find("=b") < good.size() ? 0 : 1;
        const wlfmt::problem e = problem_of(*doc);
        CHECK(e.kind == wlfmt::error_kind::unwritable);
        CHECK(e.field == "duration");
        CHECK(e.found == static_cast<std::int64_t>(first));
    }
}

TEST_CASE("the quotes of a nested operation's values") {
    sub_operation sub;
    sub.func_name = "it's";
    sub.group = "tp";
    CHECK(written(with(sub)) == "rank:0:x(sub_operations=[\"func_name=it's,group=tp\"])\n");
    sub.group = "t\"p";
    CHECK(written(with(sub)) == "rank:0:x(sub_operations=['func_name=it\\'s,group=t\"p'])\n");
    sub.func_name = "a\\b\n\x7f";
    sub.group = {};
    CHECK(written(with(sub)) == "rank:0:x(sub_operations=['func_name=a\\\\b\\n\\x7f'])\n");
    sub.func_name = {};
    sub.duration = number(std::string_view("'"));
    CHECK(written(with(sub)) == "rank:0:x(sub_operations=[\"duration='\"])\n");
    sub.duration = {};
    sub.input_shape = shape("['a']");
    CHECK(written(with(sub)) == "rank:0:x(sub_operations=[\"input__shape=['a']\"])\n");

    // Where the operation names its quote, its texts are escaped already.
    sub = {};
    sub.quote = '"';
    sub.func_name = "a\\\"b's";
    CHECK(written(with(sub)) == "rank:0:x(sub_operations=[\"func_name=a\\\"b's\"])\n");
    sub = {};
    sub.quote = '\'';
    sub.text = "a\\nb";
    CHECK(written(with(sub)) == "rank:0:x(sub_operations=['a\\nb'])\n");
}

TEST_CASE("a document is edited in place") {
    const std::string text = test::data("oplog/plain.txt");
    auto log = oplog::read(text);
    REQUIRE(log.ok());
    std::string expected = text;
    const auto replace = [&](std::string_view from, std::string_view to) {
        expected.replace(expected.find(from), from.size(), to);
    };

    operation& op = log->operations[0];
    op.duration = 9;
    replace("duration=8.3", "duration=9");
    std::vector<sub_operation>& subs = op.sub_operations.edit();
    REQUIRE(subs.size() == 2);
    CHECK(written(*log) == expected);  // nothing but what was edited changes
    for (auto& sub : subs) sub.duration = 0.5;
    replace("duration=0.02", "duration=0.5");
    replace("duration=0.03", "duration=0.5");
    subs[1].func_name = "named";
    replace("torch.int64,group", "torch.int64,func_name=named,group");
    CHECK(written(*log) == expected);
    CHECK(op.sub_operations.size() == 2);
    // A second call gives the same vector: nothing is decoded again.
    CHECK(&op.sub_operations.edit() == &subs);

    // An empty list can be edited.
    CHECK(log->operations[1].sub_operations.edit().empty());
    CHECK(written(*log) == expected);

    // Moving the document does not move what edit() gave out.
    auto moved = std::move(*log);
    subs[0].comm_func = "broadcast";
    replace("comm_func=allreduce", "comm_func=broadcast");
    CHECK(written(moved) == expected);

    // A missing list, and None, become an empty one.
    for (const auto& [line, edited] :
         {std::pair<std::string_view, std::string_view>{"rank:0:x(stage_id=1)\n",
                                                        "rank:0:x(stage_id=1,sub_operations=[])\n"},
          {"rank:0:x(stage_id=2,sub_operations=None)\n", "rank:0:x(stage_id=2,sub_operations=[])\n"},
          {"rank:0:x(sub_operations=[],k=v)\n", "rank:0:x(sub_operations=[],k=v)\n"}}) {
        auto one = oplog::read(line);
        REQUIRE(one.ok());
        CHECK(one->operations[0].sub_operations.edit().empty());
        CHECK(written(*one) == edited);
    }

    // A list of any other order keeps it.
    auto odd = oplog::read("rank:0:x(k=v,sub_operations=['z=1,func_name=a\\\\b', 'text'],duration=1)\n");
    REQUIRE(odd.ok());
    std::vector<sub_operation>& items = odd->operations[0].sub_operations.edit();
    REQUIRE(items.size() == 2);
    items[0].duration = 3;
    items[1].text = "it's";
    CHECK(written(*odd) == "rank:0:x(k=v,sub_operations=['z=1,func_name=a\\\\b,duration=3', \"it's\"],duration=1)\n");
}

TEST_CASE("a sink is given all pieces in order") {
    // Texts just below and above the size up to which texts are copied, and around the size of the buffer.
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{511}, std::size_t{512}, std::size_t{513},
                                   std::size_t{4095}, std::size_t{4096}, std::size_t{4097}, std::size_t{20000}}) {
        CAPTURE(size);
        std::string description(size, 'd');
        for (std::size_t n = 0; n < size; ++n) description[n] = static_cast<char>('a' + n % 26);
        std::vector<sub_operation> subs(20);
        for (auto& sub : subs) sub.func_name = description;
        operation op = operation::traced(1, "x");
        op.description = description;
        op.sub_operations = {subs.data(), subs.size()};
        std::string expected =
            "rank:1:x(stage_id=None,batch_id=None,mg_state=None,duration=None,description=" + description +
            ",group_kind=None,input__shape=None,input__dtype=None,timestamp=None,sub_operations=[";
        for (std::size_t n = 0; n < subs.size(); ++n)
            expected.append(n == 0 ? "" : ", ").append("'func_name=").append(description).append("'");
        expected += "])\n";
        CHECK(written(op) == expected);
        pieces sink;
        CHECK_FALSE(oplog::write(sink, op));
        CHECK(sink.joined() == expected);
        for (const auto& piece : sink.all) CHECK_FALSE(piece.empty());

        oplog::document doc;
        doc.operations.assign(5, op);
        pieces all;
        CHECK_FALSE(oplog::write(all, doc));
        CHECK(all.joined() == expected + expected + expected + expected + expected);
        CHECK(written(doc) == all.joined());
    }
    std::string out = "kept,";
    CHECK_FALSE(oplog::write(out, operation::traced(0, "x")));
    CHECK(out.substr(0, 14) == "kept,rank:0:x(");
    pieces nothing;
    CHECK_FALSE(oplog::write(nothing, oplog::document()));
    CHECK(nothing.all.empty());
}

namespace {

std::string problem(const operation& op) {
    const wlfmt::problem e = oplog::problem_of(op);
    if (!e) return {};
    CHECK(e.kind == wlfmt::error_kind::unwritable);
    CHECK(e.length == 0);
    return std::string(e.field);
}

// Whether the line that is written of a record reads back as the record.
bool reads_back(const operation& op) {
    const std::string text = written(op);
    const auto back = oplog::read(text);
    return back.ok() && back->operations.size() == 1 && difference(back->operations[0], op).empty();
}

}  // namespace

TEST_CASE("a record that would not read back is reported with its field") {
    operation op = operation::traced(0, "x");
    CHECK(problem(op) == "");

    SUBCASE("the head") {
        op.rank = -1;
        CHECK(problem(op) == "rank");
        op.origin = oplog::origin::stage;
        CHECK(problem(op) == "stage");
        op.rank = 0;
        for (const std::string_view name :
             {"", "1x", "a b", "a/b", ".b", "a(", ":b", "caf\xc3\xa9", "a\n", "a:name_of_many b"}) {
            op.op = name;
            CHECK(problem(op) == "op");
            CHECK_FALSE(reads_back(op));
        }
        op.op = {};
        CHECK(problem(op) == "op");
    }
    SUBCASE("a value that holds a separator and a key") {
        op.description = "a,b=c";
        CHECK(problem(op) == "description");
        CHECK_FALSE(reads_back(op));
        op.description = "a, b=c";
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
        op.spaced = true;
        CHECK(problem(op) == "description");
        CHECK_FALSE(reads_back(op));
        op.description = "a,b=c";
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
    }
    SUBCASE("the first value decides on the separator and may hold neither") {
        operation first;
        first.op = "x";
        first.mg_state = "a, b=c";
        first.description = "d";
        CHECK(problem(first) == "mg_state");
        CHECK_FALSE(reads_back(first));
        first.mg_state = "a,b=c";
        CHECK(problem(first) == "mg_state");
        first.mg_state = "a, b c";
        CHECK(problem(first) == "");
        CHECK(reads_back(first));
        // After a list no bracket is open.
        const attribute order[] = {{"sub_operations", ""}, {"description", ""}};
        sub_operation sub;
        sub.text = "s";
        operation list_first;
        list_first.op = "x";
        list_first.attributes = {order, 2};
        list_first.sub_operations = {&sub, 1};
        list_first.description = "a, b=c";
        CHECK(reads_back(list_first));
        CHECK(problem(list_first) == "");
    }
    SUBCASE("a line end") {
        for (const auto member :
             {&operation::mg_state, &operation::description, &operation::group_kind, &operation::input_dtype}) {
            operation bad = op;
            bad.*member = "a\nb";
            CHECK(problem(bad) != "");
            CHECK_FALSE(reads_back(bad));
            bad.*member = "a\rb";
            CHECK(problem(bad) == "");
            CHECK(reads_back(bad));
        }
        op.input_shape = shape("[1\n]");
        CHECK(problem(op) == "input__shape");
    }
    SUBCASE("a number field that holds a text") {
        for (const std::string_view text : {"soon", "", "1", "1.5", "None", "nan", "1 ms", "1e999"}) {
            operation bad = op;
            bad.duration = number(text);
            CHECK(problem(bad) == "duration");
            CHECK_FALSE(reads_back(bad));
            bad = op;
            bad.timestamp = number(text);
            CHECK(problem(bad) == "timestamp");
            bad = op;
            bad.stage_id = number(text);
            CHECK(problem(bad) == "stage_id");
        }
        op.duration = number("Async operation, duration not measured"sv);
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
        std::swap(op.duration, op.timestamp);
        CHECK(problem(op) == "timestamp");
        CHECK_FALSE(reads_back(op));
        std::swap(op.duration, op.timestamp);
        op.batch_id = op.duration;
        CHECK(problem(op) == "batch_id");
        op.batch_id = 1.5;
        CHECK(problem(op) == "batch_id");
        CHECK_FALSE(reads_back(op));
        op.batch_id = INT64_MIN;
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
    }
    SUBCASE("keys") {
        for (const std::string_view key : {"", "1a", "a b", "a=", "a-b", ".a", "caf\xc3\xa9", "a\n"}) {
            const attribute bad[] = {{key, "v"}};
            op.attributes = {bad, 1};
            CHECK(oplog::problem_of(op).kind == wlfmt::error_kind::unwritable);
            CHECK(problem(op) == (key.empty() ? "attributes" : key));
            CHECK_FALSE(reads_back(op));
        }
        const attribute twice[] = {{"k", "1"}, {"k", "2"}, {"a.b", ""}};
        op.attributes = {twice, 3};
        CHECK(problem(op) == "");
        CHECK(written(op).find("k=1,k=2,a.b=") != std::string::npos);
        const attribute known_twice[] = {{"duration", "1"}, {"duration", "2"}};
        op.attributes = {known_twice, 2};
        CHECK(problem(op) == "duration");
        CHECK_FALSE(reads_back(op));
        const attribute two_names[] = {{"time_stamp", "1"}, {"timestamp", "2"}};
        op.attributes = {two_names, 2};
        CHECK(problem(op) == "timestamp");
        const attribute value[] = {{"k", "a,b=c"}};
        op.attributes = {value, 1};
        CHECK(problem(op) == "k");
    }
    SUBCASE("what follows the list") {
        sub_operation sub;
        sub.text = "s";
        op = with(sub);
        for (const std::string_view value : {"['a']", "[\"a\"]", "b=']", ""}) {
            const attribute order[] = {{"sub_operations", ""}, {"k", value}};
            op.attributes = {order, 2};
            CHECK(problem(op) == (value.empty() ? "" : "sub_operations"));
        }
        for (const std::string_view value : {"[]", "[1, 2]", "x[", "]", "'", "a]b"}) {
            const attribute order[] = {{"sub_operations", ""}, {"k", value}};
            op.attributes = {order, 2};
            CAPTURE(value);
            CHECK(problem(op) == "");
            CHECK(reads_back(op));
        }
        const attribute before[] = {{"k", "['a']"}, {"sub_operations", ""}};
        op.attributes = {before, 2};
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
    }
    SUBCASE("nested operations") {
        sub_operation sub;
        op = with(sub);
        CHECK(problem(op) == "sub_operations.text");  // no key and no text: reads back as the empty text
        sub.text = "";
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
        for (const std::string_view text : {"a=", "a.b=c", "_="}) {
            sub.text = text;
            CHECK(problem(op) == "sub_operations.text");
            CHECK_FALSE(reads_back(op));
        }
        for (const std::string_view text : {"a", "a =1", "1=1", "a: b=c,d=e", "it's", "a\nb\\\"'", "\nk=1"}) {
            sub.text = text;
            CHECK(problem(op) == "");
        }
        sub.text = {};
        sub.quote = '`';
        sub.func_name = "f";
        CHECK(problem(op) == "sub_operations.quote");
        sub.quote = 0;
        CHECK(problem(op) == "");
        // The tracer escapes line ends here.
        sub.func_name = "a\nb";
        CHECK(problem(op) == "");
        sub.func_name = "a,b=c";
        CHECK(problem(op) == "func_name");
        CHECK_FALSE(reads_back(op));
        sub.func_name = "a, b=c";
        CHECK(problem(op) == "func_name");  // refused only as the first value
        sub.duration = 1;
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
        sub.spaced = true;
        CHECK(problem(op) == "func_name");
        sub.func_name = "f";
        CHECK(problem(op) == "");
        sub.duration = number("soon"sv);
        CHECK(problem(op) == "duration");
        sub.duration = number("Async operation, duration not measured"sv);
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
        std::swap(sub.duration, sub.timestamp);
        CHECK(problem(op) == "timestamp");
        std::swap(sub.duration, sub.timestamp);
        const attribute bad_key[] = {{"a b", "v"}};
        sub.attributes = {bad_key, 1};
        CHECK(problem(op) == "a b");
        const attribute twice[] = {{"func_name", "1"}, {"func_name", "2"}};
        sub.attributes = {twice, 2};
        CHECK(problem(op) == "func_name");
        CHECK_FALSE(reads_back(op));
    }
    SUBCASE("nested operations with escapes in place") {
        sub_operation sub;
        sub.quote = '\'';
        op = with(sub);
        for (const std::string_view text : {"a\\", "it's", "a\nb", "\\x1", "\\N", "\\U00110000"}) {
            CAPTURE(text);
            sub.func_name = {};
            sub.text = text;
            CHECK(problem(op) == "sub_operations.text");
            CHECK_FALSE(reads_back(op));
            sub.text = {};
            sub.func_name = text;
            CHECK(problem(op) == "func_name");
            CHECK_FALSE(reads_back(op));
        }
        for (const std::string_view text : {"a\\\\", "it\\'s", "say \"\\n\"", "\\x41\\u1234\\q", "a\r\\n"}) {
            CAPTURE(text);
            sub.func_name = {};
            sub.text = text;
            CHECK(problem(op) == "");
            CHECK(reads_back(op));
            sub.text = {};
            sub.func_name = text;
            CHECK(problem(op) == "");
            CHECK(reads_back(op));
        }
        // Before a comma a backslash is not an escape, before the closing quote it is one.
        sub.func_name = "a\\";
        sub.group = "b";
        CHECK(problem(op) == "");
        CHECK(reads_back(op));
        sub.group = "b\\";
        CHECK(problem(op) == "group");
    }
}

TEST_CASE("records that were read without a problem can be written") {
    for (const std::string& name : test::oplog_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        for (const operation& op : test::read_on(text).records) {
            CAPTURE(written(op));
            CHECK(problem(op) == "");
        }
    }
}

TEST_CASE("an empty array of dimensions is written as [], not left out") {
    const std::vector<std::int64_t> none;
    sub_operation sub;
    sub.input_shape = shape(none.data(), none.size());
    operation op = with(sub);
    op.input_shape = shape(nullptr, 0);
    for (const shape& s : {op.input_shape, sub.input_shape}) {
        CHECK_FALSE(s.is_missing());
        CHECK_FALSE(s.is_none());
        CHECK(s.is_list());
        CHECK(s.size() == 0);
        CHECK(s.begin() == s.end());
    }
    CHECK(written(op) == "rank:0:x(input__shape=[],sub_operations=['input__shape=[]'])\n");
    op.spaced = true;  // the other way through the writer
    CHECK(written(op) == "rank:0:x(input__shape=[], sub_operations=['input__shape=[]'])\n");
    const std::string text = written(op);
    const auto back = oplog::read(text);
    REQUIRE(back.ok());
    CHECK(difference(back->operations.at(0), op) == "");
    op.input_shape = shape();
    CHECK(op.input_shape.is_missing());
    CHECK(written(op) == "rank:0:x(sub_operations=['input__shape=[]'])\n");
}

namespace {

// The bytes that `fill` wrote to a FILE*.
template <class Fill> std::string in_file(Fill&& fill) {
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    fill(file);
    std::rewind(file);
    std::string text;
    for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

// A sink that takes so many bytes and then fails, as a full disk does.
class full_disk {
public:
    explicit full_disk(std::size_t room) : room_(room) {}
    void write(const char* bytes, std::ptrdiff_t size) {
        const auto n = static_cast<std::size_t>(size);
        failed_ = failed_ || n > room_ - text.size();
        if (!failed_) text.append(bytes, n);
    }
    bool fail() const { return failed_; }

    std::string text;

private:
    std::size_t room_;
    bool failed_ = false;
};

}  // namespace

TEST_CASE("a line end in a description injects no second record") {
    operation op = operation::traced(3, "x");
    op.description = "a)\nrank:4:y(stage_id=1";
    const wlfmt::problem problem = problem_of(op);
    CHECK(problem.kind == wlfmt::error_kind::unwritable);
    CHECK(problem.field == "description");
    std::string unchecked;
    oplog::write_unchecked(unchecked, op);
    CHECK(oplog::read(unchecked).partial().operations.size() == 2);

    std::string text = "kept";
    CHECK(oplog::write(text, op).field == "description");
    CHECK(text == "kept");
    std::ostringstream stream;
    CHECK(oplog::write(stream, op).field == "description");
    CHECK(stream.str().empty());
    pieces sink;
    CHECK(oplog::write(sink, op).field == "description");
    CHECK(sink.all.empty());
    CHECK(in_file([&](std::FILE* file) { CHECK(oplog::write(file, op).field == "description"); }).empty());
}

TEST_CASE("a further key in a text is found wherever it is, however many equals signs are beside it") {
    for (std::size_t before = 0; before != 33; ++before) {
        for (std::size_t signs = 1; signs != 10; ++signs) {
            const std::string text = std::string(before, 'd') + ",x" + std::string(signs, '=');
            CAPTURE(text);
            operation op = operation::traced(3, "forward_step");
            op.description = text;
            std::string out;
            CHECK(oplog::write(out, op).field == "description");
            sub_operation sub;
            sub.comm_func = "allreduce";
            sub.func_name = text;
            CHECK(oplog::write(out, with(sub)).field == "func_name");
            CHECK(out.empty());
        }
    }
}

TEST_CASE(
    "the record that would not read back is reported with its position, and no record of the document is written") {
    oplog::document doc;
    doc.operations.assign(300, operation::traced(5, "x"));
    doc.operations[211].sub_operations.edit().emplace_back();
    doc.operations[211].sub_operations.edit()[0].comm_func = "a,b=c";
    doc.operations[250].rank = -1;
    const wlfmt::problem problem = problem_of(doc);
    CHECK(problem.kind == wlfmt::error_kind::unwritable);
    CHECK(problem.field == "comm_func");
    CHECK(problem.found == 211);
    CHECK(problem.expected == 1);
    CHECK_FALSE(written(doc).empty());  // what is written unchecked; write() is compared with problem_of() there
    doc.operations[211].sub_operations.edit()[0].comm_func = "a";
    CHECK(problem_of(doc).field == "rank");
    CHECK(problem_of(doc).found == 250);
    doc.operations[250].rank = 1;
    CHECK_FALSE(problem_of(doc));
    std::string text;
    CHECK_FALSE(oplog::write(text, doc));
    CHECK(test::lines_of(text).size() == 300);
}

TEST_CASE("strings, streams, files and sinks of the program's own are given the same bytes") {
    const std::string text = test::data("oplog_rank7_pipeline_last_stage.txt");
    const auto log = oplog::read(text);
    REQUIRE(log.ok());
    std::ostringstream stream;
    CHECK_FALSE(oplog::write(stream, *log));
    CHECK(stream.str() == text);
    CHECK(in_file([&](std::FILE* file) { CHECK_FALSE(oplog::write(file, *log)); }) == text);
    pieces sink;
    CHECK_FALSE(oplog::write(sink, *log));
    CHECK(sink.joined() == text);
    std::ostringstream unchecked;
    oplog::write_unchecked(unchecked, *log);
    CHECK(unchecked.str() == text);
}

TEST_CASE("a sink that fails is an error of its own") {
    const std::string text = test::data("oplog_rank7_pipeline_last_stage.txt");
    const auto log = oplog::read(text);
    REQUIRE(log.ok());
    full_disk disk(5000);
    const wlfmt::problem e = oplog::write(disk, *log);
    CHECK(e.kind == wlfmt::error_kind::cannot_write);
    CHECK(disk.text == text.substr(0, disk.text.size()));
    full_disk large(text.size());
    CHECK_FALSE(oplog::write(large, *log));
    CHECK(large.text == text);
    full_disk none(0);
    CHECK(oplog::write(none, log->operations[0]).kind == wlfmt::error_kind::cannot_write);
}

TEST_CASE("function objects and inserters are sinks") {
    const std::string text = test::data("oplog_rank7_pipeline_last_stage.txt");
    const auto log = oplog::read(text);
    REQUIRE(log.ok());
    std::string called;
    CHECK_FALSE(oplog::write([&](std::string_view piece) { called += piece; }, *log));
    CHECK(called == text);
    called.clear();
    const auto few = [&](std::string_view piece) {
        called += piece;
        return called.size() < 5000;  // whether it took the piece
    };
    CHECK(oplog::write(few, *log).kind == wlfmt::error_kind::cannot_write);
    CHECK(called == text.substr(0, called.size()));
    std::vector<char> inserted;
    CHECK_FALSE(oplog::write(std::back_inserter(inserted), *log));
    CHECK(std::string(inserted.begin(), inserted.end()) == text);
    std::ostringstream stream;
    CHECK_FALSE(oplog::write(std::ostreambuf_iterator<char>(stream), *log));
    CHECK(stream.str() == text);
    CHECK(oplog::write(std::ostreambuf_iterator<char>(nullptr), *log).kind == wlfmt::error_kind::cannot_write);
    std::deque<char> front = {'\n'};
    auto inserter = std::inserter(front, front.begin());
    CHECK_FALSE(oplog::write(inserter, log->operations[0]));
    CHECK_FALSE(oplog::write(inserter, log->operations[1]));
    std::string both;
    CHECK_FALSE(oplog::write(both, log->operations[0]));
    CHECK_FALSE(oplog::write(both, log->operations[1]));
    CHECK(std::string(front.begin(), front.end()) == both + '\n');
}

TEST_CASE("what a sink returns tells whether it failed, and a null file is no sink") {
    const std::string text = test::data("oplog_rank7_pipeline_last_stage.txt");
    const auto log = oplog::read(text);
    REQUIRE(log.ok());
    const auto fails = [&](auto sink) {
        CHECK(oplog::write(sink, *log).kind == wlfmt::error_kind::cannot_write);
        CHECK(sink.text == text.substr(0, sink.room));  // nothing after the hole
        decltype(sink) large(text.size());
        CHECK_FALSE(oplog::write(large, *log));
        CHECK(large.text == text);
    };
    fails(test::short_sink<bool>(5001));
    fails(test::short_sink<int>(5002));
    fails(test::short_sink<long>(4096));
    fails(test::short_sink<std::size_t>(4097));
    test::refusing_sink refusing;
    CHECK(oplog::write(refusing, *log).kind == wlfmt::error_kind::cannot_write);
    test::appending_sink appending;
    CHECK_FALSE(oplog::write(appending, *log));
    CHECK(appending.text == text);
    std::FILE* const missing = nullptr;
    CHECK(oplog::write(missing, *log).kind == wlfmt::error_kind::cannot_write);
    CHECK(oplog::write(missing, wlfmt::oplog::document()).kind == wlfmt::error_kind::cannot_write);
    oplog::write_unchecked(missing, *log);
}

TEST_CASE("nested operations are added and removed") {
    auto log = oplog::read("rank:0:x(sub_operations=['group=a', 'group=b', 'group=c'])\nrank:0:y()\n");
    REQUIRE(log.ok());
    auto& subs = log->operations[0].sub_operations.edit();
    subs.erase(subs.begin() + 1);
    sub_operation more;
    more.group = "d";
    subs.insert(subs.begin(), more);
    more.group = "e";
    log->operations[1].sub_operations.edit().push_back(more);
    CHECK(written(*log) ==
          "rank:0:x(sub_operations=['group=d', 'group=a', 'group=c'])\nrank:0:y(sub_operations=['group=e'])\n");
    subs.clear();
    CHECK(log->operations[0].sub_operations.empty());
    CHECK_FALSE(log->operations[0].sub_operations.is_missing());
    CHECK(written(log->operations[0]) == "rank:0:x(sub_operations=[])\n");
    log->operations[0].sub_operations = std::vector<sub_operation>(2, more);
    CHECK(log->operations[0].sub_operations.size() == 2);
    log->operations[1].sub_operations = {};
    CHECK(written(*log) == "rank:0:x(sub_operations=['group=e', 'group=e'])\nrank:0:y()\n");
}

TEST_CASE("unescape returns a string of its own") {
    const std::string plain = "plain";
    CHECK(oplog::unescape(plain) == "plain");
    CHECK(oplog::unescape(plain + "\\n\\x41") == "plain\nA");
    CHECK(oplog::unescape("") == "");
    CHECK(oplog::unescape({}) == "");
    static_assert(std::is_same_v<decltype(oplog::unescape("a")), std::string>);
    const auto log = oplog::read("rank:0:x(sub_operations=['it\\'s \"1\"'])\n");
    REQUIRE(log.ok());
    CHECK(oplog::unescape((*log->operations[0].sub_operations.begin()).text) == "it's \"1\"");
}

TEST_CASE("the key of a missing member may be listed twice, as nothing is written for it") {
    operation op;
    op.op = "x";
    const attribute twice[] = {{"duration", {}}, {"k", "v"}, {"duration", {}}};
    op.attributes = {twice, 3};
    CHECK(problem(op) == "");
    CHECK(written(op) == "rank:0:x(k=v)\n");
    // With a value it is refused: the second one would be read as the member.
    const attribute value[] = {{"duration", {}}, {"duration", "2"}};
    op.attributes = {value, 2};
    CHECK(problem(op) == "duration");
    CHECK_FALSE(reads_back(op));
}

TEST_CASE("a further key that comes twice: set() changes the one that find() shows, and each counts in ==") {
    const auto read = [](std::string_view text) {
        const auto log = wlfmt::oplog::read(text);
        return log->operations.at(0);
    };
    operation twice = read("rank:0:f(x=1,x=2,sub_operations=[])");
    CHECK(twice == read("rank:0:f(x=1,x=2,sub_operations=[])"));
    CHECK(twice != read("rank:0:f(x=1,sub_operations=[])"));
    CHECK(read("rank:0:f(x=1,sub_operations=[])") != read("rank:0:f(x=1,x=1,sub_operations=[])"));
    CHECK(read("rank:0:f(x=1,y=2,sub_operations=[])") == read("rank:0:f(y=2,x=1,sub_operations=[])"));
    CHECK(read("rank:0:f(x=1,y=2,sub_operations=[])") != read("rank:0:f(y=2,x=3,sub_operations=[])"));
    CHECK(twice.set("duration", "1.5"));
    CHECK(twice.set("duration", wlfmt::text_view()));
    CHECK(twice.duration.is_missing());
    CHECK(twice.set("x", "9"));
    CHECK(twice.find("x") == "9");
    CHECK(written(twice) == "rank:0:f(x=9,x=2,sub_operations=[])\n");
}

TEST_CASE("set() gives a record a value under any key, as it is printed") {
    operation op;
    op.op = "forward_step";
    op.stage_id = 1;
    op.sub_operations = wlfmt::oplog::sub_operation_list(std::vector<sub_operation>());
    CHECK(op.set("cmd_uid", "7"));
    CHECK(op.set("duration", "8.30"));
    CHECK(op.set("input__shape", "[2, 3]"));
    CHECK(op.set("mg_state", "None"));
    CHECK(op.set("more", "a b"));
    CHECK(op.set("rank", "12"));
    CHECK(op.set("op", "backward_step"));
    CHECK(op.duration == 8.3);
    CHECK(op.rank == 12);
    CHECK_FALSE(op.set("rank", "1.5"));
    CHECK_FALSE(op.set("sub_operations", "[]"));
    CHECK(written(op) ==
          "rank:12:backward_step(stage_id=1,mg_state=None,duration=8.3,input__shape=[2, 3],cmd_uid=7,more=a b,"
          "sub_operations=[])\n");
    // Again, in its place, and of a key that comes after the nested operations.
    CHECK(op.set("cmd_uid", "None"));
    op.attributes.edit().push_back({"last", "1"});
    CHECK(op.set("last", "2"));
    CHECK(written(op) ==
          "rank:12:backward_step(stage_id=1,mg_state=None,duration=8.3,input__shape=[2, 3],cmd_uid=None,more=a b,"
          "sub_operations=[],last=2)\n");
    op.sub_operations.edit().emplace_back();
    CHECK(op.sub_operations.edit()[0].set("duration", "2.50"));
    CHECK(op.sub_operations.edit()[0].set("stream", "3"));
    CHECK(written(op).find("sub_operations=['duration=2.5,stream=3'],last=2)\n") != std::string::npos);
    // What a reader would not read back is refused.
    CHECK(op.set("a b", "1"));
    CHECK(problem_of(op).kind == wlfmt::error_kind::unwritable);
    op.attributes = std::vector<wlfmt::oplog::attribute>{{"z", "1"}, {"duration", {}}};
    CHECK(written(op).find("(z=1,duration=8.3,stage_id=1,") != std::string::npos);
}

TEST_CASE("of several further keys of one name the n-th is compared with the n-th, whatever is between them") {
    const auto are_equal = [](const std::string& a, const std::string& b) {
        CAPTURE(a);
        CAPTURE(b);
        const std::string lines[] = {"rank:0:f(stage_id=1," + a + ")", "rank:0:f(" + b + ",stage_id=1)",
                                     "rank:0:f(sub_operations=['" + a + ",duration=1'])",
                                     "rank:0:f(sub_operations=['duration=1," + b + "'])"};
        operation read[4];
        for (int n = 0; n != 4; ++n) {
            const auto log = wlfmt::oplog::read(std::string_view(lines[n]));
            REQUIRE(log.ok());
            read[n] = log->operations.at(0);
        }
        const bool same = read[0] == read[1];
        CHECK((read[1] == read[0]) == same);
        CHECK((read[2] == read[3]) == same);
        CHECK((read[3] == read[2]) == same);
        // The same attributes in a list that owns them.
        operation owned = read[0];
        static_cast<void>(owned.attributes.edit());
        CHECK((owned == read[1]) == same);
        CHECK((read[1] == owned) == same);
        CHECK(owned == read[0]);
        return same;
    };
    CHECK(are_equal("x=1,x=2,y=3", "x=1,x=2,y=3"));
    CHECK(are_equal("x=1,x=2,y=3", "x=1,y=3,x=2"));
    CHECK(are_equal("x=1,x=2,y=3", "y=3,x=1,x=2"));
    CHECK(are_equal("x=1,x=2,y=3,z=4", "x=1,x=2,z=4,y=3"));
    CHECK(are_equal("x=1,y=2,x=1,y=3", "y=2,y=3,x=1,x=1"));
    // find() finds the first one.
    CHECK_FALSE(are_equal("x=1,x=2", "x=2,x=1"));
    CHECK_FALSE(are_equal("x=1,x=2,x=3", "x=1,x=3,x=2"));
    CHECK_FALSE(are_equal("x=1,x=2,y=3", "y=3,x=2,x=1"));
    CHECK_FALSE(are_equal("x=1,x=1,y=2", "x=1,y=2,y=2"));
    CHECK_FALSE(are_equal("x=1,x=2", "x=1,x=1"));
    CHECK_FALSE(are_equal("x=1,x=2", "x=1"));
    CHECK_FALSE(are_equal("x=1,y=2", "y=2,x=1,x=1"));
}

TEST_CASE("records and documents are equal if their values are") {
    const auto one = [](const char* line) {
        CAPTURE(std::string(line));
        const auto read = wlfmt::oplog::read(line);
        REQUIRE(read.ok());
        return read->operations.at(0);
    };
    const operation op =
        one("rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=2'])");
    CHECK(op == one("rank:0:f(duration=8.30,n=3,m=2,stage_id=1,input__shape=torch.Size([2,3]),"
                    "sub_operations=[\"x=2,duration=1.0\",])"));
    for (const char* const other :
         {"rank:1:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=2'])",
          "stage:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=2'])",
          "rank:0:g(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=2'])",
          "rank:0:f(stage_id=2,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=2'])",
          "rank:0:f(duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=2'])",
          "rank:0:f(stage_id=None,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=2'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2],m=2,n=3,sub_operations=['duration=1,x=2'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 4],m=2,n=3,sub_operations=['duration=1,x=2'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=4,sub_operations=['duration=1,x=2'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,sub_operations=['duration=1,x=2'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,o=1,sub_operations=['duration=1,x=2'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=2,x=2'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=3'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=['duration=1,x=2','x'])",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3,sub_operations=None)",
          "rank:0:f(stage_id=1,duration=8.3,input__shape=[2, 3],m=2,n=3)"}) {
        CAPTURE(other);
        CHECK(op != one(other));
        CHECK(one(other) == one(other));
    }
    operation built = op;
    const std::int64_t dims[] = {2, 3};
    built.input_shape = wlfmt::oplog::shape(dims, 2);
    static_cast<void>(built.sub_operations.edit());
    CHECK(built == op);
    // Values are compared without the escapes and quotes that they are written with.
    const auto nested = [&](const std::string& list) {
        const std::string line = "rank:0:f(sub_operations=[" + list + "])";
        static std::vector<std::unique_ptr<std::string>> lines;
        lines.push_back(std::make_unique<std::string>(line));
        return one(lines.back()->c_str());
    };
    const char* const same[][2] = {{R"('g=it\'s')", R"("g=it's")"},
                                   {R"('comm_func=it\'s,k=\x76')", R"("comm_func=it's,k=v")"},
                                   {R"('input__shape=\x66,group=t\160')", R"('input__shape=f,group=tp')"},
                                   {R"('x\u00e9\U0001f600')", "'x\xC3\xA9\xF0\x9F\x98\x80'"},
                                   {R"('a\\tz,b=\?')", R"("a\\tz,b=\?")"},
                                   {R"('group=tp,a=1,b=\x32')", R"('b=2,group=tp,a=\x31')"}};
    for (const auto& pair : same) {
        CAPTURE(pair[0]);
        CHECK(nested(pair[0]) == nested(pair[1]));
        CHECK(nested(pair[1]) == nested(pair[0]));
    }
    const char* const different[][2] = {
        {R"('g=a\\tz')", R"('g=a\tz')"},        {R"('g=it\'s')", R"('g=it\"s')"},
        {R"('g=a\x41')", R"('g=a')"},           {R"('group=\x41')", R"('comm_func=\x41')"},
        {R"('k=\x41,k=\x42')", R"('k=B,k=A')"}, {R"('\x41')", R"('\x42')"}};
    for (const auto& pair : different) {
        CAPTURE(pair[0]);
        CHECK(nested(pair[0]) != nested(pair[1]));
        CHECK(nested(pair[1]) != nested(pair[0]));
    }
    // The same bytes with escapes and without are two values.
    wlfmt::oplog::sub_operation plain;
    plain.comm_func = R"(a\tz)";
    wlfmt::oplog::sub_operation escaped = plain;
    escaped.quote = '\'';
    CHECK(plain != escaped);
    plain.comm_func = "a\tz";
    CHECK(plain == escaped);
    plain.duration = wlfmt::to_number("a\tz");
    CHECK(plain != escaped);
    escaped.duration = wlfmt::to_number(R"(a\tz)");
    CHECK(plain == escaped);
    CHECK(plain == plain);
    CHECK(escaped == escaped);

    wlfmt::oplog::document a{{op, built}};
    CHECK(a == wlfmt::oplog::document{{built, op}});
    CHECK(a != wlfmt::oplog::document{{op}});
}

TEST_CASE("an array that is not there has no items, whatever count is given with it") {
    wlfmt::oplog::operation op;
    op.op = "f";
    op.sub_operations = wlfmt::oplog::sub_operation_list(nullptr, 3);
    op.attributes = wlfmt::oplog::attribute_list(nullptr, 3);
    op.input_shape = wlfmt::oplog::shape(nullptr, 3);
    CHECK((op.sub_operations.empty() && op.sub_operations.begin() == op.sub_operations.end()));
    CHECK((op.sub_operations.size() == 0 && op.sub_operations.edit().empty()));
    CHECK((op.attributes.empty() && op.attributes.begin() == op.attributes.end() && op.attributes.edit().empty()));
    CHECK((op.input_shape.size() == 0 && wlfmt::value(static_cast<const std::int64_t*>(nullptr), 3).text().empty()));
    std::string out;
    CHECK_FALSE(wlfmt::oplog::write(out, op));
    CHECK(out == "rank:0:f(input__shape=[],sub_operations=[])\n");
}
