// What can be concluded from the op logs of a run. answers.hpp computes it and says what it means. Times are
// milliseconds.
#ifndef WLFMT_ANALYSIS_ANSWERS_TYPES_HPP
#define WLFMT_ANALYSIS_ANSWERS_TYPES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bounded.hpp"

namespace wlfmt::analysis {

// The sizes of a run's parallel groups. Ranks are taken to be in Megatron's default order: tp varies fastest, pp
// slowest.
struct run_sizes {
    std::int64_t world = 0;
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t expert = 1;
    // The size of the data parallel groups; 0 if tensor or pipeline is below 1.
    [[nodiscard]] std::int64_t data() const noexcept {
        return tensor < 1 || pipeline < 1 ? 0 : world / tensor / pipeline;
    }
    // Whether groups of these sizes can be formed.
    [[nodiscard]] bool are_possible() const noexcept {
        if (world < 1 || tensor < 1 || pipeline < 1 || expert < 1 || tensor > world || pipeline > world / tensor ||
            world % (tensor * pipeline) != 0)
            return false;
        return expert <= data() ? data() % expert == 0 : expert % data() == 0;
    }
};

// Where a rank's time went: span = work + transfer + stage_waiting + pipeline_waiting + gaps + unknown. What is unknown
// is a part of the others, too, as what they may be besides. Transfer and waiting of ranks that were traced separately
// are unknown.
struct time_account {
    // The time from the beginning of the first record to the end of the last one.
    bounded span;
    // Computation, and collectives of groups of one rank.
    bounded work;
    // The part of communication that is not waiting.
    bounded transfer;
    // Waiting for ranks of the same stage, which have the same program: imbalance.
    bounded stage_waiting;
    // Waiting for other stages: for messages, in the embedding group, and in optimizer_step.
    bounded pipeline_waiting;
    // The time between records, which the host spends.
    bounded gaps;
    // Communication that cannot be divided into transfer and waiting: calls that some members lack or have not timed,
    // ranks that were traced separately, groups of unknown size, and records whose times contradict each other.
    bounded unknown;
};

// The whole waiting. It is also what the other parts leave of the span.
[[nodiscard]] constexpr bounded waiting_of(const time_account& t) noexcept {
    const bounded waiting = t.stage_waiting + t.pipeline_waiting;
    return waiting.is_exact() ? waiting : common(waiting, t.span - t.work - t.transfer - t.gaps);
}

// Communication in the groups of a kind: "tp", "dp", "exp", "ep_dp", "exp_dp", "pp" (messages between stages),
// "embedding" (first and last stage), "model" (hidden in optimizer_step), or another kind that the log names. A
// blocking call consists of transfer, waiting and unknown time, an asynchronous one of waiting and of time that
// computation hides.
struct group_answer {
    std::string group;
    bounded calls;
    std::uint64_t unknown_calls = 0;  // calls whose time is unknown
    bounded bytes;
    // The transfer time of blocking calls. That of "model" is unknown, as optimizer_step hides it.
    bounded transfer;
    // The time that was spent waiting for late ranks.
    bounded waiting;
    // Transfer and waiting: all of the blocking calls, however they are divided.
    bounded exposed;
    // The time of blocking calls that cannot be divided into transfer and waiting.
    bounded unknown;
    // How much more of the asynchronous calls could be waiting.
    bounded waiting_more;
    // The rest of the asynchronous calls, which computation hides.
    bounded overlapped;
    // The number of calls in which the rank arrived last; counted only for kinds of groups within a stage.
    bounded late;
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
// twice is one step. Records and calls without a time are not steps.
struct program_step {
    enum class kind : std::uint8_t {
        work,          // computation, and optimizer_step, which hides a collective of the group "model"
        collective,    // blocking: all members leave together. It waits first, and then moves its bytes
        asynchronous,  // lasts from launch to the end of the wait for it, alongside computation; it waits at its end
        send,
        receive,
        exchange  // a send and a receive at once, which the tracer wrote as two records
    };
    kind what = kind::work;
    bool nested = false;      // the step is inside the last step before it that is not nested
    bool alone = false;       // its group has one rank: nothing is sent, and its time is work of its record
    bool in_stage = false;    // it waits for ranks of its own stage, not for the pipeline
    bool backward = false;    // its message, or the send of its exchange, goes to an earlier stage
    bool is_unknown = false;  // its time cannot be divided
    // The times of its record contradict each other: nothing is known of its parts, which are 0.
    bool is_doubtful = false;
    // Three positions in run_answers::names, where 0 means no name: the name of the record, the comm_func of a nested
    // call, and the kind of its group.
    std::uint32_t operation = 0;
    std::uint32_t function = 0;
    std::uint32_t group = 0;
    // The position of its record in the rank's log, from 0. An exchange is that record and the one after it.
    std::uint32_t record = 0;
    std::int32_t position = -1;    // its position among the nested operations of its record; -1 if it is not nested
    std::uint32_t call = no_call;  // its position in run_answers::calls, if other members have the call
    std::int64_t batch = no_batch;
    std::int64_t bytes = -1;  // the size of its tensor; below 0: the log does not say
    std::int64_t late = -1;   // the rank that it waited for: the first of those that arrived last; -1: not known
    double start = 0;         // milliseconds after the rank's first record began (rank_answer::begin)
    double duration = 0;
    // Parts of the duration. The rest of a record is in its nested calls, and the rest of an asynchronous call is in
    // the work of its record.
    bounded work;
    bounded waiting;

