// How fast the blocking calls of a run move bytes.
#ifndef WLFMT_DETAIL_ANSWERS_BANDWIDTH_HPP
#define WLFMT_DETAIL_ANSWERS_BANDWIDTH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/order.hpp"
#include "../oplog/operations.hpp"
#include "../summary/ordered_map.hpp"
#include "rank.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// What nccl-tests multiply the bandwidth of an algorithm with, so that it can be compared with that of the links: of
// the bytes that one of n ranks gives.
inline std::optional<double> bus_factor(oplog::collective what, double n) noexcept {
    switch (what) {
    case oplog::collective::allreduce: return 2 * (n - 1) / n;
    case oplog::collective::all_to_all:
    case oplog::collective::reduce_scatter: return (n - 1) / n;
    case oplog::collective::allgather: return n - 1;  // each rank gives an n-th of all bytes
    case oplog::collective::broadcast: return 1.0;
    default: return std::nullopt;
    }
}

// The rows of run_answers::bandwidth. Linear in calls, but for the sorting of each row's times.
inline std::vector<oplog::bandwidth_answer> bandwidth_of(const oplog::run_answers& a) {
    using step = oplog::program_step;
    using row = oplog::bandwidth_answer;
    using words = oplog_operations<build>;
    struct calls_of_row {
        double bytes = 0;
        std::int64_t ranks = 0;
        std::vector<double> times;
    };
    // By kind of group, name of the collective, bytes, place and size of the group.
    using key = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, oplog::group_of_ranks::place, std::int64_t>;
    ordered_map<key, calls_of_row> rows;
    for (const oplog::group_call& call : a.calls) {
        const auto step_of = [&](std::size_t n) -> const step& {
            const oplog::call_member& member = a.members[call.first_member + n];
            return a.ranks[member.rank].program[member.step];
        };
        if (!call.is_known || call.members < 2 || step_of(0).what != step::kind::collective) continue;
        const step& first = step_of(0);
        std::int64_t size = first.bytes;
        double bytes = 0;
        for (std::size_t n = 0; n != call.members; ++n) {
            const std::int64_t own = step_of(n).bytes;
            if (own < 0) size = row::untold;
            else if (own != size && size >= 0) size = row::differs;
            bytes += static_cast<double>(own);
        }
        const oplog::group_of_ranks& group = a.groups_of_ranks[call.group];
        calls_of_row& to =
            rows[{first.group, first.nested ? first.function : first.operation, size, group.where, group.size}];
        if (size != row::untold) to.bytes += bytes / call.members;
        to.times.push_back(call.transfer);
    }
    std::vector<row> answer;
    for (auto& [of, calls] : rows) {
        const auto& [group, function, size, where, ranks] = of;
        row one;
        one.group = a.names[group];
        one.function = a.names[function];
        one.size = size;
        one.ranks = ranks;
        one.calls = calls.times.size();
        one.bytes = calls.bytes;
        one.least_transfer = calls.times[0];
        for (const double t : calls.times) {
            one.transfer += t;
            one.least_transfer = (std::min)(one.least_transfer, t);
        }
        one.median_transfer = low_median(std::move(calls.times));
        one.where = where;
        one.is_partial = lacks_calls(a, one.group);
        const oplog::collective what = words::facts_of(one.function).collective;
        if (size != row::untold && one.transfer > 0) {
            one.algorithm = one.bytes / one.transfer / 1e6;
            if (const auto factor = bus_factor(what, static_cast<double>(ranks))) one.bus = *one.algorithm * *factor;
        }
        answer.push_back(std::move(one));
    }
    sort_list(answer, [](const row& x, const row& y) {
        return std::tie(x.group, x.function, x.size, x.where, x.ranks) <
               std::tie(y.group, y.function, y.size, y.where, y.ranks);
    });
    return answer;
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
