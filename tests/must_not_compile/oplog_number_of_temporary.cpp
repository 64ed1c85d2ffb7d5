// must not compile: deleted
#include <string>
#include <wlfmt/oplog.hpp>

void set(wlfmt::oplog::operation& op, const std::string& unit) {
#ifdef FIXED
    static const std::string text = "Async operation, " + unit;
    op.duration = wlfmt::number(text);
#else
    op.duration = wlfmt::number("Async operation, " + unit);
#endif
}
