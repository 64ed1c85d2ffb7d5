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
    std::optional<double> due(int first_milliseconds);
    // Cuts the line to the width of the terminal, as a wider one could not be cleared.
    void show(std::string_view line);
    void clear();

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
    progress(std::string_view items, std::size_t count, output written = output::nothing);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { clear(); }
    // Adds `more` items to be done, and calls all items `items` from now on.
    void add(std::size_t more, std::string_view items);
    // Clears the line, before anything else is written.
    void clear() { line_.clear(); }
    // Counts one more item as done. Several threads must not call it at the same time.
    void step();

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
    void begin(std::uint64_t size);
    void add(std::size_t bytes);
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
