// wlfmt/lint.hpp: finds well-formed values that make no sense to a simulator. Not included by wlfmt.hpp.
//
//     wlfmt::lint::examine(layer, text, print);
//
// Each function calls `each(const wlfmt::problem&)` once per finding, in the order of the text. None is an error of the
// format: every record is read and written as it is. The errors lie in `text`, which the record was read from; for a
// record that was built by hand they are at offset 0. Takes time linear in the record's size and allocates nothing.
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
#include "detail/oplog/operations.hpp"
#include "detail/workload/policies.hpp"
#include "detail/workload/schema.hpp"
#include "detail/workload/simulators.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {

// The number, from 1, of the known token nearest to an unknown one, for word_nearest(); 0 if none is near.
inline std::int64_t nearest_collective(std::string_view token) noexcept {
    nearest_word nearest(token);
    char joined[32];
    for (const collective_row& row : collective_table::rows) {
        for (const std::string_view suffix : collective_table::suffixes) {
            const std::size_t size = row.token.copy(joined, row.token.size());
            suffix.copy(joined + size, suffix.size());
            nearest.offer({joined, size + suffix.size()});
        }
    }
    return nearest.number();
}
template <class Record, class Each> void lint_policy(const Record& one, std::string_view text, Each&& each) {
    if (one.policy.empty() || !policy_table::of(one.policy).name.empty()) return;
    nearest_word nearest(one.policy);
    for (const policy_row& row : policy_table::rows) nearest.offer(row.name);
    each(error_at(error_kind::unknown_policy, where(one, "policy"), text, "policy", nearest.number()));
}

}  // namespace detail

