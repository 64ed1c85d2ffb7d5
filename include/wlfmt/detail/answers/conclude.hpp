// From work and waiting to answers: accounts, the bubble, who is slow, what is imbalanced.
#ifndef WLFMT_DETAIL_ANSWERS_CONCLUDE_HPP
#define WLFMT_DETAIL_ANSWERS_CONCLUDE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/ordered_map.hpp"
#include "../oplog/run.hpp"
#include "../summary/state.hpp"
#include "groups.hpp"
#include "waiting.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

inline double in_milliseconds(double millionths) noexcept { return millionths / 1e6; }
inline void add_to(oplog::time_account& to, const oplog::time_account& more) noexcept {
    to.span += more.span;
    to.work += more.work;
    to.transfer += more.transfer;
    to.undivided += more.undivided;
    to.stage_waiting += more.stage_waiting;
    to.pipeline_waiting += more.pipeline_waiting;
    to.gaps += more.gaps;
}
inline oplog::time_account scaled(oplog::time_account a, double factor) noexcept {
    for (double* one : {&a.span, &a.work, &a.transfer, &a.undivided, &a.stage_waiting, &a.pipeline_waiting, &a.gaps})
        *one *= factor;
    return a;
}

// The sizes of the parallel groups that the names of all files tell; nothing if one tells none, or if two differ.
inline std::optional<oplog::run_sizes> sizes_of_names(const summary_state& s) {
    std::optional<oplog::run_sizes> found;
    for (const auto& [rank, sums] : s.ranks) {
        const auto one = sizes_in(s.names[sums.source.run]);
        if (!one || (found && (found->world != one->world || found->tensor != one->tensor ||
                               found->pipeline != one->pipeline || found->expert != one->expert)))
            return std::nullopt;
        found = one;
    }
    return found;
}
inline bool is_folded(const summary_state& s) noexcept {
    for (const auto& [rank, sums] : s.ranks)
        if (sums.calls && !sums.calls->folded.empty()) return true;
    return false;
}

