// What the analysis takes from the library beyond its public names.
#ifndef WLFMT_ANALYSIS_LIBRARY_HPP
#define WLFMT_ANALYSIS_LIBRARY_HPP

#include <wlfmt/detail/base/characters.hpp>
#include <wlfmt/detail/base/order.hpp>
#include <wlfmt/detail/base/ordered_map.hpp>
#include <wlfmt/detail/base/scan.hpp>
#include <wlfmt/detail/base/text_slots.hpp>
#include <wlfmt/detail/error/problems.hpp>
#include <wlfmt/detail/io/any_sink.hpp>
#include <wlfmt/detail/io/out.hpp>
#include <wlfmt/detail/json/line.hpp>
#include <wlfmt/detail/number/write.hpp>
#include <wlfmt/detail/oplog/copies.hpp>
#include <wlfmt/detail/oplog/files.hpp>
#include <wlfmt/detail/oplog/nested.hpp>
#include <wlfmt/detail/oplog/operations.hpp>
#include <wlfmt/detail/table/cell.hpp>
#include <wlfmt/detail/workload/policies.hpp>

namespace wlfmt::analysis {

using namespace detail;

}  // namespace wlfmt::analysis

#endif
