#include "../input/names.hpp"
#include "../input/shown.hpp"
#include "../output/caller.hpp"
#include "summary.hpp"

namespace tool {

exit_status log_command::execute() {
    if (given_.empty()) return unusable;
    std::vector<std::size_t> chosen = choose();
    if (settings_.shares > 1) keep_share(chosen);
    if (!sum_up_logs(chosen)) return unusable;
    worst_ = (std::max)(worst_, strays_.report(settings_, settings_.shares <= 1 && strays_.size() == chosen.size()));
    if (failed_ != 0 && chosen.size() > 1)
        standard_error.append({failed_, " of ", counted(chosen.size(), "file", "files"), " failed\n"});
    standard_error.flush();
    show_others();
    return worst_;
}
bool log_command::sum_up_logs(const std::vector<std::size_t>& chosen) {
    const auto show_own = [&](std::size_t n, const auto& own) { show(given_[n], own, settings_); };
    run_reader reader(given_, chosen, settings_, empty_summary(), show_own);
    const unsigned cores = (std::max)(1U, std::thread::hardware_concurrency());
    reader.read(settings_.threads != 0 ? settings_.threads : cores);
    // Nobody waits for what a part of the files says.
    if (called_by != nullptr && called_by->stops()) return false;
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
    if (sizes == clean && !settings_.per_file && (reader.logs() != 0 || (settings_.shares > 1 && chosen.empty())))
        show_run(reader.logs() == 1 ? name_of_file(reader.first_log()) : joined({reader.logs(), " files"}),
                 reader.summary());
    if (settings_.markdown && reader.foreign_lines() != 0) {
        print_gap();
        print_passed_over(reader.foreign_lines(), "record");
    }
    return true;
}
void log_command::show_others() {
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
}
void log_command::complain(const std::string& name, const std::string& problem) {
    say(name, problem, wlfmt::severity::error);
    worst_ = (std::max)(worst_, problems);
}
wlfmt::analysis::summary log_command::empty_summary() const {
    constexpr auto calls = wlfmt::analysis::summary::keep::calls;
    return settings_.by.empty() ? wlfmt::analysis::summary(calls) : wlfmt::analysis::summary(settings_.by, calls);
}
std::string log_command::name_of_file(std::size_t n) const {
    std::string path = given_[n];
    return path == "-" ? "<stdin>" : path;
}
void log_command::keep_share(std::vector<std::size_t>& chosen) const {
    std::vector<std::size_t> own;
    for (std::size_t n = settings_.share; n < chosen.size(); n += settings_.shares) own.push_back(chosen[n]);
    chosen = std::move(own);
}
std::vector<std::size_t> log_command::choose() {
    if (settings_.share != 0) return wlfmt::oplog::choose_files(given_).chosen;
    return choose_files_of_run(given_, run_use::together, settings_, worst_);
}
void log_command::report_file(std::size_t n, const read_outcome& o, bool among_logs) {
    const std::string name = name_of_file(n);
    if (o.failed) {
        say(o.failed, {}, name);
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
            say(deferred.e, deferred.line, deferred.where.name, deferred.s, lines + deferred.where.number);
        }
        lines += p.lines;
        reported += p.problems.size();
        found += p.errors + p.warnings - (p.lost ? 1 : 0);
    }
    if (lost) say(lost, {}, name);
    if (found > reported) say(name, {found - reported, " more problems, which check lists"});
    report table_problems(name, settings_);
    table_problems.set_kind(o.kind);
    if (has_table) report_table_in_log(table_problems, settings_);
    if (o.errors() + table_problems.errors() != 0) {
        worst_ = (std::max)(worst_, problems);
        ++failed_;
    }
    if (o.other_ranks)
        complain(name, joined({"the name says rank ", *o.named_rank, ", the records say ",
                               o.ranks.size() + o.foreign.size() == 1
                                   ? joined({"rank ", (*(o.foreign.empty() ? o.ranks : o.foreign).begin()).first})
                                   : "several ranks",
                               o.is_copy           ? ", which has a log of its own: this one is left out"
                               : o.foreign.empty() ? ""
                                                   : ": what belongs in the logs of others is left out"}));
}
void log_command::report_other(std::size_t n, const std::string& name, const read_outcome& o, bool among_logs) {
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
        complain(name, joined({"a file of the format ", format, " among the op logs of a run",
                               settings_.partial || settings_.json ? ", which are one sum: sum it up by itself" : ""}));
}
void log_command::report_shared_ranks(std::vector<rank_in_file>& ranks) {
    sort_list(ranks);
    std::size_t first = 0;
    for (std::size_t n = 1; n < ranks.size(); ++n) {
        if (ranks[n].first != ranks[first].first) first = n;
        else
            complain(
                name_of_file(static_cast<std::size_t>(ranks[n].second)),
                joined({"rank ", ranks[n].first, " is in ", name_of_file(static_cast<std::size_t>(ranks[first].second)),
                        ", too: both are in the sums"}));
    }
    std::vector<rank_in_file>().swap(ranks);
}

