// What a change would gain: the programs of a run's ranks, replayed with other times.
#ifndef WLFMT_ANALYSIS_ANSWERS_REPLAY_HPP
#define WLFMT_ANALYSIS_ANSWERS_REPLAY_HPP

#include <algorithm>
#include <cstring>
#include <map>

#include "../library.hpp"
#include "align.hpp"
#include "batches.hpp"
#include "completion.hpp"

namespace wlfmt::analysis {

// Finds the remedies of a run. Linear in records, except for the few ranks that are tried.
class run_replay {
    using action = replayed_action;
    using step = program_step;
    using change = remedy::change;
    using obstacle = replay_answer::obstacle;

public:
    explicit run_replay(const run_answers& a) : a_(a), log_(a) {
        for (const std::string& name : a_.names) facts_.push_back(operations::facts_of(name));
    }
    // With a row of records missing, the run is replayed with each of the logs that they may have left.
    replay_answer answer() {
        replay_answer found;
        if (a_.lost == 0) {
            // How long a message takes follows from its size.
            const bool has_sizes = std::all_of(a_.groups.begin(), a_.groups.end(),
                                               [](const group_answer& g) { return g.bytes.is_exact(); });
            found.reason = has_sizes ? find_remedies(found) : obstacle::unknown_time;
        } else {
            bool is_first = true;
            for (const bool moves : {true, false}) {
                double before = 0;
                for (const completed_log::division& how : completed_log::divisions) {
                    run_replay one(a_);
                    found.reason = obstacle::unknown_time;
                    const bool is_row = one.log_.complete(how, moves);
                    if (is_row) found.reason = one.replay_with(how, moves, before, found);
                    if (found.reason == obstacle::none && !is_first && one.effects_.size() != effects_.size())
                        found.reason = obstacle::unknown_time;
                    if (found.reason != obstacle::none) return found;
                    add_other(one, std::exchange(is_first, false), how);
                    before = one.replayed_;
                }
            }
            found.reason = obstacle::none;
            // A replay of the whole run may have been off by as much on the other side; when calls ended is known to
            // within the noise of clocks.
            const double error = 2 * size_of(found.replayed - found.iteration).at_least();
            const double noise = error + 2 * clock_noise / one_millisecond;
            found.replayed.widen(noise, noise);
            for (remedy& r : effects_) {
                const double part = 2 * size_of(r.gain).at_most() * error / found.iteration.number();
                r.gain.widen(part, part);
                // The mean makes a stage quickest where the work is between the ends of what it may have been.
                if (r.what == change::even_work_in_stages) r.gain = enclose_even_work();
            }
            effects_.erase(
                std::remove_if(effects_.begin(), effects_.end(), [](const remedy& r) { return !r.gain.is_known(); }),
                effects_.end());
            found.error = size_of(found.replayed - found.iteration) / found.iteration;
            if (found.error.at_least() > max_error) found.reason = obstacle::inexact;
        }
        if (found.reason != obstacle::none) return found;
        // Whether the other schedule takes as long as the run did has to be certain.
        if (found.schedule == obstacle::none && in_turn_ && !(schedule_error_.at_most() <= max_error)) {
            found.schedule = obstacle::inexact;
            effects_.erase(std::remove_if(effects_.begin(), effects_.end(),
                                          [](const remedy& r) { return r.what == change::twice_the_micro_batches; }),
                           effects_.end());
        }
        add_remedies(found);
        return found;
    }

private:
    static constexpr std::uint32_t none = replayed_event::none;
    static constexpr double max_error = 0.05;
    static constexpr std::size_t max_tried = 8;                     // how many ranks are tried
    static constexpr std::size_t max_steps = std::size_t{1} << 25;  // how many are replayed to enclose a gain

