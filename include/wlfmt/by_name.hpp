// The former name of wlfmt/table/by_name.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/by_name.hpp is named wlfmt/table/by_name.hpp")
#else
#warning "wlfmt/by_name.hpp is named wlfmt/table/by_name.hpp"
#endif
#include "table/by_name.hpp"
