// must not compile: deleted
#include <wlfmt/oplog/stream.hpp>

wlfmt::oplog::kept_operations keep();

const wlfmt::oplog::document& all() {
#ifdef FIXED
    static const wlfmt::oplog::kept_operations kept = keep();
    return kept.operations();
#else
    return keep().operations();
#endif
}
