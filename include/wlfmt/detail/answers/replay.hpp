// What a change would gain: the programs of a run's ranks, replayed with other times.
#ifndef WLFMT_DETAIL_ANSWERS_REPLAY_HPP
#define WLFMT_DETAIL_ANSWERS_REPLAY_HPP

#include "../base/ordered_map.hpp"
#include "rank.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// What the ranks do, one after the other, and what they wait for. Times are milliseconds.
struct replayed_programs {
    static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();
    enum class action : std::uint8_t {
        work,
        gap,           // between records
        collective,    // its members leave `least` after the last of them came
        asynchronous,  // its member leaves after its own work, at least `least` after the last launch
        message        // posts one, or leaves its time after another one was posted, or both
    };
    struct item {
        action what;
        std::uint32_t key = none;    // the collective, or the channel to which a message is posted
        std::uint32_t needs = none;  // the channel from which the next message is received

        bool is_collective() const noexcept { return what == action::collective || what == action::asynchronous; }
        bool is_work() const noexcept { return what == action::work || what == action::asynchronous; }
        // Whether no other rank has a part in it.
        bool is_own() const noexcept { return what == action::work || what == action::gap; }
    };
    struct collective {
        std::uint32_t members = 0;
        double least = 0;
    };
    std::vector<item> items;
    std::vector<double> times;        // how long each item takes
    std::vector<std::size_t> begins;  // where each rank's items begin, and where the last ones end
    std::vector<collective> collectives;

    // Messages of a rank in one direction arrive in the order in which they are sent.
    static std::uint32_t channel(std::size_t rank, bool backward) noexcept {
        return static_cast<std::uint32_t>(2 * rank + (backward ? 1 : 0));
    }
    std::size_t ranks() const noexcept { return begins.size() - 1; }
    void add(action kind, double time, std::uint32_t key = none, std::uint32_t needs = none) {
        items.push_back({kind, key, needs});
        times.push_back((std::max)(time, 0.0));
    }
};

// A replay of the programs, which is linear in their items.
class replay_of_programs {
    using action = replayed_programs::action;
    using item = replayed_programs::item;
    static constexpr std::uint32_t none = replayed_programs::none;

public:
    explicit replay_of_programs(const replayed_programs& programs) : of_(programs) {}

