// Verdicts on a run whose account is known: stages and the bubble, who is slow and why, imbalance.
#ifndef WLFMT_ANALYSIS_ANSWERS_VERDICTS_HPP
#define WLFMT_ANALYSIS_ANSWERS_VERDICTS_HPP

#include <map>

#include "../library.hpp"
#include "waiting.hpp"

namespace wlfmt::analysis {

class run_verdicts {
public:
    // `found`: what the analysis found about the same ranks.
    run_verdicts(run_answers& answers, const std::vector<analysed_rank>& found) : run_(answers), found_(found) {
        for (std::size_t n = 0; n != answers.ranks.size(); ++n)
            by_stage_[answers.ranks[n].stage.value_or(no_number)].push_back(n);
    }

    void add_stages() {
        const std::int64_t pipeline = run_.sizes ? run_.sizes->pipeline : 0;
        // Without sizes, no rank is known to be missing.
        const std::int64_t per_stage = run_.sizes ? run_.sizes->world / pipeline : 1;
        for (const auto& [stage, ranks] : by_stage_)
            if (stage != no_number) run_.stages.emplace_back().stage = stage;
        std::map<std::int64_t, std::vector<std::int64_t>> missing;
        for (const auto* lists : {&run_.missing_ranks, &run_.left_out})
            for (const std::int64_t rank : *lists)
                if (run_.sizes && rank >= 0 && rank < run_.sizes->world) missing[rank / per_stage].push_back(rank);
        for (stage_answer& s : run_.stages) s.missing = missing[s.stage];
        all_stages_ = static_cast<std::int64_t>(run_.stages.size()) == pipeline;
        const bool is_pipeline = run_.together && pipeline > 1;
        // The pipeline takes as long as the rank that spends most time in it: one of stage 0, where it begins.
        bounded longest;
        for (const rank_answer& r : run_.ranks)
            if (r.pipeline_span.is_known()) longest = greater_of(longest, r.pipeline_span);
            else if (r.lost != 0) longest.limit_to(limit::least);
        if (is_pipeline && longest.number() > 0 && by_stage_.count(std::int64_t{0}) != 0) run_.pipeline_time = longest;
        if (!missing[0].empty()) run_.pipeline_time.limit_to(limit::least);
        const auto batches = static_cast<double>(run_.micro_batches);
        if (is_pipeline && run_.micro_batches != 0 && !run_.interleaved)
            run_.equal_share =
                bounded(static_cast<double>(pipeline - 1) /
                        (batches / static_cast<double>(run_.iterations) + static_cast<double>(pipeline - 1)));
        for (stage_answer& s : run_.stages) set_stage(s, by_stage_.at(s.stage));
        if (!run_.pipeline_time.is_known() || !all_stages_ || run_.micro_batches == 0) return;
        bounded shares;
        for (const stage_answer& s : run_.stages) shares += s.bubble_share;
        run_.bubble_share = shares * (1 / static_cast<double>(pipeline));
        if (run_.interleaved) return;
        run_.least_time = least_time(&stage_answer::per_batch);
        run_.least_time_even = least_time(&stage_answer::batch_work);
    }
    // Adds up the bytes that the members of each all-to-all group send: in all calls and in those whose bytes differ
    // between members (by operation and place in the record). A call that a member lacks counts for none.
    void add_imbalance(const std::vector<call_group>& groups) {
        std::vector<bool> is_all_to_all;
        for (const std::string& name : run_.names)
            is_all_to_all.push_back(oplog::collective_of(name) == oplog::collective::all_to_all);
        for (const call_group& g : groups) {
            const std::size_t width = g.members.size();
            if (width < 2) continue;
            std::map<std::pair<std::uint32_t, std::int32_t>, bytes_by_batch> sent;
            for (std::size_t row = 0; row != g.row_count(); ++row) {
                if (!g.is_complete(row)) continue;
                const program_step& first = *g.at(row, 0)->step;
                if (!is_all_to_all[first.function]) continue;
                std::int32_t position = 0;  // a missing call shifts those after it
                for (std::size_t n = 0; n != width; ++n) position = (std::max)(position, g.at(row, n)->step->position);
                std::vector<double>& bytes = sent[{first.operation, position}][first.batch];
                bytes.resize(width);
                for (std::size_t n = 0; n != width; ++n)
                    bytes[n] += static_cast<double>(known_bytes(*g.at(row, n)->step));
            }
            if (!sent.empty()) add_imbalance(g, sent);
        }
    }
    void compare_iterations() {
        if (run_.lost != 0 || !run_.missing_ranks.empty() || !run_.left_out.empty()) return;
        for (iteration_answer& iteration : run_.by_iteration) {
            std::vector<double> works;
            for (const time_account& account : iteration.ranks)
                if (const auto work = account.work.exact()) works.push_back(*work);
            if (works.size() < 2 || works.size() != run_.ranks.size()) continue;
            iteration.is_slowest_known = true;
            double longest = 0;
            const std::vector<double> base = medians_of_others(works);
            for (std::size_t n = 0; n != works.size(); ++n) {
                if (works[n] - base[n] <= longest || works[n] < least_ratio * base[n] || !has_peers(run_.ranks[n]))
                    continue;
                longest = works[n] - base[n];
                iteration.slowest_rank = run_.ranks[n].rank;
            }
        }
    }
    // The work of each stage's ranks is sorted once: the median of all but one of them then takes constant time.
    void compare_ranks() {
        using cause = slow_rank::cause;
        if (run_.ranks.size() < 2) {
            if (run_.missing_ranks.empty() && run_.left_out.empty()) return;
            for (rank_answer& r : run_.ranks) r.excess = r.ratio = bounded::unknown();
            return;
        }
        std::vector<double> least;
        std::vector<double> greatest;
        for (std::size_t n = 0; n != run_.ranks.size(); ++n) {
            least.push_back(least_work(n));
            greatest.push_back(most_work(n));
        }
        std::vector<double> least_base = medians_of_others(least);
        std::vector<double> greatest_base = medians_of_others(greatest);
        // A rank without a log may have done any amount of work, and may be the peer whose work is the median.
        const bool any_missing = !run_.missing_ranks.empty() || !run_.left_out.empty();
        for (const auto& [stage, ranks] : by_stage_) {
            bool lacks_peers = any_missing && ranks.size() == 1;
            for (const stage_answer& s : run_.stages)
                lacks_peers = lacks_peers || (s.stage == stage && !s.missing.empty());
            for (const std::size_t n : ranks) {
                if (!lacks_peers) continue;
                least_base[n] = 0;
                greatest_base[n] = bounded::unlimited;
            }
        }
        const auto difference = [](double a, double b) {
            if (a >= bounded::unlimited) return a;
            return b >= bounded::unlimited ? -b : a - b;
        };
        for (std::size_t n = 0; n != run_.ranks.size(); ++n) {
            rank_answer& r = run_.ranks[n];
            r.excess = bounded::between(difference(least[n], greatest_base[n]), difference(greatest[n], least_base[n]));
            r.ratio = bounded::between(
                greatest_base[n] > 0 && greatest_base[n] < bounded::unlimited ? least[n] / greatest_base[n] : 0,
                least_base[n] > 0 && greatest[n] < bounded::unlimited ? greatest[n] / least_base[n]
                                                                      : bounded::unlimited);
            if (least_base[n] == 0 && greatest_base[n] == 0) r.ratio = bounded(1);
        }
        // The rank whose work surely exceeds that of its peers by the most.
        std::size_t at = 0;
        for (std::size_t n = 1; n != least.size(); ++n)
            if (difference(least[n], greatest_base[n]) > difference(least[at], greatest_base[at])) at = n;
        const rank_answer& slowest = run_.ranks[at];
        slow_rank slow;
        slow.rank = slowest.rank;
        slow.stage = slowest.stage;
        slow.work = slowest.account.work;
        slow.peers = bounded::between(least_base[at], greatest_base[at]);
        slow.excess = slowest.excess;
        slow.ratio = slowest.ratio;
        slow.caused = slowest.caused;
        slow.late = slowest.late;
        slow.peered = slowest.peered;
        const bool is_slow = slowest.ratio.at_least() >= least_ratio;
        if (!is_slow) {
            // That no rank is slow is certain only if none can be, and says something only of ranks with peers.
            bool any_peers = false;
            for (const rank_answer& r : run_.ranks) {
                if (!has_peers(r)) continue;
                if (r.ratio.at_most() >= least_ratio) return;
                any_peers = true;
            }
            if (!any_peers) slow.reason = cause::no_peer;
            run_.slowest_rank = std::move(slow);
            return;
        }
        const double own_excess = slowest.excess.at_least();
        for (std::size_t n = 0; n != least.size(); ++n)
            if (n != at && difference(greatest[n], least_base[n]) > own_excess) return;
        set_ratios(slow, slowest, false);
        const auto gaps = medians_of_others(bounds_of(&time_account::gaps));
        slow.gaps_ratio = slowest.account.gaps / gaps[at];
        const auto reason_of = [&](const slow_rank& by) {
            return !has_peers(slowest)                     ? cause::no_peer
                   : by.bytes_ratio.number() >= more_ratio ? cause::more_bytes
                   : by.calls_ratio.number() >= more_ratio ? cause::more_operations
                                                           : cause::longer;
        };
        slow.reason = reason_of(slow);
        for (const rank_answer& r : run_.ranks)
            if (r.rank == slow.rank || r.excess.at_least() >= 0.9 * own_excess) slow.similar.push_back(r.rank);
        if (run_.lost != 0) {
            // Decides again with the calls and bytes that the ranks likely lost.
            slow_rank whole;
            set_ratios(whole, slowest, true);
            for (bounded* number : {&slow.bytes_ratio, &slow.calls_ratio}) number->limit_to(limit::either);
            // If the two reasons differ, neither is certain.
            if (reason_of(whole) != slow.reason) slow.reason = cause::unknown;
        }
        run_.slowest_rank = std::move(slow);
    }
    // All that is known about the time of records that ranks lack is that it is no longer than the ranks' gaps.
    void compare_stages() {
        using cause = slow_stage::cause;
        if (!all_stages_ || run_.stages.size() < 2 || run_.micro_batches == 0) return;
        for (const stage_answer& s : run_.stages)
            if (!s.missing.empty() || s.busy.what() == limit::either) return;
        const auto slowest = std::max_element(run_.stages.begin(), run_.stages.end(), [](const auto& a, const auto& b) {
            return a.per_batch.number() < b.per_batch.number();
        });
        const auto batches = static_cast<double>(run_.micro_batches);
        slow_stage slow;
        slow.stage = slowest->stage;
        slow.per_batch = slowest->per_batch;
        std::vector<double> times[2];  // the times as known, and at their longest
        std::vector<double> works[2];
        limit limit_of_times = limit::exact;
        limit limit_of_works = limit::exact;
        for (const stage_answer& s : run_.stages) {
            if (&s == &*slowest) continue;
            limit_to(limit_of_times, s.per_batch.what());
            limit_to(limit_of_works, s.account.work.what());
            times[0].push_back(s.per_batch.number());
            times[1].push_back(most_busy(s) / batches);
            if (times[1].back() > slow.per_batch.number()) return;
            works[0].push_back(work_without_slowest(s.stage, false));
            works[1].push_back(work_without_slowest(s.stage, true));
        }
        slow.others = bounded(low_median(times[0]), limit_of_times);
        slow.ratio = slow.others.number() > 0 ? slow.per_batch / slow.others : bounded(1);
        const bounded without(work_without_slowest(slow.stage, false), slowest->account.work.what());
        const bounded other_works(low_median(works[0]), limit_of_works);
        slow.ratio_without = other_works.number() > 0 ? without / other_works : bounded(1);
        const std::vector<std::size_t>& ranks = by_stage_.at(slow.stage);
        const auto busiest = *std::max_element(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) {
            return run_.ranks[a].account.work.number() < run_.ranks[b].account.work.number();
        });
        slow.rank = run_.ranks[busiest].rank;
        const auto ratio = [](double a, double base) { return base > 0 ? a / base : 1; };
        const auto reason_of = [](double ratio_of_all, double rest) {
            return ratio_of_all < least_ratio           ? cause::none
                   : rest - 1 >= (ratio_of_all - 1) / 2 ? cause::all_ranks
                                                        : cause::one_rank;
        };
        slow.reason = reason_of(ratio(slow.per_batch.number(), slow.others.number()),
                                ratio(without.number(), other_works.number()));
        // In a stage of one rank, a slow rank cannot be told from a slow stage.
        if (ranks.size() == 1 && slow.reason != cause::none) slow.reason = cause::all_ranks;
        if (run_.lost != 0) {
            if (!slowest->busy.is_exact() && slow.reason == cause::none) return;
            for (const std::size_t n : ranks)
                if (n != busiest && most_work(n) > run_.ranks[busiest].account.work.number()) return;
            const double ratios[] = {ratio(slow.per_batch.number(), low_median(std::move(times[1]))),
                                     ratio(most_busy(*slowest), slow.others.number() * batches)};
            const double rest[] = {ratio(without.number(), low_median(std::move(works[1]))),
                                   ratio(work_without_slowest(slow.stage, true), low_median(std::move(works[0])))};
            if (ranks.size() > 1 &&
                (reason_of(ratios[0], rest[1]) != slow.reason || reason_of(ratios[1], rest[0]) != slow.reason))
                return;
            if ((ratios[0] < least_ratio) != (ratios[1] < least_ratio)) return;
            // The ratio is least if the other stages took as long as they can have taken.
            slow.ratio = bounded::between(ratios[0], ratios[1]);
        }
        run_.slowest_stage = slow;
    }

private:
    static constexpr double least_ratio = slow_rank::least_ratio;
    static constexpr double more_ratio = 1.1;  // a rank with so many times its peers' bytes or operations has more
    using bytes_by_batch = std::map<std::int64_t, std::vector<double>>;  // a number for each member of a group

