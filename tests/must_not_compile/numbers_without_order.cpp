// must not compile: use of deleted function|call to deleted|overload resolution selected deleted
// each SIGN: < > <= >=
#include <wlfmt/number.hpp>

bool is_longer(const wlfmt::number& a, const wlfmt::number& b) {
#ifdef FIXED
    return total_order(a, b) SIGN 0;
#else
    return a SIGN b;
#endif
}
