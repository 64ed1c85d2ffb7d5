// chakra.hpp: the traces that it writes can be simulated to their end. A plain traversal of the graph replaces the
// simulator: a node begins once all nodes that it waits for have ended, a receive once its message was sent, and a
// collective once all ranks of its group have reached it.
#include "into.hpp"
#include "support.hpp"

#if __has_include(<protozero/pbf_writer.hpp>) && defined(__cpp_exceptions)
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <wlfmt/wlfmt.hpp>
#include "analysis/chakra/chakra.hpp"

#include "chakra_support.hpp"
#include "data_files.hpp"

namespace {

using words = std::vector<std::string>;

words words_of(const std::string& line) {
    words all;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = (std::min)(line.find(' ', at), line.size());
        if (end != at) all.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return all;
}

struct node {
    std::string kind;
    std::vector<std::size_t> after;
    std::map<std::string, std::string> attributes;  // without their types
    bool done = false;

    std::int64_t number(const std::string& name) const {
        const auto found = attributes.find(name);
        return found == attributes.end() ? -1 : std::stoll(found->second);
    }
};

// Nodes have the ids of their places, which the decoded line begins with. Names of layers have no blanks.
std::vector<node> nodes_of(std::string_view trace) {
    std::vector<node> all;
    std::vector<std::string> lines = test::decoded(trace);
    for (std::size_t n = 1; n < lines.size(); ++n) {
        const words line = words_of(lines[n]);
        REQUIRE(line.size() >= 3);
        REQUIRE(line[0] == std::to_string(n - 1));
        node& added = all.emplace_back();
        added.kind = line[1];
        for (std::size_t w = 3; w < line.size(); ++w) {
            const std::size_t equals = line[w].find('=');
            if (line[w] == "after" || line[w] == "for") continue;
            if (equals == std::string::npos) {
                if (line[w].find("us") == std::string::npos) added.after.push_back(std::stoul(line[w]));
                continue;
            }
            std::string value = line[w].substr(equals + 1);
            value.erase(0, value.find(':') + 1);
            if (!value.empty() && value.front() == '\'') value = value.substr(1, value.size() - 2);
            added.attributes[line[w].substr(0, equals)] = value;
        }
    }
    return all;
}

// The ranks of each group, from ASTRA-sim's file of them.
std::map<std::int64_t, std::vector<std::size_t>> groups_of(const std::string& json, std::size_t ranks) {
    std::map<std::int64_t, std::vector<std::size_t>> all;
    for (std::size_t n = 0; n != ranks; ++n) all[0].push_back(n);
    for (std::size_t at = json.find('"'); at != std::string::npos; at = json.find('"', at)) {
        const std::size_t end = json.find('"', at + 1);
        std::vector<std::size_t>& members = all[std::stoll(json.substr(at + 1, end - at - 1))];
        for (at = json.find('[', end); json[at] != ']'; at = json.find_first_of(",]", at + 1))
            members.push_back(std::stoul(json.substr(at + 1)));
    }
    return all;
}

// What keeps the traces from ending; empty if they end.
std::string obstacle(const std::vector<std::string>& traces, const std::string& groups) {
    std::vector<std::vector<node>> ranks;
    for (const std::string& trace : traces) ranks.push_back(nodes_of(trace));
    for (std::size_t rank = 0; rank != ranks.size(); ++rank) {
        if (ranks[rank].empty()) return "rank " + std::to_string(rank) + " has no nodes";
        for (const node& each : ranks[rank])
            if (each.number("num_ops") == 0 || (each.kind == "COLL" && each.number("comm_size") < 1))
                return "rank " + std::to_string(rank) + " has a node of no work";
    }
    const auto members = groups_of(groups, ranks.size());
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, int> messages;
    const auto is_ready = [&](std::size_t rank, const node& each) {
        for (const std::size_t id : each.after)
            if (id >= ranks[rank].size() || !ranks[rank][id].done) return false;
        return true;
    };
    // The first collective of a rank and a group that has not begun.
    const auto next_collective = [&](std::size_t rank, std::int64_t group) -> node* {
        for (node& each : ranks[rank])
            if (each.kind == "COLL" && !each.done && (std::max)(each.number("pg_name"), std::int64_t{0}) == group)
                return &each;
        return nullptr;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank != ranks.size(); ++rank) {
            for (node& each : ranks[rank]) {
                if (each.done || !is_ready(rank, each)) continue;
                if (each.kind == "COLL") {
                    const std::int64_t group = (std::max)(each.number("pg_name"), std::int64_t{0});
                    const auto found = members.find(group);
                    if (found == members.end()) return "no group " + std::to_string(group);
                    bool met = true;
                    for (const std::size_t other : found->second) {
                        const node* const theirs = next_collective(other, group);
                        met = met && theirs != nullptr && is_ready(other, *theirs) &&
                              theirs->attributes.at("comm_type") == each.attributes.at("comm_type") &&
                              theirs->attributes.at("comm_size") == each.attributes.at("comm_size");
                    }
                    if (!met) continue;
                    for (const std::size_t other : found->second) next_collective(other, group)->done = true;
                } else if (each.kind == "SEND" || each.kind == "RECV") {
                    int& sent = messages[{each.number("comm_src"), each.number("comm_dst"), each.number("comm_tag"),
                                          each.number("comm_size")}];
                    if (each.kind == "RECV" && sent == 0) continue;
                    sent += each.kind == "SEND" ? 1 : -1;
                }
                each.done = true;
                moved = true;
            }
        }
    }
    for (std::size_t rank = 0; rank != ranks.size(); ++rank)
        for (std::size_t id = 0; id != ranks[rank].size(); ++id)
            if (!ranks[rank][id].done)
                return "rank " + std::to_string(rank) + " never runs node " + std::to_string(id) + ", a " +
                       ranks[rank][id].kind;
    for (const auto& [message, left] : messages)
        if (left != 0) return "a message that is never received";
    return "";
}

