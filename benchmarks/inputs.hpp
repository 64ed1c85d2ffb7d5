// What the benchmarks read and write: real files, the same files with other numbers, and odd ones.
#ifndef WLFMT_BENCHMARKS_INPUTS_HPP
#define WLFMT_BENCHMARKS_INPUTS_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

enum class format { oplog, workload, table };

// A text of many bytes and the files it consists of: one, or many small ones side by side.
struct input {
    std::string name;
    std::string text;
    std::vector<std::string_view> files;

    input() = default;
    input(const input&) = delete;
    input& operator=(const input&) = delete;
};

// The kinds of input:
//   samples  lines of the real files in tests/data, again and again
//   random   the same lines with every number redrawn, so that no line comes twice
//   files    real files of the folder that WLFMT_BENCH_FILES names, like samples: those that are read without an
//            error and written back byte for byte
//   odd      random with everything at once that is not as the writers usually write it
// and the parts of odd, one by one: odd_kinds().
std::vector<std::string> odd_kinds(format f);
// Whether there are files of that kind.
bool has_kind(format f, std::string_view kind);

// Fills an input with files of at most file_size bytes each, at most size bytes in all, at least one file. The same
// every time: the random numbers have a fixed seed.
void fill(input& in, format f, std::string_view kind, std::size_t size, std::size_t file_size);

}  // namespace bench

#endif
