// What a report says of a run in sentences, each only if its condition holds.
#ifndef WLFMT_DETAIL_REPORT_RUN_WORDS_HPP
#define WLFMT_DETAIL_REPORT_RUN_WORDS_HPP

#include "../base/order.hpp"
#include "../plot/run.hpp"
#include "page.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

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

struct run_words {
    explicit run_words(const oplog::run_answers& a) : a_(a) {}

    // Whether waiting is known: not of one rank, or of ranks that were traced separately.
    bool knows_waiting() const { return a_.together && a_.ranks.size() > 1; }
    bool is_slow() const {
        using cause = oplog::slow_rank::cause;
        return a_.slowest_rank && a_.slowest_rank->reason != cause::none && a_.slowest_rank->reason != cause::no_peer;
    }
    bool is_slow(std::int64_t rank) const {
        if (!is_slow()) return false;
        const auto& similar = a_.slowest_rank->similar;
        return rank == a_.slowest_rank->rank || std::find(similar.begin(), similar.end(), rank) != similar.end();
    }
    double longest() const {
        double to = 0;
        for (const oplog::rank_answer& r : a_.ranks) to = (std::max)(to, r.account.span);
        return to;
    }
    std::int64_t stages() const { return a_.sizes ? a_.sizes->pipeline : static_cast<std::int64_t>(a_.stages.size()); }
    // Whether no stage and no rank is missing.
    bool is_whole() const {
        return a_.missing_ranks.empty() && a_.left_out.empty() &&
               static_cast<std::int64_t>(a_.stages.size()) == stages();
    }

    std::string title() const {
        if (a_.ranks.empty()) return "No rank has a record with a time";
        if (a_.ranks.size() > 1 && !a_.together) return "Traced one by one: work is known, waiting is not";
        if (is_slow()) {
            const oplog::slow_rank& slow = *a_.slowest_rank;
            const bool many = slow.similar.size() > 1;
            return joined({many ? joined({count_text(slow.similar.size()), " of ", count_text(a_.ranks.size()),
                                          " ranks work up to "})
                                : joined({"Rank ", slow.rank, " works "}),
                           times_of(slow), " times as long as ", many ? "their" : "its", " peers"});
        }
        return part_of_all(work_class, 0) + " of the time is work";
    }

    std::string account() const {  // where the time went: the two greatest parts
        std::vector<std::size_t> order;
        for (std::size_t n = 0; n != time_classes; ++n)
            if (a_.total.*classes_of_time[n].part >= 0.005 * a_.total.span) order.push_back(n);
        sort_list(order, [&](std::size_t x, std::size_t y) {
            return a_.total.*classes_of_time[x].part > a_.total.*classes_of_time[y].part;
        });
        std::string to;
        for (std::size_t n = 0; n != (std::min)(order.size(), std::size_t{2}); ++n)
            append(to, {n == 0 ? "" : ", ", part_of_all(order[n], 0), n == 0 ? " of all rank time is " : " ",
                        classes_of_time[order[n]].within});
        return to.empty() ? "No time was measured" : to;
    }

    std::string busy() const {
        if (!a_.together && a_.ranks.size() > 1)
            return "Each rank from its own first record: times of different ranks cannot be compared";
        if (!a_.pipeline_time || a_.stages.empty()) return "The ranks from their first to their last record";
        std::vector<std::size_t> order = positions_of(a_.stages.size());
        sort_list(order, [&](std::size_t x, std::size_t y) { return a_.stages[x].busy > a_.stages[y].busy; });
        const oplog::stage_answer& busiest = a_.stages[order[0]];
        const auto range = [&](std::size_t first) {
            const std::string most = fixed_text(100 * a_.stages[order[first]].busy / *a_.pipeline_time, 0);
            const std::string least = fixed_text(100 * a_.stages[order.back()].busy / *a_.pipeline_time, 0);
            auto what = oplog::limit::exact;
            for (std::size_t n = first; n != order.size(); ++n)
                what = oplog::of_both(what, limit_of_busy(a_.stages[order[n]]));
            return joined({sign_of(what), least == most ? "" : least + " to ", most, "&nbsp;%"});
        };
        const std::string of = " of the pipeline's " + pipeline_time();
        if (order.size() == 1) return joined({"Stage ", busiest.stage, " is busy ", range(0), of});
        if (busiest.busy > 1.15 * a_.stages[order[1]].busy)
            return joined({"Stage ", busiest.stage, " is busy ", busy_share(busiest), of, ", the other",
                           order.size() == 2 ? " " : "s ", range(1)});
        return joined({"The stages are busy ", range(0), of});
    }

