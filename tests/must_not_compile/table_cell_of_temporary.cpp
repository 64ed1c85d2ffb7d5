// must not compile: deleted
#include <string>
#include <wlfmt/table.hpp>

std::string load();

std::size_t size() {
#ifdef FIXED
    const std::string text = load();
    return wlfmt::table::cell(text).text().size();
#else
    return wlfmt::table::cell(load()).text().size();
#endif
}
