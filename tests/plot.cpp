// plot.hpp: pictures. tests/plot reads them as XML and has Chromium draw them.
#include <wlfmt/plot.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string lanes_of(std::string_view text, std::string_view title = {},
                     const std::optional<wlfmt::oplog::run_sizes>& sizes = std::nullopt,
                     wlfmt::trace::alignment how = wlfmt::trace::alignment::none) {
    wlfmt::trace::run run;
    for (const auto& op : wlfmt::oplog::reader(text)) run.add(op);
    CHECK(run.align(how));
    wlfmt::plot::lanes picture(run, title, sizes);
    for (const auto& op : wlfmt::oplog::reader(text)) picture.add(op);
    std::string out;
    CHECK_FALSE(picture.write(out));
    return out;
}

}  // namespace

TEST_CASE("a lane a rank, bars where their operations are, overlaps at half their height") {
    // 962 pixels for 100 ms.
    const std::string svg = lanes_of(
        "rank:4:recv_forward(stage_id=1,batch_id=2,duration=50.0,timestamp=1050.0)\n"
        "rank:4:forward_step(stage_id=1,batch_id=2,duration=25.0,timestamp=1075.0)\n"
        "rank:4:dp_allreduce(stage_id=1,duration=30.0,timestamp=1100.0)\n"
        "rank:4:untimed(duration=5.0,timestamp=0)\n",
        "wd8_tp2");
    CHECK(has(svg, "rank 4, stage 1"));
    CHECK(has(svg, "class=\"title\">wd8_tp2</text>"));
    CHECK(has(svg, "<title>wd8_tp2</title>"));
    CHECK(
        has(svg,
            "width=\"481.00\" height=\"20.00\" class=\"pp\"><title>recv_forward, batch 2\n50.00 ms, from 0.00 ms on<"));
    CHECK(has(svg,
              "x=\"695.00\" y=\"88.00\" width=\"240.50\" height=\"20.00\" class=\"forward\"><title>forward_step, "
              "batch 2\n25.00"));
    CHECK(has(svg,
              "y=\"98.00\" width=\"288.60\" height=\"10.00\" class=\"dp\"><title>dp_allreduce\n30.00 ms, from 70.00 ms "
              "on<"));
    CHECK_FALSE(has(svg, ">untimed"));
    CHECK(has(svg, "waiting in collectives is not known"));
}

