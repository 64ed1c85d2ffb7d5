// must not compile: deleted|discards qualifiers|not viable|passing|cannot convert|is an rvalue
// each FORMAT: oplog workload table
// each CALL: next begin
#include <string_view>
#include <wlfmt/FORMAT.hpp>

void walk(std::string_view text) {
#ifdef FIXED
    wlfmt::FORMAT::reader reader(text);
    static_cast<void>(reader.CALL());
#else
    static_cast<void>(wlfmt::FORMAT::reader(text).CALL());
#endif
}
