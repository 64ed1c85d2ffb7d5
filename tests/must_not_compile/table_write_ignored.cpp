// must not compile: nodiscard
#pragma GCC diagnostic error "-Wunused-result"
#include <string>
#include <wlfmt/table.hpp>

void save(std::string& to, const wlfmt::table::profile& one) {
#ifdef FIXED
    if (wlfmt::table::write(to, one)) to.clear();
#else
    wlfmt::table::write(to, one);
#endif
}
