// Prints a summary, for summary and merge: lines for people, JSON for programs, or a line that merge reads.
#ifndef WLFMT_TOOLS_RUN_PRINT_HPP
#define WLFMT_TOOLS_RUN_PRINT_HPP

#include <wlfmt/oplog/run.hpp>

#include "../command_line/options.hpp"
#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../output/grid.hpp"
#include "../output/output.hpp"
#include "answers.hpp"
#include "answers_json.hpp"

namespace tool {

using wlfmt::analysis::dimension;

// The name of a row in a dimension. A nested operation that is a text, or names no collective, is named as it is.
std::string value_in(const wlfmt::analysis::tally_row& row, dimension d);

// The sums over all ranks, and the times of each rank.
struct run_totals {
    std::vector<std::int64_t> ranks;
    double busy = 0;
    double communication = 0;
    std::optional<double> idle = 0;  // empty if that of a rank is not known
    std::uint64_t unmeasured = 0;
    std::uint64_t doubles = 0;
    std::size_t timed = 0;
    // Lists with an item for each rank.
    std::vector<double> computations;
    std::vector<double> communications;
    std::vector<double> idles;  // empty if `idle` is

    explicit run_totals(const wlfmt::analysis::summary& s);
};

// A number from a sketch, which is accurate to 1/128, with three significant digits and without an exponent.
std::string sketched(double v);
template <unsigned Decimals> std::string quantile_text(const wlfmt::analysis::measure<Decimals>& m, double part) {
    // The least and the greatest value are exact.
    const double v = m.quantile(part);
    if (v == m.least()) return m.least_text();
    return v == m.greatest() ? m.greatest_text() : sketched(v);
}

// The sizes of a run's groups: those in the names of its files, and those that the command line gives where the names
// give none. Sets `problem` if the two contradict each other, or if the ranks cannot be divided so.
std::optional<wlfmt::analysis::run_sizes> sizes_for(const wlfmt::analysis::summary& s, const settings& wanted,
                                                    std::string& problem);
// Reports what is wrong with the sizes that the command line gives.
exit_status report_sizes(const wlfmt::analysis::summary& s, const settings& wanted);
wlfmt::analysis::run_answers answers_for(const wlfmt::analysis::summary& s, const settings& wanted);

template <class Line, unsigned Decimals>
void put_measure(Line& line, std::string_view key, const wlfmt::analysis::measure<Decimals>& m) {
    put_object(line, key, [&] {
        put_count(line, "count", m.count());
        if (m.count() == 0) return;
        const std::pair<std::string_view, std::string> values[] = {{"sum", m.sum_text()},
                                                                   {"mean", decimals_of(m.mean())},
                                                                   {"deviation", decimals_of(m.standard_deviation())},
                                                                   {"min", m.least_text()},
                                                                   {"median", quantile_text(m, 0.5)},
                                                                   {"p90", quantile_text(m, 0.9)},
                                                                   {"p99", quantile_text(m, 0.99)},
                                                                   {"max", m.greatest_text()}};
        for (const auto& [name, value] : values) line.key(name).plain(value);
    });
}
// Prints a line of JSON with what print_summary() shows, and more. `for_page`: the longest lists of answers are left
// out if there are many ranks.
void put_json(const std::string& title, const wlfmt::analysis::summary& s, const wlfmt::analysis::run_answers& answers,
              bool for_page = false);

void show(const std::string& title, const wlfmt::analysis::summary& s, const settings& wanted);

// Names the ranks that a summary lacks: of those that --expect gives, else of those below the world size in the names
// of the files, else of those between the lowest and the highest. Returns false if there are any.
bool report_missing_ranks(const wlfmt::analysis::summary& sum, const settings& s,
                          wlfmt::severity severity = wlfmt::severity::error);

// Executes a command that sums up, with its output in the layout that was asked for.
template <class Command> exit_status sum_up(const settings& s) {
    if (s.markdown) chosen_layout = layout::markdown;
    chosen_digest.max_rows = s.top;
    const exit_status status = Command(s).execute();
    end_digest();
    return status;
}

}  // namespace tool

#endif
