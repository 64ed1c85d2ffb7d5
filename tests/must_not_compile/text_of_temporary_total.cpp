// must not compile: deleted
#include <string>
#include <wlfmt/table.hpp>

void name_the_total(wlfmt::table::total& total, const std::string& device) {
#ifdef FIXED
    static const std::string name = device + " time total";
    total.name = name;
#else
    total.name = device + " time total";
#endif
}
