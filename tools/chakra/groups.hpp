// The file of groups that ASTRA-sim reads: {"1":[0,1],...}.
#ifndef WLFMT_TOOLS_CHAKRA_GROUPS_HPP
#define WLFMT_TOOLS_CHAKRA_GROUPS_HPP

#include <wlfmt/number.hpp>

#include "../general/text.hpp"
#include "../output/output.hpp"

namespace tool {

inline void take_blanks(std::string_view& text) noexcept {
    text.remove_prefix((std::min)(text.find_first_not_of(" \t\r\n"), text.size()));
}
// Removes blanks, then the mark, if it follows. Returns whether it did.
inline bool take_mark(std::string_view& text, char mark) noexcept {
    take_blanks(text);
    if (text.empty() || text[0] != mark) return false;
    text.remove_prefix(1);
    return true;
}
// Whether a text is a list of groups: an object of JSON whose first key is a number.
inline bool lists_groups(std::string_view text) {
    return take_mark(text, '{') && take_mark(text, '"') && !text.empty() && text[0] >= '0' && text[0] <= '9';
}
// The ranks of a group; nothing if the file lacks the group.
inline std::optional<std::vector<std::int64_t>> ranks_in(std::string_view groups, std::string_view name) {
    const std::string key = joined({"\"", name, "\""});
    const std::size_t found = groups.find(key);
    if (found == std::string_view::npos) return std::nullopt;
    groups.remove_prefix(found + key.size());
    if (!take_mark(groups, ':') || !take_mark(groups, '[')) return std::nullopt;
    std::string_view list = take_until(groups, ']');
    std::vector<std::int64_t> ranks;
    while (!list.empty()) {
        std::string_view rank = take_until(list, ',');
        take_blanks(rank);
        rank = rank.substr(0, rank.find_last_not_of(" \t\r\n") + 1);
        if (const auto n = wlfmt::to_number(rank).as<std::int64_t>()) ranks.push_back(*n);
    }
    return ranks;
}

}  // namespace tool

#endif
