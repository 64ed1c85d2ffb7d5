// The order of passes in a pipeline whose forward and backward passes alternate: 1F1B.
#ifndef WLFMT_ANALYSIS_ANSWERS_SCHEDULE_HPP
#define WLFMT_ANALYSIS_ANSWERS_SCHEDULE_HPP

#include <algorithm>
#include <cstddef>

namespace wlfmt::analysis {

// Whether the pass at position `at` of a stage's passes is a backward one. As many forward passes as there are stages
// after this one come first; then a forward and a backward pass alternate until no forward pass is left.
[[nodiscard]] inline bool is_backward_in_turn(std::size_t at, std::size_t batches, std::size_t stages_after) noexcept {
    const std::size_t ahead = (std::min)(batches, stages_after);
    return at >= 2 * batches - ahead || (at >= ahead && (at - ahead) % 2 == 1);
}

}  // namespace wlfmt::analysis

#endif
