// What a column of a table is called where its values are numbers of one unit.
#ifndef WLFMT_DETAIL_CSV_HEADING_HPP
#define WLFMT_DETAIL_CSV_HEADING_HPP

#include <string>

#include "../../types/table.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

inline std::string csv_heading(const table::column& c) {
    std::string name(c.name);
    if (c.unit == table::unit::microseconds) name += " (us)";
    if (c.unit == table::unit::bytes) name += " (bytes)";
    return name;
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
