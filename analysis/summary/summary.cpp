#include "summary.hpp"

#include "add.hpp"
#include "json.hpp"

namespace wlfmt::analysis {

std::string_view name_of(dimension d) noexcept {
    constexpr std::string_view names[] = {"operation", "collective", "group", "stage", "state", "rank"};
    if (d == dimension::none) return "none";
    for (unsigned n = 0; n != 6; ++n)
        if (static_cast<unsigned>(d) == 1U << n) return names[n];
    return "several";
}

template <unsigned Decimals> bool measure<Decimals>::add(std::int64_t value) {
    if (value >= measured_limit || value <= -measured_limit) return false;
    const std::int32_t index = bucket_of(value);
    auto at = std::lower_bound(buckets_.begin(), buckets_.end(), index,
                               [](const counted_bucket& b, std::int32_t i) { return b.index < i; });
    if (at == buckets_.end() || at->index != index) at = buckets_.insert(at, {index, 0});
    ++at->count;
    min_ = count_ == 0 ? value : (std::min)(min_, value);
    max_ = count_ == 0 ? value : (std::max)(max_, value);
    ++count_;
    sum_ += value;
    squares_ += squared(value);
    return true;
}

template <unsigned Decimals> void measure<Decimals>::merge(const measure& other) {
    if (other.count_ == 0) return;
    std::vector<counted_bucket> merged;
    merged.reserve(buckets_.size() + other.buckets_.size());
    auto a = buckets_.begin();
    for (const counted_bucket& b : other.buckets_) {
        for (; a != buckets_.end() && a->index < b.index; ++a) merged.push_back(*a);
        merged.push_back(b);
        if (a != buckets_.end() && a->index == b.index) merged.back().count += (a++)->count;
    }
    merged.insert(merged.end(), a, buckets_.end());
    buckets_ = std::move(merged);
    min_ = count_ == 0 ? other.min_ : (std::min)(min_, other.min_);
    max_ = count_ == 0 ? other.max_ : (std::max)(max_, other.max_);
    count_ += other.count_;
    sum_ += other.sum_;
    squares_ += other.squares_;
}

template <unsigned Decimals> double measure<Decimals>::standard_deviation() const noexcept {
    if (count_ == 0) return 0;
    // Computed in integers, as n * sum of squares - square of the sum: no digits are lost if the two are nearly equal.
    const wide spread = wide::of(count_) * squares_ + -(sum_ * sum_);
    return std::sqrt(spread.as_double()) / static_cast<double>(count_) / scale;
}

// The middle of a bucket, or the least or greatest value if the middle is beyond it.
template <unsigned Decimals> double measure<Decimals>::value_of(const counted_bucket& b) const noexcept {
    return (std::min)((std::max)(middle_of(b.index) / scale, least()), greatest());
}
template <unsigned Decimals> auto measure<Decimals>::buckets() const -> std::vector<bucket> {
    std::vector<bucket> found;
    for (const counted_bucket& b : buckets_) found.push_back({value_of(b), b.count});
    return found;
}

template <unsigned Decimals> double measure<Decimals>::quantile(double part) const noexcept {
    if (!(part > 0)) return least();
    if (part >= 1) return greatest();
    const double place = part * static_cast<double>(count_);
    std::uint64_t before = 0;
    for (const counted_bucket& b : buckets_) {
        before += b.count;
        if (static_cast<double>(before) >= place) return value_of(b);
    }
    return greatest();
}

template class measure<0>;
template class measure<6>;

using adding = summary_adding;

summary::summary(keep kept)
    : summary({dimension::operation, dimension::collective | dimension::group, dimension::stage}, kept) {}
summary::summary(std::vector<dimension> breakdowns, keep kept) : state_(std::make_unique<summary_state>()) {
    state_->tallies.resize(breakdowns.size());
    for (const dimension d : breakdowns) state_->any_nested = state_->any_nested || has(d, dimension::collective);
    state_->dimensions = std::move(breakdowns);
    state_->keeps_calls = kept == keep::calls;
}
summary::summary(const summary& from) : state_(std::make_unique<summary_state>(*from.state_)) {}
summary::summary(summary&& from) noexcept = default;
analysis::summary& summary::operator=(const summary& from) {
    if (this != &from) state_ = std::make_unique<summary_state>(*from.state_);
    return *this;
}
analysis::summary& summary::operator=(summary&& from) noexcept = default;
summary::~summary() = default;

void summary::begin_text(std::string_view file) { adding::begin_text(*state_, file); }
void summary::end_text() { adding::end_text(*state_); }
void summary::begin_part(std::string_view text, std::uint64_t begin) { adding::begin_part(*state_, text, begin); }
void summary::end_part(std::uint64_t end) { adding::end_part(*state_, end); }
void summary::add(const oplog::operation& op) { adding::add(*state_, op); }
void summary::add_unread(std::int64_t rank, std::uint64_t records) { adding::add_unread(*state_, rank, records); }
bool summary::merge(const summary& from) { return adding::merge(*state_, summary_state(*from.state_)); }
bool summary::merge(summary&& from) {
    return &from == this ? merge(std::as_const(from)) : adding::merge(*state_, std::move(*from.state_));
}

const std::vector<dimension>& summary::breakdowns() const noexcept { return state_->dimensions; }
bool summary::keeps_calls() const noexcept { return state_->keeps_calls; }
std::vector<tally_row> summary::rows(dimension by) const { return adding::rows(*state_, by); }
std::vector<rank_total> summary::ranks() const {
    std::vector<rank_total> totals;
    for_each_rank([&](const rank_total& total) { totals.push_back(total); });
    return totals;
}
void summary::for_each_rank(const callback<void(const rank_total&)>& visit) const {
    for (const auto& [rank, sums] : state_->ranks) visit(adding::total_of(*state_, rank, sums));
}
std::uint64_t summary::operations() const noexcept { return state_->operations; }
std::uint64_t summary::nested() const noexcept { return state_->nested; }
std::uint64_t summary::nested_texts() const noexcept { return state_->nested_texts; }
std::uint64_t summary::planned() const noexcept { return state_->planned; }
std::uint64_t summary::beyond() const noexcept { return state_->beyond; }
std::size_t summary::open_parts() const noexcept { return state_->parts.size(); }

void write(output& to, const summary& s) { summary_lines::write(to, s.state()); }

result<summary> read_summary(std::string_view line) {
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    summary s{std::vector<dimension>()};
    const auto wrong = summary_lines::read(line, *s.state_);
    if (!wrong) return s;
    return {summary(), {error_kind::bad_summary, *wrong, line.size() - *wrong}};
}

}  // namespace wlfmt::analysis
