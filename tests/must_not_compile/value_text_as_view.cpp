// must not compile: deleted
#include <wlfmt/oplog.hpp>

bool is_first(const wlfmt::oplog::operation& op) {
#ifdef FIXED
    const auto text = op.find("stage_id").text();
    const std::string_view view = text;
#else
    const std::string_view view = op.find("stage_id").text();
#endif
    return view == "0";
}
