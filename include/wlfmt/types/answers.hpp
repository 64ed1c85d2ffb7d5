// wlfmt/types/answers.hpp: what the op logs of a run answer. wlfmt/oplog/answers.hpp computes it and says what it
// means.
#include "../version.hpp"

#ifndef WLFMT_TYPES_ANSWERS_HPP
#define WLFMT_TYPES_ANSWERS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bounded.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// The sizes of the parallel groups of a run. Ranks are taken to be in Megatron's default order: tp varies fastest, pp
// slowest.
struct run_sizes {
    std::int64_t world = 0;
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t expert = 1;
    // 0 if tensor or pipeline is below 1.
    [[nodiscard]] std::int64_t data() const noexcept {
        return tensor < 1 || pipeline < 1 ? 0 : world / tensor / pipeline;
    }
    // Whether the sizes divide each other.
    [[nodiscard]] bool are_possible() const noexcept {
        if (world < 1 || tensor < 1 || pipeline < 1 || expert < 1 || tensor > world || pipeline > world / tensor ||
            world % (tensor * pipeline) != 0)
            return false;
        return expert <= data() ? data() % expert == 0 : expert % data() == 0;
    }
};

// A rank's time. span = work + transfer + stage_waiting + pipeline_waiting + gaps + unknown
// Where some of it is unknown, what is known of work, transfer and waiting is the least that they can be. Transfer and
// waiting of ranks that were traced separately are unknown.
struct time_account {
    bounded span;              // from the beginning of the first record to the end of the last one
    bounded work;              // computation, and collectives of groups of one rank
    bounded transfer;          // the part of communication that is not waiting
    bounded stage_waiting;     // for ranks of the same stage, which have the same program: imbalance
    bounded pipeline_waiting;  // for other stages: messages, the embedding group, optimizer_step
    bounded gaps;              // between records: the host
    // Communication that cannot be divided: calls which some members lack or have not timed, ranks that were traced
    // separately, groups whose sizes are not known; records whose times contradict each other.
    bounded unknown;
};

// Communication in the groups of a kind: "tp", "dp", "exp", "ep_dp", "exp_dp", "pp" (messages between stages),
// "embedding" (first and last stage), "model" (hidden in optimizer_step), or another kind that the log names.
struct group_answer {
    std::string group;
    bounded calls;
    std::uint64_t unknown_calls = 0;  // calls whose time is unknown
    bounded bytes;
    bounded transfer;       // of blocking calls; unknown of "model": optimizer_step hides it
    bounded waiting;        // for ranks that were late
    bounded unknown;        // of blocking calls: transfer and waiting, which cannot be divided
    bounded waiting_more;   // of asynchronous calls: so much more may be waiting
    bounded waiting_least;  // of blocking calls: what the sums of each rank alone show
    bounded overlapped;     // the rest of asynchronous calls, which computation hides
    bounded late;           // calls in which the rank came last (kinds within a stage)
};

struct operation_answer {
    std::string operation;
    bounded time;
    bounded work;
    bounded transfer;
    bounded waiting;
    bounded unknown;
};

// A step of a rank's program: a record of its log, or a timed nested call, which follows its record. The parts are
// disjoint: summed over all steps of a rank, and with its gaps, they give its span. An exchange that the tracer wrote
// twice is one step. Records and calls without a time are no steps.
struct program_step {
    enum class kind : std::uint8_t {
        work,          // computation; optimizer_step too, which hides a collective of the group "model"
        collective,    // blocking: all members leave together. It waits first, and then moves its bytes
        asynchronous,  // from its launch to the end of the wait for it, computing; it waits at its end
        send,
        receive,
        exchange  // a send and a receive at once, which the tracer wrote as two records
    };
    kind what = kind::work;
    bool nested = false;    // in the last step before it that is not
    bool alone = false;     // in a group of one rank: nothing is sent, and its time is its record's work
    bool in_stage = false;  // its waiting is for ranks of its own stage, not for the pipeline
    bool backward = false;  // a message goes to an earlier stage, an exchange's send does
    limit work_limit = limit::exact;
    limit transfer_limit = limit::exact;
    limit waiting_limit = limit::exact;
    std::uint32_t operation = 0;   // the record's, in run_answers::names, as are the two that follow; 0: no name
    std::uint32_t function = 0;    // comm_func of a nested call
    std::uint32_t group = 0;       // the kind of its group
    std::uint32_t record = 0;      // of which record of the rank's log, from 0; an exchange has the next one, too
    std::int32_t position = -1;    // among the nested operations of its record
    std::uint32_t call = no_call;  // in run_answers::calls, if other members have it
    std::int64_t batch = no_batch;
    std::int64_t bytes = -1;  // of its tensor; below 0: the log does not say
    std::int64_t late = -1;   // the rank that it waited for: the first of those that came last; -1: not known
    double start = 0;         // since the rank's first record began (rank_answer::begin)
    double duration = 0;
    // Of the duration; the rest of a record is in its nested calls, and the rest of an asynchronous call is in the work
    // of its record. What these are limits of is above, apart from them, as a run has millions of steps: print what the
    // functions return.
    double work = 0;
    double transfer = 0;
    double waiting = 0;
    double unknown = 0;

