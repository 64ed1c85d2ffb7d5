// Verdicts on a run whose account is known: stages and the bubble, who is slow and why, imbalance.
#ifndef WLFMT_DETAIL_ANSWERS_VERDICTS_HPP
#define WLFMT_DETAIL_ANSWERS_VERDICTS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/order.hpp"
#include "../summary/ordered_map.hpp"
#include "waiting.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

inline double in_milliseconds(double millionths) noexcept { return millionths / 1e6; }
inline void add_limits(oplog::time_account& to, const oplog::time_account& more) noexcept {
    limit_to(to.span_limit, more.span_limit);
    limit_to(to.work_limit, more.work_limit);
    limit_to(to.transfer_limit, more.transfer_limit);
    limit_to(to.stage_limit, more.stage_limit);
    limit_to(to.pipeline_limit, more.pipeline_limit);
    limit_to(to.gaps_limit, more.gaps_limit);
}
inline void add_to(oplog::time_account& to, const oplog::time_account& more) noexcept {
    to.span += more.span;
    to.work += more.work;
    to.transfer += more.transfer;
    to.stage_waiting += more.stage_waiting;
    to.pipeline_waiting += more.pipeline_waiting;
    to.gaps += more.gaps;
    to.unknown += more.unknown;
    add_limits(to, more);
}
inline void add_to(oplog::group_answer& to, const oplog::group_answer& more) noexcept {
    to.calls += more.calls;
    to.unknown_calls += more.unknown_calls;
    to.late += more.late;
    to.bytes += more.bytes;
    to.transfer += more.transfer;
    to.waiting += more.waiting;
    to.unknown += more.unknown;
    to.waiting_more += more.waiting_more;
    to.waiting_least += more.waiting_least;
    to.overlapped += more.overlapped;
    limit_to(to.calls_limit, more.calls_limit);
    limit_to(to.transfer_limit, more.transfer_limit);
    limit_to(to.waiting_limit, more.waiting_limit);
    limit_to(to.overlapped_limit, more.overlapped_limit);
}
inline void add_to(oplog::operation_answer& to, const oplog::operation_answer& more) noexcept {
    to.time += more.time;
    to.work += more.work;
    to.transfer += more.transfer;
    to.waiting += more.waiting;
    to.unknown += more.unknown;
    limit_to(to.time_limit, more.time_limit);
    limit_to(to.work_limit, more.work_limit);
    limit_to(to.transfer_limit, more.transfer_limit);
    limit_to(to.waiting_limit, more.waiting_limit);
}
inline oplog::time_account scaled(oplog::time_account a, double factor) noexcept {
    for (double* one : {&a.span, &a.work, &a.transfer, &a.stage_waiting, &a.pipeline_waiting, &a.gaps, &a.unknown})
        *one *= factor;
    return a;
}
inline oplog::time_account in_milliseconds(oplog::time_account a) noexcept {
    for (double* one : {&a.span, &a.work, &a.transfer, &a.stage_waiting, &a.pipeline_waiting, &a.gaps, &a.unknown})
        *one = in_milliseconds(*one);
    return a;
}

class run_verdicts {
    using limit = oplog::limit;

public:
    explicit run_verdicts(oplog::run_answers& to) : to_(to) {}

