// The forward and backward steps of a pipeline's stages as they were, and as they would be if nothing else took time.
#ifndef WLFMT_DETAIL_REPORT_SCHEDULE_HPP
#define WLFMT_DETAIL_REPORT_SCHEDULE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../types/answers.hpp"
#include "../oplog/operations.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

struct pipeline_step {
    bool backward = false;
    std::uint32_t operation = 0;  // in run_answers::names
    std::int64_t batch = 0;
    double begin = 0;
    double duration = 0;
};
using pipeline_steps = std::vector<pipeline_step>;

// The steps of a rank, from its first record on.
inline pipeline_steps pipeline_steps_of(const oplog::run_answers& a, const oplog::rank_answer& rank) {
    pipeline_steps to;
    for (const oplog::program_step& s : rank.program) {
        if (s.nested || s.operation >= a.names.size()) continue;
        const operation_kind kind = oplog_operations<build>::facts_of(a.names[s.operation]).kind;
        if (kind == operation_kind::forward || kind == operation_kind::backward)
            to.push_back({kind == operation_kind::backward, s.operation, s.batch, s.start, s.duration});
    }
    return to;
}

// The same steps of all stages, each as long as the mean of its stage and as early as the steps that it needs allow:
// what stages of these times would do without transfer and without waiting inside steps. Empty if the steps are not one
// forward and one backward pass in turn, as of interleaved stages, or if something of the run is missing.
inline std::vector<pipeline_steps> ideal_schedule(const oplog::run_answers& a, std::vector<pipeline_steps> stages) {
    const std::size_t count = stages.size();
    const auto batches = static_cast<std::size_t>(a.micro_batches);
    if (count < 2 || count != a.stages.size() || batches == 0 || a.iterations != 1) return {};
    std::vector<double> times[2];  // of a forward, and of a backward step
    for (std::size_t n = 0; n != count; ++n) {
        const std::size_t ahead = (std::min)(batches, count - 1 - n);
        if (stages[n].size() != 2 * batches || a.stages[n].ranks == 0) return {};
        std::vector<std::int64_t> open;  // micro-batches, in the order of their forward steps
        std::size_t done = 0;
        for (std::size_t at = 0; at != stages[n].size(); ++at) {
            const pipeline_step& s = stages[n][at];
            if (s.backward != (at >= 2 * batches - ahead || (at >= ahead && (at - ahead) % 2 == 1))) return {};
            if (!s.backward) open.push_back(s.batch);
            if (s.backward && open[done++] != s.batch) return {};
        }
        double back = 0;
        for (const oplog::rank_answer& r : a.ranks) {
            if (r.stage != a.stages[n].stage) continue;
            for (const oplog::operation_answer& o : r.operations)
                if (oplog_operations<build>::facts_of(o.operation).kind == operation_kind::backward)
                    back += o.time / static_cast<double>(a.stages[n].ranks);
        }
        back = (std::min)(back, a.stages[n].busy) / static_cast<double>(batches);
        times[0].push_back(a.stages[n].per_batch - back);
        times[1].push_back(back);
    }
    std::vector<std::vector<double>> ends[2];  // of each stage's forward and backward steps
    for (auto& of : ends) of.resize(count);
    std::vector<std::size_t> next(count);
    std::vector<double> clock(count);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t n = 0; n != count; ++n)
            for (; next[n] != stages[n].size(); ++next[n]) {
                pipeline_step& s = stages[n][next[n]];
                std::vector<double>& done = ends[s.backward ? 1 : 0][n];
                const bool is_first = s.backward ? n + 1 == count : n == 0;
                const std::size_t from = s.backward ? n + 1 : n - 1;
                if (!is_first && ends[s.backward ? 1 : 0][from].size() <= done.size()) break;
                s.begin = is_first ? clock[n] : (std::max)(clock[n], ends[s.backward ? 1 : 0][from][done.size()]);
                s.duration = times[s.backward ? 1 : 0][n];
                clock[n] = s.begin + s.duration;
                done.push_back(clock[n]);
                moved = true;
            }
    }
    return stages;
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
