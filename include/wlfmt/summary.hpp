// The former name of wlfmt/oplog/summary.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/summary.hpp is named wlfmt/oplog/summary.hpp")
#else
#warning "wlfmt/summary.hpp is named wlfmt/oplog/summary.hpp"
#endif
#include "oplog/summary.hpp"
