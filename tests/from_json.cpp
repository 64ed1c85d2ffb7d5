// wlfmt/json/read.hpp: the interchange form back into records.
#include <wlfmt/json.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"
#include "table_support.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using wlfmt::error_kind;

template <class Document> std::string text_of(const Document& doc) {
    std::string out;
    const wlfmt::problem e = write(out, doc);
    CHECK_MESSAGE(!e, wlfmt::message(e, {}));
    return out;
}
template <class Document> std::string json_of(const Document& doc) {
    std::string out;
    CHECK_FALSE(wlfmt::json::write(out, doc));
    return out;
}

std::string log_from(std::string_view json) {
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_oplog(json, kept);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), json, wlfmt::in_file("in")));
    return text_of(*read);
}
std::string workload_from(std::string_view json) {
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_workload(json, kept);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), json, wlfmt::in_file("in")));
    return text_of(*read);
}
std::string table_from(std::string_view json) {
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_table(json, kept);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), json, wlfmt::in_file("in")));
    return text_of(*read);
}

// What explain() says of the first problem, without the excerpt.
template <class Result> std::string problem_of(const Result& read, std::string_view json) {
    const std::string said = wlfmt::explain(read.error(), json, wlfmt::in_file("in"));
    return read.ok() ? "none" : said.substr(0, said.find('\n'));
}
std::string log_problem(std::string_view json) {
    wlfmt::json::texts kept;
    return problem_of(wlfmt::json::read_oplog(json, kept), json);
}
std::string workload_problem(std::string_view json) {
    wlfmt::json::texts kept;
    return problem_of(wlfmt::json::read_workload(json, kept), json);
}
std::string table_problem(std::string_view json) {
    wlfmt::json::texts kept;
    return problem_of(wlfmt::json::read_table(json, kept), json);
}

}  // namespace

TEST_CASE("an operation: null is None, numbers keep their kind, arrays are shapes, further keys stay in order") {
    CHECK(
        log_from("{\"rank\":7,\"op\":\"forward_step\",\"stage_id\":1,\"batch_id\":null,\"mg_state\":\"warmup\","
                 "\"duration\":8.0,\"description\":\"a, \\\"b\\\"\",\"cmd_uid\":\"u-1\",\"group_kind\":null,"
                 "\"input__shape\":[2048, 2],\"input__dtype\":\"torch.float32\",\"timestamp\":0,"
                 "\"sub_operations\":[{\"trace_src_func\":\"_reduce\",\"duration\":1e-05,\"group\":\"tp\","
                 "\"flag\":true,\"comm_func\":\"allreduce\"},\"free\\ttext\",\"it's\"]}\n") ==
        "rank:7:forward_step(stage_id=1,batch_id=None,mg_state=warmup,duration=8.0,description=a, \"b\","
        "cmd_uid=u-1,group_kind=None,input__shape=[2048, 2],input__dtype=torch.float32,timestamp=0,sub_operations=["
        "'trace_src_func=_reduce,duration=1e-05,group=tp,flag=True,comm_func=allreduce', 'free\\ttext', \"it's\"])\n");
}

TEST_CASE("integers are exact to 64 bits, larger ones and decimals beyond a double are kept as their digits") {
    CHECK(log_from("{\"rank\":9223372036854775807,\"op\":\"a\",\"stage_id\":-9223372036854775808,"
                   "\"x\":99999999999999999999,\"y\":1e999,\"duration\":9007199254740993,\"timestamp\":0.1}") ==
          "rank:9223372036854775807:a(stage_id=-9223372036854775808,x=99999999999999999999,y=1e999,"
          "duration=9007199254740993,timestamp=0.1)\n");
}

TEST_CASE("a plan has the separator of plans, its own name for a member, and members in any order") {
    CHECK(log_from("{\"stage\":3,\"op\":\"get_batch\",\"batch_id\":0,\"duration\":null}") ==
          "stage:3:get_batch(batch_id=0, duration=None)\n");
    CHECK(log_from("{\"batch_id\":0,\"op\":\"b\",\"rank\":5,\"stage\":\"help\",\"time_stamp\":3}") ==
          "rank:5:b(batch_id=0,stage=help,time_stamp=3)\n");
    CHECK(log_from("{\"rank\":5,\"op\":\"b\",\"stage\":2,\"op\":\"c\"}") == "rank:5:b(stage=2,op=c)\n");
    // The first rank or stage is the head, as it is written first; an attribute may have either name, too.
    CHECK(log_from("{\"stage\":1,\"op\":\"x\",\"uid\":\"u\",\"rank\":3,\"stage\":4}") ==
          "stage:1:x(uid=u, rank=3, stage=4)\n");
    CHECK(log_from("{\"rank\":1,\"op\":\"x\",\"rank\":3}") == "rank:1:x(rank=3)\n");
    CHECK(log_from("{\"rank\":1,\"op\":\"x\",\"uid\":\"007\",\"a\":\"84e7\"}") == "rank:1:x(uid=007,a=84e7)\n");
}

TEST_CASE("a list of nested operations may be None, empty, or not there") {
    CHECK(log_from("{\"rank\":0,\"op\":\"a\",\"sub_operations\":null}{\"rank\":1,\"op\":\"b\",\"sub_operations\":[]}\n"
                   "{\"rank\":2,\"op\":\"c\",\"duration\":1}") ==
          "rank:0:a(sub_operations=None)\nrank:1:b(sub_operations=[])\nrank:2:c(duration=1)\n");
}

TEST_CASE("every escape of JSON is read, lone surrogates are the bytes that they stand for") {
    wlfmt::json::texts kept;
    const std::string json =
        R"({"rank":0,"op":"a","description":"\u20ac \ud83d\ude00 \/ \\ \" \u0041 \udcff\udc80 \ud800x"})";
    const auto read = wlfmt::json::read_oplog(json, kept);
    REQUIRE(read.ok());
    CHECK(read->operations[0].description == "\xE2\x82\xAC \xF0\x9F\x98\x80 / \\ \" A \xFF\x80 \xED\xA0\x80x");
    CHECK(log_from(R"({"rank":0,"op":"a","sub_operations":["\b\f\n\r\t\u0000"]})") ==
          "rank:0:a(sub_operations=['\\x08\\x0c\\n\\r\\t\\x00'])\n");
}

