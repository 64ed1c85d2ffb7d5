// Recognises the remains of a table in a text that holds no table as PyTorch prints it.
#ifndef WLFMT_DETAIL_TABLE_RUIN_HPP
#define WLFMT_DETAIL_TABLE_RUIN_HPP

#include <cstddef>
#include <string_view>

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Describes the remains; empty if there are none.
inline std::string_view ruined_table(std::string_view text) noexcept {
    bool total = false;
    bool rule = false;
    bool time = false;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const auto has = [&](std::string_view s) { return line.find(s) != std::string_view::npos; };
        if (has("Name") && (has("Calls") || has("Self CPU") || has("CPU total"))) {
            if (has("|")) return "a profiler table as Markdown, with `|` between its cells";
            if (!has("  ")) return "a profiler table whose blanks between the cells were collapsed";
        }
        total = total || has(" time total: ");
        rule = rule || has("---  ---");
        time = time || has("us  ") || has("ms  ");
    }
    return total || (rule && time) ? "a piece of a profiler table without its header" : std::string_view();
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
