// diff of profiler tables: what changed, by name, the greatest difference first.
#ifndef WLFMT_TOOLS_TABLE_DIFF_HPP
#define WLFMT_TOOLS_TABLE_DIFF_HPP

#include "analysis/diff/diff.hpp"

#include "../command_line/settings.hpp"
#include "../output/compared.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"

namespace tool {

// The columns that --columns names.
inline std::vector<std::string> columns_of(const settings& s) {
    std::vector<std::string> names;
    std::string_view columns = s.columns;
    while (!columns.empty()) names.emplace_back(take_until(columns, ','));
    return names;
}

// A number of a column in the form of PyTorch's tables. Pass a number that is not below 0.
inline std::string column_size(double v, std::string_view column) {
    if (has_ending(column, "_us")) return time_text(v);
    if (has_ending(column, "_bytes")) return sized(v);
    return has_ending(column, "_percent") ? fixed(v, 2) + "%" : fixed(v, 0);
}
inline std::string column_difference(double v, std::string_view column) {
    return signed_text(v, [&](double size) { return column_size(size, column); });
}
inline std::string column_value(double v, std::string_view column) {
    return v < 0 ? column_difference(v, column) : column_size(v, column);
}
using sums_of_sides = std::pair<bounded, bounded>;  // before and after
inline sums_of_sides sums_of(const wlfmt::analysis::diff::profile_line& entry, std::size_t column = 0) {
    return column == 0 ? sums_of_sides(entry.before, entry.after) : entry.further[column - 1];
}
inline bounded difference_of(const wlfmt::analysis::diff::profile_line& entry, std::size_t column = 0) {
    const sums_of_sides sums = sums_of(entry, column);
    return entry.is_known ? sums.second - sums.first : bounded::unknown();
}
// A sum that is not known is `?`.
inline std::string sum_text(const bounded& sum, const number_words& text) {
    return sum.is_known() ? message(sum, text) : "?";
}
// Adds the cells of both sides: `-` if a side has no such name, `?` if the name may be in a part that is missing.
inline void add_cells(grid& lines, const wlfmt::analysis::diff::profile_line& entry, const sums_of_sides& sums,
                      std::string_view column) {
    const char* const nothing = entry.is_known ? "-" : "?";
    const auto text = [&](double v) { return column_value(v, column); };
    lines.add({entry.in_before ? sum_text(sums.first, text) : nothing,
               entry.in_after ? sum_text(sums.second, text) : nothing});
}

// Prints what differs between the profiles of two files, as text or as JSON.
class table_diff {
public:
    using side = compared_side<wlfmt::analysis::diff::profile>;
    table_diff(const side& before, const side& after, const settings& s) : s_(s), before_(before), after_(after) {
        wlfmt::analysis::diff::profile_options options;
        options.columns = columns_of(s);
        options.tolerance = s.tolerance;
        options.before_is_cut = before.is_cut;
        options.after_is_cut = after.is_cut;
        diff_ = wlfmt::analysis::diff::compare(before.content, after.content, options);
        const auto left_out = [&](const line& entry) {
            const bool is_kernel = entry.kind == row_kind::kernel || entry.kind == row_kind::device;
            return (s.compared == "kernel" && !is_kernel) ||
                   (s.compared == "operator" && entry.kind != row_kind::operation);
        };
        diff_.lines.erase(std::remove_if(diff_.lines.begin(), diff_.lines.end(), left_out), diff_.lines.end());
        totals_ = sums_of_totals({diff_.before, diff_.after});
        knows_totals_ = diff_.before.value.is_exact() && diff_.after.value.is_exact();
    }

