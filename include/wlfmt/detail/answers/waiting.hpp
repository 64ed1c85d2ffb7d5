// What of a rank's time is work, transfer and waiting.
#ifndef WLFMT_DETAIL_ANSWERS_WAITING_HPP
#define WLFMT_DETAIL_ANSWERS_WAITING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
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
        for (const auto& [key, group] : groups_.all()) add_group(group);
        for (analysed_rank& r : ranks_) {
            add_messages(r);
            add_work(r);
        }
    }

    bool common_moment = false;
    bool together = false;
    bool same_clock = false;
    std::map<std::int64_t, std::int64_t> floors;  // by bytes, the least duration of a message
    std::set<std::string> alone;                  // kinds of groups of one
    const call_groups& groups() const noexcept { return groups_; }

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
        common_moment = last_begin < first_end;
        together = common_moment || any_message;
        // 0.1 ms and a hundredth of the time.
        if (!groups_.spreads().empty())
            together = low_median(groups_.spreads()) <= 0.1e6 + 0.01 * low_median(groups_.extents());
        same_clock = common_moment && groups_.farthest() < 1e6;
    }
    void find_floors() {
        for (const analysed_rank& r : ranks_)
            for (const rank_calls::messages& m : r.kept->sent) {
                const auto at = floors.emplace(m.bytes, m.least).first;
                at->second = (std::min)(at->second, m.least);
            }
    }

    // One call of all members of a group, as far as they are compared.
    struct compared_call {
        double least = 0;       // duration
        double last_start = 0;  // by the clock of the first member
        std::size_t late = 0;   // the rank that came last
        bool late_known = false;
    };
    compared_call compare(const call_group& group, std::size_t k, bool clocks) const {
        compared_call to;
        const bool beside = s_.shapes[group.members[0].calls[k]->shape].runs_beside;
        for (const call_group::member& m : group.members) {
            const bool first = &m == &group.members.front();
            const auto duration = static_cast<double>(m.calls[k]->duration);
            const double start = start_of(group, m, k);
            if (!beside && (first || duration < to.least)) to.late = m.rank;
            if (beside && (first || start > to.last_start)) to.late = m.rank;
            to.least = first ? duration : (std::min)(to.least, duration);
            to.last_start = first ? start : (std::max)(to.last_start, start);
        }
        to.late_known = !beside || clocks;
        return to;
    }
    static double start_of(const call_group& group, const call_group::member& m, std::size_t k) noexcept {
        // A difference of integers first: times since a machine's start have more digits than a double.
        const timed_call& reference = *group.members.front().calls[0];
        const timed_call& call = *m.calls[k];
        return static_cast<double>(call.end - reference.end) - static_cast<double>(call.duration) - m.offset;
    }

    void add_group(const call_group& group) {
        if (group.size == 1) alone.insert(group.kind);
        const bool clocks = group.has_offsets || same_clock;
        std::vector<double> blocking(group.members.size());
        for (std::size_t n = 0; n != group.members.size(); ++n)
            for (const timed_call* call : group.members[n].calls) count(group, ranks_[group.members[n].rank], *call);
        const bool is_compared = together && group.compared != 0;
        for (std::size_t k = 0; is_compared && k != group.compared; ++k) {
            const compared_call of = compare(group, k, clocks);
            for (std::size_t n = 0; n != group.members.size(); ++n) {
                const call_group::member& m = group.members[n];
                const timed_call& call = *m.calls[k];
                const bool beside = s_.shapes[call.shape].runs_beside;
                const auto duration = static_cast<double>(call.duration);
                double waiting = duration - of.least;
                double most = waiting;
                if (beside && clocks) {
                    most = (std::min)(duration, (std::max)(0.0, of.last_start - start_of(group, m, k)));
                    waiting = (std::min)(waiting, most);
                }
                if (!beside) blocking[n] += duration;
                if (is_within_stage(group.kind) && of.late_known) {
                    ranks_[of.late].caused += waiting;
                    if (of.late == m.rank) {
                        ++ranks_[m.rank].late;
                        ++ranks_[m.rank].kinds[group.kind].late;
                    }
                }
                add_call(group, ranks_[m.rank], call, waiting, most);
            }
        }
        for (const call_group::member& m : group.members)
            for (std::size_t k = is_compared ? group.compared : 0; k != m.calls.size(); ++k)
                add_call(group, ranks_[m.rank], *m.calls[k], 0, 0);
        if (!is_compared || group.kind == "model") return;
        const double least = *std::min_element(blocking.begin(), blocking.end());
        for (std::size_t n = 0; n != blocking.size(); ++n)
            ranks_[group.members[n].rank].kinds[group.kind].waiting_least += blocking[n] - least;
    }
    void count(const call_group& group, analysed_rank& r, const timed_call& call) const {
        const call_shape& shape = s_.shapes[call.shape];
        kind_sums& to = r.kinds[group.kind];
        ++to.calls;
        to.bytes += static_cast<double>(shape.bytes);
        if (shape.position < 0) return;
        r.nested_bytes += static_cast<double>(shape.bytes);
        ++r.nested_calls;
    }
    void add_call(const call_group& group, analysed_rank& r, const timed_call& call, double waiting, double most) {
        const call_shape& shape = s_.shapes[call.shape];
        const std::string& operation = s_.names[shape.operation];
        const auto duration = static_cast<double>(call.duration);
        const bool nested = shape.position >= 0;
        operation_sums& of = r.operations[operation];
        of.waiting += waiting;
        if (is_within_stage(group.kind) && is_pipeline_step(operation)) r.uneven += waiting;
        kind_sums& to = r.kinds[group.kind];
        if (group.kind == "model") {
            r.optimizer_waiting += waiting;
            to.waiting += waiting;
        } else if (group.size == 1) {
            if (!nested) r.local += duration;
            r.alone += duration;
        } else if (shape.runs_beside) {
            to.waiting += waiting;
            to.overlapped += duration - waiting;
            to.waiting_more += most - waiting;
            r.nested_blocking += waiting;
        } else {
            of.transfer += duration - waiting;
            to.waiting += waiting;
            (together && group.size != 0 ? to.transfer : to.undivided) += duration - waiting;
            if (nested) r.nested_blocking += duration;
        }
    }
    void add_messages(analysed_rank& r) const {
        for (const rank_calls::messages& m : r.kept->sent) {
            if (m.count == 0) continue;
            const auto count = static_cast<double>(m.count);
            const double time = m.time.value().as_double();
            const double floor = count * static_cast<double>(floors.at(m.bytes));
            const double waiting = together ? time - floor : 0;
            kind_sums& to = r.kinds["pp"];
            to.calls += static_cast<std::uint64_t>(m.count);
            to.bytes += count * static_cast<double>(m.bytes);
            to.waiting += waiting;
            (together ? to.transfer : to.undivided) += time - waiting;
            operation_sums& of = r.operations[s_.names[m.operation]];
            of.waiting += waiting;
            of.transfer += time - waiting;
        }
    }
    static bool ends_with(std::string_view text, std::string_view end) noexcept {
        return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
    }
    void add_work(analysed_rank& r) const {
        double computation = 0;
        for (const rank_calls::operation_time& t : r.kept->times) {
            const std::string& name = s_.names[t.operation];
            const double time = t.time.value().as_double();
            r.operations[name].time += time;
            const bool moves = timed_message::kind_of(name) != timed_message::kind::none ||
                               ends_with(name, "allreduce") || ends_with(name, "all_reduce");
            if (!moves) computation += time;
        }
        r.work = computation - r.nested_blocking - r.optimizer_waiting + r.local;
    }

    const summary_state& s_;
    std::vector<analysed_rank>& ranks_;
    call_groups groups_;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