    [[nodiscard]] bounded work_time() const noexcept { return bounded(work, work_limit); }
    [[nodiscard]] bounded transfer_time() const noexcept { return bounded(transfer, transfer_limit); }
    [[nodiscard]] bounded waiting_time() const noexcept { return bounded(waiting, waiting_limit); }
    [[nodiscard]] bounded unknown_time() const noexcept { return bounded(unknown); }

    static constexpr std::uint32_t no_call = 0xffffffff;
    static constexpr std::int64_t no_batch = (std::numeric_limits<std::int64_t>::min)();
};

// A group of ranks: which of them are in the run's logs.
struct group_of_ranks {
    std::string kind;
    std::int64_t size = 0;
    std::vector<std::int64_t> ranks;  // ascending
    // Whether its ranks are on one host: they have one clock. Unknown where clocks cannot be compared.
    enum class place : std::uint8_t { unknown, one_host, several_hosts };
    place where = place::unknown;
};
// A call that members of a group made together: run_answers::members from first_member on, by rank.
struct group_call {
    std::uint32_t group = 0;  // in run_answers::groups_of_ranks
    std::uint32_t first_member = 0;
    std::uint32_t members = 0;
    bool is_known = false;  // all ranks of the group have it, and ran together: its time is divided
    double transfer = 0;    // of a known blocking call: the least duration
};
struct call_member {
    std::uint32_t rank = 0;  // in run_answers::ranks
    std::uint32_t step = 0;  // in its program
};

struct rank_answer {
    std::int64_t rank = 0;
    std::optional<std::int64_t> stage;
    time_account account;
    std::vector<program_step> program;         // in the order of the log
    double begin = 0;                          // when its first record began, by its own clock
    std::uint32_t clock = 0;                   // ranks with the same number have one clock: they are on one host
    double clock_ahead = 0;                    // of the clock of the first rank of its `aligned` clocks
    std::uint32_t aligned = 0;                 // with the same number, begin - clock_ahead can be compared
    std::vector<group_answer> groups;          // by name
    std::vector<operation_answer> operations;  // by name
    bounded alone;                             // in collectives of groups of one rank, which move nothing
    bounded caused;                            // the waiting of others in calls in which the rank came last
    bounded late;                              // the number of these calls
    bounded peered;                            // calls within the stage in which it could have come last
    bounded nested_calls;
    bounded nested_bytes;
    bounded records;
    // Records and calls that other ranks have and this one lacks, or has without a time: what it has is the least that
    // it can have.
    std::uint64_t lost = 0;
    std::uint64_t lost_calls = 0;  // as others have them, of these
    double lost_bytes = 0;
    bounded doubles;             // records of a span that was written twice
    bounded doubled;             // its time
    std::uint64_t untimed = 0;   // records without a duration or a timestamp, which are in nothing here
    std::uint64_t negative = 0;  // of these: records with a duration below 0
    // Records whose time is unknown, because it contradicts that of their calls, or that is of a record before.
    std::uint64_t contradictions = 0;
    bounded overlaps;  // records that began before the one before them had ended
    bounded micro_batches;
    bounded pipeline_busy;  // get_batch, forward_step, loss_func, backward_step
    bounded uneven;         // waiting in the stage within these
    // From the first record of each iteration to the end of its last backward_step, and to its first forward_step.
    bounded pipeline_span = bounded::unknown();
    bounded first_forward = bounded::unknown();
    bounded excess;              // of work over the lower median of the other ranks of its stage
    bounded ratio = bounded(1);  // of work to that median
};

