// Writes a summary as a line of JSON, and reads it.
#ifndef WLFMT_ANALYSIS_SUMMARY_JSON_HPP
#define WLFMT_ANALYSIS_SUMMARY_JSON_HPP

#include <algorithm>

#include "../library.hpp"
#include "add.hpp"
#include "state.hpp"
#include "wide.hpp"

namespace wlfmt::analysis {

// Reads or writes the fields of measures and tallies, which are private. Reading also checks the values.
struct summary_json {
    template <class Fields, unsigned Decimals>
    static bool measure(Fields& io, std::string_view name, analysis::measure<Decimals>& m) {
        if (!io.begins(name, m.count_ != 0)) return true;
        return io.opens('{') && io.field("count", m.count_) && io.field("sum", m.sum_, Decimals) &&
               io.field("squares", m.squares_, 2 * Decimals) && io.field("min", m.min_, Decimals) &&
               io.field("max", m.max_, Decimals) && io.opens_list("sketch") && buckets(io, m) && io.closes('}');
    }
    template <class Fields, unsigned Decimals> static bool buckets(Fields& io, analysis::measure<Decimals>& m) {
        std::uint64_t sum = 0;
        std::size_t n = 0;
        const auto bucket = [&] {
            counted_bucket b;
            if (!io.reads()) b = m.buckets_[n++];
            std::int64_t index = b.index;
            if (!io.number(index) || !io.number(b.count)) return false;
            if (!io.reads()) return true;
            b.index = static_cast<std::int32_t>(index);
            if (b.count == 0 || b.count > m.count_ - sum || b.index != index ||
                (!m.buckets_.empty() && m.buckets_.back().index >= b.index))
                return false;
            m.buckets_.push_back(b);
            sum += b.count;
            return true;
        };
        if (!io.items(m.buckets_.size(), bucket)) return false;
        return !io.reads() || (sum == m.count_ && sum != 0 && m.min_ > -measured_limit && m.max_ < measured_limit &&
                               bucket_of(m.min_) == m.buckets_.front().index &&
                               bucket_of(m.max_) == m.buckets_.back().index && is_possible(m));
    }
    // Whether values with these sums can exist: the sum must be between count times the least and count times the
    // greatest value, and the sum of squares at least that of equal values, and at most that of values as far from 0 as
    // possible.
    template <unsigned Decimals> static bool is_possible(const analysis::measure<Decimals>& m) {
        const auto at_most = [](const wide& a, const wide& b) { return !(b + -a).is_negative(); };
        const wide n = wide::of(m.count_);
        const wide least = wide::square_of(m.min_);
        const wide greatest = wide::square_of(m.max_);
        // Checked in this order, no product has more than 256 bits.
        return m.min_ <= m.max_ && at_most(n * wide(m.min_), m.sum_) && at_most(m.sum_, n * wide(m.max_)) &&
               at_most(least, m.squares_) && at_most(greatest, m.squares_) &&
               at_most(m.squares_, n * (at_most(least, greatest) ? greatest : least)) &&
               at_most(m.sum_ * m.sum_, n * m.squares_);
    }
    template <class Fields> static bool tally(Fields& io, analysis::tally& t) {
        return io.field("records", t.records) && io.field("unmeasured", t.unmeasured) &&
               io.field("doubles", t.doubles) && io.field("communication", t.communication_, 6) &&
               io.field("overlap", t.overlap_, 6) && measure(io, "duration", t.duration) && measure(io, "gap", t.gap) &&
               measure(io, "bytes", t.bytes) && (!io.reads() || is_possible(t));
    }
    static bool is_possible(const analysis::tally& t) noexcept {
        const wide parts = wide::of(t.unmeasured) + wide::of(t.doubles) + wide::of(t.duration.count_);
        return parts == wide::of(t.records) && t.gap.count_ <= t.records && t.bytes.count_ <= t.records;
    }
};

// Reads the line or writes it: the same calls do both. Reading returns false, with at() where the text differs from
// what would be written. Writing changes only the line.
class summary_fields {
public:
    summary_fields(std::string_view text, name_list& names) noexcept : text_(text), names_(names) {}
    summary_fields(output& to, name_list& names) noexcept : output_(&to), names_(names) {}