TEST_CASE("a long text with escapes leaves the texts before it as they are") {
    const auto plain = [](std::size_t lines, const std::string& line, const char* end) {
        std::string text;
        for (std::size_t n = 0; n != lines; ++n) text += line + std::to_string(n) + end;
        return text;
    };
    std::string json;
    for (const auto& [lines, line] : {std::pair<std::size_t, std::string>{200, "first"},
                                      {400, std::string(200, 'm')},
                                      {100, "after"},
                                      {150, "at last"}})
        json += "{\"rank\":1,\"op\":\"a\",\"description\":\"" + plain(lines, line, "\\n") + "\"}\n";
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_oplog(json, kept);
    REQUIRE(read.ok());
    REQUIRE(read->operations.size() == 4);
    CHECK(read->operations[0].description == plain(200, "first", "\n"));
    CHECK(read->operations[1].description == plain(400, std::string(200, 'm'), "\n"));
    CHECK(read->operations[2].description == plain(100, "after", "\n"));
    CHECK(read->operations[3].description == plain(150, "at last", "\n"));
}

TEST_CASE("records outlive the JSON, the reader and the document") {
    const auto kept = std::make_unique<wlfmt::json::texts>();
    std::vector<wlfmt::oplog::operation> copies;
    {
        auto json = std::make_unique<std::string>();
        for (int n = 0; n != 2000; ++n)
            *json += "{\"rank\":" + std::to_string(n) + ",\"op\":\"step\\u005f\",\"mg_state\":\"s" +
                     std::to_string(n * 7) + "\",\"k\":[1,2],\"sub_operations\":[{\"comm_func\":\"c" +
                     std::to_string(n) + "\"}]}\n";
        wlfmt::json::oplog_reader log(*json, *kept);
        while (const auto* op = log.next()) copies.push_back(*op);
        REQUIRE(log.ok());
    }
    REQUIRE(copies.size() == 2000);
    for (int n = 0; n != 2000; ++n) {
        std::string line;
        CHECK_FALSE(write(line, copies[static_cast<std::size_t>(n)]));
        CHECK(line == "rank:" + std::to_string(n) + ":step_(mg_state=s" + std::to_string(n * 7) +
                          ",k=[1, 2],sub_operations=['comm_func=c" + std::to_string(n) + "'])\n");
    }
}

TEST_CASE("objects over several lines, several on one line, blank lines, CRLF and a byte-order mark are read") {
    CHECK(log_from("\xEF\xBB\xBF{\n  \"rank\": 1,\r\n  \"op\": \"a\" ,\n \"k\" : [ 1 , 2 ]\n}\n\n\r\n"
                   "{\"rank\":2,\"op\":\"b\"} {\"rank\":3,\"op\":\"c\"}   ") ==
          "rank:1:a(k=[1, 2])\nrank:2:b()\nrank:3:c()\n");
    // An object that is longer than what is looked at in one go.
    std::string json = "{\"rank\":1,\n\"op\":\"a\",\"sub_operations\":[";
    for (int n = 0; n != 40000; ++n) json += (n == 0 ? "\n\"sub" : ",\n\"sub") + std::to_string(n) + "\"";
    json += "]}\n{\"rank\":2,\"op\":\"b\"}\n";
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_oplog(json, kept);
    REQUIRE_MESSAGE(read.ok(), wlfmt::explain(read.error(), json, wlfmt::in_file("in")));
    REQUIRE(read->operations.size() == 2);
    CHECK(read->operations[0].sub_operations.size() == 40000);
    CHECK(read->operations[1].rank == 2);
}

TEST_CASE("no text holds no record, and is no error") {
    wlfmt::json::texts kept;
    for (const std::string_view json : {"", " \n\t\n", "\xEF\xBB\xBF"}) {
        wlfmt::json::oplog_reader log(json, kept);
        CHECK(log.next() == nullptr);
        CHECK(log.ok());
        CHECK_FALSE(log.skip());
    }
}

TEST_CASE("an error has the line, the column and the path of the value") {
    const std::string good = "{\"rank\":0,\"op\":\"a\"}\n";
    CHECK(log_problem(good + "{\"rank\":1,\"op\":\"b\",\"sub_operations\":[\"t\",{\"x\":{}}]}") ==
          "in:2:47: error: wrong_type: sub_operations[1].x: an object where a scalar is expected");
    CHECK(log_problem("{\"rank\":1,\"op\":\"b\",\"sub_operations\":[\"t\",7]}") ==
          "in:1:42: error: wrong_type: sub_operations[1]: a number where an object or a string is expected");
    CHECK(log_problem("{\"rank\":1,\"op\":\"b\",\"k\":[1,2.5]}") ==
          "in:1:27: error: wrong_type: k[1]: a number where an integer is expected");
    CHECK(log_problem("{\"rank\":1.5,\"op\":\"b\"}") ==
          "in:1:9: error: not_an_integer: rank: `1.5` where an integer is expected");
    CHECK(log_problem("{\"rank\":18446744073709551616,\"op\":\"b\"}") ==
          "in:1:9: error: number_overflow: rank: `18446744073709551616` is beyond what 64 bits hold");
    CHECK(log_problem(good + "{\"op\":\"b\"}") == "in:2:1: error: missing_member: the member rank is missing");
    CHECK(log_problem("{\"rank\":3}") == "in:1:1: error: missing_member: the member op is missing");
    CHECK(log_problem("{\"rank\":3,\"op\":null}") == "in:1:16: error: wrong_type: op: null where a string is expected");
}

TEST_CASE("a text that is not JSON is reported where it stops being JSON") {
    const std::string good = "{\"rank\":0,\"op\":\"a\"}\n";
    CHECK(log_problem(good + "[1]") == "in:2:1: error: not_json: `[` where an object, `{...}`, is expected");
    CHECK(log_problem("rank:0:a()") == "in:1:1: error: not_json: `r` where an object, `{...}`, is expected");
    CHECK(log_problem(good + "{\"rank\":0,\"op\":nul}") == "in:2:16: error: not_json: op: `n` is not JSON here");
    CHECK(log_problem("{\"rank\":01,\"op\":\"a\"}") == "in:1:9: error: not_json: rank: `0` is not JSON here");
    CHECK(log_problem("{\"rank\":1,\"op\":\"a\\q\"}") == "in:1:18: error: not_json: op: `\\q` is not an escape");
    CHECK(log_problem("{\"rank\":1,\"op\":\"a\\u00g0\"}") == "in:1:18: error: not_json: op: `\\u` is not an escape");
    CHECK(log_problem("{\"rank\":1,\"op\":\"a\\u00/0\"}") == "in:1:18: error: not_json: op: `\\u` is not an escape");
    CHECK(log_problem("{\"rank\":1,\"op\":\"a\xFF\"}").find("in:1:18: error: not_json: `.` is not UTF-8") == 0);
    CHECK(log_problem(good + "{\"rank\":1,\"op\":\"a\n" + good).find("in:2:18: error: not_json: a control character") ==
          0);
    CHECK(log_problem("{\"rank\":1,\"op\":\"a b\nc\"}").find("in:1:20: error: not_json: a control character") == 0);
    CHECK(log_problem(good + "{\"rank\":1,\"op\":\"a\"\n" + good) ==
          "in:2:19: error: not_json: the record is not closed; is it cut off?");
    CHECK(log_problem(good + "{\"rank\":1,\"op\":\"a\"") ==
          "in:2:19: error: not_json: the record is not closed; is it cut off?");
    CHECK(log_problem(good + "{\"rank\":1,\"op\":\"a") ==
          "in:2:16: error: not_json: `\"` opens a string that is not closed");
}

