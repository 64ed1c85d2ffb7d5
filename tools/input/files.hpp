// Opens the files of a command one after the other and finds out the format of each.
#ifndef WLFMT_TOOLS_INPUT_FILES_HPP
#define WLFMT_TOOLS_INPUT_FILES_HPP

#include <wlfmt/oplog/run.hpp>
#include <wlfmt/table/unwrap.hpp>

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
inline void say(std::string_view name, std::string_view words, wlfmt::severity s) {
    say(name, {name_of(s), ": ", printable(words)});
}

// Files found in folders that are in none of the three formats, such as a launcher's log. They are reported once and
// left out. A file is never one of them if its name has a rank, whose log it should then hold.
class stray_files {
public:
    // Returns whether a file is a stray one, and remembers it if so.
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
    // Reports these files, as a failure if --strict is given or if there are no other files.
    exit_status report(const settings& s, bool are_all) const {
        if (names_.empty()) return clean;
        constexpr std::size_t max_names = 5;
        std::string list =
            counted(names_.size(), "file is", "files are") + " of none of the three formats and left out: ";
        for (std::size_t n = 0; n != (std::min)(max_names, names_.size()); ++n)
            list.append(n == 0 ? "" : ", ").append(names_[n]);
        if (names_.size() > max_names) list.append(", ...");
        const bool failure = s.strict || are_all;
        say("wlfmt", list, failure ? wlfmt::severity::error : wlfmt::severity::warning);
        return failure ? problems : clean;
    }

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
inline std::vector<std::size_t> choose_files_of_run(const path_list& given, run_use use, const settings& s,
                                                    exit_status& worst) {
    wlfmt::oplog::run_files files = wlfmt::oplog::choose_files(given);
    const auto warn = [&](std::string_view name, const std::string& words) {
        say(name, words, s.strict ? wlfmt::severity::error : wlfmt::severity::warning);
        if (s.strict) worst = (std::max)(worst, problems);
    };
    for (const std::size_t n : files.repeated) warn(given[n], "the file is named more than once, and counted once");
    if (use == run_use::together)
        for (const std::string& contradiction : files.contradictions) {
            say("file names", contradiction, wlfmt::severity::error);
            worst = (std::max)(worst, problems);
        }
    if (!files.superseded.empty())
        warn("file names",
             joined({counted(files.superseded.size(), "file is of an earlier run", "files are of earlier runs"),
                     " and left out: ", given[files.superseded.front()], files.superseded.size() > 1 ? ", ..." : ""}));
    std::string missing;
    for (const auto& range : files.missing)
        missing.append(missing.empty() ? "" : ", ").append(range_text(range.first, range.last));
    if (use == run_use::together && !missing.empty() && given.size() > 1)
        warn("file names", "there is no file of rank " + missing);
    return std::move(files.chosen);
}

// Calls each(input, report) for a file that can be opened, and returns the status of that file.
using file_reader = callback<void(input&, report&)>;
inline exit_status with_input(input& from, const settings& s, const file_reader& each) {
    report r(from.name(), s);
    if (report_unreadable(from)) return unusable;
    each(from, r);
    reading_progress.clear();
    r.close();
    if (report_unreadable(from)) return unusable;
    return r.errors() == 0 ? clean : problems;
}
inline exit_status with_file(const char* path, const settings& s, const file_reader& each) {
    input from(path);
    return with_input(from, s, each);
}

// Calls each(input, report) for all files that the arguments name, and shows the progress.
inline exit_status for_each_given(const settings& s, bool with_folders, const file_reader& each) {
    path_list files;
    exit_status worst = add_paths(files, s, with_folders);
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
    return (std::max)(worst, strays.report(s, strays.size() == files.size()));
}

// The line in which a workload file begins within another text, such as Markdown; 0 if there is none.
inline std::uint64_t line_of_workload(std::string_view text) {
    std::uint64_t number = 1;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::size_t first = (std::min)(text.find('\n', begin), text.size() - 1) + 1;
        const std::size_t second = (std::min)(text.find('\n', first), text.size() - 1) + 1;
        const std::size_t third = (std::min)(text.find('\n', second), text.size());
        // The second line of a workload file is a number, which few lines of other texts are.
        if (third > second && text.find_first_of("0123456789", first) < second &&
            wlfmt::detect(text.substr(begin, third - begin)) == wlfmt::file_format::workload)
            return number;
        begin = first;
    }
    return 0;
}

// What a shell has to run to print what a packed file holds (wlfmt::packed_by); empty if the file is not packed.
inline std::string unpacking(std::string_view beginning, std::string_view path) {
    const std::string_view packing = wlfmt::packed_by(beginning);
    if (packing.empty()) return {};
    constexpr std::pair<std::string_view, std::string_view> programs[] = {
        {"gzip", "zcat"},  {"Zstandard", "zstdcat"}, {"xz", "xzcat"},   {"bzip2", "bzcat"},
        {"LZ4", "lz4cat"}, {"tar", "tar -xOf -"},    {"zip", "funzip"},
    };
    std::string words;
    for (const auto& [name, program] : programs)
        if (name == packing) words = program;
    if (path == "-") return words;
    // Of a file, unzip prints all members, and takes no other input.
    words = packing == "zip" ? "unzip -p " : words + " < ";
    if (packing == "zip" && path.front() == '-') words += "./";
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=,:@%+-";
    if (path.find_first_not_of(plain) == path.npos) return words.append(path);
    words += '\'';
    for (const char c : path) {
        if (c == '\'') words += "'\\'";
        words += c;
    }
    return words + '\'';
}
// Says why the format of a file is unknown, in the words of an error but without its place.
inline std::string why_unknown_format(std::string_view beginning, std::string_view name, const settings& s) {
    const wlfmt::problem e{wlfmt::error_kind::unknown_format};
    const std::string kind = joined({name_of(e.kind), ": "});
    if (beginning.empty()) return kind + (name == "<stdin>" ? "standard input is empty" : "the file is empty");
    if (const std::string printed = unpacking(beginning, name == "<stdin>" ? "-" : name); !printed.empty()) {
        const std::string_view packing = wlfmt::packed_by(beginning);
        const bool is_archive = packing == "tar" || packing == "zip";
        // These take more than a file.
        const bool needs_more = s.command == "diff" || s.command == "set" || s.command == "chakra";
        return joined({kind, is_archive ? "the file is an archive: " : "the file is compressed: ", printed, " | wlfmt ",
                       needs_more ? "check" : s.command, " -"});
    }
    const std::string words = wlfmt::message(e, beginning);
    const std::string sentence = kind + words;
    if (words != wlfmt::message(e, {})) return sentence;  // the words already say what the text looks like
    if (const std::uint64_t line = line_of_workload(beginning); line != 0)
        return joined({sentence, "; a workload file begins in line ", line, ", and is read from a file of its own"});
    if (beginning.find('\0') != beginning.npos) return sentence + "; the file is binary";
    return sentence + "; --kind=oplog|workload|table reads it as one of them";
}

