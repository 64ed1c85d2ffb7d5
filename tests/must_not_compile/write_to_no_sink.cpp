// must not compile: wlfmt: this is not a sink. Pass a std::string, a std::ostream, a std::FILE*
#include <string>
#include <wlfmt/workload.hpp>

bool written(const wlfmt::workload::document& doc) {
#ifdef FIXED
    std::string to;
#else
    int to = 0;
#endif
    return !wlfmt::workload::write(to, doc);
}
