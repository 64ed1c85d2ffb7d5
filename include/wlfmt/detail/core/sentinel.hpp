// The end of a walk.
#ifndef WLFMT_DETAIL_CORE_SENTINEL_HPP
#define WLFMT_DETAIL_CORE_SENTINEL_HPP

#include "begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

// What the iterators of lists that are decoded as they are walked are compared with.
struct sentinel {};

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "end.hpp"
#endif
