// What compares and sums up: diff, summary, merge.
#include "../speed.hpp"

#include "../chakra_network.hpp"
#include "../commands.hpp"
#include "../diff.hpp"
#include "../page.hpp"
#include "../run_merge.hpp"
#include "../run_summary.hpp"

namespace tool {

exit_status run_diff(const settings& s) { return compare(s); }

exit_status run_summary(const settings& s) {
    if (s.markdown) chosen_layout = layout::markdown;
    chosen_digest.most_rows = s.top;
    const exit_status status = run_command(s).run();
    end_digest();
    return status;
}

exit_status run_report(const settings& s) { return write_page(s); }

// Of chakra, which is compiled elsewhere.
wlfmt::chakra::rings network_of(const settings& s, exit_status& status);

wlfmt::chakra::rings network_of(const settings& s, exit_status& status) {
    settings of_run = s;
    of_run.files = {s.network.c_str()};
    run_network reading(of_run, s.splits);
    status = reading.run();
    if (status == clean && !reading.any()) {
        standard_error.append({printable(s.network),
                               ": error: no time of a call of this run is known: which ranks are in a group, and when "
                               "each of them came, its logs do not say\n"});
        status = problems;
    }
    return reading.rings();
}

exit_status run_merge(const settings& s) {
    if (s.markdown) chosen_layout = layout::markdown;
    chosen_digest.most_rows = s.top;
    const exit_status status = merge_command(s).run();
    end_digest();
    return status;
}

}  // namespace tool
