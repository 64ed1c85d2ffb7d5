// wlfmt/types.hpp: what programs pass around (numbers, errors, records, lists, documents), and nothing that reads or
// writes it. For headers that name these types, at half the cost of wlfmt.hpp.
//
//     #include <wlfmt/types.hpp>
//     class simulator {
//         explicit simulator(const wlfmt::workload::document& layers);
//     };
//
// A source that looks into a text, for example by iterating over a list that was read or by find(), also includes the
// header of the format (oplog.hpp, workload.hpp, table.hpp): without it, the linker finds no such function.
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
