// Writes the answers about a run as JSON, for programs.
#ifndef WLFMT_TOOLS_RUN_ANSWERS_JSON_HPP
#define WLFMT_TOOLS_RUN_ANSWERS_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/oplog/answers.hpp>

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
        if (brief_) texts("not_on_this_page", {"waits", "ranks.groups", "ranks.operations"});
        if (a_.sizes) {
            to_.key("sizes").open('{');
            numbers({{"world", a_.sizes->world},
                     {"tp", a_.sizes->tensor},
                     {"pp", a_.sizes->pipeline},
                     {"exp", a_.sizes->expert}});
            to_.close('}');
        }
        put_numbers(to_, {{"together", a_.together},
                          {"same_clock", a_.same_clock},
                          {"common_moment", a_.common_moment},
                          {"extent_spread", a_.extent_spread},
                          {"extent", a_.extent}});
        bool any_unknown = a_.lost != 0;
        for (const auto& g : a_.groups) any_unknown = any_unknown || g.unknown_calls != 0;
        put_limits(to_, {{"extent", a_.extent, partial(any_unknown)},
                         {"extent_spread", a_.extent_spread, partial(any_unknown)},
                         {"pipe_ms", a_.pipeline_time, a_.pipeline_limit},
                         {"bubble_share", a_.bubble_share, a_.bubble_limit},
                         {"pipe_least_ms", a_.least_time, a_.least_limit},
                         {"pipe_least_even_ms", a_.least_time_even, a_.least_even_limit}});
        numbers({{"too_many_calls", told(a_.too_many_calls, true)},
                 {"repeated_ranks", told(a_.repeated_ranks, true)},
                 {"clocks", std::uint64_t{a_.clocks}},
                 {"missing_ranks", a_.missing_ranks},
                 {"left_out", a_.left_out},
                 {"missing_members", a_.missing_members},
                 {"differing_groups", a_.differing_groups},
                 {"missing_call_count", a_.missing_call_count},
                 {"lost", a_.lost}});
        list("missing_calls", a_.missing_calls);
        if (a_.slowest_rank) put(*a_.slowest_rank);
        if (a_.slowest_stage && a_.together) put(*a_.slowest_stage);
        numbers({{"micro_batches", a_.micro_batches},
                 {"pipe_ms", a_.pipeline_time},
                 {"bubble_share", percent(a_.bubble_share)},
                 {"bubble_equal_share", percent(a_.equal_share)},
                 {"pipe_least_ms", a_.least_time},
                 {"pipe_least_even_ms", a_.least_time_even}});
        to_.key("totals").open('{');
        account(a_.total, {{"doubles", a_.doubles, lost(a_.lost)},
                           {"double_ms", a_.doubled, lost(a_.lost)},
                           {"untimed", a_.untimed},
                           {"negative", a_.negative},
                           {"overlaps", a_.overlaps, lost(a_.lost)}});
        to_.close('}');
        list("groups", a_.groups, true);
        list("operations", a_.operations);
        texts("local_collectives", a_.alone);
        list("p2p_floor_ms", a_.message_floors);
        list("stages", a_.stages);
        list("ranks", a_.ranks);
        if (a_.iterations > 1) list("iterations", a_.by_iteration);
        list("leave_spread", a_.leaving);
        list("imbalance", a_.imbalance);
        if (!brief_) list("waits", a_.waits);
        list("bandwidth", a_.bandwidth);
        to_.key("replay").open('{');
        put(a_.replay);
        to_.close('}');
        to_.close('}');
    }

