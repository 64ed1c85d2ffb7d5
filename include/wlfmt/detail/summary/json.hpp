// A summary as a line of JSON, and back.
#ifndef WLFMT_DETAIL_SUMMARY_JSON_HPP
#define WLFMT_DETAIL_SUMMARY_JSON_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../base/kernel.hpp"
#include "../base/order.hpp"
#include "../base/ordered_map.hpp"
#include "add.hpp"
#include "cursor.hpp"
#include "folds.hpp"
#include "join.hpp"
#include "state.hpp"
#include "values.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// For each key there is a function that writes it, and after that the function that reads it.
template <class Way>
struct summary_lines : summary_json {
    using summary_json::read;
    using summary_json::write;
    using adding = summary_adding<kernel>;
    using joining = summary_joining<kernel>;
    using folds = summary_folds;

    template <class Line>
    static void write(Line& to, const oplog::tally_row& row) {
        to.open('{');
        write(to, "operation", row.operation);
        write(to, "collective", row.collective);
        write(to, "group", row.group);
        write(to, "state", row.state);
        if (row.stage) write(to, "stage", wide(*row.stage), 0);
        if (row.rank) write(to, "rank", wide(*row.rank), 0);
        write_tally(to, row.tally);
        to.close('}');
    }
    template <class From>
    static bool read_row(From& from, summary_state& s, std::size_t n, wide& records) {
        summary_key k;
        oplog::tally t;
        if (!from.open("{") || !read_key(from, s, k, true) || !read_tally(from, t) || !from.closes("}")) return false;
        records += wide::of(t.records);
        const bool fits = k == summary_joining<kernel>::chosen(k, s.dimensions[n]);
        return fits && s.tallies[n].try_emplace(k, std::move(t)).second;
    }
    template <class From>
    static bool read_key(From& from, summary_state& s, summary_key& k, bool with_rank) {
        std::string operation;
        std::string collective;
        std::string group;
        std::string state;
        if (!read_any(from, "operation", operation) || !read_any(from, "collective", collective) ||
            !read_any(from, "group", group) || !read_any(from, "state", state) || !read_any(from, "stage", k.stage) ||
            (with_rank && !read_any(from, "rank", k.rank)))
            return false;
        k.operation = s.names.id_of(operation);
        k.collective = s.names.id_of(collective);
        k.group = s.names.id_of(group);
        k.state = s.names.id_of(state);
        return true;
    }

    // The shapes that calls use, sorted, so that the line does not depend on the order in which they were met.
    struct shape_order {
        std::vector<std::uint32_t> shapes;
        std::vector<std::uint32_t> places;  // by shape
        explicit shape_order(const summary_state& s) : places(s.shapes.size()) {
            std::vector<bool> used(s.shapes.size());
            const auto use = [&](const optional_calls& of) {
                if (!of) return;
                for (const timed_call& c : of->calls) used[c.shape] = true;
            };
            for (const auto& [rank, sums] : s.ranks) use(sums.calls);
            for (const auto& [key, part] : s.parts)
                for (const auto& [rank, edge] : part.ranks) use(edge.calls);
            for (std::uint32_t n = 0; n != s.shapes.size(); ++n)
                if (used[n]) shapes.push_back(n);
            const auto key = [&](std::uint32_t n) {
                const call_shape& c = s.shapes[n];
                return std::tie(s.names[c.operation], s.names[c.group], s.names[c.function], c.position, c.bytes,
                                c.runs_beside);
            };
            sort_list(shapes, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
            for (std::uint32_t n = 0; n != shapes.size(); ++n) places[shapes[n]] = n;
        }
    };
    template <class Line>
    static void write_shape(Line& to, const summary_state& s, const call_shape& c) {
        to.open('{');
        write(to, "operation", s.names[c.operation]);
        write(to, "group", s.names[c.group]);
        write(to, "function", s.names[c.function]);
        write(to, "position", std::int64_t{c.position}, 0, -1);
        write(to, "bytes", wide(c.bytes), 0);
        write(to, "beside", wide(c.runs_beside ? 1 : 0), 0);
        to.close('}');
    }
    template <class From>
    static bool read_shape(From& from, summary_state& s) {
        call_shape c;
        std::string operation;
        std::string group;
        std::string function;
        std::int64_t position = -1;
        std::int64_t beside = 0;
        if (!from.open("{") || !read_any(from, "operation", operation) || !read_any(from, "group", group) ||
            !read_any(from, "function", function) || !read_any(from, "position", position) || !from.key("bytes") ||
            !from.number(c.bytes) || c.bytes < 0 || !from.key("beside") || !from.number(beside) || beside < 0 ||
            beside > 1 || position < -1 || position > (std::numeric_limits<std::int32_t>::max)() || !from.closes("}"))
            return false;
        c.operation = s.names.id_of(operation);
        c.group = s.names.id_of(group);
        c.function = s.names.id_of(function);
        c.position = static_cast<std::int32_t>(position);
        c.runs_beside = beside == 1;
        return s.shapes.id_of(c) + 1 == s.shapes.size();
    }

