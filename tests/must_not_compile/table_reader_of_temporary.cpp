// must not compile: deleted
#include <string>
#include <wlfmt/table.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    wlfmt::table::reader tables(text);
#else
    wlfmt::table::reader tables(load());
#endif
    return tables.next() != nullptr;
}
