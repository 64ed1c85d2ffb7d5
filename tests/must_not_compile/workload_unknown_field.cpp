// must not compile: forward_com
#include <string_view>
#include <wlfmt/workload.hpp>

std::string_view place(const wlfmt::workload::layer& one) {
#ifdef FIXED
    return where(one, wlfmt::workload::field::forward_comm);
#else
    return where(one, wlfmt::workload::field::forward_com);
#endif
}
