// must not compile: deleted
#include <string>
#include <wlfmt/oplog.hpp>

void name(wlfmt::oplog::operation& op, const std::string& id) {
#ifdef FIXED
    static const std::string text = "cmd_uid=" + id;
    op.attributes = wlfmt::oplog::attribute_list::from_text(text);
#else
    op.attributes = wlfmt::oplog::attribute_list::from_text("cmd_uid=" + id);
#endif
}
