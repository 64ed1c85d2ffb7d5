// csv.hpp: tables that other programs open.
#include <wlfmt/csv.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using wlfmt::error_kind;

template <class Document> std::string csv_of(const Document& doc) {
    std::string out;
    CHECK_FALSE(wlfmt::csv::write(out, doc));
    return out;
}
std::string subs_of(const wlfmt::oplog::document& doc) {
    std::string out;
    CHECK_FALSE(wlfmt::csv::write_sub_operations(out, doc));
    return out;
}
wlfmt::oplog::document read_log(std::string_view text) {
    wlfmt::options how;
    how.lenient = true;
    return *wlfmt::oplog::read(text, how);
}

// Reads CSV as RFC 4180 has it: a program of its own, so that the writer is not compared with itself. A field that is
// not quoted and empty is "<none>".
std::vector<std::vector<std::string>> parse(std::string_view csv) {
    std::vector<std::vector<std::string>> lines;
    std::vector<std::string> line;
    for (std::size_t at = 0; at < csv.size();) {
        std::string field;
        if (csv[at] == '"') {
            for (++at; at < csv.size() && (csv[at] != '"' || csv.substr(at, 2) == "\"\""); ++at) {
                if (csv[at] == '"') ++at;
                field += csv[at];
            }
            ++at;
        } else {
            while (at < csv.size() && csv[at] != ',' && csv[at] != '\r') field += csv[at++];
            if (field.empty()) field = "<none>";
        }
        line.push_back(field);
        REQUIRE(at < csv.size());
        if (csv[at] == ',') {
            ++at;
            continue;
        }
        REQUIRE(csv.substr(at, 2) == "\r\n");
        at += 2;
        lines.push_back(line);
        line.clear();
    }
    return lines;
}

// Columns are asked for by their names, so that another column changes no test.
struct csv_table {
    explicit csv_table(std::string_view csv) : lines(parse(csv)) { REQUIRE(!lines.empty()); }

    std::size_t size() const { return lines.size() - 1; }  // the number of rows
    const std::string& at(std::size_t row, std::string_view column) const {
        CAPTURE(std::string(column));
        const auto& names = lines[0];
        const auto found = std::find(names.begin(), names.end(), column);
        REQUIRE(found != names.end());
        REQUIRE(lines.at(row + 1).size() == names.size());
        return lines[row + 1][static_cast<std::size_t>(found - names.begin())];
    }
    void check(std::size_t row, std::initializer_list<std::pair<std::string_view, std::string_view>> fields) const {
        for (const auto& field : fields) {
            CAPTURE(row);
            CAPTURE(std::string(field.first));
            CHECK(at(row, field.first) == field.second);
        }
    }
    std::string column(std::string_view name) const {  // its values, each with a semicolon
        std::string all;
        for (std::size_t row = 0; row != size(); ++row) all.append(at(row, name)) += ';';
        return all;
    }

    std::vector<std::vector<std::string>> lines;
};

std::string operation_names(bool with_file = false) {
    std::string out;
    CHECK_FALSE(wlfmt::csv::write_operation_names(out, with_file));
    return out;
}
std::string sub_operation_names(bool with_file = false) {
    std::string out;
    CHECK_FALSE(wlfmt::csv::write_sub_operation_names(out, with_file));
    return out;
}

}  // namespace

TEST_CASE("an operation a row: None and missing are empty, an empty text is quoted, numbers keep their digits") {
    const auto doc = read_log(
        "rank:7:a(stage_id=1,batch_id=None,mg_state=,duration=8.0,description=x, \"y\",group_kind=dp,"
        "input__shape=[2, 3],input__dtype=torch.float32,timestamp=4509231791.06,sub_operations=['x=1', 't'],"
        "cmd_uid=u-1,n=5)\n"
        "stage:3:b(duration=not measured)\n");
    const std::string csv = csv_of(doc);
    CHECK(csv.substr(0, csv.find('\n') + 1) == operation_names());
    CHECK(csv.find(",8.0,\"x, \"\"y\"\"\",dp,\"[2, 3]\",") != std::string::npos);
    const csv_table rows(csv);
    REQUIRE(rows.size() == 2);
    rows.check(0, {{"record", "0"},
                   {"origin", "rank"},
                   {"rank", "7"},
                   {"op", "a"},
                   {"stage_id", "1"},
                   {"batch_id", "<none>"},
                   {"mg_state", ""},
                   {"duration_ms", "8.0"},
                   {"description", "x, \"y\""},
                   {"group_kind", "dp"},
                   {"input__shape", "[2, 3]"},
                   {"input__dtype", "torch.float32"},
                   {"bytes", "24"},
                   {"input_dimensions", "2"},
                   {"timestamp_ms", "4509231791.06"},
                   {"sub_operations", "2"},
                   {"further", R"({"cmd_uid":"u-1","n":5})"},
                   {"copy", "0"}});
    rows.check(1, {{"record", "1"},
                   {"origin", "stage"},
                   {"rank", "3"},
                   {"op", "b"},
                   {"stage_id", "<none>"},
                   {"duration_ms", "not measured"},
                   {"timestamp_ms", "<none>"},
                   {"sub_operations", "<none>"},
                   {"further", "<none>"},
                   {"copy", "0"}});
}

