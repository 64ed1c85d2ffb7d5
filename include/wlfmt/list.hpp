// The former name of wlfmt/types/list.hpp, which goes with the next version.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/list.hpp is named wlfmt/types/list.hpp")
#else
#warning "wlfmt/list.hpp is named wlfmt/types/list.hpp"
#endif
#include "types/list.hpp"
