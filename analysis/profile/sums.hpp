// Sums of the rows of profiler tables, by kind and name, in columns that do not depend on the version of PyTorch.
#ifndef WLFMT_ANALYSIS_PROFILE_SUMS_HPP
#define WLFMT_ANALYSIS_PROFILE_SUMS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include <wlfmt/table.hpp>

#include "../answers/bounded.hpp"
#include "../library.hpp"
#include "kinds.hpp"

namespace wlfmt::analysis {

// The columns that are summed up. Those that best show how heavy a name is come first.
inline constexpr std::string_view profile_columns[] = {"self_device_time_us",
                                                       "self_cpu_time_us",
                                                       "device_time_us",
                                                       "cpu_time_us",
                                                       "calls",
                                                       "flops",
                                                       "self_device_memory_bytes",
                                                       "self_cpu_memory_bytes",
                                                       "device_memory_bytes",
                                                       "cpu_memory_bytes",
                                                       "self_device_time_percent",
                                                       "self_cpu_time_percent",
                                                       "device_time_percent",
                                                       "cpu_time_percent"};
inline constexpr std::size_t profile_column_count = sizeof profile_columns / sizeof *profile_columns;
inline constexpr std::size_t first_share_place =
    profile_column_count - 4;  // the percentages of the four times, in the same order
inline constexpr std::size_t first_memory_place = first_share_place - 4;
enum profile_place : std::size_t { own_device, own_cpu, whole_device, whole_cpu, calls_place, flops_place };

// The position of a canonical name in profile_columns; profile_column_count if it is not there.
inline std::size_t profile_place_of(std::string_view name) noexcept {
    std::size_t n = 0;
    while (n != profile_column_count && profile_columns[n] != name) ++n;
    return n;
}

struct profile_sums {
    double values[profile_column_count] = {};
    std::uint32_t known = 0;  // a bit for each column in which a row has a value
    std::uint32_t lacks = 0;  // a bit for each column in which a row has none, or one that was not read
    bool has(std::size_t place) const noexcept { return (known >> place & 1U) != 0; }
    bool is_whole(std::size_t place) const noexcept { return (lacks >> place & 1U) == 0; }
    // What a row lacks is no less than 0, except for memory, of which a row may have freed more than it took.
    bounded sum(std::size_t place) const noexcept {
        return is_whole(place) ? bounded(values[place]) : bounded(values[place]) + lacking(place);
    }
    static constexpr bounded lacking(std::size_t place) noexcept {
        return place >= first_memory_place && place < first_share_place ? bounded::unknown() : bounded::no_less(0);
    }
    void add(std::size_t place, double v) noexcept {
        values[place] += v;
        known |= 1U << place;
    }
    friend bool operator==(const profile_sums& a, const profile_sums& b) noexcept {
        return a.known == b.known && a.lacks == b.lacks &&
               std::equal(std::begin(a.values), std::end(a.values), b.values);
    }
};
// The sums of all rows of one kind and name.
struct profile_name : profile_sums {
    std::string_view name = {};
    row_kind kind = row_kind::operation;
    std::uint32_t rows = 0;
    bool is_doubtful = false;  // a row of this name may be of either side, and is in no sum
};

// Whether a row's name is that of communication between ranks.
inline bool is_communication(std::string_view name) noexcept {
    for (const std::string_view word :
         {"nccl", "rccl", "hccl", "c10d", "all_reduce", "allreduce", "AllReduce", "all_gather", "allgather",
          "AllGather", "reduce_scatter", "ReduceScatter", "all_to_all", "alltoall", "AllToAll", "SendRecv"})
        if (name.find(word) != std::string_view::npos) return true;
    return false;
}

// Whether the table cut the name. Such a name may be that of several.
inline bool is_cut(std::string_view name) noexcept { return name.size() > 3 && name.substr(name.size() - 3) == "..."; }

// A row's name with spaces in place of no-break spaces, into which browsers and editors turn them.
inline constexpr std::string_view no_break_space = "\xC2\xA0";
inline std::string with_spaces(std::string_view name) {
    std::string spaced(name);
    for (std::size_t at = 0; (at = spaced.find(no_break_space, at)) != std::string::npos;)
        spaced.replace(at, no_break_space.size(), " ");
    return spaced;
}
// The same; a name that has any is put into `kept`.
inline std::string_view with_spaces(std::string_view name, std::deque<std::string>& kept) {
    if (name.find(no_break_space) == std::string_view::npos) return name;
    return kept.emplace_back(with_spaces(name));
}

// What is missing of the total of the device's time that a table names. Newer versions of PyTorch do not count
// annotations in it, older ones do; the table does not say which.
struct missing_device_time {
    bounded kernels;                  // of kernels without a row
    bounded rows;                     // what the rows have of the total
    bool is_sure = false;             // false if annotations may be the rest of the total
    bool counts_annotations = false;  // true if that is certain, as no row is missing
};

// Sums up the rows of a table, or of several, by name and kind. The names are views of the text.
class table_sums {
public:
    static constexpr std::uint32_t all_columns = (1U << profile_column_count) - 1;
    // Begins a table. `columns` are those of its rows; `wanted` has a bit for each column that is summed up.
    template <class Columns> void begin(const Columns& columns, std::uint32_t wanted = all_columns) {
        sources_.clear();
        name_ = 0;
        here_ = 0;
        std::size_t n = 0;
        bool named = false;
        for (const table::column& c : columns) {
            const table::column_meaning m = table::meaning_of(c.name);
            if (m.quantity == table::quantity::name && !named) {
                name_ = n;
                named = true;
            }
            has_groups_ = has_groups_ || divides_names(m.quantity);
            const std::size_t place = profile_place_of(m.name);
            if (place != profile_column_count && (wanted >> place & 1U) != 0) {
                sources_.push_back({n, place, m.scale});
                here_ |= 1U << place;
            }
            ++n;
        }
        columns_ = n;
        present_ |= here_;
    }
    std::string_view name_of(const table::row& r) const noexcept { return r[name_].text(); }
    // Adds a row under `name`: its own, or another one that lives as long as the text.
    void add(std::string_view name, const table::row& r) {
        if (r.cells.size() < columns_) return;  // not a row of the table
        const table::cell* const cells = r.cells.data();
        double values[profile_column_count] = {};
        std::uint32_t known = 0;
        std::uint32_t lacks = 0;
        for (const source& s : sources_) {
            const number& cell = cells[s.column].value();
            const double v = cell.value_or(std::numeric_limits<double>::quiet_NaN()) * s.scale;
            if (!(v - v == 0)) {  // not a finite number
                if (cell.is_text()) unread_ |= 1U << s.place;
                // PyTorch prints `--` for no FLOPs.
                if (cell.is_text() || s.place != flops_place) lacks |= 1U << s.place;
                continue;
            }
            values[s.place] += v;
            known |= 1U << s.place;
        }
        // A comment that a person left in place of rows.
        if (known == 0 && lacks == here_ && name.substr(0, 1) == "#") return;
        bool is_doubtful = false;
        profile_name& sums = at(is_launched(name, values, lacks, is_doubtful), name);
        ++sums.rows;
        if (is_doubtful) {
            has_doubtful_kinds_ = sums.is_doubtful = true;
            sums.lacks |= here_;
            return;
        }
        for (std::size_t place = 0; place != profile_column_count; ++place) sums.values[place] += values[place];
        sums.known |= known;
        sums.lacks |= lacks;
    }
    void add(const table::total& t) {
        const std::size_t place = profile_place_of(table::meaning_of(t.name).name);
        if (place != profile_column_count && t.value.value().has_value()) totals_.add(place, t.value.value_or(0.0));
    }
    // Call after the last row. Tells kernels from annotations by the rules of docs/scale.md, "Which operators of a
    // profiler table are heavy?". `merged`: the sums are of several tables, whose percentages cannot be added.
    void finish(bool merged = false) {
        for (const side& list : sides_)
            for (const profile_name& sums : list.names)
                has_groups_ = has_groups_ || (!merged && sums.rows > 1 && !is_cut(sums.name));
        for (profile_name& sums : sides_[1].names) {
            const profile_name* const host = find(false, sums.name);
            if (host != nullptr && host->is_doubtful) sums.lacks |= present_;
            const bool spans = host != nullptr && (host->values[own_cpu] > 0 || host->values[whole_cpu] > 0);
            const bool annotates = spans || is_annotation(sums.name) || exceeds_total(sums, merged) ||
                                   (merged && sums.kind == row_kind::annotation);
            sums.kind = is_device_work(sums.name) ? row_kind::kernel
                        : annotates               ? row_kind::annotation
                        : is_kernel(sums.name)    ? row_kind::kernel
                                                  : row_kind::device;
        }
        for (profile_name& sums : sides_[0].names)
            if (is_span(sums.name) && sums.name != "[memory]") sums.kind = row_kind::span;
    }

