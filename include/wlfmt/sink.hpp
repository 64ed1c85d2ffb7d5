// The former name of wlfmt/types/sink.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/sink.hpp is named wlfmt/types/sink.hpp")
#else
#warning "wlfmt/sink.hpp is named wlfmt/types/sink.hpp"
#endif
#include "types/sink.hpp"
