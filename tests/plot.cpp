// plot.hpp: pictures. tests/plot reads them as XML and has Chromium draw them.
#include "analysis/plot/plot.hpp"
#include <wlfmt/wlfmt.hpp>
#include "analysis/answers/answers.hpp"
#include "analysis/draw/text.hpp"
#include "analysis/summary/summary.hpp"

#include "into.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The picture of a run whose ranks are in texts of their own.
std::string lanes_of(std::string_view text, std::string_view title = {},
                     const std::optional<wlfmt::analysis::run_sizes>& sizes = std::nullopt) {
    wlfmt::analysis::summary run({}, wlfmt::analysis::summary::keep::calls);
    std::int64_t last = -1;
    for (const auto& op : wlfmt::oplog::reader(text)) {
        if (op.rank != last) run.begin_text("rank" + std::to_string(op.rank) + ".txt");
        last = op.rank;
        run.add(op);
    }
    std::string out;
    wlfmt::analysis::plot::write(test::into(out), wlfmt::analysis::answers_of(run, sizes), title);
    return out;
}

}  // namespace

TEST_CASE("a lane a rank, with what it does at each time") {
    // 962 pixels for 100 ms.
    const std::string svg = lanes_of(
        "rank:4:get_batch(stage_id=1,batch_id=2,duration=50.0,timestamp=1050.0)\n"
        "rank:4:forward_step(stage_id=1,batch_id=2,duration=25.0,timestamp=1080.0)\n"
        "rank:4:loss_func(stage_id=1,duration=20.0,timestamp=1100.0)\n"
        "rank:4:untimed(duration=0,timestamp=0)\n",
        "wd8_tp2");
    CHECK(has(svg, "rank 4, stage 1"));
    CHECK(has(svg, "class=\"title\">wd8_tp2</text>"));
    CHECK(has(svg, "<title>wd8_tp2</title>"));
    CHECK(has(svg,
              "x=\"214.00\" y=\"88.00\" width=\"481.00\" height=\"20.00\" class=\"work\"><title>work 50.00 ms\n"
              "get_batch, batch 2\nfrom 0.00 ms on<"));
    CHECK(has(svg, "width=\"48.10\" height=\"20.00\" class=\"gap\"><title>gaps 5.00 ms\nbefore forward_step\n"));
    CHECK(has(svg, "width=\"240.50\" height=\"20.00\" class=\"work\"><title>work 25.00 ms\nforward_step, batch 2\n"));
    // Words, lines and grounds have their colours, of light and of dark pages.
    for (const std::string_view rule :
         {"text{fill:#1a2025}", "text{fill:#e6eaec}", ".grid{stroke:#d5dbdf}", ".grid{stroke:#364047}",
          ".bare{fill:#f3f5f6}", ".bare{fill:#1c2226}", ".work{fill:#125185}", ".work{fill:#7199eb}"})
        CHECK_MESSAGE(has(svg, rule), rule);
    CHECK(has(svg, ">work 95.00</text>"));
    CHECK(has(svg, ">gaps 5.00</text>"));
    CHECK(has(svg, "<title>rank 4, stage 1\nwaiting: 0 ms\nwork: 95 ms\ngaps: 5 ms<"));
    CHECK_FALSE(has(svg, "untimed"));
}

