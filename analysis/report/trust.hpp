// The last sections of the report of a run: what its numbers rest on, and what its words mean.
#ifndef WLFMT_ANALYSIS_REPORT_TRUST_HPP
#define WLFMT_ANALYSIS_REPORT_TRUST_HPP

#include "../library.hpp"
#include "lanes.hpp"

namespace wlfmt::analysis {

// A list with a line for each check; checks that limit numbers are marked.
class check_list {
public:
    void add(bool good, std::string_view subject, const std::string& text) {
        ++checks_;
        limiting_ += good ? 0 : 1;
        append(rows_, {good ? "<tr class=\"passed\">" : "<tr class=\"limits\">", "<th scope=\"row\">", subject,
                       "</th><td>", text, "</td></tr>\n"});
    }
    std::string finding() const {
        return limiting_ == 0 ? "What the numbers rest on: all checks passed"
                              : joined({"What the numbers rest on: ", limiting_, " of ", checks_, " checks limit",
                                        limiting_ == 1 ? "s" : "", " them"});
    }
    const std::string& rows() const noexcept { return rows_; }

private:
    std::string rows_;
    int limiting_ = 0;
    int checks_ = 0;
};
inline void add_count(std::string& text, const bounded& n, std::string_view words) {
    if (n.number() != 0) append(text, {"; ", count_markup(n), words});
}
inline void add_count(std::string& text, std::uint64_t n, std::string_view words) {
    add_count(text, bounded(static_cast<double>(n)), words);
}

inline void check_ranks(check_list& list, const run_answers& a) {
    const bool all_there = a.missing_ranks.empty() && a.left_out.empty();
    std::string ranks = count_text(a.ranks.size());
    if (a.sizes)
        append(ranks, {" of ", count_text(static_cast<std::uint64_t>((std::max)(a.sizes->world, std::int64_t{0})))});
    if (!a.missing_ranks.empty()) append(ranks, {"; missing: ", ranges_text(a.missing_ranks)});
    if (!a.left_out.empty())
        append(ranks, {!a.strange_logs.empty()                ? "; not believed: "
                       : a.repeated_ranks || a.too_many_calls ? "; not kept: "
                                                              : "; without times: ",
                       ranges_text(a.left_out)});
    // Without sizes, the number of ranks that ran is not known.
    list.add(all_there && a.sizes, "Ranks",
             ranks.append(!all_there ? ""
                          : a.sizes  ? ", none missing"
                                     : "; how many ran is not known"));
    if (a.repeated_ranks) list.add(false, "Files", "ranks are in several files: who is slow and who waits is unknown");
    if (a.too_many_calls)
        list.add(false, "Files", "there are more calls than are kept: who is slow and who waits is unknown");
    if (a.texts != 0 && !a.repeated_ranks) list.add(true, "Files", counted_text(a.texts, "file") + " read");
}
inline void check_clocks(check_list& list, const run_answers& a, bool has_common_axis) {
    if (a.ranks.size() < 2) return;
    constexpr std::string_view differing =
        "from the first to the last blocking call the members of a group count times that differ by ";
    const std::string extent =
        a.extent.is_known() && a.extent_spread.is_known()
            ? joined({differing, ms_markup(a.extent_spread), " of ", ms_markup(a.extent), " (medians)"})
        : a.common_moment ? "all ranks share a moment"
                          : "they share no moment";
    list.add(a.together, "Traced together",
             (a.together ? "yes: "
              : a.apart  ? strong("no") + ": "
                         : strong("not known") + ": ") +
                 extent);
    list.add(a.sizes.has_value(), "Sizes of groups",
             a.sizes ? "known from the files' names" : "not in the files' names: collectives are unknown");
    const std::string_view clocks = a.clocks == 1     ? ", of one host"
                                    : has_common_axis ? ", aligned by calls and messages"
                                                      : "; not all can be compared";
    if (a.together && a.clocks != 0)
        list.add(has_common_axis, "Clocks", joined({a.clocks == 1 ? "one" : count_text(a.clocks), clocks}));
}
inline void check_calls(check_list& list, const run_answers& a) {
    if (a.ranks.size() > 1)
        list.add(a.missing_members == 0, "Groups",
                 a.missing_members == 0
                     ? "all members are in the logs"
                     : counted_text(a.missing_members, "group") + " without all members: time unknown");
    std::string calls;
    if (a.differing_groups != 0)
        calls = joined({"members of ", counted_text(a.differing_groups, "group"),
                        a.missing_call_count == 0 ? " have calls without a time" : " differ"});
    else calls = a.missing_call_count == 0 ? "the same in all members of each group" : "calls that are there are alike";
    std::uint64_t named = 0;
    for (std::size_t n = 0; n != (std::min)(a.missing_calls.size(), std::size_t{3}); ++n) {
        append(calls, {"; ", markup(message(a.missing_calls[n]))});
        named += a.missing_calls[n].in_a_row;
    }
    add_count(calls, a.missing_call_count > named ? a.missing_call_count - named : 0, " more that some lack");
    if (a.ranks.size() > 1) list.add(a.differing_groups == 0 && a.missing_call_count == 0, "Calls", calls);
    bounded records;
    for (const rank_answer& r : a.ranks) records += r.records;
    std::string of_records = count_markup(records);
    add_count(of_records, a.untimed, " without a time, in no sum");
    add_count(of_records, a.negative, " of them with a duration below 0");
    add_count(of_records, a.contradictions, " with times that contradict each other, which are unknown");
    add_count(
        of_records, a.overlaps,
        a.overlaps.number() == 1 ? " begins before the one before it ends" : " begin before the one before them ends");
    for (const doubtful_time& d : a.doubtful_times)
        if (d.why != doubtful_time::cause::overlap) append(of_records, {"; ", message_of(d)});
    add_count(of_records, a.doubles,
              a.doubles.number() == 1 ? " repeats an exchange, counted once" : " repeat an exchange, counted once");
    if (!a.ranks.empty())
        list.add(a.untimed == 0 && a.negative == 0 && a.contradictions == 0 && a.doubtful_times.empty(), "Records",
                 of_records);
}
// `unread` says which parts of the input were not read, as markup; empty if all was read.
inline void add_trust(run_page& p, const std::string& unread) {
    const run_answers& a = p.a;
    check_list checks;
    if (!unread.empty()) checks.add(false, "Input", unread);
    if (a.any_beyond)
        checks.add(false, "Times",
                   "records have times of more than 2.3e12&nbsp;ms (73 years), which are in no sum: microseconds, or "
                   "nanoseconds?");
    check_ranks(checks, a);
    check_clocks(checks, a, p.axis.is_common);
    check_calls(checks, a);
    if (a.iterations > 1 || a.unfinished)
        checks.add(
            !a.unfinished, "Iterations",
            joined({count_text(a.iterations), a.iterations > 1 ? ": all sums are of all of them" : "",
                    a.unfinished ? "; one is not whole, as where a job was stopped: the bubble and what a remedy "
                                   "would gain are unknown"
                                 : ""}));
    if (a.interleaved)
        checks.add(false, "Pipeline",
                   joined({"the last stage sends forward: stages are interleaved (a virtual pipeline), so that ",
                           a.equal_share.is_known() ? "an" : "a bubble and an", " ideal schedule of equal stages ",
                           a.equal_share.is_known() ? "is" : "are", " not theirs"}));
    if (a.total.unknown.number() > 0)
        checks.add(false, "Unknown time",
                   (a.total.unknown / a.total.span).is_known()
                       ? joined({part_of_all(a, unknown_class), " of rank time (", ms_markup(a.total.unknown), ")"})
                       : ms_markup(a.total.unknown) + " of rank time");
    if (knows_waiting(a) && a.replay.reason == replay_answer::obstacle::none)
        checks.add(true, "Replay", "the run as it is: " + replay_markup(a));
    else if (knows_waiting(a) && !obstacle_of(a).empty())
        checks.add(false, "Replay", "no remedies: " + std::string(obstacle_of(a)));
    p.page.section("trust", checks.finding(),
                   "Marked lines make numbers above limits (&ge;, &le;; ~ if it may be either) or unknown.");
    p.page.add({"<table class=\"facts\">\n", checks.rows(), "</table>\n"});
}
inline void add_terms(html_page& page) {
    constexpr std::pair<std::string_view, std::string_view> terms[] = {
        {"work", "computation, and collectives in groups of one rank, which move nothing"},
        {"transfer", "the least duration of a call over its members; of a message, the least of its size in the run"},
        {"waiting in the stage",
         "what a call of ranks of one stage (tp, dp, exp, ...) takes longer: imbalance of ranks that run the same "
         "program"},
        {"waiting for the pipeline",
         "the same of messages between stages, of the embedding group and of optimizer_step: the bubble"},
        {"gaps", "time between records: the host"},
        {"unknown",
         "calls that members lack or have not timed, groups of unknown sizes, ranks traced separately, records whose "
         "times contradict each other"},
        {"bubble",
         "(T - busy) / T, the mean of the stages; T: from the first record of an iteration to the end of its last "
         "backward_step; busy: get_batch, forward_step, loss_func, backward_step"},
        {"equal stages", "(p - 1) / (v m + p - 1) with p stages of v chunks and m micro-batches of an iteration"}};
    page.add({"<details><summary>Terms and formulas</summary><table class=\"facts\">\n"});
    for (const auto& [term, words] : terms)
        page.add({"<tr><th scope=\"row\">", term, "</th><td>", words, "</td></tr>\n"});
    page.add({"</table></details>\n"});
}

}  // namespace wlfmt::analysis

#endif
