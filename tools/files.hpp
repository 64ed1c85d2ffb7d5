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
inline exit_status with_input(input& from, const settings& s, const file_reader& each) {
    report r(from.name(), s);
    const auto unreadable = [&] {
        if (!from.error()) return false;
        standard_error.append(wlfmt::explain(from.error(), {}, wlfmt::in_file(from.name())));
        return true;
    };
    if (unreadable()) return unusable;
    each(from, r);
    r.close();
    if (unreadable()) return unusable;
    return r.errors() == 0 ? clean : problems;
}
inline exit_status with_file(const char* path, const settings& s, const file_reader& each) {
    input from(path);
    return with_input(from, s, each);
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

// The line in which a workload file begins within another text, such as Markdown; 0 if there is none.
inline std::uint64_t line_of_workload(std::string_view text) {
    std::uint64_t number = 1;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::size_t first = (std::min)(text.find('\n', begin), text.size() - 1) + 1;
        const std::size_t second = (std::min)(text.find('\n', first), text.size() - 1) + 1;
        const std::size_t third = (std::min)(text.find('\n', second), text.size());
        // The second line is a number: few lines of other texts are.
        if (third > second && text.find_first_of("0123456789", first) < second &&
            wlfmt::detect(text.substr(begin, third - begin)) == wlfmt::file_format::workload)
            return number;
        begin = first;
    }
    return 0;
}

// Why the format of a file cannot be found out, as an error without its place.
inline std::string reason_of_none(std::string_view beginning, std::string_view name, const settings& s) {
    wlfmt::error e;
    e.kind = wlfmt::error_kind::unknown_format;
    const std::string kind = joined({name_of(e.kind), ": "});
    if (beginning.empty()) return kind + "the file is empty";
    if (const std::string_view program = decompressor(beginning); !program.empty())
        return joined({kind, "the file is compressed: ", program, " ", name, " | wlfmt ", s.command, " -"});
    const std::string words = wlfmt::message(e, beginning);
    const std::string what = kind + words;
    if (words != wlfmt::message(e, {})) return what;  // it says what the text looks like
    if (const std::uint64_t line = line_of_workload(beginning); line != 0)
        return joined({what, "; a workload file begins in line ", line, ", and is read from a file of its own"});
    return what + "; --kind=oplog|workload|table reads it as one of them";
}

// The format of a file. A file in none of the three formats is reported as an error.
inline wlfmt::file_format format_of(input& from, const settings& s, report& r) {
    const wlfmt::file_format kind = kind_of(from, s);
    r.set_kind(kind);
    if (kind == wlfmt::file_format::unknown)
        r.error(std::string_view(), reason_of_none(from.beginning(), from.name(), s));
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
                               r.error(std::string_view(), joined({"a file of the format `", name_of(kind),
                                                                   "` among those of `", name_of(first), "`, which ",
                                                                   first_name, " is: give the files of one format"}));
                           }));
        if (standard_output.closed()) break;
        if (paths.size() > 1) standard_error.flush();
    }
    return (std::max)(worst, strays.tell(s, strays.size() == paths.size()));
}

}  // namespace tool

#endif
