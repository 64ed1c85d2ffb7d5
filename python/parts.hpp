// What each thread of a parallel stream reads at a time: a few files, or a piece of a large op log.
#ifndef WLFMT_PYTHON_PARTS_HPP
#define WLFMT_PYTHON_PARTS_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <filesystem>
#endif

#include <wlfmt/arrow.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/wlfmt.hpp>

namespace wlfmt_python {

// The size of the pieces that a large op log is read in.
inline constexpr std::uint64_t piece_size = std::uint64_t{4} << 20;

// The line numbers of a file, which are counted when they are asked for.
class line_numbers {
public:
    explicit line_numbers(std::string path) : path_(std::move(path)) {}
    // The number of the line that begins at this offset. Any thread may call it.
    std::uint64_t at(std::uint64_t offset);

private:
    std::mutex mutex_;
    std::string path_;
    std::map<std::uint64_t, std::uint64_t> known_ = {{0, 1}};
};
// What one thread reads at a time: a few files, or a piece of an op log.
struct part {
    std::vector<wlfmt::arrow::input> files = {};
    std::optional<wlfmt::byte_range> range = std::nullopt;  // a range of the only file; the last one has no end
    std::shared_ptr<line_numbers> lines = nullptr;          // shared by the pieces of a file

    bool is_last_piece() const noexcept { return range && range->end == wlfmt::byte_range().end; }
};

// The size of a file; 0 if it is not known.
inline std::uintmax_t size_of(const std::string& path) {
#if defined(__unix__) || defined(__APPLE__)
    struct stat about;
    return ::stat(path.c_str(), &about) == 0 ? static_cast<std::uintmax_t>(about.st_size) : 0;
#else
    std::error_code failed;
    const std::uintmax_t size = std::filesystem::file_size(std::filesystem::u8path(path), failed);
    return failed ? 0 : size;
#endif
}

#if defined(__unix__) || defined(__APPLE__)
class opened_file {
public:
    explicit opened_file(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) fail(wlfmt::error_kind::cannot_open);
    }
    opened_file(const opened_file&) = delete;
    opened_file& operator=(const opened_file&) = delete;
    ~opened_file() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    const wlfmt::problem& error() const noexcept { return failed_; }
    // Reads up to `size` bytes from the offset `at`. Returns how many there were.
    std::size_t read(std::uint64_t at, char* to, std::size_t size) {
        std::size_t done = 0;
        while (done != size && !failed_) {
            const ssize_t got = ::pread(descriptor_, to + done, size - done, static_cast<off_t>(at + done));
            if (got == 0) break;
            if (got > 0) done += static_cast<std::size_t>(got);
            else if (errno != EINTR)
                fail(errno == EISDIR ? wlfmt::error_kind::is_directory : wlfmt::error_kind::cannot_read);
        }
        return done;
    }
    // The first byte at or after `at` that begins a line, or the end of the file.
    std::uint64_t line_at(std::uint64_t at) {
        if (at == 0) return 0;
        char block[4096];
        for (--at;;) {
            const std::string_view some(block, read(at, block, sizeof block));
            const std::size_t end = some.find('\n');
            if (end != std::string_view::npos) return at + end + 1;
            at += some.size();
            if (some.size() != sizeof block) return at;
        }
    }

private:
    void fail(wlfmt::error_kind kind) {
        failed_.kind = kind;
        failed_.found = errno;
    }
    int descriptor_;
    wlfmt::problem failed_;
};
// Reads the lines that begin in the range; `begin` becomes the offset of the first one. The last piece includes what
// was added to the file meanwhile, as when a file is read as a whole.
inline wlfmt::problem read_piece(const std::string& path, wlfmt::byte_range range, std::string& text,
                                 std::uint64_t& begin) {
    opened_file from(path);
    if (from.error()) return from.error();
    const bool is_last = range.end == wlfmt::byte_range().end;
    begin = from.line_at(range.begin);
    std::uint64_t end = is_last ? size_of(path) : from.line_at(range.end);
    for (text.clear(); begin + text.size() < end;) {
        const std::size_t size = text.size();
        const auto more = static_cast<std::size_t>(end - begin) - size;
        text.resize(size + more);
        const std::size_t got = from.read(begin + size, &text[size], more);
        text.resize(size + got);
        if (got != more) break;
        if (is_last) end = size_of(path);
    }
    return from.error();
}
inline std::uint64_t line_numbers::at(std::uint64_t offset) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto before = --known_.upper_bound(offset);
    std::uint64_t from = before->first;
    std::uint64_t number = before->second;
    opened_file file(path_);
    std::vector<char> block(std::size_t{1} << 16);
    while (from != offset) {
        const auto most = static_cast<std::size_t>((std::min)(std::uint64_t{block.size()}, offset - from));
        const std::size_t got = file.read(from, block.data(), most);
        if (got == 0) break;
        number += static_cast<std::uint64_t>(std::count(block.data(), block.data() + got, '\n'));
        from += got;
    }
    known_[offset] = number;
    return number;
}
// Adds the pieces of an op log; `piece` is the size of one.
inline void cut(std::vector<part>& to, wlfmt::arrow::input file, std::uint64_t size, std::uint64_t piece) {
    const auto lines = std::make_shared<line_numbers>(file.name);
    const std::uint64_t count = size / piece;
    for (std::uint64_t n = 0; n != count; ++n) {
        part& added = to.emplace_back();
        added.files.push_back(file);
        added.range = {n * piece, n + 1 == count ? wlfmt::byte_range().end : (n + 1) * piece};
        added.lines = lines;
    }
}
#else
inline wlfmt::problem read_piece(const std::string&, wlfmt::byte_range, std::string&, std::uint64_t&) { return {}; }
inline std::uint64_t line_numbers::at(std::uint64_t) { return 1; }
inline void cut(std::vector<part>& to, wlfmt::arrow::input file, std::uint64_t, std::uint64_t) {
    to.emplace_back().files.push_back(std::move(file));
}
#endif

