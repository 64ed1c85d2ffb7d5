// wlfmt/workload/policies.hpp: the policies and collectives of workload files, and what simulators do with each. The
// row of each holds all that the library knows about it. Not included by wlfmt.hpp.
//
//     if (wlfmt::workload::policies::of(header.policy).has(wlfmt::workload::policies::in_groups)) ...
#include "../version.hpp"

#ifndef WLFMT_WORKLOAD_POLICIES_HPP
#define WLFMT_WORKLOAD_POLICIES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../types/text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace workload {

// What the library knows of the collectives of workload files.
namespace collectives {

// The number of bytes that each of n ranks sends, as a multiple of the whole buffer (as in nccl-tests).
enum class bus_share : std::uint8_t {
    nothing,
    others,        // (n - 1) / n
    twice_others,  // 2 (n - 1) / n
    everything,    // 1 if there is another rank
    undefined
};

// The rows are in the order of workload::collective.
struct row {
    std::string_view name;   // its name in the library, in exported files and in op logs
    std::string_view token;  // the word in workload files, before the suffix of a group
    bus_share share;
    std::int8_t chakra;     // the type in Chakra traces; below 0 if it has none
    bool in_simai = false;  // SimAI takes it for what it is; else `check --for=simai` and traces refuse it
};
inline constexpr row rows[] = {{"none", "NONE", bus_share::nothing, -1},
                               {"allreduce", "ALLREDUCE", bus_share::twice_others, 0, true},
                               {"allgather", "ALLGATHER", bus_share::others, 2, true},
                               {"reduce_scatter", "REDUCESCATTER", bus_share::others, 7, true},
                               {"all_to_all", "ALLTOALL", bus_share::others, 6, true},
                               {"all_to_all_v", "ALLTOALLV", bus_share::undefined, -1},
                               {"allreduce_all_to_all", "ALLREDUCEALLTOALL", bus_share::undefined, -1},
                               {"broadcast", "BROADCAST", bus_share::everything, 5}};
inline constexpr std::size_t count = sizeof rows / sizeof *rows;
// The suffixes of tokens, in the order of workload::group.
inline constexpr std::string_view suffixes[] = {"", "_EP", "_DP", "_DP_EP"};
inline constexpr std::size_t suffix_count = sizeof suffixes / sizeof *suffixes;

}  // namespace collectives

// What the library knows of the policies of workload files.
namespace policies {

// The program whose nodes a Chakra trace has: Chakra's converter for this policy or, for `transformer`, SimAI's state
// machine.
enum class trace_policy : std::uint8_t { none, micro, data, model, hybrid_data_model, dlrm, transformer };

// Bits of row::traits. The first three are in the order of a layer's phases.
enum trait : std::uint16_t {
    communicates_forward = 1,  // collectives are traced in this phase
    communicates_input_grad = 2,
    communicates_weight_grad = 4,
    communicates = 7,         // collectives are traced in all three phases
    in_groups = 8,            // each collective is among the ranks of a group; else among all ranks
    number_follows = 16,      // the header may begin with the last bottom layer, a number without its key
    own_policies = 32,        // each layer has a policy of its own
    forward_alone = 64,       // in timelines there is no backward pass
    weight_grad_first = 128,  // in timelines the weight gradient precedes the input gradient, which layer 0 lacks
    recomputes = 256          // layers are computed again, from a checkpoint on
};

struct row {
    std::string_view name = {};
    trace_policy traced = trace_policy::none;
    std::uint16_t traits = 0;
    constexpr bool has(trait t) const noexcept { return (traits & t) != 0; }
};

// The policies of ASTRA-sim, SimAI and Chakra, then those that only forks have.
inline constexpr row rows[] = {
    {"MICRO", trace_policy::micro, communicates_weight_grad},
    {"DATA", trace_policy::data, communicates_weight_grad | weight_grad_first},
    {"MODEL", trace_policy::model, communicates_forward | communicates_input_grad},
    {"HYBRID_DATA_MODEL", trace_policy::hybrid_data_model, communicates},
    {"HYBRID_MODEL_DATA", trace_policy::model, communicates},
    {"HYBRID_DLRM", trace_policy::dlrm, communicates | number_follows | weight_grad_first},
    {"HYBRID_DLRM_ENHANCED", trace_policy::dlrm, communicates | number_follows | weight_grad_first},
    {"HYBRID_TRANSFORMER", trace_policy::transformer, communicates | in_groups},
    {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", trace_policy::transformer, communicates | in_groups | recomputes},
    {"HYBRID_CUSTOMIZED", trace_policy::none, own_policies},
    {"DISTRIBUTED_INFERENCE", trace_policy::none, forward_alone},
    {"COLOCATED"},
    {"DATA_FORWARD_OVERLAP"},
    {"DATA_NO_OVERLAP"},
    {"DATA_REORDER"},
    {"HYBRID"},
    {"HYBRID_TENSOR_PIPELINE"},
    {"HYBRID_TRANSFORMER_MoE_TEST"},
    {"ORCA"},
    {"PIPELINE"},
    {"TENSOR"}};
// The row of a policy. For an unknown policy, it has no name and no traits.
[[nodiscard]] constexpr row of(std::string_view name) noexcept {
    for (const row& policy : rows)
        if (policy.name == name) return policy;
    return {};
}
row of(std::nullptr_t) = delete;

}  // namespace policies

}}}  // namespace wlfmt::WLFMT_ABI::workload

#include "../detail/base/config_end.hpp"
#endif