    // Adds another table's sums. `same`: the tables are of one profile, and the greater sum of each name counts.
    void merge(const table_sums& other, bool same) {
        present_ |= other.present_;
        unread_ |= other.unread_;
        has_doubtful_kinds_ = has_doubtful_kinds_ || other.has_doubtful_kinds_;
        // What one profile lacks, another one cannot replace; and it may be of any name.
        has_groups_ = has_groups_ || other.has_groups_ || !same;
        lacks_rows_ = lacks_rows_ || (!same && (lacks_rows() || other.lacks_rows()));
        combine(totals_, other.totals_, same);
        for (const bool launched : {false, true}) {
            for (const profile_name& from : other.names(launched)) {
                profile_name& sums = at(launched, from.name);
                if (from.kind == row_kind::annotation) sums.kind = from.kind;
                sums.is_doubtful = sums.is_doubtful || from.is_doubtful;
                sums.rows = same ? (std::max)(sums.rows, from.rows) : sums.rows + from.rows;
                combine(sums, from, same);
            }
        }
        finish(true);
    }
    // Whether all names of one of the two tables have the same sums in the other one.
    bool repeats(const table_sums& other) const {
        const table_sums& less = size() <= other.size() ? *this : other;
        const table_sums& more = &less == this ? other : *this;
        for (const bool launched : {false, true}) {
            for (const profile_name& sums : less.names(launched)) {
                const profile_name* const match = more.find(launched, sums.name);
                if (match == nullptr) return false;
                for (std::size_t n = 0; n != profile_column_count; ++n)
                    if (sums.has(n) && match->has(n) && sums.is_whole(n) && match->is_whole(n) &&
                        sums.values[n] != match->values[n])
                        return false;
            }
        }
        return less.size() != 0;
    }

