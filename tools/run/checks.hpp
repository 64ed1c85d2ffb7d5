// Finds what makes no sense in op logs, record by record and in a run as a whole.
#ifndef WLFMT_TOOLS_RUN_CHECKS_HPP
#define WLFMT_TOOLS_RUN_CHECKS_HPP

#include <wlfmt/lint.hpp>

#include "analysis/answers/answers.hpp"

#include "../command_line/settings.hpp"

namespace tool {

class run_checks {
public:
    // `is_one_run`: whether all files belong to one run, whatever their names.
    explicit run_checks(bool is_one_run = false) : messages_(is_one_run) {}

    void begin_text(std::string_view file);
    // Calls each(const wlfmt::problem&) for each finding. `text` holds the operation; `line` is the number of its line.
    template <class Each>
    void add(const wlfmt::oplog::operation& op, std::string_view text, std::uint64_t line, Each&& each) {
        wlfmt::lint::examine(op, text, each);
        messages_.add(op, line);
        calls_.add(op, text, line, each);
    }
    // Prints which messages and calls are missing from all files together. Returns whether there are any.
    bool report(const settings& s) const;

private:
    wlfmt::analysis::message_check messages_;
    wlfmt::analysis::run_check calls_;
};

}  // namespace tool

#endif
