// Assembles whole lines from chunks, and lets a reader read them.
#ifndef WLFMT_DETAIL_STREAM_OPLOG_HPP
#define WLFMT_DETAIL_STREAM_OPLOG_HPP

#include <algorithm>
#include <memory>

#include "../../oplog.hpp"
#include "../../types/pieces.hpp"
#include "../base/scan.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The size of a text up to its last line end, which is included; 0 if the text has no line end.
inline std::size_t size_of_whole_lines(std::string_view text) noexcept {
    return text.rfind('\n') + 1;  // npos + 1 is 0
}

// The bytes of lines that span chunks. Their memory lives as long as the stream, so that views of it stay valid.
class oplog_pending_bytes {
public:
    std::string_view view() const noexcept { return {bytes_.get() + begin_, end_ - begin_}; }
    bool empty() const noexcept { return begin_ == end_; }
    std::string_view whole_lines() const noexcept { return {bytes_.get() + begin_, lines_end_ - begin_}; }
    void append(std::string_view more) {
        if (more.empty()) return;
        const std::size_t size = end_ - begin_;
        const std::size_t lines = lines_end_ - begin_;
        if (more.size() > capacity_ - end_) {
            constexpr std::size_t least = 4096;
            // Moves bytes to the front if that frees half of the memory, so that each byte is moved once on average.
            if (size + more.size() <= capacity_ / 2) {
                std::memmove(bytes_.get(), bytes_.get() + begin_, size);
            } else {
                const std::size_t capacity = (std::max)(least, 2 * (size + more.size()));
                std::unique_ptr<char[]> bytes(new char[capacity]);
                if (size != 0) std::memcpy(bytes.get(), bytes_.get() + begin_, size);
                if (bytes_ != nullptr) smaller_.push_back(std::move(bytes_));
                bytes_ = std::move(bytes);
                capacity_ = capacity;
            }
            begin_ = 0;
            lines_end_ = lines;
            end_ = size;
        }
        std::memcpy(bytes_.get() + end_, more.data(), more.size());
        const std::size_t more_lines = size_of_whole_lines(more);
        if (more_lines != 0) lines_end_ = end_ + more_lines;
        end_ += more.size();
    }
    void remove_prefix(std::size_t size) noexcept {
        begin_ += size;
        if (lines_end_ < begin_) lines_end_ = begin_;
    }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t lines_end_ = 0;
    std::size_t end_ = 0;
    std::vector<std::unique_ptr<char[]>> smaller_;  // former memory, which views may still refer to
};

class oplog_stream {
public:
    oplog_stream(byte_range range, const options& options, std::uint64_t first_line) noexcept
        : options_(options),
          range_(range),
          offset_(first_byte(range)),
          first_line_(first_line),
          line_(first_line),
          is_part_(range.begin != 0 || range.end != byte_range().end),
          at_first_line_(range.begin == 0),
          done_(range.end <= range.begin) {}

    // The new stream goes on where the old one was, which then has nothing left to read. The reader that showed a
    // record stays in the old one, so that the record can still be looked at.
    oplog_stream(oplog_stream&&) noexcept = default;
    oplog_stream& operator=(oplog_stream&&) noexcept = default;
    void abandon() noexcept {
        pending_ = oplog_pending_bytes();
        chunk_ = lines_ = {};
        failed_size_ = counted_to_ = 0;
        error_ = lost_ = {};
        finished_ = field_is_text_ = false;
        done_ = at_first_line_ = true;
    }

    void feed(std::string_view chunk) {
        if (reader_ && !reader_->ok()) stop_at_error();
        hold_rest();
        chunk_ = chunk;
        finished_ = false;
    }

    const oplog::operation* next() {
        while (ok()) {
            if (reader_) {
                if (const oplog::operation* op = reader_->next()) return op;
                if (!reader_->ok()) break;
                found_record_ = found_record_ || reader_access::state_of(*reader_).found_record_;
                // A last line without a line end stays in memory if no_records is to be reported there.
                const bool is_end = finished_ && chunk_.empty() && !lines_.empty() && lines_.back() != '\n';
                failed_size_ = is_end && !found_record_ && !is_part_ ? lines_.size() : 0;
                pass(lines_.size() - failed_size_);
            }
            if (failed_size_ == 0 && open_lines()) continue;
            if (!finished_ || found_record_ || is_part_ || after_error_) return nullptr;
            error_ = {error_kind::no_records, offset(), 0, "rank op-log record"};
        }
        if (reader_) stop_at_error();
        else hold_rest();
        return nullptr;
    }