    // Replays the run with a completed log. `moves`: messages and waiting take as long as they can, or as little;
    // `before`: how long the iteration takes if nothing changes, which the log with the least work does not say.
    obstacle replay_with(const completed_log::division& how, bool moves, double before, replay_answer& answer) {
        how_ = &how;
        moves_ = moves;
        before_ = before;
        const bounded replayed = answer.replayed;
        const obstacle reason = find_remedies(answer);
        if (replayed.is_known()) answer.replayed = hull(answer.replayed, replayed);
        return reason;
    }
    // What even work in each stage gains. The ends of the run as it is and of the changed one are convex in the times
    // of the missing row.
    bounded enclose_even_work() const {
        static constexpr completed_log::division any = {{}, completed_log::place::first, false};
        const std::size_t per_stage = a_.ranks.size() / stages();
        const double share = 1 / static_cast<double>(per_stage);
        bounded before;
        bounded after;
        std::size_t pieces = 1;
        for (std::size_t n = 0; n <= pieces; ++n) {
            run_replay one(a_);
            one.is_enclosed_ = true;
            const std::optional<std::size_t> longest = n == 0 ? std::nullopt : std::optional(n - 1);
            replay_answer other;
            if (!one.log_.enclose(longest, share) || one.replay_with(any, n != 0, 0, other) != obstacle::none ||
                one.effects_.size() != 1)
                return bounded::unknown();
            pieces = one.log_.longest_pieces;
            const bounded end = other.replayed - one.effects_[0].gain;
            before = n == 0 ? other.replayed : hull(before, other.replayed);
            after = n == 0 ? end : hull(after, end);
            if (pieces * one.kinds_.size() > max_steps) return bounded::unknown();
        }
        return before - after;
    }
    void add_other(run_replay& other, bool is_first, const completed_log::division& how) {
        if (is_first) {
            effects_ = std::move(other.effects_);
            in_turn_ = other.in_turn_;
            schedule_error_ = other.schedule_error_;
            return;
        }
        if (!how.is_least) schedule_error_ = hull(schedule_error_, other.schedule_error_);
        for (std::size_t n = 0; n != effects_.size(); ++n)
            effects_[n].gain = hull(effects_[n].gain, other.effects_[n].gain);
    }
    const std::vector<step>& program_of(std::size_t r) const {
        return r == log_.rank ? log_.program : a_.ranks[r].program;
    }
    bool is_completed() const noexcept { return how_ != nullptr; }
    double end_of(const bounded& time) const noexcept {
        return !is_completed() || moves_ ? time.at_most() : time.at_least();
    }
    // What takes no part of a piece's time is no longer where that is to be as long as it can.
    double end_of_waiting(const bounded& time) const noexcept {
        return !is_enclosed_ ? end_of(time) : moves_ ? time.at_least() : time.at_most();
    }
    // What the call takes after its last member has come.
    double least_of(std::uint32_t n) const {
        const auto own = log_.joined.find(n);
        return own == log_.joined.end() ? a_.calls[n].transfer : own->second.least;
    }

