// timeline and plot: a run, a workload file or a table to look at.
#include "../commands.hpp"
#include "../plot.hpp"
#include "../timeline.hpp"

namespace tool {

exit_status run_timeline(const settings& s) { return timeline_command(s).run(); }

exit_status run_plot(const settings& s) { return plot_command(s).run(); }

}  // namespace tool
