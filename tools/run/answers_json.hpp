// Writes the answers about a run as JSON, for programs.
#ifndef WLFMT_TOOLS_RUN_ANSWERS_JSON_HPP
#define WLFMT_TOOLS_RUN_ANSWERS_JSON_HPP

#include "../output/json_print.hpp"
#include "answers.hpp"

namespace tool {

// The answers as an object. What is not known has no key.
template <class Line> class answer_writer {
public:
    // `brief`: without the lists that grow with the number of pairs of ranks, or several times with that of ranks.
    answer_writer(Line& to, const wlfmt::oplog::run_answers& a, bool brief) : to_(to), a_(a), brief_(brief) {}
    void write() {
        to_.open('{');
        if (brief_) put_texts(to_, "not_on_this_page", std::array{"waits", "ranks.groups", "ranks.operations"});
        if (a_.sizes)
            put_object(to_, "sizes", [&] {
                numbers({{"world", a_.sizes->world},
                         {"tp", a_.sizes->tensor},
                         {"pp", a_.sizes->pipeline},
                         {"exp", a_.sizes->expert}});
            });
        put_text(to_, "headline", wlfmt::oplog::headline(a_));
        put_numbers(to_, {{"together", a_.together},
                          {"apart", value_if(a_.apart, true)},
                          {"interleaved", value_if(a_.interleaved, true)},
                          {"same_clock", a_.same_clock},
                          {"common_moment", a_.common_moment},
                          {"extent_spread", a_.extent_spread},
                          {"extent", a_.extent}});
        put_limits(to_, {{"extent", a_.extent},
                         {"extent_spread", a_.extent_spread},
                         {"pipe_ms", a_.pipeline_time},
                         {"bubble_share", a_.bubble_share},
                         {"pipe_least_ms", a_.least_time},
                         {"pipe_least_even_ms", a_.least_time_even}});
        numbers({{"too_many_calls", value_if(a_.too_many_calls, true)},
                 {"repeated_ranks", value_if(a_.repeated_ranks, true)},
                 {"clocks", std::uint64_t{a_.clocks}},
                 {"missing_ranks", a_.missing_ranks},
                 {"left_out", a_.left_out},
                 {"missing_members", a_.missing_members},
                 {"differing_groups", a_.differing_groups},
                 {"missing_call_count", a_.missing_call_count},
                 {"lost", a_.lost}});
        list("missing_calls", a_.missing_calls);
        if (a_.slowest_rank) put_object(to_, "slowest_rank", [&] { put(*a_.slowest_rank); });
        if (a_.slowest_stage) put_object(to_, "slowest_stage", [&] { put(*a_.slowest_stage); });
        // Their limits are told above.
        put_numbers(to_, {{"micro_batches", a_.micro_batches},
                          {"pipe_ms", a_.pipeline_time},
                          {"bubble_share", percent(a_.bubble_share)},
                          {"bubble_equal_share", percent(a_.equal_share)},
                          {"pipe_least_ms", a_.least_time},
                          {"pipe_least_even_ms", a_.least_time_even}});
        to_.key("totals").open('{');
        account(a_.total, {{"doubles", a_.doubles},
                           {"double_ms", a_.doubled},
                           {"untimed", a_.untimed},
                           {"negative", a_.negative},
                           {"contradictions", value_if(a_.contradictions != 0, a_.contradictions)},
                           {"overlaps", a_.overlaps}});
        to_.close('}');
        put_objects(to_, "groups", a_.groups, [&](const wlfmt::oplog::group_answer& g) { put(g, true); });
        list("operations", a_.operations);
        put_texts(to_, "local_collectives", a_.alone);
        list("p2p_floor_ms", a_.message_floors);
        list("stages", a_.stages);
        list("ranks", a_.ranks);
        if (a_.iterations > 1) list("iterations", a_.by_iteration);
        list("leave_spread", a_.leaving);
        list("imbalance", a_.imbalance);
        if (!brief_) list("waits", a_.waits);
        list("bandwidth", a_.bandwidth);
        put_object(to_, "replay", [&] { put(a_.replay); });
        to_.close('}');
    }

private:
    using limit = wlfmt::oplog::limit;

    void text(std::string_view key, std::string_view v) { put_text(to_, key, v); }
    // Members, the limits of all of them, and further members.
    void numbers(number_members members, number_members more = {}) {
        put_numbers(to_, members);
        put_limits(to_, members, more);
        put_numbers(to_, more);
    }
    template <class Item> void list(std::string_view key, const std::vector<Item>& items) {
        put_objects(to_, key, items, [&](const Item& item) { put(item); });
    }

    static bounded percent(const bounded& part) { return part * 100; }

    // `more`: further numbers of the object.
    void account(const wlfmt::oplog::time_account& t, number_members more = {}) {
        numbers({{"span", t.span},
                 {"work", t.work},
                 {"transfer", t.transfer},
                 {"waiting", t.stage_waiting + t.pipeline_waiting},
                 {"in_stage", t.stage_waiting},
                 {"pipeline", t.pipeline_waiting},
                 {"gap", t.gaps},
                 {"unknown", t.unknown}},
                more);
    }
    // `of_all`: over all ranks.
    void put(const wlfmt::oplog::group_answer& g, bool of_all = false) {
        text("group", g.group);
        numbers({{"calls", g.calls},
                 {"bytes", g.bytes},
                 {"unknown", g.unknown},
                 {"unknown_calls", g.unknown_calls},
                 {"transfer", g.transfer},
                 {"waiting", g.waiting},
                 {"exposed", of_all ? exposed_in(g) : bounded::unknown()},
                 {"share", of_all ? percent(exposed_in(g) / a_.total.span) : bounded::unknown()},
                 {"overlapped", g.overlapped},
                 {"waiting_more", g.waiting_more},
                 {"waiting_least", g.waiting_least},
                 {"last", of_all ? bounded::unknown() : g.late}});
    }
    void put(const wlfmt::oplog::operation_answer& o) {
        text("operation", o.operation);
        numbers({{"time", o.time},
                 {"work", o.work},
                 {"transfer", o.transfer},
                 {"waiting", o.waiting},
                 {"unknown", o.unknown}});
    }
    void put(const wlfmt::oplog::stage_answer& s) {
        numbers({{"stage", s.stage}, {"ranks", s.ranks}});
        account(s.account, {{"least_work", s.least_work},
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
    void put(const wlfmt::oplog::rank_answer& r) {
        numbers({{"rank", r.rank}, {"stage", r.stage}});
        account(r.account, {{"caused", r.caused},
                            {"last", r.late},
                            {"last_of", r.peered},
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
        if (brief_) return;
        list("groups", r.groups);
        list("operations", r.operations);
    }
    void put(const wlfmt::oplog::missing_call& m) {
        using step = wlfmt::oplog::program_step;
        numbers({{"rank", m.rank}});
        text("group", m.group);
        text("operation", m.operation);
        if (!m.function.empty()) text("function", m.function);
        numbers({{"batch", value_if(m.batch != step::no_batch, m.batch)},
                 {"number", m.number},
                 {"record", m.record},
                 {"before", m.before},
                 {"in_a_row", value_if(m.in_a_row != 1, m.in_a_row)},
                 {"ranks", m.ranks}});
    }
    // The least time of a message of so many bytes.
    void put(const std::pair<double, bounded>& floor) { numbers({{"bytes", floor.first}, {"ms", floor.second}}); }
    void put(const wlfmt::oplog::iteration_answer& i) {
        numbers({{"micro_batches", i.micro_batches}, {"slowest_rank", i.slowest_rank}});
        put_object(to_, "totals", [&] { account(i.total); });
        to_.key("ranks").open('[');
        for (std::size_t n = 0; n != i.ranks.size(); ++n) {
            to_.open('{');
            numbers({{"rank", a_.ranks[n].rank}});
            account(i.ranks[n]);
            to_.close('}');
        }
        to_.close(']');
    }
    void put(const wlfmt::oplog::leave_answer& l) {
        text("group", l.group);
        numbers({{"n", l.calls},
                 {"median", l.median},
                 {"greatest", l.greatest},
                 {"arrive_median", l.arrive_median},
                 {"arrive_greatest", l.arrive_greatest}});
    }
    void put(const wlfmt::oplog::imbalance_answer& i) {
        const limit of_bytes = i.is_partial ? limit::least : limit::exact;
        // Which rank it is follows from bytes that are limits.
        const bounded greatest = i.greatest_rank
                                     ? bounded(static_cast<double>(*i.greatest_rank)).limited(i.ratio.what())
                                     : bounded::unknown();
        text("group", i.group);
        numbers({{"ranks", i.ranks},
                 {"bytes", i.bytes, of_bytes},
                 {"greatest_rank", greatest},
                 {"ratio", i.ratio},
                 {"worst_call_ratio", i.worst_call_ratio},
                 {"all_ratio", i.all_ratio},
                 {"correlation", i.correlation}});
    }
    void put(const wlfmt::oplog::wait_answer& w) {
        numbers({{"late", w.late}, {"waiting", w.waiting}});
        text("group", w.group);
        numbers({{"ms", w.time}});
    }
    void put(const wlfmt::oplog::bandwidth_answer& b) {
        text("group", b.group);
        text("function", b.function);
        numbers({{"ranks", b.ranks}});
        text("where", word_of(b.where));
        numbers({{"size", value_if(b.size >= 0, b.size)},
                 {"calls", b.calls},
                 {"bytes", b.bytes},
                 {"transfer", b.transfer},
                 {"median_transfer", b.median_transfer},
                 {"least_transfer", b.least_transfer},
                 {"algorithm_gbs", b.algorithm},
                 {"bus_gbs", b.bus}});
    }
    void put(const wlfmt::oplog::replay_answer& r) {
        if (r.reason != wlfmt::oplog::replay_answer::obstacle::none) text("obstacle", word_of(r.reason));
        numbers({{"iteration", r.iteration}, {"replayed", r.replayed}, {"error", percent(r.error)}});
        list("remedies", r.remedies);
    }
    void put(const wlfmt::oplog::remedy& r) {
        text("change", name_of(r.what));
        text("kind", r.is_limit ? "limit" : "remedy");
        numbers({{"rank", r.rank}, {"gain", r.gain}, {"waiting_less", r.waiting_less}});
    }
    void put(const wlfmt::oplog::slow_rank& slow) {
        numbers({{"rank", slow.rank}, {"stage", slow.stage}});
        text("reason", reason_of(slow.reason));
        numbers({{"work", slow.work},
                 {"peers", slow.peers},
                 {"excess", slow.excess},
                 {"ratio", slow.ratio},
                 {"bytes_ratio", slow.bytes_ratio},
                 {"calls_ratio", slow.calls_ratio},
                 {"gap_ratio", slow.gaps_ratio},
                 {"caused", slow.caused},
                 {"last", slow.late},
                 {"last_of", slow.peered},
                 {"near", slow.similar}});
    }
    void put(const wlfmt::oplog::slow_stage& slow) {
        numbers({{"stage", slow.stage}});
        text("reason", reason_of(slow));
        numbers({{"per_batch", slow.per_batch},
                 {"others", slow.others},
                 {"ratio", slow.ratio},
                 {"ratio_without_slowest_rank", slow.ratio_without}});
    }

    Line& to_;
    const wlfmt::oplog::run_answers& a_;
    bool brief_;
};
template <class Line> void put_answers(Line& to, const wlfmt::oplog::run_answers& a, bool brief) {
    answer_writer<Line>(to, a, brief).write();
}

}  // namespace tool

#endif
