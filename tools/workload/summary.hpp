// summary of a workload file: its header, what follows from it, and what is computed and communicated.
#ifndef WLFMT_TOOLS_WORKLOAD_SUMMARY_HPP
#define WLFMT_TOOLS_WORKLOAD_SUMMARY_HPP

#include <array>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "blocks.hpp"
#include "facts.hpp"

namespace tool {

// The calls of a collective in a phase, and their bytes.
struct call_sum {
    std::uint64_t count = 0;
    double bytes = 0;
};
// What goes over the wire in the groups of one kind. Bytes that the file does not give are in no sum.
struct group_traffic {
    wlfmt::parallelism::group kind;
    std::int64_t ranks = 0;   // the size of a group
    std::int64_t groups = 0;  // the number of groups of this kind
    wlfmt::parallelism::tally phases[phase_count];
    wlfmt::parallelism::tally all;  // the sum of the phases
    double job_sends = 0;           // the bytes of all ranks together

    // A group of one rank sends nothing.
    bool is_silent() const noexcept { return all.count == 0 || ranks == 1; }
    bool knows_all() const noexcept { return all.unknown == 0; }
    bool knows_any() const noexcept { return all.unknown != all.count; }
};
inline std::vector<group_traffic> traffic_of(const wlfmt::parallelism::sizes& sizes,
                                             const wlfmt::parallelism::traffic& traffic) {
    using wlfmt::parallelism::group;
    const wlfmt::parallelism::layout ranks(sizes);
    std::vector<group_traffic> kinds;
    for (const group kind : {group::tensor_parallel, group::data_parallel, group::expert_parallel,
                             group::expert_data_parallel, group::pipeline_parallel}) {
        group_traffic& sums = kinds.emplace_back();
        sums.kind = kind;
        sums.ranks = ranks.size(kind);
        sums.groups = ranks.count(kind);
        sums.all = traffic.rank(kind);
        for (std::size_t n = 0; n != phase_count; ++n) {
            const auto phase = static_cast<wlfmt::parallelism::phase>(n);
            sums.phases[n] = traffic.rank(phase, kind);
            sums.job_sends += traffic.job_wire(phase, kind);
        }
    }
    return kinds;
}

// Shows a workload file to people, or writes it as JSON for programs.
class workload_summary {
public:
    workload_summary(input& from, const settings& s, report& r) : name_(from.name()) {
        const std::string_view text = from.whole();
        r.about(text);
        wlfmt::workload::reader file(text, options_for(s, r));
        const auto sizes = wlfmt::parallelism::sizes_of(file.header(), text);
        wlfmt::parallelism::traffic traffic(*sizes);
        traffic.add_pipeline(file.header());
        workload_counts counts(file.header(), text);
        while (const wlfmt::workload::layer* layer = file.next()) {
            counts.add(*layer);
            traffic.add(*layer);
            blocks_.add(*layer);
            add(*layer);
        }
        if (!file.ok()) r.error(file.error());
        if (sizes->known()) groups_ = traffic_of(*sizes, traffic);
        folded_ = blocks_.blocks();
        facts_ = workload_facts(counts).take();
        if (s.json || s.partial) put(file.header());
        else print(file.header());
    }

private:
    void add(const wlfmt::workload::layer& layer) {
        layers_.push_back(layer);
        sums_.add(layer);
        for (std::size_t n = 0; n != phase_count; ++n) {
            const wlfmt::workload::phase& phase = phase_of(layer, n);
            if (!communicates(phase)) continue;
            call_sum& calls = calls_[std::string(phase.comm)][n];
            ++calls.count;
            calls.bytes += bytes_of(phase);
        }
    }
    static std::string title_of(const wlfmt::workload::entry& e) {
        return e.key.empty() ? "last bottom layer" : std::string(e.key);
    }
    static call_sum sum_of(const std::array<call_sum, phase_count>& calls) noexcept {
        return {calls[0].count + calls[1].count + calls[2].count, calls[0].bytes + calls[1].bytes + calls[2].bytes};
    }