TEST_CASE("waiting is drawn where it is: in messages, in collectives, and in what is nested") {
    // 962 pixels for 100 ms. The quickest message of 8 bytes takes 10 ms.
    const std::string sizes = "input__shape=[8],input__dtype=torch.uint8,";
    const auto rank = [&](int n, const char* all_reduce, const char* message) {
        const std::string head = "rank:" + std::to_string(n) + ":";
        return head +
               "forward_step(stage_id=0,batch_id=0,duration=40.0,timestamp=1040.0,sub_operations=['trace_src_func=f,"
               "duration=" +
               all_reduce + ",timestamp=1040.0,group=tp,comm_func=allreduce'])\n" + head + "send_forward(stage_id=0," +
               sizes + "duration=" + message + ")\n" + head +
               "optimizer_step(stage_id=0,duration=10.0,timestamp=1100.0)\n";
    };
    const std::string text = rank(0, "20.0", "50.0,timestamp=1090.0") + rank(1, "5.0", "10.0,timestamp=1090.0");
    const std::string svg = lanes_of(text, "run", wlfmt::analysis::run_sizes{2, 2, 1, 1});
    CHECK(has(svg,
              "width=\"144.30\" height=\"20.00\" class=\"stage\"><title>waiting in the stage 15.00 ms, for rank 1\n"
              "forward_step, tp allreduce, batch 0\nfrom 20.00 ms on<"));
    CHECK(has(svg, "width=\"48.10\" height=\"20.00\" class=\"transfer\"><title>transfer 5.00 ms\n"));
    CHECK(has(svg, "class=\"pipeline\"><title>waiting for the pipeline 40.00 ms"));
    CHECK(has(svg,
              "<title>rank 0, stage 0\nwaiting: 55 ms\nwork: 30 ms\ntransfer: 15 ms\nwaiting in the stage: 15 ms\n"));
    CHECK(has(svg, "<title>rank 1, stage 0\nwaiting: 0 ms\nwork: 45 ms\n"));
    // Without sizes, only the waiting of messages is known; of ranks that were traced one after the other, nothing is.
    const std::string unknown = lanes_of(text);
    CHECK(has(unknown, "collectives are unknown: no sizes in names"));
    CHECK(has(unknown, "class=\"unknown\"><title>unknown 20.00 ms"));
    CHECK_FALSE(has(unknown, "class=\"stage\"><title>"));
    const std::string separate = lanes_of(
        "rank:0:dp_allreduce(stage_id=0,duration=40.0,timestamp=1040.0,group_kind=dp)\n"
        "rank:1:dp_allreduce(stage_id=0,duration=10.0,timestamp=9040.0,group_kind=dp)\n",
        "run", wlfmt::analysis::run_sizes{2, 1, 1, 1});
    CHECK(has(separate, "2 ranks, each from its own beginning: they were not traced together"));
    CHECK_FALSE(has(separate, "><title>waiting"));
}

