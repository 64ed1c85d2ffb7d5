// Micro-batches, and the order of their passes in a pipeline whose forward and backward passes alternate: 1F1B.
#ifndef WLFMT_ANALYSIS_ANSWERS_SCHEDULE_HPP
#define WLFMT_ANALYSIS_ANSWERS_SCHEDULE_HPP

#include <algorithm>
#include <cstddef>

#include "../library.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

// Whether the pass at position `at` of a stage's passes is a backward one. As many forward passes as there are stages
// after this one come first; then a forward and a backward pass alternate until no forward pass is left.
[[nodiscard]] inline bool is_backward_in_turn(std::size_t at, std::size_t batches, std::size_t stages_after) noexcept {
    const std::size_t ahead = (std::min)(batches, stages_after);
    return at >= 2 * batches - ahead || (at >= ahead && (at - ahead) % 2 == 1);
}

// The micro-batch of a step. Tracers write 0 for collectives between micro-batches and for the optimizer, too.
[[nodiscard]] inline std::int64_t batch_of(const std::vector<std::string>& names, const program_step& s) noexcept {
    if (s.operation >= names.size()) return s.batch;
    const operation_kind kind = operations::facts_of(names[s.operation]).kind;
    const bool has_batch = kind != operation_kind::collective && kind != operation_kind::optimizer;
    return has_batch ? s.batch : program_step::no_batch;
}

}  // namespace wlfmt::analysis

#endif
