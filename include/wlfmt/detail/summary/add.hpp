// How operations are added to a summary, and what it answers.
#ifndef WLFMT_DETAIL_SUMMARY_ADD_HPP
#define WLFMT_DETAIL_SUMMARY_ADD_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../base/kernel.hpp"
#include "../base/order.hpp"
#include "../oplog/bytes.hpp"
#include "../oplog/nested.hpp"
#include "join.hpp"
#include "measure.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

template <class Way>
struct summary_adding {
    using joining = summary_joining<kernel>;

    static void begin_text(summary_state& s, std::string_view file) {
        end_text(s);
        joining::set_source(s, file);
    }
    // The operations that follow come from another text.
    static void end_text(summary_state& s) {
        joining::end_text(s);
        s.current = text_part();
        s.in_part = false;
    }
    static void begin_part(summary_state& s, std::string_view text, std::uint64_t begin) {
        end_text(s);
        s.current.text = text;
        s.current.begin = begin;
        s.in_part = true;
    }
    static void end_part(summary_state& s, std::uint64_t end) {
        s.current.end = end;
        s.in_part = false;
        joining::join(s, std::exchange(s.current, text_part()));
    }

    // Counts the nested operations of an operation whose key is `of`. Returns their number and the sum of their
    // durations.
    static nested_sums add_nested(summary_state& s, const oplog::operation& op, summary_key of) {
        nested_sums all;
        for (const oplog::sub_operation& sub : nested_operations_of(op)) {
            ++all.operations;
            s.nested_texts += sub.is_text();
            record_sums sums;
            sums.duration = in_millionths(sub.duration);
            // Unlike other sums this one has 64 bits: nothing is added to it beyond a bound, so that it cannot
            // overflow.
            if (sums.duration && all.duration < most_measured && all.duration > -most_measured)
                all.duration += *sums.duration;
            if (!s.any_nested) continue;
            of.collective = s.names.id_of(sub.comm_func);
            of.group = s.names.id_of(sub.group);
            sums.bytes = tensor_bytes(sub.input_shape, sub.input_dtype);
            sums.communication = sums.duration.value_or(0);
            joining::add_record(s, of, true, sums, false);
        }
        return all;
    }

    static void add(summary_state& s, const oplog::operation& op) {
        const bool of_rank = op.origin == oplog::origin::rank;
        summary_key of;
        of.operation = s.names.id_of(op.op);
        of.group = s.names.id_of(op.group_kind);
        of.state = s.names.id_of(op.mg_state);
        of.stage = op.stage_id.as<std::int64_t>().value_or(of_rank ? no_number : op.rank);
        of.rank = of_rank ? op.rank : no_number;

        const nested_sums nested = add_nested(s, op, of);
        ++s.operations;
        s.nested += nested.operations;
        s.planned += !of_rank;

        record_sums sums;
        sums.duration = in_millionths(op.duration);
        sums.bytes = tensor_bytes(op.input_shape, op.input_dtype);
        const bool all = oplog::is_communication(op.op);
        const std::int64_t busy = sums.duration.value_or(0);
        sums.communication = all ? busy : (std::min)(nested.duration, busy);
        sums.overlap = all || !sums.duration ? 0 : nested.duration - sums.communication;
        if (!of_rank) return joining::add_record(s, of, false, sums, false);
        add_to_rank(s, op, of, sums, nested.operations);
    }

private:
    static void add_to_rank(summary_state& s, const oplog::operation& op, const summary_key& of,
                            const record_sums& sums, std::uint64_t nested) {
        rank_sums& to = s.ranks[of.rank];
        rank_edge& here = s.current.ranks[of.rank];
        const bool begins = !here.any;
        here.any = true;
        if (begins && !s.in_part) joining::add_text(s, to, {1, s.current_run, s.current_time});
        ++to.operations;
        to.nested += nested;
        if (of.stage != no_number) to.stage = to.stage == no_number ? of.stage : (std::min)(to.stage, of.stage);

        const auto end = in_millionths(op.timestamp);
        const bool timed = end && sums.duration && !(*end == 0 && *sums.duration == 0);
        timed_message m;
        if (timed) m = {timed_message::kind_of(op.op), false, *sums.duration, *end, sums.bytes.value_or(0)};
        m.repeats = timed_message::is_one_span(here.before, m);
        const bool holds =
            begins && s.in_part && s.current.begin != 0 && m.what != timed_message::kind::none && m.end != 0;
        if (holds) {
            here.held = true;
            here.held_sums = sums;
            here.held_message = m;
        } else {
            joining::add_operation(s, to, of, sums, timed_message::kind_of(op.op) != timed_message::kind::none,
                                   m.repeats);
        }
        // Tracers write 0 where they took no timestamp.
        if (end && *end != 0) add_times(s, to, here, of, *end, sums.duration, m.repeats);
        if (joining::has_room(s)) {
            add_calls(s, s.in_part ? here.calls.get() : to.calls.get(), op, of, {here.before, m, timed, holds});
            joining::limit_calls(s);
        }
        here.before = m;
    }
    // Takes note of when an operation of a rank began and ended, and counts the gap before it.
    static void add_times(summary_state& s, rank_sums& to, rank_edge& here, const summary_key& of, std::int64_t end,
                          std::optional<std::int64_t> duration, bool repeats) {
        if (here.last == no_number) here.first_key = of;
        if (duration) {
            const std::int64_t begin = end - *duration;
            to.first = to.first == no_number ? begin : (std::min)(to.first, begin);
            if (here.last == no_number)
                here.first = begin;
            else if (!repeats)
                joining::add_gap(s, of, begin - here.last);
        }
        to.last = to.last == no_number ? end : (std::max)(to.last, end);
        here.last = end;
    }

