// lint.hpp: what is well-formed but makes no sense to a simulator.
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/error.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

namespace {

// `kind field place: message` of everything that is found in a workload file.
std::vector<std::string> found_in_workload(const std::string& text) {
    std::vector<std::string> all;
    const auto keep = [&](const wlfmt::problem& e) {
        all.push_back(std::string(name_of(e.kind)) + " " + text.substr(e.offset, e.length) + ": " +
                      wlfmt::message(e, text));
    };
    const auto file = wlfmt::workload::read(text);
    REQUIRE(file.ok());
    wlfmt::lint::examine(file->header, static_cast<std::int64_t>(file->layers.size()), text, keep);
    for (const auto& layer : file->layers) wlfmt::lint::examine(layer, text, keep);
    return all;
}
std::vector<std::string> found_in_log(const std::string& text) {
    std::vector<std::string> all;
    wlfmt::oplog::reader log(text);
    while (const auto* op = log.next())
        wlfmt::lint::examine(*op, text, [&](const wlfmt::problem& e) {
            all.push_back(std::string(name_of(e.kind)) + " " + std::to_string(e.offset) + " " +
                          text.substr(e.offset, e.length) + ": " + wlfmt::message(e, text));
        });
    CHECK(log.ok());
    return all;
}
using lines = std::vector<std::string>;

std::string layer(std::string_view forward, std::string_view input_grad, std::string_view weight_grad) {
    return "DATA\n1\na -1 1 " + std::string(forward) + " 1 " + std::string(input_grad) + " 1 " +
           std::string(weight_grad) + " 1\n";
}

}  // namespace

TEST_CASE("a policy that no simulator knows, with the nearest one that they know") {
    const auto found = [](const std::string& policy) {
        const lines all = found_in_workload(policy + "\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n");
        return all.empty() ? "" : all[0];
    };
    const std::string unknown = "` is not a policy that any simulator knows";
    CHECK(found("HYBRID_TRANSFROMER") ==
          "unknown_policy HYBRID_TRANSFROMER: policy: `HYBRID_TRANSFROMER" + unknown + "; HYBRID_TRANSFORMER?");
    CHECK(found("DTAA") == "unknown_policy DTAA: policy: `DTAA" + unknown + "; DATA?");
    CHECK(found("hybrid") == "unknown_policy hybrid: policy: `hybrid" + unknown);
    // Those of ASTRA-sim, SimAI and Chakra, and those of forks.
    for (const std::string policy :
         {"MICRO", "DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_TRANSFORMER",
          "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "DISTRIBUTED_INFERENCE", "HYBRID", "DATA_NO_OVERLAP", "DATA_REORDER",
          "COLOCATED", "DATA_FORWARD_OVERLAP", "HYBRID_TENSOR_PIPELINE", "ORCA", "TENSOR", "PIPELINE",
          "HYBRID_TRANSFORMER_MoE_TEST"})
        CHECK_MESSAGE(found(policy) == "", policy);
    CHECK(found("HYBRID_DLRM 4") == "");
    // A layer's own.
    const lines own = found_in_workload(
        "HYBRID_CUSTOMIZED\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MODEL\n"
        "b -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MODLE\n");
    CHECK(own == lines{"unknown_policy MODLE: policy: `MODLE" + unknown + "; MODEL?"});
}

TEST_CASE("the nearest word is the one with the fewest edits, of which a swap is one") {
    const auto nearest = [](std::string_view wrong, std::initializer_list<std::string_view> words) {
        wlfmt::nearest_word near(wrong);
        for (const std::string_view word : words) near.offer(word);
        return std::string(near.found()) + " " + std::to_string(near.number());
    };
    CHECK(nearest("forwrad", {"backward", "forward"}) == "forward 2");  // one swap
    CHECK(nearest("forwrad", {"forwdar", "forward"}) == "forward 2");   // two letters changed, one swap
    CHECK(nearest("abcdef", {"abxyef", "abcxyz"}) == "abxyef 1");       // two and three
    CHECK(nearest("abcdef", {"uvwxyz", "abc"}) == " 0");                // more than a third
    CHECK(nearest("abc", {"abd", "abcd"}) == "abd 1");  // both are one letter away: the first one counts
    CHECK(nearest("ab", {"ac"}) == " 0");
    CHECK(nearest("sched", {"schedule", "shed"}) == "schedule 1");  // it goes on where the wrong one ends
    CHECK(nearest("", {"a", ""}) == " 2");
    const std::string long_word(100, 'x');
    CHECK(nearest(long_word, {std::string_view(long_word).substr(1)}) == " 0");
    CHECK(nearest(std::string(200, 'x'), {"allreduce"}) == " 0");
    CHECK(nearest(std::string_view(long_word).substr(0, 40), {std::string_view(long_word).substr(0, 39)}) ==
          std::string(39, 'x') + " 1");
}

