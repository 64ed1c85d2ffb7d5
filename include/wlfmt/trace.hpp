// The former name of wlfmt/timeline.hpp. The next version no longer has this header.
#if defined(_MSC_VER) && !defined(__clang__)
#pragma message("wlfmt/trace.hpp is named wlfmt/timeline.hpp")
#else
#warning "wlfmt/trace.hpp is named wlfmt/timeline.hpp"
#endif
#include "timeline.hpp"

namespace wlfmt {
namespace trace = timeline;
}
