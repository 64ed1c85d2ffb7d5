// from_json.hpp: the interchange form back into records.
#include <wlfmt/from_json.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using wlfmt::error_kind;

template <class Document>
std::string text_of(const Document& doc) {
    std::string out;
    const wlfmt::error e = write(out, doc);
    CHECK_MESSAGE(!e, wlfmt::message(e, {}));
    return out;
}
template <class Document>
std::string json_of(const Document& doc) {
    std::string out;
    CHECK_FALSE(wlfmt::json::write(out, doc));
    return out;
}

std::string log_from(std::string_view json) {
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_oplog(json, kept);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), json, "in"));
    return text_of(*read);
}
std::string workload_from(std::string_view json) {
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_workload(json, kept);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), json, "in"));
    return text_of(*read);
}
std::string table_from(std::string_view json) {
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_table(json, kept);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), json, "in"));
    return text_of(*read);
}

// What explain() says of the first problem, without the excerpt.
template <class Result>
std::string problem_of(const Result& read, std::string_view json) {
    const std::string said = wlfmt::explain(read.error(), json, "in");
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
    // One that is longer than what is looked at in one go.
    std::string json = "{\"rank\":1,\n\"op\":\"a\",\"sub_operations\":[";
    for (int n = 0; n != 40000; ++n) json += (n == 0 ? "\n\"sub" : ",\n\"sub") + std::to_string(n) + "\"";
    json += "]}\n{\"rank\":2,\"op\":\"b\"}\n";
    wlfmt::json::texts kept;
    const auto read = wlfmt::json::read_oplog(json, kept);
    REQUIRE_MESSAGE(read.ok(), wlfmt::explain(read.error(), json, "in"));
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
    CHECK(log_problem("{\"stage\":3,\"rank\":4,\"op\":\"a\"}") ==
          "in:1:13: error: duplicate_key: `rank` occurs twice in this record");
}

TEST_CASE("what is no JSON is told where it stops being JSON") {
    const std::string good = "{\"rank\":0,\"op\":\"a\"}\n";
    CHECK(log_problem(good + "[1]") == "in:2:1: error: not_json: `[` where an object, `{...}`, is expected");
    CHECK(log_problem("rank:0:a()") == "in:1:1: error: not_json: `r` where an object, `{...}`, is expected");
    CHECK(log_problem(good + "{\"rank\":0,\"op\":nul}") == "in:2:16: error: not_json: op: `n` is no JSON here");
    CHECK(log_problem("{\"rank\":01,\"op\":\"a\"}") == "in:1:9: error: not_json: rank: `0` is no JSON here");
    CHECK(log_problem("{\"rank\":1,\"op\":\"a\\q\"}") == "in:1:18: error: not_json: op: `\\q` is no escape");
    CHECK(log_problem("{\"rank\":1,\"op\":\"a\xFF\"}").find("in:1:18: error: not_json: `.` is no UTF-8") == 0);
    CHECK(log_problem(good + "{\"rank\":1,\"op\":\"a\n" + good).find("in:2:18: error: not_json: a control character") ==
          0);
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
        if (n % 100 == 10)
            json += "{\"rank\":" + rank + ",\"op\":\"\xFF\"}\n";
        else if (n % 100 == 20)
            json += "{\"rank\":" + rank + ",\"op\":\"a\"\n";
        else if (n % 100 == 30)
            json += "{\"rank\":" + rank + ",\"op\":\"a\n";
        else if (n % 100 == 40)
            json += "{\"rank\":" + rank + ",\"op\":[]}\n";
        else if (n % 100 == 50)
            json += "not JSON at all\n";
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
                        "\"declared_layers\":7}\n"
                        "{\"name\":\"mlp\",\"dependency\":-1,\"forward\":{\"compute\":1.5,\"comm\":\"ALLREDUCE\","
                        "\"size\":12802064384},\"input_grad\":{\"size\":0,\"comm\":\"NONE\",\"compute\":8},"
                        "\"weight_grad\":{\"compute\":3.0,\"comm\":\"ALLTOALL_EP\",\"size\":64},\"update\":100,"
                        "\"policy\":\"DATA\"}") ==
          "HYBRID_CUSTOMIZED ep: 4 mode: fast share: 0.5 checkpoints: 2 2 11 checkpoint_initiates: 0 pp_comm: "
          "12802064384\n1\n"
          "mlp\t-1\t1.5\tALLREDUCE\t12802064384\t8\tNONE\t0\t3.0\tALLTOALL_EP\t64\t100\tDATA\n");
    CHECK(workload_from("{\"policy\":\"HYBRID_DLRM\",\"header\":{\"DLRM_LAST_BOTTOM_LAYER\":4}}") ==
          "HYBRID_DLRM 4\n0\n");
}

