// Everything that the readers find in a text, as one text: the function WLFMT_FUZZ_READ, under the kernel for which
// this file is compiled.
#include "../check.hpp"
#include "../dump.hpp"

#include <wlfmt/json.hpp>

namespace fuzz {
namespace {

void put(std::string& to, const std::vector<wlfmt::error>& errors) {
    for (const wlfmt::error& e : errors) {
        to.append("\n").append(name_of(e.kind)).append(" ").append(e.field);
        for (const std::uint64_t n : {e.offset, e.length}) to.append(" ").append(std::to_string(n));
        for (const std::int64_t n : {e.found, e.expected}) to.append(" ").append(std::to_string(n));
    }
}

template <class Document, class Read>
void read_with(std::string& to, std::string_view text, unsigned option_bits, Read read) {
    std::vector<wlfmt::error> errors;
    const wlfmt::result<Document> doc = read(text, options_of(option_bits & 3, errors));
    for (const std::string& one : dump_all(*doc)) to.append("\n").append(one);
    if (!doc) errors.push_back(doc.error());
    put(to, errors);
    to.append(name_of(write(to, *doc).kind));
    write_unchecked(to, *doc);
    to.append(name_of(wlfmt::json::write(to, *doc).kind));
}

// The same with a pull reader, which goes on after every error.
void read_on(std::string& to, std::string_view text, unsigned option_bits) {
    std::vector<wlfmt::error> errors;
    const wlfmt::options how = options_of(option_bits & 3, errors);
    wlfmt::oplog::reader log(text, how);
    for (bool more = true; more;) {
        while (const auto* op = log.next()) to.append("\n").append(dump(*op));
        if (!log.ok()) errors.push_back(log.error());
        more = log.skip();
    }
    wlfmt::workload::reader file(text, how);
    for (bool more = true; more;) {
        while (const auto* l = file.next()) to.append("\n").append(dump(*l));
        if (!file.ok()) errors.push_back(file.error());
        more = file.skip();
    }
    wlfmt::table::reader tables(text, how);
    for (bool more = true; more;) {
        while (tables.next_table()) {
            for (bool rows = true; rows;) {
                while (const auto* r = tables.next()) to.append("\n").append(dump(*r));
                if (!tables.ok()) errors.push_back(tables.error());
                rows = tables.skip();
            }
        }
        if (!tables.ok()) errors.push_back(tables.error());
        more = tables.skip();
    }
    put(to, errors);
}

}  // namespace
}  // namespace fuzz

std::string WLFMT_FUZZ_READ(std::string_view text, unsigned option_bits);
std::string WLFMT_FUZZ_READ(std::string_view text, unsigned option_bits) {
    std::string to(name_of(wlfmt::detect(text)));
    using namespace fuzz;
    read_with<wlfmt::oplog::document>(to, text, option_bits, [](auto... a) { return wlfmt::oplog::read(a...); });
    read_with<wlfmt::workload::document>(to, text, option_bits, [](auto... a) { return wlfmt::workload::read(a...); });
    read_with<wlfmt::table::document>(to, text, option_bits, [](auto... a) { return wlfmt::table::read(a...); });
    read_on(to, text, option_bits);
    return to;
}
