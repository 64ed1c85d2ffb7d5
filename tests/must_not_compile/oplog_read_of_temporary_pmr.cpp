// must not compile: deleted
#include <memory_resource>
#include <string>
#include <wlfmt/oplog.hpp>

std::pmr::string load();

bool readable() {
#ifdef FIXED
    const std::pmr::string text = load();
    return wlfmt::oplog::read(text).ok();
#else
    return wlfmt::oplog::read(load()).ok();
#endif
}
