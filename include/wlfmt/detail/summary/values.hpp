// The values of a summary as JSON, and back.
#ifndef WLFMT_DETAIL_SUMMARY_VALUES_HPP
#define WLFMT_DETAIL_SUMMARY_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../../types/summary.hpp"
#include "measure.hpp"
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
    // A string that must be `name`.
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

    // A value under its key.
    template <class Number> bool field(std::string_view name, Number& v, std::size_t decimals = 0) {
        return key(name) && number(v, decimals);
    }
    // One that is left out where it is `none`, or empty.
    template <class Number> bool any(std::string_view name, Number& v, Number none, std::size_t decimals = 0) {
        v = none;
        return !key(name) || number(v, decimals);
    }
    bool any(std::string_view name, std::string& v) { return !key(name) || (string(v) && !v.empty()); }
    // One of the summary's names.
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
        const std::size_t decimals = decimals_of(m);
        return io.open("{") && io.field("count", m.count_) && io.field("sum", m.sum_, decimals) &&
               io.field("squares", m.squares_, 2 * decimals) && io.field("min", m.min_, decimals) &&
               io.field("max", m.max_, decimals) && io.key("sketch") && io.open("[") && buckets(io, m) &&
               io.closes("}");
    }
    template <unsigned Decimals> static constexpr std::size_t decimals_of(const oplog::measure<Decimals>&) noexcept {
        return Decimals;
    }
    template <class Line, unsigned Decimals>
    static bool buckets(summary_output<Line>& to, const oplog::measure<Decimals>& m) {
        for (const auto& b : m.buckets_) {
            to.number(std::int64_t{b.index});
            to.number(b.count);
        }
        return to.closes("]");
    }
    template <unsigned Decimals> static bool buckets(summary_input& from, oplog::measure<Decimals>& m) {
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

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
