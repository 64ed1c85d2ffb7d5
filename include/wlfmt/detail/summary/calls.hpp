// What a summary keeps of a rank so that waiting and work can be told apart (answers.hpp).
#ifndef WLFMT_DETAIL_SUMMARY_CALLS_HPP
#define WLFMT_DETAIL_SUMMARY_CALLS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../base/ordered_map.hpp"
#include "../base/wide.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

inline constexpr std::int64_t no_number = (std::numeric_limits<std::int64_t>::min)();

// A timed message between pipeline stages, as a record has it.
struct timed_message {
    enum class kind : std::uint8_t { none, other, send_forward, recv_backward, send_backward, recv_forward };
    kind what = kind::none;
    bool repeats = false;  // its time is that of the record before it
    std::int64_t duration = 0;
    std::int64_t end = 0;
    std::int64_t bytes = 0;

    static kind kind_of(std::string_view op) noexcept {
        if (op == "send_forward") return kind::send_forward;
        if (op == "recv_backward") return kind::recv_backward;
        if (op == "send_backward") return kind::send_backward;
        if (op == "recv_forward") return kind::recv_forward;
        return op.substr(0, 5) == "send_" || op.substr(0, 5) == "recv_" ? kind::other : kind::none;
    }
    // Tracers time a combined exchange once and write its send and its receive as a record each. A timestamp of 0 was
    // not measured, so that it tells nothing.
    static bool is_one_span(const timed_message& a, const timed_message& b) noexcept {
        const auto are = [&](kind one, kind other) {
            return (a.what == one && b.what == other) || (a.what == other && b.what == one);
        };
        return a.end != 0 && a.duration == b.duration && a.end == b.end &&
               (are(kind::send_forward, kind::recv_backward) || are(kind::send_backward, kind::recv_forward));
    }
};

// What many calls of a collective have in common. Names are numbers in the summary's list of names.
struct call_shape {
    std::uint32_t operation = 0;  // of the record
    std::uint32_t group = 0;      // the kind of group
    std::uint32_t function = 0;   // comm_func of a nested operation
    std::int32_t position = -1;   // among the record's nested operations; -1 if the record itself is the call
    std::int64_t bytes = 0;
    bool runs_beside = false;  // `_async`: it lasts from launch to the end of the wait
    friend bool operator<(const call_shape& a, const call_shape& b) noexcept {
        return std::tie(a.operation, a.group, a.function, a.position, a.bytes, a.runs_beside) <
               std::tie(b.operation, b.group, b.function, b.position, b.bytes, b.runs_beside);
    }
};
class call_shapes {
public:
    std::uint32_t id_of(const call_shape& s) {
        // A log repeats a few shapes: those that were met last are looked up before the ordered map.
        const std::size_t place = (static_cast<std::size_t>(s.position + 1) + 7 * s.function + 13 * s.operation +
                                   static_cast<std::size_t>(s.bytes) / 64) %
                                  recent_count;
        if (const std::uint32_t id = recent_[place]; id < shapes_.size() && is_same(shapes_[id], s)) return id;
        const auto [at, is_new] = ids_.try_emplace(s, static_cast<std::uint32_t>(shapes_.size()));
        if (is_new) shapes_.push_back(s);
        return recent_[place] = at->second;
    }
    const call_shape& operator[](std::uint32_t id) const noexcept { return shapes_[id]; }
    std::size_t size() const noexcept { return shapes_.size(); }

private:
    static constexpr std::size_t recent_count = 256;
    static bool is_same(const call_shape& a, const call_shape& b) noexcept { return !(a < b) && !(b < a); }

    std::uint32_t recent_[recent_count] = {};
    std::vector<call_shape> shapes_;
    ordered_map<call_shape, std::uint32_t> ids_;
};
// A timed collective. Times in millionths of a millisecond.
struct timed_call {
    std::uint32_t shape;
    std::int64_t duration;
    std::int64_t end;
};

// What is kept of a rank's calls in groups of one kind, once all members of its group are known.
struct kind_of_calls {
    // The calls in records of one operation; times are in millionths of a millisecond. A call waits as long as it lasts
    // beyond the shortest one of its group. Asynchronous calls need clocks for more than that, and whether clocks can
    // be compared is known only once all ranks are: both values are kept.
    struct sums {
        std::uint32_t operation = 0;
        bool nested = false;
        std::uint64_t calls = 0;
        std::uint64_t late = 0;          // blocking calls in which the rank came last
        std::uint64_t clocked_late = 0;  // asynchronous ones, by clocks
        compact_wide bytes;
        compact_wide blocking;  // durations
        compact_wide beside;
        compact_wide waiting;  // of blocking calls
        compact_wide beside_waiting;
        compact_wide clocked_waiting;
        compact_wide clocked_most;
        compact_wide caused;  // the waiting of all members in calls in which the rank came last
        compact_wide clocked_caused;
    };
    std::uint32_t group = 0;
    compact_wide waiting_least;
    std::vector<sums> operations;
};

