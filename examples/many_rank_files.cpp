// Ten thousand rank files: how long all ranks of a run communicated. There are as many threads as the machine can run
// at once, and each file is mapped, read and unmapped by one of them; wlfmt has no state that they could share.
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

struct rank_result {
    double ms = 0;
    std::string problem;
};

rank_result communication(const char* path) {
    rank_result result;
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

    std::vector<rank_result> results(files.size());
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
    for (const rank_result& result : results) {
        ms += result.ms;
        std::cerr << result.problem;
        good = good && result.problem.empty();
    }
    std::cout << files.size() << " files, " << ms << " ms of communication\n";
    return good ? 0 : 1;
}
