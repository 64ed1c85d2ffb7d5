// Ways that take turns: ratios are taken within a round, and the median of the rounds counts.
#ifndef WLFMT_BENCHMARKS_CONTEST_HPP
#define WLFMT_BENCHMARKS_CONTEST_HPP

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "bench.hpp"

namespace bench {

inline double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    const std::size_t middle = v.size() / 2;
    return v.size() % 2 != 0 ? v[middle] : (v[middle - 1] + v[middle]) / 2;
}

inline double seconds_of(const job& work) {
    const double start = processor_seconds();
    answer found = work();
    benchmark::DoNotOptimize(found);
    const double time = processor_seconds() - start;
    return found.seconds != 0 ? found.seconds : time;
}

// The ways that take turns, and how long each round took.
class contest {
public:
    // `bytes`: how many bytes a turn processes.
    void enter(job work, std::size_t bytes) {
        const double once = seconds_of(work);
        const int times = once >= slot ? 1 : static_cast<int>(slot / (once + 1e-9)) + 1;
        entries_.push_back({std::move(work), bytes, times, {}});
        round_seconds_ += (std::max)(once, slot);
    }
    // Does at least `rounds` rounds, more if they are quick.
    void go(int rounds) {
        constexpr double budget = 1;
        constexpr int most = 31;
        rounds = (std::max)(rounds, (std::min)(static_cast<int>(budget / round_seconds_), rounds > 1 ? most : 1));
        for (int n = 0; n != rounds; ++n)
            for (entry& e : entries_) {
                double time = 0;
                for (int k = 0; k != e.times; ++k) time += seconds_of(e.work);
                e.per_byte.push_back(time / e.times / static_cast<double>(e.bytes));
            }
    }
    // Nanoseconds per byte.
    double nanoseconds(std::size_t n) const { return median(entries_[n].per_byte) * 1e9; }
    // How many times as fast as the other, byte for byte.
    double ratio(std::size_t n, std::size_t other) const {
        std::vector<double> ratios;
        for (std::size_t k = 0; k != entries_[n].per_byte.size(); ++k)
            ratios.push_back(entries_[other].per_byte[k] / entries_[n].per_byte[k]);
        return median(std::move(ratios));
    }

private:
    static constexpr double slot = 0.01;
    struct entry {
        job work;
        std::size_t bytes;
        int times;
        std::vector<double> per_byte;
    };
    std::vector<entry> entries_;
    double round_seconds_ = 0;
};

}  // namespace bench

#endif
