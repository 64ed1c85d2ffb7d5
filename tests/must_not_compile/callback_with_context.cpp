// must not compile: no match for|no viable
#include <wlfmt/workload.hpp>

void count_problems(wlfmt::options& options, int& count) {
#ifdef FIXED
    options.on_problem = [&](const wlfmt::problem&) { ++count; };
#else
    options.on_problem = [&](void*, const wlfmt::problem&) { ++count; };
#endif
}
