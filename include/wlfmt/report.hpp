// wlfmt/report.hpp: an HTML page that explains a run, a workload file or a table to others. Not included by wlfmt.hpp.
//
//     wlfmt::oplog::summary run({}, wlfmt::oplog::summary::keep::calls);
//     ...                                                      // as answers.hpp shows
//     std::ofstream file("report.html", std::ios::binary);
//     if (auto e = wlfmt::report::write(file, wlfmt::oplog::answers_of(run), {"wd8_tp2_pp4"})) return fail(e);
//
// The page is one file that loads and sends nothing, which its Content-Security-Policy enforces. It follows the
// viewer's light or dark mode and suits phones and printing; without JavaScript it lacks hovering, sorting and zoom.
// All of its numbers come from the answers and are in its tables; names from files are escaped.
//
// For a run it shows: what is slow and what would help, in sentences that appear only if they are true; each rank's six
// parts of time (oplog::time_account); when it waited, and for whom; what a change would gain; bandwidth; and what
// these numbers rest on. With more than 64 ranks or 30,000 steps, the lanes become images 800 pixels wide, with a row
// for each rank or for several; each pixel shows what takes most of its time. A page of 1,024 ranks stays below 2 MB.
#include "version.hpp"

#ifndef WLFMT_REPORT_HPP
#define WLFMT_REPORT_HPP

#include <string_view>

#include "detail/draw/svg.hpp"
#include "detail/report/compared.hpp"
#include "detail/report/files.hpp"
#include "detail/report/run.hpp"
#include "table.hpp"
#include "types/answers.hpp"
#include "types/diff.hpp"
#include "types/sink.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace report {

struct options {
    text_view title = {};  // the name of the run or the file that the page is about
    // A JSON object (`wlfmt summary --json`) for programs, in <script type="application/json" id="summary">.
    text_view json = {};
    // The parts of the input that were not read, a problem on each line: the page shows them under its heading, which
    // then says that it is about the rest. Warnings among them, as about files that were left out, are not shown.
    text_view unread = {};
    // What is known of a workload file or tables besides their numbers: sentences, each on a line, without full stops.
    text_view facts = {};
};

// Time and memory grow with the number of the answers' steps. Throws only std::bad_alloc.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const oplog::run_answers& answers, const options& options = {}) {
    return detail::write_picture(sink, detail::page_of(answers, options.title, options.json, options.unread));
}
// A page about what is different in the second of two runs: parts of time, operations, ranks.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const oplog::run_answers& before, std::string_view title_before,
                            const oplog::run_answers& after, std::string_view title_after,
                            std::string_view unread = {}) {
    return detail::write_picture(sink, detail::compared_report(before, after).write(title_before, title_after, unread));
}
template <class Sink>
problem write(Sink&&, const oplog::run_answers&, std::nullptr_t, const oplog::run_answers&, std::string_view) = delete;
template <class Sink, class S, detail::if_null_literal<S> = 0>
problem write(Sink&&, const oplog::run_answers&, std::string_view, const oplog::run_answers&, S&&) = delete;
// A page about the differences of two profiler tables (diff.hpp): operators, kernels and annotations.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const diff::profile_difference& tables, std::string_view title_before,
                            std::string_view title_after, std::string_view unread = {}) {
    return detail::write_picture(sink, detail::compared_tables(tables).write(title_before, title_after, unread));
}
template <class Sink, class S, detail::if_null_literal<S> = 0>
problem write(Sink&&, const diff::profile_difference&, std::string_view, S&&) = delete;
// A page about a workload file: its compute and bytes by phase, group and layer, and what a rank sends.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const workload::document& doc, const options& options = {}) {
    return detail::write_picture(
        sink, detail::workload_report(doc).write(options.title, options.json, options.unread, options.facts));
}
// A page about tables: their operators, kernels, device rows and annotations.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const table::document& doc, const options& options = {}) {
    return detail::write_picture(
        sink, detail::table_report(doc).write(options.title, options.json, options.unread, options.facts));
}

}}}  // namespace wlfmt::WLFMT_ABI::report

#include "detail/base/config_end.hpp"
#endif
