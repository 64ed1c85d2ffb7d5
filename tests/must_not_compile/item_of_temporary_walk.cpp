// must not compile: deleted|discards qualifiers|is an rvalue
// each ITEM: op.sub_operations.begin()->duration head.entries.begin()->value op.attributes.begin()->key
// op.sub_operations.only<wlfmt::oplog::fields::duration>().begin()->duration row.frames.begin()->data()
#include <wlfmt/wlfmt.hpp>

bool look(const wlfmt::oplog::operation& op, const wlfmt::workload::header& head, const wlfmt::table::row& row) {
#ifdef FIXED
    const wlfmt::number& first = (*op.sub_operations.begin()).duration;
    return first.is_missing() && head.policy.empty() && row.source.empty();
#else
    const auto& first = ITEM;
    return &first != nullptr && head.policy.empty() && row.source.empty() && op.op.empty();
#endif
}
