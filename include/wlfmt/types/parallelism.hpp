// wlfmt/types/parallelism.hpp: the groups of parallel ranks, the ranks in them, and sums of what they send.
// wlfmt/parallelism.hpp finds the sizes of the groups in a header.
#include "../version.hpp"

#ifndef WLFMT_TYPES_PARALLELISM_HPP
#define WLFMT_TYPES_PARALLELISM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "workload.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace parallelism {

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

// What is known about a policy. For an unknown policy all members are false.
struct policy_facts {
    bool is_known = false;                // a simulator has it, or a fork of one
    bool is_simulated = false;            // a simulator has it, not only a fork
    bool is_traced = false;               // chakra::traces_of() accepts it
    bool has_groups = false;              // each collective is among the ranks of a group; else among all ranks
    bool communicates[phase_count] = {};  // the collectives of this phase are traced
};

// How many ranks are in a group of each kind. In a consistent header, ranks = tensor * context * data * pipeline =
// tensor * expert * expert_data * pipeline.
struct sizes {
    std::int64_t ranks = 1;
    std::int64_t tensor = 1;
    std::int64_t context = 1;  // no header has it; it is for layouts that a program makes
    std::int64_t pipeline = 1;
    std::int64_t data = 1;
    std::int64_t expert = 1;
    std::int64_t expert_data = 1;

    // Whether all sizes are known; sizes_of() sets unknown ones to 0.
    [[nodiscard]] constexpr bool known() const noexcept {
        return ranks > 0 && tensor > 0 && context > 0 && pipeline > 0 && data > 0 && expert > 0 && expert_data > 0;
    }
};

// The order in which ranks are numbered, written as Megatron does: the axis that comes first varies fastest.
class rank_order {
public:
    enum class axis : std::uint8_t { tp, cp, ep, dp, pp };
    static constexpr std::size_t axis_count = 5;

    // Megatron's default, tp-cp-ep-dp-pp.
    constexpr rank_order() noexcept = default;
    // Reads an order such as "tp-pp-dp". Axes that are not named come last. Empty if a word is no axis or occurs twice.
    [[nodiscard]] static std::optional<rank_order> parse(std::string_view text) noexcept {
        constexpr std::string_view names[] = {"tp", "cp", "ep", "dp", "pp"};
        // Megatron appends missing axes in this order.
        constexpr axis rest[] = {axis::tp, axis::pp, axis::dp, axis::ep, axis::cp};
        rank_order order;
        bool seen[axis_count] = {};
        std::size_t count = 0;
        for (bool last = false; !last;) {
            const std::size_t end = text.find('-');
            last = end == std::string_view::npos;
            const std::string_view word = text.substr(0, end);
            const auto at = static_cast<std::size_t>(std::find(names, names + axis_count, word) - names);
            if (at == axis_count || seen[at]) return std::nullopt;
            seen[at] = true;
            order.axes_[count++] = static_cast<axis>(at);
            if (!last) text.remove_prefix(end + 1);
        }
        order.named_ = count;
        for (const axis a : rest)
            if (!seen[static_cast<std::size_t>(a)]) order.axes_[count++] = a;
        return order;
    }
    static std::optional<rank_order> parse(std::nullptr_t) = delete;

    // Whether all axes with more than one rank were named. Megatron refuses an order that leaves one out.
    [[nodiscard]] bool names_all(const sizes& s) const noexcept {
        const std::int64_t size_of_axis[] = {s.tensor, s.context, s.expert, (std::max)(s.data, s.expert_data),
                                             s.pipeline};
        for (std::size_t n = named_; n != axis_count; ++n)
            if (size_of_axis[static_cast<std::size_t>(axes_[n])] > 1) return false;
        return true;
    }
    // The n-th axis; beyond axis_count, the last one.
    [[nodiscard]] constexpr axis operator[](std::size_t n) const noexcept {
        return axes_[n < axis_count ? n : axis_count - 1];
    }

private:
    axis axes_[axis_count] = {axis::tp, axis::cp, axis::ep, axis::dp, axis::pp};
    std::size_t named_ = axis_count;
};