    // When the last rank ends with these times; empty if a rank waits for ever. `moves`: transfers take time.
    std::optional<double> end(const std::vector<double>& times, bool moves = true) {
        times_ = &times;
        moves_ = moves;
        ranks_.assign(of_.ranks(), {});
        collectives_.assign(of_.collectives.size(), {});
        channels_.resize(2 * of_.ranks());
        for (channel& cleared : channels_) cleared.clear();
        visits_.resize(of_.items.size());
        for (std::size_t r = ranks_.size(); r-- != 0;) {
            ranks_[r].at = of_.begins[r];
            todo_.push_back(r);
        }
        while (!todo_.empty()) {
            const std::size_t r = todo_.back();
            todo_.pop_back();
            while (go_on(ranks_[r], of_.begins[r + 1]) && share(r)) ++ranks_[r].at;
        }
        double last = 0;
        for (std::size_t r = 0; r != ranks_.size(); ++r) {
            if (ranks_[r].at != of_.begins[r + 1]) return std::nullopt;
            last = (std::max)(last, ranks_[r].now);
        }
        return last;
    }
    // After end(): how long the ranks waited in the collectives of which `of_stage` says so.
    double waiting(const std::vector<bool>& of_stage) const {
        double sum = 0;
        for (std::size_t n = 0; n != of_.items.size(); ++n) {
            const item& i = of_.items[n];
            if (!i.is_collective() || !of_stage[i.key]) continue;
            const double last = visits_[collectives_[i.key].last].begin;
            const double own = visits_[n].begin + (i.what == action::asynchronous ? (*times_)[n] : 0);
            const double until = last + (i.what == action::asynchronous ? of_.collectives[i.key].least : 0);
            sum += (std::max)(0.0, until - own);
        }
        return sum;
    }
    // After end(): by rank, how much less time the items on a longest chain of dependencies would take with `other`
    // times, none of which is greater. No change of one rank's items gains more.
    std::vector<double> most_gains(const std::vector<double>& other) const {
        std::vector<double> gains(ranks_.size());
        std::size_t r = 0;
        for (std::size_t n = 1; n != ranks_.size(); ++n)
            if (ranks_[n].now > ranks_[r].now) r = n;
        for (std::size_t at = of_.begins[r + 1]; at != of_.begins[r];) {
            --at;
            const item& i = of_.items[at];
            if (i.what == action::gap) continue;
            const std::size_t cause = i.is_own() ? own_time : visits_[at].cause;
            if (cause == own_time) gains[r] += (*times_)[at] - other[at];
            if (cause == own_time || cause == at) continue;
            at = cause;
            r = static_cast<std::size_t>(std::upper_bound(of_.begins.begin(), of_.begins.end(), at) -
                                         of_.begins.begin()) -
                1;
        }
        return gains;
    }

private:
    static constexpr std::size_t own_time = static_cast<std::size_t>(-1);
    // When a rank came to a shared item, and what let it go on: another rank's item, the item itself, or its own work.
    struct visit {
        double begin = 0;
        std::size_t cause = own_time;
    };
    struct rank_state {
        double now = 0;
        std::size_t at = 0;                 // the rank's item
        bool has_come = false;              // the rank is at its call or message, and may have to wait there
        std::uint32_t next_blocked = none;  // the rank before it that waits in the same collective
    };
    struct meeting {
        std::size_t last = 0;  // the item of the member that came last so far
        std::uint32_t members = 0;
        std::uint32_t blocked = none;  // the last rank that waits
    };
    struct channel {
        std::vector<std::size_t> posted;  // the items that posted messages
        std::size_t received = 0;
        std::uint32_t blocked = none;  // the rank that waits for the next message

        void clear() noexcept {
            posted.clear();  // which keeps its memory for the next replay
            received = 0;
            blocked = none;
        }
    };

    // Does what a rank does by itself up to its next shared item; false if there is none before `end`.
    bool go_on(rank_state& own, std::size_t end) const noexcept {
        std::size_t at = own.at;
        double now = own.now;
        for (; at != end && of_.items[at].is_own(); ++at) now += (*times_)[at];
        own.at = at;
        own.now = now;
        return at != end;
    }
    // Does an item that a rank shares with others; false if it has to wait for another rank.
    bool share(std::size_t r) {
        const rank_state& own = ranks_[r];
        const item& i = of_.items[own.at];
        visits_[own.at] = {own.now, own.at};
        return i.is_collective() ? meet(r, i) : pass(r, i);
    }
    bool pass(std::size_t r, const item& i) {
        rank_state& own = ranks_[r];
        if (i.key != none && !own.has_come) {
            channels_[i.key].posted.push_back(own.at);
            if (const std::uint32_t other = std::exchange(channels_[i.key].blocked, none); other != none)
                todo_.push_back(other);
        }
        if (i.needs != none) {
            channel& from = channels_[i.needs];
            own.has_come = from.received == from.posted.size();
            if (own.has_come) {
                from.blocked = static_cast<std::uint32_t>(r);
                return false;
            }
            wait_for(own, from.posted[from.received++]);
        }
        if (moves_) own.now += (*times_)[own.at];
        return true;
    }
    bool meet(std::size_t r, const item& i) {
        rank_state& own = ranks_[r];
        meeting& arrived = collectives_[i.key];
        const replayed_programs::collective& call = of_.collectives[i.key];
        if (!own.has_come) {
            ++arrived.members;
            if (arrived.members == 1 || own.now > visits_[arrived.last].begin) arrived.last = own.at;
            own.has_come = arrived.members < call.members;
            if (own.has_come) own.next_blocked = std::exchange(arrived.blocked, static_cast<std::uint32_t>(r));
            else
                for (std::uint32_t n = arrived.blocked; n != none; n = ranks_[n].next_blocked) todo_.push_back(n);
        }
        if (arrived.members < call.members) return false;
        own.has_come = false;
        const double by_itself = own.now + (*times_)[own.at];
        if (i.what == action::asynchronous && by_itself >= visits_[arrived.last].begin + call.least) {
            visits_[own.at].cause = own_time;
            own.now = by_itself;
            return true;
        }
        wait_for(own, arrived.last);
        if (moves_ || i.what == action::asynchronous) own.now += call.least;
        return true;
    }
    void wait_for(rank_state& own, std::size_t other) {
        if (visits_[other].begin <= own.now) return;
        own.now = visits_[other].begin;
        visits_[own.at].cause = other;
    }

