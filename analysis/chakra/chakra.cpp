#if (defined(__cpp_exceptions) || defined(_CPPUNWIND)) && __has_include(<protozero/pbf_writer.hpp>)
#include "chakra.hpp"

#include "oplog.hpp"
#include "planner.hpp"
#include "workload.hpp"

namespace wlfmt::analysis::chakra {

std::int64_t traces::ranks() const noexcept { return plan_ != nullptr ? plan_->groups.ranks().sizes().ranks : 0; }
const remarks& traces::notes() const noexcept {
    static const remarks none;
    return plan_ != nullptr ? plan_->notes : none;
}

result<traces> traces_of(const workload::document& doc, text_view text, const options& options) {
    return trace_planner(doc, text, options).plan();
}
problem write(output& to, const traces& traces, std::int64_t rank, std::string_view fingerprint) {
    if (traces.plan() == nullptr || rank < 0 || rank >= traces.ranks()) return {};
    return workload_trace(to, *traces.plan(), rank).write(fingerprint);
}
problem write_groups(output& to, const traces& traces) {
    group_writer groups(to);
    if (traces.plan() != nullptr) traces.plan()->groups.write(groups);
    groups.finish();
    return {};
}
problem write_network(output& to, const traces& traces, const rings& rings) {
    if (traces.plan() == nullptr) return {};
    write_network_file(to, traces.plan()->groups.ranks(), rings);
    return {};
}
problem write_system(output& to, const traces& traces) {
    const trace_plan* const plan = traces.plan();
    if (plan == nullptr) return {};
    write_system_file(to, plan->groups.ranks(), plan->options.splits, plan->options.active_chunks, !plan->bare);
    return {};
}
problem write_logical_topology(output& to, const traces& traces) {
    if (traces.plan() == nullptr) return {};
    write_logical_file(to, traces.plan()->groups.ranks());
    return {};
}
problem write(output& to, const oplog::document& log, const run& run, std::string_view text,
              std::string_view fingerprint) {
    return oplog_trace(to, run, text).write(log, fingerprint);
}
problem write_network(output& to, const run& run, const rings& rings) {
    write_network_file(to, parallelism::layout(run.sizes, run.order), rings);
    return {};
}
problem write_system(output& to, const run& run) {
    write_system_file(to, parallelism::layout(run.sizes, run.order), run.splits, run.active_chunks, true);
    return {};
}
problem write_logical_topology(output& to, const run& run) {
    write_logical_file(to, parallelism::layout(run.sizes, run.order));
    return {};
}
problem write_groups(output& to, const run& run) {
    group_writer groups(to);
    run_groups(run).write(groups);
    groups.finish();
    return {};
}

}  // namespace wlfmt::analysis::chakra

#endif
