// What is known about the ranks of a run and their messages. timeline.hpp gathers it.
#ifndef WLFMT_ANALYSIS_TIMELINE_TYPES_HPP
#define WLFMT_ANALYSIS_TIMELINE_TYPES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wlfmt::analysis::timeline {

// How the clocks of different machines are aligned.
enum class alignment : std::uint8_t {
    none,       // the clocks stay as they are
    first,      // all ranks begin at the same time
    operation,  // the first operation of a given name ends at the same time in all ranks that have one
    flows,      // clocks move just far enough that each message arrives after it was sent, up to the tracer's rounding
    automatic,  // clocks that can be compared stay, and others move in one of the other ways (run::align)
    // The members of a blocking collective leave it at the same time; clocks that no collective joins move as in flows.
    collectives
};
[[nodiscard]] inline std::string_view name_of(alignment a) noexcept {
    constexpr std::string_view names[] = {"none", "first", "operation", "flows", "automatic", "collectives"};
    const auto n = static_cast<std::size_t>(a);
    return n < std::size(names) ? names[n] : "unknown";
}

// What is known about a rank after the first pass. Times are nanoseconds.
struct rank_facts {
    std::int64_t rank = 0;
    std::int64_t stage = -1;  // -1: no operation names one
    std::int64_t begin = 0;   // when its first slice begins, by its own clock
    std::int64_t end = 0;     // when its last slice ends
    std::int64_t marker = 0;  // the end of the operation to align by, if `marked`
    std::int64_t offset = 0;  // what is added to its clock
    bool timed = false;       // whether any of its operations has a time
    bool marked = false;
};

// How well collectives align clocks. Times are nanoseconds.
struct collective_fit {
    // The number of measured differences: how much later a member ended a call than another one with another clock.
    std::size_t differences = 0;
    // The lower median of how far these are from the lower median of all differences of the same two clocks.
    std::int64_t deviation = 0;
    std::int64_t apart = 0;  // the greatest distance between clocks that collectives join
    std::size_t sets = 0;    // the number of sets of clocks that neither calls nor messages join
    // No messages join these sets either, so all of them begin at the same time.
    bool rest_begins_together = false;
};

// One side of a message between pipeline stages.
struct message {
    std::int64_t rank = 0;
    std::int64_t stage = 0;  // the sender's stage; below 0: not known
    std::int64_t batch = 0;
    std::int64_t begin = 0;  // when its slice begins, by its rank's own clock
    std::int64_t end = 0;
    std::uint64_t id = 0;  // the id of its flow; 0: the other side is not in the run
    bool backward = false;
    bool received = false;
};

}  // namespace wlfmt::analysis::timeline

#endif
