// Finds the records that some ranks lack and others have.
#ifndef WLFMT_ANALYSIS_ANSWERS_LOST_HPP
#define WLFMT_ANALYSIS_ANSWERS_LOST_HPP

#include <algorithm>
#include <map>

#include "../library.hpp"
#include "rank.hpp"

namespace wlfmt::analysis {

struct lost_record : lacked_step {
    std::optional<std::uint64_t> before = {};  // missing_call::before
    bool is_own = false;                       // `step` is in the rank's own untimed_steps
    bool is_untimed = false;                   // the record is there but has no time
    bool may_be_untimed = false;               // the rank has records without a time, and this may be one of them
    std::optional<std::size_t> half = {};      // the step of the rank's program that is half of this exchange
    bool is_message = false;                   // the rank lacks a message, of which `step` is the other end
    std::optional<std::int64_t> batch = {};    // the micro-batch, if not that of `step`
    // How much the loss may change these numbers of the rank.
    bounded span;
    bounded pipeline_span;
    bounded first_forward;
    // The record took no longer than this: the gap that it was in, without the records in it that are not compared.
    double hole = bounded::unlimited;
};

// The records of a rank that are compared, in their order.
struct compared_records {
    std::size_t rank;  // its place among all ranks
    const std::vector<program_step>& program;
    std::vector<std::size_t> places = {};  // the places of the records in the program

    std::size_t size() const noexcept { return places.size(); }
    const program_step& operator[](std::size_t n) const noexcept { return program[places[n]]; }
};

// Whether two logs have the same step, perhaps one half of an exchange in place of the whole. An exchange has the
// micro-batch of its send, which is written first. Its receive goes the other way: a forward one is of a later
// micro-batch, a backward one of the same or an earlier one.
inline bool are_alike(const program_step& a, const program_step& b,
                      const std::vector<operation_facts>& facts) noexcept {
    using step = program_step;
    if (a.operation == b.operation) return a.batch == b.batch;
    const auto is_half = [&](const step& half, const step& whole) {
        if (whole.what != step::kind::exchange || half.what == step::kind::exchange ||
            !facts[half.operation].between_stages)
            return false;
        const bool is_send = half.what == step::kind::send;
        const bool goes_the_same_way = half.backward == whole.backward;
        if (is_send != goes_the_same_way) return false;
        if (is_send) return half.batch == whole.batch;
        return half.backward ? half.batch <= whole.batch : half.batch > whole.batch;
    };
    return is_half(a, b) || is_half(b, a);
}

// Finds the records of an owner that another rank of its stage lacks. After a difference, the comparison goes on at the
// nearest record that both have.
class rank_comparison {
    using step = program_step;

public:
    rank_comparison(const std::vector<operation_facts>& facts, bool is_one_iteration, const compared_records& owner,
                    const compared_records& rank, const kept_program& kept, std::vector<lost_record>& lacks)
        : facts_(facts),
          is_one_iteration_(is_one_iteration),
          owner_(owner),
          rank_(rank),
          kept_(kept),
          lacks_(lacks),
          places_(places_of_rank()) {}

    void find() {
        while (owner_next_ != owner_.size()) {
            const difference next = next_difference();
            if (next.extra != 0) {
                end_loss();
                rank_next_ += next.extra;
                matched_since_ = rank_next_;
            } else if (next.lost != 0) {
                for (std::size_t n = 0; n != next.lost; ++n, ++owner_next_, ++lost_here_) add(n);
            } else {
                take_match();
            }
        }
        end_loss();
    }

    // The owner has the rank's records without a time, which are lost where they are.
    void add_untimed() {
        while (owner_next_ != owner_.size()) {
            while (rank_next_ != rank_.size() && rank_[rank_next_].record < owner_[owner_next_].record) ++rank_next_;
            matched_since_ = rank_next_;
            lost_record& added = add(0);
            added.is_untimed = added.is_own = true;
            lost_here_ = 1;
            ++owner_next_;
            end_loss();
        }
    }

private:
    static constexpr std::size_t max_skipped = 64;  // the longest row of lost or extra records that is found

