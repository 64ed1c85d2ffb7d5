// json.hpp: the interchange form, compared with what simdjson reads from it.
#include "support.hpp"

#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

namespace {

template <class T> std::string json_of(const T& x) {
    std::string out;
    const wlfmt::problem e = wlfmt::json::write(out, x);
    CHECK((!e || e.kind == wlfmt::error_kind::unwritable));
    return out;
}

std::string json_of_log(std::string_view text) {
    wlfmt::options how;
    how.lenient = true;
    return json_of(*wlfmt::oplog::read(text, how));
}

// The lines of a text, each of which simdjson has read as an object.
std::vector<std::string> lines_of(const std::string& json) {
    std::vector<std::string> lines;
    simdjson::dom::parser parser;
    for (std::size_t at = 0; at < json.size();) {
        const std::size_t end = json.find('\n', at);
        REQUIRE(end != std::string::npos);
        lines.push_back(json.substr(at, end - at));
        simdjson::dom::element parsed;
        REQUIRE_MESSAGE(parser.parse(lines.back()).get(parsed) == simdjson::SUCCESS, lines.back());
        at = end + 1;
    }
    return lines;
}

}  // namespace

TEST_CASE("an operation: None is null, numbers are numbers, shapes are arrays, the list an array of objects") {
    CHECK(json_of_log("rank:7:forward_step(stage_id=1,batch_id=None,mg_state=warmup,duration=8.3,description=a, \"b\","
                      "group_kind=None,input__shape=[2048, 2],input__dtype=torch.float32,timestamp=0,sub_operations=["
                      "'trace_src_func=_reduce,duration=0.0,timestamp=1e-05,input__shape=torch.Size([8]),"
                      "input__dtype=torch.int64,group=tp,comm_func=allreduce', 'free text', \"it's\"])\n") ==
          "{\"rank\":7,\"op\":\"forward_step\",\"stage_id\":1,\"batch_id\":null,\"mg_state\":\"warmup\","
          "\"duration\":8.3,\"description\":\"a, \\\"b\\\"\",\"group_kind\":null,\"input__shape\":[2048,2],"
          "\"input__dtype\":\"torch.float32\",\"timestamp\":0,\"sub_operations\":[{\"trace_src_func\":\"_reduce\","
          "\"duration\":0.0,\"timestamp\":1e-05,\"input__shape\":[8],\"input__dtype\":\"torch.int64\",\"group\":\"tp\","
          "\"comm_func\":\"allreduce\"},\"free text\",\"it's\"]}\n");
}

TEST_CASE("keys are in the file's order, further ones with the type that their text has") {
    CHECK(json_of_log("stage:0:x(b=True, a=False, c=[], d=[1, x], e=+007, f=.5, g=nan, h=99999999999999999999, "
                      "i=-0.0, time_stamp=3, stage=help, k=)") ==
          "{\"stage\":0,\"op\":\"x\",\"b\":true,\"a\":false,\"c\":[],\"d\":\"[1, "
          "x]\",\"e\":\"+007\",\"f\":\".5\",\"g\":\"nan\","
          "\"h\":99999999999999999999,\"i\":-0.0,\"time_stamp\":3,\"stage\":\"help\",\"k\":\"\"}\n");
}

