// What a change would gain: the programs of a run's ranks, replayed with other times.
#ifndef WLFMT_DETAIL_ANSWERS_REPLAY_HPP
#define WLFMT_DETAIL_ANSWERS_REPLAY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/order.hpp"
#include "../oplog/operations.hpp"
#include "../summary/ordered_map.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// What the ranks do, one after the other, and what they wait for. Times are milliseconds.
struct replayed_programs {
    static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();
    enum class action : std::uint8_t {
        work,
        gap,           // between records
        collective,    // its members leave `least` after the last of them came
        asynchronous,  // its member leaves after its own work, and not before `least` after the last of them was
                       // launched
        message        // posts one, or leaves `time` after another one was posted, or both
    };
    struct item {
        action what;
        std::uint32_t key = none;    // of a collective; the message that is posted
        std::uint32_t needs = none;  // the message that is received
        double time = 0;
    };
    struct collective {
        std::uint32_t members = 0;
        double least = 0;
    };
    std::vector<item> items;
    std::vector<std::size_t> begins;  // of each rank, and the end of the last one
    std::vector<collective> collectives;
    std::uint32_t messages = 0;

    std::size_t ranks() const noexcept { return begins.size() - 1; }
    std::vector<double> times() const {
        std::vector<double> to;
        to.reserve(items.size());
        for (const item& i : items) to.push_back(i.time);
        return to;
    }
    void add(action what, double time, std::uint32_t key = none, std::uint32_t needs = none) {
        items.push_back({what, key, needs, (std::max)(time, 0.0)});
    }
};

// One replay, linear in items.
class replay_of_programs {
    using action = replayed_programs::action;
    using item = replayed_programs::item;

public:
    explicit replay_of_programs(const replayed_programs& of) : of_(of) {}

    // When the last rank ends, with these times of the items. Empty if a rank waits for ever. `moves`: transfers take
    // time.
    std::optional<double> end(const std::vector<double>& times, bool moves = true) {
        times_ = &times;
        moves_ = moves;
        const std::size_t ranks = of_.ranks();
        now_.assign(ranks, 0);
        at_.assign(of_.begins.begin(), of_.begins.end() - 1);
        has_come_.assign(ranks, false);
        came_.assign(of_.collectives.size(), {});
        posted_.assign(of_.messages, {});
        waiting_.assign(of_.messages, replayed_programs::none);
        before_.resize(of_.items.size());
        next_blocked_.assign(ranks, replayed_programs::none);
        todo_.clear();
        for (std::size_t r = ranks; r-- != 0;) todo_.push_back(r);
        while (!todo_.empty()) {
            const std::size_t r = todo_.back();
            todo_.pop_back();
            while (at_[r] != of_.begins[r + 1] && step(r)) ++at_[r];
        }
        double last = 0;
        for (std::size_t r = 0; r != ranks; ++r) {
            if (at_[r] != of_.begins[r + 1]) return std::nullopt;
            last = (std::max)(last, now_[r]);
        }
        return last;
    }
    // After end(): by rank, how much less time the items on a longest chain of dependencies would take with `other`
    // times, none of which is greater. No change of one rank's items gains more.
    std::vector<double> most_gains(const std::vector<double>& other) const {
        std::vector<double> gains(of_.ranks());
        std::size_t r = 0;
        for (std::size_t n = 1; n != of_.ranks(); ++n)
            if (now_[n] > now_[r]) r = n;
        for (std::size_t at = of_.begins[r + 1]; at != of_.begins[r];) {
            const item& i = of_.items[--at];
            std::size_t from = at;  // the item that let this one go on
            if (i.needs != replayed_programs::none && posted_[i.needs].time > before_[at]) from = posted_[i.needs].item;
            const bool meets = i.what == action::collective || i.what == action::asynchronous;
            if (meets && before_[came_[i.key].item] > before_[at]) from = came_[i.key].item;
            const bool by_itself = i.what == action::asynchronous &&
                                   before_[at] + (*times_)[at] >= came_[i.key].time + of_.collectives[i.key].least;
            if (by_itself) from = at;
            if (i.what == action::work || by_itself) gains[r] += (*times_)[at] - other[at];
            if (from == at) continue;
            at = from;
            while (at < of_.begins[r] || at >= of_.begins[r + 1]) r = rank_of(at);
        }
        return gains;
    }

private:
    struct moment {
        double time = -1;
        std::size_t item = 0;
        std::uint32_t members = 0;
        std::uint32_t blocked = replayed_programs::none;  // the last rank that waits
    };
    std::size_t rank_of(std::size_t at) const {
        return static_cast<std::size_t>(std::upper_bound(of_.begins.begin(), of_.begins.end(), at) -
                                        of_.begins.begin()) -
               1;
    }
    // Does the rank's next item; false if it has to wait for another rank.
    bool step(std::size_t r) {
        const std::size_t at = at_[r];
        const item& i = of_.items[at];
        const double time = (*times_)[at];
        double& now = now_[r];
        if (!has_come_[r]) before_[at] = now;
        switch (i.what) {
        case action::work:
        case action::gap: now += time; return true;
        case action::message: {
            if (i.key != replayed_programs::none && posted_[i.key].time < 0) {
                posted_[i.key].time = now;
                posted_[i.key].item = at;
                if (waiting_[i.key] != replayed_programs::none) todo_.push_back(waiting_[i.key]);
            }
            if (i.needs != replayed_programs::none) {
                if (posted_[i.needs].time < 0) {
                    waiting_[i.needs] = static_cast<std::uint32_t>(r);
                    return false;
                }
                now = (std::max)(now, posted_[i.needs].time);
            }
            if (moves_) now += time;
            return true;
        }
        default: break;
        }
        moment& last = came_[i.key];
        const replayed_programs::collective& all = of_.collectives[i.key];
        if (!has_come_[r]) {
            ++last.members;
            if (now > last.time) {
                last.time = now;
                last.item = at;
            }
            if (last.members < all.members) {
                has_come_[r] = true;
                next_blocked_[r] = std::exchange(last.blocked, static_cast<std::uint32_t>(r));
                return false;
            }
            for (std::uint32_t other = last.blocked; other != replayed_programs::none; other = next_blocked_[other])
                todo_.push_back(other);
        } else if (last.members < all.members) {
            return false;
        }
        has_come_[r] = false;
        if (i.what == action::asynchronous) now = (std::max)(now + time, last.time + all.least);
        else now = last.time + (moves_ ? all.least : 0);
        return true;
    }

