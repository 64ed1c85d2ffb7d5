// Chooses the files of a run: those of the newest of repeated runs, and of a folder those in one of the formats.
#ifndef WLFMT_TOOLS_CHOSEN_HPP
#define WLFMT_TOOLS_CHOSEN_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/run.hpp>
#include <wlfmt/wlfmt.hpp>

#include "folder.hpp"
#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "settings.hpp"

namespace tool {

// Prints `name: severity: what`.
inline void say(std::string_view name, std::string_view what, wlfmt::severity s) {
    standard_error.append({printable(name), ": ", name_of(s), ": ", printable(what), "\n"});
}

// Files of folders that hold none of the three formats, such as the log of a launcher: they are named once and left
// out. A file whose name has a rank is expected to hold the log of that rank.
class stray_files {
public:
    // Whether a file is such a file. If so, it is remembered.
    bool take(const path_list& paths, std::size_t n, wlfmt::file_format kind) {
        if (kind != wlfmt::file_format::unknown || paths.is_given(n)) return false;
        std::string path = paths[n];
        if (wlfmt::oplog::facts_of(path).rank) return false;
        names_.push_back(std::move(path));
        return true;
    }
    bool take(const path_list& paths, std::size_t n, input& from, const settings& s) {
        return !from.error() && !paths.is_given(n) && take(paths, n, kind_of(from, s));
    }
    std::size_t size() const noexcept { return names_.size(); }
    // Names them. They are a failure with --strict, and if there are no other files.
    exit_status tell(const settings& s, bool are_all) const {
        if (names_.empty()) return clean;
        constexpr std::size_t most = 5;
        std::string all =
            counted(names_.size(), "file is", "files are") + " of none of the three formats and left out: ";
        for (std::size_t n = 0; n != (std::min)(most, names_.size()); ++n)
            all.append(n == 0 ? "" : ", ").append(names_[n]);
        if (names_.size() > most) all.append(", ...");
        const bool failure = s.strict || are_all;
        say("wlfmt", all, failure ? wlfmt::severity::error : wlfmt::severity::warning);
        return failure ? problems : clean;
    }

private:
    std::vector<std::string> names_;
};

// How a command uses the files of a run.
enum class run_use {
    together,  // they are one run, so that names that contradict each other are a problem
    each       // each file is read for itself
};

// Returns the positions of the files to be read, for each rank that of the newest file, and prints what the names tell.
inline std::vector<std::size_t> choose_of_run(const path_list& given, run_use use, exit_status& worst) {
    wlfmt::oplog::run_files files = wlfmt::oplog::choose_files(given);
    const auto warn = [](std::string_view name, const std::string& what) { say(name, what, wlfmt::severity::warning); };
    for (const std::size_t n : files.repeated) warn(given[n], "the file is named more than once, and counted once");
    if (use == run_use::together)
        for (const std::string& what : files.contradictions) {
            say("file names", what, wlfmt::severity::error);
            worst = (std::max)(worst, problems);
        }
    if (!files.superseded.empty())
        warn("file names",
             joined({counted(files.superseded.size(), "file is of an earlier run", "files are of earlier runs"),
                     " and left out: ", given[files.superseded.front()], files.superseded.size() > 1 ? ", ..." : ""}));
    std::string missing;
    for (const auto& range : files.missing)
        missing.append(missing.empty() ? "" : ", ")
            .append(std::to_string(range.first))
            .append(range.last != range.first ? joined({" to ", range.last}) : "");
    if (use == run_use::together && !missing.empty() && given.size() > 1)
        warn("file names", "there is no file of rank " + missing);
    return std::move(files.chosen);
}

}  // namespace tool

#endif