TEST_CASE("more ranks than lanes are a heat map of ranks by operations") {
    std::string text;
    for (int rank = 0; rank != 80; ++rank) {
        const std::string head = "rank:" + std::to_string(rank) + ":";
        const std::string stage = "stage_id=" + std::to_string(rank / 40) + ",";
        const std::string ms = rank == 7    ? "30.0"
                               : rank == 8  ? "8.0"
                               : rank == 79 ? "25.0"
                               : rank > 39  ? "20.0"
                                            : "10.0";
        text += head + "forward_step(" + stage + "duration=" + ms + ",timestamp=1030.0)\n" + head + "loss_func(" +
                stage + "duration=0.5,timestamp=1033.0)\n";
    }
    const std::string svg = lanes_of(text, "run", wlfmt::analysis::run_sizes{80, 2, 2, 1});
    CHECK(has(svg, "80 ranks"));
    CHECK(has(svg, "text-anchor=\"start\" class=\"small\">forward_step 20.0 ms</text>"));
    // Slower than the median has another colour than faster, the stronger the further away.
    CHECK(has(
        svg,
        "class=\"stage\" fill-opacity=\"1.00\"><title>rank 7: forward_step\n30.00 ms, median of stage 0 10.00 ms<"));
    CHECK(has(
        svg, "class=\"work\" fill-opacity=\"0.42\"><title>rank 8: forward_step\n8.00 ms, median of stage 0 10.00 ms<"));
    CHECK(has(svg, "class=\"work\" fill-opacity=\"0.04\"><title>rank 9: forward_step\n10.00 ms"));
    // A stage that has twice as much to do does not hide that one of its ranks is slow.
    CHECK(has(svg, "class=\"work\" fill-opacity=\"0.04\"><title>rank 78: forward_step\n20.00 ms, median of stage 1"));
    CHECK(has(svg, "class=\"stage\" fill-opacity=\"0.52\"><title>rank 79: forward_step\n25.00 ms, median of stage 1"));
    CHECK(has(svg, "<title>rank 9: gaps\n2.50 ms"));
    CHECK(has(svg, ">&lt; rank 7, slowest</text>"));
    CHECK(has(svg, ">25 % slower</text>"));
    CHECK(has(svg, ">stage 1, rank 40</text>"));
    // The words beside the shades are in one line, each after the one before it.
    double room = 0;
    for (const std::string_view label :
         {"50 % or more faster", "25 % faster", "the median", "25 % slower", "50 % or more slower"}) {
        const std::size_t end = svg.find(">" + std::string(label) + "</text>");
        REQUIRE(end != std::string::npos);
        const std::size_t begin = svg.rfind("x=\"", end);
        CHECK(svg.compare(svg.find(" y=\"", begin), 10, " y=\"70.50\"") == 0);
        const double x = std::strtod(svg.c_str() + begin + 3, nullptr);
        CHECK_MESSAGE(x > room, label);
        // A letter is 5 to 8 pixels wide, and a shade and its margins take less than 60.
        if (room > 0) CHECK_MESSAGE(x < room + 100, label);
        room = x + 5 * static_cast<double>(label.size());
    }
    // A row is 8 pixels high: there is room for the name of every third one, counted from
    // the first of each stage (0 and 40).
    for (const char* name : {">rank 3</text>", ">rank 6</text>", ">rank 43</text>"})
        CHECK_MESSAGE(has(svg, name), name);
    for (const char* name : {">rank 1</text>", ">rank 2</text>", ">rank 41</text>"})
        CHECK_MESSAGE(!has(svg, name), name);
    CHECK(svg.find("forward_step 20.0 ms") < svg.find("loss_func 0.50 ms"));
    // Beyond 512 rows a row is the most different of several ranks.
    std::string many;
    for (int rank = 0; rank != 1100; ++rank)
        many += "rank:" + std::to_string(rank) + ":f(duration=" + (rank == 4 ? "1.0" : "3.0") + ",timestamp=1009.0)\n";
    const std::string rows = lanes_of(many);
    CHECK(has(rows, "most different of 3 ranks"));
    CHECK(has(rows, "<title>rank 4: f\n1.00 ms, median of all 3.00 ms<"));
    CHECK_FALSE(has(rows, "<title>rank 3: f"));
}

TEST_CASE("what is narrower than two pixels is drawn by pixel: a picture does not grow with its log") {
    // 962 pixels for 100 s: a pixel is 104 ms, in which there are up to 52 operations.
    const auto log = [](int count) {
        std::string text;
        for (int n = 0; n != count; ++n) {
            const std::string at = std::to_string(1000000.0 + (n + 1) * 100000.0 / count);
            text += "rank:0:" + std::string(n % 2 == 0 ? "a" : "b") + "(duration=1.0,timestamp=" + at + ")\n";
        }
        return text;
    };
    const std::string few = lanes_of(log(10000));
    const std::string many = lanes_of(log(100000));
    CHECK(many.size() < few.size() * 11 / 10);
    CHECK(many.size() < 200000);
    CHECK(has(few, ">work 10,000.00</text>"));
    CHECK(has(few, ">gaps 89,991.00</text>"));
    // A tenth of each pixel is work, from the top of the lane, and the rest of it gaps.
    const auto height_at = [&](std::string_view place) {
        return std::strtod(few.c_str() + few.find(place) + place.size(), nullptr);
    };
    const double work = height_at("M700.00 88.00h1.00v");
    CHECK(work == doctest::Approx(2).epsilon(0.1));
    CHECK(height_at("M700.00 " + wlfmt::analysis::fixed_text(88 + work, 2) + "h1.00v") == doctest::Approx(20 - work));
}

