// What a report says of a run in sentences. Each is only there if its condition holds.
#ifndef WLFMT_DETAIL_REPORT_RUN_WORDS_HPP
#define WLFMT_DETAIL_REPORT_RUN_WORDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../answers/rank.hpp"
#include "../base/order.hpp"
#include "../draw/slices.hpp"
#include "page.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The sign of a number that is a limit.
inline std::string_view sign_of(oplog::limit l) noexcept {
    return l == oplog::limit::least    ? "&ge;&nbsp;"
           : l == oplog::limit::most   ? "&le;&nbsp;"
           : l == oplog::limit::either ? "~&nbsp;"
                                       : "";
}
inline std::string ranks_markup(const std::vector<std::int64_t>& ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + ranges_text(ranks);
}
inline std::string capitalised(std::string s) {
    if (!s.empty() && s[0] >= 'a' && s[0] <= 'z') s[0] = static_cast<char>(s[0] - 'a' + 'A');
    return s;
}
inline std::string micro_batches_text(std::uint64_t n) {
    return count_text(n) + (n == 1 ? " micro-batch" : " micro-batches");
}

// The parts of a time, one after the other.
inline shapes account_bar(const oplog::time_account& t, double full, double height) {
    shapes to("%");
    double at = 0;
    for (const time_class& c : classes_of_time) {
        const double part = full > 0 ? 100 * (t.*c.part) / full : 0;
        if (part >= 0.02) to.rectangle(at, 0, part, height, c.colour);
        at += part;
    }
    return to;
}

class run_words {
public:
    explicit run_words(const oplog::run_answers& a) : a_(a) {}

    // Whether waiting is known at all: of one rank, or of ranks that were traced separately, it is not.
    bool knows_waiting() const { return a_.together && a_.ranks.size() > 1; }
    bool is_slow() const {
        using cause = oplog::slow_rank::cause;
        return a_.slowest_rank && a_.slowest_rank->reason != cause::none && a_.slowest_rank->reason != cause::no_peer;
    }
    double longest() const {
        double to = 0;
        for (const oplog::rank_answer& r : a_.ranks) to = (std::max)(to, r.account.span);
        return to;
    }
    std::int64_t stages() const { return a_.sizes ? a_.sizes->pipeline : static_cast<std::int64_t>(a_.stages.size()); }
    // Whether no stage and no rank of the run is missing.
    bool is_whole() const {
        return a_.missing_ranks.empty() && a_.left_out.empty() &&
               static_cast<std::int64_t>(a_.stages.size()) == stages();
    }
    bool is_limited(std::size_t which) const { return limit_of(a_.total, which) != oplog::limit::exact; }

    std::string title() const {
        if (a_.ranks.empty()) return "No rank has a record with a time";
        if (a_.ranks.size() > 1 && !a_.together) return "Traced one by one: work is known, waiting is not";
        if (is_slow()) {
            const oplog::slow_rank& slow = *a_.slowest_rank;
            const std::string times =
                std::string(sign_of(slow.ratio_limit)) + fixed_text(slow.ratio, 2) + " times as long as ";
            if (slow.similar.size() > 1)
                return count_text(slow.similar.size()) + " of " + count_text(a_.ranks.size()) + " ranks work up to " +
                       times + "their peers";
            return "Rank " + std::to_string(slow.rank) + " works " + times + "its peers";
        }
        return std::string(sign_of(a_.total.work_limit)) + percent_markup(a_.total.work, a_.total.span, 0) +
               " of the time is work";
    }

    std::vector<std::string> verdict() const {
        std::vector<std::string> to;
        const auto add = [&](std::string sentence) {
            if (!sentence.empty()) to.push_back(std::move(sentence));
        };
        if (a_.ranks.empty()) return to;
        add(time());
        add(slow_rank());
        add(bubble());
        add(gain());
        add(missing());
        return to;
    }

    // Where the time went: the two greatest parts.
    std::string account() const {
        std::vector<std::size_t> order;
        for (std::size_t n = 0; n != time_classes; ++n)
            if (a_.total.*classes_of_time[n].part >= 0.005 * a_.total.span) order.push_back(n);
        sort_list(order, [&](std::size_t x, std::size_t y) {
            return a_.total.*classes_of_time[x].part > a_.total.*classes_of_time[y].part;
        });
        std::string to;
        for (std::size_t n = 0; n != (std::min)(order.size(), std::size_t{2}); ++n)
            to += (n == 0 ? "" : ", ") + part_of_all(order[n], 0) + (n == 0 ? " of all rank time is " : " ") +
                  std::string(classes_of_time[order[n]].within);
        return to.empty() ? "No time was measured" : to;
    }