    const replayed_programs& of_;
    const std::vector<double>* times_ = nullptr;
    bool moves_ = true;
    std::vector<double> now_;                  // by rank
    std::vector<std::size_t> at_;              // by rank, its item
    std::vector<bool> has_come_;               // by rank, to the collective where it waits
    std::vector<double> before_;               // by item, when its rank came to it
    std::vector<moment> came_;                 // by collective, its last member
    std::vector<moment> posted_;               // by message
    std::vector<std::uint32_t> waiting_;       // by message, the rank that waits for it
    std::vector<std::uint32_t> next_blocked_;  // by rank, the one before it that waits in the same collective
    std::vector<std::size_t> todo_;
};

// The remedies of a run. Linear in records but for the ranks that are tried, of which there are few.
class run_replay {
    using action = replayed_programs::action;
    using step = oplog::program_step;
    using change = oplog::remedy::change;
    using words = oplog_operations<build>;

public:
    explicit run_replay(const oplog::run_answers& a) : a_(a) {
        for (const std::string& name : a_.names) kinds_.push_back(words::facts_of(name).kind);
    }
    oplog::replay_answer answer() {
        oplog::replay_answer to;
        if (a_.ranks.size() < 2) return to;
        to.reason = oplog::replay_answer::obstacle::unknown_time;
        // With all ranks of the run, a rank is its own place among them.
        if (!a_.sizes || a_.sizes->world != static_cast<std::int64_t>(a_.ranks.size()) || !a_.together ||
            a_.total.unknown > 0 || a_.lost != 0)
            return to;
        per_stage_ = a_.ranks.size() / stages();
        if (!set_messages()) return to;
        set_least_asynchronous();
        replayed_programs as_is;
        for (std::size_t n = 0; n != a_.calls.size(); ++n)
            as_is.collectives.push_back({a_.calls[n].members, (std::min)(least_[n], a_.calls[n].transfer)});
        as_is.messages = messages_;
        for (std::size_t r = 0; r != a_.ranks.size(); ++r) {
            as_is.begins.push_back(as_is.items.size());
            records_of_rank_.push_back(records_.size());
            if (!add_program(as_is, r)) return to;
        }
        as_is.begins.push_back(as_is.items.size());
        records_of_rank_.push_back(records_.size());
        records_.push_back({as_is.items.size(), operation_kind::other});
        for (const oplog::rank_answer& r : a_.ranks) to.iteration = (std::max)(to.iteration, r.account.span);
        const std::vector<double> times = as_is.times();
        replay_of_programs replay(as_is);
        const std::optional<double> replayed = replay.end(times);
        to.reason = oplog::replay_answer::obstacle::stuck;
        if (!replayed) return to;
        to.replayed = *replayed;
        to.error = to.iteration > 0 ? difference(*replayed, to.iteration) / to.iteration : 0;
        to.reason = oplog::replay_answer::obstacle::inexact;
        if (to.error > most_error) return to;
        to.reason = oplog::replay_answer::obstacle::none;
        set_peers(as_is, times);
        add_remedies(to, as_is, times, replay);
        add_twice_the_batches(to, as_is);
        sort_list(to.remedies, [](const oplog::remedy& x, const oplog::remedy& y) {
            return x.is_limit != y.is_limit ? y.is_limit : x.gain > y.gain;
        });
        return to;
    }

private:
    static constexpr double most_error = 0.05;
    static constexpr double slow_ratio = 1.05;
    static constexpr std::size_t most_tried = 8;  // ranks