// What keeps the traces of a workload from ending; `refused` if it has none.
std::string obstacle_of(const std::string& text, const wlfmt::analysis::chakra::options& how) {
    wlfmt::options lenient;
    lenient.lenient = true;
    const auto file = wlfmt::workload::read(text, lenient);
    const auto traces = wlfmt::analysis::chakra::traces_of(*file, text, how);
    if (!traces.ok()) return "refused";
    std::vector<std::string> all;
    for (std::int64_t rank = 0; rank != traces->ranks(); ++rank) {
        REQUIRE_FALSE(wlfmt::analysis::chakra::write(test::into(all.emplace_back()), *traces, rank));
    }
    std::string groups;
    REQUIRE_FALSE(wlfmt::analysis::chakra::write_groups(test::into(groups), *traces));
    return obstacle(all, groups);
}

}  // namespace

TEST_CASE("work of no time has no node, as no simulation of it ends") {
    wlfmt::analysis::chakra::options two;
    two.ranks = 2;
    for (const std::string policy :
         {"DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 0",
          "HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD"}) {
        CAPTURE(policy);
        for (const std::string time : {"0", "0.4", "4"}) {
            two.tick = time == "4" ? 0.1 : 1;
            std::string text = policy + "\n2\n";
            for (const char* const name : {"a", "b"})
                text += std::string(name) + " -1 " + time + " NONE 0 " + time + " NONE 0 10 ALLREDUCE 4096 0\n";
            CHECK(obstacle_of(text, two) == "");
        }
    }
}

