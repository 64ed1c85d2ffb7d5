// must not compile: deleted
// each CALL: extra() heaviest(wlfmt::table::row_kind::kernel)
#include <wlfmt/table/by_name.hpp>

wlfmt::table::by_name load();

void look() {
#ifdef FIXED
    const auto names = load();
    static_cast<void>(names.heaviest(wlfmt::table::row_kind::kernel));
#else
    static_cast<void>(load().CALL);
#endif
}
