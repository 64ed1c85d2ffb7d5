// Log prefixes: reads the tables of a console log into which several ranks wrote, each line with the prefix that their
// launcher gave it, `[rank0]: `.
#include <iostream>
#include <string_view>

#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

int main(int count, char** arguments) {
    if (count != 2) return std::cerr << "usage: log_prefixes FILE\n", 2;
    const wlfmt::text_file file(arguments[1]);
    if (!file.ok()) return std::cerr << wlfmt::explain(file.error(), {}, wlfmt::in_file(arguments[1])), 2;

    // Each rank's table is read by its prefix: lines of other ranks in between are then foreign text.
    for (const std::string_view prefix : wlfmt::find_prefixes(file.text())) {
        wlfmt::options options;
        options.prefix = prefix;
        wlfmt::table::reader tables(file.text(), options);
        while (tables.next_table()) {
            for (const auto& row : tables)
                std::cout << '"' << prefix << "\" " << row.find("Name").text() << ": "
                          << row.find("Self CPU").value_or(0.0) << " us\n";
        }
        if (!tables.ok())
            return std::cerr << wlfmt::explain(tables.error(), file.text(), wlfmt::in_file(arguments[1])), 1;
    }
}
