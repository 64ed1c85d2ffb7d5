// The reports of two runs and of two tables: what differs in the second one, and where.
#ifndef WLFMT_DETAIL_REPORT_COMPARED_HPP
#define WLFMT_DETAIL_REPORT_COMPARED_HPP

#include "../../types/diff.hpp"
#include "../base/order.hpp"
#include "../summary/ordered_map.hpp"
#include "files.hpp"
#include "page.hpp"
#include "run_words.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// A page about two of something: the greatest difference comes first, and what only one side has is said.
struct compared_page {
    using text_of = std::string (*)(double);
    compared_page(text_of text, const char* unit) : text_(text), unit_(unit) {}

    struct side {
        bool has = false;
        double value = 0;
        oplog::limit limit = oplog::limit::exact;
    };
    struct pair {
        std::string name;      // markup
        side sides[2];         // before and after
        bool is_known = true;  // false: the side that lacks it may only not show it
        double difference() const { return sides[1].value - sides[0].value; }
    };
    std::string signed_text(double v) const { return (v > 0 ? "+" : "") + text_(v); }
    // A section that says which pair differs most, with a row for each. `of`: what they are; `above`: before the table.
    void add_section(std::string_view id, std::string_view of, double least, std::string_view how,
                     std::string_view head, std::vector<pair> pairs, std::string_view above = {}) {
        sort_list(pairs, [](const pair& x, const pair& y) {
            return x.is_known != y.is_known ? x.is_known : std::fabs(x.difference()) > std::fabs(y.difference());
        });
        const bool is_known = pairs.empty() || pairs[0].is_known;
        const double most = pairs.empty() || !is_known ? 0 : std::fabs(pairs[0].difference());
        page_.section(id,
                      !is_known      ? joined({"Whether any ", of, " differs is unknown"})
                      : most < least ? joined({"No ", of, " differs"})
                                     : joined({"What differs most: ", pairs[0].name, ", ",
                                               unbroken(signed_text(pairs[0].difference()) + unit_)}),
                      how);
        page_.add({above});
        if (pairs.empty()) return;
        const std::string in = (unit_.empty() ? "" : ",") + unit_;
        page_.table("wide sortable", {text_column(head), "A" + in, "B" + in, "B - A" + in, "of A", bar_column()});
        constexpr std::size_t most_rows_of_table = 64;
        for (std::size_t n = 0; n != pairs.size(); ++n) {
            if (n == most_rows_of_table) page_.fold(count_text(pairs.size() - n) + " more");
            add_row(pairs[n], (std::max)(most, 1e-9));
        }
    }
    // What takes `is`, and took `was`.
    std::string title(std::string what, double was, double is) const {
        what += " " + unbroken(text_(is) + unit_) + ", ";
        if (std::fabs(is - was) < 0.005 * was) return what + "as long as before, within 0.5&nbsp;%";
        return what + unbroken(text_(std::fabs(is - was)) + unit_) + " (" + percent_markup(std::fabs(is - was), was) +
               ") " + (is < was ? "less than before" : "more than before");
    }
    std::string finish(std::string_view before, std::string_view after, const std::string& finding) {
        return page_.finish(std::string(after) + " beside " + std::string(before),
                            "A, before: " + strong(markup(before)) + " &middot; B, after: " + strong(markup(after)),
                            finding);
    }
    void add_row(const pair& p, double most) {
        const auto& [before, after] = p.sides;
        std::string name = p.name;
        if (before.has != after.has) append(name, {p.is_known ? " (only " : " (in ", before.has ? "A)" : "B)"});
        page_.row({name});
        for (const side& s : p.sides)
            page_.add_cells({s.has || p.is_known
                                 ? html_cell(s.value, joined({sign_of(s.limit), unbroken(text_(s.value))}))
                                 : html_cell("unknown")});
        if (!p.is_known) return page_.add_cells({"", "", ""});
        const double by = p.difference();
        const std::string part = joined({by > 0 ? "+" : "", fixed_text(100 * by / before.value, 1), " %"});
        page_.add_cells({{by, unbroken(signed_text(by))},
                         before.value > 0 ? unbroken(part) : missing_value,
                         bar_cell(100 * std::fabs(by) / most, by > 0 ? "stage" : "work", signed_text(by) + unit_)});
    }

    html_page page_;
    text_of text_;
    std::string unit_;  // with a space before it
};

struct compared_report : compared_page {
    compared_report(const oplog::run_answers& before, const oplog::run_answers& after)
        : compared_page(milliseconds_text, " ms"), runs_{run_words(before), run_words(after)} {}

    std::string write(std::string_view name_before, std::string_view name_after) {
        for (const run_words& run : runs_) {
            const oplog::run_answers& a = run.a_;
            std::string lacks = a.missing_ranks.empty() ? "" : "the log of " + ranks_markup(a.missing_ranks);
            if (a.missing_call_count != 0)
                append(lacks, {lacks.empty() ? "" : ", and ", counted_text(a.missing_call_count, "call")});
            if (!lacks.empty())
                page_.note(joined({name_of(run), " lacks ", lacks, ": what is compared is what is there."}));
        }
        add_parts();
        add_operations();
        add_ranks();
        return finish(name_before, name_after, title("The longest rank takes", runs_[0].longest(), runs_[1].longest()));
    }

