// wlfmt/json.hpp: the interchange form of the three formats, JSON Lines: one object a line, keys in the file's order.
// Not included by wlfmt.hpp. The form is specified in docs/formats.md, section 4.
//
//     {"rank":7,"op":"forward_step","stage_id":1,"batch_id":0,"mg_state":null,"duration":8.3,...}
//
// None is null, integers and decimals are numbers, shapes are arrays, sub-operations are objects; nan and inf stay
// text. Valid UTF-8 stays as it is; a byte that is none is written as the lone surrogate \udcXX, as Python does.
#ifndef WLFMT_JSON_HPP
#define WLFMT_JSON_HPP

#include "oplog.hpp"
#include "table.hpp"
#include "workload.hpp"

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace json {

// Each appends lines, their ends with them, to a std::string or to anything with append(const char*, std::size_t).

// One operation: one line.
template <class Sink>
void write(Sink& sink, const oplog::operation& op);
template <class Sink>
void write(Sink& sink, const oplog::document& doc);

// {"policy":...,"header":{...},"declared_layers":...}: the first line of a workload file.
template <class Sink>
void write(Sink& sink, const workload::header& head);
// One layer: one line.
template <class Sink>
void write(Sink& sink, const workload::layer& one);
template <class Sink>
void write(Sink& sink, const workload::document& doc);

// {"columns":[...],"totals":{...}}, then a line a row.
template <class Sink>
void write(Sink& sink, const table::summary& one);
// The tables one after the other.
template <class Sink>
void write(Sink& sink, const table::document& doc);

}  // namespace json
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/core/end.hpp"

#include "detail/json/write.hpp"
#endif
