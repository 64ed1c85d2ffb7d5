// plot.hpp: pictures. tests/plot reads them as XML and has Chromium draw them.
#include <wlfmt/plot.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

#include <sstream>
#include <string>
#include <string_view>

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string lanes_of(std::string_view text) {
    wlfmt::trace::run run;
    for (const auto& op : wlfmt::oplog::reader(text)) run.add(op);
    CHECK(run.align(wlfmt::trace::alignment::none));
    wlfmt::plot::lanes picture(run);
    for (const auto& op : wlfmt::oplog::reader(text)) picture.add(op);
    std::string out;
    CHECK_FALSE(picture.write(out));
    return out;
}

}  // namespace

TEST_CASE("a lane a rank, bars where their operations are, what is waited for pale, overlaps at half their height") {
    // 962 pixels for 100 ms.
    const std::string svg = lanes_of(
        "rank:4:recv_forward(stage_id=1,batch_id=2,duration=50.0,timestamp=1050.0)\n"
        "rank:4:forward_step(stage_id=1,batch_id=2,duration=25.0,timestamp=1075.0)\n"
        "rank:4:dp_allreduce(stage_id=1,duration=30.0,timestamp=1100.0)\n"
        "rank:4:untimed(duration=5.0,timestamp=0)\n");
    CHECK(has(svg, "rank 4, stage 1"));
    CHECK(has(
        svg,
        "width=\"481.00\" height=\"20.00\" class=\"wait\"><title>recv_forward, batch 2\n50.00 ms, from 0.00 ms on<"));
    CHECK(has(
        svg,
        "x=\"695.00\" y=\"88.00\" width=\"240.50\" height=\"20.00\" class=\"c0\"><title>forward_step, batch 2\n25.00"));
    CHECK(has(
        svg,
        "y=\"98.00\" width=\"288.60\" height=\"10.00\" class=\"c1\"><title>dp_allreduce\n30.00 ms, from 70.00 ms on<"));
    CHECK_FALSE(has(svg, "untimed"));
}

TEST_CASE("operations that cover the same pixels are one bar: a picture does not grow with its log") {
    // 962 pixels for 100 s: a pixel is 104 ms, in which there are up to 52 operations of each name.
    const auto log = [](int count) {
        std::string text;
        for (int n = 0; n != count; ++n) {
            const std::string at = std::to_string(1000000.0 + (n + 1) * 100000.0 / count);
            text +=
                "rank:0:" + std::string(n % 2 == 0 ? "a" : "b") + "(duration=1.0,batch_id=3,timestamp=" + at + ")\n";
        }
        return text;
    };
    const std::string few = lanes_of(log(10000));
    const std::string many = lanes_of(log(100000));
    CHECK(many.size() < few.size() * 11 / 10);
    CHECK(many.size() < 500000);
    std::size_t operations = 0;
    std::size_t bars = 0;
    for (std::size_t at = few.find("<title>a, batch 3"); at != std::string::npos;
         at = few.find("<title>a, batch 3", at + 1)) {
        const std::size_t number = at + std::string_view("<title>a, batch 3, ").size();
        operations += few[number - 2] == ',' ? std::stoul(few.substr(number)) : 1;
        ++bars;
    }
    CHECK(operations == 5000);
    CHECK(bars <= 963);
    CHECK(has(few, "a 5000.0<"));
    CHECK(has(few, "b 5000.0<"));
    // Names beyond the first 39 share one.
    std::string names;
    for (int n = 0; n != 100; ++n)
        names += "rank:0:op" + std::to_string(n) + "(duration=1.0,timestamp=" + std::to_string(1000 + n) + ".0)\n";
    const std::string named = lanes_of(names);
    CHECK(has(named, ">op38 1.0<"));
    CHECK_FALSE(has(named, ">op39 "));
    CHECK(has(named, ">other operations 61.0<"));
}

TEST_CASE("the last number of an axis is not cut") {
    // A label of ten digits or more around the last line would reach beyond the picture.
    const std::string svg = lanes_of("rank:0:a(duration=1000000000.0,timestamp=2000000000.0)\n");
    CHECK(has(svg, "<text x=\"1198.00\" y=\"130.00\" text-anchor=\"end\" class=\"small\">1000000000</text>"));
    CHECK(
        has(lanes_of("rank:0:a(duration=10.0,timestamp=20.0)\n"), "text-anchor=\"middle\" class=\"small\">10</text>"));
}

TEST_CASE("a workload's layers, and its bytes by collective and group") {
    const auto doc = wlfmt::workload::read(
        "HYBRID_TRANSFORMER ep: 2\n2\na -1 10 ALLREDUCE 2048 20 NONE 0 30 REDUCESCATTER_DP_EP 100 5\n"
        "b -1 1 ALLTOALL_EP 7 2 ALLGATHER 8 3 ALLREDUCE 9 5\n");
    REQUIRE(doc.ok());
    std::string svg;
    CHECK_FALSE(wlfmt::plot::write(svg, *doc));
    for (const std::string_view part :
         {"layer 0: a\nweight gradient, 30 ticks", "ALLREDUCE TP\n2048 bytes", "ALLREDUCE DP\n9 bytes",
          "REDUCESCATTER DP_EP\n100 bytes", "ALLTOALL EP\n7 bytes", "ALLGATHER TP\n8 bytes", "2.0 KiB"})
        CHECK_MESSAGE(has(svg, part), part);
}

TEST_CASE("a table's heaviest rows, of the device where it did anything") {
    wlfmt::table::summary one;
    for (const char* name : {"Name", "Self CPU", "CPU total", "Self CUDA", "CUDA total"})
        one.columns.emplace_back(name);
    using wlfmt::table::cell;
    REQUIRE(one.add_row({cell("light"), cell(9000.0), cell(9000.0), cell(1.0), cell(2.0)}));
    REQUIRE(one.add_row({cell("heavy & <hot>"), cell(1.0), cell(2.0), cell(500.0), cell(1500.0)}));
    std::string svg;
    CHECK_FALSE(wlfmt::plot::write(svg, one));
    CHECK(has(svg, "heavy &amp; &lt;hot&gt;\nself 500.000 us, total 1.500 ms"));
    CHECK(svg.find("heavy") < svg.find("light"));
    CHECK(has(svg, "Self CUDA"));
    one.cells[3] = one.cells[4] = one.cells[8] = one.cells[9] = cell(0.0);
    svg.clear();
    CHECK_FALSE(wlfmt::plot::write(svg, one));
    CHECK(svg.find("light") < svg.find("heavy"));
    CHECK(has(svg, "CPU total"));
    CHECK_FALSE(has(svg, "CUDA"));
}

TEST_CASE("a sink that fails is told") {
    std::ostringstream stream;
    stream.setstate(std::ios::badbit);
    CHECK(wlfmt::plot::write(stream, *wlfmt::workload::read("DATA\n0\n")).kind == wlfmt::error_kind::cannot_write);
    CHECK(wlfmt::plot::write(stream, wlfmt::table::summary()).kind == wlfmt::error_kind::cannot_write);
}
