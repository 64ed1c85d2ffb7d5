// The bugs that fuzzing found; each case is named after what was wrong. The inputs are in the archives of fuzz/corpus.
#include <cstdint>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

namespace {

namespace oplog = wlfmt::oplog;

// Checks that a text with one operation is written again byte for byte.
void check_reads_back(std::string_view text) {
    const auto doc = oplog::read(text);
    REQUIRE(doc.ok());
    REQUIRE(doc->operations.size() == 1);
    CHECK(!problem_of(doc->operations[0]));
    std::string written;
    CHECK(!oplog::write(written, *doc));
    CHECK(written == text);
}

// What one cell of a table is, in a column of that name.
wlfmt::number read_cell(std::string_view column, std::string_view cell) {
    const auto padded = [](std::string_view s) { return std::string(16 - s.size(), ' ').append(s).append("  "); };
    const std::string rule = "----------------  ----------------  \n";
    std::string text = rule + padded("Name") + padded(column) + "\n" + rule + padded("x") + padded(cell) + "\n";
    wlfmt::options how;
    how.lenient = true;
    const auto doc = wlfmt::table::read(text, how);
    REQUIRE(doc->tables.size() == 1);
    REQUIRE(doc->tables[0].size() == 1);
    const wlfmt::number value = doc->tables[0].cell_at(0, 1).value();
    return value.is_text() ? wlfmt::number(std::string_view("text")) : value;
}

}  // namespace

TEST_CASE("a carriage return within a value was called unwritable") {
    check_reads_back("rank:0:f(description=a\rb,group_kind=dp)\n");
    check_reads_back("rank:0:f(sub_operations=['a\\\\\rb'])\n");
}

TEST_CASE("a separator in the first value after the list of sub-operations was called unwritable") {
    check_reads_back("rank:8:h(sub_operations=['x=1, y=2'],further=['x=1, y=2'],stage_id=8)\n");
}

TEST_CASE("a known key listed twice was called writable") {
    const oplog::attribute twice[] = {{"stage_id", {}}, {"x", "1"}, {"stage_id", "2"}};
    oplog::operation op;
    op.op = "f";
    op.attributes = {twice, 3};
    CHECK(problem_of(op).kind == wlfmt::error_kind::unwritable);
    CHECK(problem_of(op).field == "stage_id");

    const oplog::attribute same_member[] = {{"mg_state", {}}, {"stage", "steady"}};
    op.mg_state = "warmup";
    op.attributes = {same_member, 2};
    CHECK(problem_of(op).field == "stage");

    oplog::sub_operation sub;
    const oplog::attribute sub_twice[] = {{"group", {}}, {"x", "1"}, {"group", "tp"}};
    sub.attributes = {sub_twice, 3};
    op.attributes = {};
    op.sub_operations = {&sub, 1};
    CHECK(problem_of(op).kind == wlfmt::error_kind::unwritable);
}

TEST_CASE("a cell that begins where the sixteen bytes before its end do was read far outside the text") {
    const test::exact_buffer text(
        "------------  --------------  ------------  \n"
        "        Name        Self CPU    # of Calls  \n"
        "------------  --------------  ------------  \n"
        "           x  -688540.000us              1  \n"
        "           m  0-688540.000us           1.5  \n");
    wlfmt::options how;
    how.lenient = true;
    const auto doc = wlfmt::table::read(text.view(), how);
    REQUIRE(doc->tables.size() == 1);
    REQUIRE(doc->tables[0].size() == 2);
    CHECK(doc->tables[0].cell_at(0, 1).value() == -688540.0);
    CHECK(doc->tables[0].cell_at(1, 1).value().is_text());
}

TEST_CASE("a sign was taken for the digit before the point") {
    for (const std::string_view cell : {"-.000us", "-.500ms", "-.25s"}) CHECK(read_cell("Self CPU", cell).is_text());
    CHECK(read_cell("Self CPU %", "-.25%").is_text());
    CHECK(read_cell("CPU Mem", "-.25 Kb").is_text());
}

TEST_CASE("a unit of time was read in capitals") {
    for (const std::string_view cell : {"13.980mS", "13.980MS", "13.980US", "13.980S"})
        CHECK(read_cell("Self CPU", cell).is_text());
    CHECK(read_cell("CPU Mem", "1.50 KB") == 1536.0);
    CHECK(read_cell("CPU Mem", "1.50 kb") == 1536.0);
}

