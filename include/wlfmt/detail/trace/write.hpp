// Writing Trace Event JSON.
#ifndef WLFMT_DETAIL_TRACE_WRITE_HPP
#define WLFMT_DETAIL_TRACE_WRITE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../../types/trace.hpp"
#include "../base/order.hpp"
#include "../draw/text.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "../json/line.hpp"
#include "../number/write.hpp"
#include "../oplog/find.hpp"
#include "../oplog/operations.hpp"
#include "../summary/ordered_map.hpp"
#include "run.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// What the answers about a run say of a record that is read once more: its steps, which live as long as the answers.
class steps_of_record {
public:
    using step = oplog::program_step;
    steps_of_record() = default;
    steps_of_record(const step* begin, const step* end, bool is_copy) : begin_(begin), end_(end), is_copy_(is_copy) {}

    // The record's own step; null if it has none: it has no time, or nothing is known of its rank.
    const step* own() const noexcept { return begin_ != end_ && !begin_->nested ? begin_ : nullptr; }
    // The step of the nested operation at a position; null if it has none.
    const step* nested(std::size_t position) const noexcept {
        const auto at = std::lower_bound(begin_ + (own() != nullptr), end_, static_cast<std::int64_t>(position),
                                         [](const step& s, std::int64_t n) { return s.position < n; });
        return at != end_ && at->position == static_cast<std::int64_t>(position) ? at : nullptr;
    }
    // Whether the time of the record is that of the record before it, which was written twice.
    bool is_copy() const noexcept { return is_copy_; }

private:
    const step* begin_ = nullptr;
    const step* end_ = nullptr;
    bool is_copy_ = false;
};

// The records of each rank come in the order in which they were summed up.
class steps_of_records {
public:
    // Null: nothing is known.
    explicit steps_of_records(const oplog::run_answers* of) : of_(of) {
        for (std::size_t n = 0; of_ != nullptr && n != of_->ranks.size(); ++n)
            at_.try_emplace(of_->ranks[n].rank, cursor{n, 0, 0});
    }
    // Of the rank's next record.
    steps_of_record next(std::int64_t rank) {
        const auto found = at_.find(rank);
        if (found == at_.end()) return {};
        cursor& at = found->second;
        const std::vector<oplog::program_step>& program = of_->ranks[at.place].program;
        const std::uint32_t record = at.record++;
        const bool is_copy = at.step != 0 && program[at.step - 1].what == oplog::program_step::kind::exchange &&
                             program[at.step - 1].record + 1 == record;
        const std::size_t first = at.step;
        while (at.step != program.size() && program[at.step].record <= record) ++at.step;
        return {program.data() + first, program.data() + at.step, is_copy};
    }

private:
    struct cursor {
        std::size_t place;  // in run_answers::ranks
        std::size_t step;
        std::uint32_t record;
    };
    const oplog::run_answers* of_;
    ordered_map<std::int64_t, cursor> at_;  // by rank
};

// The numbers of a track's lanes, which are threads of a process, are this far apart.
inline constexpr std::uint32_t trace_tracks = 64;