    std::size_t stages() const noexcept { return static_cast<std::size_t>(a_.sizes->pipeline); }
    obstacle find_remedies(replay_answer& answer) {
        if (a_.ranks.size() < 2) return obstacle::not_tried;
        if (a_.unfinished) return obstacle::unfinished;
        // All ranks of the run have to be here, so that the n-th one is rank n.
        if (!a_.sizes || a_.sizes->world != static_cast<std::int64_t>(a_.ranks.size()) || !a_.together ||
            (a_.total.unknown.number() > 0 && !is_completed()) || a_.overlaps.number() > 0)
            return obstacle::unknown_time;
        per_stage_ = a_.ranks.size() / stages();
        std::uint32_t first_member = 0;
        for (std::uint32_t n = 0; n != a_.calls.size(); ++n) {
            const group_call& call = a_.calls[n];
            const auto members = call.members + static_cast<std::uint32_t>(log_.joined.count(n));
            if (!call.is_known && members != a_.groups_of_ranks[call.group].size) return obstacle::unknown_time;
            as_is_.collectives.push_back({first_member, members, least_of(n)});
            first_member += members;
        }
        unreceived_.resize(2 * a_.ranks.size());
        std::size_t steps = 0;
        for (const rank_answer& r : a_.ranks) steps += r.program.size();
        as_is_.reserve(steps);
        kinds_.reserve(2 * steps);
        work_.reserve(steps);
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            if (!add_program(r)) return obstacle::unknown_time;
        kinds_begin_.push_back(kinds_.size());
        work_begin_.push_back(work_.size());
        set_least();
        if (std::any_of(unreceived_.begin(), unreceived_.end(), [](std::int64_t n) { return n != 0; }))
            return obstacle::unknown_time;
        double iteration = 0;
        for (const rank_answer& r : a_.ranks) {
            if (!r.account.span.is_exact()) return obstacle::unknown_time;
            iteration = (std::max)(iteration, r.account.span.number());
        }
        if (!as_is_.find_order()) return obstacle::stuck;
        replayed_ = as_is_.end();
        if (is_completed() && how_->is_least) replayed_ = before_;
        const double error = iteration > 0 ? std::abs(replayed_ - iteration) / iteration : 0;
        answer.iteration = bounded(iteration);
        answer.replayed = bounded(replayed_);
        answer.error = bounded(error);
        if (error > max_error && !is_completed()) return obstacle::inexact;
        if (is_completed() && std::size(completed_log::divisions) * steps > max_steps) return obstacle::not_tried;
        set_typical();
        find_effects(answer);
        return obstacle::none;
    }
    // Of the ranks that may work as their peers, the one that surely gains most.
    void add_remedies(replay_answer& answer) const {
        for (const remedy& r : effects_) {
            remedy& added = answer.remedies.emplace_back(r);
            if (added.is_limit) added.gain = bounded::no_more(r.gain.at_most());
            const auto may_gain_more = [&](const remedy& other) {
                return &other != &r && other.what == change::rank_as_peers && !added.is_limit &&
                       !(r.gain.at_least() > other.gain.at_most());
            };
            if (added.what == change::rank_as_peers && (!is_surely_slow(static_cast<std::size_t>(*added.rank)) ||
                                                        std::any_of(effects_.begin(), effects_.end(), may_gain_more)))
                answer.remedies.pop_back();
        }
        std::stable_sort(answer.remedies.begin(), answer.remedies.end(), [](const remedy& x, const remedy& y) {
            return x.is_limit != y.is_limit ? y.is_limit : comes_before(x.gain, y.gain);
        });
    }
    // An asynchronous collective needs no longer than the fastest blocking one of its kind and size took.
    void set_least() {
        if (blocking_.empty()) return;
        const bool is_longest = moves_ && is_enclosed_;  // no call that was missing took the least
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            for (const step& s : is_longest ? a_.ranks[r].program : program_of(r)) {
                if (s.call == step::no_call || s.what != step::kind::collective) continue;
                if (const auto at = blocking_.find(std::pair(s.group, s.bytes)); at != blocking_.end())
                    at->second.add(s.duration);
            }
        for (const rank_answer& r : a_.ranks)
            for (const step& s : r.program) {
                if (s.call == step::no_call || s.what != step::kind::asynchronous) continue;
                double& least = as_is_.collectives[s.call].least;
                least = (std::min)(least, blocking_.at(std::pair(s.group, s.bytes)).least);
            }
    }
    std::uint32_t event_count() const noexcept { return static_cast<std::uint32_t>(as_is_.events().size()); }
    void add_work(double time) {
        time = (std::max)(time, 0.0);
        kinds_.push_back(action::work);
        work_.push_back(time);
        as_is_.add_work(time);
        (record_.first == event_count() ? record_.before : record_.after) += time;
    }
    void add_event(const replayed_event& event, double time = 0) {
        time = (std::max)(time, 0.0);
        kinds_.push_back(event.what);
        if (event.what == action::asynchronous) work_.push_back(time);
        as_is_.add(event, time);
        record_.after = 0;
    }
    // Adds what a rank does; false if its part in a call is unknown or a message is not part of a pipeline.
    bool add_program(std::size_t r) {
        kinds_begin_.push_back(kinds_.size());
        work_begin_.push_back(work_.size());
        gaps_.clear();
        as_is_.begin_rank();
        passes_of_rank& passes = passes_.emplace_back();
        for (const bool backward : {false, true})
            if (r != 0) passes.records[backward].reserve(passes_[r - 1].records[backward].size());
        const std::vector<step>& program = program_of(r);
        double end = 0;  // the end of the last record
        for (std::size_t n = 0; n != program.size();) {
            const step& record = program[n];
            const double gap = log_.gap_before(r, n, end);
            gaps_.push_back(!log_.is_open(r, n++) ? gap : how_->is_least ? 0 : log_.time());
            kinds_.push_back(action::gap);
            as_is_.add_gap(gap);
            record_ = {event_count(), 0, gap, 0, 0};
            end = record.start + record.duration;
            double added_until = end;  // everything before this time has been added
            if (is_message(record)) {
                if (!add_message(r, record)) return false;
            } else if (record.alone && record.what == step::kind::collective) {
                add_work(record.duration);
            } else if (record.call != step::no_call) {
                add_event({action::collective, record.call, none});
                if (record.what == step::kind::work)
                    added_until = record.start + end_of_waiting(log_.waiting(r, record));
                // An optimizer_step hides its transfers.
                if (record.what == step::kind::work) as_is_.collectives[record.call].least = 0;
            } else if (record.what == step::kind::work) {
                added_until = record.start;
            } else {
                return false;
            }
            for (; n != program.size() && program[n].nested; ++n) {
                const step& call = program[n];
                if (call.alone) continue;
                if (call.call == step::no_call) return false;
                add_work(call.start - added_until);
                added_until = call.start + call.duration;
                if (call.what != step::kind::asynchronous) {
                    add_event({action::collective, call.call, none});
                    continue;
                }
                add_event({action::asynchronous, call.call, none},
                          call.duration - end_of_waiting(log_.waiting(r, call)));
                // Most calls of a record have the same size: the map is not searched for each.
                const std::pair<std::uint32_t, std::int64_t> size(call.group, call.bytes);
                if (std::exchange(last_asynchronous_, size) != size) blocking_.try_emplace(size);
            }
            if (record.what == step::kind::work) add_work(end - added_until);
            record_.end = event_count();
            add_record(passes, facts_[record.operation]);
        }
        if (!gaps_.empty()) passes.gap = sort_to_low_median(gaps_);
        as_is_.end_rank();
        return true;
    }
    bool add_message(std::size_t r, const step& s) {
        const bool is_received = s.what == step::kind::receive;
        const std::size_t rank_count = a_.ranks.size();
        const bool is_to_next = is_to_next_stage(s);
        if (!a_.interleaved && (is_to_next ? r + per_stage_ >= rank_count : r < per_stage_)) return false;
        // The last stage of a virtual pipeline sends forward to the first one.
        const std::size_t other = (is_to_next ? r + per_stage_ : r + rank_count - per_stage_) % rank_count;
        const std::uint32_t out = is_received ? none : replayed_programs::channel(r, s.backward);
        // An exchange receives in the direction opposite to that in which it sends.
        const bool in_backward = is_received ? s.backward : !s.backward;
        const std::uint32_t in = s.what == step::kind::send ? none : replayed_programs::channel(other, in_backward);
        if (out != none) ++unreceived_[out];
        if (in != none) --unreceived_[in];
        has_exchanges_ = has_exchanges_ || s.what == step::kind::exchange;
        add_event({action::message, out, in}, end_of(s.transfer()));
        return true;
    }

