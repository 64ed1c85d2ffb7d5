// What is looked at and simulated: timeline, plot, chakra.
#include "../chakra.hpp"
#include "../commands.hpp"
#include "../plot.hpp"
#include "../timeline.hpp"

namespace tool {

exit_status run_timeline(const settings& s) { return timeline_command(s).run(); }

exit_status run_plot(const settings& s) { return plot_command(s).run(); }

exit_status run_chakra(const settings& s) { return chakra(s); }

}  // namespace tool
