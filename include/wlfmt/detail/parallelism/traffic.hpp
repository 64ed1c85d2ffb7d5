// Finds the group in which a collective runs, and what it moves.
#ifndef WLFMT_DETAIL_PARALLELISM_TRAFFIC_HPP
#define WLFMT_DETAIL_PARALLELISM_TRAFFIC_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "../../types/parallelism.hpp"
#include "../../workload.hpp"
#include "../base/collectives.hpp"
#include "../workload/schema.hpp"
#include "layout.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

inline std::optional<parallelism::group> group_of_collective(parallelism::phase p, workload::communication c) noexcept {
    if (c.collective == workload::collective::none || c.collective == workload::collective::other) return std::nullopt;
    using parallelism::group;
    switch (c.group) {
    case workload::group::expert_parallel: return group::expert_parallel;
    case workload::group::data_parallel: return group::data_parallel;
    case workload::group::expert_data_parallel: return group::expert_data_parallel;
    default: return p == parallelism::phase::weight_grad ? group::data_parallel : group::tensor_parallel;
    }
}

inline std::optional<double> bus_factor_of(workload::collective c, std::int64_t ranks) noexcept {
    const double others = ranks < 1 ? 0 : static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    const auto n = static_cast<std::size_t>(c);
    switch (n < collective_row_count ? collective_table<kernel>::rows[n].share : bus_share::undefined) {
    case bus_share::nothing: return 0;
    case bus_share::others: return others;
    case bus_share::twice_others: return 2 * others;
    case bus_share::everything: return ranks > 1 ? 1 : 0;
    default: return std::nullopt;
    }
}

inline std::optional<double> bytes_sent(workload::collective c, std::int64_t ranks, std::int64_t bytes) noexcept {
    const std::optional<double> factor = bus_factor_of(c, ranks);
    if (!factor || bytes < 0) return std::nullopt;
    return *factor * static_cast<double>(bytes);
}

}  // namespace detail

namespace parallelism {

template <class Kernel>
inline void traffic::add(const workload::layer& one) noexcept {
    for (std::size_t n = 0; n != phase_count; ++n) {
        const workload::phase& p = one.*detail::phase_rows[n].of;
        const workload::communication c = workload::communication_of<Kernel>(p.comm);
        if (c.collective == workload::collective::none) continue;
        const std::optional<group> g = detail::group_of_collective(static_cast<phase>(n), c);
        if (!g) {
            ++unknown_;
            continue;
        }
        tally& t = all_[n][static_cast<std::size_t>(*g)];
        ++t.count;
        const std::int64_t bytes = p.bytes.template as<std::int64_t>().value_or(-1);
        if (bytes > 0) t.bytes += static_cast<double>(bytes);
        const std::int64_t ranks = layout(sizes_).size(*g);
        // A single rank sends nothing, whatever the collective is.
        const std::optional<double> wire = ranks == 1 ? 0 : detail::bytes_sent(c.collective, ranks, bytes);
        if (wire)
            t.wire += *wire;
        else
            ++t.unknown;
    }
}

template <class Kernel>
inline void traffic::add_pipeline(const workload::header& head) noexcept {
    if (sizes_.pipeline < 2) return;
    constexpr std::int64_t most_messages = (std::numeric_limits<std::int64_t>::max)();
    const auto count_or = [](const number& n, std::int64_t missing) {
        return n.is_missing() ? missing : n.template as<std::int64_t>().value_or(-1);
    };
    const std::int64_t batches = count_or(head.gradient_accumulation(), 1);
    const std::int64_t chunks = count_or(head.virtual_pipeline(), 1);
    const std::int64_t bytes = count_or(head.pipeline_bytes(), -1);
    const bool known = batches > 0 && chunks > 0 && bytes >= 0 && batches <= most_messages / chunks;
    const std::int64_t messages = known ? batches * chunks : 1;
    for (const phase p : {phase::forward, phase::input_grad}) {
        tally& t = all_[static_cast<std::size_t>(p)][static_cast<std::size_t>(group::pipeline_parallel)];
        t.count += static_cast<std::uint64_t>(messages);
        t.unknown += known ? 0 : 1;
        if (!known) continue;
        t.bytes += static_cast<double>(messages) * static_cast<double>(bytes);
        t.wire += static_cast<double>(messages) * static_cast<double>(bytes);
    }
}

inline double traffic::job_wire(phase p, group g) const noexcept {
    std::int64_t senders = sizes_.ranks;
    if (g == group::pipeline_parallel && sizes_.pipeline > 0) senders -= sizes_.ranks / sizes_.pipeline;
    return rank(p, g).wire * static_cast<double>(senders);
}

}  // namespace parallelism
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