TEST_CASE("a workload's problems") {
    const std::string head = "{\"policy\":\"DATA\",\"header\":{}}\n";
    const auto layer = [](const std::string& phase, const std::string& rest) {
        return "{\"name\":\"a\",\"dependency\":-1,\"forward\":" + phase +
               ",\"input_grad\":{\"compute\":1,\"comm\":\"NONE\",\"size\":0}," +
               "\"weight_grad\":{\"compute\":1,\"comm\":\"NONE\",\"size\":0}" + rest + "}";
    };
    const std::string phase = "{\"compute\":1,\"comm\":\"NONE\",\"size\":0}";
    CHECK(workload_problem(head + layer(phase, ",\"update\":1")) == "none");
    CHECK(workload_problem(head + layer(phase, "")) == "in:2:1: error: missing_member: the member update is missing");
    CHECK(workload_problem(head + layer("{\"compute\":1,\"comm\":\"NONE\"}", "")) ==
          "in:2:1: error: missing_member: the member forward.size is missing");
    CHECK(workload_problem(head + layer("{\"compute\":\"x\",\"comm\":\"NONE\",\"size\":0}", "")) ==
          "in:2:50: error: wrong_type: forward.compute: a string where a number is expected");
    CHECK(workload_problem(head + layer(phase, ",\"update\":1,\"bandwidth\":5")) ==
          "in:2:189: error: unknown_member: there is no place for bandwidth");
    CHECK(workload_problem("{\"policy\":\"DATA\",\"policy\":\"DATA\",\"header\":{}}") ==
          "in:1:19: error: duplicate_key: `policy` occurs twice in this record");
    CHECK(workload_problem("{\"header\":{}}") == "in:1:1: error: missing_member: the member policy is missing");
    CHECK(workload_problem("{\"policy\":\"DATA\",\"header\":{\"checkpoints\":[1,\"x\"]}}") ==
          "in:1:45: error: wrong_type: header.checkpoints[1]: a string where a number is expected");
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
    CHECK(one->find(1, "Name")->text() == "b");
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

TEST_CASE("text to JSON to text is the text, for every sample that is in its writer's layout") {
    std::size_t tried = 0;
    for (const auto name : test::oplog_samples) {
        const std::string text = test::data(name);
        CHECK(log_from(json_of(*wlfmt::oplog::read(text))) == text);
        ++tried;
    }
    for (const auto& file : std::filesystem::directory_iterator(test::data_path("oplog"))) {
        const std::string text = test::data("oplog/" + file.path().filename().string());
        const auto read = wlfmt::oplog::read(text);
        if (!read.ok() || text_of(*read) != text) continue;
        // JSON does not tell the separators, nor torch.Size([8]) from [8].
        const std::string json = json_of(*read);
        const std::string back = log_from(json);
        CHECK(json_of(*wlfmt::oplog::read(back)) == json);
        ++tried;
    }
    CHECK(tried > 5);
    const std::string text = test::data(test::workload_samples[0]);
    CHECK(workload_from(json_of(*wlfmt::workload::read(text))) == text);
}

TEST_CASE("what comes back says the same in JSON, whatever the layout was") {
    for (const std::string folder : {"workload", "table"}) {
        std::size_t tried = 0;
        for (const auto& file : std::filesystem::directory_iterator(test::data_path(folder))) {
            const std::string text = test::data(folder + "/" + file.path().filename().string());
            INFO(file.path().string());
            if (folder == "workload") {
                const auto read = wlfmt::workload::read(text);
                if (!read.ok() || problem_of(*read)) continue;
                const std::string json = json_of(*read);
                wlfmt::json::texts kept;
                CHECK(json_of(*wlfmt::json::read_workload(json, kept)) == json);
            } else {
                const auto read = wlfmt::table::read(text);
                if (!read.ok() || problem_of(*read)) continue;
                const std::string json = json_of(*read);
                wlfmt::json::texts kept;
                CHECK(json_of(*wlfmt::json::read_table(json, kept)) == json);
            }
            ++tried;
        }
        CHECK(tried > 5);
    }
}
