// Reading the op logs of a run with several threads, into one summary.
#ifndef WLFMT_TOOLS_RUN_READ_HPP
#define WLFMT_TOOLS_RUN_READ_HPP

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <wlfmt/stream.hpp>
#include <wlfmt/summary.hpp>
#include <wlfmt/wlfmt.hpp>

#include "folder.hpp"
#include "input.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// What became of a file, or of a part of one.
struct read_file_part {
    std::uint64_t begin = 0;
    std::uint64_t lines = 0;
    std::vector<told> problems;  // the first ones
    std::uint64_t errors = 0;
    std::uint64_t warnings = 0;
};
struct read_outcome {
    wlfmt::file_format kind = wlfmt::file_format::unknown;
    wlfmt::error failed;      // the file could not be opened or read
    std::string_view packed;  // the program that unpacks it
    bool is_empty = false;
    std::set<std::int64_t> ranks;  // that its records name
    std::vector<read_file_part> parts;
    std::vector<wlfmt::oplog::summary> own;  // --per-file: its summary

    std::uint64_t errors() const {
        std::uint64_t n = 0;
        for (const read_file_part& p : parts) n += p.errors;
        return n;
    }
};

// Reads files one after the other, and large ones in parts that several threads may read at the same time. What all
// threads read is one summary, the same whatever their number.
class run_reader {
public:
    run_reader(const std::vector<std::string>& files, const settings& s, wlfmt::oplog::summary empty)
        : files_(files),
          settings_(s),
          empty_(std::move(empty)),
          all_(empty_),
          outcomes_(files.size()),
          shown_("files", files.size()) {}

    void read(unsigned threads) {
        std::vector<std::thread> others;
        const auto most = static_cast<unsigned>((std::min)(files_.size() + 1, std::size_t{1} << 10));
        const unsigned wanted = (std::max)(1U, (std::min)(threads, files_.size() > 1 ? most : threads));
        several_ = wanted > 1;
        for (unsigned n = 1; n < wanted; ++n) others.emplace_back([this] { work(); });
        work();
        for (std::thread& one : others) one.join();
    }
    wlfmt::oplog::summary& summary() noexcept { return all_; }
    std::vector<read_outcome>& outcomes() noexcept { return outcomes_; }

private:
    static constexpr std::uint64_t part_size = std::uint64_t{1} << 26;
    struct task {
        std::size_t file;
        std::size_t part;
        wlfmt::byte_range range;
    };

    void work() {
        worker here{empty_, {}};
        for (task t; take(t);) {
            if (t.part == 0)
                read_file(t.file, here);
            else
                read_part(t, here);
            const std::lock_guard<std::mutex> lock(mutex_);
            if (--busy_ == 0) more_.notify_all();
            if (t.part == 0) shown_.step();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        static_cast<void>(all_.merge(here.sum));
    }
    // Parts of a file that was begun come before further files. Waits where somebody who is busy may yet find parts.
    bool take(task& t) {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            if (!parts_.empty()) {
                t = parts_.front();
                parts_.pop_front();
                break;
            }
            if (next_ != files_.size()) {
                t = {next_++, 0, {}};
                break;
            }
            if (busy_ == 0) return false;
            more_.wait(lock);
        }
        ++busy_;
        return true;
    }

    struct worker {
        wlfmt::oplog::summary sum;
        std::string memory;
    };

    void read_file(std::size_t n, worker& here) {
        read_outcome& to = outcomes_[n];
        input from(files_[n].c_str(), here.memory);
        to.failed = from.error();
        if (to.failed) return;
        const std::string_view beginning = from.beginning();
        to.packed = decompressor(beginning);
        to.is_empty = beginning.empty();
        if (!to.packed.empty() || to.is_empty) return;
        to.kind = kind_of(beginning, settings_);
        if (to.kind != wlfmt::file_format::oplog) return;
        const std::vector<wlfmt::byte_range> ranges = parts_of(from);
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            to.parts.resize(ranges.size());
            if (settings_.per_file) to.own.assign(1, empty_);
            for (std::size_t part = 1; part != ranges.size(); ++part) parts_.push_back({n, part, ranges[part]});
            if (ranges.size() > 1) more_.notify_all();
        }
        read_records(from, {n, 0, ranges[0]}, here);
    }
    void read_part(const task& t, worker& here) {
        input from(files_[t.file].c_str(), here.memory, wlfmt::oplog::stream::first_byte(t.range));
        if (from.error()) {
            const std::lock_guard<std::mutex> lock(mutex_);
            outcomes_[t.file].failed = from.error();
            return;
        }
        read_records(from, t, here);
    }
    // A large file has several parts where there are several threads.
    std::vector<wlfmt::byte_range> parts_of(const input& from) const {
        const std::uint64_t size = several_ ? from.size() : 0;
        if (size < 2 * part_size) return {wlfmt::byte_range()};
        std::vector<wlfmt::byte_range> ranges;
        for (std::uint64_t begin = 0; begin < size; begin += part_size) ranges.push_back({begin, begin + part_size});
        ranges.back().end = wlfmt::byte_range().end;
        return ranges;
    }

    void read_records(input& from, const task& t, worker& here) {
        const bool whole = t.range.begin == 0 && t.range.end == wlfmt::byte_range().end;
        read_file_part outcome;
        outcome.begin = t.range.begin;
        report r(from.name(), settings_);
        r.set_kind(wlfmt::file_format::oplog);
        r.keep_in(outcome.problems);
        std::set<std::int64_t> ranks;
        std::int64_t last_rank = -1;
        wlfmt::oplog::summary own(settings_.per_file ? empty_
                                                     : wlfmt::oplog::summary(std::vector<wlfmt::oplog::dimension>()));
        wlfmt::oplog::summary& sum = settings_.per_file ? own : here.sum;
        if (whole)
            sum.begin_text();
        else
            sum.begin_part(files_[t.file], t.range.begin);
        outcome.lines =
            for_each_operation(from, settings_, r, t.range, [&](const wlfmt::oplog::operation& op, const auto&) {
                sum.add(op);
                if (op.origin != wlfmt::oplog::origin::rank || op.rank == last_rank) return;
                last_rank = op.rank;
                ranks.insert(op.rank);
            });
        if (!whole) sum.end_part(t.range.end);
        outcome.errors = r.errors();
        outcome.warnings = r.warnings();
        if (settings_.per_file) static_cast<void>(here.sum.merge(own));

        const std::lock_guard<std::mutex> lock(mutex_);
        read_outcome& to = outcomes_[t.file];
        if (from.error()) to.failed = from.error();
        if (settings_.per_file) static_cast<void>(to.own[0].merge(own));
        to.ranks.insert(ranks.begin(), ranks.end());
        to.parts[t.part] = std::move(outcome);
    }

    const std::vector<std::string>& files_;
    const settings& settings_;
    const wlfmt::oplog::summary empty_;
    wlfmt::oplog::summary all_;
    std::vector<read_outcome> outcomes_;
    progress shown_;
    bool several_ = false;
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<task> parts_;
    std::size_t next_ = 0;
    std::size_t busy_ = 0;
};

}  // namespace tool

#endif
