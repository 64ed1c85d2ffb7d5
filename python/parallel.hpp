// Many files as one stream that several threads read. Each thread reads the next few files; their batches and problems
// reach the consumer in the order of the files and in its own thread, as if one thread had read them all.
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
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <filesystem>
#endif

#include <wlfmt/arrow.hpp>

#include "finding.hpp"

namespace wlfmt_python {

// What the threads of a stream read.
struct plan {
    std::vector<std::vector<wlfmt::arrow::input>> groups;  // one thread reads a group at a time
    wlfmt::arrow::request what;  // without on_problem, on_error, go_on and context, which are not used
    std::size_t threads = 1;
};

// 0 if it is not known.
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

// Files in groups; one group if threads would not pay. The sizes are estimated from a few files: nothing but speed
// depends on them.
inline std::vector<std::vector<wlfmt::arrow::input>> group(std::vector<wlfmt::arrow::input> all, std::size_t threads) {
    constexpr std::uintmax_t least = std::uintmax_t{1} << 20;  // bytes of a group: takes longer than to start a thread
    constexpr std::uintmax_t most = std::uintmax_t{4} << 20;   // unless a file alone is longer
    constexpr std::size_t sample = 8;
    std::size_t length = (std::max)(all.size(), std::size_t{1});
    // Texts in memory would have to be copied.
    const bool are_files = std::none_of(all.begin(), all.end(), [](const auto& in) { return in.text.has_value(); });
    if (threads > 1 && all.size() > 1 && are_files) {
        const std::size_t count = (std::min)(sample, all.size());
        std::uintmax_t sum = 0;
        for (std::size_t n = 0; n != count; ++n) sum += size_of(all[n * all.size() / count].name);
        const std::uintmax_t mean = sum / count + 1;
        // Eight groups for each thread, so that the threads end at about the same time.
        const std::uintmax_t wanted = (std::clamp)(mean * all.size() / (threads * 8), least, most);
        length = static_cast<std::size_t>((std::clamp)(wanted / mean, std::uintmax_t{1}, std::uintmax_t{all.size()}));
    }
    std::vector<std::vector<wlfmt::arrow::input>> groups;
    for (std::size_t n = 0; n < all.size(); n += length) {
        auto& one = groups.emplace_back();
        for (std::size_t m = n; m != (std::min)(n + length, all.size()); ++m) one.push_back(std::move(all[m]));
    }
    return groups;
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

class parallel_stream {
public:
    // With no thread, or if none can be started, the consumer's thread reads.
    explicit parallel_stream(std::shared_ptr<const plan> of)
        : plan_(std::move(of)),
          wanted_((std::min)(plan_->threads, plan_->groups.size())),
          groups_(plan_->groups.size()) {}
    parallel_stream(const parallel_stream&) = delete;
    parallel_stream& operator=(const parallel_stream&) = delete;
    ~parallel_stream() {
        cancel();
        for (std::thread& one : threads_) one.join();
    }

    // Whether this process is a fork of the one whose threads read: it has none of the threads, and may hold their
    // locks, so that nothing may be done with the stream but resume(), not even destroy it.
    bool is_of_other_process() const noexcept { return started_ && process_ != this_process(); }
    // A stream that goes on where the consumer is in this one. The files that it has begun to take are read again.
    std::unique_ptr<parallel_stream> resume() const {
        auto again = std::make_unique<parallel_stream>(plan_);
        again->first_ = again->next_ = first_;
        again->resume_at_ = (std::max)(position_, resume_at_);
        again->code_ = code_;
        again->words_ = words_;
        return again;
    }

    // As ArrowArrayStream::get_next. Calls report(finding) for each problem that comes before the batch, and go_on()
    // before it looks for one and then ten times a second: the stream ends with ECANCELED once that returns false.
    template <class Report, class GoOn>
    int next(ArrowArray& to, Report&& report, GoOn&& go_on) {
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
                position_ = resume_at_ = 0;
                if (code_ == 0)
                    ++first_;
                else
                    cancelled_ = true;
                room_.notify_all();
                continue;
            }
            item one = std::move(from.read.front());
            from.read.pop_front();
            batch* const rows = std::get_if<batch>(&one);
            if (rows != nullptr) --from.batches;
            room_.notify_all();
            lock.unlock();
            if (position_++ < resume_at_) continue;
            if (rows != nullptr) {
                to = rows->release();
                break;
            }
            report(std::get<finding>(one));
        }
        return code_;
    }
    // Of the error that ended the stream; empty if there is no more to say than its code.
    const std::string& words() const noexcept { return words_; }

private:
    using item = std::variant<batch, finding>;
    struct group_state {
        std::deque<item> read;  // what the consumer has not taken yet
        std::size_t batches = 0;
        bool ended = false;
        int code = 0;  // of the error that ended it
        std::string words;
    };
    // What the callbacks of the stream over one group work on.
    struct group_reading {
        parallel_stream& all;
        group_state& to;
        int code = 0;
        std::string words = {};

