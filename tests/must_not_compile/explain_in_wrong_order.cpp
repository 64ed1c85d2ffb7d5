// must not compile: no matching function
#include <string>
#include <wlfmt/error.hpp>

std::string refuse(std::string_view place, std::string_view text) {
#ifdef FIXED
    return wlfmt::explain(wlfmt::at_place(place), wlfmt::with_message("too long"), text, wlfmt::in_file("log.txt"));
#else
    return wlfmt::explain(wlfmt::with_message("too long"), wlfmt::at_place(place), wlfmt::in_file(text),
                          wlfmt::in_file("log.txt"));
#endif
}