    bool reads() const noexcept { return output_ == nullptr; }
    std::size_t at() const noexcept { return at_; }
    bool opens(char bracket) { return element() && literal(bracket) && begin_elements(); }
    bool closes(char bracket) {
        const bool is_there = literal(bracket);
        first_ = first_ && !is_there;
        return is_there;
    }
    bool key(std::string_view name) { return quoted(name, "\":") && begin_elements(); }
    bool begins(std::string_view name, bool is_there) { return (reads() || is_there) && key(name); }
    // Reads this string if it is there, or writes it if `is_there`. Returns whether it is there.
    bool word(std::string_view name, bool is_there) { return (reads() || is_there) && quoted(name, "\""); }
    bool number(wide& v, std::size_t decimals) {
        if (!element()) return false;
        if (!reads()) return literal(v.text(decimals));
        const std::size_t size = wide::read(text_.substr(at_), decimals, v);
        at_ += size;
        return size != 0;
    }
    inline bool number(std::int64_t& v, std::size_t decimals = 0) {
        if (reads() || decimals != 0) return number_in_wide(v, decimals);
        static_cast<void>(element());
        output_->integer(v);
        return true;
    }
    bool number(std::uint64_t& v, std::size_t = 0) {
        auto n = static_cast<std::int64_t>(v);
        if (!number(n)) return false;
        if (reads()) v = static_cast<std::uint64_t>(n);
        return !reads() || n >= 0;
    }
    bool string(std::string& v) {
        if (!reads()) return element() && literal(json_text(v));
        v.clear();
        if (!element() || !literal('"')) return false;
        for (;;) {
            const std::size_t plain = text_.find_first_of("\"\\", at_);
            if (plain == std::string_view::npos) return false;
            v.append(text_, at_, plain - at_);
            at_ = plain;
            if (literal('"')) return true;
            if (!escape(v)) return false;
        }
    }

    template <class Number> bool field(std::string_view name, Number& v, std::size_t decimals = 0) {
        return key(name) && number(v, decimals);
    }
    // Reads or writes a value that is left out if it is `none` or empty.
    template <class Number> bool any(std::string_view name, Number& v, Number none, std::size_t decimals = 0) {
        if (!reads()) return v == none || field(name, v, decimals);
        v = none;
        return !key(name) || number(v, decimals);
    }
    bool any(std::string_view name, std::string& v) {
        if (!reads() && v.empty()) return true;
        return !key(name) || (string(v) && !v.empty());
    }
    bool name(std::string_view name, std::uint32_t& id) {
        std::string v = reads() ? std::string() : names_[id];
        if (!any(name, v)) return false;
        if (reads()) id = names_.id_of(v);
        return true;
    }
    bool opens_list(std::string_view name) { return key(name) && opens('['); }
    // Reads all items of an open list, or writes `count`, and then its end. each() reads or writes the next item.
    template <class Each> bool items(std::size_t count, const Each& each) {
        if (!reads()) {
            for (; count != 0; --count)
                if (!each()) return false;
            return closes(']');
        }
        while (!closes(']'))
            if (!each()) return false;
        return true;
    }
    // Reads or writes the items of a map as objects that begin with the rank. walk(rank, value) does the rest of each.
    template <class Map, class Walk> bool ranks(Map& map, const Walk& walk) {
        auto at = map.begin();
        return items(map.size(), [&] {
            std::int64_t rank = reads() ? 0 : at->first;
            if (!reads()) ++at;
            if (!opens('{') || !field("rank", rank)) return false;
            const auto [place, is_new] = map.try_emplace(rank);  // when writing, finds the rank's item
            return is_new == reads() && walk(rank, place->second);
        });
    }

private:
    bool number_in_wide(std::int64_t& v, std::size_t decimals) {
        wide w(v);
        if (!number(w, decimals)) return false;
        if (reads()) v = w.low();
        return wide(v) == w;
    }
    bool literal(char expected) {
        if (!reads()) output_->put(expected);
        else if (at_ == text_.size() || text_[at_] != expected) return false;
        else ++at_;
        return true;
    }
    bool literal(std::string_view expected) {
        if (!reads()) output_->append(expected);
        else if (text_.substr(at_, expected.size()) != expected) return false;
        else at_ += expected.size();
        return true;
    }
    // Reads or writes the comma before every element of an object or array but the first; a member's value has none.
    bool element() { return std::exchange(first_, false) || literal(','); }
    bool begin_elements() noexcept {
        first_ = true;
        return true;
    }
    // Reads or writes this string and the bytes after it. If another string is there, reads nothing.
    bool quoted(std::string_view name, std::string_view end) {
        const std::size_t before = at_;
        const bool first = first_;
        if (element() && literal('"') && literal(name) && literal(end)) return true;
        at_ = before;
        first_ = first;
        return false;
    }
    bool escape(std::string& text) {
        const char letter = text_.size() - at_ < 2 ? '\0' : text_[at_ + 1];
        // The letters after the backslash, and what they stand for.
        constexpr std::string_view letters = "\"\\nrt";
        constexpr std::string_view escaped = "\"\\\n\r\t";
        const std::size_t kind = letters.find(letter);
        if (kind == std::string_view::npos && letter != 'u') return false;
        at_ += 2;
        if (kind != std::string_view::npos) {
            text += escaped[kind];
            return true;
        }
        if (text_.size() - at_ < 4) return false;
        std::uint32_t c = 0;
        for (int n = 0; n < 4; ++n, ++at_) {
            const std::size_t digit = std::string_view("0123456789abcdef").find(text_[at_]);
            if (digit == std::string_view::npos) return false;
            c = c << 4 | static_cast<std::uint32_t>(digit);
        }
        // Bytes that are not UTF-8 are written as lone surrogates.
        if (c >= 0xDC80 && c <= 0xDCFF) c -= 0xDC00;
        else if (c >= 0x20) return false;
        text += static_cast<char>(c);
        return true;
    }

