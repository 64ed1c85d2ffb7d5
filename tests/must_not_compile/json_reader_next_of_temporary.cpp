// must not compile: discards qualifiers|not viable|passing|expects an lvalue|cannot convert|is an rvalue
// each READER: oplog_reader workload_reader table_reader
// each CALL: next begin
#include <string_view>
#include <wlfmt/json/read.hpp>

void walk(std::string_view json, wlfmt::json::texts& kept) {
#ifdef FIXED
    wlfmt::json::READER reader(json, kept);
    static_cast<void>(reader.CALL());
#else
    static_cast<void>(wlfmt::json::READER(json, kept).CALL());
#endif
}