struct stage_answer {
    std::int64_t stage = 0;
    std::uint64_t ranks = 0;
    std::vector<std::int64_t> missing;  // ranks of the stage that are in no log
    // The mean of its ranks, as all that follows. Of a stage that lacks a rank, means are unknown.
    bounded busy;
    bounded per_batch;   // busy with one micro-batch
    bounded batch_work;  // the same without waiting in the stage
    time_account account;
    bounded least_work;
    bounded greatest_work;
    bounded bubble = bounded::unknown();  // the time of the pipeline in which the stage is not busy
    bounded bubble_share = bounded::unknown();
    bounded fill = bounded::unknown();   // until its first forward_step; of the ranks that have one
    bounded drain = bounded::unknown();  // after its last backward_step; of the ranks that have one
};

// What happened in one iteration, which an optimizer_step ends, where a log has several.
struct iteration_answer {
    std::vector<time_account> ranks;  // in the order of run_answers::ranks
    time_account total;
    std::uint64_t micro_batches = 0;
    // The one with the most work beyond its peers, if that is 5 % and no rank lacks anything.
    std::optional<std::int64_t> slowest_rank;
};

// Bytes that the ranks of an all-to-all group send in calls that differ between them.
struct imbalance_answer {
    std::string group;
    std::vector<std::int64_t> ranks;
    std::vector<double> bytes;                  // of each of them, in calls that differ
    std::vector<std::int64_t> batches;          // the micro-batches of these calls
    std::vector<double> batch_bytes;            // the same bytes by micro-batch, for each of the ranks
    std::optional<std::int64_t> greatest_rank;  // empty if no call differs
    bounded ratio = bounded(1);                 // greatest to mean
    bounded worst_call_ratio = bounded(1);      // of a single call's position
    bounded all_ratio = bounded(1);             // with the calls that do not differ
    bounded correlation;                        // of the bytes with the ranks' work: 1 explains it
    bool is_partial = false;                    // calls of which some members lack theirs are not in it
};

// How members of the groups of a kind leave their blocking calls: together, if their clocks are one. Milliseconds from
// the first member to the last; lower medians.
struct leave_answer {
    std::string group;
    bounded calls;
    bounded median;
    bounded greatest;
    bounded arrive_median;  // the same of their arrivals
    bounded arrive_greatest;
};

// How long ranks waited for a rank in the groups of a kind; where several came last, each has its share.
struct wait_answer {
    std::int64_t late = 0;
    std::int64_t waiting = 0;
    std::string group;
    bounded time;
};

// A call that some members of its group have, and this rank lacks.
struct missing_call {
    std::int64_t rank = 0;
    std::string group;
    std::string operation;  // the record that it is in, or that it is
    std::string function;   // comm_func; empty if it is a record
    std::int64_t batch = program_step::no_batch;
    std::uint64_t number = 0;  // it would be the rank's number-th such call there, from 1
    // The record of the rank's log that lacks it, from 0; empty if the record itself is what it lacks.
    std::optional<std::uint64_t> record;
    // Of a record that it lacks: the one of its log before which it would be, or how many there are; empty if unknown.
    std::optional<std::uint64_t> before;
    std::uint64_t in_a_row = 1;       // options many records it lacks there, this one and those after it
    bool is_message = false;          // of a message; `ranks` has its other end
    std::vector<std::int64_t> ranks;  // that have it; the rank itself, if it has it for other micro-batches
};
// As a sentence: `rank 3 lacks the 7th all_to_all of exp in forward_step, batch 2, which ranks 1, 5 and 7 have`.
[[nodiscard]] inline std::string message(const missing_call& m) {
    const auto ordinal = [](std::uint64_t n) {
        const char* const ends[] = {"th", "st", "nd", "rd"};
        const bool is_teen = n % 100 / 10 == 1;
        return std::to_string(n) + ends[n % 10 < 4 && !is_teen ? n % 10 : 0];
    };
    std::string to = "rank " + std::to_string(m.rank) + " lacks the " + ordinal(m.number) + " ";
    if (m.record) to += (m.function.empty() ? "call" : m.function) + " of " + m.group + " in " + m.operation;
    else to += m.operation;
    if (m.batch != program_step::no_batch) to += (m.record ? ", batch " : " of batch ") + std::to_string(m.batch);
    if (m.in_a_row > 1)
        to += " and " + std::to_string(m.in_a_row - 1) + (m.in_a_row == 2 ? " record" : " records") + " after it";
    if (m.ranks.size() == 1 && m.ranks[0] == m.rank) return to + ", which it has for other micro-batches";
    to += m.is_message ? ", the other end of which " : ", which ";
    to += m.ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t n = 0; n != m.ranks.size(); ++n)
        to.append(n == 0 ? "" : n + 1 == m.ranks.size() ? " and " : ", ").append(std::to_string(m.ranks[n]));
    return to + (m.ranks.size() == 1 ? " has" : " have");
}

