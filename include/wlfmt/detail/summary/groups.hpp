// Which calls of which ranks belong together, and what is kept of them once all members of a group are known.
#ifndef WLFMT_DETAIL_SUMMARY_GROUPS_HPP
#define WLFMT_DETAIL_SUMMARY_GROUPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/answers.hpp"
#include "../../types/oplog.hpp"
#include "../../types/summary.hpp"
#include "../base/ordered_map.hpp"
#include "../oplog/run.hpp"
#include "calls.hpp"
#include "measure.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// The lower median. There is at least one value.
template <class Number>
Number low_median(std::vector<Number> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Within a stage all ranks run the same program: waiting there is imbalance.
inline bool is_within_stage(std::string_view kind) noexcept {
    return kind == "tp" || kind == "dp" || kind == "exp" || kind == "ep_dp" || kind == "exp_dp";
}
// Tracers write the embedding group of a record as `ep`, as they do not in its nested operations.
inline std::string_view kind_of_record(std::string_view group_kind) noexcept {
    return group_kind == "ep" ? std::string_view("embedding") : group_kind;
}
template <class Names>
bool is_embedding(const Names& names, const call_shape& shape) noexcept {
    return shape.position < 0 && names[shape.group] == "ep";
}
inline bool is_pipeline_step(std::string_view op) noexcept {
    return op == "get_batch" || op == "forward_step" || op == "loss_func" || op == "backward_step";
}

inline bool ends_with(std::string_view text, std::string_view end) noexcept {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}
// Whether the record itself is a collective.
inline bool is_collective(std::string_view op) noexcept {
    return ends_with(op, "allreduce") || ends_with(op, "all_reduce");
}
// The duration of such a collective is the time from its launch to the end of the wait for it.
inline bool runs_beside(const oplog::sub_operation& call) noexcept { return ends_with(call.trace_src_func, "_async"); }

struct group_place {
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t size = 0;
};
// The group of a kind that a rank is in; none if the kind is not known. The first stage and the last one share their
// embeddings, so that a rank of a stage between them is in no such group.
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
    if (kind == "embedding" && stage != 0 && stage != of.pipeline - 1) return std::nullopt;
    if (kind == "embedding") return group_place{within, 0, of.pipeline > 1 ? 2 : 1};
    if (kind == "model") return group_place{within / of.tensor, 0, of.tensor * of.pipeline};
    return std::nullopt;
}
// The sizes in the name of a run's file; nothing if it does not tell the world size, or if the sizes do not divide it.
inline std::optional<oplog::run_sizes> sizes_in(std::string_view name) {
    const oplog::file_facts f = facts_in(name);
    if (!f.world_size) return std::nullopt;
    const oplog::run_sizes one{*f.world_size, f.tensor.value_or(1), f.pipeline.value_or(1), f.expert.value_or(1)};
    return one.are_possible() ? std::optional<oplog::run_sizes>(one) : std::nullopt;
}

// Names a group: groups of other sizes are other groups.
struct group_key {
    std::int64_t world = 0;
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t expert = 1;
    std::string kind;
    std::int64_t first = 0;
    std::int64_t second = 0;
    group_key() = default;
    group_key(const std::optional<oplog::run_sizes>& sizes, std::string of_kind, const group_place& place)
        : kind(std::move(of_kind)), first(place.first), second(place.second) {
        if (!sizes) return;
        world = sizes->world;
        tensor = sizes->tensor;
        pipeline = sizes->pipeline;
        expert = sizes->expert;
    }
    friend bool operator<(const group_key& a, const group_key& b) noexcept {
        return std::tie(a.world, a.tensor, a.pipeline, a.expert, a.kind, a.first, a.second) <
               std::tie(b.world, b.tensor, b.pipeline, b.expert, b.kind, b.first, b.second);
    }
};

// What is known of a whole group. Times are in millionths of a millisecond.
struct group_facts {
    // The bytes that a rank sends in all-to-all calls, and those of calls in which the members send different amounts.
    struct sent_bytes {
        std::int64_t rank = 0;
        compact_wide all;
        compact_wide varying;
    };
    bool differs = false;      // after some calls that are alike, the members have different ones
    bool has_offsets = false;  // how far the members' clocks are apart is known
    std::int64_t farthest = 0;
    std::int64_t spread = no_number;  // of the time from the first blocking call to the last one, over the members
    std::int64_t extent = no_number;  // the longest such time
    std::vector<sent_bytes> sent;     // empty: nothing is sent from all to all
    bool any_varying = false;
    // The least even call: the most bytes of a member, those of all members, and how many have it.
    std::int64_t worst_most = 0;
    compact_wide worst_sum;
    std::int64_t worst_count = 0;
};

// When the members of the groups of one kind arrive at their blocking calls, and leave them.
struct leave_times {
    oplog::measure<6> leave;   // how far apart the members' ends are
    oplog::measure<6> arrive;  // and their beginnings
    void merge(const leave_times& more) {
        leave.merge(more.leave);
        arrive.merge(more.arrive);
    }
};

