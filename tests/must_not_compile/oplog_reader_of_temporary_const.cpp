// must not compile: deleted
#include <string>
#include <wlfmt/oplog.hpp>

const std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    wlfmt::oplog::reader log(text);
#else
    wlfmt::oplog::reader log(load());
#endif
    return log.next() != nullptr;
}
