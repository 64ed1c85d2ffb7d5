// summary: reads the op logs of a run with several threads into one summary.
#ifndef WLFMT_TOOLS_RUN_SUMMARY_HPP
#define WLFMT_TOOLS_RUN_SUMMARY_HPP

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/files.hpp"
#include "../input/folder.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "../table/summary.hpp"
#include "../workload/summary.hpp"
#include "analysis/callback.hpp"
#include "print.hpp"

namespace tool {

// Sums up a file that is not an op log.
inline void summarise(input& from, wlfmt::file_format kind, const settings& s, report& r) {
    if (kind == wlfmt::file_format::workload) static_cast<void>(workload_summary(from, s, r));
    if (kind == wlfmt::file_format::table) summarise_tables(from, s, r);
}

// What reading a part of a file has found.
struct read_file_part {
    std::uint64_t begin = 0;
    std::uint64_t lines = 0;
    std::vector<deferred_problem> problems;  // the first problems
    std::uint64_t errors = 0;
    std::uint64_t warnings = 0;
    bool has_table = false;
    wlfmt::problem lost;  // the lines that hold a record after other text
};
// What reading a file has found.
struct read_outcome {
    wlfmt::file_format kind = wlfmt::file_format::unknown;
    wlfmt::problem failed;    // the file could not be opened or read
    std::string why_unknown;  // why the format is unknown
    std::string piped;        // the text of a workload file or a table that cannot be read again
    std::optional<std::int64_t> named_rank;
    bool other_ranks = false;         // it holds other ranks than the one in its name
    keyed<std::int64_t, bool> ranks;  // the ranks that its records name
    std::vector<read_file_part> parts;
    std::size_t parts_left = 0;
    std::optional<wlfmt::analysis::summary> own;  // --per-file: its summary
    bool is_waiting = false;                      // --per-file: it has been read, and waits for the files before it

    std::uint64_t errors() const {
        std::uint64_t n = 0;
        for (const read_file_part& p : parts) n += p.errors;
        return n;
    }
    // Whether there is nothing to report.
    bool is_clean() const {
        if (failed || kind != wlfmt::file_format::oplog || other_ranks) return false;
        for (const read_file_part& p : parts)
            if (p.errors + p.warnings != 0 || p.has_table) return false;
        return true;
    }
};
// A rank, and the position of its file.
using rank_in_file = std::pair<std::int64_t, std::int64_t>;

// Returns false if the system cannot start another thread. The existing threads then do the work.
template <class Work> bool add_thread(std::vector<std::thread>& threads, const Work& work) {
#if defined(__cpp_exceptions)
    try {
        threads.emplace_back(work);
    } catch (const std::system_error&) {
        return false;
    }
#else
    threads.emplace_back(work);
#endif
    return true;
}
// Divides a large file into parts, so that several threads can read it and the progress can be shown.
inline std::vector<wlfmt::byte_range> parts_of(const input& from) {
    constexpr std::uint64_t part_size = std::uint64_t{1} << 24;
    const std::uint64_t size = from.size();
    if (size < 2 * part_size) return {wlfmt::byte_range()};
    std::vector<wlfmt::byte_range> ranges;
    for (std::uint64_t begin = 0; begin < size; begin += part_size) ranges.push_back({begin, begin + part_size});
    ranges.back().end = wlfmt::byte_range().end;
    return ranges;
}
// Adds the records of a range of a file to a summary. Sets `ranks` and `foreign_lines` to those of the range.
inline read_file_part read_into(wlfmt::analysis::summary& sum, ranks_of_log& ranks, std::uint64_t& foreign_lines,
                                input& from, wlfmt::byte_range range, const settings& s) {
    read_file_part outcome;
    outcome.begin = range.begin;
    report r(from.name(), s);
    r.set_kind(wlfmt::file_format::oplog);
    r.set_cells(from.cells());
    r.keep_in(outcome.problems);
    lines_read lines;
    if (!from.error())
        lines = for_each_operation(from, s, r, range, [&](const wlfmt::oplog::operation& op, const auto&) {
            sum.add(op);
            ranks.add(op);
        });
    ranks.add_unread(sum, r);
    foreign_lines = lines.foreign;
    outcome.lines = lines.count;
    outcome.has_table = lines.has_table;
    outcome.lost = lines.lost;
    outcome.errors = r.errors();
    outcome.warnings = r.warnings();
    return outcome;
}

// Reads files one after the other, and large ones in parts that several threads can read at the same time. All threads
// fill one summary, which does not depend on their number. Of a file without problems, only the ranks are kept.
class run_reader {
public:
    // `chosen`: the positions in `paths` of the files to read, by which the files are told apart. With --per-file,
    // each(file, summary) is called for every op log in their order, by one thread at a time.
    using for_file = callback<void(std::size_t, const wlfmt::analysis::summary&)>;
    run_reader(const path_list& paths, const std::vector<std::size_t>& chosen, const settings& s,
               wlfmt::analysis::summary empty, const for_file& each)
        : paths_(paths),
          chosen_(chosen),
          settings_(s),
          each_(each),
          empty_(std::move(empty)),
          total_(empty_),
          outcomes_(paths.size()),
          shown_("files", chosen.size(), s.per_file ? progress::output::lines : progress::output::nothing) {}