TEST_CASE("skip() goes on after each error, and loses no record that is whole") {
    std::string json;
    std::vector<std::int64_t> expected;
    for (int n = 0; n != 3000; ++n) {
        const std::string rank = std::to_string(n);
        if (n % 100 == 10) json += "{\"rank\":" + rank + ",\"op\":\"\xFF\"}\n";
        else if (n % 100 == 20) json += "{\"rank\":" + rank + ",\"op\":\"a\"\n";
        else if (n % 100 == 30) json += "{\"rank\":" + rank + ",\"op\":\"a\n";
        else if (n % 100 == 40) json += "{\"rank\":" + rank + ",\"op\":[]}\n";
        else if (n % 100 == 50) json += "not JSON at all\n";
        else {
            json += "{\"rank\":" + rank + ",\"op\":\"a\",\"k\":\"" + std::string(300, 'x') + "\"}\n";
            expected.push_back(n);
        }
    }
    wlfmt::json::texts kept;
    wlfmt::json::oplog_reader log(json, kept);
    std::vector<std::int64_t> ranks;
    int errors = 0;
    do {
        while (const auto* op = log.next()) ranks.push_back(op->rank);
        if (log.ok()) break;
        ++errors;
    } while (log.skip());
    CHECK(ranks == expected);
    CHECK(errors == 150);
    CHECK(log.ok());
}

TEST_CASE("a workload: the header, its lists, and layers with policies and further words") {
    CHECK(workload_from("{\"policy\":\"HYBRID_CUSTOMIZED\",\"header\":{\"ep\":4,\"mode\":\"fast\",\"share\":0.5,"
                        "\"checkpoints\":[2,11],\"checkpoint_initiates\":[],\"pp_comm\":12802064384},"
                        "\"declared_layers\":1}\n"
                        "{\"name\":\"mlp\",\"dependency\":-1,\"forward\":{\"compute\":1.5,\"comm\":\"ALLREDUCE\","
                        "\"bytes\":12802064384},\"input_grad\":{\"bytes\":0,\"comm\":\"NONE\",\"compute\":8},"
                        "\"weight_grad\":{\"compute\":3.0,\"comm\":\"ALLTOALL_EP\",\"bytes\":64},\"update\":100,"
                        "\"policy\":\"DATA\"}") ==
          "HYBRID_CUSTOMIZED ep: 4 mode: fast share: 0.5 checkpoints: 2 2 11 checkpoint_initiates: 0 pp_comm: "
          "12802064384\n1\n"
          "mlp\t-1\t1.5\tALLREDUCE\t12802064384\t8\tNONE\t0\t3.0\tALLTOALL_EP\t64\t100\tDATA\n");
    CHECK(workload_from("{\"policy\":\"HYBRID_DLRM\",\"header\":{\"DLRM_LAST_BOTTOM_LAYER\":4}}") ==
          "HYBRID_DLRM 4\n0\n");
    std::string header;
    std::string digests;
    std::string entries;
    std::string fields;
    for (const char* part : {"model", "step", "routing", "memory_event_plan", "workload"}) {
        const std::string digest = "sha256:" + std::string(63, 'a') + static_cast<char>('0' + digests.size() % 10);
        const std::string key = std::string("target_") + part + "_sha256";
        header += (header.empty() ? "\"" : ",\"") + key + "\":\"" + digest + "\"";
        digests += (digests.empty() ? "\"" : ",\"") + digest + "\"";
        entries += " " + key + ": " + digest;
        fields += "\t" + digest;
    }
    CHECK(workload_from("{\"policy\":\"DATA\",\"header\":{" + header + "},\"declared_layers\":1}\n" +
                        "{\"name\":\"a\",\"dependency\":-1,\"forward\":{\"compute\":1,\"comm\":\"NONE\",\"bytes\":0},"
                        "\"input_grad\":{\"compute\":2,\"comm\":\"NONE\",\"bytes\":0},"
                        "\"weight_grad\":{\"compute\":3,\"comm\":\"NONE\",\"bytes\":0},\"update\":4,\"further\":[" +
                        digests + "]}") ==
          "DATA" + entries + "\n1\na\t-1\t1\tNONE\t0\t2\tNONE\t0\t3\tNONE\t0\t4" + fields + "\n");
}

