// The programs of a run's ranks in a form that can be replayed with other times: the events that a rank shares with
// others, and how long it works and pauses before each of them.
#ifndef WLFMT_ANALYSIS_ANSWERS_PROGRAMS_HPP
#define WLFMT_ANALYSIS_ANSWERS_PROGRAMS_HPP

#include "../library.hpp"
#include "rank.hpp"

namespace wlfmt::analysis {

enum class replayed_action : std::uint8_t {
    work,
    gap,           // between records
    collective,    // its members leave `least` after the last of them arrived
    asynchronous,  // its member leaves after its own work, and at least `least` after the last launch
    message        // the rank posts a message, or receives one that another rank posted, or both
};
// A collective of some ranks: its members follow each other in the programs' list, from `first_member` on.
struct replayed_collective {
    std::uint32_t first_member = 0;
    std::uint32_t members = 0;
    double least = 0;
};
// An event that a rank shares with others: a collective or a message.
struct replayed_event {
    static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();

    replayed_action what = replayed_action::message;
    std::uint32_t key = none;    // the collective, or the channel that a message is posted to
    std::uint32_t needs = none;  // the channel from which the next message is received
};
// How long a rank works before an event, and in it: an asynchronous collective's own work, or a message's transfer.
struct event_times {
    double work = 0;
    double inside = 0;
};

// Lets each rank go on until it needs another rank that has not arrived yet. Ranks::event(rank) is the event that a
// rank is at, null after the last one. The other functions are called in an order in which events can happen:
//     posted post(rank)           The rank begins an exchange: it posts its message.
//     take(rank, posted)          The rank ends an exchange: the other message has arrived.
//     posted send(rank)           The rank posts a message and goes on.
//     receive(rank, posted)       The rank takes a message that has arrived already.
//     arrive(rank, key, before)   The rank arrives at a collective, after `before` other members.
//     depart(rank, key)           All members have arrived, and the rank goes on.
//     advance(rank)               The rank is done with its event, and goes to the next one.
template <class Ranks> class order_of_events {
public:
    order_of_events(Ranks& ranks, std::size_t count, const std::vector<replayed_collective>& collectives)
        : replay_(ranks),
          collectives_(collectives.data()),
          ranks_(count),
          meetings_(collectives.size()),
          channels_(2 * count) {}
    // Whether all ranks reach their ends; if not, some wait for ever. Linear in events.
    bool find() {
        for (std::uint32_t r = static_cast<std::uint32_t>(ranks_.size()); r-- != 0;) todo_.push_back(r);
        while (!todo_.empty()) {
            const std::uint32_t r = todo_.back();
            todo_.pop_back();
            go_on(r);
        }
        for (std::uint32_t r = 0; r != ranks_.size(); ++r)
            if (replay_.event(r)) return false;
        return true;
    }

private:
    static constexpr std::uint32_t none = replayed_event::none;
    using posted = typename Ranks::posted;

    struct rank_state {
        bool has_come = false;              // the rank has arrived at its message and waits there
        std::uint32_t next_blocked = none;  // the rank before it that waits in the same collective
    };
    struct meeting {
        std::uint32_t came = 0;
        std::uint32_t blocked = none;  // the last rank that waits
    };
    struct channel_state {
        std::vector<posted> messages;
        std::size_t received = 0;
        std::uint32_t blocked = none;  // the rank that waits for the next message
    };

    void go_on(std::uint32_t r) {
        while (const replayed_event* const e = replay_.event(r)) {
            if (e->what == replayed_action::message ? !exchange(r, *e) : !meet(r, e->key)) return;
            replay_.advance(r);
        }
    }
    bool exchange(std::uint32_t r, const replayed_event& e) {
        rank_state& own = ranks_[r];
        if (e.needs == none) {
            post(e.key, replay_.send(r));
            return true;
        }
        if (!own.has_come && e.key != none) post(e.key, replay_.post(r));
        channel_state& from = channels_[e.needs];
        own.has_come = from.received == from.messages.size();
        if (own.has_come) {
            from.blocked = r;
            return false;
        }
        const posted message = from.messages[from.received++];
        if (from.received == from.messages.size()) {
            from.messages.clear();
            from.received = 0;
        }
        if (e.key == none) replay_.receive(r, message);
        else replay_.take(r, message);
        return true;
    }
    void post(std::uint32_t channel, posted message) {
        if (channel == none) return;
        channels_[channel].messages.push_back(message);
        if (const std::uint32_t other = std::exchange(channels_[channel].blocked, none); other != none)
            todo_.push_back(other);
    }
    // The last member to arrive lets the others go on.
    bool meet(std::uint32_t r, std::uint32_t key) {
        meeting& members = meetings_[key];
        replay_.arrive(r, key, members.came++);
        if (members.came != collectives_[key].members) {
            ranks_[r].next_blocked = std::exchange(members.blocked, r);
            return false;
        }
        replay_.depart(r, key);
        for (std::uint32_t n = members.blocked; n != none; n = ranks_[n].next_blocked) {
            replay_.depart(n, key);
            replay_.advance(n);
            todo_.push_back(n);
        }
        members = meeting();  // its members may meet again, in a copy of their micro-batch
        return true;
    }

    Ranks& replay_;
    const replayed_collective* collectives_;
    std::vector<rank_state> ranks_;
    std::vector<meeting> meetings_;
    std::vector<channel_state> channels_;
    std::vector<std::uint32_t> todo_;
};

// The programs of all ranks, with times in milliseconds. The order in which events can happen does not depend on times:
// it is found once, and each replay goes through it from beginning to end.
class replayed_programs {
    using action = replayed_action;

public:
    // The channel of a rank's messages in one direction, which arrive in the order in which they are sent.
    static std::uint32_t channel(std::size_t rank, bool backward) noexcept {
        return static_cast<std::uint32_t>(2 * rank + (backward ? 1 : 0));
    }
    std::size_t ranks() const noexcept { return begins_.size(); }
    std::size_t first_event(std::size_t rank) const noexcept { return begins_[rank]; }
    std::size_t end_event(std::size_t rank) const noexcept {
        return rank + 1 == begins_.size() ? events_.size() : begins_[rank + 1];
    }
    const std::vector<replayed_event>& events() const noexcept { return events_; }
    // The times of all events. They may be changed.
    std::vector<event_times>& times() noexcept { return times_; }
    const std::vector<event_times>& times() const noexcept { return times_; }
    bool is_asynchronous(std::size_t event) const noexcept { return events_[event].what == action::asynchronous; }

