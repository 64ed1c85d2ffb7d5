// What wlfmt writes where the standard library writes no doubles: this source is compiled with include/charconv.
#include <wlfmt/detail/number/write.hpp>
#include <wlfmt/wlfmt.hpp>

#if defined(__cpp_lib_to_chars)
#error "the functions for doubles are not hidden"
#endif

char* own_repr(char* out, double v) { return wlfmt::detail::write_repr(out, v); }
char* own_digits(char* out, char* end, double v, bool scientific, int decimals) {
    return wlfmt::detail::write_digits(out, end, v, scientific, decimals);
}
