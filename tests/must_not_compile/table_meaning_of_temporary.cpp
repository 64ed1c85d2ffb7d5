// must not compile: deleted
#include <string>
#include <wlfmt/table.hpp>

std::string load();

wlfmt::table::column_meaning meaning() {
#ifdef FIXED
    const std::string text = load();
    return wlfmt::table::meaning_of(text);
#else
    return wlfmt::table::meaning_of(load());
#endif
}
