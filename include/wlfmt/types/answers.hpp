// wlfmt/types/answers.hpp: what the op logs of a run answer. wlfmt/answers.hpp computes it and says what it means.
#include "../version.hpp"

#ifndef WLFMT_TYPES_ANSWERS_HPP
#define WLFMT_TYPES_ANSWERS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace oplog {

// The sizes of the parallel groups of a run. Ranks are taken to be in Megatron's default order: tp varies fastest, pp
// slowest.
struct run_sizes {
    std::int64_t world = 0;
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t expert = 1;
    [[nodiscard]] std::int64_t data() const noexcept { return world / (tensor * pipeline); }
    // Whether the sizes divide each other.
    [[nodiscard]] bool are_possible() const noexcept {
        if (world < 1 || tensor < 1 || pipeline < 1 || expert < 1 || tensor > world || pipeline > world / tensor ||
            world % (tensor * pipeline) != 0)
            return false;
        return expert <= data() ? data() % expert == 0 : expert % data() == 0;
    }
};

// Communication in the groups of a kind: "tp", "dp", "exp", "ep_dp", "exp_dp", "pp" (messages between stages),
// "embedding" (first and last stage), "model" (hidden in optimizer_step), or another kind that the log names.
struct group_answer {
    std::string group;
    std::uint64_t calls = 0;
    double bytes = 0;
    double transfer = 0;       // of blocking calls
    double undivided = 0;      // of blocking calls whose waiting is not known: both together
    double waiting = 0;        // for ranks that were late
    double waiting_more = 0;   // of asynchronous calls: so much more may be waiting
    double waiting_least = 0;  // of blocking calls: what the sums of each rank alone show
    double overlapped = 0;     // the rest of asynchronous calls, which computation hides
    std::uint64_t late = 0;    // calls in which the rank came last (kinds within a stage)
};

struct operation_answer {
    std::string operation;
    double time = 0;
    double work = 0;
    double transfer = 0;  // with its waiting, if that is not known
    double waiting = 0;
};

// span = work + transfer + undivided + stage_waiting + pipeline_waiting + gaps
struct time_account {
    double span = 0;
    double work = 0;
    double transfer = 0;
    double undivided = 0;         // transfer and waiting that cannot be separated
    double stage_waiting = 0;     // imbalance between ranks with the same program
    double pipeline_waiting = 0;  // for other stages
    double gaps = 0;              // between records: the host
};

struct rank_answer {
    std::int64_t rank = 0;
    std::optional<std::int64_t> stage;
    time_account account;
    std::vector<group_answer> groups;          // by name
    std::vector<operation_answer> operations;  // by name
    double alone = 0;                          // in collectives of groups of one rank, which move nothing
    double caused = 0;                         // the waiting of others in calls in which the rank came last
    std::uint64_t late = 0;                    // the number of these calls
    std::uint64_t nested_calls = 0;
    double nested_bytes = 0;
    std::uint64_t records = 0;
    std::uint64_t doubles = 0;  // records of a span that was written twice
    double doubled = 0;         // its time
    std::uint64_t untimed = 0;  // records without a duration or a timestamp, which are in nothing here
    std::uint64_t micro_batches = 0;
    double pipeline_busy = 0;             // get_batch, forward_step, loss_func, backward_step
    double uneven = 0;                    // waiting in the stage within these
    std::optional<double> pipeline_span;  // from the first record to the end of the last backward_step
    std::optional<double> first_forward;  // from the first record to the first forward_step
    double excess = 0;                    // of work over the lower median of the other ranks of its stage
    double ratio = 1;
};

struct stage_answer {
    std::int64_t stage = 0;
    std::uint64_t ranks = 0;
    double busy = 0;       // the mean of its ranks, as all that follows
    double per_batch = 0;  // busy of one micro-batch
    time_account account;
    double least_work = 0;
    double greatest_work = 0;
    double uneven = 0;             // the cost of imbalance: what even work in the stage would save at most
    std::optional<double> bubble;  // the time of the pipeline in which the stage is not busy
    std::optional<double> bubble_share;
    std::optional<double> fill;   // until its first forward_step
    std::optional<double> drain;  // after its last backward_step
};

