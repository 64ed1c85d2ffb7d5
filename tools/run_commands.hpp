// What the commands do that read, check, convert, change and sum up: functions that the rows of commands.hpp name.
#ifndef WLFMT_TOOLS_RUN_COMMANDS_HPP
#define WLFMT_TOOLS_RUN_COMMANDS_HPP

#include <algorithm>

#include "check.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "convert.hpp"
#include "csv_answers.hpp"
#include "files.hpp"
#include "messages.hpp"
#include "run_merge.hpp"
#include "run_summary.hpp"
#include "set.hpp"

namespace tool {

// Does the work, a call with (input, kind, report), with each file whose format is known.
template <class Work> exit_status for_each_known(const settings& s, bool folders, const Work& work) {
    return for_each_given(s, folders, [&](input& from, report& r) {
        const wlfmt::file_format kind = format_of(from, s, r);
        if (kind != wlfmt::file_format::unknown) work(from, kind, r);
    });
}

inline exit_status run_json(const settings& given) {
    settings s = given;
    s.copies = true;
    return for_each_known(s, true, [&](auto& from, auto kind, auto& r) { convert(from, kind, s, r, true); });
}

inline exit_status run_format(const settings& given) {
    settings s = given;
    s.copies = true;
    return for_each_known(s, false, [&](auto& from, auto kind, auto& r) { convert(from, kind, s, r, false); });
}

inline exit_status run_set(const settings& s) {
    return for_each_known(s, false, [&](auto& from, auto kind, auto& r) { set(from, kind, s, r); });
}

inline exit_status run_from_json([[maybe_unused]] const settings& s) {
#if defined(WLFMT_WITH_SIMDJSON)
    return for_each_given(s, false, [&](input& from, report& r) {
        const wlfmt::file_format kind = s.kind != wlfmt::file_format::unknown ? s.kind : kind_of_json(from.beginning());
        r.set_kind(kind);
        r.about(from.beginning());
        if (kind == wlfmt::file_format::unknown) return say_no_json(from.beginning(), r);
        from_json(from, kind, r);
    });
#else
    standard_error.append(
        "wlfmt: from-json is not in this build, as it needs simdjson: compile with -DWLFMT_WITH_SIMDJSON and "
        "-lsimdjson\n");
    return unusable;
#endif
}

inline exit_status run_check(const settings& given) {
    settings s = given;
    s.lists_problems = true;
    wlfmt::oplog::message_check sent;
    wlfmt::oplog::run_check run;
    const exit_status worst =
        for_each_given(s, true, [&](input& from, report& r) { check(from, format_of(from, s, r), s, r, sent, run); });
    const bool unmatched = tell_unmatched(sent, s);
    const bool missing = tell_missing(run, s);
    return (unmatched || missing) && s.strict ? (std::max)(worst, problems) : worst;
}

inline exit_status run_csv(const settings& given) {
    settings s = given;
    s.copies = true;
    if (s.of == rows_of::waits || s.of == rows_of::bandwidth) return csv_of_answers(s);
    return csv_command(s).run();
}

inline exit_status run_completion(const settings& s) { return print_completion(s); }

// Runs a command that sums up, in the layout that was asked for.
template <class Command> exit_status sum_up(const settings& s) {
    if (s.markdown) chosen_layout = layout::markdown;
    chosen_digest.most_rows = s.top;
    const exit_status status = Command(s).run();
    end_digest();
    return status;
}

inline exit_status run_summary(const settings& s) { return sum_up<run_command>(s); }

inline exit_status run_merge(const settings& s) { return sum_up<merge_command>(s); }

}  // namespace tool

#endif
