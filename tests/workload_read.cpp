// Reading workload files: what each member holds, every dialect, every error and how a reader goes on after it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <wlfmt/workload.hpp>

#include "support.hpp"
#include "workload_support.hpp"

namespace workload = wlfmt::workload;
using test::difference;
using test::lenient;
using test::read_layers;
using wlfmt::error_kind;
using wlfmt::is_missing;
using wlfmt::number;

namespace {

// The document that a text without problems is read as.
workload::document read_clean(std::string_view text) {
    const auto read = workload::read(text);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), text, wlfmt::in_file("read_clean")));
    return *read;
}

workload::header header_of(const std::string& text) { return workload::reader(text).header(); }

std::vector<std::int64_t> walked(const workload::index_list& list) {
    std::vector<std::int64_t> indices;
    for (const std::int64_t index : list) indices.push_back(index);
    CHECK(indices.size() == list.size());
    return indices;
}

std::string entries_of(const workload::header& head) {
    std::string all;
    for (const workload::entry& e : head.entries)
        all.append(e.key).append(e.colon ? ":" : "").append("=").append(e.value).append(";");
    return all;
}

using indices = std::vector<std::int64_t>;

// Whether two numbers have the same kind and value. (Compared with an int, 2.0 equals 2.)
bool same(const number& a, const number& b) { return a == b; }

constexpr std::string_view one_layer = "x\t-1\t1\tNONE\t0\t2\tALLREDUCE\t3\t4\tNONE\t0\t5\n";

// A workload of three layers of which `line` is the second one, so that it is far from both ends of the text.
std::string between_layers(std::string_view line) {
    return std::string("DATA\n3\n").append(one_layer).append(line).append("\n").append(one_layer);
}

bool is_inside(std::string_view view, std::string_view text) {
    return view.data() == nullptr ||
           (view.data() >= text.data() && view.data() + view.size() <= text.data() + text.size());
}

}  // namespace

TEST_CASE("every member of a layer holds its own value") {
    const auto doc = read_clean(
        "HYBRID_CUSTOMIZED\n1\n"
        "name\t-7\t1\tALLREDUCE\t2\t3\tALLGATHER\t4\t5\tREDUCESCATTER\t6\t7\tDATA\n");
    REQUIRE(doc.layers.size() == 1);
    workload::layer expected;
    expected.name = "name";
    expected.dependency = -7;
    expected.forward = {1, "ALLREDUCE", 2};
    expected.input_grad = {3, "ALLGATHER", 4};
    expected.weight_grad = {5, "REDUCESCATTER", 6};
    expected.update = 7;
    expected.policy = "DATA";
    CHECK(difference(doc.layers[0], expected) == "");
    CHECK(doc.layers[0].forward.compute.is_integer());
}

TEST_CASE("a layer built by hand begins as one without compute and communication") {
    const workload::layer one;
    CHECK(one.dependency == -1);
    CHECK(same(one.forward.compute, 0));
    CHECK(one.input_grad.comm == "NONE");
    CHECK(one.weight_grad.bytes == 0);
    CHECK(one.policy.data() == nullptr);
}

TEST_CASE("the header's typed members") {
    const auto aicb = test::data("workload/aicb.txt");
    const auto head = header_of(aicb);
    CHECK(head.policy == "HYBRID_TRANSFORMER_FWD_IN_BCKWD");
    CHECK(head.declared_layers == 3);
    CHECK(same(head.tensor_parallel(), 8));
    CHECK(same(head.expert_parallel(), 4));
    CHECK(same(head.pipeline_parallel(), 4));
    CHECK(same(head.vpp(), 8));
    CHECK(same(head.gradient_accumulation(), 1));
    CHECK(same(head.all_gpus(), 128));
    CHECK(same(head.pipeline_bytes(), 50331648));
    CHECK(walked(head.checkpoints()).empty());
    CHECK(walked(head.checkpoint_initiates()).empty());
    CHECK(head.dlrm_last_bottom_layer().is_missing());

    const workload::header nothing;
    CHECK(nothing.tensor_parallel().is_missing());
    CHECK(nothing.expert_parallel().is_missing());
    CHECK(nothing.pipeline_parallel().is_missing());
    CHECK(nothing.vpp().is_missing());
    CHECK(nothing.gradient_accumulation().is_missing());
    CHECK(nothing.all_gpus().is_missing());
    CHECK(nothing.pipeline_bytes().is_missing());
    CHECK(nothing.dlrm_last_bottom_layer().is_missing());
    CHECK(walked(nothing.checkpoints()).empty());
    CHECK(nothing.entries.empty());
}

TEST_CASE("header entries keep their order, unknown ones among them") {
    const auto unknown = test::data("workload/unknown_entries.txt");
    const auto head = header_of(unknown);
    CHECK(entries_of(head) ==
          "model_parallel_NPU_group:=4;mode:=inference/prefill;target_trace_sha256:=9f86d081884c7d65;seed=7;");
    CHECK(same(head.tensor_parallel(), 4));
    CHECK(head.entries.find("mode") == "inference/prefill");
    CHECK(head.entries.find("pp").is_missing());
    CHECK_FALSE(head.entries.empty());

    const auto other = test::data("workload/other_key_order.txt");
    CHECK(entries_of(header_of(other)) ==
          "all_gpus:=16;pp:=2;checkpoints:=1 3;model_parallel_NPU_group:=4;expert_parallel_npu_group:=2;");
    CHECK(same(header_of(other).expert_parallel(), 2));
    CHECK(header_of(other).vpp().is_missing());
}

TEST_CASE("pp_comm comes without a colon, as a decimal and above 32 bits") {
    const auto bare = test::data("workload/pp_comm_without_colon.txt");
    CHECK(same(header_of(bare).pipeline_bytes(), 50331648));
    const auto decimal = test::data("workload/pp_comm_decimal.txt");
    CHECK(same(header_of(decimal).pipeline_bytes(), 2621440.0));
    const auto large = test::data("workload/pp_comm_above_32_bits.txt");
    CHECK(same(header_of(large).pipeline_bytes(), 12884901888));
}

TEST_CASE("a checkpoint list is a count and that many indices") {
    const auto text = test::data("workload/checkpoints.txt");
    const auto head = header_of(text);
    CHECK(entries_of(head) == "checkpoints:=2 2 11;checkpoint_initiates:=2 19  10;");
    CHECK(walked(head.checkpoints()) == indices{2, 11});
    CHECK(walked(head.checkpoint_initiates()) == indices{19, 10});
    CHECK(walked(workload::index_list("3 -1 0 9223372036854775807")) == indices{-1, 0, 9223372036854775807});
    CHECK(walked(workload::index_list("0")).empty());
    CHECK(walked(workload::index_list("")).empty());
    CHECK(walked(workload::index_list("all 1 2")).empty());
    CHECK(walked(workload::index_list("2 1 x 2")) == indices{1});

    // An iterator keeps its place.
    const workload::index_list list("2 5 6");
    auto i = list.begin();
    CHECK(*i++ == 5);
    CHECK(*i == 6);
    CHECK(++i == list.end());
}

TEST_CASE("DLRM's bare number has no key") {
    const auto dlrm = test::data("workload/dlrm.txt");
    const auto head = header_of(dlrm);
    CHECK(entries_of(head) == "=4;");
    CHECK(same(head.dlrm_last_bottom_layer(), 4));
    const auto enhanced = test::data("workload/dlrm_enhanced.txt");
    CHECK(entries_of(header_of(enhanced)) == "DLRM_LAST_BOTTOM_LAYER:=4;");
    CHECK(same(header_of(enhanced).dlrm_last_bottom_layer(), 4));
    const std::string both = "HYBRID_DLRM_ENHANCED 4 pp: 2\n0\n";
    CHECK(entries_of(header_of(both)) == "=4;pp:=2;");
    // Elsewhere a number is a key like any other.
    const std::string other = "HYBRID 4 5\n0\n";
    CHECK(entries_of(header_of(other)) == "4=5;");
    CHECK(header_of(other).dlrm_last_bottom_layer().is_missing());
}

TEST_CASE("entries that are the caller's own are listed alike") {
    const workload::entry_list list(std::vector<workload::entry>{{"pp", "2", true}, {"pp_comm", "7", false}});
    CHECK_FALSE(list.empty());
    CHECK(list.find("pp_comm") == "7");
    CHECK(list.find("ep").is_missing());
    auto i = list.begin();
    CHECK((*i++).key == "pp");
    CHECK((*i).key == "pp_comm");
    CHECK(++i == list.end());
    CHECK(list.size() == 2);
    CHECK(workload::entry_list(std::vector<workload::entry>()).empty());
    workload::header given;
    given.entries = {{"pp", "4"}};
    CHECK(entries_of(given) == "pp:=4;");
    given.entries = {{"pp", "4"}, {"pp_comm", "7", false}};
    CHECK(entries_of(given) == "pp:=4;pp_comm=7;");
    CHECK(workload::entry_list().begin() == workload::entry_list().end());
    CHECK(workload::entry_list::from_text(" \t", "DATA").empty());
    CHECK(workload::entry_list::from_text("\n pp: \n 2", "DATA").find("2").text().empty());
    static_assert(std::is_same_v<std::iterator_traits<decltype(i)>::value_type, workload::entry>);
}

