// Adds records to a summary, and joins summaries.
#ifndef WLFMT_ANALYSIS_SUMMARY_ADD_HPP
#define WLFMT_ANALYSIS_SUMMARY_ADD_HPP

#include <algorithm>

#include "../library.hpp"
#include "state.hpp"

namespace wlfmt::analysis {

struct summary_adding {
    // The key without what the breakdown does not distinguish.
    static summary_key chosen(const summary_key& key, dimension by) noexcept {
        summary_key chosen_key;
        if (has(by, dimension::operation)) chosen_key.operation = key.operation;
        if (has(by, dimension::collective)) chosen_key.collective = key.collective;
        if (has(by, dimension::group)) chosen_key.group = key.group;
        if (has(by, dimension::state)) chosen_key.state = key.state;
        if (has(by, dimension::stage)) chosen_key.stage = key.stage;
        if (has(by, dimension::rank)) chosen_key.rank = key.rank;
        return chosen_key;
    }

    // Counts a record in the breakdowns: nested operations in those by collective, operations in all others.
    static void add_record(summary_state& s, const summary_key& key, bool nested, const record_sums& sums,
                           bool doubled) {
        for (std::size_t n = 0; n != s.dimensions.size(); ++n) {
            if (has(s.dimensions[n], dimension::collective) != nested) continue;
            analysis::tally& tally = s.tallies[n][chosen(key, s.dimensions[n])];
            ++tally.records;
            if (sums.bytes) static_cast<void>(tally.bytes.add(*sums.bytes));
            tally.doubles += doubled;
            if (doubled) continue;
            tally.unmeasured += !sums.duration;
            if (sums.duration) static_cast<void>(tally.duration.add(*sums.duration));
            summary_access::add_communication(tally, sums.communication, sums.overlap);
        }
    }
    static void add_gap(summary_state& s, const summary_key& key, std::int64_t length) {
        for (std::size_t n = 0; n != s.dimensions.size(); ++n)
            if (!has(s.dimensions[n], dimension::collective))
                static_cast<void>(s.tallies[n][chosen(key, s.dimensions[n])].gap.add(length));
    }
    // Counts an operation in the breakdowns and in its rank's sums; its nested operations have been counted before.
    static void add_operation(summary_state& s, rank_sums& rank, const summary_key& key, const record_sums& sums,
                              bool is_message, bool doubled) {
        add_record(s, key, false, sums, doubled);
        rank.doubles += doubled;
        if (doubled) return;
        rank.unmeasured += !sums.duration;
        rank.busy += sums.duration.value_or(0);
        rank.communication += sums.communication;
        if (is_message) rank.pipeline += sums.duration.value_or(0);
    }
    static std::uint32_t exchange(summary_state& s, const timed_message& half) {
        return s.names.id_of(operations::name_of(operation_kind::exchange, half.is_sent_backward()));
    }

