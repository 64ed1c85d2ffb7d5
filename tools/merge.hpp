// merge: adds up the lines of summary --partial, from one file or from many, into one summary.
#ifndef WLFMT_TOOLS_MERGE_HPP
#define WLFMT_TOOLS_MERGE_HPP

#include "command_line/settings.hpp"
#include "run/merge.hpp"
#include "run/print.hpp"

namespace tool {

exit_status do_merge(const settings& s) { return sum_up<merge_command>(s); }

}  // namespace tool

#endif
