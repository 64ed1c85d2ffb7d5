// wlfmt/stream.hpp: op logs read as their bytes arrive, from pipes, sockets, parts of files. Not included by wlfmt.hpp.
//
//     wlfmt::oplog::stream log;
//     for (bool more = true; more;) {
//         more = get(bytes);                     // bytes: memory of the program's own, refilled each time
//         more ? log.feed(bytes) : log.finish();
//         while (const auto op = log.next()) use(*op);
//     }
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), log, wlfmt::in_file("rank7.txt"));
//
// The records, the errors and their offsets are those of a reader that has the whole text. Memory is constant in the
// longest line, and a record that lies whole in one chunk is not copied.
#include "version.hpp"

#ifndef WLFMT_STREAM_HPP
#define WLFMT_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "detail/stream/oplog.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "types/pieces.hpp"
#include "types/text.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace oplog { inline namespace WLFMT_IMPL {

// An operation that a stream lends: its members follow `->`, and every function that reads an operation takes `*op`. It
// is valid until the next call of the stream and cannot be copied or stored: kept_operations keeps it and its text.
class lent_operation {
public:
    constexpr lent_operation() noexcept = default;  // none
    lent_operation(const lent_operation&) = delete;
    lent_operation& operator=(const lent_operation&) = delete;

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return shown_ != nullptr; }
    [[nodiscard]] constexpr const operation* operator->() const noexcept { return shown_; }
    [[nodiscard]] constexpr const lent_operation& operator*() const& noexcept { return *this; }
    [[nodiscard]] constexpr lent_operation operator*() && noexcept { return lent_operation(shown_); }
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
// Throws only std::bad_alloc, if there is no memory for a line in several chunks; the call may then be repeated.
class stream {
public:
    // Reads an op log that begins with the first chunk.
    explicit stream(const options& how = {}) noexcept : stream(byte_range(), how) {}
    // Reads the lines that begin in this range of a file. The first chunk begins at first_byte(range), which is one
    // before the range where that is not at the file's start: that byte shows whether a line begins there. Chunks
    // follow until done(), or the end of the file. Streams of ranges that cover a file without overlapping read what
    // one stream of the whole file reads, except that a range without a record is not an error. `first_line` is the
    // number of the first line that begins in the range, where it is known.
    explicit stream(byte_range range, const options& how = {}, std::uint64_t first_line = 1) noexcept
        : state_(range, how, first_line) {}
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    [[nodiscard]] static constexpr std::uint64_t first_byte(byte_range range) noexcept {
        return detail::oplog_stream::first_byte(range);
    }

    // Takes more bytes. What was not read of the previous chunk is copied, which happens after an error, or where
    // next() was not called until it was null. Bytes after finish() begin a new line.
    void feed(std::string_view chunk) { state_.feed(chunk); }
    // The chunk would be gone before it is read.
    template <class S, detail::if_no_text<S> = 0> void feed(S&&) = delete;
    // No more bytes follow: next() shows a last line without an end, too, and a text without any record is an error.
    void finish() noexcept { state_.finish(); }

    // The next operation; null after an error, and once everything that was fed has been read.
    [[nodiscard]] lent_operation next() { return lent_operation(state_.next()); }

    [[nodiscard]] bool ok() const noexcept { return state_.ok(); }
    // The error's field may be a view of the stream's own memory or of the chunk, with their lifetimes.
    [[nodiscard]] struct error error() const noexcept { return state_.error(); }
    // After an error: forgets it and goes on with the line after it. False, and the error stays, where nothing follows:
    // never before finish().
    [[nodiscard]] bool skip() { return state_.skip(); }
    // Whether all lines of the range have been read, or passed over: it needs no further bytes.
    [[nodiscard]] bool done() const noexcept { return state_.done(); }

    // Where the next line begins, in bytes from the start of the file.
    [[nodiscard]] std::uint64_t offset() const noexcept { return state_.offset(); }
    // Problems that options::lenient tolerated so far.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return state_.tolerated(); }
    // Lines that are not empty and hold no record, so far.
    [[nodiscard]] std::uint64_t foreign_lines() const noexcept { return state_.foreign_lines(); }
    // How many lines of the range end before offset(). Once the range is done, these are all of its lines, and the next
    // range continues their numbering.
    [[nodiscard]] std::uint64_t lines() const noexcept { return state_.lines(); }

    // The line that holds the byte at this offset, where it is in memory: after an error, the line of the error; in
    // options::on_problem, that of the problem; else that of the record that is shown. Its lifetime is a record's.
    [[nodiscard]] stream_line line_at(std::uint64_t offset) const noexcept { return state_.line_at(offset); }
    // The line that this view of a record is in.
    [[nodiscard]] stream_line line_of(std::string_view place) const noexcept { return state_.line_of(place); }
    stream_line line_of(std::nullptr_t) const = delete;

private:
    detail::oplog_stream state_;
};

// Operations that stay: copies of those that a stream shows, and of their texts, which live as long as this object.
class kept_operations {
public:
    void add(const lent_operation& op) {
        if (op) detail::keep_operation(*op, operations_, texts_);
    }
    // In the order in which they were added. Copies of them are safe as long as this object lives, even if it moves.
    [[nodiscard]] const document& operations() const& noexcept { return operations_; }
    // Its text would be gone.
    const document& operations() const&& = delete;

private:
    std::vector<std::unique_ptr<char[]>> texts_;
    document operations_;
};

}}  // namespace oplog::WLFMT_IMPL

namespace detail { inline namespace WLFMT_IMPL {
// Keeps `{}` in the place of a text from meaning a stream.
template <class T> using if_stream = std::enable_if_t<std::is_same_v<T, oplog::stream>, int>;
}}  // namespace detail::WLFMT_IMPL

inline namespace WLFMT_IMPL {

// explain() of a stream's error, or of a place in the record that it shows: with the line, if that is in memory.
template <class String = std::string, class Stream, detail::if_stream<Stream> = 0>
[[nodiscard]] String explain(const error& e, const Stream& log, in_file file, severity s = severity::error) {
    const oplog::stream_line line = log.line_at(e.offset);
    error in_line = e;
    in_line.offset -= line.offset;
    return explain<String>(in_line, line.text, file, s, line.number);
}
template <class String = std::string, class Stream, detail::if_stream<Stream> = 0>
[[nodiscard]] String explain(at_place place, with_message what, const Stream& log, in_file file,
                             severity s = severity::error) {
    const oplog::stream_line line = log.line_of(place.place);
    return explain<String>(place, what, line.text, file, s, line.number);
}

}  // namespace WLFMT_IMPL
}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
