// wlfmt/types/timeline.hpp: what is known about the ranks of a run and their messages. wlfmt/timeline.hpp gathers it.
#include "../version.hpp"

#ifndef WLFMT_TYPES_TIMELINE_HPP
#define WLFMT_TYPES_TIMELINE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace timeline {

// How the clocks of different machines are brought together.
enum class alignment : std::uint8_t {
    none,       // as they are
    first,      // each rank begins at the same time
    operation,  // the first operation of a name ends at the same time in each rank that has one
    flows,      // moved by no more than each message needs to arrive after it was sent, up to the tracer's rounding
    automatic,  // unchanged if they can be compared (see run::align), otherwise in one of the other ways
    // The members of a blocking collective leave it at the same time; what no collective joins moves as under flows.
    collectives
};
[[nodiscard]] inline std::string_view name_of(alignment a) noexcept {  // "first"
    constexpr std::string_view names[] = {"none", "first", "operation", "flows", "automatic", "collectives"};
    const auto n = static_cast<std::size_t>(a);
    return n < std::size(names) ? names[n] : "unknown";
}

// What is known about a rank after the first pass. Times are nanoseconds.
struct rank_facts {
    std::int64_t rank = 0;
    std::int64_t stage = -1;  // -1: no operation names one
    std::int64_t begin = 0;   // of its first slice, by its own clock
    std::int64_t end = 0;     // of its last one
    std::int64_t marker = 0;  // the end of the operation to align by
    std::int64_t offset = 0;  // to be added to its clock
    bool timed = false;       // whether any of its operations has a time
    bool marked = false;
};

// How clocks were aligned by collectives.
struct collective_fit {
    std::size_t differences = 0;  // of ends that a member and another one of its group have by different clocks
    std::int64_t deviation =
        0;                   // options far these are from the lower median of their two clocks, as a lower median: ns
    std::int64_t apart = 0;  // the most that two clocks which collectives join are apart: ns
    std::size_t sets = 0;    // of clocks that collectives do not join
    bool rest_begins_together = false;  // nor messages, so that these sets begin at the same time
};

// One side of a message between pipeline stages.
struct message {
    std::int64_t rank = 0;
    std::int64_t stage = 0;  // of the sender
    std::int64_t batch = 0;
    std::int64_t begin = 0;  // of its slice, by its rank's own clock
    std::int64_t end = 0;
    std::uint64_t id = 0;    // of its flow; 0: the other side is not in the run
    std::uint32_t turn = 0;  // among several messages of one micro-batch
    bool backward = false;
    bool received = false;
};

}}}  // namespace wlfmt::WLFMT_ABI::timeline

#include "../detail/base/config_end.hpp"
#endif
