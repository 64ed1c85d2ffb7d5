// must not compile: no matching (function|constructor)
#include <wlfmt/table.hpp>

void assign(wlfmt::table::cell& c) {
#ifdef FIXED
    c = wlfmt::table::cell("5.000us");
#else
    c = wlfmt::table::cell("1.000us", 5.0);
#endif
}
