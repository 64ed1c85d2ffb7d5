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
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#endif

#include <wlfmt/arrow.hpp>
#include <wlfmt/csv.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

#include "finding.hpp"
#include "parts.hpp"

namespace wlfmt_python {

// What the threads of a stream read.
struct plan {
    std::vector<part> parts;
    wlfmt::arrow::request what;  // without callbacks and context, which are not used
    std::size_t threads = 1;
};

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
