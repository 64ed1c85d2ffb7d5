// must not compile: deleted
#include <wlfmt/diff.hpp>

void compare() {
#ifdef FIXED
    const wlfmt::diff::profile before(false, {"self_device_time_us"});
#else
    const wlfmt::diff::profile before("self_device_time_us");
#endif
}
