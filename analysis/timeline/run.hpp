// The first pass over a run: its ranks, messages and clocks, and how clocks are aligned.
#ifndef WLFMT_ANALYSIS_TIMELINE_RUN_HPP
#define WLFMT_ANALYSIS_TIMELINE_RUN_HPP

#include <algorithm>
#include <array>
#include <map>

#include "../answers/types.hpp"
#include "../library.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

inline std::int64_t rounded(double v) noexcept { return static_cast<std::int64_t>(v < 0 ? v - 0.5 : v + 0.5); }
inline std::int64_t nanoseconds(double ms) noexcept { return rounded(ms * 1e6); }

// Tracers round times to hundredths of a millisecond, so that operations may seem to overlap by this many nanoseconds.
inline constexpr std::int64_t trace_rounding = 20000;
// The stage of a timeline::message that is in no flow.
inline constexpr std::int64_t unknown_stage = -2;

// When something happened; without a duration it is an instant at `end`.
struct trace_time {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool timed = false;
    bool instant = true;
};
// So many nanoseconds that the sum of four such times fits in 64 bits: 71 years, enough for the time of day until 2041.
inline constexpr std::int64_t greatest_time = 2250000000000000000;
inline trace_time time_of(const number& timestamp, const number& duration) noexcept {
    constexpr double greatest = static_cast<double>(greatest_time) / 1e6;
    trace_time t;
    const double end = timestamp.value_or(0.0);
    if (!(end > 0 && end < greatest)) return t;
    t.timed = true;
    // A double of about 4.5e9 ms is exact to a nanosecond or two. As tracers write two or three decimals, rounding to
    // tens of nanoseconds restores them.
    t.begin = t.end = end < 1e9 ? nanoseconds(end) : rounded(end * 1e5) * 10;
    const double ms = duration.value_or(-1.0);
    if (!(ms >= 0 && ms < greatest)) return t;
    t.instant = false;
    t.begin = t.end - nanoseconds(ms);
    return t;
}

// An arrow ends within its slice.
template <class Slice> std::int64_t end_of_arrow(const Slice& slice) noexcept {
    return (std::max)(slice.begin, slice.end - 1);
}

// Whether the operation is a send or a receive between stages.
inline bool is_side_of_message(const operation_facts& facts) noexcept {
    return facts.between_stages && facts.kind != operation_kind::exchange;
}

class trace_run {
public:
    explicit trace_run(std::string_view marker) : marker_(marker) {}

    void add(const oplog::operation& op) {
        if (op.origin != oplog::origin::rank) return;
        timeline::rank_facts& rank = rank_of(op.rank);
        const auto stage = op.stage_id.as<std::int64_t>();
        if (stage && rank.stage < 0) rank.stage = *stage;
        const trace_time t = time_of(op.timestamp, op.duration);
        const auto extend = [&](const trace_time& part) {
            if (!part.timed) return;
            rank.begin = rank.timed ? (std::min)(rank.begin, part.begin) : part.begin;
            rank.end = rank.timed ? (std::max)(rank.end, part.end) : part.end;
            rank.timed = true;
        };
        extend(t);
        for (const auto& sub : op.sub_operations.only<oplog::fields::duration | oplog::fields::timestamp>())
            extend(time_of(sub.timestamp, sub.duration));
        if (t.timed && !rank.marked && op.op == marker_) {
            rank.marked = true;
            rank.marker = t.end;
        }
        const operation_facts facts = operations::facts_of(op.op);
        if (!is_side_of_message(facts)) return;
        timeline::message& m = messages_[op.rank].emplace_back();
        m.rank = op.rank;
        m.backward = facts.backward;
        m.received = facts.kind == operation_kind::receive;
        m.batch = op.batch_id.as<std::int64_t>().value_or(-1);
        // The first stage receives forward from stage -1: in a virtual pipeline, that is the last stage.
        const std::int64_t from = !m.received ? 0 : m.backward ? 1 : -1;
        const std::int64_t own = stage.value_or(rank.stage);
        constexpr std::int64_t stage_limit = std::int64_t{1} << 32;
        // A flow has to be attached to a slice, which an instant is not.
        m.stage = !t.instant && own >= 0 && own < stage_limit ? own + from : unknown_stage;
        m.begin = t.begin;
        m.end = t.end;
    }

