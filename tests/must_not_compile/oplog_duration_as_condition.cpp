// must not compile: could not convert|not contextually convertible
#include <wlfmt/oplog.hpp>

bool is_measured(const wlfmt::oplog::operation& op) {
#ifdef FIXED
    if (op.duration.has_value()) return true;
#else
    if (op.duration) return true;
#endif
    return false;
}