TEST_CASE("a workload's problems") {
    const std::string head = "{\"policy\":\"DATA\",\"header\":{}}\n";
    const auto layer = [](const std::string& phase, const std::string& rest) {
        return "{\"name\":\"a\",\"dependency\":-1,\"forward\":" + phase +
               ",\"input_grad\":{\"compute\":1,\"comm\":\"NONE\",\"bytes\":0}," +
               "\"weight_grad\":{\"compute\":1,\"comm\":\"NONE\",\"bytes\":0}" + rest + "}";
    };
    const std::string phase = "{\"compute\":1,\"comm\":\"NONE\",\"bytes\":0}";
    CHECK(workload_problem(head + layer(phase, ",\"update\":1")) == "none");
    CHECK(workload_problem(head + layer(phase, "")) == "in:2:1: error: missing_member: the member update is missing");
    CHECK(workload_problem(head + layer("{\"compute\":1,\"comm\":\"NONE\"}", "")) ==
          "in:2:1: error: missing_member: the member forward.bytes is missing");
    // Up to 0.3 the bytes were called so.
    CHECK(workload_from("{\"policy\":\"DATA\",\"header\":{}}\n" +
                        layer("{\"compute\":1,\"comm\":\"ALLREDUCE\",\"size\":24}", ",\"update\":2")) ==
          "DATA\n1\na\t-1\t1\tALLREDUCE\t24\t1\tNONE\t0\t1\tNONE\t0\t2\n");
    CHECK(workload_problem(head + layer("{\"compute\":1,\"comm\":\"NONE\",\"bytes\":0,\"size\":0}", ",\"update\":1")) ==
          "in:2:77: error: duplicate_key: `size` occurs twice in this record");
    CHECK(workload_problem(head + layer("{\"compute\":\"x\",\"comm\":\"NONE\",\"bytes\":0}", "")) ==
          "in:2:50: error: wrong_type: forward.compute: a string where a number is expected");
    CHECK(workload_problem(head + layer(phase, ",\"update\":1,\"bandwidth\":5")) ==
          "in:2:192: error: unknown_member: there is no place for bandwidth");
    CHECK(workload_problem(head + layer(phase, ",\"update\":1") + "\n" + head + layer(phase, ",\"update\":1")) ==
          "in:3:19: error: text_after_layers: `header` after the last layer");
    CHECK(workload_problem("{\"policy\":\"DATA\",\"header\":{},\"declared_layers\":\"3\"}") ==
          "in:1:48: error: wrong_type: declared_layers: a string where a number is expected");
    const std::string three = "{\"policy\":\"DATA\",\"header\":{},\"declared_layers\":3}\n";
    const std::string one = layer(phase, ",\"update\":1") + "\n";
    CHECK(workload_problem(three + one + one) ==
          "in:4:1: error: layer_count_mismatch: the header declares 3 layers, 2 follow; is the file cut off?");
    CHECK(workload_problem(three + one + one + one) == "none");
    CHECK(workload_problem(three + one + one + one + one) == "none");
    // Of the errors of a record, the first is reported.
    CHECK(workload_problem("{\"policy\":\"DATA\",\"policy\":7,\"header\":{}}") ==
          "in:1:19: error: duplicate_key: `policy` occurs twice in this record");
    CHECK(workload_problem("{\"policy\":\"DATA\",\"policy\":\"DATA\",\"header\":{}}") ==
          "in:1:19: error: duplicate_key: `policy` occurs twice in this record");
    // The layer that the error is in is left out.
    wlfmt::json::texts kept;
    const std::string twice = head + one + layer(phase, ",\"update\":1,\"update\":2") + "\n" + one;
    const auto before = wlfmt::json::read_workload(twice, kept);
    CHECK((!before.ok() && before->layers.size() == 1));
    wlfmt::options lenient;
    lenient.lenient = true;
    const auto others = wlfmt::json::read_workload(twice, kept, lenient);
    CHECK((others.ok() && others->layers.size() == 2));
    CHECK(workload_problem("{\"header\":{}}") == "in:1:1: error: missing_member: the member policy is missing");
    CHECK(workload_problem("{\"policy\":\"DATA\",\"header\":{\"checkpoints\":[1,\"x\"]}}") ==
          "in:1:45: error: wrong_type: header.checkpoints[1]: a string where a number is expected");
    CHECK(workload_from("{\"policy\":\"DATA\",\"header\":{\"pp_comm\":9007199254740993.0,\"pp\":2.0}}") ==
          "DATA pp_comm: 9007199254740993 pp: 2.0\n0\n");  // no double has that size
}

TEST_CASE("tables: values are printed as PyTorch prints them, cells in any order, a missing one is empty") {
    CHECK(table_from("{\"columns\":[\"Name\",\"Self CPU %\",\"Self CPU\",\"CPU Mem\",\"Total FLOPs\",\"# of Calls\"],"
                     "\"totals\":{\"Self CPU time total\":8303000.0}}\n"
                     "{\"Name\":\"aten::mm\",\"Self CPU %\":12.5,\"Self CPU\":13980.0,\"CPU Mem\":3901.44,"
                     "\"Total FLOPs\":2360.0,\"# of Calls\":3}\n"
                     "{\"# of Calls\":1,\"Name\":\"b\",\"Self CPU\":0.25,\"Self CPU %\":null,\"Total FLOPs\":null}\n"
                     "{\"columns\":[\"Name\",\"# of Calls\"],\"totals\":{}}\n{\"Name\":\"c\",\"# of Calls\":2}\n") ==
          "------------  ------------  ------------  ------------  ------------  ------------  \n"
          "        Name    Self CPU %      Self CPU       CPU Mem   Total FLOPs    # of Calls  \n"
          "------------  ------------  ------------  ------------  ------------  ------------  \n"
          "    aten::mm        12.50%      13.980ms       3.81 KB      2360.000             3  \n"
          "           b           NaN       0.250us                          --             1  \n"
          "------------  ------------  ------------  ------------  ------------  ------------  \n"
          "Self CPU time total: 8.303s\n\n"
          "-----  ------------  \n"
          " Name    # of Calls  \n"
          "-----  ------------  \n"
          "    c             2  \n"
          "-----  ------------  \n");
}

TEST_CASE("a table's problems, and the table that they are in") {
    const std::string head = "{\"columns\":[\"Name\",\"# of Calls\"],\"totals\":{}}\n";
    CHECK(table_problem("{\"Name\":\"a\"}") == "in:1:3: error: unknown_member: there is no place for Name");
    CHECK(table_problem(head + "{\"Name\":\"a\",\"Calls\":1}") ==
          "in:2:14: error: unknown_member: there is no place for Calls");
    CHECK(table_problem(head + "{\"Name\":\"a\",\"Name\":\"b\"}") ==
          "in:2:14: error: duplicate_key: `Name` occurs twice in this record");
    CHECK(table_problem(head + "{\"Name\":[]}") ==
          "in:2:9: error: wrong_type: Name: an array where a scalar is expected");

    CHECK(
        table_problem(
            "{\"columns\":[\"Name\",\"Source Location\"],\"totals\":{}}\n{\"Name\":\"a\",\"Source Location\":\"x\"}") ==
        "in:2:31: error: wrong_type: Source Location: a string where an array of strings is expected");
    const std::string json =
        head + "{\"Name\":\"a\",\"# of Calls\":1}\n{\"Name\":{}}\n{\"Name\":\"b\",\"# of Calls\":2}\n";
    wlfmt::json::texts kept;
    wlfmt::json::table_reader tables(json, kept);
    CHECK(tables.next() == nullptr);
    CHECK(tables.error().kind == error_kind::wrong_type);
    REQUIRE(tables.unfinished() != nullptr);
    CHECK(tables.unfinished()->size() == 1);
    REQUIRE(tables.skip());
    const auto* one = tables.next();
    REQUIRE(one != nullptr);
    REQUIRE(one->size() == 2);
    CHECK(one->find_cell(1, "Name").text() == "b");
    CHECK(tables.next() == nullptr);
    CHECK(tables.ok());
}

