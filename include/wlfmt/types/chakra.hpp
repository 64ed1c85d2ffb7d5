// wlfmt/types/chakra.hpp: what Chakra traces leave out. wlfmt/chakra.hpp writes them.
#include "../version.hpp"

#ifndef WLFMT_TYPES_CHAKRA_HPP
#define WLFMT_TYPES_CHAKRA_HPP

#include <cstdint>

#include "../parallelism.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace chakra {

// Where traces are not what the file says, or only a part of it.
struct remarks {
    // By group (parallelism::group): the collectives of groups of one rank, which ASTRA-sim 2 never finishes. They have
    // no nodes.
    std::uint64_t left_out[parallelism::group_count] = {};
    // All-gathers whose share of a rank was rounded up to options::splits bytes.
    std::uint64_t rounded_up = 0;
    // There is no backward pass: the header has `mode: 1`, which is AICB's inference.
    bool forward_only = false;
    // Layers that run in the first or in the last pipeline stage alone.
    std::uint64_t first_stage_layers = 0;
    std::uint64_t last_stage_layers = 0;
    // There are several stages, and pp_comm gives no bytes between them: they run side by side, without messages.
    bool no_messages = false;
};

}  // namespace chakra
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../detail/base/config_end.hpp"
#endif
