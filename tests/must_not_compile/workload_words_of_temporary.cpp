// must not compile: deleted
#include <string>
#include <wlfmt/workload.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    const wlfmt::workload::words words(text);
#else
    const wlfmt::workload::words words(load());
#endif
    return !words.empty();
}
