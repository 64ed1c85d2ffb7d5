// chakra.hpp: the traces of workloads and of op logs, node by node.
#include "into.hpp"
#include "support.hpp"

#if __has_include(<protozero/pbf_writer.hpp>) && defined(__cpp_exceptions)
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/wlfmt.hpp>
#include "analysis/chakra/chakra.hpp"

#include <deque>

#include "chakra_support.hpp"

namespace {

using wlfmt::error_kind;
using lines = std::vector<std::string>;

// Traces show the text that they were made from: each is kept.
wlfmt::analysis::chakra::traces traces_of(const std::string& of, const wlfmt::analysis::chakra::options& how = {}) {
    static std::deque<std::string> texts;
    const std::string& text = texts.emplace_back(of);
    const auto file = wlfmt::workload::read(text);
    REQUIRE(file.ok());
    const auto all = wlfmt::analysis::chakra::traces_of(*file, text, how);
    REQUIRE_MESSAGE(all.ok(), wlfmt::explain(all.error(), text, wlfmt::in_file("workload")));
    return *all;
}
template <class Traces> std::string trace(const Traces& all, std::int64_t rank) {
    std::string out;
    CHECK_FALSE(wlfmt::analysis::chakra::write(test::into(out), all, rank));
    return out;
}
// The nodes, without the metadata.
lines nodes(const wlfmt::analysis::chakra::traces& all, std::int64_t rank) {
    lines got = test::decoded(trace(all, rank));
    REQUIRE(!got.empty());
    CHECK(got[0] == "metadata schema='1.0.2-chakra.1.0.0'");
    got.erase(got.begin());
    return got;
}
template <class All> std::string groups(const All& all) {
    std::string out;
    CHECK_FALSE(wlfmt::analysis::chakra::write_groups(test::into(out), all));
    return out;
}

// The attributes that every node of a kind has, as nodes() shows them.
std::string computed(std::int64_t ns) {
    const std::int64_t micros = (ns + 500) / 1000;
    return (micros == 0 ? "" : " for " + std::to_string(micros) + "us") +
           std::string(" is_cpu_op=false num_ops=int64:") + std::to_string(ns) + " tensor_size=uint64:1";
}
std::string communicated(int type, std::int64_t bytes, int group) {
    return " is_cpu_op=false comm_type=int64:" + std::to_string(type) + " comm_size=int64:" + std::to_string(bytes) +
           " comm_priority=int32:0 pg_name='" + std::to_string(group) + "'";
}
std::string moved(std::int64_t bytes, int from, int to, int tag) {
    return " is_cpu_op=false comm_size=int64:" + std::to_string(bytes) + " comm_src=int32:" + std::to_string(from) +
           " comm_dst=int32:" + std::to_string(to) + " comm_tag=int32:" + std::to_string(tag);
}
constexpr int all_reduce = 0;
constexpr int all_gather = 2;
constexpr int broadcast = 5;
constexpr int all_to_all = 6;
constexpr int reduce_scatter = 7;

// Three layers on four ranks, two of them to a tensor parallel group.
const std::string three_layers =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 "
    "checkpoints: 1 0 checkpoint_initiates: 1 2 pp_comm: 0\n3\n"
    "a -1 1000 ALLREDUCE 64 2000 NONE 0 3000 ALLGATHER 97 100\n"
    "b -1 4000 NONE 0 5400 REDUCESCATTER 32 0 NONE 0 100\n"
    "c -1 6000 ALLTOALL 128 7000 ALLREDUCE 0 8000 NONE 0 0\n";

wlfmt::problem refused(const std::string& text, const wlfmt::analysis::chakra::options& how = {}) {
    wlfmt::options lenient;
    lenient.lenient = true;
    const auto file = wlfmt::workload::read(text, lenient);
    const auto all = wlfmt::analysis::chakra::traces_of(*file, text, how);
    CHECK_FALSE(all.ok());
    CHECK(all.partial().ranks() == 0);
    return all.error();
}
// The kind, and the bytes that it is about.
std::string refusal(const std::string& text, const wlfmt::analysis::chakra::options& how = {}) {
    const wlfmt::problem e = refused(text, how);
    return std::string(name_of(e.kind)) + " " + std::string(e.field) + " " +
           text.substr(static_cast<std::size_t>(e.offset), static_cast<std::size_t>(e.length));
}
std::string one_layer(std::string_view header, std::string_view fields) {
    return std::string(header) + "\n1\n" + std::string(fields) + "\n";
}

// doctest shows a list as {?}.
void check_same(const lines& got, const lines& expected) {
    for (std::size_t n = 0; n != (std::min)(got.size(), expected.size()); ++n) CHECK(got[n] == expected[n]);
    CHECK(got.size() == expected.size());
}

}  // namespace

TEST_CASE("the policies of Chakra's converter: the same bytes") {
    // Written by text_converter.py of mlcommons/chakra 21585d8f with one rank and two passes.
    for (const std::string name : {"micro", "data", "model", "hybrid_data_model", "hybrid_model_data", "hybrid_dlrm"}) {
        const std::string text = test::data("chakra/" + name + ".txt");
        wlfmt::analysis::chakra::options how;
        how.tick = 1000;
        how.passes = 2;
        how.ranks = 3;
        how.input = text;
        const auto all = traces_of(text, how);
        CHECK(all.ranks() == 3);
        const std::string expected = test::data("chakra/" + name + ".et");
        CHECK_MESSAGE(test::decoded(trace(all, 0)) == test::decoded(expected), name);
        const bool same = trace(all, 0) == expected;
        CHECK_MESSAGE(same, name);
        CHECK(trace(all, 2) == expected);
        CHECK(groups(all) == "{\n}\n");
    }
}

