// summary: sums up the op logs of a run.
#ifndef WLFMT_TOOLS_RUN_SUMMARY_HPP
#define WLFMT_TOOLS_RUN_SUMMARY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <wlfmt/json.hpp>
#include <wlfmt/run.hpp>
#include <wlfmt/summary.hpp>
#include <wlfmt/wlfmt.hpp>

#include "files.hpp"
#include "folder.hpp"
#include "output.hpp"
#include "run_print.hpp"
#include "run_read.hpp"
#include "settings.hpp"
#include "summary.hpp"

namespace tool {

// The op logs that the arguments name, those of folders included, and which of them are files of one run.
class run_command {
public:
    explicit run_command(const settings& s) : settings_(s) {
        if (!add_paths(given_, s.files)) worst_ = unusable;
    }
    exit_status run() {
        if (given_.empty()) return unusable;
        std::vector<std::size_t> chosen = choose();
        if (settings_.shares > 1) keep_share(chosen);
        {
            run_reader reader(given_, chosen, settings_, empty(),
                              [&](std::size_t n, const auto& own) { show(given_[n], own, settings_); });
            const unsigned cores = (std::max)(1U, std::thread::hardware_concurrency());
            reader.read(settings_.threads != 0 ? settings_.threads : cores);
            first_log_ = reader.first_log();
            for (const auto& [n, outcome] : reader.outcomes()) tell(n, outcome, reader.logs() != 0);
            tell_shared_ranks(reader.ranks());
            if (settings_.expected_ranks != 0 && !tell_missing_ranks(reader.summary(), settings_))
                worst_ = (std::max)(worst_, problems);
            // A share without files has a line, too, so that merge gets a line from each task.
            if (!settings_.per_file && (reader.logs() != 0 || (settings_.shares > 1 && chosen.empty())))
                show_run(reader.logs() == 1 ? name_of_file(reader.first_log()) : joined({reader.logs(), " files"}),
                         reader.summary());
            if (settings_.markdown && reader.foreign_lines() != 0) {
                print_gap();
                print_passed_over(reader.foreign_lines(), "record");
            }
        }
        worst_ = (std::max)(worst_, strays_.tell(settings_, settings_.shares <= 1 && strays_.size() == chosen.size()));
        if (failed_ != 0 && chosen.size() > 1)
            standard_error.append({failed_, " of ", counted(chosen.size(), "file", "files"), " failed\n"});
        // A file that is not an op log has a summary of its own.
        standard_error.flush();
        const auto sum_up = [&](input& from, report& r) { show_other(from, r); };
        for (const std::size_t n : others_) {
            const std::string path = given_[n];
            if (const auto piped = piped_.find(n); piped != piped_.end()) {
                input from(path, std::move(piped->second));
                worst_ = (std::max)(worst_, with_input(from, settings_, sum_up));
            } else {
                worst_ = (std::max)(worst_, with_file(path.c_str(), settings_, sum_up));
            }
        }
        return worst_;
    }

