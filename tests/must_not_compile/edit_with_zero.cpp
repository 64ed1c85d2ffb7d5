// must not compile: deleted
#include <wlfmt/edit.hpp>

void clear(wlfmt::edits& changes, const wlfmt::workload::layer& layer) {
#ifdef FIXED
    changes.replace(where(layer, "update"), "0");
#else
    changes.replace(where(layer, "update"), 0);
#endif
}