TEST_CASE("a phase without communication makes no node, and what would wait for it waits for what is before it") {
    wlfmt::analysis::chakra::options how;
    how.tick = 1000;
    how.ranks = 1;
    how.passes = 2;
    const std::string text =
        "HYBRID_DATA_MODEL\n2\na -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 8 9\nb -1 4 ALLGATHER 0 5 NONE 0 6 NONE 0 9\n";
    check_same(nodes(traces_of(text, how), 0),
               lines{"0 COMP COMP_NODE_a_FWD for 1us", "1 COMP COMP_NODE_b_FWD after 0 for 4us",
                     "2 COMP COMP_NODE_b_BWD_IG after 1 for 5us", "3 COMP COMP_NODE_b_BWD_WG after 2 for 6us",
                     "4 COMP COMP_NODE_a_BWD_IG after 3 for 2us", "5 COMP COMP_NODE_a_BWD_WG after 4 for 3us",
                     "6 COLL COMM_COLL_NODE_a_ALLREDUCE after 5 comm_type=int64:0 comm_size=int64:8",
                     "7 COMP COMP_NODE_a_FWD after 6 for 1us", "8 COMP COMP_NODE_b_FWD after 3 7 for 4us",
                     "9 COMP COMP_NODE_b_BWD_IG after 8 for 5us", "10 COMP COMP_NODE_b_BWD_WG after 9 for 6us",
                     "11 COMP COMP_NODE_a_BWD_IG after 10 for 2us", "12 COMP COMP_NODE_a_BWD_WG after 11 for 3us",
                     "13 COLL COMM_COLL_NODE_a_ALLREDUCE after 12 comm_type=int64:0 comm_size=int64:8"});
}

TEST_CASE("without a last bottom layer nothing waits for the all-to-all of the first layer") {
    wlfmt::analysis::chakra::options how;
    how.tick = 1000;
    how.ranks = 2;
    const std::string layers = "\n2\na -1 1 ALLTOALL 8 2 NONE 0 3 NONE 0 9\nb -1 4 NONE 0 5 NONE 0 6 NONE 0 9\n";
    for (const std::string_view last : {"9223372036854775807", "2", "-1", "-9223372036854775808"})
        check_same(nodes(traces_of("HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: " + std::string(last) + layers, how), 0),
                   lines{"0 COMP COMP_NODE_a_FWD for 1us",
                         "1 COLL COMM_COLL_NODE_a_ALLTOALL after 0 comm_type=int64:6 comm_size=int64:8",
                         "2 COMP COMP_NODE_b_FWD after 0 for 4us", "3 COMP COMP_NODE_b_BWD_WG after 2 for 6us",
                         "4 COMP COMP_NODE_b_BWD_IG after 3 for 5us", "5 COMP COMP_NODE_a_BWD_WG after 4 for 3us"});
}

TEST_CASE("three layers on four ranks, node by node") {
    const auto all = traces_of(three_layers);
    REQUIRE(all.ranks() == 4);
    const auto of_rank = [](int tensor, int data) {
        return lines{
            "0 COMP COMP_NODE_a_FWD" + computed(1000),
            "1 COLL COMM_COLL_NODE_a_FWD_ALLREDUCE after 0" + communicated(all_reduce, 64, tensor),
            "2 COMP COMP_NODE_a_FWD_UPDATE after 1" + computed(100), "3 COMP COMP_NODE_b_FWD after 2" + computed(4000),
            "4 COMP COMP_NODE_c_FWD after 3" + computed(6000),
            "5 COLL COMM_COLL_NODE_c_FWD_ALLTOALL after 4" + communicated(all_to_all, 128, tensor),
            // Layer 2 begins the recomputation of all layers from the checkpoint, layer 0.
            "6 COMP COMP_NODE_a_FWD_IN_BCKWD after 5" + computed(1000),
            "7 COLL COMM_COLL_NODE_a_FWD_IN_BCKWD_ALLREDUCE after 6" + communicated(all_reduce, 64, tensor),
            "8 COMP COMP_NODE_a_FWD_IN_BCKWD_UPDATE after 7" + computed(100),
            "9 COMP COMP_NODE_b_FWD_IN_BCKWD after 8" + computed(4000),
            "10 COMP COMP_NODE_c_BWD_IG after 9" + computed(7000),
            "11 COMP COMP_NODE_c_BWD_WG after 10" + computed(8000),
            "12 COMP COMP_NODE_b_BWD_IG after 11" + computed(5400),
            "13 COLL COMM_COLL_NODE_b_BWD_IG_REDUCESCATTER after 12" + communicated(reduce_scatter, 32, tensor),
            "14 COMP COMP_NODE_b_BWD_IG_UPDATE after 13" + computed(100),
            "15 COMP COMP_NODE_a_BWD_IG after 14" + computed(2000),
            "16 COMP COMP_NODE_a_BWD_WG after 15" + computed(3000),
            // 97 bytes of two ranks: 49 of each.
            "17 COLL COMM_COLL_NODE_a_BWD_WG_ALLGATHER after 16" + communicated(all_gather, 49, data),
            "18 COMP COMP_NODE_a_BWD_WG_UPDATE after 17" + computed(100)};
    };
    check_same(nodes(all, 0), of_rank(1, 3));
    check_same(nodes(all, 1), of_rank(1, 4));
    check_same(nodes(all, 2), of_rank(2, 3));
    check_same(nodes(all, 3), of_rank(2, 4));
    CHECK(groups(all) == "{\n\"1\":[0,1],\n\"2\":[2,3],\n\"3\":[0,2],\n\"4\":[1,3]\n}\n");
    CHECK(trace(all, 4).empty());
    CHECK(trace(all, -1).empty());
}