TEST_CASE("a nested operation a row, under the position of its parent; escapes are read") {
    const auto doc = read_log(
        "rank:7:a(stage_id=1,batch_id=0)\n"
        "rank:7:b(stage_id=1,batch_id=2,sub_operations=['trace_src_func=_r,duration=0.02,timestamp=1.5,"
        "input__shape=[2],input__dtype=torch.int64,func_name=f,group=tp,comm_func=allreduce,k=v', "
        "'it\\'s\\n\"x\"'])\n");
    const std::string csv = subs_of(doc);
    CHECK(csv.substr(0, csv.find('\n') + 1) == sub_operation_names());
    const csv_table rows(csv);
    REQUIRE(rows.size() == 2);
    rows.check(0, {{"record", "1"},
                   {"rank", "7"},
                   {"op", "b"},
                   {"stage_id", "1"},
                   {"batch_id", "2"},
                   {"index", "0"},
                   {"trace_src_func", "_r"},
                   {"sub_duration_ms", "0.02"},
                   {"sub_timestamp_ms", "1.5"},
                   {"sub_input__shape", "[2]"},
                   {"sub_input__dtype", "torch.int64"},
                   {"sub_bytes", "16"},
                   {"sub_input_dimensions", "1"},
                   {"func_name", "f"},
                   {"group", "tp"},
                   {"comm_func", "allreduce"},
                   {"text", "<none>"},
                   {"further", R"({"k":"v"})"}});
    rows.check(1, {{"record", "1"},
                   {"index", "1"},
                   {"trace_src_func", "<none>"},
                   {"comm_func", "<none>"},
                   {"text", "it's\n\"x\""},
                   {"further", "<none>"}});
}

TEST_CASE("what is left of a damaged list is no row, and is not counted") {
    const auto doc = read_log("rank:7:b(sub_operations=['x=1' 5, 'y'])\nrank:7:c(sub_operations=[b'x'])\n");
    CHECK(csv_table(subs_of(doc)).column("index") == "0;");
    CHECK(csv_table(csv_of(doc)).column("sub_operations") == "1;0;");
}

TEST_CASE("a layer a row") {
    const auto doc = *wlfmt::workload::read(
        "HYBRID_CUSTOMIZED ep: 4\n2\nmlp -1 1.5 ALLREDUCE 12802064384 2621440.0 NONE 0 3 ALLTOALL_EP 64 100 DATA\n"
        "x 0 1 None 2 3 NONE 4 5 NONE 6 7 MODEL\n");
    CHECK(csv_of(doc) ==
          "layer,name,dependency,forward_compute,forward_comm,forward_bytes,input_grad_compute,input_grad_comm,"
          "input_grad_bytes,weight_grad_compute,weight_grad_comm,weight_grad_bytes,update,policy,further\r\n"
          "0,mlp,-1,1.5,ALLREDUCE,12802064384,2621440.0,NONE,0,3,ALLTOALL_EP,64,100,DATA,\r\n"
          "1,x,0,1,None,2,3,NONE,4,5,NONE,6,7,MODEL,\r\n");
}

