// Reports calls and messages of ranks that have no counterpart.
#ifndef WLFMT_TOOLS_RUN_MESSAGES_HPP
#define WLFMT_TOOLS_RUN_MESSAGES_HPP

#include "analysis/answers/answers.hpp"

#include "../command_line/settings.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"

namespace tool {

// Prints which times cannot be right and which calls are missing, as many of each as the settings allow. Returns
// whether there are any.
inline bool report_missing(const wlfmt::analysis::run_check& run, const settings& s) {
    std::uint64_t lines = 0;
    std::uint64_t reported = 0;  // calls and records in these lines
    const auto print = [&](const wlfmt::analysis::missing_call& m, std::string_view file, std::uint64_t line) {
        if (s.limit != 0 && lines >= s.limit) return;
        ++lines;
        reported += m.in_a_row;
        const std::string place = line == 0 ? std::string(file) : joined({file, ":", line});
        say(place, {s.strict ? "error: " : "warning: ", "missing_call: ", printable(message(m))});
    };
    std::uint64_t times = 0;
    const auto print_time = [&](const wlfmt::analysis::doubtful_time& d, std::string_view file, std::uint64_t line) {
        if (s.limit != 0 && times == s.limit) return;
        ++times;
        say(joined({file, ":", line}), {s.strict ? "error: " : "warning: ", "doubtful_time: ", message(d)});
    };
    const std::uint64_t count = run.missing_calls(print, print_time);
    if (reported < count)
        say("wlfmt", {counted(count - reported, "more call", "more calls"), " that some members of a group lack"});
    return count != 0 || times != 0;
}

// Begins a file, and says whether it can be read again: standard input and pipes cannot.
inline void begin_text(wlfmt::analysis::message_check& messages, std::string_view file) {
    std::error_code failed;
    messages.begin_text(file, std::filesystem::is_regular_file(std::filesystem::path(file), failed));
}

// Prints the first unmatched messages, as many as the settings allow. Returns whether there are any.
inline bool report_unmatched(const wlfmt::analysis::message_check& messages, const settings& s) {
    const auto read_again = [&](std::size_t, std::string_view file, const auto& add) {
        const std::string path(file);
        input again(path.c_str());
        report silent(again.name(), s);
        silent.silence();
        if (again.error()) return;
        for_each_operation(again, s, silent, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream& log) {
            if (!silent.blames(op.source)) add(op, log.line_of(op.source).number);
        });
    };
    const auto print = [&](const wlfmt::problem& e, std::string_view text, std::string_view file, std::uint64_t line) {
        standard_error.append(wlfmt::explain(e, text, wlfmt::in_file(file),
                                             s.strict ? wlfmt::severity::error : wlfmt::severity::warning, line));
    };
    const wlfmt::analysis::unmatched_messages found = messages.find(s.limit, read_again, print);
    if (found.more != 0) say("wlfmt", {counted(found.more, "more message", "more messages"), " without another end"});
    if (found.pairs != 0)
        say("wlfmt",
            {"messages without another end between ", counted(found.pairs, "more pair", "more pairs"), " of ranks"});
    return found.any();
}

}  // namespace tool

#endif