TEST_CASE("what looks like a number but would not come back from one is an identifier, and stays a text") {
    CHECK(
        json_of_log("rank:1:x(a=007, b=84e7, c=1.50, d=1.5, e=-0, f=+5, g=00, h=0, i=-5, j=-0.0, k=1e-05, l=1e16, "
                    "m=099999999999999999999, n=[007, 8], o=[ 8,2 ], p=[-0], cmd_uid=12e3, stage_id=007, "
                    "duration=84e7, timestamp=+1, input__shape=[02, 3], sub_operations=['func_name=007, x=1e5'])\n") ==
        "{\"rank\":1,\"op\":\"x\",\"a\":\"007\",\"b\":\"84e7\",\"c\":\"1.50\",\"d\":1.5,\"e\":\"-0\",\"f\":\"+5\","
        "\"g\":\"00\","
        "\"h\":0,\"i\":-5,\"j\":-0.0,\"k\":1e-05,\"l\":\"1e16\",\"m\":\"099999999999999999999\",\"n\":\"[007, 8]\","
        "\"o\":[8,2],\"p\":\"[-0]\",\"cmd_uid\":\"12e3\",\"stage_id\":7,\"duration\":840000000.0,\"timestamp\":1,"
        "\"input__shape\":[2,3],\"sub_operations\":[{\"func_name\":\"007\",\"x\":\"1e5\"}]}\n");
    wlfmt::options how;
    how.lenient = true;
    const auto doc = wlfmt::workload::read(
        "MICRO mode: 84e7 uid: 007 a: 5 b: 4.50 c: 2.5 ep: 08 pp_comm: 1e3 target_model_sha256: 5\n0\n", how);
    std::string out;
    REQUIRE(!wlfmt::json::write(out, doc->header));
    CHECK(out ==
          "{\"policy\":\"MICRO\",\"header\":{\"mode\":\"84e7\",\"uid\":\"007\",\"a\":5,\"b\":\"4.50\",\"c\":2.5,"
          "\"ep\":8,\"pp_comm\":1000.0,\"target_model_sha256\":\"5\"},\"declared_layers\":0}\n");
}

TEST_CASE("Python escapes are read, JSON's own are written") {
    CHECK(json_of_log(R"(rank:0:a(sub_operations=['tab\t quote\' nul\x00 e\xe9 \u20ac \U0001f600 \q \\', 'k=\n']))") ==
          "{\"rank\":0,\"op\":\"a\",\"sub_operations\":[\"tab\\t quote' nul\\u0000 e\xC3\xA9 \xE2\x82\xAC "
          "\xF0\x9F\x98\x80 \\\\q \\\\\",{\"k\":\"\\n\"}]}\n");
}

TEST_CASE("an operation made by hand: its own dimensions, a line that goes on in an escape") {
    const std::int64_t dims[] = {2048, 2, -1};
    wlfmt::oplog::sub_operation sub;
    sub.quote = '"';
    sub.text = "a\\\nb";
    wlfmt::oplog::operation op;
    op.op = "f";
    op.sub_operations = wlfmt::oplog::sub_operation_list(&sub, 1);
    for (const wlfmt::oplog::shape& shape : {wlfmt::oplog::shape(dims, 3), wlfmt::oplog::shape{2048, 2, -1}}) {
        op.input_shape = shape;
        CHECK(json_of(op) == "{\"rank\":0,\"op\":\"f\",\"input__shape\":[2048,2,-1],\"sub_operations\":[\"ab\"]}\n");
    }
}

TEST_CASE("valid UTF-8 stays, every other byte becomes a lone surrogate, as in Python") {
    CHECK(json_of_log("rank:0:a(d=\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 \xFF\xC3 \xE0\x80\x80 \xED\xA0\x80)") ==
          "{\"rank\":0,\"op\":\"a\",\"d\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 \\udcff\\udcc3 \\udce0\\udc80\\udc80 "
          "\\udced\\udca0\\udc80\"}\n");
}

TEST_CASE("nan and the infinities, which JSON does not have, are text") {
    wlfmt::oplog::operation op;
    op.op = "a";
    op.stage_id = -std::numeric_limits<double>::infinity();
    op.duration = std::numeric_limits<double>::infinity();
    op.timestamp = std::numeric_limits<double>::quiet_NaN();
    CHECK(json_of(op) ==
          "{\"rank\":0,\"op\":\"a\",\"stage_id\":\"-inf\",\"duration\":\"inf\",\"timestamp\":\"nan\"}\n");
    // In a header, nan and the infinities stay words.
    CHECK(json_of(*wlfmt::workload::read("DATA share: nan most: -inf\n0\n")) ==
          "{\"policy\":\"DATA\",\"header\":{\"share\":\"nan\",\"most\":\"-inf\"},\"declared_layers\":0}\n");
}

