#include "files.hpp"
#include "names.hpp"
#include "read.hpp"

namespace tool {

wlfmt::options options_for(const settings& s, report& r) {
    wlfmt::options options;
    options.strict = s.strict;
    options.lenient = s.lists_problems || !s.strict;
    options.on_problem = [&r](const wlfmt::problem& e) { r.tolerated(e); };
    options.prefix = prefix_for(s);
    return options;
}
wlfmt::options lenient_options(std::string_view prefix) {
    wlfmt::options options;
    options.lenient = true;
    options.prefix = prefix;
    return options;
}
wlfmt::file_format kind_of(std::string_view beginning, const settings& s) {
    if (s.kind != wlfmt::file_format::unknown) return s.kind;
    if (s.prefix.empty()) return wlfmt::detect(beginning);
    wlfmt::options options;
    options.prefix = s.prefix;
    wlfmt::oplog::reader log(beginning, options);
    const bool has_record = log.next() != nullptr || log.error().kind != wlfmt::error_kind::no_records;
    wlfmt::table::reader tables(beginning, options);
    const bool has_table = tables.next_table();
    if (has_table && (!has_record || tables.offset() < log.offset())) return wlfmt::file_format::table;
    return has_record ? wlfmt::file_format::oplog : wlfmt::file_format::unknown;
}

static bool is_notebook(std::string_view beginning) noexcept {
    return beginning.substr(0, 1) == "{" && beginning.find("\"cells\"") != std::string_view::npos;
}

std::string unquoted(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    const char quote = text.size() < 2 ? 'x' : text.front();
    if ((quote != '"' && quote != '\'') || text.back() != quote) return {};
    std::string unquoted_text;
    for (std::size_t n = 1; n + 1 < text.size(); ++n) {
        if (text[n] == quote || text[n] == '\n') return {};
        if (text[n] != '\\') {
            unquoted_text += text[n];
            continue;
        }
        constexpr std::string_view escapes = "nrt\\\"'/";
        const std::size_t which = escapes.find(text[++n]);
        if (which == std::string_view::npos || n + 1 == text.size()) return {};
        unquoted_text += "\n\r\t\\\"'/"[which];
    }
    return unquoted_text;
}

// Replaces a notebook, or a text in quotes, with the text that it holds.
static void unpack(input& from) {
    const std::string_view beginning = from.beginning();
    const bool quoted = beginning.substr(0, 1) == "\"" || beginning.substr(0, 1) == "'";
    if (!quoted && !is_notebook(beginning)) return;
    std::vector<notebook_cell> cells;
    std::string text = quoted ? unquoted(from.whole()) : text_of_notebook(from.whole(), cells);
    if (!text.empty()) from.replace(std::move(text), std::move(cells));
}

bool is_text(std::string_view beginning) noexcept {
    return wlfmt::packed_by(beginning).empty() && beginning.substr(0, 4096).find('\0') == std::string_view::npos;
}

wlfmt::file_format kind_of(input& from, const settings& s) {
    if (!wlfmt::packed_by(from.beginning()).empty()) return wlfmt::file_format::unknown;
    unpack(from);
    wlfmt::file_format kind = kind_of(from.beginning(), s);
    const std::string_view beginning = from.beginning();
    if (kind != wlfmt::file_format::unknown || !is_text(beginning) || wlfmt::is_mixed_diff(beginning)) return kind;
    from.search([&](std::string_view part) {
        kind = kind_of(part, s);
        // A workload file is always a whole text, never a part of one.
        if (kind == wlfmt::file_format::workload) kind = wlfmt::file_format::unknown;
        return kind != wlfmt::file_format::unknown;
    });
    return kind;
}

bool report_lost_records(std::string_view text, const settings& s, report& r, bool* holds_records) {
    wlfmt::oplog::reader log(text, lenient_options(wlfmt::any_prefix));
    while (log.next() != nullptr)
        if (holds_records != nullptr) *holds_records = true;
    const wlfmt::problem lost = s.strict || !s.any_prefix ? wlfmt::problem() : log.lost();
    if (lost) r.lost_records(lost);
    return static_cast<bool>(lost);
}

void report_table_in_log(report& r, const settings& s) {
    r.other_format("a profiler table", wlfmt::file_format::table, s.copies);
}

lines_read for_each_operation(input& from, const settings& s, report& r, wlfmt::byte_range range,
                              const operation_reader& each) {
    wlfmt::oplog::stream log(range, options_for(s, r));
    r.about(log);
    struct end_of_log {
        report& owner;
        ~end_of_log() { owner.forget_log(); }
    } const at_end{r};
    bool has_table = false;
    for (bool more = true; more && !log.done();) {
        const std::string_view chunk = from.next();
        more = !chunk.empty();
        has_table = has_table || (s.kind == wlfmt::file_format::unknown && wlfmt::holds_table(chunk));
        if (more) log.feed(chunk);
        else log.finish();
        do {
            while (const auto op = log.next()) {
                // A strict reader finds the errors of a list only when a program iterates over the list.
                if (s.strict)
                    for (const auto& sub : op->sub_operations) static_cast<void>(sub);
                if (!log.ok()) break;
                each(*op, log);
                if (standard_output.closed()) return {log.lines(), log.foreign_lines(), has_table, log.lost()};
            }
            if (log.ok()) break;
            // If a file could not be read to its end, the rest might hold records: `no_records` would then be wrong.
            if (!from.error() || log.error().kind != wlfmt::error_kind::no_records) r.error(log.error());
        } while (s.lists_problems && log.skip());
        if (!log.ok()) break;
    }
    if (has_table) report_table_in_log(r, s);
    if (log.lost()) r.lost_records(log.lost());
    return {log.lines(), log.foreign_lines(), has_table, log.lost()};
}

void for_each_operation(input& from, const settings& s, report& r, const operation_reader& each) {
    static_cast<void>(for_each_operation(from, s, r, {}, each));
}
void ranks_of_log::add(const wlfmt::oplog::operation& op) {
    if (op.origin != wlfmt::oplog::origin::rank || op.rank == last_) return;
    last_ = op.rank;
    ranks_[op.rank] = true;
}
void ranks_of_log::add_unread(wlfmt::analysis::summary& run, const report& r) const {
    for (const auto& [rank, is_there] : ranks_) run.add_unread(rank, r.losses());
}

std::vector<std::string_view> table_prefixes(std::string_view text, const settings& s) {
    if (!s.any_prefix) return {s.prefix};
    std::vector<std::string_view> prefixes = wlfmt::find_prefixes(text);
    if (prefixes.empty()) prefixes.emplace_back();
    return prefixes;
}

void for_each_prefix(std::string_view text, const settings& s, report& r,
                     const callback<wlfmt::problem(const wlfmt::options&, wlfmt::table::losses&)>& each) {
    wlfmt::problem no_table;
    bool any = false;
    struct notes {
        report& r;
        wlfmt::table::losses lost;
    } own{r, wlfmt::table::losses(text)};
    for (const std::string_view prefix : table_prefixes(text, s)) {
        wlfmt::options options = options_for(s, r);
        options.prefix = prefix;
        options.on_problem = [&](const wlfmt::problem& e) {
            own.lost.add(e);
            own.r.tolerated(e);
        };
        const wlfmt::problem e = each(options, own.lost);
        if (e.kind == wlfmt::error_kind::no_records) {
            no_table = e;
            continue;
        }
        any = true;
        if (e) r.error(e);
    }
    if (!any) r.error(no_table);
    // With --kind, check and --lenient judge the text by that format alone, so that other lines are no loss.
    const bool is_loss = s.kind == wlfmt::file_format::unknown || !(s.lists_problems || s.lenient);
    if (any && s.any_prefix)
        own.lost.report([&](const wlfmt::problem& e) {
            // Strict reading reports such lines itself.
            if (s.strict && e.kind == wlfmt::error_kind::lost_lines) return;
            is_loss ? r.tolerated(e) : r.warning(e);
        });
    bool holds_records = false;
    if (any && s.kind == wlfmt::file_format::unknown)
        static_cast<void>(report_lost_records(text, s, r, &holds_records));
    if (holds_records) r.other_format("rank op-log records", wlfmt::file_format::oplog, s.copies);
}

bool report_missing_table(const wlfmt::table::document& tables, const settings& s, report& r) {
    const std::size_t count = tables.tables.size();
    if (s.table <= count) return false;
    r.error({"there is no table ", s.table, ": the file has ", counted(count, "table", "tables"), ", counted from 1"});
    return true;
}

bool keep_chosen_table(wlfmt::table::document& tables, const settings& s, report& r) {
    if (tables.tables.empty() || report_missing_table(tables, s, r)) return false;
    if (s.table != 0) tables.tables = {tables.tables[static_cast<std::size_t>(s.table - 1)]};
    return true;
}
bool refuse_table(const settings& s, report& r) {
    if (s.table != 0) r.error({has_no_tables});
    return s.table != 0;
}

std::uint64_t offset_of(const wlfmt::table::profile& table, std::string_view text) noexcept {
    const reported_text whole(text, 1);
    // A name that is spelt differently in the text is not a view of it.
    for (const wlfmt::table::column& column : table.columns)
        if (const auto offset = whole.offset_of(column.name)) return *offset;
    return 0;
}

wlfmt::table::document read_tables(std::string_view text, const settings& s, report& r) {
    wlfmt::table::document tables;
    for_each_prefix(text, s, r, [&](const wlfmt::options& options, wlfmt::table::losses& lost) {
        auto read = wlfmt::table::read(text, options);
        for (auto& table : read->tables) {
            lost.add(table);
            tables.tables.push_back(s.canonical ? canonical(table) : std::move(table));
        }
        return read.error();
    });
    return tables;
}

void say(std::string_view name, std::string_view words, wlfmt::severity s) {
    say(name, {name_of(s), ": ", printable(words)});
}

bool stray_files::take(const path_list& paths, std::size_t n, wlfmt::file_format kind) {
    if (kind != wlfmt::file_format::unknown || paths.is_given(n)) return false;
    std::string path = paths[n];
    if (wlfmt::oplog::facts_of(path).rank) return false;
    names_.push_back(std::move(path));
    return true;
}
bool stray_files::take(const path_list& paths, std::size_t n, input& from, const settings& s) {
    return !from.error() && !paths.is_given(n) && take(paths, n, kind_of(from, s));
}
exit_status stray_files::report(const settings& s, bool are_all) const {
    if (names_.empty()) return clean;
    constexpr std::size_t max_names = 5;
    std::string list = counted(names_.size(), "file is", "files are") + " of none of the three formats and left out: ";
    for (std::size_t n = 0; n != (std::min)(max_names, names_.size()); ++n)
        list.append(n == 0 ? "" : ", ").append(names_[n]);
    if (names_.size() > max_names) list.append(", ...");
    const bool failure = s.strict || are_all;
    say("wlfmt", list, failure ? wlfmt::severity::error : wlfmt::severity::warning);
    return failure ? problems : clean;
}

std::vector<std::size_t> choose_files_of_run(const path_list& given, run_use use, const settings& s,
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

exit_status with_input(input& from, const settings& s, const file_reader& each) {
    report r(from.name(), s);
    if (report_unreadable(from)) return unusable;
    each(from, r);
    reading_progress.clear();
    r.close();
    if (report_unreadable(from)) return unusable;
    return r.errors() == 0 ? clean : problems;
}

exit_status with_file(const char* path, const settings& s, const file_reader& each) {
    input from(path);
    return with_input(from, s, each);
}

exit_status for_each_given(const settings& s, bool with_folders, const file_reader& each) {
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
static std::uint64_t line_of_workload(std::string_view text) {
    std::uint64_t number = 1;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::size_t first = (std::min)(text.find('\n', begin), text.size() - 1) + 1;
        const std::size_t second = (std::min)(text.find('\n', first), text.size() - 1) + 1;
        const std::size_t third = (std::min)(text.find('\n', second), text.size());
        // The second line of a workload file is a number, which few lines of other texts are.
        const std::string_view line = text.substr(first, second - first);
        if (third > second && line.find_first_of("0123456789") != line.npos &&
            wlfmt::detect(text.substr(begin, third - begin)) == wlfmt::file_format::workload)
            return number;
        begin = first;
    }
    return 0;
}
// The command of a shell that prints what a packed file holds (wlfmt::packed_by); empty if the file is not packed.
static std::string unpacking(std::string_view beginning, std::string_view path) {
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
    return words + shell_word(path);
}
std::string why_unknown_format(std::string_view beginning, std::string_view name, const settings& s) {
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
    std::string sentence = kind + words;
    if (words != wlfmt::message(e, {})) return sentence;  // the words already say what the text looks like
    if (const std::uint64_t line = line_of_workload(beginning); line != 0)
        return joined({sentence, "; a workload file begins in line ", line, ", and is read from a file of its own"});
    if (beginning.find('\0') != beginning.npos) return sentence + "; the file is binary";
    return sentence + "; --kind=oplog|workload|table reads it as one of them";
}

// What was done to a text, or to that of each cell of a notebook.
static std::vector<wlfmt::table::mended> mend(input& from, const settings& s, bool is_table) {
    const std::vector<notebook_cell>& cells = from.cells();
    std::vector<wlfmt::table::mended> mended;
    // Of a text without a known table, only the beginning is looked at, so that it need not be read as a whole.
    if (cells.empty() && !is_table && wlfmt::table::mend(from.beginning(), prefix_for(s)).done.empty()) return mended;
    const std::string_view text = from.whole();
    if (cells.empty()) mended.push_back(wlfmt::table::mend(text, prefix_for(s)));
    bool any = cells.empty() && !mended[0].done.empty();
    for (std::size_t n = 0; n != cells.size(); ++n) {
        const auto begin = static_cast<std::size_t>(cells[n].begin);
        const std::size_t end = n + 1 == cells.size() ? text.size() : static_cast<std::size_t>(cells[n + 1].begin);
        mended.push_back(wlfmt::table::mend(text.substr(begin, end - begin), prefix_for(s)));
        any = any || !mended[n].done.empty();
        if (mended[n].done.empty()) mended[n].text = text.substr(begin, end - begin);
    }
    if (!any) mended.clear();
    return mended;
}
// Reports what was done to a text.
static void report_mended(const wlfmt::table::mended& mended, std::string_view text, report& r) {
    std::uint64_t line = 1;
    std::size_t at = 0;
    for (const wlfmt::table::mending& one : mended.done) {
        for (; line < one.line; ++line) at = (std::min)(text.find('\n', at), text.size() - 1) + 1;
        r.warning(text.substr(at, 0), "mended_table: " + message(one));
    }
}
// Mends the tables of a text, reports that, and lets the mended text be read.
static bool read_mended(input& from, const settings& s, bool is_table, report& r) {
    std::vector<wlfmt::table::mended> mended = mend(from, s, is_table);
    if (mended.empty()) return false;
    const std::string_view text = from.whole();
    std::vector<notebook_cell> cells = from.cells();
    r.about(text);
    std::string all;
    std::uint64_t line = 1;
    for (std::size_t n = 0; n != mended.size(); ++n) {
        report_mended(mended[n], cells.empty() ? text : text.substr(static_cast<std::size_t>(cells[n].begin)), r);
        if (!cells.empty()) cells[n] = {cells[n].number, all.size(), line};
        line += static_cast<std::uint64_t>(std::count(mended[n].text.begin(), mended[n].text.end(), '\n'));
        all += mended[n].text;
        mended[n].text.clear();
    }
    r.set_cells(cells);
    r.set_mended(std::move(mended));
    from.replace(std::move(all), std::move(cells));
    return true;
}
wlfmt::file_format format_of(input& from, const settings& s, report& r) {
    wlfmt::file_format kind = kind_of(from, s);
    r.set_cells(from.cells());
    if (!from.cells().empty() && kind != wlfmt::file_format::unknown)
        r.warning({"a notebook: what its cells have printed is read"});
    const bool may_be_table = kind == wlfmt::file_format::table || kind == wlfmt::file_format::unknown;
    if (may_be_table && !s.strict && wlfmt::packed_by(from.beginning()).empty()) {
        if (read_mended(from, s, kind == wlfmt::file_format::table, r)) kind = wlfmt::file_format::table;
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

exit_status for_each_known(const settings& s, bool folders,
                           const callback<void(input&, wlfmt::file_format, report&)>& work) {
    return for_each_given(s, folders, [&](input& from, report& r) {
        const wlfmt::file_format kind = format_of(from, s, r);
        if (kind != wlfmt::file_format::unknown) work(from, kind, r);
    });
}

files_of_run::files_of_run(const settings& s, run_use use) {
    path_list given;
    worst_ = add_paths(given, s);
    for (const std::size_t n : choose_files_of_run(given, use, s, worst_))
        given.is_given(n) ? paths_.add(given[n]) : paths_.add_in_folder(given[n]);
}

bool begins_with_rank(std::string_view beginning, std::int64_t rank) {
    const std::string record = joined({"rank:", rank, ":"});
    return beginning.substr(0, record.size()) == record || beginning.find("\n" + record) != beginning.npos;
}
own_logs::own_logs(const path_list& paths, const std::vector<std::size_t>& chosen) {
    for (const std::size_t n : chosen) {
        const std::string path = paths[n];
        if (const auto rank = wlfmt::oplog::facts_of(path).rank) paths_[*rank] = path;
    }
}
bool own_logs::has(std::int64_t rank) const {
    const auto at = paths_.find(rank);
    if (at == paths_.end() || !is_file(at->second)) return false;
    const input own(at->second.c_str());
    return begins_with_rank(own.beginning(), rank);
}
bool foreign_records::has(const wlfmt::oplog::operation& op) {
    if (!named_rank_ || op.rank == *named_rank_ || op.origin != wlfmt::oplog::origin::rank) return false;
    // Each rank's log is looked into once.
    const auto [known, is_new] = is_foreign_.try_emplace(op.rank, false);
    if (is_new && logs_.has(op.rank)) {
        known->second = true;
        ranks_.push_back(op.rank);
    }
    return known->second;
}
void foreign_records::report_to(report& r) const {
    if (!ranks_.empty())
        r.error({"records of rank ", ranks_.front(), ranks_.size() > 1 ? " and others" : "",
                 " are left out: the name says rank ", *named_rank_, ", and they have logs of their own"});
}

exit_status for_each_file(const path_list& paths, const settings& s,
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
