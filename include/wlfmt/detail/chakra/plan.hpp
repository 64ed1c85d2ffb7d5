// The plan from which the traces of a workload are written, and the order in which its stages run their micro-batches.
#ifndef WLFMT_DETAIL_CHAKRA_PLAN_HPP
#define WLFMT_DETAIL_CHAKRA_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "../../parallelism.hpp"
#include "../../types/chakra.hpp"
#include "../workload/policies.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct trace_phase {
    std::uint64_t ns = 0;
    std::string_view comm = {};  // the token; empty if there is no communication
    std::uint8_t type = 0;       // comm_type
    parallelism::group group = parallelism::group::tensor_parallel;
    std::int64_t bytes = 0;  // as ASTRA-sim counts them
};
struct trace_layer {
    std::string_view name;
    trace_phase forward;
    trace_phase input_grad;
    trace_phase weight_grad;
    std::uint64_t update_ns = 0;
    bool begins_micro_batch = false;
    bool first_stage_only = false;
    bool last_stage_only = false;
    // FWD_IN_BCKWD: the first of the layers that are computed again before this one goes backward; its own index if
    // there are none.
    std::size_t recompute_from = 0;
};

// Everything that a trace is written from. Its names are views of the text.
struct trace_plan {
    policy_row policy;
    std::vector<trace_layer> layers;
    parallelism::layout ranks{parallelism::sizes()};
    bool groups_used[parallelism::group_count] = {};
    std::int64_t passes = 1;
    std::int64_t message_bytes = 0;  // between stages; 0: no messages
    std::int64_t last_bottom_layer = 0;
    // The layers of a micro-batch's model chunk begin at chunks[batch * chunks_of_stage + chunk], and end where the
    // next ones begin or, for the last ones, at the last number of the list. Those before the first are in no
    // micro-batch.
    std::vector<std::size_t> chunks;
    std::int64_t batches = 0;
    std::int64_t chunks_of_stage = 1;
    chakra::schedule schedule = chakra::schedule::gpipe;
    std::int64_t splits = 4;
    bool bare = false;  // only the attributes that Chakra's converter writes
    chakra::remarks notes;
    std::string_view input = {};
};

inline namespace WLFMT_IMPL {

// A pass over the layers of one model chunk for one micro-batch.
struct schedule_step {
    bool forward = true;
    std::int64_t batch = 0;
    std::int64_t chunk = 0;
};

// The steps of a stage, without a list of them: forward passes to warm up, then a forward and a backward pass in turn,
// then the backward passes that are left.
class schedule_order {
public:
    // If the schedule is interleaved, `batches` is a multiple of `stages`; if it is not, `chunks` is 1.
    schedule_order(chakra::schedule kind, std::int64_t stages, std::int64_t stage, std::int64_t batches,
                   std::int64_t chunks, bool forward_only) noexcept
        : kind_(kind),
          stages_(stages),
          batches_(batches),
          chunks_(chunks),
          total_(batches * chunks),
          warmup_(total_),
          size_(forward_only ? total_ : 2 * total_) {
        if (forward_only || kind == chakra::schedule::gpipe) return;
        const std::int64_t later = stages - stage - 1;
        const bool interleaved = kind == chakra::schedule::interleaved;
        const std::int64_t first = interleaved ? later * 2 + (chunks - 1) * stages : later;
        if (first < warmup_) warmup_ = first;
    }

    std::int64_t size() const noexcept { return size_; }
    schedule_step operator[](std::int64_t n) const noexcept {
        if (n < warmup_) return step(true, n);
        const std::int64_t in_turn = n - warmup_;
        if (in_turn < 2 * (total_ - warmup_))
            return step(in_turn % 2 == 0, in_turn / 2 + (in_turn % 2 == 0 ? warmup_ : 0));
        return step(false, n - total_);
    }

private:
    // The k-th pass in that direction.
    schedule_step step(bool forward, std::int64_t k) const noexcept {
        if (kind_ == chakra::schedule::gpipe) return {forward, forward ? k : batches_ - 1 - k, 0};
        if (kind_ != chakra::schedule::interleaved) return {forward, k, 0};
        // Each chunk takes as many micro-batches as there are stages before the next chunk does.
        const std::int64_t round = stages_ * chunks_;
        const std::int64_t chunk = k % round / stages_;
        return {forward, k / round * stages_ + k % stages_, forward ? chunk : chunks_ - 1 - chunk};
    }

    chakra::schedule kind_;
    std::int64_t stages_;
    std::int64_t batches_;
    std::int64_t chunks_;
    std::int64_t total_;   // passes in one direction
    std::int64_t warmup_;  // forward passes before the first backward pass
    std::int64_t size_;
};

}  // namespace WLFMT_IMPL
}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