    problem error() const noexcept {
        if (!error_ && reader_) return reader_->error();
        problem e = error_;
        if (field_is_text_)
            e.field = pending_.view().substr(static_cast<std::size_t>(e.offset - offset_), e.field.size());
        return e;
    }

    bool skip() {
        if (ok()) return false;
        if (reader_) stop_at_error();
        if (finished_ && failed_size_ == pending_.view().size() && chunk_.empty()) return false;
        const std::size_t size = std::exchange(failed_size_, 0);
        error_ = {};
        after_error_ = true;
        field_is_text_ = false;
        counted_ = counted_to_ = 0;
        pending_.remove_prefix(size);
        offset_ += size;
        line_ += 1;
        return true;
    }

    std::uint64_t offset() const noexcept { return reader_ ? reader_->offset() : offset_ + failed_size_; }

    std::uint64_t lines() const noexcept {
        return line_ - first_line_ + line_ends_before(static_cast<std::size_t>(offset() - offset_));
    }

    oplog::stream_line line_at(std::uint64_t offset) const noexcept {
        if (offset < offset_ || offset - offset_ > in_memory().size()) return {};
        return line_around(static_cast<std::size_t>(offset - offset_));
    }
    oplog::stream_line line_of(std::string_view place) const noexcept {
        if (!is_view_of(place, in_memory())) return {};
        return line_around(static_cast<std::size_t>(place.data() - in_memory().data()));
    }

    static constexpr std::uint64_t first_byte(byte_range range) noexcept {
        return range.begin == 0 ? 0 : range.begin - 1;
    }
    void finish() noexcept { finished_ = true; }
    bool ok() const noexcept { return !error_ && (!reader_ || reader_->ok()); }
    bool done() const noexcept { return done_; }
    std::uint64_t tolerated() const noexcept { return tolerated_ + (reader_ ? reader_->tolerated() : 0); }
    std::uint64_t foreign_lines() const noexcept { return foreign_lines_ + (reader_ ? reader_->foreign_lines() : 0); }
    problem lost() const noexcept {
        return reader_ ? oplog::join_lost(lost_, reader_->lost(), line_ - first_line_) : lost_;
    }

private:
    // Lets a reader read the next whole lines. Returns false if there are none.
    bool open_lines() {
        if (!at_first_line_ && !find_first_line()) return false;
        done_ = done_ || offset_ >= range_.end;
        if (done_) {
            pending_.remove_prefix(pending_.view().size());
            chunk_ = {};
            return false;
        }
        lines_ = whole_lines();
        if (lines_.empty()) return false;
        const std::uint64_t rest = range_.end - offset_;
        if (lines_.size() > rest) {
            const std::size_t last = lines_.find('\n', static_cast<std::size_t>(rest) - 1);
            if (last != std::string_view::npos) lines_ = lines_.substr(0, last + 1);
        }
        wlfmt::options options = options_;
        options.piece_at = offset_;
        reader_.emplace(lines_, options);
        after_error_ = false;
        return true;
    }

    // Joins a line that spans chunks in pending_. The reader's lines are there or, if pending_ is empty, in the chunk.
    std::string_view whole_lines() {
        if (pending_.empty()) {
            const std::size_t size = size_of_whole_lines(chunk_);
            if (size != 0) return chunk_.substr(0, size);
        }
        if (pending_.whole_lines().empty()) {
            const std::size_t size = (std::min)(chunk_.find('\n'), chunk_.size() - 1) + 1;
            pending_.append(chunk_.substr(0, size));
            chunk_.remove_prefix(size);
        }
        return finished_ && pending_.whole_lines().empty() ? pending_.view() : pending_.whole_lines();
    }

    // Skips what comes before the first line that begins in the range. Returns false if that line has not arrived yet.
    bool find_first_line() noexcept {
        const std::size_t line_end = chunk_.find('\n');
        at_first_line_ = line_end != std::string_view::npos;
        const std::size_t size = at_first_line_ ? line_end + 1 : chunk_.size();
        chunk_.remove_prefix(size);
        offset_ += size;
        return at_first_line_;
    }

    // Drops the bytes at the beginning of lines_, which have been read.
    void pass(std::size_t size) noexcept {
        const std::uint64_t line_ends = line_ends_before(size);
        if (pending_.empty()) chunk_.remove_prefix(size);
        else pending_.remove_prefix(size);
        end_reading(size, line_ends);
    }
    void end_reading(std::size_t size, std::uint64_t line_ends) noexcept {
        const std::uint64_t line_before = line_ - first_line_;
        offset_ += size;
        line_ += line_ends;
        counted_ = counted_to_ = 0;
        tolerated_ += reader_->tolerated();
        foreign_lines_ += reader_->foreign_lines();
        lost_ = oplog::join_lost(lost_, reader_->lost(), line_before);
        found_record_ = found_record_ || reader_access::state_of(*reader_).found_record_;
        reader_.reset();
    }

