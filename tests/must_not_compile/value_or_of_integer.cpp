// must not compile: value_or\(0\.0\), or as<int>\(\)\.value_or\(0\)
#include <wlfmt/types.hpp>

int bytes_of(const wlfmt::workload::phase& p) {
#ifdef FIXED
    return p.bytes.as<int>().value_or(0);
#else
    return static_cast<int>(p.bytes.value_or(0));
#endif
}
