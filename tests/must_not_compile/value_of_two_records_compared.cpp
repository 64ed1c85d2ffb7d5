// must not compile: no match for|invalid operands
#include <wlfmt/oplog.hpp>

bool is_same_stage(const wlfmt::oplog::operation& a, const wlfmt::oplog::operation& b) {
#ifdef FIXED
    return a.find("stage_id").number() == b.find("stage_id").number();
#else
    return a.find("stage_id") == b.find("stage_id");
#endif
}
