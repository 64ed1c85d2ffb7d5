// must not compile: deleted
// each LITERAL: 0 NULL nullptr
#include <cstddef>
#include <wlfmt/oplog.hpp>

bool is_empty(const wlfmt::oplog::operation& op) {
#ifdef FIXED
    return op.op == "" && op.op != "a" && "b" != op.op && "c" == op.op;
#else
    return op.op == LITERAL || op.op != LITERAL || LITERAL == op.op || LITERAL != op.op;
#endif
}
