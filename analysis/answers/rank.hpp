// A rank of a run: its groups, and what the analysis finds while it divides the rank's time.
#ifndef WLFMT_ANALYSIS_ANSWERS_RANK_HPP
#define WLFMT_ANALYSIS_ANSWERS_RANK_HPP

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "../library.hpp"
#include "../summary/state.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

using three_numbers = std::array<std::int64_t, 3>;  // one key for several maps: fewer templates to compile

struct group_place {
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t size = 0;
};
// The rank's group of a kind; empty if the kind is unknown, or if it is that of the embeddings, which only the first
// and the last stage share, and the rank is in another stage.
inline std::optional<group_place> place_of(std::string_view kind, std::int64_t rank, const run_sizes& sizes) {
    const std::int64_t per_stage = sizes.world / sizes.pipeline;
    const std::int64_t stage = rank / per_stage;
    const std::int64_t within = rank % per_stage;
    const std::int64_t shared = sizes.tensor * sizes.expert;
    if (kind == operations::model) return group_place{within / sizes.tensor, 0, sizes.tensor * sizes.pipeline};
    if (kind == operations::embedding) {
        if (stage != 0 && stage != sizes.pipeline - 1) return std::nullopt;
        return group_place{within, 0, sizes.pipeline > 1 ? 2 : 1};
    }
    switch (oplog::group_of(kind)) {
    case oplog::group::tensor_parallel: return group_place{rank / sizes.tensor, 0, sizes.tensor};
    case oplog::group::data_parallel: return group_place{stage, rank % sizes.tensor, sizes.data()};
    case oplog::group::expert_parallel:
        return group_place{stage * per_stage + within / shared, rank % sizes.tensor, sizes.expert};
    case oplog::group::embedding_data_parallel:
    case oplog::group::expert_data_parallel:
        return group_place{stage, within % shared, (std::max)(std::int64_t{1}, sizes.data() / sizes.expert)};
    default: return std::nullopt;
    }
}
inline std::optional<run_sizes> sizes_in(const oplog::file_facts& f) {
    if (!f.world_size) return std::nullopt;
    const run_sizes sizes{*f.world_size, f.tensor.value_or(1), f.pipeline.value_or(1), f.expert.value_or(1)};
    return sizes.are_possible() ? std::optional<run_sizes>(sizes) : std::nullopt;
}

inline double in_milliseconds(double millionths) noexcept { return millionths / 1e6; }
inline bounded in_milliseconds(const bounded& millionths) noexcept {
    return bounded::between(in_milliseconds(millionths.at_least()), in_milliseconds(millionths.at_most()));
}
// No time, and no count, is below 0.
inline bounded not_below_0(const bounded& b) noexcept { return greater_of(b, bounded()); }

// Lists the members that are times.
template <class Sums> struct parts_of;
template <> struct parts_of<time_account> {
    using sums = time_account;
    static constexpr bounded sums::*times[] = {
        &sums::span, &sums::work,   &sums::transfer, &sums::stage_waiting, &sums::pipeline_waiting,
        &sums::gaps, &sums::unknown};
};
template <> struct parts_of<group_answer> {
    using sums = group_answer;
    static constexpr bounded sums::*times[] = {&sums::transfer, &sums::waiting,      &sums::exposed,
                                               &sums::unknown,  &sums::waiting_more, &sums::overlapped};
};
template <> struct parts_of<operation_answer> {
    using sums = operation_answer;
    static constexpr bounded sums::*times[] = {&sums::time, &sums::work, &sums::transfer, &sums::waiting,
                                               &sums::unknown};
};
template <class Sums> void add_to(Sums& sums, const Sums& more) noexcept {
    for (const auto time : parts_of<Sums>::times) sums.*time += more.*time;
}
template <class Sums> Sums in_milliseconds(Sums sums) noexcept {
    for (const auto time : parts_of<Sums>::times) sums.*time = in_milliseconds(sums.*time);
    return sums;
}
inline void set_milliseconds(program_step& step) noexcept {
    step.start = in_milliseconds(step.start);
    step.duration = in_milliseconds(step.duration);
    step.work = in_milliseconds(step.work);
    step.waiting = in_milliseconds(step.waiting);
}
// What is known of the parts of an account follows from its span, too: whatever is no other part. Parts that include
// unknown time may be all of it, so that the unknown time is no part of its own here.
inline void tighten(time_account& account) noexcept {
    constexpr bounded time_account::*parts[] = {&time_account::work, &time_account::transfer,
                                                &time_account::stage_waiting, &time_account::pipeline_waiting,
                                                &time_account::gaps};
    for (const auto part : parts) {
        account.*part = not_below_0(account.*part);
        bounded rest = account.span;
        for (const auto other : parts)
            if (other != part) rest -= not_below_0(account.*other);
        if (!(account.*part).is_exact()) account.*part = common(account.*part, not_below_0(rest));
    }
}

