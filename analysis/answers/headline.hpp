// The first sentence about a run: its greatest proven gain, or else who is proven to be slow, or else where time went.
#ifndef WLFMT_ANALYSIS_ANSWERS_HEADLINE_HPP
#define WLFMT_ANALYSIS_ANSWERS_HEADLINE_HPP

#include "../draw/text.hpp"
#include "../library.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

// The parts of an account, in the order in which they are printed and drawn.
struct time_class {
    std::string_view colour;  // the class of its colour in svg.hpp
    std::string_view name;
    std::string_view within;  // the words for it in a sentence: `75 % is ...`
    bounded time_account::*part;
};
enum : std::size_t { work_class, transfer_class, stage_class, pipeline_class, gap_class, unknown_class, time_classes };
inline constexpr time_class classes_of_time[time_classes] = {
    {"work", "work", "work", &time_account::work},
    {"transfer", "transfer", "transfer", &time_account::transfer},
    {"stage", "waiting in the stage", "waiting inside stages", &time_account::stage_waiting},
    {"pipeline", "waiting for the pipeline", "waiting for the pipeline", &time_account::pipeline_waiting},
    {"gap", "gaps", "gaps between records", &time_account::gaps},
    {"unknown", "unknown", "unknown", &time_account::unknown}};

inline std::string milliseconds_text(const bounded& ms) {
    return message(ms, [](double v) { return milliseconds_text(v) + " ms"; });
}
// A part of a whole, given as a fraction, in per cent.
inline std::string percent_text(const bounded& part) {
    return message(part * 100, [](double v) { return percent_text(v); });
}
inline std::string times_text(const bounded& ratio) {
    return message(ratio, [](double v) { return digits_text(v) + " times"; });
}

// A gain below half a per cent of the iteration, or below the replay's own error, is no finding.
inline double least_gain(const run_answers& a) noexcept {
    return (std::max)(0.005, a.replay.error.number()) * a.replay.iteration.number();
}
// The remedy with the greatest gain; null if none is surely above least_gain().
inline const remedy* best_remedy(const run_answers& a) noexcept {
    const remedy* best = nullptr;
    if (a.replay.reason != replay_answer::obstacle::none) return nullptr;
    for (const remedy& r : a.replay.remedies)
        if (!r.is_limit && r.gain.at_least() > (best != nullptr ? best->gain.at_least() : least_gain(a))) best = &r;
    return best;
}
inline bool is_slow(const run_answers& a) noexcept {
    using cause = slow_rank::cause;
    return a.slowest_rank && a.slowest_rank->reason != cause::none && a.slowest_rank->reason != cause::no_peer;
}
inline bool is_slow_stage(const run_answers& a) noexcept {
    return a.slowest_stage && a.slowest_stage->reason != slow_stage::cause::none;
}
// If the slowest rank is not known: the rank whose work surely exceeds its peers' by the most; null if none does.
inline const rank_answer* surely_slow_rank(const run_answers& a) noexcept {
    const rank_answer* found = nullptr;
    if (a.slowest_rank) return nullptr;
    for (const rank_answer& r : a.ranks) {
        bool has_peers = false;
        for (const rank_answer& other : a.ranks) has_peers = has_peers || (&other != &r && other.stage == r.stage);
        if (has_peers && r.ratio.at_least() >= slow_rank::least_ratio &&
            (found == nullptr || r.excess.at_least() > found->excess.at_least()))
            found = &r;
    }
    return found;
}

inline std::string message_of(const doubtful_time& d) {
    using cause = doubtful_time::cause;
    if (d.why == cause::set || d.why == cause::set_here)
        return joined({"the clock of rank ", d.rank, d.why == cause::set ? " was set " : " may have been set ",
                       d.time < 0 ? "back" : "forward", " by ", milliseconds_text(std::fabs(d.time)),
                       " ms before its record ", d.record + 1});
    const std::string begin =
        joined({"record ", d.record + 1, " of rank ", d.rank, d.why == cause::too_long ? " takes " : " begins ",
                milliseconds_text(d.time), " ms"});
    switch (d.why) {
    case cause::gap: return begin + " after the one before it, a gap longer than the rest of the run";
    case cause::too_long: return begin + ", more than twice as long as all that the other ranks did";
    case cause::order:
        return begin + " before the one before it ends: its records are taken in the order of their times";
    default: return begin + " before the one before it ends";
    }
}

inline std::string message_of(const run_answers::contradiction& c) {
    return joined({"the logs of rank ", c.rank, " and rank ", c.other,
                   " are not those of one run: what each was to the other contradicts itself by ",
                   fixed_text(c.time, 2), " ms", c.calls.empty() ? "" : ", in ", c.calls});
}

