// wlfmt/arrow.hpp: the three formats as Arrow record batches, for data frames and databases. Needs no library. Opt-in.
//
//     ArrowArrayStream stream;
//     wlfmt::arrow::request what;
//     what.contents = wlfmt::arrow::contents::sub_operations;
//     what.columns = {"rank", "comm_func", "sub_duration_ms"};
//     wlfmt::arrow::open({{"rank0.txt"}, {"rank1.txt"}}, what, stream);
//     duckdb_arrow_scan(connection, "log", reinterpret_cast<duckdb_arrow_stream>(&stream));
//     stream.release(&stream);
//
// The structs are those of Arrow's C data and C stream interfaces (types/arrow.hpp). columns_of() lists the columns.
// Those that CSV has, too, have the same names and meanings (csv.hpp). The others: `run` is the time in an op log's
// name, which distinguishes repeated runs; `layers`, the number of layers after a header; `header`, the header as JSON
// (docs/formats.md, 6.3). `bytes` is a tensor's number of elements times the size of its dtype, if both are known.
// Texts are UTF-8 in dictionaries, one dictionary for each batch; shapes and checkpoints are lists of int64; times,
// percents and table values are float64 (integers beyond 2^53 are rounded); counts and positions are int64.
//
// A value is null if it is missing, is None, or does not fit its column. The column `none` shows which values are None:
// it lists their columns, joined with commas. `further` holds what fits no column, as a JSON object: keys that have no
// column, and values that are not of their column's type, such as a sentence for a duration, under their own keys. It
// also has each time that is an integer, with all its digits, or nan. (A layer's `further` holds the words after the
// policy instead.) `keys` lists an operation's keys as they are written, if they are not the tracer's or not in its
// order. In tables, an empty cell and `--` are null, and `NaN` is NaN; a column of unknown unit holds numbers if all of
// its cells that have a value are numbers, else texts. Bytes that are not UTF-8 become U+FFFD, with a warning
// (error_kind::not_utf8). Titles and totals have no rows.
#include "version.hpp"

#ifndef WLFMT_ARROW_HPP
#define WLFMT_ARROW_HPP

#include <memory>
#include <utility>
#include <vector>

#include "types/arrow.hpp"

#include "detail/arrow/batch.hpp"
#include "detail/arrow/stream.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace arrow {

// Makes a stream over files and texts, which are read in order, as batches are asked for. Uses memory for the batches
// that the consumer has not released, which it reuses after their release, and for the longest file that is short (256
// KB) or cannot be mapped. open() itself opens no file. The stream owns the inputs, and its consumer releases it; a
// schema or an array lives until it is released itself, in any order, even after the stream. get_schema and get_next
// return 0, or ENOENT if a file cannot be opened, EIO if it cannot be read, EINVAL if it holds something else or a
// column's name is unknown, ECANCELED if request::go_on returned false, or ENOMEM. An error ends the stream once all
// rows before it have been handed out; get_last_error explains it (except ENOMEM), with file, line and column if it is
// an error in a text. The schema of table rows has the columns of all tables, so the first call reads all files.
//
// Use a stream in one thread at a time; different streams may be used in different threads at once. Throws nothing but
// std::bad_alloc; the stream's callbacks throw nothing.
inline void open(std::vector<input> inputs, request request, ArrowArrayStream& stream) {
    detail::make_arrow_stream(std::make_unique<detail::arrow_source>(std::move(inputs), std::move(request)), stream);
}

// Lists a stream's columns in order, with units and meanings; for table rows, those before and after the tables' own.
[[nodiscard]] inline std::vector<column_info> columns_of(contents rows) {
    std::vector<column_info> columns;
    for (const detail::arrow_field& f : detail::arrow_fields_of(rows)) columns.push_back(f.column);
    return columns;
}

}}}  // namespace wlfmt::WLFMT_ABI::arrow

#include "detail/base/config_end.hpp"
#endif
