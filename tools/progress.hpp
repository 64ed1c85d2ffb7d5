// How far a command has come, on standard error where that is a terminal.
#ifndef WLFMT_TOOLS_PROGRESS_HPP
#define WLFMT_TOOLS_PROGRESS_HPP

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>

#if defined(_WIN32)
#    include <io.h>
#else
#    include <unistd.h>
#endif

namespace tool {

// `12 of 640 files, 310 a second, 2 s left`, on a line of its own that is cleared at the end. A few times a second.
class progress {
public:
    // `what`: "files". Nothing is shown of a single one.
    progress(std::string_view what, std::size_t all) : what_(what), all_(all), shown_(all > 1 && is_terminal()) {}
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { end(); }
    // Clears the line.
    void end() {
        if (last_ != begin_) std::fputs("\r\x1B[K", stderr);
        last_ = begin_;
    }
    // One more is done. Threads take turns.
    void step() {
        ++done_;
        if (!shown_) return;
        const auto now = clock::now();
        if (now - last_ < std::chrono::milliseconds(200)) return;
        last_ = now;
        const double seconds = std::chrono::duration<double>(now - begin_).count();
        const double rate = static_cast<double>(done_) / seconds;
        const double left = static_cast<double>(all_ - (done_ < all_ ? done_ : all_)) / rate;
        std::fprintf(stderr, "\r%zu of %zu %.*s, %.0f a second, %.0f s left   ", done_, all_,
                     static_cast<int>(what_.size()), what_.data(), rate, left);
    }

private:
    using clock = std::chrono::steady_clock;
    static bool is_terminal() {
#if defined(_WIN32)
        return _isatty(_fileno(stderr)) != 0;
#else
        return isatty(fileno(stderr)) != 0;
#endif
    }
    std::string_view what_;
    std::size_t all_;
    std::size_t done_ = 0;
    bool shown_;
    clock::time_point begin_ = clock::now();
    clock::time_point last_ = begin_;
};

}  // namespace tool

#endif
