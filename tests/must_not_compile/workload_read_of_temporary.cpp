// must not compile: deleted
#include <string>
#include <wlfmt/workload.hpp>

std::string load();

bool readable() {
#ifdef FIXED
    const std::string text = load();
    return wlfmt::workload::read(text).ok();
#else
    return wlfmt::workload::read(load()).ok();
#endif
}
