// wlfmt/lint.hpp: finds well-formed values that make no sense to a simulator. Not included by wlfmt.hpp.
//
//     wlfmt::lint::examine(layer, text, print);
//
// Each function calls `report(const wlfmt::problem&)` once for each finding, in the order of the text. No finding is an
// error of the format: every record is read and written as it is. The findings have places in `text`, from which the
// record was read; for a record that was built by hand they are at offset 0. Takes time linear in the record's size and
// allocates nothing.
#include "version.hpp"

#ifndef WLFMT_LINT_HPP
#define WLFMT_LINT_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>

#include "error.hpp"
#include "number.hpp"
#include "oplog.hpp"
#include "parallelism.hpp"
#include "workload.hpp"

#include "detail/error/problems.hpp"
#include "detail/messages.hpp"
#include "detail/workload/schema.hpp"
#include "oplog/nested.hpp"
#include "workload/policies.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {

template <class Record, class Report> void lint_policy(const Record& record, std::string_view text, Report&& report) {
    if (record.policy.empty() || !workload::policies::of(record.policy).name.empty()) return;
    nearest_word nearest(record.policy);
    for (const workload::policies::row& row : workload::policies::rows) nearest.offer(row.name);
    report(error_at(error_kind::unknown_policy, where(record, "policy"), text, "policy", nearest.number()));
}

template <class Report> void lint_sizes(const workload::header& head, std::string_view text, Report&& report) {
    // The reader reports values that are missing, not numbers, or below 0; it accepts fractions.
    const auto is_reported = [&](const problem& e) {
        if (e.kind == error_kind::not_an_integer) return !head.find(e.field).number().is_decimal();
        return e.kind == error_kind::header_value || e.kind == error_kind::negative_value;
    };
    const auto report_others = [&](const problem& e) {
        if (!is_reported(e)) report(e);
    };
    options lenient;
    lenient.lenient = true;
    lenient.on_problem = [&](const problem& e) { report_others(e); };
    static_cast<void>(parallelism::sizes_of(head, text, lenient));
}

template <class Report>
void lint_checkpoints(const workload::header& head, std::int64_t layers, std::string_view text, Report&& report) {
    // If the text was cut off, the header counts more layers than it has.
    const std::int64_t declared = head.declared_layers.template as<std::int64_t>().value_or(0);
    if (layers < declared) layers = declared;
    for (const std::string_view key : {"checkpoints", "checkpoint_initiates"}) {
        bool is_count = true;  // the first word is the count, and the others are indices
        for (const std::string_view word : workload::words(value_access::given(head.find(key)))) {
            const auto index = to_number(word).template as<std::int64_t>();
            if (!is_count && index && (*index < 0 || *index >= layers))
                report(error_at(error_kind::checkpoint_range, word, text, key, *index, layers));
            is_count = false;
        }
    }
}

// What SimAI cannot take in a header.
template <class Report> void lint_limits(const workload::header& head, std::string_view text, Report&& report) {
    const auto limited = [&](limit_of limit, std::string_view key) {
        const std::string_view line = head.source.substr(0, head.source.find_first_of("\r\n"));
        const std::string_view found = where(head, key);
        report(error_at(error_kind::simulator_limit, found.empty() ? line.substr(line.size()) : found, text, key,
                        static_cast<std::int64_t>(limit)));
    };
    for (const std::string_view key : {"ga", "vpp"})
        if (head.find(key).is_missing()) limited(limit_of::no_pipeline_divisor, key);
    for (const std::string_view key : {"pp", "model_parallel_NPU_group"})
        if (head.find(key).is_missing()) limited(limit_of::no_sizes, key);
    constexpr double greatest = (std::numeric_limits<std::int32_t>::max)();
    if (head.pipeline_bytes().value_or(0.0) > greatest) limited(limit_of::large_messages, "pp_comm");
    if (head.tensor_parallel() == 1 && head.expert_parallel().template as<std::int64_t>().value_or(1) > 1)
        limited(limit_of::no_expert_groups,
                head.find("expert_parallel_npu_group").is_missing() ? "ep" : "expert_parallel_npu_group");
}

}  // namespace detail

