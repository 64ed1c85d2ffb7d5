// The trace of a rank from its op log.
#ifndef WLFMT_DETAIL_CHAKRA_OPLOG_HPP
#define WLFMT_DETAIL_CHAKRA_OPLOG_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../oplog.hpp"
#include "../../types/chakra.hpp"
#include "../base/characters.hpp"
#include "../error/place.hpp"
#include "../error/problems.hpp"
#include "../oplog/nested.hpp"
#include "../oplog/operations.hpp"
#include "node.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The groups of a run. An embedding group consists of the first and the last rank of a pipeline group.
class run_groups {
public:
    explicit run_groups(const chakra::run& of) noexcept : ranks_(of.sizes, of.order) {
        using parallelism::group;
        for (const group g :
             {group::tensor_parallel, group::data_parallel, group::expert_parallel, group::expert_data_parallel})
            names_.add(ranks_, g);
        embeddings_ = names_.next();
    }

    const parallelism::layout& ranks() const noexcept { return ranks_; }
    std::int64_t stages() const noexcept { return ranks_.sizes().pipeline; }
    std::int64_t stage(std::int64_t rank) const noexcept { return ranks_.position_of(pipeline, rank).value_or(0); }
    std::int64_t rank_of_stage(std::int64_t rank, std::int64_t stage) const noexcept {
        return rank_in_group(ranks_, pipeline, rank, stage);
    }
    // 0 if the group has one rank; empty if there is no such group.
    std::optional<std::int64_t> name(oplog::group g, std::int64_t rank) const noexcept {
        using parallelism::group;
        switch (g) {
        case oplog::group::tensor_parallel: return names_.name(ranks_, group::tensor_parallel, rank);
        case oplog::group::data_parallel: return names_.name(ranks_, group::data_parallel, rank);
        case oplog::group::expert_parallel: return names_.name(ranks_, group::expert_parallel, rank);
        // The tracer of mixtures of experts calls the gradients of experts ep_dp.
        case oplog::group::embedding_data_parallel:
        case oplog::group::expert_data_parallel: return names_.name(ranks_, group::expert_data_parallel, rank);
        case oplog::group::embedding: {
            if (stages() < 2) return 0;
            const bool member = stage(rank) == 0 || stage(rank) == stages() - 1;
            return member ? std::optional<std::int64_t>(embeddings_ + ranks_.index_of(pipeline, rank).value_or(0))
                          : std::nullopt;
        }
        default: return std::nullopt;
        }
    }

    template <class Sink> void write(group_writer<Sink>& to) const {
        write_named_groups(to, ranks_, names_);
        if (stages() < 2) return;
        for (std::int64_t n = 0; n != ranks_.count(pipeline); ++n)
            to.group(embeddings_ + n, 2,
                     [&](std::int64_t k) { return ranks_.rank(pipeline, n, k == 0 ? 0 : stages() - 1).value_or(0); });
    }

private:
    static constexpr auto pipeline = parallelism::group::pipeline_parallel;
    parallelism::layout ranks_;
    group_names names_;
    std::int64_t embeddings_ = 1;
};

