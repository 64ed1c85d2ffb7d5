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

#include "error.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

inline namespace WLFMT_FILES {

class text_file {
public:
    // Opens the file and maps or reads it. Throws nothing but std::bad_alloc, where a file is read into memory. `path`
    // is in the system's own encoding.
    explicit text_file(const char* path);
    explicit text_file(const std::string& path) : text_file(path.c_str()) {}
    // The file that was moved from is empty, without an error.
    text_file(text_file&& other) noexcept;
    text_file& operator=(text_file&& other) noexcept;
    ~text_file();

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
[[nodiscard]] error read_file(const char* path, std::string& to);

}  // namespace WLFMT_FILES

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/file.hpp"

#include "detail/base/config_end.hpp"
#endif
