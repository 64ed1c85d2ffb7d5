// Timelines of op logs and workload files in Trace Event JSON, for Perfetto (https://ui.perfetto.dev) and
// chrome://tracing.
//
// The files of a run are read twice: first to learn about its ranks and the messages that they exchange, then, file by
// file, to write the events. In between only a few words are kept for each rank and message.
//
//     wlfmt::analysis::timeline::run run;
//     for (auto& text : files) for (const auto& op : wlfmt::oplog::reader(text)) run.add(op);
//     if (!run.align(wlfmt::analysis::timeline::alignment::flows)) complain();     // pairs the messages, too
//     wlfmt::analysis::timeline::writer to(file, run);
//     for (auto& text : files) {
//         for (const auto& op : wlfmt::oplog::reader(text)) to.add(op);
//         to.flush();                                                 // the events of these operations
//     }
//     to.finish();
//
// Each rank is a process, labelled with and sorted by its pipeline stage. Its threads are tracks: `computation`, and
// one for each kind of communication group. Slices of a track nest or follow one another: a slice that overlaps another
// in part is put on a further track, `dp (2)`, or, if the overlap is within the tracer's rounding (0.02 ms), cut to
// fit. Nested operations are slices under their operation; those outside its time are on the track of their own group.
//
// A timestamp in an op log is the END of an operation in milliseconds; a slice (`ph` X) has its start, in microseconds
// after the run's first, to the nanosecond. What viewers calculate of them in doubles is exact. An operation
// without a duration is an instant at its timestamp; without a timestamp, at the end of the operation before it. `args`
// has shapes, types, descriptions and all further keys. With the answers about the run it also has `waiting_ms`, the
// `late_rank` that was waited for, `unknown_ms`, `bytes`, and `copy` where the tracer wrote a time twice; the part of a
// call that is waiting is then a slice `waiting` under it, to which a flow leads from the call of the late rank.
//
// Flows (`ph` s and f) join a send_forward of stage s with the recv_forward of the same micro-batch in stage s + 1, and
// a send_backward with the recv_backward in stage s - 1. The n-th rank of a stage sends to the n-th of the other one;
// stages that do not have the same number of ranks in the run are not joined. A flow ends at a slice `arrival` of a
// nanosecond, as Perfetto draws flows from the slice that begins first to the one that begins last.
#ifndef WLFMT_ANALYSIS_TIMELINE_TIMELINE_HPP
#define WLFMT_ANALYSIS_TIMELINE_TIMELINE_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/types/oplog.hpp>
#include <wlfmt/types/workload.hpp>

#include "../answers/types.hpp"
#include "../output.hpp"
#include "types.hpp"

namespace wlfmt::analysis {
class trace_events;
}

namespace wlfmt::analysis::timeline {

// What the first pass learns about a run.
class run {
public:
    // `marker`: the operation that alignment::operation aligns by.
    explicit run(std::string_view marker = {}) : marker_(marker) {}
    // Messages point to each other.
    run(run&&) noexcept = default;
    run& operator=(run&&) noexcept = default;

    // Adds an operation, in its file's order. Scheduling plans (`stage:N:`) have no times and are passed over.
    void add(const oplog::operation& op);
    // Pairs the messages and sets the offsets of the ranks. Returns false, and sets no offset, if there is no solution:
    // no rank has the operation, no two ranks have a call of their group in common, or messages cross, so that some
    // arrive too early whatever the offsets are. Alignment by collectives needs the answers about the same records.
    //
    // alignment::automatic, which never fails, assumes that ranks whose times overlap, directly or through others, have
    // one clock, unless the answers show otherwise. If all have one clock, nothing moves. If no two ranks overlap and
    // collectives do not show that they ran together, they were traced one after the other: all begin at the same time.
    // Otherwise there are the clocks of several hosts, each of which moves as a whole: by collectives if possible, else
    // by messages. Where no message joins them or messages contradict each other, all begin at the same time.
    [[nodiscard]] bool align(alignment by, const run_answers* answers = nullptr);
    // The alignment that the last align() applied; for alignment::automatic, the one that it chose.
    [[nodiscard]] alignment aligned() const noexcept { return aligned_; }
    // The number of clocks that alignment::automatic found, and the longest time between the beginnings of two of them.
    [[nodiscard]] std::size_t clocks() const noexcept { return clocks_; }
    [[nodiscard]] std::int64_t apart() const noexcept { return apart_; }

