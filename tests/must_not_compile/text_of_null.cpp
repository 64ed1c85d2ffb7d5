// must not compile: no match for|no viable overloaded|ambiguous
#include <wlfmt/oplog.hpp>

void forget_the_group(wlfmt::oplog::operation& op) {
#ifdef FIXED
    op.group_kind = {};
#else
    op.group_kind = nullptr;
#endif
}
