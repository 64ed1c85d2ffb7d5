// From work and waiting to answers: the account of each rank, its groups and operations, and all that follows.
#ifndef WLFMT_DETAIL_ANSWERS_CONCLUDE_HPP
#define WLFMT_DETAIL_ANSWERS_CONCLUDE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/order.hpp"
#include "../summary/ordered_map.hpp"
#include "../summary/state.hpp"
#include "verdicts.hpp"
#include "waiting.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The sizes of the parallel groups that the names of all files tell; nothing if one tells none, or if two differ.
inline std::optional<oplog::run_sizes> sizes_of_names(const summary_state& s) {
    std::optional<oplog::run_sizes> found;
    for (const auto& [rank, sums] : s.ranks) {
        const auto one = sizes_in(facts_in(s.names[sums.source.run]));
        if (!one || (found && (found->world != one->world || found->tensor != one->tensor ||
                               found->pipeline != one->pipeline || found->expert != one->expert)))
            return std::nullopt;
        found = one;
    }
    return found;
}

class run_conclusions {
public:
    run_conclusions(const summary_state& s, const std::optional<oplog::run_sizes>& sizes) : s_(s) {
        to_.too_many_calls = s.keeps_calls && s.too_many_steps;
        to_.repeated_ranks = s.keeps_calls && s.repeated;
        to_.sizes = sizes && sizes->are_possible() ? sizes : std::nullopt;
        std::int64_t next = 0;
        constexpr std::size_t most_named = 1U << 16;
        for (const auto& [rank, sums] : s.ranks) {
            to_.texts += sums.source.texts;
            if (to_.sizes && rank < to_.sizes->world)
                for (; next < rank && to_.missing_ranks.size() != most_named; ++next) to_.missing_ranks.push_back(next);
            next = (std::max)(next, rank) + 1;
            const bool usable =
                sums.program && !sums.program->steps.empty() && (!to_.sizes || (rank >= 0 && rank < to_.sizes->world));
            if (!usable) {
                to_.left_out.push_back(rank);
                continue;
            }
            analysed_rank one;
            one.rank = rank;
            one.sums = &sums;
            one.kept = &*sums.program;
            ranks_.push_back(std::move(one));
        }
        for (; to_.sizes && next < to_.sizes->world && to_.missing_ranks.size() != most_named; ++next)
            to_.missing_ranks.push_back(next);
    }
    oplog::run_answers answer() {
        if (ranks_.empty()) return std::move(to_);
        waiting_analysis waiting(s_, ranks_, to_.sizes);
        facts_ = waiting.facts;
        to_.together = waiting.together;
        to_.same_clock = waiting.same_clock;
        to_.common_moment = waiting.common_moment;
        to_.clocks = waiting.clocks.count();
        if (!waiting.spreads.empty()) {
            to_.extent_spread = in_milliseconds(low_median(waiting.spreads));
            to_.extent = in_milliseconds(low_median(waiting.extents));
        }
        for (auto& [kind, times] : waiting.leaving) {
            const auto greatest = [](const std::vector<double>& of) {
                return in_milliseconds(*std::max_element(of.begin(), of.end()));
            };
            to_.leaving.push_back({waiting.names[kind], times.leaves.size(), in_milliseconds(low_median(times.leaves)),
                                   greatest(times.leaves), in_milliseconds(low_median(times.arrive)),
                                   greatest(times.arrive), false});
            for (const analysed_rank& r : ranks_)
                for (const auto& [of, sums] : r.kinds)
                    if (of == kind && (sums.unknown_calls != 0 || sums.calls_limit != oplog::limit::exact))
                        to_.leaving.back().is_partial = true;
        }
        for (const auto& [bytes, least] : waiting.floors)
            to_.message_floors.emplace_back(static_cast<double>(bytes), in_milliseconds(static_cast<double>(least)));
        find_iterations();
        for (std::size_t n = 0; n != ranks_.size(); ++n) add_rank(waiting, n);
        add_groups(waiting);
        run_verdicts verdicts(to_);
        verdicts.add_stages();
        verdicts.add_imbalance(waiting);
        verdicts.compare_ranks();
        verdicts.compare_iterations();
        verdicts.compare_stages();
        add_calls(waiting);
        return std::move(to_);
    }

private:
    // Sums with their names, in milliseconds.
    static oplog::group_answer answer_of(const std::string& kind, oplog::group_answer sums) {
        sums.group = kind;
        for (double* one :
             {&sums.transfer, &sums.waiting, &sums.unknown, &sums.waiting_more, &sums.waiting_least, &sums.overlapped})
            *one = in_milliseconds(*one);
        return sums;
    }
    static oplog::operation_answer answer_of(const std::string& name, oplog::operation_answer sums) {
        sums.operation = name;
        for (double* one : {&sums.time, &sums.work, &sums.transfer, &sums.waiting, &sums.unknown})
            *one = in_milliseconds(*one);
        return sums;
    }
    // An iteration ends with its optimizer_step.
    void find_iterations() {
        for (const analysed_rank& r : ranks_) {
            std::uint64_t steps = 0;
            for (const oplog::program_step& step : r.program)
                steps += !step.nested && facts_[step.operation].kind == operation_kind::optimizer ? 1U : 0U;
            to_.iterations = (std::max)(to_.iterations, steps);
        }
        if (to_.iterations > 1) to_.by_iteration.resize(to_.iterations);
    }
    void add_rank(const waiting_analysis& from, std::size_t n) {
        analysed_rank& own = ranks_[n];
        oplog::rank_answer r;
        r.rank = own.rank;
        if (own.sums->stage != no_number) r.stage = own.sums->stage;
        for (const auto& [kind, sums] : own.kinds) r.groups.push_back(answer_of(from.names[kind], sums));
        for (const auto& [name, sums] : own.operations)
            if (sums.time != 0) r.operations.push_back(answer_of(from.names[name], sums));
        // All of these are whole millionths, so that the account adds up to the last of them.
        r.account = own.account;
        double end = 0;
        std::vector<oplog::time_account> parts(static_cast<std::size_t>(to_.iterations), own.account);
        std::size_t iteration = 0;
        std::vector<std::int64_t> batches;
        const auto count_batches = [&] {
            std::sort(batches.begin(), batches.end());
            const auto count =
                static_cast<std::uint64_t>(std::unique(batches.begin(), batches.end()) - batches.begin());
            r.micro_batches += count;
            if (to_.iterations > 1)
                to_.by_iteration[iteration].micro_batches =
                    (std::max)(to_.by_iteration[iteration].micro_batches, count);
            batches.clear();
        };
        const operation_facts* of = nullptr;
        bool is_first = true;
        for (oplog::program_step& step : own.program) {
            if (!step.nested) {
                if (of != nullptr && of->kind == operation_kind::optimizer && iteration + 1 < to_.iterations) {
                    count_batches();
                    ++iteration;
                }
                of = &facts_[step.operation];
            }
            oplog::time_account& to = parts[iteration];
            if (!step.nested) {
                if (!is_first) {
                    to.gaps += step.start - end;
                    r.overlaps += step.start < end - overlap_noise ? 1U : 0U;
                }
                is_first = false;
                end = step.start + step.duration;
                if (of->is_pipeline_step()) r.pipeline_busy += step.duration;
                if (of->kind == operation_kind::forward) {
                    if (!r.first_forward) r.first_forward = in_milliseconds(step.start);
                    batches.push_back(step.batch);
                }
                if (of->kind == operation_kind::backward) r.pipeline_span = in_milliseconds(end);
            } else {
                ++r.nested_calls;
                if (step.bytes > 0) r.nested_bytes += static_cast<double>(step.bytes);
            }
            to.work += step.work;
            to.transfer += step.transfer;
            to.unknown += step.unknown;
            (step.in_stage ? to.stage_waiting : to.pipeline_waiting) += step.waiting;
            if (step.in_stage && of->is_pipeline_step()) r.uneven += step.waiting;
            if (step.alone) r.alone += step.duration;
            for (double* one : {&step.start, &step.duration, &step.work, &step.transfer, &step.waiting, &step.unknown})
                *one = in_milliseconds(*one);
        }
        count_batches();
        for (std::size_t k = 0; k != parts.size(); ++k) {
            oplog::time_account& part = parts[k];
            part.span =
                part.work + part.transfer + part.stage_waiting + part.pipeline_waiting + part.gaps + part.unknown;
            add_to(r.account, part);
            if (to_.iterations == 1) continue;
            // Where an iteration ends is not known without its end, and which of them lacks something is not kept.
            if (own.lost != 0)
                part.span_limit = part.work_limit = part.transfer_limit = part.stage_limit = part.pipeline_limit =
                    part.gaps_limit = oplog::limit::either;
            to_.by_iteration[k].ranks.push_back(in_milliseconds(part));
            add_to(to_.by_iteration[k].total, to_.by_iteration[k].ranks.back());
        }
        // Where records overlap, the last one need not end last.
        const auto span = static_cast<double>(own.last - own.first);
        r.account.gaps += span - r.account.span;
        r.account.span = span;
        r.account = in_milliseconds(r.account);
        r.pipeline_busy = in_milliseconds(r.pipeline_busy);
        r.uneven = in_milliseconds(r.uneven);
        r.alone = in_milliseconds(r.alone);
        r.caused = in_milliseconds(own.caused);
        r.late = own.late;
        r.peered = own.peered;
        r.records = own.sums->operations;
        r.lost = own.lost;
        r.lost_calls = own.lost_calls;
        r.lost_bytes = own.lost_bytes;
        r.pipeline_span_limit = own.pipeline_span_limit;
        r.first_forward_limit = own.first_forward_limit;
        to_.lost += own.lost;
        r.doubles = own.sums->doubles;
        r.doubled = in_milliseconds(own.kept->doubled.value().as_double());
        r.untimed = own.kept->untimed;
        r.negative = own.sums->negative;
        r.begin = in_milliseconds(static_cast<double>(own.first));
        r.clock = from.clocks.clock(n);
        r.aligned = from.clocks.aligned(n);
        r.clock_ahead = in_milliseconds(from.clocks.ahead(n));
        r.program = std::move(own.program);
        add_to(to_.total, r.account);
        to_.doubled += r.doubled;
        to_.doubles += r.doubles;
        to_.untimed += r.untimed;
        to_.negative += r.negative;
        to_.overlaps += r.overlaps;
        to_.micro_batches = (std::max)(to_.micro_batches, r.micro_batches);
        to_.ranks.push_back(std::move(r));
    }
    // Tracers write hundredths of a millisecond.
    static constexpr double overlap_noise = 50000;

