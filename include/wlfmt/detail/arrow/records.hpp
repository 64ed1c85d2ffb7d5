// The columns of operations, nested operations, layers and headers.
#ifndef WLFMT_DETAIL_ARROW_RECORDS_HPP
#define WLFMT_DETAIL_ARROW_RECORDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../json.hpp"
#include "../../oplog.hpp"
#include "../../workload.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Operations

enum arrow_operation : std::size_t {
    op_file,
    op_record,
    op_origin,
    op_rank,
    op_op,
    op_stage_id,
    op_batch_id,
    op_mg_state,
    op_duration,
    op_description,
    op_group_kind,
    op_input_shape,
    op_input_dtype,
    op_bytes,
    op_timestamp,
    op_sub_operations,
    op_none,
    op_further
};
inline constexpr std::array<arrow_field, 18> arrow_operation_fields = {{{"file", arrow_type::word},
                                                                        {"record", arrow_type::integer},
                                                                        {"origin", arrow_type::word},
                                                                        {"rank", arrow_type::integer},
                                                                        {"op", arrow_type::word},
                                                                        {"stage_id", arrow_type::integer},
                                                                        {"batch_id", arrow_type::integer},
                                                                        {"mg_state", arrow_type::word},
                                                                        {"duration_ms", arrow_type::decimal},
                                                                        {"description", arrow_type::word},
                                                                        {"group_kind", arrow_type::word},
                                                                        {"input__shape", arrow_type::integers},
                                                                        {"input__dtype", arrow_type::word},
                                                                        {"bytes", arrow_type::integer},
                                                                        {"timestamp_ms", arrow_type::decimal},
                                                                        {"sub_operations", arrow_type::integer},
                                                                        {"none", arrow_type::word},
                                                                        {"further", arrow_type::word}}};

inline void add_row(arrow_rows& to, std::string_view file, std::int64_t record, const oplog::operation& op) {
    to.begin_record();
    to.lasting_word(op_file, file);
    to.integer(op_record, record);
    to.lasting_word(op_origin, name_of(op.origin));
    to.integer(op_rank, op.rank);
    to.word(op_op, op.op);
    to.value(op_stage_id, "stage_id", op.stage_id, arrow_type::integer);
    to.value(op_batch_id, "batch_id", op.batch_id, arrow_type::integer);
    to.value(op_mg_state, op.mg_state);
    to.value(op_duration, "duration", op.duration, arrow_type::decimal);
    to.value(op_description, op.description);
    to.value(op_group_kind, op.group_kind);
    to.tensor(op_input_shape, op_bytes, op.input_shape, op.input_dtype);
    to.value(op_input_dtype, op.input_dtype);
    to.value(op_timestamp, "timestamp", op.timestamp, arrow_type::decimal);
    if (to.has(op_sub_operations)) {
        if (op.sub_operations.is_missing() || op.sub_operations.is_none())
            to.value(op_sub_operations, op.sub_operations.is_none() ? std::string_view("None") : std::string_view());
        else
            to.integer(op_sub_operations, static_cast<std::int64_t>(op.sub_operations.size()));
    }
    to.none_names(op_none, arrow_operation_fields);
    to.further(op_further, op, op_key::extra);
    to.end_row();
}

// Nested operations

enum arrow_sub_operation : std::size_t {
    sub_file,
    sub_record,
    sub_index,
    sub_rank,
    sub_op,
    sub_stage_id,
    sub_batch_id,
    sub_trace_src_func,
    sub_duration,
    sub_timestamp,
    sub_input_shape,
    sub_input_dtype,
    sub_bytes,
    sub_func_name,
    sub_group,
    sub_comm_func,
    sub_text,
    sub_none,
    sub_further
};
inline constexpr std::array<arrow_field, 19> arrow_sub_operation_fields = {{{"file", arrow_type::word},
                                                                            {"record", arrow_type::integer},
                                                                            {"index", arrow_type::integer},
                                                                            {"rank", arrow_type::integer},
                                                                            {"op", arrow_type::word},
                                                                            {"stage_id", arrow_type::integer},
                                                                            {"batch_id", arrow_type::integer},
                                                                            {"trace_src_func", arrow_type::word},
                                                                            {"sub_duration_ms", arrow_type::decimal},
                                                                            {"sub_timestamp_ms", arrow_type::decimal},
                                                                            {"sub_input__shape", arrow_type::integers},
                                                                            {"sub_input__dtype", arrow_type::word},
                                                                            {"sub_bytes", arrow_type::integer},
                                                                            {"func_name", arrow_type::word},
                                                                            {"group", arrow_type::word},
                                                                            {"comm_func", arrow_type::word},
                                                                            {"text", arrow_type::word},
                                                                            {"none", arrow_type::word},
                                                                            {"further", arrow_type::word}}};