    // Where a place between a rank's records is in its iteration, which ends with the optimizer's step.
    enum place_kind : unsigned {
        at_edge = 1,           // before all records of the log, or after them
        inside = 2,            // not at an edge
        at_begin = 4,          // no record of the iteration comes before it
        before_forward = 8,    // before the first forward step
        without_forward = 16,  // there is no forward step
        after_last_backward = 32
    };
    // How many records only the owner has next, or only the rank; both are 0 if the next records match.
    struct difference {
        std::size_t lost = 0;
        std::size_t extra = 0;
    };

    // The kinds of the places before each of the rank's records, and after the last one.
    std::vector<unsigned> places_of_rank() const {
        const std::size_t end = rank_.size();
        const auto kind_of = [&](std::size_t n) { return facts_[rank_[n].operation].kind; };
        std::vector<unsigned> places(end + 1);
        bool any_forward = false;  // between the iteration's beginning and the place
        for (std::size_t n = 0; n <= end; ++n) {
            const bool begins = n == 0 || kind_of(n - 1) == operation_kind::optimizer;
            any_forward = !begins && (any_forward || kind_of(n - 1) == operation_kind::forward);
            places[n] = n == 0 || n == end ? at_edge : inside;
            if (begins) places[n] |= at_begin;
            if (!any_forward) places[n] |= without_forward;
        }
        any_forward = false;  // between the place and the iteration's end
        bool any_backward = false;
        for (std::size_t n = end + 1; n-- != 0;) {
            if (n != end) {
                const operation_kind kind = kind_of(n);
                any_forward = kind == operation_kind::forward || (any_forward && kind != operation_kind::optimizer);
                any_backward = kind == operation_kind::backward || (any_backward && kind != operation_kind::optimizer);
            }
            if (any_forward && (places[n] & without_forward) != 0) places[n] ^= without_forward | before_forward;
            if (!any_backward) places[n] |= after_last_backward;
        }
        return places;
    }

    bool is_like(std::size_t owner_at, std::size_t rank_at) const noexcept {
        return owner_at < owner_.size() && rank_at < rank_.size() &&
               are_alike(owner_[owner_at], rank_[rank_at], facts_);
    }
    bool is_half(std::size_t owner_at, std::size_t rank_at) const noexcept {
        return owner_[owner_at].what == step::kind::exchange && rank_[rank_at].what != step::kind::exchange;
    }
    // The halves of several exchanges may look alike: the records after them tell them apart.
    bool is_surely_like(std::size_t owner_at, std::size_t rank_at) const noexcept {
        return is_like(owner_at, rank_at) && (!is_half(owner_at, rank_at) || owner_at + 1 == owner_.size() ||
                                              rank_at + 1 == rank_.size() || is_like(owner_at + 1, rank_at + 1));
    }
    // How many of the owner's records (below: the rank's) come before one like the other's next; 0 if none is near.
    std::size_t lost_before_match(bool surely) const noexcept {
        for (std::size_t n = 1; n <= max_skipped; ++n)
            if (surely ? is_surely_like(owner_next_ + n, rank_next_) : is_like(owner_next_ + n, rank_next_)) return n;
        return 0;
    }
    std::size_t extra_before_match() const noexcept {
        for (std::size_t n = 1; n <= max_skipped; ++n)
            if (is_surely_like(owner_next_, rank_next_ + n)) return n;
        return 0;
    }
    difference next_difference() const noexcept {
        if (is_surely_like(owner_next_, rank_next_)) return {};
        difference next{lost_before_match(true), 0};
        if (is_like(owner_next_, rank_next_)) return next;
        next.extra = extra_before_match();
        if (next.lost == 0 && next.extra == 0) next.lost = (std::max)(lost_before_match(false), std::size_t{1});
        if (next.lost == 0 || next.extra == 0) return next;
        // Of the two ways, takes the one after which the numbers of records that are left differ less.
        const std::size_t owner_left = owner_.size() - owner_next_;
        const std::size_t rank_left = rank_.size() - rank_next_;
        const std::size_t if_lost = distance(owner_left - next.lost, rank_left);
        const std::size_t if_extra = distance(owner_left, rank_left - next.extra);
        const bool is_lost = if_lost != if_extra ? if_lost < if_extra : next.lost <= next.extra;
        return is_lost ? difference{next.lost, 0} : difference{0, next.extra};
    }
    static std::size_t distance(std::size_t a, std::size_t b) noexcept { return a < b ? b - a : a - b; }

