// must not compile: nodiscard
#pragma GCC diagnostic error "-Wunused-result"
#include <string>
#include <wlfmt/workload.hpp>

void save(std::string& to, const wlfmt::workload::document& one) {
#ifdef FIXED
    if (wlfmt::workload::write(to, one)) to.clear();
#else
    wlfmt::workload::write(to, one);
#endif
}