// Consecutive steps or calls.
struct step_range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const noexcept { return end - begin; }
};
inline bool is_message(const program_step& step) noexcept { return step.what >= program_step::kind::send; }
// Whether the other side of a message, or of an exchange's send, is in the next stage.
inline bool is_to_next_stage(const program_step& step) noexcept {
    return (step.what == program_step::kind::receive) == step.backward;
}
// A step of the kind `work` in the group `model` is an optimizer_step, which contains communication.
inline bool is_communication(const program_step& step, std::uint32_t model) noexcept {
    return step.what != program_step::kind::work || step.group == model;
}
// The position of a name in a sorted list or, if it is not there, of the next greater one.
inline std::uint32_t number_in(const std::vector<std::string>& names, std::string_view name) {
    return static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin());
}
inline std::int64_t known_bytes(const program_step& step) noexcept { return (std::max)(step.bytes, std::int64_t{0}); }

inline constexpr std::int64_t overlap_noise = 50000;  // 0.05 ms: tracers write hundredths of a millisecond

// How much was added to each sum.
using added_times = std::map<const bounded*, double>;

// What is found about a rank. Until the answer is complete, all its times are in millionths of a millisecond.
struct analysed_rank : rank_answer {
    const rank_sums* sums = nullptr;  // the sums of the rank's records, with its program
    // The same in the order of time, and by one clock, if the log is not: then `sums` points to it.
    std::shared_ptr<const rank_sums> mended;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::vector<program_step> untimed_steps;  // records and calls without a time, by record
    double after_steps = bounded::unlimited;  // how long after its last step the last of them ended, if that is known
    std::map<std::uint32_t, group_answer> by_kind;           // keys: numbers of names
    std::map<std::uint32_t, operation_answer> by_operation;  // keys: numbers of names
    // How long the rank waited for each other rank. Keys: that rank's place among all ranks, and the kind of group.
    std::map<std::pair<std::size_t, std::uint32_t>, bounded> waits;

    // How much what the rank lacks may change these numbers of its log.
    bounded span_error;
    bounded gaps_error;
    bounded pipeline_span_error;
    bounded first_forward_error;
    // Ranks whose clocks are compared exactly are a set, sets whose clocks are compared within limits a component.
    std::uint32_t clock_set = 0;
    std::uint32_t component = 0;
    double ahead = 0;   // how far its clock is ahead of its set's clock
    bounded set_ahead;  // how far that is ahead of the clock of the component's first set
    // How long it waited at least in calls of each kind of which it is not known who was late.
    std::map<std::uint32_t, bounded> unshared;
    // How long messages took whose records overlap: they may be halves of exchanges, whose other halves are elsewhere.
    double halves_apart = 0;
    double before_records = 0;        // the time, below 0, by which calls begin before their records
    bool is_in_disorder = false;      // its records overlap
    bool has_doubtful_clock = false;  // its records overlap, or its calls do not fit those of the other members
    bool has_unread = false;          // records could not be read, and no other rank shows which

