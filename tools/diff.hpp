// diff: prints the differences between two files of one format.
#ifndef WLFMT_TOOLS_DIFF_HPP
#define WLFMT_TOOLS_DIFF_HPP

#include "command_line/settings.hpp"
#include "general/order.hpp"
#include "input/files.hpp"
#include "input/folder.hpp"
#include "input/input.hpp"
#include "input/names.hpp"
#include "input/read.hpp"
#include "output/compared.hpp"
#include "output/grid.hpp"
#include "output/json_print.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"
#include "run/diff.hpp"
#include "table/choice.hpp"
#include "table/diff.hpp"
#include "workload/diff.hpp"

namespace tool {

// One side of the comparison: a file, or a folder with the op logs of a run. Documents are views of the input's text,
// which lives as long as this object.
class diff_side {
public:
    // `number`: the table of the file to take, counted from 1; without a number, the path names it (choice.hpp).
    // `first`: the other side, whose text is used again if both are the same file.
    diff_side(const char* path, const settings& s, std::optional<std::size_t> number = {},
              const diff_side* first = nullptr)
        : log(s.by.empty() ? wlfmt::analysis::diff::log_sums() : wlfmt::analysis::diff::log_sums(s.by.back())),
          profile(s.fold_names, columns_of(s)),
          name_(path) {
        const table_choice choice = number ? table_choice{path, number} : choice_of(path);
        path_ = choice.path;
        table_ = choice.number;
        if (number) name_.append(":").append(std::to_string(*number));
        is_folder(path_) ? read_folder(s) : read_file(s, first);
    }

    // good() says whether there is anything to compare, is_cut() whether some of it is missing, has_strict_errors()
    // whether there are errors that are warnings without --strict.
    bool good() const noexcept { return any_; }
    bool is_cut() const noexcept { return is_cut_; }
    bool has_strict_errors() const noexcept { return has_strict_errors_; }
    wlfmt::file_format kind() const noexcept { return kind_; }
    const std::string& name() const noexcept { return name_; }

    wlfmt::analysis::diff::log_sums log;
    wlfmt::analysis::summary run{wlfmt::analysis::summary::keep::calls};
    wlfmt::workload::document layers;
    wlfmt::table::document tables;           // filled with --by=row
    wlfmt::analysis::diff::profile profile;  // filled without --by=row

private:
    void read_file(const settings& s, const diff_side* first) {
        const bool same = first != nullptr && first->path_ == path_ && first->kind_ == wlfmt::file_format::table;
        if (same) from_.emplace(path_, std::string(first->from_->beginning()), first->from_->cells());
        else from_.emplace(path_.c_str());
        input& from = *from_;
        if (report_unreadable(from)) return;
        report r(from.name(), s);
        kind_ = format_of(from, s, r);
        if (kind_ == wlfmt::file_format::oplog) {
            add_log(from, s, r, own_logs());
        } else if (kind_ != wlfmt::file_format::unknown) {
            const std::string_view text = from.whole();
            r.about(text);
            kind_ == wlfmt::file_format::workload ? add_layers(text, s, r) : add_tables(text, s, r);
        }
        has_strict_errors_ = r.strict_errors() != 0;
        is_cut_ = r.errors() != r.strict_errors() || from.error();
        if (s.strict && is_cut_) any_ = false;
    }
    void add_layers(std::string_view text, const settings& s, report& r) {
        auto read = wlfmt::workload::read(text, options_for(s, r));
        if (!read) r.error(read.error());
        layers = *std::move(read);
        any_ = !is_missing(layers.header.policy);
    }
    void add_tables(std::string_view text, const settings& s, report& r) {
        std::size_t left = table_.value_or(0);
        for_each_prefix(text, s, r, [&](wlfmt::options with, wlfmt::table::losses& lost) {
            lost.read(with.prefix);
            std::string_view lines = text;
            if (table_) {
                lines = left != 0 ? lines_of_table(text, with, left) : std::string_view();
                if (lines.data() == nullptr) return wlfmt::problem();
                with.piece_at = static_cast<std::uint64_t>(lines.data() - text.data());
            }
            if (s.compared == "row") {
                auto read = wlfmt::table::read(lines, with);
                for (auto& table : read->tables) tables.tables.push_back(std::move(table));
                return read.error();
            }
            wlfmt::table::reader from(lines, with);
            profile.add(from);
            return from.error();
        });
        any_ = profile.tables() != 0 || !tables.tables.empty();
        if (table_ && !any_) say("wlfmt", {path_, " has no table ", *table_, "; 1 is its first one"});
    }
    // Reads the newest file of each rank. Files that are not op logs are reported and left out.
    void read_folder(const settings& s) {
        path_list files;
        exit_status worst = files.add_folder(path_, s.strict);
        if (worst == unusable) return;
        stray_files strays;
        const std::vector<std::size_t> chosen = choose_files_of_run(files, run_use::together, s, worst);
        const own_logs logs(files, chosen);
        for (const std::size_t n : chosen) {
            const std::string path = files[n];
            const exit_status status = with_file(path.c_str(), s, [&](input& from, report& r) {
                if (strays.take(files, n, from, s)) return;
                const wlfmt::file_format kind = format_of(from, s, r);
                if (kind == wlfmt::file_format::unknown) return;
                if (kind != wlfmt::file_format::oplog) return r.warning({"this is no op log, and left out"});
                kind_ = kind;
                add_log(from, s, r, logs);
            });
            worst = (std::max)(worst, status);
        }
        const bool any = kind_ != wlfmt::file_format::unknown;
        worst = (std::max)(worst, strays.report(s, !any));
        if (!any) say(name_, "the folder holds no op log", wlfmt::severity::error);
        any_ = any_ && any;
        is_cut_ = worst != clean;
    }
    void add_log(input& from, const settings& s, report& r, const own_logs& logs) {
        run.begin_text(from.name());
        ranks_of_log ranks;
        foreign_records foreign(logs, from.name());
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
            if (foreign.has(op)) return;
            ranks.add(op);
            // add() iterates over the nested operations, which reports the errors in their list.
            log.add(op);
            run.add(op);
            any_ = true;
        });
        foreign.report_to(r);
        ranks.add_unread(run, r);
    }

    std::optional<input> from_;
    std::string name_;
    std::string path_;
    // The number of the table, counted from 1; without one, all tables of the file.
    std::optional<std::size_t> table_;
    wlfmt::file_format kind_ = wlfmt::file_format::unknown;
    bool any_ = false;
    bool is_cut_ = false;
    bool has_strict_errors_ = false;
};

