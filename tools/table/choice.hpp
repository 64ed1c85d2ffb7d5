// Finds out which table of a file is meant: `FILE:2` is the second one.
#ifndef WLFMT_TOOLS_TABLE_CHOICE_HPP
#define WLFMT_TOOLS_TABLE_CHOICE_HPP

#include <filesystem>
#include <optional>

#include <wlfmt/number.hpp>
#include <wlfmt/table.hpp>

namespace tool {

struct table_choice {
    std::string path;
    std::optional<std::size_t> number;  // counted from 1; without one, all tables
};

// Takes a name that is not a file's, but ends with a colon and a number, for that table of the file before the colon.
inline table_choice choice_of(std::string_view name) {
    const auto exists = [](std::string_view path) {
        std::error_code failed;
        return path == "-" || std::filesystem::exists(std::filesystem::path(path), failed);
    };
    const std::size_t colon = name.rfind(':');
    if (colon == std::string_view::npos || exists(name) || !exists(name.substr(0, colon)))
        return {std::string(name), {}};
    std::size_t number = 0;
    for (const char c : name.substr(colon + 1)) {
        if (c < '0' || c > '9' || number > 1000000) return {std::string(name), {}};
        number = 10 * number + static_cast<std::size_t>(c - '0');
    }
    return {std::string(name.substr(0, colon)), number};
}

// The lines of a table, up to the next table; no data if there is no such table. `number`: its position, counted from
// 1, among the tables that are read with these options. It is reduced by the number of tables found.
inline std::string_view lines_of_table(std::string_view text, wlfmt::options options, std::size_t& number) {
    options.lenient = true;
    options.on_problem = nullptr;
    wlfmt::table::reader tables(text, options);
    while (number != 0 && tables.next_table()) {
        if (--number != 0) continue;
        const auto line_of = [&](std::uint64_t offset) {
            const std::size_t end = text.rfind('\n', static_cast<std::size_t>(offset));
            return end == std::string_view::npos ? 0 : end + 1;
        };
        const std::size_t begin = tables.table_offset() == 0 ? 0 : line_of(tables.table_offset() - 1);
        const std::size_t end = tables.next_table() ? line_of(tables.table_offset() - 1) : text.size();
        return text.substr(begin, end - begin);
    }
    return {};
}

}  // namespace tool

#endif