    output* output_ = nullptr;  // null when reading
    std::string_view text_;
    name_list& names_;
    std::size_t at_ = 0;
    bool first_ = true;
};

class summary_lines {
public:
    static void write(output& to, const summary_state& s) {
        // The function that writes also reads, and so takes a mutable state.
        auto& same = const_cast<summary_state&>(s);
        static_cast<void>(summary_lines({to, same.names}, same).walk());
        to.put('\n');
    }
    // Reads into an empty state. Returns where in the line something is wrong; empty if nothing is.
    static std::optional<std::size_t> read(std::string_view line, summary_state& s) {
        summary_lines from({line, s.names}, s);
        if (from.walk() && from.io.at() == line.size()) return std::nullopt;
        return from.io.at();
    }

private:
    using adding = summary_adding;

    summary_lines(const summary_fields& fields, summary_state& state) noexcept : io(fields), s(state) {}
    // Sorts the names that programs use, so that the line does not depend on the order in which they occurred.
    void find_names() {
        places_.assign(s.names.size(), -1);
        const auto use = [&](const boxed<kept_program>& program) {
            if (!program) return;
            for (const auto* const list : {&program->steps, &program->untimed_steps})
                for (const kept_step& step : *list)
                    for (const std::uint32_t name : {step.name, step.group, step.source}) places_[name] = 0;
        };
        for (const auto& [rank, sums] : s.ranks) use(sums.program);
        for (const auto& [key, part] : s.parts)
            for (const auto& [rank, edge] : part.ranks) use(edge.program);
        for (std::uint32_t n = 0; n != s.names.size(); ++n)
            if (places_[n] == 0) names_.push_back(n);
        std::stable_sort(names_.begin(), names_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return s.names[a] < s.names[b]; });
        for (std::uint32_t n = 0; n != names_.size(); ++n) places_[names_[n]] = n;
    }

