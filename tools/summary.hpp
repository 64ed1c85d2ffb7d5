// summary: sums up the op logs of a run, and shows what matters in workload files and tables.
#ifndef WLFMT_TOOLS_SUMMARY_HPP
#define WLFMT_TOOLS_SUMMARY_HPP

#include "command_line/settings.hpp"
#include "run/print.hpp"
#include "run/summary.hpp"

namespace tool {

exit_status do_summary(const settings& s) { return sum_up<log_command>(s); }

}  // namespace tool

#endif
