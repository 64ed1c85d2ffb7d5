// How summaries add up.
#ifndef WLFMT_DETAIL_SUMMARY_ADD_HPP
#define WLFMT_DETAIL_SUMMARY_ADD_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../summary.hpp"
#include "../base/hash.hpp"
#include "../base/order.hpp"
#include "../base/scan.hpp"
#include "../oplog/bytes.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Values beyond this are not summed up. Times are below half of it, so that their differences are.
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
// them exactly: where its digits, taken as an integer and divided again, are the number, they are the ones it was
// written with.
inline std::optional<std::int64_t> in_millionths(const number& n) noexcept {
    const double v = n.value_or(std::numeric_limits<double>::quiet_NaN());
    constexpr double most = 2305843009213.0;  // 2^61 / 10^6
    if (!(v > -most && v < most)) return std::nullopt;
    for (const std::int64_t scale : {100, 1000}) {
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
    const auto holds = [&](std::string_view part) { return op.find(part) != std::string_view::npos; };
    return op.substr(0, 5) == "send_" || op.substr(0, 5) == "recv_" || holds("allreduce") || holds("_comm");
}

template <unsigned Decimals>
bool measure<Decimals>::add(std::int64_t value) {
    if (value >= detail::most_measured || value <= -detail::most_measured) return false;
    const std::int32_t index = detail::bucket_of(value);
    auto at = std::lower_bound(buckets_.begin(), buckets_.end(), index,
                               [](const bucket& b, std::int32_t i) { return b.index < i; });
    if (at == buckets_.end() || at->index != index) at = buckets_.insert(at, bucket{index, 0});
    ++at->count;
    min_ = count_ == 0 ? value : (std::min)(min_, value);
    max_ = count_ == 0 ? value : (std::max)(max_, value);
    ++count_;
    sum_ += detail::wide(value);
    squares_ += detail::wide::square_of(value);
    return true;
}

template <unsigned Decimals>
void measure<Decimals>::merge(const measure& other) {
    if (other.count_ == 0) return;
    std::vector<bucket> all;
    all.reserve(buckets_.size() + other.buckets_.size());
    auto a = buckets_.begin();
    for (const bucket& b : other.buckets_) {
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

template <unsigned Decimals>
double measure<Decimals>::standard_deviation() const noexcept {
    if (count_ == 0) return 0;
    // n * sum of squares - square of the sum: nothing is lost where the two are nearly equal.
    detail::wide n(static_cast<std::int64_t>(count_ >> 32));
    n = n * detail::wide(std::int64_t{1} << 32);
    n += detail::wide(static_cast<std::int64_t>(count_ & 0xffffffff));
    detail::wide spread = n * squares_;
    spread += -(sum_ * sum_);
    return std::sqrt(spread.as_double()) / static_cast<double>(count_) / scale;
}

template <unsigned Decimals>
double measure<Decimals>::quantile(double part) const noexcept {
    if (!(part > 0)) return least();
    if (part >= 1) return greatest();
    const double place = part * static_cast<double>(count_);
    std::uint64_t before = 0;
    for (const bucket& b : buckets_) {
        before += b.count;
        if (static_cast<double>(before) < place) continue;
        const double value = detail::middle_of(b.index) / scale;
        return (std::min)((std::max)(value, least()), greatest());
    }
    return greatest();
}

}  // namespace oplog

namespace detail {

// The insides of tallies and measures.
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
        add_communication(to, more.communication_, more.overlap_);
    }
};

}  // namespace detail

