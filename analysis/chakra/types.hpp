// How Chakra traces are made, and what they leave out. chakra.hpp writes them.
#ifndef WLFMT_ANALYSIS_CHAKRA_TYPES_HPP
#define WLFMT_ANALYSIS_CHAKRA_TYPES_HPP

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <wlfmt/types/oplog.hpp>
#include <wlfmt/types/parallelism.hpp>
#include <wlfmt/types/text.hpp>

namespace wlfmt::analysis {
struct trace_plan;
namespace chakra {

// The order in which a pipeline stage computes the micro-batches of a workload.
enum class schedule : std::uint8_t {
    gpipe,                     // first all forward, then all backward, from the last micro-batch to the first
    one_forward_one_backward,  // Megatron's 1F1B, without interleaving
    interleaved                // Megatron's 1F1B of several model chunks on each stage
};

// How the traces differ from what the file says: how many collectives and phases were left out or changed.
struct remarks {
    // The collectives of each group (parallelism::group) that has one rank. They have no nodes, as ASTRA-sim 2 would
    // never finish them.
    std::uint64_t left_out[parallelism::group_count] = {};
    // All-gathers in which a rank's share was rounded up to options::splits bytes.
    std::uint64_t rounded_up = 0;
    // Collectives of fewer bytes than ASTRA-sim 2 simulates: those of `rounded_up`, and others, which it raises to a
    // byte for each piece and rank of the whole simulation.
    struct raised_phase {
        std::size_t layer;
        std::size_t phase;
        std::int64_t bytes;  // the bytes that are simulated, as the file would say them
    };
    std::vector<raised_phase> raised;
    // Collectives called `None`, which AICB writes where it has no token. They do not communicate, as in SimAI.
    std::uint64_t nameless = 0;
    // All-gathers of policies without groups. Their bytes are taken for a rank's share, as in Chakra's converter.
    std::uint64_t shares = 0;
    // Phases that have bytes and the collective NONE, which moves nothing.
    std::uint64_t unmoved = 0;
    // There is no backward pass, as the header has `mode: 1`, which is AICB's inference.
    bool forward_only = false;
    // How many layers are only in the first pipeline stage, and how many only in the last.
    std::uint64_t first_stage_layers = 0;
    std::uint64_t last_stage_layers = 0;
    // There are several stages, and pp_comm gives no bytes between them: they are simulated side by side.
    bool no_messages = false;
};

enum class all_gather_size : std::uint8_t {
    by_header,  // `whole` in headers with all_gpus, which SimAI and AICB write; else `share`, as in files of
                // ASTRA-sim 1.0
    whole,      // the buffer of all ranks of the group
    share       // the part of it that one rank has
};

// The ring that connects the ranks of a group in ASTRA-sim's network. The defaults are those of its examples.
struct ring {
    double bandwidth = 50;  // GB/s, of 2^30 bytes
    double latency = 500;   // nanoseconds for each step of a collective and for each message
    bool measured = false;  // the numbers were measured on a machine
};
// The ring of each kind of parallelism. `data` connects all ranks if groups are not known.
struct rings {
    ring tensor = {};
    ring expert = {};
    ring data = {};  // rings of data / expert ranks each
    ring pipeline = {};
};

struct options {
    // Nanoseconds in a unit of the workload's times: 1 for files of SimAI; 1000 gives what Chakra's own converter
    // writes. Chakra's durations are whole microseconds: times are rounded to the nearest one, and unless the tick is a
    // whole number of microseconds, each computation also has its nanoseconds in num_ops (docs/chakra.md says how to
    // make ASTRA-sim use them).
    double tick = 1;
    // How many passes over the layers the traces hold, at least one.
    std::int64_t passes = 1;
    // Sizes for a header that lacks them: all_gpus, model_parallel_NPU_group, pp and ep. 0: take the header's. A size
    // that the header has, too, must be the same. The policies of Chakra's converter have no groups, and take only
    // `ranks`.
    std::int64_t ranks = 0;
    std::int64_t tensor = 0;
    std::int64_t pipeline = 0;
    std::int64_t expert = 0;
    parallelism::rank_order order = {};
    // What the size of an ALLGATHER is. Without groups of ranks, `by_header` is `share`.
    all_gather_size all_gather = all_gather_size::by_header;
    // The number of pieces into which the simulator splits a collective (`preferred-dataset-splits` of its system
    // configuration). An all-gather in which a rank has fewer bytes never ends there; it is rounded up to this number.
    std::int64_t splits = 4;
    // The number of pieces that it takes at a time in each dimension (`active-chunks-per-dimension` of that
    // configuration).
    std::int64_t active_chunks = 1;
    // The name of the layer that begins a micro-batch. It matters where stages exchange messages, and for schedules
    // other than gpipe.
    text_view micro_batch = "embedding_layer";
    // The order of the micro-batches under HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD.
    chakra::schedule schedule = chakra::schedule::gpipe;
    // The number of model chunks of equal size into which the layers of a stage are divided, if the schedule is
    // interleaved; 0: the header's vpp, which AICB sets to the number of blocks of a stage.
    std::int64_t chunks = 0;
    // Becomes `input_file` in the metadata of each trace, where Chakra's converter puts the workload's text. Left out
    // if it is missing.
    text_view input = {};
};

// What the traces of a workload are made from. Refers to the text that the document was read from and to nothing else.
// Copies share their contents, which never change.
class traces {
public:
    // Traces of no ranks.
    traces() noexcept = default;
    explicit traces(std::shared_ptr<const trace_plan> plan) noexcept : plan_(std::move(plan)) {}