class run_conclusions {
public:
    run_conclusions(const summary_state& s, std::optional<oplog::run_sizes> sizes) : s_(s) {
        to_.too_many_calls = s.keeps_calls && s.too_many_calls;
        to_.repeated_ranks = s.keeps_calls && s.repeated;
        // Where calls were folded, this was done by the sizes that the names of the texts tell.
        if (is_folded(s)) sizes = sizes_of_names(s);
        to_.sizes = sizes && sizes->are_possible() ? sizes : std::nullopt;
        for (const auto& [rank, sums] : s.ranks) {
            const bool usable =
                sums.calls && sums.calls->first != no_number && (!to_.sizes || (rank >= 0 && rank < to_.sizes->world));
            if (!usable) {
                to_.left_out.push_back(rank);
                continue;
            }
            analysed_rank one;
            one.rank = rank;
            one.sums = &sums;
            one.kept = &*sums.calls;
            ranks_.push_back(std::move(one));
        }
    }
    oplog::run_answers answer() {
        if (ranks_.empty()) return std::move(to_);
        const waiting_analysis waiting(s_, ranks_, to_.sizes);
        to_.together = waiting.together;
        to_.same_clock = waiting.same_clock;
        to_.common_moment = waiting.common_moment;
        if (!waiting.spreads.empty()) {
            to_.extent_spread = in_milliseconds(low_median(waiting.spreads));
            to_.extent = in_milliseconds(low_median(waiting.extents));
        }
        for (const auto& [kind, times] : waiting.groups().leaving())
            if (times.leave.count() != 0)
                to_.leaving.push_back({kind, times.leave.count(), times.leave.quantile(0.5), times.leave.greatest(),
                                       times.arrive.quantile(0.5), times.arrive.greatest()});
        for (const auto& [bytes, least] : waiting.floors)
            to_.message_floors.emplace_back(static_cast<double>(bytes), in_milliseconds(static_cast<double>(least)));
        to_.alone.assign(waiting.alone.begin(), waiting.alone.end());
        for (const analysed_rank& r : ranks_) add_rank(r);
        add_groups();
        for (const auto& [key, group] : waiting.groups().all()) {
            if (static_cast<std::int64_t>(group.members) < group.size) ++to_.missing_members;
            to_.differing_groups += group.facts.differs;
        }
        add_stages();
        for (const auto& [key, group] : waiting.groups().all()) add_imbalance(key.kind, group.facts);
        compare_ranks();
        compare_stages();
        return std::move(to_);
    }

private:
    static oplog::group_answer answer_of(const std::string& kind, const kind_sums& sums) {
        oplog::group_answer g;
        g.group = kind;
        g.calls = sums.calls;
        g.bytes = sums.bytes;
        g.transfer = in_milliseconds(sums.transfer);
        g.undivided = in_milliseconds(sums.undivided);
        g.waiting = in_milliseconds(sums.waiting);
        g.waiting_more = in_milliseconds(sums.waiting_more);
        g.waiting_least = in_milliseconds(sums.waiting_least);
        g.overlapped = in_milliseconds(sums.overlapped);
        g.late = sums.late;
        return g;
    }
    static oplog::operation_answer answer_of(const std::string& name, const operation_sums& sums) {
        return {name, in_milliseconds(sums.time), in_milliseconds(sums.time - sums.transfer - sums.waiting),
                in_milliseconds(sums.transfer), in_milliseconds(sums.waiting)};
    }
    void add_rank(const analysed_rank& from) {
        oplog::rank_answer r;
        const rank_calls& kept = *from.kept;
        r.rank = from.rank;
        if (from.sums->stage != no_number) r.stage = from.sums->stage;
        // All of these are whole millionths, so that the account adds up to the last of them.
        double transfer = 0;
        double undivided = 0;
        double waiting = 0;
        double within = 0;
        for (const auto& [kind, sums] : from.kinds) {
            transfer += sums.transfer;
            undivided += sums.undivided;
            waiting += sums.waiting;
            if (is_within_stage(kind)) within += sums.waiting;
            r.groups.push_back(answer_of(kind, sums));
        }
        double time = 0;
        for (const auto& [name, sums] : from.operations) {
            time += sums.time;
            if (sums.time == 0) continue;
            r.operations.push_back(answer_of(name, sums));
            if (is_pipeline_step(name)) r.pipeline_busy += sums.time;
        }
        const auto span = static_cast<double>(kept.last - kept.first);
        r.account = {in_milliseconds(span),       in_milliseconds(from.work), in_milliseconds(transfer),
                     in_milliseconds(undivided),  in_milliseconds(within),    in_milliseconds(waiting - within),
                     in_milliseconds(span - time)};
        r.pipeline_busy = in_milliseconds(r.pipeline_busy);
        r.alone = in_milliseconds(from.alone);
        r.caused = in_milliseconds(from.caused);
        r.uneven = in_milliseconds(from.uneven);
        r.late = from.late;
        r.nested_calls = from.nested_calls;
        r.nested_bytes = from.nested_bytes;
        r.records = from.sums->operations;
        r.doubles = from.sums->doubles;
        r.doubled = in_milliseconds(kept.doubled.value().as_double());
        r.untimed = kept.untimed;
        r.micro_batches = kept.batches.size();
        const auto since_first = [&](std::int64_t end) {
            return in_milliseconds(static_cast<double>(end - kept.first));
        };
        if (kept.backward_end != no_number) r.pipeline_span = since_first(kept.backward_end);
        if (kept.forward_begin != no_number) r.first_forward = since_first(kept.forward_begin);
        add_to(to_.total, r.account);
        to_.doubled += r.doubled;
        to_.doubles += r.doubles;
        to_.untimed += r.untimed;
        to_.micro_batches = (std::max)(to_.micro_batches, r.micro_batches);
        to_.ranks.push_back(std::move(r));
    }
    void add_groups() {
        ordered_map<std::string, kind_sums> kinds;
        ordered_map<std::string, operation_sums> operations;
        for (const analysed_rank& r : ranks_) {
            for (const auto& [kind, more] : r.kinds) {
                kind_sums& to = kinds[kind];
                to.calls += more.calls;
                to.late += more.late;
                to.bytes += more.bytes;
                to.transfer += more.transfer;
                to.undivided += more.undivided;
                to.waiting += more.waiting;
                to.waiting_more += more.waiting_more;
                to.waiting_least += more.waiting_least;
                to.overlapped += more.overlapped;
            }
            for (const auto& [name, more] : r.operations) {
                operation_sums& to = operations[name];
                to.time += more.time;
                to.transfer += more.transfer;
                to.waiting += more.waiting;
            }
        }
        for (const auto& [kind, sums] : kinds) to_.groups.push_back(answer_of(kind, sums));
        for (const auto& [name, sums] : operations)
            if (sums.time != 0) to_.operations.push_back(answer_of(name, sums));
    }

