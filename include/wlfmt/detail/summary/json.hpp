// A summary as a line of JSON, and back.
#ifndef WLFMT_DETAIL_SUMMARY_JSON_HPP
#define WLFMT_DETAIL_SUMMARY_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../summary.hpp"
#include "../base/escapes.hpp"
#include "../base/order.hpp"
#include "../base/out.hpp"
#include "../json/line.hpp"
#include "../number/decimal.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Reads the line as write() lays it out.
class summary_cursor {
public:
    explicit summary_cursor(std::string_view text) noexcept : text_(text) {}
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
        return literal(",");
    }
    bool key(std::string_view name) noexcept {
        const std::size_t before = at_;
        const bool first = first_;
        if (element() && literal("\"") && literal(name) && literal("\":")) {
            first_ = true;
            return true;
        }
        at_ = before;
        first_ = first;
        return false;
    }
    // This very string.
    bool word(std::string_view name) noexcept {
        const std::size_t before = at_;
        const bool first = first_;
        if (element() && literal("\"") && literal(name) && literal("\"")) return true;
        at_ = before;
        first_ = first;
        return false;
    }
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
    bool number(std::uint64_t& v) noexcept {
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

private:
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
        if (c >= 0xDC80 && c <= 0xDCFF)
            to += static_cast<char>(c - 0xDC00);
        else if (c < 0x20)
            to += static_cast<char>(c);
        else
            return false;
        return true;
    }
    std::string_view text_;
    std::size_t at_ = 0;
    bool first_ = true;
};

}  // namespace WLFMT_IMPL

// Each key is written by one function here and read by the one after it.
struct summary_json {
    template <class Line>
    static void write(Line& to, std::string_view key, const wide& v, std::size_t decimals) {
        to.key(key);
        to.plain(v.text(decimals));
    }
    template <class Line>
    static void write(Line& to, std::string_view key, std::uint64_t v) {
        to.key(key);
        to.integer(static_cast<std::int64_t>(v));
    }
    // What there may be none of is left out.
    template <class Line>
    static void write(Line& to, std::string_view key, std::int64_t v, std::size_t decimals, std::int64_t none) {
        if (v != none) write(to, key, wide(v), decimals);
    }
    template <class Line>
    static void write(Line& to, std::string_view key, const std::string& v) {
        if (v.empty()) return;
        to.key(key);
        to.string(v);
    }
    template <class From>
    static bool read(From& from, std::string_view key, compact_wide& v, std::size_t decimals) {
        wide whole;
        if (!read(from, key, whole, decimals)) return false;
        v = whole;
        return true;
    }
    template <class From>
    static bool read(From& from, std::string_view key, wide& v, std::size_t decimals) {
        return from.key(key) && from.number(v, decimals);
    }
    template <class From>
    static bool read(From& from, std::string_view key, std::uint64_t& v) {
        return from.key(key) && from.number(v);
    }
    template <class From>
    static bool read_any(From& from, std::string_view key, std::int64_t& v, std::size_t decimals = 0) {
        return !from.key(key) || from.number(v, decimals);
    }
    template <class From>
    static bool read_any(From& from, std::string_view key, std::string& v) {
        return !from.key(key) || (from.string(v) && !v.empty());
    }

    template <class Line, unsigned Decimals>
    static void write(Line& to, std::string_view key, const oplog::measure<Decimals>& m) {
        if (m.count_ == 0) return;
        to.key(key);
        to.open('{');
        write(to, "count", m.count_);
        write(to, "sum", m.sum_, Decimals);
        write(to, "squares", m.squares_, 2 * Decimals);
        write(to, "min", wide(m.min_), Decimals);
        write(to, "max", wide(m.max_), Decimals);
        to.key("sketch");
        to.open('[');
        for (const auto& b : m.buckets_) {
            to.integer(b.index);
            to.integer(static_cast<std::int64_t>(b.count));
        }
        to.close(']');
        to.close('}');
    }
    template <class From, unsigned Decimals>
    static bool read(From& from, std::string_view key, oplog::measure<Decimals>& m) {
        if (!from.key(key)) return true;
        if (!from.open("{") || !read(from, "count", m.count_) || !read(from, "sum", m.sum_, Decimals) ||
            !read(from, "squares", m.squares_, 2 * Decimals) || !from.key("min") || !from.number(m.min_, Decimals) ||
            !from.key("max") || !from.number(m.max_, Decimals) || !from.key("sketch") || !from.open("["))
            return false;
        std::uint64_t sum = 0;
        while (!from.closes("]")) {
            std::int64_t index = 0;
            std::uint64_t count = 0;
            if (!from.number(index) || !from.number(count) || count == 0 || count > m.count_ - sum) return false;
            const auto place = static_cast<std::int32_t>(index);
            if (index != place || (!m.buckets_.empty() && m.buckets_.back().index >= place)) return false;
            m.buckets_.push_back({place, count});
            sum += count;
        }
        return sum == m.count_ && sum != 0 && m.min_ > -most_measured && m.max_ < most_measured &&
               bucket_of(m.min_) == m.buckets_.front().index && bucket_of(m.max_) == m.buckets_.back().index &&
               from.closes("}");
    }

