// The former name of wlfmt/oplog/pieces.hpp, which goes with the next version.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/pieces.hpp is named wlfmt/oplog/pieces.hpp")
#else
#warning "wlfmt/pieces.hpp is named wlfmt/oplog/pieces.hpp"
#endif
#include "oplog/pieces.hpp"
