// The former name of wlfmt/oplog/run.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/run.hpp is named wlfmt/oplog/run.hpp")
#else
#warning "wlfmt/run.hpp is named wlfmt/oplog/run.hpp"
#endif
#include "oplog/run.hpp"
