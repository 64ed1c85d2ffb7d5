// must not compile: deleted
// each CALL: begin end data
#include <wlfmt/table.hpp>

wlfmt::table::profile load();

const wlfmt::table::cell* first() {
#ifdef FIXED
    static const auto row = load().row(0);
    return row.cells.CALL();
#else
    return load().row(0).cells.CALL();
#endif
}