    template <class Line>
    static void write(Line& to, const oplog::tally_row& row) {
        const oplog::tally& t = row.tally;
        to.open('{');
        write(to, "operation", row.operation);
        write(to, "collective", row.collective);
        write(to, "group", row.group);
        write(to, "state", row.state);
        if (row.stage) write(to, "stage", wide(*row.stage), 0);
        if (row.rank) write(to, "rank", wide(*row.rank), 0);
        write(to, "records", t.records);
        write(to, "unmeasured", t.unmeasured);
        write(to, "communication", t.communication_, 6);
        write(to, "overlap", t.overlap_, 6);
        write(to, "duration", t.duration);
        write(to, "gap", t.gap);
        write(to, "bytes", t.bytes);
        to.close('}');
    }
    template <class From, class Summary>
    static bool read_tally(From& from, Summary& s, std::size_t n) {
        auto k = typename Summary::key();
        oplog::tally t;
        if (!from.open("{") || !read_key(from, s, k, true) || !read(from, "records", t.records) ||
            !read(from, "unmeasured", t.unmeasured) || !read(from, "communication", t.communication_, 6) ||
            !read(from, "overlap", t.overlap_, 6) || !read(from, "duration", t.duration) || !read(from, "gap", t.gap) ||
            !read(from, "bytes", t.bytes) || !from.closes("}"))
            return false;
        const bool fits = typename Summary::equal()(k, s.chosen(k, s.dimensions_[n]));
        return fits && s.tallies_[n].emplace(k, std::move(t)).second;
    }
    template <class From, class Summary>
    static bool read_key(From& from, Summary& s, typename Summary::key& k, bool with_rank) {
        std::string operation;
        std::string collective;
        std::string group;
        std::string state;
        if (!read_any(from, "operation", operation) || !read_any(from, "collective", collective) ||
            !read_any(from, "group", group) || !read_any(from, "state", state) || !read_any(from, "stage", k.stage) ||
            (with_rank && !read_any(from, "rank", k.rank)))
            return false;
        k.operation = s.id_of(operation);
        k.collective = s.id_of(collective);
        k.group = s.id_of(group);
        k.state = s.id_of(state);
        return true;
    }

    // Times whose differences are within the bounds of integers; without an end there is no beginning.
    static bool are_times(std::int64_t first, std::int64_t last, std::int64_t none) noexcept {
        const auto within = [none](std::int64_t v, std::int64_t most) {
            return v == none || (v <= most && v >= -most);
        };
        return within(first, most_measured) && within(last, most_measured / 2) && (first == none || last != none);
    }
    template <class Line, class Sums>
    static void write_rank(Line& to, std::int64_t rank, const Sums& sums, std::int64_t none) {
        to.open('{');
        write(to, "rank", wide(rank), 0);
        write(to, "stage", sums.stage, 0, none);
        write(to, "operations", sums.operations);
        write(to, "nested", sums.nested);
        write(to, "busy", sums.busy.value(), 6);
        write(to, "communication", sums.communication.value(), 6);
        write(to, "pipeline", sums.pipeline.value(), 6);
        write(to, "first", sums.first, 6, none);
        write(to, "last", sums.last, 6, none);
        to.close('}');
    }
    template <class From, class Summary>
    static bool read_rank(From& from, Summary& s) {
        std::int64_t rank = 0;
        if (!from.open("{") || !from.key("rank") || !from.number(rank) || s.ranks_.count(rank) != 0) return false;
        auto& sums = s.ranks_[rank];
        return read_any(from, "stage", sums.stage) && read(from, "operations", sums.operations) &&
               read(from, "nested", sums.nested) && read(from, "busy", sums.busy, 6) &&
               read(from, "communication", sums.communication, 6) && read(from, "pipeline", sums.pipeline, 6) &&
               read_any(from, "first", sums.first, 6) && read_any(from, "last", sums.last, 6) &&
               are_times(sums.first, sums.last, Summary::no_number) && from.closes("}");
    }

