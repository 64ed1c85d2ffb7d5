// plot: draws a run, a workload file or a table as SVG.
#ifndef WLFMT_TOOLS_PLOT_HPP
#define WLFMT_TOOLS_PLOT_HPP

#include <set>
#include <string>
#include <string_view>

#include <wlfmt/plot.hpp>
#include <wlfmt/run.hpp>
#include <wlfmt/types/answers.hpp>
#include <wlfmt/wlfmt.hpp>

#include "files.hpp"
#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "target.hpp"
#include "timeline.hpp"

namespace tool {

// Op logs are read as timeline reads them; a workload file or a table is a picture of its own.
class plot_command : public timeline_command {
public:
    explicit plot_command(const settings& s) : timeline_command(s) {}

private:
    static std::string file_name_of(const std::string& path) {
        return path == "-" ? std::string() : path.substr(path.find_last_of("/\\") + 1);
    }
    // The name of the run and its time.
    std::string title() const {
        const std::string path = first_path();
        const auto facts = wlfmt::oplog::facts_of(path);
        if (!facts.rank) return path_count() == 1 ? file_name_of(path) : std::string();
        std::string name = wlfmt::detail::run_name(path);
        if (!facts.time.empty()) name += ", " + std::string(facts.time);
        return name;
    }
    void draw_workload(const wlfmt::workload::document& doc, stream& to) override {
        static_cast<void>(wlfmt::plot::write(to, doc, file_name_of(first_path())));
    }
    void table(std::string_view text, report& r) override {
        r.about(text);
        wlfmt::table::document all;
        for_each_prefix(text, settings_in_use(), r, [&](const wlfmt::options& how) {
            auto read = wlfmt::table::read(text, how);
            for (auto& one : read->tables) all.tables.push_back(std::move(one));
            return read.error();
        });
        if (all.tables.empty()) return;
        if (all.tables.size() > 1)
            r.error(std::string_view(), "the first of " + std::to_string(all.tables.size()) +
                                            " tables is drawn: give the others in files of their own");
        target to(settings_in_use().output, inputs());
        if (to.is_open()) static_cast<void>(wlfmt::plot::write(to.sink(), all.tables[0], file_name_of(first_path())));
        if (!to.keep()) r.error(std::string_view(), "nothing is written");
    }
    exit_status write(const std::string& name, const std::set<std::int64_t>& ranks) override {
        target to(name, inputs());
        if (!to.is_open()) return unusable;
        wlfmt::plot::lanes picture(run_of_files(), title(), sizes());
        const bool same = for_each_event(
            ranks, [&](const wlfmt::oplog::operation& op) { picture.add(op); }, [] {});
        if (!same) return unusable;
        static_cast<void>(picture.write(to.sink()));
        return to.keep() ? clean : unusable;
    }
};

}  // namespace tool

#endif
