// Reports the steps that ranks lack, and adds what these may have been to the numbers that would include them.
#ifndef WLFMT_ANALYSIS_ANSWERS_MISSING_HPP
#define WLFMT_ANALYSIS_ANSWERS_MISSING_HPP

#include <map>

#include "../library.hpp"
#include "align.hpp"
#include "lost.hpp"
#include "schedule.hpp"
#include "sizes.hpp"

namespace wlfmt::analysis {

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
        for (const analysed_rank& r : ranks)
            any_exchange_ = any_exchange_ || std::any_of(r.untimed_steps.begin(), r.untimed_steps.end(), is_message);
    }

    // Reports what is missing in the answers, and widens the ranks' sums and the messages' floors by what it may have
    // taken.
    void find() {
        lost_records finder(ranks_, facts_, run_);
        std::vector<lost_record> lost = finder.find();
        for (const analysed_rank& r : ranks_) add_untimed(r, finder, lost);
        find_transfers();
        std::map<three_numbers, bool> counted;
        const auto key_of = [](std::size_t rank, const step& own) {
            return three_numbers{static_cast<std::int64_t>(rank), own.operation, own.batch};
        };
        std::pair<std::size_t, std::optional<std::uint64_t>> gap;
        for (const lost_record& missing : lost) {
            analysed_rank& r = ranks_[missing.rank];
            const std::vector<step>& program = missing.is_own ? r.untimed_steps : ranks_[missing.owner].program;
            const step& record = program[missing.step];
            step lost_step = record;
            if (missing.batch) lost_step.batch = *missing.batch;
            counted[key_of(missing.rank, lost_step)] = true;
            if (missing.half) {
                ++r.lost;
                forget_messages(r);
                continue;
            }
            r.span_error += missing.span;
            r.gaps_error += missing.span;
            r.pipeline_span_error += missing.pipeline_span;
            r.first_forward_error += missing.first_forward;
            if (is_message(record)) floors_[known_bytes(record)].is_lost = true;
            if (std::exchange(gap, std::pair(missing.rank, missing.before)) != std::pair(missing.rank, missing.before))
                widened_.clear();
            if (missing.before && !missing.is_own && !missing.is_message && !missing.batch &&
                missing.hole < bounded::unlimited)
                run_.missing_records.push_back(
                    {missing.rank, missing.owner, missing.step, *missing.before, in_milliseconds(missing.hole)});
            if (missing.is_message) mark_lost_end(r, record, missing.hole);
            else mark_lost(r, program, missing.step, true, missing.hole);
            if (missing.is_own && is_message(record)) forget_messages(r);
        }
        std::map<three_numbers, std::uint64_t> lacking;  // how many calls of a group a rank lacks in a record
        // Calls that are missing with their record are reported with it.
        std::vector<places_by_name> records(ranks_.size());
        for (call_group& g : groups_) {
            for (lacked_step& lacked : g.lacks) {
                const std::vector<step>& program = ranks_[lacked.owner].program;
                const step& call = program[lacked.step];
                g.is_different = true;
                const bool has_record = lacked.record.has_value();
                if (!lacked.record) find_record(lacked, ranks_[lacked.rank], call, records[lacked.rank]);
                const bool lacks_all = lacked.record && !has_record;  // calls of the group in this record
                if (!lacked.record && counted.count(key_of(lacked.rank, call)) != 0) continue;
                analysed_rank& r = ranks_[lacked.rank];
                widened_.clear();
                const double most = lacked.record ? work_in(r, *lacked.record) : bounded::unlimited;
                for (std::size_t n = lacked.step; n == lacked.step || lacks_all; ++n) {
                    if (n == program.size() || program[n].record != call.record) break;
                    if (program[n].group != call.group) continue;
                    mark_lost(r, program, n, !lacked.record, most);
                    if (lacked.record)
                        ++lacking[three_numbers{r.rank, static_cast<std::int64_t>(*lacked.record), call.group}];
                }
                ++run_.missing_call_count;
                report(lacked);
            }
            for (std::size_t n = 0; n != g.members.size(); ++n)
                if (g.members[n].calls.empty()) mark_all_lost(g, n, records);
            // If calls are missing, others may be broadcasts, whose source leaves early: they say nothing about clocks.
            for (const call_group::member& m : g.members)
                g.has_offsets = g.has_offsets && (!g.is_different || m.deviation <= clock_noise);
        }
        find_silent_groups(lacking, records);
        for (analysed_rank& r : ranks_) mark_untimed_calls(r, lacking);
        report_records(lost);
        const bool any_end_missing = find_missing_ends(lost);
        // A message that is in no log may have been the quickest of its size.
        for (auto& floor : floors_)
            floor.second.is_lost =
                floor.second.is_lost || any_end_missing || !run_.missing_ranks.empty() || !run_.left_out.empty();
        // Stages with a rank all of whose records are in its sums.
        std::map<std::int64_t, bool> is_read;
        const auto unseen = [](const analysed_rank& r) { return r.sums->program->unread + r.sums->program->untimed; };
        for (const analysed_rank& r : ranks_)
            if (unseen(r) == 0) is_read[r.sums->stage] = true;
        for (analysed_rank& r : ranks_) {
            const std::uint64_t unread = r.sums->program->unread;
            run_.unread += unread;
            // Another rank of the stage shows everything that this rank lacks; other stages show only a part of it.
            if (unread == 0 || (unseen(r) <= r.lost && is_read.count(r.sums->stage) != 0)) continue;
            r.lost = (std::max)(r.lost, unseen(r));
            may_have_any(r);
            r.has_unread = true;
            // The time of a call that could not be read is counted as work.
            r.account.work.widen(bounded::unlimited, 0);
            for (auto& [name, operation] : r.by_operation) operation.work.widen(bounded::unlimited, 0);
        }
    }

