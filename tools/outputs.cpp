// The second source of the command, beside main.cpp: comparisons, reports, timelines, pictures, traces for simulators.

#include "speed.hpp"

#include "chakra.hpp"
#include "command_line/commands.hpp"
#include "command_line/settings.hpp"
#include "diff.hpp"
#include "plot.hpp"
#include "report.hpp"
#include "timeline.hpp"

namespace tool {

exit_status run_diff(const settings& s) { return compare(s); }

exit_status run_report(const settings& s) { return write_page(s); }

exit_status run_timeline(const settings& s) { return timeline(s); }

exit_status run_plot(const settings& s) { return plot(s); }

exit_status run_chakra(const settings& s) { return chakra(s); }

}  // namespace tool