// Joins the lines of wrapped tables, for each cell of a notebook separately, and updates where `cells` begin.
inline wlfmt::table::unwrapped unwrap(input& from, std::vector<notebook_cell>& cells) {
    // A wrapped table begins early in the file, so that a file without one need not be read as a whole.
    wlfmt::table::unwrapped result = wlfmt::table::unwrap(from.beginning());
    if (cells.empty()) return result.width == 0 ? std::move(result) : wlfmt::table::unwrap(from.whole());
    result = {};
    const std::string_view text = from.whole();
    std::uint64_t line = 1;
    for (std::size_t n = 0; n != cells.size(); ++n) {
        const std::size_t end = n + 1 == cells.size() ? text.size() : static_cast<std::size_t>(cells[n + 1].begin);
        const auto begin = static_cast<std::size_t>(cells[n].begin);
        wlfmt::table::unwrapped printed = wlfmt::table::unwrap(text.substr(begin, end - begin));
        result.width = printed.width != 0 ? printed.width : result.width;
        if (printed.width == 0) printed.text = text.substr(begin, end - begin);
        cells[n] = {cells[n].number, result.text.size(), line};
        line += static_cast<std::uint64_t>(std::count(printed.text.begin(), printed.text.end(), '\n'));
        result.text += printed.text;
    }
    return result;
}

// Which formats the files that were read have, a bit for each. (A command reads each file in its main thread, or asks
// there what its other threads have read.)
inline unsigned formats_read = 0;
inline void note_format(wlfmt::file_format format) noexcept { formats_read |= 1U << static_cast<unsigned>(format); }

// The format of a file. A file in none of the three formats is reported as an error.
inline wlfmt::file_format format_of(input& from, const settings& s, report& r) {
    wlfmt::file_format kind = kind_of(from, s);
    r.set_cells(from.cells());
    if (!from.cells().empty() && kind != wlfmt::file_format::unknown)
        r.warning({"a notebook: what its cells have printed is read"});
    const bool may_be_table = kind == wlfmt::file_format::table || kind == wlfmt::file_format::unknown;
    if (may_be_table && wlfmt::packed_by(from.beginning()).empty()) {
        std::vector<notebook_cell> cells = from.cells();
        wlfmt::table::unwrapped joined = unwrap(from, cells);
        if (joined.width != 0) {
            r.warning({message(joined)});
            r.set_cells(cells);
            from.replace(std::move(joined.text), std::move(cells));
            kind = wlfmt::file_format::table;
        }
    }
    const bool is_of_other_profiler =
        kind == wlfmt::file_format::table && s.kind != kind && !wlfmt::other_profiler(from.beginning()).empty();
    const std::string reason = kind == wlfmt::file_format::unknown || is_of_other_profiler
                                   ? why_unknown_format(from.beginning(), from.name(), s)
                                   : std::string();
    if (!reason.empty()) kind = wlfmt::file_format::unknown;
    r.set_kind(kind);
    if (!reason.empty()) r.error({reason});
    else note_format(kind);
    return kind;
}

// Calls work(input, kind, report) for each file whose format is known.
inline exit_status for_each_known(const settings& s, bool folders,
                                  const callback<void(input&, wlfmt::file_format, report&)>& work) {
    return for_each_given(s, folders, [&](input& from, report& r) {
        const wlfmt::file_format kind = format_of(from, s, r);
        if (kind != wlfmt::file_format::unknown) work(from, kind, r);
    });
}

// The files of a run that a command reads: those that the arguments name and those in the folders that they name, but
// without older files of repeated runs.
class files_of_run {
public:
    files_of_run(const settings& s, run_use use) {
        path_list given;
        worst_ = add_paths(given, s);
        for (const std::size_t n : choose_files_of_run(given, use, s, worst_))
            given.is_given(n) ? paths_.add(given[n]) : paths_.add_in_folder(given[n]);
    }
    const path_list& paths() const noexcept { return paths_; }
    // Other than `clean` if an argument cannot be used, if the names of the files contradict each other, or if there is
    // a warning about them with --strict.
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
                               r.error({"a file of the format `", name_of(kind), "` among those of `", name_of(first),
                                        "`, which ", first_name, " is: give the files of one format"});
                           }));
        if (standard_output.closed()) break;
        if (paths.size() > 1) standard_error.flush();
    }
    return (std::max)(worst, strays.report(s, strays.size() == paths.size()));
}

}  // namespace tool

#endif
