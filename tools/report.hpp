// report: writes an HTML page about a run, a workload file or tables.
#ifndef WLFMT_TOOLS_REPORT_HPP
#define WLFMT_TOOLS_REPORT_HPP

#include "analysis/report/report.hpp"

#include "command_line/settings.hpp"
#include "diff.hpp"
#include "input/input.hpp"
#include "input/names.hpp"
#include "input/shown.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"
#include "workload/facts.hpp"

namespace tool {

class page_command final : public shown_command {
public:
    explicit page_command(const settings& s) : shown_command(s) {}

private:
    template <class Shown>
    void write(const std::string& title, const Shown& shown, const std::string& facts = {}) const {
        const std::string problems = unread();
        wlfmt::analysis::report::write(standard_output, shown, {title, json(), problems, facts});
    }
    void show(const std::string& title, wlfmt::analysis::run_answers&& answers) override { write(title, answers); }
    void show(const std::string& title, const wlfmt::workload::document& doc, std::string_view text) override {
        workload_counts counts(doc.header, text);
        for (const wlfmt::workload::layer& layer : doc.layers) counts.add(layer);
        std::string lines;
        for (const workload_fact& fact : workload_facts(counts).take())
            lines.append(lines.empty() ? "" : "\n").append(fact.text);
        write(title, doc, lines);
    }
    void show(const std::string& title, const wlfmt::table::document& tables, report&) override {
        std::string lines;
        for (std::size_t n = 0; n != tables.tables.size(); ++n)
            for (const std::string& sentence : table_summary(tables.tables[n]).sentences())
                lines.append(
                    joined({lines.empty() ? "" : "\n",
                            tables.tables.size() > 1 ? joined({"table ", n + 1, ": "}) : std::string(), sentence}));
        write(title, tables, lines);
    }
};

// Reads one of two runs that are compared.
class compared_run final : public shown_command {
public:
    explicit compared_run(const settings& s) : shown_command(s) {}
    const wlfmt::analysis::run_answers& answers() const noexcept { return answers_; }
    const std::string& title() const noexcept { return title_; }

private:
    void show(const std::string& title, wlfmt::analysis::run_answers&& answers) override {
        title_ = title;
        answers_ = std::move(answers);
    }
    void show(const std::string& title, const wlfmt::workload::document&, std::string_view) override { refuse(title); }
    void show(const std::string& title, const wlfmt::table::document&, report&) override { refuse(title); }
    void refuse(const std::string& title) {
        complain(title, "only two runs, or two files of tables, are compared on a page");
    }

    wlfmt::analysis::run_answers answers_;
    std::string title_;
};

// Whether the name is that of a file of tables, or of one of its tables: FILE:2.
inline bool holds_tables(const char* name, const settings& s) {
    const std::string path = choice_of(name).path;
    if (!is_file(path)) return false;
    input from(path.c_str());
    report r(from.name(), s);
    r.silence();
    return !from.error() && format_of(from, s, r) == wlfmt::file_format::table;
}
// Writes a page with the differences that diff finds between two files of tables.
inline exit_status compare_tables(const settings& s) {
    const diff_side before(s.files[0], s);
    const diff_side after(s.files[1], s);
    if (!before.good() || !after.good()) return unusable;
    wlfmt::analysis::diff::profile_options options;
    options.before_is_cut = before.is_cut();
    options.after_is_cut = after.is_cut();
    static_cast<void>(wlfmt::analysis::report::write(
        standard_output, wlfmt::analysis::diff::compare(before.profile, after.profile, options),
        shown_command::file_name_of(before.name()), shown_command::file_name_of(after.name())));
    const auto is_good = [](const diff_side& side) { return !side.is_cut() && !side.has_strict_errors(); };
    return is_good(before) && is_good(after) ? clean : problems;
}

// Two folders are two runs, and two files of tables are two profiles; files, and a single folder, are one run.
exit_status do_report(const settings& s) {
    if (s.files.size() == 2 && holds_tables(s.files[0], s) && holds_tables(s.files[1], s)) return compare_tables(s);
    if (s.files.size() == 2 && is_folder(s.files[0]) && is_folder(s.files[1])) {
        settings first = s;
        settings second = s;
        first.files = {s.files[0]};
        second.files = {s.files[1]};
        // Reads one run after the other: each object keeps the messages that are printed while it reads.
        compared_run before(first);
        exit_status worst = before.execute();
        compared_run after(second);
        worst = (std::max)(worst, after.execute());
        if (before.answers().ranks.empty() || after.answers().ranks.empty()) return (std::max)(worst, problems);
        // Runs with the same name are distinguished by their folders.
        const bool is_same = before.title() == after.title();
        const auto title = [&](const compared_run& run, const char* folder) {
            return is_same ? joined({run.title(), ", ", folder}) : run.title();
        };
        wlfmt::analysis::report::write(
            standard_output, before.answers(), title(before, s.files[0]), after.answers(), title(after, s.files[1]),
            before.unread() + (before.unread().empty() || after.unread().empty() ? "" : "\n") + after.unread());
        return worst;
    }
    settings with_json = s;
    with_json.json = true;
    return page_command(with_json).execute();
}

}  // namespace tool

#endif
