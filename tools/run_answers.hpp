// Prints the answers about a run, for people and for programs: who is slow and why, what is work and what is waiting.
#ifndef WLFMT_TOOLS_RUN_ANSWERS_HPP
#define WLFMT_TOOLS_RUN_ANSWERS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/answers.hpp>

#include "grid.hpp"
#include "output.hpp"

namespace tool {

// A number with at most six decimals, and no zeros at their end.
inline std::string decimals_of(double v) {
    std::string to = fixed(v, 6);
    to.erase(to.find_last_not_of('0') + 1);
    if (to.back() == '.') to.pop_back();
    return to == "-0" ? "0" : to;
}
template <class Line>
void put_decimal(Line& to, std::string_view key, double v) {
    to.key(key);
    to.plain(decimals_of(v));
}

inline std::string list_of(const std::vector<std::int64_t>& ranks) {
    constexpr std::size_t most = 16;
    std::string to;
    for (std::size_t n = 0; n != (std::min)(ranks.size(), most); ++n)
        to.append(n == 0 ? "" : ", ").append(std::to_string(ranks[n]));
    return ranks.size() > most ? to + ", ..." : to;
}
inline const char* reason_of(wlfmt::oplog::slow_rank::reason why) noexcept {
    using reason = wlfmt::oplog::slow_rank::reason;
    switch (why) {
    case reason::no_peer: return "no other rank in its stage";
    case reason::more_bytes: return "more bytes";
    case reason::more_operations: return "more operations";
    case reason::longer: return "same operations and bytes, longer";
    default: return "none";
    }
}
inline std::string reason_of(const wlfmt::oplog::slow_stage& s) {
    using reason = wlfmt::oplog::slow_stage::reason;
    if (s.why == reason::none) return "none";
    return s.why == reason::all_ranks ? "more work in all its ranks" : "rank " + std::to_string(s.rank);
}

class answer_printer {
public:
    explicit answer_printer(const wlfmt::oplog::run_answers& a) : a_(a) {}
    void print() const {
        if (a_.too_many_calls)
            print_note(
                "the groups that lack members have more collectives than are kept (4,194,304): who is slow and who "
                "waits is not known; sum up whole runs, or fewer iterations");
        if (a_.repeated_ranks) print_note("ranks are in several files: who is slow and who waits is not known");
        if (a_.ranks.size() < 2) return;
        print_slowest_rank();
        print_slowest_stage();
        print_bubble();
        print_imbalance();
        print_limits();
        print_gap();
        print_ranks();
        if (a_.together) print_groups();
        print_stages();
        print_gap();
    }

private:
    static std::string ms(double v) { return fixed(v, 2); }
    static std::string times(double v) { return fixed(v, 2) + " times"; }
    static std::string percent(double part) { return fixed(100 * part, 1) + "%"; }