TEST_CASE("the next pass waits for the weight gradients of each layer") {
    wlfmt::analysis::chakra::options how;
    how.passes = 3;
    const lines got = nodes(traces_of(three_layers, how), 0);
    REQUIRE(got.size() == 57);
    CHECK(got[19] == "19 COMP COMP_NODE_a_FWD after 16 18" + computed(1000));
    CHECK(got[22] == "22 COMP COMP_NODE_b_FWD after 21" + computed(4000));
    CHECK(got[38] == "38 COMP COMP_NODE_a_FWD after 35 37" + computed(1000));
}

TEST_CASE("HYBRID_TRANSFORMER takes no notice of checkpoints") {
    std::string text = three_layers;
    text.erase(text.find("_FWD_IN"), 13);
    REQUIRE(text.substr(0, 19) == "HYBRID_TRANSFORMER ");
    const lines got = nodes(traces_of(text), 0);
    CHECK(got.size() == 15);
    CHECK(got[6] == "6 COMP COMP_NODE_c_BWD_IG after 5" + computed(7000));
}

TEST_CASE("two micro-batches through two stages, message by message") {
    const std::string text =
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 4 pp_comm: 4096\n3\n"
        "sync -1 0 NONE 0 0 NONE 0 10 ALLREDUCE 64 0\n"
        "block -1 2000 NONE 0 3000 NONE 0 0 NONE 0 0\n"
        "block -1 4000 NONE 0 5000 NONE 0 0 NONE 0 0\n";
    wlfmt::analysis::chakra::options how;
    how.micro_batch = "block";
    const auto all = traces_of(text, how);
    // Ranks 0 and 1 are the first stage, 2 and 3 the second one.
    check_same(
        nodes(all, 1),
        lines{"0 COMP COMP_NODE_block_FWD" + computed(2000), "1 SEND COMM_SEND_NODE_FWD after 0" + moved(4096, 1, 3, 0),
              "2 COMP COMP_NODE_block_FWD after 0" + computed(4000),
              "3 SEND COMM_SEND_NODE_FWD after 2" + moved(4096, 1, 3, 2),
              "4 RECV COMM_RECV_NODE_BWD after 2" + moved(4096, 3, 1, 3),
              "5 COMP COMP_NODE_block_BWD_IG after 4" + computed(5000),
              "6 RECV COMM_RECV_NODE_BWD after 5" + moved(4096, 3, 1, 1),
              "7 COMP COMP_NODE_block_BWD_IG after 6" + computed(3000),
              "8 COMP COMP_NODE_sync_BWD_WG after 7" + computed(10),
              "9 COLL COMM_COLL_NODE_sync_BWD_WG_ALLREDUCE after 8" + communicated(all_reduce, 64, 1)});
    check_same(
        nodes(all, 3),
        lines{"0 RECV COMM_RECV_NODE_FWD" + moved(4096, 1, 3, 0), "1 COMP COMP_NODE_block_FWD after 0" + computed(2000),
              "2 RECV COMM_RECV_NODE_FWD after 1" + moved(4096, 1, 3, 2),
              "3 COMP COMP_NODE_block_FWD after 2" + computed(4000),
              "4 COMP COMP_NODE_block_BWD_IG after 3" + computed(5000),
              "5 SEND COMM_SEND_NODE_BWD after 4" + moved(4096, 3, 1, 3),
              "6 COMP COMP_NODE_block_BWD_IG after 4" + computed(3000),
              "7 SEND COMM_SEND_NODE_BWD after 6" + moved(4096, 3, 1, 1),
              "8 COMP COMP_NODE_sync_BWD_WG after 6" + computed(10),
              "9 COLL COMM_COLL_NODE_sync_BWD_WG_ALLREDUCE after 8" + communicated(all_reduce, 64, 2)});
    CHECK(groups(all) == "{\n\"1\":[0,1],\n\"2\":[2,3]\n}\n");

    how.order = *wlfmt::parallelism::rank_order::parse("tp-pp-dp");
    const auto other = traces_of(text, how);
    CHECK(groups(other) == "{\n\"1\":[0,2],\n\"2\":[1,3]\n}\n");
    CHECK(nodes(other, 1)[0] == "0 RECV COMM_RECV_NODE_FWD" + moved(4096, 0, 1, 0));
}

TEST_CASE("the embedding is in the first stage alone, the layers after the last block in the last stage") {
    const auto all = traces_of(
        "HYBRID_TRANSFORMER pp: 2 ga: 1 all_gpus: 2 pp_comm: 64\n4\n"
        "embedding_layer -1 1 NONE 0 2 NONE 0 3 NONE 0 0\n"
        "block -1 4 NONE 0 5 NONE 0 6 NONE 0 0\n"
        "cross_entropy1 -1 7 NONE 0 8 NONE 0 9 NONE 0 0\n"
        "optimizer1 -1 10 NONE 0 11 NONE 0 12 NONE 0 0\n");
    const auto computations = [&](std::int64_t rank) {
        std::string names;
        for (const std::string& node : nodes(all, rank)) {
            const std::size_t at = node.find("COMP_NODE_");
            if (at != std::string::npos) names += node.substr(at + 10, node.find(' ', at) - at - 10) + " ";
        }
        return names;
    };
    CHECK(computations(0) ==
          "embedding_layer_FWD block_FWD block_BWD_IG block_BWD_WG embedding_layer_BWD_IG embedding_layer_BWD_WG ");
    CHECK(computations(1) ==
          "block_FWD cross_entropy1_FWD optimizer1_FWD optimizer1_BWD_IG optimizer1_BWD_WG cross_entropy1_BWD_IG "
          "cross_entropy1_BWD_WG block_BWD_IG block_BWD_WG ");
    CHECK(nodes(all, 1)[0] == "0 RECV COMM_RECV_NODE_FWD" + moved(64, 0, 1, 0));
}