    // How well collectives align clocks. Set by alignment::collectives, and by alignment::automatic if it chose that.
    [[nodiscard]] collective_fit fit() const noexcept { return fit_; }

    // The ranks, ordered by stage, then by number.
    [[nodiscard]] const std::vector<rank_facts>& ranks() const noexcept { return ranks_; }
    [[nodiscard]] const rank_facts* find(std::int64_t rank) const noexcept;
    // The number of messages with both sides in the run, and how many of these arrive before they are sent.
    [[nodiscard]] std::size_t flows() const noexcept { return flows_.size(); }
    [[nodiscard]] std::size_t early() const noexcept;
    // When the first slice begins and the last one ends, with the offsets added.
    [[nodiscard]] std::int64_t begin() const noexcept;
    [[nodiscard]] std::int64_t end() const noexcept;
    // The id of the n-th message of a rank, in its file's order; 0 if its other side is not in the run.
    [[nodiscard]] std::uint64_t id_of(std::int64_t rank, std::size_t n) const noexcept;

private:
    // A message whose sides are both in the run. Ranks are positions in `ranks_`.
    struct flow {
        std::size_t sender, receiver;
        std::int64_t least;  // the least by which the receiver's offset must exceed the sender's
        message* sent;
        message* received;
    };

    rank_facts& rank_of(std::int64_t rank);
    bool move_clocks(alignment by, const run_answers* answers);
    void pair_messages(std::int64_t around);
    bool align_flows();
    void set_clocks(std::vector<std::size_t> clock_of, std::size_t count);
    void find_clocks();
    std::vector<std::int64_t> begins_of_clocks() const;
    void measure_clocks();
    void align_clocks(const run_answers* answers);
    bool are_joined() const;
    bool take_clocks(const run_answers& answers);
    bool join_by_collectives(const run_answers& answers);

    std::string marker_;
    std::vector<rank_facts> ranks_;                          // sorted by stage and rank from align() on
    std::map<std::int64_t, std::size_t> place_of_;           // the position of each rank in `ranks_`
    std::map<std::int64_t, std::vector<message>> messages_;  // the messages of each rank
    std::vector<flow> flows_;
    alignment aligned_ = alignment::none;
    collective_fit fit_;
    std::size_t clocks_ = 0;  // how many clocks were found, whether or not they were moved
    std::int64_t apart_ = 0;
    std::vector<std::size_t> clock_of_;  // the number of each rank's clock, while they are aligned
    std::size_t clock_count_ = 0;
};

// Writes the events of a run, which stay in memory until flush(): call it after each file to free that file's events.
class writer {
public:
    // The output, the run, after align(), and the answers about the same records, if any, must outlive the writer.
    writer(output& to, const run& run, const run_answers* answers = nullptr);
    ~writer();

    void add(const oplog::operation& op);
    void flush();
    // Ends the JSON.
    void finish();

private:
    std::unique_ptr<trace_events> events_;
};

// Writes a timeline of a workload file: the layers of one iteration of one stage in SimAI's order. First comes the
// forward phase of all layers, then, from the last layer to the first, input gradient and weight gradient. (Under DATA
// and HYBRID_DLRM weight gradient comes first, and the first layer has no input gradient; DISTRIBUTED_INFERENCE has
// only the forward phase; under HYBRID_TRANSFORMER_FWD_IN_BCKWD the layers from a checkpoint on run forward again
// before the input gradient of a layer that initiates it.) A slice has its layer's name, and its phase as category; a
// tick is a nanosecond. Collectives are instants with their bytes on their group's track: simulators find their
// durations.
void write(output& to, const workload::document& doc);

}  // namespace wlfmt::analysis::timeline

#endif
