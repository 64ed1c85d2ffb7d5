// The prefixes with which the tables of a text begin, for a program that prints each rank's. Not part of table.hpp, as
// it needs more of the standard library.
#ifndef WLFMT_DETAIL_TABLE_PREFIXES_HPP
#define WLFMT_DETAIL_TABLE_PREFIXES_HPP

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../../table.hpp"
#include "../core/prefix.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// A prefix in which every number of a time is 0: equal for the lines that options::prefix takes for the same.
template <class Kernel = kernel>
inline std::string timeless_prefix(std::string_view prefix) {
    std::string same;
    for (std::size_t n = 0; n != prefix.size();) {
        const std::size_t end = is_digit(prefix[n]) ? end_of_time(prefix, n) : n;
        if (end == n) same += prefix[n++];
        for (; n < end; ++n)
            if (!is_digit(prefix[n]))
                same += prefix[n];
            else if (same.empty() || same.back() != '0')
                same += '0';
    }
    return same;
}

// Each prefix once, in the text's order; an empty one for tables that have none.
template <class Kernel = kernel>
inline std::vector<std::string_view> find_table_prefixes(std::string_view text) {
    std::vector<std::string_view> prefixes;
    std::set<std::string> known;
    options how;
    how.prefix = any_prefix;
    how.lenient = true;
    for (;;) {
        table::reader tables(text, how);
        if (!tables.next_table()) return prefixes;
        if (known.insert(timeless_prefix(tables.prefix())).second) prefixes.push_back(tables.prefix());
        // Another rank's table may begin between the lines of this one.
        const char* const after = find_far(text.data() + tables.table_offset(), text.data() + text.size(), '\n');
        text = view(after, text.data() + text.size());
    }
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"
#endif