namespace lint {

// The number, from 1, of the known token nearest to an unknown one, for problem::found of unknown_collective; 0 if none
// is near.
[[nodiscard]] inline std::int64_t nearest_collective(text_view token) noexcept {
    nearest_word nearest(token);
    char joined[32];
    for (const workload::collectives::row& row : workload::collectives::rows) {
        for (const std::string_view suffix : workload::collectives::suffixes) {
            const std::size_t size = row.token.copy(joined, row.token.size());
            suffix.copy(joined + size, suffix.size());
            nearest.offer({joined, size + suffix.size()});
        }
    }
    return nearest.number();
}

// The limits, in the order of the numbers that the findings have.
using detail::simulator_limits;
// The limit that a finding of kind simulator_limit or small_collective is about; else null. Static storage.
[[nodiscard]] inline const simulator_limit* limit_of(const problem& e) noexcept {
    const bool is_small = e.kind == error_kind::small_collective;
    const auto n =
        static_cast<std::size_t>(is_small ? static_cast<std::int64_t>(detail::limit_of::small_collective) : e.found);
    const bool is_limit = is_small || e.kind == error_kind::simulator_limit;
    return is_limit && n < std::size(detail::simulator_limits) ? &detail::simulator_limits[n] : nullptr;
}

// Finds in a header: unknown_policy, a policy that no simulator and no known fork of one has (problem::found is the
// number of the nearest known policy for message(), or 0 if none is near). Sizes that parallelism::sizes_of() finds
// wrong: size_below_one, not_divisible, pipeline_mismatch, and not_an_integer for fractions; words and values below 0,
// which the reader itself reports, are not reported again. checkpoint_range: an index in checkpoints or
// checkpoint_initiates that is not a layer's position, from 0; `layers` is the number of layers after the header.
// simulator_limit, in headers with all_gpus, which SimAI's files have: what SimAI cannot take; limit_of() says what
// that is. The place of a missing entry is the end of the header's line.
template <class Report>
void examine(const workload::header& head, std::int64_t layers, std::string_view text, Report&& report) {
    detail::lint_policy(head, text, report);
    detail::lint_sizes(head, text, report);
    detail::lint_checkpoints(head, layers, text, report);
    const bool is_of_simai =
        !head.find("all_gpus").is_missing() && workload::policies::of(head.policy).has(workload::policies::in_groups);
    if (is_of_simai) detail::lint_limits(head, text, report);
}
template <class Report> void examine(const workload::header&, std::int64_t, std::nullptr_t, Report&&) = delete;

// Finds in each phase of a layer: unknown_collective (problem::found is the number of the nearest known one for
// message(), or 0 if none is near), empty_collective, bytes_without_collective; and unknown_policy in the layer.
template <class Report> void examine(const workload::layer& layer, std::string_view text, Report&& report) {
    using workload::collective;
    const auto report_at = [&](error_kind kind, std::string_view field, std::int64_t found = 0) {
        report(detail::error_at(kind, where(layer, field), text, field, found));
    };
    for (const workload::phase_row& row : workload::phase_rows) {
        const workload::phase& p = layer.*row.member;
        const collective c = workload::communication_of(p.comm).collective;
        const std::int64_t bytes = p.bytes.template as<std::int64_t>().value_or(-1);
        if (c == collective::other) report_at(error_kind::unknown_collective, row.comm, nearest_collective(p.comm));
        else if (c == collective::none && bytes > 0) report_at(error_kind::bytes_without_collective, row.bytes, bytes);
        else if (c != collective::none && bytes == 0) report_at(error_kind::empty_collective, row.comm);
    }
    detail::lint_policy(layer, text, report);
}
template <class Report> void examine(const workload::layer&, std::nullptr_t, Report&&) = delete;
// The same with the sizes of the groups, which must be known (sizes::known()). Then it also finds what SimAI cannot
// take in a layer: small_collective, an all-reduce of fewer bytes than its group has ranks, and simulator_limit.
template <class Report>
void examine(const workload::layer& layer, const parallelism::sizes& sizes, std::string_view text, Report&& report) {
    examine(layer, text, report);
    const parallelism::layout ranks(sizes);
    for (std::size_t n = 0; n != parallelism::phase_count; ++n) {
        const workload::phase_row& row = workload::phase_rows[n];
        const workload::phase& p = layer.*row.member;
        constexpr double greatest = (std::numeric_limits<std::int32_t>::max)();
        if (p.compute.value_or(0.0) >= greatest)
            report(detail::error_at(error_kind::simulator_limit, where(layer, row.compute), text, row.compute,
                                    static_cast<std::int64_t>(detail::limit_of::long_computation)));
        const workload::communication c = workload::communication_of(p.comm);
        const auto group = parallelism::group_of(static_cast<parallelism::phase>(n), c);
        const std::int64_t bytes = p.bytes.template as<std::int64_t>().value_or(0);
        if (c.collective != workload::collective::allreduce || !group || bytes <= 0) continue;
        if (const std::int64_t size = ranks.size(*group); bytes < size)
            report(detail::error_at(error_kind::small_collective, where(layer, row.bytes), text, row.bytes, 0, size));
    }
}
template <class Report>
void examine(const workload::layer&, const parallelism::sizes&, std::nullptr_t, Report&&) = delete;

// Finds ends_before_beginning, a duration below 0 or a nested operation that ends before its operation begins, and
// nested_too_long, a nested operation that takes longer than the one around it. The tracer rounds to hundredths of a
// millisecond, so a difference of two hundredths is ignored.
template <class Report> void examine(const oplog::operation& op, std::string_view text, Report&& report) {
    constexpr double rounding = 0.02;  // ms
    const auto report_at = [&](error_kind kind, const auto& record, std::string_view field) {
        report(detail::error_at(kind, where(record, field), text, field));
    };
    const auto duration = op.duration.template as<double>();
    const auto end = op.timestamp.template as<double>();
    if (duration && *duration < 0) report_at(error_kind::ends_before_beginning, op, "duration");
    // A timestamp of 0 means that no time was taken.
    const bool placed = duration && end && *duration >= 0 && *end > 0;
    for (const oplog::sub_operation& sub : oplog::nested_operations_of(op)) {
        const auto sub_duration = sub.duration.template as<double>();
        const auto sub_end = sub.timestamp.template as<double>();
        if (sub_duration && *sub_duration < 0) report_at(error_kind::ends_before_beginning, sub, "duration");
        else if (sub_duration && duration && *duration >= 0 && *sub_duration > *duration + rounding)
            report_at(error_kind::nested_too_long, sub, "duration");
        if (placed && sub_end && *sub_end > 0 && *sub_end < *end - *duration - rounding)
            report_at(error_kind::ends_before_beginning, sub, "timestamp");
    }
}
template <class Report> void examine(const oplog::operation&, std::nullptr_t, Report&&) = delete;

}  // namespace lint
}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
