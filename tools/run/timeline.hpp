// timeline: writes a run, or one iteration of a workload file, as Trace Event JSON.
#ifndef WLFMT_TOOLS_RUN_TIMELINE_HPP
#define WLFMT_TOOLS_RUN_TIMELINE_HPP

#include "analysis/answers/answers.hpp"

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/files.hpp"
#include "../input/identity.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/grid.hpp"
#include "../output/output.hpp"
#include "../output/output_file.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "logs_again.hpp"
#include "timeline_clocks.hpp"

namespace tool {

// Finds the places in the log of a single rank at which all earlier operations have ended. The events so far can be
// written there, so that a large log's events need not all be in memory at once.
class pause_in_log {
public:
    bool is_before(const wlfmt::oplog::operation& op) {
        constexpr std::size_t min_events = 1 << 14;
        if (events_ == 0 && rank_ == none) rank_ = op.rank;
        if (op.rank != rank_) several_ranks_ = true;
        double begin = end_;
        double end = end_;
        const auto take = [&](const auto& timestamp, const auto& duration) {
            const double at = timestamp.value_or(0.0);
            if (!(at > 0)) return;
            begin = (std::min)(begin, at - (std::max)(duration.value_or(0.0), 0.0));
            end = (std::max)(end, at);
        };
        take(op.timestamp, op.duration);
        std::size_t events = 1;
        for (const auto& nested : op.sub_operations) {
            take(nested.timestamp, nested.duration);
            ++events;
        }
        const bool is_pause = !several_ranks_ && events_ >= min_events && begin >= end_;
        events_ = (is_pause ? 0 : events_) + events;
        end_ = end;
        return is_pause;
    }

private:
    static constexpr std::int64_t none = -1;
    std::int64_t rank_ = none;
    std::size_t events_ = 0;
    bool several_ranks_ = false;
    double end_ = 0;  // the latest end of all operations so far, in milliseconds
};

class timeline_command {
public:
    explicit timeline_command(const settings& s)
        : s_(s), files_(s, run_use::together), logs_(files_.paths(), s), run_(s.align) {}

    exit_status execute() {
        for (std::size_t n = 0; n != files_.paths().size(); ++n) inputs_.add(files_.paths()[n]);
        const exit_status read = (std::max)(files_.status(), first_pass());
        const exit_status status = done_ ? read : (std::max)(read, report_missing_ranks());
        const bool nothing_read = status != clean && run_.ranks().empty();
        if (done_ || doubled_ || nothing_read || status == unusable) return status;
        if (clocks().timed_ranks() == 0)
            return refuse(
                "no operation has a time that can be drawn: these are plans, logs of metadata alone, or times of more "
                "than 2.3e12 ms; `wlfmt summary` tells what is in them");
        answers_ = wlfmt::analysis::answers_of(sums_, sizes());
        if (!run_.align(chosen_alignment(), &answers_)) return refuse(clocks().why_not_aligned(s_.align));
        clocks().report();
        return (std::max)(status, write_files());
    }

private:
    // The sizes that the first file name with sizes gives.
    std::optional<wlfmt::analysis::run_sizes> sizes() const {
        for (std::size_t n = 0; n != files_.paths().size(); ++n) {
            const std::string path = files_.paths()[n];
            if (const auto found = wlfmt::analysis::sizes_of(wlfmt::oplog::facts_of(path))) return found;
        }
        return std::nullopt;
    }

    // Writes the ranks of the run with numbers from `first` to `last`.
    exit_status write(const std::string& name, std::int64_t first, std::int64_t last) {
        target output(name, inputs_);
        if (!output.is_open()) return unusable;
        wlfmt::analysis::timeline::writer events(output.sink(), run_, &answers_);
        pause_in_log pause;
        const auto add = [&](const wlfmt::oplog::operation& op) {
            if (op.rank < first || op.rank > last || run_.find(op.rank) == nullptr) return;
            if (pause.is_before(op)) events.flush();
            events.add(op);
        };
        const bool same = logs_.for_each_operation_again(add, [&] {
            events.flush();
            pause = {};
        });
        events.finish();
        return same && output.keep() ? clean : unusable;
    }

    run_clocks clocks() const noexcept { return {run_, chosen_alignment()}; }
    static exit_status refuse(const std::string& reason) {
        say("wlfmt", reason, wlfmt::severity::error);
        return problems;
    }
    wlfmt::analysis::timeline::alignment chosen_alignment() const noexcept {
        using wlfmt::analysis::timeline::alignment;
        if (s_.align.empty()) return alignment::automatic;
        for (const alignment candidate : {alignment::none, alignment::first, alignment::flows, alignment::collectives})
            if (s_.align == name_of(candidate)) return candidate;
        return alignment::operation;
    }
    // The numbers of the ranks, ascending.
    std::vector<std::int64_t> ranks() const {
        std::vector<std::int64_t> numbers;
        for (const auto& rank : run_.ranks()) numbers.push_back(rank.rank);
        sort_list(numbers);
        return numbers;
    }

