// The sentences of a report about a run, each of which is written only if its condition holds.
#ifndef WLFMT_ANALYSIS_REPORT_WORDS_HPP
#define WLFMT_ANALYSIS_REPORT_WORDS_HPP

#include <algorithm>

#include "../answers/headline.hpp"
#include "../library.hpp"
#include "../plot/run.hpp"
#include "page.hpp"

namespace wlfmt::analysis {

inline std::string ranks_markup(const std::vector<std::int64_t>& ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + ranges_text(ranks);
}
inline std::string micro_batches_text(std::uint64_t n) {
    return count_text(n) + (n == 1 ? " micro-batch" : " micro-batches");
}

// A bar with the parts of a time, one after the other.
inline shapes account_bar(const time_account& t, double full, double height) {
    shapes bar("%");
    double at = 0;
    for (const time_class& c : classes_of_time) {
        const double part = full > 0 ? 100 * (t.*c.part).number() / full : 0;
        if (part >= 0.02) bar.rectangle(at, 0, part, height, c.colour);
        at += part;
    }
    return bar;
}

// Whether waiting is known. It is unknown for a single rank, and for ranks that were traced separately.
inline bool knows_waiting(const run_answers& a) noexcept { return a.together && a.ranks.size() > 1; }
inline bool is_slow(const run_answers& a, std::int64_t rank) {
    if (!is_slow(a)) return false;
    const auto& similar = a.slowest_rank->similar;
    return rank == a.slowest_rank->rank || std::find(similar.begin(), similar.end(), rank) != similar.end();
}
inline bounded longest_span(const run_answers& a) noexcept {
    bounded span;
    for (const rank_answer& r : a.ranks) span = greater_of(span, r.account.span);
    if (!a.missing_ranks.empty() || !a.left_out.empty()) span.widen(0, bounded::unlimited);
    return span;
}
inline std::int64_t stages_of(const run_answers& a) noexcept {
    return a.sizes ? a.sizes->pipeline : static_cast<std::int64_t>(a.stages.size());
}
// Whether no stage and no rank is missing.
inline bool is_whole(const run_answers& a) noexcept {
    return a.missing_ranks.empty() && a.left_out.empty() && static_cast<std::int64_t>(a.stages.size()) == stages_of(a);
}
// How many micro-batches an iteration has: a mean, if iterations have different numbers of them.
inline std::string batches_text(const run_answers& a) {
    if (a.micro_batches % a.iterations == 0) return count_text(a.micro_batches / a.iterations);
    return "a mean of " + digits_text(static_cast<double>(a.micro_batches) / static_cast<double>(a.iterations));
}

// A part of a time in per cent or, if the percentage is unknown, as a time.
inline std::string share_markup(const bounded& part, const bounded& whole) {
    const bounded share = part_of(part, whole);
    return share.is_known() ? percent_markup(share) : part.is_known() ? ms_markup(part) : "an unknown part";
}
inline std::string part_of_all(const run_answers& a, std::size_t which) {
    return share_markup(a.total.*classes_of_time[which].part, a.total.span);
}
// Says where the time went: the two greatest parts.
inline std::string account_finding(const run_answers& a) {
    std::vector<std::size_t> order;
    const auto part = [&](std::size_t n) { return (a.total.*classes_of_time[n].part).number(); };
    for (std::size_t n = 0; n != time_classes; ++n)
        if (part(n) >= 0.005 * a.total.span.number()) order.push_back(n);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return part(x) > part(y); });
    std::string text;
    for (std::size_t n = 0; n != (std::min)(order.size(), std::size_t{2}); ++n)
        append(text, {n == 0 ? "" : ", ", part_of_all(a, order[n]), n == 0 ? " of all rank time is " : " ",
                      classes_of_time[order[n]].within});
    return text.empty() ? "No time was measured" : text;
}