    std::size_t stages() const noexcept { return static_cast<std::size_t>(a_.sizes->pipeline); }
    // The rank at the other end of a message; no rank of the run if the message is no part of a pipeline.
    std::size_t other_end(std::size_t r, const step& s) const noexcept {
        return (s.what == step::kind::receive) == s.backward ? r + per_stage_ : r - per_stage_;
    }
    static bool is_message(const step& s) noexcept { return s.what >= step::kind::send; }
    // The messages of a rank in a direction arrive in the order in which they are sent. Numbers them; false if one of
    // them has no other end.
    bool set_messages() {
        const std::size_t ranks = a_.ranks.size();
        std::vector<std::uint32_t> received(2 * ranks);
        sent_.assign(2 * ranks + 1, 0);
        for (std::size_t r = 0; r != ranks; ++r)
            for (const step& s : a_.ranks[r].program) {
                if (!is_message(s)) continue;
                const std::size_t other = other_end(r, s);
                if (other >= ranks) return false;
                if (s.what != step::kind::receive) ++sent_[2 * r + s.backward + 1];
                if (s.what != step::kind::send) ++received[2 * other + (s.backward == (s.what == step::kind::receive))];
            }
        for (std::size_t n = 0; n != received.size(); ++n) {
            if (received[n] != sent_[n + 1]) return false;
            sent_[n + 1] += sent_[n];
        }
        messages_ = sent_.back();
        received_.assign(sent_.begin(), sent_.end() - 1);
        next_sent_ = received_;
        return true;
    }
    // An asynchronous call needs what a blocking one of its kind and size needs at least.
    void set_least_asynchronous() {
        ordered_map<std::pair<std::uint32_t, std::int64_t>, double> alike;
        const auto take = [](double& least, double v) { least = (std::min)(least, v); };
        for (const oplog::rank_answer& r : a_.ranks)
            for (const step& s : r.program)
                if (s.what == step::kind::collective && s.call != step::no_call)
                    take(alike.try_emplace({s.group, s.bytes}, s.duration).first->second, s.duration);
        least_.assign(a_.calls.size(), (std::numeric_limits<double>::max)());
        for (const oplog::rank_answer& r : a_.ranks)
            for (const step& s : r.program) {
                if (s.call == step::no_call || s.what == step::kind::collective) continue;
                double& least = least_[s.call];  // of one that does not block, transfer says nothing
                take(least, s.duration);
                if (const auto at = alike.find(std::make_pair(s.group, s.bytes)); at != alike.end())
                    take(least, at->second);
                if (s.what == step::kind::work) least = 0;  // what optimizer_step hides
            }
    }
    // False if something of it is not known.
    bool add_program(replayed_programs& to, std::size_t r) {
        double gone = 0;    // until here all is an item
        double end = 0;     // of the record
        bool open = false;  // whether it is work, of which a part may be left
        const auto close = [&] {
            if (open) to.add(action::work, end - gone);
            open = false;
        };
        for (const step& s : a_.ranks[r].program) {
            if (s.nested) {
                if (s.alone) continue;
                if (s.call == step::no_call) return false;
                to.add(action::work, s.start - gone);
                gone = s.start + s.duration;
                if (s.what == step::kind::asynchronous) to.add(action::asynchronous, s.duration - s.waiting, s.call);
                else to.add(action::collective, 0, s.call);
                continue;
            }
            close();
            records_.push_back({to.items.size(), kinds_[s.operation]});
            to.add(action::gap, s.start - end);
            gone = s.start;
            end = s.start + s.duration;
            if (is_message(s)) {
                const std::size_t from = 2 * other_end(r, s) + (s.backward == (s.what == step::kind::receive));
                to.add(action::message, s.transfer,
                       s.what != step::kind::receive ? next_sent_[2 * r + s.backward]++ : replayed_programs::none,
                       s.what != step::kind::send ? received_[from]++ : replayed_programs::none);
                gone = end;
                continue;
            }
            if (s.alone && s.what == step::kind::collective) {
                to.add(action::work, s.duration);
                gone = end;
                continue;
            }
            if (s.call != step::no_call) {
                to.add(action::collective, 0, s.call);
                gone = s.what == step::kind::work ? s.start + s.waiting : end;
            } else if (s.what == step::kind::collective) {
                return false;
            }
            open = s.what == step::kind::work;
        }
        close();
        return true;
    }