    void reserve(std::size_t events) {
        events_.reserve(events);
        times_.reserve(events);
        gaps_.reserve(events);
    }
    // Adds what a rank does next: it begins, works, pauses, or comes to an event, which takes `time`.
    void begin_rank() {
        begins_.push_back(events_.size());
        factors.push_back(1);
    }
    void add_work(double time) { work_ += time; }
    void add_gap(double time) { gap_ += time; }
    void add(const replayed_event& event, double time) {
        events_.push_back(event);
        times_.push_back({work_, time});
        gaps_.push_back(gap_);
        work_ = gap_ = 0;
    }
    void end_rank() { add(replayed_event(), 0); }  // what comes after its last event

    std::vector<replayed_collective> collectives;
    std::vector<double> factors;  // what each rank's work, but not its messages, is multiplied by

    // Finds an order in which all events can happen; false if there is none, as a rank would wait for ever. Afterwards,
    // the `needs` of an event is no longer a channel, but the event that posts the message.
    bool find_order() {
        turns_.clear();
        turns_.reserve(events_.size());
        std::size_t members = 0;
        for (const replayed_collective& call : collectives)
            members = (std::max)(members, std::size_t{call.first_member} + call.members);
        members_.resize(members);
        turn_list list(*this);
        return order_of_events<turn_list>(list, ranks(), collectives).find();
    }
    // When the last rank ends. Without `has_gaps`, gaps take no time, and without `has_transfers`, transfers take none.
    // Goes through the order that find_order() has found.
    double end(bool has_gaps = true, bool has_transfers = true) {
        now_.assign(ranks(), 0);
        arrived_.resize(events_.size());
        clocks replay{*this, times_.data(), factors.data(), has_gaps ? 1.0 : 0.0, has_transfers ? 1.0 : 0.0};
        for (const turn& t : turns_) {
            switch (t.what) {
            case turn::kind::post: replay.arrive(t.rank, t.event); break;
            case turn::kind::take: replay.take(t.rank, t.event); break;
            case turn::kind::send: replay.send(t.rank, t.event); break;
            case turn::kind::receive:
                replay.arrive(t.rank, t.event);
                replay.take(t.rank, t.event);
                break;
            case turn::kind::meet: replay.meet(collectives[t.event]); break;
            }
        }
        return *std::max_element(now_.begin(), now_.end());
    }
    // How long all ranks waited in the last call to end(), summed over the collectives marked in `is_in_stage`.
    double waiting(const std::vector<bool>& is_in_stage) const {
        double sum = 0;
        for (std::size_t n = 0; n != collectives.size(); ++n) {
            if (!is_in_stage[n]) continue;
            const member* const first = members_.data() + collectives[n].first_member;
            const member* const end = first + collectives[n].members;
            double last = 0;
            for (const member* m = first; m != end; ++m) last = (std::max)(last, arrived_[m->event]);
            for (const member* m = first; m != end; ++m) {
                double waited = last - arrived_[m->event];
                if (m->is_asynchronous)
                    waited = last + collectives[n].least - arrived_[m->event] - times_[m->event].inside;
                sum += (std::max)(0.0, waited);
            }
        }
        return sum;
    }
    // How much less time each rank's work on the critical path of the last call to end() would take with the times in
    // `others`[rank], if that is not empty. A rank that gains nothing there cannot make the run end earlier.
    std::vector<double> gains_on_chain(const std::vector<std::vector<event_times>>& others) const {
        std::vector<double> gains(begins_.size());
        std::size_t rank = static_cast<std::size_t>(std::max_element(now_.begin(), now_.end()) - now_.begin());
        std::size_t at = end_event(rank) - 1;
        const auto add_gain = [&](double event_times::*part) {
            if (!others[rank].empty()) gains[rank] += times_[at].*part - others[rank][at - begins_[rank]].*part;
        };
        for (;;) {
            add_gain(&event_times::work);
            if (at == begins_[rank]) return gains;
            const replayed_event& e = events_[--at];
            std::size_t cause = at;
            if (e.what == action::message) {
                if (e.needs != replayed_event::none) cause = e.needs;
            } else {
                const replayed_collective& call = collectives[e.key];
                cause = last_of(call);
                if (is_asynchronous(at) && arrived_[at] + times_[at].inside >= arrived_[cause] + call.least) {
                    add_gain(&event_times::inside);
                    continue;
                }
            }
            if (!(arrived_[cause] > arrived_[at])) continue;
            at = cause;
            rank = static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), at) - begins_.begin()) - 1;
        }
    }

