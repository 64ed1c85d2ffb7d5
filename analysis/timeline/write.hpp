// Writes the events of a run, or of a workload file, as Trace Event JSON.
#ifndef WLFMT_ANALYSIS_TIMELINE_WRITE_HPP
#define WLFMT_ANALYSIS_TIMELINE_WRITE_HPP

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include <wlfmt/parallelism.hpp>

#include "../library.hpp"
#include "event_writer.hpp"
#include "time.hpp"
#include "timeline.hpp"

namespace wlfmt::analysis {

// Tracks and their lanes are threads of a process. The thread numbers of a track's lanes are this far apart.
inline constexpr std::uint32_t trace_tracks = 64;

// What a viewer shows of a selected record: all attributes with values but its timestamp, and the answers about it.
template <class Record>
std::string trace_arguments(const Record& r, char quote, bool timed, const program_step* step, bool is_copy) {
    std::string text;
    json::line line(text);
    line.open('{');
    oplog::for_each_attribute(r, [&](std::string_view key, const auto& v) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>) {
            const bool placed = key == "timestamp" || key == "time_stamp";
            if (placed || is_missing(v) || is_none(v)) return;
            line.key(key, quote).value(v, quote);
        }
    });
    if (!timed) line.key("no_timestamp").boolean(true);
    if (step != nullptr) {
        const auto put = [&](std::string_view key, double ms) {
            if (ms > 0) line.key(key).plain(decimals_text(ms));
        };
        const bounded& waiting = step->waiting;
        if (!waiting.is_exact()) put("waiting_least_ms", waiting.at_least());
        put(waiting.is_exact() ? "waiting_ms" : "waiting_most_ms", waiting.at_most());
        put("unknown_ms", step->unknown());
        if (step->late >= 0 && step->waits()) line.key("late_rank").integer(step->late);
        if (step->bytes >= 0) line.key("bytes").integer(step->bytes);
    }
    if (is_copy) line.key("copy").boolean(true);
    line.close('}');
    static_cast<void>(line.finish());
    return text;
}

// The lanes of a track, for slices in the order of their beginnings. Slices that overlap by no more than the tracer's
// rounding can share a lane; they are then cut.
class trace_lanes {
public:
    // Puts a slice into the first free lane, and cuts it if need be. Returns the lane.
    std::size_t take(std::int64_t& begin, std::int64_t& end) {
        while (!busy_.empty() && busy_.top().first <= begin + trace_rounding) {
            free_.push({0, busy_.top().second});
            busy_.pop();
        }
        const std::size_t lane = free_.empty() ? ends_.size() : free_.top().second;
        if (free_.empty()) ends_.push_back(begin);
        else free_.pop();
        begin = (std::max)(begin, ends_[lane]);
        end = (std::max)(begin, end);
        ends_[lane] = end;
        busy_.push({end, lane});
        return lane;
    }

private:
    using lane_at = std::pair<std::int64_t, std::size_t>;
    struct least_first {
        bool operator()(const lane_at& a, const lane_at& b) const { return b < a; }
    };
    using queue = std::priority_queue<lane_at, std::vector<lane_at>, least_first>;
    std::vector<std::int64_t> ends_;
    queue busy_;  // ordered by their ends
    queue free_;  // ordered by their numbers, as all have the same time
};

class trace_events : event_writer {
public:
    trace_events(output& to, const timeline::run& run, const run_answers* answers)
        : event_writer(to, "ms", run.end() - run.begin()), run_(run), answers_(answers), zero_(run.begin()) {
        // The track of messages between stages comes first, then those of the other groups, in the order of their rows.
        groups_.emplace_back(operations::word_of(oplog::group::pipeline_parallel));
        for (int n = 1; n != static_cast<int>(oplog::group::other); ++n)
            if (const std::string_view word = operations::word_of(static_cast<oplog::group>(n));
                word != groups_.front())
                groups_.emplace_back(word);
        for (const timeline::rank_facts& rank : run.ranks()) places_.push_back({rank.begin});
        if (answers == nullptr) return;
        for (const doubtful_time& d : answers->doubtful_times) doubtful_.insert(d.rank);
        for (const rank_answer& r : answers->ranks)
            if (const timeline::rank_facts* rank = run.find(r.rank)) {
                place_of(*rank).first = r.program.data();
                place_of(*rank).next = r.program.data();
                place_of(*rank).end = r.program.data() + r.program.size();
            }
    }

