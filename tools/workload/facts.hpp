// What a workload file is, and what simulators make of it, in sentences. Each is said only where it is true; where the
// rules come from: docs/parallelism.md, docs/formats.md (Pitfalls) and docs/chakra.md.
#ifndef WLFMT_TOOLS_WORKLOAD_FACTS_HPP
#define WLFMT_TOOLS_WORKLOAD_FACTS_HPP

#include <wlfmt/lint.hpp>
#include <wlfmt/types/chakra.hpp>

#include "../output/output.hpp"
#include "blocks.hpp"

namespace tool {

struct workload_fact {
    std::string_view about;  // "file", or who makes that of it: "simulators", "simai", "chakra"
    std::string_view name;
    std::string text;
};

class workload_facts {
public:
    workload_facts(const wlfmt::workload::header& head, std::string_view text)
        : head_(head),
          text_(text),
          policy_(wlfmt::parallelism::facts_of(head.policy)),
          sizes_(*wlfmt::parallelism::sizes_of(head, text)) {
        const auto layers = head.declared_layers.as<std::int64_t>().value_or(0);
        wlfmt::lint::examine(head, layers, text, [&](const wlfmt::problem& e) { count_limit(e); });
    }

    void add(const wlfmt::workload::layer& one) {
        ++layers_;
        const bool begins = one.name == micro_batch_;
        if (began_ && !begins && first_of_block_.empty()) first_of_block_ = unnumbered(one.name);
        began_ = began_ || begins;
        batches_ += begins ? 1U : 0U;
        blocks_ += !first_of_block_.empty() && unnumbered(one.name) == first_of_block_ ? 1U : 0U;
        for (std::size_t n = 0; n != phase_count; ++n) add(phase_of(one, n), n);
        if (sizes_.known()) wlfmt::lint::examine(one, sizes_, text_, [&](const wlfmt::problem& e) { count_limit(e); });
    }
    // After the last layer.
    std::vector<workload_fact> take() {
        if (has_stages()) {
            say_stages();
            say_micro_batches();
        }
        say_simulators();
        say_simai();
        say_chakra();
        return std::move(all_);
    }

private:
    using collective = wlfmt::workload::collective;
    using group = wlfmt::parallelism::group;

    void add(const wlfmt::workload::phase& p, std::size_t n) {
        const auto c = wlfmt::workload::communication_of(p.comm);
        const bool is_traced = policy_.communicates[n];
        if (c.collective == collective::none) {
            silent_ += is_traced ? 1U : 0U;
            return;
        }
        const bool is_nameless = p.comm == "None";
        unknown_ += c.collective == collective::other && !is_nameless ? 1U : 0U;
        broadcasts_ += c.collective == collective::broadcast ? 1U : 0U;
        joint_ += c.collective == collective::allreduce_all_to_all ? 1U : 0U;
        gathers_ += c.collective == collective::allgather ? 1U : 0U;
        named_data_ += c.group == wlfmt::workload::group::data_parallel ? 1U : 0U;
        if (is_traced && !is_nameless) {
            const bool has_node = c.collective != collective::other && c.collective != collective::broadcast &&
                                  c.collective != collective::all_to_all_v &&
                                  c.collective != collective::allreduce_all_to_all;
            const bool in_group = c.group == wlfmt::workload::group::by_phase || policy_.has_groups;
            refused_ += has_node && in_group ? 0 : 1;
        }
        if (const auto g = wlfmt::parallelism::group_of(static_cast<wlfmt::parallelism::phase>(n), c))
            ++calls_[static_cast<std::size_t>(*g)];
    }
    void count_limit(const wlfmt::problem& e) {
        const wlfmt::lint::simulator_limit* const limit = wlfmt::lint::limit_of(e);
        if (limit == nullptr) return;
        for (auto& [known, count] : limits_)
            if (known == limit) return void(++count);
        limits_.push_back({limit, 1});
    }
    bool has_stages() const noexcept { return policy_.has_groups && sizes_.known(); }
    std::uint64_t calls(group of) const noexcept { return calls_[static_cast<std::size_t>(of)]; }
    // An entry that counts something; nothing if it is missing or counts nothing.
    std::optional<std::uint64_t> entry(std::string_view key) const {
        const auto n = head_.find(key).as<std::int64_t>();
        if (!n || *n < 1) return std::nullopt;
        return static_cast<std::uint64_t>(*n);
    }
    void say(std::string_view about, std::string_view name, parts text) { all_.push_back({about, name, joined(text)}); }

