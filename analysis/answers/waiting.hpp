// Divides the time of each rank into work, transfer, waiting and unknown time.
#ifndef WLFMT_ANALYSIS_ANSWERS_WAITING_HPP
#define WLFMT_ANALYSIS_ANSWERS_WAITING_HPP

#include <map>
#include <tuple>

#include "../library.hpp"
#include "../summary/state.hpp"
#include "jumps.hpp"
#include "missing.hpp"

namespace wlfmt::analysis {

class waiting_analysis {
    using step = program_step;

public:
    // Writes what it finds about the whole run to `answers`, and what it finds about each rank to `ranks`.
    waiting_analysis(const name_list& all_names, std::vector<analysed_rank>& ranks, run_answers& answers)
        : ranks_(ranks), run_(answers) {
        name_all(all_names);
        read_programs();
        clock_jumps jumps(ranks_, groups, facts, run_);
        for (int times_set = 0; times_set != 8 && jumps.set_back(); ++times_set) read_programs();
        for (analysed_rank& r : ranks_) find_overlaps(r);
        jumps.tell();
        floors_ = floors_of(ranks_);
        sizes_.find(ranks_, floors_);
        for (std::size_t kind = 0; kind != is_alone_.size(); ++kind)
            if (is_alone_[kind]) run_.alone.push_back(run_.names[kind]);
        sizes_.tell(floors_, run_);
        missing_steps(ranks_, groups, facts, floors_, run_).find();
        find_clocks(jumps);
        for (analysed_rank& r : ranks_) add_messages(r);
        for (std::size_t n = 0; n != groups.size(); ++n) add_calls(n);
        for (analysed_rank& r : ranks_) add_records(r);
    }

    std::vector<operation_facts> facts;  // facts about each of run_.names, taken as an operation's name
    std::vector<call_group> groups;      // the groups of at least two ranks, by kind and place

private:
    // Names are numbered in alphabetical order, so that the answers do not depend on which name was met first.
    void name_all(const name_list& names) {
        const std::string_view messages = operations::word_of(oplog::group::pipeline_parallel);
        std::vector<bool> is_used(names.size());
        is_used[0] = true;
        for (const analysed_rank& r : ranks_)
            for (const auto* const steps : {&r.sums->program->steps, &r.sums->program->untimed_steps})
                for (const kept_step& kept : *steps) is_used[kept.name] = is_used[kept.group] = true;
        run_.names = {std::string(messages), std::string(operations::model)};
        for (std::uint32_t n = 0; n != names.size(); ++n)
            if (is_used[n]) run_.names.push_back(names[n]);
        std::sort(run_.names.begin(), run_.names.end());
        run_.names.erase(std::unique(run_.names.begin(), run_.names.end()), run_.names.end());
        for (std::uint32_t n = 0; n != names.size(); ++n) renamed_.push_back(is_used[n] ? number_of(names[n]) : 0);
        for (const std::string& name : run_.names) {
            facts.push_back(operations::facts_of(name));
            in_stage_.push_back(operations::is_in_stage(name));
        }
        is_alone_.resize(run_.names.size());
        model_ = number_of(operations::model);
        messages_ = number_of(messages);
    }
    std::uint32_t number_of(std::string_view name) const { return number_in(run_.names, name); }

