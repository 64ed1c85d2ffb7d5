// Reads what a single picture or page shows: a run, a workload file, or the tables of a file.
#ifndef WLFMT_TOOLS_INPUT_SHOWN_HPP
#define WLFMT_TOOLS_INPUT_SHOWN_HPP

#include "../command_line/settings.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../run/summary.hpp"
#include "files.hpp"
#include "input.hpp"
#include "read.hpp"

namespace tool {

// A command that reads what `summary` reads, and keeps the messages about input that was not read.
class shown_command : public run_command {
public:
    explicit shown_command(const settings& s) : run_command(s) { standard_error.copy_to(&messages_); }
    ~shown_command() override { standard_error.copy_to(nullptr); }
    // The messages about input that was not read, one per line, without the lines that they quote: errors, and warnings
    // about files of a run that are left out or missing.
    std::string unread() const {
        std::string errors;
        std::string warnings;
        for (std::string_view rest = messages_; !rest.empty();) {
            const std::string_view line = take_until(rest, '\n');
            const bool is_error = line.find(": error: ") != line.npos ||
                                  (line.find(" more problem") != line.npos && line.find("error: ") == line.npos);
            if (is_error) errors.append(errors.empty() ? "" : "\n").append(line);
            else if (line.find("file names: warning: ") == 0)
                warnings.append(warnings.empty() ? "" : "\n").append(line);
        }
        return errors + (errors.empty() || warnings.empty() ? "" : "\n") + warnings;
    }
    static std::string file_name_of(std::string_view path) {
        return path == "<stdin>" ? std::string() : std::string(path.substr(path.find_last_of("/\\") + 1));
    }

protected:
    virtual void show(const std::string& title, wlfmt::analysis::run_answers&& answers) = 0;
    // `text` is the text of the file.
    virtual void show(const std::string& title, const wlfmt::workload::document& doc, std::string_view text) = 0;
    virtual void show(const std::string& title, const wlfmt::table::document& tables, report& r) = 0;
    // The output of summary --json; empty without the setting `json`.
    const std::string& json() const noexcept { return json_; }

private:
    // The name of the run and its time, if the names of its files give them; else `otherwise`.
    std::string run_title(const std::string& otherwise) const {
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
    void show_run(const std::string& name, const wlfmt::analysis::summary& s) final {
        has_run_ = true;
        if (settings_in_use().table != 0) return complain("wlfmt", has_no_tables);
        wlfmt::analysis::run_answers answers = answers_for(s, settings_in_use());
        keep_json([&] { put_json(name, s, answers, true); });
        show(run_title(name), std::move(answers));
    }
    void show_other(input& from, report& r) final {
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
    template <class Print> void keep_json(const Print& print) {
        if (!settings_in_use().json) return;
        standard_output.divert(&json_);
        print();
        standard_output.divert(nullptr);
        json_.erase(json_.find_last_not_of('\n') + 1);
    }

    bool has_run_ = false;
    std::string json_;
    // A copy of what was printed on standard error.
    std::string messages_;
};

}  // namespace tool

#endif
