// must not compile: deleted
#include <cstddef>
#include <string>
#include <wlfmt/workload.hpp>

std::size_t names(const std::string& text) {
    std::size_t size = 0;
#ifdef FIXED
    const auto read = wlfmt::workload::read(text);
    for (const auto& layer : read->layers) size += layer.name.size();
#else
    for (const auto& layer : wlfmt::workload::read(text)->layers) size += layer.name.size();
#endif
    return size;
}
