// The former name of wlfmt/json/read.hpp, which goes with the next version.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/from_json.hpp is named wlfmt/json/read.hpp")
#else
#warning "wlfmt/from_json.hpp is named wlfmt/json/read.hpp"
#endif
#include "json/read.hpp"