    // The work of a slow rank and the lower median of its peers' in each operation.
    std::string compared_work(const wlfmt::oplog::slow_rank& slow) const {
        std::string to;
        for (const auto& r : a_.ranks) {
            if (r.rank != slow.rank) continue;
            for (const auto& op : r.operations) {
                std::vector<double> others;
                for (const auto& peer : a_.ranks)
                    if (peer.rank != r.rank && peer.stage == r.stage)
                        for (const auto& same : peer.operations)
                            if (same.operation == op.operation) others.push_back(same.work);
                if (others.empty()) continue;
                const double median = wlfmt::detail::low_median(std::move(others));
                if (op.work - median < 0.02 * slow.excess) continue;
                to.append(to.empty() ? "" : ", ").append(op.operation + " " + ms(op.work) + " / " + ms(median));
            }
        }
        return to;
    }
    void print_slowest_rank() const {
        using reason = wlfmt::oplog::slow_rank::reason;
        if (!a_.slowest_rank || a_.slowest_rank->why == reason::no_peer) return;
        const wlfmt::oplog::slow_rank& slow = *a_.slowest_rank;
        if (slow.why == reason::none) return print_note("slowest rank: none (no rank has 5% more work than its peers)");
        std::string line = "slowest rank: " + std::to_string(slow.rank);
        if (slow.stage) line += " (stage " + std::to_string(*slow.stage) + ")";
        line += ", " + ms(slow.work) + " ms of work, " + times(slow.ratio) + " that of its peers: ";
        if (slow.why == reason::more_bytes) line += "it has " + times(slow.bytes_ratio) + " their bytes";
        if (slow.why == reason::more_operations) line += "it has " + times(slow.calls_ratio) + " their operations";
        if (slow.why == reason::longer)
            line += "the same operations and bytes took longer (the device, the host or contention)";
        print_note(line);
        if (const std::string work = compared_work(slow); !work.empty())
            print_note("  its work and theirs, ms: " + work);
        if (slow.gaps_ratio >= 2)
            print_note("  its gaps between records, which the host makes, are " + times(slow.gaps_ratio) + " theirs");
        if (slow.near.size() > 1) print_note("  ranks with at least 90% of its excess: " + list_of(slow.near));
        if (a_.together && slow.late != 0)
            print_note("  the others waited " + ms(slow.caused) + " ms for it in its stage; it came last in " +
                       counted(slow.late, "call", "calls"));
    }
    void print_slowest_stage() const {
        if (!a_.slowest_stage || !a_.together) return;
        using reason = wlfmt::oplog::slow_stage::reason;
        const wlfmt::oplog::slow_stage& slow = *a_.slowest_stage;
        if (slow.why == reason::none)
            return print_note("slowest stage: none (no stage takes 5% longer than the others)");
        print_note("slowest stage: " + std::to_string(slow.stage) + ", " + ms(slow.per_batch) + " ms a micro-batch, " +
                   times(slow.ratio) + " the others': " + (slow.why == reason::one_rank ? "because of " : "") +
                   reason_of(slow) + " (" + times(slow.ratio_without) +
                   " their work without the slowest rank of each stage)");
    }
    void print_bubble() const {
        if (!a_.bubble_share || !a_.pipeline_time) return;
        std::string line = "pipeline bubble: " + percent(*a_.bubble_share) + " of " + ms(*a_.pipeline_time) + " ms";
        if (a_.equal_share)
            line += "; " + percent(*a_.equal_share) + " with equal stages (" +
                    counted(a_.stages.size(), "stage", "stages") + ", " +
                    counted(a_.micro_batches, "micro-batch", "micro-batches") + ")";
        print_note(line);
        if (a_.least_time && a_.least_time_even)
            print_note("  these stages allow no less than " + ms(*a_.least_time) + " ms, and " +
                       ms(*a_.least_time_even) + " ms with even work in each stage");
    }
    void print_imbalance() const {
        const wlfmt::oplog::imbalance_answer* worst = nullptr;
        for (const auto& one : a_.imbalance)
            if (one.greatest_rank && (worst == nullptr || one.ratio > worst->ratio)) worst = &one;
        if (worst == nullptr) return;
        print_note("all-to-all bytes that differ between ranks: at most " + times(worst->ratio) + " the mean, rank " +
                   std::to_string(*worst->greatest_rank) + " (group " + worst->group + "); " +
                   times(worst->worst_call_ratio) + " in one call; correlation with work " +
                   fixed(worst->correlation, 2));
    }
    void print_limits() const {
        if (!a_.together)
            print_note("the ranks were traced separately: waiting, exposed communication and the bubble are not known");
        else if (!a_.sizes)
            print_note(
                "the names of the files do not say the sizes (wd8_tp2_pp4_...): transfer and waiting in "
                "collectives are one number");
        if (a_.together && !a_.same_clock)
            print_note("the clocks differ: no time of a rank is compared with that of another");
        if (a_.together && a_.missing_members != 0)
            print_note(counted(a_.missing_members, "group lacks", "groups lack") +
                       " members: waiting is a lower limit");
        if (a_.differing_groups != 0)
            print_note(counted(a_.differing_groups, "group has", "groups have") +
                       " calls that differ between members: compared up to the first of them");
        if (!a_.left_out.empty() && !a_.ranks.empty())
            print_note("not in these answers: rank " + list_of(a_.left_out) + " (without times)");
    }