std::string shown_command::unread() const {
    std::string errors;
    std::string warnings;
    for (std::string_view rest = messages_; !rest.empty();) {
        const std::string_view line = take_until(rest, '\n');
        const bool is_error = line.find(": error: ") != line.npos ||
                              (line.find(" more problem") != line.npos && line.find("error: ") == line.npos);
        if (is_error) errors.append(errors.empty() ? "" : "\n").append(line);
        else if (line.find("file names: warning: ") == 0) warnings.append(warnings.empty() ? "" : "\n").append(line);
    }
    return errors + (errors.empty() || warnings.empty() ? "" : "\n") + warnings;
}
std::string shown_command::file_name_of(std::string_view path) {
    return path == "<stdin>" ? std::string() : std::string(path.substr(path.find_last_of("/\\") + 1));
}
std::string shown_command::run_title(const std::string& otherwise) const {
    const std::string path = first_path();
    const auto facts = wlfmt::oplog::facts_of(path);
    if (!facts.rank) return otherwise;
    std::string time(facts.time);
    if (time.size() == 14)  // 20240923205004
        for (const auto& [at, mark] :
             {std::pair<std::size_t, const char*>{12, ":"}, {10, ":"}, {8, " "}, {6, "-"}, {4, "-"}})
            time.insert(at, mark);
    return wlfmt::oplog::run_name_of(path) + (time.empty() ? "" : ", " + time);
}
void shown_command::show_run(const std::string& name, const wlfmt::analysis::summary& s) {
    has_run_ = true;
    if (settings_in_use().table != 0) return complain("wlfmt", has_no_tables);
    wlfmt::analysis::run_answers answers = answers_for(s, settings_in_use());
    keep_json([&] { put_json(name, s, answers, true); });
    show(run_title(name), std::move(answers));
}
void shown_command::show_other(input& from, report& r) {
    if (has_run_ || count_others() > 1)
        return r.error({"give one run, one workload file or one file of tables at a time"});
    const wlfmt::file_format kind = format_of(from, settings_in_use(), r);
    if (kind == wlfmt::file_format::unknown) return;
    if (kind == wlfmt::file_format::workload && refuse_table(settings_in_use(), r)) return;
    keep_json([&] { summarise(from, kind, settings_in_use(), r); });
    // If keep_json() has read the file, it has already reported what is wrong in it.
    report again(from.name(), settings_in_use());
    again.silence();
    report& quiet = settings_in_use().json ? again : r;
    const std::string_view text = from.whole();
    quiet.about(text);
    const std::string title = file_name_of(from.name());
    if (kind == wlfmt::file_format::workload) {
        const auto doc = wlfmt::workload::read(text, options_for(settings_in_use(), quiet));
        if (!doc) quiet.error(doc.error());
        return show(title, *doc, text);
    }
    wlfmt::table::document tables = read_tables(text, settings_in_use(), quiet);
    if (keep_chosen_table(tables, settings_in_use(), quiet)) show(title, tables, r);
}

}  // namespace tool