    std::string busy() const {
        if (!a_.together && a_.ranks.size() > 1)
            return "Each rank from its own first record: times of different ranks cannot be compared";
        if (!a_.pipeline_time || a_.stages.empty()) return "The ranks from their first to their last record";
        std::vector<const oplog::stage_answer*> order;
        for (const oplog::stage_answer& s : a_.stages) order.push_back(&s);
        sort_list(order, [](const auto* x, const auto* y) { return x->busy > y->busy; });
        const double all = *a_.pipeline_time;
        const auto range = [&](std::size_t first) {
            const std::string most = fixed_text(100 * order[first]->busy / all, 0);
            const std::string least = fixed_text(100 * order.back()->busy / all, 0);
            auto what = oplog::limit::exact;
            for (std::size_t n = first; n != order.size(); ++n) limit_to(what, limit_of_busy(*order[n]));
            return std::string(sign_of(what)) + (least == most ? "" : least + " to ") + most + "&nbsp;%";
        };
        const std::string of = " of the pipeline's " + pipeline_time();
        if (order.size() == 1) return "Stage " + std::to_string(order[0]->stage) + " is busy " + range(0) + of;
        if (order[0]->busy > 1.15 * order[1]->busy)
            return "Stage " + std::to_string(order[0]->stage) + " is busy " + busy_share(*order[0]) + of +
                   ", the other" + (order.size() == 2 ? " " : "s ") + range(1);
        return "The stages are busy " + range(0) + of;
    }

    std::string pipeline_time() const { return std::string(sign_of(a_.pipeline_limit)) + ms_markup(*a_.pipeline_time); }
    oplog::limit limit_of_busy(const oplog::stage_answer& s) const {
        return oplog::of_difference(s.busy_limit, a_.pipeline_limit);
    }
    std::string busy_share(const oplog::stage_answer& s) const {
        return std::string(sign_of(limit_of_busy(s))) + percent_markup(s.busy, *a_.pipeline_time, 0);
    }
    // What a remedy is, as a sentence begins.
    std::string remedy(const oplog::remedy& r) const {
        using change = oplog::remedy::change;
        switch (r.what) {
        case change::rank_as_peers: return "Rank " + std::to_string(r.rank.value_or(-1)) + " working as its peers";
        case change::even_work_in_stages: return "Even work in each stage";
        case change::even_stages: return "Even stages";
        case change::no_gaps: return "No gaps between records";
        case change::twice_the_micro_batches: return "Twice the micro-batches";
        case change::no_transfer: return "Transfers that take no time";
        case change::all_ranks_as_peers: return "All slow ranks working as their peers";
        }
        return {};
    }
    static std::string_view explained(oplog::remedy::change what) noexcept {
        using change = oplog::remedy::change;
        switch (what) {
        case change::rank_as_peers: return "each piece of its work is at most the median of its stage";
        case change::even_work_in_stages: return "each piece of work is the mean over the ranks of its stage";
        case change::even_stages: return "every stage works as the mean of all stages";
        case change::no_gaps: return "the host is never late";
        case change::twice_the_micro_batches:
            return "for as many micro-batches as now: the pipeline fills and drains once for twice as many";
        case change::no_transfer: return "infinite bandwidth: nobody can have it";
        case change::all_ranks_as_peers: return "work vanishes: nobody can have it";
        }
        return {};
    }
    // Why there are no remedies; empty if there are, or if none was looked for.
    std::string_view obstacle() const noexcept {
        using obstacle = oplog::replay_answer::obstacle;
        switch (a_.replay.reason) {
        case obstacle::unknown_time: return "a replay needs the time of all calls of all ranks";
        case obstacle::stuck: return "the order of the calls contradicts itself, so that it cannot be replayed";
        case obstacle::inexact: return "the replay of the run as it is differs from it by more than 5&nbsp;%";
        default: return {};
        }
    }
    const oplog::remedy* best_remedy() const {
        if (a_.replay.reason != oplog::replay_answer::obstacle::none) return nullptr;
        for (const oplog::remedy& r : a_.replay.remedies)
            if (!r.is_limit && r.gain > 0.005 * a_.replay.iteration) return &r;
        return nullptr;
    }
    // By how much the replay of the run as it is differs from the run.
    std::string replay_error() const {
        const double by = a_.replay.replayed - a_.replay.iteration;
        return ms_markup(a_.replay.replayed) + ", measured " + ms_markup(a_.replay.iteration) + " (" +
               percent_markup(by < 0 ? -by : by, a_.replay.iteration) + (by < 0 ? " less)" : " more)");
    }
    // The ranks that caused nine tenths of the waiting in stages, and how much they caused.
    std::pair<std::vector<std::int64_t>, double> culprits() const {
        std::vector<const oplog::rank_answer*> order;
        double all = 0;
        for (const oplog::rank_answer& r : a_.ranks) {
            all += r.caused;
            order.push_back(&r);
        }
        sort_list(order, [](const auto* x, const auto* y) { return x->caused > y->caused; });
        std::pair<std::vector<std::int64_t>, double> to;
        for (const oplog::rank_answer* r : order) {
            if (!(to.second < 0.9 * all)) break;
            to.first.push_back(r->rank);
            to.second += r->caused;
        }
        sort_list(to.first, [](std::int64_t x, std::int64_t y) { return x < y; });
        return to;
    }
    std::string blame() const {
        const double all = a_.total.stage_waiting;
        const auto [who, caused] = culprits();
        if (!(all >= 1) || who.empty())
            return a_.total.unknown > 0 ? "No waiting inside stages is known; some time is unknown"
                                        : "No rank waited for another one of its stage";
        // That many ranks caused it is no blame of any.
        const bool many = who.size() > 8 && 4 * who.size() > a_.ranks.size();
        return (many ? count_text(who.size()) + " of " + counted_text(a_.ranks.size(), "rank")
                     : capitalised(ranks_markup(who))) +
               " caused " + unbroken(milliseconds_text(caused)) + " of the " +
               std::string(sign_of(a_.total.stage_limit)) + ms_markup(all) + " waited inside stages (" +
               percent_markup(caused, all, 0) + ")";
    }

