// The former name of wlfmt/json/read.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/from_json.hpp is named wlfmt/json/read.hpp")
#else
#warning "wlfmt/from_json.hpp is named wlfmt/json/read.hpp"
#endif
#include "json/read.hpp"
