// What each of two workload files computes and communicates in all.
#ifndef WLFMT_TOOLS_WORKLOAD_SUMS_HPP
#define WLFMT_TOOLS_WORKLOAD_SUMS_HPP

#include "../output/compared.hpp"
#include "blocks.hpp"

namespace tool {

// The calls of a collective in a group of ranks and a phase.
struct call_line {
    std::string_view group;
    std::string collective;
    std::string_view phase;
    compared_sum calls;
    compared_sum bytes;
    bool is_of_header = false;  // the headers tell it, whatever layers are missing
};

class workload_sums {
public:
    workload_sums(const wlfmt::workload::document& before, const wlfmt::workload::document& after) {
        add_layers(before, false);
        add_layers(after, true);
        add_messages(before.header, after.header);
        for (const call_line& call : calls) {
            all_calls.add(call.calls);
            all_bytes.add(call.bytes);
        }
        for (std::size_t n = 0; n != phase_count; ++n) all_ticks.add(ticks[n]);
    }

    std::vector<call_line> calls;
    compared_sum ticks[time_count];
    compared_sum all_ticks;  // the compute of the phases, without updates
    compared_sum all_calls;
    compared_sum all_bytes;
    // Set if only one of the files says what its pipeline stages send each other: true if the second one does not.
    // `calls` then lacks these messages.
    std::optional<bool> second_lacks_messages;

private:
    call_line& calls_of(std::string_view group, const std::string& collective, std::string_view phase) {
        const std::size_t place = call_places_.number_of(joined({group, "\n", collective, "\n", phase}));
        if (place == calls.size()) calls.push_back({group, collective, phase, {}, {}, false});
        return calls[place];
    }
    void add_layers(const wlfmt::workload::document& file, bool second) {
        for (const wlfmt::workload::layer& layer : file.layers) {
            for (std::size_t n = 0; n != phase_count; ++n) {
                const wlfmt::workload::phase& p = phase_of(layer, n);
                ticks[n].side(second) += p.compute.value_or(0.0);
                if (!communicates(p)) continue;
                const auto c = wlfmt::workload::communication_of(p.comm);
                const auto group = wlfmt::parallelism::group_of(static_cast<wlfmt::parallelism::phase>(n), c);
                call_line& call =
                    calls_of(group ? wlfmt::parallelism::name_of(*group) : "unknown",
                             group ? std::string(name_of(c.collective)) : std::string(p.comm), phase_name(n));
                ++call.calls.side(second);
                call.bytes.side(second) += bytes_of(p);
            }
            ticks[update_time].side(second) += layer.update.value_or(0.0);
        }
    }
    // Adds what the pipeline stages send each other, if both headers give it.
    void add_messages(const wlfmt::workload::header& before, const wlfmt::workload::header& after) {
        constexpr auto pipeline = wlfmt::parallelism::group::pipeline_parallel;
        const stage_messages sent[2] = {messages_of(before), messages_of(after)};
        if (!sent[0].is_known || !sent[1].is_known) {
            for (const bool second : {false, true})
                if (!sent[second].is_known && sent[!second].is_known && (sent[second].any || sent[!second].any))
                    second_lacks_messages = second;
            return;
        }
        if (!sent[0].any && !sent[1].any) return;
        for (std::size_t n = 0; n != sending_phases; ++n) {
            call_line& messages = calls_of(wlfmt::parallelism::name_of(pipeline), "message", phase_name(n));
            messages.is_of_header = true;
            messages.calls = {sent[0].count[n], sent[1].count[n]};
            messages.bytes = {sent[0].bytes[n], sent[1].bytes[n]};
        }
    }
    // Stages send each other the results of the forward pass, and the gradients of their inputs.
    static constexpr std::size_t sending_phases = 2;
    struct stage_messages {
        bool is_known = false;
        bool any = false;  // there are messages, even if their bytes are not known
        double count[sending_phases] = {};
        double bytes[sending_phases] = {};
    };
    static stage_messages messages_of(const wlfmt::workload::header& head) {
        stage_messages sent;
        const auto sizes = wlfmt::parallelism::sizes_of(head, head.source);
        sent.is_known = sizes->known();
        if (!sent.is_known) return sent;
        wlfmt::parallelism::traffic moved(*sizes);
        moved.add_pipeline(head);
        for (std::size_t n = 0; n != sending_phases; ++n) {
            const wlfmt::parallelism::tally t =
                moved.rank(static_cast<wlfmt::parallelism::phase>(n), wlfmt::parallelism::group::pipeline_parallel);
            sent.is_known = sent.is_known && t.unknown == 0;
            sent.any = sent.any || t.unknown != 0 || t.count != 0;
            sent.count[n] = static_cast<double>(t.count);
            sent.bytes[n] = t.bytes;
        }
        return sent;
    }

    numbered_texts call_places_;
};

}  // namespace tool

#endif