namespace lint {

// What a simulator cannot take of a file that is well-formed: its name, the program, the condition, what it does then,
// and where that can be seen.
using detail::simulator_limit;
// What a finding of kind simulator_limit or small_collective is about; null for any other error. Static storage.
[[nodiscard]] inline const simulator_limit* limit_of(const problem& e) noexcept {
    const bool is_small = e.kind == error_kind::small_collective;
    const auto n =
        static_cast<std::size_t>(is_small ? static_cast<std::int64_t>(detail::limit_of::small_collective) : e.found);
    const bool is_limit = is_small || e.kind == error_kind::simulator_limit;
    return is_limit && n < std::size(detail::simulator_limits) ? &detail::simulator_limits[n] : nullptr;
}

// unknown_policy: a policy of no simulator and of no known fork of one (error::found is the number of the nearest known
// policy for message(), or 0 if none is near). Sizes that parallelism::sizes_of() finds wrong: size_below_one,
// not_divisible, pipeline_mismatch, and not_an_integer for fractions. What the reader itself reports, words and values
// below 0, is not repeated. checkpoint_range: an index in checkpoints or checkpoint_initiates that is not a layer's
// position, from 0; `layers` is the number of layers after the header. simulator_limit: what SimAI cannot take, of a
// header that has all_gpus, as files for it do; limit_of() says what. An entry that is missing has its place at the end
// of the header's line.
template <class Each>
void examine(const workload::header& head, std::int64_t layers, std::string_view text, Each&& each) {
    detail::lint_policy(head, text, each);
    auto of_reader = [&](const problem& e) {
        // The reader reports values that are missing, not numbers, or below 0; it accepts fractions.
        const bool fraction = e.kind == error_kind::not_an_integer && head.find(e.field).number().is_decimal();
        const bool known = e.kind == error_kind::header_value || e.kind == error_kind::not_an_integer ||
                           e.kind == error_kind::negative_value;
        if (fraction || !known) each(e);
    };
    options lenient;
    lenient.lenient = true;
    lenient.context = &of_reader;
    lenient.on_problem = [](void* to, const problem& e) { (*static_cast<decltype(of_reader)*>(to))(e); };
    static_cast<void>(parallelism::sizes_of(head, text, lenient));
    // A text that was cut off lacks layers that its header counts.
    const std::int64_t declared = head.declared_layers.template as<std::int64_t>().value_or(0);
    if (layers < declared) layers = declared;
    for (const std::string_view key : {"checkpoints", "checkpoint_initiates"}) {
        bool is_count = true;  // the first word of a list
        for (const std::string_view word : workload::words(detail::value_access::given(head.find(key)))) {
            const auto index = to_number(word).template as<std::int64_t>();
            if (!is_count && index && (*index < 0 || *index >= layers))
                each(detail::error_at(error_kind::checkpoint_range, word, text, key, *index, layers));
            is_count = false;
        }
    }
    if (head.find("all_gpus").is_missing() || !detail::policy_table::of(head.policy).has(detail::in_groups)) return;
    const auto limited = [&](detail::limit_of limit, std::string_view key) {
        const std::string_view line = head.source.substr(0, head.source.find_first_of("\r\n"));
        const std::string_view found = where(head, key);
        each(detail::error_at(error_kind::simulator_limit, found.empty() ? line.substr(line.size()) : found, text, key,
                              static_cast<std::int64_t>(limit)));
    };
    for (const std::string_view key : {"ga", "vpp"})
        if (head.find(key).is_missing()) limited(detail::limit_of::no_pipeline_divisor, key);
    for (const std::string_view key : {"pp", "model_parallel_NPU_group"})
        if (head.find(key).is_missing()) limited(detail::limit_of::no_sizes, key);
    constexpr double most = (std::numeric_limits<std::int32_t>::max)();
    if (head.pipeline_bytes().value_or(0.0) > most) limited(detail::limit_of::large_messages, "pp_comm");
    if (head.tensor_parallel() == 1 && head.expert_parallel().template as<std::int64_t>().value_or(1) > 1)
        limited(detail::limit_of::no_expert_groups,
                head.find("expert_parallel_npu_group").is_missing() ? "ep" : "expert_parallel_npu_group");
}
template <class Each> void examine(const workload::header&, std::int64_t, std::nullptr_t, Each&&) = delete;

// In each phase: unknown_collective (error::found is the number of the nearest known one for message(), or 0 if more
// than a third of the letters differ from each), empty_collective, bytes_without_collective. And unknown_policy.
template <class Each> void examine(const workload::layer& one, std::string_view text, Each&& each) {
    using workload::collective;
    const auto report = [&](error_kind kind, std::string_view field, std::int64_t found = 0) {
        each(detail::error_at(kind, where(one, field), text, field, found));
    };
    for (const detail::phase_row& row : detail::phase_rows) {
        const workload::phase& p = one.*row.of;
        const collective c = workload::communication_of(p.comm).collective;
        const std::int64_t bytes = p.bytes.template as<std::int64_t>().value_or(-1);
        if (c == collective::other)
            report(error_kind::unknown_collective, row.comm, detail::nearest_collective(p.comm));
        else if (c == collective::none && bytes > 0) report(error_kind::bytes_without_collective, row.bytes, bytes);
        else if (c != collective::none && bytes == 0) report(error_kind::empty_collective, row.comm);
    }
    detail::lint_policy(one, text, each);
}
template <class Each> void examine(const workload::layer&, std::nullptr_t, Each&&) = delete;
// The same, and what SimAI cannot take of a layer of such groups: small_collective, an all-reduce of fewer bytes than
// its group has ranks, and simulator_limit. The sizes are known, as sizes::known() says.
template <class Each>
void examine(const workload::layer& one, const parallelism::sizes& sizes, std::string_view text, Each&& each) {
    examine(one, text, each);
    const parallelism::layout ranks(sizes);
    for (std::size_t n = 0; n != parallelism::phase_count; ++n) {
        const detail::phase_row& row = detail::phase_rows[n];
        const workload::phase& p = one.*row.of;
        constexpr double most = (std::numeric_limits<std::int32_t>::max)();
        if (p.compute.value_or(0.0) >= most)
            each(detail::error_at(error_kind::simulator_limit, where(one, row.compute), text, row.compute,
                                  static_cast<std::int64_t>(detail::limit_of::long_computation)));
        const workload::communication c = workload::communication_of(p.comm);
        const auto group = parallelism::group_of(static_cast<parallelism::phase>(n), c);
        const std::int64_t bytes = p.bytes.template as<std::int64_t>().value_or(0);
        if (c.collective != workload::collective::allreduce || !group || bytes <= 0) continue;
        if (const std::int64_t size = ranks.size(*group); bytes < size)
            each(detail::error_at(error_kind::small_collective, where(one, row.bytes), text, row.bytes, 0, size));
    }
}
template <class Each> void examine(const workload::layer&, const parallelism::sizes&, std::nullptr_t, Each&&) = delete;

// ends_before_beginning: a duration below 0, or a nested operation whose timestamp is before its operation begins.
// nested_too_long: a nested operation that takes longer than the one around it. The tracer rounds to hundredths of a
// millisecond, so a difference of two hundredths is ignored.
template <class Each> void examine(const oplog::operation& op, std::string_view text, Each&& each) {
    constexpr double rounding = 0.02;  // ms
    const auto report = [&](error_kind kind, const auto& one, std::string_view field) {
        each(detail::error_at(kind, where(one, field), text, field));
    };
    const auto all = op.duration.template as<double>();
    const auto end = op.timestamp.template as<double>();
    if (all && *all < 0) report(error_kind::ends_before_beginning, op, "duration");
    // A timestamp of 0 means that no time was taken.
    const bool placed = all && end && *all >= 0 && *end > 0;
    for (const oplog::sub_operation& sub : detail::nested_operations_of(op)) {
        const auto own = sub.duration.template as<double>();
        const auto own_end = sub.timestamp.template as<double>();
        if (own && *own < 0) report(error_kind::ends_before_beginning, sub, "duration");
        else if (own && all && *all >= 0 && *own > *all + rounding)
            report(error_kind::nested_too_long, sub, "duration");
        if (placed && own_end && *own_end > 0 && *own_end < *end - *all - rounding)
            report(error_kind::ends_before_beginning, sub, "timestamp");
    }
}
template <class Each> void examine(const oplog::operation&, std::nullptr_t, Each&&) = delete;

}  // namespace lint
}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