    std::string part_of_all(std::size_t which, int decimals = 1) const {
        return std::string(sign_of(limit_of(a_.total, which))) +
               percent_markup(a_.total.*classes_of_time[which].part, a_.total.span, decimals);
    }

private:
    std::string time() const {
        if (a_.ranks.size() > 1 && !a_.together) {
            const std::string why = a_.extent_spread && a_.extent
                                        ? "the extents of the same calls differ by " + ms_markup(*a_.extent_spread) +
                                              " of " + ms_markup(*a_.extent)
                                        : "they share no moment";
            return "The ranks were " + strong("traced separately") + " (" + link_to("trust", why) +
                   "), so that waiting, exposed communication and the bubble are " + strong("unknown") + ". Work is " +
                   link_to("account", strong(part_of_all(work_class))) + " of the " + ms_markup(a_.total.span) +
                   " of all " + count_text(a_.ranks.size()) + " ranks.";
        }
        std::string to = a_.ranks.size() == 1 ? "The rank takes " : "The longest rank takes ";
        to += strong(ms_markup(longest()));
        if (a_.iterations > 1) to += " for " + count_text(a_.iterations) + " iterations";
        to += a_.ranks.size() == 1
                  ? ": "
                  : ". Of the " + ms_markup(a_.total.span) + " of all " + count_text(a_.ranks.size()) + " ranks, ";
        to += strong(link_to("account", part_of_all(work_class))) + " is work";
        for (const std::size_t which : {transfer_class, stage_class, pipeline_class})
            if (knows_waiting() && a_.total.*classes_of_time[which].part > 0)
                to += ", " + part_of_all(which) + " " + std::string(classes_of_time[which].within);
        if (a_.total.gaps > 0) to += ", " + part_of_all(gap_class) + " gaps between records";
        if (a_.total.unknown > 0) to += "; " + strong(part_of_all(unknown_class)) + " is unknown";
        return to + ".";
    }
    std::string slow_rank() const {
        using cause = oplog::slow_rank::cause;
        if (!a_.slowest_rank || a_.slowest_rank->reason == cause::no_peer) return {};
        const oplog::slow_rank& slow = *a_.slowest_rank;
        if (slow.reason == cause::none)
            return "No rank works more than 5&nbsp;% longer than the median of the others in its stage.";
        const bool many = slow.similar.size() > 1;
        std::string to = strong(many ? capitalised(ranks_markup(slow.similar)) : "Rank " + std::to_string(slow.rank));
        to += many ? " work up to " : " works ";
        to += std::string(sign_of(slow.ratio_limit)) + fixed_text(slow.ratio, 2) +
              " times as long as the median of the others in " +
              (many ? "their stage (rank " + std::to_string(slow.rank) + ": " : "its stage (") +
              std::string(sign_of(slow.work_limit)) + ms_markup(slow.work) + " against " +
              ms_markup(slow.work - slow.excess) + "), ";
        if (slow.reason == cause::more_bytes) to += "with " + fixed_text(slow.bytes_ratio, 2) + " times the bytes";
        else if (slow.reason == cause::more_operations)
            to += "with " + fixed_text(slow.calls_ratio, 2) + " times the operations";
        else to += "with the same operations and bytes: look at the device, the host and its neighbours";
        if (slow.gaps_ratio >= 2) to += "; its gaps are " + fixed_text(slow.gaps_ratio, 1) + " times as long, too";
        return to + ".";
    }
    std::string bubble() const {
        if (!a_.bubble_share || !a_.pipeline_time || !knows_waiting()) return {};
        const double share = *a_.bubble_share;
        const std::string sign(sign_of(a_.bubble_limit));
        std::string to = "The pipeline idles " + strong(link_to("lanes", sign + percent_markup(share, 1))) + " of " +
                         pipeline_time();
        if (!is_whole()) return to + " in the stages and ranks that are in the logs; the rest is unknown.";
        if (!a_.equal_share || a_.micro_batches == 0) return to + ".";
        const std::string ideal = count_text(static_cast<std::uint64_t>(stages())) + " equal stages and " +
                                  micro_batches_text(a_.micro_batches / (std::max)(a_.iterations, std::uint64_t{1}));
        if (*a_.equal_share >= 0.8 * share)
            return to + "; " + percent_markup(*a_.equal_share, 1) + " is the least for " + ideal +
                   ", so that more micro-batches help more than balance.";
        to += ", " + sign + fixed_text(100 * (share - *a_.equal_share), 1) + " points more than with " + ideal;
        if (a_.slowest_stage && a_.slowest_stage->reason != oplog::slow_stage::cause::none)
            to += ": stage " + std::to_string(a_.slowest_stage->stage) + " takes " +
                  std::string(sign_of(a_.slowest_stage->per_batch_limit)) + ms_markup(a_.slowest_stage->per_batch) +
                  " for each, the others " + std::string(sign_of(a_.slowest_stage->others_limit)) +
                  ms_markup(a_.slowest_stage->others);
        return to + ".";
    }
    std::string gain() const {
        if (const oplog::remedy* best = best_remedy())
            return "Greatest gain: " + link_to("whatif", lowered(remedy(*best))) + " would " +
                   (best->what == oplog::remedy::change::twice_the_micro_batches
                        ? "take " + strong(ms_markup(best->gain)) +
                              " less for as many micro-batches as now run in the " + ms_markup(a_.replay.iteration) +
                              " from the first record to the last"
                        : "shorten the " + ms_markup(a_.replay.iteration) + " from the first record to the last by " +
                              strong(ms_markup(best->gain))) +
                   " (replayed; the replay of the run as it is: " + replay_error() + ").";
        const std::string_view why = knows_waiting() ? obstacle() : std::string_view();
        return why.empty() ? std::string() : "What a remedy would gain is unknown: " + std::string(why) + ".";
    }
    std::string missing() const {
        if (a_.missing_ranks.empty()) return {};
        const auto count = static_cast<std::uint64_t>(a_.missing_ranks.size());
        return link_to("trust", strong(count_text(count) +
                                       (a_.sizes ? " of " + count_text(static_cast<std::uint64_t>(a_.sizes->world))
                                                 : std::string()) +
                                       (count == 1 && !a_.sizes ? " rank is missing" : " ranks are missing"))) +
               ": what depends on them is unknown.";
    }
    static std::string lowered(std::string s) {
        if (!s.empty() && s[0] >= 'A' && s[0] <= 'Z') s[0] = static_cast<char>(s[0] - 'A' + 'a');
        return s;
    }

    const oplog::run_answers& a_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
