// Completes the log of a rank with the records that it lacks, in each of the ways that are furthest apart.
#ifndef WLFMT_ANALYSIS_ANSWERS_COMPLETION_HPP
#define WLFMT_ANALYSIS_ANSWERS_COMPLETION_HPP

#include <algorithm>
#include <map>

#include "../library.hpp"
#include "rank.hpp"

namespace wlfmt::analysis {

// A row of records between two of a rank's, of which other ranks of its stage show what they were. The members of their
// blocking calls show when these ended; between these times, the row's time is gaps, work, and waiting.
class completed_log {
    using step = program_step;

public:
    // What no piece needs is in pieces of the kind that comes first here of those that there are: in the first one, the
    // last one, or as much in each; before a blocking call that may be its waiting, too. `is_least`: there, the rank
    // has the least work with which it and no other member can have been what the call waited for, and the call
    // transfers nothing: its members leave it no earlier, whatever changes.
    enum class piece : std::uint8_t { gap, work, wait };
    enum class place : std::uint8_t { first, last, each };
    struct division {
        piece order[2];
        place where;
        bool is_least;
    };
    // Each with `is_least` follows the same without.
    static constexpr division divisions[] = {
        {{piece::gap, piece::work}, place::first, false},  {{piece::gap, piece::work}, place::first, true},
        {{piece::gap, piece::work}, place::last, false},   {{piece::gap, piece::work}, place::last, true},
        {{piece::gap, piece::work}, place::each, false},   {{piece::gap, piece::wait}, place::first, false},
        {{piece::work, piece::gap}, place::first, false},  {{piece::work, piece::gap}, place::first, true},
        {{piece::wait, piece::work}, place::first, false}, {{piece::wait, piece::work}, place::first, true}};

    // A call that the rank lacks: its transfer is `least`, and `last` is when the last member came, by the rank's
    // clock.
    struct call {
        double least = bounded::unlimited;
        double last = -bounded::unlimited;
    };
    static constexpr std::size_t no_rank = (std::numeric_limits<std::size_t>::max)();
    std::size_t rank = no_rank;
    std::vector<step> program;
    std::map<std::uint32_t, call> joined;  // by their positions in run_answers::calls
    std::size_t longest_pieces = 0;        // how many could be the longest

