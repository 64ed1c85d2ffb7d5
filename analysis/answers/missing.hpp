// Reports the steps that ranks lack, and turns numbers that would include these steps into limits.
#ifndef WLFMT_ANALYSIS_ANSWERS_MISSING_HPP
#define WLFMT_ANALYSIS_ANSWERS_MISSING_HPP

#include <map>

#include "../library.hpp"
#include "align.hpp"
#include "lost.hpp"
#include "schedule.hpp"

namespace wlfmt::analysis {

// The least time of the messages of one size. `is_lost`: one of them was lost, and may have been faster.
struct message_floor {
    std::int64_t least = (std::numeric_limits<std::int64_t>::max)();
    bool is_lost = false;
};
using message_floors = std::map<std::int64_t, message_floor>;  // keys: bytes

class missing_steps {
    using step = program_step;

public:
    // Pass groups whose calls are aligned. `facts`: what each of answers.names says if it is an operation's name.
    missing_steps(std::vector<analysed_rank>& ranks, std::vector<call_group>& groups,
                  const std::vector<operation_facts>& facts, message_floors& floors, run_answers& answers)
        : ranks_(ranks),
          groups_(groups),
          facts_(facts),
          floors_(floors),
          run_(answers),
          model_(number_in(answers.names, operations::model)) {
        for (const operation_facts& f : facts) any_exchange_ = any_exchange_ || f.kind == operation_kind::exchange;
    }

    // Adds the reports to the answers, and sets limits in the ranks, the groups and the floors.
    void find() {
        const std::vector<lost_record> lost = lost_records(ranks_, facts_, run_).find();
        std::map<three_numbers, bool> counted;
        const auto key_of = [](std::size_t rank, const step& own) {
            return three_numbers{static_cast<std::int64_t>(rank), own.operation, own.batch};
        };
        // Together, all records that were lost in one gap took no longer than the gap.
        std::pair<std::size_t, std::optional<std::uint64_t>> gap;
        double time_left = 0;
        for (const lost_record& missing : lost) {
            analysed_rank& r = ranks_[missing.rank];
            const std::vector<step>& program = ranks_[missing.owner].program;
            const step& record = program[missing.step];
            step lost_step = record;
            if (missing.batch) lost_step.batch = *missing.batch;
            counted[key_of(missing.rank, lost_step)] = true;
            if (missing.half) {
                ++r.lost;
                limit_messages(r);
                continue;
            }
            r.account.span.limit_to(missing.span);
            r.account.gaps.limit_to(missing.gaps);
            limit_to(r.pipeline_span_limit, missing.pipeline_span);
            limit_to(r.first_forward_limit, missing.first_forward);
            if (is_message(record)) floors_[known_bytes(record)].is_lost = true;
            if (std::exchange(gap, std::pair(missing.rank, missing.before)) != std::pair(missing.rank, missing.before))
                time_left = missing.gap_time;
            if (missing.is_message) mark_lost_end(r, record);
            else mark_lost(r, program, missing.step, true, time_left);
            r.lost_in_any_gap = r.lost_in_any_gap || !missing.is_place_known;
        }
        // Calls that are missing with their record are reported with it.
        std::vector<places_by_name> records(ranks_.size());
        for (call_group& g : groups_) {
            for (lacked_step& lacked : g.lacks) {
                const std::vector<step>& program = ranks_[lacked.owner].program;
                const step& call = program[lacked.step];
                g.is_different = true;
                if (!lacked.record) find_record(lacked, ranks_[lacked.rank], call, records[lacked.rank]);
                if (!lacked.record && counted.count(key_of(lacked.rank, call)) != 0) continue;
                analysed_rank& r = ranks_[lacked.rank];
                double in_record = lacked.record ? work_in(r, *lacked.record) : 0;
                mark_lost(r, program, lacked.step, !lacked.record, in_record);
                r.lost_in_any_gap = r.lost_in_any_gap || !lacked.record;
                ++run_.missing_call_count;
                report(lacked);
            }
            // If calls are missing, others may be broadcasts, whose source leaves early: they say nothing about clocks.
            for (const call_group::member& m : g.members)
                g.has_offsets = g.has_offsets && (!g.is_different || m.deviation <= clock_noise);
        }
        report_records(lost);
        std::map<std::int64_t, bool> is_read;  // stages with a rank all of whose records could be read
        for (const analysed_rank& r : ranks_)
            if (r.sums->program->unread == 0) is_read[r.sums->stage] = true;
        for (analysed_rank& r : ranks_) {
            const std::uint64_t unread = r.sums->program->unread;
            run_.unread += unread;
            // Another rank of the stage shows everything that this rank lacks; other stages show only a part of it.
            const bool is_shown = unread <= r.lost && is_read.count(r.sums->stage) != 0;
            if (unread != 0 && !is_shown) limit_all(r, unread > r.lost ? unread - r.lost : 0);
            if (r.sums->negative != 0) limit_untimed(r);
        }
    }

private:
    static constexpr std::size_t max_listed = 1000;

