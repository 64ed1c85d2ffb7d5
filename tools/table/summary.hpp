// summary of profiler tables: their totals and the heaviest names of each kind.
#ifndef WLFMT_TOOLS_TABLE_SUMMARY_HPP
#define WLFMT_TOOLS_TABLE_SUMMARY_HPP

#include "analysis/profile/by_name.hpp"

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
    using row_kind = wlfmt::analysis::row_kind;

public:
    explicit table_summary(const wlfmt::table::profile& profile, std::size_t max_names = 0)
        : table_(profile), names_(profile), max_names_(max_names != 0 ? max_names : 10) {}
    void print() const;
    // Sentences, without full stops, about what bounds the work, or about why that cannot be told.
    std::vector<std::string> sentences() const;
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
    using named_rows = wlfmt::analysis::named_rows;
    std::vector<std::string> sentences_of_device() const;

    struct kind_title {
        row_kind kind;
        const char* title;
        std::string_view key;
    };
    static constexpr kind_title kinds[] = {{row_kind::operation, "heaviest operators", "operators"},
                                           {row_kind::kernel, "heaviest kernels", "kernels"},
                                           {row_kind::device, "device rows", "device_rows"},
                                           {row_kind::annotation, "annotations on the device", "annotations"},
                                           {row_kind::span, "spans of the program", "spans"}};

    // The position of the extra column with this meaning; the number of extra columns if there is none.
    std::size_t extra_of(std::string_view meaning) const;
    // The sum of the weights of a kind: of communication, of all else or, without a value, of both.
    bounded sum_of(row_kind kind, std::optional<bool> communication = {}) const;
    // Compares the processor's total with the device's. Says that the processor's own work takes the time if all of its
    // rows are there, and those that do not wait for the device take ten times as long as the device.
    std::string balance() const;

    std::string_view title(std::size_t column) const noexcept { return table_.columns[column].name; }
    template <class Line> void put(Line& line, const named_rows& entry) const {
        put_text(line, "name", entry.name);
        put_count(line, "rows", entry.rows);
        std::vector<number_member> sums{{title(names_.weight()), entry.weight}, {"share", entry.share}};
        for (std::size_t n = 0; n != names_.extra().size(); ++n)
            sums.emplace_back(title(names_.extra()[n]), entry.extra[n]);
        put_numbers(line, sums);
        put_limits(line, sums);
    }
    static std::string time_text(double us) { return tool::time_text(us); }
    static std::string time_text(const bounded& us);
    // A sum as a cell of the printed table.
    std::string cell_of(const bounded& sum, std::size_t column) const;
    void print_kind(const kind_title& kind) const;

    const wlfmt::table::profile& table_;
    wlfmt::analysis::by_name names_;
    std::size_t max_names_;  // how many names of a kind are printed
};

void summarise_tables(input& from, const settings& s, report& r);

}  // namespace tool

#endif