    void read(unsigned threads) {
        std::vector<std::thread> others;
        // As large files are read in parts, there can be work for more threads than there are files.
        const std::size_t sensible = chosen_.size() > 1 ? chosen_.size() + 1 : max_threads;
        const auto wanted = static_cast<unsigned>((std::min)({sensible, max_threads, std::size_t{threads}}));
        others.reserve(wanted);
        for (unsigned n = 1; n < wanted && add_thread(others, [this] { work(); }); ++n) continue;
        work();
        for (std::thread& thread : others) thread.join();
        shown_.clear();
    }
    const wlfmt::analysis::summary& summary() const noexcept { return total_; }
    // An item for each path; null if there is nothing to report about the file.
    const std::vector<std::unique_ptr<read_outcome>>& outcomes() const noexcept { return outcomes_; }
    std::vector<rank_in_file>& ranks() noexcept { return ranks_; }
    // How many op logs there are, and the position of the first one in the paths.
    std::size_t logs() const noexcept { return logs_; }
    std::size_t first_log() const noexcept { return first_log_; }
    // The number of lines in the op logs that hold no record and are not blank.
    std::uint64_t foreign_lines() const noexcept { return foreign_lines_; }

private:
    static constexpr std::size_t max_threads = 1024;
    static constexpr std::size_t files_at_a_time = 32;
    // How many summaries of files may wait for the summary of an earlier file.
    static constexpr std::size_t max_waiting = 1024;
    struct task {
        std::size_t file;  // a position in chosen_
        std::size_t part;
        wlfmt::byte_range range;
    };

    void work() {
        worker self{empty_, {}, 0};
        for (task t; take(t);) {
            if (t.part == 0) read_file(t, self);
            else read_part(t, self);
            const std::lock_guard<std::mutex> lock(mutex_);
            // Merges often: the calls of a group are folded only once its ranks, read by several threads, meet.
            if (++self.files % files_at_a_time == 0)
                static_cast<void>(total_.merge(std::exchange(self.sum, wlfmt::analysis::summary(empty_))));
            if (--busy_ == 0) more_.notify_all();
            shown_.step();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        static_cast<void>(total_.merge(std::move(self.sum)));
    }
    // Takes the next task: parts of a file that has been begun come before further files. Waits while a busy thread may
    // still add parts, or while too many summaries of files wait for that of an earlier file. Returns false if nothing
    // is left to do.
    bool take(task& t) {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            if (!parts_.empty()) {
                t = parts_.front();
                parts_.pop_front();
                break;
            }
            if (next_ != chosen_.size() && (waiting_ < max_waiting || busy_ == 0)) {
                t = {next_++, 0, {}};
                break;
            }
            if (busy_ == 0) return false;
            more_.wait(lock);
        }
        ++busy_;
        return true;
    }

