// Opens the files of a command one after the other and finds out the format of each.
#ifndef WLFMT_TOOLS_INPUT_FILES_HPP
#define WLFMT_TOOLS_INPUT_FILES_HPP

#include <map>

#include <wlfmt/oplog/run.hpp>
#include <wlfmt/table/mend.hpp>

#include "../command_line/settings.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "analysis/callback.hpp"
#include "folder.hpp"
#include "input.hpp"
#include "read.hpp"

namespace tool {

// Prints `name: severity: words`.
void say(std::string_view name, std::string_view words, wlfmt::severity s);

// Files found in folders that are in none of the three formats, such as a launcher's log. They are reported once and
// left out. A file is never one of them if its name has a rank, whose log it should then hold.
class stray_files {
public:
    // Returns whether a file is a stray one, and remembers it if so.
    bool take(const path_list& paths, std::size_t n, wlfmt::file_format kind);
    bool take(const path_list& paths, std::size_t n, input& from, const settings& s);
    std::size_t size() const noexcept { return names_.size(); }
    // Reports these files, as a failure if --strict is given or if there are no other files.
    exit_status report(const settings& s, bool are_all) const;

private:
    std::vector<std::string> names_;
};

// How a command uses the files of a run.
enum class run_use {
    together,  // they are one run, so that names that contradict each other are a problem
    each       // each file is read by itself
};

// Returns the positions of the files to read, only the newest one of each rank, and reports what the names reveal, such
// as missing ranks.
std::vector<std::size_t> choose_files_of_run(const path_list& given, run_use use, const settings& s,
                                             exit_status& worst);

// Calls each(input, report) for a file that can be opened, and returns the status of that file.
using file_reader = callback<void(input&, report&)>;
exit_status with_input(input& from, const settings& s, const file_reader& each);
exit_status with_file(const char* path, const settings& s, const file_reader& each);

// Calls each(input, report) for all files that the arguments name, and shows the progress.
exit_status for_each_given(const settings& s, bool with_folders, const file_reader& each);

// Says why the format of a file is unknown, in the words of an error but without its place.
std::string why_unknown_format(std::string_view beginning, std::string_view name, const settings& s);

// Which formats the files that were read have, a bit for each. (A command reads each file in its main thread, or asks
// there what its other threads have read.)
inline unsigned formats_read = 0;
inline void note_format(wlfmt::file_format format) noexcept { formats_read |= 1U << static_cast<unsigned>(format); }

// The format of a file. A file in none of the three formats is reported as an error.
wlfmt::file_format format_of(input& from, const settings& s, report& r);

// Calls work(input, kind, report) for each file whose format is known.
exit_status for_each_known(const settings& s, bool folders,
                           const callback<void(input&, wlfmt::file_format, report&)>& work);

// The files of a run that a command reads: those that the arguments name and those in the folders that they name, but
// without older files of repeated runs.
class files_of_run {
public:
    files_of_run(const settings& s, run_use use);
    const path_list& paths() const noexcept { return paths_; }
    // Other than `clean` if an argument cannot be used, if the names of the files contradict each other, or if there is
    // a warning about them with --strict.
    exit_status status() const noexcept { return worst_; }

private:
    path_list paths_;
    exit_status worst_ = clean;
};

// Whether the beginning of a log has a record of a rank.
bool begins_with_rank(std::string_view beginning, std::int64_t rank);
// Which ranks have logs of their own among the files of a run.
class own_logs {
public:
    own_logs() = default;
    own_logs(const path_list& paths, const std::vector<std::size_t>& chosen);
    // Whether the file that is named after a rank begins with records of it.
    bool has(std::int64_t rank) const;

private:
    std::map<std::int64_t, std::string> paths_;
};
// The records in a log that belong in others: those of other ranks than that in its name, which have their own logs.
class foreign_records {
public:
    foreign_records(const own_logs& logs, std::string_view path)
        : logs_(logs), named_rank_(wlfmt::oplog::facts_of(path).rank) {}
    // Whether a record is one of these. They are to be left out.
    bool has(const wlfmt::oplog::operation& op);
    // The ranks of these records.
    const std::vector<std::int64_t>& ranks() const noexcept { return ranks_; }
    // Reports them, if there are any.
    void report_to(report& r) const;

private:
    const own_logs& logs_;
    std::optional<std::int64_t> named_rank_;
    std::vector<std::int64_t> ranks_;
    std::map<std::int64_t, bool> is_foreign_;  // for each rank that was met
};

// Calls each(input, kind, report, position) for all files, which have to be of one format.
exit_status for_each_file(const path_list& paths, const settings& s,
                          const callback<void(input&, wlfmt::file_format, report&, std::size_t)>& each);

}  // namespace tool

#endif
