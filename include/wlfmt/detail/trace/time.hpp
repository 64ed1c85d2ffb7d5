// When an operation was.
#ifndef WLFMT_DETAIL_TRACE_TIME_HPP
#define WLFMT_DETAIL_TRACE_TIME_HPP

#include <cstdint>

#include "../../types/number.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

inline std::int64_t nanoseconds(double ms) noexcept {
    const double ns = ms * 1e6;
    return static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5);
}
// A double of about 4.5e9 ms is exact to a nanosecond or two. Tracers write two or three decimals, so that rounding to
// tens of nanoseconds gives what they meant.
inline std::int64_t clock_time(double ms) noexcept {
    if (ms < 1e9 && ms > -1e9) return nanoseconds(ms);
    const double tens = ms * 1e5;
    return static_cast<std::int64_t>(tens < 0 ? tens - 0.5 : tens + 0.5) * 10;
}

// Tracers round times to hundredths of a millisecond: what did not overlap seems to by at most this many nanoseconds.
inline constexpr std::int64_t trace_rounding = 20000;

// When something was: from `begin` to `end`, or an instant at `end` where it has no duration.
struct trace_time {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool timed = false;
    bool instant = true;
};
// Sums of four such times fit into 64 bits of nanoseconds. It is 71 years: enough for the time of day until 2041.
inline constexpr std::int64_t most_time = 2250000000000000000;
inline trace_time time_of(const number& timestamp, const number& duration) noexcept {
    constexpr double most = static_cast<double>(most_time) / 1e6;
    trace_time t;
    const double end = timestamp.value_or(0);
    if (!(end > 0 && end < most)) return t;
    t.timed = true;
    t.begin = t.end = clock_time(end);
    const double ms = duration.value_or(-1);
    if (!(ms >= 0 && ms < most)) return t;
    t.instant = false;
    t.begin = t.end - nanoseconds(ms);
    return t;
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