TEST_CASE("every message that is sent is received, on every rank of the moe sample") {
    const std::string text = test::data("workload_moe_128gpus.txt");
    const auto file = wlfmt::workload::read(text);
    const auto all = wlfmt::analysis::chakra::traces_of(*file, text);
    REQUIRE(all.ok());
    REQUIRE(all->ranks() == 128);
    lines sent;
    lines received;
    for (std::int64_t rank = 0; rank != 128; ++rank)
        for (const std::string& node : nodes(*all, rank)) {
            const std::size_t ends = node.find("comm_src");
            if (node.find(" SEND ") != std::string::npos) sent.push_back(node.substr(ends));
            if (node.find(" RECV ") != std::string::npos) received.push_back(node.substr(ends));
        }
    std::sort(sent.begin(), sent.end());
    std::sort(received.begin(), received.end());
    CHECK(sent.size() == 2 * 96);
    CHECK(sent == received);
    // The computations, the collectives in groups of more than one rank and their delays, as counted in the file's
    // lines, plus the messages. Only the first stage has the embedding, and only the last one the layers after the last
    // block.
    CHECK(nodes(*all, 0).size() == 601 + 2);
    CHECK(nodes(*all, 32).size() == 591 + 4);
    CHECK(nodes(*all, 64).size() == 591 + 4);
    CHECK(nodes(*all, 96).size() == 640 + 2);
    const wlfmt::analysis::chakra::remarks notes = all->notes();
    CHECK(notes.first_stage_layers == 2);
    CHECK(notes.last_stage_layers == 9);
    CHECK(notes.left_out[static_cast<std::size_t>(wlfmt::parallelism::group::expert_data_parallel)] == 2);
    CHECK_FALSE(notes.forward_only);
    CHECK_FALSE(notes.no_messages);
    CHECK(notes.rounded_up == 0);
}

TEST_CASE("an order in which groups of experts span stages is refused: ASTRA-sim would never finish") {
    const std::string text = test::data("workload_moe_128gpus.txt");
    wlfmt::analysis::chakra::options how;
    how.order = *wlfmt::parallelism::rank_order::parse("tp-cp-ep-pp-dp");
    const wlfmt::problem e = refused(text, how);
    CHECK(e.kind == error_kind::order_mismatch);
    // With 8 ranks of a tensor parallel group, rank 8 is the next expert's, and in this order rank 32 the next stage's.
    CHECK(wlfmt::message(e, text) == "order: ranks 0 and 8 are in one group of experts and in two pipeline stages");
    // Without experts any order does.
    const std::string layer = "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 64 1";
    how.order = *wlfmt::parallelism::rank_order::parse("tp-pp-dp");
    CHECK(traces_of(one_layer("HYBRID_TRANSFORMER pp: 2 all_gpus: 4 pp_comm: 8", layer), how).ranks() == 4);
}

TEST_CASE("sizes that the header does not have are given, and those that it has cannot be changed") {
    // As ASTRA-sim 1.0's own examples are.
    const std::string text = one_layer("HYBRID_TRANSFORMER", "a -1 1 ALLREDUCE 64 1 ALLGATHER 32 1 ALLREDUCE 128 1");
    wlfmt::analysis::chakra::options how;
    how.ranks = 8;
    const auto without = traces_of(text, how);
    CHECK(without.notes().left_out[static_cast<std::size_t>(wlfmt::parallelism::group::tensor_parallel)] == 2);
    CHECK(groups(without) == "{\n\"1\":[0,1,2,3,4,5,6,7]\n}\n");
    how.tensor = 4;
    const auto with = traces_of(text, how);
    CHECK(with.notes().left_out[static_cast<std::size_t>(wlfmt::parallelism::group::tensor_parallel)] == 0);
    CHECK(groups(with) ==
          "{\n\"1\":[0,1,2,3],\n\"2\":[4,5,6,7],\n\"3\":[0,4],\n\"4\":[1,5],\n\"5\":[2,6],\n\"6\":[3,7]\n}\n");
    how.tensor = 3;
    CHECK(refused(text, how).kind == error_kind::not_divisible);
    how.tensor = 4;
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER model_parallel_NPU_group: 2", "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1"),
                  how) == "given_mismatch model_parallel_NPU_group 2");
}

TEST_CASE("the size of an all-gather is that of all ranks in SimAI's files, of one rank in ASTRA-sim 1.0's") {
    const auto size = [](const std::string& header, wlfmt::analysis::chakra::all_gather_size means) {
        wlfmt::analysis::chakra::options how;
        how.ranks = 8;
        how.all_gather = means;
        const auto all = traces_of(one_layer(header, "a -1 0 ALLGATHER 4000 0 NONE 0 0 NONE 0 0"), how);
        const std::string node = nodes(all, 0)[0];
        return node.substr(node.find("comm_size"), node.find(" pg_name") - node.find("comm_size"));
    };
    using wlfmt::analysis::chakra::all_gather_size;
    const std::string simai = "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 all_gpus: 8";
    const std::string astra = "HYBRID_TRANSFORMER model_parallel_NPU_group: 8";
    CHECK(size(simai, all_gather_size::by_header) == size(astra, all_gather_size::whole));
    CHECK(size(simai, all_gather_size::share) == size(astra, all_gather_size::by_header));
    CHECK(size(simai, all_gather_size::by_header).find("int64:500") != std::string::npos);
    CHECK(size(astra, all_gather_size::by_header).find("int64:4000") != std::string::npos);
    // Without groups the ranks are all those of the run.
    const auto micro = [](wlfmt::analysis::chakra::all_gather_size means) {
        wlfmt::analysis::chakra::options how;
        how.ranks = 8;
        how.all_gather = means;
        const auto all = traces_of(one_layer("MICRO", "a -1 1 NONE 0 1 NONE 7 1 ALLGATHER 4000 1"), how);
        CHECK(all.notes().shares == (means == all_gather_size::whole ? 0 : 1));
        CHECK(all.notes().unmoved == 0);  // the policy has no phase but that of weight gradients
        return nodes(all, 0)[0];
    };
    CHECK(micro(all_gather_size::by_header).find("comm_size=int64:4000") != std::string::npos);
    CHECK(micro(all_gather_size::whole).find("comm_size=int64:500") != std::string::npos);
    CHECK(traces_of(one_layer(simai, "a -1 9 NONE 70 0 NONE 0 0 NONE 8 0")).notes().unmoved == 2);
}