// The calls of one group: those of all its members, or of the members that are known.
struct call_group {
    struct member {
        std::int64_t rank;
        std::vector<const timed_call*> calls;
        double offset = 0;  // of its clock to that of the first member
    };
    std::string kind;
    std::int64_t size = 0;  // 0: not known
    std::vector<member> members;
};

struct folded_group {
    group_facts facts;
    leave_times leaving;
    std::vector<kind_of_calls> sums;  // of each member; their `group` is not set
};

// Finds what a group's calls tell about the group and about each member. It depends on these calls alone.
class group_folding {
public:
    template <class Names>
    static folded_group fold(const call_shapes& shapes, const Names& names, call_group& group) {
        return std::move(group_folding(shapes, names, group).to_);
    }

private:
    template <class Names>
    group_folding(const call_shapes& shapes, const Names& names, call_group& group) : shapes_(shapes), group_(group) {
        to_.sums.resize(group.members.size());
        operations_.resize(group.members.size());
        compare();
        std::vector<double> blocking(group.members.size());
        for (std::size_t k = 0; k != compared_; ++k) add_compared(k, blocking);
        for (std::size_t n = 0; n != group.members.size(); ++n)
            for (std::size_t k = 0; k != group.members[n].calls.size(); ++k) count(n, *group.members[n].calls[k]);
        if (compared_ != 0) {
            const double least = *std::min_element(blocking.begin(), blocking.end());
            for (std::size_t n = 0; n != blocking.size(); ++n) to_.sums[n].waiting_least += whole(blocking[n] - least);
        }
        for (std::size_t n = 0; n != operations_.size(); ++n) {
            to_.sums[n].operations.reserve(operations_[n].size());
            for (const auto& [operation, sums] : operations_[n]) to_.sums[n].operations.push_back(sums);
        }
        add_bytes([&](const call_shape& shape) { return names[shape.function] == "all_to_all"; });
    }

    // The sums of the n-th member over records of one operation.
    kind_of_calls::sums& sums_of(std::size_t n, std::uint32_t operation) {
        kind_of_calls::sums& to = operations_[n][operation];
        to.operation = operation;
        return to;
    }
    bool runs_beside(const timed_call& call) const noexcept { return shapes_[call.shape].runs_beside; }
    bool is_alike(const timed_call& a, const timed_call& b) const noexcept {
        const call_shape& x = shapes_[a.shape];
        const call_shape& y = shapes_[b.shape];
        return x.operation == y.operation && x.function == y.function && x.runs_beside == y.runs_beside;
    }
    void compare() {
        if (group_.size < 2 || group_.members.size() < 2) return;
        const call_group::member& first = group_.members.front();
        std::size_t most = first.calls.size();
        compared_ = most;
        for (const call_group::member& m : group_.members) {
            most = (std::max)(most, m.calls.size());
            compared_ = (std::min)(compared_, m.calls.size());
            for (std::size_t k = 0; k < compared_; ++k)
                if (!is_alike(*first.calls[k], *m.calls[k])) compared_ = k;
        }
        to_.facts.differs = compared_ != most;
        std::vector<std::size_t> blocking;
        for (std::size_t k = 0; k != compared_; ++k)
            if (!runs_beside(*first.calls[k])) blocking.push_back(k);
        if (blocking.empty()) return;
        to_.facts.has_offsets = true;
        std::int64_t least = 0;
        std::int64_t greatest = 0;
        for (call_group::member& m : group_.members) {
            std::vector<double> differences;
            differences.reserve(blocking.size());
            for (const std::size_t k : blocking)
                differences.push_back(static_cast<double>(m.calls[k]->end - first.calls[k]->end));
            m.offset = low_median(std::move(differences));
            to_.facts.farthest = (std::max)(to_.facts.farthest, whole(m.offset < 0 ? -m.offset : m.offset));
            const std::int64_t extent = m.calls[blocking.back()]->end - m.calls[blocking.front()]->end;
            least = &m == &group_.members.front() ? extent : (std::min)(least, extent);
            greatest = &m == &group_.members.front() ? extent : (std::max)(greatest, extent);
        }
        if (blocking.size() < 2) return;
        to_.facts.spread = whole(static_cast<double>(greatest) - static_cast<double>(least));
        to_.facts.extent = greatest;
    }
    double start_of(const call_group::member& m, std::size_t k) const noexcept {
        // The integers are subtracted before they become a double, which has too few digits for times since a machine's
        // start.
        const timed_call& reference = *group_.members.front().calls[0];
        const timed_call& call = *m.calls[k];
        return static_cast<double>(call.end - reference.end) - static_cast<double>(call.duration) - m.offset;
    }

