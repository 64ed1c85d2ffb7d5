// A summary as a line of JSON, and back.
#ifndef WLFMT_DETAIL_SUMMARY_JSON_HPP
#define WLFMT_DETAIL_SUMMARY_JSON_HPP

#include "../../types/summary.hpp"
#include "../base/build.hpp"
#include "../base/order.hpp"
#include "add.hpp"
#include "measure.hpp"
#include "ordered_map.hpp"
#include "state.hpp"
#include "wide.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Reads the line as write() lays it out.
class summary_input {
public:
    static constexpr bool reads = true;
    summary_input(std::string_view text, summary_state& s) noexcept : text_(text), s_(s) {}
    std::string_view rest() const noexcept { return text_.substr(at_); }
    std::size_t at() const noexcept { return at_; }

    bool literal(std::string_view expected) noexcept {
        if (rest().substr(0, expected.size()) != expected) return false;
        at_ += expected.size();
        return true;
    }
    bool open(std::string_view bracket) noexcept {
        if (!element() || !literal(bracket)) return false;
        first_ = true;
        return true;
    }
    bool closes(std::string_view bracket) noexcept {
        if (!literal(bracket)) return false;
        first_ = false;
        return true;
    }
    // The comma before every element but the first of an object or array.
    bool element() noexcept {
        if (first_) {
            first_ = false;
            return true;
        }
        if (at_ == text_.size() || text_[at_] != ',') return false;
        ++at_;
        return true;
    }
    bool key(std::string_view name) noexcept {
        const bool is_there = quoted(name, "\":");
        first_ = first_ || is_there;
        return is_there;
    }
    // A string that must be `name`.
    bool word(std::string_view name) noexcept { return quoted(name, "\""); }
    bool number(wide& v, std::size_t decimals) noexcept {
        if (!element()) return false;
        const std::size_t size = wide::read(rest(), decimals, v);
        at_ += size;
        return size != 0;
    }
    bool number(std::int64_t& v, std::size_t decimals = 0) noexcept {
        wide w;
        if (!number(w, decimals)) return false;
        v = w.low();
        return wide(v) == w;
    }
    bool number(compact_wide& v, std::size_t decimals) {
        wide whole;
        if (!number(whole, decimals)) return false;
        v = whole;
        return true;
    }
    bool number(std::uint64_t& v, std::size_t = 0) noexcept {
        std::int64_t n = 0;
        if (!number(n) || n < 0) return false;
        v = static_cast<std::uint64_t>(n);
        return true;
    }
    bool string(std::string& to) {
        to.clear();
        if (!element() || !literal("\"")) return false;
        for (;;) {
            const std::string_view more = rest();
            const std::size_t plain = more.find_first_of("\"\\");
            if (plain == std::string_view::npos) return false;
            to.append(more.substr(0, plain));
            at_ += plain;
            if (literal("\"")) return true;
            if (!escape(to)) return false;
        }
    }