    // Counts a rank's first record in a part, held back until it is known whether it repeats the record before it.
    static void release(summary_state& s, std::int64_t rank, rank_edge& edge, const timed_message& before) {
        if (!edge.held) return;
        edge.held = false;
        timed_message& m = edge.held_message;
        m.repeats = timed_message::is_one_span(before, m);
        add_operation(s, s.ranks[rank], edge.first_key, edge.held_sums, true, m.repeats);
        // The first record may also be its part's last one.
        if (edge.before.end == m.end && edge.before.what == m.what && edge.before.duration == m.duration && m.repeats)
            edge.before.repeats = true;
    }
    static void append(summary_state& s, text_part& part, text_part& next) {
        for (auto& [rank, later] : next.ranks) {
            rank_edge& edge = part.ranks[rank];
            if (!edge.any) {
                edge = std::move(later);
                if (part.begin == 0) release(s, rank, edge, timed_message());
                continue;
            }
            const bool was_held = later.held;
            const timed_message before = edge.before;
            release(s, rank, later, edge.before);
            const bool repeats = was_held && later.held_message.repeats;
            if (edge.last == no_number) {
                edge.first_key = later.first_key;
                edge.first = later.first;
            } else if (later.first != no_number && !repeats) {
                add_gap(s, later.first_key, later.first - edge.last);
            }
            if (later.last != no_number) edge.last = later.last;
            edge.before = later.before;
            if (!later.program) continue;
            if (repeats && !before.repeats && edge.program) edge.program->name_last_record(exchange(s, before));
            edge.program.made().append(*later.program, repeats);
            s.step_count -= repeats && s.step_count != 0 ? 1U : 0U;
        }
        part.end = next.end;
    }
    // Programs are kept only if each rank is in one text, as the order of two texts is unknown.
    static void add_text(summary_state& s, rank_sums& rank, const rank_source& from) {
        rank.source.texts += from.texts;
        if (rank.source.texts > 1 && !s.repeated) {
            s.repeated = true;
            limit_steps(s);
        }
        if (from.time > rank.source.time ||
            (from.time == rank.source.time && s.names[from.run] > s.names[rank.source.run])) {
            rank.source.time = from.time;
            rank.source.run = from.run;
        }
    }
    // The time in a file's name as a number; 0 if it has none.
    static std::int64_t time_of(const oplog::file_facts& facts) noexcept {
        std::int64_t time = 0;
        for (const char digit : facts.time) time = time * 10 + (digit - '0');
        return time;
    }
    static void set_source(summary_state& s, std::string_view path) {
        s.current_run = s.names.id_of(oplog::run_name_of(path));
        s.current_time = time_of(oplog::facts_of(path));
    }
    static bool has_room(const summary_state& s) noexcept { return s.keeps_calls && !s.too_many_steps && !s.repeated; }
    // If there are too many steps, or a rank is in several texts, drops all programs and keeps none from then on.
    static void limit_steps(summary_state& s) noexcept {
        if (s.step_count > s.max_steps) s.too_many_steps = true;
        if (!s.keeps_calls || has_room(s)) return;
        s.step_count = 0;
        for (auto& [rank, sums] : s.ranks) sums.program.reset();
        for (auto& [rank, edge] : s.current.ranks) edge.program.reset();
        for (auto& [key, part] : s.parts)
            for (auto& [rank, edge] : part.ranks) edge.program.reset();
    }
    // A part that ends where this one begins, or else one that begins where this one ends.
    static auto neighbour_of(summary_state& s, const text_part& part) {
        auto at = s.parts.lower_bound({part.text, part.begin});
        if (at != s.parts.begin()) {
            --at;
            if (at->second.text == part.text && at->second.end == part.begin) return at;
        }
        at = s.parts.lower_bound({part.text, part.end});
        return at != s.parts.end() && at->first == std::pair(part.text, part.end) ? at : s.parts.end();
    }
    // Joins a part with its neighbours, and counts it once it covers a whole text.
    static void join(summary_state& s, text_part more) {
        if (more.begin == more.end && more.ranks.empty()) return;
        for (auto at = neighbour_of(s, more); at != s.parts.end(); at = neighbour_of(s, more)) {
            text_part other = std::move(at->second);
            s.parts.erase(at);
            if (other.begin < more.begin) std::swap(other, more);
            append(s, more, other);
        }
        constexpr std::uint64_t text_end = (std::numeric_limits<std::uint64_t>::max)();
        if (more.begin != 0 || more.end != text_end) {
            std::pair<std::string, std::uint64_t> key(more.text, more.begin);
            s.parts.emplace(std::move(key), std::move(more));
            return;
        }
        set_source(s, more.text);
        for (auto& [rank, edge] : more.ranks) {
            rank_sums& sums_of_rank = s.ranks[rank];
            if (sums_of_rank.source.texts == 0) sums_of_rank.program = std::move(edge.program);
            add_text(s, sums_of_rank, {1, s.current_run, s.current_time});
        }
        limit_steps(s);
    }

