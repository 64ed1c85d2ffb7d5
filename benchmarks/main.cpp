// Measures the tasks of one file under Google Benchmark: each way of each task on inputs of each kind and size.
// --benchmark_filter picks them by name: oplog_read/wlfmt/samples/64MB.
#include <benchmark/benchmark.h>

#include <memory>

#include "bench.hpp"

namespace {

using bench::input;

struct size {
    const char* name;
    std::size_t bytes;
};
constexpr size sizes[] = {{"16KB", 16 * bench::kilobyte}, {"64MB", 64 * bench::megabyte}};
constexpr const char* kinds[] = {"samples", "random", "odd", "files"};

// Benchmarks that follow each other have the same input: it is made once, when the first of them begins.
const input& input_of(bench::format f, const std::string& kind, std::size_t bytes) {
    static std::unique_ptr<input> last;
    static std::string last_name;
    const std::string name = std::to_string(static_cast<int>(f)) + kind + std::to_string(bytes);
    if (name != last_name) {
        last = nullptr;
        last = std::make_unique<input>();
        bench::fill(*last, f, kind, bytes, bytes);
        last_name = name;
    }
    return *last;
}

void measure(benchmark::State& state, const bench::task& t, const bench::way& w, const std::string& kind,
             std::size_t bytes) {
    const input& in = input_of(t.format, kind, bytes);
    const bench::job work = bench::ready(t, w, in);
    if (!work) {
        state.SkipWithError("not available here");
        return;
    }
    bench::answer found;
    for (auto _ : state) {
        found = work();
        benchmark::DoNotOptimize(found);
        if (w.own_time) state.SetIterationTime(found.seconds);
    }
    const auto iterations = static_cast<std::int64_t>(state.iterations());
    state.SetBytesProcessed(iterations * static_cast<std::int64_t>(in.text.size()));
    if (w.answers) state.SetItemsProcessed(iterations * static_cast<std::int64_t>(found.records));
}

}  // namespace

int main(int count, char** arguments) {
    for (const bench::task& t : bench::tasks())
        for (const std::string kind : kinds) {
            if (!bench::has_kind(t.format, kind)) continue;
            for (const size s : sizes)
                for (const bench::way& w : t.ways) {
                    if (s.bytes > w.most && s.bytes != sizes[0].bytes) continue;
                    if (kind == "odd" && w.takes == bench::takes::plain_text) continue;
                    const std::string name = t.name + '/' + w.name + '/' + kind + '/' + s.name;
                    auto* const one = benchmark::RegisterBenchmark(
                        name.c_str(),
                        [&t, &w, kind, s](benchmark::State& state) { measure(state, t, w, kind, s.bytes); });
                    if (w.own_time) one->UseManualTime();
                }
        }
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