    struct worker {
        wlfmt::analysis::summary sum;
        std::string memory;
        std::size_t files;
    };

    void read_file(const task& t, worker& self) {
        auto read = std::make_unique<read_outcome>();
        read_outcome& outcome = *read;
        const std::string path = paths_[chosen_[t.file]];
        input from(path.c_str(), self.memory);
        outcome.failed = from.error();
        outcome.named_rank = wlfmt::oplog::facts_of(path).rank;
        if (!outcome.failed) outcome.kind = kind_of(from, settings_);
        if (!outcome.failed && outcome.kind == wlfmt::file_format::unknown)
            outcome.why_unknown = why_unknown_format(from.beginning(), from.name(), settings_);
        if (outcome.kind != wlfmt::file_format::oplog) {
            if (outcome.kind != wlfmt::file_format::unknown && !from.can_be_read_again()) outcome.piped = from.whole();
            const std::lock_guard<std::mutex> lock(mutex_);
            outcomes_[chosen_[t.file]] = std::move(read);
            return finish(t.file);
        }
        const std::vector<wlfmt::byte_range> ranges = parts_of(from);
        outcome.parts.resize(ranges.size());
        outcome.parts_left = ranges.size();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            outcomes_[chosen_[t.file]] = std::move(read);
            if (ranges.size() != 1) {
                for (std::size_t part = 1; part != ranges.size(); ++part)
                    parts_.push_back({t.file, part, ranges[part]});
                shown_.add(ranges.size() - 1, "files and parts of files");
                more_.notify_all();
            }
        }
        read_records(from, {t.file, 0, ranges[0]}, self, ranges.size() == 1);
    }
    void read_part(const task& t, worker& self) {
        const std::string path = paths_[chosen_[t.file]];
        input from(path.c_str(), self.memory, wlfmt::oplog::stream::first_byte(t.range));
        read_records(from, t, self, false);
    }
    void read_records(input& from, const task& t, worker& self, bool is_whole) {
        std::optional<wlfmt::analysis::summary> own;
        if (settings_.per_file || !is_whole) own = empty_;
        wlfmt::analysis::summary& sum = own ? *own : self.sum;
        if (is_whole) sum.begin_text(from.name());
        else sum.begin_part(from.name(), t.range.begin);
        ranks_of_log ranks;
        std::uint64_t foreign_lines = 0;
        read_file_part outcome = read_into(sum, ranks, foreign_lines, from, t.range, settings_);
        if (!is_whole) sum.end_part(t.range.end);
        if (own && is_whole) static_cast<void>(self.sum.merge(*own));

        const std::lock_guard<std::mutex> lock(mutex_);
        foreign_lines_ += foreign_lines;
        // Merges a part as soon as it is read: until its neighbours are merged as well, the summary keeps where each
        // rank begins and ends in it.
        if (!is_whole) static_cast<void>(total_.merge(*own));
        read_outcome& file = *outcomes_[chosen_[t.file]];
        if (from.error()) file.failed = from.error();
        if (settings_.per_file && file.own) static_cast<void>(file.own->merge(std::move(*own)));
        else if (settings_.per_file) file.own = std::move(own);
        for (const auto& [rank, is_there] : ranks.all()) file.ranks[rank] = is_there;
        file.parts[t.part] = std::move(outcome);
        if (--file.parts_left == 0) finish(t.file);
    }
    // Call this with the mutex locked, when the whole file has been read.
    void finish(std::size_t position) {
        const std::size_t file = chosen_[position];
        read_outcome& done = *outcomes_[file];
        if (done.kind == wlfmt::file_format::oplog) {
            if (logs_++ == 0 || file < first_log_) first_log_ = file;
            done.other_ranks =
                done.named_rank && !done.ranks.empty() && (done.ranks.size() != 1 || !done.ranks.has(*done.named_rank));
            for (const auto& [rank, is_there] : done.ranks) ranks_.emplace_back(rank, static_cast<std::int64_t>(file));
        }
        if (!settings_.per_file) return release(file);
        done.is_waiting = true;
        ++waiting_;
        for (; next_shown_ != chosen_.size(); ++next_shown_) {
            const std::size_t next = chosen_[next_shown_];
            if (outcomes_[next] == nullptr || !outcomes_[next]->is_waiting) break;
            --waiting_;
            if (auto& own = outcomes_[next]->own) {
                each_(next, *own);
                own.reset();
            }
            release(next);
        }
        more_.notify_all();
    }
    // Forgets a file if there is nothing to report about it.
    void release(std::size_t file) {
        if (outcomes_[file]->is_clean()) outcomes_[file].reset();
    }