    bool opens_list(std::string_view name) noexcept { return key(name) && open("["); }
    // The items of a list that is open, which each() reads, and its end.
    template <class Each> bool items(const Each& each) {
        while (!closes("]"))
            if (!each()) return false;
        return true;
    }
    // Those of a map by rank: objects that begin with the rank; walk(rank, item) reads the rest of each.
    template <class Map, class Walk> bool ranks(Map& to, const Walk& walk) {
        return items([&] {
            std::int64_t rank = 0;
            if (!open("{") || !field("rank", rank)) return false;
            const auto [at, is_new] = to.try_emplace(rank);
            return is_new && walk(rank, at->second);
        });
    }
    // A value under its key.
    template <class Number> bool field(std::string_view name, Number& v, std::size_t decimals = 0) {
        return key(name) && number(v, decimals);
    }
    // A value that is left out where it is `none`, or empty.
    template <class Number> bool any(std::string_view name, Number& v, Number none, std::size_t decimals = 0) {
        v = none;
        return !key(name) || number(v, decimals);
    }
    bool any(std::string_view name, std::string& v) { return !key(name) || (string(v) && !v.empty()); }
    // A name of the summary.
    bool name(std::string_view name, std::uint32_t& id) {
        std::string v;
        if (!any(name, v)) return false;
        id = s_.names.id_of(v);
        return true;
    }
    // Whether an object or array is there; it is left out where it is empty.
    bool begins(std::string_view name, bool) noexcept { return key(name); }
    summary_state& state() const noexcept { return s_; }

private:
    // A string that must be `name`, up to the bytes after it. If it is another one, nothing is read.
    bool quoted(std::string_view name, std::string_view end) noexcept {
        const std::size_t before = at_;
        const bool first = first_;
        if (element() && literal("\"") && literal(name) && literal(end)) return true;
        at_ = before;
        first_ = first;
        return false;
    }
    bool escape(std::string& to) {
        constexpr std::string_view letters = "\"\\nrtu";
        constexpr std::string_view characters = "\"\\\n\r\t";
        const std::size_t kind = rest().size() < 2 ? std::string_view::npos : letters.find(rest()[1]);
        if (kind == std::string_view::npos) return false;
        at_ += 2;
        if (kind < characters.size()) {
            to += characters[kind];
            return true;
        }
        if (rest().size() < 4) return false;
        std::uint32_t c = 0;
        for (int n = 0; n < 4; ++n, ++at_) {
            const std::size_t digit = std::string_view("0123456789abcdef").find(text_[at_]);
            if (digit == std::string_view::npos) return false;
            c = c << 4 | static_cast<std::uint32_t>(digit);
        }
        // Bytes that are not UTF-8 are written as lone surrogates.
        if (c >= 0xDC80 && c <= 0xDCFF) to += static_cast<char>(c - 0xDC00);
        else if (c < 0x20) to += static_cast<char>(c);
        else return false;
        return true;
    }
    std::string_view text_;
    summary_state& s_;
    std::size_t at_ = 0;
    bool first_ = true;
};

// Writes the line: what summary_input reads, it writes.
template <class Line> class summary_output {
public:
    static constexpr bool reads = false;
    summary_output(Line& to, const summary_state& s) noexcept : to_(to), s_(s) {}

    bool open(std::string_view bracket) {
        to_.open(bracket.front());
        return true;
    }
    bool closes(std::string_view bracket) {
        to_.close(bracket.front());
        return true;
    }
    bool key(std::string_view name) {
        to_.key(name);
        return true;
    }
    bool opens_list(std::string_view name) { return key(name) && open("["); }
    bool string(const std::string& v) {
        to_.string(v);
        return true;
    }
    bool number(const wide& v, std::size_t decimals) {
        to_.plain(v.text(decimals));
        return true;
    }
    bool number(const compact_wide& v, std::size_t decimals) { return number(v.value(), decimals); }
    bool number(std::int64_t v, std::size_t decimals = 0) {
        if (decimals != 0) return number(wide(v), decimals);
        to_.integer(v);
        return true;
    }
    bool number(std::uint64_t v, std::size_t = 0) { return number(static_cast<std::int64_t>(v)); }
    // each(item) writes an item.
    template <class List, class Each> bool items(const List& from, const Each& each) {
        for (const auto& one : from) each(one);
        return closes("]");
    }
    template <class Map, class Walk> bool ranks(const Map& from, const Walk& walk) {
        return items(from, [&](const auto& one) {
            open("{");
            field("rank", one.first);
            walk(one.first, one.second);
        });
    }
    template <class Number> bool field(std::string_view name, const Number& v, std::size_t decimals = 0) {
        return key(name) && number(v, decimals);
    }
    template <class Number> bool any(std::string_view name, const Number& v, Number none, std::size_t decimals = 0) {
        return v == none || field(name, v, decimals);
    }
    bool any(std::string_view name, const std::optional<std::int64_t>& v, std::int64_t) {
        return !v || field(name, *v);
    }
    bool any(std::string_view name, const std::string& v) { return v.empty() || (key(name) && string(v)); }
    bool name(std::string_view name, std::uint32_t id) { return any(name, s_.names[id]); }
    bool name(std::string_view name, const std::string& v) { return any(name, v); }
    bool begins(std::string_view name, bool is_there) { return is_there && key(name); }

private:
    Line& to_;
    const summary_state& s_;
};