TEST_CASE("a table's rows in one unit each, which the column names") {
    const std::string text =
        "------  ----------  --------  ---------  ----------  -----------  \n"
        "  Name  Self CPU %  Self CPU    CPU Mem  # of Calls  Total FLOPs  \n"
        "------  ----------  --------  ---------  ----------  -----------  \n"
        "  a,mm      12.50%  13.980ms    1.50 Kb          20           --  \n"
        "    12         NaN    3.916s       -4 b           1     2360.000  \n"
        "   NaN         NaN   0.000us        0 b           2        0.000  \n"
        "------  ----------  --------  ---------  ----------  -----------  \n"
        "Self CPU time total: 8.303s\n";
    const auto doc = *wlfmt::table::read(text);
    REQUIRE(doc.tables.size() == 1);
    CHECK(csv_of(doc) ==
          "table,row,Name,Self CPU %,Self CPU (us),CPU Mem (bytes),# of Calls,Total FLOPs\r\n"
          "0,0,\"a,mm\",12.5,13980.0,1536.0,20,\r\n"
          "0,1,12,,3916000.0,-4.0,1,2360.0\r\n"
          "0,2,NaN,,0.0,0.0,2,0.0\r\n");
}

TEST_CASE("the bytes and dimensions of shapes, where they are known") {
    const csv_table rows(
        csv_of(read_log("rank:0:a(input__shape=[4, 2, 8],input__dtype=torch.bfloat16)\n"
                        "rank:0:a(input__shape=torch.Size([]),input__dtype=bool)\n"
                        "rank:0:a(input__shape=[3],input__dtype=torch.strange)\n"
                        "rank:0:a(input__shape=None,input__dtype=torch.int8)\n"
                        "rank:0:a(input__shape=[2, x],input__dtype=torch.int8)\n"
                        "rank:0:a(input__shape=[0, 7])\n")));
    CHECK(rows.column("bytes") == "128;1;<none>;<none>;<none>;<none>;");
    CHECK(rows.column("input_dimensions") == "3;0;1;<none>;<none>;2;");
}

TEST_CASE("an exchange that the tracer wrote twice is marked as a copy") {
    const auto doc = *wlfmt::oplog::read(
        "rank:0:send_forward(duration=4.5,timestamp=100.0)\nrank:1:send_forward(duration=4.5,timestamp=100.0)\n"
        "rank:0:recv_backward(duration=4.5,timestamp=100.0)\nrank:1:recv_forward(duration=4.5,timestamp=100.0)\n");
    CHECK(csv_table(csv_of(doc)).column("copy") == "0;0;1;0;");
}

TEST_CASE("copies are found in pieces of a file, too") {
    const std::string text =
        "rank:0:send_forward(duration=4.5,timestamp=100.0)\nrank:1:send_forward(duration=4.5,timestamp=100.0)\n"
        "rank:2:recv_backward(duration=1.5,timestamp=50.0)\nrank:0:recv_backward(duration=4.5,timestamp=100.0)\n"
        "rank:2:forward_step(duration=1.5,timestamp=60.0)\nrank:1:recv_backward(duration=4.5,timestamp=100.0)\n"
        "rank:2:send_forward(duration=1.5,timestamp=50.0)\nrank:0:send_forward(duration=4.5,timestamp=100.0)\n"
        "stage:0:send_forward(duration=4.5,timestamp=100.0)\n";
    const auto doc = read_log(text);
    const auto marks = [&](std::size_t first_end, std::size_t second_end) {
        std::string all;
        wlfmt::oplog::copies before;
        std::size_t n = 0;
        for (const std::size_t end : {first_end, second_end, doc.operations.size()}) {
            wlfmt::oplog::copies piece;
            for (; n < end; ++n) {
                const bool is_copy = piece.is_copy(doc.operations[n]);
                all += (piece.half() != nullptr ? before.is_copy(*piece.half()) : is_copy) ? '1' : '0';
            }
            before.add(piece);
        }
        return all;
    };
    CHECK(marks(9, 9) == "000101010");
    for (std::size_t first = 0; first != 10; ++first)
        for (std::size_t second = first; second != 10; ++second) CHECK(marks(first, second) == "000101010");
}

TEST_CASE("a shape that was made of dimensions is written as a list") {
    const std::int64_t dims[] = {4, 2, 8};
    wlfmt::oplog::operation op;
    op.op = "f";
    op.input_dtype = "torch.int8";
    for (const wlfmt::oplog::shape& shape : {wlfmt::oplog::shape(dims, 3), wlfmt::oplog::shape{4, 2, 8}}) {
        op.input_shape = shape;
        std::string out;
        CHECK_FALSE(wlfmt::csv::write_row(out, op, {}));
        csv_table(operation_names() + out)
            .check(0, {{"op", "f"}, {"input__shape", "[4, 2, 8]"}, {"bytes", "64"}, {"input_dimensions", "3"}});
    }
}