    std::size_t size() const noexcept { return names(false).size() + names(true).size(); }
    bool has_column(std::size_t place) const noexcept { return (present_ >> place & 1U) != 0; }
    const profile_sums& totals() const noexcept { return totals_; }
    // The names of what the program called or, if `launched`, of what it launched: kernels and annotations.
    const std::vector<profile_name>& names(bool launched) const noexcept { return sides_[launched].names; }
    // The sum over all names of one kind; spans of the program are in that of operations. (Own times do not overlap.)
    bounded sum(std::size_t place, row_kind kind) const noexcept {
        bounded sum_of_names = has_doubtful_kinds_ ? profile_sums::lacking(place) : bounded();
        for (const profile_name& sums : names(kind != row_kind::operation))
            if (sums.kind == kind || kind == row_kind::operation) sum_of_names += sums.sum(place);
        return sum_of_names;
    }
    // Whether a row may be a kernel that is not among the kernels, as a cell that shows it was not read.
    bool has_doubtful_kinds() const noexcept { return has_doubtful_kinds_; }
    // Whether there are columns of the processor, which tell kernels from what launched them.
    bool tells_kinds() const noexcept { return has_column(own_cpu) || has_column(whole_cpu); }
    // Whether rows are missing, as PyTorch's row_limit leaves them out: a total that the table names is not reached.
    bool lacks_rows() const noexcept {
        if (lacks_rows_) return true;
        for (const std::size_t place : {own_device, own_cpu, whole_device, whole_cpu})
            if (is_short(place)) return true;
        return false;
    }
    // Whether the rows add up to less than the total of these times that the table names, rounding apart.
    bool is_short(std::size_t place) const noexcept {
        return place == own_device && kernels() != 0 ? missing_on_device().kernels != 0 : is_not_reached(place);
    }
    // What rows that are missing take of the device's time, by the total that the table names.
    missing_device_time missing_on_device() const noexcept {
        missing_device_time found;
        found.rows = kernels();
        const double total = totals_.values[own_device];
        const double rounding = rounding_of(total);
        if (!totals_.has(own_device) || !(found.rows.at_least() < total - rounding)) return found;
        const bounded spans = sum(own_device, row_kind::annotation);
        const bounded all = found.rows + spans;
        // Operators have the times of the kernels that they launched.
        const double launched = sum(own_device, row_kind::operation).at_least() - found.rows.at_most();
        const bool is_launched = found.rows != 0 && launched > rounding;
        const bool is_reached = all.is_exact() && std::fabs(all.number() - total) <= rounding;
        found.is_sure = is_launched || is_not_reached(own_cpu) || all.at_most() < total - rounding ||
                        (found.rows.is_exact() && all.at_least() > total + rounding);
        found.counts_annotations =
            found.rows.number() > 0 && spans.number() > 0 && is_reached && !found.is_sure && totals_.has(own_cpu);
        if (!found.counts_annotations)
            found.kernels = bounded::between(is_launched ? launched : 0, total - found.rows.at_least());
        // The total may count annotations: then their rows are a part of it, too.
        if (all.at_least() <= total + rounding) found.rows = hull(found.rows, all);
        return found;
    }
    // If rows are missing, whether a name that has one may have had more: of other shapes, for instance.
    bool may_lack_rows_of(std::string_view name) const noexcept { return has_groups_ || is_cut(name); }
    // The first of the four columns of times that has a value other than 0, or else profile_column_count.
    std::size_t weight() const noexcept {
        for (const std::size_t place : {own_device, own_cpu, whole_device, whole_cpu})
            if (has_measured(place)) return place;
        return profile_column_count;
    }
    bool has_measured(std::size_t place) const noexcept {
        if ((unread_ >> place & 1U) != 0) return true;
        for (const side& list : sides_)
            for (const profile_name& sums : list.names)
                if (sums.values[place] != 0) return true;
        return false;
    }
    // The column of shares for a column of times.
    static std::size_t share_of(std::size_t time) noexcept { return first_share_place + time; }
    // The column of the whole times that belong to a column of own times; a column of whole times is returned as it is.
    static std::size_t whole_of(std::size_t time) noexcept { return time <= own_cpu ? time + whole_device : time; }
    // Whether people want to see a column next to the one that shows how heavy a row is.
    static bool is_beside_weight(std::size_t place) noexcept {
        return place == own_cpu || place == whole_cpu || place == calls_place || is_memory(place);
    }
    static bool is_memory(std::size_t place) noexcept {
        return place >= first_memory_place && place < first_share_place;
    }
    const profile_name* find(bool launched, std::string_view name) const {
        const side& list = sides_[launched];
        const auto known = list.numbers.find(name);
        return known == list.numbers.end() ? nullptr : &list.names[known->second];
    }

private:
    struct source {
        std::size_t column;
        std::size_t place;
        double scale;
    };

