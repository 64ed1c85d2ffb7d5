// What a change would gain: the programs of a run's ranks, replayed with other times.
#ifndef WLFMT_ANALYSIS_ANSWERS_REPLAY_HPP
#define WLFMT_ANALYSIS_ANSWERS_REPLAY_HPP

#include <algorithm>
#include <cstring>
#include <map>

#include "../library.hpp"
#include "batches.hpp"

namespace wlfmt::analysis {

// Finds the remedies of a run. Linear in records, except for the few ranks that are tried.
class run_replay {
    using action = replayed_action;
    using step = program_step;
    using change = remedy::change;
    using obstacle = replay_answer::obstacle;

public:
    explicit run_replay(const run_answers& a) : a_(a) {
        for (const std::string& name : a_.names) facts_.push_back(operations::facts_of(name));
    }
    // With a row of records missing, each time is between two: replays take longer if anything in them does, the more
    // evenly the better. Those in which the missing records took no time, or one piece of them all of it, enclose the
    // others.
    replay_answer answer() {
        replay_answer found;
        found.reason = a_.ranks.size() < 2 || add_missing() ? find_remedies(found) : obstacle::unknown_time;
        if (found.reason != obstacle::none) return found;
        for (std::size_t piece = 0; found.reason == obstacle::none && piece != pieces_; ++piece) {
            run_replay longer(a_);
            longer.longest_ = piece;
            if (!longer.add_missing()) return replay_answer();
            replay_answer other;
            found.reason = longer.find_remedies(other);
            if (longer.effects_.size() != effects_.size()) found.reason = obstacle::unknown_time;
            if (found.reason != obstacle::none) return found;
            once_ = hull(once_, longer.once_);
            found.replayed = hull(found.replayed, other.replayed);
            for (std::size_t n = 0; n != effects_.size(); ++n) {
                effects_[n].before = hull(effects_[n].before, longer.effects_[n].before);
                effects_[n].after = hull(effects_[n].after, longer.effects_[n].after);
            }
        }
        if (is_enclosed()) found.error = size_of(found.replayed - found.iteration) / found.iteration;
        if (found.error.at_least() > max_error) found.reason = obstacle::inexact;
        // Whether the other schedule takes as long as the run did has to be certain.
        if (found.schedule == obstacle::none && in_turn_ &&
            !(size_of(once_ - found.replayed).at_most() <= max_error * found.replayed.at_least())) {
            found.schedule = obstacle::inexact;
            effects_.erase(
                std::remove_if(effects_.begin(), effects_.end(),
                               [](const effect& e) { return e.what.what == change::twice_the_micro_batches; }),
                effects_.end());
        }
        if (found.reason == obstacle::none) add_remedies(found);
        return found;
    }

private:
    static constexpr std::uint32_t none = replayed_event::none;
    static constexpr double max_error = 0.05;
    static constexpr std::size_t max_tried = 8;                     // how many ranks are tried
    static constexpr std::size_t max_steps = std::size_t{1} << 25;  // how many are replayed to enclose a gain

