// must not compile: deleted
#include <string>
#include <wlfmt/table.hpp>

std::string load();

bool readable() {
#ifdef FIXED
    const std::string text = load();
    return wlfmt::table::read(text).ok();
#else
    return wlfmt::table::read(load()).ok();
#endif
}
