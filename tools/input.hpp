// A file or standard input, in chunks or as a whole.
#ifndef WLFMT_TOOLS_INPUT_HPP
#define WLFMT_TOOLS_INPUT_HPP

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <wlfmt/error.hpp>

namespace tool {

// Hands out chunks as they come: only one is ever in memory, unless the whole is asked for.
class input {
public:
    explicit input(const char* path) : path_(path) {
        stream_ = path_ == "-" ? stdin : std::fopen(path, "rb");
        if (stream_ == nullptr) {
            error_.kind = wlfmt::error_kind::cannot_open;
            return;
        }
        fill(beginning_size);
    }
    input(const input&) = delete;
    input& operator=(const input&) = delete;
    ~input() {
        if (stream_ != nullptr && stream_ != stdin) static_cast<void>(std::fclose(stream_));
    }

    std::string_view name() const noexcept { return path_ == "-" ? std::string_view("<stdin>") : path_; }
    const wlfmt::error& error() const noexcept { return error_; }
    // What has been read so far and not been handed out: enough to tell the format by.
    std::string_view beginning() const noexcept { return text_; }

    // The next bytes, valid until the next call; empty after the last ones.
    std::string_view next() {
        text_.erase(0, handed_);
        fill(chunk_size);
        handed_ = text_.size();
        return text_;
    }

    // All of it at once.
    std::string_view whole() {
        for (std::size_t size = 1 << 24; !at_end_; size *= 2) fill(size);
        return text_;
    }

private:
    static constexpr std::size_t beginning_size = 1 << 16;
    static constexpr std::size_t chunk_size = 1 << 18;

    void fill(std::size_t size) {
        while (!at_end_ && text_.size() < size) {
            const std::size_t have = text_.size();
            text_.resize(size);
            errno = 0;
            const std::size_t got = std::fread(&text_[have], 1, size - have, stream_);
            text_.resize(have + got);
            if (got != 0) continue;
            at_end_ = true;
            if (std::ferror(stream_) != 0)
                error_.kind = errno == EISDIR ? wlfmt::error_kind::is_directory : wlfmt::error_kind::cannot_read;
        }
    }

    std::string_view path_;
    std::FILE* stream_ = nullptr;
    std::string text_;
    bool at_end_ = false;
    std::size_t handed_ = 0;
    wlfmt::error error_;
};

}  // namespace tool

#endif
