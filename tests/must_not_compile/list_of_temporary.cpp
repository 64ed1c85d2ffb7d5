// must not compile: deleted
// each LIST: workload::index_list workload::words
#include <string>
#include <wlfmt/wlfmt.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    const wlfmt::LIST list(text);
#else
    const wlfmt::LIST list(load());
#endif
    return !list.empty();
}
