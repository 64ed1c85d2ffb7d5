// detect() and find_prefix(): which format a text is, and what a launcher put before its lines.
#include "support.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/wlfmt.hpp>

using wlfmt::detect;
using wlfmt::file_format;

TEST_CASE("the samples are detected") {
    for (const auto name : test::oplog_samples) CHECK(detect(test::data(name)) == file_format::oplog);
    for (const auto name : test::workload_samples) CHECK(detect(test::data(name)) == file_format::workload);
    for (const auto name : test::table_samples) CHECK(detect(test::data(name)) == file_format::table);
}

TEST_CASE("the first few kilobytes are enough") {
    for (const auto name : test::oplog_samples) CHECK(detect(test::data(name).substr(0, 1000)) == file_format::oplog);
    for (const auto name : test::workload_samples)
        CHECK(detect(test::data(name).substr(0, 1000)) == file_format::workload);
    for (const auto name : test::table_samples) CHECK(detect(test::data(name).substr(0, 1000)) == file_format::table);
}

TEST_CASE("formats have names") {
    CHECK(name_of(file_format::oplog) == "oplog");
    CHECK(name_of(file_format::workload) == "workload");
    CHECK(name_of(file_format::table) == "table");
    CHECK(name_of(file_format::unknown) == "unknown");
}

TEST_CASE("a record makes an op log, whatever is around it") {
    CHECK(detect("rank:7:forward_step()") == file_format::oplog);
    CHECK(detect("stage:0:get_batch(batch_id=0, mg_state=warmup)\n") == file_format::oplog);
    CHECK(detect("\xEF\xBB\xBFrank:0:a()\r\n") == file_format::oplog);
    CHECK(detect("DATA\nstarting 3 workers\n\nrank:0:a(duration=1.0)\n") == file_format::oplog);
    CHECK(detect("rank:7 is up\nrank:x:step()\nrank:7: forward step()\n") == file_format::unknown);
}

TEST_CASE("a policy, a count and a layer make a workload") {
    CHECK(detect("MICRO\n1\nconv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 65536 5\n") == file_format::workload);
    CHECK(detect("\n  DATA\t\t\r\n54\t\t\r\nconv1\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1") ==
          file_format::workload);
    CHECK(detect("MY_OWN_POLICY x: 1\n0\n") == file_format::workload);
    CHECK(detect("MICRO\n1") == file_format::workload);
    // Counts that are wrong, as the reader will report, and one that is written as a decimal.
    CHECK(detect("MICRO\n-1\nconv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 65536 5\n") == file_format::workload);
    CHECK(detect("MICRO\n1.0\nconv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 65536 5\n") == file_format::workload);
    CHECK(detect("MICRO\n99999999999999999999\n") == file_format::workload);
    CHECK(detect("MICRO\nnan\n") == file_format::unknown);
    CHECK(detect("MICRO\n-inf\n") == file_format::unknown);
    CHECK(detect("MICRO\n-\n") == file_format::unknown);
    CHECK(detect("MICRO\nmany\n") == file_format::unknown);
    CHECK(detect("Results of the run\n12\nlayers were simulated\n") == file_format::unknown);
    CHECK(detect("12\n12\n") == file_format::unknown);
}

TEST_CASE("a near relative is taken for a workload, whose reader then says what it is") {
    const std::string text =
        "ORCA\tmodel_parallel_NPU_group: 1\n1\nLayername comp_time input_loc input_size weight_loc "
        "weight_size output_loc output_size comm_type comm_size misc\n";
    CHECK(detect(text) == file_format::workload);
    CHECK(wlfmt::workload::read(text).error().kind == wlfmt::error_kind::related_format);
}

TEST_CASE("a rule, a header and a rule make a table, and the first record or table of the text decides") {
    const std::string table = "----  ----  \nName    us  \n----  ----  \n   a     1  \n----  ----  \n";
    CHECK(detect(table) == file_format::table);
    CHECK(detect("before\n\n" + table) == file_format::table);
    CHECK(detect(table + "rank:0:a()\n") == file_format::table);
    CHECK(detect("rank:0:a()\n" + table) == file_format::oplog);
    CHECK(detect("----  ----  \nName    us  \n") == file_format::unknown);
    CHECK(detect(std::string(80, '-') + "\ntitle\n" + std::string(80, '-') + "\n") == file_format::unknown);
}

