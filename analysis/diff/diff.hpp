// wlfmt/diff.hpp: what two documents of one format say differently. Not included by wlfmt.hpp.
//
//     const auto found = wlfmt::diff::compare(*before, *after, 0.05);   // numbers within 5 % are the same
//     for (const auto& d : found) std::cout << d.item << ' ' << d.field << ' ' << d.before << " -> " << d.after <<
//     '\n';
//
// The contents of the files are compared, not their layout:
//   op logs    by rank and operation, or other dimensions: how many operations there are (`count`), how many of them
//              have no duration or None (`unmeasured`), or a duration that is not a finite number (`not_a_number`), and
//              how many milliseconds the others take together, to the nanosecond (`duration_ms`). So 0 is not None, and
//              nan equals only nan. A combined exchange, which the tracer writes twice, is two operations, but its time
//              counts once. Nested collectives, `rank 7: forward_step: allreduce (tp)`, are compared in the same way if
//              the operations around them do not differ, or if dimension::collective asks for them. Two logs of one
//              rank each are compared without the rank; if their ranks differ, that is one difference, `rank`.
//              Timestamps and other attributes are not compared.
//   workloads  the header's entries, and all fields of each layer. The n-th layer of a name is compared with the n-th
//              of that name; layers in another order are one difference, `order`.
//   tables     all columns of each row, each in one unit, and the totals. Rows are the same if name, overload, shapes
//              and node are; the n-th of such rows is compared with the n-th. A cell without a value differs from 0.
//
// Differences are sorted by their effect, the greatest first. The effect of a difference is its share of the sum over
// the whole file, in the file with the greater sum. In op logs all effects are shares of the time of all operations:
// one more operation counts as much as the time it takes. In workloads and tables each quantity (compute, bytes, a
// column) has its own sum. Differences between texts come first.
#ifndef WLFMT_ANALYSIS_DIFF_DIFF_HPP
#define WLFMT_ANALYSIS_DIFF_DIFF_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "compare.hpp"
#include "tables.hpp"
#include <wlfmt/error.hpp>
#include <wlfmt/oplog.hpp>
#include <wlfmt/table.hpp>
#include "types.hpp"
#include <wlfmt/types/sink.hpp>
#include "../summary/types.hpp"
#include <wlfmt/workload.hpp>

namespace wlfmt::analysis::diff {

// Adds up a run's op logs record by record, from one file or several. Memory grows with the number of different items.
class log_sums {
public:
    // `by`: the dimensions that distinguish the items.
    explicit log_sums(dimension by = dimension::rank | dimension::operation) noexcept
        : sums_(by) {}
    void add(const oplog::operation& op) { sums_.add(op); }
    void add(const oplog::document& log) {
        for (const oplog::operation& op : log.operations) sums_.add(op);
    }

private:
    friend std::vector<difference> compare(const log_sums& before, const log_sums& after, double tolerance);
    diff_sums sums_;
};

// Numbers that differ by at most `tolerance` times the larger one are the same. Add up both with the same dimensions.
[[nodiscard]] inline std::vector<difference> compare(const log_sums& before, const log_sums& after,
                                                     double tolerance = 0) {
    return diff_compare(before.sums_, after.sums_, tolerance);
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
    return diff_compare(before, after, tolerance);
}
[[nodiscard]] inline std::vector<difference> compare(const table::document& before, const table::document& after,
                                                     double tolerance = 0) {
    return diff_compare(before, after, tolerance);
}

// The sums of a file's profiler tables by name, to compare with those of another file: operators, kernels and
// annotations are kept apart, rows of one name are added up whatever their shapes, and columns are matched by what they
// measure. Tables of one profile, sorted or grouped in different ways, count once; different profiles are added up.
// Refers to the text, and takes time linear in its length.
class profile {
public:
    // `fold_names`: names that differ only in numbers that compilers add, or in template arguments, are the same:
    // `add_12` and `add_13`, `k<float>(int)` and `k<half>(int)`. `columns`: what to compare besides times and calls,
    // named as in profile_options::columns.
    explicit profile(bool fold_names = false, const std::vector<std::string>& columns = {})
        : state_(fold_names, columns) {}
    // A single column's name does not compile: as a pointer it would become fold_names.
    template <class T> explicit profile(const T*, const std::vector<std::string>& = {}) = delete;
    // Adds all tables that the reader has not read yet; if that ends with an error, what comes before it.
    void add(table::reader& tables) { state_.add_tables(tables); }
    std::size_t tables() const noexcept { return state_.tables(); }
    std::size_t profiles() const noexcept { return state_.profiles(); }

private:
    friend profile_difference compare(const profile& before, const profile& after, const profile_options& options);
    diff_profile state_;
};
[[nodiscard]] inline profile_difference compare(const profile& before, const profile& after,
                                                const profile_options& options = {}) {
    return diff_profile_comparison(before.state_, after.state_, options).run();
}

// Writes a difference as a line for people: `changed  forward_step  duration_ms  100.0 -> 112.0  +12.0 %`
template <class Sink, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const difference& d) {
    return diff_write(sink, d);
}
// Writes a difference as a line of JSON:
// {"change":"changed","item":...,"field":...,"before":...,"after":...,"ratio":...,"effect":...}. Numbers stay numbers;
// a missing value is null, as is a ratio of 0, which is unknown.
template <class Sink, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_json(Sink&& sink, const difference& d) {
    return diff_write_json(any_sink(sink), d, [](const auto&) {});
}
// The same, followed by the members that `more(line)` writes, as in json::write_object().
template <class Sink, class More, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write_json(Sink&& sink, const difference& d, const More& more) {
    return diff_write_json(any_sink(sink), d, more);
}

}  // namespace wlfmt::analysis::diff

#endif
