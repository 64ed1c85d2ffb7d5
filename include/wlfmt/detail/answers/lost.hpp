// The records that ranks lack and others have.
#ifndef WLFMT_DETAIL_ANSWERS_LOST_HPP
#define WLFMT_DETAIL_ANSWERS_LOST_HPP

#include "rank.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct lost_record : lacked_step {
    std::optional<std::uint64_t> before = {};  // missing_call::before
    bool is_untimed = false;                   // the record is there but has no time
    bool may_be_untimed = false;               // the rank has such records, of which this may be one
    std::optional<std::size_t> half = {};      // the step of the rank's program that is half of this exchange
    bool is_message = false;                   // `step` is the other end of what the rank lacks
    std::optional<std::int64_t> batch = {};    // the micro-batch, if not that of `step`
    // Its effect on where the rank begins and ends, and on its gaps, one of which it was in.
    oplog::limit span = oplog::limit::exact;
    oplog::limit gaps = oplog::limit::exact;
    oplog::limit pipeline_span = oplog::limit::exact;
    oplog::limit first_forward = oplog::limit::exact;
    // How long that gap is, less the records in it that are not compared; of several records in one gap, of the first.
    double room = 0;
    bool is_place_known = true;
};

// The ranks of a stage have one program: what at least half of them have, the others lack. A stage's only rank is
// compared with the other stages in what every stage does. Linear in records.
class lost_records {
    using limit = oplog::limit;
    using step = oplog::program_step;

public:
    lost_records(const std::vector<analysed_rank>& ranks, const std::vector<operation_facts>& facts,
                 const oplog::run_answers& answers)
        : ranks_(ranks),
          facts_(facts),
          embedding_(number_in(answers.names, oplog_operations::embedding)),
          data_(number_in(answers.names, oplog_operations::word_of(oplog::group::data_parallel))),
          is_interleaved_(answers.interleaved),
          is_one_iteration_(answers.iterations == 1),
          stages_(answers.sizes ? answers.sizes->pipeline : 0),
          per_stage_(answers.sizes ? answers.sizes->world / answers.sizes->pipeline : 0) {}

    std::vector<lost_record> find() {
        ordered_map<std::int64_t, std::vector<std::size_t>> by_stage;
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            if (ranks_[n].sums->stage != no_number) by_stage[ranks_[n].sums->stage].push_back(n);
        std::vector<std::pair<std::int64_t, std::size_t>> typical;  // each stage with a typical rank
        bool any_alone = false;
        for (const auto& [stage, members] : by_stage) {
            any_alone = any_alone || members.size() == 1;
            typical.emplace_back(stage, compare(members));
        }
        if (any_alone && typical.size() > 1) compare_stages(typical, by_stage);
        ordered_map<std::int64_t, std::int64_t> batches;  // how often any rank has the forward step of each
        for (const auto& [stage, rank] : typical) {
            ordered_map<std::int64_t, std::int64_t> own;
            for (const step& s : ranks_[rank].program)
                if (!s.nested && facts_[s.operation].kind == operation_kind::forward)
                    batches[s.batch] = (std::max)(batches[s.batch], ++own[s.batch]);
        }
        for (const auto& [stage, members] : by_stage) {
            if (members.size() != 1) continue;
            compare_batches(members[0], batches);
            if (per_stage_ > 0) compare_messages(members[0]);
        }
        return std::move(found_);
    }

private:
    static constexpr std::size_t max_named = lacked_step::max_named;
    static constexpr std::size_t most_lost = 64;  // the longest row of lost records that is found