TEST_CASE("anything else is unknown") {
    CHECK(detect("") == file_format::unknown);
    CHECK(detect("\n\n\n") == file_format::unknown);
    CHECK(detect("{\"rank\":7}\n") == file_format::unknown);
    CHECK(detect(std::string(1, '\0')) == file_format::unknown);
}

TEST_CASE("a record or a table is found wherever it is, and no byte outside the text is read") {
    std::string before = std::string(70000, '\n');
    while (before.size() < 200000) before += "epoch 3 step --lr=1e-4: Name of the run == seven, took 12:00\n";
    CHECK(detect(before) == file_format::unknown);
    CHECK(detect(before + "[rank3]: rank:0:a()\n") == file_format::oplog);
    CHECK(detect(before + "rank:0:a( )") == file_format::oplog);
    CHECK(detect(before + "----  ----  \nName    us  \n----  ----  \n") == file_format::table);
    CHECK(detect(before + "[x] Name  Self CPU\n[x] ====  ========") == file_format::table);
    // What a workload file begins with is at the begin of a text.
    CHECK(detect(before + "DATA\n1\nconv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 65536 5\n") == file_format::unknown);
    const std::string text = test::data(test::oplog_samples[0]);
    for (std::size_t size = 0; size < 200; ++size) {
        const test::guarded_text at_end(std::string_view(text).substr(0, size), test::guard::after);
        const test::guarded_text at_start(std::string_view(text).substr(0, size), test::guard::before);
        CHECK(detect(at_end.view()) == detect(at_start.view()));
    }
}

namespace {

// The text with a prefix before each line.
std::string with_prefix(std::string_view prefix, std::string_view text) {
    std::string all;
    while (!text.empty()) {
        const std::size_t size = (std::min)(text.find('\n'), text.size() - 1) + 1;
        all.append(prefix).append(text.substr(0, size));
        text.remove_prefix(size);
    }
    return all;
}

constexpr std::string_view small_table = "----  ----  \nName    us  \n----  ----  \n   a     1  \n----  ----  \n";

}  // namespace

TEST_CASE("records and tables are found after a launcher's prefix, and the prefix is returned") {
    for (const std::string_view prefix :
         {"[rank0]: ", "[default0]:", "(pid=1234) ", "(RayTrainWorker pid=1234, ip=10.0.0.1) ",
          "(EngineCore_DP0 pid=1234) INFO 11-05 12:00:00 [gpu_worker.py:55] ", "2025-01-01 12:00:00,123 INFO "}) {
        CAPTURE(prefix);
        const std::string log = with_prefix(prefix, "starting\nrank:0:a(duration=1.0)\nrank:0:b()\n");
        CHECK(detect(log) == file_format::oplog);
        CHECK(wlfmt::find_prefix(log) == prefix);
        const std::string table = with_prefix(prefix, std::string("starting\n\n").append(small_table));
        CHECK(detect(table) == file_format::table);
        CHECK(wlfmt::find_prefix(table) == prefix);
        wlfmt::options how;
        how.prefix = wlfmt::find_prefix(table);
        const auto read = wlfmt::table::read(table, how);
        CHECK(read.ok());
        CHECK(read->tables.size() == 1);
    }
}

TEST_CASE("rules of equals signs are found after a prefix, as those of dashes are") {
    const std::string log =
        with_prefix("[x] ", "====  ====  \nName    us  \n====  ====  \n   a     1  \n====  ====  \n");
    CHECK(detect(log) == file_format::table);
    CHECK(wlfmt::find_prefix(log) == "[x] ");
    CHECK(wlfmt::find_prefixes(log) == std::vector<std::string_view>{"[x] "});
}

