// The columns of layers and headers in CSV, Arrow and Python.
#ifndef WLFMT_DETAIL_WORKLOAD_COLUMNS_HPP
#define WLFMT_DETAIL_WORKLOAD_COLUMNS_HPP

#include "../../types/format.hpp"
#include "../../workload.hpp"
#include "../base/build.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// In the order of a layer's fields; then what follows these.
inline constexpr column_info layer_columns[] = {
    {"name", "", "the layer's name"},
    {"dependency", "", "-1: none"},
    {"forward_compute", "ticks", "computation of the forward phase"},
    {"forward_comm", "", "its collective"},
    {"forward_bytes", "bytes", "what the collective moves"},
    {"input_grad_compute", "ticks", "computation of the gradients of the inputs"},
    {"input_grad_comm", "", "its collective"},
    {"input_grad_bytes", "bytes", "what the collective moves"},
    {"weight_grad_compute", "ticks", "computation of the gradients of the weights"},
    {"weight_grad_comm", "", "its collective"},
    {"weight_grad_bytes", "bytes", "what the collective moves"},
    {"update", "ticks", "the delay after the last collective"},
    {"policy", "", "the layer's own parallelism policy"},
    {"further", "", "the words after the policy"},
};

// The entries of a header that are numbers.
struct header_column {
    column_info column;
    number (workload::header::*value)() const noexcept;
};
template <class Build> struct header_columns {
    using header = workload::header;
    static constexpr typename lazily<Build, header_column>::type rows[] = {
        {{"tensor_parallel", "ranks", "model_parallel_NPU_group"}, &header::tensor_parallel<Build>},
        {{"expert_parallel", "ranks", "ep"}, &header::expert_parallel<Build>},
        {{"pipeline_parallel", "stages", "pp"}, &header::pipeline_parallel<Build>},
        {{"virtual_pipeline", "", "vpp"}, &header::vpp<Build>},
        {{"gradient_accumulation", "steps", "ga"}, &header::gradient_accumulation<Build>},
        {{"all_gpus", "ranks", "all_gpus"}, &header::all_gpus<Build>},
        {{"pipeline_bytes", "bytes", "pp_comm: what a stage sends to the next one"}, &header::pipeline_bytes<Build>},
    };
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