TEST_CASE("collectives and their groups") {
    using workload::collective;
    using workload::group;
    const auto means = [](std::string_view comm, collective c, group g) {
        const auto what = workload::communication_of(comm);
        CHECK_MESSAGE((what.collective == c && what.group == g), comm);
    };
    means("NONE", collective::none, group::by_phase);
    means("ALLREDUCE", collective::allreduce, group::by_phase);
    means("ALLGATHER", collective::allgather, group::by_phase);
    means("REDUCESCATTER", collective::reduce_scatter, group::by_phase);
    means("ALLTOALL", collective::all_to_all, group::by_phase);
    means("ALLREDUCEALLTOALL", collective::allreduce_all_to_all, group::by_phase);
    means("BROADCAST", collective::broadcast, group::by_phase);
    means("ALLTOALL_EP", collective::all_to_all, group::expert_parallel);
    means("ALLREDUCE_DP", collective::allreduce, group::data_parallel);
    means("REDUCESCATTER_DP_EP", collective::reduce_scatter, group::expert_data_parallel);
    means("ALLREDUCEALLTOALL_EP", collective::allreduce_all_to_all, group::expert_parallel);
    means("SENDRECV_EP", collective::other, group::expert_parallel);
    means("ALLREDUCES", collective::other, group::by_phase);
    means("allreduce", collective::other, group::by_phase);
    means("_EP", collective::other, group::expert_parallel);
    means("", collective::other, group::by_phase);

    const auto text = test::data("workload/collectives.txt");
    const auto doc = read_clean(text);
    CHECK(doc.layers[3].input_grad.comm == "_SENDRECV");
    CHECK(doc.layers[3].weight_grad.comm == "SENDRECV_EP");
}

TEST_CASE("times may be decimals; sizes and dependencies are integers in any notation") {
    const auto times = test::data("workload/decimal_times.txt");
    const auto doc = read_clean(times);
    CHECK(same(doc.layers[0].forward.compute, 1.5));
    CHECK(same(doc.layers[0].input_grad.compute, 2621440.0));
    CHECK(same(doc.layers[0].weight_grad.compute, 1e-05));
    CHECK(same(doc.layers[0].update, 0.5));
    CHECK(same(doc.layers[1].forward.compute, 0.0));
    CHECK(same(doc.layers[1].input_grad.compute, 0));
    CHECK(same(doc.layers[1].weight_grad.compute, 1.5e16));

    const auto sizes = test::data("workload/decimal_sizes.txt");
    const auto integers = read_clean(sizes);
    CHECK(integers.layers[0].dependency == -1);
    CHECK(integers.layers[0].forward.bytes == 0);
    CHECK(integers.layers[0].input_grad.bytes == 2621440);
    CHECK(integers.layers[0].weight_grad.bytes == 12800000000);
}

TEST_CASE("integers have 64 bits") {
    const auto text = test::data("workload/long_numbers.txt");
    const auto doc = read_clean(text);
    CHECK(doc.layers[0].dependency == (std::numeric_limits<std::int64_t>::min)());
    CHECK(same(doc.layers[0].forward.compute, (std::numeric_limits<std::int64_t>::max)()));
    CHECK(doc.layers[0].forward.bytes == 1234567890123456);
    CHECK(same(doc.layers[0].input_grad.compute, 12345678901234567));
    CHECK(doc.layers[0].input_grad.bytes == 99999999999999999);
    CHECK(same(doc.layers[0].weight_grad.compute, -42));
    CHECK(doc.layers[0].weight_grad.bytes == (std::numeric_limits<std::int64_t>::max)());
    CHECK(same(doc.layers[0].update, 7));
    CHECK(doc.layers[1].dependency == 3);
    CHECK(same(doc.layers[1].forward.compute, 7));
    CHECK(doc.layers[1].forward.bytes == 12);
    CHECK(doc.layers[1].input_grad.bytes == -12345678901234567);
    CHECK(doc.layers[1].weight_grad.bytes == 1000000000000000);
}

TEST_CASE("an integer of every length is read with all its digits") {
    for (std::size_t digits = 1; digits <= 18; ++digits) {
        for (const char* const sign : {"", "-"}) {
            const std::string value = sign + std::string("123456789012345678").substr(18 - digits);
            CAPTURE(value);
            const std::string text = between_layers("x\t" + value + "\t" + value + "\tNONE\t" + value +
                                                    "\t0\tNONE\t0\t0\tNONE\t0\t" + value);
            const auto doc = read_clean(text);
            CHECK(doc.layers[1].dependency == std::stoll(value));
            CHECK(same(doc.layers[1].forward.compute, std::stoll(value)));
            CHECK(doc.layers[1].forward.bytes == std::stoll(value));
            CHECK(same(doc.layers[1].update, std::stoll(value)));
        }
    }
}

TEST_CASE("a line's layout does not matter") {
    const auto plain = test::data("workload/no_final_newline.txt");
    const auto expected = read_clean(plain);
    REQUIRE(expected.layers.size() == 2);
    for (const std::string name : {"crlf", "bom", "blank_lines", "trailing_blanks", "blanks"}) {
        CAPTURE(name);
        const auto text = test::data("workload/" + name + ".txt");
        CHECK(difference(read_clean(text).layers, expected.layers) == "");
    }
    const auto vertical = test::data("workload/vertical_blanks.txt");
    CHECK(difference(read_clean(vertical).layers[0], expected.layers[0]) == "");
    const auto bom = test::data("workload/bom.txt");
    CHECK(header_of(bom).policy == "HYBRID_TRANSFORMER_FWD_IN_BCKWD");
    const auto blanks = test::data("workload/blanks.txt");
    CHECK(entries_of(header_of(blanks)) == "model_parallel_NPU_group:=2;");
    const auto trailing = test::data("workload/trailing_blanks.txt");
    CHECK(header_of(trailing).entries.empty());
}

TEST_CASE("the remaining dialects read without a problem") {
    const auto customized = test::data("workload/customized.txt");
    CHECK(read_clean(customized).layers[0].policy == "HYBRID_DATA_MODEL");
    CHECK(read_clean(customized).layers[1].policy == "DATA");
    for (const std::string name : {"policy_alone", "fork_policy", "no_layers", "no_layers_no_newline"}) {
        const auto text = test::data("workload/" + name + ".txt");
        CHECK_MESSAGE(read_clean(text).header.declared_layers.value_or(9.0) < 2, name);
    }
    const auto names = test::data("workload/names.txt");
    const auto doc = read_clean(names);
    CHECK(doc.layers[0].name == doc.layers[1].name);
    CHECK(doc.layers[2].name == "1.5");
    CHECK(doc.layers[3].name.substr(0, 16) == "sch\xC3\xB6n/(x)*[0],\"");
    CHECK(doc.layers[3].name.size() == 16 + 150);
}

TEST_CASE("the real files") {
    const auto dense = test::data("workload_dense_1024gpus.txt");
    const auto read = workload::read(dense);
    CHECK(read.ok());
    CHECK(read->header.declared_layers == read->layers.size());

    // Its header declares fewer layers than it has.
    const auto moe = test::data("workload_moe_128gpus.txt");
    std::vector<wlfmt::problem> told;
    wlfmt::options how;
    how.on_problem = [&](const wlfmt::problem& e) { told.push_back(e); };
    const auto more = workload::read(moe, how);
    CHECK(more.ok());
    REQUIRE(told.size() == 1);
    CHECK(wlfmt::message(told[0], moe) == "the header declares 96 layers, 98 follow");
    CHECK(more->layers.size() == 98);
    CHECK(same(more->header.pipeline_bytes(), 50331648));
    CHECK(more->layers[0].weight_grad.comm == "ALLGATHER");
    CHECK(more->layers[0].weight_grad.bytes == 175484928);
}

