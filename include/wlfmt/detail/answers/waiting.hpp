// Divides the time of a rank into work, transfer and waiting.
#ifndef WLFMT_DETAIL_ANSWERS_WAITING_HPP
#define WLFMT_DETAIL_ANSWERS_WAITING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../base/ordered_map.hpp"
#include "../summary/state.hpp"
#include "groups.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

class waiting_analysis {
public:
    waiting_analysis(const summary_state& s, std::vector<analysed_rank>& ranks,
                     const std::optional<oplog::run_sizes>& sizes)
        : s_(s), ranks_(ranks), groups_(s, ranks, sizes) {
        judge_clocks();
        find_floors();
        for (analysed_rank& r : ranks_) {
            for (const auto& [kind, calls] : r.calls) add_calls(r, kind, *calls, sizes);
            add_messages(r);
            add_work(r);
        }
    }

    bool common_moment = false;
    bool together = false;
    bool same_clock = false;
    ordered_map<std::int64_t, std::int64_t> floors;  // by bytes, the least duration of a message
    std::set<std::string> alone;                     // kinds of groups of one
    const collective_groups& groups() const noexcept { return groups_; }
    // For each group, the time from its first blocking call to its last: how much the members' times differ, and the
    // longest.
    std::vector<double> spreads;
    std::vector<double> extents;

private:
    void judge_clocks() {
        std::int64_t last_begin = no_number;
        std::int64_t first_end = (std::numeric_limits<std::int64_t>::max)();
        bool any_message = false;
        for (const analysed_rank& r : ranks_) {
            last_begin = (std::max)(last_begin, r.kept->first);
            first_end = (std::min)(first_end, r.kept->last);
            any_message = any_message || !r.kept->sent.empty();
        }
        std::int64_t farthest = 0;
        for (const auto& [key, group] : groups_.all()) {
            farthest = (std::max)(farthest, group.facts.farthest);
            if (group.facts.spread == no_number) continue;
            spreads.push_back(static_cast<double>(group.facts.spread));
            extents.push_back(static_cast<double>(group.facts.extent));
        }
        common_moment = last_begin < first_end;
        together = common_moment || any_message;
        // Members that ran together need the same time, within 0.1 ms and 1 %.
        if (!spreads.empty()) together = low_median(spreads) <= 0.1e6 + 0.01 * low_median(extents);
        same_clock = common_moment && farthest < 1000000;
    }
    void find_floors() {
        for (const analysed_rank& r : ranks_)
            for (const auto& [key, m] : r.kept->sent) {
                const auto at = floors.try_emplace(key.second, m.least).first;
                at->second = (std::min)(at->second, m.least);
            }
    }

    static double number_of(const compact_wide& v) { return v.value().as_double(); }
    // Adds the calls that a rank has in groups of one kind. Where the ranks were not traced together, or where it is
    // not known which of them form a group, no part of a call counts as waiting.
    void add_calls(analysed_rank& r, const std::string& kind, const kind_of_calls& calls,
                   const std::optional<oplog::run_sizes>& sizes) {
        const auto place = sizes ? place_of(kind, r.rank, *sizes) : std::nullopt;
        const std::int64_t size = place ? place->size : 0;
        if (size == 1) alone.insert(kind);
        const bool is_compared = together && size > 1;
        bool clocks = same_clock;
        if (is_compared) {
            const auto at = groups_.all().find(group_key(sizes, kind, *place));
            clocks = clocks || (at != groups_.all().end() && at->second.facts.has_offsets);
        }
        kind_sums& to = r.kinds[kind];
        if (is_compared && kind != "model") to.waiting_least += number_of(calls.waiting_least);
        for (const kind_of_calls::sums& one : calls.operations) {
            to.calls += one.calls;
            to.bytes += number_of(one.bytes);
            if (one.nested) {
                r.nested_bytes += number_of(one.bytes);
                r.nested_calls += one.calls;
            }
            if (is_compared && is_within_stage(kind)) {
                const std::uint64_t late = one.late + (clocks ? one.clocked_late : 0);
                r.caused += number_of(one.caused) + (clocks ? number_of(one.clocked_caused) : 0);
                r.late += late;
                to.late += late;
            }
            add_times(r, kind, one, size, is_compared ? waiting_of(one, clocks) : waiting_times());
        }
    }
    struct waiting_times {
        double blocking = 0;
        double beside = 0;
        double most_beside = 0;
    };
    static waiting_times waiting_of(const kind_of_calls::sums& of, bool clocks) {
        const double beside = number_of(clocks ? of.clocked_waiting : of.beside_waiting);
        return {number_of(of.waiting), beside, clocks ? number_of(of.clocked_most) : beside};
    }
    void add_times(analysed_rank& r, const std::string& kind, const kind_of_calls::sums& from, std::int64_t size,
                   const waiting_times& waiting) {
        const std::string& operation = s_.names[from.operation];
        const double blocking = number_of(from.blocking);
        const double beside = number_of(from.beside);
        const double all_waiting = waiting.blocking + waiting.beside;
        operation_sums& of = r.operations[operation];
        of.waiting += all_waiting;
        if (is_within_stage(kind) && is_pipeline_step(operation)) r.uneven += all_waiting;
        kind_sums& to = r.kinds[kind];
        if (kind == "model") {
            r.optimizer_waiting += all_waiting;
            to.waiting += all_waiting;
            return;
        }
        if (size == 1) {
            if (!from.nested) r.local += blocking + beside;
            r.alone += blocking + beside;
            return;
        }
        to.waiting += all_waiting;
        to.overlapped += beside - waiting.beside;
        to.waiting_more += waiting.most_beside - waiting.beside;
        const double transfer = blocking - waiting.blocking;
        of.transfer += transfer;
        (together && size != 0 ? to.transfer : to.undivided) += transfer;
        r.nested_blocking += waiting.beside + (from.nested ? blocking : 0);
    }
    void add_messages(analysed_rank& r) const {
        for (const auto& [key, m] : r.kept->sent) {
            if (m.count == 0) continue;
            const auto count = static_cast<double>(m.count);
            const double time = m.time.value().as_double();
            const double floor = count * static_cast<double>(floors.at(key.second));
            const double waiting = together ? time - floor : 0;
            kind_sums& to = r.kinds["pp"];
            to.calls += static_cast<std::uint64_t>(m.count);
            to.bytes += count * static_cast<double>(key.second);
            to.waiting += waiting;
            (together ? to.transfer : to.undivided) += time - waiting;
            operation_sums& of = r.operations[s_.names[key.first]];
            of.waiting += waiting;
            of.transfer += time - waiting;
        }
    }
    void add_work(analysed_rank& r) const {
        double computation = 0;
        for (const auto& [id, sum] : r.kept->times) {
            const std::string& name = s_.names[id];
            const double time = sum.value().as_double();
            r.operations[name].time += time;
            const bool moves = timed_message::kind_of(name) != timed_message::kind::none || is_collective(name);
            if (!moves) computation += time;
        }
        r.work = computation - r.nested_blocking - r.optimizer_waiting + r.local;
    }

    const summary_state& s_;
    std::vector<analysed_rank>& ranks_;
    collective_groups groups_;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