    // Finds how long each piece of work typically takes, in each stage whose ranks all have the same pieces.
    void set_typical() {
        for (std::size_t from = 0; per_stage_ > 1 && from != a_.ranks.size(); from += per_stage_) {
            const action* const kinds = kinds_.data();
            const auto is_alike = [&](std::size_t r) {
                const std::size_t size = kinds_begin_[from + 1] - kinds_begin_[from];
                return kinds_begin_[r + 1] - kinds_begin_[r] == size &&
                       std::memcmp(kinds + kinds_begin_[r], kinds + kinds_begin_[from], size) == 0;
            };
            bool same = true;
            for (std::size_t r = from + 1; same && r != from + per_stage_; ++r) same = is_alike(r);
            typical_begin_.push_back(same ? std::optional(medians_.size()) : std::nullopt);
            if (same) add_typical(from, from + per_stage_);
        }
    }
    void add_typical(std::size_t from, std::size_t end) {
        std::vector<double> column(end - from);
        for (std::size_t piece = 0; piece != work_begin_[from + 1] - work_begin_[from]; ++piece) {
            double sum = 0;
            for (std::size_t r = from; r != end; ++r) sum += column[r - from] = work_[work_begin_[r] + piece];
            medians_.push_back(sum > 0 ? sort_to_low_median(column) : 0);
            means_.push_back(sum / static_cast<double>(end - from));
        }
    }
    bool has_typical(std::size_t r) const { return typical_begin_[r / per_stage_].has_value(); }
    // Even work is defined for pieces that all ranks of a stage have.
    bool can_be_even() const {
        return per_stage_ > 1 && std::all_of(typical_begin_.begin(), typical_begin_.end(),
                                             [](const auto& begin) { return begin.has_value(); });
    }
    // Sets the times of the rank's events, the first of which is `event`: each piece of work takes time(own, typical).
    template <class Time>
    void set_times(std::size_t r, event_times* event, const std::vector<double>& typical, const Time& time) const {
        const double* own = work_.data() + work_begin_[r];
        const double* of_stage = typical.data() + *typical_begin_[r / per_stage_];
        double work = 0;
        for (std::size_t n = kinds_begin_[r]; n != kinds_begin_[r + 1]; ++n) {
            if (kinds_[n] == action::gap) continue;
            if (kinds_[n] == action::work) {
                work += time(*own++, *of_stage++);
                continue;
            }
            if (kinds_[n] == action::asynchronous) event->inside = time(*own++, *of_stage++);
            event++->work = std::exchange(work, 0);
        }
        event->work = work;  // the work after the last event
    }
    // The times of the rank's events if each piece of its work takes at most the median of its stage. Where programs
    // differ, the pieces are shortened in proportion, so that the rank's work loses its excess.
    std::vector<event_times> peers_of(std::size_t r) const {
        const event_times* const own = as_is_.times().data();
        std::vector<event_times> peers(own + as_is_.first_event(r), own + as_is_.end_event(r));
        const bounded& work = a_.ranks[r].account.work;
        const bounded& excess = a_.ranks[r].excess;
        if (has_typical(r)) {
            set_times(r, peers.data(), medians_, [](double time, double median) { return (std::min)(time, median); });
        } else if (excess.at_least() > 0 && work.at_least() > 0) {
            const double left = !is_completed() || !how_->is_least
                                    ? 1 - excess.at_least() / work.at_most()
                                    : (std::max)(0.0, 1 - excess.at_most() / work.at_least());
            for (std::size_t n = 0; n != peers.size(); ++n) {
                peers[n].work *= left;
                if (as_is_.is_asynchronous(as_is_.first_event(r) + n)) peers[n].inside *= left;
            }
        }
        return peers;
    }
    void add(change kind, double after, bool is_limit = false, std::optional<std::int64_t> rank = std::nullopt) {
        effects_.push_back({kind, is_limit, rank, bounded(replayed_ - after)});
    }
    void find_effects(replay_answer& answer) {
        if (is_enclosed_) return add_even_work();
        if (per_stage_ > 1) add_slow_ranks();
        if (stages() > 1) add(change::even_stages, end_of_even_stages());
        add(change::no_gaps, as_is_.end(false));
        add(change::no_transfer, as_is_.end(true, false), true);
        add_schedules(answer);
        // This comes last: it changes the times of the events for good.
        add_even_work();
    }
    double end_of_even_stages() {
        std::vector<bounded> work(stages());
        for (std::size_t r = 0; r != a_.ranks.size(); ++r) work[r / per_stage_] += a_.ranks[r].account.work;
        const auto number_of = [](const bounded& b, bool most) { return most ? b.at_most() : b.at_least(); };
        for (std::size_t r = 0; r != a_.ranks.size(); ++r) {
            // A stage has the least left to do if it has done the most, and the other stages the least.
            const bool is_most = is_completed() && how_->is_least;
            const bool are_most = is_completed() && !how_->is_least;  // the others
            const bounded& of_stage = work[r / per_stage_];
            const double own = number_of(of_stage, is_most);
            const double all = number_of(a_.total.work, are_most) + (own - number_of(of_stage, are_most));
            if (own > 0) as_is_.factors[r] = all * (1 / static_cast<double>(stages())) / own;
        }
        const double end = as_is_.end();
        as_is_.factors.assign(a_.ranks.size(), 1);
        return end;
    }
    void add_even_work() {
        if (!can_be_even()) return;
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            set_times(r, as_is_.times().data() + as_is_.first_event(r), means_,
                      [](double, double mean) { return mean; });
        add(change::even_work_in_stages, as_is_.end());
    }
    bool is_surely_slow(std::size_t r) const { return a_.ranks[r].ratio.at_least() > slow_rank::least_ratio; }
    // Tries the ranks with more work than their peers, the greatest possible gain first, and all of them together.
    void add_slow_ranks() {
        std::vector<std::size_t> slow;
        std::vector<std::size_t> all;  // that may be slow
        std::vector<std::vector<event_times>> peers(a_.ranks.size());
        for (std::size_t r = 0; r != a_.ranks.size(); ++r) {
            if (!(a_.ranks[r].ratio.at_most() > slow_rank::least_ratio)) continue;
            all.push_back(r);
            if (!is_completed() && !is_surely_slow(r)) continue;
            slow.push_back(r);
            peers[r] = peers_of(r);
        }
        if (slow.empty() || (is_completed() && slow.size() > max_tried)) return;
        const auto exchange_times = [&](std::size_t r) {
            std::swap_ranges(peers[r].begin(), peers[r].end(), as_is_.times().data() + as_is_.first_event(r));
        };
        std::vector<double> gains = as_is_.gains_on_chain(peers);
        if (!is_completed())
            std::stable_sort(slow.begin(), slow.end(),
                             [&](std::size_t x, std::size_t y) { return gains[x] > gains[y]; });
        std::vector<bool> in_stage;
        for (const group_of_ranks& group : a_.groups_of_ranks) in_stage.push_back(operations::is_in_stage(group.kind));
        std::vector<bool> is_in_stage;
        for (const group_call& call : a_.calls) is_in_stage.push_back(in_stage[call.group]);
        const double waiting = as_is_.waiting(is_in_stage);
        const remedy* best = nullptr;
        for (std::size_t n = 0; n != (std::min)(slow.size(), max_tried); ++n) {
            if (best != nullptr && !is_completed() && gains[slow[n]] <= best->gain.number()) continue;
            exchange_times(slow[n]);
            const double after = as_is_.end();
            if (best == nullptr || is_completed() || replayed_ - after > best->gain.number()) {
                if (!is_completed()) effects_.clear();
                add(change::rank_as_peers, after, false, a_.ranks[slow[n]].rank);
                if (!is_completed()) effects_.back().waiting_less = bounded(waiting - as_is_.waiting(is_in_stage));
                best = &effects_.back();
            }
            // Another rank can shorten the run only if it gains on the critical path that remains.
            const std::vector<double> remaining = as_is_.gains_on_chain(peers);
            for (std::size_t r = 0; r != gains.size(); ++r)
                if (!(remaining[r] > 0)) gains[r] = 0;
            exchange_times(slow[n]);
        }
        // It is a limit, which a rank that may be slow raises. With a completed log, all have to be slow.
        if (slow.size() == 1 || (is_completed() && std::any_of(slow.begin(), slow.end(),
                                                               [&](std::size_t r) { return !is_surely_slow(r); })))
            return;
        for (const std::size_t r : all) {
            if (peers[r].empty()) peers[r] = peers_of(r);
            exchange_times(r);
        }
        add(change::all_ranks_as_peers, as_is_.end(), true);
        for (const std::size_t r : all) exchange_times(r);
    }

