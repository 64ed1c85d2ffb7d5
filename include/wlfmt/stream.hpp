// The former name of wlfmt/oplog/stream.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/stream.hpp is named wlfmt/oplog/stream.hpp")
#else
#warning "wlfmt/stream.hpp is named wlfmt/oplog/stream.hpp"
#endif
#include "oplog/stream.hpp"
