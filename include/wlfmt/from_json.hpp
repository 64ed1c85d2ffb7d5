// wlfmt/from_json.hpp: the interchange form read back into records of the three formats. Not included by wlfmt.hpp, and
// not by json.hpp, which writes the form: reading needs simdjson (its header, and its library to link with).
//
//     wlfmt::json::texts kept;                            // owns what the records show
//     wlfmt::json::oplog_reader log(json, kept);
//     while (const auto* op = log.next()) use(*op);
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), json, "rank7.jsonl");
//
// The form is specified in docs/formats.md, section 4; docs/interchange.schema.json is its schema. One object after the
// other, each on a line of its own or over several lines, members in any order. Integers are exact to 64 bits and stay
// integers, `8.0` stays a decimal. A number beyond 64 bits is kept as a text where the format's own reader keeps it.
//
// The form carries values, not the layout of the text that they come from: write() gives what was read here its
// format's own. The separator of records of a plan is ", ", all others have ","; header entries have their colon;
// tables have the widths and the units of today's PyTorch (`KB`), a missing percent is NaN, missing FLOPs are `--`. A
// number that would lose digits in that form has all of them in the base unit of its column: `3821.335us`. No text is
// cut: a column with a text that is longer than PyTorch's limit is that much wider.
//
// Errors are those of error.hpp, with the place in the JSON: error_kind::not_json, wrong_type, missing_member,
// unknown_member, duplicate_key, number_overflow, not_an_integer. error::field is the path of the value within its
// object: "sub_operations[3].duration". Whether a record can be written is for write() to say: a JSON string may hold
// what no text of the format can.
#include "version.hpp"

#ifndef WLFMT_FROM_JSON_HPP
#define WLFMT_FROM_JSON_HPP

#if defined(__has_include)
#if !__has_include(<simdjson.h>)
#error "wlfmt/from_json.hpp needs simdjson: Debian's libsimdjson-dev, or https://simdjson.org"
#endif
#endif
#include <simdjson.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "detail/base/temporary.hpp"
#include "detail/json/operation.hpp"
#include "detail/json/table.hpp"
#include "detail/json/workload.hpp"
#include "error.hpp"
#include "oplog.hpp"
#include "table.hpp"
#include "types/json.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace json {
inline namespace WLFMT_IMPL {
// simdjson has a namespace for each kind of processor; so have the classes that hold its parsers.
inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

// What the three readers share. The JSON and the texts must outlive the reader.
class record_reader {
public:
    record_reader(const record_reader&) = delete;
    record_reader& operator=(const record_reader&) = delete;

    [[nodiscard]] bool ok() const noexcept { return !from_.error(); }
    [[nodiscard]] const struct error& error() const noexcept { return from_.error(); }
    // After an error: forgets it and goes on with the next line that begins an object. If there is no such line,
    // returns false and keeps the error.
    [[nodiscard]] bool skip() { return from_.skip(); }
    // The byte offset in the JSON at which the record that was read last begins. A program that finds something wrong
    // with the record passes a view of that place to explain().
    [[nodiscard]] std::uint64_t offset() const noexcept { return from_.record_offset(); }

protected:
    record_reader(std::string_view text, texts& kept) : from_(text, kept) {}
    ~record_reader() = default;
    detail::json_records from_;
};

// Pulls operations out of JSON Lines. A record is valid until the next call, a copy of it as long as the texts.
class oplog_reader : public record_reader {
public:
    oplog_reader(std::string_view text, texts& kept) : record_reader(text, kept) {}
    template <class S, detail::if_temporary_text<S> = 0>
    oplog_reader(S&&, texts&) = delete;
    // Null at the end and after an error.
    const oplog::operation* next() { return operations_.next(from_); }

private:
    detail::json_operations operations_;
};

// Pulls the header, then layer after layer, out of JSON Lines: of one workload file. Fewer layers than the header
// declares are error_kind::layer_count_mismatch after the last one, as a part of them may be missing; where that is not
// so the error can be passed over, as write() sets the number right. The header of another file is
// error_kind::text_after_layers.
class workload_reader : public record_reader {
public:
    // Reads the header.
    workload_reader(std::string_view text, texts& kept) : record_reader(text, kept) { layers_.begin(from_); }
    template <class S, detail::if_temporary_text<S> = 0>
    workload_reader(S&&, texts&) = delete;
    [[nodiscard]] const workload::header& header() const& noexcept { return layers_.header(); }
    // Null at the end and after an error.
    const workload::layer* next() { return layers_.next(from_); }

private:
    detail::json_layers layers_;
};

// Pulls tables out of JSON Lines, one after the other and each as a whole, as its rows decide its layout.
class table_reader : public record_reader {
public:
    table_reader(std::string_view text, texts& kept) : record_reader(text, kept) {}
    template <class S, detail::if_temporary_text<S> = 0>
    table_reader(S&&, texts&) = delete;
    // Null at the end and after an error. After an error in a row, unfinished() is the part of its table that was read.
    // The table is valid until the next call, a copy of it as long as the texts.
    const table::summary* next() { return tables_.next(from_); }
    // After an error in a row: the rows of its table that were read before it; skip() goes on in the same table. Null
    // after any other error. Linear in the rows.
    [[nodiscard]] const table::summary* unfinished() { return tables_.unfinished(); }

private:
    detail::json_tables tables_;
};

// Read whole documents. After an error the result holds what was read before it.
[[nodiscard]] inline result<oplog::document> read_oplog(std::string_view text, texts& kept) {
    oplog::document doc;
    oplog_reader log(text, kept);
    while (const oplog::operation* op = log.next()) doc.operations.push_back(*op);
    return {std::move(doc), log.error(), log.ok()};
}

[[nodiscard]] inline result<workload::document> read_workload(std::string_view text, texts& kept) {
    workload::document doc;
    workload_reader file(text, kept);
    doc.header() = file.header();
    while (const workload::layer* one = file.next()) doc.layers.push_back(*one);
    return {std::move(doc), file.error(), file.ok()};
}

[[nodiscard]] inline result<table::document> read_table(std::string_view text, texts& kept) {
    table::document doc;
    table_reader tables(text, kept);
    while (const table::summary* one = tables.next()) doc.tables.push_back(*one);
    if (const table::summary* one = tables.unfinished()) doc.tables.push_back(*one);
    return {std::move(doc), tables.error(), tables.ok()};
}

}  // namespace SIMDJSON_BUILTIN_IMPLEMENTATION
}  // namespace WLFMT_IMPL
}  // namespace json
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