TEST_CASE("a count has all its digits, beyond 63 bits, too") {
    std::string out;
    wlfmt::csv::row_writer<std::string> line(out, {});
    line.count(18446744073709551615U);
    line.count(9223372036854775808U);
    line.count(9223372036854775807U);
    line.end();
    CHECK_FALSE(line.finish());
    CHECK(out == "18446744073709551615,9223372036854775808,9223372036854775807\r\n");
}

TEST_CASE("texts that a spreadsheet would take for formulas begin with an apostrophe") {
    const auto log = read_log(
        "rank:7:a(description==1+1,mg_state=+x,group_kind=-y,input__dtype=@z,duration=-8.5,batch_id='q)\n"
        "rank:0:b(description==a,b,mg_state=a=b,group_kind=,duration=-inf)\n");
    wlfmt::csv::options how;
    how.no_formulas = true;
    std::string out;
    REQUIRE_FALSE(wlfmt::csv::write(out, log, how));
    const csv_table rows(out);
    REQUIRE(rows.size() == 2);
    rows.check(0, {{"description", "'=1+1"},
                   {"mg_state", "'+x"},
                   {"group_kind", "'-y"},
                   {"input__dtype", "'@z"},
                   {"batch_id", "''q"},
                   {"rank", "7"},
                   {"duration_ms", "-8.5"}});
    rows.check(1, {{"description", "'=a,b"}, {"mg_state", "a=b"}});
    CHECK(csv_of(log).find("'=") == std::string::npos);
    // Names of columns, rows and layers too.
    wlfmt::table::profile one;
    one.columns = {wlfmt::table::column("Name"), wlfmt::table::column("=Color")};
    REQUIRE(one.add_row({wlfmt::table::cell("@mm"), wlfmt::table::cell(-4)}));
    wlfmt::table::document doc;
    doc.tables.push_back(one);
    out.clear();
    REQUIRE_FALSE(wlfmt::csv::write(out, doc, how));
    CHECK(out == "table,row,Name,'=Color\r\n0,0,'@mm,-4\r\n");
    out.clear();
    REQUIRE_FALSE(wlfmt::csv::write(out, *wlfmt::workload::read("DATA\n1\n=l -1 1 NONE 0 2 NONE 0 3 NONE 0 4\n"), how));
    CHECK(out.find("\r\n0,'=l,-1,1,NONE") != std::string::npos);
    out.clear();
    REQUIRE_FALSE(
        wlfmt::csv::write_sub_operations(out, read_log("rank:0:a(sub_operations=['=x()', 'comm_func=+1'])\n"), how));
    CHECK(out.find(",'=x(),") != std::string::npos);
    CHECK(out.find(",'+1,") != std::string::npos);
}

TEST_CASE("frames are the lines of a field") {
    wlfmt::table::profile one;
    one.columns = {wlfmt::table::column("Name"), wlfmt::table::column("Source Location")};
    REQUIRE(one.add_row({wlfmt::table::cell("a"), wlfmt::table::cell("model.py(1): f")}));
    one.frames.emplace_back(std::vector<std::string_view>{"train.py(2): g"});
    wlfmt::table::document doc;
    doc.tables.push_back(one);
    CHECK(csv_of(doc) == "table,row,Name,Source Location\r\n0,0,a,\"model.py(1): f\ntrain.py(2): g\"\r\n");
}

TEST_CASE("the columns are those of all tables, in the order in which they are met") {
    wlfmt::table::document doc;
    doc.tables.resize(3);
    const auto column = [](std::string_view name) { return wlfmt::table::column(name); };
    doc.tables[0].columns = {column("Name"), column("CPU total"), column("# of Calls")};
    doc.tables[1].columns = {column("# of Calls"), column("Name")};
    doc.tables[2].columns = {column("Name"), column("CUDA total")};
    REQUIRE(doc.tables[0].add_row({wlfmt::table::cell("a"), wlfmt::table::cell(1.5), wlfmt::table::cell(2)}));
    REQUIRE(doc.tables[1].add_row({wlfmt::table::cell(3), wlfmt::table::cell("b")}));
    REQUIRE(doc.tables[2].add_row({wlfmt::table::cell("c"), wlfmt::table::cell(4.5)}));
    std::string out;
    CHECK(!wlfmt::csv::write(out, doc));
    CHECK(out ==
          "table,row,Name,CPU total (us),# of Calls,CUDA total (us)\r\n0,0,a,1.5,2,\r\n1,0,b,,3,\r\n2,0,c,,,4.5\r\n");
}