    template <class Line, class Summary>
    static void write_part(Line& to, const Summary& s, const typename Summary::part& p) {
        to.open('{');
        write(to, "text", p.text);
        write_offset(to, "begin", p.begin);
        write_offset(to, "end", p.end);
        to.key("ranks");
        to.open('[');
        for (const std::int64_t rank : sorted_keys(p.ranks)) {
            const auto& e = p.ranks.at(rank);
            to.open('{');
            write(to, "rank", wide(rank), 0);
            write(to, "operation", s.names_[e.first_key.operation]);
            write(to, "group", s.names_[e.first_key.group]);
            write(to, "state", s.names_[e.first_key.state]);
            write(to, "stage", e.first_key.stage, 0, Summary::no_number);
            write(to, "first", e.first, 6, Summary::no_number);
            write(to, "last", wide(e.last), 6);
            to.close('}');
        }
        to.close(']');
        to.close('}');
    }
    template <class From, class Summary>
    static bool read_part(From& from, Summary& s) {
        typename Summary::part p;
        if (!from.open("{") || !read_any(from, "text", p.text) || !read_offset(from, "begin", p.begin) ||
            !read_offset(from, "end", p.end) || !from.key("ranks") || !from.open("["))
            return false;
        while (!from.closes("]")) {
            std::int64_t rank = 0;
            if (!from.open("{") || !from.key("rank") || !from.number(rank) || p.ranks.count(rank) != 0) return false;
            auto& e = p.ranks[rank];
            e.first_key.rank = rank;
            if (!read_key(from, s, e.first_key, false) || !read_any(from, "first", e.first, 6) || !from.key("last") ||
                !from.number(e.last, 6) || !are_times(e.first, e.last, Summary::no_number) || !from.closes("}"))
                return false;
        }
        s.parts_.push_back(std::move(p));
        return from.closes("}");
    }
    // The end of a text's last part is left out.
    template <class Line>
    static void write_offset(Line& to, std::string_view key, std::uint64_t v) {
        if (v != (std::numeric_limits<std::uint64_t>::max)()) write(to, key, v);
    }
    template <class From>
    static bool read_offset(From& from, std::string_view key, std::uint64_t& v) {
        v = (std::numeric_limits<std::uint64_t>::max)();
        return !from.key(key) || from.number(v);
    }

    template <class Map>
    static std::vector<std::int64_t> sorted_keys(const Map& map) {
        std::vector<std::int64_t> keys;
        keys.reserve(map.size());
        for (const auto& entry : map) keys.push_back(entry.first);
        sort_list(keys, [](std::int64_t a, std::int64_t b) { return a < b; });
        return keys;
    }
    template <class Line, class Summary>
    static void write(Line& to, const Summary& s) {
        to.open('{');
        write(to, "wlfmt_summary", wide(version), 0);
        write(to, "operations", s.operations_);
        write(to, "nested", s.nested_);
        write(to, "nested_texts", s.nested_texts_);
        write(to, "planned", s.planned_);
        to.key("ranks");
        to.open('[');
        for (const std::int64_t rank : sorted_keys(s.ranks_))
            write_rank(to, rank, s.ranks_.at(rank), Summary::no_number);
        to.close(']');
        to.key("breakdowns");
        to.open('[');
        for (const oplog::dimension by : s.dimensions_) {
            to.open('{');
            to.key("by");
            to.open('[');
            for (unsigned n = 0; n != 6; ++n)
                if (const auto one = static_cast<oplog::dimension>(1U << n); has(by, one)) to.string(name_of(one));
            to.close(']');
            to.key("tallies");
            to.open('[');
            for (const oplog::tally_row& row : s.rows(by)) write(to, row);
            to.close(']');
            to.close('}');
        }
        to.close(']');
        to.key("parts");
        to.open('[');
        std::vector<const typename Summary::part*> parts;
        for (const auto& p : s.parts_) parts.push_back(&p);
        sort_list(parts, [](const auto* a, const auto* b) {
            return std::tie(a->text, a->begin, a->end) < std::tie(b->text, b->begin, b->end);
        });
        for (const auto* p : parts) write_part(to, s, *p);
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
    template <class From, class Summary>
    static bool read(From& from, Summary& s) {
        std::int64_t found = 0;
        if (!from.open("{") || !from.key("wlfmt_summary") || !from.number(found) || found != version ||
            !read(from, "operations", s.operations_) || !read(from, "nested", s.nested_) ||
            !read(from, "nested_texts", s.nested_texts_) || !read(from, "planned", s.planned_) || !from.key("ranks") ||
            !from.open("["))
            return false;
        while (!from.closes("]"))
            if (!read_rank(from, s)) return false;
        if (!from.key("breakdowns") || !from.open("[")) return false;
        while (!from.closes("]")) {
            auto by = oplog::dimension::none;
            if (!from.open("{") || !read_dimensions(from, by) || !from.key("tallies") || !from.open("[")) return false;
            s.dimensions_.push_back(by);
            s.tallies_.emplace_back();
            s.any_nested_ = s.any_nested_ || has(by, oplog::dimension::collective);
            while (!from.closes("]"))
                if (!read_tally(from, s, s.tallies_.size() - 1)) return false;
            if (!from.closes("}")) return false;
        }
        if (!from.key("parts") || !from.open("[")) return false;
        while (!from.closes("]"))
            if (!read_part(from, s)) return false;
        return from.closes("}");
    }

    static constexpr std::int64_t version = 1;
};

}  // namespace detail

namespace oplog {
inline namespace WLFMT_IMPL {

template <class Sink>
error write(Sink&& sink, const summary& s) {
    detail::out<std::remove_reference_t<Sink>> to(sink);
    detail::json_line<std::remove_reference_t<Sink>> line(to);
    detail::summary_json::write(line, s);
    return to.finish() ? error() : detail::sink_error();
}

inline result<summary> read_summary(std::string_view line) {
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    detail::summary_cursor from(line);
    summary s{std::vector<dimension>()};
    if (detail::summary_json::read(from, s) && from.at() == line.size()) return s;
    error e;
    e.kind = error_kind::bad_summary;
    e.offset = from.at();
    e.length = line.size() - from.at();
    return {summary(), e, false};
}

}  // namespace WLFMT_IMPL
}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
