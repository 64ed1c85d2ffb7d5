// must not compile: deleted
#include <wlfmt/oplog/nested.hpp>

wlfmt::oplog::operation made();

double sum() {
    double ms = 0;
#ifdef FIXED
    const wlfmt::oplog::operation op = made();
    for (const auto& call : wlfmt::oplog::nested_operations_of(op)) ms += call.duration.value_or(0.0);
#else
    for (const auto& call : wlfmt::oplog::nested_operations_of(made())) ms += call.duration.value_or(0.0);
#endif
    return ms;
}
