// must not compile: no matching function
#include <string>
#include <wlfmt/error.hpp>

std::string say(const wlfmt::problem& e, std::string_view text) {
#ifdef FIXED
    return wlfmt::explain(e, text, wlfmt::in_file("moe.txt"));
#else
    return wlfmt::explain(e, wlfmt::in_file("moe.txt"), text);
#endif
}