    // The part of a blocking call or a message that is not waiting.
    [[nodiscard]] bounded transfer() const noexcept {
        const bool moves = !alone && !is_doubtful && what != kind::work && what != kind::asynchronous;
        return moves ? bounded(duration) - waiting : bounded();
    }
    // The time that cannot be divided. That of a doubtful record includes its calls.
    [[nodiscard]] double unknown() const noexcept {
        return is_doubtful && !nested ? duration : is_unknown ? waiting.width() : 0;
    }
    [[nodiscard]] bool waits() const noexcept { return waiting.at_most() > 0; }

    static constexpr std::uint32_t no_call = 0xffffffff;
    static constexpr std::int64_t no_batch = (std::numeric_limits<std::int64_t>::min)();
};

// A group of ranks, and which of them are in the run's logs.
struct group_of_ranks {
    std::string kind;
    std::int64_t size = 0;            // all ranks of the group
    std::vector<std::int64_t> ranks;  // those in the logs, ascending
    // Whether its ranks are on one host, and therefore have one clock. Unknown if clocks cannot be compared.
    enum class place : std::uint8_t { unknown, one_host, several_hosts };
    place where = place::unknown;
};
// A call that members of a group made together. Its members are `members` items of run_answers::members from
// first_member on, ordered by rank.
struct group_call {
    std::uint32_t group = 0;  // a position in run_answers::groups_of_ranks
    std::uint32_t first_member = 0;
    std::uint32_t members = 0;
    bool is_known = false;  // all ranks of the group have the call, and they ran together: its time can be divided
    double transfer = 0;    // the least duration of a known blocking call, which is its transfer
};
struct call_member {
    std::uint32_t rank = 0;  // a position in run_answers::ranks
    std::uint32_t step = 0;  // a position in that rank's program
};

struct rank_answer {
    std::int64_t rank = 0;
    std::optional<std::int64_t> stage;
    time_account account;
    std::vector<program_step> program;  // what the rank does, in the order of its log
    double begin = 0;                   // when its first record began, by its own clock
    // Ranks with the same `clock` share one, as they are on one host. The clocks of ranks with the same `aligned` can
    // be compared: this one is clock_ahead milliseconds ahead of the first of them, so begin - clock_ahead is
    // comparable.
    std::uint32_t clock = 0;
    double clock_ahead = 0;
    std::uint32_t aligned = 0;
    std::vector<group_answer> groups;          // sorted by name
    std::vector<operation_answer> operations;  // sorted by name
    bounded alone;                             // the time in collectives of groups of one rank, which move nothing
    bounded caused;                            // the time that others waited in calls in which this rank arrived last
    bounded late;                              // the number of these calls
    bounded last_of;                           // the number of calls in its stage in which it could have arrived last
    bounded nested_calls;
    bounded nested_bytes;
    bounded records;
    // The number of records and calls that other ranks have and this one lacks, or has without a time, or that could
    // not be read. If it is not 0, what is counted of this rank is a lower limit.
    std::uint64_t lost = 0;
    // The calls among them, and their bytes in other ranks' logs.
    std::uint64_t lost_calls = 0;
    double lost_bytes = 0;
    bounded doubles;             // the number of records that repeat a time which the tracer wrote twice
    bounded doubled;             // the time of these records
    std::uint64_t untimed = 0;   // the number of records without a duration or a timestamp, which count nowhere else
    std::uint64_t negative = 0;  // how many of these have a duration below 0
    // The number of records whose time is unknown, as it contradicts that of their calls or of an earlier record.
    std::uint64_t contradictions = 0;
    bounded overlaps;  // the number of records that began before the previous one had ended
    bounded micro_batches;
    bounded pipeline_busy;  // the time in get_batch, forward_step, loss_func and backward_step
    bounded uneven;         // the part of pipeline_busy that was spent waiting for ranks of the stage
    // The time from the first record of each iteration to the end of its last backward_step, and to its first
    // forward_step.
    bounded pipeline_span = bounded::unknown();
    bounded first_forward = bounded::unknown();
    // How much its work exceeds the lower median of its stage's other ranks, and its work divided by that median.
    bounded excess;
    bounded ratio = bounded(1);
};

struct stage_answer {
    std::int64_t stage = 0;
    std::uint64_t ranks = 0;
    std::vector<std::int64_t> missing;  // ranks of the stage that are in no log
    // The numbers that follow are means over its ranks, and unknown for a stage that lacks a rank.
    bounded busy;        // the time in get_batch, forward_step, loss_func and backward_step
    bounded per_batch;   // the same for one micro-batch
    bounded batch_work;  // the same for one micro-batch, without waiting in the stage
    time_account account;
    bounded least_work;                   // not a mean: the work of the rank with the least
    bounded greatest_work;                // not a mean: the work of the rank with the most
    bounded bubble = bounded::unknown();  // the time of the pipeline in which the stage is not busy
    bounded bubble_share = bounded::unknown();
    // The time before its first forward_step and after its last backward_step, over the ranks that have these.
    bounded fill = bounded::unknown();
    bounded drain = bounded::unknown();
};

// One of several iterations in a log. An optimizer_step ends an iteration.
struct iteration_answer {
    std::vector<time_account> ranks;  // the accounts of run_answers::ranks, in their order
    time_account total;
    std::uint64_t micro_batches = 0;
    // The rank with the most work beyond its peers, if that is known and at least 5 %.
    std::optional<std::int64_t> slowest_rank;
    bool is_slowest_known = false;  // false if the work of a rank in the iteration is not known
};

// How unevenly the ranks of an all-to-all group send bytes, in the calls in which they send different numbers of them.
struct imbalance_answer {
    std::string group;
    std::vector<std::int64_t> ranks;
    std::vector<double> bytes;                  // what each of the ranks sends in such calls
    std::vector<std::int64_t> batches;          // the micro-batches of these calls
    std::vector<double> batch_bytes;            // the same bytes by micro-batch, for each of the ranks
    std::optional<std::int64_t> greatest_rank;  // empty if there is no such call
    bounded ratio = bounded(1);                 // the greatest of `bytes` divided by their mean
    bounded worst_call_ratio = bounded(1);      // the same ratio in the most uneven call
    bounded all_ratio = bounded(1);             // the same ratio over all calls, even ones included
    bounded correlation;                        // the correlation of bytes and work: 1 means that bytes explain work
    bool is_partial = false;  // some calls are left out, as members of them are missing, or their sizes
};

// How far apart the members of the groups of a kind leave their blocking calls. They leave together if their clocks
// agree. Milliseconds from the first member to the last: the lower median and the greatest over all calls.
struct leave_answer {
    std::string group;
    bounded calls;
    bounded median;
    bounded greatest;
    // How far apart they arrive.
    bounded arrive_median;
    bounded arrive_greatest;
};

// How long a rank waited for another one in the groups of a kind. If several ranks arrived last, they share the time.
struct wait_answer {
    std::int64_t late = 0;     // the rank that was waited for
    std::int64_t waiting = 0;  // the rank that waited
    std::string group;
    bounded time;
};

// A call that some members of its group have, and this rank lacks, or has without a time.
struct missing_call {
    std::int64_t rank = 0;
    std::string group;
    std::string operation;  // the name of the record around the call, or of the record that is missing
    std::string function;   // comm_func; empty if a record is missing
    std::int64_t batch = program_step::no_batch;
    std::uint64_t number = 0;  // its number, from 1, among the rank's such calls there
    // The position, from 0, of the record that lacks the call in the rank's log; empty if a record is missing.
    std::optional<std::uint64_t> record;
    // The position in the rank's log at which the missing record would be; the number of its records if that is the
    // end; empty if it is unknown, or if a call is missing.
    std::optional<std::uint64_t> before;
    std::uint64_t in_a_row = 1;       // how many records the rank lacks there in a row, this one included
    bool is_message = false;          // it is one end of a message; `ranks` has the rank of the other end
    bool may_be_untimed = false;      // the rank has such calls without a time, and this may be one of them
    std::vector<std::int64_t> ranks;  // the ranks that have it; only `rank` if it has it for other micro-batches
};
// Says in a sentence what is missing: `rank 3 lacks the 7th all_to_all of exp in forward_step, batch 2, which ranks 1,
// 5 and 7 have`; or `lacks the time of the 7th all_to_all ...`.
[[nodiscard]] inline std::string message(const missing_call& m) {
    const auto ordinal = [](std::uint64_t n) {
        const char* const ends[] = {"th", "st", "nd", "rd"};
        const bool is_teen = n % 100 / 10 == 1;
        return std::to_string(n) + ends[n % 10 < 4 && !is_teen ? n % 10 : 0];
    };
    std::string sentence = "rank " + std::to_string(m.rank) + " lacks the " + (m.may_be_untimed ? "time of the " : "") +
                           ordinal(m.number) + " ";
    if (m.record) sentence += (m.function.empty() ? "call" : m.function) + " of " + m.group + " in " + m.operation;
    else sentence += m.operation;
    if (m.batch != program_step::no_batch) sentence += (m.record ? ", batch " : " of batch ") + std::to_string(m.batch);
    if (m.in_a_row > 1)
        sentence += " and " + std::to_string(m.in_a_row - 1) + (m.in_a_row == 2 ? " record" : " records") + " after it";
    if (m.ranks.size() == 1 && m.ranks[0] == m.rank) return sentence + ", which it has for other micro-batches";
    sentence += m.is_message ? ", the other end of which " : ", which ";
    sentence += m.ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t n = 0; n != m.ranks.size(); ++n)
        sentence.append(n == 0 ? "" : n + 1 == m.ranks.size() ? " and " : ", ").append(std::to_string(m.ranks[n]));
    return sentence + (m.ranks.size() == 1 ? " has" : " have");
}

// A record that a rank lacks between two of its records, and of which it is known what it was.
struct missing_record {
    std::size_t rank = 0;  // these two are positions in run_answers::ranks; the owner has the record
    std::size_t owner = 0;
    std::size_t step = 0;      // its position in the owner's program, in which its calls follow it
    std::uint64_t before = 0;  // missing_call::before
    double most = 0;           // all that is missing there took no longer
};

// A time that cannot be right, or that nothing else in the run confirms. Nothing is concluded from it.
struct doubtful_time {
    enum class cause : std::uint8_t {
        overlap,   // the record begins before the one before it ends
        order,     // so it does, and the log has no overlap in the order of time, in which its records are taken
        gap,       // the gap before the record is longer than the rest of the run
        too_long,  // the rank's first record is more than twice as long as all that other ranks did
        set,       // the rank's clock was set before the record by `time`, which is taken off its later times
        set_here   // perhaps so: calls with other ranks say that it was, or the clock of the other rank
    };
    std::int64_t rank = 0;
    std::uint64_t record = 0;  // its position in the rank's log, from 0
    cause why = cause::overlap;
    double time = 0;  // how long the records overlap, or how long the gap or the record is
    // Whether what the clock says from there on is used.
    [[nodiscard]] bool is_mended() const noexcept { return why == cause::order || why == cause::set; }
};

// A log that is not of the run that the others are of: something of it contradicts the log of another rank. Its rank is
// in run_answers::left_out.
struct strange_log {
    enum class cause : std::uint8_t {
        copy,             // all records and calls of both have the same times
        misnamed,         // records of its file are those of the other rank, whatever the file is called
        iterations,       // it has another number of them, and lacks no record
        batches,          // it has another number of micro-batches, and lacks no record
        passes,           // it has another number of forward steps, and lacks no record
        short_durations,  // in each operation, in which they are in another unit than those of other ranks
        long_durations,
        short_distances,  // from a record to the next one: timestamps are in another unit
        long_distances
    };
    std::int64_t rank = 0;
    std::int64_t other = 0;
    cause why = cause::copy;
    // Of what `why` says, in this log and in the other; by which factor times differ, and in how many operations; how
    // many records are those of other ranks, and of this one.
    std::uint64_t number = 0;
    std::uint64_t of_other = 0;
};

// How many messages between pipeline stages have no other end.
struct unmatched_messages {
    std::uint64_t reported = 0;  // those that were reported
    std::uint64_t more = 0;      // those that were counted, but not reported, as they were too many
    std::uint64_t pairs = 0;     // pairs of ranks with further such messages, which were not counted

