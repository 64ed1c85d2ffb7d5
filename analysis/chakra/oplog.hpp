// Makes the trace of a rank from its op log.
#ifndef WLFMT_ANALYSIS_CHAKRA_OPLOG_HPP
#define WLFMT_ANALYSIS_CHAKRA_OPLOG_HPP

#include "../library.hpp"
#include "node.hpp"

namespace wlfmt::analysis {

// The groups of a run. An embedding group consists of the first and the last rank of a pipeline group.
class run_groups : public named_groups {
public:
    explicit run_groups(const chakra::run& run) noexcept : named_groups(parallelism::layout(run.sizes, run.order)) {
        for (std::size_t kind = 0; kind != static_cast<std::size_t>(pipeline); ++kind) add(kind);
    }

    // The name of a rank's group; 0 if the group has one rank; empty if there is no such group.
    std::optional<std::int64_t> name(oplog::group g, std::int64_t rank) const noexcept {
        using parallelism::group;
        switch (g) {
        case oplog::group::tensor_parallel: return named_groups::name(group::tensor_parallel, rank);
        case oplog::group::data_parallel: return named_groups::name(group::data_parallel, rank);
        case oplog::group::expert_parallel: return named_groups::name(group::expert_parallel, rank);
        // The tracer of mixtures of experts calls the group of the experts' gradients ep_dp.
        case oplog::group::embedding_data_parallel:
        case oplog::group::expert_data_parallel: return named_groups::name(group::expert_data_parallel, rank);
        case oplog::group::embedding:
            if (stages() < 2) return 0;
            if (stage(rank) != 0 && stage(rank) != stages() - 1) return std::nullopt;
            return next() + ranks().index_of(pipeline, rank).value_or(0);
        default: return std::nullopt;
        }
    }

    void write(group_writer& writer) const {
        named_groups::write(writer);
        if (stages() < 2) return;
        for (std::int64_t n = 0; n != ranks().count(pipeline); ++n)
            writer.group(next() + n, 2, [&](std::int64_t k) {
                return ranks().rank(pipeline, n, k == 0 ? 0 : stages() - 1).value_or(0);
            });
    }
};

// Goes through a log twice: to check it, and to write its trace.
class oplog_trace : trace_source {
public:
    oplog_trace(output& to, const chakra::run& run, std::string_view text)
        : trace_source(text), trace_(to, false), run_(run), groups_(run) {}

    problem write(const oplog::document& log, std::string_view fingerprint) {
        for (const bool checking : {true, false}) {
            checking_ = checking;
            latest_.clear();
            if (!checking) trace_.metadata({}, fingerprint);
            for (const oplog::operation& op : log.operations)
                if (!add(op)) return error_;
            // Even the second pass may add no node: for an optimizer step that, by other ranks' records, only waits.
            if (checking ? !has_nodes_ : trace_.nodes() == 0) {
                const bool empty = log.operations.empty();
                const std::int64_t rank = empty ? 0 : log.operations[0].rank;
                refuse_at(error_kind::empty_trace, empty ? std::string_view() : where(log.operations[0], "op"), "op",
                          groups_.stage(rank));
                return error_;
            }
        }
        return {};
    }

private:
    // What the log says about a collective or a message.
    struct transfer {
        std::int64_t bytes = 0;
        std::int64_t group = 0;  // 0: a group of one rank
        oplog::group kind = oplog::group::none;
        std::uint64_t micros = 0;
    };

    bool add(const oplog::operation& op) {
        if (op.origin != oplog::origin::rank) return refuse_at(error_kind::untraceable, op.source, "stage");
        const std::int64_t world = groups_.ranks().sizes().ranks;
        if (op.rank < 0 || op.rank >= world || world > (std::numeric_limits<std::int32_t>::max)())
            return refuse(error_kind::stage_mismatch, op, "rank", op.rank, world);
        if (!is_utf8(op.op)) return refuse(error_kind::untraceable, op, "op");
        const auto stage = op.stage_id.as<std::int64_t>();
        if (stage && *stage != groups_.stage(op.rank))
            return refuse(error_kind::stage_mismatch, op, "stage_id", *stage, groups_.stage(op.rank));
        const operation_facts facts = operations::facts_of(op.op);
        if (facts.between_stages && facts.kind != operation_kind::exchange) return add_message(op, facts);
        oplog::group g = oplog::group_of(op.group_kind);
        const bool is_step = facts.is_pipeline_step() || facts.kind == operation_kind::optimizer;
        if (facts.kind != operation_kind::collective && (g == oplog::group::none || is_step))
            return add_parts(op, facts);
        if (g == oplog::group::none)
            g = facts.group == operations::embedding ? oplog::group::embedding
                : facts.group.empty()                ? oplog::group::other
                                                     : oplog::group_of(facts.group);
        return add_reduction(op, facts, g);
    }

