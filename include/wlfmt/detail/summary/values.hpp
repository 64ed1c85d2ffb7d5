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
#include "../base/wide.hpp"
#include "measure.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// For each key there is a function that writes it, and after that the function that reads it.
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
    // Lists that are empty, and numbers that are not known, are left out.
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
               is_possible(m) && from.closes("}");
    }
    // Whether there can be values with these sums: the sum must lie between count times the least and count times the
    // greatest, and the squares between those of equal values and those of values that are all as far from 0 as one is.
    template <unsigned Decimals>
    static bool is_possible(const oplog::measure<Decimals>& m) {
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
    template <class Line>
    static void write_tally(Line& to, const oplog::tally& t) {
        write(to, "records", t.records);
        write(to, "unmeasured", t.unmeasured);
        write(to, "doubles", t.doubles);
        write(to, "communication", t.communication_, 6);
        write(to, "overlap", t.overlap_, 6);
        write(to, "duration", t.duration);
        write(to, "gap", t.gap);
        write(to, "bytes", t.bytes);
    }
    template <class From>
    static bool read_tally(From& from, oplog::tally& t) {
        if (!read(from, "records", t.records) || !read(from, "unmeasured", t.unmeasured) ||
            !read(from, "doubles", t.doubles) || !read(from, "communication", t.communication_, 6) ||
            !read(from, "overlap", t.overlap_, 6) || !read(from, "duration", t.duration) || !read(from, "gap", t.gap) ||
            !read(from, "bytes", t.bytes))
            return false;
        wide parts = wide::of(t.unmeasured);
        parts += wide::of(t.doubles);
        parts += wide::of(t.duration.count_);
        return parts == wide::of(t.records) && t.gap.count_ <= t.records && t.bytes.count_ <= t.records;
    }
    // The last part of a text has no end.
    template <class Line>
    static void write_offset(Line& to, std::string_view key, std::uint64_t v) {
        if (v != (std::numeric_limits<std::uint64_t>::max)()) write(to, key, v);
    }
    template <class From>
    static bool read_offset(From& from, std::string_view key, std::uint64_t& v) {
        v = (std::numeric_limits<std::uint64_t>::max)();
        return !from.key(key) || from.number(v);
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

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
