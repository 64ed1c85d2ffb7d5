// must not compile: deleted
#include <string_view>
#include <wlfmt/table.hpp>

bool any(std::string_view text) {
#ifdef FIXED
    wlfmt::table::reader tables(text);
    const auto* row = tables.next();
#else
    const auto* row = wlfmt::table::reader(text).next();
#endif
    return row != nullptr;
}
