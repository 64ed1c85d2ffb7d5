// The report of profiler tables: operators, kernels and annotations, each measured against the table's own total.
#ifndef WLFMT_DETAIL_REPORT_TABLE_HPP
#define WLFMT_DETAIL_REPORT_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../../by_name.hpp"
#include "../../table.hpp"
#include "page.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// What is shown apart, as times of different kinds do not add up.
struct table_panel {
    row_kind kind;
    std::string_view id;
    std::string_view one;
    std::string_view how;
};
inline constexpr table_panel table_panels[] = {
    {row_kind::operation, "operators", "operator", "What the program called."},
    {row_kind::kernel, "kernels", "kernel", "What ran on the device; operators that launched it have its time, too."},
    {row_kind::annotation, "annotations", "annotation", "Spans on the device that were given a name."}};

class table_report {
public:
    explicit table_report(const table::document& doc) : doc_(doc) {}
    std::string write(std::string_view name, std::string_view json) {
        std::string finding;
        std::size_t rows = 0;
        for (std::size_t n = 0; n != doc_.tables.size(); ++n) {
            const table::profile& one = doc_.tables[n];
            const table::by_name names(one);
            rows += one.size();
            if (finding.empty()) finding = finding_of(names, one);
            const std::string id = n == 0 ? std::string() : std::to_string(n + 1);
            const std::string of = doc_.tables.size() > 1 ? "Table " + std::to_string(n + 1) + ": " : std::string();
            add_totals(one);
            if (names.weight() == names.none) {
                page_.section("rows" + id, of + "no column measured any time", "");
                continue;
            }
            for (const table_panel& p : table_panels) add(names, one, p, id, of);
        }
        page_.data("summary", json);
        return page_.finish(name,
                            joined({strong(markup(name)), " &middot; ", counted_text(doc_.tables.size(), "table"),
                                    " &middot; ", counted_text(rows, "row")}),
                            finding.empty() ? "A table without times" : finding);
    }

private:
    static std::string time_text(double us) { return unbroken(microseconds_text(us)); }
    // The heaviest operator or kernel, and its part of the table's total.
    static std::string finding_of(const table::by_name& names, const table::profile& of) {
        if (names.weight() == names.none) return {};
        for (const table_panel& p : table_panels) {
            const auto all = names.heaviest(p.kind);
            if (all.empty() || !(all[0]->weight > 0)) continue;
            const auto part = all[0]->share;
            return joined({markup(shortened(all[0]->name, 60)), " takes ",
                           part ? unbroken(fixed_text(*part, 1) + " %") : time_text(all[0]->weight), " of ",
                           markup(of.columns[names.weight()].name)});
        }
        return {};
    }
    void add_totals(const table::profile& one) {
        std::string totals;
        for (const table::total& t : one.totals)
            append(totals, {totals.empty() ? "" : "; ", markup(t.name), ": ", markup(t.value.text())});
        page_.note(totals);
    }
    void add(const table::by_name& names, const table::profile& of, const table_panel& p, const std::string& id,
             const std::string& prefix) {
        const auto all = names.heaviest(p.kind);
        if (all.empty()) return;
        // A full bar is the table's own total, which its percentages are parts of, too.
        bool has_shares = true;
        for (const table::named_rows* row : all) has_shares = has_shares && row->share;
        const double full = (std::max)(all[0]->weight, 1e-9);
        std::string finding = prefix + counted_text(all.size(), p.one);
        if (all.size() > 1 && all[0]->weight > 0)
            append(finding,
                   {", the heaviest ", markup(shortened(all[0]->name, 60)), " with ", time_text(all[0]->weight)});
        const std::string weight(of.columns[names.weight()].name);
        page_.section(std::string(p.id) + id, finding,
                      joined({p.how, " By ", markup(weight), ", rows of one name summed; a full bar is ",
                              names.total() > 0 ? "the table's own total, " + time_text(names.total())
                              : has_shares      ? "100&nbsp;% by the table's own percentages"
                                                : "the heaviest of them, as the table names no total",
                              "."}));
        std::vector<html_table::column> columns{text_column("name", "words"), text_column("", "bar"), markup(weight),
                                                "share"};
        for (const std::size_t n : names.extra()) columns.push_back({markup(of.columns[n].name), true, "secondary"});
        columns.push_back({"rows", true, "secondary"});
        page_.add_rows(
            columns, all.size(), 30, [](std::size_t rest) { return counted_text(rest, "further name"); },
            [&](html_table& table, std::size_t n) { row(table, names, of, *all[n], has_shares, full); });
    }
    static void row(html_table& table, const table::by_name& names, const table::profile& of,
                    const table::named_rows& one, bool has_shares, double full) {
        const auto part = one.share;
        const double percent = (std::min)(100.0, part && has_shares ? *part : 100 * one.weight / full);
        std::vector<html_cell> cells{
            markup(one.name),
            bar_cell(percent, "self", microseconds_text(one.weight)),
            {one.weight, time_text(one.weight)},
            part ? html_cell(*part, unbroken(fixed_text(*part, 2) + " %")) : html_cell(missing_value)};
        for (std::size_t n = 0; n != names.extra().size(); ++n)
            cells.emplace_back(one.extra[n], of.columns[names.extra()[n]].unit == table::unit::microseconds
                                                 ? time_text(one.extra[n])
                                                 : grouped_text(one.extra[n], 0));
        cells.push_back(count_cell(one.rows));
        table.row(cells);
    }

    const table::document& doc_;
    html_page page_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
