// Shows how far a command has come, on standard error if that is a terminal.
#ifndef WLFMT_TOOLS_OUTPUT_PROGRESS_HPP
#define WLFMT_TOOLS_OUTPUT_PROGRESS_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "terminal.hpp"

namespace tool {

// Shows `12 of 640 files, 310 a second, 2 s left` a few times a second, on a line that is cleared at the end.
class progress {
public:
    // What a command writes to standard output while it runs.
    enum class output { nothing, lines };
    // `items`: what is counted, "files". Nothing is shown for a single file, nor if a terminal shows the command's own
    // lines.
    progress(std::string_view items, std::size_t count, output written = output::nothing)
        : what_(items),
          all_(count),
          terminal_(is_terminal(stderr) && (written == output::nothing || !is_terminal(stdout))) {}
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { clear(); }
    // Adds to what is to be done, and counts it in parts of that name from now on.
    void add(std::size_t more, std::string_view items) {
        all_ += more;
        what_ = items;
    }
    // Clears the line, before anything else is written.
    void clear() {
        if (is_shown_) std::fputs("\r\x1B[K", stderr);
        is_shown_ = false;
    }
    // Counts one more as done. Any thread may call it.
    void step() {
        ++done_;
        if (!terminal_ || all_ <= 1) return;
        const auto now = clock::now();
        if (now - last_ < std::chrono::milliseconds(200)) return;
        last_ = now;
        const double seconds = std::chrono::duration<double>(now - begin_).count();
        const double rate = static_cast<double>(done_) / seconds;
        const double left = static_cast<double>(all_ - (std::min)(done_, all_)) / rate;
        char line[160];
        const int size = std::snprintf(line, sizeof line, "%zu of %zu %.*s, %.*f a second, %.0f %s left", done_, all_,
                                       static_cast<int>(what_.size()), what_.data(), rate < 10 ? 1 : 0, rate,
                                       left < 100 ? left : left / 60, left < 100 ? "s" : "min");
        if (size <= 0) return;
        // A line that is wider than the terminal could not be cleared.
        const std::size_t shown = (std::min)({static_cast<std::size_t>(size), sizeof line - 1, width_of(stderr) - 1});
        std::fprintf(stderr, "\r%.*s\x1B[K", static_cast<int>(shown), line);
        is_shown_ = true;
    }

private:
    using clock = std::chrono::steady_clock;
    std::string_view what_;
    std::size_t all_;
    std::size_t done_ = 0;
    bool terminal_;
    bool is_shown_ = false;
    clock::time_point begin_ = clock::now();
    clock::time_point last_ = begin_;
};

// `512.0 of 8000.0 MB read, 431.2 MB/s, 17 s left`: for a command that reads one file, once it takes longer than a
// second.
class byte_progress {
public:
    // `size`: that of the file; 0 if nobody knows it.
    void begin(std::uint64_t size) {
        all_ = size;
        is_on_ = true;
        last_ = begin_ = clock::now();
    }
    void add(std::size_t bytes) {
        read_ += bytes;
        if (!is_on_) return;
        const auto now = clock::now();
        if (now - last_ < std::chrono::milliseconds(is_shown_ ? 200 : 1000)) return;
        last_ = now;
        const double rate = static_cast<double>(read_) / std::chrono::duration<double>(now - begin_).count();
        char line[160];
        int size = 0;
        if (all_ == 0) size = std::snprintf(line, sizeof line, "%.1f MB read, %.1f MB/s", megabytes(read_), rate / 1e6);
        else
            size =
                std::snprintf(line, sizeof line, "%.1f of %.1f MB read, %.1f MB/s, %.0f s left", megabytes(read_),
                              megabytes(all_), rate / 1e6, static_cast<double>(all_ - (std::min)(read_, all_)) / rate);
        const std::size_t shown = (std::min)(static_cast<std::size_t>((std::max)(size, 0)), width_of(stderr) - 1);
        std::fprintf(stderr, "\r%.*s\x1B[K", static_cast<int>(shown), line);
        is_shown_ = true;
    }
    void clear() {
        if (is_shown_) std::fputs("\r\x1B[K", stderr);
        is_shown_ = false;
    }

private:
    using clock = std::chrono::steady_clock;
    static double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

    std::uint64_t all_ = 0;
    std::uint64_t read_ = 0;
    bool is_on_ = false;
    bool is_shown_ = false;
    clock::time_point begin_;
    clock::time_point last_;
};
inline byte_progress reading_progress;

}  // namespace tool

#endif
