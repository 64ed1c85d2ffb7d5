// wlfmt/stream.hpp: op logs read as their bytes arrive, from pipes, sockets, decompressors and parts of files. Not
// included by wlfmt.hpp.
//
//     wlfmt::oplog::stream log;
//     for (bool more = true; more;) {
//         more = get(bytes);                     // bytes: memory of the program's own, refilled each time
//         more ? log.feed(bytes) : log.finish();
//         while (const auto op = log.next()) use(*op);
//     }
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), log, "rank7.txt");
//
// The records, the errors and their offsets are those of a reader that has the whole text. Memory is constant in the
// longest line, and a record that lies whole in one chunk is not copied.
#include "version.hpp"

#ifndef WLFMT_STREAM_HPP
#define WLFMT_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "detail/base/temporary.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "pieces.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace oplog {

// A line that a stream holds in memory.
struct stream_line {
    std::string_view text = {};  // without its end
    std::uint64_t offset = 0;    // of its first byte
    std::uint64_t number = 0;    // counted from 1; 0 where the line is not in memory
};

inline namespace WLFMT_IMPL {

// An operation that a stream lends: its members follow `->`, and every function that reads an operation takes `*op`. It
// is valid until the next call of the stream and cannot be copied or stored. To keep it, pass it to kept_operations,
// which copies its text.
class lent_operation {
public:
    constexpr lent_operation() noexcept = default;  // none
    lent_operation(const lent_operation&) = delete;
    lent_operation& operator=(const lent_operation&) = delete;

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return shown_ != nullptr; }
    [[nodiscard]] constexpr const operation* operator->() const noexcept { return shown_; }
    [[nodiscard]] constexpr const lent_operation& operator*() const noexcept { return *this; }
    // Binds to a `const operation&`.
    [[nodiscard]] constexpr operator const operation&() const noexcept { return *shown_; }
    // A copy would show a chunk that the program refills: kept_operations makes one that does not.
    operator operation() const = delete;

private:
    friend class stream;
    constexpr explicit lent_operation(const operation* op) noexcept : shown_(op) {}
    const operation* shown_ = nullptr;
};

// Pulls operations out of chunks of bytes, which may end anywhere. It is used like a reader, with one difference:
// next() is also null, and ok() true, while a record is waiting for more bytes.
//
// Lifetimes: a chunk must stay as it is until next() returns null, or feed() is called again. Views of a record that is
// shown (its texts, lists and their iterators) point into the chunk, or into memory of the stream's own. Views of the
// stream's own memory stay readable as long as the stream lives, though they may show something else after its next
// call; views of a chunk are readable as long as the chunk is. To keep a record for longer, pass it to kept_operations.
//
// Throws nothing but std::bad_alloc, where there is no memory for a line that lies in several chunks; the call may then
// be repeated.
class stream {
public:
    // Reads an op log that begins with the first chunk.
    explicit stream(const options& how = {}) noexcept : stream(byte_range(), how) {}
    // Reads the lines that begin in this range of a file. The first chunk begins at first_byte(range), which is one
    // before the range where that is not at the file's start: it tells whether a line begins there. Chunks follow until
    // done(), or the end of the file. Streams of ranges that cover a file without overlapping read what one stream of
    // the whole file reads, except that a range without a record is not an error. `first_line` is the number of the
    // first line that begins in the range, where it is known.
    explicit stream(byte_range range, const options& how = {}, std::uint64_t first_line = 1) noexcept;
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    [[nodiscard]] static constexpr std::uint64_t first_byte(byte_range range) noexcept {
        return range.begin == 0 ? 0 : range.begin - 1;
    }

    // Takes more bytes. What was not read of the previous chunk is copied, which happens after an error, or where
    // next() was not called until it was null. Bytes after finish() begin a new line.
    void feed(std::string_view chunk);
    // The chunk would be gone before it is read.
    template <class S, detail::if_temporary_text<S> = 0>
    void feed(S&&) = delete;
    // No more bytes follow: next() shows a last line without a line's end, too, and a text without any record is an
    // error.
    void finish() noexcept { finished_ = true; }

    // The next operation; null after an error, and once everything that was fed has been read.
    [[nodiscard]] lent_operation next();

    [[nodiscard]] bool ok() const noexcept { return !error_ && (!reader_ || reader_->ok()); }
    // The error's field may be a view of the stream's own memory or of the chunk, with their lifetimes.
    [[nodiscard]] struct error error() const noexcept;
    // After an error: forgets it and goes on with the line after it. False, and the error stays, where nothing follows:
    // never before finish().
    [[nodiscard]] bool skip();
    // Whether all lines of the range have been read, or passed over: it needs no further bytes.
    [[nodiscard]] bool done() const noexcept { return done_; }