// Which ranks form which groups, as Megatron's rank generator lays them out: the groups of expert_parallel and
// expert_data_parallel along the axes tp, ep, dp and pp, all others along tp, cp, dp and pp. Functions that do not
// return a list of ranks take constant time and no memory. A size below 1 counts as 1, and so does one that would make
// the number of ranks overflow std::int64_t.
class layout {
public:
    explicit layout(const parallelism::sizes& s, const rank_order& order = {}) noexcept : sizes_(s), order_(order) {
        // Ranks are sums of products of sizes, so the product of all sizes has to fit into 64 bits.
        const auto limit = [](std::int64_t& size, std::int64_t& product) {
            if (size < 1 || size > (std::numeric_limits<std::int64_t>::max)() / product) size = 1;
            product *= size;
        };
        std::int64_t dense = 1;
        for (std::int64_t* const size : {&sizes_.tensor, &sizes_.pipeline}) limit(*size, dense);
        std::int64_t experts = dense;
        for (std::int64_t* const size : {&sizes_.context, &sizes_.data}) limit(*size, dense);
        for (std::int64_t* const size : {&sizes_.expert, &sizes_.expert_data}) limit(*size, experts);
        sizes_.ranks = (std::max)(sizes_.ranks, std::int64_t{1});
    }

    [[nodiscard]] parallelism::sizes sizes() const noexcept { return sizes_; }
    [[nodiscard]] rank_order order() const noexcept { return order_; }
    // Whether each rank is in the same pipeline stage for the layers of experts as for all others. If not, as in orders
    // in which `pp` is not last, some groups of experts have ranks of several stages. Megatron refuses such orders.
    [[nodiscard]] bool stages_agree() const noexcept {
        steps dense;
        steps of_experts;
        make(group::pipeline_parallel, dense);
        make(group::expert_parallel, of_experts);
        for (std::size_t n = 0; n != rank_order::axis_count; ++n)
            if (order_[n] == rank_order::axis::pp)
                return sizes_.pipeline == 1 || dense[n].stride == of_experts[n].stride;
        return true;
    }
    // The first two ranks that share a group of experts but not a pipeline stage. Empty if there are none.
    [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> ranks_of_two_stages() const noexcept {
        if (stages_agree()) return std::nullopt;
        for (const group g : {group::expert_parallel, group::expert_data_parallel})
            for (std::int64_t n = 0; n != count(g); ++n) {
                const std::int64_t first = rank(g, n, 0).value_or(0);
                for (std::int64_t k = 1; k != size(g); ++k) {
                    const std::int64_t other = rank(g, n, k).value_or(0);
                    if (position_of(group::pipeline_parallel, first) != position_of(group::pipeline_parallel, other))
                        return std::pair(first, other);
                }
            }
        return std::nullopt;
    }
    // The number of ranks in each group of that kind, and the number of such groups.
    [[nodiscard]] std::int64_t size(group g) const noexcept {
        const std::int64_t size_of_group[] = {sizes_.tensor, sizes_.data, sizes_.expert, sizes_.expert_data,
                                              sizes_.pipeline};
        return size_of_group[(std::min)(static_cast<std::size_t>(g), group_count - 1)];
    }
    [[nodiscard]] std::int64_t count(group g) const noexcept { return sizes_.ranks / size(g); }
    // The rank at a position of a group. Empty if there is no such group, or no such position in it.
    [[nodiscard]] std::optional<std::int64_t> rank(group g, std::int64_t index, std::int64_t position) const noexcept {
        steps axes;
        make(g, axes);
        if (index < 0 || position < 0 || position >= size(g)) return std::nullopt;
        std::int64_t rank = 0;
        for (const step& s : axes) {
            std::int64_t& rest = s.in_group ? position : index;
            rank += rest % s.size * s.stride;
            rest /= s.size;
        }
        // Something is left of an index that is beyond the last group.
        return index == 0 ? std::optional(rank) : std::nullopt;
    }
    // The group of that kind that a rank is in, and its position there. The position in the pipeline_parallel group is
    // the rank's stage. Empty if there is no such rank.
    [[nodiscard]] std::optional<std::int64_t> index_of(group g, std::int64_t rank) const noexcept {
        return part_of(g, rank, false);
    }
    [[nodiscard]] std::optional<std::int64_t> position_of(group g, std::int64_t rank) const noexcept {
        return part_of(g, rank, true);
    }
    // All ranks of the group that a rank is in, ascending. Empty if there is no such rank.
    [[nodiscard]] std::vector<std::int64_t> ranks_with(group g, std::int64_t rank) const {
        const std::optional<std::int64_t> index = index_of(g, rank);
        return index ? ranks(g, *index) : std::vector<std::int64_t>();
    }
    // All ranks of the group with this index, from 0 to count(g) - 1; index_of() gives the index of a rank's group.
    // Empty if there is no such group.
    [[nodiscard]] std::vector<std::int64_t> ranks(group g, std::int64_t index) const {
        std::vector<std::int64_t> members;
        while (const auto next = rank(g, index, static_cast<std::int64_t>(members.size()))) members.push_back(*next);
        return members;
    }

private:
    struct step {
        std::int64_t size;
        std::int64_t stride;
        bool in_group;
    };
    using steps = step[rank_order::axis_count];
    // Sets the size and stride of each axis of the order, as groups of this kind have them.
    void make(group g, steps& axes) const noexcept {
        using axis = rank_order::axis;
        const bool of_experts = g == group::expert_parallel || g == group::expert_data_parallel;
        const std::int64_t size[] = {sizes_.tensor, of_experts ? 1 : sizes_.context, of_experts ? sizes_.expert : 1,
                                     of_experts ? sizes_.expert_data : sizes_.data,
                                     of_experts && experts_reach_over_stages() ? 1 : sizes_.pipeline};
        const axis grouped = g == group::tensor_parallel     ? axis::tp
                             : g == group::expert_parallel   ? axis::ep
                             : g == group::pipeline_parallel ? axis::pp
                                                             : axis::dp;
        std::int64_t stride = 1;
        for (std::size_t n = 0; n != rank_order::axis_count; ++n) {
            axes[n] = {size[static_cast<std::size_t>(order_[n])], stride, order_[n] == grouped};
            stride *= axes[n].size;
        }
    }
    // The position of a rank in its group, or the index of its group.
    std::optional<std::int64_t> part_of(group g, std::int64_t rank, bool in_group) const noexcept {
        steps axes;
        make(g, axes);
        std::int64_t part = 0;
        std::int64_t weight = 1;
        std::int64_t ranks = 1;
        for (const step& s : axes) {
            ranks *= s.size;
            if (s.in_group != in_group) continue;
            part += rank / s.stride % s.size * weight;
            weight *= s.size;
        }
        return rank >= 0 && rank < ranks ? std::optional(part) : std::nullopt;
    }
    // Whether expert groups span all stages, as sizes_of() says. The constructor has limited the sizes, so products
    // fit.
    bool experts_reach_over_stages() const noexcept {
        return sizes_.pipeline > 1 && sizes_.expert * sizes_.expert_data > sizes_.data * sizes_.context;
    }

    parallelism::sizes sizes_;
    rank_order order_;
};

// Sums over collectives.
struct tally {
    std::uint64_t count = 0;
    double bytes = 0;           // the sizes in the file; those below 0 are left out
    double wire = 0;            // the bytes that a rank sends
    std::uint64_t unknown = 0;  // how many of `count` send an unknown number of bytes
};

// What one pass over the layers of a file moves, by group and phase. Every rank makes the same pass.
class traffic {
public:
    traffic() noexcept = default;
    explicit traffic(const sizes& s) noexcept : sizes_(s) {}

