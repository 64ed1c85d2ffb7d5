#include "output.hpp"

#include <cerrno>

namespace wlfmt::analysis {

void output::append(const char* bytes, std::size_t size) {
    size_ += size;
    if (diverted_ != nullptr) {
        diverted_->append(bytes, size);
        return;
    }
    if (file_ == nullptr) return;
    if (kept_.size() + size > capacity) flush();
    kept_.append(bytes, size);
}

void output::flush() {
    // Without this, an output that has no file would flush every file of the program.
    if (file_ == nullptr) return;
    const bool had_failed = failed_;
    errno = 0;
    if (!failed_ && !kept_.empty()) failed_ = std::fwrite(kept_.data(), 1, kept_.size(), file_) != kept_.size();
    if (!failed_) failed_ = std::fflush(file_) != 0;
    if (failed_ && !had_failed) reason_ = errno;
    if (reason_ == EPIPE) closed_ = true;
    kept_.clear();
}

void output::redirect(std::FILE* file) {
    flush();
    failed_ = false;
    file_ = file;
}

}  // namespace wlfmt::analysis