TEST_CASE("a key of a nested operation that is read as a list was called writable with any value") {
    const oplog::attribute list[] = {{"sub_operations", "[1,"}, {"x", "2"}};
    oplog::sub_operation sub;
    sub.attributes = {list, 2};
    oplog::operation op;
    op.op = "f";
    op.sub_operations = {&sub, 1};
    CHECK(problem_of(op).field == "sub_operations");
}

TEST_CASE("a selection took a duration for a number that a whole walk read on after its comma") {
    const std::string_view line =
        "rank:0:f(sub_operations=['trace_src_func=g,duration=0.02,t\xFFimestamp=1,input__shape=None,input__dtype=None,"
        "group=None,comm_func=x'])\n";
    wlfmt::options how;
    how.lenient = true;
    oplog::reader log(line, how);
    const oplog::operation* op = log.next();
    REQUIRE(op != nullptr);
    CHECK((*op->sub_operations.begin()).duration.text() == "0.02,t\xFFimestamp=1");
    const auto chosen = op->sub_operations.only<oplog::fields::duration | oplog::fields::comm_func>();
    CHECK((*chosen.begin()).duration.text() == "0.02,t\xFFimestamp=1");
    CHECK((*chosen.begin()).comm_func == "x");
}

TEST_CASE("a backslash that ends a value in the middle of a nested operation was called unwritable") {
    check_reads_back("rank:0:f(sub_operations=['func_name=\\x41\\,further=0.75'])\n");
}

TEST_CASE("a line end after a backslash was called writable with its escapes in place") {
    oplog::sub_operation sub;
    sub.quote = '"';
    oplog::operation op;
    op.op = "f";
    op.sub_operations = {&sub, 1};
    sub.group = "\\\n";
    CHECK(problem_of(op).field == "group");
    sub.group = "\\";
    CHECK(problem_of(op).field == "group");
    sub.comm_func = "x";
    CHECK(!problem_of(op));
    sub = oplog::sub_operation();
    sub.quote = '"';
    sub.text = "\\\n";
    CHECK(problem_of(op).field == "sub_operations.text");
    sub.text = "\\";
    CHECK(problem_of(op).field == "sub_operations.text");
}

TEST_CASE("a shape with tabs was a list that came back from writing as a text") {
    const auto doc = oplog::read("rank:0:f(sub_operations=['input__shape=[2048\t, 2],group=tp'])\n");
    REQUIRE(doc.ok());
    const auto shape = (*doc->operations[0].sub_operations.begin()).input_shape;
    CHECK_FALSE(shape.is_list());
    CHECK(shape.text() == "[2048\t, 2]");
    std::string written;
    CHECK(!oplog::write(written, *doc));
    CHECK(written == "rank:0:f(sub_operations=['input__shape=[2048\\t, 2],group=tp'])\n");
}

TEST_CASE("the closing rule of a refused table made a table of the lines after it, and hid the good one") {
    const std::string_view text =
        "-----  -----  \n"
        "a  b  c\n"
        "-----  -----  \n"
        "    a      1  \n"
        "-----  -----  \n"
        "text\n"
        "-----  -----  \n"
        " Name      X  \n"
        "-----  -----  \n"
        "    b      2  \n"
        "-----  -----  \n";
    wlfmt::options how;
    how.lenient = true;
    const auto doc = wlfmt::table::read(text, how);
    REQUIRE(doc->tables.size() == 1);
    REQUIRE(doc->tables[0].columns.size() == 2);
    CHECK(doc->tables[0].columns[1].name == "X");
    REQUIRE(doc->tables[0].size() == 1);
    CHECK(doc->tables[0].row(0).find("X").value() == 2);
}

