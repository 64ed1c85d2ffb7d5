#if (defined(__cpp_exceptions) || defined(_CPPUNWIND)) && __has_include(<protozero/pbf_writer.hpp>)
#include "chakra.hpp"

#include "oplog.hpp"
#include "planner.hpp"
#include "workload.hpp"

namespace wlfmt::analysis::chakra {

std::int64_t traces::ranks() const noexcept { return plan_ != nullptr ? plan_->groups.ranks().sizes().ranks : 0; }
remarks traces::notes() const noexcept { return plan_ != nullptr ? plan_->notes : remarks(); }

result<traces> traces_of(const workload::document& doc, text_view text, const options& options) {
    return trace_planner(doc, text, options).plan();
}
problem write(output& to, const traces& traces, std::int64_t rank, std::string_view fingerprint) {
    if (traces.plan() == nullptr || rank < 0 || rank >= traces.ranks()) return {};
    any_sink any(to);
    return workload_trace(any, *traces.plan(), rank).write(fingerprint);
}
problem write_groups(output& to, const traces& traces) {
    any_sink any(to);
    group_writer groups(any);
    if (traces.plan() != nullptr) traces.plan()->groups.write(groups);
    return groups.finish();
}
problem write_network(output& to, const traces& traces, const rings& rings) {
    if (traces.plan() == nullptr) return {};
    return write_network_file(any_sink(to), traces.plan()->groups.ranks(), rings);
}
problem write_system(output& to, const traces& traces) {
    const trace_plan* const plan = traces.plan();
    if (plan == nullptr) return {};
    return write_system_file(any_sink(to), plan->groups.ranks(), plan->options.splits, plan->options.active_chunks,
                             !plan->bare);
}
problem write_logical_topology(output& to, const traces& traces) {
    if (traces.plan() == nullptr) return {};
    return write_logical_file(any_sink(to), traces.plan()->groups.ranks());
}
problem write(output& to, const oplog::document& log, const run& run, std::string_view text,
              std::string_view fingerprint) {
    any_sink any(to);
    return oplog_trace(any, run, text).write(log, fingerprint);
}
problem write_network(output& to, const run& run, const rings& rings) {
    return write_network_file(any_sink(to), parallelism::layout(run.sizes, run.order), rings);
}
problem write_system(output& to, const run& run) {
    return write_system_file(any_sink(to), parallelism::layout(run.sizes, run.order), run.splits, run.active_chunks,
                             true);
}
problem write_logical_topology(output& to, const run& run) {
    return write_logical_file(any_sink(to), parallelism::layout(run.sizes, run.order));
}
problem write_groups(output& to, const run& run) {
    any_sink any(to);
    group_writer groups(any);
    run_groups(run).write(groups);
    return groups.finish();
}

}  // namespace wlfmt::analysis::chakra

#endif