    using places_by_name = std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::size_t>>;
    // Finds the record that a missing call belongs to, if the rank has it without any call of the group. `records`: the
    // places of the rank's records by operation and micro-batch, filled when first needed.
    static void find_record(lacked_step& lacked, const analysed_rank& rank, const step& call, places_by_name& records) {
        if (!call.nested) return;
        if (records.empty())
            for (std::size_t n = 0; n != rank.program.size(); ++n)
                if (!rank.program[n].nested) records[{rank.program[n].operation, rank.program[n].batch}].push_back(n);
        const auto found = records.find(std::pair(call.operation, call.batch));
        if (found == records.end() || found->second.size() < lacked.number) return;
        lacked.record = rank.program[found->second[static_cast<std::size_t>(lacked.number) - 1]].record;
        lacked.number = 1;
    }
    static void limit_operation(operation_answer& operation, limit direction) {
        for (bounded* number : {&operation.time, &operation.transfer, &operation.waiting}) number->limit_to(direction);
    }
    // The time of an exchange that lacks one half is counted under the name of the other half.
    void limit_messages(analysed_rank& r) const {
        for (std::uint32_t n = 0; n != facts_.size(); ++n)
            if (any_exchange_ && facts_[n].is_message()) limit_operation(r.by_operation[n], limit::either);
    }
    std::string_view name_of_other_end(const step& message) const {
        const bool is_sent =
            message.what == step::kind::send ||
            (message.what == step::kind::exchange && message.backward == facts_[message.operation].backward);
        return operations::name_of(is_sent ? operation_kind::receive : operation_kind::send, message.backward);
    }
    // Counts an end of a message that a rank lacks; `other` is the other end.
    void mark_lost_end(analysed_rank& r, const step& other) const {
        ++r.lost;
        const std::string_view name = name_of_other_end(other);
        const std::uint32_t number = number_in(run_.names, name);
        if (number != run_.names.size() && run_.names[number] == name)
            limit_operation(r.by_operation[number], limit::least);
        limit_messages(r);
        group_answer& group = r.by_kind[other.group];
        group.calls.limit_to(limit::least);
        group.transfer.limit_to(limit::least);
        group.waiting.limit_to(limit::least);
        r.account.transfer.limit_to(limit::least);
        r.account.pipeline_waiting.limit_to(limit::least);
    }
    // How long a record that lacks a call seems to compute: the call took no longer than that.
    static double work_in(analysed_rank& r, std::uint64_t record) {
        auto at = std::lower_bound(r.program.begin(), r.program.end(), record,
                                   [](const step& s, std::uint64_t n) { return s.record < n; });
        if (at == r.program.end()) return 0;
        limit_to(at->work_limit, limit::most);
        double time_left = at->duration;
        for (++at; at != r.program.end() && at->nested; ++at)
            if (at->what == step::kind::collective) time_left -= at->duration;
        return (std::max)(0.0, time_left);
    }
    // Counts a step that a rank lacks; `with_record`: the step is a record, and its calls are lost, too. The work in it
    // took no longer than `time_left`, and uses that up.
    void mark_lost(analysed_rank& r, const std::vector<step>& program, std::size_t place, bool with_record,
                   double& time_left) const {
        ++r.lost;
        std::size_t n = place;
        do {
            const step& own = program[n];
            if (!own.nested) r.by_operation[own.operation].time.limit_to(limit::least);
            // A lost call's time is in the work of its record.
            if (!with_record) r.limit_work(own, limit::most, std::exchange(time_left, 0));
            else if (own.alone || own.what == step::kind::work)
                r.limit_work(own, limit::least, std::exchange(time_left, 0));
            if (own.nested) {
                ++r.lost_calls;
                r.lost_bytes += static_cast<double>(known_bytes(own));
            }
            if (!is_communication(own, model_)) continue;
            r.by_kind[own.group].calls.limit_to(limit::least);
            if (own.alone) continue;
            if (own.what == step::kind::asynchronous) r.by_kind[own.group].overlapped.limit_to(limit::least);
            else if (own.what != step::kind::work) r.limit_transfer(own, limit::least);
            r.limit_waiting(own, limit::least);
        } while (with_record && ++n != program.size() && program[n].nested);
    }