    // Where the next line begins, in bytes from the start of the file.
    [[nodiscard]] std::uint64_t offset() const noexcept;
    // Problems that options::lenient tolerated so far.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return tolerated_ + (reader_ ? reader_->tolerated() : 0); }
    // Lines that are not empty and hold no record, so far.
    [[nodiscard]] std::uint64_t foreign_lines() const noexcept {
        return foreign_lines_ + (reader_ ? reader_->foreign_lines() : 0);
    }
    // How many lines of the range end before offset(). Once the range is done, these are all of its lines, and the next
    // range continues their numbering.
    [[nodiscard]] std::uint64_t lines() const noexcept;

    // The line that holds the byte at this offset, where it is in memory: after an error, the line of the error; in
    // options::on_problem, that of the problem; else that of the record that is shown. Its lifetime is a record's.
    [[nodiscard]] stream_line line_at(std::uint64_t offset) const noexcept;
    // The line that this view of a record is in.
    [[nodiscard]] stream_line line_of(std::string_view place) const noexcept;

private:
    // Bytes of lines that lie in several chunks. This memory grows and is kept as long as the stream lives, so that
    // views of it stay readable.
    class held_bytes {
    public:
        std::string_view view() const noexcept { return {bytes_.get() + begin_, end_ - begin_}; }
        bool empty() const noexcept { return begin_ == end_; }
        // Up to the last line end.
        std::string_view whole_lines() const noexcept { return {bytes_.get() + begin_, lines_end_ - begin_}; }
        void append(std::string_view more);
        void remove_prefix(std::size_t size) noexcept;

    private:
        std::unique_ptr<char[]> bytes_;
        std::size_t capacity_ = 0;
        std::size_t begin_ = 0;
        std::size_t lines_end_ = 0;
        std::size_t end_ = 0;
        std::vector<std::unique_ptr<char[]>> smaller_;  // what it held before
    };

    bool open_lines();
    std::string_view whole_lines();
    bool find_first_line() noexcept;
    void pass(std::size_t size) noexcept;
    void end_reading(std::size_t size, std::uint64_t line_ends) noexcept;
    void hold_rest();
    void stop_at_error();
    // The text whose line numbers are known; its first byte is at offset_.
    std::string_view in_memory() const noexcept { return reader_ ? lines_ : held_.view().substr(0, guilty_); }
    std::uint64_t line_ends_before(std::size_t position) const noexcept;
    stream_line line_around(std::size_t position) const noexcept;

    options how_;
    byte_range range_;
    held_bytes held_;              // bytes before the chunk's that are not read, or being read
    std::string_view chunk_ = {};  // and those of the chunk
    std::string_view lines_ = {};  // what reader_ reads: the first lines of held_, or of chunk_ where held_ is empty
    bool lines_held_ = false;
    std::optional<reader> reader_;
    std::size_t guilty_ = 0;  // after an error: the size of its line, which held_ begins with
    std::uint64_t offset_;    // of the first byte of held_ and chunk_
    std::uint64_t first_line_;
    std::uint64_t line_;  // the number of the line at offset_
    // Line ends are counted once, as far as they are asked for.
    mutable std::size_t counted_to_ = 0;
    mutable std::uint64_t counted_ = 0;
    struct error error_ = {};
    bool field_is_text_ = false;  // the guilty one
    bool after_error_ = false;    // that was passed over, with nothing after it so far
    std::uint64_t tolerated_ = 0;
    std::uint64_t foreign_lines_ = 0;
    bool found_record_ = false;
    bool is_part_;        // not a whole file
    bool at_first_line_;  // or after it
    bool finished_ = false;
    bool done_ = false;
};

// Operations that stay: copies of those that a stream shows, and of their texts, which live as long as this object.
class kept_operations {
public:
    void add(const lent_operation& op);
    // In the order in which they were added. Copies of them are safe as long as this object lives, also where it is
    // moved.
    [[nodiscard]] const document& operations() const& noexcept { return operations_; }
    // Its text would be gone.
    const document& operations() const&& = delete;

private:
    std::vector<std::unique_ptr<char[]>> texts_;
    document operations_;
};

}  // namespace WLFMT_IMPL
}  // namespace oplog

namespace detail {
inline namespace WLFMT_IMPL {
// Keeps `{}` in the place of a text from meaning a stream.
template <class T>
using if_stream = std::enable_if_t<std::is_same_v<T, oplog::stream>, int>;
}  // namespace WLFMT_IMPL
}  // namespace detail

inline namespace WLFMT_IMPL {

// explain() of an error of a stream, or of a place in the record that it shows, as of a whole text: with the line and
// its number, where that line is in memory.
template <class String = std::string, class Stream, detail::if_stream<Stream> = 0>
[[nodiscard]] String explain(const error& e, const Stream& log, std::string_view file_name,
                             severity s = severity::error);
template <class String = std::string, class Stream, detail::if_stream<Stream> = 0>
[[nodiscard]] String explain(std::string_view place, std::string_view what, const Stream& log,
                             std::string_view file_name, severity s = severity::error);

}  // namespace WLFMT_IMPL
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/oplog/stream.hpp"

#include "detail/base/config_end.hpp"
#endif