    const path_list& paths_;
    const std::vector<std::size_t>& chosen_;
    const settings& settings_;
    const for_file each_;
    const wlfmt::analysis::summary empty_;
    wlfmt::analysis::summary total_;
    std::vector<std::unique_ptr<read_outcome>> outcomes_;  // an item for each path
    std::vector<rank_in_file> ranks_;
    std::size_t waiting_ = 0;  // the number of summaries that wait to be shown
    std::size_t next_shown_ = 0;
    std::size_t logs_ = 0;
    std::size_t first_log_ = 0;
    std::uint64_t foreign_lines_ = 0;
    progress shown_;
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<task> parts_;
    std::size_t next_ = 0;
    std::size_t busy_ = 0;
};

// Reads the op logs of a run that the arguments name, including those in folders, and shows their sums.
class run_command {
public:
    explicit run_command(const settings& s) : settings_(s) { worst_ = add_paths(given_, s); }
    exit_status run() {
        if (given_.empty()) return unusable;
        std::vector<std::size_t> chosen = choose();
        if (settings_.shares > 1) keep_share(chosen);
        {
            const auto show_own = [&](std::size_t n, const auto& own) { show(given_[n], own, settings_); };
            run_reader reader(given_, chosen, settings_, empty_summary(), show_own);
            const unsigned cores = (std::max)(1U, std::thread::hardware_concurrency());
            reader.read(settings_.threads != 0 ? settings_.threads : cores);
            first_log_ = reader.first_log();
            if (reader.logs() != 0) note_format(wlfmt::file_format::oplog);
            const exit_status sizes = report_sizes(reader.summary(), settings_);
            worst_ = (std::max)(worst_, sizes);
            for (std::size_t n = 0; n != given_.size(); ++n)
                if (const auto& outcome = reader.outcomes()[n]) report_file(n, *outcome, reader.logs() != 0);
            report_shared_ranks(reader.ranks());
            if (settings_.expected_ranks != 0 && !report_missing_ranks(reader.summary(), settings_))
                worst_ = (std::max)(worst_, problems);
            // Even a share without files has a line, so that merge gets a line from each task.
            if (sizes == clean && !settings_.per_file &&
                (reader.logs() != 0 || (settings_.shares > 1 && chosen.empty())))
                show_run(reader.logs() == 1 ? name_of_file(reader.first_log()) : joined({reader.logs(), " files"}),
                         reader.summary());
            if (settings_.markdown && reader.foreign_lines() != 0) {
                print_gap();
                print_passed_over(reader.foreign_lines(), "record");
            }
        }
        worst_ =
            (std::max)(worst_, strays_.report(settings_, settings_.shares <= 1 && strays_.size() == chosen.size()));
        if (failed_ != 0 && chosen.size() > 1)
            standard_error.append({failed_, " of ", counted(chosen.size(), "file", "files"), " failed\n"});
        // A file that is not an op log has a summary of its own.
        standard_error.flush();
        const auto sum_up = [&](input& from, report& r) { show_other(from, r); };
        for (std::size_t n = 0; n != others_.size(); ++n) {
            const std::string path = given_[others_[n]];
            if (!piped_[n].empty()) {
                input from(path, std::move(piped_[n]));
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
    virtual void show_run(const std::string& name, const wlfmt::analysis::summary& s) { show(name, s, settings_); }
    // Shows a file that is not an op log.
    virtual void show_other(input& from, report& r) { summarise(from, format_of(from, settings_, r), settings_, r); }
    const settings& settings_in_use() const noexcept { return settings_; }
    void complain(const std::string& name, const std::string& problem) {
        say(name, problem, wlfmt::severity::error);
        worst_ = (std::max)(worst_, problems);
    }
    // How many files are not op logs.
    std::size_t count_others() const noexcept { return others_.size(); }
    // The path of the first op log, which may be in a folder.
    std::string first_path() const { return given_[first_log_]; }

private:
    wlfmt::analysis::summary empty_summary() const {
        constexpr auto calls = wlfmt::analysis::summary::keep::calls;
        return settings_.by.empty() ? wlfmt::analysis::summary(calls) : wlfmt::analysis::summary(settings_.by, calls);
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
    // The files to read. Only the first share prints what the names show, such as missing ranks.
    std::vector<std::size_t> choose() {
        if (settings_.share != 0) return wlfmt::oplog::choose_files(given_).chosen;
        return choose_files_of_run(given_, run_use::together, settings_, worst_);
    }
    // Reports the problems of a file. `among_logs`: whether there are op logs as well.
    void report_file(std::size_t n, const read_outcome& o, bool among_logs) {
        const std::string name = name_of_file(n);
        if (o.failed) {
            standard_error.append(wlfmt::explain(o.failed, {}, wlfmt::in_file(name)));
            worst_ = unusable;
            ++failed_;
            return;
        }
        if (o.kind != wlfmt::file_format::oplog) return report_other(n, name, o, among_logs);
        std::uint64_t lines = 0;
        std::uint64_t reported = 0;
        std::uint64_t found = 0;
        bool has_table = false;
        wlfmt::problem lost;
        for (const read_file_part& p : o.parts) {
            has_table = has_table || p.has_table;
            lost = wlfmt::oplog::join_lost(lost, p.lost, lines);
            for (deferred_problem deferred : p.problems) {
                deferred.e.field = deferred.field;
                standard_error.append(wlfmt::explain(deferred.e, deferred.line, wlfmt::in_file(deferred.where.name),
                                                     deferred.s, lines + deferred.where.number));
            }
            lines += p.lines;
            reported += p.problems.size();
            found += p.errors + p.warnings - (p.lost ? 1 : 0);
        }
        if (lost) standard_error.append(wlfmt::explain(lost, {}, wlfmt::in_file(name)));
        if (found > reported) say(name, {found - reported, " more problems, which check lists"});
        report table_problems(name, settings_);
        table_problems.set_kind(o.kind);
        if (has_table) report_table_in_log(table_problems, settings_);
        if (o.errors() + table_problems.errors() != 0) {
            worst_ = (std::max)(worst_, problems);
            ++failed_;
        }
        if (o.other_ranks)
            complain(name,
                     joined({"the name says rank ", *o.named_rank, ", the records say ",
                             o.ranks.size() == 1 ? joined({"rank ", (*o.ranks.begin()).first}) : "several ranks"}));
    }
    // Among op logs, a workload file or a table is summed up only if the command line names it, and not in JSON.
    void report_other(std::size_t n, const std::string& name, const read_outcome& o, bool among_logs) {
        if (strays_.take(given_, n, o.failed ? wlfmt::file_format::oplog : o.kind)) return;
        const bool is_known = o.kind != wlfmt::file_format::unknown;
        const bool is_apart = !among_logs || (given_.is_given(n) && !settings_.partial && !settings_.json);
        if (is_known && is_apart && settings_.shares == 1) {
            others_.push_back(n);
            piped_.push_back(o.piped);
            return;
        }
        ++failed_;
        const std::string format = joined({"`", name_of(o.kind), "`"});
        if (!o.why_unknown.empty()) complain(name, o.why_unknown);
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
    void report_shared_ranks(std::vector<rank_in_file>& ranks) {
        sort_list(ranks);
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
    // The text of each of others_ if the file cannot be read again, else an empty one.
    std::vector<std::string> piped_;
    stray_files strays_;
    std::size_t failed_ = 0;
    exit_status worst_ = clean;
};

}  // namespace tool

#endif
