// must not compile: deleted
#include <string>
#include <wlfmt/workload.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    wlfmt::workload::reader file(text);
#else
    wlfmt::workload::reader file(load());
#endif
    return file.next() != nullptr;
}
