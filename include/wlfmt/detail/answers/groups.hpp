// Which calls of which ranks belong together, and whether their clocks can be compared.
#ifndef WLFMT_DETAIL_ANSWERS_GROUPS_HPP
#define WLFMT_DETAIL_ANSWERS_GROUPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../summary/state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Times are in millionths of a millisecond here, as doubles: sums of them are exact up to 104 days.
struct kind_sums {
    std::uint64_t calls = 0;
    double bytes = 0;
    double transfer = 0;
    double undivided = 0;
    double waiting = 0;
    double waiting_more = 0;
    double waiting_least = 0;
    double overlapped = 0;
    std::uint64_t late = 0;
};
struct operation_sums {
    double time = 0;
    double transfer = 0;
    double waiting = 0;
};
// A rank and what is found out about it.
struct analysed_rank {
    std::int64_t rank = 0;
    const rank_sums* sums = nullptr;
    const rank_calls* kept = nullptr;
    std::map<std::string, kind_sums> kinds;
    std::map<std::string, operation_sums> operations;
    double nested_blocking = 0;  // communication in records of computation
    double optimizer_waiting = 0;
    double local = 0;  // collectives of groups of one that are records of their own
    double alone = 0;  // all collectives of groups of one
    double caused = 0;
    double uneven = 0;
    double nested_bytes = 0;
    std::uint64_t nested_calls = 0;
    std::uint64_t late = 0;
    double work = 0;
};
struct call_group {
    struct member {
        std::size_t rank;  // its position in the list of ranks
        std::vector<const timed_call*> calls;
        double offset = 0;  // of its clock to that of the first member
    };
    std::string kind;
    std::int64_t first_place = 0;
    std::int64_t second_place = 0;
    std::int64_t size = 0;  // 0: not known
    std::vector<member> members;
    std::size_t compared = 0;  // how many calls all members have, and have alike
    bool differs = false;
    bool has_offsets = false;
};

inline double low_median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Within a stage all ranks run the same program: waiting there is imbalance.
inline bool is_within_stage(std::string_view kind) noexcept {
    return kind == "tp" || kind == "dp" || kind == "exp" || kind == "ep_dp" || kind == "exp_dp";
}
inline bool is_pipeline_step(std::string_view op) noexcept {
    return op == "get_batch" || op == "forward_step" || op == "loss_func" || op == "backward_step";
}

struct group_place {
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t size = 0;
};
// The group of a kind that a rank is in; none if the kind is not known.
inline std::optional<group_place> place_of(std::string_view kind, std::int64_t rank, const oplog::run_sizes& of) {
    const std::int64_t per_stage = of.world / of.pipeline;
    const std::int64_t stage = rank / per_stage;
    const std::int64_t within = rank % per_stage;
    const std::int64_t shared = of.tensor * of.expert;
    if (kind == "tp") return group_place{rank / of.tensor, 0, of.tensor};
    if (kind == "dp") return group_place{stage, rank % of.tensor, of.data()};
    if (kind == "exp") return group_place{stage * per_stage + within / shared, rank % of.tensor, of.expert};
    if (kind == "ep_dp" || kind == "exp_dp")
        return group_place{stage, within % shared, (std::max)(std::int64_t{1}, of.data() / of.expert)};
    if (kind == "embedding") return group_place{within, 0, of.pipeline > 1 ? 2 : 1};
    if (kind == "model") return group_place{within / of.tensor, 0, of.tensor * of.pipeline};
    return std::nullopt;
}

class call_groups {
public:
    call_groups(const summary_state& s, const std::vector<analysed_rank>& ranks,
                const std::optional<oplog::run_sizes>& sizes)
        : s_(s) {
        for (std::size_t n = 0; n != ranks.size(); ++n)
            for (const timed_call& call : ranks[n].kept->calls) add(n, ranks[n].rank, call, sizes);
        for (auto& [key, group] : groups_) compare(group);
    }
    // In the order of their kinds and places.
    std::map<std::tuple<std::string, std::int64_t, std::int64_t>, call_group>& all() noexcept { return groups_; }
    const std::map<std::tuple<std::string, std::int64_t, std::int64_t>, call_group>& all() const noexcept {
        return groups_;
    }
    // The greatest difference of two clocks in a group.
    double farthest() const noexcept { return farthest_; }
    // By group: how much the time from its first blocking call to its last differs, and how long it is.
    const std::vector<double>& spreads() const noexcept { return spreads_; }
    const std::vector<double>& extents() const noexcept { return extents_; }

private:
    // Tracers write the embedding group of a record as `ep`.
    std::string kind_of(const call_shape& shape) const {
        const std::string& group = s_.names[shape.group];
        return shape.position < 0 && group == "ep" ? "embedding" : group;
    }
    void add(std::size_t n, std::int64_t rank, const timed_call& call, const std::optional<oplog::run_sizes>& sizes) {
        std::string kind = kind_of(s_.shapes[call.shape]);
        group_place place;
        if (sizes)
            if (const auto known = place_of(kind, rank, *sizes)) place = *known;
        const auto [at, is_new] = groups_.try_emplace({kind, place.first, place.second});
        call_group& group = at->second;
        if (is_new) {
            group.kind = std::move(kind);
            group.first_place = place.first;
            group.second_place = place.second;
            group.size = place.size;
        }
        if (group.members.empty() || group.members.back().rank != n) group.members.push_back({n, {}, 0});
        group.members.back().calls.push_back(&call);
    }
    bool is_alike(const timed_call& a, const timed_call& b) const noexcept {
        const call_shape& x = s_.shapes[a.shape];
        const call_shape& y = s_.shapes[b.shape];
        return x.operation == y.operation && x.function == y.function && x.runs_beside == y.runs_beside;
    }
    void compare(call_group& group) {
        if (group.size < 2 || group.members.size() < 2) return;
        const call_group::member& first = group.members.front();
        std::size_t most = first.calls.size();
        group.compared = most;
        for (const call_group::member& m : group.members) {
            most = (std::max)(most, m.calls.size());
            group.compared = (std::min)(group.compared, m.calls.size());
            for (std::size_t k = 0; k < group.compared; ++k)
                if (!is_alike(*first.calls[k], *m.calls[k])) group.compared = k;
        }
        group.differs = group.compared != most;
        std::vector<std::size_t> blocking;
        for (std::size_t k = 0; k != group.compared; ++k)
            if (!s_.shapes[first.calls[k]->shape].runs_beside) blocking.push_back(k);
        if (blocking.empty()) return;
        group.has_offsets = true;
        double least = 0;
        double greatest = 0;
        for (call_group::member& m : group.members) {
            std::vector<double> differences;
            differences.reserve(blocking.size());
            for (const std::size_t k : blocking)
                differences.push_back(static_cast<double>(m.calls[k]->end - first.calls[k]->end));
            m.offset = low_median(std::move(differences));
            farthest_ = (std::max)(farthest_, m.offset < 0 ? -m.offset : m.offset);
            const auto extent = static_cast<double>(m.calls[blocking.back()]->end - m.calls[blocking.front()]->end);
            least = &m == &group.members.front() ? extent : (std::min)(least, extent);
            greatest = &m == &group.members.front() ? extent : (std::max)(greatest, extent);
        }
        if (blocking.size() < 2) return;
        spreads_.push_back(greatest - least);
        extents_.push_back(greatest);
    }

    const summary_state& s_;
    std::map<std::tuple<std::string, std::int64_t, std::int64_t>, call_group> groups_;
    double farthest_ = 0;
    std::vector<double> spreads_;
    std::vector<double> extents_;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
