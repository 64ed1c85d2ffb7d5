// Sums of op logs, to be added up over files, threads and machines.
//
//     summary run;
//     run.begin_text("wd8_rank7_20240923205004.txt");
//     while (const auto* op = log.next()) run.add(*op);
//     run.merge(other);                                 // in any order: the same bits
//     for (const auto& row : run.rows(dimension::operation))
//         std::cout << row.operation << ' ' << row.tally.duration.mean() << " ms\n";
//     write(to, run);                                   // one line of JSON, which read_summary() reads
//
// Whatever the order of adding and merging, the sums are the same bit for bit on every machine, as they are sums of
// integers. Times are in millionths of a millisecond: up to six decimals and 15 digits are exact (of milliseconds since
// 1970, three decimals); the rest is rounded to nearest. nan, None, texts and times beyond 2^61 (73 years) are
// `unmeasured`.
#ifndef WLFMT_ANALYSIS_SUMMARY_SUMMARY_HPP
#define WLFMT_ANALYSIS_SUMMARY_SUMMARY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <wlfmt/error.hpp>
#include <wlfmt/oplog.hpp>

#include "../callback.hpp"
#include "../output.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

struct summary_state;

// Copies are independent. Adding takes constant time; memory grows with the ranks and the different values in the
// breakdowns, and with the operations only if calls are kept.
class summary {
public:
    // With keep::calls, answers.hpp tells waiting from work: 48 bytes are kept of each timed operation, nested or not.
    enum class keep : std::uint8_t { sums, calls };
    explicit summary(keep kept = keep::sums);
    explicit summary(std::vector<dimension> breakdowns, keep kept = keep::sums);
    summary(const summary& from);
    summary(summary&& from) noexcept;
    summary& operator=(const summary& from);
    summary& operator=(summary&& from) noexcept;
    ~summary();

    // Begins a whole text, with no gap before it. The name of `file`, its path, says which run its ranks belong to.
    void begin_text(std::string_view file = {});
    // Ends the text. The next begin_text() or begin_part() does so, too, and in a summary that is written or merged
    // every text counts as ended.
    void end_text();
    // Begins a part of a text (pieces.hpp, stream.hpp) at this offset. It ends where the next part begins, the last one
    // at byte_range().end. `text`, a path, distinguishes texts. Merging adds the gaps between parts, so that all parts
    // of a text give the summary of the text.
    void begin_part(std::string_view text, std::uint64_t begin);
    void end_part(std::uint64_t end);
    // Adds an operation and its nested ones, as their members say, edited or not.
    void add(const oplog::operation& op);
    // Says that this many records of the rank, or parts of them, could not be read. If calls are kept, answers.hpp then
    // gives limits of what those records may have changed, unless other ranks show what this one lacks. Call it in the
    // same text as add(), after a record of the rank.
    void add_unread(std::int64_t rank, std::uint64_t records);
    // Returns false, and changes nothing, if the other has other breakdowns or keeps something else. A summary that is
    // merged twice counts twice: rank_total::source says how many texts the records of a rank are from.
    [[nodiscard]] bool merge(const summary& from);
    // The same in less memory, by moving the other's data. The other can then only be destroyed or assigned to.
    [[nodiscard]] bool merge(summary&& from);

    [[nodiscard]] const std::vector<dimension>& breakdowns() const noexcept;
    [[nodiscard]] bool keeps_calls() const noexcept;
    // The rows of one breakdown, ordered by its dimensions; empty if the summary does not have it.
    [[nodiscard]] std::vector<tally_row> rows(dimension by) const;
    // The totals of the ranks, the lowest rank first.
    [[nodiscard]] std::vector<rank_total> ranks() const;
    // Visits them in the same order without making a list.
    void for_each_rank(const callback<void(const rank_total&)>& visit) const;
    [[nodiscard]] std::uint64_t operations() const noexcept;
    [[nodiscard]] std::uint64_t nested() const noexcept;
    // The number of nested operations that are a text, not key=value: what they say is in no sum.
    [[nodiscard]] std::uint64_t nested_texts() const noexcept;
    // The number of operations of scheduling plans (`stage:N:`), which belong to no rank.
    [[nodiscard]] std::uint64_t planned() const noexcept;
    // The number of operations with a duration or a timestamp of more than 2.3e12 ms (73 years), as where times are in
    // nanoseconds: such a time is in no sum.
    [[nodiscard]] std::uint64_t beyond() const noexcept;
    // The number of parts whose neighbours have not been merged: the gaps beside them are missing.
    [[nodiscard]] std::size_t open_parts() const noexcept;

    // What the other rooms conclude from.
    [[nodiscard]] const summary_state& state() const noexcept { return *state_; }

private:
    friend result<summary> read_summary(std::string_view line);
    std::unique_ptr<summary_state> state_;
};

// Appends a summary as one line of JSON (docs/scale.md): equal summaries are equal bytes.
void write(output& to, const summary& s);

// Reads what write() writes, with or without the line's end. All else is error_kind::bad_summary: other versions, other
// keys, another order, numbers that contradict each other.
[[nodiscard]] result<summary> read_summary(std::string_view line);

}  // namespace wlfmt::analysis

#endif