    bool has_undivided() const { return a_.total.undivided != 0; }
    std::vector<std::string> cells_of(const wlfmt::oplog::time_account& t) const {
        std::vector<std::string> cells{ms(t.span), ms(t.work)};
        if (a_.together) cells.push_back(ms(t.transfer));
        if (has_undivided()) cells.push_back(ms(t.undivided));
        if (a_.together) {
            cells.push_back(ms(t.stage_waiting));
            cells.push_back(ms(t.pipeline_waiting));
        }
        cells.push_back(ms(t.gaps));
        return cells;
    }
    std::vector<std::string> titles() const {
        std::vector<std::string> cells{"span ms", "work"};
        if (a_.together) cells.emplace_back("transfer");
        if (has_undivided()) cells.emplace_back("communication");
        if (a_.together) {
            cells.emplace_back("waiting in stage");
            cells.emplace_back("for pipeline");
        }
        cells.emplace_back("gaps");
        return cells;
    }
    static std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }
    // Prints all ranks or, of many ranks, those with the most work beyond their peers.
    void print_ranks() const {
        constexpr std::size_t most = 32;
        std::vector<const wlfmt::oplog::rank_answer*> shown;
        for (const auto& r : a_.ranks) shown.push_back(&r);
        if (shown.size() > most) {
            wlfmt::detail::sort_list(shown, [](const auto* a, const auto* b) { return a->excess > b->excess; });
            shown.resize(8);
        }
        grid lines;
        std::vector<std::string> head = joined({"rank", "stage"}, titles());
        if (a_.together) head.emplace_back("caused");
        lines.row(head);
        for (const auto* r : shown) {
            std::vector<std::string> cells =
                joined({std::to_string(r->rank), r->stage ? std::to_string(*r->stage) : "-"}, cells_of(r->account));
            if (a_.together) cells.push_back(ms(r->caused));
            lines.row(cells);
        }
        lines.row(joined({"all " + std::to_string(a_.ranks.size()), ""}, cells_of(a_.total)));
        lines.print();
        if (shown.size() != a_.ranks.size())
            print_note("of " + std::to_string(a_.ranks.size()) + " ranks those with the most work beyond their peers");
    }
    void print_groups() const {
        print_gap();
        grid lines;
        lines.row({"group", "calls", "transfer ms", "waiting", "exposed", "share", "overlapped"});
        for (const auto& g : a_.groups) {
            const bool alone = std::find(a_.alone.begin(), a_.alone.end(), g.group) != a_.alone.end();
            const bool inside = g.group == "model";
            const double exposed = g.transfer + g.waiting + g.undivided;
            if (alone || (exposed == 0 && g.overlapped == 0)) continue;
            const std::string more =
                g.waiting_more > 0 ? " (at most " + ms(g.waiting + g.waiting_more) + ")" : std::string();
            lines.row({inside ? "in optimizer_step" : g.group, std::to_string(g.calls),
                       inside || g.undivided != 0 ? "-" : ms(g.transfer), g.undivided != 0 ? "-" : ms(g.waiting) + more,
                       ms(exposed), share(exposed, a_.total.span), g.overlapped != 0 ? ms(g.overlapped) : "-"});
        }
        lines.print();
        for (const std::string& kind : a_.alone)
            if (kind != "model")
                print_note("the groups of " + kind + " have one rank: nothing is sent, and their time is work");
    }
    void print_stages() const {
        if (a_.stages.size() < 2) return;
        print_gap();
        grid lines;
        std::vector<std::string> head{"stage", "ranks", "work ms", "least", "greatest"};
        if (a_.together && a_.micro_batches != 0) head.emplace_back("a micro-batch");
        if (a_.pipeline_time) {
            head.emplace_back("bubble");
            head.emplace_back("share");
        }
        if (a_.together) head.emplace_back("cost of imbalance");
        lines.row(head);
        for (const auto& s : a_.stages) {
            std::vector<std::string> cells{std::to_string(s.stage), std::to_string(s.ranks), ms(s.account.work),
                                           ms(s.least_work), ms(s.greatest_work)};
            if (a_.together && a_.micro_batches != 0) cells.push_back(ms(s.per_batch));
            if (a_.pipeline_time) {
                cells.push_back(ms(s.bubble.value_or(0)));
                cells.push_back(percent(s.bubble_share.value_or(0)));
            }
            if (a_.together) cells.push_back(ms(s.uneven));
            lines.row(cells);
        }
        lines.print();
    }

