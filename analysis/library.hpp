// What the analysis takes from the library beyond its public names: to be published, moved here or replaced.
#ifndef WLFMT_ANALYSIS_LIBRARY_HPP
#define WLFMT_ANALYSIS_LIBRARY_HPP

#include <wlfmt/detail/base/characters.hpp>
#include <wlfmt/detail/error/problems.hpp>
#include <wlfmt/detail/io/any_sink.hpp>
#include <wlfmt/detail/io/out.hpp>
#include <wlfmt/detail/json/line.hpp>
#include <wlfmt/detail/oplog/copies.hpp>
#include <wlfmt/detail/oplog/nested.hpp>
#include <wlfmt/detail/oplog/operations.hpp>
#include <wlfmt/detail/workload/policies.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/number.hpp>
#include <wlfmt/oplog.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/table.hpp>
#include <wlfmt/workload.hpp>

#include "order.hpp"

namespace wlfmt::analysis {

using detail::any_sink, detail::append_json, detail::character_start, detail::clock_noise, detail::collective_row, detail::collective_table, detail::communicates_weight_grad, detail::count_characters, detail::element_bytes, detail::error_at, detail::exchange_copies, detail::forward_alone, detail::in_groups, detail::in_millionths, detail::is_printable, detail::is_utf8, detail::json_escaped, detail::json_letters, detail::json_line, detail::json_text, detail::last_bottom_layer, detail::nearest_collective, detail::nested_operations_of, detail::number_follows, detail::operation_facts, detail::operation_kind, detail::oplog_operations, detail::out, detail::phase_row, detail::phase_rows, detail::plain_text, detail::policy_row, detail::policy_table, detail::recomputes, detail::runs_beside, detail::sink_error, detail::tensor_bytes, detail::timed_message, detail::trace_policy, detail::utf8_size, detail::view, detail::visit_attributes, detail::weight_grad_first;

}  // namespace wlfmt::analysis

#endif
