// What compares and sums up: diff, summary, merge.
#include "../commands.hpp"
#include "../diff.hpp"
#include "../run_merge.hpp"
#include "../run_summary.hpp"

namespace tool {

exit_status run_diff(const settings& s) { return compare(s); }

exit_status run_summary(const settings& s) {
    if (s.markdown) chosen_layout = layout::markdown;
    return run_command(s).run();
}

exit_status run_merge(const settings& s) {
    if (s.markdown) chosen_layout = layout::markdown;
    return merge_command(s).run();
}

}  // namespace tool