    static constexpr double least = 0.01;
    std::string_view name_of(const run_words& run) const { return &run == runs_ ? "A" : "B"; }
    // `is_exact`: the difference of a limit is not known.
    void set_side(pair& to, const run_words& of, std::string name, double time, oplog::limit l, bool is_exact) {
        to.name = std::move(name);
        to.sides[&of - runs_] = {true, time, l};
        to.is_known = to.is_known && (!is_exact || l == oplog::limit::exact);
    }
    void add_parts() {
        const bool both = runs_[0].knows_waiting() && runs_[1].knows_waiting();
        std::vector<pair> pairs;
        std::vector<legend_entry> legend;
        for (std::size_t n = 0; n != time_classes; ++n) {
            const time_class& c = classes_of_time[n];
            // What one of the runs does not know is not compared.
            if (!both && n != work_class && n != gap_class && n != unknown_class) continue;
            legend.push_back({c.colour, std::string(c.name)});
            pairs.emplace_back();
            for (const run_words& run : runs_)
                set_side(pairs.back(), run, std::string(c.name), run.a_.total.*c.part, limit_of(run.a_.total, n), true);
        }
        std::string above = legend_of(legend);
        const double full = (std::max)(runs_[0].a_.total.span, runs_[1].a_.total.span);
        for (const run_words& run : runs_)
            above += html_page::named(name_of(run), drawing(account_bar(run.a_.total, full, 18), 18, name_of(run)));
        add_section("account", "part of the time", least,
                    joined({"Sums over all ranks; ", count_text(runs_[0].a_.ranks.size()), " in A, ",
                            count_text(runs_[1].a_.ranks.size()), " in B.",
                            both ? "" : " Waiting and transfer are unknown in one of the runs, and not compared."}),
                    "part", std::move(pairs), above);
    }
    void add_operations() {
        ordered_map<std::string, pair> all;
        for (const run_words& run : runs_)
            for (const oplog::operation_answer& o : run.a_.operations)
                set_side(all[o.operation], run, markup(o.operation), o.work, o.work_limit, false);
        std::vector<pair> pairs;
        for (const auto& [name, one] : all) pairs.push_back(one);
        add_section("operations", "operation's work", least, "Work of each operation, over all ranks.", "operation",
                    std::move(pairs));
    }
    void add_ranks() {
        ordered_map<std::int64_t, pair> all;
        for (const run_words& run : runs_)
            for (const oplog::rank_answer& r : run.a_.ranks)
                set_side(all[r.rank], run, joined({"rank ", r.rank}), r.account.work, r.account.work_limit, true);
        std::vector<pair> pairs;
        for (const auto& [rank, one] : all) pairs.push_back(one);
        add_section("ranks", "rank's work", least, "Work of each rank.", "rank", std::move(pairs));
    }

    const run_words runs_[2];  // before and after
};

struct compared_tables : compared_page {  // as diff compares them
    explicit compared_tables(const diff::profile_difference& of)
        : compared_page(is_time(of) ? microseconds_text : whole_text, ""), of_(of) {}

    std::string write(std::string_view name_before, std::string_view name_after) {
        const std::string column = of_.columns.empty() ? std::string() : markup(of_.columns[0]);
        for (const diff::profile_total* t : {&of_.before, &of_.after}) {
            if (column.empty() || (t->is_named && t->has_all_rows)) continue;
            constexpr std::string_view unknown = ": of names that it lacks it is unknown what they take.";
            page_.note(
                joined({t == &of_.before ? "A" : "B",
                        t->is_least   ? joined({" is cut, or a part of it cannot be read", unknown})
                        : t->is_named ? joined({" has fewer rows than its total of ", column, " is made of", unknown})
                                      : joined({" names no total of ", column, ": that of its rows is compared."})}));
        }
        for (const table_panel& p : table_panels) {
            std::vector<pair> pairs;
            for (const diff::profile_line& l : of_.lines)
                if (l.kind == p.kind)
                    pairs.push_back({markup(l.other_name.empty() ? l.name : l.name + " = " + l.other_name),
                                     {{l.in_before, l.before}, {l.in_after, l.after}},
                                     l.is_known});
            if (pairs.empty()) continue;
            add_section(
                p.id, p.one, 1e-9,
                joined({p.how, " By ", column, ", rows of one name summed; names that do not differ are left out."}),
                p.one, std::move(pairs));
        }
        if (!of_.columns.empty())
            page_.note(counted_text(of_.same, "name") + " of both " + (of_.same == 1 ? "does" : "do") + " not differ.");
        const bool is_known = !of_.before.is_least && !of_.after.is_least;
        return finish(name_before, name_after,
                      of_.columns.empty() ? "The tables have no times in common that could be compared"
                      : is_known          ? title("The total of " + column + " is", of_.before.value, of_.after.value)
                                          : "The total of " + column + " is " + total(of_.before) + " in A, " +
                                       total(of_.after) + " in B");
    }

    std::string total(const diff::profile_total& of) const {
        return (of.is_least ? "at least " : "") + unbroken(text_(of.value));
    }
    static bool is_time(const diff::profile_difference& of) {
        const std::string column = of.columns.empty() ? std::string() : of.columns[0];
        return column.size() > 3 && column.compare(column.size() - 3, 3, "_us") == 0;
    }
    static std::string whole_text(double v) { return grouped_text(v, 0); }
    const diff::profile_difference& of_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
