#include "output.hpp"

#include <cerrno>

#include <wlfmt/number.hpp>

namespace wlfmt::analysis {

void output::integer(std::int64_t n) { append_value(*this, number(n)); }
void output::decimal(double v) { append_value(*this, number(v)); }

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