TEST_CASE("a value compared with 0 or nullptr was compared with the text at a null pointer") {
    const std::string_view text = "HYBRID_TRANSFORMER_FWD_IN_BCKWD pp: 8 ga: 0 mode: None\n0\n";
    const auto w = wlfmt::workload::read(text);
    REQUIRE(w);
    const wlfmt::workload::header& head = w->header;
    CHECK(head.find("ga") == 0);
    CHECK(head.find("pp") != 0);
    CHECK(head.find("pp") == 8);
    CHECK(8U == head.find("pp"));
    CHECK(head.find("pp") == 8.0);
    CHECK_FALSE(head.find("pp") == 8.5);
    CHECK(head.find("layer count") == 0);
    CHECK(head.find("mode") == nullptr);
    CHECK(nullptr != head.find("pp"));
    CHECK(head.find("pp") == std::string("8"));
    CHECK("9" != head.find("pp"));
    const char* const no_text = nullptr;
    CHECK_FALSE(head.find("pp") == no_text);
    CHECK_FALSE(head.find("missing") == 0);
    CHECK_FALSE(head.find("missing") == nullptr);
    CHECK_FALSE(head.find("missing") == "");
    CHECK_FALSE(head.find("missing") == no_text);
}

TEST_CASE("the value of a key had a text or none, depending on whether the record has a member for it") {
    const std::string text =
        "rank:3:f(stage_id=1,batch_id=None,duration=8.30,input__shape=[3, "
        "4],cmd_uid=3,cost=8.30,peer=None,sub_operations=["
        "'duration=0.50,bytes=0.50'])\n";
    oplog::reader log(text);
    const oplog::operation* const op = log.next();
    REQUIRE(op != nullptr);
    CHECK(op->find("stage_id") == "1");
    CHECK(op->find("cmd_uid") == "3");
    CHECK(op->find("stage_id") == 1);
    CHECK(op->find("cmd_uid") == 3);
    CHECK(op->find("stage_id").text() == "1");
    CHECK(op->find("cmd_uid").text() == "3");
    for (const char* const key : {"duration", "cost"}) {
        CHECK(op->find(key) == "8.30");
        CHECK(op->find(key) != "8.3");
        CHECK(op->find(key) == 8.3);
        CHECK(op->find(key) == wlfmt::number(8.3));
        CHECK(std::string(op->find(key).text()) == "8.30");
    }
    for (const char* const key : {"batch_id", "peer"}) {
        CHECK(op->find(key) == nullptr);
        CHECK(op->find(key) == "None");
        CHECK(op->find(key) != 0);
        CHECK(op->find(key).text() == "None");
    }
    CHECK(op->find("input__shape") == "[3, 4]");
    CHECK(op->find("timestamp").is_missing());
    CHECK(op->find("timestamp").text().is_missing());
    const oplog::sub_operation sub = *op->sub_operations.begin();
    CHECK(sub.find("duration") == "0.50");
    CHECK(sub.find("bytes") == "0.50");

    // What a program assigned has the text that is written.
    oplog::operation edited = *op;
    edited.stage_id = 2;
    edited.duration = 4.0;
    edited.batch_id = 7;
    edited.timestamp = 3375746596.921234;
    const std::int64_t dims[] = {2048, -2, 5120, 1000000000000};
    edited.input_shape = {dims, 4};
    CHECK(edited.find("stage_id") == "2");
    CHECK(edited.find("stage_id") != "1");
    CHECK(edited.find("duration").text() == "4.0");
    CHECK(edited.find("batch_id").text() == "7");
    CHECK(edited.find("timestamp").text() == "3375746596.921234");
    CHECK(edited.find("input__shape") == "[2048, -2, 5120, 1000000000000]");
    CHECK(edited.find("input__shape") != "[2048, -2, 5120, 100000000000]");
    CHECK(edited.find("input__shape") != "[2048, -2, 5120, 1000000000000], ");
    CHECK(edited.find("input__shape").text() == "[2048, -2, 5120, 1000000000000]");
    CHECK(edited.find("input__shape").number().is_text());
    edited.input_shape = {dims, 0};
    CHECK(edited.find("input__shape") == "[]");
    edited.duration = {};
    CHECK(edited.find("duration").is_missing());

    const std::string_view file = "HYBRID_TRANSFORMER_FWD_IN_BCKWD pp: 8\n00002\n";
    const auto w = wlfmt::workload::read(file);
    CHECK(w->header.find("pp").text() == "8");
    CHECK(w->header.find("layer count").text() == "00002");
    CHECK(w->header.find("layer count") == 2);
    wlfmt::workload::header head = w->header;
    head.declared_layers = 33;
    CHECK(head.find("layer count") == "33");

    std::ostringstream stream;
    stream << op->find("duration") << ' ' << edited.find("stage_id") << '[' << op->find("timestamp") << ']';
    CHECK(stream.str() == "8.30 2[]");
}

