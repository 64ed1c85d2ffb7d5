// must not compile: deleted
#include <string>
#include <wlfmt/table.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    const wlfmt::table::frame_list frames(text);
#else
    const wlfmt::table::frame_list frames(load());
#endif
    return !frames.empty();
}
