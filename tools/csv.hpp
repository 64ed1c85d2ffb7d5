// csv: prints all files as one table.
#ifndef WLFMT_TOOLS_CSV_HPP
#define WLFMT_TOOLS_CSV_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/csv.hpp>
#include <wlfmt/wlfmt.hpp>

#include "files.hpp"
#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

class csv_command {
public:
    explicit csv_command(const settings& s) noexcept : s_(s) {}

    exit_status run() {
        const files_of_run files(s_, run_use::each);
        const auto write = [&](input& from, wlfmt::file_format kind, report& r, std::size_t) {
            from_.file = from.name();
            from_.position = from_.table = 0;
            if (kind == wlfmt::file_format::oplog) return operations(from, r);
            if (s_.of == rows_of::sub_operations)
                return r.error(std::string_view(), "only op logs have sub-operations; leave --of=sub-operations out");
            if (kind == wlfmt::file_format::workload) return layers(from.whole(), r);
            tables(from.whole(), r);
        };
        return (std::max)(files.status(), for_each_file(files.paths(), s_, write));
    }

private:
    // Writing fails only if the output fails, which is reported once, at the end.
    static void ignore(const wlfmt::error&) noexcept {}

    bool first() noexcept { return !std::exchange(any_, true); }

    void operations(input& from, report& r) {
        const bool nested = s_.of == rows_of::sub_operations;
        if (first())
            ignore(nested ? wlfmt::csv::write_sub_operation_names(standard_output, true, s_.csv_style)
                          : wlfmt::csv::write_operation_names(standard_output, true, s_.csv_style));
        for_each_operation(from, s_, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
            ignore(nested ? wlfmt::csv::write_sub_operation_rows(standard_output, op, from_, s_.csv_style)
                          : wlfmt::csv::write_row(standard_output, op, from_, s_.csv_style));
            ++from_.position;
        });
    }
    void layers(std::string_view text, report& r) {
        if (first()) ignore(wlfmt::csv::write_layer_names(standard_output, true, s_.csv_style));
        r.about(text);
        const auto read = wlfmt::workload::read(text, options_for(s_, r));
        if (!read) r.error(read.error());
        for (const wlfmt::workload::layer& one : read->layers) {
            ignore(wlfmt::csv::write_row(standard_output, one, from_, s_.csv_style));
            ++from_.position;
        }
    }
    void tables(std::string_view text, report& r) {
        r.about(text);
        for_each_prefix(text, s_, r, [&](const wlfmt::options& how) {
            const auto read = wlfmt::table::read(text, how);
            for (const wlfmt::table::summary& one : read->tables) table(one, r);
            return read.error();
        });
    }
    void table(const wlfmt::table::summary& one, report& r) {
        if (first()) {
            for (const wlfmt::table::column& c : one.columns) names_.emplace_back(c.name);
            for (const std::string& name : names_) columns_.emplace_back(name);
            ignore(wlfmt::csv::write_row_names(standard_output, columns_, true, s_.csv_style));
        }
        const wlfmt::error e = wlfmt::csv::write_rows(standard_output, one, columns_, from_, s_.csv_style);
        if (e.kind == wlfmt::error_kind::unknown_member)
            r.error(e.field, "a table with the column `" + std::string(e.field) +
                                 "`, which the first table does not have: give tables with the same columns");
        ++from_.table;
    }

    const settings& s_;
    wlfmt::csv::origin from_;
    bool any_ = false;
    // The columns of the first table, copied, as its text is gone when the next file is read.
    std::vector<std::string> names_;
    std::vector<wlfmt::table::column> columns_;
};

}  // namespace tool

#endif