private:
    using limit = wlfmt::oplog::limit;

    void text(std::string_view key, std::string_view v) { put_text(to_, key, v); }
    template <class Texts = std::initializer_list<const char*>> void texts(std::string_view key, const Texts& all) {
        to_.key(key).open('[');
        for (const auto& one : all) to_.string(one);
        to_.close(']');
    }
    // Members, the limits of all of them, and further members.
    void numbers(number_members members, number_members more = {}) {
        put_numbers(to_, members);
        put_limits(to_, members, more);
        put_numbers(to_, more);
    }
    // `of_all`: of groups, whether they are those of all ranks.
    template <class Item, class... Whether>
    void list(std::string_view key, const std::vector<Item>& items, Whether... of_all) {
        to_.key(key).open('[');
        for (const Item& one : items) {
            to_.open('{');
            put(one, of_all...);
            to_.close('}');
        }
        to_.close(']');
    }

    static std::optional<double> percent(const std::optional<double>& part) {
        return told(part.has_value(), 100 * part.value_or(0));
    }
    // Of a number of records or calls, where some are lost; of what is found from some of them.
    static limit lost(std::uint64_t n) { return n != 0 ? limit::least : limit::exact; }
    static limit partial(bool is_partial, limit what = limit::either) { return is_partial ? what : limit::exact; }

    // `more`: further numbers of the object.
    void account(const wlfmt::oplog::time_account& t, number_members more = {}) {
        const bool known = a_.together;
        numbers({{"span", t.span, t.span_limit},
                 {"work", t.work, t.work_limit},
                 {"transfer", told(known, t.transfer), t.transfer_limit},
                 {"waiting", told(known, t.stage_waiting + t.pipeline_waiting),
                  wlfmt::oplog::of_both(t.stage_limit, t.pipeline_limit)},
                 {"in_stage", told(known, t.stage_waiting), t.stage_limit},
                 {"pipeline", told(known, t.pipeline_waiting), t.pipeline_limit},
                 {"gap", t.gaps, t.gaps_limit},
                 {"unknown", t.unknown}},
                more);
    }
    void put(const wlfmt::oplog::group_answer& g, bool of_all = false) {
        const bool known = a_.together;
        // How much of optimizer_step is transfer is not known.
        const bool shown = known && !answer_printer::is_hidden(g.group);
        const double exposed = g.transfer + g.waiting;
        const limit exposed_limit = wlfmt::oplog::of_both(g.transfer_limit, g.waiting_limit);
        // What is not known of some calls is in none of these.
        const limit some = partial(g.unknown_calls != 0 || g.calls_limit != limit::exact);
        text("group", g.group);
        numbers({{"calls", g.calls, g.calls_limit},
                 {"bytes", g.bytes, g.calls_limit},
                 {"unknown", g.unknown},
                 {"unknown_calls", g.unknown_calls},
                 {"transfer", told(shown, g.transfer), g.transfer_limit},
                 {"waiting", told(known, g.waiting), g.waiting_limit},
                 {"exposed", told(known && of_all, exposed), exposed_limit},
                 {"share", told(known && of_all && a_.total.span > 0, 100 * exposed / a_.total.span),
                  wlfmt::oplog::of_difference(exposed_limit, a_.total.span_limit)},
                 {"overlapped", told(known, g.overlapped), g.overlapped_limit},
                 {"waiting_more", told(known, g.waiting_more), some},
                 {"waiting_least", told(shown, g.waiting_least), some},
                 {"last", told(known && !of_all, g.late), some}});
    }
    void put(const wlfmt::oplog::operation_answer& o) {
        text("operation", o.operation);
        numbers({{"time", o.time, o.time_limit},
                 {"work", o.work, o.work_limit},
                 {"transfer", told(a_.together, o.transfer), o.transfer_limit},
                 {"waiting", told(a_.together, o.waiting), o.waiting_limit},
                 {"unknown", o.unknown}});
    }
    void put(const wlfmt::oplog::stage_answer& s) {
        const bool any = a_.micro_batches != 0;
        const auto timed = [&](const std::optional<double>& v) { return a_.together ? v : std::nullopt; };
        numbers({{"stage", s.stage}, {"ranks", s.ranks}});
        account(s.account, {{"least_work", s.least_work, s.account.work_limit},
                            {"greatest_work", s.greatest_work, s.account.work_limit},
                            {"busy", s.busy, s.busy_limit},
                            {"missing", s.missing},
                            {"per_batch", told(any, s.per_batch), s.busy_limit},
                            {"per_batch_without_waiting", told(any, s.batch_work), s.batch_work_limit},
                            {"uneven", told(a_.together, s.uneven), s.account.stage_limit},
                            {"bubble", timed(s.bubble), s.bubble_limit},
                            {"share", timed(percent(s.bubble_share)), s.bubble_limit},
                            {"fill", timed(s.fill), s.fill_limit},
                            {"drain", timed(s.drain), s.drain_limit}});
    }
    void put(const wlfmt::oplog::rank_answer& r) {
        const limit of_records = lost(r.lost);
        numbers({{"rank", r.rank}, {"stage", r.stage}});
        account(r.account, {{"caused", told(a_.together, r.caused), a_.total.stage_limit},
                            {"last", told(a_.together, r.late), a_.total.stage_limit},
                            {"last_of", told(a_.together, r.peered), a_.total.stage_limit},
                            {"uneven", told(a_.together, r.uneven), r.account.stage_limit},
                            {"alone", r.alone, of_records},
                            {"excess", r.excess, r.excess_limit},
                            {"ratio", r.ratio, r.excess_limit},
                            {"nested_calls", r.nested_calls, of_records},
                            {"nested_bytes", r.nested_bytes, of_records},
                            {"records", r.records, of_records},
                            {"lost", r.lost},
                            {"doubles", r.doubles, of_records},
                            {"double_ms", r.doubled, of_records},
                            {"untimed", r.untimed},
                            {"negative", r.negative},
                            {"overlaps", r.overlaps, of_records},
                            {"clock", std::uint64_t{r.clock}},
                            {"m", r.micro_batches, of_records},
                            {"pipe", r.pipeline_busy, of_records},
                            {"pipe_span", r.pipeline_span, r.pipeline_span_limit},
                            {"first_forward", r.first_forward, r.first_forward_limit}});
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
        numbers({{"batch", told(m.batch != step::no_batch, m.batch)},
                 {"number", m.number},
                 {"record", m.record},
                 {"before", m.before},
                 {"in_a_row", told(m.in_a_row != 1, m.in_a_row)},
                 {"ranks", m.ranks}});
    }
    // The least time of a message of so many bytes.
    void put(const std::pair<double, double>& floor) {
        limit what = limit::exact;
        for (const auto& g : a_.groups)
            if (g.group == "pp" && g.transfer_limit != limit::exact) what = limit::most;
        numbers({{"bytes", floor.first}, {"ms", floor.second, what}});
    }
    void put(const wlfmt::oplog::iteration_answer& i) {
        numbers({{"micro_batches", i.micro_batches}, {"slowest_rank", i.slowest_rank}});
        to_.key("totals").open('{');
        account(i.total);
        to_.close('}');
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
        numbers({{"n", l.calls, partial(l.is_partial, limit::least)},
                 {"median", l.median, partial(l.is_partial)},
                 {"greatest", l.greatest, partial(l.is_partial, limit::least)},
                 {"arrive_median", l.arrive_median, partial(l.is_partial)},
                 {"arrive_greatest", l.arrive_greatest, partial(l.is_partial, limit::least)}});
    }
    void put(const wlfmt::oplog::imbalance_answer& i) {
        const limit some = partial(i.is_partial);
        text("group", i.group);
        numbers({{"ranks", i.ranks},
                 {"bytes", i.bytes, partial(i.is_partial, limit::least)},
                 {"greatest_rank", i.greatest_rank, some},
                 {"ratio", i.ratio, some},
                 {"worst_call_ratio", i.worst_call_ratio, some},
                 {"all_ratio", i.all_ratio, some},
                 {"correlation", i.correlation, some}});
    }
    void put(const wlfmt::oplog::wait_answer& w) {
        numbers({{"late", w.late}, {"waiting", w.waiting}});
        text("group", w.group);
        numbers({{"ms", w.time, w.time_limit}});
    }
    void put(const wlfmt::oplog::bandwidth_answer& b) {
        const limit least = partial(b.is_partial, limit::least);
        const limit some = partial(b.is_partial);
        text("group", b.group);
        text("function", b.function);
        numbers({{"ranks", b.ranks}});
        text("where", word_of(b.where));
        numbers({{"size", told(b.size >= 0, b.size)},
                 {"calls", b.calls, least},
                 {"bytes", told(b.size != b.untold, b.bytes), least},
                 {"transfer", b.transfer, least},
                 {"median_transfer", b.median_transfer, some},
                 {"least_transfer", b.least_transfer, partial(b.is_partial, limit::most)},
                 {"algorithm_gbs", b.algorithm, some},
                 {"bus_gbs", b.bus, some}});
    }
    void put(const wlfmt::oplog::replay_answer& r) {
        using obstacle = wlfmt::oplog::replay_answer::obstacle;
        const bool any = r.reason == obstacle::none || r.reason == obstacle::inexact;
        if (r.reason != obstacle::none) text("obstacle", word_of(r.reason));
        numbers({{"iteration", told(any, r.iteration)},
                 {"replayed", told(any, r.replayed)},
                 {"error", told(any, 100 * r.error)}});
        list("remedies", r.remedies);
    }
    void put(const wlfmt::oplog::remedy& r) {
        text("change", name_of(r.what));
        text("kind", r.is_limit ? "limit" : "remedy");
        numbers({{"rank", r.rank}, {"gain", r.gain}});
    }
    void put(const wlfmt::oplog::slow_rank& slow) {
        to_.key("slowest_rank").open('{');
        numbers({{"rank", slow.rank}, {"stage", slow.stage}});
        text("reason", reason_of(slow.reason));
        numbers({{"work", slow.work, slow.work_limit},
                 {"excess", slow.excess, slow.ratio_limit},
                 {"ratio", slow.ratio, slow.ratio_limit},
                 {"bytes_ratio", slow.bytes_ratio, slow.counts_limit},
                 {"calls_ratio", slow.calls_ratio, slow.counts_limit},
                 {"gap_ratio", slow.gaps_ratio, slow.counts_limit},
                 {"caused", told(a_.together, slow.caused), a_.total.stage_limit},
                 {"last", told(a_.together, slow.late), a_.total.stage_limit},
                 {"last_of", told(a_.together, slow.peered), a_.total.stage_limit},
                 {"near", slow.similar}});
        to_.close('}');
    }
    void put(const wlfmt::oplog::slow_stage& slow) {
        to_.key("slowest_stage").open('{');
        numbers({{"stage", slow.stage}});
        text("reason", reason_of(slow));
        numbers({{"per_batch", slow.per_batch, slow.per_batch_limit},
                 {"others", slow.others, slow.others_limit},
                 {"ratio", slow.ratio, slow.ratio_limit},
                 {"ratio_without_slowest_rank", slow.ratio_without, slow.ratio_without_limit}});
        to_.close('}');
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
