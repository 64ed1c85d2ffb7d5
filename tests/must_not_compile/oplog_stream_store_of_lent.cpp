// must not compile: (deleted|ambiguous)
#include <vector>
#include <wlfmt/oplog/stream.hpp>

void keep(wlfmt::oplog::stream& log, std::vector<wlfmt::oplog::operation>& all, wlfmt::oplog::kept_operations& kept) {
    while (const auto op = log.next()) {
#ifdef FIXED
        kept.add(op);
        static_cast<void>(all);
#else
        all.push_back(*op);
        static_cast<void>(kept);
#endif
    }
}
