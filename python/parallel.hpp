// Many files as one stream that several threads read. Each thread reads the next few files, or the next piece of a
// large op log; their batches and problems reach the consumer in the order of the files and in its own thread, as if
// one thread had read them all.
#ifndef WLFMT_PYTHON_PARALLEL_HPP
#define WLFMT_PYTHON_PARALLEL_HPP

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <filesystem>
#endif

#include <wlfmt/arrow.hpp>
#include <wlfmt/csv.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/wlfmt.hpp>

#include "finding.hpp"

namespace wlfmt_python {

// The size of the pieces that a large op log is read in.
inline constexpr std::uint64_t piece_size = std::uint64_t{4} << 20;

// The line numbers of a file, which are counted when they are asked for.
class line_numbers {
public:
    explicit line_numbers(std::string path) : path_(std::move(path)) {}
    // The number of the line that begins at this offset. Any thread may call it.
    std::uint64_t at(std::uint64_t offset);

private:
    std::mutex mutex_;
    std::string path_;
    std::map<std::uint64_t, std::uint64_t> known_ = {{0, 1}};
};
// What one thread reads at a time: a few files, or a piece of an op log.
struct part {
    std::vector<wlfmt::arrow::input> files = {};
    std::optional<wlfmt::byte_range> range = std::nullopt;  // a range of the only file; the last one has no end
    std::shared_ptr<line_numbers> lines = nullptr;          // shared by the pieces of a file

    bool is_last_piece() const noexcept { return range && range->end == wlfmt::byte_range().end; }
};
// What the threads of a stream read.
struct plan {
    std::vector<part> parts;
    wlfmt::arrow::request what;  // without callbacks and context, which are not used
    std::size_t threads = 1;
};

// The size of a file; 0 if it is not known.
inline std::uintmax_t size_of(const std::string& path) {
#if defined(__unix__) || defined(__APPLE__)
    struct stat about;
    return ::stat(path.c_str(), &about) == 0 ? static_cast<std::uintmax_t>(about.st_size) : 0;
#else
    std::error_code failed;
    const std::uintmax_t size = std::filesystem::file_size(std::filesystem::u8path(path), failed);
    return failed ? 0 : size;
#endif
}

#if defined(__unix__) || defined(__APPLE__)
class opened_file {
public:
    explicit opened_file(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) fail(wlfmt::error_kind::cannot_open);
    }
    opened_file(const opened_file&) = delete;
    opened_file& operator=(const opened_file&) = delete;
    ~opened_file() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    const wlfmt::problem& error() const noexcept { return failed_; }
    // Reads up to `size` bytes from the offset `at`. Returns how many there were.
    std::size_t read(std::uint64_t at, char* to, std::size_t size) {
        std::size_t done = 0;
        while (done != size && !failed_) {
            const ssize_t got = ::pread(descriptor_, to + done, size - done, static_cast<off_t>(at + done));
            if (got == 0) break;
            if (got > 0) done += static_cast<std::size_t>(got);
            else if (errno != EINTR)
                fail(errno == EISDIR ? wlfmt::error_kind::is_directory : wlfmt::error_kind::cannot_read);
        }
        return done;
    }
    // The first byte at or after `at` that begins a line, or the end of the file.
    std::uint64_t line_at(std::uint64_t at) {
        if (at == 0) return 0;
        char block[4096];
        for (--at;;) {
            const std::string_view some(block, read(at, block, sizeof block));
            const std::size_t end = some.find('\n');
            if (end != std::string_view::npos) return at + end + 1;
            at += some.size();
            if (some.size() != sizeof block) return at;
        }
    }

private:
    void fail(wlfmt::error_kind kind) {
        failed_.kind = kind;
        failed_.found = errno;
    }
    int descriptor_;
    wlfmt::problem failed_;
};
// Reads the lines that begin in the range; `begin` becomes the offset of the first one. The last piece includes what
// was added to the file meanwhile, as when a file is read as a whole.
inline wlfmt::problem read_piece(const std::string& path, wlfmt::byte_range range, std::string& text,
                                 std::uint64_t& begin) {
    opened_file from(path);
    if (from.error()) return from.error();
    const bool is_last = range.end == wlfmt::byte_range().end;
    begin = from.line_at(range.begin);
    std::uint64_t end = is_last ? size_of(path) : from.line_at(range.end);
    for (text.clear(); begin + text.size() < end;) {
        const std::size_t size = text.size();
        const auto more = static_cast<std::size_t>(end - begin) - size;
        text.resize(size + more);
        const std::size_t got = from.read(begin + size, &text[size], more);
        text.resize(size + got);
        if (got != more) break;
        if (is_last) end = size_of(path);
    }
    return from.error();
}
inline std::uint64_t line_numbers::at(std::uint64_t offset) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto before = --known_.upper_bound(offset);
    std::uint64_t from = before->first;
    std::uint64_t number = before->second;
    opened_file file(path_);
    std::vector<char> block(std::size_t{1} << 16);
    while (from != offset) {
        const auto most = static_cast<std::size_t>((std::min)(std::uint64_t{block.size()}, offset - from));
        const std::size_t got = file.read(from, block.data(), most);
        if (got == 0) break;
        number += static_cast<std::uint64_t>(std::count(block.data(), block.data() + got, '\n'));
        from += got;
    }
    known_[offset] = number;
    return number;
}
// Adds the pieces of an op log; `piece` is the size of one.
inline void cut(std::vector<part>& to, wlfmt::arrow::input file, std::uint64_t size, std::uint64_t piece) {
    const auto lines = std::make_shared<line_numbers>(file.name);
    const std::uint64_t count = size / piece;
    for (std::uint64_t n = 0; n != count; ++n) {
        part& added = to.emplace_back();
        added.files.push_back(file);
        added.range = {n * piece, n + 1 == count ? wlfmt::byte_range().end : (n + 1) * piece};
        added.lines = lines;
    }
}
#else
inline wlfmt::problem read_piece(const std::string&, wlfmt::byte_range, std::string&, std::uint64_t&) { return {}; }
inline std::uint64_t line_numbers::at(std::uint64_t) { return 1; }
inline void cut(std::vector<part>& to, wlfmt::arrow::input file, std::uint64_t, std::uint64_t) {
    to.emplace_back().files.push_back(std::move(file));
}
#endif

