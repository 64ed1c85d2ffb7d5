// The plan from which the traces of a workload are written.
#ifndef WLFMT_DETAIL_CHAKRA_PLAN_HPP
#define WLFMT_DETAIL_CHAKRA_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "../../parallelism.hpp"
#include "../../types/chakra.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

enum class trace_policy : std::uint8_t {
    micro,
    data,
    model,
    hybrid_data_model,
    hybrid_model_data,
    dlrm,
    transformer,
    transformer_fwd_in_bckwd
};

struct trace_phase {
    std::uint64_t ns = 0;
    std::string_view comm = {};  // the token; empty if there is no communication
    std::uint8_t type = 0;       // comm_type
    parallelism::group group = parallelism::group::tensor_parallel;
    std::int64_t bytes = 0;  // as ASTRA-sim counts them
};
struct trace_layer {
    std::string_view name;
    trace_phase forward;
    trace_phase input_grad;
    trace_phase weight_grad;
    std::uint64_t update_ns = 0;
    bool begins_micro_batch = false;
    bool first_stage_only = false;
    bool last_stage_only = false;
    // FWD_IN_BCKWD: the first of the layers that are computed again before this one goes backward; its own index if
    // there are none.
    std::size_t recompute_from = 0;
};

// Everything that a trace is written from. Its names are views of the text.
struct trace_plan {
    trace_policy policy = trace_policy::micro;
    std::vector<trace_layer> layers;
    parallelism::layout ranks{parallelism::sizes()};
    bool groups_used[parallelism::group_count] = {};
    std::int64_t passes = 1;
    std::int64_t message_bytes = 0;  // between stages; 0: no messages
    std::int64_t last_bottom_layer = 0;
    // The layers of a micro-batch's model chunk begin at chunks[batch * chunks_of_stage + chunk], and end where the
    // next ones begin or, for the last ones, at the last number of the list. Those before the first are in no
    // micro-batch.
    std::vector<std::size_t> chunks;
    std::int64_t batches = 0;
    std::int64_t chunks_of_stage = 1;
    chakra::schedule schedule = chakra::schedule::gpipe;
    std::int64_t splits = 4;
    bool bare = false;  // only the attributes that Chakra's converter writes
    chakra::remarks notes;
    std::string_view input = {};
};

inline namespace WLFMT_IMPL {

// The first two ranks that share a group of experts but not a pipeline stage. They are equal if all ranks of each group
// are in one stage.
inline std::pair<std::int64_t, std::int64_t> ranks_of_two_stages(const parallelism::layout& ranks) noexcept {
    using parallelism::group;
    if (ranks.stages_agree()) return {0, 0};
    for (const group g : {group::expert_parallel, group::expert_data_parallel}) {
        for (std::int64_t n = 0; n != ranks.count(g); ++n) {
            const std::int64_t first = ranks.rank(g, n, 0).value_or(0);
            for (std::int64_t k = 1; k != ranks.size(g); ++k) {
                const std::int64_t other = ranks.rank(g, n, k).value_or(0);
                if (ranks.position_of(group::pipeline_parallel, first) !=
                    ranks.position_of(group::pipeline_parallel, other))
                    return {first, other};
            }
        }
    }
    return {0, 0};
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
