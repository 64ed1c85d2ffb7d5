// The reports of two runs, and of two tables: what is different in the second one, and where.
#ifndef WLFMT_DETAIL_REPORT_COMPARED_HPP
#define WLFMT_DETAIL_REPORT_COMPARED_HPP

#include "../../types/answers.hpp"
#include "../../types/diff.hpp"
#include "../base/order.hpp"
#include "../summary/ordered_map.hpp"
#include "files.hpp"
#include "page.hpp"
#include "run_words.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// A page about two of something: what differs most comes first, and what is on one side only is said.
class compared_page {
protected:
    using text_of = std::string (*)(double);
    compared_page(text_of text, std::string_view unit) : text_(text), unit_(unit) {}

    struct pair {
        std::string name;  // markup
        double before = 0;
        double after = 0;
        int sides = 0;         // 1: only before, 2: only after, 3: both
        bool is_known = true;  // false: the side that lacks it may only not show it
        oplog::limit limit_before = oplog::limit::exact;
        oplog::limit limit_after = oplog::limit::exact;
        double difference() const { return after - before; }
    };
    std::string signed_text(double v) const { return (v > 0 ? "+" : "") + text_(v); }
    void add_table(std::vector<pair> pairs, const std::string& head) {
        if (pairs.empty()) return;
        sort_list(pairs, [](const pair& x, const pair& y) {
            return x.is_known != y.is_known ? x.is_known : std::fabs(x.difference()) > std::fabs(y.difference());
        });
        double most = 1e-9;
        for (const pair& p : pairs) most = (std::max)(most, p.is_known ? std::fabs(p.difference()) : 0);
        const std::string in = unit_.empty() ? std::string() : joined({", ", unit_});
        page_.table("wide sortable", {text_column(head), "A" + in, "B" + in, "B - A" + in, "of A", {"", "bar"}});
        constexpr std::size_t most_rows_of_table = 64;
        for (std::size_t n = 0; n != pairs.size(); ++n) {
            if (n == most_rows_of_table) page_.fold(count_text(pairs.size() - n) + " more");
            add_row(pairs[n], most);
        }
    }
    // `of`: what the sentence is about. The greatest difference of the pairs.
    std::string finding(const std::vector<pair>& pairs, std::string_view of, double least) const {
        const pair* most = nullptr;
        for (const pair& p : pairs)
            if (p.is_known && (most == nullptr || std::fabs(p.difference()) > std::fabs(most->difference()))) most = &p;
        if (most == nullptr && !pairs.empty()) return "Whether any " + std::string(of) + " differs is unknown";
        if (most == nullptr || std::fabs(most->difference()) < least) return "No " + std::string(of) + " differs";
        return "What differs most: " + most->name + ", " + unbroken(with_unit(signed_text(most->difference())));
    }
    // What takes `is`, and took `was`.
    std::string title(std::string what, double was, double is) const {
        what += " " + unbroken(with_unit(text_(is))) + ", ";
        if (std::fabs(is - was) < 0.005 * was) return what + "as long as before, within 0.5&nbsp;%";
        return what + unbroken(with_unit(text_(std::fabs(is - was)))) + " (" +
               percent_markup(std::fabs(is - was), was) + ") " + (is < was ? "less than before" : "more than before");
    }
    std::string finish(std::string_view before, std::string_view after, const std::string& finding) {
        return page_.finish(std::string(after) + " beside " + std::string(before),
                            "A, before: " + strong(markup(before)) + " &middot; B, after: " + strong(markup(after)),
                            finding);
    }
    html_page page_;

private:
    std::string with_unit(const std::string& s) const { return unit_.empty() ? s : s + " " + std::string(unit_); }
    void add_row(const pair& p, double most) {
        const auto side = [&](double v, int which) {
            if ((p.sides & which) == 0 && !p.is_known) return html_cell("unknown");
            return html_cell(v, joined({sign_of(which == 1 ? p.limit_before : p.limit_after), unbroken(text_(v))}));
        };
        const double by = p.difference();
        constexpr std::string_view only[] = {"", " (only A)", " (only B)", ""};
        constexpr std::string_view in[] = {"", " (in A)", " (in B)", ""};
        page_.row({joined({p.name, (p.is_known ? only : in)[p.sides]}), side(p.before, 1), side(p.after, 2)});
        if (!p.is_known) return page_.add_cells({"", "", ""});
        page_.add_cells({{by, unbroken(signed_text(by))},
                         p.before > 0 ? unbroken(joined({by > 0 ? "+" : "", fixed_text(100 * by / p.before, 1), " %"}))
                                      : missing_value,
                         bar_cell(100 * std::fabs(by) / most, by > 0 ? "stage" : "work", with_unit(signed_text(by)))});
    }

