// Writes the answers about a run as JSON, for programs.
#ifndef WLFMT_TOOLS_RUN_ANSWERS_JSON_HPP
#define WLFMT_TOOLS_RUN_ANSWERS_JSON_HPP

#include <array>

#include "../output/json_print.hpp"
#include "answers.hpp"

namespace tool {

inline bounded percent(const bounded& part) { return part * 100; }

// Writes the parts of an account. `more`: further numbers of the same object.
template <class Line> void put_account(Line& line, const wlfmt::analysis::time_account& t, number_members more = {}) {
    put_bounds(line, {{"span", t.span},
                      {"work", t.work},
                      {"transfer", t.transfer},
                      {"waiting", wlfmt::analysis::waiting_of(t)},
                      {"in_stage", t.stage_waiting},
                      {"pipeline", t.pipeline_waiting},
                      {"gap", t.gaps},
                      {"unknown", t.unknown}});
    put_bounds(line, more);
}
// Writes a group. `total`: the account of all ranks, if the group's numbers are those of all ranks.
template <class Line>
void put(Line& line, const wlfmt::analysis::group_answer& g, const wlfmt::analysis::time_account* total = nullptr) {
    put_text(line, "group", g.group);
    put_bounds(line, {{"calls", g.calls},
                      {"bytes", g.bytes},
                      {"unknown", g.unknown},
                      {"unknown_calls", g.unknown_calls},
                      {"transfer", g.transfer},
                      {"waiting", g.waiting},
                      {"exposed", total != nullptr ? g.exposed : bounded::unknown()},
                      {"share", total != nullptr ? percent(g.exposed / total->span) : bounded::unknown()},
                      {"overlapped", g.overlapped},
                      {"waiting_more", g.waiting_more},
                      {"last", total != nullptr ? bounded::unknown() : g.late}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::operation_answer& o) {
    put_text(line, "operation", o.operation);
    put_bounds(
        line,
        {{"time", o.time}, {"work", o.work}, {"transfer", o.transfer}, {"waiting", o.waiting}, {"unknown", o.unknown}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::stage_answer& s) {
    put_bounds(line, {{"stage", s.stage}, {"ranks", s.ranks}});
    put_account(line, s.account,
                {{"least_work", s.least_work},
                 {"greatest_work", s.greatest_work},
                 {"busy", s.busy},
                 {"missing", s.missing},
                 {"per_batch", s.per_batch},
                 {"per_batch_without_waiting", s.batch_work},
                 {"bubble", s.bubble},
                 {"share", percent(s.bubble_share)},
                 {"fill", s.fill},
                 {"drain", s.drain}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::missing_call& m) {
    using step = wlfmt::analysis::program_step;
    put_bounds(line, {{"rank", m.rank}});
    put_text(line, "group", m.group);
    put_text(line, "operation", m.operation);
    if (!m.function.empty()) put_text(line, "function", m.function);
    put_bounds(line, {{"batch", value_if(m.batch != step::no_batch, m.batch)},
                      {"number", m.number},
                      {"record", m.record},
                      {"before", m.before},
                      {"in_a_row", value_if(m.in_a_row != 1, m.in_a_row)},
                      {"may_be_untimed", value_if(m.may_be_untimed, true)},
                      {"ranks", m.ranks}});
}
// Writes the least time of messages of one size.
template <class Line> void put(Line& line, const std::pair<double, bounded>& floor) {
    put_bounds(line, {{"bytes", floor.first}, {"ms", floor.second}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::leave_answer& l) {
    put_text(line, "group", l.group);
    put_bounds(line, {{"n", l.calls},
                      {"median", l.median},
                      {"greatest", l.greatest},
                      {"arrive_median", l.arrive_median},
                      {"arrive_greatest", l.arrive_greatest}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::imbalance_answer& i) {
    put_text(line, "group", i.group);
    // The rank with the most bytes is as uncertain as the ratio of its bytes to the mean.
    put_bounds(line, {{"ranks", i.ranks},
                      {i.is_partial ? "bytes_least" : "bytes", i.bytes},
                      {"greatest_rank", i.ratio.is_exact() ? i.greatest_rank : std::nullopt},
                      {"ratio", i.ratio},
                      {"worst_call_ratio", i.worst_call_ratio},
                      {"all_ratio", i.all_ratio},
                      {"correlation", i.correlation}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::wait_answer& w) {
    put_bounds(line, {{"late", w.late}, {"waiting", w.waiting}});
    put_text(line, "group", w.group);
    put_bounds(line, {{"ms", w.time}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::bandwidth_answer& b) {
    put_text(line, "group", b.group);
    put_text(line, "function", b.function);
    put_bounds(line, {{"ranks", b.ranks}});
    put_text(line, "where", word_of(b.where));
    put_bounds(line, {{"size", value_if(b.size >= 0, b.size)},
                      {"calls", b.calls},
                      {"bytes", b.bytes},
                      {"transfer", b.transfer},
                      {"median_transfer", b.median_transfer},
                      {"least_transfer", b.least_transfer},
                      {"algorithm_gbs", b.algorithm},
                      {"bus_gbs", b.bus}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::remedy& r) {
    put_text(line, "change", name_of(r.what));
    put_text(line, "kind", r.is_limit ? "limit" : "remedy");
    put_bounds(line, {{"rank", r.rank}, {"gain", r.gain}, {"waiting_less", r.waiting_less}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::slow_rank& slow) {
    put_bounds(line, {{"rank", slow.rank}, {"stage", slow.stage}});
    put_text(line, "reason", reason_of(slow.reason));
    put_bounds(line, {{"work", slow.work},
                      {"peers", slow.peers},
                      {"excess", slow.excess},
                      {"ratio", slow.ratio},
                      {"bytes_ratio", slow.bytes_ratio},
                      {"calls_ratio", slow.calls_ratio},
                      {"gap_ratio", slow.gaps_ratio},
                      {"caused", slow.caused},
                      {"last", slow.late},
                      {"last_of", slow.last_of},
                      {"near", slow.similar}});
}
template <class Line> void put(Line& line, const wlfmt::analysis::slow_stage& slow) {
    put_bounds(line, {{"stage", slow.stage}});
    put_text(line, "reason", reason_of(slow));
    put_bounds(line, {{"per_batch", slow.per_batch},
                      {"others", slow.others},
                      {"ratio", slow.ratio},
                      {"ratio_without_slowest_rank", slow.ratio_without}});
}
template <class Line, class Item> void put_list(Line& line, std::string_view key, const std::vector<Item>& items) {
    put_objects(line, key, items, [&](const Item& item) { put(line, item); });
}
template <class Line> void put(Line& line, const wlfmt::analysis::rank_answer& r, bool brief) {
    put_bounds(line, {{"rank", r.rank}, {"stage", r.stage}});
    put_account(line, r.account,
                {{"caused", r.caused},
                 {"last", r.late},
                 {"last_of", r.last_of},
                 {"uneven", r.uneven},
                 {"alone", r.alone},
                 {"excess", r.excess},
                 {"ratio", r.ratio},
                 {"nested_calls", r.nested_calls},
                 {"nested_bytes", r.nested_bytes},
                 {"records", r.records},
                 {"lost", r.lost},
                 {"doubles", r.doubles},
                 {"double_ms", r.doubled},
                 {"untimed", r.untimed},
                 {"negative", r.negative},
                 {"contradictions", value_if(r.contradictions != 0, r.contradictions)},
                 {"overlaps", r.overlaps},
                 {"clock", std::uint64_t{r.clock}},
                 {"m", r.micro_batches},
                 {"pipe", r.pipeline_busy},
                 {"pipe_span", r.pipeline_span},
                 {"first_forward", r.first_forward}});
    if (brief) return;
    put_list(line, "groups", r.groups);
    put_list(line, "operations", r.operations);
}
// A number of micro-batches; nothing if it is 0 because it is not known.
inline std::optional<std::uint64_t> batches_if_known(const wlfmt::analysis::run_answers& a, std::uint64_t count) {
    const bool has_none =
        a.unread == 0 && a.left_out.empty() &&
        std::all_of(a.ranks.begin(), a.ranks.end(), [](const auto& r) { return r.micro_batches == 0; });
    return value_if(count != 0 || has_none, count);
}
template <class Line>
void put(Line& line, const wlfmt::analysis::iteration_answer& i, const wlfmt::analysis::run_answers& a) {
    put_bounds(line, {{"micro_batches", batches_if_known(a, i.micro_batches)},
                      {"slowest_rank", i.slowest_rank},
                      {"slowest_rank_unknown", value_if(!i.is_slowest_known, true)}});
    put_object(line, "totals", [&] { put_account(line, i.total); });
    line.key("ranks").open('[');
    for (std::size_t n = 0; n != i.ranks.size(); ++n) {
        line.open('{');
        put_bounds(line, {{"rank", a.ranks[n].rank}});
        put_account(line, i.ranks[n]);
        line.close('}');
    }
    line.close(']');
}
template <class Line> void put(Line& line, const wlfmt::analysis::replay_answer& r) {
    if (r.reason != wlfmt::analysis::replay_answer::obstacle::none) put_text(line, "obstacle", word_of(r.reason));
    put_bounds(line, {{"iteration", r.iteration}, {"replayed", r.replayed}, {"error", percent(r.error)}});
    put_list(line, "remedies", r.remedies);
}

// Writes the answers as an object. What is not known has no key. `brief`: leaves out the lists that grow with the
// number of pairs of ranks, or that have several items for each rank.
template <class Line> void put_answers(Line& line, const wlfmt::analysis::run_answers& a, bool brief) {
    line.open('{');
    if (brief) put_texts(line, "not_on_this_page", std::array{"waits", "ranks.groups", "ranks.operations"});
    if (a.sizes)
        put_object(line, "sizes", [&] {
            put_bounds(line, {{"world", a.sizes->world},
                              {"tp", a.sizes->tensor},
                              {"pp", a.sizes->pipeline},
                              {"exp", a.sizes->expert}});
        });
    put_text(line, "headline", wlfmt::analysis::headline(a));
    put_bounds(line, {{"together", a.together},
                      {"apart", value_if(a.apart, true)},
                      {"interleaved", value_if(a.interleaved, true)},
                      {"chunks", value_if(a.interleaved && a.chunks > 1, a.chunks)},
                      {"same_clock", a.same_clock},
                      {"common_moment", a.common_moment},
                      {"extent_spread", a.extent_spread},
                      {"extent", a.extent},
                      {"too_many_calls", value_if(a.too_many_calls, true)},
                      {"repeated_ranks", value_if(a.repeated_ranks, true)},
                      {"unfinished", value_if(a.unfinished, true)},
                      {"clocks", std::uint64_t{a.clocks}},
                      {"missing_ranks", a.missing_ranks},
                      {"left_out", a.left_out},
                      {"missing_members", a.missing_members},
                      {"differing_groups", a.differing_groups},
                      {"apart_groups", value_if(a.apart_groups != 0, a.apart_groups)},
                      {"missing_call_count", a.missing_call_count},
                      {"lost", a.lost}});
    put_list(line, "missing_calls", a.missing_calls);
    if (a.slowest_rank) put_object(line, "slowest_rank", [&] { put(line, *a.slowest_rank); });
    if (a.slowest_stage) put_object(line, "slowest_stage", [&] { put(line, *a.slowest_stage); });
    put_bounds(line, {{"micro_batches", batches_if_known(a, a.micro_batches)},
                      {"pipe_ms", a.pipeline_time},
                      {"bubble_share", percent(a.bubble_share)},
                      {"bubble_equal_share", percent(a.equal_share)},
                      {"pipe_least_ms", a.least_time},
                      {"pipe_least_even_ms", a.least_time_even}});
    line.key("totals").open('{');
    put_account(line, a.total,
                {{"doubles", a.doubles},
                 {"double_ms", a.doubled},
                 {"untimed", a.untimed},
                 {"negative", a.negative},
                 {"contradictions", value_if(a.contradictions != 0, a.contradictions)},
                 {"unread", value_if(a.unread != 0, a.unread)},
                 {"overlaps", a.overlaps}});
    line.close('}');
    put_objects(line, "groups", a.groups, [&](const auto& group) { put(line, group, &a.total); });
    put_list(line, "operations", a.operations);
    put_texts(line, "local_collectives", a.alone);
    put_list(line, "p2p_floor_ms", a.message_floors);
    put_list(line, "stages", a.stages);
    put_objects(line, "ranks", a.ranks, [&](const auto& rank) { put(line, rank, brief); });
    if (a.iterations > 1)
        put_objects(line, "iterations", a.by_iteration, [&](const auto& iteration) { put(line, iteration, a); });
    put_list(line, "leave_spread", a.leaving);
    put_list(line, "imbalance", a.imbalance);
    if (!brief) put_list(line, "waits", a.waits);
    put_list(line, "bandwidth", a.bandwidth);
    put_object(line, "replay", [&] { put(line, a.replay); });
    line.close('}');
}

}  // namespace tool

#endif