// How many messages between pipeline stages have no other end.
struct unmatched_messages {
    std::uint64_t told = 0;
    std::uint64_t more = 0;   // beyond those that were to be told
    std::uint64_t pairs = 0;  // of ranks, between which there are others, that were not counted

    bool any() const noexcept { return told != 0 || more != 0 || pairs != 0; }
};

// What blocking calls of one collective and size moved in the groups of a kind, by the bytes that a rank gives. A call
// of several ranks is one call; calls whose time is unknown are left out. Small calls measure latency.
struct bandwidth_answer {
    static constexpr std::int64_t differs = -1;  // ranks give different numbers of bytes: `bytes` is their mean
    static constexpr std::int64_t untold = -2;   // the log does not say
    std::string group;
    std::string function;    // the name of the collective: comm_func, or the record's
    std::int64_t size = 0;   // bytes that a rank gives in a call
    std::int64_t ranks = 0;  // in a group
    bounded calls;
    bounded bytes;     // in all calls
    bounded transfer;  // of all calls: the least duration of each
    bounded median_transfer;
    bounded least_transfer;
    bounded algorithm = bounded::unknown();  // GB/s: bytes by transfer
    bounded bus = bounded::unknown();  // GB/s, as nccl-tests have it; unknown if the collective has no such factor
    group_of_ranks::place where = group_of_ranks::place::unknown;
};

// What a change would gain, found by a replay of the ranks' programs: how much earlier the last rank would end. A
// change is of single pieces of work (an operation of a micro-batch, between two collectives), not of whole ranks.
struct remedy {
    enum class change : std::uint8_t {
        rank_as_peers,        // no piece of the rank's work takes longer than the lower median of its stage
        even_work_in_stages,  // each piece takes the mean of its stage
        even_stages,          // all stages have the same work, as if layers had moved
        no_gaps,              // between records
        // One forward and one backward pass in turn, with twice as many: half of the time that these would take.
        twice_the_micro_batches,
        no_transfer,        // a limit: nobody can have it
        all_ranks_as_peers  // a limit: the work that slow ranks have more vanishes
    };
    change what = change::rank_as_peers;
    bool is_limit = false;
    std::optional<std::int64_t> rank;
    bounded gain;  // of the iteration; below 0 if it would take longer
    // Of rank_as_peers: how much less the ranks would wait inside stages.
    bounded waiting_less = bounded::unknown();
};
// What the remedy changes, in words: `rank 3 working as its peers`, `even work in each stage`. "unknown" of a value
// that is no enumerator.
[[nodiscard]] inline std::string message(const remedy& r) {
    switch (r.what) {
    case remedy::change::rank_as_peers: return "rank " + std::to_string(r.rank.value_or(-1)) + " working as its peers";
    case remedy::change::even_work_in_stages: return "even work in each stage";
    case remedy::change::even_stages: return "even work of all stages";
    case remedy::change::no_gaps: return "no gaps between records";
    case remedy::change::twice_the_micro_batches: return "twice the micro-batches, by the same work";
    case remedy::change::no_transfer: return "transfers that take no time";
    case remedy::change::all_ranks_as_peers: return "all slow ranks working as their peers";
    }
    return "unknown";
}
struct replay_answer {
    enum class obstacle : std::uint8_t { none, not_tried, unknown_time, stuck, inexact };
    obstacle reason = obstacle::not_tried;   // why there are no remedies
    bounded iteration = bounded::unknown();  // from the first record to the last end, as measured
    bounded replayed = bounded::unknown();   // the same in the replay of the run as it is
    bounded error = bounded::unknown();      // the part by which it differs
    std::vector<remedy> remedies;            // the greatest gain first, limits last
};

