// must not compile: deleted
#include <string>
#include <wlfmt/error.hpp>

std::string load();

bool is_near(std::string_view wrong) {
    wlfmt::nearest_word near(wrong);
#ifdef FIXED
    const std::string known = load();
    near.offer(known);
#else
    near.offer(load());
#endif
    return near.number() != 0;
}
