// must not compile: deleted
#include <string>
#include <wlfmt/oplog.hpp>

std::size_t dimensions(const std::string& size) {
#ifdef FIXED
    const std::string text = "[" + size + "]";
    const wlfmt::oplog::shape shape(text);
#else
    const wlfmt::oplog::shape shape("[" + size + "]");
#endif
    return shape.size();
}
