// wlfmt/file.hpp: a file as a read-only text. Not included by wlfmt.hpp.
//
//     wlfmt::text_file trace("rank7.txt");
//     if (!trace.ok()) std::cerr << wlfmt::explain(trace.error(), {}, "rank7.txt");
//     wlfmt::oplog::reader log(trace.text());
//
// A regular file is memory-mapped where the system can do that; everything else (pipes, devices, and any file where
// WLFMT_NO_MMAP is defined) is read into memory. An empty file is an empty text. A directory is
// error_kind::is_directory.
//
// If another process cuts a mapped file short while it is read, the system stops the reading program (SIGBUS on POSIX
// systems): define WLFMT_NO_MMAP, or read files that others are writing with read_file().
#include "version.hpp"

#ifndef WLFMT_FILE_HPP
#define WLFMT_FILE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "detail/file/source.hpp"
#include "error.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

inline namespace WLFMT_FILES {

class text_file {
public:
    // Opens the file and maps or reads it. Throws nothing but std::bad_alloc, where a file is read into memory. `path`
    // is in the system's own encoding.
    explicit text_file(const char* path) : text_file(detail::source(path)) {}
    explicit text_file(const std::string& path) : text_file(path.c_str()) {}
    // For the library itself: a file of which nothing was read yet.
    explicit text_file(detail::source&& from) {
        if (from.is_open()) text_ = from.map();
        mapped_ = !text_.empty();
        if (mapped_) return;
        error_ = detail::read_all(from, read_);
        text_ = read_;
    }
    // The file that was moved from is empty, without an error.
    text_file(text_file&& other) noexcept { *this = std::move(other); }
    text_file& operator=(text_file&& other) noexcept {
        if (this == &other) return *this;
        if (mapped_) detail::unmap(text_);
        mapped_ = std::exchange(other.mapped_, false);
        error_ = std::exchange(other.error_, {});
        const std::string_view mapped_text = std::exchange(other.text_, std::string_view());
        // Moving a short string moves its bytes, so the view of it is made anew.
        read_ = std::move(other.read_);
        other.read_.clear();
        text_ = mapped_ ? mapped_text : std::string_view(read_);
        return *this;
    }
    ~text_file() {
        if (mapped_) detail::unmap(text_);
    }

    [[nodiscard]] bool ok() const noexcept { return !error_; }
    // cannot_open, cannot_read, is_directory, or none.
    [[nodiscard]] const struct error& error() const& noexcept { return error_; }
    [[nodiscard]] struct error error() && noexcept { return error_; }
    // The whole file. The view lives as long as this object, so a temporary object does not hand it out.
    [[nodiscard]] std::string_view text() const& noexcept { return text_; }
    std::string_view text() const&& = delete;
    // True if text() is a mapping of the file.
    [[nodiscard]] bool mapped() const noexcept { return mapped_; }

private:
    std::string_view text_ = {};
    std::string read_ = {};
    struct error error_ = {};
    bool mapped_ = false;
};

// Reads all of a file, pipe or device into `to`. If reading fails, `to` holds what was read before. Throws nothing but
// what std::string throws when there is no memory.
[[nodiscard]] inline error read_file(const char* path, std::string& to) {
    detail::source from(path);
    return detail::read_all(from, to);
}

}  // namespace WLFMT_FILES

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
