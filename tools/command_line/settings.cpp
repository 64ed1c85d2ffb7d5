#include "settings.hpp"
#include "options.hpp"

namespace tool {

bool rank_set::parse(std::string_view text) {
    std::vector<range> named;
    while (!text.empty()) {
        const std::string_view item = take_until(text, ',');
        const std::size_t dash = item.find('-');
        const auto first = wlfmt::to_number(item.substr(0, dash)).as<std::int64_t>();
        const auto last =
            dash == std::string_view::npos ? first : wlfmt::to_number(item.substr(dash + 1)).as<std::int64_t>();
        if (!first || !last || *first < 0 || *last < *first) return false;
        named.emplace_back(*first, *last);
    }
    sort_list(named);
    ranges_.clear();
    for (const range& item : named) {
        if (ranges_.empty() || item.first > ranges_.back().second) ranges_.push_back(item);
        else ranges_.back().second = (std::max)(ranges_.back().second, item.second);
    }
    return !ranges_.empty();
}
bool rank_set::has(std::int64_t rank) const noexcept {
    if (ranges_.empty()) return true;
    for (const range& span : ranges_)
        if (rank >= span.first && rank <= span.second) return true;
    return false;
}
std::int64_t rank_set::count_below(std::int64_t ranks) const noexcept {
    if (ranges_.empty()) return ranks;
    std::int64_t count = 0;
    for (const range& span : ranges_)
        if (span.first < ranks) count += (std::min)(span.second, ranks - 1) - span.first + 1;
    return count;
}
std::int64_t rank_set::nth(std::int64_t position) const noexcept {
    for (const range& span : ranges_) {
        if (position <= span.second - span.first) return span.first + position;
        position -= span.second - span.first + 1;
    }
    return position;
}
std::string rank_set::missing_from(const std::vector<std::int64_t>& ranks) const {
    std::string missing;
    const auto add = [&](std::int64_t first, std::int64_t last) {
        if (first > last) return;
        missing.append(missing.empty() ? "" : ", ").append(range_text(first, last));
    };
    for (auto [first, last] : ranges_)
        for (auto at = std::lower_bound(ranks.begin(), ranks.end(), first);; ++at) {
            const bool any = at != ranks.end() && *at <= last;
            add(first, any ? *at - 1 : last);
            if (!any || *at == last) break;
            first = *at + 1;
        }
    return missing;
}

bool growth_limit::is_exceeded(double before, double after) const noexcept {
    return after - before > (share > 0 ? share * (before < 0 ? -before : before) : time);
}

}  // namespace tool

namespace tool { namespace detail {

bool take_dimensions(settings& s, std::string_view text) {
    using wlfmt::analysis::dimension;
    auto dimensions = dimension::none;
    for (bool more = true; more;) {
        const std::size_t end = text.find(',');
        more = end != std::string_view::npos;
        auto found = dimension::none;
        for (unsigned n = 0; n != 6; ++n)
            if (const auto candidate = static_cast<dimension>(1U << n); text.substr(0, end) == name_of(candidate))
                found = candidate;
        if (found == dimension::none) return false;
        dimensions = dimensions | found;
        if (more) text.remove_prefix(end + 1);
    }
    s.by.push_back(dimensions);
    return true;
}

bool take_share(settings& s, std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const auto n = wlfmt::to_number(text.substr(0, slash)).as<std::uint64_t>();
    const auto tasks = wlfmt::to_number(text.substr(slash + 1)).as<std::uint64_t>();
    if (!n || !tasks || *n >= *tasks) return false;
    s.share = *n;
    s.shares = *tasks;
    return true;
}

bool take_tolerance(settings& s, std::string_view text) {
    const bool percent = !text.empty() && text.back() == '%';
    if (percent) text.remove_suffix(1);
    s.tolerance = wlfmt::to_number(text).value_or(-1.0) * (percent ? 0.01 : 1);
    return s.tolerance >= 0 && s.tolerance < 1;
}

bool take_growth(settings& s, std::string_view text) {
    struct unit {
        std::string_view name;
        double factor;
    };
    s.growth.text = text;
    for (const unit u : {unit{"%", 0.01}, unit{"us", 1}, unit{"ms", 1e3}, unit{"s", 1e6}}) {
        if (!has_ending(text, u.name)) continue;
        const double v = wlfmt::to_number(text.substr(0, text.size() - u.name.size())).value_or(-1.0) * u.factor;
        (u.name == "%" ? s.growth.share : s.growth.time) = v;
        return v > 0 && v < 1e18;
    }
    return false;
}

}}  // namespace tool::detail