// A set of whole numbers as ranges: in most logs they follow one another.
class number_set {
public:
    void add(std::int64_t number) {
        const auto after = ranges_.upper_bound(number);
        const bool joins_after = after != ranges_.end() && after->first - 1 == number;
        if (after != ranges_.begin()) {
            const auto before = std::prev(after);
            if (before->second >= number) return;
            if (before->second == number - 1) {
                ++size_;
                before->second = joins_after ? after->second : number;
                if (joins_after) ranges_.erase(after);
                return;
            }
        }
        ++size_;
        const std::int64_t last = joins_after ? after->second : number;
        ranges_.emplace_hint(joins_after ? ranges_.erase(after) : after, number, last);
    }
    void add(const number_set& more) {
        more.for_each([&](std::int64_t number) { add(number); });
    }
    // In ascending order.
    template <class Use>
    void for_each(const Use& use) const {
        for (const auto& [first, last] : ranges_) {
            for (std::int64_t number = first; number != last; ++number) use(number);
            use(last);
        }
    }
    std::uint64_t size() const noexcept { return size_; }

private:
    std::map<std::int64_t, std::int64_t> ranges_;  // the first number of each range, and the last one
    std::uint64_t size_ = 0;
};

// What is kept of a rank. A record that lacks a duration or a timestamp is counted, and is in none of the rest.
struct rank_calls {
    struct messages {
        std::int64_t count = 0;
        std::int64_t least = (std::numeric_limits<std::int64_t>::max)();  // duration
        compact_wide time;
    };
    // Maps, not ordered lists: a log may have any number of operations and sizes, in any order.
    using time_by_operation = ordered_map<std::uint32_t, compact_wide>;
    using messages_by_size = ordered_map<std::pair<std::uint32_t, std::int64_t>, messages>;  // by operation and bytes
    std::uint64_t untimed = 0;
    compact_wide doubled;            // the time of exchanges that the tracer wrote twice
    std::int64_t first = no_number;  // when the first operation began, and the last one ended
    std::int64_t last = no_number;
    std::int64_t forward_begin = no_number;  // the beginning of the first forward_step in the log
    std::int64_t backward_end = no_number;   // the end of the last backward_step
    time_by_operation times;
    messages_by_size sent;
    number_set batches;  // of forward_step
    // In the order of the log; those of groups whose members are all known are in `folded` instead.
    std::vector<timed_call> calls;
    std::vector<kind_of_calls> folded;

    // Grows by a quarter, not by half: there is a list for each rank.
    void add_call(const timed_call& call) {
        if (calls.size() == calls.capacity()) calls.reserve(calls.size() + calls.size() / 4 + 8);
        calls.push_back(call);
    }
    void add_extent(std::int64_t begin, std::int64_t end) {
        first = first == no_number ? begin : (std::min)(first, begin);
        last = last == no_number ? end : (std::max)(last, end);
    }
    // Appends another part of the same text, which comes after this one.
    void append(const rank_calls& more) {
        untimed += more.untimed;
        doubled += more.doubled.value();
        if (more.first != no_number) add_extent(more.first, more.last);
        if (forward_begin == no_number) forward_begin = more.forward_begin;
        if (more.backward_end != no_number) backward_end = more.backward_end;
        for (const auto& [operation, time] : more.times) times[operation] += time.value();
        for (const auto& [key, m] : more.sent) {
            messages& to = sent[key];
            to.count += m.count;
            to.least = (std::min)(to.least, m.least);
            to.time += m.time.value();
        }
        batches.add(more.batches);
        calls.insert(calls.end(), more.calls.begin(), more.calls.end());
    }
    // Replaces the numbers of names and shapes by those that they have in another summary.
    void translate(const std::vector<std::uint32_t>& names, const std::vector<std::uint32_t>& shapes) {
        time_by_operation new_times;
        for (auto& [operation, time] : times) new_times.try_emplace(names[operation], std::move(time));
        times = std::move(new_times);
        messages_by_size new_sent;
        for (auto& [key, m] : sent) new_sent.try_emplace(std::pair(names[key.first], key.second), std::move(m));
        sent = std::move(new_sent);
        for (timed_call& c : calls) c.shape = shapes[c.shape];
        for (kind_of_calls& kind : folded) {
            kind.group = names[kind.group];
            for (kind_of_calls::sums& one : kind.operations) one.operation = names[one.operation];
        }
    }
};

// The calls of a rank, or nothing, which takes the memory of a pointer.
class optional_calls {
public:
    optional_calls() noexcept = default;
    optional_calls(const optional_calls& from)
        : calls_(from.calls_ ? std::make_unique<rank_calls>(*from.calls_) : nullptr) {}
    optional_calls(optional_calls&&) noexcept = default;
    optional_calls& operator=(const optional_calls& from) {
        if (this != &from) *this = optional_calls(from);
        return *this;
    }
    optional_calls& operator=(optional_calls&&) noexcept = default;
    ~optional_calls() = default;

    explicit operator bool() const noexcept { return calls_ != nullptr; }
    rank_calls& get() {
        if (!calls_) calls_ = std::make_unique<rank_calls>();
        return *calls_;
    }
    rank_calls* operator->() noexcept { return calls_.get(); }
    const rank_calls* operator->() const noexcept { return calls_.get(); }
    const rank_calls& operator*() const noexcept { return *calls_; }
    void reset() noexcept { calls_.reset(); }

private:
    std::unique_ptr<rank_calls> calls_;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