    // Compares the k-th calls of all members.
    void add_compared(std::size_t k, std::vector<double>& blocking) {
        const bool beside = runs_beside(*group_.members[0].calls[k]);
        std::int64_t least = 0;
        double last_start = 0;  // by the clock of the first member
        std::size_t late = 0;
        std::int64_t first_end = 0;
        std::int64_t last_end = 0;
        for (std::size_t n = 0; n != group_.members.size(); ++n) {
            const call_group::member& m = group_.members[n];
            const timed_call& call = *m.calls[k];
            const double start = start_of(m, k);
            if (n != 0 && (beside ? start > last_start : call.duration < least)) late = n;
            least = n == 0 ? call.duration : (std::min)(least, call.duration);
            last_start = n == 0 ? start : (std::max)(last_start, start);
            first_end = n == 0 ? call.end : (std::min)(first_end, call.end);
            last_end = n == 0 ? call.end : (std::max)(last_end, call.end);
        }
        std::int64_t first_start = 0;
        std::int64_t greatest_start = 0;
        for (std::size_t n = 0; n != group_.members.size(); ++n) {
            const call_group::member& m = group_.members[n];
            const timed_call& call = *m.calls[k];
            constexpr std::int64_t bound = most_measured / 2;
            const std::int64_t start = (std::min)((std::max)(call.end - call.duration, -bound), bound);
            first_start = n == 0 ? start : (std::min)(first_start, start);
            greatest_start = n == 0 ? start : (std::max)(greatest_start, start);
            kind_of_calls::sums& to = sums_of(n, shapes_[call.shape].operation);
            kind_of_calls::sums& of_late = sums_of(late, shapes_[group_.members[late].calls[k]->shape].operation);
            const auto duration = static_cast<double>(call.duration);
            const double waiting = duration - static_cast<double>(least);
            if (!beside) {
                blocking[n] += duration;
                to.waiting += whole(waiting);
                of_late.caused += whole(waiting);
                of_late.late += late == n ? 1U : 0U;
                continue;
            }
            const double most = (std::min)(duration, (std::max)(0.0, last_start - start_of(m, k)));
            const double by_clock = (std::min)(waiting, most);
            to.beside_waiting += whole(waiting);
            to.clocked_waiting += whole(by_clock);
            to.clocked_most += whole(most);
            of_late.clocked_caused += whole(by_clock);
            of_late.clocked_late += late == n ? 1U : 0U;
        }
        if (beside) return;
        static_cast<void>(to_.leaving.leave.add(last_end - first_end));
        static_cast<void>(to_.leaving.arrive.add(greatest_start - first_start));
    }
    // Differences of times are whole numbers, and only a contrived log has some that are out of bounds.
    static std::int64_t whole(double v) noexcept {
        constexpr auto most = static_cast<double>(most_measured);
        return static_cast<std::int64_t>((std::min)((std::max)(v, -most), most));
    }
    void count(std::size_t n, const timed_call& call) {
        const call_shape& shape = shapes_[call.shape];
        kind_of_calls::sums& to = sums_of(n, shape.operation);
        ++to.calls;
        to.bytes += shape.bytes;
        to.nested = shape.position >= 0;
        (shape.runs_beside ? to.beside : to.blocking) += call.duration;
    }
    // For each operation and position in it, the bytes of each member that has such calls.
    template <class IsAllToAll>
    void add_bytes(const IsAllToAll& is_all_to_all) {
        if (group_.size < 2 || group_.members.size() < 2) return;
        ordered_map<std::pair<std::uint32_t, std::int32_t>, ordered_map<std::size_t, std::int64_t>> sent;
        constexpr std::int64_t most = most_measured;
        for (std::size_t n = 0; n != group_.members.size(); ++n)
            for (const timed_call* call : group_.members[n].calls) {
                const call_shape& shape = shapes_[call->shape];
                if (!is_all_to_all(shape)) continue;
                std::int64_t& to = sent[{shape.operation, shape.position}][n];
                to = shape.bytes > most - to ? most : to + shape.bytes;
            }
        if (sent.empty()) return;
        to_.facts.sent.resize(group_.members.size());
        for (std::size_t n = 0; n != group_.members.size(); ++n) to_.facts.sent[n].rank = group_.members[n].rank;
        double worst = 0;
        for (const auto& [place, bytes] : sent) {
            bool differ = false;
            std::int64_t greatest = 0;
            compact_wide sum;
            for (const auto& [n, b] : bytes) {
                differ = differ || b != bytes.begin()->second;
                greatest = (std::max)(greatest, b);
                sum += b;
            }
            to_.facts.any_varying = to_.facts.any_varying || differ;
            for (const auto& [n, b] : bytes) {
                to_.facts.sent[n].all += b;
                if (differ) to_.facts.sent[n].varying += b;
            }
            const double total = sum.value().as_double();
            const double ratio =
                total > 0 ? static_cast<double>(greatest) * static_cast<double>(bytes.size()) / total : 1;
            if (ratio < worst || (ratio == worst && greatest <= to_.facts.worst_most)) continue;
            worst = ratio;
            to_.facts.worst_most = greatest;
            to_.facts.worst_sum = sum;
            to_.facts.worst_count = static_cast<std::int64_t>(bytes.size());
        }
    }

    const call_shapes& shapes_;
    call_group& group_;
    std::size_t compared_ = 0;  // the number of calls, from the first, that are alike in all members
    folded_group to_;
    std::vector<ordered_map<std::uint32_t, kind_of_calls::sums>> operations_;  // of each member
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
