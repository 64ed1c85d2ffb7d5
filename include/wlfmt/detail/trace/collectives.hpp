// What collectives show about the clocks of their members.
#ifndef WLFMT_DETAIL_TRACE_COLLECTIVES_HPP
#define WLFMT_DETAIL_TRACE_COLLECTIVES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../../types/answers.hpp"
#include "../base/hash.hpp"
#include "../base/ordered_map.hpp"
#include "../oplog/nested.hpp"
#include "../summary/groups.hpp"
#include "time.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Members of a blocking collective leave it together, so that the differences of their ends are those of their clocks.
// The k-th call of a group's kind in one member belongs with the k-th in every other member, as in a summary. Memory
// for each rank is bounded: calls of a kind after the first ones show nothing new about a clock.
class group_ends {
public:
    explicit group_ends(const std::optional<oplog::run_sizes>& sizes) : sizes_(sizes) {
        if (sizes_ && !sizes_->are_possible()) sizes_.reset();
    }

    void add(const oplog::operation& op) {
        if (!sizes_ || op.rank < 0 || op.rank >= sizes_->world) return;
        const trace_time t = time_of(op.timestamp, op.duration);
        if (!t.timed || t.instant) return;
        const std::uint64_t name = hash_of(op.op);
        if (is_collective(op.op)) return add_call(op.rank, kind_of_record(op.group_kind), {t.end, name, true});
        for (const oplog::sub_operation& sub : nested_operations_of(op)) {
            const trace_time n = time_of(sub.timestamp, sub.duration);
            if (!n.timed || n.instant) continue;
            add_call(op.rank, sub.group, {n.end, hash_of(sub.comm_func, name), !runs_beside(sub)});
        }
    }

    // Lower medians over the groups: the time from the first blocking call to the last one, and how much it differs
    // between the members. Ranks that were traced one after the other have a stand-in for each collective: there the
    // times differ, and the ends say nothing about the clocks.
    bool were_together() const {
        std::vector<std::int64_t> spreads;
        std::vector<std::int64_t> extents;
        for_each_group([&](const std::vector<member>& members, const std::vector<std::size_t>& blocking) {
            if (blocking.size() < 2) return;
            const auto extent = [&](const member& m) { return m.end_of(blocking.back()) - m.end_of(blocking.front()); };
            std::int64_t least = extent(members[0]);
            std::int64_t greatest = least;
            for (const member& m : members) {
                least = (std::min)(least, extent(m));
                greatest = (std::max)(greatest, extent(m));
            }
            spreads.push_back(greatest - least);
            extents.push_back(greatest);
        });
        constexpr std::int64_t tenth_of_ms = 100000;
        return !spreads.empty() && low_median(std::move(spreads)) <= tenth_of_ms + low_median(std::move(extents)) / 100;
    }

    // Calls each(group, rank, other rank, differences) with the differences of the ends, other minus rank, of the first
    // member of each group and each other member. Groups come one after the other.
    template <class Each>
    void for_each_pair(const Each& each) const {
        std::size_t group = 0;
        for_each_group([&](const std::vector<member>& members, const std::vector<std::size_t>& blocking) {
            std::vector<std::int64_t> differences(blocking.size());
            for (std::size_t n = 1; n < members.size(); ++n) {
                for (std::size_t k = 0; k != blocking.size(); ++k)
                    differences[k] = members[n].end_of(blocking[k]) - members[0].end_of(blocking[k]);
                each(group, members[0].rank, members[n].rank, differences);
            }
            ++group;
        });
    }

private:
    struct call {
        std::int64_t end;
        std::uint64_t name;  // of its record and its function
        bool blocking;       // false beside computation: members do not leave such a call together
        bool is_like(const call& other) const noexcept { return name == other.name && blocking == other.blocking; }
    };
    struct member {
        std::int64_t rank;
        const std::vector<call>* calls;
        std::int64_t end_of(std::size_t k) const noexcept { return (*calls)[k].end; }
    };
    using group_name = std::tuple<std::size_t, std::int64_t, std::int64_t>;
    static constexpr std::string_view kinds[] = {"tp", "dp", "exp", "ep_dp", "exp_dp", "embedding"};
    static constexpr std::size_t kind_count = sizeof(kinds) / sizeof(kinds[0]);
    static constexpr std::size_t most_calls = 128;

    void add_call(std::int64_t rank, std::string_view kind, const call& one) {
        std::size_t n = 0;
        while (n != kind_count && kinds[n] != kind) ++n;
        if (n == kind_count) return;
        std::vector<call>& calls = calls_[{rank, n}];
        if (calls.size() != most_calls) calls.push_back(one);
    }

    // Calls each(members, blocking calls that all of them have) for each group of several members.
    template <class Each>
    void for_each_group(const Each& each) const {
        ordered_map<group_name, std::vector<member>> groups;
        for (const auto& [name, calls] : calls_) {
            const auto place = place_of(kinds[name.second], name.first, *sizes_);
            if (!place || place->size < 2) continue;
            groups[{name.second, place->first, place->second}].push_back({name.first, &calls});
        }
        for (const auto& [name, members] : groups) {
            const std::vector<call>& first = *members[0].calls;
            std::size_t alike = first.size();
            for (const member& m : members) {
                alike = (std::min)(alike, m.calls->size());
                for (std::size_t k = 0; k < alike; ++k)
                    if (!first[k].is_like((*m.calls)[k])) alike = k;
            }
            std::vector<std::size_t> blocking;
            for (std::size_t k = 0; k != alike; ++k)
                if (first[k].blocking) blocking.push_back(k);
            if (members.size() > 1 && !blocking.empty()) each(members, blocking);
        }
    }

    std::optional<oplog::run_sizes> sizes_;
    ordered_map<std::pair<std::int64_t, std::size_t>, std::vector<call>> calls_;  // by rank and kind
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