    void take_match() {
        end_loss();
        if (is_half(owner_next_, rank_next_)) {
            lost_record& added = add(0);
            added.half = rank_.places[rank_next_];
            added.is_untimed = has_untimed_neighbour();
        }
        ++owner_next_;
        ++rank_next_;
    }
    // Adds the owner's next record as lost before the rank's next one, after `after` others that were lost there.
    lost_record& add(std::size_t after) {
        const step& lost = owner_[owner_next_];
        const bool is_last = rank_next_ == rank_.size();
        lost_record& added = lacks_.emplace_back();
        added.rank = rank_.rank;
        added.owner = owner_.rank;
        added.step = owner_.places[owner_next_];
        added.before = is_last ? kept_.records : rank_[rank_next_].record;
        added.is_untimed = kept_.untimed != 0 && number_after_last() + after < *added.before;
        if (rank_next_ != 0 && !is_last) added.hole = gap_here();
        for (; counted_ != rank_next_; ++counted_) ++counts_[{rank_[counted_].operation, rank_[counted_].batch}];
        added.number += counts_[{lost.operation, lost.batch}];
        return added;
    }
    // The number of the log's record that follows the rank's last compared one.
    std::uint64_t number_after_last() const noexcept {
        if (rank_next_ == 0) return 0;
        const step& last = rank_[rank_next_ - 1];
        return last.record + (last.what == step::kind::exchange ? 2U : 1U);
    }
    // Whether a record without a time, which is not a step but has a number, is next to this half of an exchange.
    bool has_untimed_neighbour() const noexcept {
        const std::uint64_t record = rank_[rank_next_].record;
        const std::uint64_t before = rank_next_ == 0 ? 0 : rank_[rank_next_ - 1].record + 1;
        const std::uint64_t after = rank_next_ + 1 == rank_.size() ? kept_.records : rank_[rank_next_ + 1].record;
        return kept_.untimed != 0 && (before < record || record + 1 < after);
    }
    // How long the rank does nothing between its last record and its next one, both of which exist.
    double gap_here() const noexcept {
        const std::size_t last = rank_.places[rank_next_ - 1];
        double end = rank_.program[last].start + rank_.program[last].duration;
        double gap = 0;
        for (std::size_t n = last + 1; n <= rank_.places[rank_next_]; ++n) {
            const step& own = rank_.program[n];
            if (own.nested) continue;
            gap += (std::max)(0.0, own.start - end);
            end = (std::max)(end, own.start + own.duration);
        }
        return gap;
    }
    // Sets the effect of the records that were lost before the rank's next one. They may as well have been lost earlier
    // if the rank's records before that place are like the last ones lost.
    void end_loss() {
        if (lost_here_ == 0) return;
        unsigned places = places_[rank_next_];
        std::size_t back = 0;
        for (; back != rank_next_ - matched_since_ && is_like(owner_next_ - back - 1, rank_next_ - back - 1); ++back)
            places |= places_[rank_next_ - back - 1];
        for (std::size_t n = lacks_.size() - lost_here_; n != lacks_.size(); ++n) {
            set_effect(lacks_[n], facts_[owner_.program[lacks_[n].step].operation].kind, places);
            if (back != 0) lacks_[n].hole = bounded::unlimited;
        }
        matched_since_ = rank_next_;
        lost_here_ = 0;
    }
    void set_effect(lost_record& lost, operation_kind kind, unsigned places) const {
        const auto is_at = [places](place_kind p) { return (places & p) != 0; };
        constexpr double any = bounded::unlimited;
        if (is_at(at_edge)) lost.span.widen(0, any);
        const bool ends = kind == operation_kind::backward && is_at(after_last_backward);
        if (is_at(at_begin) || ends) lost.pipeline_span.widen(0, any);
        if (kind != operation_kind::forward) {
            if (is_at(at_begin)) lost.first_forward.widen(0, any);
        } else {
            if (is_at(before_forward)) lost.first_forward.widen(any, 0);
            if (is_at(without_forward)) lost.first_forward.widen(0, any);
        }
        // Without the optimizer's step that ends the first one, two iterations look like one.
        if (kind == operation_kind::optimizer && !is_one_iteration_)
            lost.pipeline_span = lost.first_forward = bounded::unknown();
    }