TEST_CASE("the first record or table decides: if it has no prefix, the text has no prefix") {
    const std::string plain(small_table);
    const std::string prefixed = with_prefix("[rank1]: ", small_table);
    CHECK(wlfmt::find_prefix(plain) == "");
    const std::string plain_first = plain + prefixed;
    CHECK(wlfmt::find_prefix(plain_first) == "");
    const std::string prefixed_first = prefixed + plain;
    CHECK(wlfmt::find_prefix(prefixed_first) == "[rank1]: ");
    CHECK(wlfmt::find_prefix("rank:0:a()\n[rank0]: rank:0:b()\n") == "");
    CHECK(wlfmt::find_prefix("[rank0]: rank:0:b()\nrank:0:a()\n") == "[rank0]: ");
    CHECK(detect(prefixed + "rank:0:a()\n") == file_format::table);
    CHECK(detect("[rank0]: rank:0:a()\n" + prefixed) == file_format::oplog);
    for (const auto name : test::oplog_samples) {
        const std::string text = test::data(name);
        CHECK(wlfmt::find_prefix(text) == "");
    }
    const std::string far_away = std::string(70000, '\n') + "[rank0]: rank:0:a()\n";
    CHECK(wlfmt::find_prefix(far_away) == "[rank0]: ");
    for (const std::string_view none : {std::string_view(""), std::string_view("[rank0]: nothing\n[rank0]: --\n")}) {
        CHECK(wlfmt::find_prefix(none) == "");
        CHECK(detect(none) == file_format::unknown);
    }
}

TEST_CASE("rules that begin no table do not hide the table after them") {
    std::string text = with_prefix("[rank3]: ", "-----  -----\ntitle\n");
    for (int n = 0; n != 12; ++n) text += "(worker pid=" + std::string(1, static_cast<char>('a' + n)) + ") --  --\n";
    text += with_prefix("[rank0]: ", small_table);
    CHECK(detect(text) == file_format::table);
    CHECK(wlfmt::find_prefix(text) == "[rank0]: ");
}

TEST_CASE("all prefixes of interleaved ranks are found, each once, whatever the time") {
    CHECK(wlfmt::find_prefixes("").empty());
    CHECK(wlfmt::find_prefixes("[rank0]: nothing to read\n").empty());
    const std::string_view text =
        "[rank1]: ---  ---\n[rank0]: ---  ---\n[rank2]: rank:1:a()\n12:00:00 INFO ---  ---\n"
        "12:00:07 INFO ===  ---\n[rank9]: not\nrank:5:a()\n---  ---\n[rank0]: ---  ---\n";
    const std::vector<std::string_view> all = wlfmt::find_prefixes(text);
    REQUIRE(all.size() == 4);
    CHECK(all[0] == "[rank1]: ");
    CHECK(all[1] == "[rank0]: ");
    CHECK(all[2] == "12:00:00 INFO ");
    CHECK(all[3] == "");
    std::string many;
    for (std::size_t n = 0; n != wlfmt::max_prefixes + 10; ++n) many += "[" + std::to_string(n) + "] ---  ---\n";
    CHECK(wlfmt::find_prefixes(std::string_view(many)).size() == wlfmt::max_prefixes);
}

// Each line of a table after a prefix that has the line's number or its time at every `%`.
std::string numbered(std::string_view prefix, std::size_t width, std::string_view text) {
    std::string all;
    for (std::size_t number = 8; !text.empty(); ++number) {
        const std::size_t size = text.find('\n') + 1;
        const std::string digits = std::to_string(number);
        for (const char c : prefix)
            if (c == '%') all.append(width > digits.size() ? width - digits.size() : 0, ' ').append(digits);
            else all += c;
        all.append(text.substr(0, size));
        text.remove_prefix(size);
    }
    return all;
}

