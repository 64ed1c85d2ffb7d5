// summary of profiler tables: their totals and the heaviest names of each kind.
#ifndef WLFMT_TOOLS_TABLE_SUMMARY_HPP
#define WLFMT_TOOLS_TABLE_SUMMARY_HPP

#include <wlfmt/table/by_name.hpp>

#include "../command_line/settings.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"

namespace tool {

// Shows a table to people, or writes it as JSON for programs.
class table_summary {
    using row_kind = wlfmt::table::row_kind;

public:
    explicit table_summary(const wlfmt::table::profile& profile, std::size_t max_names = 0)
        : table_(profile), names_(profile), max_names_(max_names != 0 ? max_names : 10) {}
    void print() const {
        for (const auto& total : table_.totals) print_note({total.name, ": ", total.value.text()});
        for (const std::string& sentence : sentences()) print_note(sentence);
        for (const kind_title& kind : kinds) print_kind(kind);
    }
    // Sentences, without full stops, about what bounds the work, or about why that cannot be told.
    std::vector<std::string> sentences() const {
        // Nothing else is said about a cut table: the columns that it lacks may have been cut off.
        if (table_.columns.empty()) return {};
        if (table_.columns.front().unit == wlfmt::table::unit::cut)
            return {"the table is cut at its left edge: its first column is a piece, and others may be missing"};
        if (table_.columns.back().unit == wlfmt::table::unit::cut)
            return {"the table is cut at its right edge: its last column is a piece, and others may be missing"};
        bool any_device = false;
        bool any_device_time = false;
        for (const wlfmt::table::column& column : table_.columns) {
            const wlfmt::table::column_meaning meaning = wlfmt::table::meaning_of(column.name);
            any_device = any_device || (!meaning.device.empty() && meaning.device != "CPU");
            any_device_time = any_device_time || meaning.name == "self_device_time_us";
        }
        if (!any_device) return {"it has no columns of a device"};
        if (!any_device_time) return {};
        const std::size_t weight = names_.weight();
        if (weight == names_.none || wlfmt::table::meaning_of(title(weight)).name != "self_device_time_us")
            return {"its columns of the device hold no time"};
        const double kernels = sum_of(row_kind::kernel);
        const double others = sum_of(row_kind::device);
        std::vector<std::string> said;
        if (kernels > 0 && names_.total() > 0) {
            double communication = 0;
            for (const auto* name : names_.heaviest(row_kind::kernel))
                if (wlfmt::table::is_communication(name->name)) communication += name->weight;
            said.push_back(joined({"kernels take ", time_text(kernels), " of ", time_text(names_.total()),
                                   " on the device, ", fixed(100 * kernels / names_.total(), 1), "%; communication ",
                                   time_text(communication), ", other kernels ", time_text(kernels - communication)}));
        }
        const double spans = sum_of(row_kind::annotation);
        if (spans > 0 && std::fabs(kernels + others + spans - names_.total()) <= 0.001 * names_.total())
            said.push_back(
                joined({"the total counts annotations, too: without them it is ", time_text(names_.total() - spans)}));
        if (kernels <= 0 && others <= 0)
            said.emplace_back(names_.heaviest(row_kind::annotation).empty()
                                  ? "it has rows of operators only, and no row of a kernel"
                                  : "it has no row of a kernel");
        if (others > 0)
            said.push_back(
                joined({"device rows, kernels or annotations by names that do not tell, take ", time_text(others)}));
        if (const std::string words = balance(); !words.empty()) said.push_back(words);
        return said;
    }
    // Writes the table's sizes, totals and all names of each kind, the heaviest first. Times are in microseconds.
    template <class Line> void put(Line& line) const {
        put_count(line, "rows", table_.size());
        put_count(line, "columns", table_.columns.size());
        put_object(line, "totals", [&] {
            for (const auto& total : table_.totals) line.key(total.name).value(total.value.value());
        });
        if (names_.weight() != names_.none) put_text(line, "weight", title(names_.weight()));
        for (const kind_title& kind : kinds)
            put_objects(line, kind.key, names_.heaviest(kind.kind), [&](const named_rows* name) { put(line, *name); });
    }

private:
    using named_rows = wlfmt::table::named_rows;
    struct kind_title {
        row_kind kind;
        const char* title;
        std::string_view key;
    };
    static constexpr kind_title kinds[] = {{row_kind::operation, "heaviest operators", "operators"},
                                           {row_kind::kernel, "heaviest kernels", "kernels"},
                                           {row_kind::device, "device rows", "device_rows"},
                                           {row_kind::annotation, "annotations on the device", "annotations"}};

