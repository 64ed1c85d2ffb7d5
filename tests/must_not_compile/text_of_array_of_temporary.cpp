// must not compile: deleted
#include <wlfmt/workload.hpp>

struct tagged {
    char name[16];
};
tagged tag();

void name_the_layer(wlfmt::workload::layer& layer) {
#ifdef FIXED
    static const tagged kept = tag();
    layer.name = kept.name;
#else
    layer.name = tag().name;
#endif
}
