// Does the work of one way again and again, for instructions.sh to count. It uses nothing of wlfmt itself, so that it
// can be compiled together with the tasks of another version.
//
//   instructions                                    the names of all ways: a task, a tab, a way
//   instructions TASK WAY KIND KILOBYTES TIMES      does the work that many times; prints the size of the input
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench.hpp"

namespace {

void print_names() {
    for (const bench::task& t : bench::tasks())
        for (const bench::way& w : t.ways)
            // What another program does cannot be counted here.
            if (!w.own_time) std::printf("%s\t%s\n", t.name.c_str(), w.name.c_str());
}

void repeat(const bench::task& t, const bench::way& w, const char* kind, std::size_t size, int times) {
    size = size < w.most ? size : w.most;
    bench::input in;
    bench::fill(in, t.format, kind, size, size);
    // Making it ready does the work once: costs of the first time alone are not counted.
    const bench::job work = bench::ready(t, w, in);
    if (!work) bench::fail(w.name + " is not available here");
    std::uint64_t records = 0;
    for (int n = 0; n != times; ++n) records += work().records;
    if (records == 0) bench::fail(w.name + " found nothing");
    std::printf("%zu\n", in.text.size());
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 1) {
        print_names();
        return 0;
    }
    if (count != 6) bench::fail("usage: instructions [TASK WAY KIND KILOBYTES TIMES]");
    for (const bench::task& t : bench::tasks()) {
        if (t.name != arguments[1]) continue;
        const bench::way* const w = bench::find(t, arguments[2]);
        if (w == nullptr) break;
        repeat(t, *w, arguments[3], std::strtoul(arguments[4], nullptr, 10) * bench::kilobyte, std::atoi(arguments[5]));
        return 0;
    }
    bench::fail(std::string("no way ") + arguments[2] + " of a task " + arguments[1]);
}
