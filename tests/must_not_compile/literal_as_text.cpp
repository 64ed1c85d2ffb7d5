// must not compile: deleted|ambiguous|could not convert|no matching|no viable|cannot convert
// each LITERAL: 0 NULL nullptr
// each CALL: op.find row.find layer.find header.find wlfmt::oplog::read wlfmt::oplog::reader wlfmt::workload::read
// wlfmt::table::read wlfmt::detect wlfmt::to_number table.find_column wlfmt::text_file wlfmt::in_file
#include <cstddef>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

void look(const wlfmt::oplog::operation& op, const wlfmt::table::row& row, const wlfmt::workload::layer& layer,
          const wlfmt::workload::header& header, const wlfmt::table::profile& table) {
    static_cast<void>(op), static_cast<void>(row), static_cast<void>(layer), static_cast<void>(header);
    static_cast<void>(table);
#ifdef FIXED
    static_cast<void>(CALL("a"));
#else
    static_cast<void>(CALL(LITERAL));
#endif
}