// The parts that threads read one after the other; one part if threads would not pay. `piece`: the size of the pieces
// of op logs that have at least twice that size, and 0 if files must be whole. The sizes of many files are estimated
// from a few: nothing but speed depends on them.
inline std::vector<part> divide(std::vector<wlfmt::arrow::input> files, std::size_t threads, std::uint64_t piece) {
    // The bytes of a part: enough to take longer to read than a thread takes to start. A file that is a part by itself
    // may be longer.
    constexpr std::uintmax_t least = std::uintmax_t{1} << 20;
    constexpr std::uintmax_t most = std::uintmax_t{4} << 20;
    constexpr std::size_t sample = 8;
    constexpr std::size_t few = 64;
    std::size_t length = (std::max)(files.size(), std::size_t{1});
    std::vector<part> parts;
    // Texts in memory would have to be copied.
    const bool are_files = std::none_of(files.begin(), files.end(), [](const auto& in) { return in.text.has_value(); });
    const bool pays = threads > 1 && are_files;
    if (pays && files.size() > 1) {
        const std::size_t count = (std::min)(sample, files.size());
        std::uintmax_t sum = 0;
        for (std::size_t n = 0; n != count; ++n) sum += size_of(files[n * files.size() / count].name);
        const std::uintmax_t mean = sum / count + 1;
        // Eight parts for each thread, so that the threads end at about the same time.
        const std::uintmax_t wanted = (std::clamp)(mean * files.size() / (threads * 8), least, most);
        length = static_cast<std::size_t>((std::clamp)(wanted / mean, std::uintmax_t{1}, std::uintmax_t{files.size()}));
    }
    const bool cuts = pays && piece != 0 && files.size() <= few;
    bool is_open = false;  // the last part takes further files
    for (wlfmt::arrow::input& file : files) {
        const std::uintmax_t size = cuts ? size_of(file.name) : 0;
        if (cuts && size / piece >= 2) {
            cut(parts, std::move(file), size, piece);
            is_open = false;
            continue;
        }
        if (!is_open || parts.back().files.size() == length) parts.emplace_back();
        is_open = true;
        parts.back().files.push_back(std::move(file));
    }
    return parts;
}

