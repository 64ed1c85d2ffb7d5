// plot: draws a run, a workload file or a table as SVG.
#ifndef WLFMT_TOOLS_PLOT_HPP
#define WLFMT_TOOLS_PLOT_HPP

#include "analysis/plot/plot.hpp"

#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "input/shown.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"

namespace tool {

class plot_command final : public shown_command {
public:
    explicit plot_command(const settings& s) : shown_command(s) {}

private:
    void show(const std::string& title, wlfmt::analysis::run_answers&& answers) override {
        const rank_set& drawn = settings_in_use().drawn;
        std::vector<std::int64_t> numbers;
        for (const auto& r : answers.ranks) numbers.push_back(r.rank);
        if (const std::string missing = drawn.missing_from(numbers); drawn.is_given() && !missing.empty())
            complain("wlfmt", "--ranks: no log has rank " + missing);
        auto& ranks = answers.ranks;
        ranks.erase(std::remove_if(ranks.begin(), ranks.end(), [&](const auto& r) { return !drawn.has(r.rank); }),
                    ranks.end());
        if (!numbers.empty() && ranks.empty()) return;
        if (ranks.empty())
            return complain(
                "wlfmt",
                "no operation has a time that can be drawn: these are plans, logs of metadata alone, or times of more "
                "than 2.3e12 ms; `wlfmt summary` tells what is in them");
        wlfmt::analysis::plot::write(standard_output, answers, title);
    }
    void show(const std::string& title, const wlfmt::workload::document& doc, std::string_view) override {
        wlfmt::analysis::plot::write(standard_output, doc, title);
    }
    void show(const std::string& title, const wlfmt::table::document& tables, report& r) override {
        if (tables.tables.size() > 1)
            r.loss({},
                   joined({"the first of ", tables.tables.size(), " tables is drawn: --table=2 draws the second one"}));
        wlfmt::analysis::plot::write(standard_output, tables.tables[0], title);
    }
};

exit_status do_plot(const settings& s) { return plot_command(s).execute(); }

}  // namespace tool

#endif
