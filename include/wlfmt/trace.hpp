// wlfmt/trace.hpp: timelines of op logs and workload files in Trace Event JSON, as Perfetto (https://ui.perfetto.dev)
// and chrome://tracing open it. Not included by wlfmt.hpp.
//
// The files of a run are read twice: first to learn which ranks there are and which messages they exchange, then to
// write their events, one file after the other. In between only a few words are kept for each rank and message.
//
//     wlfmt::trace::run run;
//     for (auto& text : files) for (const auto& op : wlfmt::oplog::reader(text)) run.add(op);
//     run.align(wlfmt::trace::alignment::flows);                      // on request
//     wlfmt::trace::writer<std::ofstream> to(file, run);
//     for (auto& text : files) {
//         for (const auto& op : wlfmt::oplog::reader(text)) to.add(op);
//         to.flush();                                                 // the events of these operations
//     }
//     if (auto e = to.finish()) return fail(e);
//
// A process is a rank, named with its pipeline stage and sorted by it. Its threads are tracks: `computation`, and one
// for each kind of communication group. Slices of a track nest or follow one another: a slice that overlaps another in
// part is on a further track, `dp (2)`. Nested operations are slices under their operation; those outside its time are
// on the track of their own group. What overlaps by less than the tracer's rounding (0.02 ms) is cut to fit.
//
// Timestamps of op logs are the END of an operation in milliseconds; slices (`ph` X) have their start, in microseconds
// after the run's first, to the nanosecond. What has no duration is an instant at its timestamp, what has no timestamp
// an instant at the end of what came before it. Shapes, types, descriptions and all further keys are in `args`.
//
// Flows (`ph` s and f) join a send_forward of stage s with the recv_forward of the same micro-batch in stage s + 1, and
// a send_backward with the recv_backward in stage s - 1. The rank that is the n-th of its stage sends to the n-th of
// the other one; stages that do not have the same number of ranks in the run are not joined.
#include "version.hpp"

#ifndef WLFMT_TRACE_HPP
#define WLFMT_TRACE_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "oplog.hpp"
#include "sink.hpp"
#include "workload.hpp"

#include "detail/base/out.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace trace {

// How the clocks of different machines are brought together.
enum class alignment : std::uint8_t {
    none,       // as they are
    first,      // each rank begins at the same time
    operation,  // the first operation of a name ends at the same time in each rank that has one
    flows       // no message arrives before it was sent: by as little as that takes, and the tracer's rounding
};
[[nodiscard]] std::string_view name_of(alignment a) noexcept;  // "first"

// What is known of a rank after the first pass. Times are nanoseconds.
struct rank_facts {
    std::int64_t rank = 0;
    std::int64_t stage = -1;  // -1: no operation names one
    std::int64_t begin = 0;   // of its first slice, by its own clock
    std::int64_t end = 0;     // of its last one
    std::int64_t marker = 0;  // the end of the operation to align by
    std::int64_t offset = 0;  // to be added to its clock
    bool timed = false;       // whether any of its operations has a time
    bool marked = false;
};

// One side of a message between pipeline stages.
struct message {
    std::int64_t rank = 0;
    std::int64_t stage = 0;  // of the sender
    std::int64_t batch = 0;
    std::int64_t begin = 0;  // of its slice, by its rank's own clock
    std::int64_t end = 0;
    std::uint64_t id = 0;    // of its flow; 0: the other side is not in the run
    std::uint32_t turn = 0;  // of several of one micro-batch, which one
    bool backward = false;
    bool received = false;
};

// What the first pass learns of a run.
class run {
public:
    // `marker`: the operation that alignment::operation aligns by.
    explicit run(std::string_view marker = {}) : marker_(marker) {}

    // Adds an operation; the operations of a file come in their order. Scheduling plans (`stage:N:`) have no times and
    // are passed over.
    template <class Kernel = detail::kernel>
    void add(const oplog::operation& op);
    // Pairs the messages and sets the offsets of the ranks. Returns false and sets no offset if there is no solution:
    // no rank has the operation, or messages cross each other, so that some arrive too early whatever the offsets are.
    [[nodiscard]] bool align(alignment how);

