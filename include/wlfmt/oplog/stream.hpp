// wlfmt/oplog/stream.hpp: op logs read as their bytes arrive, from pipes, sockets, parts of files. Not included by
// wlfmt.hpp.
//
//     wlfmt::oplog::stream log;
//     for (bool more = true; more;) {
//         more = get(bytes);                     // bytes: memory of the program's own, refilled each time
//         more ? log.feed(bytes) : log.finish();
//         while (const auto op = log.next()) use(*op);
//     }
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), log, wlfmt::in_file("rank7.txt"));
//
// The records, the errors and their offsets are those of a reader of the whole text. Memory grows only with the longest
// line, and a record that lies in a single chunk is not copied.
#include "../version.hpp"

#ifndef WLFMT_OPLOG_STREAM_HPP
#define WLFMT_OPLOG_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/stream/oplog.hpp"
#include "../error.hpp"
#include "../oplog.hpp"
#include "../types/pieces.hpp"
#include "../types/text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace oplog {

// An operation that a stream lends. Reach its members with `->`, and pass `*op` to functions that take an operation. It
// is valid until the stream's next call and cannot be copied or stored: kept_operations keeps it and its text.
class lent_operation {
public:
    constexpr lent_operation() noexcept = default;  // lends nothing
    lent_operation(const lent_operation&) = delete;
    lent_operation& operator=(const lent_operation&) = delete;

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return shown_ != nullptr; }
    [[nodiscard]] constexpr const operation* operator->() const noexcept { return shown_; }
    [[nodiscard]] constexpr const lent_operation& operator*() const& noexcept { return *this; }
    [[nodiscard]] constexpr lent_operation operator*() const&& noexcept { return lent_operation(shown_); }
    [[nodiscard]] constexpr operator const operation&() const noexcept { return *shown_; }
    operator operation() const = delete;  // a copy would show a chunk that is refilled: use kept_operations

private:
    friend class stream;
    constexpr explicit lent_operation(const operation* op) noexcept : shown_(op) {}
    const operation* shown_ = nullptr;
};

// Pulls operations, as a reader does, from chunks of bytes that end anywhere; but next() is also null, with ok() true,
// while a record waits for bytes. Throws only std::bad_alloc, for a line in several chunks; the call may be repeated.
// (It is no range: next() is null many times, and a loop over what has been fed would look like one over the log.)
//
// Lifetimes: a chunk must stay as it is until next() returns null or feed() is called again. Views of a shown record
// (its texts, lists and their iterators) point into the chunk, or into memory of the stream's own, which is readable as
// long as the stream lives, but may show something else after its next call. kept_operations keeps records longer.
class stream {
public:
    // Reads an op log that begins with the first chunk.
    explicit stream(const options& options = {}) noexcept : stream(byte_range(), options) {}
    // Reads the lines that begin in this range of a file. The first chunk begins at first_byte(range), one before the
    // range unless that is at the file's start: that byte shows whether a line begins there. Chunks follow until done()
    // or the end of the file. Streams of ranges that cover a file without overlapping read what one stream of it reads,
    // but a range without a record is not an error. `first_line` is the number of the range's first line, if known.
    explicit stream(byte_range range, const options& options = {}, std::uint64_t first_line = 1) noexcept
        : state_(range, options, first_line) {}
    // Continues where the other stream was, which then has nothing left to read. Views of records come with it.
    stream(stream&& other) noexcept : state_(std::move(other.state_)) { other.state_.abandon(); }
    stream& operator=(stream&& other) noexcept {
        if (this == &other) return *this;
        state_ = std::move(other.state_);
        other.state_.abandon();
        return *this;
    }

    [[nodiscard]] static constexpr std::uint64_t first_byte(byte_range range) noexcept {
        return detail::oplog_stream::first_byte(range);
    }

