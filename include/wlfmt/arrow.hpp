// wlfmt/arrow.hpp: the three formats as streams of Arrow record batches, which data frames and databases take as they
// are. Needs no library. Not included by wlfmt.hpp.
//
//     ArrowArrayStream stream;
//     wlfmt::arrow::request what;
//     what.of = wlfmt::arrow::contents::sub_operations;
//     what.columns = {"rank", "comm_func", "sub_duration_ms"};
//     wlfmt::arrow::open({{"rank0.txt"}, {"rank1.txt"}}, what, stream);
//     duckdb_arrow_scan(connection, "log", reinterpret_cast<duckdb_arrow_stream>(&stream));
//     stream.release(&stream);
//
// The structs are those of the Arrow C data interface and C stream interface (types/arrow.hpp). The columns
// are those of columns_of(), with the names that they have in CSV (csv.hpp); rows of tables have those of all tables
// between them, with their unit after the name (`Self CPU (us)`, `CPU Mem (bytes)`, `Self CPU %`).
//
// Texts are UTF-8 in dictionaries, one dictionary for each batch; shapes and checkpoints are lists of int64; times,
// percents and table values are float64 (an integer beyond 2^53 becomes the nearest one), everything that counts is
// int64. `run`, which CSV lacks, is the time in the name of an op log, of which repeated runs have different ones.
// `record`, `index`, `layer`, `table` and `row` count from 0. `bytes` is the size of a tensor: its shape times
// the size of its dtype, where both are known. `sub_operations` is the number of nested operations, `layers` the number
// of layers that follow a header, `header` the header as JSON (docs/formats.md, 4.2).
//
// Null is what is missing, None, or has no place in its column. `none` tells None from what is missing: the columns in
// whose place the record has None, joined with commas. What has no place is in `further`, a JSON object: the keys that
// have no column, and under its own key what is not of its column's type, such as a sentence in place of a duration
// (not for layers, whose `further` holds the words after the policy). In tables an empty cell and `--` are null, and
// `NaN` is NaN.
//
// Bytes that are not UTF-8 are shown as U+FFFD, which is a warning (error_kind::not_utf8). The titles and totals of
// tables have no rows.
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

namespace wlfmt { inline namespace WLFMT_ABI { namespace arrow { inline namespace WLFMT_IMPL {
inline namespace WLFMT_FILES {

// Makes a stream over files and texts, which are read in their order, as the batches are asked for: memory for the
// batches that the consumer has not released, which serves again once it has, and for the longest file that is short
// (256 KB) or cannot be mapped. Opens no file. The stream owns the inputs, and its consumer releases it; every schema
// and every array lives until it is released itself, in any order, also after the stream.
//
// get_schema and get_next return 0, or ENOENT if a file cannot be opened, EIO if it cannot be read, EINVAL if it holds
// something else (get_last_error then explains it with file, line and column), ECANCELED where request::go_on wants it,
// or ENOMEM, after which the stream has nothing more. All rows before an error of a file are handed out first. An
// unknown name among the columns is EINVAL. The schema of table rows is that of all their headers: the first call looks
// through all files.
//
// A stream is used by one thread at a time, different streams by different threads at once. Throws nothing but
// std::bad_alloc, and the callbacks of the stream throw nothing.
inline void open(std::vector<input> from, request what, ArrowArrayStream& to) {
    detail::make_arrow_stream(std::make_unique<detail::arrow_source>(std::move(from), std::move(what)), to);
}

// The columns of a stream in their order, with their units and what they hold. Of the rows of tables, whose columns are
// the tables' own, those that come before and after them.
[[nodiscard]] inline std::vector<column_info> columns_of(contents of) {
    std::vector<column_info> all;
    for (const detail::arrow_field& f : detail::arrow_fields_of(of)) all.push_back(f.column);
    return all;
}

}}}}}  // namespace wlfmt::WLFMT_ABI::arrow::WLFMT_IMPL::WLFMT_FILES

#include "detail/base/config_end.hpp"
#endif
