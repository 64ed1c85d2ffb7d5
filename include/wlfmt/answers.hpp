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

#include <optional>

#include "detail/answers/conclude.hpp"
#include "summary.hpp"
#include "types/answers.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace oplog {
inline namespace WLFMT_IMPL {

// What the names of the files say that a summary was made of (wd8_tp2_pp4_exp1_...): empty if a name lacks the world
// size, or if two names say different sizes.
[[nodiscard]] inline std::optional<run_sizes> sizes_of(const summary& s) {
    return detail::sizes_of_names(detail::state_of(s));
}
// Of a summary that keeps calls; of any other, no rank has an answer. Takes time in the number of calls kept. The same
// bits for equal summaries. Throws nothing but std::bad_alloc.
[[nodiscard]] inline run_answers answers_of(const summary& s, const std::optional<run_sizes>& sizes) {
    return detail::run_conclusions(detail::state_of(s), sizes).answer();
}
[[nodiscard]] inline run_answers answers_of(const summary& s) { return answers_of(s, sizes_of(s)); }

}  // namespace WLFMT_IMPL
}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