TEST_CASE("waiting has one look: in messages, in collectives, and in what is nested") {
    // 962 pixels for 100 ms. The quickest message of 8 bytes takes 10 ms; the shortest member of each call is known.
    const std::string sizes = "input__shape=[8],input__dtype=torch.uint8,";
    const std::string text =
        "rank:0:forward_step(stage_id=0,duration=40.0,timestamp=1040.0,sub_operations=['trace_src_func=f,duration=20.0,"
        "timestamp=1040.0,group=tp,comm_func=allreduce','trace_src_func=f_async,duration=9.0,timestamp=1010.0,"
        "group=tp,comm_func=allreduce'])\n"
        "rank:0:send_forward(stage_id=0," +
        sizes +
        "duration=50.0,timestamp=1090.0)\n"
        "rank:0:optimizer_step(stage_id=0,duration=10.0,timestamp=1100.0)\n"
        "rank:1:forward_step(stage_id=0,duration=40.0,timestamp=1040.0,sub_operations=['trace_src_func=f,duration=5.0,"
        "timestamp=1040.0,group=tp,comm_func=allreduce','trace_src_func=f_async,duration=3.0,timestamp=1010.0,"
        "group=tp,comm_func=allreduce'])\n"
        "rank:1:send_forward(stage_id=0," +
        sizes +
        "duration=10.0,timestamp=1050.0)\n"
        "rank:1:recv_backward(stage_id=0," +
        sizes +
        "duration=10.0,timestamp=1050.0)\n"
        "rank:1:optimizer_step(stage_id=0,duration=4.0,timestamp=1100.0)\n";
    const std::string svg = lanes_of(text, "run", wlfmt::oplog::run_sizes{2, 2, 1, 1});
    CHECK(has(svg,
              "width=\"384.80\" height=\"20.00\" class=\"wait\"><title>send_forward\n50.00 ms, from 40.00 ms on\n"
              "waiting: 40.00 ms<"));
    CHECK(
        has(svg, "x=\"983.60\" y=\"108.00\" width=\"96.20\" height=\"20.00\" class=\"pp\"><title>send_forward\n50.00"));
    CHECK(has(svg,
              "width=\"57.72\" height=\"20.00\" class=\"wait\"><title>optimizer_step\n10.00 ms, from 90.00 ms on\n"
              "waiting: 6.00 ms<"));
    // The other rank waits for nothing, and its two halves of one exchange are one bar.
    CHECK(has(svg, "width=\"96.20\" height=\"20.00\" class=\"pp\"><title>send_forward\n10.00 ms, from 40.00 ms on<"));
    CHECK_FALSE(has(svg, "<title>recv_backward"));
    // 40 ms of messages and 6 of the optimizer; 15 within others; nothing for what runs beside them.
    CHECK(has(svg, ">waiting for other ranks, of these 46.0, inside 15.0<"));
    CHECK(has(svg, ">inside: tp 37.0<"));
    CHECK(has(svg, "class=\"wait\"/>"));
    CHECK(has(svg, "class=\"tp\"/>"));
    // Without sizes, only the waiting of messages is known; of ranks that were traced one after the other, nothing is.
    const std::string unknown = lanes_of(text);
    CHECK(has(unknown, ">waiting for other ranks, of these 40.0, inside 0.0<"));
    const std::string apart =
        lanes_of(text, "run", wlfmt::oplog::run_sizes{2, 2, 1, 1}, wlfmt::trace::alignment::first);
    CHECK(has(apart, "2 ranks, each from its own beginning: waiting is not known"));
    CHECK_FALSE(has(apart, "class=\"wait\""));
}

TEST_CASE("what is nested is a strip of half the height, as high in each pixel as it takes of its time") {
    // 962 pixels for 10 ms: from 4 to 8 ms are those from 384.8 to 769.6.
    const std::string svg = lanes_of(
        "rank:0:f(duration=10.0,timestamp=1010.0,sub_operations=['trace_src_func=f,duration=4.0,timestamp=1008.0,"
        "group=tp,comm_func=allreduce'])\n");
    CHECK(has(
        svg,
        "<path d=\"M598.00 106.20h1.00v1.80h-1.00zM599.00 99.00h384.00v9.00h-384.00zM983.00 102.60h1.00v5.40h-1.00z\""
        " class=\"tp\"/>\n</svg>"));
}

TEST_CASE("nothing is known of calls beyond the limit of what is compared, or of calls that one member alone has") {
    wlfmt::detail::plot_waiting waiting(wlfmt::oplog::run_sizes{2, 2, 1, 1});
    constexpr int most = 1 << 20;
    const auto first = waiting.add_call(0, "tp", 9);
    for (int n = 1; n != most; ++n) static_cast<void>(waiting.add_call(0, "tp", 9));
    CHECK_FALSE(waiting.add_call(0, "tp", 9).is_known());
    CHECK_FALSE(waiting.add_call(0, "tp", 9).is_known());
    CHECK_FALSE(waiting.least(first, 1));
    CHECK(waiting.add_call(1, "tp", 7).is_known());
    CHECK(waiting.least(first, 1) == std::optional<std::int64_t>(7));
    CHECK_FALSE(waiting.least(first, 2));
    // Calls of groups of one rank, of unknown kinds, and of ranks that the run does not have.
    CHECK_FALSE(waiting.add_call(0, "exp", 1).is_known());
    CHECK_FALSE(waiting.add_call(0, "cp", 1).is_known());
    CHECK_FALSE(waiting.add_call(2, "tp", 1).is_known());
    CHECK_FALSE(waiting.add_call(-1, "tp", 1).is_known());
    CHECK_FALSE(wlfmt::detail::plot_waiting(wlfmt::oplog::run_sizes{3, 2, 1, 1}).knows_groups());
    // Messages of each size have a floor of their own; one without a size, too.
    const auto small = waiting.add_message(8, 30);
    CHECK(waiting.least(small, 2) == std::optional<std::int64_t>(60));
    static_cast<void>(waiting.add_message(16, 5));
    static_cast<void>(waiting.add_message(8, 10));
    CHECK(waiting.least(small, 2) == std::optional<std::int64_t>(20));
    const auto unsized = waiting.add_message(std::nullopt, 3);
    CHECK(waiting.least(unsized, 1) == std::optional<std::int64_t>(3));
    for (int n = 0; n != 5000; ++n) static_cast<void>(waiting.add_message(100 + n, 4));
    CHECK_FALSE(waiting.add_message(9999, 4).is_known());
    CHECK(waiting.add_message(16, 4).is_known());
}