TEST_CASE("a workload: the header, then a layer a line; integers and decimals stay what they are") {
    const auto read = wlfmt::workload::read(
        "HYBRID_CUSTOMIZED ep: 4 pp_comm 2621440.0 mode: fast share: 0.5 checkpoints: 2 2 11 checkpoint_initiates: 0\n"
        "1\nmlp -1 1.5 ALLREDUCE 12802064384 2621440.0 NONE 0 3 ALLTOALL_EP 64 100 DATA\n");
    REQUIRE(read.ok());
    CHECK(
        json_of(*read) ==
        "{\"policy\":\"HYBRID_CUSTOMIZED\",\"header\":{\"ep\":4,\"pp_comm\":2621440.0,\"mode\":\"fast\",\"share\":0.5,"
        "\"checkpoints\":[2,11],\"checkpoint_initiates\":[]},\"declared_layers\":1}\n"
        "{\"name\":\"mlp\",\"dependency\":-1,\"forward\":{\"compute\":1.5,\"comm\":\"ALLREDUCE\","
        "\"bytes\":12802064384},\"input_grad\":{\"compute\":2621440.0,\"comm\":\"NONE\",\"bytes\":0},"
        "\"weight_grad\":{\"compute\":3,\"comm\":\"ALLTOALL_EP\",\"bytes\":64},\"update\":100,\"policy\":\"DATA\"}\n");
    const auto dlrm = wlfmt::workload::read("HYBRID_DLRM 4\n0\n");
    REQUIRE(dlrm.ok());
    CHECK(json_of(*dlrm) ==
          "{\"policy\":\"HYBRID_DLRM\",\"header\":{\"DLRM_LAST_BOTTOM_LAYER\":4},\"declared_layers\":0}\n");
}

TEST_CASE("decimals are spelled by their value, of at most 17 digits: simdjson misreads some longer ones") {
    const auto doc = wlfmt::workload::read(
        "MICRO pp: 0.92233720368547758070 vpp: 0.12345678901234567 ga: 1.2345678901234567e5 d: 9223372036854775807\n"
        "1\nmlp -1 1 NONE 0 2 NONE 0 3 NONE 0 4\n");
    std::string out;
    REQUIRE(!wlfmt::json::write(out, doc->header));
    CHECK(out ==
          "{\"policy\":\"MICRO\",\"header\":{\"pp\":0.9223372036854776,\"vpp\":0.12345678901234566,"
          "\"ga\":123456.78901234567,\"d\":9223372036854775807},\"declared_layers\":1}\n");
}

TEST_CASE("an entry that is not a list of checkpoints is a text, not an empty list") {
    wlfmt::options how;
    how.lenient = true;
    const auto doc =
        wlfmt::workload::read("MICRO checkpoints: all pp: 2\n1\nmlp -1 1 NONE 0 2 NONE 0 3 NONE 0 4\n", how);
    std::string out;
    REQUIRE(!wlfmt::json::write(out, doc->header));
    CHECK(out == "{\"policy\":\"MICRO\",\"header\":{\"checkpoints\":\"all\",\"pp\":2},\"declared_layers\":1}\n");
    wlfmt::workload::header made;
    made.policy = "MICRO";
    std::string expected = "{\"policy\":\"MICRO\",\"header\":{";
    for (const auto& [text, json] : {std::pair("2  5\t6", "[5,6]"), std::pair("0", "[]"), std::pair("2 5", "\"2 5\""),
                                     std::pair("1 5 6", "\"1 5 6\""), std::pair("", "\"\""),
                                     std::pair("2 5 x", "\"2 5 x\""), std::pair("7", "7")}) {
        made.entries.edit() = {{"checkpoints", text, true}, {"checkpoint_initiates", text, true}};
        out.clear();
        REQUIRE(!wlfmt::json::write(out, made));
        CHECK(out == expected + "\"checkpoints\":" + json + ",\"checkpoint_initiates\":" + json + "}}\n");
    }
}

