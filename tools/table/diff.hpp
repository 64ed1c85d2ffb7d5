// diff of profiler tables: what changed, by name, the greatest difference first.
#ifndef WLFMT_TOOLS_TABLE_DIFF_HPP
#define WLFMT_TOOLS_TABLE_DIFF_HPP

#include <wlfmt/diff.hpp>

#include "../command_line/settings.hpp"
#include "../output/compared.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"

namespace tool {

// --columns, one by one.
inline std::vector<std::string> columns_of(const settings& s) {
    std::vector<std::string> all;
    std::string_view columns = s.columns;
    for (std::size_t end = 0; !columns.empty(); columns.remove_prefix((std::min)(columns.size(), end + 1))) {
        end = (std::min)(columns.find(','), columns.size());
        all.emplace_back(columns.substr(0, end));
    }
    return all;
}

class table_diff {
public:
    using side = compared_side<wlfmt::diff::profile>;
    table_diff(const side& before, const side& after, const settings& s) : s_(s), before_(before), after_(after) {
        wlfmt::diff::profile_options how;
        how.columns = columns_of(s);
        how.tolerance = s.tolerance;
        how.before_is_cut = before.is_cut;
        how.after_is_cut = after.is_cut;
        all_ = wlfmt::diff::compare(before.of, after.of, how);
        const auto left_out = [&](const line& one) {
            return (s.compared == "kernel" && one.kind != row_kind::kernel) ||
                   (s.compared == "operator" && one.kind != row_kind::operation);
        };
        all_.lines.erase(std::remove_if(all_.lines.begin(), all_.lines.end(), left_out), all_.lines.end());
        totals_ = {all_.before.value, all_.after.value};
        knows_totals_ = !all_.before.is_least && !all_.after.is_least;
    }

    exit_status print() const {
        const auto refuse = [](parts why) {
            standard_error.append(why);
            return unusable;
        };
        if (!all_.unknown_column.empty())
            return refuse(
                {"wlfmt: no table has the column `", all_.unknown_column, "`, or its values do not add up\n"});
        if (all_.columns.empty()) return refuse({"wlfmt: the tables have no times in common that could be compared\n"});
        if (s_.growth.is_asked() && s_.growth.share <= 0 && s_.growth.time > 0 && !ends(all_.columns[0], "_us"))
            return refuse({"wlfmt: --fail-above=", s_.growth.text, " is a time, and `", all_.columns[0],
                           "` is none: give a share, like 5%\n"});
        const bool differs = !all_.lines.empty() || totals_.differs(s_.tolerance);
        const bool incomplete = before_.is_cut || after_.is_cut;
        if (s_.json) print_json();
        else if (s_.markdown || differs || incomplete) print_text();
        growth_report growth(s_.growth);
        if (s_.growth.is_asked()) see(growth);
        return growth.status(differs, incomplete);
    }

private:
    using line = wlfmt::diff::profile_line;
    using row_kind = wlfmt::table::row_kind;

    static bool ends(std::string_view name, std::string_view end) noexcept {
        return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
    }
    // A number of a column that is not below 0, in the form of PyTorch's tables.
    static std::string size_of(double v, std::string_view column) {
        if (ends(column, "_us")) return time_text(v);
        if (ends(column, "_bytes")) return sized(v);
        return ends(column, "_percent") ? fixed(v, 2) + "%" : fixed(v, 0);
    }
    static std::string difference_of(double v, std::string_view column) {
        return signed_text(v, [&](double size) { return size_of(size, column); });
    }
    static std::string value_of(double v, std::string_view column) {
        return v < 0 ? difference_of(v, column) : size_of(v, column);
    }
    static compared_sum sum_of(const line& one, std::size_t column = 0) {
        if (column == 0) return {one.before, one.after};
        return {one.further[column - 1].first, one.further[column - 1].second};
    }
    // Adds what both sides say: `-` where one has no such name, `?` where it may only not be shown.
    static void add_cells(grid& to, const line& one, const compared_sum& of, std::string_view column) {
        const char* const nothing = one.is_known ? "-" : "?";
        to.add({one.in_before ? value_of(of.before, column) : nothing,
                one.in_after ? value_of(of.after, column) : nothing});
    }