    // The chunk is about to go away: keeps the part of it that has not been read.
    void hold_rest() {
        if (reader_) pass(static_cast<std::size_t>(reader_->offset() - offset_));
        if (!at_first_line_ && !find_first_line()) return;
        if (!done_) pending_.append(chunk_);
        chunk_ = {};
    }

    // Takes over the error of reader_. Its line and everything after it go to pending_, so that the chunk may go away.
    void stop_at_error() {
        const auto end = static_cast<std::size_t>(reader_->offset() - offset_);
        const std::size_t begin = size_of_whole_lines(lines_.substr(0, end - 1));
        const std::uint64_t line_ends = line_ends_before(begin);
        const problem e = reader_->error();
        const auto at = static_cast<std::size_t>(e.offset - offset_);
        const bool field_is_text = !e.field.empty() && at < lines_.size() && e.field.data() == lines_.data() + at;
        const bool in_chunk = pending_.empty();
        pending_.append(in_chunk ? chunk_.substr(begin) : chunk_);
        // Nothing can throw from here on.
        if (!in_chunk) pending_.remove_prefix(begin);
        chunk_ = {};
        end_reading(begin, line_ends);
        failed_size_ = end - begin;
        error_ = e;
        field_is_text_ = field_is_text;
    }

    std::uint64_t line_ends_before(std::size_t position) const noexcept {
        const std::string_view text = in_memory().substr(0, position);
        if (position < counted_to_) counted_ = counted_to_ = 0;
        for (std::size_t at = text.find('\n', counted_to_); at != text.npos; at = text.find('\n', at + 1)) ++counted_;
        counted_to_ = position;
        return counted_;
    }

    oplog::stream_line line_around(std::size_t position) const noexcept {
        const std::string_view text = in_memory();
        const std::size_t begin = size_of_whole_lines(text.substr(0, position));
        const std::size_t end = (std::min)(text.find('\n', position), text.size());
        return {text.substr(begin, end - begin), offset_ + begin, line_ + line_ends_before(begin)};
    }

    // The text whose line numbers are known; its first byte is at offset_.
    std::string_view in_memory() const noexcept { return reader_ ? lines_ : pending_.view().substr(0, failed_size_); }

    wlfmt::options options_;
    byte_range range_;
    oplog_pending_bytes pending_;  // bytes before the chunk that have not been read, or are being read
    std::string_view chunk_ = {};  // bytes of the chunk that have not been read, or are being read
    std::string_view lines_ = {};  // what reader_ reads: the first lines of pending_, or of chunk_ if that is empty
    std::optional<oplog::reader> reader_;
    std::size_t failed_size_ = 0;  // after an error, the size of its line, which begins pending_
    std::uint64_t offset_;         // where the first byte of pending_ and chunk_ is in the file
    std::uint64_t first_line_;
    std::uint64_t line_;                  // the number of the line at offset_
    mutable std::size_t counted_to_ = 0;  // the position up to which line ends were counted
    mutable std::uint64_t counted_ = 0;   // the number of these line ends
    problem error_ = {};
    bool field_is_text_ = false;  // the error's field is a view of the text
    bool after_error_ = false;    // an error was skipped, and nothing has been read since
    std::uint64_t tolerated_ = 0;
    std::uint64_t foreign_lines_ = 0;
    problem lost_ = {};  // the lines that hold a record after other text
    bool found_record_ = false;
    bool is_part_;        // the range is not a whole file
    bool at_first_line_;  // the first line of the range has been found
    bool finished_ = false;
    bool done_ = false;
};

// Appends a copy of an operation to `doc`, and the copy of its text to `texts`.
inline void keep_operation(const oplog::operation& op, oplog::document& doc,
                           std::vector<std::unique_ptr<char[]>>& texts) {
    const std::string_view text = op.source;
    std::unique_ptr<char[]> own(new char[text.size()]);
    std::memcpy(own.get(), text.data(), text.size());
    options lenient;
    lenient.lenient = true;
    oplog::reader again(std::string_view(own.get(), text.size()), lenient);
    const oplog::operation* const copy = again.next();
    if (copy == nullptr) return;
    texts.push_back(std::move(own));
    doc.operations.push_back(*copy);
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