namespace {

// The expected first error of a file: it begins where `at` occurs in the text, for the first or the last time, and is
// `length` bytes long.
struct expected_error {
    std::string_view file;
    error_kind kind;
    std::string_view at;
    std::size_t length;
    std::string_view field;
    std::int64_t found = 0;
    std::int64_t expected = 0;
};

constexpr expected_error expected_errors[] = {
    {"policy_is_a_number", error_kind::header_value, "96", 2, "policy"},
    {"header_value", error_kind::header_value, " pp:", 0, "ep"},
    {"header_value_at_the_end", error_kind::header_value, "\n1\n", 0, "mode"},
    {"header_list_short", error_kind::header_value, "\n1\n", 0, "checkpoints", 2, 3},
    {"header_list_word", error_kind::header_value, "checkpoint_initiates:", 21, "checkpoints", 1, 2},
    {"header_list_count", error_kind::not_an_integer, "all", 3, "checkpoints"},
    {"header_not_a_number", error_kind::not_a_number, "four", 4, "pp"},
    {"header_overflow", error_kind::number_overflow, "9223372036854775808", 19, "pp_comm"},
    {"missing_layer_count", error_kind::missing_layer_count, "grad_gather", 0, "layer count"},
    {"missing_layer_count_at_the_end", error_kind::missing_layer_count, "", 0, "layer count"},
    {"layer_count_not_an_integer", error_kind::not_an_integer, "layers:", 7, "layer count"},
    {"layer_count_overflow", error_kind::number_overflow, "9223372036854775808", 19, "layer count"},
    {"text_after_count", error_kind::text_after_count, "layer\n", 5, "layer count"},
    {"fewer_layers", error_kind::layer_count_mismatch, "839", 3, "layer count", 2, 839},
    {"missing_dependency", error_kind::field_count, "allreduce", 49, "dependency", 11, 12},
    {"missing_collective", error_kind::field_count, "conv1", 43, "input_grad.comm", 11, 12},
    {"missing_update", error_kind::field_count, "conv1", 46, "update", 11, 12},
    {"policy_not_customized", error_kind::field_count, "layer1", 59, "policy", 13, 12},
    {"policy_missing", error_kind::field_count, "grad_gather", 67, "policy", 12, 13},
    {"fifteen_fields", error_kind::field_count, "layer1", 63, "policy", 15, 12},
    {"related_17_fields", error_kind::related_format, "Q1", 80, "roofline or multi-collective layers (17 fields)", 17,
     12},
    {"related_21_fields", error_kind::related_format, "Embedding", 90,
     "roofline or multi-collective layers (21 fields)", 21, 12},
    {"related_24_fields", error_kind::related_format, "Q1", 113, "roofline or multi-collective layers (24 fields)", 24,
     12},
    {"related_titles", error_kind::related_format, "Layername", 147, "LLMServingSim column titles", 11, 12},
    {"related_other_titles", error_kind::related_format, "name dep", 90, "column titles", 12, 12},
    {"collective_is_a_number", error_kind::related_format, "17", 2, "a number as input_grad.comm", 12, 12},
    {"not_a_number", error_kind::not_a_number, "fast", 4, "input_grad.compute"},
    {"not_finite", error_kind::not_a_number, "nan", 3, "update"},
    {"not_an_integer", error_kind::not_an_integer, "1.5", 3, "dependency"},
    {"number_overflow", error_kind::number_overflow, "9223372036854775808", 19, "forward.bytes"},
    {"text_after_layers", error_kind::text_after_layers, "13197", 24, "layer count", 1, 1},
    {"no_records", error_kind::no_records, "", 0, "layer"},
    {"empty", error_kind::no_records, "", 0, "layer"},
};

}  // namespace

TEST_CASE("every error has its code, place, field and counts") {
    std::size_t error_files = 0;
    for (const std::string& name : test::workload_files()) error_files += name.find("/error_") != std::string::npos;
    CHECK(error_files == std::size(expected_errors));
    for (const expected_error& want : expected_errors) {
        CAPTURE(want.file);
        const std::string text = test::data("workload/error_" + std::string(want.file) + ".txt");
        const auto read = workload::read(text);
        const wlfmt::problem& e = read.error();
        CHECK(e.kind == want.kind);
        CHECK(e.offset == (want.at.empty() ? text.size() : text.find(want.at)));
        CHECK(e.length == want.length);
        CHECK(e.field == want.field);
        CHECK(e.found == want.found);
        CHECK(e.expected == want.expected);
        CHECK_FALSE(wlfmt::message(e, text).empty());
    }
}

TEST_CASE("offsets count from the caller's text, its byte order mark included") {
    const std::string text =
        "\xEF\xBB\xBF"
        "DATA pp: x\n0\n";
    const auto read = workload::read(text);
    CHECK(read.error().offset == text.find('x'));
    workload::reader file(text);
    CHECK(file.offset() == text.find('0'));
}

TEST_CASE("a byte order mark is accepted at the very beginning, once") {
    const std::string mark = "\xEF\xBB\xBF";
    const std::string once = mark + " \nDATA\n0\n";
    CHECK(read_clean(once).header.policy == "DATA");
    for (const std::string& start : {mark + mark, "\n" + mark, mark + " " + mark, " " + mark}) {
        const std::string text = start + "DATA\n0\n";
        const auto read = workload::read(text);
        CHECK(read.error().kind == error_kind::header_value);
        CHECK(read.error().field == "policy");
        CHECK(read.error().offset == start.size() - mark.size());
        CHECK(read.error().length == mark.size());
        const auto tolerated = workload::read(text, lenient());
        CHECK(tolerated->header.policy == mark + "DATA");
        CHECK(workload::problem_of(tolerated->header).field == "policy");
    }
    CHECK(workload::read("\xEF\xBB\xBF\n").error().kind == error_kind::no_records);
}

TEST_CASE("a missing field is named as exactly as the words and numbers around it allow") {
    const std::string_view fields[] = {"conv1", "-1", "5", "NONE", "0", "6", "NONE", "0", "7", "NONE", "0", "8"};
    // Where several numbers are side by side the first one is named.
    const std::string_view guesses[] = {"",
                                        "dependency",
                                        "dependency",
                                        "forward.comm",
                                        "forward.bytes",
                                        "forward.bytes",
                                        "input_grad.comm",
                                        "input_grad.bytes",
                                        "input_grad.bytes",
                                        "weight_grad.comm",
                                        "update",
                                        "update"};
    for (std::size_t missing = 1; missing != 12; ++missing) {
        CAPTURE(missing);
        std::string text = "DATA\n1\n";
        for (std::size_t n = 0; n != 12; ++n)
            if (n != missing) text.append(fields[n]).append("\t");
        const auto read = workload::read(text);
        CHECK(read.error().kind == error_kind::field_count);
        CHECK(read.error().field == guesses[missing]);
        CHECK(read.error().found == 11);
    }
}

TEST_CASE("a field that is wrong is named, wherever it is in the line") {
    const std::string_view fields[] = {"conv1", "-1", "5", "NONE", "0", "6", "NONE", "0", "7", "NONE", "0", "8"};
    const std::string_view names[] = {"name",
                                      "dependency",
                                      "forward.compute",
                                      "a number as forward.comm",
                                      "forward.bytes",
                                      "input_grad.compute",
                                      "a number as input_grad.comm",
                                      "input_grad.bytes",
                                      "weight_grad.compute",
                                      "a number as weight_grad.comm",
                                      "weight_grad.bytes",
                                      "update"};
    for (std::size_t wrong = 1; wrong != 12; ++wrong) {
        CAPTURE(wrong);
        const bool collective = wrong % 3 == 0;
        const bool integer = wrong == 1 || wrong % 3 == 1;
        for (const std::string_view value : {"17", "1.5", "word", "-", "1e400", "99999999999999999999", "1e19"}) {
            CAPTURE(value);
            std::string line;
            for (std::size_t n = 0; n != 12; ++n)
                line.append(n == wrong ? value : fields[n]).append(n < 11 ? "\t" : "");
            const std::string text = between_layers(line);
            error_kind want = error_kind::none;
            const bool is_word = value == "word" || value == "-";
            if (collective && !is_word) want = error_kind::related_format;
            if (!collective && is_word) want = integer ? error_kind::not_an_integer : error_kind::not_a_number;
            if (integer && wrong != 11 && value == "1.5") want = error_kind::not_an_integer;
            if (!collective && (value == "1e400" || value == "99999999999999999999"))
                want = error_kind::number_overflow;
            if (integer && wrong != 11 && value == "1e19") want = error_kind::number_overflow;
            const auto read = workload::read(text);
            CHECK(read.error().kind == want);
            if (want == error_kind::none) continue;
            CHECK(read.error().field == names[wrong]);
            CHECK(text.substr(read.error().offset, read.error().length) == value);
            CHECK(read->layers.size() == 1);
        }
    }
}

TEST_CASE("messages of the errors that need no value") {
    const auto text = test::data("workload/error_missing_dependency.txt");
    CHECK(wlfmt::message(workload::read(text).error(), text) ==
          "11 fields where a layer has 12; is dependency missing?");
    const auto few = test::data("workload/error_fewer_layers.txt");
    CHECK(wlfmt::message(workload::read(few).error(), few).find("the header declares 839 layers, 2 follow") == 0);
}

