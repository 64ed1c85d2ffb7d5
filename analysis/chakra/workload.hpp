// The traces of a workload: the plan from which they are written, and the nodes of each policy.
#ifndef WLFMT_ANALYSIS_CHAKRA_WORKLOAD_HPP
#define WLFMT_ANALYSIS_CHAKRA_WORKLOAD_HPP

#include "../library.hpp"
#include "node.hpp"

namespace wlfmt::analysis {

struct trace_phase {
    std::uint64_t ns = 0;
    std::string_view comm = {};  // the token; empty if there is no communication
    comm_type type = comm_type::all_reduce;
    parallelism::group group = parallelism::group::tensor_parallel;
    std::int64_t bytes = 0;  // the size as ASTRA-sim counts it
};
struct trace_layer {
    std::string_view name;
    trace_phase forward;
    trace_phase input_grad;
    trace_phase weight_grad;
    std::uint64_t update_ns = 0;
    bool begins_micro_batch = false;
    bool first_stage_only = false;
    bool last_stage_only = false;
    // FWD_IN_BCKWD: the first layer that is computed again before the backward pass of this one; its own position if
    // there is none.
    std::size_t recompute_from = 0;
};

// Everything that a trace is written from. Its names are views of the text.
struct trace_plan {
    workload::policies::row policy;
    std::vector<trace_layer> layers;
    // The groups that the traces use.
    named_groups groups{parallelism::layout(parallelism::sizes())};
    std::int64_t message_bytes = 0;  // the size of a message between stages; 0: there are no messages
    std::int64_t last_bottom_layer = 0;
    // Where chunks begin: the layers of a micro-batch's chunk are those from chunks[batch * chunks_of_stage + chunk] up
    // to the next number in the list. The last number is where the last chunk ends. Layers before the first number are
    // in no micro-batch.
    std::vector<std::size_t> chunks;
    std::int64_t batches = 0;
    std::int64_t chunks_of_stage = 1;
    bool bare = false;  // nodes have only the attributes that Chakra's converter writes
    chakra::remarks notes;
    chakra::options options;
};

// A pass over the layers of one model chunk for one micro-batch.
struct schedule_step {
    bool forward = true;
    std::int64_t batch = 0;
    std::int64_t chunk = 0;
};

// Writes the nodes of one rank.
class workload_trace {
public:
    workload_trace(output& to, const trace_plan& plan, std::int64_t rank)
        : trace_(to, plan.bare), plan_(plan), layers_(plan.layers), rank_(rank), state_(plan.layers.size()) {}

    problem write(std::string_view fingerprint) {
        trace_.metadata(plan_.options.input, fingerprint);
        for (std::int64_t n = 0; n != plan_.options.passes; ++n) pass();
        return {};
    }
    // Whether a pass over the layers has anything to do for this rank.
    bool has_nodes() {
        const bool computes = plan_.policy.traced != workload::policies::trace_policy::micro &&
                              std::any_of(layers_.begin(), layers_.end(),
                                          [&](const trace_layer& l) { return l.forward.ns != 0 && runs(l); });
        if (!computes) pass();
        return computes || trace_.nodes() != 0;
    }

private:
    void pass() {
        switch (plan_.policy.traced) {
        case workload::policies::trace_policy::micro:
            for (const trace_layer& l : layers_) communicate(l, "", l.weight_grad, {});
            break;
        case workload::policies::trace_policy::data:
        case workload::policies::trace_policy::dlrm: data(); break;
        case workload::policies::trace_policy::transformer: transformer(); break;
        default: model();
        }
    }

    // For each computation and collective of a layer, the nodes that later nodes wait for: its own node or, if it has
    // none, those before it. Empty until the first pass reaches the layer.
    struct layer_state {
        node_ids forward;
        node_ids forward_comm;
        node_ids input_grad;
        node_ids input_grad_comm;
        node_ids weight_grad;
        node_ids weight_grad_comm;
    };

    // The ids of `a`, then those of `b` that `a` lacks.
    static node_ids both(const node_ids& a, const node_ids& b) {
        node_ids joined = a;
        for (const std::uint64_t id : b)
            if (std::find(joined.begin(), joined.end(), id) == joined.end()) joined.push_back(id);
        return joined;
    }

    // A time of 0 gets no node, as ASTRA-sim never finishes a node whose num_ops is 0: later nodes wait for `after`
    // instead. A bare node, as Chakra's converter writes it, is written even then; it takes a nanosecond there.
    node_ids compute(const trace_layer& l, std::string_view phase, std::uint64_t ns, const node_ids& after) {
        if (ns == 0 && !trace_.is_bare()) return after;
        return {trace_.compute({l.name, phase}, ns, after)};
    }
    // Without communication there is no node: later nodes wait for `after` instead.
    node_ids communicate(const trace_layer& l, std::string_view phase, const trace_phase& p, const node_ids& after) {
        if (p.comm.empty()) return after;
        const std::int64_t group = plan_.groups.name(p.group, rank_);
        return {trace_.collective({l.name, phase, "_", p.comm}, p.type, p.bytes, group, after)};
    }

