// wlfmt/types/csv.hpp: what describes a column of rows, where the rows of CSV come from, and how they are written.
#include "../version.hpp"

#ifndef WLFMT_TYPES_CSV_HPP
#define WLFMT_TYPES_CSV_HPP

#include <cstdint>

#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

// A column of the rows that CSV, Arrow and Python produce. Static storage.
struct column_info {
    text_view name;
    text_view unit;     // "ms", "bytes", ...; empty if it has no unit
    text_view meaning;  // what it holds, in a few words
};

namespace csv {

struct origin {
    text_view file = {};         // if it is missing (without data), there is no column `file`
    std::uint64_t position = 0;  // the position of the operation, layer or row in its file or table
    std::uint64_t table = 0;     // the position of the row's table in its file
    bool is_copy = false;        // the operation has the time of the operation before it (csv::copies)
};

struct options {
    // Texts that a spreadsheet takes for formulas, as they begin with `=`, `+`, `-`, `@`, a tab or a carriage return,
    // get an apostrophe before them, as do those that begin with an apostrophe: `=cmd|...` in the name of an operation
    // is then shown, not computed. Numbers stay as they are. Readers of the CSV must take one apostrophe off such
    // texts.
    bool no_formulas = false;
};

}  // namespace csv
}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
