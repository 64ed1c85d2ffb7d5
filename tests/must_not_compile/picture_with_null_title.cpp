// must not compile: deleted
#include <string>
#include <wlfmt/plot.hpp>

bool draw(std::string& to, const wlfmt::workload::document& doc) {
#ifdef FIXED
    return !wlfmt::plot::write(to, doc, {});
#else
    return !wlfmt::plot::write(to, doc, nullptr);
#endif
}
