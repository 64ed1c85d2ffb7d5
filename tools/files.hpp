// Opens the files of a command one after the other and finds out the format of each.
#ifndef WLFMT_TOOLS_FILES_HPP
#define WLFMT_TOOLS_FILES_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <wlfmt/wlfmt.hpp>

#include "callback.hpp"
#include "chosen.hpp"
#include "folder.hpp"
#include "input.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// Calls each(input, report) for a file that can be opened, and returns the status of that file.
using file_reader = callback<void(input&, report&)>;
inline exit_status with_file(const char* path, const settings& s, const file_reader& each) {
    input from(path);
    report r(from.name(), s);
    const auto unreadable = [&] {
        if (!from.error()) return false;
        standard_error.append(wlfmt::explain(from.error(), {}, from.name()));
        return true;
    };
    if (unreadable()) return unusable;
    each(from, r);
    r.close();
    if (unreadable()) return unusable;
    return r.errors() == 0 ? clean : problems;
}

// Calls each(input, report) for all files that the arguments name, and shows the progress.
inline exit_status for_each_given(const settings& s, bool with_folders, const file_reader& each) {
    exit_status worst = clean;
    path_list files;
    if (!add_paths(files, s.files, with_folders)) worst = unusable;
    progress shown("files", files.size(), progress::output::lines);
    stray_files strays;
    for (std::size_t n = 0; n != files.size(); ++n) {
        worst = (std::max)(worst, with_file(files[n].c_str(), s, [&](input& from, report& r) {
                               if (!strays.take(files, n, from, s)) each(from, r);
                           }));
        if (standard_output.closed()) break;
        if (!standard_error.empty()) {
            shown.clear();
            standard_error.flush();
        }
        shown.step();
    }
    shown.clear();
    return (std::max)(worst, strays.tell(s, strays.size() == files.size()));
}

// Why the format of a file cannot be found out; empty if the beginning of the file gives no reason.
inline std::string reason_of_none(std::string_view beginning, std::string_view name, const settings& s) {
    if (beginning.empty()) return "the file is empty";
    const std::string_view program = decompressor(beginning);
    if (program.empty()) return {};
    return std::string("the file is compressed: ")
        .append(program)
        .append(" ")
        .append(name)
        .append(" | wlfmt ")
        .append(s.command)
        .append(" -");
}

// The format of a file. A file in none of the three formats is reported as an error.
inline wlfmt::file_format format_of(const input& from, const settings& s, report& r) {
    const wlfmt::file_format kind = kind_of(from.beginning(), s);
    r.set_kind(kind);
    if (kind != wlfmt::file_format::unknown) return kind;
    if (const std::string why = reason_of_none(from.beginning(), from.name(), s); !why.empty()) {
        r.error(std::string_view(), why);
        return kind;
    }
    wlfmt::error e;
    e.kind = wlfmt::error_kind::unknown_format;
    std::string what(name_of(e.kind));
    what.append(": ").append(wlfmt::message(e, {}));
    if (from.size() > from.beginning().size()) what.append(" in its first 64 KiB");
    if (const std::string_view left = wlfmt::detail::ruined_table(from.beginning()); !left.empty())
        what.append(" (it looks like ").append(left).append("; a table is read as PyTorch printed it)");
    r.error(std::string_view(), what + "; --kind=oplog|workload|table reads it as one of them");
    return kind;
}

// The files of a run that a command reads: those that the arguments name and those in folders that they name, without
// the older ones of repeated runs.
class files_of_run {
public:
    files_of_run(const settings& s, run_use use) {
        path_list given;
        if (!add_paths(given, s.files)) worst_ = unusable;
        for (const std::size_t n : choose_of_run(given, use, worst_))
            given.is_given(n) ? paths_.add(given[n]) : paths_.add_in_folder(given[n]);
    }
    const path_list& paths() const noexcept { return paths_; }
    // Whether the arguments could be used, and the names of the files agree.
    exit_status status() const noexcept { return worst_; }

private:
    path_list paths_;
    exit_status worst_ = clean;
};

// Calls each(input, kind, report, position) for all files, which have to be of one format.
inline exit_status for_each_file(const path_list& paths, const settings& s,
                                 const callback<void(input&, wlfmt::file_format, report&, std::size_t)>& each) {
    exit_status worst = clean;
    wlfmt::file_format first = wlfmt::file_format::unknown;
    std::string first_name;
    stray_files strays;
    for (std::size_t n = 0; n != paths.size(); ++n) {
        const std::string path = paths[n];
        worst = (std::max)(worst, with_file(path.c_str(), s, [&](input& from, report& r) {
                               if (strays.take(paths, n, from, s)) return;
                               const wlfmt::file_format kind = format_of(from, s, r);
                               if (kind == wlfmt::file_format::unknown) return;
                               if (first == wlfmt::file_format::unknown) {
                                   first = kind;
                                   first_name = from.name();
                               }
                               if (kind == first) return each(from, kind, r, n);
                               r.error(std::string_view(), "a file of the format `" + std::string(name_of(kind)) +
                                                               "` among those of `" + std::string(name_of(first)) +
                                                               "`, which " + first_name +
                                                               " is: give the files of one format");
                           }));
        if (standard_output.closed()) break;
        if (paths.size() > 1) standard_error.flush();
    }
    return (std::max)(worst, strays.tell(s, strays.size() == paths.size()));
}

}  // namespace tool

#endif