// A batch that is released with its owner.
class batch {
public:
    batch() noexcept = default;
    batch(batch&& other) noexcept : own_(std::exchange(other.own_, ArrowArray())) {}
    batch& operator=(batch&& other) noexcept {
        std::swap(own_, other.own_);
        return *this;
    }
    ~batch() {
        if (own_.release != nullptr) own_.release(&own_);
    }
    explicit operator bool() const noexcept { return own_.release != nullptr; }
    ArrowArray* get() noexcept { return &own_; }
    ArrowArray release() noexcept { return std::exchange(own_, ArrowArray()); }

private:
    ArrowArray own_ = {};
};

// The stream of a plan, as one consumer reads it. Its threads are started with the first call of next(), and have ended
// when it is destroyed.
class parallel_stream {
public:
    // With no thread, or if none can be started, the consumer's thread reads.
    explicit parallel_stream(std::shared_ptr<const plan> of)
        : plan_(std::move(of)),
          wanted_((std::min)(plan_->threads, plan_->parts.size())),
          groups_(plan_->parts.size()) {}
    parallel_stream(const parallel_stream&) = delete;
    parallel_stream& operator=(const parallel_stream&) = delete;
    ~parallel_stream() {
        cancel();
        for (std::thread& one : threads_) one.join();
    }

    // Whether this process is a fork of the one whose threads read: it has none of the threads, and may hold their
    // locks, so that nothing may be done with the stream but resume(), not even destroy it.
    bool is_of_other_process() const noexcept { return started_ && process_ != this_process(); }
    // Returns a stream that goes on where this one is. Files that the consumer has begun to take are read again.
    std::unique_ptr<parallel_stream> resume() const {
        auto again = std::make_unique<parallel_stream>(plan_);
        again->first_ = again->next_ = first_;
        again->records_ = records_;
        again->lost_ = lost_;
        again->copies_ = copies_;
        again->resume_at_ = (std::max)(position_, resume_at_);
        again->code_ = code_;
        again->words_ = words_;
        again->failed_ = failed_;
        return again;
    }