TEST_CASE("tables of different versions and devices under canonical names") {
    const std::string a_head = "      Name   Self CUDA  Number of Calls  Total MFLOPs\n";
    const std::string a_row = "  aten::mm     1.500ms                3         2.500\n";
    const std::string b_head = "      Name    Self XPU       # of Calls        Colour\n";
    const std::string b_row = "       add     7.000us                4           red\n";
    const std::string rule = "----------  ----------  ---------------  ------------\n";
    const std::string text =
        rule + a_head + rule + a_row + rule + "Self CUDA time total: 2.000ms\n\n" + rule + b_head + rule + b_row + rule;
    wlfmt::table::document doc;
    const auto all = wlfmt::table::read(text);
    REQUIRE(all->tables.size() == 2);
    for (const auto& one : all->tables) doc.tables.push_back(wlfmt::table::canonical(one));
    std::string out;
    CHECK(!wlfmt::csv::write(out, doc));
    CHECK(out ==
          "table,row,name,self_device_time_us,calls,flops,device,Colour\r\n0,0,aten::mm,1500.0,3,2500000.0,cuda,\r\n"
          "1,0,add,7.0,4,,xpu,red\r\n");
    out.clear();
    CHECK(!wlfmt::json::write(out, doc));
    CHECK(out ==
          "{\"columns\":[\"name\",\"self_device_time_us\",\"calls\",\"flops\",\"device\"],\"totals\":"
          "{\"self_device_time_us\":2000.0}}\n"
          "{\"name\":\"aten::mm\",\"self_device_time_us\":1500.0,\"calls\":3,\"flops\":2500000.0,\"device\":"
          "\"cuda\"}\n"
          "{\"columns\":[\"name\",\"self_device_time_us\",\"calls\",\"Colour\",\"device\"],\"totals\":{}}\n"
          "{\"name\":\"add\",\"self_device_time_us\":7.0,\"calls\":4,\"Colour\":\"red\",\"device\":\"xpu\"}\n");
}

TEST_CASE("where several columns have one name, the n-th of a table is under the n-th of the first table") {
    wlfmt::table::document doc;
    doc.tables.resize(3);
    const auto column = [](std::string_view name) { return wlfmt::table::column(name); };
    doc.tables[0].columns = {column("Name"), column("# of Calls"), column("# of Calls")};
    doc.tables[1].columns = {column("# of Calls"), column("Name")};
    doc.tables[2].columns = {column("# of Calls"), column("# of Calls"), column("# of Calls")};
    const auto cell = [](auto v) { return wlfmt::table::cell(v); };
    REQUIRE(doc.tables[0].add_row({wlfmt::table::cell(std::string_view("a")), cell(1), cell(2)}));
    REQUIRE(doc.tables[1].add_row({cell(3), wlfmt::table::cell(std::string_view("b"))}));
    std::string out;
    CHECK(!wlfmt::csv::write(out, doc));
    CHECK(out == "table,row,Name,# of Calls,# of Calls,# of Calls\r\n0,0,a,1,2,\r\n1,0,b,3,,\r\n");
    // Rows under columns that lack one of the table's.
    out.clear();
    const wlfmt::problem e = wlfmt::csv::write_rows(out, doc.tables[2], doc.tables[0].columns, {});
    CHECK(e.kind == error_kind::unknown_member);
    CHECK(e.field == "# of Calls");
    CHECK(out.empty());
}