    template <class Line>
    static void write_calls(Line& to, const summary_state& s, const rank_calls& c, const shape_order& order) {
        to.key("calls");
        to.open('{');
        write(to, "untimed", c.untimed);
        write(to, "doubled", c.doubled.value(), 6);
        write(to, "first", c.first, 6, no_number);
        write(to, "last", c.last, 6, no_number);
        write(to, "forward", c.forward_begin, 6, no_number);
        write(to, "backward", c.backward_end, 6, no_number);
        to.key("batches");
        to.open('[');
        c.batches.for_each([&](std::int64_t batch) { to.integer(batch); });
        to.close(']');
        to.key("times");
        to.open('[');
        ordered_map<std::string_view, const compact_wide*> times;
        for (const auto& [operation, time] : c.times) times.try_emplace(s.names[operation], &time);
        for (const auto& [operation, time] : times) {
            to.string(operation);
            to.plain(time->value().text(6));
        }
        to.close(']');
        to.key("messages");
        to.open('[');
        ordered_map<std::pair<std::string_view, std::int64_t>, const rank_calls::messages*> sent;
        for (const auto& [key, m] : c.sent) sent[{s.names[key.first], key.second}] = &m;
        for (const auto& [key, m] : sent) {
            to.string(key.first);
            to.integer(key.second);
            to.integer(m->count);
            to.plain(wide(m->least).text(6));
            to.plain(m->time.value().text(6));
        }
        to.close(']');
        to.key("calls");
        to.open('[');
        for (const timed_call& call : c.calls) {
            to.integer(order.places[call.shape]);
            to.plain(wide(call.duration).text(6));
            to.plain(wide(call.end).text(6));
        }
        to.close(']');
        folds::write(to, s, c);
        to.close('}');
    }
    template <class From>
    static bool read_calls(From& from, summary_state& s, optional_calls& to) {
        if (!from.key("calls")) return true;
        rank_calls& c = to.get();
        if (!s.keeps_calls || !from.open("{") || !read(from, "untimed", c.untimed) ||
            !read(from, "doubled", c.doubled, 6) || !read_any(from, "first", c.first, 6) ||
            !read_any(from, "last", c.last, 6) || !read_any(from, "forward", c.forward_begin, 6) ||
            !read_any(from, "backward", c.backward_end, 6) || !are_times(c.first, c.last, no_number) ||
            !are_times(c.forward_begin, c.last, no_number) || !are_times(c.first, c.backward_end, no_number, true) ||
            !from.key("batches") || !from.open("["))
            return false;
        for (std::int64_t batch = 0, before = 0; !from.closes("]"); before = batch) {
            if (!from.number(batch) || (c.batches.size() != 0 && before >= batch)) return false;
            c.batches.add(batch);
        }
        if (!from.key("times") || !from.open("[")) return false;
        std::string name;
        while (!from.closes("]")) {
            wide time;
            if (!from.string(name) || !from.number(time, 6)) return false;
            c.times[s.names.id_of(name)] += time;
        }
        if (!from.key("messages") || !from.open("[")) return false;
        while (!from.closes("]")) {
            std::int64_t bytes = 0;
            if (!from.string(name) || !from.number(bytes)) return false;
            auto& m = c.sent[{s.names.id_of(name), bytes}];
            wide time;
            if (!from.number(m.count) || !from.number(m.least, 6) || !from.number(time, 6)) return false;
            m.time = time;
        }
        if (!from.key("calls") || !from.open("[")) return false;
        while (!from.closes("]")) {
            timed_call call{};
            std::int64_t shape = 0;
            if (!from.number(shape) || shape < 0 || static_cast<std::uint64_t>(shape) >= s.shapes.size() ||
                !from.number(call.duration, 6) || !from.number(call.end, 6) ||
                !are_times(call.duration, call.end, no_number))
                return false;
            call.shape = static_cast<std::uint32_t>(shape);
            c.calls.push_back(call);
            ++s.call_count;
        }
        return folds::read(from, s, c) && from.closes("}");
    }