    exit_status print() const {
        const auto refuse = [](parts why) {
            standard_error.append(why);
            return unusable;
        };
        if (!diff_.unknown_column.empty())
            return refuse(
                {"wlfmt: no table has the column `", diff_.unknown_column, "`, or its values do not add up\n"});
        if (diff_.columns.empty())
            return refuse({"wlfmt: the tables have no times in common that could be compared\n"});
        if (s_.growth.is_asked() && s_.growth.share <= 0 && s_.growth.time > 0 && !has_ending(diff_.columns[0], "_us"))
            return refuse({"wlfmt: --fail-above=", s_.growth.text, " is a time, and `", diff_.columns[0],
                           "` is none: give a share, like 5%\n"});
        const bool differs = !diff_.lines.empty() || totals_.differs(s_.tolerance);
        const bool incomplete = before_.is_cut || after_.is_cut;
        if (s_.json) print_json();
        else if (s_.markdown || differs || incomplete) print_text();
        growth_report growth(s_.growth);
        if (s_.growth.is_asked()) check(growth);
        const bool is_doubtful = growth.report_doubts();
        return growth.status(differs, incomplete || is_doubtful);
    }

private:
    using line = wlfmt::analysis::diff::profile_line;
    using row_kind = wlfmt::analysis::row_kind;

    using totals =
        std::pair<wlfmt::analysis::diff::profile_total, wlfmt::analysis::diff::profile_total>;  // before and after
    totals totals_of(std::size_t column) const {
        return column == 0 ? totals(diff_.before, diff_.after) : diff_.further[column - 1];
    }
    static compared_sum sums_of_totals(const totals& of_column) {
        return {of_column.first.value.number(), of_column.second.value.number()};
    }
    // Times with those of what is called do not: they would be counted again and again.
    static bool adds_up(const std::string& column) { return column != "device_time_us" && column != "cpu_time_us"; }
    std::string total_line(std::size_t n) const {
        const std::string& column = diff_.columns[n];
        const totals of_column = totals_of(n);
        if (!adds_up(column) && !of_column.first.value.is_known() && !of_column.second.value.is_known())
            return column + ": no total, as the times have those of what is called in them";
        const compared_sum sums = sums_of_totals(of_column);
        const bool is_known = of_column.first.value.is_exact() && of_column.second.value.is_exact();
        const auto total = [&](const wlfmt::analysis::diff::profile_total& sum) {
            if (!sum.value.is_known()) return std::string("unknown");
            return (sum.value.is_exact() ? "" : "at least ") + column_value(sum.value.number(), column);
        };
        const std::string difference = ", " + column_difference(sums.by(), column) + sums.growth();
        return joined(
            {column, ": ", total(of_column.first), " -> ", total(of_column.second), is_known ? difference : ""});
    }
    static void print_side(const side& profile, const wlfmt::analysis::diff::profile_total& total,
                           const std::string& column) {
        if (profile.is_cut) print_note({profile.name, " is cut, or a part of it cannot be read"});
        if (!total.is_named && adds_up(column))
            print_note({profile.name, " names no total: that of its rows is compared"});
        if (total.is_short)
            print_note({profile.name, " has rows for ", share(total.rows, total.value), " of the total of ", column,
                        " that it names"});
        else if (!total.has_all_rows)
            print_note({profile.name, " lacks rows: they do not add up to all totals that it names"});
        if (!total.rows.is_exact() && adds_up(column))
            print_note({profile.name, " has cells of ", column, " that hold no number: sums over them are ",
                        total.rows.is_known() ? "lower limits (>=)" : "unknown"});
        const std::string profiles = counted(profile.content.profiles(), "profile", "profiles");
        if (profile.content.tables() != profile.content.profiles())
            print_note({profile.name, " has ", counted(profile.content.tables(), "table", "tables"), " of ", profiles,
                        ", each of which counts once"});
        if (profile.content.profiles() > 1) print_note({profile.name, " has ", profiles, ", which are added up"});
    }
    void print_text() const {
        std::vector<std::string> lines;
        for (std::size_t n = 0; n != diff_.columns.size(); ++n) lines.push_back(total_line(n));
        print_totals(before_, after_, lines, s_);
        print_side(before_, diff_.before, diff_.columns[0]);
        print_side(after_, diff_.after, diff_.columns[0]);
        if (diff_.folded != 0) print_note({counted(diff_.folded, "row has", "rows have"), " a folded name"});
        if (diff_.matched != 0)
            print_note({counted(diff_.matched, "name that ends in ... stands", "names that end in ... stand"),
                        " for all that begin in the same way"});
        if (diff_.same != 0) print_note({counted(diff_.same, "name does", "names do"), " not differ"});
        print_kind(row_kind::operation, "operators");
        print_kind(row_kind::kernel, "kernels");
        print_kind(row_kind::device, "device rows");
        print_kind(row_kind::annotation, "annotations on the device");
        print_kind(row_kind::span, "spans of the program");
    }
    void print_kind(row_kind kind, const char* title) const {
        const std::size_t max_names = max_lines(diff_.lines.size(), s_);
        grid lines;
        lines.row({title, "before", "after", "difference", "of all", "calls", "calls after"});
        // Calls have their own columns in any case.
        std::vector<std::size_t> extra;
        for (std::size_t n = 1; n != diff_.columns.size(); ++n)
            if (diff_.columns[n] != "calls") extra.push_back(n);
        for (const std::size_t n : extra) lines.add({diff_.columns[n], diff_.columns[n] + " after"});
        std::size_t count = 0;
        bool any_unknown = false;
        std::size_t unknown_rest = 0;
        double rest = 0;
        const std::string& column = diff_.columns[0];
        for (const line& entry : diff_.lines) {
            if (entry.kind != kind) continue;
            const sums_of_sides sums = sums_of(entry);
            const bounded by = difference_of(entry);
            if (++count > max_names) {
                if (by.is_exact()) rest += by.number();
                else ++unknown_rest;
                continue;
            }
            any_unknown = any_unknown || !entry.is_known;
            lines.row({entry.other_name.empty() ? entry.name : joined({entry.name, " = ", entry.other_name})});
            add_cells(lines, entry, sums, column);
            lines.add({sum_text(by, [&](double v) { return column_difference(v, column); }),
                       by.is_exact() && knows_totals_
                           ? compared_sum{sums.first.number(), sums.second.number()}.part_of(totals_)
                           : "-"});
            add_cells(lines, entry, {entry.calls_before, entry.calls_after}, "calls");
            for (const std::size_t n : extra) add_cells(lines, entry, sums_of(entry, n), diff_.columns[n]);
        }
        if (count == 0) return;
        print_gap();
        lines.print();
        if (count <= max_names && !any_unknown) return;
        if (s_.markdown) print_gap();
        if (count > max_names)
            print_note({"and ", counted(count - max_names, "more name", "more names"),
                        unknown_rest == count - max_names ? "" : ", together " + column_difference(rest, column),
                        unknown_rest == 0                   ? ""
                        : unknown_rest == count - max_names ? ", by how much is not known"
                                                            : joined({", and not known of ", unknown_rest})});
        if (any_unknown) print_note("?: not known, as rows are missing there");
    }

