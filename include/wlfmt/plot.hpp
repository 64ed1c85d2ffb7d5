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
// What is drawn is bounded: of a run its first 40 names of operations, of a table its 24 heaviest rows; the picture
// says so. Operations of one lane and name that cover the same pixels are one bar, whose tooltip has their number:
// memory and size do not grow with the number of operations. Colours belong to kinds of operations (forward, backward,
// messages, groups, ...) and are the same in all pictures.
#include "version.hpp"

#ifndef WLFMT_PLOT_HPP
#define WLFMT_PLOT_HPP

#include <cstddef>
#include <optional>
#include <string_view>

#include "error.hpp"
#include "oplog.hpp"
#include "sink.hpp"
#include "table.hpp"
#include "trace.hpp"
#include "types/answers.hpp"
#include "workload.hpp"

#include "detail/plot/lanes.hpp"
#include "detail/plot/table.hpp"
#include "detail/plot/workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace plot {

inline constexpr std::size_t max_lanes = detail::most_lanes;
inline constexpr std::size_t max_rows = detail::most_rows;
inline constexpr std::size_t max_names = detail::most_names;
inline constexpr std::size_t max_map_rows = detail::most_map_rows;

inline namespace WLFMT_IMPL {

// A run in time: a lane for each rank, sorted by pipeline stage. Bars are operations, and communication that is nested
// in them is a strip in them. A message waits for as long as it takes longer than the quickest one of its size; a
// blocking collective or an optimizer_step, longer than its shortest member. Waiting has one look everywhere; where a
// lane is empty, nothing was traced. What overlaps is drawn at half its height. Which members a call has is known
// from the sizes in the files' names (answers.hpp); without them, waiting in collectives is not known, and the
// picture says so.
//
// With more than max_lanes ranks it is a heat map instead, of ranks (or, beyond max_map_rows, the greatest of several)
// by operations: the time of each without waiting, beside the median of the rank's stage.
class lanes {
public:
    // The run must outlive the picture, with align() called.
    explicit lanes(const trace::run& run, std::string_view title = {},
                   const std::optional<oplog::run_sizes>& sizes = std::nullopt)
        : drawn_(run, title, sizes) {}
    // The operations of a rank come in the order of its log.
    void add(const oplog::operation& op) { drawn_.add(op); }
    template <class Sink>
    [[nodiscard]] error write(Sink&& sink) const {
        return detail::write_picture(sink, drawn_.picture());
    }

private:
    detail::drawn_lanes drawn_;
};

// A workload file: compute against communication layer by layer, bytes on a logarithmic axis, and bytes by collective
// and group. Blocks of layers that repeat are bracketed, with their number.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const workload::document& doc, std::string_view title = {}) {
    return detail::write_picture(sink, detail::picture_of(doc, title));
}

// A table: its heaviest rows by self time, and their total time; the times of the device, if the table has any that are
// not 0.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const table::summary& one, std::string_view title = {}) {
    return detail::write_picture(sink, detail::picture_of(one, title));
}

}  // namespace WLFMT_IMPL
}  // namespace plot
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
