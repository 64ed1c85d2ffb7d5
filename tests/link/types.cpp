// A source that includes only the types: wlfmt/types.hpp.
#include <utility>

#include "unit.hpp"

documents documents_by_hand() {
    wlfmt::oplog::sub_operation sub;
    sub.duration = 0.25;
    sub.comm_func = "allreduce";
    wlfmt::oplog::operation op;
    op.rank = 3;
    op.op = "step";
    op.duration = 1.5;
    static const wlfmt::oplog::sub_operation kept = sub;
    op.sub_operations = {&kept, 1};

    wlfmt::workload::layer layer;
    layer.name = "layer";
    layer.forward = {10, "ALLREDUCE", 4096};

    wlfmt::table::profile table;
    table.columns.resize(2);
    table.columns[0].name = "Name";
    table.columns[0].unit = wlfmt::table::unit::text;
    table.columns[1].name = "# of Calls";
    table.columns[1].unit = wlfmt::table::unit::count;
    table.cells = {wlfmt::table::cell("gemm"), wlfmt::table::cell(7)};

    documents all;
    all.oplog.operations.push_back(op);
    all.workload.header.policy = "MICRO";
    all.workload.layers.push_back(layer);
    all.table.tables.push_back(std::move(table));
    return all;
}

double total_by_hand(const documents& of) {
    double total = 0;
    for (const wlfmt::oplog::operation& op : of.oplog.operations) total += op.duration.value_or(0.0);
    for (const wlfmt::workload::layer& layer : of.workload.layers) total += layer.forward.compute.value_or(0.0);
    for (const wlfmt::table::cell& cell : of.table.tables[0].cells) total += cell.value_or(0.0);
    return total;
}
