// Reports that compare two tables: the total, and each name that differs.
#ifndef WLFMT_ANALYSIS_REPORT_COMPARED_TABLES_HPP
#define WLFMT_ANALYSIS_REPORT_COMPARED_TABLES_HPP

#include "../diff/types.hpp"
#include "../library.hpp"
#include "compared.hpp"
#include "files.hpp"

namespace wlfmt::analysis {

// The report of two tables, as diff compares them.
struct compared_tables : compared_page {
    explicit compared_tables(const diff::profile_difference& difference)
        : compared_tables(difference, unit_of(difference)) {}

    std::string write(std::string_view name_before, std::string_view name_after, std::string_view unread) {
        page_.unread(unread);
        const std::string column = diff_.columns.empty() ? std::string() : markup(diff_.columns[0]);
        for (const diff::profile_total* t : {&diff_.before, &diff_.after}) {
            if (column.empty() || (t->is_named && t->has_all_rows)) continue;
            constexpr std::string_view unknown = ": of names that it lacks it is unknown what they take.";
            page_.note(joined(
                {t == &diff_.before ? "A" : "B",
                 !t->has_all_rows       ? joined({" has fewer rows than the totals that it names are made of", unknown})
                 : !t->value.is_known() ? joined({" has no known total of ", column, "."})
                 : !t->value.is_exact() ? joined({" is cut, or a part of it cannot be read", unknown})
                                        : joined({" names no total of ", column, ": that of its rows is compared."})}));
        }
        for (const table_panel& p : table_panels) {
            std::vector<pair> pairs;
            for (const diff::profile_line& l : diff_.lines)
                if (l.kind == p.kind)
                    pairs.push_back({markup(l.other_name.empty() ? l.name : l.name + " = " + l.other_name),
                                     {{l.in_before, l.before}, {l.in_after, l.after}},
                                     l.is_known});
            if (pairs.empty()) continue;
            add_section(p.id, p.row, 1e-9,
                        joined({p.meaning, " By ", column,
                                ", rows of one name summed; names that do not differ are left out."}),
                        p.row, std::move(pairs));
        }
        for (std::size_t n = 0; n != diff_.further.size(); ++n) {
            const auto sum = [&](const diff::profile_total& total) {
                const bool is_memory = profile_place_of(diff_.columns[n + 1]) >= first_memory_place;
                return shown(total.value, [&](double v) { return is_memory ? bytes_text(v) : grouped_text(v, 0); });
            };
            page_.note(joined({markup(diff_.columns[n + 1]), " of all rows: ", sum(diff_.further[n].first), " in A, ",
                               sum(diff_.further[n].second), " in B."}));
        }
        if (!diff_.columns.empty())
            page_.note(counted_text(diff_.same, "name") + " of both " + (diff_.same == 1 ? "does" : "do") +
                       " not differ.");
        const bool is_known = diff_.before.value.is_exact() && diff_.after.value.is_exact();
        return finish(name_before, name_after,
                      diff_.columns.empty() ? "The tables have no times in common that could be compared"
                      : is_known ? title("The total of " + column + " is", diff_.before.value, diff_.after.value)
                                 : "The total of " + column + " is " + total(diff_.before) + " in A, " +
                                       total(diff_.after) + " in B");
    }

    std::string total(const diff::profile_total& sum) const {
        if (!sum.value.is_known()) return "unknown";
        return (sum.value.is_exact() ? "" : "at least ") + unbroken(text_(sum.value.number()) + unit_);
    }
    static bool is_time(const diff::profile_difference& difference) {
        const std::string column = difference.columns.empty() ? std::string() : difference.columns[0];
        return column.size() > 3 && column.compare(column.size() - 3, 3, "_us") == 0;
    }
    // All times of the page are in one unit; numbers that are not times have no unit.
    static column_unit unit_of(const diff::profile_difference& difference) {
        double greatest = (std::max)(difference.before.value.number(), difference.after.value.number());
        for (const diff::profile_line& l : difference.lines)
            greatest = (std::max)({greatest, l.before.number(), l.after.number()});
        return is_time(difference) ? unit_of_column(greatest) : column_unit{1, ""};
    }
    static std::string whole_text(double v) { return grouped_text(v, 0); }
    static std::string microsecond_text(double us) { return digits_text(us); }
    static std::string millisecond_text(double us) { return digits_text(us / 1e3); }
    static std::string second_text(double us) { return digits_text(us / 1e6); }
    const diff::profile_difference& diff_;

private:
    compared_tables(const diff::profile_difference& difference, const column_unit& unit)
        : compared_page(unit.name == "s"    ? second_text
                        : unit.name == "ms" ? millisecond_text
                        : unit.name == "us" ? microsecond_text
                                            : whole_text,
                        unit.name == "s"    ? " s"
                        : unit.name == "ms" ? " ms"
                        : unit.name == "us" ? " us"
                                            : ""),
          diff_(difference) {}
};
}  // namespace wlfmt::analysis

#endif