    // The position of the extra column with this meaning; the number of extra columns if there is none.
    std::size_t extra_of(std::string_view meaning) const {
        std::size_t n = 0;
        while (n != names_.extra().size() && wlfmt::table::meaning_of(title(names_.extra()[n])).name != meaning) ++n;
        return n;
    }
    double sum_of(row_kind kind) const {
        double sum = 0;
        for (const auto* name : names_.heaviest(kind)) sum += name->weight;
        return sum;
    }
    // Compares the processor's total with the device's. Says that the processor's own work takes the time if all of its
    // rows are there, and those that do not wait for the device take ten times as long as the device.
    std::string balance() const {
        constexpr double many = 10;
        double named = 0;
        for (const auto& total : table_.totals)
            if (wlfmt::table::meaning_of(total.name).name == "self_cpu_time_us")
                named = table_.find_total(total.name).value().value_or(0.0);
        if (names_.total() <= 0 || named <= 0) return {};
        std::string words =
            joined({"the total of the processor is ", fixed(named / names_.total(), 1), " times that of the device"});
        const std::size_t own = extra_of("self_cpu_time_us");
        if (own == names_.extra().size()) return words;
        double sum = 0;
        double waiting = 0;
        for (const auto* name : names_.heaviest(row_kind::operation)) {
            sum += name->extra[own];
            if (name->name.find("Synchronize") != std::string::npos) waiting += name->extra[own];
        }
        if (sum >= 0.999 * named && sum - waiting >= many * names_.total())
            words += joined({", and it waits for the device ", fixed(100 * waiting / sum, 1),
                             "% of that time: launches and the program, not kernels, take the time"});
        return words;
    }

    std::string_view title(std::size_t column) const noexcept { return table_.columns[column].name; }
    template <class Line> void put(Line& line, const named_rows& entry) const {
        put_text(line, "name", entry.name);
        put_count(line, "rows", entry.rows);
        put_decimal(line, title(names_.weight()), entry.weight);
        if (entry.share) put_decimal(line, "share", *entry.share);
        for (std::size_t n = 0; n != names_.extra().size(); ++n)
            put_decimal(line, title(names_.extra()[n]), entry.extra[n]);
    }
    // A sum as a cell of the printed table.
    std::string cell_of(double v, std::size_t column) const {
        if (table_.columns[column].unit != wlfmt::table::unit::microseconds) return fixed(v, 0);
        return time_text(v);
    }
    void print_kind(const kind_title& kind) const {
        std::vector<const named_rows*> order = names_.heaviest(kind.kind);
        if (order.empty()) return;
        const std::size_t count = order.size();
        order.resize((std::min)(count, max_names_));
        print_gap();
        grid lines;
        lines.row({kind.title, title(names_.weight()), "share"});
        for (const std::size_t n : names_.extra()) lines.add({title(n)});
        lines.add({"rows"});
        for (const named_rows* entry : order) {
            const auto part = entry->share;
            lines.row({entry->name, cell_of(entry->weight, names_.weight()), part ? fixed(*part, 2) + "%" : "-"});
            for (std::size_t n = 0; n != names_.extra().size(); ++n)
                lines.add({cell_of(entry->extra[n], names_.extra()[n])});
            lines.add({entry->rows});
        }
        lines.print();
        if (count > max_names_) print_note({"and ", count - max_names_, " more names"});
    }

    const wlfmt::table::profile& table_;
    wlfmt::table::by_name names_;
    std::size_t max_names_;  // how many names of a kind are printed
};

// Says how many lines belong to no table. Only strict reading reports them.
inline void report_foreign_lines(std::string_view text, const settings& s) {
    const std::vector<std::string_view> prefixes = table_prefixes(text, s);
    if (prefixes.size() != 1) return;
    std::uint64_t count = 0;
    wlfmt::options options;
    options.prefix = prefixes[0];
    options.strict = options.lenient = true;
    options.context = &count;
    options.on_problem = [](void* counter, const wlfmt::problem& e) {
        if (e.kind == wlfmt::error_kind::foreign_text) ++*static_cast<std::uint64_t*>(counter);
    };
    static_cast<void>(wlfmt::table::read(text, options));
    print_passed_over(count, "table");
}

inline void summarise_tables(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    wlfmt::table::document read = read_tables(text, s, r);
    if (!keep_chosen_table(read, s, r)) read.tables.clear();
    const auto& tables = read.tables;
    if (s.json || s.partial) {
        print_object([&](auto& line) {
            put_text(line, "name", from.name());
            put_text(line, "format", name_of(wlfmt::file_format::table));
            put_objects(line, "tables", tables, [&](const wlfmt::table::profile& table) {
                if (const notebook_cell* cell = cell_at(from.cells(), offset_of(table, text)); cell != nullptr)
                    put_count(line, "cell", cell->number);
                table_summary(table).put(line);
            });
        });
        return;
    }
    for (std::size_t n = 0; n < tables.size(); ++n) {
        print_title(joined({from.name_at(offset_of(tables[n], text)), ": profiler table ", n + 1, " of ", tables.size(),
                            ", ", counted(tables[n].size(), "row", "rows"), ", ",
                            counted(tables[n].columns.size(), "column", "columns")}));
        if (s.markdown && n == 0) report_foreign_lines(text, s);
        table_summary(tables[n], s.top).print();
    }
}

}  // namespace tool

#endif