// Bytes that the ranks of an all-to-all group send in calls that differ between them.
struct imbalance_answer {
    std::string group;
    std::vector<std::int64_t> ranks;
    std::vector<double> bytes;                  // of each of them, in calls that differ
    std::optional<std::int64_t> greatest_rank;  // empty if no call differs
    double ratio = 1;                           // greatest to mean
    double worst_call_ratio = 1;                // of a single call's position
    double all_ratio = 1;                       // with the calls that do not differ
    double correlation = 0;                     // of the bytes with the ranks' work: 1 explains it
};

// How members of the groups of a kind leave their blocking calls: together, if their clocks are one. Milliseconds from
// the first member to the last; medians within 1/128.
struct leave_answer {
    std::string group;
    std::uint64_t calls = 0;
    double median = 0;
    double greatest = 0;
    double arrive_median = 0;  // the same of their arrivals
    double arrive_greatest = 0;
};

struct slow_rank {
    enum class reason : std::uint8_t { none, no_peer, more_bytes, more_operations, longer };
    std::int64_t rank = 0;
    std::optional<std::int64_t> stage;
    double work = 0;
    double excess = 0;
    double ratio = 1;
    double bytes_ratio = 1;
    double calls_ratio = 1;
    double gaps_ratio = 1;
    double caused = 0;
    std::uint64_t late = 0;
    std::vector<std::int64_t> near;  // all ranks with at least 90 % of the excess
    reason why = reason::none;
};
struct slow_stage {
    enum class reason : std::uint8_t { none, all_ranks, one_rank };
    std::int64_t stage = 0;
    double per_batch = 0;
    double others = 0;  // the lower median of the other stages
    double ratio = 1;
    double ratio_without = 1;  // of work, without the slowest rank of each stage
    std::int64_t rank = 0;     // with the most work in it
    reason why = reason::none;
};

struct run_answers {
    std::optional<run_sizes> sizes;  // without them, waiting in collectives cannot be separated from transfer
    bool together = false;           // the ranks were traced at the same time: without it, waiting is not known
    bool same_clock = false;         // times of different ranks can be compared
    bool common_moment = false;      // all spans share a moment
    // How much the time from a group's first blocking call to its last one differs between members, and how long it is:
    // lower medians over groups.
    std::optional<double> extent_spread;
    std::optional<double> extent;
    std::vector<leave_answer> leaving;  // by kind of group; clocks are taken as they are
    std::vector<rank_answer> ranks;
    time_account total;
    double doubled = 0;
    std::uint64_t doubles = 0;
    std::uint64_t untimed = 0;
    std::vector<group_answer> groups;          // over all ranks
    std::vector<operation_answer> operations;  // over all ranks
    std::vector<std::string> alone;            // kinds of groups that have one rank
    std::vector<stage_answer> stages;
    std::uint64_t micro_batches = 0;
    std::optional<double> pipeline_time;    // T
    std::optional<double> bubble_share;     // the mean of the stages
    std::optional<double> equal_share;      // what equal stages would have
    std::optional<double> least_time;       // the least that these stages allow
    std::optional<double> least_time_even;  // with even work in each stage
    std::vector<imbalance_answer> imbalance;
    std::optional<slow_rank> slowest_rank;
    std::optional<slow_stage> slowest_stage;
    std::vector<std::pair<double, double>> message_floors;  // bytes, least milliseconds
    // What is missing from the answers.
    bool too_many_calls = false;         // the summary has kept none
    bool repeated_ranks = false;         // ranks are in several texts: the summary has kept no calls
    std::vector<std::int64_t> left_out;  // ranks without a timed record, or of which no calls are kept
    std::uint64_t missing_members = 0;   // groups that lack members: their waiting is a lower limit
    std::uint64_t differing_groups = 0;  // groups compared only up to the first call that differs
};

}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