    void add(const oplog::operation& op) {
        if (op.origin != oplog::origin::rank) return;
        const timeline::rank_facts* const rank = run_.find(op.rank);
        if (rank == nullptr || !rank->timed) return;
        place_in_log& place = place_of(*rank);
        place.begin_record();
        const trace_time t = time_of(op.timestamp, op.duration);
        const std::size_t first = events_.size();
        event& e = add_event(op.rank, no_parent, op.group_kind, t, place.last_end);
        e.name = op.op;
        const program_step* const step = place.take(-1);
        e.args = trace_arguments(op, 0, t.timed, step, t.timed && place.is_copy());
        if (const operation_facts facts = operations::facts_of(op.op); is_side_of_message(facts)) {
            e.flow = run_.id_of(op.rank, place.messages++);
            e.receives = facts.kind == operation_kind::receive;
        }
        if (t.timed) place.last_end = t.end;
        if (step != nullptr) add_waiting(first, first, op.group_kind, *step, place);
        add_nested(op, first, place);
        nest(first);
    }

    void flush() {
        // A file may hold the operations of several ranks.
        std::vector<std::size_t> positions = positions_of(events_.size());
        std::stable_sort(positions.begin(), positions.end(),
                         [&](std::size_t a, std::size_t b) { return is_earlier(a, b); });
        for (std::size_t begin = 0, end = 0; begin != positions.size(); begin = end) {
            const std::int64_t rank = events_[positions[begin]].rank;
            while (end != positions.size() && events_[positions[end]].rank == rank) ++end;
            write_rank(*run_.find(rank), {positions.data() + begin, positions.data() + end});
        }
        events_.clear();
    }

    void finish() {
        flush();
        return event_writer::finish();
    }

private:
    struct event {
        std::int64_t rank;
        std::int64_t begin;
        std::int64_t end;
        std::size_t parent;
        std::uint32_t track;
        std::uint32_t thread;
        std::uint64_t flow;
        bool receives;
        std::string name;
        std::string args;
        std::uint64_t waits = 0;  // the id of the arrow to a slice of waiting, from the late rank's call; 0: none
        std::int64_t arrow_end = 0;
        const program_step* step = nullptr;  // null unless it is a call

        // Whether it is a slice; otherwise it is an instant.
        bool is_slice() const noexcept { return end >= begin; }
    };
    static constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

    // How far a rank's records have been written, and its steps in the answers, which are in the same order.
    struct place_in_log {
        std::int64_t last_end;               // when the last record ended, by the rank's own clock
        std::size_t messages = 0;            // the number of messages so far
        std::uint32_t records = 0;           // the number of records so far
        const program_step* last = nullptr;  // the step that was taken last
        const program_step* first = nullptr;
        const program_step* next = nullptr;  // the first step not taken yet; null if nothing is known
        const program_step* end = nullptr;

        void begin_record() noexcept {
            while (next != end && next->record < records) ++next;
            ++records;
        }
        // Takes the step of the record (position -1) and, in later calls, those of its nested operations, by ascending
        // positions. Null if there is no step, as the operation has no time or nothing is known about its rank.
        const program_step* take(std::int64_t position) noexcept {
            const bool has = next != end && next->record + 1 == records && next->position == position;
            return has ? last = next++ : nullptr;
        }
        // Call it after take(-1). Whether the record is an exchange that was written twice: its time is that of the
        // record before it.
        bool is_copy() const noexcept {
            return last != nullptr && last->what == program_step::kind::exchange && last->record + 2 == records;
        }
    };
    place_in_log& place_of(const timeline::rank_facts& rank) {
        return places_[static_cast<std::size_t>(&rank - run_.ranks().data())];
    }

    // Orders events by rank and beginning; a slice that encloses others comes before them, and equal events keep their
    // order.
    bool is_earlier(std::size_t a, std::size_t b) const noexcept {
        const event& x = events_[a];
        const event& y = events_[b];
        if (x.rank != y.rank) return x.rank < y.rank;
        return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
    }

    // `otherwise` is the time of an operation without a timestamp.
    event& add_event(std::int64_t rank, std::size_t parent, std::string_view group, const trace_time& t,
                     std::int64_t otherwise) {
        event& e = events_.emplace_back();
        e.rank = rank;
        e.parent = parent;
        e.track = track_of(group);
        e.begin = t.timed ? t.begin : otherwise;
        e.end = t.timed && !t.instant ? t.end : e.begin - 1;
        return e;
    }

