// Draws op logs, workload files and tables, each as one self-contained SVG, 1,200 pixels wide, in its
// viewer's light or dark mode, with the exact values in tooltips.
//
//     summary run({}, summary::keep::calls);
//     ...                                                       // as answers.hpp shows
//     wlfmt::analysis::plot::write(to, answers_of(run));
//
// Where the slices of a run are narrower than two pixels, each pixel shows how the classes of time share it. A table is
// drawn with the 24 heaviest names of each kind, and the picture says so. A class of time, phase or group has the same
// colour in all pictures, and in the pages of report.hpp.
#ifndef WLFMT_ANALYSIS_PLOT_PLOT_HPP
#define WLFMT_ANALYSIS_PLOT_PLOT_HPP

#include <cstddef>
#include <string_view>

#include <wlfmt/types/table.hpp>
#include <wlfmt/types/workload.hpp>

#include "../answers/types.hpp"
#include "../output.hpp"

namespace wlfmt::analysis::plot {

inline constexpr std::size_t max_lanes = 64;
inline constexpr std::size_t max_rows = 24;
inline constexpr std::size_t max_map_rows = 512;

// Draws a run over time: a lane for each rank, by pipeline stage, with the six parts of its time (time_account):
// work, transfer, waiting in the stage and for the pipeline, gaps, and what is unknown. Comparable clocks are aligned;
// ranks traced separately all begin at 0. More than max_lanes ranks become a heat map of ranks by operations, which
// compares the time of each operation, without waiting, with the stage's median; with more than max_map_rows ranks,
// each row shows the one of several ranks that differs most.
void write(output& to, const run_answers& answers, std::string_view title = {});

// Draws a workload file: compute against communication layer by layer, bytes on a logarithmic axis, and bytes by
// collective and group. Blocks of layers that repeat are bracketed, with the number of repetitions.
void write(output& to, const workload::document& doc, std::string_view title = {});

// Draws a table: its heaviest names by self time, on the device if there is any, and their total time. Rows of one name
// are added up; operators, kernels and annotations are separate. Bars are shares of the table's total, if it has one.
void write(output& to, const table::profile& table, std::string_view title = {});

}  // namespace wlfmt::analysis::plot

#endif
