// What the analysis takes from the library beyond its public names.
#ifndef WLFMT_ANALYSIS_LIBRARY_HPP
#define WLFMT_ANALYSIS_LIBRARY_HPP

#include <wlfmt/detail/base/order.hpp>

namespace wlfmt::analysis {

using namespace detail;

}  // namespace wlfmt::analysis

#endif
