// must not compile: deleted
#include <wlfmt/table.hpp>

const wlfmt::table::profile profile();

std::size_t count() {
#ifdef FIXED
    const auto one = profile();
    return one.rows().size();
#else
    return profile().rows().size();
#endif
}