    // In the order of their stages, then of their numbers.
    [[nodiscard]] const std::vector<rank_facts>& ranks() const noexcept { return ranks_; }
    [[nodiscard]] const rank_facts* find(std::int64_t rank) const noexcept;
    // The number of messages with both sides in the run, and how many of these arrive before they are sent.
    [[nodiscard]] std::size_t flows() const noexcept { return flows_; }
    [[nodiscard]] std::size_t early() const noexcept;
    // Of the first slice, offsets included.
    [[nodiscard]] std::int64_t begin() const noexcept;
    // The id of the n-th message of a rank, in its file's order; 0 where it has no other side.
    [[nodiscard]] std::uint64_t id_of(std::int64_t rank, std::size_t n) const noexcept;

private:
    rank_facts& rank_of(std::int64_t rank);
    void pair();
    bool align_flows();

    std::string marker_;
    std::vector<rank_facts> ranks_;                 // as they came until align(), then by stage
    std::map<std::int64_t, std::size_t> place_of_;  // of each rank in ranks_
    std::vector<message> messages_;                 // in the order in which they were added, then by rank
    struct joined {
        std::size_t sender, receiver;  // ranks_
        std::int64_t least;            // by how much the receiver's clock has to be ahead
    };
    std::vector<joined> joined_;
    std::size_t flows_ = 0;
};

inline namespace WLFMT_IMPL {

// Writes the events of a run. Events are kept in memory until flush() writes them: those of one file at a time, if it
// is called after each file.
template <class Sink>
class writer {
public:
    // The run must outlive the writer, with align() called.
    writer(Sink& sink, const run& all);
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;

    void add(const oplog::operation& op);
    void flush();
    // Closes the JSON. error_kind::cannot_write where the sink failed.
    [[nodiscard]] error finish();

private:
    struct event {
        std::int64_t rank;
        std::int64_t begin;
        std::int64_t end;  // before `begin`: an instant
        std::size_t parent;
        std::uint32_t track;
        std::uint32_t thread;
        std::uint64_t flow;
        bool receives;
        std::string name;
        std::string args;
    };
    static constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

    std::uint32_t track_of(std::string_view group);
    event make(const oplog::operation& op, std::uint32_t track);
    void add_nested(const oplog::operation& op, std::size_t parent);
    void place(std::size_t first, std::size_t last);
    void write_rank(const rank_facts& rank, std::vector<std::size_t>& order);
    void name_thread(const rank_facts& rank, std::uint32_t thread);
    void write(const event& e, std::int64_t offset);
    void write_flow(const event& e, std::int64_t offset);
    void head(char phase, std::int64_t rank, std::uint32_t thread);
    void name_process(const rank_facts& rank);
    void time(std::int64_t ns);
    void separate();

    detail::out<Sink> to_;
    const run& run_;
    std::int64_t zero_;
    std::vector<event> events_;
    std::vector<std::string> groups_;         // track 1 and on; 0 is computation
    std::vector<std::size_t> messages_seen_;  // of each rank of the run
    std::vector<std::int64_t> last_end_;      // of each rank, by its own clock
    std::vector<std::uint64_t> named_;        // threads that have their names: rank's position, then track
    bool any_ = false;
};

// A timeline of a workload file: the layers of one iteration of one stage in the order in which SimAI runs them. All
// layers forward; then from the last to the first, input gradient and weight gradient (under DATA and HYBRID_DLRM
// weight gradient first, and no input gradient of the first layer; under DISTRIBUTED_INFERENCE forward alone; under
// HYBRID_TRANSFORMER_FWD_IN_BCKWD the layers from a checkpoint on are run forward again before the input gradient of a
// layer that initiates it). A tick is a nanosecond. Collectives are instants with their bytes on their group's track:
// a simulator has to find out how long they take.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const workload::document& doc);

}  // namespace WLFMT_IMPL
}  // namespace trace
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/trace/run.hpp"
#include "detail/trace/write.hpp"

#include "detail/base/config_end.hpp"
#endif
