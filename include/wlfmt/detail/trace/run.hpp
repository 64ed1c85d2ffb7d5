// What the first pass over a run learns.
#ifndef WLFMT_DETAIL_TRACE_RUN_HPP
#define WLFMT_DETAIL_TRACE_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../../types/answers.hpp"
#include "../../types/trace.hpp"
#include "../base/order.hpp"
#include "../base/ordered_map.hpp"
#include "../base/sets.hpp"
#include "collectives.hpp"
#include "time.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Whether an operation is a side of a message, and of which message.
struct trace_message {
    bool is_message = false;
    bool backward = false;
    bool received = false;
};
inline trace_message message_of(std::string_view op) noexcept {
    const auto is = [&](std::string_view name) { return op == name; };
    trace_message m;
    m.backward = is("send_backward") || is("recv_backward");
    m.received = is("recv_forward") || is("recv_backward");
    m.is_message = m.backward || m.received || is("send_forward");
    return m;
}

inline namespace WLFMT_IMPL {

// What the first pass over a run learns.
class trace_run {
public:
    trace_run(std::string_view marker, const std::optional<oplog::run_sizes>& sizes) : marker_(marker), ends_(sizes) {}

    void add(const oplog::operation& op) {
        if (op.origin != oplog::origin::rank) return;
        trace::rank_facts& rank = rank_of(op.rank);
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
        for (const auto& sub : op.sub_operations.only<oplog::field::duration | oplog::field::timestamp>())
            extend(time_of(sub.timestamp, sub.duration));
        if (t.timed && !rank.marked && op.op == marker_) {
            rank.marked = true;
            rank.marker = t.end;
        }
        const trace_message kind = message_of(op.op);
        if (!kind.is_message) return ends_.add(op);
        trace::message m;
        m.rank = op.rank;
        m.backward = kind.backward;
        m.received = kind.received;
        m.batch = op.batch_id.as<std::int64_t>().value_or(-1);
        // A trace::message is named after its sender's stage.
        const std::int64_t from = !kind.received ? 0 : kind.backward ? 1 : -1;
        const std::int64_t own = stage.value_or(rank.stage);
        constexpr std::int64_t most_stages = std::int64_t{1} << 32;
        m.stage = own >= 0 && own < most_stages ? own + from : -1;
        m.begin = t.begin;
        m.end = t.end;
        // A flow has to be inside a slice, which an instant is not.
        if (t.instant) m.stage = -1;
        messages_.push_back(m);
    }

    bool align(trace::alignment how) {
        for (trace::rank_facts& rank : ranks_) rank.offset = 0;
        pair();
        aligned_ = how;
        fit_ = trace::collective_fit();
        const trace::rank_facts* lead = nullptr;
        for (const trace::rank_facts& rank : ranks_)
            if (lead == nullptr && rank.timed && (how != trace::alignment::operation || rank.marked)) lead = &rank;
        switch (how) {
        case trace::alignment::flows: each_has_its_clock(); return align_flows();
        case trace::alignment::collectives:
            each_has_its_clock();
            if (!join_by_collectives()) return false;
            if (!align_flows()) move_clocks();
            return true;
        case trace::alignment::first:
            for (trace::rank_facts& rank : ranks_)
                if (rank.timed) rank.offset = lead->begin - rank.begin;
            return true;
        case trace::alignment::automatic: align_clocks(); return true;
        case trace::alignment::operation:
            if (lead == nullptr) return false;
            for (trace::rank_facts& rank : ranks_)
                if (rank.marked) rank.offset = lead->marker - rank.marker;
            return true;
        default: return true;
        }
    }

    const trace::rank_facts* find(std::int64_t rank) const noexcept {
        const auto at = place_of_.find(rank);
        return at != place_of_.end() ? &ranks_[at->second] : nullptr;
    }

    std::size_t early() const noexcept {
        std::size_t n = 0;
        for (const joined& j : joined_)
            if (ranks_[j.receiver].offset < ranks_[j.sender].offset + j.least) ++n;
        return n;
    }

    std::int64_t begin() const noexcept {
        bool any = false;
        std::int64_t first = 0;
        for (const trace::rank_facts& rank : ranks_) {
            if (!rank.timed) continue;
            first = any ? (std::min)(first, rank.begin + rank.offset) : rank.begin + rank.offset;
            any = true;
        }
        return first;
    }

    std::uint64_t id_of(std::int64_t rank, std::size_t n) const noexcept {
        auto at = std::lower_bound(messages_.begin(), messages_.end(), rank,
                                   [](const trace::message& m, std::int64_t r) { return m.rank < r; });
        if (static_cast<std::size_t>(messages_.end() - at) <= n) return 0;
        at += static_cast<std::ptrdiff_t>(n);
        return at->rank == rank ? at->id : 0;
    }

    const std::vector<trace::rank_facts>& ranks() const noexcept { return ranks_; }
    std::size_t flows() const noexcept { return flows_; }
    trace::alignment aligned() const noexcept { return aligned_; }
    std::size_t clocks() const noexcept { return clocks_; }
    std::int64_t apart() const noexcept { return apart_; }
    const trace::collective_fit& fit() const noexcept { return fit_; }

private:
    trace::rank_facts& rank_of(std::int64_t rank) {
        // Usually the operations of a rank follow each other.
        if (!ranks_.empty() && ranks_.back().rank == rank) return ranks_.back();
        const auto [at, is_new] = place_of_.try_emplace(rank, ranks_.size());
        if (is_new) {
            ranks_.emplace_back();
            ranks_.back().rank = rank;
        }
        return ranks_[at->second];
    }

    void pair() {
        sort_list(ranks_, [](const trace::rank_facts& a, const trace::rank_facts& b) {
            return std::tie(a.stage, a.rank) < std::tie(b.stage, b.rank);
        });
        sort_list(messages_, [](const trace::message& a, const trace::message& b) { return a.rank < b.rank; });

        // The position of each rank among those of its stage, and how many these are.
        std::vector<std::size_t> place_in_stage(ranks_.size());
        ordered_map<std::int64_t, std::size_t> sizes;
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            place_of_[ranks_[n].rank] = n;
            place_in_stage[n] = sizes[ranks_[n].stage]++;
        }

        // By direction, stage of the sender, place in the stage, micro-batch and turn: the side of the sender and that
        // of the receiver.
        using key = std::tuple<bool, std::int64_t, std::size_t, std::int64_t, std::uint32_t>;
        ordered_map<key, std::pair<trace::message*, trace::message*>> sides;
        ordered_map<std::tuple<std::int64_t, bool, bool, std::int64_t>, std::uint32_t> turns;
        for (trace::message& m : messages_) {
            const std::int64_t to = m.backward ? m.stage - 1 : m.stage + 1;
            const auto senders = sizes.find(m.stage);
            const auto receivers = sizes.find(to);
            if (m.stage < 0 || to < 0 || senders == sizes.end() || receivers == sizes.end()) continue;
            if (senders->second != receivers->second) continue;
            m.turn = turns[{m.rank, m.backward, m.received, m.batch}]++;
            auto& both = sides[{m.backward, m.stage, place_in_stage[place_of_[m.rank]], m.batch, m.turn}];
            (m.received ? both.second : both.first) = &m;
        }
        joined_.clear();
        flows_ = 0;
        for (auto& [name, both] : sides) {
            if (both.first == nullptr || both.second == nullptr) continue;
            both.first->id = both.second->id = ++flows_;
            joined_.push_back({place_of_[both.first->rank], place_of_[both.second->rank],
                               both.first->begin - both.second->end + trace_rounding});
        }
    }

    // The least offsets, not below 0, under which every receiver ends after its sender begins: differences of offsets
    // have lower bounds. As long as a bound does not hold, the offset of the receiver grows; if all bounds can hold,
    // they do after at most one round for each clock.
    bool align_flows() {
        std::vector<std::int64_t> offsets(clock_count_);
        // Twice the most that a time can be. What collectives have moved a clock by is at most half of it.
        constexpr std::int64_t most = 2 * most_time;
        bool changed = true;
        for (std::size_t round = 0; changed && round <= clock_count_; ++round) {
            changed = false;
            for (const joined& j : joined_) {
                // Messages between ranks of one clock say nothing about that clock.
                if (clock_of_[j.sender] == clock_of_[j.receiver]) continue;
                const std::int64_t least =
                    offsets[clock_of_[j.sender]] + j.least + moved_[j.sender] - moved_[j.receiver];
                std::int64_t& offset = offsets[clock_of_[j.receiver]];
                if (offset >= least) continue;
                offset = (std::min)(least, most);
                changed = true;
                if (least > most) round = clock_count_;
            }
        }
        if (changed) return false;
        for (std::size_t n = 0; n != ranks_.size(); ++n) ranks_[n].offset = moved_[n] + offsets[clock_of_[n]];
        return true;
    }
    // Aligned by collectives alone.
    void move_clocks() {
        for (std::size_t n = 0; n != ranks_.size(); ++n) ranks_[n].offset = moved_[n];
    }

    void each_has_its_clock() {
        moved_.assign(ranks_.size(), 0);
        clock_of_.clear();
        for (std::size_t n = 0; n != ranks_.size(); ++n) clock_of_.push_back(n);
        clock_count_ = ranks_.size();
    }

    // Ranks whose times overlap, directly or through others, have one clock.
    void find_clocks() {
        std::vector<std::size_t> order;
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            if (ranks_[n].timed) order.push_back(n);
        sort_list(order, [&](std::size_t a, std::size_t b) { return ranks_[a].begin < ranks_[b].begin; });
        moved_.assign(ranks_.size(), 0);
        clock_of_.assign(ranks_.size(), 0);
        clock_count_ = 0;
        std::int64_t end = 0;
        for (const std::size_t n : order) {
            if (clock_count_ == 0 || ranks_[n].begin >= end) {
                ++clock_count_;
                end = ranks_[n].end;
            }
            clock_of_[n] = clock_count_ - 1;
            end = (std::max)(end, ranks_[n].end);
        }
    }
    // The first beginning by each clock, which includes the offset that the clock has been given.
    std::vector<std::int64_t> begins_of_clocks() const {
        std::vector<std::int64_t> begins(clock_count_, (std::numeric_limits<std::int64_t>::max)());
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            if (ranks_[n].timed) begins[clock_of_[n]] = (std::min)(begins[clock_of_[n]], ranks_[n].begin + moved_[n]);
        return begins;
    }
    void measure_clocks() {
        clocks_ = clock_count_;
        const std::vector<std::int64_t> begins = begins_of_clocks();
        const auto [first, last] = std::minmax_element(begins.begin(), begins.end());
        apart_ = clocks_ < 2 ? 0 : *last - *first;
    }

    void align_clocks() {
        find_clocks();
        aligned_ = trace::alignment::none;
        measure_clocks();
        std::size_t timed = 0;
        for (const trace::rank_facts& rank : ranks_) timed += rank.timed ? 1U : 0U;
        const bool together = ends_.were_together();
        if (clocks_ < 2 && !(together && split_clocks())) return;
        const bool sequential = clocks_ == timed && !together;
        const bool by_collectives = together && join_by_collectives();
        const bool by_flows = !sequential && clock_count_ > 1 && are_joined() && align_flows();
        if (by_collectives && (clock_count_ < 2 || by_flows)) {
            aligned_ = trace::alignment::collectives;
            if (!by_flows) move_clocks();
            return;
        }
        if (by_flows) {
            aligned_ = trace::alignment::flows;
            return;
        }
        // What is known about differences between clocks is kept.
        aligned_ = by_collectives ? trace::alignment::collectives : trace::alignment::first;
        const std::vector<std::int64_t> begins = begins_of_clocks();
        const std::int64_t first = *std::min_element(begins.begin(), begins.end());
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            if (ranks_[n].timed) ranks_[n].offset = moved_[n] + first - begins[clock_of_[n]];
        fit_.rest_begins_together = by_collectives;
    }

    // Whether messages lead from each clock to each other one.
    bool are_joined() const {
        joined_sets sets(clock_count_);
        for (const joined& j : joined_) sets.join(clock_of_[j.sender], clock_of_[j.receiver]);
        return sets.count() == 1;
    }

    // Clocks that are not the same may be so near to each other that times overlap: members of a group then leave its
    // collectives at different times. Ranks that leave together have one clock. Returns false, with nothing changed,
    // if all do, if groups contradict each other, or if what is known does not say how far apart the clocks are.
    bool split_clocks() {
        constexpr std::int64_t apart = 1000000;
        joined_sets known(ranks_.size());
        std::vector<std::pair<std::size_t, std::size_t>> differ;
        // By group: how far the clock of a member is ahead of the first one's, and its place in ranks_.
        std::vector<std::tuple<std::size_t, std::int64_t, std::size_t>> ahead;
        ends_.for_each_pair([&](std::size_t group, std::int64_t a, std::int64_t b, std::vector<std::int64_t> all) {
            const std::int64_t between = low_median(all);
            known.join(place_of_[a], place_of_[b]);
            if (ahead.empty() || std::get<0>(ahead.back()) != group) ahead.emplace_back(group, 0, place_of_[a]);
            ahead.emplace_back(group, between, place_of_[b]);
            // How far single calls are from it: clocks that differ do so by the same amount in all calls.
            for (std::int64_t& d : all) d = d < between ? between - d : d - between;
            const bool alike = between < apart && between > -apart;
            if (!alike && low_median(std::move(all)) < apart / 10) differ.emplace_back(place_of_[a], place_of_[b]);
        });
        sort_list(ahead, [](const auto& a, const auto& b) { return a < b; });
        joined_sets sets(ranks_.size());
        for (std::size_t n = 1; n < ahead.size(); ++n) {
            const auto& [group, by, place] = ahead[n];
            const auto& [group_before, by_before, place_before] = ahead[n - 1];
            if (group == group_before && by - by_before < apart) sets.join(place, place_before);
        }
        if (differ.empty()) return false;
        for (const joined& j : joined_) known.join(j.sender, j.receiver);
        // Ranks without any time have no clock that could differ.
        std::size_t lead = 0;
        while (!ranks_[lead].timed) ++lead;
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            if (ranks_[n].timed) continue;
            known.join(n, lead);
            sets.join(n, lead);
        }
        if (known.count() != 1) return false;
        std::vector<std::size_t> clock_of;
        const std::size_t count = sets.number(clock_of);
        for (const auto& [a, b] : differ)
            if (clock_of[a] == clock_of[b]) return false;
        clock_of_ = std::move(clock_of);
        clock_count_ = count;
        measure_clocks();
        return true;
    }

    // Moves clocks whose ranks are members of one group so that these leave its collectives together, by the lower
    // median of all differences between two clocks; such clocks are one from then on. Returns false, with nothing
    // changed, if there are no two.
    bool join_by_collectives() {
        struct link {
            std::size_t from, to;
            std::int64_t ahead;  // of the clock `to`
        };
        ordered_map<std::pair<std::size_t, std::size_t>, std::vector<std::int64_t>> between;
        ends_.for_each_pair([&](std::size_t, std::int64_t a, std::int64_t b, const auto& differences) {
            const std::size_t x = clock_of_[place_of_[a]];
            const std::size_t y = clock_of_[place_of_[b]];
            if (x == y) return;
            std::vector<std::int64_t>& to = between[{(std::min)(x, y), (std::max)(x, y)}];
            for (const std::int64_t d : differences) to.push_back(x < y ? d : -d);
        });
        if (between.empty()) return false;
        std::vector<std::vector<link>> links(clock_count_);
        std::vector<std::int64_t> deviations;
        for (auto& [clocks, differences] : between) {
            const std::int64_t ahead = low_median(differences);
            links[clocks.first].push_back({clocks.first, clocks.second, ahead});
            links[clocks.second].push_back({clocks.second, clocks.first, -ahead});
            for (const std::int64_t d : differences) deviations.push_back(d < ahead ? ahead - d : d - ahead);
        }
        // From one clock to all that it is linked with; then from the next one that no other has led to.
        constexpr std::size_t none = (std::numeric_limits<std::size_t>::max)();
        std::vector<std::size_t> set_of(clock_count_, none);
        std::vector<std::int64_t> offsets(clock_count_);
        std::size_t sets = 0;
        for (std::size_t n = 0; n != clock_count_; ++n) {
            if (set_of[n] != none) continue;
            std::vector<std::size_t> members{n};
            set_of[n] = sets;
            std::int64_t least = 0;
            for (std::size_t at = 0; at != members.size(); ++at)
                for (const link& l : links[members[at]]) {
                    if (set_of[l.to] != none) continue;
                    set_of[l.to] = sets;
                    offsets[l.to] = offsets[l.from] - l.ahead;
                    if (offsets[l.to] > most_time || offsets[l.to] < -most_time) return false;
                    least = (std::min)(least, offsets[l.to]);
                    members.push_back(l.to);
                }
            for (const std::size_t m : members) {
                offsets[m] -= least;
                if (offsets[m] > most_time) return false;
                fit_.apart = (std::max)(fit_.apart, offsets[m]);
            }
            ++sets;
        }
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            moved_[n] = offsets[clock_of_[n]];
            clock_of_[n] = set_of[clock_of_[n]];
        }
        clock_count_ = sets;
        fit_.differences = deviations.size();
        fit_.deviation = low_median(std::move(deviations));
        fit_.sets = sets;
        return true;
    }

    std::string marker_;
    std::vector<trace::rank_facts> ranks_;             // as they came until align(), then by stage
    ordered_map<std::int64_t, std::size_t> place_of_;  // of each rank in ranks_
    std::vector<trace::message> messages_;             // in the order in which they were added, then by rank
    struct joined {
        std::size_t sender, receiver;  // ranks_
        std::int64_t least;            // the receiver's clock has to be ahead by at least this much
    };
    std::vector<joined> joined_;
    std::size_t flows_ = 0;
    trace::alignment aligned_ = trace::alignment::none;
    group_ends ends_;
    trace::collective_fit fit_;
    std::size_t clocks_ = 0;  // how many were found, whatever was done with them
    std::int64_t apart_ = 0;
    // While they are aligned: of each rank the number of its clock, and what collectives have moved it by.
    std::vector<std::size_t> clock_of_;
    std::vector<std::int64_t> moved_;
    std::size_t clock_count_ = 0;
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
