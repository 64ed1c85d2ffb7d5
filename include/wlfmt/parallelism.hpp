// wlfmt/parallelism.hpp: what a workload file means: how large each parallel group is, which ranks are in it, in which
// group a collective runs, and what it moves. Not included by wlfmt.hpp.
//
//     const auto sizes = wlfmt::parallelism::sizes_of(file->header(), text);
//     if (!sizes) std::cerr << wlfmt::explain(sizes.error(), text, "moe.txt");
//     const wlfmt::parallelism::layout where_ranks_are(*sizes);
//     for (const std::int64_t rank : where_ranks_are.ranks(group::expert_parallel, 3)) ...
//
// The rules and where they come from: docs/parallelism.md.
#include "version.hpp"

#ifndef WLFMT_PARALLELISM_HPP
#define WLFMT_PARALLELISM_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace parallelism {

enum class group : std::uint8_t {
    tensor_parallel,
    data_parallel,
    expert_parallel,
    expert_data_parallel,  // the ranks that hold the same experts
    pipeline_parallel
};
inline constexpr std::size_t group_count = 5;

enum class phase : std::uint8_t { forward, input_grad, weight_grad };
inline constexpr std::size_t phase_count = 3;

// The enumerators' own spelling, "expert_data_parallel", "input_grad". Static storage.
[[nodiscard]] std::string_view name_of(group g) noexcept;
[[nodiscard]] std::string_view name_of(phase p) noexcept;

// How many ranks are in a group of each kind. In a consistent header, ranks = tensor * context * data * pipeline =
// tensor * expert * expert_data * pipeline.
struct sizes {
    std::int64_t ranks = 1;
    std::int64_t tensor = 1;
    std::int64_t context = 1;  // in no header; for layouts that a program makes
    std::int64_t pipeline = 1;
    std::int64_t data = 1;
    std::int64_t expert = 1;
    std::int64_t expert_data = 1;
};

inline namespace WLFMT_IMPL {

// The sizes that a header gives: model_parallel_NPU_group, ep, pp and all_gpus, and from these data = all_gpus /
// (tensor * pipeline) and expert_data = data / expert. An entry that is missing is a parallelism that the file does not
// use, and its size is 1; without all_gpus there are no sizes (header_value).
//
// Checked, in this order: each size, ga, the number of micro-batches, and vpp, by which SimAI divides, is a whole
// number (not_an_integer) of at least 1 (size_below_one), all_gpus is a multiple of tensor * pipeline and data one of
// expert (not_divisible), pp_comm is a whole number of at least 0 (negative_value), and it is there where there is more
// than one stage and nowhere else (pipeline_mismatch). The first that is wrong is the result's error; options::lenient
// hands all of them to on_problem.
//
// Where expert does not divide data, but does divide data * pipeline, as in what AICB writes for Qwen3-Next, expert
// groups reach over stages, as those of SimAI do, which simulates such files: the error is not_divisible, the sizes are
// complete, and expert_data is data * pipeline / expert.
//
// result::complete() says whether the sizes are known in spite of the error. Sizes that are not known are 0. Errors lie
// in `text`, which is the one that the header was read from.
[[nodiscard]] result<sizes> sizes_of(const workload::header& head, std::string_view text, const options& how = {});

// The sizes of the groups whose ranks SimAI lists. It builds its lists as if there were no pipeline (Sys.cc passes a
// pipeline of 1 to MockNcclGroup): its data parallel groups hold all_gpus / tensor ranks, of all stages, while its
// statistics (Layer.cc) divide by the pipeline. With one stage the two are the same.
[[nodiscard]] sizes simai_sizes(const sizes& s) noexcept;

}  // namespace WLFMT_IMPL

// In which order ranks are numbered, as Megatron writes it: the axis that comes first varies fastest.
class rank_order {
public:
    // tp-cp-ep-dp-pp, Megatron's default
    constexpr rank_order() noexcept = default;
    // "tp-pp-dp". Axes that are not named come last. Empty if a word is not an axis or occurs twice.
    [[nodiscard]] static std::optional<rank_order> parse(std::string_view text) noexcept;

    // Are all axes with more than one rank named? Megatron refuses an order that leaves one out.
    [[nodiscard]] bool names_all(const sizes& s) const noexcept;

    enum class axis : std::uint8_t { tp, cp, ep, dp, pp };
    static constexpr std::size_t axis_count = 5;
    // The n-th axis, n < axis_count.
    [[nodiscard]] constexpr axis operator[](std::size_t n) const noexcept { return axes_[n]; }

private:
    axis axes_[axis_count] = {axis::tp, axis::cp, axis::ep, axis::dp, axis::pp};
    std::size_t named_ = axis_count;
};

// Which ranks form which groups, as Megatron's rank generator lays them out: the groups of expert_parallel and
// expert_data_parallel along the axes tp, ep, dp and pp, all others along tp, cp, dp and pp. Every answer takes
// constant time and no memory, however many ranks there are. A size below 1 counts as 1, and so does one with which
// there would be more ranks than 64 bits count.
class layout {
public:
    explicit layout(const sizes& s, const rank_order& order = {}) noexcept;