inline namespace WLFMT_IMPL {

// Microseconds to the nanosecond: `12345.678`, or `12345` if there is no fraction.
template <class Sink> void trace_microseconds(out<Sink>& to, std::int64_t ns) {
    to.integer(ns / 1000);
    const auto rest = static_cast<int>(ns % 1000);
    if (rest == 0) return;
    to.put('.');
    to.put(static_cast<char>('0' + rest / 100));
    to.put(static_cast<char>('0' + rest / 10 % 10));
    to.put(static_cast<char>('0' + rest % 10));
}

// The duration of a slice. Viewers add it to the beginning, as doubles: if the sum misses the end by a unit in the last
// place, so that the slice would overlap the next one, the nearest duration is written whose sum is the end or, if
// there is no such duration, a unit before the end.
template <class Sink> void trace_duration(out<Sink>& to, std::int64_t begin, std::int64_t end) {
    // Up to here a number of nanoseconds is a double, and its thousandth the double that a viewer reads.
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const double from = static_cast<double>(begin) / 1000;
    const double until = static_cast<double>(end) / 1000;
    const double span = static_cast<double>(end - begin) / 1000;
    if (end > exact || from + span == until) return trace_microseconds(to, end - begin);
    double fitting = until - from;
    if (from + fitting < until) fitting = std::nextafter(fitting, until);
    if (from + fitting > until) fitting = std::nextafter(fitting, 0.0);
    to.repr(fitting);
}

// What a viewer shows about a record that is selected: all attributes that have a value, except its time; and what the
// answers say of it, if they have a step for it.
template <class Record>
std::string trace_arguments(const Record& r, char quote, bool timed, const oplog::program_step* step) {
    std::string text;
    append_json(text, [&](json_line<std::string>& line) {
        line.open('{');
        visit_attributes(r, [&](std::string_view key, const auto& v) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>) {
                const bool placed = key == "timestamp" || key == "time_stamp";
                if (placed || is_missing(v) || is_none(v)) return;
                line.key(key, quote).value(v, quote);
            }
        });
        if (!timed) {
            line.key("no_timestamp").boolean(true);
        }
        if (step != nullptr) {
            const auto put = [&](std::string_view key, double ms) {
                if (!(ms > 0)) return;
                line.key(key).plain(decimals_text(ms));
            };
            put("waiting_ms", step->waiting);
            put("unknown_ms", step->unknown);
            if (step->late >= 0 && step->waiting > 0) {
                line.key("late_rank").integer(step->late);
            }
            if (step->bytes >= 0) {
                line.key("bytes").integer(step->bytes);
            }
        }
        line.close('}');
    });
    return text;
}

// The lanes of a track, for slices that come in the order of their beginnings. What overlaps by no more than the
// tracer's rounding shares a lane, and is cut.
class trace_lanes {
public:
    // The first lane that is free.
    std::size_t take(std::int64_t& begin, std::int64_t& end) {
        while (!busy_.empty() && busy_.top().first <= begin + trace_rounding) {
            free_.push(busy_.top().second);
            busy_.pop();
        }
        const std::size_t lane = free_.empty() ? ends_.size() : free_.top();
        if (free_.empty()) ends_.push_back(begin);
        else free_.pop();
        begin = (std::max)(begin, ends_[lane]);
        end = (std::max)(begin, end);
        ends_[lane] = end;
        busy_.push({end, lane});
        return lane;
    }

private:
    struct least_first {
        template <class T> bool operator()(const T& a, const T& b) const { return b < a; }
    };
    using busy_lane = std::pair<std::int64_t, std::size_t>;
    std::vector<std::int64_t> ends_;
    std::priority_queue<busy_lane, std::vector<busy_lane>, least_first> busy_;
    std::priority_queue<std::size_t, std::vector<std::size_t>, least_first> free_;
};

inline std::string trace_plain_text(std::string_view s, char quote) {
    return quote == 0 ? std::string(s) : oplog::unescape(s);
}

// Writes events, one after the other.
template <class Sink> class event_writer {
protected:
    event_writer(Sink& sink, std::string_view unit) noexcept : to_(sink) {
        to_.literal("{\"displayTimeUnit\":\"");
        to_.text(unit);
        to_.literal("\",\"traceEvents\":[\n");
    }
    // The members that all events begin with.
    void head(char phase, std::int64_t process, std::int64_t thread) {
        to_.text(any_ ? ",\n{\"ph\":\"" : "{\"ph\":\"");
        any_ = true;
        to_.put(phase);
        to_.literal("\",\"pid\":");
        to_.integer(process);
        to_.literal(",\"tid\":");
        to_.integer(thread);
    }
    // `key` is written as it is, with its comma, quotes and colon.
    void text(std::string_view key, std::string_view value) {
        to_.text(key);
        json_line<Sink>(to_).string(value);
    }
    // Events that give names have the category that Chromium uses.
    void named(std::string_view what, std::int64_t process, std::int64_t thread, std::string_view name) {
        head('M', process, thread);
        text(",\"name\":", what);
        text(",\"args\":{\"name\":", name);
        to_.literal("},\"cat\":\"__metadata\"}");
    }
    void placed(std::string_view what, std::int64_t process, std::int64_t thread, std::int64_t index) {
        head('M', process, thread);
        text(",\"name\":", what);
        to_.literal(",\"args\":{\"sort_index\":");
        to_.integer(index);
        to_.literal("},\"cat\":\"__metadata\"}");
    }
    error finish() {
        to_.literal("\n]}\n");
        return to_.finish() ? error() : sink_error();
    }

    out<Sink> to_;

private:
    bool any_ = false;
};