TEST_CASE("an all-gather of fewer bytes than the simulator splits it into is rounded up") {
    const auto size = [](std::int64_t splits, std::uint64_t rounded) {
        wlfmt::analysis::chakra::options how;
        how.splits = splits;
        const auto all = traces_of(one_layer("HYBRID_TRANSFORMER model_parallel_NPU_group: 8 all_gpus: 8",
                                             "a -1 0 ALLGATHER 20 0 NONE 0 0 NONE 0 0"),
                                   how);
        CHECK(all.notes().rounded_up == rounded);
        return nodes(all, 0)[0];
    };
    CHECK(size(4, 1).find("comm_size=int64:4 ") != std::string::npos);
    CHECK(size(3, 0).find("comm_size=int64:3 ") != std::string::npos);
    CHECK(size(7, 1).find("comm_size=int64:7 ") != std::string::npos);
    wlfmt::analysis::chakra::options none;
    none.splits = 0;
    CHECK(refusal(three_layers, none) == "size_below_one splits ");
}

TEST_CASE("inference, mode: 1, has no backward pass") {
    const std::string layers =
        "2\nembedding_layer -1 5 ALLREDUCE 64 1 NONE 0 1 NONE 0 0\nb -1 7 NONE 0 2 NONE 0 3 ALLREDUCE 32 0\n";
    const std::string header =
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 ga: 1 all_gpus: 4 pp_comm: 8 mode: ";
    const auto all = traces_of(header + "1\n" + layers);
    CHECK(all.notes().forward_only);
    check_same(
        nodes(all, 0),
        {"0 COMP COMP_NODE_embedding_layer_FWD" + computed(5),
         "1 COLL COMM_COLL_NODE_embedding_layer_FWD_ALLREDUCE after 0" + communicated(all_reduce, 64, 1),
         "2 COMP COMP_NODE_b_FWD after 1" + computed(7), "3 SEND COMM_SEND_NODE_FWD after 2" + moved(8, 0, 2, 0)});
    check_same(nodes(all, 2),
               {"0 RECV COMM_RECV_NODE_FWD" + moved(8, 0, 2, 0), "1 COMP COMP_NODE_b_FWD after 0" + computed(7)});
    CHECK(nodes(traces_of(header + "0\n" + layers), 0).size() == 9);
}

TEST_CASE("times: the tick, rounding, and the nanoseconds beside the microseconds") {
    const auto first = [](std::string_view compute, double tick) {
        wlfmt::analysis::chakra::options how;
        how.ranks = 1;
        how.tick = tick;
        return nodes(traces_of(one_layer("DATA", "a -1 " + std::string(compute) + " NONE 0 1 NONE 0 1 NONE 0 1"), how),
                     0)[0];
    };
    CHECK(first("1499", 1) == "0 COMP COMP_NODE_a_FWD for 1us is_cpu_op=false num_ops=int64:1499 tensor_size=uint64:1");
    CHECK(first("1500", 1) == "0 COMP COMP_NODE_a_FWD for 2us is_cpu_op=false num_ops=int64:1500 tensor_size=uint64:1");
    CHECK(first("499", 1) == "0 COMP COMP_NODE_a_FWD is_cpu_op=false num_ops=int64:499 tensor_size=uint64:1");
    CHECK(first("2.5", 1) == "0 COMP COMP_NODE_a_FWD is_cpu_op=false num_ops=int64:3 tensor_size=uint64:1");
    CHECK(first("1000", 0.25) == "0 COMP COMP_NODE_a_FWD is_cpu_op=false num_ops=int64:250 tensor_size=uint64:1");
    CHECK(first("7", 1000) == "0 COMP COMP_NODE_a_FWD for 7us");
    CHECK(first("7", 3000) == "0 COMP COMP_NODE_a_FWD for 21us");
    CHECK(first("9007199254740993", 1) ==
          "0 COMP COMP_NODE_a_FWD for 9007199254741us is_cpu_op=false num_ops=int64:9007199254740993 "
          "tensor_size=uint64:1");
}

