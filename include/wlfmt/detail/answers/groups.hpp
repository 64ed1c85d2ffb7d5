// The groups of a run, and what its summary says of their calls.
#ifndef WLFMT_DETAIL_ANSWERS_GROUPS_HPP
#define WLFMT_DETAIL_ANSWERS_GROUPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/ordered_map.hpp"
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
    ordered_map<std::string, kind_sums> kinds;
    ordered_map<std::string, operation_sums> operations;
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
    std::vector<std::pair<std::string, const kind_of_calls*>> calls;  // by kind of group
};
class collective_groups {
public:
    struct known_group {
        std::int64_t size = 0;    // 0: not known
        std::size_t members = 0;  // whose calls are known
        group_facts facts = {};
    };
    collective_groups(const summary_state& s, std::vector<analysed_rank>& ranks,
                      const std::optional<oplog::run_sizes>& sizes)
        : leaving_(s.leaving) {
        for (analysed_rank& r : ranks)
            for (const kind_of_calls& kind : r.kept->folded) {
                r.calls.emplace_back(s.names[kind.group], &kind);
                add_folded(s, r.rank, s.names[kind.group], sizes);
            }
        fold_rest(s, ranks, sizes);
        for (analysed_rank& r : ranks) std::sort(r.calls.begin(), r.calls.end());
    }
    // Ordered by kind and place.
    const ordered_map<group_key, known_group>& all() const noexcept { return groups_; }
    const ordered_map<std::string, leave_times>& leaving() const noexcept { return leaving_; }

private:
    void add_folded(const summary_state& s, std::int64_t rank, const std::string& kind,
                    const std::optional<oplog::run_sizes>& sizes) {
        const auto place = sizes ? place_of(kind, rank, *sizes) : std::nullopt;
        if (!place || place->size < 2) return;
        const group_key key(sizes, kind, *place);
        const auto facts = s.groups.find(key);
        known_group& group = groups_[key];
        group.size = place->size;
        ++group.members;
        if (facts != s.groups.end() && group.members == 1) group.facts = facts->second;
    }
    // Folds the other groups: those that lack members, and those whose sizes the names of the texts do not tell.
    void fold_rest(const summary_state& s, std::vector<analysed_rank>& ranks,
                   const std::optional<oplog::run_sizes>& sizes) {
        ordered_map<group_key, call_group> rest;
        for (const analysed_rank& r : ranks)
            for (const timed_call& call : r.kept->calls) {
                const call_shape& shape = s.shapes[call.shape];
                std::string kind = is_embedding(s.names, shape) ? "embedding" : s.names[shape.group];
                const auto place = sizes ? place_of(kind, r.rank, *sizes) : std::nullopt;
                call_group& group = rest[group_key(sizes, kind, place.value_or(group_place()))];
                group.kind = std::move(kind);
                if (place) group.size = place->size;
                if (group.members.empty() || group.members.back().rank != r.rank)
                    group.members.push_back({r.rank, {}, 0});
                group.members.back().calls.push_back(&call);
            }
        for (auto& [key, group] : rest) {
            folded_.push_back(group_folding::fold(s.shapes, s.names, group));
            folded_group& found = folded_.back();
            for (std::size_t n = 0; n != group.members.size(); ++n) {
                const auto at =
                    std::lower_bound(ranks.begin(), ranks.end(), group.members[n].rank,
                                     [](const analysed_rank& r, std::int64_t rank) { return r.rank < rank; });
                at->calls.emplace_back(group.kind, &found.sums[n]);
            }
            leaving_[group.kind].merge(found.leaving);
            known_group& known = groups_[key];
            known.size = group.size;
            known.members = group.members.size();
            known.facts = std::move(found.facts);
        }
    }

    ordered_map<group_key, known_group> groups_;
    ordered_map<std::string, leave_times> leaving_;
    std::deque<folded_group> folded_;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
