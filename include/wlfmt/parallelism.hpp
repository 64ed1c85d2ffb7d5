// wlfmt/parallelism.hpp: what a workload file means: how large each parallel group is, which ranks are in it, in which
// group a collective runs, and what it moves. Not included by wlfmt.hpp.
//
//     const auto sizes = wlfmt::parallelism::sizes_of(file->header(), text);
//     if (!sizes) std::cerr << wlfmt::explain(sizes.error(), text, wlfmt::in_file("moe.txt"));
//     const wlfmt::parallelism::layout where_ranks_are(*sizes);
//     for (const std::int64_t rank : where_ranks_are.ranks(group::expert_parallel, 3)) ...
//
// The rules and where they come from: docs/parallelism.md.
#include "version.hpp"

#ifndef WLFMT_PARALLELISM_HPP
#define WLFMT_PARALLELISM_HPP

#include <cstdint>
#include <optional>
#include <string_view>

#include "error.hpp"
#include "types/parallelism.hpp"
#include "workload.hpp"

#include "detail/parallelism/layout.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace parallelism {

// The enumerators' own spelling, "expert_data_parallel", "input_grad". Static storage.
[[nodiscard]] inline std::string_view name_of(group g) noexcept { return detail::group_name(g); }
[[nodiscard]] inline std::string_view name_of(phase p) noexcept { return detail::phase_name(p); }

inline namespace WLFMT_IMPL {

// What is known of the policy with which a workload file begins.
[[nodiscard]] inline policy_facts facts_of(std::string_view policy) noexcept {
    const detail::policy_row row = detail::policy_table<detail::build>::of(policy);
    policy_facts to{
        !row.name.empty(), row.traits != 0, row.traced != detail::trace_policy::none, row.has(detail::in_groups), {}};
    for (std::size_t n = 0; n != phase_count; ++n) to.talks[n] = (row.traits >> n & 1U) != 0;
    return to;
}
template <class S, detail::if_null_literal<S> = 0> policy_facts facts_of(S&&) = delete;

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
// known, and expert_data is data * pipeline / expert.
//
// sizes::known() says whether the sizes are known in spite of the error. Sizes that are not known are 0. Errors lie in
// `text`, which is the one that the header was read from.
[[nodiscard]] inline result<sizes> sizes_of(const workload::header& head, std::string_view text,
                                            const options& how = {}) {
    return detail::size_reader(head, text, how).read();
}
template <class S, detail::if_null_literal<S> = 0>
result<sizes> sizes_of(const workload::header&, S&&, const options& = {}) = delete;

// The sizes of the groups whose ranks SimAI lists. It builds its lists as if there were no pipeline (Sys.cc passes a
// pipeline of 1 to MockNcclGroup): its data parallel groups hold all_gpus / tensor ranks, of all stages, while its
// statistics (Layer.cc) divide by the pipeline. With one stage the two are the same.
[[nodiscard]] inline sizes simai_sizes(const sizes& s) noexcept { return detail::in_all_stages(s); }

}  // namespace WLFMT_IMPL

// The group that a collective runs in: the one that its suffix names; without a suffix SimAI's rule, tensor parallel
// for forward and input gradient, data parallel for weight gradient. Empty for NONE and for unknown tokens.
[[nodiscard]] inline std::optional<group> group_of(phase p, workload::communication c) noexcept {
    return detail::group_of_collective(p, c);
}

// The factor that turns the bandwidth of an algorithm (bytes / time) into one that compares with the hardware's, as in
// nccl-tests: 2 (n-1)/n for an all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 for a
// broadcast. `bytes` is the whole buffer, that of all ranks for an all-gather, as in SimAI's workload files. Empty for
// the other collectives, which nccl-tests does not define. 0 in a group of one.
[[nodiscard]] inline std::optional<double> bus_factor(workload::collective c, std::int64_t ranks) noexcept {
    return detail::bus_factor_of(c, ranks);
}
// The bytes that a rank sends: bytes * bus_factor(). Empty for a size below 0, too.
[[nodiscard]] inline std::optional<double> wire_bytes(workload::collective c, std::int64_t ranks,
                                                      std::int64_t bytes) noexcept {
    return detail::bytes_sent(c, ranks, bytes);
}

}}}  // namespace wlfmt::WLFMT_ABI::parallelism

#include "detail/base/config_end.hpp"
#endif