TEST_CASE("what a trace cannot express is refused, with its place") {
    const std::string layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1";
    wlfmt::analysis::chakra::options two;
    two.ranks = 2;
    CHECK(refusal(one_layer("TENSOR all_gpus: 2", layer)) == "untraceable policy TENSOR");
    CHECK(refusal(one_layer("DATA", layer)) == "header_value all_gpus ");
    CHECK(refusal(one_layer("DATA all_gpus: -2", layer)) == "size_below_one all_gpus -2");
    CHECK(refusal(one_layer("DATA all_gpus: 0", layer), two) == "size_below_one all_gpus 0");
    CHECK(refusal(one_layer("DATA all_gpus: 2.5", layer)) == "not_an_integer all_gpus 2.5");
    CHECK(refusal(one_layer("DATA all_gpus: 4", layer), two) == "given_mismatch all_gpus 4");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER ep: 1", layer)) == "header_value all_gpus ");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER ep: 3 all_gpus: 4", layer)) == "not_divisible ep 3");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER all_gpus: 4", layer), two) == "given_mismatch all_gpus 4");
    CHECK(refusal(one_layer("HYBRID_DLRM all_gpus: 2", layer)) == "header_value DLRM_LAST_BOTTOM_LAYER ");
    const auto comm = [&](std::string_view policy, std::string_view what) {
        return refusal(one_layer(policy, "a -1 1 NONE 0 1 NONE 0 1 " + std::string(what) + " 1"), two);
    };
    CHECK(comm("DATA", "ALLREDUC 4") == "unknown_collective weight_grad.comm ALLREDUC");
    CHECK(comm("DATA", "none 4") == "unknown_collective weight_grad.comm none");
    CHECK(comm("DATA", "BROADCAST 4") == "untraceable weight_grad.comm BROADCAST");
    CHECK(comm("DATA", "ALLREDUCE_EP 4") == "untraceable weight_grad.comm ALLREDUCE_EP");
    CHECK(comm("HYBRID_TRANSFORMER", "ALLTOALLV_EP 4") == "untraceable weight_grad.comm ALLTOALLV_EP");
    CHECK(comm("HYBRID_TRANSFORMER", "ALLREDUCEALLTOALL 4") == "untraceable weight_grad.comm ALLREDUCEALLTOALL");
    CHECK(comm("HYBRID_TRANSFORMER", "ALLREDUCE -4") == "negative_value weight_grad.bytes -4");
    CHECK(refusal(one_layer("DATA", "a -1 -1 NONE 0 1 NONE 0 1 NONE 0 1"), two) == "negative_value forward.compute -1");
    CHECK(refusal(one_layer("DATA", "a -1 1e300 NONE 0 1 NONE 0 1 NONE 0 1"), two) ==
          "number_overflow forward.compute 1e300");
    CHECK(refusal(one_layer("DATA", "a\xFF -1 1 NONE 0 1 NONE 0 1 NONE 0 1"), two) == "untraceable name a\xFF");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER pp: 2 ga: 2 all_gpus: 2 pp_comm: 8", layer)) ==
          "micro_batch_mismatch ga 2");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER pp: 2 ga: 0 all_gpus: 2 pp_comm: 8", layer)) == "size_below_one ga 0");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER pp: 2 ga: -1 all_gpus: 2 pp_comm: 8", layer)) ==
          "size_below_one ga -1");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER pp: 2 ga: 1.5 all_gpus: 2 pp_comm: 8", layer)) ==
          "not_an_integer ga 1.5");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER pp: 2 all_gpus: 2 pp_comm: -8", layer)) == "negative_value pp_comm -8");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER all_gpus: 2 pp_comm: -7", layer)) == "negative_value pp_comm -7");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER pp: 2 all_gpus: 2 pp_comm: 0.5", layer)) ==
          "not_an_integer pp_comm 0.5");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER all_gpus: 9223372036854775807", layer)) ==
          "number_overflow all_gpus 9223372036854775807");
    // Chakra's ranks are of 32 bits.
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER all_gpus: 2147483648", layer)) ==
          "number_overflow all_gpus 2147483648");
    CHECK(traces_of(one_layer("HYBRID_TRANSFORMER all_gpus: 2147483647", layer)).ranks() == 2147483647);
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 2 checkpoints: 1 5", layer)) ==
          "checkpoint_range checkpoints 1 5");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 2 checkpoint_initiates: 1 0", layer)) ==
          "checkpoint_mismatch checkpoint_initiates 1 0");
    wlfmt::analysis::chakra::options wrong = two;
    wrong.passes = 0;
    CHECK(refusal(one_layer("DATA", layer), wrong) == "size_below_one passes ");
    wrong = two;
    wrong.tick = 0;
    CHECK(refusal(one_layer("DATA", layer), wrong) == "negative_value tick ");
    wrong = two;
    wrong.ranks = std::int64_t{1} << 31;
    CHECK(refusal(one_layer("DATA", layer), wrong) == "number_overflow ranks ");
    wrong = two;
    wrong.input = "\xFF";
    CHECK(refusal(one_layer("DATA", layer), wrong) == "untraceable input ");
    wrong = {};
    wrong.order = *wlfmt::parallelism::rank_order::parse("tp-dp");
    CHECK(refusal(one_layer("HYBRID_TRANSFORMER pp: 2 all_gpus: 4", layer), wrong) == "untraceable order ");
}

TEST_CASE("checkpoints that overlap are refused: SimAI would leave layers out of the backward pass") {
    std::string layers = "4\n";
    for (const char* name : {"a", "b", "c", "d"}) layers += std::string(name) + " -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
    const std::string policy = "HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 1 ";
    CHECK(refused(policy + "checkpoints: 1 0 checkpoint_initiates: 2 3 2\n" + layers).kind ==
          error_kind::checkpoint_mismatch);
    CHECK(refused(policy + "checkpoints: 2 0 3 checkpoint_initiates: 1 3\n" + layers).kind ==
          error_kind::checkpoint_mismatch);
    const auto all = traces_of(policy + "checkpoints: 2 0 2 checkpoint_initiates: 2 1 3\n" + layers);
    std::size_t again = 0;
    for (const std::string& node : nodes(all, 0)) again += node.find("_FWD_IN_BCKWD") != std::string::npos;
    CHECK(again == 2);
}

