// wlfmt/oplog/copies.hpp: finds copies, the second records of exchanges that the tracer timed once and wrote as two
// records. Do not add up their times. Included by csv.hpp, not by wlfmt.hpp.
//
//     wlfmt::oplog::copies copies;
//     while (const auto* op = log.next())
//         if (!copies.is_copy(*op)) ms += op->duration.value_or(0.0);
#include "../version.hpp"

#ifndef WLFMT_OPLOG_COPIES_HPP
#define WLFMT_OPLOG_COPIES_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "../types/oplog.hpp"
#include "operations.hpp"

#include "../detail/number/exact.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// A number of milliseconds in millionths; empty if it is not a number, or too large. Up to six decimals are exact as
// long as doubles distinguish them: if an integer divided by a power of ten gives the number, the number was written
// with that integer's digits. Of milliseconds since 1970, doubles distinguish three decimals.
[[nodiscard]] inline std::optional<std::int64_t> in_millionths(const number& n) noexcept {
    const double v = n.value_or(std::numeric_limits<double>::quiet_NaN());
    constexpr double limit = 2305843009213.0;  // 2^61 / 10^6
    if (!(v > -limit && v < limit)) return std::nullopt;
    for (const std::int64_t scale : {100, 1000, 10000, 100000}) {
        const auto digits = std::llround(v * static_cast<double>(scale));
        const double quotient = static_cast<double>(digits) / static_cast<double>(scale);
        // On the x87 `==` would compare the quotient as it is in the register, with more bits than a double has.
        if (detail::bits_of(quotient) == detail::bits_of(v)) return digits * (1000000 / scale);
    }
    return std::llround(v * 1e6);
}

// A message between pipeline stages, with the times of its record.
struct timed_message {
    enum class kind : std::uint8_t { none, other, send_forward, recv_backward, send_backward, recv_forward };
    kind what = kind::none;
    bool repeats = false;  // it repeats the time of the record before it
    std::int64_t duration = 0;
    std::int64_t end = 0;
    std::int64_t bytes = 0;

    static kind kind_of(const operation_facts& facts) noexcept {
        if (!facts.is_message()) return kind::none;
        if (!facts.between_stages || facts.kind == operation_kind::exchange) return kind::other;
        if (facts.kind == operation_kind::send) return facts.backward ? kind::send_backward : kind::send_forward;
        return facts.backward ? kind::recv_backward : kind::recv_forward;
    }
    bool is_sent_backward() const noexcept { return what == kind::send_backward || what == kind::recv_forward; }
    // Whether two records are the send and the receive of one exchange, timed once. A timestamp of 0 does not count.
    static bool is_one_span(const timed_message& a, const timed_message& b) noexcept {
        const auto are = [&](kind first, kind second) {
            return (a.what == first && b.what == second) || (a.what == second && b.what == first);
        };
        return a.end != 0 && a.duration == b.duration && a.end == b.end &&
               (are(kind::send_forward, kind::recv_backward) || are(kind::send_backward, kind::recv_forward));
    }
};

// The first operation of a rank in a piece of a text. It is a copy if it and the rank's last operation before the piece
// are the halves of one exchange.
struct exchange_half {
    std::int64_t rank = 0;
    timed_message message;
};

// Finds copies among a file's operations, given in order. Memory grows with the number of ranks.
//
// In a piece of a file that is read in parallel, the records before the piece can decide whether an operation is a
// copy: half() is then not null after is_copy(). Keep what it points to, add() the `copies` of all earlier pieces, in
// order, to one object, and pass it to that object's is_copy().
class copies {
public:
    // Whether the operation repeats the time of the operation before it on the same rank.
    [[nodiscard]] bool is_copy(const oplog::operation& op) {
        is_half_ = false;
        if (op.origin != oplog::origin::rank) return false;
        timed_message now;
        const auto kind = timed_message::kind_of(operations::facts_of(op.op));
        const bool is_half = kind != timed_message::kind::none && kind != timed_message::kind::other;
        if (is_half) {
            const auto duration = in_millionths(op.duration);
            const auto end = in_millionths(op.timestamp);
            if (duration && end) now = {kind, false, *duration, *end, 0};
        }
        const auto known = before_.find(op.rank);
        if (known == before_.end()) {
            before_[op.rank] = now;
            is_half_ = is_half;
            half_ = {op.rank, now};
            return false;
        }
        const bool is_one = timed_message::is_one_span(known->second, now);
        known->second = now;
        return is_one;
    }
    // The message last given to is_copy() if it is its rank's first record, so that earlier pieces decide; else null.
    [[nodiscard]] const exchange_half* half() const& noexcept WLFMT_LIFETIMEBOUND {
        return is_half_ ? &half_ : nullptr;
    }
    const exchange_half* half() const&& = delete;
    // Whether the first operation of a rank in the next piece is a copy.
    [[nodiscard]] bool is_copy(const exchange_half& half) const {
        const auto known = before_.find(half.rank);
        return known != before_.end() && timed_message::is_one_span(known->second, half.message);
    }
    // Takes over the last messages of the next piece.
    void add(const copies& next) {
        for (const auto& last : next.before_) before_[last.first] = last.second;
    }

private:
    std::map<std::int64_t, timed_message> before_;
    exchange_half half_;
    bool is_half_ = false;
};

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#include "../detail/base/config_end.hpp"
#endif
