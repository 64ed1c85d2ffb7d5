// The former name of wlfmt/number.hpp, which goes with the next version.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/list.hpp is named wlfmt/number.hpp")
#else
#warning "wlfmt/list.hpp is named wlfmt/number.hpp"
#endif
#include "number.hpp"
