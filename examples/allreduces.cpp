// tests/data/oplog_rank7_pipeline_last_stage.txt
#include <iostream>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

int main(int count, char** arguments) {
    if (count != 2) return std::cerr << "usage: allreduces FILE\n", 2;
    const auto log = wlfmt::oplog::read_file(arguments[1]);  // the file, and all operations of it
    if (!log) return std::cerr << wlfmt::explain(log.error(), log.text(), wlfmt::in_file(arguments[1])), 2;

    double ms = 0;
    for (const auto& op : log->operations)
        for (const auto& sub : op.sub_operations)                                // decoded as you walk
            if (sub.comm_func == "allreduce") ms += sub.duration.value_or(0.0);  // not every one was measured
    std::cout << ms << " ms in all-reduces\n";
}
