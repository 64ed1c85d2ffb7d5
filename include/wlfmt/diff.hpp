// wlfmt/diff.hpp: what two documents of one format say differently. Not included by wlfmt.hpp.
//
//     const auto all = wlfmt::diff::compare(*before, *after, 0.05);   // 5 %: what is closer is the same
//     for (const auto& d : all) std::cout << d.item << ' ' << d.field << ' ' << d.before << " -> " << d.after << '\n';
//
// The contents of the files are compared, not their layout:
//
//   op logs    by rank and operation, or other dimensions: how many there are (`count`), how many of them have no
//              duration or None (`unmeasured`), or one that is not a finite number (`not_a_number`), and how many
//              milliseconds the others take together, to the nanosecond (`duration_ms`). So 0 is not None, and nan
//              equals nan alone. The same of the collectives nested in them, `rank 7: forward_step: allreduce (tp)`;
//              these are listed only where the operation around them is the same, or where dimension::collective asks
//              for them. Two logs that hold one rank each are compared without it: another rank is one difference,
//              `rank`. Times of the clock and other attributes are not compared.
//   workloads  the header's entries, and layer by layer all fields. The n-th layer of a name is compared with the n-th
//              of that name; layers in another order are one difference, `order`.
//   tables     row by row all columns, in one unit each; the totals. A row is known by its name, overload, shapes and
//              node; the n-th of them is compared with the n-th. A cell without a value is not one of 0.
//
// Differences are sorted by their effect, the greatest first: how much they change the sum over the whole file, taken
// from the file in which it is greater. Of op logs all effects are shares of the milliseconds of all operations: an
// operation more counts as much as one takes. In workload files and tables each quantity has a sum of its own: compute,
// bytes, a column. Differences between texts come first.
#include "version.hpp"

#ifndef WLFMT_DIFF_HPP
#define WLFMT_DIFF_HPP

#include <vector>

#include "detail/diff/compare.hpp"
#include "detail/diff/write.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "sink.hpp"
#include "table.hpp"
#include "types/diff.hpp"
#include "types/summary.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace diff {

inline namespace WLFMT_IMPL {

// The sums of the op logs of a run, gathered record by record, from one file or from a folder of files. Memory grows
// with the number of different items alone.
class log_sums {
public:
    // The dimensions that distinguish the items.
    explicit log_sums(oplog::dimension by = oplog::dimension::rank | oplog::dimension::operation) noexcept
        : sums_(by) {}
    void add(const oplog::operation& op) { sums_.add(op); }
    void add(const oplog::document& all) {
        for (const oplog::operation& op : all.operations) sums_.add(op);
    }

private:
    friend std::vector<difference> compare(const log_sums& before, const log_sums& after, double tolerance);
    detail::diff_sums sums_;
};

// `tolerance`: numbers that differ by no more than this part of the larger one are the same. The two sums are by the
// same dimensions.
[[nodiscard]] inline std::vector<difference> compare(const log_sums& before, const log_sums& after,
                                                     double tolerance = 0) {
    return detail::diff_compare(before.sums_, after.sums_, tolerance);
}
[[nodiscard]] inline std::vector<difference> compare(const oplog::document& before, const oplog::document& after,
                                                     double tolerance = 0) {
    log_sums was;
    log_sums now;
    was.add(before);
    now.add(after);
    return compare(was, now, tolerance);
}
[[nodiscard]] inline std::vector<difference> compare(const workload::document& before, const workload::document& after,
                                                     double tolerance = 0) {
    return detail::diff_compare(before, after, tolerance);
}
[[nodiscard]] inline std::vector<difference> compare(const table::document& before, const table::document& after,
                                                     double tolerance = 0) {
    return detail::diff_compare(before, after, tolerance);
}

// A difference as a line for people: `changed  forward_step  duration_ms  100.0 -> 112.0  +12.0 %`
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const difference& d) {
    return detail::diff_write(sink, d);
}
// As a line of JSON: {"change":"changed","item":...,"field":...,"before":...,"after":...,"ratio":...,"effect":...}.
// Values that are numbers are numbers; what is not there is null.
template <class Sink>
[[nodiscard]] error write_json(Sink&& sink, const difference& d) {
    return detail::diff_write_json(sink, d);
}

}  // namespace WLFMT_IMPL
}  // namespace diff
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
