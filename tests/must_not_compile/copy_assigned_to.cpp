// must not compile: discards qualifiers|not viable|passing|expects an lvalue|is an rvalue|no viable|no match for
// each CALL: table.find_cell(0,"Self")=4 table.find_cell(0,"Self")=wlfmt::table::cell("4") table.find_total("Self")=4
// table.cell_at(0,1)=4 table.row(0)["Self"]=4 head.pipeline_parallel()=4 head.vpp()*=2 head.vpp()+=1 head.vpp()-=1
// wlfmt::oplog::shape({1,2})[0]=4 head.find("pp").number()=4
#include <wlfmt/wlfmt.hpp>

// What these return is a copy: the change would be lost in silence.
inline void change(wlfmt::table::profile& table, wlfmt::workload::header& head) {
#ifdef FIXED
    *table.edit_cell(0, "Self") = 4;
    *table.edit_total("Self") = 4;
    head.set("pp", 4);
#else
    CALL;
    static_cast<void>(table);
    static_cast<void>(head);
#endif
}