    bool any() const noexcept { return reported != 0 || more != 0 || pairs != 0; }
};

// How fast blocking calls of one collective and size moved their bytes in the groups of a kind. A call of several ranks
// is one call; calls whose time is unknown are left out. Small calls measure latency.
struct bandwidth_answer {
    // Two values of `size`: ranks pass different numbers of bytes, and the mean is used; the log does not say how many.
    static constexpr std::int64_t differs = -1;
    static constexpr std::int64_t unknown_size = -2;
    std::string group;
    std::string function;    // the name of the collective: comm_func, or the record's
    std::int64_t size = 0;   // the bytes that a rank passes to a call
    std::int64_t ranks = 0;  // the size of a group
    bounded calls;
    bounded bytes;     // the sum over all calls
    bounded transfer;  // the sum over all calls of their transfer, which is the least duration of a member
    bounded median_transfer;
    bounded least_transfer;
    bounded algorithm = bounded::unknown();  // bytes divided by transfer, in GB/s
    bounded bus = bounded::unknown();        // GB/s as nccl-tests print it; unknown for collectives without a factor
    group_of_ranks::place where = group_of_ranks::place::unknown;
};

// What a change would gain: how much earlier the last rank would end in a replay of the ranks' programs. A change is
// made to single pieces of work (an operation of a micro-batch, between two collectives), not to whole ranks.
struct remedy {
    enum class change : std::uint8_t {
        rank_as_peers,        // no piece of the rank's work takes longer than the lower median of its stage
        even_work_in_stages,  // each piece takes the mean of its stage
        even_stages,          // all stages have the same work, as if layers had moved
        no_gaps,              // no time passes between records
        // Forward and backward passes alternate (1F1B), in a run with another order of passes.
        passes_in_turn,
        // Twice as many micro-batches pass in 1F1B order, and the time that they take is halved.
        twice_the_micro_batches,
        no_transfer,        // transfers take no time: a limit, which nobody can reach
        all_ranks_as_peers  // slow ranks lose the work that they have beyond their peers: a limit
    };
    change what = change::rank_as_peers;
    bool is_limit = false;
    std::optional<std::int64_t> rank;
    bounded gain;  // how much shorter the iteration would be; below 0 if it would take longer
    // How much less the ranks would wait inside stages, for rank_as_peers.
    bounded waiting_less = bounded::unknown();
};
// What the remedy changes, in words: `rank 3 working as its peers`, `even work in each stage`. "unknown" for a value
// that is not an enumerator.
[[nodiscard]] inline std::string message(const remedy& r) {
    switch (r.what) {
    case remedy::change::rank_as_peers: return "rank " + std::to_string(r.rank.value_or(-1)) + " working as its peers";
    case remedy::change::even_work_in_stages: return "even work in each stage";
    case remedy::change::even_stages: return "even work of all stages";
    case remedy::change::no_gaps: return "no gaps between records";
    case remedy::change::passes_in_turn: return "forward and backward passes in turn (1F1B)";
    case remedy::change::twice_the_micro_batches: return "twice the micro-batches (for the same work)";
    case remedy::change::no_transfer: return "transfers that take no time";
    case remedy::change::all_ranks_as_peers: return "all slow ranks working as their peers";
    }
    return "unknown";
}
struct replay_answer {
    enum class obstacle : std::uint8_t { none, not_tried, unknown_time, stuck, inexact, unfinished };
    obstacle reason = obstacle::not_tried;    // why there are no remedies
    obstacle schedule = obstacle::not_tried;  // why no remedies are other schedules of the pipeline
    bounded iteration = bounded::unknown();   // the measured time from the first record to the last end
    bounded replayed = bounded::unknown();    // the same time in the replay of the unchanged run
    bounded error = bounded::unknown();       // their difference as a part of the measured time
    std::vector<remedy> remedies;             // the greatest gain first, limits last
};

struct slow_rank {
    enum class cause : std::uint8_t {
        none,
        no_peer,
        more_bytes,
        more_operations,
        longer,
        unknown  // records that the rank lacks could make it any of these
    };
    static constexpr double least_ratio = 1.05;  // a rank or stage that is nearer to its peers is not called slow
    std::int64_t rank = 0;
    std::optional<std::int64_t> stage;
    bounded work;
    bounded peers = bounded::unknown();  // the lower median of the work of the others in its stage
    bounded excess;
    bounded ratio = bounded(1);
    bounded bytes_ratio = bounded(1);
    bounded calls_ratio = bounded(1);
    bounded gaps_ratio = bounded(1);
    bounded caused;
    bounded late;
    bounded last_of;                    // the number of calls in which it could have arrived last
    std::vector<std::int64_t> similar;  // all ranks with at least 90 % of the excess, in order
    cause reason = cause::none;
};
struct slow_stage {
    enum class cause : std::uint8_t {
        none,
        all_ranks,
        one_rank,
        waiting  // none of its ranks is slow: each is late at some calls, and the others wait for it
    };
    std::int64_t stage = 0;
    bounded per_batch;
    bounded others;  // the lower median of the other stages
    bounded ratio = bounded(1);
    bounded ratio_without = bounded(1);  // the ratio of the work without the slowest rank of each stage
    std::int64_t rank = 0;               // the rank with the most work in the stage
    cause reason = cause::none;
};

struct run_answers {
    std::optional<run_sizes> sizes;  // without them, communication in collectives is unknown
    bool together = false;           // the ranks were traced at the same time; else communication is unknown
    bool apart = false;              // they surely were not; if neither `together` nor this is true, it is not known
    bool same_clock = false;         // times of different ranks can be compared
    bool common_moment = false;      // one moment lies in the spans of all ranks
    // The last stage sends forward, so stages are interleaved (a virtual pipeline), and the least time is unknown.
    bool interleaved = false;
    // How many forward passes each rank makes of each micro-batch, one for each chunk of its layers; 0 if they differ.
    std::uint64_t chunks = 0;
    // How much the time from a group's first blocking call to its last one differs between members, and how long that
    // time is: lower medians over groups.
    bounded extent_spread = bounded::unknown();
    bounded extent = bounded::unknown();
    // Pairs of logs whose clocks contradict each other, so that they are not those of one run, and by how many
    // milliseconds; the first 100.
    struct contradiction {
        std::int64_t rank = 0;
        std::int64_t other = 0;
        double time = 0;
        std::string calls;  // which show it: `record 5 of rank 0 (send_forward) and record 3 of rank 1 (recv_forward)`
    };
    std::vector<contradiction> contradicting_logs;
    std::vector<leave_answer> leaving;  // an item for each kind of group, by the clocks as they are
    std::vector<rank_answer> ranks;     // ascending
    time_account total;
    bounded doubled;
    bounded doubles;
    std::uint64_t untimed = 0;
    std::uint64_t negative = 0;
    std::uint64_t contradictions = 0;
    std::vector<doubtful_time> doubtful_times;  // the first 1,000
    std::uint64_t unread = 0;                   // the number of records that summary::add_unread() reported
    bounded overlaps;
    // The number of groups whose members do not fit together: one has the log of another run, or a clock that was set
    // meanwhile. The time of their calls is unknown.
    std::uint64_t apart_groups = 0;
    std::vector<group_answer> groups;          // sums over all ranks
    std::vector<operation_answer> operations;  // sums over all ranks
    std::vector<std::string> alone;            // the kinds of groups that have one rank
    std::vector<stage_answer> stages;
    std::uint64_t micro_batches = 0;  // the sum over all iterations; 0 if it is not known
    std::uint64_t iterations = 1;
    // An iteration is not whole, as where a job was stopped: the log of a rank has more passes of one direction than of
    // the other, or passes after its last optimizer_step. The bubble, least times and remedies are unknown.
    bool unfinished = false;
    std::vector<iteration_answer> by_iteration;  // empty if there is one iteration
    bounded pipeline_time = bounded::unknown();  // the time of the pipeline, over all iterations
    bounded bubble_share = bounded::unknown();   // the mean over the stages
    bounded equal_share = bounded::unknown();    // the bubble's share if all stages were equal
    // The least time of the pipeline that these stages allow, and that they would allow with even work in each stage.
    bounded least_time = bounded::unknown();
    bounded least_time_even = bounded::unknown();
    std::vector<imbalance_answer> imbalance;
    // Both are also empty where the records that ranks lack could make another rank or stage the slowest.
    std::optional<slow_rank> slowest_rank;
    std::optional<slow_stage> slowest_stage;
    std::vector<std::pair<double, bounded>> message_floors;  // sizes in bytes, and the least time of a message
    // Who made which call with whom, and who waited for whom.
    std::vector<std::string> names;  // the names that program steps refer to; the first is empty
    std::vector<group_of_ranks> groups_of_ranks;
    std::vector<group_call> calls;
    std::vector<call_member> members;
    std::vector<wait_answer> waits;  // sorted by waiting rank, late rank and kind
    std::vector<bandwidth_answer> bandwidth;
    replay_answer replay;
    std::uint32_t clocks = 0;  // the number of hosts that the clocks show
    // What is missing from the answers.
    std::uint64_t texts = 0;                  // the number of files, or texts, with records of the ranks
    std::vector<std::int64_t> missing_ranks;  // the ranks below the world size that are in no log
    bool too_many_calls = false;              // there are so many calls that the summary has kept none
    bool any_beyond = false;                  // times are too great to be milliseconds: summary::beyond()
    bool repeated_ranks = false;              // ranks are in several texts: the summary has kept no calls
    // Ranks without a timed record, whose calls were not kept, or whose logs are not of the run.
    std::vector<std::int64_t> left_out;
    std::vector<strange_log> strange_logs;    // why ranks are left out; sorted by rank
    std::uint64_t missing_members = 0;        // the number of groups that lack members: their time is unknown
    std::uint64_t differing_groups = 0;       // the number of groups in which a member lacks a call that others have
    std::vector<missing_call> missing_calls;  // the first of the missing calls
    std::uint64_t missing_call_count = 0;     // the number of all missing calls
    std::vector<missing_record> missing_records;
    std::uint64_t lost = 0;  // the sum of rank_answer::lost
};

// The transfer and waiting of all ranks, which is also the time that is neither work nor gaps.
[[nodiscard]] inline bounded exposed_of(const run_answers& a) noexcept {
    double of_groups = 0;  // at least
    for (const group_answer& g : a.groups) of_groups += (std::max)(0.0, g.exposed.at_least());
    const bounded exposed = common(a.total.transfer + waiting_of(a.total), a.total.span - a.total.work - a.total.gaps);
    return exposed.is_exact() ? exposed : common(exposed, bounded::no_less(of_groups));
}

}  // namespace wlfmt::analysis

#endif