    std::string pipeline_time() const { return ms_markup(*a_.pipeline_time, a_.pipeline_limit); }
    oplog::limit limit_of_busy(const oplog::stage_answer& s) const {
        return oplog::of_difference(s.busy_limit, a_.pipeline_limit);
    }
    std::string busy_share(const oplog::stage_answer& s) const {
        return percent_markup(s.busy, *a_.pipeline_time, 0, limit_of_busy(s));
    }
    // A remedy in a sentence; shorter where its explanation says the rest.
    static std::string remedy(const oplog::remedy& r) {
        using change = oplog::remedy::change;
        return r.what == change::even_stages               ? "even stages"
               : r.what == change::twice_the_micro_batches ? "twice the micro-batches"
                                                           : message(r);
    }
    static std::string_view explained(const oplog::remedy& r) noexcept {
        using change = oplog::remedy::change;
        switch (r.what) {
        case change::rank_as_peers: return "each piece of its work is at most the median of its stage";
        case change::even_work_in_stages: return "each piece of work is the mean over the ranks of its stage";
        case change::even_stages: return "every stage works as the mean of all stages";
        case change::no_gaps: return "the host is never late";
        case change::twice_the_micro_batches:
            return "for as many micro-batches as now: the pipeline fills and drains once for twice as many";
        case change::no_transfer: return "infinite bandwidth: nobody can have it";
        default: return "work vanishes: nobody can have it";
        }
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
    // By how much the replayed run differs from the run.
    std::string replay_error() const {
        const double by = a_.replay.replayed - a_.replay.iteration;
        return joined({ms_markup(a_.replay.replayed), ", measured ", ms_markup(a_.replay.iteration), " (",
                       percent_markup(std::fabs(by), a_.replay.iteration), by < 0 ? " less)" : " more)"});
    }
    // The places of the ranks in the answers, the one that others waited for longest first.
    std::vector<std::size_t> ranks_by_caused() const {
        std::vector<std::size_t> order = positions_of(a_.ranks.size());
        sort_list(order, [&](std::size_t x, std::size_t y) { return a_.ranks[x].caused > a_.ranks[y].caused; });
        return order;
    }
    // The ranks that caused nine tenths of the waiting in stages, and how much they caused.
    std::pair<std::vector<std::int64_t>, double> culprits() const {
        double all = 0;
        for (const oplog::rank_answer& r : a_.ranks) all += r.caused;
        std::pair<std::vector<std::int64_t>, double> to;
        for (const std::size_t n : ranks_by_caused()) {
            if (!(to.second < 0.9 * all)) break;
            to.first.push_back(a_.ranks[n].rank);
            to.second += a_.ranks[n].caused;
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
        return joined({many ? joined({count_text(who.size()), " of ", counted_text(a_.ranks.size(), "rank")})
                            : capitalised(ranks_markup(who)),
                       " caused ", milliseconds_text(caused), " of the ", ms_markup(all, a_.total.stage_limit),
                       " waited inside stages (", percent_markup(caused, all, 0), ")"});
    }

    std::string part_of_all(std::size_t which, int decimals = 1) const {
        return percent_markup(a_.total.*classes_of_time[which].part, a_.total.span, decimals,
                              limit_of(a_.total, which));
    }

    static std::string times_of(const oplog::slow_rank& slow) {
        return joined({sign_of(slow.ratio_limit), fixed_text(slow.ratio, 2)});
    }
    std::string time() const {
        if (a_.ranks.size() > 1 && !a_.together) {
            const std::string why = a_.extent_spread && a_.extent
                                        ? joined({"the extents of the same calls differ by ",
                                                  ms_markup(*a_.extent_spread), " of ", ms_markup(*a_.extent)})
                                        : "they share no moment";
            return joined({"The ranks were <b>traced separately</b> (", link_to("trust", why),
                           "), so that waiting, exposed communication and the bubble are <b>unknown</b>. Work is ",
                           link_to("account", strong(part_of_all(work_class))), " of the ", ms_markup(a_.total.span),
                           " of all ", count_text(a_.ranks.size()), " ranks."});
        }
        const bool is_one = a_.ranks.size() == 1;
        std::string to = joined({is_one ? "The rank takes " : "The longest rank takes ", strong(ms_markup(longest()))});
        if (a_.iterations > 1) append(to, {" for ", count_text(a_.iterations), " iterations"});
        if (is_one) to += ": ";
        else append(to, {". Of the ", ms_markup(a_.total.span), " of all ", count_text(a_.ranks.size()), " ranks, "});
        append(to, {strong(link_to("account", part_of_all(work_class))), " is work"});
        for (const std::size_t which : {transfer_class, stage_class, pipeline_class})
            if (knows_waiting() && a_.total.*classes_of_time[which].part > 0)
                append(to, {", ", part_of_all(which), " ", classes_of_time[which].within});
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
        std::string to = joined(
            {strong(many ? capitalised(ranks_markup(slow.similar)) : joined({"Rank ", slow.rank})),
             many ? " work up to " : " works ", times_of(slow), " times as long as the median of the others in ",
             many ? joined({"their stage (rank ", slow.rank, ": "}) : "its stage (",
             ms_markup(slow.work, slow.work_limit), " against ", ms_markup(slow.work - slow.excess), "), with "});
        if (slow.reason == cause::more_bytes) append(to, {fixed_text(slow.bytes_ratio, 2), " times the bytes"});
        else if (slow.reason == cause::more_operations)
            append(to, {fixed_text(slow.calls_ratio, 2), " times the operations"});
        else to += "the same operations and bytes: look at the device, the host and its neighbours";
        if (slow.gaps_ratio >= 2)
            append(to, {"; its gaps are ", fixed_text(slow.gaps_ratio, 1), " times as long, too"});
        return to + ".";
    }
    std::string bubble() const {
        if (!a_.bubble_share || !a_.pipeline_time || !knows_waiting()) return {};
        const double share = *a_.bubble_share;
        std::string to =
            joined({"The pipeline idles ", strong(link_to("lanes", percent_markup(share, 1, 1, a_.bubble_limit))),
                    " of ", pipeline_time()});
        if (!is_whole()) return to + " in the stages and ranks that are in the logs; the rest is unknown.";
        if (!a_.equal_share || a_.micro_batches == 0) return to + ".";
        const std::string ideal =
            joined({count_text(static_cast<std::uint64_t>(stages())), " equal stages and ",
                    micro_batches_text(a_.micro_batches / (std::max)(a_.iterations, std::uint64_t{1}))});
        if (*a_.equal_share >= 0.8 * share)
            return joined({to, "; ", percent_markup(*a_.equal_share, 1), " is the least for ", ideal,
                           ", so that more micro-batches help more than balance."});
        append(to, {", ", sign_of(a_.bubble_limit), fixed_text(100 * (share - *a_.equal_share), 1),
                    " points more than with ", ideal});
        if (const auto& slow = a_.slowest_stage; slow && slow->reason != oplog::slow_stage::cause::none)
            append(to, {": stage ", slow->stage, " takes ", ms_markup(slow->per_batch, slow->per_batch_limit),
                        " for each, the others ", ms_markup(slow->others, slow->others_limit)});
        return to + ".";
    }
    std::string gain() const {
        if (const oplog::remedy* best = best_remedy()) {
            const std::string by = strong(ms_markup(best->gain));
            const std::string iteration = ms_markup(a_.replay.iteration) + " from the first record to the last";
            return joined({"Greatest gain: ", link_to("whatif", remedy(*best)), " would ",
                           best->what == oplog::remedy::change::twice_the_micro_batches
                               ? joined({"take ", by, " less for as many micro-batches as now run in the ", iteration})
                               : joined({"shorten the ", iteration, " by ", by}),
                           " (replayed; the replay of the run as it is: ", replay_error(), ")."});
        }
        const std::string_view why = knows_waiting() ? obstacle() : std::string_view();
        return why.empty() ? std::string() : joined({"What a remedy would gain is unknown: ", why, "."});
    }
    std::string missing() const {
        if (a_.missing_ranks.empty()) return {};
        std::string count = count_text(a_.missing_ranks.size());
        if (a_.sizes) append(count, {" of ", count_text(static_cast<std::uint64_t>(a_.sizes->world))});
        count += a_.missing_ranks.size() == 1 && !a_.sizes ? " rank is missing" : " ranks are missing";
        return link_to("trust", strong(count)) + ": what depends on them is unknown.";
    }

    const oplog::run_answers& a_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
