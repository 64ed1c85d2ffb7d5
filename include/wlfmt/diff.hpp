// wlfmt/diff.hpp: what two documents of one format say differently. Not included by wlfmt.hpp.
//
//     const auto all = wlfmt::diff::compare(*before, *after, 0.05);   // 5 %: what is closer is the same
//     for (const auto& d : all) std::cout << d.item << ' ' << d.field << ' ' << d.before << " -> " << d.after << '\n';
//
// The contents of the files are compared, not their layout:
//
//   op logs    by operation: how many there are, and how many milliseconds they take together; the same of the
//              collectives nested in them, `forward_step: allreduce (tp)`. Times of the clock are not compared.
//   workloads  the header's entries, and layer by layer all fields. The n-th layer of a name is compared with the n-th
//              of that name; layers in another order are one difference, `order`.
//   tables     row by row all columns, in one unit each; the totals. A row is known by its name, overload, shapes and
//              node; the n-th of them is compared with the n-th.
//
// Differences are sorted by their effect, the greatest first: how much they change the sum of that quantity over the
// whole file (the milliseconds of all operations, the bytes of all layers, the column of the table). Differences of
// what is not a number come first.
#include "version.hpp"

#ifndef WLFMT_DIFF_HPP
#define WLFMT_DIFF_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "oplog.hpp"
#include "sink.hpp"
#include "table.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace diff {

enum class change : std::uint8_t { added, removed, changed };
[[nodiscard]] std::string_view name_of(change c) noexcept;  // "added"

// One difference. Owns its texts.
struct difference {
    diff::change change = change::changed;
    std::string item;    // "forward_step", "layer 3: mlp", "header", "row aten::mm"
    std::string field;   // "duration_ms", "forward.bytes", "CUDA total (us)"; empty: the item as a whole
    std::string before;  // as text; empty where there is none
    std::string after;
    // Of changed numbers: after / before - 1, +0.12 for 12 % more; 0 where `before` is 0 or either is not finite.
    double ratio = 0;
    // How much of the sum over the file this is, 0 to 1 and beyond; 1 for what is not a finite number.
    double effect = 0;
};

inline namespace WLFMT_IMPL {

// `tolerance`: numbers that differ by no more than this part of the larger one are the same.
[[nodiscard]] std::vector<difference> compare(const oplog::document& before, const oplog::document& after,
                                              double tolerance = 0);
[[nodiscard]] std::vector<difference> compare(const workload::document& before, const workload::document& after,
                                              double tolerance = 0);
[[nodiscard]] std::vector<difference> compare(const table::document& before, const table::document& after,
                                              double tolerance = 0);

// A difference as a line for people: `changed  forward_step  duration_ms  100.0 -> 112.0  +12.0 %`
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const difference& d);
// As a line of JSON: {"change":"changed","item":...,"field":...,"before":...,"after":...,"ratio":...,"effect":...}.
// Values that are numbers are numbers; what is not there is null.
template <class Sink>
[[nodiscard]] error write_json(Sink&& sink, const difference& d);

}  // namespace WLFMT_IMPL
}  // namespace diff
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/diff/compare.hpp"

#include "detail/base/config_end.hpp"
#endif
