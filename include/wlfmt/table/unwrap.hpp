// wlfmt/table/unwrap.hpp: the text of profiler tables that a terminal wrapped, with its lines joined again. Not
// included by wlfmt.hpp.
//
//     const wlfmt::table::unwrapped joined = wlfmt::table::unwrap(text);
//     if (joined.width != 0) std::cerr << message(joined) << '\n';
//     const auto tables = wlfmt::table::read(joined.width != 0 ? joined.text : text);
#include "../version.hpp"

#ifndef WLFMT_TABLE_UNWRAP_HPP
#define WLFMT_TABLE_UNWRAP_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "../detail/table/wrapped.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace table {

struct unwrapped {
    std::string text;       // empty if nothing was wrapped
    std::size_t width = 0;  // the number of characters at which lines were wrapped; 0 if nothing was wrapped
};

// Joins the lines of tables that were wrapped at one width, or after the last blank that fits into it, if the joined
// lines form a table. Other text stays as it is. If nothing is wrapped, this takes little longer than looking for
// rules. Throws only std::bad_alloc.
[[nodiscard]] inline unwrapped unwrap(std::string_view text) {
    unwrapped result;
    if (!detail::may_be_wrapped(text)) return result;
    detail::wrapped_lines lines(text);
    result.text = lines.joined();
    result.width = lines.width();
    return result;
}
unwrapped unwrap(std::nullptr_t) = delete;

// The message for a program to print when it reads a wrapped table.
[[nodiscard]] inline std::string message(const unwrapped& joined) {
    std::string words = "its table was wrapped at ";
    words += std::to_string(joined.width);
    words += " columns, and is read with its lines joined; a wider terminal prints it whole";
    return words;
}

}}}  // namespace wlfmt::WLFMT_ABI::table

#include "../detail/base/config_end.hpp"
#endif
