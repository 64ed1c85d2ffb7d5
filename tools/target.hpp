// Where a command writes that may be given `-o FILE`.
#ifndef WLFMT_TOOLS_TARGET_HPP
#define WLFMT_TOOLS_TARGET_HPP

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

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

}  // namespace tool

#endif