TEST_CASE("a collective that no simulator knows, with the nearest one that they know") {
    CHECK(found_in_workload(layer("ALLREDUC 5", "ALL_GATHER 6", "NONE 0")) ==
          lines{"unknown_collective ALLREDUC: forward.comm: `ALLREDUC` is not a collective that any simulator knows; "
                "ALLREDUCE?",
                "unknown_collective ALL_GATHER: input_grad.comm: `ALL_GATHER` is not a collective that any simulator "
                "knows; "
                "ALLGATHER?"});
    CHECK(
        found_in_workload(layer("ALLTOALL_DPEP 5", "REDUCE_SCATTER_EP 6", "None 0")) ==
        lines{"unknown_collective ALLTOALL_DPEP: forward.comm: `ALLTOALL_DPEP` is not a collective that any simulator "
              "knows; ALLTOALL_DP_EP?",
              "unknown_collective REDUCE_SCATTER_EP: input_grad.comm: `REDUCE_SCATTER_EP` is not a collective that any "
              "simulator knows; REDUCESCATTER_EP?",
              "unknown_collective None: weight_grad.comm: `None` is not a collective that any simulator knows"});
    // What comes before a known one counts as much as what comes after it.
    CHECK(
        found_in_workload(layer("ZZZZZZZZZALLREDUCE 5", "ALLREDUCEZZZZZZZZZ 6", "NONE 0")) ==
        lines{"unknown_collective ZZZZZZZZZALLREDUCE: forward.comm: `ZZZZZZZZZALLREDUCE` is not a collective that any "
              "simulator knows",
              "unknown_collective ALLREDUCEZZZZZZZZZ: input_grad.comm: `ALLREDUCEZZZZZZZZZ` is not a collective that "
              "any simulator knows"});
    // Names that are far from all known ones, and longer than all.
    CHECK(found_in_workload(layer("SEND 5", std::string(100, 'A') + " 6", "NONE 0")).size() == 2);
    CHECK(found_in_workload(layer("SEND 5", "NONE 0", "NONE 0")) ==
          lines{"unknown_collective SEND: forward.comm: `SEND` is not a collective that any simulator knows"});
}

