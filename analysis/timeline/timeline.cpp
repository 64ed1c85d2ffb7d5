#include "timeline.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "write.hpp"

namespace wlfmt::analysis::timeline {

// When a rank left a call, by the clock with which its own is aligned.
static double end_of(const rank_answer& r, std::uint32_t step) noexcept {
    return r.program[step].start + r.program[step].duration + (r.begin - r.clock_ahead);
}

void run::add(const oplog::operation& op) {
    if (op.origin != oplog::origin::rank) return;
    rank_facts& rank = rank_of(op.rank);
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
    message& m = messages_[op.rank].emplace_back();
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

bool run::align(alignment by, const run_answers* answers) {
    const bool is_aligned = move_clocks(by, answers);
    // Viewers drop an arrow that ends before it begins.
    for (const flow& f : flows_)
        if (end_of_arrow(*f.received) + ranks_[f.receiver].offset < f.sent->begin + ranks_[f.sender].offset)
            f.sent->id = f.received->id = 0;
    return is_aligned;
}

bool run::move_clocks(alignment by, const run_answers* answers) {
    for (rank_facts& rank : ranks_) rank.offset = 0;
    pair_messages(answers != nullptr && answers->interleaved ? answers->sizes->pipeline : 0);
    aligned_ = by;
    fit_ = collective_fit();
    const auto lead = std::find_if(ranks_.begin(), ranks_.end(), [&](const rank_facts& rank) {
        return by == alignment::operation ? rank.marked : rank.timed;
    });
    switch (by) {
    case alignment::flows: set_clocks(positions_of(ranks_.size()), ranks_.size()); return align_flows();
    case alignment::collectives:
        if (answers == nullptr || !take_clocks(*answers) || !join_by_collectives(*answers)) return false;
        static_cast<void>(align_flows());
        return true;
    case alignment::first:
        for (rank_facts& rank : ranks_)
            if (rank.timed) rank.offset = lead->begin - rank.begin;
        return true;
    case alignment::automatic: align_clocks(answers); return true;
    case alignment::operation:
        if (lead == ranks_.end()) return false;
        for (rank_facts& rank : ranks_)
            if (rank.marked) rank.offset = lead->marker - rank.marker;
        return true;
    default: return true;
    }
}

const rank_facts* run::find(std::int64_t rank) const noexcept {
    const auto at = place_of_.find(rank);
    return at != place_of_.end() ? &ranks_[at->second] : nullptr;
}

std::size_t run::early() const noexcept {
    std::size_t n = 0;
    for (const flow& f : flows_) n += ranks_[f.receiver].offset < ranks_[f.sender].offset + f.least;
    return n;
}

std::int64_t run::begin() const noexcept {
    number_range<std::int64_t> begins;
    for (const rank_facts& rank : ranks_)
        if (rank.timed) begins.add(rank.begin + rank.offset);
    return begins.least <= begins.greatest ? begins.least : 0;
}
std::int64_t run::end() const noexcept {
    std::int64_t end = begin();
    for (const rank_facts& rank : ranks_)
        if (rank.timed) end = (std::max)(end, rank.end + rank.offset);
    return end;
}

std::uint64_t run::id_of(std::int64_t rank, std::size_t n) const noexcept {
    const auto at = messages_.find(rank);
    return at != messages_.end() && n < at->second.size() ? at->second[n].id : 0;
}

rank_facts& run::rank_of(std::int64_t rank) {
    // Usually the operations of a rank follow each other.
    if (!ranks_.empty() && ranks_.back().rank == rank) return ranks_.back();
    const auto [at, is_new] = place_of_.try_emplace(rank, ranks_.size());
    if (is_new) ranks_.emplace_back().rank = rank;
    return ranks_[at->second];
}

// `around`: the number of stages of a virtual pipeline, in which the last stage sends to the first; else 0.
void run::pair_messages(std::int64_t around) {
    std::stable_sort(ranks_.begin(), ranks_.end(), [](const rank_facts& a, const rank_facts& b) {
        return a.stage != b.stage ? a.stage < b.stage : a.rank < b.rank;
    });

    // Each rank's position among those of its stage, and the sizes of stages.
    std::vector<std::size_t> place_in_stage(ranks_.size());
    std::map<std::int64_t, std::size_t> sizes;
    for (std::size_t n = 0; n != ranks_.size(); ++n) {
        place_of_[ranks_[n].rank] = n;
        place_in_stage[n] = sizes[ranks_[n].stage]++;
    }

    // The messages of a micro-batch that are sent, and those that are received. The key is direction, sender's
    // stage, place in the stage and micro-batch.
    using message_list = std::vector<message*>;
    std::map<std::array<std::int64_t, 4>, std::pair<message_list, message_list>> sides;
    for (auto& [rank, messages] : messages_) {
        const auto place = static_cast<std::int64_t>(place_in_stage[place_of_[rank]]);
        for (message& m : messages) {
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
    for (auto& [name, both] : sides) {
        auto& [sent, received] = both;
        // If a record was lost, it is unclear which send belongs to which receive.
        if (sent.size() != received.size()) continue;
        for (std::size_t n = 0; n != sent.size(); ++n) {
            flows_.push_back({place_of_[sent[n]->rank], place_of_[received[n]->rank],
                              sent[n]->begin - received[n]->end + trace_rounding, sent[n], received[n]});
            sent[n]->id = received[n]->id = flows_.size();
        }
    }
}

// Adds the least offsets, not below 0, with which every receive ends after its send begins: where one does not, the
// receiver's offset grows. This takes at most one round for each clock. Collectives may already have moved the
// clocks. Returns false, and changes nothing, if there are no such offsets.
bool run::align_flows() {
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
                offsets[clock_of_[f.sender]] + f.least + ranks_[f.sender].offset - ranks_[f.receiver].offset;
            std::int64_t& offset = offsets[clock_of_[f.receiver]];
            if (offset >= least) continue;
            offset = (std::min)(least, greatest);
            changed = true;
            if (least > greatest) round = clock_count_;
        }
    }
    if (changed) return false;
    for (std::size_t n = 0; n != ranks_.size(); ++n) ranks_[n].offset += offsets[clock_of_[n]];
    return true;
}

// Sets the clocks, none of which has been moved yet.
void run::set_clocks(std::vector<std::size_t> clock_of, std::size_t count) {
    for (rank_facts& rank : ranks_) rank.offset = 0;
    clock_of_ = std::move(clock_of);
    clock_count_ = count;
}

// Finds the clocks: ranks whose times overlap, directly or through others, share one.
void run::find_clocks() {
    std::vector<std::size_t> order;
    for (std::size_t n = 0; n != ranks_.size(); ++n)
        if (ranks_[n].timed) order.push_back(n);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return ranks_[a].begin < ranks_[b].begin; });
    set_clocks(std::vector<std::size_t>(ranks_.size()), 0);
    std::int64_t end = 0;
    for (const std::size_t n : order) {
        if (clock_count_ == 0 || ranks_[n].begin >= end) ++clock_count_;
        clock_of_[n] = clock_count_ - 1;
        end = (std::max)(end, ranks_[n].end);
    }
}

