// What a change would gain: the programs of a run's ranks, replayed with other times.
#ifndef WLFMT_DETAIL_ANSWERS_REPLAY_HPP
#define WLFMT_DETAIL_ANSWERS_REPLAY_HPP

#include "../base/order.hpp"
#include "../base/ordered_map.hpp"
#include "programs.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The remedies of a run. Linear in records but for the few ranks that are tried.
class run_replay {
    using action = replayed_action;
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
    static constexpr double max_error = 0.05;
    static constexpr std::size_t max_tried = 8;  // how many ranks are tried

    std::size_t stages() const noexcept { return static_cast<std::size_t>(a_.sizes->pipeline); }
    obstacle find_remedies(oplog::replay_answer& answer) {
        if (a_.ranks.size() < 2) return obstacle::not_tried;
        // All ranks of the run are here: each is its own place among them.
        if (!a_.sizes || a_.sizes->world != static_cast<std::int64_t>(a_.ranks.size()) || !a_.together ||
            a_.total.unknown.number() > 0 || a_.lost != 0)
            return obstacle::unknown_time;
        per_stage_ = a_.ranks.size() / stages();
        for (const oplog::group_call& call : a_.calls)
            as_is_.collectives.push_back({call.first_member, call.members, call.transfer});
        unreceived_.resize(2 * a_.ranks.size());
        std::size_t steps = 0;
        for (const oplog::rank_answer& r : a_.ranks) steps += r.program.size();
        pieces_.reserve(2 * steps);
        as_is_.reserve(steps);
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            if (!add_program(r)) return obstacle::unknown_time;
        pieces_begin_.push_back(pieces_.size());
        set_least();
        if (std::any_of(unreceived_.begin(), unreceived_.end(), [](std::int64_t n) { return n != 0; }))
            return obstacle::unknown_time;
        double iteration = 0;
        for (const oplog::rank_answer& r : a_.ranks) iteration = (std::max)(iteration, r.account.span.number());
        if (!as_is_.find_order()) return obstacle::stuck;
        replayed_ = as_is_.end(times_as_is());
        const double error = iteration > 0 ? std::abs(replayed_ - iteration) / iteration : 0;
        answer.iteration = oplog::bounded(iteration);
        answer.replayed = oplog::bounded(replayed_);
        answer.error = oplog::bounded(error);
        if (error > max_error) return obstacle::inexact;
        set_peers();
        add_remedies(answer);
        add_twice_the_batches(answer);
        sort_list(answer.remedies, [](const oplog::remedy& x, const oplog::remedy& y) {
            return x.is_limit != y.is_limit ? y.is_limit : comes_before(x.gain, y.gain);
        });
        return obstacle::none;
    }
    // An asynchronous collective needs no less than a blocking one of its kind and size did.
    void set_least() {
        if (beside_.empty()) return;
        for (const oplog::rank_answer& r : a_.ranks)
            for (const step& s : r.program) {
                if (s.call == step::no_call || s.what != step::kind::collective) continue;
                if (const auto at = beside_.find(std::pair(s.group, s.bytes)); at != beside_.end())
                    at->second.add(s.duration);
            }
        for (const oplog::rank_answer& r : a_.ranks)
            for (const step& s : r.program) {
                if (s.call == step::no_call || s.what != step::kind::asynchronous) continue;
                double& least = as_is_.collectives[s.call].least;
                least = (std::min)(least, beside_.at(std::pair(s.group, s.bytes)).least);
            }
    }
    void add_piece(action kind, double time, std::uint32_t key = none, std::uint32_t needs = none) {
        time = (std::max)(time, 0.0);
        pieces_.push_back({time, key, kind});
        as_is_.add(kind, time, key, needs);
        if (kind == action::work) (record_.first == as_is_.event_count() ? record_.before : record_.after) += time;
        else record_.after = 0;
    }
    // Adds what a rank does; false if its part in a call is unknown or a message is no part of a pipeline.
    bool add_program(std::size_t r) {
        pieces_begin_.push_back(pieces_.size());
        as_is_.begin_rank();
        passes_of_rank& passes = passes_.emplace_back();
        const std::vector<step>& program = a_.ranks[r].program;
        double end = 0;  // the end of the last record
        for (std::size_t n = 0; n != program.size();) {
            const step& record = program[n++];
            const std::size_t first = pieces_.size();
            add_piece(action::gap, record.start - end);
            record_ = {as_is_.event_count(), 0, 0, 0};
            end = record.start + record.duration;
            double gone = end;  // everything up to here is in a piece
            if (is_message(record)) {
                if (!add_message(r, record)) return false;
            } else if (record.alone && record.what == step::kind::collective) {
                add_piece(action::work, record.duration);
            } else if (record.call != step::no_call) {
                add_piece(action::collective, 0, record.call);
                if (record.what == step::kind::work) gone = record.start + record.waiting;
                // optimizer_step hides what it transfers.
                if (record.what == step::kind::work) as_is_.collectives[record.call].least = 0;
            } else if (record.what == step::kind::work) {
                gone = record.start;
            } else {
                return false;
            }
            for (; n != program.size() && program[n].nested; ++n) {
                const step& call = program[n];
                if (call.alone) continue;
                if (call.call == step::no_call) return false;
                add_piece(action::work, call.start - gone);
                gone = call.start + call.duration;
                if (call.what != step::kind::asynchronous) {
                    add_piece(action::collective, 0, call.call);
                    continue;
                }
                add_piece(action::asynchronous, call.duration - call.waiting, call.call);
                // The calls of a record are mostly of one size.
                const std::pair<std::uint32_t, std::int64_t> size(call.group, call.bytes);
                if (std::exchange(last_beside_, size) != size) beside_.try_emplace(size);
            }
            if (record.what == step::kind::work) add_piece(action::work, end - gone);
            record_.end = as_is_.event_count();
            add_record(passes, facts_[record.operation], {first, pieces_.size()});
        }
        as_is_.end_rank();
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
        has_exchanges_ = has_exchanges_ || s.what == step::kind::exchange;
        add_piece(action::message, s.transfer, out, in);
        return true;
    }

