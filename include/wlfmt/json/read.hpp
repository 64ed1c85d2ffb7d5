// wlfmt/json/read.hpp: reads the interchange form back into records of the three formats. Not included by wlfmt.hpp,
// and not by json.hpp, which writes the form: reading needs simdjson (its header, and its library to link with).
//
//     wlfmt::json::texts kept;                            // owns what the records show
//     wlfmt::json::oplog_reader log(json, kept);
//     while (const auto* op = log.next()) use(*op);
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), json, wlfmt::in_file("rank7.jsonl"));
//
// docs/formats.md, section 6, specifies the form, and docs/interchange.schema.json is its schema. Objects follow one
// another, each on a line of its own or over several lines, with members in any order. Integers are exact to 64 bits
// and stay integers; `8.0` stays a decimal. A number beyond 64 bits is kept as a text if the format's reader does so.
//
// The form carries values, not the layout of their text, so write() uses the format's own layout: the separator ", " in
// records of a plan, "," in all others; header entries with their colon; tables with the widths and units of today's
// PyTorch (`KB`), NaN for a missing percent, `--` for missing FLOPs. A number that would lose digits there has all of
// them in its column's base unit: `3821.335us`. No text is cut: its column is widened beyond PyTorch's limit.
//
// Errors are those of error.hpp, with the place in the JSON: error_kind::not_json, wrong_type, missing_member,
// unknown_member, duplicate_key, number_overflow, not_an_integer. problem::field is the value's path in its object:
// "sub_operations[3].duration". write() refuses a record if a JSON string holds what no text of its format can.
#include "../version.hpp"

#ifndef WLFMT_JSON_READ_HPP
#define WLFMT_JSON_READ_HPP

#if defined(__has_include)
#if !__has_include(<simdjson.h>)
#error "wlfmt/json/read.hpp needs simdjson: Debian's libsimdjson-dev, or https://simdjson.org"
#endif
#endif
#include <simdjson.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "../detail/error/problems.hpp"
#include "../detail/json/formats.hpp"
#include "../error.hpp"
#include "../oplog.hpp"
#include "../table.hpp"
#include "../types/json.hpp"
#include "../types/text.hpp"
#include "../workload.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace json {
// The classes below hold simdjson's parsers, so they are in a namespace for each kind of processor, as simdjson's are.
inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

// Pulls records out of JSON Lines. The JSON and the texts must outlive the reader. A record is valid until the next
// call, a copy of it as long as the texts.
template <class Records, class Record> class record_reader {
public:
    record_reader(text_view text, texts& kept, const options& options = {})
        : from_(text, kept), problems_(text, options) {}
    record_reader(const record_reader&) = delete;
    record_reader& operator=(const record_reader&) = delete;

    // The next record; null at the end and after an error.
    const Record* next() & {
        const Record* record = records_.next(from_);
        while (record == nullptr && tolerate()) record = records_.next(from_);
        return record;
    }
    using iterator = detail::record_iterator<record_reader, Record>;
    // Range-for over the records that are left. After the loop, ok() says whether an error ended it.
    [[nodiscard]] iterator begin() & { return iterator(*this, problems_, records_.record()); }
    [[nodiscard]] iterator end() const noexcept { return {}; }

    [[nodiscard]] bool ok() const noexcept { return !from_.error(); }
    [[nodiscard]] const problem& error() const& noexcept WLFMT_LIFETIMEBOUND { return from_.error(); }
    [[nodiscard]] problem error() const&& noexcept { return from_.error(); }
    // Forgets an error, to go on with the next line that begins an object. Returns false and keeps the error if there
    // is none.
    [[nodiscard]] bool skip() { return from_.skip(); }
    // How many errors options::lenient passed over: each was reported to options::on_problem, and its record is left
    // out. The other options concern texts in the formats themselves and have no effect here.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return problems_.tolerated; }
    // The byte offset in the JSON at which the last record begins. A program that finds something wrong with the record
    // passes a view of that place to explain().
    [[nodiscard]] std::uint64_t offset() const noexcept { return from_.record_offset(); }

protected:
    ~record_reader() = default;
    // Passes over an error. Returns false if there is none, or if it is not tolerated.
    bool tolerate() {
        const problem e = from_.error();
        if (!e || !problems_.options.lenient) return false;
        problems_.report(e.kind, {problems_.text + e.offset, static_cast<std::size_t>(e.length)}, e.field, e.found,
                         e.expected);
        if (!from_.skip()) from_.end();
        return true;
    }
    detail::json_records from_;
    detail::problems problems_;
    Records records_;
};

class oplog_reader : public record_reader<detail::json_operations, oplog::operation> {
public:
    using record_reader::record_reader;
};

// Reads one workload file: the header in the constructor, then layer after layer. If there are fewer layers than the
// header declares, a part may be missing: error_kind::layer_count_mismatch follows the last layer. More layers are
// read, as in a workload file. The header of another file is error_kind::text_after_layers.
class workload_reader : public record_reader<detail::json_layers, workload::layer> {
public:
    workload_reader(text_view text, texts& kept, const options& options = {}) : record_reader(text, kept, options) {
        records_.begin(from_);
        tolerate();
    }
    [[nodiscard]] const workload::header& header() const& noexcept { return records_.header(); }
    [[nodiscard]] workload::header header() const&& { return records_.header(); }
};

// Reads tables, each as a whole, because its layout depends on all of its rows.
class table_reader : public record_reader<detail::json_tables, table::profile> {
public:
    using record_reader::record_reader;
    // After an error in a row: the table with the rows before it; skip() goes on in that table. Else null. Linear in
    // the rows.
    [[nodiscard]] const table::profile* unfinished() & { return records_.unfinished(); }
};

// Read whole documents. After an error the result holds what comes before it.
[[nodiscard]] inline result<oplog::document> read_oplog(std::string_view text, texts& kept,
                                                        const options& options = {}) {
    oplog::document doc;
    oplog_reader log(text, kept, options);
    while (const oplog::operation* op = log.next()) doc.operations.push_back(*op);
    return {std::move(doc), log.error()};
}
result<oplog::document> read_oplog(std::nullptr_t, texts&, const options& = {}) = delete;

[[nodiscard]] inline result<workload::document> read_workload(std::string_view text, texts& kept,
                                                              const options& options = {}) {
    workload::document doc;
    workload_reader file(text, kept, options);
    doc.header = file.header();
    while (const workload::layer* layer = file.next()) doc.layers.push_back(*layer);
    return {std::move(doc), file.error()};
}
result<workload::document> read_workload(std::nullptr_t, texts&, const options& = {}) = delete;

[[nodiscard]] inline result<table::document> read_table(std::string_view text, texts& kept,
                                                        const options& options = {}) {
    table::document doc;
    table_reader tables(text, kept, options);
    while (const table::profile* table = tables.next()) doc.tables.push_back(*table);
    if (const table::profile* table = tables.unfinished()) doc.tables.push_back(*table);
    return {std::move(doc), tables.error()};
}
result<table::document> read_table(std::nullptr_t, texts&, const options& = {}) = delete;

}  // namespace SIMDJSON_BUILTIN_IMPLEMENTATION
}}}  // namespace wlfmt::WLFMT_ABI::json

#include "../detail/base/config_end.hpp"
#endif
