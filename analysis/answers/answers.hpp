// A run's slow ranks and why, exposed communication, pipeline bubble, work and waiting.
//
//     summary run(summary::keep::calls);
//     for each file: run.begin_text("wd8_tp2_pp4_..._rank7_20240923205004.txt"); run.add(op) ...
//     const auto a = answers_of(run);
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
#ifndef WLFMT_ANALYSIS_ANSWERS_ANSWERS_HPP
#define WLFMT_ANALYSIS_ANSWERS_ANSWERS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <wlfmt/types/run.hpp>

#include "../callback.hpp"
#include "../summary/summary.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

// Kinds of groups that occur in answers but not in logs: the first and the last stage, and the ranks of the collectives
// that optimizer_step hides.
inline constexpr std::string_view embedding_group = "embedding";
inline constexpr std::string_view model_group = "model";

// The sizes in a file's name (run.hpp); empty if it lacks the world size, or if the sizes do not divide it.
[[nodiscard]] std::optional<run_sizes> sizes_of(const oplog::file_facts& name);
// The sizes in the names of a summary's files (wd8_tp2_pp4_exp1_...); empty if a name lacks the world size or two names
// disagree.
[[nodiscard]] std::optional<run_sizes> sizes_of(const summary& s);
// Answers for a summary that keeps calls; for any other, no rank has an answer. Takes time that grows with the number
// of calls kept. Equal summaries have answers that are equal bit for bit.
[[nodiscard]] run_answers answers_of(const summary& s, const std::optional<run_sizes>& sizes);
[[nodiscard]] run_answers answers_of(const summary& s);

// One sentence about a run: the greatest proven gain; else a proven slow rank or stage; else where the time went.
[[nodiscard]] std::string headline(const run_answers& a);
// A number with that many decimals and the sign of its limit, `>= 12.50`; or `unknown`.
[[nodiscard]] std::string message(const bounded& b, int decimals = 2);
// Says in a sentence what is doubtful: `record 5 of rank 3 begins 20.0 ms before the one before it ends`. Records are
// counted from 1.
[[nodiscard]] std::string message(const doubtful_time& d);
// Says in a sentence what is strange: `the log of rank 3 is not of this run: it has 2 of optimizer_step where that of
// rank 0 has 1`.
[[nodiscard]] std::string message(const strange_log& s);
// Says in a sentence which logs contradict each other, by how much, and in which calls.
[[nodiscard]] std::string message(const run_answers::contradiction& c);

// Finds what makes no sense in the op logs of a run taken together, without repeating what lint.hpp finds in one
// record. Keeps what a summary with keep::calls keeps, and a number for each record.
class run_check {
public:
    run_check();
    run_check(run_check&&) noexcept;
    run_check& operator=(run_check&&) noexcept;
    ~run_check();
    // Says that the next operations are those of this file, a path.
    void begin_text(std::string_view file);
    // Calls report(problem) for each finding. Its place is in `text`, which holds the operation (its line, for
    // example); `line` is that line's number. unknown_operation: only the name is known, reported once for each.
    // repeated_record: the file already has a record with this text and a timestamp, and the file's name has a rank.
    void add(const oplog::operation& op, std::string_view text, std::uint64_t line,
             const callback<void(const problem&)>& report);
    // After the last file, calls report(call, file, line) for the first 1,000 calls that some members of a group lack.
    // `line` is the line of the record that lacks the call; if a whole record is missing, that of the next record or of
    // the last; 0 if it is unknown. Returns the number of all missing calls. Calls report_time(time, file, line) for
    // the first 1,000 times that cannot be right, report_log(log, file) for each log that is not of the run, and
    // report_logs(logs, file) for the first 100 pairs of logs that contradict each other, with the file of one of them.
    using missing_report = callback<void(const missing_call&, std::string_view file, std::uint64_t line)>;
    using time_report = callback<void(const doubtful_time&, std::string_view file, std::uint64_t line)>;
    using log_report = callback<void(const strange_log&, std::string_view file)>;
    using logs_report = callback<void(const run_answers::contradiction&, std::string_view file)>;
    std::uint64_t missing_calls(const missing_report& report, const time_report& report_time,
                                const log_report& report_log, const logs_report& report_logs) const;
    std::uint64_t missing_calls(const missing_report& report) const {
        return missing_calls(
            report, [](const doubtful_time&, std::string_view, std::uint64_t) {},
            [](const strange_log&, std::string_view) {}, [](const run_answers::contradiction&, std::string_view) {});
    }

private:
    std::unique_ptr<class run_checking> checking_;
};

// Finds messages between pipeline stages that a run's op logs show as sent and never received, or received and never
// sent. Keeps a few words for each rank.
class message_check {
public:
    // Files whose names differ only in the digits of the rank are one run; with `is_one_run`, all files are.
    explicit message_check(bool is_one_run = false);
    message_check(message_check&&) noexcept;
    message_check& operator=(message_check&&) noexcept;
    ~message_check();
    // Says that the next operations are those of this file. If it cannot be read again, its messages are kept in
    // memory.
    void begin_text(std::string_view file, bool can_be_read_again);
    // `line` is the number of the operation's line.
    void add(const oplog::operation& op, std::uint64_t line);
    // After the last file, reports up to max_reports messages without another end (0: all) by calling report(problem,
    // text, file, line). The problem's place is in `text`, the beginning of the line. To find out which messages these
    // are, some files have to be read again: for each it calls read(position, file, add), with the file's position from
    // 0, which must call add(operation, line) for each of the file's operations.
    using message_reader = callback<void(const oplog::operation& op, std::uint64_t line)>;
    using file_reader = callback<void(std::size_t position, std::string_view file, const message_reader& add)>;
    using message_report =
        callback<void(const problem& e, std::string_view text, std::string_view file, std::uint64_t line)>;
    unmatched_messages find(std::uint64_t max_reports, const file_reader& read, const message_report& report) const;

private:
    std::unique_ptr<class message_checking> checking_;
};

}  // namespace wlfmt::analysis

#endif