    // What is known of a record besides its own keys: the message before it, if that was one, whether it has a duration
    // and a timestamp, and whether it waits for the part before this one.
    struct context {
        const timed_message& before;
        const timed_message& own;
        bool timed;
        bool held;
    };
    static void add_calls(summary_state& s, rank_calls& to, const oplog::operation& op, const summary_key& of,
                          const context& known) {
        if (!known.timed) {
            ++to.untimed;
            return;
        }
        const std::int64_t duration = *in_millionths(op.duration);
        const std::int64_t end = *in_millionths(op.timestamp);
        to.add_extent(end - duration, end);
        if (known.own.what != timed_message::kind::none) {
            if (!known.held) joining::add_message(s, to, of.operation, known.own, known.before);
            return;
        }
        to.times[of.operation] += duration;
        if (op.op == "forward_step") {
            if (to.forward_begin == no_number) to.forward_begin = end - duration;
            to.batches.add(op.batch_id.as<std::int64_t>().value_or(no_number));
        }
        if (op.op == "backward_step") to.backward_end = end;
        call_shape shape;
        shape.operation = of.operation;
        if (is_collective(op.op)) {
            shape.group = of.group;
            shape.bytes = tensor_bytes(op.input_shape, op.input_dtype).value_or(0);
            ++s.call_count;
            to.add_call({s.shapes.id_of(shape), duration, end});
            return;
        }
        if (op.op == "optimizer_step") {
            // An optimizer step waits until the last rank of the model has arrived, as a collective does.
            shape.group = s.names.id_of("model");
            shape.runs_beside = true;
            ++s.call_count;
            to.add_call({s.shapes.id_of(shape), duration, end});
        }
        for (const oplog::sub_operation& sub : nested_operations_of(op)) {
            ++shape.position;
            const auto lasted = in_millionths(sub.duration);
            const auto ended = in_millionths(sub.timestamp);
            if (!lasted || !ended) continue;
            shape.group = s.names.id_of(sub.group);
            shape.function = s.names.id_of(sub.comm_func);
            shape.bytes = tensor_bytes(sub.input_shape, sub.input_dtype).value_or(0);
            shape.runs_beside = runs_beside(sub);
            ++s.call_count;
            to.add_call({s.shapes.id_of(shape), *lasted, *ended});
        }
    }

public:
    static std::vector<oplog::tally_row> rows(const summary_state& s, oplog::dimension by) {
        std::vector<oplog::tally_row> all;
        const auto number = [](std::int64_t v) {
            return v != no_number ? std::optional<std::int64_t>(v) : std::nullopt;
        };
        for (std::size_t n = 0; n != s.dimensions.size(); ++n) {
            if (s.dimensions[n] != by) continue;
            for (const auto& [k, t] : s.tallies[n])
                all.push_back({s.names[k.operation], s.names[k.collective], s.names[k.group], s.names[k.state],
                               number(k.stage), number(k.rank), t});
            break;
        }
        const auto order = [](const oplog::tally_row& r) {
            return std::tie(r.operation, r.collective, r.group, r.state, r.stage, r.rank);
        };
        sort_list(all, [&](const auto& a, const auto& b) { return order(a) < order(b); });
        return all;
    }
    static oplog::rank_total total_of(const summary_state& s, std::int64_t rank, const rank_sums& sums) {
        oplog::rank_total one;
        one.rank = rank;
        if (sums.stage != no_number) one.stage = sums.stage;
        one.operations = sums.operations;
        one.nested = sums.nested;
        one.unmeasured = sums.unmeasured;
        one.doubles = sums.doubles;
        one.source = {sums.source.texts, s.names[sums.source.run], sums.source.time};
        one.busy = sums.busy.value().as_double() / 1e6;
        one.communication = sums.communication.value().as_double() / 1e6;
        one.pipeline = sums.pipeline.value().as_double() / 1e6;
        if (sums.first != no_number) {
            wide span(sums.last);
            span += -wide(sums.first);
            one.span = span.as_double() / 1e6;
        }
        return one;
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