TEST_CASE("the last number of an axis is not cut") {
    // A label of ten digits or more around the last line would reach beyond the picture.
    const std::string svg = lanes_of("rank:0:a(duration=1000000000.0,timestamp=2000000000.0)\n");
    CHECK(has(svg, "<text x=\"1198.00\" y=\"130.00\" text-anchor=\"end\" class=\"small\">1,000,000,000</text>"));
    CHECK(
        has(lanes_of("rank:0:a(duration=10.0,timestamp=20.0)\n"), "text-anchor=\"middle\" class=\"small\">10</text>"));
}

TEST_CASE("a workload's layers, and its bytes by collective and group") {
    const auto doc = wlfmt::workload::read(
        "HYBRID_TRANSFORMER ep: 2\n2\na -1 10 ALLREDUCE 2048 20 NONE 0 30 REDUCESCATTER_DP_EP 100 5\n"
        "b -1 1 ALLTOALL_EP 7 2 ALLGATHER 8 3 ALLREDUCE 9 5\n");
    REQUIRE(doc.ok());
    std::string svg;
    wlfmt::analysis::plot::write(test::into(svg), *doc);
    for (const std::string_view part :
         {"layer 0: a\nweight gradient, 30 ticks", "ALLREDUCE TP\n2048 bytes", "ALLREDUCE DP\n9 bytes",
          "REDUCESCATTER DP_EP\n100 bytes", "ALLTOALL EP\n7 bytes", "ALLGATHER TP\n8 bytes", "2.00 KiB",
          ">compute of each layer; a tick is shown as a nanosecond</text>",
          ">bytes that each layer communicates; the axis is logarithmic</text>",
          ">bytes by collective and group</text>"})
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
    wlfmt::analysis::plot::write(test::into(svg), doc);
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
        wlfmt::analysis::plot::write(test::into(svg), doc);
        const std::size_t at = svg.find(" height=\"") + 9;
        return std::strtod(svg.c_str() + at, nullptr);
    };
    CHECK(height("ab", "abcdefg") == doctest::Approx(height("ab", "cd") + 5 * 5.13));
    CHECK(height("abcdefg", "ab") == doctest::Approx(height("ab", "cd") + 5 * 5.13));
    CHECK(height("", "") == doctest::Approx(height("ab", "ab") - 2 * 5.13));
}

