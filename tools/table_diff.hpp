// diff of profiler tables: what changed, by name, the greatest difference first.
#ifndef WLFMT_TOOLS_TABLE_DIFF_HPP
#define WLFMT_TOOLS_TABLE_DIFF_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/diff.hpp>

#include "grid.hpp"
#include "json_print.hpp"
#include "output.hpp"
#include "settings.hpp"
#include "terminal.hpp"

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
    struct side {
        const std::string& name;
        const wlfmt::diff::profile& of;
        bool is_cut;
    };
    table_diff(const side& before, const side& after, const settings& s) : s_(s), before_(before), after_(after) {
        wlfmt::diff::profile_options how;
        how.columns = columns_of(s);
        how.tolerance = s.tolerance;
        how.before_is_cut = before.is_cut;
        how.after_is_cut = after.is_cut;
        all_ = wlfmt::diff::compare(before.of, after.of, how);
        const auto left_out = [&](const wlfmt::diff::profile_line& one) {
            return (s.compared == "kernel" && one.kind != wlfmt::table::row_kind::kernel) ||
                   (s.compared == "operator" && one.kind != wlfmt::table::row_kind::operation);
        };
        all_.lines.erase(std::remove_if(all_.lines.begin(), all_.lines.end(), left_out), all_.lines.end());
    }

    exit_status print() const {
        if (!all_.unknown_column.empty()) {
            standard_error.append(
                {"wlfmt: no table has the column `", all_.unknown_column, "`, or its values do not add up\n"});
            return unusable;
        }
        if (all_.columns.empty()) {
            standard_error.append("wlfmt: the tables have no times in common that could be compared\n");
            return unusable;
        }
        if (s_.growth.is_asked() && s_.growth.share <= 0 && s_.growth.time > 0 && !ends(all_.columns[0], "_us")) {
            standard_error.append({"wlfmt: --fail-above=", s_.growth.text, " is a time, and `", all_.columns[0],
                                   "` is none: give a share, like 5%\n"});
            return unusable;
        }
        if (s_.json) print_json();
        else if (s_.markdown || differs() || before_.is_cut || after_.is_cut) print_text();
        const bool incomplete = before_.is_cut || after_.is_cut;
        if (s_.growth.is_asked()) return tell_growth() ? grown : incomplete ? problems : clean;
        return differs() || incomplete ? problems : clean;
    }