    template <class Line>
    static void write_rank(Line& to, const summary_state& s, std::int64_t rank, const rank_sums& sums,
                           const shape_order& order) {
        to.open('{');
        write(to, "rank", wide(rank), 0);
        write(to, "stage", sums.stage, 0, no_number);
        write(to, "operations", sums.operations);
        write(to, "nested", sums.nested);
        write(to, "unmeasured", sums.unmeasured);
        write(to, "doubles", sums.doubles);
        write(to, "texts", sums.source.texts);
        write(to, "run", s.names[sums.source.run]);
        write(to, "time", sums.source.time, 0, 0);
        write(to, "busy", sums.busy.value(), 6);
        write(to, "communication", sums.communication.value(), 6);
        write(to, "pipeline", sums.pipeline.value(), 6);
        write(to, "first", sums.first, 6, no_number);
        write(to, "last", sums.last, 6, no_number);
        if (sums.calls) write_calls(to, s, *sums.calls, order);
        to.close('}');
    }
    template <class From>
    static bool read_rank(From& from, summary_state& s) {
        std::int64_t rank = 0;
        std::string run;
        if (!from.open("{") || !from.key("rank") || !from.number(rank) || s.ranks.count(rank) != 0) return false;
        rank_sums& sums = s.ranks[rank];
        if (!read_any(from, "stage", sums.stage) || !read(from, "operations", sums.operations) ||
            !read(from, "nested", sums.nested) || !read(from, "unmeasured", sums.unmeasured) ||
            !read(from, "doubles", sums.doubles) || !read(from, "texts", sums.source.texts) ||
            !read_any(from, "run", run) || !read_any(from, "time", sums.source.time) ||
            !read(from, "busy", sums.busy, 6) || !read(from, "communication", sums.communication, 6) ||
            !read(from, "pipeline", sums.pipeline, 6) || !read_any(from, "first", sums.first, 6) ||
            !read_any(from, "last", sums.last, 6) || !are_times(sums.first, sums.last, no_number) ||
            !read_calls(from, s, sums.calls) || !from.closes("}"))
            return false;
        sums.source.run = s.names.id_of(run);
        return sums.source.time >= 0 && sums.unmeasured <= sums.operations &&
               sums.doubles <= sums.operations - sums.unmeasured && (!sums.calls || sums.source.texts == 1);
    }

