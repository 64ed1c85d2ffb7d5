// must not compile: deleted
// each FORMAT: oplog workload table
// each STRING: std::string std::pmr::string const_string
#include <memory_resource>
#include <string>
#include <wlfmt/FORMAT.hpp>

using const_string = const std::string;
STRING load();

bool readable() {
#ifdef FIXED
    const STRING text = load();
    return wlfmt::FORMAT::read(text).ok();
#else
    return wlfmt::FORMAT::read(load()).ok();
#endif
}
