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
    bool recomputes = false;  // layers are computed again in the backward pass
    wlfmt::parallelism::layout ranks{wlfmt::parallelism::sizes()};
    std::vector<layer> layers;
};

// Reads a workload from the text of a file. Each reason for which it cannot be simulated is printed with its line and a
// caret.
class parser {
public:
    // `ranks`: how many there are if the file does not say it, as files for ASTRA-sim 1.0 do not. `cut`: a file with
    // fewer layers than it declares is taken as it is.
    parser(std::string_view text, std::string_view name, std::ostream& errors, std::int64_t ranks, bool cut)
        : text_(text), name_(name), errors_(errors), ranks_(ranks), cut_(cut) {}

    // Null if it cannot be simulated.
    std::shared_ptr<const workload> parse() {
        wlfmt::options options;
        options.on_problem = [this](const wlfmt::problem& e) { report(e, wlfmt::severity::warning); };
        // A file with fewer layers than declared may be cut off, which is an error; more are a warning.
        const auto file = wlfmt::workload::read(text_, options);
        const bool taken = file.ok() || (cut_ && file.error().kind == wlfmt::error_kind::layer_count_mismatch);
        if (!file) report(file.error(), taken ? wlfmt::severity::warning : wlfmt::severity::error);
        if (!taken) return nullptr;
        if (!take_ranks(file->header)) return nullptr;
        take_policy(file->header);
        for (const auto& from : file->layers) take_layer(from);
        mark(file->header, "checkpoints", file->header.checkpoints(), &layer::is_checkpoint);
        mark(file->header, "checkpoint_initiates", file->header.checkpoint_initiates(),
             &layer::initiates_recomputation);
        return good_ ? model_ : nullptr;
    }

private:
    void refuse(std::string_view place, std::string_view why) {
        errors_ << wlfmt::explain(wlfmt::at_place(place), wlfmt::with_message(why), text_, wlfmt::in_file(name_));
        good_ = false;
    }
    void report(const wlfmt::problem& e, wlfmt::severity s) {
        errors_ << wlfmt::explain(e, text_, wlfmt::in_file(name_), s);
    }

    bool take_ranks(wlfmt::workload::header head) {
        has_groups_ = wlfmt::parallelism::facts_of(head.policy).has_groups;
        std::string ranks;
        if (head.find("all_gpus").is_missing()) {
            if (ranks_ == 0) {
                refuse(where(head, "policy"), "the header does not say how many ranks there are: give --ranks=N");
                return false;
            }
            ranks = std::to_string(ranks_);
            head.entries.edit().push_back({"all_gpus", ranks});
        }
        // Stages without messages between them are no reason to stop.
        const auto sizes = wlfmt::parallelism::sizes_of(head, text_);
        if (!sizes) report(sizes.error(), sizes->known() ? wlfmt::severity::warning : wlfmt::severity::error);
        if (sizes->known()) model_->ranks = wlfmt::parallelism::layout(*sizes);
        return sizes->known();
    }
    // In this simulator, a pass goes through the layers in the same way under all policies.
    void take_policy(const wlfmt::workload::header& head) {
        model_->recomputes = head.policy == "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
        if (!wlfmt::parallelism::facts_of(head.policy).is_simulated)
            refuse(where(head, "policy"), "this simulator knows the policies of ASTRA-sim 1.0 and SimAI");
    }

    void take_layer(const wlfmt::workload::layer& from) {
        using wlfmt::parallelism::phase;
        layer to;
        to.name = from.name;
        to.forward = take_step(from, from.forward, "forward", phase::forward);
        to.input_grad = take_step(from, from.input_grad, "input_grad", phase::input_grad);
        to.weight_grad = take_step(from, from.weight_grad, "weight_grad", phase::weight_grad);
        to.update_ticks = take_ticks(from, from.update, "update");
        model_->layers.push_back(std::move(to));
    }
    step take_step(const wlfmt::workload::layer& from, const wlfmt::workload::phase& p, const std::string& name,
                   wlfmt::parallelism::phase n) {
        step to;
        to.ticks = take_ticks(from, p.compute, name + ".compute");
        const auto c = wlfmt::workload::communication_of(p.comm);
        switch (c.collective) {
        case wlfmt::workload::collective::none: return to;
        case wlfmt::workload::collective::allreduce: to.collective = collective::all_reduce; break;
        case wlfmt::workload::collective::allgather: to.collective = collective::all_gather; break;
        case wlfmt::workload::collective::reduce_scatter: to.collective = collective::reduce_scatter; break;
        case wlfmt::workload::collective::all_to_all: to.collective = collective::all_to_all; break;
        default: refuse(where(from, name + ".comm"), "no such collective"); return to;
        }
        // Without groups, collectives are those of all ranks.
        to.group = has_groups_ ? *wlfmt::parallelism::group_of(n, c) : wlfmt::parallelism::group::data_parallel;
        const auto bytes = p.bytes.as<std::uint64_t>();
        if (!bytes) refuse(where(from, name + ".bytes"), "a size below 0");
        to.bytes = bytes.value_or(0);
        return to;
    }
    std::uint64_t take_ticks(const wlfmt::workload::layer& from, const wlfmt::number& time, std::string_view field) {
        const auto ticks = time.as<std::uint64_t>();
        if (!ticks) refuse(where(from, field), "a time is a whole number of ticks");
        return ticks.value_or(0);
    }

    template <class Indices>
    void mark(const wlfmt::workload::header& head, std::string_view key, const Indices& indices, bool layer::*flag) {
        for (const std::int64_t n : indices)
            if (n < 0 || static_cast<std::size_t>(n) >= model_->layers.size())
                refuse(where(head, key), "there is no layer " + std::to_string(n));
            else model_->layers[static_cast<std::size_t>(n)].*flag = true;
    }

    std::string_view text_;
    std::string_view name_;
    std::ostream& errors_;
    std::int64_t ranks_;
    bool cut_;
    bool has_groups_ = true;
    std::shared_ptr<workload> model_ = std::make_shared<workload>();
    bool good_ = true;
};

inline std::shared_ptr<const workload> parse(std::string_view text, std::string_view name, std::ostream& errors,
                                             std::int64_t ranks = 0, bool cut = false) {
    return parser(text, name, errors, ranks, cut).parse();
}

}  // namespace simulator

#endif