private:
    using line = wlfmt::diff::profile_line;
    using row_kind = wlfmt::table::row_kind;

    bool differs() const noexcept {
        return !all_.lines.empty() ||
               std::fabs(all_.after.value - all_.before.value) >
                   s_.tolerance * (std::max)(std::fabs(all_.after.value), std::fabs(all_.before.value));
    }
    double total_difference() const noexcept { return all_.after.value - all_.before.value; }
    bool knows_totals() const noexcept { return !all_.before.is_least && !all_.after.is_least; }

    static bool ends(std::string_view name, std::string_view end) noexcept {
        return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
    }
    // A sum in a column, in the form of PyTorch's tables.
    static std::string value_of(double v, std::string_view column) {
        if (ends(column, "_us")) return v < 0 ? "-" + time_text(-v) : time_text(v);
        if (ends(column, "_bytes")) return v < 0 ? "-" + sized(-v) : sized(v);
        return ends(column, "_percent") ? fixed(v, 2) + "%" : fixed(v, 0);
    }
    static std::string difference_of(double v, std::string_view column) {
        return (v > 0 ? "+" : "") + value_of(v, column);
    }
    // What a side says: `-` where it has no such name, `?` where it may only not be shown.
    static std::string shown(double v, bool is_there, bool is_known, std::string_view column) {
        return is_there ? value_of(v, column) : is_known ? "-" : "?";
    }
    static std::string growth_of(double before, double after) {
        if (before == 0) return {};
        const double by = 100 * (after - before) / std::fabs(before);
        return joined({by > 0 ? "+" : "", fixed(by, 1), "%"});
    }

    std::string total_line() const {
        const std::string& column = all_.columns[0];
        const auto total = [&](const wlfmt::diff::profile_total& of) {
            return (of.is_least ? "at least " : "") + value_of(of.value, column);
        };
        std::string text = joined({column, ": ", total(all_.before), " -> ", total(all_.after)});
        if (!knows_totals()) return text;
        text += ", " + difference_of(total_difference(), column);
        const std::string growth = growth_of(all_.before.value, all_.after.value);
        return growth.empty() ? text : joined({text, " (", growth, ")"});
    }
    // The part of the difference of the totals, where both are known.
    std::string part_of(const line& one) const {
        const double by = one.after - one.before;
        const bool is_known = one.is_known && knows_totals() && total_difference() != 0 && by != 0;
        return is_known ? fixed(100 * by / total_difference(), 1) + "%" : "-";
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
        if (s_.markdown) {
            chosen_layout = layout::markdown;
            print_title(joined({before_.name, " and ", after_.name}));
            print_note(total_line());
        } else {
            print_line(total_line());
        }
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
        const std::size_t most = s_.top != 0 ? s_.top : s_.markdown || is_terminal(s_) ? 10 : all_.lines.size();
        grid lines;
        lines.row({title, "before", "after", "difference", "of all", "calls", "calls after"});
        // The calls are there anyway.
        const auto is_extra = [&](std::size_t n) { return all_.columns[n] != "calls"; };
        for (std::size_t n = 1; n != all_.columns.size(); ++n) {
            if (!is_extra(n)) continue;
            lines.add({all_.columns[n], all_.columns[n] + " after"});
        }
        std::size_t count = 0;
        bool any_unknown = false;
        std::size_t unknown_rest = 0;
        double rest = 0;
        const std::string& column = all_.columns[0];
        for (const line& one : all_.lines) {
            if (one.kind != kind) continue;
            if (++count > most) {
                if (one.is_known) rest += one.after - one.before;
                else ++unknown_rest;
                continue;
            }
            any_unknown = any_unknown || !one.is_known;
            const double by = one.after - one.before;
            lines.row({one.other_name.empty() ? one.name : joined({one.name, " = ", one.other_name}),
                       shown(one.before, one.in_before, one.is_known, column),
                       shown(one.after, one.in_after, one.is_known, column),
                       one.is_known ? difference_of(by, column) : "?", part_of(one),
                       shown(one.calls_before, one.in_before, one.is_known, "calls"),
                       shown(one.calls_after, one.in_after, one.is_known, "calls")});
            for (std::size_t n = 1; n != all_.columns.size(); ++n) {
                if (!is_extra(n)) continue;
                const auto& [was, now] = one.further[n - 1];
                lines.add({shown(was, one.in_before, one.is_known, all_.columns[n]),
                           shown(now, one.in_after, one.is_known, all_.columns[n])});
            }
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
            put_count(to, "tables", of.of.tables());
            put_count(to, "profiles", of.of.profiles());
            put_decimal(to, "total", total.value);
            if (total.is_least) put_text(to, "limit", "least");
            put_flag(to, "total_is_named", total.is_named);
            put_decimal(to, "rows_total", total.rows);
            put_flag(to, "has_all_rows", total.has_all_rows && !of.is_cut);
            to.close('}');
        };
        print_object([&](auto& to) {
            put_text(to, "format", name_of(wlfmt::file_format::table));
            to.key("columns").open('[');
            for (const std::string& column : all_.columns) to.string(column);
            to.close(']');
            put_side(to, "before", before_, all_.before);
            put_side(to, "after", after_, all_.after);
            if (knows_totals()) put_decimal(to, "difference", total_difference());
            put_count(to, "same", all_.same);
            put_count(to, "folded", all_.folded);
            put_count(to, "matched", all_.matched);
            put_count(to, "names", all_.lines.size());
        });
        std::size_t count[3] = {};
        for (const line& one : all_.lines) {
            if (s_.top != 0 && ++count[static_cast<std::size_t>(one.kind)] > s_.top) continue;
            print_object([&](auto& to) { put(to, one); });
        }
    }
    // What is not known has no key.
    template <class Line> void put(Line& to, const line& one) const {
        put_text(to, "kind", name_of(one.kind));
        put_text(to, "name", one.name);
        if (!one.other_name.empty()) put_text(to, "other_name", one.other_name);
        for (std::size_t n = 0; n != all_.columns.size(); ++n) {
            to.key(all_.columns[n]).open('{');
            put_two(to, one, n == 0 ? one.before : one.further[n - 1].first,
                    n == 0 ? one.after : one.further[n - 1].second);
            to.close('}');
        }
        if (std::find(all_.columns.begin(), all_.columns.end(), "calls") == all_.columns.end()) {
            to.key("calls").open('{');
            put_two(to, one, one.calls_before, one.calls_after);
            to.close('}');
        }
        if (one.is_known && knows_totals() && total_difference() != 0)
            put_decimal(to, "share", (one.after - one.before) / total_difference());
        if (!one.in_before) put_flag(to, "in_before", false);
        if (!one.in_after) put_flag(to, "in_after", false);
    }
    template <class Line> static void put_two(Line& to, const line& one, double before, double after) {
        if (one.in_before || one.is_known) put_decimal(to, "before", before);
        if (one.in_after || one.is_known) put_decimal(to, "after", after);
        if (one.is_known) put_decimal(to, "difference", after - before);
    }

    // Whether the total, or a line, grew by more than is allowed; says which did.
    bool tell_growth() const {
        const growth_limit& limit = s_.growth;
        const std::string& column = all_.columns[0];
        bool any = false;
        const auto tell = [&](const std::string& what, double before, double after) {
            if (!limit.is_exceeded(before, after)) return;
            any = true;
            const std::string growth = growth_of(before, after);
            standard_error.append({"wlfmt: ", what, " grew by ", difference_of(after - before, column),
                                   growth.empty() ? "" : joined({" (", growth, ")"}), ", which is above ", limit.text,
                                   "\n"});
        };
        if (knows_totals()) tell("the total of " + column, all_.before.value, all_.after.value);
        for (const line& one : all_.lines) {
            if (!one.is_known) continue;
            const bool is_large =
                limit.is_large(one.before, all_.before.value) || limit.is_large(one.after, all_.after.value);
            if (is_large) tell(joined({"the ", name_of(one.kind), " `", one.name, "`"}), one.before, one.after);
        }
        return any;
    }

    const settings& s_;
    side before_;
    side after_;
    wlfmt::diff::profile_difference all_;
};

}  // namespace tool

#endif