    // Makes steps of the records, and finds which calls of a group's members are the same.
    void read_programs() {
        groups.clear();
        group_positions_.clear();
        auto& times = run_.doubtful_times;
        times.erase(std::remove_if(times.begin(), times.end(), [](const auto& d) { return !d.is_mended(); }),
                    times.end());
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            ranks_[n] = fresh(ranks_[n]);
            add_program(n);
        }
        find_long_times(ranks_, run_);
        for (call_group& g : groups) call_alignment::align(g, ranks_, run_);
    }
    void add_program(std::size_t n) {
        analysed_rank& r = ranks_[n];
        put_in_order(r, ranks_, run_);
        const auto& steps = r.sums->program->steps;
        const number_range<std::int64_t> span = span_of(steps);
        r.first = span.least;
        r.last = span.greatest;
        r.program.reserve(steps.size());                               // groups point to its steps
        std::map<std::uint32_t, std::optional<std::size_t>> group_of;  // the group of each kind
        std::uint32_t operation = 0;
        std::int64_t batch = no_number;
        std::map<three_numbers, std::uint32_t> first;  // empty as long as no records overlap
        const kept_step* last_record = nullptr;
        bool is_repeated = false;
        const auto time_of_half = [&](const kept_step& s) {  // above 0 if it is a message
            return facts[renamed_[s.name]].is_message() ? static_cast<double>((std::max)(s.duration, std::int64_t{1}))
                                                        : 0;
        };
        std::int64_t end = span.least;  // where the last record ends
        for (const kept_step& kept : steps) {
            if (!kept.is_nested) {
                // A record that was logged twice counts once, and so does an exchange logged with one of its halves.
                is_repeated = last_record != nullptr && kept.end == last_record->end &&
                              kept.duration == last_record->duration && is_same_record(*last_record, kept);
                const bool overlaps = kept.end - kept.duration < end - overlap_noise;
                if (overlaps) r.halves_apart += (std::max)(time_of_half(kept), time_of_half(*last_record));
                last_record = &kept;
                if (overlaps && !is_repeated) is_repeated = was_before(steps, kept, first);
                if (is_repeated) ++r.contradictions;
                else if (overlaps) {
                    r.is_in_disorder = r.has_doubtful_clock = true;
                    add_doubtful_time(run_, r, kept.record, doubtful_time::cause::overlap,
                                      static_cast<double>(end - kept.end + kept.duration));
                }
                if (!is_repeated) end = kept.end;
            }
            if (is_repeated) continue;
            const auto place = static_cast<std::uint32_t>(r.program.size());
            if (!kept.is_nested) {
                operation = renamed_[kept.name];
                batch = kept.place;
            }
            step& added = add_step(r.program, kept, operation, batch);
            added.start = static_cast<double>(kept.end - kept.duration - r.first);
            any_message_ = any_message_ || (!added.nested && added.group == messages_);
            if (is_message(added) || !is_communication(added)) continue;
            const auto [group, is_new] = group_of.try_emplace(added.group);
            if (is_new) group->second = join_group(n, added.group);
            added.alone = is_alone_[added.group];
            if (group->second) groups[*group->second].members.back().calls.push_back({&kept, &added, place});
        }
        add_untimed(r);
        run_.iterations = (std::max)(run_.iterations, iterations_of(r, facts));
        find_doubtful(r);
        run_.interleaved = run_.interleaved || (run_.sizes && sends_around(r, facts, *run_.sizes));
    }
    step& add_step(std::vector<step>& program, const kept_step& kept, std::uint32_t operation,
                   std::int64_t batch) const {
        step& added = program.emplace_back();
        added.nested = kept.is_nested != 0;
        added.group = renamed_[kept.group];
        added.record = kept.record;
        added.bytes = kept.bytes;
        added.duration = static_cast<double>(kept.duration);
        added.operation = operation;
        added.batch = batch;
        if (added.nested) {
            added.position = static_cast<std::int32_t>(kept.place);
            added.function = renamed_[kept.name];
            added.what = kept.runs_beside ? step::kind::asynchronous : step::kind::collective;
        } else {
            set_kind(added, facts[operation]);
        }
        added.in_stage = in_stage_[added.group];
        return added;
    }
    // Makes steps of what has no time, and returns how many iterations end there. A timestamp is when a record ends: so
    // does the log, if it is no further away than all that the log has.
    void add_untimed(analysed_rank& r) const {
        const std::int64_t last = r.last;
        step around;  // the record of the next calls
        around.record = kept_step::max_record;
        const auto& untimed = r.sums->program->untimed_steps;
        for (const kept_step& kept : untimed) {
            if (!kept.is_nested) {
                around = {};
                around.record = kept.record;
                around.operation = renamed_[kept.name];
                around.batch = kept.place;
                const bool is_last = r.program.back().record < kept.record && !r.mended;
                const bool is_near = kept.end >= last && kept.end - last < last - r.first;
                r.last = is_last && is_near ? kept.end : last;
                r.after_steps = is_last && is_near ? static_cast<double>(kept.end - last) : bounded::unlimited;
            } else if (around.record != kept.record) {
                const step* const record = r.step_of(kept.record);
                if (record == nullptr) continue;
                around = *record;
            }
            step& added = add_step(r.untimed_steps, kept, around.operation, around.batch);
            const auto place = run_.sizes ? place_of(run_.names[added.group], r.rank, *run_.sizes) : std::nullopt;
            added.alone = is_communication(added) && !is_message(added) && place && place->size <= 1;
        }
    }
    bool is_same_record(const kept_step& a, const kept_step& b) const {
        const operation_facts& first = facts[renamed_[a.name]];
        const operation_facts& second = facts[renamed_[b.name]];
        if (first.is_message() && second.is_message() && a.name != b.name)
            return first.kind == operation_kind::exchange || second.kind == operation_kind::exchange;
        return a.name == b.name && a.place == b.place;
    }
    void set_kind(step& own, const operation_facts& operation) const {
        if (operation.kind == operation_kind::optimizer) own.group = model_;
        if (operation.kind == operation_kind::collective) own.what = step::kind::collective;
        if (!operation.is_message()) return;
        own.what = operation.kind == operation_kind::send      ? step::kind::send
                   : operation.kind == operation_kind::receive ? step::kind::receive
                                                               : step::kind::exchange;
        own.backward = operation.backward;
        own.group = messages_;
    }
    bool is_communication(const step& s) const noexcept { return analysis::is_communication(s, model_); }
    // Makes a rank a member of its group of a kind. Returns the group's position if it is known and has several ranks.
    std::optional<std::size_t> join_group(std::size_t n, std::uint32_t kind) {
        const auto place = run_.sizes ? place_of(run_.names[kind], ranks_[n].rank, *run_.sizes) : std::nullopt;
        if (!place) return std::nullopt;
        is_alone_[kind] = place->size <= 1;
        if (is_alone_[kind]) return std::nullopt;
        const auto [at, is_new] =
            group_positions_.try_emplace(three_numbers{kind, place->first, place->second}, groups.size());
        if (is_new) {
            call_group& group = groups.emplace_back();
            group.kind = kind;
            group.place = *place;
        }
        groups[at->second].members.push_back({n, {}, 0});
        return at->second;
    }

