// Writing workload files: AICB's bytes, layers that were never read, and what would not read back.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/workload.hpp>

#include "support.hpp"
#include "workload_support.hpp"

namespace workload = wlfmt::workload;
using test::difference;
using test::lenient;
using test::written;
using wlfmt::code;
using wlfmt::number;

namespace {

std::string written(const workload::layer& one) {
    std::string out;
    workload::write(out, one);
    return out;
}
std::string written(const workload::header& head) {
    std::string out;
    workload::write(out, head);
    return out;
}

}  // namespace

TEST_CASE("files in the writer's own layout are written byte for byte") {
    for (const std::string name :
         {"aicb", "pp_comm_without_colon", "pp_comm_decimal", "pp_comm_above_32_bits", "customized", "collectives",
          "dlrm_enhanced", "no_layers", "policy_alone", "fork_policy", "names", "other_key_order"}) {
        CAPTURE(name);
        const std::string text = test::data("workload/" + name + ".txt");
        const auto read = workload::read(text);
        CHECK(read.ok());
        CHECK(written(*read) == text);
    }
    const std::string dense = test::data("workload_dense_1024gpus.txt");
    CHECK(written(*workload::read(dense)) == dense);
}

TEST_CASE("other layouts are written in the writer's") {
    const std::string canonical = test::data("workload/no_final_newline.txt") + "\n";
    const auto layers_of = [](const std::string& text) { return text.substr(text.find('\n')); };
    for (const std::string name : {"no_final_newline", "crlf", "bom", "blank_lines", "trailing_blanks", "blanks"}) {
        CAPTURE(name);
        const std::string text = test::data("workload/" + name + ".txt");
        CHECK(layers_of(written(*workload::read(text))) == layers_of(canonical));
    }
    const std::string lists = test::data("workload/checkpoints.txt");
    CHECK(written(*workload::read(lists)).find("BCKWD checkpoints: 2 2 11 checkpoint_initiates: 2 19 10\n") !=
          std::string::npos);
    const std::string dlrm = test::data("workload/dlrm.txt");
    CHECK(written(*workload::read(dlrm)).find("HYBRID_DLRM 4\n1\n") == 0);
    const std::string entries = test::data("workload/unknown_entries.txt");
    CHECK(written(*workload::read(entries))
              .find("HYBRID_TRANSFORMER model_parallel_NPU_group: 4 mode: inference/prefill "
                    "target_trace_sha256: 9f86d081884c7d65 seed 7\n") == 0);
    const std::string decimals = test::data("workload/decimal_times.txt");
    CHECK(written(*workload::read(decimals)).find("conv1\t-1\t1.5\tNONE\t0\t2621440.0\tNONE\t0\t1e-05\tALLREDUCE") !=
          std::string::npos);
}

TEST_CASE("a document is written with the number of its layers") {
    const std::string text = test::data("workload/error_fewer_layers.txt");
    auto doc = *workload::read(text);
    CHECK(doc.declared_layers == 839);
    CHECK(written(doc).find("DATA\n2\n") == 0);
    doc.layers.pop_back();
    CHECK(written(doc).find("DATA\n1\n") == 0);
    CHECK(doc.header().declared_layers == 839);
}

TEST_CASE("what is written reads back equal, and writing again changes nothing") {
    for (const std::string& name : test::workload_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const auto read = workload::read(text, lenient());
        if (!read.ok()) continue;
        const std::string once = written(*read);
        const auto again = workload::read(once, lenient());
        CHECK(again.ok());
        CHECK(difference(*read, *again) == "");
        CHECK(written(*again) == once);
    }
}

TEST_CASE("a document can be edited") {
    const std::string text = test::data("workload/aicb.txt");
    auto doc = *workload::read(text);
    for (workload::layer& one : doc.layers) one.weight_grad.bytes *= 2;
    doc.layers[0].name = "renamed";
    doc.entries[1].value = "16";
    doc.entries.push_back({"mode", "training"});
    const std::string out = written(doc);
    const auto again = workload::read(out);
    REQUIRE(again.ok());
    CHECK(again->layers[0].weight_grad.bytes == 2 * 175484928);
    CHECK(again->layers[0].name == "renamed");
    CHECK(same(again->header().expert_parallel(), 16));
    CHECK(again->header().entries.find("mode") == "training");
}

TEST_CASE("layers and headers are built by hand") {
    workload::layer one;
    one.name = "embedding";
    one.forward = {1.5, "ALLTOALL_EP", 12802064384};
    one.update = 100;
    CHECK(written(one) == "embedding\t-1\t1.5\tALLTOALL_EP\t12802064384\t0\tNONE\t0\t0\tNONE\t0\t100\n");
    one.policy = "DATA";
    CHECK(written(one) == "embedding\t-1\t1.5\tALLTOALL_EP\t12802064384\t0\tNONE\t0\t0\tNONE\t0\t100\tDATA\n");

    const workload::entry entries[] = {
        {"model_parallel_NPU_group", "8"}, {"checkpoints", "2 \t 2\t11"}, {"pp_comm", "50331648", false}};
    workload::header head;
    head.policy = "HYBRID_TRANSFORMER";
    head.entries = workload::entry_list(entries, 3);
    head.declared_layers = 5;
    CHECK(written(head) == "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 checkpoints: 2 2 11 pp_comm 50331648\n5\n");
    const workload::entry bare = {{}, "4", false};
    head.policy = "HYBRID_DLRM";
    head.entries = workload::entry_list(&bare, 1);
    CHECK(written(head) == "HYBRID_DLRM 4\n5\n");
}