    bool align(timeline::alignment alignment, const run_answers* answers) {
        const bool is_aligned = move_clocks(alignment, answers);
        // Viewers drop an arrow that ends before it begins.
        for (const flow& f : flows_)
            if (end_of_arrow(*f.received) + ranks[f.receiver].offset < f.sent->begin + ranks[f.sender].offset)
                f.sent->id = f.received->id = 0;
        return is_aligned;
    }
    bool move_clocks(timeline::alignment alignment, const run_answers* answers) {
        for (timeline::rank_facts& rank : ranks) rank.offset = 0;
        pair_messages(answers != nullptr && answers->interleaved ? answers->sizes->pipeline : 0);
        aligned = alignment;
        fit = timeline::collective_fit();
        const auto lead = std::find_if(ranks.begin(), ranks.end(), [&](const timeline::rank_facts& rank) {
            return alignment == timeline::alignment::operation ? rank.marked : rank.timed;
        });
        switch (alignment) {
        case timeline::alignment::flows: set_clocks(positions_of(ranks.size()), ranks.size()); return align_flows();
        case timeline::alignment::collectives:
            if (answers == nullptr || !take_clocks(*answers) || !join_by_collectives(*answers)) return false;
            static_cast<void>(align_flows());
            return true;
        case timeline::alignment::first:
            for (timeline::rank_facts& rank : ranks)
                if (rank.timed) rank.offset = lead->begin - rank.begin;
            return true;
        case timeline::alignment::automatic: align_clocks(answers); return true;
        case timeline::alignment::operation:
            if (lead == ranks.end()) return false;
            for (timeline::rank_facts& rank : ranks)
                if (rank.marked) rank.offset = lead->marker - rank.marker;
            return true;
        default: return true;
        }
    }

    const timeline::rank_facts* find(std::int64_t rank) const noexcept {
        const auto at = place_of_.find(rank);
        return at != place_of_.end() ? &ranks[at->second] : nullptr;
    }

    std::size_t early() const noexcept {
        std::size_t n = 0;
        for (const flow& f : flows_) n += ranks[f.receiver].offset < ranks[f.sender].offset + f.least;
        return n;
    }

    std::int64_t begin() const noexcept {
        number_range<std::int64_t> begins;
        for (const timeline::rank_facts& rank : ranks)
            if (rank.timed) begins.add(rank.begin + rank.offset);
        return begins.least <= begins.greatest ? begins.least : 0;
    }

    std::uint64_t id_of(std::int64_t rank, std::size_t n) const noexcept {
        const auto at = messages_.find(rank);
        return at != messages_.end() && n < at->second.size() ? at->second[n].id : 0;
    }

    // The results of align(). Ranks are sorted by stage and rank; before align(), by their first records.
    std::vector<timeline::rank_facts> ranks;
    std::size_t flows = 0;
    timeline::alignment aligned = timeline::alignment::none;
    timeline::collective_fit fit;
    // The number of clocks that were found, whether or not they were moved.
    std::size_t clocks = 0;
    std::int64_t apart = 0;

private:
    timeline::rank_facts& rank_of(std::int64_t rank) {
        // Usually the operations of a rank follow each other.
        if (!ranks.empty() && ranks.back().rank == rank) return ranks.back();
        const auto [at, is_new] = place_of_.try_emplace(rank, ranks.size());
        if (is_new) ranks.emplace_back().rank = rank;
        return ranks[at->second];
    }

    // `around`: the number of stages of a virtual pipeline, in which the last stage sends to the first; else 0.
    void pair_messages(std::int64_t around) {
        std::stable_sort(ranks.begin(), ranks.end(), [](const timeline::rank_facts& a, const timeline::rank_facts& b) {
            return a.stage != b.stage ? a.stage < b.stage : a.rank < b.rank;
        });

        // Each rank's position among those of its stage, and the sizes of stages.
        std::vector<std::size_t> place_in_stage(ranks.size());
        std::map<std::int64_t, std::size_t> sizes;
        for (std::size_t n = 0; n != ranks.size(); ++n) {
            place_of_[ranks[n].rank] = n;
            place_in_stage[n] = sizes[ranks[n].stage]++;
        }

        // The messages of a micro-batch that are sent, and those that are received. The key is direction, sender's
        // stage, place in the stage and micro-batch.
        using message_list = std::vector<timeline::message*>;
        std::map<std::array<std::int64_t, 4>, std::pair<message_list, message_list>> sides;
        for (auto& [rank, messages] : messages_) {
            const auto place = static_cast<std::int64_t>(place_in_stage[place_of_[rank]]);
            for (timeline::message& m : messages) {
                if (around != 0 && m.stage != unknown_stage) m.stage = (m.stage + around) % around;
                std::int64_t other_stage = m.backward ? m.stage - 1 : m.stage + 1;
                if (around != 0) other_stage = (other_stage + around) % around;
                const auto senders = sizes.find(m.stage);
                const auto receivers = sizes.find(other_stage);
                if (m.stage < 0 || other_stage < 0 || senders == sizes.end() || receivers == sizes.end()) continue;
                if (senders->second != receivers->second) continue;
                auto& [sent, received] = sides[{m.backward, m.stage, place, m.batch}];
                (m.received ? received : sent).push_back(&m);
            }
        }
        flows_.clear();
        flows = 0;
        for (auto& [name, both] : sides) {
            auto& [sent, received] = both;
            // If a record was lost, it is unclear which send belongs to which receive.
            if (sent.size() != received.size()) continue;
            for (std::size_t n = 0; n != sent.size(); ++n) {
                sent[n]->id = received[n]->id = ++flows;
                flows_.push_back({place_of_[sent[n]->rank], place_of_[received[n]->rank],
                                  sent[n]->begin - received[n]->end + trace_rounding, sent[n], received[n]});
            }
        }
    }

