// The former name of wlfmt/types/sink.hpp, which goes with the next version.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/sink.hpp is named wlfmt/types/sink.hpp")
#else
#warning "wlfmt/sink.hpp is named wlfmt/types/sink.hpp"
#endif
#include "types/sink.hpp"