    // As ArrowArrayStream::get_next. Calls report(finding) for each problem that comes before the batch, and go_on()
    // before it waits and then ten times a second: the stream ends with ECANCELED once go_on() returns false.
    template <class Report, class GoOn> int next(ArrowArray& to, Report&& report, GoOn&& go_on) {
        to = ArrowArray();
        if (!started_) start();
        while (code_ == 0 && first_ != groups_.size()) {
            if (!go_on()) {
                cancel();
                code_ = ECANCELED;
                break;
            }
            group_state& from = groups_[first_];
            if (is_alone_ && !from.ended) read(first_);
            std::unique_lock<std::mutex> lock(mutex_);
            if (!changed_.wait_for(lock, std::chrono::milliseconds(100),
                                   [&] { return from.ended || !from.read.empty(); }))
                continue;
            if (from.read.empty()) {
                code_ = from.code;
                words_ = std::move(from.words);
                failed_ = std::move(from.failed);
                position_ = resume_at_ = 0;
                const std::optional<finding> problem = code_ == 0 ? end_piece(from) : std::nullopt;
                if (problem && problem->severity == wlfmt::severity::error) {
                    code_ = EINVAL;
                    words_ = problem->text;
                    failed_ = problem;
                }
                if (code_ == 0) ++first_;
                else cancelled_ = true;
                room_.notify_all();
                lock.unlock();
                if (problem && code_ == 0) report(*problem);
                continue;
            }
            item taken = std::move(from.read.front());
            from.read.pop_front();
            taken_rows* const rows = std::get_if<taken_rows>(&taken);
            if (rows != nullptr) --from.batches;
            room_.notify_all();
            lock.unlock();
            if (position_++ < resume_at_) continue;
            if (rows != nullptr) {
                to = rows->own.release();
                count_on(to);
                mark_copies(to, rows->halves);
                break;
            }
            report(std::get<finding>(taken));
        }
        return code_;
    }
    // The message of the error that ended the stream; empty if there is no more to say than its code.
    const std::string& words() const noexcept { return words_; }
    // The problem of a file that ended the stream, if one did.
    const std::optional<finding>& failed() const noexcept { return failed_; }

private:
    // A row in a batch of a piece, which is a copy if the pieces before it say so.
    struct half {
        std::size_t row = 0;
        wlfmt::oplog::exchange_half message;
    };
    struct taken_rows {
        batch own;
        std::vector<half> halves;
    };
    using item = std::variant<taken_rows, finding>;
    struct group_state {
        std::deque<item> read;  // what the consumer has not taken yet
        std::size_t batches = 0;
        std::int64_t records = 0;  // those of a piece, once it has ended
        wlfmt::problem lost;       // its lines that hold a record after other text, with their number in the file
        wlfmt::oplog::copies copies;
        bool ended = false;
        int code = 0;  // that of the error that ended the group
        std::string words;
        std::optional<finding> failed;
    };
    // The state of the callbacks of the stream over one group.
    struct group_reading {
        parallel_stream& all;
        group_state& to;
        const part& of;
        std::uint64_t begin = 0;  // the offset of the piece
        std::int64_t records = 0;
        wlfmt::problem lost = {};  // the piece's lines that hold a record after other text
        wlfmt::oplog::copies copies = {};
        std::vector<half> halves = {};  // those of the next batch, which has `row` rows so far
        std::size_t row = 0;
        int code = 0;
        std::string words = {};
        std::optional<finding> failed = {};

        bool goes_on() const noexcept { return code == 0 && !all.cancelled_; }
        void report(const wlfmt::arrow::file_problem& p) noexcept {
            if (code != 0) return;
            try {
                if (std::optional<finding> compressed = find_compression(p.text, p.in.name)) {
                    code = EINVAL;
                    words = compressed->text;
                    failed = std::move(compressed);
                } else if (of.range && p.error.kind == wlfmt::error_kind::record_after_text) {
                    lost = wlfmt::oplog::join_lost({}, p.error, first_line() - 1);
                } else {
                    all.put(to, passed_over(p.error, p.text, p.in.name, all.format(), first_line()));
                }
            } catch (const std::bad_alloc&) {
                code = ENOMEM;
            }
        }
        bool is_copy(const wlfmt::oplog::operation& op) noexcept {
            try {
                const bool is_known = copies.is_copy(op);
                if (copies.half() != nullptr) halves.push_back({row, *copies.half()});
                ++row;
                return is_known;
            } catch (const std::bad_alloc&) {
                code = ENOMEM;
                return false;
            }
        }
        void fail(const wlfmt::arrow::file_problem& p) noexcept {
            try {
                failed = failure(p.error, p.text, p.in.name, all.format(), first_line());
                words = failed->text;
            } catch (const std::bad_alloc&) {
                code = ENOMEM;
            }
        }
        std::uint64_t first_line() const { return of.lines != nullptr ? of.lines->at(begin) : 1; }
    };
    struct stream_owner {
        ArrowArrayStream own = {};
        ~stream_owner() {
            if (own.release != nullptr) own.release(&own);
        }
    };