// The parts that threads read one after the other; one part if threads would not pay. `piece`: the size of the pieces
// of op logs that have at least twice that size, and 0 if files must be whole. The sizes of many files are estimated
// from a few: nothing but speed depends on them.
inline std::vector<part> divide(std::vector<wlfmt::arrow::input> files, std::size_t threads, std::uint64_t piece) {
    // The bytes of a part: enough to take longer to read than a thread takes to start. A file that is a part by itself
    // may be longer.
    constexpr std::uintmax_t least = std::uintmax_t{1} << 20;
    constexpr std::uintmax_t most = std::uintmax_t{4} << 20;
    constexpr std::size_t sample = 8;
    constexpr std::size_t few = 64;
    std::size_t length = (std::max)(files.size(), std::size_t{1});
    std::vector<part> parts;
    // Texts in memory would have to be copied.
    const bool are_files = std::none_of(files.begin(), files.end(), [](const auto& in) { return in.text.has_value(); });
    const bool pays = threads > 1 && are_files;
    if (pays && files.size() > 1) {
        const std::size_t count = (std::min)(sample, files.size());
        std::uintmax_t sum = 0;
        for (std::size_t n = 0; n != count; ++n) sum += size_of(files[n * files.size() / count].name);
        const std::uintmax_t mean = sum / count + 1;
        // Eight parts for each thread, so that the threads end at about the same time.
        const std::uintmax_t wanted = (std::clamp)(mean * files.size() / (threads * 8), least, most);
        length = static_cast<std::size_t>((std::clamp)(wanted / mean, std::uintmax_t{1}, std::uintmax_t{files.size()}));
    }
    const bool cuts = pays && piece != 0 && files.size() <= few;
    bool is_open = false;  // the last part takes further files
    for (wlfmt::arrow::input& file : files) {
        const std::uintmax_t size = cuts ? size_of(file.name) : 0;
        if (cuts && size / piece >= 2) {
            cut(parts, std::move(file), size, piece);
            is_open = false;
            continue;
        }
        if (!is_open || parts.back().files.size() == length) parts.emplace_back();
        is_open = true;
        parts.back().files.push_back(std::move(file));
    }
    return parts;
}

}  // namespace wlfmt_python

#endif