    bool walk() {
        constexpr std::int64_t version = 3;
        std::int64_t found = version;
        std::size_t n = 0;
        auto at = s.parts.begin();
        return io.opens('{') && io.field("wlfmt_summary", found) && found == version &&
               io.field("operations", s.operations) && io.field("nested", s.nested) &&
               io.field("nested_texts", s.nested_texts) && io.field("planned", s.planned) &&
               io.field("beyond", s.beyond) && names() && io.opens_list("ranks") &&
               io.ranks(s.ranks, [&](std::int64_t, rank_sums& sums) { return rank(sums); }) &&
               io.opens_list("breakdowns") && io.items(s.dimensions.size(), [&] { return breakdown(n++); }) &&
               io.opens_list("parts") &&
               io.items(s.parts.size(),
                        [&] { return io.reads() ? read_part() : part((at++)->second) && io.closes('}'); }) &&
               (!io.reads() || is_whole()) && io.closes('}');
    }
    bool names() {
        if (!io.begins("names", s.keeps_calls)) return true;
        if (io.reads()) s.keeps_calls = true;
        else find_names();
        std::size_t n = 0;
        const auto name = [&] {
            std::string text = io.reads() ? std::string() : s.names[names_[n++]];
            if (!io.string(text)) return false;
            if (!io.reads()) return true;
            if (!names_.empty() && s.names[names_.back()] >= text) return false;
            names_.push_back(s.names.id_of(text));
            return true;
        };
        std::int64_t too_many = s.too_many_steps ? 1 : 0;
        if (!io.opens('[') || !io.items(names_.size(), name) || !io.any("too_many_steps", too_many, std::int64_t{0}))
            return false;
        if (io.reads()) s.too_many_steps = too_many != 0;
        return true;
    }

    // Reads or writes a rank without its number.
    bool rank(rank_sums& sums) {
        return io.any("stage", sums.stage, no_number) && io.field("operations", sums.operations) &&
               io.field("nested", sums.nested) && io.field("unmeasured", sums.unmeasured) &&
               io.field("doubles", sums.doubles) && io.any("negative", sums.negative, std::uint64_t{0}) &&
               io.field("texts", sums.source.texts) && io.name("run", sums.source.run) &&
               io.any("time", sums.source.time, std::int64_t{0}) && io.field("busy", sums.busy, 6) &&
               io.field("communication", sums.communication, 6) && io.field("pipeline", sums.pipeline, 6) &&
               io.any("first", sums.first, no_number, 6) && io.any("last", sums.last, no_number, 6) &&
               program(sums.program) && io.closes('}') && (!io.reads() || is_possible(sums));
    }
    static bool is_possible(const rank_sums& sums) noexcept {
        return are_times(sums.first, sums.last) && sums.source.time >= 0 && sums.unmeasured <= sums.operations &&
               sums.negative <= sums.unmeasured && sums.doubles <= sums.operations - sums.unmeasured &&
               (!sums.program || (sums.source.texts == 1 && sums.program->records == sums.operations));
    }
    // Whether differences of these times fit into integers. Without an end there must be no beginning.
    static bool are_times(std::int64_t first, std::int64_t last) noexcept {
        const auto within = [](std::int64_t v, std::int64_t greatest) {
            return v == no_number || (v <= greatest && v >= -greatest);
        };
        return within(first, measured_limit) && within(last, measured_limit / 2) &&
               (first == no_number || last != no_number);
    }

