// diff of op logs: the accounts of two runs, and which of their times grew by too much.
#ifndef WLFMT_TOOLS_RUN_DIFF_HPP
#define WLFMT_TOOLS_RUN_DIFF_HPP

#include "analysis/diff/diff.hpp"

#include "../general/order.hpp"
#include "../output/compared.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"
#include "answers.hpp"

namespace tool {

inline void check_growth(growth_report& growth, const std::string& item, const bounded& was, const bounded& now,
                         const compared_sum& whole) {
    constexpr double microseconds = 1e3;  // a millisecond's
    growth.check_limits(
        item, was, now, whole, [](double v) { return decimals_of(v) + " ms"; }, microseconds);
}
// Says whether the sums of a run's records are exact or limits.
class limits_of_records {
public:
    limits_of_records(const wlfmt::analysis::run_answers& a, wlfmt::analysis::dimension by) : answers_(a), by_(by) {}
    sum_limit of(const wlfmt::analysis::diff::difference& d) const {
        // If each run has a single rank, the differences do not name it.
        const bool is_one = has(by_, wlfmt::analysis::dimension::rank) && answers_.ranks.size() == 1;
        return limit_of_sum(answers_, by_, !d.rank && is_one ? answers_.ranks[0].rank : d.rank, d.operation);
    }
    sum_limit of_all() const { return limit_of_sum(answers_, {}, {}, {}); }

private:
    const wlfmt::analysis::run_answers& answers_;
    wlfmt::analysis::dimension by_;
};

// A difference in a time of a run, a stage or a rank, or in a sum of records.
struct account_change {
    wlfmt::analysis::diff::difference difference;
    bounded before;
    bounded after;
    bounded effect;

