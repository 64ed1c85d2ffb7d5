// wlfmt/answers.hpp: which rank of a run is slow and why, how much communication is exposed, how large the pipeline's
// bubble is, what is work and what is waiting. Not included by wlfmt.hpp.
//
//     wlfmt::oplog::summary run(wlfmt::oplog::summary::keep::calls);
//     for each file: run.begin_text("wd8_tp2_pp4_..._rank7_20240923205004.txt"); run.add(op) ...
//     const auto a = wlfmt::oplog::answers_of(run);
//     if (a.slowest_rank) std::cout << a.slowest_rank->rank << ' ' << a.slowest_rank->ratio << '\n';
//
// Times are milliseconds. What the answers mean, and what they rest on: docs/scale.md. In short:
//
// The members of a blocking collective leave it together, so that the one with the shortest call came last, and what
// the others' calls are longer is waiting; the rest is transfer. An `_async` operation, and optimizer_step, which hides
// collectives, wait at most until the last member arrives, if clocks can be compared; the rest is hidden by
// computation. A message between stages waits for what it takes longer than the quickest of its size. In groups of one
// rank nothing is sent. Waiting in the stage is imbalance; waiting for the pipeline (messages, the embedding group,
// optimizer_step) is the bubble.
//
// Nothing is guessed: where ranks were traced one after the other, or sizes are not known, what cannot be known is
// empty. Ranks that several texts hold are left out.
#include "version.hpp"

#ifndef WLFMT_ANSWERS_HPP
#define WLFMT_ANSWERS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "detail/answers/check.hpp"
#include "detail/answers/conclude.hpp"
#include "detail/answers/replay.hpp"
#include "summary.hpp"
#include "types/answers.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog { inline namespace WLFMT_IMPL {

// Kinds of groups that answers name and logs do not: the first and the last stage, and what optimizer_step hides.
inline constexpr std::string_view embedding_group = detail::oplog_operations<detail::build>::embedding;
inline constexpr std::string_view model_group = detail::oplog_operations<detail::build>::model;

// What the name of a file says (run.hpp); nothing if it lacks the world size, or if the sizes do not divide it.
[[nodiscard]] inline std::optional<run_sizes> sizes_of(const file_facts& name) { return detail::sizes_in(name); }
// What the names of the files say that a summary was made of (wd8_tp2_pp4_exp1_...): empty if a name lacks the world
// size, or if two names say different sizes.
[[nodiscard]] inline std::optional<run_sizes> sizes_of(const summary& s) {
    return detail::sizes_of_names(detail::reader_access::state_of(s));
}
// Of a summary that keeps calls; of any other, no rank has an answer. Takes time in the number of calls kept. The same
// bits for equal summaries. Throws nothing but std::bad_alloc.
[[nodiscard]] inline run_answers answers_of(const summary& s, const std::optional<run_sizes>& sizes) {
    run_answers a = detail::run_conclusions(detail::reader_access::state_of(s), sizes).answer();
    a.bandwidth = detail::bandwidth_of(a);
    a.replay = detail::run_replay(a).answer();
    return a;
}
[[nodiscard]] inline run_answers answers_of(const summary& s) { return answers_of(s, sizes_of(s)); }

// Finds what makes no sense in the op logs of a run, though each of their records does: what lint.hpp finds in one
// record is not repeated. Keeps what a summary with keep::calls keeps, and a number for each record. Throws nothing but
// std::bad_alloc.
class run_check {
public:
    // The next operations are those of this file, a path.
    void begin_text(std::string_view file) { checking_.begin_text(file); }
    void begin_text(std::nullptr_t) = delete;
    // Calls each(const error&) for what is found; the errors lie in `text`, which holds the operation, such as its
    // line, of that number. unknown_operation: nothing is known but the name, once for each name. repeated_record: a
    // record with a timestamp whose text the file has already, if the file's name says a rank.
    template <class Each> void add(const operation& op, std::string_view text, std::uint64_t line, Each&& each) {
        checking_.add(op, text, line, each);
    }
    template <class Each> void add(const operation&, std::nullptr_t, std::uint64_t, Each&&) = delete;
    // After the last file, calls each(const missing_call&, std::string_view file, std::uint64_t line) for the calls
    // that some members of a group lack, the first 1,000 of them; `line` is that of the record that lacks the call; if
    // the record itself is missing, of the one before which it would be, or of the last one; 0 if unknown. Returns how
    // many calls there are. Of ranks that were not traced together, none.
    template <class Each> std::uint64_t missing_calls(Each&& each) const { return checking_.missing_calls(each); }

private:
    detail::run_checking<detail::build> checking_;
};

// Finds the messages between pipeline stages that are sent and never received, or the other way round, in the op logs
// of a run. Keeps a few words for each rank. Throws nothing but std::bad_alloc.
class message_check {
public:
    // Files whose names differ in the digits of the rank alone are one run; or all are.
    explicit message_check(bool is_one_run = false) : checking_(is_one_run) {}
    // The next operations are those of this file, whose messages are kept if it cannot be read again.
    void begin_text(std::string_view file, bool can_be_read_again) { checking_.begin_text(file, can_be_read_again); }
    void begin_text(std::nullptr_t, bool) = delete;
    // `line` is the number of the line that the operation is in.
    void add(const operation& op, std::uint64_t line) { checking_.add(op, line); }
    // After the last file, calls each(const error&, std::string_view text, std::string_view file, std::uint64_t line)
    // for `most` messages without another end; 0: for all. The error lies in `text`, the beginning of the line.
    //
    // Calls read(std::size_t position, std::string_view file, add) for the files, from 0, that show which messages
    // these are: it is to call add(const operation&, std::uint64_t line) for each operation that add() was called for.
    template <class Read, class Each> unmatched_messages find(std::uint64_t most, Read&& read, Each&& each) const {
        return checking_.find(most, read, each);
    }

private:
    detail::message_checking<detail::build> checking_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::oplog::WLFMT_IMPL

#include "detail/base/config_end.hpp"
#endif
