// Divides the time of each rank into work, transfer, waiting, and what cannot be told.
#ifndef WLFMT_DETAIL_ANSWERS_WAITING_HPP
#define WLFMT_DETAIL_ANSWERS_WAITING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../summary/ordered_map.hpp"
#include "../summary/state.hpp"
#include "align.hpp"
#include "lost.hpp"
#include "rank.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

class waiting_analysis {
    using operations = oplog_operations<build>;
    using step_kind = oplog::program_step::kind;

public:
    waiting_analysis(const summary_state& s, std::vector<analysed_rank>& ranks,
                     const std::optional<oplog::run_sizes>& sizes)
        : s_(s), ranks_(ranks), sizes_(sizes) {
        name_all();
        for (std::size_t n = 0; n != ranks_.size(); ++n) add_program(n);
        for (call_group& g : groups) call_alignment::align(g);
        find_lost();
        judge();
        find_floors();
        for (analysed_rank& r : ranks_) add_messages(r);
        for (std::size_t n = 0; n != groups.size(); ++n) add_calls(n);
        for (analysed_rank& r : ranks_) add_records(r);
    }

    std::vector<std::string> names;      // sorted; the first is empty
    std::vector<operation_facts> facts;  // of each of them, as an operation
    std::vector<call_group> groups;      // of at least two ranks, by kind and place
    std::vector<std::string> alone;      // kinds of groups of one
    std::vector<oplog::group_call> calls;
    std::vector<oplog::call_member> members;
    bool common_moment = false;
    bool together = false;
    bool same_clock = false;
    // For each group, the time from its first blocking call to its last: how much the members' times differ, and the
    // longest.
    std::vector<double> spreads;
    std::vector<double> extents;
    run_clocks clocks;
    ordered_map<std::int64_t, std::int64_t> floors;  // by bytes, the least duration of a message
    struct leave_times {
        std::vector<double> leaves;
        std::vector<double> arrive;
    };
    ordered_map<std::uint32_t, leave_times> leaving;
    std::vector<lost_record> lost;

private:
    // Names get numbers in their order, so that the answers do not depend on the order in which they were met.
    void name_all() {
        std::vector<std::uint32_t> used{0};
        std::vector<char> seen(s_.names.size());
        seen[0] = 1;
        const auto use = [&](std::uint32_t name) {
            if (seen[name] == 0) used.push_back(name);
            seen[name] = 1;
        };
        for (const analysed_rank& r : ranks_)
            for (const kept_step& step : r.kept->steps) {
                use(step.name);
                use(step.group);
            }
        for (const std::uint32_t name : used) names.push_back(s_.names[name]);
        for (const oplog::group g : {oplog::group::pipeline_parallel}) names.emplace_back(operations::word_of(g));
        names.emplace_back(operations::model);
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        const auto place_of_name = [&](std::string_view name) {
            return static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin());
        };
        renamed_.resize(s_.names.size());
        for (const std::uint32_t name : used) renamed_[name] = place_of_name(s_.names[name]);
        for (const std::string& name : names) {
            facts.push_back(operations::facts_of(name));
            in_stage_.push_back(operations::is_in_stage(name) ? 1 : 0);
        }
        model_ = place_of_name(operations::model);
        messages_ = place_of_name(operations::word_of(oplog::group::pipeline_parallel));
    }

    static constexpr std::int32_t no_group = -1;
    static constexpr std::int32_t group_of_one = -2;
    void add_program(std::size_t n) {
        analysed_rank& r = ranks_[n];
        const auto& steps = r.kept->steps;
        r.program.reserve(steps.size());
        for (const kept_step& step : steps) {
            if (step.is_nested) continue;
            const std::int64_t begin = step.end - step.duration;
            const bool is_first = &step == &steps.front();
            r.first = is_first ? begin : (std::min)(r.first, begin);
            r.last = is_first ? step.end : (std::max)(r.last, step.end);
        }
        std::vector<std::pair<std::uint32_t, std::int32_t>> places;  // of the kinds of groups that it has met
        std::uint32_t operation = 0;
        std::int64_t batch = no_number;
        for (const kept_step& from : steps) {
            oplog::program_step to;
            to.nested = from.is_nested != 0;
            to.record = from.record;
            to.bytes = from.bytes;
            to.duration = static_cast<double>(from.duration);
            to.start = static_cast<double>(from.end - from.duration - r.first);
            if (!to.nested) {
                operation = renamed_[from.name];
                batch = from.place;
            }
            to.operation = operation;
            to.batch = batch;
            const operation_facts& of = facts[operation];
            to.group = renamed_[from.group];
            if (to.nested) {
                to.position = static_cast<std::int32_t>(from.place);
                to.function = renamed_[from.name];
                to.what = from.runs_beside ? step_kind::asynchronous : step_kind::collective;
            } else if (of.is_message()) {
                to.what = of.kind == operation_kind::send      ? step_kind::send
                          : of.kind == operation_kind::receive ? step_kind::receive
                                                               : step_kind::exchange;
                to.backward = of.backward;
                to.group = messages_;
            } else if (of.kind == operation_kind::collective) {
                to.what = step_kind::collective;
            } else if (of.kind == operation_kind::optimizer) {
                to.group = model_;
            }
            to.in_stage = in_stage_[to.group] != 0;
            const auto place = static_cast<std::uint32_t>(r.program.size());
            r.program.push_back(to);
            if (!to.nested && of.is_message()) continue;
            if (to.what == step_kind::work && of.kind != operation_kind::optimizer) continue;
            const std::int32_t group = group_at(places, n, to.group);
            r.program.back().alone = group == group_of_one;
            if (group < 0) continue;
            const bool is_beside = to.what != step_kind::collective;
            groups[static_cast<std::size_t>(group)].members.back().calls.push_back(
                {&from, place, operation, batch, is_beside});
        }
    }
    // The group of a kind that a rank is in, of which it becomes a member.
    std::int32_t group_at(std::vector<std::pair<std::uint32_t, std::int32_t>>& places, std::size_t n,
                          std::uint32_t kind) {
        for (const auto& [known, group] : places)
            if (known == kind) return group;
        const auto place = sizes_ ? place_of(names[kind], ranks_[n].rank, *sizes_) : std::nullopt;
        if (!place) return no_group;
        std::int32_t to = group_of_one;
        if (place->size > 1) {
            const auto [at, is_new] =
                numbers_.try_emplace(std::tuple(kind, place->first, place->second), groups.size());
            if (is_new) {
                groups.emplace_back();
                groups.back().kind = kind;
                groups.back().place = *place;
            }
            to = static_cast<std::int32_t>(at->second);
            groups[at->second].members.push_back({n, {}, 0});
        } else if (std::find(alone.begin(), alone.end(), names[kind]) == alone.end()) {
            alone.insert(std::lower_bound(alone.begin(), alone.end(), names[kind]), names[kind]);
        }
        places.emplace_back(kind, to);
        return to;
    }

    // Were the ranks traced together, and which of them have one clock?
    void judge() {
        std::int64_t last_begin = no_number;
        std::int64_t first_end = (std::numeric_limits<std::int64_t>::max)();
        bool any_message = false;
        std::vector<std::pair<std::int64_t, std::int64_t>> spans;
        for (const analysed_rank& r : ranks_) {
            spans.emplace_back(r.first, r.last);
            last_begin = (std::max)(last_begin, r.first);
            first_end = (std::min)(first_end, r.last);
            for (const oplog::program_step& step : r.program)
                any_message = any_message || (!step.nested && step.group == messages_);
        }
        double farthest = 0;
        for (const call_group& g : groups) {
            if (g.members.size() < 2 || !g.has_offsets) continue;
            for (const auto& m : g.members) farthest = (std::max)(farthest, m.offset < 0 ? -m.offset : m.offset);
            add_extent(g);
        }
        common_moment = last_begin < first_end;
        together = common_moment || any_message;
        // Members that ran together need the same time, within 0.1 ms and 1 %.
        if (!spreads.empty()) together = low_median(spreads) <= 0.1e6 + 0.01 * low_median(extents);
        same_clock = common_moment && farthest < one_millisecond;
        clocks = run_clocks(spans, groups, together);
    }
    void add_extent(const call_group& g) {
        std::size_t first = g.row_count();
        std::size_t last = 0;
        std::size_t count = 0;
        for (std::size_t row = 0; row != g.row_count(); ++row) {
            if (!g.is_complete(row) || g.at(row, 0)->is_beside) continue;
            first = (std::min)(first, row);
            last = row;
            ++count;
            add_leaving(g, row);
        }
        if (count < 2) return;
        double least = 0;
        double greatest = 0;
        for (std::size_t n = 0; n != g.members.size(); ++n) {
            const auto extent = static_cast<double>(g.at(last, n)->step->end - g.at(first, n)->step->end);
            least = n == 0 ? extent : (std::min)(least, extent);
            greatest = n == 0 ? extent : (std::max)(greatest, extent);
        }
        spreads.push_back(greatest - least);
        extents.push_back(greatest);
    }
    void add_leaving(const call_group& g, std::size_t row) {
        double bounds[4] = {};  // the first and the last to leave, and to arrive
        for (std::size_t n = 0; n != g.members.size(); ++n) {
            const kept_step& step = *g.at(row, n)->step;
            const auto leaves = static_cast<double>(step.end - g.at(row, 0)->step->end);
            const double arrives = leaves - static_cast<double>(step.duration);
            bounds[0] = n == 0 ? leaves : (std::min)(bounds[0], leaves);
            bounds[1] = n == 0 ? leaves : (std::max)(bounds[1], leaves);
            bounds[2] = n == 0 ? arrives : (std::min)(bounds[2], arrives);
            bounds[3] = n == 0 ? arrives : (std::max)(bounds[3], arrives);
        }
        leave_times& to = leaving[g.kind];
        to.leaves.push_back(bounds[1] - bounds[0]);
        to.arrive.push_back(bounds[3] - bounds[2]);
    }

    // What ranks lack makes a limit of each number that it would be in.
    void find_lost() {
        const auto embedding = std::lower_bound(names.begin(), names.end(), operations::embedding) - names.begin();
        lost = lost_records(ranks_, facts, static_cast<std::uint32_t>(embedding), sizes_ ? sizes_->pipeline : 0).find();
        ordered_map<std::tuple<std::size_t, std::uint32_t, std::int64_t>, bool> told;
        for (const lost_record& one : lost) {
            const std::vector<oplog::program_step>& program = ranks_[one.of].program;
            const oplog::program_step& record = program[one.step];
            told[{one.rank, record.operation, record.batch}] = true;
            if (one.half) {
                // The time is there, by another name.
                analysed_rank& r = ranks_[one.rank];
                ++r.lost;
                limit_operation(r.operations[record.operation], oplog::limit::least);
                limit_operation(r.operations[r.program[*one.half].operation], oplog::limit::most);
                continue;
            }
            mark_lost(one);
            mark_lost(ranks_[one.rank], program, one.step, true);
        }
        // What is missing with its record is told of the record.
        std::vector<std::optional<places_by_name>> records(ranks_.size());
        for (call_group& g : groups) {
            std::size_t kept = 0;
            for (call_group::lack& one : g.lacks) {
                analysed_rank& r = ranks_[g.members[one.member].rank];
                const member_call& call = g.members[one.of].calls[one.call];
                g.is_different = true;
                if (one.record < 0) find_record(one, r, call, records[g.members[one.member].rank]);
                if (one.record < 0 &&
                    told.count(std::tuple(g.members[one.member].rank, call.operation, call.batch)) != 0)
                    continue;
                mark_lost(r, ranks_[g.members[one.of].rank].program, call.place, one.record < 0);
                g.lacks[kept++] = one;
            }
            g.lacks.resize(kept);
            // What is left may be broadcasts, whose source leaves them before the others: that tells nothing of clocks.
            for (const call_group::member& m : g.members)
                g.has_offsets = g.has_offsets && (!g.is_different || m.deviation <= clock_noise);
        }
    }
    // The record may be there, without any call of this group. `records`: those of the rank, once they were asked for.
    static void find_record(call_group::lack& to, const analysed_rank& of, const member_call& call,
                            std::optional<places_by_name>& records) {
        if (!call.step->is_nested) return;
        if (!records) {
            records.emplace();
            for (std::size_t n = 0; n != of.program.size(); ++n)
                if (!of.program[n].nested) records->add(of.program[n].operation, of.program[n].batch, n);
            records->sort();
        }
        const auto place = records->find(call.operation, call.batch, to.number);
        if (!place) return;
        to.record = of.program[*place].record;
        to.number = 1;
    }
    static void limit_operation(oplog::operation_answer& to, oplog::limit what) {
        for (oplog::limit* one : {&to.time_limit, &to.transfer_limit, &to.waiting_limit}) limit_to(*one, what);
    }
    void mark_lost(const lost_record& lost_one) {
        analysed_rank& r = ranks_[lost_one.rank];
        limit_ends(r, lost_one);
        const oplog::program_step& record = ranks_[lost_one.of].program[lost_one.step];
        r.lost_iteration_end = r.lost_iteration_end || facts[record.operation].kind == operation_kind::optimizer;
        if (facts[record.operation].is_message()) lost_sizes_[(std::max)(record.bytes, std::int64_t{0})] = true;
    }
    // Of a step that a rank lacks, and another one has: of a record, with its calls.
    void mark_lost(analysed_rank& r, const std::vector<oplog::program_step>& program, std::size_t place,
                   bool with_record) {
        using oplog::limit;
        ++r.lost;
        for (std::size_t n = place;; ++n) {
            const oplog::program_step& step = program[n];
            oplog::operation_answer& of = r.operations[step.operation];
            if (!step.nested) limit_to(of.time_limit, limit::least);
            // The time of a call that is lost is in the work of its record.
            const bool is_work = with_record && (step.alone || step.what == step_kind::work);
            if (is_work || !with_record) limit_work(r, step, is_work ? limit::least : limit::most);
            if (step.nested || step.what != step_kind::work || step.group == model_) {
                oplog::group_answer& to = r.kinds[step.group];
                limit_to(to.calls_limit, limit::least);
                r.lost_calls += step.nested ? 1U : 0U;
                r.lost_bytes += step.nested && step.bytes > 0 ? static_cast<double>(step.bytes) : 0;
                if (!step.alone) {
                    if (step.what == step_kind::asynchronous) limit_to(to.overlapped_limit, limit::least);
                    if (step.what != step_kind::asynchronous && step.what != step_kind::work)
                        limit_transfer(r, step, to, limit::least);
                    set_waiting_limit(r, step, to, limit::least);
                }
            }
            if (!with_record || n + 1 == program.size() || !program[n + 1].nested) return;
        }
    }
    void limit_work(analysed_rank& r, const oplog::program_step& step, oplog::limit what) {
        limit_to(r.account.work_limit, what);
        limit_to(r.operations[step.operation].work_limit, what);
    }
    void limit_transfer(analysed_rank& r, const oplog::program_step& step, oplog::group_answer& to, oplog::limit what) {
        limit_to(r.account.transfer_limit, what);
        limit_to(r.operations[step.operation].transfer_limit, what);
        limit_to(to.transfer_limit, what);
    }

    void find_floors() {
        for (const analysed_rank& r : ranks_)
            for (std::size_t n = 0; n != r.program.size(); ++n) {
                const oplog::program_step& step = r.program[n];
                if (step.nested || step.group != messages_ || !facts[step.operation].is_message()) continue;
                const std::int64_t took = r.kept->steps[n].duration;
                const auto at = floors.try_emplace((std::max)(step.bytes, std::int64_t{0}), took).first;
                at->second = (std::min)(at->second, took);
            }
    }
    void add_messages(analysed_rank& r) {
        for (oplog::program_step& step : r.program) {
            if (step.nested || !facts[step.operation].is_message()) continue;
            oplog::group_answer& to = r.kinds[messages_];
            ++to.calls;
            if (step.bytes > 0) to.bytes += static_cast<double>(step.bytes);
            if (!together) {
                set_unknown(r, step, to);
                continue;
            }
            step.transfer = static_cast<double>(floors.at((std::max)(step.bytes, std::int64_t{0})));
            step.waiting = step.duration - step.transfer;
            to.transfer += step.transfer;
            to.waiting += step.waiting;
            // A message that is lost may have been quicker.
            if (lost_sizes_.count((std::max)(step.bytes, std::int64_t{0})) != 0) {
                limit_transfer(r, step, to, oplog::limit::most);
                set_waiting_limit(r, step, to, oplog::limit::least);
            }
            const operation_facts& of = facts[step.operation];
            if (!sizes_ || !of.between_stages || !(step.waiting > 0)) continue;
            const std::int64_t per_stage = sizes_->world / sizes_->pipeline;
            const bool is_next = of.kind == operation_kind::exchange ? !of.backward : of.is_to_next_stage();
            const std::int64_t other = r.rank + (is_next ? per_stage : -per_stage);
            const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), other,
                                             [](const analysed_rank& a, std::int64_t rank) { return a.rank < rank; });
            if (at == ranks_.end() || at->rank != other) continue;
            step.late = other;
            add_wait(r, static_cast<std::size_t>(at - ranks_.begin()), messages_, step.waiting);
        }
    }
    // Joins it with one of the last waits if that is alike; the rest is joined in the end.
    static void add_wait(analysed_rank& r, std::size_t late, std::uint32_t kind, double time) {
        for (std::size_t n = r.waits.size(); n-- != 0 && n + 8 >= r.waits.size();)
            if (r.waits[n].late == late && r.waits[n].kind == kind) {
                r.waits[n].time += time;
                return;
            }
        r.waits.push_back({late, kind, time});
    }
    // The time of a blocking call of which it cannot be told what it waits.
    void set_unknown(analysed_rank& r, oplog::program_step& step, oplog::group_answer& to) {
        step.unknown = step.duration;
        to.unknown += step.unknown;
        ++to.unknown_calls;
        limit_transfer(r, step, to, oplog::limit::least);
        set_waiting_limit(r, step, to, oplog::limit::least);
    }
    static void set_waiting_limit(analysed_rank& r, const oplog::program_step& step, oplog::group_answer& to,
                                  oplog::limit what) {
        limit_to(r.operations[step.operation].waiting_limit, what);
        limit_to(step.in_stage ? r.account.stage_limit : r.account.pipeline_limit, what);
        limit_to(to.waiting_limit, what);
    }

    // The calls of a group that are known to be one call become that, and their time is divided.
    void add_calls(std::size_t number) {
        const call_group& g = groups[number];
        const bool is_whole = together && static_cast<std::int64_t>(g.members.size()) == g.place.size;
        std::vector<double> blocking(g.members.size());
        for (std::size_t row = 0; row != g.row_count(); ++row) {
            oplog::group_call one;
            one.group = static_cast<std::uint32_t>(number);
            one.first_member = static_cast<std::uint32_t>(members.size());
            one.is_known = is_whole && g.is_complete(row);
            for (std::size_t n = 0; n != g.members.size(); ++n) {
                const member_call* own = g.at(row, n);
                if (own == nullptr) continue;
                const auto rank = static_cast<std::uint32_t>(g.members[n].rank);
                members.push_back({rank, own->place});
                ranks_[rank].program[own->place].call = static_cast<std::uint32_t>(calls.size());
            }
            one.members = static_cast<std::uint32_t>(members.size()) - one.first_member;
            if (one.is_known) one.transfer = divide(g, row, blocking);
            calls.push_back(one);
        }
        const double least = blocking.empty() ? 0 : *std::min_element(blocking.begin(), blocking.end());
        for (std::size_t n = 0; n != g.members.size(); ++n)
            ranks_[g.members[n].rank].kinds[g.kind].waiting_least += blocking[n] - least;
    }
    struct arrival {
        double start;
        double duration;
        std::size_t member;
    };
    // Divides the time of a call that all members have. Returns the least duration.
    double divide(const call_group& g, std::size_t row, std::vector<double>& blocking) {
        const bool comparable = g.has_offsets || clocks.are_one(g);
        const bool is_beside = g.at(row, 0)->is_beside;
        const std::int64_t base = g.at(row, 0)->step->end;
        std::vector<arrival>& all = arrivals_;
        all.clear();
        double least = (std::numeric_limits<double>::max)();
        for (std::size_t n = 0; n != g.members.size(); ++n) {
            const kept_step& step = *g.at(row, n)->step;
            const auto duration = static_cast<double>(step.duration);
            const auto end = static_cast<double>(step.end - base);
            all.push_back({end - duration - (g.has_offsets ? g.members[n].offset : 0), duration, n});
            least = (std::min)(least, duration);
        }
        std::sort(all.begin(), all.end(), [](const arrival& a, const arrival& b) {
            return a.start != b.start ? a.start < b.start : a.member < b.member;
        });
        // Those that came last, of whom one came as late as the others by all that clocks can tell.
        std::vector<std::size_t>& late = late_;
        late.clear();
        for (const arrival& a : all)
            if (is_beside ? comparable && a.start >= all.back().start - clock_noise : a.duration <= least + clock_noise)
                late.push_back(a.member);
        std::sort(late.begin(), late.end());
        for (std::size_t i = 0; i != all.size(); ++i) {
            const arrival& a = all[i];
            analysed_rank& r = ranks_[g.members[a.member].rank];
            oplog::program_step& step = r.program[g.at(row, a.member)->place];
            double waiting = a.duration - least;
            double most = waiting;
            if (comparable) {
                // Nobody waits for a member that comes when one has left. That the members of a blocking call leave it
                // together is more exact than clocks are, and wrong only for the source of a broadcast.
                const double grain = is_beside ? 0 : one_millisecond;
                const auto after =
                    std::upper_bound(all.begin(), all.end(), a.start + a.duration + grain,
                                     [](double left, const arrival& other) { return left < other.start; });
                const double bound = (std::max)(0.0, (after - 1)->start - a.start);
                if (is_beside) most = (std::min)(a.duration, bound);
                if (waiting - bound > grain && (is_beside || after != all.end())) waiting = bound;
            }
            oplog::group_answer& to = r.kinds[g.kind];
            step.waiting = waiting;
            to.waiting += waiting;
            if (is_beside) {
                to.waiting_more += (std::max)(0.0, most - waiting);
                if (!comparable && waiting > 0) {
                    set_waiting_limit(r, step, to, oplog::limit::most);
                    limit_work(r, step, oplog::limit::least);
                }
            } else {
                step.transfer = a.duration - waiting;
                to.transfer += step.transfer;
                blocking[a.member] += a.duration;
            }
            if (waiting > 0) share(g, late, a.member, step, waiting);
        }
        if (!step_of(g, row, 0).in_stage || late.empty()) return least;
        for (const call_group::member& m : g.members) ++ranks_[m.rank].peered;
        if (late.size() == g.members.size()) return least;
        for (const std::size_t n : late) {
            ++ranks_[g.members[n].rank].late;
            ++ranks_[g.members[n].rank].kinds[g.kind].late;
        }
        return least;
    }
    const oplog::program_step& step_of(const call_group& g, std::size_t row, std::size_t n) const {
        return ranks_[g.members[n].rank].program[g.at(row, n)->place];
    }
    // The waiting of a member is shared by those that came last; of many, the first are named.
    void share(const call_group& g, const std::vector<std::size_t>& late, std::size_t waiting,
               oplog::program_step& step, double time) {
        constexpr std::size_t most_named = 64;
        std::size_t count = 0;
        for (const std::size_t n : late) count += n != waiting && count < most_named ? 1U : 0U;
        const double part = time / static_cast<double>(count == 0 ? 1 : count);
        for (std::size_t k = 0; k != late.size() && count != 0; ++k) {
            const std::size_t n = late[k];
            if (n == waiting) continue;
            --count;
            analysed_rank& other = ranks_[g.members[n].rank];
            if (step.late < 0) step.late = other.rank;
            if (step.in_stage) other.caused += part;
            add_wait(ranks_[g.members[waiting].rank], g.members[n].rank, g.kind, part);
        }
    }

    // What is left of a record once its calls are known.
    void add_records(analysed_rank& r) {
        oplog::program_step* record = nullptr;
        for (oplog::program_step& step : r.program) {
            const bool is_known = step.call != oplog::program_step::no_call && calls[step.call].is_known;
            if (!step.nested) record = &step;
            if (step.nested || step.what == step_kind::collective || step.group == model_) {
                oplog::group_answer& to = r.kinds[step.group];
                ++to.calls;
                if (step.bytes > 0) to.bytes += static_cast<double>(step.bytes);
                if (step.what == step_kind::asynchronous) {
                    to.overlapped += step.alone ? 0 : step.duration - step.waiting;
                    if (!is_known && !step.alone) {
                        ++to.unknown_calls;
                        limit_to(to.overlapped_limit, oplog::limit::most);
                        set_waiting_limit(r, step, to, oplog::limit::least);
                        limit_work(r, step, oplog::limit::most);
                    }
                } else if (step.what == step_kind::collective && !is_known && !step.alone) {
                    set_unknown(r, step, to);
                }
            }
            if (step.nested) {
                record->work -= step.transfer + step.waiting + step.unknown;
            } else if (step.what == step_kind::work) {
                step.work = step.duration - step.waiting;
            } else if (step.alone) {
                step.work = step.duration;
            }
        }
        // optimizer_step waits for ranks that have no log.
        for (oplog::program_step& step : r.program) {
            if (step.nested || step.what != step_kind::work || step.group != model_ || step.alone) continue;
            const bool is_known = step.call != oplog::program_step::no_call && calls[step.call].is_known;
            if (is_known || !together) continue;
            oplog::group_answer& to = r.kinds[model_];
            set_waiting_limit(r, step, to, oplog::limit::least);
            if (!sizes_) {
                limit_work(r, step, oplog::limit::most);
                continue;
            }
            std::swap(step.unknown, step.work);
            to.unknown += step.unknown;
            ++to.unknown_calls;
            limit_work(r, step, oplog::limit::least);
        }
        for (const oplog::program_step& step : r.program) {
            oplog::operation_answer& to = r.operations[step.operation];
            if (!step.nested) to.time += step.duration;
            to.work += step.work;
            to.transfer += step.transfer;
            to.waiting += step.waiting;
            to.unknown += step.unknown;
        }
    }

    const summary_state& s_;
    std::vector<analysed_rank>& ranks_;
    const std::optional<oplog::run_sizes>& sizes_;
    std::vector<std::uint32_t> renamed_;          // by number in the summary
    std::vector<char> in_stage_;                  // by name
    ordered_map<std::int64_t, bool> lost_sizes_;  // of messages
    std::vector<arrival> arrivals_;
    std::vector<std::size_t> late_;
    std::uint32_t model_ = 0;
    std::uint32_t messages_ = 0;
    ordered_map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, std::size_t> numbers_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
