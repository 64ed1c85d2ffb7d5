// Verdicts on a run whose account is known: stages and the bubble, who is slow and why, imbalance, bandwidth.
#ifndef WLFMT_DETAIL_ANSWERS_VERDICTS_HPP
#define WLFMT_DETAIL_ANSWERS_VERDICTS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/order.hpp"
#include "../oplog/operations.hpp"
#include "../summary/ordered_map.hpp"
#include "waiting.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

inline double in_milliseconds(double millionths) noexcept { return millionths / 1e6; }
inline void add_to(oplog::time_account& to, const oplog::time_account& more) noexcept {
    to.span += more.span;
    to.work += more.work;
    to.transfer += more.transfer;
    to.stage_waiting += more.stage_waiting;
    to.pipeline_waiting += more.pipeline_waiting;
    to.gaps += more.gaps;
    to.unknown += more.unknown;
    limit_to(to.work_limit, more.work_limit);
    limit_to(to.transfer_limit, more.transfer_limit);
    limit_to(to.stage_limit, more.stage_limit);
    limit_to(to.pipeline_limit, more.pipeline_limit);
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
    limit_to(to.waiting_limit, more.waiting_limit);
}
inline void add_to(oplog::operation_answer& to, const oplog::operation_answer& more) noexcept {
    to.time += more.time;
    to.work += more.work;
    to.transfer += more.transfer;
    to.waiting += more.waiting;
    to.unknown += more.unknown;
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
public:
    explicit run_verdicts(oplog::run_answers& to) : to_(to) {}

    void add_stages() {
        ordered_map<std::int64_t, oplog::stage_answer> stages;
        struct edges {
            double fill = 0;
            double drain = 0;
            std::uint64_t filled = 0;
            std::uint64_t drained = 0;
        };
        ordered_map<std::int64_t, edges> ends;
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
            edges& of = ends[*r.stage];
            of.fill += r.first_forward.value_or(0);
            of.drain += r.pipeline_span.value_or(0);
            of.filled += r.first_forward.has_value() ? 1U : 0U;
            of.drained += r.pipeline_span.has_value() ? 1U : 0U;
        }
        const std::int64_t pipeline = to_.sizes ? to_.sizes->pipeline : 0;
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
            if (to_.micro_batches != 0) {
                s.per_batch = s.busy / batches;
                s.batch_work = (s.busy - s.uneven) / batches;
            }
            if (timed) {
                s.bubble = longest - s.busy;
                s.bubble_share = *s.bubble / longest;
                shares += *s.bubble_share;
                const edges& of = ends[stage];
                if (of.filled != 0) s.fill = of.fill / static_cast<double>(of.filled);
                if (of.drained != 0) s.drain = longest - of.drain / static_cast<double>(of.drained);
            }
            if (to_.sizes) {
                const std::int64_t per_stage = to_.sizes->world / pipeline;
                for (const std::int64_t rank : to_.missing_ranks)
                    if (rank / per_stage == stage) s.missing.push_back(rank);
            }
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
            if (works.size() < 2) continue;
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
        slow.work_limit = slow.ratio_limit = most->account.work_limit;
        for (const oplog::rank_answer* peer : peers)
            if (const oplog::limit of_peer = peer->account.work_limit; of_peer != oplog::limit::exact)
                limit_to(slow.ratio_limit, of_peer == oplog::limit::least  ? oplog::limit::most
                                           : of_peer == oplog::limit::most ? oplog::limit::least
                                                                           : of_peer);
        const double bytes = median_of(peers, [](const auto& r) { return r.nested_bytes; });
        const double calls = median_of(peers, [](const auto& r) { return static_cast<double>(r.nested_calls); });
        const double gaps = median_of(peers, [](const auto& r) { return r.account.gaps; });
        slow.bytes_ratio = bytes != 0 ? most->nested_bytes / bytes : 1;
        slow.calls_ratio = static_cast<double>(most->nested_calls) / (std::max)(1.0, calls);
        slow.gaps_ratio = most->account.gaps / (std::max)(1e-9, gaps);
        slow.caused = most->caused;
        slow.late = most->late;
        slow.peered = most->peered;
        if (slow.ratio >= 1.05) {
            for (const oplog::rank_answer& r : to_.ranks)
                if (r.excess >= 0.9 * most->excess) slow.similar.push_back(r.rank);
            slow.reason = peers.front()->stage != most->stage ? cause::no_peer
                          : slow.bytes_ratio >= 1.1           ? cause::more_bytes
                          : slow.calls_ratio >= 1.1           ? cause::more_operations
                                                              : cause::longer;
        }
        to_.slowest_rank = std::move(slow);
    }
    void compare_stages() {
        using cause = oplog::slow_stage::cause;
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
            slow.reason = slow.ratio_without - 1 >= (slow.ratio - 1) / 2 ? cause::all_ranks : cause::one_rank;
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
    template <class Sent>
    void add_imbalance(const std::string& kind, const call_group& g, const Sent& sent) {
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
        std::vector<double> works;
        for (const oplog::rank_answer& r : to_.ranks) works.push_back(r.account.work);
        const std::vector<double> base = medians_of_others(works);
        for (std::size_t n = 0; n != works.size(); ++n) {
            to_.ranks[n].excess = works[n] - base[n];
            to_.ranks[n].ratio = base[n] != 0 ? works[n] / base[n] : 1;
        }
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

    oplog::run_answers& to_;
    bool all_stages_ = false;
};

// What nccl-tests multiply the bandwidth of an algorithm with, so that it can be compared with that of the links: of
// the bytes that one of n ranks gives.
inline std::optional<double> bus_factor(oplog::collective what, double n) noexcept {
    switch (what) {
    case oplog::collective::allreduce: return 2 * (n - 1) / n;
    case oplog::collective::all_to_all:
    case oplog::collective::reduce_scatter: return (n - 1) / n;
    case oplog::collective::allgather: return n - 1;  // each rank gives an n-th of all bytes
    case oplog::collective::broadcast: return 1.0;
    default: return std::nullopt;
    }
}

// The rows of run_answers::bandwidth. Linear in calls, but for the sorting of each row's times.
inline std::vector<oplog::bandwidth_answer> bandwidth_of(const oplog::run_answers& a) {
    using step = oplog::program_step;
    using row = oplog::bandwidth_answer;
    using words = oplog_operations<build>;
    struct calls_of_row {
        double bytes = 0;
        std::int64_t ranks = 0;
        std::vector<double> times;
    };
    // By kind of group, name of the collective, bytes, place and size of the group.
    using key = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, oplog::group_of_ranks::place, std::int64_t>;
    ordered_map<key, calls_of_row> rows;
    for (const oplog::group_call& call : a.calls) {
        const auto step_of = [&](std::size_t n) -> const step& {
            const oplog::call_member& member = a.members[call.first_member + n];
            return a.ranks[member.rank].program[member.step];
        };
        if (!call.is_known || call.members < 2 || step_of(0).what != step::kind::collective) continue;
        const step& first = step_of(0);
        std::int64_t size = first.bytes;
        double bytes = 0;
        for (std::size_t n = 0; n != call.members; ++n) {
            const std::int64_t own = step_of(n).bytes;
            if (own < 0)
                size = row::untold;
            else if (own != size && size >= 0)
                size = row::differs;
            bytes += static_cast<double>(own);
        }
        const oplog::group_of_ranks& group = a.groups_of_ranks[call.group];
        calls_of_row& to =
            rows[{first.group, first.nested ? first.function : first.operation, size, group.where, group.size}];
        if (size != row::untold) to.bytes += bytes / call.members;
        to.times.push_back(call.transfer);
    }
    std::vector<row> answer;
    for (auto& [of, calls] : rows) {
        const auto& [group, function, size, where, ranks] = of;
        row one;
        one.group = a.names[group];
        one.function = a.names[function];
        one.size = size;
        one.ranks = ranks;
        one.calls = calls.times.size();
        one.bytes = calls.bytes;
        one.least_transfer = calls.times[0];
        for (const double t : calls.times) {
            one.transfer += t;
            one.least_transfer = (std::min)(one.least_transfer, t);
        }
        one.median_transfer = low_median(std::move(calls.times));
        one.where = where;
        const oplog::collective what = words::facts_of(one.function).collective;
        if (size != row::untold && one.transfer > 0) {
            one.algorithm = one.bytes / one.transfer / 1e6;
            if (const auto factor = bus_factor(what, static_cast<double>(ranks))) one.bus = *one.algorithm * *factor;
        }
        answer.push_back(std::move(one));
    }
    sort_list(answer, [](const row& x, const row& y) {
        return std::tie(x.group, x.function, x.size, x.where, x.ranks) <
               std::tie(y.group, y.function, y.size, y.where, y.ranks);
    });
    return answer;
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