    bool add_message(const oplog::operation& op, const operation_facts& facts) {
        transfer t;
        if (!read_tensor(op, op, t)) return false;
        const auto batch = op.batch_id.as<std::int64_t>();
        if (!batch) return refuse(error_kind::trace_lacks, op, "batch_id");
        if (*batch < 0 || *batch > (std::numeric_limits<std::int32_t>::max)() / 2 - 1)
            return refuse(error_kind::number_overflow, op, "batch_id");
        const std::int64_t other = groups_.stage(op.rank) + (facts.is_to_next_stage() ? 1 : -1);
        if (other < 0 || other >= groups_.stages())
            return refuse_at(error_kind::stage_mismatch, where(op, "op"), op.op, other, groups_.stage(op.rank));
        has_nodes_ = true;
        if (checking_) return true;
        const std::int64_t tag = *batch * 2 + (facts.backward ? 1 : 0);
        latest_ = {trace_.message({op.op}, facts.kind == operation_kind::send, op.rank,
                                  groups_.rank_of_stage(op.rank, other), t.bytes, tag, latest_, t.micros)};
        return true;
    }

    // Adds an operation that is a collective as a whole, such as an all-reduce of gradients.
    bool add_reduction(const oplog::operation& op, const operation_facts& facts, oplog::group g) {
        const workload::collectives::row* const row = row_of(facts.collective);
        if (row == nullptr) return refuse(error_kind::untraceable, op, "op");
        transfer t;
        const auto group = groups_.name(g, op.rank);
        if (!group) return refuse(error_kind::trace_lacks, op, "group_kind");
        t.group = *group;
        t.kind = g;
        if (!read_tensor(op, op, t)) return false;
        add_collective(op, *row, t);
        return true;
    }

    // Adds an operation's collectives in the order of their ends, and computation between them.
    bool add_parts(const oplog::operation& op, const operation_facts& facts) {
        auto total = op.duration.template as<double>();
        if (!total) return refuse(error_kind::trace_lacks, op, "duration");
        if (!check_time(*total, where(op, "duration"))) return false;
        if (facts.kind == operation_kind::optimizer) {
            // The ranks of the same tensor and pipeline groups have the same position in their data parallel groups.
            const auto replica = groups_.ranks().position_of(parallelism::group::data_parallel, op.rank);
            total = work_of(chakra::shared_call::optimizer_step, replica.value_or(0), *total);
        }
        const double operation_end = op.timestamp.value_or(0.0);
        double at = operation_end - *total;  // where the part that is already in the trace ends
        double rest = *total;
        for (const oplog::sub_operation& sub : nested_operations_of(op)) {
            const oplog::collective c = oplog::collective_of(sub.comm_func);
            if (sub.is_text() || c == oplog::collective::none) continue;
            transfer t;
            const double took = sub.duration.value_or(0.0);
            if (!check_time(took, where(sub, "duration"))) return false;
            const workload::collectives::row* const row = row_of(c);
            if (row == nullptr) return refuse(error_kind::untraceable, sub, "comm_func");
            t.kind = oplog::group_of(sub.group);
            const auto group = groups_.name(t.kind, op.rank);
            if (!group) return refuse_at(error_kind::trace_lacks, place(op, sub, "group"), "group");
            t.group = *group;
            if (!read_tensor(op, sub, t)) return false;
            // Timestamps show how long the computation before a collective took. Without them, all of it comes last.
            const auto collective_end = sub.timestamp.template as<double>();
            if (operation_end > 0 && collective_end && *collective_end > 0) {
                const double computed = (std::min)((std::max)(*collective_end - took - at, 0.0), rest);
                add_compute(op.op, micros_of(computed));
                rest -= computed;
                at = (std::max)(at, *collective_end);
            }
            const node_ids before = latest_;
            add_collective(op, *row, t);
            if (runs_beside(sub) && t.group != 0 && t.bytes != 0) {
                // The next step waits for the collective and for the computation.
                const std::uint64_t micros = micros_of(work_of(chakra::shared_call::asynchronous, t.group, took));
                if (!checking_ && micros != 0) latest_.push_back(trace_.compute({op.op}, micros * 1000, before));
            }
            rest = (std::max)(rest - took, 0.0);
        }
        add_compute(op.op, micros_of(rest));
        return true;
    }

