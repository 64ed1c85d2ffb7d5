// Where a command writes that may be given `-o FILE`, and how far it has come.
#ifndef WLFMT_TOOLS_TARGET_HPP
#define WLFMT_TOOLS_TARGET_HPP

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#if defined(_WIN32)
#    include <io.h>
#else
#    include <unistd.h>
#endif

#include "output.hpp"

namespace tool {

// A file, or standard output where no name is given. What cannot be opened or written is told once.
class target {
public:
    explicit target(std::string name) : name_(std::move(name)) {
        if (name_.empty()) return;
        file_ = std::fopen(name_.c_str(), "wb");
        if (file_ == nullptr) standard_error.append(name_ + ": error: the file cannot be opened for writing\n");
    }
    target(const target&) = delete;
    target& operator=(const target&) = delete;
    ~target() { static_cast<void>(close()); }

    bool is_open() const noexcept { return name_.empty() || file_ != nullptr; }
    void append(const char* text, std::size_t size) {
        if (name_.empty()) return standard_output.append(text, size);
        if (file_ != nullptr && std::fwrite(text, 1, size, file_) != size) failed_ = true;
    }
    // False where something is not in the file.
    bool close() {
        if (name_.empty()) return true;
        if (file_ == nullptr) return false;
        failed_ = std::fclose(file_) != 0 || failed_;
        file_ = nullptr;
        if (failed_) standard_error.append(name_ + ": error: writing failed\n");
        return !failed_;
    }

private:
    std::string name_;
    std::FILE* file_ = nullptr;
    bool failed_ = false;
};

// Says on standard error which of how many files is being read, where that is a terminal and there are many.
class progress {
public:
    progress(std::string_view what, std::size_t all) : what_(what), all_(all), shown_(all >= least && is_terminal()) {}
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() {
        if (shown_) show(std::string(60, ' ') + '\r');
    }
    void step() {
        ++done_;
        if (shown_ && done_ % 16 == 0)
            show(std::string(what_) + ' ' + std::to_string(done_) + " of " + std::to_string(all_) + '\r');
    }

private:
    static constexpr std::size_t least = 64;
    static bool is_terminal() {
#if defined(_WIN32)
        return _isatty(_fileno(stderr)) != 0;
#else
        return isatty(STDERR_FILENO) != 0;
#endif
    }
    static void show(const std::string& line) {
        standard_error.append(line);
        standard_error.flush();
    }
    std::string_view what_;
    std::size_t all_;
    std::size_t done_ = 0;
    bool shown_;
};

}  // namespace tool

#endif