    // The iteration takes `before`, and with the change `after`.
    struct effect {
        remedy what;
        bounded before;
        bounded after;
    };
    // Adds the records that a rank lacks to its program, with no duration. False if they are not a single row, or if
    // more is missing.
    bool add_missing() {
        members_.resize(a_.calls.size());
        if (a_.lost == 0) return true;
        if (a_.missing_records.empty() || a_.contradictions != 0 || !a_.doubtful_times.empty()) return false;
        const missing_record& first = a_.missing_records[0];
        missing_rank_ = first.rank;
        hole_ = first.most;
        program_ = a_.ranks[first.rank].program;
        const auto at =
            std::find_if(program_.begin(), program_.end(), [&](const step& s) { return s.record >= first.before; });
        std::vector<step> added;
        for (const missing_record& m : a_.missing_records) {
            if (m.rank != first.rank || m.before != first.before) return false;
            const std::vector<step>& owner = a_.ranks[m.owner].program;
            std::size_t n = m.step;
            do added.push_back(owner[n]);
            while (++n != owner.size() && owner[n].nested);
        }
        if (a_.missing_records.size() != a_.lost) return false;
        for (step& s : added) {
            if (s.call != step::no_call && !join_call(s)) return false;
            s.is_doubtful = true;
            s.waiting = bounded();
            s.duration = 0;
            for (const auto& [bytes, least] : a_.message_floors)
                if (is_message(s) && bytes == static_cast<double>(known_bytes(s)) && longest_)
                    s.duration = least.at_most();
        }
        program_.insert(at, added.begin(), added.end());
        return true;
    }
    // Makes the rank a member of the first such call of its group that it is not a member of.
    bool join_call(step& own) {
        for (std::uint32_t n = 0; n != a_.calls.size(); ++n) {
            const group_call& call = a_.calls[n];
            const group_of_ranks& group = a_.groups_of_ranks[call.group];
            if (call.members == 0 || call.members + members_[n] == static_cast<std::uint32_t>(group.size)) continue;
            const call_member& member = a_.members[call.first_member];
            const step& other = a_.ranks[member.rank].program[member.step];
            if (other.group != own.group || other.operation != own.operation || other.batch != own.batch ||
                other.function != own.function || other.what != own.what ||
                !std::binary_search(group.ranks.begin(), group.ranks.end(), a_.ranks[missing_rank_].rank))
                continue;
            ++members_[n];
            own.call = n;
            return true;
        }
        return false;
    }
    const std::vector<step>& program_of(std::size_t r) const {
        return r == missing_rank_ ? program_ : a_.ranks[r].program;
    }
    // How long a piece of the missing records takes.
    double next_piece() noexcept { return longest_ == pieces_++ ? hole_ : 0; }
    double end_of(const bounded& time) const noexcept { return longest_ ? time.at_most() : time.at_least(); }
    bool is_enclosed() const noexcept { return missing_rank_ != no_rank; }
    // What the call takes after its last member has come.
    double least_of(std::size_t n) const {
        const group_call& call = a_.calls[n];
        if (members_[n] == 0) return call.transfer;
        double least = bounded::unlimited;
        for (std::uint32_t k = 0; k != call.members; ++k) {
            const call_member& member = a_.members[call.first_member + k];
            least = (std::min)(least, a_.ranks[member.rank].program[member.step].duration);
        }
        return longest_ ? least : 0;
    }