    [[nodiscard]] const parallelism::sizes& sizes() const noexcept { return sizes_; }
    // Is each rank in the same pipeline stage for the layers of experts as for all others? If not, some groups of
    // experts have ranks of several stages, as in orders in which `pp` is not last. Megatron refuses them.
    [[nodiscard]] bool stages_agree() const noexcept;
    // Ranks in each group, and the number of groups, of that kind.
    [[nodiscard]] std::int64_t size(group g) const noexcept;
    [[nodiscard]] std::int64_t count(group g) const noexcept;
    // The rank at a position of a group: index < count(g), position < size(g).
    [[nodiscard]] std::int64_t rank(group g, std::int64_t index, std::int64_t position) const noexcept;
    // The group of that kind that a rank is in, and its position there. The position in the pipeline_parallel group is
    // the rank's stage.
    [[nodiscard]] std::int64_t index_of(group g, std::int64_t rank) const noexcept;
    [[nodiscard]] std::int64_t position_of(group g, std::int64_t rank) const noexcept;
    // All ranks of the group that a rank is in, ascending. Empty if there is no such rank.
    [[nodiscard]] std::vector<std::int64_t> ranks_with(group g, std::int64_t rank) const;
    // All ranks of the group at an index < count(g), which is no rank: index_of() gives a rank's. Empty if there is no
    // such group.
    [[nodiscard]] std::vector<std::int64_t> ranks(group g, std::int64_t index) const;

private:
    struct step {
        std::int64_t size = 1;
        std::int64_t stride = 1;
        bool in_group = false;
    };
    using steps = step[rank_order::axis_count];
    void make(group g, steps& to) const noexcept;
    // Are expert groups counted over all stages, as sizes_of() says? The sizes are limited so that products fit.
    bool experts_reach_over_stages() const noexcept {
        return sizes_.pipeline > 1 && sizes_.expert * sizes_.expert_data > sizes_.data * sizes_.context;
    }

    parallelism::sizes sizes_;
    rank_order order_;
};

// The group that a collective runs in: the one that its suffix names; without a suffix SimAI's rule, tensor parallel
// for forward and input gradient, data parallel for weight gradient. Empty for NONE and for unknown tokens.
[[nodiscard]] std::optional<group> group_of(phase p, workload::communication c) noexcept;

// The factor that turns the bandwidth of an algorithm (bytes / time) into one that compares with the hardware's, as in
// nccl-tests: 2 (n-1)/n for an all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 for a
// broadcast. `bytes` is the whole buffer, that of all ranks for an all-gather, as in SimAI's workload files. Empty for
// the other collectives, which nccl-tests does not define. 0 in a group of one.
[[nodiscard]] std::optional<double> bus_factor(workload::collective c, std::int64_t ranks) noexcept;
// The bytes that a rank sends: bytes * bus_factor(). Empty for a size below 0, too.
[[nodiscard]] std::optional<double> wire_bytes(workload::collective c, std::int64_t ranks, std::int64_t bytes) noexcept;

// Sums over collectives.
struct tally {
    std::uint64_t count = 0;
    double bytes = 0;           // as in the file; sizes below 0 are left out
    double wire = 0;            // sent by a rank
    std::uint64_t unknown = 0;  // of `count`, those that send an unknown number of bytes
};

// What one pass over the layers of a file moves, by group and phase. Every rank makes the same pass.
class traffic {
public:
    traffic() noexcept = default;
    explicit traffic(const sizes& s) noexcept : sizes_(s) {}

    template <class Kernel = detail::kernel>
    void add(const workload::layer& one) noexcept;
    // The messages between pipeline stages as SimAI counts them: vpp times ga times pp_comm bytes from each stage to
    // the next one, and as many back in the input gradient. A missing vpp or ga is 1. Adds nothing if there is one
    // stage, and one message of unknown size if vpp or ga is not a whole number of at least 1, or pp_comm is missing or
    // not one of at least 0.
    template <class Kernel = detail::kernel>
    void add_pipeline(const workload::header& head) noexcept;

    // The sums of one rank; between stages, of a rank that has a stage before it and one after it.
    [[nodiscard]] const tally& rank(phase p, group g) const noexcept {
        return all_[static_cast<std::size_t>(p)][static_cast<std::size_t>(g)];
    }
    // Sent by all ranks together: the last stage sends nothing forward, the first nothing backward.
    [[nodiscard]] double job_wire(phase p, group g) const noexcept;
    // Collectives with an unknown token, which are in no group.
    [[nodiscard]] std::uint64_t unknown_collectives() const noexcept { return unknown_; }

private:
    sizes sizes_;
    tally all_[phase_count][group_count];
    std::uint64_t unknown_ = 0;
};

}  // namespace parallelism
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/parallelism/layout.hpp"
#include "detail/parallelism/sizes.hpp"
#include "detail/parallelism/traffic.hpp"

#include "detail/base/config_end.hpp"
#endif
