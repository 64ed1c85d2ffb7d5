// Turns work and waiting into answers: each rank's account, groups and operations; the speed of blocking calls.
#ifndef WLFMT_ANALYSIS_ANSWERS_CONCLUDE_HPP
#define WLFMT_ANALYSIS_ANSWERS_CONCLUDE_HPP

#include <map>

#include "../library.hpp"
#include "../summary/state.hpp"
#include "same_run.hpp"
#include "verdicts.hpp"
#include "waiting.hpp"

namespace wlfmt::analysis {

// The sizes of the parallel groups that the files' names give; nothing if a name gives none or two names differ.
inline std::optional<run_sizes> sizes_of_names(const summary_state& s) {
    std::optional<run_sizes> found;
    for (const auto& [rank, sums] : s.ranks) {
        const auto sizes = sizes_in(oplog::facts_of(s.names[sums.source.run]));
        if (!sizes || (found && (found->world != sizes->world || found->tensor != sizes->tensor ||
                                 found->pipeline != sizes->pipeline || found->expert != sizes->expert)))
            return std::nullopt;
        found = sizes;
    }
    return found;
}

class run_conclusions {
    using step = program_step;

public:
    run_conclusions(const summary_state& s, const std::optional<run_sizes>& sizes) : s_(s) {
        run_.too_many_calls = s.keeps_calls && s.too_many_steps;
        run_.repeated_ranks = s.keeps_calls && s.repeated;
        run_.any_beyond = s.beyond != 0;
        run_.sizes = sizes && sizes->are_possible() ? sizes : std::nullopt;
        const std::int64_t world = run_.sizes ? run_.sizes->world : 0;
        std::int64_t next = 0;
        const auto skip_to = [&](std::int64_t end) {
            for (; next < end && run_.missing_ranks.size() != max_missing; ++next) run_.missing_ranks.push_back(next);
            next = (std::max)(next, end);
        };
        for (const auto& [rank, sums] : s.ranks) {
            run_.texts += sums.source.texts;
            skip_to((std::min)(rank, world));
            if (rank == next && rank < world) ++next;
            const bool is_possible = !run_.sizes || (rank >= 0 && rank < world);
            if (!is_possible || !sums.program || sums.program->steps.empty()) {
                run_.left_out.push_back(rank);
                continue;
            }
            analysed_rank& analysed = ranks_.emplace_back();
            analysed.rank = rank;
            analysed.sums = &sums;
        }
        skip_to(world);
        same_run(s.names, ranks_, run_);
    }
    run_answers answer() {
        if (ranks_.empty()) {
            if (!run_.left_out.empty()) open_sums();
            return std::move(run_);
        }
        waiting_analysis waiting(s_.names, ranks_, run_);
        run_.by_iteration.resize(static_cast<std::size_t>(run_.iterations));
        // Each program is moved as a whole, so that groups can go on pointing to its steps.
        run_.ranks.reserve(ranks_.size());
        for (analysed_rank& r : ranks_) add_rank(waiting.facts, r);
        add_sums();
        // Without backward passes, a run evaluates, and has no iterations.
        run_.unfinished = is_unfinished_ && any_backward_;
        if (run_.unfinished)
            for (rank_answer& r : run_.ranks) r.micro_batches = bounded::unknown();
        const bool has_batches = !run_.unfinished && are_numbered(passes_, static_cast<double>(run_.micro_batches));
        if (!has_batches ||
            std::all_of(ranks_.begin(), ranks_.end(), [](const analysed_rank& r) { return r.has_unread; })) {
            run_.micro_batches = 0;
            for (iteration_answer& i : run_.by_iteration) i.micro_batches = 0;
        }
        if (has_batches && chunks_.least == chunks_.greatest) run_.chunks = chunks_.least;
        if (run_.iterations == 1) run_.by_iteration.clear();
        run_verdicts verdicts(run_);
        verdicts.add_stages();
        verdicts.add_imbalance(waiting.groups);
        verdicts.compare_ranks();
        verdicts.compare_iterations();
        verdicts.compare_stages();
        add_waits();
        add_groups(waiting);
        open_sums();
        return std::move(run_);
    }

private:
    static constexpr std::size_t max_missing = std::size_t{1} << 16;

