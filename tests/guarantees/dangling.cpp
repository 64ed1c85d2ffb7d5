// Programs in which something outlives what it shows. They compile, and Clang warns of each line that ends with
// `// warned`, and of no other (dangling.sh).
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/file.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/wlfmt.hpp>

using namespace wlfmt;
// clang-format off

std::string load();

// A text that ends with the function.
namespace text_is_gone {
auto read_log() { std::string t = load(); return oplog::read(t); }  // warned
auto read_workload() { std::string t = load(); return workload::read(t); }  // warned
auto read_table() { std::string t = load(); return table::read(t); }  // warned
auto log_reader() { std::string t = load(); return oplog::reader(t); }  // warned
auto workload_reader() { std::string t = load(); return workload::reader(t); }  // warned
auto table_reader() { std::string t = load(); return table::reader(t); }  // warned
number to_a_number() { std::string t = load(); return to_number(t); }  // warned
number as_number() { std::string t = load(); return number(t); }  // warned
value as_value() { std::string t = load(); return value(t, number(1)); }  // warned
oplog::shape as_shape() { std::string t = load(); return oplog::shape(t); }  // warned
oplog::operation by_hand() { std::string t = load(); return oplog::operation::traced(7, t); }  // warned
oplog::attribute_list attributes() { std::string t = load(); return oplog::attribute_list::from_text(t); }  // warned
workload::entry_list entries() { std::string t = load(); return workload::entry_list::from_text(t); }  // warned
table::frame_list frames() { std::string t = load(); return table::frame_list::from_text(t); }  // warned
table::column column() { std::string t = load(); return table::column(t); }  // warned
table::cell cell() { std::string t = load(); return table::cell(t); }  // warned
table::column_meaning meaning() { std::string t = load(); return table::meaning_of(t); }  // warned
std::vector<piece> pieces() { std::string t = load(); return oplog::pieces(t, 4); }  // warned
piece piece_of_log() { std::string t = load(); return oplog::piece_of(t, {}); }  // warned
std::string_view prefix() { std::string t = load(); return find_prefix(t); }  // warned
location place() { std::string t = load(); return location_of(t, 3); }  // warned
oplog::file_facts facts() { std::string path = load(); return oplog::facts_of(path); }  // warned
std::string_view decoded(std::string_view t) { char buffer[100]; return oplog::unescape(t, buffer); }  // warned
}

// An object that ends with the function, and of which a reference, pointer, range or iterator is handed out.
namespace object_is_gone {
const oplog::operation* record(std::string_view t) { oplog::reader log(t); return log.next(); }  // warned
auto first(std::string_view t) { oplog::reader log(t); return log.begin(); }  // warned
const workload::header& header(std::string_view t) { workload::reader file(t); return file.header(); }  // warned
const item_list<table::column>& columns(std::string_view t) { table::reader r(t); return r.columns(); }  // warned
const item_list<table::total>& totals(std::string_view t) { table::reader r(t); return r.totals(); }  // warned
const problem& of_a_reader(std::string_view t) { oplog::reader log(t); return log.error(); }  // warned
const problem& of_a_result(std::string_view t) { auto doc = oplog::read(t); return doc.error(); }  // warned
const oplog::document& document(std::string_view t) { auto doc = oplog::read(t); return *doc; }  // warned
const oplog::document& value_of(std::string_view t) { auto doc = oplog::read(t); return doc.partial(); }  // warned
workload::layer* layer(std::string_view t) { auto file = workload::read(t); return file->find("mlp"); }  // warned
std::string_view bytes() { text_file file("x"); return file.text(); }  // warned
std::string_view bytes_of_document() { auto file = oplog::read_file("x"); return file.text(); }  // warned
const oplog::document& document_of_file() { auto file = oplog::read_file("x"); return *file; }  // warned
const table::cell& cell(const table::profile& p) { auto row = p.row(3); return row[1]; }  // warned
table::cell* changed(table::profile p) { return p.edit_cell(0, "Name"); }  // warned
table::cell* changed_total(table::profile p) { return p.edit_total("all"); }  // warned
auto rows(table::profile p) { return p.rows(); }  // warned
const table::cell* cells(table::row r) { return r.cells.begin(); }  // warned
const number& value_in(table::cell c) { return c.value(); }  // warned
std::string_view text_of(const oplog::operation& op) { auto t = op.find("x").text(); return t.view(); }  // warned
const std::int64_t* integers() { oplog::shape s = {1, 2}; return s.dims(); }  // warned
std::vector<workload::entry>& edited(workload::entry_list l) { return l.edit(); }  // warned
std::vector<oplog::attribute>& edited(oplog::attribute_list l) { return l.edit(); }  // warned
std::vector<oplog::sub_operation>& edited(oplog::sub_operation_list l) { return l.edit(); }  // warned
const oplog::document& kept() { oplog::kept_operations k; return k.operations(); }  // warned
const oplog::sub_operation& item(const oplog::sub_operation_list& l) { auto i = l.begin(); return *i; }  // warned
}

// Objects that end too early in ways of which no compiler can warn: docs/guarantees.md says so.
namespace unseen {
const workload::layer& layer(std::string_view t) { auto file = workload::read(t); return file->layers[0]; }
std::string_view assigned(std::string_view kept) { text_file file("x"); kept = file.text(); return kept; }
std::vector<oplog::sub_operation> lent(std::string_view first, std::string_view second) {
    oplog::stream log;
    std::vector<oplog::sub_operation> kept;
    for (const std::string_view chunk : {first, second}) {
        log.feed(chunk);
        while (const auto op = log.next())
            for (const auto& nested : op->sub_operations) kept.push_back(nested);
    }
    return kept;
}
}

// What may outlive what it came from, as long as the text lives.
namespace safe {
auto read(std::string_view t) { return oplog::read(t); }
oplog::operation record(std::string_view t) { oplog::reader log(t); return *log.next(); }
oplog::document document(std::string_view t) { auto doc = oplog::read(t); return *doc; }
oplog::document moved(std::string_view t) { auto doc = oplog::read(t); return std::move(*doc); }
auto list(std::string_view t) { oplog::reader log(t); return log.next()->sub_operations; }
auto walk(std::string_view t) { oplog::reader log(t); return log.next()->sub_operations.begin(); }
number duration(std::string_view t) { oplog::reader log(t); return log.next()->duration; }
number item(const oplog::operation& op) { auto i = op.sub_operations.begin(); return i->duration; }
problem copied_problem(std::string_view t) { oplog::reader log(t); return log.error(); }
value found(std::string_view t) { auto file = workload::read(t); return file->header.find("pp"); }
table::row row(std::string_view t) { table::reader r(t); return *r.next(); }
item_list<table::column> columns(std::string_view t) { table::reader r(t); return r.columns(); }
table::cell cell(const table::profile& p) { auto row = p.row(3); return row[1]; }
auto rows(std::string_view t) { return table::read(t).partial().tables[0].row(3); }
auto of_file() { auto file = oplog::read_file("x"); return file; }
std::string copied(std::string_view t) { auto doc = oplog::read(t); return std::string(doc->operations[0].op); }
oplog::operation by_hand() { return oplog::operation::traced(7, "forward_step"); }
text_view literal() { static const char t[] = "x"; return t; }
}