    // Decides whether the ranks were traced together, and which of them have one clock.
    void find_clocks(const clock_jumps& jumps) {
        number_range<std::int64_t> begins;
        number_range<std::int64_t> ends;
        for (const analysed_rank& r : ranks_) {
            begins.add(r.first);
            ends.add(r.last);
        }
        std::map<std::uint32_t, leave_times> leaving;  // keys: kinds of groups
        std::vector<double> spreads;
        std::vector<double> extents;
        for (call_group& g : groups) {
            if (g.members.size() < 2 || !g.has_offsets) continue;
            add_leave_times(g, facts, !jumps.explain(g), leaving[g.kind], spreads, extents);
        }
        for (const auto& [kind, times] : leaving) {
            if (times.leaves.empty()) continue;  // all blocking calls of the kind are in doubtful records
            leave_answer& answer = run_.leaving.emplace_back();
            answer.group = run_.names[kind];
            const auto greatest = [](const std::vector<double>& values) {
                return *std::max_element(values.begin(), values.end());
            };
            answer.calls = bounded(static_cast<double>(times.leaves.size()));
            answer.median = bounded(in_milliseconds(low_median(times.leaves)));
            answer.greatest = bounded(in_milliseconds(greatest(times.leaves)));
            answer.arrive_median = bounded(in_milliseconds(low_median(times.arrive)));
            answer.arrive_greatest = bounded(in_milliseconds(greatest(times.arrive)));
        }
        run_.common_moment = begins.greatest < ends.least;
        run_.together = run_.common_moment || any_message_;
        if (!spreads.empty()) {
            const double spread = low_median(std::move(spreads));
            const double extent = low_median(std::move(extents));
            run_.together = spread <= run_clocks::max_noise;
            run_.apart = !run_.together;
            run_.extent_spread = bounded(in_milliseconds(spread));
            run_.extent = bounded(in_milliseconds(extent));
        }
        // In one run, a member whose calls do not fit the others' has the log of another run, or its clock was set.
        for (call_group& g : groups) {
            g.is_apart = g.is_apart && run_.together;
            if (g.is_apart) jumps.add_contradiction(g);
            run_.apart_groups += g.is_apart ? 1U : 0U;
            for (const call_group::member& m : g.members)
                if (g.is_apart) ranks_[m.rank].has_doubtful_clock = true;
        }
        for (call_group& g : groups) g.has_offsets = g.has_offsets && !has_doubtful_clock(g);
        run_clocks::find(ranks_, groups, facts, run_);
        run_.same_clock = run_.common_moment && run_.clocks == 1;
    }

