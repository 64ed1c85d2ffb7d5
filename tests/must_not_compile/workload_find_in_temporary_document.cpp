// must not compile: deleted
#include <string_view>
#include <wlfmt/workload.hpp>

wlfmt::workload::document load();

bool any(std::string_view name) {
#ifdef FIXED
    const auto doc = load();
    const auto* layer = doc.find(name);
#else
    const auto* layer = load().find(name);
#endif
    return layer != nullptr;
}