    // Adds the record to its rank's pipeline. Steps before a forward step and the loss after it are in its micro-batch.
    void add_record(passes_of_rank& own, const operation_facts& facts) const {
        const bool is_step = facts.is_pipeline_step();
        if (is_step || facts.is_message()) {
            own.has_begun = true;
            own.tail.clear();
        } else {
            (own.has_begun ? own.tail : own.head).push_back(record_);
        }
        if (!is_step) return;
        const bool backward = facts.kind == operation_kind::backward;
        std::size_t& done = own.steps[backward];
        if (done == own.batches(backward) && (facts.kind != operation_kind::loss || done == 0))
            own.begins[backward].push_back(own.records[backward].size());
        if (facts.kind == operation_kind::forward || backward) {
            ++done;
            own.order.push_back(backward);
        }
        own.records[backward].push_back(record_);
        own.records[backward].back().gap = 0;
    }
    // Adds what other schedules of the same passes would gain. They are rebuilt from the run's pieces; if the run has
    // the 1F1B schedule itself, that must take about as long as the run did.
    void add_schedules(replay_answer& answer) {
        const std::size_t count = passes_[0].batches(false);
        if (stages() < 2 || count == 0) return;
        answer.schedule = obstacle::unknown_time;
        if (a_.interleaved || a_.micro_batches == 0) return;
        in_turn_ = true;
        for (std::size_t r = 0; r != passes_.size(); ++r) {
            const passes_of_rank& passes = passes_[r];
            if (passes.batches(false) != count || passes.batches(true) != count) return;
            // Where several iterations end is not told from the passes.
            in_turn_ = in_turn_ && (a_.iterations != 1 || passes.are_in_turn(stages() - 1 - r / per_stage_));
        }
        double transfer = 0;
        for (const auto& [bytes, least] : a_.message_floors) transfer = (std::max)(transfer, end_of(least));
        // Without a steady phase nothing shows exchanges: they are assumed, as traced programs use them.
        pipeline_replay replay(as_is_, passes_, stages(), transfer, has_exchanges_ || count == 1 || !in_turn_);
        const std::optional<double> once = replay.end(count);
        const std::optional<double> twice = once ? replay.end(2 * count) : std::nullopt;
        answer.schedule = obstacle::stuck;
        if (!twice) return;
        schedule_error_ = bounded(std::abs(*once - replayed_) / replayed_);
        answer.schedule = obstacle::none;
        if (!in_turn_) add(change::passes_in_turn, *once);
        add(change::twice_the_micro_batches, *twice / 2);
        // The replay's own difference from the other schedule is no gain.
        if (in_turn_) effects_.back().gain = bounded((replayed_ + *once) / 2 - *twice / 2);
    }

