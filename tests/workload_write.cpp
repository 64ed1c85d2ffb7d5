// Writing workload files: AICB's bytes, layers that were never read, and what would not read back.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/workload.hpp>

#include "stack_support.hpp"
#include "support.hpp"
#include "workload_support.hpp"

namespace workload = wlfmt::workload;
using test::checked;
using test::difference;
using test::lenient;
using test::unchecked;
using wlfmt::error_kind;
using wlfmt::number;

namespace {

// The layers that a text holds.
std::vector<workload::layer> layers_of(const std::string& text) { return workload::read(text).partial().layers; }

}  // namespace

TEST_CASE("a size beyond 64 bits is refused: doubling it overflowed") {
    const std::string text = "DATA pp: 2\n1\nx\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLREDUCE\t9223372036854775807\t1\n";
    auto doc = workload::read(text);
    REQUIRE(doc.ok());
    doc->layers[0].weight_grad.bytes *= 2;
    CHECK(doc->layers[0].weight_grad.bytes == 18446744073709551616.0);
    CHECK(workload::problem_of(*doc).field == "weight_grad.bytes");
    std::string written;
    CHECK(workload::write(written, *doc).kind == wlfmt::error_kind::unwritable);
    CHECK(workload::write(written, doc->layers[0]).field == "weight_grad.bytes");
    CHECK(written.empty());
    doc->layers[0].weight_grad.bytes = 4611686018427387903;
    doc->layers[0].weight_grad.bytes *= 2;
    CHECK(doc->layers[0].weight_grad.bytes == 9223372036854775806);
    CHECK_FALSE(workload::write(written, *doc));
    CHECK(written.find("\t9223372036854775806\t") != std::string::npos);
    // A number that cannot be written as a size is refused, too.
    for (const wlfmt::number& n :
         {wlfmt::number(1.5), wlfmt::number(2621440.25), wlfmt::number("many"), wlfmt::number()}) {
        doc->layers[0].weight_grad.bytes = n;
        CHECK(workload::problem_of(doc->layers[0]).field == "weight_grad.bytes");
    }
    written.clear();
    doc->layers[0].weight_grad.bytes = wlfmt::number("many");
    workload::write_unchecked(written, doc->layers[0]);
    CHECK(written == "x\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLREDUCE\tmany\t1\n");
}

TEST_CASE("files in the writer's own layout are written byte for byte") {
    for (const std::string name :
         {"aicb", "pp_comm_without_colon", "pp_comm_decimal", "pp_comm_above_32_bits", "customized", "collectives",
          "dlrm_enhanced", "no_layers", "policy_alone", "fork_policy", "names", "other_key_order"}) {
        CAPTURE(name);
        const std::string text = test::data("workload/" + name + ".txt");
        const auto read = workload::read(text);
        CHECK(read.ok());
        CHECK(checked(*read) == text);
    }
    const std::string dense = test::data("workload_dense_1024gpus.txt");
    CHECK(unchecked(*workload::read(dense)) == dense);
}

TEST_CASE("what is written of a workload has at most forty times the bytes of its text") {
    const std::string header = "HYBRID_TRANSFORMER ";
    const std::string layers = test::times(100, "x\t1\t1\tA\t1\t1\tA\t1\t1\tA\t1\t1\n");
    for (const std::string& text :
         {header + "a: 1 \n0\n", header + "checkpoints: 1 1\n100\n" + layers, "MICRO\n100\n" + layers,
          test::data("workload_dense_1024gpus.txt"), test::data("workload_moe_128gpus.txt")}) {
        CAPTURE(text);
        CHECK(unchecked(*workload::read(text, lenient())).size() <= 40 * text.size());
    }
}

