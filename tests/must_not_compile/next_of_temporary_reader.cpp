// must not compile: deleted
// each FORMAT: oplog workload table
#include <string_view>
#include <wlfmt/FORMAT.hpp>

bool any(std::string_view text) {
#ifdef FIXED
    wlfmt::FORMAT::reader reader(text);
    const auto* record = reader.next();
#else
    const auto* record = wlfmt::FORMAT::reader(text).next();
#endif
    return record != nullptr;
}
