// An HTML page that explains a run, a workload file or a table to others.
//
//     summary run({}, summary::keep::calls);
//     ...                                                      // as answers.hpp shows
//     wlfmt::analysis::report::write(to, answers_of(run), {"wd8_tp2_pp4"});    // `to`: an output
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

#include <wlfmt/types/table.hpp>
#include <wlfmt/types/workload.hpp>

#include "../answers/types.hpp"
#include "../diff/types.hpp"
#include "../output.hpp"

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
void write(output& to, const run_answers& answers, const options& options = {});
// A page about what is different in the second of two runs: parts of time, operations, ranks.
void write(output& to, const run_answers& before, std::string_view title_before, const run_answers& after,
           std::string_view title_after, std::string_view unread = {});
// A page about the differences of two profiler tables (diff.hpp): operators, kernels and annotations.
void write(output& to, const diff::profile_difference& tables, std::string_view title_before,
           std::string_view title_after, std::string_view unread = {});
// A page about a workload file: its compute and bytes by phase, group and layer, and what a rank sends.
void write(output& to, const workload::document& doc, const options& options = {});
// A page about tables: their operators, kernels, device rows and annotations.
void write(output& to, const table::document& doc, const options& options = {});

}  // namespace wlfmt::analysis::report

#endif
