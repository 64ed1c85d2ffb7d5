// must not compile: deleted
#include <string_view>
#include <wlfmt/workload.hpp>

bool any(std::string_view text) {
#ifdef FIXED
    wlfmt::workload::reader file(text);
    const auto* layer = file.next();
#else
    const auto* layer = wlfmt::workload::reader(text).next();
#endif
    return layer != nullptr;
}
