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

#include "../base/build.hpp"
#include "../base/order.hpp"
#include "add.hpp"
#include "ordered_map.hpp"
#include "state.hpp"
#include "values.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

template <class Build> struct summary_lines : summary_json {
    using input = summary_input;
    using adding = summary_adding<build>;
    using joining = summary_joining<build>;

    // Of a summary_key, or a tally_row.
    template <class Io, class Key> static bool key(Io& io, Key& k) {
        return io.name("operation", k.operation) && io.name("collective", k.collective) && io.name("group", k.group) &&
               io.name("state", k.state) && io.any("stage", k.stage, no_number);
    }
    template <class Io, class Key, class Tally> static bool row(Io& io, Key& k, Tally& t) {
        return io.open("{") && key(io, k) && io.any("rank", k.rank, no_number) && tally(io, t);
    }
    static bool read_row(input& from, summary_state& s, std::size_t n, wide& records) {
        summary_key k;
        oplog::tally t;
        if (!row(from, k, t) || !is_possible(t) || !from.closes("}")) return false;
        records += wide::of(t.records);
        const bool fits = k == joining::chosen(k, s.dimensions[n]);
        return fits && s.tallies[n].try_emplace(k, std::move(t)).second;
    }

    // The names that programs use, sorted, so that the line does not depend on the order in which they were met.
    struct name_order {
        std::vector<std::uint32_t> names;
        std::vector<std::int64_t> places;  // by number of the name
        explicit name_order(const summary_state& s) : places(s.names.size(), -1) {
            const auto use = [&](const optional_program& of) {
                if (!of) return;
                for (const kept_step& step : of->steps)
                    for (const std::uint32_t name : {step.name, step.group, step.source}) places[name] = 0;
            };
            for (const auto& [rank, sums] : s.ranks) use(sums.program);
            for (const auto& [key, part] : s.parts)
                for (const auto& [rank, edge] : part.ranks) use(edge.program);
            for (std::uint32_t n = 0; n != s.names.size(); ++n)
                if (places[n] == 0) names.push_back(n);
            sort_list(names, [&](std::uint32_t a, std::uint32_t b) { return s.names[a] < s.names[b]; });
            for (std::uint32_t n = 0; n != names.size(); ++n) places[names[n]] = n;
        }
    };
    template <class Line> struct output : summary_output<Line> {
        output(Line& to, const summary_state& s) : summary_output<Line>(to, s), order(s) {}
        const name_order order;
    };
    template <class Io, class Program> static bool program(Io& io, Program& of) {
        if (!io.begins("program", static_cast<bool>(of))) return true;
        auto& p = kept(of);
        return io.open("{") && io.field("records", p.records) && io.field("untimed", p.untimed) &&
               io.field("doubled", p.doubled, 6) && io.key("steps") && io.open("[") && steps(io, p) && io.closes("}");
    }
    static const kept_program& kept(const optional_program& of) noexcept { return *of; }
    static kept_program& kept(optional_program& of) { return of.get(); }
    // A step is ten numbers: how many records it is after the step before it, 0 for a record, 1 for a nested operation
    // and 2 for an asynchronous one, whether it has a micro-batch or position (0 or 1), this, the places of its three
    // names, bytes, duration, end.
    template <class Line> static bool steps(output<Line>& to, const kept_program& p) {
        std::int64_t before = 0;
        for (const kept_step& step : p.steps) {
            const std::int64_t record = step.record;
            const bool has_place = step.place != no_number;
            for (const std::int64_t v :
                 {record - std::exchange(before, record),
                  std::int64_t{step.runs_beside ? 2
                               : step.is_nested ? 1
                                                : 0},
                  std::int64_t{has_place ? 1 : 0}, has_place ? step.place : 0, to.order.places[step.name],
                  to.order.places[step.group], to.order.places[step.source], step.bytes})
                to.number(v);
            to.number(step.duration, 6);
            to.number(step.end, 6);
        }
        return to.closes("]");
    }
    static bool steps(input& from, kept_program& p) {
        summary_state& s = from.state();
        if (!s.keeps_calls) return false;
        std::int64_t record = 0;
        while (!from.closes("]")) {
            kept_step step;
            std::int64_t v[8];
            for (std::int64_t& one : v)
                if (!from.number(one)) return false;
            record += v[0];
            const auto is_name = [&](std::int64_t n) {
                return n >= 0 && static_cast<std::uint64_t>(n) < s.read_names.size();
            };
            if (v[0] < 0 || v[0] > kept_step::most_record || record > kept_step::most_record || v[1] < 0 || v[1] > 2 ||
                v[2] < 0 || v[2] > 1 || !is_name(v[4]) || !is_name(v[5]) || !is_name(v[6]) || v[7] < -1 ||
                (p.steps.empty() && v[1] != 0) || !from.number(step.duration, 6) || !from.number(step.end, 6) ||
                step.duration < 0 || !are_times(step.duration, step.end, no_number))
                return false;
            step.record = static_cast<std::uint32_t>(record) & kept_step::most_record;
            step.is_nested = v[1] != 0 ? 1 : 0;
            step.runs_beside = v[1] == 2 ? 1 : 0;
            if (v[2] == 1) step.place = v[3];
            step.name = s.read_names[static_cast<std::size_t>(v[4])];
            step.group = s.read_names[static_cast<std::size_t>(v[5])];
            step.source = s.read_names[static_cast<std::size_t>(v[6])];
            step.bytes = v[7];
            p.add(step);
            ++s.step_count;
        }
        return true;
    }

    // After the rank's number.
    template <class Io, class Sums> static bool rank(Io& io, Sums& sums) {
        return io.any("stage", sums.stage, no_number) && io.field("operations", sums.operations) &&
               io.field("nested", sums.nested) && io.field("unmeasured", sums.unmeasured) &&
               io.field("doubles", sums.doubles) && io.any("negative", sums.negative, std::uint64_t{0}) &&
               io.field("texts", sums.source.texts) && io.name("run", sums.source.run) &&
               io.any("time", sums.source.time, std::int64_t{0}) && io.field("busy", sums.busy, 6) &&
               io.field("communication", sums.communication, 6) && io.field("pipeline", sums.pipeline, 6) &&
               io.any("first", sums.first, no_number, 6) && io.any("last", sums.last, no_number, 6) &&
               program(io, sums.program) && io.closes("}");
    }
    static bool read_rank(input& from, summary_state& s) {
        std::int64_t number = 0;
        if (!from.open("{") || !from.field("rank", number) || s.ranks.count(number) != 0) return false;
        rank_sums& sums = s.ranks[number];
        return rank(from, sums) && are_times(sums.first, sums.last, no_number) && sums.source.time >= 0 &&
               sums.unmeasured <= sums.operations && sums.negative <= sums.unmeasured &&
               sums.doubles <= sums.operations - sums.unmeasured &&
               (!sums.program || (sums.source.texts == 1 && sums.program->records == sums.operations));
    }

    template <class Io, class Message> static bool message(Io& io, std::string_view name, Message& m, bool is_there) {
        if (!io.begins(name, is_there)) return true;
        auto what = static_cast<std::int64_t>(m.what);
        std::int64_t repeats = m.repeats ? 1 : 0;
        if (!io.open("[") || !io.number(what) || !io.number(repeats) || !io.number(m.duration, 6) ||
            !io.number(m.end, 6) || !io.number(m.bytes) || !io.closes("]"))
            return false;
        if constexpr (Io::reads) {
            m.what = static_cast<timed_message::kind>(what);
            m.repeats = repeats == 1;
        }
        return what >= 1 && what <= static_cast<std::int64_t>(timed_message::kind::recv_forward) &&
               (repeats == 0 || repeats == 1) && are_times(m.duration, m.end, no_number);
    }
    // After the rank's number. `bytes`: of the message that is held; -1: not known.
    template <class Io, class Edge, class Bytes> static bool edge(Io& io, Edge& e, Bytes& bytes) {
        return key(io, e.first_key) && io.any("first", e.first, no_number, 6) && io.any("last", e.last, no_number, 6) &&
               message(io, "before", e.before, e.before.what != timed_message::kind::none) &&
               message(io, "held", e.held_message, e.held) && io.any("bytes", bytes, std::int64_t{-1}) &&
               program(io, e.program) && io.closes("}");
    }
    template <class Io, class Part> static bool part(Io& io, Part& p) {
        constexpr std::uint64_t no_end = (std::numeric_limits<std::uint64_t>::max)();  // of the last part of a text
        return io.open("{") && io.any("text", p.text) && io.any("begin", p.begin, no_end) &&
               io.any("end", p.end, no_end) && io.key("ranks") && io.open("[");
    }
    template <class Line> static void write_part(output<Line>& to, const text_part& p) {
        part(to, p);
        for (const auto& [number, e] : p.ranks) {
            const std::int64_t bytes = e.held ? e.held_sums.bytes.value_or(-1) : -1;
            to.open("{");
            to.field("rank", number);
            edge(to, e, bytes);
        }
        to.closes("]");
        to.closes("}");
    }
    static bool read_part(input& from, summary_state& s, std::uint64_t& held) {
        text_part p;
        if (!part(from, p) || p.begin > p.end) return false;
        while (!from.closes("]")) {
            std::int64_t number = 0;
            if (!from.open("{") || !from.field("rank", number) || p.ranks.count(number) != 0) return false;
            rank_edge& e = p.ranks[number];
            e.any = true;
            e.first_key.rank = number;
            std::int64_t bytes = -1;
            if (!edge(from, e, bytes) || !are_times(e.first, e.last, no_number) || bytes < -1) return false;
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

    template <class Io, class State> static bool counts(Io& io, State& s) {
        return io.field("operations", s.operations) && io.field("nested", s.nested) &&
               io.field("nested_texts", s.nested_texts) && io.field("planned", s.planned);
    }
    template <class Line> static void write(Line& line, const summary_state& s) {
        output<Line> to(line, s);
        to.open("{");
        to.field("wlfmt_summary", version);
        counts(to, s);
        if (s.keeps_calls) {
            to.key("names");
            to.open("[");
            for (const std::uint32_t n : to.order.names) to.string(s.names[n]);
            to.closes("]");
            to.any("too_many_steps", std::int64_t{s.too_many_steps}, std::int64_t{0});
        }
        to.key("ranks");
        to.open("[");
        for (const auto& [number, sums] : s.ranks) {
            to.open("{");
            to.field("rank", number);
            rank(to, sums);
        }
        to.closes("]");
        to.key("breakdowns");
        to.open("[");
        for (const oplog::dimension by : s.dimensions) {
            to.open("{");
            to.key("by");
            to.open("[");
            for (unsigned n = 0; n != 6; ++n)
                if (const auto one = static_cast<oplog::dimension>(1U << n); has(by, one)) line.string(name_of(one));
            to.closes("]");
            to.key("tallies");
            to.open("[");
            for (const oplog::tally_row& one : adding::rows(s, by)) {
                row(to, one, one.tally);
                to.closes("}");
            }
            to.closes("]");
            to.closes("}");
        }
        to.closes("]");
        to.key("parts");
        to.open("[");
        for (const auto& [key, p] : s.parts) write_part(to, p);
        to.closes("]");
        to.closes("}");
        line.end_line();
    }
    static bool read_dimensions(input& from, oplog::dimension& by) {
        if (!from.key("by") || !from.open("[")) return false;
        for (unsigned n = 0; n != 6; ++n) {
            const auto one = static_cast<oplog::dimension>(1U << n);
            if (from.word(name_of(one))) by = by | one;
        }
        return from.closes("]");
    }
    static bool read(input& from, summary_state& s) {
        std::int64_t found = 0;
        if (!from.open("{") || !from.field("wlfmt_summary", found) || found != version || !counts(from, s))
            return false;
        if (from.key("names")) {
            s.keeps_calls = true;
            if (!from.open("[")) return false;
            for (std::string name; !from.closes("]");) {
                if (!from.string(name) || (!s.read_names.empty() && s.names[s.read_names.back()] >= name)) return false;
                s.read_names.push_back(s.names.id_of(name));
            }
            std::int64_t too_many = 0;
            if (!from.any("too_many_steps", too_many, std::int64_t{0})) return false;
            s.too_many_steps = too_many != 0;
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
        joining::limit_steps(s);
        std::vector<std::uint32_t>().swap(s.read_names);
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

    static constexpr std::int64_t version = 3;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
