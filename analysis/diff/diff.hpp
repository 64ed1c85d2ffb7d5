// What two documents of one format say differently.
//
//     const auto found = wlfmt::analysis::diff::compare(*before, *after, 0.05);   // numbers within 5 % are the same
//     for (const auto& d : found) std::cout << d.item << ' ' << d.field << ' ' << d.before << " -> " << d.after;
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
#include <memory>
#include <string>
#include <vector>

#include <wlfmt/json.hpp>
#include <wlfmt/oplog.hpp>
#include <wlfmt/table.hpp>
#include <wlfmt/workload.hpp>

#include "../callback.hpp"
#include "../library.hpp"
#include "../output.hpp"
#include "../summary/types.hpp"
#include "types.hpp"

namespace wlfmt::analysis {
class diff_profile;
class diff_sums;
}  // namespace wlfmt::analysis

namespace wlfmt::analysis::diff {

// Adds up a run's op logs record by record, from one file or several. Memory grows with the number of different items.
class log_sums {
public:
    // `by`: the dimensions that distinguish the items.
    explicit log_sums(dimension by = dimension::rank | dimension::operation);
    log_sums(log_sums&&) noexcept;
    log_sums& operator=(log_sums&&) noexcept;
    ~log_sums();
    void add(const oplog::operation& op);
    void add(const oplog::document& log);

private:
    friend std::vector<difference> compare(const log_sums& before, const log_sums& after, double tolerance);
    std::unique_ptr<diff_sums> sums_;
};

// Numbers that differ by at most `tolerance` times the larger one are the same. Add up both with the same dimensions.
[[nodiscard]] std::vector<difference> compare(const log_sums& before, const log_sums& after, double tolerance = 0);
[[nodiscard]] std::vector<difference> compare(const oplog::document& before, const oplog::document& after,
                                              double tolerance = 0);
[[nodiscard]] std::vector<difference> compare(const workload::document& before, const workload::document& after,
                                              double tolerance = 0);
[[nodiscard]] std::vector<difference> compare(const table::document& before, const table::document& after,
                                              double tolerance = 0);

// The sums of a file's profiler tables by name, to compare with those of another file: operators, kernels and
// annotations are kept apart, rows of one name are added up whatever their shapes, and columns are matched by what they
// measure. Tables of one profile, sorted or grouped in different ways, count once; different profiles are added up.
// Refers to the text, and takes time linear in its length.
class profile {
public:
    // `fold_names`: names that differ only in numbers that compilers add, or in template arguments, are the same:
    // `add_12` and `add_13`, `k<float>(int)` and `k<half>(int)`. `columns`: what to compare besides times and calls,
    // named as in profile_options::columns.
    explicit profile(bool fold_names = false, const std::vector<std::string>& columns = {});
    profile(profile&&) noexcept;
    profile& operator=(profile&&) noexcept;
    ~profile();
    // Adds all tables that the reader has not read yet; if that ends with an error, what comes before it.
    void add(table::reader& tables);
    [[nodiscard]] std::size_t tables() const noexcept;
    [[nodiscard]] std::size_t profiles() const noexcept;

private:
    friend profile_difference compare(const profile& before, const profile& after, const profile_options& options);
    std::unique_ptr<diff_profile> state_;
};
[[nodiscard]] profile_difference compare(const profile& before, const profile& after,
                                         const profile_options& options = {});

// Writes a difference as a line for people: `changed  forward_step  duration_ms  100.0 -> 112.0  +12.0 %`
void write(output& to, const difference& d);
// Writes a difference as a line of JSON:
// {"change":"changed","item":...,"field":...,"before":...,"after":...,"ratio":...,"effect":...}. Numbers stay numbers;
// a missing value is null, as is a ratio of 0, which is unknown. Then come the members that `more(line)` writes, if
// any, as in json::write_object().
void write_json(output& to, const difference& d);
void write_json(output& to, const difference& d, const callback<void(json::line&)>& more);

}  // namespace wlfmt::analysis::diff

#endif
