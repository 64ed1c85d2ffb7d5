// Shows how far a command has come, on standard error if that is a terminal.
#ifndef WLFMT_TOOLS_OUTPUT_PROGRESS_HPP
#define WLFMT_TOOLS_OUTPUT_PROGRESS_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "terminal.hpp"

namespace tool {

// A line on standard error that is overwritten a few times a second, and cleared at the end.
class progress_line {
public:
    void begin() { last_ = begin_ = clock::now(); }
    // The seconds since the beginning, if the line is due again.
    std::optional<double> due(int first_milliseconds) {
        const auto now = clock::now();
        if (now - last_ < std::chrono::milliseconds(is_shown_ ? 200 : first_milliseconds)) return std::nullopt;
        last_ = now;
        return std::chrono::duration<double>(now - begin_).count();
    }
    // Cuts the line to the width of the terminal, as a wider one could not be cleared.
    void show(std::string_view line) {
        const std::size_t shown = (std::min)(line.size(), width_of(stderr) - 1);
        std::fprintf(stderr, "\r%.*s\x1B[K", static_cast<int>(shown), line.data());
        is_shown_ = true;
    }
    void clear() {
        if (is_shown_) std::fputs("\r\x1B[K", stderr);
        is_shown_ = false;
    }

private:
    using clock = std::chrono::steady_clock;
    bool is_shown_ = false;
    clock::time_point begin_ = clock::now();
    clock::time_point last_ = begin_;
};

// Shows `12 of 640 files, 310 a second, 2 s left`.
class progress {
public:
    // What a command writes to standard output while it runs.
    enum class output { nothing, lines };
    // `items`: what is counted, "files". Nothing is shown for a single file, nor if a terminal shows the command's own
    // lines.
    progress(std::string_view items, std::size_t count, output written = output::nothing)
        : items_(items),
          count_(count),
          terminal_(is_terminal(stderr) && (written == output::nothing || !is_terminal(stdout))) {}
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { clear(); }
    // Adds `more` items to be done, and calls all items `items` from now on.
    void add(std::size_t more, std::string_view items) {
        count_ += more;
        items_ = items;
    }
    // Clears the line, before anything else is written.
    void clear() { line_.clear(); }
    // Counts one more item as done. Several threads must not call it at the same time.
    void step() {
        ++done_;
        if (!terminal_ || count_ <= 1) return;
        const auto seconds = line_.due(200);
        if (!seconds) return;
        const double rate = static_cast<double>(done_) / *seconds;
        const double left = static_cast<double>(count_ - (std::min)(done_, count_)) / rate;
        char line[160];
        static_cast<void>(std::snprintf(line, sizeof line, "%zu of %zu %.*s, %.*f a second, %.0f %s left", done_,
                                        count_, static_cast<int>(items_.size()), items_.data(), rate < 10 ? 1 : 0, rate,
                                        left < 100 ? left : left / 60, left < 100 ? "s" : "min"));
        line_.show(line);
    }

private:
    std::string_view items_;
    std::size_t count_;
    std::size_t done_ = 0;
    bool terminal_;
    progress_line line_;
};

// `512.0 of 8000.0 MB read, 431.2 MB/s, 17 s left`: for a command that reads one file, once it takes longer than a
// second.
class byte_progress {
public:
    // `size`: the size of the file; 0 if it is not known.
    void begin(std::uint64_t size) {
        all_ = size;
        is_on_ = true;
        line_.begin();
    }
    void add(std::size_t bytes) {
        read_ += bytes;
        if (!is_on_) return;
        const auto seconds = line_.due(1000);
        if (!seconds) return;
        const double rate = static_cast<double>(read_) / *seconds;
        const double left = static_cast<double>(all_ - (std::min)(read_, all_)) / rate;
        char line[160];
        static_cast<void>(
            all_ == 0 ? std::snprintf(line, sizeof line, "%.1f MB read, %.1f MB/s", megabytes(read_), rate / 1e6)
                      : std::snprintf(line, sizeof line, "%.1f of %.1f MB read, %.1f MB/s, %.0f s left",
                                      megabytes(read_), megabytes(all_), rate / 1e6, left));
        line_.show(line);
    }
    void clear() { line_.clear(); }

private:
    static double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

    std::uint64_t all_ = 0;
    std::uint64_t read_ = 0;
    bool is_on_ = false;
    progress_line line_;
};
inline byte_progress reading_progress;

}  // namespace tool

#endif
