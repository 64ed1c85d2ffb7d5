// A profiler table's rows by kind and name, the heaviest first.
//
//     const wlfmt::analysis::by_name names(profile);
//     for (const auto* kernel : names.heaviest(wlfmt::analysis::row_kind::kernel))
//         std::cout << kernel->name << ' ' << kernel->weight.at_least() << " us or more\n";
//
// A row's weight is its self time on the device if the table has measured it, else on the CPU, else a total time. Where
// a cell was not read, a sum is a lower limit; that of memory, which may be negative, is unknown.
#ifndef WLFMT_ANALYSIS_PROFILE_BY_NAME_HPP
#define WLFMT_ANALYSIS_PROFILE_BY_NAME_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <wlfmt/table.hpp>

#include "../answers/bounded.hpp"
#include "../library.hpp"
#include "sums.hpp"

namespace wlfmt::analysis {

// The sums of all rows of one kind and name.
struct named_rows {
    row_kind kind = row_kind::operation;
    std::string name;
    std::size_t rows = 0;
    bounded weight;                      // the sum of the weight column, in microseconds
    bounded total = bounded::unknown();  // the sum of total_column(), in microseconds
    // In percent: the sum of the table's own percentages, or the share of the total that the table names; empty if it
    // has neither, or a cell was not read. Never a share of the sum of all rows, which counts time repeatedly.
    std::optional<double> share;
    std::vector<bounded> extra;  // the sum of each of the extra columns
};

// Keeps no view of the table. Takes as long as sorting its names. Throws nothing but std::bad_alloc.
class by_name {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    explicit by_name(const table::profile& table) {
        table_sums sums;
        std::deque<std::string> kept;
        sums.begin(table.columns);
        for (const table::row& r : table.rows()) sums.add(with_spaces(sums.name_of(r), kept), r);
        for (const table::total& t : table.totals) sums.add({t.name, table.find_total(t.name)});
        sums.finish();
        has_doubtful_kinds_ = sums.has_doubtful_kinds();
        tells_kinds_ = sums.tells_kinds();
        missing_ = sums.missing_on_device();
        const bool lacks_rows = sums.lacks_rows();
        const std::size_t weight = sums.weight();
        if (weight == profile_column_count) return;
        total_ = (std::max)(sums.totals().values[weight], 0.0);
        const std::size_t whole = table_sums::whole_of(weight);
        std::vector<std::size_t> places;
        for (std::size_t n = 0; n != table.columns.size(); ++n) {
            const std::size_t place = profile_place_of(table::meaning_of(table.columns[n].name).name);
            if (place == whole && whole != weight && total_column_ == none) total_column_ = n;
            if (place == weight && weight_ == none) {
                weight_ = n;
            } else if (table_sums::is_beside_weight(place)) {
                extra_.push_back(n);
                places.push_back(place);
            }
        }
        const std::size_t share = table_sums::share_of(weight);
        for (const bool launched : {false, true})
            for (const profile_name& sums_of_name : sums.names(launched)) {
                names_.push_back({sums_of_name.kind,
                                  std::string(sums_of_name.name),
                                  sums_of_name.rows,
                                  sums_of_name.sum(weight),
                                  bounded::unknown(),
                                  {},
                                  {}});
                named_rows& named = names_.back();
                if (total_column_ != none) named.total = sums_of_name.sum(whole);
                if (sums_of_name.has(share) && sums_of_name.is_whole(share)) named.share = sums_of_name.values[share];
                else if (total_ > 0 && named.weight.is_exact()) named.share = 100 * named.weight.number() / total_;
                for (const std::size_t place : places) named.extra.push_back(sums_of_name.sum(place));
                if (lacks_rows && sums.may_lack_rows_of(sums_of_name.name)) names_may_lack_rows_ = true;
            }
    }

    // The column of the weights; `none` if no column measured a time, in which case there are no names.
    std::size_t weight() const noexcept { return weight_; }
    // The column with the total times that belong to the self times of weight(), or `none`.
    std::size_t total_column() const noexcept { return total_column_; }
    // The total of weight() as the table names it, in microseconds; 0 if it does not.
    double total() const noexcept { return total_; }
    // What rows that are missing take of the device's time.
    const missing_device_time& missing_on_device() const noexcept { return missing_; }
    // Whether rows may be missing that have names listed here. Then these sums are only of the rows that are there.
    bool names_may_lack_rows() const noexcept { return names_may_lack_rows_; }
    // Whether rows may be kernels that are not among them, as cells that would show it were not read.
    bool has_doubtful_kinds() const noexcept { return has_doubtful_kinds_; }
    // Whether columns of the processor tell kernels from operators; if not, only names do.
    bool tells_kinds() const noexcept { return tells_kinds_; }
    // The columns of the processor's times, of memory and of calls, unless they are the weight column.
    const std::vector<std::size_t>& extra() const noexcept { return extra_; }
    // The names of a kind, the heaviest first. They are valid as long as this object lives.
    std::vector<const named_rows*> heaviest(row_kind kind) const {
        std::vector<const named_rows*> order;
        for (const named_rows& named : names_)
            if (named.kind == kind) order.push_back(&named);
        std::stable_sort(order.begin(), order.end(),
                         [](const auto* a, const auto* b) { return comes_before(a->weight, b->weight); });
        return order;
    }

private:
    std::size_t weight_ = none;
    std::size_t total_column_ = none;
    double total_ = 0;
    missing_device_time missing_;
    bool names_may_lack_rows_ = false;
    bool has_doubtful_kinds_ = false;
    bool tells_kinds_ = true;
    std::vector<std::size_t> extra_;
    std::vector<named_rows> names_;
};

}  // namespace wlfmt::analysis

#endif
