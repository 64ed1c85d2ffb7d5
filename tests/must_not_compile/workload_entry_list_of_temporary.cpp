// must not compile: deleted
#include <string>
#include <wlfmt/workload.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    const wlfmt::workload::entry_list entries = wlfmt::workload::entry_list::from_text(text, "DATA");
#else
    const wlfmt::workload::entry_list entries = wlfmt::workload::entry_list::from_text(load(), "DATA");
#endif
    return !entries.empty();
}