TEST_CASE("the reader stops at an error and goes on after it") {
    const std::string text = std::string("DATA pp: x\n4\n")
                                 .append(one_layer)
                                 .append("y 1 2 3\n")
                                 .append(one_layer)
                                 .append("z\t-1\t1\tNONE\t1.5\t2\tALLREDUCE\t3\t4\tNONE\t0\t5\n");
    workload::reader file(text);
    CHECK(file.error().kind == error_kind::not_a_number);
    CHECK(file.next() == nullptr);
    CHECK(file.skip());
    CHECK(file.ok());
    CHECK(file.header().declared_layers == 4);
    CHECK(file.next() != nullptr);
    CHECK(file.next() == nullptr);
    CHECK(file.error().kind == error_kind::field_count);
    CHECK(file.next() == nullptr);
    CHECK(file.skip());
    const workload::layer* one = file.next();
    REQUIRE(one != nullptr);
    CHECK(one->name == "x");
    CHECK(file.next() == nullptr);
    CHECK(file.error().kind == error_kind::not_an_integer);
    CHECK(file.error().field == "forward.bytes");
    // Bad lines are counted, too: the four declared layers have been seen, and nothing is left to read.
    CHECK_FALSE(file.skip());
    CHECK(file.next() == nullptr);
    CHECK(file.error().kind == error_kind::not_an_integer);
    CHECK(file.offset() == text.size());
    CHECK(file.tolerated() == 0);
}

TEST_CASE("what cannot be skipped stays an error") {
    for (const std::string name : {"empty", "no_records", "missing_layer_count_at_the_end", "related_24_fields",
                                   "related_titles", "fewer_layers"}) {
        CAPTURE(name);
        const auto text = test::data("workload/error_" + name + ".txt");
        workload::reader file(text);
        while (file.next() != nullptr) {
        }
        CHECK_FALSE(file.ok());
        const error_kind kind = file.error().kind;
        CHECK_FALSE(file.skip());
        CHECK(file.next() == nullptr);
        CHECK(file.error().kind == kind);
    }
}

TEST_CASE("a text without its number of layers is read on where its layers begin") {
    const auto text = test::data("workload/error_missing_layer_count.txt");
    const auto got = read_layers(text);
    CHECK(got.errors.size() == 1);
    CHECK(got.layers.size() == 2);
    const auto word = test::data("workload/error_layer_count_not_an_integer.txt");
    CHECK(read_layers(word).errors.size() == 1);
    CHECK(read_layers(word).layers.size() == 1);
}

TEST_CASE("text after the layers is reported once") {
    const auto text = test::data("workload/error_text_after_layers.txt");
    CHECK(read_layers(text).errors.size() == 1);
    CHECK(read_layers(text).layers.size() == 1);
    const auto tolerated = read_layers(text, lenient());
    CHECK(tolerated.errors.size() == 1);
    CHECK(tolerated.tolerated == 1);
    CHECK(tolerated.layers.size() == 1);

    // A layer after the foreign text is still a layer, and a malformed layer is not foreign text.
    const std::string more = std::string("DATA\n1\n")
                                 .append(one_layer)
                                 .append("a note\n")
                                 .append(one_layer)
                                 .append("z\t-1\t1\tNONE\tx\t2\tALLREDUCE\t3\t4\tNONE\t0\t5\n");
    const auto got = read_layers(more);
    CHECK(got.layers.size() == 2);
    REQUIRE(got.errors.size() == 3);
    CHECK(got.errors[0].kind == error_kind::text_after_layers);
    CHECK(got.errors[1].kind == error_kind::not_an_integer);
    CHECK(got.errors[2].kind == error_kind::layer_count_mismatch);
    CHECK(got.errors[2].found == 3);

    // A line of twelve words is not a layer, although a layer has twelve fields.
    const std::string words = std::string("DATA\n1\n")
                                  .append(one_layer)
                                  .append("a b c d e f g h i j k l\na b c d e f g h i j k l m n o p q\n");
    REQUIRE(read_layers(words).errors.size() == 1);
    CHECK(read_layers(words).errors[0].kind == error_kind::text_after_layers);
}

TEST_CASE("a lenient reader reads what needs no guess and reports the rest") {
    for (const std::string& name : test::workload_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const auto strict = read_layers(text);
        const auto got = read_layers(text, lenient());
        const auto read = workload::read(text, lenient());
        CHECK(difference(got.layers, read->layers) == "");
        CHECK(got.layers.size() >= strict.layers.size());
        // The problems are the same, and those that leave nothing to read are still errors.
        REQUIRE(got.errors.size() >= strict.errors.size());
        const bool refused = !read.ok();
        CHECK(got.tolerated == got.errors.size() - refused);
        if (refused)
            CHECK((read.error().kind == error_kind::related_format || read.error().kind == error_kind::no_records));
        for (std::size_t n = 0; n != strict.errors.size(); ++n) CHECK(got.errors[n].kind == strict.errors[n].kind);
    }
    // A program need not pass a callback.
    const auto text = test::data("workload/error_policy_not_customized.txt");
    workload::reader file(text, lenient());
    const workload::layer* one = file.next();
    REQUIRE(one != nullptr);
    CHECK(one->policy == "DATA");
    CHECK(file.tolerated() == 1);
}

TEST_CASE("what a lenient reader makes of each problem") {
    const auto lenient_of = [](const std::string& text) { return *workload::read(text, lenient()); };
    const auto fifteen = test::data("workload/error_fifteen_fields.txt");
    CHECK(lenient_of(fifteen).layers[0].policy == "#");
    const auto without = test::data("workload/error_policy_missing.txt");
    CHECK(lenient_of(without).layers[0].policy.data() == nullptr);
    const auto numeric = test::data("workload/error_collective_is_a_number.txt");
    CHECK(lenient_of(numeric).layers[0].input_grad.comm == "17");
    const auto short_line = test::data("workload/error_missing_dependency.txt");
    CHECK(lenient_of(short_line).layers.size() == 1);
    const auto four = test::data("workload/error_header_not_a_number.txt");
    CHECK(lenient_of(four).header.pipeline_parallel().text() == "four");
    CHECK(same(lenient_of(four).header.expert_parallel(), 2));
    const auto beyond = test::data("workload/error_header_overflow.txt");
    CHECK(lenient_of(beyond).header.pipeline_bytes().text() == "9223372036854775808");
    const auto no_value = test::data("workload/error_header_value.txt");
    CHECK(entries_of(lenient_of(no_value).header) == "ep:=;pp:=4;");
    const auto word = test::data("workload/error_header_list_word.txt");
    CHECK(walked(lenient_of(word).header.checkpoints()) == indices{2});
    CHECK(entries_of(lenient_of(word).header) == "checkpoints:=2 2;checkpoint_initiates:=0;");
    const auto all = test::data("workload/error_header_list_count.txt");
    CHECK(entries_of(lenient_of(all).header) == "checkpoints:=all;pp:=4;");
    CHECK(walked(lenient_of(all).header.checkpoints()).empty());
    const auto beyond_count = test::data("workload/error_layer_count_overflow.txt");
    CHECK(lenient_of(beyond_count).header.declared_layers.is_missing());
    CHECK(lenient_of(beyond_count).layers.size() == 1);
}

TEST_CASE("a declared number of layers below 0 is an error of its own") {
    const std::string text = std::string("DATA\n-1\n").append(one_layer);
    const auto read = workload::read(text);
    CHECK(read.error().kind == error_kind::negative_value);
    CHECK(read.error().field == "layer count");
    CHECK(read.error().offset == 5);
    CHECK(read.error().length == 2);
    CHECK(read->layers.empty());
    CHECK(read->header.declared_layers.is_missing());
    CHECK(where(read->header, "layer count") == "-1");
    // It is the only problem: layers are not counted.
    CHECK(read_layers(text).errors.size() == 1);
    CHECK(read_layers(text).layers.size() == 1);
    CHECK(read_layers(text, lenient()).errors.size() == 1);
    const auto two = workload::read("DATA\n2.0\n");
    CHECK(same(two->header.declared_layers, 2));
}

TEST_CASE("a hostile number of layers or indices costs nothing") {
    for (const std::string count :
         {"9223372036854775807", "9223372036854775808", "1000000000000", "-9223372036854775808"}) {
        CAPTURE(count);
        const std::string text = "DATA checkpoints: " + count + " 1 2\n" + count + "\n" + std::string(one_layer);
        const auto read = workload::read(text, lenient());
        CHECK(read->layers.size() == 1);
        CHECK(read->layers.capacity() < 8);
        CHECK(read->header.entries.size() < 8);
    }
}