    void add_messages(analysed_rank& r) {
        // One exchange may have been logged as two messages, or the other way round.
        const bool any_doubtful = std::any_of(r.program.begin(), r.program.end(),
                                              [](const step& s) { return is_message(s) && s.is_doubtful; });
        const bool any_apart = r.is_in_disorder && (any_doubtful || r.halves_apart > 0);
        for (std::uint32_t n = 0; any_apart && n != facts.size(); ++n) {
            if (!facts[n].is_message()) continue;
            operation_answer& operation = r.by_operation[n];
            group_answer& group = r.by_kind[messages_];
            for (bounded* number :
                 {&operation.time, &operation.transfer, &operation.waiting, &group.calls, &group.bytes, &group.transfer,
                  &group.waiting, &group.exposed, &r.account.transfer, &r.account.pipeline_waiting})
                number->widen(bounded::unlimited, bounded::unlimited);
        }
        for (step& own : r.program) {
            if (!is_message(own) || own.is_doubtful) continue;
            if (!run_.together) {
                set_unknown(r, own);
                continue;
            }
            const message_floor& floor = floors_.at(known_bytes(own));
            const double least = sizes_.greatest(own) ? own.duration : static_cast<double>(floor.least);
            own.waiting = bounded::between(own.duration - least, floor.is_lost ? own.duration : own.duration - least);
            if (!run_.sizes || !facts[own.operation].between_stages || !own.waits()) continue;
            const std::int64_t per_stage = run_.sizes->world / run_.sizes->pipeline;
            // The last stage of a virtual pipeline sends forward to the first one.
            const std::int64_t other =
                (r.rank + (is_to_next_stage(own) ? per_stage : -per_stage) + run_.sizes->world) % run_.sizes->world;
            const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), other,
                                             [](const analysed_rank& a, std::int64_t rank) { return a.rank < rank; });
            if (at == ranks_.end() || at->rank != other) continue;
            own.late = other;
            r.waits[{static_cast<std::size_t>(at - ranks_.begin()), messages_}] +=
                any_apart ? bounded::between(0, own.waiting.at_most()) : own.waiting;
        }
    }

    void add_calls(std::size_t number) {
        const call_group& g = groups[number];
        const bool is_whole = run_.together && g.is_whole() && !g.is_apart;
        const bool has_doubtful_clocks = has_doubtful_clock(g);
        for (std::size_t row = 0; row != g.row_count(); ++row) {
            group_call added;
            added.group = static_cast<std::uint32_t>(number);
            added.first_member = static_cast<std::uint32_t>(run_.members.size());
            added.is_known = is_whole && g.is_complete(row) && !g.is_doubtful(row) &&
                             !(has_doubtful_clocks && g.at(row, 0)->may_end_apart());
            for (std::size_t n = 0; n != g.members.size(); ++n) {
                const member_call* own = g.at(row, n);
                if (own == nullptr) continue;
                const auto rank = static_cast<std::uint32_t>(g.members[n].rank);
                run_.members.push_back({rank, own->place});
                own->step->call = static_cast<std::uint32_t>(run_.calls.size());
            }
            added.members = static_cast<std::uint32_t>(run_.members.size()) - added.first_member;
            if (added.is_known) added.transfer = in_milliseconds(divide_time(g, row));
            else if (run_.together && !g.is_apart) limit_waiting(g, row);
            run_.calls.push_back(added);
        }
    }
    // Members that have an incomplete call waited in it for all but its greatest transfer at least; if they may end
    // apart, at least until the last of them arrived, as those that are not known can only have come later, or been
    // quicker.
    void limit_waiting(const call_group& g, std::size_t row) {
        const double most = g.most_transfer(row);
        const auto set_least = [](step& own, double least) { own.waiting = bounded::no_less((std::max)(0.0, least)); };
        if (most < bounded::unlimited) {
            for (std::size_t n = 0; n != g.members.size(); ++n) {
                const member_call* const own = g.at(row, n);
                if (own == nullptr) continue;
                if (own->step->is_doubtful) most_transfers_[static_cast<std::uint32_t>(run_.calls.size())] = most;
                else set_least(*own->step, own->step->duration - most);
            }
            return;
        }
        number_range<double> durations;
        number_range<double> starts;
        add_arrivals(g, row, true, durations, starts);
        for (const arrival& a : arrivals_) {
            step& own = *g.at(row, a.member)->step;
            set_least(own, (std::min)(own.duration - durations.least,
                                      waiting_by_clocks(a, own.duration, g).first.at_least()));
        }
    }
    bool has_doubtful_clock(const call_group& g) const {
        return std::any_of(g.members.begin(), g.members.end(),
                           [&](const auto& m) { return ranks_[m.rank].has_doubtful_clock; });
    }
    // When a member arrived at a call, by the clock of its set of ranks, and by the likely one of the first member.
    struct arrival {
        std::size_t set;
        double start;
        std::size_t member;
        double likely;
        bool operator<(const arrival& b) const noexcept {
            return std::tie(set, start, member) < std::tie(b.set, b.start, b.member);
        }
    };
    // Lists when the members arrived at a call: in order, those whose clocks and times are not doubtful, or all of
    // them. Whether all clocks can be compared.
    bool add_arrivals(const call_group& g, std::size_t row, bool only_sure, number_range<double>& durations,
                      number_range<double>& starts) {
        const analysed_rank& first = ranks_[g.members.front().rank];
        const member_call* origin = nullptr;
        bool comparable = true;
        arrivals_.clear();
        for (std::size_t n = 0; n != g.members.size(); ++n) {
            const member_call* const own = g.at(row, n);
            const analysed_rank& r = ranks_[g.members[n].rank];
            if (own == nullptr || (only_sure && (r.has_doubtful_clock || own->step->is_doubtful))) continue;
            if (origin == nullptr) origin = own;
            const double duration = own->step->duration;
            const double start = own->after(*origin) - duration;
            const double ahead = g.has_offsets && r.clock_set == first.clock_set ? g.members[n].offset : r.ahead;
            const bounded set = run_clocks::ahead_of(r, first) - bounded(r.ahead - first.ahead);
            comparable = comparable && set.has_least() && set.has_most();
            arrivals_.push_back({r.clock_set, start - ahead, n, start - ahead - (set.at_least() + set.at_most()) / 2});
            durations.add(duration);
            starts.add(arrivals_.back().likely);
        }
        if (only_sure) std::sort(arrivals_.begin(), arrivals_.end());
        return comparable;
    }
    // Divides the time of a call that all members have into transfer and waiting. Returns the least duration.
    double divide_time(const call_group& g, std::size_t row) {
        const bool may_end_apart = g.at(row, 0)->may_end_apart();
        number_range<double> durations;
        number_range<double> starts;
        const bool comparable = add_arrivals(g, row, false, durations, starts);
        // Finds the members that arrived last: by clock if members may end apart, else by the shortest call.
        late_.clear();
        for (const arrival& a : arrivals_)
            if (may_end_apart ? comparable && a.likely >= starts.greatest - clock_noise
                              : g.at(row, a.member)->step->duration <= durations.least + clock_noise)
                late_.push_back(a.member);
        std::sort(arrivals_.begin(), arrivals_.end());
        const bool is_one_set = arrivals_.front().set == arrivals_.back().set;
        for (const arrival& a : arrivals_) {
            analysed_rank& r = ranks_[g.members[a.member].rank];
            step& own = *g.at(row, a.member)->step;
            const double waiting = own.duration - durations.least;
            own.waiting = bounded(waiting);
            // That members leave a blocking call together is a more exact measure than clocks, and wrong only for the
            // source of a broadcast.
            const double grain = may_end_apart ? 0 : one_millisecond;
            if (may_end_apart || is_one_set) {
                const auto [bound, is_left] = waiting_by_clocks(a, own.duration + grain, g);
                if (may_end_apart) own.waiting = lesser_of(own.waiting, bound);
                else if (waiting - bound.at_most() > grain && is_left) own.waiting = bound;
                const double longest = (std::min)(own.duration, bound.at_most());
                const double more = (std::max)(0.0, longest - own.waiting.at_most());
                if (may_end_apart) r.by_kind[g.kind].waiting_more += bounded::between(comparable ? more : 0, more);
            }
            if (own.waits()) share_waiting(g, a.member, own);
        }
        if (!g.at(row, 0)->step->in_stage || late_.empty()) return durations.least;
        for (const call_group::member& m : g.members) ranks_[m.rank].last_of.add(1);
        if (late_.size() == g.members.size()) return durations.least;
        for (const std::size_t n : late_) {
            ranks_[g.members[n].rank].late.add(1);
            ranks_[g.members[n].rank].by_kind[g.kind].late.add(1);
        }
        return durations.least;
    }
    // How long a member that took `longest` may have waited for the last that arrived before it left, by their clocks;
    // and whether another one arrived later.
    std::pair<bounded, bool> waiting_by_clocks(const arrival& own, double longest, const call_group& g) const {
        const analysed_rank& rank = ranks_[g.members[own.member].rank];
        const auto by_start = [](double until, const arrival& a) { return until < a.start; };
        const auto by_set = [](std::size_t set, const arrival& a) { return set < a.set; };
        double least = 0;
        double most = 0;
        bool is_left = false;
        for (auto begin = arrivals_.begin(); begin != arrivals_.end();) {
            // Members of a large group are in few sets: their ends are searched for, not counted to.
            const auto end = std::upper_bound(begin, arrivals_.end(), begin->set, by_set);
            const analysed_rank& other = ranks_[g.members[begin->member].rank];
            // How much later these arrived, by the clock of this rank's own set.
            const bounded later = run_clocks::ahead_of(rank, other) - bounded(rank.ahead - other.ahead);
            const double leaves = own.start + longest;
            const auto surely = std::upper_bound(begin, end, leaves - later.at_most(), by_start);
            const auto maybe = std::upper_bound(begin, end, leaves - later.at_least(), by_start);
            if (surely != begin) least = (std::max)(least, (surely - 1)->start + later.at_least() - own.start);
            if (maybe != begin)
                most = (std::max)(most, (std::min)(longest, (maybe - 1)->start + later.at_most() - own.start));
            is_left = is_left || maybe != end;
            begin = end;
        }
        return {bounded::between(least, (std::max)(least, most)), is_left};
    }
    // Divides a member's waiting among the members that arrived last; if they are many, among the first of them.
    void share_waiting(const call_group& g, std::size_t waiter, step& own) {
        constexpr std::size_t max_named = 64;
        const bool is_late = std::binary_search(late_.begin(), late_.end(), waiter);
        std::size_t count = (std::min)(late_.size() - (is_late ? 1U : 0U), max_named);
        if (count == 0) return;
        const bounded part = own.waiting * (1 / static_cast<double>(count));
        for (const std::size_t n : late_) {
            if (n == waiter) continue;
            if (count-- == 0) return;
            analysed_rank& other = ranks_[g.members[n].rank];
            if (own.late < 0) own.late = other.rank;
            if (own.in_stage) other.caused += part;
            ranks_[g.members[waiter].rank].waits[{g.members[n].rank, g.kind}] += part;
        }
    }

    void set_unknown(analysed_rank& r, step& own) const {
        own.is_unknown = own.what != step::kind::asynchronous;
        own.waiting = bounded::between(own.waiting.at_least(), own.duration);
        r.unshared[own.group].add(own.waiting.at_least());
        ++r.by_kind[own.group].unknown_calls;
    }
    // Computes what is left of each record once its calls are known, and the sums of all steps.
    void add_records(analysed_rank& r) {
        step* record = nullptr;
        for (step& own : r.program) {
            if (!own.nested) record = &own;
            if (own.is_doubtful) continue;
            if (is_communication(own) && !is_message(own) && !own.alone && !is_known(own)) {
                if (own.what != step::kind::work) set_unknown(r, own);
                // An optimizer_step waits for ranks without a log, or for ranks that may have run together.
                else if (run_.together || !run_.apart)
                    own.waiting = bounded::between(own.waiting.at_least(), own.duration);
                if (own.what == step::kind::work && run_.together && run_.sizes) set_unknown(r, own);
            }
            if (own.nested && own.alone) continue;
            if (own.nested && own.what == step::kind::asynchronous) record->work -= own.waiting;
            else if (own.nested) record->work.add(-own.duration);
            else if (own.what == step::kind::work || own.alone) own.work += bounded(own.duration) - own.waiting;
        }
        // A call that begins a moment before its record took that time from the gap before it.
        for (step& own : r.program) {
            if (!(own.work.at_most() < 0)) continue;
            r.before_records += own.work.at_most();
            own.work = bounded();
        }
        const step* last = nullptr;  // the last record that is not doubtful, and the next one
        const step* next = r.program.data();
        const step* const end = next + r.program.size();
        added_times widened;  // what the doubtful records after `last` share
        for (step& own : r.program) {
            own.work = not_below_0(own.work);
            if (own.is_doubtful) {
                if (own.nested) continue;
                next = std::find_if((std::max)(next, static_cast<const step*>(&own)), end,
                                    [](const step& s) { return !s.nested && !s.is_doubtful; });
                add_doubtful(r, own, last, next == end ? nullptr : next, widened);
                continue;
            }
            if (!own.nested) {
                last = &own;
                widened.clear();
            }
            operation_answer& operation = r.by_operation[own.operation];
            if (!own.nested) operation.time.add(own.duration);
            operation.work += own.work;
            operation.transfer += own.transfer();
            operation.waiting += own.waiting;
            operation.unknown.add(own.unknown());
            r.account.work += own.work;
            r.account.transfer += own.transfer();
            r.account.unknown.add(own.unknown());
            (own.in_stage ? r.account.stage_waiting : r.account.pipeline_waiting) += own.waiting;
            if (!is_communication(own)) continue;
            group_answer& group = r.by_kind[own.group];
            group.calls.add(1);
            sizes_.add(r, group.bytes, own);
            group.transfer += own.transfer();
            group.waiting += own.waiting;
            if (!own.alone) group.exposed += is_blocking(own) ? bounded(own.duration) : own.waiting;
            group.unknown.add(own.unknown());
            if (own.what == step::kind::asynchronous && !own.alone)
                group.overlapped += bounded(own.duration) - own.waiting;
        }
    }
    // A record whose times contradict each other took what its neighbours leave, if it has any that are not doubtful.
    void add_doubtful(analysed_rank& r, const step& record, const step* last, const step* next,
                      added_times& widened) const {
        double hole = bounded::unlimited;
        if (last != nullptr && next != nullptr && !r.has_doubtful_clock)
            hole = (std::max)(0.0, next->start - last->start - last->duration);
        const step* const end = r.program.data() + r.program.size();
        for (const step* s = &record; s != end && (s == &record || s->nested); ++s) {
            const auto limit = most_transfers_.find(s->call);
            r.may_have(*s, hole, model_, widened,
                       is_message(*s)                   ? static_cast<double>(floors_.at(known_bytes(*s)).least)
                       : limit != most_transfers_.end() ? limit->second
                                                        : bounded::unlimited);
            if (!is_communication(*s)) continue;
            group_answer& group = r.by_kind[s->group];
            ++group.unknown_calls;
            group.calls.add(1);
            sizes_.add(r, group.bytes, *s);
        }
        r.gaps_error.widen(0, record.duration);
        r.account.unknown.add(record.duration);
        r.by_operation[record.operation].unknown.add(record.duration);
        if (last != nullptr && next != nullptr) return;
        r.span_error = bounded::unknown();
        r.pipeline_span_error = r.first_forward_error = bounded::unknown();
    }
    static bool is_blocking(const step& s) noexcept { return s.what == step::kind::collective || is_message(s); }
    bool is_known(const step& s) const noexcept { return s.call != step::no_call && run_.calls[s.call].is_known; }

    std::vector<analysed_rank>& ranks_;
    run_answers& run_;
    std::vector<std::uint32_t> renamed_;  // each name's number in the answers, by its number in the summary
    std::vector<bool> in_stage_;          // for each name: whether groups of this kind are in one stage
    std::vector<bool> is_alone_;          // for each name: whether groups of this kind have one rank
    bool any_message_ = false;
    message_floors floors_;
    known_sizes sizes_;
    std::map<std::uint32_t, double> most_transfers_;  // those of calls that cannot be divided, by their positions
    std::vector<arrival> arrivals_;                   // those of the members at the current call
    std::vector<std::size_t> late_;                   // the members that arrived last at it
    std::uint32_t model_ = 0;
    std::uint32_t messages_ = 0;
    // The position of each group in `groups`, by kind and place.
    std::map<three_numbers, std::size_t> group_positions_;
};

}  // namespace wlfmt::analysis

#endif
