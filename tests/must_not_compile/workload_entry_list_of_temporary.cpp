// must not compile: deleted
#include <string>
#include <wlfmt/workload.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    const wlfmt::workload::entry_list entries(text, "DATA");
#else
    const wlfmt::workload::entry_list entries(load(), "DATA");
#endif
    return !entries.empty();
}