// The fields of the line in their order: one walk writes and reads them. What reads also checks what it has read.
struct summary_json {
    template <class Io, class Measure> static bool measure(Io& io, std::string_view name, Measure& m) {
        if (!io.begins(name, m.count_ != 0)) return true;
        constexpr std::size_t decimals = Measure::decimals;
        return io.open("{") && io.field("count", m.count_) && io.field("sum", m.sum_, decimals) &&
               io.field("squares", m.squares_, 2 * decimals) && io.field("min", m.min_, decimals) &&
               io.field("max", m.max_, decimals) && io.opens_list("sketch") && buckets(io, m) && io.closes("}");
    }
    template <class Line, unsigned Decimals>
    static bool buckets(summary_output<Line>& to, const oplog::measure<Decimals>& m) {
        return to.items(m.buckets_, [&](const auto& b) {
            to.number(std::int64_t{b.index});
            to.number(b.count);
        });
    }
    template <unsigned Decimals> static bool buckets(summary_input& from, oplog::measure<Decimals>& m) {
        std::uint64_t sum = 0;
        const bool are_read = from.items([&] {
            std::int64_t index = 0;
            std::uint64_t count = 0;
            if (!from.number(index) || !from.number(count) || count == 0 || count > m.count_ - sum) return false;
            const auto place = static_cast<std::int32_t>(index);
            if (index != place || (!m.buckets_.empty() && m.buckets_.back().index >= place)) return false;
            m.buckets_.push_back({place, count});
            sum += count;
            return true;
        });
        return are_read && sum == m.count_ && sum != 0 && m.min_ > -most_measured && m.max_ < most_measured &&
               bucket_of(m.min_) == m.buckets_.front().index && bucket_of(m.max_) == m.buckets_.back().index &&
               is_possible(m);
    }
    // Whether there can be values with these sums: the sum must lie between count times the least and count times the
    // greatest, and the squares between those of equal values and those of values that are all as far from 0 as one is.
    template <unsigned Decimals> static bool is_possible(const oplog::measure<Decimals>& m) {
        const auto at_most = [](const wide& a, const wide& b) { return !(b + -a).is_negative(); };
        const wide n = wide::of(m.count_);
        const wide least = wide::square_of(m.min_);
        const wide greatest = wide::square_of(m.max_);
        // In this order no product has more than 256 bits.
        return m.min_ <= m.max_ && at_most(n * wide(m.min_), m.sum_) && at_most(m.sum_, n * wide(m.max_)) &&
               at_most(least, m.squares_) && at_most(greatest, m.squares_) &&
               at_most(m.squares_, n * (at_most(least, greatest) ? greatest : least)) &&
               at_most(m.sum_ * m.sum_, n * m.squares_);
    }
    template <class Io, class Tally> static bool tally(Io& io, Tally& t) {
        return io.field("records", t.records) && io.field("unmeasured", t.unmeasured) &&
               io.field("doubles", t.doubles) && io.field("communication", t.communication_, 6) &&
               io.field("overlap", t.overlap_, 6) && measure(io, "duration", t.duration) && measure(io, "gap", t.gap) &&
               measure(io, "bytes", t.bytes);
    }
    static bool is_possible(const oplog::tally& t) noexcept {
        wide parts = wide::of(t.unmeasured);
        parts += wide::of(t.doubles);
        parts += wide::of(t.duration.count_);
        return parts == wide::of(t.records) && t.gap.count_ <= t.records && t.bytes.count_ <= t.records;
    }
    // Whether differences of these times are within the bounds of integers. What has no end has no beginning.
    static bool are_times(std::int64_t first, std::int64_t last, std::int64_t none, bool or_no_end = false) noexcept {
        const auto within = [none](std::int64_t v, std::int64_t most) {
            return v == none || (v <= most && v >= -most);
        };
        return within(first, most_measured) && within(last, most_measured / 2) &&
               (first == none || last != none || or_no_end);
    }
};

