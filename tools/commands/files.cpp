// What works on each file for itself: json, format, set, from-json, check, csv, and completion.
#include <algorithm>

#include "../speed.hpp"

#include "../check.hpp"
#include "../commands.hpp"
#include "../completion.hpp"
#include "../convert.hpp"
#include "../csv.hpp"
#include "../csv_answers.hpp"
#include "../files.hpp"
#include "../from_json.hpp"
#include "../messages.hpp"
#include "../set.hpp"

namespace tool {

// Does the work, a call with (input, kind, report), with each file whose format is known.
template <class Work> exit_status for_each_known(const settings& s, bool folders, const Work& work) {
    return for_each_given(s, folders, [&](input& from, report& r) {
        const wlfmt::file_format kind = format_of(from, s, r);
        if (kind != wlfmt::file_format::unknown) work(from, kind, r);
    });
}

exit_status run_json(const settings& given) {
    settings s = given;
    s.copies = true;
    return for_each_known(s, true, [&](auto& from, auto kind, auto& r) { convert(from, kind, s, r, as_json()); });
}

exit_status run_format(const settings& given) {
    settings s = given;
    s.copies = true;
    return for_each_known(s, false,
                          [&](auto& from, auto kind, auto& r) { convert(from, kind, s, r, in_own_format()); });
}

exit_status run_set(const settings& s) {
    return for_each_known(s, false, [&](auto& from, auto kind, auto& r) { set(from, kind, s, r); });
}

exit_status run_from_json([[maybe_unused]] const settings& s) {
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

exit_status run_check(const settings& given) {
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

exit_status run_csv(const settings& given) {
    settings s = given;
    s.copies = true;
    if (s.of == rows_of::waits || s.of == rows_of::bandwidth) return csv_of_answers(s);
    return csv_command(s).run();
}

exit_status run_completion(const settings& s) { return print_completion(s); }

}  // namespace tool