private:
    static constexpr std::size_t max_listed = 1000;

    using places_by_name = std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::size_t>>;
    // Finds the record that a missing call belongs to, if the rank has it without any call of the group. `records`: the
    // places of the rank's records by operation and micro-batch, filled when first needed.
    static void find_record(lacked_step& lacked, const analysed_rank& rank, const step& call, places_by_name& records) {
        if (!call.nested) return;
        const std::vector<std::size_t>& found = places_like(call, rank, records);
        if (found.size() < lacked.number) return;
        lacked.record = rank.program[found[static_cast<std::size_t>(lacked.number) - 1]].record;
        lacked.number = 1;
    }
    static const std::vector<std::size_t>& places_like(const step& call, const analysed_rank& rank,
                                                       places_by_name& records) {
        if (records.empty())
            for (std::size_t n = 0; n != rank.program.size(); ++n)
                if (!rank.program[n].nested) records[{rank.program[n].operation, rank.program[n].batch}].push_back(n);
        return records[{call.operation, call.batch}];
    }
    // Counts all calls of a group that a member lacks, which has none, but has the records around them.
    void mark_all_lost(call_group& g, std::size_t member, std::vector<places_by_name>& records) {
        const std::size_t rank = g.members[member].rank;
        analysed_rank& r = ranks_[rank];
        g.is_different = true;
        std::optional<std::uint64_t> last;  // the record of the call before, and what all calls in it can have taken
        double hole = 0;
        const step* around = nullptr;   // the other rank's record of the call before, and how many calls of the group
        const step* counted = nullptr;  // and each function come before this place in it: its rows follow each other
        std::map<std::uint32_t, std::uint64_t> before;
        for (std::size_t row = 0; row != g.row_count(); ++row) {
            lacked_step lacked;
            lacked.rank = rank;
            const member_call* call = nullptr;
            for (std::size_t n = g.members.size(); n-- != 0;) {
                if (g.at(row, n) == nullptr) continue;
                call = g.at(row, n);
                lacked.owner = g.members[n].rank;
                if (lacked.have.size() != lacked.max_named) lacked.have.insert(lacked.have.begin(), lacked.owner);
            }
            lacked.step = call->place;
            const step& own = *call->step;
            const auto& others = places_like(own, ranks_[lacked.owner], records[lacked.owner]);
            const auto next = std::upper_bound(others.begin(), others.end(), lacked.step);
            lacked.number = static_cast<std::uint64_t>(next - others.begin());
            find_record(lacked, r, own, records[rank]);
            if (!lacked.record) continue;
            const std::vector<step>& program = ranks_[lacked.owner].program;
            if (const step* const other = &program[*(next - 1)]; std::exchange(around, other) != other) {
                counted = other;
                before.clear();
            }
            for (; counted < &program[lacked.step]; ++counted)
                if (counted->nested && counted->group == own.group) ++before[counted->function];
            lacked.number += before[own.function];
            if (std::exchange(last, lacked.record) != lacked.record) {
                widened_.clear();
                hole = work_in(r, *lacked.record);
            }
            mark_lost(r, program, lacked.step, false, hole);
            ++run_.missing_call_count;
            report(lacked);
        }
    }
    // Counts the calls in an operation that all members of a group lack: those of another group of the stage, whose
    // ranks have the same program, or tensor parallel ones of another stage: of a pass, or if the members have none at
    // all.
    void find_silent_groups(std::map<three_numbers, std::uint64_t>& lacking, std::vector<places_by_name>& records) {
        if (!run_.sizes) return;
        constexpr std::int64_t any = -1;  // stage, or operation
        const auto place_in = [&](const analysed_rank& r, std::int64_t kind) {
            return place_of(run_.names[static_cast<std::size_t>(kind)], r.rank, *run_.sizes);
        };
        std::map<std::array<std::int64_t, 4>, bool> have;  // keys: kind, place of the group, operation
        std::map<three_numbers, std::size_t> owners;       // a rank with such calls. Keys: kind, operation, stage
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            std::map<std::pair<std::uint32_t, std::uint32_t>, bool> pairs;
            for (const step& own : ranks_[n].program)
                if (own.nested && !own.alone) pairs[{own.group, own.operation}] = true;
            for (const auto& [names, is_there] : pairs) {
                const auto& [kind, operation] = names;
                const auto place = place_in(ranks_[n], kind);
                if (!place) continue;
                have[{kind, place->first, place->second, operation}] = true;
                have[{kind, place->first, place->second, any}] = true;
                owners.try_emplace({kind, operation, ranks_[n].sums->stage}, n);
                owners.try_emplace({kind, operation, any}, n);
            }
        }
        std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // all kinds and operations
        for (const auto& [key, owner] : owners)
            if (key[2] == any) pairs.emplace_back(key[0], key[1]);
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            for (const auto& [kind, operation] : pairs) {
                const auto place = place_in(ranks_[n], kind);
                if (!place || have.count({kind, place->first, place->second, operation}) != 0) continue;
                auto owner = owners.find({kind, operation, ranks_[n].sums->stage});
                if (owner == owners.end()) {
                    const operation_kind pass = facts_[static_cast<std::size_t>(operation)].kind;
                    const bool is_pass = pass == operation_kind::forward || pass == operation_kind::backward;
                    const bool has_none = have.count({kind, place->first, place->second, any}) == 0;
                    const std::string& name = run_.names[static_cast<std::size_t>(kind)];
                    if (oplog::group_of(name) != oplog::group::tensor_parallel || !(is_pass || has_none)) continue;
                    owner = owners.find({kind, operation, any});
                }
                mark_all_lost(n, owner->second, kind, operation, lacking, records);
            }
    }
    // Counts the calls of a kind that the owner has in an operation, and the rank in none of its records of it.
    void mark_all_lost(std::size_t rank, std::size_t owner, std::int64_t kind, std::int64_t operation,
                       std::map<three_numbers, std::uint64_t>& lacking, std::vector<places_by_name>& records) {
        analysed_rank& r = ranks_[rank];
        const std::vector<step>& program = ranks_[owner].program;
        std::map<std::int64_t, std::size_t> passed;     // the number of records of each micro-batch
        std::optional<std::uint32_t> last;              // the rank's record that lacks the call before
        std::map<std::uint32_t, std::uint64_t> number;  // the number of its calls of each function
        double hole = 0;
        for (std::size_t n = 0; n != program.size(); ++n) {
            const step& own = program[n];
            if (own.operation != operation) continue;
            if (!own.nested) ++passed[own.batch];
            if (!own.nested || own.group != kind) continue;
            const std::vector<std::size_t>& found = places_like(own, r, records[rank]);
            if (found.size() < passed[own.batch]) continue;
            const std::uint32_t record = r.program[found[passed[own.batch] - 1]].record;
            if (std::exchange(last, record) != record) {
                number.clear();
                widened_.clear();
                hole = work_in(r, record);
            }
            mark_lost(r, program, n, false, hole);
            r.by_kind[own.group].calls.widen(0, bounded::unlimited);
            ++lacking[three_numbers{r.rank, record, own.group}];
            ++run_.missing_call_count;
            report({rank, owner, n, ++number[own.function], record, {owner}});
        }
    }
    // A log shows its records without a time, even where no other rank does: adds those that are not in `lost` yet.
    void add_untimed(const analysed_rank& r, const lost_records& finder, std::vector<lost_record>& lost) const {
        const auto rank = static_cast<std::size_t>(&r - ranks_.data());
        compared_records untimed{rank, r.untimed_steps};
        for (std::size_t n = 0; n != r.untimed_steps.size(); ++n)
            if (!r.untimed_steps[n].nested) untimed.places.push_back(n);
        if (untimed.size() == 0) return;
        const compared_records records = finder.records_of(rank);
        std::vector<lost_record> own;
        rank_comparison(facts_, run_.iterations == 1, untimed, records, *r.sums->program, own).add_untimed();
        const std::size_t shown = lost.size();
        std::vector<bool> is_used(shown);
        for (lost_record& one : own) {
            const step& record = r.untimed_steps[one.step];
            const auto is_same = [&](const lost_record& l) {
                if (l.rank != rank || !(l.is_untimed || l.may_be_untimed) || l.is_message) return false;
                if (l.half) {
                    const std::uint32_t half = r.program[*l.half].record;
                    return half + 1 == record.record || record.record + 1 == half;
                }
                const step& other = ranks_[l.owner].program[l.step];
                return other.operation == record.operation && l.batch.value_or(other.batch) == record.batch &&
                       (!l.before || l.before == one.before || !(l.hole < bounded::unlimited));
            };
            std::size_t n = 0;
            while (n != shown && (is_used[n] || !is_same(lost[n]))) ++n;
            if (n != shown) {
                is_used[n] = true;
                continue;
            }
            if (one.before == r.sums->program->records && r.after_steps < bounded::unlimited) {
                one.hole = r.after_steps;
                one.span = bounded();
            }
            if (r.has_doubtful_clock || r.mended || r.contradictions != 0) one.hole = bounded::unlimited;
            lost.push_back(std::move(one));
        }
    }
    // The time of an exchange that lacks one half is counted under the name of the other half.
    void forget_messages(analysed_rank& r) const {
        for (std::uint32_t n = 0; n != facts_.size(); ++n)
            if (any_exchange_ && facts_[n].is_message())
                for (const auto time :
                     {&operation_answer::time, &operation_answer::transfer, &operation_answer::waiting})
                    (r.by_operation[n].*time).widen(bounded::unlimited, bounded::unlimited);
    }
    std::string_view name_of_other_end(const step& message) const {
        const bool is_sent =
            message.what == step::kind::send ||
            (message.what == step::kind::exchange && message.backward == facts_[message.operation].backward);
        return operations::name_of(is_sent ? operation_kind::receive : operation_kind::send, message.backward);
    }
    void find_transfers() {
        for (const call_group& g : groups_)
            for (std::size_t row = g.row_count(); row-- != 0;) {
                if (g.is_complete(row)) continue;
                std::size_t n = 0;
                while (g.at(row, n) == nullptr) ++n;
                const step& own = *g.at(row, n)->step;
                for (std::size_t k = 0; k != g.members.size(); ++k)
                    if (g.at(row, k) == nullptr)
                        transfers_[{static_cast<std::int64_t>(g.members[k].rank), g.kind, own.operation, own.batch}]
                            .push_back(g.most_transfer(row));
            }
    }
    // The greatest transfer of a message or a call that a rank lacks, each of which is asked for once.
    double most_transfer(const analysed_rank& r, const step& own) {
        if (is_message(own)) return static_cast<double>(floors_[known_bytes(own)].least);
        const auto at = transfers_.find({&r - ranks_.data(), own.group, own.operation, own.batch});
        if (at == transfers_.end() || at->second.empty()) return bounded::unlimited;
        const double most = at->second.back();
        at->second.pop_back();
        return most;
    }
    // Another rank of the stage shows all that a rank lacks; other stages show only a part of it.
    double most_calls(const analysed_rank& r) const {
        for (const analysed_rank& other : ranks_)
            if (&other != &r && r.sums->stage != no_number && other.sums->stage == r.sums->stage) return 1;
        return bounded::unlimited;
    }
    // Counts an end of a message that a rank lacks; `other` is the other end.
    void mark_lost_end(analysed_rank& r, const step& other, double hole) {
        ++r.lost;
        step own = other;
        const std::string_view name = name_of_other_end(other);
        own.operation = number_in(run_.names, name);
        // Where no record has that name, no sum has one.
        if (own.operation == run_.names.size() || run_.names[own.operation] != name) own.operation = other.operation;
        r.may_have(own, hole, model_, widened_, most_transfer(r, own), most_calls(r));
        forget_messages(r);
    }
    // How long a record that lacks a call seems to compute: the call took no longer than that.
    double work_in(analysed_rank& r, std::uint64_t record) {
        step* const record_step = r.step_of(record);
        if (record_step == nullptr) return 0;
        step& own = *record_step;
        const auto [known, is_new] = work_left_.try_emplace(&own.work, own.duration);
        double& time_left = known->second;
        if (is_new) {
            const step* const end = r.program.data() + r.program.size();
            for (const step* at = &own + 1; at != end && at->nested; ++at)
                if (at->what == step::kind::collective) time_left -= at->duration;
            time_left = (std::max)(0.0, time_left);
        }
        own.work.widen(time_left, 0);
        return time_left;
    }
    // Counts the calls without a time of records that have one, except those that other ranks have shown. `lacking`:
    // how many that are. Keys: ranks, records and groups.
    void mark_untimed_calls(analysed_rank& r, std::map<three_numbers, std::uint64_t>& lacking) {
        std::optional<std::uint32_t> lost;  // the last record without a time, with which its calls are lost
        std::optional<std::uint32_t> record;
        double most = 0;
        for (std::size_t n = 0; n != r.untimed_steps.size(); ++n) {
            const step& own = r.untimed_steps[n];
            if (!own.nested) lost = own.record;
            if (lost == own.record) continue;
            if (std::uint64_t& shown = lacking[three_numbers{r.rank, own.record, own.group}]; shown != 0) {
                --shown;
                continue;
            }
            if (std::exchange(record, own.record) != own.record) {
                widened_.clear();
                most = work_in(r, own.record);
            }
            mark_lost(r, r.untimed_steps, n, false, most);
        }
    }
    // Counts a step that a rank lacks; `with_record`: the step is a record, and its calls are lost, too.
    void mark_lost(analysed_rank& r, const std::vector<step>& program, std::size_t place, bool with_record,
                   double hole) {
        ++r.lost;
        const double calls = &program == &r.untimed_steps ? 1 : most_calls(r);
        std::size_t n = place;
        do {
            const step& own = program[n];
            r.may_have(own, hole, model_, widened_, most_transfer(r, own), calls);
            if (!own.nested) continue;
            ++r.lost_calls;
            r.lost_bytes += static_cast<double>(known_bytes(own));
        } while (with_record && ++n != program.size() && program[n].nested &&
                 program[n].record == program[place].record);
    }
    // The numbers of a rank's ends of messages: received ones forward and backward, then sent ones.
    using message_ends = std::array<std::int64_t, 4>;
    void count_ends(const step& own, std::int64_t times, message_ends& ends) const {
        if (!is_message(own) || !facts_[own.operation].between_stages) return;
        const bool is_exchange = own.what == step::kind::exchange;
        if (own.what != step::kind::receive) ends[own.backward ? 3 : 2] += times;
        // An exchange receives in the direction opposite to that in which it sends.
        if (own.what == step::kind::receive || is_exchange) ends[own.backward != is_exchange ? 1 : 0] += times;
    }
    // Whether a message has only one end in two logs that should have both. The rank that lacks the other end, of which
    // the ranks of its stage show none, lacks other records, too.
    bool find_missing_ends(const std::vector<lost_record>& lost) {
        if (!run_.sizes || run_.sizes->pipeline < 2) return false;
        std::vector<message_ends> ends(ranks_.size());  // with those that are known to be lost
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            for (const step& own : ranks_[n].program) count_ends(own, 1, ends[n]);
        for (const lost_record& l : lost) {
            if (l.is_message) continue;
            count_ends((l.is_own ? ranks_[l.rank].untimed_steps : ranks_[l.owner].program)[l.step], 1, ends[l.rank]);
            if (l.half) count_ends(ranks_[l.rank].program[*l.half], -1, ends[l.rank]);
        }
        std::array<bool, 4> is_logged{};  // some tracers log only one end of messages
        for (const message_ends& own : ends)
            for (std::size_t k = 0; k != own.size(); ++k) is_logged[k] = is_logged[k] || own[k] != 0;
        bool any_missing = false;
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            std::int64_t next = ranks_[n].rank + run_.sizes->world / run_.sizes->pipeline;
            if (run_.interleaved) next %= run_.sizes->world;
            const auto other =
                std::lower_bound(ranks_.begin(), ranks_.end(), next,
                                 [](const analysed_rank& r, std::int64_t rank) { return r.rank < rank; });
            if (other == ranks_.end() || other->rank != next) continue;
            const auto at = static_cast<std::size_t>(other - ranks_.begin());
            // Ends of the messages to the next stage, and of those from it.
            for (const auto& [own_end, other_end] : {std::pair(2U, 0U), std::pair(1U, 3U)}) {
                const std::int64_t own = ends[n][own_end];
                const std::int64_t others = ends[at][other_end];
                if (own == others || !is_logged[own_end] || !is_logged[other_end]) continue;
                any_missing = true;
                analysed_rank& r = ranks_[own < others ? n : at];
                // What a stage's only rank lacks is in `lost`.
                if (most_calls(r) != 1 || r.sums->program->unread != 0) continue;
                r.lost += static_cast<std::uint64_t>(own < others ? others - own : own - others);
                may_have_any(r);
            }
        }
        return any_missing;
    }
    // The rank has a record of any kind that is in no sum.
    void may_have_any(analysed_rank& r) {
        widened_.clear();
        for (step own : r.program) {
            r.may_have(own, bounded::unlimited, model_, widened_);
            if (is_message(own)) floors_[known_bytes(own)].is_lost = true;
            // It may be the only blocking call of its group, or the only asynchronous one.
            if (own.what != step::kind::collective && own.what != step::kind::asynchronous) continue;
            own.what = own.what == step::kind::collective ? step::kind::asynchronous : step::kind::collective;
            r.may_have(own, bounded::unlimited, model_, widened_);
        }
        for (bounded* part :
             {&r.account.work, &r.account.transfer, &r.account.stage_waiting, &r.account.pipeline_waiting})
            part->widen(0, bounded::unlimited);
        forget_messages(r);
        r.span_error = bounded::no_less(0);
        r.gaps_error = bounded::unknown();
        r.pipeline_span_error = r.first_forward_error = bounded::unknown();
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
    added_times widened_;    // what the records were added to that are lost in the last gap
    added_times work_left_;  // what work_in() found; keys: the work of the records
    // The greatest transfers of the calls that ranks lack. Keys: place of the rank, group, operation and micro-batch.
    std::map<std::array<std::int64_t, 4>, std::vector<double>> transfers_;
    bool any_exchange_ = false;
    std::map<std::size_t, bool> has_untimed_calls_;  // keys: places of ranks
};

}  // namespace wlfmt::analysis

#endif