    explicit completed_log(const run_answers& a) : a_(a) {}
    // False if what is missing is not a single row. `moves`: messages take as long as they can.
    bool complete(const division& how, bool moves) {
        if (!add_row(moves)) return false;
        divide(how);
        return true;
    }
    // Puts the row back with all of its time in one piece, or, without a piece, with none: what never falls with a
    // piece's time is no less without any, and what is convex in all is no more than with the one where it is greatest.
    // `share`: what the row's rank has left of it, at least, wherever the time was.
    bool enclose(std::optional<std::size_t> longest, double share) {
        if (!add_row(longest.has_value())) return false;
        const double room = end_ - now_;
        const bool is_silent = std::all_of(program.begin() + static_cast<std::ptrdiff_t>(row_.begin),
                                           program.begin() + static_cast<std::ptrdiff_t>(row_.end),
                                           [](const step& s) { return s.call == step::no_call && !is_message(s); });
        for (const interval& i : intervals_) {
            double time = i.kind == piece::wait         ? is_message(program[i.step]) ? i.least : 0
                          : longest == longest_pieces++ ? room
                                                        : 0;
            if (i.step == row_.end) {
                gap_after_ = !longest && is_silent ? room * share : time;
                continue;
            }
            now_ += time;
            step& own = program[i.step];
            if (i.is_end) own.duration = now_ - own.start;
            else own.start = now_;
            own.waiting = bounded();
        }
        if (!longest)
            for (auto& one : joined) one.second.least = 0;
        return true;
    }
    // All that is missing together took no longer, nor did the gaps around it.
    double time() const { return a_.missing_records[0].most; }
    // The gap before the record at this place in the rank's program.
    double gap_before(std::size_t r, std::size_t step_place, double end) const {
        if (gap_after_ && r == rank && step_place == row_.end) return *gap_after_;
        return (std::max)(0.0, (r == rank ? program : a_.ranks[r].program)[step_place].start - end);
    }
    // Whether the gap before the record at this place in the rank's program may have another length, as a missing
    // record is beside it.
    bool is_open(std::size_t r, std::size_t step_place) const {
        return r == rank && row_.begin <= step_place && step_place <= row_.end;
    }
    // How long a member of a call, of any rank, waited in it.
    bounded waiting(std::size_t r, const step& s) const {
        const auto at = joined.find(s.call);
        if (at == joined.end() || gap_after_ || !is_comparable(r)) return s.waiting;
        return bounded(
            (std::max)(0.0, (std::min)(s.duration - at->second.least, at->second.last - s.start - ahead_of(r))));
    }

private:
    bool add_row(bool moves) {
        if (a_.missing_records.empty() || a_.missing_records.size() != a_.lost || a_.contradictions != 0 ||
            !a_.doubtful_times.empty())
            return false;
        const missing_record& first = a_.missing_records[0];
        rank = first.rank;
        program = a_.ranks[rank].program;
        const auto at =
            std::find_if(program.begin(), program.end(), [&](const step& s) { return s.record >= first.before; });
        if (at == program.begin() || at == program.end()) return false;
        const auto last =
            std::find_if(std::make_reverse_iterator(at), program.rend(), [](const step& s) { return !s.nested; });
        now_ = last->start + last->duration;
        end_ = at->start;
        if (std::fabs(end_ - now_ - first.most) > 1e-3) return false;
        std::vector<step> added;
        for (const missing_record& m : a_.missing_records) {
            if (m.rank != first.rank || m.before != first.before) return false;
            const std::vector<step>& owner = a_.ranks[m.owner].program;
            std::size_t n = m.step;
            do
                if (!owner[n].nested || !owner[n].alone) added.push_back(owner[n]);
            while (++n != owner.size() && owner[n].nested);
        }
        row_.begin = static_cast<std::size_t>(at - program.begin());
        row_.end = row_.begin + added.size();
        program.insert(at, added.begin(), added.end());
        for (std::size_t n = row_.begin; n != row_.end;) {
            const std::size_t record = n;
            intervals_.push_back({piece::gap, record, false});
            for (++n; n != row_.end && program[n].nested; ++n) {
                intervals_.push_back({piece::work, n, false});
                if (!add_end(n, moves)) return false;
            }
            if (!add_end(record, moves)) return false;
        }
        intervals_.push_back({piece::gap, row_.end, false, 0, end_});
        return true;
    }
    // A piece of time, and the step that begins or ends after it, within limits.
    struct interval {
        piece kind = piece::gap;
        std::size_t step = 0;
        bool is_end = true;
        double least = 0;  // how long it takes if it moves bytes
        double at = bounded::unlimited;
        double no_earlier = -bounded::unlimited;
        double no_later = bounded::unlimited;
    };
    bool is_comparable(std::size_t r) const { return a_.ranks[r].aligned == a_.ranks[rank].aligned; }
    // How much later the times of a rank begin than those of the rank whose log is completed.
    double ahead_of(std::size_t r) const {
        const auto begin = [](const rank_answer& one) { return one.begin - one.clock_ahead; };
        return r == rank ? 0 : begin(a_.ranks[r]) - begin(a_.ranks[rank]);
    }
    // Adds the time before the end of a step. False if it is a call that no other member of its group has.
    bool add_end(std::size_t n, bool moves) {
        step& own = program[n];
        interval last{piece::work, n};
        if (is_message(own)) {
            last.kind = piece::wait;
            for (const auto& [bytes, least] : a_.message_floors)
                if (moves && bytes == static_cast<double>(known_bytes(own))) last.least = least.at_most();
            if (const step* const sent = other_end(n, false, last.no_earlier); sent != nullptr)
                last.no_earlier += sent->start + last.least;
            double& begin = intervals_.back().no_later;
            if (const step* const received = other_end(n, true, begin); received != nullptr)
                begin += received->start + received->duration - last.least;
        } else if (own.call != step::no_call) {
            if (!join_call(own)) return false;
            if (own.what == step::kind::collective) last.kind = piece::wait;
            add_members(own, last);
        }
        intervals_.push_back(last);
        return true;
    }
    // The other end of a message that a step sends or receives, and how much later its rank's times begin.
    const step* other_end(std::size_t n, bool sends, double& ahead) const {
        const step& own = program[n];
        if (own.what == (sends ? step::kind::receive : step::kind::send)) return nullptr;
        const bool is_to_next = is_to_next_stage(own);
        const auto per_stage = static_cast<std::size_t>(a_.sizes->world / a_.sizes->pipeline);
        const std::size_t other =
            (is_to_next ? rank + per_stage : rank + a_.ranks.size() - per_stage) % a_.ranks.size();
        if (!is_comparable(other) || a_.ranks[other].clock != a_.ranks[rank].clock) return nullptr;
        // The n-th message that a rank sends is the n-th that the other one receives.
        const bool backward = (own.what == step::kind::receive) == sends ? !own.backward : own.backward;
        const auto is_one = [&](const step& s, bool sent) {
            if (!is_message(s)) return false;
            if (s.what == step::kind::exchange) return (s.backward == backward) == sent;
            return s.backward == backward && (s.what == step::kind::send) == sent;
        };
        std::size_t before = 0;
        for (std::size_t k = 0; k != n; ++k) before += is_one(program[k], sends) ? 1U : 0U;
        for (const step& s : a_.ranks[other].program)
            if (is_one(s, !sends) && before-- == 0) {
                ahead = ahead_of(other);
                return &s;
            }
        return nullptr;
    }
    // Makes the rank a member of the first such call of its group that it is not a member of.
    bool join_call(step& own) {
        for (std::uint32_t n = 0; n != a_.calls.size(); ++n) {
            const group_call& one = a_.calls[n];
            const group_of_ranks& group = a_.groups_of_ranks[one.group];
            if (one.members == 0 || one.members + joined.count(n) == static_cast<std::size_t>(group.size)) continue;
            const call_member& member = a_.members[one.first_member];
            const step& other = a_.ranks[member.rank].program[member.step];
            if (other.group != own.group || other.operation != own.operation || other.batch != own.batch ||
                other.function != own.function || other.what != own.what ||
                !std::binary_search(group.ranks.begin(), group.ranks.end(), a_.ranks[rank].rank))
                continue;
            joined[n] = {};
            own.call = n;
            return true;
        }
        return false;
    }
    // Members leave a blocking call together, and any other one after the last of them has come: those whose clocks can
    // be compared show when.
    void add_members(const step& own, interval& last) {
        const group_call& one = a_.calls[own.call];
        call& members = joined[own.call];
        for (std::uint32_t n = 0; n != one.members; ++n) {
            const call_member& member = a_.members[one.first_member + n];
            const step& same = a_.ranks[member.rank].program[member.step];
            members.least = (std::min)(members.least, same.duration);
            if (!is_comparable(member.rank)) continue;
            const double start = same.start + ahead_of(member.rank);
            members.last = (std::max)(members.last, start);
            double& end = last.kind == piece::wait ? last.at : intervals_.back().no_later;
            end = (std::min)(end, start + same.duration);
        }
        (last.kind == piece::wait ? last.least : last.no_earlier) =
            (last.kind == piece::wait ? members.least : members.last);
    }
    // Divides the time up to each piece whose end is known.
    void divide(const division& how) {
        for (std::size_t begin = 0; begin != intervals_.size();) {
            std::size_t end = begin;
            while (!(intervals_[end].at < bounded::unlimited)) ++end;
            ++end;
            const double until = (std::max)(now_, (std::min)(intervals_[end - 1].at, end_));
            const bool is_call = end != intervals_.size();
            const bool is_least = is_call && how.is_least;
            const std::size_t chosen = is_least ? end - 1 : chosen_of(begin, end, how);
            // Together, the work before a call and its transfer take as long as the quickest other member.
            if (is_least) std::swap(intervals_[end - 1].least, intervals_[end - 2].least);
            std::vector<double> latest(end - begin, until);  // when each piece can end
            for (std::size_t n = end - 1; n != begin; --n)
                latest[n - 1 - begin] = (std::min)(latest[n - begin] - intervals_[n].least, intervals_[n - 1].no_later);
            double part = until - now_;  // of each piece like the chosen one
            double pieces = 0;
            for (std::size_t n = begin; n != end; ++n) {
                part -= intervals_[n].least;
                pieces += intervals_[n].kind == intervals_[chosen].kind ? 1 : 0;
            }
            part = how.where == place::each ? part / pieces : 0;
            for (std::size_t n = begin; n != end; ++n) {
                const interval& i = intervals_[n];
                double next = (std::max)(now_ + i.least, i.no_earlier);
                const bool is_like = how.where != place::last && i.kind == intervals_[chosen].kind;
                if (part > 0 && is_like) next += part;
                else if (n == chosen || is_like) next = latest[n - begin];
                now_ = n + 1 == end ? until : (std::max)(now_, (std::min)(next, latest[n - begin]));
                if (i.step != row_.end) set_time(program[i.step], i, is_least, until);
            }
            begin = end;
        }
    }
    std::size_t chosen_of(std::size_t begin, std::size_t end, const division& how) const {
        for (const piece kind : {how.order[0], how.order[1], piece::gap, piece::work})
            for (std::size_t n = begin; n != end; ++n) {
                const std::size_t at = how.where == place::last ? end - 1 - (n - begin) : n;
                if (intervals_[at].kind == kind) return at;
            }
        return begin;
    }
    void set_time(step& own, const interval& i, bool is_least, double until) {
        if (!i.is_end) own.start = now_;
        if (!i.is_end) return;
        own.duration = now_ - own.start;
        if (is_message(own)) own.waiting = bounded::between((std::max)(0.0, own.duration - i.least), own.duration);
        if (own.call == step::no_call) return;
        call& members = joined[own.call];
        members.least = is_least ? 0 : (std::min)(members.least, own.duration);
        if (is_least) members.last = (std::max)(members.last, until);
    }

    const run_answers& a_;
    step_range row_;  // the steps of the program that were missing
    std::vector<interval> intervals_;
    double now_ = 0;
    double end_ = 0;                   // of the time that is divided
    std::optional<double> gap_after_;  // the row, if it is put back with all of its time in one piece
};

}  // namespace wlfmt::analysis

#endif
