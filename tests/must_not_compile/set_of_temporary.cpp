// must not compile: deleted|no matching
// each RECORD: oplog::operation oplog::sub_operation workload::header
#include <string>
#include <wlfmt/oplog.hpp>
#include <wlfmt/workload.hpp>

bool renumber(wlfmt::RECORD& record, int n) {
#ifdef FIXED
    return record.set("duration", n);
#else
    return record.set("duration", std::to_string(n));
#endif
}
