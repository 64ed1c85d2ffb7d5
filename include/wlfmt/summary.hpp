// wlfmt/summary.hpp: what op logs say in sum, in a form that can be added up over files, threads and machines. Not
// included by wlfmt.hpp.
//
//     wlfmt::oplog::summary run;
//     run.begin_text();
//     while (const auto* op = log.next()) run.add(*op);
//     run.merge(of_other_ranks);                        // in any order: the same bits
//     for (const auto& row : run.rows(wlfmt::oplog::dimension::operation))
//         std::cout << row.operation << ' ' << row.tally.duration.mean() << " ms\n";
//     const auto e = wlfmt::oplog::write(std::cout, run);   // one line of JSON, which read_summary() reads
//
// Whatever the order in which operations are added and summaries are merged, the answer is the same bit for bit, on
// every machine: all sums are sums of integers. Times are counted in millionths of a millisecond: what is written with
// up to six decimals is exact, further decimals are rounded to the nearest, and nan, None, a text and what is beyond
// 2^61 of them (73 years) are `unmeasured`.
#include "version.hpp"

#ifndef WLFMT_SUMMARY_HPP
#define WLFMT_SUMMARY_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "detail/base/temporary.hpp"
#include "detail/summary/wide.hpp"
#include "error.hpp"
#include "oplog.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
struct summary_access;
struct summary_json;
}  // namespace detail

