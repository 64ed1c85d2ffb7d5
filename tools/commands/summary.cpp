// summary and merge: what files say in sum.
#include "../commands.hpp"
#include "../run_merge.hpp"
#include "../run_summary.hpp"

namespace tool {

exit_status run_summary(const settings& s) {
    if (s.markdown) chosen_layout = layout::markdown;
    return run_command(s).run();
}

exit_status run_merge(const settings& s) {
    if (s.markdown) chosen_layout = layout::markdown;
    return merge_command(s).run();
}

}  // namespace tool
