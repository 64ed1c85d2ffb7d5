// One summary of a run's op logs by many processes: every process reads its share of the files, and large files by byte
// range, and the summaries are merged on the way to process 0. Of repeated runs each rank's newest file counts.
//
//     mpic++ -std=c++17 -O2 -Iinclude -I. examples/cluster/mpi.cpp analysis/summary/*.cpp analysis/*.cpp -o summary_mpi
//     mpirun -n 4 ./summary_mpi run/*.txt > run.json
//
// Prints the line that `wlfmt summary --partial run/*.txt` prints: `wlfmt merge run.json` shows it.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/stream.hpp>
#include "analysis/summary/summary.hpp"

namespace analysis = wlfmt::analysis;
namespace oplog = wlfmt::oplog;

// A part of a file, small enough that all processes have work until the end.
struct task {
    const char* path;
    wlfmt::byte_range range;
};

std::vector<task> tasks_of(const std::vector<std::size_t>& chosen, char** paths, std::uint64_t part_size) {
    std::vector<task> all;
    for (const std::size_t n : chosen) {
        std::error_code failed;
        const std::uint64_t size = std::filesystem::file_size(paths[n], failed);
        for (std::uint64_t begin = 0; begin == 0 || (!failed && begin < size); begin += part_size)
            all.push_back({paths[n], {begin, begin + part_size}});
        // The last part ends where the file does.
        all.back().range.end = wlfmt::byte_range().end;
    }
    return all;
}

// Reports what the names of the files say is wrong with the run. Returns false if the run is not whole.
bool report(const oplog::run_files& files) {
    for (const std::string& what : files.contradictions) std::cerr << what << '\n';
    for (const oplog::rank_range& none : files.missing)
        std::cerr << "there is no file of rank " << none.first << " to " << none.last << '\n';
    return files.contradictions.empty() && files.missing.empty();
}
// Reports ranks that several files hold, which are in the sums several times.
bool report(const analysis::summary& sum) {
    bool good = true;
    sum.for_each_rank([&](const analysis::rank_total& r) {
        if (r.source.texts == 1) return;
        std::cerr << "rank " << r.rank << " is in " << r.source.texts << " files\n";
        good = false;
    });
    return good;
}

// Returns false if the file cannot be read to its end; what could be read is in the sum.
bool add(analysis::summary& sum, const task& t) {
    std::FILE* const file = std::fopen(t.path, "rb");
    if (file == nullptr) return false;
    std::vector<char> buffer(1 << 18);
    wlfmt::options options;
    options.lenient = true;
    oplog::stream log(t.range, options);
    std::fseek(file, static_cast<long>(oplog::stream::first_byte(t.range)), SEEK_SET);
    sum.begin_part(t.path, t.range.begin);
    for (bool more = true; more && !log.done();) {
        const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), file);
        more = size != 0;
        const std::string_view chunk(buffer.data(), size);
        more ? log.feed(chunk) : log.finish();
        while (const auto op = log.next()) sum.add(*op);
    }
    sum.end_part(t.range.end);
    const bool whole = std::ferror(file) == 0 && log.ok() && log.tolerated() == 0;
    std::fclose(file);
    return whole;
}

void send(const analysis::summary& sum, int to) {
    std::string line;
    analysis::output to_line(line);
    analysis::write(to_line, sum);
    const auto size = static_cast<unsigned long long>(line.size());
    MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, to, 0, MPI_COMM_WORLD);
    MPI_Send(line.data(), static_cast<int>(size), MPI_CHAR, to, 0, MPI_COMM_WORLD);
}
bool receive(analysis::summary& sum, int from) {
    unsigned long long size = 0;
    MPI_Recv(&size, 1, MPI_UNSIGNED_LONG_LONG, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::string line(size, '\0');
    MPI_Recv(line.data(), static_cast<int>(size), MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const auto other = analysis::read_summary(line);
    return other.ok() && sum.merge(*other);
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int self = 0;
    int processes = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    constexpr std::uint64_t part_size = 64 << 20;

    const std::vector<std::string> paths(arguments + 1, arguments + count);
    const oplog::run_files files = oplog::choose_files(paths);
    analysis::summary sum(analysis::summary::keep::calls);
    int failed = self == 0 && !report(files) ? 1 : 0;
    const std::vector<task> tasks = tasks_of(files.chosen, arguments + 1, part_size);
    for (std::size_t n = static_cast<std::size_t>(self); n < tasks.size(); n += static_cast<std::size_t>(processes)) {
        if (add(sum, tasks[n])) continue;
        std::cerr << tasks[n].path << ": could not be read, or not all of it\n";
        failed = 1;
    }
    // A binary tree: in each round every second remaining process hands its sum to another. The order does not matter.
    for (int step = 1; step < processes; step *= 2) {
        if (self % (2 * step) != 0) {
            send(sum, self - step);
            break;
        }
        if (self + step < processes && !receive(sum, self + step)) failed = 1;
    }
    if (self == 0 && !report(sum)) failed = 1;
    int any_failed = 0;
    MPI_Reduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (self == 0) {
        analysis::output standard_output(stdout);
        analysis::write(standard_output, sum);
        standard_output.flush();
    }
    MPI_Finalize();
    return any_failed;
}
