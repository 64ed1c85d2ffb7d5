// Prints the answers about a run for people: who is slow and why, what is work and what is waiting, what remedies would
// gain, and how fast bytes move.
#ifndef WLFMT_TOOLS_RUN_ANSWERS_HPP
#define WLFMT_TOOLS_RUN_ANSWERS_HPP

#include "analysis/answers/answers.hpp"

#include "../general/order.hpp"
#include "../output/grid.hpp"
#include "../output/output.hpp"

namespace tool {

const char* reason_of(wlfmt::analysis::slow_rank::cause why) noexcept;
std::string reason_of(const wlfmt::analysis::slow_stage& s);

std::string_view name_of(wlfmt::analysis::remedy::change kind) noexcept;
std::string_view word_of(wlfmt::analysis::replay_answer::obstacle reason) noexcept;
std::string_view word_of(wlfmt::analysis::group_of_ranks::place where) noexcept;

// Whether the group is that of the collectives inside optimizer_step, which the log does not show.
inline bool is_hidden(std::string_view group) noexcept { return group == wlfmt::analysis::model_group; }

inline std::string ms_text(const bounded& v) { return fixed(v, 2); }
std::string percent_text(const bounded& part);

// Whether no record is lost, and no rank is missing or left out.
bool is_whole(const wlfmt::analysis::run_answers& a) noexcept;

// What a sum of records says about the same sum in a run in which nothing is missing: it is the same, no more, or only
// near, or says nothing.
enum class sum_limit : std::uint8_t { exact, least, either, unknown };
std::string_view name_of(sum_limit limit) noexcept;
bounded bounded_sum(double sum, sum_limit limit) noexcept;
// `by`: the dimensions in which these records are alike; `rank` and `operation`: their rank and operation.
sum_limit limit_of_sum(const wlfmt::analysis::run_answers& a, wlfmt::analysis::dimension by,
                       const std::optional<std::int64_t>& rank, std::string_view operation);

inline bool has_unknown(const wlfmt::analysis::run_answers& a) { return a.total.unknown.number() > 0; }
void add_cells(const wlfmt::analysis::run_answers& a, grid& lines, const wlfmt::analysis::time_account& t);
// Prints all ranks or, if there are many, those with the most work beyond that of their peers.
void print_ranks(const wlfmt::analysis::run_answers& a);
void print_groups(const wlfmt::analysis::run_answers& a);

// Prints the answers. Returns whether they include an account of the time; no other division of time may then be
// printed.
bool print_answers(const wlfmt::analysis::run_answers& a);

}  // namespace tool

#endif
