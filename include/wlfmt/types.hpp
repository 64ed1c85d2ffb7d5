// wlfmt/types.hpp: what a program passes around, and nothing that reads or writes it: numbers, errors, records, lists,
// documents. For headers that name these types; it costs half of what wlfmt.hpp does.
//
//     #include <wlfmt/types.hpp>
//     class simulator {
//         explicit simulator(const wlfmt::workload::document& layers);
//     };
//
// A source that looks into a text, for example by walking a list that was read or by find(), includes the header of the
// format (wlfmt/oplog.hpp, wlfmt/workload.hpp, wlfmt/table.hpp) as well: without it, the linker finds no such function.
#include "version.hpp"

#ifndef WLFMT_TYPES_HPP
#define WLFMT_TYPES_HPP

#include "types/error.hpp"
#include "types/list.hpp"
#include "types/number.hpp"
#include "types/oplog.hpp"
#include "types/table.hpp"
#include "types/workload.hpp"

#endif
