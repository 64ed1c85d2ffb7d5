// json, format, csv and from-json: write a file in another form. What cannot be read is reported, and the rest is
// written.
#ifndef WLFMT_TOOLS_CONVERT_HPP
#define WLFMT_TOOLS_CONVERT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <wlfmt/csv.hpp>
#if defined(WLFMT_WITH_SIMDJSON)
#include <wlfmt/from_json.hpp>
#endif
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "input/input.hpp"
#include "input/read.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"

namespace tool {

// Writes a record as JSON, or in its own format.
template <class Record> wlfmt::error write_converted(const Record& record, bool to_json) {
    if (to_json) {
        // The reader has already reported a list that cannot be read to its end.
        static_cast<void>(wlfmt::json::write(standard_output, record));
        return {};
    }
    if constexpr (std::is_same_v<Record, wlfmt::table::document>)
        if (const wlfmt::error e = problem_of(record); e.kind == wlfmt::error_kind::too_wide) return e;
    // Values that could not be read are written as they were: the check would refuse them, but they read back as they
    // are.
    write_unchecked(standard_output, record);
    return {};
}

inline void convert(input& from, wlfmt::file_format kind, const settings& s, report& r, bool to_json) {
    if (kind == wlfmt::file_format::oplog) {
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream& log) {
            // A strict reader finds the errors of a list when the list is walked.
            if (s.strict)
                for (const auto& sub : op.sub_operations) static_cast<void>(sub);
            if (log.ok()) static_cast<void>(write_converted(op, to_json));
        });
        return;
    }
    const std::string_view text = from.whole();
    r.about(text);
    if (kind == wlfmt::file_format::workload) {
        const auto read = wlfmt::workload::read(text, options_for(s, r));
        if (!read) r.error(read.error());
        if (read.error().kind == wlfmt::error_kind::no_records) return;
        static_cast<void>(write_converted(*read, to_json));
        const std::size_t layers = read->layers.size();
        if (!to_json && read->header().declared_layers.as<std::uint64_t>() != layers)
            standard_error.append({printable(from.name()), ": note: the second line says now that there ",
                                   layers == 1 ? "is 1 layer\n" : joined({"are ", layers, " layers\n"})});
        return;
    }
    if (const wlfmt::error e = write_converted(read_tables(text, s, r), to_json)) r.error(e);
}

// csv: prints all files as one table.
class csv_command {
public:
    explicit csv_command(const settings& s) noexcept : s_(s) {}

