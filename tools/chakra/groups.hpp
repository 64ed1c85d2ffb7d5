// The file of groups that ASTRA-sim reads: {"1":[0,1],...}.
#ifndef WLFMT_TOOLS_CHAKRA_GROUPS_HPP
#define WLFMT_TOOLS_CHAKRA_GROUPS_HPP

#include <wlfmt/number.hpp>

#include "../general/text.hpp"
#include "../output/output.hpp"

namespace tool {

// The ranks of a group; nothing if the file lacks the group.
inline std::optional<std::vector<std::int64_t>> ranks_in(std::string_view groups, std::string_view name) {
    const std::string key = joined({"\"", name, "\":["});
    const std::size_t found = groups.find(key);
    if (found == std::string_view::npos) return std::nullopt;
    groups.remove_prefix(found + key.size());
    std::string_view list = take_until(groups, ']');
    std::vector<std::int64_t> ranks;
    while (!list.empty())
        if (const auto rank = wlfmt::to_number(take_until(list, ',')).as<std::int64_t>()) ranks.push_back(*rank);
    return ranks;
}

}  // namespace tool

#endif