TEST_CASE(
    "tables after the prefixes of quotes, containers, hosts, log libraries, comments, colours and numbers of lines") {
    const std::string text =
        "starting\n"
        "-----  ------------  ------------  \n"
        " Name      Self CPU    # of Calls  \n"
        "-----  ------------  ------------  \n"
        "   aa       1.000us             2  \n"
        "    b       2.500ms            33  \n"
        "-----  ------------  ------------  \n"
        "Self CPU time total: 2.501ms\n";
    const std::string log = "starting\nrank:0:a(duration=1.0)\nrank:0:b()\n";
    const auto plain = wlfmt::table::read(text);
    REQUIRE(plain->tables.size() == 1);
    std::string expected;
    CHECK(!wlfmt::table::write(expected, *plain));
    struct form {
        std::string_view prefix;
        std::size_t width;  // the width of a number
    };
    for (const form& f : {form{"> ", 0},
                          {"worker-1  | ", 0},
                          {"node01: ", 0},
                          {"Jan  5 12:00:% node01 python[123]: ", 0},
                          {"2025-01-05 12:00:00.% | INFO     | __main__:main:12 - ", 0},
                          {"INFO:root:", 0},
                          {"I1105 12:00:00.% 1234 trace.cc:55] ", 0},
                          {"[2025-01-05 12:00:00,%][__main__][INFO] - ", 0},
                          {"2025-01-05T12:00:00.%Z ", 0},
                          {"# ", 0},
                          {"\x1b[36m(EngineCore pid=1)\x1b[0;0m ", 0},
                          {"%:", 0},
                          {"run.log:%:", 0},
                          {"%\t", 6},
                          {"2025-01-05T12:00:00.%Z stdout F ", 0},
                          {"%->", 0},
                          {"%\xE2\x86\x92", 6},
                          {"%   \xE2\x94\x82 ", 4},
                          {"\xE2\x94\x82 ", 0},
                          {"// ", 0},
                          {" * ", 0},
                          {"+", 0}}) {
        CAPTURE(f.prefix);
        const std::string table = numbered(f.prefix, f.width, text);
        CHECK(detect(table) == file_format::table);
        CHECK(wlfmt::find_prefixes(table).size() == 1);
        for (const std::string_view prefix : {wlfmt::find_prefix(table), wlfmt::any_prefix}) {
            wlfmt::options how;
            how.prefix = prefix;
            const auto read = wlfmt::table::read(table, how);
            CHECK(read.ok());
            std::string written;
            CHECK(!wlfmt::table::write(written, *read));
            CHECK(written == expected);
        }
        const std::string records = numbered(f.prefix, f.width, log);
        CHECK(detect(records) == file_format::oplog);
        for (const std::string_view prefix : {wlfmt::find_prefix(records), wlfmt::any_prefix}) {
            wlfmt::options how;
            how.prefix = prefix;
            const auto read = wlfmt::oplog::read(records, how);
            CHECK(read.ok());
            std::string written;
            CHECK(!wlfmt::oplog::write(written, *read));
            CHECK(written == log.substr(9));
        }
        // A table with a prefix that comes after a table without one is not lost.
        const std::string both = text + table;
        const std::vector<std::string_view> all = wlfmt::find_prefixes(both);
        REQUIRE(all.size() == 2);
        CHECK(all[0].empty());
        CHECK(all[1] == wlfmt::find_prefix(table));
    }
}

TEST_CASE("a diff is none of the formats where lines of two files are mixed in it") {
    const std::string head = "--- a/log\n+++ b/log\n@@ -1,2 +1,2 @@ in a function\n";
    const std::string added = "+rank:0:f(stage_id=1)\n\\ No newline at end of file\n\n";
    CHECK(detect(head + added) == file_format::oplog);
    CHECK(detect(head + added + " rank:0:g(stage_id=2)\n") == file_format::unknown);
    CHECK(detect(head + added + "-rank:0:g(stage_id=2)\n") == file_format::unknown);
    CHECK(detect("text\n\ntext\ntext\ntext\n" + head + " rank:0:g(stage_id=2)\n" + added) == file_format::unknown);
    // The head of a part of a diff, where nothing is above it.
    CHECK(detect("\n@@ -1,2 +1,2 @@\n-rank:0:f(stage_id=1)\n+rank:0:f(stage_id=2)\n") == file_format::unknown);
    CHECK(detect("text\n@@ -1,2 +1,2 @@\n-rank:0:f(stage_id=1)\n") == file_format::oplog);
    CHECK(detect("--- a/log\n+++ b/log\n-rank:0:f(stage_id=1)\n") == file_format::oplog);
    CHECK(detect("rank:0:f(stage_id=1)\n" + head + "-rank:0:g(stage_id=2)\n") == file_format::oplog);
    CHECK_FALSE(wlfmt::is_mixed_diff(head + added));
    CHECK(wlfmt::is_mixed_diff(head + added + " rank:0:g(stage_id=2)\n"));
    CHECK(wlfmt::is_mixed_diff("rank:0:f(stage_id=1)\n" + head + "-rank:0:g(stage_id=2)\n"));
}