    void print_json() const {
        const auto put_side = [&](auto& json, std::string_view key, const side& profile,
                                  const wlfmt::analysis::diff::profile_total& total) {
            put_object(json, key, [&] {
                put_text(json, "name", profile.name);
                put_numbers(json, {{"tables", profile.content.tables()},
                                   {"profiles", profile.content.profiles()},
                                   {"total", total.value}});
                if (!total.value.is_exact() && total.value.is_known()) put_text(json, "limit", "least");
                put_numbers(json, {{"total_is_named", total.is_named},
                                   {"rows_total", total.rows},
                                   {"has_all_rows", total.has_all_rows && !profile.is_cut}});
            });
        };
        print_object([&](auto& json) {
            put_text(json, "format", name_of(wlfmt::file_format::table));
            put_texts(json, "columns", diff_.columns);
            put_side(json, "before", before_, diff_.before);
            put_side(json, "after", after_, diff_.after);
            put_numbers(json, {{"difference", value_if(knows_totals_, totals_.by())},
                               {"same", diff_.same},
                               {"folded", diff_.folded},
                               {"matched", diff_.matched},
                               {"names", diff_.lines.size()}});
            if (diff_.columns.size() > 1)
                put_object(json, "further", [&] {
                    for (std::size_t n = 1; n != diff_.columns.size(); ++n) {
                        const auto [was, now] = totals_of(n);
                        put_sums(json, diff_.columns[n], was.value, now.value, now.value - was.value);
                    }
                });
        });
        std::size_t count[5] = {};
        for (const line& entry : diff_.lines) {
            if (s_.top != 0 && ++count[static_cast<std::size_t>(entry.kind)] > s_.top) continue;
            print_object([&](auto& json) { put(json, entry); });
        }
    }
    // What is not known has no key.
    template <class Line>
    static void put_sums(Line& json, std::string_view column, const bounded& before, const bounded& after,
                         const bounded& difference) {
        put_object(json, column, [&] {
            const number_members members = {{"before", before}, {"after", after}, {"difference", difference}};
            put_numbers(json, members);
            put_limits(json, members);
        });
    }
    template <class Line> void put(Line& json, const line& entry) const {
        const auto if_there = [&](bool is_there, const bounded& sum) {
            return is_there || entry.is_known ? sum : bounded::unknown();
        };
        const auto put_sum = [&](std::string_view column, const sums_of_sides& sums) {
            put_sums(json, column, if_there(entry.in_before, sums.first), if_there(entry.in_after, sums.second),
                     entry.is_known ? sums.second - sums.first : bounded::unknown());
        };
        put_text(json, "kind", name_of(entry.kind));
        put_text(json, "name", entry.name);
        if (!entry.other_name.empty()) put_text(json, "other_name", entry.other_name);
        for (std::size_t n = 0; n != diff_.columns.size(); ++n) put_sum(diff_.columns[n], sums_of(entry, n));
        if (std::find(diff_.columns.begin(), diff_.columns.end(), "calls") == diff_.columns.end())
            put_sum("calls", {entry.calls_before, entry.calls_after});
        if (const bounded by = difference_of(entry); by.is_exact() && knows_totals_ && totals_.by() != 0)
            put_decimal(json, "share", by.number() / totals_.by());
        if (!entry.in_before) put_flag(json, "in_before", false);
        if (!entry.in_after) put_flag(json, "in_after", false);
    }

