// must not compile: discards qualifiers|no viable|no match for|const-qualified
#include <wlfmt/workload.hpp>

// The names of a binding are copies of the views: an assignment to one would be lost.
void clear(wlfmt::workload::header& head) {
#ifdef FIXED
    for (wlfmt::workload::entry& e : head.entries.edit()) e.value = "0";
#else
    for (auto& [key, value] : head.entries.edit()) value = "0";
#endif
}
