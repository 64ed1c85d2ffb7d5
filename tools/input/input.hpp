// A file or standard input, in chunks or as a whole.
#ifndef WLFMT_TOOLS_INPUT_INPUT_HPP
#define WLFMT_TOOLS_INPUT_INPUT_HPP

#include <filesystem>
#include <system_error>

#include <wlfmt/error.hpp>

#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "analysis/callback.hpp"

namespace tool {

// Size and time of a file, to find out whether it has changed since it was read.
struct file_stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time = {};

    static file_stamp now(std::string_view path) {
        file_stamp stamp;
        std::error_code failed;
        stamp.size = std::filesystem::file_size(std::filesystem::path(path), failed);
        stamp.time = std::filesystem::last_write_time(std::filesystem::path(path), failed);
        return stamp;
    }
    bool operator==(const file_stamp& other) const { return size == other.size && time == other.time; }
};

// Hands out chunks as they come. Only one of them is in memory at a time, unless the whole text is asked for.
class input {
public:
    explicit input(const char* path) : input(path, own_) {}
    // Reads from `first_byte` on, into `memory`, which can be used for one file after the other.
    input(const char* path, std::string& memory, std::uint64_t first_byte = 0)
        : path_(path), text_(memory), first_byte_(first_byte) {
        stream_ = path_ == "-" ? stdin : std::fopen(path, "rb");
        if (stream_ == nullptr) {
            at_end_ = true;
            error_ = {wlfmt::error_kind::cannot_open, 0, 0, {}, errno};
            return;
        }
        // The file is read in large pieces: a buffer of the stream would only cost a copy.
        static_cast<void>(std::setvbuf(stream_, nullptr, _IONBF, 0));
        if (first_byte != 0 && !seek(first_byte)) error_ = {wlfmt::error_kind::cannot_read, 0, 0, {}, errno};
        fill(beginning_size);
    }
    // A text that has already been read, perhaps from a notebook's cells.
    input(std::string_view path, std::string&& text, std::vector<notebook_cell> cells = {})
        : path_(path),
          own_(std::move(text)),
          text_(own_),
          cells_(std::move(cells)),
          have_(own_.size()),
          at_end_(true) {}
    input(const input&) = delete;
    input& operator=(const input&) = delete;
    ~input() {
        if (stream_ != nullptr && stream_ != stdin) static_cast<void>(std::fclose(stream_));
    }

    std::string_view name() const noexcept { return path_ == "-" ? std::string_view("<stdin>") : path_; }
    const wlfmt::problem& error() const noexcept { return error_; }
    const std::vector<notebook_cell>& cells() const noexcept { return cells_; }
    // The name of the input at this place of the text, which in a notebook includes the cell.
    std::string name_at(std::uint64_t offset) const { return name_of_part(name(), cell_at(cells_, offset)); }
    // The text that has been read but not handed out yet.
    std::string_view beginning() const noexcept { return {text_.data(), have_}; }
    // The size of the file; 0 if it is not known, or if the file has already been read to its end.
    std::uint64_t size() const {
        std::error_code failed;
        const std::uintmax_t size =
            at_end_ || stream_ == stdin ? 0 : std::filesystem::file_size(std::filesystem::path(path_), failed);
        return failed ? 0 : size;
    }

    // Whether the input can be read again: pipes, devices and standard input cannot.
    bool can_be_read_again() const {
        std::error_code failed;
        return path_ != "-" && std::filesystem::is_regular_file(std::filesystem::path(path_), failed);
    }
    // How many bytes have been read so far.
    std::uint64_t bytes() const noexcept { return read_; }

    // Reads on after the beginning until shows(part) is true, or to the end. Each part begins at the start of a line
    // and includes a good piece of the part before it. Afterwards, the text is handed out from its start. If the file
    // can be read again, only one part is in memory at a time.
    bool search(const callback<bool(std::string_view)>& shows) {
        const bool again = can_be_read_again();
        bool shown = false;
        for (std::size_t from = 0; !shown && !at_end_;) {
            from = have_ - (std::min)(have_ - from, beginning_size);
            const std::size_t before = beginning().rfind('\n', from);
            from = before == std::string_view::npos ? from : before + 1;
            if (again) {
                text_.erase(0, from);
                have_ -= std::exchange(from, 0);
            }
            fill(have_ + part_size);
            shown = shows(beginning().substr(from));
        }
        if (again && seek(first_byte_)) {
            have_ = 0;
            read_ = 0;
            at_end_ = false;
            fill(beginning_size);
        }
        return shown;
    }

    // The next bytes, valid until the next call; empty after the last ones.
    std::string_view next() {
        if (handed_) have_ = 0;
        handed_ = true;
        fill(chunk_size);
        return beginning();
    }

    // Reads the input to its end.
    std::string_view whole() {
        for (std::size_t size = 1 << 24; !at_end_; size *= 2) fill(size);
        return beginning();
    }

    // From now on, hands out this text, which was made from the whole one. `cells`: the cells of a notebook that
    // printed it.
    void replace(std::string&& text, std::vector<notebook_cell>&& cells = {}) {
        text_ = std::move(text);
        cells_ = std::move(cells);
        have_ = text_.size();
        at_end_ = true;
    }

private:
    static constexpr std::size_t beginning_size = 1 << 16;
    static constexpr std::size_t chunk_size = 1 << 18;
    static constexpr std::size_t part_size = 1 << 20;

    void fill(std::size_t size) {
        if (text_.size() < size && !at_end_) text_.resize(size);
        while (!at_end_ && have_ < size) {
            errno = 0;
            const std::size_t got = std::fread(&text_[have_], 1, size - have_, stream_);
            have_ += got;
            read_ += got;
            // Input in borrowed memory is not counted: threads may share the work, and show its progress.
            if (&text_ == &own_) reading_progress.add(got);
            if (got != 0 && have_ == size) break;
            at_end_ = true;
            if (std::ferror(stream_) == 0) continue;
            const bool is_folder = errno == EISDIR;
            error_ = {is_folder ? wlfmt::error_kind::is_directory : wlfmt::error_kind::cannot_read, 0, 0, {}, errno};
        }
    }
    bool seek(std::uint64_t byte) {
#if defined(_WIN32)
        return _fseeki64(stream_, static_cast<long long>(byte), SEEK_SET) == 0;
#else
        return fseeko(stream_, static_cast<off_t>(byte), SEEK_SET) == 0;
#endif
    }

    std::string_view path_;
    std::FILE* stream_ = nullptr;
    std::string own_;
    std::string& text_;
    std::vector<notebook_cell> cells_;
    std::uint64_t first_byte_ = 0;
    std::size_t have_ = 0;
    std::uint64_t read_ = 0;
    bool at_end_ = false;
    bool handed_ = false;
    wlfmt::problem error_;
};

// Returns whether a file could not be opened or read, and reports why.
inline bool report_unreadable(const input& from) {
    if (!from.error()) return false;
    standard_error.append(wlfmt::explain(from.error(), {}, wlfmt::in_file(from.name())));
    return true;
}

}  // namespace tool

#endif
