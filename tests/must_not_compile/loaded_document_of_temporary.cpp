// must not compile: deleted
// each FORMAT: oplog workload table
// each CALL: ).text() ).partial() ).operator->() ).operator*()
#include <wlfmt/file.hpp>

bool any() {
#ifdef FIXED
    const auto file = wlfmt::FORMAT::read_file("a.txt");
    return !file.text().empty();
#else
    auto&& part = (wlfmt::FORMAT::read_file("a.txt")CALL;
    return static_cast<bool>(&part);
#endif
}
