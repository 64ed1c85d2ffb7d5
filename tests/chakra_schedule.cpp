// The schedules of chakra.hpp: in which order the stages of a pipeline do their micro-batches.
#include "into.hpp"
#include "support.hpp"

#if __has_include(<protozero/pbf_writer.hpp>) && defined(__cpp_exceptions)
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/wlfmt.hpp>
#include "analysis/chakra/chakra.hpp"

#include "chakra_support.hpp"

namespace {

using wlfmt::error_kind;
using wlfmt::analysis::chakra::schedule;

// A workload of four stages with `ga` micro-batches of two blocks each. The name of a block has its micro-batch and its
// place in it: b12 is the third block of micro-batch 1.
std::string workload(int batches, int blocks, std::string_view further = "", std::string_view policy = "") {
    std::string text = policy.empty() ? "HYBRID_TRANSFORMER" : std::string(policy);
    text += " model_parallel_NPU_group: 1 ep: 1 pp: 4 vpp: 2 ga: " + std::to_string(batches) +
            " all_gpus: 4 pp_comm: 64" + std::string(further) + "\n" + std::to_string(batches * (blocks + 1)) + "\n";
    for (int batch = 0; batch != batches; ++batch) {
        text += "embedding_layer -1 0 NONE 0 0 NONE 0 0 NONE 0 0\n";
        for (int block = 0; block != blocks; ++block)
            text += "b" + std::to_string(batch) + std::to_string(block) + " -1 1000 NONE 0 2000 NONE 0 0 NONE 0 0\n";
    }
    return text;
}

std::vector<std::string> nodes(const std::string& text, const wlfmt::analysis::chakra::options& how,
                               std::int64_t rank) {
    const auto file = wlfmt::workload::read(text);
    REQUIRE(file.ok());
    const auto all = wlfmt::analysis::chakra::traces_of(*file, text, how);
    REQUIRE_MESSAGE(all.ok(), wlfmt::explain(all.error(), text, wlfmt::in_file("workload")));
    std::string out;
    CHECK_FALSE(wlfmt::analysis::chakra::write(test::into(out), *all, rank));
    return test::decoded(out);
}
// The passes of a stage in their order, "F0 F1 B0 B1", as blocks are called after the b.
std::string order(const std::string& text, schedule kind, std::int64_t stage, std::int64_t chunks = 0) {
    wlfmt::analysis::chakra::options how;
    how.schedule = kind;
    how.chunks = chunks;
    std::string passes;
    for (const std::string& line : nodes(text, how, stage)) {
        const std::size_t at = line.find("COMP_NODE_b");
        if (at == std::string::npos) continue;
        const std::string name = line.substr(at + 11, line.find('_', at + 11) - at - 11);
        passes += (passes.empty() ? "" : " ") + std::string(line.find("_FWD") != line.npos ? "F" : "B") + name;
    }
    return passes;
}

wlfmt::problem refused(const std::string& text, schedule kind, std::int64_t chunks = 0) {
    const auto file = wlfmt::workload::read(text);
    REQUIRE(file.ok());
    wlfmt::analysis::chakra::options how;
    how.schedule = kind;
    how.chunks = chunks;
    const auto all = wlfmt::analysis::chakra::traces_of(*file, text, how);
    CHECK_FALSE(all.ok());
    return all.error();
}

}  // namespace

// The orders below were written by hand from Megatron's schedules.py (core 0.12): get_pp_rank_microbatches() and the
// loops of forward_backward_pipelining_without_interleaving() and ..._with_interleaving().

TEST_CASE("gpipe: all forward, then all backward from the last one, as the file lists them") {
    CHECK(order(workload(3, 1), schedule::gpipe, 0) == "F00 F10 F20 B20 B10 B00");
    CHECK(order(workload(3, 1), schedule::gpipe, 3) == "F00 F10 F20 B20 B10 B00");
}

TEST_CASE("1F1B of six micro-batches on four stages") {
    const std::string text = workload(6, 1);
    const auto kind = schedule::one_forward_one_backward;
    CHECK(order(text, kind, 0) == "F00 F10 F20 F30 B00 F40 B10 F50 B20 B30 B40 B50");
    CHECK(order(text, kind, 1) == "F00 F10 F20 B00 F30 B10 F40 B20 F50 B30 B40 B50");
    CHECK(order(text, kind, 2) == "F00 F10 B00 F20 B10 F30 B20 F40 B30 F50 B40 B50");
    CHECK(order(text, kind, 3) == "F00 B00 F10 B10 F20 B20 F30 B30 F40 B40 F50 B50");
}

