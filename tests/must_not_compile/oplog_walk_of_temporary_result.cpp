// must not compile: deleted
#include <string_view>
#include <wlfmt/oplog.hpp>

std::int64_t ranks(std::string_view text) {
    std::int64_t sum = 0;
#ifdef FIXED
    const auto log = wlfmt::oplog::read(text);
    for (const auto& op : log->operations) sum += op.rank;
#else
    for (const auto& op : wlfmt::oplog::read(text)->operations) sum += op.rank;
#endif
    return sum;
}
