// The function WLFMT_FUZZ_READ: everything that the readers find in a text, as texts, in the way for which this file is
// compiled.
#include "../check.hpp"
#include "../dump.hpp"

#include <wlfmt/json.hpp>

#include "reading.hpp"

namespace fuzz {
namespace {

namespace oplog = wlfmt::oplog;
namespace table = wlfmt::table;
namespace workload = wlfmt::workload;
using oplog::fields;

// Where a view lies in the text.
void put_place(std::string& to, std::string_view v, std::string_view text) {
    if (v.data() == nullptr) {
        to += " nowhere";
        return;
    }
    check(is_inside(v, text), "a view lies in the text", v);
    to.append(" at ").append(std::to_string(v.data() - text.data())).append("+").append(std::to_string(v.size()));
}
void put_error(std::string& to, const wlfmt::problem& e) {
    to.append("\n").append(name_of(e.kind)).append(" ").append(e.field);
    for (const std::uint64_t n : {e.offset, e.length}) to.append(" ").append(std::to_string(n));
    for (const std::int64_t n : {e.found, e.expected}) to.append(" ").append(std::to_string(n));
}
void put_errors(std::string& to, const std::vector<wlfmt::problem>& errors) {
    for (const wlfmt::problem& e : errors) put_error(to, e);
}

wlfmt::options options_of(unsigned option_bits, bool lenient, std::vector<wlfmt::problem>& tolerated) {
    wlfmt::options options = options_of((option_bits & 5) | (lenient ? 2 : 0), tolerated);
    if ((option_bits & 8) != 0) options.prefix = wlfmt::any_prefix;
    if ((option_bits & 16) != 0) options.prefix = "[rank0]: ";
    return options;
}

// A record with its place, the offset of the reader, and the number of problems that it has reported.
template <class Reader, class Record>
void put_record(std::string& to, const Reader& reader, const Record& r, std::string_view text) {
    to.append("\n").append(dump(r));
    put_place(to, r.source, text);
    for (const std::uint64_t n : {reader.offset(), reader.tolerated()}) to.append(" ").append(std::to_string(n));
}

// Reads records until the text ends, past every error.
template <class Reader, class Use> void read_all(std::string& to, Reader& reader, Use use) {
    for (bool more = true; more;) {
        while (const auto* r = reader.next()) use(*r);
        if (!reader.ok()) put_error(to, reader.error());
        more = reader.skip();
    }
}

// What only() decodes of each sub-operation.
template <fields Chosen> void put_chosen(reading& to, const oplog::operation& op) {
    for (const oplog::sub_operation& s : op.sub_operations.only<Chosen>()) {
        oplog::sub_operation chosen;
        chosen.quote = s.quote;
        chosen.damaged = s.damaged;
        const auto take = [&](fields f, auto member) {
            if (has(Chosen, f)) chosen.*member = s.*member;
        };
        take(fields::trace_src_func, &oplog::sub_operation::trace_src_func);
        take(fields::duration, &oplog::sub_operation::duration);
        take(fields::timestamp, &oplog::sub_operation::timestamp);
        take(fields::input_shape, &oplog::sub_operation::input_shape);
        take(fields::input_dtype, &oplog::sub_operation::input_dtype);
        take(fields::func_name, &oplog::sub_operation::func_name);
        take(fields::group, &oplog::sub_operation::group);
        take(fields::comm_func, &oplog::sub_operation::comm_func);
        to.chosen_exactly.append("\n").append(dump_members(chosen));
        // Of several comm_func a fast path may show another one, even one in a list within the string.
        const std::string_view key = "comm_func=";
        const bool several = s.source.find(key) != s.source.rfind(key);
        if (several || s.source.find("sub_operations=") != s.source.npos) chosen.comm_func = {};
        // A path that does not look at the fields before the last one does not see that the string needs a quote.
        chosen.quote = 0;
        to.chosen.append("\n").append(dump_members(chosen));
    }
}
void read_chosen(reading& to, std::string_view text, unsigned option_bits) {
    // Lenient reading has reported all problems before a selection is walked.
    std::vector<wlfmt::problem> tolerated;
    oplog::reader log(text, options_of(option_bits, true, tolerated));
    read_all(to.chosen, log, [&](const oplog::operation& op) {
        put_chosen<fields::none>(to, op);
        put_chosen<fields::duration>(to, op);
        put_chosen<fields::duration | fields::comm_func>(to, op);
        put_chosen<fields::comm_func>(to, op);
        put_chosen<fields::trace_src_func | fields::timestamp | fields::input_dtype>(to, op);
        put_chosen<fields::input_shape | fields::func_name | fields::group>(to, op);
    });
    oplog::reader strict(text, options_of(option_bits, false, tolerated));
    read_all(to.chosen_exactly, strict,
             [&](const oplog::operation& op) { put_chosen<fields::duration | fields::comm_func>(to, op); });
}

void put_places(std::string& to, const oplog::operation& op, std::string_view text) {
    for (const std::string_view name :
         {"rank", "stage_id", "mg_state", "duration", "description", "input__shape", "timestamp", "sub_operations"})
        put_place(to, where(op, name), text);
    for (const oplog::sub_operation& s : op.sub_operations)
        for (const std::string_view name : {"trace_src_func", "duration", "input__shape", "comm_func"})
            put_place(to, where(s, name), text);
}
void put_places(std::string& to, const workload::layer& l, std::string_view text) {
    for (const std::string_view name : {"name", "forward.compute", "input_grad.comm", "weight_grad.bytes", "update",
                                        "policy", "further", "target_model_sha256"})
        put_place(to, where(l, name), text);
}

// Lenient reading finds the places of fields as the usual one does.
void read_oplog(std::string& to, std::string_view text, const wlfmt::options& options) {
    oplog::reader log(text, options);
    read_all(to, log, [&](const oplog::operation& op) {
        put_record(to, log, op, text);
        if (!options.lenient) put_places(to, op, text);
    });
    to.append("\nforeign ").append(std::to_string(log.foreign_lines()));
}
void read_workload(std::string& to, std::string_view text, const wlfmt::options& options) {
    workload::reader file(text, options);
    to.append("\n").append(dump(file.header()));
    put_place(to, file.header().source, text);
    read_all(to, file, [&](const workload::layer& l) {
        put_record(to, file, l, text);
        if (!options.lenient) put_places(to, l, text);
    });
}
void read_tables(std::string& to, std::string_view text, const wlfmt::options& options) {
    table::reader tables(text, options);
    for (bool more = true; more;) {
        while (tables.next_table()) {
            to.append("\n").append(dump_head(tables.titles(), tables.columns()));
            to.append(" at ").append(std::to_string(tables.table_offset()));
            to.append(" after ").append(tables.prefix());
            read_all(to, tables, [&](const table::row& r) {
                put_record(to, tables, r, text);
                if (options.lenient) return;
                for (const table::column& c : tables.columns()) put_place(to, where(r, c.name), text);
            });
            to.append("\n").append(dump_totals(tables.totals()));
        }
        if (!tables.ok()) put_error(to, tables.error());
        more = tables.skip();
    }
}

std::string read_records(std::string_view text, unsigned option_bits, bool lenient) {
    std::string to;
    std::vector<wlfmt::problem> tolerated;
    const wlfmt::options options = options_of(option_bits, lenient, tolerated);
    read_oplog(to, text, options);
    read_workload(to, text, options);
    read_tables(to, text, options);
    put_errors(to, tolerated);
    return to;
}

template <class Document, class Read>
void read_document(std::string& to, std::string_view text, unsigned option_bits, Read read) {
    std::vector<wlfmt::problem> tolerated;
    const wlfmt::result<Document> doc = read(text, options_of(option_bits, (option_bits & 2) != 0, tolerated));
    for (const std::string& one : dump_all(*doc)) to.append("\n").append(one);
    put_errors(to, tolerated);
    put_error(to, doc.error());
    to += '\n';
    put_error(to, write(to, *doc));
    write_unchecked(to, *doc);
    put_error(to, wlfmt::json::write(to, *doc));
}

}  // namespace

reading WLFMT_FUZZ_READ(std::string_view text, unsigned option_bits) {
    reading to;
    to.format = name_of(wlfmt::detect(text));
    put_place(to.format, wlfmt::find_prefix(text), text);
    to.usual = read_records(text, option_bits, false);
    to.lenient = read_records(text, option_bits, true);
    read_document<oplog::document>(to.written, text, option_bits, [](auto... a) { return oplog::read(a...); });
    read_document<workload::document>(to.written, text, option_bits, [](auto... a) { return workload::read(a...); });
    read_document<table::document>(to.written, text, option_bits, [](auto... a) { return table::read(a...); });
    read_chosen(to, text, option_bits);
    return to;
}

}  // namespace fuzz