    // A row without processor time was not called by the program: it is a kernel, or an annotation on the device.
    // Without columns of the processor only names tell.
    bool is_launched(std::string_view name, const double* values, std::uint32_t lacks,
                     bool& is_doubtful) const noexcept {
        if (!tells_kinds()) return is_device_work(name) || (is_kernel(name) && !is_operator(name));
        const std::size_t device = has_column(own_device) ? own_device : whole_device;
        const bool lacks_device = (lacks >> device & 1U) != 0;
        if (values[own_cpu] > 0 || values[whole_cpu] > 0 || !(values[device] > 0 || lacks_device)) return false;
        // No operator takes less time in all than by itself.
        is_doubtful = lacks_device || (lacks >> (has_column(whole_cpu) ? whole_cpu : own_cpu) & 1U) != 0;
        return !is_doubtful;
    }
    // Sums of printed numbers differ from a printed total by no more than this.
    static double rounding_of(double total) noexcept { return 0.001 * std::fabs(total); }
    bool is_not_reached(std::size_t place) const noexcept {
        if (place > whole_cpu || !totals_.has(place)) return false;
        const double total = totals_.values[place];
        return total - counted(place).at_least() > rounding_of(total);
    }
    // The sum of the rows that a total counts.
    bounded counted(std::size_t place) const noexcept {
        const bounded operators = sum(place, row_kind::operation);
        if (place == own_device) return operators;  // without kernels, whose times they have in them
        return operators + sum(place, row_kind::kernel) + sum(place, row_kind::device) +
               sum(place, row_kind::annotation);
    }
    bounded kernels() const noexcept { return sum(own_device, row_kind::kernel) + sum(own_device, row_kind::device); }
    // Whether rows of one name differ in such a column.
    static bool divides_names(table::quantity q) noexcept {
        return q == table::quantity::overload_name || q == table::quantity::input_shapes ||
               q == table::quantity::source || q == table::quantity::node_id;
    }
    // Whether a name is that of an operator: `aten::mm`, without what a kernel's signature has.
    static bool is_operator(std::string_view name) noexcept {
        return name.find("::") != std::string_view::npos && name.find_first_of("<( ") == std::string_view::npos;
    }
    // Whether a name is one that programs give to parts of themselves: one of PyTorch's or one that, like no kernel's,
    // begins with a bracket or contains a colon and a blank.
    static bool is_annotation(std::string_view name) noexcept {
        return is_span(name) || name.substr(0, 5) == "nccl:" || name.find(": ") != std::string_view::npos;
    }
    static bool is_span(std::string_view name) noexcept {
        for (const std::string_view known :
             {"ProfilerStep", "Optimizer.", "##", "nn.Module", "DistributedDataParallel.", "["})
            if (name.substr(0, known.size()) == known) return true;
        return false;
    }
    // Whether the device itself does this, even if something else, such as the launch of a Triton kernel, has the name.
    static bool is_device_work(std::string_view name) noexcept {
        for (const std::string_view known : {"Memcpy ", "Memset ", "ncclKernel", "ncclDevKernel", "triton_"})
            if (name.substr(0, known.size()) == known) return true;
        return false;
    }
    // Whether the name is one that compilers and libraries give kernels: a function's signature, or words of their own.
    static bool is_kernel(std::string_view name) noexcept {
        for (const std::string_view word :
             {"void ",    "::",          "<",          "(",      "kernel", "Kernel", "gemm",  "gemv", "triton_",
              "cutlass",  "cudnn",       "xmma",       "nvjet",  "fmha",   "flash_", "_fwd",  "_bwd", "Cijk_",
              "winograd", "elementwise", "vectorized", "fused_", "sm80_",  "sm90_",  "sm100_"})
            if (name.find(word) != std::string_view::npos) return true;
        return false;
    }
    // No kernel takes more of the device's time than all kernels do, by the total or by the table's own percentages.
    bool exceeds_total(const profile_name& sums, bool merged) const noexcept {
        constexpr double rounding = 1.001;
        const double total = totals_.has(own_device) ? totals_.values[own_device] : 0;
        return (total > 0 && sums.values[own_device] > total * rounding) ||
               (!merged && sums.values[share_of(own_device)] > 100 * rounding);
    }
    static void combine(profile_sums& sums, const profile_sums& from, bool same) noexcept {
        for (std::size_t n = 0; n != profile_column_count; ++n) {
            if (!same) sums.values[n] += from.values[n];
            else if (std::fabs(from.values[n]) > std::fabs(sums.values[n])) sums.values[n] = from.values[n];
        }
        sums.known |= from.known;
        sums.lacks |= from.lacks;
    }
    struct side {
        std::vector<profile_name> names;
        std::unordered_map<std::string_view, std::size_t> numbers;
    };
    profile_name& at(bool launched, std::string_view name) {
        side& list = sides_[launched];
        std::vector<profile_name>& names = list.names;
        const std::size_t n = list.numbers.try_emplace(name, names.size()).first->second;
        if (n != names.size()) return names[n];
        // Names are large, and are moved when the list grows.
        if (n == names.capacity()) names.reserve((std::max)(std::size_t{16}, 4 * n));
        static constexpr profile_name nothing;
        names.push_back(nothing);
        profile_name& added = names[n];
        added.name = name;
        if (launched) added.kind = row_kind::kernel;
        return added;
    }

    std::vector<source> sources_;
    std::size_t columns_ = 0;
    std::size_t name_ = 0;
    std::uint32_t present_ = 0;  // a bit for each column of any table
    std::uint32_t here_ = 0;     // a bit for each column of the current table
    std::uint32_t unread_ = 0;   // a bit for each column with a cell that was not read
    bool has_doubtful_kinds_ = false;
    bool has_groups_ = false;  // a name may have several rows
    bool lacks_rows_ = false;  // one of several profiles lacks rows
    profile_sums totals_;
    std::array<side, 2> sides_;
};
}  // namespace wlfmt::analysis

#endif
