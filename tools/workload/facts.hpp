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
    workload_counts(const wlfmt::workload::header& head, std::string_view whole);
    void add(const wlfmt::workload::layer& layer);

    bool has_stages() const noexcept { return policy.has_groups && sizes.known(); }
    std::uint64_t calls(group kind) const noexcept { return calls_[static_cast<std::size_t>(kind)]; }
    // An entry of the header that counts something; nothing if it is missing or below 1.
    std::optional<std::uint64_t> entry(std::string_view key) const;

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
    void add(const wlfmt::workload::phase& phase, std::size_t n);
    void count_limit(const wlfmt::problem& e);

    std::string first_of_block_;
    std::uint64_t calls_[wlfmt::parallelism::group_count] = {};
};

// Turns the counts into sentences.
class workload_facts {
public:
    explicit workload_facts(const workload_counts& file);
    std::vector<workload_fact> take() { return std::move(facts_); }

private:
    void say(std::string_view about, std::string_view name, parts text);

    // What SimAI does with so many of something that it does not take.
    void say_condition(std::string_view name, std::uint64_t count = 1);
    void say_stages();
    void say_micro_batches();
    void say_simulators();
    void say_simai();
    void say_chakra();

    const workload_counts& file_;
    std::vector<workload_fact> facts_;
};

}  // namespace tool

#endif
