// One of two sources of one program, for processors of different ages: WLFMT_UNIT is what it offers. With
// WLFMT_TEST_MAIN, the program, which calls the one or the other. usage: PROGRAM older|newer DATA_FOLDER
#include <string>

#if defined(WLFMT_TEST_MAIN)
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

std::string older(const std::string& log, const std::string& workload, const std::string& profile);
std::string newer(const std::string& log, const std::string& workload, const std::string& profile);

int main(int, char** arguments) {
    const std::string folder = arguments[2];
    const auto load = [&](const char* name) {
        std::ifstream file(folder + "/" + name);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const auto use = std::strcmp(arguments[1], "older") == 0 ? older : newer;
    const std::string all = use(load("oplog_rank7_moe_simulation.txt"), load("workload_dense_1024gpus.txt"),
                                load("profiler_table_moe_train_step.txt"));
    std::fwrite(all.data(), 1, all.size(), stdout);
    return all.size() > 10000 ? 0 : 1;
}
#else
#include <wlfmt/wlfmt.hpp>

std::string WLFMT_UNIT(const std::string& log, const std::string& workload, const std::string& profile) {
    std::string all;
    auto a = wlfmt::oplog::read(log);
    for (wlfmt::oplog::operation& op : a->operations) {
        op.duration *= 2;
        op.set("cmd_uid", "7");
        for (const auto& sub : op.sub_operations) all += sub.comm_func;
        for (auto& sub : op.sub_operations.edit()) sub.duration += 0.5;
    }
    auto b = wlfmt::workload::read(workload);
    for (auto& layer : b->layers) layer.forward.bytes *= 3;
    auto c = wlfmt::table::read(profile);
    for (auto& table : c->tables)
        for (const auto& row : table.rows()) all += row.find("Name").text();
    const bool failed = !a || !b || !c || write(all, *a) || write(all, *b) || write(all, *c);
    const auto bad = wlfmt::oplog::read("rank:0:f(duration=1,sub_operations=['x");
    all += wlfmt::explain(bad.error(), "rank:0:f(duration=1,sub_operations=['x", wlfmt::in_file("x"));
    return failed || *a != *a ? std::string() : all;
}
#endif