    std::string total_line() const {
        const std::string& column = all_.columns[0];
        const auto total = [&](const wlfmt::diff::profile_total& of) {
            return (of.is_least ? "at least " : "") + value_of(of.value, column);
        };
        const std::string difference = ", " + difference_of(totals_.by(), column) + totals_.growth();
        return joined({column, ": ", total(all_.before), " -> ", total(all_.after), knows_totals_ ? difference : ""});
    }
    static void print_side(const side& of, const wlfmt::diff::profile_total& total, const std::string& column) {
        if (of.is_cut) print_note({of.name, " is cut, or a part of it cannot be read"});
        if (!total.is_named) print_note({of.name, " names no total: that of its rows is compared"});
        if (!total.has_all_rows)
            print_note({of.name, " has rows for ", share(total.rows, total.value), " of the total of ", column,
                        " that it names"});
        const std::string profiles = counted(of.of.profiles(), "profile", "profiles");
        if (of.of.tables() != of.of.profiles())
            print_note({of.name, " has ", counted(of.of.tables(), "table", "tables"), " of ", profiles,
                        ", each of which counts once"});
        if (of.of.profiles() > 1) print_note({of.name, " has ", profiles, ", which are added up"});
    }
    void print_text() const {
        print_totals(before_, after_, {total_line()}, s_);
        print_side(before_, all_.before, all_.columns[0]);
        print_side(after_, all_.after, all_.columns[0]);
        if (all_.folded != 0) print_note({counted(all_.folded, "row has", "rows have"), " a folded name"});
        if (all_.matched != 0)
            print_note({counted(all_.matched, "name that ends", "names that end"),
                        " in ... is taken for the only one that begins in the same way"});
        if (all_.same != 0) print_note({counted(all_.same, "name does", "names do"), " not differ"});
        print_kind(row_kind::operation, "operators");
        print_kind(row_kind::kernel, "kernels");
        print_kind(row_kind::annotation, "annotations on the device");
    }
    void print_kind(row_kind kind, const char* title) const {
        const std::size_t most = most_lines(all_.lines.size(), s_);
        grid lines;
        lines.row({title, "before", "after", "difference", "of all", "calls", "calls after"});
        // The calls are there anyway.
        std::vector<std::size_t> extra;
        for (std::size_t n = 1; n != all_.columns.size(); ++n)
            if (all_.columns[n] != "calls") extra.push_back(n);
        for (const std::size_t n : extra) lines.add({all_.columns[n], all_.columns[n] + " after"});
        std::size_t count = 0;
        bool any_unknown = false;
        std::size_t unknown_rest = 0;
        double rest = 0;
        const std::string& column = all_.columns[0];
        for (const line& one : all_.lines) {
            if (one.kind != kind) continue;
            const compared_sum sum = sum_of(one);
            if (++count > most) {
                if (one.is_known) rest += sum.by();
                else ++unknown_rest;
                continue;
            }
            any_unknown = any_unknown || !one.is_known;
            lines.row({one.other_name.empty() ? one.name : joined({one.name, " = ", one.other_name})});
            add_cells(lines, one, sum, column);
            lines.add({one.is_known ? difference_of(sum.by(), column) : "?",
                       one.is_known && knows_totals_ ? sum.part_of(totals_) : "-"});
            add_cells(lines, one, {one.calls_before, one.calls_after}, "calls");
            for (const std::size_t n : extra) add_cells(lines, one, sum_of(one, n), all_.columns[n]);
        }
        if (count == 0) return;
        print_gap();
        lines.print();
        if (count <= most && !any_unknown) return;
        if (s_.markdown) print_gap();
        if (count > most)
            print_note({"and ", counted(count - most, "more name", "more names"),
                        unknown_rest == count - most ? "" : ", together " + difference_of(rest, column),
                        unknown_rest == 0              ? ""
                        : unknown_rest == count - most ? ", by how much is not known"
                                                       : joined({", and not known of ", unknown_rest})});
        if (any_unknown) print_note("?: not known, as rows are missing there");
    }

    void print_json() const {
        const auto put_side = [&](auto& to, std::string_view key, const side& of,
                                  const wlfmt::diff::profile_total& total) {
            to.key(key).open('{');
            put_text(to, "name", of.name);
            put_numbers(to, {{"tables", of.of.tables()}, {"profiles", of.of.profiles()}, {"total", total.value}});
            if (total.is_least) put_text(to, "limit", "least");
            put_numbers(to, {{"total_is_named", total.is_named},
                             {"rows_total", total.rows},
                             {"has_all_rows", total.has_all_rows && !of.is_cut}});
            to.close('}');
        };
        print_object([&](auto& to) {
            put_text(to, "format", name_of(wlfmt::file_format::table));
            to.key("columns").open('[');
            for (const std::string& column : all_.columns) to.string(column);
            to.close(']');
            put_side(to, "before", before_, all_.before);
            put_side(to, "after", after_, all_.after);
            put_numbers(to, {{"difference", told(knows_totals_, totals_.by())},
                             {"same", all_.same},
                             {"folded", all_.folded},
                             {"matched", all_.matched},
                             {"names", all_.lines.size()}});
        });
        std::size_t count[3] = {};
        for (const line& one : all_.lines) {
            if (s_.top != 0 && ++count[static_cast<std::size_t>(one.kind)] > s_.top) continue;
            print_object([&](auto& to) { put(to, one); });
        }
    }
    // What is not known has no key.
    template <class Line> void put(Line& to, const line& one) const {
        const auto put_sum = [&](std::string_view column, const compared_sum& of) {
            to.key(column).open('{');
            if (one.in_before || one.is_known) put_decimal(to, "before", of.before);
            if (one.in_after || one.is_known) put_decimal(to, "after", of.after);
            if (one.is_known) put_decimal(to, "difference", of.by());
            to.close('}');
        };
        put_text(to, "kind", name_of(one.kind));
        put_text(to, "name", one.name);
        if (!one.other_name.empty()) put_text(to, "other_name", one.other_name);
        for (std::size_t n = 0; n != all_.columns.size(); ++n) put_sum(all_.columns[n], sum_of(one, n));
        if (std::find(all_.columns.begin(), all_.columns.end(), "calls") == all_.columns.end())
            put_sum("calls", {one.calls_before, one.calls_after});
        if (one.is_known && knows_totals_ && totals_.by() != 0)
            put_decimal(to, "share", sum_of(one).by() / totals_.by());
        if (!one.in_before) put_flag(to, "in_before", false);
        if (!one.in_after) put_flag(to, "in_after", false);
    }

    void see(growth_report& to) const {
        const std::string& column = all_.columns[0];
        const auto text = [&](double v) { return size_of(v, column); };
        // What the second table lacks would only add to the growth.
        if (!all_.before.is_least)
            to.see(joined({"the total of ", column, all_.after.is_least ? ", as far as it is known," : ""}), totals_,
                   totals_, text);
        for (const line& one : all_.lines)
            if (one.is_known)
                to.see(joined({"the ", name_of(one.kind), " `", one.name, "`"}), sum_of(one), totals_, text);
    }

    const settings& s_;
    side before_;
    side after_;
    wlfmt::diff::profile_difference all_;
    compared_sum totals_;
    bool knows_totals_ = false;  // else one of them is a limit
};

}  // namespace tool

#endif
