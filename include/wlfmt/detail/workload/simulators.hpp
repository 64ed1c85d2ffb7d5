// What a simulator cannot take of a workload file that is well-formed, and what it does then.
#ifndef WLFMT_DETAIL_WORKLOAD_SIMULATORS_HPP
#define WLFMT_DETAIL_WORKLOAD_SIMULATORS_HPP

#include <cstddef>
#include <string_view>

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

using namespace std::string_view_literals;

struct simulator_limit {
    std::string_view name;       // the name of the fact in `summary --json`
    std::string_view simulator;  // the program
    std::string_view condition;  // the part of the file that it cannot take
    std::string_view result;     // the result of that
    std::string_view source;     // the place in its sources that shows that
};
// Places in the table of limits.
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
     "it writes an empty EndToEnd.csv, with exit status 0"sv, "`int cycles`; SimAI issues 190 and 300"sv},
    {"small_collectives"sv, "SimAI with ns-3"sv, "an all-reduce of fewer bytes than its group has ranks"sv,
     "it ends there; SimAI-Analytical does not"sv, "SimAI issue 8"sv},
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