inline std::string pipeline_markup(const run_answers& a) { return ms_markup(a.pipeline_time); }
inline bounded busy_share(const run_answers& a, const stage_answer& s) noexcept { return s.busy / a.pipeline_time; }
inline std::string lanes_finding(const run_answers& a) {
    if (!a.together && a.ranks.size() > 1)
        return "Each rank from its own first record: times of different ranks cannot be compared";
    std::vector<std::size_t> order;
    for (std::size_t n = 0; n != a.stages.size(); ++n)
        if (busy_share(a, a.stages[n]).is_known()) order.push_back(n);
    if (order.empty()) return "The ranks from their first to their last record";
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return comes_before(a.stages[x].busy, a.stages[y].busy); });
    const auto share_of = [&](std::size_t n) { return busy_share(a, a.stages[order[n]]); };
    const auto range = [&](std::size_t first) {
        bounded all = share_of(first);
        for (std::size_t n = first; n != order.size(); ++n) all = hull(all, share_of(n));
        return percent_markup(all);
    };
    const stage_answer& busiest = a.stages[order[0]];
    const std::string within = " of the pipeline's " + pipeline_markup(a);
    const bool are_all = static_cast<std::int64_t>(order.size()) == stages_of(a);
    if (order.size() == 1) return joined({"Stage ", busiest.stage, " is busy ", range(0), within});
    if (busiest.busy.at_least() > 1.15 * a.stages[order[1]].busy.at_most())
        return joined({"Stage ", busiest.stage, " is busy ", percent_markup(share_of(0)), within, ", the other",
                       order.size() == 2 ? " " : "s ",
                       are_all             ? ""
                       : order.size() == 2 ? "that is known "
                                           : "that are known ",
                       range(1)});
    return joined({are_all ? "The stages are busy " : "The stages that are known are busy ", range(0), within});
}

