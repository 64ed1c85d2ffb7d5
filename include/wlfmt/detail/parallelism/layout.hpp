// How large the groups of a workload are, and which ranks form them.
#ifndef WLFMT_DETAIL_PARALLELISM_LAYOUT_HPP
#define WLFMT_DETAIL_PARALLELISM_LAYOUT_HPP

#include <algorithm>

#include "../../types/parallelism.hpp"
#include "../../workload.hpp"
#include "../error/problems.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace parallelism {

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
    const std::int64_t of[] = {sizes_.tensor, sizes_.data, sizes_.expert, sizes_.expert_data, sizes_.pipeline};
    return of[(std::min)(static_cast<std::size_t>(g), group_count - 1)];
}

inline std::optional<std::int64_t> layout::rank(group g, std::int64_t index, std::int64_t position) const noexcept {
    steps all;
    make(g, all);
    if (index < 0 || position < 0 || position >= size(g)) return std::nullopt;
    std::int64_t rank = 0;
    for (const step& s : all) {
        std::int64_t& rest = s.in_group ? position : index;
        rank += rest % s.size * s.stride;
        rest /= s.size;
    }
    // What is left of an index after the last group.
    return index == 0 ? std::optional(rank) : std::nullopt;
}

inline std::optional<std::int64_t> layout::part_of(group g, std::int64_t rank, bool in_group) const noexcept {
    steps all;
    make(g, all);
    std::int64_t part = 0;
    std::int64_t weight = 1;
    std::int64_t ranks = 1;
    for (const step& s : all) {
        ranks *= s.size;
        if (s.in_group != in_group) continue;
        part += rank / s.stride % s.size * weight;
        weight *= s.size;
    }
    return rank >= 0 && rank < ranks ? std::optional(part) : std::nullopt;
}

inline std::vector<std::int64_t> layout::ranks(group g, std::int64_t index) const {
    std::vector<std::int64_t> of_group;
    while (const auto next = rank(g, index, static_cast<std::int64_t>(of_group.size()))) of_group.push_back(*next);
    return of_group;
}
inline std::vector<std::int64_t> layout::ranks_with(group g, std::int64_t rank) const {
    const std::optional<std::int64_t> index = index_of(g, rank);
    return index ? ranks(g, *index) : std::vector<std::int64_t>();
}

inline std::optional<std::pair<std::int64_t, std::int64_t>> layout::ranks_of_two_stages() const noexcept {
    if (stages_agree()) return std::nullopt;
    for (const group g : {group::expert_parallel, group::expert_data_parallel}) {
        for (std::int64_t n = 0; n != count(g); ++n) {
            const std::int64_t first = rank(g, n, 0).value_or(0);
            for (std::int64_t k = 1; k != size(g); ++k) {
                const std::int64_t other = rank(g, n, k).value_or(0);
                if (position_of(group::pipeline_parallel, first) != position_of(group::pipeline_parallel, other))
                    return std::pair(first, other);
            }
        }
    }
    return std::nullopt;
}

}}}  // namespace wlfmt::WLFMT_ABI::parallelism

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Reads the sizes from a header and reports every problem with them, with its place in the text.
class size_reader {
public:
    size_reader(const workload::header& head, std::string_view text, const options& how) noexcept
        : head_(head), text_(text), problems_(text, how) {}

    result<parallelism::sizes> read() {
        parallelism::sizes s;
        s.tensor = size("model_parallel_NPU_group");
        const bool short_name = !head_.find("ep").is_missing();
        const std::string_view expert_key = short_name ? "ep" : "expert_parallel_npu_group";
        s.expert = size(expert_key);
        s.pipeline = size("pp");
        // SimAI divides the pipeline bubble by the product of these.
        static_cast<void>(size("ga"));
        static_cast<void>(size("vpp"));
        s.ranks = 0;
        s.data = 0;
        s.expert_data = 0;
        if (head_.find("all_gpus").is_missing()) report(error_kind::header_value, "all_gpus", 0, -1);
        else s.ranks = size("all_gpus");
        divide(s, expert_key);
        if (s.pipeline > 0) check_messages(s.pipeline);
        return {s, problems_.first};
    }

private:
    // At least 1, or 0 if it is not known.
    std::int64_t size(std::string_view key) {
        const value v = head_.find(key);
        if (v.is_missing()) return 1;
        const auto n = v.as<std::int64_t>();
        if (!n) report(error_kind::not_an_integer, key);
        if (n && *n < 1) report(error_kind::size_below_one, key, *n);
        return n && *n > 0 ? *n : 0;
    }

    void divide(parallelism::sizes& s, std::string_view expert_key) {
        if (s.ranks == 0 || s.tensor == 0 || s.pipeline == 0) return;
        // If one size is larger than the number of ranks, that size is wrong.
        for (const auto& [own, key] : {std::pair(s.tensor, std::string_view("model_parallel_NPU_group")),
                                       std::pair(s.pipeline, std::string_view("pp"))})
            if (own > s.ranks) return report(error_kind::not_divisible, key, s.ranks, own);
        constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();
        const bool fits = s.tensor <= most / s.pipeline;
        const std::int64_t model = fits ? s.tensor * s.pipeline : most;
        if (!fits || s.ranks % model != 0) return report(error_kind::not_divisible, "all_gpus", s.ranks, model);
        s.data = s.ranks / model;
        if (s.expert == 0) return;
        // Without a remainder in all stages together, expert groups reach over stages, as SimAI's do.
        const std::int64_t experts_share = s.data % s.expert == 0 ? s.data : s.data * s.pipeline;
        if (s.data % s.expert != 0) report(error_kind::not_divisible, expert_key, s.data, s.expert);
        if (experts_share % s.expert == 0) s.expert_data = experts_share / s.expert;
    }

    void check_messages(std::int64_t stages) {
        const value v = head_.find("pp_comm");
        const auto bytes = v.is_missing() ? std::int64_t{0} : v.as<std::int64_t>();
        if (!bytes) return report(error_kind::not_an_integer, "pp_comm");
        if (*bytes < 0) return report(error_kind::negative_value, "pp_comm", *bytes);
        if ((stages > 1) == (*bytes > 0)) return;
        const std::string_view key = v.is_missing() ? "pp" : "pp_comm";
        report(error_kind::pipeline_mismatch, key, *bytes, stages);
    }

    void report(error_kind kind, std::string_view key, std::int64_t found = 0, std::int64_t expected = 0) {
        std::string_view place = where(head_, key);
        // A header that was built by hand has no place.
        if (!is_view_of(place, text_)) place = text_.substr(0, 0);
        problems_.report(kind, place, key, found, expected);
    }

    const workload::header& head_;
    std::string_view text_;
    problems problems_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
