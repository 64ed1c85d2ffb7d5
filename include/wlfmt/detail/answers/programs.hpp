// The programs of a run's ranks as they can be replayed with other times: what a rank shares with others, and how long
// it works and pauses before.
#ifndef WLFMT_DETAIL_ANSWERS_PROGRAMS_HPP
#define WLFMT_DETAIL_ANSWERS_PROGRAMS_HPP

#include "rank.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

enum class replayed_action : std::uint8_t {
    work,
    gap,           // between records
    collective,    // its members leave `least` after the last of them came
    asynchronous,  // its member leaves after its own work, at least `least` after the last launch
    message        // posts one, or leaves its time after another one was posted, or both
};
// A collective of some ranks: its members are those of the programs' list from `first_member` on.
struct replayed_collective {
    std::uint32_t first_member = 0;
    std::uint32_t members = 0;
    double least = 0;
};
// How long a rank works before an event, and in it: an asynchronous collective's own work, or a message's transfer.
struct event_times {
    double work = 0;
    double inside = 0;
};
// The times of a rank in a replay. Its work, but for no message, takes `factor` times as long as its events say.
struct rank_times {
    const event_times* events;  // those of all ranks
    double factor = 1;
};

// Times are milliseconds. Which events can happen one after the other does not depend on times: that order is found
// once, and each replay goes through it from the beginning to the end.
class replayed_programs {
    using action = replayed_action;

public:
    static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();

    // Consecutive events of a rank, and how long it works before and after them.
    struct part {
        std::size_t first = 0;
        std::size_t end = 0;
        double before = 0;
        double after = 0;
    };
    // Messages of a rank in one direction arrive in the order in which they are sent.
    static std::uint32_t channel(std::size_t rank, bool backward) noexcept {
        return static_cast<std::uint32_t>(2 * rank + (backward ? 1 : 0));
    }
    std::size_t ranks() const noexcept { return begins_.size(); }
    std::size_t first_event(std::size_t rank) const noexcept { return begins_[rank]; }
    std::size_t end_event(std::size_t rank) const noexcept {
        return rank + 1 == begins_.size() ? events_.size() : begins_[rank + 1];
    }
    const std::vector<event_times>& times() const noexcept { return times_; }
    bool is_asynchronous(std::size_t event) const noexcept { return events_[event].what == action::asynchronous; }

    std::size_t event_count() const noexcept { return events_.size(); }
    void reserve(std::size_t events) {
        events_.reserve(events);
        times_.reserve(events);
        gaps_.reserve(events);
    }
    void begin_rank() { begins_.push_back(events_.size()); }
    // Adds what the rank does next. `key`: the collective, or the channel that a message is posted to; `needs`: the
    // channel from which the next message is received.
    void add(action kind, double time, std::uint32_t key = none, std::uint32_t needs = none) {
        time = (std::max)(time, 0.0);
        if (kind == action::work) {
            work_ += time;
        } else if (kind == action::gap) {
            gap_ += time;
        } else {
            events_.push_back({kind, key, needs});
            times_.push_back({std::exchange(work_, 0), time});
            gaps_.push_back(std::exchange(gap_, 0));
        }
    }
    void end_rank() { add(action::message, 0); }  // what comes after its last event
    // Adds a part of another rank's programs, whose collectives have keys that are less by `more_keys`.
    void add_part(const replayed_programs& from, const part& p, std::uint32_t more_keys) {
        work_ += p.before;
        const std::size_t base = events_.size();
        const auto first = static_cast<std::ptrdiff_t>(p.first);
        const auto end = static_cast<std::ptrdiff_t>(p.end);
        events_.insert(events_.end(), from.events_.begin() + first, from.events_.begin() + end);
        times_.insert(times_.end(), from.times_.begin() + first, from.times_.begin() + end);
        gaps_.resize(events_.size());
        if (base != events_.size()) {
            times_[base].work = std::exchange(work_, 0);
            gaps_[base] = std::exchange(gap_, 0);
        }
        for (std::size_t n = base; more_keys != 0 && n != events_.size(); ++n) events_[n].key += more_keys;
        work_ += p.after;
    }