// A remedy in a sentence; shorter where its explanation says the rest.
inline std::string remedy_text(const remedy& r) {
    using change = remedy::change;
    return r.what == change::even_stages               ? "even stages"
           : r.what == change::twice_the_micro_batches ? "twice the micro-batches"
                                                       : message(r);
}
inline std::string_view explanation_of(const remedy& r) noexcept {
    using change = remedy::change;
    switch (r.what) {
    case change::rank_as_peers: return "each piece of its work is at most the median of its stage";
    case change::even_work_in_stages: return "each piece of work is the mean over the ranks of its stage";
    case change::even_stages: return "every stage works as the mean of all stages, in the order of the log";
    case change::no_gaps: return "the host is never late";
    case change::passes_in_turn:
        return "the log has another order of passes; each is as long as it was, and begins as soon as it can";
    case change::twice_the_micro_batches:
        return "for as many micro-batches as now, in 1F1B order: the pipeline fills and drains once for twice as many";
    case change::no_transfer: return "infinite bandwidth: nobody can have it";
    default: return "work vanishes: nobody can have it";
    }
}
// Why there are no remedies; empty if there are, or if none was looked for.
inline std::string_view obstacle_of(const run_answers& a) noexcept {
    using obstacle = replay_answer::obstacle;
    switch (a.replay.reason) {
    case obstacle::unknown_time: return "a replay needs the time and the size of all calls of all ranks";
    case obstacle::stuck: return "the order of the calls contradicts itself, so that it cannot be replayed";
    case obstacle::unfinished: return "an iteration is not whole";
    case obstacle::inexact: return "the replay of the run as it is differs from it by more than 5&nbsp;%";
    default: return {};
    }
}
// By how much the replayed run differs from the measured one.
inline std::string replay_markup(const run_answers& a) {
    return joined({ms_markup(a.replay.replayed), ", measured ", ms_markup(a.replay.iteration), " (",
                   percent_markup(a.replay.error),
                   a.replay.replayed.number() < a.replay.iteration.number() ? " less)" : " more)"});
}
// The headline, with its numbers written as in the text below it.
inline std::string headline_markup(const run_answers& a) {
    constexpr std::pair<std::string_view, std::string_view> shown[] = {
        {"&gt;= ", "&ge;&nbsp;"}, {"&lt;= ", "&le;&nbsp;"}, {"~ ", "~&nbsp;"},
        {" ms", "&nbsp;ms"},      {" %", "&nbsp;%"},        {" times", "&nbsp;times"}};
    std::string text = markup(headline_of(a));
    for (const auto& [said, instead] : shown)
        for (std::size_t at = text.find(said); at != text.npos; at = text.find(said, at + instead.size()))
            text.replace(at, said.size(), instead);
    return text;
}
// The positions of the ranks in the answers. The rank that others waited for longest comes first.
inline std::vector<std::size_t> ranks_by_caused(const run_answers& a) {
    std::vector<std::size_t> order = positions_of(a.ranks.size());
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return comes_before(a.ranks[x].caused, a.ranks[y].caused); });
    return order;
}
// The fewest ranks that caused at least nine tenths of the waiting in stages, and how much they caused.
inline std::pair<std::vector<std::int64_t>, bounded> culprits_of(const run_answers& a) {
    double sum = 0;
    for (const rank_answer& r : a.ranks) sum += r.caused.number();
    std::pair<std::vector<std::int64_t>, bounded> culprits;
    for (const std::size_t n : ranks_by_caused(a)) {
        if (!(culprits.second.number() < 0.9 * sum)) break;
        culprits.first.push_back(a.ranks[n].rank);
        culprits.second += a.ranks[n].caused;
    }
    std::stable_sort(culprits.first.begin(), culprits.first.end(),
                     [](std::int64_t x, std::int64_t y) { return x < y; });
    return culprits;
}
inline const remedy* remedy_of_rank(const run_answers& a) noexcept {
    for (const remedy& r : a.replay.remedies)
        if (r.what == remedy::change::rank_as_peers) return &r;
    return nullptr;
}
inline std::string waits_finding(const run_answers& a) {
    const bounded& waiting = a.total.stage_waiting;
    const auto [who, all_caused] = culprits_of(a);
    const bounded caused = waiting.has_most() ? common(all_caused, bounded::no_more(waiting.at_most())) : all_caused;
    if (!(waiting.number() >= 1) || who.empty())
        return a.total.unknown.number() > 0 || !waiting.is_exact()
                   ? "No waiting inside stages is known; some time is unknown"
                   : "No rank waited for another one of its stage";
    // A rank that has to wait makes others wait in turn; the replay shows whose work is the cause.
    const remedy* const alone = remedy_of_rank(a);
    if (alone != nullptr && alone->waiting_less.at_least() >= 0.5 * waiting.number())
        return joined({"Without the excess of rank ", *alone->rank, ", ", ms_markup(alone->waiting_less), " of the ",
                       ms_markup(waiting), " waited inside stages would not be waited"});
    const bool many = who.size() > 8 && 4 * who.size() > a.ranks.size();
    return joined(
        {many ? joined({count_text(who.size()), " of ", counted_text(a.ranks.size(), "rank")})
              : capitalised(ranks_markup(who)),
         who.size() == 1 ? " was" : " were", " the last that others waited for in ", ms_markup(caused), " of the ",
         ms_markup(waiting), " waited inside stages",
         part_of(caused, waiting).is_known() ? joined({" (", percent_markup(part_of(caused, waiting)), ")"}) : ""});
}

