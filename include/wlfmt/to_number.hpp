// The former name of wlfmt/number.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/to_number.hpp is named wlfmt/number.hpp")
#else
#warning "wlfmt/to_number.hpp is named wlfmt/number.hpp"
#endif
#include "number.hpp"
