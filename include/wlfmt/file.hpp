// wlfmt/file.hpp: a file as a read-only text. Not included by wlfmt.hpp.
//
//     wlfmt::file trace("rank7.txt");
//     if (!trace.ok()) std::cerr << wlfmt::explain(trace.error(), {}, "rank7.txt");
//     wlfmt::oplog::reader log(trace.text());
//
// A regular file is memory-mapped where the system can; pipes, devices and systems without mmap are read into memory
// (WLFMT_NO_MMAP: always). An empty file is an empty text. Directories are error_kind::is_directory.
//
// A mapped file that another process cuts short while it is read makes the system stop the reading program (SIGBUS on
// POSIX systems): define WLFMT_NO_MMAP, or read files that others write through read_file().
#ifndef WLFMT_FILE_HPP
#define WLFMT_FILE_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "error.hpp"

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

class file {
public:
    // Opens and maps, or reads; never throws but std::bad_alloc where a file is read into memory. `path` ends with NUL,
    // in the system's own encoding.
    explicit file(const char* path);
    explicit file(const std::string& path) : file(path.c_str()) {}
    file(file&& other) noexcept;
    file& operator=(file&& other) noexcept;
    ~file();

    bool ok() const noexcept { return !error_; }
    // cannot_open, cannot_read, is_directory.
    const struct error& error() const noexcept { return error_; }
    // The whole file. Lives as long as this object: a temporary has none to give.
    std::string_view text() const& noexcept { return text_; }
    std::string_view text() const&& = delete;
    bool mapped() const noexcept { return mapped_; }

private:
    std::string_view text_ = {};
    std::string read_ = {};
    struct error error_ = {};
    bool mapped_ = false;
};

// Reads all of a file, pipe or device into `to`; error_kind::none, or what went wrong (`to` then holds what was read). Throws
// nothing but what std::string throws when there is no memory.
error read_file(const char* path, std::string& to);

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/core/end.hpp"

#include "detail/core/file.hpp"
#endif