    template <class Line>
    static void write_message(Line& to, std::string_view key, const timed_message& m) {
        if (m.what == timed_message::kind::none) return;
        to.key(key);
        to.open('[');
        to.integer(static_cast<std::int64_t>(m.what));
        to.integer(m.repeats ? 1 : 0);
        to.plain(wide(m.duration).text(6));
        to.plain(wide(m.end).text(6));
        to.integer(m.bytes);
        to.close(']');
    }
    template <class From>
    static bool read_message(From& from, std::string_view key, timed_message& m) {
        if (!from.key(key)) return true;
        std::int64_t what = 0;
        std::int64_t repeats = 0;
        if (!from.open("[") || !from.number(what) || !from.number(repeats) || !from.number(m.duration, 6) ||
            !from.number(m.end, 6) || !from.number(m.bytes) || !from.closes("]"))
            return false;
        m.what = static_cast<timed_message::kind>(what);
        m.repeats = repeats == 1;
        return what >= 1 && what <= static_cast<std::int64_t>(timed_message::kind::recv_forward) &&
               (repeats == 0 || repeats == 1) && are_times(m.duration, m.end, no_number);
    }
    template <class Line>
    static void write_part(Line& to, const summary_state& s, const text_part& p, const shape_order& order) {
        to.open('{');
        write(to, "text", p.text);
        write_offset(to, "begin", p.begin);
        write_offset(to, "end", p.end);
        to.key("ranks");
        to.open('[');
        for (const auto& [rank, e] : p.ranks) {
            to.open('{');
            write(to, "rank", wide(rank), 0);
            write(to, "operation", s.names[e.first_key.operation]);
            write(to, "group", s.names[e.first_key.group]);
            write(to, "state", s.names[e.first_key.state]);
            write(to, "stage", e.first_key.stage, 0, no_number);
            write(to, "first", e.first, 6, no_number);
            write(to, "last", e.last, 6, no_number);
            write_message(to, "before", e.before);
            if (e.held) {
                write_message(to, "held", e.held_message);
                write(to, "bytes", e.held_sums.bytes.value_or(-1), 0, -1);
            }
            if (e.calls) write_calls(to, s, *e.calls, order);
            to.close('}');
        }
        to.close(']');
        to.close('}');
    }
    template <class From>
    static bool read_part(From& from, summary_state& s, std::uint64_t& held) {
        text_part p;
        if (!from.open("{") || !read_any(from, "text", p.text) || !read_offset(from, "begin", p.begin) ||
            !read_offset(from, "end", p.end) || p.begin > p.end || !from.key("ranks") || !from.open("["))
            return false;
        while (!from.closes("]")) {
            std::int64_t rank = 0;
            if (!from.open("{") || !from.key("rank") || !from.number(rank) || p.ranks.count(rank) != 0) return false;
            rank_edge& e = p.ranks[rank];
            e.any = true;
            e.first_key.rank = rank;
            std::int64_t bytes = -1;
            if (!read_key(from, s, e.first_key, false) || !read_any(from, "first", e.first, 6) ||
                !read_any(from, "last", e.last, 6) || !are_times(e.first, e.last, no_number) ||
                !read_message(from, "before", e.before) || !read_message(from, "held", e.held_message) ||
                !read_any(from, "bytes", bytes) || bytes < -1 || !read_calls(from, s, e.calls) || !from.closes("}"))
                return false;
            e.held = e.held_message.what != timed_message::kind::none;
            if (!e.held) continue;
            if (p.begin == 0 || e.held_message.end == 0) return false;
            ++held;
            e.held_sums.duration = e.held_message.duration;
            e.held_sums.communication = e.held_message.duration;
            if (bytes >= 0) e.held_sums.bytes = bytes;
        }
        std::pair<std::string, std::uint64_t> key(p.text, p.begin);
        if (!s.parts.empty() && key < std::prev(s.parts.end())->first) return false;
        s.parts.emplace(std::move(key), std::move(p));
        return from.closes("}");
    }

