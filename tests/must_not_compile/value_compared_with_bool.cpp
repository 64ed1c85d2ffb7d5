// must not compile: no match for|invalid operands
#include <wlfmt/workload.hpp>

bool is_pipelined(const wlfmt::workload::header& head) {
#ifdef FIXED
    return head.find("pp") == 8;
#else
    return head.find("pp") == true;
#endif
}