    void add_stages() {
        ordered_map<std::int64_t, oplog::stage_answer> stages;
        // The means of those of its ranks that have one, and of how many.
        struct edges {
            double fill = 0;
            double drain = 0;
            std::uint64_t filled = 0;
            std::uint64_t drained = 0;
            bool is_filled = true;  // no rank has lost its only one
            bool is_drained = true;
        };
        ordered_map<std::int64_t, edges> ends;
        double longest = 0;
        bool any_end = false;
        limit& of_longest = to_.pipeline_limit;
        for (const oplog::rank_answer& r : to_.ranks) {
            limit_to(of_longest, r.pipeline_span_limit);
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
            limit_to(s.busy_limit, r.lost != 0 ? limit::least : limit::exact);
            s.uneven += r.uneven;
            add_to(s.account, r.account);
            edges& of = ends[*r.stage];
            of.fill += r.first_forward.value_or(0);
            of.drain += r.pipeline_span.value_or(0);
            of.filled += r.first_forward.has_value() ? 1U : 0U;
            of.drained += r.pipeline_span.has_value() ? 1U : 0U;
            of.is_filled = of.is_filled && (r.first_forward || r.first_forward_limit == limit::exact);
            of.is_drained = of.is_drained && (r.pipeline_span || r.pipeline_span_limit == limit::exact);
            limit_to(s.fill_limit, r.first_forward_limit);
            limit_to(s.drain_limit, oplog::of_difference(limit::exact, r.pipeline_span_limit));
        }
        const std::int64_t pipeline = to_.sizes ? to_.sizes->pipeline : 0;
        const std::int64_t per_stage = to_.sizes ? to_.sizes->world / pipeline : 0;
        // Stage 0 begins first.
        for (const std::int64_t rank : to_.missing_ranks)
            if (rank < per_stage) limit_to(of_longest, limit::least);
        const auto batches = static_cast<double>(to_.micro_batches);
        const bool timed = to_.together && any_end && pipeline > 1 && stages.count(0) != 0 && longest > 0;
        if (timed) to_.pipeline_time = longest;
        if (to_.together && pipeline > 1 && to_.micro_batches != 0)
            to_.equal_share = static_cast<double>(pipeline - 1) /
                              (batches / static_cast<double>(to_.iterations) + static_cast<double>(pipeline - 1));
        double shares = 0;
        for (auto& [stage, s] : stages) {
            const double part = 1 / static_cast<double>(s.ranks);
            s.busy *= part;
            s.uneven *= part;
            s.account = scaled(s.account, part);
            s.batch_work_limit = oplog::of_difference(s.busy_limit, s.account.stage_limit);
            if (to_.micro_batches != 0) {
                s.per_batch = s.busy / batches;
                s.batch_work = (s.busy - s.uneven) / batches;
            }
            if (timed) {
                s.bubble = longest - s.busy;
                s.bubble_share = *s.bubble / longest;
                s.bubble_limit = oplog::of_difference(of_longest, s.busy_limit);
                shares += *s.bubble_share;
                const edges& of = ends[stage];
                if (of.filled != 0 && of.is_filled) s.fill = of.fill / static_cast<double>(of.filled);
                if (of.drained != 0 && of.is_drained) s.drain = longest - of.drain / static_cast<double>(of.drained);
                limit_to(s.drain_limit, of_longest);
            }
            for (const std::int64_t rank : to_.missing_ranks)
                if (rank / per_stage == stage) s.missing.push_back(rank);
            limit_to(to_.bubble_limit, s.bubble_limit);
            limit_to(to_.least_limit, s.busy_limit);
            limit_to(to_.least_even_limit, s.batch_work_limit);
            to_.stages.push_back(s);
        }
        all_stages_ = static_cast<std::int64_t>(to_.stages.size()) == pipeline;
        if (!timed || !all_stages_ || to_.micro_batches == 0) return;
        to_.bubble_share = shares / static_cast<double>(pipeline);
        to_.least_time = least_time(false);
        to_.least_time_even = least_time(true);
    }
    // Adds up the bytes that the members of each all-to-all group send, and of them those of the calls, by operation
    // and place in it, that differ between members. Calls which a member lacks count for none.
    void add_imbalance(const waiting_analysis& from) {
        std::vector<bool> is_all_to_all(from.names.size());
        for (std::size_t n = 0; n != from.names.size(); ++n)
            is_all_to_all[n] = oplog::collective_of(from.names[n]) == oplog::collective::all_to_all;
        for (const call_group& g : from.groups) {
            const std::size_t width = g.members.size();
            if (width < 2) continue;
            ordered_map<std::pair<std::uint32_t, std::int32_t>, ordered_map<std::int64_t, std::vector<double>>> sent;
            for (std::size_t row = 0; row != g.row_count(); ++row) {
                if (!g.is_complete(row)) continue;
                const auto step = [&](std::size_t n) -> const oplog::program_step& {
                    return to_.ranks[g.members[n].rank].program[g.at(row, n)->place];
                };
                if (!is_all_to_all[step(0).function]) continue;
                std::int32_t position = 0;  // a call that is missing moves those after it
                for (std::size_t n = 0; n != width; ++n) position = (std::max)(position, step(n).position);
                std::vector<double>& to = sent[{step(0).operation, position}][step(0).batch];
                to.resize(width);
                for (std::size_t n = 0; n != width; ++n)
                    to[n] += static_cast<double>((std::max)(step(n).bytes, std::int64_t{0}));
            }
            if (!sent.empty()) add_imbalance(from.names[g.kind], g, sent);
        }
    }
    // Whether the same rank is slow in each iteration.
    void compare_iterations() {
        for (oplog::iteration_answer& one : to_.by_iteration) {
            std::vector<double> works;
            for (const oplog::time_account& account : one.ranks) works.push_back(account.work);
            if (works.size() < 2 || to_.lost != 0) continue;
            double most = 0;
            const std::vector<double> base = medians_of_others(works);
            for (std::size_t n = 0; n != works.size(); ++n) {
                if (works[n] - base[n] <= most || works[n] < 1.05 * base[n]) continue;
                most = works[n] - base[n];
                one.slowest_rank = to_.ranks[n].rank;
            }
        }
    }
    // The work of the ranks of each stage is sorted once: the median without one of the ranks is then found at once.
    void compare_ranks() {
        using cause = oplog::slow_rank::cause;
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
        slow.work_limit = most->account.work_limit;
        slow.ratio_limit = most->excess_limit;
        const double gaps = median_of(peers, [](const auto& r) { return r.account.gaps; });
        set_counts(slow, *most, peers, false);
        slow.gaps_ratio = most->account.gaps / (std::max)(1e-9, gaps);
        slow.caused = most->caused;
        slow.late = most->late;
        slow.peered = most->peered;
        const auto reason_of = [&](const oplog::slow_rank& by) {
            return slow.ratio < 1.05                     ? cause::none
                   : peers.front()->stage != most->stage ? cause::no_peer
                   : by.bytes_ratio >= 1.1               ? cause::more_bytes
                   : by.calls_ratio >= 1.1               ? cause::more_operations
                                                         : cause::longer;
        };
        slow.reason = reason_of(slow);
        if (slow.reason != cause::none)
            for (const oplog::rank_answer& r : to_.ranks)
                if (r.excess >= 0.9 * most->excess) slow.similar.push_back(r.rank);
        if (to_.lost != 0) {
            if (!is_surely_slowest(*most, slow.reason != cause::none)) return;
            // With what they lack as others have it, which is no more than likely.
            oplog::slow_rank whole;
            set_counts(whole, *most, peers, true);
            if (reason_of(whole) != slow.reason) return;
            for (const oplog::rank_answer& r : to_.ranks)
                if (r.stage == most->stage && r.lost != 0) slow.counts_limit = limit::either;
        }
        to_.slowest_rank = std::move(slow);
    }
    // Of what ranks lack it is only known that it took no longer than their gaps.
    void compare_stages() {
        using cause = oplog::slow_stage::cause;
        if (!all_stages_ || to_.stages.size() < 2 || to_.micro_batches == 0) return;
        const oplog::stage_answer* most = &to_.stages.front();
        for (const oplog::stage_answer& s : to_.stages)
            if (s.per_batch > most->per_batch) most = &s;
        oplog::slow_stage slow;
        slow.stage = most->stage;
        slow.per_batch = most->per_batch;
        slow.per_batch_limit = most->busy_limit;
        const bool is_whole = to_.lost == 0;
        std::vector<double> times[2];
        std::vector<double> works[2];
        limit of_works = limit::exact;
        for (const oplog::stage_answer& s : to_.stages) {
            if (&s == most) continue;
            limit_to(slow.others_limit, s.busy_limit);
            limit_to(of_works, s.account.work_limit);
            times[0].push_back(s.per_batch);
            times[1].push_back(is_whole ? s.per_batch : most_busy(s) / static_cast<double>(to_.micro_batches));
            if (times[1].back() > slow.per_batch) return;
            works[0].push_back(work_without_slowest(s.stage, false));
            works[1].push_back(work_without_slowest(s.stage, !is_whole));
        }
        slow.ratio_limit = oplog::of_difference(slow.per_batch_limit, slow.others_limit);
        slow.ratio_without_limit = oplog::of_difference(most->account.work_limit, of_works);
        slow.others = low_median(times[0]);
        const auto ratio = [](double of, double base) { return base > 0 ? of / base : 1; };
        slow.ratio = ratio(slow.per_batch, slow.others);
        slow.ratio_without = ratio(work_without_slowest(slow.stage, false), low_median(works[0]));
        const oplog::rank_answer* busiest = nullptr;
        for (const oplog::rank_answer& r : to_.ranks)
            if (r.stage == slow.stage && (busiest == nullptr || r.account.work > busiest->account.work)) busiest = &r;
        slow.rank = busiest->rank;
        const auto reason_of = [](double all, double without) {
            return all < 1.05 ? cause::none : without - 1 >= (all - 1) / 2 ? cause::all_ranks : cause::one_rank;
        };
        slow.reason = reason_of(slow.ratio, slow.ratio_without);
        if (!is_whole) {
            if (most->busy_limit != limit::exact && slow.reason == cause::none) return;
            for (const oplog::rank_answer& r : to_.ranks)
                if (&r != busiest && r.stage == slow.stage && most_work(r) > busiest->account.work) return;
            const double all[] = {ratio(slow.per_batch, low_median(std::move(times[1]))),
                                  ratio(most_busy(*most), slow.others * static_cast<double>(to_.micro_batches))};
            const double without[] = {ratio(work_without_slowest(slow.stage, false), low_median(std::move(works[1]))),
                                      ratio(work_without_slowest(slow.stage, true), low_median(std::move(works[0])))};
            if (reason_of(all[0], without[1]) != slow.reason || reason_of(all[1], without[0]) != slow.reason) return;
        }
        to_.slowest_stage = slow;
    }

private:
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
    template <class Sent> void add_imbalance(const std::string& kind, const call_group& g, const Sent& sent) {
        const std::size_t width = g.members.size();
        oplog::imbalance_answer a;
        a.group = kind;
        a.bytes.resize(width);
        std::vector<double> all(width);
        std::vector<double> work;
        for (const call_group::member& m : g.members) {
            a.ranks.push_back(to_.ranks[m.rank].rank);
            work.push_back(to_.ranks[m.rank].account.work);
        }
        bool any_varying = false;
        ordered_map<std::int64_t, std::vector<double>> varying;  // by micro-batch
        for (const auto& [place, by_batch] : sent) {
            std::vector<double> bytes(width);
            for (const auto& [batch, some] : by_batch)
                for (std::size_t n = 0; n != width; ++n) bytes[n] += some[n];
            const auto [least, greatest] = std::minmax_element(bytes.begin(), bytes.end());
            const bool differ = *least != *greatest;
            any_varying = any_varying || differ;
            if (differ)
                for (const auto& [batch, some] : by_batch) {
                    std::vector<double>& to = varying[batch];
                    to.resize(width);
                    for (std::size_t n = 0; n != width; ++n) to[n] += some[n];
                }
            a.worst_call_ratio = (std::max)(a.worst_call_ratio, ratio_to_mean(bytes));
            for (std::size_t n = 0; n != width; ++n) {
                all[n] += bytes[n];
                if (differ) a.bytes[n] += bytes[n];
            }
        }
        a.all_ratio = ratio_to_mean(all);
        for (const auto& [batch, bytes] : varying) {
            a.batches.push_back(batch);
            a.batch_bytes.insert(a.batch_bytes.end(), bytes.begin(), bytes.end());
        }
        if (any_varying) {
            const auto greatest = std::max_element(a.bytes.begin(), a.bytes.end()) - a.bytes.begin();
            a.greatest_rank = a.ranks[static_cast<std::size_t>(greatest)];
            a.ratio = ratio_to_mean(a.bytes);
            a.correlation = correlation(a.bytes, work);
        }
        for (const call_group::member& m : g.members) a.is_partial = a.is_partial || to_.ranks[m.rank].lost != 0;
        a.is_partial = a.is_partial || static_cast<std::int64_t>(width) != g.place.size;
        to_.imbalance.push_back(std::move(a));
    }
    // What a rank lacks was in its gaps, if it has records before it and after it.
    static double most_lost(const oplog::rank_answer& r) {
        if (r.lost == 0) return 0;
        return r.account.span_limit == limit::exact ? (std::max)(0.0, r.account.gaps)
                                                    : (std::numeric_limits<double>::infinity)();
    }
    static double most_work(const oplog::rank_answer& r) {
        const limit l = r.account.work_limit;
        return r.account.work + most_lost(r) + (l == limit::exact || l == limit::most ? 0 : r.account.unknown);
    }
    double most_busy(const oplog::stage_answer& s) const {
        double most = 0;
        for (const oplog::rank_answer& r : to_.ranks)
            if (r.stage == s.stage) most += most_lost(r);
        return s.busy + most / static_cast<double>(s.ranks);
    }
    // Whether no other rank can have as much work beyond its peers, nor nearly as much if one does that is not exact.
    bool is_surely_slowest(const oplog::rank_answer& most, bool is_slow) const {
        std::vector<double> least;
        std::vector<double> greatest;
        for (const oplog::rank_answer& r : to_.ranks) {
            least.push_back(r.account.work);
            greatest.push_back(most_work(r));
        }
        const std::vector<double> least_base = medians_of_others(least);
        const std::vector<double> greatest_base = medians_of_others(greatest);
        const auto at = static_cast<std::size_t>(&most - to_.ranks.data());
        if (is_slow ? least[at] < 1.05 * greatest_base[at] : greatest[at] >= 1.05 * least_base[at]) return false;
        for (std::size_t n = 0; n != least.size(); ++n) {
            const bool is_exact = least[n] == greatest[n] && least_base[n] == greatest_base[n];
            if (n != at && greatest[n] - least_base[n] >= (is_exact ? 1 : 0.9) * (least[at] - greatest_base[at]))
                return is_exact && least[at] == greatest[at] && least_base[at] == greatest_base[at];
        }
        return true;
    }
    // How much more bytes and calls a slow rank has than its peers.
    static void set_counts(oplog::slow_rank& to, const oplog::rank_answer& of,
                           const std::vector<const oplog::rank_answer*>& peers, bool with_lost) {
        const auto bytes_of = [&](const auto& r) { return r.nested_bytes + (with_lost ? r.lost_bytes : 0); };
        const auto calls_of = [&](const auto& r) {
            return static_cast<double>(r.nested_calls + (with_lost ? r.lost_calls : 0));
        };
        const double bytes = median_of(peers, bytes_of);
        to.bytes_ratio = bytes != 0 ? bytes_of(of) / bytes : 1;
        to.calls_ratio = calls_of(of) / (std::max)(1.0, median_of(peers, calls_of));
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
    std::vector<double> medians_of_others(const std::vector<double>& works_of) const {
        ordered_map<std::optional<std::int64_t>, std::vector<double>> stages;
        for (std::size_t n = 0; n != works_of.size(); ++n) stages[to_.ranks[n].stage].push_back(works_of[n]);
        for (auto& [stage, works] : stages) std::sort(works.begin(), works.end());
        std::vector<double> all = works_of;
        std::sort(all.begin(), all.end());
        std::vector<double> medians;
        for (std::size_t n = 0; n != works_of.size(); ++n) {
            const std::vector<double>& own = stages[to_.ranks[n].stage];
            const std::vector<double>& works = own.size() > 1 ? own : all;
            const auto at =
                static_cast<std::size_t>(std::lower_bound(works.begin(), works.end(), works_of[n]) - works.begin());
            const std::size_t middle = (works.size() - 2) / 2;
            medians.push_back(works[middle < at ? middle : middle + 1]);
        }
        return medians;
    }
    void set_excesses() {
        // How many ranks have work that is the least that it can be, or the most.
        struct limited {
            std::size_t ranks = 0;
            std::size_t least = 0;
            std::size_t most = 0;
            void add(limit l, std::size_t by) {
                ranks += by;
                least += l == limit::least || l == limit::either ? by : 0;
                most += l == limit::most || l == limit::either ? by : 0;
            }
        };
        ordered_map<std::optional<std::int64_t>, limited> stages;
        limited all;
        std::vector<double> works;
        for (const oplog::rank_answer& r : to_.ranks) {
            works.push_back(r.account.work);
            stages[r.stage].add(r.account.work_limit, 1);
            all.add(r.account.work_limit, 1);
        }
        const std::vector<double> base = medians_of_others(works);
        for (std::size_t n = 0; n != works.size(); ++n) {
            oplog::rank_answer& r = to_.ranks[n];
            r.excess = works[n] - base[n];
            r.ratio = base[n] != 0 ? works[n] / base[n] : 1;
            limited others = stages[r.stage].ranks > 1 ? stages[r.stage] : all;
            others.add(r.account.work_limit, std::size_t{0} - 1);
            r.excess_limit = r.account.work_limit;
            if (others.least != 0) limit_to(r.excess_limit, limit::most);
            if (others.most != 0) limit_to(r.excess_limit, limit::least);
        }
    }
    // The lower median of the work of all ranks of a stage but the slowest.
    double work_without_slowest(std::int64_t stage, bool at_most) const {
        std::vector<double> works;
        for (const oplog::rank_answer& r : to_.ranks)
            if (r.stage == stage) works.push_back(at_most ? most_work(r) : r.account.work);
        std::sort(works.begin(), works.end());
        if (works.size() > 1) works.pop_back();
        return low_median(std::move(works));
    }

    oplog::run_answers& to_;
    bool all_stages_ = false;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
