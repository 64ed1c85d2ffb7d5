// The policies and collectives of workload files, and what simulators do not accept in such files. The row of each
// holds all that the library knows about it.
#ifndef WLFMT_DETAIL_WORKLOAD_POLICIES_HPP
#define WLFMT_DETAIL_WORKLOAD_POLICIES_HPP

#include <cstdint>

#include "../../types/text.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The number of bytes that each of n ranks sends, as a multiple of the whole buffer (as in nccl-tests).
enum class bus_share : std::uint8_t {
    nothing,
    others,        // (n - 1) / n
    twice_others,  // 2 (n - 1) / n
    everything,    // 1 if there is another rank
    undefined
};

// The rows are in the order of workload::collective.
struct collective_row {
    std::string_view name;   // its name in the library, in exported files and in op logs
    std::string_view token;  // the word in workload files, before the suffix of a group
    bus_share share;
    std::int8_t chakra;  // the type in Chakra traces; below 0 if it has none
};
inline constexpr std::size_t collective_row_count = 8;
// The suffixes of tokens, in the order of workload::group.
inline constexpr std::size_t group_suffix_count = 4;

struct collective_table {
    static constexpr collective_row rows[collective_row_count] = {
        {"none"sv, "NONE"sv, bus_share::nothing, -1},
        {"allreduce"sv, "ALLREDUCE"sv, bus_share::twice_others, 0},
        {"allgather"sv, "ALLGATHER"sv, bus_share::others, 2},
        {"reduce_scatter"sv, "REDUCESCATTER"sv, bus_share::others, 7},
        {"all_to_all"sv, "ALLTOALL"sv, bus_share::others, 6},
        {"all_to_all_v"sv, "ALLTOALLV"sv, bus_share::undefined, -1},
        {"allreduce_all_to_all"sv, "ALLREDUCEALLTOALL"sv, bus_share::undefined, -1},
        {"broadcast"sv, "BROADCAST"sv, bus_share::everything, 5}};
    static constexpr std::string_view suffixes[group_suffix_count] = {""sv, "_EP"sv, "_DP"sv, "_DP_EP"sv};
};

// The program whose nodes a Chakra trace has: Chakra's converter for this policy or, for `transformer`, SimAI's state
// machine.
enum class trace_policy : std::uint8_t { none, micro, data, model, hybrid_data_model, dlrm, transformer };

// Bits of policy_row::traits. The first three are in the order of a layer's phases.
enum policy_trait : std::uint16_t {
    communicates_forward = 1,  // collectives are traced in this phase
    communicates_input_grad = 2,
    communicates_weight_grad = 4,
    communicates = 7,         // collectives are traced in all three phases
    in_groups = 8,            // each collective runs in a group of ranks; else among all ranks
    number_follows = 16,      // the header may begin with the last bottom layer, a number without its key
    own_policies = 32,        // each layer has a policy of its own
    forward_alone = 64,       // in timelines there is no backward pass
    weight_grad_first = 128,  // in timelines the weight gradient precedes the input gradient, which layer 0 lacks
    recomputes = 256          // layers are computed again, from a checkpoint on
};

struct policy_row {
    std::string_view name = {};
    trace_policy traced = trace_policy::none;
    std::uint16_t traits = 0;
    constexpr bool has(policy_trait t) const noexcept { return (traits & t) != 0; }
};

struct policy_table {
    using row = policy_row;
    // The policies of ASTRA-sim, SimAI and Chakra, then those that only forks have.
    static constexpr row rows[] = {
        {"MICRO"sv, trace_policy::micro, communicates_weight_grad},
        {"DATA"sv, trace_policy::data, communicates_weight_grad | weight_grad_first},
        {"MODEL"sv, trace_policy::model, communicates_forward | communicates_input_grad},
        {"HYBRID_DATA_MODEL"sv, trace_policy::hybrid_data_model, communicates},
        {"HYBRID_MODEL_DATA"sv, trace_policy::model, communicates},
        {"HYBRID_DLRM"sv, trace_policy::dlrm, communicates | number_follows | weight_grad_first},
        {"HYBRID_DLRM_ENHANCED"sv, trace_policy::dlrm, communicates | number_follows | weight_grad_first},
        {"HYBRID_TRANSFORMER"sv, trace_policy::transformer, communicates | in_groups},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD"sv, trace_policy::transformer, communicates | in_groups | recomputes},
        {"HYBRID_CUSTOMIZED"sv, trace_policy::none, own_policies},
        {"DISTRIBUTED_INFERENCE"sv, trace_policy::none, forward_alone},
        {"COLOCATED"sv},
        {"DATA_FORWARD_OVERLAP"sv},
        {"DATA_NO_OVERLAP"sv},
        {"DATA_REORDER"sv},
        {"HYBRID"sv},
        {"HYBRID_TENSOR_PIPELINE"sv},
        {"HYBRID_TRANSFORMER_MoE_TEST"sv},
        {"ORCA"sv},
        {"PIPELINE"sv},
        {"TENSOR"sv}};
    // The row of a policy. For an unknown policy, it has no name and no traits.
    static constexpr policy_row of(std::string_view name) noexcept {
        for (const row& policy : rows)
            if (policy.name == name) return policy;
        return {};
    }
};

// Something in a well-formed workload file that a simulator cannot handle, and what the simulator does then.
struct simulator_limit {
    std::string_view name;       // the name of the fact in `summary --json`
    std::string_view simulator;  // the program
    std::string_view condition;  // what in the file it cannot handle
    std::string_view result;     // what it does then
    std::string_view source;     // the evidence: a place in its sources, or an issue
};
// Positions in simulator_limits.
enum class limit_of : std::size_t {
    no_pipeline_divisor,
    no_sizes,
    large_messages,
    no_expert_groups,
    long_computation,
    small_collective
};
inline constexpr simulator_limit simulator_limits[] = {
    {"no_pipeline_divisor"sv, "SimAI"sv, "no `ga` or no `vpp`"sv,
     "it divides by their product: its total time is NaN"sv, "Layer.cc; SimAI issue 164"sv},
    {"no_sizes"sv, "SimAI"sv, "no `pp` or no `model_parallel_NPU_group`"sv, "it crashes"sv,
     "Workload.cc, initialize_workload()"sv},
    {"large_messages"sv, "SimAI"sv, "`pp_comm` above 2147483647"sv, "it ends with an exception"sv,
     "Workload.cc, initialize_workload()"sv},
    {"no_expert_groups"sv, "SimAI"sv, "expert parallelism where the tensor parallelism is 1"sv,
     "collectives of experts have no group"sv, "MockNcclGroup.cc; SimAI issue 298"sv},
    {"long_computation"sv, "SimAI-Analytical"sv, "a computation of 2147483647 ticks or more"sv,
     "it does not end or writes an empty EndToEnd.csv, with exit status 0"sv,
     "`int cycles`; SimAI issues 190 and 300"sv},
    {"small_collectives"sv, "SimAI with ns-3"sv, "an all-reduce of fewer bytes than its group has ranks"sv,
     "it ends there; SimAI-Analytical does not"sv, "SimAI issue 8"sv},
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
