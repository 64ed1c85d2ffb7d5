// wlfmt/parallelism.hpp: finds in a workload file the size of each parallel group, its ranks, the group in which a
// collective is, and what it moves. Not included by wlfmt.hpp. The rules and their sources: docs/parallelism.md.
//
//     const auto sizes = wlfmt::parallelism::sizes_of(file->header, text);
//     if (!sizes) std::cerr << wlfmt::explain(sizes.error(), text, wlfmt::in_file("moe.txt"));
//     const wlfmt::parallelism::layout where_ranks_are(*sizes);
//     for (const std::int64_t rank : where_ranks_are.ranks(group::expert_parallel, 3)) ...
#include "version.hpp"

#ifndef WLFMT_PARALLELISM_HPP
#define WLFMT_PARALLELISM_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "error.hpp"
#include "types/parallelism.hpp"
#include "workload.hpp"

#include "detail/error/problems.hpp"
#include "detail/workload/schema.hpp"
#include "workload/policies.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {

// Reads the sizes from a header and reports every problem with them, with its place in the text.
class size_reader {
public:
    size_reader(const workload::header& head, std::string_view text, const options& options) noexcept
        : head_(head), text_(text), problems_(text, options) {}

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
        s.ranks = s.data = s.expert_data = 0;
        if (head_.find("all_gpus").is_missing()) report(error_kind::header_value, "all_gpus", 0, -1);
        else s.ranks = size("all_gpus");
        divide(s, expert_key);
        if (s.pipeline > 0) check_messages(s.pipeline);
        return {s, problems_.first};
    }

private:
    // The header's size, at least 1; 1 if the header lacks it, and 0 if it is wrong.
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
        constexpr std::int64_t greatest = (std::numeric_limits<std::int64_t>::max)();
        const bool fits = s.tensor <= greatest / s.pipeline;
        const std::int64_t model = fits ? s.tensor * s.pipeline : greatest;
        if (!fits || s.ranks % model != 0) return report(error_kind::not_divisible, "all_gpus", s.ranks, model);
        s.data = s.ranks / model;
        if (s.expert == 0) return;
        // If only the ranks of all stages together can be divided by it, expert groups span stages, as SimAI's do.
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

}  // namespace detail