TEST_CASE("other layouts are written in the writer's") {
    const std::string canonical = test::data("workload/no_final_newline.txt") + "\n";
    const auto body_of = [](const std::string& text) { return text.substr(text.find('\n')); };
    for (const std::string name : {"no_final_newline", "crlf", "bom", "blank_lines", "trailing_blanks", "blanks"}) {
        CAPTURE(name);
        const std::string text = test::data("workload/" + name + ".txt");
        CHECK(body_of(unchecked(*workload::read(text))) == body_of(canonical));
    }
    const std::string lists = test::data("workload/checkpoints.txt");
    CHECK(unchecked(*workload::read(lists)).find("BCKWD checkpoints: 2 2 11 checkpoint_initiates: 2 19 10\n") !=
          std::string::npos);
    const std::string dlrm = test::data("workload/dlrm.txt");
    CHECK(unchecked(*workload::read(dlrm)).find("HYBRID_DLRM 4\n1\n") == 0);
    const std::string entries = test::data("workload/unknown_entries.txt");
    CHECK(unchecked(*workload::read(entries))
              .find("HYBRID_TRANSFORMER model_parallel_NPU_group: 4 mode: inference/prefill "
                    "target_trace_sha256: 9f86d081884c7d65 seed 7\n") == 0);
    const std::string decimals = test::data("workload/decimal_times.txt");
    CHECK(unchecked(*workload::read(decimals)).find("conv1\t-1\t1.5\tNONE\t0\t2621440.0\tNONE\t0\t1e-05\tALLREDUCE") !=
          std::string::npos);
}

TEST_CASE("a document is written with the number of its layers") {
    const std::string text = test::data("workload/error_fewer_layers.txt");
    auto doc = *workload::read(text);
    CHECK(doc.header.declared_layers == 839);
    CHECK(unchecked(doc).find("DATA\n2\n") == 0);
    doc.layers.pop_back();
    CHECK(unchecked(doc).find("DATA\n1\n") == 0);
    CHECK(doc.header.declared_layers == 839);
}

TEST_CASE("what is written reads back equal, and writing again changes nothing") {
    for (const std::string& name : test::workload_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const auto read = workload::read(text, lenient());
        if (!read.ok()) continue;
        const std::string once = unchecked(*read);
        const auto again = workload::read(once, lenient());
        CHECK(again.ok());
        CHECK(difference(*read, *again) == "");
        CHECK(unchecked(*again) == once);
    }
}

TEST_CASE("a document can be edited") {
    const std::string text = test::data("workload/aicb.txt");
    auto doc = *workload::read(text);
    for (workload::layer& one : doc.layers) one.weight_grad.bytes *= 2;
    doc.layers[0].name = "renamed";
    doc.header.entries.edit()[1].value = "16";
    doc.header.entries.edit().push_back({"mode", "training"});
    const std::string out = unchecked(doc);
    const auto again = workload::read(out);
    REQUIRE(again.ok());
    CHECK(again->layers[0].weight_grad.bytes == 2 * 175484928);
    CHECK(again->layers[0].name == "renamed");
    CHECK(again->header.expert_parallel() == number(16));
    CHECK(again->header.entries.find("mode") == "training");
}

TEST_CASE("layers and headers are built by hand") {
    workload::layer one;
    one.name = "embedding";
    one.forward = {1.5, "ALLTOALL_EP", 12802064384};
    one.update = 100;
    CHECK(unchecked(one) == "embedding\t-1\t1.5\tALLTOALL_EP\t12802064384\t0\tNONE\t0\t0\tNONE\t0\t100\n");
    one.policy = "DATA";
    CHECK(unchecked(one) == "embedding\t-1\t1.5\tALLTOALL_EP\t12802064384\t0\tNONE\t0\t0\tNONE\t0\t100\tDATA\n");

    const std::vector<workload::entry> entries = {
        {"model_parallel_NPU_group", "8"}, {"checkpoints", "2 \t 2\t11"}, {"pp_comm", "50331648", false}};
    workload::header head;
    head.policy = "HYBRID_TRANSFORMER";
    head.entries = entries;
    head.declared_layers = 5;
    CHECK(unchecked(head) ==
          "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 checkpoints: 2 2 11 pp_comm 50331648\n5\n");
    const workload::entry bare = {{}, "4", false};
    head.policy = "HYBRID_DLRM";
    head.entries = std::vector<workload::entry>{bare};
    CHECK(unchecked(head) == "HYBRID_DLRM 4\n5\n");
}

TEST_CASE("a document, its header and its layers are written alike, to any sink") {
    const std::string text = test::data("workload_dense_1024gpus.txt");
    const auto doc = *workload::read(text);
    std::string by_layer = unchecked(doc.header);
    for (const workload::layer& one : doc.layers) CHECK_FALSE(workload::write(by_layer, one));
    CHECK(by_layer == unchecked(doc));
    test::counting_sink sink;
    CHECK_FALSE(workload::write(sink, doc));
    CHECK(sink.text == by_layer);
    CHECK(sink.appends < text.size() / 1000);
    std::string after = "before";
    CHECK_FALSE(workload::write(after, doc.layers[0]));
    CHECK(after == "before" + unchecked(doc.layers[0]));
}