    void add_groups(const waiting_analysis& from) {
        sums_by_name<oplog::group_answer> kinds;
        sums_by_name<oplog::operation_answer> operations;
        for (const analysed_rank& r : ranks_) {
            for (const auto& [kind, more] : r.kinds) add_to(kinds[kind], more);
            for (const auto& [name, more] : r.operations) add_to(operations[name], more);
        }
        for (const auto& [kind, sums] : kinds) to_.groups.push_back(answer_of(from.names[kind], sums));
        for (const auto& [name, sums] : operations)
            if (sums.time != 0) to_.operations.push_back(answer_of(from.names[name], sums));
    }
    // What others show: calls with their members, who waited for whom, and which calls are missing.
    void add_calls(waiting_analysis& from) {
        to_.alone = std::move(from.alone);
        to_.calls = std::move(from.calls);
        for (oplog::group_call& call : to_.calls) call.transfer = in_milliseconds(call.transfer);
        to_.members = std::move(from.members);
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            auto& all = ranks_[n].waits;
            std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
                return a.late != b.late ? a.late < b.late : a.kind < b.kind;
            });
            for (std::size_t k = 0; k != all.size(); ++k) {
                if (k != 0 && all[k].late == all[k - 1].late && all[k].kind == all[k - 1].kind)
                    to_.waits.back().time += in_milliseconds(all[k].time);
                else
                    to_.waits.push_back({to_.ranks[all[k].late].rank, to_.ranks[n].rank, from.names[all[k].kind],
                                         in_milliseconds(all[k].time), ranks_[n].kinds[all[k].kind].waiting_limit});
            }
        }
        for (const call_group& g : from.groups) {
            oplog::group_of_ranks one;
            one.kind = from.names[g.kind];
            one.size = g.place.size;
            bool apart = false;
            for (const call_group::member& m : g.members) {
                one.ranks.push_back(to_.ranks[m.rank].rank);
                const double ahead = m.offset < 0 ? -m.offset : m.offset;
                apart = apart || (g.has_offsets && ahead >= one_millisecond);
            }
            using place = oplog::group_of_ranks::place;
            const bool is_whole = static_cast<std::int64_t>(g.members.size()) == g.place.size;
            if (to_.together && apart) one.where = place::several_hosts;
            else if (to_.together && is_whole && from.clocks.are_one(g)) one.where = place::one_host;
            to_.groups_of_ranks.push_back(std::move(one));
            if (!is_whole) ++to_.missing_members;
            if (g.is_different) ++to_.differing_groups;
            for (const call_group::lack& l : g.lacks) add_missing(from, g, l);
        }
        for (const lost_record& one : from.lost)
            if (!one.is_untimed) add_missing(from, one);
        to_.names = std::move(from.names);
    }
    static constexpr std::size_t most_listed = 1000;
    oplog::missing_call missing(const waiting_analysis& from, std::size_t rank, const oplog::program_step& step,
                                std::uint64_t number) const {
        oplog::missing_call one;
        one.rank = to_.ranks[rank].rank;
        one.group = from.names[step.group];
        one.operation = from.names[step.operation];
        one.batch = step.batch;
        one.number = number;
        return one;
    }
    void add_missing(const waiting_analysis& from, const call_group& g, const call_group::lack& l) {
        if (++to_.missing_call_count > most_listed) return;
        const call_group::member& other = g.members[l.of];
        const oplog::program_step& step = to_.ranks[other.rank].program[other.calls[l.call].place];
        oplog::missing_call one = missing(from, g.members[l.member].rank, step, l.number);
        for (const std::size_t n : l.have) one.ranks.push_back(to_.ranks[g.members[n].rank].rank);
        if (l.record >= 0) one.record = static_cast<std::uint64_t>(l.record);
        if (one.record) one.function = from.names[step.function];
        to_.missing_calls.push_back(std::move(one));
    }
    // What a cut log lacks is told once, of its first record.
    void add_missing(const waiting_analysis& from, const lost_record& l) {
        ++to_.missing_call_count;
        const bool is_next = last_lost_ != nullptr && last_lost_->rank == l.rank && last_lost_->before == l.before &&
                             l.before && !l.half && last_lost_->have == l.have;
        last_lost_ = l.half ? nullptr : &l;
        if (is_next && is_last_listed_) ++to_.missing_calls.back().in_a_row;
        if (is_next) return;
        is_last_listed_ = to_.missing_calls.size() < most_listed;
        if (!is_last_listed_) return;
        oplog::missing_call one = missing(from, l.rank, to_.ranks[l.of].program[l.step], l.number);
        one.before = l.before;
        if (l.half) {
            const operation_facts& half = facts_[to_.ranks[l.rank].program[*l.half].operation];
            using words = oplog_operations<build>;
            one.operation = words::name_of(
                half.kind == operation_kind::send ? operation_kind::receive : operation_kind::send, !half.backward);
        }
        for (const std::size_t n : l.have) one.ranks.push_back(to_.ranks[n].rank);
        to_.missing_calls.push_back(std::move(one));
    }

    const summary_state& s_;
    std::vector<analysed_rank> ranks_;
    std::vector<operation_facts> facts_;  // by name
    const lost_record* last_lost_ = nullptr;
    bool is_last_listed_ = false;
    oplog::run_answers to_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
