// What the benchmarks share. A task is one thing to do with a text; it is done in several ways: a scan for line ends,
// which is the floor no reader gets below, wlfmt, and its peers. main.cpp measures a task's ways under Google
// Benchmark, ratios.cpp measures all tasks' ways in turn and holds them against the goals, instructions.cpp has their
// instructions counted.
#ifndef WLFMT_BENCHMARKS_BENCH_HPP
#define WLFMT_BENCHMARKS_BENCH_HPP

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "inputs.hpp"

namespace bench {

inline constexpr std::size_t kilobyte = 1024;
inline constexpr std::size_t megabyte = 1024 * kilobyte;

// Does the work once. Empty if it cannot be done here, such as by a peer that is not installed.
using job = std::function<answer()>;

enum class takes { any_text, plain_text };

struct way {
    std::string name;
    // Prepares everything that is not the work itself: records to write, buffers, the same text in a peer's format.
    // The input outlives the measurement.
    std::function<job(const input&)> prepare;
    // The largest input that it can take, or that is worth waiting for.
    std::size_t most = 64 * megabyte;
    // Odd values are for wlfmt alone: the peers would need a parser of their own for them.
    bench::takes takes = takes::plain_text;
    // False for the floor, which finds no records.
    bool answers = true;
    // The way is another program, which measures its own time.
    bool own_time = false;
};

struct task {
    std::string name;
    bench::format format;
    std::vector<way> ways;  // the first one that answers is wlfmt's: the others have to find the same
};

// All tasks of the program: each task's file adds its task.
inline std::vector<task>& tasks() {
    static std::vector<task> all;
    return all;
}
inline bool add(task t) {
    tasks().push_back(std::move(t));
    return true;
}

[[noreturn]] inline void fail(const std::string& what) {
    std::fprintf(stderr, "benchmarks: %s\n", what.c_str());
    std::exit(EXIT_FAILURE);
}

// The way of that name; null if there is no such way.
inline const way* find(const task& t, std::string_view name) {
    for (const way& w : t.ways)
        if (w.name == name) return &w;
    return nullptr;
}

// Prepares a way for an input, and checks its answer, if it has one, against wlfmt's: a mismatch ends the program.
job ready(const task& t, const way& w, const input& in);

// Seconds of processor time that this program has used: the load of other programs on the machine does not count.
double processor_seconds();

// Reads every file of the input.
template <answer (*Read)(std::string_view)> job each_file(const input& in) {
    return [&in] {
        answer a;
        for (const std::string_view file : in.files) a += Read(file);
        return a;
    };
}

// The floor: a scan for line ends over the same bytes.
way floor_way();

}  // namespace bench

#endif
