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

    static file_stamp now(std::string_view path);
    bool operator==(const file_stamp& other) const { return size == other.size && time == other.time; }
};

// Hands out chunks as they come. Only one of them is in memory at a time, unless the whole text is asked for.
class input {
public:
    explicit input(const char* path) : input(path, own_) {}
    // Reads from `first_byte` on, into `memory`, which can be used for one file after the other.
    input(const char* path, std::string& memory, std::uint64_t first_byte = 0);
    // A text that has already been read, perhaps from a notebook's cells.
    input(std::string_view path, std::string&& text, std::vector<notebook_cell> cells = {});
    input(const input&) = delete;
    input& operator=(const input&) = delete;
    ~input();

    std::string_view name() const noexcept { return path_ == "-" ? std::string_view("<stdin>") : path_; }
    const wlfmt::problem& error() const noexcept { return error_; }
    const std::vector<notebook_cell>& cells() const noexcept { return cells_; }
    // The name of the input at this place of the text, which in a notebook includes the cell.
    std::string name_at(std::uint64_t offset) const { return name_of_part(name(), cell_at(cells_, offset)); }
    // The text that has been read but not handed out yet.
    std::string_view beginning() const noexcept { return {text_.data(), have_}; }
    // The size of the file; 0 if it is not known, or if the file has already been read to its end.
    std::uint64_t size() const;

    // Whether the input can be read again: pipes, devices and standard input cannot.
    bool can_be_read_again() const;
    // How many bytes have been read so far.
    std::uint64_t bytes() const noexcept { return read_; }

    // Reads on after the beginning until shows(part) is true, or to the end. Each part begins at the start of a line
    // and includes a good piece of the part before it. Afterwards, the text is handed out from its start. If the file
    // can be read again, only one part is in memory at a time.
    bool search(const callback<bool(std::string_view)>& shows);

    // The next bytes, valid until the next call; empty after the last ones.
    std::string_view next();

    // Reads the input to its end.
    std::string_view whole();

    // From now on, hands out this text, which was made from the whole one. `cells`: the cells of a notebook that
    // printed it.
    void replace(std::string&& text, std::vector<notebook_cell>&& cells = {});

private:
    static constexpr std::size_t beginning_size = 1 << 16;
    static constexpr std::size_t chunk_size = 1 << 18;
    static constexpr std::size_t part_size = 1 << 20;
    static constexpr std::size_t max_read = 1 << 22;

    void fill(std::size_t size);
    std::size_t read(char* to, std::size_t size);
    bool seek(std::uint64_t byte);

    std::string_view path_;
    const std::string* given_ = nullptr;  // the text that the caller of the command has given for the file
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
bool report_unreadable(const input& from);

}  // namespace tool

#endif
