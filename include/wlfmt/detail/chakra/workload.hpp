// The traces of a workload: what is in the file, checked and converted once, and the nodes of each policy.
#ifndef WLFMT_DETAIL_CHAKRA_WORKLOAD_HPP
#define WLFMT_DETAIL_CHAKRA_WORKLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../chakra.hpp"
#include "../../lint.hpp"
#include "../core/characters.hpp"
#include "../core/place.hpp"
#include "../core/problems.hpp"
#include "node.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

enum class trace_policy : std::uint8_t {
    micro,
    data,
    model,
    hybrid_data_model,
    hybrid_model_data,
    dlrm,
    transformer,
    transformer_fwd_in_bckwd
};

struct trace_phase {
    std::uint64_t ns = 0;
    std::string_view comm = {};  // the token; empty where there is no communication
    std::uint8_t type = 0;       // comm_type
    parallelism::group group = parallelism::group::tensor_parallel;
    std::int64_t bytes = 0;  // as ASTRA-sim has them
};
struct trace_layer {
    std::string_view name;
    trace_phase forward;
    trace_phase input_grad;
    trace_phase weight_grad;
    std::uint64_t update_ns = 0;
    bool begins_micro_batch = false;
    // FWD_IN_BCKWD: the layer from which those before this one are computed again; this one where none are.
    std::size_t recompute_from = 0;
};

// All that a trace is written from. Its names are views of the text.
struct trace_plan {
    trace_policy policy = trace_policy::micro;
    std::vector<trace_layer> layers;
    parallelism::layout ranks{parallelism::sizes()};
    bool groups_used[parallelism::group_count] = {};
    std::int64_t passes = 1;
    std::int64_t message_bytes = 0;  // between stages; 0: no messages
    std::int64_t last_bottom_layer = 0;
    bool bare = false;  // no attributes but those of Chakra's converter
    std::string_view input = {};
};

