// must not compile: deleted
#include <wlfmt/oplog/stream.hpp>

bool any(wlfmt::oplog::stream& log) {
    const auto op = log.next();
#ifdef FIXED
    const auto& same = op;
#else
    const auto same = op;
#endif
    return static_cast<bool>(same);
}
