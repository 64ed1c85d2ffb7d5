// wlfmt/types/csv.hpp: where the rows of CSV come from, and how they are written. wlfmt/csv.hpp writes them.
#include "../version.hpp"

#ifndef WLFMT_TYPES_CSV_HPP
#define WLFMT_TYPES_CSV_HPP

#include <cstdint>
#include <string_view>

#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace csv {

// Where a row comes from.
struct origin {
    text file = {};              // empty without data: there is no such column
    std::uint64_t position = 0;  // of the operation, layer or row in its file or table
    std::uint64_t table = 0;     // of a table in its file
};

struct style {
    // Texts that a spreadsheet takes for formulas, as they begin with `=`, `+`, `-`, `@`, a tab or a carriage return,
    // get an apostrophe before them, and so do those that begin with one: `=cmd|...` in the name of an operation is
    // then shown and not run. Numbers stay as they are. A program takes one apostrophe off each text that has one.
    bool no_formulas = false;
};

}  // namespace csv
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../detail/base/config_end.hpp"
#endif