    // The step of a record of the log; null if there is none.
    program_step* step_of(std::uint64_t record) {
        const auto is_it = [record](const program_step& s) { return s.record == record; };
        const auto at = mended ? std::find_if(program.begin(), program.end(), is_it)
                               : std::lower_bound(program.begin(), program.end(), record,
                                                  [](const program_step& s, std::uint64_t n) { return s.record < n; });
        return at == program.end() || !is_it(*at) ? nullptr : &*at;
    }
    // Says that a record or a call, of which no sum has anything, took up to `time`, and its transfer up to `transfer`:
    // adds that to all that it may be. `widened`: what the record's neighbours, which share the time, have added.
    // `calls`: how many calls it may be.
    void may_have(const program_step& own, double time, std::uint32_t model, added_times& widened,
                  double transfer = bounded::unlimited, double calls = bounded::unlimited) {
        const auto add = [&](bounded& sum, double most = bounded::unlimited) {
            double& added = widened[&sum];
            most = (std::min)(time - added, most);
            if (!(most > 0)) return;
            added += most;
            &sum == &gaps_error ? sum.widen(most, 0) : sum.widen(0, most);
        };
        operation_answer& operation = by_operation[own.operation];
        if (!own.nested) {
            add(operation.time);
            add(gaps_error);
        }
        if (own.alone || own.what == program_step::kind::work) {
            add(account.work);
            add(operation.work);
        }
        if (!is_communication(own, model)) return;
        group_answer& group = by_kind[own.group];
        group.calls.widen(0, calls);
        group.bytes.widen(0, bounded::unlimited);  // the members of a call may send different numbers
        if (own.alone) return;
        add(own.in_stage ? account.stage_waiting : account.pipeline_waiting);
        add(operation.waiting);
        add(group.waiting);
        add(group.exposed);
        if (own.what == program_step::kind::work) return;
        if (own.what == program_step::kind::asynchronous) return add(group.overlapped);
        add(account.transfer, transfer);
        add(operation.transfer, transfer);
        add(group.transfer, transfer);
    }
};

inline bool is_pass(operation_kind kind) noexcept {
    return kind == operation_kind::forward || kind == operation_kind::backward;
}
// The iterations in a rank's log: each ends with its optimizer_step, and if a pass follows the last one, one more has
// begun.
inline std::uint64_t iterations_of(const analysed_rank& r, const std::vector<operation_facts>& facts) {
    std::uint64_t ended = 0;
    const program_step* open = nullptr;  // a pass that follows the last optimizer_step
    for (const program_step& own : r.program) {
        if (own.nested) continue;
        const operation_kind kind = facts[own.operation].kind;
        if (is_pass(kind)) open = &own;
        if (kind != operation_kind::optimizer) continue;
        ++ended;
        open = nullptr;
    }
    for (const program_step& own : r.untimed_steps) {
        if (own.nested || facts[own.operation].kind != operation_kind::optimizer) continue;
        ++ended;
        if (open != nullptr && open->record < own.record) open = nullptr;
    }
    return ended + (open != nullptr && !r.is_in_disorder ? 1U : 0U);
}

// Whether a rank sends messages from the last stage of a virtual pipeline to the first one, or receives them there.
inline bool sends_around(const analysed_rank& r, const std::vector<operation_facts>& facts, const run_sizes& sizes) {
    if (sizes.pipeline < 2 || r.rank < 0 || r.rank >= sizes.world) return false;
    const std::int64_t stage = r.rank / (sizes.world / sizes.pipeline);
    if (stage != 0 && stage != sizes.pipeline - 1) return false;
    return std::any_of(r.program.begin(), r.program.end(), [&](const program_step& own) {
        return is_message(own) && facts[own.operation].between_stages &&
               (is_to_next_stage(own) ? stage != 0 : stage == 0);
    });
}

// A step (a record, or a call in one) that a rank lacks and others have. Ranks are positions among all ranks.
struct lacked_step {
    static constexpr std::size_t max_named = 16;

    std::size_t rank = 0;                      // the rank that lacks it
    std::size_t owner = 0;                     // a rank that has it
    std::size_t step = 0;                      // the step's position in the program of that rank
    std::uint64_t number = 1;                  // missing_call::number
    std::optional<std::uint64_t> record = {};  // missing_call::record
    std::vector<std::size_t> have = {};        // the first ranks that have it
};

}  // namespace wlfmt::analysis

#endif
