// must not compile: no match|no viable|could not convert
// each LIST: oplog::attribute_list workload::entry_list
#include <wlfmt/wlfmt.hpp>

void name(wlfmt::LIST& list) {
#ifdef FIXED
    list = {{"pp", "7"}};
#else
    list = {"pp", "7"};
#endif
}