TEST_CASE("the ranks of a workload without all_gpus are given") {
    wlfmt::analysis::chakra::options how;
    how.ranks = 8;
    const auto all =
        traces_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n1\na -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 1\n", how);
    CHECK(all.ranks() == 8);
    CHECK(groups(all) == "{\n\"1\":[0,1,2,3],\n\"2\":[4,5,6,7]\n}\n");
}

TEST_CASE("traces and copies of them outlive the document") {
    wlfmt::analysis::chakra::traces kept;
    CHECK(kept.ranks() == 0);
    CHECK(groups(kept) == "{\n}\n");
    std::string before;
    {
        const auto all = traces_of(three_layers);
        before = trace(all, 3);
        kept = all;
    }
    CHECK(trace(kept, 3) == before);
}

namespace {

wlfmt::analysis::chakra::run run_of(std::int64_t all, std::int64_t tp, std::int64_t pp, std::int64_t ep) {
    wlfmt::analysis::chakra::run of;
    of.sizes.ranks = all;
    of.sizes.tensor = tp;
    of.sizes.pipeline = pp;
    of.sizes.expert = ep;
    of.sizes.data = all / (tp * pp);
    of.sizes.expert_data = of.sizes.data / ep;
    return of;
}
lines nodes_of_log(const std::string& text, const wlfmt::analysis::chakra::run& of) {
    const auto log = wlfmt::oplog::read(text);
    REQUIRE(log.ok());
    std::string out;
    const wlfmt::problem e = wlfmt::analysis::chakra::write(test::into(out), *log, of, text);
    REQUIRE_MESSAGE(!e, wlfmt::explain(e, text, wlfmt::in_file("log")));
    lines got = test::decoded(out);
    REQUIRE(!got.empty());
    got.erase(got.begin());
    return got;
}
std::string refusal_of_log(const std::string& text, const wlfmt::analysis::chakra::run& of) {
    const auto log = wlfmt::oplog::read(text);
    REQUIRE(log.ok());
    std::string out;
    const wlfmt::problem e = wlfmt::analysis::chakra::write(test::into(out), *log, of, text);
    CHECK(out.empty());
    return std::string(name_of(e.kind)) + " " + std::string(e.field) + " " +
           text.substr(static_cast<std::size_t>(e.offset), static_cast<std::size_t>(e.length));
}

}  // namespace

TEST_CASE("None, which AICB writes where it has no word for a collective, is no communication and is counted") {
    const std::string text =
        "DATA all_gpus: 2\n2\na -1 1 NONE 0 1 NONE 0 1 None 4096 1\n"
        "b -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 64 1\n";
    const auto file = wlfmt::workload::read(text);
    const auto all = wlfmt::analysis::chakra::traces_of(*file, text);
    REQUIRE(all.ok());
    CHECK(all->notes().nameless == 1);
    std::string with;
    CHECK_FALSE(wlfmt::analysis::chakra::write(test::into(with), *all, 0));
    std::string same = text;
    same.replace(same.find("None 4096"), 9, "NONE 0");
    const auto other = wlfmt::workload::read(same);
    const auto without = wlfmt::analysis::chakra::traces_of(*other, same);
    REQUIRE(without.ok());
    CHECK(without->notes().nameless == 0);
    std::string expected;
    CHECK_FALSE(wlfmt::analysis::chakra::write(test::into(expected), *without, 0));
    CHECK(with == expected);
}