TEST_CASE("texts of any length and numbers of any kind are written whole") {
    for (std::size_t size = 0; size <= 700; size += size < 70 ? 1 : 37) {
        CAPTURE(size);
        const std::string text = test::letters(size);
        workload::layer one;
        one.name = text;
        one.input_grad.comm = text;
        one.policy = text;
        CHECK(unchecked(one) == text + "\t-1\t0\tNONE\t0\t0\t" + text + "\t0\t0\tNONE\t0\t0\t" + text + "\n");
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
    CHECK(unchecked(one) == line);
    const std::string text = "DATA\n1\n" + line;
    CHECK(difference(layers_of(text), {one}) == "");

    // A number that was read as a text, as None, or not at all.
    one = {};
    one.name = "x";
    one.forward.compute = number("a sentence");
    one.input_grad.compute = nullptr;
    one.update = {};
    CHECK(unchecked(one) == "x\t-1\ta sentence\tNONE\t0\tNone\tNONE\t0\t0\tNONE\t0\t\n");
}

TEST_CASE("numbers are written the same under any locale") {
    const test::comma_locale comma;
    workload::layer one;
    one.name = "x";
    one.forward.compute = 1234567.5;
    one.weight_grad.bytes = 1234567;
    CHECK(unchecked(one) == "x\t-1\t1234567.5\tNONE\t0\t0\tNONE\t0\t0\tNONE\t1234567\t0\n");
    const std::string text = "DATA\n1\n" + unchecked(one);
    CHECK(difference(layers_of(text), {one}) == "");
}

TEST_CASE("a layer that would not read back as it is gets reported") {
    workload::layer good;
    good.name = "x";
    CHECK_FALSE(workload::problem_of(good));
    good.policy = "DATA";
    CHECK_FALSE(workload::problem_of(good));

    const auto told = [](const workload::layer& bad, std::string_view field) {
        const wlfmt::problem e = workload::problem_of(bad);
        CHECK(e.kind == error_kind::unwritable);
        CHECK(e.field == field);
        // The report is right: the layer does not read back.
        const std::string text = std::string("HYBRID_CUSTOMIZED\n1\n") + unchecked(bad);
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

TEST_CASE("a header that would not read back as it is gets reported") {
    const auto problem_with = [](std::string_view policy, const std::vector<workload::entry>& entries) {
        workload::header head;
        head.policy = policy;
        head.entries = entries;
        head.declared_layers = 3;
        const wlfmt::problem e = workload::problem_of(head);
        const std::string text = unchecked(head);
        const workload::reader again(text);
        const bool reads_back =
            again.ok() && again.header().declared_layers == 3 && difference(again.header(), head) == "";
        CHECK_MESSAGE(reads_back == !e, text);
        return e;
    };
    const auto told = [&](std::string_view policy, const std::vector<workload::entry>& entries,
                          std::string_view field) {
        const wlfmt::problem e = problem_with(policy, entries);
        CHECK(e.kind == error_kind::unwritable);
        CHECK(e.field == field);
    };
    CHECK_FALSE(problem_with("DATA", {}));
    CHECK_FALSE(problem_with("DATA", {{"pp", "2"}, {"mode", "pp:"}, {"checkpoints", "2 1  2"}}));
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
    told("DATA", {{"", "x"}}, "entries");
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

TEST_CASE("a document that would not read back as it is gets reported") {
    const std::string text = test::data("workload/customized.txt");
    auto doc = *workload::read(text);
    CHECK_FALSE(workload::problem_of(doc));
    doc.header.policy = "DATA";
    CHECK(workload::problem_of(doc).kind == error_kind::unwritable);
    CHECK(workload::problem_of(doc).field == "policy");
    doc.header.policy = "HYBRID_CUSTOMIZED";
    doc.layers[1].policy = {};
    CHECK(workload::problem_of(doc).kind == error_kind::unwritable);
    doc.layers[1].policy = "DATA";
    doc.layers[1].name = "two words";
    CHECK(workload::problem_of(doc).field == "name");
    doc.header.policy = "";
    CHECK(workload::problem_of(doc).field == "policy");
}

TEST_CASE("what problem_of accepts reads back equal") {
    const std::string_view texts[] = {"",          "x",   "a b",  "NONE", "17",       "-1.5", ":",  "\xEF\xBB\xBF",
                                      "Layername", "1e5", "\x01", "nan",  "\xC3\xA9", "96",   "a\r"};
    const number numbers[] = {0, -1, 1234567890123456789, 0.0, -0.0, 1.5, 1e-5, 1e300, 0.1};
    std::size_t passed = 0;
    for (const std::string_view name : texts) {
        for (const std::string_view comm : texts) {
            for (const number& value : numbers) {
                workload::document doc;
                doc.header.policy = "DATA";
                workload::layer one;
                one.name = name;
                one.forward.comm = comm;
                one.forward.compute = value;
                one.update = value;
                doc.layers = {one};
                if (workload::problem_of(doc)) continue;
                ++passed;
                const std::string out = unchecked(doc);
                const auto again = workload::read(out);
                REQUIRE_MESSAGE(again.ok(), wlfmt::explain(again.error(), out, wlfmt::in_file("written")));
                REQUIRE(difference(doc, *again) == "");
            }
        }
    }
    CHECK(passed > 500);
}

TEST_CASE("writing refuses what would not read back, and appends nothing") {
    const std::string text = test::data("workload/aicb.txt");
    const auto read = workload::read(text);
    const auto refused = [](const auto& record, std::string_view field, std::int64_t found, std::int64_t expected) {
        std::string out = "before";
        const wlfmt::problem e = workload::write(out, record);
        CHECK(e.kind == error_kind::unwritable);
        CHECK(e.field == field);
        CHECK(e.found == found);
        CHECK(e.expected == expected);
        CHECK(out == "before");
    };
    workload::document doc = *read;
    doc.layers[2].name = "x\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\ny";
    refused(doc, "name", 2, 1);
    refused(doc.layers[2], "name", 0, 0);
    doc.layers[1].weight_grad.comm = "";
    refused(doc, "weight_grad.comm", 1, 1);
    doc.header.policy = "two words";
    refused(doc, "policy", 0, 0);
    refused(doc.header, "policy", 0, 0);

    workload::header head = read->header;
    for (const number& count : {number(), number(-1), number(3.0), number("3"), number(nullptr)}) {
        head.declared_layers = count;
        refused(head, "layer count", 0, 0);
    }
}

TEST_CASE("a failing sink is reported") {
    struct failing_sink {
        bool failed = false;
        void write(const char*, std::ptrdiff_t) { failed = true; }
        bool fail() const { return failed; }
    };
    const std::string text = test::data("workload/aicb.txt");
    const auto read = workload::read(text);
    CHECK(workload::write(failing_sink(), *read).kind == error_kind::cannot_write);
    CHECK(workload::write(failing_sink(), read->header).kind == error_kind::cannot_write);
    CHECK(workload::write(failing_sink(), read->layers[0]).kind == error_kind::cannot_write);
    std::FILE* const missing = nullptr;
    CHECK(workload::write(missing, *read).kind == error_kind::cannot_write);
    test::short_sink<long> disk(20);
    CHECK(workload::write(disk, *read).kind == error_kind::cannot_write);
    CHECK(disk.text == text.substr(0, 20));
}

TEST_CASE("the check of common layers and the general one agree") {
    // Texts of every length, each with a byte that may not be in a word, at every position.
    for (std::size_t size = 0; size <= 40; ++size) {
        for (std::size_t at = 0; at <= size; ++at) {
            for (const char c : {' ', '\t', '\n', '\r', '\v', '\f', '\0', '\x01', '!', '\x7F', '\xFF', '7'}) {
                std::string text = test::letters(size);
                if (at != size) text[at] = c;
                workload::document doc;
                doc.header.policy = "DATA";
                workload::layer one;
                one.name = text;
                doc.layers = {one, one};
                REQUIRE(workload::problem_of(doc).field == workload::problem_of(doc.layers[0]).field);
                doc.layers[0].name = doc.layers[1].name = "x";
                doc.layers[1].input_grad.comm = text;
                REQUIRE(workload::problem_of(doc).field == workload::problem_of(doc.layers[1]).field);
                const bool blank = at != size && std::string_view(" \t\n\r\v\f").find(c) != std::string_view::npos;
                const bool number = size == 1 && at == 0 && c == '7';
                REQUIRE(!workload::problem_of(doc) == (size != 0 && !blank && !number));
            }
        }
    }
}

TEST_CASE("sha256 texts that would not read back are reported") {
    const std::string sha = "sha256:" + std::string(64, 'a');
    const std::string five = sha + " " + sha + "\t" + sha + "  " + sha + " " + sha;
    workload::document doc;
    doc.header.policy = "DATA";
    for (const std::string_view key : {"target_model_sha256", "target_step_sha256", "target_routing_sha256",
                                       "target_memory_event_plan_sha256", "target_workload_sha256"})
        doc.header.entries.edit().push_back({key, sha});
    workload::layer one;
    one.name = "x";
    one.further = five;
    doc.layers = {one};
    const std::string out = checked(doc);
    CHECK(test::difference(layers_of(out), doc.layers) == "");

    for (const std::string& bad :
         {std::string(), sha, five + " x", five + "\n", sha + "\n" + five.substr(72), "x" + five.substr(1)}) {
        one.further = bad;
        CHECK(workload::problem_of(one).field == "further");
    }
    doc.layers[0].further = {};
    CHECK(workload::problem_of(doc).field == "further");
    const std::string other = "sha256:" + std::string(64, 'b') + five.substr(71);
    doc.layers[0].further = other;
    CHECK_FALSE(workload::problem_of(doc.layers[0]));
    CHECK(workload::problem_of(doc).field == "target_model_sha256");
    doc.header.entries.edit().pop_back();
    CHECK(workload::problem_of(doc).field == "target_workload_sha256");

    // Without layers too, a reader refuses such a header.
    const std::string not_hexadecimal = "sha256:" + std::string(63, 'a') + "\x8f";
    const std::vector<workload::layer> layers = doc.layers;
    doc.layers.clear();
    doc.header.entries.edit().push_back({"target_workload_sha256", not_hexadecimal});
    CHECK(workload::problem_of(doc).field == "target_workload_sha256");
    doc.header.entries.edit().back().value = sha;
    CHECK_FALSE(workload::problem_of(doc));
    doc.layers = layers;
    doc.header.entries = {};
    CHECK(workload::problem_of(doc).field == "further");
}

TEST_CASE("a copy of a header or document refers to no other one") {
    const std::string text = test::data("workload/aicb.txt");
    workload::document copy;
    {
        auto read = workload::read(text);
        read->header.entries.edit()[1].value = "16";
        copy = *read;
        read->header.entries.edit()[1].value = "32";
    }
    CHECK(copy.header.expert_parallel() == number(16));
    workload::header head = copy.header;
    copy.header.entries.edit().clear();
    CHECK(head.expert_parallel() == number(16));
    CHECK(copy.header.expert_parallel().is_missing());
    CHECK(copy.header.entries.empty());
}

TEST_CASE("layers, headers and documents are equal if their values are") {
    const auto read = [](std::string_view text) { return *wlfmt::workload::read(text); };
    const auto doc = read("DATA pp: 4 pp_comm 2621440.0\n1\nl -1 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 4\n");
    CHECK(doc == read("DATA  pp: 4.0 pp_comm: 2621440\n\n1\nl\t-1 1.0 ALLREDUCE 2.0 2 NONE 0 3.50 NONE 0 4\n"));
    for (const std::string_view other : {"DATA pp: 5 pp_comm 2621440.0\n1\nl -1 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 4\n",
                                         "MODEL pp: 4 pp_comm 2621440.0\n1\nl -1 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 4\n",
                                         "DATA pp_comm 2621440.0 pp: 4\n1\nl -1 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 4\n",
                                         "DATA pp: 4\n1\nl -1 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 4\n"}) {
        CAPTURE(other);
        CHECK(doc != read(other));
        CHECK(doc.header != read(other).header);
        CHECK(doc.layers == read(other).layers);
    }
    for (const std::string_view layer :
         {"m -1 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 4", "l 0 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 4",
          "l -1 2 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 4", "l -1 1 ALLGATHER 2 2 NONE 0 3.5 NONE 0 4",
          "l -1 1 ALLREDUCE 3 2 NONE 0 3.5 NONE 0 4", "l -1 1 ALLREDUCE 2 1 NONE 0 3.5 NONE 0 4",
          "l -1 1 ALLREDUCE 2 2 NONE 0 3.25 NONE 0 4", "l -1 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 1 4",
          "l -1 1 ALLREDUCE 2 2 NONE 0 3.5 NONE 0 5"}) {
        CAPTURE(layer);
        const std::string text = "DATA pp: 4 pp_comm 2621440.0\n1\n" + std::string(layer) + "\n";
        CHECK(doc.header == read(text).header);
        CHECK(doc.layers[0] != read(text).layers[0]);
        CHECK(doc != read(text));
    }
}

TEST_CASE("sizes are what a simulator computes, where 64 bits hold it") {
    const std::vector<float> weights(7);
    wlfmt::workload::layer one;
    one.name = "l";
    one.forward.bytes = weights.size() * sizeof(float);
    one.forward.bytes += 4;
    one.forward.bytes -= 2;
    CHECK(one.forward.bytes < 31);
    one.input_grad.bytes = 4096.0;
    one.weight_grad.bytes = 9007199254740994.0;
    std::string text;
    CHECK_FALSE(wlfmt::workload::write(text, one));
    CHECK(text == "l\t-1\t0\tNONE\t30\t0\tNONE\t4096\t0\tNONE\t9007199254740994\t0\n");
    std::string json;
    CHECK_FALSE(problem_of(one));
    for (const wlfmt::number& bad :
         {wlfmt::number(4096.5), wlfmt::number(~std::uint64_t{0}), wlfmt::number(1e19), wlfmt::number(nullptr)}) {
        one.input_grad.bytes = bad;
        CHECK(wlfmt::workload::write(text, one).field == "input_grad.bytes");
    }
}

TEST_CASE("keys of a header are given values, which it keeps") {
    wlfmt::workload::document doc;
    {
        wlfmt::workload::header head;
        CHECK(head.set("policy", "HYBRID_TRANSFORMER"));
        CHECK(head.set("pp", 4));
        CHECK(head.set("all_gpus", std::int64_t{9007199254740993}));
        CHECK(head.set("pp_comm", 2621440.0));
        CHECK(head.set("checkpoints", "2 2 11"));
        CHECK(head.set("layer count", 0));
        doc.header = head;
        CHECK(head.set("pp", 8));
        CHECK(head.pipeline_parallel() == 8);
    }
    const auto kept = doc.header.find("all_gpus");
    const auto entry = *doc.header.entries.begin();
    CHECK(doc.header.pipeline_parallel() == 4);
    CHECK_FALSE(doc.header.set("policy", 4));
    CHECK_FALSE(doc.header.set("checkpoints", 2));
    std::string out;
    CHECK_FALSE(wlfmt::workload::write(out, doc));
    CHECK(out == "HYBRID_TRANSFORMER pp: 4 all_gpus: 9007199254740993 pp_comm: 2621440.0 checkpoints: 2 2 11\n0\n");
    CHECK(doc.header.set("all_gpus", wlfmt::number()));
    CHECK(doc.header.set("pp", "2"));
    CHECK(doc.header.set("nothing", wlfmt::text_view()));
    std::string pairs;
    for (const auto& [key, value] : doc.header.entries) pairs.append(key).append("=").append(value).append(";");
    std::string members;
    for (const auto& e : doc.header.entries) members.append(e.key).append("=").append(e.value).append(";");
    CHECK(pairs == members);
    CHECK_FALSE(pairs.empty());
    CHECK(doc.header.entries.size() == 3);
    CHECK(doc.header.find("pp") == "2");
    doc = {};
    CHECK(kept.text() == "9007199254740993");
    CHECK(entry.value == "4");

    auto read = wlfmt::workload::read("HYBRID_DLRM 3\n0\n");
    REQUIRE(read.ok());
    CHECK(read->header.set("DLRM_LAST_BOTTOM_LAYER", 5));
    CHECK(read->header.dlrm_last_bottom_layer() == 5);
    CHECK(read->header.entries.size() == 1);
    read->header.entries = {{"pp", "1"}};
    CHECK(read->header.pipeline_parallel() == 1);
}