    // The same difference for people, with the signs of limits.
    wlfmt::analysis::diff::difference shown() const {
        wlfmt::analysis::diff::difference words = difference;
        if (!before.is_exact()) words.before = message(before, decimals_of);
        if (!after.is_exact()) words.after = message(after, decimals_of);
        return words;
    }
    // The same difference without the numbers that are not known exactly.
    wlfmt::analysis::diff::difference exact() const {
        wlfmt::analysis::diff::difference numbers = difference;
        if (!before.is_exact()) numbers.before.clear();
        if (!after.is_exact()) numbers.after.clear();
        return numbers;
    }
};

// The differences in sums of records, with their limits.
inline std::vector<account_change> changes_of_records(const std::vector<wlfmt::analysis::diff::difference>& differences,
                                                      const limits_of_records& before, const limits_of_records& after) {
    std::vector<account_change> changes;
    const bool is_whole_known = before.of_all() == sum_limit::exact && after.of_all() == sum_limit::exact;
    for (const wlfmt::analysis::diff::difference& d : differences) {
        account_change& change = changes.emplace_back();
        change.difference = d;
        change.effect = bounded(d.effect);
        if (d.field.empty()) continue;
        const auto sum_of = [](const std::string& text, sum_limit limit) {
            return bounded_sum(wlfmt::to_number(text).value_or(0.0), limit);
        };
        change.before = sum_of(d.before, before.of(d));
        change.after = sum_of(d.after, after.of(d));
        const bounded by = change.after - change.before;
        if (!by.is_exact()) change.difference.ratio = 0;
        if (!by.is_exact() || !is_whole_known) change.effect = bounded::between(0, 1);
    }
    return changes;
}
// Reports which times of operations grew by too much. `by_rank`: each difference is about one rank, so it is compared
// with the mean time of a rank.
inline void check_operations(growth_report& growth, const std::vector<account_change>& changes,
                             const wlfmt::analysis::summary& before, const wlfmt::analysis::summary& after,
                             bool by_rank, const limits_of_records& limits_before,
                             const limits_of_records& limits_after) {
    const auto time_of = [](const wlfmt::analysis::summary& summary) {
        double sum = 0;
        for (const auto& row : summary.rows(wlfmt::analysis::dimension::operation)) sum += row.tally.duration.sum();
        return sum;
    };
    compared_sum whole{time_of(before), time_of(after)};
    check_growth(growth, "the time of all operations", bounded_sum(whole.before, limits_before.of_all()),
                 bounded_sum(whole.after, limits_after.of_all()), whole);
    if (by_rank) {
        whole.before /= static_cast<double>((std::max)(before.ranks().size(), std::size_t{1}));
        whole.after /= static_cast<double>((std::max)(after.ranks().size(), std::size_t{1}));
    }
    for (const account_change& change : changes)
        if (change.difference.field == "duration_ms")
            check_growth(growth, change.difference.item, change.before, change.after, whole);
}

class account_diff {
public:
    account_diff(const wlfmt::analysis::run_answers& before, const wlfmt::analysis::run_answers& after,
                 double tolerance, growth_report& growth)
        : tolerance_(tolerance), growth_(growth) {
        // A single rank has no account: how much of its communication is waiting is not known.
        if (!is_run(before) || !is_run(after)) return;
        whole_ = greater_of(before.total.span, after.total.span);
        const auto yes_or_no = [](bool is_so) { return is_so ? "yes" : "no"; };
        compare("iterations", std::to_string(before.iterations), std::to_string(after.iterations));
        compare("unfinished", yes_or_no(before.unfinished), yes_or_no(after.unfinished));
        compare("virtual_pipeline", yes_or_no(before.interleaved), yes_or_no(after.interleaved));
        compare("run", before.total, after.total);
        compare_replays(before.replay, after.replay);
        compare_each("stage ", before.stages, after.stages, &wlfmt::analysis::stage_answer::stage);
        compare_each("rank ", before.ranks, after.ranks, &wlfmt::analysis::rank_answer::rank);
    }
    std::vector<account_change> take() { return std::move(changes_); }

private:
    static bool is_run(const wlfmt::analysis::run_answers& a) noexcept {
        return a.sizes && a.ranks.size() > 1 && a.total.span.number() > 0;
    }
    // Adds a difference in what the run consists of, which is not a time.
    void compare(const char* field, std::string was, std::string now) {
        if (was == now) return;
        account_change& change = changes_.emplace_back();
        change.difference.item = "run";
        change.difference.field = field;
        change.difference.before = std::move(was);
        change.difference.after = std::move(now);
        change.difference.effect = 1;
        change.effect = bounded(1);
    }
    // `whole`: the total that the time is a part of; without one, nothing is said about growth.
    void add(const std::string& item, const char* field, const bounded& was, const bounded& now,
             const compared_sum& whole = {}) {
        const compared_sum sum{was.number(), now.number()};
        const bounded by = now - was;
        if (whole.before > 0 && !by.is_exact()) check_growth(growth_, joined({item, ", ", field}), was, now, whole);
        // Equal limits do not differ, and what is unknown in one run cannot be compared.
        if (!was.is_known() || !now.is_known() || !sum.differs(tolerance_) || std::fabs(sum.by()) < 1e-6) return;
        wlfmt::analysis::diff::difference d;
        d.item = item;
        d.field = field;
        d.before = decimals_of(sum.before);
        d.after = decimals_of(sum.after);
        if (by.is_exact() && sum.before != 0) d.ratio = sum.by() / std::fabs(sum.before);
        d.effect = whole_.number() > 0 ? (std::min)(std::fabs(sum.by()) / whole_.number(), 1.0) : 1;
        const bounded effect = whole_.at_most() > 0 ? lesser_of(size_of(by) / whole_, bounded(1)) : bounded(1);
        changes_.push_back({std::move(d), was, now, effect});
        if (whole.before > 0 && by.is_exact()) check_growth(growth_, joined({item, ", ", field}), was, now, whole);
    }
    void compare(const std::string& item, const wlfmt::analysis::time_account& a,
                 const wlfmt::analysis::time_account& b) {
        const compared_sum whole{a.span.number(), b.span.number()};
        add(item, "span_ms", a.span, b.span, whole);
        add(item, "work_ms", a.work, b.work, whole);
        add(item, "transfer_ms", a.transfer, b.transfer, whole);
        add(item, "stage_waiting_ms", a.stage_waiting, b.stage_waiting, whole);
        add(item, "pipeline_waiting_ms", a.pipeline_waiting, b.pipeline_waiting, whole);
        add(item, "gaps_ms", a.gaps, b.gaps, whole);
        // A run with more unknown time is not slower.
        add(item, "unknown_ms", a.unknown, b.unknown);
    }
    // Compares the stages or ranks that have the same number. One that only one run has shows up among the operations.
    template <class Answer>
    void compare_each(const char* kind, const std::vector<Answer>& before, const std::vector<Answer>& after,
                      std::int64_t Answer::*number) {
        const std::size_t first = changes_.size();
        auto now = after.begin();
        for (const Answer& was : before) {
            while (now != after.end() && (*now).*number < was.*number) ++now;
            if (now != after.end() && (*now).*number == was.*number)
                compare(joined({kind, was.*number}), was.account, now->account);
        }
        sort_list(
            changes_,
            [](const account_change& a, const account_change& b) { return a.difference.effect > b.difference.effect; },
            first);
    }
    void compare_replays(const wlfmt::analysis::replay_answer& a, const wlfmt::analysis::replay_answer& b) {
        using answer = wlfmt::analysis::replay_answer;
        if (a.reason != answer::obstacle::none || b.reason != answer::obstacle::none) return;
        add("run", "iteration_ms", a.iteration, b.iteration, {a.iteration.number(), b.iteration.number()});
        const auto greatest = [](const answer& replay) {
            bounded gain;
            for (const wlfmt::analysis::remedy& r : replay.remedies)
                if (!r.is_limit) gain = greater_of(gain, r.gain);
            // A rank that is not surely slow is not listed, and may gain more if it works as its peers.
            if (!replay.replayed.is_exact()) gain.widen(0, bounded::unlimited);
            return gain;
        };
        add("run", "greatest_gain_ms", greatest(a), greatest(b));
    }

    double tolerance_;
    growth_report& growth_;
    bounded whole_;
    std::vector<account_change> changes_;
};

}  // namespace tool

#endif