    const replayed_programs& of_;
    const std::vector<double>* times_ = nullptr;
    bool moves_ = true;
    std::vector<rank_state> ranks_;
    std::vector<meeting> collectives_;
    std::vector<channel> channels_;
    std::vector<visit> visits_;  // a visit for each shared item
    std::vector<std::size_t> todo_;
};

// The remedies of a run. Linear in records but for the few ranks that are tried.
class run_replay {
    using action = replayed_programs::action;
    using item = replayed_programs::item;
    using step = oplog::program_step;
    using change = oplog::remedy::change;
    using obstacle = oplog::replay_answer::obstacle;
    using words = oplog_operations;

public:
    explicit run_replay(const oplog::run_answers& a) : a_(a) {
        for (const std::string& name : a_.names) facts_.push_back(words::facts_of(name));
    }
    oplog::replay_answer answer() {
        oplog::replay_answer found;
        found.reason = find_remedies(found);
        return found;
    }

private:
    static constexpr std::uint32_t none = replayed_programs::none;
    static constexpr double most_error = 0.05;
    static constexpr std::size_t most_tried = 8;  // how many ranks are tried

    std::size_t stages() const noexcept { return static_cast<std::size_t>(a_.sizes->pipeline); }
    obstacle find_remedies(oplog::replay_answer& answer) {
        if (a_.ranks.size() < 2) return obstacle::not_tried;
        // All ranks of the run are here: each is its own place among them.
        if (!a_.sizes || a_.sizes->world != static_cast<std::int64_t>(a_.ranks.size()) || !a_.together ||
            a_.total.unknown.number() > 0 || a_.lost != 0)
            return obstacle::unknown_time;
        per_stage_ = a_.ranks.size() / stages();
        add_collectives();
        unreceived_.resize(2 * a_.ranks.size());
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            if (!add_program(r)) return obstacle::unknown_time;
        as_is_.begins.push_back(as_is_.items.size());
        if (std::any_of(unreceived_.begin(), unreceived_.end(), [](std::int64_t n) { return n != 0; }))
            return obstacle::unknown_time;
        double iteration = 0;
        for (const oplog::rank_answer& r : a_.ranks) iteration = (std::max)(iteration, r.account.span.number());
        replay_of_programs replay(as_is_);
        const std::optional<double> replayed = replay.end(as_is_.times);
        if (!replayed) return obstacle::stuck;
        replayed_ = *replayed;
        const double error = iteration > 0 ? std::abs(replayed_ - iteration) / iteration : 0;
        answer.iteration = oplog::bounded(iteration);
        answer.replayed = oplog::bounded(replayed_);
        answer.error = oplog::bounded(error);
        if (error > most_error) return obstacle::inexact;
        set_peers();
        add_remedies(answer, replay);
        add_twice_the_batches(answer);
        sort_list(answer.remedies, [](const oplog::remedy& x, const oplog::remedy& y) {
            return x.is_limit != y.is_limit ? y.is_limit : comes_before(x.gain, y.gain);
        });
        return obstacle::none;
    }
    // Adds all calls with the least that each needs: an asynchronous one that of a blocking one of its kind and size.
    void add_collectives() {
        for (const oplog::group_call& call : a_.calls) as_is_.collectives.push_back({call.members, call.transfer});
        ordered_map<std::pair<std::uint32_t, std::int64_t>, number_range<double>> blocking;  // durations
        for (const oplog::rank_answer& r : a_.ranks)
            for (const step& s : r.program)
                if (s.what == step::kind::collective && s.call != step::no_call)
                    blocking[{s.group, s.bytes}].add(s.duration);
        for (const oplog::rank_answer& r : a_.ranks)
            for (const step& s : r.program) {
                if (s.call == step::no_call || s.what == step::kind::collective) continue;
                double& least = as_is_.collectives[s.call].least;
                if (const auto at = blocking.find(std::pair(s.group, s.bytes)); at != blocking.end())
                    least = (std::min)(least, at->second.least);
                if (s.what == step::kind::work) least = 0;  // optimizer_step hides it
            }
    }
    // Adds what a rank does; false if its part in a call is unknown or a message is no part of a pipeline.
    bool add_program(std::size_t r) {
        replayed_programs& programs = as_is_;
        programs.begins.push_back(programs.items.size());
        pieces& of_rank = pieces_.emplace_back();
        const std::vector<step>& program = a_.ranks[r].program;
        double end = 0;  // the end of the last record
        for (std::size_t n = 0; n != program.size();) {
            const step& record = program[n++];
            const std::size_t first = programs.items.size();
            programs.add(action::gap, record.start - end);
            end = record.start + record.duration;
            double gone = end;  // everything up to here is in an item
            if (is_message(record)) {
                if (!add_message(r, record)) return false;
            } else if (record.alone && record.what == step::kind::collective) {
                programs.add(action::work, record.duration);
            } else if (record.call != step::no_call) {
                programs.add(action::collective, 0, record.call);
                if (record.what == step::kind::work) gone = record.start + record.waiting;
            } else if (record.what == step::kind::work) {
                gone = record.start;
            } else {
                return false;
            }
            for (; n != program.size() && program[n].nested; ++n) {
                const step& call = program[n];
                if (call.alone) continue;
                if (call.call == step::no_call) return false;
                programs.add(action::work, call.start - gone);
                gone = call.start + call.duration;
                if (call.what != step::kind::asynchronous) programs.add(action::collective, 0, call.call);
                else programs.add(action::asynchronous, call.duration - call.waiting, call.call);
            }
            if (record.what == step::kind::work) programs.add(action::work, end - gone);
            add_record(of_rank, facts_[record.operation], {first, programs.items.size()});
        }
        return true;
    }
    bool add_message(std::size_t r, const step& s) {
        const bool is_received = s.what == step::kind::receive;
        const std::size_t rank_count = a_.ranks.size();
        // The last stage of a virtual pipeline sends forward to the first one.
        const std::size_t other = (is_to_next_stage(s) ? r + per_stage_ : r + rank_count - per_stage_) % rank_count;
        if (!a_.interleaved && (is_to_next_stage(s) ? r + per_stage_ >= rank_count : r < per_stage_)) return false;
        std::uint32_t out = none;
        std::uint32_t in = none;
        if (!is_received) ++unreceived_[out = replayed_programs::channel(r, s.backward)];
        if (s.what != step::kind::send)
            --unreceived_[in = replayed_programs::channel(other, s.backward == is_received)];
        as_is_.add(action::message, s.transfer, out, in);
        return true;
    }