    // Reads the files for the first time; for a workload file, it is the only time.
    exit_status first_pass() {
        progress shown("files", files_.paths().size());
        return for_each_file(files_.paths(), s_, [&](input& from, wlfmt::file_format kind, report& r, std::size_t n) {
            shown.step();
            if (kind == wlfmt::file_format::table) refuse_table(r);
            else if (kind == wlfmt::file_format::workload) write_workload(from.whole(), r);
            else read_log(from, n, r);
        });
    }

    void refuse_table(report& r) {
        done_ = true;
        r.error(std::string_view(),
                files_.paths().size() != 1
                    ? "give one table at a time"
                    : "a profiler table holds sums, not when anything happened: there is no timeline in it; "
                      "`wlfmt plot` draws its heaviest rows");
    }

    // Reads file `n` for the first time.
    void read_log(input& from, std::size_t n, report& r) {
        if (!from.can_be_read_again()) {
            done_ = true;
            r.error(std::string_view(),
                    "op logs are read twice, which standard input and pipes cannot be: give a file");
            return;
        }
        logs_.begin(n, from);
        sums_.begin_text(from.name());
        ranks_of_log ranks;
        for_each_operation(from, s_, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
            if (!s_.drawn.has(op.rank) || op.origin != wlfmt::oplog::origin::rank) return;
            report_if_doubled(op.rank, n, r);
            ranks.add(op);
            run_.add(op);
            sums_.add(op);
        });
        ranks.add_unread(sums_, r);
        sums_.end_text();
        logs_.end(n, from);
    }
    // Reports the first rank that is in two files.
    void report_if_doubled(std::int64_t rank, std::size_t file, report& r) {
        std::optional<std::size_t>& first = file_of_[rank];
        if (!first) first = file;
        if (*first == file || doubled_) return;
        doubled_ = true;
        r.error(std::string_view(),
                joined({"rank ", rank, " is in ", files_.paths()[*first], " too: give the files of one run"}));
    }

    void write_workload(std::string_view text, report& r) {
        done_ = true;
        if (files_.paths().size() != 1) return r.error(std::string_view(), "give one workload file at a time");
        r.about(text);
        const auto read = wlfmt::workload::read(text, options_for(s_, r));
        if (!read) r.error(read.error());
        target output(s_.output, inputs_);
        if (output.is_open()) wlfmt::analysis::timeline::write(output.sink(), *read);
        if (!output.keep()) r.error(std::string_view(), "nothing is written");
    }

    // Names the ranks that --ranks asks for and no log has.
    exit_status report_missing_ranks() const {
        if (!s_.drawn.is_given()) return clean;
        const std::string missing = s_.drawn.missing_from(ranks());
        if (missing.empty()) return clean;
        say("wlfmt", {"error: --ranks: no log has rank ", missing});
        return problems;
    }
    // With --ranks-per-file, trace.json becomes trace.0-63.json, ...
    exit_status write_files() {
        const std::vector<std::int64_t> numbers = ranks();
        if (s_.ranks_per_file == 0) return write(s_.output, numbers.front(), numbers.back());
        const std::string path = s_.output;
        const std::size_t folder = path.rfind('/');
        std::size_t end = path.rfind('.');
        if (end == std::string::npos || (folder != std::string::npos && end < folder)) end = path.size();
        exit_status worst = clean;
        for (std::size_t n = 0; n < numbers.size(); n += s_.ranks_per_file) {
            const std::int64_t last = numbers[(std::min)(numbers.size() - n, s_.ranks_per_file) + n - 1];
            worst = (std::max)(worst, write(joined({path.substr(0, end), ".", numbers[n], "-", last, path.substr(end)}),
                                            numbers[n], last));
        }
        return worst;
    }

    const settings& s_;
    files_of_run files_;
    input_files inputs_;
    logs_again logs_;
    wlfmt::analysis::timeline::run run_;
    wlfmt::analysis::summary sums_{std::vector<wlfmt::analysis::dimension>(), wlfmt::analysis::summary::keep::calls};
    wlfmt::analysis::run_answers answers_;
    keyed<std::int64_t, std::optional<std::size_t>> file_of_;  // the first file of each rank
    bool done_ = false;
    bool doubled_ = false;
};

}  // namespace tool

#endif
