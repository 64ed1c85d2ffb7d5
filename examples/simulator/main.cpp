// A small simulator: every rank is a node that goes through the layers of one workload, which is parsed once and
// shared.
//
//     g++ -std=c++17 -O2 -Iinclude examples/simulator/main.cpp -o simulator
//     ./simulator FILE [--ranks=N] [--lenient] [--measure]
//
// --ranks=N says how many ranks there are if the file does not, as files for ASTRA-sim 1.0 do not; --lenient takes a
// file with fewer layers than it declares.
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include <wlfmt/file.hpp>

#include "workload.hpp"

namespace {

// A rank. All nodes share one workload.
class node {
public:
    node(std::shared_ptr<const simulator::workload> workload, std::int64_t rank)
        : workload_(std::move(workload)), rank_(rank) {}

    // The time of one pass, in nanoseconds, on links of one byte per nanosecond.
    std::uint64_t pass() const {
        std::uint64_t time = 0;
        for (const auto& layer : workload_->layers) time += take(layer.forward);
        for (auto layer = workload_->layers.rbegin(); layer != workload_->layers.rend(); ++layer)
            time += take(layer->input_grad) + take(layer->weight_grad) + layer->update_ticks;
        return time;
    }
    std::int64_t stage() const {
        return workload_->ranks.position_of(wlfmt::parallelism::group::pipeline_parallel, rank_).value_or(0);
    }

private:
    std::uint64_t take(const simulator::step& s) const {
        const std::uint64_t own = s.bytes / static_cast<std::uint64_t>(workload_->ranks.size(s.group));
        const std::uint64_t moved = s.bytes - own;
        switch (s.collective) {
        case simulator::collective::none: return s.ticks;
        case simulator::collective::all_reduce: return s.ticks + 2 * moved;
        default: return s.ticks + moved;
        }
    }
    std::shared_ptr<const simulator::workload> workload_;
    std::int64_t rank_;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Measures parsing the file for each node, as some simulators do, and once for all nodes.
void measure(std::string_view text, std::string_view name, std::int64_t ranks, bool cut) {
    std::ostream nowhere(nullptr);  // what is wrong with the file was already printed
    std::vector<std::shared_ptr<const simulator::workload>> all;
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t rank = 0; rank != ranks; ++rank) all.push_back(simulator::parse(text, name, nowhere, ranks, cut));
    const double each = milliseconds_since(start);
    const auto again = std::chrono::steady_clock::now();
    const auto shared = simulator::parse(text, name, nowhere, ranks, cut);
    std::size_t bytes = shared->layers.capacity() * sizeof(simulator::layer);
    for (const auto& layer : shared->layers) bytes += layer.name.capacity();
    const double once = milliseconds_since(again);
    std::cout << "parsed for each node: " << each << " ms, " << bytes * all.size() / 1000000 << " MB\n"
              << "parsed once:          " << once << " ms, " << bytes / 1000 << " KB\n";
}

}  // namespace

int main(int count, char** arguments) {
    bool measured = false;
    bool cut = false;
    std::int64_t given = 0;
    bool usage = count < 2;
    for (int n = 2; n < count; ++n) {
        const std::string_view option = arguments[n];
        if (option == "--measure") measured = true;
        else if (option == "--lenient") cut = true;
        else if (option.substr(0, 8) == "--ranks=")
            given = wlfmt::to_number(option.substr(8)).as<std::int64_t>().value_or(0);
        else usage = true;
        usage = usage || given < 0;
    }
    if (usage) return std::cerr << "usage: simulator FILE [--ranks=N] [--lenient] [--measure]\n", 2;
    const wlfmt::text_file file(arguments[1]);
    if (!file.ok()) return std::cerr << wlfmt::explain(file.error(), {}, wlfmt::in_file(arguments[1])), 2;

    const auto workload = simulator::parse(file.text(), arguments[1], std::cerr, given, cut);
    if (workload == nullptr) return 1;
    const std::int64_t ranks = workload->ranks.sizes().ranks;
    std::vector<node> nodes;
    for (std::int64_t rank = 0; rank != ranks; ++rank) nodes.emplace_back(workload, rank);
    std::uint64_t longest = 0;
    for (const node& n : nodes) longest = n.pass() > longest ? n.pass() : longest;
    std::cout << nodes.size() << " nodes, " << workload->layers.size() << " layers, stages 0 to "
              << nodes.back().stage() << ": a pass takes " << longest << " ns\n";
    if (measured) measure(file.text(), arguments[1], ranks, cut);
}