    std::size_t stages() const noexcept { return static_cast<std::size_t>(a_.sizes->pipeline); }
    obstacle find_remedies(replay_answer& answer) {
        if (a_.ranks.size() < 2) return obstacle::not_tried;
        // All ranks of the run have to be here, so that the n-th one is rank n.
        if (!a_.sizes || a_.sizes->world != static_cast<std::int64_t>(a_.ranks.size()) || !a_.together ||
            (a_.total.unknown.number() > 0 && !is_enclosed()) || a_.overlaps.number() > 0)
            return obstacle::unknown_time;
        per_stage_ = a_.ranks.size() / stages();
        std::uint32_t first_member = 0;
        for (std::size_t n = 0; n != a_.calls.size(); ++n) {
            const group_call& call = a_.calls[n];
            const std::uint32_t members = call.members + members_[n];
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
        const double error = iteration > 0 ? std::abs(replayed_ - iteration) / iteration : 0;
        answer.iteration = bounded(iteration);
        answer.replayed = bounded(replayed_);
        answer.error = bounded(error);
        if (error > max_error && !is_enclosed()) return obstacle::inexact;
        if (is_enclosed() && pieces_ * steps > max_steps) return obstacle::not_tried;
        set_typical();
        find_effects(answer);
        return obstacle::none;
    }
    // Of the ranks that may work as their peers, the one that surely gains most.
    void add_remedies(replay_answer& answer) const {
        for (const effect& e : effects_) {
            remedy& added = answer.remedies.emplace_back(e.what);
            const bounded gain = e.before - e.after;
            added.gain = added.is_limit ? bounded::no_more(gain.at_most()) : gain;
            const auto may_gain_more = [&](const effect& other) {
                return &other != &e && other.what.what == change::rank_as_peers && !added.is_limit &&
                       !(gain.at_least() > (other.before - other.after).at_most());
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
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            for (const step& s : longest_ ? a_.ranks[r].program : program_of(r)) {
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
        bool is_lost = false;
        const auto add_piece = [&](double time) { add_work(is_lost ? next_piece() : time); };
        // At the ends of what is enclosed, what is no waiting takes as long as it can, or no longer than it must.
        const auto waiting_of = [&](const step& s) { return longest_ ? s.waiting.at_least() : s.waiting.at_most(); };
        for (std::size_t n = 0; n != program.size();) {
            const step& record = program[n++];
            const bool was_lost = std::exchange(is_lost, is_enclosed() && record.is_doubtful);
            // A gap after missing records is one of their pieces.
            const double gap = is_lost ? next_piece() : was_lost ? 0 : (std::max)(record.start - end, 0.0);
            gaps_.push_back(gap);
            kinds_.push_back(action::gap);
            as_is_.add_gap(gap);
            record_ = {event_count(), 0, gap, 0, 0};
            end = record.start + record.duration;
            double added_until = end;  // everything before this time has been added
            if (is_message(record)) {
                if (!add_message(r, record)) return false;
            } else if (record.alone && record.what == step::kind::collective) {
                add_piece(record.duration);
            } else if (record.call != step::no_call) {
                add_event({action::collective, record.call, none});
                if (record.what == step::kind::work) added_until = record.start + waiting_of(record);
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
                add_piece(call.start - added_until);
                added_until = call.start + call.duration;
                if (call.what != step::kind::asynchronous) {
                    add_event({action::collective, call.call, none});
                    continue;
                }
                add_event({action::asynchronous, call.call, none},
                          is_lost ? next_piece() : call.duration - waiting_of(call));
                // Most calls of a record have the same size: the map is not searched for each.
                const std::pair<std::uint32_t, std::int64_t> size(call.group, call.bytes);
                if (std::exchange(last_asynchronous_, size) != size) blocking_.try_emplace(size);
            }
            if (record.what == step::kind::work) add_piece(end - added_until);
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
        add_event({action::message, out, in}, s.is_doubtful ? s.duration : end_of(s.transfer()));
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
            const double left = longest_ || !is_enclosed() ? 1 - excess.at_least() / work.at_most()
                                                           : (std::max)(0.0, 1 - excess.at_most() / work.at_least());
            for (std::size_t n = 0; n != peers.size(); ++n) {
                peers[n].work *= left;
                if (as_is_.is_asynchronous(as_is_.first_event(r) + n)) peers[n].inside *= left;
            }
        }
        return peers;
    }
    void add(change kind, double after, bool is_limit = false, std::optional<std::int64_t> rank = std::nullopt) {
        effects_.push_back({{kind, is_limit, rank, {}}, bounded(replayed_), bounded(after)});
    }
    void find_effects(replay_answer& answer) {
        if (per_stage_ > 1) add_slow_ranks();
        if (stages() > 1) add(change::even_stages, end_of_even_stages());
        add(change::no_gaps, as_is_.end(false));
        add(change::no_transfer, as_is_.end(true, false), true);
        add_schedules(answer);
        // Even work comes last: it changes the times of the events for good.
        if (per_stage_ > 1) add(change::even_work_in_stages, end_of_even_work());
    }
    double end_of_even_stages() {
        std::vector<bounded> work(stages());
        for (std::size_t r = 0; r != a_.ranks.size(); ++r) work[r / per_stage_] += a_.ranks[r].account.work;
        const bounded mean = a_.total.work * (1 / static_cast<double>(stages()));
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            if (const bounded& own = work[r / per_stage_]; own.at_least() > 0)
                as_is_.factors[r] = is_enclosed() ? end_of(mean / own) : mean.number() / own.number();
        const double end = as_is_.end();
        as_is_.factors.assign(a_.ranks.size(), 1);
        return end;
    }
    double end_of_even_work() {
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            if (has_typical(r))
                set_times(r, as_is_.times().data() + as_is_.first_event(r), means_,
                          [](double, double mean) { return mean; });
        return as_is_.end();
    }
    bool is_surely_slow(std::size_t r) const { return a_.ranks[r].ratio.at_least() > slow_rank::least_ratio; }
    // Tries the ranks with more work than their peers, the greatest possible gain first, and all of them together.
    void add_slow_ranks() {
        std::vector<std::size_t> slow;
        bool are_sure = true;
        std::vector<std::vector<event_times>> peers(a_.ranks.size());
        for (std::size_t r = 0; r != a_.ranks.size(); ++r) {
            const bounded& ratio = a_.ranks[r].ratio;
            if (!((is_enclosed() ? ratio.at_most() : ratio.at_least()) > slow_rank::least_ratio)) continue;
            are_sure = are_sure && is_surely_slow(r);
            slow.push_back(r);
            peers[r] = peers_of(r);
        }
        if (slow.empty() || (is_enclosed() && slow.size() > max_tried)) return;
        const auto exchange_times = [&](std::size_t r) {
            std::swap_ranges(peers[r].begin(), peers[r].end(), as_is_.times().data() + as_is_.first_event(r));
        };
        std::vector<double> gains = as_is_.gains_on_chain(peers);
        if (!is_enclosed())
            std::stable_sort(slow.begin(), slow.end(),
                             [&](std::size_t x, std::size_t y) { return gains[x] > gains[y]; });
        std::vector<bool> in_stage;
        for (const group_of_ranks& group : a_.groups_of_ranks) in_stage.push_back(operations::is_in_stage(group.kind));
        std::vector<bool> is_in_stage;
        for (const group_call& call : a_.calls) is_in_stage.push_back(in_stage[call.group]);
        const double waiting = as_is_.waiting(is_in_stage);
        const effect* best = nullptr;
        for (std::size_t n = 0; n != (std::min)(slow.size(), max_tried); ++n) {
            if (best != nullptr && !is_enclosed() && gains[slow[n]] <= replayed_ - best->after.at_least()) continue;
            exchange_times(slow[n]);
            const double after = as_is_.end();
            if (best == nullptr || is_enclosed() || after < best->after.at_least()) {
                if (!is_enclosed()) effects_.clear();
                add(change::rank_as_peers, after, false, a_.ranks[slow[n]].rank);
                if (!is_enclosed()) effects_.back().what.waiting_less = bounded(waiting - as_is_.waiting(is_in_stage));
                best = &effects_.back();
            }
            // Another rank can shorten the run only if it gains on the critical path that remains.
            const std::vector<double> remaining = as_is_.gains_on_chain(peers);
            for (std::size_t r = 0; r != gains.size(); ++r)
                if (!(remaining[r] > 0)) gains[r] = 0;
            exchange_times(slow[n]);
        }
        if (slow.size() == 1 || !are_sure) return;
        for (const std::size_t r : slow) exchange_times(r);
        add(change::all_ranks_as_peers, as_is_.end(), true);
        for (const std::size_t r : slow) exchange_times(r);
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
        if (a_.interleaved) return;
        in_turn_ = true;
        for (std::size_t r = 0; r != passes_.size(); ++r) {
            const passes_of_rank& passes = passes_[r];
            if (passes.batches(false) != count || passes.batches(true) != count) return;
            // Where several iterations end is not told from the passes.
            in_turn_ = in_turn_ && (a_.iterations != 1 || passes.are_in_turn(stages() - 1 - r / per_stage_));
        }
        double transfer = 0;
        for (const auto& [bytes, least] : a_.message_floors) transfer = (std::max)(transfer, least.number());
        // Without a steady phase nothing shows exchanges: they are assumed, as traced programs use them.
        pipeline_replay replay(as_is_, passes_, stages(), transfer, has_exchanges_ || count == 1 || !in_turn_);
        const std::optional<double> once = replay.end(count);
        const std::optional<double> twice = once ? replay.end(2 * count) : std::nullopt;
        answer.schedule = obstacle::stuck;
        if (!twice) return;
        once_ = bounded(*once);
        answer.schedule = obstacle::none;
        if (!in_turn_) add(change::passes_in_turn, *once);
        add(change::twice_the_micro_batches, *twice / 2);
        // The replay's own difference from the other schedule is no gain.
        if (in_turn_) effects_.back().before = bounded((replayed_ + *once) / 2);
    }

    const run_answers& a_;
    replayed_record record_;  // the record that is being added
    double replayed_ = 0;     // when the last rank ends if nothing changes
    bool in_turn_ = false;    // whether the run has the 1F1B schedule
    bounded once_;            // when the last rank ends if the passes are in turn
    std::vector<effect> effects_;
    // The rank that lacks records, its program with them, how long they took in all, and how many pieces they have.
    static constexpr std::size_t no_rank = (std::numeric_limits<std::size_t>::max)();
    std::size_t missing_rank_ = no_rank;
    std::vector<step> program_;
    double hole_ = 0;
    std::size_t pieces_ = 0;
    std::optional<std::size_t> longest_;  // the piece that takes all of the time; none takes any, if empty
    std::vector<std::uint32_t> members_;  // for each call: how many members lack it
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
