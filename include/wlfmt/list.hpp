// The former name of wlfmt/types/list.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/list.hpp is named wlfmt/types/list.hpp")
#else
#warning "wlfmt/list.hpp is named wlfmt/types/list.hpp"
#endif
#include "types/list.hpp"
