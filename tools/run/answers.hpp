// Prints the answers about a run for people: who is slow and why, what is work and what is waiting, what remedies would
// gain, and how fast bytes move.
#ifndef WLFMT_TOOLS_RUN_ANSWERS_HPP
#define WLFMT_TOOLS_RUN_ANSWERS_HPP

#include "analysis/answers/answers.hpp"

#include "../general/order.hpp"
#include "../output/grid.hpp"
#include "../output/output.hpp"

namespace tool {

std::string list_of(const std::vector<std::int64_t>& ranks);
const char* reason_of(wlfmt::analysis::slow_rank::cause why) noexcept;
std::string reason_of(const wlfmt::analysis::slow_stage& s);

std::string_view name_of(wlfmt::analysis::remedy::change kind) noexcept;
std::string_view word_of(wlfmt::analysis::replay_answer::obstacle reason) noexcept;
std::string_view word_of(wlfmt::analysis::group_of_ranks::place where) noexcept;

// The exposed time: transfer and waiting. optimizer_step hides its transfer, so its waiting alone is a lower limit.
bounded exposed_in(const wlfmt::analysis::group_answer& g) noexcept;

// Prints what the gains of remedies are based on, or why they are not known.
void print_replay(const wlfmt::analysis::replay_answer& r);
// Prints the gains of all remedies, and of limits that no remedy can exceed.
void print_remedies(const wlfmt::analysis::replay_answer& r);
void print_bandwidth(const std::vector<wlfmt::analysis::bandwidth_answer>& rows);
void print_waits(const wlfmt::analysis::run_answers& a);

// Whether the group is that of the collectives inside optimizer_step, which the log does not show.
inline bool is_hidden(std::string_view group) noexcept { return group == wlfmt::analysis::model_group; }

inline std::string ms_text(const bounded& v) { return fixed(v, 2); }
// `at least 0` says nothing: a table shows `-` instead.
std::string ms_cell(const bounded& v);
std::string times_text(const bounded& v);
std::string percent_text(const bounded& part);

// Compares a slow rank's work in each operation with the lower median of its peers' work.
std::string compared_work(const wlfmt::analysis::run_answers& a, const wlfmt::analysis::slow_rank& slow);
void print_slowest_rank(const wlfmt::analysis::run_answers& a);
void print_slowest_stage(const wlfmt::analysis::run_answers& a);
std::uint64_t batches_of_iteration(const wlfmt::analysis::run_answers& a);
std::string pipeline_time_text(const wlfmt::analysis::run_answers& a);
void print_bubble(const wlfmt::analysis::run_answers& a);
void print_imbalance(const wlfmt::analysis::run_answers& a);
// Whether no record is lost, and no rank is missing or left out.
bool is_whole(const wlfmt::analysis::run_answers& a) noexcept;
// Says whether the same rank is the slowest in each iteration.
std::string slow_in_each(const wlfmt::analysis::run_answers& a);
// Prints how many records could not be read, or have impossible times.
void print_doubtful(const wlfmt::analysis::run_answers& a);
void print_limits(const wlfmt::analysis::run_answers& a);

// What a sum of records says about the same sum in a run in which nothing is missing. `by`: the dimensions in which
// these records are alike; `rank` and `operation`: their rank and operation.
wlfmt::analysis::limit limit_of_sum(const wlfmt::analysis::run_answers& a, wlfmt::analysis::dimension by,
                                    const std::optional<std::int64_t>& rank, std::string_view operation);

inline bool has_unknown(const wlfmt::analysis::run_answers& a) { return a.total.unknown.number() > 0; }
void add_cells(const wlfmt::analysis::run_answers& a, grid& lines, const wlfmt::analysis::time_account& t);
void add_titles(const wlfmt::analysis::run_answers& a, grid& lines);
// Prints all ranks or, if there are many, those with the most work beyond that of their peers.
void print_ranks(const wlfmt::analysis::run_answers& a);
void print_groups(const wlfmt::analysis::run_answers& a);
void print_stages(const wlfmt::analysis::run_answers& a);

// Prints the answers. Returns whether they include an account of the time; no other division of time may then be
// printed.
bool print_answers(const wlfmt::analysis::run_answers& a);

}  // namespace tool

#endif
