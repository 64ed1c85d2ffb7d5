// must not compile: no viable conversion|could not convert
// flags: -std=gnu++17
#include <wlfmt/number.hpp>

wlfmt::number all_bytes(long long bytes) {
#ifdef FIXED
    return bytes;
#else
    return static_cast<__int128>(bytes) << 64;
#endif
}
