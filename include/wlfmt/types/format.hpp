// wlfmt/types/format.hpp: the names of the formats, and where the rows and columns of CSV and other tables come from.
#include "../version.hpp"

#ifndef WLFMT_TYPES_FORMAT_HPP
#define WLFMT_TYPES_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

enum class file_format : std::uint8_t { unknown, oplog, workload, table };

// "unknown", "oplog", "workload", "table". Static storage.
[[nodiscard]] inline std::string_view name_of(file_format f) noexcept {
    constexpr const char* names[] = {"unknown", "oplog", "workload", "table"};
    const auto n = static_cast<std::size_t>(f);
    return names[n < sizeof names / sizeof *names ? n : 0];
}

// A column of the rows that CSV, Arrow and Python give. Static storage.
struct column_info {
    text_view name;
    text_view unit;     // "ms", "bytes", ...; empty if it has no unit
    text_view meaning;  // what it holds, in a few words
};

}}  // namespace wlfmt::WLFMT_ABI

namespace wlfmt { inline namespace WLFMT_ABI { namespace csv {

// Where a row comes from.
struct origin {
    text_view file = {};         // if it is missing (without data), there is no column `file`
    std::uint64_t position = 0;  // the position of the operation, layer or row in its file or table
    std::uint64_t table = 0;     // the position of the row's table in its file
    bool is_copy = false;        // the operation has the time of the operation before it (csv::copies)
};

struct options {
    // Texts that a spreadsheet takes for formulas, as they begin with `=`, `+`, `-`, `@`, a tab or a carriage return,
    // get an apostrophe before them, and so do those that begin with one: `=cmd|...` in the name of an operation is
    // then shown and not run. Numbers stay as they are. A program takes one apostrophe off each text that has one.
    bool no_formulas = false;
};
using style [[deprecated("it is named options")]] = options;

}}}  // namespace wlfmt::WLFMT_ABI::csv

#include "../detail/base/config_end.hpp"
#endif