private:
    struct member {
        std::uint32_t rank;
        std::uint32_t event;
        bool is_asynchronous;
    };
    // A call that order_of_events makes. `meet`: all members of a collective have arrived, and go on.
    struct turn {
        enum class kind : std::uint8_t { post, take, send, receive, meet };
        kind what;
        std::uint32_t rank;
        std::uint32_t event;  // for `meet`, the collective
    };
    // Lists these calls, and the members of collectives in the order in which they arrive.
    class turn_list {
    public:
        using posted = std::uint32_t;  // an event

        explicit turn_list(replayed_programs& programs) : programs_(programs), at_(programs.begins_) {}
        const replayed_event* event(std::uint32_t rank) const {
            return at_[rank] == programs_.end_event(rank) ? nullptr : &programs_.events_[at_[rank]];
        }
        void advance(std::uint32_t rank) { ++at_[rank]; }
        posted send(std::uint32_t rank) { return add(turn::kind::send, rank); }
        posted post(std::uint32_t rank) { return add(turn::kind::post, rank); }
        void take(std::uint32_t rank, posted message) {
            programs_.events_[add(turn::kind::take, rank)].needs = message;
        }
        void receive(std::uint32_t rank, posted message) {
            programs_.events_[add(turn::kind::receive, rank)].needs = message;
        }
        void arrive(std::uint32_t rank, std::uint32_t key, std::uint32_t before) {
            const replayed_collective& call = programs_.collectives[key];
            const std::size_t event = at_[rank];
            programs_.members_[call.first_member + before] = {rank, static_cast<std::uint32_t>(event),
                                                              programs_.is_asynchronous(event)};
            if (before + 1 == call.members) programs_.turns_.push_back({turn::kind::meet, 0, key});
        }
        void depart(std::uint32_t, std::uint32_t) {}

    private:
        std::uint32_t add(turn::kind what, std::uint32_t rank) {
            const auto event = static_cast<std::uint32_t>(at_[rank]);
            programs_.turns_.push_back({what, rank, event});
            return event;
        }

        replayed_programs& programs_;
        std::vector<std::size_t> at_;  // the event of each rank
    };
    // Advances the time of each rank.
    struct clocks {
        replayed_programs& replay;
        const event_times* times;
        const double* factors;  // for each rank: what its work is multiplied by
        double gaps;            // what gaps are multiplied by: 1, or 0 if they take no time
        double transfers;       // what transfers are multiplied by

        double arrive(std::uint32_t rank, std::uint32_t event) {
            replay.now_[rank] += times[event].work * factors[rank] + replay.gaps_[event] * gaps;
            return replay.arrived_[event] = replay.now_[rank];
        }
        void send(std::uint32_t rank, std::uint32_t event) {
            replay.now_[rank] = arrive(rank, event) + times[event].inside * transfers;
        }
        void take(std::uint32_t rank, std::uint32_t event) {
            double& now = replay.now_[rank];
            now = (std::max)(now, replay.arrived_[replay.events_[event].needs]) + times[event].inside * transfers;
        }
        void meet(const replayed_collective& call) {
            const member* const first = replay.members_.data() + call.first_member;
            const member* const end = first + call.members;
            double last = 0;
            for (const member* m = first; m != end; ++m) last = (std::max)(last, arrive(m->rank, m->event));
            const double blocking_end = last + call.least * transfers;
            for (const member* m = first; m != end; ++m) {
                double& now = replay.now_[m->rank];
                now = m->is_asynchronous
                          ? (std::max)(now + times[m->event].inside * factors[m->rank], last + call.least)
                          : blocking_end;
            }
        }
    };

    // The event of the member that arrived last; of several, that of the first in the list.
    std::size_t last_of(const replayed_collective& call) const noexcept {
        std::size_t last = members_[call.first_member].event;
        for (std::uint32_t n = 1; n < call.members; ++n) {
            const std::size_t event = members_[call.first_member + n].event;
            if (arrived_[event] > arrived_[last]) last = event;
        }
        return last;
    }

    std::vector<replayed_event> events_;
    std::vector<event_times> times_;
    std::vector<double> gaps_;         // how long each event's rank pauses before it
    std::vector<std::size_t> begins_;  // the first event of each rank
    double work_ = 0;                  // the work since the last event of the rank whose program is being added
    double gap_ = 0;                   // the gaps since that event
    std::vector<member> members_;      // the members of collectives, in the order in which they arrive
    std::vector<turn> turns_;
    std::vector<double> now_;      // the time of each rank in a replay
    std::vector<double> arrived_;  // when each event's rank arrived at it
};

}  // namespace wlfmt::analysis

#endif
