// Statistics over a trace: how long each operation and each collective of a rank took, in constant memory.
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

namespace oplog = wlfmt::oplog;

namespace {

struct sum {
    std::uint64_t times = 0;
    std::uint64_t measured = 0;  // a tracer does not always know how long an operation took
    double ms = 0;

    void add(const wlfmt::number& duration) {
        ++times;
        if (!duration.has_value()) return;
        ++measured;
        ms += duration.value_or(0.0);
    }
};

void print(std::string_view title, const std::map<std::string, sum, std::less<>>& sums) {
    std::cout << title << '\n';
    for (const auto& [name, s] : sums)
        std::cout << "  " << name << ": " << s.times << " times, " << s.measured << " measured, " << s.ms << " ms\n";
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return std::cerr << "usage: trace_statistics FILE\n", 2;
    const wlfmt::text_file file(arguments[1]);
    if (!file.ok()) return std::cerr << wlfmt::explain(file.error(), {}, wlfmt::in_file(arguments[1])), 2;

    std::map<std::string, sum, std::less<>> operations;
    std::map<std::string, sum, std::less<>> collectives;
    oplog::reader log(file.text());
    while (const auto* op = log.next()) {
        operations[std::string(op->op)].add(op->duration);
        // Only the two members that are asked for are decoded.
        for (const auto& sub : op->sub_operations.only<oplog::fields::duration | oplog::fields::comm_func>())
            collectives[std::string(sub.comm_func)].add(sub.duration);
    }
    if (!log.ok()) return std::cerr << wlfmt::explain(log.error(), file.text(), wlfmt::in_file(arguments[1])), 1;
    print("operations", operations);
    print("collectives", collectives);
}
