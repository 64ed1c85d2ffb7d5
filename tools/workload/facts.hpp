// What a workload file is, and what simulators make of it, in sentences. Each is said only if it is true of the file.
// The rules are from docs/parallelism.md, docs/formats.md (Pitfalls) and docs/chakra.md.
#ifndef WLFMT_TOOLS_WORKLOAD_FACTS_HPP
#define WLFMT_TOOLS_WORKLOAD_FACTS_HPP

#include <wlfmt/lint.hpp>
#include "analysis/chakra/types.hpp"
#include "analysis/simulators/simulators.hpp"

#include "../output/output.hpp"
#include "blocks.hpp"

namespace tool {

struct workload_fact {
    std::string_view about;  // "file", or the program it is true for: "simulators", "simai", "chakra"
    std::string_view name;
    std::string text;
};

// The counts of a workload file, in its header and its layers, from which the facts follow.
class workload_counts {
    using collective = wlfmt::workload::collective;
    using group = wlfmt::parallelism::group;

public:
    workload_counts(const wlfmt::workload::header& head, std::string_view whole)
        : header(head),
          text(whole),
          policy(wlfmt::parallelism::facts_of(head.policy)),
          sizes(*wlfmt::parallelism::sizes_of(head, whole)) {
        const auto declared = head.declared_layers.as<std::int64_t>().value_or(0);
        wlfmt::lint::examine(head, declared, whole, [&](const wlfmt::problem& e) { count_limit(e); });
    }
    void add(const wlfmt::workload::layer& layer) {
        ++layers;
        const bool begins_batch = layer.name == micro_batch;
        const std::string name = unnumbered(layer.name);
        if (batches != 0 && !begins_batch && first_of_block_.empty()) first_of_block_ = name;
        if (begins_batch) ++batches;
        if (!first_of_block_.empty() && name == first_of_block_) ++blocks;
        for (std::size_t n = 0; n != phase_count; ++n) add(phase_of(layer, n), n);
        if (sizes.known()) wlfmt::lint::examine(layer, sizes, text, [&](const wlfmt::problem& e) { count_limit(e); });
    }

    bool has_stages() const noexcept { return policy.has_groups && sizes.known(); }
    std::uint64_t calls(group kind) const noexcept { return calls_[static_cast<std::size_t>(kind)]; }
    // An entry of the header that counts something; nothing if it is missing or below 1.
    std::optional<std::uint64_t> entry(std::string_view key) const {
        const auto n = header.find(key).as<std::int64_t>();
        if (!n || *n < 1) return std::nullopt;
        return static_cast<std::uint64_t>(*n);
    }

    const wlfmt::workload::header& header;
    std::string_view text;
    wlfmt::parallelism::policy_facts policy;
    wlfmt::parallelism::sizes sizes;
    const std::string_view micro_batch =
        wlfmt::analysis::chakra::options().micro_batch;  // the name of a layer that begins one
    std::uint64_t layers = 0;
    std::uint64_t batches = 0;  // layers that begin a micro-batch
    std::uint64_t blocks = 0;   // layers named like the first one that follows such a layer
    // The numbers of collectives:
    std::uint64_t silent = 0;   // NONE in a phase that Chakra's converter traces
    std::uint64_t unknown = 0;  // collectives with names that simulators do not know
    std::uint64_t broadcasts = 0;
    std::uint64_t joint = 0;  // ALLREDUCEALLTOALL
    std::uint64_t gathers = 0;
    std::uint64_t named_data = 0;  // collectives with the suffix _DP
    std::uint64_t refused = 0;     // collectives without a counterpart in what `wlfmt chakra` writes
    // What simulators cannot take, and how often each of these is found.
    std::vector<std::pair<const wlfmt::lint::simulator_limit*, std::uint64_t>> limits;

private:
    void add(const wlfmt::workload::phase& phase, std::size_t n) {
        const auto c = wlfmt::workload::communication_of(phase.comm);
        const bool is_traced = policy.communicates[n];
        if (c.collective == collective::none) {
            silent += is_traced ? 1U : 0U;
            return;
        }
        const bool is_nameless = phase.comm == "None";
        unknown += c.collective == collective::other && !is_nameless ? 1U : 0U;
        broadcasts += c.collective == collective::broadcast ? 1U : 0U;
        joint += c.collective == collective::allreduce_all_to_all ? 1U : 0U;
        gathers += c.collective == collective::allgather ? 1U : 0U;
        named_data += c.group == wlfmt::workload::group::data_parallel ? 1U : 0U;
        if (is_traced && !is_nameless) {
            const bool has_node = c.collective != collective::other && c.collective != collective::broadcast &&
                                  c.collective != collective::all_to_all_v &&
                                  c.collective != collective::allreduce_all_to_all;
            const bool has_group = c.group == wlfmt::workload::group::by_phase || policy.has_groups;
            refused += has_node && has_group ? 0 : 1;
        }
        if (const auto kind = wlfmt::parallelism::group_of(static_cast<wlfmt::parallelism::phase>(n), c))
            ++calls_[static_cast<std::size_t>(*kind)];
    }
    void count_limit(const wlfmt::problem& e) {
        const wlfmt::lint::simulator_limit* const limit = wlfmt::lint::limit_of(e);
        if (limit == nullptr) return;
        for (auto& [known, count] : limits)
            if (known == limit) return void(++count);
        limits.push_back({limit, 1});
    }

