// must not compile: deleted
#include <string>
#include <wlfmt/oplog.hpp>

std::size_t length(const std::string& text, char* buffer) {
#ifdef FIXED
    const std::string whole = text + "\\n";
    return wlfmt::oplog::unescape(whole, buffer).size();
#else
    return wlfmt::oplog::unescape(text + "\\n", buffer).size();
#endif
}