    virtual ~run_command() = default;
    run_command(const run_command&) = delete;
    run_command& operator=(const run_command&) = delete;

protected:
    // Shows the sum of the op logs.
    virtual void show_run(const std::string& name, const wlfmt::oplog::summary& s) { show(name, s, settings_); }
    // Shows a file that is not an op log.
    virtual void show_other(input& from, report& r) { summarise(from, format_of(from, settings_, r), settings_, r); }
    const settings& settings_in_use() const noexcept { return settings_; }
    void complain(const std::string& name, const std::string& what) {
        say(name, what, wlfmt::severity::error);
        worst_ = (std::max)(worst_, problems);
    }
    // How many files there are that are no op logs.
    std::size_t count_others() const noexcept { return others_.size(); }
    // The first of the op logs, those of folders included.
    std::string first_path() const { return given_[first_log_]; }

private:
    wlfmt::oplog::summary empty() const {
        constexpr auto calls = wlfmt::oplog::summary::keep::calls;
        return settings_.by.empty() ? wlfmt::oplog::summary(calls) : wlfmt::oplog::summary(settings_.by, calls);
    }
    std::string name_of_file(std::size_t n) const {
        std::string path = given_[n];
        return path == "-" ? "<stdin>" : path;
    }
    // Takes a share of the files after choosing among all of them: a task that saw only its own files would take older
    // runs for the newest.
    void keep_share(std::vector<std::size_t>& chosen) const {
        std::vector<std::size_t> own;
        for (std::size_t n = settings_.share; n < chosen.size(); n += settings_.shares) own.push_back(chosen[n]);
        chosen = std::move(own);
    }
    // The files to be read. Only the first task prints what the names tell.
    std::vector<std::size_t> choose() {
        if (settings_.share != 0) return wlfmt::oplog::choose_files(given_).chosen;
        return choose_of_run(given_, run_use::together, worst_);
    }
    // Reports the problems of a file. `among_logs`: there are op logs, too.
    void tell(std::size_t n, const read_outcome& o, bool among_logs) {
        const std::string name = name_of_file(n);
        if (o.failed) {
            standard_error.append(wlfmt::explain(o.failed, {}, wlfmt::in_file(name)));
            worst_ = unusable;
            ++failed_;
            return;
        }
        if (o.kind != wlfmt::file_format::oplog) return tell_other(n, name, o, among_logs);
        std::uint64_t lines = 0;
        std::uint64_t told_of = 0;
        std::uint64_t all = 0;
        for (const read_file_part& p : o.parts) {
            for (deferred_problem one : p.problems) {
                one.e.field = one.field;
                standard_error.append(wlfmt::explain(one.e, one.line, wlfmt::in_file(name), one.s, lines + one.number));
            }
            lines += p.lines;
            told_of += p.problems.size();
            all += p.errors + p.warnings;
        }
        if (all > told_of)
            standard_error.append({printable(name), ": ", all - told_of, " more problems, which check lists\n"});
        if (o.errors() != 0) {
            worst_ = (std::max)(worst_, problems);
            ++failed_;
        }
        if (o.other_ranks)
            complain(name, joined({"the name says rank ", *o.named_rank, ", the records say ",
                                   o.ranks.size() == 1 ? joined({"rank ", *o.ranks.begin()}) : "several ranks"}));
    }
    // A workload file or a table is summed up after the op logs, unless those are one object that it is no part of.
    void tell_other(std::size_t n, const std::string& name, const read_outcome& o, bool among_logs) {
        if (strays_.take(given_, n, o.failed ? wlfmt::file_format::oplog : o.kind)) return;
        const bool is_known = o.kind != wlfmt::file_format::unknown;
        const bool is_apart = !among_logs || (given_.is_given(n) && !settings_.partial && !settings_.json);
        if (is_known && is_apart && settings_.shares == 1) {
            others_.push_back(n);
            if (!o.piped.empty()) piped_.emplace(n, o.piped);
            return;
        }
        ++failed_;
        const std::string format = joined({"`", name_of(o.kind), "`"});
        if (!o.why_none.empty()) complain(name, o.why_none);
        else if (!is_known)
            complain(name, "unknown_format: neither a rank op log nor a workload file nor a profiler table");
        else if (settings_.shares != 1)
            complain(name, joined({"a file of the format ", format, ": --share is for the op logs of a run"}));
        else
            complain(name,
                     joined({"a file of the format ", format, " among the op logs of a run",
                             settings_.partial || settings_.json ? ", which are one sum: sum it up by itself" : ""}));
    }
    // Reports ranks that are in several files.
    void tell_shared_ranks(std::vector<rank_in_file>& ranks) {
        std::sort(ranks.begin(), ranks.end());
        std::size_t first = 0;
        for (std::size_t n = 1; n < ranks.size(); ++n) {
            if (ranks[n].first != ranks[first].first) first = n;
            else
                complain(name_of_file(static_cast<std::size_t>(ranks[n].second)),
                         joined({"rank ", ranks[n].first, " is in ",
                                 name_of_file(static_cast<std::size_t>(ranks[first].second)),
                                 ", too: both are in the sums"}));
        }
        std::vector<rank_in_file>().swap(ranks);
    }

    const settings& settings_;
    path_list given_;
    std::size_t first_log_ = 0;
    std::vector<std::size_t> others_;
    std::map<std::size_t, std::string> piped_;  // what these hold that cannot be read again
    stray_files strays_;
    std::size_t failed_ = 0;
    exit_status worst_ = clean;
};

}  // namespace tool

#endif
