// must not compile: deleted
#include <string>
#include <wlfmt/json/read.hpp>

int main() {
    wlfmt::json::texts kept;
    const std::string json = "{}";
#ifdef FIXED
    wlfmt::json::oplog_reader log(json, kept);
#else
    wlfmt::json::oplog_reader log(std::string("{}"), kept);
#endif
    return log.next() == nullptr ? 0 : 1;
}
