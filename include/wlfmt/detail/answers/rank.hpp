// A rank of a run: the groups that it is in, what is found out while its time is divided, and how that is added up.
#ifndef WLFMT_DETAIL_ANSWERS_RANK_HPP
#define WLFMT_DETAIL_ANSWERS_RANK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
inline double in_milliseconds(double millionths) noexcept { return millionths / 1e6; }

// Which members are times, and which are their limits.
template <class Sums> struct parts_of;
template <> struct parts_of<oplog::time_account> {
    using of = oplog::time_account;
    static constexpr double of::*times[] = {
        &of::span, &of::work, &of::transfer, &of::stage_waiting, &of::pipeline_waiting, &of::gaps, &of::unknown};
    static constexpr oplog::limit of::*limits[] = {&of::span_limit,  &of::work_limit,     &of::transfer_limit,
                                                   &of::stage_limit, &of::pipeline_limit, &of::gaps_limit};
};
template <> struct parts_of<oplog::group_answer> {
    using of = oplog::group_answer;
    static constexpr double of::*times[] = {&of::transfer,     &of::waiting,       &of::unknown,
                                            &of::waiting_more, &of::waiting_least, &of::overlapped};
    static constexpr oplog::limit of::*limits[] = {&of::calls_limit, &of::transfer_limit, &of::waiting_limit,
                                                   &of::overlapped_limit};
};
template <> struct parts_of<oplog::operation_answer> {
    using of = oplog::operation_answer;
    static constexpr double of::*times[] = {&of::time, &of::work, &of::transfer, &of::waiting, &of::unknown};
    static constexpr oplog::limit of::*limits[] = {&of::time_limit, &of::work_limit, &of::transfer_limit,
                                                   &of::waiting_limit};
};
template <> struct parts_of<oplog::program_step> {
    using of = oplog::program_step;
    static constexpr double of::*times[] = {&of::start,    &of::duration, &of::work,
                                            &of::transfer, &of::waiting,  &of::unknown};
};
template <class Sums> void add_to(Sums& to, const Sums& more) noexcept {
    for (const auto time : parts_of<Sums>::times) to.*time += more.*time;
    for (const auto limit : parts_of<Sums>::limits) limit_to(to.*limit, more.*limit);
}
template <class Sums> Sums in_milliseconds(Sums sums) noexcept {
    for (const auto time : parts_of<Sums>::times) sums.*time = in_milliseconds(sums.*time);
    return sums;
}

inline std::int64_t known_bytes(const oplog::program_step& step) noexcept {
    return (std::max)(step.bytes, std::int64_t{0});
}

// What is found out about a rank. Until its answer is complete, times are in millionths of a millisecond, those in the
// steps of its program, too.
struct analysed_rank : oplog::rank_answer {
    const rank_sums* sums = nullptr;
    const kept_program* kept = nullptr;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t iterations = 0;
    ordered_map<std::uint32_t, oplog::group_answer> by_kind;           // by number of the name
    ordered_map<std::uint32_t, oplog::operation_answer> by_operation;  // likewise
    // How long it waited for which other rank, as a place among all ranks, in the groups of which kind.
    ordered_map<std::pair<std::size_t, std::uint32_t>, double> waits;

    // A part of a step's time is a limit, and so are the sums that it is in.
    void limit_work(const oplog::program_step& step, oplog::limit what) {
        limit_to(account.work_limit, what);
        limit_to(by_operation[step.operation].work_limit, what);
    }
    void limit_transfer(const oplog::program_step& step, oplog::limit what) {
        limit_to(account.transfer_limit, what);
        limit_to(by_operation[step.operation].transfer_limit, what);
        limit_to(by_kind[step.group].transfer_limit, what);
    }
    void limit_waiting(const oplog::program_step& step, oplog::limit what) {
        limit_to(step.in_stage ? account.stage_limit : account.pipeline_limit, what);
        limit_to(by_operation[step.operation].waiting_limit, what);
        limit_to(by_kind[step.group].waiting_limit, what);
    }
    // It cannot be told how much of a blocking step is waiting.
    void set_unknown(oplog::program_step& step) {
        step.unknown = step.duration;
        by_kind[step.group].unknown += step.unknown;
        ++by_kind[step.group].unknown_calls;
        limit_transfer(step, oplog::limit::least);
        limit_waiting(step, oplog::limit::least);
    }
};

// A step that a rank lacks, and other ranks have: a call in a record, or a record. Ranks are places among all ranks.
struct lacked_step {
    static constexpr std::size_t most_named = 16;

    std::size_t rank = 0;                      // that lacks it
    std::size_t of = 0;                        // a rank that has it
    std::size_t step = 0;                      // in the program of that rank
    std::uint64_t number = 1;                  // missing_call::number
    std::optional<std::uint64_t> record = {};  // missing_call::record
    std::vector<std::size_t> have = {};        // the first ranks that have it
};

// Whether calls in the groups of a kind are unknown or may be missing.
inline bool lacks_calls(const oplog::run_answers& a, const std::string& group) noexcept {
    for (const oplog::group_answer& g : a.groups)
        if (g.group == group) return g.unknown_calls != 0 || g.calls_limit != oplog::limit::exact;
    return false;
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