    bool program(boxed<kept_program>& kept) {
        if (!io.begins("program", static_cast<bool>(kept))) return true;
        kept_program& p = kept.made();
        const auto list = [&](std::vector<kept_step>& steps) {
            std::int64_t record = 0;
            std::size_t n = 0;
            return s.keeps_calls && io.items(steps.size(), [&] {
                kept_step own = io.reads() ? kept_step() : steps[n++];
                if (!step(own, record)) return false;
                if (!io.reads()) return true;
                ++s.step_count;
                kept_program::add(steps, own);
                return &steps != &p.steps || p.steps[0].is_nested == 0;
            });
        };
        return io.opens('{') && io.field("records", p.records) && io.field("untimed", p.untimed) &&
               io.any("unread", p.unread, std::uint64_t{0}) && io.field("doubled", p.doubled, 6) &&
               io.opens_list("steps") && list(p.steps) &&
               (!io.begins("untimed_steps", !p.untimed_steps.empty()) || (io.opens('[') && list(p.untimed_steps))) &&
               io.closes('}');
    }
    // A step is ten numbers: records since the step before it; 0 for a record, 1 for a nested operation, 2 for an
    // asynchronous one; whether it has a micro-batch or position (0 or 1), and which; the places of its three names;
    // bytes; duration; end. When reading, `step` is empty.
    bool step(kept_step& step, std::int64_t& record) {
        const bool has_place = step.place != no_number;
        const auto place_of = [&](std::uint32_t name) { return io.reads() ? -1 : places_[name]; };
        std::int64_t v[] = {step.record - record,
                            step.runs_beside ? 2U : step.is_nested,
                            has_place,
                            has_place ? step.place : 0,
                            place_of(step.name),
                            place_of(step.group),
                            place_of(step.source),
                            step.bytes};
        for (std::int64_t& number : v)
            if (!io.number(number)) return false;
        const auto is_name = [&](std::int64_t n) { return n >= 0 && static_cast<std::uint64_t>(n) < names_.size(); };
        if (io.reads() && (v[0] < 0 || v[0] > kept_step::max_record - record || v[1] < 0 || v[1] > 2 || v[2] < 0 ||
                           v[2] > 1 || !is_name(v[4]) || !is_name(v[5]) || !is_name(v[6]) || v[7] < -1))
            return false;
        record += v[0];
        if (!io.number(step.duration, 6) || !io.number(step.end, 6)) return false;
        if (!io.reads()) return true;
        if (step.duration < 0 || !are_times(step.duration, step.end)) return false;
        step.record = static_cast<std::uint32_t>(record) & kept_step::max_record;
        step.is_nested = v[1] != 0 ? 1 : 0;
        step.runs_beside = v[1] == 2 ? 1 : 0;
        if (v[2] == 1) step.place = v[3];
        step.name = names_[static_cast<std::size_t>(v[4])];
        step.group = names_[static_cast<std::size_t>(v[5])];
        step.source = names_[static_cast<std::size_t>(v[6])];
        step.bytes = v[7];
        return true;
    }

    bool breakdown(std::size_t n) {
        auto by = io.reads() ? dimension::none : s.dimensions[n];
        if (!io.opens('{') || !io.opens_list("by")) return false;
        for (unsigned bit = 0; bit != 6; ++bit) {
            const auto single = static_cast<dimension>(1U << bit);
            if (io.word(name_of(single), has(by, single))) by = by | single;
        }
        if (!io.closes(']') || !io.opens_list("tallies")) return false;
        if (io.reads()) {
            s.dimensions.push_back(by);
            s.tallies.emplace_back();
            s.any_nested = s.any_nested || has(by, dimension::collective);
            records_.emplace_back();
        }
        const std::vector<summary_key> keys = adding::sorted_keys(s, n);
        auto at = keys.begin();
        return io.items(keys.size(), [&] { return io.reads() ? read_row(n) : write_row(n, *at++); }) && io.closes('}');
    }
    bool key(summary_key& k) {
        return io.name("operation", k.operation) && io.name("collective", k.collective) && io.name("group", k.group) &&
               io.name("state", k.state) && io.any("stage", k.stage, no_number);
    }
    bool row(summary_key& k, analysis::tally& t) {
        return io.opens('{') && key(k) && io.any("rank", k.rank, no_number) && summary_json::tally(io, t) &&
               io.closes('}');
    }
    bool write_row(std::size_t n, summary_key k) { return row(k, s.tallies[n][k]); }
    bool read_row(std::size_t n) {
        summary_key k;
        tally t;
        if (!row(k, t)) return false;
        records_.back() += wide::of(t.records);
        const bool fits = k == adding::chosen(k, s.dimensions[n]);
        return fits && s.tallies[n].try_emplace(k, std::move(t)).second;
    }

