#include "answers.hpp"

#include "analysis/order.hpp"

#include "answers_json.hpp"

namespace tool {

static std::string list_of(const std::vector<std::int64_t>& ranks) {
    constexpr std::size_t max_ranks = 16;
    std::string list;
    for (std::size_t n = 0; n != (std::min)(ranks.size(), max_ranks); ++n)
        list.append(n == 0 ? "" : ", ").append(std::to_string(ranks[n]));
    return ranks.size() > max_ranks ? list + ", ..." : list;
}

const char* reason_of(wlfmt::analysis::slow_rank::cause why) noexcept {
    using cause = wlfmt::analysis::slow_rank::cause;
    switch (why) {
    case cause::no_peer: return "no other rank in its stage";
    case cause::more_bytes: return "more bytes";
    case cause::more_operations: return "more operations";
    case cause::longer: return "same operations and bytes, longer";
    case cause::unknown: return "unknown";
    default: return "none";
    }
}

std::string reason_of(const wlfmt::analysis::slow_stage& s) {
    using cause = wlfmt::analysis::slow_stage::cause;
    switch (s.reason) {
    case cause::all_ranks: return "more work in all its ranks";
    case cause::one_rank: return joined({"rank ", s.rank});
    case cause::waiting: return "its ranks' waiting for each other";
    default: return "none";
    }
}
std::string_view name_of(wlfmt::analysis::remedy::change kind) noexcept {
    using change = wlfmt::analysis::remedy::change;
    switch (kind) {
    case change::rank_as_peers: return "rank_as_peers";
    case change::even_work_in_stages: return "even_work_in_stages";
    case change::even_stages: return "even_stages";
    case change::no_gaps: return "no_gaps";
    case change::passes_in_turn: return "passes_in_turn";
    case change::twice_the_micro_batches: return "twice_the_micro_batches";
    case change::no_transfer: return "no_transfer";
    case change::all_ranks_as_peers: return "all_ranks_as_peers";
    }
    return "unknown";
}
std::string_view word_of(wlfmt::analysis::replay_answer::obstacle reason) noexcept {
    using obstacle = wlfmt::analysis::replay_answer::obstacle;
    switch (reason) {
    case obstacle::none: return "none";
    case obstacle::not_tried: return "not tried";
    case obstacle::unknown_time: return "unknown time";
    case obstacle::stuck: return "ranks that wait for each other";
    case obstacle::inexact: return "inexact";
    case obstacle::unfinished: return "unfinished iteration";
    }
    return "unknown";
}
std::string_view word_of(wlfmt::analysis::group_of_ranks::place where) noexcept {
    using place = wlfmt::analysis::group_of_ranks::place;
    return where == place::one_host ? "one host" : where == place::several_hosts ? "several hosts" : "unknown";
}
// Prints what the gains of remedies are based on, or why they are not known.
static void print_replay(const wlfmt::analysis::run_answers& a) {
    const wlfmt::analysis::replay_answer& r = a.replay;
    using obstacle = wlfmt::analysis::replay_answer::obstacle;
    const auto error = [&] { return fixed(r.error * 100, 1) + "%"; };
    if (r.reason == obstacle::unknown_time)
        print_note("what a remedy would gain is not known: times or sizes that a replay needs are unknown");
    if (r.reason == obstacle::stuck)
        print_note("what a remedy would gain is not known: in a replay, ranks wait for each other for ever");
    if (r.reason == obstacle::inexact)
        print_note({"what a remedy would gain is not known: a replay of the run as it is differs by ", error(),
                    ", more than 5%"});
    if (r.reason == obstacle::none)
        print_note({a.iterations == 1 ? "the iteration takes " : "the iterations take ", fixed(r.iteration, 2),
                    " ms; gains are those of a replay that is off by ", error()});
}

// Prints the gains of all remedies, and of limits that no remedy can exceed.
static void print_remedies(const wlfmt::analysis::replay_answer& r) {
    if (r.remedies.empty()) return;
    print_gap();
    grid lines;
    lines.row({"what would change", "gain ms", joined({"of ", fixed(r.iteration, 2), " ms"})});
    for (const wlfmt::analysis::remedy& remedy : r.remedies)
        lines.row({(remedy.is_limit ? "limit: " : "") + message(remedy), fixed(remedy.gain, 2),
                   share(remedy.gain, r.iteration)});
    lines.print();
}

static void print_bandwidth(const std::vector<wlfmt::analysis::bandwidth_answer>& rows) {
    using row = wlfmt::analysis::bandwidth_answer;
    constexpr std::size_t max_rows = 16;
    if (rows.empty()) return;
    print_gap();
    grid lines{3, 6, 2};  // a narrow terminal leaves out the places, then the least times, then the ranks
    lines.row({"blocking calls", "bytes of a rank", "ranks", "on", "calls", "median ms", "least", "GB/s", "bus GB/s"});
    const auto or_nothing = [](const bounded& v) { return v.is_known() ? fixed(v, 2) : "-"; };
    for (const std::size_t n : heaviest_of(
             rows.size(), [&](std::size_t k) { return rows[k].transfer.number(); }, max_rows)) {
        const row& call = rows[n];
        lines.row({joined({call.group, " ", call.function}),
                   call.size == row::unknown_size ? "unknown"
                   : call.size == row::differs
                       ? "differ, mean " + message(call.bytes / call.calls, [](double v) { return sized(v); })
                       : sized(static_cast<double>(call.size)),
                   call.ranks, word_of(call.where), fixed(call.calls, 0), fixed(call.median_transfer, 3),
                   fixed(call.least_transfer, 3), or_nothing(call.algorithm), or_nothing(call.bus)});
    }
    lines.print();
    if (rows.size() > max_rows)
        print_note({"and ", rows.size() - max_rows, " more, of less time; calls under 100 kB measure latency"});
}

static void print_waits(const wlfmt::analysis::run_answers& a) {
    constexpr std::size_t max_rows = 10;
    const std::vector<wlfmt::analysis::wait_answer>& waits = a.waits;
    bounded sum;
    for (const wlfmt::analysis::wait_answer& wait : waits) sum += wait.time;
    // The listed waits lack those in lost calls, and those for ranks without a log.
    const bounded all = waiting_of(a.total);
    sum = bounded::between(sum.at_least(), is_whole(a) ? sum.at_least() + all.width() : all.at_most());
    if (!(sum.number() > 0)) return;
    print_gap();
    grid lines;
    lines.row({"rank that waited", "for rank", "group", "ms", "of all waiting for a rank"});
    for (const std::size_t n : heaviest_of(
             waits.size(), [&](std::size_t k) { return waits[k].time.number(); }, max_rows))
        lines.row(
            {waits[n].waiting, waits[n].late, waits[n].group, fixed(waits[n].time, 2), share(waits[n].time, sum)});
    lines.print();
}

// `at least 0` says nothing: a table shows `-` instead.
static std::string ms_cell(const bounded& v) {
    return v.has_least() && v.at_least() < 0.005 && !v.has_most() ? "-" : ms_text(v);
}
static std::string times_text(const bounded& v) {
    return message(v, [](double number) { return fixed(number, 2) + " times"; });
}
std::string percent_text(const bounded& part) {
    return message(part * 100, [](double number) { return fixed(number, 1) + "%"; });
}
// Compares a slow rank's work in each operation with the lower median of its peers' work.
static std::string compared_work(const wlfmt::analysis::run_answers& a, const wlfmt::analysis::slow_rank& slow) {
    std::string text;
    for (const auto& r : a.ranks) {
        if (r.rank != slow.rank) continue;
        for (const auto& op : r.operations) {
            std::vector<double> least;
            std::vector<double> most;
            for (const auto& peer : a.ranks)
                if (peer.rank != r.rank && peer.stage == r.stage)
                    for (const auto& same : peer.operations)
                        if (same.operation == op.operation) {
                            least.push_back(same.work.at_least());
                            most.push_back(same.work.at_most());
                        }
            if (least.empty()) continue;
            const bounded median = bounded::between(wlfmt::analysis::low_median(std::move(least)),
                                                    wlfmt::analysis::low_median(std::move(most)));
            if (!((op.work - median).number() >= 0.02 * slow.excess.number())) continue;
            text.append(text.empty() ? "" : ", ")
                .append(joined({op.operation, " ", ms_text(op.work), " / ", ms_text(median)}));
        }
    }
    return text;
}

// On how many of the hosts ranks are; empty if hosts are not told apart.
static std::string place_of(const wlfmt::analysis::run_answers& a, const std::vector<std::int64_t>& ranks) {
    if (!a.together || a.clocks < 2) return {};
    std::vector<std::int64_t> hosts;
    for (const auto& r : a.ranks)
        if (std::binary_search(ranks.begin(), ranks.end(), r.rank)) hosts.push_back(r.clock);
    std::sort(hosts.begin(), hosts.end());
    const auto count = std::unique(hosts.begin(), hosts.end()) - hosts.begin();
    return count == 1 ? joined({", all on one of ", a.clocks, " hosts"})
                      : joined({", on ", count, " of ", a.clocks, " hosts"});
}

static void print_slowest_rank(const wlfmt::analysis::run_answers& a) {
    using cause = wlfmt::analysis::slow_rank::cause;
    if (!a.slowest_rank)
        return print_note(a.lost != 0 ? "slowest rank: not known, as records are missing or have no time"
                                      : "slowest rank: not known");
    if (a.slowest_rank->reason == cause::no_peer) return;
    const wlfmt::analysis::slow_rank& slow = *a.slowest_rank;
    if (slow.reason == cause::none) return print_note("slowest rank: none (no rank has 5% more work than its peers)");
    std::string line = joined({"slowest rank: ", slow.rank});
    if (slow.stage) line += joined({" (stage ", *slow.stage, ")"});
    line += joined(
        {", a straggler, ", ms_text(slow.work), " ms of work, ", times_text(slow.ratio), " the median of its peers: "});
    const auto has = [](const bounded& ratio, const char* what) {
        return ratio.is_known() ? joined({"it has ", times_text(ratio), " their ", what})
                                : joined({"it has more ", what});
    };
    if (slow.reason == cause::more_bytes) line += has(slow.bytes_ratio, "bytes");
    if (slow.reason == cause::more_operations) line += has(slow.calls_ratio, "operations");
    if (slow.reason == cause::longer)
        line += "the same operations and bytes took longer (the device, the host or contention)";
    if (slow.reason == cause::unknown) line += "why is not known, as records are missing";
    print_finding({line});
    if (const std::string work = compared_work(a, slow); !work.empty())
        print_note({"  its work and theirs, ms: ", work});
    if (slow.gaps_ratio.at_least() >= 2)
        print_note({"  its gaps between records, which the host makes, are ", times_text(slow.gaps_ratio), " theirs"});
    if (slow.similar.size() > 1)
        print_note({"  ranks with at least 90% of its excess: ", list_of(slow.similar), place_of(a, slow.similar)});
    if (slow.late.number() > 0)
        print_note({"  the others waited ", ms_text(slow.caused), " ms for it in its stage; it came last in ",
                    fixed(slow.late, 0), " of ", fixed(slow.last_of, 0), slow.last_of == 1 ? " call" : " calls"});
}

static void print_slowest_stage(const wlfmt::analysis::run_answers& a) {
    if (!a.slowest_stage) return;
    using cause = wlfmt::analysis::slow_stage::cause;
    const wlfmt::analysis::slow_stage& slow = *a.slowest_stage;
    if (slow.reason == cause::none) return print_note("slowest stage: none (no stage takes 5% longer than the others)");
    print_finding({"slowest stage: ", slow.stage, ", a mean of ", ms_text(slow.per_batch),
                   " ms a micro-batch with its ranks' waiting for each other, ", times_text(slow.ratio),
                   " the others': ", slow.reason == cause::all_ranks ? "" : "because of ", reason_of(slow)});
    print_note({"  if the slowest rank of each stage is left out, its ranks work ", times_text(slow.ratio_without),
                " as long as those of the others"});
}

// The micro-batches of an iteration or, if iterations have different numbers of them, those of all.
static std::string batches_text(const wlfmt::analysis::run_answers& a) {
    const bool is_even = a.micro_batches % a.iterations == 0;
    return counted(is_even ? a.micro_batches / a.iterations : a.micro_batches, "micro-batch", "micro-batches") +
           (is_even ? "" : joined({" in ", counted(a.iterations, "iteration", "iterations")}));
}
static std::string pipeline_time_text(const wlfmt::analysis::run_answers& a) {
    return ms_text(a.pipeline_time) + " ms";
}

static void print_bubble(const wlfmt::analysis::run_answers& a) {
    if (!a.bubble_share.is_known()) return;
    std::string line = joined({"pipeline bubble: ", percent_text(a.bubble_share), " of ", pipeline_time_text(a)});
    if (a.equal_share.is_known())
        line +=
            joined({"; ", percent_text(a.equal_share), " with equal stages (",
                    counted(static_cast<std::uint64_t>(a.sizes->pipeline), "stage", "stages"),
                    a.interleaved ? joined({" of ", a.chunks, " chunks"}) : std::string(), ", ", batches_text(a), ")"});
    print_note(line);
    if (a.least_time.is_known() && a.least_time_even.is_known())
        print_note({"  the least time that these stages allow is ", ms_text(a.least_time), " ms, and ",
                    ms_text(a.least_time_even), " ms with even work in each stage"});
}

// Prints how much of the time is communication that computation does not hide, and how much it hides.
static void print_exposed(const wlfmt::analysis::run_answers& a) {
    if (!a.together) return;
    const bounded exposed = exposed_of(a);
    if (!exposed.is_known() || !(exposed.at_most() > 0)) return;
    bounded hidden;
    for (const auto& g : a.groups) hidden += g.overlapped;
    print_note({"exposed communication of all kinds, transfer and waiting: ", ms_text(exposed), " ms, ",
                share(exposed, a.total.span), " of all spans"});
    if (hidden == bounded::no_less(0)) return;
    print_note({"  hidden behind computation: ",
                hidden == 0 ? "none" : ms_text(hidden) + " ms of asynchronous calls, and nothing else",
                ", as the tracer waits for the end of each record"});
}

static void print_imbalance(const wlfmt::analysis::run_answers& a) {
    const wlfmt::analysis::imbalance_answer* worst = nullptr;
    for (const auto& answer : a.imbalance)
        if (answer.greatest_rank && (worst == nullptr || answer.ratio.number() > worst->ratio.number()))
            worst = &answer;
    if (worst == nullptr) return;
    print_note({"all-to-all bytes that differ between ranks", worst->is_partial ? ", as far as they are known" : "",
                ": at most ", times_text(worst->ratio), " the mean, rank ", *worst->greatest_rank, " (group ",
                worst->group, "); ", times_text(worst->worst_call_ratio), " in one call; correlation with work ",
                ms_text(worst->correlation)});
}

bool is_whole(const wlfmt::analysis::run_answers& a) noexcept {
    return a.lost == 0 && a.missing_ranks.empty() && a.left_out.empty();
}

// Says whether the same rank is the slowest in each iteration.
static std::string slow_in_each(const wlfmt::analysis::run_answers& a) {
    std::string ranks;
    bool same = true;
    for (const auto& iteration : a.by_iteration) {
        if (!iteration.is_slowest_known) return "which rank is slow in each is not known";
        same = same && iteration.slowest_rank == a.by_iteration.front().slowest_rank;
        ranks.append(ranks.empty() ? "" : ", ")
            .append(iteration.slowest_rank ? std::to_string(*iteration.slowest_rank) : "none");
    }
    if (!same) return "the slowest rank of each: " + ranks;
    const auto& slowest = a.by_iteration.front().slowest_rank;
    return slowest ? joined({"rank ", *slowest, " is the slowest in each"}) : "no rank is slow in any";
}

// Prints what is missing, which logs are not of the run, and how many records could not be read, or have impossible
// times.
static void print_doubtful(const wlfmt::analysis::run_answers& a) {
    constexpr std::size_t max_named = 3;
    std::uint64_t named = 0;
    for (std::size_t n = 0; n != (std::min)(max_named, a.missing_calls.size()); ++n) {
        const wlfmt::analysis::missing_call& call = a.missing_calls[n];
        print_note(message(call) + (call.in_a_row == 1 ? ": its time is unknown" : ": their time is unknown"));
        named += call.in_a_row;
    }
    if (a.missing_call_count > named)
        print_note({counted(a.missing_call_count - named, "more call", "more calls"),
                    " that some members of a group lack, which check lists"});
    for (const wlfmt::analysis::strange_log& s : a.strange_logs) print_note(message(s));
    if (a.unread != 0)
        print_note({counted(a.unread, "record", "records"),
                    " could not be read, wholly or in part: the numbers that this may change are limits"});
    if (a.negative != 0)
        print_note({counted(a.negative, "record has", "records have"), " a duration below 0, which is in no sum"});
    if (a.contradictions != 0)
        print_note({counted(a.contradictions, "record has", "records have"),
                    " times that contradict each other (calls longer than their record, records that overlap, a "
                    "record longer than the run, or a record twice), which are unknown"});
    for (std::size_t n = 0; n != (std::min)(max_named, a.doubtful_times.size()); ++n)
        print_note(message(a.doubtful_times[n]) +
                   (a.doubtful_times[n].is_mended() ? "" : ": what its rank's clock says is not trusted"));
    if (a.doubtful_times.size() > max_named)
        print_note({a.doubtful_times.size() - max_named, " more times cannot be right, which check lists"});
    if (a.apart_groups != 0)
        print_note(
            {counted(a.apart_groups, "group has", "groups have"),
             " members whose calls do not fit together, as of a log of another run, or a clock that was set: the "
             "time of these calls is unknown"});
}

static void print_limits(const wlfmt::analysis::run_answers& a) {
    if (!a.together)
        print_note(a.apart ? "the ranks were traced separately: waiting, exposed communication and the bubble are not "
                             "known"
                           : "whether the ranks were traced together is not known, as no group has two calls that "
                             "would show it: nor are waiting, exposed communication and the bubble");
    else if (!a.sizes)
        print_note(
            "the names of the files do not say the sizes (wd8_tp2_pp4_...), nor do --tp, --pp and --ep: what of "
            "the "
            "time in collectives is waiting is unknown");
    for (std::size_t n = 0; n != (std::min)(std::size_t{3}, a.contradicting_logs.size()); ++n)
        print_note(message(a.contradicting_logs[n]));
    if (a.together && !a.same_clock)
        print_note("the clocks differ: no time of a rank is compared with that of another");
    const std::string lacking =
        counted(a.missing_members, "group lacks", "groups lack") + " members, and the time of their calls is unknown";
    if (!a.missing_ranks.empty())
        print_note(
            {"no log of rank ", list_of(a.missing_ranks), a.missing_members != 0 ? ": " + lacking : std::string()});
    else if (a.missing_members != 0) print_note(lacking);
    if (a.iterations > 1)
        print_note({"the log has ", counted(a.iterations, "iteration", "iterations"),
                    " (optimizer_step): all times are their sums",
                    a.micro_batches == 0
                        ? std::string()
                        : joined({", and ", counted(a.micro_batches, "micro-batch", "micro-batches"), " in all"}),
                    "; ", slow_in_each(a)});
    if (a.unfinished)
        print_note(
            "an iteration is not whole, as where a job was stopped (forward and backward passes differ in number, or "
            "follow the last optimizer_step): the bubble and what a remedy would gain are not known");
    print_doubtful(a);
    if (a.interleaved)
        print_note({"the last stage sends forward: the stages are interleaved (a virtual pipeline), and no ",
                    a.equal_share.is_known() ? "least time is known of them"
                    : a.chunks > 1
                        ? "bubble of equal stages, nor a least time, is known of them, as micro-batches are no "
                          "multiple of stages"
                        : "bubble of equal stages, nor a least time, is known of them, as the logs do not show how "
                          "many chunks each has"});
    if (!a.left_out.empty() && !a.ranks.empty())
        print_note(
            {"not in these answers: rank ", list_of(a.left_out), a.strange_logs.empty() ? " (without times)" : ""});
}

std::string_view name_of(sum_limit limit) noexcept {
    constexpr std::string_view names[] = {"exact", "least", "either", "unknown"};
    return names[static_cast<std::size_t>(limit)];
}
bounded bounded_sum(double sum, sum_limit limit) noexcept {
    return limit == sum_limit::exact   ? bounded(sum)
           : limit == sum_limit::least ? bounded::no_less(sum)
                                       : bounded::unknown();
}
sum_limit limit_of_sum(const wlfmt::analysis::run_answers& a, wlfmt::analysis::dimension by,
                       const std::optional<std::int64_t>& rank, std::string_view operation) {
    using wlfmt::analysis::dimension;
    using limit = sum_limit;
    const auto limit_in = [&](const auto& operations, const auto& groups) {
        if (!has(by, dimension::operation) || has(by, dimension::collective)) return limit::least;
        for (const wlfmt::analysis::operation_answer& o : operations) {
            if (o.operation != operation) continue;
            if (o.work.number() > 0) return o.time.is_exact() ? limit::exact : limit::least;
            // An exchange has the time of its first record. If that record is lost, another one becomes the first.
            for (const wlfmt::analysis::group_answer& g : groups)
                if (g.group == "pp" && !g.calls.is_exact()) return limit::either;
            return o.time.is_exact() ? limit::exact : limit::either;
        }
        return limit::least;
    };
    if (has(by, dimension::rank)) {
        const auto at = std::lower_bound(a.ranks.begin(), a.ranks.end(), rank.value_or(-1),
                                         [](const auto& r, std::int64_t number) { return r.rank < number; });
        const bool is_there = at != a.ranks.end() && at->rank == rank;
        if (is_there && at->lost != 0 && at->contradictions == 0) return limit_in(at->operations, at->groups);
        if (!is_there && std::binary_search(a.missing_ranks.begin(), a.missing_ranks.end(), rank.value_or(-1)))
            return limit::unknown;
        const bool is_strange = std::any_of(a.strange_logs.begin(), a.strange_logs.end(),
                                            [&](const auto& log) { return log.rank == rank; });
        return is_strange || a.repeated_ranks || (is_there && at->contradictions != 0) ? limit::either : limit::exact;
    }
    // A record may be there twice, calls may be longer than the records that they are in, and a log may be of another
    // run.
    if (a.contradictions != 0 || !a.strange_logs.empty() || a.repeated_ranks) return limit::either;
    if (a.ranks.size() < 2 || is_whole(a)) return limit::exact;
    return a.missing_ranks.empty() && a.left_out.empty() && by == dimension::operation
               ? limit_in(a.operations, a.groups)
               : limit::least;
}

void add_cells(const wlfmt::analysis::run_answers& a, grid& lines, const wlfmt::analysis::time_account& t) {
    lines.add({ms_cell(t.span), ms_cell(t.work)});
    if (a.together) lines.add({ms_cell(t.transfer), ms_cell(t.stage_waiting), ms_cell(t.pipeline_waiting)});
    lines.add({ms_cell(t.gaps)});
    if (has_unknown(a)) lines.add({ms_text(t.unknown)});
}

static void add_titles(const wlfmt::analysis::run_answers& a, grid& lines) {
    lines.add({"span ms", "work"});
    if (a.together) lines.add({"transfer", "waiting in stage", "for pipeline"});
    lines.add({"gaps"});
    if (has_unknown(a)) lines.add({"unknown"});
}

void print_ranks(const wlfmt::analysis::run_answers& a) {
    const bool shows_all = a.ranks.size() <= 32;
    std::vector<std::size_t> shown =
        heaviest_first(a.ranks.size(), [&](std::size_t n) { return shows_all ? 0 : a.ranks[n].excess.number(); });
    if (!shows_all) shown.resize(8);
    grid lines{2, 4, 7};  // a narrow terminal leaves out the span, then transfer, then gaps
    lines.row({"rank", "stage"});
    add_titles(a, lines);
    if (a.together) lines.add({"others waited for it"});
    for (const std::size_t n : shown) {
        const wlfmt::analysis::rank_answer& r = a.ranks[n];
        lines.row({r.rank, r.stage ? std::to_string(*r.stage) : "-"});
        add_cells(a, lines, r.account);
        if (a.together) lines.add({ms_cell(r.caused)});
    }
    lines.row({joined({"all ", a.ranks.size()}), ""});
    add_cells(a, lines, a.total);
    lines.print();
    print_note(a.together ? "work is compute; waiting and gaps are idle time" : "work is compute; gaps are idle time");
    if (!shows_all) print_note({"of ", a.ranks.size(), " ranks those with the most work beyond their peers"});
}

void print_groups(const wlfmt::analysis::run_answers& a) {
    grid lines;
    lines.row({"group", "calls"});
    if (a.together) lines.add({"transfer ms", "waiting", "exposed", "of all spans", "overlapped"});
    if (has_unknown(a)) lines.add({a.together ? "unknown" : "unknown ms"});
    bool any = false;
    for (const auto& g : a.groups) {
        const bool is_alone = std::find(a.alone.begin(), a.alone.end(), g.group) != a.alone.end();
        const bounded& exposed = g.exposed;
        const auto is_there = [](const bounded& v) { return v.at_most() > 0 && v != bounded::no_less(0); };
        if (is_alone || (!is_there(exposed) && !is_there(g.overlapped) && !is_there(g.unknown))) continue;
        any = true;
        const bool inside = is_hidden(g.group);
        lines.row({inside ? "in optimizer_step" : g.group, fixed(g.calls, 0)});
        if (a.together) {
            const bounded greatest = g.waiting + g.waiting_more;
            const std::string more = is_there(g.waiting_more) && greatest.has_most()
                                         ? joined({" (", ms_text(bounded::no_more(greatest.at_most())), ")"})
                                         : std::string();
            lines.add({inside ? "-" : ms_cell(g.transfer), ms_cell(g.waiting) + more, ms_cell(exposed),
                       is_there(exposed) ? share(exposed, a.total.span) : "-",
                       is_there(g.overlapped) ? ms_text(g.overlapped) : "-"});
        }
        if (has_unknown(a)) lines.add({is_there(g.unknown) ? ms_text(g.unknown) : "-"});
    }
    if (any) print_gap();
    if (any) lines.print();
    for (const std::string& kind : a.alone)
        if (!is_hidden(kind))
            print_note({"the groups of ", kind, " have one rank: nothing is sent, and their time is work"});
}

static void print_stages(const wlfmt::analysis::run_answers& a) {
    if (a.stages.size() < 2) return;
    print_gap();
    grid lines;
    lines.row({"stage", "ranks", "mean work ms", "least", "greatest"});
    if (a.together && a.micro_batches != 0) lines.add({"a micro-batch, without waiting"});
    if (a.pipeline_time.is_known()) lines.add({"bubble", "of " + pipeline_time_text(a)});
    for (const auto& s : a.stages) {
        lines.row({s.stage, s.ranks, ms_text(s.account.work), ms_text(s.least_work), ms_text(s.greatest_work)});
        if (a.together && a.micro_batches != 0) lines.add({ms_text(s.batch_work)});
        if (a.pipeline_time.is_known()) lines.add({ms_text(s.bubble), percent_text(s.bubble_share)});
    }
    lines.print();
    for (const auto& s : a.stages)
        if (!s.missing.empty())
            print_note({"stage ", s.stage, " lacks rank ", list_of(s.missing),
                        ", whose times are unknown, and so are means of the stage"});
}

bool print_answers(const wlfmt::analysis::run_answers& a) {
    if (a.too_many_calls)
        print_note(
            "there are more operations than are kept (8,388,608): who is slow and who "
            "waits is not known; sum up whole runs, or fewer iterations");
    if (a.repeated_ranks) print_note("ranks are in several files: who is slow and who waits is not known");
    if (a.ranks.size() < 2) {
        print_doubtful(a);
        return false;
    }
    print_limits(a);
    print_replay(a);
    print_slowest_rank(a);
    print_slowest_stage(a);
    print_bubble(a);
    print_exposed(a);
    print_imbalance(a);
    print_gap();
    print_ranks(a);
    print_groups(a);
    print_stages(a);
    print_remedies(a.replay);
    print_waits(a);
    print_bandwidth(a.bandwidth);
    return true;
}

}  // namespace tool