    // Adds the least offsets, not below 0, with which every receive ends after its send begins: where one does not, the
    // receiver's offset grows. This takes at most one round for each clock. Collectives may already have moved the
    // clocks. Returns false, and changes nothing, if there are no such offsets.
    bool align_flows() {
        std::vector<std::int64_t> offsets(clock_count_);
        // Twice the greatest time. Collectives have moved a clock by at most half of that.
        constexpr std::int64_t greatest = 2 * greatest_time;
        bool changed = true;
        for (std::size_t round = 0; changed && round <= clock_count_; ++round) {
            changed = false;
            for (const flow& f : flows_) {
                // Messages between ranks of one clock say nothing about it.
                if (clock_of_[f.sender] == clock_of_[f.receiver]) continue;
                const std::int64_t least =
                    offsets[clock_of_[f.sender]] + f.least + ranks[f.sender].offset - ranks[f.receiver].offset;
                std::int64_t& offset = offsets[clock_of_[f.receiver]];
                if (offset >= least) continue;
                offset = (std::min)(least, greatest);
                changed = true;
                if (least > greatest) round = clock_count_;
            }
        }
        if (changed) return false;
        for (std::size_t n = 0; n != ranks.size(); ++n) ranks[n].offset += offsets[clock_of_[n]];
        return true;
    }
    // Sets the clocks, none of which has been moved yet.
    void set_clocks(std::vector<std::size_t> clock_of, std::size_t count) {
        for (timeline::rank_facts& rank : ranks) rank.offset = 0;
        clock_of_ = std::move(clock_of);
        clock_count_ = count;
    }