    // A rank's records that are compared, as places in its program: one that was written twice counts once; operations
    // that are unknown, which may differ within a stage, do not count.
    std::vector<std::size_t> records_of(std::size_t rank) const {
        std::vector<std::size_t> records;
        const std::vector<step>& program = ranks_[rank].program;
        for (std::size_t n = 0; n != program.size(); ++n) {
            const step& own = program[n];
            if (own.nested || facts_[own.operation].kind == operation_kind::other) continue;
            if (!records.empty() && are_alike(program[records.back()], own) &&
                program[records.back()].start == own.start && program[records.back()].duration == own.duration)
                continue;
            records.push_back(n);
        }
        return records;
    }
    // An exchange with one lost half counts as present. Its micro-batch is that of its send, which is written first;
    // what it receives at the same time goes the other way: forward, it is of a later micro-batch, backward, of no
    // later one.
    bool are_alike(const step& a, const step& b) const noexcept {
        if (a.operation == b.operation) return a.batch == b.batch;
        const auto is_half = [&](const step& half, const step& whole) {
            if (whole.what != step::kind::exchange || half.what == step::kind::exchange ||
                !facts_[half.operation].between_stages ||
                (half.what == step::kind::send) != (half.backward == whole.backward))
                return false;
            return half.what == step::kind::send ? half.batch == whole.batch
                   : half.backward               ? half.batch <= whole.batch
                                                 : half.batch > whole.batch;
        };
        return is_half(a, b) || is_half(b, a);
    }
    // Finds what the ranks of a stage lack. Returns a rank that has the most common program; of several, the longest.
    std::size_t compare(const std::vector<std::size_t>& members) {
        // The ranks that have a program, by its operations and micro-batches.
        ordered_map<std::vector<std::int64_t>, std::vector<std::size_t>> programs;
        for (const std::size_t n : members) {
            std::vector<std::int64_t> program;
            for (const std::size_t k : records_of(n)) {
                const step& own = ranks_[n].program[k];
                program.insert(program.end(), {own.operation, own.batch});
                // It is longer than one that lacks half of it.
                if (own.what == step::kind::exchange) program.push_back(own.batch);
            }
            programs[std::move(program)].push_back(n);
        }
        const auto* commonest = &*programs.begin();
        for (const auto& candidate : programs) {
            const auto& [program, ranks] = candidate;
            if (ranks.size() != commonest->second.size()    ? ranks.size() > commonest->second.size()
                : program.size() != commonest->first.size() ? program.size() > commonest->first.size()
                                                            : ranks[0] < commonest->second[0])
                commonest = &candidate;
        }
        const std::size_t typical = commonest->second[0];
        const std::vector<std::size_t> records = records_of(typical);
        lacks_.clear();
        for (const auto& program : programs)
            for (const std::size_t n : program.second)
                if (&program != commonest) compare(typical, records, n, records_of(n));
        sort_list(lacks_, [](const lost_record& a, const lost_record& b) { return a.rank < b.rank; });
        ordered_map<std::size_t, std::vector<std::size_t>> lacking;  // the ranks that lack each step, ascending
        for (const lost_record& lost : lacks_) lacking[lost.step].push_back(lost.rank);
        for (lost_record& lost : lacks_) {
            const std::vector<std::size_t>& without = lacking[lost.step];
            // What few ranks have was more likely added there than lost by the others.
            if (2 * without.size() > members.size()) continue;
            for (std::size_t k = 0; k != members.size() && lost.have.size() != max_named; ++k)
                if (!std::binary_search(without.begin(), without.end(), members[k])) lost.have.push_back(members[k]);
            found_.push_back(std::move(lost));
        }
        return typical;
    }
    // What a place between a rank's records is, in its iteration, which ends with the optimizer's step.
    enum place_kind : unsigned {
        at_edge = 1,           // before all records of the log, or after them
        inside = 2,            // not at an edge
        at_begin = 4,          // nothing of the iteration comes before it
        before_forward = 8,    // before the first forward step
        without_forward = 16,  // there is no forward step
        after_last_backward = 32
    };
    // The places before each of `own`, the rank's records, and after the last one.
    std::vector<unsigned> places_of(std::size_t rank, const std::vector<std::size_t>& own) const {
        std::vector<unsigned> places(own.size() + 1);
        const auto kind_of = [&](std::size_t n) { return facts_[ranks_[rank].program[own[n]].operation].kind; };
        bool has_forward = false;
        for (std::size_t n = 0; n != places.size(); ++n) {
            places[n] = n == 0 || n == own.size() ? at_edge : inside;
            if (n == 0 || kind_of(n - 1) == operation_kind::optimizer) {
                places[n] |= at_begin;
                has_forward = false;
            } else if (kind_of(n - 1) == operation_kind::forward) {
                has_forward = true;
            }
            if (!has_forward) places[n] |= without_forward;
        }
        unsigned after = after_last_backward;
        for (std::size_t n = places.size(); n-- != 0;) {
            if (n != own.size()) {
                if (kind_of(n) == operation_kind::optimizer) after = after_last_backward;
                if (kind_of(n) == operation_kind::backward) after &= ~unsigned{after_last_backward};
                if (kind_of(n) == operation_kind::forward) after |= before_forward;
            }
            if ((places[n] & without_forward) != 0 && (after & before_forward) != 0)
                places[n] ^= without_forward | before_forward;
            places[n] |= after & after_last_backward;
        }
        return places;
    }
    // A record is lost at one of some places.
    void set_effect(lost_record& lost, operation_kind kind, unsigned places) const {
        const auto is_at = [places](place_kind p) { return (places & p) != 0; };
        if (is_at(at_edge)) limit_to(lost.span, limit::least);
        if (is_at(at_edge)) limit_to(lost.gaps, limit::least);
        if (is_at(inside)) limit_to(lost.gaps, limit::most);
        const bool ends = kind == operation_kind::backward && is_at(after_last_backward);
        if (is_at(at_begin) || ends) limit_to(lost.pipeline_span, limit::least);
        if (kind != operation_kind::forward) {
            if (is_at(at_begin)) limit_to(lost.first_forward, limit::least);
        } else {
            if (is_at(before_forward)) limit_to(lost.first_forward, limit::most);
            if (is_at(without_forward)) limit_to(lost.first_forward, limit::least);
        }
        // Without its end, two iterations are one.
        if (kind == operation_kind::optimizer && !is_one_iteration_)
            lost.pipeline_span = lost.first_forward = limit::either;
    }
    // Finds what `owner` has and `rank` lacks: after a difference they go on at the nearest record that both have.
    void compare(std::size_t owner, const std::vector<std::size_t>& records, std::size_t rank,
                 const std::vector<std::size_t>& own) {
        const std::vector<step>& a = ranks_[owner].program;
        const std::vector<step>& b = ranks_[rank].program;
        const kept_program& kept = *ranks_[rank].sums->program;
        const std::vector<unsigned> places = places_of(rank, own);
        std::size_t j = 0;
        std::size_t last_gap = 0;  // the gap before this record holds what was found last
        std::size_t counted = 0;   // how many of `own` are in `counts`
        ordered_map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> counts;  // keys: operation and micro-batch
        // A record without a time is no step, but has a number: there is one beside the half of an exchange.
        const auto has_untimed_beside = [&](std::size_t n) {
            const std::uint64_t before = n == 0 ? 0 : b[own[n - 1]].record + 1;
            const std::uint64_t after = n + 1 == own.size() ? kept.records : b[own[n + 1]].record;
            return kept.untimed != 0 && (before < b[own[n]].record || b[own[n]].record + 1 < after);
        };
        // The rank lacks it before its own record `j`, after `after` others that it lacks there.
        const auto add = [&](std::size_t place, std::size_t after) {
            const step& lost = a[place];
            lost_record& added = lacks_.emplace_back();
            added.rank = rank;
            added.of = owner;
            added.step = place;
            added.before = j == own.size() ? kept.records : b[own[j]].record;
            // A record without a time has a number but is no step.
            const step* const last = j == 0 ? nullptr : &b[own[j - 1]];
            const std::uint64_t next =
                last == nullptr ? 0 : last->record + (last->what == step::kind::exchange ? 2U : 1U);
            added.is_untimed = kept.untimed != 0 && next + after < *added.before;
            if (j != 0 && j != own.size() && std::exchange(last_gap, j) != j) {
                double end = b[own[j - 1]].start + b[own[j - 1]].duration;
                for (std::size_t n = own[j - 1] + 1; n <= own[j]; ++n) {
                    if (b[n].nested) continue;
                    added.room += (std::max)(0.0, b[n].start - end);
                    end = (std::max)(end, b[n].start + b[n].duration);
                }
            }
            for (; counted != j; ++counted) ++counts[{b[own[counted]].operation, b[own[counted]].batch}];
            added.number += counts[{lost.operation, lost.batch}];
        };
        const auto is_half = [&](std::size_t i, std::size_t k) {
            return a[records[i]].what == step::kind::exchange && b[own[k]].what != step::kind::exchange;
        };
        const auto is_like = [&](std::size_t i, std::size_t k) {
            return i < records.size() && k < own.size() && are_alike(a[records[i]], b[own[k]]);
        };
        // The halves of several exchanges may look alike: what follows tells which it is.
        const auto fits = [&](std::size_t i, std::size_t k) {
            return is_like(i, k) &&
                   (!is_half(i, k) || i + 1 == records.size() || k + 1 == own.size() || is_like(i + 1, k + 1));
        };
        // The nearest place at which both go on if one of them skips records; 0 if there is none.
        const auto skipped = [&](std::size_t i, bool by_owner, const auto& matches) {
            std::size_t count = 1;
            while (count <= most_lost && !(by_owner ? matches(i + count, j) : matches(i, j + count))) ++count;
            return count <= most_lost ? count : 0;
        };
        std::size_t run = 0;    // since this one of `own`, no record was lost or added
        std::size_t block = 0;  // so many records before the owner's `i` are lost before the rank's `j`
        // The same records may as well be lost earlier, if those before them are like their last ones.
        const auto end_block = [&](std::size_t i) {
            unsigned at = places[j];
            std::size_t back = 0;
            for (; back != j - run && is_like(i - back - 1, j - back - 1); ++back) at |= places[j - back - 1];
            for (std::size_t n = lacks_.size() - block; n != lacks_.size(); ++n) {
                set_effect(lacks_[n], facts_[a[lacks_[n].step].operation].kind, at);
                lacks_[n].is_place_known = back == 0;
            }
            run = j;
            block = 0;
        };
        for (std::size_t i = 0; i != records.size();) {
            std::size_t lost = is_like(i, j) && !fits(i, j) ? skipped(i, true, fits) : 0;
            if (is_like(i, j) && lost == 0) {
                if (block != 0) end_block(i);
                if (is_half(i, j)) {
                    add(records[i], 0);
                    lacks_.back().half = own[j];
                    lacks_.back().is_untimed = has_untimed_beside(j);
                }
                ++i;
                ++j;
                continue;
            }
            std::size_t extra = lost == 0 ? skipped(i, false, fits) : 0;
            if (lost == 0) lost = skipped(i, true, fits);
            if (lost == 0 && extra == 0) lost = skipped(i, true, is_like);
            // Of two ways, the one after which as much is left of both.
            const auto left = [&](std::size_t skipped_by_owner, std::size_t skipped_by_rank) {
                const std::size_t of_owner = records.size() - i + skipped_by_rank;
                const std::size_t of_rank = own.size() - j + skipped_by_owner;
                return of_owner < of_rank ? of_rank - of_owner : of_owner - of_rank;
            };
            if (lost != 0 && extra != 0) {
                const std::size_t if_lost = left(lost, 0);
                const std::size_t if_extra = left(0, extra);
                const bool is_lost = if_lost != if_extra ? if_lost < if_extra : lost <= extra;
                (is_lost ? extra : lost) = 0;
            }
            if (extra != 0) {
                if (block != 0) end_block(i);
                run = j += extra;
                continue;
            }
            lost = (std::max)(lost, std::size_t{1});
            for (std::size_t k = 0; k != lost; ++k, ++i, ++block) add(records[i], k);
        }
        if (block != 0) end_block(records.size());
    }
    // Finds what each stage has once: steps of a micro-batch, the optimizer's, that of gradients; embeddings in the
    // first and the last stage.
    void compare_stages(const std::vector<std::pair<std::int64_t, std::size_t>>& typical,
                        const ordered_map<std::int64_t, std::vector<std::size_t>>& by_stage) {
        using owner = std::pair<std::size_t, std::size_t>;         // rank, step
        ordered_map<three_numbers, std::vector<owner>> owners_of;  // keys: operation, micro-batch and number
        std::size_t edges = 0;
        for (const auto& [stage, rank] : typical) {
            edges += is_edge(stage) ? 1U : 0U;
            ordered_map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> counts;
            for (const std::size_t n : records_of(rank)) {
                const step& own = ranks_[rank].program[n];
                if (!is_in_stages(own)) continue;
                const std::int64_t number = ++counts[{own.operation, own.batch}];
                owners_of[three_numbers{own.operation, own.batch, number}].emplace_back(rank, n);
            }
        }
        for (const auto& [what, owners] : owners_of) {
            const step& first = ranks_[owners[0].first].program[owners[0].second];
            const bool at_edges = first.group == embedding_;
            const std::size_t stages = at_edges ? edges : typical.size();
            if (owners.size() == stages || 2 * owners.size() < stages) continue;
            for (const auto& [stage, rank] : typical) {
                const auto is_own = [rank = rank](const owner& o) { return o.first == rank; };
                if ((at_edges && !is_edge(stage)) || by_stage.find(stage)->second.size() != 1 ||
                    std::any_of(owners.begin(), owners.end(), is_own))
                    continue;
                lost_record lost;
                lost.rank = rank;
                lost.of = owners[0].first;
                lost.step = owners[0].second;
                lost.number = static_cast<std::uint64_t>(what[2]);
                lost.may_be_untimed = ranks_[rank].sums->program->untimed != 0;
                set_unknown_place(lost);
                for (const auto& [owner_rank, place] : owners)
                    if (lost.have.size() != max_named) lost.have.push_back(owner_rank);
                found_.push_back(std::move(lost));
            }
        }
    }
    // What a stage's only rank does for most micro-batches beside the steps that all stages have, as its loss, it does
    // for all; so it does what it does for any, if it lacks such steps. `batches`: how often the run has the forward
    // step of each.
    void compare_batches(std::size_t rank, const ordered_map<std::int64_t, std::int64_t>& batches) {
        const std::vector<step>& program = ranks_[rank].program;
        ordered_map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> counts;  // keys: operation and micro-batch
        ordered_map<std::uint32_t, std::size_t> first_of;                          // the first step of each operation
        ordered_map<std::int64_t, std::int64_t> forward;
        ordered_map<std::int64_t, std::int64_t> backward;
        for (std::size_t n = 0; n != program.size(); ++n) {
            const step& own = program[n];
            if (own.nested) continue;
            const operation_facts& facts = facts_[own.operation];
            if (facts.kind == operation_kind::forward) ++forward[own.batch];
            if (facts.kind == operation_kind::backward) ++backward[own.batch];
            if (!facts.is_pipeline_step() || facts.kind == operation_kind::forward ||
                facts.kind == operation_kind::backward)
                continue;
            ++counts[{own.operation, own.batch}];
            first_of.try_emplace(own.operation, n);
        }
        const bool is_cut = std::any_of(found_.begin(), found_.end(), [&](const auto& l) { return l.rank == rank; });
        // How often it has a step of each micro-batch, one of which may be lost.
        ordered_map<std::int64_t, std::int64_t> seen = forward;
        for (const auto& [batch, count] : backward) seen[batch] = (std::max)(seen[batch], count);
        for (const auto& [operation, first] : first_of) {
            // In a virtual pipeline, only one of the steps of a micro-batch has it.
            std::int64_t most = is_interleaved_ ? 0 : (std::numeric_limits<std::int64_t>::max)();
            for (const auto& [batch, count] : seen)
                if (is_interleaved_) most = (std::max)(most, counts[{operation, batch}]);
            std::int64_t with = 0;
            std::int64_t sum = 0;
            for (const auto& [batch, count] : seen) {
                sum += (std::min)(count, most);
                with += (std::min)({count, most, counts[{operation, batch}]});
            }
            if (sum == 0 || (2 * with < sum && !is_cut)) continue;
            for (const auto& [batch, count] : batches) {
                const std::int64_t own = counts[{operation, batch}];
                for (std::int64_t n = own; n < (std::min)(count, most); ++n) {
                    lost_record lost;
                    lost.rank = rank;
                    lost.of = rank;
                    lost.step = first;
                    lost.batch = batch;
                    lost.number = static_cast<std::uint64_t>(n + 1);
                    lost.may_be_untimed = ranks_[rank].sums->program->untimed != 0;
                    set_unknown_place(lost);
                    lost.have.push_back(rank);
                    // It is beside the forward step, unless that is lost, too.
                    const bool is_inside = is_one_iteration_ && forward[batch] == count && !is_at_edge(program, batch);
                    if (is_inside) {
                        lost.span = lost.pipeline_span = lost.first_forward = limit::exact;
                        lost.gaps = limit::most;
                    }
                    found_.push_back(std::move(lost));
                }
            }
        }
    }
    // Whether the forward step of a micro-batch is the first or the last record of a log.
    bool is_at_edge(const std::vector<step>& program, std::int64_t batch) const {
        const auto is_forward = [&](const step& s) {
            return !s.nested && s.batch == batch && facts_[s.operation].kind == operation_kind::forward;
        };
        if (program.empty() || is_forward(program.front())) return true;
        for (std::size_t n = program.size(); n-- != 0;)
            if (!program[n].nested) return is_forward(program[n]);
        return true;
    }
    // A stage's only rank has the ends of the messages whose other ends its neighbours have. An exchange is two ends,
    // and the micro-batch of one of them is known.
    struct message_ends {
        std::vector<std::pair<std::int64_t, std::size_t>> batches;  // micro-batches with their steps
        bool any_exchange = false;
    };
    message_ends ends_of(std::size_t rank, bool sends, bool backward) const {
        message_ends ends;
        const std::vector<step>& program = ranks_[rank].program;
        for (std::size_t n = 0; n != program.size(); ++n) {
            const step& own = program[n];
            if (!is_message(own) || !facts_[own.operation].between_stages) continue;
            const bool is_exchange = own.what == step::kind::exchange;
            // What an exchange receives goes the other way than what it sends.
            if (is_exchange ? (own.backward == backward) != sends
                            : own.backward != backward || (own.what == step::kind::send) != sends)
                continue;
            ends.any_exchange = ends.any_exchange || is_exchange;
            ends.batches.emplace_back(own.batch, n);
        }
        return ends;
    }
    void compare_messages(std::size_t rank) {
        const std::vector<step>& program = ranks_[rank].program;
        for (const bool sends : {true, false})
            for (const bool backward : {false, true}) {
                std::int64_t neighbour = ranks_[rank].rank + (sends != backward ? per_stage_ : -per_stage_);
                // Messages of a virtual pipeline go around the stages.
                if (is_interleaved_) neighbour = (neighbour + stages_ * per_stage_) % (stages_ * per_stage_);
                std::size_t other = 0;
                while (other != ranks_.size() && ranks_[other].rank != neighbour) ++other;
                if (other == ranks_.size()) continue;
                const message_ends own = ends_of(rank, sends, backward);
                const message_ends others = ends_of(other, !sends, backward);
                if (own.batches.size() >= others.batches.size()) continue;
                std::size_t missing = others.batches.size() - own.batches.size();
                const bool has_batches = !own.any_exchange && !others.any_exchange;
                // Whether a micro-batch has one step in each direction.
                const bool is_plain = is_one_iteration_ && !is_interleaved_;
                ordered_map<std::int64_t, std::int64_t> counts;
                for (const auto& end : own.batches) ++counts[end.first];
                for (const auto& [batch, place] : others.batches) {
                    if (missing == 0) break;
                    if (has_batches && --counts[batch] >= 0) continue;
                    --missing;
                    lost_record lost;
                    lost.rank = rank;
                    lost.of = other;
                    lost.step = place;
                    lost.number = 1;
                    lost.is_message = true;
                    lost.have.push_back(other);
                    lost.may_be_untimed = ranks_[rank].sums->program->untimed != 0;
                    set_unknown_place(lost);
                    // What is sent follows its step, and what is received comes before it.
                    for (std::size_t n = 0; has_batches && is_plain && n != program.size(); ++n) {
                        const operation_kind kind = facts_[program[n].operation].kind;
                        if (program[n].nested || program[n].batch != batch ||
                            kind != (backward ? operation_kind::backward : operation_kind::forward))
                            continue;
                        std::size_t next = n + 1;
                        while (next != program.size() && program[next].nested) ++next;
                        if (sends ? next == program.size() : n == 0) continue;
                        lost.span = lost.pipeline_span = lost.first_forward = limit::exact;
                        lost.gaps = limit::most;
                    }
                    found_.push_back(std::move(lost));
                }
            }
    }
    // The record may be before all that the rank has, or after it.
    void set_unknown_place(lost_record& lost) const noexcept {
        lost.span = limit::least;
        lost.pipeline_span = is_one_iteration_ ? limit::least : limit::either;
        lost.gaps = lost.first_forward = limit::either;
        lost.is_place_known = false;
    }
    bool is_edge(std::int64_t stage) const noexcept { return stage == 0 || stage == stages_ - 1; }
    bool is_in_stages(const step& s) const noexcept {
        const operation_facts& facts = facts_[s.operation];
        return facts.kind == operation_kind::forward || facts.kind == operation_kind::backward ||
               facts.kind == operation_kind::optimizer ||
               (facts.kind == operation_kind::collective && (s.group == embedding_ || s.group == data_));
    }

    const std::vector<analysed_rank>& ranks_;
    const std::vector<operation_facts>& facts_;
    std::uint32_t embedding_;  // the number of the name of that kind of groups, as the next
    std::uint32_t data_;
    bool is_interleaved_;  // whether the run is a virtual pipeline
    bool is_one_iteration_;
    std::int64_t stages_;             // how many stages the run has; 0 if unknown, as is the next
    std::int64_t per_stage_;          // ranks
    std::vector<lost_record> lacks_;  // what the ranks of a stage lack of what one of them has
    std::vector<lost_record> found_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
