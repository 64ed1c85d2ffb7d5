// What the collectives are called in each place: one row for each of them.
#ifndef WLFMT_DETAIL_BASE_COLLECTIVES_HPP
#define WLFMT_DETAIL_BASE_COLLECTIVES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernel.hpp"

#include "config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// How many bytes each of n ranks sends, as a factor of the whole buffer (nccl-tests).
enum class bus_share : std::uint8_t {
    nothing,
    others,        // (n - 1) / n
    twice_others,  // 2 (n - 1) / n
    everything,    // 1 if there is another rank
    undefined
};

// In the order of workload::collective.
struct collective_row {
    std::string_view name;   // of its enumerator in workloads and op logs, in exported files, and in op logs
    std::string_view token;  // in workload files, before the suffix of a group
    bus_share share;
    std::int8_t chakra;  // its type in Chakra traces; below 0: it has none
};
inline constexpr std::size_t collective_row_count = 8;
// The suffixes of tokens, in the order of workload::group.
inline constexpr std::size_t group_suffix_count = 4;

template <class Way>
struct collective_table {
    static constexpr typename lazily<Way, collective_row>::type rows[collective_row_count] = {
        {"none", "NONE", bus_share::nothing, -1},
        {"allreduce", "ALLREDUCE", bus_share::twice_others, 0},
        {"allgather", "ALLGATHER", bus_share::others, 2},
        {"reduce_scatter", "REDUCESCATTER", bus_share::others, 7},
        {"all_to_all", "ALLTOALL", bus_share::others, 6},
        {"all_to_all_v", "ALLTOALLV", bus_share::undefined, -1},
        {"allreduce_all_to_all", "ALLREDUCEALLTOALL", bus_share::undefined, -1},
        {"broadcast", "BROADCAST", bus_share::everything, 5}};
    static constexpr
        typename lazily<Way, std::string_view>::type suffixes[group_suffix_count] = {"", "_EP", "_DP", "_DP_EP"};
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