TEST_CASE(
    "a workload's repeated layers are bracketed, its axes have round numbers, and its colours are those of groups") {
    std::string text =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: "
        "0 checkpoint_initiates: 0\n";
    std::string layers = "first -1 10 NONE 0 20 NONE 0 30 NONE 0 100\n";
    for (int n = 0; n != 12; ++n)
        layers += "attention" + std::to_string(n) + " -1 70 ALLREDUCE 4096 20 NONE 0 30 NONE 0 100\nmlp" +
                  std::to_string(n) + " -1 10 ALLTOALL_EP 65536 20 NONE 0 30 ALLGATHER_DP_EP 16 100\n";
    text += "26\n" + layers + "last -1 10 NONE 0 20 NONE 0 30 NONE 0 100\n";
    const auto doc = wlfmt::workload::read(text);
    REQUIRE(doc.ok());
    std::string svg;
    wlfmt::analysis::plot::write(test::into(svg), *doc, "my.txt");
    CHECK(has(svg, "class=\"title\">my.txt</text>"));
    CHECK(has(svg, ">12 x 2 layers</text>"));
    for (const char* name : {">attention0</text>", ">mlp11</text>", ">first</text>", ">last</text>"})
        CHECK_MESSAGE(has(svg, name), name);
    // The axis of ticks, which go up to 120, has steps of 50; the axis of bytes goes from 16 to 64 KiB. The highest
    // bars are marked with their values.
    for (const char* number :
         {">0 ns</text>", ">50 ns</text>", ">100 ns</text>", ">highest: 120 ns, layer 1</text>",
          ">highest: 64.0 KiB, layer 2</text>", ">16 B</text>", ">256 B</text>", ">4 KiB</text>", ">64 KiB</text>"})
        CHECK_MESSAGE(has(svg, number), number);
    CHECK(has(svg, "class=\"tp\"><title>layer 1: attention0\nALLREDUCE TP"));
    // 4 KiB are three powers of 16 above 1 B, of the four of the axis.
    CHECK(has(svg, "height=\"127.50\" class=\"tp\"><title>layer 1: attention0\nALLREDUCE TP"));
    CHECK(has(svg, "class=\"exp each\"><title>layer 2: mlp0\nALLTOALL EP"));
    CHECK(has(svg, "class=\"ep_dp gather\"><title>layer 2: mlp0\nALLGATHER DP_EP"));
    // Bars that overlap keep the colours of the legend: no part of them is transparent.
    CHECK_FALSE(has(svg, "opacity"));
    CHECK(has(svg, ".exp.each{fill:#8e4c4e}"));
    CHECK(has(svg, ".exp.each{fill:url(#exp-each)}"));
    CHECK_FALSE(has(svg, ".tp.each{"));
    CHECK(has(svg, "class=\"weight\"><title>layer 0: first\nweight gradient, 30 ticks"));
    // Brackets hold equal layers together: the seventh block takes longer, and its neighbours are two times six and
    // five.
    std::string uneven = text;
    uneven.replace(uneven.find("attention6 -1 70"), 16, "attention6 -1 7e6");
    svg.clear();
    wlfmt::analysis::plot::write(test::into(svg), *wlfmt::workload::read(uneven));
    CHECK_FALSE(has(svg, "12 x 2 layers"));
    CHECK(has(svg, ">6 x 2 layers</text>"));
    CHECK(has(svg, ">5 x 2 layers</text>"));
    CHECK(has(svg, ">6 ms</text>"));
    CHECK(has(svg, ">highest: 7.000 ms, layer 13</text>"));
}

