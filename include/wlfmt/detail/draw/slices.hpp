// A rank's time as slices of six classes, which pictures and pages draw: what answers.hpp says, and nothing else.
#ifndef WLFMT_DETAIL_DRAW_SLICES_HPP
#define WLFMT_DETAIL_DRAW_SLICES_HPP

#include <array>

#include "../../types/answers.hpp"
#include "../base/order.hpp"
#include "../summary/ordered_map.hpp"
#include "text.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The parts of a rank's time, in the order in which they are drawn. A row that lacks something does not compile.
struct time_class {
    std::string_view colour;  // its class in svg.hpp
    std::string_view name;
    std::string_view within;  // as a sentence has it: `75 % is ...`
    double oplog::time_account::*part;
    oplog::limit oplog::time_account::*limited;  // null: never a limit
};
enum : std::size_t { work_class, transfer_class, stage_class, pipeline_class, gap_class, unknown_class, time_classes };
inline constexpr time_class classes_of_time[time_classes] = {
    {"work", "work", "work", &oplog::time_account::work, &oplog::time_account::work_limit},
    {"transfer", "transfer", "transfer", &oplog::time_account::transfer, &oplog::time_account::transfer_limit},
    {"stage", "waiting in the stage", "waiting inside stages", &oplog::time_account::stage_waiting,
     &oplog::time_account::stage_limit},
    {"pipeline", "waiting for the pipeline", "waiting for the pipeline", &oplog::time_account::pipeline_waiting,
     &oplog::time_account::pipeline_limit},
    {"gap", "gaps", "gaps between records", &oplog::time_account::gaps, &oplog::time_account::gaps_limit},
    {"unknown", "unknown", "unknown", &oplog::time_account::unknown, nullptr}};

inline oplog::limit limit_of(const oplog::time_account& a, std::size_t which) noexcept {
    const auto limited = classes_of_time[which].limited;
    return limited == nullptr ? oplog::limit::exact : a.*limited;
}

struct time_slice {
    double begin;  // milliseconds since the rank's first record
    double end;
    std::size_t which;              // of classes_of_time
    const oplog::program_step* of;  // of a gap, the step after it
    bool waits() const noexcept { return which == stage_class || which == pipeline_class; }
};

// In the order of time, a slice for each part of a step that has a length, and for each gap.
inline std::vector<time_slice> slices_of(const oplog::rank_answer& rank) {
    std::vector<time_slice> to;
    const auto add = [&](double begin, double end, std::size_t which, const oplog::program_step& of) {
        if (end > begin) to.push_back({begin, end, which, &of});
    };
    // What a step waits, moves, and what of it is unknown, from `at` on.
    const auto add_parts = [&](double at, const oplog::program_step& of) {
        add(at, at + of.waiting, of.in_stage ? stage_class : pipeline_class, of);
        at += of.waiting;
        add(at, at + of.transfer, transfer_class, of);
        at += of.transfer;
        add(at, at + of.unknown, unknown_class, of);
        return at + of.unknown;
    };
    const auto& steps = rank.program;
    double last = 0;
    for (std::size_t n = 0; n != steps.size();) {
        const oplog::program_step& record = steps[n];
        add(last, record.start, gap_class, record);
        const double end = record.start + record.duration;
        double at = add_parts(record.start, record);
        for (++n; n != steps.size() && steps[n].nested; ++n) {
            const oplog::program_step& call = steps[n];
            if (call.alone) continue;
            const bool beside = call.what == oplog::program_step::kind::asynchronous;
            // An asynchronous call waits at its end; before that its record computes.
            const double own = call.waiting + call.transfer + call.unknown;
            const double begin = (std::max)(at, beside ? call.start + call.duration - own : call.start);
            add(at, begin, work_class, record);
            at = add_parts(begin, call);
        }
        add(at, end, work_class, record);
        last = (std::max)({last, at, end});
    }
    return to;
}

// What a slice shows: `forward_step, tp allreduce, 80.0 MiB`.
inline std::string label_of(const oplog::run_answers& a, const time_slice& s) {
    const oplog::program_step& step = *s.of;
    const auto name = [&](std::uint32_t n) { return n < a.names.size() ? shortened(a.names[n], 100) : std::string(); };
    if (s.which == gap_class) return "before " + name(step.operation);
    std::string to = name(step.operation);
    if (step.nested) append(to, {", ", name(step.group), " ", name(step.function)});
    if (step.bytes >= 0 && s.which != work_class) append(to, {", ", bytes_text(static_cast<double>(step.bytes))});
    return to;
}

// The places of the ranks in the answers, by stage.
inline std::vector<std::size_t> ranks_by_stage(const oplog::run_answers& a) {
    std::vector<std::size_t> order = positions_of(a.ranks.size());
    sort_list(order, [&](std::size_t x, std::size_t y) {
        return a.ranks[x].stage.value_or(-1) < a.ranks[y].stage.value_or(-1);
    });
    return order;
}

// Where the ranks' lanes begin on a common axis, in milliseconds: 0 for the first rank whose clock can be compared.
struct lane_axis {
    std::vector<double> begin;  // by rank
    double end = 0;
    bool is_common = true;  // all times can be compared
};
inline lane_axis axis_of(const oplog::run_answers& a) {
    lane_axis axis;
    ordered_map<std::uint32_t, double> first;
    for (const oplog::rank_answer& r : a.ranks) {
        const double at = r.begin - r.clock_ahead;
        const auto [known, is_new] = first.try_emplace(r.aligned, at);
        if (!is_new) known->second = (std::min)(known->second, at);
    }
    axis.is_common = a.together && first.size() <= 1;
    for (const oplog::rank_answer& r : a.ranks) {
        axis.begin.push_back(a.together ? r.begin - r.clock_ahead - first[r.aligned] : 0);
        axis.end = (std::max)(axis.end, axis.begin.back() + r.account.span);
    }
    return axis;
}

// How much of each of many equal parts of the axis a rank spends in each class.
using time_column = std::array<float, time_classes>;
// Adds a slice whose times are given in such parts.
inline void add_to_columns(std::vector<time_column>& to, double from, double until, std::size_t which) {
    for (auto n = static_cast<std::size_t>((std::max)(from, 0.0)); n < to.size(); ++n) {
        const auto left = static_cast<double>(n);
        if (!(left < until)) break;
        to[n][which] += static_cast<float>((std::min)(until, left + 1) - (std::max)(from, left));
    }
}
inline std::vector<time_column> columns_of(const oplog::rank_answer& rank, double begin, double end,
                                           std::size_t columns) {
    std::vector<time_column> to(columns, time_column{});
    if (!(end > 0)) return to;
    const double scale = static_cast<double>(columns) / end;
    for (const time_slice& s : slices_of(rank))
        add_to_columns(to, (begin + s.begin) * scale, (begin + s.end) * scale, s.which);
    return to;
}
// The class with the greatest part of a column; time_classes if the rank spends less than a fifth of it in any.
inline std::size_t greatest_of(const time_column& column) noexcept {
    const auto at = std::max_element(column.begin(), column.end());
    return *at > 0.2F ? static_cast<std::size_t>(at - column.begin()) : time_classes;
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
