// Verdicts on a run whose account is known: stages and the bubble, who is slow and why, imbalance.
#ifndef WLFMT_ANALYSIS_ANSWERS_VERDICTS_HPP
#define WLFMT_ANALYSIS_ANSWERS_VERDICTS_HPP

#include <map>

#include "../library.hpp"
#include "waiting.hpp"

namespace wlfmt::analysis {

class run_verdicts {
public:
    explicit run_verdicts(run_answers& answers) : run_(answers) {
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
        const bool is_pipeline = run_.together && pipeline > 1 && !run_.unfinished;
        // The pipeline takes as long as the rank that spends most time in it: one of stage 0, where it begins.
        bounded longest;
        for (const rank_answer& r : run_.ranks)
            if (r.pipeline_span.is_known()) longest = greater_of(longest, r.pipeline_span);
            else if (r.lost != 0) longest.widen(0, bounded::unlimited);
        if (is_pipeline && longest.at_most() > 0 && by_stage_.count(std::int64_t{0}) != 0) run_.pipeline_time = longest;
        if (!missing[0].empty()) run_.pipeline_time.widen(0, bounded::unlimited);
        const std::uint64_t batches = run_.micro_batches / run_.iterations;
        // Each chunk of an interleaved stage takes as many micro-batches in a row as there are stages.
        const bool is_known =
            !run_.interleaved || (run_.chunks > 1 && batches % static_cast<std::uint64_t>(pipeline) == 0);
        if (is_pipeline && run_.micro_batches != 0 && is_known) {
            const double passes = static_cast<double>(run_.micro_batches) / static_cast<double>(run_.iterations) *
                                  static_cast<double>((std::max)(run_.chunks, std::uint64_t{1}));
            run_.equal_share =
                bounded(static_cast<double>(pipeline - 1) / (passes + static_cast<double>(pipeline - 1)));
        }
        for (stage_answer& s : run_.stages) set_stage(s, by_stage_.at(s.stage));
        if (!run_.pipeline_time.is_known() || !all_stages_) return;
        bounded shares;
        for (const stage_answer& s : run_.stages) shares += s.bubble_share;
        run_.bubble_share = shares * (1 / static_cast<double>(pipeline));
        if (run_.interleaved || run_.micro_batches == 0) return;
        run_.least_time = least_time(&stage_answer::per_batch);
        run_.least_time_even = least_time(&stage_answer::batch_work);
        // The first micro-batch, which others wait for, may have been quicker than their mean.
        if (run_.least_time.at_least() > run_.pipeline_time.at_most())
            run_.least_time = run_.least_time_even = bounded::unknown();
    }
    // Adds up the bytes that the members of each all-to-all group send: in all calls and in those whose bytes differ
    // between members (by operation and place in the record). A call that a member lacks, or that has no known size in
    // one, counts for none.
    void add_imbalance(const std::vector<call_group>& groups) {
        std::vector<bool> is_all_to_all;
        for (const std::string& name : run_.names)
            is_all_to_all.push_back(oplog::collective_of(name) == oplog::collective::all_to_all);
        for (const call_group& g : groups) {
            const std::size_t width = g.members.size();
            if (width < 2) continue;
            std::map<std::pair<std::uint32_t, std::int32_t>, bytes_by_batch> sent;
            bool any_unknown = false;
            for (std::size_t row = 0; row != g.row_count(); ++row) {
                if (!g.is_complete(row)) continue;
                const program_step& first = *g.at(row, 0)->step;
                if (!is_all_to_all[first.function]) continue;
                std::int32_t position = 0;  // a missing call shifts those after it
                for (std::size_t n = 0; n != width; ++n) position = (std::max)(position, g.at(row, n)->step->position);
                bool is_known = true;
                for (std::size_t n = 0; n != width; ++n) is_known = is_known && g.at(row, n)->step->bytes >= 0;
                any_unknown = any_unknown || !is_known;
                if (!is_known) continue;
                std::vector<double>& bytes = sent[{first.operation, position}][first.batch];
                bytes.resize(width);
                for (std::size_t n = 0; n != width; ++n) bytes[n] += static_cast<double>(g.at(row, n)->step->bytes);
            }
            if (!sent.empty()) add_imbalance(g, sent, any_unknown);
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
        const std::vector<bounded> works = parts_of_ranks(&time_account::work);
        std::vector<bounded> base = medians_of_others(works);
        // A rank without a log may have done any amount of work, and may be the peer whose work is the median.
        const bool any_missing = !run_.missing_ranks.empty() || !run_.left_out.empty();
        for (const auto& [stage, ranks] : by_stage_) {
            bool lacks_peers = any_missing && ranks.size() == 1;
            for (const stage_answer& s : run_.stages)
                lacks_peers = lacks_peers || (s.stage == stage && !s.missing.empty());
            for (const std::size_t n : ranks) {
                if (!lacks_peers) continue;
                base[n] = bounded::no_less(0);
            }
        }
        for (std::size_t n = 0; n != works.size(); ++n) {
            rank_answer& r = run_.ranks[n];
            r.excess = works[n] - base[n];
            r.ratio = ratio_of(works[n], base[n]);
        }
        // The rank whose work surely exceeds that of its peers by the most.
        std::size_t at = 0;
        for (std::size_t n = 1; n != works.size(); ++n)
            if (run_.ranks[n].excess.at_least() > run_.ranks[at].excess.at_least()) at = n;
        const rank_answer& slowest = run_.ranks[at];
        slow_rank slow;
        slow.rank = slowest.rank;
        slow.stage = slowest.stage;
        slow.work = slowest.account.work;
        slow.peers = base[at];
        slow.excess = slowest.excess;
        slow.ratio = slowest.ratio;
        slow.caused = slowest.caused;
        slow.late = slowest.late;
        slow.last_of = slowest.last_of;
        const bool is_slow = slowest.ratio.at_least() >= least_ratio;
        if (!is_slow) {
            // That no rank is slow is certain only if none can be, and says something only of ranks with peers.
            if (any_missing) return;
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
        for (std::size_t n = 0; n != works.size(); ++n)
            if (n != at && run_.ranks[n].excess.at_most() > own_excess) return;
        // In a stage of which no rank is here, another one may be slower.
        if (!run_.left_out.empty() && !all_stages_) return;
        set_ratios(slow, slowest, false);
        const auto gaps = medians_of_others(parts_of_ranks(&time_account::gaps));
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
        if (std::any_of(run_.ranks.begin(), run_.ranks.end(),
                        [](const auto& r) { return !r.nested_bytes.is_exact(); })) {
            // Decides again with the calls and bytes that the ranks likely lost.
            slow_rank whole;
            set_ratios(whole, slowest, true);
            // If the two reasons differ, neither is certain.
            if (reason_of(whole) != slow.reason) slow.reason = cause::unknown;
            slow.bytes_ratio = slow.calls_ratio = bounded::unknown();
        }
        run_.slowest_rank = std::move(slow);
    }
    void compare_stages() {
        using cause = slow_stage::cause;
        if (!all_stages_ || run_.stages.size() < 2 || run_.micro_batches == 0) return;
        for (const stage_answer& s : run_.stages)
            if (!s.missing.empty()) return;
        const auto slowest = std::max_element(run_.stages.begin(), run_.stages.end(), [](const auto& a, const auto& b) {
            return a.per_batch.at_least() < b.per_batch.at_least();
        });
        slow_stage slow;
        slow.stage = slowest->stage;
        slow.per_batch = slowest->per_batch;
        std::vector<bounded> times;
        std::vector<bounded> works;
        for (const stage_answer& s : run_.stages) {
            if (&s == &*slowest) continue;
            if (s.per_batch.at_most() > slow.per_batch.at_least()) return;
            times.push_back(s.per_batch);
            works.push_back(work_without_slowest(s.stage));
        }
        slow.others = low_median_of(times);
        slow.ratio = ratio_of(slow.per_batch, slow.others);
        slow.ratio_without = ratio_of(work_without_slowest(slow.stage), low_median_of(works));
        const std::vector<std::size_t>& ranks = by_stage_.at(slow.stage);
        const auto busiest = *std::max_element(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) {
            return run_.ranks[a].account.work.at_least() < run_.ranks[b].account.work.at_least();
        });
        slow.rank = run_.ranks[busiest].rank;
        // At least half of the excess remains without the slowest rank of each stage.
        const bounded beyond_half = slow.ratio_without - bounded(1) - (slow.ratio - bounded(1)) * 0.5;
        const bool is_slow = slow.ratio.at_least() >= least_ratio;
        if (slow.ratio.at_most() < least_ratio) slow.reason = cause::none;
        // In a stage of one rank, a slow rank cannot be told from a slow stage.
        else if (is_slow && (ranks.size() == 1 || beyond_half.at_least() >= 0)) slow.reason = cause::all_ranks;
        else if (is_slow && beyond_half.at_most() < 0) slow.reason = cause::one_rank;
        else return;
        const auto is_no_straggler = [&](std::size_t n) { return run_.ranks[n].ratio.at_most() < least_ratio; };
        if (slow.reason == cause::one_rank && std::all_of(ranks.begin(), ranks.end(), is_no_straggler))
            slow.reason = cause::waiting;
        else if (slow.reason == cause::one_rank && run_.ranks[busiest].ratio.at_least() < least_ratio) return;
        for (const std::size_t n : ranks)
            if (slow.reason == cause::one_rank && n != busiest &&
                run_.ranks[n].account.work.at_most() > run_.ranks[busiest].account.work.at_least())
                return;
        run_.slowest_stage = slow;
    }

private:
    static constexpr double least_ratio = slow_rank::least_ratio;
    static constexpr double more_ratio = 1.1;  // a rank with so many times its peers' bytes or operations has more
    using bytes_by_batch = std::map<std::int64_t, std::vector<double>>;  // a number for each member of a group

    // How many times as long. Where neither takes any time, both take the same.
    static bounded ratio_of(const bounded& time, const bounded& base) noexcept {
        return time == 0 && base == 0 ? bounded(1) : time / base;
    }
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
        bounded uneven;
        s.least_work = bounded::between(bounded::unlimited, bounded::unlimited);
        for (const std::size_t n : ranks) {
            const rank_answer& r = run_.ranks[n];
            s.least_work = lesser_of(s.least_work, r.account.work);
            s.greatest_work = greater_of(s.greatest_work, r.account.work);
            s.busy += r.pipeline_busy;
            uneven += r.uneven;
            add_to(s.account, r.account);
        }
        const double part = 1 / static_cast<double>(s.ranks);
        s.busy *= part;
        uneven *= part;
        for (const auto time : parts_of<time_account>::times) s.account.*time *= part;
        if (run_.pipeline_time.is_known()) {
            s.fill = mean_of(ranks, &rank_answer::first_forward);
            s.drain = run_.pipeline_time - mean_of(ranks, &rank_answer::pipeline_span);
        }
        // A missing rank may have taken any time, so the averages over the ranks of its stage are unknown.
        if (!s.missing.empty()) {
            s.busy = s.fill = s.drain = bounded::unknown();
            for (const auto time : parts_of<time_account>::times) s.account.*time = bounded::unknown();
            s.least_work = bounded::between(0, s.least_work.at_most());
            s.greatest_work = bounded::no_less(s.greatest_work.at_least());
        }
        s.per_batch = s.batch_work = bounded::unknown();
        if (run_.micro_batches != 0) {
            const double a_batch = 1 / static_cast<double>(run_.micro_batches);
            s.per_batch = s.busy * a_batch;
            s.batch_work = (s.busy - uneven) * a_batch;
        }
        if (!run_.pipeline_time.is_known()) return;
        // The bubble and the time of the pipeline are longer or shorter together.
        s.bubble = not_below_0(run_.pipeline_time - s.busy);
        s.bubble_share = not_below_0(bounded(1) - s.busy / run_.pipeline_time);
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
                       const std::map<std::pair<std::uint32_t, std::int32_t>, bytes_by_batch>& sent, bool any_unknown) {
        const std::size_t width = g.members.size();
        const auto add = [width](std::vector<double>& sums, const std::vector<double>& more) {
            sums.resize(width);
            for (std::size_t n = 0; n != width; ++n) sums[n] += more[n];
        };
        imbalance_answer& a = run_.imbalance.emplace_back();
        a.group = run_.names[g.kind];
        a.is_partial = any_unknown || !g.is_whole();
        std::vector<double> work;
        bool is_work_exact = true;
        for (const call_group::member& m : g.members) {
            const rank_answer& r = run_.ranks[m.rank];
            a.ranks.push_back(r.rank);
            a.is_partial = a.is_partial || r.lost != 0;
            work.push_back(r.account.work.number());
            is_work_exact = is_work_exact && r.account.work.is_exact();
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
        a.correlation = is_work_exact ? bounded(correlation(a.bytes, work)) : bounded::unknown();
    }
    bool has_peers(const rank_answer& r) const { return by_stage_.at(r.stage.value_or(no_number)).size() > 1; }
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
    std::vector<bounded> parts_of_ranks(bounded time_account::*part) const {
        std::vector<bounded> parts;
        for (const rank_answer& r : run_.ranks) parts.push_back(r.account.*part);
        return parts;
    }
    // The least and the greatest numbers of intervals: a median of the intervals is between those of these.
    static std::array<std::vector<double>, 2> ends_of(const std::vector<bounded>& values) {
        std::array<std::vector<double>, 2> ends;
        for (const bounded& b : values) {
            ends[0].push_back(b.at_least());
            ends[1].push_back(b.at_most());
        }
        return ends;
    }
    std::vector<bounded> medians_of_others(const std::vector<bounded>& values) const {
        const auto ends = ends_of(values);
        const std::vector<double> least = medians_of_others(ends[0]);
        const std::vector<double> greatest = medians_of_others(ends[1]);
        std::vector<bounded> medians;
        for (std::size_t n = 0; n != values.size(); ++n) medians.push_back(bounded::between(least[n], greatest[n]));
        return medians;
    }
    static bounded low_median_of(const std::vector<bounded>& values) {
        auto ends = ends_of(values);
        return bounded::between(low_median(std::move(ends[0])), low_median(std::move(ends[1])));
    }
    // The lower median of the work of a stage's ranks, without the slowest one.
    bounded work_without_slowest(std::int64_t stage) const {
        std::vector<bounded> works;
        for (const std::size_t n : by_stage_.at(stage)) works.push_back(run_.ranks[n].account.work);
        auto ends = ends_of(works);
        for (std::vector<double>& end : ends)
            if (end.size() > 1) end.erase(std::max_element(end.begin(), end.end()));
        return bounded::between(low_median(std::move(ends[0])), low_median(std::move(ends[1])));
    }

    run_answers& run_;
    std::map<std::int64_t, std::vector<std::size_t>> by_stage_;  // places of ranks; no_number: without a stage
    bool all_stages_ = false;
};

}  // namespace wlfmt::analysis

#endif
