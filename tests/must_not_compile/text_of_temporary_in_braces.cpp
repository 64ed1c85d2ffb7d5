// must not compile: deleted|no matching (member )?function
#include <string>
#include <wlfmt/workload.hpp>

void make_four_stages(wlfmt::workload::header& head) {
#ifdef FIXED
    static const std::string stages = std::to_string(4);
    head.entries.edit().push_back({"pp", stages});
#else
    head.entries.edit().push_back({"pp", std::to_string(4)});
#endif
}