    std::vector<rank_times> times_as_is() const {
        return std::vector<rank_times>(a_.ranks.size(), rank_times{as_is_.times().data()});
    }
    // What each piece of work would take if its rank worked as its peers in the stage do. Where programs differ, each
    // takes as much less as all work of the rank does.
    void set_peers() {
        peers_ = means_ = as_is_.times();
        for (std::size_t from = 0; per_stage_ > 1 && from != a_.ranks.size(); from += per_stage_) {
            const std::size_t end = from + per_stage_;
            const traced_piece* const pieces = pieces_.data();
            const auto is_alike = [&](std::size_t r) {
                return std::equal(pieces + pieces_begin_[r], pieces + pieces_begin_[r + 1],
                                  pieces + pieces_begin_[from], pieces + pieces_begin_[from + 1],
                                  [](const traced_piece& a, const traced_piece& b) { return a.what == b.what; });
            };
            bool same = true;
            for (std::size_t r = from + 1; same && r != end; ++r) same = is_alike(r);
            for (std::size_t r = from; r != end; ++r) same ? forget_work(r) : shorten_work(r);
            if (same) add_peers(from, end);
        }
    }
    void forget_work(std::size_t r) {
        for (std::size_t n = as_is_.first_event(r); n != as_is_.end_event(r); ++n) peers_[n].work = means_[n].work = 0;
    }
    void shorten_work(std::size_t r) {
        const oplog::rank_answer& rank = a_.ranks[r];
        const double work = rank.account.work.number();
        const double excess = rank.excess.at_least();
        if (!(excess > 0) || !(work > 0)) return;
        for (std::size_t n = as_is_.first_event(r); n != as_is_.end_event(r); ++n) {
            peers_[n].work *= (work - excess) / work;
            if (as_is_.is_asynchronous(n)) peers_[n].inside *= (work - excess) / work;
        }
    }
    // Adds the peers of a stage, whose ranks from `from` to `end` have the same pieces.
    void add_peers(std::size_t from, std::size_t end) {
        std::vector<double> column(end - from);
        std::size_t event = 0;  // the event at which each rank is
        const std::size_t count = pieces_begin_[from + 1] - pieces_begin_[from];
        for (std::size_t n = 0; n != count; ++n) {
            const action kind = pieces_[pieces_begin_[from] + n].what;
            if (kind == action::work || kind == action::asynchronous) {
                double sum = 0;
                for (std::size_t r = from; r != end; ++r) sum += column[r - from] = pieces_[pieces_begin_[r] + n].time;
                if (sum > 0) {
                    const double median = sort_to_low_median(column);
                    const double mean = sum / static_cast<double>(end - from);
                    for (std::size_t r = from; r != end; ++r) {
                        event_times& peer = peers_[as_is_.first_event(r) + event];
                        event_times& even = means_[as_is_.first_event(r) + event];
                        const double time = (std::min)(pieces_[pieces_begin_[r] + n].time, median);
                        if (kind == action::work) {
                            peer.work += time;
                            even.work += mean;
                        } else {
                            peer.inside = time;
                            even.inside = mean;
                        }
                    }
                }
            }
            event += kind != action::work && kind != action::gap ? 1U : 0U;
        }
    }
    void add_remedies(oplog::replay_answer& answer) {
        std::vector<rank_times> changed = times_as_is();
        const auto gain = [&](bool has_gaps = true, bool moves = true) {
            return replayed_ - as_is_.end(changed, has_gaps, moves);
        };
        const auto add = [&](change kind, double by, bool is_limit = false,
                             std::optional<std::int64_t> rank = std::nullopt) {
            answer.remedies.push_back(
                {kind, is_limit, rank, oplog::bounded(by, is_limit ? oplog::limit::most : oplog::limit::exact)});
        };
        // The ranks with more work than their peers, the greatest possible gain first.
        const std::vector<double> gains = as_is_.most_gains(peers_);
        std::vector<std::size_t> slow;
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            if (a_.ranks[r].ratio.at_least() > oplog::slow_rank::least_ratio && per_stage_ > 1) slow.push_back(r);
        sort_list(slow, [&](std::size_t x, std::size_t y) { return gains[x] > gains[y]; });
        std::vector<bool> in_stage;
        for (const oplog::group_of_ranks& group : a_.groups_of_ranks)
            in_stage.push_back(words::is_in_stage(group.kind));
        std::vector<bool> is_in_stage;
        for (const oplog::group_call& call : a_.calls) is_in_stage.push_back(in_stage[call.group]);
        const double waiting = slow.empty() ? 0 : as_is_.waiting(changed, is_in_stage);
        std::optional<std::size_t> best;
        double best_gain = 0;
        double waiting_less = 0;
        for (std::size_t n = 0; n != (std::min)(slow.size(), max_tried); ++n) {
            if (best && gains[slow[n]] <= best_gain) break;
            rank_times& own = changed[slow[n]];
            own.events = peers_.data();
            const double by = gain();
            if (!best || by > best_gain) {
                best = slow[n];
                best_gain = by;
                waiting_less = waiting - as_is_.waiting(changed, is_in_stage);
            }
            own.events = as_is_.times().data();
        }
        if (best) {
            add(change::rank_as_peers, best_gain, false, a_.ranks[*best].rank);
            answer.remedies.back().waiting_less = oplog::bounded(waiting_less);
        }
        if (slow.size() > 1) {
            for (const std::size_t r : slow) changed[r].events = peers_.data();
            add(change::all_ranks_as_peers, gain(), true);
        }
        if (per_stage_ > 1) {
            for (rank_times& rank : changed) rank.events = means_.data();
            add(change::even_work_in_stages, gain());
        }
        if (stages() > 1) {
            changed = times_as_is();
            std::vector<double> work(stages());
            for (std::size_t r = 0; r != a_.ranks.size(); ++r)
                work[r / per_stage_] += a_.ranks[r].account.work.number();
            const double mean = a_.total.work.number() / static_cast<double>(stages());
            for (std::size_t r = 0; r != a_.ranks.size(); ++r)
                if (work[r / per_stage_] > 0) changed[r].factor = mean / work[r / per_stage_];
            add(change::even_stages, gain());
        }
        changed = times_as_is();
        add(change::no_gaps, gain(false));
        add(change::no_transfer, gain(true, false), true);
    }

