// must not compile: deleted
#include <string>
#include <wlfmt/stream.hpp>

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