    void check(growth_report& growth) const {
        for (std::size_t n = 0; n != diff_.columns.size(); ++n)
            if (n == 0 || s_.growth.share > 0 || has_ending(diff_.columns[n], "_us")) check(growth, n);
    }
    void check(growth_report& growth, std::size_t n) const {
        const std::string& column = diff_.columns[n];
        const std::string of_column = n == 0 ? std::string() : " in " + column;
        const auto text = [&](double v) { return column_size(v, column); };
        const auto [was, now] = totals_of(n);
        const compared_sum whole = sums_of_totals({was, now});
        if (adds_up(column) || was.value.is_known() || now.value.is_known())
            growth.check_limits(joined({"the total of ", column}), was.value, now.value, whole, text);
        // A name that one side does not show may be in a row that is missing, or of which cells were not read. Memory
        // may be negative.
        const bounded hidden = has_ending(column, "_bytes") ? bounded::unknown() : bounded::no_less(0);
        for (const line& entry : diff_.lines) {
            const auto sum = [&](bool is_there, const bounded& v) { return is_there || entry.is_known ? v : hidden; };
            const sums_of_sides sums = sums_of(entry, n);
            growth.check_limits(joined({"the ", name_of(entry.kind), " `", entry.name, "`", of_column}),
                                sum(entry.in_before, sums.first), sum(entry.in_after, sums.second), whole, text);
        }
    }

    const settings& s_;
    side before_;
    side after_;
    wlfmt::analysis::diff::profile_difference diff_;
    compared_sum totals_;
    bool knows_totals_ = false;  // false if one of the totals is a limit
};

}  // namespace tool

#endif
