// wlfmt/csv.hpp: the three formats as CSV (RFC 4180), for spreadsheets, data frames and databases. Opt-in.
//
//     auto log = wlfmt::oplog::read(text);
//     if (auto e = wlfmt::csv::write(std::cout, *log)) return fail(e);                 // a row per operation
//     if (auto e = wlfmt::csv::write_sub_operations(std::cout, *log)) return fail(e);  // a row per nested operation
//
// The first line names the columns, lines end with CR LF, and a field is quoted only where it has to be. The columns:
//
//   operations      record, origin, rank, op, stage_id, batch_id, mg_state, duration_ms, description, group_kind,
//                   input__shape, input__dtype, bytes, input_dimensions, timestamp_ms, sub_operations, further, copy
//   sub-operations  record, rank, op, stage_id, batch_id, index, trace_src_func, sub_duration_ms, sub_timestamp_ms,
//                   sub_input__shape, sub_input__dtype, sub_bytes, sub_input_dimensions, func_name, group, comm_func,
//                   text, further
//   layers          layer, name, dependency, forward_compute, forward_comm, forward_bytes, input_grad_compute,
//                   input_grad_comm, input_grad_bytes, weight_grad_compute, weight_grad_comm, weight_grad_bytes,
//                   update, policy, further
//   rows            table, row, and the columns of all tables, with their unit after the name: `Self CPU (us)`,
//                   `CPU Mem (bytes)`, `Self CPU %`; tables of table::canonical() keep their names
//
// `record`, `index`, `layer`, `table` and `row` count from 0; a nested operation has the `record` of the operation
// around it. `sub_operations` is the number of nested operations, empty if the list is None or missing. `further` holds
// the keys without a column as a JSON object; for layers, the words after the policy. `bytes` is the tensor's size, if
// its shape and type are known, and `input_dimensions` the number of its dimensions. `copy` is 1 for an operation that
// repeats the time of the one before it, else 0: the tracer times a combined exchange once and writes it as a send and
// a receive. Do not add up the times of copies. If several files go into one table, each row begins with the column
// `file`.
//
// Numbers have all their digits; a text in place of a number stays as it is. A missing value and None are both empty,
// as CSV cannot tell them apart; an empty text is `""`. Escapes in nested operations are decoded. Spreadsheets
// compute texts that begin with `=` as formulas: see csv::options. Not in CSV: a workload's header, and a table's
// titles and totals.
#include "version.hpp"

#ifndef WLFMT_CSV_HPP
#define WLFMT_CSV_HPP

#include <vector>

#include "detail/csv/write.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "oplog/copies.hpp"
#include "table.hpp"
#include "types/csv.hpp"
#include "types/sink.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace csv {

// Write whole documents below a line with the columns' names. Return error_kind::cannot_write if the sink fails.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const oplog::document& doc, const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_rows(rows, doc); });
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_sub_operations(Sink&& sink, const oplog::document& doc, const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_sub_operation_rows(rows, doc); });
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const workload::document& doc, const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_rows(rows, doc); });
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const table::document& doc, const options& options = {}) {
    return detail::csv_write(sink, doc, options);
}

// Write the line of column names alone, with or without the column `file`. The functions below then write the rows,
// with their origins, one by one: several files can go into one table.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_operation_names(Sink&& sink, bool with_file, const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_names<oplog::operation>(rows, with_file); });
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_sub_operation_names(Sink&& sink, bool with_file, const options& options = {}) {
    return detail::csv_lines(sink, options,
                             [&](auto& rows) { detail::csv_names<oplog::sub_operation>(rows, with_file); });
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_layer_names(Sink&& sink, bool with_file, const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_names<workload::layer>(rows, with_file); });
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_row_names(Sink&& sink, const std::vector<table::column>& columns, bool with_file,
                                      const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_row_names(rows, columns, with_file); });
}

// Adds the table's columns that `columns` lacks. The n-th column of a name is taken to be the n-th of that name there.
inline void add_columns(std::vector<table::column>& columns, const table::profile& table) {
    detail::csv_add_columns(columns, table);
}

template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_row(Sink&& sink, const oplog::operation& op, const origin& from,
                                const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_row(rows, from, op); });
}
// Writes a row per nested operation. If a list cannot be read to its end, the rest has no row and is not counted.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_sub_operation_rows(Sink&& sink, const oplog::operation& op, const origin& from,
                                               const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_sub_operation_rows(rows, from, op); });
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_row(Sink&& sink, const workload::layer& layer, const origin& from,
                                const options& options = {}) {
    return detail::csv_lines(sink, options, [&](auto& rows) { detail::csv_row(rows, from, layer); });
}
// Writes a table's rows under the given columns, which may be those of several tables. If the table has a column that
// is not among them, writes nothing: error_kind::unknown_member. Cells of columns that the table lacks are empty. The
// n-th column of a name is written under the n-th of that name.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_rows(Sink&& sink, const table::profile& table, const std::vector<table::column>& columns,
                                 const origin& from, const options& options = {}) {
    return detail::csv_table_rows(sink, table, columns, from, options);
}

}}}  // namespace wlfmt::WLFMT_ABI::csv

#include "detail/base/config_end.hpp"
#endif
