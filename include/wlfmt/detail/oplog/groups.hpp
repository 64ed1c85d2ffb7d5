// Which ranks form a group.
#ifndef WLFMT_DETAIL_OPLOG_GROUPS_HPP
#define WLFMT_DETAIL_OPLOG_GROUPS_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "../../types/answers.hpp"
#include "../base/build.hpp"
#include "../summary/files.hpp"
#include "operations.hpp"

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

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