TEST_CASE("a table: columns and totals, then a row a line in base units") {
    const auto read = wlfmt::table::read(
        "-----  ----------  --------  ----------  ----------  \n"
        " Name  Self CPU %  Self CPU     CPU Mem  # of Calls  \n"
        "-----  ----------  --------  ----------  ----------  \n"
        "   mm      12.50%  13.980ms     1.50 Kb          20  \n"
        "   aa         NaN   3.916s         -4 b           1  \n"
        "-----  ----------  --------  ----------  ----------  \n"
        "Self CPU time total: 8.303s\n");
    REQUIRE(read.ok());
    CHECK(json_of(*read) ==
          "{\"columns\":[\"Name\",\"Self CPU %\",\"Self CPU\",\"CPU Mem\",\"# of Calls\"],\"totals\":{\"Self CPU time "
          "total\":8303000.0}}\n"
          "{\"Name\":\"mm\",\"Self CPU %\":12.5,\"Self CPU\":13980.0,\"CPU Mem\":1536.0,\"# of Calls\":20}\n"
          "{\"Name\":\"aa\",\"Self CPU %\":null,\"Self CPU\":3916000.0,\"CPU Mem\":-4.0,\"# of Calls\":1}\n");
}

TEST_CASE("a table's cell that is read leniently is its text") {
    wlfmt::options how;
    how.lenient = true;
    const auto read = wlfmt::table::read(
        "-----  --------  \n"
        " Name  Self CPU  \n"
        "-----  --------  \n"
        "   mm   13 days  \n",
        how);
    REQUIRE(read.ok());
    CHECK(json_of(*read) ==
          "{\"columns\":[\"Name\",\"Self CPU\"],\"totals\":{}}\n"
          "{\"Name\":\"mm\",\"Self CPU\":\"13 days\"}\n");
}

TEST_CASE("a table's text is a string even where it looks like a number or a word of Python's") {
    wlfmt::options how;
    how.lenient = true;
    // The first time's unit was cut off: 316.074 would be microseconds.
    const auto read = wlfmt::table::read(
        "-----  --------  --------  --------  \n"
        " Name  Self CPU     Color     Shape  \n"
        "-----  --------  --------  --------  \n"
        "   mm   316.074      True    [1, 2]  \n"
        " True   3.916us      None        12  \n"
        "   12        --       NaN     1.50%  \n"
        "-----  --------  --------  --------  \n"
        "Self CPU time total: 8.303\n"
        "Self CUDA time total: 46.271ms\n",
        how);
    REQUIRE(read->tables.size() == 1);
    CHECK(json_of(*read) ==
          "{\"columns\":[\"Name\",\"Self CPU\",\"Color\",\"Shape\"],\"totals\":{\"Self CPU time total\":\"8.303\","
          "\"Self CUDA time total\":46271.0}}\n"
          "{\"Name\":\"mm\",\"Self CPU\":\"316.074\",\"Color\":\"True\",\"Shape\":\"[1, 2]\"}\n"
          "{\"Name\":\"True\",\"Self CPU\":3.916,\"Color\":\"None\",\"Shape\":12}\n"
          "{\"Name\":\"12\",\"Self CPU\":null,\"Color\":null,\"Shape\":1.5}\n");
}

TEST_CASE("frames are an array, empty where there is none") {
    wlfmt::table::profile one;
    one.columns = {wlfmt::table::column("Name"), wlfmt::table::column("Source Location")};
    REQUIRE(one.add_row({wlfmt::table::cell("a"), wlfmt::table::cell("f.py(1): f")}));
    REQUIRE(one.add_row({wlfmt::table::cell("b"), wlfmt::table::cell()}));
    one.frames.emplace_back(std::vector<std::string_view>{"g.py(2): g"});
    CHECK(json_of(one) ==
          "{\"columns\":[\"Name\",\"Source Location\"],\"totals\":{}}\n"
          "{\"Name\":\"a\",\"Source Location\":[\"f.py(1): f\",\"g.py(2): g\"]}\n"
          "{\"Name\":\"b\",\"Source Location\":[]}\n");
}

TEST_CASE("cells that were assigned are written as their values") {
    wlfmt::table::profile one;
    one.columns = {wlfmt::table::column("Name"), wlfmt::table::column("Self CPU"), wlfmt::table::column("# of Calls")};
    REQUIRE(one.add_row({wlfmt::table::cell("mm"), wlfmt::table::cell(12.5), wlfmt::table::cell(nullptr)}));
    *one.edit_cell(0, "Self CPU") = 99;
    CHECK(json_of(one) ==
          "{\"columns\":[\"Name\",\"Self CPU\",\"# of Calls\"],\"totals\":{}}\n"
          "{\"Name\":\"mm\",\"Self CPU\":99,\"# of Calls\":null}\n");
}

