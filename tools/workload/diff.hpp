// diff of workload files: prints what they mean differently, and what grew by too much.
#ifndef WLFMT_TOOLS_WORKLOAD_DIFF_HPP
#define WLFMT_TOOLS_WORKLOAD_DIFF_HPP

#include "../command_line/settings.hpp"
#include "../output/compared.hpp"
#include "../output/json_print.hpp"
#include "changes.hpp"
#include "diff_json.hpp"
#include "diff_text.hpp"

namespace tool {

// Checks compute, with a tick taken for a nanosecond, and bytes against --fail-above.
inline void check_growth(growth_report& growth, const workload_changes& changes, const settings& s) {
    using limits = std::pair<bounded, bounded>;
    const auto check_tick_limits = [&](const std::string& item, const limits& sum) {
        if (changes.shows("compute"))
            growth.check_limits(
                item, sum.first, sum.second, changes.sums.all_ticks, [](double v) { return decimals_of(v) + " ticks"; },
                1e-3);
    };
    const auto check_byte_limits = [&](const std::string& item, const limits& sum) {
        if (changes.shows("communication") && s.growth.share > 0)
            growth.check_limits(item, sum.first, sum.second, changes.sums.all_bytes, [](double v) { return sized(v); });
    };
    // Layers that both files have are compared as they are.
    const auto as_it_is = [](const compared_sum& sum) { return limits(bounded(sum.before), bounded(sum.after)); };
    const auto check_ticks = [&](const std::string& item, const compared_sum& sum) {
        check_tick_limits(item, as_it_is(sum));
    };
    const auto check_bytes = [&](const std::string& item, const compared_sum& sum) {
        check_byte_limits(item, as_it_is(sum));
    };
    check_tick_limits("compute", changes.limits_of(changes.sums.all_ticks));
    for (std::size_t n = 0; n != time_count; ++n)
        check_tick_limits(joined({"compute, ", time_name(n)}), changes.limits_of(changes.sums.ticks[n]));
    for (const layers_line& line : changes.computes) check_ticks("compute of " + line.title(), line.all_ticks());
    check_byte_limits("communication", changes.limits_of(changes.sums.all_bytes));
    for (const call_line& call : changes.sums.calls)
        check_byte_limits(joined({call.group, " ", call.collective, ", ", call.phase}),
                          call.is_of_header ? as_it_is(call.bytes) : changes.limits_of(call.bytes));
    for (const layers_line& line : changes.collectives)
        check_bytes(joined({line.after, " of ", line.title(), ", ", line.field}), line.bytes);
    for (const stretch_line& layers : changes.stretches) {
        if (layers.change != wlfmt::analysis::diff::change::added) continue;
        const bounded before = changes.is_doubtful(layers) ? bounded::no_less(0) : bounded();
        check_tick_limits("compute of added " + layers.title, {before, bounded(layers.sums.all_ticks())});
        check_byte_limits("communication of added " + layers.title, {before, bounded(layers.sums.all_bytes())});
    }
}

inline exit_status compare_workloads(const workload_changes::side& before, const workload_changes::side& after,
                                     const settings& s) {
    const workload_changes changes(before, after, s);
    const bool differs = changes.differs();
    const bool incomplete =
        before.is_cut || after.is_cut || (changes.shows("communication") && changes.side_without_messages() != nullptr);
    if (s.json) print_workload_json(changes, s);
    else if (s.markdown || differs || incomplete) workload_diff_text(changes, s).print();
    growth_report growth(s.growth);
    if (s.growth.is_asked()) check_growth(growth, changes, s);
    const bool is_doubtful = growth.report_doubts();
    return growth.status(differs, incomplete || is_doubtful);
}

}  // namespace tool

#endif