TEST_CASE("a document reserves no more layers than its text can hold") {
    const auto dense = test::data("workload_dense_1024gpus.txt");
    const auto doc = read_clean(dense);
    CHECK(doc.layers.capacity() == doc.layers.size());
    const std::string text = test::data("workload/error_fewer_layers.txt");
    const auto fewer = workload::read(text);
    CHECK(fewer->layers.capacity() <= 4);
}

TEST_CASE("the document holds what the reader yields") {
    for (const std::string& name : test::workload_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const auto read = workload::read(text);
        workload::reader file(text);
        std::vector<workload::layer> layers;
        while (const workload::layer* one = file.next()) layers.push_back(*one);
        CHECK(difference(read->layers, layers) == "");
        CHECK(difference(read->header, file.header()) == "");
        CHECK(read->header.declared_layers == file.header().declared_layers);
        CHECK(read.error().kind == file.error().kind);
        CHECK(read.error().offset == file.error().offset);
    }
}

TEST_CASE("every view lies in the text") {
    for (const std::string& name : test::workload_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        workload::reader file(text, lenient());
        CHECK(is_inside(file.header().policy, text));
        for (const workload::entry& e : file.header().entries) {
            CHECK((e.key.empty() || is_inside(e.key, text)));
            CHECK(is_inside(e.value, text));
        }
        while (const workload::layer* one = file.next()) {
            for (const std::string_view v :
                 {one->name, one->forward.comm, one->input_grad.comm, one->weight_grad.comm, one->policy})
                CHECK(is_inside(v, text));
        }
    }
}

TEST_CASE("a text cut at any byte gives its first layers, or says what is missing") {
    for (const std::string name : {"workload/aicb.txt", "workload/checkpoints.txt", "workload/customized.txt",
                                   "workload/blanks.txt", "workload/long_numbers.txt"}) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const auto whole = read_clean(text);
        for (std::size_t size = 0; size <= text.size(); ++size) {
            const std::string cut = text.substr(0, size);
            const auto read = workload::read(cut);
            REQUIRE(read->layers.size() <= whole.layers.size());
            // The last layer may have lost the end of its last field.
            for (std::size_t n = 0; n + 1 < read->layers.size(); ++n)
                REQUIRE(difference(read->layers[n], whole.layers[n]) == "");
            const std::size_t needed = text.find_last_not_of(" \t\r\n") + 1;
            if (size < needed && read->layers.size() < whole.layers.size()) REQUIRE_FALSE(read.ok());
            if (!read.ok()) REQUIRE(read.error().offset + read.error().length <= cut.size());
        }
    }
}

TEST_CASE("no byte outside the text is read") {
    for (const std::string name : {"workload/aicb.txt", "workload/customized.txt", "workload/trailing_blanks.txt",
                                   "workload/decimal_times.txt", "workload/bom.txt"}) {
        const std::string text = test::data(name);
        for (const test::guard side : {test::guard::before, test::guard::after}) {
            for (std::size_t size = 0; size <= text.size(); ++size) {
                const test::guarded_text guarded(std::string_view(text).substr(0, size), side);
                const auto here = workload::read(guarded.view(), lenient());
                const auto there = workload::read(std::string_view(text).substr(0, size), lenient());
                REQUIRE(difference(*here, *there) == "");
            }
        }
    }
    // The first layer right after the shortest header there is.
    const std::string shortest = std::string("D\n1\n").append(one_layer).append(100, '\n');
    const test::guarded_text guarded(shortest, test::guard::before);
    CHECK(workload::read(guarded.view()).ok());
}

TEST_CASE("a line reads the same wherever it is in the text") {
    // In the middle of a text lines are taken apart 64 bytes at a time, at its end field by field.
    const std::string_view pieces[] = {"",     " ",    "\t",       "\r",         "\v", "\f",  std::string_view("\0", 1),
                                       "\x01", "\x1F", "\x7F",     "\xFF",       "-",  "+",   ".",
                                       "e5",   "9",    "x",        ":",          "/",  "1e9", "0000",
                                       "  \t", "_",    "\xC3\xA9", "99999999999"};
    const std::string_view lines[] = {"conv1\t-1\t1000\tNONE\t0\t12345678901\tALLREDUCE\t1048576\t2.5\tNONE\t0\t5",
                                      "a_name_longer_than_a_window_of_sixty_four_bytes_so_that_the_line_takes_three\t-"
                                      "1\t5\tNONE\t0\t5\tNONE\t0\t5\tNONE\t0\t5"};
    for (const std::string_view line : lines) {
        for (std::size_t at = 0; at <= line.size(); ++at) {
            for (const std::string_view piece : pieces) {
                const std::string changed = std::string(line.substr(0, at)).append(piece).append(line.substr(at));
                const std::string middle = between_layers(changed);
                const std::string last = std::string("DATA\n2\n").append(one_layer).append(changed);
                const auto in_middle = read_layers(middle, lenient());
                const auto at_end = read_layers(last, lenient());
                REQUIRE(in_middle.layers.size() == at_end.layers.size() + 1);
                for (std::size_t n = 0; n != at_end.layers.size(); ++n)
                    REQUIRE_MESSAGE(difference(in_middle.layers[n], at_end.layers[n]) == "", changed);
                REQUIRE(in_middle.errors.size() == at_end.errors.size());
                for (std::size_t n = 0; n != at_end.errors.size(); ++n) {
                    REQUIRE(in_middle.errors[n].kind == at_end.errors[n].kind);
                    REQUIRE(in_middle.errors[n].offset == at_end.errors[n].offset);
                    REQUIRE(in_middle.errors[n].field == at_end.errors[n].field);
                }
            }
        }
    }
}

TEST_CASE("a carriage return before a line feed belongs to no layer") {
    std::string text = "DATA\n6\n";
    std::string other = text;
    const std::string_view ends[] = {"\r\n", "\n", "\r\r\n", "\r \r\n", "\r\n", "\r\n"};
    for (const std::string_view end : ends) {
        text.append(one_layer.substr(0, one_layer.size() - 1)).append(end);
        other.append(one_layer);
    }
    // The last lines of a text are read in another way than those that many bytes follow.
    for (const std::size_t padding : {std::size_t{0}, std::size_t{200}}) {
        const std::string padded = text + std::string(padding, '\n');
        const auto with = read_layers(padded);
        const auto without = read_layers(other);
        CHECK(with.errors.empty());
        CHECK(difference(with.layers, without.layers) == "");
        for (const workload::layer& one : with.layers) CHECK(one.source == one_layer.substr(0, one_layer.size() - 1));
    }
}

TEST_CASE("an error in the last line stays, and a wrong number of layers is reported after it") {
    const std::string good_count = std::string("DATA\n2\n").append(one_layer).append("y 1 2 3\n \n");
    CHECK(read_layers(good_count).errors.size() == 1);
    workload::reader file(good_count);
    while (file.next() != nullptr) {
    }
    CHECK(file.error().kind == error_kind::field_count);
    CHECK_FALSE(file.skip());
    CHECK(file.error().kind == error_kind::field_count);
    CHECK_FALSE(file.ok());

    const std::string wrong_count = std::string("DATA\n3\n").append(one_layer).append("y 1 2 3");
    const auto got = read_layers(wrong_count);
    REQUIRE(got.errors.size() == 2);
    CHECK(got.errors[0].kind == error_kind::field_count);
    CHECK(got.errors[1].kind == error_kind::layer_count_mismatch);
    CHECK(got.errors[1].found == 2);
}

TEST_CASE("a lone colon in a header is reported") {
    const std::string text = "HYBRID_TRANSFORMER : 5 ep: 2\n0\n";
    const auto read = workload::read(text);
    CHECK(read.error().kind == error_kind::header_value);
    CHECK(read.error().offset == text.find(':'));
    CHECK(read.error().length == 1);
    CHECK(read.error().field.empty());
    const auto tolerated = workload::read(text, lenient());
    CHECK(tolerated->header.dlrm_last_bottom_layer().is_missing());
    CHECK(same(tolerated->header.expert_parallel(), 2));
    CHECK(workload::problem_of(*tolerated).kind == error_kind::unwritable);
    for (const std::string last : {"DATA :\n0\n", "DATA ::\n0\n", "HYBRID_DLRM : 4\n0\n"})
        CHECK(workload::read(last).error().kind == error_kind::header_value);
}

TEST_CASE("a colon apart from its key, and one too many, are one problem each that says so") {
    const std::string text = "DATA ep:: 1 pp : 2 all_gpus: 8\n0\n";
    const auto got = read_layers(text, lenient());
    REQUIRE(got.errors.size() == 2);
    CHECK(wlfmt::message(got.errors[0], text) == "`ep::` has several colons, where a key has one");
    CHECK(got.errors[1].offset == text.find(" : ") + 1);
    CHECK(wlfmt::message(got.errors[1], text) == "pp: `:` is apart from its key");
    const auto alone = workload::read("DATA : 5\n0\n");
    CHECK(wlfmt::message(alone.error(), "DATA : 5\n0\n") == "`:` without a key");
}