    void say_stages() {
        const std::int64_t stages = sizes_.pipeline;
        if (stages == 1) return say("file", "whole_model", {"it holds the whole model, which has one pipeline stage"});
        const std::string of = joined({stages, " pipeline stages"});
        const auto vpp = entry("vpp");
        const std::string blocks =
            batches_ == 0 ? "" : counted(blocks_ / batches_, "block", "blocks") + " of layers in a micro-batch";
        if (vpp && batches_ != 0 && blocks_ == batches_ * *vpp)
            return say("file", "one_stage", {"it holds one of ", of, ": it has ", blocks, ", as vpp says"});
        if (vpp && batches_ != 0 && *vpp <= blocks_ && blocks_ == batches_ * *vpp * static_cast<std::uint64_t>(stages))
            return say("file", "all_stages", {"it holds all ", of, ": it has ", blocks, ", pp times vpp"});
        const std::string why =
            batches_ == 0 ? joined({"no layer is called ", micro_batch_})
            : !vpp        ? "vpp is missing"
                   : joined({"it has ", blocks_, " blocks in ", counted(batches_, "micro-batch", "micro-batches"),
                             ", and vpp is ", *vpp});
        say("file", "unknown_stages", {"whether it holds one or all of ", of, " cannot be told: ", why});
    }
    void say_micro_batches() {
        const auto ga = entry("ga");
        if (!ga) return;
        if (batches_ == *ga && *ga == 1)
            say("file", "one_micro_batch", {"it holds one micro-batch, which is all of them: ga is 1"});
        else if (batches_ == *ga)
            say("file", "all_micro_batches",
                {"it holds all ", *ga, " micro-batches (ga), one after the other: sums are those of a step"});
        else if (batches_ == 1)
            say("file", "first_micro_batch",
                {"it holds one micro-batch, and ga is ", *ga, ": sums are those of one of them"});
        else if (batches_ != 0)
            say("file", "other_micro_batches",
                {"it holds ", batches_, " layers called ", micro_batch_,
                 ", each of which begins a micro-batch, and ga is ", *ga});
        else if (*ga > 1)
            say("file", "unknown_micro_batches",
                {"whether it holds the ", *ga, " micro-batches (ga) cannot be told: no layer is called ",
                 micro_batch_});
    }
    void say_simulators() {
        if (!policy_.is_known)
            say("simulators", "unknown_policy", {"no simulator that is known has the policy ", head_.policy});
        else if (!policy_.is_simulated)
            say("simulators", "policy_of_forks",
                {"neither ASTRA-sim nor SimAI has the policy ", head_.policy, ", which forks of them have"});
        if (policy_.is_simulated && policy_.has_groups && head_.find("all_gpus").is_missing())
            say("simulators", "no_ranks",
                {"the header has no all_gpus, as in files for ASTRA-sim 1.0: the simulator has to be told of how many "
                 "ranks it is"});
        if (unknown_ != 0)
            say("simulators", "unknown_collectives",
                {"ASTRA-sim and SimAI take ", counted(unknown_, "collective", "collectives"),
                 " of a name that they do not know for no communication"});
    }
    void say_simai() {
        if (!policy_.is_simulated) return;
        const auto declared = head_.declared_layers.as<std::int64_t>();
        const auto layers = static_cast<std::uint64_t>(declared.value_or(-1));
        if (declared && *declared >= 0 && layers < layers_)
            say("simai", "fewer_layers",
                {"SimAI reads the first ", layers, " of the ", counted(layers_, "layer", "layers"),
                 ", as many as are declared"});
        if (declared && *declared > 0 && layers > layers_)
            say("simai", "missing_layers",
                {"SimAI reads garbage for ", counted(layers - layers_, "layer", "layers"),
                 " that the header declares and the file lacks"});
        if (joint_ != 0)
            say("simai", "joint_collectives",
                {"SimAI takes ",
                 counted(joint_, "ALLREDUCEALLTOALL for an ALLREDUCE", "ALLREDUCEALLTOALL for ALLREDUCE")});
        if (broadcasts_ != 0)
            say("simai", "broadcasts",
                {counted(broadcasts_, "BROADCAST is", "BROADCASTs are"), " no communication to SimAI"});
        if (named_data_ != 0)
            say("simai", "data_suffix",
                {"SimAI gives no group to ", counted(named_data_, "collective", "collectives"),
                 " with the suffix _DP"});
        for (const std::string_view key : {"checkpoints", "checkpoint_initiates"}) {
            const auto list = key == "checkpoints" ? head_.checkpoints() : head_.checkpoint_initiates();
            bool differ = false;
            for (const std::int64_t n : list) differ = differ || n != *list.begin();
            if (differ)
                say("simai", "first_checkpoint",
                    {"SimAI takes the first layer of ", key, " for all layers of the list"});
        }
        for (const auto& [limit, count] : limits_) {
            if (limit->name == "no_expert_groups" && calls(group::expert_parallel) == 0) continue;
            say("simai", limit->name,
                {limit->simulator, " cannot take ", limit->condition,
                 count > 1 ? joined({", of which there are ", count}) : "", ": ", limit->result});
        }
        if (!has_stages()) return;
        if (sizes_.pipeline > 1) {
            say("simai", "one_stage",
                {"SimAI simulates these layers on all ranks, as one stage, and adds what ",
                 counted(static_cast<std::uint64_t>(sizes_.pipeline) - 1, "further stage takes", "further stages take"),
                 " by a formula"});
            const auto data = wlfmt::parallelism::simai_sizes(sizes_).data;
            if (calls(group::data_parallel) != 0 && data != sizes_.data)
                say("simai", "data_groups",
                    {"SimAI's data parallel groups have ", data, " ranks, of all stages; AICB's and Megatron's ",
                     sizes_.data});
        }
    }
    void say_chakra() {
        if (!policy_.is_traced)
            return say("chakra", "refused_policy",
                       {"neither Chakra's converter nor `wlfmt chakra` takes the policy ", head_.policy});
        if (policy_.has_groups) {
            say("chakra", "own_policy",
                {"Chakra's converter does not have the policy; `wlfmt chakra` traces what SimAI simulates, every stage "
                 "with the layers of the file"});
            if (gathers_ != 0)
                say("chakra", "gathers",
                    {"`wlfmt chakra` takes the bytes of an ALLGATHER for ",
                     head_.find("all_gpus").is_missing()
                         ? "those of one rank, as in files for ASTRA-sim 1.0: there is no all_gpus"
                         : "those of all ranks of its group, as SimAI does"});
        } else {
            say("chakra", "all_ranks", {"to Chakra's converter each collective is one of all ranks"});
            if (silent_ != 0)
                say("chakra", "silent_collectives",
                    {"Chakra's converter makes an all-reduce of ", counted(silent_, "NONE", "NONE"),
                     ", of which `wlfmt chakra` makes nothing"});
        }
        if (refused_ != 0)
            say("chakra", "refused_collectives",
                {"`wlfmt chakra` refuses the file: ", counted(refused_, "collective has", "collectives have"),
                 " no counterpart there"});
        if (!has_stages() || sizes_.pipeline < 2) return;
        if (head_.pipeline_bytes().as<std::int64_t>().value_or(0) <= 0)
            return say("chakra", "no_messages",
                       {"without pp_comm there are no messages between the stages: in a trace they run side by side"});
        const std::uint64_t expected = entry("ga").value_or(1);
        if (expected != batches_ && !(expected == 1 && batches_ == 0))
            say("chakra", "other_micro_batches",
                {"`wlfmt chakra` refuses the file: ", counted(batches_, "layer begins", "layers begin"),
                 " a micro-batch, and ga is ", expected});
    }

    const wlfmt::workload::header& head_;
    std::string_view text_;
    wlfmt::parallelism::policy_facts policy_;
    wlfmt::parallelism::sizes sizes_;
    const std::string_view micro_batch_ = wlfmt::chakra::options().micro_batch;  // the layer that begins one
    std::vector<workload_fact> all_;
    std::string first_of_block_;
    bool began_ = false;
    std::uint64_t layers_ = 0;
    std::uint64_t batches_ = 0;  // layers that begin a micro-batch
    std::uint64_t blocks_ = 0;
    std::uint64_t calls_[wlfmt::parallelism::group_count] = {};
    std::uint64_t silent_ = 0;  // NONE in a phase that Chakra's converter traces
    std::uint64_t unknown_ = 0;
    std::uint64_t broadcasts_ = 0;
    std::uint64_t joint_ = 0;
    std::uint64_t gathers_ = 0;
    std::uint64_t named_data_ = 0;
    std::uint64_t refused_ = 0;
    std::vector<std::pair<const wlfmt::lint::simulator_limit*, std::uint64_t>> limits_;  // and how often each is found
};

}  // namespace tool

#endif