    wlfmt::file_format format() const noexcept { return format_of(plan_->what.contents); }
    static long this_process() noexcept {
#if defined(__unix__) || defined(__APPLE__)
        return static_cast<long>(::getpid());
#else
        return 0;
#endif
    }
    // Adds the number of records before the piece, which counts its records from its own start.
    void count_on(ArrowArray& rows) const {
        if (!plan_->parts[first_].range || records_ == 0 || !record_column_) return;
        std::int64_t* const values = values_of(rows, *record_column_);
        for (std::int64_t n = 0; n != rows.length; ++n) values[n] += records_;
    }
    // Marks the rows that are copies of records before the piece, which the piece alone cannot tell.
    void mark_copies(ArrowArray& to, const std::vector<half>& halves) const {
        for (const half& one : halves)
            if (copy_column_ && copies_.is_copy(one.message)) values_of(to, *copy_column_)[one.row] = 1;
    }
    static std::int64_t* values_of(const ArrowArray& rows, std::size_t column) {
        return static_cast<std::int64_t*>(const_cast<void*>(rows.children[column]->buffers[1]));
    }
    // Ends a piece. After the last piece of a file, returns the problem of the file as a whole, if it has one: there
    // are no records, or some are after other text.
    std::optional<finding> end_piece(const group_state& piece) {
        const part& of = plan_->parts[first_];
        if (!of.range) return std::nullopt;
        records_ += piece.records;
        copies_.add(piece.copies);
        lost_ = wlfmt::oplog::join_lost(lost_, piece.lost, 0);
        if (!of.is_last_piece()) return std::nullopt;
        const wlfmt::problem lost = std::exchange(lost_, wlfmt::problem());
        copies_ = wlfmt::oplog::copies();
        if (std::exchange(records_, 0) != 0) {
            if (!lost) return std::nullopt;
            return finding(lost, {}, of.files[0].name, wlfmt::severity::warning);
        }
        std::string text;
        static_cast<void>(wlfmt::read_file(of.files[0].name.c_str(), text));
        wlfmt::options read_options;
        read_options.lenient = true;
        read_options.prefix = plan_->what.prefix ? std::string_view(*plan_->what.prefix) : wlfmt::any_prefix;
        wlfmt::oplog::reader log(text, read_options);
        while (log.next() != nullptr) continue;
        if (log.ok()) return std::nullopt;
        const std::string& name = of.files[0].name;
        if (plan_->what.lenient && !find_compression(text, name)) return passed_over(log.error(), text, name, format());
        return failure(log.error(), text, name, format());
    }
    static std::optional<std::size_t> place_of(std::string_view column, const wlfmt::arrow::request& what) {
        std::vector<std::string> names = what.columns;
        if (names.empty())
            for (const wlfmt::column_info& one : wlfmt::arrow::columns_of(what.contents)) names.emplace_back(one.name);
        const auto found = std::find(names.begin(), names.end(), column);
        if (found == names.end()) return std::nullopt;
        return static_cast<std::size_t>(found - names.begin());
    }
    void cancel() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            cancelled_ = true;
        }
        room_.notify_all();
    }

    void start() {
        started_ = true;
        process_ = this_process();
#if defined(__unix__) || defined(__APPLE__)
        // A thread takes over the mask of the one that starts it: signals go to threads that handle them.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);  // a macro on some systems
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
        try {
            threads_.reserve(wanted_);
            while (threads_.size() != wanted_) threads_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
#if defined(__unix__) || defined(__APPLE__)
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
#endif
        if (threads_.empty()) is_alone_ = true;
    }
    void work() noexcept {
        while (const std::optional<std::size_t> group = take()) read(*group);
    }
    // Returns the next group once the consumer is close to it, so that what the consumer has not taken does not grow;
    // nothing at the end.
    std::optional<std::size_t> take() {
        std::unique_lock<std::mutex> lock(mutex_);
        room_.wait(lock, [&] { return cancelled_ || next_ == groups_.size() || next_ < first_ + 2 * wanted_; });
        if (cancelled_ || next_ == groups_.size()) return std::nullopt;
        return next_++;
    }
    void put(group_state& to, item one) {
        const bool is_batch = std::holds_alternative<taken_rows>(one);
        {
            std::unique_lock<std::mutex> lock(mutex_);
            if (!is_alone_) room_.wait(lock, [&] { return cancelled_ || (to.batches == 0 && to.read.size() < 1024); });
            if (cancelled_) return;
            to.read.push_back(std::move(one));
            to.batches += is_batch ? 1 : 0;
        }
        changed_.notify_one();
    }
    void read(std::size_t group) noexcept {
        group_state& to = groups_[group];
        const part& of = plan_->parts[group];
        group_reading own{*this, to, of};
        try {
            wlfmt::arrow::request what = plan_->what;
            what.memory = memory_;
            what.on_problem = [&](const wlfmt::arrow::file_problem& p) { own.report(p); };
            what.on_error = [&](const wlfmt::arrow::file_problem& p) { own.fail(p); };
            what.go_on = [&]() { return own.goes_on(); };
            what.on_end = [&](const wlfmt::arrow::input&, std::int64_t records) { own.records = records; };
            std::vector<wlfmt::arrow::input> files = of.files;
            if (of.range) {
                std::string& text = files[0].text.emplace();
                if (const wlfmt::problem e = read_piece(files[0].name, *of.range, text, own.begin)) {
                    own.code = e.kind == wlfmt::error_kind::cannot_open ? ENOENT : EIO;
                    own.fail({files[0], e, {}});
                }
                files[0].piece_at = own.begin;
                what.is_copy = [&](const wlfmt::oplog::operation& op) { return own.is_copy(op); };
            }
            stream_owner from;
            wlfmt::arrow::open(std::move(files), std::move(what), from.own);
            while (own.goes_on()) {
                taken_rows found;
                const int code = from.own.get_next(&from.own, found.own.get());
                if (own.code != 0) break;
                if (code != 0) {
                    const char* const words = from.own.get_last_error(&from.own);
                    if (own.words.empty() && words != nullptr) own.words = words;
                    own.code = code;
                    break;
                }
                if (!found.own) break;
                found.halves = std::exchange(own.halves, {});
                own.row = 0;
                put(to, std::move(found));
            }
        } catch (const std::bad_alloc&) {
            own.code = ENOMEM;
        }
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            to.code = own.code;
            to.records = own.records;
            to.lost = own.lost;
            to.copies = std::move(own.copies);
            to.words = std::move(own.words);
            to.failed = std::move(own.failed);
            to.ended = true;
        }
        changed_.notify_one();
    }

    const std::shared_ptr<const plan> plan_;
    const std::optional<std::size_t> record_column_ = place_of("record", plan_->what);
    const std::optional<std::size_t> copy_column_ = place_of("copy", plan_->what);
    const std::size_t wanted_;  // the number of threads
    const std::shared_ptr<wlfmt::arrow::batch_memory> memory_ = std::make_shared<wlfmt::arrow::batch_memory>();
    std::vector<std::thread> threads_;
    long process_ = 0;
    bool started_ = false;
    bool is_alone_ = false;        // the consumer's thread reads; set only if there is no other
    std::int64_t records_ = 0;     // those in the earlier pieces of the file
    wlfmt::problem lost_;          // their lines that hold a record after other text
    wlfmt::oplog::copies copies_;  // what these pieces say of copies
    std::size_t position_ = 0;     // how much of what group `first_` holds the consumer has taken
    std::size_t resume_at_ = 0;    // the items of that group before it were handed out earlier
    int code_ = 0;                 // that of the error that ended the stream
    std::string words_;
    std::optional<finding> failed_;

    std::mutex mutex_;                 // guards everything below
    std::condition_variable changed_;  // the consumer may have something to take
    std::condition_variable room_;     // the threads may have something to do
    std::atomic<bool> cancelled_ = false;
    std::vector<group_state> groups_;
    std::size_t first_ = 0;  // the group that the consumer takes from; only the consumer changes it
    std::size_t next_ = 0;   // the group that the next thread takes
};

}  // namespace wlfmt_python

#endif
