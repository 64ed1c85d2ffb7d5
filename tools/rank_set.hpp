// A list of ranks on the command line.
#ifndef WLFMT_TOOLS_RANK_SET_HPP
#define WLFMT_TOOLS_RANK_SET_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/wlfmt.hpp>

namespace tool {

// `0-7,16`. If no rank is given, the set has all ranks.
class rank_set {
public:
    bool parse(std::string_view text) {
        while (!text.empty()) {
            const std::string_view one = text.substr(0, text.find(','));
            text.remove_prefix(one.size() == text.size() ? one.size() : one.size() + 1);
            const std::size_t dash = one.find('-');
            const auto first = wlfmt::to_number(one.substr(0, dash)).as<std::int64_t>();
            const auto last =
                dash == std::string_view::npos ? first : wlfmt::to_number(one.substr(dash + 1)).as<std::int64_t>();
            if (!first || !last || *first < 0 || *last < *first) return false;
            ranges_.emplace_back(*first, *last);
        }
        return !ranges_.empty();
    }
    bool is_given() const noexcept { return !ranges_.empty(); }
    bool has(std::int64_t rank) const noexcept {
        if (ranges_.empty()) return true;
        for (const auto& range : ranges_)
            if (rank >= range.first && rank <= range.second) return true;
        return false;
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;
};

}  // namespace tool

#endif
