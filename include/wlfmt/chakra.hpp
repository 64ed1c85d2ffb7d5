// wlfmt/chakra.hpp: Chakra execution traces, which ASTRA-sim 2 reads, from workload files and from op logs. Not
// included by wlfmt.hpp; needs protozero (Debian: libprotozero-dev), a header-only library, and exceptions, which it
// uses.
//
//     const auto traces = wlfmt::chakra::traces_of(*file, text);
//     if (!traces) return fail(traces.error());
//     for (std::int64_t rank = 0; rank != traces->ranks(); ++rank) {
//         std::ofstream out("moe." + std::to_string(rank) + ".et", std::ios::binary);
//         if (auto e = wlfmt::chakra::write(out, *traces, rank)) return fail(e);
//     }
//     std::ofstream groups("moe.json");
//     if (auto e = wlfmt::chakra::write_groups(groups, *traces)) return fail(e);
//
// A trace is a GlobalMetadata message and then one Node message per node, each after its size. Which nodes there are
// for each policy, every unit and every mapping: docs/chakra.md.
#include "version.hpp"

#ifndef WLFMT_CHAKRA_HPP
#define WLFMT_CHAKRA_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "oplog.hpp"
#include "parallelism.hpp"
#include "sink.hpp"
#include "types/chakra.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
struct trace_plan;
}
namespace chakra {

enum class all_gather_size : std::uint8_t {
    by_header,  // `whole` in headers with all_gpus, which SimAI and AICB write; else `share`, as in files of
                // ASTRA-sim 1.0
    whole,      // the buffer of all ranks of the group
    share       // what one rank has of it
};

struct options {
    // Nanoseconds in a unit of the workload's times: 1 for files of SimAI, 1000 gives what Chakra's own converter
    // writes. Chakra's durations are whole microseconds: times are rounded to the nearest one, and unless the tick is a
    // whole number of microseconds, each computation also has its nanoseconds in num_ops (docs/chakra.md says how to
    // make ASTRA-sim use them).
    double tick = 1;
    // How many passes over the layers the traces hold.
    std::int64_t passes = 1;
    // all_gpus, model_parallel_NPU_group, pp and ep, where the header does not have them. Where it has, the two have to
    // be equal; 0 is what the header says. The policies of Chakra's converter have no groups, and take `ranks` alone.
    std::int64_t ranks = 0;
    std::int64_t tensor = 0;
    std::int64_t pipeline = 0;
    std::int64_t expert = 0;
    parallelism::rank_order order = {};
    // What the size of an ALLGATHER is under HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD.
    all_gather_size all_gather = all_gather_size::by_header;
    // Into how many pieces the simulator splits a collective (`preferred-dataset-splits` of its system configuration).
    // An all-gather of fewer bytes of a rank never ends there, and is rounded up to this number.
    std::int64_t splits = 4;
    // The name of the layer that begins a micro-batch, where there are messages between stages.
    text micro_batch = "embedding_layer";
    // Becomes `input_file` in the metadata of each trace, where Chakra's converter puts the workload's text. Left out
    // if it is missing.
    text input = {};
};

inline namespace WLFMT_IMPL {

// What the traces of a workload are made from. Refers to the text that the document was read from and to nothing else.
// Copies share their contents, which never change.
class traces {
public:
    // No ranks.
    traces() noexcept = default;
    explicit traces(std::shared_ptr<const detail::trace_plan> plan) noexcept : plan_(std::move(plan)) {}

    [[nodiscard]] std::int64_t ranks() const noexcept;
    [[nodiscard]] remarks notes() const noexcept;
    [[nodiscard]] const detail::trace_plan* plan() const noexcept { return plan_.get(); }

private:
    std::shared_ptr<const detail::trace_plan> plan_;
};

// Works out how the document is to be traced: MICRO, DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_DLRM and
// HYBRID_DLRM_ENHANCED as Chakra's converter does, HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD as SimAI
// simulates them. Everything is mapped or refused: another policy (untraceable), a collective that ASTRA-sim 2 does not
// have (untraceable) or that is unknown (unknown_collective), times and sizes below 0 (negative_value) or that are not
// numbers, sizes that do not divide (parallelism::sizes_of), an order in which groups of experts span stages
// (order_mismatch), more or fewer micro-batches than ga says
// (micro_batch_mismatch), checkpoints that do not fit (checkpoint_range, checkpoint_mismatch). Errors lie in `text`,
// the text that the document was read from.
[[nodiscard]] result<traces> traces_of(const workload::document& doc, std::string_view text, const options& how = {});

// Writes the trace of a rank, 0 to ranks() - 1, to a sink (sink.hpp), in memory that does not grow with the ranks.
// Takes linear time in the layers and passes. The trace of a rank that does not exist is empty.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const traces& all, std::int64_t rank);
// Writes ASTRA-sim's communicator groups, {"1":[0,1],...}, for all ranks: those that the traces use.
template <class Sink>
[[nodiscard]] error write_groups(Sink&& sink, const traces& all);

// Operations whose measured time holds more than their own work, which only the logs of all ranks of the group together
// tell apart.
enum class shared_call : std::uint8_t {
    // A collective that runs beside computation (`trace_src_func` ends in `_async`): from its launch to the end of the
    // wait for it.
    asynchronous,
    // optimizer_step, which waits for all ranks of the same tensor and pipeline groups.
    optimizer_step
};

// A run of which each rank has an op log.
struct run {
    // A log does not say which ranks are in a group. The sizes do; the tracer puts them into the names of its files.
    parallelism::sizes sizes = {};
    parallelism::rank_order order = {};
    // Called for every collective that is written, with the name of its group, Chakra's comm_type and comm_size: in
    // ASTRA-sim all ranks of a group have to reach the same ones in the same order. May be null; must not throw.
    void (*on_collective)(void* context, std::int64_t group, std::int64_t type, std::int64_t bytes) = nullptr;
    // Called for every such call, in the order of the log, with a number for its group and the milliseconds that it
    // took: returns the milliseconds of computation in it. May be null, which takes all of them for computation.
    double (*work_of)(void* context, shared_call kind, std::int64_t group, double ms) = nullptr;
    void* context = nullptr;
};

// Writes the trace of a rank from its op log: computation where no collective runs, with the time that was measured;
// collectives, sends and receives with their bytes, from shape and dtype, and the time that they took; beside an
// asynchronous collective, the computation that was measured with it. `text` is the
// text that the log was read from. If the log lacks something that a trace needs, that is an error and nothing is
// written: trace_lacks with the field that is missing, negative_value, number_overflow (bytes or nanoseconds beyond 63
// bits), stage_mismatch (the log's stage_id is not the stage of that rank), untraceable (records of a scheduling plan,
// and operations and collectives that have no form in a trace).
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const oplog::document& log, const run& of, std::string_view text);
// The groups of a run: tp, dp, exp, exp_dp and ep, those of more than one rank.
template <class Sink>
[[nodiscard]] error write_groups(Sink&& sink, const run& of);

}  // namespace WLFMT_IMPL
}  // namespace chakra
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/chakra/oplog.hpp"
#include "detail/chakra/planner.hpp"
#include "detail/chakra/workload.hpp"

#include "detail/base/config_end.hpp"
#endif