// What the nested operations of an operation have in common: added before its first one, and repeated for the others
// after its last one.
inline void begin_sub_operations(arrow_rows& to, std::string_view file, std::int64_t record,
                                 const oplog::operation& op) {
    to.begin_record();
    to.lasting_word(sub_file, file);
    to.integer(sub_record, record);
    to.integer(sub_rank, op.rank);
    to.word(sub_op, op.op);
    to.value(sub_stage_id, "stage_id", op.stage_id, arrow_type::integer);
    to.value(sub_batch_id, "batch_id", op.batch_id, arrow_type::integer);
    to.end_shared();
}
inline void end_sub_operations(arrow_rows& to, std::int64_t count) {
    for (const std::size_t place : {sub_file, sub_record, sub_rank, sub_op, sub_stage_id, sub_batch_id})
        to.repeat(place, static_cast<std::size_t>(count - 1));
}
inline void add_row(arrow_rows& to, std::int64_t index, const oplog::sub_operation& s) {
    to.begin_shared_record();
    to.integer(sub_index, index);
    // Few records have escapes, and looking for these once takes less time than in each value.
    const char quote = s.source.find('\\') != std::string_view::npos ? s.quote : '\0';
    to.value(sub_trace_src_func, s.trace_src_func, quote);
    to.value(sub_duration, "duration", s.duration, arrow_type::decimal);
    to.value(sub_timestamp, "timestamp", s.timestamp, arrow_type::decimal);
    to.tensor(sub_input_shape, sub_bytes, s.input_shape, s.input_dtype);
    to.value(sub_input_dtype, s.input_dtype, quote);
    to.value(sub_func_name, s.func_name, quote);
    to.value(sub_group, s.group, quote);
    to.value(sub_comm_func, s.comm_func, quote);
    if (s.is_text())
        to.word(sub_text, s.text, quote);
    else
        to.null(sub_text);
    to.none_names(sub_none, arrow_sub_operation_fields);
    to.further(sub_further, s, sub_key::extra, s.quote);
    to.end_row();
}

// Layers

inline constexpr std::array<arrow_field, 16> arrow_layer_fields = {{{"file", arrow_type::word},
                                                                    {"layer", arrow_type::integer},
                                                                    {"name", arrow_type::word},
                                                                    {"dependency", arrow_type::integer},
                                                                    {"forward_compute", arrow_type::decimal},
                                                                    {"forward_comm", arrow_type::word},
                                                                    {"forward_bytes", arrow_type::integer},
                                                                    {"input_grad_compute", arrow_type::decimal},
                                                                    {"input_grad_comm", arrow_type::word},
                                                                    {"input_grad_bytes", arrow_type::integer},
                                                                    {"weight_grad_compute", arrow_type::decimal},
                                                                    {"weight_grad_comm", arrow_type::word},
                                                                    {"weight_grad_bytes", arrow_type::integer},
                                                                    {"update", arrow_type::decimal},
                                                                    {"policy", arrow_type::word},
                                                                    {"further", arrow_type::word}}};

inline void add_word(arrow_rows& to, std::size_t place, std::string_view text) {
    if (is_missing(text)) return to.null(place);
    to.word(place, text);
}

inline void add_row(arrow_rows& to, std::string_view file, std::int64_t position, const workload::layer& one) {
    to.begin_record();
    to.lasting_word(0, file);
    to.integer(1, position);
    to.word(2, one.name);
    to.integer(3, one.dependency);
    std::size_t place = 4;
    for (const phase_row& row : phase_rows) {
        const workload::phase& p = one.*row.of;
        to.value(place++, {}, p.compute, arrow_type::decimal);
        // NONE is a token of these files, and None is what AICB writes for a collective that it has no token for.
        to.word(place++, p.comm);
        to.value(place++, {}, p.bytes, arrow_type::integer);
    }
    to.value(place++, {}, one.update, arrow_type::decimal);
    add_word(to, place++, one.policy);
    add_word(to, place, one.further);
    to.end_row();
}

// Headers

inline constexpr std::array<arrow_field, 14> arrow_header_fields = {{{"file", arrow_type::word},
                                                                     {"policy", arrow_type::word},
                                                                     {"declared_layers", arrow_type::integer},
                                                                     {"layers", arrow_type::integer},
                                                                     {"tensor_parallel", arrow_type::integer},
                                                                     {"expert_parallel", arrow_type::integer},
                                                                     {"pipeline_parallel", arrow_type::integer},
                                                                     {"virtual_pipeline", arrow_type::integer},
                                                                     {"gradient_accumulation", arrow_type::integer},
                                                                     {"all_gpus", arrow_type::integer},
                                                                     {"pipeline_bytes", arrow_type::decimal},
                                                                     {"checkpoints", arrow_type::integers},
                                                                     {"checkpoint_initiates", arrow_type::integers},
                                                                     {"header", arrow_type::word}}};

inline void add_indices(arrow_rows& to, std::size_t place, const workload::index_list& list) {
    if (list.is_missing()) return to.null(place);
    to.list(place, list);
}

// `layers` is the number of layers that follow.
inline void add_row(arrow_rows& to, std::string_view file, const workload::header& head, std::int64_t layers) {
    to.begin_record();
    to.lasting_word(0, file);
    to.word(1, head.policy);
    to.value(2, {}, head.declared_layers, arrow_type::integer);
    to.integer(3, layers);
    to.value(4, {}, head.tensor_parallel(), arrow_type::integer);
    to.value(5, {}, head.expert_parallel(), arrow_type::integer);
    to.value(6, {}, head.pipeline_parallel(), arrow_type::integer);
    to.value(7, {}, head.virtual_pipeline(), arrow_type::integer);
    to.value(8, {}, head.gradient_accumulation(), arrow_type::integer);
    to.value(9, {}, head.all_gpus(), arrow_type::integer);
    to.value(10, {}, head.pipeline_bytes(), arrow_type::decimal);
    add_indices(to, 11, head.checkpoints());
    add_indices(to, 12, head.checkpoint_initiates());
    if (to.has(13)) {
        std::string json;
        if (!json::write(json, head)) json.pop_back();  // the line end
        to.word(13, json);
    }
    to.end_row();
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