TEST_CASE("a kind of operation has the same colour in every picture, and an unknown name has its own") {
    const std::string one =
        lanes_of("rank:0:my_step(duration=1.0,timestamp=2.0)\nrank:0:loss_func(duration=1.0,timestamp=3.0)\n");
    const std::string other =
        lanes_of("rank:0:get_batch(duration=1.0,timestamp=2.0)\nrank:0:my_step(duration=1.0,timestamp=3.0)\n");
    const auto colour_of = [](const std::string& svg, const std::string& name) {
        const std::size_t at = svg.find("\"><title>" + name);
        const std::size_t from = svg.rfind('"', at - 1) + 1;
        return svg.substr(from, at - from);
    };
    CHECK(colour_of(one, "loss_func") == "loss");
    CHECK(colour_of(other, "get_batch") == "data");
    CHECK(colour_of(one, "my_step").front() == 'u');
    CHECK(colour_of(one, "my_step") == colour_of(other, "my_step"));
    for (const auto& [op, colour] : {std::pair<const char*, const char*>{"ep_allreduce", "embedding"},
                                     {"ep_dp_allreduce", "ep_dp"},
                                     {"exp_dp_allreduce", "ep_dp"},
                                     {"backward_step", "backward"},
                                     {"optimizer_step", "optimizer"},
                                     {"recv_backward", "pp"}})
        CHECK(wlfmt::detail::colour_of_operation(op) == colour);
    CHECK(wlfmt::detail::colour_of_group("exp") == "exp");
    CHECK(wlfmt::detail::colour_of_group("cp") == "other");
}

