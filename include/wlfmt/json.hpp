// wlfmt/json.hpp: the interchange form of the three formats, JSON Lines: one object per line, keys in the file's order.
// Not included by wlfmt.hpp. docs/formats.md, section 6, specifies the form.
//
//     {"rank":7,"op":"forward_step","stage_id":1,"batch_id":0,"mg_state":null,"duration":8.3,...}
//
// None is null, integers and decimals are numbers, shapes are arrays, sub-operations are objects; nan and inf stay
// text. Valid UTF-8 stays as it is; any other byte is written as the lone surrogate \udcXX, as Python does.
// The form carries values: integers without a point, decimals with a point or an exponent, as Python prints them. It
// does not carry a text's layout, such as the width of a column or the missing colon of a header's key.
#include "version.hpp"

#ifndef WLFMT_JSON_HPP
#define WLFMT_JSON_HPP

#include "detail/json/write.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "table.hpp"
#include "types/sink.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace json {

// Each function writes whole lines to a sink (sink.hpp); error_kind::cannot_write if the sink failed.

// One line per operation. If a list of sub-operations cannot be read to its end, the rest (`damaged`) has no form in
// JSON: the record is written without it, and the error is error_kind::unwritable with the field "sub_operations"; for
// a document, problem::found is the position of the first such operation.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const oplog::operation& op) {
    return detail::json_writing::write(detail::any_sink(sink), op);
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const oplog::document& doc) {
    return detail::json_writing::write(detail::any_sink(sink), doc);
}

// The first line of a workload file is {"policy":...,"header":{...},"declared_layers":...}; then a line per layer.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const workload::header& head) {
    return detail::json_writing::write(detail::any_sink(sink), head);
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const workload::layer& layer) {
    return detail::json_writing::write(detail::any_sink(sink), layer);
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const workload::document& doc) {
    return detail::json_writing::write(detail::any_sink(sink), doc);
}

// The first line of a table is {"columns":[...],"totals":{...}}; then a line per row. Tables follow one another.
// Allocates a text for each column.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const table::profile& table) {
    return detail::json_writing::write(detail::any_sink(sink), table);
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const table::document& doc) {
    return detail::json_writing::write(detail::any_sink(sink), doc);
}

// Writes a program's own object as a line. `fill(line)` writes each key and its value: line.key("ms").decimal(8.3), or
// string(), integer(), boolean(), null(), or the values between line.open('[') and line.close(']').
template <class Sink, class Fill, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_object(Sink&& sink, const Fill& fill) {
    return detail::json_object(detail::any_sink(sink), fill);
}

}}}  // namespace wlfmt::WLFMT_ABI::json

#include "detail/base/config_end.hpp"
#endif
