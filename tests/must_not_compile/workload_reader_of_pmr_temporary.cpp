// must not compile: deleted
#include <memory_resource>
#include <string>
#include <wlfmt/workload.hpp>

std::pmr::string load();

bool any() {
#ifdef FIXED
    const std::pmr::string text = load();
    wlfmt::workload::reader file(text);
#else
    wlfmt::workload::reader file(load());
#endif
    return file.next() != nullptr;
}