    text_of text_;
    std::string_view unit_;
};

class compared_report : compared_page {
public:
    compared_report(const oplog::run_answers& before, const oplog::run_answers& after)
        : compared_page(milliseconds_text, "ms"),
          before_(before),
          after_(after),
          both_(run_words(before).knows_waiting() && run_words(after).knows_waiting()) {}

    std::string write(std::string_view name_before, std::string_view name_after) {
        tell_missing("A", before_);
        tell_missing("B", after_);
        add_parts((std::max)(before_.total.span, after_.total.span));
        add_operations();
        add_ranks();
        return finish(name_before, name_after,
                      title("The longest rank takes", run_words(before_).longest(), run_words(after_).longest()));
    }

private:
    static constexpr double least = 0.01;
    void tell_missing(std::string_view which, const oplog::run_answers& a) {
        std::string lacks = a.missing_ranks.empty() ? "" : "the log of " + ranks_markup(a.missing_ranks);
        if (a.missing_call_count != 0)
            lacks.append(lacks.empty() ? "" : ", and ").append(counted_text(a.missing_call_count, "call"));
        if (lacks.empty()) return;
        page_.note(joined({which, " lacks ", lacks, ": what is compared is what is there."}));
    }
    void add_parts(double full) {
        std::vector<pair> pairs;
        std::vector<legend_entry> legend;
        for (std::size_t n = 0; n != time_classes; ++n) {
            const time_class& c = classes_of_time[n];
            // Where one of the runs does not know it, it is not compared.
            if (!both_ && n != work_class && n != gap_class && n != unknown_class) continue;
            legend.push_back({c.colour, std::string(c.name)});
            const oplog::limit before = limit_of(before_.total, n);
            const oplog::limit after = limit_of(after_.total, n);
            // The difference of limits is not known.
            const bool is_known = before == oplog::limit::exact && after == oplog::limit::exact;
            pairs.push_back(
                {std::string(c.name), before_.total.*c.part, after_.total.*c.part, 3, is_known, before, after});
        }
        page_.section("account", finding(pairs, "part of the time", least),
                      "Sums over all ranks; " + count_text(before_.ranks.size()) + " in A, " +
                          count_text(after_.ranks.size()) + " in B." +
                          (both_ ? "" : " Waiting and transfer are unknown in one of the runs, and not compared."));
        page_.add({legend_of(legend)});
        for (const oplog::run_answers* a : {&before_, &after_})
            page_.named(a == &before_ ? "A" : "B",
                        drawing(account_bar(a->total, full, 18), 18, a == &before_ ? "A" : "B"));
        add_table(std::move(pairs), "part");
    }
    static void set_side(pair& to, bool after, std::string name, double work, oplog::limit l) {
        to.name = std::move(name);
        (after ? to.after : to.before) = work;
        (after ? to.limit_after : to.limit_before) = l;
        to.sides |= after ? 2 : 1;
    }
    void add_operations() {
        ordered_map<std::string, pair> all;
        for (const bool after : {false, true})
            for (const oplog::operation_answer& o : (after ? after_ : before_).operations)
                set_side(all[o.operation], after, markup(o.operation), o.work, o.work_limit);
        std::vector<pair> pairs;
        for (const auto& [name, one] : all) pairs.push_back(one);
        page_.section("operations", finding(pairs, "operation's work", least),
                      "Work of each operation, over all ranks.");
        add_table(std::move(pairs), "operation");
    }
    void add_ranks() {
        ordered_map<std::int64_t, pair> all;
        for (const bool after : {false, true})
            for (const oplog::rank_answer& r : (after ? after_ : before_).ranks) {
                pair& to = all[r.rank];
                set_side(to, after, "rank " + std::to_string(r.rank), r.account.work, r.account.work_limit);
                to.is_known = to.is_known && r.account.work_limit == oplog::limit::exact;
            }
        std::vector<pair> pairs;
        for (const auto& [rank, one] : all) pairs.push_back(one);
        page_.section("ranks", finding(pairs, "rank's work", least), "Work of each rank.");
        add_table(std::move(pairs), "rank");
    }

