// must not compile: deleted
#include <string>
#include <wlfmt/table.hpp>

std::string load();

wlfmt::table::unit unit() {
#ifdef FIXED
    const std::string text = load();
    return wlfmt::table::column(text).unit;
#else
    return wlfmt::table::column(load()).unit;
#endif
}
