// The former name of wlfmt/oplog/answers.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/answers.hpp is named wlfmt/oplog/answers.hpp")
#else
#warning "wlfmt/answers.hpp is named wlfmt/oplog/answers.hpp"
#endif
#include "oplog/answers.hpp"