TEST_CASE("a document, its header and its layers are written alike, to any sink") {
    const std::string text = test::data("workload_dense_1024gpus.txt");
    const auto doc = *workload::read(text);
    std::string by_layer = written(doc.header());
    for (const workload::layer& one : doc.layers) workload::write(by_layer, one);
    CHECK(by_layer == written(doc));
    test::counting_sink sink;
    workload::write(sink, doc);
    CHECK(sink.text == by_layer);
    CHECK(sink.appends < text.size() / 1000);
    std::string behind = "before";
    workload::write(behind, doc.layers[0]);
    CHECK(behind == "before" + written(doc.layers[0]));
}

TEST_CASE("texts of any length and numbers of any kind are written whole") {
    for (std::size_t size = 0; size <= 700; size += size < 70 ? 1 : 37) {
        CAPTURE(size);
        const std::string text = test::letters(size);
        workload::layer one;
        one.name = text;
        one.input_grad.comm = text;
        one.policy = text;
        CHECK(written(one) == text + "\t-1\t0\tNONE\t0\t0\t" + text + "\t0\t0\tNONE\t0\t0\t" + text + "\n");
    }
    workload::layer one;
    one.name = "x";
    one.dependency = (std::numeric_limits<std::int64_t>::min)();
    one.forward = {-1.7976931348623157e308, "NONE", (std::numeric_limits<std::int64_t>::min)()};
    one.input_grad = {(std::numeric_limits<std::int64_t>::min)(), "NONE", (std::numeric_limits<std::int64_t>::max)()};
    one.weight_grad = {-2.2250738585072014e-308, "NONE", -1};
    one.update = 1e16;
    const std::string line =
        "x\t-9223372036854775808\t-1.7976931348623157e+308\tNONE\t-9223372036854775808\t-9223372036854775808\tNONE\t"
        "9223372036854775807\t-2.2250738585072014e-308\tNONE\t-1\t1e+16\n";
    CHECK(written(one) == line);
    const std::string text = "DATA\n1\n" + line;
    CHECK(difference(workload::read(text)->layers, {one}) == "");

    // A number that was a text when it was read, none, or missing.
    one = {};
    one.name = "x";
    one.forward.compute = number("as it stood");
    one.input_grad.compute = nullptr;
    one.update = {};
    CHECK(written(one) == "x\t-1\tas it stood\tNONE\t0\tNone\tNONE\t0\t0\tNONE\t0\t\n");
}

TEST_CASE("numbers are written the same under any locale") {
    const test::comma_locale comma;
    workload::layer one;
    one.name = "x";
    one.forward.compute = 1234567.5;
    one.weight_grad.bytes = 1234567;
    CHECK(written(one) == "x\t-1\t1234567.5\tNONE\t0\t0\tNONE\t0\t0\tNONE\t1234567\t0\n");
    const std::string text = "DATA\n1\n" + written(one);
    CHECK(difference(workload::read(text)->layers, {one}) == "");
}

TEST_CASE("a layer that would not read back as it is, is told") {
    workload::layer good;
    good.name = "x";
    CHECK_FALSE(workload::problem_of(good));
    good.policy = "DATA";
    CHECK_FALSE(workload::problem_of(good));

    const auto told = [](const workload::layer& bad, std::string_view field) {
        const wlfmt::error e = workload::problem_of(bad);
        CHECK(e.what == code::unwritable);
        CHECK(e.field == field);
        // And it is true.
        const std::string text = std::string("HYBRID_CUSTOMIZED\n1\n") + written(bad);
        const auto read = workload::read(text);
        CHECK((!read.ok() || difference(read->layers, {bad}) != ""));
    };
    workload::layer bad = good;
    told(workload::layer{}, "name");
    for (const std::string_view text : {"a b", "a\tb", "a\nb", "a ", " a", "\r", "a\vb", "a\fb"}) {
        CAPTURE(text);
        bad = good;
        bad.name = text;
        told(bad, "name");
        bad = good;
        bad.forward.comm = text;
        told(bad, "forward.comm");
        bad = good;
        bad.weight_grad.comm = text;
        told(bad, "weight_grad.comm");
        bad = good;
        bad.policy = text;
        told(bad, "policy");
    }
    bad = good;
    bad.input_grad.comm = "";
    told(bad, "input_grad.comm");
    bad.input_grad.comm = "1.5";
    told(bad, "input_grad.comm");
    bad = good;
    bad.policy = std::string_view("");
    told(bad, "policy");
    for (const number value : {number(), number(nullptr), number("x"), number(std::numeric_limits<double>::infinity()),
                               number(std::numeric_limits<double>::quiet_NaN())}) {
        bad = good;
        bad.weight_grad.compute = value;
        told(bad, "weight_grad.compute");
        bad = good;
        bad.update = value;
        told(bad, "update");
    }
}

