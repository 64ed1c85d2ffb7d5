// Chakra execution traces, which ASTRA-sim 2 reads, from workload files and op logs. Its source needs exceptions and
// protozero, a header-only library that uses them (Debian: libprotozero-dev).
//
//     const auto traces = wlfmt::analysis::chakra::traces_of(*file, text);
//     if (!traces) return fail(traces.error());
//     for (std::int64_t rank = 0; rank != traces->ranks(); ++rank) {
//         std::string trace;                                                       // the file moe.RANK.et
//         wlfmt::analysis::output to(trace);
//         if (auto e = wlfmt::analysis::chakra::write(to, *traces, rank)) return fail(e);
//     }
//
// A trace is a GlobalMetadata message and then a Node message per node, each after its size. Details: docs/chakra.md.
#ifndef WLFMT_ANALYSIS_CHAKRA_CHAKRA_HPP
#define WLFMT_ANALYSIS_CHAKRA_CHAKRA_HPP

#include <cstdint>
#include <string_view>

#include <wlfmt/error.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/types/oplog.hpp>
#include <wlfmt/types/workload.hpp>

#include "../output.hpp"
#include "types.hpp"

namespace wlfmt::analysis::chakra {

// Works out how to trace the document: MICRO, DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_DLRM and
// HYBRID_DLRM_ENHANCED as Chakra's converter does, HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD as SimAI
// simulates them. Everything else is refused: another policy or a collective that ASTRA-sim 2 lacks (untraceable), an
// unknown collective (unknown_collective), times and sizes below 0 (negative_value) or that are not numbers, sizes that
// do not divide (parallelism::sizes_of) or differ between options and header (given_mismatch), an order in which groups
// of experts span stages (order_mismatch), more or fewer micro-batches than ga says (micro_batch_mismatch), checkpoints
// that do not fit (checkpoint_range, checkpoint_mismatch), and a stage in which nothing is computed or communicated
// (empty_trace). An interleaved schedule is refused without vpp (header_value; problem::found is the number of blocks
// of a stage, which AICB writes as vpp), with one chunk or one stage, if the micro-batches are not a multiple of the
// stages, or if the blocks do not divide into the chunks (schedule_mismatch). Errors have places in `text`, the
// document's text.
[[nodiscard]] result<traces> traces_of(const workload::document& doc, text_view text, const options& options = {});

// Writes the trace of a rank, 0 to ranks() - 1, in memory that does not grow with the ranks and
// in time linear in the layers and passes. The trace of a rank that does not exist is empty. A `fingerprint` (UTF-8;
// none if empty) becomes an attribute of the metadata, which simulators ignore: it can tell two runs' traces apart.
[[nodiscard]] problem write(output& to, const traces& traces, std::int64_t rank, std::string_view fingerprint = {});
// Writes the communicator groups that the traces of all ranks use, in ASTRA-sim's form: {"1":[0,1],...}.
[[nodiscard]] problem write_groups(output& to, const traces& traces);

// Write the other files that ASTRA-sim 2 needs: a network for these ranks, whose dimensions are rings, one for each
// kind of group (--network-configuration), and a system that reads the traces' times as nanoseconds and logs every node
// (--system-configuration). Write nothing for one rank, as ASTRA-sim has no network of one.
[[nodiscard]] problem write_network(output& to, const traces& traces, const rings& rings = {});
[[nodiscard]] problem write_system(output& to, const traces& traces);

// Writes what ASTRA-sim's ns-3 backend needs in place of that network: the sizes of its dimensions
// (--logical-topology-configuration). The physical network is a file of the backend's own.
[[nodiscard]] problem write_logical_topology(output& to, const traces& traces);

// Writes the trace of a rank from its op log, with a fingerprint as above. The trace has computation, with its measured
// time, where no collective runs; collectives, sends and receives, with the time that they took and their bytes, from
// shape and dtype; and, beside an asynchronous collective, the computation measured with it. `text` is what the log was
// read from. If the log lacks what a trace needs, nothing is written, and the error is trace_lacks with the missing
// field, negative_value, number_overflow (bytes or nanoseconds beyond 63 bits), stage_mismatch (stage_id is not the
// rank's stage), untraceable (records of a scheduling plan, and operations and collectives that no trace can hold), or
// empty_trace (nothing takes time or communicates).
[[nodiscard]] problem write(output& to, const oplog::document& log, const run& run, std::string_view text,
                            std::string_view fingerprint = {});
// Write the same files as for the traces of a workload.
[[nodiscard]] problem write_network(output& to, const run& run, const rings& rings = {});
[[nodiscard]] problem write_system(output& to, const run& run);
[[nodiscard]] problem write_logical_topology(output& to, const run& run);
// Writes the groups of a run that have more than one rank: tp, dp, exp, exp_dp and ep.
[[nodiscard]] problem write_groups(output& to, const run& run);

}  // namespace wlfmt::analysis::chakra

#endif
