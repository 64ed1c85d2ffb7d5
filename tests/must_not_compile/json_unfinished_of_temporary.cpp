// must not compile: discards qualifiers|not viable|passing|expects an lvalue|cannot convert|is an rvalue
#include <string_view>
#include <wlfmt/json/read.hpp>

void walk(std::string_view json, wlfmt::json::texts& kept) {
#ifdef FIXED
    wlfmt::json::table_reader reader(json, kept);
    static_cast<void>(reader.unfinished());
#else
    static_cast<void>(wlfmt::json::table_reader(json, kept).unfinished());
#endif
}
