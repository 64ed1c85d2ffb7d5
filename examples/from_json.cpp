// The interchange form, as `wlfmt json` prints it and other tools change it, back into an op log.
// Needs simdjson: g++ -std=c++17 -O2 -Iinclude examples/from_json.cpp -o from_json -lsimdjson
#include <iostream>
#include <wlfmt/file.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/wlfmt.hpp>

int main(int count, char** arguments) {
    if (count != 2) return std::cerr << "usage: from_json FILE\n", 2;
    const wlfmt::text_file file(arguments[1]);
    if (!file.ok()) return std::cerr << wlfmt::explain(file.error(), {}, wlfmt::in_file(arguments[1])), 2;

    wlfmt::json::texts kept;  // owns the texts of the records
    wlfmt::json::oplog_reader log(file.text(), kept);
    while (const auto* op = log.next()) {
        // A JSON string may hold what no line of an op log can: that is refused.
        if (const auto e = wlfmt::oplog::write(std::cout, *op))
            return std::cerr << wlfmt::explain(e, file.text(), wlfmt::in_file(arguments[1])), 1;
    }
    if (!log.ok()) return std::cerr << wlfmt::explain(log.error(), file.text(), wlfmt::in_file(arguments[1])), 1;
}