TEST_CASE("frames are an array, further ones under the first") {
    wlfmt::json::texts kept;
    const std::string json =
        "{\"columns\":[\"Name\",\"Source Location\"],\"totals\":{}}\n"
        "{\"Name\":\"a\",\"Source Location\":[\"model.py(1): f\",\"train.py(2): g\"]}\n"
        "{\"Name\":\"b\",\"Source Location\":[]}\n";
    const auto read = wlfmt::json::read_table(json, kept);
    REQUIRE(read.ok());
    CHECK(json_of(*read) == json);
    const std::string text = text_of(*read);
    CHECK(json_of(*wlfmt::table::read(text)) == json);
}

namespace {

// JSON with other white space between its tokens: `after` comes after each comma, each colon and each opening bracket.
std::string with_blanks(const std::string& json, std::string_view after) {
    std::string out;
    bool in_string = false;
    for (std::size_t n = 0; n != json.size(); ++n) {
        const char c = json[n];
        if (!in_string && c == ' ') continue;
        out += c;
        if (c == '"') in_string = !in_string;
        if (in_string && c == '\\') out += json[++n];
        if (!in_string && (c == ',' || c == ':' || c == '{' || c == '[')) out += after;
    }
    return out;
}

std::string json_of_log(std::string_view text) { return json_of(*wlfmt::oplog::read(text)); }
std::string json_of_workload(std::string_view text) { return json_of(*wlfmt::workload::read(text)); }
std::string json_of_table(std::string_view text) { return json_of(*wlfmt::table::read(text)); }

}  // namespace

TEST_CASE("white space in JSON says nothing: an operation has its writer's own separator and lists") {
    const std::string plan = "{\"stage\":0,\"op\":\"a\",\"batch_id\":0,\"duration\":8.0,\"k\":[2]}\n";
    CHECK(json_of_log("stage:0:a(batch_id=0,duration=8.0,k=torch.Size([2]))\n") == plan);
    const std::string record =
        "{\"rank\":0,\"op\":\"a\",\"batch_id\":0,\"input__shape\":[8,2],\"sub_operations\":[{\"x\":1,\"y\":2},\"z\"]}"
        "\n";
    CHECK(json_of_log("rank:0:a(batch_id=0, input__shape=torch.Size([8, 2]), sub_operations=['x=1, y=2', 'z'])\n") ==
          record);
    for (const std::string_view after : {"", " ", "  ", "       ", "\n  ", "\t", "  \n"}) {
        CHECK(log_from(with_blanks(plan, after)) == "stage:0:a(batch_id=0, duration=8.0, k=[2])\n");
        CHECK(log_from(with_blanks(record, after)) ==
              "rank:0:a(batch_id=0,input__shape=[8, 2],sub_operations=['x=1,y=2', 'z'])\n");
    }
}

TEST_CASE("a text that its writer's separator would split has the other separator") {
    for (const std::string_view text :
         {"rank:0:a(description=b,c=1, duration=8.0)\n", "stage:0:a(k=b, c=1,duration=8.0)\n",
          "rank:0:a(k=b,c=1, l=2)\n", "rank:1:a(sub_operations=['x=b,c=1, y=2', 'x=3,y=4', 'x=b, c=1,y=5'])\n"})
        CHECK(log_from(json_of_log(text)) == text);
    // Here each of the two separators would split one of the texts.
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_oplog(R"({"rank":0,"op":"a","k":"b,c=1","l":"d, e=1"})", kept);
    REQUIRE(read.ok());
    std::string out;
    CHECK(write(out, *read).kind == error_kind::unwritable);
    CHECK(out.empty());
}

TEST_CASE("a string that would read as a value of its column is not written") {
    const auto written = [](std::string_view cells) {
        wlfmt::json::texts kept;
        const std::string lines = R"({"columns":["Name","Kind","Self CPU"],"totals":{}})"
                                  "\n"
                                  R"({"Name":"a",)" +
                                  std::string(cells) + "}\n";
        const auto read = wlfmt::json::read_table(lines, kept);
        REQUIRE(read.ok());
        std::string out;
        const wlfmt::problem e = write(out, *read);
        CHECK(out.empty() == static_cast<bool>(e));
        return std::string(name_of(e.kind)) + " " + std::string(e.field);
    };
    CHECK(written(R"("Kind":"x","Self CPU":8.3)") == "none ");
    CHECK(written(R"("Kind":8.3,"Self CPU":8.3)") == "none ");
    CHECK(written(R"("Kind":"8.3","Self CPU":8.3)") == "unwritable Kind");
    CHECK(written(R"("Kind":"x","Self CPU":"8.300us")") == "unwritable Self CPU");
    CHECK(written(R"("Kind":"x","Self CPU":"8.3")") == "unwritable Self CPU");
}

TEST_CASE("a header's entries have their colons, integers and decimals stay what they are") {
    const std::string json =
        "{\"policy\":\"DATA\",\"header\":{\"ep\":4,\"pp_comm\":50331648,\"share\":0.5,\"big\":2097152.0,"
        "\"far\":1000.0,\"checkpoints\":[7]},\"declared_layers\":0}\n";
    CHECK(json_of_workload("DATA ep: 4 pp_comm 50331648 share: 0.5 big: 2097152.0 far: 1000.0 checkpoints 1 7\n0\n") ==
          json);
    for (const std::string_view after : {"", " ", "   ", "\n    "})
        CHECK(workload_from(with_blanks(json, after)) ==
              "DATA ep: 4 pp_comm: 50331648 share: 0.5 big: 2097152.0 far: 1000.0 checkpoints: 1 7\n0\n");
    // Some programs put spaces before the colon, too.
    CHECK(workload_from("{\"policy\"  : \"DATA\", \"header\"  : {\"ep\"  : 4}}") == "DATA ep: 4\n0\n");
    // As a program that has changed the JSON may spell it.
    CHECK(workload_from("{\"policy\":\"DATA\",\"header\":{\"far\":1e3,\"share\":0.50}}") ==
          "DATA far: 1000.0 share: 0.5\n0\n");
    // The only key that a writer leaves out.
    for (const std::string_view dlrm : {"HYBRID_DLRM 4\n0\n", "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 4\n0\n"}) {
        CHECK(json_of_workload(dlrm).find("\"DLRM_LAST_BOTTOM_LAYER\":4}") != std::string::npos);
        CHECK(workload_from(json_of_workload(dlrm)) == "HYBRID_DLRM 4\n0\n");
    }
    CHECK(workload_from("{\"policy\":\"HYBRID_DLRM\",\"header\":{\"DLRM_LAST_BOTTOM_LAYER\":4,\"pp\":2}}") ==
          "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 4 pp: 2\n0\n");
}

