// Says in words how the clocks of a run were aligned, and what is strange about its times.
#ifndef WLFMT_TOOLS_RUN_TIMELINE_CLOCKS_HPP
#define WLFMT_TOOLS_RUN_TIMELINE_CLOCKS_HPP

#include "analysis/timeline/timeline.hpp"

#include "../general/order.hpp"
#include "../output/grid.hpp"
#include "../output/output.hpp"

namespace tool {

class run_clocks {
public:
    run_clocks(const wlfmt::analysis::timeline::run& run, wlfmt::analysis::timeline::alignment chosen) noexcept
        : run_(run), chosen_(chosen) {}

    std::size_t timed_ranks() const {
        return static_cast<std::size_t>(
            std::count_if(run_.ranks().begin(), run_.ranks().end(), [](const auto& rank) { return rank.timed; }));
    }
    // `operation`: what --align names.
    std::string why_not_aligned(std::string_view operation) const {
        if (chosen_ == wlfmt::analysis::timeline::alignment::operation)
            return joined(
                {"no rank has an operation `", operation,
                 "` with a time; --align= takes first, flows, collectives, none, or the name of an operation"});
        if (chosen_ == wlfmt::analysis::timeline::alignment::collectives)
            return "no two ranks have a timed call of their group in common, by the sizes in the files' names; "
                   "align by messages, --align=flows";
        return "the messages contradict each other: whatever the clocks are, some arrive before they are sent; align "
               "by an operation, --align=optimizer_step";
    }
    // Prints the offsets of the clocks, and what is strange about the times.
    void report() const {
        const bool is_automatic = chosen_ == wlfmt::analysis::timeline::alignment::automatic;
        if (is_automatic) report_clocks();
        for (const auto& rank : run_.ranks()) {
            if (is_automatic) break;
            if (rank.offset == 0) continue;
            standard_error.append({"rank ", rank.rank, ": clock moved by ", rank.offset > 0 ? "+" : "",
                                   fixed(static_cast<double>(rank.offset) / 1e9, 6), " s\n"});
        }
        if (run_.early() != 0)
            say("wlfmt", {counted(run_.early(), "message arrives", "messages arrive"),
                          " before being sent, as clocks differ: try --align=flows"});
        if (are_apart())
            say("wlfmt",
                {"no two ranks overlap in time, as if they were traced one after the other: try --align=first"});
    }

private:
    // Prints how the clocks were aligned if the command line did not say how.
    void report_clocks() const {
        using wlfmt::analysis::timeline::alignment;
        if (run_.aligned() == alignment::none) return;
        const bool by_collectives = run_.aligned() == alignment::collectives;
        const auto apart = static_cast<double>(by_collectives ? run_.fit().apart : run_.apart());
        const std::string words =
            run_.clocks() == timed_ranks() && run_.aligned() == alignment::first
                ? "no two ranks overlap in time, as if they were traced one after the other: each begins at 0"
                : joined({"the ranks have ", run_.clocks(), " clocks, up to ",
                          fixed(apart / 1e9, by_collectives ? 6 : 3), " s apart, as on several hosts: ",
                          by_collectives ? by_collectives_words()
                          : run_.aligned() == alignment::flows
                              ? "they are moved by as little as no message needs to arrive before it is sent"
                              : "no messages show how far apart they are, so that each begins at 0"});
        say("wlfmt", {words, "; --align=none leaves them as they are"});
    }
    std::string by_collectives_words() const {
        const wlfmt::analysis::timeline::collective_fit& fit = run_.fit();
        std::string words = joined({"they are moved so that members of a blocking collective leave it together (",
                                    counted(fit.differences, "end", "ends"), " compared, median deviation ",
                                    fixed(static_cast<double>(fit.deviation) / 1e6, 3), " ms)"});
        if (fit.sets == 1) return words;
        words += joined({"; of ", fit.sets, " sets of clocks that no collective joins, "});
        return words + (fit.rest_begins_together
                            ? "no messages show how far apart they are, so that each begins at 0"
                            : "each is moved by as little as no message needs to arrive before it is sent");
    }
    // Whether each rank ends before the next one begins.
    bool are_apart() const {
        std::vector<std::pair<std::int64_t, std::int64_t>> times;
        for (const auto& rank : run_.ranks())
            if (rank.timed) times.emplace_back(rank.begin + rank.offset, rank.end + rank.offset);
        sort_list(times);
        for (std::size_t n = 1; n < times.size(); ++n)
            if (times[n].first < times[n - 1].second) return false;
        return times.size() > 1;
    }

    const wlfmt::analysis::timeline::run& run_;
    wlfmt::analysis::timeline::alignment chosen_;
};

}  // namespace tool

#endif