inline namespace WLFMT_IMPL {

// Checks a document and makes a plan of it.
class trace_planner {
public:
    trace_planner(const workload::document& doc, std::string_view text, const chakra::options& how) noexcept
        : doc_(doc), text_(text), how_(how) {}

    result<chakra::traces> plan() {
        auto to = std::make_shared<trace_plan>();
        to->passes = how_.passes;
        to->input = how_.input;
        if (read_policy(*to) && read_ranks(*to) && read_layers(*to) && read_schedule(*to))
            return chakra::traces(std::shared_ptr<const trace_plan>(std::move(to)));
        return {chakra::traces(), error_, false};
    }

private:
    using policy_name = std::pair<std::string_view, trace_policy>;

    bool refuse(error_kind kind, std::string_view place, std::string_view field, std::int64_t found = 0,
                std::int64_t expected = 0) {
        error_ = error_at(kind, place, text_, field, found, expected);
        return false;
    }

    bool read_policy(trace_plan& to) {
        constexpr policy_name names[] = {{"MICRO", trace_policy::micro},
                                         {"DATA", trace_policy::data},
                                         {"MODEL", trace_policy::model},
                                         {"HYBRID_DATA_MODEL", trace_policy::hybrid_data_model},
                                         {"HYBRID_MODEL_DATA", trace_policy::hybrid_model_data},
                                         {"HYBRID_DLRM", trace_policy::dlrm},
                                         {"HYBRID_DLRM_ENHANCED", trace_policy::dlrm},
                                         {"HYBRID_TRANSFORMER", trace_policy::transformer},
                                         {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", trace_policy::transformer_fwd_in_bckwd}};
        const workload::header& head = doc_.header();
        const std::string_view place = where(head, "policy");
        bool known = false;
        for (const auto& [name, policy] : names) {
            if (name != head.policy) continue;
            to.policy = policy;
            known = true;
        }
        if (!known) return refuse(error_kind::untraceable, place, "policy");
        if (how_.passes < 0) return refuse(error_kind::negative_value, {}, "passes");
        if (!(how_.tick > 0)) return refuse(error_kind::negative_value, {}, "tick");
        if (how_.tick > 1e12) return refuse(error_kind::number_overflow, {}, "tick");
        if (!is_utf8(how_.input)) return refuse(error_kind::untraceable, {}, "input");
        const double micros = how_.tick / 1000;
        const bool whole = micros == static_cast<double>(static_cast<std::int64_t>(micros));
        to.bare = !is_transformer(to.policy) && whole;
        return true;
    }
    static bool is_transformer(trace_policy p) noexcept {
        return p == trace_policy::transformer || p == trace_policy::transformer_fwd_in_bckwd;
    }

    bool read_ranks(trace_plan& to) {
        const workload::header& head = doc_.header();
        parallelism::sizes all;
        if (how_.ranks < 0 || how_.ranks > most_ranks)
            return refuse(how_.ranks < 0 ? error_kind::negative_value : error_kind::number_overflow, {}, "ranks");
        if (is_transformer(to.policy)) {
            if (!read_sizes(head, all)) return false;
        } else {
            all.ranks = how_.ranks;
            const auto declared = head.all_gpus().as<std::int64_t>();
            if (all.ranks == 0 && declared) all.ranks = *declared;
        }
        if (all.ranks < 1) return refuse(error_kind::header_value, end_of_header(), "all_gpus");
        // Chakra's ranks are of 32 bits.
        if (all.ranks > most_ranks) return refuse(error_kind::number_overflow, where(head, "all_gpus"), "all_gpus");
        if (!how_.order.names_all(all)) return refuse(error_kind::untraceable, {}, "order");
        to.ranks = parallelism::layout(all, how_.order);
        return true;
    }
    bool read_sizes(const workload::header& head, parallelism::sizes& all) {
        workload::header counted;
        const bool given = how_.ranks != 0 && head.find("all_gpus").is_missing();
        if (given) {
            char* const end = write_integer(ranks_text_, how_.ranks);
            counted = head;
            counted.entries.edit().push_back({"all_gpus", view(ranks_text_, end), true});
        }
        const auto sizes = parallelism::sizes_of(given ? counted : head, text_);
        // What SimAI only warns of: without pp_comm there are no messages between stages.
        if (!sizes && sizes.error().kind != error_kind::pipeline_mismatch) {
            error_ = sizes.error();
            return false;
        }
        all = sizes.value();
        if (how_.ranks == 0 || how_.ranks == all.ranks) return true;
        return refuse(error_kind::untraceable, where(head, "all_gpus"), "all_gpus", all.ranks, how_.ranks);
    }

    bool read_layers(trace_plan& to) {
        to.layers.reserve(doc_.layers.size());
        for (const workload::layer& one : doc_.layers) {
            trace_layer l;
            l.name = one.name;
            if (!is_utf8(one.name)) return refuse(error_kind::untraceable, where(one, "name"), "name");
            // What a policy has no use for is not looked at.
            const bool micro = to.policy == trace_policy::micro;
            const bool forward = !micro && to.policy != trace_policy::data;
            const bool weights = to.policy != trace_policy::model;
            if (!micro && !read_time(one.forward.compute, one, "forward.compute", l.forward.ns)) return false;
            if (!micro && !read_time(one.input_grad.compute, one, "input_grad.compute", l.input_grad.ns)) return false;
            if (!micro && !read_time(one.weight_grad.compute, one, "weight_grad.compute", l.weight_grad.ns))
                return false;
            if (is_transformer(to.policy) && !read_time(one.update, one, "update", l.update_ns)) return false;
            if (forward && !read_comm(to, one, 0, one.forward, l.forward)) return false;
            if (forward && !read_comm(to, one, 1, one.input_grad, l.input_grad)) return false;
            if (weights && !read_comm(to, one, 2, one.weight_grad, l.weight_grad)) return false;
            l.begins_micro_batch = one.name == how_.micro_batch;
            l.recompute_from = to.layers.size();
            to.layers.push_back(l);
        }
        return true;
    }

    bool read_time(const number& n, const workload::layer& one, std::string_view field, std::uint64_t& ns) {
        const auto ticks = n.as<double>();
        if (!ticks) return refuse(error_kind::not_a_number, where(one, field), field);
        const auto whole = n.as<std::int64_t>();
        const auto tick = static_cast<std::int64_t>(how_.tick);
        if (*ticks < 0) return refuse(error_kind::negative_value, where(one, field), field);
        constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)() / 2;
        if (whole && tick >= 1 && static_cast<double>(tick) == how_.tick && *whole <= most / tick) {
            ns = static_cast<std::uint64_t>(*whole * tick);
            return true;
        }
        const double rounded = *ticks * how_.tick + 0.5;
        // False for nan, too.
        if (!(rounded < 4611686018427387904.0)) return refuse(error_kind::number_overflow, where(one, field), field);
        ns = static_cast<std::uint64_t>(rounded);
        return true;
    }

    bool read_comm(trace_plan& to, const workload::layer& one, std::size_t n, const workload::phase& from,
                   trace_phase& p) {
        using workload::collective;
        constexpr std::string_view comm[] = {"forward.comm", "input_grad.comm", "weight_grad.comm"};
        constexpr std::string_view bytes[] = {"forward.bytes", "input_grad.bytes", "weight_grad.bytes"};
        const workload::communication c = workload::communication_of(from.comm);
        if (c.collective == collective::other)
            return refuse(error_kind::unknown_collective, where(one, comm[n]), comm[n], nearest_collective(from.comm));
        if (from.bytes < 0) return refuse(error_kind::negative_value, where(one, bytes[n]), bytes[n]);
        if (c.collective == collective::none) return true;
        comm_type type = comm_type::all_reduce;
        switch (c.collective) {
        case collective::allreduce: type = comm_type::all_reduce; break;
        case collective::allgather: type = comm_type::all_gather; break;
        case collective::reduce_scatter: type = comm_type::reduce_scatter; break;
        case collective::all_to_all: type = comm_type::all_to_all; break;
        default: return refuse(error_kind::untraceable, where(one, comm[n]), comm[n]);
        }
        // Chakra's policies have no groups.
        if (!is_transformer(to.policy) && c.group != workload::group::by_phase)
            return refuse(error_kind::untraceable, where(one, comm[n]), comm[n]);
        if (from.bytes == 0) return true;
        p.type = static_cast<std::uint8_t>(type);
        p.bytes = from.bytes;
        if (is_transformer(to.policy)) {
            p.group = *parallelism::group_of(static_cast<parallelism::phase>(n), c);
            const std::int64_t ranks = to.ranks.size(p.group);
            if (ranks < 2) return true;
            to.groups_used[static_cast<std::size_t>(p.group)] = true;
            // SimAI has the bytes of all ranks, ASTRA-sim those of one.
            if (type == comm_type::all_gather) p.bytes = from.bytes / ranks + (from.bytes % ranks != 0 ? 1 : 0);
        }
        p.comm = from.comm;
        return true;
    }

    bool read_schedule(trace_plan& to) {
        const workload::header& head = doc_.header();
        if (to.policy == trace_policy::dlrm) {
            const auto last = head.dlrm_last_bottom_layer().as<std::int64_t>();
            if (!last) return refuse(error_kind::header_value, end_of_header(), "DLRM_LAST_BOTTOM_LAYER");
            to.last_bottom_layer = *last;
        }
        if (!is_transformer(to.policy)) return true;
        if (to.policy == trace_policy::transformer_fwd_in_bckwd && !read_checkpoints(head, to)) return false;
        const auto bytes = head.pipeline_bytes().as<std::int64_t>();
        if (to.ranks.sizes().pipeline > 1 && bytes) to.message_bytes = *bytes;
        return to.message_bytes == 0 || count_micro_batches(head, to);
    }

    // A layer that initiates is preceded by a checkpoint, with no other one that initiates between the two: SimAI would
    // leave the layers between these two out of the backward pass.
    bool read_checkpoints(const workload::header& head, trace_plan& to) {
        const auto count = static_cast<std::int64_t>(to.layers.size());
        std::vector<bool> checkpoint(to.layers.size());
        std::vector<bool> initiates(to.layers.size());
        for (const bool second : {false, true}) {
            const std::string_view key = second ? "checkpoint_initiates" : "checkpoints";
            const auto list = second ? head.checkpoint_initiates() : head.checkpoints();
            for (const std::int64_t n : list) {
                if (n < 0 || n >= count) return refuse(error_kind::checkpoint_range, where(head, key), key, n, count);
                (second ? initiates : checkpoint)[static_cast<std::size_t>(n)] = true;
            }
        }
        for (std::size_t n = 0; n != to.layers.size(); ++n) {
            if (!initiates[n]) continue;
            std::size_t from = n;
            while (from > 0 && (from == n || (!checkpoint[from] && !initiates[from]))) --from;
            const bool good = from < n && checkpoint[from] && !initiates[from] && !checkpoint[n];
            if (!good)
                return refuse(error_kind::checkpoint_mismatch, where(head, "checkpoint_initiates"),
                              "checkpoint_initiates", static_cast<std::int64_t>(n));
            to.layers[n].recompute_from = from;
        }
        return true;
    }

    // AICB lists the layers of the ga micro-batches one after the other. One micro-batch needs no name.
    bool count_micro_batches(const workload::header& head, trace_plan& to) {
        const auto expected = head.gradient_accumulation().as<std::int64_t>().value_or(1);
        std::int64_t found = 0;
        for (const trace_layer& l : to.layers) found += l.begins_micro_batch ? 1 : 0;
        if (found == expected) return true;
        if (found == 0 && expected == 1 && !to.layers.empty()) return to.layers[0].begins_micro_batch = true;
        return refuse(error_kind::micro_batch_mismatch, where(head, "ga"), "ga", found, expected);
    }

    std::string_view end_of_header() const noexcept {
        const std::string_view line = doc_.header().source.substr(0, doc_.header().source.find_first_of("\r\n"));
        return line.substr(line.size());
    }

    static constexpr std::int64_t most_ranks = (std::numeric_limits<std::int32_t>::max)();
    const workload::document& doc_;
    std::string_view text_;
    const chakra::options& how_;
    error error_;
    char ranks_text_[max_integer_chars] = {};
};

// Writes the nodes of one rank.
template <class Sink>
class workload_trace {
public:
    workload_trace(Sink& sink, const trace_plan& plan, std::int64_t rank)
        : to_(sink, plan.bare), plan_(plan), layers_(plan.layers), rank_(rank), state_(plan.layers.size()) {
        for (std::size_t n = 0; n != parallelism::group_count; ++n)
            if (plan.groups_used[n]) names_.add(plan.ranks, static_cast<parallelism::group>(n));
    }

    bool write() {
        to_.metadata(plan_.input);
        for (std::int64_t pass = 0; pass != plan_.passes; ++pass) {
            pass_ = pass;
            switch (plan_.policy) {
            case trace_policy::micro: micro(); break;
            case trace_policy::data: data(); break;
            case trace_policy::dlrm: dlrm(); break;
            case trace_policy::transformer:
            case trace_policy::transformer_fwd_in_bckwd: transformer(); break;
            default: model();
            }
        }
        return to_.finish();
    }

private:
    // What has to end before something else begins: a collective, or where there is none what comes before it.
    struct layer_state {
        node_ids forward;       // computed
        node_ids forward_comm;  // and communicated
        node_ids input_grad;
        node_ids input_grad_comm;
        node_ids weight_grad;
        node_ids weight_grad_comm;
    };

    // All that waits for `a` and then for `b`.
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
    // Without communication there is no node: what waits for it waits for what it would have waited for.
    node_ids communicate(const trace_layer& l, std::string_view between, const trace_phase& p, const node_ids& after) {
        if (p.comm.empty()) return after;
        const std::int64_t group = plan_.bare || !uses_groups() ? 0 : names_.name(plan_.ranks, p.group, rank_);
        return {to_.collective({"COMM_COLL_NODE_", l.name, between, p.comm}, static_cast<comm_type>(p.type), p.bytes,
                               group, after)};
    }
    bool uses_groups() const noexcept {
        return plan_.policy == trace_policy::transformer || plan_.policy == trace_policy::transformer_fwd_in_bckwd;
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

    // MODEL, and the two hybrids, which communicate weight gradients besides.
    void model() {
        const std::size_t count = layers_.size();
        const bool hybrid = plan_.policy != trace_policy::model;
        const std::string_view input_grad_name = plan_.policy == trace_policy::hybrid_data_model ? "_IG_COMM__" : "_";
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
    // A collective of input gradients; nothing where there is none, as the weight gradient waits for the computation.
    static node_ids after_comm(const layer_state& s) {
        return s.input_grad_comm == s.input_grad ? node_ids() : s.input_grad_comm;
    }

    void dlrm() {
        const std::size_t count = layers_.size();
        const auto is = [&](std::size_t n, std::int64_t layer) { return static_cast<std::int64_t>(n) == layer; };
        node_ids first_forward;
        node_ids first_input_grad;
        for (std::size_t n = 0; n != count; ++n) {
            const trace_layer& l = layers_[n];
            node_ids after = pass_ > 0 ? state_[n].weight_grad_comm : node_ids();
            if (n != 0) after = both(after, state_[n - 1].forward);
            if (is(n, plan_.last_bottom_layer)) after = both(after, first_forward);
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
            if (n != 0 && is(n, plan_.last_bottom_layer + 1) && !layers_[0].input_grad.comm.empty())
                first_input_grad = communicate(layers_[0], "_", layers_[0].input_grad, s.input_grad);
        }
    }

    // As SimAI's state machine: everything waits for what is before it, but weight gradients are communicated while the
    // layers before are computed, and the next pass waits for them layer by layer.
    void transformer() {
        const std::size_t count = layers_.size();
        for (std::size_t n = 0; n != count; ++n) {
            if (layers_[n].begins_micro_batch && batch_ != 0) send(stage() + 1, true);
            if (layers_[n].begins_micro_batch) {
                receive(stage() - 1, true);
                ++batch_;
            }
            if (pass_ > 0) now_ = both(now_, state_[n].weight_grad_comm);
            forward(layers_[n], "_FWD");
        }
        if (batch_ != 0) send(stage() + 1, true);
        // The micro-batches go back in the opposite order, each from its last layer to its first.
        if (batch_ != 0) receive(stage() + 1, false);
        for (std::size_t n = count; n-- > 0;) {
            recompute(n);
            backward(n);
            if (!layers_[n].begins_micro_batch) continue;
            send(stage() - 1, false);
            if (--batch_ != 0) receive(stage() + 1, false);
        }
    }

    void forward(const trace_layer& l, std::string_view phase) {
        step(l, phase, l.forward.ns);
        block(l, phase, l.forward);
    }
    void recompute(std::size_t n) {
        for (std::size_t k = layers_[n].recompute_from; k < n; ++k) forward(layers_[k], "_FWD_IN_BCKWD");
    }
    void backward(std::size_t n) {
        const trace_layer& l = layers_[n];
        step(l, "_BWD_IG", l.input_grad.ns);
        block(l, "_BWD_IG", l.input_grad);
        step(l, "_BWD_WG", l.weight_grad.ns);
        node_ids& done = state_[n].weight_grad_comm;
        done.clear();
        if (l.weight_grad.comm.empty()) return;
        done = communicate(l, "_BWD_WG_", l.weight_grad, now_);
        if (l.update_ns != 0) done = {to_.compute({"COMP_NODE_", l.name, "_BWD_WG_UPDATE"}, {l.update_ns}, done)};
    }
    // Computes, if there is anything to compute: ASTRA-sim makes a nanosecond of nothing.
    void step(const trace_layer& l, std::string_view phase, std::uint64_t ns) {
        if (ns != 0) now_ = compute(l, phase, ns, now_);
    }
    // Communicates and waits for it, and for the delay after it.
    void block(const trace_layer& l, std::string_view phase, const trace_phase& p) {
        if (p.comm.empty()) return;
        const std::int64_t group = names_.name(plan_.ranks, p.group, rank_);
        now_ = {to_.collective({"COMM_COLL_NODE_", l.name, phase, "_", p.comm}, static_cast<comm_type>(p.type), p.bytes,
                               group, now_)};
        if (l.update_ns != 0) now_ = {to_.compute({"COMP_NODE_", l.name, phase, "_UPDATE"}, {l.update_ns}, now_)};
    }

    std::int64_t stage() const noexcept {
        return plan_.ranks.position_of(parallelism::group::pipeline_parallel, rank_);
    }
    std::int64_t rank_of_stage(std::int64_t stage) const noexcept {
        constexpr auto pipeline = parallelism::group::pipeline_parallel;
        return plan_.ranks.rank(pipeline, plan_.ranks.index_of(pipeline, rank_), stage);
    }
    bool exchanges(std::int64_t stage) const noexcept {
        return plan_.message_bytes != 0 && stage >= 0 && stage < plan_.ranks.sizes().pipeline;
    }
    // Those of the same micro-batch and direction in other passes are received in the order in which they are sent.
    static std::int64_t tag(std::int64_t batch, bool forward) noexcept { return batch * 2 + (forward ? 0 : 1); }
    // Sending holds nobody up.
    void send(std::int64_t to_stage, bool forward) {
        if (!exchanges(to_stage)) return;
        to_.message({forward ? "COMM_SEND_NODE_FWD" : "COMM_SEND_NODE_BWD"}, node_type::send, rank_,
                    rank_of_stage(to_stage), plan_.message_bytes, tag(batch_ - 1, forward), now_);
    }
    void receive(std::int64_t from_stage, bool forward) {
        if (!exchanges(from_stage)) return;
        now_ = {to_.message({forward ? "COMM_RECV_NODE_FWD" : "COMM_RECV_NODE_BWD"}, node_type::receive,
                            rank_of_stage(from_stage), rank_, plan_.message_bytes,
                            tag(forward ? batch_ : batch_ - 1, forward), now_)};
    }

    trace_writer<Sink> to_;
    const trace_plan& plan_;
    const std::vector<trace_layer>& layers_;
    std::int64_t rank_;
    std::vector<layer_state> state_;
    group_names names_;
    std::int64_t pass_ = 0;
    std::int64_t batch_ = 0;  // micro-batches whose forward pass has begun and whose backward pass has not ended
    node_ids now_;            // what the next step waits for
};

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace chakra {
inline namespace WLFMT_IMPL {

inline std::int64_t traces::ranks() const noexcept { return plan_ != nullptr ? plan_->ranks.sizes().ranks : 0; }

inline result<traces> traces_of(const workload::document& doc, std::string_view text, const options& how) {
    return detail::trace_planner(doc, text, how).plan();
}

template <class Sink>
error write(Sink&& sink, const traces& all, std::int64_t rank) {
    if (all.plan() == nullptr || rank < 0 || rank >= all.ranks()) return {};
    detail::workload_trace<std::remove_reference_t<Sink>> to(sink, *all.plan(), rank);
    return to.write() ? error() : detail::sink_error();
}

template <class Sink>
error write_groups(Sink&& sink, const traces& all) {
    detail::group_writer<std::remove_reference_t<Sink>> to(sink);
    if (const detail::trace_plan* const plan = all.plan()) {
        detail::group_names names;
        for (std::size_t n = 0; n != parallelism::group_count; ++n)
            if (plan->groups_used[n]) names.add(plan->ranks, static_cast<parallelism::group>(n));
        detail::write_named_groups(to, plan->ranks, names);
    }
    return to.finish() ? error() : detail::sink_error();
}

}  // namespace WLFMT_IMPL
}  // namespace chakra
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