TEST_CASE("a rank with nothing to do is refused, as a simulator aborts at its trace") {
    const auto error_of = [](const std::string& text, std::int64_t ranks) {
        wlfmt::analysis::chakra::options how;
        how.ranks = ranks;
        const auto file = wlfmt::workload::read(text);
        REQUIRE(file.ok());
        return wlfmt::analysis::chakra::traces_of(*file, text, how).error();
    };
    const std::string micro = "MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
    CHECK(wlfmt::explain(error_of(micro, 2), micro, wlfmt::in_file("micro.txt")) ==
          "micro.txt:1:1: error: empty_trace: the ranks of pipeline stage 0 neither compute nor communicate: ASTRA-sim "
          "aborts at a trace without nodes\n  MICRO\n  ^~~~~\n");
    CHECK(error_of("DATA\n1\na -1 0 NONE 0 0 NONE 0 0 NONE 0 0\n", 2).kind == wlfmt::error_kind::empty_trace);
    CHECK(error_of("DATA\n0\n", 2).kind == wlfmt::error_kind::empty_trace);
    // The second stage has no layers of its own.
    const wlfmt::problem second = error_of(
        "HYBRID_TRANSFORMER pp: 2 pp_comm: 0 all_gpus: 2\n1\nembedding_layer -1 9 NONE 0 9 NONE 0 9 NONE 0 1\n", 0);
    CHECK(second.kind == wlfmt::error_kind::empty_trace);
    CHECK(second.found == 1);
    // A collective of a group of one rank is no work.
    CHECK(error_of("HYBRID_TRANSFORMER all_gpus: 1\n1\na -1 0 ALLREDUCE 64 0 NONE 0 0 NONE 0 0\n", 0).kind ==
          wlfmt::error_kind::empty_trace);
}

TEST_CASE("whatever has traces is simulated to the end") {
    std::uint64_t state = 20;
    const auto random = [&](std::uint64_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33U) % below;
    };
    const auto any_of = [&](const std::vector<std::string>& all) { return all[random(all.size())]; };
    std::map<std::string, int> simulated;
    for (int n = 0; n != 400; ++n) {
        const std::string policy = any_of({"MICRO", "DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA",
                                           "HYBRID_DLRM", "HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD"});
        const bool grouped = policy.find("TRANSFORMER") != std::string::npos;
        wlfmt::analysis::chakra::options how;
        how.passes = static_cast<std::int64_t>(1 + random(2));
        how.tick = random(4) == 0 ? 0.1 : random(4) == 0 ? 1000 : 1;
        how.splits = static_cast<std::int64_t>(1 + random(4));
        std::string text = policy;
        std::uint64_t batches = 1;
        if (grouped) {
            const std::uint64_t stages = 1 + random(3);
            batches = stages == 1 ? 1 : stages * (1 + random(2));
            text += " model_parallel_NPU_group: " + std::to_string(1 + random(2)) +
                    " ep: " + std::to_string(1 + random(2)) + " pp: " + std::to_string(stages) +
                    " vpp: 2 ga: " + std::to_string(batches) + " all_gpus: " + std::to_string(stages * 4) +
                    " pp_comm: " + std::to_string(stages == 1 ? 0 : random(2) * 4096);
            how.schedule = random(3) == 0   ? wlfmt::analysis::chakra::schedule::interleaved
                           : random(2) == 0 ? wlfmt::analysis::chakra::schedule::one_forward_one_backward
                                            : wlfmt::analysis::chakra::schedule::gpipe;
        } else {
            how.ranks = static_cast<std::int64_t>(1 + random(3));
        }
        if (policy == "HYBRID_DLRM") text += " DLRM_LAST_BOTTOM_LAYER: " + std::to_string(random(4));
        std::string layers;
        std::size_t count = 0;
        for (std::uint64_t batch = 0; batch != batches; ++batch) {
            const std::vector<std::string> names =
                grouped ? std::vector<std::string>{"embedding_layer", "mlp", "mlp", "mlp", "mlp", "final_norm"}
                        : std::vector<std::string>{"a", "b", "c"};
            for (const std::string& name : names) {
                layers += name + " -1";
                for (int phase = 0; phase != 3; ++phase) {
                    layers += " " + any_of({"0", "0", "0.4", "3", "1500"});
                    layers += any_of(
                        {" NONE 0", " NONE 0", " ALLREDUCE 4096", " ALLGATHER 1", " ALLTOALL 64", " REDUCESCATTER 0"});
                }
                layers += " " + any_of({"0", "1", "0.4"}) + "\n";
                ++count;
            }
        }
        text += "\n" + std::to_string(count) + "\n" + layers;
        const std::string found = obstacle_of(text, how);
        CAPTURE(text);
        if (found == "refused") continue;
        CHECK(found == "");
        ++simulated[policy];
    }
    CHECK(simulated.size() == 8);
    for (const auto& traced : simulated) CHECK_MESSAGE(traced.second > 5, traced.first);
}

#else
TEST_CASE("chakra.hpp needs protozero and exceptions, which this program is built without") {}
#endif
