// wlfmt/oplog/answers.hpp: a run's slow ranks and why, exposed communication, pipeline bubble, work and waiting.
// Opt-in.
//
//     wlfmt::oplog::summary run(wlfmt::oplog::summary::keep::calls);
//     for each file: run.begin_text("wd8_tp2_pp4_..._rank7_20240923205004.txt"); run.add(op) ...
//     const auto a = wlfmt::oplog::answers_of(run);
//     std::cout << headline(a) << '\n';   // `Rank 7 works 2.05 times as long as its peers: 965 ms, 25 % of ...`
//     if (a.slowest_rank) std::cout << a.slowest_rank->rank << ' ' << message(a.slowest_rank->ratio) << '\n';
//
// Times are milliseconds. docs/scale.md says what the answers mean and what they rest on. In short: all members of a
// blocking collective leave it together, so the one with the shortest call arrived last. The time by which the others'
// calls are longer is waiting; the rest is transfer. `_async` operations, and optimizer_step, which hides collectives,
// wait at most until the last member arrives, if clocks can be compared; computation hides the rest. A message between
// stages waits for as long as it exceeds the quickest of its size. A group of one rank sends nothing. Waiting in the
// stage is imbalance; waiting for the pipeline (messages, the embedding group, optimizer_step) is the bubble. Nothing
// is guessed: if ranks were traced one after the other, or sizes are unknown, what cannot be known is empty. Ranks that
// occur in several texts are left out.
#include "../version.hpp"

#ifndef WLFMT_OPLOG_ANSWERS_HPP
#define WLFMT_OPLOG_ANSWERS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../detail/answers/check.hpp"
#include "../detail/answers/conclude.hpp"
#include "../detail/answers/headline.hpp"
#include "../detail/answers/replay.hpp"
#include "../types/answers.hpp"
#include "summary.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// Kinds of groups that occur in answers but not in logs: the first and the last stage, and the ranks of the collectives
// that optimizer_step hides.
inline constexpr std::string_view embedding_group = detail::oplog_operations::embedding;
inline constexpr std::string_view model_group = detail::oplog_operations::model;

// The sizes in a file's name (run.hpp); empty if it lacks the world size, or if the sizes do not divide it.
[[nodiscard]] inline std::optional<run_sizes> sizes_of(const file_facts& name) { return detail::sizes_in(name); }
// The sizes in the names of a summary's files (wd8_tp2_pp4_exp1_...); empty if a name lacks the world size or two names
// disagree.
[[nodiscard]] inline std::optional<run_sizes> sizes_of(const summary& s) {
    return detail::sizes_of_names(detail::reader_access::state_of(s));
}
// Answers for a summary that keeps calls; for any other, no rank has an answer. Takes time that grows with the number
// of calls kept. Equal summaries have answers that are equal bit for bit. Throws nothing but std::bad_alloc.
[[nodiscard]] inline run_answers answers_of(const summary& s, const std::optional<run_sizes>& sizes) {
    run_answers a = detail::run_conclusions(detail::reader_access::state_of(s), sizes).answer();
    a.bandwidth = detail::bandwidth_of(a);
    a.replay = detail::run_replay(a).answer();
    return a;
}
[[nodiscard]] inline run_answers answers_of(const summary& s) { return answers_of(s, sizes_of(s)); }

// One sentence about a run: the greatest proven gain; else a proven slow rank or stage; else where the time went.
[[nodiscard]] inline std::string headline(const run_answers& a) { return detail::headline_of(a); }
// A number with that many decimals and the sign of its limit, `>= 12.50`; or `unknown`.
[[nodiscard]] inline std::string message(const bounded& b, int decimals = 2) {
    return message(b, [decimals](double v) { return detail::fixed_text(v, decimals); });
}
// Says in a sentence what is doubtful: `record 5 of rank 3 begins 20.0 ms before the one before it ends`. Records are
// counted from 1.
[[nodiscard]] inline std::string message(const doubtful_time& d) { return detail::message_of(d); }

// Finds what makes no sense in the op logs of a run taken together, without repeating what lint.hpp finds in one
// record. Keeps what a summary with keep::calls keeps, and a number for each record. Throws nothing but std::bad_alloc.
class run_check {
public:
    // Says that the next operations are those of this file, a path.
    void begin_text(std::string_view file) { checking_.begin_text(file); }
    void begin_text(std::nullptr_t) = delete;
    // Calls report(const problem&) for each finding. Its place is in `text`, which holds the operation (its line, for
    // example); `line` is that line's number. unknown_operation: only the name is known, reported once for each.
    // repeated_record: the file already has a record with this text and a timestamp, and the file's name has a rank.
    template <class Report> void add(const operation& op, std::string_view text, std::uint64_t line, Report&& report) {
        checking_.add(op, text, line, report);
    }
    template <class Report> void add(const operation&, std::nullptr_t, std::uint64_t, Report&&) = delete;
    // After the last file, calls report(const missing_call&, std::string_view file, std::uint64_t line) for the first
    // 1,000 calls that some members of a group lack. `line` is the line of the record that lacks the call; if a whole
    // record is missing, that of the next record or of the last; 0 if it is unknown. Returns the number of all missing
    // calls. Calls report_time(const doubtful_time&, std::string_view file,
    // std::uint64_t line) for the first 1,000 times that cannot be right.
    template <class Report, class ReportTime>
    std::uint64_t missing_calls(Report&& report, ReportTime&& report_time) const {
        return checking_.missing_calls(report, report_time);
    }
    template <class Report> std::uint64_t missing_calls(Report&& report) const {
        return missing_calls(report, [](const doubtful_time&, std::string_view, std::uint64_t) {});
    }

private:
    detail::run_checking checking_;
};

// Finds messages between pipeline stages that a run's op logs show as sent and never received, or received and never
// sent. Keeps a few words for each rank. Throws nothing but std::bad_alloc.
class message_check {
public:
    // Files whose names differ only in the digits of the rank are one run; with `is_one_run`, all files are.
    explicit message_check(bool is_one_run = false) : checking_(is_one_run) {}
    // Says that the next operations are those of this file. If it cannot be read again, its messages are kept in
    // memory.
    void begin_text(std::string_view file, bool can_be_read_again) { checking_.begin_text(file, can_be_read_again); }
    void begin_text(std::nullptr_t, bool) = delete;
    // `line` is the number of the operation's line.
    void add(const operation& op, std::uint64_t line) { checking_.add(op, line); }
    // After the last file, reports up to max_reports messages without another end (0: all) by calling report(const
    // problem&, std::string_view text, std::string_view file, std::uint64_t line). The problem's place is in `text`,
    // the beginning of the line. To find out which messages these are, some files have to be read again: for each it
    // calls read(std::size_t position, std::string_view file, add), with the file's position from 0, which must call
    // add(const operation&, std::uint64_t line) for each of the file's operations.
    template <class Read, class Report>
    unmatched_messages find(std::uint64_t max_reports, Read&& read, Report&& report) const {
        return checking_.find(max_reports, read, report);
    }

private:
    detail::message_checking checking_;
};

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#include "../detail/base/config_end.hpp"
#endif