    std::vector<replayed_collective> collectives;

    // Finds an order in which all events can happen; false if there is none, as a rank waits for ever. Linear in
    // events.
    bool find_order() {
        turns_.clear();
        turns_.reserve(events_.size());
        return go_through(turn_list{turns_});
    }
    // When the last rank ends, each with its times. Without `has_gaps`, gaps take no time, and without `moves`,
    // transfer takes none. Goes through the order that find_order() has found.
    double end(const std::vector<rank_times>& ranks, bool has_gaps = true, bool moves = true) {
        clocks replay(*this, ranks, has_gaps, moves);
        for (const turn& t : turns_) {
            switch (t.what) {
            case turn::kind::post: replay.post(t.rank, t.event); break;
            case turn::kind::take: replay.take(t.rank, t.event); break;
            case turn::kind::send: replay.send(t.rank, t.event); break;
            case turn::kind::receive: replay.receive(t.rank, t.event); break;
            case turn::kind::meet: replay.meet(t.event); break;
            }
        }
        return *std::max_element(now_.begin(), now_.end());
    }
    // The same with times(), while it finds the order, once; empty if there is none.
    std::optional<double> end_once() {
        const std::vector<rank_times> as_traced(ranks(), rank_times{times_.data()});
        if (!go_through(clocks(*this, as_traced, true, true))) return std::nullopt;
        return *std::max_element(now_.begin(), now_.end());
    }
    // Call it after end() with these times. How long the ranks waited in the collectives that are `is_in_stage`.
    double waiting(const std::vector<rank_times>& ranks, const std::vector<bool>& is_in_stage) const {
        double sum = 0;
        for (std::size_t n = 0; n != collectives.size(); ++n) {
            if (!is_in_stage[n]) continue;
            const replayed_collective& call = collectives[n];
            const double last = came_[last_of(call)];
            for (std::uint32_t k = call.first_member; k != call.first_member + call.members; ++k) {
                const auto [rank, at] = members_[k];
                const double waited = is_asynchronous(at) ? last + call.least - came_[at] -
                                                                ranks[rank].events[at].inside * ranks[rank].factor
                                                          : last - came_[at];
                sum += (std::max)(0.0, waited);
            }
        }
        return sum;
    }
    // Call it after end() with times(). How much less time a rank's work on a longest chain of dependencies would take
    // with `other` times, none of which is greater: no change of the rank's work gains more.
    std::vector<double> most_gains(const std::vector<event_times>& other) const {
        std::vector<double> gains(begins_.size());
        std::size_t rank = static_cast<std::size_t>(std::max_element(now_.begin(), now_.end()) - now_.begin());
        std::size_t at = end_event(rank) - 1;
        for (;;) {
            gains[rank] += times_[at].work - other[at].work;
            if (at == begins_[rank]) return gains;
            const shared_event& e = events_[--at];
            std::size_t cause = at;
            if (e.what == action::message) {
                if (e.needs != none) cause = e.needs;
            } else {
                const replayed_collective& call = collectives[e.key];
                cause = last_of(call);
                if (is_asynchronous(at) && came_[at] + times_[at].inside >= came_[cause] + call.least) {
                    gains[rank] += times_[at].inside - other[at].inside;
                    continue;
                }
            }
            if (!(came_[cause] > came_[at])) continue;
            at = cause;
            rank = static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), at) - begins_.begin()) - 1;
        }
    }