    void add_sums() {
        analysed_rank whole_run;
        for (analysed_rank& r : ranks_) {
            for (const auto& [kind, sums] : r.by_kind) {
                group_answer& group = whole_run.by_kind[kind];
                group.calls += sums.calls;
                group.unknown_calls += sums.unknown_calls;
                group.late += sums.late;
                group.bytes += sums.bytes;
                add_to(group, sums);
            }
            for (const auto& [operation, sums] : r.by_operation) add_to(whole_run.by_operation[operation], sums);
        }
        name_sums(whole_run);
        run_.groups = std::move(whole_run.groups);
        run_.operations = std::move(whole_run.operations);
    }
    // A sum is not below 0, nor is a part of it more than the rank's.
    static void tighten_sums(analysed_rank& r) {
        tighten(r.account);
        for (auto& [operation, sums] : r.by_operation) {
            for (const auto time : parts_of<operation_answer>::times) sums.*time = not_below_0(sums.*time);
            sums.work = not_above(sums.work, r.account.work);
            sums.transfer = not_above(sums.transfer, r.account.transfer);
            sums.time = not_above(sums.time, r.account.span);
        }
        for (auto& [kind, sums] : r.by_kind)
            for (const auto time : parts_of<group_answer>::times)
                sums.*time = not_above(not_below_0(sums.*time), r.account.span);
    }
    static bounded not_above(const bounded& part, const bounded& whole) noexcept {
        return part.is_exact() ? part : common(part, bounded::no_more(whole.at_most()));
    }
    void name_sums(analysed_rank& r) const {
        for (const auto& [kind, sums] : r.by_kind) {
            group_answer& group = r.groups.emplace_back(in_milliseconds(sums));
            group.group = run_.names[kind];
            // Unknown calls and lost ones are in none of these numbers.
            if (group.unknown_calls != 0 || !group.calls.is_exact()) {
                group.waiting_more = bounded::unknown();
                group.late.widen(0, bounded::unlimited);
            }
            if (group.group == operations::model) {
                group.transfer = bounded::unknown();
                group.exposed.widen(0, bounded::unlimited);
            }
        }
        for (const auto& [operation, sums] : r.by_operation) {
            if (sums.time == 0) continue;
            r.operations.push_back(in_milliseconds(sums));
            r.operations.back().operation = run_.names[operation];
        }
    }
    // Whether the numbers of micro-batches tell these apart. Several passes of one are those of the chunks of a virtual
    // pipeline, which takes several micro-batches.
    bool are_numbered(double passes, double batches) const noexcept {
        return passes <= batches || (run_.interleaved && batches > static_cast<double>(run_.iterations));
    }
    void add_rank(const std::vector<operation_facts>& facts, analysed_rank& r) {
        if (r.sums->stage != no_number) r.stage = r.sums->stage;
        std::vector<time_account> parts(static_cast<std::size_t>(run_.iterations));
        std::size_t iteration = 0;  // the number of the iteration, which ends with its optimizer_step
        std::map<std::int64_t, std::uint64_t> batches;  // the number of forward steps of each micro-batch
        double all_passes = 0;                          // the number of all forward steps
        double begin = 0;                               // when the iteration begins
        // A std::optional would have GCC warn of a value that is not initialized.
        struct moment {
            bool is_known = false;
            double at = 0;
        };
        moment first_forward;
        moment last_backward;
        const auto add_time = [](bounded& time, moment& end, double from) {
            if (end.is_known) time = bounded((time.is_known() ? time.number() : 0) + in_milliseconds(end.at - from));
            end.is_known = false;
        };
        std::uint64_t forwards = 0;
        std::uint64_t backwards = 0;
        bool any_optimizer = false;
        bool is_open = false;  // passes follow the last optimizer_step
        bool is_uneven = false;
        const auto count_pass = [&](operation_kind kind) {
            forwards += kind == operation_kind::forward ? 1U : 0U;
            backwards += kind == operation_kind::backward ? 1U : 0U;
            is_open = is_pass(kind) || (is_open && kind != operation_kind::optimizer);
            any_optimizer = any_optimizer || kind == operation_kind::optimizer;
            any_backward_ = any_backward_ || kind == operation_kind::backward;
        };
        const auto end_iteration = [&] {
            is_uneven = is_uneven || forwards != backwards;
            forwards = backwards = 0;
            r.micro_batches.add(static_cast<double>(batches.size()));
            std::uint64_t& batch_count = run_.by_iteration[iteration].micro_batches;
            batch_count = (std::max)(batch_count, std::uint64_t{batches.size()});
            for (const auto& [batch, passes] : batches) chunks_.add(passes);
            batches.clear();
            add_time(r.first_forward, first_forward, begin);
            add_time(r.pipeline_span, last_backward, begin);
            ++iteration;
        };
        double end = 0;
        bool is_unplaced = r.has_doubtful_clock;  // a pass may have been at another time
        const operation_facts* record = nullptr;
        const auto* untimed = r.untimed_steps.data();
        const auto* const end_untimed = untimed + r.untimed_steps.size();
        // Counts the passes without a time of the records before the one that begins at `next`.
        const auto pass_untimed = [&](std::uint64_t before, double next) {
            for (; untimed != end_untimed && untimed->record < before; ++untimed) {
                const operation_kind kind = untimed->nested ? operation_kind::other : facts[untimed->operation].kind;
                count_pass(kind);
                if (kind == operation_kind::forward) ++batches[untimed->batch];
                if (kind != operation_kind::optimizer || iteration + 1 >= run_.iterations) continue;
                end_iteration();
                begin = next;
            }
        };
        for (step& own : r.program) {
            if (!own.nested) {
                if (record != nullptr) {
                    if (record->kind == operation_kind::optimizer && iteration + 1 < run_.iterations) {
                        end_iteration();
                        begin = own.start;
                    }
                    parts[iteration].gaps.add(own.start - end);
                    parts[iteration].span.add(own.start - end);
                    if (own.start < end - overlap_noise) r.overlaps.add(1);
                }
                pass_untimed(own.record, own.start);
                record = &facts[own.operation];
                end = own.start + own.duration;
                is_unplaced = is_unplaced || (is_pass(record->kind) && own.is_doubtful && r.is_in_disorder);
                count_pass(record->kind);
                parts[iteration].span.add(own.duration);
                if (record->kind == operation_kind::forward) {
                    if (!first_forward.is_known) first_forward = {true, own.start};
                    ++batches[own.batch];
                    all_passes += own.is_doubtful ? 0 : 1;  // it may be there twice
                }
                if (record->kind == operation_kind::backward) last_backward = {true, end};
            } else {
                r.nested_calls.add(1);
                r.nested_bytes.add(static_cast<double>(known_bytes(own)));
            }
            time_account& account = parts[iteration];
            account.work += own.work;
            account.transfer += own.transfer();
            account.unknown.add(own.unknown());
            (own.in_stage ? account.stage_waiting : account.pipeline_waiting) += own.waiting;
            if (own.in_stage && record->is_pipeline_step()) r.uneven += own.waiting;
            if (own.alone) r.alone.add(own.duration);
            set_milliseconds(own);
        }
        pass_untimed((std::numeric_limits<std::uint64_t>::max)(), end);
        end_iteration();
        // What a log has lost, or has in disorder, is told of that log.
        const bool is_as_written = r.lost == 0 && !r.has_unread && !r.is_in_disorder && r.contradictions == 0;
        if (is_as_written) is_unfinished_ = is_unfinished_ || is_uneven || (any_optimizer && is_open);
        set_account(r, parts);
        name_sums(r);
        for (const auto& [operation, sums] : r.by_operation)
            if (facts[operation].is_pipeline_step()) r.pipeline_busy += sums.time;
        for (bounded* time : {&r.pipeline_busy, &r.uneven, &r.alone, &r.caused}) *time = in_milliseconds(*time);
        r.begin = in_milliseconds(static_cast<double>(r.first));
        constexpr double any = bounded::unlimited;
        r.records = bounded(static_cast<double>(r.sums->operations));
        r.doubles = bounded(static_cast<double>(r.sums->doubles));
        r.doubled = bounded(in_milliseconds(r.sums->program->doubled.as_double()));
        if (r.contradictions != 0) r.records = bounded::unknown();
        if (r.is_in_disorder) r.doubles = r.doubled = bounded::unknown();
        r.untimed = r.sums->program->untimed;
        r.negative = r.sums->negative;
        run_.contradictions += r.contradictions;
        if (is_unplaced) r.pipeline_span_error = r.first_forward_error = bounded::unknown();
        // A rank without such a step has no such time.
        if (r.pipeline_span.is_known()) r.pipeline_span = not_below_0(r.pipeline_span + r.pipeline_span_error);
        if (r.first_forward.is_known()) r.first_forward = not_below_0(r.first_forward + r.first_forward_error);
        if (const bounded& waiting = r.account.stage_waiting; !waiting.is_exact())
            r.uneven = bounded::between(r.uneven.at_least(), waiting.at_most());
        if (r.lost != 0)
            for (bounded* count : {&r.alone, &r.nested_calls, &r.nested_bytes, &r.records, &r.doubles, &r.doubled,
                                   &r.overlaps, &r.micro_batches})
                count->widen(0, any);
        add_to(run_.total, r.account);
        run_.lost += r.lost;
        run_.doubled += r.doubled;
        run_.doubles += r.doubles;
        run_.untimed += r.untimed;
        run_.negative += r.negative;
        run_.overlaps += r.overlaps;
        run_.micro_batches = (std::max)(run_.micro_batches, static_cast<std::uint64_t>(r.micro_batches.number()));
        passes_ = (std::max)(passes_, all_passes);
        if (!are_numbered(all_passes, r.micro_batches.number())) r.micro_batches = bounded::unknown();
        run_.ranks.push_back(static_cast<rank_answer&&>(r));
    }
    // Sets the rank's account, and those of its iterations. `parts`: what the records of each iteration add up to, in
    // whole millionths, so that accounts add up exactly.
    void set_account(analysed_rank& r, std::vector<time_account>& parts) {
        parts[0].gaps.add(r.before_records);
        bounded records;
        for (const time_account& part : parts) {
            r.account.gaps += part.gaps;
            records += part.span - part.gaps;
        }
        const auto span = static_cast<double>(r.last - r.first);
        for (const time_account& part : parts) r.account.span += part.span;
        // Where records overlap, the last one need not end last.
        r.account.gaps.add(span - r.account.span.number());
        // Otherwise, the time in which two records overlap would be in the sum twice.
        for (bounded* part : {&r.account.unknown, &r.account.work}) {
            const double twice = -r.account.gaps.number();
            if (!(twice > 0)) break;
            const double less = (std::min)(twice, part->at_most());
            if (part == &r.account.unknown || twice <= overlap_noise) part->add(-less);
            else part->widen(less, 0);
            r.account.gaps.add(less);
        }
        r.account.span = bounded(span) + r.span_error;
        r.account.gaps += r.gaps_error;
        // A clock that was set meanwhile still shows how long each record took.
        if (r.has_doubtful_clock) {
            r.account.span = bounded::no_less((std::min)(span, records.number() - r.halves_apart));
            r.account.gaps = bounded::no_less(0);
        }
        r.account.span = not_below_0(r.account.span);
        tighten_sums(r);
        r.account = in_milliseconds(r.account);
        for (std::size_t k = 0; k != parts.size(); ++k) {
            time_account part = in_milliseconds(parts[k]);
            // Which iteration lacks a step, or has one with a time that contradicts others, is not recorded, and a lost
            // optimizer_step hides where its iteration ends.
            for (const auto time : parts_of<time_account>::times)
                if (r.lost != 0 || r.has_unread || r.contradictions != 0 || r.has_doubtful_clock)
                    part.*time = bounded::between(0, (r.account.*time).at_most());
            run_.by_iteration[k].ranks.push_back(part);
            add_to(run_.by_iteration[k].total, part);
        }
    }
    // Adds what the rest of the run may add to these numbers.
    template <class Sums> static void open(Sums& sums) noexcept {
        for (const auto time : parts_of<Sums>::times) (sums.*time).widen(0, bounded::unlimited);
    }
    static void open(std::initializer_list<bounded*> numbers) noexcept {
        for (bounded* number : numbers) number->widen(0, bounded::unlimited);
    }
    // Says what follows from what is known only of the whole run.
    void open_sums() {
        bool any_faster = !run_.missing_ranks.empty() || !run_.left_out.empty();
        const bounded& waiting = run_.total.stage_waiting;
        double unshared = waiting.width();
        for (const analysed_rank& r : ranks_)
            for (const auto& [kind, time] : r.unshared) unshared += in_milliseconds(time.number());
        const auto open_causes = [&](auto& r) {
            if (waiting.is_exact()) return;
            // Ranks that have no log waited, too.
            r.caused.widen(0, any_faster ? bounded::unlimited : unshared);
            open({&r.late, &r.last_of});
        };
        for (rank_answer& r : run_.ranks) open_causes(r);
        if (run_.slowest_rank) open_causes(*run_.slowest_rank);
        // Sums over all ranks lack those of ranks that have no log.
        if (any_faster) {
            open(run_.total);
            for (group_answer& g : run_.groups) {
                open(g);
                open({&g.calls, &g.bytes, &g.late});
            }
            for (operation_answer& o : run_.operations) open(o);
            for (iteration_answer& i : run_.by_iteration) open(i.total);
            open({&run_.doubles, &run_.doubled});
        }
        for (const group_answer& g : run_.groups)
            any_faster = any_faster ||
                         (g.group == operations::word_of(oplog::group::pipeline_parallel) && !g.transfer.is_exact());
        for (auto& floor : run_.message_floors)
            if (any_faster) floor.second = bounded::between(0, floor.second.at_most());
        if (run_.together) return;
        // Where ranks were traced separately, stand-ins took the place of communication.
        const auto forget = [](time_account& t) {
            t.transfer = t.stage_waiting = t.pipeline_waiting = bounded::unknown();
        };
        const auto forget_calls = [](std::vector<group_answer>& groups, std::vector<operation_answer>& operations) {
            for (group_answer& g : groups)
                g.transfer = g.waiting = g.overlapped = g.exposed = g.waiting_more = g.late = bounded::unknown();
            for (operation_answer& o : operations) o.transfer = o.waiting = bounded::unknown();
        };
        forget(run_.total);
        forget_calls(run_.groups, run_.operations);
        for (stage_answer& s : run_.stages) {
            forget(s.account);
            s.batch_work = bounded::unknown();
        }
        for (iteration_answer& i : run_.by_iteration) {
            forget(i.total);
            for (time_account& t : i.ranks) forget(t);
        }
        for (rank_answer& r : run_.ranks) {
            forget(r.account);
            forget_calls(r.groups, r.operations);
            r.caused = r.late = r.last_of = r.uneven = bounded::unknown();
        }
        if (run_.slowest_rank)
            run_.slowest_rank->caused = run_.slowest_rank->late = run_.slowest_rank->last_of = bounded::unknown();
        run_.slowest_stage.reset();
    }
    void add_waits() {
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            for (const auto& [whom, time] : ranks_[n].waits) {
                const auto& [late, kind] = whom;
                run_.waits.push_back({run_.ranks[late].rank, run_.ranks[n].rank, run_.names[kind],
                                      in_milliseconds(time.widened(0, ranks_[n].by_kind[kind].waiting.width() +
                                                                          ranks_[n].unshared[kind].number()))});
            }
    }
    bool is_one_host(const call_group& g) const {
        return std::all_of(g.members.begin(), g.members.end(), [&](const call_group::member& m) {
            return run_.ranks[m.rank].clock == run_.ranks[g.members.front().rank].clock;
        });
    }
    void add_groups(const waiting_analysis& from) {
        using place = group_of_ranks::place;
        for (const call_group& g : from.groups) {
            group_of_ranks& group = run_.groups_of_ranks.emplace_back();
            group.kind = run_.names[g.kind];
            group.size = g.place.size;
            bool apart = false;
            for (const call_group::member& m : g.members) {
                group.ranks.push_back(run_.ranks[m.rank].rank);
                apart = apart || (g.has_offsets && (std::max)(m.offset, -m.offset) >= one_millisecond);
            }
            const bool is_doubtful = std::any_of(g.members.begin(), g.members.end(),
                                                 [&](const auto& m) { return ranks_[m.rank].has_doubtful_clock; });
            if (is_doubtful) group.where = place::unknown;
            else if (run_.together && apart) group.where = place::several_hosts;
            else if (run_.together && g.is_whole() && is_one_host(g)) group.where = place::one_host;
            run_.missing_members += g.is_whole() ? 0U : 1U;
            run_.differing_groups += g.is_different ? 1U : 0U;
        }
    }

