// The sizes of a workload's groups.
#ifndef WLFMT_DETAIL_PARALLELISM_SIZES_HPP
#define WLFMT_DETAIL_PARALLELISM_SIZES_HPP

#include "../../types/parallelism.hpp"
#include "../../workload.hpp"
#include "../error/problems.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

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

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
