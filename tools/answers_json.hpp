// Writes the answers about a run as JSON, for programs.
#ifndef WLFMT_TOOLS_ANSWERS_JSON_HPP
#define WLFMT_TOOLS_ANSWERS_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/answers.hpp>

#include "json_print.hpp"
#include "run_answers.hpp"

namespace tool {

// The answers as an object. What is not known has no key.
template <class Line> class answer_writer {
public:
    // `brief`: without the lists that grow with the number of pairs of ranks, or several times with that of ranks.
    answer_writer(Line& to, const wlfmt::oplog::run_answers& a, bool brief) : to_(to), a_(a), brief_(brief) {}
    void write() {
        to_.open('{');
        if (brief_) {
            to_.key("not_on_this_page").open('[');
            for (const char* key : {"waits", "ranks.groups", "ranks.operations"}) to_.string(key);
            to_.close(']');
        }
        if (a_.sizes) {
            to_.key("sizes").open('{');
            integer("world", a_.sizes->world);
            integer("tp", a_.sizes->tensor);
            integer("pp", a_.sizes->pipeline);
            integer("exp", a_.sizes->expert);
            to_.close('}');
        }
        flag("together", a_.together);
        flag("same_clock", a_.same_clock);
        flag("common_moment", a_.common_moment);
        if (a_.extent_spread) put("extent_spread", *a_.extent_spread);
        if (a_.extent) put("extent", *a_.extent);
        top_limits();
        if (a_.too_many_calls) flag("too_many_calls", true);
        if (a_.repeated_ranks) flag("repeated_ranks", true);
        count("clocks", a_.clocks);
        numbers("missing_ranks", a_.missing_ranks);
        numbers("left_out", a_.left_out);
        count("missing_members", a_.missing_members);
        count("differing_groups", a_.differing_groups);
        count("missing_call_count", a_.missing_call_count);
        count("lost", a_.lost);
        list("missing_calls", a_.missing_calls, [this](const auto& m) { missing_call(m); });
        conclusions();
        to_.key("totals").open('{');
        account(a_.total, {{"doubles", lost(a_.lost)}, {"double_ms", lost(a_.lost)}, {"overlaps", lost(a_.lost)}});
        count("doubles", a_.doubles);
        put("double_ms", a_.doubled);
        count("untimed", a_.untimed);
        count("negative", a_.negative);
        count("overlaps", a_.overlaps);
        to_.close('}');
        list("groups", a_.groups, [this](const auto& g) { group(g, true); });
        list("operations", a_.operations, [this](const auto& o) { operation(o); });
        to_.key("local_collectives").open('[');
        for (const std::string& kind : a_.alone) to_.string(kind);
        to_.close(']');
        list("p2p_floor_ms", a_.message_floors, [this](const auto& f) {
            this->put("bytes", f.first);
            this->put("ms", f.second);
            this->limits({{"ms", this->message_limit()}});
        });
        list("stages", a_.stages, [this](const auto& s) { stage(s); });
        list("ranks", a_.ranks, [this](const auto& r) { rank(r); });
        if (a_.iterations > 1) list("iterations", a_.by_iteration, [this](const auto& i) { iteration(i); });
        list("leave_spread", a_.leaving, [this](const auto& l) { leaving(l); });
        list("imbalance", a_.imbalance, [this](const auto& i) { imbalance(i); });
        if (!brief_) put_waits(to_, a_.waits);
        put_bandwidth(to_, a_.bandwidth);
        put_gains(to_, a_.replay);
        to_.close('}');
    }

private:
    using limit = wlfmt::oplog::limit;

    void put(std::string_view key, double v) { put_decimal(to_, key, v); }
    void put(std::string_view key, const std::optional<double>& v) {
        if (v) put(key, *v);
    }
    void integer(std::string_view key, std::int64_t v) { to_.key(key).integer(v); }
    void count(std::string_view key, std::uint64_t n) { integer(key, static_cast<std::int64_t>(n)); }
    void flag(std::string_view key, bool v) { to_.key(key).boolean(v); }
    void text(std::string_view key, std::string_view v) { to_.key(key).string(v); }
    void numbers(std::string_view key, const std::vector<std::int64_t>& values) {
        to_.key(key).open('[');
        for (const std::int64_t v : values) to_.integer(v);
        to_.close(']');
    }
    template <class Items, class Each> void list(std::string_view key, const Items& items, const Each& each) {
        to_.key(key).open('[');
        for (const auto& one : items) {
            to_.open('{');
            each(one);
            to_.close('}');
        }
        to_.close(']');
    }

    void limits(limited_numbers numbers, limited_numbers more = {}) { put_limits(to_, numbers, more); }
    // Of a number of records or calls, where some are lost; of what is found from some of them.
    static limit lost(std::uint64_t n) { return n != 0 ? limit::least : limit::exact; }
    static limit partial(bool is_partial, limit what = limit::either) { return is_partial ? what : limit::exact; }
    limit message_limit() const {
        for (const auto& g : a_.groups)
            if (g.group == "pp" && g.transfer_limit != limit::exact) return limit::most;
        return limit::exact;
    }
    void top_limits() {
        bool any = a_.lost != 0;
        for (const auto& g : a_.groups) any = any || g.unknown_calls != 0;
        limits({{"extent", partial(a_.extent && any)},
                {"extent_spread", partial(a_.extent_spread && any)},
                {"pipe_ms", partial(a_.pipeline_time.has_value(), a_.pipeline_limit)},
                {"bubble_share", partial(a_.bubble_share.has_value(), a_.bubble_limit)},
                {"pipe_least_ms", partial(a_.least_time.has_value(), a_.least_limit)},
                {"pipe_least_even_ms", partial(a_.least_time_even.has_value(), a_.least_even_limit)}});
    }
    // `more`: limits of further numbers of the object.
    void account(const wlfmt::oplog::time_account& t, limited_numbers more = {}) {
        put("span", t.span);
        put("work", t.work);
        if (a_.together) {
            put("transfer", t.transfer);
            put("waiting", t.stage_waiting + t.pipeline_waiting);
            put("in_stage", t.stage_waiting);
            put("pipeline", t.pipeline_waiting);
        }
        put("gap", t.gaps);
        put("unknown", t.unknown);
        const auto told = [this](limit l) { return this->partial(this->a_.together, l); };
        limits({{"span", t.span_limit},
                {"work", t.work_limit},
                {"transfer", told(t.transfer_limit)},
                {"waiting", told(wlfmt::oplog::of_both(t.stage_limit, t.pipeline_limit))},
                {"in_stage", told(t.stage_limit)},
                {"pipeline", told(t.pipeline_limit)},
                {"gap", t.gaps_limit}},
               more);
    }
    void group(const wlfmt::oplog::group_answer& g, bool of_all) {
        text("group", g.group);
        count("calls", g.calls);
        put("bytes", g.bytes);
        put("unknown", g.unknown);
        count("unknown_calls", g.unknown_calls);
        if (!a_.together) return limits({{"calls", g.calls_limit}, {"bytes", g.calls_limit}});
        // How much of optimizer_step is transfer is not known.
        const bool inside = answer_printer::is_hidden(g.group);
        if (!inside) put("transfer", g.transfer);
        put("waiting", g.waiting);
        if (of_all) {
            put("exposed", g.transfer + g.waiting);
            if (a_.total.span > 0) put("share", 100 * (g.transfer + g.waiting) / a_.total.span);
        }
        put("overlapped", g.overlapped);
        put("waiting_more", g.waiting_more);
        if (!inside) put("waiting_least", g.waiting_least);
        if (!of_all) count("last", g.late);
        // What is not known of some calls is in none of these.
        const bool any = g.unknown_calls != 0 || g.calls_limit != limit::exact;
        const limit exposed = wlfmt::oplog::of_both(g.transfer_limit, g.waiting_limit);
        limits({{"calls", g.calls_limit},
                {"bytes", g.calls_limit},
                {"transfer", partial(!inside, g.transfer_limit)},
                {"waiting", g.waiting_limit},
                {"exposed", partial(of_all, exposed)},
                {"share", partial(of_all, wlfmt::oplog::of_difference(exposed, a_.total.span_limit))},
                {"overlapped", g.overlapped_limit},
                {"waiting_more", partial(any)},
                {"waiting_least", partial(any && !inside)},
                {"last", partial(any && !of_all)}});
    }
    void operation(const wlfmt::oplog::operation_answer& o) {
        text("operation", o.operation);
        put("time", o.time);
        put("work", o.work);
        if (a_.together) {
            put("transfer", o.transfer);
            put("waiting", o.waiting);
        }
        put("unknown", o.unknown);
        limits({{"time", o.time_limit},
                {"work", o.work_limit},
                {"transfer", partial(a_.together, o.transfer_limit)},
                {"waiting", partial(a_.together, o.waiting_limit)}});
    }
    void stage(const wlfmt::oplog::stage_answer& s) {
        integer("stage", s.stage);
        count("ranks", s.ranks);
        const bool timed = a_.together && s.bubble;
        const bool any = a_.micro_batches != 0;
        account(s.account, {{"least_work", s.account.work_limit},
                            {"greatest_work", s.account.work_limit},
                            {"busy", s.busy_limit},
                            {"per_batch", partial(any, s.busy_limit)},
                            {"per_batch_without_waiting", partial(any, s.batch_work_limit)},
                            {"uneven", partial(a_.together, s.account.stage_limit)},
                            {"bubble", partial(timed, s.bubble_limit)},
                            {"share", partial(timed, s.bubble_limit)},
                            {"fill", partial(timed && s.fill, s.fill_limit)},
                            {"drain", partial(timed && s.drain, s.drain_limit)}});
        put("least_work", s.least_work);
        put("greatest_work", s.greatest_work);
        put("busy", s.busy);
        numbers("missing", s.missing);
        if (a_.micro_batches != 0) {
            put("per_batch", s.per_batch);
            put("per_batch_without_waiting", s.batch_work);
        }
        if (!a_.together) return;
        put("uneven", s.uneven);
        put("bubble", s.bubble);
        if (s.bubble_share) put("share", 100 * *s.bubble_share);
        put("fill", s.fill);
        put("drain", s.drain);
    }
    void rank(const wlfmt::oplog::rank_answer& r) {
        integer("rank", r.rank);
        if (r.stage) integer("stage", *r.stage);
        const limit of_records = lost(r.lost);
        account(r.account, {{"caused", partial(a_.together, a_.total.stage_limit)},
                            {"last", partial(a_.together, a_.total.stage_limit)},
                            {"last_of", partial(a_.together, a_.total.stage_limit)},
                            {"uneven", partial(a_.together, r.account.stage_limit)},
                            {"alone", of_records},
                            {"excess", r.excess_limit},
                            {"ratio", r.excess_limit},
                            {"nested_calls", of_records},
                            {"nested_bytes", of_records},
                            {"records", of_records},
                            {"doubles", of_records},
                            {"double_ms", of_records},
                            {"overlaps", of_records},
                            {"m", of_records},
                            {"pipe", of_records},
                            {"pipe_span", partial(r.pipeline_span.has_value(), r.pipeline_span_limit)},
                            {"first_forward", partial(r.first_forward.has_value(), r.first_forward_limit)}});
        if (a_.together) {
            put("caused", r.caused);
            count("last", r.late);
            count("last_of", r.peered);
            put("uneven", r.uneven);
        }
        put("alone", r.alone);
        put("excess", r.excess);
        put("ratio", r.ratio);
        count("nested_calls", r.nested_calls);
        put("nested_bytes", r.nested_bytes);
        count("records", r.records);
        count("lost", r.lost);
        count("doubles", r.doubles);
        put("double_ms", r.doubled);
        count("untimed", r.untimed);
        count("negative", r.negative);
        count("overlaps", r.overlaps);
        count("clock", r.clock);
        count("m", r.micro_batches);
        put("pipe", r.pipeline_busy);
        put("pipe_span", r.pipeline_span);
        put("first_forward", r.first_forward);
        if (brief_) return;
        list("groups", r.groups, [this](const auto& g) { group(g, false); });
        list("operations", r.operations, [this](const auto& o) { operation(o); });
    }
    void missing_call(const wlfmt::oplog::missing_call& m) {
        integer("rank", m.rank);
        text("group", m.group);
        text("operation", m.operation);
        if (!m.function.empty()) text("function", m.function);
        if (m.batch != wlfmt::oplog::program_step::no_batch) integer("batch", m.batch);
        count("number", m.number);
        if (m.record) count("record", *m.record);
        if (m.before) count("before", *m.before);
        if (m.in_a_row != 1) count("in_a_row", m.in_a_row);
        numbers("ranks", m.ranks);
    }
    void iteration(const wlfmt::oplog::iteration_answer& i) {
        count("micro_batches", i.micro_batches);
        if (i.slowest_rank) integer("slowest_rank", *i.slowest_rank);
        to_.key("totals").open('{');
        account(i.total);
        to_.close('}');
        to_.key("ranks").open('[');
        for (std::size_t n = 0; n != i.ranks.size(); ++n) {
            to_.open('{');
            integer("rank", a_.ranks[n].rank);
            account(i.ranks[n]);
            to_.close('}');
        }
        to_.close(']');
    }
    void leaving(const wlfmt::oplog::leave_answer& l) {
        text("group", l.group);
        count("n", l.calls);
        put("median", l.median);
        put("greatest", l.greatest);
        put("arrive_median", l.arrive_median);
        put("arrive_greatest", l.arrive_greatest);
        limits({{"n", partial(l.is_partial, limit::least)},
                {"median", partial(l.is_partial)},
                {"greatest", partial(l.is_partial, limit::least)},
                {"arrive_median", partial(l.is_partial)},
                {"arrive_greatest", partial(l.is_partial, limit::least)}});
    }
    void imbalance(const wlfmt::oplog::imbalance_answer& i) {
        text("group", i.group);
        numbers("ranks", i.ranks);
        to_.key("bytes").open('[');
        for (const double b : i.bytes) to_.plain(decimals_of(b));
        to_.close(']');
        if (i.greatest_rank) integer("greatest_rank", *i.greatest_rank);
        put("ratio", i.ratio);
        put("worst_call_ratio", i.worst_call_ratio);
        put("all_ratio", i.all_ratio);
        put("correlation", i.correlation);
        limits({{"bytes", partial(i.is_partial, limit::least)},
                {"greatest_rank", partial(i.is_partial && i.greatest_rank)},
                {"ratio", partial(i.is_partial)},
                {"worst_call_ratio", partial(i.is_partial)},
                {"all_ratio", partial(i.is_partial)},
                {"correlation", partial(i.is_partial)}});
    }
    void conclusions() {
        if (const auto& slow = a_.slowest_rank) {
            to_.key("slowest_rank").open('{');
            integer("rank", slow->rank);
            if (slow->stage) integer("stage", *slow->stage);
            text("reason", reason_of(slow->reason));
            put("work", slow->work);
            put("excess", slow->excess);
            put("ratio", slow->ratio);
            put("bytes_ratio", slow->bytes_ratio);
            put("calls_ratio", slow->calls_ratio);
            put("gap_ratio", slow->gaps_ratio);
            if (a_.together) {
                put("caused", slow->caused);
                count("last", slow->late);
                count("last_of", slow->peered);
            }
            numbers("near", slow->similar);
            limits({{"work", slow->work_limit},
                    {"excess", slow->ratio_limit},
                    {"ratio", slow->ratio_limit},
                    {"bytes_ratio", slow->counts_limit},
                    {"calls_ratio", slow->counts_limit},
                    {"gap_ratio", slow->counts_limit},
                    {"caused", partial(a_.together, a_.total.stage_limit)},
                    {"last", partial(a_.together, a_.total.stage_limit)},
                    {"last_of", partial(a_.together, a_.total.stage_limit)}});
            to_.close('}');
        }
        if (const auto& slow = a_.slowest_stage; slow && a_.together) {
            to_.key("slowest_stage").open('{');
            integer("stage", slow->stage);
            text("reason", reason_of(*slow));
            put("per_batch", slow->per_batch);
            put("others", slow->others);
            put("ratio", slow->ratio);
            put("ratio_without_slowest_rank", slow->ratio_without);
            limits({{"per_batch", slow->per_batch_limit},
                    {"others", slow->others_limit},
                    {"ratio", slow->ratio_limit},
                    {"ratio_without_slowest_rank", slow->ratio_without_limit}});
            to_.close('}');
        }
        count("micro_batches", a_.micro_batches);
        put("pipe_ms", a_.pipeline_time);
        if (a_.bubble_share) put("bubble_share", 100 * *a_.bubble_share);
        if (a_.equal_share) put("bubble_equal_share", 100 * *a_.equal_share);
        put("pipe_least_ms", a_.least_time);
        put("pipe_least_even_ms", a_.least_time_even);
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