TEST_CASE(
    "a table's heaviest names, of the device where it did anything: kinds apart, as parts of the table's own total") {
    using wlfmt::table::cell;
    wlfmt::table::profile one;
    for (const char* name : {"Name", "Self CPU", "CPU total", "Self CUDA", "CUDA total"})
        one.columns.emplace_back(name);
    const auto add = [&](const char* name, double cpu, double cpu_total, double own, double total) {
        REQUIRE(one.add_row({cell(name), cell(cpu), cell(cpu_total), cell(own), cell(total)}));
    };
    add("light", 9000.0, 9000.0, 1.0, 2.0);
    add("heavy & <hot>", 1.0, 2.0, 500.0, 1500.0);
    add("light", 9000.0, 9000.0, 3.0, 5.0);
    add("void fill_kernel", 0.0, 0.0, 250.0, 250.0);
    add("## step ##", 0.0, 0.0, 750.0, 750.0);
    std::string svg;
    wlfmt::analysis::plot::write(test::into(svg), one);
    // 642 pixels for 1,500 us; rows of one name are one bar.
    CHECK(has(svg,
              "width=\"642.00\" height=\"20.00\" class=\"total\"><title>heavy &amp; &lt;hot&gt;\nself 500.000 us, "
              "total 1.500 ms<"));
    CHECK(has(svg, ">heavy &amp; &lt;hot&gt;</text>"));
    CHECK(has(svg, ">0.500 ms; 1.500 ms in all</text>"));
    CHECK(has(svg, "<title>light\nself 4.000 us, total 7.000 us, 2 rows<"));
    CHECK(svg.find(">operators, by Self CUDA<") < svg.find("heavy"));
    CHECK(svg.find("heavy") < svg.find("light"));
    CHECK(svg.find("light") < svg.find(">kernels, by Self CUDA<"));
    CHECK(svg.find(">kernels, by Self CUDA<") < svg.find("fill_kernel"));
    CHECK(svg.find("fill_kernel") < svg.find(">annotations on the device, by Self CUDA<"));
    CHECK(svg.find(">annotations on the device, by Self CUDA<") < svg.find("## step ##"));
    // Shares are of the total that the table names.
    one.totals.push_back({"Self CUDA time total", cell(2e6)});
    std::string of_total;
    wlfmt::analysis::plot::write(test::into(of_total), one, "t.txt");
    CHECK(has(of_total, "class=\"title\">t.txt</text>"));
    CHECK(has(of_total, ">5 rows; parts of 2.000 s, which the table names as the total of Self CUDA<"));
    CHECK(has(of_total,
              "width=\"0.50\" height=\"12.00\" class=\"self\"><title>heavy &amp; &lt;hot&gt;\nself 500.000 us, 0.03 %, "
              "total"));
    // The axis has the unit of the labels.
    CHECK(has(svg, ">ms</text>"));
    CHECK(has(of_total, ">ms</text>"));
    CHECK_FALSE(has(of_total, ">s</text>"));
    // Self time first, though the total of the other is greater.
    one.cells[4] = cell(90000.0);
    svg.clear();
    wlfmt::analysis::plot::write(test::into(svg), one);
    CHECK(svg.find("heavy") < svg.find("light"));
    for (const std::size_t n : {3U, 4U, 8U, 9U, 13U, 14U, 18U, 19U, 23U, 24U}) one.cells[n] = cell(0.0);
    svg.clear();
    wlfmt::analysis::plot::write(test::into(svg), one);
    CHECK(svg.find("light") < svg.find("heavy"));
    CHECK(has(svg, "CPU total"));
    CHECK_FALSE(has(svg, ">CUDA"));
    for (cell& c : one.cells) c = cell(0.0);
    svg.clear();
    wlfmt::analysis::plot::write(test::into(svg), one);
    CHECK(has(svg, ">5 rows; no column of times measured anything<"));
}

TEST_CASE("times that are nearly 0, and sums beyond a double, have an axis of one step") {
    for (const char* time : {"1e-319", "5e-324", "1e-299", "1.7e308"}) {
        CAPTURE(time);
        const std::string text = "DATA\n1\nl0 -1 " + std::string(time) + " NONE 0 " + std::string(time) + " NONE 0 " +
                                 std::string(time) + " NONE 0 0\n";
        const auto doc = wlfmt::workload::read(text);
        REQUIRE(doc);
        std::string svg;
        wlfmt::analysis::plot::write(test::into(svg), *doc);
        CHECK(std::all_of(svg.begin(), svg.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
        CHECK(has(svg, ">highest: 0 ns, layer 0</text>") != has(svg, ">0 s</text>"));
    }
}

TEST_CASE("of long names in a picture of a table the part that differs is shown") {
    using wlfmt::table::cell;
    wlfmt::table::profile one;
    for (const char* name : {"Name", "Self CPU"}) one.columns.emplace_back(name);
    const std::string first = "void at::native::vectorized_elementwise_kernel<4, at::native::";
    const std::string names[] = {first + "AddFunctor<float>, std::array<char*, 2>>",
                                 first + "MulFunctor<float>, std::array<char*, 2>>",
                                 "a_name_of_its_own_that_is_as_long_as_these"};
    for (const std::string& name : names) REQUIRE(one.add_row({cell(std::string_view(name)), cell(5.0)}));
    std::string svg;
    wlfmt::analysis::plot::write(test::into(svg), one);
    CHECK(has(svg, ">void at:..::AddFunctor&lt;f..</text>"));
    CHECK(has(svg, ">void at:..::MulFunctor&lt;f..</text>"));
    CHECK(has(svg, ">a_name_of_its..ong_as_these</text>"));
}
