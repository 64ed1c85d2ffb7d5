// detect(): which format a text is.
#include "support.hpp"

#include <string>
#include <wlfmt/wlfmt.hpp>

using wlfmt::detect;
using wlfmt::format;

TEST_CASE("the samples are what they are") {
    for (const auto name : test::oplog_samples) CHECK(detect(test::data(name)) == format::oplog);
    for (const auto name : test::workload_samples) CHECK(detect(test::data(name)) == format::workload);
    for (const auto name : test::table_samples) CHECK(detect(test::data(name)) == format::table);
}

TEST_CASE("the first few kilobytes are enough") {
    for (const auto name : test::oplog_samples) CHECK(detect(test::data(name).substr(0, 1000)) == format::oplog);
    for (const auto name : test::workload_samples) CHECK(detect(test::data(name).substr(0, 1000)) == format::workload);
    for (const auto name : test::table_samples) CHECK(detect(test::data(name).substr(0, 1000)) == format::table);
}

TEST_CASE("formats have names") {
    CHECK(wlfmt::name(format::oplog) == "oplog");
    CHECK(wlfmt::name(format::workload) == "workload");
    CHECK(wlfmt::name(format::table) == "table");
    CHECK(wlfmt::name(format::unknown) == "unknown");
}

TEST_CASE("a record makes an op log, whatever stands around it") {
    CHECK(detect("rank:7:forward_step()") == format::oplog);
    CHECK(detect("stage:0:get_batch(batch_id=0, mg_state=warmup)\n") == format::oplog);
    CHECK(detect("\xEF\xBB\xBFrank:0:a()\r\n") == format::oplog);
    CHECK(detect("DATA\nstarting 3 workers\n\nrank:0:a(duration=1.0)\n") == format::oplog);
    CHECK(detect("rank:7 is up\nrank:x:step()\nrank:7:forward step()\n") == format::unknown);
}

TEST_CASE("a policy, a count and a layer make a workload") {
    CHECK(detect("MICRO\n1\nconv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 65536 5\n") == format::workload);
    CHECK(detect("\n  DATA\t\t\r\n54\t\t\r\nconv1\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1") == format::workload);
    CHECK(detect("MY_OWN_POLICY x: 1\n0\n") == format::workload);
    CHECK(detect("MICRO\n1") == format::workload);
    CHECK(detect("MICRO\nmany\n") == format::unknown);
    CHECK(detect("Results of the run\n12\nlayers were simulated\n") == format::unknown);
    CHECK(detect("12\n12\n") == format::unknown);
}

TEST_CASE("a near relative is taken for a workload, whose reader then says what it is") {
    const std::string text =
        "ORCA\tmodel_parallel_NPU_group: 1\n1\nLayername comp_time input_loc input_size weight_loc "
        "weight_size output_loc output_size comm_type comm_size misc\n";
    CHECK(detect(text) == format::workload);
    CHECK(wlfmt::workload::read(text).error().what == wlfmt::code::related_format);
}

TEST_CASE("a rule, a header and a rule make a table, the first one of the text decides") {
    const std::string table = "----  ----  \nName    us  \n----  ----  \n   a     1  \n----  ----  \n";
    CHECK(detect(table) == format::table);
    CHECK(detect("before\n\n" + table) == format::table);
    CHECK(detect(table + "rank:0:a()\n") == format::table);
    CHECK(detect("rank:0:a()\n" + table) == format::oplog);
    CHECK(detect("----  ----  \nName    us  \n") == format::unknown);
    CHECK(detect(std::string(80, '-') + "\ntitle\n" + std::string(80, '-') + "\n") == format::unknown);
}

TEST_CASE("anything else is unknown") {
    CHECK(detect("") == format::unknown);
    CHECK(detect("\n\n\n") == format::unknown);
    CHECK(detect("{\"rank\":7}\n") == format::unknown);
    CHECK(detect(std::string(1, '\0')) == format::unknown);
}

TEST_CASE("what lies beyond 64 KiB does not count, and is not read") {
    const std::string far_away = std::string(70000, '\n') + "rank:0:a()\n";
    CHECK(detect(far_away) == format::unknown);
    const std::string text = test::data(test::oplog_samples[0]);
    for (std::size_t size = 0; size < 200; ++size) {
        const test::guarded_text at_end(std::string_view(text).substr(0, size), test::guard::after);
        const test::guarded_text at_start(std::string_view(text).substr(0, size), test::guard::before);
        CHECK(detect(at_end.view()) == detect(at_start.view()));
    }
}
