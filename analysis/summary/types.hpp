// What a summary (summary.hpp) makes of op logs: measures, tallies, sums of ranks.
#ifndef WLFMT_ANALYSIS_SUMMARY_TYPES_HPP
#define WLFMT_ANALYSIS_SUMMARY_TYPES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../library.hpp"
#include "wide.hpp"

namespace wlfmt::analysis {
struct summary_access;
struct summary_json;
struct counted_bucket {
    std::int32_t index = 0;
    std::uint64_t count = 0;
};

// What a summary can be broken down by. Several dimensions are joined with `|`.
enum class dimension : std::uint8_t {
    none = 0,
    operation = 1,
    collective = 2,  // comm_func: nested operations are counted, under the operation around them
    group = 4,       // the communication group: group_kind, or a nested operation's own group
    stage = 8,
    state = 16,  // mg_state
    rank = 32
};
// "operation", "group"; "several" if several are joined.
[[nodiscard]] std::string_view name_of(dimension d) noexcept;
[[nodiscard]] constexpr bool has(dimension set, dimension d) noexcept {
    return (static_cast<unsigned>(set) & static_cast<unsigned>(d)) != 0;
}
[[nodiscard]] constexpr dimension operator|(dimension a, dimension b) noexcept {
    return static_cast<dimension>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

// A value, and how many of the values that were added are within 1/128 of it.
struct measured_bucket {
    double value = 0;
    std::uint64_t count = 0;
};

// Count, sum, extremes, mean, deviation and quantiles of integers that stand for decimals with that many digits after
// the point. Quantiles come from a sketch of the kind of DDSketch (Masson, Rim and Lee, "DDSketch: a fast and
// fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019) with its linearly interpolated mapping in
// integers, 64 buckets for each power of two: quantile() is within 1/128 of the value that was added.
template <unsigned Decimals> class measure {
public:
    // Returns false, and adds nothing, unless -2^62 < value < 2^62.
    bool add(std::int64_t value);
    void merge(const measure& other);

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    // In the unit (milliseconds, bytes); 0 if nothing was added.
    [[nodiscard]] double sum() const noexcept { return sum_.as_double() / scale; }
    [[nodiscard]] double least() const noexcept { return static_cast<double>(min_) / scale; }
    [[nodiscard]] double greatest() const noexcept { return static_cast<double>(max_) / scale; }
    [[nodiscard]] double mean() const noexcept { return count_ == 0 ? 0 : sum() / static_cast<double>(count_); }
    // The deviation of the values that were added (the population), not an estimate from a sample.
    [[nodiscard]] double standard_deviation() const noexcept;
    // The smallest v such that at least this fraction of the values is <= v: 0.5 is the lower median, 0 the least
    // value, 1 the greatest. The result is within 1/128 of it, so no more than three digits are meaningful.
    [[nodiscard]] double quantile(double part) const noexcept;
    // The buckets of the sketch, for histograms, in ascending order of their values.
    using bucket = measured_bucket;
    [[nodiscard]] std::vector<bucket> buckets() const;
    // The exact sum, least and greatest value as decimal texts.
    [[nodiscard]] std::string sum_text() const { return sum_.text(Decimals); }
    [[nodiscard]] std::string least_text() const { return wide(min_).text(Decimals); }
    [[nodiscard]] std::string greatest_text() const { return wide(max_).text(Decimals); }

private:
    friend struct summary_access;
    friend struct summary_json;
    double value_of(const counted_bucket& b) const noexcept;
    static constexpr double scale = Decimals == 0 ? 1 : 1000000;
    static_assert(Decimals == 0 || Decimals == 6, "bytes, or milliseconds");

    std::uint64_t count_ = 0;
    wide sum_;
    wide squares_;
    std::int64_t min_ = 0;
    std::int64_t max_ = 0;
    std::vector<counted_bucket> buckets_;  // sorted by index
};

extern template class measure<0>;
extern template class measure<6>;

// What a summary knows of the operations that have the same values in the dimensions of a breakdown.
struct tally {
    measure<6> duration;  // milliseconds
    // Milliseconds between the end of an operation and the beginning of the next one of the same rank, from timestamps,
    // which tracers take at the end, and durations. Below 0 if operations overlap. Nested operations have no gaps.
    measure<6> gap;
    // The size of the tensors that are communicated: input__shape times the size of input__dtype, if both are known.
    measure<0> bytes;
    std::uint64_t records = 0;
    std::uint64_t unmeasured = 0;  // records without a duration that is a number
    // Records that repeat the time of the record before them, as a combined send and receive is written twice. The time
    // is counted once.
    std::uint64_t doubles = 0;

    // Milliseconds of communication in the durations: all of an operation that is communication as a whole, else its
    // nested collectives, up to the operation's time. Computation is the rest, as in Echo's analysis.
    [[nodiscard]] double communication() const noexcept { return communication_.as_double() / 1e6; }
    [[nodiscard]] double computation() const noexcept { return duration.sum() - communication(); }
    // Milliseconds by which nested collectives outlast the operations that they are in, having run alongside them.
    [[nodiscard]] double overlap() const noexcept { return overlap_.as_double() / 1e6; }

private:
    friend struct summary_access;
    friend struct summary_json;
    wide communication_;
    wide overlap_;
};

// A tally with the values that its operations share: those of the dimensions that were asked for. Texts are as in the
// log, "None" included; empty if the key is missing.
struct tally_row {
    std::string operation;
    std::string collective;
    std::string group;
    std::string state;
    std::optional<std::int64_t> stage;
    std::optional<std::int64_t> rank;
    analysis::tally tally;
};

// Which text a rank's records come from.
struct text_source {
    std::uint64_t texts = 0;  // the number of texts with records of this rank; if it is above 1, the sums mix runs
    std::string run;          // the file's name without the rank and the time (run.hpp)
    std::int64_t time = 0;    // the time in its name as a number, 20240923205004; 0 if it has none
};

// What a summary knows of a rank. All times in milliseconds.
struct rank_total {
    std::int64_t rank = 0;
    std::optional<std::int64_t> stage;  // the lowest that its operations name
    std::uint64_t operations = 0;
    std::uint64_t nested = 0;
    std::uint64_t unmeasured = 0;  // operations without a duration that is a number
    std::uint64_t doubles = 0;     // operations whose time is that of the one before them
    std::uint64_t negative = 0;    // the unmeasured operations whose duration is below 0
    text_source source;
    double busy = 0;           // the sum of the durations of its operations
    double communication = 0;  // the part of busy that is communication
    double pipeline = 0;       // the part of communication spent on messages between stages, waiting included
    // The time from the beginning of its first operation to the end of its last; empty without timestamps.
    std::optional<double> span;

    [[nodiscard]] double computation() const noexcept { return busy - communication; }
    // The time of the span that no operation fills. Empty if it is not known: without timestamps, in several texts, if
    // an operation has no duration, or if operations overlap so much that they have no room in the span.
    [[nodiscard]] std::optional<double> idle() const noexcept {
        const bool is_known = span && source.texts <= 1 && unmeasured == 0 && *span >= busy;
        return is_known ? std::optional<double>(*span - busy) : std::nullopt;
    }
};

}  // namespace wlfmt::analysis

#endif
