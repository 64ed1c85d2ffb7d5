// One way of compiling wlfmt: WLFMT_UNIT is its name in unit.hpp.
#include "unit.hpp"

#include <utility>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

std::string WLFMT_UNIT(const std::string& folder) {
    const wlfmt::text_file log(folder + "/oplog_rank7_moe_simulation.txt");
    const wlfmt::text_file layers(folder + "/workload_dense_1024gpus.txt");
    const wlfmt::text_file profile(folder + "/profiler_table_moe_train_step.txt");
    auto a = wlfmt::oplog::read(log.text());
    auto b = wlfmt::workload::read(layers.text());
    auto c = wlfmt::table::read(profile.text());
    if (!a || !b || !c || wlfmt::detect(log.text()) != wlfmt::file_format::oplog) return {};
    std::string all;
    if (write(all, *b) || all != layers.text()) return {};
    if (*a != *a || write(all, *a) || write(all, *c)) return {};

    for (wlfmt::oplog::operation& op : a->operations) {
        op.duration *= 2;
        op.set("cmd_uid", "7");
        for (const auto& sub : op.sub_operations) all += sub.comm_func;
        for (auto& sub : op.sub_operations.edit()) sub.duration += 0.5;
    }
    for (auto& layer : b->layers) layer.forward.bytes *= 3;
    for (auto& table : c->tables) {
        for (const auto& row : table.rows()) all += row.find("Name").text();
        if (auto* name = table.edit_cell(0, "Name")) *name = wlfmt::table::cell("renamed");
    }
    if (write(all, *a) || write(all, *b) || write(all, *c)) return {};

    const auto bad = wlfmt::oplog::read("rank:0:f(duration=1,sub_operations=['x");
    return all + wlfmt::explain(bad.error(), "rank:0:f(duration=1,sub_operations=['x", wlfmt::in_file("x"));
}
