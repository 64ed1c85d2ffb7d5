// Verdicts on a run whose account is known: stages and the bubble, who is slow and why, imbalance.
#ifndef WLFMT_DETAIL_ANSWERS_VERDICTS_HPP
#define WLFMT_DETAIL_ANSWERS_VERDICTS_HPP

#include "../base/order.hpp"
#include "../summary/ordered_map.hpp"
#include "waiting.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

class run_verdicts {
    using limit = oplog::limit;

public:
    explicit run_verdicts(oplog::run_answers& to) : to_(to) {
        for (std::size_t n = 0; n != to.ranks.size(); ++n)
            by_stage_[to.ranks[n].stage.value_or(no_number)].push_back(n);
    }

    void add_stages() {
        const std::int64_t pipeline = to_.sizes ? to_.sizes->pipeline : 0;
        // Without sizes, no rank is known to be missing.
        const std::int64_t per_stage = to_.sizes ? to_.sizes->world / pipeline : 1;
        const auto batches = static_cast<double>(to_.micro_batches);
        double longest = 0;
        for (const oplog::rank_answer& r : to_.ranks) {
            limit_to(to_.pipeline_limit, r.pipeline_span_limit);
            longest = (std::max)(longest, r.pipeline_span.value_or(0));
        }
        // Stage 0 begins first.
        for (const std::int64_t rank : to_.missing_ranks)
            if (rank < per_stage) limit_to(to_.pipeline_limit, limit::least);
        const bool is_pipeline = to_.together && pipeline > 1;
        if (is_pipeline && longest > 0 && by_stage_.count(std::int64_t{0}) != 0) to_.pipeline_time = longest;
        if (is_pipeline && to_.micro_batches != 0)
            to_.equal_share = static_cast<double>(pipeline - 1) /
                              (batches / static_cast<double>(to_.iterations) + static_cast<double>(pipeline - 1));
        for (const auto& [stage, ranks] : by_stage_)
            if (stage != no_number) to_.stages.push_back(stage_of(stage, ranks));
        auto missing = to_.missing_ranks.begin();
        for (oplog::stage_answer& s : to_.stages)
            for (; missing != to_.missing_ranks.end() && *missing / per_stage <= s.stage; ++missing)
                if (*missing / per_stage == s.stage) s.missing.push_back(*missing);
        double shares = 0;
        for (const oplog::stage_answer& s : to_.stages) {
            shares += s.bubble_share.value_or(0);
            limit_to(to_.bubble_limit, s.bubble_limit);
            limit_to(to_.least_limit, s.busy_limit);
            limit_to(to_.least_even_limit, s.batch_work_limit);
        }
        all_stages_ = static_cast<std::int64_t>(to_.stages.size()) == pipeline;
        if (!to_.pipeline_time || !all_stages_ || to_.micro_batches == 0) return;
        to_.bubble_share = shares / static_cast<double>(pipeline);
        to_.least_time = least_time(false);
        to_.least_time_even = least_time(true);
    }
    // Adds up the bytes that members of each all-to-all group send, and of these the bytes of calls (by operation and
    // place in it) that differ between members. Calls that a member lacks count for none.
    void add_imbalance(const std::vector<call_group>& groups) {
        std::vector<bool> is_all_to_all;
        for (const std::string& name : to_.names)
            is_all_to_all.push_back(oplog::collective_of(name) == oplog::collective::all_to_all);
        for (const call_group& g : groups) {
            const std::size_t width = g.members.size();
            if (width < 2) continue;
            ordered_map<std::pair<std::uint32_t, std::int32_t>, bytes_by_batch> sent;
            for (std::size_t row = 0; row != g.row_count(); ++row) {
                if (!g.is_complete(row)) continue;
                const oplog::program_step& first = *g.at(row, 0)->step;
                if (!is_all_to_all[first.function]) continue;
                std::int32_t position = 0;  // a call that is missing moves those after it
                for (std::size_t n = 0; n != width; ++n) position = (std::max)(position, g.at(row, n)->step->position);
                std::vector<double>& to = sent[{first.operation, position}][first.batch];
                to.resize(width);
                for (std::size_t n = 0; n != width; ++n) to[n] += static_cast<double>(known_bytes(*g.at(row, n)->step));
            }
            if (!sent.empty()) add_imbalance(g, sent);
        }
    }
    void compare_iterations() {
        for (oplog::iteration_answer& one : to_.by_iteration) {
            std::vector<double> works;
            for (const oplog::time_account& account : one.ranks) works.push_back(account.work);
            if (works.size() < 2 || to_.lost != 0) continue;
            double most = 0;
            const std::vector<double> base = of_others(works);
            for (std::size_t n = 0; n != works.size(); ++n) {
                if (works[n] - base[n] <= most || works[n] < 1.05 * base[n]) continue;
                most = works[n] - base[n];
                one.slowest_rank = to_.ranks[n].rank;
            }
        }
    }
    // The work of each stage's ranks is sorted once, which gives the median without any one of them at once.
    void compare_ranks() {
        using cause = oplog::slow_rank::cause;
        if (to_.ranks.size() < 2) return;
        set_excesses();
        const auto most = std::max_element(to_.ranks.begin(), to_.ranks.end(),
                                           [](const auto& a, const auto& b) { return a.excess < b.excess; });
        const bool has_peers = by_stage_.at(most->stage.value_or(no_number)).size() > 1;
        oplog::slow_rank slow;
        slow.rank = most->rank;
        slow.stage = most->stage;
        slow.work = most->account.work;
        slow.excess = most->excess;
        slow.ratio = most->ratio;
        slow.work_limit = most->account.work_limit;
        slow.ratio_limit = most->excess_limit;
        const double gaps = median_of_others(*most, [](const auto& r) { return r.account.gaps; });
        set_counts(slow, *most, false);
        slow.gaps_ratio = most->account.gaps / (std::max)(1e-9, gaps);
        slow.caused = most->caused;
        slow.late = most->late;
        slow.peered = most->peered;
        const auto reason_of = [&](const oplog::slow_rank& by) {
            return slow.ratio < 1.05       ? cause::none
                   : !has_peers            ? cause::no_peer
                   : by.bytes_ratio >= 1.1 ? cause::more_bytes
                   : by.calls_ratio >= 1.1 ? cause::more_operations
                                           : cause::longer;
        };
        slow.reason = reason_of(slow);
        if (slow.reason != cause::none)
            for (const oplog::rank_answer& r : to_.ranks)
                if (r.excess >= 0.9 * most->excess) slow.similar.push_back(r.rank);
        if (to_.lost != 0) {
            if (!is_surely_slowest(*most, slow.reason != cause::none)) return;
            // Again with what ranks lack as others have it, which is only likely.
            oplog::slow_rank whole;
            set_counts(whole, *most, true);
            if (reason_of(whole) != slow.reason) return;
            for (const std::size_t n : by_stage_.at(most->stage.value_or(no_number)))
                if (to_.ranks[n].lost != 0) slow.counts_limit = limit::either;
        }
        to_.slowest_rank = std::move(slow);
    }
    // What ranks lack took no longer than their gaps: no more is known.
    void compare_stages() {
        using cause = oplog::slow_stage::cause;
        if (!all_stages_ || to_.stages.size() < 2 || to_.micro_batches == 0) return;
        const auto most = std::max_element(to_.stages.begin(), to_.stages.end(),
                                           [](const auto& a, const auto& b) { return a.per_batch < b.per_batch; });
        oplog::slow_stage slow;
        slow.stage = most->stage;
        slow.per_batch = most->per_batch;
        slow.per_batch_limit = most->busy_limit;
        std::vector<double> times[2];  // as known, and the most that they can be
        std::vector<double> works[2];
        limit of_works = limit::exact;
        for (const oplog::stage_answer& s : to_.stages) {
            if (&s == &*most) continue;
            limit_to(slow.others_limit, s.busy_limit);
            limit_to(of_works, s.account.work_limit);
            times[0].push_back(s.per_batch);
            times[1].push_back(most_busy(s) / static_cast<double>(to_.micro_batches));
            if (times[1].back() > slow.per_batch) return;
            works[0].push_back(work_without_slowest(s.stage, false));
            works[1].push_back(work_without_slowest(s.stage, true));
        }
        slow.ratio_limit = oplog::of_difference(slow.per_batch_limit, slow.others_limit);
        slow.ratio_without_limit = oplog::of_difference(most->account.work_limit, of_works);
        slow.others = low_median(times[0]);
        const auto ratio = [](double of, double base) { return base > 0 ? of / base : 1; };
        slow.ratio = ratio(slow.per_batch, slow.others);
        slow.ratio_without = ratio(work_without_slowest(slow.stage, false), low_median(works[0]));
        const std::vector<std::size_t>& ranks = by_stage_.at(slow.stage);
        const auto busiest = *std::max_element(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) {
            return to_.ranks[a].account.work < to_.ranks[b].account.work;
        });
        slow.rank = to_.ranks[busiest].rank;
        const auto reason_of = [](double all, double without) {
            return all < 1.05 ? cause::none : without - 1 >= (all - 1) / 2 ? cause::all_ranks : cause::one_rank;
        };
        slow.reason = reason_of(slow.ratio, slow.ratio_without);
        if (to_.lost != 0) {
            if (most->busy_limit != limit::exact && slow.reason == cause::none) return;
            for (const std::size_t n : ranks)
                if (n != busiest && most_work(to_.ranks[n]) > to_.ranks[busiest].account.work) return;
            const double all[] = {ratio(slow.per_batch, low_median(std::move(times[1]))),
                                  ratio(most_busy(*most), slow.others * static_cast<double>(to_.micro_batches))};
            const double without[] = {ratio(work_without_slowest(slow.stage, false), low_median(std::move(works[1]))),
                                      ratio(work_without_slowest(slow.stage, true), low_median(std::move(works[0])))};
            if (reason_of(all[0], without[1]) != slow.reason || reason_of(all[1], without[0]) != slow.reason) return;
        }
        to_.slowest_stage = slow;
    }

