// Shows how far a command has come, on standard error if that is a terminal.
#ifndef WLFMT_TOOLS_OUTPUT_PROGRESS_HPP
#define WLFMT_TOOLS_OUTPUT_PROGRESS_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>

#if defined(_WIN32)
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace tool {

// `12 of 640 files, 310 a second, 2 s left`, on a line of its own that is cleared at the end. A few times a second.
class progress {
public:
    // What a command writes to standard output while it runs.
    enum class output { nothing, lines };
    // `what`: "files". Nothing is shown for a single file, nor if a terminal shows the command's own lines.
    progress(std::string_view what, std::size_t all, output written = output::nothing)
        : what_(what),
          all_(all),
          terminal_(is_terminal(stderr) && (written == output::nothing || !is_terminal(stdout))) {}
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { clear(); }
    // Adds to what is to be done, and counts it in parts of that name from now on.
    void add(std::size_t more, std::string_view what) {
        all_ += more;
        what_ = what;
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
        const std::size_t shown = (std::min)({static_cast<std::size_t>(size), sizeof line - 1, width() - 1});
        std::fprintf(stderr, "\r%.*s\x1B[K", static_cast<int>(shown), line);
        is_shown_ = true;
    }

private:
    using clock = std::chrono::steady_clock;
#if defined(_WIN32)
    static bool is_terminal(std::FILE* file) { return _isatty(_fileno(file)) != 0; }
    static std::size_t width() { return 80; }
#else
    static bool is_terminal(std::FILE* file) { return isatty(fileno(file)) != 0; }
    static std::size_t width() {
        winsize size = {};
        return ioctl(fileno(stderr), TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
    }
#endif
    std::string_view what_;
    std::size_t all_;
    std::size_t done_ = 0;
    bool terminal_;
    bool is_shown_ = false;
    clock::time_point begin_ = clock::now();
    clock::time_point last_ = begin_;
};

}  // namespace tool

#endif
