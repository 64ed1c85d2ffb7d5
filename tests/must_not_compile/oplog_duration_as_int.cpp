// must not compile: cannot convert|no viable conversion
#include <wlfmt/oplog.hpp>

int milliseconds(const wlfmt::oplog::operation& op) {
#ifdef FIXED
    return op.duration.as<int>().value_or(0);
#else
    return op.duration;
#endif
}