    static void keep_least(std::int64_t& least, std::int64_t more) noexcept {
        if (least == no_number || (more != no_number && more < least)) least = more;
    }
    // In `more`, names must already have the numbers that they have in this summary.
    static void add_sums(summary_state& s, rank_sums& sums, rank_sums more) {
        sums.operations += more.operations;
        sums.nested += more.nested;
        sums.unmeasured += more.unmeasured;
        sums.doubles += more.doubles;
        sums.negative += more.negative;
        sums.busy += more.busy;
        sums.communication += more.communication;
        sums.pipeline += more.pipeline;
        keep_least(sums.stage, more.stage);
        keep_least(sums.first, more.first);
        sums.last = (std::max)(sums.last, more.last);
        if (sums.source.texts == 0) sums.program = std::move(more.program);
        add_text(s, sums, more.source);
    }
    // Merges ranks before parts, as parts that become complete are added to ranks. Returns false if the other summary
    // is of another kind.
    static bool merge(summary_state& s, summary_state&& other) {
        if (s.dimensions != other.dimensions || s.keeps_calls != other.keeps_calls) return false;
        std::vector<std::uint32_t> names;  // the numbers that the names of the other summary have in this one
        for (std::uint32_t n = 0; n != other.names.size(); ++n) names.push_back(s.names.id_of(other.names[n]));
        const auto translate = [&](summary_key k) {
            for (std::uint32_t* name : {&k.operation, &k.collective, &k.group, &k.state}) *name = names[*name];
            return k;
        };
        s.too_many_steps = s.too_many_steps || other.too_many_steps;
        s.repeated = s.repeated || other.repeated;
        s.step_count += other.step_count;
        for (auto& [rank, sums] : other.ranks) {
            if (sums.program) sums.program->translate(names);
            sums.source.run = names[sums.source.run];
            if (const auto at = s.ranks.find(rank); at != s.ranks.end()) add_sums(s, at->second, std::move(sums));
            else s.ranks.try_emplace(rank, std::move(sums));
        }
        for (std::size_t n = 0; n != s.dimensions.size(); ++n)
            for (const auto& [k, t] : other.tallies[n]) summary_access::merge(s.tallies[n][translate(k)], t);
        s.operations += other.operations;
        s.nested += other.nested;
        s.nested_texts += other.nested_texts;
        s.planned += other.planned;
        s.beyond += other.beyond;
        for (auto& [key, part] : other.parts) {
            for (auto& [rank, e] : part.ranks) {
                e.first_key = translate(e.first_key);
                if (e.program) e.program->translate(names);
            }
            join(s, std::move(part));
        }
        limit_steps(s);
        return true;
    }

    static void begin_text(summary_state& s, std::string_view file) {
        end_text(s);
        set_source(s, file);
    }
    // Ends the text: the next operations come from another one.
    static void end_text(summary_state& s) {
        s.current = text_part();
        s.in_part = false;
    }
    static void begin_part(summary_state& s, std::string_view text, std::uint64_t begin) {
        s.current = {std::string(text), begin, 0, {}};
        s.in_part = true;
    }
    static void end_part(summary_state& s, std::uint64_t end) {
        s.current.end = end;
        s.in_part = false;
        join(s, std::exchange(s.current, text_part()));
    }

    // A duration in millionths of a millisecond; empty for a duration below 0, and without one.
    static std::optional<std::int64_t> measured(const number& duration) noexcept {
        const auto found = in_millionths(duration);
        return found && *found < 0 ? std::nullopt : found;
    }
    // Whether a time is a number that is too great to be added.
    static bool is_beyond(const number& time) noexcept {
        return std::isfinite(time.value_or(0.0)) && time.has_value() && !in_millionths(time);
    }
    static void add(summary_state& s, const oplog::operation& op) {
        const bool of_rank = op.origin == oplog::origin::rank;
        summary_key key;
        key.operation = s.names.id_of(op.op);
        key.group = s.names.id_of(op.group_kind);
        key.state = s.names.id_of(op.mg_state);
        key.stage = op.stage_id.as<std::int64_t>().value_or(of_rank ? no_number : op.rank);
        key.rank = of_rank ? op.rank : no_number;
        const operation_facts facts = s.names.facts_of(key.operation);
        record_sums sums;
        sums.duration = measured(op.duration);
        sums.bytes = tensor_bytes(op.input_shape, op.input_dtype);
        ++s.operations;
        s.beyond += is_beyond(op.duration) || is_beyond(op.timestamp) ? 1U : 0U;
        if (of_rank) return add_of_rank(s, op, key, facts, sums);
        ++s.planned;
        add_nested(s, op, key, facts, nullptr, sums, false);
        add_record(s, key, false, sums, false);
    }