TEST_CASE("a lenient reader reports every bad header entry once") {
    const std::string text = "DATA pp: x ep: ga: 2 : 5 pp_comm: 1e999\n0\n";
    const auto got = read_layers(text, lenient());
    REQUIRE(got.errors.size() == 4);
    CHECK(got.tolerated == 4);
    CHECK(got.errors[0].field == "pp");
    CHECK(got.errors[0].kind == error_kind::not_a_number);
    CHECK(got.errors[1].field == "ep");
    CHECK(got.errors[1].kind == error_kind::header_value);
    CHECK(got.errors[2].offset == text.find(" : ") + 1);
    CHECK(got.errors[3].field == "pp_comm");
    CHECK(got.errors[3].kind == error_kind::number_overflow);
    // Walking the header again reports nothing.
    std::size_t told = 0;
    wlfmt::options how = lenient();
    how.on_problem = [&](const wlfmt::problem&) { ++told; };
    const auto read = workload::read(text, how);
    CHECK(entries_of(read->header) == "pp:=x;ep:=;ga:=2;:=5;pp_comm:=1e999;");
    CHECK(read->header.entries.size() == 5);
    CHECK(told == 4);
}

TEST_CASE("values below 0 are read and warned of") {
    const std::string text =
        "DATA ep: -2 pp_comm: -1.5 checkpoints: 1 -1 seed: -3\n3\n"
        "x\t-5\t-1\tNONE\t-2\t3\tALLREDUCE\t4\t-0.5\tNONE\t-6\t-7\n"
        "y\t-1\t0\tNONE\t-0\t-0.0\tALLREDUCE\t0\t0\tNONE\t0\t0\n" +
        std::string(one_layer);
    const std::string_view fields[] = {
        "ep", "pp_comm", "forward.compute", "forward.bytes", "weight_grad.compute", "weight_grad.bytes", "update"};
    const std::string_view values[] = {"-2", "-1.5", "-1", "-2", "-0.5", "-6", "-7"};
    for (const bool tolerant : {false, true}) {
        wlfmt::options how;
        how.lenient = tolerant;
        const auto got = read_layers(text, how);
        CHECK(got.layers.size() == 3);
        CHECK(got.tolerated == 7);
        REQUIRE(got.errors.size() == 7);
        for (std::size_t n = 0; n != 7; ++n) {
            CHECK(got.errors[n].kind == error_kind::negative_value);
            CHECK(got.errors[n].field == fields[n]);
            CHECK(text.substr(got.errors[n].offset, got.errors[n].length) == values[n]);
        }
        CHECK(got.layers[0].forward.bytes == -2);
        CHECK(same(got.layers[0].weight_grad.compute, -0.5));
        CHECK(same(got.layers[0].update, -7));
        CHECK(got.layers[0].dependency == -5);
    }
    const auto read = workload::read(text);
    CHECK(read.ok());
    CHECK(same(read->header.expert_parallel(), -2));
    CHECK_FALSE(workload::problem_of(*read));
}

TEST_CASE("a first line that is no layer reserves nothing") {
    const std::string text = "DATA\n1000000\nx\n" + std::string(1 << 20, ' ');
    const std::size_t before = test::allocated_bytes();
    const auto read = workload::read(text);
    CHECK(test::allocated_bytes() - before < 1024);
    CHECK(read->layers.capacity() == 0);
    // A header reserves no room for more layers than the text can hold, as a layer has at least 24 bytes.
    const std::string lines = "DATA\n1000000\nx 1 1 N 0 1 N 0 1 N 0 1\n" + std::string(2400, '\n');
    CHECK(workload::read(lines).partial().layers.capacity() <= 102);
}

TEST_CASE("fewer layers than declared are an error, more are a warning") {
    struct outcome {
        error_kind error;
        std::size_t layers;
        std::vector<std::string> told;
    };
    const auto read = [](const std::string& text, bool is_lenient) {
        outcome all;
        wlfmt::options how;
        how.lenient = is_lenient;
        how.on_problem = [&](const wlfmt::problem& e) {
            all.told.push_back(std::string(name_of(e.kind)) + " " + std::to_string(e.found) + " of " +
                               std::to_string(e.expected) + " at " + std::to_string(e.offset));
        };
        const auto doc = workload::read(text, how);
        all.error = doc.error().kind;
        all.layers = doc->layers.size();
        // The pull reader says the same.
        workload::reader pulled(text, how);
        std::size_t layers = 0;
        while (pulled.next() != nullptr) ++layers;
        CHECK(layers == all.layers);
        CHECK(pulled.error().kind == all.error);
        CHECK(pulled.tolerated() * 2 == all.told.size());
        all.told.resize(all.told.size() / 2);
        return all;
    };
    const std::string one(one_layer);
    const std::vector<std::string> nothing;
    for (const bool is_lenient : {false, true}) {
        CAPTURE(is_lenient);
        const outcome same = read("DATA\n2\n" + one + one, is_lenient);
        CHECK(same.error == error_kind::none);
        CHECK(same.layers == 2);
        CHECK(same.told == nothing);
        const outcome more = read("DATA\n1\n" + one + one + one, is_lenient);
        CHECK(more.error == error_kind::none);
        CHECK(more.layers == 3);
        CHECK(more.told == std::vector<std::string>{"layer_count_mismatch 3 of 1 at 5"});
    }
    const outcome fewer = read("DATA\n3\n" + one + one, false);
    CHECK(fewer.error == error_kind::layer_count_mismatch);
    CHECK(fewer.layers == 2);
    CHECK(fewer.told == nothing);
    const outcome tolerated = read("DATA\n3\n" + one + one, true);
    CHECK(tolerated.error == error_kind::none);
    CHECK(tolerated.told == std::vector<std::string>{"layer_count_mismatch 2 of 3 at 5"});
    // Where other text follows the layers, the number is still judged.
    const outcome scribbled = read("DATA\n1\n" + one + "a note\n" + one, true);
    CHECK(scribbled.layers == 2);
    CHECK(scribbled.told.size() == 2);
}

TEST_CASE("a key with two colons and a colon apart from its key are named: they read as another entry") {
    const auto first_error = [](const std::string& header) {
        const std::string text = header + "\n1\n" + std::string(one_layer);
        const workload::reader file(text);
        CHECK(file.error().kind == error_kind::header_value);
        return text.substr(file.error().offset, file.error().length) + "|" + std::string(file.error().field);
    };
    CHECK(first_error("DATA ep:: 4") == "ep::|ep:");
    CHECK(first_error("DATA pp: 2 ep : 4") == ":|ep");
    CHECK(first_error("DATA seed : 4") == ":|seed");
    const std::string text = "DATA ep:: 4\n1\n" + std::string(one_layer);
    const auto kept = workload::read(text, test::lenient());
    CHECK(kept->header.expert_parallel().is_missing());
    CHECK(kept->header.find("ep:") == "4");
    CHECK(test::unchecked(kept->header) == "DATA ep:: 4\n1\n");
}

TEST_CASE("what a header lacks has a place: the end of the line") {
    const std::string text = "DATA pp: 2  \n1\n" + std::string(one_layer);
    const workload::header head = header_of(text);
    CHECK(where(head, "vpp").data() == text.data() + 10);
    CHECK(wlfmt::explain(wlfmt::at_place(where(head, "vpp")), wlfmt::with_message("no vpp"), text, wlfmt::in_file("f"))
              .substr(0, 22) == "f:1:11: error: no vpp\n");
    const std::string uncounted = "DATA pp: 2\n";
    workload::reader file(uncounted, test::lenient());
    CHECK(where(file.header(), "layer count").data() != nullptr);
}

TEST_CASE("a layer finds its fields by name") {
    const std::string text = "HYBRID_CUSTOMIZED\n1\nx\t-1\t2\tALLTOALL_EP\t4\t5\tNONE\t7\t8\tALLREDUCE\t10\t11\tDATA\n";
    workload::layer one = workload::read(text).partial().layers.at(0);
    CHECK(one.find("name") == "x");
    CHECK(one.find("dependency") == -1);
    CHECK(one.find("forward.compute") == 2);
    CHECK(one.find("forward.comm") == "ALLTOALL_EP");
    CHECK(one.find("input_grad.bytes") == 7);
    CHECK(one.find("weight_grad.bytes").text() == "10");
    CHECK(one.find("update") == 11);
    CHECK(one.find("policy") == "DATA");
    CHECK(one.find("further").is_missing());
    CHECK(one.find("forward.com").is_missing());
    one.weight_grad.bytes *= 2;
    CHECK(one.find("weight_grad.bytes") == 20);
    CHECK(one.find("weight_grad.bytes").text() == "20");
}

