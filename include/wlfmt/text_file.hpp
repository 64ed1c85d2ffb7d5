// wlfmt/text_file.hpp: a file as a read-only text. Not included by wlfmt.hpp. For files as documents: wlfmt/file.hpp.
//
//     wlfmt::text_file trace("rank7.txt");
//     if (!trace.ok()) std::cerr << wlfmt::explain(trace.error(), {}, wlfmt::in_file("rank7.txt"));
//     wlfmt::oplog::reader log(trace.text());
//
// A regular file is memory-mapped where the system can do that; everything else (pipes, devices, and any file with
// WLFMT_NO_MMAP) is read into memory. An empty file is an empty text, and a directory is error_kind::is_directory. If
// another process cuts a mapped file short, reading it stops the program (SIGBUS on POSIX systems). To read files that
// others are writing, define WLFMT_NO_MMAP or call read_file().
#include "version.hpp"

#ifndef WLFMT_TEXT_FILE_HPP
#define WLFMT_TEXT_FILE_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "detail/file/source.hpp"
#include "error.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

class text_file {
public:
    // Maps or reads the file; `path` is in the system's encoding, and a null pointer is not a file: cannot_open. Throws
    // nothing but std::bad_alloc, if the file is read into memory.
    explicit text_file(const char* path) : text_file(detail::source(path)) {}
    explicit text_file(const std::string& path) : text_file(path.c_str()) {}
    explicit text_file(std::nullptr_t) = delete;
    // A text_file that was moved from is empty, without an error.
    text_file(text_file&& other) noexcept
        : mapped_(std::exchange(other.mapped_, {})),
          read_(std::exchange(other.read_, {})),
          error_(std::exchange(other.error_, {})) {}
    text_file& operator=(text_file other) noexcept {
        std::swap(mapped_, other.mapped_);
        std::swap(read_, other.read_);
        std::swap(error_, other.error_);
        return *this;
    }
    ~text_file() {
        if (mapped()) detail::unmap(mapped_);
    }

    [[nodiscard]] bool ok() const noexcept { return !error_; }
    // cannot_open, cannot_read, is_directory, or no error.
    [[nodiscard]] const problem& error() const& noexcept WLFMT_LIFETIMEBOUND { return error_; }
    [[nodiscard]] problem error() const&& noexcept { return error_; }
    // The whole file. The view lives as long as this object, so a temporary object does not hand it out.
    [[nodiscard]] std::string_view text() const& noexcept WLFMT_LIFETIMEBOUND {
        return mapped() ? mapped_ : std::string_view(read_);
    }
    std::string_view text() const&& = delete;
    // Whether text() is a mapping of the file.
    [[nodiscard]] bool mapped() const noexcept { return !mapped_.empty(); }

private:
    friend struct detail::file_access;
    // Marks the constructor that takes a text: a path may be a temporary string, too.
    struct owned {};
    text_file(owned, std::string&& text) noexcept : read_(std::move(text)) {}
    explicit text_file(detail::source&& from) {
        if (from.is_open()) mapped_ = from.map();
        if (!mapped()) error_ = detail::read_all(from, read_);
    }

    std::string_view mapped_ = {};
    std::string read_ = {};
    problem error_ = {};
};

// A document together with the file or the string that it was read from. What it shows is valid as long as this object
// lives, however often it is moved. An object that was moved from is empty.
template <class Document> class [[nodiscard]] file_document {
public:
    file_document(file_document&& other) noexcept
        : file_(std::move(other.file_)), read_(std::exchange(other.read_, result<Document>(Document()))) {}
    file_document& operator=(file_document&& other) noexcept {
        file_ = std::move(other.file_);
        read_ = std::exchange(other.read_, result<Document>(Document()));
        return *this;
    }
    ~file_document() = default;

    [[nodiscard]] bool ok() const noexcept { return read_.ok(); }
    [[nodiscard]] bool has_value() const noexcept { return ok(); }
    [[nodiscard]] explicit operator bool() const noexcept { return ok(); }
    // An error of the file or of its text: cannot_open, cannot_read, is_directory, or an error of the format.
    [[nodiscard]] const problem& error() const& noexcept WLFMT_LIFETIMEBOUND { return read_.error(); }
    [[nodiscard]] problem error() const&& noexcept { return read_.error(); }
    // The whole file, for explain(): empty if it could not be read.
    [[nodiscard]] std::string_view text() const& noexcept WLFMT_LIFETIMEBOUND {
        return file_ ? file_->text() : std::string_view();
    }
    std::string_view text() const&& = delete;

    // What was read: all of it when ok(), else what comes before the error.
    [[nodiscard]] Document& partial() & noexcept WLFMT_LIFETIMEBOUND { return *read_; }
    [[nodiscard]] const Document& partial() const& noexcept WLFMT_LIFETIMEBOUND { return *read_; }
    Document& partial() const&& = delete;
    [[nodiscard]] Document& operator*() & noexcept WLFMT_LIFETIMEBOUND { return *read_; }
    [[nodiscard]] const Document& operator*() const& noexcept WLFMT_LIFETIMEBOUND { return *read_; }
    Document& operator*() const&& = delete;
    [[nodiscard]] Document* operator->() & noexcept WLFMT_LIFETIMEBOUND { return &*read_; }
    [[nodiscard]] const Document* operator->() const& noexcept WLFMT_LIFETIMEBOUND { return &*read_; }
    Document* operator->() const&& = delete;

private:
    friend struct detail::file_access;
    // The file stays in place: moving a short text would move the bytes that the document shows.
    file_document(std::unique_ptr<const text_file> file, result<Document> read) noexcept
        : file_(std::move(file)), read_(std::move(read)) {}

    std::unique_ptr<const text_file> file_;
    result<Document> read_;
};

// Reads all of a file, pipe or device into `text`, or what comes before an error. Throws only what std::string throws.
[[nodiscard]] inline problem read_file(const char* path, std::string& text) {
    detail::source from(path);
    return detail::read_all(from, text);
}
problem read_file(std::nullptr_t, std::string&) = delete;

namespace detail {

struct file_access {
    // Takes an open file from which nothing has been read yet.
    static text_file text_of(source&& from) { return text_file(std::move(from)); }

    template <class Document, class Read> static file_document<Document> load(const char* path, const Read& read) {
        return read_from<Document>(std::make_unique<const text_file>(path), read);
    }
    template <class Document, class Read> static file_document<Document> keep(std::string&& text, const Read& read) {
        return read_from<Document>(std::unique_ptr<const text_file>(new text_file(text_file::owned(), std::move(text))),
                                   read);
    }

private:
    template <class Document, class Read>
    static file_document<Document> read_from(std::unique_ptr<const text_file> file, const Read& read) {
        result<Document> doc = file->ok() ? read(file->text()) : result<Document>({}, file->error());
        return {std::move(file), std::move(doc)};
    }
};

}  // namespace detail

}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
