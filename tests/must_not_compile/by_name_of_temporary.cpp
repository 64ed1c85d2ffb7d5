// must not compile: deleted
// each CALL: load().extra() load().heaviest(wlfmt::table::row_kind::kernel) load_constant().extra()
// load_constant().heaviest(wlfmt::table::row_kind::kernel)
#include <wlfmt/table/by_name.hpp>

wlfmt::table::by_name load();
const wlfmt::table::by_name load_constant();

void look() {
#ifdef FIXED
    const auto names = load();
    static_cast<void>(names.heaviest(wlfmt::table::row_kind::kernel));
#else
    static_cast<void>(CALL);
#endif
}