TEST_CASE("a decimal without a fraction converts to an integer") {
    const std::string text = test::data("workload/pp_comm_decimal.txt");
    const auto w = workload::read(text);
    CHECK(w->header.pipeline_bytes().as<int>() == 2621440);
    CHECK(w->header.dlrm_last_bottom_layer().as<int>() == std::nullopt);
    CHECK(w->header.find("pp_comm").as<int>() == 2621440);
}

TEST_CASE("any key of a header is found") {
    const std::string text = "HYBRID_DLRM 4 mode: training pp: 2 pp: 3\n1\n" + std::string(one_layer);
    const auto w = workload::read(text);
    const workload::header& head = w->header;
    CHECK(head.find("policy") == "HYBRID_DLRM");
    CHECK(head.find("layer count").as<int>() == 1);
    CHECK(head.find("mode") == "training");
    CHECK(head.find("pp").as<int>() == 2);
    CHECK(head.find("DLRM_LAST_BOTTOM_LAYER").as<int>() == 4);
    CHECK(head.find("ep").is_missing());
    CHECK(head.find("").is_missing());
    CHECK(workload::header().find("policy").is_missing());
    CHECK(workload::header().find("layer count").is_missing());
}

TEST_CASE("layers are found by name") {
    const std::string text = std::string("DATA\n3\n").append(one_layer) + "y 1 7 NONE 0 1 NONE 0 1 NONE 0 1\n" +
                             "y 2 8 NONE 0 1 NONE 0 1 NONE 0 1\n";
    auto doc = read_clean(text);
    REQUIRE(doc.find("y") != nullptr);
    CHECK(doc.find("y") == &doc.layers[1]);
    doc.find("y")->update = 9;
    const workload::document& same_one = doc;
    CHECK(same(same_one.find("y")->update, 9));
    CHECK(same_one.find("z") == nullptr);
}

TEST_CASE("range-for iterates over a reader") {
    const std::string text = std::string("DATA\n3\n").append(one_layer).append("y 1\n").append(one_layer);
    workload::reader file(text);
    std::size_t layers = 0;
    for (const workload::layer& one : file) layers += one.name == "x";
    CHECK(layers == 1);
    CHECK(file.error().kind == error_kind::field_count);
    CHECK(file.skip());
    for (const auto& one : file) layers += one.name == "x";
    CHECK(layers == 2);
    CHECK(file.ok());
}

TEST_CASE("lists are forward ranges whose iterators are default-constructible") {
    const workload::entry_list entries = workload::entry_list::from_text("pp: 2 ep: 4", "DATA");
    const workload::index_list list("2 5 6");
    const workload::words words(" a\tbc\r\n d ");
    CHECK(std::count_if(entries.begin(), entries.end(), [](const workload::entry& e) { return e.key == "ep"; }) == 1);
    CHECK(std::accumulate(list.begin(), list.end(), std::int64_t{0}) == 11);
    std::string all;
    for (const std::string_view w : words) all.append(w).append(",");
    CHECK(all == "a,bc,d,");
    CHECK(words.size() == 3);
    CHECK(workload::words().empty());
    CHECK(list.size() == 2);
    CHECK(workload::index_list().is_missing());
    const auto check = [](const auto& range) {
        using iterator = decltype(range.begin());
        CHECK(iterator() == range.end());
        CHECK(range.end() == test::end_of_walk());
        CHECK(test::end_of_walk() != range.begin());
        CHECK_FALSE(range.empty());
        iterator a = range.begin();
        const iterator b = a++;
        CHECK(b == range.begin());
        CHECK(a != b);
        while (a != test::end_of_walk()) ++a;
        CHECK(++a == range.end());
#if defined(__cpp_lib_ranges)
        static_assert(std::forward_iterator<iterator>);
        static_assert(std::ranges::forward_range<std::remove_reference_t<decltype(range)>>);
#endif
    };
    check(entries);
    check(list);
    check(words);
    check(workload::entry_list(std::vector<workload::entry>{{"a", "1"}, {"b", "2"}}));
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::input_range<workload::reader&>);
#endif
}

TEST_CASE("every enumerator has a name") {
    using workload::collective;
    using workload::group;
    CHECK(name_of(collective::none) == "none");
    CHECK(name_of(collective::allreduce) == "allreduce");
    CHECK(name_of(collective::allgather) == "allgather");
    CHECK(name_of(collective::reduce_scatter) == "reduce_scatter");
    CHECK(name_of(collective::all_to_all) == "all_to_all");
    CHECK(name_of(collective::all_to_all_v) == "all_to_all_v");
    CHECK(name_of(collective::allreduce_all_to_all) == "allreduce_all_to_all");
    CHECK(name_of(collective::broadcast) == "broadcast");
    CHECK(name_of(collective::other) == "other");
    CHECK(name_of(static_cast<collective>(99)) == "unknown");
    CHECK(name_of(group::by_phase) == "by_phase");
    CHECK(name_of(group::expert_parallel) == "expert_parallel");
    CHECK(name_of(group::data_parallel) == "data_parallel");
    CHECK(name_of(group::expert_data_parallel) == "expert_data_parallel");
    CHECK(name_of(static_cast<group>(99)) == "unknown");
    static_assert(workload::communication_of("ALLTOALLV_DP_EP").collective == collective::all_to_all_v);
}

TEST_CASE("a field is found where it is in the text") {
    const std::string text =
        "\n HYBRID_CUSTOMIZED pp:  2 checkpoints: 1  7 ep:\n\n 1 x\r\n"
        "  a\t-1 2 C 3  4 D 5 6 E 7.0 8 F \t\r\n" +
        std::string(100, '\n');
    const auto w = workload::read(text, lenient());
    REQUIRE(w->layers.size() == 1);
    const workload::layer& one = w->layers[0];
    const std::string_view names[] = {"name",
                                      "dependency",
                                      "forward.compute",
                                      "forward.comm",
                                      "forward.bytes",
                                      "input_grad.compute",
                                      "input_grad.comm",
                                      "input_grad.bytes",
                                      "weight_grad.compute",
                                      "weight_grad.comm",
                                      "weight_grad.bytes",
                                      "update",
                                      "policy"};
    const std::string_view fields[] = {"a", "-1", "2", "C", "3", "4", "D", "5", "6", "E", "7.0", "8", "F"};
    for (std::size_t n = 0; n != 13; ++n) {
        CAPTURE(names[n]);
        CHECK(where(one, names[n]) == fields[n]);
        CHECK(is_inside(where(one, names[n]), text));
    }
    CHECK(where(one, "a number as input_grad.comm") == "D");
    for (std::size_t n = 0; n != 13; ++n) {
        CHECK(where(one, static_cast<workload::field>(n)) == fields[n]);
        CHECK(name_of(static_cast<workload::field>(n)) == names[n]);
    }
    CHECK(where(one, workload::field::weight_grad_comm) == "E");
    CHECK(name_of(static_cast<workload::field>(13)) == "unknown");
    CHECK(is_missing(where(one, "further")));
    CHECK(is_missing(where(one, "target_model_sha256")));
    CHECK(is_missing(where(one, "color")));
    CHECK(is_missing(where(workload::layer(), "name")));
    CHECK(one.source == text.substr(text.find("a\t-1"), text.find("F ") + 1 - text.find("a\t-1")));

    const workload::header& head = w->header;
    CHECK(where(head, "policy") == "HYBRID_CUSTOMIZED");
    CHECK(where(head, "layer count") == "1");
    CHECK(where(head, "pp") == "2");
    CHECK(where(head, "checkpoints") == "1  7");
    CHECK(where(head, "ep").empty());
    CHECK(where(head, "ep").data() == text.data() + text.find("ep:") + 3);
    CHECK(where(head, "ga").empty());
    CHECK(where(head, "ga").data() == text.data() + text.find("ep:") + 3);
    CHECK(is_missing(where(workload::header(), "policy")));
    for (const std::string_view name : {"policy", "layer count", "pp", "checkpoints", "ep"})
        CHECK(is_inside(where(head, name), text));
    // A value that a program set is not in the text.
    workload::header changed = head;
    changed.policy = "DATA";
    changed.entries.edit()[0].value = "3";
    CHECK(where(changed, "pp") == "2");
    CHECK(where(changed, "policy") == "HYBRID_CUSTOMIZED");
    const std::string bare = "HYBRID_DLRM 4\n0\n";
    CHECK(where(header_of(bare), "DLRM_LAST_BOTTOM_LAYER") == "4");
    const std::string no_count = "DATA\nthree\n";
    CHECK(where(header_of(no_count), "layer count") == "three");
    CHECK(header_of(no_count).declared_layers.is_missing());
}

