// must not compile: deleted
#include <string_view>
#include <wlfmt/oplog.hpp>

bool any(std::string_view text) {
#ifdef FIXED
    wlfmt::oplog::reader log(text);
    const auto* operation = log.next();
#else
    const auto* operation = wlfmt::oplog::reader(text).next();
#endif
    return operation != nullptr;
}