inline std::string message_of(const strange_log& s) {
    using cause = strange_log::cause;
    const auto has = [&](std::string_view things) {
        return joined({"the log of rank ", s.rank, " is not of this run: it has ", s.number, " ", things,
                       " where that of rank ", s.other, " has ", s.of_other});
    };
    const auto are = [&](std::string_view times, std::string_view how) {
        return joined({"the ", times, " of rank ", s.rank, " are in another unit: they are ", s.number, " times as ",
                       how, " as those of rank ", s.other, ", in each of ", s.of_other, " operations"});
    };
    switch (s.why) {
    case cause::misnamed:
        if (s.of_other != 0)
            return joined({"the log of rank ", s.rank, " holds ", counted_text(s.number, "record"),
                           " of other ranks, the first of rank ", s.other});
        return joined({"the file of rank ", s.rank, " is not its log: its records are those of rank ", s.other});
    case cause::iterations: return has("of optimizer_step");
    case cause::batches: return has("micro-batches");
    case cause::passes: return has("of forward_step");
    case cause::short_durations: return are("durations", "short");
    case cause::long_durations: return are("durations", "long");
    case cause::short_distances: return are("timestamps", "close");
    case cause::long_distances: return are("timestamps", "far apart");
    default:
        return joined({"the logs of rank ", s.rank, " and rank ", s.other, " are copies: all times of ", s.number,
                       " records and calls are the same"});
    }
}

inline std::string headline_of(const run_answers& a) {
    if (a.ranks.empty() && !a.strange_logs.empty()) return "The logs are not of one run";
    if (a.repeated_ranks) return "Ranks are in several files: who is slow is not known";
    if (a.too_many_calls) return "There are more operations than are kept: who is slow is not known";
    if (a.ranks.empty())
        return a.any_beyond ? "Times are too great to be milliseconds" : "No rank has a record with a time";
    const auto slow_rank_of = [](std::int64_t rank, const bounded& ratio) {
        return joined({"Rank ", rank, " works ", times_text(ratio), " as long as its peers"});
    };
    const auto slow_stage_of = [](const slow_stage& s) {
        return joined({"Stage ", s.stage, " takes ", times_text(s.ratio), " as long as the others"});
    };
    const auto capitalized = [](std::string words) {
        words[0] = static_cast<char>(words[0] - 'a' + 'A');
        return words;
    };
    if (a.ranks.size() > 1 && !a.together) {
        const std::string doubt = joined({a.apart ? "traced one by one" : "whether the ranks ran together is not known",
                                          ": work is known, waiting is not"});
        if (!is_slow(a)) return capitalized(doubt);
        return joined({slow_rank_of(a.slowest_rank->rank, a.slowest_rank->ratio), "; ", doubt});
    }
    if (const remedy* const best = best_remedy(a)) {
        const std::string gain =
            joined({milliseconds_text(best->gain), ", ", percent_text(best->gain / a.replay.iteration),
                    a.iterations == 1 ? " of the iteration" : " of the iterations"});
        switch (best->what) {
        case remedy::change::rank_as_peers:
            if (is_slow(a) && a.slowest_rank->rank == best->rank)
                return joined({slow_rank_of(a.slowest_rank->rank, a.slowest_rank->ratio), ": ", gain});
            for (const rank_answer& r : a.ranks)
                if (r.rank == best->rank) return joined({slow_rank_of(r.rank, r.ratio), ": ", gain});
            break;
        case remedy::change::even_stages:
            if (is_slow_stage(a)) return joined({slow_stage_of(*a.slowest_stage), "; even stages would save ", gain});
            break;
        case remedy::change::even_work_in_stages:
            if (is_slow(a))
                return joined({slow_rank_of(a.slowest_rank->rank, a.slowest_rank->ratio),
                               "; even work in each stage would save ", gain});
            break;
        default: break;
        }
        return joined({capitalized(message(*best)), " would save ", gain});
    }
    if (is_slow(a)) return slow_rank_of(a.slowest_rank->rank, a.slowest_rank->ratio);
    if (const rank_answer* const rank = surely_slow_rank(a))
        return slow_rank_of(rank->rank, rank->ratio) + "; whether another one is slower is not known";
    if (is_slow_stage(a)) return slow_stage_of(*a.slowest_stage);
    const bounded work = a.total.work / a.total.span;
    if (work.is_known() && (work.has_most() || work.at_least() >= 0.005))
        return percent_text(work) + " of the time is work";
    if (a.missing_ranks.empty())
        return joined({a.lost == 0                                  ? "Times contradict each other"
                       : a.missing_call_count != 0 || a.unread != 0 ? "Records are missing"
                                                                    : "Records have no time",
                       ": who is slow is not known"});
    return joined({counted_text(a.missing_ranks.size(), "rank"), a.missing_ranks.size() == 1 ? " has" : " have",
                   " no log: who is slow is not known"});
}

}  // namespace wlfmt::analysis

#endif
