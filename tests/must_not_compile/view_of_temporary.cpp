// must not compile: deleted|discards qualifiers|not viable|passing|expects an lvalue|cannot convert|is an rvalue
// each CALL: profile().edit_cell(0,"Name")
// profile().edit_cell_at(0,0) profile().edit_total("all") sub_operations().edit()
// entries().edit() attributes().edit() wlfmt::oplog::copies().half() profile().begin() profile().end()
// wlfmt::oplog::document().begin() wlfmt::workload::document().begin() wlfmt::table::document().end()
#include <vector>
#include <wlfmt/csv.hpp>
#include <wlfmt/wlfmt.hpp>

wlfmt::table::profile profile();
wlfmt::oplog::sub_operation_list sub_operations();
wlfmt::oplog::attribute_list attributes();
wlfmt::workload::entry_list entries();

void look() {
#ifdef FIXED
    auto one = profile();
    static_cast<void>(one.edit_cell(0, "Name"));
#else
    static_cast<void>(CALL);
#endif
}