// For each clock, when its first rank begins, offset included.
std::vector<std::int64_t> run::begins_of_clocks() const {
    std::vector<std::int64_t> begins(clock_count_, (std::numeric_limits<std::int64_t>::max)());
    for (std::size_t n = 0; n != ranks_.size(); ++n)
        if (ranks_[n].timed)
            begins[clock_of_[n]] = (std::min)(begins[clock_of_[n]], ranks_[n].begin + ranks_[n].offset);
    return begins;
}

void run::measure_clocks() {
    clocks_ = clock_count_;
    const std::vector<std::int64_t> begins = begins_of_clocks();
    const auto [first, last] = std::minmax_element(begins.begin(), begins.end());
    apart_ = clocks_ < 2 ? 0 : *last - *first;
}

void run::align_clocks(const run_answers* answers) {
    find_clocks();
    aligned_ = alignment::none;
    const bool overlap = clock_count_ < 2;
    // If ranks were traced one after another, their collectives did not really happen and say nothing about clocks.
    const bool together = answers != nullptr && answers->together && answers->extent_spread.is_known() &&
                          answers->contradicting_logs.empty() && take_clocks(*answers);
    measure_clocks();
    std::size_t timed = 0;
    for (const rank_facts& rank : ranks_) timed += rank.timed;
    const bool sequential = clocks_ == timed && !together;
    const bool by_collectives = together && clocks_ > 1 && join_by_collectives(*answers);
    if (!by_collectives) fit_ = collective_fit();
    // Clocks that differ may still be so close that times overlap. If nothing connects some ranks with the others,
    // moving clocks would lose how they stand to each other, so no clock is moved.
    if (overlap && !(by_collectives && are_joined())) {
        fit_ = collective_fit();
        find_clocks();
        return measure_clocks();
    }
    const bool by_flows = !sequential && clock_count_ > 1 && are_joined() && align_flows();
    aligned_ = by_collectives ? alignment::collectives : by_flows ? alignment::flows : alignment::first;
    if (by_flows || (by_collectives && clock_count_ < 2)) return;
    // Known differences between clocks are kept.
    const std::vector<std::int64_t> begins = begins_of_clocks();
    const std::int64_t first = *std::min_element(begins.begin(), begins.end());
    for (std::size_t n = 0; n != ranks_.size(); ++n)
        if (ranks_[n].timed) ranks_[n].offset += first - begins[clock_of_[n]];
    fit_.rest_begins_together = by_collectives;
}

