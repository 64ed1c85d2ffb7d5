// How values are counted: buckets, sums, quantiles.
#ifndef WLFMT_DETAIL_SUMMARY_MEASURE_HPP
#define WLFMT_DETAIL_SUMMARY_MEASURE_HPP

#include <algorithm>

#include "../../types/number.hpp"
#include "../../types/summary.hpp"
#include "../base/build.hpp"
#include "../base/scan.hpp"
#include "../oplog/operations.hpp"
#include "wide.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail {

// Values beyond this bound are not summed up. Times are within half of it, so that their differences are within it.
inline constexpr std::int64_t most_measured = std::int64_t{1} << 62;

// The bucket of a value: values below 64 have one each, then each power of two has 64. Those below 0 mirror them.
inline std::int32_t bucket_of(std::int64_t value) noexcept {
    const std::uint64_t v = magnitude(value);
    const unsigned doublings = v < 64 ? 0 : highest_bit(v) - 6;
    const auto index = static_cast<std::int32_t>(64 * doublings + (v >> doublings));
    return value < 0 ? -index : index;
}
// The value in the middle of a bucket.
inline double middle_of(std::int32_t index) noexcept {
    const std::int32_t size = index < 0 ? -index : index;
    if (size < 128) return index;
    const std::int32_t doublings = size / 64 - 1;
    const double middle = std::ldexp(size % 64 + 64.5, doublings) - 0.5;
    return index < 0 ? -middle : middle;
}

// A number of milliseconds in millionths; empty where it has none. A decimal of up to six digits after the point gives
// them exactly as long as a double tells such decimals apart: where its digits, taken as an integer and divided again,
// are the number, they are the ones it was written with. A double has 15 digits in all, so that of milliseconds since
// 1970 three are left after the point.
inline std::optional<std::int64_t> in_millionths(const number& n) noexcept {
    const double v = n.value_or(std::numeric_limits<double>::quiet_NaN());
    constexpr double most = 2305843009213.0;  // 2^61 / 10^6
    if (!(v > -most && v < most)) return std::nullopt;
    for (const std::int64_t scale : {100, 1000, 10000, 100000}) {
        const auto digits = std::llround(v * static_cast<double>(scale));
        if (static_cast<double>(digits) / static_cast<double>(scale) == v) return digits * (1000000 / scale);
    }
    return std::llround(v * 1e6);
}

}  // namespace detail

namespace oplog {

inline std::string_view name_of(dimension d) noexcept {
    constexpr std::string_view names[] = {"operation", "collective", "group", "stage", "state", "rank"};
    if (d == dimension::none) return "none";
    for (unsigned n = 0; n != 6; ++n)
        if (static_cast<unsigned>(d) == 1U << n) return names[n];
    return "several";
}

inline bool is_communication(std::string_view op) noexcept {
    return detail::oplog_operations<detail::build>::facts_of(op).is_communication();
}

template <unsigned Decimals> bool measure<Decimals>::add(std::int64_t value) {
    if (value >= detail::most_measured || value <= -detail::most_measured) return false;
    const std::int32_t index = detail::bucket_of(value);
    auto at = std::lower_bound(buckets_.begin(), buckets_.end(), index,
                               [](const detail::counted_bucket& b, std::int32_t i) { return b.index < i; });
    if (at == buckets_.end() || at->index != index) at = buckets_.insert(at, {index, 0});
    ++at->count;
    min_ = count_ == 0 ? value : (std::min)(min_, value);
    max_ = count_ == 0 ? value : (std::max)(max_, value);
    ++count_;
    sum_ += detail::wide(value);
    squares_ += detail::wide::square_of(value);
    return true;
}

template <unsigned Decimals> void measure<Decimals>::merge(const measure& other) {
    if (other.count_ == 0) return;
    std::vector<detail::counted_bucket> all;
    all.reserve(buckets_.size() + other.buckets_.size());
    auto a = buckets_.begin();
    for (const detail::counted_bucket& b : other.buckets_) {
        for (; a != buckets_.end() && a->index < b.index; ++a) all.push_back(*a);
        all.push_back(b);
        if (a != buckets_.end() && a->index == b.index) all.back().count += (a++)->count;
    }
    all.insert(all.end(), a, buckets_.end());
    buckets_ = std::move(all);
    min_ = count_ == 0 ? other.min_ : (std::min)(min_, other.min_);
    max_ = count_ == 0 ? other.max_ : (std::max)(max_, other.max_);
    count_ += other.count_;
    sum_ += other.sum_;
    squares_ += other.squares_;
}

template <unsigned Decimals> double measure<Decimals>::standard_deviation() const noexcept {
    if (count_ == 0) return 0;
    // Computed in integers, as n * sum of squares - square of the sum: nothing is lost where the two are nearly equal.
    detail::wide spread = detail::wide::of(count_) * squares_;
    spread += -(sum_ * sum_);
    return std::sqrt(spread.as_double()) / static_cast<double>(count_) / scale;
}

// The middle of a bucket, or the end of all values if that is before it.
template <unsigned Decimals> double measure<Decimals>::value_of(const detail::counted_bucket& b) const noexcept {
    return (std::min)((std::max)(detail::middle_of(b.index) / scale, least()), greatest());
}
template <unsigned Decimals> auto measure<Decimals>::buckets() const -> std::vector<bucket> {
    std::vector<bucket> all;
    for (const detail::counted_bucket& b : buckets_) all.push_back({value_of(b), b.count});
    return all;
}

template <unsigned Decimals> double measure<Decimals>::quantile(double part) const noexcept {
    if (!(part > 0)) return least();
    if (part >= 1) return greatest();
    const double place = part * static_cast<double>(count_);
    std::uint64_t before = 0;
    for (const detail::counted_bucket& b : buckets_) {
        before += b.count;
        if (static_cast<double>(before) >= place) return value_of(b);
    }
    return greatest();
}

}  // namespace oplog

namespace detail {

// What reads and writes tallies and measures needs their members.
struct summary_access {
    static void add_communication(oplog::tally& to, const wide& communication, const wide& overlap) noexcept {
        to.communication_ += communication;
        to.overlap_ += overlap;
    }
    static void merge(oplog::tally& to, const oplog::tally& more) {
        to.duration.merge(more.duration);
        to.gap.merge(more.gap);
        to.bytes.merge(more.bytes);
        to.records += more.records;
        to.unmeasured += more.unmeasured;
        to.doubles += more.doubles;
        add_communication(to, more.communication_, more.overlap_);
    }
};

}  // namespace detail
}}  // namespace wlfmt::WLFMT_ABI

#endif
