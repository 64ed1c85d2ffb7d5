// Writes lines of CSV: column names and rows, with fields quoted where necessary.
#ifndef WLFMT_DETAIL_CSV_WRITE_HPP
#define WLFMT_DETAIL_CSV_WRITE_HPP

#include "../../json/line.hpp"
#include "../../oplog/copies.hpp"
#include "../../oplog/nested.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "../table/names.hpp"
#include "columns.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace csv {

// Writes a program's own rows in the same style: names() and end(), then for each row text(), count(), value() or
// nothing() for each name in order, and end(). finish() returns the error if the sink failed.
template <class Sink> class row_writer {
public:
    row_writer(Sink& sink, const csv::options& options) noexcept : out_(sink), options_(options) {}

    void names(bool with_file, std::initializer_list<std::string_view> names) {
        if (with_file) text("file");
        for (const std::string_view name : names) text(name);
    }
    void origin(const csv::origin& from) {
        if (from.file.data() != nullptr) text(from.file);
    }
    void nothing() { comma(); }
    // Quotes a text that contains a comma, a quote or a line end, one that begins or ends with a blank, which readers
    // may trim, and an empty one, to distinguish it from a missing one.
    void text(std::string_view s) {
        comma();
        const bool may_be_formula = options_.no_formulas && !s.empty() && begins_formula(s.front());
        const bool quoted = s.empty() || s.find_first_of(",\"\r\n") != std::string_view::npos || is_edge(s.front()) ||
                            is_edge(s.back());
        if (quoted) out_.put('"');
        if (may_be_formula) out_.put('\'');
        if (!quoted) return out_.text(s);
        for (std::size_t at = s.find('"'); at != std::string_view::npos; at = s.find('"')) {
            out_.text(s.substr(0, at + 1));
            out_.put('"');
            s.remove_prefix(at + 1);
        }
        out_.text(s);
        out_.put('"');
    }
    void text(std::nullptr_t) = delete;
    void count(std::uint64_t n) {
        const number v = n;
        v.is_integer() ? value(v) : text(std::to_string(n));
    }
    // Writes a value; an empty field if it is missing or None. `quote` must not be 0 if the value may contain escapes.
    void value(std::string_view s, char quote = 0) {
        if (is_missing(s) || is_none(s)) return nothing();
        if (quote == 0) return text(s);
        text(oplog::unescape(s));
    }
    void value(std::nullptr_t, char = 0) = delete;
    void value(const number& n, char quote = 0) {
        if (n.is_text()) return value(n.text(), quote);
        comma();
        if (n.has_value()) out_.value(n);
    }
    void value(const oplog::shape& s, char quote = 0) {
        if (s.dims() == nullptr) return value(s.text(), quote);
        const value_text dims = wlfmt::value(s.dims(), s.size()).text();
        text(dims);
    }
    void value(const oplog::sub_operation_list& list, char = 0) {
        if (list.is_missing() || list.is_none()) return nothing();
        count(oplog::count_nested_operations(list));
    }
    void end() {
        out_.literal("\r\n");
        first_ = true;
    }
    [[nodiscard]] problem finish() { return out_.finish() ? problem() : detail::sink_error(); }

private:
    static bool begins_formula(char c) noexcept {
        return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' || c == '\r' || c == '\'';
    }
    static bool is_edge(char c) noexcept { return c == ' ' || c == '\t'; }
    void comma() {
        if (!first_) out_.put(',');
        first_ = false;
    }

    detail::out<Sink> out_;
    csv::options options_;
    bool first_ = true;
};

}  // namespace csv

