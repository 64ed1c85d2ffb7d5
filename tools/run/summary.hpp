// summary: reads the op logs of a run with several threads into one summary.
#ifndef WLFMT_TOOLS_RUN_SUMMARY_HPP
#define WLFMT_TOOLS_RUN_SUMMARY_HPP

#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
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
void summarise(input& from, wlfmt::file_format kind, const settings& s, report& r);

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
    bool other_ranks = false;           // it holds other ranks than the one in its name
    bool is_copy = false;               // it holds the rank of another file, and is left out
    keyed<std::int64_t, bool> ranks;    // the ranks that its records name
    keyed<std::int64_t, bool> foreign;  // ranks whose records it holds, and which are left out
    std::vector<read_file_part> parts;
    std::size_t parts_left = 0;
    std::optional<wlfmt::analysis::summary> own;  // --per-file: its summary
    bool is_waiting = false;                      // --per-file: it has been read, and waits for the files before it

    std::uint64_t errors() const;
    // Whether there is nothing to report.
    bool is_clean() const;
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

// Reads files one after the other, and large ones in parts that several threads can read at the same time. All threads
// fill one summary, which does not depend on their number. Of a file without problems, only the ranks are kept.
class run_reader {
public:
    // `chosen`: the positions in `paths` of the files to read, by which the files are told apart. With --per-file,
    // each(file, summary) is called for every op log in their order, by one thread at a time.
    using for_file = callback<void(std::size_t, const wlfmt::analysis::summary&)>;
    run_reader(const path_list& paths, const std::vector<std::size_t>& chosen, const settings& s,
               wlfmt::analysis::summary empty, const for_file& each);

    void read(unsigned threads);
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

    void work();
    void work_to_end();
    // Takes the next task: parts of a file that has been begun come before further files. Waits while a busy thread may
    // still add parts, or while too many summaries of files wait for that of an earlier file. Returns false if nothing
    // is left to do.
    bool take(task& t);

    struct worker {
        wlfmt::analysis::summary sum;
        std::string memory;
        std::size_t files;
    };

    void read_file(const task& t, worker& self);
    void read_part(const task& t, worker& self);
    void read_records(input& from, const task& t, worker& self, bool is_whole);
    // Call this with the mutex locked, when the whole file has been read.
    void finish(std::size_t position);
    // Forgets a file if there is nothing to report about it.
    void release(std::size_t file);

    const path_list& paths_;
    const std::vector<std::size_t>& chosen_;
    const own_logs logs_of_ranks_;
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
    bool lacks_memory_ = false;  // a thread has ended for lack of memory
};

// Reads the op logs of a run that the arguments name, including those in folders, and shows their sums.
class log_command {
public:
    explicit log_command(const settings& s) : settings_(s) { worst_ = add_paths(given_, s); }
    exit_status execute();

    virtual ~log_command() = default;
    log_command(const log_command&) = delete;
    log_command& operator=(const log_command&) = delete;

protected:
    // Shows the sum of the op logs.
    virtual void show_run(const std::string& name, const wlfmt::analysis::summary& s) { show(name, s, settings_); }
    // Shows a file that is not an op log.
    virtual void show_other(input& from, report& r) { summarise(from, format_of(from, settings_, r), settings_, r); }
    const settings& settings_in_use() const noexcept { return settings_; }
    void complain(const std::string& name, const std::string& problem);
    // How many files are not op logs.
    std::size_t count_others() const noexcept { return others_.size(); }
    // The path of the first op log, which may be in a folder.
    std::string first_path() const { return given_[first_log_]; }

private:
    wlfmt::analysis::summary empty_summary() const;
    std::string name_of_file(std::size_t n) const;
    // Takes a share of the files after choosing among all of them: a task that saw only its own files would take older
    // runs for the newest.
    void keep_share(std::vector<std::size_t>& chosen) const;
    // The files to read. Only the first share prints what the names show, such as missing ranks.
    std::vector<std::size_t> choose();
    // Reports the problems of a file. `among_logs`: whether there are op logs as well.
    void report_file(std::size_t n, const read_outcome& o, bool among_logs);
    // Among op logs, a workload file or a table is summed up only if the command line names it, and not in JSON.
    void report_other(std::size_t n, const std::string& name, const read_outcome& o, bool among_logs);
    // Sums up the op logs among the chosen files, and shows what it found. False if nobody waits for it any more.
    bool sum_up_logs(const std::vector<std::size_t>& chosen);
    // Shows files that are not op logs: each has a summary of its own.
    void show_others();
    // Reports ranks that are in several files.
    void report_shared_ranks(std::vector<rank_in_file>& ranks);

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
