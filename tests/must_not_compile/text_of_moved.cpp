// must not compile: deleted
#include <string>
#include <utility>
#include <wlfmt/oplog.hpp>

void describe(wlfmt::oplog::operation& op, std::string& words) {
#ifdef FIXED
    op.description = words;
#else
    op.description = std::move(words);
#endif
}
