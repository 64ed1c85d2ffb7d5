// must not compile: no viable conversion|could not convert|conversion from|cannot convert
#include <wlfmt/number.hpp>

wlfmt::number eight() {
#ifdef FIXED
    return 8;
#else
    return '8';
#endif
}