TEST_CASE("1F1B of fewer micro-batches than stages") {
    const std::string text = workload(2, 1);
    const auto kind = schedule::one_forward_one_backward;
    CHECK(order(text, kind, 0) == "F00 F10 B00 B10");
    CHECK(order(text, kind, 1) == "F00 F10 B00 B10");
    CHECK(order(text, kind, 2) == "F00 F10 B00 B10");
    CHECK(order(text, kind, 3) == "F00 B00 F10 B10");
}

TEST_CASE("interleaved 1F1B of eight micro-batches, two chunks on each of four stages") {
    const std::string text = workload(8, 2);
    CHECK(order(text, schedule::interleaved, 0) ==
          "F00 F10 F20 F30 F01 F11 F21 F31 F40 F50 "
          "F60 B01 F70 B11 F41 B21 F51 B31 F61 B00 F71 B10 "
          "B20 B30 B41 B51 B61 B71 B40 B50 B60 B70");
    CHECK(order(text, schedule::interleaved, 1) ==
          "F00 F10 F20 F30 F01 F11 F21 F31 "
          "F40 B01 F50 B11 F60 B21 F70 B31 F41 B00 F51 B10 F61 B20 F71 B30 "
          "B41 B51 B61 B71 B40 B50 B60 B70");
    CHECK(order(text, schedule::interleaved, 2) ==
          "F00 F10 F20 F30 F01 F11 "
          "F21 B01 F31 B11 F40 B21 F50 B31 F60 B00 F70 B10 F41 B20 F51 B30 F61 B41 F71 B51 "
          "B61 B71 B40 B50 B60 B70");
    CHECK(order(text, schedule::interleaved, 3) ==
          "F00 F10 F20 F30 "
          "F01 B01 F11 B11 F21 B21 F31 B31 F40 B00 F50 B10 F60 B20 F70 B30 F41 B41 F51 B51 F61 B61 F71 B71 "
          "B40 B50 B60 B70");
}

TEST_CASE("interleaved 1F1B of as many micro-batches as stages, two blocks in a chunk") {
    const std::string text = workload(4, 4);
    CHECK(order(text, schedule::interleaved, 3) ==
          "F00 F01 F10 F11 F20 F21 F30 F31 "
          "F02 F03 B03 B02 F12 F13 B13 B12 F22 F23 B23 B22 F32 F33 B33 B32 "
          "B01 B00 B11 B10 B21 B20 B31 B30");
    // The header's vpp is 2. With four chunks, each block is a chunk.
    CHECK(order(text, schedule::interleaved, 3, 4) ==
          "F00 F10 F20 F30 F01 F11 F21 F31 F02 F12 F22 F32 "
          "F03 B03 F13 B13 F23 B23 F33 B33 B02 B12 B22 B32 B01 B11 B21 B31 B00 B10 B20 B30");
}

TEST_CASE("inference has the forward passes of each schedule") {
    CHECK(order(workload(3, 1, " mode: 1"), schedule::gpipe, 1) == "F00 F10 F20");
    CHECK(order(workload(3, 1, " mode: 1"), schedule::one_forward_one_backward, 1) == "F00 F10 F20");
    CHECK(order(workload(4, 2, " mode: 1"), schedule::interleaved, 1) == "F00 F10 F20 F30 F01 F11 F21 F31");
}

