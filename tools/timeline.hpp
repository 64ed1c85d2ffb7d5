// timeline: writes a run, or one iteration of a workload file, as Trace Event JSON.
#ifndef WLFMT_TOOLS_TIMELINE_HPP
#define WLFMT_TOOLS_TIMELINE_HPP

#include "command_line/settings.hpp"
#include "run/timeline.hpp"

namespace tool {

exit_status do_timeline(const settings& s) { return timeline_command(s).execute(); }

}  // namespace tool

#endif
