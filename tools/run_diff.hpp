// diff of runs: their accounts, which say more than their operations do. A stage that became slower shows in the
// waiting of all others.
#ifndef WLFMT_TOOLS_RUN_DIFF_HPP
#define WLFMT_TOOLS_RUN_DIFF_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <wlfmt/answers.hpp>
#include <wlfmt/diff.hpp>

#include "grid.hpp"
#include "json_print.hpp"
#include "keyed.hpp"
#include "order.hpp"
#include "output.hpp"
#include "settings.hpp"

namespace tool {

// Says which times of a run, in milliseconds, grew by more than is allowed.
class run_growth {
public:
    explicit run_growth(const growth_limit& limit) noexcept : limit_(limit) {}
    // `whole`: what the time is a part of, on either side.
    void see(const std::string& what, double before, double after, double whole_before, double whole_after) {
        constexpr double microseconds = 1e3;
        const bool is_large = limit_.is_large(before, whole_before) || limit_.is_large(after, whole_after);
        if (!limit_.is_asked() || !is_large || !limit_.is_exceeded(before * microseconds, after * microseconds)) return;
        any_ = true;
        const std::string share = before > 0 ? joined({" (+", fixed(100 * (after - before) / before, 1), "%)"}) : "";
        standard_error.append({"wlfmt: ", what, " grew by +", decimals_of(after - before), " ms", share,
                               ", which is above ", limit_.text, "\n"});
    }
    // The operations. `by_rank`: each line is of one rank, whose part of the whole is that of any other.
    void see_operations(const std::vector<wlfmt::diff::difference>& all, const wlfmt::oplog::summary& before,
                        const wlfmt::oplog::summary& after, bool by_rank) {
        const double was = time_of(before);
        const double now = time_of(after);
        see("the time of all operations", was, now, was, now);
        const auto part = [&](double whole, const wlfmt::oplog::summary& of) {
            return by_rank ? whole / static_cast<double>((std::max)(of.ranks().size(), std::size_t{1})) : whole;
        };
        const double part_before = part(was, before);
        const double part_after = part(now, after);
        for (const wlfmt::diff::difference& d : all)
            if (d.field == "duration_ms")
                see(d.item, wlfmt::to_number(d.before).value_or(0.0), wlfmt::to_number(d.after).value_or(0.0),
                    part_before, part_after);
    }
    bool any() const noexcept { return any_; }

private:
    static double time_of(const wlfmt::oplog::summary& of) {
        double all = 0;
        for (const auto& row : of.rows(wlfmt::oplog::dimension::operation)) all += row.tally.duration.sum();
        return all;
    }

    const growth_limit& limit_;
    bool any_ = false;
};

// A time of a run, a stage or a rank that differs, and what of it is a limit.
struct account_change {
    wlfmt::diff::difference of;
    wlfmt::oplog::limit before = wlfmt::oplog::limit::exact;
    wlfmt::oplog::limit after = wlfmt::oplog::limit::exact;

    // For people, with the signs of limits.
    wlfmt::diff::difference shown() const {
        wlfmt::diff::difference to = of;
        to.before = limited(to.before, before);
        to.after = limited(to.after, after);
        return to;
    }
};

class account_diff {
public:
    account_diff(const wlfmt::oplog::run_answers& before, const wlfmt::oplog::run_answers& after, double tolerance,
                 run_growth& growth)
        : tolerance_(tolerance), growth_(growth) {
        // A rank alone has no account: nobody knows what of its communication is waiting.
        if (!is_run(before) || !is_run(after)) return;
        most_ = (std::max)(before.total.span, after.total.span);
        compare("run", before.total, after.total);
        compare_replays(before.replay, after.replay);
        const std::size_t run = all_.size();
        keyed<std::int64_t, std::pair<account, account>> stages;
        for (const auto& s : before.stages) stages[s.stage].first = &s.account;
        for (const auto& s : after.stages) stages[s.stage].second = &s.account;
        for (const auto& [stage, both] : stages) compare(joined({"stage ", stage}), both);
        sort_from(run);
        const std::size_t by_stage = all_.size();
        keyed<std::int64_t, std::pair<account, account>> ranks;
        for (const auto& r : before.ranks) ranks[r.rank].first = &r.account;
        for (const auto& r : after.ranks) ranks[r.rank].second = &r.account;
        for (const auto& [rank, both] : ranks) compare(joined({"rank ", rank}), both);
        sort_from(by_stage);
    }
    std::vector<account_change> take() { return std::move(all_); }

private:
    using account = const wlfmt::oplog::time_account*;
    using limit = wlfmt::oplog::limit;