namespace parallelism {

// The enumerator's own spelling, "expert_data_parallel", "input_grad". Static storage.
[[nodiscard]] inline std::string_view name_of(group g) noexcept {
    constexpr std::string_view names[] = {"tensor_parallel", "data_parallel", "expert_parallel", "expert_data_parallel",
                                          "pipeline_parallel"};
    const auto n = static_cast<std::size_t>(g);
    return n < group_count ? names[n] : "unknown";
}
[[nodiscard]] inline std::string_view name_of(phase p) noexcept {
    const auto n = static_cast<std::size_t>(p);
    return n < phase_count ? workload::phase_rows[n].name : "unknown";
}

// What is known of a policy, the first word of a workload file.
[[nodiscard]] inline policy_facts facts_of(std::string_view policy) noexcept {
    const workload::policies::row row = workload::policies::of(policy);
    policy_facts facts{!row.name.empty(),
                       row.traits != 0,
                       row.traced != workload::policies::trace_policy::none,
                       row.has(workload::policies::in_groups),
                       {}};
    for (std::size_t n = 0; n != phase_count; ++n) facts.communicates[n] = (row.traits >> n & 1U) != 0;
    return facts;
}
template <class S, detail::if_null_literal<S> = 0> policy_facts facts_of(S&&) = delete;

// Reads model_parallel_NPU_group, ep, pp and all_gpus from a header, and computes data = all_gpus / (tensor * pipeline)
// and expert_data = data / expert. A missing entry means 1, but without all_gpus there are no sizes (header_value).
//
// Checks, in this order, that each size, ga (the number of micro-batches) and vpp, which SimAI divides by, are whole
// numbers (not_an_integer) of at least 1 (size_below_one); that all_gpus is a multiple of tensor * pipeline, and data
// of expert (not_divisible); that pp_comm is a whole number of at least 0 (negative_value), and above 0 if and only if
// there are several stages (pipeline_mismatch). The result has the first error; options::lenient reports all of them.
//
// If expert divides data * pipeline but not data, as in AICB's files for Qwen3-Next, expert groups span stages, which
// SimAI can simulate: the error is not_divisible, but the sizes are known, with expert_data = data * pipeline / expert.
// sizes::known() says whether there are sizes in spite of an error; unknown ones are 0. Errors have places in `text`,
// from which the header was read.
[[nodiscard]] inline result<sizes> sizes_of(const workload::header& head, std::string_view text,
                                            const options& options = {}) {
    return detail::size_reader(head, text, options).read();
}
template <class S, detail::if_null_literal<S> = 0>
result<sizes> sizes_of(const workload::header&, S&&, const options& = {}) = delete;

// The sizes of the groups that SimAI forms, as if there were no pipeline (Sys.cc passes 1 to MockNcclGroup): data
// parallel groups hold all_gpus / tensor ranks, of all stages, but its statistics (Layer.cc) divide by the pipeline.
[[nodiscard]] inline sizes simai_sizes(const sizes& s) noexcept {
    // Sizes from sizes_of() multiply without overflow; a program's own may not.
    const auto times_stages = [&](std::int64_t size) {
        constexpr std::int64_t greatest = (std::numeric_limits<std::int64_t>::max)();
        if (size < 1 || s.pipeline < 1) return std::int64_t{0};
        return size <= greatest / s.pipeline ? size * s.pipeline : greatest;
    };
    sizes over_stages = s;
    over_stages.pipeline = 1;
    over_stages.data = times_stages(s.data);
    // Expert groups that span stages already hold the ranks of all stages.
    const bool in_stage = s.expert < 1 || s.expert_data < 1 || s.data < 1 || s.expert_data <= s.data / s.expert;
    if (in_stage) over_stages.expert_data = times_stages(s.expert_data);
    return over_stages;
}

// The group that takes part in a collective. Its suffix names the group; without a suffix SimAI's rule applies: tensor
// parallel for forward and input gradient, data parallel for weight gradient. Empty for NONE and unknown tokens.
[[nodiscard]] inline std::optional<group> group_of(phase p, workload::communication c) noexcept {
    if (c.collective == workload::collective::none || c.collective == workload::collective::other) return std::nullopt;
    switch (c.group) {
    case workload::group::expert_parallel: return group::expert_parallel;
    case workload::group::data_parallel: return group::data_parallel;
    case workload::group::expert_data_parallel: return group::expert_data_parallel;
    default: return p == phase::weight_grad ? group::data_parallel : group::tensor_parallel;
    }
}

// The factor that turns an algorithm's bandwidth (bytes / time) into one that can be compared with the hardware's, as
// in nccl-tests: 2(n-1)/n for all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 for broadcast, 0 for
// NONE and in a group of one; empty for the rest. The bytes are the whole buffer's: in an all-gather, all ranks'.
[[nodiscard]] inline std::optional<double> bus_factor(workload::collective c, std::int64_t ranks) noexcept {
    using workload::collectives::bus_share;
    const double others = ranks < 1 ? 0 : static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    const auto n = static_cast<std::size_t>(c);
    if (n >= workload::collectives::count) return std::nullopt;
    switch (workload::collectives::rows[n].share) {
    case bus_share::nothing: return 0;
    case bus_share::others: return others;
    case bus_share::twice_others: return 2 * others;
    case bus_share::everything: return ranks > 1 ? 1 : 0;
    default: return std::nullopt;
    }
}
// The bytes that a rank sends: bytes * bus_factor(). Empty without a factor, and for a size below 0.
[[nodiscard]] inline std::optional<double> wire_bytes(workload::collective c, std::int64_t ranks,
                                                      std::int64_t bytes) noexcept {
    const std::optional<double> factor = bus_factor(c, ranks);
    if (!factor || bytes < 0) return std::nullopt;
    return *factor * static_cast<double>(bytes);
}

inline void traffic::add(const workload::layer& layer) noexcept {
    for (std::size_t n = 0; n != phase_count; ++n) {
        const workload::phase& p = layer.*workload::phase_rows[n].member;
        const workload::communication c = workload::communication_of(p.comm);
        if (c.collective == workload::collective::none) continue;
        const std::optional<group> g = group_of(static_cast<phase>(n), c);
        if (!g) {
            ++unknown_;
            continue;
        }
        tally& t = tallies_[n][static_cast<std::size_t>(*g)];
        ++t.count;
        const std::int64_t bytes = p.bytes.template as<std::int64_t>().value_or(-1);
        if (bytes > 0) t.bytes += static_cast<double>(bytes);
        const std::int64_t ranks = layout(sizes_).size(*g);
        // A single rank sends nothing, whatever the collective is.
        const std::optional<double> wire = ranks == 1 ? 0 : wire_bytes(c.collective, ranks, bytes);
        if (wire) t.wire += *wire;
        else ++t.unknown;
    }
}

inline void traffic::add_pipeline(const workload::header& head) noexcept {
    if (sizes_.pipeline < 2) return;
    constexpr std::int64_t max_messages = (std::numeric_limits<std::int64_t>::max)();
    const auto count_or = [](const number& n, std::int64_t missing) {
        return n.is_missing() ? missing : n.template as<std::int64_t>().value_or(-1);
    };
    const std::int64_t batches = count_or(head.gradient_accumulation(), 1);
    const std::int64_t chunks = count_or(head.vpp(), 1);
    const std::int64_t bytes = count_or(head.pipeline_bytes(), -1);
    const bool known = batches > 0 && chunks > 0 && bytes >= 0 && batches <= max_messages / chunks;
    const std::int64_t messages = known ? batches * chunks : 1;
    for (const phase p : {phase::forward, phase::input_grad}) {
        tally& t = tallies_[static_cast<std::size_t>(p)][static_cast<std::size_t>(group::pipeline_parallel)];
        t.count += static_cast<std::uint64_t>(messages);
        t.unknown += known ? 0 : 1;
        if (!known) continue;
        t.bytes += static_cast<double>(messages) * static_cast<double>(bytes);
        t.wire += static_cast<double>(messages) * static_cast<double>(bytes);
    }
}

}  // namespace parallelism
}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