TEST_CASE("a missing number of layers has no key, and the words after a layer's fields are a list") {
    wlfmt::options how;
    how.lenient = true;
    std::string header = "HYBRID_CUSTOMIZED";
    std::string fields;
    std::string keys;
    std::string words;
    for (const std::string key : {"model", "step", "routing", "memory_event_plan", "workload"}) {
        const std::string value = "sha256:" + std::string(62, 'a') + std::to_string(10 + key.size());
        header += " target_" + key + "_sha256: " + value;
        fields += "\t" + value;
        keys += (keys.empty() ? "\"target_" : ",\"target_") + key + "_sha256\":\"" + value + "\"";
        words += (words.empty() ? "\"" : ",\"") + value + "\"";
    }
    const std::string text = header + "\nmany\nmlp -1 1 ALLTOALLV_EP 2 3 NONE 0 4 NONE 0 5 DATA" + fields + "\n";
    const auto read = wlfmt::workload::read(text, how);
    REQUIRE(read->layers.size() == 1);
    CHECK(
        json_of(*read) ==
        "{\"policy\":\"HYBRID_CUSTOMIZED\",\"header\":{" + keys +
            "}}\n{\"name\":\"mlp\",\"dependency\":-1,\"forward\":{\"compute\":1,\"comm\":\"ALLTOALLV_EP\",\"bytes\":2},"
            "\"input_grad\":{\"compute\":3,\"comm\":\"NONE\",\"bytes\":0},\"weight_grad\":{\"compute\":4,\"comm\":"
            "\"NONE\","
            "\"bytes\":0},\"update\":5,\"policy\":\"DATA\",\"further\":[" +
            words + "]}\n");
}

TEST_CASE("the rest of a list that cannot be read is left out, and the error says so") {
    const std::string_view text =
        "rank:0:a(k=1)\nrank:0:b(sub_operations=['x=1', 'y' 'z'],k=2)\nrank:0:c(sub_operations=['x' 1])\n";
    wlfmt::options how;
    how.lenient = true;
    const auto read = wlfmt::oplog::read(text, how);
    REQUIRE(read->operations.size() == 3);
    std::string out;
    const wlfmt::problem e = wlfmt::json::write(out, *read);
    CHECK(out ==
          "{\"rank\":0,\"op\":\"a\",\"k\":1}\n"
          "{\"rank\":0,\"op\":\"b\",\"sub_operations\":[{\"x\":1},\"y\"],\"k\":2}\n"
          "{\"rank\":0,\"op\":\"c\",\"sub_operations\":[\"x\"]}\n");
    CHECK(e.kind == wlfmt::error_kind::unwritable);
    CHECK(e.field == "sub_operations");
    CHECK(e.found == 1);
    CHECK(e.expected == 1);
    CHECK_FALSE(wlfmt::json::write(out, read->operations[0]));
    CHECK(wlfmt::json::write(out, read->operations[2]).kind == wlfmt::error_kind::unwritable);
}

TEST_CASE("JSON is written to streams and files, and a sink that fails is told") {
    const std::string text = test::data(test::workload_samples[0]);
    const auto read = wlfmt::workload::read(text);
    REQUIRE(read.ok());
    const std::string expected = json_of(*read);
    std::ostringstream stream;
    CHECK_FALSE(wlfmt::json::write(stream, *read));
    CHECK(stream.str() == expected);
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    CHECK_FALSE(wlfmt::json::write(file, *read));
    CHECK(std::ftell(file) == static_cast<long>(expected.size()));
    std::fclose(file);
    stream.setstate(std::ios::badbit);
    CHECK(wlfmt::json::write(stream, *read).kind == wlfmt::error_kind::cannot_write);
    CHECK(wlfmt::json::write(stream, read->header).kind == wlfmt::error_kind::cannot_write);
    CHECK(wlfmt::json::write(stream, read->layers[0]).kind == wlfmt::error_kind::cannot_write);
    const auto log = wlfmt::oplog::read("rank:0:a(k=1)");
    CHECK(wlfmt::json::write(stream, *log).kind == wlfmt::error_kind::cannot_write);
    CHECK(wlfmt::json::write(stream, wlfmt::table::document()).kind == wlfmt::error_kind::none);
    CHECK(wlfmt::json::write(stream, wlfmt::table::profile()).kind == wlfmt::error_kind::cannot_write);
    std::FILE* const missing = nullptr;
    CHECK(wlfmt::json::write(missing, *log).kind == wlfmt::error_kind::cannot_write);
    test::short_sink<int> disk(7);
    CHECK(wlfmt::json::write(disk, *log).kind == wlfmt::error_kind::cannot_write);
    CHECK(disk.text == R"({"rank")");
}