    std::string first_of_block_;
    std::uint64_t calls_[wlfmt::parallelism::group_count] = {};
};

// Turns the counts into sentences.
class workload_facts {
public:
    explicit workload_facts(const workload_counts& file) : file_(file) {
        if (file.has_stages()) {
            say_stages();
            say_micro_batches();
        }
        say_simulators();
        say_simai();
        say_chakra();
    }
    std::vector<workload_fact> take() { return std::move(facts_); }

private:
    void say(std::string_view about, std::string_view name, parts text) {
        facts_.push_back({about, name, joined(text)});
    }

    // What SimAI does with so many of something that it does not take.
    void say_condition(std::string_view name, std::uint64_t count = 1) {
        const auto& row = wlfmt::analysis::simulators::condition_named(name);
        say("simai", name,
            {row.simulator, " does not take a file with ", row.what,
             count > 1 ? joined({", of which there are ", count}) : "", ": ", row.result});
    }

    void say_stages() {
        const std::int64_t stages = file_.sizes.pipeline;
        if (stages == 1) return say("file", "whole_model", {"it holds the whole model, which has one pipeline stage"});
        const std::string all_stages = joined({stages, " pipeline stages"});
        const auto vpp = file_.entry("vpp");
        const std::string blocks = file_.batches == 0 ? ""
                                                      : counted(file_.blocks / file_.batches, "block", "blocks") +
                                                            " of layers in a micro-batch";
        if (vpp && file_.batches != 0 && file_.blocks == file_.batches * *vpp)
            return say("file", "one_stage", {"it holds one of ", all_stages, ": it has ", blocks, ", as vpp says"});
        if (vpp && file_.batches != 0 && *vpp <= file_.blocks &&
            file_.blocks == file_.batches * *vpp * static_cast<std::uint64_t>(stages))
            return say("file", "all_stages", {"it holds all ", all_stages, ": it has ", blocks, ", pp times vpp"});
        const std::string found = counted(file_.batches, "micro-batch", "micro-batches");
        const std::string why = file_.batches == 0 ? joined({"no layer is called ", file_.micro_batch})
                                : !vpp             ? "vpp is missing"
                                       : joined({"it has ", file_.blocks, " blocks in ", found, ", and vpp is ", *vpp});
        say("file", "unknown_stages", {"whether it holds one or all of ", all_stages, " cannot be told: ", why});
    }
    void say_micro_batches() {
        const auto ga = file_.entry("ga");
        if (!ga) return;
        if (file_.batches == *ga && *ga == 1)
            say("file", "one_micro_batch", {"it holds one micro-batch, which is all of them: ga is 1"});
        else if (file_.batches == *ga)
            say("file", "all_micro_batches",
                {"it holds all ", *ga, " micro-batches (ga), one after the other: sums are those of a step"});
        else if (file_.batches == 1)
            say("file", "first_micro_batch",
                {"it holds one micro-batch, and ga is ", *ga, ": sums are those of one of them"});
        else if (file_.batches != 0)
            say("file", "other_micro_batches",
                {"it holds ", file_.batches, " layers called ", file_.micro_batch,
                 ", each of which begins a micro-batch, and ga is ", *ga});
        else if (*ga > 1)
            say("file", "unknown_micro_batches",
                {"whether it holds the ", *ga, " micro-batches (ga) cannot be told: no layer is called ",
                 file_.micro_batch});
    }
    void say_simulators() {
        if (!file_.policy.is_known)
            say("simulators", "unknown_policy", {"no simulator that is known has the policy ", file_.header.policy});
        else if (!file_.policy.is_simulated)
            say("simulators", "policy_of_forks",
                {"neither ASTRA-sim nor SimAI has the policy ", file_.header.policy, ", which forks of them have"});
        if (file_.policy.is_simulated && file_.policy.has_groups && file_.header.find("all_gpus").is_missing())
            say("simulators", "no_ranks",
                {"the header has no all_gpus, as in files for ASTRA-sim 1.0: the simulator has to be told of how many "
                 "ranks it is"});
        if (file_.unknown != 0)
            say("simulators", "unknown_collectives",
                {"ASTRA-sim and SimAI take ", counted(file_.unknown, "collective", "collectives"),
                 " of a name that they do not know for no communication"});
    }
    void say_simai() {
        if (!file_.policy.is_simulated) return;
        const auto declared = file_.header.declared_layers.as<std::int64_t>();
        const auto layers = static_cast<std::uint64_t>(declared.value_or(-1));
        if (declared && *declared >= 0 && layers < file_.layers) say_condition("fewer_layers");
        if (declared && *declared > 0 && layers > file_.layers) say_condition("missing_layers", layers - file_.layers);
        if (file_.joint != 0) say_condition("joint_collectives", file_.joint);
        if (file_.broadcasts != 0) say_condition("broadcasts", file_.broadcasts);
        if (file_.named_data != 0) say_condition("data_suffix", file_.named_data);
        bool differ = false;
        for (const std::string_view key : {"checkpoints", "checkpoint_initiates"}) {
            const auto list = key == "checkpoints" ? file_.header.checkpoints() : file_.header.checkpoint_initiates();
            for (const std::int64_t n : list) differ = differ || n != *list.begin();
        }
        if (differ) say_condition("first_checkpoint");
        for (const auto& [limit, count] : file_.limits) {
            if (limit->name == "no_expert_groups" && file_.calls(wlfmt::parallelism::group::expert_parallel) == 0)
                continue;
            say_condition(limit->name, count);
        }
        if (!file_.has_stages()) return;
        if (file_.sizes.pipeline > 1) {
            say("simai", "one_stage",
                {"SimAI simulates these layers on all ranks, as one stage, and adds what ",
                 counted(static_cast<std::uint64_t>(file_.sizes.pipeline) - 1, "further stage takes",
                         "further stages take"),
                 " by a formula"});
            const auto data = wlfmt::parallelism::simai_sizes(file_.sizes).data;
            if (file_.calls(wlfmt::parallelism::group::data_parallel) != 0 && data != file_.sizes.data)
                say("simai", "data_groups",
                    {"SimAI's data parallel groups have ", data, " ranks, of all stages; AICB's and Megatron's ",
                     file_.sizes.data});
        }
    }
    void say_chakra() {
        if (!file_.policy.is_traced)
            return say("chakra", "refused_policy",
                       {"neither Chakra's converter nor `wlfmt chakra` takes the policy ", file_.header.policy});
        if (file_.policy.has_groups) {
            say("chakra", "own_policy",
                {"Chakra's converter does not have the policy; `wlfmt chakra` traces what SimAI simulates, every stage "
                 "with the layers of the file"});
            if (file_.gathers != 0)
                say("chakra", "gathers",
                    {"`wlfmt chakra` takes the bytes of an ALLGATHER for ",
                     file_.header.find("all_gpus").is_missing()
                         ? "those of one rank, as in files for ASTRA-sim 1.0: there is no all_gpus"
                         : "those of all ranks of its group, as SimAI does"});
        } else {
            say("chakra", "all_ranks", {"to Chakra's converter each collective is one of all ranks"});
            if (file_.silent != 0)
                say("chakra", "silent_collectives",
                    {"Chakra's converter makes an all-reduce of ", counted(file_.silent, "NONE", "NONE"),
                     ", of which `wlfmt chakra` makes nothing"});
        }
        if (file_.refused != 0)
            say("chakra", "refused_collectives",
                {"`wlfmt chakra` refuses the file: ", counted(file_.refused, "collective has", "collectives have"),
                 " no counterpart there"});
        if (!file_.has_stages() || file_.sizes.pipeline < 2) return;
        if (file_.header.pipeline_bytes().as<std::int64_t>().value_or(0) <= 0)
            return say("chakra", "no_messages",
                       {"without pp_comm there are no messages between the stages: in a trace they run side by side"});
        const std::uint64_t expected = file_.entry("ga").value_or(1);
        if (expected != file_.batches && !(expected == 1 && file_.batches == 0))
            say("chakra", "other_micro_batches",
                {"`wlfmt chakra` refuses the file: ", counted(file_.batches, "layer begins", "layers begin"),
                 " a micro-batch, and ga is ", expected});
    }

    const workload_counts& file_;
    std::vector<workload_fact> facts_;
};

}  // namespace tool

#endif