namespace oplog {
inline namespace WLFMT_IMPL {

inline std::size_t summary::hash::operator()(const key& k) const noexcept {
    std::uint64_t h = detail::mix(k.operation, std::uint64_t{k.collective} << 32 | k.group);
    h = detail::mix(h, std::uint64_t{k.state} ^ static_cast<std::uint64_t>(k.stage) << 20);
    return static_cast<std::size_t>(detail::mix(h, static_cast<std::uint64_t>(k.rank)));
}
inline bool summary::equal::operator()(const key& a, const key& b) const noexcept {
    return a.operation == b.operation && a.collective == b.collective && a.group == b.group && a.state == b.state &&
           a.stage == b.stage && a.rank == b.rank;
}

inline summary::summary(std::vector<dimension> breakdowns)
    : dimensions_(std::move(breakdowns)), tallies_(dimensions_.size()), names_(1), index_(64) {
    for (const dimension d : dimensions_) any_nested_ = any_nested_ || has(d, dimension::collective);
}

// The number of a name. A table with open addressing over names_, at most half full; 0 is a free place.
inline std::uint32_t summary::id_of(std::string_view name) {
    if (name.empty()) return 0;
    const std::size_t mask = index_.size() - 1;
    std::size_t at = static_cast<std::size_t>(detail::hash_of(name)) & mask;
    for (; index_[at] != 0; at = (at + 1) & mask)
        if (names_[index_[at]] == name) return index_[at];
    names_.emplace_back(name);
    const auto id = static_cast<std::uint32_t>(names_.size() - 1);
    index_[at] = id;
    if (2 * names_.size() > index_.size()) grow_index();
    return id;
}
inline void summary::grow_index() {
    std::vector<std::uint32_t> larger(4 * index_.size());
    const std::size_t mask = larger.size() - 1;
    for (std::uint32_t id = 1; id != names_.size(); ++id) {
        std::size_t at = static_cast<std::size_t>(detail::hash_of(names_[id])) & mask;
        while (larger[at] != 0) at = (at + 1) & mask;
        larger[at] = id;
    }
    index_ = std::move(larger);
}

inline summary::key summary::chosen(const key& all, dimension by) const noexcept {
    key to;
    if (has(by, dimension::operation)) to.operation = all.operation;
    if (has(by, dimension::collective)) to.collective = all.collective;
    if (has(by, dimension::group)) to.group = all.group;
    if (has(by, dimension::state)) to.state = all.state;
    if (has(by, dimension::stage)) to.stage = all.stage;
    if (has(by, dimension::rank)) to.rank = all.rank;
    return to;
}

inline void summary::begin_part(std::string_view text, std::uint64_t begin) {
    current_.text = text;
    current_.begin = begin;
    current_.ranks.clear();
}
inline void summary::end_part(std::uint64_t end) {
    current_.end = end;
    join_parts(std::exchange(current_, part()));
}

inline void summary::add_gap(const key& of, std::int64_t length) {
    for (std::size_t n = 0; n != dimensions_.size(); ++n)
        if (!has(dimensions_[n], dimension::collective))
            static_cast<void>(tallies_[n][chosen(of, dimensions_[n])].gap.add(length));
}

// Counts a record in the breakdowns: nested operations in those by collective, operations in all others.
inline void summary::add_record(const key& of, bool nested, const record_sums& sums) {
    for (std::size_t n = 0; n != dimensions_.size(); ++n) {
        if (has(dimensions_[n], dimension::collective) != nested) continue;
        tally& to = tallies_[n][chosen(of, dimensions_[n])];
        ++to.records;
        to.unmeasured += !sums.duration;
        if (sums.bytes) static_cast<void>(to.bytes.add(*sums.bytes));
        if (sums.duration) static_cast<void>(to.duration.add(*sums.duration));
        detail::summary_access::add_communication(to, detail::wide(sums.communication), detail::wide(sums.overlap));
    }
}

// Counts the nested operations of an operation whose key is `of`. Returns how many there are, and their durations.
inline summary::nested_sums summary::add_nested(const operation& op, key of) {
    nested_sums all;
    for (const sub_operation& sub : op.sub_operations) {
        ++all.operations;
        nested_texts_ += sub.is_text();
        record_sums sums;
        sums.duration = detail::in_millionths(sub.duration);
        // Of what is summed up here a little less fits than in all.
        if (sums.duration && all.duration < detail::most_measured && all.duration > -detail::most_measured)
            all.duration += *sums.duration;
        if (!any_nested_) continue;
        of.collective = id_of(sub.comm_func);
        of.group = id_of(sub.group);
        sums.bytes = detail::tensor_bytes(sub.input_shape, sub.input_dtype);
        sums.communication = sums.duration.value_or(0);
        add_record(of, true, sums);
    }
    return all;
}

inline void summary::add(const operation& op) {
    const bool of_rank = op.origin == oplog::origin::rank;
    key of;
    of.operation = id_of(op.op);
    of.group = id_of(op.group_kind);
    of.state = id_of(op.mg_state);
    of.stage = op.stage_id.as<std::int64_t>().value_or(of_rank ? no_number : op.rank);
    of.rank = of_rank ? op.rank : no_number;

    const nested_sums nested = add_nested(op, of);
    ++operations_;
    nested_ += nested.operations;
    planned_ += !of_rank;

    record_sums sums;
    sums.duration = detail::in_millionths(op.duration);
    sums.bytes = detail::tensor_bytes(op.input_shape, op.input_dtype);
    const bool all = is_communication(op.op);
    const std::int64_t busy = sums.duration.value_or(0);
    sums.communication = all ? busy : (std::min)(nested.duration, busy);
    sums.overlap = all || !sums.duration ? 0 : nested.duration - sums.communication;
    add_record(of, false, sums);
    if (!of_rank) return;

    rank_sums& to = ranks_[op.rank];
    ++to.operations;
    to.nested += nested.operations;
    if (of.stage != no_number) to.stage = to.stage == no_number ? of.stage : (std::min)(to.stage, of.stage);
    to.busy += busy;
    to.communication += sums.communication;
    const bool waits = op.op.substr(0, 5) == "send_" || op.op.substr(0, 5) == "recv_";
    if (waits) to.pipeline += busy;
    // A timestamp of 0 was not measured.
    const auto end = detail::in_millionths(op.timestamp);
    if (end && *end != 0) add_times(to, of, *end, sums.duration);
}

// Notes when an operation of a rank began and ended, and the gap before it.
inline void summary::add_times(rank_sums& to, const key& of, std::int64_t end, std::optional<std::int64_t> duration) {
    edge& here = current_.ranks[of.rank];
    const bool is_first = here.last == no_number;
    if (duration) {
        const std::int64_t begin = end - *duration;
        to.first = to.first == no_number ? begin : (std::min)(to.first, begin);
        if (is_first) {
            here.first_key = of;
            here.first = begin;
        } else {
            add_gap(of, begin - here.last);
        }
    }
    to.last = to.last == no_number ? end : (std::max)(to.last, end);
    here.last = end;
}

// Joins a part with those that it touches. What covers a whole text is done.
inline void summary::join_parts(part more) {
    const auto append = [&](part& to, part& next) {
        for (auto& [rank, later] : next.ranks) {
            edge& here = to.ranks[rank];
            if (here.last == no_number) {
                here = later;
                continue;
            }
            if (later.first != no_number) add_gap(later.first_key, later.first - here.last);
            here.last = later.last;
        }
        to.end = next.end;
    };
    for (std::size_t n = 0; n < parts_.size();) {
        part& other = parts_[n];
        if (other.text != more.text || (other.end != more.begin && more.end != other.begin)) {
            ++n;
            continue;
        }
        if (other.end == more.begin) {
            append(other, more);
            more = std::move(other);
        } else {
            append(more, other);
        }
        parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(n));
        n = 0;
    }
    constexpr std::uint64_t text_end = (std::numeric_limits<std::uint64_t>::max)();
    if (more.begin != 0 || more.end != text_end) parts_.push_back(std::move(more));
}

inline void summary::merge_all_but_ranks(const summary& other) {
    std::vector<std::uint32_t> ids;
    ids.reserve(other.names_.size());
    for (const std::string& name : other.names_) ids.push_back(id_of(name));
    const auto translated = [&](key k) {
        k.operation = ids[k.operation];
        k.collective = ids[k.collective];
        k.group = ids[k.group];
        k.state = ids[k.state];
        return k;
    };
    for (std::size_t n = 0; n != dimensions_.size(); ++n)
        for (const auto& [k, t] : other.tallies_[n]) detail::summary_access::merge(tallies_[n][translated(k)], t);
    operations_ += other.operations_;
    nested_ += other.nested_;
    nested_texts_ += other.nested_texts_;
    planned_ += other.planned_;
    for (part one : other.parts_) {
        for (auto& [rank, e] : one.ranks) e.first_key = translated(e.first_key);
        join_parts(std::move(one));
    }
}
inline void summary::add_sums(rank_sums& to, const rank_sums& more) {
    to.operations += more.operations;
    to.nested += more.nested;
    to.busy += more.busy.value();
    to.communication += more.communication.value();
    to.pipeline += more.pipeline.value();
    const auto keep_least = [](std::int64_t& a, std::int64_t b) {
        if (a == no_number || (b != no_number && b < a)) a = b;
    };
    keep_least(to.stage, more.stage);
    keep_least(to.first, more.first);
    to.last = (std::max)(to.last, more.last);
}

inline bool summary::merge(const summary& from) {
    if (dimensions_ != from.dimensions_) return false;
    const auto add_all = [this](const summary& more) {
        merge_all_but_ranks(more);
        for (const auto& [rank, sums] : more.ranks_) add_sums(ranks_[rank], sums);
    };
    // What is added to itself is copied first.
    if (&from == this)
        add_all(summary(from));
    else
        add_all(from);
    return true;
}
inline bool summary::merge(summary&& from) {
    if (&from == this || dimensions_ != from.dimensions_) return merge(static_cast<const summary&>(from));
    merge_all_but_ranks(from);
    ranks_.merge(from.ranks_);
    // What is left are ranks that both have.
    for (const auto& [rank, more] : from.ranks_) add_sums(ranks_[rank], more);
    return true;
}

inline std::vector<tally_row> summary::rows(dimension by) const {
    std::vector<tally_row> all;
    const auto number = [](std::int64_t v) { return v != no_number ? std::optional<std::int64_t>(v) : std::nullopt; };
    for (std::size_t n = 0; n != dimensions_.size(); ++n) {
        if (dimensions_[n] != by) continue;
        for (const auto& [k, t] : tallies_[n])
            all.push_back({names_[k.operation], names_[k.collective], names_[k.group], names_[k.state], number(k.stage),
                           number(k.rank), t});
        break;
    }
    const auto order = [](const tally_row& r) {
        return std::tie(r.operation, r.collective, r.group, r.state, r.stage, r.rank);
    };
    detail::sort_list(all, [&](const auto& a, const auto& b) { return order(a) < order(b); });
    return all;
}

template <class Each>
void summary::for_each_rank(Each&& each) const {
    std::vector<std::int64_t> order;
    order.reserve(ranks_.size());
    for (const auto& entry : ranks_) order.push_back(entry.first);
    detail::sort_list(order, [](std::int64_t a, std::int64_t b) { return a < b; });
    for (const std::int64_t rank : order) {
        const rank_sums& sums = ranks_.find(rank)->second;
        rank_total one;
        one.rank = rank;
        if (sums.stage != no_number) one.stage = sums.stage;
        one.operations = sums.operations;
        one.nested = sums.nested;
        one.busy = sums.busy.value().as_double() / 1e6;
        one.communication = sums.communication.value().as_double() / 1e6;
        one.pipeline = sums.pipeline.value().as_double() / 1e6;
        if (sums.first != no_number) {
            detail::wide span(sums.last);
            span += -detail::wide(sums.first);
            one.span = span.as_double() / 1e6;
        }
        each(static_cast<const rank_total&>(one));
    }
}
inline std::vector<rank_total> summary::ranks() const {
    std::vector<rank_total> all;
    all.reserve(ranks_.size());
    for_each_rank([&](const rank_total& one) { all.push_back(one); });
    return all;
}

}  // namespace WLFMT_IMPL
}  // namespace oplog

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
