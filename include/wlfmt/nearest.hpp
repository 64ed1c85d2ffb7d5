// The former name of wlfmt/error.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/nearest.hpp is named wlfmt/error.hpp")
#else
#warning "wlfmt/nearest.hpp is named wlfmt/error.hpp"
#endif
#include "error.hpp"
