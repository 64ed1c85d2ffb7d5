// When slices begin and end.
#ifndef WLFMT_ANALYSIS_TIMELINE_TIME_HPP
#define WLFMT_ANALYSIS_TIMELINE_TIME_HPP

#include <algorithm>
#include <cstdint>

#include "../library.hpp"

namespace wlfmt::analysis {

inline std::int64_t rounded(double v) noexcept { return static_cast<std::int64_t>(v < 0 ? v - 0.5 : v + 0.5); }
inline std::int64_t nanoseconds(double ms) noexcept { return rounded(ms * 1e6); }

// Tracers round times to hundredths of a millisecond, so that operations may seem to overlap by this many nanoseconds.
inline constexpr std::int64_t trace_rounding = 20000;
// The stage of a timeline::message that is in no flow.
inline constexpr std::int64_t unknown_stage = -2;

// When something happened; without a duration it is an instant at `end`.
struct trace_time {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool timed = false;
    bool instant = true;
};
// So many nanoseconds that the sum of four such times fits in 64 bits: 71 years, enough for the time of day until 2041.
inline constexpr std::int64_t greatest_time = 2250000000000000000;
inline trace_time time_of(const number& timestamp, const number& duration) noexcept {
    constexpr double greatest = static_cast<double>(greatest_time) / 1e6;
    trace_time t;
    const double end = timestamp.value_or(0.0);
    if (!(end > 0 && end < greatest)) return t;
    t.timed = true;
    // A double of about 4.5e9 ms is exact to a nanosecond or two. As tracers write two or three decimals, rounding to
    // tens of nanoseconds restores them.
    t.begin = t.end = end < 1e9 ? nanoseconds(end) : rounded(end * 1e5) * 10;
    const double ms = duration.value_or(-1.0);
    if (!(ms >= 0 && ms < greatest)) return t;
    t.instant = false;
    t.begin = t.end - nanoseconds(ms);
    return t;
}

// An arrow ends within its slice.
template <class Slice> std::int64_t end_of_arrow(const Slice& slice) noexcept {
    return (std::max)(slice.begin, slice.end - 1);
}

// Whether the operation is a send or a receive between stages.
inline bool is_side_of_message(const operation_facts& facts) noexcept {
    return facts.between_stages && facts.kind != operation_kind::exchange;
}

}  // namespace wlfmt::analysis

#endif