struct slow_rank {
    enum class cause : std::uint8_t {
        none,
        no_peer,
        more_bytes,
        more_operations,
        longer,
        unknown  // what is lost could make it another one of these
    };
    static constexpr double least_ratio = 1.05;  // what takes less beyond its peers is not called slow
    std::int64_t rank = 0;
    std::optional<std::int64_t> stage;
    bounded work;
    bounded peers = bounded::unknown();  // the lower median of the others' work
    bounded excess;
    bounded ratio = bounded(1);
    bounded bytes_ratio = bounded(1);
    bounded calls_ratio = bounded(1);
    bounded gaps_ratio = bounded(1);
    bounded caused;
    bounded late;
    bounded peered;                     // the calls in which it could have come last
    std::vector<std::int64_t> similar;  // all ranks with at least 90 % of the excess
    cause reason = cause::none;
};
struct slow_stage {
    enum class cause : std::uint8_t { none, all_ranks, one_rank };
    std::int64_t stage = 0;
    bounded per_batch;
    bounded others;  // the lower median of the other stages
    bounded ratio = bounded(1);
    bounded ratio_without = bounded(1);  // of work, without the slowest rank of each stage
    std::int64_t rank = 0;               // with the most work in it
    cause reason = cause::none;
};

struct run_answers {
    std::optional<run_sizes> sizes;  // without them, communication in collectives is unknown
    bool together = false;           // the ranks were traced at the same time: without it, communication is unknown
    bool apart = false;              // they surely were not; if neither is true, it is not known
    bool same_clock = false;         // times of different ranks can be compared
    bool common_moment = false;      // all spans share a moment
    // The last stage sends forward: stages are interleaved (a virtual pipeline), and no bubble is known of them.
    bool interleaved = false;
    // How much the time from a group's first blocking call to its last one differs between members, and how long it is:
    // lower medians over groups.
    bounded extent_spread = bounded::unknown();
    bounded extent = bounded::unknown();
    std::vector<leave_answer> leaving;  // by kind of group; clocks are taken as they are
    std::vector<rank_answer> ranks;     // ascending
    time_account total;
    bounded doubled;
    bounded doubles;
    std::uint64_t untimed = 0;
    std::uint64_t negative = 0;
    std::uint64_t contradictions = 0;
    bounded overlaps;
    std::vector<group_answer> groups;          // over all ranks
    std::vector<operation_answer> operations;  // over all ranks
    std::vector<std::string> alone;            // kinds of groups that have one rank
    std::vector<stage_answer> stages;
    std::uint64_t micro_batches = 0;  // of all iterations
    std::uint64_t iterations = 1;
    std::vector<iteration_answer> by_iteration;    // empty if there is one
    bounded pipeline_time = bounded::unknown();    // T, of all iterations
    bounded bubble_share = bounded::unknown();     // the mean of the stages
    bounded equal_share = bounded::unknown();      // what equal stages would have
    bounded least_time = bounded::unknown();       // the least that these stages allow
    bounded least_time_even = bounded::unknown();  // with even work in each stage
    std::vector<imbalance_answer> imbalance;
    // Empty, too, where what ranks lack could make another one the slowest.
    std::optional<slow_rank> slowest_rank;
    std::optional<slow_stage> slowest_stage;
    std::vector<std::pair<double, bounded>> message_floors;  // bytes, least milliseconds
    // Who made which call with whom, and who waited for whom.
    std::vector<std::string> names;  // of the programs' steps; the first is empty
    std::vector<group_of_ranks> groups_of_ranks;
    std::vector<group_call> calls;
    std::vector<call_member> members;
    std::vector<wait_answer> waits;  // by waiting rank, late rank and kind
    std::vector<bandwidth_answer> bandwidth;
    replay_answer replay;
    std::uint32_t clocks = 0;  // hosts, as far as clocks tell
    // What is missing from the answers.
    std::uint64_t texts = 0;                  // files, or texts, that the ranks' records are from
    std::vector<std::int64_t> missing_ranks;  // below the world size: in no log
    bool too_many_calls = false;              // the summary has kept none
    bool repeated_ranks = false;              // ranks are in several texts: the summary has kept no calls
    std::vector<std::int64_t> left_out;       // ranks without a timed record, or of which no calls are kept
    std::uint64_t missing_members = 0;        // groups that lack members: their time is unknown
    std::uint64_t differing_groups = 0;       // groups in which a member lacks a call that others have
    std::vector<missing_call> missing_calls;  // the first of them; missing_call_count: of options many
    std::uint64_t missing_call_count = 0;
    std::uint64_t lost = 0;  // of all ranks
};

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#endif
