// The workload layer of a small simulator: types of its own, read through wlfmt.
#ifndef EXAMPLE_SIMULATOR_WORKLOAD_HPP
#define EXAMPLE_SIMULATOR_WORKLOAD_HPP

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

namespace simulator {

enum class policy { data, transformer, transformer_fwd_in_bckwd };
enum class collective { none, all_reduce, all_gather, reduce_scatter, all_to_all };

// A computation and the collective after it.
struct step {
    std::uint64_t ticks = 0;
    simulator::collective collective = simulator::collective::none;
    wlfmt::parallelism::group group = wlfmt::parallelism::group::data_parallel;
    std::uint64_t bytes = 0;
};
struct layer {
    std::string name;
    step forward, input_grad, weight_grad;
    std::uint64_t update_ticks = 0;
    bool is_checkpoint = false;
    bool initiates_recomputation = false;
};
// What all nodes of a simulation share.
struct workload {
    simulator::policy policy = policy::data;
    wlfmt::parallelism::layout ranks{wlfmt::parallelism::sizes()};
    std::vector<layer> layers;
};

// Reads the file of that name from its text. Null where it is no workload that can be simulated: each reason is printed
// with its line and a caret.
inline std::shared_ptr<const workload> parse(std::string_view text, std::string_view name, std::ostream& errors) {
    bool good = true;
    const auto refuse = [&](std::string_view place, std::string_view why) {
        errors << wlfmt::explain(place, why, text, name);
        good = false;
    };
    const auto file = wlfmt::workload::read(text);
    const auto severity_of = [](const auto& result) {
        return result.complete() ? wlfmt::severity::warning : wlfmt::severity::error;
    };
    if (!file) errors << wlfmt::explain(file.error(), text, name, severity_of(file));
    if (!file.complete()) return nullptr;  // a wrong number of layers is no reason to stop
    const auto& head = file->header();
    auto model = std::make_shared<workload>();
    if (head.policy == "HYBRID_TRANSFORMER_FWD_IN_BCKWD")
        model->policy = policy::transformer_fwd_in_bckwd;
    else if (head.policy == "HYBRID_TRANSFORMER")
        model->policy = policy::transformer;
    else if (head.policy != "DATA")
        refuse(where(head, "policy"), "this simulator knows DATA and the transformers");

    const auto sizes = wlfmt::parallelism::sizes_of(head, text);
    if (!sizes) errors << wlfmt::explain(sizes.error(), text, name, severity_of(sizes));
    if (!sizes.complete()) return nullptr;
    model->ranks = wlfmt::parallelism::layout(*sizes);

    const auto take = [&](const wlfmt::workload::layer& from, const wlfmt::workload::phase& p, std::string_view phase,
                          wlfmt::parallelism::phase n) {
        const std::string field(phase);
        step to;
        if (const auto ticks = p.compute.as<std::uint64_t>())
            to.ticks = *ticks;
        else
            refuse(where(from, field + ".compute"), "a time is a whole number of ticks");
        const auto c = wlfmt::workload::communication_of(p.comm);
        switch (c.collective) {
        case wlfmt::workload::collective::none: return to;
        case wlfmt::workload::collective::allreduce: to.collective = collective::all_reduce; break;
        case wlfmt::workload::collective::allgather: to.collective = collective::all_gather; break;
        case wlfmt::workload::collective::reduce_scatter: to.collective = collective::reduce_scatter; break;
        case wlfmt::workload::collective::all_to_all: to.collective = collective::all_to_all; break;
        default: refuse(where(from, field + ".comm"), "no such collective"); return to;
        }
        to.group = *wlfmt::parallelism::group_of(n, c);
        if (p.bytes < 0) refuse(where(from, field + ".bytes"), "a size below 0");
        to.bytes = static_cast<std::uint64_t>(p.bytes);
        return to;
    };
    for (const auto& from : file->layers) {
        layer to;
        to.name = from.name;
        to.forward = take(from, from.forward, "forward", wlfmt::parallelism::phase::forward);
        to.input_grad = take(from, from.input_grad, "input_grad", wlfmt::parallelism::phase::input_grad);
        to.weight_grad = take(from, from.weight_grad, "weight_grad", wlfmt::parallelism::phase::weight_grad);
        to.update_ticks = from.update.as<std::uint64_t>().value_or(0);
        model->layers.push_back(std::move(to));
    }
    const auto mark = [&](auto indices, std::string_view key, bool layer::*flag) {
        for (const std::int64_t n : indices) {
            if (n < 0 || static_cast<std::size_t>(n) >= model->layers.size())
                refuse(where(head, key), "there is no layer " + std::to_string(n));
            else
                model->layers[static_cast<std::size_t>(n)].*flag = true;
        }
    };
    mark(head.checkpoints(), "checkpoints", &layer::is_checkpoint);
    mark(head.checkpoint_initiates(), "checkpoint_initiates", &layer::initiates_recomputation);
    return good ? model : nullptr;
}

}  // namespace simulator

#endif