TEST_CASE("a copy of a sink of any kind writes where that sink writes, whether it can be changed or not") {
    std::string text;
    wlfmt::detail::any_sink first(text);
    wlfmt::detail::any_sink second(first);
    const wlfmt::detail::any_sink constant(second);
    wlfmt::detail::any_sink third(constant);
    // A sink of a sink would write to an object that is gone, as this one is.
    const auto copy_of = [](wlfmt::detail::any_sink sink) { return wlfmt::detail::any_sink(sink); };
    wlfmt::detail::any_sink fourth = copy_of(first);
    int n = 0;
    for (wlfmt::detail::any_sink* const sink : {&first, &second, &third, &fourth}) {
        const std::string number = std::to_string(++n);
        sink->write(number.data(), 1);
        CHECK_FALSE(sink->fail());
    }
    CHECK(text == "1234");

    // Each knows whether what it wrote itself was taken.
    std::ostringstream broken;
    wlfmt::detail::any_sink one(broken);
    wlfmt::detail::any_sink other(one);
    broken.setstate(std::ios::badbit);
    other.write("x", 1);
    CHECK(other.fail());
    CHECK_FALSE(one.fail());
}

TEST_CASE("every line of every sample is JSON, a record a line") {
    for (const auto name : test::oplog_samples) {
        const std::string text = test::data(name);
        const auto read = wlfmt::oplog::read(text);
        REQUIRE(read.ok());
        CHECK(lines_of(json_of(*read)).size() == read->operations.size());
    }
    wlfmt::options how;
    how.lenient = true;
    for (const auto name : test::workload_samples) {
        const std::string text = test::data(name);
        const auto read = wlfmt::workload::read(text, how);
        REQUIRE(read.ok());
        CHECK(lines_of(json_of(*read)).size() == read->layers.size() + 1);
    }
    const std::string text = test::data(test::table_samples[0]);
    const auto read = wlfmt::table::read(text);
    REQUIRE(read.ok());
    CHECK(lines_of(json_of(*read)).size() == read->tables[0].size() + 1);
}

TEST_CASE("a record alone is written as its document writes it") {
    const std::string text = test::data(test::oplog_samples[1]);
    std::string by_record;
    wlfmt::oplog::reader log(text);
    while (const auto* op = log.next()) CHECK_FALSE(wlfmt::json::write(by_record, *op));
    CHECK(by_record == json_of(*wlfmt::oplog::read(text)));

    const std::string layers = test::data(test::workload_samples[0]);
    wlfmt::workload::reader file(layers);
    std::string by_layer = json_of(file.header());
    while (const auto* layer = file.next()) CHECK_FALSE(wlfmt::json::write(by_layer, *layer));
    CHECK(by_layer == json_of(*wlfmt::workload::read(layers)));
}

TEST_CASE("a list whose count is no integer stays what it is") {
    const auto printed = [](const std::string& text) {
        wlfmt::options how;
        how.lenient = true;
        std::string out;
        const auto read = wlfmt::workload::read(text, how);
        CHECK_FALSE(wlfmt::json::write(out, read->header));
        return out;
    };
    CHECK(printed("DATA checkpoints: 0.0\n0\n") ==
          R"({"policy":"DATA","header":{"checkpoints":0.0},"declared_layers":0})"
          "\n");
    CHECK(printed("DATA checkpoints: +1 3\n0\n") ==
          R"({"policy":"DATA","header":{"checkpoints":[3]},"declared_layers":0})"
          "\n");
}
