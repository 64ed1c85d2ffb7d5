// must not compile: deleted
// each FORMAT: oplog workload table
// each STRING: std::string std::pmr::string const_string
#include <memory_resource>
#include <string>
#include <wlfmt/FORMAT.hpp>

using const_string = const std::string;
STRING load();

bool any() {
#ifdef FIXED
    const STRING text = load();
    wlfmt::FORMAT::reader reader(text);
#else
    wlfmt::FORMAT::reader reader(load());
#endif
    return reader.next() != nullptr;
}