// Writes the events of a run.
template <class Sink> class trace_events : event_writer<Sink> {
    using writer = event_writer<Sink>;

public:
    trace_events(Sink& sink, const trace_run& all, const oplog::run_answers* answers)
        : writer(sink, "ms"),
          run_(all),
          steps_(answers),
          zero_(all.begin()),
          messages_seen_(all.ranks().size()),
          last_end_(all.ranks().size()) {
        // The messages between stages first; the other kinds in the order of their rows.
        using operations = oplog_operations<build>;
        groups_.emplace_back(operations::word_of(oplog::group::pipeline_parallel));
        for (const auto& row : operations::groups)
            if (!row.word.empty() && row.word != groups_.front()) groups_.emplace_back(row.word);
        for (std::size_t n = 0; n != all.ranks().size(); ++n) last_end_[n] = all.ranks()[n].begin;
    }

    void add(const oplog::operation& op) {
        if (op.origin != oplog::origin::rank) return;
        const steps_of_record steps = steps_.next(op.rank);
        const trace::rank_facts* const rank = run_.find(op.rank);
        if (rank == nullptr || !rank->timed) return;
        const auto place = static_cast<std::size_t>(rank - run_.ranks().data());
        const trace_time t = time_of(op.timestamp, op.duration);
        event e{};
        e.rank = op.rank;
        e.parent = no_parent;
        e.track = track_of(op.group_kind);
        e.begin = t.timed ? t.begin : last_end_[place];
        e.end = t.timed && !t.instant ? t.end : e.begin - 1;
        e.name = op.op;
        e.args = trace_arguments(op, 0, t.timed, steps.own());
        if (steps.is_copy())
            e.args.replace(e.args.size() - 1, 1, e.args.size() > 2 ? ",\"copy\":true}" : "\"copy\":true}");
        const trace_message kind = message_of(op.op);
        if (kind.is_message) {
            e.flow = run_.id_of(op.rank, messages_seen_[place]++);
            e.receives = kind.received;
        }
        if (t.timed) last_end_[place] = t.end;
        events_.push_back(std::move(e));
        add_nested(op, events_.size() - 1, steps);
    }

    void flush() {
        std::vector<std::size_t> roots;
        for (std::size_t n = 0; n != events_.size(); ++n)
            if (events_[n].parent == no_parent) roots.push_back(n);
        roots.push_back(events_.size());
        for (std::size_t n = 0; n + 1 < roots.size(); ++n) place(roots[n], roots[n + 1]);
        // A file may hold the operations of several ranks.
        const auto earlier = [&](std::size_t a, std::size_t b) {
            const event& x = events_[a];
            const event& y = events_[b];
            if (x.rank != y.rank) return x.rank < y.rank;
            return x.begin != y.begin ? x.begin < y.begin : x.end != y.end ? x.end > y.end : a < b;
        };
        std::vector<std::size_t> all(events_.size());
        for (std::size_t n = 0; n != all.size(); ++n) all[n] = n;
        sort_list(all, earlier);
        std::vector<std::size_t> order;
        for (std::size_t n = 0; n != all.size(); ++n) {
            order.push_back(all[n]);
            const std::int64_t rank = events_[all[n]].rank;
            if (n + 1 != all.size() && events_[all[n + 1]].rank == rank) continue;
            write_rank(*run_.find(rank), order);
            order.clear();
        }
        events_.clear();
    }

    error finish() {
        flush();
        return writer::finish();
    }

private:
    struct event {
        std::int64_t rank;
        std::int64_t begin;
        std::int64_t end;  // before `begin`: an instant
        std::size_t parent;
        std::uint32_t track;
        std::uint32_t thread;
        std::uint64_t flow;
        bool receives;
        std::string name;
        std::string args;
    };
    static constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

    std::uint32_t track_of(std::string_view group) {
        if (is_missing(group) || is_none(group) || group.empty()) return 0;
        std::size_t n = 0;
        while (n != groups_.size() && groups_[n] != group) ++n;
        // If there are more kinds than tracks, the last ones share a track.
        if (n == groups_.size() && n + 2 < trace_tracks) groups_.emplace_back(group);
        return static_cast<std::uint32_t>(n + 2 < trace_tracks ? n + 1 : n);
    }

    void add_nested(const oplog::operation& op, std::size_t parent, const steps_of_record& steps) {
        std::size_t position = 0;
        for (const oplog::sub_operation& s : nested_operations_of(op)) {
            const oplog::program_step* const step = steps.nested(position++);
            if (s.damaged) continue;
            const trace_time t = time_of(s.timestamp, s.duration);
            const event& above = events_[parent];
            event e{};
            e.rank = op.rank;
            e.parent = parent;
            e.track = track_of(s.group);
            e.begin = t.timed ? t.begin : (std::max)(above.begin, above.end);
            e.end = t.timed && !t.instant ? t.end : e.begin - 1;
            const std::string_view name = !is_missing(s.comm_func)        ? s.comm_func
                                          : !is_missing(s.trace_src_func) ? s.trace_src_func
                                          : s.is_text()                   ? s.text
                                                                          : text_view("nested operation");
            e.name = trace_plain_text(name, s.quote);
            e.args = s.is_text() ? "{}" : trace_arguments(s, s.quote, t.timed, step);
            events_.push_back(std::move(e));
        }
    }

    // Makes slices nest. [first, last) is an operation and its nested operations. A nested operation that does not fit
    // under the operation becomes a slice on the track of its own group.
    void place(std::size_t first, std::size_t last) {
        const event& above = events_[first];
        std::vector<std::size_t> order;
        for (std::size_t n = first + 1; n != last; ++n)
            if (events_[n].end >= events_[n].begin) order.push_back(n);
        sort_list(order, [&](std::size_t a, std::size_t b) {
            const event& x = events_[a];
            const event& y = events_[b];
            return x.begin != y.begin ? x.begin < y.begin : x.end != y.end ? x.end > y.end : a < b;
        });
        const auto cut = [](std::int64_t& time, std::int64_t to) {
            const std::int64_t by = to > time ? to - time : time - to;
            if (by <= trace_rounding) time = to;
        };
        std::vector<std::int64_t> open;  // the ends of the slices that are open
        for (const std::size_t n : order) {
            event& e = events_[n];
            std::int64_t begin = e.begin;
            std::int64_t end = e.end;
            if (begin < above.begin) cut(begin, above.begin);
            if (end > above.end) cut(end, above.end);
            while (!open.empty() && open.back() <= begin) open.pop_back();
            if (!open.empty() && end > open.back()) {
                cut(begin, open.back());
                if (begin == open.back()) open.pop_back();
            }
            const bool fits =
                begin >= above.begin && end <= above.end && begin <= end && (open.empty() || end <= open.back());
            if (!fits) {
                e.parent = no_parent;
                continue;
            }
            e.begin = begin;
            e.end = end;
            open.push_back(end);
        }
    }

    // Writes the events of a rank, which come in the order of their beginnings.
    void write_rank(const trace::rank_facts& rank, std::vector<std::size_t>& order) {
        // Each slice that is not under another one gets the first free lane of its track.
        std::vector<trace_lanes> lanes(trace_tracks);
        for (const std::size_t n : order) {
            event& e = events_[n];
            if (e.parent != no_parent) continue;
            e.thread = e.track + 1;
            if (e.end < e.begin) continue;
            const std::size_t lane = lanes[e.track].take(e.begin, e.end);
            e.thread += static_cast<std::uint32_t>(lane) * trace_tracks;
        }
        for (const std::size_t n : order) {
            event& e = events_[n];
            if (e.parent == no_parent) continue;
            const event& above = events_[e.parent];
            e.thread = above.thread;
            if (e.end < e.begin) continue;
            // The operation above it may have been cut.
            e.begin = (std::max)(e.begin, above.begin);
            e.end = (std::max)(e.begin, e.end);
        }

        // Events are sorted by time; the arrow of a flow is written at its start and at its end.
        struct item {
            std::int64_t time;
            std::size_t event;
            bool flow;
        };
        std::vector<item> items;
        for (const std::size_t n : order) {
            const event& e = events_[n];
            items.push_back({e.begin, n, false});
            if (e.flow != 0 && e.end >= e.begin)
                items.push_back({e.receives ? (std::max)(e.begin, e.end - 1) : e.begin, n, true});
        }
        sort_list(items, [&](const item& a, const item& b) {
            if (a.time != b.time) return a.time < b.time;
            if (a.flow != b.flow) return b.flow;
            return events_[a.event].end > events_[b.event].end;
        });
        for (const item& i : items) {
            const event& e = events_[i.event];
            name_thread(rank, e.thread);
            if (i.flow) write_flow(e, rank.offset);
            else write(e, rank.offset);
        }
    }

    // Names a thread before its first event, and a process before the first event of any of its threads.
    void name_thread(const trace::rank_facts& rank, std::uint32_t thread) {
        const auto position = static_cast<std::uint64_t>(&rank - run_.ranks().data());
        const std::uint64_t number = position << 32 | thread;
        const auto at = std::lower_bound(named_.begin(), named_.end(), number);
        if (at != named_.end() && *at == number) return;
        const bool begins = at == named_.begin() || at[-1] >> 32 != position;
        if (begins && (at == named_.end() || *at >> 32 != position)) name_process(rank);
        named_.insert(at, number);
        const std::uint32_t track = (thread - 1) % trace_tracks;
        const std::uint32_t lane = (thread - 1) / trace_tracks;
        std::string title = track == 0 ? "computation" : groups_[track - 1];
        if (lane != 0) title += " (" + std::to_string(lane + 1) + ")";
        writer::named("thread_name", rank.rank, thread, title);
        writer::placed("thread_sort_index", rank.rank, thread, static_cast<std::int64_t>(track) * 1000 + lane);
    }
    void name_process(const trace::rank_facts& rank) {
        std::string title = "rank " + std::to_string(rank.rank);
        if (rank.stage >= 0) title += " (stage " + std::to_string(rank.stage) + ")";
        writer::named("process_name", rank.rank, 0, title);
        writer::placed("process_sort_index", rank.rank, 0, &rank - run_.ranks().data());
    }

    // The time since the run's first slice.
    void time(std::int64_t ns) {
        to_.literal(",\"ts\":");
        trace_microseconds(to_, (std::max)(ns - zero_, std::int64_t{0}));
    }

    void write(const event& e, std::int64_t offset) {
        const bool slice = e.end >= e.begin;
        head(slice ? 'X' : 'i', e.rank, e.thread);
        time(e.begin + offset);
        if (slice) {
            to_.literal(",\"dur\":");
            const std::int64_t begin = (std::max)(e.begin + offset - zero_, std::int64_t{0});
            trace_duration(to_, begin, begin + (e.end - e.begin));
        } else {
            to_.literal(",\"s\":\"t\"");
        }
        text(",\"name\":", e.name);
        text(",\"cat\":", e.track == 0 ? std::string_view("computation") : std::string_view(groups_[e.track - 1]));
        to_.literal(",\"args\":");
        to_.text(e.args);
        to_.put('}');
    }

    void write_flow(const event& e, std::int64_t offset) {
        head(e.receives ? 'f' : 's', e.rank, e.thread);
        time((e.receives ? (std::max)(e.begin, e.end - 1) : e.begin) + offset);
        if (e.receives) to_.literal(",\"bp\":\"e\"");
        to_.literal(",\"id\":");
        to_.integer(static_cast<std::int64_t>(e.flow));
        to_.literal(",\"name\":\"message\",\"cat\":\"pp\"}");
    }

    using writer::head;
    using writer::text;
    using writer::to_;
    const trace_run& run_;
    steps_of_records steps_;
    std::int64_t zero_;
    std::vector<event> events_;
    std::vector<std::string> groups_;         // track 1 and on; 0 is computation
    std::vector<std::size_t> messages_seen_;  // of each rank of the run
    std::vector<std::int64_t> last_end_;      // of each rank, by its own clock
    std::vector<std::uint64_t> named_;        // threads that have their names: rank's position, then track
};

}  // namespace WLFMT_IMPL

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