TEST_CASE("a table in any layout has PyTorch's own when it comes back, and all digits of its numbers") {
    const std::string text =
        "==========================================================================\n"
        "This report only display top-level ops statistics\n"
        "------  -----------  ---------------  ----------  -------------  ---------  \n"
        "Name    Self CPU %   CPU total        CPU Mem     Total FLOPs    Node ID    \n"
        "------  -----------  ---------------  ----------  -------------  ---------  \n"
        "mm      12.50%       3821.335us       3.81 Kb     2360           7          \n"
        "b                    0                -4 B        2360.000                  \n"
        "c       5%           0.500s           0 b         --             -1         \n"
        "d       1.234%       1234567.125us    0.5 Mb      0.5            8          \n"
        "------  -----------  ---------------  ----------  -------------  ---------  \n"
        "Self CPU time total: 25662.826us\n"
        "CUDA time total: NaN\n";
    const std::string json =
        "{\"columns\":[\"Name\",\"Self CPU %\",\"CPU total\",\"CPU Mem\",\"Total FLOPs\",\"Node ID\"],"
        "\"totals\":{\"Self CPU time total\":25662.826,\"CUDA time total\":null}}\n"
        "{\"Name\":\"mm\",\"Self CPU %\":12.5,\"CPU total\":3821.335,\"CPU Mem\":3901.44,\"Total FLOPs\":2360,"
        "\"Node ID\":7}\n"
        "{\"Name\":\"b\",\"Self CPU %\":null,\"CPU total\":0,\"CPU Mem\":-4.0,\"Total FLOPs\":2360.0,"
        "\"Node ID\":null}\n"
        "{\"Name\":\"c\",\"Self CPU %\":5.0,\"CPU total\":500000.0,\"CPU Mem\":0.0,\"Total FLOPs\":null,"
        "\"Node ID\":-1}\n"
        "{\"Name\":\"d\",\"Self CPU %\":1.234,\"CPU total\":1234567.125,\"CPU Mem\":524288.0,\"Total FLOPs\":0.5,"
        "\"Node ID\":8}\n";
    CHECK(json_of_table(text) == json);
    const std::string back =
        "------  ------------  -------------  ------------  ------------  ------------  \n"
        "  Name    Self CPU %      CPU total       CPU Mem   Total FLOPs       Node ID  \n"
        "------  ------------  -------------  ------------  ------------  ------------  \n"
        "    mm        12.50%     3821.335us       3.81 KB          2360             7  \n"
        "     b           NaN              0          -4 B      2360.000                \n"
        "     c         5.00%      500.000ms           0 B            --            -1  \n"
        "     d        1.234%  1234567.125us     512.00 KB         0.500             8  \n"
        "------  ------------  -------------  ------------  ------------  ------------  \n"
        "Self CPU time total: 25662.826us\n"
        "CUDA time total: NaN\n";
    for (const std::string_view after : {"", " ", "        ", "\n      "})
        CHECK(table_from(with_blanks(json, after)) == back);
    CHECK(json_of_table(back) == json);
}

TEST_CASE("a table in PyTorch's own layout is its text again, longer names make wider columns") {
    const auto table_of = [](std::size_t width, const std::string& name) {
        const std::string rule = std::string(width, '-') + "  ------------  \n";
        const auto row = [&](const std::string& cell, const std::string& calls) {
            return std::string(cell.size() < width ? width - cell.size() : 0, ' ') + cell + "  " +
                   std::string(12 - calls.size(), ' ') + calls + "  \n";
        };
        return rule + row("Name", "# of Calls") + rule + row(name, "3") + rule;
    };
    for (const std::size_t size : {3U, 40U, 51U, 52U, 54U, 55U}) {
        const std::string text = table_of(size + 4 < 55 ? size + 4 : 55, std::string(size, 'n'));
        CHECK(table_from(json_of_table(text)) == text);
    }
    for (const std::size_t size : {56U, 76U}) {
        const std::string name(size, 'n');
        CHECK(table_from(json_of_table(table_of(90, name))) == table_of(size + 4, name));
    }
}

TEST_CASE("no text is cut where the JSON does not say how wide its column is") {
    const std::string name(70, 'n');
    const std::string json = "{\"columns\":[\"Name\",\"# of Calls\"],\"totals\":{}}\n{\"Name\":\"" + name +
                             "\",\"# of Calls\":3}\n{\"Name\":\"b\",\"# of Calls\":4}\n";
    const std::string rule = std::string(74, '-') + "  ------------  \n";
    CHECK(table_from(json) == rule + std::string(70, ' ') + "Name    # of Calls  \n" + rule + "    " + name +
                                  "             3  \n" + std::string(73, ' ') + "b             4  \n" + rule);
    // After an error in a row, too, and what follows may be wider still.
    wlfmt::json::texts kept;
    const std::string damaged = json + "{\"Name\":{}}\n{\"Name\":\"" + name + name + "\",\"# of Calls\":5}\n";
    wlfmt::json::table_reader tables(damaged, kept);
    CHECK(tables.next() == nullptr);
    REQUIRE(tables.unfinished() != nullptr);
    CHECK(tables.unfinished()->columns[0].width == 74);
    REQUIRE(tables.skip());
    const auto* whole = tables.next();
    REQUIRE(whole != nullptr);
    CHECK(whole->columns[0].width == 144);
    CHECK(tables.next() == nullptr);
    CHECK(tables.ok());
}