    // What each item would take if its rank worked as its peers in the stage do. Where programs differ, each item takes
    // as much less as all work of the rank does.
    void set_peers() {
        peers_ = means_ = as_is_.times;
        std::vector<double> column(per_stage_);
        for (std::size_t from = 0; from != as_is_.ranks(); from += per_stage_) {
            const std::size_t end = from + per_stage_;
            const std::size_t first = as_is_.begins[from];
            const std::size_t count = as_is_.begins[from + 1] - first;
            const item* const items = as_is_.items.data();
            bool same = true;
            for (std::size_t r = from + 1; same && r != end; ++r)
                same = std::equal(items + as_is_.begins[r], items + as_is_.begins[r + 1], items + first,
                                  items + first + count, [](const item& a, const item& b) { return a.what == b.what; });
            for (std::size_t n = 0; same && n != count; ++n) {
                if (!items[first + n].is_work()) continue;
                double sum = 0;
                for (std::size_t r = from; r != end; ++r) sum += column[r - from] = as_is_.times[as_is_.begins[r] + n];
                const double median = low_median(column);
                for (std::size_t r = from; r != end; ++r) {
                    peers_[as_is_.begins[r] + n] = (std::min)(as_is_.times[as_is_.begins[r] + n], median);
                    means_[as_is_.begins[r] + n] = sum / static_cast<double>(per_stage_);
                }
            }
            for (std::size_t r = from; !same && r != end; ++r) {
                const oplog::rank_answer& rank = a_.ranks[r];
                const double work = rank.account.work.number();
                const double excess = rank.excess.at_least();
                if (!(excess > 0) || !(work > 0)) continue;
                for (std::size_t n = as_is_.begins[r]; n != as_is_.begins[r + 1]; ++n)
                    if (items[n].is_work()) peers_[n] *= (work - excess) / work;
            }
        }
    }
    void add_remedies(oplog::replay_answer& answer, replay_of_programs& replay) const {
        const auto gain_of = [&](const std::vector<double>& changed, bool moves = true) {
            return replayed_ - replay.end(changed, moves).value_or(replayed_);
        };
        const auto add = [&](change kind, double gain, bool is_limit = false,
                             std::optional<std::int64_t> rank = std::nullopt) {
            answer.remedies.push_back(
                {kind, is_limit, rank, oplog::bounded(gain, is_limit ? oplog::limit::most : oplog::limit::exact)});
        };
        // The ranks with more work than their peers, the greatest possible gain first.
        const std::vector<double> gains = replay.most_gains(peers_);
        std::vector<std::size_t> slow;
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            if (a_.ranks[r].ratio.at_least() > oplog::slow_rank::least_ratio && per_stage_ > 1) slow.push_back(r);
        sort_list(slow, [&](std::size_t x, std::size_t y) { return gains[x] > gains[y]; });
        std::vector<double> changed = as_is_.times;
        const auto copy = [&](const std::vector<double>& from, std::size_t r) {
            for (std::size_t n = as_is_.begins[r]; n != as_is_.begins[r + 1]; ++n) changed[n] = from[n];
        };
        std::vector<bool> of_stage;
        for (const oplog::group_call& call : a_.calls)
            of_stage.push_back(words::is_in_stage(a_.groups_of_ranks[call.group].kind));
        const double waiting = replay.waiting(of_stage);
        std::optional<std::size_t> best;
        double best_gain = 0;
        double waiting_less = 0;
        for (std::size_t n = 0; n != (std::min)(slow.size(), most_tried); ++n) {
            if (best && gains[slow[n]] <= best_gain) break;
            copy(peers_, slow[n]);
            const double gain = gain_of(changed);
            copy(as_is_.times, slow[n]);
            if (best && gain <= best_gain) continue;
            best = slow[n];
            best_gain = gain;
            waiting_less = waiting - replay.waiting(of_stage);
        }
        if (best) {
            add(change::rank_as_peers, best_gain, false, a_.ranks[*best].rank);
            answer.remedies.back().waiting_less = oplog::bounded(waiting_less);
        }
        if (slow.size() > 1) {
            for (const std::size_t r : slow) copy(peers_, r);
            add(change::all_ranks_as_peers, gain_of(changed), true);
        }
        if (per_stage_ > 1) add(change::even_work_in_stages, gain_of(means_));
        if (stages() > 1) {
            std::vector<double> work(stages());
            for (std::size_t r = 0; r != as_is_.ranks(); ++r) work[r / per_stage_] += a_.ranks[r].account.work.number();
            const double mean = a_.total.work.number() / static_cast<double>(stages());
            changed = as_is_.times;
            for (std::size_t r = 0; r != as_is_.ranks(); ++r)
                for (std::size_t n = as_is_.begins[r]; n != as_is_.begins[r + 1]; ++n)
                    if (as_is_.items[n].is_work() && work[r / per_stage_] > 0)
                        changed[n] *= mean / work[r / per_stage_];
            add(change::even_stages, gain_of(changed));
        }
        changed = as_is_.times;
        for (std::size_t n = 0; n != changed.size(); ++n)
            if (as_is_.items[n].what == action::gap) changed[n] = 0;
        add(change::no_gaps, gain_of(changed));
        add(change::no_transfer, gain_of(as_is_.times, false), true);
    }

