// Finds which ranks form which groups.
#ifndef WLFMT_DETAIL_PARALLELISM_LAYOUT_HPP
#define WLFMT_DETAIL_PARALLELISM_LAYOUT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "../../types/parallelism.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace parallelism {

inline std::optional<rank_order> rank_order::parse(std::string_view text) noexcept {
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

inline bool rank_order::names_all(const sizes& s) const noexcept {
    const std::int64_t of[] = {s.tensor, s.context, s.expert, (std::max)(s.data, s.expert_data), s.pipeline};
    for (std::size_t n = named_; n != axis_count; ++n)
        if (of[static_cast<std::size_t>(axes_[n])] > 1) return false;
    return true;
}

inline layout::layout(const parallelism::sizes& s, const rank_order& order) noexcept : sizes_(s), order_(order) {
    // Ranks are sums of products of sizes, so the product of all sizes has to fit into 64 bits.
    const auto limit = [](std::int64_t& size, std::int64_t& all) {
        if (size < 1 || size > (std::numeric_limits<std::int64_t>::max)() / all) size = 1;
        all *= size;
    };
    std::int64_t all = 1;
    for (std::int64_t* const one : {&sizes_.tensor, &sizes_.pipeline}) limit(*one, all);
    std::int64_t of_experts = all;
    for (std::int64_t* const one : {&sizes_.context, &sizes_.data}) limit(*one, all);
    for (std::int64_t* const one : {&sizes_.expert, &sizes_.expert_data}) limit(*one, of_experts);
    sizes_.ranks = (std::max)(sizes_.ranks, std::int64_t{1});
}

inline void layout::make(group g, steps& to) const noexcept {
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
        to[n].size = size[static_cast<std::size_t>(order_[n])];
        to[n].stride = stride;
        to[n].in_group = order_[n] == grouped;
        stride *= to[n].size;
    }
}

inline bool layout::stages_agree() const noexcept {
    if (sizes_.pipeline == 1) return true;
    steps dense;
    steps of_experts;
    make(group::pipeline_parallel, dense);
    make(group::expert_parallel, of_experts);
    for (std::size_t n = 0; n != rank_order::axis_count; ++n)
        if (order_[n] == rank_order::axis::pp) return dense[n].stride == of_experts[n].stride;
    return true;
}

inline std::int64_t layout::size(group g) const noexcept {
    switch (g) {
    case group::tensor_parallel: return sizes_.tensor;
    case group::data_parallel: return sizes_.data;
    case group::expert_parallel: return sizes_.expert;
    case group::expert_data_parallel: return sizes_.expert_data;
    default: return sizes_.pipeline;
    }
}

inline std::int64_t layout::count(group g) const noexcept { return sizes_.ranks / size(g); }

inline std::int64_t layout::rank_at(const steps& all, std::int64_t index, std::int64_t position) noexcept {
    std::int64_t rank = 0;
    for (const step& s : all) {
        std::int64_t& rest = s.in_group ? position : index;
        rank += rest % s.size * s.stride;
        rest /= s.size;
    }
    return rank;
}

inline std::optional<std::int64_t> layout::rank(group g, std::int64_t index, std::int64_t position) const noexcept {
    steps all;
    make(g, all);
    std::int64_t groups = 1;
    for (const step& s : all) groups *= s.in_group ? 1 : s.size;
    if (index < 0 || index >= groups || position < 0 || position >= size(g)) return std::nullopt;
    return rank_at(all, index, position);
}

inline std::optional<std::int64_t> layout::index_of(group g, std::int64_t rank) const noexcept {
    steps all;
    make(g, all);
    std::int64_t index = 0;
    std::int64_t weight = 1;
    std::int64_t ranks = 1;
    for (const step& s : all) {
        ranks *= s.size;
        if (s.in_group) continue;
        index += rank / s.stride % s.size * weight;
        weight *= s.size;
    }
    return rank >= 0 && rank < ranks ? std::optional(index) : std::nullopt;
}

inline std::optional<std::int64_t> layout::position_of(group g, std::int64_t rank) const noexcept {
    steps all;
    make(g, all);
    std::int64_t position = 0;
    std::int64_t ranks = 1;
    for (const step& s : all) {
        ranks *= s.size;
        if (s.in_group) position = rank / s.stride % s.size;
    }
    return rank >= 0 && rank < ranks ? std::optional(position) : std::nullopt;
}

inline std::vector<std::int64_t> layout::ranks(group g, std::int64_t index) const {
    if (!rank(g, index, 0)) return {};
    steps all;
    make(g, all);
    std::vector<std::int64_t> of_group(static_cast<std::size_t>(size(g)));
    for (std::size_t n = 0; n != of_group.size(); ++n) of_group[n] = rank_at(all, index, static_cast<std::int64_t>(n));
    return of_group;
}

inline std::vector<std::int64_t> layout::ranks_with(group g, std::int64_t rank) const {
    const std::optional<std::int64_t> index = index_of(g, rank);
    return index ? ranks(g, *index) : std::vector<std::int64_t>();
}

}  // namespace parallelism
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