    const std::vector<operation_facts>& facts_;
    bool is_one_iteration_;
    const compared_records& owner_;
    const compared_records& rank_;
    const kept_program& kept_;  // the rank's program
    std::vector<lost_record>& lacks_;
    std::vector<unsigned> places_;
    std::size_t owner_next_ = 0;  // the owner's next record
    std::size_t rank_next_ = 0;
    std::size_t matched_since_ = 0;  // since this record of the rank, no record was lost or added
    std::size_t lost_here_ = 0;      // how many records before the owner's next one the rank lacks
    std::size_t counted_ = 0;        // how many of the rank's records are in `counts_`
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> counts_;  // keys: operation and micro-batch
};

// All ranks of a stage have the same program: a record that at least half of them have is missing from the others. A
// stage's only rank is compared with other stages, by the records that every stage has. Linear in records.
class lost_records {
    using step = program_step;

public:
    lost_records(const std::vector<analysed_rank>& ranks, const std::vector<operation_facts>& facts,
                 const run_answers& answers)
        : ranks_(ranks),
          facts_(facts),
          embedding_(number_in(answers.names, operations::embedding)),
          data_(number_in(answers.names, operations::word_of(oplog::group::data_parallel))),
          is_interleaved_(answers.interleaved),
          is_one_iteration_(answers.iterations == 1),
          stages_(answers.sizes ? answers.sizes->pipeline : 0),
          per_stage_(answers.sizes ? answers.sizes->world / answers.sizes->pipeline : 0) {}

    std::vector<lost_record> find() {
        std::map<std::int64_t, std::vector<std::size_t>> by_stage;
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            if (ranks_[n].sums->stage != no_number) by_stage[ranks_[n].sums->stage].push_back(n);
        std::vector<std::pair<std::int64_t, std::size_t>> typical;  // each stage with a typical rank
        bool any_alone = false;
        for (const auto& [stage, members] : by_stage) {
            any_alone = any_alone || members.size() == 1;
            typical.emplace_back(stage, compare_ranks(members));
        }
        if (any_alone && typical.size() > 1) compare_stages(typical, by_stage);
        batch_counts batches;  // the most forward steps of each micro-batch in a typical rank
        for (const auto& [stage, rank] : typical)
            for (const auto& [batch, count] : count_steps(rank, operation_kind::forward))
                batches[batch] = (std::max)(batches[batch], count);
        for (const auto& [stage, members] : by_stage) {
            if (members.size() != 1) continue;
            compare_batches(members[0], batches);
            if (per_stage_ > 0) compare_messages(members[0]);
        }
        return std::move(found_);
    }
    // A record that was written twice counts once; unknown operations, which may differ within a stage, do not count.
    compared_records records_of(std::size_t rank) const {
        const std::vector<step>& program = ranks_[rank].program;
        compared_records records{rank, program};
        for (std::size_t n = 0; n != program.size(); ++n) {
            const step& own = program[n];
            if (own.nested || facts_[own.operation].kind == operation_kind::other) continue;
            if (records.size() != 0) {
                const step& last = records[records.size() - 1];
                if (are_alike(last, own, facts_) && last.start == own.start && last.duration == own.duration) continue;
            }
            records.places.push_back(n);
        }
        return records;
    }

private:
    static constexpr std::size_t max_named = lacked_step::max_named;
    using batch_counts = std::map<std::int64_t, std::int64_t>;  // keys: micro-batches

