// Mapping and reading files.
#ifndef WLFMT_DETAIL_FILE_HPP
#define WLFMT_DETAIL_FILE_HPP

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "../file.hpp"

#if defined(__unix__) || defined(__APPLE__)
#    include <fcntl.h>
#    include <sys/stat.h>
#    include <unistd.h>
#    if !defined(WLFMT_NO_MMAP)
#        include <sys/mman.h>
#    endif
#endif

#include "begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

inline error file_error(code what) noexcept {
    error e;
    e.what = what;
    return e;
}

}  // namespace detail

inline error read_file(const char* path, std::string& to) {
    constexpr std::size_t piece = 1 << 16;
    to.clear();
#if defined(__unix__) || defined(__APPLE__)
    const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return detail::file_error(code::cannot_open);
    error e;
    struct stat about;
    if (::fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode)) e = detail::file_error(code::is_directory);
    while (!e) {
        const std::size_t have = to.size();
        to.resize(have + piece);
        const ssize_t got = ::read(descriptor, &to[have], piece);
        to.resize(have + (got > 0 ? static_cast<std::size_t>(got) : 0));
        if (got < 0) e = detail::file_error(code::cannot_read);
        if (got <= 0) break;
    }
    ::close(descriptor);
    return e;
#else
    std::FILE* stream = std::fopen(path, "rb");
    if (stream == nullptr) return detail::file_error(code::cannot_open);
    error e;
    for (;;) {
        const std::size_t have = to.size();
        to.resize(have + piece);
        const std::size_t got = std::fread(&to[have], 1, piece, stream);
        to.resize(have + got);
        if (got == 0) break;
    }
    if (std::ferror(stream) != 0) e = detail::file_error(code::cannot_read);
    std::fclose(stream);
    return e;
#endif
}

inline file::file(const char* path) {
#if (defined(__unix__) || defined(__APPLE__)) && !defined(WLFMT_NO_MMAP)
    const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        error_ = detail::file_error(code::cannot_open);
        return;
    }
    struct stat about;
    if (::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        const auto size = static_cast<std::size_t>(about.st_size);
        void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            text_ = std::string_view(static_cast<const char*>(bytes), size);
            mapped_ = true;
        }
    }
    ::close(descriptor);
    if (mapped_) return;
#endif
    error_ = read_file(path, read_);
    text_ = read_;
}

inline file::file(file&& other) noexcept { *this = std::move(other); }

inline file& file::operator=(file&& other) noexcept {
    if (this == &other) return *this;
#if (defined(__unix__) || defined(__APPLE__)) && !defined(WLFMT_NO_MMAP)
    if (mapped_) ::munmap(const_cast<char*>(text_.data()), text_.size());
#endif
    mapped_ = std::exchange(other.mapped_, false);
    error_ = other.error_;
    const std::string_view mapped_text = std::exchange(other.text_, std::string_view());
    // A short string moves its bytes: the view of it is made anew.
    read_ = std::move(other.read_);
    other.read_.clear();
    text_ = mapped_ ? mapped_text : std::string_view(read_);
    return *this;
}

inline file::~file() {
#if (defined(__unix__) || defined(__APPLE__)) && !defined(WLFMT_NO_MMAP)
    if (mapped_) ::munmap(const_cast<char*>(text_.data()), text_.size());
#endif
}

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "end.hpp"
#endif