TEST_CASE("more ranks than lanes are a heat map of ranks by operations") {
    std::string text;
    for (int rank = 0; rank != 80; ++rank) {
        const std::string head = "rank:" + std::to_string(rank) + ":";
        const std::string stage = "stage_id=" + std::to_string(rank / 40) + ",";
        const std::string ms = rank == 7 ? "30.0" : rank == 79 ? "25.0" : rank > 40 ? "20.0" : "10.0";
        text += head + "forward_step(" + stage + "duration=" + ms +
                ",timestamp=1030.0,sub_operations=['trace_src_func=f,"
                "duration=" +
                (rank == 9 ? "6.0" : "2.0") + ",timestamp=1030.0,group=tp,comm_func=allreduce'])\n" + head +
                "optimizer_step(" + stage + "duration=0.5,timestamp=1033.0)\n";
    }
    const std::string svg = lanes_of(text, "run", wlfmt::oplog::run_sizes{80, 2, 2, 1});
    CHECK(has(svg, "80 ranks; time without waiting"));
    CHECK(has(svg, "text-anchor=\"start\" class=\"small\">forward_step 10.0 ms</text>"));
    CHECK(has(svg, "fill-opacity=\"1.00\"><title>rank 7: forward_step\n30.00 ms, median of stage 0 10.00 ms<"));
    CHECK(has(svg, "fill-opacity=\"0.50\"><title>rank 8: forward_step\n10.00 ms, median of stage 0 10.00 ms<"));
    // A stage that has twice as much to do does not hide that one of its ranks is slow.
    CHECK(has(svg, "fill-opacity=\"0.50\"><title>rank 78: forward_step\n20.00 ms, median of stage 1 20.00 ms<"));
    CHECK(has(svg, "fill-opacity=\"0.75\"><title>rank 79: forward_step\n25.00 ms, median of stage 1 20.00 ms<"));
    // For four milliseconds, rank 9 waits for rank 8.
    CHECK(has(svg, "<title>rank 9: forward_step\n6.00 ms"));
    CHECK(has(svg, "<title>rank 9: waiting\n4.00 ms, median of stage 0 4.00 ms<"));
    CHECK(has(svg, "<title>rank 9: gaps\n2.50 ms"));
    CHECK(has(svg, ">stage 1, rank 40</text>"));
    // A row is 8 pixels high: there is room for the name of every third one.
    for (const char* name : {">rank 3</text>", ">rank 6</text>", ">rank 43</text>"})
        CHECK_MESSAGE(has(svg, name), name);
    for (const char* name : {">rank 1</text>", ">rank 2</text>", ">rank 41</text>"})
        CHECK_MESSAGE(!has(svg, name), name);
    CHECK(svg.find("forward_step 10.0 ms") < svg.find("optimizer_step 0.50 ms"));
    // Beyond 512 rows a row is the greatest of several ranks.
    std::string many;
    for (int rank = 0; rank != 1100; ++rank)
        many += "rank:" + std::to_string(rank) + ":f(duration=" + (rank == 4 ? "9.0" : "3.0") + ",timestamp=1009.0)\n";
    const std::string rows = lanes_of(many);
    CHECK(has(rows, "a row is the greatest of 3 ranks"));
    CHECK(has(rows, "<title>rank 4: f\n9.00 ms, median of all 3.00 ms<"));
    CHECK_FALSE(has(rows, "<title>rank 3: f"));
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
    // The most bytes of a collective and group take all the room that there is.
    CHECK(has(svg, "width=\"852.00\" height=\"20.00\" class=\"tp\"><title>ALLREDUCE TP\n2048 bytes"));
}

TEST_CASE("many layers have no gaps between them, and a collective without bytes has no bar") {
    wlfmt::workload::document doc;
    for (int n = 0; n != 481; ++n) {
        wlfmt::workload::layer l;
        l.forward.comm = "ALLREDUCE";
        if (n == 0) l.forward.bytes = 4096;
        doc.layers.push_back(std::move(l));
    }
    std::string svg;
    CHECK_FALSE(wlfmt::plot::write(svg, doc));
    // 962 pixels: two for each layer.
    CHECK(has(svg, "width=\"2.00\" height=\"170.00\" class=\"tp\"><title>layer 0: \nALLREDUCE TP"));
    CHECK_FALSE(has(svg, "layer 1:"));
    CHECK(has(svg, "ALLREDUCE TP\n4096 bytes"));
}

TEST_CASE("a picture of a workload has room for the longest name of a layer") {
    const auto height = [](std::string_view first, std::string_view second) {
        wlfmt::workload::document doc;
        for (const std::string_view name : {first, second}) {
            wlfmt::workload::layer l;
            l.name = name;
            doc.layers.push_back(std::move(l));
        }
        std::string svg;
        CHECK_FALSE(wlfmt::plot::write(svg, doc));
        const std::size_t at = svg.find(" height=\"") + 9;
        return std::strtod(svg.c_str() + at, nullptr);
    };
    CHECK(height("ab", "abcdefg") == doctest::Approx(height("ab", "cd") + 5 * 5.4));
    CHECK(height("abcdefg", "ab") == doctest::Approx(height("ab", "cd") + 5 * 5.4));
    CHECK(height("", "") == doctest::Approx(height("ab", "ab") - 2 * 5.4));
}