TEST_CASE("a header that would not read back as it is, is told") {
    const auto problem_with = [](std::string_view policy, const std::vector<workload::entry>& entries) {
        workload::header head;
        head.policy = policy;
        head.entries = workload::entry_list(entries.data(), entries.size());
        head.declared_layers = 3;
        const wlfmt::error e = workload::problem_of(head);
        const std::string text = written(head);
        const workload::reader again(text);
        const bool reads_back =
            again.ok() && again.header().declared_layers == 3 && difference(again.header(), head) == "";
        CHECK_MESSAGE(reads_back == !e, text);
        return e;
    };
    const auto told = [&](std::string_view policy, const std::vector<workload::entry>& entries,
                          std::string_view field) {
        const wlfmt::error e = problem_with(policy, entries);
        CHECK(e.what == code::unwritable);
        CHECK(e.field == field);
    };
    CHECK_FALSE(problem_with("DATA", {}));
    CHECK_FALSE(problem_with("DATA", {{"pp", "2"}, {"", "x"}, {"mode", "pp:"}, {"checkpoints", "2 1  2"}}));
    CHECK_FALSE(problem_with("DATA", {{"pp_comm", "2621440.0", false}, {"x:y", "z", false}, {"4", "5", false}}));
    CHECK_FALSE(problem_with("HYBRID_DLRM", {{{}, "4", false}, {"4", "5"}}));
    CHECK_FALSE(problem_with("HYBRID_DLRM", {{"4", "5", true}}));

    told("", {}, "policy");
    told("DATA MODEL", {}, "policy");
    told("96", {}, "policy");
    told(
        "\xEF\xBB\xBF"
        "DATA",
        {}, "policy");
    told("DATA", {{"pp", ""}}, "pp");
    told("DATA", {{"pp", "2 3"}}, "pp");
    told("DATA", {{"pp", "x"}}, "pp");
    told("DATA", {{"pp", "nan"}}, "pp");
    told("DATA", {{"pp", "1e999"}}, "pp");
    told("DATA", {{"mode", "a b"}}, "mode");
    told("DATA", {{"mode", "a\nb"}}, "mode");
    told("DATA", {{"two words", "a"}}, "two words");
    told("DATA", {{"key:", "a"}}, "key:");
    told("DATA", {{"checkpoints", "2 1"}}, "checkpoints");
    told("DATA", {{"checkpoints", "1 1 2"}}, "checkpoints");
    told("DATA", {{"checkpoints", "x"}}, "checkpoints");
    told("DATA", {{"checkpoints", ""}}, "checkpoints");
    told("DATA", {{{}, "4", false}}, "DLRM_LAST_BOTTOM_LAYER");
    told("HYBRID_DLRM", {{{}, "x", false}}, "DLRM_LAST_BOTTOM_LAYER");
    told("HYBRID_DLRM", {{"pp", "2"}, {{}, "4", false}}, "DLRM_LAST_BOTTOM_LAYER");
    told("HYBRID_DLRM", {{"4", "5", false}}, "4");
}

TEST_CASE("a document that would not read back as it is, is told") {
    const std::string text = test::data("workload/customized.txt");
    auto doc = *workload::read(text);
    CHECK_FALSE(workload::problem_of(doc));
    doc.policy = "DATA";
    CHECK(workload::problem_of(doc).what == code::unwritable);
    CHECK(workload::problem_of(doc).field == "policy");
    doc.policy = "HYBRID_CUSTOMIZED";
    doc.layers[1].policy = {};
    CHECK(workload::problem_of(doc).what == code::unwritable);
    doc.layers[1].policy = "DATA";
    doc.layers[1].name = "two words";
    CHECK(workload::problem_of(doc).field == "name");
    doc.policy = "";
    CHECK(workload::problem_of(doc).field == "policy");
}

TEST_CASE("what problem_of lets pass reads back equal") {
    const std::string_view texts[] = {"",          "x",   "a b",  "NONE", "17",       "-1.5", ":",  "\xEF\xBB\xBF",
                                      "Layername", "1e5", "\x01", "nan",  "\xC3\xA9", "96",   "a\r"};
    const number numbers[] = {0, -1, 1234567890123456789, 0.0, -0.0, 1.5, 1e-5, 1e300, 0.1};
    std::size_t passed = 0;
    for (const std::string_view name : texts) {
        for (const std::string_view comm : texts) {
            for (const number& value : numbers) {
                workload::document doc;
                doc.policy = "DATA";
                workload::layer one;
                one.name = name;
                one.forward.comm = comm;
                one.forward.compute = value;
                one.update = value;
                doc.layers = {one};
                if (workload::problem_of(doc)) continue;
                ++passed;
                const std::string out = written(doc);
                const auto again = workload::read(out);
                REQUIRE_MESSAGE(again.ok(), wlfmt::explain(again.error(), out, "written"));
                REQUIRE(difference(doc, *again) == "");
            }
        }
    }
    CHECK(passed > 500);
}
