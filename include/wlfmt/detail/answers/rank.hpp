// A rank of a run: the groups that it is in, and what is found out while its time is divided.
#ifndef WLFMT_DETAIL_ANSWERS_RANK_HPP
#define WLFMT_DETAIL_ANSWERS_RANK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/build.hpp"
#include "../oplog/operations.hpp"
#include "../summary/files.hpp"
#include "../summary/ordered_map.hpp"
#include "../summary/state.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

struct group_place {
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t size = 0;
};
// The group of a kind that a rank is in; empty if the kind is not known. The first stage and the last one share their
// embeddings, so that a rank of a stage between them is in no such group.
inline std::optional<group_place> place_of(std::string_view kind, std::int64_t rank, const oplog::run_sizes& of) {
    using operations = oplog_operations<build>;
    const std::int64_t per_stage = of.world / of.pipeline;
    const std::int64_t stage = rank / per_stage;
    const std::int64_t within = rank % per_stage;
    const std::int64_t shared = of.tensor * of.expert;
    if (kind == operations::model) return group_place{within / of.tensor, 0, of.tensor * of.pipeline};
    if (kind == operations::embedding) {
        if (stage != 0 && stage != of.pipeline - 1) return std::nullopt;
        return group_place{within, 0, of.pipeline > 1 ? 2 : 1};
    }
    switch (operations::group_of(kind)) {
    case oplog::group::tensor_parallel: return group_place{rank / of.tensor, 0, of.tensor};
    case oplog::group::data_parallel: return group_place{stage, rank % of.tensor, of.data()};
    case oplog::group::expert_parallel:
        return group_place{stage * per_stage + within / shared, rank % of.tensor, of.expert};
    case oplog::group::embedding_data_parallel:
    case oplog::group::expert_data_parallel:
        return group_place{stage, within % shared, (std::max)(std::int64_t{1}, of.data() / of.expert)};
    default: return std::nullopt;
    }
}
inline std::optional<oplog::run_sizes> sizes_in(const oplog::file_facts& f) {
    if (!f.world_size) return std::nullopt;
    const oplog::run_sizes one{*f.world_size, f.tensor.value_or(1), f.pipeline.value_or(1), f.expert.value_or(1)};
    return one.are_possible() ? std::optional<oplog::run_sizes>(one) : std::nullopt;
}
inline void limit_to(oplog::limit& to, oplog::limit more) noexcept { to = oplog::of_both(to, more); }
// Sums by the number of a name. Steps that follow each other often have the same one.
template <class Sums> class sums_by_name {
public:
    sums_by_name() = default;
    sums_by_name(sums_by_name&&) noexcept = default;
    sums_by_name& operator=(sums_by_name&&) noexcept = default;

    Sums& operator[](std::uint32_t name) {
        if (last_ == nullptr || last_name_ != name) last_ = &all_[name];
        last_name_ = name;
        return *last_;
    }
    auto begin() const noexcept { return all_.begin(); }
    auto end() const noexcept { return all_.end(); }

private:
    ordered_map<std::uint32_t, Sums> all_;
    Sums* last_ = nullptr;
    std::uint32_t last_name_ = 0;
};
// A rank and what is found out about it. Times are in millionths of a millisecond, those in the steps of its program,
// too.
struct analysed_rank {
    std::int64_t rank = 0;
    const rank_sums* sums = nullptr;
    const kept_program* kept = nullptr;
    std::vector<oplog::program_step> program;
    std::int64_t first = 0;
    std::int64_t last = 0;
    oplog::time_account account;  // its limits
    sums_by_name<oplog::group_answer> kinds;
    sums_by_name<oplog::operation_answer> operations;
    // Whom it waited for, in the groups of which kind, and how long.
    struct wait {
        std::size_t late = 0;
        std::uint32_t kind = 0;
        double time = 0;
    };
    std::vector<wait> waits;
    double caused = 0;
    std::uint64_t late = 0;
    std::uint64_t peered = 0;
    // Of what it lacks.
    std::uint64_t lost = 0;
    std::uint64_t lost_calls = 0;
    double lost_bytes = 0;
    bool lost_iteration_end = false;
    oplog::limit pipeline_span_limit = oplog::limit::exact;
    oplog::limit first_forward_limit = oplog::limit::exact;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