    void print(const wlfmt::workload::header& head) const {
        print_title(
            joined({name_, ": workload, policy ", head.policy, ", ", counted(layers_.size(), "layer", "layers")}));
        grid entries;
        for (const wlfmt::workload::entry& e : head.entries) entries.row({title_of(e), e.value});
        entries.print();
        if (!facts_.empty()) print_gap();
        for (const workload_fact& fact : facts_) print_note(fact.text);
        print_gap();
        grid times;
        times.row({"compute", "time", "share"});
        for (std::size_t n = 0; n != phase_count; ++n)
            times.row({phase_name(n), fixed(sums_.ticks[n], 0), share(sums_.ticks[n], sums_.all_ticks())});
        times.row({"all", fixed(sums_.all_ticks(), 0), share(sums_.all_ticks(), sums_.all_ticks())});
        times.row({"update", fixed(sums_.ticks[update_time], 0)});
        times.print();
        print_blocks();
        if (!groups_.empty()) print_groups();
        if (calls_.empty()) return;
        print_gap();
        grid bytes;
        bytes.row({"bytes", "count", phase_name(0), phase_name(1), phase_name(2), "all"});
        for (const auto& [token, calls] : calls_) {
            bytes.row({token, sum_of(calls).count});
            for (const call_sum& phase : calls) bytes.add({fixed(phase.bytes, 0)});
            bytes.add({fixed(sum_of(calls).bytes, 0)});
        }
        bytes.print();
    }
    layer_sums sums_of(const layer_blocks::block& block) const {
        layer_sums sums;
        for (std::size_t n = block.first; n != block.first + block.size(); ++n) sums.add(layers_[n]);
        return sums;
    }
    // Prints the layers as blocks that repeat; if there are many, only the first ones.
    void print_blocks() const {
        constexpr std::size_t max_blocks = 40;
        if (folded_.empty()) return;
        grid lines;
        lines.row({"layers"});
        for (const char* sum : {"compute: ", "bytes: "})
            lines.add({joined({sum, phase_name(0)}), phase_name(1), phase_name(2)});
        for (std::size_t n = 0; n != (std::min)(folded_.size(), max_blocks); ++n) {
            lines.row({blocks_.title_of({folded_[n]})});
            const layer_sums sums = sums_of(folded_[n]);
            for (std::size_t k = 0; k != phase_count; ++k) lines.add({fixed(sums.ticks[k], 0)});
            for (const double bytes : sums.bytes) lines.add({fixed(bytes, 0)});
        }
        print_gap();
        lines.print();
        if (folded_.size() > max_blocks) print_note({"and ", folded_.size() - max_blocks, " more blocks of layers"});
    }
    // Prints how large the groups are, and what goes over the wire in each of them.
    void print_groups() const {
        grid lines;
        lines.row(
            {"group", "ranks", "groups", phase_name(0), phase_name(1), phase_name(2), "a rank sends", "the job sends"});
        for (const group_traffic& g : groups_) {
            lines.row({name_of(g.kind), g.ranks, g.groups});
            for (const wlfmt::parallelism::tally& phase : g.phases)
                lines.add({phase.count == 0 || g.ranks == 1 ? "-"
                           : phase.count == phase.unknown   ? "unknown"
                                                            : sized(phase.wire)});
            for (const double bytes : {g.all.wire, g.job_sends})
                lines.add({g.is_silent()   ? "-"
                           : g.knows_all() ? sized(bytes)
                           : g.knows_any() ? "at least " + sized(bytes)
                                           : "unknown"});
        }
        print_gap();
        lines.print();
    }

    template <class Line> static void put_phases(Line& json, const double* values) {
        for (std::size_t n = 0; n != phase_count; ++n) put_decimal(json, phase_name(n), values[n]);
    }
    // Writes a line of JSON. What the file does not say has no key.
    void put(const wlfmt::workload::header& head) const {
        print_object([&](auto& json) {
            put_text(json, "name", name_);
            put_text(json, "format", name_of(wlfmt::file_format::workload));
            put_text(json, "policy", head.policy);
            put_count(json, "layers", layers_.size());
            put_object(json, "header", [&] {
                for (const wlfmt::workload::entry& e : head.entries) put_text(json, title_of(e), e.value);
            });
            put_objects(json, "facts", facts_, [&](const workload_fact& fact) {
                put_text(json, "about", fact.about);
                put_text(json, "name", fact.name);
                put_text(json, "text", fact.text);
            });
            put_object(json, "compute", [&] {
                put_phases(json, sums_.ticks);
                put_decimal(json, "all", sums_.all_ticks());
                put_decimal(json, "update", sums_.ticks[update_time]);
            });
            put_objects(json, "blocks", folded_, [&](const layer_blocks::block& block) {
                const layer_sums sums = sums_of(block);
                put_count(json, "times", block.times);
                put_texts(json, "layers", blocks_.names_in(block));
                put_object(json, "compute", [&] { put_phases(json, sums.ticks); });
                put_object(json, "bytes", [&] { put_phases(json, sums.bytes); });
            });
            put_objects(json, "groups", groups_, [&](const group_traffic& g) {
                put_text(json, "group", name_of(g.kind));
                put_numbers(json, {{"ranks", g.ranks}, {"groups", g.groups}});
                for (std::size_t n = 0; n != phase_count; ++n)
                    if (g.phases[n].count != g.phases[n].unknown && g.ranks != 1)
                        put_decimal(json, phase_name(n), g.phases[n].wire);
                if (g.is_silent() || !g.knows_any()) return;
                put_decimal(json, "rank_sends", g.all.wire);
                put_decimal(json, "job_sends", g.job_sends);
                if (!g.knows_all()) put_text(json, "limit", "least");
            });
            put_objects(json, "bytes", calls_, [&](const auto& item) {
                put_text(json, "collective", item.first);
                put_count(json, "count", sum_of(item.second).count);
                for (std::size_t n = 0; n != phase_count; ++n) put_decimal(json, phase_name(n), item.second[n].bytes);
                put_decimal(json, "all", sum_of(item.second).bytes);
            });
        });
    }

    std::string_view name_;
    layer_sums sums_;
    // The sums of each phase, by the collective's token.
    keyed<std::string, std::array<call_sum, phase_count>> calls_;
    std::vector<group_traffic> groups_;
    std::vector<workload_fact> facts_;
    std::vector<wlfmt::workload::layer> layers_;
    layer_blocks blocks_;
    std::vector<layer_blocks::block> folded_;
};

}  // namespace tool

#endif
