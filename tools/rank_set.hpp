// A list of ranks on the command line.
#ifndef WLFMT_TOOLS_RANK_SET_HPP
#define WLFMT_TOOLS_RANK_SET_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/wlfmt.hpp>

namespace tool {

// `0-7,16`. If no rank is given, the set has all ranks.
class rank_set {
public:
    bool parse(std::string_view text) {
        std::vector<range> named;
        while (!text.empty()) {
            const std::string_view one = text.substr(0, text.find(','));
            text.remove_prefix(one.size() == text.size() ? one.size() : one.size() + 1);
            const std::size_t dash = one.find('-');
            const auto first = wlfmt::to_number(one.substr(0, dash)).as<std::int64_t>();
            const auto last =
                dash == std::string_view::npos ? first : wlfmt::to_number(one.substr(dash + 1)).as<std::int64_t>();
            if (!first || !last || *first < 0 || *last < *first) return false;
            named.emplace_back(*first, *last);
        }
        std::sort(named.begin(), named.end());
        ranges_.clear();
        for (const range& one : named) {
            if (ranges_.empty() || one.first > ranges_.back().second) ranges_.push_back(one);
            else ranges_.back().second = (std::max)(ranges_.back().second, one.second);
        }
        return !ranges_.empty();
    }
    bool is_given() const noexcept { return !ranges_.empty(); }
    bool has(std::int64_t rank) const noexcept {
        if (ranges_.empty()) return true;
        for (const range& one : ranges_)
            if (rank >= one.first && rank <= one.second) return true;
        return false;
    }
    // The greatest rank that is given; -1 if none is.
    std::int64_t last() const noexcept { return ranges_.empty() ? -1 : ranges_.back().second; }
    // How many of the ranks 0 to `all` - 1 are in the set.
    std::int64_t count_below(std::int64_t all) const noexcept {
        if (ranges_.empty()) return all;
        std::int64_t count = 0;
        for (const range& one : ranges_)
            if (one.first < all) count += (std::min)(one.second, all - 1) - one.first + 1;
        return count;
    }
    // The rank at a position of the set, counted from 0; the set has so many.
    std::int64_t nth(std::int64_t position) const noexcept {
        for (const range& one : ranges_) {
            if (position <= one.second - one.first) return one.first + position;
            position -= one.second - one.first + 1;
        }
        return position;
    }
    // The given ranks that are not among these, which are in order: `16, 20 to 23`.
    std::string missing_from(const std::vector<std::int64_t>& ranks) const {
        std::string to;
        const auto add = [&](std::int64_t first, std::int64_t last) {
            if (first > last) return;
            to.append(to.empty() ? "" : ", ").append(std::to_string(first));
            if (first != last) to.append(" to ").append(std::to_string(last));
        };
        for (auto [first, last] : ranges_) {
            auto at = std::lower_bound(ranks.begin(), ranks.end(), first);
            bool has_last = false;
            for (; at != ranks.end() && *at <= last; ++at) {
                if (*at > first) add(first, *at - 1);
                has_last = *at == last;
                if (!has_last) first = *at + 1;
            }
            if (!has_last) add(first, last);
        }
        return to;
    }

private:
    using range = std::pair<std::int64_t, std::int64_t>;  // the first and the last rank
    std::vector<range> ranges_;                           // in ascending order, and apart from each other
};

}  // namespace tool

#endif
