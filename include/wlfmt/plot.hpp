// wlfmt/plot.hpp: draws op logs, workload files and tables, each as one self-contained SVG, 1,200 pixels wide, in its
// viewer's light or dark mode, with the exact values in tooltips. Not included by wlfmt.hpp.
//
//     wlfmt::oplog::summary run({}, wlfmt::oplog::summary::keep::calls);
//     ...                                                       // as answers.hpp shows
//     if (auto e = wlfmt::plot::write(std::cout, wlfmt::oplog::answers_of(run))) return fail(e);
//
// Where the slices of a run are narrower than two pixels, each pixel shows how the classes of time share it. A table is
// drawn with the 24 heaviest names of each kind, and the picture says so. A class of time, phase or group has the same
// colour in all pictures, and in the pages of report.hpp.
#include "version.hpp"

#ifndef WLFMT_PLOT_HPP
#define WLFMT_PLOT_HPP

#include <cstddef>
#include <string_view>

#include "error.hpp"
#include "table.hpp"
#include "types/answers.hpp"
#include "types/sink.hpp"
#include "workload.hpp"

#include "detail/plot/files.hpp"
#include "detail/plot/run.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace plot {

inline constexpr std::size_t max_lanes = detail::max_plot_lanes;
inline constexpr std::size_t max_rows = detail::max_plot_rows;
inline constexpr std::size_t max_map_rows = detail::max_map_rows;

// Draws a run over time: a lane for each rank, by pipeline stage, with the six parts of its time (oplog::time_account):
// work, transfer, waiting in the stage and for the pipeline, gaps, and what is unknown. Comparable clocks are aligned;
// ranks traced separately all begin at 0. More than max_lanes ranks become a heat map of ranks by operations, which
// compares the time of each operation, without waiting, with the stage's median; with more than max_map_rows ranks,
// each row shows the one of several ranks that differs most.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const oplog::run_answers& answers, std::string_view title = {}) {
    return detail::write_picture(sink, detail::picture_of(answers, title));
}

// Draws a workload file: compute against communication layer by layer, bytes on a logarithmic axis, and bytes by
// collective and group. Blocks of layers that repeat are bracketed, with the number of repetitions.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const workload::document& doc, std::string_view title = {}) {
    return detail::write_picture(sink, detail::picture_of(doc, title));
}

// Draws a table: its heaviest names by self time, on the device if there is any, and their total time. Rows of one name
// are added up; operators, kernels and annotations are separate. Bars are shares of the table's total, if it has one.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const table::profile& table, std::string_view title = {}) {
    return detail::write_picture(sink, detail::picture_of(table, title));
}
template <class Sink, class Drawn, class S, detail::if_null_literal<S> = 0>
problem write(Sink&&, const Drawn&, S&&) = delete;

}}}  // namespace wlfmt::WLFMT_ABI::plot

#include "detail/base/config_end.hpp"
#endif
