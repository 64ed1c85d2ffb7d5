// The name of a column of a table whose values are numbers of one unit.
#ifndef WLFMT_DETAIL_CSV_HEADING_HPP
#define WLFMT_DETAIL_CSV_HEADING_HPP

#include <string>

#include "../../types/table.hpp"
#include "../table/schema.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

inline std::string csv_heading(const table::column& c) { return std::string(c.name).append(row_of(c.unit).heading); }

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