    // Counts records of a rank, or calls in them, that could not be read and that no other rank shows.
    void limit_all(analysed_rank& r, std::uint64_t unread) const {
        r.lost += unread;
        r.has_unread = r.lost_in_any_gap = true;
        r.work_more = r.work_less = bounded::unlimited;
        // An unread record is missing from the work, and the time of an unread call is counted as work.
        r.account.work.limit_to(limit::either);
        limit_sums(r, limit::either);
        limit_edges(r);
    }
    // A record with a duration below 0 is in no sum. It took a part of a gap, or came before or after all others.
    void limit_untimed(analysed_rank& r) const {
        r.lost = (std::max)(r.lost, r.sums->negative);
        r.lost_in_any_gap = true;
        r.account.work.limit_to(limit::least);
        r.account.gaps.limit_to(limit::most);
        limit_sums(r, limit::least);
        const step* last = &r.program[0];
        for (const step& own : r.program)
            if (!own.nested) last = &own;
        const std::uint64_t end = last->record + (last->what == step::kind::exchange ? 2U : 1U);
        if (r.program[0].record != 0 || end != r.sums->program->records) limit_edges(r);
    }
    // Limits what a record before or after all others would change.
    static void limit_edges(analysed_rank& r) {
        r.account.span.limit_to(limit::least);
        r.account.gaps.limit_to(limit::either);
        limit_to(r.pipeline_span_limit, limit::either);
        limit_to(r.first_forward_limit, limit::either);
    }
    // Limits the sums that any record or call may be missing from.
    void limit_sums(analysed_rank& r, limit work) const {
        for (bounded* time : {&r.account.transfer, &r.account.stage_waiting, &r.account.pipeline_waiting})
            time->limit_to(limit::least);
        for (const step& own : r.program) {
            limit_operation(r.by_operation[own.operation], limit::least);
            r.by_operation[own.operation].work.limit_to(work);
            if (is_message(own)) {
                floors_[known_bytes(own)].is_lost = true;
                // The message may be half of an exchange.
                limit_operation(r.by_operation[own.operation], limit::either);
            }
            if (!is_communication(own, model_)) continue;
            group_answer& group = r.by_kind[own.group];
            for (bounded* number : {&group.calls, &group.transfer, &group.waiting, &group.overlapped})
                number->limit_to(limit::least);
        }
        limit_messages(r);
    }

    // Reports a step that a rank lacks; null if enough have been reported.
    missing_call* report(const lacked_step& l) {
        if (run_.missing_calls.size() == max_listed) return nullptr;
        const step& lacked = ranks_[l.owner].program[l.step];
        missing_call& missing = run_.missing_calls.emplace_back();
        missing.rank = ranks_[l.rank].rank;
        missing.group = run_.names[lacked.group];
        missing.operation = run_.names[lacked.operation];
        if (l.record) missing.function = run_.names[lacked.function];
        missing.batch = batch_of(run_.names, lacked);
        missing.number = l.number;
        missing.record = l.record;
        missing.may_be_untimed = lacked.nested && has_untimed_calls(l.rank);
        for (const std::size_t n : l.have) missing.ranks.push_back(ranks_[n].rank);
        return &missing;
    }
    // Whether a rank's log has nested operations that are not steps of its program.
    bool has_untimed_calls(std::size_t rank) {
        const auto [found, is_new] = has_untimed_calls_.try_emplace(rank, false);
        if (!is_new) return found->second;
        const std::vector<kept_step>& steps = ranks_[rank].sums->program->steps;
        const auto timed =
            std::count_if(steps.begin(), steps.end(), [](const kept_step& s) { return s.is_nested != 0; });
        return found->second = static_cast<std::uint64_t>(timed) != ranks_[rank].sums->nested;
    }
    // Records that a log lacks in a row are reported once, with the first one.
    void report_records(const std::vector<lost_record>& lost) {
        const lost_record* last = nullptr;
        missing_call* reported = nullptr;  // the report of the last record, and of those in a row with it
        for (const lost_record& l : lost) {
            if (l.is_untimed) continue;
            ++run_.missing_call_count;
            const bool is_next = last != nullptr && !l.is_message && !last->is_message && !l.batch && !last->batch &&
                                 last->rank == l.rank && last->before == l.before && l.before && !l.half &&
                                 last->have == l.have;
            last = l.half ? nullptr : &l;
            if (!is_next) reported = report(l);
            if (reported == nullptr) continue;
            if (is_next) ++reported->in_a_row;
            reported->before = l.before;
            reported->is_message = l.is_message;
            reported->may_be_untimed = reported->may_be_untimed || l.may_be_untimed;
            if (l.batch) reported->batch = *l.batch;
            if (l.is_message) reported->operation = name_of_other_end(ranks_[l.owner].program[l.step]);
            if (!l.half) continue;
            const operation_facts& half = facts_[ranks_[l.rank].program[*l.half].operation];
            reported->operation = operations::name_of(
                half.kind == operation_kind::send ? operation_kind::receive : operation_kind::send, !half.backward);
        }
    }

    std::vector<analysed_rank>& ranks_;
    std::vector<call_group>& groups_;
    const std::vector<operation_facts>& facts_;
    message_floors& floors_;
    run_answers& run_;
    std::uint32_t model_;
    bool any_exchange_ = false;
    std::map<std::size_t, bool> has_untimed_calls_;  // keys: places of ranks
};

}  // namespace wlfmt::analysis

#endif