    // The mean over the ranks that have a value; unknown if a rank may have lost its value.
    bounded mean_of(const std::vector<std::size_t>& ranks, bounded rank_answer::*value) const {
        bounded sum;
        double count = 0;
        for (const std::size_t n : ranks) {
            const rank_answer& r = run_.ranks[n];
            if (!(r.*value).is_known() && r.lost != 0) return bounded::unknown();
            if (!(r.*value).is_known()) continue;
            sum += r.*value;
            count += 1;
        }
        return count > 0 ? sum * (1 / count) : bounded::unknown();
    }
    void set_stage(stage_answer& s, const std::vector<std::size_t>& ranks) const {
        s.ranks = ranks.size();
        number_range<double> work;
        limit limit_of_work = limit::exact;
        bounded uneven;
        for (const std::size_t n : ranks) {
            const rank_answer& r = run_.ranks[n];
            work.add(r.account.work.number());
            limit_to(limit_of_work, r.account.work.what());
            s.busy += r.pipeline_busy;
            uneven += r.uneven;
            add_to(s.account, r.account);
        }
        s.least_work = bounded(work.least, limit_of_work);
        s.greatest_work = bounded(work.greatest, limit_of_work);
        const double part = 1 / static_cast<double>(s.ranks);
        s.busy *= part;
        uneven *= part;
        for (const auto time : parts_of<time_account>::times) s.account.*time *= part;
        if (run_.pipeline_time.is_known()) {
            s.fill = mean_of(ranks, &rank_answer::first_forward);
            s.drain = run_.pipeline_time - mean_of(ranks, &rank_answer::pipeline_span);
        }
        // A missing rank may have taken any time: nothing is known of the means of its stage.
        if (!s.missing.empty()) {
            s.busy = s.fill = s.drain = bounded::unknown();
            for (const auto time : parts_of<time_account>::times) s.account.*time = bounded::unknown();
            s.least_work.limit_to(limit::most);
            s.greatest_work.limit_to(limit::least);
        }
        s.per_batch = s.batch_work = bounded::unknown();
        if (run_.micro_batches != 0) {
            const double a_batch = 1 / static_cast<double>(run_.micro_batches);
            s.per_batch = s.busy * a_batch;
            s.batch_work = (s.busy - uneven) * a_batch;
        }
        if (!run_.pipeline_time.is_known()) return;
        s.bubble = run_.pipeline_time - s.busy;
        s.bubble_share = s.bubble * (1 / run_.pipeline_time.number());
        if (!run_.pipeline_time.is_exact() && s.bubble_share.is_known())
            s.bubble_share = bounded(s.bubble_share.number(), of_difference(run_.pipeline_time.what(), s.busy.what()));
    }
    // In each iteration, a stage begins no earlier than when the first micro-batch has passed the stages before it, and
    // then computes all micro-batches.
    bounded least_time(bounded stage_answer::*time) const {
        const auto batches = static_cast<double>(run_.micro_batches);
        const auto iterations = static_cast<double>(run_.iterations);
        bounded before;
        bounded least;
        for (const stage_answer& s : run_.stages) {
            least = greater_of(least, before * iterations + s.*time * batches);
            before += s.*time;
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
                       const std::map<std::pair<std::uint32_t, std::int32_t>, bytes_by_batch>& sent) {
        const std::size_t width = g.members.size();
        const auto add = [width](std::vector<double>& sums, const std::vector<double>& more) {
            sums.resize(width);
            for (std::size_t n = 0; n != width; ++n) sums[n] += more[n];
        };
        imbalance_answer& a = run_.imbalance.emplace_back();
        a.group = run_.names[g.kind];
        a.is_partial = !g.is_whole();
        std::vector<double> work;
        for (const call_group::member& m : g.members) {
            const rank_answer& r = run_.ranks[m.rank];
            a.ranks.push_back(r.rank);
            a.is_partial = a.is_partial || r.lost != 0;
            work.push_back(r.account.work.number());
        }
        a.bytes.resize(width);
        std::vector<double> sums;
        double worst = 1;
        bytes_by_batch varying;
        for (const auto& [place, by_batch] : sent) {
            std::vector<double> bytes;
            for (const auto& [batch, some] : by_batch) add(bytes, some);
            add(sums, bytes);
            worst = (std::max)(worst, ratio_to_mean(bytes));
            const auto [least, greatest] = std::minmax_element(bytes.begin(), bytes.end());
            if (*least == *greatest) continue;
            add(a.bytes, bytes);
            for (const auto& [batch, some] : by_batch) add(varying[batch], some);
        }
        a.worst_call_ratio = bounded(worst);
        a.all_ratio = bounded(ratio_to_mean(sums));
        if (varying.empty()) return;
        for (const auto& [batch, bytes] : varying) {
            a.batches.push_back(batch);
            a.batch_bytes.insert(a.batch_bytes.end(), bytes.begin(), bytes.end());
        }
        const auto greatest = std::max_element(a.bytes.begin(), a.bytes.end()) - a.bytes.begin();
        a.greatest_rank = a.ranks[static_cast<std::size_t>(greatest)];
        a.ratio = bounded(ratio_to_mean(a.bytes));
        a.correlation = bounded(correlation(a.bytes, work));
    }
    bool has_peers(const rank_answer& r) const { return by_stage_.at(r.stage.value_or(no_number)).size() > 1; }
    // The longest that a rank's lost records can have taken: they were in gaps if records come before and after them.
    static double longest_lost_time(const rank_answer& r) {
        if (r.lost == 0) return 0;
        return r.account.span.is_exact() ? (std::max)(0.0, r.account.gaps.number()) : bounded::unlimited;
    }
    // A rank's work is between these two. A lost record was in a gap, and a lost call in its record.
    double least_work(std::size_t n) const {
        return (std::max)(0.0, run_.ranks[n].account.work.number() - in_milliseconds(found_[n].work_less));
    }
    double most_work(std::size_t n) const {
        const rank_answer& r = run_.ranks[n];
        // Beyond the ends of its log, a lost record may have taken any time, unless it is a message, which has no work.
        if (r.lost != 0 && !r.account.span.is_exact() && r.account.work.at_most() >= bounded::unlimited)
            return bounded::unlimited;
        return r.account.work.number() + in_milliseconds(found_[n].work_more) +
               (found_[n].lost_in_any_gap ? (std::max)(0.0, r.account.gaps.number()) : 0);
    }
    double most_busy(const stage_answer& s) const {
        double lost_time = 0;
        for (const std::size_t n : by_stage_.at(s.stage)) {
            const double lost = longest_lost_time(run_.ranks[n]);
            lost_time =
                lost >= bounded::unlimited || lost_time >= bounded::unlimited ? bounded::unlimited : lost_time + lost;
        }
        return lost_time >= bounded::unlimited ? lost_time : s.busy.number() + lost_time / static_cast<double>(s.ranks);
    }
    void set_ratios(slow_rank& verdict, const rank_answer& rank, bool with_lost) const {
        const auto bytes_of = [&](const auto& r) { return r.nested_bytes.number() + (with_lost ? r.lost_bytes : 0); };
        const auto calls_of = [&](const auto& r) {
            return r.nested_calls.number() + static_cast<double>(with_lost ? r.lost_calls : 0);
        };
        const double bytes = median_of_others(rank, bytes_of);
        verdict.bytes_ratio = bounded(bytes != 0 ? bytes_of(rank) / bytes : 1);
        const auto records_of = [&](const auto& r) {
            // A record that is there twice is one step.
            const auto steps =
                std::count_if(r.program.begin(), r.program.end(), [](const auto& s) { return !s.nested; });
            return static_cast<double>(steps) + static_cast<double>(with_lost ? r.lost - r.lost_calls : 0);
        };
        const double calls = calls_of(rank) / (std::max)(1.0, median_of_others(rank, calls_of));
        const double records = records_of(rank) / (std::max)(1.0, median_of_others(rank, records_of));
        verdict.calls_ratio = bounded(records >= more_ratio ? (std::max)(records, calls) : calls);
    }

    // For each rank, the lower median over the stage's other ranks or, if there are none, over all other ranks.
    std::vector<double> medians_of_others(const std::vector<double>& values) const {
        std::vector<double> ordered = values;
        std::sort(ordered.begin(), ordered.end());
        std::vector<double> found(values.size());
        for (const auto& [stage, ranks] : by_stage_) {
            std::vector<double> own;
            own.reserve(ranks.size());
            for (const std::size_t n : ranks) own.push_back(values[n]);
            std::sort(own.begin(), own.end());
            const std::vector<double>& sorted = own.size() > 1 ? own : ordered;
            const std::size_t at = (sorted.size() - 2) / 2;
            for (const std::size_t n : ranks) found[n] = sorted[at] < values[n] ? sorted[at] : sorted[at + 1];
        }
        return found;
    }
    template <class Value> double median_of_others(const rank_answer& rank, const Value& value) const {
        std::vector<double> values;
        for (const rank_answer& r : run_.ranks) values.push_back(value(r));
        return medians_of_others(values)[static_cast<std::size_t>(&rank - run_.ranks.data())];
    }
    std::vector<bounded> bounds_of(bounded time_account::*part) const {
        std::vector<bounded> bounds;
        for (const rank_answer& r : run_.ranks) bounds.push_back(r.account.*part);
        return bounds;
    }
    // The same for values that may be limits: the medians of their least and of their greatest possible values.
    std::vector<bounded> medians_of_others(const std::vector<bounded>& values) const {
        std::vector<double> ends[2];
        for (const bounded& b : values) {
            ends[0].push_back((std::max)(0.0, b.at_least()));
            ends[1].push_back(b.at_most());
        }
        const std::vector<double> least = medians_of_others(ends[0]);
        const std::vector<double> greatest = medians_of_others(ends[1]);
        std::vector<bounded> bounds;
        for (std::size_t n = 0; n != values.size(); ++n) bounds.push_back(bounded::between(least[n], greatest[n]));
        return bounds;
    }
    // The lower median of the work of a stage's ranks, without the slowest one.
    double work_without_slowest(std::int64_t stage, bool at_most) const {
        std::vector<double> works;
        for (const std::size_t n : by_stage_.at(stage))
            works.push_back(at_most ? most_work(n) : run_.ranks[n].account.work.number());
        if (works.size() > 1) works.erase(std::max_element(works.begin(), works.end()));
        return low_median(std::move(works));
    }

    run_answers& run_;
    const std::vector<analysed_rank>& found_;
    std::map<std::int64_t, std::vector<std::size_t>> by_stage_;  // places of ranks; no_number: without a stage
    bool all_stages_ = false;
};

}  // namespace wlfmt::analysis

#endif