    // A rank's pipeline: each micro-batch's pieces in the forward and the backward pass, and the rest.
    struct passes_of_rank {
        std::vector<replayed_programs::part> records[2];  // the records of forward passes, and of backward passes
        std::vector<std::size_t> begins[2];               // the first record of each micro-batch

        std::size_t batches(bool backward) const noexcept { return begins[backward].size(); }
        step_range of(bool backward, std::size_t batch) const noexcept {
            const bool is_last = batch + 1 == batches(backward);
            return {begins[backward][batch], is_last ? records[backward].size() : begins[backward][batch + 1]};
        }
        std::size_t steps[2] = {};  // forward and backward steps
        step_range head;            // empty until the pipeline begins
        step_range tail;
        std::vector<double> gaps;  // the gaps before its records
    };
    // Adds a record, whose gap is its first piece.
    void add_record(passes_of_rank& own, const operation_facts& facts, step_range record) const {
        own.gaps.push_back(pieces_[record.begin].time);
        if (facts.is_pipeline_step() || facts.is_message()) {
            if (own.tail.begin == 0) own.head = {pieces_begin_.back(), record.begin};
            own.tail.begin = record.end;
        }
        own.tail.end = record.end;
        if (!facts.is_pipeline_step()) return;
        // What comes before a forward step belongs to it, and so does its loss.
        const bool backward = facts.kind == operation_kind::backward;
        std::size_t& done = own.steps[backward];
        if (done == own.batches(backward) && (facts.kind != operation_kind::loss || done == 0))
            own.begins[backward].push_back(own.records[backward].size());
        if (facts.kind == operation_kind::forward || backward) ++done;
        own.records[backward].push_back(record_);
    }
    // The run with `count` micro-batches, copies of the traced ones: a forward and a backward pass in turn.
    replayed_programs with_batches(std::size_t count) const {
        replayed_programs longer;
        const std::size_t traced = passes_[0].batches(false);
        const auto members = static_cast<std::uint32_t>(a_.members.size());
        for (std::size_t n = 0; n < count; n += traced)
            for (replayed_collective call : as_is_.collectives) {
                call.first_member += members * static_cast<std::uint32_t>(n / traced);
                longer.collectives.push_back(call);
            }
        longer.reserve(as_is_.times().size() * count / traced);
        double floor = 0;
        for (const auto& [bytes, least] : a_.message_floors) floor = (std::max)(floor, least.number());
        for (std::size_t r = 0; r != a_.ranks.size(); ++r) {
            longer.begin_rank();
            const std::size_t stage = r / per_stage_;
            const double gap = low_median(passes_[r].gaps);
            const auto copy = [&](step_range of_pieces) {
                for (std::size_t n = of_pieces.begin; n != of_pieces.end; ++n)
                    longer.add(pieces_[n].what, pieces_[n].time, pieces_[n].key);
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
                const auto turn = static_cast<std::uint32_t>(batch / traced * as_is_.collectives.size());
                const step_range records = passes_[r].of(backward, batch % traced);
                for (std::size_t n = records.begin; n != records.end; ++n)
                    longer.add_part(as_is_, passes_[r].records[backward][n], turn);
                longer.add(action::gap, gap);
            };
            copy(passes_[r].head);
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
            copy(passes_[r].tail);
            longer.end_rank();
        }
        return longer;
    }
    // Adds the remedy only if the run, rebuilt from its pieces with a forward and a backward pass in turn, takes as
    // long.
    void add_twice_the_batches(oplog::replay_answer& answer) {
        const std::size_t count = passes_[0].batches(false);
        if (stages() < 2 || count == 0 || a_.interleaved) return;
        for (const passes_of_rank& p : passes_)
            if (p.batches(false) != count || p.batches(true) != count) return;
        // With one micro-batch there is no steady phase, of which it could be seen; tracers' programs exchange there.
        has_exchanges_ = has_exchanges_ || count == 1;
        const std::optional<double> once = with_batches(count).end_once();
        const std::optional<double> twice = with_batches(2 * count).end_once();
        if (!once || !twice || std::abs(*once - replayed_) > max_error * replayed_) return;
        answer.remedies.push_back({change::twice_the_micro_batches, false, std::nullopt,
                                   oplog::bounded(replayed_ - (replayed_ + *twice - *once) / 2)});
    }

    struct traced_piece {
        double time;
        std::uint32_t key;  // the collective
        action what;
    };
    const oplog::run_answers& a_;
    replayed_programs::part record_;  // the record that is being added, without its gap
    double replayed_ = 0;             // when the last rank ends if nothing changes
    bool has_exchanges_ = false;
    std::vector<traced_piece> pieces_;       // what the ranks do, one rank after the other
    std::vector<std::size_t> pieces_begin_;  // where each rank's pieces begin, and where the last ones end
    replayed_programs as_is_;
    std::vector<std::int64_t> unreceived_;  // how many messages of each channel were not received
    std::size_t per_stage_ = 1;             // how many ranks a stage has
    std::vector<operation_facts> facts_;    // what each operation is, by the number of its name
    std::vector<passes_of_rank> passes_;    // the passes of each rank
    std::vector<event_times> peers_;        // the events' times with each piece of work at most the median of its stage
    std::vector<event_times> means_;        // the events' times with each piece of work the mean of its stage
    // The durations of blocking calls of the kinds and sizes of which there are asynchronous ones.
    ordered_map<std::pair<std::uint32_t, std::int64_t>, number_range<double>> beside_;
    std::optional<std::pair<std::uint32_t, std::int64_t>> last_beside_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