TEST_CASE("an op log: computation between collectives, messages, gradients") {
    const std::string text =
        "rank:2:recv_forward(stage_id=1,batch_id=4,mg_state=steady,duration=3.5,description=None,group_kind=pp,"
        "input__shape=[8, 2],input__dtype=torch.bfloat16,timestamp=100.0,sub_operations=[])\n"
        "rank:2:forward_step(stage_id=1,batch_id=4,duration=10.0,timestamp=110.0,sub_operations=["
        "'trace_src_func=_reduce,duration=0.5,timestamp=102.5,input__shape=[4],input__dtype=torch.float32,group=tp,"
        "comm_func=allreduce', 'free text', 'trace_src_func=g,duration=1.0,timestamp=105.0,input__shape=[3, 5],"
        "input__dtype=torch.int64,group=tp,comm_func=allgather', 'trace_src_func=b,duration=0.25,timestamp=105.25,"
        "input__shape=[1],input__dtype=torch.int8,group=tp,comm_func=broadcast'])\n"
        "rank:2:send_backward(stage_id=1,batch_id=4,duration=0.75,group_kind=pp,input__shape=[8, 2],"
        "input__dtype=torch.bfloat16,timestamp=111.0,sub_operations=[])\n"
        "rank:2:dp_allreduce(stage_id=1,batch_id=0,duration=2.0,group_kind=dp,input__shape=[6],"
        "input__dtype=torch.float16,timestamp=114.0,sub_operations=[])\n"
        "rank:2:ep_allreduce(stage_id=1,batch_id=0,duration=1.5,group_kind=ep,input__shape=[7],"
        "input__dtype=torch.float32,timestamp=116.0,sub_operations=[])\n"
        "rank:2:optimizer_step(stage_id=1,batch_id=0,duration=4.0,group_kind=dp,timestamp=120.0,sub_operations=[])\n";
    const std::string measured = " is_cpu_op=false num_ops=int64:";
    check_same(
        nodes_of_log(text, run_of(4, 2, 2, 1)),
        lines{"0 RECV COMM_RECV_NODE_recv_forward for 3500us" + moved(32, 0, 2, 8),
              "1 COMP COMP_NODE_forward_step after 0 for 2000us" + measured + "2000000 tensor_size=uint64:1",
              "2 COLL COMM_COLL_NODE_forward_step_ALLREDUCE after 1 for 500us" + communicated(all_reduce, 16, 2),
              "3 COMP COMP_NODE_forward_step after 2 for 1500us" + measured + "1500000 tensor_size=uint64:1",
              "4 COLL COMM_COLL_NODE_forward_step_ALLGATHER after 3 for 1000us" + communicated(all_gather, 120, 2),
              "5 COLL COMM_COLL_NODE_forward_step_BROADCAST after 4 for 250us" + communicated(broadcast, 1, 2),
              "6 COMP COMP_NODE_forward_step after 5 for 4750us" + measured + "4750000 tensor_size=uint64:1",
              "7 SEND COMM_SEND_NODE_send_backward after 6 for 750us" + moved(32, 2, 0, 9),
              // A rank that is alone in its data parallel group communicates nothing, whatever was measured.
              "8 COMP COMP_NODE_dp_allreduce after 7 for 2000us" + measured + "2000000 tensor_size=uint64:1",
              "9 COLL COMM_COLL_NODE_ep_allreduce_ALLREDUCE after 8 for 1500us" + communicated(all_reduce, 28, 3),
              "10 COMP COMP_NODE_optimizer_step after 9 for 4000us" + measured + "4000000 tensor_size=uint64:1"});
    CHECK(groups(run_of(4, 2, 2, 1)) == "{\n\"1\":[0,1],\n\"2\":[2,3],\n\"3\":[0,2],\n\"4\":[1,3]\n}\n");
    CHECK(
        groups(run_of(8, 1, 2, 2)) ==
        "{\n\"1\":[0,1,2,3],\n\"2\":[4,5,6,7],\n\"3\":[0,1],\n\"4\":[2,3],\n\"5\":[4,5],\n\"6\":[6,7],\n\"7\":[0,2],\n"
        "\"8\":[1,3],\n\"9\":[4,6],\n\"10\":[5,7],\n\"11\":[0,4],\n\"12\":[1,5],\n\"13\":[2,6],\n\"14\":[3,7]\n}\n");
}

TEST_CASE("the error about a log that lacks something names what a trace needs") {
    const wlfmt::analysis::chakra::run of = run_of(4, 2, 2, 1);
    const auto op = [](std::string_view what) { return "rank:1:" + std::string(what) + "\n"; };
    CHECK(refusal_of_log(op("send_forward(stage_id=0,batch_id=1,duration=1.0,input__shape=None,input__dtype=None)"),
                         of) == "trace_lacks input__shape None");
    CHECK(refusal_of_log(op("send_forward(stage_id=0,batch_id=1,duration=1.0,input__shape=[2])"), of) ==
          "trace_lacks input__dtype rank:1:send_forward(stage_id=0,batch_id=1,duration=1.0,input__shape=[2])");
    CHECK(refusal_of_log(op("send_forward(stage_id=0,batch_id=None,input__shape=[2],input__dtype=torch.int8)"), of) ==
          "trace_lacks batch_id None");
    CHECK(refusal_of_log(op("send_backward(stage_id=0,batch_id=1,input__shape=[2],input__dtype=torch.int8)"), of) ==
          "stage_mismatch send_backward send_backward");
    CHECK(refusal_of_log(op("forward_step(stage_id=1,duration=1.0)"), of) == "stage_mismatch stage_id 1");
    CHECK(refusal_of_log("rank:4:forward_step(stage_id=1,duration=1.0)\n", of) == "stage_mismatch rank 4");
    CHECK(refusal_of_log(op("forward_step(stage_id=0,duration=None)"), of) == "trace_lacks duration None");
    CHECK(refusal_of_log(op("forward_step(stage_id=0,duration=0.0004)"), of) == "empty_trace op forward_step");
    CHECK(refusal_of_log(op("forward_step(stage_id=0,duration=-1)"), of) == "negative_value duration -1");
    CHECK(refusal_of_log(op("forward_step(stage_id=0,duration=1e13)"), of) == "number_overflow duration 1e13");
    CHECK(refusal_of_log(op("scatter(stage_id=0,duration=1,group_kind=dp)"), of) == "untraceable op scatter");
    const auto nested = [&](std::string_view sub) {
        return refusal_of_log(op("f(duration=1.0,sub_operations=['" + std::string(sub) + "'])"), of);
    };
    CHECK(nested("comm_func=gather,group=tp") == "untraceable comm_func gather");
    CHECK(nested("comm_func=allreduce,group=tp,input__shape=[2],input__dtype=torch.int8,duration=9e12") ==
          "number_overflow duration 9e12");
    CHECK(nested("comm_func=allreduce,group=tp,input__shape=[2],input__dtype=torch.int8,duration=-2") ==
          "negative_value duration -2");
    CHECK(nested("comm_func=allreduce,group=xp") == "trace_lacks group xp");
    CHECK(nested("comm_func=allreduce,group=tp,input__shape=[2],input__dtype=torch.quint4") ==
          "trace_lacks input__dtype torch.quint4");
    CHECK(nested("comm_func=allreduce,group=tp,input__shape=[9223372036854775807, 2],input__dtype=torch.int8") ==
          "number_overflow input__shape [9223372036854775807, 2]");
    CHECK(refusal_of_log("stage:0:get_batch(batch_id=0, mg_state=warmup, duration=None)\n", of) ==
          "untraceable stage stage:0:get_batch(batch_id=0, mg_state=warmup, duration=None)");
}

#else

TEST_CASE("chakra.hpp needs protozero and exceptions, which this program is built without") {}

#endif