    static bool is_work(const replayed_programs::item& i) noexcept {
        return i.what == action::work || i.what == action::asynchronous;
    }
    // What each item would take if its rank worked as the others of its stage do. Where their programs differ, items
    // take as much less as all work of the rank does.
    void set_peers(const replayed_programs& of, const std::vector<double>& times) {
        peers_ = means_ = times;
        std::vector<double> column(per_stage_);
        for (std::size_t from = 0; from != of.ranks(); from += per_stage_) {
            const std::size_t end = from + per_stage_;
            const std::size_t first = of.begins[from];
            const std::size_t count = of.begins[from + 1] - first;
            bool same = true;
            for (std::size_t r = from; same && r != end; ++r) {
                same = of.begins[r + 1] - of.begins[r] == count;
                for (std::size_t n = 0; same && n != count; ++n)
                    same = of.items[of.begins[r] + n].what == of.items[first + n].what;
            }
            for (std::size_t n = 0; same && n != count; ++n) {
                if (!is_work(of.items[first + n])) continue;
                double sum = 0;
                for (std::size_t r = from; r != end; ++r) sum += column[r - from] = times[of.begins[r] + n];
                const auto middle = column.begin() + static_cast<std::ptrdiff_t>((per_stage_ - 1) / 2);
                std::nth_element(column.begin(), middle, column.end());
                for (std::size_t r = from; r != end; ++r) {
                    peers_[of.begins[r] + n] = (std::min)(times[of.begins[r] + n], *middle);
                    means_[of.begins[r] + n] = sum / static_cast<double>(per_stage_);
                }
            }
            for (std::size_t r = from; !same && r != end; ++r) {
                const oplog::rank_answer& one = a_.ranks[r];
                if (!(one.excess > 0) || !(one.account.work > 0)) continue;
                for (std::size_t n = of.begins[r]; n != of.begins[r + 1]; ++n)
                    if (is_work(of.items[n])) peers_[n] *= (one.account.work - one.excess) / one.account.work;
            }
        }
    }
    void add_remedies(oplog::replay_answer& to, const replayed_programs& of, const std::vector<double>& times,
                      replay_of_programs& replay) const {
        const auto gain_of = [&](const std::vector<double>& changed, bool moves = true) {
            return to.replayed - replay.end(changed, moves).value_or(to.replayed);
        };
        const auto add = [&](change what, double gain, bool is_limit = false,
                             std::optional<std::int64_t> rank = std::nullopt) {
            to.remedies.push_back({what, is_limit, rank, gain});
        };
        // The ranks that have more work than their peers, those first that may gain the most.
        const std::vector<double> most = replay.most_gains(peers_);
        std::vector<std::size_t> slow;
        for (std::size_t r = 0; r != a_.ranks.size(); ++r)
            if (a_.ranks[r].ratio > slow_ratio && per_stage_ > 1) slow.push_back(r);
        sort_list(slow, [&](std::size_t x, std::size_t y) { return most[x] > most[y]; });
        std::vector<double> changed = times;
        const auto copy = [&](const std::vector<double>& from, std::size_t r) {
            std::copy(from.begin() + static_cast<std::ptrdiff_t>(of.begins[r]),
                      from.begin() + static_cast<std::ptrdiff_t>(of.begins[r + 1]),
                      changed.begin() + static_cast<std::ptrdiff_t>(of.begins[r]));
        };
        std::optional<std::size_t> best;
        double best_gain = 0;
        for (std::size_t n = 0; n != (std::min)(slow.size(), most_tried); ++n) {
            if (best && most[slow[n]] <= best_gain) break;
            copy(peers_, slow[n]);
            const double gain = gain_of(changed);
            copy(times, slow[n]);
            if (best && gain <= best_gain) continue;
            best = slow[n];
            best_gain = gain;
        }
        if (best) add(change::rank_as_peers, best_gain, false, a_.ranks[*best].rank);
        if (slow.size() > 1) {
            for (const std::size_t r : slow) copy(peers_, r);
            add(change::all_ranks_as_peers, gain_of(changed), true);
        }
        if (per_stage_ > 1) add(change::even_work_in_stages, gain_of(means_));
        if (stages() > 1) {
            std::vector<double> work(stages());
            for (std::size_t r = 0; r != of.ranks(); ++r) work[r / per_stage_] += a_.ranks[r].account.work;
            const double mean = a_.total.work / static_cast<double>(stages());
            changed = times;
            for (std::size_t r = 0; r != of.ranks(); ++r)
                for (std::size_t n = of.begins[r]; n != of.begins[r + 1]; ++n)
                    if (is_work(of.items[n]) && work[r / per_stage_] > 0) changed[n] *= mean / work[r / per_stage_];
            add(change::even_stages, gain_of(changed));
        }
        changed = times;
        for (std::size_t n = 0; n != changed.size(); ++n)
            if (of.items[n].what == action::gap) changed[n] = 0;
        add(change::no_gaps, gain_of(changed));
        add(change::no_transfer, gain_of(times, false), true);
    }