    // Writes a pass of DATA or of the two DLRM policies. Under the latter, the last bottom layer waits for the forward
    // all-to-all of layer 0, and the backward pass of layer 0 waits for the collective of its input gradient.
    void data() {
        const std::size_t count = layers_.size();
        const auto is_last_bottom = [&](std::size_t n) {
            return static_cast<std::int64_t>(n) == plan_.last_bottom_layer;
        };
        node_ids first_forward;
        node_ids first_input_grad;
        for (std::size_t n = 0; n != count; ++n) {
            const trace_layer& l = layers_[n];
            const node_ids before = n == 0 ? node_ids() : state_[n - 1].forward;
            const node_ids& last_pass = state_[n].weight_grad_comm;
            node_ids after = plan_.policy.traced == workload::policies::trace_policy::data ? both(before, last_pass)
                                                                                           : both(last_pass, before);
            if (is_last_bottom(n)) after = both(after, first_forward);
            state_[n].forward = compute(l, "_FWD", l.forward.ns, after);
            if (l.forward.comm.empty() || l.forward.type != comm_type::all_to_all) continue;
            const node_ids done = communicate(l, "", l.forward, state_[n].forward);
            if (n == 0) first_forward = done;
        }
        for (std::size_t n = count; n-- > 0;) {
            const trace_layer& l = layers_[n];
            layer_state& s = state_[n];
            node_ids after = n + 1 == count ? s.forward : state_[n + 1].input_grad;
            if (n == 0) after = both(after, first_input_grad);
            s.weight_grad = compute(l, "_BWD_WG", l.weight_grad.ns, after);
            s.weight_grad_comm = communicate(l, "", l.weight_grad, s.weight_grad);
            if (n == 0) return;
            s.input_grad = compute(l, "_BWD_IG", l.input_grad.ns, s.weight_grad);
            if (is_last_bottom(n - 1) && !layers_[0].input_grad.comm.empty())
                first_input_grad = communicate(layers_[0], "", layers_[0].input_grad, s.input_grad);
        }
    }

    // Writes a pass of MODEL, or of the two hybrid policies, which also communicate weight gradients.
    void model() {
        const std::size_t count = layers_.size();
        const bool hybrid = plan_.policy.has(workload::policies::communicates_weight_grad);
        const std::string_view input_grad_name =
            plan_.policy.traced == workload::policies::trace_policy::hybrid_data_model ? "_IG_COMM_" : "";
        for (std::size_t n = 0; n != count; ++n) {
            const trace_layer& l = layers_[n];
            layer_state& s = state_[n];
            const node_ids before = n == 0 ? node_ids() : state_[n - 1].forward_comm;
            const node_ids after = hybrid ? both(s.weight_grad_comm, before) : both(before, s.weight_grad);
            s.forward = compute(l, "_FWD", l.forward.ns, after);
            s.forward_comm = communicate(l, "", l.forward, s.forward);
        }
        for (std::size_t n = count; n-- > 0;) {
            const trace_layer& l = layers_[n];
            layer_state& s = state_[n];
            const node_ids after =
                n + 1 == count ? s.forward_comm : both(state_[n + 1].weight_grad, after_comm(state_[n + 1]));
            s.input_grad = compute(l, "_BWD_IG", l.input_grad.ns, after);
            s.input_grad_comm = n != 0 ? communicate(l, input_grad_name, l.input_grad, s.input_grad) : s.input_grad;
            s.weight_grad = compute(l, "_BWD_WG", l.weight_grad.ns, s.input_grad);
            if (hybrid) s.weight_grad_comm = communicate(l, "", l.weight_grad, s.weight_grad);
        }
    }
    // The collective of a layer's input gradients; empty without one, as the weight gradient waits for the computation.
    static node_ids after_comm(const layer_state& s) {
        return s.input_grad_comm == s.input_grad ? node_ids() : s.input_grad_comm;
    }