    const oplog::run_answers& before_;
    const oplog::run_answers& after_;
    bool both_;  // know waiting
};

// Two profiles, as diff compares them.
class compared_tables : compared_page {
public:
    explicit compared_tables(const diff::profile_difference& of)
        : compared_page(is_time(of) ? microseconds_text : whole_text, ""), of_(of) {}

    std::string write(std::string_view name_before, std::string_view name_after) {
        const std::string column = of_.columns.empty() ? std::string() : markup(of_.columns[0]);
        for (const diff::profile_total* t : {&of_.before, &of_.after})
            if (!column.empty() && (!t->is_named || !t->has_all_rows))
                page_.note(std::string(t == &of_.before ? "A" : "B") +
                           (t->is_least   ? " is cut, or a part of it cannot be read: of names that it lacks it is "
                                            "unknown what they take."
                            : t->is_named ? " has fewer rows than its total of " + column +
                                                " is made of: of names that it "
                                                "lacks it is unknown what they take."
                                          : " names no total of " + column + ": that of its rows is compared."));
        for (const table_panel& p : table_panels) {
            std::vector<pair> pairs;
            for (const diff::profile_line& l : of_.lines)
                if (l.kind == p.kind)
                    pairs.push_back({markup(l.other_name.empty() ? l.name : l.name + " = " + l.other_name), l.before,
                                     l.after, (l.in_before ? 1 : 0) + (l.in_after ? 2 : 0), l.is_known});
            if (pairs.empty()) continue;
            page_.section(p.id, finding(pairs, p.one, 1e-9),
                          std::string(p.how) + " By " + column +
                              ", rows of one name summed; names that do not differ are "
                              "left out.");
            add_table(std::move(pairs), std::string(p.one));
        }
        page_.note(of_.columns.empty() ? std::string()
                                       : counted_text(of_.same, "name") + " of both " +
                                             (of_.same == 1 ? "does" : "do") + " not differ.");
        const bool is_known = !of_.before.is_least && !of_.after.is_least;
        return finish(name_before, name_after,
                      of_.columns.empty() ? "The tables have no times in common that could be compared"
                      : is_known          ? title("The total of " + column + " is", of_.before.value, of_.after.value)
                                          : "The total of " + column + " is " + total(of_.before) + " in A, " +
                                       total(of_.after) + " in B");
    }

private:
    std::string total(const diff::profile_total& of) const {
        return (of.is_least ? "at least " : "") +
               unbroken(is_time(of_) ? microseconds_text(of.value) : whole_text(of.value));
    }
    static bool is_time(const diff::profile_difference& of) {
        const std::string column = of.columns.empty() ? std::string() : of.columns[0];
        return column.size() > 3 && column.compare(column.size() - 3, 3, "_us") == 0;
    }
    static std::string whole_text(double v) { return grouped_text(v, 0); }
    const diff::profile_difference& of_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
