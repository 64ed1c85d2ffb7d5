// An open file, which can be mapped or read.
#ifndef WLFMT_DETAIL_FILE_SOURCE_HPP
#define WLFMT_DETAIL_FILE_SOURCE_HPP

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include "../../types/error.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if !defined(WLFMT_NO_MMAP)
#include <sys/mman.h>
#endif
#elif defined(_WIN32)
#include <sys/stat.h>
#include <sys/types.h>
#endif

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct file_access;
inline problem file_error(error_kind kind, int reason = 0) noexcept { return {kind, 0, 0, {}, reason}; }

#if defined(__unix__) || defined(__APPLE__)

// Opens a path only once: a pipe that is opened again has lost its writer.
class source {
public:
    explicit source(const char* path) noexcept
        : descriptor_(path != nullptr ? ::open(path, O_RDONLY | O_CLOEXEC) : -1),
          reason_(is_open()         ? 0
                  : path != nullptr ? errno
                                    : EINVAL) {}
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    ~source() {
        if (is_open()) ::close(descriptor_);
    }

    bool is_open() const noexcept { return descriptor_ >= 0; }
    // The errno of opening or of the last read.
    int reason() const noexcept { return reason_; }
    bool is_directory() const noexcept {
        struct stat about;
        return ::fstat(descriptor_, &about) == 0 && S_ISDIR(about.st_mode);
    }
    // The size that a regular file has now, as it may have changed; 0 for anything else.
    std::size_t regular_size() const noexcept {
        struct stat about;
        if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) return 0;
        const auto size = static_cast<std::size_t>(about.st_size);
        return static_cast<std::uintmax_t>(about.st_size) == size ? size : 0;
    }
    // Returns the number of bytes read: 0 at the end, negative if reading fails.
    std::ptrdiff_t read(char* bytes, std::size_t size) noexcept {
        for (;;) {
            const ssize_t got = ::read(descriptor_, bytes, size);
            if (got < 0) reason_ = errno;
            if (got >= 0 || reason_ != EINTR) return static_cast<std::ptrdiff_t>(got);
        }
    }
    // Call it for regular files only.
    void rewind() noexcept { static_cast<void>(::lseek(descriptor_, 0, SEEK_SET)); }
    // Maps the file; empty if it cannot be mapped.
    std::string_view map() noexcept {
#if !defined(WLFMT_NO_MMAP)
        const std::size_t size = regular_size();
        if (size == 0) return {};
        void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
        if (bytes != MAP_FAILED) return {static_cast<const char*>(bytes), size};
#endif
        return {};
    }

private:
    int descriptor_;
    int reason_;
};

inline void unmap(std::string_view text) noexcept {
#if !defined(WLFMT_NO_MMAP)
    ::munmap(const_cast<char*>(text.data()), text.size());
#else
    static_cast<void>(text);
#endif
}

#else

class source {
public:
    explicit source(const char* path) noexcept
        : stream_(path != nullptr ? std::fopen(path, "rb") : nullptr),
          reason_(is_open()         ? 0
                  : path != nullptr ? errno
                                    : EINVAL) {
#if defined(_WIN32)
        // Windows opens no directories: this tells them from other paths that cannot be opened.
        struct _stat64 about;
        directory_ = !is_open() && path != nullptr && ::_stat64(path, &about) == 0 && (about.st_mode & _S_IFDIR) != 0;
#endif
    }
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    ~source() {
        if (is_open()) std::fclose(stream_);
    }

    bool is_open() const noexcept { return stream_ != nullptr; }
    int reason() const noexcept { return reason_; }
    bool is_directory() const noexcept { return directory_; }
    // The size of a regular file, if the system can tell; 0 for everything else.
    std::size_t regular_size() const noexcept {
#if defined(_WIN32)
        struct _stat64 about;
        if (!is_open() || ::_fstat64(::_fileno(stream_), &about) != 0) return 0;
        if ((about.st_mode & _S_IFREG) != 0 && about.st_size > 0) return static_cast<std::size_t>(about.st_size);
#endif
        return 0;
    }
    void rewind() noexcept { std::rewind(stream_); }
    std::ptrdiff_t read(char* bytes, std::size_t size) noexcept {
        const std::size_t got = std::fread(bytes, 1, size, stream_);
        if (got != 0 || std::ferror(stream_) == 0) return static_cast<std::ptrdiff_t>(got);
        reason_ = errno;
        return -1;
    }
    static std::string_view map() noexcept { return {}; }

private:
    std::FILE* stream_;
    int reason_;
    bool directory_ = false;
};

inline void unmap(std::string_view) noexcept {}

#endif

inline problem read_all(source& from, std::string& text) {
    constexpr std::size_t piece = 1 << 16;
    text.clear();
    if (from.is_directory()) return file_error(error_kind::is_directory);
    if (!from.is_open()) return file_error(error_kind::cannot_open, from.reason());
    // Growing step by step would take up to three times the memory.
    if (const std::size_t size = from.regular_size()) text.reserve(size + piece);
    for (;;) {
        const std::size_t have = text.size();
        text.resize(have + piece);
        const std::ptrdiff_t got = from.read(&text[have], piece);
        text.resize(have + (got > 0 ? static_cast<std::size_t>(got) : 0));
        if (got < 0) return file_error(error_kind::cannot_read, from.reason());
        if (got == 0) return {};
    }
}

// Reads small files one after the other into the same memory, which takes half the time of mapping them.
class small_files {
public:
    // Sets `text`, which is valid until the next call. Returns false, with the file at its beginning, if it is not
    // regular, is empty, larger than 256 KB or changing, or cannot be read at once.
    bool read(source& from, std::string_view& text) {
        constexpr std::size_t max_size = 1 << 18;
        const std::size_t size = from.regular_size();
        if (size == 0 || size > max_size) return false;
        if (bytes_.size() <= size) bytes_.resize(2 * size);
        // Asks for one byte more than the file had: the system returns exactly `size` only if the file has not grown.
        if (from.read(&bytes_[0], size + 1) == static_cast<std::ptrdiff_t>(size)) {
            text = std::string_view(bytes_).substr(0, size);
            return true;
        }
        from.rewind();
        return false;
    }

private:
    std::string bytes_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
