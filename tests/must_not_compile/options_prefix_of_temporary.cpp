// must not compile: deleted
#include <string>
#include <wlfmt/oplog.hpp>

void read_rank(wlfmt::options& options, int rank) {
#ifdef FIXED
    static const std::string prefix = "[rank" + std::to_string(rank) + "]: ";
    options.prefix = prefix;
#else
    options.prefix = "[rank" + std::to_string(rank) + "]: ";
#endif
}
