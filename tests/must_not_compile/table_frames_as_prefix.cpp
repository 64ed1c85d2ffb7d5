// must not compile: no matching
#include <string_view>
#include <vector>
#include <wlfmt/table.hpp>

wlfmt::table::frame_list frames() {
#ifdef FIXED
    return wlfmt::table::frame_list(std::vector<std::string_view>{"a.py(1): f", "b.py(2): g"});
#else
    return wlfmt::table::frame_list{"a.py(1): f", "b.py(2): g"};
#endif
}