TEST_CASE("every collective that is known, with every suffix, is fine") {
    for (const std::string name :
         {"ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "ALLTOALLV", "BROADCAST", "ALLREDUCEALLTOALL"})
        for (const std::string suffix : {"", "_EP", "_DP", "_DP_EP"})
            CHECK(found_in_workload(layer(name + suffix + " 7", "NONE 0", "NONE 0")).empty());
}

TEST_CASE("a collective of no bytes, and bytes without a collective") {
    CHECK(found_in_workload(layer("NONE 4096", "ALLREDUCE 0", "ALLGATHER_DP_EP 0")) ==
          lines{"bytes_without_collective 4096: forward.bytes: `4096` bytes and no collective that moves them",
                "empty_collective ALLREDUCE: input_grad.comm: `ALLREDUCE` of 0 bytes",
                "empty_collective ALLGATHER_DP_EP: weight_grad.comm: `ALLGATHER_DP_EP` of 0 bytes"});
}

TEST_CASE("sizes that do not divide the ranks, a pipeline without pp_comm, checkpoints beyond the layers") {
    CHECK(
        found_in_workload("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 3 pp: 2 vpp: 1 ga: 1 all_gpus: 8 "
                          "checkpoints: 3 0 1 -1 checkpoint_initiates: 2 2 0\n2\n"
                          "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\nb -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n") ==
        lines{"not_divisible 8: all_gpus: 8 ranks are not a multiple of 6 = model_parallel_NPU_group * pp",
              "pipeline_mismatch 2: pp: 2 stages, and pp_comm gives no bytes between them",
              "checkpoint_range -1: checkpoints: layer -1 of 2, counted from 0",
              "checkpoint_range 2: checkpoint_initiates: layer 2 of 2, counted from 0"});
    // A text that was cut off holds fewer layers than it counts.
    const std::string cut = "DATA checkpoints: 2 1 3\n3\n";
    const auto read = wlfmt::workload::read(cut);
    lines found;
    wlfmt::lint::examine(read->header, 1, cut,
                         [&](const wlfmt::problem& e) { found.push_back(wlfmt::message(e, cut)); });
    CHECK(found == lines{"checkpoints: layer 3 of 3, counted from 0"});
    // The reader accepts fractions, and reports words and numbers below 0 itself.
    CHECK(found_in_workload(
              "HYBRID_TRANSFORMER model_parallel_NPU_group: 1.5 pp: 2 vpp: 1 ga: 0 all_gpus: 8 pp_comm: -1\n0\n") ==
          lines{"not_an_integer 1.5: model_parallel_NPU_group: `1.5` where an integer is expected",
                "size_below_one 0: ga: `0` where a size of at least 1 is expected"});
    // ASTRA-sim 1.0 has no all_gpus.
    CHECK(found_in_workload("HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n0\n").empty());
}

TEST_CASE("a size that SimAI divides by is missing") {
    const std::string with =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 1 all_gpus: 8 pp_comm: "
        "64\n0\n";
    CHECK(found_in_workload(with).empty());
    const std::string without =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 ga: 1 all_gpus: 8 pp_comm: 64\n0\n";
    CHECK(found_in_workload(without) == lines{"simulator_limit : vpp: no `ga` or no `vpp`; SimAI: it divides by their "
                                              "product: its total time is NaN"});
    const auto file = wlfmt::workload::read(without);
    wlfmt::lint::examine(file->header, 0, without,
                         [&](const wlfmt::problem& e) { CHECK(e.offset == without.find('\n')); });
    // Files for ASTRA-sim 1.0 have no such entry.
    CHECK(found_in_workload("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 pp_comm: 8\n0\n").empty());
    CHECK(found_in_workload("DATA all_gpus: 8\n0\n").empty());
}

TEST_CASE("what SimAI cannot take") {
    const auto names = [](const std::string& header, const std::string& compute = "1") {
        const std::string text =
            "HYBRID_TRANSFORMER " + header + "\n1\na -1 " + compute + " NONE 0 1 NONE 0 1 NONE 0 1\n";
        const auto file = wlfmt::workload::read(text);
        REQUIRE(file.ok());
        lines all;
        const auto keep = [&](const wlfmt::problem& e) {
            const auto* const limit = wlfmt::lint::limit_of(e);
            REQUIRE(limit != nullptr);
            all.push_back(std::string(e.field) + " " + std::string(limit->name));
        };
        wlfmt::lint::examine(file->header, 1, text, keep);
        wlfmt::lint::examine(file->layers[0], *wlfmt::parallelism::sizes_of(file->header, text), text, keep);
        return all;
    };
    const std::string whole = "model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8";
    const auto without = [&](const std::string& entry) {
        std::string header = whole;
        return header.erase(header.find(entry), entry.size());
    };
    CHECK(names(whole).empty());
    CHECK(names(without("vpp: 1 ")) == lines{"vpp no_pipeline_divisor"});
    CHECK(names(without("ga: 1 ")) == lines{"ga no_pipeline_divisor"});
    CHECK(names(without("pp: 1 ")) == lines{"pp no_sizes"});
    CHECK(names(without("model_parallel_NPU_group: 2 ")) == lines{"model_parallel_NPU_group no_sizes"});
    CHECK(names("model_parallel_NPU_group: 1 ep: 4 pp: 1 vpp: 1 ga: 1 all_gpus: 8") == lines{"ep no_expert_groups"});
    CHECK(names("model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 1 all_gpus: 8 pp_comm: 2147483648") ==
          lines{"pp_comm large_messages"});
    CHECK(names("model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 1 all_gpus: 8 pp_comm: 2147483647").empty());
    CHECK(names(whole, "2147483647") == lines{"forward.compute long_computation"});
    CHECK(names(whole, "2147483646").empty());
}

TEST_CASE("an all-reduce of fewer bytes than its group has ranks") {
    // Tensor parallel groups have 2 ranks, data parallel ones 4.
    const std::string head =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8\n1\n";
    const auto found = [&](const std::string& layer) {
        const std::string text = head + layer;
        const auto file = wlfmt::workload::read(text);
        REQUIRE(file.ok());
        const auto sizes = wlfmt::parallelism::sizes_of(file->header, text);
        REQUIRE(sizes->known());
        lines all;
        wlfmt::lint::examine(file->layers[0], *sizes, text, [&](const wlfmt::problem& e) {
            all.push_back(text.substr(e.offset, e.length) + ": " + wlfmt::message(e, text));
        });
        return all;
    };
    CHECK(found("a -1 1 ALLREDUCE 2 1 ALLREDUCE 1 1 ALLREDUCE 4 1\n") ==
          lines{"1: input_grad.bytes: `1` bytes, fewer than the 2 ranks of the group"});
    CHECK(found("a -1 1 ALLREDUCE 1 1 ALLGATHER 1 1 ALLREDUCE 3 1\n") ==
          lines{"1: forward.bytes: `1` bytes, fewer than the 2 ranks of the group",
                "3: weight_grad.bytes: `3` bytes, fewer than the 4 ranks of the group"});
    // 0 bytes are a problem of another kind, and what is wrong with the layer by itself is reported, too.
    CHECK(found("a -1 1 ALLREDUCE 0 1 NONE 5 1 NONE 0 1\n").size() == 2);
}

TEST_CASE("durations and timestamps that cannot be") {
    CHECK(found_in_log("rank:0:f(duration=-2.5,timestamp=100.0,sub_operations=[])\n") ==
          lines{"ends_before_beginning 18 -2.5: duration: `-2.5` ms: it ends before it begins"});
    const std::string text =
        "rank:0:f(duration=8.0,timestamp=100.0,sub_operations=['duration=8.02,timestamp=99.0', "
        "'duration=8.03,timestamp=100.0', 'duration=-1,timestamp=95.0', 'duration=1.0,timestamp=91.97', "
        "'duration=1.0,timestamp=0', 'free text'])\n";
    CHECK(found_in_log(text) ==
          lines{"nested_too_long " + std::to_string(text.find("8.03")) +
                    " 8.03: duration: `8.03` ms, longer than the operation that it is in",
                "ends_before_beginning " + std::to_string(text.find("-1,")) +
                    " -1: duration: `-1` ms: it ends before it begins",
                "ends_before_beginning " + std::to_string(text.find("91.97")) +
                    " 91.97: timestamp: `91.97`: it ends before the operation that it is in begins"});
    // Times that were not measured are not compared.
    CHECK(found_in_log("rank:0:f(duration=None,timestamp=0,sub_operations=['duration=5.0,timestamp=1.0'])\n").empty());
}

TEST_CASE("nothing is wrong with the samples of op logs, and with the sample of a moe workload") {
    for (const auto name : test::oplog_samples) CHECK(found_in_log(test::data(name)).empty());
    const std::string moe = test::data("workload_moe_128gpus.txt");
    const auto file = wlfmt::workload::read(moe);
    std::size_t count = 0;
    const auto add = [&](const wlfmt::problem&) { ++count; };
    wlfmt::lint::examine(file->header, static_cast<std::int64_t>(file->layers.size()), moe, add);
    for (const auto& layer : file->layers) wlfmt::lint::examine(layer, moe, add);
    CHECK(count == 0);
}

TEST_CASE("a record that was built by hand has no place") {
    wlfmt::workload::layer one;
    one.forward.comm = "ALLREDUC";
    wlfmt::lint::examine(one, "", [](const wlfmt::problem& e) {
        CHECK(e.kind == wlfmt::error_kind::unknown_collective);
        CHECK(e.offset == 0);
        CHECK(e.length == 0);
    });
}
