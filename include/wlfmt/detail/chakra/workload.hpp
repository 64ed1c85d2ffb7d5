// The traces of a workload: the nodes of each policy.
#ifndef WLFMT_DETAIL_CHAKRA_WORKLOAD_HPP
#define WLFMT_DETAIL_CHAKRA_WORKLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../types/chakra.hpp"
#include "../../workload.hpp"
#include "node.hpp"
#include "plan.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail { inline namespace WLFMT_IMPL {

// Writes the nodes of one rank.
template <class Sink> class workload_trace {
public:
    workload_trace(Sink& sink, const trace_plan& plan, std::int64_t rank)
        : to_(sink, plan.bare), plan_(plan), layers_(plan.layers), rank_(rank), state_(plan.layers.size()) {
        for (std::size_t n = 0; n != parallelism::group_count; ++n)
            if (plan.groups_used[n]) names_.add(plan.ranks, static_cast<parallelism::group>(n));
    }

    bool write(std::string_view fingerprint) {
        to_.metadata(plan_.input, fingerprint);
        for (std::int64_t pass = 0; pass != plan_.passes; ++pass) {
            pass_ = pass;
            switch (plan_.policy.traced) {
            case trace_policy::micro: micro(); break;
            case trace_policy::data: data(); break;
            case trace_policy::dlrm: dlrm(); break;
            case trace_policy::transformer: transformer(); break;
            default: model();
            }
        }
        return to_.finish();
    }

private:
    // The nodes that have to end before something else begins: a collective or, if there is no collective, the nodes
    // before it.
    struct layer_state {
        node_ids forward;       // computed
        node_ids forward_comm;  // and communicated
        node_ids input_grad;
        node_ids input_grad_comm;
        node_ids weight_grad;
        node_ids weight_grad_comm;
    };

    // The ids of `a`, and then those of `b` that are not among them.
    static node_ids both(const node_ids& a, const node_ids& b) {
        node_ids all = a;
        for (const std::uint64_t id : b) {
            bool there = false;
            for (const std::uint64_t have : all) there = there || have == id;
            if (!there) all.push_back(id);
        }
        return all;
    }

    node_ids compute(const trace_layer& l, std::string_view phase, std::uint64_t ns, const node_ids& after) {
        return {to_.compute({"COMP_NODE_", l.name, phase}, {ns}, after)};
    }
    // Without communication there is no node: the nodes that would wait for it wait for `after`.
    node_ids communicate(const trace_layer& l, std::string_view between, const trace_phase& p, const node_ids& after) {
        if (p.comm.empty()) return after;
        const std::int64_t group =
            plan_.bare || !plan_.policy.has(in_groups) ? 0 : names_.name(plan_.ranks, p.group, rank_);
        return {to_.collective({"COMM_COLL_NODE_", l.name, between, p.comm}, static_cast<comm_type>(p.type), p.bytes,
                               group, after)};
    }

    void micro() {
        for (const trace_layer& l : layers_) communicate(l, "_", l.weight_grad, {});
    }

    void data() {
        const std::size_t count = layers_.size();
        for (std::size_t n = 0; n != count; ++n) {
            node_ids after = n == 0 ? node_ids() : state_[n - 1].forward;
            if (pass_ > 0) after = both(after, state_[n].weight_grad_comm);
            state_[n].forward = compute(layers_[n], "_FWD", layers_[n].forward.ns, after);
        }
        for (std::size_t n = count; n-- > 0;) {
            const trace_layer& l = layers_[n];
            const node_ids& after = n + 1 == count ? state_[n].forward : state_[n + 1].input_grad;
            state_[n].weight_grad = compute(l, "_BWD_WG", l.weight_grad.ns, after);
            state_[n].weight_grad_comm = communicate(l, "_", l.weight_grad, state_[n].weight_grad);
            if (n != 0) state_[n].input_grad = compute(l, "_BWD_IG", l.input_grad.ns, state_[n].weight_grad);
        }
    }

    // MODEL, and the two hybrids, which also communicate weight gradients.
    void model() {
        const std::size_t count = layers_.size();
        const bool hybrid = plan_.policy.has(talks_weight_grad);
        const std::string_view input_grad_name =
            plan_.policy.traced == trace_policy::hybrid_data_model ? "_IG_COMM__" : "_";
        for (std::size_t n = 0; n != count; ++n) {
            const trace_layer& l = layers_[n];
            const node_ids before = n == 0 ? node_ids() : state_[n - 1].forward_comm;
            node_ids after = before;
            if (pass_ > 0)
                after = hybrid ? both(state_[n].weight_grad_comm, before) : both(before, state_[n].weight_grad);
            state_[n].forward = compute(l, "_FWD", l.forward.ns, after);
            state_[n].forward_comm = communicate(l, "_", l.forward, state_[n].forward);
        }
        for (std::size_t n = count; n-- > 0;) {
            const trace_layer& l = layers_[n];
            layer_state& s = state_[n];
            const node_ids after =
                n + 1 == count ? s.forward_comm : both(state_[n + 1].weight_grad, after_comm(state_[n + 1]));
            s.input_grad = compute(l, "_BWD_IG", l.input_grad.ns, after);
            s.input_grad_comm = n != 0 ? communicate(l, input_grad_name, l.input_grad, s.input_grad) : s.input_grad;
            s.weight_grad = compute(l, "_BWD_WG", l.weight_grad.ns, s.input_grad);
            if (hybrid) s.weight_grad_comm = communicate(l, "_", l.weight_grad, s.weight_grad);
        }
    }
    // The collective of a layer's input gradients. Empty if there is none: the computation is waited for anyway, by the
    // weight gradient.
    static node_ids after_comm(const layer_state& s) {
        return s.input_grad_comm == s.input_grad ? node_ids() : s.input_grad_comm;
    }

    void dlrm() {
        const std::size_t count = layers_.size();
        const auto is_last_bottom = [&](std::size_t n) {
            return static_cast<std::int64_t>(n) == plan_.last_bottom_layer;
        };
        node_ids first_forward;
        node_ids first_input_grad;
        for (std::size_t n = 0; n != count; ++n) {
            const trace_layer& l = layers_[n];
            node_ids after = pass_ > 0 ? state_[n].weight_grad_comm : node_ids();
            if (n != 0) after = both(after, state_[n - 1].forward);
            if (is_last_bottom(n)) after = both(after, first_forward);
            state_[n].forward = compute(l, "_FWD", l.forward.ns, after);
            if (l.forward.comm.empty() || l.forward.type != static_cast<std::uint8_t>(comm_type::all_to_all)) continue;
            const node_ids done = communicate(l, "_", l.forward, state_[n].forward);
            if (n == 0) first_forward = done;
        }
        for (std::size_t n = count; n-- > 0;) {
            const trace_layer& l = layers_[n];
            layer_state& s = state_[n];
            node_ids after = n + 1 == count ? s.forward : state_[n + 1].input_grad;
            if (n == 0 && count > 1) after = both(after, first_input_grad);
            s.weight_grad = compute(l, "_BWD_WG", l.weight_grad.ns, after);
            s.weight_grad_comm = communicate(l, "_", l.weight_grad, s.weight_grad);
            if (n != 0) s.input_grad = compute(l, "_BWD_IG", l.input_grad.ns, s.weight_grad);
            if (n != 0 && is_last_bottom(n - 1) && !layers_[0].input_grad.comm.empty())
                first_input_grad = communicate(layers_[0], "_", layers_[0].input_grad, s.input_grad);
        }
    }

    // Like SimAI's state machine: every step waits for the one before it, except that weight gradients are communicated
    // while earlier layers are computed; the next pass waits for them layer by layer.
    void transformer() {
        const bool backward_too = !plan_.notes.forward_only;
        const std::size_t first = plan_.chunks.empty() ? layers_.size() : plan_.chunks.front();
        forward_layers(0, first);
        const schedule_order order(plan_.schedule, plan_.ranks.sizes().pipeline, stage(), plan_.batches,
                                   plan_.chunks_of_stage, plan_.notes.forward_only);
        for (std::int64_t n = 0; n != order.size(); ++n) run_chunk(order[n]);
        if (backward_too) backward_layers(0, first);
    }

    // A pass over the layers of a chunk, with its messages. The chunks of a model are on one stage after the other, and
    // then on the first stage again.
    void run_chunk(schedule_step s) {
        const auto n = static_cast<std::size_t>(s.batch * plan_.chunks_of_stage + s.chunk);
        const std::int64_t stages = plan_.ranks.sizes().pipeline;
        const std::int64_t place = s.chunk * stages + stage();  // of the chunk in the whole model
        const std::int64_t last = plan_.chunks_of_stage * stages - 1;
        const std::int64_t before = s.forward ? place - 1 : place + 1;
        const std::int64_t after = s.forward ? place + 1 : place - 1;
        if (before >= 0 && before <= last) receive(before % stages, s.batch, place / stages, s.forward);
        if (s.forward) forward_layers(plan_.chunks[n], plan_.chunks[n + 1]);
        else backward_layers(plan_.chunks[n], plan_.chunks[n + 1]);
        if (after >= 0 && after <= last) send(after % stages, s.batch, after / stages, s.forward);
    }

    void forward_layers(std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n != end; ++n) {
            if (pass_ > 0) latest_ = both(latest_, state_[n].weight_grad_comm);
            if (runs(layers_[n])) forward(layers_[n], "_FWD");
        }
    }
    void backward_layers(std::size_t begin, std::size_t end) {
        for (std::size_t n = end; n-- > begin;) {
            recompute(n);
            if (runs(layers_[n])) backward(n);
        }
    }

    void forward(const trace_layer& l, std::string_view phase) {
        step(l, phase, l.forward.ns);
        block(l, phase, l.forward);
    }
    void recompute(std::size_t n) {
        for (std::size_t k = layers_[n].recompute_from; k < n; ++k)
            if (runs(layers_[k])) forward(layers_[k], "_FWD_IN_BCKWD");
    }
    void backward(std::size_t n) {
        const trace_layer& l = layers_[n];
        step(l, "_BWD_IG", l.input_grad.ns);
        block(l, "_BWD_IG", l.input_grad);
        step(l, "_BWD_WG", l.weight_grad.ns);
        node_ids& done = state_[n].weight_grad_comm;
        if (l.weight_grad.comm.empty()) return;
        done = communicate(l, "_BWD_WG_", l.weight_grad, latest_);
        if (l.update_ns != 0) done = {to_.compute({"COMP_NODE_", l.name, "_BWD_WG_UPDATE"}, {l.update_ns}, done)};
    }
    // Writes no node for a time of 0, of which ASTRA-sim would make a nanosecond.
    void step(const trace_layer& l, std::string_view phase, std::uint64_t ns) {
        if (ns != 0) latest_ = compute(l, phase, ns, latest_);
    }
    // A collective that the next step waits for, and the delay after it.
    void block(const trace_layer& l, std::string_view phase, const trace_phase& p) {
        if (p.comm.empty()) return;
        const std::int64_t group = names_.name(plan_.ranks, p.group, rank_);
        latest_ = {to_.collective({"COMM_COLL_NODE_", l.name, phase, "_", p.comm}, static_cast<comm_type>(p.type),
                                  p.bytes, group, latest_)};
        if (l.update_ns != 0) latest_ = {to_.compute({"COMP_NODE_", l.name, phase, "_UPDATE"}, {l.update_ns}, latest_)};
    }

    // Whether the layer is one of this rank's stage.
    bool runs(const trace_layer& l) const noexcept {
        return (!l.first_stage_only || stage() == 0) &&
               (!l.last_stage_only || stage() == plan_.ranks.sizes().pipeline - 1);
    }
    std::int64_t stage() const noexcept {
        return plan_.ranks.position_of(parallelism::group::pipeline_parallel, rank_).value_or(0);
    }
    std::int64_t rank_of_stage(std::int64_t stage) const noexcept {
        constexpr auto pipeline = parallelism::group::pipeline_parallel;
        return rank_in_group(plan_.ranks, pipeline, rank_, stage);
    }
    // Messages of the same micro-batch, chunk and direction in different passes are received in the order of sending.
    std::int64_t tag(std::int64_t batch, std::int64_t to_chunk, bool forward) const noexcept {
        return (batch * plan_.chunks_of_stage + to_chunk) * 2 + (forward ? 0 : 1);
    }
    // Nothing waits for a send.
    void send(std::int64_t to_stage, std::int64_t batch, std::int64_t to_chunk, bool forward) {
        if (plan_.message_bytes == 0) return;
        to_.message({forward ? "COMM_SEND_NODE_FWD" : "COMM_SEND_NODE_BWD"}, node_type::send, rank_,
                    rank_of_stage(to_stage), plan_.message_bytes, tag(batch, to_chunk, forward), latest_);
    }
    void receive(std::int64_t from_stage, std::int64_t batch, std::int64_t to_chunk, bool forward) {
        if (plan_.message_bytes == 0) return;
        latest_ = {to_.message({forward ? "COMM_RECV_NODE_FWD" : "COMM_RECV_NODE_BWD"}, node_type::receive,
                               rank_of_stage(from_stage), rank_, plan_.message_bytes, tag(batch, to_chunk, forward),
                               latest_)};
    }

    trace_writer<Sink> to_;
    const trace_plan& plan_;
    const std::vector<trace_layer>& layers_;
    std::int64_t rank_;
    std::vector<layer_state> state_;
    group_names names_;
    std::int64_t pass_ = 0;
    node_ids latest_;  // the nodes that the next step waits for
};

}}  // namespace detail::WLFMT_IMPL

namespace chakra { inline namespace WLFMT_IMPL {

inline std::int64_t traces::ranks() const noexcept { return plan_ != nullptr ? plan_->ranks.sizes().ranks : 0; }
inline remarks traces::notes() const noexcept { return plan_ != nullptr ? plan_->notes : remarks(); }

}}  // namespace chakra::WLFMT_IMPL
}}  // namespace wlfmt::WLFMT_ABI

#endif