    void add_stages() {
        ordered_map<std::int64_t, oplog::stage_answer> stages;
        ordered_map<std::int64_t, std::pair<double, double>> ends;  // fill and drain
        double longest = 0;
        bool any_end = false;
        for (const oplog::rank_answer& r : to_.ranks) {
            if (r.pipeline_span) {
                longest = any_end ? (std::max)(longest, *r.pipeline_span) : *r.pipeline_span;
                any_end = true;
            }
            if (!r.stage) continue;
            oplog::stage_answer& s = stages[*r.stage];
            s.stage = *r.stage;
            s.least_work = s.ranks == 0 ? r.account.work : (std::min)(s.least_work, r.account.work);
            s.greatest_work = s.ranks == 0 ? r.account.work : (std::max)(s.greatest_work, r.account.work);
            ++s.ranks;
            s.busy += r.pipeline_busy;
            s.uneven += r.uneven;
            add_to(s.account, r.account);
            ends[*r.stage].first += r.first_forward.value_or(0);
            ends[*r.stage].second += r.pipeline_span.value_or(0);
        }
        const std::int64_t pipeline = to_.sizes ? to_.sizes->pipeline : 0;
        const auto batches = static_cast<double>(to_.micro_batches);
        const bool timed = to_.together && any_end && pipeline > 1 && stages.count(0) != 0 && longest > 0;
        if (timed) to_.pipeline_time = longest;
        if (to_.together && pipeline > 1 && to_.micro_batches != 0)
            to_.equal_share = static_cast<double>(pipeline - 1) / (batches + static_cast<double>(pipeline - 1));
        double shares = 0;
        for (auto& [stage, s] : stages) {
            const double part = 1 / static_cast<double>(s.ranks);
            s.busy *= part;
            s.uneven *= part;
            s.account = scaled(s.account, part);
            if (to_.micro_batches != 0) s.per_batch = s.busy / batches;
            if (timed) {
                s.bubble = longest - s.busy;
                s.bubble_share = *s.bubble / longest;
                shares += *s.bubble_share;
                s.fill = ends[stage].first * part;
                s.drain = longest - ends[stage].second * part;
            }
            to_.stages.push_back(s);
        }
        all_stages_ = static_cast<std::int64_t>(to_.stages.size()) == pipeline;
        if (!timed || !all_stages_ || to_.micro_batches == 0) return;
        to_.bubble_share = shares / static_cast<double>(pipeline);
        to_.least_time = least_time(false);
        to_.least_time_even = least_time(true);
    }
    // A stage cannot begin before the first micro-batch has gone through the stages before it, and then has all
    // micro-batches to do.
    double least_time(bool even) const {
        const auto batches = static_cast<double>(to_.micro_batches);
        double before = 0;
        double least = 0;
        for (const oplog::stage_answer& s : to_.stages) {
            const double t = s.per_batch - (even ? s.uneven / batches : 0);
            least = (std::max)(least, before + batches * t);
            before += t;
        }
        return least;
    }

