// wlfmt/lint.hpp: what reads well and no simulator makes sense of. Not included by wlfmt.hpp.
//
//     wlfmt::lint::check(layer, text, [&](const wlfmt::error& e) { std::cerr << explain(e, text, name, warning); });
//
// Each function calls `each(const wlfmt::error&)` once for everything that it finds, in the order of the text. Nothing
// of it is an error of the format: every record is read and written as it is. The errors lie in `text`, which is the
// one that the record was read from; a record that was built by hand has no place in it, and its errors are at offset
// 0. Linear in the record; nothing is allocated.
#ifndef WLFMT_LINT_HPP
#define WLFMT_LINT_HPP

#include <cstdint>
#include <string_view>

#include "error.hpp"
#include "oplog.hpp"
#include "parallelism.hpp"
#include "workload.hpp"

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace lint {
inline namespace WLFMT_IMPL {

// Sizes as parallelism::sizes_of() finds them wrong: size_below_one, not_divisible, pipeline_mismatch, and
// not_an_integer of fractions. What the reader tells of a header, words and values below 0, is not told again. A header
// without all_gpus, as ASTRA-sim 1.0 has it, is fine. checkpoint_range: an index of checkpoints or checkpoint_initiates
// that is no position of a layer, counted from 0; `layers` is the number of layers that follow the header.
template <class Each>
void check(const workload::header& head, std::int64_t layers, std::string_view text, Each&& each);

// Of each phase: unknown_collective (error::found tells message() the nearest one that is known, 0 for none: at most a
// third of its letters differ), empty_collective, and bytes_without_collective.
template <class Each>
void check(const workload::layer& one, std::string_view text, Each&& each);

// ends_before_beginning: a duration below 0, and a nested operation whose timestamp is before its operation begins.
// nested_too_long: a nested operation that takes longer than the operation that it is in. The tracer rounds to
// hundredths of a millisecond, so that two of these (0.02 ms) are no difference.
template <class Each>
void check(const oplog::operation& op, std::string_view text, Each&& each);

}  // namespace WLFMT_IMPL
}  // namespace lint
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/lint/check.hpp"

#include "detail/core/end.hpp"
#endif