    const run_answers& a_;
    replayed_record record_;  // the record that is being added
    double replayed_ = 0;     // when the last rank ends if nothing changes
    double before_ = 0;       // the same of the log with the most work
    bool in_turn_ = false;    // whether the run has the 1F1B schedule
    bounded schedule_error_;  // how much longer or shorter the run takes if the passes are in turn, as a part of it
    std::vector<remedy> effects_;
    completed_log log_;
    const completed_log::division* how_ = nullptr;  // of the completed log
    bool moves_ = true;
    bool is_enclosed_ = false;  // the completed log has all of the missing time in one piece, or none
    bool has_exchanges_ = false;
    // What the ranks do, one rank after the other: the kinds of all pieces, and the times of those that are work or
    // asynchronous. The lists of where each rank's pieces begin end with the total number.
    std::vector<action> kinds_;
    std::vector<std::size_t> kinds_begin_;
    std::vector<double> work_;
    std::vector<std::size_t> work_begin_;
    std::vector<double> gaps_;  // the gaps of the rank that is being added
    replayed_programs as_is_;
    std::vector<std::int64_t> unreceived_;  // how many messages of each channel were not received
    std::size_t per_stage_ = 1;             // how many ranks a stage has
    std::vector<operation_facts> facts_;    // what each operation is, by the number of its name
    std::vector<passes_of_rank> passes_;
    // How long the pieces in work_ take in their stage (the lower median and the mean over its ranks), and where each
    // stage's pieces begin in these lists, if its ranks have the same ones.
    std::vector<double> medians_;
    std::vector<double> means_;
    std::vector<std::optional<std::size_t>> typical_begin_;
    // The durations of blocking calls, by kind and size; only of kinds and sizes that asynchronous calls have, too.
    std::map<std::pair<std::uint32_t, std::int64_t>, number_range<double>> blocking_;
    std::optional<std::pair<std::uint32_t, std::int64_t>> last_asynchronous_;
};

}  // namespace wlfmt::analysis

#endif