    static double correlation(const std::vector<double>& x, const std::vector<double>& y) {
        const auto n = static_cast<double>(x.size());
        double mean_x = 0;
        double mean_y = 0;
        for (std::size_t i = 0; i != x.size(); ++i) {
            mean_x += x[i] / n;
            mean_y += y[i] / n;
        }
        double xx = 0;
        double yy = 0;
        double xy = 0;
        for (std::size_t i = 0; i != x.size(); ++i) {
            xx += (x[i] - mean_x) * (x[i] - mean_x);
            yy += (y[i] - mean_y) * (y[i] - mean_y);
            xy += (x[i] - mean_x) * (y[i] - mean_y);
        }
        return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
    }
    static double ratio_to_mean(const std::vector<double>& values) {
        double sum = 0;
        for (const double v : values) sum += v;
        const double greatest = *std::max_element(values.begin(), values.end());
        return sum > 0 ? greatest * static_cast<double>(values.size()) / sum : 1;
    }
    void add_imbalance(const std::string& kind, const group_facts& group) {
        if (group.sent.empty()) return;
        oplog::imbalance_answer a;
        a.group = kind;
        std::vector<double> all;
        std::vector<double> work;
        for (const group_facts::sent_bytes& sent : group.sent) {
            const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), sent.rank,
                                             [](const analysed_rank& r, std::int64_t rank) { return r.rank < rank; });
            if (at == ranks_.end() || at->rank != sent.rank) return;
            a.ranks.push_back(sent.rank);
            a.bytes.push_back(sent.varying.value().as_double());
            all.push_back(sent.all.value().as_double());
            work.push_back(at->work);
        }
        const double worst = group.worst_sum.value().as_double();
        if (worst > 0)
            a.worst_call_ratio = static_cast<double>(group.worst_most) * static_cast<double>(group.worst_count) / worst;
        a.all_ratio = ratio_to_mean(all);
        if (group.any_varying) {
            const auto greatest = std::max_element(a.bytes.begin(), a.bytes.end()) - a.bytes.begin();
            a.greatest_rank = a.ranks[static_cast<std::size_t>(greatest)];
            a.ratio = ratio_to_mean(a.bytes);
            a.correlation = correlation(a.bytes, work);
        }
        to_.imbalance.push_back(std::move(a));
    }

    // The other ranks of the same stage; if there are none, the other ranks of the run.
    std::vector<const oplog::rank_answer*> peers_of(const oplog::rank_answer& of) const {
        std::vector<const oplog::rank_answer*> peers;
        for (const oplog::rank_answer& r : to_.ranks)
            if (&r != &of && r.stage == of.stage) peers.push_back(&r);
        if (!peers.empty()) return peers;
        for (const oplog::rank_answer& r : to_.ranks)
            if (&r != &of) peers.push_back(&r);
        return peers;
    }
    template <class Value>
    static double median_of(const std::vector<const oplog::rank_answer*>& ranks, const Value& value) {
        std::vector<double> values;
        values.reserve(ranks.size());
        for (const oplog::rank_answer* r : ranks) values.push_back(value(*r));
        return low_median(std::move(values));
    }
    // The work of the ranks of each stage is sorted once: the median without one of the ranks is then found at once.
    void set_excesses() {
        ordered_map<std::optional<std::int64_t>, std::vector<double>> stages;
        std::vector<double> all;
        for (const oplog::rank_answer& r : to_.ranks) {
            stages[r.stage].push_back(r.account.work);
            all.push_back(r.account.work);
        }
        for (auto& [stage, works] : stages) std::sort(works.begin(), works.end());
        std::sort(all.begin(), all.end());
        for (oplog::rank_answer& r : to_.ranks) {
            const std::vector<double>& own = stages[r.stage];
            const std::vector<double>& works = own.size() > 1 ? own : all;
            const auto at =
                static_cast<std::size_t>(std::lower_bound(works.begin(), works.end(), r.account.work) - works.begin());
            const std::size_t middle = (works.size() - 2) / 2;
            const double base = works[middle < at ? middle : middle + 1];
            r.excess = r.account.work - base;
            r.ratio = base != 0 ? r.account.work / base : 1;
        }
    }
    void compare_ranks() {
        using reason = oplog::slow_rank::reason;
        if (to_.ranks.size() < 2) return;
        set_excesses();
        const oplog::rank_answer* most = &to_.ranks.front();
        for (const oplog::rank_answer& r : to_.ranks)
            if (r.excess > most->excess) most = &r;
        const auto peers = peers_of(*most);
        oplog::slow_rank slow;
        slow.rank = most->rank;
        slow.stage = most->stage;
        slow.work = most->account.work;
        slow.excess = most->excess;
        slow.ratio = most->ratio;
        const double bytes = median_of(peers, [](const auto& r) { return r.nested_bytes; });
        const double calls = median_of(peers, [](const auto& r) { return static_cast<double>(r.nested_calls); });
        const double gaps = median_of(peers, [](const auto& r) { return r.account.gaps; });
        slow.bytes_ratio = bytes != 0 ? most->nested_bytes / bytes : 1;
        slow.calls_ratio = static_cast<double>(most->nested_calls) / (std::max)(1.0, calls);
        slow.gaps_ratio = most->account.gaps / (std::max)(1e-9, gaps);
        slow.caused = most->caused;
        slow.late = most->late;
        if (slow.ratio >= 1.05) {
            for (const oplog::rank_answer& r : to_.ranks)
                if (r.excess >= 0.9 * most->excess) slow.near.push_back(r.rank);
            slow.why = peers.front()->stage != most->stage ? reason::no_peer
                       : slow.bytes_ratio >= 1.1           ? reason::more_bytes
                       : slow.calls_ratio >= 1.1           ? reason::more_operations
                                                           : reason::longer;
        }
        to_.slowest_rank = std::move(slow);
    }
    // The lower median of the work of all ranks of a stage but the slowest.
    double work_without_slowest(std::int64_t stage) const {
        std::vector<double> works;
        for (const oplog::rank_answer& r : to_.ranks)
            if (r.stage == stage) works.push_back(r.account.work);
        std::sort(works.begin(), works.end());
        if (works.size() > 1) works.pop_back();
        return low_median(std::move(works));
    }
    void compare_stages() {
        using reason = oplog::slow_stage::reason;
        if (!all_stages_ || to_.stages.size() < 2 || to_.micro_batches == 0) return;
        const oplog::stage_answer* most = &to_.stages.front();
        for (const oplog::stage_answer& s : to_.stages)
            if (s.per_batch > most->per_batch) most = &s;
        std::vector<double> times;
        std::vector<double> works;
        for (const oplog::stage_answer& s : to_.stages) {
            if (&s == most) continue;
            times.push_back(s.per_batch);
            works.push_back(work_without_slowest(s.stage));
        }
        oplog::slow_stage slow;
        slow.stage = most->stage;
        slow.per_batch = most->per_batch;
        slow.others = low_median(std::move(times));
        if (slow.others > 0) slow.ratio = slow.per_batch / slow.others;
        const double base = low_median(std::move(works));
        if (base != 0) slow.ratio_without = work_without_slowest(slow.stage) / base;
        const oplog::rank_answer* busiest = nullptr;
        for (const oplog::rank_answer& r : to_.ranks)
            if (r.stage == slow.stage && (busiest == nullptr || r.account.work > busiest->account.work)) busiest = &r;
        slow.rank = busiest->rank;
        if (slow.ratio >= 1.05)
            slow.why = slow.ratio_without - 1 >= (slow.ratio - 1) / 2 ? reason::all_ranks : reason::one_rank;
        to_.slowest_stage = slow;
    }

    const summary_state& s_;
    std::vector<analysed_rank> ranks_;
    bool all_stages_ = false;
    oplog::run_answers to_;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