    // Adds the waiting in a call as a slice below it: at its beginning, or at the end of an asynchronous call. An arrow
    // leads to it from the call of the rank that was late.
    void add_waiting(std::size_t call, std::size_t parent, std::string_view group, const program_step& step,
                     const place_in_log& place) {
        using kind = program_step::kind;
        events_[call].step = &step;
        if (!events_[call].is_slice()) return;
        trace_time t;
        t.timed = true;
        t.instant = false;
        const std::int64_t size =
            (std::min)(nanoseconds(step.waiting.number()), events_[call].end - events_[call].begin);
        t.begin = step.what == kind::asynchronous ? events_[call].end - size : events_[call].begin;
        t.end = t.begin + size;
        if (size <= 0) return;
        const std::int64_t rank = events_[call].rank;
        event& e = add_event(rank, parent, group, t, t.begin);
        e.name = "waiting";
        e.args = step.late >= 0 ? joined({"{\"for_rank\":", step.late, "}"}) : std::string("{}");
        if (step.late < 0 || step.call == program_step::no_call) return;
        const call_member* const own = member_of(step, rank);
        const call_member* const late = member_of(step, step.late);
        if (const auto end = own && late ? arrow_end(*late, *own) : std::nullopt) {
            e.arrow_end = *end;
            e.waits = wait_id(rank, static_cast<std::size_t>(&step - place.first));
        }
    }
    // The rank's part in the call of a step; null if it has none.
    const call_member* member_of(const program_step& step, std::int64_t rank) const noexcept {
        const group_call& call = answers_->calls[step.call];
        const auto begin = answers_->members.begin() + call.first_member;
        const auto at = std::lower_bound(
            begin, begin + call.members, rank,
            [this](const call_member& m, std::int64_t number) { return answers_->ranks[m.rank].rank < number; });
        return at != begin + call.members && answers_->ranks[at->rank].rank == rank ? &*at : nullptr;
    }
    // When the arrow from a late member of a call to one that waits for it ends, offset included: where the waiting
    // ends or, as times are rounded, a moment after the late call begins. Empty if that is after the other call, or if
    // one of the ranks has doubtful times: the answers may count its calls at other times than its slices show.
    std::optional<std::int64_t> arrow_end(const call_member& late, const call_member& waiting) const {
        constexpr std::int64_t moment = 100;
        std::int64_t begins[2] = {};
        for (const auto& [member, begin] : {std::pair(&late, &begins[0]), std::pair(&waiting, &begins[1])}) {
            const rank_answer& r = answers_->ranks[member->rank];
            const timeline::rank_facts* const rank = run_.find(r.rank);
            if (rank == nullptr || doubtful_.count(r.rank) != 0) return std::nullopt;
            *begin = nanoseconds(r.begin + r.program[member->step].start) + rank->offset;
        }
        const program_step& own = answers_->ranks[waiting.rank].program[waiting.step];
        const std::int64_t last = begins[1] + nanoseconds(own.duration) - 1;
        const double waited = own.what == program_step::kind::asynchronous ? own.duration : own.waiting.number();
        const std::int64_t end = (std::max)(begins[1] + nanoseconds(waited) - 1, begins[0] + moment);
        return end <= last ? std::optional<std::int64_t>(end) : std::nullopt;
    }
    // A number that no message has, and that a double holds. Perfetto takes no other texts than hexadecimal numbers.
    std::uint64_t wait_id(std::int64_t rank, std::size_t step) const noexcept {
        return static_cast<std::uint64_t>(run_.find(rank) - run_.ranks().data() + 1) << 32 | step;
    }
    // Calls visit(id, end) for each arrow from a late call to the waiting of others; `end` is that of arrow_end().
    template <class Each> void for_each_waiter(const event& late, const Each& visit) const {
        const program_step* const step = late.step;
        if (answers_ == nullptr || step == nullptr || step->call == program_step::no_call) return;
        // Of several ranks that were late, all but the last one may themselves have waited.
        if (step->waiting.number() * 1e6 > clock_noise + trace_rounding) return;
        const group_call& call = answers_->calls[step->call];
        const call_member* const self = member_of(*step, late.rank);
        for (std::uint32_t n = 0; self != nullptr && n != call.members; ++n) {
            const call_member& member = answers_->members[call.first_member + n];
            const rank_answer& other = answers_->ranks[member.rank];
            const program_step& own = other.program[member.step];
            // Waiting that may be none has no slice.
            const bool is_drawn = nanoseconds(own.waiting.number()) > 0 && run_.find(other.rank) != nullptr;
            if (own.late != late.rank || !is_drawn) continue;
            if (const auto end = arrow_end(*self, member)) visit(wait_id(other.rank, member.step), *end);
        }
    }