    batch_counts count_steps(std::size_t rank, operation_kind kind) const {
        batch_counts counts;
        for (const step& own : ranks_[rank].program)
            if (!own.nested && facts_[own.operation].kind == kind) ++counts[own.batch];
        return counts;
    }
    // Finds what the ranks of a stage lack. Returns a rank that has the most common program; of several, the longest.
    std::size_t compare_ranks(const std::vector<std::size_t>& members) {
        // The ranks that have each program. Keys: its operations and micro-batches.
        std::map<std::vector<std::int64_t>, std::vector<std::size_t>> programs;
        for (const std::size_t rank : members) {
            std::vector<std::int64_t> program;
            const compared_records records = records_of(rank);
            for (std::size_t n = 0; n != records.size(); ++n) {
                program.insert(program.end(), {records[n].operation, records[n].batch});
                // An exchange makes a program longer than one of its halves does.
                if (records[n].what == step::kind::exchange) program.push_back(records[n].batch);
            }
            programs[std::move(program)].push_back(rank);
        }
        const auto* commonest = &*programs.begin();
        for (const auto& candidate : programs) {
            const auto& [program, ranks] = candidate;
            const auto& [best_program, best_ranks] = *commonest;
            bool is_better = ranks[0] < best_ranks[0];
            if (program.size() != best_program.size()) is_better = program.size() > best_program.size();
            if (ranks.size() != best_ranks.size()) is_better = ranks.size() > best_ranks.size();
            if (is_better) commonest = &candidate;
        }
        const std::size_t typical = commonest->second[0];
        const compared_records records = records_of(typical);
        std::vector<lost_record> lacks;  // the records of the typical rank that other ranks lack
        for (const auto& program : programs) {
            if (&program == commonest) continue;
            for (const std::size_t rank : program.second) {
                const compared_records of_rank = records_of(rank);
                rank_comparison(facts_, is_one_iteration_, records, of_rank, *ranks_[rank].sums->program, lacks).find();
            }
        }
        std::stable_sort(lacks.begin(), lacks.end(),
                         [](const lost_record& a, const lost_record& b) { return a.rank < b.rank; });
        std::map<std::size_t, std::vector<std::size_t>> lacking;  // the ranks that lack each step, ascending
        for (const lost_record& lost : lacks) lacking[lost.step].push_back(lost.rank);
        for (lost_record& lost : lacks) {
            const std::vector<std::size_t>& without = lacking[lost.step];
            // A record that few ranks have was more likely added there than lost by the others.
            if (2 * without.size() > members.size()) continue;
            for (const std::size_t rank : members)
                if (lost.have.size() != max_named && !std::binary_search(without.begin(), without.end(), rank))
                    lost.have.push_back(rank);
            found_.push_back(std::move(lost));
        }
        return typical;
    }
    // Compares the records that each stage has once: the steps of a micro-batch, the optimizer's, the reduction of
    // gradients and, in the first and the last stage, that of embeddings.
    void compare_stages(const std::vector<std::pair<std::int64_t, std::size_t>>& typical,
                        const std::map<std::int64_t, std::vector<std::size_t>>& by_stage) {
        struct owner {
            std::size_t rank;
            std::size_t place;  // the record's position in the rank's program
        };
        std::map<three_numbers, std::vector<owner>> owners_of;  // keys: operation, micro-batch and number
        std::size_t edges = 0;
        for (const auto& [stage, rank] : typical) {
            edges += is_edge(stage) ? 1U : 0U;
            std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> counts;
            const compared_records records = records_of(rank);
            for (std::size_t n = 0; n != records.size(); ++n) {
                const step& own = records[n];
                if (!is_in_stages(own)) continue;
                const std::int64_t number = ++counts[{own.operation, own.batch}];
                owners_of[three_numbers{own.operation, own.batch, number}].push_back({rank, records.places[n]});
            }
        }
        for (const auto& [key, owners] : owners_of) {
            const step& record = ranks_[owners[0].rank].program[owners[0].place];
            const bool at_edges = record.group == embedding_;
            const std::size_t stages = at_edges ? edges : typical.size();
            if (owners.size() == stages || 2 * owners.size() < stages) continue;
            for (const auto& [stage, rank] : typical) {
                const auto is_own = [rank = rank](const owner& o) { return o.rank == rank; };
                if ((at_edges && !is_edge(stage)) || by_stage.find(stage)->second.size() != 1 ||
                    std::any_of(owners.begin(), owners.end(), is_own))
                    continue;
                lost_record& lost = add(rank, owners[0].rank, owners[0].place, key[2]);
                for (std::size_t n = 1; n < owners.size() && n != max_named; ++n) lost.have.push_back(owners[n].rank);
            }
        }
    }
    // A step that not all stages have, such as the loss: if a stage's only rank has it for most micro-batches, it
    // should have it for all. If the rank lacks other records, having it for one micro-batch is enough. `batches`: how
    // many forward steps the run has of each micro-batch.
    void compare_batches(std::size_t rank, const std::map<std::int64_t, std::int64_t>& batches) {
        const std::vector<step>& program = ranks_[rank].program;
        std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> counts;  // keys: operation and micro-batch
        std::map<std::uint32_t, std::size_t> first_steps;                       // the first step of each operation
        for (std::size_t n = 0; n != program.size(); ++n) {
            const operation_facts& facts = facts_[program[n].operation];
            if (program[n].nested || !facts.is_pipeline_step() || facts.kind == operation_kind::forward ||
                facts.kind == operation_kind::backward)
                continue;
            ++counts[{program[n].operation, program[n].batch}];
            first_steps.try_emplace(program[n].operation, n);
        }
        const bool is_cut = std::any_of(found_.begin(), found_.end(), [&](const auto& l) { return l.rank == rank; });
        batch_counts forward = count_steps(rank, operation_kind::forward);
        // How often the rank has each micro-batch: either its forward or its backward step may be lost.
        batch_counts seen = forward;
        for (const auto& [batch, count] : count_steps(rank, operation_kind::backward))
            seen[batch] = (std::max)(seen[batch], count);
        for (const auto& [operation, first] : first_steps) {
            // In a virtual pipeline, only one of a micro-batch's steps goes with this operation.
            std::int64_t max_count = is_interleaved_ ? 0 : (std::numeric_limits<std::int64_t>::max)();
            for (const auto& [batch, count] : seen)
                if (is_interleaved_) max_count = (std::max)(max_count, counts[{operation, batch}]);
            std::int64_t with = 0;
            std::int64_t steps = 0;
            for (const auto& [batch, count] : seen) {
                steps += (std::min)(count, max_count);
                with += (std::min)({count, max_count, counts[{operation, batch}]});
            }
            if (steps == 0 || (2 * with < steps && !is_cut)) continue;
            for (const auto& [batch, count] : batches)
                for (std::int64_t n = counts[{operation, batch}]; n < (std::min)(count, max_count); ++n) {
                    lost_record& lost = add(rank, rank, first, n + 1);
                    lost.batch = batch;
                    // The lost record is next to the forward step, unless that is lost, too.
                    if (is_one_iteration_ && forward[batch] == count && !is_at_edge(program, batch))
                        set_between_records(lost);
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
    // For each message of which a neighbour has one end, a stage's only rank should have the other. An exchange is an
    // end of two messages, of which only one's micro-batch is known.
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
            // An exchange receives in the direction opposite to that in which it sends.
            if (is_exchange ? (own.backward == backward) != sends
                            : own.backward != backward || (own.what == step::kind::send) != sends)
                continue;
            ends.any_exchange = ends.any_exchange || is_exchange;
            ends.batches.emplace_back(own.batch, n);
        }
        return ends;
    }
    void compare_messages(std::size_t rank) {
        for (const bool sends : {true, false})
            for (const bool backward : {false, true}) {
                std::int64_t neighbour = ranks_[rank].rank + (sends != backward ? per_stage_ : -per_stage_);
                // Messages of a virtual pipeline go around the stages.
                if (is_interleaved_) neighbour = (neighbour + stages_ * per_stage_) % (stages_ * per_stage_);
                std::size_t other = 0;
                while (other != ranks_.size() && ranks_[other].rank != neighbour) ++other;
                if (other == ranks_.size()) continue;
                const message_ends own_ends = ends_of(rank, sends, backward);
                const message_ends other_ends = ends_of(other, !sends, backward);
                if (own_ends.batches.size() >= other_ends.batches.size()) continue;
                std::size_t missing = other_ends.batches.size() - own_ends.batches.size();
                const bool knows_batches = !own_ends.any_exchange && !other_ends.any_exchange;
                batch_counts counts;
                for (const auto& end : own_ends.batches) ++counts[end.first];
                for (const auto& [batch, place] : other_ends.batches) {
                    if (missing == 0) break;
                    if (knows_batches && --counts[batch] >= 0) continue;
                    --missing;
                    lost_record& lost = add(rank, other, place, 1);
                    lost.is_message = true;
                    // Where a micro-batch has one step in each direction, a message that is sent comes after the step,
                    // and one that is received before it.
                    if (knows_batches && is_one_iteration_ && !is_interleaved_ &&
                        has_neighbour_record(rank, batch, backward, sends))
                        set_between_records(lost);
                }
            }
    }
    // Whether the rank has a record after all steps of the pass of a micro-batch or, unless `after`, before them: where
    // its batch is read, for example, may be before or after the message.
    bool has_neighbour_record(std::size_t rank, std::int64_t batch, bool backward, bool after) const {
        const operation_kind kind = backward ? operation_kind::backward : operation_kind::forward;
        const std::vector<step>& program = ranks_[rank].program;
        bool any_step = false;
        for (std::size_t k = 0; k != program.size(); ++k) {
            const step& own = program[after ? k : program.size() - 1 - k];
            if (own.nested) continue;
            const operation_facts& facts = facts_[own.operation];
            const bool is_of_batch = own.batch == batch && facts.is_pipeline_step();
            if (any_step && !is_of_batch) return true;
            any_step = any_step || (is_of_batch && facts.kind == kind);
        }
        return false;
    }
    // Notes that the rank lacks a step of the owner. The record may be before all records of the rank, or after them.
    lost_record& add(std::size_t rank, std::size_t owner, std::size_t place, std::int64_t number) {
        lost_record& lost = found_.emplace_back();
        lost.rank = rank;
        lost.owner = owner;
        lost.step = place;
        lost.number = static_cast<std::uint64_t>(number);
        lost.have.push_back(owner);
        lost.may_be_untimed = ranks_[rank].sums->program->untimed != 0;
        lost.span = bounded::no_less(0);
        lost.pipeline_span = is_one_iteration_ ? bounded::no_less(0) : bounded::unknown();
        lost.first_forward = bounded::unknown();
        return lost;
    }
    // The record is between two records of the rank, though it is not known which.
    static void set_between_records(lost_record& lost) noexcept {
        lost.span = lost.pipeline_span = lost.first_forward = bounded();
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
    std::uint32_t embedding_;  // the number of the name of the embedding groups
    std::uint32_t data_;       // the number of the name of the data parallel groups
    bool is_interleaved_;      // whether the run is a virtual pipeline
    bool is_one_iteration_;
    std::int64_t stages_;     // the number of stages; 0 if unknown
    std::int64_t per_stage_;  // the number of ranks of a stage; 0 if unknown
    std::vector<lost_record> found_;
};

}  // namespace wlfmt::analysis

#endif
