// must not compile: deleted
#include <memory_resource>
#include <string>
#include <wlfmt/oplog.hpp>

std::pmr::string load();

bool any() {
#ifdef FIXED
    const std::pmr::string text = load();
    wlfmt::oplog::reader log(text);
#else
    wlfmt::oplog::reader log(load());
#endif
    return log.next() != nullptr;
}