TEST_CASE("AICB's multi header layout and Python's None as a collective") {
    const std::string gap(24, ' ');
    const std::string text = "MICRO\tmodel_parallel_NPU_group: 8" + gap + "ep: 2" + gap + "pp: 1" + gap +
                             "vpp: 3\n1\nbroadcast\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNone\t4096\t1\n";
    const auto doc = read_clean(text);
    CHECK(doc.header.policy == "MICRO");
    CHECK(entries_of(doc.header) == "model_parallel_NPU_group:=8;ep:=2;pp:=1;vpp:=3;");
    CHECK(doc.layers[0].weight_grad.comm == "None");
    CHECK(workload::communication_of("None").collective == workload::collective::other);
    CHECK(test::checked(doc).substr(0, 58) == "MICRO model_parallel_NPU_group: 8 ep: 2 pp: 1 vpp: 3\n1\nbro");
}

namespace {

std::string sha(char digit) { return "sha256:" + std::string(64, digit); }

// A file of SimAI-Ascend: five texts in the header, repeated by each layer.
constexpr std::string_view target_keys[] = {"target_model_sha256", "target_step_sha256", "target_routing_sha256",
                                            "target_memory_event_plan_sha256", "target_workload_sha256"};
std::string target_header(std::string_view policy) {
    std::string text(policy);
    for (std::size_t n = 0; n != 5; ++n)
        text.append(" ").append(target_keys[n]).append(": ").append(sha(static_cast<char>('a' + n)));
    return text;
}
std::string target_fields(std::string_view digits) {
    std::string text;
    for (const char c : digits) text.append("\t").append(sha(c));
    return text;
}
constexpr std::string_view twelve = "x\t-1\t1\tALLTOALLV_DP_EP\t2\t3\tNONE\t0\t4\tNONE\t0\t5";

}  // namespace

TEST_CASE("SimAI-Ascend's layers of 17 and 18 fields") {
    for (const bool customized : {false, true}) {
        const std::string line = std::string(twelve).append(customized ? "\tDATA" : "") + target_fields("abcde") + "\n";
        // On the fast path, in the middle of a text, and on the other one, at its end.
        const std::string text =
            target_header(customized ? "HYBRID_CUSTOMIZED" : "DATA") + "\n3\n" + line + line + line;
        const auto doc = read_clean(text);
        REQUIRE(doc.layers.size() == 3);
        for (const workload::layer& one : doc.layers) {
            CHECK(one.policy == (customized ? "DATA" : ""));
            CHECK(is_missing(one.policy) == !customized);
            CHECK(one.source == line.substr(0, line.size() - 1));
            const workload::words words(one.further);
            CHECK(words.size() == 5);
            CHECK(*words.begin() == sha('a'));
            CHECK(where(one, "further") == one.further);
            CHECK(where(one, "policy").data() == one.policy.data());
            CHECK(where(one, "target_workload_sha256") == sha('e'));
            CHECK(workload::communication_of(one.forward.comm).collective == workload::collective::all_to_all_v);
        }
        CHECK(test::checked(doc) == text);
    }
}

TEST_CASE("a layer that does not repeat the sha256 texts of its header is reported") {
    const auto first_error = [](const std::string& header, const std::string& line, bool at_end) {
        const std::string text = header + "\n1\n" + line + "\n" + std::string(at_end ? 0 : 100, '\n');
        return workload::read(text).error();
    };
    for (const bool at_end : {false, true}) {
        const std::string bound = target_header("DATA");
        const std::string line(twelve);
        for (std::size_t n = 0; n != 5; ++n) {
            std::string digits = "abcde";
            digits[n] = '0';
            const wlfmt::problem e = first_error(bound, line + target_fields(digits), at_end);
            CHECK(e.kind == error_kind::header_mismatch);
            CHECK(e.field == target_keys[n]);
            CHECK(e.length == 71);
            CHECK(e.offset == bound.size() + 3 + twelve.size() + 1 + 72 * n);
        }
        // The header has no sha256 text; a layer has no such text, or a bad one.
        CHECK(first_error("DATA", line + target_fields("abcde"), at_end).kind == error_kind::header_mismatch);
        CHECK(first_error("DATA", line + target_fields("abcde"), at_end).field == "target_model_sha256");
        CHECK(first_error(bound, line, at_end).kind == error_kind::field_count);
        CHECK(first_error(bound, line, at_end).expected == 17);
        CHECK(first_error(bound, line + target_fields("abcdZ"), at_end).kind == error_kind::header_mismatch);
        CHECK(first_error(bound, line + target_fields("abcdZ"), at_end).field == "target_workload_sha256");
        CHECK(first_error(bound, line + "\tDATA" + target_fields("abcde"), at_end).kind == error_kind::field_count);
        // Some of the five are missing.
        const std::string four = bound.substr(0, bound.find(" target_step")) + bound.substr(bound.find(" target_rou"));
        CHECK(first_error(four, line, at_end).kind == error_kind::header_value);
        CHECK(first_error(four, line, at_end).field == "target_step_sha256");
        // Other lines of 17 fields are of other formats.
        const wlfmt::problem other = first_error("DATA", line + target_fields("abcdZ"), at_end);
        CHECK(other.kind == error_kind::related_format);
        CHECK(other.field == "17 fields, the last five of which are not all `sha256:` and 64 digits");
        CHECK(first_error("DATA", line + " 1 2 3 4 5", at_end).field ==
              "roofline or multi-collective layers (17 fields)");
    }
    // A lenient reader keeps them and reports each one.
    const std::string text = target_header("DATA") + "\n1\n" + std::string(twelve) + target_fields("0bcd1") + "\n";
    const auto got = read_layers(text, lenient());
    REQUIRE(got.errors.size() == 2);
    CHECK(got.errors[0].field == "target_model_sha256");
    CHECK(got.errors[1].field == "target_workload_sha256");
    CHECK(wlfmt::message(got.errors[0], text).find("differs from the header's target_model_sha256") !=
          std::string::npos);
    REQUIRE(got.layers.size() == 1);
    CHECK(workload::words(got.layers[0].further).size() == 5);
    const auto doc = workload::read(text, lenient());
    CHECK(workload::problem_of(*doc).field == "target_model_sha256");
    // A malformed one is located at its place in the text.
    const std::string bad = target_header("DATA") + "\n1\n" + std::string(twelve) + target_fields("ab?de") + "\n";
    const auto malformed = workload::read(bad, lenient());
    REQUIRE(malformed->layers.size() == 1);
    CHECK(where(malformed->layers[0], "further") == malformed->layers[0].further);
    CHECK(where(malformed->layers[0], "target_routing_sha256") == sha('?'));
    CHECK(is_missing(where(malformed->layers[0], "policy")));
    // The first layer is read where the number of layers is missing, too.
    const std::string no_count = target_header("DATA") + "\n" + std::string(twelve) + target_fields("abcde") + "\n";
    CHECK(workload::read(no_count).error().kind == error_kind::missing_layer_count);
    CHECK(read_layers(no_count).layers.size() == 1);
}

TEST_CASE("each problem of a header is reported where it is, and what can be read is kept") {
    const auto read = [](const std::string& text) {
        std::vector<wlfmt::problem> found;
        wlfmt::options how;
        how.lenient = true;
        how.on_problem = [&](const wlfmt::problem& e) { found.push_back(e); };
        const auto got = wlfmt::workload::read(text, how);
        std::string all;
        for (const wlfmt::problem& e : found) all.append(name_of(e.kind)).append("@" + std::to_string(e.offset) + " ");
        return all + std::to_string(got->layers.size());
    };
    const std::string layer = "conv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 65536 5";
    // A colon in place of a key, and one apart from its key.
    CHECK(read("DATA : : 4\n0\n") == "header_value@5 header_value@7 0");
    CHECK(read("DATA ep : 4\n0\n") == "header_value@8 0");
    // What follows a word in place of the number of layers.
    CHECK(read("DATA\nx 5 6\n" + layer + "\n") == "not_an_integer@5 text_after_count@7 1");
    // A target that is none, in the header and in the layers.
    std::string header = "DATA";
    std::string targets;
    for (const std::string key : {"model", "step", "routing", "memory_event_plan", "workload"}) {
        const std::string value = key == "step" ? "sha256:x" : "sha256:" + std::string(64, key[0] == 'w' ? 'f' : 'a');
        header += " target_" + key + "_sha256: " + value;
        targets += " " + value;
    }
    const std::string at = std::to_string(header.find("sha256:x"));
    CHECK(read(header + "\n1\n" + layer + targets + "\n") == "header_value@" + at + " 1");
    const std::string other = header + "\n1\n" + layer + targets;
    CHECK(read(other + "1\n") == "header_value@" + at + " header_mismatch@" + std::to_string(other.size() - 71) + " 1");
}
