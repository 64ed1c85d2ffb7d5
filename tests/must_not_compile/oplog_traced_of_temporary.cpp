// must not compile: deleted
#include <string>
#include <wlfmt/oplog.hpp>

wlfmt::oplog::operation step(const std::string& name) {
#ifdef FIXED
    return wlfmt::oplog::operation::traced(3, name);
#else
    return wlfmt::oplog::operation::traced(3, name + "_step");
#endif
}