    std::uint32_t track_of(std::string_view group) {
        if (is_missing(group) || is_none(group) || group.empty()) return 0;
        std::size_t n = 0;
        while (n != groups_.size() && groups_[n] != group) ++n;
        // If there are more groups than tracks, the last ones share a track.
        if (n == groups_.size() && n + 2 < trace_tracks) groups_.emplace_back(group);
        return static_cast<std::uint32_t>(n + 2 < trace_tracks ? n + 1 : n);
    }

    void add_nested(const oplog::operation& op, std::size_t parent, place_in_log& place) {
        std::int64_t position = 0;
        for (const oplog::sub_operation& s : nested_operations_of(op)) {
            const program_step* const step = place.take(position++);
            const trace_time t = time_of(s.timestamp, s.duration);
            const event& above = events_[parent];
            std::string buffer;
            const std::string_view group = plain_text(s.group, s.quote, buffer);
            event& e = add_event(op.rank, parent, group, t, (std::max)(above.begin, above.end));
            const std::string_view name = !is_missing(s.comm_func)        ? s.comm_func
                                          : !is_missing(s.trace_src_func) ? s.trace_src_func
                                          : s.is_text()                   ? s.text
                                                                          : text_view("nested operation");
            e.name = plain_text(name, s.quote, buffer);
            e.args = s.is_text() ? "{}" : trace_arguments(s, s.quote, t.timed, step, false);
            if (step != nullptr) add_waiting(events_.size() - 1, parent, s.group, *step, place);
        }
    }

