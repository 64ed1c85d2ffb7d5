// Finds well-formed values that make no sense to a simulator.
#ifndef WLFMT_DETAIL_LINT_CHECK_HPP
#define WLFMT_DETAIL_LINT_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "../../nearest.hpp"
#include "../../oplog.hpp"
#include "../../parallelism.hpp"
#include "../../to_number.hpp"
#include "../../workload.hpp"
#include "../error/place.hpp"
#include "../oplog/nested.hpp"
#include "../workload/policies.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The known token that is nearest to an unknown token, numbered from 1 as word_nearest() expects; 0 if no token is
// near.
inline std::int64_t nearest_collective(std::string_view token) noexcept {
    nearest_word nearest(token);
    char joined[32];
    for (std::size_t n = 0; n != collective_row_count * group_suffix_count; ++n) {
        const std::string_view name = collective_table<build>::rows[n / group_suffix_count].token;
        const std::string_view suffix = collective_table<build>::suffixes[n % group_suffix_count];
        const std::size_t size = name.copy(joined, name.size());
        suffix.copy(joined + size, suffix.size());
        nearest.offer({joined, size + suffix.size()});
    }
    return nearest.number();
}
// The same of policies.
inline std::int64_t nearest_policy(std::string_view policy) noexcept {
    nearest_word nearest(policy);
    for (const policy_row& one : policy_table<build>::rows) nearest.offer(one.name);
    return nearest.number();
}
template <class Record, class Each> void lint_policy(const Record& one, std::string_view text, Each&& each) {
    if (!one.policy.empty() && policy_table<build>::of(one.policy).name.empty())
        each(error_at(error_kind::unknown_policy, where(one, "policy"), text, "policy", nearest_policy(one.policy)));
}

// Reports the indices of a list of checkpoints at which there is no layer. `list` is a count and that many indices.
template <class Each>
void lint_indices(std::string_view list, std::string_view key, std::int64_t layers, std::string_view text,
                  Each&& each) {
    bool count = true;
    for (const std::string_view word : workload::words(list)) {
        const auto index = to_number(word).template as<std::int64_t>();
        if (!count && index && (*index < 0 || *index >= layers))
            each(error_at(error_kind::checkpoint_range, word, text, key, *index, layers));
        count = false;
    }
}

template <class Each>
void lint_header(const workload::header& head, std::int64_t layers, std::string_view text, Each&& each) {
    lint_policy(head, text, each);
    options how;
    how.lenient = true;
    auto* callback = std::addressof(each);
    struct {
        const workload::header& head;
        decltype(callback) each;
    } context{head, callback};
    how.context = &context;
    how.on_problem = [](void* to, const error& e) {
        const auto& [from, report] = *static_cast<decltype(context)*>(to);
        // The reader reports values that are missing, not numbers, or below 0; it accepts fractions.
        const bool fraction = e.kind == error_kind::not_an_integer && from.find(e.field).number().is_decimal();
        const bool of_reader = e.kind == error_kind::header_value || e.kind == error_kind::not_an_integer ||
                               e.kind == error_kind::negative_value;
        if (fraction || !of_reader) (*report)(e);
    };
    static_cast<void>(parallelism::sizes_of(head, text, how));
    // A text that was cut off lacks layers that its header counts.
    const std::int64_t declared = head.declared_layers.template as<std::int64_t>().value_or(0);
    if (layers < declared) layers = declared;
    for (const std::string_view key : {"checkpoints", "checkpoint_initiates"})
        lint_indices(detail::value_access::given(head.find(key)), key, layers, text, each);
    // Files for ASTRA-sim 1.0 have neither all_gpus nor vpp.
    const bool staged = head.find("pp").template as<std::int64_t>().value_or(1) > 1;
    if (!staged || head.find("all_gpus").is_missing() || !head.find("vpp").is_missing()) return;
    each(error_at(error_kind::header_value, where(head, "vpp"), text, "vpp", 0, -1));
}

template <class Each> void lint_layer(const workload::layer& one, std::string_view text, Each&& each) {
    using workload::collective;
    for (const phase_row& row : phase_rows) {
        const workload::phase& p = one.*row.of;
        const collective c = workload::communication_of(p.comm).collective;
        const std::int64_t bytes = p.bytes.template as<std::int64_t>().value_or(-1);
        if (c == collective::other)
            each(error_at(error_kind::unknown_collective, where(one, row.comm), text, row.comm,
                          nearest_collective(p.comm)));
        else if (c == collective::none && bytes > 0)
            each(error_at(error_kind::bytes_without_collective, where(one, row.bytes), text, row.bytes, bytes));
        else if (c != collective::none && bytes == 0)
            each(error_at(error_kind::empty_collective, where(one, row.comm), text, row.comm));
    }
    lint_policy(one, text, each);
}

template <class Each>
void lint_groups(const workload::layer& one, const parallelism::sizes& sizes, std::string_view text, Each&& each) {
    const parallelism::layout ranks(sizes);
    for (std::size_t n = 0; n != parallelism::phase_count; ++n) {
        const phase_row& row = phase_rows[n];
        const workload::phase& p = one.*row.of;
        const workload::communication c = workload::communication_of(p.comm);
        const auto group = parallelism::group_of(static_cast<parallelism::phase>(n), c);
        const std::int64_t bytes = p.bytes.template as<std::int64_t>().value_or(0);
        if (c.collective != workload::collective::allreduce || !group || bytes <= 0) continue;
        if (const std::int64_t size = ranks.size(*group); bytes < size)
            each(error_at(error_kind::small_collective, where(one, row.bytes), text, row.bytes, 0, size));
    }
}

template <class Each> void lint_operation(const oplog::operation& op, std::string_view text, Each&& each) {
    constexpr double rounding = 0.02;  // ms
    const auto all = op.duration.template as<double>();
    const auto end = op.timestamp.template as<double>();
    if (all && *all < 0) each(error_at(error_kind::ends_before_beginning, where(op, "duration"), text, "duration"));
    // A timestamp of 0 means that no time was taken.
    const bool placed = all && end && *all >= 0 && *end > 0;
    for (const oplog::sub_operation& sub : nested_operations_of(op)) {
        const auto own = sub.duration.template as<double>();
        const auto own_end = sub.timestamp.template as<double>();
        if (own && *own < 0)
            each(error_at(error_kind::ends_before_beginning, where(sub, "duration"), text, "duration"));
        else if (own && all && *all >= 0 && *own > *all + rounding)
            each(error_at(error_kind::nested_too_long, where(sub, "duration"), text, "duration"));
        if (placed && own_end && *own_end > 0 && *own_end < *end - *all - rounding)
            each(error_at(error_kind::ends_before_beginning, where(sub, "timestamp"), text, "timestamp"));
    }
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