    void add(const workload::layer& layer) noexcept;
    // The messages between pipeline stages as SimAI counts them: vpp times ga times pp_comm bytes from each stage to
    // the next one, and as many back in the input gradient. A missing vpp or ga is 1. Adds nothing if there is one
    // stage, and one message of unknown size if vpp or ga is not a whole number of at least 1, or pp_comm is missing or
    // not a whole number of at least 0.
    void add_pipeline(const workload::header& head) noexcept;

    // The sums of one rank; between stages, of a rank that has a stage before it and one after it. Zero for a phase or
    // a group that is not an enumerator.
    [[nodiscard]] tally rank(phase p, group g) const noexcept {
        const auto of_phase = static_cast<std::size_t>(p);
        const auto of_group = static_cast<std::size_t>(g);
        return of_phase < phase_count && of_group < group_count ? tallies_[of_phase][of_group] : tally();
    }
    // The sums over all phases of the rank that sends most. If there are two stages, no rank sends both forward and
    // back.
    [[nodiscard]] tally rank(group g) const noexcept {
        tally sum;
        for (const phase p : {phase::forward, phase::input_grad, phase::weight_grad}) {
            const tally in_phase = rank(p, g);
            sum.count += in_phase.count;
            sum.unknown += in_phase.unknown;
            if (g == group::pipeline_parallel && sizes_.pipeline == 2 && sum.wire > 0) continue;
            sum.bytes += in_phase.bytes;
            sum.wire += in_phase.wire;
        }
        return sum;
    }
    // The bytes that all ranks send together: the last stage sends nothing forward, and the first nothing backward.
    [[nodiscard]] double job_wire(phase p, group g) const noexcept {
        std::int64_t senders = sizes_.ranks;
        if (g == group::pipeline_parallel && sizes_.pipeline > 0) senders -= sizes_.ranks / sizes_.pipeline;
        return rank(p, g).wire * static_cast<double>(senders);
    }
    // The number of collectives with an unknown token, which are in no group.
    [[nodiscard]] std::uint64_t unknown_collectives() const noexcept { return unknown_; }

private:
    sizes sizes_;
    tally tallies_[phase_count][group_count];
    std::uint64_t unknown_ = 0;
};

}}}  // namespace wlfmt::WLFMT_ABI::parallelism

#include "../detail/base/config_end.hpp"
#endif
