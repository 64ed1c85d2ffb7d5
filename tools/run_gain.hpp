// Prints what remedies would gain, how fast bytes move, and who waits for whom.
#ifndef WLFMT_TOOLS_RUN_GAIN_HPP
#define WLFMT_TOOLS_RUN_GAIN_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/answers.hpp>

#include "grid.hpp"
#include "json_print.hpp"
#include "order.hpp"
#include "output.hpp"

namespace tool {

// What a remedy is called in JSON, and in a sentence that ends with what it gains.
struct remedy_words {
    std::string_view key;
    std::string_view words;
};
inline remedy_words words_of(wlfmt::oplog::remedy::change what) noexcept {
    using change = wlfmt::oplog::remedy::change;
    switch (what) {
    case change::rank_as_peers: return {"rank_as_peers", " working as its peers"};
    case change::even_work_in_stages: return {"even_work_in_stages", "even work in each stage"};
    case change::even_stages: return {"even_stages", "even work of all stages"};
    case change::no_gaps: return {"no_gaps", "no gaps between records"};
    case change::twice_the_micro_batches:
        return {"twice_the_micro_batches", "twice the micro-batches, by the same work"};
    case change::no_transfer: return {"no_transfer", "transfers that take no time"};
    case change::all_ranks_as_peers: return {"all_ranks_as_peers", "all slow ranks working as their peers"};
    }
    return {};
}
inline std::string words_of(const wlfmt::oplog::remedy& r) {
    const std::string words(words_of(r.what).words);
    return r.rank ? joined({"rank ", *r.rank, words}) : words;
}
inline std::string_view word_of(wlfmt::oplog::replay_answer::obstacle reason) noexcept {
    using obstacle = wlfmt::oplog::replay_answer::obstacle;
    switch (reason) {
    case obstacle::none: return "none";
    case obstacle::not_tried: return "not tried";
    case obstacle::unknown_time: return "unknown time";
    case obstacle::stuck: return "ranks that wait for each other";
    case obstacle::inexact: return "inexact";
    }
    return "unknown";
}
inline std::string_view word_of(wlfmt::oplog::group_of_ranks::place where) noexcept {
    using place = wlfmt::oplog::group_of_ranks::place;
    return where == place::one_host ? "one host" : where == place::several_hosts ? "several hosts" : "unknown";
}

// What a remedy gains, and what those numbers rest on; or why it is not known.
inline void print_gains(const wlfmt::oplog::replay_answer& r) {
    using obstacle = wlfmt::oplog::replay_answer::obstacle;
    if (r.reason == obstacle::not_tried) return;
    const auto error = [&] { return fixed(100 * r.error, 1) + "%"; };
    if (r.reason == obstacle::unknown_time)
        return print_note("what a remedy would gain is not known: times that a replay needs are unknown");
    if (r.reason == obstacle::stuck)
        return print_note("what a remedy would gain is not known: in a replay, ranks wait for each other for ever");
    if (r.reason == obstacle::inexact)
        return print_note({"what a remedy would gain is not known: a replay of the run as it is differs by ", error(),
                           ", more than 5%"});
    const wlfmt::oplog::remedy* best = nullptr;
    for (const wlfmt::oplog::remedy& one : r.remedies)
        if (best == nullptr && !one.is_limit && one.gain >= 0.0005 * r.iteration) best = &one;
    print_note({"greatest gain: ",
                best == nullptr ? "none of what was tried shortens"
                                : joined({words_of(*best), ", ", fixed(best->gain, 2), " ms of"}),
                " the iteration of ", fixed(r.iteration, 2), " ms, by a replay that is off by ", error()});
}
// All remedies, and what nobody can reach.
inline void print_remedies(const wlfmt::oplog::replay_answer& r) {
    if (r.remedies.empty()) return;
    print_gap();
    grid lines;
    lines.row({"what would change", "gain ms", joined({"of ", fixed(r.iteration, 2), " ms"})});
    for (const wlfmt::oplog::remedy& one : r.remedies)
        lines.row({(one.is_limit ? "limit: " : "") + words_of(one), fixed(one.gain, 2), share(one.gain, r.iteration)});
    lines.print();
}
inline void print_bandwidth(const std::vector<wlfmt::oplog::bandwidth_answer>& rows) {
    using row = wlfmt::oplog::bandwidth_answer;
    using wlfmt::oplog::limit;
    constexpr std::size_t most = 16;
    if (rows.empty()) return;
    std::vector<std::size_t> order = heaviest_first(rows.size(), [&](std::size_t n) { return rows[n].transfer; });
    if (rows.size() > most) order.resize(most);
    print_gap();
    grid lines;
    lines.row({"blocking calls", "bytes of a rank", "ranks", "on", "calls", "median ms", "least", "GB/s", "bus GB/s"});
    for (const std::size_t n : order) {
        const row& one = rows[n];
        const auto told = [&](const std::string& text, limit what) {
            return limited(text, one.is_partial ? what : limit::exact);
        };
        lines.row({joined({one.group, " ", one.function}),
                   one.size == row::untold    ? "unknown"
                   : one.size == row::differs ? "differ, mean " + sized(one.bytes / static_cast<double>(one.calls))
                                              : sized(static_cast<double>(one.size)),
                   one.ranks, word_of(one.where), told(std::to_string(one.calls), limit::least),
                   told(fixed(one.median_transfer, 3), limit::either), told(fixed(one.least_transfer, 3), limit::most),
                   one.algorithm ? told(fixed(*one.algorithm, 2), limit::either) : "-",
                   one.bus ? told(fixed(*one.bus, 2), limit::either) : "-"});
    }
    lines.print();
    if (rows.size() > most)
        print_note({"and ", rows.size() - most, " more, of less time; calls under 100 kB measure latency"});
}
inline void print_waits(const std::vector<wlfmt::oplog::wait_answer>& waits) {
    using wait = wlfmt::oplog::wait_answer;
    constexpr std::size_t most = 10;
    double sum = 0;
    auto all = wlfmt::oplog::limit::exact;  // of a share: of the sum, in either direction
    for (const wait& one : waits) {
        if (one.time_limit != wlfmt::oplog::limit::exact) all = wlfmt::oplog::limit::either;
        sum += one.time;
    }
    if (!(sum > 0)) return;
    std::vector<std::size_t> order = heaviest_first(waits.size(), [&](std::size_t n) { return waits[n].time; });
    if (order.size() > most) order.resize(most);
    print_gap();
    grid lines;
    lines.row({"rank that waited", "for rank", "group", "ms", "of all waiting for a rank"});
    for (const std::size_t n : order)
        lines.row({waits[n].waiting, waits[n].late, waits[n].group,
                   limited(fixed(waits[n].time, 2), waits[n].time_limit), limited(share(waits[n].time, sum), all)});
    lines.print();
}

}  // namespace tool

#endif