    bool message(std::string_view name, timed_message& m, bool is_there) {
        if (!io.begins(name, is_there)) return true;
        auto kind = static_cast<std::int64_t>(m.what);
        std::int64_t repeats = m.repeats ? 1 : 0;
        if (!io.opens('[') || !io.number(kind) || !io.number(repeats) || !io.number(m.duration, 6) ||
            !io.number(m.end, 6) || !io.number(m.bytes) || !io.closes(']'))
            return false;
        if (!io.reads()) return true;
        m.what = static_cast<timed_message::kind>(kind);
        m.repeats = repeats == 1;
        return kind >= 1 && kind <= static_cast<std::int64_t>(timed_message::kind::recv_forward) &&
               (repeats == 0 || repeats == 1) && are_times(m.duration, m.end);
    }
    // Reads or writes an edge without its rank's number. `bytes` are those of the held message's record, if known.
    bool edge(rank_edge& e) {
        std::int64_t bytes = e.held ? e.held_sums.bytes.value_or(-1) : -1;
        if (!key(e.first_key) || !io.any("first", e.first, no_number, 6) || !io.any("last", e.last, no_number, 6) ||
            !message("before", e.before, e.before.what != timed_message::kind::none) ||
            !message("held", e.held_message, e.held) || !io.any("bytes", bytes, std::int64_t{-1}) ||
            !program(e.program) || !io.closes('}'))
            return false;
        if (!io.reads()) return true;
        e.any = true;
        e.held = e.held_message.what != timed_message::kind::none;
        if (e.held) e.held_sums.duration = e.held_sums.communication = e.held_message.duration;
        if (e.held && bytes >= 0) e.held_sums.bytes = bytes;
        return bytes >= -1 && are_times(e.first, e.last) && (!e.held || e.held_message.end != 0);
    }
    // Reads or writes a part without its closing bracket. The last part of a text has no end.
    bool part(text_part& p) {
        constexpr std::uint64_t no_end = (std::numeric_limits<std::uint64_t>::max)();
        if (!io.opens('{') || !io.any("text", p.text) || !io.any("begin", p.begin, no_end) ||
            !io.any("end", p.end, no_end) || !io.opens_list("ranks") || (io.reads() && p.begin > p.end))
            return false;
        return io.ranks(p.ranks, [&](std::int64_t number, rank_edge& e) {
            if (io.reads()) e.first_key.rank = number;
            return edge(e) && (!io.reads() || !e.held || p.begin != 0);
        });
    }
    bool read_part() {
        text_part p;
        if (!part(p)) return false;
        std::pair<std::string, std::uint64_t> key(p.text, p.begin);
        if (!s.parts.empty() && key < s.parts.rbegin()->first) return false;
        s.parts.emplace(std::move(key), std::move(p));
        return io.closes('}');
    }

    // Checks the state once all of it has been read.
    bool is_whole() {
        if (!adds_up()) return false;
        for (const auto& [rank, sums] : s.ranks) s.repeated = s.repeated || sums.source.texts > 1;
        adding::limit_steps(s);
        return true;
    }
    // Whether the counts of ranks and breakdowns add up to the totals.
    bool adds_up() const {
        wide operations = wide::of(s.planned);
        wide nested;
        wide held;
        for (const auto& [rank, sums] : s.ranks) {
            operations += wide::of(sums.operations);
            nested += wide::of(sums.nested);
        }
        for (const auto& [key, part] : s.parts)
            for (const auto& [rank, edge] : part.ranks) held += wide(edge.held);
        if (operations != wide::of(s.operations) || (wide::of(s.nested) + -nested).is_negative()) return false;
        for (std::size_t n = 0; n != records_.size(); ++n) {
            const bool counts_nested = has(s.dimensions[n], dimension::collective);
            if (counts_nested ? records_[n] != wide::of(s.nested) : records_[n] + held != wide::of(s.operations))
                return false;
        }
        return true;
    }

    summary_fields io;
    summary_state& s;
    std::vector<std::uint32_t> names_;  // the numbers of the names that programs use, in the order of the line
    std::vector<std::int64_t> places_;  // when writing: the place of each number in names_
    std::vector<wide> records_;         // when reading: the number of records in each breakdown
};

}  // namespace wlfmt::analysis

#endif
