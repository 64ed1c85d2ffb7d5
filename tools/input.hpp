// A file or standard input, in pieces or as a whole.
#ifndef WLFMT_TOOLS_INPUT_HPP
#define WLFMT_TOOLS_INPUT_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <wlfmt/error.hpp>

namespace tool {

// Whole lines of an input, and the number of the first one. Valid until the next piece is asked for.
struct piece {
    std::string_view text;
    std::uint64_t first_line = 1;
    bool last = true;
};

// Hands out pieces that end at a line's end: only a piece is ever in memory.
class input {
public:
    explicit input(const char* path) : path_(path) {
        stream_ = path_ == "-" ? stdin : std::fopen(path, "rb");
        if (stream_ == nullptr) {
            error_.kind = wlfmt::error_kind::cannot_open;
            return;
        }
        fill(first_piece);
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

    // The next piece. An empty input is one empty piece. False after the last one.
    bool next(piece& p) {
        if (last_) return false;
        text_.erase(0, handed_);
        line_ += lines_;
        std::size_t end = 0;
        for (std::size_t size = piece_size;; size *= 2) {
            fill(size);
            end = text_.rfind('\n') + 1;
            if (at_end_ || end != 0) break;
        }
        if (at_end_) end = text_.size();
        // Whether this is the last piece is known when there is a byte more, or none.
        fill(end + 1);
        last_ = at_end_ && end == text_.size();
        p.text = std::string_view(text_).substr(0, end);
        p.first_line = line_;
        p.last = last_;
        handed_ = end;
        lines_ = static_cast<std::uint64_t>(std::count(p.text.begin(), p.text.end(), '\n'));
        return true;
    }

    // All of it at once.
    std::string_view whole() {
        for (std::size_t size = 4 * piece_size; !at_end_; size *= 2) fill(size);
        return text_;
    }

private:
    static constexpr std::size_t first_piece = 1 << 16;
    static constexpr std::size_t piece_size = 1 << 22;

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
    bool last_ = false;
    std::size_t handed_ = 0;
    std::uint64_t lines_ = 0;
    std::uint64_t line_ = 1;
    wlfmt::error error_;
};

}  // namespace tool

#endif