    // Finds the clocks: ranks whose times overlap, directly or through others, share one.
    void find_clocks() {
        std::vector<std::size_t> order;
        for (std::size_t n = 0; n != ranks.size(); ++n)
            if (ranks[n].timed) order.push_back(n);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return ranks[a].begin < ranks[b].begin; });
        set_clocks(std::vector<std::size_t>(ranks.size()), 0);
        std::int64_t end = 0;
        for (const std::size_t n : order) {
            if (clock_count_ == 0 || ranks[n].begin >= end) ++clock_count_;
            clock_of_[n] = clock_count_ - 1;
            end = (std::max)(end, ranks[n].end);
        }
    }
    // For each clock, when its first rank begins, offset included.
    std::vector<std::int64_t> begins_of_clocks() const {
        std::vector<std::int64_t> begins(clock_count_, (std::numeric_limits<std::int64_t>::max)());
        for (std::size_t n = 0; n != ranks.size(); ++n)
            if (ranks[n].timed)
                begins[clock_of_[n]] = (std::min)(begins[clock_of_[n]], ranks[n].begin + ranks[n].offset);
        return begins;
    }
    void measure_clocks() {
        clocks = clock_count_;
        const std::vector<std::int64_t> begins = begins_of_clocks();
        const auto [first, last] = std::minmax_element(begins.begin(), begins.end());
        apart = clocks < 2 ? 0 : *last - *first;
    }

    void align_clocks(const run_answers* answers) {
        find_clocks();
        aligned = timeline::alignment::none;
        const bool overlap = clock_count_ < 2;
        // If ranks were traced one after another, their collectives did not really happen and say nothing about clocks.
        const bool together =
            answers != nullptr && answers->together && answers->extent_spread.is_known() && take_clocks(*answers);
        measure_clocks();
        std::size_t timed = 0;
        for (const timeline::rank_facts& rank : ranks) timed += rank.timed;
        const bool sequential = clocks == timed && !together;
        const bool by_collectives = together && clocks > 1 && join_by_collectives(*answers) && fit.differences != 0;
        if (!by_collectives) fit = timeline::collective_fit();
        // Clocks that differ may still be so close that times overlap. If nothing connects some ranks with the others,
        // moving clocks would lose how they stand to each other, so no clock is moved.
        if (overlap && !(by_collectives && are_joined())) {
            fit = timeline::collective_fit();
            find_clocks();
            return measure_clocks();
        }
        const bool by_flows = !sequential && clock_count_ > 1 && are_joined() && align_flows();
        aligned = by_collectives ? timeline::alignment::collectives
                  : by_flows     ? timeline::alignment::flows
                                 : timeline::alignment::first;
        if (by_flows || (by_collectives && clock_count_ < 2)) return;
        // Known differences between clocks are kept.
        const std::vector<std::int64_t> begins = begins_of_clocks();
        const std::int64_t first = *std::min_element(begins.begin(), begins.end());
        for (std::size_t n = 0; n != ranks.size(); ++n)
            if (ranks[n].timed) ranks[n].offset += first - begins[clock_of_[n]];
        fit.rest_begins_together = by_collectives;
    }

    // Whether messages connect all clocks.
    bool are_joined() const {
        joined_sets sets(clock_count_);
        for (const flow& f : flows_) sets.join(clock_of_[f.sender], clock_of_[f.receiver]);
        return sets.count() == 1;
    }

    // Takes the answers' clocks. Returns false, and changes nothing, if their ranks are not exactly those with times.
    bool take_clocks(const run_answers& answers) {
        std::vector<std::size_t> clock_of(ranks.size());
        std::vector<bool> is_known(ranks.size());
        for (const rank_answer& r : answers.ranks) {
            const auto at = place_of_.find(r.rank);
            if (at == place_of_.end()) return false;
            clock_of[at->second] = r.clock;
            is_known[at->second] = true;
        }
        for (std::size_t n = 0; n != ranks.size(); ++n)
            if (ranks[n].timed != is_known[n]) return false;
        set_clocks(std::move(clock_of), answers.clocks);
        return true;
    }

    // Moves the clocks whose differences the answers know, so that members of a group leave its blocking collectives
    // together; such clocks then count as one. Returns false, and changes nothing, if no ranks have such a call in
    // common or clocks are too far apart.
    bool join_by_collectives(const run_answers& answers) {
        std::vector<std::int64_t> deviations;
        bool any = false;
        for (const group_call& call : answers.calls) {
            if (call.members < 2) continue;
            const call_member* const members = &answers.members[call.first_member];
            const rank_answer& first = answers.ranks[members->rank];
            if (first.program[members->step].what != program_step::kind::collective) continue;
            for (std::uint32_t n = 1; n < call.members; ++n) {
                any = true;
                const rank_answer& other = answers.ranks[members[n].rank];
                if (other.clock == first.clock) continue;
                const double between = end_of(other, members[n].step) - end_of(first, members->step);
                deviations.push_back(nanoseconds(between < 0 ? -between : between));
            }
        }
        // How far ahead the clocks of each set of aligned clocks are.
        std::map<std::uint32_t, number_range<double>> ahead;
        for (const rank_answer& r : answers.ranks) {
            ahead[r.aligned].add(r.clock_ahead);
            if (nanoseconds(ahead[r.aligned].width()) > greatest_time) return false;
        }
        if (!any) return false;
        for (const rank_answer& r : answers.ranks) {
            const std::size_t n = place_of_[r.rank];
            clock_of_[n] = r.aligned;
            ranks[n].offset = nanoseconds(ahead[r.aligned].greatest - r.clock_ahead);
            fit.apart = (std::max)(fit.apart, ranks[n].offset);
        }
        clock_count_ = fit.sets = ahead.size();
        fit.differences = deviations.size();
        if (!deviations.empty()) fit.deviation = low_median(std::move(deviations));
        return true;
    }
    // When a rank left a call, by the clock with which its own is aligned.
    static double end_of(const rank_answer& r, std::uint32_t step) noexcept {
        return r.program[step].start + r.program[step].duration + (r.begin - r.clock_ahead);
    }

    std::string marker_;
    // The position of each rank in `ranks`.
    std::map<std::int64_t, std::size_t> place_of_;
    // The messages of each rank.
    std::map<std::int64_t, std::vector<timeline::message>> messages_;
    struct flow {
        // Positions in `ranks`.
        std::size_t sender, receiver;
        std::int64_t least;  // the least by which the receiver's offset must exceed the sender's
        timeline::message* sent;
        timeline::message* received;
    };
    std::vector<flow> flows_;
    std::vector<std::size_t> clock_of_;  // the number of each rank's clock, while they are aligned
    std::size_t clock_count_ = 0;
};

}  // namespace wlfmt::analysis

#endif