    const summary_state& s_;
    std::vector<analysed_rank> ranks_;
    run_answers run_;
    number_range<std::uint64_t> chunks_;
    double passes_ = 0;  // the most forward steps of a rank
    bool any_backward_ = false;
    bool is_unfinished_ = false;  // an iteration of a rank is not whole, though none of its records is known to be lost
};

// nccl-tests' factor from the bandwidth of the bytes that one of n ranks contributes to the bandwidth of the links.
inline std::optional<double> bus_factor(oplog::collective function, double n) noexcept {
    switch (function) {
    case oplog::collective::allreduce: return 2 * (n - 1) / n;
    case oplog::collective::all_to_all:
    case oplog::collective::reduce_scatter: return (n - 1) / n;
    case oplog::collective::allgather: return n - 1;  // each rank contributes an n-th of all bytes
    case oplog::collective::broadcast: return 1.0;
    case oplog::collective::none:
    case oplog::collective::other: break;  // without `default`, as a new collective has to be decided here
    }
    return std::nullopt;
}

// The rows of run_answers::bandwidth. Linear in calls except for sorting each row's times.
inline std::vector<bandwidth_answer> bandwidth_of(const run_answers& a) {
    using step = program_step;
    using row = bandwidth_answer;
    struct calls_of_row {
        double bytes = 0;
        std::vector<double> times;
    };
    // Keys: group kind and collective (numbered in the order of names), bytes, and the group's place and size.
    std::map<std::array<std::int64_t, 5>, calls_of_row> rows;
    for (const group_call& call : a.calls) {
        const auto step_of = [&](std::size_t n) -> const step& {
            const call_member& member = a.members[call.first_member + n];
            return a.ranks[member.rank].program[member.step];
        };
        if (!call.is_known || call.members < 2 || step_of(0).what != step::kind::collective) continue;
        const step& first = step_of(0);
        std::int64_t size = first.bytes;
        double bytes = 0;
        for (std::size_t n = 0; n != call.members; ++n) {
            const std::int64_t own = step_of(n).bytes;
            if (own < 0) size = row::unknown_size;
            else if (own != size && size >= 0) size = row::differs;
            bytes += static_cast<double>(own);
        }
        const group_of_ranks& group = a.groups_of_ranks[call.group];
        calls_of_row& calls = rows[{first.group, first.nested ? first.function : first.operation, size,
                                    static_cast<std::int64_t>(group.where), group.size}];
        if (size != row::unknown_size) calls.bytes += bytes / call.members;
        calls.times.push_back(call.transfer);
    }
    std::vector<row> answer;
    for (auto& [key, calls] : rows) {
        row& speed = answer.emplace_back();
        speed.group = a.names[static_cast<std::size_t>(key[0])];
        speed.function = a.names[static_cast<std::size_t>(key[1])];
        speed.size = key[2];
        speed.where = static_cast<group_of_ranks::place>(key[3]);
        speed.ranks = key[4];
        double transfer = 0;
        for (const double t : calls.times) transfer += t;
        speed.calls = bounded(static_cast<double>(calls.times.size()));
        speed.bytes = speed.size == row::unknown_size ? bounded::unknown() : bounded(calls.bytes);
        speed.transfer = bounded(transfer);
        speed.least_transfer = bounded(*std::min_element(calls.times.begin(), calls.times.end()));
        speed.median_transfer = bounded(low_median(std::move(calls.times)));
        if (speed.size == row::unknown_size || !(transfer > 0)) continue;
        speed.algorithm = bounded(calls.bytes / transfer / 1e6);
        const oplog::collective collective = operations::facts_of(speed.function).collective;
        if (const auto factor = bus_factor(collective, static_cast<double>(speed.ranks)))
            speed.bus = speed.algorithm * *factor;
    }
    return answer;
}

}  // namespace wlfmt::analysis

#endif