private:
    using bytes_by_batch = ordered_map<std::int64_t, std::vector<double>>;  // of each member of a group

    // The mean of the ranks that have a value; nothing if a rank may have lost its own.
    std::optional<double> mean_of(const std::vector<std::size_t>& ranks,
                                  std::optional<double> oplog::rank_answer::*value,
                                  limit oplog::rank_answer::*what) const {
        double sum = 0;
        double count = 0;
        for (const std::size_t n : ranks) {
            const oplog::rank_answer& r = to_.ranks[n];
            if (!(r.*value) && r.*what != limit::exact) return std::nullopt;
            sum += (r.*value).value_or(0);
            count += r.*value ? 1 : 0;
        }
        return count > 0 ? std::optional<double>(sum / count) : std::nullopt;
    }
    // Sets all members but those about missing ranks.
    oplog::stage_answer stage_of(std::int64_t stage, const std::vector<std::size_t>& ranks) const {
        oplog::stage_answer s;
        number_range<double> work;
        s.stage = stage;
        s.ranks = ranks.size();
        for (const std::size_t n : ranks) {
            const oplog::rank_answer& r = to_.ranks[n];
            work.add(r.account.work);
            s.busy += r.pipeline_busy;
            s.uneven += r.uneven;
            add_to(s.account, r.account);
            if (r.lost != 0) limit_to(s.busy_limit, limit::least);
            limit_to(s.fill_limit, r.first_forward_limit);
            limit_to(s.drain_limit, oplog::of_difference(limit::exact, r.pipeline_span_limit));
        }
        s.least_work = work.least;
        s.greatest_work = work.greatest;
        const double part = 1 / static_cast<double>(s.ranks);
        s.busy *= part;
        s.uneven *= part;
        for (const auto time : parts_of<oplog::time_account>::times) s.account.*time *= part;
        s.batch_work_limit = oplog::of_difference(s.busy_limit, s.account.stage_limit);
        if (to_.micro_batches != 0) {
            s.per_batch = s.busy / static_cast<double>(to_.micro_batches);
            s.batch_work = (s.busy - s.uneven) / static_cast<double>(to_.micro_batches);
        }
        if (!to_.pipeline_time) return s;
        s.bubble = *to_.pipeline_time - s.busy;
        s.bubble_share = *s.bubble / *to_.pipeline_time;
        s.bubble_limit = oplog::of_difference(to_.pipeline_limit, s.busy_limit);
        s.fill = mean_of(ranks, &oplog::rank_answer::first_forward, &oplog::rank_answer::first_forward_limit);
        if (const auto end =
                mean_of(ranks, &oplog::rank_answer::pipeline_span, &oplog::rank_answer::pipeline_span_limit))
            s.drain = *to_.pipeline_time - *end;
        limit_to(s.drain_limit, to_.pipeline_limit);
        return s;
    }
    // A stage begins no earlier than the first micro-batch has passed those before it, and then does all micro-batches.
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

    static double correlation(std::vector<double> x, std::vector<double> y) {
        for (std::vector<double>* values : {&x, &y}) {
            double mean = 0;
            for (const double v : *values) mean += v / static_cast<double>(values->size());
            for (double& v : *values) v -= mean;
        }
        double xx = 0;
        double yy = 0;
        double xy = 0;
        for (std::size_t n = 0; n != x.size(); ++n) {
            xx += x[n] * x[n];
            yy += y[n] * y[n];
            xy += x[n] * y[n];
        }
        return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
    }
    static double ratio_to_mean(const std::vector<double>& values) {
        double sum = 0;
        for (const double v : values) sum += v;
        const double greatest = *std::max_element(values.begin(), values.end());
        return sum > 0 ? greatest * static_cast<double>(values.size()) / sum : 1;
    }
    void add_imbalance(const call_group& g,
                       const ordered_map<std::pair<std::uint32_t, std::int32_t>, bytes_by_batch>& sent) {
        const std::size_t width = g.members.size();
        const auto add = [width](std::vector<double>& to, const std::vector<double>& more) {
            to.resize(width);
            for (std::size_t n = 0; n != width; ++n) to[n] += more[n];
        };
        oplog::imbalance_answer& a = to_.imbalance.emplace_back();
        a.group = to_.names[g.kind];
        a.is_partial = !g.is_whole();
        std::vector<double> work;
        for (const call_group::member& m : g.members) {
            const oplog::rank_answer& r = to_.ranks[m.rank];
            a.ranks.push_back(r.rank);
            a.is_partial = a.is_partial || r.lost != 0;
            work.push_back(r.account.work);
        }
        a.bytes.resize(width);
        std::vector<double> all;
        bytes_by_batch varying;
        for (const auto& [place, by_batch] : sent) {
            std::vector<double> bytes;
            for (const auto& [batch, some] : by_batch) add(bytes, some);
            add(all, bytes);
            a.worst_call_ratio = (std::max)(a.worst_call_ratio, ratio_to_mean(bytes));
            const auto [least, greatest] = std::minmax_element(bytes.begin(), bytes.end());
            if (*least == *greatest) continue;
            add(a.bytes, bytes);
            for (const auto& [batch, some] : by_batch) add(varying[batch], some);
        }
        a.all_ratio = ratio_to_mean(all);
        if (varying.empty()) return;
        for (const auto& [batch, bytes] : varying) {
            a.batches.push_back(batch);
            a.batch_bytes.insert(a.batch_bytes.end(), bytes.begin(), bytes.end());
        }
        const auto greatest = std::max_element(a.bytes.begin(), a.bytes.end()) - a.bytes.begin();
        a.greatest_rank = a.ranks[static_cast<std::size_t>(greatest)];
        a.ratio = ratio_to_mean(a.bytes);
        a.correlation = correlation(a.bytes, work);
    }
    // What a rank lacks was in its gaps if records come before and after it.
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
        for (const std::size_t n : by_stage_.at(s.stage)) most += most_lost(to_.ranks[n]);
        return s.busy + most / static_cast<double>(s.ranks);
    }
    // Whether no other rank can have as much work beyond its peers, or nine tenths of it where that work is not exact.
    bool is_surely_slowest(const oplog::rank_answer& most, bool is_slow) const {
        std::vector<double> least;
        std::vector<double> greatest;
        for (const oplog::rank_answer& r : to_.ranks) {
            least.push_back(r.account.work);
            greatest.push_back(most_work(r));
        }
        const std::vector<double> least_base = of_others(least);
        const std::vector<double> greatest_base = of_others(greatest);
        const auto at = static_cast<std::size_t>(&most - to_.ranks.data());
        if (is_slow ? least[at] < 1.05 * greatest_base[at] : greatest[at] >= 1.05 * least_base[at]) return false;
        for (std::size_t n = 0; n != least.size(); ++n) {
            const bool is_exact = least[n] == greatest[n] && least_base[n] == greatest_base[n];
            if (n != at && greatest[n] - least_base[n] >= (is_exact ? 1 : 0.9) * (least[at] - greatest_base[at]))
                return is_exact && least[at] == greatest[at] && least_base[at] == greatest_base[at];
        }
        return true;
    }
    void set_counts(oplog::slow_rank& to, const oplog::rank_answer& of, bool with_lost) const {
        const auto bytes_of = [&](const auto& r) { return r.nested_bytes + (with_lost ? r.lost_bytes : 0); };
        const auto calls_of = [&](const auto& r) {
            return static_cast<double>(r.nested_calls + (with_lost ? r.lost_calls : 0));
        };
        const double bytes = median_of_others(of, bytes_of);
        to.bytes_ratio = bytes != 0 ? bytes_of(of) / bytes : 1;
        to.calls_ratio = calls_of(of) / (std::max)(1.0, median_of_others(of, calls_of));
    }

    // For each rank, the lower median or the greatest of the stage's other ranks or, without any, of all other ranks.
    std::vector<double> of_others(const std::vector<double>& values, bool greatest = false) const {
        std::vector<double> all = values;
        std::sort(all.begin(), all.end());
        std::vector<double> found(values.size());
        for (const auto& [stage, ranks] : by_stage_) {
            std::vector<double> own;
            own.reserve(ranks.size());
            for (const std::size_t n : ranks) own.push_back(values[n]);
            std::sort(own.begin(), own.end());
            const std::vector<double>& sorted = own.size() > 1 ? own : all;
            const std::size_t at = (sorted.size() - 2) / (greatest ? 1 : 2);
            for (const std::size_t n : ranks) found[n] = sorted[at] < values[n] ? sorted[at] : sorted[at + 1];
        }
        return found;
    }
    template <class Value> double median_of_others(const oplog::rank_answer& rank, const Value& value) const {
        std::vector<double> values;
        for (const oplog::rank_answer& r : to_.ranks) values.push_back(value(r));
        return of_others(values)[static_cast<std::size_t>(&rank - to_.ranks.data())];
    }
    void set_excesses() {
        std::vector<double> works;
        std::vector<double> is_limit[2];  // 1 where the work is the least that it can be, or where it is the most
        for (const oplog::rank_answer& r : to_.ranks) {
            works.push_back(r.account.work);
            for (const limit l : {limit::least, limit::most})
                is_limit[l == limit::most].push_back(oplog::of_both(r.account.work_limit, l) == r.account.work_limit);
        }
        const std::vector<double> base = of_others(works);
        const std::vector<double> any_least = of_others(is_limit[0], true);
        const std::vector<double> any_most = of_others(is_limit[1], true);
        for (std::size_t n = 0; n != works.size(); ++n) {
            oplog::rank_answer& r = to_.ranks[n];
            r.excess = works[n] - base[n];
            r.ratio = base[n] != 0 ? works[n] / base[n] : 1;
            r.excess_limit = r.account.work_limit;
            if (any_least[n] > 0) limit_to(r.excess_limit, limit::most);
            if (any_most[n] > 0) limit_to(r.excess_limit, limit::least);
        }
    }
    // The lower median of the work of a stage's ranks but the slowest.
    double work_without_slowest(std::int64_t stage, bool at_most) const {
        std::vector<double> works;
        for (const std::size_t n : by_stage_.at(stage))
            works.push_back(at_most ? most_work(to_.ranks[n]) : to_.ranks[n].account.work);
        if (works.size() > 1) works.erase(std::max_element(works.begin(), works.end()));
        return low_median(std::move(works));
    }

    oplog::run_answers& to_;
    ordered_map<std::int64_t, std::vector<std::size_t>> by_stage_;  // places of ranks; no_number: without a stage
    bool all_stages_ = false;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