TEST_CASE(
    "a workload's repeated layers are bracketed, its axes have round numbers, and its colours are those of groups") {
    std::string text =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 2 checkpoints: "
        "0 checkpoint_initiates: 0\n";
    std::string layers = "first -1 10 NONE 0 20 NONE 0 30 NONE 0 100\n";
    for (int n = 0; n != 12; ++n)
        layers += "attention" + std::to_string(n) + " -1 70 ALLREDUCE 4096 20 NONE 0 30 NONE 0 100\nmlp" +
                  std::to_string(n) + " -1 10 ALLTOALL_EP 65536 20 NONE 0 30 ALLGATHER_DP_EP 16 100\n";
    text += "26\n" + layers + "last -1 10 NONE 0 20 NONE 0 30 NONE 0 100\n";
    const auto doc = wlfmt::workload::read(text);
    REQUIRE(doc.ok());
    std::string svg;
    CHECK_FALSE(wlfmt::plot::write(svg, *doc, "my.txt"));
    CHECK(has(svg, "class=\"title\">my.txt</text>"));
    CHECK(has(svg, ">12 x 2 layers</text>"));
    for (const char* name : {">attention0</text>", ">mlp11</text>", ">first</text>", ">last</text>"})
        CHECK_MESSAGE(has(svg, name), name);
    // 120 ticks at most: steps of 50. Bytes from 16 to 64 KiB.
    for (const char* number :
         {">0</text>", ">50</text>", ">100</text>", ">16 B</text>", ">256 B</text>", ">4 KiB</text>", ">64 KiB</text>"})
        CHECK_MESSAGE(has(svg, number), number);
    CHECK(has(svg, "class=\"tp\"><title>layer 1: attention0\nALLREDUCE TP"));
    // 4 KiB are three powers of 16 above 1 B, of the four of the axis.
    CHECK(has(svg, "height=\"127.50\" class=\"tp\"><title>layer 1: attention0\nALLREDUCE TP"));
    CHECK(has(svg, "class=\"exp each\"><title>layer 2: mlp0\nALLTOALL EP"));
    CHECK(has(svg, "class=\"ep_dp gather\"><title>layer 2: mlp0\nALLGATHER DP_EP"));
    CHECK(has(svg, "class=\"weight\"><title>layer 0: first\nweight gradient, 30 ticks"));
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
    CHECK(has(svg, ">heavy &amp; &lt;hot&gt;</text>"));
    CHECK(svg.find("heavy") < svg.find("light"));
    CHECK(has(svg, ">500.000 us of 1.500 ms</text>"));
    // Self time first, though the total of the other is greater.
    one.cells[4] = cell(90000.0);
    std::string by_self;
    CHECK_FALSE(wlfmt::plot::write(by_self, one, "t.txt"));
    CHECK(by_self.find("heavy") < by_self.find("light"));
    CHECK(has(by_self, "class=\"title\">t.txt</text>"));
    CHECK(has(svg, "Self CUDA"));
    // From a second on the axis is in seconds.
    CHECK(has(by_self, ">ms</text>"));
    one.cells[3] = cell(1e6);
    by_self.clear();
    CHECK_FALSE(wlfmt::plot::write(by_self, one));
    CHECK(has(by_self, ">s</text>"));
    one.cells[3] = one.cells[4] = one.cells[8] = one.cells[9] = cell(0.0);
    svg.clear();
    CHECK_FALSE(wlfmt::plot::write(svg, one));
    CHECK(svg.find("light") < svg.find("heavy"));
    CHECK(has(svg, "CPU total"));
    CHECK_FALSE(has(svg, "CUDA"));
}

TEST_CASE("a sink that fails is reported") {
    std::ostringstream stream;
    stream.setstate(std::ios::badbit);
    CHECK(wlfmt::plot::write(stream, *wlfmt::workload::read("DATA\n0\n")).kind == wlfmt::error_kind::cannot_write);
    CHECK(wlfmt::plot::write(stream, wlfmt::table::summary()).kind == wlfmt::error_kind::cannot_write);
}
