// The former name of wlfmt/oplog/pieces.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/pieces.hpp is named wlfmt/oplog/pieces.hpp")
#else
#warning "wlfmt/pieces.hpp is named wlfmt/oplog/pieces.hpp"
#endif
#include "oplog/pieces.hpp"
