// Ten thousand rank files: how long all ranks of a run communicated. Each file is mapped, read and let go of by one of
// as many threads as the machine has; wlfmt has no state that they could share.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

namespace oplog = wlfmt::oplog;

namespace {

struct of_rank {
    double ms = 0;
    std::string problem;
};

of_rank communication(const char* path) {
    of_rank result;
    const wlfmt::text_file file(path);
    if (!file.ok()) {
        result.problem = wlfmt::explain(file.error(), {}, wlfmt::in_file(path));
        return result;
    }
    oplog::reader log(file.text());
    for (const auto& op : log)
        for (const auto& sub : op.sub_operations.only<oplog::fields::duration>())
            result.ms += sub.duration.value_or(0.0);
    if (!log.ok()) result.problem = wlfmt::explain(log.error(), file.text(), wlfmt::in_file(path));
    return result;
}

}  // namespace

int main(int count, char** arguments) {
    const std::vector<const char*> files(arguments + 1, arguments + (std::max)(count, 1));
    if (files.empty()) return std::cerr << "usage: many_rank_files FILE...\n", 2;

    std::vector<of_rank> results(files.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t n = next++; n < files.size(); n = next++) results[n] = communication(files[n]);
    };
    std::vector<std::thread> others;
    for (unsigned n = 1; n < std::thread::hardware_concurrency(); ++n) others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();

    double ms = 0;
    bool good = true;
    for (const of_rank& one : results) {
        ms += one.ms;
        std::cerr << one.problem;
        good = good && one.problem.empty();
    }
    std::cout << files.size() << " files, " << ms << " ms of communication\n";
    return good ? 0 : 1;
}