// Goes through a log twice: to check it, and to write its trace.
template <class Sink> class oplog_trace {
    using operations = oplog_operations<build>;

public:
    oplog_trace(Sink& sink, const chakra::run& of, std::string_view text)
        : to_(sink, false), run_(of), groups_(of), text_(text) {}

    error write(const oplog::document& log, std::string_view fingerprint) {
        for (const bool checking : {true, false}) {
            checking_ = checking;
            latest_.clear();
            if (!checking) to_.metadata({}, fingerprint);
            for (const oplog::operation& op : log.operations)
                if (!operation(op)) return error_;
        }
        return to_.finish() ? error() : sink_error();
    }

private:
    bool refuse(error_kind kind, std::string_view place, std::string_view field, std::int64_t found = 0,
                std::int64_t expected = 0) {
        error_ = error_at(kind, place, text_, field, found, expected);
        return false;
    }

    // What the log says about the tensor, group and time of a collective or message.
    struct transfer {
        std::int64_t bytes = 0;
        std::int64_t group = 0;
        std::uint64_t micros = 0;
    };

    bool operation(const oplog::operation& op) {
        if (op.origin != oplog::origin::rank) return refuse(error_kind::untraceable, op.source, "stage");
        const std::int64_t all = groups_.ranks().sizes().ranks;
        if (op.rank < 0 || op.rank >= all || all > (std::numeric_limits<std::int32_t>::max)())
            return refuse(error_kind::stage_mismatch, where(op, "rank"), "rank", op.rank, all);
        if (!is_utf8(op.op)) return refuse(error_kind::untraceable, where(op, "op"), "op");
        const auto stage = op.stage_id.as<std::int64_t>();
        if (stage && *stage != groups_.stage(op.rank))
            return refuse(error_kind::stage_mismatch, where(op, "stage_id"), "stage_id", *stage,
                          groups_.stage(op.rank));
        const operation_facts facts = operations::facts_of(op.op);
        if (facts.between_stages && facts.kind != operation_kind::exchange) return message(op, facts);
        oplog::group g = oplog::group_of(op.group_kind);
        const bool is_step = facts.is_pipeline_step() || facts.kind == operation_kind::optimizer;
        if (facts.kind != operation_kind::collective && (g == oplog::group::none || is_step))
            return computation(op, facts);
        if (g == oplog::group::none)
            g = facts.group == operations::embedding ? oplog::group::embedding : operations::group_of(facts.group);
        return reduction(op, facts, g);
    }

    bool message(const oplog::operation& op, const operation_facts& facts) {
        transfer t;
        if (!read_tensor(op, t)) return false;
        const auto batch = op.batch_id.as<std::int64_t>();
        if (!batch) return refuse(error_kind::trace_lacks, where(op, "batch_id"), "batch_id");
        if (*batch < 0 || *batch > (std::numeric_limits<std::int32_t>::max)() / 2 - 1)
            return refuse(error_kind::number_overflow, where(op, "batch_id"), "batch_id");
        const bool send = facts.kind == operation_kind::send;
        const std::int64_t other = groups_.stage(op.rank) + (facts.is_to_next_stage() ? 1 : -1);
        if (other < 0 || other >= groups_.stages())
            return refuse(error_kind::stage_mismatch, where(op, "op"), op.op, other, groups_.stage(op.rank));
        if (checking_) return true;
        const std::int64_t peer = groups_.rank_of_stage(op.rank, other);
        const std::int64_t tag = *batch * 2 + (facts.backward ? 1 : 0);
        latest_ = {to_.message({send ? "COMM_SEND_NODE_" : "COMM_RECV_NODE_", op.op},
                               send ? node_type::send : node_type::receive, send ? op.rank : peer,
                               send ? peer : op.rank, t.bytes, tag, latest_, t.micros)};
        return true;
    }

    // An operation that is a collective as a whole: the all-reduces of gradients.
    bool reduction(const oplog::operation& op, const operation_facts& facts, oplog::group g) {
        const std::int8_t type = type_of(facts.collective);
        if (type < 0) return refuse(error_kind::untraceable, where(op, "op"), "op");
        transfer t;
        const auto group = groups_.name(g, op.rank);
        if (!group) return refuse(error_kind::trace_lacks, where(op, "group_kind"), "group_kind");
        t.group = *group;
        if (!read_tensor(op, t)) return false;
        collective("COMM_COLL_NODE_", op.op, static_cast<comm_type>(type), t);
        return true;
    }

    // The collectives of an operation in the order of their ends, and computation between them.
    bool computation(const oplog::operation& op, const operation_facts& facts) {
        auto all = op.duration.template as<double>();
        if (!all) return refuse(error_kind::trace_lacks, where(op, "duration"), "duration");
        if (!check_time(*all, where(op, "duration"))) return false;
        if (facts.kind == operation_kind::optimizer)
            all = work_of(chakra::shared_call::optimizer_step, replica(op.rank), *all);
        const double end = op.timestamp.value_or(0.0);
        double at = end - *all;  // the part of the operation that is in the trace so far ends here
        double rest = *all;
        for (const oplog::sub_operation& sub : nested_operations_of(op)) {
            const oplog::collective c = oplog::collective_of(sub.comm_func);
            if (sub.is_text() || c == oplog::collective::none) continue;
            transfer t;
            const double took = sub.duration.value_or(0.0);
            if (!check_time(took, where(sub, "duration"))) return false;
            comm_type type = comm_type::all_reduce;
            if (!read_nested(op, sub, c, t, type)) return false;
            // Measured ends say how long the computation before a collective took. Without them, all computation comes
            // last.
            const auto ended = sub.timestamp.template as<double>();
            if (end > 0 && ended && *ended > 0) {
                const double computed = (std::min)((std::max)(*ended - took - at, 0.0), rest);
                compute(op.op, computed);
                rest -= computed;
                at = (std::max)(at, *ended);
            }
            const node_ids before = latest_;
            collective("COMM_COLL_NODE_", op.op, type, t);
            if (runs_beside(sub) && t.group != 0 && t.bytes != 0) {
                const double work = work_of(chakra::shared_call::asynchronous, t.group, took);
                compute_beside(op.op, work, before);
            }
            rest = (std::max)(rest - took, 0.0);
        }
        compute(op.op, rest);
        return true;
    }

    // A number for the ranks that share tensor and pipeline groups.
    std::int64_t replica(std::int64_t rank) const noexcept {
        return groups_.ranks().position_of(parallelism::group::data_parallel, rank).value_or(0);
    }
    // Called once for each collective, in the pass that checks.
    double work_of(chakra::shared_call kind, std::int64_t group, double ms) {
        if (run_.work_of == nullptr) return ms;
        if (checking_) {
            const double work = run_.work_of(run_.context, kind, group, ms);
            work_.push_back(work >= 0 && work <= ms ? work : ms);
            return work_.back();
        }
        return work_[next_work_++];
    }
    // The next step waits for the collective and for the computation.
    void compute_beside(std::string_view op, double ms, const node_ids& before) {
        const std::uint64_t micros = micros_of(ms);
        if (checking_ || micros == 0) return;
        latest_.push_back(to_.compute({"COMP_NODE_", op}, {micros * 1000}, before));
    }

    // Below 0: Chakra traces have none for it.
    static std::int8_t type_of(oplog::collective c) noexcept {
        for (const collective_row& row : collective_table<build>::rows)
            if (row.name == oplog::name_of(c)) return row.chakra;
        return -1;
    }
    bool read_nested(const oplog::operation& op, const oplog::sub_operation& sub, oplog::collective c, transfer& t,
                     comm_type& type) {
        const std::int8_t number = type_of(c);
        if (number < 0) return refuse(error_kind::untraceable, where(sub, "comm_func"), "comm_func");
        type = static_cast<comm_type>(number);
        const auto group = groups_.name(oplog::group_of(sub.group), op.rank);
        if (!group) return refuse(error_kind::trace_lacks, place(op, sub, "group"), "group");
        t.group = *group;
        return read_tensor(op, sub, t);
    }

    static std::string_view place(const oplog::operation& op, const oplog::sub_operation& sub, std::string_view field) {
        const std::string_view at = where(sub, field);
        return is_missing(at) ? (is_missing(sub.source) ? op.source : sub.source) : at;
    }
    bool read_tensor(const oplog::operation& op, transfer& t) {
        const auto at = [&](std::string_view field) {
            const std::string_view own = where(op, field);
            return is_missing(own) ? op.source : own;
        };
        return read_bytes(op.input_shape, op.input_dtype, at, t) && read_micros(op.duration, at("duration"), t);
    }
    bool read_tensor(const oplog::operation& op, const oplog::sub_operation& sub, transfer& t) {
        const auto at = [&](std::string_view field) { return place(op, sub, field); };
        return read_bytes(sub.input_shape, sub.input_dtype, at, t) && read_micros(sub.duration, at("duration"), t);
    }
    template <class At> bool read_bytes(const oplog::shape& shape, std::string_view dtype, const At& at, transfer& t) {
        if (!shape.is_list()) return refuse(error_kind::trace_lacks, at("input__shape"), "input__shape");
        t.bytes = element_bytes(dtype);
        if (t.bytes == 0) return refuse(error_kind::trace_lacks, at("input__dtype"), "input__dtype");
        constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();
        for (const std::int64_t n : shape) {
            if (n < 0) return refuse(error_kind::negative_value, at("input__shape"), "input__shape");
            if (n != 0 && t.bytes > most / n)
                return refuse(error_kind::number_overflow, at("input__shape"), "input__shape");
            t.bytes *= n;
        }
        return true;
    }
    bool read_micros(const number& ms, std::string_view at, transfer& t) {
        const double v = ms.value_or(0.0);
        if (!check_time(v, at)) return false;
        t.micros = micros_of(v);
        return true;
    }

    // A time is not below 0, and its nanoseconds fit into 63 bits.
    bool check_time(double ms, std::string_view at) {
        if (ms < 0) return refuse(error_kind::negative_value, at, "duration");
        return ms < 9e12 || refuse(error_kind::number_overflow, at, "duration");
    }
    static std::uint64_t micros_of(double ms) noexcept { return static_cast<std::uint64_t>(ms * 1000 + 0.5); }

    void compute(std::string_view op, double ms) {
        const std::uint64_t micros = micros_of(ms);
        if (checking_ || micros == 0) return;
        latest_ = {to_.compute({"COMP_NODE_", op}, {micros * 1000}, latest_)};
    }
    // A group of one rank sends nothing: the time that was measured becomes computation.
    void collective(std::string_view kind, std::string_view op, comm_type type, const transfer& t) {
        if (checking_) return;
        if (t.group == 0 || t.bytes == 0) {
            if (t.micros != 0) latest_ = {to_.compute({"COMP_NODE_", op}, {t.micros * 1000}, latest_)};
            return;
        }
        std::int64_t bytes = t.bytes;
        if (type == comm_type::all_to_all && run_.share_of != nullptr)
            bytes = run_.share_of(run_.context, t.group, bytes);
        // ASTRA-sim would divide it into pieces of no bytes, and loop for ever.
        if (type == comm_type::all_gather && bytes < run_.splits) {
            bytes = run_.splits;
            if (run_.on_rounded_up != nullptr) run_.on_rounded_up(run_.context);
        }
        if (run_.on_collective != nullptr)
            run_.on_collective(run_.context, t.group, static_cast<std::int64_t>(type), bytes);
        constexpr std::string_view names[] = {"_ALLREDUCE", "",           "_ALLGATHER", "",
                                              "",           "_BROADCAST", "_ALLTOALL",  "_REDUCESCATTER"};
        latest_ = {
            to_.collective({kind, op, names[static_cast<std::size_t>(type)]}, type, bytes, t.group, latest_, t.micros)};
    }

    trace_writer<Sink> to_;
    const chakra::run& run_;
    run_groups groups_;
    std::string_view text_;
    bool checking_ = true;
    error error_;
    node_ids latest_;
    std::vector<double> work_;  // the answers of run::work_of
    std::size_t next_work_ = 0;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