namespace oplog {

// What a summary is broken down by; several of them joined with `|`.
enum class dimension : std::uint8_t {
    none = 0,
    operation = 1,
    collective = 2,  // comm_func: what is counted are nested operations, each with what encloses it
    group = 4,       // the communication group: group_kind, of a nested operation its own group
    stage = 8,
    state = 16,  // mg_state
    rank = 32
};
[[nodiscard]] std::string_view name_of(dimension d) noexcept;  // "operation"; "several" for several
[[nodiscard]] constexpr bool has(dimension all, dimension one) noexcept {
    return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}
[[nodiscard]] constexpr dimension operator|(dimension a, dimension b) noexcept {
    return static_cast<dimension>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

// Count, sum, extremes, mean, deviation and quantiles of integers that stand for decimals with that many digits after
// the point. Quantiles come from a sketch of the kind of DDSketch (Masson, Rim and Lee, "DDSketch: a fast and
// fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019) with its linearly interpolated mapping in
// integers, 64 buckets for each power of two: what quantile() says is within 1/128 of the value that is there.
template <unsigned Decimals>
class measure {
public:
    // False, and nothing is added, where the value is not between -2^62 and 2^62.
    bool add(std::int64_t value);
    void merge(const measure& other);

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    // In the unit (milliseconds, bytes); 0 where nothing was added.
    [[nodiscard]] double sum() const noexcept { return sum_.as_double() / scale; }
    [[nodiscard]] double least() const noexcept { return static_cast<double>(min_) / scale; }
    [[nodiscard]] double greatest() const noexcept { return static_cast<double>(max_) / scale; }
    [[nodiscard]] double mean() const noexcept { return count_ == 0 ? 0 : sum() / static_cast<double>(count_); }
    // Of the values that were added (the population), not an estimate from a sample.
    [[nodiscard]] double standard_deviation() const noexcept;
    // The value that this part of all values does not exceed: 0.5 is the median, 0 the least, 1 the greatest.
    [[nodiscard]] double quantile(double part) const noexcept;
    // The exact sum as a decimal text.
    [[nodiscard]] std::string sum_text() const { return sum_.text(Decimals); }

private:
    friend struct detail::summary_access;
    friend struct detail::summary_json;
    struct bucket {
        std::int32_t index;
        std::uint64_t count;
    };
    static constexpr double scale = Decimals == 0 ? 1 : 1000000;
    static_assert(Decimals == 0 || Decimals == 6, "bytes, or milliseconds");

    std::uint64_t count_ = 0;
    detail::wide sum_;
    detail::wide squares_;
    std::int64_t min_ = 0;
    std::int64_t max_ = 0;
    std::vector<bucket> buckets_;  // by index
};

// What a summary knows of the operations that have the same values in the dimensions of a breakdown.
struct tally {
    measure<6> duration;  // milliseconds
    // Milliseconds between the end of an operation and the beginning of the next one of the same rank, from timestamps,
    // which tracers take at the end, and durations. Below 0 where operations overlap. Nested operations have no gaps.
    measure<6> gap;
    // The size of the tensors that are communicated: input__shape times the size of input__dtype, where both are known.
    measure<0> bytes;
    std::uint64_t records = 0;
    std::uint64_t unmeasured = 0;  // records without a duration that is a number

    // Milliseconds of communication in the durations: all of an operation that is communication (is_communication()),
    // else its nested collectives, as far as the operation lasts. Computation is the rest, as Echo's analysis has it.
    [[nodiscard]] double communication() const noexcept { return communication_.as_double() / 1e6; }
    [[nodiscard]] double computation() const noexcept { return duration.sum() - communication(); }
    // Milliseconds by which nested collectives last longer than the operations that they are in: they ran beside them.
    [[nodiscard]] double overlap() const noexcept { return overlap_.as_double() / 1e6; }

private:
    friend struct detail::summary_access;
    friend struct detail::summary_json;
    detail::wide communication_;
    detail::wide overlap_;
};

// A tally with the values that its operations share: those of the dimensions that were asked for. Texts are as in the
// log, "None" included; empty where the key is missing.
struct tally_row {
    std::string operation;
    std::string collective;
    std::string group;
    std::string state;
    std::optional<std::int64_t> stage;
    std::optional<std::int64_t> rank;
    oplog::tally tally;
};

// What a summary knows of a rank. All times in milliseconds.
struct rank_total {
    std::int64_t rank = 0;
    std::optional<std::int64_t> stage;  // the lowest that its operations name
    std::uint64_t operations = 0;
    std::uint64_t nested = 0;
    double busy = 0;           // the durations of its operations
    double communication = 0;  // the part of busy that is communication
    double pipeline = 0;       // the part of communication spent on messages between stages, waiting included
    std::optional<double>
        span;  // from the beginning of its first operation to the end of its last, where timestamps tell

    [[nodiscard]] double computation() const noexcept { return busy - communication; }
    // The time of the span that no operation fills; below 0 where operations overlap, 0 without timestamps.
    [[nodiscard]] double idle() const noexcept { return span ? *span - busy : 0; }
    // The part of the span in which the rank waits for other stages, or does nothing: (idle + pipeline) / span.
    [[nodiscard]] double bubble() const noexcept { return span && *span > 0 ? (idle() + pipeline) / *span : 0; }
};

// Is the operation communication as a whole: send_forward, dp_allreduce, ddp_grad_comm, ...?
[[nodiscard]] bool is_communication(std::string_view op) noexcept;

inline namespace WLFMT_IMPL {

// Copies are independent. Adding takes constant time; memory grows with the number of different values in the
// breakdowns, and of ranks, not with that of operations. Throws nothing but std::bad_alloc.
class summary {
public:
    // By operation; by collective and group; by stage.
    summary() : summary({dimension::operation, dimension::collective | dimension::group, dimension::stage}) {}
    explicit summary(std::vector<dimension> breakdowns);

    // A new text begins: there is no gap before its first operations. The summary then is that of whole texts.
    void begin_text() { begin_part({}, 0); }
    // A part of a text begins at this offset (pieces.hpp, stream.hpp), and ends at the offset at which the next part
    // begins; that of the last part is byte_range().end. `text` tells the texts apart. Once the parts before and after
    // it are merged, the gaps between their operations are added: parts that cover a text give the text's summary.
    void begin_part(std::string_view text, std::uint64_t begin);
    void end_part(std::uint64_t end);
    // With its nested operations, which it walks. What is added is what the members say, edited or not.
    void add(const operation& op);
    // False, and nothing is changed, where the other summary has other breakdowns.
    [[nodiscard]] bool merge(const summary& from);
    // The same in less memory, as what the other summary knows of ranks moves. It can then only be destroyed or
    // assigned.
    [[nodiscard]] bool merge(summary&& from);

    [[nodiscard]] const std::vector<dimension>& breakdowns() const noexcept { return dimensions_; }
    // The rows of one breakdown, ordered by its dimensions; empty if the summary does not have that breakdown.
    [[nodiscard]] std::vector<tally_row> rows(dimension by) const;
    // By rank, the lowest first.
    [[nodiscard]] std::vector<rank_total> ranks() const;
    // Calls each(rank_total) in the same order without making a list.
    template <class Each>
    void for_each_rank(Each&& each) const;
    [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
    [[nodiscard]] std::uint64_t nested() const noexcept { return nested_; }
    // Nested operations that are a text, not key=value: whatever they say is in no sum.
    [[nodiscard]] std::uint64_t nested_texts() const noexcept { return nested_texts_; }
    // Of the operations, those of scheduling plans (`stage:N:`), which are of no rank.
    [[nodiscard]] std::uint64_t planned() const noexcept { return planned_; }
    // Parts of texts whose neighbours have not been merged: without them, gaps are missing.
    [[nodiscard]] std::size_t open_parts() const noexcept { return parts_.size(); }

private:
    friend struct detail::summary_access;
    friend struct detail::summary_json;

    // Names are numbers here; 0 is that of what is missing, or not asked for.
    struct key {
        std::uint32_t operation = 0;
        std::uint32_t collective = 0;
        std::uint32_t group = 0;
        std::uint32_t state = 0;
        std::int64_t stage = no_number;
        std::int64_t rank = no_number;
    };
    struct hash {
        std::size_t operator()(const key& k) const noexcept;
    };
    struct equal {
        bool operator()(const key& a, const key& b) const noexcept;
    };
    struct rank_sums {
        std::int64_t stage = no_number;
        std::uint64_t operations = 0;
        std::uint64_t nested = 0;
        detail::compact_wide busy;
        detail::compact_wide communication;
        detail::compact_wide pipeline;
        std::int64_t first = no_number;
        std::int64_t last = no_number;
    };
    // What a record adds to a breakdown; times in millionths of a millisecond.
    struct record_sums {
        std::optional<std::int64_t> duration;
        std::optional<std::int64_t> bytes;
        std::int64_t communication = 0;
        std::int64_t overlap = 0;
    };
    struct nested_sums {
        std::uint64_t operations = 0;
        std::int64_t duration = 0;
    };
    // Where a rank's operations in a part of a text begin and end.
    struct edge {
        key first_key;
        std::int64_t first = no_number;  // the beginning of its first operation, where that is known
        std::int64_t last = no_number;   // the end of its last one
    };
    using edges = std::unordered_map<std::int64_t, edge>;
    struct part {
        std::string text;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        edges ranks;
    };
    using tallies = std::unordered_map<key, tally, hash, equal>;
    static constexpr std::int64_t no_number = (std::numeric_limits<std::int64_t>::min)();

    std::uint32_t id_of(std::string_view name);
    void grow_index();
    key chosen(const key& all, dimension by) const noexcept;
    void add_record(const key& of, bool nested, const record_sums& sums);
    nested_sums add_nested(const operation& op, key of);
    void add_times(rank_sums& to, const key& of, std::int64_t end, std::optional<std::int64_t> duration);
    void add_gap(const key& of, std::int64_t length);
    void join_parts(part more);
    void merge_all_but_ranks(const summary& other);
    static void add_sums(rank_sums& to, const rank_sums& more);

    std::vector<dimension> dimensions_;
    std::vector<tallies> tallies_;  // of each of them
    bool any_nested_ = false;       // one of them asks for collectives
    std::vector<std::string> names_;
    std::vector<std::uint32_t> index_;  // of names_, by hash
    std::unordered_map<std::int64_t, rank_sums> ranks_;
    std::uint64_t operations_ = 0;
    std::uint64_t nested_ = 0;
    std::uint64_t nested_texts_ = 0;
    std::uint64_t planned_ = 0;
    part current_;
    std::vector<part> parts_;
};

// Appends a summary to a sink (sink.hpp) as one line of JSON with its end: equal summaries are equal bytes. The line's
// form is specified in docs/scale.md.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const summary& s);

// Reads what write() writes, with or without its line's end. error_kind::bad_summary for everything else: other
// versions, other keys, another order, numbers that contradict each other.
[[nodiscard]] result<summary> read_summary(std::string_view line);

}  // namespace WLFMT_IMPL
}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/summary/add.hpp"
#include "detail/summary/json.hpp"

#include "detail/base/config_end.hpp"
#endif