    double work_of(chakra::shared_call kind, std::int64_t group, double ms) const {
        if (checking_ || run_.work_of == nullptr) return ms;
        const double work = run_.work_of(run_.context, kind, group, ms);
        return work >= 0 && work <= ms ? work : ms;
    }

    // The collective's row; null if Chakra traces do not have such a collective.
    static const workload::collectives::row* row_of(oplog::collective c) noexcept {
        for (const workload::collectives::row& row : workload::collectives::rows)
            if (row.name == oplog::name_of(c) && row.chakra >= 0) return &row;
        return nullptr;
    }

    // The place of a field, or else of its record, or else of its operation.
    template <class Record>
    static std::string_view place(const oplog::operation& op, const Record& record, std::string_view field) {
        const std::string_view at = where(record, field);
        return !is_missing(at) ? at : !is_missing(record.source) ? record.source : op.source;
    }
    // Reads the tensor of an operation or of one nested in it.
    template <class Record> bool read_tensor(const oplog::operation& op, const Record& record, transfer& t) {
        const auto refuse_field = [&](error_kind kind, std::string_view field) {
            return refuse_at(kind, place(op, record, field), field);
        };
        if (!record.input_shape.is_list()) return refuse_field(error_kind::trace_lacks, "input__shape");
        t.bytes = oplog::element_bytes(record.input_dtype);
        if (t.bytes == 0) return refuse_field(error_kind::trace_lacks, "input__dtype");
        constexpr std::int64_t greatest = (std::numeric_limits<std::int64_t>::max)();
        for (const std::int64_t n : record.input_shape) {
            if (n < 0) return refuse_field(error_kind::negative_value, "input__shape");
            if (n != 0 && t.bytes > greatest / n) return refuse_field(error_kind::number_overflow, "input__shape");
            t.bytes *= n;
        }
        const double ms = record.duration.value_or(0.0);
        if (!check_time(ms, place(op, record, "duration"))) return false;
        t.micros = micros_of(ms);
        return true;
    }

    bool check_time(double ms, std::string_view at) {
        if (ms < 0) return refuse_at(error_kind::negative_value, at, "duration");
        return ms < 9e12 || refuse_at(error_kind::number_overflow, at, "duration", 0, 63);
    }
    static std::uint64_t micros_of(double ms) noexcept { return static_cast<std::uint64_t>(ms * 1000 + 0.5); }

    void add_compute(std::string_view op, std::uint64_t micros) {
        has_nodes_ = has_nodes_ || micros != 0;
        if (!checking_ && micros != 0) latest_ = {trace_.compute({op}, micros * 1000, latest_)};
    }
    // A group of one rank sends nothing: its measured time becomes computation.
    void add_collective(const oplog::operation& op, const workload::collectives::row& row, const transfer& t) {
        if (t.group == 0 && t.bytes != 0 && !checking_ && run_.on_single != nullptr)
            run_.on_single(run_.context, t.kind);
        if (t.group == 0 || t.bytes == 0) return add_compute(op.op, t.micros);
        has_nodes_ = true;
        if (checking_) return;
        const auto type = static_cast<comm_type>(row.chakra);
        std::int64_t bytes = t.bytes;
        if (type == comm_type::all_to_all && run_.share_of != nullptr)
            bytes = run_.share_of(run_.context, t.group, bytes);
        // ASTRA-sim would split fewer bytes into pieces of 0 bytes and loop forever.
        if (type == comm_type::all_gather && bytes < run_.splits) {
            bytes = run_.splits;
            if (run_.on_rounded_up != nullptr) run_.on_rounded_up(run_.context);
        }
        if (run_.on_collective != nullptr) run_.on_collective(run_.context, {t.group, row.chakra, bytes, &op});
        latest_ = {trace_.collective({op.op, "_", row.token}, type, bytes, t.group, latest_, t.micros)};
    }

    trace_writer trace_;
    const chakra::run& run_;
    run_groups groups_;
    bool checking_ = true;
    bool has_nodes_ = false;
    node_ids latest_;
};

}  // namespace wlfmt::analysis

#endif