TEST_CASE("rows of several files have the file's name first") {
    const auto doc = read_log("rank:0:a(k=1,sub_operations=['s'])\n");
    std::string out;
    wlfmt::csv::origin from;
    from.file = "x, y.txt";
    from.position = 41;
    CHECK_FALSE(wlfmt::csv::write_operation_names(out, true));
    CHECK_FALSE(wlfmt::csv::write_row(out, doc.operations[0], from));
    CHECK(out.substr(0, 12) == "file,record,");
    csv_table(out).check(
        0, {{"file", "x, y.txt"}, {"record", "41"}, {"op", "a"}, {"sub_operations", "1"}, {"further", R"({"k":1})"}});
    out = sub_operation_names(true);
    CHECK_FALSE(wlfmt::csv::write_sub_operation_rows(out, doc.operations[0], from));
    csv_table(out).check(0, {{"file", "x, y.txt"}, {"record", "41"}, {"op", "a"}, {"index", "0"}, {"text", "s"}});
    wlfmt::workload::layer layer;
    layer.name = "mlp";
    layer.forward.compute = 7;
    out.clear();
    CHECK_FALSE(wlfmt::csv::write_layer_names(out, true));
    CHECK(out.substr(0, 16) == "file,layer,name,");
    out.clear();
    CHECK_FALSE(wlfmt::csv::write_row(out, layer, from));
    CHECK(out == "\"x, y.txt\",41,mlp,-1,7,NONE,0,0,NONE,0,0,NONE,0,0,,\r\n");
}

TEST_CASE("a sink that fails is reported") {
    std::ostringstream stream;
    stream.setstate(std::ios::badbit);
    const auto log = read_log("rank:0:a(sub_operations=['s'])\n");
    CHECK(wlfmt::csv::write(stream, log).kind == error_kind::cannot_write);
    CHECK(wlfmt::csv::write_sub_operations(stream, log).kind == error_kind::cannot_write);
    CHECK(wlfmt::csv::write(stream, *wlfmt::workload::read("DATA\n0\n")).kind == error_kind::cannot_write);
    CHECK(wlfmt::csv::write(stream, wlfmt::table::document()).kind == error_kind::cannot_write);
    std::FILE* const missing = nullptr;
    CHECK(wlfmt::csv::write(missing, log).kind == error_kind::cannot_write);
}

TEST_CASE("every row of every sample has as many fields as there are names, and the values of its record") {
    for (const auto name : test::oplog_samples) {
        const std::string text = test::data(name);
        const auto doc = *wlfmt::oplog::read(text);
        const csv_table rows(csv_of(doc));
        REQUIRE(rows.size() == doc.operations.size());
        std::size_t subs = 0;
        for (std::size_t n = 0; n != rows.size(); ++n) {
            const auto& op = doc.operations[n];
            CHECK(rows.at(n, "op") == op.op);
            CHECK(wlfmt::to_number(rows.at(n, "duration_ms")) == op.duration);
            CHECK(wlfmt::to_number(rows.at(n, "timestamp_ms")) == op.timestamp);
            CHECK(rows.at(n, "sub_operations") == std::to_string(op.sub_operations.size()));
            subs += op.sub_operations.size();
        }
        const csv_table sub_rows(subs_of(doc));
        REQUIRE(sub_rows.size() == subs);
        std::size_t n = 0;
        for (std::size_t record = 0; record != doc.operations.size(); ++record)
            for (const auto& s : doc.operations[record].sub_operations) {
                CHECK(sub_rows.at(n, "record") == std::to_string(record));
                CHECK(sub_rows.at(n, "comm_func") == s.comm_func);
                CHECK(wlfmt::to_number(sub_rows.at(n, "sub_timestamp_ms")) == s.timestamp);
                ++n;
            }
    }
}

TEST_CASE("the comment of the header lists the columns that there are") {
    std::ifstream file(WLFMT_TEST_DATA "/../../include/wlfmt/csv.hpp", std::ios::binary);
    const std::string header((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    // The names after the word that begins their line, up to a line that begins in another way.
    const auto listed = [&](std::string_view word) {
        std::string names;
        std::size_t at = header.find("//   " + std::string(word));
        REQUIRE(at != std::string::npos);
        at += 5 + word.size();
        for (bool more = true; more;) {
            const std::size_t end = header.find('\n', at);
            for (const char c : header.substr(at, end - at)) names += c == ' ' ? "" : std::string(1, c);
            more = header.substr(end + 1, 20) == "//                  ";
            at = end + 3;
        }
        return names;
    };
    const auto written = [](std::string names) { return names.substr(0, names.size() - 2); };
    CHECK(listed("operations ") == written(operation_names()));
    CHECK(listed("sub-operations ") == written(sub_operation_names()));
    std::string layers;
    CHECK_FALSE(wlfmt::csv::write_layer_names(layers, false));
    CHECK(listed("layers ") == written(layers));
}