    static bool is_run(const wlfmt::oplog::run_answers& a) noexcept {
        return a.sizes && a.ranks.size() > 1 && a.total.span > 0;
    }
    void add(const std::string& item, const char* field, double before, double after, limit was = limit::exact,
             limit now = limit::exact) {
        const double by = std::fabs(after - before);
        if (by <= tolerance_ * (std::max)(std::fabs(before), std::fabs(after)) || by < 1e-6) return;
        wlfmt::diff::difference d;
        d.item = item;
        d.field = field;
        d.before = decimals_of(before);
        d.after = decimals_of(after);
        if (was == limit::exact && now == limit::exact && before != 0) d.ratio = (after - before) / std::fabs(before);
        d.effect = most_ > 0 ? (std::min)(by / most_, 1.0) : 1;
        all_.push_back({std::move(d), was, now});
        if (whole_before_ > 0 && was == limit::exact && now == limit::exact)
            growth_.see(joined({item, ", ", field}), before, after, whole_before_, whole_after_);
    }
    void compare(const std::string& item, const wlfmt::oplog::time_account& a, const wlfmt::oplog::time_account& b) {
        whole_before_ = a.span;
        whole_after_ = b.span;
        add(item, "span_ms", a.span, b.span, a.span_limit, b.span_limit);
        add(item, "work_ms", a.work, b.work, a.work_limit, b.work_limit);
        add(item, "transfer_ms", a.transfer, b.transfer, a.transfer_limit, b.transfer_limit);
        add(item, "stage_waiting_ms", a.stage_waiting, b.stage_waiting, a.stage_limit, b.stage_limit);
        add(item, "pipeline_waiting_ms", a.pipeline_waiting, b.pipeline_waiting, a.pipeline_limit, b.pipeline_limit);
        add(item, "gaps_ms", a.gaps, b.gaps, a.gaps_limit, b.gaps_limit);
        // More that is not known is not slower.
        whole_before_ = 0;
        add(item, "unknown_ms", a.unknown, b.unknown);
    }
    // A rank or stage that one of the runs lacks is a difference among the operations.
    void compare(const std::string& item, const std::pair<account, account>& both) {
        if (both.first != nullptr && both.second != nullptr) compare(item, *both.first, *both.second);
    }
    void compare_replays(const wlfmt::oplog::replay_answer& a, const wlfmt::oplog::replay_answer& b) {
        using answer = wlfmt::oplog::replay_answer;
        if (a.reason != answer::obstacle::none || b.reason != answer::obstacle::none) return;
        whole_before_ = a.iteration;
        whole_after_ = b.iteration;
        add("run", "iteration_ms", a.iteration, b.iteration);
        whole_before_ = 0;
        const auto greatest = [](const answer& of) {
            double gain = 0;
            for (const wlfmt::oplog::remedy& r : of.remedies)
                if (!r.is_limit) gain = (std::max)(gain, r.gain);
            return gain;
        };
        add("run", "greatest_gain_ms", greatest(a), greatest(b));
    }
    void sort_from(std::size_t first) {
        sort_by_weight(
            all_, [](const account_change& one) { return one.of.effect; }, first);
    }

    double tolerance_;
    run_growth& growth_;
    double whole_before_ = 0;  // 0: what is added is not told
    double whole_after_ = 0;
    double most_ = 0;
    std::vector<account_change> all_;
};

}  // namespace tool

#endif