    exit_status run() {
        const files_of_run files(s_, run_use::each);
        const auto write = [&](input& from, wlfmt::file_format kind, report& r, std::size_t) {
            from_.file = from.name();
            from_.position = from_.table = 0;
            if (s_.of == rows_of::rows && kind != wlfmt::file_format::table)
                return r.error(std::string_view(), "only tables have rows; leave --of=rows out");
            if (kind == wlfmt::file_format::oplog) return operations(from, r);
            if (s_.of == rows_of::sub_operations)
                return r.error(std::string_view(), "only op logs have sub-operations; leave --of=sub-operations out");
            if (kind == wlfmt::file_format::workload) return layers(from.whole(), r);
            tables(from.whole(), r);
        };
        const exit_status status = (std::max)(files.status(), for_each_file(files.paths(), s_, write));
        write_tables();
        return status;
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
        wlfmt::csv::copies copies;
        for_each_operation(from, s_, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
            from_.is_copy = copies.is_copy(op);
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
    // The columns are those of all tables, so that rows wait until the last file has been read.
    void tables(std::string_view text, report& r) {
        held& to = held_.emplace_back();
        to.file = from_.file;
        to.text = text;
        r.about(to.text);
        to.all = read_tables(to.text, s_, r);
        if (s_.table >= 0 && static_cast<std::size_t>(s_.table) >= to.all.tables.size())
            r.error(std::string_view(), joined({"there is no table ", s_.table, ": the file has ",
                                                counted(to.all.tables.size(), "table", "tables"), ", counted from 0"}));
    }
    void write_tables() {
        if (held_.empty()) return;
        std::vector<wlfmt::table::column> columns;
        for_each_table([&](const wlfmt::table::profile& one) { wlfmt::csv::add_columns(columns, one); });
        ignore(wlfmt::csv::write_row_names(standard_output, columns, true, s_.csv_style));
        for_each_table([&](const wlfmt::table::profile& one) {
            ignore(wlfmt::csv::write_rows(standard_output, one, columns, from_, s_.csv_style));
        });
    }
    template <class Work> void for_each_table(const Work& work) {
        for (const held& of : held_) {
            from_.file = of.file;
            from_.position = 0;
            for (from_.table = 0; from_.table != of.all.tables.size(); ++from_.table)
                if (s_.table < 0 || static_cast<std::uint64_t>(s_.table) == from_.table)
                    work(of.all.tables[static_cast<std::size_t>(from_.table)]);
        }
    }

    struct held {
        std::string file;
        std::string text;
        wlfmt::table::document all;
    };
    const settings& s_;
    wlfmt::csv::origin from_;
    bool any_ = false;
    std::deque<held> held_;
};

// Finds out the format of JSON Lines by the first member that only one format has.
inline wlfmt::file_format kind_of_json(std::string_view beginning) noexcept {
    using wlfmt::file_format;
    file_format kind = file_format::unknown;
    std::size_t first = std::string_view::npos;
    constexpr std::pair<std::string_view, file_format> members[] = {{"\"op\"", file_format::oplog},
                                                                    {"\"header\"", file_format::workload},
                                                                    {"\"declared_layers\"", file_format::workload},
                                                                    {"\"columns\"", file_format::table},
                                                                    {"\"totals\"", file_format::table}};
    for (const auto& [member, of] : members) {
        const std::size_t at = beginning.find(member);
        if (at < first) kind = of;
        first = (std::min)(first, at);
    }
    return kind;
}

#if defined(WLFMT_WITH_SIMDJSON)

// Whether each object is on a line of its own, so that the file can be read piece by piece.
inline bool is_json_lines(std::string_view beginning) noexcept {
    std::string_view line = beginning.substr(0, beginning.find('\n'));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    return !line.empty() && line.back() == '}';
}

// Writes a record that only a lenient reader reads back, such as one with a cell that lost its unit, as `format` writes
// it, and reports that. Returns false if even then it reads back as something else.
template <class Document> bool reads_back_leniently(const Document& doc) {
    // A stream, as the command has the writers to streams anyway, and compiling others takes seconds.
    std::string text;
    std::string before;
    std::string after;
    stream to(stdout);
    to.divert(&text);
    write_unchecked(to, doc);
    wlfmt::options how;
    how.lenient = true;
    const auto back = [&] {
        if constexpr (std::is_same_v<Document, wlfmt::workload::document>) return wlfmt::workload::read(text, how);
        else return wlfmt::table::read(text, how);
    }();
    const wlfmt::error of_doc = wlfmt::json::write(before, doc);
    const wlfmt::error of_back = wlfmt::json::write(after, *back);
    return back.ok() && !of_doc && !of_back && before == after;
}

// Hands each record of a text to `write`, and goes on after errors. A record that would not read back is not written.
template <class Reader, class Write>
void for_each_json_record(std::string_view text, Reader& from, report& r, const Write& write) {
    do {
        while (const auto* record = from.next()) {
            if (const wlfmt::error e = write(*record))
                r.error(text.substr(static_cast<std::size_t>(from.offset()), 1), message(e, text));
            if (standard_output.closed()) return;
        }
        if (from.ok()) return;
        if (from.error().kind == wlfmt::error_kind::text_after_layers)
            return r.error(text.substr(static_cast<std::size_t>(from.offset()), 1),
                           "another workload file begins here, and a text holds one: split the JSON before this line");
        r.error(from.error());
    } while (from.skip());
}

inline void operations_from_json(input& from, report& r) {
    const auto each = [&](std::string_view text) {
        wlfmt::json::texts kept;
        wlfmt::json::oplog_reader log(text, kept);
        for_each_json_record(text, log, r,
                             [](const wlfmt::oplog::operation& op) { return write(standard_output, op); });
    };
    if (!is_json_lines(from.beginning())) {
        const std::string_view text = from.whole();
        r.about(text);
        return each(text);
    }
    // Takes as many whole lines as there are.
    std::string lines;
    std::uint64_t first_line = 1;
    for (bool more = true; more && !standard_output.closed();) {
        const std::string_view chunk = from.next();
        more = !chunk.empty();
        const std::size_t last_end = chunk.rfind('\n');
        lines += chunk;
        const std::size_t rest =
            more && last_end != std::string_view::npos ? chunk.size() - last_end - 1 : chunk.size();
        if (more && rest == chunk.size()) continue;
        const std::string_view text = std::string_view(lines).substr(0, lines.size() - rest);
        r.about(text, first_line);
        each(text);
        first_line += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
        lines.erase(0, text.size());
    }
}

inline void workload_from_json(std::string_view text, report& r) {
    wlfmt::json::texts kept;
    wlfmt::json::workload_reader file(text, kept);
    // Layers without a header are not a workload file.
    if (!file.ok()) return r.error(file.error());
    wlfmt::workload::document doc;
    doc.header() = file.header();
    std::vector<std::uint64_t> offsets;
    for_each_json_record(text, file, r, [&](const wlfmt::workload::layer& one) {
        offsets.push_back(file.offset());
        doc.layers.push_back(one);
        return wlfmt::error();
    });
    if (const auto declared = doc.header().declared_layers.as<std::uint64_t>();
        declared < doc.layers.size() && declared) {
        wlfmt::error surplus;
        surplus.kind = wlfmt::error_kind::layer_count_mismatch;
        surplus.found = static_cast<std::int64_t>(doc.layers.size());
        surplus.expected = static_cast<std::int64_t>(*declared);
        r.implausible(surplus);
    }
    // The number of layers is written before them: those that would not read back are left out first.
    wlfmt::error e = problem_of(doc);
    while (e && e.expected == 1 && !doc.layers.empty()) {
        const auto n = static_cast<std::ptrdiff_t>(e.found);
        r.error(text.substr(static_cast<std::size_t>(offsets[static_cast<std::size_t>(n)]), 1), message(e, text));
        doc.layers.erase(doc.layers.begin() + n);
        offsets.erase(offsets.begin() + n);
        e = problem_of(doc);
    }
    if (e && !reads_back_leniently(doc)) return r.error(text.substr(0, 1), message(e, text));
    if (e) r.warning(text.substr(0, 1), message(e, text));
    write_unchecked(standard_output, doc);
}

inline void tables_from_json(std::string_view text, report& r) {
    wlfmt::json::texts kept;
    wlfmt::json::table_reader tables(text, kept);
    bool any = false;
    for_each_json_record(text, tables, r, [&](const wlfmt::table::profile& one) {
        const wlfmt::error e = problem_of(one);
        if (e) {
            wlfmt::table::document alone;
            alone.tables.push_back(one);
            if (e.kind == wlfmt::error_kind::too_wide || !reads_back_leniently(alone)) return e;
            r.warning(text.substr(static_cast<std::size_t>(tables.offset()), 1), message(e, text));
        }
        if (any) standard_output.append("\n");
        any = true;
        write_unchecked(standard_output, one);
        return wlfmt::error();
    });
    if (const wlfmt::table::profile* const one = tables.unfinished()) write_unchecked(standard_output, *one);
}

inline void from_json(input& from, wlfmt::file_format kind, report& r) {
    if (kind == wlfmt::file_format::oplog) return operations_from_json(from, r);
    const std::string_view text = from.whole();
    r.about(text);
    if (kind == wlfmt::file_format::workload) return workload_from_json(text, r);
    tables_from_json(text, r);
}

#endif

// Says that the input is not JSON, and if it is a text of a format, which one.
inline void say_no_json(std::string_view beginning, report& r) {
    const wlfmt::file_format kind = wlfmt::detect(beginning);
    std::string what = "neither operations nor layers nor tables in JSON; from-json reads what `wlfmt json` prints";
    if (kind != wlfmt::file_format::unknown)
        what = joined({"this is a file of the format `", name_of(kind),
                       "` itself, not its JSON; `wlfmt format` writes it again"});
    r.error(beginning.substr(0, 1), what);
}

}  // namespace tool

#endif
