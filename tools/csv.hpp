// csv: prints all files as one table.
#ifndef WLFMT_TOOLS_CSV_HPP
#define WLFMT_TOOLS_CSV_HPP

#include <deque>

#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "input/input.hpp"
#include "input/read.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"
#include "run/csv.hpp"

namespace tool {

class csv_command {
public:
    explicit csv_command(const settings& s) noexcept : s_(s) {}

    exit_status execute() {
        const files_of_run files(s_, run_use::each);
        const auto write = [&](input& from, wlfmt::file_format kind, report& r, std::size_t) {
            from_.file = from.name();
            from_.position = from_.table = 0;
            if (s_.csv_rows == rows_of::rows && kind != wlfmt::file_format::table)
                return r.error({"only tables have rows; leave --of=rows out"});
            if (kind != wlfmt::file_format::table && refuse_table(s_, r)) return;
            if (kind == wlfmt::file_format::oplog) return operations(from, r);
            if (s_.csv_rows == rows_of::sub_operations)
                return r.error({"only op logs have sub-operations; leave --of=sub-operations out"});
            if (kind == wlfmt::file_format::workload) return layers(from.whole(), r);
            tables(from, r);
        };
        const exit_status status = (std::max)(files.status(), for_each_file(files.paths(), s_, write));
        write_tables();
        return status;
    }

private:
    // Writing fails only if the output fails, which is reported once, at the end.
    static void ignore(const wlfmt::problem&) noexcept {}

    bool is_first_file() noexcept { return !std::exchange(has_begun_, true); }

    void operations(input& from, report& r) {
        const bool nested = s_.csv_rows == rows_of::sub_operations;
        if (is_first_file())
            ignore(nested ? wlfmt::csv::write_sub_operation_names(standard_output, true, s_.csv_style)
                          : wlfmt::csv::write_operation_names(standard_output, true, s_.csv_style));
        wlfmt::oplog::copies copies;
        std::string name;
        for_each_operation(from, s_, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream& log) {
            from_.is_copy = copies.is_copy(op);
            if (!from.cells().empty()) begin_part(name, from.name_at(log.line_of(op.source).offset));
            ignore(nested ? wlfmt::csv::write_sub_operation_rows(standard_output, op, from_, s_.csv_style)
                          : wlfmt::csv::write_row(standard_output, op, from_, s_.csv_style));
            ++from_.position;
        });
    }
    void layers(std::string_view text, report& r) {
        if (is_first_file()) ignore(wlfmt::csv::write_layer_names(standard_output, true, s_.csv_style));
        r.about(text);
        const auto read = wlfmt::workload::read(text, options_for(s_, r));
        if (!read) r.error(read.error());
        for (const wlfmt::workload::layer& layer : read->layers) {
            ignore(wlfmt::csv::write_row(standard_output, layer, from_, s_.csv_style));
            ++from_.position;
        }
    }
    // Begins a text, which may be a cell of a notebook. Keep `name` alive while rows are written: from_ has a view of
    // it.
    void begin_part(std::string& name, std::string&& next) {
        if (next == name) return;
        name = std::move(next);
        from_.file = name;
        from_.position = from_.table = 0;
    }
    // Keeps the tables of a file: their rows are written after the last file has been read, as the columns are those of
    // all tables.
    void tables(input& from, report& r) {
        file_of_tables& file = held_.emplace_back();
        file.text = from.whole();
        r.about(file.text);
        file.document = read_tables(file.text, s_, r);
        for (const wlfmt::table::profile& table : file.document.tables)
            file.names.push_back(from.name_at(offset_of(table, file.text)));
        report_missing_table(file.document, s_, r);
    }
    void write_tables() {
        if (held_.empty()) return;
        std::vector<wlfmt::table::column> columns;
        for_each_table([&](const wlfmt::table::profile& table) { wlfmt::csv::add_columns(columns, table); });
        ignore(wlfmt::csv::write_row_names(standard_output, columns, true, s_.csv_style));
        for_each_table([&](const wlfmt::table::profile& table) {
            ignore(wlfmt::csv::write_rows(standard_output, table, columns, from_, s_.csv_style));
        });
    }
    template <class Work> void for_each_table(const Work& work) {
        for (const file_of_tables& file : held_) {
            std::string name;
            for (std::size_t n = 0; n != file.document.tables.size(); ++n, ++from_.table) {
                begin_part(name, std::string(file.names[n]));
                if (s_.table == 0 || s_.table == n + 1) work(file.document.tables[n]);
            }
        }
    }

    struct file_of_tables {
        std::string text;
        std::vector<std::string> names;  // the name of each table's file, or of its notebook cell
        wlfmt::table::document document;
    };
    const settings& s_;
    wlfmt::csv::origin from_;
    bool has_begun_ = false;
    std::deque<file_of_tables> held_;
};

exit_status do_csv(const settings& s) {
    settings copying = s;
    copying.copies = true;
    if (copying.csv_rows == rows_of::waits || copying.csv_rows == rows_of::bandwidth) return csv_of_answers(copying);
    return csv_command(copying).execute();
}

}  // namespace tool

#endif