    // As in SimAI's state machine, every step waits for the step before it, except that weight gradients are
    // communicated while earlier layers are computed; the next pass waits for them layer by layer. A stage warms up
    // with forward passes, then alternates forward and backward passes, and ends with the remaining backward passes.
    void transformer() {
        const std::size_t first = plan_.chunks.empty() ? layers_.size() : plan_.chunks.front();
        write_forward(0, first);
        const std::int64_t total = plan_.batches * plan_.chunks_of_stage;  // the number of passes in each direction
        const std::int64_t warmup = (std::min)(passes_to_warm_up(), total);
        for (std::int64_t k = 0; k != total; ++k) {
            run_chunk(nth_pass(true, k));
            if (k >= warmup) run_chunk(nth_pass(false, k - warmup));
        }
        if (plan_.notes.forward_only) return;
        for (std::int64_t k = total - warmup; k != total; ++k) run_chunk(nth_pass(false, k));
        write_backward(0, first);
    }
    std::int64_t passes_to_warm_up() const noexcept {
        constexpr std::int64_t unlimited = (std::numeric_limits<std::int64_t>::max)();
        if (plan_.notes.forward_only || plan_.options.schedule == chakra::schedule::gpipe) return unlimited;
        const std::int64_t stages = plan_.groups.stages();
        const std::int64_t later = stages - stage() - 1;
        const bool interleaved = plan_.options.schedule == chakra::schedule::interleaved;
        return interleaved ? later * 2 + (plan_.chunks_of_stage - 1) * stages : later;
    }
    // The k-th pass in a direction. With several chunks, the number of micro-batches is a multiple of the number of
    // stages, and each chunk runs as many micro-batches as there are stages before the next chunk does.
    schedule_step nth_pass(bool forward, std::int64_t k) const noexcept {
        if (plan_.options.schedule == chakra::schedule::gpipe) return {forward, forward ? k : plan_.batches - 1 - k, 0};
        const std::int64_t stages = plan_.groups.stages();
        const std::int64_t round = stages * plan_.chunks_of_stage;
        const std::int64_t chunk = k % round / stages;
        return {forward, k / round * stages + k % stages, forward ? chunk : plan_.chunks_of_stage - 1 - chunk};
    }

    // Writes a pass over the layers of a chunk, with its messages. The model's chunks are dealt out to the stages in
    // turn, starting over with the first stage after the last. No node waits for a message to be sent.
    void run_chunk(schedule_step s) {
        const auto n = static_cast<std::size_t>(s.batch * plan_.chunks_of_stage + s.chunk);
        const std::int64_t stages = plan_.groups.stages();
        // The position of the chunk in the whole model.
        const std::int64_t place = s.chunk * stages + stage();
        const std::int64_t last = plan_.chunks_of_stage * stages - 1;
        const bool messages = plan_.message_bytes != 0;
        const std::int64_t before = s.forward ? place - 1 : place + 1;
        const std::int64_t after = s.forward ? place + 1 : place - 1;
        if (messages && before >= 0 && before <= last) latest_ = {message(false, s, before % stages, place / stages)};
        if (s.forward) write_forward(plan_.chunks[n], plan_.chunks[n + 1]);
        else write_backward(plan_.chunks[n], plan_.chunks[n + 1]);
        if (messages && after >= 0 && after <= last) message(true, s, after % stages, after / stages);
    }
    // Messages of one micro-batch, chunk and direction but of different passes are received in the order of sending.
    std::uint64_t message(bool sends, schedule_step s, std::int64_t other_stage, std::int64_t to_chunk) {
        const std::int64_t tag = (s.batch * plan_.chunks_of_stage + to_chunk) * 2 + (s.forward ? 0 : 1);
        return trace_.message({s.forward ? "FWD" : "BWD"}, sends, rank_, plan_.groups.rank_of_stage(rank_, other_stage),
                              plan_.message_bytes, tag, latest_);
    }

    void write_forward(std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n != end; ++n) {
            latest_ = both(latest_, state_[n].weight_grad_comm);
            if (runs(layers_[n])) forward(layers_[n], "_FWD");
        }
    }
    void write_backward(std::size_t begin, std::size_t end) {
        for (std::size_t n = end; n-- > begin;) {
            for (std::size_t k = layers_[n].recompute_from; k < n; ++k)
                if (runs(layers_[k])) forward(layers_[k], "_FWD_IN_BCKWD");
            if (runs(layers_[n])) backward(n);
        }
    }
    void forward(const trace_layer& l, std::string_view phase) {
        latest_ = compute(l, phase, l.forward.ns, latest_);
        latest_ = communicate_and_update(l, phase, l.forward);
    }
    void backward(std::size_t n) {
        const trace_layer& l = layers_[n];
        latest_ = compute(l, "_BWD_IG", l.input_grad.ns, latest_);
        latest_ = communicate_and_update(l, "_BWD_IG", l.input_grad);
        latest_ = compute(l, "_BWD_WG", l.weight_grad.ns, latest_);
        if (!l.weight_grad.comm.empty())
            state_[n].weight_grad_comm = communicate_and_update(l, "_BWD_WG", l.weight_grad);
    }
    node_ids communicate_and_update(const trace_layer& l, std::string_view phase, const trace_phase& p) {
        node_ids done = communicate(l, phase, p, latest_);
        if (p.comm.empty() || l.update_ns == 0) return done;
        return {trace_.compute({l.name, phase, "_UPDATE"}, l.update_ns, done)};
    }

    // Whether this rank's stage has the layer.
    bool runs(const trace_layer& l) const noexcept {
        return (!l.first_stage_only || stage() == 0) && (!l.last_stage_only || stage() == plan_.groups.stages() - 1);
    }
    std::int64_t stage() const noexcept { return plan_.groups.stage(rank_); }

    trace_writer trace_;
    const trace_plan& plan_;
    const std::vector<trace_layer>& layers_;
    std::int64_t rank_;
    std::vector<layer_state> state_;
    node_ids latest_;  // the nodes that the next step waits for
};

}  // namespace wlfmt::analysis

#endif
