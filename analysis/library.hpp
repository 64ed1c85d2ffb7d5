// What the analysis takes from the library beyond its public names: to be published, moved here or replaced.
#ifndef WLFMT_ANALYSIS_LIBRARY_HPP
#define WLFMT_ANALYSIS_LIBRARY_HPP

#include <wlfmt/detail/base/characters.hpp>
#include <wlfmt/detail/base/order.hpp>
#include <wlfmt/detail/base/ordered_map.hpp>
#include <wlfmt/detail/base/scan.hpp>
#include <wlfmt/detail/base/text_slots.hpp>
#include <wlfmt/detail/error/problems.hpp>
#include <wlfmt/detail/io/any_sink.hpp>
#include <wlfmt/detail/io/out.hpp>
#include <wlfmt/detail/json/line.hpp>
#include <wlfmt/detail/number/write.hpp>
#include <wlfmt/detail/oplog/copies.hpp>
#include <wlfmt/detail/oplog/files.hpp>
#include <wlfmt/detail/oplog/nested.hpp>
#include <wlfmt/detail/oplog/operations.hpp>
#include <wlfmt/detail/table/cell.hpp>
#include <wlfmt/detail/workload/policies.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/oplog.hpp>
#include <wlfmt/table.hpp>
#include <wlfmt/workload.hpp>

namespace wlfmt::analysis {

using detail::any_sink, detail::append_json, detail::bits_of, detail::character_start, detail::clock_noise,
    detail::collective_row, detail::collective_table, detail::communicates_weight_grad, detail::count_characters,
    detail::element_bytes, detail::error_at, detail::exchange_copies, detail::facts_in, detail::forward_alone,
    detail::hash_of, detail::highest_bit, detail::in_groups, detail::in_millionths, detail::is_finite,
    detail::is_missing_cell, detail::is_printable, detail::is_utf8, detail::joined_sets, detail::json_escaped,
    detail::json_letters, detail::json_line, detail::json_text, detail::last_bottom_layer, detail::low_median,
    detail::max_fixed_chars, detail::max_integer_chars, detail::max_repr_chars, detail::nearest_collective,
    detail::nested_operations_of, detail::no_break_space, detail::number_follows, detail::number_of,
    detail::number_range, detail::operation_facts, detail::operation_kind, detail::oplog_operations,
    detail::ordered_map, detail::out, detail::phase_row, detail::phase_rows, detail::plain_text, detail::policy_row,
    detail::policy_table, detail::positions_of, detail::printed_unit, detail::put_spaces, detail::recomputes,
    detail::run_name, detail::runs_beside, detail::same_text, detail::sink_error, detail::sort_list,
    detail::sort_to_low_median, detail::table_columns, detail::tensor_bytes, detail::text_slots, detail::time_in,
    detail::time_units, detail::timed_message, detail::trace_policy, detail::unit_for, detail::utf8_size, detail::view,
    detail::visit_attributes, detail::weight_grad_first, detail::write_digits, detail::write_fixed,
    detail::write_integer, detail::write_repr;

}  // namespace wlfmt::analysis

#endif