TEST_CASE("a number that was scaled by a whole number beyond 2^53 was not exact") {
    wlfmt::number n = 3;
    n *= 9007199254740994.0;
    CHECK(n == wlfmt::number(std::int64_t{27021597764222982}));
    n = 1;
    n *= std::int64_t{9007199254740993};
    CHECK(n == wlfmt::number(std::int64_t{9007199254740993}));
    n = -1;
    n *= std::uint64_t{9223372036854775807U};
    CHECK(n == wlfmt::number(std::int64_t{-9223372036854775807}));
    n = 2;
    n *= -4611686018427387904.0;
    CHECK(n == wlfmt::number((std::numeric_limits<std::int64_t>::min)()));
    n = 2;
    n *= std::uint64_t{1} << 63;
    CHECK(n == wlfmt::number(18446744073709551616.0));
    n = 8;
    n *= 2.5F;
    CHECK(n == wlfmt::number(20));
    n = 1.5;
    n *= 3;
    CHECK(n == wlfmt::number(4.5));
    n = nullptr;
    n *= 2;
    CHECK(n == nullptr);
}

TEST_CASE("the width of a stream was that of the item after a number") {
    std::ostringstream stream;
    stream << std::setw(6) << wlfmt::number(8.5) << '|' << std::left << std::setw(5) << wlfmt::number(12) << '|'
           << std::setfill('.') << std::setw(6) << wlfmt::number(std::string_view("n/a")) << '|' << std::setw(3)
           << wlfmt::number() << '|' << std::setw(6) << wlfmt::number(nullptr);
    CHECK(stream.str() == "   8.5|12   |n/a...|...|None..");
}

TEST_CASE("sizes of a header are exact beyond what a double holds, or no sizes") {
    const auto pp_comm = [](const std::string& written) {
        const std::string text = "X pp: 4 pp_comm: " + written + "\n0\n";
        const auto read = wlfmt::workload::read(text);
        if (!read) return std::string(name_of(read.error().kind));
        std::string to;
        wlfmt::append_value(to, read->header.pipeline_bytes());
        return to;
    };
    CHECK(pp_comm("2621440.0") == "2621440.0");
    CHECK(pp_comm("0.5") == "0.5");
    CHECK(pp_comm("9007199254740991.0") == "9007199254740991.0");
    CHECK(pp_comm("9007199254740993.0") == "9007199254740993");
    CHECK(pp_comm("-9007199254740993.0") == "-9007199254740993");
    CHECK(pp_comm("9007199254740991.5") == "not_an_integer");
    CHECK(pp_comm("1e300") == "number_overflow");
}

TEST_CASE("whole numbers with a point are exact, and what is rounded to one is none") {
    const auto bytes = [](const std::string& written) {
        const std::string text = "X pp: 4\n1\nl -1 1 ALLREDUCE " + written + " 2 NONE 0 3 NONE 0 4\n";
        const auto read = wlfmt::workload::read(text);
        if (!read) return std::string(name_of(read.error().kind));
        std::string to;
        wlfmt::append_value(to, read->layers.at(0).forward.bytes);
        return to;
    };
    CHECK(bytes("9007199254740993.0") == "9007199254740993");
    CHECK(bytes("9223372036854775807.00") == "9223372036854775807");
    CHECK(bytes("9007199254740991.5") == "not_an_integer");
    CHECK(bytes("4503599627370496.25") == "not_an_integer");
    CHECK(bytes("5.00000000000000000001") == "not_an_integer");
    CHECK(bytes("9.007199254740993e15") == "9007199254740993");
    CHECK(bytes("4503599627370496.25e0") == "not_an_integer");
    CHECK(bytes("1.00000000000000000001e1") == "not_an_integer");
    CHECK(bytes("1e-400") == "not_an_integer");
    CHECK(bytes("0e-400") == "0");
    CHECK(bytes("12.3400e2") == "1234");
    CHECK(bytes("-2.50e1") == "-25");
    CHECK(bytes("922337203685477580.8e1") == "number_overflow");
    CHECK(bytes("1e18") == "1000000000000000000");
    CHECK(bytes("9223372036854775808.0") == "number_overflow");
    CHECK(bytes("2e6") == "2000000");
    CHECK(bytes("2621440.0") == "2621440");
}
