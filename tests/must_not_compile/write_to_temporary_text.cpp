// must not compile: no matching function|no type named
// each FORMAT: oplog workload table
#include <string>
#include <wlfmt/FORMAT.hpp>

bool save(const wlfmt::FORMAT::document& doc) {
    std::string text;
#ifdef FIXED
    return !wlfmt::FORMAT::write(text, doc);
#else
    return !wlfmt::FORMAT::write(std::string(), doc);
#endif
}
