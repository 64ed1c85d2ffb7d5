// wlfmt/report.hpp: an HTML page that explains a run, a workload file or a table to others. Not included by wlfmt.hpp.
//
//     summary run({}, summary::keep::calls);
//     ...                                                      // as answers.hpp shows
//     std::ofstream file("report.html", std::ios::binary);
//     if (auto e = wlfmt::report::write(file, answers_of(run), {"wd8_tp2_pp4"})) return fail(e);
//
// The page is one file that loads and sends nothing, which its Content-Security-Policy enforces. It follows the
// viewer's light or dark mode and suits phones and printing; without JavaScript it lacks hovering, sorting and zoom.
// All of its numbers come from the answers and are in its tables; names from files are escaped.
//
// For a run it shows: what is slow and what would help, in sentences that appear only if they are true; each rank's six
// parts of time (time_account); when it waited, and for whom; what a change would gain; bandwidth; and what
// these numbers rest on. With more than 64 ranks or 30,000 steps, the lanes become images 800 pixels wide, with a row
// for each rank or for several; each pixel shows what takes most of its time. A page of 1,024 ranks stays below 2 MB.
#ifndef WLFMT_ANALYSIS_REPORT_REPORT_HPP
#define WLFMT_ANALYSIS_REPORT_REPORT_HPP

#include <string_view>

#include "../draw/svg.hpp"
#include "compared.hpp"
#include "files.hpp"
#include "run.hpp"
#include <wlfmt/table.hpp>
#include "../answers/types.hpp"
#include "../diff/types.hpp"
#include <wlfmt/types/sink.hpp>
#include <wlfmt/workload.hpp>

namespace wlfmt::analysis::report {

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
template <class Sink, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const run_answers& answers, const options& options = {}) {
    return write_picture(sink, page_of(answers, options.title, options.json, options.unread));
}
// A page about what is different in the second of two runs: parts of time, operations, ranks.
template <class Sink, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const run_answers& before, std::string_view title_before,
                            const run_answers& after, std::string_view title_after,
                            std::string_view unread = {}) {
    return write_picture(sink, compared_report(before, after).write(title_before, title_after, unread));
}
template <class Sink>
problem write(Sink&&, const run_answers&, std::nullptr_t, const run_answers&, std::string_view) = delete;
template <class Sink, class S, if_null_literal<S> = 0>
problem write(Sink&&, const run_answers&, std::string_view, const run_answers&, S&&) = delete;
// A page about the differences of two profiler tables (diff.hpp): operators, kernels and annotations.
template <class Sink, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const diff::profile_difference& tables, std::string_view title_before,
                            std::string_view title_after, std::string_view unread = {}) {
    return write_picture(sink, compared_tables(tables).write(title_before, title_after, unread));
}
template <class Sink, class S, if_null_literal<S> = 0>
problem write(Sink&&, const diff::profile_difference&, std::string_view, S&&) = delete;
// A page about a workload file: its compute and bytes by phase, group and layer, and what a rank sends.
template <class Sink, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const workload::document& doc, const options& options = {}) {
    return write_picture(
        sink, workload_report(doc).write(options.title, options.json, options.unread, options.facts));
}
// A page about tables: their operators, kernels, device rows and annotations.
template <class Sink, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const table::document& doc, const options& options = {}) {
    return write_picture(
        sink, table_report(doc).write(options.title, options.json, options.unread, options.facts));
}

}  // namespace wlfmt::analysis::report

#endif
