// must not compile: (deleted|ambiguous)
#include <wlfmt/oplog/stream.hpp>

double duration(wlfmt::oplog::stream& log) {
    const auto op = log.next();
#ifdef FIXED
    const wlfmt::oplog::operation& shown = op;
#else
    const wlfmt::oplog::operation shown = op;
#endif
    return shown.duration.value_or(0.0);
}
