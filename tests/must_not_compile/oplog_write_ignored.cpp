// must not compile: nodiscard
// flags: -Werror
#include <string>
#include <wlfmt/oplog.hpp>

std::string line(const wlfmt::oplog::operation& op) {
    std::string text;
#ifdef FIXED
    if (wlfmt::oplog::write(text, op)) return {};
#else
    wlfmt::oplog::write(text, op);
#endif
    return text;
}
