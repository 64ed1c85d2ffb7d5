// The parts of workload files: policies, header keys, the fields of a layer.
#ifndef WLFMT_DETAIL_WORKLOAD_SCHEMA_HPP
#define WLFMT_DETAIL_WORKLOAD_SCHEMA_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/workload.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

inline bool is_dlrm(std::string_view policy) noexcept {
    return policy == "HYBRID_DLRM" || policy == "HYBRID_DLRM_ENHANCED";
}
inline bool has_own_policies(std::string_view policy) noexcept { return policy == "HYBRID_CUSTOMIZED"; }
inline constexpr std::string_view last_bottom_layer = "DLRM_LAST_BOTTOM_LAYER";
inline constexpr std::string_view layer_count = "layer count";

// The type that the value of a header entry has to have.
enum class entry_type : std::uint8_t {
    word,
    index_list,
    number,
    size,  // a number; a value below 0 is a warning
};
// Header lines are walked whenever a key is looked up: most keys are recognised by their size and one comparison.
inline entry_type type_of_entry(std::string_view key) noexcept {
    const auto type_if = [key](std::string_view known, entry_type type) {
        return key == known ? type : entry_type::word;
    };
    switch (key.size()) {
    case 2: return key == "pp" || key == "ep" || key == "ga" ? entry_type::size : entry_type::word;
    case 3: return type_if("vpp", entry_type::size);
    case 7: return type_if("pp_comm", entry_type::size);
    case 8: return type_if("all_gpus", entry_type::size);
    case 11: return type_if("checkpoints", entry_type::index_list);
    case 20: return type_if("checkpoint_initiates", entry_type::index_list);
    case 22: return type_if(last_bottom_layer, entry_type::number);
    case 24: return type_if("model_parallel_NPU_group", entry_type::size);
    case 25: return type_if("expert_parallel_npu_group", entry_type::size);
    default: return entry_type::word;
    }
}

// SimAI-Ascend binds a workload to a run: the header has five sha256 texts, and each layer repeats them.
inline constexpr std::size_t target_keys_count = 5;
inline constexpr std::string_view target_keys[target_keys_count] = {
    "target_model_sha256", "target_step_sha256", "target_routing_sha256", "target_memory_event_plan_sha256",
    "target_workload_sha256"};
// The position of the key among these; target_keys_count if it is not one of them.
inline std::size_t target_position(std::string_view key) noexcept {
    std::size_t n = 0;
    if (key.size() < 18 || key.compare(0, 7, "target_") != 0) return target_keys_count;
    while (n != target_keys_count && target_keys[n] != key) ++n;
    return n;
}
inline constexpr std::string_view sha256_start = "sha256:";
inline bool is_sha256(std::string_view v) noexcept {
    if (v.size() != sha256_start.size() + 64 || v.compare(0, sha256_start.size(), sha256_start) != 0) return false;
    for (const char c : v.substr(sha256_start.size()))
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) return false;
    return true;
}

// The phases of a layer, in the order of the layer's fields.
struct phase_row {
    std::string_view name;
    workload::phase workload::layer::*of;
    std::string_view compute;
    std::string_view comm;
    std::string_view bytes;
    std::string_view numeric_comm;  // what a near relative of the format has
};
inline constexpr phase_row phase_rows[] = {{"forward", &workload::layer::forward, "forward.compute", "forward.comm",
                                            "forward.bytes", "a number as forward.comm"},
                                           {"input_grad", &workload::layer::input_grad, "input_grad.compute",
                                            "input_grad.comm", "input_grad.bytes", "a number as input_grad.comm"},
                                           {"weight_grad", &workload::layer::weight_grad, "weight_grad.compute",
                                            "weight_grad.comm", "weight_grad.bytes", "a number as weight_grad.comm"}};

// A layer's line.

inline constexpr std::size_t layer_fields = 12;  // and a policy as the thirteenth
inline constexpr std::size_t policy_field = 12;
inline constexpr std::size_t most_layer_fields = layer_fields + 1 + target_keys_count;
inline constexpr std::string_view layer_field_names[] = {"name",
                                                         "dependency",
                                                         phase_rows[0].compute,
                                                         phase_rows[0].comm,
                                                         phase_rows[0].bytes,
                                                         phase_rows[1].compute,
                                                         phase_rows[1].comm,
                                                         phase_rows[1].bytes,
                                                         phase_rows[2].compute,
                                                         phase_rows[2].comm,
                                                         phase_rows[2].bytes,
                                                         "update",
                                                         "policy"};
inline constexpr std::string_view further_field = "further";

// The type that a field of a layer has to have.
enum class field_type : std::uint8_t { name, integer, number, collective };
inline field_type type_of_field(std::size_t field) noexcept {
    if (field == 0) return field_type::name;
    static constexpr field_type types[] = {field_type::number, field_type::collective, field_type::integer};
    return types[(field + 1) % 3];
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
