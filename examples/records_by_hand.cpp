// Records by hand: one of each format is filled in and written. Writing refuses what would not read back.
#include <cstdint>
#include <iostream>
#include <string_view>
#include <vector>

#include <wlfmt/wlfmt.hpp>

namespace {

bool done(const wlfmt::problem& e) {
    if (e) std::cerr << wlfmt::explain(e, {}, wlfmt::in_file("record"));
    return !e;
}

bool write_operation() {
    auto op = wlfmt::oplog::operation::traced(7, "send_forward");  // the tracer's keys, each None
    op.stage_id = 1;
    op.batch_id = 0;
    op.mg_state = "warmup";
    op.duration = 0.31;
    op.group_kind = "pp";
    const std::int64_t dims[] = {2048, 2, 5120};  // must outlive the record, as every text must
    op.input_shape = wlfmt::oplog::shape(dims, 3);
    wlfmt::oplog::sub_operation sub;
    sub.trace_src_func = "_send";
    sub.duration = 0.3;
    sub.comm_func = "broadcast";
    op.sub_operations.edit().push_back(sub);
    return done(wlfmt::oplog::write(std::cout, op));
}

bool write_workload() {
    wlfmt::workload::document file;
    file.header.policy = "HYBRID_TRANSFORMER";
    file.header.entries = std::vector<wlfmt::workload::entry>{{"model_parallel_NPU_group", "8"}, {"pp", "4"}};
    wlfmt::workload::layer layer;
    layer.name = "mlp";
    layer.forward = {8200, "ALLGATHER", 3145728};
    layer.weight_grad = {8200, "NONE", 0};
    file.layers.push_back(layer);
    return done(wlfmt::workload::write(std::cout, file));
}

bool write_table() {
    using wlfmt::table::cell;
    wlfmt::table::profile table;
    for (const std::string_view name : {"Name", "Self CPU %", "Self CPU", "# of Calls"})
        table.columns.push_back(wlfmt::table::column(name));
    // Values are printed as PyTorch prints them in their column: 98.10%, 13.980ms.
    if (!table.add_row({cell("aten::addmm"), cell(98.1), cell(13980.0), cell(3)}) ||
        !table.add_row({cell("aten::relu"), cell(1.9), cell(270.75), cell(1)}))
        return false;
    table.totals.push_back({"Self CPU time total", cell(14250.75)});
    return done(wlfmt::table::write(std::cout, table));
}

}  // namespace

int main() {
    if (!write_operation() || !write_workload() || !write_table()) return 1;

    // A line end would begin a second record: this one is refused, and nothing is written.
    auto op = wlfmt::oplog::operation::traced(7, "forward_step");
    op.description = "first\nrank:8:forward_step()";
    const wlfmt::problem e = wlfmt::oplog::write(std::cout, op);
    std::cout << name_of(e.kind) << ' ' << e.field << '\n';
    return e ? 0 : 1;
}