// Whether messages connect all clocks.
bool run::are_joined() const {
    joined_sets sets(clock_count_);
    for (const flow& f : flows_) sets.join(clock_of_[f.sender], clock_of_[f.receiver]);
    return sets.count() == 1;
}

// Takes the answers' clocks. Returns false, and changes nothing, if their ranks are not exactly those with times.
bool run::take_clocks(const run_answers& answers) {
    std::vector<std::size_t> clock_of(ranks_.size());
    std::vector<bool> is_known(ranks_.size());
    for (const rank_answer& r : answers.ranks) {
        const auto at = place_of_.find(r.rank);
        if (at == place_of_.end()) return false;
        clock_of[at->second] = r.clock;
        is_known[at->second] = true;
    }
    for (std::size_t n = 0; n != ranks_.size(); ++n)
        if (ranks_[n].timed != is_known[n]) return false;
    set_clocks(std::move(clock_of), answers.clocks);
    return true;
}

// Moves the clocks whose differences the answers know, so that members of a group leave its blocking collectives
// together; such clocks then count as one. Returns false, and changes nothing, if no ranks of two clocks have such a
// call in common or clocks are too far apart.
bool run::join_by_collectives(const run_answers& answers) {
    std::vector<std::int64_t> deviations;
    for (const group_call& call : answers.calls) {
        if (call.members < 2) continue;
        const call_member* const members = &answers.members[call.first_member];
        const rank_answer& first = answers.ranks[members->rank];
        if (first.program[members->step].what != program_step::kind::collective) continue;
        for (std::uint32_t n = 1; n < call.members; ++n) {
            const rank_answer& other = answers.ranks[members[n].rank];
            if (other.clock == first.clock) continue;
            const double between = end_of(other, members[n].step) - end_of(first, members->step);
            deviations.push_back(nanoseconds(between < 0 ? -between : between));
        }
    }
    // A clock moves as a whole, by what the rank says whose calls show the least.
    std::map<std::uint32_t, double> of_clock;
    for (const rank_answer& r : answers.ranks) {
        double& least = of_clock.try_emplace(r.clock, r.clock_ahead).first->second;
        least = (std::min)(least, r.clock_ahead);
    }
    // How far ahead the clocks of each set of aligned clocks are.
    std::map<std::uint32_t, number_range<double>> ahead;
    for (const rank_answer& r : answers.ranks) {
        ahead[r.aligned].add(of_clock[r.clock]);
        if (nanoseconds(ahead[r.aligned].width()) > greatest_time) return false;
    }
    if (deviations.empty()) return false;
    for (const rank_answer& r : answers.ranks) {
        const std::size_t n = place_of_[r.rank];
        clock_of_[n] = r.aligned;
        ranks_[n].offset = nanoseconds(ahead[r.aligned].greatest - of_clock[r.clock]);
        fit_.apart = (std::max)(fit_.apart, ranks_[n].offset);
    }
    clock_count_ = fit_.sets = ahead.size();
    fit_.differences = deviations.size();
    fit_.deviation = low_median(std::move(deviations));
    return true;
}

writer::writer(output& to, const run& run, const run_answers* answers)
    : events_(std::make_unique<trace_events>(to, run, answers)) {}
writer::~writer() = default;
void writer::add(const oplog::operation& op) { events_->add(op); }
void writer::flush() { events_->flush(); }
void writer::finish() { events_->finish(); }

void write(output& to, const workload::document& doc) { workload_timeline(to, doc).write(); }

}  // namespace wlfmt::analysis::timeline