TEST_CASE("the messages of interleaved chunks go around the stages") {
    wlfmt::analysis::chakra::options how;
    how.schedule = schedule::interleaved;
    const auto messages = [&](std::int64_t rank) {
        std::vector<std::string> all;
        for (const std::string& line : nodes(workload(4, 2), how, rank)) {
            const std::size_t at = line.find("_NODE_");
            if (line.find("comm_tag") == std::string::npos) continue;
            const auto number = [&](std::string_view key) {
                const std::size_t digits = line.find(key) + key.size();
                return line.substr(digits, line.find(' ', digits) - digits);
            };
            all.push_back(line.substr(at - 4, 4) + line.substr(at + 5, 4) + " " + number("comm_src=int32:") + ">" +
                          number("comm_dst=int32:") + " " + number("comm_tag=int32:"));
        }
        return all;
    };
    // Tags: (micro-batch * 2 + chunk that receives) * 2, and one more backward. Stage 0 has the first and the fifth
    // eighth of the model: what it sends of chunk 0 and 1 goes to stage 1, what it receives for chunk 1 comes from
    // stage 3, and so do the gradients that it sends back to chunk 0 of stage 3.
    const std::vector<std::string> expected = {
        "SEND_FWD 0>1 0",  "SEND_FWD 0>1 4",  "SEND_FWD 0>1 8", "SEND_FWD 0>1 12", "RECV_FWD 3>0 2",
        "SEND_FWD 0>1 2",  "RECV_FWD 3>0 6",  "SEND_FWD 0>1 6", "RECV_FWD 3>0 10", "SEND_FWD 0>1 10",
        "RECV_FWD 3>0 14", "SEND_FWD 0>1 14", "RECV_BWD 1>0 3", "SEND_BWD 0>3 1",  "RECV_BWD 1>0 7",
        "SEND_BWD 0>3 5",  "RECV_BWD 1>0 11", "SEND_BWD 0>3 9", "RECV_BWD 1>0 15", "SEND_BWD 0>3 13",
        "RECV_BWD 1>0 1",  "RECV_BWD 1>0 5",  "RECV_BWD 1>0 9", "RECV_BWD 1>0 13"};
    const auto got = messages(0);
    CHECK(got.size() == expected.size());
    for (std::size_t n = 0; n != got.size() && n != expected.size(); ++n) CHECK(got[n] == expected[n]);
    // Whatever a stage sends another one receives, and nothing else.
    std::map<std::string, int> open;
    for (std::int64_t rank = 0; rank != 4; ++rank)
        for (const std::string& one : messages(rank)) open[one.substr(5)] += one[0] == 'S' ? 1 : -1;
    CHECK(open.size() == 4 * (3 + 4) * 2);
    for (const auto& one : open) CHECK_MESSAGE(one.second == 0, one.first);
}

TEST_CASE("an interleaved schedule that Megatron refuses, or that the blocks do not allow") {
    const auto e = refused(workload(6, 2), schedule::interleaved);
    CHECK(e.kind == error_kind::schedule_mismatch);
    CHECK(e.field == "ga");
    CHECK(e.found == 6);
    CHECK(e.expected == 4);
    const auto uneven = refused(workload(4, 3), schedule::interleaved);
    CHECK(uneven.kind == error_kind::schedule_mismatch);
    CHECK(uneven.field == "blocks");
    CHECK(uneven.found == 3);
    CHECK(uneven.expected == 2);
    const auto one_chunk = refused(workload(4, 2), schedule::interleaved, 1);
    CHECK(one_chunk.kind == error_kind::schedule_mismatch);
    CHECK(one_chunk.field == "vpp");
    CHECK(wlfmt::message(one_chunk, {}) == "vpp: 1 where an interleaved schedule needs at least 2");
    // The number of blocks of a stage is what vpp would be.
    std::string no_vpp = workload(4, 6);
    no_vpp.replace(no_vpp.find("vpp: "), 3, "xpp");
    const auto missing = refused(no_vpp, schedule::interleaved);
    CHECK(missing.kind == error_kind::header_value);
    CHECK(missing.field == "vpp");
    CHECK(missing.found == 6);
    CHECK(missing.offset == no_vpp.find('\n'));
    std::string one_stage = workload(4, 2);
    one_stage.replace(one_stage.find("pp: 4"), 5, "pp: 1");
    one_stage.replace(one_stage.find("pp_comm: 64"), 11, "pp_comm: 0");
    const auto alone = refused(one_stage, schedule::interleaved);
    CHECK(alone.field == "pp");
    CHECK(alone.kind == error_kind::schedule_mismatch);
    CHECK(alone.found == 1);
    CHECK(alone.expected == 2);
}

TEST_CASE("a layer that is recomputed was computed in the same micro-batch before") {
    const std::string policy = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
    // Layers 0 and 3 begin the micro-batches: layer 5 recomputes from 4, or from 1.
    const std::string good = workload(2, 2, " checkpoints: 1 4 checkpoint_initiates: 1 5", policy);
    CHECK(order(good, schedule::one_forward_one_backward, 3) == "F00 F01 B01 B00 F10 F11 F10 B11 B10");
    const std::string bad = workload(2, 2, " checkpoints: 1 1 checkpoint_initiates: 1 5", policy);
    CHECK(order(bad, schedule::gpipe, 3) == "F00 F01 F10 F11 F00 F01 F10 B11 B10 B01 B00");
    CHECK(refused(bad, schedule::one_forward_one_backward).kind == error_kind::checkpoint_mismatch);
}

#else

TEST_CASE("chakra.hpp needs protozero and exceptions, which this program is built without") {}

#endif
