// must not compile: deleted
#include <string>
#include <wlfmt/chakra.hpp>

std::string load();

bool traceable(const wlfmt::workload::document& doc) {
#ifdef FIXED
    const std::string text = load();
    return wlfmt::chakra::traces_of(doc, text).ok();
#else
    return wlfmt::chakra::traces_of(doc, load()).ok();
#endif
}
