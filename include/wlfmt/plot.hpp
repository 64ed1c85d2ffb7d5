// wlfmt/plot.hpp: pictures of op logs, workload files and tables: one self-contained SVG each, 1,200 pixels wide, light
// or dark as its viewer is, with the exact values in tooltips. Not included by wlfmt.hpp.
//
//     wlfmt::trace::run run;                                   // trace.hpp: the first pass over a run's files
//     for (const auto& op : log->operations) run.add(op);
//     if (!run.align(wlfmt::trace::alignment::none)) return 1;
//     wlfmt::plot::lanes picture(run);
//     for (const auto& op : log->operations) picture.add(op);
//     if (auto e = picture.write(std::cout)) return fail(e);
//
// What is drawn is bounded: of a run its first 64 lanes and its first 40 names of operations, of a table its 24
// heaviest rows; the picture says so. Operations of one lane and name that cover the same pixels are one bar, whose
// tooltip has their number: memory and size do not grow with the number of operations.
#include "version.hpp"

#ifndef WLFMT_PLOT_HPP
#define WLFMT_PLOT_HPP

#include <cstddef>

#include "error.hpp"
#include "oplog.hpp"
#include "sink.hpp"
#include "table.hpp"
#include "trace.hpp"
#include "workload.hpp"

#include "detail/plot/draw.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace plot {

inline constexpr std::size_t max_lanes = detail::most_lanes;
inline constexpr std::size_t max_rows = detail::most_rows;
inline constexpr std::size_t max_names = detail::most_names;

inline namespace WLFMT_IMPL {

// A run in time: a lane per rank, sorted by pipeline stage; with more than max_lanes ranks, a lane per stage, which is
// that of its first rank. Bars are operations, coloured by their names; what a stage waits for (recv_forward,
// recv_backward) is pale, and where a lane is empty nothing was traced: both are the pipeline's bubbles. What overlaps
// is drawn at half its height.
class lanes {
public:
    // The run must outlive the picture, with align() called.
    explicit lanes(const trace::run& run) : drawn_(run) {}
    void add(const oplog::operation& op) { drawn_.add(op); }
    template <class Sink>
    [[nodiscard]] error write(Sink&& sink) const {
        return detail::write_picture(sink, drawn_.picture());
    }

private:
    detail::drawn_lanes drawn_;
};

// A workload file: compute against communication layer by layer, and bytes by collective and group.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const workload::document& doc) {
    return detail::write_picture(sink, detail::picture_of(doc));
}

// A table: its heaviest rows, self and total time; the times of the device, if the table has any that are not 0.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const table::summary& one) {
    return detail::write_picture(sink, detail::picture_of(one));
}

}  // namespace WLFMT_IMPL
}  // namespace plot
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