    // The events from `first` on are an operation and its nested operations. Cuts their slices so that they nest. A
    // nested slice that does not fit goes to the track of its own group.
    void nest(std::size_t first) {
        const event& above = events_[first];
        std::vector<std::size_t> order;
        for (std::size_t n = first + 1; n != events_.size(); ++n)
            if (events_[n].is_slice()) order.push_back(n);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return is_earlier(a, b); });
        const auto cut = [](std::int64_t& time, std::int64_t limit) {
            const std::int64_t by = limit > time ? limit - time : time - limit;
            if (by <= trace_rounding) time = limit;
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

    // Writes the events of a rank in the order of their beginnings.
    void write_rank(const timeline::rank_facts& rank, const std::vector<std::size_t>& order) {
        // Each slice that is not nested in another one gets the first free lane of its track.
        std::vector<trace_lanes> lanes(trace_tracks);
        for (const std::size_t n : order) {
            event& e = events_[n];
            if (e.parent != no_parent) continue;
            const std::size_t lane = e.is_slice() ? lanes[e.track].take(e.begin, e.end) : 0;
            e.thread = e.track + 1 + static_cast<std::uint32_t>(lane) * trace_tracks;
        }
        // Events are sorted by time; a flow's arrow is written at its start and at its end.
        struct item {
            std::int64_t time;
            std::size_t event;
            bool flow;
            std::uint64_t arrow = 0;  // the id of an arrow that begins at a late call, or that ends at waiting for it
        };
        std::vector<item> items;
        for (const std::size_t n : order) {
            event& e = events_[n];
            if (e.parent != no_parent) {
                const event& above = events_[e.parent];
                e.thread = above.thread;
                // The operation around it may have been cut.
                if (e.is_slice()) {
                    e.begin = (std::max)(e.begin, above.begin);
                    e.end = (std::max)(e.begin, e.end);
                }
            }
            items.push_back({e.begin, n, false});
            if (e.is_slice()) {
                for_each_waiter(e, [&](std::uint64_t id, std::int64_t end) {
                    items.push_back({(std::min)(e.begin, end - rank.offset), n, true, id});
                });
                if (e.waits != 0) items.push_back({e.arrow_end - rank.offset, n, true, e.waits});
            }
            if (e.flow != 0 && e.is_slice()) items.push_back({e.receives ? end_of_arrow(e) : e.begin, n, true});
        }
        std::stable_sort(items.begin(), items.end(), [&](const item& a, const item& b) {
            if (a.time != b.time) return a.time < b.time;
            return a.flow != b.flow ? b.flow : events_[a.event].end > events_[b.event].end;
        });
        for (const item& i : items) {
            const event& e = events_[i.event];
            name_thread(rank, e.thread);
            const std::int64_t begin = (std::max)(i.time + rank.offset - zero_, std::int64_t{0});
            if (i.arrow != 0) write_arrow(e, begin, e.waits != 0, i.arrow, "\"waits for\",\"cat\":\"waiting\"");
            else if (i.flow) write_arrow(e, begin, e.receives, e.flow, "\"message\",\"cat\":\"pp\"");
            else write(e, begin);
        }
    }

    // Names a thread before its first event, and a process before the first event of any of its threads.
    void name_thread(const timeline::rank_facts& rank, std::uint32_t thread) {
        if (!named_.try_emplace({rank.rank, thread}).second) return;
        if (named_.try_emplace({rank.rank, 0}).second) name_process(rank);
        const std::uint32_t track = (thread - 1) % trace_tracks;
        const std::uint32_t lane = (thread - 1) / trace_tracks;
        std::string title = name_of_track(track);
        if (lane != 0) append(title, {" (", lane + 1, ")"});
        name("thread_name", rank.rank, thread, title);
        set_sort_index("thread_sort_index", rank.rank, thread, static_cast<std::int64_t>(track) * 1000 + lane);
    }
    void name_process(const timeline::rank_facts& rank) {
        std::string title = joined({"rank ", rank.rank});
        if (rank.stage >= 0) append(title, {" (stage ", rank.stage, ")"});
        name("process_name", rank.rank, 0, title);
        set_sort_index("process_sort_index", rank.rank, 0, &rank - run_.ranks().data());
        if (answers_ != nullptr && answers_->interleaved)
            describe("process_labels", rank.rank, 0, "labels", "\"virtual pipeline: stages are interleaved\"");
    }
    void set_sort_index(std::string_view kind, std::int64_t process, std::int64_t thread, std::int64_t index) {
        describe(kind, process, thread, "sort_index", std::to_string(index));
    }
    std::string name_of_track(std::uint32_t track) const { return track == 0 ? "computation" : groups_[track - 1]; }

    // `begin` is the time since the beginning of the run.
    void write(const event& e, std::int64_t begin) {
        put_event(e.is_slice() ? "X" : "i", e.rank, e.thread,
                  {times(begin, begin + (e.end - e.begin)), ",\"name\":", json_text(e.name),
                   ",\"cat\":", json_text(name_of_track(e.track)), ",\"args\":", e.args});
    }
    // Writes one side of an arrow. `name` is its name and its category, as JSON. Perfetto draws an arrow from the slice
    // that begins first, and to the slice that began last, ended or not: an arrow ends at a slice of its own.
    void write_arrow(const event& e, std::int64_t begin, bool ends, std::uint64_t id, std::string_view name) {
        if (ends)
            put_event("X", e.rank, e.thread,
                      {times(begin, begin + 1), ",\"name\":\"arrival\",\"cat\":", json_text(name_of_track(e.track)),
                       ",\"args\":{}"});
        put_event(ends ? "f" : "s", e.rank, e.thread,
                  {",\"ts\":", time_text(begin), ends ? ",\"bp\":\"e\"" : "", ",\"id\":", id, ",\"name\":", name});
    }

    const timeline::run& run_;
    const run_answers* answers_;
    std::set<std::int64_t> doubtful_;  // the ranks that have doubtful times
    std::int64_t zero_;
    std::vector<event> events_;
    std::vector<std::string> groups_;   // the groups of the tracks from 1 on; track 0 is computation
    std::vector<place_in_log> places_;  // an item for each rank of the run
    // The threads of each rank that have been named; thread 0 is the process.
    std::map<std::pair<std::int64_t, std::uint32_t>, bool> named_;
};

class workload_timeline : event_writer {
public:
    workload_timeline(output& to, const workload::document& doc) : event_writer(to, "ns", length_of(doc)), doc_(doc) {}

    void write() {
        constexpr std::string_view tracks[] = {"computation", "tensor parallel", "data parallel", "expert parallel",
                                               "expert data parallel"};
        name("process_name", 1, 0, joined({"one iteration of a stage: ", doc_.header.policy}));
        std::int64_t thread = computation;
        for (const std::string_view track : tracks) name("thread_name", 1, thread++, track);
        for_each_phase(doc_, [&](std::size_t position, parallelism::phase phase, std::string_view title) {
            add(doc_.layers[position], position, phase, title);
        });
        finish();
    }

private:
    static constexpr std::int64_t computation = 1;  // the thread of computation; those of the groups follow

