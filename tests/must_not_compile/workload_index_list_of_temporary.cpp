// must not compile: deleted
#include <string>
#include <wlfmt/workload.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    const wlfmt::workload::index_list indices(text);
#else
    const wlfmt::workload::index_list indices(load());
#endif
    return !indices.empty();
}