    // Takes more bytes. Copies the rest of the previous chunk if not all of it was read: after an error, or if next()
    // was not called until it was null. Bytes after finish() begin a new line.
    void feed(text_view chunk) { state_.feed(chunk); }
    // Says that no more bytes follow: next() then shows a last line without an end; a text without any record is an
    // error.
    void finish() noexcept { state_.finish(); }

    // The next operation; null after an error, and once everything that was fed has been read.
    [[nodiscard]] lent_operation next() { return lent_operation(state_.next()); }

    [[nodiscard]] bool ok() const noexcept { return state_.ok(); }
    // The error's field may be a view of the stream's own memory or of the chunk, with their lifetimes.
    [[nodiscard]] problem error() const noexcept { return state_.error(); }
    // Forgets an error, to go on with the next line. Returns false and keeps the error if no line follows, which is
    // known only after finish().
    [[nodiscard]] bool skip() { return state_.skip(); }
    // Whether all lines of the range have been read or passed over, so that it needs no further bytes.
    [[nodiscard]] bool done() const noexcept { return state_.done(); }

    // Where the next line begins, in bytes from the start of the file.
    [[nodiscard]] std::uint64_t offset() const noexcept { return state_.offset(); }
    // How many problems have been reported so far: warnings, and errors that options::lenient tolerated.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return state_.tolerated(); }
    // How many lines so far are not empty and hold no record.
    [[nodiscard]] std::uint64_t foreign_lines() const noexcept { return state_.foreign_lines(); }
    // Which of these hold a whole record after other text, as reader::lost() says it; of a range, problem::expected
    // counts its lines from 1.
    [[nodiscard]] problem lost() const noexcept { return state_.lost(); }
    // How many lines of the range end before offset(): all of them once done() is true. The first line of the next
    // range has the following number.
    [[nodiscard]] std::uint64_t lines() const noexcept { return state_.lines(); }

    // The line that holds the byte at this offset, if it is in memory: after an error, that is the error's line; in
    // options::on_problem, the problem's; else that of the shown record. The text is valid as long as a record is.
    [[nodiscard]] stream_line line_at(std::uint64_t offset) const noexcept { return state_.line_at(offset); }
    // The line that this view of a record is in.
    [[nodiscard]] stream_line line_of(std::string_view place) const noexcept { return state_.line_of(place); }
    stream_line line_of(std::nullptr_t) const = delete;

private:
    detail::oplog_stream state_;
};

// Keeps operations that a stream lends: copies of them and of their texts, which live as long as this object.
class kept_operations {
public:
    void add(const lent_operation& op) {
        if (op) detail::keep_operation(*op, operations_, texts_);
    }
    // The operations in the order in which they were added. Copies of them are safe as long as this object lives, even
    // if it moves.
    [[nodiscard]] const document& operations() const& noexcept WLFMT_LIFETIMEBOUND { return operations_; }
    const document& operations() const&& = delete;  // its text would be gone

private:
    std::vector<std::unique_ptr<char[]>> texts_;
    document operations_;
};

}  // namespace oplog

namespace detail {
// Without this, `{}` in the place of a text could mean a stream.
template <class T> using if_stream = std::enable_if_t<std::is_same_v<T, oplog::stream>, int>;
}  // namespace detail

// Explain a stream's error, or a problem at a place in the shown record, with the line if it is in memory.
template <class String = std::string, class Stream, detail::if_stream<Stream> = 0>
[[nodiscard]] String explain(const problem& e, const Stream& log, const in_file& file, severity s = severity::error) {
    const oplog::stream_line line = log.line_at(e.offset);
    problem in_line = e;
    in_line.offset -= line.offset;
    return explain<String>(in_line, line.text, file, s, line.number);
}
template <class String = std::string, class Stream, detail::if_stream<Stream> = 0>
[[nodiscard]] String explain(at_place place, const with_message& message, const Stream& log, const in_file& file,
                             severity s = severity::error) {
    const oplog::stream_line line = log.line_of(place.place);
    return explain<String>(place, message, line.text, file, s, line.number);
}

}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