        bool goes_on() const noexcept { return code == 0 && !all.cancelled_; }
        void report(const wlfmt::arrow::problem& p) noexcept {
            if (code != 0) return;
            try {
                if (const std::optional<finding> compressed = find_compression(p.text, p.in.name)) {
                    code = EINVAL;
                    words = compressed->text;
                } else {
                    all.put(to, finding(p.error, p.text, p.in.name, wlfmt::severity::warning));
                }
            } catch (const std::bad_alloc&) {
                code = ENOMEM;
            }
        }
        void fail(const wlfmt::arrow::problem& p) noexcept {
            try {
                words = failure(p.error, p.text, p.in.name).text;
            } catch (const std::bad_alloc&) {
                code = ENOMEM;
            }
        }
    };
    struct stream_owner {
        ArrowArrayStream own = {};
        ~stream_owner() {
            if (own.release != nullptr) own.release(&own);
        }
    };

    static long this_process() noexcept {
#if defined(__unix__) || defined(__APPLE__)
        return static_cast<long>(::getpid());
#else
        return 0;
#endif
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
        // Signals are for threads that know of them: those that are started have the mask of this one.
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
    // The next group, as soon as the consumer is close to it, so that what it has not taken does not grow; none at the
    // end.
    std::optional<std::size_t> take() {
        std::unique_lock<std::mutex> lock(mutex_);
        room_.wait(lock, [&] { return cancelled_ || next_ == groups_.size() || next_ < first_ + 2 * wanted_; });
        if (cancelled_ || next_ == groups_.size()) return std::nullopt;
        return next_++;
    }
    void put(group_state& to, item one) {
        const bool is_batch = std::holds_alternative<batch>(one);
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
        group_reading own{*this, to};
        try {
            wlfmt::arrow::request what = plan_->what;
            what.memory = memory_;
            what.context = &own;
            what.on_problem = [](void* self, const wlfmt::arrow::problem& p) {
                static_cast<group_reading*>(self)->report(p);
            };
            what.on_error = [](void* self, const wlfmt::arrow::problem& p) {
                static_cast<group_reading*>(self)->fail(p);
            };
            what.go_on = [](void* self) { return static_cast<group_reading*>(self)->goes_on(); };
            stream_owner from;
            wlfmt::arrow::open(plan_->groups[group], std::move(what), from.own);
            while (own.goes_on()) {
                batch rows;
                const int code = from.own.get_next(&from.own, rows.get());
                if (own.code != 0) break;
                if (code != 0) {
                    const char* const words = from.own.get_last_error(&from.own);
                    if (own.words.empty() && words != nullptr) own.words = words;
                    own.code = code;
                    break;
                }
                if (!rows) break;
                put(to, std::move(rows));
            }
        } catch (const std::bad_alloc&) {
            own.code = ENOMEM;
        }
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            to.code = own.code;
            to.words = std::move(own.words);
            to.ended = true;
        }
        changed_.notify_one();
    }

    const std::shared_ptr<const plan> plan_;
    const std::size_t wanted_;  // threads
    const std::shared_ptr<wlfmt::arrow::batch_memory> memory_ = std::make_shared<wlfmt::arrow::batch_memory>();
    std::vector<std::thread> threads_;
    long process_ = 0;
    bool started_ = false;
    bool is_alone_ = false;      // the consumer's thread reads; changes only where there is no other
    std::size_t position_ = 0;   // how much of what group `first_` holds the consumer has taken
    std::size_t resume_at_ = 0;  // what comes before was handed out by another process
    int code_ = 0;               // of the error that ended the stream
    std::string words_;

    std::mutex mutex_;                 // of all below
    std::condition_variable changed_;  // the consumer may have something to take
    std::condition_variable room_;     // the threads may have something to do
    std::atomic<bool> cancelled_ = false;
    std::vector<group_state> groups_;
    std::size_t first_ = 0;  // the group that the consumer takes from, which alone changes it
    std::size_t next_ = 0;   // the group that the next thread takes
};

}  // namespace wlfmt_python

#endif