namespace detail {

template <class Sink> struct csv_values {
    static constexpr bool is_csv = true;
    csv::row_writer<Sink>& values;

    template <class Value> void integer(const column_info&, const Value& v, std::string_view = {}, char quote = 0) {
        values.value(v, quote);
    }
    void decimal(const column_info&, const number& v, std::string_view = {}, char quote = 0) { values.value(v, quote); }
    void integers(const column_info&, const oplog::shape& v, std::string_view, std::string_view, char quote) {
        values.value(v, quote);
    }
    void bytes(const column_info&, const oplog::shape& shape, std::string_view dtype) {
        const auto bytes = oplog::tensor_bytes(shape, dtype);
        values.value(bytes ? number(*bytes) : number());
    }
    void word(const column_info&, std::string_view v) { values.text(v); }
    void optional_word(const column_info&, std::string_view v, char quote = 0) { values.value(v, quote); }
    void value(const column_info&, std::string_view v, char quote) { values.value(v, quote); }
    // Writes the keys that have no column as a JSON object; an empty field if there are no such keys.
    template <class Record, class Key> void further(const column_info&, const Record& r, Key unknown, char quote) {
        std::string object;
        if (!r.attributes.empty())
            make_json_object(object, [&](json::line& line) { json_further(line, r, unknown, quote); });
        object.empty() ? values.nothing() : values.text(object);
    }
};
template <class Record, class Sink> void csv_names(csv::row_writer<Sink>& line, bool with_file) {
    if (with_file) line.text(file_column.name);
    const auto names = list_columns<true>([&](const column_info& c, column_type) { line.text(c.name); });
    record_columns(names, csv::origin(), Record());
    line.end();
}
template <class Sink, class Record, class... Around>
void csv_row(csv::row_writer<Sink>& line, const csv::origin& from, const Record& record, const Around&... around) {
    csv_values<Sink> values{line};
    line.origin(from);
    record_columns(values, from, record, around...);
    line.end();
}
template <class Sink>
void csv_sub_operation_rows(csv::row_writer<Sink>& line, const csv::origin& from, const oplog::operation& op) {
    std::uint64_t index = 0;
    for (const oplog::sub_operation& s : oplog::nested_operations_of(op)) csv_row(line, from, s, op, index++);
}

template <class Sink> void csv_cell(csv::row_writer<Sink>& line, const table::cell& c, table::unit unit) {
    const number& v = c.value();
    const bool prose = holds_texts(unit);
    if (!prose && v.has_value()) return line.value(v);
    if (v.is_text()) return line.text(v.text());
    const std::string_view t = c.text();
    if (t.empty() || (!prose && is_missing_cell(t))) return line.nothing();
    line.text(t);
}

inline void csv_add_columns(std::vector<table::column>& columns, const table::profile& profile) {
    match_columns(columns, profile.columns, printed_name, [&](const table::column& c) { columns.push_back(c); });
}

template <class Sink, class Each> problem csv_lines(Sink& sink, const csv::options& options, const Each& write) {
    csv::row_writer<Sink> line(sink, options);
    write(line);
    return line.finish();
}

template <class Sink>
void csv_row_names(csv::row_writer<Sink>& line, const std::vector<table::column>& columns, bool with_file) {
    line.names(with_file, {"table", "row"});
    for (const table::column& c : columns) line.text(table_columns::heading(c));
    line.end();
}

// Calls write(origin, record) for each record. `at` is the origin of the first one.
template <class Records, class Write> void csv_records(const Records& records, csv::origin at, const Write& write) {
    for (const auto& record : records) {
        write(at, record);
        ++at.position;
    }
}
template <class Sink>
problem csv_table_rows(Sink& sink, const table::profile& profile, const std::vector<table::column>& columns,
                       const csv::origin& from, const csv::options& options) {
    const table::column* unknown = nullptr;
    const std::vector<std::size_t> matches =
        match_columns(columns, profile.columns, printed_name, [&](const table::column& c) {
            if (unknown == nullptr) unknown = &c;
        });
    if (unknown != nullptr)
        return {error_kind::unknown_member, 0, 0, unknown->name, static_cast<std::int64_t>(from.table)};
    return csv_lines(sink, options, [&](csv::row_writer<Sink>& line) {
        csv_records(profile.rows(), from, [&](const csv::origin& at, const table::row& r) {
            line.origin(at);
            line.count(at.table);
            line.count(at.position);
            for (std::size_t n = 0; n != columns.size(); ++n) {
                const table::unit unit = columns[n].unit;
                if (matches[n] == no_column) line.nothing();
                else if (unit == table::unit::source && !r.frames.empty())
                    line.text(text_with_frames(r[matches[n]].text(), r));
                else csv_cell(line, r[matches[n]], unit);
            }
            line.end();
        });
    });
}

template <class Sink> void csv_rows(csv::row_writer<Sink>& line, const oplog::document& doc) {
    oplog::copies copies;
    csv_names<oplog::operation>(line, false);
    csv_records(doc.operations, {}, [&](csv::origin at, const oplog::operation& op) {
        at.is_copy = copies.is_copy(op);
        csv_row(line, at, op);
    });
}
template <class Sink> void csv_sub_operation_rows(csv::row_writer<Sink>& line, const oplog::document& doc) {
    csv_names<oplog::sub_operation>(line, false);
    csv_records(doc.operations, {},
                [&](const csv::origin& at, const auto& op) { csv_sub_operation_rows(line, at, op); });
}
template <class Sink> void csv_rows(csv::row_writer<Sink>& line, const workload::document& doc) {
    csv_names<workload::layer>(line, false);
    csv_records(doc.layers, {}, [&](const csv::origin& at, const auto& layer) { csv_row(line, at, layer); });
}
template <class Sink> problem csv_write(Sink& sink, const table::document& doc, const csv::options& options) {
    std::vector<table::column> columns;
    for (const table::profile& profile : doc.tables) csv_add_columns(columns, profile);
    problem e = csv_lines(sink, options, [&](csv::row_writer<Sink>& line) { csv_row_names(line, columns, false); });
    csv::origin at;
    for (auto profile = doc.tables.begin(); !e && profile != doc.tables.end(); ++profile, ++at.table)
        e = csv_table_rows(sink, *profile, columns, at, options);
    return e;
}

}  // namespace detail
}}  // namespace wlfmt::WLFMT_ABI

#endif
