// wlfmt/lint.hpp: finds well-formed values that make no sense to a simulator. Not included by wlfmt.hpp.
//
//     wlfmt::lint::examine(layer, text, print);
//
// Each function calls `each(const wlfmt::error&)` once for everything that it finds, in the order of the text. None of
// these is an error of the format: every record is read and written as it is. The errors lie in `text`, the text that
// the record was read from; a record that was built by hand has no place in it, and its errors are at offset 0. Takes
// linear time in the size of the record and allocates nothing.
#include "version.hpp"

#ifndef WLFMT_LINT_HPP
#define WLFMT_LINT_HPP

#include <cstdint>
#include <string_view>

#include "detail/lint/check.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace lint { inline namespace WLFMT_IMPL {

// unknown_policy: a policy of no simulator and of no fork of one that is known (error::found is the number of the
// nearest known policy for message(), or 0 if none is near). Sizes as parallelism::sizes_of() finds them wrong:
// size_below_one, not_divisible, pipeline_mismatch, and not_an_integer of fractions. What the reader itself reports,
// words and values below 0, is not repeated. A header without all_gpus, as in files for ASTRA-sim 1.0, is fine.
// checkpoint_range: an index of checkpoints or checkpoint_initiates that is not the position of a layer, counted from
// 0; `layers` is the number of layers that follow the header. header_value: several pipeline stages without vpp, which
// SimAI divides by; its place is the end of the header's line.
template <class Each>
void examine(const workload::header& head, std::int64_t layers, std::string_view text, Each&& each) {
    detail::lint_header(head, layers, text, each);
}
template <class Each> void examine(const workload::header&, std::int64_t, std::nullptr_t, Each&&) = delete;

// In each phase: unknown_collective (error::found is the number of the nearest known collective for message(), or 0 if
// more than a third of the letters differ from every one), empty_collective, and bytes_without_collective. A policy of
// the layer's own: unknown_policy.
template <class Each> void examine(const workload::layer& one, std::string_view text, Each&& each) {
    detail::lint_layer(one, text, each);
}
template <class Each> void examine(const workload::layer&, std::nullptr_t, Each&&) = delete;
// The same, and small_collective: an all-reduce of fewer bytes than its group has ranks, at which SimAI's run ends. The
// sizes are known, as sizes::known() says.
template <class Each>
void examine(const workload::layer& one, const parallelism::sizes& sizes, std::string_view text, Each&& each) {
    detail::lint_layer(one, text, each);
    detail::lint_groups(one, sizes, text, each);
}
template <class Each> void examine(const workload::layer&, const parallelism::sizes&, std::nullptr_t, Each&&) = delete;

// ends_before_beginning: a duration below 0, and a nested operation whose timestamp is before its operation begins.
// nested_too_long: a nested operation that takes longer than the operation that it is in. The tracer rounds to
// hundredths of a millisecond, so a difference of two hundredths is ignored.
template <class Each> void examine(const oplog::operation& op, std::string_view text, Each&& each) {
    detail::lint_operation(op, text, each);
}
template <class Each> void examine(const oplog::operation&, std::nullptr_t, Each&&) = delete;

}}}}  // namespace wlfmt::WLFMT_ABI::lint::WLFMT_IMPL

#include "detail/base/config_end.hpp"
#endif