    [[nodiscard]] std::int64_t ranks() const noexcept;
    [[nodiscard]] const remarks& notes() const noexcept;
    [[nodiscard]] const trace_plan* plan() const noexcept { return plan_.get(); }

private:
    std::shared_ptr<const trace_plan> plan_;
};

// Operations whose measured time holds more than their own work. Only the logs of all ranks of the group together show
// how much of it is work.
enum class shared_call : std::uint8_t {
    // A collective that runs alongside computation (`trace_src_func` ends in `_async`): from its launch to the end of
    // the wait for it.
    asynchronous,
    // optimizer_step, which waits for all ranks of the same tensor and pipeline groups.
    optimizer_step
};

// A collective as its node in a trace describes it.
struct traced_collective {
    std::int64_t group = 0;                       // the number that names the group
    std::int64_t type = 0;                        // Chakra's comm_type
    std::int64_t bytes = 0;                       // comm_size
    const oplog::operation* operation = nullptr;  // the record that holds it; valid during the call
};

// A run with an op log of each rank.
struct run {
    // The sizes say which ranks form a group, which a log does not. The tracer puts them into the names of its files.
    parallelism::sizes sizes = {};
    parallelism::rank_order order = {};
    // As in `options`.
    std::int64_t splits = 4;
    std::int64_t active_chunks = 1;
    // Called for every all-to-all, in the order of the log, with the name of its group and the bytes that the rank
    // passes: returns the bytes to write, as in ASTRA-sim 2 all ranks of an all-to-all pass the same number. If null,
    // the measured bytes are written.
    std::int64_t (*share_of)(void* context, std::int64_t group, std::int64_t bytes) = nullptr;
    // Called for every all-gather that is rounded up to `splits` bytes. May be null.
    void (*on_rounded_up)(void* context) = nullptr;
    // Called for every collective of a group that has one rank by the sizes above: it sends nothing, and its time is
    // computation. If the log is from a run of other sizes, the trace is wrong. May be null; must not throw.
    void (*on_single)(void* context, oplog::group kind) = nullptr;
    // Called for every collective that is written: in ASTRA-sim all ranks of a group have to reach the same ones in the
    // same order. May be null; must not throw.
    void (*on_collective)(void* context, const traced_collective& call) = nullptr;
    // Called for every shared_call, in the order of the log, with a number for its group and the milliseconds that it
    // took: returns the milliseconds of computation in it. If null, all of them are computation.
    double (*work_of)(void* context, shared_call kind, std::int64_t group, double ms) = nullptr;
    void* context = nullptr;
};

}  // namespace chakra
}  // namespace wlfmt::analysis

#endif