TEST_CASE("a number is its value however it is spelled, and is written in its own form where that has all of it") {
    const auto cell_of = [](const std::string& column, const std::string& value) {
        const std::string text = table_from("{\"columns\":[\"Name\",\"" + column +
                                            "\"],\"totals\":{}}\n{\"Name\":\"n\",\"" + column + "\":" + value + "}");
        const std::string row = text.substr(0, text.rfind("  \n-"));
        return row.substr(row.find_last_of(" \n", row.find_last_not_of("KMGB us")) + 1);
    };
    CHECK(cell_of("Self CPU", "13.980e3") == "13.980ms");
    CHECK(cell_of("Self CPU", "13980") == "13.980ms");
    CHECK(cell_of("Self CPU", "1e6") == "1.000s");
    CHECK(cell_of("Self CPU", "1E3") == "1.000ms");
    CHECK(cell_of("Self CPU", "3821.335") == "3821.335us");
    CHECK(cell_of("Self CPU", "1234567.25") == "1234567.25us");
    CHECK(cell_of("Self CPU", "0.0001") == "0.0001us");
    CHECK(cell_of("Self CPU", "1e-05") == "0.00001us");
    CHECK(cell_of("Self CPU", "999.9996") == "999.9996us");
    CHECK(cell_of("Self CPU", "9007199254740993") == "9007199254740993us");
    CHECK(cell_of("Self CPU", "0") == "0");
    CHECK(cell_of("Self CPU", "0.0") == "0.000us");
    CHECK(cell_of("Self CPU %", "5e3") == "5000.00%");
    CHECK(cell_of("Self CPU %", "5.125") == "5.125%");
    CHECK(cell_of("Self CPU %", "5") == "5.00%");
    CHECK(cell_of("Total FLOPs", "1e3") == "1000.000");
    CHECK(cell_of("Total FLOPs", "1000") == "1000");
    CHECK(cell_of("Total FLOPs", "0.12345") == "0.12345");
    CHECK(cell_of("# of Calls", "12") == "12");
    CHECK(cell_of("Color", "1e3") == "1000.0");
    CHECK(cell_of("Color", "12.50") == "12.5");
    CHECK(cell_of("CPU Mem", "1023") == "1023 B");
    CHECK(cell_of("CPU Mem", "1536") == "1.50 KB");
    CHECK(cell_of("CPU Mem", "1537") == "1537.0 B");
    CHECK(cell_of("CPU Mem", "0.5") == "0.5 B");
    // A zero whose unit was cut off is an integer, in the text and in JSON.
    CHECK(cell_of("CPU Mem", "0") == "0");
    CHECK(cell_of("CPU Mem", "0.0") == "0 B");
    const std::string bare = test::one_cell_table("CPU Mem", "0");
    CHECK(json_of_table(bare).find("\"CPU Mem\":0}") != std::string::npos);
    CHECK(json_of_table(table_from(json_of_table(bare))) == json_of_table(bare));
}

TEST_CASE("JSON to text to JSON is the same JSON, and canonical text comes back, for every file that reads") {
    std::size_t tried = 0;
    std::size_t canonical = 0;
    for (const std::string folder : {"oplog", "workload", "table", "."}) {
        for (const auto& file : std::filesystem::directory_iterator(test::data_path(folder))) {
            if (!file.is_regular_file()) continue;
            const std::string name = folder + "/" + file.path().filename().string();
            const std::string text = test::data(name);
            INFO(name);
            const bool is_log = folder == "oplog" || name.rfind("./oplog_", 0) == 0;
            const bool is_table = folder == "table" || name.rfind("./profiler_table_", 0) == 0;
            std::string back;
            if (is_log) {
                const auto read = wlfmt::oplog::read(text);
                if (!read.ok() || problem_of(*read)) continue;
                back = log_from(json_of(*read));
                CHECK(json_of_log(back) == json_of(*read));
            } else if (is_table) {
                const auto read = wlfmt::table::read(text);
                if (!read.ok() || problem_of(*read)) continue;
                back = table_from(json_of(*read));
                CHECK(json_of_table(back) == json_of(*read));
            } else {
                auto read = wlfmt::workload::read(text);
                if (!read.ok() || problem_of(*read)) continue;
                back = workload_from(json_of(*read));
                // More layers than declared are a warning; what is written has their number.
                if (read->header.declared_layers.value_or(0.0) < static_cast<double>(read->layers.size()))
                    read->header.declared_layers = static_cast<std::int64_t>(read->layers.size());
                CHECK(json_of_workload(back) == json_of(*read));
            }
            ++tried;
            canonical += back == text ? 1U : 0U;
        }
    }
    CHECK(tried > 60);
    CHECK(canonical > 20);
    for (const auto name : test::oplog_samples) CHECK(log_from(json_of_log(test::data(name))) == test::data(name));
    // Its rows were cut after the table was printed, so that its first column is wider than they need.
    const std::string sample = test::data(test::table_samples[0]);
    auto printed = wlfmt::table::read(sample);
    printed->tables[0].columns[0].width = 0;
    CHECK(table_from(json_of_table(sample)) == text_of(*printed));
}

TEST_CASE("JSON to text to JSON is the same JSON, for generated tables of odd widths, units and alignments") {
    std::uint32_t state = 2463534242;
    const auto below = [&](std::uint32_t n) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state % n;
    };
    const auto fixed = [](double v, const char* form) {
        char text[64];
        std::snprintf(text, sizeof text, form, v);
        return std::string(text);
    };
    static constexpr const char* names[] = {"CPU total %", "Self CPU",   "CPU time avg", "CPU Mem",
                                            "Total FLOPs", "# of Calls", "Input Shapes", "Color"};
    std::size_t whole = 0;
    for (int round = 0; round != 400; ++round) {
        std::vector<std::string> kept;
        kept.reserve(200);
        const auto keep = [&](std::string s) {
            kept.push_back(std::move(s));
            return std::string_view(kept.back());
        };
        wlfmt::table::profile one;
        one.columns.emplace_back(std::string_view("Name"));
        for (const char* name : names)
            if (below(3) != 0) one.columns.emplace_back(std::string_view(name));
        const bool left = below(4) == 0;
        for (auto& c : one.columns) {
            c.left_aligned = left;
            if (below(2) == 0) c.width = 14 + below(30);
        }
        const bool old_units = below(2) == 0;
        const bool only_us = below(3) == 0;
        for (std::uint32_t row = 0; row != 5; ++row)
            for (const auto& c : one.columns) {
                const double v = below(4) == 0 ? 0 : below(2000000) / 7.0;
                std::string text;
                switch (c.unit) {
                case wlfmt::table::unit::percent: text = below(9) == 0 ? "" : fixed(v / 1000, "%.2f%%"); break;
                case wlfmt::table::unit::microseconds:
                    text = only_us || v < 1000 ? fixed(v, "%.3fus") : fixed(v / 1000, "%.3fms");
                    break;
                case wlfmt::table::unit::bytes:
                    text = v < 1024          ? fixed(static_cast<int>(v), "%.0f B")
                           : v < 1024 * 1024 ? fixed(v / 1024, "%.2f KB")
                                             : fixed(v / 1024 / 1024, "%.2f MB");
                    if (old_units) text.back() = 'b';
                    break;
                case wlfmt::table::unit::flops: text = below(5) == 0 ? "--" : fixed(v, "%.3f"); break;
                case wlfmt::table::unit::count: text = fixed(static_cast<int>(v), "%.0f"); break;
                case wlfmt::table::unit::text: text = std::string(1 + below(12), 'n') + "(a, b)"; break;
                default: text = below(2) == 0 ? "red" : fixed(v, "%.1f");
                }
                one.cells.emplace_back(keep(text));
            }
        if (below(2) == 0) one.totals.push_back({"CPU time total", wlfmt::table::cell(keep("4321.500us"))});
        std::string text;
        if (write(text, one)) continue;
        // The text of a cell that was made by hand has no value yet: reading it gives it one.
        const auto read = wlfmt::table::read(text);
        REQUIRE(read.ok());
        const std::string json = json_of(*read);
        CHECK(json_of_table(table_from(json)) == json);
        ++whole;
    }
    CHECK(whole > 300);
}

