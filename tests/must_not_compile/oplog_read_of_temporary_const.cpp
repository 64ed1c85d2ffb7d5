// must not compile: deleted
#include <string>
#include <wlfmt/oplog.hpp>

const std::string load();

bool readable() {
#ifdef FIXED
    const std::string text = load();
    return wlfmt::oplog::read(text).ok();
#else
    return wlfmt::oplog::read(load()).ok();
#endif
}
