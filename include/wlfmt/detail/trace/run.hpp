// What the first pass over a run learns.
#ifndef WLFMT_DETAIL_TRACE_RUN_HPP
#define WLFMT_DETAIL_TRACE_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../../types/trace.hpp"
#include "../base/order.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

inline std::int64_t nanoseconds(double ms) noexcept {
    const double ns = ms * 1e6;
    return static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5);
}
// A double of about 4.5e9 ms is exact to a nanosecond or two. Tracers write two or three decimals, so that rounding to
// tens of nanoseconds gives what they meant.
inline std::int64_t clock_time(double ms) noexcept {
    if (ms < 1e9 && ms > -1e9) return nanoseconds(ms);
    const double tens = ms * 1e5;
    return static_cast<std::int64_t>(tens < 0 ? tens - 0.5 : tens + 0.5) * 10;
}

// Tracers round times to hundredths of a millisecond: what did not overlap seems to by at most this many nanoseconds.
inline constexpr std::int64_t trace_rounding = 20000;

// When something was: from `begin` to `end`, or an instant at `end` where it has no duration.
struct trace_time {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool timed = false;
    bool instant = true;
};
inline trace_time time_of(const number& timestamp, const number& duration) noexcept {
    // Sums of four such times fit into 64 bits of nanoseconds. It is 71 years: enough for the time of day until 2041.
    constexpr double most = 2.25e12;
    trace_time t;
    const double end = timestamp.value_or(0);
    if (!(end > 0 && end < most)) return t;
    t.timed = true;
    t.begin = t.end = clock_time(end);
    const double ms = duration.value_or(-1);
    if (!(ms >= 0 && ms < most)) return t;
    t.instant = false;
    t.begin = t.end - nanoseconds(ms);
    return t;
}

// Is an operation one side of a message, and of which one?
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
    explicit trace_run(std::string_view marker) : marker_(marker) {}

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
        if (!kind.is_message) return;
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
        const trace::rank_facts* lead = nullptr;
        for (const trace::rank_facts& rank : ranks_)
            if (lead == nullptr && rank.timed && (how != trace::alignment::operation || rank.marked)) lead = &rank;
        switch (how) {
        case trace::alignment::flows: each_has_its_clock(); return align_flows();
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
    std::size_t clocks() const noexcept { return clock_begins_.size(); }
    std::int64_t apart() const noexcept { return clocks() < 2 ? 0 : clock_begins_.back() - clock_begins_.front(); }

private:
    trace::rank_facts& rank_of(std::int64_t rank) {
        // Most of the time, the operations of a rank follow each other.
        if (!ranks_.empty() && ranks_.back().rank == rank) return ranks_.back();
        const auto [at, is_new] = place_of_.emplace(rank, ranks_.size());
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
        std::map<std::int64_t, std::size_t> sizes;
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            place_of_[ranks_[n].rank] = n;
            place_in_stage[n] = sizes[ranks_[n].stage]++;
        }

        // By direction, stage of the sender, place in the stage, micro-batch and turn: the side of the sender and that
        // of the receiver.
        using key = std::tuple<bool, std::int64_t, std::size_t, std::int64_t, std::uint32_t>;
        std::map<key, std::pair<trace::message*, trace::message*>> sides;
        std::map<std::tuple<std::int64_t, bool, bool, std::int64_t>, std::uint32_t> turns;
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
    // they do after at most one round for each rank.
    bool align_flows() {
        clock_offsets_.assign(ranks_.size(), 0);
        // Twice the most that a time can be.
        constexpr std::int64_t most = 4500000000000000000;
        bool changed = true;
        for (std::size_t round = 0; changed && round <= ranks_.size(); ++round) {
            changed = false;
            for (const joined& j : joined_) {
                // Messages between ranks of one clock say nothing about it.
                if (clock_of_[j.sender] == clock_of_[j.receiver]) continue;
                const std::int64_t least = clock_offsets_[clock_of_[j.sender]] + j.least;
                std::int64_t& offset = clock_offsets_[clock_of_[j.receiver]];
                if (offset >= least) continue;
                offset = (std::min)(least, most);
                changed = true;
                if (least > most) round = ranks_.size();
            }
        }
        if (changed) return false;
        for (std::size_t n = 0; n != ranks_.size(); ++n) ranks_[n].offset = clock_offsets_[clock_of_[n]];
        return true;
    }

    void each_has_its_clock() {
        clock_of_.resize(ranks_.size());
        for (std::size_t n = 0; n != ranks_.size(); ++n) clock_of_[n] = n;
    }

    // Ranks whose times overlap, directly or through others, have one clock.
    void find_clocks() {
        std::vector<std::size_t> order;
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            if (ranks_[n].timed) order.push_back(n);
        sort_list(order, [&](std::size_t a, std::size_t b) { return ranks_[a].begin < ranks_[b].begin; });
        clock_begins_.clear();
        clock_of_.assign(ranks_.size(), 0);
        std::int64_t end = 0;
        for (const std::size_t n : order) {
            if (clock_begins_.empty() || ranks_[n].begin >= end) {
                clock_begins_.push_back(ranks_[n].begin);
                end = ranks_[n].end;
            }
            clock_of_[n] = clock_begins_.size() - 1;
            end = (std::max)(end, ranks_[n].end);
        }
    }

    void align_clocks() {
        find_clocks();
        aligned_ = trace::alignment::none;
        if (clocks() < 2) return;
        std::size_t timed = 0;
        for (const trace::rank_facts& rank : ranks_) timed += rank.timed ? 1U : 0U;
        if (clocks() != timed && are_joined() && align_flows()) {
            aligned_ = trace::alignment::flows;
            return;
        }
        aligned_ = trace::alignment::first;
        // Ranks of one clock stay as they are to each other.
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            if (ranks_[n].timed) ranks_[n].offset = clock_begins_.front() - clock_begins_[clock_of_[n]];
    }

    // Whether messages lead from each clock to each other one.
    bool are_joined() const {
        std::vector<std::size_t> least(clocks());
        for (std::size_t n = 0; n != least.size(); ++n) least[n] = n;
        for (bool changed = true; changed;) {
            changed = false;
            for (const joined& j : joined_) {
                std::size_t& a = least[clock_of_[j.sender]];
                std::size_t& b = least[clock_of_[j.receiver]];
                if (a == b) continue;
                a = b = (std::min)(a, b);
                changed = true;
            }
        }
        return (std::find_if(least.begin(), least.end(), [](std::size_t n) { return n != 0; }) == least.end());
    }

    std::string marker_;
    std::vector<trace::rank_facts> ranks_;          // as they came until align(), then by stage
    std::map<std::int64_t, std::size_t> place_of_;  // of each rank in ranks_
    std::vector<trace::message> messages_;          // in the order in which they were added, then by rank
    struct joined {
        std::size_t sender, receiver;  // ranks_
        std::int64_t least;            // by how much the receiver's clock has to be ahead
    };
    std::vector<joined> joined_;
    std::size_t flows_ = 0;
    trace::alignment aligned_ = trace::alignment::none;
    std::vector<std::size_t> clock_of_;       // of each rank: the number of its clock
    std::vector<std::int64_t> clock_begins_;  // by clock, in the order of time
    std::vector<std::int64_t> clock_offsets_;
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