inline namespace WLFMT_IMPL {

template <class Build> struct summary_lines : summary_json {
    using summary_json::is_possible;
    using input = summary_input;
    using adding = summary_adding<build>;

    // Of a summary_key, or a tally_row.
    template <class Io, class Key> static bool key(Io& io, Key& k) {
        return io.name("operation", k.operation) && io.name("collective", k.collective) && io.name("group", k.group) &&
               io.name("state", k.state) && io.any("stage", k.stage, no_number);
    }
    template <class Io, class Key, class Tally> static bool row(Io& io, Key& k, Tally& t) {
        return io.open("{") && key(io, k) && io.any("rank", k.rank, no_number) && tally(io, t) &&
               (!Io::reads || is_possible(t)) && io.closes("}");
    }
    static bool read_row(input& from, summary_state& s, std::size_t n, wide& records) {
        summary_key k;
        oplog::tally t;
        if (!row(from, k, t)) return false;
        records += wide::of(t.records);
        const bool fits = k == adding::chosen(k, s.dimensions[n]);
        return fits && s.tallies[n].try_emplace(k, std::move(t)).second;
    }

    // The names that programs use, sorted, so that the line does not depend on the order in which they were met.
    struct name_order {
        std::vector<std::uint32_t> names;
        std::vector<std::int64_t> places;  // by number of the name
        explicit name_order(const summary_state& s) : places(s.names.size(), -1) {
            const auto use = [&](const boxed<kept_program>& of) {
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
               io.field("doubled", p.doubled, 6) && io.opens_list("steps") && steps(io, p) && io.closes("}");
    }
    static const kept_program& kept(const boxed<kept_program>& of) noexcept { return *of; }
    static kept_program& kept(boxed<kept_program>& of) { return of.get(); }
    // A step is ten numbers: how many records it is after the step before it, 0 for a record, 1 for a nested operation
    // and 2 for an asynchronous one, whether it has a micro-batch or position (0 or 1), this, the places of its three
    // names, bytes, duration, end.
    template <class Line> static bool steps(output<Line>& to, const kept_program& p) {
        std::int64_t before = 0;
        return to.items(p.steps, [&](const kept_step& step) {
            const std::int64_t record = step.record;
            const std::int64_t kind = step.runs_beside ? 2 : step.is_nested;
            const bool has_place = step.place != no_number;
            for (const std::int64_t v :
                 {record - std::exchange(before, record), kind, std::int64_t{has_place}, has_place ? step.place : 0,
                  to.order.places[step.name], to.order.places[step.group], to.order.places[step.source], step.bytes})
                to.number(v);
            to.number(step.duration, 6);
            to.number(step.end, 6);
        });
    }
    static bool steps(input& from, kept_program& p) {
        summary_state& s = from.state();
        if (!s.keeps_calls) return false;
        std::int64_t record = 0;
        return from.items([&] {
            kept_step step;
            std::int64_t v[8];
            for (std::int64_t& one : v)
                if (!from.number(one)) return false;
            const auto is_name = [&](std::int64_t n) {
                return n >= 0 && static_cast<std::uint64_t>(n) < s.read_names.size();
            };
            if (v[0] < 0 || v[0] > kept_step::most_record - record || v[1] < 0 || v[1] > 2 || v[2] < 0 || v[2] > 1 ||
                !is_name(v[4]) || !is_name(v[5]) || !is_name(v[6]) || v[7] < -1 || (p.steps.empty() && v[1] != 0) ||
                !from.number(step.duration, 6) || !from.number(step.end, 6) || step.duration < 0 ||
                !are_times(step.duration, step.end, no_number))
                return false;
            record += v[0];
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
            return true;
        });
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
               program(io, sums.program) && io.closes("}") && (!Io::reads || is_possible(sums));
    }
    static bool is_possible(const rank_sums& sums) noexcept {
        return are_times(sums.first, sums.last, no_number) && sums.source.time >= 0 &&
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
    // After the rank's number. Of a message that is held, its record's sums have the bytes, if they are known.
    template <class Io, class Edge> static bool edge(Io& io, Edge& e) {
        std::int64_t bytes = e.held ? e.held_sums.bytes.value_or(-1) : -1;
        if (!key(io, e.first_key) || !io.any("first", e.first, no_number, 6) || !io.any("last", e.last, no_number, 6) ||
            !message(io, "before", e.before, e.before.what != timed_message::kind::none) ||
            !message(io, "held", e.held_message, e.held) || !io.any("bytes", bytes, std::int64_t{-1}) ||
            !program(io, e.program) || !io.closes("}"))
            return false;
        if constexpr (Io::reads) {
            e.held = e.held_message.what != timed_message::kind::none;
            if (e.held) e.held_sums.duration = e.held_sums.communication = e.held_message.duration;
            if (e.held && bytes >= 0) e.held_sums.bytes = bytes;
        }
        return bytes >= -1;
    }
    static bool is_possible(const rank_edge& e, std::uint64_t begin) noexcept {
        return are_times(e.first, e.last, no_number) && (!e.held || (begin != 0 && e.held_message.end != 0));
    }
    // Without its last bracket.
    template <class Io, class Part> static bool part(Io& io, Part& p) {
        constexpr std::uint64_t no_end = (std::numeric_limits<std::uint64_t>::max)();  // of the last part of a text
        const bool begins = io.open("{") && io.any("text", p.text) && io.any("begin", p.begin, no_end) &&
                            io.any("end", p.end, no_end) && io.opens_list("ranks");
        if (!begins || (Io::reads && p.begin > p.end)) return false;
        return io.ranks(p.ranks, [&]([[maybe_unused]] std::int64_t number, auto& e) {
            if constexpr (Io::reads) {
                e.any = true;
                e.first_key.rank = number;
            }
            return edge(io, e) && (!Io::reads || is_possible(e, p.begin));
        });
    }
    static bool read_part(input& from, summary_state& s) {
        text_part p;
        if (!part(from, p)) return false;
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
            to.opens_list("names");
            to.items(to.order.names, [&](std::uint32_t n) { to.string(s.names[n]); });
            to.any("too_many_steps", std::int64_t{s.too_many_steps}, std::int64_t{0});
        }
        to.opens_list("ranks");
        to.ranks(s.ranks, [&](std::int64_t, const rank_sums& sums) { rank(to, sums); });
        to.opens_list("breakdowns");
        to.items(s.dimensions, [&](oplog::dimension by) {
            to.open("{");
            to.opens_list("by");
            for (unsigned n = 0; n != 6; ++n)
                if (const auto one = static_cast<oplog::dimension>(1U << n); has(by, one)) line.string(name_of(one));
            to.closes("]");
            to.opens_list("tallies");
            to.items(adding::rows(s, by), [&](const oplog::tally_row& one) { row(to, one, one.tally); });
            to.closes("}");
        });
        to.opens_list("parts");
        to.items(s.parts, [&](const auto& one) {
            part(to, one.second);
            to.closes("}");
        });
        to.closes("}");
        line.end_line();
    }
    static bool read_dimensions(input& from, oplog::dimension& by) {
        if (!from.opens_list("by")) return false;
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
        const auto read_rank = [&](std::int64_t, rank_sums& sums) { return rank(from, sums); };
        if (!from.opens_list("ranks") || !from.ranks(s.ranks, read_rank)) return false;
        std::vector<wide> records;
        const auto read_breakdown = [&] {
            auto by = oplog::dimension::none;
            if (!from.open("{") || !read_dimensions(from, by) || !from.opens_list("tallies")) return false;
            s.dimensions.push_back(by);
            s.tallies.emplace_back();
            s.any_nested = s.any_nested || has(by, oplog::dimension::collective);
            records.emplace_back();
            return from.items([&] { return read_row(from, s, s.tallies.size() - 1, records.back()); }) &&
                   from.closes("}");
        };
        if (!from.opens_list("breakdowns") || !from.items(read_breakdown)) return false;
        if (!from.opens_list("parts") || !from.items([&] { return read_part(from, s); })) return false;
        if (!adds_up(s, records)) return false;
        for (const auto& [rank, sums] : s.ranks) s.repeated = s.repeated || sums.source.texts > 1;
        adding::limit_steps(s);
        std::vector<std::uint32_t>().swap(s.read_names);
        return from.closes("}");
    }
    // Whether the counts of ranks and breakdowns add up to those of the whole.
    static bool adds_up(const summary_state& s, const std::vector<wide>& records) {
        wide of_ranks = wide::of(s.planned);
        wide nested;
        wide held;
        for (const auto& [rank, sums] : s.ranks) {
            of_ranks += wide::of(sums.operations);
            nested += wide::of(sums.nested);
        }
        for (const auto& [key, part] : s.parts)
            for (const auto& [rank, edge] : part.ranks) held += wide(edge.held);
        if (of_ranks != wide::of(s.operations) || (wide::of(s.nested) + -nested).is_negative()) return false;
        for (std::size_t n = 0; n != records.size(); ++n) {
            const bool of_nested = has(s.dimensions[n], oplog::dimension::collective);
            if (of_nested ? records[n] != wide::of(s.nested) : records[n] + held != wide::of(s.operations))
                return false;
        }
        return true;
    }

    static constexpr std::int64_t version = 3;
};

}  // namespace WLFMT_IMPL
}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