// Prints a title, and a row for each difference. `changes` has the limits of the same differences, or is empty.
inline void print_as_markdown(const std::vector<wlfmt::analysis::diff::difference>& differences,
                              const std::vector<account_change>& changes, const std::string& before,
                              const std::string& after) {
    chosen_layout = layout::markdown;
    print_title(joined({before, " and ", after}));
    if (differences.empty()) return print_note("the same");
    grid lines;
    lines.row({"what", "change", "field", "before", "after", "by", "of all"});
    for (std::size_t n = 0; n != differences.size(); ++n) {
        const wlfmt::analysis::diff::difference& d = differences[n];
        lines.row({d.item, name_of(d.change), d.field, d.before, d.after,
                   d.ratio == 0 ? "" : joined({d.ratio > 0 ? "+" : "", fixed(100 * d.ratio, 1), "%"}),
                   percent_text(n < changes.size() ? changes[n].effect : bounded(d.effect))});
    }
    lines.print();
}

exit_status do_diff(const settings& s) {
    using wlfmt::file_format;
    const auto refuse = [](parts why) {
        say("wlfmt", why);
        return unusable;
    };
    const bool single = s.files.size() == 1;  // a text with two tables
    if (!single && std::string_view(s.files[0]) == "-" && std::string_view(s.files[1]) == "-")
        return refuse({"standard input is one file: give another one to compare it with"});
    if (single && choice_of(s.files[0]).number)
        return refuse({s.files[0], " is one table: give another one to compare it with"});
    using choice = std::optional<std::size_t>;
    const auto table_number = [&](std::uint64_t given, std::size_t otherwise) {
        return !single ? choice() : choice(given != 0 ? static_cast<std::size_t>(given) : otherwise);
    };
    const diff_side before(s.files[0], s, table_number(s.table, 1));
    if (single && before.kind() != file_format::table && before.kind() != file_format::unknown)
        return refuse(
            {before.name().substr(0, before.name().rfind(':')), " is no text with two tables: give two files"});
    if (single && !before.good()) return unusable;
    const diff_side after(s.files[single ? 0 : 1], s, table_number(s.other_table, 2), &before);
    if (!before.good() || !after.good()) return unusable;
    const std::string_view kind = name_of(before.kind());
    if (before.kind() != after.kind())
        return refuse({before.name(), " is of the format `", kind, "`, ", after.name(), " of `", name_of(after.kind()),
                       "`: give two files of one format"});
    const bool is_log = before.kind() == file_format::oplog;
    const bool is_table = before.kind() == file_format::table;
    const bool is_workload = before.kind() == file_format::workload;
    const std::string_view ways = is_table ? "name, kernel, operator or row" : is_workload ? "layer" : "operation";
    // find() matches whole words alone, as no word that --by takes is contained in another one.
    const bool has_dimensions = is_log && !s.by.empty();
    if (ways.find(s.compared) == std::string_view::npos && !has_dimensions)
        return refuse({"files of the format `", kind, "` are compared by ", ways, ", not by ", s.compared});
    if (!s.only.empty() && !(is_workload && s.compared.empty()))
        return refuse({"--only is for workload files, without --by"});
    const bool has_strict_errors = before.has_strict_errors() || after.has_strict_errors();
    const auto at_least = [&](exit_status status) { return has_strict_errors ? (std::max)(status, problems) : status; };
    if (is_table && s.compared != "row")
        return at_least(table_diff({before.name(), before.profile, before.is_cut()},
                                   {after.name(), after.profile, after.is_cut()}, s)
                            .print());
    if (!s.columns.empty() || s.fold_names)
        return refuse({"--columns and --fold-names are for profiler tables by name"});
    if (is_workload && s.compared.empty())
        return at_least(compare_workloads({before.name(), before.layers, before.is_cut()},
                                          {after.name(), after.layers, after.is_cut()}, s));
    if (s.growth.is_asked() && !is_log) return refuse({"--fail-above is not for --by=", s.compared});
    std::vector<wlfmt::analysis::diff::difference> differences =
        is_log        ? wlfmt::analysis::diff::compare(before.log, after.log, s.tolerance)
        : is_workload ? wlfmt::analysis::diff::compare(before.layers, after.layers, s.tolerance)
                      : wlfmt::analysis::diff::compare(before.tables, after.tables, s.tolerance);
    growth_report growth(s.growth);
    std::vector<account_change> changes;  // the limits of the differences, in the same order
    bool is_partial = false;              // whether something that may matter is missing from a run
    if (is_log) {
        const wlfmt::analysis::run_answers was = wlfmt::analysis::answers_of(before.run);
        const wlfmt::analysis::run_answers now = wlfmt::analysis::answers_of(after.run);
        using wlfmt::analysis::dimension;
        const dimension by = s.by.empty() ? dimension::rank | dimension::operation : s.by.back();
        const limits_of_records limits_before(was, by);
        const limits_of_records limits_after(now, by);
        std::vector<account_change> of_records = changes_of_records(differences, limits_before, limits_after);
        if (was.iterations != now.iterations || was.unfinished != now.unfinished) {
            const auto words_of = [](const wlfmt::analysis::run_answers& run) {
                return joined({counted(run.iterations, "iteration", "iterations"),
                               run.unfinished ? ", one of which is not whole" : ""});
            };
            say("wlfmt", {"all times are sums over a run, and cannot be compared: the first has ", words_of(was),
                          ", the second ", words_of(now)});
            growth.ignore();
            is_partial = true;
        }
        if (s.growth.is_asked())
            check_operations(growth, of_records, before.run, after.run, has(by, dimension::rank), limits_before,
                             limits_after);
        if (s.by.empty()) {
            is_partial = is_partial || was.missing_ranks != now.missing_ranks;
            changes = account_diff(was, now, s.tolerance, growth).take();
        }
        // Clocks that cannot be compared also lead to limits, but nothing is missing then.
        const auto is_good = [](const auto& run) {
            return is_whole(run) && run.contradictions == 0 && run.doubtful_times.empty();
        };
        if (growth.report_doubts()) is_partial = is_partial || !is_good(was) || !is_good(now);
        for (account_change& change : of_records) changes.push_back(std::move(change));
        differences.clear();
        for (const account_change& change : changes) differences.push_back(s.json ? change.exact() : change.shown());
    }
    if (s.top != 0 && differences.size() > s.top) differences.resize(s.top);
    if (s.markdown) print_as_markdown(differences, changes, before.name(), after.name());
    for (std::size_t n = 0; n != differences.size() && !s.markdown; ++n) {
        if (s.json) {
            write_json(standard_output, differences[n], [&](auto& line) {
                // Only differences between op logs have intervals.
                if (n >= changes.size()) return;
                put_ends(line, "before", changes[n].before);
                put_ends(line, "after", changes[n].after);
                put_ends(line, "effect", changes[n].effect);
            });
            continue;
        }
        std::string line;
        stream to(line);
        write(to, differences[n]);
        line.pop_back();
        print_line(line);
    }
    return at_least(growth.status(!differences.empty(), before.is_cut() || after.is_cut() || is_partial));
}

}  // namespace tool

#endif