TEST_CASE("readers of JSON are ranges, and pass over what is wrong if they are lenient") {
    const std::string_view text =
        "{\"rank\":1,\"op\":\"a\"}\n{\"rank\":2,\"op\":3}\n{\"rank\":4,\"op\":\"b\"}\n{\"rank\":5,\"op\":[]}\n";
    std::vector<wlfmt::problem> told;
    wlfmt::options lenient;
    lenient.lenient = true;
    lenient.on_problem = [&](const wlfmt::problem& e) { told.push_back(e); };
    wlfmt::json::texts kept;
    wlfmt::json::oplog_reader log(text, kept, lenient);
    std::vector<std::int64_t> ranks;
    for (const wlfmt::oplog::operation& op : log) ranks.push_back(op.rank);
    CHECK(ranks == std::vector<std::int64_t>{1, 4});
    CHECK((log.ok() && log.tolerated() == 2));
    REQUIRE(told.size() == 2);
    CHECK((told[0].kind == error_kind::wrong_type && text.substr(told[0].offset, 2) == "3}"));
    CHECK((told[1].kind == error_kind::wrong_type && text.substr(told[1].offset, 2) == "[]"));

    wlfmt::json::oplog_reader strict(text, kept);
    ranks.clear();
    for (const wlfmt::oplog::operation& op : strict) ranks.push_back(op.rank);
    CHECK(ranks == std::vector<std::int64_t>{1});
    CHECK((strict.error().kind == error_kind::wrong_type && strict.tolerated() == 0));

    const auto doc = wlfmt::json::read_oplog(text, kept, lenient);
    CHECK((doc.ok() && doc->operations.size() == 2));
    wlfmt::json::oplog_reader::iterator outlives;
    {
        wlfmt::json::oplog_reader reader(text, kept);
        outlives = reader.begin();
    }
    CHECK(++outlives == wlfmt::json::oplog_reader::iterator());
}

// Calls every reader of JSON on a text, and counts its problems. None has more of them than the text has places for.
template <class Reader> std::size_t problems_in(std::string_view text, bool lenient) {
    std::size_t count = 0;
    wlfmt::options how;
    how.lenient = lenient;
    how.on_problem = [&](const wlfmt::problem&) { ++count; };
    wlfmt::json::texts kept;
    Reader records(text, kept, how);
    std::size_t skipped = 0;
    do
        while (count + skipped <= text.size() + 1 && records.next() != nullptr) {
        }
    while (count + ++skipped <= text.size() + 1 && records.skip());
    CHECK(records.tolerated() == count);
    CHECK(count + skipped <= text.size() + 1);
    return count;
}

TEST_CASE("every reader of JSON ends, wherever a text is cut and whatever byte of it is another one") {
    const std::string_view texts[] = {
        R"({"policy":"DATA","header":{"checkpoints":[1]},"declared_layers":3})"
        "\n"
        R"({"name":"a","dependency":-1,"forward":{"compute":1,"comm":"NONE","bytes":0}})"
        "\n",
        R"({"rank":0,"op":"f","sub_operations":[{"duration":1.5},"x"]})"
        "\n"
        R"({"rank":1,)"
        "\n"
        R"({"rank":2,"op":"g"})",
        R"({"columns":["Name","Source Location"],"totals":{"Self CPU time total":1}})"
        "\n"
        R"({"Name":"a","Source Location":["b","c"]})",
    };
    for (const std::string_view whole : texts)
        for (std::size_t at = 0; at <= whole.size(); ++at)
            for (const char c : {'\0', '{', '"', '\n', ','}) {
                std::string text(whole.substr(0, at));
                if (c != '\0' && at != whole.size()) text.append(1, c).append(whole.substr(at + 1));
                CAPTURE(text);
                for (const bool lenient : {true, false}) {
                    problems_in<wlfmt::json::oplog_reader>(text, lenient);
                    problems_in<wlfmt::json::workload_reader>(text, lenient);
                    problems_in<wlfmt::json::table_reader>(text, lenient);
                }
            }
    CHECK(problems_in<wlfmt::json::workload_reader>(R"({"policy":"DATA","header":{},"declared_layers":3})", true) == 1);
}

TEST_CASE("a reader of JSON finds each whole record among lines that are cut, and each line that is cut") {
    const std::string_view line = R"({"rank":0,"op":"f","sub_operations":[{"duration":1.5}],"input__shape":[2]})";
    for (std::size_t cut = 1; cut != line.size(); ++cut) {
        std::string text;
        for (int n = 0; n != 40; ++n) {
            text.append(line.substr(0, cut)).append("\n");
            if (n % 4 == 0) text.append(line).append("\n");
        }
        CAPTURE(text.substr(0, cut));
        wlfmt::json::texts kept;
        wlfmt::json::oplog_reader log(text, kept);
        std::size_t records = 0;
        std::size_t errors = 0;
        do
            while (log.next() != nullptr) ++records;
        while (!log.ok() && ++errors <= 40 && log.skip());
        CHECK(records == 10);
        CHECK(errors == 40);
    }
}
