// must not compile: deleted
// each FRAMES: list(load()) list({load()}) list{load(),load()} list::from_text(load())
#include <string>
#include <wlfmt/table.hpp>

using list = wlfmt::table::frame_list;
std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    return !list({text}).empty();
#else
    return !FRAMES.empty();
#endif
}