    const wlfmt::oplog::run_answers& a_;
};
inline void print_answers(const wlfmt::oplog::run_answers& a) { answer_printer(a).print(); }

// The answers as an object. What is not known has no key.
template <class Line>
class answer_writer {
public:
    answer_writer(Line& to, const wlfmt::oplog::run_answers& a) : to_(to), a_(a) {}
    void write() {
        to_.open('{');
        if (a_.sizes) {
            to_.key("sizes");
            to_.open('{');
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
        if (a_.too_many_calls) flag("too_many_calls", true);
        if (a_.repeated_ranks) flag("repeated_ranks", true);
        numbers("left_out", a_.left_out);
        count("missing_members", a_.missing_members);
        count("differing_groups", a_.differing_groups);
        conclusions();
        to_.key("totals");
        to_.open('{');
        account(a_.total);
        count("doubles", a_.doubles);
        put("double_ms", a_.doubled);
        count("untimed", a_.untimed);
        to_.close('}');
        list("groups", a_.groups, [this](const auto& g) { group(g, true); });
        list("operations", a_.operations, [this](const auto& o) { operation(o); });
        to_.key("local_collectives");
        to_.open('[');
        for (const std::string& kind : a_.alone) to_.string(kind);
        to_.close(']');
        list("p2p_floor_ms", a_.message_floors, [this](const auto& f) {
            this->put("bytes", f.first);
            this->put("ms", f.second);
        });
        list("stages", a_.stages, [this](const auto& s) { stage(s); });
        list("ranks", a_.ranks, [this](const auto& r) { rank(r); });
        list("leave_spread", a_.leaving, [this](const auto& l) { leaving(l); });
        list("imbalance", a_.imbalance, [this](const auto& i) { imbalance(i); });
        to_.close('}');
    }

private:
    void put(std::string_view key, double v) { put_decimal(to_, key, v); }
    void put(std::string_view key, const std::optional<double>& v) {
        if (v) put(key, *v);
    }
    void integer(std::string_view key, std::int64_t v) {
        to_.key(key);
        to_.integer(v);
    }
    void count(std::string_view key, std::uint64_t n) { integer(key, static_cast<std::int64_t>(n)); }
    void flag(std::string_view key, bool v) {
        to_.key(key);
        to_.boolean(v);
    }
    void text(std::string_view key, std::string_view v) {
        to_.key(key);
        to_.string(v);
    }
    void numbers(std::string_view key, const std::vector<std::int64_t>& values) {
        to_.key(key);
        to_.open('[');
        for (const std::int64_t v : values) to_.integer(v);
        to_.close(']');
    }
    template <class Items, class Each>
    void list(std::string_view key, const Items& items, const Each& each) {
        to_.key(key);
        to_.open('[');
        for (const auto& one : items) {
            to_.open('{');
            each(one);
            to_.close('}');
        }
        to_.close(']');
    }

    void account(const wlfmt::oplog::time_account& t) {
        put("span", t.span);
        put("work", t.work);
        if (a_.together) put("transfer", t.transfer);
        if (a_.total.undivided != 0) put("communication", t.undivided);
        if (a_.together) {
            put("waiting", t.stage_waiting + t.pipeline_waiting);
            put("in_stage", t.stage_waiting);
            put("pipeline", t.pipeline_waiting);
        }
        put("gap", t.gaps);
    }
    void group(const wlfmt::oplog::group_answer& g, bool of_all) {
        text("group", g.group);
        count("calls", g.calls);
        put("bytes", g.bytes);
        if (g.undivided != 0) put("communication", g.undivided);
        if (!a_.together) return;
        // How much of optimizer_step is transfer is not known.
        const bool inside = g.group == "model";
        if (!inside && g.undivided == 0) put("transfer", g.transfer);
        if (g.undivided == 0) put("waiting", g.waiting);
        if (of_all && g.undivided == 0) {
            put("exposed", g.transfer + g.waiting);
            if (a_.total.span > 0) put("share", 100 * (g.transfer + g.waiting) / a_.total.span);
        }
        put("overlapped", g.overlapped);
        put("waiting_more", g.waiting_more);
        if (!inside) put("waiting_least", g.waiting_least);
        if (!of_all) count("last", g.late);
    }
    void operation(const wlfmt::oplog::operation_answer& o) {
        text("operation", o.operation);
        put("time", o.time);
        put("work", o.work);
        if (a_.together && a_.total.undivided == 0) {
            put("transfer", o.transfer);
            put("waiting", o.waiting);
        } else {
            put("communication", o.transfer + o.waiting);
        }
    }
    void stage(const wlfmt::oplog::stage_answer& s) {
        integer("stage", s.stage);
        count("ranks", s.ranks);
        account(s.account);
        put("least_work", s.least_work);
        put("greatest_work", s.greatest_work);
        put("busy", s.busy);
        if (a_.micro_batches != 0) put("per_batch", s.per_batch);
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
        account(r.account);
        if (a_.together) {
            put("caused", r.caused);
            count("last", r.late);
            put("uneven", r.uneven);
        }
        put("alone", r.alone);
        put("excess", r.excess);
        put("ratio", r.ratio);
        count("nested_calls", r.nested_calls);
        put("nested_bytes", r.nested_bytes);
        count("records", r.records);
        count("doubles", r.doubles);
        put("double_ms", r.doubled);
        count("untimed", r.untimed);
        count("m", r.micro_batches);
        put("pipe", r.pipeline_busy);
        put("pipe_span", r.pipeline_span);
        put("first_forward", r.first_forward);
        list("groups", r.groups, [this](const auto& g) { group(g, false); });
        list("operations", r.operations, [this](const auto& o) { operation(o); });
    }
    void leaving(const wlfmt::oplog::leave_answer& l) {
        text("group", l.group);
        count("n", l.calls);
        put("median", l.median);
        put("greatest", l.greatest);
        put("arrive_median", l.arrive_median);
        put("arrive_greatest", l.arrive_greatest);
    }
    void imbalance(const wlfmt::oplog::imbalance_answer& i) {
        text("group", i.group);
        numbers("ranks", i.ranks);
        to_.key("bytes");
        to_.open('[');
        for (const double b : i.bytes) to_.plain(decimals_of(b));
        to_.close(']');
        if (i.greatest_rank) integer("greatest_rank", *i.greatest_rank);
        put("ratio", i.ratio);
        put("worst_call_ratio", i.worst_call_ratio);
        put("all_ratio", i.all_ratio);
        put("correlation", i.correlation);
    }
    void conclusions() {
        if (const auto& slow = a_.slowest_rank) {
            to_.key("slowest_rank");
            to_.open('{');
            integer("rank", slow->rank);
            if (slow->stage) integer("stage", *slow->stage);
            text("reason", reason_of(slow->why));
            put("work", slow->work);
            put("excess", slow->excess);
            put("ratio", slow->ratio);
            put("bytes_ratio", slow->bytes_ratio);
            put("calls_ratio", slow->calls_ratio);
            put("gap_ratio", slow->gaps_ratio);
            if (a_.together) {
                put("caused", slow->caused);
                count("last", slow->late);
            }
            numbers("near", slow->near);
            to_.close('}');
        }
        if (const auto& slow = a_.slowest_stage; slow && a_.together) {
            to_.key("slowest_stage");
            to_.open('{');
            integer("stage", slow->stage);
            text("reason", reason_of(*slow));
            put("per_batch", slow->per_batch);
            put("others", slow->others);
            put("ratio", slow->ratio);
            put("ratio_without_slowest_rank", slow->ratio_without);
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
};
template <class Line>
void put_answers(Line& to, const wlfmt::oplog::run_answers& a) {
    answer_writer<Line>(to, a).write();
}

}  // namespace tool

#endif