    // A rank's pipeline in pieces: each micro-batch's items in the forward and the backward pass, and the rest.
    struct pieces {
        std::vector<std::vector<step_range>> passes[2];
        std::size_t steps[2] = {};  // forward and backward steps
        step_range head;            // empty until the pipeline begins
        step_range tail;
        std::vector<double> gaps;  // the gaps before its records
    };
    // Adds a record, whose gap is its first item.
    void add_record(pieces& own, const operation_facts& facts, step_range record) const {
        own.gaps.push_back(as_is_.times[record.begin]);
        if (facts.is_pipeline_step() || facts.is_message()) {
            if (own.tail.begin == 0) own.head = {as_is_.begins.back(), record.begin};
            own.tail.begin = record.end;
        }
        own.tail.end = record.end;
        if (!facts.is_pipeline_step()) return;
        // What comes before a forward step belongs to it, and so does its loss.
        const bool backward = facts.kind == operation_kind::backward;
        auto& passes = own.passes[backward];
        std::size_t& done = own.steps[backward];
        const std::size_t batch = facts.kind == operation_kind::loss && done != 0 ? done - 1 : done;
        if (facts.kind == operation_kind::forward || backward) ++done;
        if (batch == passes.size()) passes.emplace_back();
        passes[batch].push_back({record.begin + 1, record.end});
    }
    // The run with `count` micro-batches, copies of the traced ones: a forward and a backward pass in turn.
    replayed_programs with_batches(std::size_t count) const {
        replayed_programs longer;
        const std::size_t traced = pieces_[0].passes[0].size();
        for (std::size_t n = 0; n < count; n += traced)
            longer.collectives.insert(longer.collectives.end(), as_is_.collectives.begin(), as_is_.collectives.end());
        longer.items.reserve(as_is_.items.size() * count / traced);
        longer.times.reserve(longer.items.capacity());
        double floor = 0;
        for (const auto& [bytes, least] : a_.message_floors) floor = (std::max)(floor, least.number());
        for (std::size_t r = 0; r != as_is_.ranks(); ++r) {
            longer.begins.push_back(longer.items.size());
            const std::size_t stage = r / per_stage_;
            const double gap = low_median(pieces_[r].gaps);
            const auto copy = [&](step_range of_items, std::size_t turn) {
                const double* const times = as_is_.times.data();
                longer.times.insert(longer.times.end(), times + of_items.begin, times + of_items.end);
                for (std::size_t n = of_items.begin; n != of_items.end; ++n) {
                    longer.items.push_back(as_is_.items[n]);
                    if (as_is_.items[n].is_collective())
                        longer.items.back().key += static_cast<std::uint32_t>(turn * as_is_.collectives.size());
                }
            };
            const auto message = [&](std::uint32_t out, std::uint32_t in) {
                if (out == none && in == none) return;
                longer.add(action::message, floor, out, in);
                longer.add(action::gap, gap);
            };
            const bool is_first = stage == 0;
            const bool is_last = stage == stages() - 1;
            using programs = replayed_programs;
            const std::uint32_t forward_in = is_first ? none : programs::channel(r - per_stage_, false);
            const std::uint32_t forward_out = is_last ? none : programs::channel(r, false);
            const std::uint32_t backward_in = is_last ? none : programs::channel(r + per_stage_, true);
            const std::uint32_t backward_out = is_first ? none : programs::channel(r, true);
            // Of a steady phase, a send and the receive after it are one exchange where the run has such.
            const auto exchange = [&](std::uint32_t out, std::uint32_t in) {
                if (has_exchanges_) return message(out, in);
                message(out, none);
                message(none, in);
            };
            const auto pass = [&](bool backward, std::size_t batch) {
                for (const auto& items : pieces_[r].passes[backward][batch % traced]) copy(items, batch / traced);
                longer.add(action::gap, gap);
            };
            copy(pieces_[r].head, 0);
            const std::size_t ahead = (std::min)(count, stages() - 1 - stage);
            for (std::size_t n = 0; n != ahead; ++n) {
                message(none, forward_in);
                pass(false, n);
                message(forward_out, none);
            }
            for (std::size_t n = 0; n != count - ahead; ++n) {
                if (n == 0) message(none, forward_in);
                pass(false, ahead + n);
                exchange(forward_out, backward_in);
                pass(true, n);
                if (n + 1 == count - ahead) message(backward_out, none);
                else exchange(backward_out, forward_in);
            }
            for (std::size_t n = count - ahead; n != count; ++n) {
                message(none, backward_in);
                pass(true, n);
                message(backward_out, none);
            }
            copy(pieces_[r].tail, 0);
        }
        longer.begins.push_back(longer.items.size());
        return longer;
    }
    // Adds the remedy only if the run, rebuilt from its pieces with a forward and a backward pass in turn, takes as
    // long.
    void add_twice_the_batches(oplog::replay_answer& answer) {
        const std::size_t count = pieces_[0].passes[0].size();
        if (stages() < 2 || count == 0 || a_.interleaved) return;
        for (const pieces& p : pieces_)
            if (p.passes[0].size() != count || p.passes[1].size() != count) return;
        // With one micro-batch there is no steady phase, of which it could be seen; tracers' programs exchange there.
        has_exchanges_ = count == 1;
        for (const oplog::rank_answer& r : a_.ranks)
            for (const step& own : r.program) has_exchanges_ = has_exchanges_ || own.what == step::kind::exchange;
        const auto end_with = [&](std::size_t batches) {
            const replayed_programs changed = with_batches(batches);
            return replay_of_programs(changed).end(changed.times);
        };
        const std::optional<double> once = end_with(count);
        const std::optional<double> twice = end_with(2 * count);
        if (!once || !twice || std::abs(*once - replayed_) > most_error * replayed_) return;
        answer.remedies.push_back({change::twice_the_micro_batches, false, std::nullopt,
                                   oplog::bounded(replayed_ - (replayed_ + *twice - *once) / 2)});
    }

    const oplog::run_answers& a_;
    double replayed_ = 0;  // when the last rank ends if nothing changes
    bool has_exchanges_ = false;
    replayed_programs as_is_;
    std::vector<std::int64_t> unreceived_;  // how many messages of each channel were not received
    std::size_t per_stage_ = 1;             // how many ranks a stage has
    std::vector<operation_facts> facts_;    // what each operation is, by the number of its name
    std::vector<pieces> pieces_;            // the pieces of each rank
    std::vector<double> peers_;             // by item: at most the lower median of the item over the ranks of the stage
    std::vector<double> means_;             // by item: the mean over them
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