    template <class Line>
    static void write(Line& to, const summary_state& s) {
        to.open('{');
        write(to, "wlfmt_summary", wide(version), 0);
        write(to, "operations", s.operations);
        write(to, "nested", s.nested);
        write(to, "nested_texts", s.nested_texts);
        write(to, "planned", s.planned);
        const shape_order order(s);
        if (s.keeps_calls) {
            to.key("shapes");
            to.open('[');
            for (const std::uint32_t n : order.shapes) write_shape(to, s, s.shapes[n]);
            to.close(']');
            if (s.too_many_calls) write(to, "too_many_calls", wide(1), 0);
            folds::write_groups(to, s);
        }
        to.key("ranks");
        to.open('[');
        for (const auto& [rank, sums] : s.ranks) write_rank(to, s, rank, sums, order);
        to.close(']');
        to.key("breakdowns");
        to.open('[');
        for (const oplog::dimension by : s.dimensions) {
            to.open('{');
            to.key("by");
            to.open('[');
            for (unsigned n = 0; n != 6; ++n)
                if (const auto one = static_cast<oplog::dimension>(1U << n); has(by, one)) to.string(name_of(one));
            to.close(']');
            to.key("tallies");
            to.open('[');
            for (const oplog::tally_row& row : adding::rows(s, by)) write(to, row);
            to.close(']');
            to.close('}');
        }
        to.close(']');
        to.key("parts");
        to.open('[');
        for (const auto& [key, p] : s.parts) write_part(to, s, p, order);
        to.close(']');
        to.close('}');
        to.end_line();
    }
    template <class From>
    static bool read_dimensions(From& from, oplog::dimension& by) {
        if (!from.key("by") || !from.open("[")) return false;
        for (unsigned n = 0; n != 6; ++n) {
            const auto one = static_cast<oplog::dimension>(1U << n);
            if (from.word(name_of(one))) by = by | one;
        }
        return from.closes("]");
    }
    template <class From>
    static bool read(From& from, summary_state& s) {
        std::int64_t found = 0;
        if (!from.open("{") || !from.key("wlfmt_summary") || !from.number(found) || found != version ||
            !read(from, "operations", s.operations) || !read(from, "nested", s.nested) ||
            !read(from, "nested_texts", s.nested_texts) || !read(from, "planned", s.planned))
            return false;
        if (from.key("shapes")) {
            s.keeps_calls = true;
            if (!from.open("[")) return false;
            while (!from.closes("]"))
                if (!read_shape(from, s)) return false;
            std::int64_t too_many = 0;
            if (!read_any(from, "too_many_calls", too_many) || !folds::read_groups(from, s)) return false;
            s.too_many_calls = too_many != 0;
        }
        if (!from.key("ranks") || !from.open("[")) return false;
        while (!from.closes("]"))
            if (!read_rank(from, s)) return false;
        if (!from.key("breakdowns") || !from.open("[")) return false;
        std::vector<wide> records;
        while (!from.closes("]")) {
            auto by = oplog::dimension::none;
            if (!from.open("{") || !read_dimensions(from, by) || !from.key("tallies") || !from.open("[")) return false;
            s.dimensions.push_back(by);
            s.tallies.emplace_back();
            s.any_nested = s.any_nested || has(by, oplog::dimension::collective);
            records.emplace_back();
            while (!from.closes("]"))
                if (!read_row(from, s, s.tallies.size() - 1, records.back())) return false;
            if (!from.closes("}")) return false;
        }
        if (!from.key("parts") || !from.open("[")) return false;
        std::uint64_t held = 0;
        while (!from.closes("]"))
            if (!read_part(from, s, held)) return false;
        if (!adds_up(s, records, held)) return false;
        for (const auto& [rank, sums] : s.ranks) s.repeated = s.repeated || sums.source.texts > 1;
        joining::limit_calls(s);
        if (joining::has_room(s)) joining::end_ranks(s);
        return from.closes("}");
    }
    // Whether the counts of ranks and breakdowns add up to those of the whole.
    static bool adds_up(const summary_state& s, const std::vector<wide>& records, std::uint64_t held) {
        wide of_ranks = wide::of(s.planned);
        wide nested;
        for (const auto& [rank, sums] : s.ranks) {
            of_ranks += wide::of(sums.operations);
            nested += wide::of(sums.nested);
        }
        if (of_ranks != wide::of(s.operations) || (wide::of(s.nested) + -nested).is_negative()) return false;
        for (std::size_t n = 0; n != records.size(); ++n) {
            const bool of_nested = has(s.dimensions[n], oplog::dimension::collective);
            if (of_nested ? records[n] != wide::of(s.nested) : records[n] + wide::of(held) != wide::of(s.operations))
                return false;
        }
        return true;
    }

    static constexpr std::int64_t version = 2;
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