TEST_CASE("a rank's label is not the number of a line") {
    const std::string text = with_prefix("3: ", small_table) + with_prefix("4: ", small_table);
    CHECK(wlfmt::find_prefixes(text) == std::vector<std::string_view>{"3: ", "4: "});
    // Nor does a damaged line, which looks like the number of one, make another prefix of all labels.
    const std::string damaged = text + "1:--- -\n";
    CHECK(wlfmt::find_prefixes(damaged) == std::vector<std::string_view>{"3: ", "4: "});
}

TEST_CASE("of prefixes that differ in a blank at the end the shortest is found") {
    const std::string longer = with_prefix("# ", small_table);
    const std::string shorter = with_prefix("#", small_table);
    for (const std::string& text : {longer + shorter, shorter + longer})
        CHECK(wlfmt::find_prefixes(text) == std::vector<std::string_view>{"#"});
}

TEST_CASE("a colour before an indented line of a table is no end of another prefix") {
    for (const std::string colour : {"\x1b[32m", "\x1b[0m\x1b[1m", "\x1b[K"}) {
        const std::string text = with_prefix("[rank0]:" + colour, small_table);
        CHECK(wlfmt::find_prefixes(text) == std::vector<std::string_view>{"[rank0]:"});
        const std::string headed = text.substr(text.find('\n') + 1);
        CHECK(wlfmt::find_prefixes(headed) == std::vector<std::string_view>{"[rank0]:"});
    }
}

TEST_CASE("a table is found whose first rule does not look like a rule without its prefix") {
    const std::string text =
        "(EngineCore_6 pid=12) -----  --=--  \n"
        "(EngineCore_6 pid=12)  Name     us  \n"
        "(EngineCore_6 pid=12) -----  -----  ";
    const auto tables = [&] {
        wlfmt::options how;
        how.prefix = "(EngineCore_6 pid=12) ";
        wlfmt::table::reader reader(text, how);
        return reader.next_table();
    };
    CHECK(tables() == (detect(text) == file_format::table));
}

TEST_CASE("a text before a record that does not end like a prefix is no prefix") {
    for (const std::string_view line : {"  rank:0:a()\n", "\trank:0:a()\n", "see rank:0:a()\n", "xrank:0:a()\n"}) {
        CAPTURE(line);
        CHECK(detect(line) == file_format::unknown);
        wlfmt::options how;
        how.prefix = wlfmt::any_prefix;
        CHECK(wlfmt::oplog::read(line, how).error().kind == wlfmt::error_kind::no_records);
    }
    const std::string far = std::string(256, 'x') + ": rank:0:a()\n";
    CHECK(detect(far) == file_format::unknown);
}

TEST_CASE("a record whose name cannot be read makes a text an op log, as it does for the reader") {
    const std::string text = "starting\nrank:7:c10d|allreduce_(duration=1.0)\n";
    CHECK((wlfmt::oplog::read(text).error().kind == wlfmt::error_kind::no_records) ==
          (detect(text) == file_format::unknown));
    CHECK(detect(text) == file_format::oplog);
}

TEST_CASE("a table of another profiler that has PyTorch's rules is named, and one of PyTorch's is not") {
    const std::string rule = "-----------  -----  ----------------------\n";
    const std::string names = "Name         Calls  CPU Total / Avg / Max / Min / Ratio(%)\n";
    const std::string row = "ProfileStep  11     294.53 / 26.78 / 35.28 / 24.56 / 100.00\n";
    CHECK(detect(rule + names + rule + row) == file_format::table);
    CHECK(wlfmt::other_profiler(rule + names + rule + row) == "a table of Paddle's profiler; wlfmt reads PyTorch's");
    CHECK(wlfmt::other_profiler(names + "# of Calls\n").empty());
    CHECK(wlfmt::other_profiler("Time (%)  Total Time (ns)\n").empty());
}