    // Calls visit(position of a layer, phase, title) in the order in which SimAI simulates one iteration.
    template <class Visit> static void for_each_phase(const workload::document& doc, const Visit& visit) {
        const workload::policies::row policy = workload::policies::of(doc.header.policy);
        const std::size_t count = doc.layers.size();
        for (std::size_t n = 0; n != count; ++n) visit(n, parallelism::phase::forward, "forward");
        if (policy.has(workload::policies::forward_alone)) return;
        const bool weight_first = policy.has(workload::policies::weight_grad_first);
        const auto marks_of = [&](const workload::index_list& list) {
            std::vector<bool> marks(count);
            for (const std::int64_t n : list)
                if (policy.has(workload::policies::recomputes) && n >= 0 && static_cast<std::uint64_t>(n) < count)
                    marks[static_cast<std::size_t>(n)] = true;
            return marks;
        };
        const std::vector<bool> is_checkpoint = marks_of(doc.header.checkpoints());
        const std::vector<bool> initiates = marks_of(doc.header.checkpoint_initiates());
        const auto first_checkpoint = static_cast<std::size_t>(
            std::find(is_checkpoint.begin(), is_checkpoint.end(), true) - is_checkpoint.begin());
        for (std::size_t n = count; n-- > 0;) {
            if (initiates[n] && n >= first_checkpoint) {
                std::size_t from = n;
                while (!is_checkpoint[from]) --from;
                for (; from != n; ++from) visit(from, parallelism::phase::forward, "forward again");
            }
            if (!weight_first) visit(n, parallelism::phase::input_grad, "input_grad");
            visit(n, parallelism::phase::weight_grad, "weight_grad");
            if (weight_first && n != 0) visit(n, parallelism::phase::input_grad, "input_grad");
        }
    }
    static const workload::phase& values_of(const workload::layer& layer, parallelism::phase phase) {
        return layer.*workload::phase_rows[static_cast<std::size_t>(phase)].member;
    }
    // How long computing takes from `now` on.
    static std::int64_t time_of(const workload::phase& values, std::int64_t now) {
        const double ticks = values.compute.value_or(0.0);
        constexpr std::int64_t greatest = 9000000000000000000;  // the clock stops at the last time that it can show
        const auto whole = ticks > 0 && ticks < 9e18 ? static_cast<std::int64_t>(ticks) : 0;
        return (std::min)(whole, greatest - now);
    }
    static std::int64_t length_of(const workload::document& doc) {
        std::int64_t now = 0;
        for_each_phase(doc, [&](std::size_t position, parallelism::phase phase, std::string_view) {
            now += time_of(values_of(doc.layers[position], phase), now);
        });
        return now;
    }

    void add(const workload::layer& traced, std::size_t position, parallelism::phase phase, std::string_view title) {
        const workload::phase& values = values_of(traced, phase);
        const std::string layer = joined({",\"args\":{\"layer\":", position, ",\"name\":", json_text(traced.name)});
        if (const std::int64_t ns = time_of(values, now_); ns > 0) {
            const std::string name = traced.name.empty() ? joined({"layer ", position}) : std::string(traced.name);
            put_event("X", 1, computation,
                      {times(now_, now_ + ns), ",\"name\":", json_text(name), ",\"cat\":\"", title, "\"", layer, "}"});
            now_ += ns;
        }
        const workload::communication c = workload::communication_of(values.comm);
        if (c.collective == workload::collective::none) return;
        // An unknown collective is put in the group in which a known one would be.
        const auto group = parallelism::group_of(phase, {workload::collective::allreduce, c.group});
        std::string bytes;
        append_value(bytes, values.bytes);
        put_event("i", 1, computation + 1 + static_cast<std::int64_t>(*group),
                  {",\"s\":\"t\",\"ts\":", time_text(now_), ",\"name\":", json_text(values.comm),
                   ",\"cat\":\"communication\"", layer, ",\"bytes\":", bytes, ",\"phase\":\"", title, "\"}"});
    }

    const workload::document& doc_;
    std::int64_t now_ = 0;
};

}  // namespace wlfmt::analysis

#endif