    static void add_unread(summary_state& s, std::int64_t rank, std::uint64_t records) {
        const auto found = s.ranks.find(rank);
        if (!has_room(s) || found == s.ranks.end()) return;
        boxed<kept_program>& program = s.in_part ? s.current.ranks[rank].program : found->second.program;
        if (program) program->unread += records;
    }

private:
    static void add_of_rank(summary_state& s, const oplog::operation& op, const summary_key& key,
                            const operation_facts& facts, record_sums& sums) {
        rank_sums& rank = s.ranks[key.rank];
        rank_edge& edge = s.current.ranks[key.rank];
        const bool begins = !std::exchange(edge.any, true);
        if (begins && !s.in_part) add_text(s, rank, {1, s.current_run, s.current_time});
        const std::optional<std::int64_t> end = in_millionths(op.timestamp);
        // Tracers write 0 for both of what they did not execute.
        const bool ran = !end || !sums.duration || *end != 0 || *sums.duration != 0;
        const bool timed = ran && end && sums.duration;
        timed_message m;
        if (timed) m = {timed_message::kind_of(facts), false, *sums.duration, *end, sums.bytes.value_or(0)};
        m.repeats = timed_message::is_one_span(edge.before, m);

        kept_program* program = nullptr;
        if (has_room(s)) {
            program = &(s.in_part ? edge.program : rank.program).made();
            const std::uint64_t record = (std::min)(program->records++, std::uint64_t{kept_step::max_record});
            // Little can be concluded from a log without times: not all of its records are kept.
            constexpr std::size_t max_untimed = 1000;
            const bool is_crowd = !timed && program->untimed_steps.size() > program->steps.size() + max_untimed;
            if (m.repeats) {
                program->doubled += m.duration;
                if (!edge.before.repeats) program->name_last_record(exchange(s, m));
            } else if (!ran) {
                ++program->untimed;
            } else if (is_crowd) {
                ++program->unread;
            } else {
                kept_step step;
                step.record = static_cast<std::uint32_t>(record) & kept_step::max_record;
                step.end = end.value_or(0);
                step.duration = timed ? *sums.duration : 0;
                step.bytes = sums.bytes.value_or(-1);
                step.name = key.operation;
                step.place = op.batch_id.as<std::int64_t>().value_or(no_number);
                if (facts.kind == operation_kind::collective)
                    step.group = s.names.id_of(operations::group_of_record(op.group_kind, facts));
                kept_program::add(timed ? program->steps : program->untimed_steps, step);
                program->untimed += timed ? 0U : 1U;
                ++s.step_count;
            }
            // Nothing inside a message or a collective becomes a step.
            if (!ran || is_crowd || m.repeats || facts.is_communication()) program = nullptr;
        }
        rank.nested += add_nested(s, op, key, facts, program, sums, timed);
        ++rank.operations;
        keep_least(rank.stage, key.stage);
        rank.negative += !sums.duration && op.duration.value_or(0.0) < 0;
        if (begins && s.in_part && s.current.begin != 0 && m.what != timed_message::kind::none && m.end != 0) {
            edge.held = true;
            edge.held_sums = sums;
            edge.held_message = m;
        } else {
            add_operation(s, rank, key, sums, facts.is_message(), m.repeats);
        }
        // Tracers write 0 for no timestamp.
        if (end && *end != 0) add_times(s, rank, edge, key, *end, sums.duration, m.repeats);
        edge.before = m;
        limit_steps(s);
    }
    // Counts an operation's nested operations, returns how many there are, and makes them steps of `program`, unless it
    // is null; `timed`: the operation has a time. Sets in `around` how much of that is communication.
    static std::uint64_t add_nested(summary_state& s, const oplog::operation& op, summary_key key,
                                    const operation_facts& facts, kept_program* program, record_sums& around,
                                    bool timed) {
        std::int64_t count = 0;
        std::int64_t duration = 0;
        kept_step step;
        if (program != nullptr) step = (timed ? program->steps : program->untimed_steps).back();
        step.is_nested = 1;
        std::string buffer;
        for (const oplog::sub_operation& sub : nested_operations_of(op)) {
            step.place = count++;
            s.nested_texts += sub.is_text();
            record_sums sums;
            sums.duration = measured(sub.duration);
            // Unlike other sums this one has 64 bits: it stops growing at a limit, so that it cannot overflow.
            if (sums.duration && duration < measured_limit && duration > -measured_limit) duration += *sums.duration;
            if (!s.any_nested && program == nullptr) continue;
            key.collective = s.names.id_of(plain_text(sub.comm_func, sub.quote, buffer));
            key.group = s.names.id_of(plain_text(sub.group, sub.quote, buffer));
            sums.bytes = tensor_bytes(sub.input_shape, sub.input_dtype);
            sums.communication = sums.duration.value_or(0);
            if (s.any_nested) add_record(s, key, true, sums, false);
            if (program == nullptr || sub.is_text()) continue;
            const auto ended = in_millionths(sub.timestamp);
            const bool is_step = timed && sums.duration && ended;
            step.end = is_step ? *ended : 0;
            step.duration = is_step ? *sums.duration : 0;
            step.bytes = sums.bytes.value_or(-1);
            step.group = key.group;
            step.name = key.collective;
            step.source = s.names.id_of(plain_text(sub.trace_src_func, sub.quote, buffer));
            step.runs_beside = runs_beside(sub) ? 1 : 0;
            kept_program::add(is_step ? program->steps : program->untimed_steps, step);
            ++s.step_count;
        }
        const bool is_communication = facts.is_communication();
        const std::int64_t busy = around.duration.value_or(0);
        around.communication = is_communication ? busy : (std::min)(duration, busy);
        around.overlap = is_communication || !around.duration ? 0 : duration - around.communication;
        s.nested += static_cast<std::uint64_t>(count);
        return static_cast<std::uint64_t>(count);
    }
    // Records when an operation of a rank began and ended, and counts the gap before it.
    static void add_times(summary_state& s, rank_sums& rank, rank_edge& edge, const summary_key& key, std::int64_t end,
                          std::optional<std::int64_t> duration, bool repeats) {
        if (edge.last == no_number) edge.first_key = key;
        if (duration) {
            const std::int64_t begin = end - *duration;
            keep_least(rank.first, begin);
            if (edge.last == no_number) edge.first = begin;
            else if (!repeats) add_gap(s, key, begin - edge.last);
        }
        rank.last = (std::max)(rank.last, end);
        edge.last = end;
    }

public:
    static std::vector<summary_key> sorted_keys(const summary_state& s, std::size_t breakdown) {
        std::vector<summary_key> keys;
        for (const auto& [key, tally] : s.tallies[breakdown]) keys.push_back(key);
        const auto order = [&](const summary_key& k) {
            return std::tie(s.names[k.operation], s.names[k.collective], s.names[k.group], s.names[k.state], k.stage,
                            k.rank);
        };
        std::stable_sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
        return keys;
    }
    static std::vector<tally_row> rows(const summary_state& s, dimension by) {
        std::vector<tally_row> rows;
        const auto number = [](std::int64_t v) {
            return v != no_number ? std::optional<std::int64_t>(v) : std::nullopt;
        };
        for (std::size_t n = 0; n != s.dimensions.size() && rows.empty(); ++n) {
            if (s.dimensions[n] != by) continue;
            for (const summary_key& k : sorted_keys(s, n))
                rows.push_back({s.names[k.operation], s.names[k.collective], s.names[k.group], s.names[k.state],
                                number(k.stage), number(k.rank), s.tallies[n].at(k)});
        }
        return rows;
    }
    static rank_total total_of(const summary_state& s, std::int64_t rank, const rank_sums& sums) {
        rank_total total;
        total.rank = rank;
        if (sums.stage != no_number) total.stage = sums.stage;
        total.operations = sums.operations;
        total.nested = sums.nested;
        total.unmeasured = sums.unmeasured;
        total.doubles = sums.doubles;
        total.negative = sums.negative;
        total.source = {sums.source.texts, s.names[sums.source.run], sums.source.time};
        total.busy = sums.busy.as_double() / 1e6;
        total.communication = sums.communication.as_double() / 1e6;
        total.pipeline = sums.pipeline.as_double() / 1e6;
        if (sums.first != no_number) total.span = (wide(sums.last) + -wide(sums.first)).as_double() / 1e6;
        return total;
    }
};

}  // namespace wlfmt::analysis

#endif