private:
    struct shared_event {
        action what;
        std::uint32_t key;
        std::uint32_t needs;  // once the order is found, the event by which the message that is received is posted
    };
    struct member {
        std::uint32_t rank;
        std::uint32_t event;
    };
    struct turn {
        enum class kind : std::uint8_t {
            post,     // the rank begins an exchange: it posts its message
            take,     // the rank ends an exchange: the other message has arrived
            send,     // the rank posts a message and goes on
            receive,  // the rank takes a message that has arrived already
            meet      // all members of a collective have arrived, and go on
        };
        kind what;
        std::uint32_t rank;
        std::uint32_t event;  // for `meet`, the collective
    };

    struct turn_list {
        std::vector<turn>& turns;

        void post(std::uint32_t rank, std::uint32_t event) { turns.push_back({turn::kind::post, rank, event}); }
        void take(std::uint32_t rank, std::uint32_t event) { turns.push_back({turn::kind::take, rank, event}); }
        void send(std::uint32_t rank, std::uint32_t event) { turns.push_back({turn::kind::send, rank, event}); }
        void receive(std::uint32_t rank, std::uint32_t event) { turns.push_back({turn::kind::receive, rank, event}); }
        void meet(std::uint32_t collective) { turns.push_back({turn::kind::meet, 0, collective}); }
    };
    // Where each rank is in time.
    class clocks {
    public:
        clocks(replayed_programs& programs, const std::vector<rank_times>& ranks, bool has_gaps, bool moves)
            : of_(programs), ranks_(ranks.data()), gaps_(has_gaps ? 1 : 0), transfers_(moves ? 1 : 0) {
            programs.now_.assign(programs.ranks(), 0);
            programs.came_.resize(programs.events_.size());
        }
        void post(std::uint32_t rank, std::uint32_t event) { come(rank, event); }
        void send(std::uint32_t rank, std::uint32_t event) {
            of_.now_[rank] = come(rank, event) + of_.times_[event].inside * transfers_;
        }
        void receive(std::uint32_t rank, std::uint32_t event) {
            come(rank, event);
            take(rank, event);
        }
        void take(std::uint32_t rank, std::uint32_t event) {
            double& now = of_.now_[rank];
            now = (std::max)(now, of_.came_[of_.events_[event].needs]) + of_.times_[event].inside * transfers_;
        }
        void meet(std::uint32_t collective) {
            const replayed_collective& call = of_.collectives[collective];
            const member* const first = of_.members_.data() + call.first_member;
            double last = 0;
            for (const member* m = first; m != first + call.members; ++m)
                last = (std::max)(last, come(m->rank, m->event));
            for (const member* m = first; m != first + call.members; ++m) {
                const rank_times& own = ranks_[m->rank];
                double& now = of_.now_[m->rank];
                now = of_.is_asynchronous(m->event)
                          ? (std::max)(now + own.events[m->event].inside * own.factor, last + call.least)
                          : last + call.least * transfers_;
            }
        }

    private:
        double come(std::uint32_t rank, std::uint32_t event) {
            const rank_times& own = ranks_[rank];
            return of_.came_[event] = of_.now_[rank] += own.events[event].work * own.factor + of_.gaps_[event] * gaps_;
        }

        replayed_programs& of_;
        const rank_times* ranks_;
        double gaps_;
        double transfers_;
    };

    // Has each rank go on until it needs another one that has not come so far, and tells what happens.
    template <class Listener> class order_of_events {
    public:
        order_of_events(replayed_programs& programs, Listener listener)
            : of_(programs),
              listener_(std::move(listener)),
              ranks_(programs.ranks()),
              meetings_(programs.collectives.size()),
              channels_(2 * programs.ranks()) {}
        bool find() {
            std::size_t members = 0;
            for (const replayed_collective& call : of_.collectives)
                members = (std::max)(members, std::size_t{call.first_member} + call.members);
            of_.members_.resize(members);
            for (std::uint32_t r = static_cast<std::uint32_t>(ranks_.size()); r-- != 0;) {
                ranks_[r].at = static_cast<std::uint32_t>(of_.first_event(r));
                todo_.push_back(r);
            }
            while (!todo_.empty()) {
                const std::uint32_t r = todo_.back();
                todo_.pop_back();
                go_on(r, static_cast<std::uint32_t>(of_.end_event(r)));
            }
            for (std::size_t r = 0; r != ranks_.size(); ++r)
                if (ranks_[r].at != of_.end_event(r)) return false;
            return true;
        }

    private:
        struct rank_state {
            std::uint32_t at = 0;               // its event
            bool has_come = false;              // the rank has arrived at its message and waits there
            std::uint32_t next_blocked = none;  // the rank before it that waits in the same collective
        };
        struct meeting {
            std::uint32_t came = 0;
            std::uint32_t blocked = none;  // the last rank that waits
        };
        struct channel_state {
            std::vector<std::uint32_t> posted;  // events
            std::size_t received = 0;
            std::uint32_t blocked = none;  // the rank that waits for the next message
        };

        void go_on(std::uint32_t r, std::uint32_t end) {
            for (std::uint32_t& at = ranks_[r].at; at != end; ++at) {
                const shared_event& e = of_.events_[at];
                if (e.what == action::message ? !exchange(r) : !meet(r, at, e.key)) return;
            }
        }
        bool exchange(std::uint32_t r) {
            rank_state& own = ranks_[r];
            shared_event& e = of_.events_[own.at];
            if (!own.has_come && e.key != none) {
                channels_[e.key].posted.push_back(own.at);
                if (const std::uint32_t other = std::exchange(channels_[e.key].blocked, none); other != none)
                    todo_.push_back(other);
            }
            if (e.needs == none) {
                listener_.send(r, own.at);
                return true;
            }
            if (!own.has_come && e.key != none) listener_.post(r, own.at);
            channel_state& from = channels_[e.needs];
            own.has_come = from.received == from.posted.size();
            if (own.has_come) {
                from.blocked = r;
                return false;
            }
            e.needs = from.posted[from.received++];
            e.key == none ? listener_.receive(r, own.at) : listener_.take(r, own.at);
            return true;
        }
        // The last member to come has the others go on, after their event.
        bool meet(std::uint32_t r, std::uint32_t event, std::uint32_t key) {
            const replayed_collective& call = of_.collectives[key];
            meeting& members = meetings_[key];
            of_.members_[call.first_member + members.came++] = {r, event};
            if (members.came != call.members) {
                ranks_[r].next_blocked = std::exchange(members.blocked, r);
                return false;
            }
            listener_.meet(key);
            for (std::uint32_t n = members.blocked; n != none; n = ranks_[n].next_blocked) {
                ++ranks_[n].at;
                todo_.push_back(n);
            }
            return true;
        }

        replayed_programs& of_;
        Listener listener_;
        std::vector<rank_state> ranks_;
        std::vector<meeting> meetings_;
        std::vector<channel_state> channels_;
        std::vector<std::uint32_t> todo_;
    };

    template <class Listener> bool go_through(Listener listener) {
        return order_of_events<Listener>(*this, std::move(listener)).find();
    }

    // The event of the member that came last; of several, of the first one in the order.
    std::size_t last_of(const replayed_collective& call) const noexcept {
        std::size_t last = members_[call.first_member].event;
        for (std::uint32_t n = 1; n < call.members; ++n) {
            const std::size_t event = members_[call.first_member + n].event;
            if (came_[event] > came_[last]) last = event;
        }
        return last;
    }

    std::vector<shared_event> events_;
    std::vector<event_times> times_;   // the traced times of the events
    std::vector<double> gaps_;         // how long each event's rank pauses before it
    std::vector<std::size_t> begins_;  // the first event of each rank
    double work_ = 0;                  // the work of a rank after its last event; gap_ is its pause there
    double gap_ = 0;
    std::vector<member> members_;  // the members of collectives, in the order in which they come
    std::vector<turn> turns_;
    std::vector<double> now_;   // the time of each rank in a replay
    std::vector<double> came_;  // when each event's rank came to it
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