    // The pieces of a rank's pipeline: for each micro-batch the items of its forward and its backward pass; and what is
    // before and after all of them.
    struct pieces {
        using range = std::pair<std::size_t, std::size_t>;
        std::vector<std::vector<range>> passes[2];
        range head{};
        range tail{};
        double gap = 0;
    };
    pieces pieces_of(const replayed_programs& of, std::size_t r) const {
        pieces to;
        std::vector<double> gaps;
        std::size_t first = records_of_rank_[r + 1];
        std::size_t end = first;
        std::size_t steps[2] = {};
        for (std::size_t n = records_of_rank_[r]; n != records_of_rank_[r + 1]; ++n) {
            const operation_kind kind = records_[n].kind;
            gaps.push_back(of.items[records_[n].begin].time);
            const bool is_step = kind >= operation_kind::input && kind <= operation_kind::backward;
            if (!is_step && kind < operation_kind::send) continue;
            first = (std::min)(first, n);
            end = n + 1;
            if (!is_step) continue;
            // What comes before a forward step belongs to it, and so does its loss.
            const bool backward = kind == operation_kind::backward;
            auto& passes = to.passes[backward];
            std::size_t& done = steps[backward];
            const std::size_t batch = kind == operation_kind::loss && done != 0 ? done - 1 : done;
            if (kind == operation_kind::forward || backward) ++done;
            if (batch == passes.size()) passes.emplace_back();
            passes[batch].emplace_back(records_[n].begin + 1, records_[n + 1].begin);
        }
        to.head = {of.begins[r], records_[first].begin};
        to.tail = {records_[end].begin, of.begins[r + 1]};
        to.gap = gaps.empty() ? 0 : low_median(std::move(gaps));
        return to;
    }
    // The run with so many micro-batches, one forward and one backward pass in turn. The m that were traced come again
    // and again.
    replayed_programs with_batches(const replayed_programs& of, const std::vector<pieces>& all,
                                   std::size_t count) const {
        replayed_programs to;
        const std::size_t traced = all[0].passes[0].size();
        for (std::size_t n = 0; n < count; n += traced)
            to.collectives.insert(to.collectives.end(), of.collectives.begin(), of.collectives.end());
        to.messages = static_cast<std::uint32_t>(2 * of.ranks() * count);
        double floor = 0;
        for (const auto& [bytes, least] : a_.message_floors) floor = (std::max)(floor, least);
        for (std::size_t r = 0; r != of.ranks(); ++r) {
            to.begins.push_back(to.items.size());
            const std::size_t stage = r / per_stage_;
            const auto copy = [&](typename pieces::range of_items, std::size_t turn) {
                for (std::size_t n = of_items.first; n != of_items.second; ++n) {
                    to.items.push_back(of.items[n]);
                    const action what = of.items[n].what;
                    if (what == action::collective || what == action::asynchronous)
                        to.items.back().key += static_cast<std::uint32_t>(turn * of.collectives.size());
                }
            };
            const auto message = [&](bool backward, std::size_t batch, std::size_t from) {
                const auto id = static_cast<std::uint32_t>((2 * from + backward) * count + batch);
                to.add(action::message, floor, from == r ? id : replayed_programs::none,
                       from == r ? replayed_programs::none : id);
                to.add(action::gap, all[r].gap);
            };
            const auto pass = [&](bool backward, std::size_t batch) {
                const bool is_first = stage == (backward ? stages() - 1 : 0);
                const bool is_last = stage == (backward ? 0 : stages() - 1);
                if (!is_first) message(backward, batch, backward ? r + per_stage_ : r - per_stage_);
                for (const auto& items : all[r].passes[backward][batch % traced]) copy(items, batch / traced);
                to.add(action::gap, all[r].gap);
                if (!is_last) message(backward, batch, r);
            };
            copy(all[r].head, 0);
            const std::size_t ahead = (std::min)(count, stages() - 1 - stage);
            for (std::size_t n = 0; n != ahead; ++n) pass(false, n);
            for (std::size_t n = 0; n != count; ++n) {
                if (ahead + n < count) pass(false, ahead + n);
                pass(true, n);
            }
            copy(all[r].tail, 0);
        }
        to.begins.push_back(to.items.size());
        return to;
    }
    // Only where the schedule is one forward and one backward pass in turn: rebuilt from its pieces, the run takes as
    // long.
    void add_twice_the_batches(oplog::replay_answer& to, const replayed_programs& of) const {
        if (stages() < 2) return;
        std::vector<pieces> all;
        for (std::size_t r = 0; r != of.ranks(); ++r) {
            all.push_back(pieces_of(of, r));
            const std::size_t count = all[0].passes[0].size();
            if (count == 0 || all[r].passes[0].size() != count || all[r].passes[1].size() != count) return;
        }
        const auto end_with = [&](std::size_t count) {
            const replayed_programs changed = with_batches(of, all, count);
            return replay_of_programs(changed).end(changed.times());
        };
        const std::size_t count = all[0].passes[0].size();
        const std::optional<double> once = end_with(count);
        const std::optional<double> twice = end_with(2 * count);
        if (!once || !twice || difference(*once, to.replayed) > most_error * to.replayed) return;
        to.remedies.push_back(
            {change::twice_the_micro_batches, false, std::nullopt, to.replayed - (to.replayed + *twice - *once) / 2});
    }
    static double difference(double x, double y) noexcept { return x > y ? x - y : y - x; }
    const oplog::run_answers& a_;
    std::size_t per_stage_ = 1;          // ranks of a stage
    std::vector<operation_kind> kinds_;  // by name
    std::vector<std::uint32_t> sent_;    // by rank and direction, the first message
    std::vector<std::uint32_t> next_sent_;
    std::vector<std::uint32_t> received_;
    std::uint32_t messages_ = 0;
    struct record_items {
        std::size_t begin;  // its gap; its other items end where those of the next record begin
        operation_kind kind;
    };
    std::vector<record_items> records_;         // of all ranks
    std::vector<std::size_t> records_of_rank_;  // where those of each rank begin, and the end
    std::vector<double> peers_;  // by item: at most the lower median of the item over the ranks of the stage
    std::vector<double> means_;  // by item: the mean over them
    std::vector<double> least_;  // by call, of those that do not block
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
