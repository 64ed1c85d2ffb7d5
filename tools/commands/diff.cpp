// diff: what two files say differently.
#include "../diff.hpp"
#include "../commands.hpp"

namespace tool {

exit_status run_diff(const settings& s) { return compare(s); }

}  // namespace tool
