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
class shown_command : public log_command {
public:
    explicit shown_command(const settings& s) : log_command(s) { standard_error.copy_to(&messages_); }
    ~shown_command() override { standard_error.copy_to(nullptr); }
    // The messages about input that was not read, one per line, without the lines that they quote: errors, and warnings
    // about files of a run that are left out or missing.
    std::string unread() const;
    static std::string file_name_of(std::string_view path);

protected:
    virtual void show(const std::string& title, wlfmt::analysis::run_answers&& answers) = 0;
    // `text` is the text of the file.
    virtual void show(const std::string& title, const wlfmt::workload::document& doc, std::string_view text) = 0;
    virtual void show(const std::string& title, const wlfmt::table::document& tables, report& r) = 0;
    // The output of summary --json; empty without the setting `json`.
    const std::string& json() const noexcept { return json_; }

private:
    // The name of the run and its time, if the names of its files give them; else `otherwise`.
    std::string run_title(const std::string& otherwise) const;
    void show_run(const std::string& name, const wlfmt::analysis::summary& s) final;
    void show_other(input& from, report& r) final;
    template <class Print> void keep_json(const Print& print) {
        if (!settings_in_use().json) return;
        std::string* const before = standard_output.divert(&json_);
        print();
        standard_output.divert(before);
        json_.erase(json_.find_last_not_of('\n') + 1);
    }

    bool has_run_ = false;
    std::string json_;
    // A copy of what was printed on standard error.
    std::string messages_;
};

}  // namespace tool

#endif
