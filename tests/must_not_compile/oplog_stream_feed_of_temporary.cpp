// must not compile: deleted
#include <string>
#include <wlfmt/oplog/stream.hpp>

std::string load();

void feed(wlfmt::oplog::stream& log) {
#ifdef FIXED
    const std::string chunk = load();
    log.feed(chunk);
    while (log.next()) continue;
#else
    log.feed(load());
#endif
}