inline std::string time_sentence(const run_answers& a) {
    if (a.ranks.size() > 1 && !a.together) {
        const std::string why = a.apart ? joined({"the extents of the same calls differ by ",
                                                  ms_markup(a.extent_spread), " of ", ms_markup(a.extent)})
                                        : "they share no moment by their clocks, nor two calls of a group";
        return joined({a.apart ? "The ranks were <b>traced separately</b> ("
                               : "Whether the ranks <b>ran together</b> is not known (",
                       link_to("trust", why),
                       "), so that waiting, exposed communication and the bubble are <b>unknown</b>. Work is ",
                       link_to("account", strong(part_of_all(a, work_class))), " of the ", ms_markup(a.total.span),
                       " of all ", count_text(a.ranks.size()), " ranks."});
    }
    const bool is_one = a.ranks.size() == 1;
    std::string text =
        joined({is_one ? "The rank takes " : "The longest rank takes ", strong(ms_markup(longest_span(a)))});
    if (a.iterations > 1) append(text, {" for ", count_text(a.iterations), " iterations"});
    if (is_one) text += ": ";
    else append(text, {". Of the ", ms_markup(a.total.span), " of all ", count_text(a.ranks.size()), " ranks, "});
    append(text, {strong(link_to("account", part_of_all(a, work_class))), " is work"});
    const auto is_there = [&](std::size_t which) { return (a.total.*classes_of_time[which].part).number() > 0; };
    for (const std::size_t which : {transfer_class, stage_class, pipeline_class})
        if (knows_waiting(a) && is_there(which))
            append(text, {", ", part_of_all(a, which), " ", classes_of_time[which].within});
    if (is_there(gap_class)) text += ", " + part_of_all(a, gap_class) + " gaps between records";
    if (is_there(unknown_class)) text += "; " + strong(part_of_all(a, unknown_class)) + " is unknown";
    return text + ".";
}
inline std::string slow_rank_sentence(const run_answers& a) {
    using cause = slow_rank::cause;
    if (const rank_answer* const rank = knows_waiting(a) ? surely_slow_rank(a) : nullptr)
        return joined({strong(joined({"Rank ", rank->rank})), " works ", times_markup(rank->ratio),
                       " as long as the median of the others in its stage: ", ms_markup(rank->account.work), ", ",
                       ms_markup(rank->excess), " more than they. Whether another rank is slower is not known."});
    if (!a.slowest_rank || a.slowest_rank->reason == cause::no_peer) return {};
    const slow_rank& slow = *a.slowest_rank;
    if (slow.reason == cause::none)
        return "No rank works more than 5&nbsp;% longer than the median of the others in its stage.";
    const bool many = slow.similar.size() > 1;
    std::string text =
        joined({strong(many ? capitalised(ranks_markup(slow.similar)) : joined({"Rank ", slow.rank})),
                many ? " work up to " : " works ", times_markup(slow.ratio), " as long as the median of the others in ",
                many ? joined({"their stage (rank ", slow.rank, ": "}) : "its stage (", ms_markup(slow.work),
                " against ", ms_markup(slow.peers), ")"});
    const auto with = [&](std::string_view reason) { append(text, {", with ", reason}); };
    if (slow.reason == cause::more_bytes)
        with(slow.bytes_ratio.is_known() ? times_markup(slow.bytes_ratio) + " the bytes" : "more bytes");
    if (slow.reason == cause::more_operations)
        with(slow.calls_ratio.is_known() ? times_markup(slow.calls_ratio) + " the operations" : "more operations");
    if (slow.reason == cause::longer)
        with("the same operations and bytes: look at the device, the host and its neighbours");
    if (slow.gaps_ratio.at_least() >= 2)
        append(text, {"; its gaps are ", times_markup(slow.gaps_ratio), " as long, too"});
    return text + ".";
}
inline std::string slow_stage_sentence(const run_answers& a) {
    if (!is_slow_stage(a)) return {};
    const slow_stage& slow = *a.slowest_stage;
    return joined({strong(joined({"Stage ", slow.stage})), " takes a mean of ", ms_markup(slow.per_batch),
                   " a micro-batch, ", times_markup(slow.ratio),
                   stages_of(a) == 2 ? " that of the other stage (" : " the median of the other stages (",
                   ms_markup(slow.others), "): ",
                   slow.reason == slow_stage::cause::one_rank  ? joined({"because of rank ", slow.rank})
                   : slow.reason == slow_stage::cause::waiting ? "its ranks wait for each other"
                                                               : "all its ranks have more work",
                   "."});
}
inline std::string bubble_sentence(const run_answers& a) {
    if (!a.bubble_share.is_known() || !a.pipeline_time.is_known() || !knows_waiting(a)) return {};
    std::string text = joined(
        {"The pipeline idles ", strong(link_to("lanes", percent_markup(a.bubble_share))), " of ", pipeline_markup(a)});
    if (!a.equal_share.is_known() || a.micro_batches == 0) return text + ".";
    const std::string ideal =
        joined({count_text(static_cast<std::uint64_t>(stages_of(a))), " equal stages",
                a.interleaved ? joined({" of ", a.chunks, " chunks"}) : std::string(), " and ", batches_text(a),
                a.micro_batches == a.iterations ? " micro-batch" : " micro-batches"});
    if (a.equal_share.number() >= 0.8 * a.bubble_share.at_most())
        return joined({text, "; ", percent_markup(a.equal_share), " is the least for ", ideal,
                       ", so that more micro-batches help more than balance."});
    const std::string least = a.least_time.is_known()
                                  ? joined({"; the least that these stages allow is ",
                                            shown(a.least_time, [](double v) { return milliseconds_text(v) + " ms"; })})
                                  : std::string();
    append(text, {", ", shown_difference((a.bubble_share - a.equal_share) * 100, digits_text),
                  " points more than with ", ideal, least});
    return text + ".";
}
inline std::string gain_sentence(const run_answers& a) {
    using change = remedy::change;
    if (const remedy* best = best_remedy(a)) {
        const std::string iteration = ms_markup(a.replay.iteration) + " from the first record to the last";
        const std::string by = strong(ms_markup(best->gain));
        return joined({"Greatest gain: ", link_to("whatif", remedy_text(*best)), " would ",
                       best->what == change::twice_the_micro_batches
                           ? joined({"take ", by, " less for as many micro-batches as now run in the ", iteration})
                           : joined({"shorten the ", iteration, " by ", by}),
                       " (replayed; the replay of the run as it is: ", replay_markup(a), ")."});
    }
    const std::string_view why = knows_waiting(a) ? obstacle_of(a) : std::string_view();
    return why.empty() ? std::string() : joined({"What a remedy would gain is unknown: ", why, "."});
}
// Why the remedies have no other schedule of the pipeline; empty if they have, or if there is no pipeline.
inline std::string schedule_obstacle(const run_answers& a) {
    using obstacle = replay_answer::obstacle;
    std::string_view why = "the order of its calls contradicts itself";
    switch (a.replay.schedule) {
    case obstacle::none:
    case obstacle::not_tried: return {};
    case obstacle::unknown_time:
        why = a.interleaved          ? "the stages are interleaved"
              : a.micro_batches == 0 ? "the logs do not tell micro-batches apart"
                                     : "the ranks have different numbers of passes";
        break;
    case obstacle::inexact:
        why = "the run, rebuilt in 1F1B order, differs from the replay of the run as it is by more than 5&nbsp;%";
        break;
    default: break;
    }
    return joined({"What other schedules of the pipeline or more micro-batches would gain is unknown: ", why, "."});
}
inline std::string missing_sentence(const run_answers& a) {
    if (a.missing_ranks.empty()) return {};
    std::string count = count_text(a.missing_ranks.size());
    if (a.sizes) append(count, {" of ", count_text(static_cast<std::uint64_t>(a.sizes->world))});
    count += a.missing_ranks.size() == 1 && !a.sizes ? " rank is missing"
             : a.missing_ranks.size() == 1           ? " ranks is missing"
                                                     : " ranks are missing";
    return joined({link_to("trust", strong(count)), ": what depends on ", a.missing_ranks.size() == 1 ? "it" : "them",
                   " is unknown."});
}

}  // namespace wlfmt::analysis

#endif
