// wlfmt/oplog/summary.hpp: sums of op logs, to be added up over files, threads and machines. Not included by wlfmt.hpp.
//
//     summary run;
//     run.begin_text("wd8_rank7_20240923205004.txt");
//     while (const auto* op = log.next()) run.add(*op);
//     run.merge(other);                                 // in any order: the same bits
//     for (const auto& row : run.rows(dimension::operation))
//         std::cout << row.operation << ' ' << row.tally.duration.mean() << " ms\n";
//     const auto e = wlfmt::oplog::write(std::cout, run);   // one line of JSON, which read_summary() reads
//
// Whatever the order of adding and merging, the sums are the same bit for bit on every machine, as they are sums of
// integers. Times are in millionths of a millisecond: up to six decimals and 15 digits are exact (of milliseconds since
// 1970, three decimals); the rest is rounded to nearest. nan, None, texts and times beyond 2^61 (73 years) are
// `unmeasured`.
#ifndef WLFMT_ANALYSIS_SUMMARY_SUMMARY_HPP
#define WLFMT_ANALYSIS_SUMMARY_SUMMARY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "add.hpp"
#include "json.hpp"
#include <wlfmt/error.hpp>
#include <wlfmt/oplog.hpp>
#include <wlfmt/types/sink.hpp>
#include "types.hpp"

namespace wlfmt::analysis {

// Copies are independent. Adding takes constant time; memory grows with the ranks and the different values in the
// breakdowns, and with the operations only if calls are kept. Throws only std::bad_alloc.
class summary {
public:
    // With keep::calls, answers.hpp tells waiting from work: 48 bytes are kept of each timed operation, nested or not.
    enum class keep : std::uint8_t { sums, calls };
    explicit summary(keep kept = keep::sums)
        : summary({dimension::operation, dimension::collective | dimension::group, dimension::stage}, kept) {}
    explicit summary(std::vector<dimension> breakdowns, keep kept = keep::sums) {
        state_.tallies.resize(breakdowns.size());
        for (const dimension d : breakdowns) state_.any_nested = state_.any_nested || has(d, dimension::collective);
        state_.dimensions = std::move(breakdowns);
        state_.keeps_calls = kept == keep::calls;
    }

    // Begins a whole text, with no gap before it. The name of `file`, its path, says which run its ranks belong to.
    void begin_text(std::string_view file = {}) { adding::begin_text(state_, file); }
    template <class S, if_null_literal<S> = 0> void begin_text(S&&) = delete;
    // Ends the text, as begin_text() and begin_part() do, too. In what is written or merged, it counts as ended.
    void end_text() { adding::end_text(state_); }
    // Begins a part of a text (pieces.hpp, stream.hpp) at this offset. It ends where the next part begins, the last one
    // at byte_range().end. `text`, a path, distinguishes texts. Merging adds the gaps between parts, so that all parts
    // of a text give the summary of the text.
    void begin_part(std::string_view text, std::uint64_t begin) { adding::begin_part(state_, text, begin); }
    void begin_part(std::nullptr_t, std::uint64_t) = delete;
    void end_part(std::uint64_t end) { adding::end_part(state_, end); }
    // Adds an operation and its nested ones, as their members say, edited or not.
    void add(const operation& op) { adding::add(state_, op); }
    // Says that this many records of the rank, or parts of them, could not be read. If calls are kept, answers.hpp then
    // gives limits of what those records may have changed, unless other ranks show what this one lacks. Call it in the
    // same text as add(), after a record of the rank.
    void add_unread(std::int64_t rank, std::uint64_t records) { adding::add_unread(state_, rank, records); }
    // Returns false, and changes nothing, if the other has other breakdowns or keeps something else. A summary that is
    // merged twice counts twice: rank_total::source says how many texts the records of a rank are from.
    [[nodiscard]] bool merge(const summary& from) { return adding::merge(state_, summary_state(from.state_)); }
    // The same in less memory, by moving the other's data. The other can then only be destroyed or assigned to.
    [[nodiscard]] bool merge(summary&& from) {
        return &from == this ? merge(std::as_const(from)) : adding::merge(state_, std::move(from.state_));
    }

    [[nodiscard]] const std::vector<dimension>& breakdowns() const& noexcept {
        return state_.dimensions;
    }
    [[nodiscard]] std::vector<dimension> breakdowns() const&& { return state_.dimensions; }
    [[nodiscard]] bool keeps_calls() const noexcept { return state_.keeps_calls; }
    // The rows of one breakdown, ordered by its dimensions; empty if the summary does not have it.
    [[nodiscard]] std::vector<tally_row> rows(dimension by) const { return adding::rows(state_, by); }
    // The totals of the ranks, the lowest rank first.
    [[nodiscard]] std::vector<rank_total> ranks() const {
        std::vector<rank_total> totals;
        for_each_rank([&](const rank_total& total) { totals.push_back(total); });
        return totals;
    }
    // Calls visit(rank_total) in the same order without making a list.
    template <class Visitor> void for_each_rank(Visitor&& visit) const {
        for (const auto& [rank, sums] : state_.ranks) visit(adding::total_of(state_, rank, sums));
    }
    [[nodiscard]] std::uint64_t operations() const noexcept { return state_.operations; }
    [[nodiscard]] std::uint64_t nested() const noexcept { return state_.nested; }
    // The number of nested operations that are a text, not key=value: what they say is in no sum.
    [[nodiscard]] std::uint64_t nested_texts() const noexcept { return state_.nested_texts; }
    // The number of operations of scheduling plans (`stage:N:`), which belong to no rank.
    [[nodiscard]] std::uint64_t planned() const noexcept { return state_.planned; }
    // The number of parts whose neighbours have not been merged: the gaps beside them are missing.
    [[nodiscard]] std::size_t open_parts() const noexcept { return state_.parts.size(); }

private:
    friend struct reader_access;
    using adding = summary_adding;

    summary_state state_;
};

// Appends a summary to a sink (sink.hpp) as one line of JSON (docs/scale.md): equal summaries are equal bytes.
template <class Sink, unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const summary& s) {
    return summary_lines::write(any_sink(sink), reader_access::state_of(s));
}

// Reads what write() writes, with or without the line's end. All else is error_kind::bad_summary: other versions, other
// keys, another order, numbers that contradict each other.
[[nodiscard]] inline result<summary> read_summary(std::string_view line) {
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    summary s{std::vector<dimension>()};
    const auto wrong = summary_lines::read(line, reader_access::state_of(s));
    if (!wrong) return s;
    return {summary(), {error_kind::bad_summary, *wrong, line.size() - *wrong}};
}
result<summary> read_summary(std::nullptr_t) = delete;

}  // namespace wlfmt::analysis

#endif
